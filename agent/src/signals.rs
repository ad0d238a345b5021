//! What speaks for and against a candidate, as numbers that a calibration weighs.
//!
//! Each is measured on the statement, its rows, the question, the ranking or the drafts; none is a guess at how much it
//! matters: that is fitted on questions whose answers are known, see [`crate::Calibration`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Named numbers from 0 up, most of them up to 1 or a few; what isn't there is 0, but for `surprise` and
/// `worst_token`, which are then not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signals(BTreeMap<String, f32>);

/// How unlikely the model held its statement to be: minus the logarithm of the probability, up to 20.
pub(crate) const SURPRISE: &str = "surprise";
/// The same of its least likely token, up to 8.
pub(crate) const WORST_TOKEN: &str = "worst_token";

impl Signals {
    /// The number of that name.
    pub fn get(&self, name: &str) -> Option<f32> {
        self.0.get(name).copied()
    }

    /// Whether a signal of that name that isn't there is unknown rather than 0.
    pub fn may_be_unknown(name: &str) -> bool {
        [SURPRISE, WORST_TOKEN].contains(&name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Sets a signal whose absence means 0.
    pub(crate) fn set(&mut self, name: &str, value: f32) {
        if value != 0.0 {
            self.know(name, value);
        }
    }

    /// Sets a signal whose absence means that it isn't known.
    pub(crate) fn know(&mut self, name: &str, value: f32) {
        self.0.insert(name.to_owned(), value);
    }
}
