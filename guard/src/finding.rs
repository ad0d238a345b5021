//! What a check says: findings, and the verdict they add up to.
//!
//! A finding is made for an agent as much as for a person: a stable code to branch on, what is wrong, why that matters,
//! what to do, and names or values to do it with, best first.

use catalog::{Catalog, TableId};
use serde::{Deserialize, Serialize};
use sql::{ResolvedStatement, Span};

use crate::lengths::{LONGEST_NAME, LONGEST_SENTENCE, cut};
use crate::live;
use crate::rule_name::RuleName;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Hint,
    /// Probably not what was meant.
    Warning,
    /// The statement is refused.
    Error,
}

/// One thing that a rule has to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The rule: the name it has in the configuration; `engine` for what the engine said.
    pub rule: RuleName,
    /// What was found, stable: `unknown_column`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where in the statement, in bytes.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub help: String,
    /// Names or values to use instead, best first.
    pub suggestions: Vec<String>,
    /// The whole statement with this repaired, where there is one certain way to do it.
    pub rewrite: Option<String>,
}

/// The code of a finding about a column that several relations in reach have.
pub const AMBIGUOUS_COLUMN: &str = "ambiguous_column";
/// The code of a finding about a query of a large table that doesn't say how many rows it wants.
pub const NO_LIMIT: &str = "no_limit";

impl Finding {
    /// Cuts names and an engine's words in it that are too long to be read; a statement to run instead stays whole.
    fn shorten(&mut self) {
        for sentence in [&mut self.message, &mut self.why, &mut self.help] {
            *sentence = cut(std::mem::take(sentence), LONGEST_SENTENCE);
        }
        // A name that is cut is no name to use instead.
        self.suggestions.retain(|name| name.chars().nth(LONGEST_NAME).is_none());
    }
}

/// What follows from the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Accept,
    /// It may not.
    Refuse,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it may run.
    pub decision: Decision,
    /// Everything that was found, worst first, then in the order of the text.
    pub findings: Vec<Finding>,
    /// What the statement says.
    pub reading: ResolvedStatement,
}

impl Verdict {
    /// All tables and views that the statement reads, those behind views included, as far as the catalog has them.
    pub fn reads(&self, catalog: &Catalog) -> Vec<TableId> {
        live::relations_of(&self.reading, catalog).into_iter().map(|read| read.id).collect()
    }

    /// The verdict that these findings make: one error refuses.
    pub(crate) fn of(mut findings: Vec<Finding>, reading: ResolvedStatement) -> Self {
        findings.sort_by_key(|finding| {
            (std::cmp::Reverse(finding.severity), finding.span.map_or(usize::MAX, |span| span.start))
        });
        for finding in &mut findings {
            finding.shorten();
        }
        let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
        Self { decision: if refused { Decision::Refuse } else { Decision::Accept }, findings, reading }
    }

    /// The same with one more finding.
    pub(crate) fn with(self, finding: Finding) -> Self {
        Self::of(self.findings.into_iter().chain([finding]).collect(), self.reading)
    }

    /// Whether it may run.
    pub fn is_accepted(&self) -> bool {
        self.decision == Decision::Accept
    }

    /// The findings that refuse.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// The statement with the first finding repaired that has one certain way to do it. Check the result again: other
    /// findings are still in it, and may be repaired then.
    pub fn first_rewrite(&self) -> Option<&str> {
        self.findings.iter().find_map(|finding| finding.rewrite.as_deref())
    }
}
