//! Connections to one file, used on a thread that may block, and stopped when their time is up.
//!
//! The engine blocks its thread, so each piece of work runs in `spawn_blocking`. Beside it a task waits for its deadline,
//! or for the future that asked to be dropped, and then interrupts the engine until the work has ended: one interrupt
//! would be lost if it came before the statement began. An open file keeps writers of other processes out, so the file is
//! closed when nothing was asked for [`LINGER`]. Invariant: a connection is used by one session at a time, and never more
//! than [`IDLE`] are kept.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::Notify;

use super::engine::{Cell, Connection, Database, EngineError, Statement, StatementKind};
use super::failure::{Failure, is_fatal};
use super::{open, plan};
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::Next;
use crate::server_pool::GRACE;

/// How long a lock of a writing process is waited for, where the time limit is no shorter.
const BUSY_WAIT: Duration = Duration::from_secs(5);
const IDLE: usize = 4;
/// How long the file stays open when nothing is asked.
const LINGER: Duration = Duration::from_secs(2);
/// Time between two interrupts of the same work.
const BETWEEN_INTERRUPTS: Duration = Duration::from_millis(10);
/// Time between two looks at the memory of the process.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// Bytes that the process may hold more than when the work began. The engine's limit leaves out what aggregates keep of each group
/// outside of its buffers.
const MOST_ADDED: usize = 2 << 30;

/// The connections of one file.
pub(super) struct Pool {
    path: PathBuf,
    location: String,
    open: Mutex<Open>,
    work: Counters,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("location", &self.location).finish_non_exhaustive()
    }
}

/// What is open of the file.
#[derive(Default)]
struct Open {
    database: Option<Arc<Database>>,
    idle: Vec<Arc<Connection>>,
    /// Sessions begun so far, and those that have not ended.
    sessions: u64,
    running: usize,
}

#[derive(Debug, Default)]
struct Counters {
    statements: AtomicU64,
    rows_returned: AtomicU64,
}

/// A connection in use, until its deadline.
pub(super) struct Session<'a> {
    pool: &'a Pool,
    connection: Arc<Connection>,
    stop: &'a Stop,
    deadline: Instant,
    timeout: Duration,
    /// Whether the database has to be opened anew.
    broken: AtomicBool,
}

/// How a piece of work is told to end, and tells that it has.
#[derive(Default)]
struct Stop {
    wanted: AtomicBool,
    ended: AtomicBool,
    /// It took more than [`MOST_ADDED`].
    too_large: AtomicBool,
    changed: Notify,
    connection: Mutex<Option<Arc<Connection>>>,
}

impl Stop {
    fn interrupt(&self) {
        if let Some(connection) = &*self.connection.lock().unwrap_or_else(PoisonError::into_inner) {
            connection.interrupt();
        }
    }

    /// Stops the work at its deadline, when it takes too much memory, or when it is wanted no longer.
    async fn watch(self: Arc<Self>, deadline: Instant) {
        let held = || memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem);
        let most = held().saturating_add(MOST_ADDED);
        loop {
            let next = deadline.min(Instant::now() + BETWEEN_LOOKS);
            let woken = tokio::time::timeout_at(next.into(), self.changed.notified()).await.is_ok();
            if held() > most {
                self.too_large.store(true, Ordering::Release);
                break;
            }
            if woken || Instant::now() >= deadline {
                break;
            }
        }
        while !self.ended.load(Ordering::Acquire) {
            self.interrupt();
            tokio::time::sleep(BETWEEN_INTERRUPTS).await;
        }
    }
}

/// Stops the work of a future that is dropped.
struct StopOnDrop(Arc<Stop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.wanted.store(true, Ordering::Release);
        self.0.interrupt();
        self.0.changed.notify_one();
    }
}

/// Tells that a piece of work has ended, also when it panics.
struct EndOnDrop(Arc<Stop>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        *self.0.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.ended.store(true, Ordering::Release);
        self.0.changed.notify_one();
    }
}

impl Pool {
    pub(super) fn new(path: PathBuf, location: String) -> Arc<Self> {
        Arc::new(Self { path, location, open: Mutex::default(), work: Counters::default() })
    }

    pub(super) fn work(&self) -> Work {
        Work {
            statements: self.work.statements.load(Ordering::Relaxed),
            rows_returned: self.work.rows_returned.load(Ordering::Relaxed),
            rows_scanned: 0,
        }
    }

    pub(super) fn changed_at(&self) -> Option<SystemTime> {
        open::changed_at(&self.path)
    }

    /// Runs `task` with a connection, for `timeout` at most.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        timeout: Duration,
        task: impl FnOnce(&Session<'_>) -> Result<T, ConnectError> + Send + 'static,
    ) -> Result<T, ConnectError> {
        let deadline = Instant::now() + timeout;
        let stop = Arc::new(Stop::default());
        let stop_on_drop = StopOnDrop(Arc::clone(&stop));
        tokio::spawn(Arc::clone(&stop).watch(deadline));
        let pool = Arc::clone(self);
        let finished = tokio::task::spawn_blocking(move || {
            let end_on_drop = EndOnDrop(stop);
            let result = pool.run_blocking(timeout, deadline, &end_on_drop.0, task);
            drop(end_on_drop);
            tokio::runtime::Handle::current().spawn(pool.close_when_idle());
            result
        });
        let finished = tokio::time::timeout_at((deadline + GRACE).into(), finished).await;
        drop(stop_on_drop);
        // What the engine computes while it plans a statement can't be interrupted: it ends later, and unheard.
        let Ok(finished) = finished else { return Err(ConnectError::Timeout { after: timeout }) };
        finished.unwrap_or_else(|_| Err(ConnectError::Stopped { location: self.location.clone() }))
    }

    fn run_blocking<T>(
        &self,
        timeout: Duration,
        deadline: Instant,
        stop: &Stop,
        task: impl FnOnce(&Session<'_>) -> Result<T, ConnectError>,
    ) -> Result<T, ConnectError> {
        let connection = self.connection(timeout)?;
        *stop.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection));
        let broken = AtomicBool::new(false);
        let session = Session { pool: self, connection, stop, deadline, timeout, broken };
        let result = task(&session);
        // Whoever uses the connection next is not to be interrupted for this one.
        *stop.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
        roll_back(&session.connection);
        let broken = session.broken.into_inner();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.running -= 1;
        if broken {
            (open.database, open.idle) = (None, Vec::new());
        } else if open.database.is_some() && open.idle.len() < IDLE {
            open.idle.push(session.connection);
        }
        result
    }

    fn connection(&self, timeout: Duration) -> Result<Arc<Connection>, ConnectError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = BUSY_WAIT.min(timeout);
        let connection = match (open.idle.pop(), &open.database) {
            (Some(connection), _) => connection,
            (None, database) => {
                let database = match database {
                    Some(database) => Arc::clone(database),
                    None => open::open(&self.path, &self.location, wait)?,
                };
                let failure = Failure { location: &self.location, timeout };
                let connection = Connection::open(&database).map_err(|error| failure.explain(error))?;
                open.database = Some(database);
                Arc::new(connection)
            }
        };
        open.sessions += 1;
        open.running += 1;
        Ok(connection)
    }

    /// Closes the file if nothing is asked for some time.
    async fn close_when_idle(self: Arc<Self>) {
        let sessions = || {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            (open.running == 0).then_some(open.sessions)
        };
        let Some(before) = sessions() else { return };
        let pool = Arc::downgrade(&self);
        drop(self);
        tokio::time::sleep(LINGER).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut open = pool.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.running == 0 && open.sessions == before {
            (open.database, open.idle) = (None, Vec::new());
        }
    }
}

/// Ends the transaction that a statement of somebody's has begun, if it did.
fn roll_back(connection: &Connection) {
    if let Ok((Some(statement), _)) = connection.prepare("ROLLBACK") {
        let _no_transaction = statement.run();
    }
}

impl Session<'_> {
    /// Compiles one statement of somebody's, and refuses one that does more than read.
    pub(super) fn prepare_query(&self, sql: &str) -> Result<Statement<'_>, ConnectError> {
        let statement = self.prepare(sql)?;
        let explained = match statement.kind() {
            StatementKind::Select => sql,
            StatementKind::Explain => {
                let explained = plan::explained(sql).unwrap_or_default();
                // What EXPLAIN ANALYZE is about runs.
                match self.prepare(explained)?.kind() {
                    StatementKind::Select => explained,
                    _ => return Err(denied("EXPLAIN of a statement that is no query")),
                }
            }
            StatementKind::Other => return Err(denied("the statement is no query")),
        };
        let json = self.plan_of(explained)?;
        match json.and_then(|json| plan::functions_with_effects(&json)) {
            Some(functions) if functions.is_empty() => Ok(statement),
            Some(functions) => Err(denied(&format!("`{}` does more than read", functions.join("`, `")))),
            None => Err(denied("the engine doesn't say what the statement does")),
        }
    }

    /// The engine's plan of a query, as it will carry it out.
    pub(super) fn plan_of(&self, sql: &str) -> Result<Option<Vec<u8>>, ConnectError> {
        let explain = self.prepare(&format!("EXPLAIN (FORMAT JSON) {sql}"))?;
        let mut json = None;
        self.each_row(&explain, &[], |cells| {
            json = cells.into_iter().nth(1).and_then(|cell| match cell {
                Cell::Text(json) => Some(json.to_vec()),
                _ => None,
            });
            Next::Stop
        })?;
        Ok(json)
    }

    /// Compiles one statement of our own.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>, ConnectError> {
        match self.connection.prepare(sql).map_err(|error| self.explain(error))? {
            (Some(statement), _) => Ok(statement),
            (None, 0) => Err(ConnectError::StatementCount { found: "none is".into() }),
            (None, _) => Err(ConnectError::StatementCount { found: "several are".into() }),
        }
    }

    /// Runs a statement and hands every row to `take`, until it has enough; gives the names of the columns.
    pub(super) fn each_row(
        &self,
        statement: &Statement<'_>,
        parameters: &[Option<String>],
        mut take: impl FnMut(Vec<Cell<'_>>) -> Next,
    ) -> Result<Vec<String>, ConnectError> {
        let mut returned = 0;
        let ran = (|| {
            statement.bind(parameters).map_err(|error| self.explain(error))?;
            self.in_time()?;
            let mut rows = statement.run().map_err(|error| self.explain(error))?;
            if let Some(column) = rows.unreadable() {
                let reason = format!("the type of the column `{column}` can't be read; cast it to VARCHAR");
                return Err(ConnectError::Statement { reason });
            }
            let names = rows.names().to_vec();
            while let Some(chunk) = rows.next_chunk().map_err(|error| self.explain(error))? {
                for row in 0..chunk.rows() {
                    returned += 1;
                    if take(chunk.row(row).collect()) == Next::Stop {
                        return Ok(names);
                    }
                }
                drop(chunk);
                self.in_time()?;
            }
            Ok(names)
        })();
        self.pool.work.statements.fetch_add(1, Ordering::Relaxed);
        self.pool.work.rows_returned.fetch_add(returned, Ordering::Relaxed);
        ran
    }

    /// All rows of a statement of our own, read by `read`.
    pub(super) fn all_rows<T>(
        &self,
        sql: &str,
        parameters: &[Option<String>],
        mut read: impl FnMut(Vec<Cell<'_>>) -> T,
    ) -> Result<Vec<T>, ConnectError> {
        let mut all = Vec::new();
        self.each_row(&self.prepare(sql)?, parameters, |cells| {
            all.push(read(cells));
            Next::Continue
        })?;
        Ok(all)
    }

    fn in_time(&self) -> Result<(), ConnectError> {
        match self.stop.wanted.load(Ordering::Acquire) || Instant::now() >= self.deadline {
            true => Err(ConnectError::Timeout { after: self.timeout }),
            false => Ok(()),
        }
    }

    fn explain(&self, error: EngineError) -> ConnectError {
        if is_fatal(&error) {
            self.broken.store(true, Ordering::Relaxed);
        }
        if self.stop.too_large.load(Ordering::Acquire) {
            let most = MOST_ADDED >> 30;
            return ConnectError::Statement { reason: format!("Out of Memory: it took more than {most} GB") };
        }
        Failure { location: &self.pool.location, timeout: self.timeout }.explain(error)
    }
}

fn denied(reason: &str) -> ConnectError {
    ConnectError::Denied { reason: reason.to_owned() }
}
