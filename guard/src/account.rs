//! What the engine takes a statement to read, against what it was judged to read.
//!
//! What a name means differs from engine to engine, in more ways than anybody has written down. So the engine is asked
//! which columns it takes the statement to read, once it has compiled it and before anything runs. In what it is asked, NULL
//! stands wherever the judgement has found a closed column and has said that it may stand there: then no closed column is
//! left by its own account, or a name means another column to it than to us.
//!
//! Invariant: nothing runs of which the engine says that it reads a closed column where none was judged.

use std::collections::HashSet;

use catalog::{Catalog, Dialect, Entry, Source, TableKind};
use connect::{ConnectError, EngineRead, ReadRelation, ReadWhat, StatementSession};
use sql::{Beside, ColumnRef, Mention, Reading, Span, StatementKind, TableUseKind, Through};

use crate::cost;
use crate::finding::{Finding, Severity, Verdict};
use crate::live;
use crate::masks::{Masks, Shown};
use crate::policy::{Policy, PolicyConfig, SensitiveColumns, Unprofiled};

/// The verdict with a finding where the engine reads a closed column that the statement wasn't judged to read.
///
/// # Errors
/// What the engine has against the statement itself. Of what it is asked in its place, it is a finding.
pub(crate) async fn with_account(
    verdict: Verdict,
    sql: &str,
    catalog: &Catalog,
    source: &Source,
    session: &mut dyn StatementSession,
    policy: &Policy,
) -> Result<Verdict, ConnectError> {
    let config = policy.config_of(&source.name);
    let mut closed = Closed { masks: Masks::of(catalog), config };
    let reads = live::relations_of(&verdict.reading, catalog);
    let text = sql.to_lowercase();
    let may_read = |entry: &&Entry| {
        let id = &entry.table.id;
        reads.iter().any(|read| read.id == *id) || text.contains(&id.name.to_lowercase()) || hides_names(&text)
    };
    let mut readable = catalog.tables_of(&source.name).filter(may_read);
    if !readable.any(|entry| closed.any_of(entry)) {
        return Ok(verdict);
    }
    // What is explained or described is computed in part, and estimates tell of values, too.
    let query = match verdict.reading.kind {
        StatementKind::Query => sql,
        StatementKind::Explain => match explained(sql) {
            Some(query) => query,
            None => return Ok(verdict.with(not_told())),
        },
        _ if text.contains("select") => return Ok(verdict.with(not_told())),
        _ => return Ok(verdict),
    };
    // Its authorizer isn't told of the columns that it joins by itself.
    if source.dialect == Dialect::Sqlite && has_word(&text, "natural") {
        return Ok(verdict.with(not_told()));
    }
    let (asked, left_out) = match verdict.reading.kind {
        // Nothing closed may be named in it at all.
        StatementKind::Explain => (query.to_owned(), 0),
        _ => without_closed(query, &verdict.reading, catalog, &source.dialect, &mut closed),
    };
    let told = match session.reads(&asked).await {
        Ok(Some(told)) => told,
        Ok(None) => return Ok(verdict),
        Err(ConnectError::Statement { .. } | ConnectError::Denied { .. }) if left_out > 0 => {
            return Ok(verdict.with(not_told()));
        }
        Err(ConnectError::Denied { .. }) => return Ok(verdict.with(cost::unreadable())),
        Err(error) => return Err(error),
    };
    let found = Told { catalog, source, reads: &reads, reading: &verdict.reading }.closed(&told, &mut closed);
    Ok(match found {
        Some(_) if source.dialect == Dialect::Clickhouse => verdict.with(not_said_which()),
        Some(column) => verdict.with(misread(&column)),
        None => verdict,
    })
}

/// The finding for a statement that an engine wouldn't compile which computes parts of it for that, where a table with closed
/// columns is read: whether it was that or the account would tell what was computed.
pub(crate) fn of_failed_compiling(
    reading: &Reading,
    catalog: &Catalog,
    source: &Source,
    policy: &Policy,
) -> Option<Finding> {
    let mut closed = Closed { masks: Masks::of(catalog), config: policy.config_of(&source.name) };
    let mut reads = live::relations_of(reading, catalog).into_iter();
    let is_closed = reads.any(|read| catalog.entry(&read.id).is_some_and(|entry| closed.any_of(entry)));
    (source.dialect == Dialect::Clickhouse && is_closed).then(not_said_which)
}

/// Whether a text in small letters has that word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(word).any(|(start, found)| {
        !is_part(text[..start].chars().next_back()) && !is_part(text[start + found.len()..].chars().next())
    })
}

/// The query that a statement explains, where nothing but words and plain options in brackets stands before it.
fn explained(sql: &str) -> Option<&str> {
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

/// Which columns may not be read.
struct Closed<'c> {
    masks: Masks<'c>,
    config: &'c PolicyConfig,
}

impl Closed<'_> {
    fn is(&mut self, column: &ColumnRef) -> bool {
        if self.config.denies(column) {
            return true;
        }
        self.config.sensitive_columns == SensitiveColumns::Refuse
            && match self.masks.shown(column) {
                Shown::Yes => false,
                Shown::Masked(_) => true,
                Shown::Unexamined => self.config.unprofiled == Unprofiled::Refuse,
            }
    }

    fn of(&mut self, entry: &Entry) -> Vec<ColumnRef> {
        let of = |name: &String| ColumnRef { table: entry.table.id.clone(), column: name.clone() };
        entry.table.columns.iter().map(|column| of(&column.name)).filter(|column| self.is(column)).collect()
    }

    fn any_of(&mut self, entry: &Entry) -> bool {
        !self.of(entry).is_empty()
    }
}

/// Whether a text in small letters can hold a name that isn't to be seen in it.
fn hides_names(text: &str) -> bool {
    ["\\", "u&", "/*"].iter().any(|mark| text.contains(mark))
}

/// The statement with NULL in the place of every closed column that it names, and how many those are. Where the account is a
/// plan, NULL is what no planner computes beforehand: it would leave out what a condition that is never true keeps from
/// being read.
fn without_closed(
    sql: &str,
    reading: &Reading,
    catalog: &Catalog,
    dialect: &Dialect,
    closed: &mut Closed<'_>,
) -> (String, usize) {
    let named = reading.columns.iter().filter(|used| used.through == Through::Name && closed.is(&used.column));
    let mut places: Vec<(usize, usize, String)> = named
        .filter_map(|used| {
            let span = used.span?;
            let column = catalog.entry(&used.column.table).and_then(|entry| entry.table.column(&used.column.column));
            // A type with quotes in it would have to be read by somebody first.
            let typed =
                column.map(|column| column.data_type.as_str()).filter(|words| !words.contains(['\'', '"', '`']));
            let null = match (dialect, typed) {
                (Dialect::Postgres, Some(words)) => {
                    format!("CASE WHEN pg_catalog.random() < 2 THEN CAST(NULL AS {words}) END")
                }
                (Dialect::Duckdb, Some(words)) => format!("CASE WHEN random() < 2 THEN CAST(NULL AS {words}) END"),
                (Dialect::Postgres | Dialect::Duckdb, None) => return None,
                _ => "NULL".to_owned(),
            };
            Some((start_of_path(&reading.mentions, span), span.end, null))
        })
        .collect();
    places.sort();
    places.dedup();
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
    (rest, places.len())
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

/// What the engine has told of a statement.
struct Told<'t> {
    catalog: &'t Catalog,
    source: &'t Source,
    reads: &'t [ReadRelation],
    reading: &'t Reading,
}

impl Told<'_> {
    /// A closed column among what the engine reads.
    fn closed(&self, told: &[EngineRead], closed: &mut Closed<'_>) -> Option<ColumnRef> {
        let views = self.views();
        // Where nothing of a view is closed, what it reads was judged with it; but not where another one shows the same.
        let (shut, open): (Vec<&Entry>, Vec<&Entry>) = views.iter().partition(|view| closed.any_of(view));
        let read_by = |views: &[&Entry]| -> HashSet<ColumnRef> {
            let readings = views.iter().filter_map(|view| sql::read_view(&view.table, self.catalog));
            readings.flat_map(|view| view.columns).collect()
        };
        let (of_shut, of_open) = (read_by(&shut), read_by(&open));
        let behind: HashSet<&ColumnRef> = of_open.difference(&of_shut).collect();
        let is_view = |name: &str| views.iter().any(|view| view.table.id.name.eq_ignore_ascii_case(name));
        for read in told {
            // What a view reads was judged when the view was.
            if read.through.as_deref().is_some_and(|view| is_view(view) && !self.is_a_cte(view)) {
                continue;
            }
            for entry in self.meant(read) {
                let is_behind = self.reads.iter().any(|it| it.id == entry.table.id && !it.named);
                let mut columns = closed.of(entry).into_iter();
                let found =
                    columns.find(|column| names(&read.what, &column.column) && !(is_behind && behind.contains(column)));
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Whether a common table expression of the statement is called so.
    fn is_a_cte(&self, name: &str) -> bool {
        let ctes = self.reading.tables.iter().filter(|used| used.kind == TableUseKind::Cte);
        ctes.filter_map(|used| used.parts.last()).any(|part| part.eq_ignore_ascii_case(name))
    }

    /// The views that the statement reads, by itself or through others.
    fn views(&self) -> Vec<&Entry> {
        let entries = self.reads.iter().filter_map(|read| self.catalog.entry(&read.id));
        entries.filter(|entry| entry.table.kind == TableKind::View).collect()
    }

    /// The relations of the catalog that can be meant: those of that name, or all that the statement reads where there is
    /// none, as of a partition.
    fn meant(&self, read: &EngineRead) -> Vec<&Entry> {
        let is_meant = |entry: &&Entry| {
            let id = &entry.table.id;
            let same = |one: &Option<String>, other: &Option<String>| match (one, other) {
                (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                _ => true,
            };
            read.relation.as_ref().is_some_and(|name| name.to_lowercase() == id.name.to_lowercase())
                && same(&read.schema, &id.schema)
        };
        let named: Vec<&Entry> = self.catalog.tables_of(&self.source.name).filter(is_meant).collect();
        // Their partitions aren't in the catalog; common table expressions give on what was read in them.
        let is_a_cte = read.relation.as_deref().is_some_and(|name| self.is_a_cte(name));
        // What a table is called as well may be that table.
        let is_an_alias = self
            .reading
            .tables
            .iter()
            .filter_map(|used| used.alias.as_ref())
            .any(|alias| read.relation.as_ref().is_some_and(|name| alias.to_lowercase() == name.to_lowercase()));
        if named.is_empty() && is_a_cte && !is_an_alias && self.source.dialect == Dialect::Mysql {
            return Vec::new();
        }
        match named.is_empty() {
            true => self.reads.iter().filter_map(|read| self.catalog.entry(&read.id)).collect(),
            false => named,
        }
    }
}

/// Whether that column is among what is read.
fn names(what: &ReadWhat, column: &str) -> bool {
    let column = column.to_lowercase();
    match what {
        ReadWhat::Row => true,
        ReadWhat::Column(name) => name.to_lowercase() == column,
        ReadWhat::Within(text) => has_word(&text.to_lowercase(), &column),
    }
}

fn misread(column: &ColumnRef) -> Finding {
    let name = format!("{}.{}", column.table.local(), column.column);
    Finding {
        rule: "masked_column",
        code: "masked_column",
        severity: Severity::Error,
        span: None,
        message: format!("the database reads `{name}` for this statement, where it may not be read"),
        why: "Some name in the statement means that column to the database, or `*` or a whole row brings it in."
            .to_owned(),
        help: "Name the columns that are needed, each with the name of its table before it, and no alias twice."
            .to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}

fn not_said_which() -> Finding {
    Finding {
        message: "the database can't compile the statement, or reads masked columns for it: which of the two isn't told".to_owned(),
        why: "It computes parts of a statement to compile it, so that the difference would tell of values.".to_owned(),
        help: "Check its functions and types, name columns with the name of their table before them, and leave out conversions \
               that may fail."
            .to_owned(),
        ..not_told()
    }
}

fn not_told() -> Finding {
    Finding {
        rule: "masked_column",
        code: "masked_column",
        severity: Severity::Error,
        span: None,
        message: "nobody can tell whether the database reads masked columns for this statement".to_owned(),
        why: "It gives no account of such a statement, or of what is left of it without the masked columns that it names."
            .to_owned(),
        help: "Use masked columns in a simpler way, or leave their tables out.".to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Dialect, Source};
    use connect::ReadWhat;
    use sql::CatalogSchema;

    use super::{explained, names, start_of_path};

    #[test]
    fn a_path_begins_with_its_first_name() {
        let catalog = Catalog::new(vec![Source::new("s", Dialect::Sqlite, "")], Vec::new(), Vec::new(), 0);
        let schema = CatalogSchema { catalog: &catalog, source: "s" };
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

    #[test]
    fn conditions_name_columns_as_words() {
        let within = |text: &str| ReadWhat::Within(text.to_owned());
        assert!(names(&within("Email='x'"), "email") && names(&within("(\"e mail\" IS NULL)"), "e mail"));
        assert!(!names(&within("email_sent=true"), "email"));
    }
}
