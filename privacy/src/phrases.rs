//! Phrases of a name that mean something, the longest first, and what long words end with.
//!
//! Invariant: what a phrase means in its table is not decided here.

use crate::finding::PersonalKind;
use crate::folding::{key, key_of};
use crate::vocabulary::{Meaning, Strength, class, classes, meaning, written_out};

/// Words of the longest phrase: `fecha de nacimiento del` is three and one to spare.
const LONGEST_PHRASE: usize = 5;
/// Words of a name that mean something together.
#[derive(Debug)]
pub(crate) struct Phrase {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where in its only word it begins, for the end of a longer word.
    pub(crate) glued_from: Option<usize>,
    pub(crate) meaning: Meaning,
}

impl Phrase {
    pub(crate) fn text(&self, words: &[String]) -> String {
        match self.glued_from {
            Some(from) => words[self.start][from..].to_owned(),
            None => words[self.start..self.end].join("_"),
        }
    }
}

/// The phrases of a name, the longest first and the last first among these.
pub(crate) fn phrases(words: &[String]) -> Vec<Phrase> {
    let mut found = Vec::new();
    let mut joined = String::new();
    let most = words.len().min(LONGEST_PHRASE);
    for length in (1..=most).rev() {
        for start in (0..=words.len() - length).rev() {
            let end = start + length;
            if words[end - 1].bytes().all(|byte| byte.is_ascii_digit()) && length == 1 {
                continue;
            }
            key(&words[start..end], &mut joined);
            if let Some(meaning) = meaning(&joined) {
                found.push(Phrase { start, end, glued_from: None, meaning });
            }
        }
    }
    // A short word that is written out needs another beside it: `str` alone is a text, `sec` a second.
    if found.is_empty() && words.iter().any(|word| written_out(word).is_some()) {
        let long: Vec<String> =
            words.iter().map(|word| written_out(word).map_or_else(|| word.clone(), str::to_owned)).collect();
        for length in (1..=most).rev() {
            for start in (0..=words.len() - length).rev() {
                let end = start + length;
                if length == 1 && words[start].len() < 4 {
                    continue;
                }
                key(&long[start..end], &mut joined);
                if let Some(meaning) = meaning(&joined) {
                    found.push(Phrase { start, end, glued_from: None, meaning });
                }
            }
        }
    }
    if found.is_empty() {
        found.extend(words.iter().enumerate().rev().filter_map(|(place, word)| glued(place, word)));
    }
    found
}

/// What a long word ends with, as `Kundentelefonnummer` and `custphone` do.
fn glued(place: usize, word: &str) -> Option<Phrase> {
    /// An end of so many letters says enough, whatever stands before.
    const TELLING: usize = 8;
    if word.len() < 7 || !word.is_ascii() {
        return None;
    }
    (2..word.len() - 3).find_map(|from| {
        let meaning = meaning(&key_of(&word[from..]))?;
        let before = &word[..from];
        let stem = before.strip_suffix('s').filter(|stem| stem.len() >= 3).unwrap_or(before);
        let role = classes(before) | classes(stem);
        let elsewhere = class::GLUED_ELSEWHERE | class::MACHINES | class::THINGS | class::ORGANISATIONS | class::PLACES;
        let is_elsewhere = match meaning.kind {
            PersonalKind::Pay => role & class::OVER_MANY != 0,
            _ => role & elsewhere != 0 && role & class::PERSONS == 0,
        };
        // `rolname` and `subcode` don't end in `lname` and `bcode`.
        let somebody = role & (class::PERSONS | class::ABOUT) != 0;
        let known = somebody || before.len() >= 3 && role & class::NEUTRAL != 0;
        let long = word.len() - from >= TELLING;
        let sure = meaning.strength == Strength::Sure && (known || long);
        // `Kundenfoto` says whose it is.
        let of_person = meaning.strength == Strength::Person && role & class::PERSONS != 0 && word.len() - from >= 3;
        let says_enough = meaning.compound && !is_elsewhere && (sure || of_person);
        let meaning = Meaning { strength: Strength::Sure, ..meaning };
        says_enough.then_some(Phrase { start: place, end: place + 1, glued_from: Some(from), meaning })
    })
}
