//! Places in a statement's text, as byte offsets.
//!
//! sqlparser counts lines and characters; people's editors and our rewrites need bytes of the text as it was given, so
//! the translation is made once, here.
//!
//! Invariant: a [`Span`] that [`Lines`] makes lies inside the text and on character boundaries.

use serde::{Deserialize, Serialize};
use sqlparser::tokenizer;

/// A part of the statement's text: bytes `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The text of the span, or nothing where it doesn't fit the text.
    pub fn text<'a>(&self, sql: &'a str) -> &'a str {
        sql.get(self.start..self.end).unwrap_or_default()
    }
}

/// Translates line and column into byte offsets.
pub(crate) struct Lines<'a> {
    sql: &'a str,
    starts: Vec<usize>,
    /// Where each character begins, and how many characters stand before each line; empty for ASCII.
    characters: Vec<u32>,
    before: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(sql: &'a str) -> Self {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(sql.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(position, _)| position + 1))
            .collect();
        if sql.is_ascii() {
            return Self { sql, starts, characters: Vec::new(), before: Vec::new() };
        }
        let characters: Vec<u32> =
            sql.char_indices().map(|(position, _)| u32::try_from(position).unwrap_or(u32::MAX)).collect();
        let before = starts.iter().map(|&start| characters.partition_point(|&at| (at as usize) < start)).collect();
        Self { sql, starts, characters, before }
    }

    /// The span in bytes; `None` for sqlparser's empty span, which stands for "unknown".
    pub(crate) fn span(&self, span: tokenizer::Span) -> Option<Span> {
        let start = self.offset(span.start)?;
        let end = self.offset(span.end)?;
        (start <= end).then_some(Span { start, end })
    }

    /// The byte offset of a location; lines and columns count from 1.
    pub(crate) fn offset(&self, location: tokenizer::Location) -> Option<usize> {
        let line = usize::try_from(location.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(location.column).ok()?.checked_sub(1)?;
        let start = *self.starts.get(line)?;
        if self.characters.is_empty() {
            return Some((start + column).min(self.sql.len()));
        }
        let before = *self.before.get(line)?;
        Some(self.characters.get(before + column).map_or(self.sql.len(), |&position| position as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Span};
    use sqlparser::tokenizer::{Location, Span as TokenSpan};

    #[test]
    fn columns_count_characters_and_spans_count_bytes() {
        let sql = "SELECT 'é',\n  name";
        let lines = Lines::of(sql);
        let at = |line, column| Location { line, column };
        assert_eq!(lines.offset(at(1, 8)), Some(7));
        assert_eq!(lines.offset(at(1, 11)), Some(11));
        let name = lines.span(TokenSpan { start: at(2, 3), end: at(2, 7) });
        assert_eq!(name, Some(Span { start: 15, end: 19 }));
        assert_eq!(name.map(|span| span.text(sql)), Some("name"));
        assert_eq!(lines.span(TokenSpan::empty()), None);
    }
}
