//! Which of several candidates answers.
//!
//! Candidates that return the same rows vote together, as in self-consistency (Wang et al. 2022, "Self-Consistency
//! Improves Chain of Thought Reasoning in Language Models") with the result in the place of the reasoning's answer.
//! Against a group's votes stand the doubts about its best statement. On 56 training questions with the local model,
//! the greedy draft alone was right on 42; with three more drafts where it was doubtful, 45 or 46 were, by a replay of
//! their drafts.

use connect::ResultSet;

use crate::candidate::{Candidate, Run};
use crate::context::Composed;
use crate::doubt::{Doubt, doubts};

/// The candidate that answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) position: usize,
    pub(crate) reason: String,
    /// The share of the votes that its rows got, 0 to 1.
    pub(crate) share: f32,
}

/// Candidates that say the same.
struct Group {
    /// The least doubtful of them, the earliest between equals.
    best: usize,
    doubt: f32,
    votes: f32,
}

/// The candidate to answer with and why; `None` where there is none. One that can't run is chosen only where all can't.
pub(crate) fn choose(candidates: &[Candidate], composed: &Composed, question: &str) -> Option<Choice> {
    let doubts_of: Vec<Vec<Doubt>> = candidates.iter().map(|candidate| doubts(candidate, composed, question)).collect();
    let mut groups: Vec<Group> = Vec::new();
    for (position, candidate) in candidates.iter().enumerate() {
        let doubt: f32 = doubts_of[position].iter().map(|doubt| doubt.weight()).sum();
        match groups.iter_mut().find(|group| say_the_same(&candidates[group.best], candidate)) {
            Some(group) => {
                group.votes += candidate.votes;
                if doubt < group.doubt {
                    (group.best, group.doubt) = (position, doubt);
                }
            }
            None => groups.push(Group { best: position, doubt, votes: candidate.votes }),
        }
    }
    let cast: f32 = groups.iter().map(|group| group.votes).sum();
    let value = |group: &Group| group.votes - group.doubt;
    let mut best = groups.first()?;
    for group in &groups[1..] {
        if value(group) > value(best) {
            best = group;
        }
    }
    let against: Vec<&str> = doubts_of
        .iter()
        .enumerate()
        .filter(|(position, _)| !say_the_same(&candidates[best.best], &candidates[*position]))
        .flat_map(|(_, doubts)| doubts)
        .fold(Vec::new(), |mut words, doubt| {
            if !words.contains(&doubt.words()) {
                words.push(doubt.words());
            }
            words
        });
    let reason = match (candidates.len(), groups.len()) {
        (1, _) => "the only candidate".to_owned(),
        (_, 1) => "all candidates agree".to_owned(),
        _ if against.is_empty() => "most drafts agree with it".to_owned(),
        _ => format!("against the others: {}", against.join("; ")),
    };
    Some(Choice { position: best.best, reason, share: if cast > 0.0 { best.votes / cast } else { 0.0 } })
}

/// Whether two candidates that no doubt is left about agree, so that no more drafts are needed.
pub(crate) fn is_settled(candidates: &[Candidate], composed: &Composed, question: &str) -> bool {
    let sure: Vec<&Candidate> =
        candidates.iter().filter(|candidate| doubts(candidate, composed, question).is_empty()).collect();
    sure.iter().any(|candidate| {
        let votes: f32 =
            sure.iter().filter(|other| say_the_same(candidate, other)).map(|candidate| candidate.votes).sum();
        votes >= 2.0
    })
}

/// Whether two candidates return the same rows, in any order; without rows, whether they are the same statement.
fn say_the_same(left: &Candidate, right: &Candidate) -> bool {
    match (&left.run, &right.run) {
        (Run::Rows(left), Run::Rows(right)) => same_rows(left, right),
        _ => left.sql == right.sql,
    }
}

fn same_rows(left: &ResultSet, right: &ResultSet) -> bool {
    let key = |result: &ResultSet| {
        let mut rows: Vec<String> = result.rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort_unstable();
        rows
    };
    left.rows.len() == right.rows.len() && key(left) == key(right)
}
