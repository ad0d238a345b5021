//! Results that are handed out again while nothing has been written since.
//!
//! A statement is judged as ever, by the same caller's policy and with the engine; only running it is spared. Whether the database
//! is as it was then, its engine says in the same transaction: where it can't, nothing is kept. Invariant: what is handed out is
//! what the same caller was given for the same text within the same limits, and what running it now would give; but for texts that
//! the statement puts together, or a column holds, and that are read as a moment: those aren't noticed.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use catalog::{Catalog, TableKind};
use connect::{Limits, LiveRelation, ResultSet, StatementSession};
use jiff::Timestamp;
use sql::{ResolvedStatement, StatementKind};

/// Results that are kept.
const MOST_RESULTS: usize = 128;
/// Bytes of all of them together.
const MOST_BYTES: usize = 16 << 20;
/// What a value takes besides its text.
const VALUE_BYTES: usize = 32;

/// Words of a statement that may make it another one at another moment, for somebody else, or by chance. A `*` stands for any end.
const OF_THE_MOMENT: [&str; 43] = [
    "age",
    "changes",
    "clock_*",
    "connection_id",
    "curdate",
    "current_*",
    "currentdatabase",
    "currentuser",
    "curtime",
    "database",
    "gen_*",
    "generate_ulid",
    "get_current_*",
    "getdate",
    "has_*",
    "hostname",
    "inet_*",
    "last_insert_*",
    "localtime*",
    "now*",
    "pg_*",
    "rand*",
    "schema",
    "session_user",
    "setseed",
    "sqlite_*",
    "statement_timestamp",
    "sysdate",
    "system_user",
    "tablesample",
    "timeofday",
    "today",
    "tomorrow",
    "total_changes",
    "transaction_timestamp",
    "txid_*",
    "unix_timestamp",
    "user",
    "utc_*",
    "*uuid*",
    "version",
    "xid*",
    "yesterday",
];
/// Functions of times that mean now where they aren't told a moment.
const NOW_WITHOUT_ARGUMENTS: [&str; 7] = ["date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch"];

/// Results that were handed out, the latest last.
#[derive(Debug, Default)]
pub struct ResultCache {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    asked: Asked,
    state: String,
    result: ResultSet,
    at: Timestamp,
    bytes: usize,
}

/// Whose statement it is, of which source, within which limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) caller: String,
    pub(crate) source: String,
    /// Where the source lies: two configurations may call different ones the same.
    pub(crate) location: String,
    pub(crate) sql: String,
    pub(crate) limits: Limits,
}

impl ResultCache {
    /// What was given for it when the database was in that state, and when.
    pub(crate) fn get(&self, asked: &Asked, state: &str) -> Option<(ResultSet, Timestamp)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|kept| kept.asked == *asked)?;
        let found = kept.remove(place)?;
        // The database has gone on.
        if found.state != state {
            return None;
        }
        let given = (found.result.clone(), found.at);
        kept.push_back(found);
        Some(given)
    }

    /// Keeps what was given; the oldest go where there are too many.
    pub(crate) fn put(&self, asked: Asked, state: String, result: &ResultSet) {
        let of = |value: &connect::Value| VALUE_BYTES + value.as_text().map_or(0, |text| text.len());
        let bytes = asked.sql.len() + result.rows.iter().flatten().map(of).sum::<usize>();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.asked != asked);
        if bytes > MOST_BYTES {
            return;
        }
        kept.push_back(Kept { asked, state, result: result.clone(), at: Timestamp::now(), bytes });
        while kept.len() > MOST_RESULTS || kept.iter().map(|kept| kept.bytes).sum::<usize>() > MOST_BYTES {
            kept.pop_front();
        }
    }
}

/// The state of the database that a session sees, where the statement gives the same whenever it is run in the same state.
pub(crate) async fn state_of(
    sql: &str,
    reading: &ResolvedStatement,
    catalog: &Catalog,
    session: &mut dyn StatementSession,
) -> Option<String> {
    if !depends_on_data_alone(sql, reading, session.live()) {
        return None;
    }
    // Parts of a table may lie elsewhere.
    let is_of_tables = |relation: &LiveRelation| {
        let of = |child: &String| catalog.find(child, Some(&relation.id.source)).into_iter();
        relation.children.iter().all(|child| of(child).any(|entry| entry.table.kind == TableKind::Table))
    };
    if !session.live().iter().all(is_of_tables) {
        return None;
    }
    session.data_state().await.ok().flatten()
}

/// Whether a statement reads tables of this database alone, and computes nothing that the moment, the caller or chance decides.
fn depends_on_data_alone(sql: &str, reading: &ResolvedStatement, live: &[LiveRelation]) -> bool {
    let lower = sql.to_lowercase();
    let mut all_words = lower.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|word| !word.is_empty());
    let of_the_moment = all_words.any(|word| OF_THE_MOMENT.iter().any(|pattern| words::matches_glob(pattern, word)));
    let means_now = reading.functions.iter().any(|function| {
        let least = usize::from(function.name() == "strftime");
        NOW_WITHOUT_ARGUMENTS.contains(&function.name()) && function.arguments.len() <= least
    });
    let are_tables = live.iter().all(|relation| relation.kind == TableKind::Table && relation.row_policies.is_empty());
    let is_query = reading.kind == StatementKind::Query && reading.statements == 1;
    let all_are_known =
        reading.tables.iter().filter(|used| used.table.is_some()).count() >= 1 && reading.open_relations.is_empty();
    is_query && all_are_known && are_tables && !of_the_moment && !means_now
}
