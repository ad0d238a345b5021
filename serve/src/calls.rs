//! Calls of tools that are being worked on: so many at a time for each caller, half of which may run statements, some more
//! that wait, and none left when the server ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::context::unpoisoned;
use crate::error::ToolError;
use crate::metrics::{CallCount, Metrics};

/// What is being worked on.
pub(crate) struct Calls {
    at_once: usize,
    callers: Mutex<HashMap<String, Arc<Places>>>,
    running: watch::Sender<usize>,
    metrics: Arc<Metrics>,
}

/// A caller's places.
struct Places {
    free: Arc<Semaphore>,
    /// Those of calls that run statements, which wait here before they wait there: who sends statements without an end keeps
    /// connections to a database from others, and has calls left that need none.
    running: Arc<Semaphore>,
    /// Calls that have one or wait for one.
    taken: AtomicUsize,
}

/// For each call that may be worked on, so many of a caller may be there.
const WAITING: usize = 8;
/// The tools that run statements, or have an engine plan them, which for some takes as long.
const RUNNING: [&str; 3] = ["read_query", "validate_query", "ask"];

/// A call that is being worked on, until it is dropped.
pub(crate) struct Call {
    running: watch::Sender<usize>,
    count: CallCount,
    places: Arc<Places>,
    _held: Vec<OwnedSemaphorePermit>,
}

impl Call {
    /// What it came to; else it was given up.
    pub(crate) fn came_to(&mut self, outcome: Result<(), &'static str>) {
        self.count.came_to(outcome);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.places.taken.fetch_sub(1, Ordering::AcqRel);
        self.running.send_modify(|running| *running -= 1);
    }
}

impl Calls {
    /// At most so many at a time for a caller, counted there.
    pub(crate) fn new(at_once: usize, metrics: Arc<Metrics>) -> Self {
        Self { at_once: at_once.max(1), callers: Mutex::default(), running: watch::Sender::new(0), metrics }
    }

    /// Waits for a place among the caller's calls, for one of that tool; not where too many wait already, as clients that have
    /// hung up leave calls behind.
    pub(crate) async fn begin(&self, caller: &str, tool: &str) -> Result<Call, ToolError> {
        let places = self.places(caller);
        let most = self.at_once * WAITING;
        if places.taken.fetch_add(1, Ordering::AcqRel) >= most {
            places.taken.fetch_sub(1, Ordering::AcqRel);
            return Err(ToolError::new(
                "too_many_at_once",
                format!("{most} calls of the caller are under way or wait"),
            )
            .hint("wait until some have ended, or cancel them"));
        }
        let running = self.running.clone();
        running.send_modify(|running| *running += 1);
        let lines = [RUNNING.contains(&tool).then_some(&places.running), Some(&places.free)];
        let lines: Vec<_> = lines.into_iter().flatten().cloned().collect();
        let mut call = Call { running, count: self.metrics.call(tool), places, _held: Vec::new() };
        for line in lines {
            call._held.extend(line.acquire_owned().await);
        }
        Ok(call)
    }

    fn places(&self, caller: &str) -> Arc<Places> {
        let mut callers = unpoisoned(&self.callers);
        // Who has nothing under way is forgotten.
        callers.retain(|name, places| name == caller || Arc::strong_count(places) > 1);
        let line = |places| Arc::new(Semaphore::new(places));
        let new =
            || Places { free: line(self.at_once), running: line(self.at_once.div_ceil(2)), taken: AtomicUsize::new(0) };
        Arc::clone(callers.entry(caller.to_owned()).or_insert_with(|| Arc::new(new())))
    }

    /// How many calls are worked on or wait for a place.
    pub(crate) fn running(&self) -> usize {
        *self.running.borrow()
    }

    /// Waits until nothing is being worked on.
    pub(crate) async fn ended(&self) {
        let mut running = self.running.subscribe();
        drop(running.wait_for(|running| *running == 0).await);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_caller_waits_for_its_own_calls_alone() {
        let calls = Calls::new(1, Arc::default());
        let first = calls.begin("ann", "read_query").await.unwrap();
        assert!(tokio::time::timeout(Duration::from_secs(1), calls.begin("ann", "read_query")).await.is_err());
        let other = calls.begin("bob", "read_query").await.unwrap();
        assert!(tokio::time::timeout(Duration::from_secs(1), calls.ended()).await.is_err());
        drop((first, other));
        drop(calls.begin("ann", "read_query").await.unwrap());
        calls.ended().await;
        assert_eq!(unpoisoned(&calls.callers).len(), 1);
        let _working = calls.begin("ann", "read_query").await.unwrap();
        let mut waiting: Vec<_> = (1..WAITING).map(|_| Box::pin(calls.begin("ann", "read_query"))).collect();
        for call in &mut waiting {
            assert!(tokio::time::timeout(Duration::from_millis(1), call).await.is_err());
        }
        let refused = calls.begin("ann", "list_tables").await.err().unwrap();
        assert_eq!(refused.code, "too_many_at_once");
        drop(waiting);
        assert!(tokio::time::timeout(Duration::from_millis(1), calls.begin("ann", "read_query")).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn statements_take_half_of_a_callers_places() {
        let calls = Calls::new(4, Arc::default());
        let statements = [calls.begin("ann", "read_query").await.unwrap(), calls.begin("ann", "ask").await.unwrap()];
        let mut third = Box::pin(calls.begin("ann", "read_query"));
        assert!(tokio::time::timeout(Duration::from_secs(1), &mut third).await.is_err());
        let others =
            [calls.begin("ann", "list_tables").await.unwrap(), calls.begin("ann", "describe_table").await.unwrap()];
        assert!(tokio::time::timeout(Duration::from_secs(1), calls.begin("ann", "list_tables")).await.is_err());
        drop((statements, others));
        drop(third.await.unwrap());
    }
}
