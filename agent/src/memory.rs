//! What people approved and rejected before, as far as it bears on this question.
//!
//! Approved pairs of the same question answer it, in whatever words it is asked; those of similar questions become examples;
//! rejections with a correction warn. Of many approvals those that the index finds nearest are looked at, and all where it
//! lacks one: an approval has to count from the moment it is stored.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use catalog::{Catalog, Memory, MemoryId, MemoryKind, MemoryState, NewMemory};
use jiff::Timestamp;
use link::Linker;

use crate::paraphrase::{Asked, Nearness};
use crate::question::{normalized, similarity};

/// Questions less alike than this are no examples for each other.
const EXAMPLE_THRESHOLD: f32 = 0.45;
/// The same for a small model, which copies an example where it should learn from it.
const CLOSE_EXAMPLE_THRESHOLD: f32 = 0.6;
/// Approvals that are named to somebody who asks without a model, and how near their questions are at least.
const OFFERED: usize = 3;
const LEAST_OFFERED: f32 = 0.35;
/// Rejections of questions less alike than this say nothing of each other.
const CORRECTION_THRESHOLD: f32 = 0.3;
/// Approvals that are held against the question, word by word.
const COMPARED: usize = 12;
/// The same for rejections, whose questions share a word with it.
const REJECTIONS_COMPARED: usize = 24;

/// The memories that bear on a question.
#[derive(Debug, Default)]
pub(crate) struct Recalled<'c> {
    /// The newest approved pair of this question.
    pub(crate) answer: Option<&'c Memory>,
    /// How that question was worded.
    pub(crate) wording: Wording,
    /// Approved pairs of the questions nearest to it, whether or not they ask the same, the nearest first.
    pub(crate) near: Vec<&'c Memory>,
    /// Approved pairs of similar questions with their similarity, most similar first.
    pub(crate) examples: Vec<(&'c Memory, f32)>,
    /// Rejections of this question, newest first; then of questions near to it.
    pub(crate) corrections: Vec<Corrected<'c>>,
}

/// How a question that was approved is worded beside the one that is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wording {
    /// In the same words.
    #[default]
    SameWords,
    /// In other forms and fillers, with what says something in the same order.
    OtherWords,
    /// In another order as well, which may be another question: who was referred by whom.
    OtherOrder,
}

/// A rejection that bears on a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corrected<'c> {
    pub(crate) memory: &'c Memory,
    /// How alike the questions are, 0 to 1.
    pub(crate) alike: f32,
    /// Whether they ask the same.
    pub(crate) is_same: bool,
}

/// How alike a question must be to serve as an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closeness {
    /// For models that learn from it.
    Similar,
    /// For those that copy it.
    Close,
}

impl Closeness {
    fn least(self) -> f32 {
        match self {
            Self::Similar => EXAMPLE_THRESHOLD,
            Self::Close => CLOSE_EXAMPLE_THRESHOLD,
        }
    }
}

/// What is asked, where and by whom.
#[derive(Clone, Copy)]
pub(crate) struct Recalling<'r> {
    pub(crate) catalog: &'r Catalog,
    /// Where approvals are found; without one all are looked at.
    pub(crate) linker: Option<&'r Linker<'r>>,
    pub(crate) source: &'r str,
    pub(crate) question: &'r str,
    pub(crate) asker: Option<&'r str>,
    /// Examples at most.
    pub(crate) most_examples: usize,
    pub(crate) closeness: Closeness,
}

/// Looks through the memories of one source that count for the asker.
pub(crate) fn recall<'r>(recalling: Recalling<'r>) -> Recalled<'r> {
    let Recalling { catalog, source, question, asker, .. } = recalling;
    let now = Timestamp::now();
    let active = || {
        let of_source = catalog.memories().iter().filter(|memory| memory.content.source == source);
        of_source.filter(|memory| memory.counts_for(asker, now))
    };
    if active().next().is_none() {
        return Recalled::default();
    }
    let wanted = normalized(question);
    let same = SameWords::of(&wanted);
    let mut recalled = Recalled {
        answer: active().rfind(|memory| memory.content.kind == MemoryKind::Approved && same.are_of(memory)),
        ..Recalled::default()
    };
    let comparing = Comparing::new(question, recalling.linker);
    let approved = nearest(recalling, active().filter(|memory| memory.content.kind == MemoryKind::Approved));
    recalled.examples = approved
        .iter()
        .filter(|near| near.likeness(recalling.closeness) >= recalling.closeness.least() && !same.are_of(near.memory))
        .map(|near| (near.memory, near.likeness(recalling.closeness)))
        .take(recalling.most_examples)
        .collect();
    if recalled.answer.is_none() {
        let compared = approved.iter().take(COMPARED).map(|near| near.memory);
        let compared: Vec<(&Memory, Nearness)> =
            compared.map(|memory| (memory, comparing.with(&memory.content.question))).collect();
        for (nearness, wording) in [(Nearness::Same, Wording::OtherWords), (Nearness::Reordered, Wording::OtherOrder)] {
            if recalled.answer.is_none() {
                let found = compared.iter().filter(|(_, it)| *it == nearness).map(|(memory, _)| *memory);
                recalled.answer = found.max_by_key(|memory| memory.id);
                recalled.wording = wording;
            }
        }
        let near = approved.iter().filter(|near| near.likeness(Closeness::Similar) >= LEAST_OFFERED);
        recalled.near = near.map(|near| near.memory).take(OFFERED).collect();
    }
    let rejected = active().filter(|it| it.content.kind == MemoryKind::Rejected && it.content.correction.is_some());
    let mut rejected: Vec<(&Memory, f32)> = rejected
        .map(|memory| match same.are_of(memory) {
            true => (memory, 1.0),
            false => (memory, similarity(&memory.content.question, question)),
        })
        .filter(|(_, alike)| *alike > 0.0)
        .collect();
    rejected.sort_by(|left, right| right.1.total_cmp(&left.1).then(right.0.id.cmp(&left.0.id)));
    rejected.truncate(REJECTIONS_COMPARED);
    recalled.corrections = rejected
        .into_iter()
        .filter_map(|(memory, alike)| {
            let nearness = match same.are_of(memory) {
                true => Nearness::Same,
                false => comparing.with(&memory.content.question),
            };
            let is_near = match recalling.closeness {
                // Told whose question it was, it can tell for itself.
                Closeness::Similar => alike >= CORRECTION_THRESHOLD,
                Closeness::Close => false,
            };
            let is_same = matches!(nearness, Nearness::Same | Nearness::Reordered);
            (nearness != Nearness::Other || is_near).then_some(Corrected { memory, alike, is_same })
        })
        .collect();
    // Of the same question the newest comes first.
    recalled.corrections.sort_by_key(|corrected| (!corrected.is_same, std::cmp::Reverse(corrected.memory.id)));
    // A statement that was rejected after it had been approved is no answer any more, and the other way round.
    if let Some(answer) = recalled.answer {
        let is_same = |memory: &Memory| {
            same.are_of(memory) || normalized(&memory.content.question) == normalized(&answer.content.question)
        };
        let taken_back = recalled
            .corrections
            .iter()
            .map(|corrected| corrected.memory)
            .any(|memory| memory.id > answer.id && is_same(memory) && memory.content.sql == answer.content.sql);
        if taken_back {
            recalled.answer = None;
        }
    }
    recalled
}

/// An approval, with how near its question is.
struct Near<'r> {
    memory: &'r Memory,
    /// By the words that they share.
    by_words: f32,
    /// By words and meaning, where the index holds it.
    by_index: f32,
}

impl Near<'_> {
    fn likeness(&self, closeness: Closeness) -> f32 {
        match closeness {
            Closeness::Similar => self.by_words.max(self.by_index),
            Closeness::Close => self.by_words,
        }
    }
}

/// The approvals that the index finds nearest, the nearest first.
fn nearest<'r>(recalling: Recalling<'r>, approved: impl Iterator<Item = &'r Memory>) -> Vec<Near<'r>> {
    let remembered = recalling.linker.map(|linker| linker.remembered(recalling.question)).unwrap_or_default();
    let by_index: HashMap<MemoryId, f32> = remembered.nearest.into_iter().collect();
    // Where it lacks some, all are looked at: one of them may have been approved a moment ago.
    let is_approved = |it: &&Memory| {
        it.content.kind == MemoryKind::Approved && it.state == MemoryState::Active && !it.content.reach.private
    };
    let is_complete = remembered.held >= recalling.catalog.memories().iter().filter(is_approved).count();
    let is_near = |memory: &&Memory| !is_complete || memory.content.reach.private || by_index.contains_key(&memory.id);
    let near = |memory: &'r Memory| Near {
        memory,
        by_words: similarity(&memory.content.question, recalling.question),
        by_index: by_index.get(&memory.id).copied().unwrap_or_default(),
    };
    let mut found: Vec<Near<'_>> = approved.filter(is_near).map(near).collect();
    let likeness = |near: &Near<'_>| near.likeness(Closeness::Similar);
    found.sort_by(|left, right| likeness(right).total_cmp(&likeness(left)).then(right.memory.id.cmp(&left.memory.id)));
    found
}

/// The approval that answered a question until `said` was approved: in the same words, by another statement.
pub fn answered_before(catalog: &Catalog, said: &NewMemory, replaced: Option<MemoryId>) -> Option<MemoryId> {
    let wanted = normalized(&said.question);
    let same = SameWords::of(&wanted);
    let now = Timestamp::now();
    let is_it = |memory: &&Memory| {
        memory.content.kind == MemoryKind::Approved
            && memory.content.source == said.source
            && Some(memory.id) != replaced
            && memory.counts_for(Some(&said.author), now)
            && memory.content.sql.trim() != said.sql.trim()
            && same.are_of(memory)
    };
    catalog.memories().iter().rfind(is_it).map(|memory| memory.id)
}

/// A question as it is compared letter by letter.
struct SameWords<'w> {
    wanted: &'w str,
    /// By which most others are told from it at a glance.
    longest: &'w str,
}

impl<'w> SameWords<'w> {
    fn of(wanted: &'w str) -> Self {
        Self { wanted, longest: wanted.split(' ').max_by_key(|word| word.len()).unwrap_or_default() }
    }

    fn are_of(&self, memory: &Memory) -> bool {
        let question = &memory.content.question;
        let may_be = match self.longest.is_ascii() {
            true => holds_ascii(question.as_bytes(), self.longest.as_bytes()),
            false => question.to_lowercase().contains(self.longest),
        };
        may_be && normalized(question) == self.wanted
    }
}

/// Whether a word stands somewhere in a text, in any case.
fn holds_ascii(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// A question that others are held against.
struct Comparing<'r> {
    asked: Asked,
    question: &'r str,
    linker: Option<&'r Linker<'r>>,
    named: OnceCell<HashSet<String>>,
}

impl<'r> Comparing<'r> {
    fn new(question: &'r str, linker: Option<&'r Linker<'r>>) -> Self {
        Self { asked: Asked::of(question), question, linker, named: OnceCell::new() }
    }

    fn with(&self, other: &str) -> Nearness {
        let words = |text: &str| {
            let found = self.linker.map(|linker| linker.words_of_database(text)).unwrap_or_default();
            found.iter().map(|word| words::singular(word)).collect::<HashSet<String>>()
        };
        let of_other = OnceCell::new();
        let is_of_database = |word: &str| {
            let own = self.named.get_or_init(|| words(self.question));
            own.contains(word) || of_other.get_or_init(|| words(other)).contains(word)
        };
        self.asked.nearness(&Asked::of(other), &is_of_database)
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Memory, MemoryId, MemoryKind, MemoryState, NewMemory, Reach};

    use super::{Closeness, Recalled, Recalling, recall};

    fn recalled<'c>(catalog: &'c Catalog, question: &'c str, closeness: Closeness) -> Recalled<'c> {
        let (linker, source, asker, most_examples) = (None, "shop", None, 2);
        recall(Recalling { catalog, linker, source, question, asker, most_examples, closeness })
    }

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
                reach: Reach::default(),
            },
            created_at: jiff::Timestamp::UNIX_EPOCH,
            state: MemoryState::Active,
        }
    }

    fn check(memories: Vec<Memory>, question: &str, answer: Option<i64>, examples: &[i64], corrections: &[i64]) {
        let catalog = Catalog::new(Vec::new(), Vec::new(), memories, 1);
        let recalled = recalled(&catalog, question, Closeness::Similar);
        assert_eq!(recalled.answer.map(|memory| memory.id.0), answer, "answer");
        assert_eq!(recalled.examples.iter().map(|(memory, _)| memory.id.0).collect::<Vec<_>>(), examples, "examples");
        let found: Vec<i64> = recalled.corrections.iter().map(|corrected| corrected.memory.id.0).collect();
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
            let recalled = recalled(&catalog, "How many orders were paid in June?", closeness);
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
