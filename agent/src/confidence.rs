//! How sure an answer is, as the probability that it is right.
//!
//! A [`Calibration`] weighs the [signals](crate::Signals) of an answer by logistic regression, fitted on questions whose
//! answers are known: for the local model it is built in, `periplus eval calibrate` makes one for any other. One of them is
//! the probability of the whole statement by the model itself, after Ramachandran and Sarawagi 2024, "Text-to-SQL
//! Calibration: No Need to Ask".
//!
//! For a large model that nobody has measured there is a product of named parts, so that each sign of trouble counts in
//! full whatever the others say. Its factors are set by eye:
//!
//! | part | value |
//! |---|---|
//! | the model | .95 |
//! | tables | .92 + .08 × the mean probability that the linker gives the tables used |
//! | rows | something came back 1; nothing, or only NULL, .6; not run .75 |
//! | findings | .8 for each warning that is left |
//! | words | .8 for each word of the question that nothing known explains |
//! | repair | .95 for each mechanical repair, .8 when the model had to be told |
//! | drafts | there was one 1; else .5 + .5 × the share that came to the same rows |

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::signals::Signals;
use crate::work::Run;

/// The confidence in an approved answer that was verified again.
pub(crate) const APPROVED: f32 = 0.98;
/// The least and the most that anything but an approval can have.
const RANGE: (f32, f32) = (0.02, 0.97);

/// What signals weigh for one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The model's name, `provider/model`.
    pub model: String,
    /// How many questions it was fitted on, and how many of them were answered right.
    pub questions: usize,
    /// How many of them were answered right.
    pub right: usize,
    /// The log-odds of an answer without any signal.
    pub bias: f32,
    /// What a signal of 1 adds to the log-odds.
    pub weights: BTreeMap<String, f32>,
    /// What a signal is taken for where it isn't known: its mean.
    pub typical: BTreeMap<String, f32>,
}

impl Calibration {
    /// The one for the model that `periplus model pull` fetches.
    ///
    /// # Errors
    /// None, as long as the file beside the sources is what it should be; a test reads it.
    pub fn built_in() -> Result<Self, serde_json::Error> {
        serde_json::from_str(include_str!("calibration.json"))
    }

    /// The probability that an answer with these signals is right.
    pub fn confidence(&self, signals: &Signals) -> f32 {
        let weighed = self.weights.iter().map(|(name, weight)| {
            let value = signals.get(name).or_else(|| self.typical.get(name).copied()).unwrap_or_default();
            weight * value
        });
        let odds = self.bias + weighed.sum::<f32>();
        (1.0 / (1.0 + (-odds).exp())).clamp(RANGE.0, RANGE.1)
    }
}

/// The confidence in a large model's answer that no calibration is for.
pub(crate) fn uncalibrated(signals: &Signals, run: &Run) -> f32 {
    let of = |name: &str| signals.get(name).unwrap_or_default();
    let rows = match run {
        Run::Rows(_) if of("empty") > 0.0 => 0.6,
        Run::Rows(_) => 1.0,
        Run::Omitted(_) => 0.75,
        Run::Failed(_) | Run::Refused => 0.05,
    };
    let tables = 1.0 - 0.08 * of("unsupported");
    let findings = 0.8_f32.powf(of("warnings"));
    let words = 0.8_f32.powf(of("unmatched"));
    let repair = 0.95_f32.powf(of("mended")) * if of("repaired") > 0.0 { 0.8 } else { 1.0 };
    let drafts = 1.0 - 0.5 * of("disagreement");
    (0.95 * tables * rows * findings * words * repair * drafts).clamp(RANGE.0, RANGE.1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Calibration;
    use crate::signals::Signals;

    fn signals(json: &str) -> Signals {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_one_that_is_built_in_tells_a_likely_statement_from_an_unlikely_one() {
        let calibration = Calibration::built_in().unwrap();
        let likely = calibration.confidence(&signals(r#"{"surprise": 0.2, "worst_token": 0.1}"#));
        let unlikely = calibration.confidence(&signals(r#"{"surprise": 9, "worst_token": 3, "empty": 1}"#));
        assert!(likely > 0.7 && unlikely < 0.5, "{likely} {unlikely}");
    }

    #[test]
    fn what_is_not_known_is_taken_for_typical() {
        let calibration = Calibration {
            weights: [("surprise".to_owned(), -1.0), ("empty".to_owned(), -2.0)].into(),
            typical: [("surprise".to_owned(), 2.0)].into(),
            bias: 2.0,
            ..Calibration::default()
        };
        assert!((calibration.confidence(&signals("{}")) - 0.5).abs() < 1e-6);
        let known = calibration.confidence(&signals(r#"{"surprise": 0.0}"#));
        assert!((known - 0.880_797).abs() < 1e-5, "{known}");
    }
}
