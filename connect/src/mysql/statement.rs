//! A statement that somebody wants to run, in one transaction of one connection.
//!
//! The server's definitions are not part of its transactions, but a transaction that has read a table keeps everybody
//! from changing what the table is until it ends. So the statement that asks what the relations are reads no row of each
//! of them as well: the locks come first, the answer after them, and with a view those behind it are locked.
//! <https://mariadb.com/kb/en/metadata-locking/>

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use catalog::{Dialect, Identity, TableKind};
use mysql_async::{Row, Statement};

use super::decode::{number, text};
use super::introspect::kind_of;
use super::session::{Flavour, Pool, Session};
use super::{reads, rows};
use crate::error::ConnectError;
use crate::result_set::{Limits, Next, ResultSet, RowCollector};
use crate::server_pool::KEY_CHARS;
use crate::statement::{
    EngineRead, HeldKey, LiveRelation, ReadRelation, StatementSession, TextFound, TextLookUp, plan_limits,
};

const LIVE: &str = include_str!("introspection/live.sql");

pub(super) struct MysqlStatement {
    /// `None` once it has ended.
    session: Option<Session>,
    sql: String,
    prepared: Statement,
    live: Vec<LiveRelation>,
    limits: Limits,
    started: Instant,
}

/// Begins a transaction, has the statement compiled in it, locks its relations and reads what they are.
pub(super) async fn open(
    pool: &Arc<Pool>,
    sql: &str,
    reads: &[ReadRelation],
    limits: &Limits,
) -> Result<MysqlStatement, ConnectError> {
    let started = Instant::now();
    let mut session = pool.session(limits.timeout).await?;
    let prepared = match session.prepare(sql).await {
        Ok(prepared) => prepared,
        Err(error) => return session.end(Err(error)).await,
    };
    let live = match live_relations(&mut session, reads).await {
        Ok(live) => live,
        Err(error) => return session.end(Err(error)).await,
    };
    let (session, sql, limits) = (Some(session), sql.to_owned(), limits.clone());
    Ok(MysqlStatement { session, sql, prepared, live, limits, started })
}

async fn live_relations(session: &mut Session, reads: &[ReadRelation]) -> Result<Vec<LiveRelation>, ConnectError> {
    if reads.is_empty() {
        return Ok(Vec::new());
    }
    let database = Dialect::Mysql.literal(session.database());
    let mut parts = Vec::with_capacity(2 * reads.len());
    for (place, read) in reads.iter().enumerate() {
        let part = LIVE.replace("{place}", &place.to_string()).replace("{database}", &database);
        parts.push(part.replace("{table}", &Dialect::Mysql.literal(&read.id.name)));
        if read.named {
            parts.push(format!(
                "(SELECT 0, NULL, NULL, NULL, 0, NULL FROM {} LIMIT 0)",
                Dialect::Mysql.quoted(&read.id.name)
            ));
        }
    }
    let mut found: Vec<Found> = reads.iter().map(|_| Found::default()).collect();
    for row in session.text_rows(&parts.join(" UNION ALL ")).await? {
        let place = number(&row, 0).and_then(|place| usize::try_from(place).ok());
        if let Some(found) = place.and_then(|place| found.get_mut(place)) {
            found.add(&row);
        }
    }
    let live = reads.iter().zip(found).filter_map(|(read, found)| found.relation(read));
    Ok(live.collect())
}

/// What the rows say of one relation.
#[derive(Default)]
struct Found {
    kind: Option<TableKind>,
    definition: Option<String>,
    columns: Vec<(i64, String, String)>,
    made: Vec<(String, String)>,
    identity: Option<String>,
}

impl Found {
    fn add(&mut self, row: &Row) {
        match text(row, 1).as_deref() {
            Some("relation") => {
                let kind = kind_of(text(row, 2).as_deref(), text(row, 3).as_deref());
                self.identity = text(row, 5).filter(|_| kind != TableKind::View);
                self.kind = Some(kind);
            }
            // Whoever may not see the text is shown an empty one.
            Some("view") => self.definition = text(row, 3).filter(|words| !words.is_empty()),
            _ => {
                if let (Some(name), Some(words), Some(place)) = (text(row, 2), text(row, 3), number(row, 4)) {
                    self.made.extend(text(row, 5).filter(|it| !it.is_empty()).map(|it| (name.clone(), it)));
                    self.columns.push((place, name, words));
                }
            }
        }
    }

    fn relation(mut self, read: &ReadRelation) -> Option<LiveRelation> {
        self.columns.sort();
        let columns = self.columns.into_iter().map(|(_, name, words)| (name, words)).collect();
        let (id, definition) = (read.id.clone(), self.definition);
        Some(LiveRelation {
            id,
            kind: self.kind?,
            definition,
            columns,
            made: Some(self.made),
            hidden: false,
            identity: Identity::of(self.identity),
            part_of: None,
            children: Vec::new(),
            row_policies: Vec::new(),
        })
    }
}

impl MysqlStatement {
    /// How the server has understood a query; `None` where not all of that is told.
    async fn trace(&mut self, sql: &str) -> Result<Option<String>, ConnectError> {
        const ON: &str = "optimizer_trace = 'enabled=on', optimizer_trace_max_mem_size = 16777216";
        const TRACE: &str = "SELECT trace, missing_bytes_beyond_max_mem_size, insufficient_privileges \
                             FROM information_schema.optimizer_trace";
        let is_compiled = sql == self.sql;
        let session = self.session()?;
        let explain = match session.flavour() {
            Flavour::MariaDb => format!("SET STATEMENT {ON} FOR EXPLAIN {sql}"),
            Flavour::MySql => {
                session.text_rows(&format!("SET SESSION {}", ON.replace(", ", ", SESSION "))).await?;
                format!("EXPLAIN {sql}")
            }
        };
        match is_compiled {
            // The server has found that it is one statement, and takes it whole.
            true => drop(session.text_rows(&explain).await?),
            false => {
                let prepared = session.prepare(&explain).await?;
                session.run_prepared(&prepared, |_| Next::Continue).await?;
            }
        }
        let rows = session.text_rows(TRACE).await?;
        if session.flavour() == Flavour::MySql {
            session.text_rows("SET SESSION optimizer_trace = 'enabled=off'").await?;
        }
        let whole = |row: &&Row| number(row, 1) == Some(0) && number(row, 2) == Some(0);
        Ok(rows.first().filter(whole).and_then(|row| text(row, 0)))
    }

    /// What a query and its views read, where the server doesn't tell of them together: it keeps back what runs with another
    /// account's rights, as views do by default, from everybody who hasn't all the rights of that account. So it is told of
    /// the query where something of the views' names and columns stands in their places, and of each view's own query, which
    /// the reader may run. `None` where it keeps that back, too.
    async fn reads_beside_views(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        let views = self.live.iter().filter(|relation| relation.kind == TableKind::View);
        let views: Option<Vec<(String, String, Vec<String>)>> = views
            .map(|view| {
                let columns = view.columns.iter().map(|(name, _)| name.clone()).collect();
                Some((view.id.name.clone(), view.definition.clone()?, columns))
            })
            .collect();
        let Some(views) = views.filter(|views| !views.is_empty()) else { return Ok(None) };
        let database = Dialect::Mysql.quoted(self.session()?.database());
        let stand_ins = views.iter().map(|(name, _, columns)| {
            let columns: Vec<String> =
                columns.iter().map(|name| format!("NULL AS {}", Dialect::Mysql.quoted(name))).collect();
            // With a table to read: MariaDB 10.11 aborts on subqueries over what has none.
            format!("{} AS (SELECT {} FROM (SELECT 1) AS one)", Dialect::Mysql.quoted(name), columns.join(", "))
        });
        let stand_ins = stand_ins.collect::<Vec<_>>().join(", ");
        let mut read = match self.told_alone(&reads::beginning_with(&stand_ins, sql)).await? {
            Some(read) => read,
            None => return Ok(None),
        };
        for (name, definition, _) in &views {
            let here = views.iter().fold(definition.clone(), |text, (view, ..)| {
                let view = Dialect::Mysql.quoted(view);
                text.replace(&format!("{database}.{view}"), &view)
            });
            let Some(own) = self.told_alone(&reads::beginning_with(&stand_ins, &here)).await? else { return Ok(None) };
            read.extend(own.into_iter().map(|read| EngineRead { through: Some(name.clone()), ..read }));
        }
        Ok(Some(read))
    }

    /// What a query reads in which no view is named; `None` also where it can't be compiled.
    async fn told_alone(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        match self.trace(sql).await {
            Ok(trace) => Ok(trace.and_then(|trace| reads::reads(&trace, &reads::Bodies::default()))),
            Err(ConnectError::Statement { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn session(&mut self) -> Result<&mut Session, ConnectError> {
        self.session.as_mut().ok_or(ConnectError::Timeout { after: self.limits.timeout })
    }
}

#[async_trait]
impl StatementSession for MysqlStatement {
    fn live(&self) -> &[LiveRelation] {
        &self.live
    }

    async fn holds(&mut self, keys: &[HeldKey]) -> Result<bool, ConnectError> {
        let text = |text: &str| Dialect::Mysql.literal(text);
        let database = text(self.session()?.database());
        let held = keys.iter().map(|key| {
            let (table, column) = (text(&key.column.0.name), text(&key.column.1));
            match &key.refers_to {
                None => format!(
                    "EXISTS (SELECT 1 FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = {database} AND TABLE_NAME = {table} \
                     GROUP BY INDEX_NAME HAVING COUNT(*) = 1 AND MAX(NON_UNIQUE) = 0 AND MAX(COLUMN_NAME) = {column} \
                     AND MAX(SUB_PART) IS NULL)"
                ),
                Some((other, referred)) => format!(
                    "EXISTS (SELECT 1 FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = {database} AND TABLE_NAME = \
                     {table} AND COLUMN_NAME = {column} AND REFERENCED_TABLE_SCHEMA = {database} AND REFERENCED_TABLE_NAME = {} \
                     AND REFERENCED_COLUMN_NAME = {})",
                    text(&other.name),
                    text(referred)
                ),
            }
        });
        let sql = format!("SELECT {}", held.collect::<Vec<_>>().join(" AND "));
        let row = self.session()?.text_rows(&sql).await?.into_iter().next();
        Ok(row.and_then(|row| number(&row, 0)) == Some(1))
    }

    async fn look_up(&mut self, wanted: &[TextLookUp]) -> Result<Vec<TextFound>, ConnectError> {
        let mut found = vec![TextFound::default(); wanted.len()];
        if wanted.is_empty() {
            return Ok(found);
        }
        let exists = wanted.iter().map(|wanted| {
            let (table, column) = (Dialect::Mysql.quoted(&wanted.table.name), Dialect::Mysql.quoted(&wanted.column));
            let literal = Dialect::Mysql.literal(&wanted.text);
            format!("EXISTS (SELECT 1 FROM {table} AS here WHERE here.{column} = {literal})")
        });
        let sql = format!("SELECT {}", exists.collect::<Vec<_>>().join(", "));
        let row = self.session()?.text_rows(&sql).await?.into_iter().next();
        for (place, found) in found.iter_mut().enumerate() {
            found.occurs = row.as_ref().and_then(|row| number(row, place)).map(|occurs| occurs != 0);
        }
        let absent = wanted
            .iter()
            .zip(&found)
            .enumerate()
            .filter(|(_, (wanted, found))| found.occurs == Some(false) && wanted.others_from > 0);
        let others = absent.map(|(place, (wanted, _))| {
            format!(
                "SELECT DISTINCT {place}, LEFT(first.value, {KEY_CHARS}) FROM (SELECT here.{} AS value FROM {} AS here \
                 LIMIT {}) AS first WHERE first.value IS NOT NULL",
                Dialect::Mysql.quoted(&wanted.column),
                Dialect::Mysql.quoted(&wanted.table.name),
                wanted.others_from
            )
        });
        let others = others.collect::<Vec<_>>();
        if !others.is_empty() {
            for row in self.session()?.text_rows(&others.join(" UNION ALL ")).await? {
                let place = number(&row, 0).and_then(|place| usize::try_from(place).ok());
                if let (Some(found), Some(other)) = (place.and_then(|place| found.get_mut(place)), text(&row, 1)) {
                    found.others.push(other);
                }
            }
        }
        Ok(found)
    }

    async fn plan(&mut self) -> Result<ResultSet, ConnectError> {
        let started = Instant::now();
        let limits = plan_limits(&self.limits);
        let sql = format!("EXPLAIN {}", self.sql);
        let session = self.session()?;
        let prepared = session.prepare(&sql).await?;
        collected(session, &prepared, &limits, started).await
    }

    async fn reads(&mut self, sql: &str) -> Result<Option<Vec<EngineRead>>, ConnectError> {
        let read = match self.trace(sql).await? {
            Some(trace) => {
                let views = self.live.iter().filter(|relation| relation.kind == TableKind::View);
                let names: Vec<String> = views.map(|view| view.id.name.clone()).collect();
                let mut bodies = Vec::new();
                for name in names {
                    // Who may read a view needn't be allowed to read the views behind it.
                    if let Ok(Some(body)) = self.trace(&format!("SELECT 1 FROM {}", Dialect::Mysql.quoted(&name))).await
                    {
                        bodies.push((name, body));
                    }
                }
                reads::reads(&trace, &reads::Bodies::of(&bodies))
            }
            None => self.reads_beside_views(sql).await?,
        };
        let unreadable =
            || ConnectError::Denied { reason: "the engine doesn't say what the statement reads".to_owned() };
        read.map(Some).ok_or_else(unreadable)
    }

    async fn run(&mut self) -> Result<ResultSet, ConnectError> {
        let (started, passed, limits) = (Instant::now(), self.started.elapsed(), self.limits.clone());
        let prepared = self.prepared.clone();
        let session = self.session()?;
        // What has been asked of small tables until now hardly matters.
        if passed * 20 >= limits.timeout {
            let left = limits.timeout.saturating_sub(passed);
            if left.is_zero() {
                return Err(ConnectError::Timeout { after: limits.timeout });
            }
            session.shorten(left).await?;
        }
        collected(session, &prepared, &limits, started).await
    }

    async fn end(mut self: Box<Self>) {
        if let Some(session) = self.session.take() {
            // Nothing came of it that could be handed on.
            let _: Result<(), ConnectError> = session.end(Ok(())).await;
        }
    }
}

async fn collected(
    session: &mut Session,
    prepared: &Statement,
    limits: &Limits,
    started: Instant,
) -> Result<ResultSet, ConnectError> {
    let columns = prepared.columns().iter().map(|column| column.name_str().into_owned()).collect();
    let mut collector = RowCollector::new(limits);
    let take = |row| collector.push(rows::cells(row, limits.cell_chars));
    session.run_prepared(prepared, take).await?;
    Ok(collector.finish(columns, started.elapsed()))
}
