//! How much each signal counts: learnt, not set by hand.
//!
//! `cargo run --release -p eval --example tune_link` fits them to questions whose tables are known, so that the needed
//! tables outrank all others (listwise softmax loss, one part of the databases held out), and prints this file's tables.

use crate::features::FEATURES;

/// Weights of the features, in their order.
pub const OWN: [f32; FEATURES] = [
    0.797, 0.248, 0.2, 0.156, 0.151, 1.773, 0.633, 0.203, 0.115, -0.012, 1.214, 1.163, 1.729, -0.045, 0.340, 1.242, 1.029,
    -0.045, 0.854, 0.057, 0.872, 0.493, 0.351, 0.014, 0.887, -0.837,
];

/// Weights of what the joined tables add, in the order of [`crate::smoothing::JOINED_NAMES`].
pub const JOINED: [f32; crate::smoothing::JOINED] = [1.06, 0.72, 0.79, 1.56, -0.44];
