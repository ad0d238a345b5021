//! What engines tell tables and columns by, other than their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an engine tells a relation by, whatever it is called. Empty where there is nothing like that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// Of a table with rows of its own: PostgreSQL's oid, ClickHouse's UUID, the page where SQLite keeps it; on MariaDB and MySQL
    /// when it was made or, on MariaDB, last altered. Of PostgreSQL's views the relations that they read, by their whole names: the
    /// text of a query is worded as the search path has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
    /// Its columns, in their order: PostgreSQL's `attnum`, which no other column of the table ever has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<i16>,
    /// What is [`Identity::own`] of the partitions and children that it has the rows of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Identity {
    /// Of a relation of which nothing else is known.
    pub fn of(own: Option<String>) -> Self {
        Self { own, ..Self::default() }
    }

    /// Whether there is nothing to tell it by.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether these are columns of the same relation, of which some were taken away and others made in their place.
    pub fn has_other_columns(&self, now: &Self) -> bool {
        self.own == now.own && !self.columns.is_empty() && !now.columns.is_empty() && self.columns != now.columns
    }
}
