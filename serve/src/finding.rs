//! A finding of the guard as it goes over the wire: what an agent acts on, without what is empty.

use guard::{Finding, Severity};
use serde::Serialize;

use crate::budget::Budget;

/// The share of a reply that findings may take beside rows.
const SHARE: f64 = 0.4;

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FindingLine {
    code: &'static str,
    severity: Severity,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    help: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
    /// Bytes of the statement, from and to.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[usize; 2]>,
}

/// The findings that fit, worst first, and how many didn't.
pub(crate) fn lines(findings: Vec<Finding>, budget: &mut Budget) -> (Vec<FindingLine>, usize) {
    let lines = findings.into_iter().map(|finding| FindingLine {
        code: finding.code,
        severity: finding.severity,
        message: finding.message,
        why: finding.why,
        help: finding.help,
        suggestions: finding.suggestions,
        at: finding.span.map(|span| [span.start, span.end]),
    });
    budget.take_share(lines.collect(), SHARE)
}
