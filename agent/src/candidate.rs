//! A statement that was tried for a question, and what became of it.

use connect::ResultSet;
use guard::Verdict;
use llm::Likelihood;

/// A statement that was tried.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) sql: String,
    pub(crate) verdict: Verdict,
    pub(crate) run: Run,
    /// What was repaired in it without the model, in sentences.
    pub(crate) repaired: Vec<String>,
    /// Constants that the model wrote and that stored values stand for now.
    pub(crate) replaced: Vec<String>,
    /// What somebody said was wrong with this very statement, as an answer to this or nearly this question.
    pub(crate) rejected: Option<String>,
    /// Whether a model repaired it after it had been told what was wrong.
    pub(crate) repaired_by_model: bool,
    /// How many drafts came to this statement; the likeliest counts a little more than one that was drawn.
    pub(crate) votes: f32,
    /// How likely the model that wrote it held it to be.
    pub(crate) likelihood: Option<Likelihood>,
}

/// What became of running it.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    /// It returned these rows.
    Rows(ResultSet),
    /// The engine refused or stopped it, in its words.
    Failed(String),
    /// There is no database to run it on, or no call was left to spend on it.
    Omitted(&'static str),
    /// The guard refused it.
    Refused,
}

impl Candidate {
    /// Whether it was accepted and, where it can be run, ran.
    pub(crate) fn stands(&self) -> bool {
        matches!(self.run, Run::Rows(_) | Run::Omitted(_))
    }

    pub(crate) fn rows(&self) -> Option<&ResultSet> {
        match &self.run {
            Run::Rows(rows) => Some(rows),
            _ => None,
        }
    }
}
