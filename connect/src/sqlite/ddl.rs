//! What SQLite keeps only in the text of `CREATE` statements: allowed values, comments, expressions, a view's query.
//!
//! A scanner over tokens and not a parser: it takes the few shapes whose meaning is certain and leaves everything else
//! alone. Invariant: any text in, at worst nothing out.

/// A token, and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TokenKind {
    /// A name or keyword without quotes.
    Word(String),
    /// A name in `"`, `` ` `` or `[]`.
    Quoted(String),
    /// A string literal.
    Text(String),
    /// Digits and what may stand among them.
    Number(String),
    /// `-- …` to the end of the line.
    Comment(String),
    /// Anything else.
    Mark(char),
}

impl Token {
    fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, TokenKind::Word(text) if text.eq_ignore_ascii_case(word))
    }

    fn is_mark(&self, mark: char) -> bool {
        self.kind == TokenKind::Mark(mark)
    }

    fn name(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(text) | TokenKind::Quoted(text) => Some(text),
            _ => None,
        }
    }
}

/// The values that `CHECK (column IN (…))` allows, as (column, values), in the order of the text.
///
/// Taken: a list of literals that is the whole check, or joined to more conditions by AND, or to `column IS NULL` by OR.
pub(super) fn allowed_values(create_table: &str) -> Vec<(String, Vec<String>)> {
    let tokens = tokens_without_comments(create_table);
    let mut found = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        if !token.is_word("check") {
            continue;
        }
        let Some(inside) = tokens.get(position + 1..).and_then(in_parentheses) else { continue };
        for condition in top_level(unwrapped(inside), |token| token.is_word("and")) {
            found.extend(value_list(unwrapped(condition)));
        }
    }
    found
}

/// `column IN (literals)`, alone or with `column IS NULL OR` before or `OR column IS NULL` after it.
fn value_list(condition: &[Token]) -> Option<(String, Vec<String>)> {
    let alternatives = top_level(condition, |token| token.is_word("or"));
    let is_null_test = |part: &&[Token]| matches!(part, [_, is, null] if is.is_word("is") && null.is_word("null"));
    let rest: Vec<&[Token]> = alternatives.into_iter().filter(|part| !is_null_test(part)).collect();
    let [list] = rest.as_slice() else { return None };
    let (column, list) = unwrapped(list).split_first()?;
    let (is_in, list) = list.split_first()?;
    if !is_in.is_word("in") {
        return None;
    }
    let inside = in_parentheses(list).filter(|inside| inside.len() + 2 == list.len())?;
    let values: Option<Vec<String>> = top_level(inside, |token| token.is_mark(','))
        .into_iter()
        .map(|item| match item {
            [Token { kind: TokenKind::Text(text) | TokenKind::Number(text), .. }] => Some(text.clone()),
            [sign, Token { kind: TokenKind::Number(text), .. }] if sign.is_mark('-') => Some(format!("-{text}")),
            // SQLite takes "double quotes" for a text where no column has that name.
            [Token { kind: TokenKind::Quoted(text), .. }] => Some(text.clone()),
            _ => None,
        })
        .collect();
    Some((column.name()?.to_owned(), values?))
}

/// Comments that stand behind a column's definition on its line, as (column, comment).
pub(super) fn column_comments(create_table: &str) -> Vec<(String, String)> {
    let tokens = tokens(create_table);
    let Some(open) = tokens.iter().position(|token| token.is_mark('(')) else { return Vec::new() };
    let mut found = Vec::new();
    let mut depth = 0;
    let mut at_start = true;
    let mut column: Option<&Token> = None;
    for token in &tokens[open + 1..] {
        match &token.kind {
            TokenKind::Comment(comment) => {
                let same_line = column.is_some_and(|column| !create_table[column.end..token.start].contains('\n'));
                if let Some(name) = column.filter(|_| same_line).and_then(Token::name) {
                    found.push((name.to_owned(), comment.clone()));
                }
                continue;
            }
            TokenKind::Mark('(') => depth += 1,
            TokenKind::Mark(')') if depth == 0 => break,
            TokenKind::Mark(')') => depth -= 1,
            TokenKind::Mark(',') if depth == 0 => {
                at_start = true;
                continue;
            }
            _ if at_start => column = Some(token),
            _ => {}
        }
        at_start = false;
    }
    found
}

/// Columns whose values are computed, as (column, expression): `name … AS (expression)`.
pub(super) fn generated_columns(create_table: &str) -> Vec<(String, String)> {
    let tokens = tokens_without_comments(create_table);
    let Some(open) = tokens.iter().position(|token| token.is_mark('(')) else { return Vec::new() };
    let Some(inside) = in_parentheses(&tokens[open..]) else { return Vec::new() };
    let of_column = |part: &[Token]| {
        let mut depth = 0;
        let position = part.iter().position(|token| {
            depth += i32::from(token.is_mark('(')) - i32::from(token.is_mark(')'));
            depth == 0 && token.is_word("as")
        })?;
        let expression = in_parentheses(part.get(position + 1..)?)?;
        let (first, last) = (expression.first()?, expression.last()?);
        Some((part.first()?.name()?.to_owned(), create_table[first.start..last.end].to_owned()))
    };
    top_level(inside, |token| token.is_mark(',')).into_iter().filter_map(of_column).collect()
}

/// The terms of a `CREATE INDEX`, as text, without their sort order.
pub(super) fn index_terms(create_index: &str) -> Vec<String> {
    let tokens = tokens_without_comments(create_index);
    let Some(on) = tokens.iter().position(|token| token.is_word("on")) else { return Vec::new() };
    let Some(open) = tokens[on..].iter().position(|token| token.is_mark('(')) else { return Vec::new() };
    let Some(inside) = in_parentheses(&tokens[on + open..]) else { return Vec::new() };
    top_level(inside, |token| token.is_mark(','))
        .into_iter()
        .map(|term| {
            let sort = |token: &Token| token.is_word("asc") || token.is_word("desc");
            let end = term.iter().rposition(|token| !sort(token)).map_or(0, |position| position + 1);
            match (term.first(), term[..end].last()) {
                (Some(first), Some(last)) => create_index[first.start..last.end].to_owned(),
                _ => String::new(),
            }
        })
        .collect()
}

/// The words of a `CREATE VIRTUAL TABLE` that may be names of tables whose rows it shows: of a full-text index the one that
/// holds its texts, and of any other module all that it is made with.
pub(super) fn words_of_module(create_table: &str) -> Vec<String> {
    let tokens = tokens_without_comments(create_table);
    let Some(using) = tokens.iter().position(|token| token.is_word("using")) else { return Vec::new() };
    let module = tokens.get(using + 1).and_then(Token::name).unwrap_or_default().to_ascii_lowercase();
    let Some(inside) = tokens.get(using + 2..).and_then(in_parentheses) else { return Vec::new() };
    let is_index = module.starts_with("fts") && !["vocab", "aux", "tokenize"].iter().any(|end| module.ends_with(end));
    let told = |part: &[Token]| match part {
        [option, equals, of @ ..] if option.is_word("content") && equals.is_mark('=') => of.to_vec(),
        _ if is_index => Vec::new(),
        all => all.to_vec(),
    };
    let tokens = top_level(inside, |token| token.is_mark(',')).into_iter().flat_map(told);
    let texts = tokens.filter_map(|token| match token.kind {
        TokenKind::Word(text) | TokenKind::Quoted(text) | TokenKind::Text(text) => Some(text),
        _ => None,
    });
    texts.flat_map(|text| text.split('.').chain([text.as_str()]).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether a `CREATE VIRTUAL TABLE` makes a full-text index that keeps no texts (`content=''`): nobody can say what was put
/// into it, and what it finds tells.
pub(super) fn is_contentless(create_table: &str) -> bool {
    let tokens = tokens_without_comments(create_table);
    let Some(using) = tokens.iter().position(|token| token.is_word("using")) else { return false };
    let module = tokens.get(using + 1).and_then(Token::name).unwrap_or_default().to_ascii_lowercase();
    let Some(inside) = tokens.get(using + 2..).and_then(in_parentheses) else { return false };
    let is_empty = |of: &[Token]| match of {
        [] => true,
        [Token { kind: TokenKind::Text(text) | TokenKind::Quoted(text), .. }] => text.is_empty(),
        _ => false,
    };
    module.starts_with("fts")
        && top_level(inside, |token| token.is_mark(',')).into_iter().any(|part| {
            matches!(part, [option, equals, of @ ..]
                if option.is_word("content") && equals.is_mark('=') && is_empty(of))
        })
}

/// The query of a `CREATE VIEW`.
pub(super) fn view_query(create_view: &str) -> Option<&str> {
    let tokens = tokens_without_comments(create_view);
    let mut depth = 0;
    for token in &tokens {
        match token.kind {
            TokenKind::Mark('(') => depth += 1,
            TokenKind::Mark(')') => depth -= 1,
            _ if depth == 0 && token.is_word("as") => return Some(create_view[token.end..].trim()),
            _ => {}
        }
    }
    None
}

/// What stands between the parenthesis that `tokens` opens with and the one that closes it.
fn in_parentheses(tokens: &[Token]) -> Option<&[Token]> {
    if !tokens.first()?.is_mark('(') {
        return None;
    }
    let mut depth = 0;
    for (position, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is_mark('(')) - i32::from(token.is_mark(')'));
        if depth == 0 {
            return Some(&tokens[1..position]);
        }
    }
    None
}

/// The tokens without parentheses around all of them.
fn unwrapped(tokens: &[Token]) -> &[Token] {
    match in_parentheses(tokens) {
        Some(inside) if inside.len() + 2 == tokens.len() => unwrapped(inside),
        _ => tokens,
    }
}

/// The tokens, split where `is_separator` holds outside of any parentheses.
fn top_level(tokens: &[Token], is_separator: impl Fn(&Token) -> bool) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (position, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is_mark('(')) - i32::from(token.is_mark(')'));
        if depth == 0 && is_separator(token) {
            parts.push(&tokens[start..position]);
            start = position + 1;
        }
    }
    parts.push(&tokens[start..]);
    parts
}

fn tokens_without_comments(text: &str) -> Vec<Token> {
    let mut tokens = tokens(text);
    tokens.retain(|token| !matches!(token.kind, TokenKind::Comment(_)));
    tokens
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let (kind, length) = match first {
            '\'' => quoted(rest, '\'', TokenKind::Text),
            '"' => quoted(rest, '"', TokenKind::Quoted),
            '`' => quoted(rest, '`', TokenKind::Quoted),
            '[' => quoted(rest, ']', TokenKind::Quoted),
            '-' if rest.starts_with("--") => {
                let end = rest.find('\n').unwrap_or(rest.len());
                (Some(TokenKind::Comment(rest[2..end].trim().to_owned())), end)
            }
            '/' if rest.starts_with("/*") => (None, rest[2..].find("*/").map_or(rest.len(), |end| end + 4)),
            _ if first.is_whitespace() => (None, first.len_utf8()),
            _ if first.is_alphanumeric() || first == '_' => {
                let in_word = |character: char| character.is_alphanumeric() || "_$.".contains(character);
                let end = rest.find(|character| !in_word(character)).unwrap_or(rest.len());
                let word = rest[..end].to_owned();
                let kind = if first.is_ascii_digit() { TokenKind::Number(word) } else { TokenKind::Word(word) };
                (Some(kind), end)
            }
            _ => (Some(TokenKind::Mark(first)), first.len_utf8()),
        };
        tokens.extend(kind.map(|kind| Token { kind, start, end: start + length }));
        rest = &rest[length..];
    }
    tokens
}

/// A token in quotes, in which the closing one stands for itself when doubled.
fn quoted(rest: &str, close: char, kind: fn(String) -> TokenKind) -> (Option<TokenKind>, usize) {
    let mut content = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((position, character)) = characters.next() {
        if character != close {
            content.push(character);
        } else if close != ']' && characters.peek().is_some_and(|&(_, next)| next == close) {
            content.push(close);
            characters.next();
        } else {
            return (Some(kind(content)), position + close.len_utf8());
        }
    }
    (Some(kind(content)), rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{allowed_values, column_comments, generated_columns, index_terms, view_query, words_of_module};

    fn check_values(sql: &str, expected: &str) {
        let found: Vec<String> =
            allowed_values(sql).iter().map(|(column, values)| format!("{column}={}", values.join("|"))).collect();
        assert_eq!(found.join(" "), expected, "{sql}");
    }

    #[test]
    fn finds_allowed_values_where_the_check_is_certain() {
        check_values("CREATE TABLE t (s TEXT CHECK (s IN ('a','it''s')))", "s=a|it's");
        check_values("CREATE TABLE t (\"my s\" TEXT, CHECK ((\"my s\" in (1, -2, 3.5))))", "my s=1|-2|3.5");
        check_values("CREATE TABLE t (s CHECK (s IN ('a') AND length(s) < 3))", "s=a");
        check_values("CREATE TABLE t (s CHECK (s IS NULL OR s IN ('a', 'b')))", "s=a|b");
        check_values("CREATE TABLE t (a CHECK (a IN ('x')), b CHECK (b IN ('y')) -- CHECK (c IN ('z'))\n)", "a=x b=y");
    }

    #[test]
    fn leaves_other_checks_alone() {
        for sql in [
            "CREATE TABLE t (s CHECK (s NOT IN ('a')))",
            "CREATE TABLE t (s CHECK (s IN ('a') OR k = 2))",
            "CREATE TABLE t (s CHECK (lower(s) IN ('a')))",
            "CREATE TABLE t (s CHECK (s IN (SELECT 1)))",
            "CREATE TABLE t (s CHECK (s > 0)",
            "CHECK",
            "",
        ] {
            check_values(sql, "");
        }
    }

    #[test]
    fn finds_the_comment_behind_a_column() {
        let sql = "CREATE TABLE t ( -- the table\n id INTEGER, -- number\n \"a b\" DECIMAL(1, 2) -- price\n , c TEXT\n -- loose\n)";
        let found: Vec<String> =
            column_comments(sql).iter().map(|(column, comment)| format!("{column}: {comment}")).collect();
        assert_eq!(found, ["id: number", "a b: price"]);
    }

    #[test]
    fn finds_what_a_generated_column_is_made_from() {
        let sql = "CREATE TABLE t (a TEXT DEFAULT (CAST(1 AS TEXT)), \"b c\" TEXT GENERATED ALWAYS AS (substr(a, 1, 2)) STORED,
            d AS (a || ')'), CHECK (CAST(a AS INT) > 0))";
        let found: Vec<String> =
            generated_columns(sql).iter().map(|(column, made)| format!("{column}: {made}")).collect();
        assert_eq!(found, ["b c: substr(a, 1, 2)", "d: a || ')'"]);
    }

    #[test]
    fn finds_the_tables_that_a_virtual_one_shows() {
        let made = |module: &str| words_of_module(&format!("CREATE VIRTUAL TABLE v USING {module}")).join(" ");
        assert_eq!(made("fts5(title, body)"), "");
        assert_eq!(made("fts5(title, content='notes', content_rowid='id')"), "notes notes");
        assert_eq!(made("fts4(content=\"my notes\", title)"), "my notes my notes");
        assert_eq!(made("fts5vocab(main, 'words', row)"), "main main words words row row");
        assert_eq!(made("fts4aux(words)"), "words words");
        assert_eq!(made("rtree"), "");
    }

    #[test]
    fn takes_an_index_apart() {
        let found = index_terms("CREATE INDEX i ON \"t (x)\" (lower(a, 1) DESC, \"b\" asc, c) WHERE d > 0");
        assert_eq!(found, ["lower(a, 1)", "\"b\"", "c"]);
    }

    #[test]
    fn finds_the_query_of_a_view() {
        assert_eq!(view_query("CREATE VIEW \"as\" (a, b) AS SELECT 1 AS a"), Some("SELECT 1 AS a"));
        assert_eq!(view_query("CREATE VIEW v"), None);
    }

    proptest! {
        #[test]
        fn survives_any_text(sql in "(CREATE|CHECK|ON|IN|[(),'\"\\[\\]` a-z-]|\\PC){0,60}") {
            let _ = (generated_columns(&sql), allowed_values(&sql), column_comments(&sql), index_terms(&sql), view_query(&sql));
        }
    }
}
