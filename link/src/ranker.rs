//! The ranker: two sets of boosted trees, learnt from questions whose tables are known.
//!
//! The first looks at each table by itself and with its surroundings; the second also at how it stands to the tables that the
//! first puts in front. `models/linking` holds the recipe and the result, which is in the binary. The file is the length
//! of the first set in bytes (`u32`, little-endian) and the two sets as [`Forest::from_bytes`] reads them.

use std::sync::LazyLock;

use crate::features::{FEATURES, FeatureGroup, FirstStageFeatures, RerankingFeatures};
use crate::forest::Forest;

/// What a unit gets that was looked at once: less than any that was looked at twice.
const LOOKED_AT_ONCE: f32 = -12.0;
/// What one gets that wasn't looked at.
const PASSED_OVER: f32 = -16.0;

/// Trees for both looks.
#[derive(Debug, Default)]
pub struct Ranker {
    first: Forest,
    second: Forest,
}

/// The ranker in the binary.
pub(crate) fn built_in() -> &'static Ranker {
    static BUILT_IN: LazyLock<Ranker> = LazyLock::new(|| {
        let bytes = include_bytes!("../../models/linking/periplus-rank.bin");
        Ranker::from_bytes(bytes).unwrap_or_default()
    });
    &BUILT_IN
}

impl Ranker {
    /// Reads the two sets of trees; `None` where the bytes are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (first, second) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(Self {
            first: Forest::from_bytes(first, FirstStageFeatures::COUNT)?,
            second: Forest::from_bytes(second, FEATURES.len())?,
        })
    }

    /// The logarithmic odds of the first look, row by row.
    pub fn first(&self, rows: &[FirstStageFeatures]) -> Vec<f32> {
        let rows: Vec<_> = rows.iter().map(FirstStageFeatures::values).collect();
        self.first.scores(&rows)
    }

    /// The logarithmic odds of the second look.
    pub fn second<'r>(&self, rows: impl Iterator<Item = (&'r FirstStageFeatures, &'r RerankingFeatures)>) -> Vec<f32> {
        let rows: Vec<_> = rows.map(|(features, joined)| whole(features, joined)).collect();
        self.second.scores(&rows)
    }

    /// What each of [`FEATURES`] has added to the reranking odds. What the first-stage odds have added is shared out among
    /// the features that they were made of.
    pub(crate) fn contributions(&self, features: &FirstStageFeatures, joined: &RerankingFeatures) -> Vec<f32> {
        let mut added = self.second.contributions(&whole(features, joined));
        let of_first = FEATURES.iter().zip(&mut added).filter(|(feature, _)| feature.group == FeatureGroup::FirstStage);
        let passed_on: f32 = of_first.map(|(_, added)| std::mem::take(added)).sum();
        let first = self.first.contributions(&features.values());
        let size: f32 = first.iter().map(|part| part.abs()).sum();
        if size > 0.0 {
            // In the direction of each part, so that what spoke for the table still does.
            let sum: f32 = first.iter().sum();
            let share = passed_on / if sum.abs() > 0.1 * size { sum } else { size };
            added.iter_mut().zip(first).for_each(|(added, part)| *added += part * share.abs());
        }
        added
    }
}

fn whole(features: &FirstStageFeatures, joined: &RerankingFeatures) -> [f32; FEATURES.len()] {
    let mut row = [0.0; FEATURES.len()];
    let (first, added) = row.split_at_mut(FirstStageFeatures::COUNT);
    first.copy_from_slice(&features.values());
    added.copy_from_slice(&joined.values());
    row
}

/// The score of a unit that only the first trees judged: below those that the second ones did, in the order of the odds.
pub(crate) fn looked_at_once(odds: f32) -> f32 {
    LOOKED_AT_ONCE + (odds / 8.0).tanh()
}

/// The score of a unit that no tree judged: below all others, in the order of its look.
pub(crate) fn passed_over(look: f32) -> f32 {
    PASSED_OVER + look.tanh()
}
