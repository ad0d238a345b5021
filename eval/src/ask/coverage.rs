//! How often what is called an answer is right, by how sure it has to be.
//!
//! The risk–coverage curve of selective prediction (El-Yaniv and Wiener 2010, "On the Foundations of Noise-free Selective
//! Classification"), with the share right in the place of the risk, and the expected calibration error (Naeini et al. 2015).

use serde::Serialize;

/// Bins of confidence over which calibration is measured.
const BINS: usize = 10;
/// Confidences at which the curve is told.
const CUTS: [f64; 10] = [0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9];

/// A question's answer: how sure, and whether it is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct JudgedAnswer {
    pub(super) confidence: f64,
    pub(super) right: bool,
}

/// The curve, and how far confidences are from what they promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RiskCoverage {
    /// Expected calibration error: the mean distance between confidence and accuracy over ten bins of confidence.
    pub calibration_error: f64,
    /// What a perfectly calibrated estimate would show on average over as many questions with these confidences: chance alone
    /// leaves a distance in each bin, the larger the fewer there are (Bröcker and Smith 2007, "Increasing the Reliability of
    /// Reliability Diagrams").
    pub calibration_error_by_chance: f64,
    /// A point for each confidence that could be asked for.
    pub curve: Vec<CoveragePoint>,
}

/// What comes of asking for so much confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CoveragePoint {
    /// How sure an answer has to be.
    pub min_confidence: f64,
    /// How many are.
    pub answered: usize,
    /// How many of these are right.
    pub right: usize,
    /// `answered` of all.
    pub coverage: f64,
    /// `right` of `answered`; 0 where nothing is.
    pub share_right: f64,
}

impl RiskCoverage {
    pub(super) fn of(judged: Vec<JudgedAnswer>) -> Self {
        let all = judged.len().max(1) as f64;
        let mut bins = [const { Vec::new() }; BINS];
        for answer in &judged {
            bins[((answer.confidence * BINS as f64) as usize).min(BINS - 1)].push(*answer);
        }
        let calibration_error = bins.iter().map(|bin| distance(bin) / all).sum();
        let calibration_error_by_chance = bins.iter().map(|bin| distance_by_chance(bin) / all).sum();
        let point = |min_confidence: f64| {
            let answered: Vec<&JudgedAnswer> =
                judged.iter().filter(|answer| answer.confidence >= min_confidence).collect();
            let right = answered.iter().filter(|answer| answer.right).count();
            CoveragePoint {
                min_confidence,
                answered: answered.len(),
                right,
                coverage: answered.len() as f64 / all,
                share_right: right as f64 / answered.len().max(1) as f64,
            }
        };
        Self { calibration_error, calibration_error_by_chance, curve: CUTS.into_iter().map(point).collect() }
    }
}

/// How far the number of right answers is from the sum of confidences: the bin's size times the distance of the two means.
fn distance(bin: &[JudgedAnswer]) -> f64 {
    let right = bin.iter().filter(|answer| answer.right).count();
    (confidences(bin) - right as f64).abs()
}

/// The mean of [`distance`] where each answer is right with the probability that its confidence says: the numbers of right
/// answers are distributed by the Poisson binomial, which is added up answer by answer.
fn distance_by_chance(bin: &[JudgedAnswer]) -> f64 {
    let mut probabilities = vec![1.0];
    for answer in bin {
        let before = probabilities.clone();
        probabilities.push(0.0);
        for (right, probability) in probabilities.iter_mut().enumerate() {
            let one_fewer = right.checked_sub(1).map_or(0.0, |fewer| before[fewer]);
            let as_many = before.get(right).copied().unwrap_or_default();
            *probability = one_fewer * answer.confidence + as_many * (1.0 - answer.confidence);
        }
    }
    let sum = confidences(bin);
    probabilities.iter().enumerate().map(|(right, probability)| probability * (sum - right as f64).abs()).sum()
}

fn confidences(bin: &[JudgedAnswer]) -> f64 {
    bin.iter().map(|answer| answer.confidence).sum()
}

#[cfg(test)]
mod tests {
    use super::{JudgedAnswer, RiskCoverage};

    #[test]
    fn the_surer_they_have_to_be_the_fewer_and_the_better_they_are() {
        let judged = [(0.95, true), (0.92, true), (0.75, true), (0.72, false), (0.2, false)];
        let measured = RiskCoverage::of(judged.map(|(confidence, right)| JudgedAnswer { confidence, right }).to_vec());
        let at =
            |cut: f64| measured.curve.iter().find(|point| point.min_confidence == cut).copied().unwrap_or_default();
        assert_eq!((at(0.0).answered, at(0.0).right), (5, 3));
        assert_eq!((at(0.7).answered, at(0.7).right), (4, 3));
        assert_eq!((at(0.9).answered, at(0.9).share_right), (2, 1.0));
        assert!((measured.calibration_error - (0.13 + 0.47 + 0.2) / 5.0).abs() < 1e-9, "{measured:?}");
        assert_eq!(RiskCoverage::of(Vec::new()).calibration_error, 0.0);
    }

    #[test]
    fn few_answers_leave_a_distance_by_chance_and_many_leave_less() {
        let coin = JudgedAnswer { confidence: 0.5, right: true };
        assert_eq!(RiskCoverage::of(vec![coin]).calibration_error_by_chance, 0.5);
        // Of two coins, none or both are right half of the time, which is one answer too few or too many.
        assert_eq!(RiskCoverage::of(vec![coin; 2]).calibration_error_by_chance, 0.25);
        assert!(RiskCoverage::of(vec![coin; 200]).calibration_error_by_chance < 0.03);
        let certain = JudgedAnswer { confidence: 1.0, right: false };
        let measured = RiskCoverage::of(vec![certain; 3]);
        assert_eq!((measured.calibration_error, measured.calibration_error_by_chance), (1.0, 0.0));
    }
}
