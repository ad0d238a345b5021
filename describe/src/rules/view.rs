//! The tables that a view reads, by the words behind `FROM` and `JOIN` in its text.
//!
//! This is a look at words, not a parser: it is used for a sentence and for nothing that must be right. Only tables of
//! the catalog are named.

use catalog::{Catalog, Entry};

/// The tables of the catalog that the view's text names as sources, in the order of the text, each once.
pub(crate) fn reads(entry: &Entry, catalog: &Catalog) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let Some(definition) = &entry.table.definition else { return found };
    for name in sources(&words(definition)) {
        let table = catalog
            .tables_of(&entry.table.id.source)
            .find(|other| other.table.id != entry.table.id && other.table.id.name.eq_ignore_ascii_case(&name));
        if let Some(local) = table.map(|table| table.table.id.local()).filter(|local| !found.contains(local)) {
            found.push(local);
        }
    }
    found
}

/// A word, a quoted name or a punctuation mark.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    Plain(String),
    Quoted(String),
    Mark(char),
}

fn sources(words: &[Word]) -> Vec<String> {
    const ENDS: [&str; 11] =
        ["where", "group", "order", "on", "select", "having", "union", "limit", "using", "window", "set"];
    let mut names = Vec::new();
    let (mut in_list, mut expected) = (false, false);
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        match word {
            Word::Plain(text) if ["from", "join"].contains(&text.to_ascii_lowercase().as_str()) => {
                (in_list, expected) = (true, true);
            }
            Word::Plain(text) if ENDS.contains(&text.to_ascii_lowercase().as_str()) => {
                (in_list, expected) = (false, false);
            }
            Word::Mark(',') => expected = in_list,
            Word::Plain(text) | Word::Quoted(text) if expected => {
                // Of `schema.table` the last part counts.
                if words.peek() == Some(&&Word::Mark('.')) {
                    continue;
                }
                names.push(text.clone());
                expected = false;
            }
            _ => {}
        }
    }
    names
}

/// The statement's words, without strings and comments.
fn words(sql: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (skipped, word) = match first {
            '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), None),
            '\'' => (closing(rest, '\''), None),
            '"' | '`' => (closing(rest, first), Some(Word::Quoted(inside(rest, first)))),
            '[' => (closing(rest, ']'), Some(Word::Quoted(inside(rest, ']')))),
            _ if first.is_alphanumeric() || first == '_' => {
                let end = rest.find(|character: char| !(character.is_alphanumeric() || "_$".contains(character)));
                let end = end.unwrap_or(rest.len());
                (end, Some(Word::Plain(rest[..end].to_owned())))
            }
            _ if first.is_whitespace() => (first.len_utf8(), None),
            _ => (first.len_utf8(), Some(Word::Mark(first))),
        };
        words.extend(word);
        rest = &rest[skipped..];
    }
    words
}

/// The length of the quoted text that `text` begins with.
fn closing(text: &str, mark: char) -> usize {
    text[1..].find(mark).map_or(text.len(), |end| end + 2)
}

fn inside(text: &str, mark: char) -> String {
    text[1..].split(mark).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{sources, words};

    #[test]
    fn names_behind_from_and_join_are_found() {
        for (sql, expected) in [
            ("SELECT a.x, b FROM a, main.\"b c\" AS b WHERE a.x IN (SELECT y FROM d) -- from e", vec!["a", "b c", "d"]),
            ("select 'from z' from [q] left join `r` on q.a = r.a, 1", vec!["q", "r"]),
            ("WITH x AS (SELECT 1 FROM t) SELECT * FROM x /* join u */", vec!["t", "x"]),
            ("from", vec![]),
            ("SELECT 'open", vec![]),
        ] {
            assert_eq!(sources(&words(sql)), expected, "{sql}");
        }
    }
}
