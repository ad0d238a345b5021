//! What agents did: questions asked, statements run, and which of them they gave as their answer.
//!
//! One JSON object a line, appended, so that exploration and answers can be measured later. A file that has become too long is
//! moved aside, in place of the one before. Without a file, the same goes to the log at debug level. Rows are never written.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// A file of so many bytes is moved aside.
const FILE_BYTES: u64 = 10 << 20;

/// Characters of a text that are written.
const CHARACTERS: usize = 10_000;

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

/// What is written of a text.
pub(crate) fn begun(text: &str) -> &str {
    text.char_indices().nth(CHARACTERS).map_or(text, |(end, _)| &text[..end])
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
        if let Err(error) = append(file, &line) {
            tracing::warn!(file = %file.display(), %error, "the trace can't be written");
        }
    }
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    // One write of a whole line: lines of several servers don't mix.
    file.write_all(line.as_bytes())?;
    if file.metadata()?.len() >= FILE_BYTES {
        // Another process may have done it meanwhile.
        match std::fs::rename(path, path.with_extension("jsonl.1")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            moved => moved?,
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_has_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trace.jsonl");
        let trace = Trace::new(Some(file.clone()));
        let long = "é".repeat(100_000);
        for _ in 0..1_200 {
            trace.record(&Event::Question { question: begun(&long), relevant: 1, irrelevant: 0 });
        }
        let lengths: u64 =
            std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().metadata().unwrap().len()).sum();
        assert!(lengths > FILE_BYTES && lengths < 2 * FILE_BYTES + 100_000, "{lengths}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let line = std::fs::read_to_string(&file).unwrap();
        assert!(line.lines().all(|line| line.chars().count() < CHARACTERS + 200));
    }
}
