//! The steps of an answer, as they happen.
//!
//! The same values are handed to the caller while the work goes on and kept in the outcome: what a person watched is
//! what is stored.

use std::time::Instant;

use guard::Finding;
use serde::Serialize;

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Counted from 1.
    pub number: usize,
    /// Milliseconds since the question came in, when the step was finished.
    pub at_ms: u64,
    /// What was done.
    #[serde(flatten)]
    pub action: Action,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Decided whether the catalog has to be searched at all.
    Triaged {
        /// Whether it has to be.
        search: bool,
        /// Why.
        reason: String,
    },
    /// Took the question apart.
    Decomposed {
        /// Its parts; a single one when it is one question.
        intents: Vec<String>,
    },
    /// Found something that was approved or corrected earlier.
    Remembered {
        /// The memory's number.
        memory: i64,
        /// The question it belongs to.
        question: String,
        /// How alike the two questions are, 0 to 1.
        similarity: f32,
        /// `answer`, `example` or `correction`.
        used_as: &'static str,
    },
    /// Searched the catalog for an intent.
    Linked {
        /// What was searched for.
        intent: String,
        /// `full` or `focused`.
        strategy: String,
        /// Tables held to be relevant, best first.
        tables: Vec<String>,
    },
    /// Composed the context for the model.
    Composed {
        /// Tables in it.
        tables: Vec<String>,
        /// Tables of the source left out as irrelevant.
        left_out: usize,
        /// Its size.
        tokens: usize,
    },
    /// Called the model.
    AskedModel {
        /// `draft`, `another draft`, `draft with values`, `repair`, `decompose`, `next step`.
        purpose: &'static str,
        /// Tokens sent.
        prompt_tokens: u64,
        /// Tokens received.
        completion_tokens: u64,
    },
    /// Got a statement from the model.
    Drafted {
        /// The statement; empty where the reply held none.
        sql: String,
    },
    /// Asked the guard.
    Checked {
        /// Whether it may run.
        accepted: bool,
        /// What was found.
        findings: Vec<Finding>,
    },
    /// Repaired a statement without the model.
    Repaired {
        /// What became of it.
        sql: String,
        /// What was wrong, in a sentence each.
        reasons: Vec<String>,
    },
    /// Ran a statement.
    Ran {
        /// The statement.
        sql: String,
        /// Rows returned; `None` when it failed.
        rows: Option<usize>,
        /// Why it failed, or why rows are missing.
        note: Option<String>,
    },
    /// Answered a call of the model's.
    CalledTool {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: serde_json::Value,
        /// The reply, cut to 400 characters.
        reply: String,
    },
    /// Chose between candidates.
    Chose {
        /// The statement chosen.
        sql: String,
        /// Why.
        reason: String,
    },
    /// Asked back.
    AskedBack {
        /// The question to the user.
        question: String,
    },
    /// Gave up.
    GaveUp {
        /// Why.
        reason: String,
    },
}

/// Collects steps and hands each on.
pub(crate) struct Trace<'s> {
    started: Instant,
    steps: Vec<Step>,
    on_step: &'s mut (dyn FnMut(&Step) + Send),
}

impl<'s> Trace<'s> {
    pub(crate) fn new(on_step: &'s mut (dyn FnMut(&Step) + Send)) -> Self {
        Self { started: Instant::now(), steps: Vec::new(), on_step }
    }

    pub(crate) fn add(&mut self, action: Action) {
        let step = Step { number: self.steps.len() + 1, at_ms: self.elapsed_ms(), action };
        (self.on_step)(&step);
        self.steps.push(step);
    }

    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }
}
