//! The value index: which column holds what a question names, and how it is spelt there.
//!
//! Values are looked up by their words (case and plural endings aside), by other common names (`United States` for
//! `US`), and with one letter off. Only values that a profile holds can be found: columns that were masked have none.

use std::collections::HashMap;

use crate::arrays::{Array, Lists, Texts};
use crate::family::UnitNumber;
use crate::file::stored;
use crate::merge::{GONE, MergedTexts, Renumbering, merge, merge_keyed};
use crate::pieces::{Pair, Piece};
use crate::synonyms::other_forms;
use crate::terms;
use catalog::TableId;
use words::Language;

/// Words a value has at most to be found; longer ones are prose.
const LONGEST_VALUE: usize = 8;
/// Places of one value that are kept; more say nothing about which table is meant.
const MOST_PLACES: usize = 200;
/// Letters a word must have for a spelling mistake to be forgiven.
const SHORTEST_MISSPELT: usize = 5;
/// Values compared letter by letter for one misspelt word, at most.
const MOST_COMPARED: usize = 2_000;

/// A value of the data that the question names.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueMatch {
    /// The table; of a family, the member that stands for all.
    pub table: TableId,
    /// The table's unit.
    pub unit: UnitNumber,
    /// The column of that table.
    pub column: String,
    /// As it is stored: `US`.
    pub stored: String,
    /// As the question says it: `United States`.
    pub asked: String,
    /// How they were found to be the same.
    pub kind: MatchKind,
    /// How sure it is that the question means this value, 0 to 1: long, rare and quoted values are surer than short,
    /// common and lower-case ones.
    pub strength: f32,
}

/// How a value was matched, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKind {
    /// Letter for letter.
    Exact,
    /// In another case.
    CaseFolded,
    /// In another grammatical form: `cats` for `cat`.
    Inflected,
    /// By a code or a common other name: `United States` for `US`.
    Synonym,
    /// With one letter off.
    Fuzzy,
}

impl MatchKind {
    /// How far such a match can be trusted, whatever the value is.
    fn trust(self) -> f32 {
        match self {
            Self::Exact => 1.0,
            Self::CaseFolded => 0.85,
            Self::Inflected => 0.6,
            Self::Synonym => 0.7,
            Self::Fuzzy => 0.5,
        }
    }
}

/// A column that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub(crate) unit: u32,
    /// Position among the unit's columns.
    pub(crate) column: u32,
    /// Whether the column holds short codes only, so that a synonym of one or two letters may mean it.
    pub(crate) codes: bool,
}

/// A place as the index stores it.
type StoredPlace = [u32; 3];

impl ValuePlace {
    fn kept(self) -> StoredPlace {
        [self.unit, self.column, u32::from(self.codes)]
    }

    fn of([unit, column, codes]: StoredPlace) -> Self {
        Self { unit, column, codes: codes != 0 }
    }
}

#[derive(Debug, Default)]
pub(crate) struct ValueIndex {
    /// Values in the spelling they are stored in.
    values: Texts,
    /// Where each of them stands.
    places: Lists<StoredPlace>,
    /// Their folded forms, sorted, and the value of each.
    folded: Texts,
    folded_of: Array<u32>,
}

stored!(ValueIndex { values, places, folded, folded_of });

/// A word of the question with where it stands.
struct QuestionToken<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    quoted: bool,
}

/// A value that was found, before it is turned into names.
#[derive(Debug)]
pub(crate) struct FoundValue<'a> {
    pub(crate) stored: &'a str,
    pub(crate) asked: &'a str,
    pub(crate) kind: MatchKind,
    pub(crate) strength: f32,
    pub(crate) place: ValuePlace,
}

/// Collects values column by column.
#[derive(Debug, Default)]
pub(crate) struct ValueIndexBuilder {
    numbers: HashMap<String, u32>,
    values: Vec<(String, Vec<ValuePlace>)>,
}

impl ValueIndexBuilder {
    pub(crate) fn add_column<'v>(&mut self, unit: u32, column: u32, values: impl Iterator<Item = &'v str> + Clone) {
        let codes = values.clone().all(|value| value.chars().count() <= 3);
        let place = ValuePlace { unit, column, codes };
        for value in values.filter(|value| is_worth_finding(value)) {
            let number = *self.numbers.entry(value.to_owned()).or_insert_with(|| {
                self.values.push((value.to_owned(), Vec::new()));
                self.values.len() as u32 - 1
            });
            let places = &mut self.values[number as usize].1;
            if places.len() < MOST_PLACES && places.last() != Some(&place) {
                places.push(place);
            }
        }
    }

    pub(crate) fn finish(mut self) -> ValueIndex {
        // Sorted, so that two indexes' values can be merged.
        self.values.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut folded: Vec<(String, u32)> =
            self.values.iter().zip(0..).map(|((value, _), number)| (fold(value), number)).collect();
        folded.sort_unstable();
        ValueIndex {
            folded_of: folded.iter().map(|(_, number)| *number).collect::<Vec<_>>().into(),
            folded: folded.iter().map(|(form, _)| form).collect(),
            places: self
                .values
                .iter()
                .map(|(_, places)| places.iter().map(|place| place.kept()).collect::<Vec<_>>())
                .collect(),
            values: self.values.iter().map(|(value, _)| value).collect(),
        }
    }
}

fn is_worth_finding(value: &str) -> bool {
    if value.len() > 120 || value.split_whitespace().count() > LONGEST_VALUE {
        return false;
    }
    let letters = value.chars().filter(|character| character.is_alphabetic()).count();
    let digits = value.chars().filter(char::is_ascii_digit).count();
    letters > 0 || digits >= 3
}

/// The words of a value in lower case and without plural endings, one space between them.
fn fold(value: &str) -> String {
    let words: Vec<String> = tokens_of(value).iter().map(|token| words::singular(&token.text.to_lowercase())).collect();
    words.join(" ")
}

fn tokens_of(text: &str) -> Vec<QuestionToken<'_>> {
    let mut tokens = Vec::new();
    let mut start = None;
    let mut open_quote: Option<char> = None;
    let mut previous = ' ';
    for (position, character) in text.char_indices().chain([(text.len(), ' ')]) {
        // Languages without spaces put names of other scripts right beside their words.
        let changes_script = start.is_some() && is_unspaced(character) != is_unspaced(previous);
        if character.is_alphanumeric() && !changes_script {
            start.get_or_insert(position);
            previous = character;
            continue;
        }
        if let Some(first) = start.take() {
            tokens.push(QuestionToken {
                text: &text[first..position],
                start: first,
                end: position,
                quoted: open_quote.is_some(),
            });
        }
        if character.is_alphanumeric() {
            start = Some(position);
            previous = character;
            continue;
        }
        let next_is_word = text[position..].chars().nth(1).is_some_and(char::is_alphanumeric);
        let closing = match character {
            '“' => '”',
            '‘' => '’',
            other => other,
        };
        if open_quote == Some(character) {
            // An apostrophe inside a word doesn't close a quotation.
            if !(character == '\'' && next_is_word && previous.is_alphanumeric()) {
                open_quote = None;
            }
        } else if matches!(character, '"' | '\'' | '“' | '‘' | '`')
            && open_quote.is_none()
            && next_is_word
            && !previous.is_alphanumeric()
        {
            open_quote = Some(closing);
        }
        previous = character;
    }
    tokens
}

/// Whether a letter is of a script that is written without spaces.
fn is_unspaced(letter: char) -> bool {
    ('\u{3040}'..='\u{30ff}').contains(&letter) || ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

impl ValueIndex {
    pub(crate) fn is_sound(&self, column_counts: &[usize]) -> bool {
        let is_column = |place: &StoredPlace| {
            let place = ValuePlace::of(*place);
            column_counts.get(place.unit as usize).is_some_and(|&columns| (place.column as usize) < columns)
        };
        self.places.values().iter().all(is_column)
            && self.folded_of.iter().all(|&value| (value as usize) < self.values.len())
    }

    /// The values of both in those units. Of a value with more places than are kept, those that were left out stay out.
    pub(crate) fn merged(sides: Pair<&Self>, units: &Renumbering) -> Self {
        let new_places = |Piece { side, number }: Piece| {
            let places = sides[side].places.get(number).iter();
            places
                .map(move |&[unit, column, codes]| [units[side][unit as usize], column, codes])
                .filter(|place| place[0] != GONE)
        };
        let is_kept = |piece: Piece| new_places(piece).next().is_some();
        let MergedTexts { texts, numbers, before } = merge(sides.map(|index| &index.values), is_kept);
        let places_of = |pair: &Pair<u32>| {
            let known = pair.iter().enumerate().filter(|(_, number)| **number != GONE);
            let mut places: Vec<StoredPlace> =
                known.flat_map(|(side, &number)| new_places(Piece { side, number: number as usize })).collect();
            places.sort_unstable();
            places.truncate(MOST_PLACES);
            places
        };
        let folded_of: Pair<&[u32]> = sides.map(|index| &*index.folded_of);
        let (folded, folded_of) = merge_keyed(sides.map(|index| &index.folded), folded_of, &numbers);
        Self { values: texts, places: before.iter().map(places_of).collect(), folded, folded_of }
    }

    /// Values that the text names. `is_schema_word` says whether a folded word also names tables or columns, which makes
    /// it less likely to be meant as a value.
    /// `language` is what [`Language::of`] says of the text.
    pub(crate) fn find<'a>(
        &'a self,
        text: &'a str,
        language: Option<Language>,
        is_schema_word: &dyn Fn(&str) -> bool,
    ) -> Vec<FoundValue<'a>> {
        let known = KnownWords { language, is_schema_word };
        let tokens = tokens_of(text);
        let words: Vec<String> = tokens.iter().map(|token| words::singular(&token.text.to_lowercase())).collect();
        let mut covered = vec![false; tokens.len()];
        let mut found = Vec::new();
        for length in (1..=LONGEST_VALUE.min(tokens.len())).rev() {
            for start in 0..=tokens.len() - length {
                let span = start..start + length;
                if covered[span.clone()].iter().all(|&covered| covered) {
                    continue;
                }
                let asked = &text[tokens[start].start..tokens[span.end - 1].end];
                let before = found.len();
                self.find_span(&words[span.clone()], &tokens[span.clone()], asked, &known, &mut found);
                if found.len() > before && length > 1 {
                    covered[span].fill(true);
                }
            }
        }
        found
    }

    fn find_span<'a>(
        &'a self,
        words: &[String],
        tokens: &[QuestionToken<'_>],
        asked: &'a str,
        known: &KnownWords<'_>,
        found: &mut Vec<FoundValue<'a>>,
    ) {
        let folded = words.join(" ");
        let sure = certainty(words, tokens, known);
        if sure <= 0.0 {
            return;
        }
        let lower = asked.to_lowercase();
        let before = found.len();
        for value in self.with_fold(&folded) {
            let stored = self.values.get(value);
            let kind = if stored == asked {
                MatchKind::Exact
            } else if stored.to_lowercase() == lower {
                MatchKind::CaseFolded
            } else {
                MatchKind::Inflected
            };
            self.push_places(value, asked, kind, sure, |_| true, found);
        }
        let joined = tokens.iter().map(|token| token.text.to_lowercase()).collect::<Vec<_>>().join(" ");
        for form in other_forms(&joined) {
            let short = form.len() <= 3;
            let is_form = |value: &usize| self.values.get(*value).eq_ignore_ascii_case(form);
            for value in self.with_fold(&fold(form)).filter(is_form) {
                self.push_places(value, asked, MatchKind::Synonym, sure, |place| !short || place.codes, found);
            }
        }
        let misspelt = found.len() == before && words.len() == 1 && looks_like_name(&tokens[0]);
        if misspelt && folded.chars().count() >= SHORTEST_MISSPELT {
            for value in self.with_one_letter_off(&folded) {
                self.push_places(value, asked, MatchKind::Fuzzy, sure, |_| true, found);
            }
        }
    }

    /// Numbers of the values of that folded form.
    fn with_fold(&self, folded: &str) -> impl Iterator<Item = usize> {
        let start = self.folded.partition_point(|known| known < folded);
        let same = (start..self.folded.len()).take_while(move |&place| self.folded.get(place) == folded);
        same.filter_map(|place| Some(*self.folded_of.get(place)? as usize))
    }

    fn with_one_letter_off(&self, folded: &str) -> impl Iterator<Item = usize> {
        // The first two letters are taken as right: it keeps the comparison to a small part of the list.
        let prefix: String = folded.chars().take(2).collect();
        let start = self.folded.partition_point(|known| known < prefix.as_str());
        (start..self.folded.len())
            .take(MOST_COMPARED)
            .take_while(move |&place| self.folded.get(place).starts_with(&prefix))
            .filter(move |&place| is_one_letter_off(self.folded.get(place), folded))
            .filter_map(|place| Some(*self.folded_of.get(place)? as usize))
    }

    fn push_places<'a>(
        &'a self,
        value: usize,
        asked: &'a str,
        kind: MatchKind,
        sure: f32,
        accepts: impl Fn(&ValuePlace) -> bool,
        found: &mut Vec<FoundValue<'a>>,
    ) {
        let (stored, places) = (self.values.get(value), self.places.get(value));
        // A value that stands in many places says little about each of them.
        let rarity = 1.0 / (1.0 + 0.3 * (places.len() as f32).ln());
        let strength = (kind.trust() * sure * rarity).clamp(0.0, 1.0);
        let places = places.iter().map(|&place| ValuePlace::of(place)).filter(accepts);
        found.extend(places.map(|place| FoundValue { stored, asked, kind, strength, place }));
    }
}

fn looks_like_name(token: &QuestionToken<'_>) -> bool {
    token.quoted || token.text.chars().next().is_some_and(char::is_uppercase)
}

/// What is known of words without the values.
struct KnownWords<'k> {
    /// Of the text; `None` for English.
    language: Option<Language>,
    is_schema_word: &'k dyn Fn(&str) -> bool,
}

impl KnownWords<'_> {
    /// Whether the word, in lower case, says nothing about what is asked.
    fn is_stop_word(&self, word: &str) -> bool {
        terms::is_stop_word(word) || self.language.is_some_and(|language| language.is_stop_word(word))
    }

    /// Whether the word, in lower case, is likelier the name of something than a value.
    fn is_name(&self, word: &str) -> bool {
        (self.is_schema_word)(word) || self.language.is_some_and(|language| !language.in_english(word).is_empty())
    }

    /// Whether a capital letter tells a name: German writes every noun with one.
    fn capitals_tell(&self) -> bool {
        self.language != Some(Language::German)
    }
}

/// How likely it is that these words are meant as a value at all.
fn certainty(words: &[String], tokens: &[QuestionToken<'_>], known: &KnownWords<'_>) -> f32 {
    let quoted = tokens.iter().all(|token| token.quoted);
    let has_capital = |token: &QuestionToken<'_>| {
        let tells = known.capitals_tell() || !known.is_name(&token.text.to_lowercase());
        tells && token.start > 0 && token.text.chars().any(char::is_uppercase)
    };
    let capital = tokens.iter().any(has_capital);
    if quoted {
        return 1.0;
    }
    if words.len() > 1 {
        let telling = tokens.iter().filter(|token| !known.is_stop_word(&token.text.to_lowercase())).count();
        return match (telling, capital) {
            (0, _) => 0.0,
            (_, true) => 1.0,
            (1, false) => 0.5,
            _ => 0.8,
        };
    }
    let token = &tokens[0];
    let all_capitals = token.text.len() > 1 && token.text.chars().all(char::is_uppercase);
    let number = token.text.chars().all(|character| character.is_ascii_digit());
    if number {
        return if token.text.len() >= 3 { 0.35 } else { 0.0 };
    }
    if all_capitals {
        return 0.9;
    }
    if known.is_stop_word(&token.text.to_lowercase()) || token.text.chars().count() < 2 {
        return 0.0;
    }
    match (capital, known.is_name(&words[0])) {
        (true, false) => 0.9,
        (true, true) => 0.5,
        (false, false) => 0.45,
        (false, true) => 0.15,
    }
}

/// Whether one letter changed, added, left out, or swapped with its neighbour makes one word of the other.
fn is_one_letter_off(left: &str, right: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let (short, long) = if left.len() <= right.len() { (&left, &right) } else { (&right, &left) };
    if long.len() - short.len() > 1 || left == right {
        return false;
    }
    let same = short.iter().zip(long.iter()).take_while(|(one, other)| one == other).count();
    if short.len() < long.len() {
        return short[same..] == long[same + 1..];
    }
    let changed = short[same + 1..] == long[same + 1..];
    let swapped = same + 1 < short.len()
        && short[same] == long[same + 1]
        && short[same + 1] == long[same]
        && short[same + 2..] == long[same + 2..];
    changed || swapped
}

#[cfg(test)]
mod tests;
