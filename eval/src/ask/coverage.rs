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
pub(super) struct Judged {
    pub(super) confidence: f64,
    pub(super) right: bool,
}

/// The curve, and how far confidences are from what they promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RiskCoverage {
    /// Expected calibration error: the mean distance between confidence and accuracy over ten bins of confidence.
    pub calibration_error: f64,
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
    pub(super) fn of(judged: Vec<Judged>) -> Self {
        let all = judged.len().max(1) as f64;
        let mut bins = [(0.0_f64, 0_usize); BINS];
        for answer in &judged {
            let bin = &mut bins[((answer.confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += answer.confidence;
            bin.1 += usize::from(answer.right);
        }
        // |sum of confidence − number right| of a bin is its size times the distance of the two means.
        let calibration_error = bins.iter().map(|(confidence, right)| (confidence - *right as f64).abs() / all).sum();
        let point = |min_confidence: f64| {
            let answered: Vec<&Judged> = judged.iter().filter(|answer| answer.confidence >= min_confidence).collect();
            let right = answered.iter().filter(|answer| answer.right).count();
            CoveragePoint {
                min_confidence,
                answered: answered.len(),
                right,
                coverage: answered.len() as f64 / all,
                share_right: right as f64 / answered.len().max(1) as f64,
            }
        };
        Self { calibration_error, curve: CUTS.into_iter().map(point).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Judged, RiskCoverage};

    #[test]
    fn the_surer_they_have_to_be_the_fewer_and_the_better_they_are() {
        let judged = [(0.95, true), (0.92, true), (0.75, true), (0.72, false), (0.2, false)];
        let measured = RiskCoverage::of(judged.map(|(confidence, right)| Judged { confidence, right }).to_vec());
        let at =
            |cut: f64| measured.curve.iter().find(|point| point.min_confidence == cut).copied().unwrap_or_default();
        assert_eq!((at(0.0).answered, at(0.0).right), (5, 3));
        assert_eq!((at(0.7).answered, at(0.7).right), (4, 3));
        assert_eq!((at(0.9).answered, at(0.9).share_right), (2, 1.0));
        assert!((measured.calibration_error - (0.13 + 0.47 + 0.2) / 5.0).abs() < 1e-9, "{measured:?}");
        assert_eq!(RiskCoverage::of(Vec::new()).calibration_error, 0.0);
    }
}
