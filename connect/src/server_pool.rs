//! What the connectors of database servers have in common: a few connections, handed out one at a time, time limits,
//! and counts of the work done.
//!
//! The pool doesn't know what a connection is; making one ready, and finding out whether it still lives, is up to the
//! engine. Invariant: there are never more than [`CONNECTIONS`], because a connection exists only together with a
//! [`Permit`] or inside the pool, and the pool holds no more than permits were given back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::connector::Work;
use crate::error::ConnectError;

/// Connections at a time: enough to work while others wait for the disk, too few for a server to notice.
pub(crate) const CONNECTIONS: usize = 4;
/// How long a lock is waited for, where the time limit is no shorter.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How much longer than the server we wait before we take it for gone.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// How long names, handshakes and the log-in may take together.
pub(crate) const LOG_IN_TIME: Duration = Duration::from_secs(30);
/// A longer time limit is cut to this one, which the servers' settings can hold.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How long a cancelled statement may take to end.
pub(crate) const CANCEL_TIME: Duration = Duration::from_secs(5);

/// How long one question of our own may take.
pub(crate) const OWN_TIMEOUT: Duration = Duration::from_secs(30);
/// Rows of a view or a foreign table can be anything to count, so less time is given to it.
pub(crate) const VIEW_COUNT_TIMEOUT: Duration = Duration::from_secs(5);
/// A few statements over all tables.
pub(crate) const INTROSPECTION_TIMEOUT: Duration = Duration::from_secs(300);
/// How long compiling a statement may take, waiting for a lock included.
pub(crate) const PREPARE_TIMEOUT: Duration = Duration::from_secs(10);

/// Tables up to this many rows are counted.
pub(crate) const COUNTED_ROWS: u64 = 10_000;
/// All cells of a sample together, in bytes.
pub(crate) const SAMPLE_BYTES: usize = 64 << 20;
/// Keys are short; of longer ones this many characters tell them apart well enough.
pub(crate) const KEY_CHARS: usize = 200;

/// The right to hold one connection.
pub(crate) type Permit = OwnedSemaphorePermit;

/// Connections that nobody uses, and the rights to use one.
pub(crate) struct ServerPool<C> {
    idle: Mutex<Vec<C>>,
    permits: Arc<Semaphore>,
    statements: AtomicU64,
    rows_returned: AtomicU64,
    rows_scanned: AtomicU64,
}

impl<C> ServerPool<C> {
    pub(crate) fn new() -> Self {
        Self {
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(CONNECTIONS)),
            statements: AtomicU64::new(0),
            rows_returned: AtomicU64::new(0),
            rows_scanned: AtomicU64::new(0),
        }
    }

    /// Waits until a connection may be used; `location` is for the error.
    pub(crate) async fn permit(&self, location: &str) -> Result<Permit, ConnectError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.map_err(|_| ConnectError::Stopped { location: location.to_owned() })
    }

    /// A connection that somebody gave back.
    pub(crate) fn take_idle(&self) -> Option<C> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Gives a connection back that can be used again.
    pub(crate) fn give_back(&self, connection: C, permit: Permit) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        drop(permit);
    }

    /// How many connections are in use.
    pub(crate) fn in_use(&self) -> u64 {
        (CONNECTIONS - self.permits.available_permits()) as u64
    }

    pub(crate) fn count_statement(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_row(&self) {
        self.rows_returned.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_scanned(&self, rows: u64) {
        self.rows_scanned.fetch_add(rows, Ordering::Relaxed);
    }

    /// Statements that ask something, and their rows; the frame of a session is not counted.
    pub(crate) fn work(&self) -> Work {
        Work {
            statements: self.statements.load(Ordering::Relaxed),
            rows_returned: self.rows_returned.load(Ordering::Relaxed),
            rows_scanned: self.rows_scanned.load(Ordering::Relaxed),
        }
    }
}
