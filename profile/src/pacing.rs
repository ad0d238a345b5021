//! Giving way: how much of a database's time profiling takes while others work with it.
//!
//! An idle server is asked as fast as it answers, several tables at a time. Once a second it is asked how many statements
//! of others it works on. From then on, if there are any, it gets one statement of ours at a time, with a rest after each
//! that is a multiple of the time it took: whatever a statement costs on that server, at that moment, is what its rest is
//! measured by. Between two statements of others there is always a moment without any, so a server that may be busy counts as
//! idle only when several looks in a row have found nobody.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use catalog::{AddedFunctions, RowCount, Source, Table, WriteMark};
use connect::{
    Capabilities, ConnectError, Connector, Engine, ExcessPrivilege, Introspect, LookupColumn, ReadRows, ResultSet,
    SampleRequest, TableStatistics, Value, Work,
};
use tokio::time::{Instant, sleep};

/// How often a server is asked about others.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How soon it is asked again to be certain that there are none.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How many times in a row a server has to be found without others to count as idle.
const IDLE_LOOKS: u32 = 5;
/// How much longer than a statement the rest after it is: a twentieth of the time is ours. On two cores that `pgbench` uses
/// to the full, a tenth took 7 to 17 % of its throughput.
const REST: u32 = 19;
/// The longest rest, for statements that take seconds: others have had their turns by then.
const LONGEST_REST: Duration = Duration::from_secs(10);

/// A connector that gives way to the work of others.
#[derive(Debug)]
pub(crate) struct Paced<'a> {
    inner: &'a dyn Connector,
    /// Held by the one that has its statement, or its rest, while others work.
    turn: tokio::sync::Mutex<()>,
    /// Held by the one that looks whether they do.
    looking: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Whether the server tells, as far as we know, and we are to ask.
    tells: bool,
    looked_at: Option<Instant>,
    others_work: bool,
    rested: Duration,
}

impl State {
    /// Whether others work, where that is known and no more than a second old.
    fn known(&self) -> Option<bool> {
        match self.looked_at {
            _ if !self.tells => Some(false),
            Some(at) if at.elapsed() < LOOK_EVERY => Some(self.others_work),
            _ => None,
        }
    }
}

impl<'a> Paced<'a> {
    pub(crate) fn new(inner: &'a dyn Connector, give_way: bool) -> Self {
        let state = State { tells: give_way, looked_at: None, others_work: true, rested: Duration::ZERO };
        let (turn, looking) = Default::default();
        Self { inner, turn, looking, state: Mutex::new(state) }
    }

    /// How long nothing was asked because others worked.
    pub(crate) fn rested(&self) -> Duration {
        self.state().rested
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a question answered when it is its turn.
    async fn ask<T>(&self, question: impl Future<Output = Result<T, ConnectError>>) -> Result<T, ConnectError> {
        if !self.others_work().await {
            return question.await;
        }
        let _turn = self.turn.lock().await;
        let started = Instant::now();
        let answer = question.await;
        let rest = (started.elapsed() * REST).min(LONGEST_REST);
        sleep(rest).await;
        self.state().rested += rest;
        answer
    }

    /// Whether others work with the server, as of a second ago at most.
    async fn others_work(&self) -> bool {
        if let Some(known) = self.state().known() {
            return known;
        }
        let _looking = self.looking.lock().await;
        // Somebody else may have looked in the meantime.
        let (known, was_idle) = {
            let state = self.state();
            (state.known(), !state.others_work)
        };
        if let Some(known) = known {
            return known;
        }
        let seen = self.look(if was_idle { 1 } else { IDLE_LOOKS }).await;
        let mut state = self.state();
        state.looked_at = Some(Instant::now());
        state.tells = seen.is_some();
        state.others_work = seen == Some(true);
        state.others_work
    }

    /// Whether one of several looks finds others at work; `None` where the server doesn't tell.
    async fn look(&self, looks: u32) -> Option<bool> {
        for look in 0..looks {
            if look > 0 {
                sleep(LOOK_AGAIN).await;
            }
            match self.inner.others_at_work().await {
                Ok(Some(0)) => {}
                Ok(Some(_)) => return Some(true),
                Ok(None) => return None,
                Err(error) => {
                    tracing::debug!(%error, "the server doesn't tell what others do");
                    return None;
                }
            }
        }
        Some(false)
    }
}

impl Engine for Paced<'_> {
    fn source(&self) -> &Source {
        self.inner.source()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn changed_at(&self) -> Option<SystemTime> {
        self.inner.changed_at()
    }

    fn work(&self) -> Work {
        self.inner.work()
    }
}

#[async_trait]
impl Introspect for Paced<'_> {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        self.inner.introspect().await
    }

    async fn search_path(&self) -> Result<Vec<String>, ConnectError> {
        self.inner.search_path().await
    }

    async fn added_functions(&self) -> Result<AddedFunctions, ConnectError> {
        self.inner.added_functions().await
    }

    async fn excess_privileges(&self) -> Result<Vec<ExcessPrivilege>, ConnectError> {
        self.ask(self.inner.excess_privileges()).await
    }
}

#[async_trait]
impl ReadRows for Paced<'_> {
    async fn others_at_work(&self) -> Result<Option<u64>, ConnectError> {
        self.inner.others_at_work().await
    }

    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        self.ask(self.inner.row_count(table)).await
    }

    async fn statistics(&self, table: &Table, columns: &[String]) -> Result<Option<TableStatistics>, ConnectError> {
        self.ask(self.inner.statistics(table, columns)).await
    }

    async fn write_mark(&self, table: &Table) -> Result<Option<WriteMark>, ConnectError> {
        self.inner.write_mark(table).await
    }

    async fn lookup_columns(&self, table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        self.inner.lookup_columns(table).await
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        self.ask(self.inner.key_range(table, column)).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        self.ask(self.inner.sample(table, columns, request)).await
    }

    async fn provided_samples(&self, table: &Table) -> Result<Option<Vec<(String, Vec<String>)>>, ConnectError> {
        self.inner.provided_samples(table).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        self.ask(self.inner.contains(table, column, values)).await
    }
}
