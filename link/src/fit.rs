//! Whether a question is one for this catalog at all: what of it the catalog explains, and how likely that makes it.

use serde::Serialize;

use crate::features::FirstStageFeatures;
use crate::question_scores::QuestionScores;

/// The weights of a logistic regression, fitted by `models/linking/own_or_other.py` to questions asked of their own
/// database and of another one.
const WEIGHTS: FitWeights = FitWeights {
    known: 5.408,
    explained: 2.085,
    explained_by_one: -0.202,
    similarity: 8.927,
    likeliest: 0.424,
    none: -9.703,
};
/// Below these log-odds a question is taken for one of something else: of the 1,900 that the weights were fitted to and that
/// their databases answer, none is.
const ELSEWHERE: f32 = -6.5;
/// A probability is taken to be at least so far from 0 and 1.
const LEAST_DOUBT: f32 = 1e-4;

/// What each of [`Fit`]'s numbers adds; `likeliest` by its log-odds.
struct FitWeights {
    known: f32,
    explained: f32,
    explained_by_one: f32,
    similarity: f32,
    likeliest: f32,
    none: f32,
}

/// What tells whether a question can be answered from the catalog. Each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fit {
    /// Share of the question's words that some name, text or value has.
    pub known: f32,
    /// Weight of its words, each as far as the table explains it that does so best, by spelling or meaning, over the weight
    /// of all.
    pub explained: f32,
    /// The same of the one table that explains most.
    pub explained_by_one: f32,
    /// Highest cosine between the question and a table or one of its columns.
    pub similarity: f32,
    /// Probability of the likeliest table.
    pub likeliest: f32,
}

impl Fit {
    /// Whether the question is about something that the catalog has nothing of: small talk, general knowledge, another trade.
    pub fn is_elsewhere(&self) -> bool {
        self.log_odds() < ELSEWHERE
    }

    /// Logarithmic odds that the question's own database is in the catalog, and not another one.
    pub fn log_odds(&self) -> f32 {
        let likeliest = self.likeliest.clamp(LEAST_DOUBT, 1.0 - LEAST_DOUBT);
        WEIGHTS.known * self.known
            + WEIGHTS.explained * self.explained
            + WEIGHTS.explained_by_one * self.explained_by_one
            + WEIGHTS.similarity * self.similarity
            + WEIGHTS.likeliest * (likeliest / (1.0 - likeliest)).ln()
            + WEIGHTS.none
    }

    /// How well the question fits. `known` and `likeliest` are as in [`Fit`].
    pub(crate) fn new(
        measured: &QuestionScores<'_>,
        features: &[FirstStageFeatures],
        known: f32,
        likeliest: f32,
    ) -> Self {
        let weights = measured.scores.weights();
        let best =
            |word: usize| measured.scope.iter().map(|&unit| measured.scores.meant(word, unit)).fold(0.0, f32::max);
        let explained: f32 = weights.iter().enumerate().map(|(word, weight)| weight * best(word)).sum();
        let highest = |value: &dyn Fn(&FirstStageFeatures) -> f32| features.iter().map(value).fold(0.0, f32::max);
        Self {
            // A question of stop words alone may be about anything.
            known: if weights.is_empty() { 1.0 } else { known },
            explained: explained / weights.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            explained_by_one: highest(&|row| row.question_share_by_meaning),
            similarity: highest(&|row| row.table_cosine.max(row.best_column_cosine)),
            likeliest,
        }
    }
}
