//! Boosted trees: small decision trees whose leaves are added up to the logarithmic odds that a table is needed.
//!
//! The trees are trained by `models/linking` and read from a file in a format of our own, little-endian: the number of trees, then
//! for each the number of its nodes and its nodes: feature (`u16`, [`LEAF`] for a leaf), left and right child (`u16`
//! each), threshold (`f32`) and value (`f32`). A value not above the threshold goes left. Inner nodes carry the mean value
//! of what lies below them, so that each step down says what the feature it tests has added (Saabas 2014).

use crate::error::RankerError;

/// Stands in a leaf where other nodes have a feature, in the file.
const LEAF: u16 = u16::MAX;
/// Bytes of a node in the file.
const NODE: usize = 14;
/// Rows that go down a tree beside each other: the processor works on one while it waits for another's node.
const ABREAST: usize = 8;

/// One node of a tree. Both children of a leaf are the leaf, so that a way down may be longer than it has to.
#[derive(Clone, Copy, Debug)]
struct Node {
    feature: u16,
    left: u16,
    right: u16,
    threshold: f32,
    value: f32,
}

/// Trees over rows of numbers.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    trees: Vec<Tree>,
}

#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    /// Steps from the root to the leaf that is farthest away.
    depth: usize,
}

impl Forest {
    /// Reads trees over rows of so many features, whose numbers in the file stand at these places of a row.
    pub(crate) fn from_bytes(bytes: &[u8], places: &[u16], features: usize) -> Result<Self, RankerError> {
        let mut rest = bytes;
        let trees = u32::from_le_bytes(take(&mut rest)?);
        let mut forest = Self::default();
        for tree in 0..trees {
            let count = u32::from_le_bytes(take(&mut rest)?) as usize;
            if count == 0 {
                return Err(RankerError::Branch { tree });
            }
            // Checked before memory is reserved for what a damaged number promises.
            if rest.len() / NODE < count {
                return Err(RankerError::CutOff);
            }
            let mut nodes = Vec::with_capacity(count);
            // How far each node is from the root: known when it is met, since parents come first.
            let mut steps = vec![0_usize; count];
            for place in 0..count {
                let steps_to_here = steps[place];
                let mut node = Node {
                    feature: u16::from_le_bytes(take(&mut rest)?),
                    left: u16::from_le_bytes(take(&mut rest)?),
                    right: u16::from_le_bytes(take(&mut rest)?),
                    threshold: f32::from_le_bytes(take(&mut rest)?),
                    value: f32::from_le_bytes(take(&mut rest)?),
                };
                // Children come after their parent, so that every path down ends.
                let goes_down = |child: u16| (place + 1..count).contains(&usize::from(child));
                if node.feature == LEAF {
                    // Any feature does: both ways lead back.
                    node = Node { feature: 0, left: place as u16, right: place as u16, ..node };
                } else {
                    let known = places.get(usize::from(node.feature)).filter(|known| usize::from(**known) < features);
                    node.feature = *known.ok_or(RankerError::Feature { number: node.feature, features })?;
                    if !(goes_down(node.left) && goes_down(node.right)) {
                        return Err(RankerError::Branch { tree });
                    }
                    for child in [node.left, node.right] {
                        let child = &mut steps[usize::from(child)];
                        *child = (steps_to_here + 1).max(*child);
                    }
                }
                nodes.push(node);
            }
            let depth = steps.into_iter().max().unwrap_or_default();
            forest.trees.push(Tree { nodes, depth });
        }
        if rest.is_empty() { Ok(forest) } else { Err(RankerError::TooLong { bytes: rest.len() }) }
    }

    /// The sum of the leaves that each row falls into. Tree after tree: one tree fits into the nearest cache, all of them don't.
    pub(crate) fn scores<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let mut scores = vec![0.0; rows.len()];
        for tree in &self.trees {
            for (scores, rows) in scores.chunks_mut(ABREAST).zip(rows.chunks(ABREAST)) {
                tree.add_to(scores, rows);
            }
        }
        scores
    }

    /// What each feature of the row has added to the score, on top of what every row gets.
    pub(crate) fn contributions(&self, row: &[f32]) -> Vec<f32> {
        let mut added = vec![0.0; row.len()];
        for tree in &self.trees {
            let mut node = &tree.nodes[0];
            for _ in 0..tree.depth {
                let next = &tree.nodes[usize::from(node.next(row))];
                added[usize::from(node.feature)] += next.value - node.value;
                node = next;
            }
        }
        added
    }
}

impl Tree {
    /// Adds to each score the leaf that its row falls into; at most [`ABREAST`] rows.
    fn add_to<R: AsRef<[f32]>>(&self, scores: &mut [f32], rows: &[R]) {
        let mut at = [0_u16; ABREAST];
        for _ in 0..self.depth {
            for (at, row) in at.iter_mut().zip(rows) {
                *at = self.nodes[usize::from(*at)].next(row.as_ref());
            }
        }
        for (score, at) in scores.iter_mut().zip(at) {
            *score += self.nodes[usize::from(at)].value;
        }
    }
}

impl Node {
    /// The child that the row goes on to.
    fn next(&self, row: &[f32]) -> u16 {
        if row[usize::from(self.feature)] <= self.threshold { self.left } else { self.right }
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], RankerError> {
    let (first, others) = rest.split_first_chunk().ok_or(RankerError::CutOff)?;
    *rest = others;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use super::{Forest, LEAF};
    use crate::error::RankerError;

    /// Feature, left, right, threshold, value.
    type Written = (u16, u16, u16, f32, f32);

    fn bytes(trees: &[&[Written]]) -> Vec<u8> {
        let mut bytes = (trees.len() as u32).to_le_bytes().to_vec();
        for tree in trees {
            bytes.extend((tree.len() as u32).to_le_bytes());
            for (feature, left, right, threshold, value) in *tree {
                [feature, left, right].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
                [threshold, value].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            }
        }
        bytes
    }

    #[test]
    fn leaves_are_added_up_and_steps_explain_them() {
        let tree: &[Written] = &[
            (1, 1, 2, 0.5, 0.25),
            (LEAF, 0, 0, 0.0, -1.0),
            (0, 3, 4, 2.0, 1.5),
            (LEAF, 0, 0, 0.0, 1.0),
            (LEAF, 0, 0, 0.0, 2.0),
        ];
        let forest = Forest::from_bytes(&bytes(&[tree, tree]), &[0, 1], 2).expect("sound trees");
        assert_eq!(forest.scores(&[[9.0, 0.5], [2.0, 0.6], [3.0, 0.6]]), [-2.0, 2.0, 4.0]);
        assert_eq!(forest.contributions(&[3.0, 0.6]), [1.0, 2.5], "1.5 to 2.0, and 0.25 to 1.5, twice each");
        // The same where a feature has come in between since.
        let forest = Forest::from_bytes(&bytes(&[tree]), &[0, 2], 3).expect("sound trees");
        assert_eq!(forest.scores(&[[9.0, 7.0, 0.5], [2.0, 7.0, 0.6]]), [-1.0, 1.0]);
    }

    #[test]
    fn damaged_trees_are_refused() {
        let good = bytes(&[&[(0, 1, 2, 0.5, 0.0), (LEAF, 0, 0, 0.0, -1.0), (LEAF, 0, 0, 0.0, 1.0)]]);
        let refused =
            |bytes: &[u8], features: usize| Forest::from_bytes(bytes, &[0], features).expect_err("it is damaged");
        assert!(Forest::from_bytes(&good, &[0], 1).is_ok());
        assert_eq!(refused(&good, 0), RankerError::Feature { number: 0, features: 0 });
        assert_eq!(Forest::from_bytes(&good, &[], 1).err(), Some(RankerError::Feature { number: 0, features: 1 }));
        assert_eq!(refused(&good[..good.len() - 1], 1), RankerError::CutOff);
        assert_eq!(refused(&[&good[..], b"?"].concat(), 1), RankerError::TooLong { bytes: 1 });
        let circle = bytes(&[&[(0, 0, 1, 0.5, 0.0), (LEAF, 0, 0, 0.0, 1.0)]]);
        assert_eq!(refused(&circle, 1), RankerError::Branch { tree: 0 }, "a way that never ends");
        assert_eq!(refused(&bytes(&[&[]]), 1), RankerError::Branch { tree: 0 }, "a tree without a root");
        let huge = [&1_u32.to_le_bytes()[..], &u32::MAX.to_le_bytes()].concat();
        assert_eq!(refused(&huge, 1), RankerError::CutOff, "more nodes than there are bytes");
    }
}
