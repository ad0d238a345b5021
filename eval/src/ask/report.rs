//! What a run of `eval ask` amounts to.

use std::collections::HashSet;
use std::path::Path;

use agent::Ablations;
use serde::Serialize;

use super::accuracy::{Accuracy, accuracy};
use super::{Prediction, read_lines};

/// Bins of confidence over which calibration is measured.
const BINS: usize = 10;

/// The agent's figures, and the baseline's where it was measured in the same run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskReport {
    /// The model's name.
    pub model: String,
    /// The seed of the shuffle.
    pub seed: u64,
    /// What was switched off.
    pub ablations: Ablations,
    /// The agent.
    pub agent: Tally,
    /// The same model with the whole schema in one prompt.
    pub baseline: Option<Tally>,
}

/// The figures of one prediction file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// How many answers are right.
    pub accuracy: Accuracy,
    /// Statements that the model wrote.
    pub drafts: usize,
    /// Those that name something that doesn't exist.
    pub hallucinated_drafts: usize,
    /// Questions with such a draft.
    pub hallucinated_questions: usize,
    /// Those of them that were answered all the same.
    pub repaired_questions: usize,
    /// Those of them that were answered right.
    pub repaired_right: usize,
    /// Statements run that name something that doesn't exist, as the engine reports it.
    pub executed_unknown: usize,
    /// Means per question.
    pub tool_calls: f64,
    /// Model calls per question.
    pub model_calls: f64,
    /// Tokens sent per question.
    pub prompt_tokens: f64,
    /// Tokens received per question.
    pub completion_tokens: f64,
    /// Milliseconds per question: the median and the 95th percentile.
    pub latency_ms_p50: u64,
    /// The 95th percentile.
    pub latency_ms_p95: u64,
    /// Share of the database's tables that were shown, mean.
    pub tables_shown: f64,
    /// Expected calibration error: the mean distance between confidence and accuracy over ten bins of confidence.
    pub calibration_error: f64,
}

/// Sums up the predictions in `path` that belong to `ids`.
pub(super) fn tally(pack: &Path, path: &Path, ids: &HashSet<&str>) -> anyhow::Result<Tally> {
    let predictions: Vec<Prediction> = read_lines(path)?;
    let predictions: Vec<Prediction> =
        predictions.into_iter().filter(|prediction| ids.contains(prediction.id.as_str())).collect();
    let accuracy = accuracy(pack, path)?;
    let right: HashSet<&str> = accuracy.correct_ids.iter().map(String::as_str).collect();
    let count = predictions.len().max(1) as f64;
    let mean = |value: fn(&Prediction) -> f64| predictions.iter().map(value).sum::<f64>() / count;
    let hallucinated: Vec<&Prediction> =
        predictions.iter().filter(|prediction| prediction.hallucinated_drafts > 0).collect();
    let mut latencies: Vec<u64> = predictions.iter().map(|prediction| prediction.latency_ms).collect();
    latencies.sort_unstable();
    let percentile = |share: f64| {
        let position = ((latencies.len() as f64 * share).ceil() as usize).saturating_sub(1);
        latencies.get(position).copied().unwrap_or_default()
    };
    Ok(Tally {
        drafts: predictions.iter().map(|prediction| prediction.drafts.len()).sum(),
        hallucinated_drafts: predictions.iter().map(|prediction| prediction.hallucinated_drafts).sum(),
        hallucinated_questions: hallucinated.len(),
        repaired_questions: hallucinated.iter().filter(|prediction| prediction.ok).count(),
        repaired_right: hallucinated.iter().filter(|prediction| right.contains(prediction.id.as_str())).count(),
        executed_unknown: predictions.iter().map(|prediction| prediction.executed_unknown).sum(),
        tool_calls: mean(|prediction| prediction.tool_calls as f64),
        model_calls: mean(|prediction| prediction.model_calls as f64),
        prompt_tokens: mean(|prediction| prediction.prompt_tokens as f64),
        completion_tokens: mean(|prediction| prediction.completion_tokens as f64),
        latency_ms_p50: percentile(0.5),
        latency_ms_p95: percentile(0.95),
        tables_shown: mean(|prediction| prediction.tables_shown as f64 / prediction.tables_total.max(1) as f64),
        calibration_error: calibration_error(&predictions, &right),
        accuracy,
    })
}

fn calibration_error(predictions: &[Prediction], right: &HashSet<&str>) -> f64 {
    let mut bins = [(0_usize, 0.0_f64, 0_usize); BINS];
    for prediction in predictions {
        let bin = ((f64::from(prediction.confidence) * BINS as f64) as usize).min(BINS - 1);
        bins[bin].0 += 1;
        bins[bin].1 += f64::from(prediction.confidence);
        bins[bin].2 += usize::from(right.contains(prediction.id.as_str()));
    }
    let all = predictions.len().max(1) as f64;
    // |sum of confidence − number right| of a bin is its size times the distance of the two means.
    bins.iter().map(|(_, confidence, right)| (confidence - *right as f64).abs() / all).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Prediction, calibration_error};

    #[test]
    fn calibration_is_the_distance_between_confidence_and_being_right() {
        let prediction = |id: &str, confidence| Prediction { id: id.into(), confidence, ..Prediction::default() };
        let predictions = [prediction("a", 0.75), prediction("b", 0.75), prediction("c", 0.25), prediction("d", 0.25)];
        let error = calibration_error(&predictions, &HashSet::from(["a", "b"]));
        assert!((error - 0.25).abs() < 1e-6, "{error}");
        assert!(calibration_error(&[prediction("a", 1.0)], &HashSet::from(["a"])).abs() < 1e-6);
        assert!(calibration_error(&[], &HashSet::new()).abs() < 1e-6);
    }
}
