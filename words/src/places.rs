//! What countries and the states of the USA are called: codes, names, and what people say.

use std::collections::HashMap;
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

/// Letters of the shortest name that is taken for a place's: codes are words as well.
const SHORTEST_NAME: usize = 4;

/// What kind of place a name in lower case is of, in a word: `country` for `spain`, `state` for `texas`; a place that is both
/// is a country.
pub fn place_kind(name: &str) -> Option<&'static str> {
    static KINDS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let of_kind = |list: &'static str, kind: &'static str| {
            let lines = list.lines().filter(|line| !line.starts_with('#'));
            let names = lines.flat_map(|line| line.split(['|', ';']));
            names.filter(|name| name.len() >= SHORTEST_NAME).map(move |name| (name.to_lowercase(), kind))
        };
        of_kind(STATES, "state").chain(of_kind(COUNTRIES, "country")).collect()
    });
    KINDS.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::{place_kind, places};

    #[test]
    fn names_of_places_have_a_kind() {
        let kinds = ["spain", "texas", "united states", "german", "de", "spares"].map(place_kind);
        assert_eq!(kinds, [Some("country"), Some("state"), Some("country"), Some("country"), None, None]);
    }

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
