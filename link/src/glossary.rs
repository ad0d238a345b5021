//! Business terms that a question names.

use catalog::{Catalog, TableId, Term, TermFault, UsedColumn};
use serde::Serialize;
use words::StopWords;

/// Characters of a definition that are told beside what is computed.
const LONGEST_DEFINITION: usize = 300;

/// A business term that the question names, in any of its names and in any number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedTerm {
    /// The source that it is of.
    pub source: String,
    /// What it is called.
    pub name: String,
    /// The words of the question that name it.
    pub asked: String,
    /// What it means, in one line: in words, and how it is computed.
    pub meaning: String,
    /// Who says so: `ana, 2026-11-28`.
    pub said_by: String,
    /// The tables that it is about.
    pub tables: Vec<TableId>,
    /// The columns that it is computed from.
    pub columns: Vec<UsedColumn>,
}

impl NamedTerm {
    /// Whether a word of the question, in lower case, belongs to it.
    pub fn holds(&self, word: &str) -> bool {
        words_of(&self.asked).iter().any(|it| it.lower == word || it.stem == word)
    }

    /// `monthly recurring revenue (ana, 2026-11-28): what active subscriptions bring: sum(cents) / 100.0 of subscriptions`.
    pub fn in_words(&self) -> String {
        format!("{} ({}): {}", self.name, self.said_by, self.meaning)
    }
}

/// A word as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word<'t> {
    written: &'t str,
    lower: String,
    stem: String,
}

fn words_of(text: &str) -> Vec<Word<'_>> {
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    let word = |written| {
        let lower = str::to_lowercase(written);
        Word { written, stem: words::singular(&lower), lower }
    };
    // What `'s` leaves behind.
    words.map(word).filter(|word| word.written != "s").collect()
}

/// The terms that count and that the question names, in its order. Of names that overlap the longest is meant: who asks for
/// monthly recurring revenue doesn't ask for revenue.
pub(crate) fn named_terms(catalog: &Catalog, source: Option<&str>, question: &str) -> Vec<NamedTerm> {
    if catalog.all_terms().is_empty() {
        return Vec::new();
    }
    let asked = words_of(question);
    let sources = catalog.sources().iter().map(|it| it.name.as_str());
    let terms = sources
        .filter(|name| source.is_none_or(|source| source == *name))
        .flat_map(|name| catalog.all_terms().iter().filter(move |term| term.source == name && term.is_approved()))
        .filter(|term| !matches!(catalog.fault_of(term), Some(TermFault::Withheld(_))));
    let mut found: Vec<(usize, usize, &Term)> = Vec::new();
    for term in terms {
        for name in term.names() {
            found.extend(places(name, &asked).into_iter().map(|(from, to)| (from, to, term)));
        }
    }
    found.sort_by_key(|(from, to, _)| (std::cmp::Reverse(to - from), *from));
    let mut meant: Vec<(usize, usize, &Term)> = Vec::new();
    for (from, to, term) in found {
        let is_taken = |(begins, ends, other): &(usize, usize, &Term)| {
            let overlap = from < *ends && *begins < to;
            // Of two sources that both define the word, both are told.
            overlap && (other.source == term.source || (*begins, *ends) != (from, to))
        };
        let is_known = |(_, _, other): &(usize, usize, &Term)| std::ptr::eq(*other, term);
        if !meant.iter().any(|it| is_taken(it) || is_known(it)) {
            meant.push((from, to, term));
        }
    }
    meant.sort_by_key(|(from, ..)| *from);
    let shown = |table: &TableId| table.written(catalog.dialect(&table.source));
    meant
        .into_iter()
        .map(|(from, to, term)| (from, to, as_it_is(term, catalog), term))
        .map(|(from, to, usable, term)| NamedTerm {
            source: term.source.clone(),
            name: term.name.clone(),
            asked: asked[from..to].iter().map(|word| word.written).collect::<Vec<_>>().join(" "),
            meaning: usable.meaning(&shown),
            said_by: term.said_by(),
            tables: usable.tables().into_iter().cloned().collect(),
            columns: usable.columns,
        })
        .collect()
}

/// Whether a question has that name in it, in any number.
pub(crate) fn asks_for(question: &str, name: &str) -> bool {
    !places(name, &words_of(question)).is_empty()
}

/// The term as far as it can be used: of one whose table or column is gone the words alone, and that it is out of date.
fn as_it_is(term: &Term, catalog: &Catalog) -> Term {
    let term = briefly(term);
    let Some(fault) = catalog.fault_of(&term) else { return term };
    let words = term.definition.iter().map(|definition| format!("{}; ", definition.trim_end_matches('.')));
    let out_of_date = format!("{}how it is computed is out of date: {}", words.collect::<String>(), fault.in_words());
    let (table, expression, condition, columns) = (None, None, None, Vec::new());
    Term { definition: Some(out_of_date), table, expression, condition, columns, ..term }
}

/// The term with the beginning of its definition alone where that is long; what is computed is never cut.
fn briefly(term: &Term) -> Term {
    let cut = |text: &String| match text.char_indices().nth(LONGEST_DEFINITION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.clone(),
    };
    Term { definition: term.definition.as_ref().map(cut), ..term.clone() }
}

/// Where a name stands in a question, as positions from and to behind.
fn places(name: &str, asked: &[Word<'_>]) -> Vec<(usize, usize)> {
    let name = words_of(name);
    let joined = |words: &[&Word<'_>]| {
        let (last, before) = words.split_last()?;
        Some(before.iter().map(|word| word.lower.as_str()).chain([last.stem.as_str()]).collect::<String>())
    };
    let Some(wanted) = joined(&name.iter().collect::<Vec<_>>()) else { return Vec::new() };
    // `e-mail`, `email` and `e mail` are one name, and so are `order` and `orders` in `order values`.
    let is_it = |window: &[&Word<'_>]| {
        joined(window).is_some_and(|joined| joined == wanted)
            || window.len() == name.len() && window.iter().zip(&name).all(|(asked, name)| asked.stem == name.stem)
    };
    // `it` is hardly ever IT.
    let is_everyday = name.len() == 1 && StopWords::Content.contains(&name[0].lower);
    let as_written = |window: &[&Word<'_>]| !is_everyday || window[0].written == name[0].written;
    let mut places = Vec::new();
    for from in 0..asked.len() {
        for length in 1..=(name.len() + 1).min(asked.len() - from) {
            let window: Vec<&Word<'_>> = asked[from..from + length].iter().collect();
            if is_it(&window) && as_written(&window) {
                places.push((from, from + length));
            } else if length == name.len() + 1 && length > 2 {
                // `active German customers`: a name or a number between the words changes nothing of what they mean.
                let names = (1..length - 1).filter(|&at| window[at].written.starts_with(|it: char| !it.is_lowercase()));
                let is_around = |at: usize| is_it(&[&window[..at], &window[at + 1..]].concat());
                if names.into_iter().any(is_around) {
                    places.push((from, from + length));
                }
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use catalog::{Dialect, Term, TermOrigin, TermState};

    use super::named_terms;

    fn named(question: &str) -> Vec<String> {
        let term = |name: &str, synonyms: &[&str]| Term {
            source: "s".to_owned(),
            name: name.to_owned(),
            synonyms: synonyms.iter().map(|it| (*it).to_owned()).collect(),
            definition: Some("what it means".to_owned()),
            table: None,
            expression: None,
            condition: None,
            columns: Vec::new(),
            origin: TermOrigin::Person,
            evidence: None,
            state: TermState::Approved { by: "ana".to_owned(), at: None },
        };
        let proposed = Term { state: TermState::Proposed, ..term("churn", &[]) };
        let terms = vec![
            term("active customer", &["regular"]),
            term("e-mail campaign", &[]),
            term("IT", &[]),
            term("monthly recurring revenue", &["MRR"]),
            term("Q-code", &[]),
            term("revenue", &[]),
            proposed,
        ];
        let table = testkit::table("s", "t", &["id INTEGER"]);
        let catalog = testkit::catalog_from_tables(Dialect::Sqlite, "s", vec![table]).with_terms(terms);
        named_terms(&catalog, None, question).into_iter().map(|term| format!("{}: {}", term.name, term.asked)).collect()
    }

    #[test]
    fn terms_are_found_in_the_forms_that_people_write() {
        for (question, expected) in [
            ("How many active customers do we have?", &["active customer: active customers"][..]),
            ("Active German customers by city", &["active customer: Active German customers"]),
            ("customers with active subscriptions", &[]),
            ("active subscriptions of customers", &[]),
            ("our regulars' mrr", &["active customer: regulars", "monthly recurring revenue: mrr"]),
            (
                "Monthly recurring revenue against revenue",
                &["monthly recurring revenue: Monthly recurring revenue", "revenue: revenue"],
            ),
            ("What is it worth?", &[]),
            ("How many people work in IT?", &["IT: IT"]),
            ("orders of the email campaigns", &["e-mail campaign: email campaigns"]),
            ("products by q code", &["Q-code: q code"]),
            ("What is our churn?", &[]),
            ("", &[]),
        ] {
            assert_eq!(named(question), expected, "{question}");
        }
    }
}
