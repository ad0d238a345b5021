//! ClickHouse servers over their HTTP interface, from version 22.3 on. Tested on the engine of version 26.9.
//!
//! `address` says where and how, `settings` what frames a statement, `session` sends it and reads rows as they arrive,
//! `introspect` reads the structure, `rows` the rows that profiles rest on, `statement` is what somebody wants
//! to run, `decode` what the server writes. Invariant:
//! nothing but the question what can be set is sent before the server has said that a statement is held to reading;
//! and every one after that is sent as `readonly=1`, or by a user whose profile says so for good.
//!
//! ClickHouse's primary key is an order and not a promise: the same key may occur in any number of rows. A table here
//! has therefore no `primary_key`, which everybody would take for unique, but an index called `sorting key`.

mod address;
mod decode;
mod failure;
mod grants;
mod introspect;
mod reads;
mod rows;
mod session;
mod settings;
mod statement;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use catalog::{AddedFunctions, Dialect, RowCount, Source, Table, TableKind, WriteMark};

use self::introspect::Facts;
use self::session::Server;
use self::settings::Purpose;
use crate::connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ReadRows, SampleRequest, Work,
};
use crate::error::ConnectError;
use crate::known_facts::KnownFacts;
use crate::privileges::ExcessPrivilege;
use crate::result_set::{Limits, ResultSet};
use crate::server_pool::{CONNECTIONS, INTROSPECTION_TIMEOUT, OWN_TIMEOUT, VIEW_COUNT_TIMEOUT};
use crate::statement::{ReadRelation, StatementSession};
use crate::value::Value;

/// A database on a ClickHouse server.
#[derive(Debug)]
struct ClickhouseConnector {
    source: Source,
    server: Arc<Server>,
    /// What the last introspection learnt beyond its tables.
    facts: KnownFacts<Facts>,
}

/// Opens the database that `rest` of `dsn` names. The server is first spoken to on first use.
pub(crate) fn open(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let address = address::parse(dsn, rest)?;
    let source = Source::new(name, Dialect::Clickhouse, &address.location);
    Ok(Box::new(ClickhouseConnector { source, server: Server::new(address)?, facts: KnownFacts::default() }))
}

impl ClickhouseConnector {
    /// What is known about a table; the structure is read where that has not been done yet.
    async fn facts(&self, table: &Table) -> Result<Arc<Facts>, ConnectError> {
        if let Some(facts) = self.facts.get(table) {
            return Ok(facts);
        }
        self.introspect().await?;
        self.facts.expect(table)
    }
}

impl Engine for ClickhouseConnector {
    fn source(&self) -> &Source {
        &self.source
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Parts know their rows; where something is deleted or hidden row by row, the parts' figure is given.
            engine_statistics: false,
            keeps_long_values_apart: false,
            engine_sample: true,
            parallel_tables: CONNECTIONS,
            executes: true,
        }
    }

    fn work(&self) -> Work {
        self.server.work()
    }
}

#[async_trait]
impl Introspect for ClickhouseConnector {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        let session = self.server.session(INTROSPECTION_TIMEOUT).await?;
        Ok(self.facts.replace(introspect::tables(&session, &self.source.name).await?))
    }

    async fn search_path(&self) -> Result<Vec<String>, ConnectError> {
        Ok(vec![self.server.database().to_owned()])
    }

    async fn added_functions(&self) -> Result<AddedFunctions, ConnectError> {
        const FUNCTIONS: &str = "SELECT lower(name) FROM system.functions WHERE origin != 'System' ORDER BY 1";
        let session = self.server.session(OWN_TIMEOUT).await?;
        let rows = session.texts(FUNCTIONS, Purpose::OWN, &[]).await?;
        Ok(AddedFunctions { unsure: rows.into_iter().flatten().flatten().collect(), ..AddedFunctions::default() })
    }

    async fn excess_privileges(&self) -> Result<Vec<ExcessPrivilege>, ConnectError> {
        let session = self.server.session(OWN_TIMEOUT).await?;
        grants::excess(&session).await
    }

    async fn structure_mark(&self) -> Result<Option<String>, ConnectError> {
        const MARK: &str = include_str!("introspection/structure_mark.sql");
        let session = self.server.session(OWN_TIMEOUT).await?;
        let rows = session.texts(MARK, Purpose::OWN, &[("database", self.server.database())]).await?;
        Ok(rows.into_iter().flatten().flatten().next())
    }
}

#[async_trait]
impl ReadRows for ClickhouseConnector {
    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        let facts = self.facts(table).await?;
        let bounded = matches!(table.kind, TableKind::View | TableKind::ForeignTable);
        let session = self.server.session(if bounded { VIEW_COUNT_TIMEOUT } else { OWN_TIMEOUT }).await?;
        match rows::row_count(&session, table, &facts).await {
            Err(ConnectError::Timeout { .. }) if bounded => Ok(None),
            counted => counted,
        }
    }

    async fn write_mark(&self, table: &Table) -> Result<Option<WriteMark>, ConnectError> {
        Ok(self.facts(table).await?.write_mark.clone())
    }

    async fn others_at_work(&self) -> Result<Option<u64>, ConnectError> {
        let session = self.server.session(OWN_TIMEOUT).await?;
        let found = session.texts("SELECT value FROM system.metrics WHERE metric = 'Query'", Purpose::OWN, &[]).await?;
        let running = found.into_iter().flatten().flatten().next().and_then(|figure| figure.parse::<u64>().ok());
        Ok(running.map(|running| running.saturating_sub(self.server.in_use())))
    }

    async fn lookup_columns(&self, _table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        // A look-up costs a granule of some 8,192 rows in each part, whatever it finds: the engine's own samples read
        // less than a few hundred of them.
        Ok(Vec::new())
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.server.session(OWN_TIMEOUT).await?;
        rows::key_range(&session, table, &facts, column).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.server.session(OWN_TIMEOUT).await?;
        rows::sample(&session, table, &facts, columns, request).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        let facts = self.facts(table).await?;
        let session = self.server.session(OWN_TIMEOUT).await?;
        rows::contains(&session, table, &facts, column, values).await
    }
}

#[async_trait]
impl OpenStatement for ClickhouseConnector {
    async fn open_statement(
        &self,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        Ok(Box::new(statement::open(&self.server, sql, reads, limits).await?))
    }
}
