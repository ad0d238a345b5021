//! Statements of engines that are libraries, each in a process of its own.
//!
//! A library works inside of whoever calls it: a call that doesn't look whether it should stop, a crash, or more memory than there
//! is takes the whole program with it. So what somebody wrote is compiled and run by another process of the same program, which
//! is killed where it doesn't end in time, where it holds too much, and where nobody waits for it any more. What we ask ourselves,
//! structure and samples, stays in this one.
//!
//! `memory` holds all of them together to a limit; `wire` is what the two say to each other, a line of JSON at a time; `caller` starts processes, keeps a few that are idle, and
//! kills them; `worker` is what such a process does. Invariants: a process works for one statement at a time, and none outlives
//! the one that started it.

mod caller;
mod memory;
#[cfg(test)]
mod tests;
mod wire;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

pub(crate) use caller::EngineProcesses;
pub use worker::serve_engine;

/// How such a process is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineProgram {
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments, with which it calls [`serve_engine`] and nothing else.
    pub arguments: Vec<OsString>,
}

static PROGRAM: OnceLock<EngineProgram> = OnceLock::new();

/// Has statements of engines that are libraries run in processes of their own from now on: those of connectors that are opened
/// later. Without it they run in this process, as is good enough for tests. Says nothing where it was called before.
pub fn run_engines_in(program: EngineProgram) {
    let _first = PROGRAM.set(program);
}
