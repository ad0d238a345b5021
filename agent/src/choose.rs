//! Which of several candidates answers, and whether the first one is doubtful enough to pay for a second.
//!
//! Doubt and choice look at the same signs, all of them read off the statement, its rows and the linked values: a
//! model's own opinion of its SQL is not among them, because a small one believes everything it has written.

use catalog::{TableId, words};
use connect::{ResultSet, Value};

use crate::context::Composed;
use crate::mend::is_about_literal;
use crate::work::{Candidate, Run};

/// Why a candidate may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It was refused, or the engine could not run it.
    Broken,
    /// It returned nothing, or nothing but NULL.
    Empty,
    /// It compares a column with a value that the column doesn't hold.
    StrangeLiteral,
    /// The question names a stored value, and the statement doesn't use it.
    UnusedValue,
    /// The question names a number, and the statement doesn't use it.
    UnusedNumber,
    /// It joins nothing with something: a cartesian product.
    Unjoined,
}

impl Doubt {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Broken => "it can't run",
            Self::Empty => "it returns nothing",
            Self::StrangeLiteral => "it compares with a value that isn't there",
            Self::UnusedValue => "it leaves out a value that the question names",
            Self::UnusedNumber => "it leaves out a number that the question names",
            Self::Unjoined => "it joins tables without a condition",
        }
    }

    /// How much it speaks against a candidate, beside others.
    fn weight(self) -> u32 {
        match self {
            Self::Broken => 100,
            Self::Empty => 8,
            Self::StrangeLiteral | Self::Unjoined => 4,
            Self::UnusedValue => 3,
            Self::UnusedNumber => 3,
        }
    }
}

/// Every doubt about a candidate.
pub(crate) fn doubts(candidate: &Candidate, composed: &Composed, question: &str) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if !candidate.stands() {
        doubts.push(Doubt::Broken);
    }
    if candidate.rows().is_some_and(says_nothing) {
        doubts.push(Doubt::Empty);
    }
    if candidate.verdict.findings.iter().any(is_about_literal) {
        doubts.push(Doubt::StrangeLiteral);
    }
    if !candidate.verdict.reading.unjoined.is_empty() {
        doubts.push(Doubt::Unjoined);
    }
    if !unused_values(candidate, composed).is_empty() {
        doubts.push(Doubt::UnusedValue);
    }
    if leaves_out_a_number(&candidate.sql, question) {
        doubts.push(Doubt::UnusedNumber);
    }
    doubts
}

/// Stored values that the question names surely and the statement doesn't contain, as (table, column, stored).
fn unused_values<'c>(candidate: &Candidate, composed: &'c Composed) -> Vec<(&'c TableId, &'c str, &'c str)> {
    let sql = candidate.sql.to_lowercase();
    let mut unused = Vec::new();
    for value in &composed.values {
        // The same words found in several columns are one value to use, not several.
        let asked_elsewhere = composed
            .values
            .iter()
            .any(|other| other.asked == value.asked && sql.contains(&other.stored.to_lowercase()));
        let is_sure = value.strength >= SURE_VALUE;
        if is_sure && !asked_elsewhere && !sql.contains(&value.asked.to_lowercase()) {
            unused.push((&value.table, value.column.as_str(), value.stored.as_str()));
        }
    }
    unused
}

/// From this strength on the question surely means the value.
const SURE_VALUE: f32 = 0.8;

/// Whether a number with two or more digits, or one after a comparison, is missing from the statement.
fn leaves_out_a_number(sql: &str, question: &str) -> bool {
    let in_sql = words(sql);
    question
        .split(|character: char| {
            character.is_whitespace() || matches!(character, ',' | '?' | ';' | '(' | ')' | '"' | '\'')
        })
        .map(|token| token.trim_matches(|character: char| !character.is_alphanumeric()))
        .filter(|token| token.len() >= 2 && token.chars().all(|character| character.is_ascii_digit()))
        .any(|number| !in_sql.iter().any(|word| word == number) && !sql.contains(number))
}

/// Whether a result holds no information: no rows, or one row of nothing but NULL.
pub(crate) fn says_nothing(result: &ResultSet) -> bool {
    result.rows.is_empty()
        || (result.rows.len() == 1 && result.rows[0].iter().all(|value| matches!(value, Value::Null)))
}

/// Whether two results hold the same rows in any order.
pub(crate) fn same_rows(left: &ResultSet, right: &ResultSet) -> bool {
    let key = |result: &ResultSet| {
        let mut rows: Vec<String> = result.rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort_unstable();
        rows
    };
    left.rows.len() == right.rows.len() && key(left) == key(right)
}

/// The candidate to answer with and why. Fewer doubts win; between equals, the one that another agrees with; then the
/// earlier one.
pub(crate) fn choose(candidates: &[Candidate], composed: &Composed, question: &str) -> Option<(usize, String)> {
    let weigh =
        |candidate: &Candidate| -> u32 { doubts(candidate, composed, question).into_iter().map(Doubt::weight).sum() };
    let agreed = |position: usize| {
        candidates.iter().enumerate().any(|(other, candidate)| {
            other != position
                && matches!((&candidates[position].run, &candidate.run), (Run::Rows(left), Run::Rows(right)) if same_rows(left, right))
        })
    };
    let best =
        (0..candidates.len()).min_by_key(|&position| (weigh(&candidates[position]), !agreed(position), position))?;
    let reason = if candidates.len() == 1 {
        "the only candidate".to_owned()
    } else if agreed(best) {
        "candidates agree".to_owned()
    } else {
        let others: Vec<&str> = candidates
            .iter()
            .enumerate()
            .filter(|(position, _)| *position != best)
            .flat_map(|(_, candidate)| doubts(candidate, composed, question))
            .map(Doubt::words)
            .collect();
        if others.is_empty() {
            "the first without doubts".to_owned()
        } else {
            format!("against the others: {}", others.join("; "))
        }
    };
    Some((best, reason))
}

/// Whether any two candidates that stand differ in their rows.
pub(crate) fn disagree(candidates: &[Candidate]) -> bool {
    let results: Vec<&ResultSet> = candidates.iter().filter_map(Candidate::rows).collect();
    results
        .iter()
        .enumerate()
        .any(|(position, left)| results[position + 1..].iter().any(|right| !same_rows(left, right)))
}
