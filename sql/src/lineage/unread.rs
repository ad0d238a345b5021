//! What a statement is about that can't be parsed, as far as its words tell.

use std::collections::BTreeSet;

use catalog::TableId;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::{Script, StatementLineage, unread};
use crate::parser::parser_of;
use crate::schema::{Schema, TableLookup};
use crate::span::Span;

/// Behind these stands the table that a statement is about.
const VERBS: [Keyword; 4] = [Keyword::INTO, Keyword::TABLE, Keyword::VIEW, Keyword::UPDATE];
/// These can stand between a verb and a name.
const BETWEEN: [Keyword; 4] = [Keyword::IF, Keyword::NOT, Keyword::EXISTS, Keyword::ONLY];
/// One of these stands in a statement that takes rows from others.
const TAKING: [Keyword; 5] = [Keyword::SELECT, Keyword::FROM, Keyword::USING, Keyword::INSERT, Keyword::MERGE];

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
        let about: Vec<TableId> = names.iter().filter(|named| named.behind_a_verb).filter_map(table).collect();
        let takes = tokens.iter().any(|token| is_one_of(token, &TAKING));
        let read: BTreeSet<TableId> = names.iter().filter(|_| takes).filter_map(table).collect();
        StatementLineage {
            changed: about.first().cloned().into_iter().collect(),
            may_read: read.into_iter().filter(|table| !about.contains(table)).collect(),
            may_fill: if takes { about } else { Vec::new() },
            ..unread(span, problem)
        }
    }

    /// The words in the body of a routine or a block.
    fn words_of_a_body(&self, token: &TokenWithSpan) -> Vec<TokenWithSpan> {
        let Token::DollarQuotedString(body) = &token.token else { return Vec::new() };
        let parser = parser_of(self.dialect);
        let mut words = Vec::new();
        // Of what isn't closed, the words before it count.
        let _ = Tokenizer::new(parser.as_ref(), &body.value).tokenize_with_location_into_buf(&mut words);
        words
    }

    /// The names of a statement, in the order of the text.
    fn names(&self, tokens: &[TokenWithSpan]) -> Vec<Named> {
        let mut names: Vec<Named> = Vec::new();
        let (mut behind_a_verb, mut continues) = (false, false);
        for token in tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))) {
            match &token.token {
                Token::Period => continues = true,
                Token::Word(_) if !continues && is_one_of(token, &VERBS) => behind_a_verb = true,
                Token::Word(_) if !continues && is_one_of(token, &BETWEEN) => {}
                Token::Word(word) => {
                    let part = self.dialect.syntax().folded(&word.value, word.quote_style.is_some());
                    match names.last_mut().filter(|_| continues) {
                        Some(named) => named.parts.push(part),
                        None => names.push(Named { parts: vec![part], behind_a_verb }),
                    }
                    (behind_a_verb, continues) = (false, false);
                }
                // `UPDATE ONLY (t)`.
                Token::LParen => {}
                _ => (behind_a_verb, continues) = (false, false),
            }
        }
        names
    }
}

fn is_one_of(token: &TokenWithSpan, keywords: &[Keyword]) -> bool {
    matches!(&token.token, Token::Word(word) if word.quote_style.is_none() && keywords.contains(&word.keyword))
}
