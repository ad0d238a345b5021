//! Other names for common values: countries, states, currencies, months, sexes, yes and no.
//!
//! A question says "United States" where a column holds `US`. The lists are general knowledge (ISO 3166, ISO 4217, the
//! US Postal Service); nothing here knows any database. The code that a column uses is found by looking for every form.

use std::collections::HashMap;
use std::sync::LazyLock;

/// `name|alpha-2|alpha-3|other names…`, one country a line.
const COUNTRIES: &str = include_str!("synonyms/countries.txt");
/// `name|code`, one state of the USA a line.
const STATES: &str = include_str!("synonyms/states.txt");
/// Other groups of equal values, `|` between them.
const OTHERS: &str = include_str!("synonyms/others.txt");

static GROUPS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut groups: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for line in [COUNTRIES, STATES, OTHERS].into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#')) {
        let forms: Vec<&str> = line.split('|').map(str::trim).filter(|form| !form.is_empty()).collect();
        for form in &forms {
            groups.entry(form).or_default().extend(forms.iter().filter(|other| *other != form));
        }
    }
    groups
});

/// Other forms of a folded value (lower case, single spaces): `united states` → `us`, `usa`, …
pub(crate) fn other_forms(folded: &str) -> &'static [&'static str] {
    GROUPS.get(folded).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::other_forms;

    #[test]
    fn common_values_have_their_codes() {
        for (value, expected) in [
            ("united states", "us"),
            ("usa", "united states"),
            ("germany", "de"),
            ("california", "ca"),
            ("euro", "eur"),
            ("female", "f"),
            ("january", "jan"),
            ("german", "germany"),
        ] {
            assert!(other_forms(value).contains(&expected), "{value}: {:?}", other_forms(value));
        }
        assert!(other_forms("gizmo").is_empty());
    }
}
