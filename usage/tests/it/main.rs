//! Query logs of all forms, read into what is usual.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod fixture;
mod habits;
mod logs;
