//! Two indexes become one: what is numbered in each gets a number in the new one.
//!
//! Everything here is linear in what there is and keeps sorted things sorted, so that joining a small index to a large one costs
//! about what copying the large one costs.

use std::cmp::Ordering;

use crate::arrays::{Array, Lists, Texts};
use crate::pieces::{Pair, Piece};

/// Stands for what the new index doesn't have.
pub(crate) const GONE: u32 = u32::MAX;

/// New numbers by old ones, [`GONE`] for what isn't there any more.
pub(crate) type Renumbering = Pair<Vec<u32>>;

/// The new number of each piece, where `counts` says how many there were.
pub(crate) fn renumbering(pieces: &[Piece], counts: Pair<usize>) -> Renumbering {
    let mut numbers = counts.map(|count| vec![GONE; count]);
    for (piece, number) in pieces.iter().zip(0..) {
        numbers[piece.side][piece.number] = number;
    }
    numbers
}

/// The texts of both, sorted, each once.
pub(crate) struct MergedTexts {
    pub(crate) texts: Texts,
    pub(crate) numbers: Renumbering,
    /// The numbers that each had before, [`GONE`] in a side that lacks it.
    pub(crate) before: Vec<Pair<u32>>,
}

/// Merges sorted and different texts, without those that aren't kept.
pub(crate) fn merge(sides: Pair<&Texts>, is_kept: impl Fn(Piece) -> bool) -> MergedTexts {
    let next = |side: usize, from: usize| {
        (from..sides[side].len()).find(|&number| is_kept(Piece { side, number })).unwrap_or(sides[side].len())
    };
    let mut at = [next(0, 0), next(1, 0)];
    let mut before = Vec::new();
    while at[0] < sides[0].len() || at[1] < sides[1].len() {
        let order = match (at[0] < sides[0].len(), at[1] < sides[1].len()) {
            (true, true) => sides[0].get(at[0]).cmp(sides[1].get(at[1])),
            (true, false) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let taken = [order != Ordering::Greater, order != Ordering::Less];
        before.push([0, 1].map(|side| if taken[side] { at[side] as u32 } else { GONE }));
        for side in 0..2 {
            if taken[side] {
                at[side] = next(side, at[side] + 1);
            }
        }
    }
    let mut numbers = sides.map(|texts| vec![GONE; texts.len()]);
    for (pair, new) in before.iter().zip(0..) {
        for (numbers, &old) in numbers.iter_mut().zip(pair) {
            if old != GONE {
                numbers[old as usize] = new;
            }
        }
    }
    let text = |&[one, other]: &Pair<u32>| match one {
        GONE => sides[1].get(other as usize),
        one => sides[0].get(one as usize),
    };
    MergedTexts { texts: before.iter().map(text).collect(), numbers, before }
}

/// Merges texts that stand for numbers, sorted by both: those whose number is gone are left out, and what both have is there
/// once.
pub(crate) fn merge_keyed(texts: Pair<&Texts>, of: Pair<&[u32]>, numbers: &Renumbering) -> (Texts, Array<u32>) {
    let entries = |side: usize| {
        let numbers = &numbers[side];
        let new = of[side].iter().map(|&number| numbers[number as usize]).enumerate();
        new.filter(|(_, number)| *number != GONE)
            .map(move |(place, number)| (texts[side].get(place), number))
            .peekable()
    };
    let (mut one, mut other) = (entries(0), entries(1));
    let merged = std::iter::from_fn(|| match (one.peek(), other.peek()) {
        (Some(left), Some(right)) if left == right => {
            other.next();
            one.next()
        }
        (Some(left), Some(right)) if left > right => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    });
    let merged: Vec<(&str, u32)> = merged.collect();
    let of: Vec<u32> = merged.iter().map(|(_, number)| *number).collect();
    (merged.into_iter().map(|(text, _)| text).collect(), of.into())
}

/// The lists of those pieces with their values under new numbers.
pub(crate) fn renumbered(
    lists: Pair<&Lists<u32>>,
    pieces: impl Iterator<Item = Piece>,
    numbers: &Renumbering,
) -> Lists<u32> {
    let mut starts = vec![0];
    let mut values = Vec::with_capacity(lists[0].values().len());
    for Piece { side, number } in pieces {
        values.extend(lists[side].get(number).iter().map(|&value| numbers[side][value as usize]));
        starts.push(values.len() as u32);
    }
    Lists::from_parts(starts.into(), values.into()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{GONE, Piece, merge, merge_keyed, renumbering};
    use crate::arrays::Texts;

    fn texts(texts: &[&str]) -> Texts {
        texts.iter().collect()
    }

    fn all(texts: &Texts) -> Vec<&str> {
        (0..texts.len()).map(|number| texts.get(number)).collect()
    }

    #[test]
    fn sorted_texts_of_both_are_there_once() {
        let (one, other) = (texts(&["a", "c", "d"]), texts(&["b", "c", "e"]));
        let merged = merge([&one, &other], |piece| piece.side == 1 || piece.number != 2);
        assert_eq!(all(&merged.texts), ["a", "b", "c", "e"]);
        assert_eq!(merged.numbers, [vec![0, 2, GONE], vec![1, 2, 3]]);
        assert_eq!(merged.before, [[0, GONE], [GONE, 0], [1, 1], [GONE, 2]]);
        let nothing = merge([&texts(&[]), &texts(&[])], |_| true);
        assert!(nothing.before.is_empty());
    }

    #[test]
    fn keyed_texts_follow_their_numbers() {
        let (one, other) = (texts(&["x", "x", "y"]), texts(&["x", "z"]));
        let numbers = [vec![0, 1, GONE], vec![1, 2]];
        let (merged, of) = merge_keyed([&one, &other], [&[0, 1, 2], &[0, 1]], &numbers);
        assert_eq!((all(&merged), &of[..]), (vec!["x", "x", "z"], &[0, 1, 2][..]));
    }

    #[test]
    fn pieces_are_numbered_as_they_come() {
        let pieces = [(1, 0), (0, 2), (0, 0)].map(|(side, number)| Piece { side, number });
        assert_eq!(renumbering(&pieces, [3, 1]), [vec![2, GONE, 1], vec![0]]);
    }
}
