//! Names found among others.

/// The place of a name among others: spelt as it is, or in other cases where that is one of them alone. Engines in which
/// case counts have columns that differ in nothing else.
pub(crate) fn place_of<'n>(names: impl Iterator<Item = &'n str> + Clone, wanted: &str) -> Option<usize> {
    names.clone().position(|name| name == wanted).or_else(|| {
        let mut alike = names.enumerate().filter(|(_, name)| name.eq_ignore_ascii_case(wanted));
        let (place, _) = alike.next()?;
        alike.next().is_none().then_some(place)
    })
}
