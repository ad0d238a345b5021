//! Which tables are relevant, which are unlikely, and which are irrelevant: the least likely ones, as long as no more needed
//! tables are expected among them than the user allows to be missed.
//!
//! The ranker gives each table the probability that the question needs it. The sum of the probabilities is how many tables
//! are expected to be needed, and the sum over the irrelevant ones is how many are expected to be missed. So one target
//! serves sure questions, which keep a table or two, and vague ones, which keep many. Tables that are hardly likely at all
//! don't count: hundreds of them add up to something, and yet no few of them are worth reading.

use crate::linked::Standing;

/// By what one list of tables is parted from the rest.
struct Cut {
    /// Tables in the list, at most.
    most: usize,
    /// A table less likely than this isn't in it, and no less than so much for every [`FOR_TABLES`] tables, up to the last: the
    /// least likely ones of a large scope are many, and hardly one of them is needed.
    least: f32,
    least_of_many: f32,
    /// How many needed tables may be expected to be left out, as a share of those that the target lets miss.
    slack: f32,
}

const FOR_TABLES: f32 = 250.0;

/// What is shown. Measured on Spider dev and BIRD, whose scopes have 779 and 44 tables: one number for both keeps a third more
/// tables of the one or misses one needed table of the other in a hundred; and of what is expected to be missed hardly half is.
const SHOWN: Cut = Cut { most: 40, least: 0.01, least_of_many: 0.04, slack: 2.0 };

/// What isn't irrelevant. Measured on the applications of `models/linking/applications`, each ranked by trees that it was left out
/// of: see `eval-runs/2026-11-27`.
const LISTED: Cut = Cut { most: 120, least: 0.001, least_of_many: 0.004, slack: 0.5 };
/// The same where the schema declares no key: probabilities are surer than they should be, since the trees know little of what
/// belongs together.
const LISTED_WITHOUT_KEYS: Cut = Cut { most: 120, least: 0.0002, least_of_many: 0.0004, slack: 0.05 };

/// Where the relevant tables end and the irrelevant ones begin, as ranks from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cuts {
    relevant: usize,
    listed: usize,
}

impl Cuts {
    /// What the table at that rank is to the question.
    pub(crate) fn standing(self, rank: usize) -> Standing {
        match rank {
            rank if rank < self.relevant => Standing::Relevant,
            rank if rank < self.listed => Standing::Unlikely,
            _ => Standing::Irrelevant,
        }
    }
}

/// The cuts for tables with these `probabilities`, which are sorted, highest first; `target` is the share of the needed tables
/// that isn't to be called irrelevant, and `has_keys` says whether the schema declares any key.
pub(crate) fn cuts(probabilities: &[f32], target: f32, has_keys: bool) -> Cuts {
    let relevant = SHOWN.of(probabilities, target);
    let listed = if has_keys { LISTED } else { LISTED_WITHOUT_KEYS }.of(probabilities, target);
    Cuts { relevant, listed: listed.max(relevant) }
}

impl Cut {
    /// How many tables are in the list, the first at least.
    fn of(&self, probabilities: &[f32], target: f32) -> usize {
        let least = (self.least * probabilities.len() as f32 / FOR_TABLES).clamp(self.least, self.least_of_many);
        let likely = probabilities.partition_point(|&probability| probability >= least);
        let expected: f32 = probabilities[..likely].iter().sum();
        let mut missed = expected;
        for (rank, probability) in probabilities[..likely].iter().enumerate().take(self.most) {
            missed -= probability;
            if missed <= (1.0 - target) * self.slack * expected {
                return rank + 1;
            }
        }
        likely.clamp(1, self.most).min(probabilities.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, Standing, cuts};

    fn shown(probabilities: &[f32], target: f32) -> usize {
        SHOWN.of(probabilities, target)
    }

    #[test]
    fn between_relevant_and_irrelevant_are_unlikely_ones() {
        let probabilities = [vec![0.9, 0.5, 0.05, 0.01, 0.004], vec![0.0; 400]].concat();
        let cuts = cuts(&probabilities, 0.97, true);
        let standings: Vec<Standing> = (0..probabilities.len()).map(|rank| cuts.standing(rank)).collect();
        assert!(standings.is_sorted());
        assert!(super::cuts(&probabilities, 0.97, false).listed >= cuts.listed, "less is known without keys");
        assert_eq!(
            (standings[0], standings[2], standings[404]),
            (Standing::Relevant, Standing::Unlikely, Standing::Irrelevant)
        );
    }

    #[test]
    fn sure_questions_keep_few_tables_and_vague_ones_many() {
        assert_eq!(shown(&[0.99, 0.01, 0.01, 0.0], 0.97), 1);
        assert_eq!(shown(&[0.99, 0.9, 0.3, 0.2, 0.01], 0.97), 4);
        assert_eq!(shown(&[0.2; 10], 0.97), 10);
        assert_eq!(shown(&[0.0; 10], 0.97), 1, "nothing is known, and nothing is expected");
        assert_eq!(shown(&[], 0.97), 0);
    }

    #[test]
    fn the_least_likely_of_many_tables_are_not_kept() {
        let few = [vec![0.4; 2], vec![0.03; 8]].concat();
        let many = [few.clone(), vec![0.001; 990]].concat();
        assert!(shown(&few, 0.97) > shown(&many, 0.97));
        assert_eq!(shown(&many, 0.97), 2);
    }

    #[test]
    fn a_higher_target_keeps_more() {
        let probabilities = [0.9, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02];
        let kept = [0.5, 0.8, 0.9, 0.95, 0.99].map(|target| shown(&probabilities, target));
        assert!(kept.is_sorted() && kept[0] < kept[4], "{kept:?}");
    }
}
