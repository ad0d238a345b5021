//! What people and programs have run over a source, by its query logs: how often each table is read and written, and what
//! those who read it usually do.
//!
//! Invariant: no constant of a statement is in here but values that the table's profile holds as well, so that they go with
//! these, and short numbers in what is computed of columns that may be shown; and nobody's name.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::TableId;

mod words;

/// What has been run over a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// The time of the first statement, where the logs tell times.
    pub since: Option<Timestamp>,
    /// The time of the last one.
    pub until: Option<Timestamp>,
    /// Statements that were read, each run counted.
    pub runs: u64,
    /// Those that couldn't be understood.
    pub not_understood: u64,
    /// Why they couldn't, the most frequent reason first, each with how many: `prepare statements`, `a column that orders
    /// doesn't have`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why_not: Vec<(String, u64)>,
    /// By table, those that some statement reads or writes.
    pub tables: Vec<TableUsage>,
}

/// What has been run over a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableUsage {
    /// The table.
    pub table: TableId,
    /// How it is read.
    pub reads: Traffic,
    /// How it is written to.
    pub writes: Traffic,
    /// What those who read it usually leave out or ask for, the most usual first.
    pub filters: Vec<UsualFilter>,
    /// What it is joined with, the most usual first.
    pub joins: Vec<UsualJoin>,
    /// What is computed from it under a name, the most usual first.
    pub measures: Vec<UsualMeasure>,
    /// Its columns that no statement names.
    pub unnamed: Vec<String>,
}

impl TableUsage {
    /// A table that no statement names.
    pub fn none(table: &TableId) -> Self {
        Self {
            table: table.clone(),
            reads: Traffic::default(),
            writes: Traffic::default(),
            filters: Vec::new(),
            joins: Vec::new(),
            measures: Vec::new(),
            unnamed: Vec::new(),
        }
    }
}

/// How much a table is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Runs.
    pub runs: u64,
    /// Statements that differ in more than their constants, each counted for each who ran it.
    pub statements: u32,
    /// People and programs: names by which the engine knows them.
    pub users: u32,
    /// When last.
    pub last: Option<Timestamp>,
}

/// How many do something, of those that could.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Statements that do it, each counted for each who ran it.
    pub statements: u32,
    /// Statements that could.
    pub of_statements: u32,
    /// Users that do it in most of their statements; 0 where logs don't tell users.
    pub users: u32,
    /// Users that could.
    pub of_users: u32,
}

/// A condition that nearly everybody sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualFilter {
    /// The column.
    pub column: String,
    /// What the condition does.
    pub keeps: Keeps,
    /// Whether it is usual where other tables' rows are completed by this one, rather than where its own rows are asked for.
    pub completing: bool,
    /// The table that `column` is of, where it isn't the one that is read but one that is joined to it: of lines the orders
    /// that aren't cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_way_of: Option<TableId>,
    /// The condition, in the source's dialect.
    pub condition: String,
    /// Columns on which some set a condition in the place of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
    /// How usual it is.
    pub share: Share,
}

/// Which rows a usual condition keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Keeps {
    /// Those without these values.
    Without(Vec<String>),
    /// Those without any value.
    Empty,
    /// Those with a value.
    Filled,
    /// Those above, or below, a number: `> 0`.
    Ordered(String),
    /// Those of values that the logs don't tell.
    Untold,
}

/// Tables that are joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualJoin {
    /// The column of this table.
    pub column: String,
    /// The other table.
    pub with: TableId,
    /// Its column.
    pub with_column: String,
    /// Statements that differ in more than their constants, each counted for each who ran it.
    pub statements: u32,
    /// Users.
    pub users: u32,
}

/// A column of any table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct UsedColumn {
    /// Its table.
    pub table: TableId,
    /// Its name.
    pub column: String,
}

/// What people call an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualMeasure {
    /// The name that they give it, in lower case.
    pub name: String,
    /// The expression, with columns by their own names.
    pub expression: String,
    /// The columns in it, of this table and of others.
    pub columns: Vec<UsedColumn>,
    /// Those who compute it so, of all who give something over this table that name.
    pub share: Share,
}
