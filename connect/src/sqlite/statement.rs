//! A statement that somebody wants to run, with the file held as it is.
//!
//! A query that has given a row and is not done keeps its read transaction open, and every other statement of the
//! connection reads in it: no `BEGIN` is needed, which the authorizer would refuse. What SQLite then compiles, says of its
//! tables and gives as rows is of one state, whoever writes meanwhile.

use catalog::Dialect;
use std::time::Instant;

use rusqlite::Statement;

use super::session::Session;
use super::{introspect, open, rows};
use crate::blocking_statement::{Compiled, Orders};
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet, RowCollector};
use crate::statement::{EngineRead, ReadRelation, TextFound, TextLookUp, plan_limits};
use crate::value::Value;

struct SqliteStatement<'s> {
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
    let explain = |error| session.explain(error);
    let mut held = session.connection.prepare("SELECT count(*) FROM sqlite_schema").map_err(explain)?;
    let mut held = held.query([]).map_err(explain)?;
    let _until_dropped = held.next().map_err(explain)?;
    let statement = session.prepare(sql)?;
    let mut live = Vec::with_capacity(reads.len());
    for read in reads {
        live.extend(introspect::live(session, &read.id)?);
    }
    orders.serve(live, &mut SqliteStatement { session, sql, statement, limits });
    Ok(())
}

impl Compiled for SqliteStatement<'_> {
    fn look_up(&mut self, wanted: &TextLookUp) -> Result<TextFound, ConnectError> {
        let (table, column) = (Dialect::Sqlite.quoted(&wanted.table.name), Dialect::Sqlite.quoted(&wanted.column));
        let exists = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE {column} = ?1)");
        let occurs = self.session.first_row(&exists, [&wanted.text], |row| row.get::<_, bool>(0))?;
        let mut others = Vec::new();
        if occurs == Some(false) && wanted.others_from > 0 {
            let first = format!("SELECT {column} AS value FROM {table} LIMIT {}", wanted.others_from);
            let sql = format!("SELECT DISTINCT substr(value, 1, 200) FROM ({first}) WHERE typeof(value) = 'text'");
            others = self.session.all_rows(&sql, [], |row| row.get::<_, String>(0))?;
        }
        Ok(TextFound { occurs, others })
    }

    fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        let mut plan = self.session.prepare(&format!("EXPLAIN QUERY PLAN {}", self.sql))?;
        all_rows(self.session, &mut plan, &plan_limits(self.limits))
    }

    fn reads(&mut self, sql: &str) -> Result<Vec<EngineRead>, ConnectError> {
        let (compiled, read) = open::with_reads(|| self.session.prepare(sql).map(drop));
        compiled.map(|()| read)
    }

    fn run(&mut self) -> Result<ResultSet, ConnectError> {
        all_rows(self.session, &mut self.statement, self.limits)
    }

    fn data_state(&mut self) -> Option<String> {
        self.session.data_state()
    }
}

fn all_rows(session: &Session<'_>, statement: &mut Statement<'_>, limits: &Limits) -> Result<ResultSet, ConnectError> {
    let started = Instant::now();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut collector = RowCollector::new(limits);
    session.each_row(statement, [], |row| {
        let cells: rusqlite::Result<Vec<Value>> =
            (0..columns.len()).map(|position| Ok(rows::cell(row.get_ref(position)?, limits.cell_chars))).collect();
        Ok(collector.push(cells?))
    })?;
    Ok(collector.finish(columns, started.elapsed()))
}
