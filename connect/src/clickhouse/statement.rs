//! A statement that somebody wants to run, each step a request of its own.
//!
//! The engine has no transactions that hold a table as it is. What the relations are is asked before the statement is
//! compiled and again behind its last row, together with when each was last defined: if anything differs, the rows
//! are not handed on.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use catalog::Dialect;

use super::introspect::{Giver, assignments, given, identity, is_made_from_others, kind_of, made_by};
use super::session::{Server, Session};
use super::settings::Purpose;
use super::{decode, reads};
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet, RowCollector};
use crate::server_pool::KEY_CHARS;
use crate::statement::{EngineRead, LiveRelation, ReadRelation, StatementSession, TextFound, TextLookUp, plan_limits};

const LIVE: &str = include_str!("introspection/live.sql");

/// Rows that a look-up may read; tables are small, or sorted by what is looked for.
const MOST_ROWS: u64 = 1_000_000;

/// Relations as they are, and for each what changes when its definition does.
type Live = (Vec<LiveRelation>, Vec<String>);

pub(super) struct ClickhouseStatement {
    session: Session,
    sql: String,
    reads: Vec<ReadRelation>,
    live: Live,
    limits: Limits,
}

/// Asks what the relations are, and has the statement understood.
pub(super) async fn open(
    server: &Arc<Server>,
    sql: &str,
    reads: &[ReadRelation],
    limits: &Limits,
) -> Result<ClickhouseStatement, ConnectError> {
    let session = server.session(limits.timeout).await?;
    let live = live_relations(&session, reads).await?;
    session.prepare(sql).await?;
    Ok(ClickhouseStatement { session, sql: sql.to_owned(), reads: reads.to_vec(), live, limits: limits.clone() })
}

/// Engines that give on rows of other tables.
const GIVES_ON: [&str; 6] = ["Alias", "Buffer", "ComputedDictionary", "Dictionary", "Distributed", "Merge"];

async fn live_relations(session: &Session, reads: &[ReadRelation]) -> Result<Live, ConnectError> {
    if reads.is_empty() {
        return Ok(Live::default());
    }
    let names: Vec<String> = reads.iter().map(|read| Dialect::Clickhouse.literal(&read.id.name)).collect();
    let sql = LIVE.replace("{names}", &format!("({})", names.join(", ")));
    let rows = session.texts(&sql, Purpose::OWN, &[("database", session.database())]).await?;
    let mut found: Vec<(LiveRelation, String)> = Vec::new();
    let mut columns: Vec<(u64, String, String, String, String)> = Vec::new();
    let mut set: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let mut gives_on = false;
    for row in rows {
        let mut cells = row.into_iter().map(Option::unwrap_or_default);
        let mut next = || cells.next().unwrap_or_default();
        let (name, what, first, second, stamp, place) = (next(), next(), next(), next(), next(), next());
        let ttl = next();
        if what == "column" {
            columns.push((place.parse().unwrap_or(0), name, first, second, stamp));
        } else if let Some(read) = reads.iter().find(|read| read.id.name == name) {
            set.push((name, assignments(&ttl)));
            gives_on |= GIVES_ON.contains(&first.as_str());
            let (kind, definition) = (kind_of(&first), Some(second).filter(|query| !query.is_empty()));
            let (id, columns) = (read.id.clone(), Vec::new());
            let uuid = stamp.split(' ').next().unwrap_or_default();
            let identity = identity(&kind, uuid);
            found.push((
                LiveRelation {
                    id,
                    kind,
                    definition,
                    columns,
                    made: Some(Vec::new()),
                    hidden: false,
                    identity,
                    part_of: None,
                    children: Vec::new(),
                    row_policies: Vec::new(),
                },
                stamp,
            ));
        }
    }
    if gives_on {
        for given in given(session).await? {
            let relation = found.iter_mut().map(|(relation, _)| relation).find(|it| it.id.name == given.name);
            if let (Some(relation), Giver::Tables(tables)) = (relation, given.from) {
                relation.children.extend(tables.into_iter().filter(|table| *table != given.name));
            }
        }
    }
    columns.sort();
    for (_, table, name, words, expression) in columns {
        if let Some((relation, _)) = found.iter_mut().find(|(relation, _)| relation.id.name == table) {
            if !expression.is_empty() {
                relation.made.get_or_insert_default().push((name.clone(), expression));
            }
            relation.columns.push((name, words));
        }
    }
    for (relation, _) in &mut found {
        let names: Vec<String> = relation.columns.iter().map(|(name, _)| name.clone()).collect();
        let assigned = set.iter().filter(|(table, _)| *table == relation.id.name).flat_map(|(_, assigned)| assigned);
        for (name, expression) in assigned.filter(|(name, words)| is_made_from_others(name, words, &names)) {
            let made = relation.made.get_or_insert_default();
            let own = made.iter().position(|(column, _)| column == name).map(|place| made.remove(place).1);
            made.push((name.clone(), made_by(own.as_deref(), expression)));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.id.cmp(&other.id));
    Ok(found.into_iter().unzip())
}

impl ClickhouseStatement {
    async fn rows(&self, sql: &str, limits: &Limits) -> Result<ResultSet, ConnectError> {
        let started = Instant::now();
        let mut collector = RowCollector::new(limits);
        // One more than wanted shows that there are more.
        let rows = u64::try_from(limits.rows).unwrap_or(u64::MAX).saturating_add(1);
        let take = |types: &[decode::ColumnType], cells: Vec<String>| collector.push(decode::cells(types, cells));
        let columns = self.session.each_row(sql, Purpose::Query { rows }, take).await?;
        if columns.is_empty() {
            return Err(ConnectError::Denied { reason: "the statement gives no rows, so it is no query".to_owned() });
        }
        Ok(collector.finish(columns, started.elapsed()))
    }

    /// The first relation that is not what it was when the statement was opened.
    fn changed(&self, after: &Live) -> Option<String> {
        let same =
            |place: usize| after.0.get(place) == self.live.0.get(place) && after.1.get(place) == self.live.1.get(place);
        let place = (0..self.live.0.len().max(after.0.len())).find(|place| !same(*place))?;
        let relation = self.live.0.get(place).or_else(|| after.0.get(place));
        relation.map(|relation| relation.id.local())
    }
}

#[async_trait]
impl StatementSession for ClickhouseStatement {
    fn live(&self) -> &[LiveRelation] {
        &self.live.0
    }

    async fn look_up(&mut self, wanted: &[TextLookUp]) -> Result<Vec<TextFound>, ConnectError> {
        let purpose = Purpose::Own { few_rows: false, most_rows: Some(MOST_ROWS) };
        let mut found = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let table = format!(
                "{}.{}",
                Dialect::Clickhouse.quoted(self.session.database()),
                Dialect::Clickhouse.quoted(&wanted.table.name)
            );
            let (column, text) =
                (Dialect::Clickhouse.quoted(&wanted.column), Dialect::Clickhouse.literal(&wanted.text));
            let exists = format!("SELECT 1 FROM {table} AS here WHERE here.{column} = {text} LIMIT 1");
            let occurs = !self.session.texts(&exists, purpose, &[]).await?.is_empty();
            let mut others = Vec::new();
            if !occurs && wanted.others_from > 0 {
                let first = format!("SELECT here.{column} AS value FROM {table} AS here LIMIT {}", wanted.others_from);
                let sql = format!("SELECT DISTINCT substringUTF8(toString(value), 1, {KEY_CHARS}) FROM ({first})");
                others = self.session.texts(&sql, purpose, &[]).await?.into_iter().flatten().flatten().collect();
            }
            found.push(TextFound { occurs: Some(occurs), others });
        }
        Ok(found)
    }

    async fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        self.rows(&format!("EXPLAIN ESTIMATE {}", self.sql), &plan_limits(&self.limits)).await
    }

    async fn reads(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        let Some(tree) = self.session.resolved(sql).await? else { return Ok(None) };
        let unreadable =
            || ConnectError::Denied { reason: "the engine doesn't say what the statement reads".to_owned() };
        reads::reads(&tree).map(Some).ok_or_else(unreadable)
    }

    async fn run(&mut self) -> Result<ResultSet, ConnectError> {
        let result = self.rows(&self.sql, &self.limits).await?;
        match self.changed(&live_relations(&self.session, &self.reads).await?) {
            Some(relation) => Err(ConnectError::Changed { relation }),
            None => Ok(result),
        }
    }

    async fn end(self: Box<Self>) {}
}
