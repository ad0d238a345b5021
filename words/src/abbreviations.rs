//! What common abbreviations in names of tables and columns stand for.
//!
//! There is one list of them, and each reader has its own meanings in it: a search wants all that a short form may mean, a
//! description only what it nearly always means, and what is personal is looked for in many languages.

use std::collections::HashMap;
use std::sync::LazyLock;

const LIST: &str = include_str!("abbreviations.tsv");
/// Stands in a column of the list for the first term of the search, and for nothing.
const SAME: &str = "=";
const NONE: &str = "-";

/// A short form with its meanings.
#[derive(Debug)]
pub struct Abbreviation {
    /// The short form, in lower case.
    pub short: &'static str,
    /// The terms that a search takes it for, surest first; empty where a search takes it as it is.
    pub terms: Vec<&'static str>,
    /// The words that it is spoken as, where it has one usual meaning.
    pub spoken: Option<&'static str>,
    /// The word that it is taken for where a column may hold something personal.
    pub personal: Option<&'static str>,
}

/// All abbreviations, in the order of the alphabet.
pub fn abbreviations() -> &'static [Abbreviation] {
    static ABBREVIATIONS: LazyLock<Vec<Abbreviation>> = LazyLock::new(|| {
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| {
                let mut columns = line.split('\t');
                let short = columns.next()?;
                let terms: Vec<&str> = columns.next()?.split(' ').filter(|term| *term != NONE).collect();
                let mut meaning = || match columns.next() {
                    None | Some(NONE) => None,
                    Some(SAME) => terms.first().copied(),
                    other => other,
                };
                let (spoken, personal) = (meaning(), meaning());
                Some(Abbreviation { short, terms, spoken, personal })
            })
            .collect()
    });
    &ABBREVIATIONS
}

/// The abbreviation of that short form.
pub fn abbreviation(short: &str) -> Option<&'static Abbreviation> {
    static BY_SHORT: LazyLock<HashMap<&str, &Abbreviation>> =
        LazyLock::new(|| abbreviations().iter().map(|abbreviation| (abbreviation.short, abbreviation)).collect());
    BY_SHORT.get(short).copied()
}

/// The short forms that a search takes for that term, in the order of the alphabet: `department` → `dep`, `dept`.
pub fn short_forms(term: &str) -> &'static [&'static str] {
    static BY_TERM: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut by_term: HashMap<&str, Vec<&str>> = HashMap::new();
        for abbreviation in abbreviations() {
            for term in &abbreviation.terms {
                by_term.entry(term).or_default().push(abbreviation.short);
            }
        }
        by_term
    });
    BY_TERM.get(term).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::{LIST, abbreviation, abbreviations, short_forms};
    use crate::singular;

    #[test]
    fn each_reader_has_its_meaning() {
        let known = abbreviation("wk").expect("a known abbreviation");
        assert_eq!((&*known.terms, known.spoken, known.personal), (&["week"][..], Some("week"), Some("work")));
        assert_eq!(abbreviation("kto").map(|known| (known.terms.len(), known.spoken)), Some((0, None)));
        assert!(short_forms("department").contains(&"dept"));
        assert!(abbreviation("department").is_none() && short_forms("dept").is_empty());
    }

    #[test]
    fn the_list_is_well_formed() {
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().all(|line| line.split('\t').count() == 4));
        assert_eq!(lines.count(), abbreviations().len());
        assert!(abbreviations().is_sorted_by(|left, right| left.short < right.short), "sorted, and each once");
        for known in abbreviations() {
            let short = known.short;
            assert!(!known.terms.is_empty() || known.spoken.is_some() || known.personal.is_some(), "{short}");
            assert!(known.terms.iter().all(|term| singular(term) == *term && *term != short), "{short}");
        }
    }
}
