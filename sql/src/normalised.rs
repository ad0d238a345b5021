//! One text for all statements that differ in their constants alone.

use std::ops::ControlFlow;

use catalog::Dialect;
use sqlparser::ast::{Expr, Ident, ObjectNamePart, visit_expressions_mut};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::parser::parser_of;
use crate::read::PARSER_RECURSION;
use crate::resolve::first_argument;

/// The text of a statement without comments, with a `?` in the place of every constant and of every list of them, unquoted
/// words in lower case, and one space between words. `None` where it isn't made of tokens.
pub fn normalised(sql: &str, dialect: &Dialect) -> Option<String> {
    let tokens = Tokenizer::new(parser_of(dialect).as_ref(), sql).tokenize().ok()?;
    let mut text = String::with_capacity(sql.len());
    let mut constants = 0;
    for token in tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_) | Token::EOF)) {
        if is_constant(token) {
            constants += 1;
            // `?, ?` is as long as one of them.
            if constants > 1 && text.ends_with("? ,") {
                text.truncate(text.len() - " ,".len());
                continue;
            }
        } else if *token != Token::Comma {
            constants = 0;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        match token {
            constant if is_constant(constant) => text.push('?'),
            Token::Word(word) if word.quote_style.is_none() => text.push_str(&word.value.to_lowercase()),
            other => text.push_str(&other.to_string()),
        }
    }
    Some(text.trim_end_matches([' ', ';']).to_owned())
}

fn is_constant(token: &Token) -> bool {
    matches!(
        token,
        Token::Number(..)
            | Token::Placeholder(_)
            | Token::SingleQuotedString(_)
            | Token::TripleSingleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::SingleQuotedByteStringLiteral(_)
            | Token::NationalStringLiteral(_)
            | Token::EscapedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::HexStringLiteral(_)
    )
}

/// What an expression computes, however it is written: columns by their own names, words in lower case, without what rounds the
/// whole or puts something in the place of NULL.
/// `ROUND(SUM(o."total") / 100.0, 2)` is `sum(total) / 100.0`. `None` where it isn't an expression.
pub fn plain_expression(expression: &str, dialect: &Dialect) -> Option<String> {
    let parser = parser_of(dialect);
    let mut parser =
        Parser::new(parser.as_ref()).with_recursion_limit(PARSER_RECURSION).try_with_sql(expression).ok()?;
    let mut expression = parser.parse_expr().ok()?;
    if parser.peek_token().token != Token::EOF {
        return None;
    }
    let _: ControlFlow<()> = visit_expressions_mut(&mut expression, |part| {
        match part {
            Expr::Identifier(name) => *name = plain(name),
            Expr::CompoundIdentifier(parts) => {
                if let Some(last) = parts.last() {
                    *part = Expr::Identifier(plain(last));
                }
            }
            Expr::Function(function) => {
                if let [ObjectNamePart::Identifier(name)] = function.name.0.as_mut_slice() {
                    *name = plain(name);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    Some(unwrapped(expression).to_string().replace('\n', " "))
}

/// A name in lower case, unless its quotes are needed.
fn plain(name: &Ident) -> Ident {
    let is_plain = name.value.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
    match name.quote_style {
        Some(_) if !is_plain => name.clone(),
        _ => Ident::new(name.value.to_lowercase()),
    }
}

/// An expression without what rounds it, or puts something in the place of NULL.
fn unwrapped(expression: Expr) -> Expr {
    match expression {
        Expr::Nested(inner) => unwrapped(*inner),
        Expr::Cast { expr, .. } => unwrapped(*expr),
        Expr::Function(function) if WRAPPERS.contains(&function.name.to_string().as_str()) => {
            match first_argument(&function) {
                Some(first) => unwrapped(first.clone()),
                None => Expr::Function(function),
            }
        }
        other => other,
    }
}

/// Functions that leave a value what it is to people.
const WRAPPERS: [&str; 6] = ["coalesce", "ifnull", "nvl", "round", "tofloat64", "trunc"];

/// The texts in quotes in an expression.
pub fn texts_in(expression: &str, dialect: &Dialect) -> Vec<String> {
    let tokens = Tokenizer::new(parser_of(dialect).as_ref(), expression).tokenize().unwrap_or_default();
    tokens
        .into_iter()
        .filter_map(|token| match token {
            Token::SingleQuotedString(text)
            | Token::EscapedStringLiteral(text)
            | Token::NationalStringLiteral(text)
            | Token::UnicodeStringLiteral(text)
            | Token::DoubleQuotedString(text) => Some(text),
            Token::DollarQuotedString(text) => Some(text.value),
            _ => None,
        })
        .collect()
}
