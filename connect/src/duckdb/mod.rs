//! DuckDB files, from version 1.2 of the engine on; tested on 1.5 and 2.0.
//!
//! The engine is the user's own library, loaded when it is first needed: `engine` makes its C interface safe, `open`
//! makes databases that can only be read, `session` keeps connections and stops them, `plan` finds queries that do more
//! than read, `introspect` reads the structure, `rows` the rows that profiles rest on, `statement` is what somebody wants
//! to run, `decode` what the engine gives.
//! Invariant: a statement somebody wrote runs only after the engine itself has found it to be a single query, and has
//! told in its plan that it calls nothing with effects.

mod checks;
mod ddl;
mod decode;
#[expect(unsafe_code, reason = "the engine is a library with a C interface, loaded at run time")]
mod engine;
mod failure;
mod introspect;
mod open;
mod plan;
mod rows;
mod session;
mod statement;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use catalog::{AddedFunctions, Dialect, RowCount, Source, Table, TableKind};

use self::introspect::Facts;
use self::session::Pool;
use crate::blocking_statement::BlockingStatement;
use crate::connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ReadRows, SampleRequest, Work,
};
use crate::dsn;
use crate::engine_process::EngineProcesses;
use crate::error::ConnectError;
use crate::known_facts::KnownFacts;
use crate::result_set::{Limits, ResultSet};
use crate::server_pool::VIEW_COUNT_TIMEOUT;
use crate::statement::{ReadRelation, StatementSession};
use crate::value::Value;

/// How long one question of our own may take, waiting for a lock included.
const OWN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long introspection may take.
const INTROSPECTION_TIMEOUT: Duration = Duration::from_secs(300);

/// A DuckDB file.
#[derive(Debug)]
struct DuckdbConnector {
    source: Source,
    pool: Arc<Pool>,
    /// Where somebody's statements run, if not here.
    processes: Option<Arc<EngineProcesses>>,
    /// What the last introspection learnt beyond its tables.
    facts: KnownFacts<Facts>,
}

/// Opens the file that `rest` of `dsn` names. The file's header is looked at now, the library loaded on first use.
pub(crate) fn open(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let path = dsn::file_path(dsn, rest)?;
    let location = format!("duckdb:{}", path.display());
    open::check_file(&path, &location)?;
    let processes = EngineProcesses::of(name, dsn, &location);
    let source = Source::new(name, Dialect::Duckdb, &location);
    Ok(Box::new(DuckdbConnector { source, pool: Pool::new(path, location), processes, facts: KnownFacts::default() }))
}

impl DuckdbConnector {
    /// What is known about a table; the structure is read where that has not been done yet.
    async fn facts(&self, table: &Table) -> Result<Arc<Facts>, ConnectError> {
        if let Some(facts) = self.facts.get(table) {
            return Ok(facts);
        }
        self.introspect().await?;
        self.facts.expect(table)
    }
}

impl Engine for DuckdbConnector {
    fn source(&self) -> &Source {
        &self.source
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // What the engine keeps of a column are its ends and a guess at its different values: no NULLs, no
            // frequent values.
            engine_statistics: false,
            keeps_long_values_apart: false,
            engine_sample: true,
            // One statement keeps all cores busy.
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
impl Introspect for DuckdbConnector {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        let source = self.source.name.clone();
        let found = self.pool.run(INTROSPECTION_TIMEOUT, move |session| introspect::tables(session, &source)).await?;
        Ok(self.facts.replace(found))
    }

    async fn search_path(&self) -> Result<Vec<String>, ConnectError> {
        // A file doesn't keep another one.
        Ok(vec!["main".to_owned()])
    }

    async fn added_functions(&self) -> Result<AddedFunctions, ConnectError> {
        // A macro is whatever somebody has written: what its namesake of the engine does says nothing of it.
        // No function is called to find them: it could be one of them.
        const FUNCTIONS: &str = "SELECT schema_name, function_name, internal FROM duckdb_functions()";
        let known = self.pool.run(OWN_TIMEOUT, move |session| {
            session.all_rows(FUNCTIONS, &[], |cells| {
                let texts = cells.into_iter().map(|cell| decode::value(cell, usize::MAX).as_text().unwrap_or_default());
                texts.map(|text| text.to_lowercase()).collect::<Vec<_>>()
            })
        });
        let known = known.await?;
        let made = known.iter().filter(|function| function[2..] != ["true"]);
        let mut unsure: Vec<String> = made.map(|function| function[..2].join(".")).collect();
        unsure.sort();
        unsure.dedup();
        let names =
            |is_own: bool| known.iter().filter(move |it| (it[2..] == ["true"]) == is_own).filter_map(|it| it.get(1));
        let own: HashSet<&String> = names(true).collect();
        let mut shadowed: Vec<String> = names(false).filter(|name| own.contains(name)).cloned().collect();
        shadowed.sort();
        shadowed.dedup();
        Ok(AddedFunctions { unsure, shadowed, ..AddedFunctions::default() })
    }
}

#[async_trait]
impl ReadRows for DuckdbConnector {
    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        let (facts, table) = (self.facts(table).await?, table.clone());
        let bounded = table.kind == TableKind::View;
        let timeout = if bounded { VIEW_COUNT_TIMEOUT } else { OWN_TIMEOUT };
        match self.pool.run(timeout, move |session| rows::row_count(session, &table, &facts)).await {
            Err(ConnectError::Timeout { .. }) if bounded => Ok(None),
            counted => counted,
        }
    }

    /// None: the indexes of a key are used for one constant at a time, and each row found is put together from all its
    /// columns' groups. [`SampleRequest::EngineSample`] is the better way to rows.
    async fn lookup_columns(&self, _table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        Ok(Vec::new())
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        let (facts, table, column) = (self.facts(table).await?, table.clone(), column.to_owned());
        self.pool.run(OWN_TIMEOUT, move |session| rows::key_range(session, &table, &facts, &column)).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        let (facts, table) = (self.facts(table).await?, table.clone());
        let (columns, request) = (columns.to_vec(), request.clone());
        self.pool.run(OWN_TIMEOUT, move |session| rows::sample(session, &table, &facts, &columns, &request)).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        let (facts, table) = (self.facts(table).await?, table.clone());
        let (column, values) = (column.to_owned(), values.to_vec());
        self.pool.run(OWN_TIMEOUT, move |session| rows::contains(session, &table, &facts, &column, &values)).await
    }
}

#[async_trait]
impl OpenStatement for DuckdbConnector {
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
