//! What agents did: questions asked, statements run, and which of them they gave as their answer.
//!
//! One JSON object a line, appended, so that exploration and answers can be measured later. Without a file, the same
//! goes to the log at debug level. Rows are never written.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Writes what happens.
#[derive(Debug)]
pub(crate) struct Trace {
    file: Option<PathBuf>,
}

/// One thing that happened.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event<'a> {
    /// Tables were asked for with a question.
    Question { question: &'a str, relevant: usize, irrelevant: usize },
    /// A statement was sent.
    Statement {
        source: &'a str,
        sql: &'a str,
        /// Whether it is the agent's answer.
        answer: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        question: Option<&'a str>,
        /// `ok`, or the code of the error.
        outcome: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        rows: Option<usize>,
    },
}

#[derive(Serialize)]
struct Line<'a> {
    /// Seconds since 1970.
    at: u64,
    process: u32,
    #[serde(flatten)]
    event: &'a Event<'a>,
}

impl Trace {
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// Writes an event. That it can't be written is logged and changes nothing else: an answer is worth more.
    pub(crate) fn record(&self, event: &Event<'_>) {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let Ok(mut line) = serde_json::to_string(&Line { at, process: std::process::id(), event }) else { return };
        let Some(file) = &self.file else {
            tracing::debug!(%line, "trace");
            return;
        };
        line.push('\n');
        let written = OpenOptions::new().create(true).append(true).open(file);
        // One write of a whole line: lines of several servers don't mix.
        if let Err(error) = written.and_then(|mut file| file.write_all(line.as_bytes())) {
            tracing::warn!(file = %file.display(), %error, "the trace can't be written");
        }
    }
}
