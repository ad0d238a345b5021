//! Names and comments in another language than English, by what they say in English.
//!
//! A question in English finds them by its words, as one in their own language does. Which languages they are in is told by all of
//! them together: a word alone may be of several, and mean another thing in each.

use std::collections::{HashMap, HashSet};

use words::{Language, LanguageOfNames};

use crate::lexical::Lexicon;

/// What a match is worth on a name that says a word: the likeliest meaning first, of a word, of a part of a compound and of a
/// short form.
const WORTH: [f32; 4] = [0.95, 0.8, 0.7, 0.6];
const OF_PART: f32 = 0.8;
const OF_SHORT: f32 = 0.7;

/// The terms of names and comments, by the English words for them, with what a match is worth.
#[derive(Debug, Default)]
pub(crate) struct ForeignNames {
    by_english: HashMap<&'static str, Vec<(u32, f32)>>,
    /// The language that most names are in, where that isn't English.
    main: Option<Language>,
}

impl ForeignNames {
    /// Of these terms of the lexicon, which are those of names and of comments.
    pub(crate) fn of(lexicon: &Lexicon, names: impl Iterator<Item = u32>, comments: impl Iterator<Item = u32>) -> Self {
        let terms: HashSet<u32> = names.collect();
        let comments: HashSet<u32> = comments.filter(|term| !terms.contains(term)).collect();
        let languages = |terms: &HashSet<u32>| Language::of_names(terms.iter().map(|&term| lexicon.term(term)));
        let mut found = Self::default();
        for LanguageOfNames { language, is_main } in languages(&comments) {
            for &term in comments.iter().filter(|_| is_main) {
                let word = lexicon.term(term);
                let said = if words::is_english(word) { Vec::new() } else { language.meanings(word) };
                let part = if said.len() > 1 { OF_PART } else { 1.0 };
                said.iter().for_each(|meaning| found.add(term, meaning, part));
            }
        }
        for LanguageOfNames { language, is_main } in languages(&terms) {
            found.main = found.main.or_else(|| is_main.then_some(language));
            for &term in &terms {
                let word = lexicon.term(term);
                // Where most names are in English, so is what is English too.
                if !is_main && words::is_english(word) {
                    continue;
                }
                let said = if is_main || language.is_written(word) { language.meanings(word) } else { Vec::new() };
                let part = if said.len() > 1 { OF_PART } else { 1.0 };
                said.iter().for_each(|meaning| found.add(term, meaning, part));
                if said.is_empty() {
                    found.add(term, language.meanings_of_short(word), OF_SHORT);
                }
            }
        }
        found.by_english.values_mut().for_each(|terms| terms.sort_unstable_by_key(|(term, _)| *term));
        found
    }

    /// A term that says these English words, likeliest first, with what each match is worth at most.
    fn add(&mut self, term: u32, english: &[&'static str], most: f32) {
        for (english, worth) in english.iter().zip(WORTH) {
            self.by_english.entry(english).or_default().push((term, worth * most));
        }
    }

    /// Whether most names are in that language.
    pub(crate) fn are_in(&self, language: Language) -> bool {
        self.main == Some(language)
    }

    /// The terms that say that English word.
    pub(crate) fn saying(&self, english: &str) -> &[(u32, f32)] {
        self.by_english.get(english).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::ForeignNames;
    use crate::lexical::Lexicon;

    /// The names that say a word, with what a match on each is worth.
    fn saying(names: &str, english: &str) -> Vec<(String, f32)> {
        let mut names: Vec<String> = names.split(' ').map(str::to_owned).collect();
        names.sort();
        let lexicon = Lexicon::from(names);
        let foreign = ForeignNames::of(&lexicon, 0..lexicon.len() as u32, std::iter::empty());
        foreign.saying(english).iter().map(|(term, worth)| (lexicon.term(*term).to_owned(), *worth)).collect()
    }

    const GERMAN: &str =
        "mitglied kunde lieferant bestellung rechnung lager vertrag lieferantenrechnung faelligkeit status";

    #[test]
    fn names_in_another_language_are_found_by_their_english() {
        assert_eq!(saying(GERMAN, "member"), [("mitglied".to_owned(), 0.95)]);
        let [(whole, surely), (part, less)] = &saying(GERMAN, "invoice")[..] else { panic!("two names have it") };
        assert_eq!((whole.as_str(), part.as_str()), ("lieferantenrechnung", "rechnung"));
        assert!(surely < less, "{surely} {less}");
        assert_eq!(saying(GERMAN, "deadline").len(), 1, "without its umlaut");
        let mut names: Vec<String> = GERMAN.split(' ').map(str::to_owned).collect();
        names.sort();
        let lexicon = Lexicon::from(names);
        let foreign = ForeignNames::of(&lexicon, 0..lexicon.len() as u32, std::iter::empty());
        assert!(foreign.are_in(words::Language::German) && !foreign.are_in(words::Language::Dutch));
    }

    #[test]
    fn comments_in_another_language_are_found_by_their_english() {
        let mut terms: Vec<String> = "tbl acc ord lief order customer stock"
            .split(' ')
            .chain("mitglieder und kunden mit vertrag lieferant bestellung rechnung fälligkeit umsatz".split(' '))
            .map(str::to_owned)
            .collect();
        terms.sort();
        let lexicon = Lexicon::from(terms);
        let is_name = |term: &u32| lexicon.term(*term).len() < 5;
        let all = || 0..lexicon.len() as u32;
        let foreign = ForeignNames::of(&lexicon, all().filter(is_name), all().filter(|term| !is_name(term)));
        let said: Vec<&str> = foreign.saying("contract").iter().map(|(term, _)| lexicon.term(*term)).collect();
        assert_eq!(said, ["vertrag"]);
        assert!(foreign.saying("customer").iter().any(|(term, _)| lexicon.term(*term) == "kunden"));
    }

    #[test]
    fn a_part_in_another_language_is_told_by_how_it_cuts_words_short() {
        let english = "customer order product price supplier shipped amount quantity created_at note art pos";
        let german = "lief kd waeh ums mwst einh bem gew bst";
        let both = format!("{english} {german}");
        assert_eq!(saying(&both, "supplier"), [("lief".to_owned(), 0.95 * 0.7)]);
        assert!(saying(&both, "currency").iter().any(|(term, _)| term == "waeh"));
        assert!(saying(&both, "species").is_empty(), "`art` is English there");
        assert!(saying(&format!("{english} lief kd"), "supplier").is_empty(), "two short forms tell nothing");
    }

    #[test]
    fn english_names_are_left_as_they_are() {
        let english =
            "order customer invoice art tag rate gift kind note stock price contract member staff lager plan team";
        assert!(saying(english, "day").is_empty() && saying(english, "warehouse").is_empty());
    }
}
