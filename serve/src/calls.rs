//! Calls of tools that are being worked on: so many at a time for each caller, and none left when the server ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::context::unpoisoned;
use crate::metrics::{CallCount, Metrics};

/// What is being worked on.
pub(crate) struct Calls {
    at_once: usize,
    callers: Mutex<HashMap<String, Arc<Semaphore>>>,
    running: watch::Sender<usize>,
    metrics: Arc<Metrics>,
}

/// A call that is being worked on, until it is dropped.
pub(crate) struct Call {
    running: watch::Sender<usize>,
    count: CallCount,
    _place: Option<OwnedSemaphorePermit>,
}

impl Call {
    /// What it came to; else it was given up.
    pub(crate) fn came_to(&mut self, outcome: Result<(), &'static str>) {
        self.count.came_to(outcome);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.running.send_modify(|running| *running -= 1);
    }
}

impl Calls {
    /// At most so many at a time for a caller, counted there.
    pub(crate) fn new(at_once: usize, metrics: Arc<Metrics>) -> Self {
        Self { at_once: at_once.max(1), callers: Mutex::default(), running: watch::Sender::new(0), metrics }
    }

    /// Waits for a place among the caller's calls, for one of that tool.
    pub(crate) async fn begin(&self, caller: &str, tool: &str) -> Call {
        let running = self.running.clone();
        running.send_modify(|running| *running += 1);
        let mut call = Call { running, count: self.metrics.call(tool), _place: None };
        call._place = self.places(caller).acquire_owned().await.ok();
        call
    }

    fn places(&self, caller: &str) -> Arc<Semaphore> {
        let mut callers = unpoisoned(&self.callers);
        // Who has nothing under way is forgotten.
        callers.retain(|name, places| name == caller || Arc::strong_count(places) > 1);
        let places = callers.entry(caller.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.at_once)));
        Arc::clone(places)
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
        let first = calls.begin("ann", "read_query").await;
        assert!(tokio::time::timeout(Duration::from_secs(1), calls.begin("ann", "read_query")).await.is_err());
        let other = calls.begin("bob", "read_query").await;
        assert!(tokio::time::timeout(Duration::from_secs(1), calls.ended()).await.is_err());
        drop((first, other));
        drop(calls.begin("ann", "read_query").await);
        calls.ended().await;
        assert_eq!(unpoisoned(&calls.callers).len(), 1);
    }
}
