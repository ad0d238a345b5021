//! Connections taken from a pool, used on a thread that may block, and stopped when their time is up.
//!
//! SQLite blocks its thread, so each piece of work runs in `spawn_blocking`. A progress handler looks at the clock and
//! at whether anybody still waits: dropping the future stops the statement. Invariant: a connection is back in the
//! pool only without a handler, and never more than [`IDLE`] are kept.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, Row, Statement, StatementStatus};

use super::failure::Failure;
use super::open::{self, FileState};
use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::Next;

/// How long a lock is waited for, where the time limit is no shorter.
const BUSY_WAIT: Duration = Duration::from_secs(5);
const IDLE: usize = 4;
/// Virtual-machine steps between two looks at the clock: about 10 µs of work.
const STEPS_BETWEEN_LOOKS: i32 = 1000;

/// The connections of one file.
#[derive(Debug)]
pub(super) struct Pool {
    path: PathBuf,
    location: String,
    /// Each with what the files were like before it was last used.
    idle: Mutex<Vec<(FileState, Connection)>>,
    work: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    statements: AtomicU64,
    rows_returned: AtomicU64,
    rows_scanned: AtomicU64,
}

/// A connection in use, until its deadline.
pub(super) struct Session<'a> {
    pub(super) connection: &'a Connection,
    pool: &'a Pool,
    timeout: Duration,
    /// What the files were like before it began.
    state: &'a FileState,
}

/// Tells the thread that works for a dropped future to stop.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Pool {
    pub(super) fn new(path: PathBuf, location: String) -> Arc<Self> {
        Arc::new(Self { path, location, idle: Mutex::default(), work: Counters::default() })
    }

    pub(super) fn work(&self) -> Work {
        Work {
            statements: self.work.statements.load(Ordering::Relaxed),
            rows_returned: self.work.rows_returned.load(Ordering::Relaxed),
            rows_scanned: self.work.rows_scanned.load(Ordering::Relaxed),
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
        let stop = Arc::new(AtomicBool::new(false));
        let stop_on_drop = StopOnDrop(Arc::clone(&stop));
        let pool = Arc::clone(self);
        let finished = tokio::task::spawn_blocking(move || pool.run_blocking(timeout, stop, task)).await;
        drop(stop_on_drop);
        finished.unwrap_or_else(|_| Err(ConnectError::Stopped { location: self.location.clone() }))
    }

    fn run_blocking<T>(
        &self,
        timeout: Duration,
        stop: Arc<AtomicBool>,
        task: impl FnOnce(&Session<'_>) -> Result<T, ConnectError>,
    ) -> Result<T, ConnectError> {
        let deadline = Instant::now() + timeout;
        let wait = BUSY_WAIT.min(timeout);
        let failure = Failure { location: &self.location, timeout, busy_wait: wait };
        // Another file may have come to its place, which a connection doesn't see; nor that it was copied over, where SQLite's own
        // counter is the same.
        let state = open::file_state(&self.path);
        let pooled = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.retain(|(known, _)| *known == state);
            idle.pop()
        };
        let mut connection = match pooled {
            Some((_, connection)) => connection,
            None => open::open(&self.path, &self.location, wait)?,
        };
        let explain = |error| failure.explain(error);
        connection.busy_timeout(wait).map_err(explain)?;
        let out_of_time = move || stop.load(Ordering::Relaxed) || Instant::now() >= deadline;
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(out_of_time)).map_err(explain)?;
        let result = task(&Session { connection: &connection, pool: self, timeout, state: &state });
        connection.progress_handler(0, None::<fn() -> bool>).map_err(explain)?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push((state, connection));
        }
        result
    }
}

impl Session<'_> {
    /// What tells the state of the files that this session reads, while it is the one that they were in before it began, and has
    /// been for long enough.
    pub(super) fn data_state(&self) -> Option<String> {
        let now = open::file_state(&self.pool.path);
        (now == *self.state && now.is_settled()).then(|| now.text())
    }

    /// Compiles one statement, and refuses one that could write.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>, ConnectError> {
        let statement = self.connection.prepare(sql).map_err(|error| self.explain(error))?;
        // `Connection::prepare` gives an empty statement for blanks and comments.
        if statement.column_count() == 0 {
            return Err(match statement.readonly() {
                true => ConnectError::StatementCount { found: "none is".into() },
                false => ConnectError::Denied { reason: "the statement would write".to_owned() },
            });
        }
        if !statement.readonly() {
            return Err(ConnectError::Denied { reason: "the statement would write".to_owned() });
        }
        Ok(statement)
    }

    /// Runs a prepared statement and hands every row to `take`, until it has enough.
    pub(super) fn each_row(
        &self,
        statement: &mut Statement<'_>,
        parameters: impl rusqlite::Params,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<Next>,
    ) -> Result<(), ConnectError> {
        let result = (|| {
            let mut rows = statement.query(parameters)?;
            let mut returned = 0;
            while let Some(row) = rows.next()? {
                returned += 1;
                if take(row)? == Next::Stop {
                    break;
                }
            }
            Ok(returned)
        })();
        self.pool.work.statements.fetch_add(1, Ordering::Relaxed);
        let scanned = u64::try_from(statement.reset_status(StatementStatus::FullscanStep)).unwrap_or(0);
        self.pool.work.rows_scanned.fetch_add(scanned, Ordering::Relaxed);
        self.pool.work.rows_returned.fetch_add(result.as_ref().copied().unwrap_or(0), Ordering::Relaxed);
        result.map(drop).map_err(|error| self.explain(error))
    }

    /// The first row of a statement of our own, read by `read`.
    pub(super) fn first_row<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, ConnectError> {
        let mut first = None;
        self.each_row(&mut self.prepare(sql)?, parameters, |row| {
            first = Some(read(row)?);
            Ok(Next::Stop)
        })?;
        Ok(first)
    }

    /// All rows of a statement of our own, read by `read`.
    pub(super) fn all_rows<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ConnectError> {
        let mut all = Vec::new();
        self.each_row(&mut self.prepare(sql)?, parameters, |row| {
            all.push(read(row)?);
            Ok(Next::Continue)
        })?;
        Ok(all)
    }

    pub(super) fn explain(&self, error: rusqlite::Error) -> ConnectError {
        let busy_wait = BUSY_WAIT.min(self.timeout);
        Failure { location: &self.pool.location, timeout: self.timeout, busy_wait }.explain(error)
    }
}
