//! The guard from outside: specs, and the promise that what is accepted changes nothing.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod asked;
mod bare_words;
mod beside_masks;
mod changed;
mod databases;
mod drift;
mod engines_alone;
mod fixture;
mod fuzz_catalog;
mod given_up;
mod growth;
mod hints;
mod kept;
mod load;
mod look_ups;
mod never_panics;
mod pages;
mod policies;
mod policy;
mod quiet_mistakes;
mod round_trips;
mod specs;
mod statements;
mod unchanged;
mod unfollowed;
mod unseen_calls;
mod views;
