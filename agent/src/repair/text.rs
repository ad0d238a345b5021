//! Just enough of a statement's text to put something into it: words outside quotes, the selects, where FROM ends.
//!
//! Not a parser. What is written with its help is read again by the guard, which has one, and thrown away unless it is
//! better than what was there.

use std::ops::Range;

/// A word or a parenthesis outside quotes and comments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    range: Range<usize>,
    kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Open,
    Close,
}

/// The selects of a statement: each branch of a set operation is one, at any depth.
pub(crate) fn selects(sql: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<Option<usize>> = vec![None];
    for token in tokens(sql) {
        match token.kind {
            TokenKind::Open => open.push(None),
            TokenKind::Close => {
                let inner = if open.len() > 1 { open.pop().flatten() } else { None };
                found.extend(inner.map(|start| start..token.range.start));
            }
            TokenKind::Word => {
                let Some(current) = open.last_mut() else { continue };
                match word(sql, &token).as_str() {
                    "select" if current.is_none() => *current = Some(token.range.start),
                    "union" | "intersect" | "except" => {
                        found.extend(current.take().map(|start| start..token.range.start));
                    }
                    _ => {}
                }
            }
        }
    }
    found.extend(open.into_iter().flatten().map(|start| start..sql.len()));
    found
}

/// The innermost of `selects` that holds the byte at `position`.
pub(crate) fn innermost(selects: &[Range<usize>], position: usize) -> Option<&Range<usize>> {
    selects.iter().filter(|select| select.contains(&position)).min_by_key(|select| select.len())
}

/// Where the FROM clause of a select ends: before WHERE, GROUP BY …, or at its end. `None` where it has none.
pub(crate) fn from_end(sql: &str, select: &Range<usize>) -> Option<usize> {
    let text = sql.get(select.clone())?;
    let mut depth = 0_usize;
    let mut after_from = false;
    for token in tokens(text) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Word if depth == 0 => match word(text, &token).as_str() {
                "from" => after_from = true,
                "where" | "group" | "having" | "order" | "limit" | "window" | "qualify" | "fetch" | "offset"
                    if after_from =>
                {
                    return Some(select.start + trimmed_end(text, token.range.start));
                }
                _ => {}
            },
            TokenKind::Word => {}
        }
    }
    after_from.then(|| select.start + trimmed_end(text, text.len()))
}

/// A column as it is written, taken apart: the qualifier's range with its dot, and the name's.
///
/// `span` may cover the name, the qualifier, or both, whichever the guard points at.
pub(crate) fn written_column(sql: &str, span: Range<usize>) -> Option<(Option<Range<usize>>, Range<usize>)> {
    let text = sql.get(span.clone())?;
    if let Some(name) = sql[span.end..].strip_prefix('.').and_then(leading_identifier) {
        let start = span.end + 1;
        return Some((Some(span.start..start), start..start + name.len()));
    }
    if let Some(dot) = last_dot(text) {
        let dot = span.start + dot;
        return Some((Some(span.start..dot + 1), dot + 1..span.end));
    }
    let before = sql.get(..span.start)?;
    let Some(head) = before.strip_suffix('.') else { return Some((None, span)) };
    let start = match head.chars().next_back() {
        Some(quote @ ('"' | '`')) => head[..head.len() - 1].rfind(quote)?,
        Some(']') => head.rfind('[')?,
        _ => head
            .rfind(|character: char| !(character.is_alphanumeric() || character == '_'))
            .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8)),
    };
    Some((Some(start..span.start), span))
}

/// Every place where the reference that stands in `range` is written the same way, but for case, `range` among them.
pub(crate) fn same_reference(sql: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let wanted = &sql[range.clone()];
    let mut places: Vec<Range<usize>> = tokens(sql)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Word)
        .filter_map(|token| {
            let place = token.range.start..token.range.start + wanted.len();
            let is_same = sql.get(place.clone()).is_some_and(|text| text.eq_ignore_ascii_case(wanted));
            let goes_on = |next: char| next.is_alphanumeric() || matches!(next, '_' | '.' | '(');
            let ends = !sql.get(place.end..)?.starts_with(goes_on);
            let begins = !sql[..place.start].ends_with('.');
            (is_same && ends && begins).then_some(place)
        })
        .collect();
    if !places.contains(range) {
        places.push(range.clone());
    }
    places
}

/// An identifier without its quotes.
pub(crate) fn unquoted(identifier: &str) -> String {
    let inner = |open: char, close: char| identifier.strip_prefix(open)?.strip_suffix(close).map(str::to_owned);
    inner('"', '"').or_else(|| inner('`', '`')).or_else(|| inner('[', ']')).unwrap_or_else(|| identifier.to_owned())
}

fn leading_identifier(text: &str) -> Option<&str> {
    let end = match text.chars().next()? {
        quote @ ('"' | '`') => text[1..].find(quote)? + 2,
        '[' => text.find(']')? + 1,
        _ => text.find(|character: char| !(character.is_alphanumeric() || character == '_')).unwrap_or(text.len()),
    };
    (end > 0).then(|| &text[..end])
}

fn last_dot(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut last = None;
    for (at, character) in text.char_indices() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '`') => quote = Some(character),
            None if character == '.' => last = Some(at),
            None => {}
        }
    }
    last
}

fn trimmed_end(text: &str, end: usize) -> usize {
    text[..end].trim_end().trim_end_matches(';').trim_end().len()
}

fn word(sql: &str, token: &Token) -> String {
    sql[token.range.clone()].to_ascii_lowercase()
}

fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut characters = sql.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        match character {
            '\'' | '"' | '`' => while characters.next().is_some_and(|(_, next)| next != character) {},
            '-' if sql[start..].starts_with("--") => while characters.next_if(|(_, next)| *next != '\n').is_some() {},
            '/' if sql[start..].starts_with("/*") => {
                let end = sql[start..].find("*/").map_or(sql.len(), |at| start + at + 2);
                while characters.next_if(|(at, _)| *at < end).is_some() {}
            }
            '(' => tokens.push(Token { range: start..start + 1, kind: TokenKind::Open }),
            ')' => tokens.push(Token { range: start..start + 1, kind: TokenKind::Close }),
            _ if character.is_alphabetic() || character == '_' => {
                let mut end = start + character.len_utf8();
                while let Some((at, next)) = characters.next_if(|(_, next)| next.is_alphanumeric() || *next == '_') {
                    end = at + next.len_utf8();
                }
                tokens.push(Token { range: start..end, kind: TokenKind::Word });
            }
            _ => {}
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{from_end, innermost, same_reference, selects, unquoted, written_column};

    fn check_from_end(sql: &str, position: &str, expected: &str) {
        let selects = selects(sql);
        let at = sql.find(position).unwrap();
        let select = innermost(&selects, at).unwrap();
        let end = from_end(sql, select).unwrap();
        assert_eq!(&sql[..end], expected, "{sql}");
    }

    #[test]
    fn finds_the_end_of_from() {
        check_from_end("SELECT a FROM t", "a", "SELECT a FROM t");
        check_from_end("SELECT a FROM t ;", "a", "SELECT a FROM t");
        check_from_end(
            "SELECT a FROM t AS x JOIN u ON x.i = u.i WHERE b = 'from where'",
            "a",
            "SELECT a FROM t AS x JOIN u ON x.i = u.i",
        );
        check_from_end("SELECT a FROM t\nGROUP BY a", "a", "SELECT a FROM t");
        let nested = "SELECT a FROM t WHERE b IN (SELECT c FROM u ORDER BY d) LIMIT 1";
        check_from_end(nested, "c F", "SELECT a FROM t WHERE b IN (SELECT c FROM u");
        check_from_end(nested, "a F", "SELECT a FROM t");
        check_from_end(
            "SELECT a FROM t EXCEPT SELECT b FROM u WHERE c",
            "b F",
            "SELECT a FROM t EXCEPT SELECT b FROM u",
        );
        check_from_end("SELECT a FROM t EXCEPT SELECT b FROM u WHERE c", "a F", "SELECT a FROM t");
    }

    #[test]
    fn takes_written_columns_apart() {
        for (sql, marked, qualifier, name) in [
            ("SELECT T1.year", "year", Some("T1."), "year"),
            ("SELECT T1.year", "T1.year", Some("T1."), "year"),
            ("SELECT \"a b\".year", "year", Some("\"a b\"."), "year"),
            ("SELECT year", "year", None, "year"),
            ("SELECT T1.year FROM", "T1", Some("T1."), "year"),
            ("SELECT T1.\"the year\" FROM", "T1", Some("T1."), "\"the year\""),
            ("SELECT é.\"x.y\"", "\"x.y\"", Some("é."), "\"x.y\""),
        ] {
            let start = sql.find(marked).unwrap();
            let (found, column) = written_column(sql, start..start + marked.len()).unwrap();
            assert_eq!((found.map(|range| &sql[range]), &sql[column]), (qualifier, name), "{sql}");
        }
        assert_eq!(unquoted("\"a b\""), "a b");
        assert_eq!(unquoted("ab"), "ab");
    }

    #[test]
    fn finds_a_reference_wherever_it_is_written() {
        let sql = "SELECT R.name, 'R.name', S.R.name, R.names, r.Name FROM R ORDER BY R.name";
        let places: Vec<usize> = same_reference(sql, &(7..13)).into_iter().map(|place| place.start).collect();
        assert_eq!(places, [7, 44, 67]);
        let quoted = "SELECT \"a b\".c FROM t";
        assert_eq!(same_reference(quoted, &(7..14)).first(), Some(&(7..14)));
    }

    #[test]
    fn broken_text_is_no_trouble() {
        for sql in ["", ")", "((", "SELECT '", "SELECT /* a", "SELECT \"a FROM t", "))) SELECT (", "SELECT a FROM 🙂"]
        {
            for select in selects(sql) {
                let _ = from_end(sql, &select);
            }
        }
    }
}
