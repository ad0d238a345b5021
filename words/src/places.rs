//! What countries and the states of the USA are called: codes, names, and what people say.

use std::sync::LazyLock;

const COUNTRIES: &str = include_str!("countries.txt");
const STATES: &str = include_str!("states.txt");

/// The forms of one place.
#[derive(Debug)]
pub struct PlaceForms {
    /// Codes and names, as they are written.
    pub written: Vec<&'static str>,
    /// What people say besides, in lower case: the adjective, letters one by one.
    pub said: Vec<&'static str>,
}

/// Every country and every state of the USA.
pub fn places() -> &'static [PlaceForms] {
    static PLACES: LazyLock<Vec<PlaceForms>> = LazyLock::new(|| {
        let lines = [COUNTRIES, STATES].into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'));
        let forms = |list: &'static str| list.split('|').filter(|form| !form.is_empty()).collect();
        lines
            .map(|line| {
                let (written, said) = line.split_once(';').unwrap_or((line, ""));
                PlaceForms { written: forms(written), said: forms(said) }
            })
            .collect()
    });
    &PLACES
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn places_have_codes_names_and_what_people_say() {
        let germany = places().iter().find(|place| place.written.contains(&"DE")).unwrap();
        assert!(germany.written.contains(&"Germany") && germany.said.contains(&"german"));
        assert!(places().iter().any(|place| place.written.contains(&"California")));
        for place in places() {
            assert!(place.written.len() > 1, "{place:?}");
            assert!(place.said.iter().all(|form| *form == form.to_lowercase()), "{place:?}");
        }
    }
}
