//! What the index says of a question, and what a unit scores by it.

use index::{Question, TableScores, UnitNumber, ValueMatch};

use crate::numbering::{ListBy, ScopePosition};

/// A question with everything that the index says of units, values and words.
pub(crate) struct QuestionScores<'m> {
    pub(crate) question: &'m Question,
    pub(crate) scores: &'m TableScores,
    pub(crate) values: &'m [ValueMatch],
    /// The units that the question may be about.
    pub(crate) scope: &'m ListBy<ScopePosition, UnitNumber>,
}

/// What a unit scores by itself.
pub(crate) struct UnitScores {
    pub(crate) similarity: f32,
    pub(crate) words: f32,
    pub(crate) name: f32,
    pub(crate) values: f32,
}
