//! Repairs that need no model: the guard's own rewrites, and names whose meaning is clear from the keys.
//!
//! A small model told that a column doesn't exist often writes another one that doesn't, and takes as long as for the
//! first draft. Most of what it gets wrong can be put right from the catalog. A repair is kept only when the guard then
//! finds strictly less.
//!
//! Invariant: what comes out was checked as it stands, and is never worse than what went in.

mod names;
mod text;

use guard::{Decision, Finding, RuleName, Severity, Verdict};

pub(crate) use names::Surroundings;

/// Rounds of repair: each repairs one finding, and a statement with more is better written again.
const MOST_ROUNDS: usize = 6;

/// A statement after repair, with the guard's opinion of it.
#[derive(Clone, Debug)]
pub(crate) struct Repaired {
    pub(crate) sql: String,
    pub(crate) verdict: Verdict,
    /// What was repaired, a sentence each.
    pub(crate) reasons: Vec<String>,
    /// Constants of the statement as it was written that something else stands for now.
    pub(crate) replaced: Vec<String>,
}

impl Repaired {
    /// A statement as it stands.
    pub(crate) fn unchanged(sql: String, verdict: Verdict) -> Self {
        Self { sql, verdict, reasons: Vec::new(), replaced: Vec::new() }
    }
}

/// Whether literals may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literals {
    /// Into the stored spelling, where the guard is certain of it.
    Repair,
    /// Not at all.
    Keep,
}

/// Repairs what can be.
pub(crate) fn repair(
    sql: &str,
    verdict: Verdict,
    literals: Literals,
    around: &Surroundings<'_>,
    check: &dyn Fn(&str) -> Verdict,
) -> Repaired {
    let mut repaired = Repaired::unchanged(sql.to_owned(), verdict);
    let written = constants(&repaired.verdict);
    for _ in 0..MOST_ROUNDS {
        let Some((sql, verdict, reason)) = one_repair(&repaired, literals, around, check) else { break };
        repaired.sql = sql;
        repaired.verdict = verdict;
        repaired.reasons.push(reason);
    }
    let left = constants(&repaired.verdict);
    repaired.replaced = written.into_iter().filter(|text| !left.contains(text)).collect();
    repaired
}

fn constants(verdict: &Verdict) -> Vec<String> {
    verdict.reading.literals.iter().map(|literal| literal.value.text.clone()).collect()
}

/// Whether a statement names a table or column that doesn't exist.
pub(crate) fn names_something_unknown(verdict: &Verdict) -> bool {
    verdict.findings.iter().any(|finding| is_unknown_name(finding) && finding.severity == Severity::Error)
}

/// Whether a finding is about a literal that the column doesn't hold.
pub(crate) fn is_about_literal(finding: &Finding) -> bool {
    finding.rule == RuleName::LiteralValue
}

fn one_repair(
    repaired: &Repaired,
    literals: Literals,
    around: &Surroundings<'_>,
    check: &dyn Fn(&str) -> Verdict,
) -> Option<(String, Verdict, String)> {
    let before = badness(&repaired.verdict);
    if before == (0, 0) {
        return None;
    }
    let mut findings: Vec<&Finding> = repaired
        .verdict
        .findings
        .iter()
        .filter(|finding| literals == Literals::Repair || !is_about_literal(finding))
        .collect();
    findings.sort_by_key(|finding| u8::from(finding.severity != Severity::Error));
    for finding in findings {
        for sql in repairs_of(repaired, finding, around) {
            let (sql, verdict) = without_ambiguity(sql, around, check);
            if badness(&verdict) < before {
                return Some((sql, verdict, finding.message.clone()));
            }
        }
    }
    None
}

/// What a finding can be repaired to, best first: a real column of that very name, the guard's rewrite, the closest name.
fn repairs_of(repaired: &Repaired, finding: &Finding, around: &Surroundings<'_>) -> Vec<String> {
    let mut repairs = Vec::new();
    if is_unknown_column(finding) {
        repairs.extend(names::for_unknown_column(&repaired.sql, &repaired.verdict, finding, around));
    }
    if is_ambiguous_column(finding) {
        repairs.extend(names::for_ambiguous_column(&repaired.sql, &repaired.verdict, finding, around));
    }
    repairs.extend(finding.rewrite.clone());
    if is_unknown_name(finding) {
        repairs.extend(closest_name(&repaired.sql, finding));
    }
    repairs
}

/// Names less alike than this (one minus edits over length) may as well be different things.
const CLOSE_NAME: f64 = 0.85;

/// The statement with the guard's first suggestion in the place of an unknown name, where the two are nearly the same.
fn closest_name(sql: &str, finding: &Finding) -> Option<String> {
    let span = finding.span?;
    let suggestion = finding.suggestions.first()?;
    let written = sql.get(span.start..span.end)?;
    let name = |text: &str| text.rsplit('.').next().unwrap_or(text).trim_matches(['"', '`']).to_lowercase();
    if strsim::normalized_levenshtein(&name(written), &name(suggestion)) < CLOSE_NAME {
        return None;
    }
    // `t.nam` with the suggestion `name` keeps its qualifier; with `u.name` it is replaced as a whole.
    let qualifier = match written.rfind('.') {
        Some(dot) if !suggestion.contains('.') => &written[..=dot],
        _ => "",
    };
    Some(format!("{}{qualifier}{suggestion}{}", &sql[..span.start], &sql[span.end..]))
}

/// A repair that joins a table can make other columns ambiguous: they get the qualifier they had without saying so.
fn without_ambiguity(mut sql: String, around: &Surroundings<'_>, check: &dyn Fn(&str) -> Verdict) -> (String, Verdict) {
    let mut verdict = check(&sql);
    for _ in 0..MOST_ROUNDS {
        let qualified = verdict
            .findings
            .iter()
            .filter(|finding| is_ambiguous_column(finding))
            .find_map(|finding| names::for_ambiguous_column(&sql, &verdict, finding, around));
        let Some(qualified) = qualified else { break };
        sql = qualified;
        verdict = check(&sql);
    }
    (sql, verdict)
}

fn is_unknown_name(finding: &Finding) -> bool {
    [RuleName::UnknownTable, RuleName::UnknownColumn].contains(&finding.rule)
}

fn is_unknown_column(finding: &Finding) -> bool {
    finding.rule == RuleName::UnknownColumn
}

fn is_ambiguous_column(finding: &Finding) -> bool {
    finding.code == guard::AMBIGUOUS_COLUMN
}

/// Errors, then warnings; a refusal without an error counts as one. A cartesian product counts as an error whatever the
/// policy: putting `a.id = a.id` in the place of an unknown name repairs nothing.
fn badness(verdict: &Verdict) -> (usize, usize) {
    let count = |severity| verdict.findings.iter().filter(|finding| finding.severity == severity).count();
    let errors = count(Severity::Error).max(usize::from(verdict.decision == Decision::Refuse));
    (errors + verdict.reading.unjoined.len(), count(Severity::Warning))
}
