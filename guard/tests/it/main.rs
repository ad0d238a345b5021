//! The guard from outside: specs, and the promise that what is accepted changes nothing.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod fixture;
mod never_panics;
mod policy;
mod specs;
mod unchanged;
