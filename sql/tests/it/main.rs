//! The reading of statements from outside: each file below `specs/` holds statements and what is read in them.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod facts;
mod lineage;
mod schema;
mod spec;
mod specs;
