//! Comments that say outright that a column holds personal data, as people and tags of data catalogs do: `PII`,
//! `Where it is sent. (Personal data)`.
//!
//! A clause counts where it says nothing besides: *when personal data was erased* speaks of such data and holds none.

use catalog::Column;

use crate::finding::{Finding, PersonalKind};
use crate::folding::folded_words;

/// What personal data is called.
const PERSONAL_DATA: &[&[&str]] = &[
    &["pii"],
    &["spii"],
    &["personal", "data"],
    &["personal", "information"],
    &["personally", "identifiable"],
    &["personenbezogen"],
    &["personenbezogene", "daten"],
    &["donnees", "personnelles"],
    &["donnees", "a", "caractere", "personnel"],
    &["datos", "personales"],
    &["dados", "pessoais"],
    &["dati", "personali"],
    &["persoonsgegevens"],
];

/// What may stand in the same clause.
const BESIDE: &[&str] = &[
    "column",
    "contains",
    "data",
    "enthalt",
    "field",
    "gdpr",
    "has",
    "holds",
    "information",
    "is",
    "sensitive",
    "tag",
    "this",
    "true",
    "yes",
];

/// What takes it back, behind a colon or an equals sign.
const NEGATED: &[&str] = &["false", "keine", "n", "nein", "no", "non", "none", "not"];

/// What ends a clause.
const ENDS: [char; 13] = ['.', ';', ',', ':', '=', '(', ')', '[', ']', '|', '\n', '–', '—'];

/// What a column's comment says outright.
pub(crate) fn by_comment(column: &Column) -> Option<Finding> {
    let comment = column.comment.as_deref()?;
    let comment = comment.replace(" - ", ";");
    let clauses: Vec<Vec<String>> = comment.split(ENDS).map(folded_words).collect();
    let is_taken_back = |place: usize| {
        clauses.get(place + 1).and_then(|next| next.first()).is_some_and(|word| NEGATED.contains(&word.as_str()))
    };
    let mut said = clauses.iter().enumerate().filter(|(place, _)| !is_taken_back(*place));
    said.any(|(_, words)| is_said(words)).then(|| Finding {
        reason: "a comment or a label calls it personal data".to_owned(),
        confidence: 0.9,
        kind: PersonalKind::Declared,
    })
}

/// Whether these words say it, and nothing besides.
fn is_said(words: &[String]) -> bool {
    PERSONAL_DATA.iter().any(|name| {
        let is_it = |start: &usize| {
            words[*start..].iter().zip(*name).filter(|(word, part)| word == *part).count() == name.len()
        };
        (0..words.len()).find(is_it).is_some_and(|start| {
            let mut others = words[..start].iter().chain(&words[start + name.len()..]);
            others.all(|word| BESIDE.contains(&word.as_str()))
        })
    })
}

#[cfg(test)]
mod tests {
    use catalog::Column;

    use super::by_comment;

    #[test]
    fn what_is_called_personal_data_is_and_what_only_speaks_of_it_isnt() {
        let is_found = |comment: &str| {
            by_comment(&Column { comment: Some(comment.to_owned()), ..Column::new("c", "TEXT") }).is_some()
        };
        for comment in [
            "PII",
            "Where it is sent. (Personal data)",
            "The bearer [PII]",
            "PII - do not expose",
            "Who pays — personal data",
            "pii: true",
            "Contains PII.",
            "gdpr: personal data",
            "Enthält personenbezogene Daten",
        ] {
            assert!(is_found(comment), "{comment}");
        }
        for comment in [
            "No PII",
            "pii: false",
            "PII = no",
            "When personal data was erased",
            "Whether they agreed that personal data is kept",
            "Hash of it, without personal data",
            "",
        ] {
            assert!(!is_found(comment), "{comment}");
        }
    }
}
