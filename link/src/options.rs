//! What a caller may decide about linking: how much to return, how carefully to prune, which signals to use.
//!
//! Every field has a default that was measured, not guessed; the signals can be switched off one by one so that
//! `eval` can say what each is worth.

use serde::{Deserialize, Serialize};

/// How a question is linked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkOptions {
    /// Whether no table is irrelevant where the whole schema is given. A small model does worse with tables that it doesn't
    /// need.
    pub whole_is_relevant: bool,
    /// In a scope of fewer tables than this the whole schema is given.
    pub full_schema_below: usize,
    /// Tokens that the context may take. A schema that fits is given whole.
    pub token_budget: usize,
    /// The share of needed tables that the directives must keep; higher keeps more tables. Between 0.5 and 0.999.
    pub recall_target: f32,
    /// Only tables of this source; `None` for all of the catalog.
    pub source: Option<String>,
    /// Who asks, as approvals name their authors; without it nothing counts that somebody approved for themselves alone.
    pub asker: Option<String>,
    /// Which signals may be used.
    pub signals: Signals,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self {
            whole_is_relevant: true,
            full_schema_below: 10,
            token_budget: 1_200,
            recall_target: 0.97,
            source: None,
            asker: None,
            signals: Signals::default(),
        }
    }
}

/// Whether a signal takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// It does.
    On,
    /// It is left out, to measure what it is worth.
    Off,
}

impl Signal {
    /// Whether it takes part.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

/// The signals that linking fuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Signals {
    /// Words of the question among names, comments and descriptions.
    pub words: Signal,
    /// Vector similarity to tables and columns.
    pub similarity: Signal,
    /// Values that the question names.
    pub values: Signal,
    /// Keys between tables, and how much of the question one source explains.
    pub joins: Signal,
    /// Approved queries for similar questions.
    pub memories: Signal,
    /// What query logs say of tables.
    pub usage: Signal,
    /// Comments and descriptions.
    pub texts: Signal,
    /// The trained trees; without them the candidate score decides alone.
    pub ranker: Signal,
}

impl Default for Signals {
    fn default() -> Self {
        let on = Signal::On;
        Self { words: on, similarity: on, values: on, joins: on, memories: on, usage: on, texts: on, ranker: on }
    }
}
