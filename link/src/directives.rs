//! Which tables are irrelevant: the least likely ones, as long as no more needed tables are expected among them than the
//! user allows to be missed.
//!
//! The ranker gives each table the probability that the question needs it. The sum of the probabilities is how many tables
//! are expected to be needed, and the sum over the irrelevant ones is how many are expected to be missed. So one target
//! serves sure questions, which keep a table or two, and vague ones, which keep many. Tables that are hardly likely at all
//! don't count: hundreds of them add up to something, and yet no few of them are worth reading.

/// Relevant tables, at most.
const MOST_KEPT: usize = 40;
/// A table less likely than this is not kept, and no less than so much for every 250 tables, up to the last: the
/// least likely ones of a large scope are many, and hardly one of them is needed. Measured on Spider dev and BIRD, whose scopes
/// have 779 and 44 tables: one number for both keeps a third more tables of the one or misses one needed table of the other in a
/// hundred.
const LEAST_LIKELY: f32 = 0.01;
const FOR_TABLES: f32 = 250.0;
const MOST_LIKELY: f32 = 0.04;
/// How much more may be expected to be missed than the target says. Measured on the same: hardly half of what is expected to be
/// missed is.
const SLACK: f32 = 2.0;

/// How many of the tables are kept, the first at least. `probabilities` are sorted, highest first; `target` is the share of
/// the needed tables that is to be kept.
pub(crate) fn keep_until(probabilities: &[f32], target: f32) -> usize {
    let least = (LEAST_LIKELY * probabilities.len() as f32 / FOR_TABLES).clamp(LEAST_LIKELY, MOST_LIKELY);
    let likely = probabilities.partition_point(|&probability| probability >= least);
    let expected: f32 = probabilities[..likely].iter().sum();
    let mut missed = expected;
    for (rank, probability) in probabilities[..likely].iter().enumerate().take(MOST_KEPT) {
        missed -= probability;
        if missed <= (1.0 - target) * SLACK * expected {
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
    fn the_least_likely_of_many_tables_are_not_kept() {
        let few = [vec![0.4; 2], vec![0.03; 8]].concat();
        let many = [few.clone(), vec![0.001; 990]].concat();
        assert!(keep_until(&few, 0.97) > keep_until(&many, 0.97));
        assert_eq!(keep_until(&many, 0.97), 2);
    }

    #[test]
    fn a_higher_target_keeps_more() {
        let probabilities = [0.9, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02];
        let kept = [0.5, 0.8, 0.9, 0.95, 0.99].map(|target| keep_until(&probabilities, target));
        assert!(kept.is_sorted() && kept[0] < kept[4], "{kept:?}");
    }
}
