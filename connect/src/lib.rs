//! *Where does the data live?* One trait for every engine, and the only code that opens a user's database.
//!
//! [`connect`] turns an address into a [`Connector`]; which engine that is shows in its answers
//! ([`Engine::capabilities`]) and never in the caller's code. One folder per engine, and no engine sees another.
//!
//! Engines that are libraries run what somebody wrote in processes of their own, where [`run_engines_in`] says how these are
//! started.
//!
//! Invariant: databases are opened for reading only, by the engine's own means; the statements sent here are our own
//! text with quoted identifiers, but for what [`OpenStatement::open_statement`] is given, which only room `guard` calls.
//!
//! ```no_run
//! # async fn example() -> Result<(), connect::ConnectError> {
//! let connector = connect::connect("shop", "sqlite:shop.db")?;
//! for table in connector.introspect().await? {
//!     println!("{}: {:?} rows", table.id, connector.row_count(&table).await?);
//! }
//! # Ok(())
//! # }
//! ```

mod blocking_statement;
mod clickhouse;
mod connector;
mod declared_keys;
mod dsn;
mod duckdb;
mod engine_process;
mod error;
mod files;
mod known_facts;
mod lengths;
mod mysql;
mod postgres;
mod privileges;
#[cfg(test)]
mod promises;
mod registry;
mod result_set;
mod server_pool;
mod snapshot;
mod sql_text;
mod sqlite;
mod statement;
#[cfg(test)]
mod statements_alone;
mod statistics;
mod stopping;
mod trust;
mod value;

pub use connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ROWS_PER_KEY, ReadRows, ReadableTable,
    SAMPLE_CELL_CHARS, SampleRequest, StatementRun, Work,
};
pub use dsn::{is_file, password_in_address, redact, secret_in, with_role};
pub use engine_process::{EngineProgram, run_engines_in, serve_engine};
pub use error::ConnectError;
pub use privileges::ExcessPrivilege;
pub use registry::connect;
pub use result_set::{Limits, ResultSet};
pub use snapshot::{SnapshotValues, snapshot};
pub use statement::{
    EngineRead, HeldKey, LiveRelation, ReadRelation, ReadWhat, StatementSession, TextFound, TextLookUp,
};
pub use statistics::{ColumnStatistics, TableStatistics};
pub use stopping::all_stopped;
pub use value::Value;
