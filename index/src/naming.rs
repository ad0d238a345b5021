//! How one table's names are taken apart.
//!
//! Most names show where their words end. In systems whose names had to be short they don't: the customer master is `CUSMAS`, and
//! its columns are `CMCUST`, `CMNAME` and `CMBRN`. Such a table gives itself away by the letters that all its columns begin with.
//! What other names have written together is in [`crate::compounds`].

use std::cmp::Reverse;

use catalog::Table;

use crate::compounds::Compounds;
use crate::family::Unit;
use crate::terms::long_forms;

/// Letters of a piece of a glued word, at least and at most.
const PIECE: std::ops::RangeInclusive<usize> = 2..=5;
/// Letters that most pieces have.
const USUAL: usize = 3;
/// What a piece costs that is a known short form, one that isn't, and each letter that it differs by from a usual one.
const KNOWN: usize = 2;
const UNKNOWN: usize = 4;
const UNUSUAL: usize = 1;
/// What each further piece costs.
const CUT: usize = 1;

/// The conventions of one table.
pub(crate) struct Naming<'t> {
    prefix: Option<&'t str>,
    compounds: &'t Compounds,
}

impl<'t> Naming<'t> {
    pub(crate) fn of(table: &'t Table, compounds: &'t Compounds) -> Self {
        Self { prefix: table.column_prefix(), compounds }
    }

    /// The words of the name of the unit that the table is of.
    pub(crate) fn table_words(&self, unit: &Unit) -> Vec<String> {
        self.words(unit.name_words())
    }

    /// The words of a column's name, without what all of them begin with.
    pub(crate) fn column_words(&self, column: &str) -> Vec<String> {
        let bare = self.prefix.and_then(|prefix| column.strip_prefix(prefix)).unwrap_or(column);
        self.words(words::in_identifier(bare))
    }

    fn words(&self, words: Vec<String>) -> Vec<String> {
        match self.prefix {
            Some(_) => words.iter().flat_map(|word| pieces(word)).map(str::to_owned).collect(),
            None => words.into_iter().flat_map(|word| self.compounds.parts(word)).collect(),
        }
    }
}

/// The cheapest way to cut a word into pieces: known short forms before unknown ones, and those of three letters before others.
fn pieces(word: &str) -> Vec<&str> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return vec![word];
    }
    // The cheapest way to each place of the word: what it costs, and where its last piece begins.
    let mut ways: Vec<Option<(usize, usize)>> = vec![None; word.len() + 1];
    ways[0] = Some((0, 0));
    for end in 1..=word.len() {
        let way = |start: usize| {
            let (cost, _) = ways[start]?;
            let piece = &word[start..end];
            let whole = end - start == word.len();
            let is_piece = whole || PIECE.contains(&piece.len());
            let price = match long_forms(piece).next() {
                Some(_) => KNOWN,
                None => UNKNOWN + UNUSUAL * piece.len().abs_diff(USUAL),
            };
            is_piece.then_some((cost + price + CUT, start))
        };
        // Of equally cheap ways, the one with more pieces.
        ways[end] = (0..end).filter_map(way).min_by_key(|&(cost, start)| (cost, Reverse(start)));
    }
    let mut pieces = Vec::new();
    let mut end = word.len();
    while let Some((_, start)) = ways[end].filter(|_| end > 0) {
        pieces.push(&word[start..end]);
        end = start;
    }
    pieces.reverse();
    pieces
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn glued_words_are_cut_where_short_forms_meet() {
        for (word, expected) in [
            ("cusmas", "cus mas"),
            ("trnhst", "trn hst"),
            ("glmast", "gl mast"),
            ("xyzord", "xyz ord"),
            ("acct", "acct"),
            ("opdt", "opdt"),
            ("name", "name"),
            ("stat", "stat"),
            ("", ""),
            ("größe", "größe"),
        ] {
            assert_eq!(pieces(word).join(" "), expected, "{word}");
        }
    }
}
