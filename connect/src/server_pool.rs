//! What the connectors of database servers have in common: a few connections, handed out one at a time, time limits,
//! and counts of the work done.
//!
//! The pool doesn't know what a connection is; making one ready, and finding out whether it still lives, is up to the
//! engine. Who works for long moves aside, so that a few endless statements don't keep the others waiting.
//! Invariant: there are never more than [`CONNECTIONS`] + [`SLOW_CONNECTIONS`], because a connection exists only together
//! with a [`Permit`] or inside the pool, and the pool holds no more than permits were given back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::connector::Work;
use crate::error::ConnectError;

/// Connections at a time: enough to work while others wait for the disk, too few for a server to notice.
pub(crate) const CONNECTIONS: usize = 4;
/// Further connections, for those that have been used for longer than [`SLOW`].
pub(crate) const SLOW_CONNECTIONS: usize = 12;
/// How long a connection is used before another may take its place.
const SLOW: Duration = Duration::from_millis(250);
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

/// Tables up to this many rows are counted.
pub(crate) const COUNTED_ROWS: u64 = 10_000;
/// All cells of a sample together, in bytes.
pub(crate) const SAMPLE_BYTES: usize = 64 << 20;
/// Keys are short; of longer ones this many characters tell them apart well enough.
pub(crate) const KEY_CHARS: usize = 200;

/// The right to hold one connection.
#[derive(Debug)]
pub(crate) struct Permit {
    /// Shared with the task that moves it aside, which doesn't keep it alive.
    _place: Arc<Mutex<OwnedSemaphorePermit>>,
    mover: AbortHandle,
}

impl Permit {
    /// Takes a place, and gives it up for one among the slow as soon as it has been held for long and one is free.
    fn new(place: OwnedSemaphorePermit, slow: Arc<Semaphore>) -> Self {
        let place = Arc::new(Mutex::new(place));
        let held = Arc::downgrade(&place);
        let mover = tokio::spawn(async move {
            sleep(SLOW).await;
            let Ok(aside) = slow.acquire_owned().await else { return };
            if let Some(place) = held.upgrade() {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = aside;
            }
        });
        Self { _place: place, mover: mover.abort_handle() }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.mover.abort();
    }
}

/// Connections that nobody uses, and the rights to use one.
pub(crate) struct ServerPool<C> {
    idle: Mutex<Vec<C>>,
    permits: Arc<Semaphore>,
    slow_permits: Arc<Semaphore>,
    statements: AtomicU64,
    rows_returned: AtomicU64,
    rows_scanned: AtomicU64,
}

impl<C> ServerPool<C> {
    pub(crate) fn new() -> Self {
        Self {
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(CONNECTIONS)),
            slow_permits: Arc::new(Semaphore::new(SLOW_CONNECTIONS)),
            statements: AtomicU64::new(0),
            rows_returned: AtomicU64::new(0),
            rows_scanned: AtomicU64::new(0),
        }
    }

    /// Waits until a connection may be used, as long as what is then done with it may take, or as a lock is waited for;
    /// `location` is for the error.
    pub(crate) async fn permit(&self, location: &str, time_limit: Duration) -> Result<Permit, ConnectError> {
        let patience = time_limit.max(LOCK_WAIT);
        let place = timeout(patience, Arc::clone(&self.permits).acquire_owned()).await;
        let place = place.map_err(|_| ConnectError::Crowded {
            location: location.to_owned(),
            connections: CONNECTIONS + SLOW_CONNECTIONS,
            waited: patience,
        })?;
        let place = place.map_err(|_| ConnectError::Stopped { location: location.to_owned() })?;
        Ok(Permit::new(place, Arc::clone(&self.slow_permits)))
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

    /// Drops those that nobody uses and `is_kept` says no to; how many are left.
    pub(crate) fn keep_idle(&self, is_kept: impl Fn(&C) -> bool) -> usize {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(is_kept);
        idle.len()
    }

    /// How many connections are in use.
    pub(crate) fn in_use(&self) -> u64 {
        let free = self.permits.available_permits() + self.slow_permits.available_permits();
        (CONNECTIONS + SLOW_CONNECTIONS - free) as u64
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

    /// Counts what a connection has done since it had done `before`.
    pub(crate) fn count(&self, before: Work, now: Work) {
        let more = |now: u64, before: u64| now.saturating_sub(before);
        self.statements.fetch_add(more(now.statements, before.statements), Ordering::Relaxed);
        self.rows_returned.fetch_add(more(now.rows_returned, before.rows_returned), Ordering::Relaxed);
        self.rows_scanned.fetch_add(more(now.rows_scanned, before.rows_scanned), Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::{Duration, Instant};

    use super::{CONNECTIONS, SLOW, SLOW_CONNECTIONS, ServerPool};

    #[tokio::test]
    async fn who_works_for_long_moves_aside_until_there_is_no_place_left() {
        let pool = ServerPool::<()>::new();
        let started = Instant::now();
        let mut held = Vec::new();
        for _ in 0..CONNECTIONS + SLOW_CONNECTIONS {
            held.push(pool.permit("s", SLOW).await.unwrap());
        }
        assert!(started.elapsed() >= 2 * SLOW, "nobody has moved");
        assert_eq!(pool.in_use(), (CONNECTIONS + SLOW_CONNECTIONS) as u64);
        let error = pool.permit("s", Duration::from_millis(50)).await.unwrap_err();
        assert_eq!(error.code(), "connections_in_use");
        assert!(error.to_string().contains("all 16 connections"), "{error}");
        held.pop();
        held.push(pool.permit("s", Duration::from_millis(50)).await.unwrap());
        // What moved aside gives its new place back, and with it the old one's successor moves on.
        held.drain(..CONNECTIONS);
        assert!(pool.permit("s", 2 * SLOW).await.is_ok());
        drop(held);
        assert_eq!(pool.in_use(), 0);
    }
}
