//! Which tables needn't be looked at: the least likely ones, as long as what they are expected to hold of the needed tables
//! stays within what the user allows to be missed.
//!
//! The ranker gives each table the probability that the question needs it. The sum of the probabilities is how many tables
//! are expected to be needed, and the sum over those that are put aside how many are expected to be missed. So one target
//! serves sure questions, which keep a table or two, and vague ones, which keep many. Tables that are hardly likely at all
//! don't count: hundreds of them add up to something, and no few of them would be worth looking at.

/// Tables that are kept at most.
const MOST_KEPT: usize = 40;
/// A table less likely than this is not kept. Measured: with .01 a third more tables are kept on BIRD for half a point of
/// recall.
const LEAST_LIKELY: f32 = 0.02;

/// How many of the tables are kept, the first at least. `probabilities` are sorted, highest first; `target` is the share of
/// the needed tables that is to be kept.
pub(crate) fn keep_until(probabilities: &[f32], target: f32) -> usize {
    let likely = probabilities.partition_point(|&probability| probability >= LEAST_LIKELY);
    let expected: f32 = probabilities[..likely].iter().sum();
    let mut missed = expected;
    for (rank, probability) in probabilities[..likely].iter().enumerate().take(MOST_KEPT) {
        missed -= probability;
        if missed <= (1.0 - target) * expected {
            return rank + 1;
        }
    }
    likely.clamp(1, MOST_KEPT).min(probabilities.len())
}

#[cfg(test)]
mod tests {
    use super::keep_until;

    #[test]
    fn sure_questions_keep_few_tables_and_vague_ones_many() {
        assert_eq!(keep_until(&[0.99, 0.01, 0.01, 0.0], 0.97), 1);
        assert_eq!(keep_until(&[0.99, 0.9, 0.3, 0.2, 0.01], 0.97), 4);
        assert_eq!(keep_until(&[0.2; 10], 0.97), 10);
        assert_eq!(keep_until(&[0.0; 10], 0.97), 1, "nothing is known, and nothing is expected");
        assert_eq!(keep_until(&[], 0.97), 0);
    }

    #[test]
    fn a_higher_target_keeps_more() {
        let probabilities = [0.9, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02];
        let kept = [0.5, 0.8, 0.9, 0.95, 0.99].map(|target| keep_until(&probabilities, target));
        assert!(kept.is_sorted() && kept[0] < kept[4], "{kept:?}");
    }
}
