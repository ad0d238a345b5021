//! What every engine can be asked, whichever it is.
//!
//! Differences between engines are answers to questions ([`Engine::capabilities`], [`ReadRows::lookup_columns`]),
//! so that nobody above has to know which engine it is. Invariant: no method changes the database.

use std::fmt;
use std::time::SystemTime;

use async_trait::async_trait;
use catalog::{AddedFunctions, RowCount, Source, Table, TableId, WriteMark};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::ConnectError;
use crate::privileges::ExcessPrivilege;
use crate::result_set::{Limits, ResultSet};
use crate::statement::{ReadRelation, StatementSession};
use crate::statistics::TableStatistics;
use crate::value::Value;

/// What an engine can do, and what is cheap with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the engine keeps statistics of its own that make sampling unnecessary: [`ReadRows::statistics`].
    pub engine_statistics: bool,
    /// Whether long values stand apart from their rows, which can be gone over without them.
    pub keeps_long_values_apart: bool,
    /// Whether [`SampleRequest::EngineSample`] gives random rows without reading a large table from end to end.
    pub engine_sample: bool,
    /// How many tables may be worked on at a time with the database still at ease.
    pub parallel_tables: usize,
    /// Whether there is a database behind it: `false` for snapshots.
    pub executes: bool,
}

/// Which rows to look at.
#[derive(Clone, Debug, PartialEq)]
pub enum SampleRequest {
    /// The first rows in the engine's own order.
    FirstRows {
        /// At most this many.
        rows: usize,
    },
    /// The rows whose `column`, one of [`ReadRows::lookup_columns`], has one of these values; in the order of the
    /// keys, at most [`ROWS_PER_KEY`] for one of them.
    ByKey {
        /// The column.
        column: String,
        /// Values of it; those that don't occur are skipped.
        keys: Vec<Value>,
    },
    /// Rows that the engine draws at random by itself; only where [`Capabilities::engine_sample`] says so. Rows that are
    /// stored side by side may come together.
    EngineSample {
        /// About this many, and never more.
        rows: usize,
    },
    /// The first and the last rows.
    FirstAndLast {
        /// Rows at each end.
        each: usize,
        /// One of [`ReadRows::lookup_columns`].
        order_by: Option<String>,
    },
    /// How long the texts of some rows are, in bytes: in one row the mean of each column, then the longest of each. What is
    /// cut doesn't tell.
    Lengths {
        /// At most this many.
        rows: usize,
    },
}

/// How many rows [`SampleRequest::ByKey`] takes for one key.
pub const ROWS_PER_KEY: usize = 16;

/// How many characters of a cell [`ReadRows::sample`] fetches; the database cuts the rest.
pub const SAMPLE_CELL_CHARS: usize = 4096;

/// Work done on a database so far: the figures that tests and measurements are held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Statements sent.
    pub statements: u64,
    /// Rows that came back.
    pub rows_returned: u64,
    /// Rows the engine skipped in scans without an index, where it says.
    pub rows_scanned: u64,
}

impl Work {
    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            statements: self.statements + other.statements,
            rows_returned: self.rows_returned + other.rows_returned,
            rows_scanned: self.rows_scanned + other.rows_scanned,
        }
    }
}

/// A database by what it is, what it can do, and what was asked of it so far.
pub trait Engine: Send + Sync + fmt::Debug {
    /// Its name, dialect and redacted location.
    fn source(&self) -> &Source;

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// When the database was last written to or put in its place, where that can be told without reading it. Too late is
    /// allowed, too early isn't.
    fn changed_at(&self) -> Option<SystemTime> {
        None
    }

    /// Work done through this connector so far.
    fn work(&self) -> Work;
}

/// What there is in a database, by the engine's own catalog.
#[async_trait]
pub trait Introspect: Engine {
    /// All tables and views with columns, declared keys and indexes, in a total order. Declared keys that point at a
    /// table or column that doesn't exist are left out, because no join can follow them.
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError>;

    /// The schemas, or the database, in which the engine looks for a table that is named without one, first to last; empty
    /// where there is nothing of the kind.
    async fn search_path(&self) -> Result<Vec<String>, ConnectError> {
        Ok(Vec::new())
    }

    /// Functions that the database has besides those of its engine; nothing where the engine doesn't say what they do.
    async fn added_functions(&self) -> Result<AddedFunctions, ConnectError> {
        Ok(AddedFunctions::default())
    }

    /// What the role that we log in with may do beyond reading, the most dangerous first; nothing where there are no
    /// roles. Asks the engine's catalog only.
    async fn excess_privileges(&self) -> Result<Vec<ExcessPrivilege>, ConnectError> {
        Ok(Vec::new())
    }

    /// A text that is another one once a table, view, column or key is, for one cheap statement; it may be another one without that.
    /// `None` where the engine has nothing of the kind.
    async fn structure_mark(&self) -> Result<Option<String>, ConnectError> {
        Ok(None)
    }

    /// The role that we log in with; nothing where there are no roles.
    async fn role(&self) -> Result<Option<String>, ConnectError> {
        Ok(None)
    }

    /// The columns that the role may read, by table; `None` where there are no roles, or where the engine doesn't tell.
    async fn readable(&self) -> Result<Option<Vec<ReadableTable>>, ConnectError> {
        Ok(None)
    }

    /// The statements that the engine has counted most often, without our own where it tells whose they are; `None` where it
    /// counts none, or isn't set to.
    async fn statements_run(&self) -> Result<Option<Vec<StatementRun>>, ConnectError> {
        Ok(None)
    }
}

/// What a role may read of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadableTable {
    /// The table.
    pub table: TableId,
    /// Its columns that the role may read.
    pub columns: Vec<String>,
}

/// A statement that an engine has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementRun {
    /// Its text; constants are parameters.
    pub sql: String,
    /// How often it was run since the engine began to count.
    pub runs: u64,
    /// The role that ran it, where the engine tells.
    pub role: Option<String>,
    /// When it was last run, where the engine tells.
    pub last: Option<Timestamp>,
}

/// What is in its tables, as far as profiling looks: counts, statistics, samples, look-ups of values.
#[async_trait]
pub trait ReadRows: Engine {
    /// How many rows there are: exact where that is cheap, an estimate otherwise, `None` where neither can be had
    /// without reading a large table. A failure means that the table can't be read at all (a broken view).
    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError>;

    /// What the engine knows of these columns from statistics of its own that are not out of date; `None` where it has
    /// none, and nothing of columns it has none for.
    async fn statistics(&self, _table: &Table, _columns: &[String]) -> Result<Option<TableStatistics>, ConnectError> {
        Ok(None)
    }

    /// What the engine told at the last introspection of the writes to a table; `None` where it doesn't count them.
    async fn write_mark(&self, _table: &Table) -> Result<Option<WriteMark>, ConnectError> {
        Ok(None)
    }

    /// How many statements of others the database works on at this moment; `None` where it doesn't tell. Costs next to
    /// nothing.
    async fn others_at_work(&self) -> Result<Option<u64>, ConnectError> {
        Ok(None)
    }

    /// Columns whose rows are found by value without a scan, best first: unique ones before others. May name a column
    /// that `table` doesn't list, such as SQLite's `rowid`.
    async fn lookup_columns(&self, table: &Table) -> Result<Vec<LookupColumn>, ConnectError>;

    /// The smallest and the largest value of a column; `None` where the table is empty, or where no index leads to
    /// them.
    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError>;

    /// Rows, with only the columns asked for: the others never leave the database. Cells are cut at
    /// [`SAMPLE_CELL_CHARS`] by the database itself, which is not counted as truncation.
    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError>;

    /// Sample values that came with the schema, as (column, values); `None` where there is a database to ask.
    async fn provided_samples(&self, _table: &Table) -> Result<Option<Vec<(String, Vec<String>)>>, ConnectError> {
        Ok(None)
    }

    /// How many of these different values occur in a column. Only for columns with an index, and for small tables.
    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError>;
}

/// Statements that somebody wrote.
#[async_trait]
pub trait OpenStatement: Engine {
    /// Has the engine compile a statement somebody wrote, without running it, and tell what the relations are that it
    /// reads. Everything up to the statement's last row happens on the session that comes back, within
    /// `limits.timeout`. Only room `guard` may call this, after its checks.
    async fn open_statement(
        &self,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError>;
}

/// A database that can be read in every way. Who needs less of it takes one of the traits it is made of.
pub trait Connector: Introspect + ReadRows + OpenStatement {}

impl<T: Introspect + ReadRows + OpenStatement> Connector for T {}

/// A column whose rows are found by value without a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupColumn {
    /// Its name.
    pub name: String,
    /// Whether a value occurs at most once.
    pub unique: bool,
}
