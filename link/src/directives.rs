//! Which tables needn't be looked at: everything beyond a cut that keeps nearly all needed tables.
//!
//! What decides is how far a table's score lies below the best one. The figures come from the same fit as the weights:
//! for each share of needed tables that is to be kept, the distance within which it lay on held-out databases.

/// (share of needed tables kept, distance below the best score), on held-out databases.
const DISTANCES: [(f32, f32); 7] =
    [(0.50, 0.0), (0.80, 2.6), (0.90, 4.3), (0.95, 6.2), (0.97, 7.3), (0.99, 9.2), (0.999, 13.9)];
/// Tables that are kept at most.
const MOST_KEPT: usize = 30;
/// Steepness and offset of the probability that a table at that distance is needed.
const SLOPE: f32 = 1.0;
const OFFSET: f32 = -0.5;

/// Where relevant tables end.
#[derive(Debug)]
pub(crate) struct Cut {
    best: f32,
    distance: f32,
}

impl Cut {
    /// `scores` are sorted, best first.
    pub(crate) fn new(scores: &[f32], recall_target: f32) -> Self {
        Self { best: scores.first().copied().unwrap_or_default(), distance: distance_for(recall_target) }
    }

    pub(crate) fn keeps(&self, rank: usize, score: f32) -> bool {
        rank == 0 || (rank < MOST_KEPT && self.best - score <= self.distance)
    }

    /// The estimated probability that the table is needed.
    pub(crate) fn probability(&self, _rank: usize, score: f32) -> f32 {
        1.0 / (1.0 + (SLOPE * (self.best - score) + OFFSET).exp())
    }
}

/// The distance for a share between the figures of the table, on a straight line between the two next ones.
fn distance_for(target: f32) -> f32 {
    let (first, last) = (DISTANCES[0], DISTANCES[DISTANCES.len() - 1]);
    let target = target.clamp(first.0, last.0);
    let upper = DISTANCES.iter().position(|(share, _)| *share >= target).unwrap_or(DISTANCES.len() - 1).max(1);
    let (low, high) = (DISTANCES[upper - 1], DISTANCES[upper]);
    low.1 + (high.1 - low.1) * (target - low.0) / (high.0 - low.0)
}
