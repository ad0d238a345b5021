//! The ranker: two sets of boosted trees, trained on questions whose tables are known.
//!
//! The first stage judges each table by itself and by its surroundings; reranking also by how it stands to the tables that
//! the first stage ranks highest. `models/linking` holds the recipe and the result, which is in the binary. The file, all
//! numbers little-endian, is the names of the features that the trees were trained for (how many as `u16`, each with its
//! length as `u8`), the length of the first set in bytes (`u32`), and the two sets as [`Forest::from_bytes`] reads them.
//!
//! Invariant: trees ask for features by name. One that was added since is not asked for; one that is gone is an error.

use std::sync::LazyLock;

use crate::error::RankerError;
use crate::features::{FEATURES, FeatureGroup, FirstStageFeatures, RerankingFeatures};
use crate::forest::Forest;

/// The score of units that the first stage has ranked and that weren't reranked is about this: less than any reranked one's.
const FIRST_STAGE_ONLY: f32 = -12.0;
/// The score of units that no tree has scored is about this.
const UNSCORED: f32 = -16.0;

const FILE: &[u8] = include_bytes!("../../models/linking/periplus-rank.bin");

/// The trees of both stages.
#[derive(Debug)]
pub struct Ranker {
    first_stage: Forest,
    reranking: Forest,
}

/// The ranker in the binary.
pub(crate) fn built_in() -> &'static Ranker {
    static BUILT_IN: LazyLock<Ranker> = LazyLock::new(|| {
        Ranker::from_bytes(FILE).expect("the ranker in the binary is read by a test, so it is well-formed")
    });
    &BUILT_IN
}

impl Ranker {
    /// Reads the two sets of trees.
    ///
    /// # Errors
    /// Where the bytes are no such trees, not all of them, or were trained for other features.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RankerError> {
        let (places, rest) = places_of_features(bytes)?;
        let (length, rest) = rest.split_first_chunk().ok_or(RankerError::CutOff)?;
        let first = rest.split_at_checked(u32::from_le_bytes(*length) as usize);
        let (first, second) = first.ok_or(RankerError::CutOff)?;
        Ok(Self {
            first_stage: Forest::from_bytes(first, &places, FirstStageFeatures::COUNT)?,
            reranking: Forest::from_bytes(second, &places, FEATURES.len())?,
        })
    }

    /// The first stage's logarithmic odds of each row.
    pub fn first_stage_odds(&self, rows: &[FirstStageFeatures]) -> Vec<f32> {
        let rows: Vec<_> = rows.iter().map(FirstStageFeatures::values).collect();
        self.first_stage.scores(&rows)
    }

    /// The logarithmic odds of each row after reranking.
    pub fn reranking_odds<'r>(
        &self,
        rows: impl Iterator<Item = (&'r FirstStageFeatures, &'r RerankingFeatures)>,
    ) -> Vec<f32> {
        let rows: Vec<_> = rows.map(|(features, joined)| whole(features, joined)).collect();
        self.reranking.scores(&rows)
    }

    /// What each of [`FEATURES`] has added to the reranking odds. What the first-stage odds have added is shared out among
    /// the features that they were made of.
    pub(crate) fn contributions(&self, features: &FirstStageFeatures, joined: &RerankingFeatures) -> Vec<f32> {
        let mut added = self.reranking.contributions(&whole(features, joined));
        let of_first = FEATURES.iter().zip(&mut added).filter(|(feature, _)| feature.group == FeatureGroup::FirstStage);
        let passed_on: f32 = of_first.map(|(_, added)| std::mem::take(added)).sum();
        let first = self.first_stage.contributions(&features.values());
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

/// Where today's rows hold each of the features that a file names, and what follows the names.
fn places_of_features(bytes: &[u8]) -> Result<(Vec<u16>, &[u8]), RankerError> {
    let (count, mut rest) = bytes.split_first_chunk().ok_or(RankerError::CutOff)?;
    let mut places = Vec::new();
    for _ in 0..u16::from_le_bytes(*count) {
        let (&[length], after) = rest.split_first_chunk().ok_or(RankerError::CutOff)?;
        let (name, after) = after.split_at_checked(usize::from(length)).ok_or(RankerError::CutOff)?;
        let place = FEATURES.iter().position(|feature| feature.name.as_bytes() == name);
        let unknown = || RankerError::UnknownFeature { name: String::from_utf8_lossy(name).into_owned() };
        places.push(place.and_then(|place| u16::try_from(place).ok()).ok_or_else(unknown)?);
        rest = after;
    }
    Ok((places, rest))
}

fn whole(features: &FirstStageFeatures, joined: &RerankingFeatures) -> [f32; FEATURES.len()] {
    let mut row = [0.0; FEATURES.len()];
    let (first, added) = row.split_at_mut(FirstStageFeatures::COUNT);
    first.copy_from_slice(&features.values());
    added.copy_from_slice(&joined.values());
    row
}

/// The score of a unit that wasn't reranked: below those that were, in the order of its first-stage odds.
pub(crate) fn first_stage_only(odds: f32) -> f32 {
    FIRST_STAGE_ONLY + (odds / 8.0).tanh()
}

/// The score of a unit that isn't a candidate: below all others, in the order of its candidate score.
pub(crate) fn unscored(candidate_score: f32) -> f32 {
    UNSCORED + candidate_score.tanh()
}

#[cfg(test)]
mod tests {
    use super::{FILE, Ranker, RankerError, places_of_features};

    #[test]
    fn the_ranker_in_the_binary_can_be_read_and_has_trees() {
        let ranker = Ranker::from_bytes(FILE).expect("the file in the repository is sound");
        let row = super::FirstStageFeatures::default();
        assert_ne!(ranker.first_stage_odds(&[row]), [0.0]);
        assert_ne!(ranker.reranking_odds(std::iter::once((&row, &super::RerankingFeatures::default()))), [0.0]);
    }

    #[test]
    fn a_damaged_file_is_an_error_that_says_what_to_do() {
        let refused = |bytes: &[u8]| Ranker::from_bytes(bytes).map(|_| ()).expect_err("it is damaged");
        for length in [0, 3, 4, 7, FILE.len() / 3, FILE.len() / 2, FILE.len() - 1] {
            let found = refused(&FILE[..length]);
            assert_eq!(found, RankerError::CutOff, "{length} bytes");
        }
        assert_eq!(refused(&[FILE, b"!"].concat()), RankerError::TooLong { bytes: 1 });
        let trees = FILE.len() - places_of_features(FILE).expect("sound names").1.len();
        // Behind the length and the number of trees stand the first tree's number of nodes and its root's feature.
        let root = trees + 12;
        let mut other = FILE.to_vec();
        other[root..root + 2].copy_from_slice(&108_u16.to_le_bytes());
        let found = refused(&other);
        assert_eq!(found, RankerError::Feature { number: 108, features: super::FirstStageFeatures::COUNT });
        let mut circle = FILE.to_vec();
        circle[root + 2..root + 4].copy_from_slice(&0_u16.to_le_bytes());
        assert_eq!(refused(&circle), RankerError::Branch { tree: 0 });
        let mut renamed = FILE.to_vec();
        renamed[3] = b'N';
        let gone = refused(&renamed);
        assert_eq!(gone, RankerError::UnknownFeature { name: "Name_words".into() });
        for error in [RankerError::CutOff, found, gone] {
            assert_eq!(error.code(), "ranker_unusable");
            assert!(error.hints()[0].contains("models/linking"), "{error}");
        }
    }
}
