//! Numbers in names and in questions: `indiv16` is what was asked about 2016, and `activities_29` about release 29.

/// Digits of a number that tells tables apart.
const DIGITS: std::ops::RangeInclusive<usize> = 2..=4;
/// Digits of a date: `202401` and `20240131` count as their year.
const DATES: [usize; 2] = [6, 8];
pub(crate) const YEARS: std::ops::Range<u32> = 1900..2100;

/// The numbers in a text.
pub(crate) fn numbers_of(text: &str) -> Vec<u32> {
    let runs = text.split(|character: char| !character.is_ascii_digit());
    runs.filter_map(|run| match run.len() {
        length if DIGITS.contains(&length) => run.parse().ok(),
        length if DATES.contains(&length) => run[..4].parse().ok().filter(|year| YEARS.contains(year)),
        _ => None,
    })
    .collect()
}

/// Whether one of the numbers asked about is this one, or a year that ends in it.
pub(crate) fn is_asked(number: u32, asked: &[u32]) -> bool {
    asked.iter().any(|&other| other == number || number < 100 && YEARS.contains(&other) && other % 100 == number)
}

/// The numbers in the names of a table's family, in the order of its members.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    members: Vec<Vec<u32>>,
    are_years: bool,
}

impl Numbered {
    /// The numbers in these names, the last of which stands for all.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = names.collect();
        let common = index::common_start(&names);
        let members: Vec<Vec<u32>> = names
            .into_iter()
            .map(|name| {
                let mut numbers = numbers_of(name);
                // The `98` of `pas298` where its family is `pas2`.
                let is_cut = name[..common].ends_with(|last: char| last.is_ascii_digit());
                numbers.extend(numbers_of(&name[common..]).first().filter(|_| is_cut));
                numbers
            })
            .collect();
        let some = members.iter().any(|numbers| !numbers.is_empty());
        let has_year = |numbers: &Vec<u32>| numbers.iter().any(|number| YEARS.contains(number));
        let are_years = members.len() > 1 && members.iter().all(has_year);
        Self { members: if some { members } else { Vec::new() }, are_years }
    }

    /// The member whose name has the most of these numbers, of equal ones the last; `None` where no name has any.
    pub(crate) fn asked_for(&self, asked: &[u32]) -> Option<usize> {
        let named = |numbers: &[u32]| numbers.iter().filter(|&&number| is_asked(number, asked)).count();
        let members = if asked.is_empty() { &[][..] } else { &self.members };
        let best = members.iter().enumerate().max_by_key(|(_, numbers)| named(numbers))?;
        (named(best.1) > 0).then_some(best.0)
    }

    /// Whether the members are told apart by years.
    pub(crate) fn are_years(&self) -> bool {
        self.are_years
    }

    /// How many numbers of the best fitting name are asked about, and how many are not. A family counts as having one that
    /// isn't if it lacks the year asked about.
    pub(crate) fn counts(&self, asked: &[u32]) -> (usize, usize) {
        let Some(last) = self.members.last() else { return (0, 0) };
        let numbers = self.asked_for(asked).map_or(last, |member| &self.members[member]);
        let named = numbers.iter().filter(|&&number| is_asked(number, asked)).count();
        let is_family = self.members.len() > 1;
        let misses_year = named == 0 && asked.iter().any(|number| YEARS.contains(number));
        (named, if is_family { usize::from(misses_year) } else { numbers.len() - named })
    }
}

#[cfg(test)]
mod tests {
    use super::{Numbered, is_asked, numbers_of};

    #[test]
    fn names_say_years_by_their_ends() {
        let asked = numbers_of("donors of 2016 in release 29, since 20240101");
        assert_eq!(asked, [2016, 29, 2024]);
        for (name, expected) in
            [("indiv16", true), ("indiv18", false), ("activities_29", true), ("tax_2016", true), ("x_1", false)]
        {
            assert_eq!(numbers_of(name).iter().any(|&number| is_asked(number, &asked)), expected, "{name}");
        }
    }
    #[test]
    fn a_family_answers_with_the_member_that_is_asked_for() {
        let family = Numbered::new(["tract_2015_5yr", "tract_2018_5yr", "tract_2019_5yr"].into_iter());
        for (question, member, counts) in [
            ("tracts in 2018", Some(1), (1, 0)),
            ("tracts", None, (0, 0)),
            ("tracts in 1998", None, (0, 1)),
            ("from 2015 to 2019", Some(2), (1, 0)),
        ] {
            let asked = numbers_of(question);
            assert!(family.are_years());
            assert_eq!((family.asked_for(&asked), family.counts(&asked)), (member, counts), "{question}");
        }
        let cut = Numbered::new(["pas298", "pas200", "pas216", "pas220"].into_iter());
        assert_eq!(cut.asked_for(&[2016]), Some(2));
        let single = Numbered::new(["orders_2019_part_12"].into_iter());
        assert_eq!(single.counts(&[2019]), (1, 1));
        assert_eq!(Numbered::new(["orders"].into_iter()).counts(&[2019]), (0, 0));
    }
}
