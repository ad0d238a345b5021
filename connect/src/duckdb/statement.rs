//! A statement that somebody wants to run, with the file held as it is.
//!
//! As long as the file is open for reading, here or anywhere, the engine lets no process open it for writing: what it says
//! of its tables holds for as long as the session does.
//! <https://duckdb.org/docs/stable/connect/concurrency>

use std::time::Instant;

use catalog::{Dialect, Identity, TableKind};

use super::engine::{Cell, Statement};
use super::session::Session;
use super::{ddl, decode, plan};
use crate::blocking_statement::{Compiled, Orders};
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet, RowCollector};
use crate::server_pool::KEY_CHARS;
use crate::statement::{EngineRead, LiveRelation, ReadRelation, TextFound, TextLookUp, plan_limits};
use crate::value::Value;

const LIVE: &str = include_str!("introspection/live.sql");

struct DuckdbStatement<'s> {
    session: &'s Session<'s>,
    sql: &'s str,
    statement: Statement<'s>,
    limits: &'s Limits,
}

/// Compiles the statement, and does with it what it is told.
pub(super) fn serve(
    session: &Session<'_>,
    sql: &str,
    reads: &[ReadRelation],
    limits: &Limits,
    orders: Orders,
) -> Result<(), ConnectError> {
    // The time is that of the transaction's beginning: what a plan says of a statement holds when it runs.
    session.all_rows("BEGIN TRANSACTION READ ONLY", &[], |_| ())?;
    let statement = session.prepare_query(sql)?;
    let live = live_relations(session, reads)?;
    orders.serve(live, &mut DuckdbStatement { session, sql, statement, limits });
    Ok(())
}

fn live_relations(session: &Session<'_>, reads: &[ReadRelation]) -> Result<Vec<LiveRelation>, ConnectError> {
    if reads.is_empty() {
        return Ok(Vec::new());
    }
    let schema = |read: &ReadRelation| read.id.schema.clone().unwrap_or_else(|| "main".to_owned());
    let pairs = reads.iter().map(|read| {
        format!("({}, {})", Dialect::Duckdb.literal(&schema(read)), Dialect::Duckdb.literal(&read.id.name))
    });
    let sql = LIVE.replace("{wanted}", &pairs.collect::<Vec<_>>().join(", "));
    let rows = session.all_rows(&sql, &[], |cells| {
        let is_view = matches!(cells.get(2), Some(Cell::Boolean(true)));
        let mut texts = cells.into_iter().map(|cell| decode::value(cell, usize::MAX).as_text());
        let mut next = || texts.next().flatten();
        let (schema, name, _, sql) = (next().unwrap_or_default(), next().unwrap_or_default(), next(), next());
        (schema, name, is_view, sql, next().zip(next()))
    })?;
    let mut live: Vec<LiveRelation> = Vec::with_capacity(reads.len());
    let find = |of_schema: &str, name: &str| {
        reads.iter().find(|read| schema(read) == of_schema && read.id.name == name).map(|read| read.id.clone())
    };
    for (of_schema, name, is_view, sql, column) in rows {
        let Some(id) = find(&of_schema, &name) else { continue };
        match column {
            None => live.push(LiveRelation {
                id,
                kind: if is_view { TableKind::View } else { TableKind::Table },
                definition: sql.filter(|_| is_view).map(|sql| ddl::view_query(&sql).unwrap_or(&sql).to_owned()),
                columns: Vec::new(),
                made: None,
                hidden: false,
                identity: Identity::default(),
                part_of: None,
                children: Vec::new(),
                row_policies: Vec::new(),
            }),
            Some(column) => {
                if let Some(relation) = live.iter_mut().find(|relation| relation.id == id) {
                    relation.columns.push(column);
                }
            }
        }
    }
    Ok(live)
}

impl Compiled for DuckdbStatement<'_> {
    fn look_up(&mut self, wanted: &TextLookUp) -> Result<TextFound, ConnectError> {
        let schema = wanted.table.schema.as_deref().unwrap_or("main");
        let table = format!("{}.{}", Dialect::Duckdb.quoted(schema), Dialect::Duckdb.quoted(&wanted.table.name));
        let column = Dialect::Duckdb.quoted(&wanted.column);
        let text = Dialect::Duckdb.literal(&wanted.text);
        let exists = format!("SELECT EXISTS (SELECT 1 FROM {table} AS here WHERE here.{column} = {text})");
        let occurs = self.session.all_rows(&exists, &[], |cells| matches!(cells.first(), Some(Cell::Boolean(true))))?;
        let occurs = occurs.first().copied();
        let mut others = Vec::new();
        if occurs == Some(false) && wanted.others_from > 0 {
            let first = format!("SELECT here.{column} AS value FROM {table} AS here LIMIT {}", wanted.others_from);
            let sql = format!(
                "SELECT DISTINCT \"left\"(CAST(value AS VARCHAR), {KEY_CHARS}) FROM ({first}) WHERE value IS NOT NULL"
            );
            let texts = self.session.all_rows(&sql, &[], |mut cells| {
                cells.pop().and_then(|cell| decode::value(cell, KEY_CHARS).as_text())
            })?;
            others = texts.into_iter().flatten().collect();
        }
        Ok(TextFound { occurs, others })
    }

    fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        let plan = self.session.prepare(&format!("EXPLAIN (FORMAT JSON) {}", self.sql))?;
        all_rows(self.session, &plan, &plan_limits(self.limits))
    }

    fn reads(&mut self, sql: &str) -> Result<Vec<EngineRead>, ConnectError> {
        let read = self.session.plan_of(sql)?.and_then(|json| plan::reads(&json));
        read.ok_or_else(|| ConnectError::Denied {
            reason: "the engine doesn't say what the statement reads".to_owned(),
        })
    }

    fn run(&mut self) -> Result<ResultSet, ConnectError> {
        all_rows(self.session, &self.statement, self.limits)
    }
}

fn all_rows(session: &Session<'_>, statement: &Statement<'_>, limits: &Limits) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let mut collector = RowCollector::new(limits);
    let columns = session.each_row(statement, &[], |cells| {
        let cells: Vec<Value> = cells.into_iter().map(|cell| decode::value(cell, limits.cell_chars)).collect();
        collector.push(cells)
    })?;
    Ok(collector.finish(columns, started.elapsed()))
}
