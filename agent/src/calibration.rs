//! The probability that an answer with these signals is right, for a model that has been measured.
//!
//! Logistic regression over the [signals](crate::Signals), fitted on questions whose answers are known: for the local model it is
//! built in, `periplus eval calibrate` makes one for any other. One of the signals is the probability of the whole statement by
//! the model itself, after Ramachandran and Sarawagi 2024, "Text-to-SQL Calibration: No Need to Ask".

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::signals::Signals;

/// The least and the most that anything but an approval can have.
pub(crate) const RANGE: (f32, f32) = (0.02, 0.97);

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
