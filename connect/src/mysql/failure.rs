//! The servers' error numbers, turned into errors that say what to do.
//!
//! What the server says is told from its number and never from its words, which come in the server's language. MariaDB
//! and MySQL share their numbers up to 1899 and don't reuse each other's later ones for anything that is told here.

use catalog::Dialect;
use std::error::Error as _;
use std::time::Duration;

use mysql_async::{DriverError, Error, IoError, ServerError};

use super::address::LARGEST_PACKET;
use crate::error::ConnectError;

/// A text that the server can't read as one statement.
const SYNTAX_ERROR: u16 = 1064;
/// A statement that can't be prepared, which is never a query.
const NOT_PREPARABLE: u16 = 1295;

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
    Driver(Error),
    /// The server didn't keep to the time limit it was given.
    NoAnswer,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Driver(error)
    }
}

impl Trouble {
    fn number(&self) -> Option<u16> {
        match self {
            Self::Driver(Error::Server(error)) => Some(error.code),
            _ => None,
        }
    }

    pub(super) fn is_syntax_error(&self) -> bool {
        self.number() == Some(SYNTAX_ERROR)
    }

    pub(super) fn is_not_preparable(&self) -> bool {
        self.number() == Some(NOT_PREPARABLE)
    }

    /// Whether the connection is of no more use.
    pub(super) fn is_lost_connection(&self) -> bool {
        match self {
            Self::Driver(Error::Server(error)) => ends_connection(error.code),
            Self::Driver(error) => error.is_fatal(),
            Self::NoAnswer => false,
        }
    }
}

impl Failure<'_> {
    pub(super) fn explain(&self, trouble: Trouble) -> ConnectError {
        let location = self.location.to_owned();
        match trouble {
            Trouble::NoAnswer => ConnectError::Timeout { after: self.timeout },
            Trouble::Driver(Error::Server(error)) => self.explain_number(&error),
            Trouble::Driver(Error::Io(IoError::Tls(error))) => {
                ConnectError::Encryption { dialect: Dialect::Mysql, location, reason: error.to_string() }
            }
            Trouble::Driver(Error::Driver(error)) => match error {
                DriverError::NoClientSslFlagFromServer => ConnectError::Encryption {
                    dialect: Dialect::Mysql,
                    location,
                    reason: "the server has no encryption".to_owned(),
                },
                DriverError::UnknownAuthPlugin { .. }
                | DriverError::MysqlOldPasswordDisabled
                | DriverError::CleartextPluginDisabled => {
                    ConnectError::Authentication { location, reason: error.to_string() }
                }
                DriverError::PacketTooLarge => ConnectError::ValueTooLarge { limit: LARGEST_PACKET as u64 },
                DriverError::MixedParams | DriverError::StmtParamsMismatch { .. } => {
                    ConnectError::Statement { reason: error.to_string() }
                }
                // A reply that is out of place may quote anything, so only what it is gets told.
                DriverError::UnexpectedPacket { .. } | DriverError::FromRow { .. } | DriverError::FromValue { .. } => {
                    ConnectError::Unreachable { location, reason: "the server's answer can't be read".to_owned() }
                }
                other => ConnectError::Unreachable { location, reason: other.to_string() },
            },
            Trouble::Driver(error) => {
                let (reason, from_tls) = innermost_words(&error);
                if from_tls {
                    return ConnectError::Encryption { dialect: Dialect::Mysql, location, reason };
                }
                match reason.contains("packet too large") || reason.contains("Packet too large") {
                    true => ConnectError::ValueTooLarge { limit: LARGEST_PACKET as u64 },
                    false => ConnectError::Unreachable { location, reason },
                }
            }
        }
    }

    fn explain_number(&self, error: &ServerError) -> ConnectError {
        let (location, reason) = (self.location.to_owned(), error.message.clone());
        match error.code {
            1045 | 1251 | 1275 | 1524 | 1698 | 1820 | 1862 | 3118 | 3955 | 4151 => {
                ConnectError::Authentication { location, reason }
            }
            1044 | 1142 | 1143 | 1227 | 1345 | 1370 | 1449 => ConnectError::PermissionDenied { reason },
            1223 | 1290 | 1792 | 1836 | NOT_PREPARABLE => ConnectError::Denied { reason },
            // Interrupted, which only we do; MariaDB's and MySQL's limit on time.
            1317 | 1969 | 3024 => ConnectError::Timeout { after: self.timeout },
            1099 | 1205 | 1213 | 3572 => ConnectError::Busy { location, waited: self.lock_wait },
            1065 => ConnectError::StatementCount { found: "none is".into() },
            126 | 127 | 145 | 1034 | 1035 | 1194 | 1195 | 1712 => ConnectError::Corrupt { location, reason },
            1049 => ConnectError::NoDatabase { location, reason },
            code if ends_connection(code) => ConnectError::Unreachable { location, reason },
            _ => ConnectError::Statement { reason },
        }
    }
}

/// Whether there is no connection, or none any more, after such an error.
fn ends_connection(code: u16) -> bool {
    matches!(
        code,
        1040 | 1042 | 1043 | 1053 | 1077 | 1078 | 1079 | 1080 | 1081 | 1129 | 1130 | 1152 | 1158..=1161 | 1184 | 1203
            | 1226 | 1927 | 2000..=2999 | 4031
    )
}

/// What lies at the bottom of an error, in one line, and whether it came up while encryption was agreed on.
fn innermost_words(error: &Error) -> (String, bool) {
    let mut words = error.to_string();
    let mut from_tls = false;
    let mut source = error.source();
    while let Some(inner) = source {
        words = inner.to_string();
        // An error of input and output shows what it holds only to those who ask for it.
        let held = inner.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        from_tls |= inner.is::<rustls::Error>() || held.is_some_and(|held| held.is::<rustls::Error>());
        source = inner.source();
    }
    (words, from_tls)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mysql_async::ServerError;

    use super::Failure;

    #[test]
    fn tells_errors_by_their_number() {
        let failure =
            Failure { location: "mysql://db:3306/s", timeout: Duration::from_secs(1), lock_wait: Duration::ZERO };
        for (number, code) in [
            (1045, "authentication_failed"),
            (1698, "authentication_failed"),
            (1049, "no_such_database"),
            (1040, "unreachable"),
            (1927, "unreachable"),
            (2003, "unreachable"),
            (1044, "permission_denied"),
            (1142, "permission_denied"),
            (1143, "permission_denied"),
            (1792, "denied_by_engine"),
            (1295, "denied_by_engine"),
            (1317, "timeout"),
            (1969, "timeout"),
            (3024, "timeout"),
            (1205, "database_busy"),
            (1064, "statement_failed"),
            (1054, "statement_failed"),
            (1065, "statement_count"),
            (1194, "database_corrupt"),
        ] {
            let error = ServerError { code: number, message: "words".into(), state: "HY000".into() };
            let error = failure.explain_number(&error);
            assert_eq!(error.code(), code, "{number}");
            assert!(code == "statement_failed" || !error.hints().is_empty(), "{number}");
        }
    }
}
