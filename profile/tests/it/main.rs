//! Whole runs over real files: what is read, what is stored, and what a second run does.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod watched;

mod changing;
mod facts;
mod inferred_keys;
mod large_tables;
mod pacing;
mod privacy;
mod resuming;
mod things;
mod trouble;
