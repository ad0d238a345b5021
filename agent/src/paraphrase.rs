//! Whether two questions ask the same in other words.
//!
//! What makes the answer another one is read off each and has to agree: periods, numbers, negations, which end of an order is
//! wanted, comparisons, what is computed, by what time it is grouped. What is left are words. Where each has its like in the
//! other question, both ask the same. Vectors can't tell a synonym from a sibling (a carrier is as near to a warehouse as to a
//! shipping company), so they only say that questions may ask the same; and not where each question has a word of the
//! database of its own.

use std::collections::BTreeSet;

use llm::Embedder as _;
use words::StopWords;

mod marks;
mod period;

use marks::{COMPARING, DATING, MARKING, Mark, NOT_DENIED, NUMBER_WORDS, PHRASES, SAYS_NOTHING};

/// Stands in the place of a period.
const PERIOD: &str = "§";

/// From this cosine on two words may stand for each other.
const SYNONYMOUS: f32 = 0.45;
/// From this mean on, of how well the words of each question are met in the other and how near the questions are as a whole,
/// they may ask the same.
const ALIKE: f32 = 0.55;

/// What a question asks, as far as it can be compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// In their order: who ordered in 2024 and not in 2025 isn't who ordered in 2025 and not in 2024.
    periods: Vec<String>,
    numbers: BTreeSet<String>,
    marks: BTreeSet<Mark>,
    /// The words that are left.
    words: Vec<Word>,
    vector: Vec<f32>,
}

#[derive(Clone, Debug)]
struct Word {
    stem: String,
    /// Written like a name: with a capital or a digit within a sentence.
    is_name: bool,
    vector: Vec<f32>,
}

/// How near two questions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Nearness {
    /// They ask the same.
    Same,
    /// They ask the same, unless the order of their words makes a difference.
    Reordered,
    /// They may: what decides agrees, and most words have a counterpart.
    Alike,
    /// They ask for something else.
    Other,
}

/// A word or a sign of a question.
struct Token {
    lower: String,
    is_name: bool,
}

impl Asked {
    /// What a question asks.
    pub(crate) fn of(question: &str) -> Self {
        let (periods, rest) = period::taken_from(question, PERIOD);
        let mut asked = Self { periods, ..Self::default() };
        let mut tokens = tokens(&rest);
        for (phrase, mark) in PHRASES {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            let is_it = |window: &[Token]| window.iter().zip(&phrase).all(|(token, word)| token.lower == *word);
            while let Some(at) = tokens.windows(phrase.len()).position(is_it) {
                tokens.drain(at..at + phrase.len());
                asked.marks.extend(*mark);
            }
        }
        asked.take_comparisons(&mut tokens);
        tokens.into_iter().for_each(|token| asked.take(token));
        let texts: Vec<&str> = asked.words.iter().map(|word| word.stem.as_str()).chain([question]).collect();
        // `How many hours does it take on average` counts nothing.
        if asked.marks.contains(&Mark::Average) {
            asked.marks.remove(&Mark::Count);
        }
        // The embedder in the binary doesn't fail.
        let mut vectors = llm::static_embedder().embed(&texts).unwrap_or_default();
        asked.vector = vectors.pop().unwrap_or_default();
        for (word, vector) in asked.words.iter_mut().zip(vectors) {
            word.vector = vector;
        }
        asked
    }

    /// Takes out what compares: with what stands behind `than`, or with a period.
    fn take_comparisons(&mut self, tokens: &mut Vec<Token>) {
        let marked = |words: &[(&str, Mark)], token: &Token| {
            words.iter().find(|(word, _)| *word == token.lower).map(|(_, mark)| *mark)
        };
        if let Some(than) = tokens.iter().rposition(|token| token.lower == "than")
            && let Some((at, mark)) =
                tokens[..than].iter().enumerate().rev().find_map(|(at, token)| Some((at, marked(COMPARING, token)?)))
        {
            self.marks.insert(mark);
            tokens.remove(at);
        }
        if tokens.windows(2).any(|pair| pair[0].lower == "by" && pair[1].is_name) {
            self.marks.insert(Mark::ByName);
        }
        for pair in tokens.windows(2).filter(|pair| pair[1].lower == PERIOD) {
            self.marks.extend(marked(DATING, &pair[0]));
        }
        // `->` leads somewhere, and compares nothing.
        let compares =
            |at: usize| tokens.get(at + 1).is_some_and(|next| next.lower.starts_with(|it: char| it.is_ascii_digit()));
        let signs: Vec<bool> =
            (0..tokens.len()).map(|at| tokens[at].lower.contains(['>', '<']) && !compares(at)).collect();
        let mut signs = signs.into_iter();
        tokens.retain(|token| !signs.next().unwrap_or(false) && token.lower != PERIOD);
    }

    fn take(&mut self, token: Token) {
        let Token { lower, is_name } = token;
        let sign = match lower.as_str() {
            ">" => Some(Mark::More),
            "<" => Some(Mark::Less),
            ">=" | "≥" => Some(Mark::AtLeast),
            "<=" | "≤" => Some(Mark::AtMost),
            "%" => Some(Mark::Share),
            "#" => Some(Mark::Count),
            word if word.ends_with("n't") => Some(Mark::Negation),
            _ => None,
        };
        if let Some(mark) = sign {
            self.marks.insert(mark);
            return;
        }
        let stem = words::singular(&lower);
        if let Some((_, mark)) = MARKING.iter().find(|(word, _)| *word == lower || *word == stem) {
            self.marks.insert(*mark);
            return;
        }
        if let Some((_, number)) = NUMBER_WORDS.iter().find(|(word, _)| *word == lower) {
            self.numbers.insert((*number).to_owned());
            return;
        }
        if lower.starts_with(|it: char| it.is_ascii_digit()) {
            self.numbers.insert(number(&lower));
            return;
        }
        if lower.contains('.')
            || StopWords::Content.contains(&lower)
            || SAYS_NOTHING.contains(&lower.as_str())
            || lower.chars().count() < 2
        {
            return;
        }
        let denied = lower.strip_prefix("un").or_else(|| lower.strip_prefix("non"));
        let stem = match denied.filter(|rest| rest.len() >= 4 && !NOT_DENIED.contains(&lower.as_str())) {
            Some(rest) => {
                self.marks.insert(Mark::Negation);
                words::singular(rest)
            }
            None => stem,
        };
        if !self.words.iter().any(|word| word.stem == stem) {
            self.words.push(Word { stem, is_name, vector: Vec::new() });
        }
    }

    /// How near this question is to `other`; `is_of_database` says whether a word is one that tables, columns or values are
    /// called by.
    pub(crate) fn nearness(&self, other: &Self, is_of_database: &dyn Fn(&str) -> bool) -> Nearness {
        if self.periods != other.periods || self.numbers != other.numbers || self.marks != other.marks {
            return Nearness::Other;
        }
        let (here, there) = (self.unmet_in(other), other.unmet_in(self));
        if here.is_empty() && there.is_empty() {
            return if self.is_in_order_of(other) { Nearness::Same } else { Nearness::Reordered };
        }
        let decides = |word: &&Word| word.is_name || is_of_database(&word.stem);
        let (decides_here, decides_there) = (here.iter().any(decides), there.iter().any(decides));
        if decides_here && decides_there || here.iter().chain(&there).any(|word| word.is_name) {
            return Nearness::Other;
        }
        let met = self.met_in(other).min(other.met_in(self));
        match (met + dot(&self.vector, &other.vector)) / 2.0 {
            score if score >= ALIKE => Nearness::Alike,
            _ => Nearness::Other,
        }
    }

    /// Whether its words stand in the order of those of another question, which has a like for each.
    fn is_in_order_of(&self, other: &Self) -> bool {
        let place = |word: &Word| other.words.iter().position(|it| is_alike(&it.stem, &word.stem));
        self.words.iter().map(place).is_sorted()
    }

    /// The words that have no like in another question.
    fn unmet_in(&self, other: &Self) -> Vec<&Word> {
        let is_met = |word: &&Word| other.words.iter().any(|it| is_alike(&it.stem, &word.stem));
        self.words.iter().filter(|word| !is_met(word)).collect()
    }

    /// How well the words of this question are met by those of another, 0 to 1.
    fn met_in(&self, other: &Self) -> f32 {
        let met = |word: &Word| {
            let nearest = other.words.iter().map(|it| match is_alike(&it.stem, &word.stem) {
                true => 1.0,
                false => dot(&it.vector, &word.vector),
            });
            Some(nearest.fold(0.0, f32::max)).filter(|nearest| *nearest >= SYNONYMOUS).unwrap_or(0.0)
        };
        let sum: f32 = self.words.iter().map(met).sum();
        if self.words.is_empty() { 1.0 } else { sum / self.words.len() as f32 }
    }
}

/// Whether two words are forms of one, or names of one place.
fn is_alike(left: &str, right: &str) -> bool {
    left == right || is_same_root(left, right) || is_same_place(left, right)
}

/// Letters that forms of one word begin with, at least.
const SHORTEST_ROOT: usize = 4;
/// What forms of a word end with.
const ENDINGS: &[&str] = &[
    "", "al", "ation", "d", "e", "ed", "er", "ied", "ies", "ing", "ion", "lation", "led", "ler", "ling", "ment", "or",
    "ped", "per", "ping", "ption", "r", "ration", "red", "s", "y",
];

fn is_same_root(left: &str, right: &str) -> bool {
    let shared: usize =
        left.chars().zip(right.chars()).take_while(|(left, right)| left == right).map(|(it, _)| it.len_utf8()).sum();
    let is_form = |rest: &str| ENDINGS.contains(&rest);
    shared >= SHORTEST_ROOT && (is_form(&left[shared..]) && is_form(&right[shared..]))
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// `1,000` and `1000.0` are one number.
fn number(text: &str) -> String {
    let plain: String = text.chars().filter(|it| *it != ',').collect();
    let digits: String = plain.chars().take_while(|it| it.is_ascii_digit() || *it == '.').collect();
    let digits = digits.trim_end_matches('.');
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    match &plain[digits.len().min(plain.len())..] {
        "k" => format!("{digits}000"),
        _ => digits.to_owned(),
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut begins_sentence = true;
    let text = text.replace(['’', '`'], "'");
    for written in text.split_whitespace().flat_map(|word| word.split(['-', '–', '/', '(', ')', '"', '+'])) {
        let ends_sentence = written.ends_with(['.', '?', '!', ':', ';']);
        let word = written.trim_matches(['.', ',', '?', '!', ':', ';', '\'']);
        let word = word.strip_suffix("'s").unwrap_or(word);
        let signs_end = word.find(|it: char| !['>', '<', '=', '#', '≥', '≤'].contains(&it)).unwrap_or(word.len());
        let (signs, word) = word.split_at(signs_end);
        let (word, percent) = word.strip_suffix('%').map_or((word, ""), |word| (word, "%"));
        let has_digit = word.chars().any(|it| it.is_ascii_digit());
        let is_number = word.chars().all(|it| it.is_ascii_digit() || [',', '.'].contains(&it));
        let is_name = !is_number && (has_digit || word.starts_with(char::is_uppercase) && !begins_sentence);
        for part in [signs, word, percent].into_iter().filter(|part| !part.is_empty()) {
            tokens.push(Token { lower: part.to_lowercase(), is_name: is_name && part == word });
            begins_sentence = false;
        }
        begins_sentence |= ends_sentence;
    }
    tokens
}

fn is_same_place(left: &str, right: &str) -> bool {
    let has = |forms: &words::PlaceForms, word: &str| {
        forms.written.iter().any(|form| form.eq_ignore_ascii_case(word)) || forms.said.contains(&word)
    };
    words::places().iter().any(|forms| has(forms, left) && has(forms, right))
}

#[cfg(test)]
mod tests {
    use super::{Asked, Nearness};

    fn nearness(left: &str, right: &str) -> Nearness {
        let of_database = ["order", "customer", "product", "warehouse", "carrier", "parcel", "review", "published"];
        Asked::of(left).nearness(&Asked::of(right), &|word| of_database.contains(&word))
    }

    #[test]
    fn other_words_for_the_same_question() {
        for (left, right) in [
            ("How many orders did we get in 2021?", "What was our order count for 2021?"),
            ("How many orders were placed from Germany in 2025?", "Orders placed from Germany in '25: how many?"),
            ("Orders of more than 1,000 dollars in H1 2026", "Orders > 1000 dollars, Jan-Jun 2026"),
            ("Which customers never ordered?", "List all customers without any orders, please."),
            ("Which products are unpaid?", "Which products are not paid"),
        ] {
            assert_eq!(nearness(left, right), Nearness::Same, "{left} / {right}");
        }
    }

    #[test]
    fn the_same_words_in_another_order() {
        for (left, right) in [
            ("How many orders were placed from Germany in 2025?", "German orders placed in '25: how many?"),
            ("What percentage of all orders in December 2025 were gifts?", "gift order % december 2025"),
            ("Club customers referred by consumer customers", "Consumer customers referred by club customers"),
        ] {
            assert_eq!(nearness(left, right), Nearness::Reordered, "{left} / {right}");
        }
    }

    #[test]
    fn other_questions_in_the_same_words() {
        for (left, right) in [
            ("How many orders did we get in 2021?", "How many orders did we get in 2022?"),
            ("How many orders from Germany?", "How many orders from France?"),
            ("Who ordered in 2024 but not in 2025?", "Who ordered in 2025 but not in 2024?"),
            ("Which products sold most?", "Which products sold least?"),
            ("Average order value in 2025", "Total order value in 2025"),
            ("Which suppliers need more than 40 days?", "Which suppliers need less than 40 days?"),
            ("Which suppliers need more than 40 days?", "Which suppliers need at least 40 days?"),
            ("Products with stock below the reorder point", "Products with stock at or below the reorder point"),
            ("Orders per month in 2025", "Orders per week in 2025"),
            ("Which products were reviewed?", "Which products were not reviewed?"),
            ("Which products were reviewed?", "How many products were reviewed?"),
            ("Delivery time for each carrier", "Delivery time for each warehouse"),
            ("Targets of each unit", "Targets of all units together"),
            ("How many orders of the top 5 customers", "How many orders of the top 10 customers"),
            ("Parcels sent before 2025", "Parcels sent after 2025"),
            ("What was the revenue in 2025?", "What was the revenue up to 2025?"),
            ("What was the revenue in 2025?", "What was the revenue through 2025?"),
            ("What was the revenue in 2025?", "What was the revenue as of 2025?"),
            ("What was the revenue in 2025?", "When was the revenue in 2025?"),
            ("Who are the three busiest clinicians?", "Where are the three busiest clinicians?"),
            ("How many patients do we have?", "How many patients should we have?"),
            ("How many patients do we have?", "How often do we have patients?"),
            ("Which customers were referred by user_12?", "Which customer referred user_12?"),
        ] {
            assert_eq!(nearness(left, right), Nearness::Other, "{left} / {right}");
        }
    }

    #[test]
    fn questions_that_may_be_the_same() {
        for (left, right) in [
            ("How many orders did we get in 2021?", "How many cancelled orders did we get in 2021?"),
            ("average star rating of published reviews", "mean rating, published reviews only"),
        ] {
            assert_eq!(nearness(left, right), Nearness::Alike, "{left} / {right}");
        }
    }
}
