//! *What is each engine's SQL like?* How it writes and compares names, which clauses see what, which functions only compute,
//! how values compare, and how it says what it will do.
//!
//! One file of `engines/` describes one engine, difference by difference, each a field with a name; everybody else asks for the
//! difference ("does LIKE ignore case?") and never for the engine, so that a new engine is one more file.
//!
//! Invariant: nothing outside this room and `connect` compares dialects.

mod conversions;
mod engines;
mod functions;
mod spelling;
mod traits;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use traits::{
    Account, Case, Clause, Form, FunctionsTold, HiddenColumns, Identities, Inlines, IntegerDivision, Names, PlanForm,
    Privileges, QueryLogs, Syntax, SystemNames, Values, Work,
};

use conversions::Conversions;
pub use functions::Functions;
use traits::Engine;

/// The SQL dialect of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// SQLite 3.
    Sqlite,
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
    /// DuckDB.
    Duckdb,
    /// ClickHouse.
    Clickhouse,
    /// Anything a snapshot may name that has no connector: `bigquery`, `snowflake`.
    Other(String),
}

impl Dialect {
    /// The dialect that `name` (any case) stands for; unknown names are kept as [`Dialect::Other`].
    pub fn from_name(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "sqlite" | "sqlite3" => Self::Sqlite,
            "postgres" | "postgresql" => Self::Postgres,
            "mysql" | "mariadb" => Self::Mysql,
            "duckdb" => Self::Duckdb,
            "clickhouse" => Self::Clickhouse,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The dialect that a word of a sentence stands for, where it is one that people ask for by name.
    pub fn mentioned(word: &str) -> Option<Self> {
        const WITHOUT_A_CONNECTOR: [&str; 6] = ["bigquery", "snowflake", "redshift", "oracle", "tsql", "mssql"];
        match Self::from_name(word) {
            Self::Other(name) if !WITHOUT_A_CONNECTOR.contains(&name.as_str()) => None,
            known => Some(known),
        }
    }

    /// The name in configuration and output: `sqlite`, `postgres` …
    pub fn name(&self) -> &str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Mysql => "mysql",
            Self::Duckdb => "duckdb",
            Self::Clickhouse => "clickhouse",
            Self::Other(name) => name,
        }
    }

    /// The name as its makers write it: `SQLite`, `PostgreSQL` …
    pub fn title(&self) -> &str {
        match (self, self.engine().title) {
            (Self::Other(name), "") => name,
            (_, title) => title,
        }
    }

    /// How statements are read.
    pub fn syntax(&self) -> &'static Syntax {
        &self.engine().syntax
    }

    /// What tables and schemas are called.
    pub fn names(&self) -> &'static Names {
        &self.engine().names
    }

    /// Which functions only compute.
    pub fn functions(&self) -> &'static Functions {
        &self.engine().functions
    }

    /// How values compare.
    pub fn values(&self) -> &'static Values {
        &self.engine().values
    }

    fn conversions(&self) -> &'static Conversions {
        &self.engine().conversions
    }

    /// What computing costs more here than elsewhere.
    pub fn work(&self) -> &'static Work {
        &self.engine().work
    }

    /// What the engine says of a statement before it runs.
    pub fn account(&self) -> &'static Account {
        &self.engine().account
    }

    fn engine(&self) -> &'static Engine {
        match self {
            Self::Sqlite => &engines::sqlite::ENGINE,
            Self::Postgres => &engines::postgres::ENGINE,
            Self::Mysql => &engines::mysql::ENGINE,
            Self::Duckdb => &engines::duckdb::ENGINE,
            Self::Clickhouse => &engines::clickhouse::ENGINE,
            Self::Other(name) => engines::other::engine(name),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Dialect;

    #[test]
    fn names_come_back_as_they_were_written() {
        for name in ["sqlite", "postgres", "mysql", "duckdb", "clickhouse", "bigquery", "anything"] {
            assert_eq!(Dialect::from_name(name).name(), name);
        }
        assert_eq!(Dialect::from_name("MariaDB"), Dialect::Mysql);
        assert_eq!(Dialect::from_name("bigquery").title(), "BigQuery");
        assert_eq!(Dialect::from_name("anything").title(), "anything");
        assert_eq!(Dialect::mentioned("postgresql"), Some(Dialect::Postgres));
        assert_eq!(Dialect::mentioned("anything"), None);
    }
}
