//! Fits the weights of `link` to questions whose tables are known.
//!
//! A needed table shall outrank every table that isn't needed: the loss of a question is the softmax loss of each needed
//! table against all others. Weights are pulled towards the ones in use, so that a signal that the questions never show
//! (comments, say, where a pack has none) keeps its weight. Plain stochastic gradient steps over a few passes in a fixed
//! order: the same questions always give the same weights.

use std::collections::HashSet;

use link::{FEATURES, Features, JOINED, Joined, LinkOptions, Linker};

use crate::pack::PackQuestion;

/// Tables that are not needed kept for each question, those that rank highest.
const NEGATIVES: usize = 40;
const PASSES: usize = 12;
const STEP: f32 = 0.03;
/// How strongly weights are pulled to where they started.
const PULL: f32 = 0.002;

/// A question ready for fitting: rows of needed tables first.
#[derive(Clone, Debug)]
pub struct Instance<const N: usize> {
    rows: Vec<[f32; N]>,
    needed: usize,
}

/// Measures the first pass's features of each question, against the whole catalog or against its own database.
pub fn instances(
    questions: &[PackQuestion],
    linker: &Linker<'_>,
    own: &Features,
    pooled: Pooled,
) -> Vec<Instance<FEATURES>> {
    let measured = questions.iter().map(|question| {
        let measurement = linker.measure(&question.question, &options_for(question, pooled));
        let scores = scores_of(&measurement.features, own);
        instance(question, linker, &measurement.units, &measurement.features, &scores)
    });
    measured.flatten().collect()
}

/// Measures the second pass's features, given the first pass's weights.
pub fn joined_instances(
    questions: &[PackQuestion],
    linker: &Linker<'_>,
    own: &Features,
    pooled: Pooled,
) -> Vec<Instance<JOINED>> {
    let measured = questions.iter().map(|question| {
        let options = options_for(question, pooled);
        let measurement = linker.measure(&question.question, &options);
        let scores = scores_of(&measurement.features, own);
        let joined: Vec<Joined> = linker.joined(&measurement.units, &scores, &options);
        instance(question, linker, &measurement.units, &joined, &scores)
    });
    measured.flatten().collect()
}

/// Against what a question is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooled {
    /// All sources.
    Yes,
    /// Its own source.
    No,
}

fn options_for(question: &PackQuestion, pooled: Pooled) -> LinkOptions {
    LinkOptions { source: (pooled == Pooled::No).then(|| question.db.clone()), ..LinkOptions::default() }
}

fn scores_of<const N: usize>(rows: &[[f32; N]], weights: &[f32; N]) -> Vec<f32> {
    rows.iter().map(|row| row.iter().zip(weights).map(|(value, weight)| value * weight).sum()).collect()
}

fn instance<const N: usize>(
    question: &PackQuestion,
    linker: &Linker<'_>,
    units: &[usize],
    rows: &[[f32; N]],
    scores: &[f32],
) -> Option<Instance<N>> {
    let gold = gold_units(question, linker);
    let (needed, mut others): (Vec<usize>, Vec<usize>) =
        (0..units.len()).partition(|&place| gold.contains(&units[place]));
    if needed.is_empty() || others.is_empty() {
        return None;
    }
    others.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]).then(left.cmp(right)));
    others.truncate(NEGATIVES);
    Some(Instance { rows: needed.iter().chain(&others).map(|&place| rows[place]).collect(), needed: needed.len() })
}

fn gold_units(question: &PackQuestion, linker: &Linker<'_>) -> HashSet<usize> {
    question
        .gold_tables
        .iter()
        .flat_map(|table| linker.catalog().find(table, Some(&question.db)))
        .filter_map(|entry| linker.index().unit_of(&entry.table.id))
        .collect()
}

/// Weights that rank the needed tables first, starting from `start`.
pub fn fit<const N: usize>(instances: &[Instance<N>], start: &[f32; N]) -> [f32; N] {
    let mut weights = *start;
    let mut squares = [1e-6_f32; N];
    for pass in 0..PASSES {
        for number in 0..instances.len() {
            // A fixed stride that shares no factor with the count visits all of them in a mixed order.
            let at = (number * 7_919 + pass * 31) % instances.len();
            let gradient = gradient_of(&instances[at], &weights);
            for position in 0..N {
                let slope = gradient[position] + PULL * (weights[position] - start[position]);
                squares[position] += slope * slope;
                weights[position] -= STEP * slope / squares[position].sqrt().max(1e-3);
            }
        }
    }
    weights
}

fn gradient_of<const N: usize>(instance: &Instance<N>, weights: &[f32; N]) -> [f32; N] {
    let scores = scores_of(&instance.rows, weights);
    let highest = scores.iter().copied().fold(f32::MIN, f32::max);
    let exponentials: Vec<f32> = scores.iter().map(|score| (score - highest).exp()).collect();
    let others: f32 = exponentials[instance.needed..].iter().sum();
    let mut gradient = [0.0; N];
    for needed in 0..instance.needed {
        let total = others + exponentials[needed];
        let mut add = |row: &[f32; N], share: f32| {
            gradient.iter_mut().zip(row).for_each(|(slope, value)| *slope += share * value / instance.needed as f32);
        };
        add(&instance.rows[needed], exponentials[needed] / total - 1.0);
        let rest = instance.rows.iter().zip(&exponentials).skip(instance.needed);
        rest.for_each(|(row, exponential)| add(row, exponential / total));
    }
    gradient
}

/// How far below the best table the tables of these questions lie, as the directives' cut counts it, and which of them are
/// needed. Only the `depth` first of each question.
pub fn distances(
    questions: &[PackQuestion],
    linker: &Linker<'_>,
    weights: (&Features, &Joined),
    pooled: Pooled,
    depth: usize,
) -> Vec<(f32, bool)> {
    let mut distances = Vec::new();
    for question in questions {
        let options = options_for(question, pooled);
        let measurement = linker.measure(&question.question, &options);
        let first = scores_of(&measurement.features, weights.0);
        let scores = scores_of(&linker.joined(&measurement.units, &first, &options), weights.1);
        let gold = gold_units(question, linker);
        let mut ranked: Vec<(f32, bool)> =
            scores.iter().zip(&measurement.units).map(|(&score, unit)| (score, gold.contains(unit))).collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0));
        let sorted: Vec<f32> = ranked.iter().map(|(score, _)| *score).collect();
        let flags = ranked.iter().map(|(_, is_needed)| *is_needed);
        distances.extend(link::cut_distances(&sorted).into_iter().zip(flags).take(depth));
    }
    distances
}

/// The distance within which each of these shares of the needed tables lies.
pub fn quantiles(distances: &[(f32, bool)], shares: &[f32]) -> Vec<(f32, f32)> {
    let mut needed: Vec<f32> =
        distances.iter().filter(|(_, is_needed)| *is_needed).map(|(distance, _)| *distance).collect();
    needed.sort_by(f32::total_cmp);
    let at =
        |share: f32| needed.get(((needed.len() as f32 * share) as usize).min(needed.len().saturating_sub(1))).copied();
    shares.iter().filter_map(|&share| Some((share, at(share)?))).collect()
}

/// The logarithmic odds that a table is needed, at distance 0 and for each unit of distance: logistic regression.
pub fn odds(distances: &[(f32, bool)]) -> (f32, f32) {
    let (mut offset, mut slope) = (0.0_f64, 0.0_f64);
    // Newton's method on the logarithmic loss; a dozen steps are more than it needs.
    for _ in 0..12 {
        let (mut by_offset, mut by_slope) = (0.0, 0.0);
        let (mut offset_twice, mut slope_twice, mut mixed) = (1e-9, 1e-9, 0.0);
        for &(distance, is_needed) in distances {
            let distance = f64::from(distance);
            let estimate = 1.0 / (1.0 + (slope * distance - offset).exp());
            let (error, spread) = (estimate - f64::from(u8::from(is_needed)), estimate * (1.0 - estimate));
            by_offset += error;
            by_slope -= error * distance;
            offset_twice += spread;
            slope_twice += spread * distance * distance;
            mixed -= spread * distance;
        }
        let determinant = (offset_twice * slope_twice - mixed * mixed).max(1e-12);
        offset -= (slope_twice * by_offset - mixed * by_slope) / determinant;
        slope -= (offset_twice * by_slope - mixed * by_offset) / determinant;
    }
    (offset as f32, slope as f32)
}

/// The share of questions all of whose needed tables are among the first `depth`.
pub fn full_at<const N: usize>(instances: &[Instance<N>], weights: &[f32; N], depth: usize) -> f64 {
    let is_full = |instance: &&Instance<N>| {
        let scores = scores_of(&instance.rows, weights);
        let last = scores[..instance.needed].iter().copied().fold(f32::MAX, f32::min);
        scores.iter().filter(|&&score| score >= last).count() <= depth.max(instance.needed)
    };
    instances.iter().filter(is_full).count() as f64 / instances.len().max(1) as f64
}

/// The questions of every other database, and those of the rest.
pub fn split(questions: &[PackQuestion]) -> (Vec<PackQuestion>, Vec<PackQuestion>) {
    let mut names: Vec<&str> = questions.iter().map(|question| question.db.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let even: HashSet<&str> = names.iter().step_by(2).copied().collect();
    questions.iter().cloned().partition(|question| even.contains(question.db.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{Instance, fit, full_at, odds, quantiles};

    #[test]
    fn fitting_finds_the_number_that_tells_needed_tables_apart() {
        let instances: Vec<Instance<2>> = (0..40)
            .map(|step| {
                let noise = (step % 7) as f32 / 7.0;
                Instance { rows: vec![[1.0, noise], [0.0, 1.0 - noise], [0.2, 0.9]], needed: 1 }
            })
            .collect();
        let weights = fit(&instances, &[0.0, 1.0]);
        assert!(weights[0] > 1.0, "{weights:?}");
        assert_eq!(full_at(&instances, &weights, 1), 1.0);
        assert!(full_at(&instances, &[0.0, 1.0], 1) < 0.5);
    }

    #[test]
    fn odds_and_quantiles_follow_the_distances() {
        let distances: Vec<(f32, bool)> =
            (0..200).map(|step| (step as f32 / 100.0, step % 10 < 10 - step / 20)).collect();
        let (offset, slope) = odds(&distances);
        assert!(offset > 0.5 && slope > 0.5, "{offset} {slope}");
        let quantiles = quantiles(&distances, &[0.5, 0.99]);
        assert!(quantiles[0].1 < quantiles[1].1 && quantiles[1].1 < 2.0, "{quantiles:?}");
    }
}
