//! The agent over a small real database, with a model that says what the test makes it say.
#![allow(clippy::unwrap_used)]

/// Approved and rejected pairs.
mod injections;
mod memory;
/// The pipeline for small models.
mod scripted;
/// The loop for large models.
mod tools;
/// The database, the model and the trace as text.
mod world;
