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
use sql::{ColumnRef, Reading, Span, StatementKind, TableUseKind, Through};

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
    if verdict.reading.kind != StatementKind::Query || !readable.any(|entry| closed.any_of(entry)) {
        return Ok(verdict);
    }
    let (asked, left_out) = without_closed(sql, &verdict.reading, catalog, &source.dialect, &mut closed);
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
        Some(column) => verdict.with(misread(&column)),
        None => verdict,
    })
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

/// The statement with NULL in the place of every closed column that it names, and how many those are.
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
            let Span { start, end, .. } = used.span?;
            let typed = catalog.entry(&used.column.table).and_then(|entry| entry.table.column(&used.column.column));
            let null = match (dialect, typed) {
                // A text is meant where nothing else is said.
                (Dialect::Postgres | Dialect::Duckdb, Some(column)) => format!("CAST(NULL AS {})", column.data_type),
                _ => "NULL".to_owned(),
            };
            Some((start_of_path(sql, start)?, end, null))
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

/// Where the path begins whose last name begins at `start`: `p` in `p . "email"`.
fn start_of_path(sql: &str, start: usize) -> Option<usize> {
    let mut start = start;
    loop {
        let before = sql.get(..start)?.trim_end();
        let Some(path) = before.strip_suffix('.') else { return Some(start) };
        let path = path.trim_end();
        let last = path.chars().next_back()?;
        start = match last {
            '"' | '`' => path[..path.len() - 1].rfind(last)?,
            ']' => path.rfind('[')?,
            _ => {
                let name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '@' | '#');
                path.rfind(|character| !name(character))
                    .map_or(0, |end| end + path[end..].chars().next().map_or(0, char::len_utf8))
            }
        };
    }
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
        let in_views: HashSet<ColumnRef> = views
            .iter()
            .filter_map(|view| sql::read_view(&view.table, self.catalog))
            .flat_map(|view| view.columns)
            .collect();
        let is_a_cte = |name: &str| {
            let ctes = self.reading.tables.iter().filter(|used| used.kind == TableUseKind::Cte);
            ctes.filter_map(|used| used.parts.last()).any(|part| part.eq_ignore_ascii_case(name))
        };
        let is_view = |name: &str| views.iter().any(|view| view.table.id.name.eq_ignore_ascii_case(name));
        for read in told {
            // What a view reads was judged when the view was.
            if read.through.as_deref().is_some_and(|view| is_view(view) && !is_a_cte(view)) {
                continue;
            }
            for entry in self.meant(read) {
                let is_behind = self.reads.iter().any(|it| it.id == entry.table.id && !it.named);
                let mut columns = closed.of(entry).into_iter();
                let found = columns
                    .find(|column| names(&read.what, &column.column) && !(is_behind && in_views.contains(column)));
                if found.is_some() {
                    return found;
                }
            }
        }
        None
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
        ReadWhat::Within(text) => {
            let text = text.to_lowercase();
            let is_part = |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
            text.match_indices(&column).any(|(start, found)| {
                !is_part(text[..start].chars().next_back()) && !is_part(text[start + found.len()..].chars().next())
            })
        }
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

fn not_told() -> Finding {
    Finding {
        rule: "masked_column",
        code: "masked_column",
        severity: Severity::Error,
        span: None,
        message: "nobody can tell what the database reads for this statement besides the masked columns that it names"
            .to_owned(),
        why: "What is left of it without those can't be compiled by itself.".to_owned(),
        help: "Use the masked column in a simpler way, or leave it out.".to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}

#[cfg(test)]
mod tests {
    use connect::ReadWhat;

    use super::{names, start_of_path};

    #[test]
    fn a_path_begins_with_its_first_name() {
        for (sql, last, first) in [
            ("SELECT email", "email", "email"),
            ("SELECT p.email", "email", "p.email"),
            ("SELECT count(s . \"P p\".\"email\")", "\"email\"", "s . \"P p\".\"email\""),
            ("SELECT é.email", "email", "é.email"),
            ("SELECT 1.5,email", "email", "email"),
        ] {
            assert_eq!(start_of_path(sql, sql.rfind(last).unwrap()), sql.rfind(first), "{sql}");
        }
    }

    #[test]
    fn conditions_name_columns_as_words() {
        let within = |text: &str| ReadWhat::Within(text.to_owned());
        assert!(names(&within("Email='x'"), "email") && names(&within("(\"e mail\" IS NULL)"), "e mail"));
        assert!(!names(&within("email_sent=true"), "email"));
    }
}
