//! SQLite's error codes, turned into errors that say what to do.

use std::time::Duration;

use rusqlite::{Error, ErrorCode};

use super::limits::VALUE_BYTES;
use crate::error::ConnectError;

/// What was going on when an error came up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) location: &'a str,
    pub(super) timeout: Duration,
    pub(super) busy_wait: Duration,
}

impl Failure<'_> {
    pub(super) fn explain(&self, error: Error) -> ConnectError {
        let location = self.location.to_owned();
        let reason = engine_words(&error);
        if matches!(error, Error::MultipleStatement) {
            return ConnectError::StatementCount { found: "several are".into() };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                ConnectError::Busy { location, waited: self.busy_wait }
            }
            Some(ErrorCode::OperationInterrupted) => ConnectError::Timeout { after: self.timeout },
            Some(ErrorCode::NotADatabase) => ConnectError::NotADatabase { location, engine: "SQLite".into() },
            Some(ErrorCode::DatabaseCorrupt) => ConnectError::Corrupt { location, reason },
            Some(ErrorCode::AuthorizationForStatementDenied) => ConnectError::Denied { reason },
            Some(ErrorCode::ReadOnly) => ConnectError::Open {
                location,
                reason: format!("{reason}; it was left in the middle of a write, which only a writer can finish"),
            },
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::FileLockingProtocolFailed,
            ) => ConnectError::Open { location, reason },
            Some(ErrorCode::TooBig) => ConnectError::ValueTooLarge { limit: u64::from(VALUE_BYTES.unsigned_abs()) },
            _ => ConnectError::Statement { reason },
        }
    }
}

/// The engine's message, without the statement it was about.
fn engine_words(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}
