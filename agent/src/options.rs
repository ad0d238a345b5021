//! How a question is to be worked on: the way of working, the shape of the answer, the budgets.

use std::sync::Arc;

use catalog::Memory;
use connect::Limits;
use guard::ResultCache;
use link::LinkOptions;
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;

/// Tool calls a question may cost: searches, looks at a table, statements that were run, the submission.
pub const MAX_TOOL_CALLS: usize = 6;

/// How sure an answer has to be, unless somebody says otherwise: with the built-in calibration about nine in ten of those
/// that are at least so sure are right.
pub const MIN_CONFIDENCE: f32 = 0.85;

/// Which loop answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// [`Mode::Scripted`] for small models and for those that can't call tools, else [`Mode::Tools`].
    #[default]
    Auto,
    /// We decide every step; the model writes SQL and nothing else.
    Scripted,
    /// The model decides, by calling our tools.
    Tools,
}

/// Which form the answer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Where the data is: the statement with its tables, columns and operations.
    Finder,
    /// What the data says: an analysis, the statement, a description.
    #[default]
    Query,
}

/// Parts that can be switched off, to measure what each is worth. By default none is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ablations {
    /// Drafts are not repaired. They still pass the guard before they run: nothing can switch that off.
    pub without_verifier: bool,
    /// Known values are neither shown to the model nor used to repair literals.
    pub without_values: bool,
    /// Every table of the source is shown, not the linked ones alone.
    pub without_directives: bool,
    /// The question is linked as a whole, never by its parts.
    pub without_decomposition: bool,
}

/// The agent's settings.
#[derive(Clone, Debug)]
pub struct AgentOptions {
    /// Which loop answers.
    pub mode: Mode,
    /// Which form the answer has.
    pub shape: Shape,
    /// Tool calls a question may cost, at most [`MAX_TOOL_CALLS`].
    pub max_tool_calls: usize,
    /// Model calls the scripted pipeline may make for a question, drafts and repairs together.
    pub max_model_calls: usize,
    /// Tables that each intent contributes.
    pub tables_per_intent: usize,
    /// How questions are linked; the source and the number of tables are the agent's.
    pub link: LinkOptions,
    /// What the user wrote about the company: terms, rules, conventions. Goes into the system message.
    pub company_context: Option<String>,
    /// Who asks, as approvals name their authors; without it nothing counts that somebody approved for themselves alone.
    pub asker: Option<String>,
    /// What a run may return and how long it may take.
    pub limits: Limits,
    /// Where rows of approved queries are kept, for as long as nothing is written; without it they are fetched each time.
    pub results: Option<Arc<ResultCache>>,
    /// How sure an answer has to be, 0 to 1; what is less sure is a draft.
    pub min_confidence: f32,
    /// What signals weigh for this model; without it the built-in one for small models, and an estimate for large ones.
    pub calibration: Option<Calibration>,
    /// Added to the numbers that drafts are drawn by.
    pub seed: u64,
    /// What is switched off.
    pub ablations: Ablations,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Auto,
            shape: Shape::Query,
            max_tool_calls: MAX_TOOL_CALLS,
            max_model_calls: 6,
            tables_per_intent: 5,
            link: LinkOptions::default(),
            company_context: None,
            asker: None,
            limits: Limits::default(),
            results: None,
            min_confidence: MIN_CONFIDENCE,
            calibration: None,
            seed: 0,
            ablations: Ablations::default(),
        }
    }
}

/// What a person said about an earlier attempt at the same question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The statement that was rejected.
    pub rejected_sql: String,
    /// What is wrong with it, or how it should be.
    pub correction: String,
}

impl Feedback {
    /// The feedback that a stored rejection holds; `None` for an approval.
    pub fn of(memory: &Memory) -> Option<Self> {
        let correction = memory.content.correction.clone()?;
        Some(Self { rejected_sql: memory.content.sql.clone(), correction })
    }
}
