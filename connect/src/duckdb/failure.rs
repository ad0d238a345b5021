//! The engine's words, turned into errors that say what to do.
//!
//! The C interface tells the kind of an error by the words it begins with: `Binder Error: …`.

use std::time::Duration;

use super::engine::EngineError;
use crate::error::ConnectError;

/// What was going on when an error came up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) location: &'a str,
    pub(super) timeout: Duration,
}

impl Failure<'_> {
    pub(super) fn explain(&self, EngineError(words): EngineError) -> ConnectError {
        let location = self.location.to_owned();
        let reason = without_position(&words);
        let has = |part: &str| words.contains(part);
        if words.starts_with("INTERRUPT Error") {
            ConnectError::Timeout { after: self.timeout }
        } else if words.starts_with("Permission Error") || has("attached in read-only mode") {
            ConnectError::Denied { reason }
        } else if has("Corrupt database file") || has("checksum") {
            ConnectError::Corrupt { location, reason }
        } else {
            ConnectError::Statement { reason }
        }
    }

    /// Why a file can't be opened; `waited` for a lock that others hold.
    pub(super) fn explain_open(&self, error: EngineError, waited: Duration) -> ConnectError {
        let location = self.location.to_owned();
        if is_locked(&error) {
            return ConnectError::Busy { location, waited };
        }
        let EngineError(words) = &error;
        if words.contains("not a valid DuckDB database") || words.to_lowercase().contains("encrypt") {
            return ConnectError::NotADatabase { location, engine: "DuckDB".into() };
        }
        match self.explain(error) {
            ConnectError::Statement { reason } | ConnectError::Denied { reason } => {
                ConnectError::Open { location, reason }
            }
            other => other,
        }
    }
}

/// Whether a process that writes holds the file.
pub(super) fn is_locked(EngineError(words): &EngineError) -> bool {
    words.contains("Could not set lock") || words.contains("being used by another process")
}

/// Whether the engine has given the database up, so that it has to be opened anew.
pub(super) fn is_fatal(EngineError(words): &EngineError) -> bool {
    ["FATAL Error", "INTERNAL Error"].iter().any(|kind| words.starts_with(kind)) || words.contains("invalidated")
}

/// The message without the excerpt of the statement below it, whose marks are worth nothing in a line, and without the engine's
/// own calls, which name files.
fn without_position(words: &str) -> String {
    let words = words.split("\n\nStack Trace:").next().unwrap_or(words);
    words.split("\n\nLINE ").next().unwrap_or(words).trim().replace('\n', " ")
}
