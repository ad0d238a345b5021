//! What a run of `eval ask` amounts to.

use std::collections::HashSet;
use std::path::Path;

use agent::{Ablations, Status};
use serde::Serialize;

use super::accuracy::{Accuracy, accuracy};
use super::coverage::{JudgedAnswer, RiskCoverage};
use super::{Prediction, read_lines};

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
    /// Questions that were answered, and those of them that were answered right; the others are drafts, or were declined.
    pub answered: usize,
    /// Those answered right.
    pub answered_right: usize,
    /// How often it is right by how sure it is, over all questions with a statement.
    pub confidence: RiskCoverage,
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
    let is_right = |prediction: &Prediction| right.contains(prediction.id.as_str());
    let judged = |prediction: &Prediction| JudgedAnswer {
        confidence: f64::from(prediction.confidence),
        right: is_right(prediction),
    };
    let answered: Vec<&Prediction> =
        predictions.iter().filter(|prediction| prediction.status == Status::Answered.code()).collect();
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
        answered: answered.len(),
        answered_right: answered.iter().filter(|prediction| is_right(prediction)).count(),
        confidence: RiskCoverage::of(predictions.iter().filter(|prediction| prediction.ok).map(judged).collect()),
        accuracy,
    })
}
