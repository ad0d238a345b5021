//! Gold statements with one name made wrong, and what the engine itself says of them.
//!
//! The engine is asked to compile; SQLite with its leniency for names in double quotes turned off, so that it rejects what
//! names nothing. What it rejects the guard has to refuse; what it accepts the guard should let through.

use std::path::Path;

use anyhow::{Context, Result};
use catalog::Catalog;
use connect::{ConnectError, Connector, Limits};
use guard::Verdict;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use sql::{Span, Through};

use super::typing::{fnv, slip};

/// Missed statements that are shown.
const EXAMPLES: usize = 20;

/// What came of one way of making names wrong.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Agreement {
    /// Statements made.
    pub statements: usize,
    /// Of these, the engine rejects.
    pub rejected: usize,
    /// Of those that the engine rejects, the guard refuses.
    pub caught: usize,
    /// Of those caught, the right name is the first suggestion; where there is a right one.
    pub right_first: usize,
    /// Of those caught, the right name is among the first three suggestions.
    pub right_in_three: usize,
    /// Of those caught, a rewrite was given, and whether it restores the statement: (given, right).
    pub rewrites: (usize, usize),
    /// The guard refuses, the engine accepts.
    pub refused_alone: usize,
    /// Rejected by the engine and not refused.
    pub missed: Vec<String>,
    /// Refused by the guard alone.
    pub alone: Vec<String>,
}

/// A statement with one name made wrong.
pub(super) struct Damaged {
    /// How: `misspelt`, `dropped`, `moved`, `ambiguous`.
    pub(super) way: &'static str,
    pub(super) sql: String,
    right: Option<String>,
}

/// Every way of damaging a statement that it offers, each once, chosen by the question's id.
pub(super) fn damaged(id: &str, gold: &str, verdict: &Verdict, catalog: &Catalog, source: &str) -> Vec<Damaged> {
    let reading = &verdict.reading;
    let hash = usize::try_from(fnv(id) >> 16).unwrap_or_default();
    let columns: Vec<(Span, &sql::ColumnRef)> = reading
        .columns
        .iter()
        .filter(|used| used.through == Through::Name)
        .filter_map(|used| Some((used.span?, &used.column)))
        .collect();
    let tables: Vec<Span> =
        reading.tables.iter().filter(|used| used.table.is_some()).filter_map(|used| used.span).collect();
    let mut places: Vec<Span> = columns.iter().map(|(span, _)| *span).chain(tables).collect();
    places.sort_unstable();
    places.dedup();
    let Some(&place) = places.get(hash % places.len().max(1)) else { return Vec::new() };
    let name = |place: Span| place.text(gold).trim_matches(['"', '`', '[', ']']).to_owned();
    let with = |place: Span, text: &str| format!("{}{text}{}", &gold[..place.start], &gold[place.end..]);
    let mut made = Vec::new();
    if let Some(wrong) = slip(&name(place), fnv(id) / 7919) {
        let text = place.text(gold).replacen(&name(place), &wrong, 1);
        made.push(Damaged { way: "misspelt", sql: with(place, &text), right: Some(name(place)) });
    }
    made.push(Damaged { way: "dropped", sql: with(place, ""), right: None });
    if let Some((place, used)) = columns.get(hash % columns.len().max(1)) {
        let read = reading.table_ids();
        let others = catalog.tables_of(source).filter(|entry| !read.contains(&&entry.table.id));
        let elsewhere: Vec<&str> = others
            .flat_map(|entry| entry.table.columns.iter().map(|column| column.name.as_str()))
            .filter(|name| !name.eq_ignore_ascii_case(&used.column))
            .collect();
        if let Some(other) = elsewhere.get(hash % elsewhere.len().max(1)) {
            let other = catalog.dialect(source).identifier(other);
            made.push(Damaged { way: "moved", sql: with(*place, &other), right: None });
        }
    }
    // A qualifier is left out where two of the tables have the column.
    let shared = columns.iter().find_map(|(place, used)| {
        let having = reading
            .table_ids()
            .into_iter()
            .filter(|id| catalog.entry(id).is_some_and(|entry| entry.table.column(&used.column).is_some()));
        let before = gold[..place.start].strip_suffix('.').filter(|_| having.count() > 1)?;
        let start = before.rfind(|character: char| !character.is_alphanumeric() && !"_\"`".contains(character))? + 1;
        Some(Span { start, end: place.start })
    });
    if let Some(qualifier) = shared {
        made.push(Damaged { way: "ambiguous", sql: with(qualifier, ""), right: None });
    }
    made
}

/// SQLite, opened so that it says what it can't resolve.
pub(super) struct Sqlite(Connection);

impl Sqlite {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .with_context(|| format!("opening {}", path.display()))?;
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)
            .context("turning off strings in double quotes")?;
        Ok(Self(connection))
    }

    pub(super) fn rejects(&self, sql: &str) -> bool {
        self.0.prepare(sql).is_err()
    }
}

/// Whether the engine behind a connector won't compile a statement.
#[expect(clippy::disallowed_methods, reason = "nothing runs, and what the engine says without the guard is measured")]
pub(super) async fn rejects(connector: &dyn Connector, sql: &str) -> Result<bool> {
    match connector.open_statement(sql, &[], &Limits::default()).await {
        Ok(session) => {
            session.end().await;
            Ok(false)
        }
        Err(ConnectError::Statement { .. } | ConnectError::Denied { .. } | ConnectError::StatementCount { .. }) => {
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

impl Agreement {
    pub(super) fn judged(&mut self, id: &str, gold: &str, damaged: &Damaged, verdict: &Verdict, rejected: bool) {
        self.statements += 1;
        let example = || format!("{id} {}", damaged.sql);
        match (rejected, verdict.is_accepted()) {
            (true, false) => {
                self.rejected += 1;
                self.caught += 1;
                let is_right = |name: &String| {
                    let last = name.rsplit('.').next().unwrap_or(name);
                    damaged.right.as_ref().is_some_and(|right| last.eq_ignore_ascii_case(right))
                };
                let mut suggested = verdict.errors().flat_map(|finding| finding.suggestions.iter()).take(3);
                let place = suggested.position(is_right);
                self.right_first += usize::from(place == Some(0));
                self.right_in_three += usize::from(place.is_some());
                if let Some(rewrite) = verdict.first_rewrite() {
                    self.rewrites.0 += 1;
                    self.rewrites.1 += usize::from(plain(rewrite) == plain(gold));
                }
            }
            (true, true) => {
                self.rejected += 1;
                self.missed.extend((self.missed.len() < EXAMPLES).then(example));
            }
            (false, false) => {
                self.refused_alone += 1;
                let why = verdict.errors().next().map(|finding| finding.message.clone()).unwrap_or_default();
                self.alone.extend((self.alone.len() < EXAMPLES).then(|| format!("{} [{why}]", example())));
            }
            (false, true) => {}
        }
    }
}

/// A statement without quotes, in lower case: rewrites may quote otherwise.
fn plain(sql: &str) -> String {
    sql.to_lowercase().replace(['"', '`'], "")
}
