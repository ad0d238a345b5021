//! MariaDB (from 10.6 on) and MySQL (from 8.0 on) servers. Tested on MariaDB 10.11; where MySQL differs, by its manual.
//!
//! `address` and `tls` say where and how, `session` keeps connections and frames every statement by a transaction that
//! can only read, `introspect` reads the structure, `rows` the rows that profiles rest on, `statement` is what
//! somebody wants to run, `decode` what the server sends, `privileges` what the user may do beyond reading, by what `grants`
//! takes from the server's words. Invariant: a statement somebody wrote goes by the protocol of prepared statements, by which it can be only one, after the server
//! has found that it gives rows, and inside a transaction in which it refuses to write.

mod address;
mod checks;
mod decode;
mod facts;
mod failure;
mod grants;
mod introspect;
mod privileges;
mod reads;
mod rows;
mod session;
mod statement;
#[cfg(test)]
mod tests;
mod tls;

use std::sync::Arc;

use async_trait::async_trait;
use catalog::{AddedFunctions, Dialect, RowCount, Source, Table, TableId, TableKind, WriteMark};

use self::decode::text;
use self::facts::Facts;
use self::session::Pool;
use crate::connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ReadRows, ReadableTable, SampleRequest,
    StatementRun, Work,
};
use crate::error::ConnectError;
use crate::known_facts::KnownFacts;
use crate::privileges::ExcessPrivilege;
use crate::result_set::{Limits, ResultSet};
use crate::server_pool::{CONNECTIONS, INTROSPECTION_TIMEOUT, OWN_TIMEOUT, VIEW_COUNT_TIMEOUT};
use crate::statement::{ReadRelation, StatementSession};
use crate::value::Value;

/// A database on a MariaDB or MySQL server.
#[derive(Debug)]
struct MysqlConnector {
    source: Source,
    pool: Arc<Pool>,
    /// What the last introspection learnt beyond its tables.
    facts: KnownFacts<Facts>,
}

/// Opens the database that `rest` of `dsn` names. The server is first spoken to on first use.
pub(crate) fn open(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let address = address::parse(dsn, rest)?;
    let source = Source::new(name, Dialect::Mysql, &address.location);
    Ok(Box::new(MysqlConnector { source, pool: Pool::new(address)?, facts: KnownFacts::default() }))
}

impl MysqlConnector {
    /// What is known about a table; the structure is read where that has not been done yet.
    async fn facts(&self, table: &Table) -> Result<Arc<Facts>, ConnectError> {
        if let Some(facts) = self.facts.get(table) {
            return Ok(facts);
        }
        self.introspect().await?;
        self.facts.expect(table)
    }
}

impl Engine for MysqlConnector {
    fn source(&self) -> &Source {
        &self.source
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // What ANALYZE … PERSISTENT leaves is there on request only, and names no frequent values.
            engine_statistics: false,
            keeps_long_values_apart: false,
            engine_sample: false,
            parallel_tables: CONNECTIONS,
            executes: true,
        }
    }

    fn work(&self) -> Work {
        self.pool.work()
    }
}

#[async_trait]
impl Introspect for MysqlConnector {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        let mut session = self.pool.session(INTROSPECTION_TIMEOUT).await?;
        let found = introspect::tables(&mut session, &self.source.name).await;
        Ok(self.facts.replace(session.end(found).await?))
    }

    async fn search_path(&self) -> Result<Vec<String>, ConnectError> {
        Ok(vec![self.pool.database().to_owned()])
    }

    async fn readable(&self) -> Result<Option<Vec<ReadableTable>>, ConnectError> {
        const READABLE: &str = "SELECT table_name, column_name FROM information_schema.columns \
                                WHERE table_schema = DATABASE() AND FIND_IN_SET('select', LOWER(privileges)) > 0 \
                                ORDER BY table_name, ordinal_position";
        let mut session = self.pool.session(INTROSPECTION_TIMEOUT).await?;
        let rows = session.text_rows(READABLE).await;
        let mut readable: Vec<ReadableTable> = Vec::new();
        for row in session.end(rows).await? {
            let Some((table, column)) = text(&row, 0).zip(text(&row, 1)) else { continue };
            match readable.last_mut().filter(|last| last.table.name == table) {
                Some(last) => last.columns.push(column),
                None => {
                    let table = TableId::new(&self.source.name, table);
                    readable.push(ReadableTable { table, columns: vec![column] });
                }
            }
        }
        Ok(Some(readable))
    }

    async fn added_functions(&self) -> Result<AddedFunctions, ConnectError> {
        // The server's own come first, but which those are depends on its version.
        const FUNCTIONS: &str = "SELECT LOWER(CONCAT(routine_schema, '.', routine_name)) FROM information_schema.routines \
                                 WHERE routine_type = 'FUNCTION' AND routine_schema = DATABASE() ORDER BY 1";
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let unsure = session.texts(FUNCTIONS, 0).await;
        Ok(AddedFunctions { unsure: session.end(unsure).await?, ..AddedFunctions::default() })
    }

    async fn excess_privileges(&self) -> Result<Vec<ExcessPrivilege>, ConnectError> {
        privileges::excess(self.pool.session(OWN_TIMEOUT).await?).await
    }

    async fn structure_mark(&self) -> Result<Option<String>, ConnectError> {
        const MARK: &str = include_str!("introspection/structure_mark.sql");
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let found = session.texts(MARK, 0).await;
        Ok(session.end(found).await?.into_iter().next())
    }

    async fn role(&self) -> Result<Option<String>, ConnectError> {
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let found = session.texts("SELECT SUBSTRING_INDEX(USER(), '@', 1)", 0).await;
        Ok(session.end(found).await?.into_iter().next())
    }

    async fn statements_run(&self) -> Result<Option<Vec<StatementRun>>, ConnectError> {
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let found = introspect::statements_run(&mut session).await;
        session.end(found).await
    }
}

#[async_trait]
impl ReadRows for MysqlConnector {
    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        let bounded = matches!(table.kind, TableKind::View | TableKind::ForeignTable);
        let mut session = self.pool.session(if bounded { VIEW_COUNT_TIMEOUT } else { OWN_TIMEOUT }).await?;
        let counted = rows::row_count(&mut session, table).await;
        match session.end(counted).await {
            Err(ConnectError::Timeout { .. }) if bounded => Ok(None),
            counted => counted,
        }
    }

    async fn write_mark(&self, table: &Table) -> Result<Option<WriteMark>, ConnectError> {
        Ok(self.facts(table).await?.write_mark.clone())
    }

    async fn others_at_work(&self) -> Result<Option<u64>, ConnectError> {
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let found = session.texts("SHOW GLOBAL STATUS LIKE 'Threads_running'", 1).await;
        let ours = self.pool.in_use();
        let running = session.end(found).await?.first().and_then(|figure| figure.parse::<u64>().ok());
        Ok(running.map(|running| running.saturating_sub(ours)))
    }

    async fn lookup_columns(&self, table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        Ok(self.facts(table).await?.lookup_columns.clone())
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        let facts = self.facts(table).await?;
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let range = rows::key_range(&mut session, table, &facts, column).await;
        session.end(range).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        let facts = self.facts(table).await?;
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let sample = rows::sample(&mut session, table, &facts, columns, request).await;
        session.end(sample).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        let facts = self.facts(table).await?;
        let mut session = self.pool.session(OWN_TIMEOUT).await?;
        let found = rows::contains(&mut session, table, &facts, column, values).await;
        session.end(found).await
    }
}

#[async_trait]
impl OpenStatement for MysqlConnector {
    async fn open_statement(
        &self,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        Ok(Box::new(statement::open(&self.pool, sql, reads, limits).await?))
    }
}
