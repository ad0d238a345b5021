//! SQLite files.
//!
//! `open` makes connections that can only read, `session` keeps and stops them, `introspect` and `ddl` read the
//! structure, `rows` finds the rows that profiles rest on, `statement` is what somebody wants to run. Invariant: the file, and the folder around it, are as they
//! were, but for the `-wal` and `-shm` files that SQLite needs while it reads a database in WAL mode.

mod ddl;
mod failure;
mod functions;
mod introspect;
mod limits;
mod open;
mod rows;
mod session;
mod statement;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use catalog::{Dialect, RowCount, Source, Table};

use self::session::Pool;
use crate::blocking_statement::BlockingStatement;
use crate::connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ReadRows, SampleRequest, Work,
};
use crate::dsn;
use crate::engine_process::EngineProcesses;
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet};
use crate::statement::{ReadRelation, StatementSession};
use crate::value::Value;

/// How long one question of our own may take.
const OWN_TIMEOUT: Duration = Duration::from_secs(30);
/// Introspection asks a few questions for every table.
const INTROSPECTION_TIMEOUT: Duration = Duration::from_secs(300);

/// A SQLite file.
#[derive(Debug)]
struct SqliteConnector {
    source: Source,
    pool: Arc<Pool>,
    /// Where somebody's statements run, if not here.
    processes: Option<Arc<EngineProcesses>>,
}

/// Opens the file that `rest` of `dsn` names. The file's header is looked at now, the rest on first use.
pub(crate) fn open(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let path = dsn::file_path(dsn, rest)?;
    let location = format!("sqlite:{}", path.display());
    open::check_file(&path, &location)?;
    let processes = EngineProcesses::of(name, dsn, &location);
    let source = Source::new(name, Dialect::Sqlite, &location);
    Ok(Box::new(SqliteConnector { source, pool: Pool::new(path, location), processes }))
}

impl Engine for SqliteConnector {
    fn source(&self) -> &Source {
        &self.source
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            engine_statistics: false,
            keeps_long_values_apart: false,
            engine_sample: false,
            parallel_tables: 1,
            executes: true,
        }
    }

    fn changed_at(&self) -> Option<SystemTime> {
        self.pool.changed_at()
    }

    fn work(&self) -> Work {
        let elsewhere = self.processes.as_ref().map(|processes| processes.work());
        self.pool.work().and(elsewhere.unwrap_or_default())
    }
}

#[async_trait]
impl Introspect for SqliteConnector {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        let source = self.source.name.clone();
        self.pool.run(INTROSPECTION_TIMEOUT, move |session| introspect::tables(session, &source)).await
    }

    async fn structure_mark(&self) -> Result<Option<String>, ConnectError> {
        const TEXTS: &str =
            "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1";
        let texts = self.pool.run(OWN_TIMEOUT, |session| session.all_rows(TEXTS, [], |row| row.get::<_, String>(0)));
        let mut hash = DefaultHasher::new();
        texts.await?.hash(&mut hash);
        Ok(Some(hash.finish().to_string()))
    }
}

#[async_trait]
impl ReadRows for SqliteConnector {
    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        let table = table.clone();
        self.pool.run(OWN_TIMEOUT, move |session| rows::row_count(session, &table)).await
    }

    async fn lookup_columns(&self, table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        let table = table.clone();
        self.pool.run(OWN_TIMEOUT, move |session| rows::lookup_columns(session, &table)).await
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        let (table, column) = (table.clone(), column.to_owned());
        self.pool.run(OWN_TIMEOUT, move |session| rows::key_range(session, &table, &column)).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        let (table, columns, request) = (table.clone(), columns.to_vec(), request.clone());
        self.pool.run(OWN_TIMEOUT, move |session| rows::sample(session, &table, &columns, &request)).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        let (table, column, values) = (table.clone(), column.to_owned(), values.to_vec());
        self.pool.run(OWN_TIMEOUT, move |session| rows::contains(session, &table, &column, &values)).await
    }
}

#[async_trait]
impl OpenStatement for SqliteConnector {
    async fn open_statement(
        &self,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        if let Some(processes) = &self.processes {
            return processes.open(sql, reads, limits).await;
        }
        let (pool, timeout) = (Arc::clone(&self.pool), limits.timeout);
        let (sql, reads, limits) = (sql.to_owned(), reads.to_vec(), limits.clone());
        let work = |orders| async move {
            pool.run(timeout, move |session| statement::serve(session, &sql, &reads, &limits, orders)).await
        };
        Ok(Box::new(BlockingStatement::open(timeout, work).await?))
    }
}
