//! Words that were written together: `contentnode`, `stocktransferline`.
//!
//! Frameworks name tables after classes and leave out where their words end. Such a name is taken apart where it is no word
//! itself and all of its parts are: words that people or names of databases use.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::vocabulary::ASSOCIATIONS;

/// Letters of a word that is taken apart, and of its parts, at least.
const SHORTEST: usize = 7;
const SHORTEST_PART: usize = 3;
/// Letters of a part, at most.
const LONGEST_PART: usize = 16;
/// Words that others begin or end with, rather than being made of them: `override`, `partnership`.
const BEGINNINGS: [&str; 12] =
    ["back", "down", "fore", "inter", "mis", "non", "off", "out", "over", "pre", "sub", "under"];
const ENDINGS: [&str; 8] = ["able", "age", "ate", "hood", "less", "man", "men", "ship"];

/// Words that names are made of.
static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let said = ASSOCIATIONS.iter().flat_map(|(asked, words)| asked.split(' ').chain(words.iter().copied()));
    let long = words::abbreviations().iter().flat_map(|known| known.terms.iter().copied());
    said.chain(long).filter(|word| word.len() >= SHORTEST_PART).collect()
});

/// Words taken apart, each once.
#[derive(Default)]
pub(crate) struct Compounds {
    apart: RefCell<HashMap<String, Vec<String>>>,
}

impl Compounds {
    /// The words that a word of a name consists of; itself, mostly.
    pub(crate) fn parts(&self, word: String) -> Vec<String> {
        if word.len() < SHORTEST || !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
            return vec![word];
        }
        if let Some(parts) = self.apart.borrow().get(&word) {
            return parts.clone();
        }
        let parts = apart(&word).into_iter().map(str::to_owned).collect::<Vec<_>>();
        self.apart.borrow_mut().insert(word, parts.clone());
        parts
    }
}

fn is_known(word: &str) -> bool {
    KNOWN.contains(word) || words::is_english(word) || KNOWN.contains(words::singular(word).as_str())
}

/// The fewest known words that it consists of; of equally many, those of which the last is longest.
fn apart(word: &str) -> Vec<&str> {
    if is_known(word) {
        return vec![word];
    }
    // The best way to each place of the word: how many parts, and where its last part begins.
    let mut ways: Vec<Option<(usize, usize)>> = vec![None; word.len() + 1];
    ways[0] = Some((0, 0));
    for end in SHORTEST_PART..=word.len() {
        let way = |start: usize| {
            let (count, _) = ways[start]?;
            let part = &word[start..end];
            let is_affix = start == 0 && BEGINNINGS.contains(&part) || end == word.len() && ENDINGS.contains(&part);
            (!is_affix && is_known(part)).then_some((count + 1, start))
        };
        ways[end] = (end.saturating_sub(LONGEST_PART)..=end - SHORTEST_PART).filter_map(way).min();
    }
    if ways[word.len()].is_none() {
        return vec![word];
    }
    let mut parts = Vec::new();
    let mut end = word.len();
    while let Some((_, start)) = ways[end].filter(|_| end > 0) {
        parts.push(&word[start..end]);
        end = start;
    }
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::Compounds;

    #[test]
    fn words_that_were_written_together_come_apart_and_others_stay() {
        for (word, expected) in [
            ("contentnode", "content node"),
            ("stocktransferline", "stock transfer line"),
            ("usergroups", "user groups"),
            ("partnership", "partnership"),
            ("override", "override"),
            ("warehouse", "warehouse"),
            ("customer", "customer"),
            ("xyzzyfoo", "xyzzyfoo"),
            ("usrgrp", "usrgrp"),
            ("größenklasse", "größenklasse"),
        ] {
            assert_eq!(Compounds::default().parts(word.to_owned()).join(" "), expected, "{word}");
        }
    }
}
