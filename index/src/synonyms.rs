//! Other names for common values: countries, states, currencies, months, sexes, yes and no.
//!
//! A question says "United States" where a column holds `US`. The lists are general knowledge (ISO 3166, ISO 4217, the
//! US Postal Service); nothing here knows any database. The code that a column uses is found by looking for every form.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Other groups of equal values than places, `|` between them.
const OTHERS: &str = include_str!("synonyms/others.txt");

static GROUPS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let places = words::places().iter().map(|place| {
        let mut forms: Vec<String> = place.written.iter().chain(&place.said).map(|form| form.to_lowercase()).collect();
        forms.dedup();
        forms
    });
    let others = OTHERS.lines().filter(|line| !line.starts_with('#'));
    let others = others.map(|line| line.split('|').map(str::trim).map(str::to_owned).collect::<Vec<String>>());
    let mut groups: HashMap<String, Vec<String>> = HashMap::new();
    for forms in places.chain(others) {
        for form in &forms {
            groups.entry(form.clone()).or_default().extend(forms.iter().filter(|other| *other != form).cloned());
        }
    }
    groups
});

/// Other forms of a folded value (lower case, single spaces): `united states` → `us`, `usa`, …
pub(crate) fn other_forms(folded: &str) -> &'static [String] {
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
            assert!(other_forms(value).iter().any(|form| form == expected), "{value}: {:?}", other_forms(value));
        }
        assert!(other_forms("gizmo").is_empty());
    }
}
