//! A question prepared for the index: its words with their weights and other forms, and its vectors.

use std::collections::HashMap;

use llm::QuantizedQuery;
use words::{InEnglish, Language};

use crate::foreign::ForeignNames;
use crate::lexical::Lexicon;
use crate::terms;

/// Different words of a question that are used; longer texts are cut.
const MOST_TERMS: usize = 64;
/// Phrases of a question that are used.
const MOST_PHRASES: usize = 40;
/// Terms that share a beginning with a word of the question, at most.
const MOST_CONTINUATIONS: usize = 12;
/// Words whose initials may stand for them.
const INITIALS: std::ops::RangeInclusive<usize> = 3..=5;
/// Numbers as questions write them out, from one on.
const NUMERALS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Letters of what a word that begins with `un` denies, at least: `unpaid`.
const SHORTEST_DENIED: usize = 4;
/// What a match on another form of the word is worth.
mod worth {
    pub(super) const JOINED: f32 = 1.0;
    pub(super) const ABBREVIATION: f32 = 0.7;
    pub(super) const INITIALS: f32 = 0.7;
    pub(super) const SKELETON: f32 = 0.5;
    pub(super) const ROOT: f32 = 0.65;
    pub(super) const ASSOCIATED: [f32; 2] = [0.7, 0.55];
    pub(super) const DENIED: f32 = 0.7;
    pub(super) const CONTINUATION: f32 = 0.5;
    pub(super) const BEGINNING: f32 = 0.35;
    /// Of the English words that a word of another language may mean: the likeliest first.
    pub(super) const TRANSLATED: [f32; 4] = [0.95, 0.8, 0.7, 0.6];
}

/// A text prepared by [`crate::Index::question`].
#[derive(Debug, Clone)]
pub struct Question {
    pub(crate) text: String,
    pub(crate) language: Option<Language>,
    pub(crate) terms: Vec<QueryTerm>,
    pub(crate) vector: Option<QuantizedQuery>,
    /// The vector of each term's word; empty without an embedder.
    pub(crate) word_vectors: Vec<QuantizedQuery>,
    /// The vectors of its [`phrases`].
    pub(crate) phrase_vectors: Vec<QuantizedQuery>,
}

impl Question {
    /// The text as it was asked.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The language that it is in; `None` for English, and where nothing tells.
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// Its words without stop words, each once.
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }
}

/// A word of a question.
#[derive(Debug, Clone)]
pub struct QueryTerm {
    /// As it was asked, in lower case.
    pub word: String,
    /// How rare it is among the tables: its inverse document frequency; 0 where no table has it.
    pub weight: f32,
    /// Terms of the lexicon that it may mean, with what a match is worth.
    pub(crate) variants: Vec<(u32, f32)>,
    /// Terms that databases use for what it says, with how near they are: other words, not other forms.
    pub(crate) associated: Vec<(u32, f32)>,
}

/// The different words of the text, with the forms under which the lexicon may hold them, and with the names in another language
/// that say them.
pub(crate) fn query_terms(text: &str, lexicon: &Lexicon, foreign: &ForeignNames) -> Vec<QueryTerm> {
    let words: Vec<String> = words::in_text(text);
    let mut query: Vec<QueryTerm> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (position, word) in words.iter().enumerate() {
        // "List all orders" asks for none, "the wish list" does.
        let is_said_of = |before: &String| !terms::is_stop_word(before);
        let is_noun = word == "list" && position.checked_sub(1).is_some_and(|before| is_said_of(&words[before]));
        if terms::is_stop_word(word) && !is_noun {
            continue;
        }
        let term = words::singular(word);
        let next = words.get(position + 1).map(|next| written_together(word, next));
        let previous = position.checked_sub(1).map(|before| written_together(&words[before], word));
        let joined: Vec<String> = [next, previous].into_iter().flatten().flatten().collect();
        let place = *seen.entry(term.clone()).or_insert_with(|| {
            let mut variants = variants_of(word, &term, lexicon);
            add_foreign(&mut variants, word, &term, 1.0, foreign);
            query.push(QueryTerm { word: word.clone(), weight: 0.0, variants, associated: Vec::new() });
            query.len() - 1
        });
        add_associated(&mut query[place].associated, word, &term, lexicon);
        // What isn't paid is found where it stands what is.
        if let Some(denied) = word.strip_prefix("un").filter(|denied| denied.len() >= SHORTEST_DENIED) {
            let of_denied = variants_of(denied, &words::singular(denied), lexicon);
            of_denied
                .into_iter()
                .for_each(|(number, close)| add(&mut query[place].variants, number, close * worth::DENIED));
            add_associated(&mut query[place].associated, denied, &words::singular(denied), lexicon);
        }
        if let Some(before) = position.checked_sub(1).map(|before| &words[before]) {
            for phrase in [format!("{before} {word}"), format!("{} {term}", words::singular(before))] {
                add_associated(&mut query[place].associated, &phrase, &phrase, lexicon);
            }
        }
        for number in joined.iter().filter_map(|joined| lexicon.number(joined)) {
            add(&mut query[place].variants, number, worth::JOINED);
        }
        if query.len() >= MOST_TERMS {
            break;
        }
    }
    for (initials, window) in initials(&words) {
        let Some(number) = lexicon.number(&initials) else { continue };
        for place in window.iter().filter_map(|word| seen.get(&words::singular(word))) {
            add(&mut query[*place].variants, number, worth::INITIALS);
        }
    }
    query
}

/// Whether names are in the text's own language rather than in English: more of its words are among them, in some form, than
/// of their translations. Where most names are in it, half as many are enough: the longer a lexicon, the more of what isn't meant is
/// among the names, too.
pub(crate) fn speaks_language(text: &InEnglish, lexicon: &Lexicon, foreign: &ForeignNames) -> bool {
    let is_name = |word: &str| lexicon.number(&words::singular(word)).is_some();
    let has_form = |word: &str| {
        variants_of(word, &words::singular(word), lexicon).iter().any(|(_, worth)| *worth >= worth::CONTINUATION)
    };
    let own = text.words.iter().filter(|word| has_form(&word.asked)).count();
    let english = text.words.iter().filter(|word| word.english.iter().any(|english| is_name(english))).count();
    own > english || foreign.are_in(text.language) && own * 2 >= english
}

/// The same of a text that isn't English: a word may also mean what is its English.
pub(crate) fn translated_terms(text: &InEnglish, lexicon: &Lexicon, foreign: &ForeignNames) -> Vec<QueryTerm> {
    let mut query: Vec<QueryTerm> = Vec::new();
    for word in &text.words {
        if query.len() >= MOST_TERMS || query.iter().any(|known| known.word == word.asked) {
            continue;
        }
        let mut variants = variants_of(&word.asked, &words::singular(&word.asked), lexicon);
        let mut associated = Vec::new();
        for (english, worth) in word.english.iter().zip(worth::TRANSLATED) {
            let term = words::singular(english);
            for (number, close) in variants_of(english, &term, lexicon) {
                add(&mut variants, number, close * worth);
            }
            add_foreign(&mut variants, english, &term, worth, foreign);
            add_associated(&mut associated, english, &term, lexicon);
        }
        query.push(QueryTerm { word: word.asked.clone(), weight: 0.0, variants, associated });
    }
    query
}

/// How two words that follow each other may be written as one in a name: `zipcode`, `5yr` for five years.
fn written_together(front: &str, back: &str) -> Vec<String> {
    let mut joined = vec![words::singular(&format!("{front}{back}"))];
    let numeral = NUMERALS.iter().position(|numeral| *numeral == front).map(|place| (place + 1).to_string());
    let is_count = front.len() <= 2 && front.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(count) = numeral.or_else(|| is_count.then(|| front.to_owned())) {
        let back = words::singular(back);
        joined.extend(terms::short_forms(&back).map(|short| words::singular(&format!("{count}{short}"))));
        joined.push(words::singular(&format!("{count}{back}")));
    }
    joined
}

/// What the initials of words spell that follow each other, with the words: `acs` for an American community survey.
fn initials(words: &[String]) -> impl Iterator<Item = (String, &[String])> {
    INITIALS.flat_map(|length| words.windows(length)).filter_map(|window| {
        let is_stop = |word: Option<&String>| word.is_none_or(|word| terms::is_stop_word(word));
        let is_name = !is_stop(window.first()) && !is_stop(window.last());
        let is_name = is_name && window.iter().all(|word| word.chars().all(char::is_alphabetic));
        is_name.then(|| (window.iter().filter_map(|word| word.chars().next()).collect(), window))
    })
}

/// Pairs and triples of words that follow each other with nothing but stop words between them. A long question
/// speaks of several tables, and each of them in a phrase or two.
pub(crate) fn phrases(text: &str) -> Vec<String> {
    let mut phrases: Vec<String> = Vec::new();
    for clause in text.split([',', ';', ':', '.', '?', '!', '(', ')', '\n']) {
        let words: Vec<String> = words::in_text(clause).into_iter().filter(|word| !terms::is_stop_word(word)).collect();
        let lengths = if words.len() == 1 { 1..=1 } else { 2..=3 };
        for length in lengths {
            for window in words.windows(length) {
                let phrase = window.join(" ");
                if phrases.len() < MOST_PHRASES && !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
            }
        }
    }
    phrases
}

fn variants_of(word: &str, term: &str, lexicon: &Lexicon) -> Vec<(u32, f32)> {
    let mut variants = Vec::new();
    if let Some(number) = lexicon.number(term) {
        add(&mut variants, number, 1.0);
    }
    for other in terms::short_forms(term).chain(terms::long_forms(word)) {
        if let Some(number) = lexicon.number(other) {
            add(&mut variants, number, worth::ABBREVIATION);
        }
    }
    if term.chars().any(char::is_numeric) || !term.is_ascii() || term.len() < 4 {
        return variants;
    }
    for number in lexicon.with_root(&terms::root(term)) {
        add(&mut variants, number, worth::ROOT);
    }
    for number in lexicon.skeletons_of(term) {
        add(&mut variants, number, worth::SKELETON);
    }
    if term.len() >= 5 {
        for (number, _) in lexicon.with_prefix(term, MOST_CONTINUATIONS) {
            add(&mut variants, number, worth::CONTINUATION);
        }
        // `dep`, `depart` … for `department`: databases cut words short.
        for length in 3..term.len() {
            if let Some(number) = lexicon.number(&term[..length]) {
                add(&mut variants, number, if length >= 5 { worth::CONTINUATION } else { worth::BEGINNING });
            }
        }
    }
    variants
}

/// Adds what databases call the word, of a place what kind of place it is; the first two are surer than the rest.
fn add_associated(associated: &mut Vec<(u32, f32)>, word: &str, term: &str, lexicon: &Lexicon) {
    if let Some(number) = words::place_kind(word).and_then(|kind| lexicon.number(kind)) {
        add(associated, number, worth::ASSOCIATED[0]);
    }
    for asked in [word, term].into_iter().take(if word == term { 1 } else { 2 }) {
        for (rank, other) in terms::associated(asked).iter().enumerate() {
            if let Some(number) = lexicon.number(&words::singular(other)) {
                add(associated, number, worth::ASSOCIATED[usize::from(rank > 1)]);
            }
        }
    }
}

/// Adds the names that say the word in their own language.
fn add_foreign(variants: &mut Vec<(u32, f32)>, word: &str, term: &str, share: f32, foreign: &ForeignNames) {
    let said = [word, term].into_iter().take(if word == term { 1 } else { 2 });
    said.flat_map(|word| foreign.saying(word)).for_each(|&(number, worth)| add(variants, number, worth * share));
}

fn add(variants: &mut Vec<(u32, f32)>, number: u32, worth: f32) {
    match variants.iter_mut().find(|(known, _)| *known == number) {
        Some((_, known)) => *known = known.max(worth),
        None => variants.push((number, worth)),
    }
}

#[cfg(test)]
mod tests {
    use super::{phrases, query_terms};
    use crate::foreign::ForeignNames;
    use crate::lexical::Lexicon;

    fn check(lexicon: &[&str], question: &str, word: &str, expected: &[(&str, f32)]) {
        let lexicon = Lexicon::from(lexicon.iter().map(|term| (*term).to_owned()).collect::<Vec<_>>());
        let terms = query_terms(question, &lexicon, &ForeignNames::default());
        let term = terms.iter().find(|term| term.word == word).unwrap_or_else(|| panic!("{word} in {terms:?}"));
        let mut expected: Vec<(u32, f32)> =
            expected.iter().map(|(form, worth)| (lexicon.number(form).expect("a known term"), *worth)).collect();
        expected.sort_by_key(|(number, _)| *number);
        let mut found = term.variants.clone();
        found.sort_by_key(|(number, _)| *number);
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn words_are_found_in_their_other_forms() {
        check(&["order"], "all Orders", "orders", &[("order", 1.0)]);
        check(&["department", "dept"], "each department", "department", &[("department", 1.0), ("dept", 0.7)]);
        check(&["zipcode"], "the zip code", "zip", &[("zipcode", 1.0)]);
        check(&["zipcode"], "the zip code", "code", &[("zipcode", 1.0)]);
        check(&["enrolment"], "who enrolled", "enrolled", &[("enrolment", 0.65)]);
        check(&["airportname"], "each airport", "airport", &[("airportname", 0.5)]);
        check(&["stu"], "the student", "student", &[("stu", 0.7)]);
        check(&["veh"], "each vehicles", "vehicles", &[("veh", 0.7)]);
        check(&["wdgt"], "each widget", "widget", &[("wdgt", 0.5)]);
        check(&["boat"], "each ship", "ship", &[]);
        check(&["acs"], "the American Community Survey", "survey", &[("acs", 0.7)]);
        check(&["dob"], "their date of birth", "birth", &[("dob", 0.7)]);
        check(&["tot"], "the date of the birth", "birth", &[]);
        check(&["so2"], "SO2 and others", "2", &[("so2", 1.0)]);
        check(&["5yr"], "the five-year survey", "year", &[("5yr", 1.0)]);
        check(&["5yr"], "5-year estimates", "5", &[("5yr", 1.0)]);
    }

    #[test]
    fn phrases_stay_within_their_clause() {
        assert_eq!(phrases("the list of open orders, by customer"), ["open orders", "customer"]);
        assert_eq!(
            phrases("late home insurance claims"),
            ["late home", "home insurance", "insurance claims", "late home insurance", "home insurance claims"]
        );
        assert!(phrases(&"one two three four ".repeat(90)).len() <= super::MOST_PHRASES);
    }

    #[test]
    fn repeated_words_count_once_and_long_texts_are_cut() {
        let lexicon = Lexicon::default();
        assert_eq!(query_terms("orders, orders and an order", &lexicon, &ForeignNames::default()).len(), 1);
        let long: String = (0..500).map(|number| format!("word{number} ")).collect();
        assert!(query_terms(&long, &lexicon, &ForeignNames::default()).len() <= super::MOST_TERMS + 1);
    }
}
