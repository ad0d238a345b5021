//! What speaks against an answer, and what one would have to know to give it, in sentences for the person who asked.

use guard::{Finding, Severity};

use crate::context::Composed;
use crate::doubt::{Doubt, doubts};
use crate::mend::is_about_literal;
use crate::signals::{Drafts, SURPRISE, Signals, unexplained};
use crate::work::Candidate;

/// From this much on, another table fits so much better that it is worth saying.
const BETTER_TABLE: f32 = 0.15;
/// From this on the model wrote something that it held for unlikely: one statement in a hundred like it.
const UNLIKELY: f32 = 4.6;

/// What stands between a draft and an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Objections {
    /// What speaks against it.
    pub(crate) against: Vec<String>,
    /// What isn't known and would decide it.
    pub(crate) missing: Vec<String>,
}

/// Everything that can be said against a candidate; `two_readings` is the question back, where there is one.
pub(crate) fn objections(
    candidate: &Candidate,
    composed: &Composed,
    question: &str,
    drafts: Drafts,
    signals: &Signals,
    two_readings: Option<&str>,
) -> Objections {
    let findings = &candidate.verdict.findings;
    let mut missing: Vec<String> = unexplained(candidate, composed)
        .into_iter()
        .map(|term| format!("what `{term}` means: no name, description, stored value or approved query here says it"))
        .collect();
    let is_warned = |finding: &&Finding| finding.severity >= Severity::Warning;
    let of_literals = findings.iter().filter(is_warned).filter(|finding| is_about_literal(finding));
    missing.extend(of_literals.map(|finding| finding.message.clone()));
    missing.extend(two_readings.map(str::to_owned));

    let said_elsewhere = [Doubt::StrangeLiteral, Doubt::WrongFigure, Doubt::Stale, Doubt::Unjoined];
    let mut against: Vec<String> = findings
        .iter()
        .filter(is_warned)
        .filter(|finding| !is_about_literal(finding))
        .map(|finding| finding.message.clone())
        .collect();
    against.extend(
        doubts(candidate, composed, question)
            .into_iter()
            .filter(|doubt| !said_elsewhere.contains(doubt))
            .map(|doubt| doubt.words().to_owned()),
    );
    if drafts.share < 1.0 {
        against.push(format!("it was drafted {} times, and not always with the same rows", drafts.count));
    }
    against.extend(better_table(candidate, composed));
    if signals.get(SURPRISE).is_some_and(|surprise| surprise >= UNLIKELY) {
        against.push("the model gave this statement a low probability".to_owned());
    }
    against.dedup();
    Objections { against, missing }
}

/// A table that isn't read and fits the question much better than one that is.
fn better_table(candidate: &Candidate, composed: &Composed) -> Option<String> {
    let used = candidate.verdict.reading.table_ids();
    let weakest = used.iter().min_by(|left, right| composed.score(left).total_cmp(&composed.score(right)))?;
    let better = composed.linked.tables.iter().find(|table| !used.contains(&&table.id))?;
    let score = composed.score(weakest);
    (better.score - score > BETTER_TABLE).then(|| {
        format!(
            "`{}` fits the question better than `{}`, which it reads ({:.0} % against {:.0} %)",
            better.id.local(),
            weakest.local(),
            better.score * 100.0,
            score * 100.0
        )
    })
}
