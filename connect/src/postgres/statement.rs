//! A statement that somebody wants to run, in one transaction of one connection.
//!
//! Compiling it locks what it reads (see [`Pool::statement`]), so its relations are what the server says they are until
//! the transaction ends. What fails between compiling and running leaves a transaction of which nothing more can be
//! asked; the error is kept, and is what running the statement then gives.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use async_trait::async_trait;
use catalog::{Dialect, Identity, TableId};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Row, SimpleQueryRow, Statement};

use super::decode::{Kind, Lossy};
use super::introspect::{completed, definition, kind_of, row_policies};
use super::reads;
use super::session::{Pool, Session};
use crate::error::ConnectError;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::server_pool::KEY_CHARS;
use crate::statement::{
    EngineRead, HeldKey, LiveRelation, ReadRelation, StatementSession, TextFound, TextLookUp, plan_limits,
};
use crate::value::Value;

static LIVE: LazyLock<String> = LazyLock::new(|| completed(include_str!("introspection/live.sql")));

const EXPLAIN: &str = "EXPLAIN (VERBOSE, FORMAT JSON)";

/// Types of which every text is a value, so that looking for one can't fail.
const TEXTS: [&str; 3] = ["text", "character", "citext"];

pub(super) struct PostgresStatement {
    /// `None` once it has ended.
    session: Option<Session>,
    sql: String,
    prepared: Statement,
    live: Vec<LiveRelation>,
    functions: Vec<String>,
    limits: Limits,
    started: Instant,
    /// What has ended the transaction's use.
    failed: Option<ConnectError>,
    /// The plan of the statement, once somebody has asked for it.
    planned: Option<ResultSet>,
}

/// Begins a transaction, has the statement compiled in it, and reads what its relations are.
pub(super) async fn open(
    pool: &Arc<Pool>,
    sql: &str,
    reads: &[ReadRelation],
    limits: &Limits,
) -> Result<PostgresStatement, ConnectError> {
    let started = Instant::now();
    let schemas: Vec<&str> = reads.iter().map(|read| read.id.schema.as_deref().unwrap_or("public")).collect();
    let names: Vec<&str> = reads.iter().map(|read| read.id.name.as_str()).collect();
    let bare: Vec<bool> = reads.iter().map(|read| read.bare).collect();
    let words = words_of(sql);
    let parameters: [super::session::Parameter<'_>; 4] = [
        (&schemas, Type::TEXT_ARRAY),
        (&names, Type::TEXT_ARRAY),
        (&bare, Type::BOOL_ARRAY),
        (&words, Type::TEXT_ARRAY),
    ];
    let behind = (!reads.is_empty() || sql.contains('(')).then_some((LIVE.as_str(), &parameters[..]));
    let (session, prepared, rows) = pool.statement(sql, limits.timeout, behind).await?;
    let mut functions = Vec::new();
    for row in rows.iter().filter(|row| matches!(row.try_get::<_, i64>(0), Ok(0))) {
        functions.extend(row.try_get::<_, Vec<Lossy>>(4).unwrap_or_default().into_iter().map(|Lossy(name)| name));
    }
    let live: Result<Vec<Option<LiveRelation>>, _> = rows.iter().map(|row| live_relation(row, reads)).collect();
    let live = match live {
        Ok(live) => live.into_iter().flatten().collect(),
        Err(error) => {
            let error = session.explain(error.into());
            return session.end(Err(error)).await;
        }
    };
    let (session, sql, limits) = (Some(session), sql.to_owned(), limits.clone());
    Ok(PostgresStatement { session, sql, prepared, live, functions, limits, started, failed: None, planned: None })
}

/// The transactions that a snapshot sees: the same ones have always written the same rows. A standby doesn't tell all of those that
/// are under way.
const DATA_STATE: &str = "SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN pg_catalog.concat_ws(' ', \
     pg_catalog.txid_current_snapshot(), pg_catalog.pg_postmaster_start_time()) END";
const HELD_KEYS: &str = include_str!("introspection/held_keys.sql");

/// The words of a statement, as they stand and in lower case: whatever it calls is among them.
fn words_of(sql: &str) -> Vec<String> {
    let words = sql.split(|character: char| !character.is_alphanumeric() && character != '_' && character != '$');
    // A name in quotes may have other signs in it.
    let words = words.chain(sql.split('"')).filter(|word| !word.is_empty() && word.len() < LONGEST_NAME);
    let spelt: BTreeSet<String> = words.flat_map(|word| [word.to_owned(), word.to_lowercase()]).collect();
    spelt.into_iter().collect()
}

/// Bytes of a name at most, and one.
const LONGEST_NAME: usize = 64;

fn live_relation(row: &Row, reads: &[ReadRelation]) -> Result<Option<LiveRelation>, tokio_postgres::Error> {
    let place: i64 = row.try_get(0)?;
    let Some(read) = usize::try_from(place - 1).ok().and_then(|place| reads.get(place)) else { return Ok(None) };
    let Lossy(kind) = row.try_get(1)?;
    let definition = row.try_get::<_, Option<Lossy>>(2)?.map(|Lossy(text)| definition(&text));
    let (names, types): (Vec<Lossy>, Vec<Lossy>) = (row.try_get(4)?, row.try_get(5)?);
    let columns = names.into_iter().zip(types).map(|(Lossy(name), Lossy(words))| (name, words)).collect();
    let hidden = row.try_get(3)?;
    let part_of = row.try_get::<_, Option<Lossy>>(6)?.map(|Lossy(name)| name);
    let children = row.try_get::<_, Vec<Lossy>>(7)?.into_iter().map(|Lossy(name)| name).collect();
    let (generated, expressions): (Vec<Lossy>, Vec<Lossy>) = (row.try_get(8)?, row.try_get(9)?);
    let made =
        generated.into_iter().zip(expressions).map(|(Lossy(name), Lossy(expression))| (name, expression)).collect();
    let (id, kind, made) = (read.id.clone(), kind_of(&kind), Some(made));
    let own = row.try_get::<_, Option<Lossy>>(10)?.map(|Lossy(own)| own);
    let identity = Identity { own, columns: row.try_get(11)?, parts: row.try_get(12)? };
    let row_policies = row_policies(row.try_get(13)?);
    Ok(Some(LiveRelation { id, kind, definition, columns, made, hidden, identity, part_of, children, row_policies }))
}

impl PostgresStatement {
    fn session(&self) -> Result<&Session, ConnectError> {
        match (&self.failed, &self.session) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(session)) => Ok(session),
            (None, None) => Err(ConnectError::Timeout { after: self.limits.timeout }),
        }
    }

    /// Keeps the error that has ended the transaction's use.
    fn noted<T>(&mut self, result: Result<T, ConnectError>) -> Result<T, ConnectError> {
        if let Err(error) = &result {
            self.failed.get_or_insert_with(|| error.clone());
        }
        result
    }

    /// Of the limit, what is left for what comes next.
    async fn shorten(&self) -> Result<(), ConnectError> {
        let passed = self.started.elapsed();
        // Whatever has been asked of small tables until now doesn't matter.
        if passed * 20 < self.limits.timeout {
            return Ok(());
        }
        match self.limits.timeout.checked_sub(passed) {
            Some(left) if !left.is_zero() => self.session()?.shorten(left).await,
            _ => Err(ConnectError::Timeout { after: self.limits.timeout }),
        }
    }

    /// Whether every text can be compared with the column.
    fn holds_any_text(&self, wanted: &TextLookUp) -> bool {
        let relation = self.live.iter().find(|relation| relation.id == wanted.table);
        let columns = relation.map(|relation| relation.columns.as_slice()).unwrap_or_default();
        let held = columns.iter().find(|(name, _)| *name == wanted.column);
        held.is_some_and(|(_, words)| TEXTS.iter().any(|text| words.starts_with(text)) && !words.ends_with(']'))
    }

    /// The plan of another statement, which nobody has compiled yet: by the protocol that takes one and no more.
    async fn other_plan(&mut self, sql: &str) -> Result<Option<String>, ConnectError> {
        let explain = format!("{EXPLAIN} {sql}");
        let planned = match self.session() {
            Ok(session) => session.first_row(&explain, &[], |row| row.try_get(0).map(|Lossy(text)| text)).await,
            Err(error) => Err(error),
        };
        self.noted(planned)
    }

    async fn rows(&self, sql: &str, collector: &mut RowCollector) -> Result<Vec<String>, ConnectError> {
        let columns = self.prepared.columns();
        let names = columns.iter().map(|column| column.name().to_owned()).collect();
        let kinds: Vec<Kind> =
            columns.iter().map(|column| Kind::of(column.type_().schema(), column.type_().name())).collect();
        let take = |row: &SimpleQueryRow| {
            let cells = kinds.iter().enumerate().map(|(place, kind)| match row.try_get(place) {
                Ok(Some(text)) => kind.value(text, self.limits.cell_chars),
                Ok(None) => Value::Null,
                // Bytes that are not UTF-8, which only databases without an encoding hold.
                Err(_) => Value::Text(char::REPLACEMENT_CHARACTER.to_string()),
            });
            collector.push(cells.collect())
        };
        self.session()?.run_compiled(sql, take).await?;
        Ok(names)
    }
}

#[async_trait]
impl StatementSession for PostgresStatement {
    fn live(&self) -> &[LiveRelation] {
        &self.live
    }

    fn functions(&self) -> &[String] {
        &self.functions
    }

    async fn holds(&mut self, keys: &[HeldKey]) -> Result<bool, ConnectError> {
        let schema = |id: &TableId| id.schema.clone().unwrap_or_default();
        let mut parts: [Vec<String>; 6] = Default::default();
        for key in keys {
            let (id, column) = &key.column;
            let other = key.refers_to.as_ref();
            let other = other.map(|(id, column)| [schema(id), id.name.clone(), column.clone()]).unwrap_or_default();
            let row = [schema(id), id.name.clone(), column.clone()].into_iter().chain(other);
            parts.iter_mut().zip(row).for_each(|(part, value)| part.push(value));
        }
        let parameters = parts.each_ref().map(|part| (part as &(dyn ToSql + Sync), Type::TEXT_ARRAY));
        let held = match self.session() {
            Ok(session) => session.first_row(HELD_KEYS, &parameters, |row| row.try_get::<_, i64>(0)).await,
            Err(error) => Err(error),
        };
        let held = self.noted(held)?;
        Ok(held.and_then(|held| usize::try_from(held).ok()) == Some(keys.len()))
    }

    async fn look_up(&mut self, wanted: &[TextLookUp]) -> Result<Vec<TextFound>, ConnectError> {
        let mut found = vec![TextFound::default(); wanted.len()];
        let asked: Vec<(usize, &TextLookUp)> =
            wanted.iter().enumerate().filter(|(_, wanted)| self.holds_any_text(wanted)).collect();
        if asked.is_empty() {
            return Ok(found);
        }
        let take = |row: &Row| {
            let place: i32 = row.try_get(0)?;
            let other: Option<Lossy> = row.try_get(2)?;
            if let Some(found) = usize::try_from(place).ok().and_then(|place| found.get_mut(place)) {
                match other {
                    Some(Lossy(other)) => found.others.push(other),
                    None => found.occurs = row.try_get(1)?,
                }
            }
            Ok(Next::Continue)
        };
        let looked = match self.session() {
            Ok(session) => session.each_row(&look_up(&asked), &[], take).await,
            Err(error) => Err(error),
        };
        self.noted(looked)?;
        Ok(found)
    }

    async fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        if let Some(planned) = &self.planned {
            return Ok(planned.clone());
        }
        let started = Instant::now();
        let mut collector = RowCollector::new(&plan_limits(&self.limits));
        let take = |row: &SimpleQueryRow| {
            let text = row.try_get(0).ok().flatten().unwrap_or_default();
            collector.push(vec![Value::Text(text.to_owned())])
        };
        let planned = match self.session() {
            Ok(session) => session.run_compiled(&format!("{EXPLAIN} {}", self.sql), take).await,
            Err(error) => Err(error),
        };
        self.noted(planned)?;
        let planned = collector.finish(vec!["QUERY PLAN".to_owned()], started.elapsed());
        self.planned = Some(planned.clone());
        Ok(planned)
    }

    async fn reads(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        let text = match sql == self.sql {
            true => {
                let plan = self.plan().await?;
                let text = plan.rows.first().and_then(|row| row.first()).and_then(Value::as_text);
                text.filter(|_| plan.truncated.is_none())
            }
            false => self.other_plan(sql).await?,
        };
        let read = text.and_then(|text| reads::reads(sql, &text));
        let unreadable =
            || ConnectError::Denied { reason: "the engine doesn't say what the statement reads".to_owned() };
        read.map(Some).ok_or_else(unreadable)
    }

    async fn data_state(&mut self) -> Result<Option<String>, ConnectError> {
        let state = match self.session() {
            Ok(session) => session.first_row(DATA_STATE, &[], |row| row.try_get::<_, Option<String>>(0)).await,
            Err(error) => Err(error),
        };
        Ok(self.noted(state)?.flatten())
    }

    async fn run(&mut self) -> Result<ResultSet, ConnectError> {
        let started = Instant::now();
        self.shorten().await?;
        let mut collector = RowCollector::new(&self.limits);
        let ran = self.rows(&self.sql, &mut collector).await;
        let columns = self.noted(ran)?;
        Ok(collector.finish(columns, started.elapsed()))
    }

    async fn end(mut self: Box<Self>) {
        if let Some(session) = self.session.take() {
            // Nothing came of it that could be handed on.
            let _: Result<(), ConnectError> = session.end(Ok(())).await;
        }
    }
}

/// One statement for all texts: a row for each, and rows for other values where it doesn't occur. The text stands in it
/// as it stood in the statement that is judged, so that the server reads it as a value of the same type.
fn look_up(asked: &[(usize, &TextLookUp)]) -> String {
    let name = |id: &TableId| {
        let schema = id.schema.as_deref().unwrap_or("public");
        format!("{}.{}", Dialect::Postgres.quoted(schema), Dialect::Postgres.quoted(&id.name))
    };
    let occurs = asked.iter().map(|(place, wanted)| {
        format!(
            "({place}, EXISTS (SELECT FROM {} AS here WHERE here.{} = {}))",
            name(&wanted.table),
            Dialect::Postgres.quoted(&wanted.column),
            Dialect::Postgres.literal(&wanted.text)
        )
    });
    let occurs = occurs.collect::<Vec<_>>().join(", ");
    let mut sql = format!(
        "WITH held (place, occurs) AS MATERIALIZED (VALUES {occurs}) SELECT place::int4, occurs, NULL::text FROM held"
    );
    for (place, wanted) in asked.iter().filter(|(_, wanted)| wanted.others_from > 0) {
        sql.push_str(&format!(
            " UNION ALL SELECT {place}, false, other.value FROM (SELECT DISTINCT pg_catalog.left(first.value::text, \
             {KEY_CHARS}) AS value FROM (SELECT here.{} AS value FROM {} AS here LIMIT {}) AS first) AS other \
             WHERE other.value IS NOT NULL AND NOT (SELECT occurs FROM held WHERE place = {place})",
            Dialect::Postgres.quoted(&wanted.column),
            name(&wanted.table),
            wanted.others_from
        ));
    }
    sql
}
