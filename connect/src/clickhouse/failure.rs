//! The server's error numbers, turned into errors that say what to do.
//!
//! The number says what went wrong; the words are looked at only where one number stands for several things.

use catalog::Dialect;
use std::error::Error as _;
use std::time::Duration;

use reqwest::StatusCode;

use super::address::Address;
use crate::error::ConnectError;

/// How an exception begins, wherever it stands.
const EXCEPTION: &str = "DB::Exception: ";
const SYNTAX_ERROR: u32 = 62;
const UNKNOWN_DATABASE: u32 = 81;
/// More rows would have been read than a limit of ours allows.
const TOO_MANY_ROWS: u32 = 158;

/// What was going on when an error came up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) address: &'a Address,
    pub(super) timeout: Duration,
}

/// What kept a statement from ending well.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The server's own words, with their number.
    Exception { code: u32, words: String },
    /// A status of HTTP from somebody who is no such server, or stands before it.
    Status(StatusCode),
    /// The connection.
    Transport(reqwest::Error),
    /// Time is up.
    NoAnswer,
    /// The answer ends in the middle of a row, and nothing says why.
    BrokenOff,
    /// The answer is not in the form that was asked for.
    Unreadable,
    /// Nor is this one, because the statement asks for another.
    OtherFormat,
    /// A row is longer than is read.
    TooLarge { limit: u64 },
    /// There is nothing to run.
    NoStatement,
}

impl From<reqwest::Error> for Trouble {
    fn from(error: reqwest::Error) -> Self {
        // A URL names the statement's parameters, which are nobody's business in a message.
        Self::Transport(error.without_url())
    }
}

impl Trouble {
    /// What an answer with another status than "here it is" means.
    pub(super) fn refused(status: StatusCode, code: Option<u32>, words: &[u8]) -> Self {
        match (Self::exception_in(words), code) {
            (Some(Self::Exception { code: 0, words }), Some(code)) => Self::Exception { code, words },
            (Some(exception), _) => exception,
            (None, Some(code)) => Self::Exception { code, words: String::from_utf8_lossy(words).trim().to_owned() },
            (None, None) => Self::Status(status),
        }
    }

    /// The exception that stands somewhere in `text`, which may begin in the middle of a row.
    pub(super) fn exception_in(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let begin = text.find(EXCEPTION)?;
        let before = text[..begin].rsplit("Code: ").next().unwrap_or_default();
        let code = before.trim_end_matches([' ', '.', ',', 'e', '=']).parse().unwrap_or(0);
        let words = text[begin + EXCEPTION.len()..].split("\n").next().unwrap_or_default();
        // What follows is the version, or where in the server's code it happened.
        let words = words.split(" (version ").next().unwrap_or_default();
        Some(Self::Exception { code, words: words.trim().to_owned() })
    }

    /// What an answer means that ends with something that is no whole row.
    pub(super) fn broken_off(rest: &[u8]) -> Self {
        Self::exception_in(rest).unwrap_or(Self::BrokenOff)
    }

    pub(super) fn is_too_many_rows(&self) -> bool {
        matches!(self, Self::Exception { code: TOO_MANY_ROWS, .. })
    }

    /// Whether the server doesn't know a clause that later versions do.
    pub(super) fn is_syntax_error(&self) -> bool {
        matches!(self, Self::Exception { code: SYNTAX_ERROR, .. })
    }
}

impl Failure<'_> {
    pub(super) fn explain(&self, trouble: Trouble) -> ConnectError {
        let unreachable = |reason: String| ConnectError::Unreachable { location: self.location(), reason };
        match trouble {
            Trouble::NoAnswer => ConnectError::Timeout { after: self.timeout },
            Trouble::NoStatement => ConnectError::StatementCount { found: "none is".into() },
            Trouble::TooLarge { limit } => ConnectError::ValueTooLarge { limit },
            Trouble::OtherFormat => {
                let reason = "rows come in a format that the statement asks for by itself; leave out `FORMAT`";
                ConnectError::Statement { reason: reason.to_owned() }
            }
            Trouble::BrokenOff => unreachable("the answer was broken off in the middle of a row".to_owned()),
            Trouble::Unreadable => unreachable("the server's answer can't be read".to_owned()),
            Trouble::Status(status) if matches!(status.as_u16(), 401 | 403) => {
                ConnectError::Authentication { location: self.location(), reason: format!("HTTP status {status}") }
            }
            Trouble::Status(status) if status.is_redirection() => {
                unreachable(format!("HTTP status {status}: it points somewhere else, which is not followed"))
            }
            Trouble::Status(status) => unreachable(format!("HTTP status {status}, and not from a ClickHouse server")),
            Trouble::Transport(error) => {
                let (reason, from_tls) = innermost_words(&error);
                match from_tls {
                    true => {
                        ConnectError::Encryption { dialect: Dialect::Clickhouse, location: self.location(), reason }
                    }
                    false => unreachable(reason),
                }
            }
            Trouble::Exception { code, words } => self.explain_exception(code, words),
        }
    }

    /// Why there is no first answer in good time.
    pub(super) fn no_answer(&self) -> ConnectError {
        let reason = format!("no answer within {} s", self.timeout.as_secs());
        ConnectError::Unreachable { location: self.location(), reason }
    }

    fn location(&self) -> String {
        self.address.location.clone()
    }

    fn explain_exception(&self, code: u32, reason: String) -> ConnectError {
        let location = self.location();
        match code {
            192..=195 | 516 => ConnectError::Authentication { location, reason },
            291 | 497 => ConnectError::PermissionDenied { reason },
            // Read-only, and what the HTTP interface or a server's own rules don't take.
            164 | 358 | 392 | 472 | 620 => ConnectError::Denied { reason },
            // Cancelled, which only we do.
            159 | 160 | 394 | 735 => ConnectError::Timeout { after: self.timeout },
            40 | 246 => ConnectError::Corrupt { location, reason },
            202 | 700 => ConnectError::Unreachable { location, reason },
            UNKNOWN_DATABASE if reason.contains(&format!(" {} ", self.address.database)) => {
                ConnectError::NoDatabase { location, reason }
            }
            SYNTAX_ERROR if reason.contains("Multi-statements") => {
                ConnectError::StatementCount { found: "several are".into() }
            }
            SYNTAX_ERROR if reason.starts_with("Empty query") => {
                ConnectError::StatementCount { found: "none is".into() }
            }
            _ => ConnectError::Statement { reason },
        }
    }
}

/// What lies at the bottom of an error, in one line, and whether it came up while encryption was agreed on.
fn innermost_words(error: &reqwest::Error) -> (String, bool) {
    let mut words = error.to_string();
    let mut from_tls = false;
    let mut source = error.source();
    while let Some(inner) = source {
        words = inner.to_string();
        from_tls |= is_from_tls(inner);
        source = inner.source();
    }
    (words, from_tls)
}

/// Whether it is an error of encryption. One of input and output shows what it holds, which may be another such, only to
/// those who ask for it.
fn is_from_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let held = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || held.is_some_and(|held| is_from_tls(held))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use reqwest::StatusCode;

    use super::{Failure, Trouble};
    use crate::clickhouse::address;

    fn code(trouble: Trouble) -> (&'static str, String) {
        let address = address::parse("clickhouse://ann:s3cret@db/sales", "//ann:s3cret@db/sales").unwrap();
        let error = Failure { address: &address, timeout: Duration::from_secs(1) }.explain(trouble);
        assert!(error.code() == "statement_failed" || !error.hints().is_empty(), "{error}");
        assert!(!format!("{error:?}").contains("s3cret"));
        (error.code(), error.to_string())
    }

    #[test]
    fn tells_errors_by_their_number() {
        for (number, words, expected) in [
            (516, "ann: Authentication failed", "authentication_failed"),
            (497, "ann: Not enough privileges", "permission_denied"),
            (164, "ann: Cannot execute query in readonly mode", "denied_by_engine"),
            (358, "INTO OUTFILE is not allowed", "denied_by_engine"),
            (159, "Timeout exceeded", "timeout"),
            (62, "Syntax error (Multi-statements are not allowed)", "statement_count"),
            (62, "Empty query", "statement_count"),
            (62, "Syntax error: failed at position 1", "statement_failed"),
            (81, "Database sales does not exist", "no_such_database"),
            (81, "Database other does not exist", "statement_failed"),
            (47, "Unknown expression identifier `x`", "statement_failed"),
            (241, "Memory limit exceeded", "statement_failed"),
        ] {
            let trouble = Trouble::Exception { code: number, words: words.to_owned() };
            assert_eq!(code(trouble).0, expected, "{number}");
        }
        assert_eq!(code(Trouble::Status(StatusCode::FOUND)).0, "unreachable");
        assert_eq!(code(Trouble::Status(StatusCode::UNAUTHORIZED)).0, "authentication_failed");
    }

    #[test]
    fn finds_an_exception_wherever_it_stands() {
        let version =
            "Code: 47. DB::Exception: Unknown `x`. (UNKNOWN_IDENTIFIER) (version 26.9.2.1 (official build))\n";
        let tagged = "\r\n__exception__\r\nabc\r\nCode: 395. DB::Exception: thrown\n30 abc\r\n__exception__\r\n";
        for (text, number, words) in [
            (version, 47, "Unknown `x`. (UNKNOWN_IDENTIFIER)"),
            (tagged, 395, "thrown"),
            ("[\"12\", \"abCode: 395. DB::Exception: thrown\n", 395, "thrown"),
            ("Code: 62, e.displayText() = DB::Exception: old\n", 0, "old"),
        ] {
            let Some(Trouble::Exception { code, words: found }) = Trouble::exception_in(text.as_bytes()) else {
                panic!("{text}");
            };
            assert_eq!((code, found.as_str()), (number, words), "{text}");
        }
        assert!(Trouble::exception_in(b"<html>").is_none());
    }
}
