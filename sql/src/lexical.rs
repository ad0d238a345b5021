//! What the tokens say, before there is a tree.
//!
//! A tree can hide what the text does: an empty statement between semicolons, a comment that a server executes, a
//! string in a form that the engine reads otherwise. And a tree can be too deep to be dropped safely, which has to be
//! known before it is built.
//!
//! Invariant: if [`Lexemes::depth`] is at most [`MAXIMUM_DEPTH`], the tree is at most a small multiple of it deep.

use dialect::Syntax;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use crate::reading::{Effect, EffectKind};
use crate::span::{Lines, Span};

/// How deep nesting and chains of operators may be, counted in tokens: about a thousand conditions in a row. SQLite
/// itself stops at expressions 1,000 deep.
pub(crate) const MAXIMUM_DEPTH: usize = 4_000;
/// How many tokens are read.
pub(crate) const MAXIMUM_TOKENS: usize = 200_000;

/// What was found in the tokens.
pub(crate) struct Lexemes {
    pub(crate) statements: usize,
    pub(crate) depth: usize,
    pub(crate) effects: Vec<Effect>,
}

impl Lexemes {
    pub(crate) fn of(sql: &str, tokens: &[TokenWithSpan], syntax: &Syntax, lines: &Lines<'_>) -> Self {
        let mut effects = Vec::new();
        let mut quoted: Vec<Span> = Vec::new();
        for token in tokens {
            if is_quoted(&token.token) {
                quoted.extend(lines.span(token.span));
            }
            if let Some((kind, what)) = effect_of(token, syntax) {
                effects.push(Effect { kind, what, span: lines.span(token.span) });
            }
        }
        effects.extend(continued_escapes(tokens, lines));
        effects.extend(escaped_name(tokens, lines).filter(|_| syntax.extended_strings));
        effects.extend(executable_comments(sql, &quoted, syntax));
        effects.extend(comments_in_operators(sql, tokens, syntax, lines));
        effects.extend(into_file(tokens, lines));
        effects.extend(invisible_characters(sql, &quoted));
        Self { statements: statements(tokens), depth: depth(tokens), effects }
    }
}

/// Counts stretches between semicolons that hold anything but blanks and comments.
fn statements(tokens: &[TokenWithSpan]) -> usize {
    tokens
        .split(|token| token.token == Token::SemiColon)
        .filter(|part| part.iter().any(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF)))
        .count()
}

/// An upper bound of the tree's depth: brackets that are open, and in each of them the operators since the last comma
/// and all set operations. Operators of one bracket can make a chain that leans to the left, which no recursion limit of
/// the parser sees.
pub(crate) fn depth(tokens: &[TokenWithSpan]) -> usize {
    let mut open = vec![Bracket::default()];
    let mut sum = 0;
    let mut deepest = 0;
    for token in tokens {
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                open.push(Bracket { operators: 1, set_operations: 0 });
                sum += 1;
            }
            Token::RParen | Token::RBracket | Token::RBrace if open.len() > 1 => {
                let closed = open.pop().unwrap_or_default();
                sum -= closed.operators + closed.set_operations;
            }
            Token::Comma => {
                // The chain ends, but not the bracket that it stands in.
                let own = usize::from(open.len() > 1);
                if let Some(bracket) = open.last_mut() {
                    sum -= std::mem::replace(&mut bracket.operators, own).saturating_sub(own);
                }
            }
            other if joins_queries(other) => {
                if let Some(bracket) = open.last_mut() {
                    bracket.set_operations += 1;
                    sum += 1;
                }
            }
            other if chains(other) => {
                let levels = levels(other);
                if let Some(bracket) = open.last_mut() {
                    bracket.operators += levels;
                    sum += levels;
                }
            }
            _ => {}
        }
        deepest = deepest.max(sum);
    }
    deepest
}

/// What was counted in a bracket that is open.
#[derive(Default)]
struct Bracket {
    operators: usize,
    set_operations: usize,
}

fn joins_queries(token: &Token) -> bool {
    let Token::Word(word) = token else { return false };
    matches!(word.keyword, Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::MINUS)
}

/// How many levels of an expression a token is worth: the parser calls itself for a JOIN that another one follows, and
/// that takes more of the stack.
fn levels(token: &Token) -> usize {
    match token {
        Token::Word(word) if word.keyword == Keyword::JOIN => 3,
        _ => 1,
    }
}

/// Whether a token can make an expression or a set operation one level deeper.
fn chains(token: &Token) -> bool {
    match token {
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::AND
                | Keyword::OR
                | Keyword::XOR
                | Keyword::NOT
                | Keyword::IS
                | Keyword::NOTNULL
                | Keyword::IN
                | Keyword::LIKE
                | Keyword::ILIKE
                | Keyword::RLIKE
                | Keyword::REGEXP
                | Keyword::GLOB
                | Keyword::MATCH
                | Keyword::SIMILAR
                | Keyword::BETWEEN
                | Keyword::COLLATE
                | Keyword::AT
                | Keyword::DIV
                | Keyword::OVERLAPS
                | Keyword::OPERATOR
                | Keyword::MEMBER
                | Keyword::CASE
                | Keyword::JOIN
                | Keyword::STRAIGHT_JOIN
                | Keyword::APPLY
        ),
        Token::Whitespace(_)
        | Token::EOF
        | Token::SemiColon
        | Token::Comma
        | Token::Period
        | Token::Number(..)
        | Token::Placeholder(_) => false,
        other => !is_quoted(other),
    }
}

fn is_quoted(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.quote_style.is_some(),
        Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_)
        | Token::TripleSingleQuotedString(_)
        | Token::TripleDoubleQuotedString(_)
        | Token::DollarQuotedString(_)
        | Token::SingleQuotedByteStringLiteral(_)
        | Token::DoubleQuotedByteStringLiteral(_)
        | Token::TripleSingleQuotedByteStringLiteral(_)
        | Token::TripleDoubleQuotedByteStringLiteral(_)
        | Token::SingleQuotedRawStringLiteral(_)
        | Token::DoubleQuotedRawStringLiteral(_)
        | Token::TripleSingleQuotedRawStringLiteral(_)
        | Token::TripleDoubleQuotedRawStringLiteral(_)
        | Token::NationalStringLiteral(_)
        | Token::QuoteDelimitedStringLiteral(_)
        | Token::NationalQuoteDelimitedStringLiteral(_)
        | Token::EscapedStringLiteral(_)
        | Token::UnicodeStringLiteral(_)
        | Token::HexStringLiteral(_) => true,
        _ => false,
    }
}

fn effect_of(token: &TokenWithSpan, syntax: &Syntax) -> Option<(EffectKind, String)> {
    let foreign = |what: &str| Some((EffectKind::ForeignSyntax, format!("{what} is not a form of string here")));
    match &token.token {
        // Where the engine's name ends is not where the parser's does.
        Token::Word(word) if syntax.escapes_in_names && word.quote_style.is_some() && word.value.contains('\\') => {
            Some((
                EffectKind::ForeignSyntax,
                "a backslash in a quoted name begins an escape, which is not read".to_owned(),
            ))
        }
        Token::DollarQuotedString(_) if !syntax.extended_strings => foreign("`$$…$$`"),
        Token::EscapedStringLiteral(_) if !syntax.extended_strings => foreign("`E'…'`"),
        Token::UnicodeStringLiteral(_) if !syntax.extended_strings => foreign("`U&'…'`"),
        Token::NationalStringLiteral(_) if !syntax.national_strings => foreign("`N'…'`"),
        Token::QuoteDelimitedStringLiteral(_) | Token::NationalQuoteDelimitedStringLiteral(_) => foreign("`q'…'`"),
        Token::Whitespace(Whitespace::SingleLineComment { prefix, .. }) if prefix == "#" && !syntax.hash_comments => {
            Some((EffectKind::ForeignSyntax, "`#` does not begin a comment here".to_owned()))
        }
        Token::Whitespace(Whitespace::MultiLineComment(comment))
            if syntax.unsure_nested_comments && comment.contains("/*") =>
        {
            Some((EffectKind::ForeignSyntax, "where a comment inside a comment ends is not certain".to_owned()))
        }
        _ => None,
    }
}

/// `U&"em\0061il"`: a name with escapes to PostgreSQL, and three words to the parser.
fn escaped_name(tokens: &[TokenWithSpan], lines: &Lines<'_>) -> Option<Effect> {
    let found = tokens.windows(3).find(|three| match [&three[0].token, &three[1].token, &three[2].token] {
        [Token::Word(first), Token::Ampersand, Token::Word(name)] => {
            first.quote_style.is_none() && first.value.eq_ignore_ascii_case("u") && name.quote_style.is_some()
        }
        _ => false,
    })?;
    Some(Effect {
        kind: EffectKind::ForeignSyntax,
        what: "escapes in a name (`U&\"…\"`) are not read".to_owned(),
        span: lines.span(found[0].span),
    })
}

/// A string behind one with escapes: PostgreSQL takes the two for one string and reads escapes in both, the parser in the
/// first alone.
fn continued_escapes(tokens: &[TokenWithSpan], lines: &Lines<'_>) -> Option<Effect> {
    let solid: Vec<&TokenWithSpan> =
        tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    let escapes = |token: &Token| matches!(token, Token::EscapedStringLiteral(_) | Token::UnicodeStringLiteral(_));
    let is_string = |token: &Token| is_quoted(token) && !matches!(token, Token::Word(_));
    solid.windows(2).find(|pair| escapes(&pair[0].token) && is_string(&pair[1].token)).map(|pair| Effect {
        kind: EffectKind::ForeignSyntax,
        what: "a string that goes on behind one with escapes is not read".to_owned(),
        span: lines.span(pair[1].span),
    })
}

/// Comments that MySQL and MariaDB execute, refused in every dialect: nobody needs them for reading, and a text may be
/// sent on to another server. Beside them those that tell MySQL's, or an extended PostgreSQL's, planner to change
/// settings.
fn executable_comments(sql: &str, quoted: &[Span], syntax: &Syntax) -> Vec<Effect> {
    let bytes = sql.as_bytes();
    let outside = |position: usize| !inside(quoted, position);
    (0..bytes.len().saturating_sub(2))
        .filter(|&at| {
            let is_executed = bytes[at + 2] == b'!' || bytes[at + 2..].starts_with(b"M!");
            &bytes[at..at + 2] == b"/*" && (is_executed || syntax.hints_in_comments && bytes[at + 2] == b'+')
        })
        .filter(|&at| outside(at))
        .map(|at| Effect {
            kind: EffectKind::ExecutableComment,
            what: match bytes[at + 2] {
                b'+' => "`/*+` begins a comment that can change settings".to_owned(),
                _ => "`/*!` begins a comment that MySQL and MariaDB execute".to_owned(),
            },
            span: Some(Span { start: at, end: at + 3 }),
        })
        .collect()
}

/// The beginning of a comment where the parser sees none: it takes `||/*` for an operator, and PostgreSQL ends the operator
/// before the comment.
fn comments_in_operators(sql: &str, tokens: &[TokenWithSpan], syntax: &Syntax, lines: &Lines<'_>) -> Option<Effect> {
    let is_comment = |token: &Token| {
        matches!(token, Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)))
    };
    let opaque: Vec<Span> = tokens
        .iter()
        .filter(|token| is_quoted(&token.token) || is_comment(&token.token))
        .filter_map(|token| lines.span(token.span))
        .collect();
    let begins = |at: usize| {
        let rest = &sql.as_bytes()[at..];
        // Without a blank behind it, MySQL takes `--` for two signs.
        rest.starts_with(b"/*") || rest.starts_with(b"--") && !syntax.hash_comments
    };
    let at = (0..sql.len()).find(|&at| begins(at) && !inside(&opaque, at))?;
    Some(Effect {
        kind: EffectKind::ForeignSyntax,
        what: "a comment that begins inside an operator is not read".to_owned(),
        span: Some(Span { start: at, end: at + 2 }),
    })
}

/// `INTO OUTFILE` and `INTO DUMPFILE`, which the parser takes for an alias or doesn't take at all.
fn into_file(tokens: &[TokenWithSpan], lines: &Lines<'_>) -> Option<Effect> {
    let mut words = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).peekable();
    while let Some(token) = words.next() {
        let is_into =
            matches!(&token.token, Token::Word(word) if word.keyword == Keyword::INTO && word.quote_style.is_none());
        if !is_into {
            continue;
        }
        let Some(next) = words.peek() else { continue };
        if let Token::Word(word) = &next.token
            && word.quote_style.is_none()
            && ["outfile", "dumpfile"].iter().any(|file| word.value.eq_ignore_ascii_case(file))
        {
            return Some(Effect {
                kind: EffectKind::Into,
                what: format!("`INTO {}` writes a file on the server", word.value.to_ascii_uppercase()),
                span: lines.span(token.span),
            });
        }
    }
    None
}

/// Control characters, characters without a shape, and those that turn the direction of the text: what a person sees is
/// then not what the engine reads. Inside quotes only those are refused that reorder what is around them.
fn invisible_characters(sql: &str, quoted: &[Span]) -> Option<Effect> {
    let bytes = sql.as_bytes();
    sql.char_indices().find_map(|(position, character)| {
        // Blanks that some engines take for part of a name, and ends of lines that only some see.
        let odd_blank = character.is_whitespace() && !matches!(character, ' ' | '\t' | '\n' | '\r');
        let lone_return = character == '\r' && bytes.get(position + 1) != Some(&b'\n');
        if (odd_blank || lone_return) && !inside(quoted, position) {
            return Some(Effect {
                kind: EffectKind::InvisibleCharacter,
                what: format!("the character U+{:04X} is a blank to some and not to others", u32::from(character)),
                span: Some(Span { start: position, end: position + character.len_utf8() }),
            });
        }
        let reorders = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\0');
        let hidden = matches!(
            character,
            '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}'
                | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        );
        if !(reorders || hidden && !inside(quoted, position)) {
            return None;
        }
        Some(Effect {
            kind: EffectKind::InvisibleCharacter,
            what: format!("the character U+{:04X} can't be seen", u32::from(character)),
            span: Some(Span { start: position, end: position + character.len_utf8() }),
        })
    })
}

/// Whether a byte lies in one of the spans, which are in order.
fn inside(spans: &[Span], position: usize) -> bool {
    let after = spans.partition_point(|span| span.start <= position);
    after > 0 && position < spans[after - 1].end
}
