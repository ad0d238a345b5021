//! What a statement is about that can't be parsed, as far as its words tell.

use std::collections::BTreeSet;

use catalog::TableId;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::{ANY_TABLE, Script, StatementLineage, is_sql, unread};
use crate::parser::parser_of;
use crate::reading::ColumnRef;
use crate::row_choice::RowChoice;
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
/// Words of the languages around statements.
const CONTROL: [&str; 10] =
    ["DECLARE", "FOR", "LOOP", "WHILE", "REPEAT", "EXECUTE", "CALL", "FETCH", "FOREACH", "EXCEPTION"];
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
        let choice = RowChoice { deciding: self.rows_of_triggers(&names), ..RowChoice::default() };
        StatementLineage {
            choice,
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

    /// What stands for the conditions of the triggers that call a routine.
    pub(super) fn called_when(&self, name: &str) -> TableId {
        TableId { source: self.source.to_owned(), schema: None, name: format!("when {}()", name.to_lowercase()) }
    }

    /// Notes which tables a statement names that makes a routine, and returns its name: whoever calls it may get any of these.
    /// Where its body isn't read statement by statement, or has more in it than statements, it may write to them as well.
    pub(super) fn note_routine(
        &self,
        tokens: &[TokenWithSpan],
        body_is_read: bool,
        statement: &mut StatementLineage,
    ) -> Option<String> {
        let at = made(tokens, &ROUTINES)?;
        let name = self.names(&tokens[at + 1..]).into_iter().next()?.parts.pop()?;
        let of_body = self.unread(tokens, statement.span, String::new());
        if !body_is_read && statement.made.is_empty() {
            statement.may_fill.extend(of_body.may_fill);
        }
        statement.may_fill.push(self.routine(&name));
        // Any name may be one of a routine that is called.
        let calls = of_body.may_read.iter().map(|named| self.routine(&named.name));
        let calls: Vec<TableId> = calls.filter(|called| *called != self.routine(&name)).collect();
        statement.may_read = of_body.may_read;
        statement.may_read.extend(calls);
        statement.choice.deciding.extend(of_body.choice.deciding);
        Some(name)
    }

    /// Notes the condition of a trigger: what its body writes, or the routine that it calls, tells of it.
    pub(super) fn note_trigger(&mut self, tokens: &[TokenWithSpan], statement: &mut StatementLineage) {
        let Some(at) = made(tokens, &["TRIGGER"]) else { return };
        let place = |words: &[&str]| tokens.iter().position(|token| is_one_of(token, words));
        let body = place(&["BEGIN"]);
        let calls = tokens.iter().rposition(|token| is_one_of(token, &["EXECUTE"]));
        let end = body.or(calls).unwrap_or(tokens.len());
        let condition = tokens.get(at..end).unwrap_or_default();
        let condition = condition.iter().position(|token| is_one_of(token, &["WHEN"])).map(|when| &condition[when..]);
        let columns = self.rows_of_triggers(&self.names(condition.unwrap_or_default()));
        let called = calls.filter(|_| body.is_none()).and_then(|at| self.names(&tokens[at..]).into_iter().nth(2));
        match called.and_then(|named| named.parts.last().cloned()) {
            Some(name) if !columns.is_empty() => {
                statement.may_fill.push(self.called_when(&name));
                statement.choice.deciding = columns;
            }
            Some(_) => {}
            None => self.trigger = columns,
        }
    }

    /// The columns that are named as those of a trigger's row, which may be of any table.
    fn rows_of_triggers(&self, names: &[Named]) -> Vec<ColumnRef> {
        let of = |named: &Named| match named.parts.as_slice() {
            [row, column] if ["new", "old"].contains(&row.to_lowercase().as_str()) => Some(ColumnRef {
                table: TableId { source: self.source.to_owned(), schema: None, name: ANY_TABLE.to_owned() },
                column: column.clone(),
            }),
            _ => None,
        };
        names.iter().filter_map(of).collect()
    }

    /// The body of a routine or a block, where it is a text, and whether all bodies have nothing but statements in them: no
    /// variables, conditions, loops, or statements that are texts themselves.
    pub(super) fn body(&self, tokens: &[TokenWithSpan]) -> (Option<String>, bool) {
        let text = tokens.iter().find_map(|token| match &token.token {
            Token::DollarQuotedString(body) => Some(body.value.clone()),
            _ => None,
        });
        let words: Vec<TokenWithSpan> = tokens.iter().flat_map(|token| self.words_of_a_body(token)).collect();
        let solid: Vec<&TokenWithSpan> =
            words.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        let is_plain = (0..solid.len()).all(|at| {
            let is = |place: usize, words: &[&str]| solid.get(place).is_some_and(|token| is_one_of(token, words));
            let is_sign = |place: usize, sign: Token| solid.get(place).is_some_and(|token| token.token == sign);
            let is_of_ddl = || {
                let behind = if is(at + 1, &["NOT"]) { at + 2 } else { at + 1 };
                is(behind, &["EXISTS"]) && !is_sign(behind + 1, Token::LParen) || is_sign(at + 1, Token::LParen)
            };
            let into_a_variable = || !is(at.saturating_sub(1), &["INSERT", "REPLACE", "MERGE", "IGNORE"]);
            !(is(at, &CONTROL)
                || is_sign(at, Token::Assignment)
                || is(at, &["IF"]) && !is_of_ddl()
                || is(at, &["INTO"]) && into_a_variable())
        });
        (text, is_plain)
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

/// Where one of these words stands near the beginning of a CREATE.
fn made(tokens: &[TokenWithSpan], what: &[&str]) -> Option<usize> {
    let mut words = tokens.iter().enumerate().filter(|(_, token)| matches!(token.token, Token::Word(_)));
    let creates = words.next().is_some_and(|(_, first)| is_one_of(first, &["CREATE"]));
    words.take(5).find(|(_, token)| creates && is_one_of(token, what)).map(|(at, _)| at)
}

/// MySQL's UPDATE of several tables, `UPDATE a, b SET …`, as the join that it is, and without what stands before the tables.
pub(super) fn joined_update(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let word = |token: &&TokenWithSpan| matches!(token.token, Token::Word(_));
    let set = tokens.iter().position(|token| is_one_of(token, &["SET"]));
    let updates = tokens.iter().find(word).is_some_and(|first| is_one_of(first, &["UPDATE"]));
    let Some(set) = set.filter(|_| updates) else { return tokens.to_vec() };
    let mut joined = Vec::with_capacity(tokens.len());
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        if at < set && depth == 0 && token.token == Token::Comma {
            joined.extend(
                ["CROSS", "JOIN"].map(|word| TokenWithSpan { token: Token::make_keyword(word), span: token.span }),
            );
        } else if at >= set || !is_one_of(token, &["IGNORE", "LOW_PRIORITY"]) {
            joined.push(token.clone());
        }
    }
    joined
}
