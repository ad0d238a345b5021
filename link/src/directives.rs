//! Which tables needn't be looked at: everything beyond a cut that keeps nearly all needed tables.
//!
//! What decides is how far a table lies below the best one, for its rank: as a share of what sets the best one apart from
//! the mean (which holds in large scopes), or in plain score (which holds in small ones, where the mean is full of needed
//! tables). The figures below come from the same fit as the weights.

/// (share of needed tables kept, distance within which they lay), on databases held out of the fit, half of the
/// questions against their own database and half against all of them.
const DISTANCES: [(f32, f32); 7] =
    [(0.50, 0.0), (0.80, 0.220), (0.90, 0.489), (0.95, 0.745), (0.97, 0.938), (0.99, 1.326), (0.999, 1.802)];
/// A share of the way from the best score to the mean, for the last ranks and for the first.
const SHARE: (f32, f32) = (0.4, 2.0);
/// The same in plain score, and what each doubling of the rank costs.
const SCORE: f32 = 8.0;
const SCORE_PER_RANK: f32 = 2.0;
/// Tables that are kept at most.
const MOST_KEPT: usize = 30;
/// The logarithmic odds that a table is needed: at distance 0, and what they lose with each unit of distance.
const ODDS: (f32, f32) = (0.79, 6.53);

/// How far below the best table each table lies, for its rank; 1 is about where 97 of 100 needed tables end. `scores` are
/// sorted, best first.
pub fn cut_distances(scores: &[f32]) -> Vec<f32> {
    let Some(&best) = scores.first() else { return Vec::new() };
    let mean = scores.iter().sum::<f32>() / scores.len() as f32;
    let spread = (best - mean).max(f32::MIN_POSITIVE);
    scores
        .iter()
        .enumerate()
        .map(|(rank, score)| {
            let (below, rank) = (best - score, rank as f32);
            let share = below / spread / (SHARE.0 + SHARE.1 / (rank + 1.0));
            let plain = (below + SCORE_PER_RANK * rank.ln_1p()) / SCORE;
            if below <= 0.0 { 0.0 } else { share.min(plain) }
        })
        .collect()
}

/// The distance within which that share of the needed tables lies, on a straight line between measured ones.
pub(crate) fn distance_for(target: f32) -> f32 {
    let (first, last) = (DISTANCES[0], DISTANCES[DISTANCES.len() - 1]);
    let target = target.clamp(first.0, last.0);
    let upper = DISTANCES.iter().position(|(share, _)| *share >= target).unwrap_or(DISTANCES.len() - 1).max(1);
    let (low, high) = (DISTANCES[upper - 1], DISTANCES[upper]);
    low.1 + (high.1 - low.1) * (target - low.0) / (high.0 - low.0)
}

/// Whether a table of that rank (from 0) and distance is worth looking at.
pub(crate) fn is_kept(rank: usize, distance: f32, limit: f32) -> bool {
    rank == 0 || (rank < MOST_KEPT && distance <= limit)
}

/// The estimated probability that a table at that distance is needed.
pub(crate) fn probability(distance: f32) -> f32 {
    1.0 / (1.0 + (ODDS.1 * distance - ODDS.0).exp())
}

#[cfg(test)]
mod tests {
    use super::{cut_distances, distance_for, is_kept, probability};

    #[test]
    fn distances_grow_with_rank_and_gap() {
        let scores = [10.0, 9.0, 4.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0];
        let distances = cut_distances(&scores);
        assert_eq!(distances[0], 0.0);
        assert!(distances.is_sorted(), "{distances:?}");
        let limit = distance_for(0.97);
        assert!(is_kept(1, distances[1], limit));
        assert!(!is_kept(9, distances[9], limit), "{distances:?}");
        assert!(cut_distances(&[]).is_empty());
        assert_eq!(cut_distances(&[2.0, 2.0, 2.0]), [0.0; 3], "equal tables are kept or set aside together");
    }

    #[test]
    fn a_higher_target_keeps_more() {
        let targets = [0.1, 0.5, 0.9, 0.93, 0.97, 0.99, 0.9999];
        assert!(targets.map(distance_for).is_sorted());
        assert!(distance_for(0.9) < distance_for(0.93));
        assert!(probability(0.0) > probability(0.5) && probability(2.0) < 0.01);
    }
}
