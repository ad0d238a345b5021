//! The binary from outside: what it prints, its exit codes, what is left on disk.

#![allow(clippy::unwrap_used, reason = "a test that can't set up its world should stop there")]

mod audit;
mod bad_input;
mod closed;
mod conformance;
mod daily;
mod engine_processes;
mod held;
mod indexing;
mod injections;
mod interrupted;
mod labelled;
mod lineage;
mod over_http;
mod private;
mod project;
mod replies;
mod roles;
mod rule_pages;
mod rulings;
mod served;
mod server_faults;
mod shell;
mod shop;
mod terminal;
mod usage;
mod watch;
