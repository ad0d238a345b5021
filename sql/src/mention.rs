//! The words of a statement that can be names, whatever they were taken for.
//!
//! What a name means is decided by rules that differ from engine to engine. Who must not be wrong about a name can count
//! its mentions, and ask of each what it was resolved to.

use dialect::Names;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::span::{Lines, Span};

/// A word that can be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Without quotes.
    pub name: String,
    /// Where.
    pub span: Span,
    /// What stands before it, blanks and comments left out.
    pub before: Beside,
    /// What stands behind it.
    pub after: Beside,
}

/// What stands beside a word, as far as it says what the word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// `.`
    Dot,
    /// `AS`
    As,
    /// `BY`
    By,
    /// `(`
    Bracket,
    /// `::`
    Cast,
    /// A text in quotes.
    Text,
    /// Another word.
    Word,
    /// Anything else, or nothing.
    Other,
}

/// Words that no engine with reserved words takes for a column's name.
const OF_QUERIES: [Keyword; 21] = [
    Keyword::SELECT,
    Keyword::DISTINCT,
    Keyword::FROM,
    Keyword::JOIN,
    Keyword::ON,
    Keyword::WHERE,
    Keyword::GROUP,
    Keyword::HAVING,
    Keyword::ORDER,
    Keyword::UNION,
    Keyword::AS,
    Keyword::AND,
    Keyword::OR,
    Keyword::NOT,
    Keyword::IN,
    Keyword::IS,
    Keyword::NULL,
    Keyword::CASE,
    Keyword::WHEN,
    Keyword::THEN,
    Keyword::ELSE,
];

/// All words that can be names, in the order of the text.
pub(crate) fn mentions(tokens: &[TokenWithSpan], lines: &Lines<'_>, names: &Names) -> Vec<Mention> {
    let tokens: Vec<&TokenWithSpan> = tokens.iter().filter(|it| !matches!(it.token, Token::Whitespace(_))).collect();
    let at =
        |place: Option<usize>| place.and_then(|place| tokens.get(place)).map_or(Beside::Other, |it| beside(&it.token));
    let mention = |(place, token): (usize, &&TokenWithSpan)| {
        let Token::Word(word) = &token.token else { return None };
        let span = lines.span(token.span)?;
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        let is_bare = word.quote_style.is_none() && !matches!(before, Beside::Dot | Beside::As);
        if names.reserves_words_of_queries && is_bare && OF_QUERIES.contains(&word.keyword) {
            return None;
        }
        Some(Mention { name: word.value.clone(), span, before, after })
    };
    tokens.iter().enumerate().filter_map(mention).collect()
}

fn beside(token: &Token) -> Beside {
    match token {
        Token::Period => Beside::Dot,
        Token::LParen => Beside::Bracket,
        Token::DoubleColon => Beside::Cast,
        Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) | Token::NationalStringLiteral(_) => Beside::Text,
        Token::Word(word) if word.quote_style.is_none() && word.keyword == Keyword::AS => Beside::As,
        Token::Word(word) if word.quote_style.is_none() && word.keyword == Keyword::BY => Beside::By,
        Token::Word(_) => Beside::Word,
        _ => Beside::Other,
    }
}
