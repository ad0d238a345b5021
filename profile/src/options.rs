//! What a run is asked to do, what it tells while it runs, and what it comes to.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use catalog::{Source, Table, TableId};
use jiff::Timestamp;

use crate::origins::Lineage;
use privacy::Sensitivity;

/// How to profile.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which columns are never read, or never kept.
    pub sensitive: Sensitivity,
    /// Leave out tables that have not changed for over a year: of their rows nothing is looked at but what tells their
    /// age. They are marked as stale either way.
    pub skip_stale: bool,
    /// The time that profiles are dated with, and that staleness is counted from.
    pub now: Timestamp,
    /// Rows to look at in a table that is not read whole.
    pub rows: usize,
    /// Tables up to this many rows are read whole.
    pub all_rows_below: u64,
    /// Profile every table again, whether or not something says that it has changed.
    pub full: bool,
    /// Tables worked on at a time, at most; fewer where the engine's connector says so.
    pub parallel_tables: usize,
    /// Slow down while others work with the database, where the engine tells.
    pub give_way: bool,
    /// Reads the definitions of views, whose columns are as sensitive as those they are made from.
    pub lineage: Option<Lineage>,
    /// What is known of the source's tables besides what their engine tells.
    pub additions: Option<Arc<dyn Additions>>,
    /// What is done once the structure is known, before it is stored.
    pub on_structure: Option<OnStructure>,
}

/// What is done once a source's structure is known.
#[derive(Clone)]
pub struct OnStructure(Arc<Work>);

type Work = dyn Fn(&Source, &[Table]) -> Result<(), Failure> + Send + Sync;

/// What went wrong in it.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

impl OnStructure {
    /// This, called with the source and its tables.
    pub fn new(work: impl Fn(&Source, &[Table]) -> Result<(), Failure> + Send + Sync + 'static) -> Self {
        Self(Arc::new(work))
    }

    pub(crate) fn call(&self, source: &Source, tables: &[Table]) -> Result<(), Failure> {
        (self.0)(source, tables)
    }
}

impl Debug for OnStructure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OnStructure")
    }
}

/// What is known of tables besides what their engine tells: what the tool that fills them says.
pub trait Additions: Debug + Send + Sync {
    /// Adds it to what introspection has found.
    fn add_to(&self, tables: &mut [Table]);

    /// Whether one table is made from the other, as far as that is known: then rows of the other don't refer to it.
    fn is_made_from(&self, _made: &TableId, _from: &TableId) -> bool {
        false
    }

    /// Whether the rows of a table are tested to have each a value of its own in a column.
    fn is_tested_key(&self, _table: &TableId, _column: &str) -> bool {
        false
    }
}

impl Options {
    /// The defaults: standard sensitivity, stale tables profiled and marked, 10,000 rows.
    pub fn new(now: Timestamp) -> Self {
        Self {
            sensitive: Sensitivity::standard(),
            skip_stale: false,
            now,
            rows: 10_000,
            all_rows_below: 10_000,
            full: false,
            parallel_tables: 4,
            give_way: true,
            lineage: None,
            additions: None,
            on_structure: None,
        }
    }
}

/// What happens during a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The structure is known and stored.
    Started {
        /// How many tables and views there are.
        tables: usize,
    },
    /// One table is done, and stored if there is anything to store.
    Table {
        /// Which.
        id: TableId,
        /// Its place, from 1.
        index: usize,
        /// Out of how many.
        total: usize,
        /// How it went.
        outcome: Outcome,
    },
    /// All tables are done and undeclared keys have been looked for.
    KeysInferred {
        /// How many were found.
        count: usize,
    },
}

/// How it went with one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has a new profile.
    Profiled,
    /// The stored profile still holds.
    Unchanged,
    /// It was left out, and that is stored with the reason.
    Skipped(String),
    /// The database itself can't read it, as with a view that has lost its table; stored with the reason as well.
    Unreadable(String),
    /// It couldn't be read, with the error's code and message; the next run tries again.
    Failed(&'static str, String),
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tables and views in the source.
    pub tables: usize,
    /// With a new profile.
    pub profiled: usize,
    /// Whose stored profile still holds.
    pub unchanged: usize,
    /// Left out.
    pub skipped: usize,
    /// Those of them that the database itself can't read, with its reason.
    pub unreadable: Vec<(TableId, String)>,
    /// That couldn't be read, with code and message.
    pub failed: Vec<(TableId, &'static str, String)>,
    /// Gone from the source since the last run, and marked so in the catalog.
    pub dropped: Vec<TableId>,
    /// Undeclared foreign keys that are believed.
    pub keys_inferred: usize,
    /// How long nothing was asked because others worked with the database.
    pub rested: Duration,
}

impl Summary {
    pub(crate) fn count(&mut self, id: &TableId, outcome: &Outcome) {
        match outcome {
            Outcome::Profiled => self.profiled += 1,
            Outcome::Unchanged => self.unchanged += 1,
            Outcome::Skipped(_) => self.skipped += 1,
            Outcome::Unreadable(reason) => {
                self.skipped += 1;
                self.unreadable.push((id.clone(), reason.clone()));
            }
            Outcome::Failed(code, message) => self.failed.push((id.clone(), code, message.clone())),
        }
    }
}
