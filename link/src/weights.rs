//! The first look's weights.
//!
//! They were fitted to the training part of Spider 1.0, so that needed tables outrank all others (listwise softmax loss). The
//! first look only has to pass the needed tables on to the trees, and does so for other schemas too.

/// Weights of the first features, in their order.
pub(crate) const FIRST_LOOK: [f32; crate::features::FIRST_LOOK] = [
    0.348, 0.102, 0.337, 0.017, 0.112, 2.168, 1.052, 0.303, 0.092, 0.114, 1.107, 1.296, 1.923, -0.007, 0.591, 1.649,
    1.223, -0.007, 0.861, 0.077, 1.163, 0.351, 0.393, -0.485, 0.697, -1.012,
];
