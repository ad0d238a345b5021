//! What the signals of an answer say about its being right, fitted on questions whose answers are known.
//!
//! Logistic regression with a ridge, by gradient descent over standardized signals. Signals are measured so that more of one
//! speaks against an answer, and none may speak for it: what would be chance in a few hundred questions is left out. How good it is, is measured on databases that
//! it was not fitted on: the questions are dealt out by database, and each part is judged by a fit on the others.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use agent::{Calibration, Signals};
use serde::Serialize;

use super::accuracy::accuracy;
use super::coverage::{JudgedAnswer, RiskCoverage};
use super::{AskQuestion, Prediction, read_lines};

/// Parts that the databases are dealt out into.
const FOLDS: usize = 10;
/// What a standardized weight of 1 costs, for each question.
const RIDGE: f64 = 0.02;
/// Steps of gradient descent; far more than it takes to stand still.
const STEPS: usize = 4_000;
const STEP: f64 = 0.5;
/// A signal that fewer questions than this have is left out.
const RARE: usize = 5;

/// A file of predictions with the pack that its questions are from.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The pack.
    pub pack: PathBuf,
    /// What `eval ask` wrote.
    pub predictions: PathBuf,
}

/// A calibration, and how far it can be relied on.
#[derive(Clone, Debug, Serialize)]
pub struct CalibrationReport {
    /// Fitted on all questions.
    pub calibration: Calibration,
    /// Judged on databases that were left out.
    pub left_out: RiskCoverage,
}

/// A question that was answered: what was measured, whether it was right, and of which database it asked.
#[derive(Clone, Debug)]
struct Known {
    signals: Signals,
    right: bool,
    database: String,
}

/// Fits a calibration for `model`.
///
/// # Errors
/// Where a file can't be read, or there are too few answers of either kind to learn from.
pub fn calibrate(model: &str, answered: &[Answered]) -> anyhow::Result<CalibrationReport> {
    let mut known = Vec::new();
    for Answered { pack, predictions } in answered {
        known.extend(read(pack, predictions)?);
    }
    let right = known.iter().filter(|known| known.right).count();
    anyhow::ensure!(
        right >= RARE && known.len() - right >= RARE,
        "{} answers, {right} of them right: a calibration needs at least {RARE} right and {RARE} wrong ones",
        known.len()
    );
    let mut databases: Vec<&str> = known.iter().map(|known| known.database.as_str()).collect();
    databases.sort_unstable();
    databases.dedup();
    let fold = |known: &Known| databases.binary_search(&known.database.as_str()).unwrap_or_default() % FOLDS;
    let mut judged = Vec::new();
    for part in 0..FOLDS {
        let (left_out, others): (Vec<&Known>, Vec<&Known>) = known.iter().partition(|known| fold(known) == part);
        let fitted = fit(model, &others);
        judged.extend(left_out.iter().map(|known| JudgedAnswer {
            confidence: f64::from(fitted.confidence(&known.signals)),
            right: known.right,
        }));
    }
    let calibration = fit(model, &known.iter().collect::<Vec<_>>());
    Ok(CalibrationReport { calibration, left_out: RiskCoverage::of(judged) })
}

/// The drafts of a file that stood, with whether they are right.
fn read(pack: &Path, predictions: &Path) -> anyhow::Result<Vec<Known>> {
    let questions: Vec<AskQuestion> = read_lines(&pack.join("questions.jsonl"))?;
    let databases: HashMap<String, String> = questions.into_iter().map(|question| (question.id, question.db)).collect();
    let score = accuracy(pack, predictions)?;
    let right: HashSet<&str> = score.correct_ids.iter().map(String::as_str).collect();
    let predictions: Vec<Prediction> = read_lines(predictions)?;
    let stood =
        predictions.into_iter().filter(|prediction| prediction.ok && !score.gold_failed.contains(&prediction.id));
    Ok(stood
        .map(|prediction| Known {
            right: right.contains(prediction.id.as_str()),
            database: databases.get(&prediction.id).cloned().unwrap_or_default(),
            signals: prediction.signals,
        })
        .collect())
}

fn fit(model: &str, known: &[&Known]) -> Calibration {
    let count = known.len().max(1) as f64;
    let mut present: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in known.iter().flat_map(|known| known.signals.iter()) {
        *present.entry(name).or_default() += 1;
    }
    let names: Vec<&str> = present.into_iter().filter(|(_, times)| *times >= RARE).map(|(name, _)| name).collect();
    let of = |known: &Known, name: &str| f64::from(known.signals.get(name).unwrap_or_default());
    let means: Vec<f64> =
        names.iter().map(|name| known.iter().map(|known| of(known, name)).sum::<f64>() / count).collect();
    let spreads: Vec<f64> = names
        .iter()
        .zip(&means)
        .map(|(name, mean)| {
            let variance = known.iter().map(|known| (of(known, name) - mean).powi(2)).sum::<f64>() / count;
            variance.sqrt().max(1e-6)
        })
        .collect();
    let rows: Vec<(Vec<f64>, f64)> = known
        .iter()
        .map(|known| {
            let standardized = names
                .iter()
                .zip(means.iter().zip(&spreads))
                .map(|(name, (mean, spread))| (of(known, name) - mean) / spread);
            (standardized.collect(), f64::from(u8::from(known.right)))
        })
        .collect();
    let (bias, weights) = descend(&rows, names.len());
    let scaled: Vec<f64> = weights.iter().zip(&spreads).map(|(weight, spread)| weight / spread).collect();
    let bias = bias - scaled.iter().zip(&means).map(|(weight, mean)| weight * mean).sum::<f64>();
    let named = |values: &[f64]| -> BTreeMap<String, f32> {
        names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), rounded(*value))).collect()
    };
    let mut weights = named(&scaled);
    weights.retain(|_, weight| *weight != 0.0);
    let typical = named(&means);
    let typical = typical.into_iter().filter(|(name, _)| Signals::may_be_unknown(name) && weights.contains_key(name));
    Calibration {
        model: model.to_owned(),
        questions: known.len(),
        right: known.iter().filter(|known| known.right).count(),
        bias: rounded(bias),
        typical: typical.collect(),
        weights,
    }
}

/// The bias and the weights, none above 0, that make what is known most likely, less the ridge.
fn descend(rows: &[(Vec<f64>, f64)], features: usize) -> (f64, Vec<f64>) {
    let (mut bias, mut weights) = (0.0, vec![0.0; features]);
    let count = rows.len().max(1) as f64;
    for _ in 0..STEPS {
        let (mut of_bias, mut of_weights) = (0.0, vec![0.0; features]);
        for (values, right) in rows {
            let odds = bias + values.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f64>();
            let error = 1.0 / (1.0 + (-odds).exp()) - right;
            of_bias += error;
            of_weights.iter_mut().zip(values).for_each(|(slope, value)| *slope += error * value);
        }
        bias -= STEP * of_bias / count;
        for (weight, slope) in weights.iter_mut().zip(&of_weights) {
            *weight = (*weight - STEP * (slope / count + RIDGE * *weight)).min(0.0);
        }
    }
    (bias, weights)
}

/// To four places: more are noise.
fn rounded(value: f64) -> f32 {
    ((value * 1e4).round() / 1e4) as f32
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Known, fit};

    #[test]
    fn what_tells_right_from_wrong_gets_the_weight() {
        let known: Vec<Known> = (0..200)
            .map(|number| {
                let (empty, noise) = (number % 4 == 0, number % 7);
                let signals = format!(r#"{{"surprise": 1.5, "empty": {}, "notes": {noise}}}"#, u8::from(empty));
                let right = if empty { number % 20 == 0 } else { number % 10 != 3 };
                Known { signals: serde_json::from_str(&signals).unwrap(), right, database: String::new() }
            })
            .collect();
        let fitted = fit("m", &known.iter().collect::<Vec<_>>());
        assert!(fitted.weights["empty"] < -1.5, "{fitted:?}");
        assert!(fitted.weights.get("notes").is_none_or(|weight| (-0.2..0.0).contains(weight)), "{fitted:?}");
        // It is the same everywhere, so that it tells nothing.
        assert!(!fitted.weights.contains_key("surprise"), "{fitted:?}");
        let of = |json: &str| fitted.confidence(&serde_json::from_str(json).unwrap());
        assert!((of(r#"{"notes": 3}"#) - 0.86).abs() < 0.06, "{}", of(r#"{"notes": 3}"#));
        assert!(of(r#"{"notes": 3, "empty": 1}"#) < 0.4);
    }
}
