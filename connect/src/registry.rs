//! Which engine opens which address: a table from scheme to constructor.
//!
//! A new engine is a new folder and one line here. Invariant: nobody above this table knows an engine by name.

use std::path::Path;

use crate::connector::Connector;
use crate::dsn::{Dsn, redact};
use crate::error::ConnectError;
use crate::{clickhouse, duckdb, mysql, postgres, snapshot, sqlite};

/// Opens the source called `name`, from the whole address and what follows its scheme.
type Open = fn(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError>;

const SCHEMES: [(&str, Open); 11] = [
    ("sqlite", sqlite::open),
    ("sqlite3", sqlite::open),
    ("duckdb", duckdb::open),
    ("postgres", postgres::open),
    ("postgresql", postgres::open),
    ("mysql", mysql::open),
    ("mariadb", mysql::open),
    ("clickhouse", clickhouse::open),
    ("clickhouses", clickhouse::open),
    ("clickhouse+https", clickhouse::open),
    ("snapshot", snapshot::open),
];

/// Endings of bare paths, in small letters, and what opens these files.
const ENDINGS: [(&str, Open); 2] = [("duckdb", duckdb::open), ("ddb", duckdb::open)];

/// A bare path with another ending, or none, is a SQLite file.
const OPEN_OTHER_PATH: Open = sqlite::open;

/// Opens the database at `dsn` for reading, as the source called `name`.
///
/// `sqlite:///abs.db`, `sqlite:rel.db`, `sqlite://rel.db`, the same with `duckdb:`, a bare path (DuckDB's where it ends
/// in `.duckdb` or `.ddb`, else SQLite's),
/// `postgres://user:password@host:port/database?sslmode=…` (or `postgresql:`),
/// `mysql://user:password@host:port/database?ssl-mode=…` (or `mariadb:`),
/// `clickhouse://user:password@host:port/database?secure=…` (or `clickhouses:`), and `snapshot:FILE.json`. A server is
/// first spoken to when it is first asked something.
///
/// # Errors
///
/// [`ConnectError::UnsupportedScheme`] for any other scheme, [`ConnectError::InvalidDsn`] for an address that can't
/// be read, and whatever keeps a file from being opened.
pub fn connect(name: &str, dsn: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let dsn = dsn.trim();
    match Dsn::parse(dsn) {
        Dsn::Path(path) if redact(path) != path => Err(ConnectError::InvalidDsn {
            dsn: redact(path),
            reason: "words such as `host=…` are not read; write it as `postgres://…` or `mysql://…`".to_owned(),
        }),
        Dsn::Path(path) => path_opener(path)(name, dsn, path),
        Dsn::Scheme { scheme, rest } => match SCHEMES.iter().find(|(known, _)| *known == scheme) {
            Some((_, open)) => open(name, dsn, rest),
            None => {
                let supported = SCHEMES.iter().map(|(known, _)| (*known).into()).collect();
                Err(ConnectError::UnsupportedScheme { scheme, supported })
            }
        },
    }
}

fn path_opener(path: &str) -> Open {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let known = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
    known.map_or(OPEN_OTHER_PATH, |(_, open)| *open)
}

#[cfg(test)]
mod tests {
    use super::connect;

    #[test]
    fn words_with_a_password_are_no_path_that_is_shown() {
        let error = connect("x", "host=db dbname=sales password=t0psecret").unwrap_err();
        assert_eq!(error.code(), "invalid_dsn");
        assert!(!format!("{error} {error:?}").contains("t0psecret"));
    }

    #[test]
    fn names_what_is_supported_when_a_scheme_is_not() {
        for dsn in ["oracle://ann:s3cret@db/x", "ftp://x"] {
            let error = connect("x", dsn).unwrap_err();
            assert_eq!(error.code(), "unsupported_scheme", "{dsn}");
            assert!(error.hints()[0].contains("sqlite"), "{dsn}");
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{dsn}");
        }
    }
}
