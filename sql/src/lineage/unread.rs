//! What a statement is about that can't be parsed, as far as its words tell.

use std::collections::BTreeSet;

use catalog::TableId;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::{Script, StatementLineage, is_sql, unread};
use crate::parser::parser_of;
use crate::schema::{Schema, TableLookup};
use crate::span::Span;
use crate::statement::first_word;

/// Behind these stands the table that a statement is about.
const VERBS: [&str; 8] = ["INTO", "TABLE", "VIEW", "UPDATE", "INSERT", "REPLACE", "MERGE", "UNPIVOT"];
/// These can stand between a verb and a name.
const BETWEEN: [&str; 11] = [
    "IF",
    "NOT",
    "EXISTS",
    "ONLY",
    "IGNORE",
    "LOW_PRIORITY",
    "HIGH_PRIORITY",
    "DELAYED",
    "OVERWRITE",
    "TEMPORARY",
    "MATERIALIZED",
];
/// What a statement makes that others call.
const ROUTINES: [&str; 3] = ["FUNCTION", "PROCEDURE", "MACRO"];
/// One of these stands in a statement that takes rows from others.
const TAKING: [&str; 7] = ["SELECT", "FROM", "USING", "INSERT", "REPLACE", "MERGE", "UPDATE"];

/// A name of one or several parts.
struct Named {
    parts: Vec<String>,
    behind_a_verb: bool,
}

impl Script<'_> {
    /// A statement that can't be read. Which table it may fill, and what it names that may be one, its words tell.
    pub(super) fn unread(&self, tokens: &[TokenWithSpan], span: Span, problem: String) -> StatementLineage {
        let bodies: Vec<TokenWithSpan> = tokens.iter().flat_map(|token| self.words_of_a_body(token)).collect();
        let tokens = [tokens, &bodies].concat();
        let names = self.names(&tokens);
        let table = |named: &Named| -> Option<TableId> {
            let written: Vec<&str> = named.parts.iter().map(String::as_str).collect();
            let (name, qualifiers) = named.parts.split_last()?;
            let schema = (!qualifiers.is_empty()).then(|| qualifiers.join("."));
            match self.schema.resolve_table(&written) {
                TableLookup::Found(table) => Some(table.id.clone()),
                _ => Some(TableId { source: self.source.to_owned(), schema, name: name.clone() }),
            }
        };
        // MySQL names several tables before SET.
        let updates = tokens.iter().find(|token| matches!(token.token, Token::Word(_)));
        let updates = updates.is_some_and(|first| is_one_of(first, &["UPDATE"]));
        let before_set =
            names.iter().position(|named| matches!(named.parts.as_slice(), [set] if set.eq_ignore_ascii_case("set")));
        let is_about =
            |place: usize, named: &Named| named.behind_a_verb || updates && before_set.is_some_and(|set| place < set);
        let about = names.iter().enumerate().filter(|(place, named)| is_about(*place, named));
        let mut about: Vec<TableId> = about.filter_map(|(_, named)| table(named)).collect();
        about.dedup();
        let takes = tokens.iter().any(|token| is_one_of(token, &TAKING));
        // It is the same table in another schema.
        if let Some(moved) = moved(&names).and_then(|moved| table(&moved)) {
            return StatementLineage { may_fill: vec![moved], may_read: about, ..unread(span, problem) };
        }
        let read: BTreeSet<TableId> = names.iter().filter(|_| takes).filter_map(table).collect();
        StatementLineage {
            changed: about.first().cloned().into_iter().collect(),
            may_read: read.into_iter().collect(),
            may_fill: if takes { about } else { Vec::new() },
            ..unread(span, problem)
        }
    }

    /// What stands for what a routine reads.
    pub(super) fn routine(&self, name: &str) -> TableId {
        TableId { source: self.source.to_owned(), schema: None, name: format!("{}()", name.to_lowercase()) }
    }

    /// Notes which tables a statement names that makes a routine: whoever calls it may get any of these. Where its body isn't
    /// read statement by statement, it may write to them as well.
    pub(super) fn note_routine(&self, tokens: &[TokenWithSpan], body_is_read: bool, statement: &mut StatementLineage) {
        let words = || tokens.iter().filter(|token| matches!(token.token, Token::Word(_)));
        let creates = words().next().is_some_and(|first| is_one_of(first, &["CREATE"]));
        let Some(at) = tokens.iter().position(|token| is_one_of(token, &ROUTINES)).filter(|_| creates) else { return };
        if words().take(6).all(|token| !is_one_of(token, &ROUTINES)) {
            return;
        }
        let mut names = self.names(&tokens[at + 1..]).into_iter();
        let Some(name) = names.next().and_then(|named| named.parts.last().cloned()) else { return };
        let of_body = self.unread(tokens, statement.span, String::new());
        if !body_is_read && statement.made.is_empty() {
            statement.may_fill.extend(of_body.may_fill);
        }
        statement.may_fill.push(self.routine(&name));
        statement.may_read = of_body.may_read;
    }

    /// The words in the body of a routine or a block.
    fn words_of_a_body(&self, token: &TokenWithSpan) -> Vec<TokenWithSpan> {
        let body = match &token.token {
            Token::DollarQuotedString(body) => &body.value,
            Token::SingleQuotedString(body) | Token::EscapedStringLiteral(body)
                if is_sql(body) || first_word(body) == "SELECT" =>
            {
                body
            }
            _ => return Vec::new(),
        };
        let parser = parser_of(self.dialect);
        let mut words = Vec::new();
        // Of what isn't closed, the words before it count.
        let _ = Tokenizer::new(parser.as_ref(), body).tokenize_with_location_into_buf(&mut words);
        words
    }

    /// The names of a statement, in the order of the text.
    fn names(&self, tokens: &[TokenWithSpan]) -> Vec<Named> {
        let mut names: Vec<Named> = Vec::new();
        let (mut behind_a_verb, mut before) = (false, &Token::EOF);
        for token in tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))) {
            let continues = *before == Token::Period;
            match &token.token {
                Token::Word(_) if !continues && is_one_of(token, &VERBS) => behind_a_verb = true,
                Token::Word(_) if !continues && is_one_of(token, &BETWEEN) => {}
                Token::Word(word) => {
                    let part = self.dialect.syntax().folded(&word.value, word.quote_style.is_some());
                    match names.last_mut().filter(|_| continues) {
                        Some(named) => named.parts.push(part),
                        None => names.push(Named { parts: vec![part], behind_a_verb }),
                    }
                    behind_a_verb = false;
                }
                // `UPDATE ONLY (t)`.
                Token::LParen | Token::Period => {}
                _ => behind_a_verb = false,
            }
            before = &token.token;
        }
        names
    }
}

/// What a table is called once it is in the schema that it is moved to: behind SET SCHEMA.
fn moved(names: &[Named]) -> Option<Named> {
    let is = |named: &Named, word: &str| matches!(named.parts.as_slice(), [only] if only.eq_ignore_ascii_case(word));
    let [alter, table, set, schema, to] = names else { return None };
    let is_moved = is(alter, "alter") && table.behind_a_verb && is(set, "set") && is(schema, "schema");
    let parts = vec![to.parts.last()?.clone(), table.parts.last()?.clone()];
    is_moved.then_some(Named { parts, behind_a_verb: true })
}

fn is_one_of(token: &TokenWithSpan, words: &[&str]) -> bool {
    matches!(&token.token, Token::Word(word) if word.quote_style.is_none() && words.iter().any(|it| word.value.eq_ignore_ascii_case(it)))
}
