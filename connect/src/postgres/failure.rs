//! PostgreSQL's error codes, turned into errors that say what to do.
//!
//! What the server says is told from its SQLSTATE and never from its words, which come in the server's language.
//! Values that it quotes in the details of a message are left out.

use catalog::Dialect;
use std::error::Error as _;
use std::time::Duration;

use tokio_postgres::error::{DbError, ErrorPosition, SqlState};

use crate::error::ConnectError;

/// What was going on when an error came up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) location: &'a str,
    pub(super) timeout: Duration,
    pub(super) lock_wait: Duration,
}

/// What kept a statement from ending well.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The driver, or the server through it.
    Driver(tokio_postgres::Error),
    /// The server didn't keep to the time limit it was given.
    NoAnswer,
}

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Driver(error)
    }
}

impl Trouble {
    /// Whether a value is none of its type: a text that is no number, a number that is too large (SQLSTATE class 22).
    pub(super) fn is_invalid_value(&self) -> bool {
        matches!(self, Self::Driver(error) if error.code().is_some_and(|code| code.code().starts_with("22")))
    }

    /// Whether the connection is of no more use.
    pub(super) fn is_lost_connection(&self) -> bool {
        match self {
            Self::Driver(error) => match error.as_db_error() {
                Some(error) => ends_connection(error.code()),
                None => true,
            },
            Self::NoAnswer => false,
        }
    }
}

impl Failure<'_> {
    pub(super) fn explain(&self, trouble: Trouble) -> ConnectError {
        let error = match trouble {
            Trouble::Driver(error) => error,
            Trouble::NoAnswer => return ConnectError::Timeout { after: self.timeout },
        };
        if let Some(reported) = error.as_db_error() {
            let reason = server_words(reported);
            return self.explain_state(reported.code(), reported.routine(), reason);
        }
        let reason = innermost_words(&error);
        let location = self.location.to_owned();
        // The driver has no other way of telling the kinds of its own errors apart.
        let kind = error.to_string();
        if kind.contains("TLS") {
            ConnectError::Encryption { dialect: Dialect::Postgres, location, reason }
        } else if kind.contains("authentication") || reason.contains("password missing") {
            ConnectError::Authentication { location, reason }
        } else if kind.contains("encoding") || kind.contains("serializing") {
            ConnectError::Statement { reason }
        } else {
            ConnectError::Unreachable { location, reason }
        }
    }

    fn explain_state(&self, state: &SqlState, routine: Option<&str>, reason: String) -> ConnectError {
        let location = self.location.to_owned();
        match state.code() {
            // The routine that takes a statement in complains about nothing but several of them.
            "42601" if routine == Some("exec_parse_message") => {
                ConnectError::StatementCount { found: "several are".into() }
            }
            "28000" | "28P01" => ConnectError::Authentication { location, reason },
            "42501" => ConnectError::PermissionDenied { reason },
            "25006" => ConnectError::Denied { reason },
            "57014" => ConnectError::Timeout { after: self.timeout },
            "55P03" => ConnectError::Busy { location, waited: self.lock_wait },
            "XX001" | "XX002" => ConnectError::Corrupt { location, reason },
            "3D000" => ConnectError::NoDatabase { location, reason },
            "53300" => ConnectError::Unreachable { location, reason },
            _ if ends_connection(state) => ConnectError::Unreachable { location, reason },
            _ => ConnectError::Statement { reason },
        }
    }
}

/// Whether the server closes the connection after such an error (classes 08 and 57P).
fn ends_connection(state: &SqlState) -> bool {
    state.code().starts_with("08") || state.code().starts_with("57P") || state.code() == "25P03"
}

/// The message, where in the statement it applies, and the server's own advice.
fn server_words(error: &DbError) -> String {
    let mut words = error.message().to_owned();
    if let Some(ErrorPosition::Original(position)) = error.position() {
        words.push_str(&format!(" (at character {position})"));
    }
    if let Some(hint) = error.hint() {
        words.push_str(&format!("; {hint}"));
    }
    words
}

/// What lies at the bottom of an error, in one line.
fn innermost_words(error: &tokio_postgres::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        words = inner.to_string();
        source = inner.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_postgres::error::SqlState;

    use super::Failure;

    #[test]
    fn tells_errors_by_their_state() {
        let failure =
            Failure { location: "postgres://db:5432/s", timeout: Duration::from_secs(1), lock_wait: Duration::ZERO };
        for (state, routine, code) in [
            ("28P01", None, "authentication_failed"),
            ("28000", None, "authentication_failed"),
            ("3D000", None, "no_such_database"),
            ("53300", None, "unreachable"),
            ("57P03", None, "unreachable"),
            ("57P01", None, "unreachable"),
            ("42501", None, "permission_denied"),
            ("25006", None, "denied_by_engine"),
            ("57014", None, "timeout"),
            ("55P03", None, "database_busy"),
            ("42601", Some("exec_parse_message"), "statement_count"),
            ("42601", Some("scanner_yyerror"), "statement_failed"),
            ("42703", None, "statement_failed"),
            ("22012", None, "statement_failed"),
            ("XX001", None, "database_corrupt"),
        ] {
            let error = failure.explain_state(&SqlState::from_code(state), routine, "words".into());
            assert_eq!(error.code(), code, "{state}");
            assert!(code == "statement_failed" || !error.hints().is_empty(), "{state}");
        }
    }
}
