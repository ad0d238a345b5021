//! The tables that a view reads, by the words behind `FROM` and `JOIN` in its text.
//!
//! This is a look at words, not a parser: it is used for a sentence and for nothing that must be right. Only tables of
//! the catalog are named.

use catalog::{Catalog, Entry, TableId};

/// The tables of the catalog that the view's text names as sources, in the order of the text, each once.
pub(crate) fn reads(entry: &Entry, catalog: &Catalog) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let Some(definition) = &entry.table.definition else { return found };
    for named in sources(&words(definition)) {
        let local = table_named(&named, entry, catalog).map(TableId::local);
        found.extend(local.filter(|local| !found.contains(local)));
    }
    found
}

/// The table that a view means by a name; without a schema, its own neighbour before one of another schema.
fn table_named<'c>(named: &Named, view: &Entry, catalog: &'c Catalog) -> Option<&'c TableId> {
    let id = &view.table.id;
    let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let ids = catalog.tables_of(&id.source).map(|entry| &entry.table.id);
    let alike: Vec<&TableId> = ids.filter(|other| *other != id && same(&other.name, &named.name)).collect();
    let in_schema =
        |schema: &str| alike.iter().find(|other| other.schema.as_deref().is_some_and(|own| same(own, schema)));
    let found = match &named.schema {
        Some(schema) => in_schema(schema).or_else(|| alike.iter().find(|other| other.schema.is_none())),
        None => id.schema.as_deref().and_then(in_schema).or(alike.first()),
    };
    found.copied()
}

/// A table's name as it stands in a text.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    schema: Option<String>,
    name: String,
}

/// A word, a quoted name or a punctuation mark.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    Plain(String),
    Quoted(String),
    Mark(char),
}

fn sources(words: &[Word]) -> Vec<Named> {
    const ENDS: [&str; 11] =
        ["where", "group", "order", "on", "select", "having", "union", "limit", "using", "window", "set"];
    let mut names = Vec::new();
    let (mut in_list, mut expected) = (false, false);
    let mut schema = None;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        match word {
            Word::Plain(text) if ["from", "join"].contains(&text.to_ascii_lowercase().as_str()) => {
                (in_list, expected) = (true, true);
                schema = None;
            }
            Word::Plain(text) if ENDS.contains(&text.to_ascii_lowercase().as_str()) => {
                (in_list, expected) = (false, false);
            }
            Word::Mark(',') => {
                expected = in_list;
                schema = None;
            }
            Word::Plain(text) | Word::Quoted(text) if expected => {
                if words.peek() == Some(&&Word::Mark('.')) {
                    schema = Some(text.clone());
                    continue;
                }
                names.push(Named { schema: schema.take(), name: text.clone() });
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
    use catalog::Entry;

    use super::{Named, reads, sources, words};
    use crate::testing::{catalog, table};

    #[test]
    fn names_behind_from_and_join_are_found() {
        for (sql, expected) in [
            (
                "SELECT a.x, b FROM a, main.\"b c\" AS b WHERE a.x IN (SELECT y FROM d) -- from e",
                vec!["a", "main.b c", "d"],
            ),
            ("select 'from z' from [q] left join `r` on q.a = r.a, 1", vec!["q", "r"]),
            ("WITH x AS (SELECT 1 FROM t) SELECT * FROM x /* join u */", vec!["t", "x"]),
            ("from", vec![]),
            ("SELECT 'open", vec![]),
        ] {
            let written = |named: Named| named.schema.into_iter().chain([named.name]).collect::<Vec<_>>().join(".");
            assert_eq!(sources(&words(sql)).into_iter().map(written).collect::<Vec<_>>(), expected, "{sql}");
        }
    }

    #[test]
    fn a_bare_name_is_a_table_of_the_views_own_schema() {
        let in_schema = |schema: &str, name: &str, definition: Option<&str>| {
            let mut table = table(name, &[("id", "INTEGER")], &[], &[]);
            table.id.schema = Some(schema.to_owned());
            table.definition = definition.map(str::to_owned);
            Entry::bare(table)
        };
        let catalog = catalog(vec![
            in_schema("archive", "orders", None),
            in_schema("sales", "orders", None),
            in_schema("sales", "recent", Some("SELECT id FROM orders")),
            in_schema("sales", "former", Some("SELECT o.id FROM Archive.orders AS o, orders")),
        ]);
        let read = |name: &str| reads(catalog.find(name, None)[0], &catalog);
        assert_eq!(read("recent"), ["sales.orders"]);
        assert_eq!(read("former"), ["archive.orders", "sales.orders"]);
    }
}
