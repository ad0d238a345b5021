//! Which engine opens which address: a table from scheme to constructor.
//!
//! A new engine is a new folder and one line here. Invariant: nobody above this table knows an engine by name.

use crate::connector::Connector;
use crate::dsn::Dsn;
use crate::error::ConnectError;
use crate::{mysql, postgres, snapshot, sqlite};

/// Opens the source called `name`, from the whole address and what follows its scheme.
type Open = fn(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError>;

const SCHEMES: [(&str, Open); 7] = [
    ("sqlite", sqlite::open),
    ("sqlite3", sqlite::open),
    ("postgres", postgres::open),
    ("postgresql", postgres::open),
    ("mysql", mysql::open),
    ("mariadb", mysql::open),
    ("snapshot", snapshot::open),
];

/// A bare path is a SQLite file.
const OPEN_PATH: Open = sqlite::open;

/// Opens the database at `dsn` for reading, as the source called `name`.
///
/// `sqlite:///abs.db`, `sqlite:rel.db`, `sqlite://rel.db`, a bare path,
/// `postgres://user:password@host:port/database?sslmode=…` (or `postgresql:`),
/// `mysql://user:password@host:port/database?ssl-mode=…` (or `mariadb:`), and `snapshot:FILE.json`. A server is first
/// spoken to when it is first asked something.
///
/// # Errors
///
/// [`ConnectError::UnsupportedScheme`] for any other scheme, [`ConnectError::InvalidDsn`] for an address that can't
/// be read, and whatever keeps a file from being opened.
pub fn connect(name: &str, dsn: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let dsn = dsn.trim();
    match Dsn::parse(dsn) {
        Dsn::Path(path) => OPEN_PATH(name, dsn, path),
        Dsn::Scheme { scheme, rest } => match SCHEMES.iter().find(|(known, _)| *known == scheme) {
            Some((_, open)) => open(name, dsn, rest),
            None => {
                let supported = SCHEMES.iter().map(|(known, _)| *known).collect();
                Err(ConnectError::UnsupportedScheme { scheme, supported })
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::connect;

    #[test]
    fn names_what_is_supported_when_a_scheme_is_not() {
        for dsn in ["oracle://ann:s3cret@db/x", "duckdb:a.duckdb", "clickhouse://db", "ftp://x"] {
            let error = connect("x", dsn).unwrap_err();
            assert_eq!(error.code(), "unsupported_scheme", "{dsn}");
            assert!(error.hints()[0].contains("sqlite"), "{dsn}");
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{dsn}");
        }
    }
}
