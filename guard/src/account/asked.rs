//! What the engine is asked: the statement without what was judged, or the query that it explains.

use catalog::{Catalog, Dialect};
use sql::{Beside, Mention, ResolvedStatement, Span, Through};

use super::Closed;

/// The query that a statement explains, where nothing but words and plain options in brackets stands before it.
pub(super) fn explained(sql: &str) -> Option<&str> {
    const OPTIONS: [&str; 25] = [
        "explain",
        "analyze",
        "verbose",
        "extended",
        "partitions",
        "query",
        "plan",
        "format",
        "json",
        "tree",
        "text",
        "traditional",
        "syntax",
        "pipeline",
        "estimate",
        "costs",
        "buffers",
        "settings",
        "summary",
        "timing",
        "wal",
        "on",
        "off",
        "true",
        "false",
    ];
    let mut rest = sql.trim_start();
    let mut is_inside = false;
    loop {
        let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let word = rest[..end.unwrap_or(rest.len())].to_ascii_lowercase();
        match (word.as_str(), rest.chars().next()?) {
            ("select" | "with" | "values" | "table" | "from", _) if !is_inside => return Some(rest),
            ("", '(') if !is_inside => is_inside = true,
            ("", ')') if is_inside => is_inside = false,
            ("", '=' | ',') => {}
            (option, _) if OPTIONS.contains(&option) => {
                rest = rest[word.len()..].trim_start();
                continue;
            }
            _ => return None,
        }
        rest = rest[1..].trim_start();
    }
}

/// Whether a text in small letters can hold a name that isn't to be seen in it.
pub(super) fn hides_names(text: &str) -> bool {
    ["\\", "u&", "/*"].iter().any(|mark| text.contains(mark))
}

/// How names of open columns are written in what the engine is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// As they stand.
    AsWritten,
    /// Without quotes, where they are plain.
    Bare,
}

/// The statement with NULL in the place of every closed column that it names, and how many those are. Where the account is a
/// plan, NULL is what no planner computes beforehand: it would leave out what a condition that is never true keeps from
/// being read.
pub(super) fn without_closed(
    sql: &str,
    reading: &ResolvedStatement,
    catalog: &Catalog,
    dialect: &Dialect,
    closed: &mut Closed<'_>,
    names: Names,
) -> (String, usize) {
    let named = reading.columns.iter().filter(|used| used.through == Through::Name && closed.is(&used.column));
    let mut places: Vec<(usize, usize, String)> = named
        .filter_map(|used| {
            let span = used.span?;
            let column = catalog.entry(&used.column.table).and_then(|entry| entry.table.column(&used.column.column));
            // A type with quotes in it would have to be read by somebody first.
            let typed =
                column.map(|column| column.data_type.as_str()).filter(|words| !words.contains(['\'', '"', '`']));
            // A list of values has quotes in it, and compares as a text.
            let is_a_list = || column.is_some_and(|it| it.data_type.starts_with("ENUM("));
            let null = match (dialect.account().stand_in, typed) {
                (None, _) => "NULL".to_owned(),
                // Behind a composite type stand its fields.
                (Some(form), Some(words)) => form.replace("{type}", words.split(" (").next().unwrap_or(words)),
                (Some(form), None) if is_a_list() => form.replace("{type}", "VARCHAR"),
                (Some(_), None) => return None,
            };
            Some((start_of_path(&reading.mentions, span), span.end, null))
        })
        .collect();
    places.sort();
    places.dedup();
    let left_out = places.len();
    if names == Names::Bare {
        let of_open = unquoted(sql, reading, dialect)
            .into_iter()
            .filter(|(start, end, _)| places.iter().all(|(taken, until, _)| end <= taken || until <= start));
        let of_open: Vec<_> = of_open.collect();
        places.extend(of_open);
        places.sort();
        places.dedup();
    }
    let mut rest = String::with_capacity(sql.len());
    let mut from = 0;
    for (start, end, null) in &places {
        if let Some(before) = sql.get(from..*start) {
            rest.push_str(before);
            rest.push_str(null);
            from = *end;
        }
    }
    rest.push_str(sql.get(from..).unwrap_or_default());
    (rest, left_out)
}

/// Columns that are written in quotes, without them: MariaDB calls an expression without a name by its text, and what it tells
/// of a name with quotes in it can't be read. Of a name that is a word of its own it says that it doesn't understand.
fn unquoted(sql: &str, reading: &ResolvedStatement, dialect: &Dialect) -> Vec<(usize, usize, String)> {
    let is_plain = |name: &&str| {
        let first = name.chars().next();
        first.is_some_and(|first| first.is_ascii_alphabetic())
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
            && !dialect.syntax().is_value_word(name)
    };
    let bare = |span: Span| -> Option<(usize, usize, String)> {
        let name = sql.get(span.start..span.end)?.strip_prefix('`')?.strip_suffix('`').filter(is_plain)?;
        Some((span.start, span.end, name.to_owned()))
    };
    let ends = reading.columns.iter().filter(|used| used.through == Through::Name).filter_map(|used| used.span);
    ends.flat_map(|last| {
        let first = start_of_path(&reading.mentions, last);
        let path = reading.mentions.iter().map(|mention| mention.span);
        path.filter(move |span| first <= span.start && span.end <= last.end)
    })
    .filter_map(bare)
    .collect()
}

/// Where the path begins whose last name stands there: `p` in `p . "email"`.
fn start_of_path(mentions: &[Mention], last: Span) -> usize {
    let Some(mut place) = mentions.iter().position(|mention| mention.span == last) else { return last.start };
    while let Some(before) = place.checked_sub(1)
        && mentions[place].before == Beside::Dot
        && mentions[before].after == Beside::Dot
    {
        place = before;
    }
    mentions[place].span.start
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Dialect, Source};
    use sql::CatalogSchema;

    use super::{explained, start_of_path};

    #[test]
    fn a_path_begins_with_its_first_name() {
        let catalog = Catalog::new(vec![Source::new("s", Dialect::Sqlite, "")], Vec::new(), Vec::new(), 0);
        let schema = CatalogSchema::new(&catalog, "s");
        for (sql, last, first) in [
            ("SELECT email", "email", "email"),
            ("SELECT p.email", "email", "p.email"),
            ("SELECT count(s . \"P p\".\"email\")", "\"email\"", "s . \"P p\".\"email\""),
            ("SELECT count([a[b].email) FROM x", "email", "[a[b].email"),
            ("SELECT count( -- q.\n p.phone)", "phone", "p.phone"),
            ("SELECT 1.5,email", "email", "email"),
        ] {
            let mentions = sql::read(sql, &Dialect::Sqlite, &schema).mentions;
            let start = sql.rfind(last).unwrap();
            let span = sql::Span { start, end: start + last.len() };
            assert_eq!(Some(start_of_path(&mentions, span)), sql.rfind(first), "{sql}");
        }
    }

    #[test]
    fn what_is_explained_stands_behind_words_alone() {
        let query = "SELECT 1";
        for before in ["EXPLAIN ", "explain query plan ", "EXPLAIN (VERBOSE, FORMAT JSON) ", "EXPLAIN FORMAT=JSON "] {
            assert_eq!(explained(&format!("{before}{query}")), Some(query), "{before}");
        }
        for sql in
            ["EXPLAIN ( /*) SELECT 1 -- */ SELECT 2 )", "EXPLAIN (WITH ') SELECT 1 -- ' AS k SELECT 2)", "EXPLAIN"]
        {
            assert_eq!(explained(sql), None, "{sql}");
        }
    }
}
