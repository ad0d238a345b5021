//! What comes out: the answer in its shape, and everything that lets a person or a program judge it.

use catalog::{MemoryId, MemoryUse, TableId};
use connect::ResultSet;
use guard::Finding;
use jiff::Timestamp;
use serde::Serialize;

use crate::signals::Signals;
use crate::trace::{Action, Step};

/// Everything that is known after a question was worked on.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The answer; with [`Status::Draft`] and sometimes with [`Status::Declined`] what would have been one.
    pub answer: Option<AnswerShape>,
    /// The rows the statement returned, where it ran.
    pub rows: Option<ResultSet>,
    /// What the guard had to say about the statement in the answer; without an answer, about the last draft.
    pub findings: Vec<Finding>,
    /// What grounded each identifier of the statement.
    pub provenance: Vec<Provenance>,
    /// The probability that the answer is right; see [`crate::Calibration`].
    pub confidence: f32,
    /// The least of it that was asked for: [`crate::AgentOptions::min_confidence`].
    pub min_confidence: f32,
    /// What it was reckoned from; empty where nothing was drafted.
    pub signals: Signals,
    /// What speaks against a draft, in sentences without a stop.
    pub against: Vec<String>,
    /// What would have to be known to answer, in the same form.
    pub missing: Vec<String>,
    /// What was taken for granted, in sentences.
    pub assumptions: Vec<String>,
    /// What we ask back, where the question says too little or too much.
    pub clarification: Option<String>,
    /// Why there is no answer, in a sentence, where there is none.
    pub failure: Option<String>,
    /// What was shown to the model, or to the user where there is no model.
    pub context: Option<ContextUsed>,
    /// Every step, in order.
    pub trace: Vec<Step>,
    /// What it cost.
    pub usage: Usage,
    /// Every statement a model wrote for it, in order, as it wrote it.
    pub drafts: Vec<Draft>,
}

/// How the work on a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// With a statement that was verified, has run where the source can run it, and is as sure as was asked for.
    Answered,
    /// With such a statement that isn't sure enough: somebody has to look at it.
    Draft,
    /// With what is missing: words that nothing explains, a value that isn't stored, two readings, a statement that
    /// could be verified.
    Declined,
    /// Without a model there is no draft: the context is all there is.
    NoModel,
}

impl Status {
    /// A stable identifier for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Draft => "draft",
            Self::Declined => "declined",
            Self::NoModel => "no_model",
        }
    }

    /// What the user can do where it ended so.
    fn hints(self) -> Vec<String> {
        match self {
            Self::Answered => Vec::new(),
            Self::Draft => vec![
                "if it is right, `periplus feedback approve --last` keeps it; if not, `periplus feedback reject --last \
                 --correction \"…\"` says why, and the next answer takes it into account"
                    .into(),
            ],
            Self::NoModel => vec![
                "`periplus model pull` fetches a local model; an endpoint or a key in `periplus.toml` works too".into(),
                "approved queries are answered without a model: `periplus feedback` adds one".into(),
            ],
            Self::Declined => vec![
                "ask again with what is missing in the question, or say what a word means: `periplus terms define WORD …`"
                    .into(),
                "`periplus link` shows the tables and columns that the question points at".into(),
            ],
        }
    }
}

impl Outcome {
    /// What people said earlier that was used for it, by number, with what it was: `answer`, `example` or `correction`.
    pub fn remembered(&self) -> impl Iterator<Item = (MemoryId, &'static str)> {
        self.trace.iter().filter_map(|step| match &step.action {
            Action::Remembered { memory, used_as, .. } => Some((MemoryId(*memory), *used_as)),
            _ => None,
        })
    }

    /// The same as it is kept.
    pub fn uses(&self, question: &str, asker: Option<&str>) -> Vec<MemoryUse> {
        let (at, asker) = (Timestamp::now(), asker.map(str::to_owned));
        self.remembered()
            .map(|(memory, used_as)| MemoryUse {
                memory,
                at,
                asker: asker.clone(),
                question: question.to_owned(),
                used_as: used_as.to_owned(),
            })
            .collect()
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        // A model that couldn't write it is no question that says too little.
        if self.status == Status::Declined && self.missing.is_empty() && self.failure.is_some() {
            return vec![
                "`--explain` shows what was drafted, and what was wrong with it".into(),
                "`periplus link` shows the tables and columns that the question points at; a larger model writes what this \
                 one couldn't (`periplus manual configuration`)"
                    .into(),
            ];
        }
        let mut hints = self.status.hints();
        if self.status == Status::Draft && self.confidence < self.min_confidence {
            hints.push("`min_confidence` under `[ask]` in `periplus.toml` says how sure an answer has to be".into());
        }
        hints
    }
}

/// The answer, in the shape that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum AnswerShape {
    /// What the data says.
    Query {
        /// How the question was understood.
        analysis: String,
        /// The statement, verified.
        sql: String,
        /// What the statement returns.
        description: String,
    },
    /// Where the data is.
    Finder {
        /// The statement, verified.
        sql: String,
        /// Tables it reads, as `schema.table`.
        tables: Vec<String>,
        /// Columns it reads, as `table.column`.
        columns: Vec<String>,
        /// What it does with them: `filter`, `join`, `group`, `aggregate`, `sort`, `limit` …
        operations: Vec<String>,
        /// What the statement returns.
        description: String,
    },
}

impl AnswerShape {
    /// The statement.
    pub fn sql(&self) -> &str {
        match self {
            Self::Query { sql, .. } | Self::Finder { sql, .. } => sql,
        }
    }

    /// What the statement returns.
    pub fn description(&self) -> &str {
        match self {
            Self::Query { description, .. } | Self::Finder { description, .. } => description,
        }
    }
}

/// What grounded an identifier of the statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// `table` or `table.column`.
    pub identifier: String,
    /// The chunk of the index that was in the context, `table:shop.orders`; where none was, `catalog`.
    pub chunk: String,
}

/// The context that the statement was drafted from.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContextUsed {
    /// `full` or `focused`, with the reason for `full`.
    pub strategy: String,
    /// Tables in it, best first.
    pub tables: Vec<TableId>,
    /// Tables of the source that were held to be irrelevant.
    pub irrelevant: Vec<TableId>,
    /// The text.
    pub text: String,
    /// Its size.
    pub tokens: usize,
    /// Stored values that the question names, as `table.column = 'stored'`.
    pub values: Vec<String>,
    /// Business terms that the question names, with what they mean here.
    pub terms: Vec<String>,
    /// Words of the question that nothing in the catalog accounts for.
    pub unmatched: Vec<String>,
}

/// A statement as a model wrote it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Draft {
    /// The statement.
    pub sql: String,
    /// Whether it named a table or column that doesn't exist.
    pub hallucinated: bool,
    /// Codes of the guard's findings on it.
    pub codes: Vec<String>,
    /// What it became by mechanical repair, where it was repaired so.
    pub repaired: Option<String>,
}

/// What a question cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Searches, looks at a table, statements run, submissions.
    pub tool_calls: usize,
    /// Calls of the model.
    pub model_calls: usize,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// Wall-clock time of the whole question.
    pub latency_ms: u64,
}
