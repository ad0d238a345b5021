//! What people approved and rejected before, as far as it bears on this question.
//!
//! Approved pairs of the same question answer it; those of similar questions become examples; rejections with a
//! correction warn. Likeness is measured over content words here and not by the index, because a team has hundreds of
//! such pairs at most, and an approval has to count from the moment it is stored.

use catalog::{Catalog, Memory, MemoryKind, MemoryState};

use crate::question::{normalized, similarity};

/// Questions less alike than this are no examples for each other.
const EXAMPLE_THRESHOLD: f32 = 0.4;
/// The same for a small model, which copies an example where it should learn from it.
const CLOSE_EXAMPLE_THRESHOLD: f32 = 0.6;
/// A correction is carried over only to nearly the same question: it may contradict others.
const CORRECTION_THRESHOLD: f32 = 0.8;

/// The memories that bear on a question.
#[derive(Debug, Default)]
pub(crate) struct Recalled<'c> {
    /// The newest approved pair of exactly this question.
    pub(crate) answer: Option<&'c Memory>,
    /// Approved pairs of similar questions with their similarity, most similar first.
    pub(crate) examples: Vec<(&'c Memory, f32)>,
    /// Rejections of this or nearly this question, newest first.
    pub(crate) corrections: Vec<(&'c Memory, f32)>,
}

/// How alike a question must be to serve as an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closeness {
    /// For models that learn from it.
    Similar,
    /// For those that copy it.
    Close,
}

/// Looks through the active memories of one source.
pub(crate) fn recall<'c>(
    catalog: &'c Catalog,
    source: &str,
    question: &str,
    most_examples: usize,
    closeness: Closeness,
) -> Recalled<'c> {
    let asked = normalized(question);
    let threshold = match closeness {
        Closeness::Similar => EXAMPLE_THRESHOLD,
        Closeness::Close => CLOSE_EXAMPLE_THRESHOLD,
    };
    let mut recalled = Recalled::default();
    let active = catalog
        .memories()
        .iter()
        .filter(|memory| memory.state == MemoryState::Active && memory.content.source == source);
    for memory in active {
        let same = normalized(&memory.content.question) == asked;
        let alike = if same { 1.0 } else { similarity(&memory.content.question, question) };
        match memory.content.kind {
            MemoryKind::Approved if same => recalled.answer = Some(memory),
            MemoryKind::Approved if alike >= threshold => recalled.examples.push((memory, alike)),
            MemoryKind::Rejected if alike >= CORRECTION_THRESHOLD && memory.content.correction.is_some() => {
                recalled.corrections.push((memory, alike));
            }
            MemoryKind::Approved | MemoryKind::Rejected => {}
        }
    }
    recalled.examples.sort_by(|left, right| right.1.total_cmp(&left.1).then(right.0.id.cmp(&left.0.id)));
    recalled.examples.truncate(most_examples);
    recalled.corrections.sort_by_key(|(memory, _)| std::cmp::Reverse(memory.id));
    // A statement that was rejected after it had been approved is no answer any more, and the other way round.
    if let Some(answer) = recalled.answer {
        let taken_back = recalled.corrections.iter().any(|(memory, _)| {
            memory.id > answer.id
                && normalized(&memory.content.question) == asked
                && memory.content.sql == answer.content.sql
        });
        if taken_back {
            recalled.answer = None;
        }
    }
    recalled
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Memory, MemoryId, MemoryKind, MemoryState, NewMemory};

    use super::{Closeness, recall};

    fn memory(id: i64, kind: MemoryKind, question: &str, sql: &str) -> Memory {
        Memory {
            id: MemoryId(id),
            content: NewMemory {
                source: "shop".into(),
                kind,
                question: question.into(),
                sql: sql.into(),
                correction: (kind == MemoryKind::Rejected).then(|| "count paid ones only".to_owned()),
                author: "ana".into(),
            },
            created_at: jiff::Timestamp::UNIX_EPOCH,
            state: MemoryState::Active,
        }
    }

    fn check(memories: Vec<Memory>, question: &str, answer: Option<i64>, examples: &[i64], corrections: &[i64]) {
        let catalog = Catalog::new(Vec::new(), Vec::new(), memories, 1);
        let recalled = recall(&catalog, "shop", question, 2, Closeness::Similar);
        assert_eq!(recalled.answer.map(|memory| memory.id.0), answer, "answer");
        assert_eq!(recalled.examples.iter().map(|(memory, _)| memory.id.0).collect::<Vec<_>>(), examples, "examples");
        let found: Vec<i64> = recalled.corrections.iter().map(|(memory, _)| memory.id.0).collect();
        assert_eq!(found, corrections, "corrections");
    }

    #[test]
    fn the_newest_approval_of_the_same_question_answers_it() {
        let memories = vec![
            memory(1, MemoryKind::Approved, "How many orders?", "SELECT 1"),
            memory(2, MemoryKind::Approved, "how many orders", "SELECT 2"),
        ];
        check(memories, "How many  orders ?", Some(2), &[], &[]);
    }

    #[test]
    fn similar_approvals_are_examples_and_others_are_not() {
        let memories = vec![
            memory(1, MemoryKind::Approved, "How many orders were paid in May?", "SELECT 1"),
            memory(2, MemoryKind::Approved, "Which supplier is the oldest?", "SELECT 2"),
        ];
        check(memories, "How many orders were paid in June?", None, &[1], &[]);
    }

    #[test]
    fn who_copies_examples_is_given_close_ones_only() {
        let memories = vec![
            memory(1, MemoryKind::Approved, "How many orders were paid in May?", "SELECT 1"),
            memory(2, MemoryKind::Approved, "How many orders were paid by card in Madrid in May?", "SELECT 2"),
        ];
        let catalog = Catalog::new(Vec::new(), Vec::new(), memories, 1);
        let found = |closeness| {
            let recalled = recall(&catalog, "shop", "How many orders were paid in June?", 2, closeness);
            recalled.examples.iter().map(|(memory, alike)| (memory.id.0, *alike)).collect::<Vec<_>>()
        };
        let (similar, close) = (found(Closeness::Similar), found(Closeness::Close));
        assert_eq!(similar.iter().map(|(memory, _)| *memory).collect::<Vec<_>>(), [1, 2], "{similar:?}");
        assert_eq!(close.iter().map(|(memory, _)| *memory).collect::<Vec<_>>(), [1], "{close:?}");
    }

    #[test]
    fn what_was_undone_or_belongs_to_another_source_is_not_recalled() {
        let mut undone = memory(1, MemoryKind::Approved, "How many orders?", "SELECT 1");
        undone.state = MemoryState::Undone { at: jiff::Timestamp::UNIX_EPOCH, by: "ben".into() };
        let mut elsewhere = memory(2, MemoryKind::Approved, "How many orders?", "SELECT 1");
        elsewhere.content.source = "crm".into();
        check(vec![undone, elsewhere], "How many orders?", None, &[], &[]);
    }

    #[test]
    fn a_later_rejection_of_the_same_statement_withdraws_the_approval() {
        let memories = vec![
            memory(1, MemoryKind::Approved, "How many orders?", "SELECT 1"),
            memory(2, MemoryKind::Rejected, "How many orders?", "SELECT 1"),
        ];
        check(memories, "How many orders?", None, &[], &[2]);
    }
}
