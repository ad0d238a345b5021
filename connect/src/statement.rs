//! One statement from the first question about it to its last row: on one connection, in one transaction, within one
//! time limit.
//!
//! Between a check and a run a table can get another column, another name, or become a view. So the engine is asked,
//! in the transaction in which the statement will run, what the relations are that it reads, and the caller compares
//! that with what the statement was judged by. How an engine keeps them as they are until the end is said where it is
//! implemented. Invariant: what [`StatementSession::run`] runs is the text that the session was opened with.

use async_trait::async_trait;
use catalog::{Identity, RowPolicy, TableId, TableKind};
use serde::{Deserialize, Serialize};

use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet};

/// A relation that a statement reads, by itself or through a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadRelation {
    /// The catalog's name for it.
    pub id: TableId,
    /// Whether the statement itself names it; what else it reads, it reads through one of these.
    pub named: bool,
    /// Whether it is named without a schema, so that the engine's own search decides which one is meant.
    pub bare: bool,
}

/// What a relation is at this moment, in the words that introspection would use for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRelation {
    /// As it was asked for.
    pub id: TableId,
    /// Table, view …
    pub kind: TableKind,
    /// A view's query text.
    pub definition: Option<String>,
    /// Name and type of every column, in the relation's own order.
    pub columns: Vec<(String, String)>,
    /// The expressions that columns are made by, by the column's name; `None` where the engine lets nobody change them.
    pub made: Option<Vec<(String, String)>>,
    /// Whether another relation is meant where the statement names this one without a schema.
    pub hidden: bool,
    /// What the engine tells it by.
    pub identity: Identity,
    /// The table that it is a part of, `schema.name`, where the engine lets parts be named.
    pub part_of: Option<String>,
    /// What chooses the rows that this connection sees of it.
    pub row_policies: Vec<RowPolicy>,
    /// The tables whose rows it has, as names inside the source, parts among them, where the engine has such.
    pub children: Vec<String>,
}

/// A key that a statement was judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldKey {
    /// The table, and its column as introspection spells it.
    pub column: (TableId, String),
    /// The column that it refers to; `None` where no two rows have the same value in it.
    pub refers_to: Option<(TableId, String)>,
}

/// A text that a statement equates with a column, to be looked for before the statement runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextLookUp {
    /// The table.
    pub table: TableId,
    /// The column, spelt as introspection spells it.
    pub column: String,
    /// The text.
    pub text: String,
    /// From how many first rows other values are wanted where the text doesn't occur; 0 for none.
    pub others_from: usize,
}

/// What was found of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFound {
    /// Whether the column holds it; `None` where that couldn't be told.
    pub occurs: Option<bool>,
    /// Different values of the column, where it doesn't.
    pub others: Vec<String>,
}

/// A column that the engine takes a statement to read, by its own account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EngineRead {
    /// The schema of the relation, where the engine says it.
    pub schema: Option<String>,
    /// The relation; `None` where the engine doesn't say which of those that the statement reads.
    pub relation: Option<String>,
    /// What of it.
    pub what: ReadWhat,
    /// The view or common table expression in whose query it is read, where the engine says so.
    pub through: Option<String>,
}

/// What is read of a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReadWhat {
    /// A column.
    Column(String),
    /// Whole rows.
    Row,
    /// The columns that stand in this text, which is as the engine writes conditions.
    Within(String),
}

/// A statement that the engine has compiled, with what it reads held as it is as far as the engine can.
#[async_trait]
pub trait StatementSession: Send {
    /// What the relations are that the session was opened with, in no order; those that aren't there are left out.
    fn live(&self) -> &[LiveRelation];

    /// Looks for texts in columns that an index leads to, or of small tables.
    async fn look_up(&mut self, wanted: &[TextLookUp]) -> Result<Vec<TextFound>, ConnectError>;

    /// The engine's plan of the statement, as its EXPLAIN gives it; nothing runs.
    async fn plan(&mut self) -> Result<ResultSet, ConnectError>;

    /// Functions that a word of the statement may call and that somebody has made, or an extension's that may do anything:
    /// in lower case, where the engine can be asked for them in one go with what its relations are.
    fn functions(&self) -> &[String] {
        &[]
    }

    /// Whether all of these keys hold now. Files are taken at the word of the last introspection.
    async fn holds(&mut self, _keys: &[HeldKey]) -> Result<bool, ConnectError> {
        Ok(true)
    }

    /// The columns that the engine takes `sql` to read: the statement, or what is left of it where something was put in the
    /// place of parts. Nothing runs. `None` where the engine has no account to give; where it gives one that can't be read,
    /// an error.
    async fn reads(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError>;

    /// What tells the state of the database whose rows this session sees: while two sessions are given the same, nothing was
    /// written in between that either of them could see. `None` where the engine doesn't tell, or the state can't be told from
    /// one of a moment ago.
    async fn data_state(&mut self) -> Result<Option<String>, ConnectError> {
        Ok(None)
    }

    /// Runs the statement, to be asked at most once. Where the engine can't hold its relations, they are looked at again
    /// behind the last row, and [`ConnectError::Changed`] takes the place of the rows if they are not what they were.
    async fn run(&mut self) -> Result<ResultSet, ConnectError>;

    /// Gives everything back. A session that is dropped without it has its statement stopped.
    async fn end(self: Box<Self>);
}

/// The limits of an engine's plan: one large text, or a few rows.
pub(crate) fn plan_limits(limits: &Limits) -> Limits {
    Limits { rows: 2_000, bytes: 8 << 20, cell_chars: 4 << 20, ..limits.clone() }
}
