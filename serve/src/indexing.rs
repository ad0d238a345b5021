//! Index runs that administrators start from afar: one at a time, with how far it is, and a way to end it.
//!
//! How databases are looked at is told to the server when it is made; here is kept what becomes of each run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::context::unpoisoned;
use crate::error::ToolError;

/// Runs that are remembered.
const KEPT: usize = 20;

/// Looks at databases as a run wants, in a thread of its own, and ends the run by [`IndexRun::end`].
pub type StartIndexing = Box<dyn Fn(Arc<IndexRun>) -> std::io::Result<()> + Send + Sync>;

/// What is to be indexed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IndexWanted {
    /// Only this source
    pub source: Option<String>,
    /// Every table again, changed or not
    pub full: bool,
}

/// A run.
pub struct IndexRun {
    /// What is to be done.
    pub wanted: IndexWanted,
    cancelled: CancellationToken,
    document: Mutex<RunDocument>,
}

/// A run, as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunDocument {
    /// Its number.
    pub id: u64,
    /// Who has started it.
    pub by: String,
    /// What is to be done.
    pub wanted: IndexWanted,
    /// When it began.
    pub began_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How it stands.
    pub state: RunState,
    /// What is being done: `profiling`, `describing`, `indexing`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// Steps of the phase that are done.
    pub done: u64,
    /// Steps of the phase.
    pub total: u64,
    /// What it came to, or why it failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// A failure's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It goes on.
    Running,
    /// All was done.
    Done,
    /// It couldn't be.
    Failed,
    /// Somebody has ended it; the next run goes on where it stopped.
    Cancelled,
}

/// How a run ended.
pub enum RunEnd {
    /// What was done, in lines.
    Done(Vec<String>),
    /// A failure: its code, and what there is to say.
    Failed(String, Vec<String>),
    /// Somebody has ended it.
    Cancelled,
}

impl IndexRun {
    /// Says how far it is.
    pub fn is_at(&self, phase: &str, done: u64, total: u64) {
        let mut document = unpoisoned(&self.document);
        if document.phase != phase {
            phase.clone_into(&mut document.phase);
        }
        (document.done, document.total) = (done, total);
    }

    /// Ends once somebody wants the run to end.
    pub fn cancelled(&self) -> WaitForCancellationFutureOwned {
        self.cancelled.clone().cancelled_owned()
    }

    /// Says how it ended.
    pub fn end(&self, how: RunEnd) {
        let mut document = unpoisoned(&self.document);
        let (state, said, code) = match how {
            RunEnd::Done(said) => (RunState::Done, said, None),
            RunEnd::Failed(code, said) => (RunState::Failed, said, Some(code)),
            RunEnd::Cancelled => (RunState::Cancelled, Vec::new(), None),
        };
        (document.state, document.said, document.code) = (state, said, code);
        document.phase.clear();
        document.ended_at = Some(Timestamp::now());
    }

    pub(crate) fn document(&self) -> RunDocument {
        unpoisoned(&self.document).clone()
    }

    fn is_running(&self) -> bool {
        unpoisoned(&self.document).state == RunState::Running
    }
}

/// The runs of a server.
pub(crate) struct IndexRuns {
    start: StartIndexing,
    /// The newest last.
    runs: Mutex<VecDeque<Arc<IndexRun>>>,
}

impl IndexRuns {
    pub(crate) fn new(start: StartIndexing) -> Self {
        Self { start, runs: Mutex::default() }
    }

    /// Begins a run.
    ///
    /// # Errors
    /// Another one goes on, or no thread can be had for it.
    pub(crate) fn begin(&self, wanted: IndexWanted, by: &str) -> Result<RunDocument, ToolError> {
        let mut runs = unpoisoned(&self.runs);
        if let Some(running) = runs.iter().find(|run| run.is_running()) {
            let id = running.document().id;
            return Err(ToolError::new("already_indexing", format!("index run {id} goes on"))
                .hint("wait until it ends, or cancel it"));
        }
        let id = runs.back().map_or(1, |last| last.document().id + 1);
        let document = RunDocument {
            id,
            by: by.to_owned(),
            wanted: wanted.clone(),
            began_at: Timestamp::now(),
            ended_at: None,
            state: RunState::Running,
            phase: String::new(),
            done: 0,
            total: 0,
            said: Vec::new(),
            code: None,
        };
        let run =
            Arc::new(IndexRun { wanted, cancelled: CancellationToken::new(), document: Mutex::new(document.clone()) });
        (self.start)(Arc::clone(&run)).map_err(|error| ToolError::of("internal", &error, Vec::new()))?;
        runs.push_back(run);
        if runs.len() > KEPT {
            runs.pop_front();
        }
        Ok(document)
    }

    /// All runs, the newest first.
    pub(crate) fn all(&self) -> Vec<RunDocument> {
        unpoisoned(&self.runs).iter().rev().map(|run| run.document()).collect()
    }

    pub(crate) fn get(&self, id: u64) -> Option<Arc<IndexRun>> {
        unpoisoned(&self.runs).iter().find(|run| run.document().id == id).cloned()
    }

    /// Has a run end; one that has ended stays as it is.
    pub(crate) fn cancel(&self, id: u64) -> Option<RunDocument> {
        let run = self.get(id)?;
        run.cancelled.cancel();
        Some(run.document())
    }
}

impl Drop for IndexRuns {
    fn drop(&mut self) {
        unpoisoned(&self.runs).iter().for_each(|run| run.cancelled.cancel());
    }
}
