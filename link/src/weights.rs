//! How much each signal counts: learnt, not set by hand.
//!
//! `cargo run --release -p eval --example tune_link` fits them to questions whose tables are known, so that the needed
//! tables outrank all others (listwise softmax loss, half of the databases held out to see how it carries over), and prints
//! this file's tables. These were fitted to the training part of Spider 1.0, with the embedding table as it was before it
//! was itself tuned to the same questions: a tuned one looks surer on them than it is on others.

use crate::features::FEATURES;

/// Weights of the features, in their order.
pub const OWN: [f32; FEATURES] = [
    0.348, 0.102, 0.337, 0.017, 0.112, 2.168, 1.052, 0.303, 0.092, 0.114, 1.107, 1.296, 1.923, -0.007, 0.591, 1.649,
    1.223, -0.007, 0.861, 0.077, 1.163, 0.351, 0.393, -0.485, 0.697, -1.012,
];

/// Weights of what the joined tables add, in the order of [`crate::smoothing::JOINED_NAMES`].
pub const JOINED: [f32; crate::smoothing::JOINED] = [1.019, 0.590, 0.854, 1.731, -0.253];
