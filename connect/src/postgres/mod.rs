//! PostgreSQL servers, from version 12 on.
//!
//! `address` and `tls` say where and how, `session` keeps connections and frames every statement by a transaction that
//! can only read, `introspect` reads the structure, `statistics` what ANALYZE left, `rows` the rows that profiles rest
//! on, `statement` what somebody wants to run, `decode` what the server writes, `privileges` what the role may do beyond
//! reading. Invariant: a statement
//! somebody wrote is sent only after the server itself has found it to be a single one, and inside a transaction in
//! which it refuses to write.

mod address;
mod checks;
mod decode;
mod failure;
mod introspect;
mod privileges;
mod reads;
mod rows;
mod session;
mod statement;
mod statistics;
#[cfg(test)]
mod tests;
mod tls;

use std::sync::Arc;

use async_trait::async_trait;
use catalog::{AddedFunctions, Dialect, RowCount, Source, Table, TableId, TableKind, WriteMark};
use tokio_postgres::Row;

use self::decode::Lossy;
use self::introspect::Facts;
use self::session::Pool;
use crate::connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ReadRows, ReadableTable, SampleRequest,
    StatementRun, Work,
};
use crate::error::ConnectError;
use crate::known_facts::KnownFacts;
use crate::privileges::ExcessPrivilege;
use crate::result_set::{Limits, Next, ResultSet};
use crate::server_pool::{CONNECTIONS, INTROSPECTION_TIMEOUT, OWN_TIMEOUT, VIEW_COUNT_TIMEOUT};
use crate::statement::{ReadRelation, StatementSession};
use crate::statistics::TableStatistics;
use crate::value::Value;

const OTHERS_AT_WORK: &str = include_str!("introspection/others_at_work.sql");

/// A database on a PostgreSQL server.
#[derive(Debug)]
struct PostgresConnector {
    source: Source,
    pool: Arc<Pool>,
    /// What the last introspection learnt beyond its tables.
    facts: KnownFacts<Facts>,
}

/// Opens the database that `rest` of `dsn` names. The server is first spoken to on first use.
pub(crate) fn open(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let address = address::parse(dsn, rest)?;
    let source = Source::new(name, Dialect::Postgres, &address.location);
    Ok(Box::new(PostgresConnector { source, pool: Pool::new(address)?, facts: KnownFacts::default() }))
}

impl PostgresConnector {
    /// What is known about a table; the structure is read where that has not been done yet.
    async fn facts(&self, table: &Table) -> Result<Arc<Facts>, ConnectError> {
        if let Some(facts) = self.facts.get(table) {
            return Ok(facts);
        }
        self.introspect().await?;
        self.facts.expect(table)
    }
}

impl Engine for PostgresConnector {
    fn source(&self) -> &Source {
        &self.source
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            engine_statistics: true,
            keeps_long_values_apart: true,
            engine_sample: true,
            parallel_tables: CONNECTIONS,
            executes: true,
        }
    }

    fn work(&self) -> Work {
        self.pool.work()
    }
}

#[async_trait]
impl Introspect for PostgresConnector {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        let session = self.pool.session(INTROSPECTION_TIMEOUT).await?;
        let found = introspect::tables(&session, &self.source.name).await;
        Ok(self.facts.replace(session.end(found).await?))
    }

    async fn search_path(&self) -> Result<Vec<String>, ConnectError> {
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let read = |row: &Row| row.try_get::<_, Vec<String>>(0);
        let found = session.first_row("SELECT pg_catalog.current_schemas(false)::text[]", &[], read).await;
        Ok(session.end(found).await?.unwrap_or_default())
    }

    async fn added_functions(&self) -> Result<AddedFunctions, ConnectError> {
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let found = introspect::added_functions(&session).await;
        session.end(found).await
    }

    async fn excess_privileges(&self) -> Result<Vec<ExcessPrivilege>, ConnectError> {
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let found = privileges::excess(&session).await;
        session.end(found).await
    }

    async fn structure_mark(&self) -> Result<Option<String>, ConnectError> {
        const MARK: &str = include_str!("introspection/structure_mark.sql");
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let read = |row: &Row| row.try_get::<_, String>(0);
        let found = session.first_row(MARK, &[], read).await;
        session.end(found).await
    }

    async fn role(&self) -> Result<Option<String>, ConnectError> {
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let read = |row: &Row| row.try_get::<_, String>(0);
        let found = session.first_row("SELECT current_user::text", &[], read).await;
        session.end(found).await
    }

    async fn readable(&self) -> Result<Option<Vec<ReadableTable>>, ConnectError> {
        const READABLE: &str = include_str!("introspection/readable.sql");
        let session = self.pool.session(INTROSPECTION_TIMEOUT).await?;
        let mut readable = Vec::new();
        let read = session.try_each_row(READABLE, &[], |row| {
            let (schema, name) = (row.try_get::<_, Lossy>(0)?.0, row.try_get::<_, Lossy>(1)?.0);
            let columns = row.try_get::<_, Vec<Lossy>>(2)?.into_iter().map(|Lossy(name)| name).collect();
            let table = TableId { schema: Some(schema), ..TableId::new(&self.source.name, name) };
            readable.push(ReadableTable { table, columns });
            Ok(Next::Continue)
        });
        let read = read.await.map_err(|trouble| session.explain(trouble));
        session.end(read).await?;
        Ok(Some(readable))
    }

    async fn statements_run(&self) -> Result<Option<Vec<StatementRun>>, ConnectError> {
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let found = introspect::statements_run(&session).await;
        session.end(found).await
    }
}

#[async_trait]
impl ReadRows for PostgresConnector {
    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        let facts = self.facts(table).await?;
        let bounded = matches!(table.kind, TableKind::View | TableKind::ForeignTable);
        let session = self.pool.session(if bounded { VIEW_COUNT_TIMEOUT } else { OWN_TIMEOUT }).await?;
        let counted = rows::row_count(&session, table, &facts).await;
        match session.end(counted).await {
            Err(ConnectError::Timeout { .. }) if bounded => Ok(None),
            counted => counted,
        }
    }

    async fn statistics(&self, table: &Table, columns: &[String]) -> Result<Option<TableStatistics>, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let told = statistics::of_columns(&session, table, &facts, columns).await;
        session.end(told).await
    }

    async fn write_mark(&self, table: &Table) -> Result<Option<WriteMark>, ConnectError> {
        Ok(self.facts(table).await?.write_mark.clone())
    }

    async fn others_at_work(&self) -> Result<Option<u64>, ConnectError> {
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let read = |row: &Row| row.try_get::<_, i64>(0);
        let found = session.first_row(OTHERS_AT_WORK, &[], read).await;
        Ok(session.end(found).await?.and_then(|others| u64::try_from(others).ok()))
    }

    async fn lookup_columns(&self, table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        Ok(self.facts(table).await?.lookup_columns.clone())
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let range = rows::key_range(&session, table, &facts, column).await;
        session.end(range).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let sample = rows::sample(&session, table, &facts, columns, request).await;
        session.end(sample).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.pool.session(OWN_TIMEOUT).await?;
        let found = rows::contains(&session, table, &facts, column, values).await;
        let invalid_value = found.as_ref().is_err_and(|trouble| trouble.is_invalid_value());
        let found = found.map_err(|trouble| session.explain(trouble));
        let found = session.end(found).await;
        if !invalid_value {
            return found;
        }
        // One of them is no value of the column's type; the others may still occur.
        let mut sum = 0;
        for value in values {
            let session = self.pool.session(OWN_TIMEOUT).await?;
            let found = match rows::contains(&session, table, &facts, column, std::slice::from_ref(value)).await {
                Err(trouble) if trouble.is_invalid_value() => Ok(0),
                found => found.map_err(|trouble| session.explain(trouble)),
            };
            sum += session.end(found).await?;
        }
        Ok(sum)
    }
}

#[async_trait]
impl OpenStatement for PostgresConnector {
    async fn open_statement(
        &self,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        Ok(Box::new(statement::open(&self.pool, sql, reads, limits).await?))
    }
}
