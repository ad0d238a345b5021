//! What can go wrong between us and a user's database.
//!
//! The engine's own words are kept as text and not as a driver's error type, so that callers see one error whichever
//! engine is behind it. Invariant: no message holds a password; locations are redacted before they get here.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use catalog::Dialect;
use serde::{Deserialize, Serialize};

/// A failure of a connector. [`ConnectError::code`] is stable; [`ConnectError::hints`] say what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// No connector is registered for the scheme.
    #[error("databases with the scheme `{scheme}` are not supported")]
    UnsupportedScheme {
        /// What stands before the colon.
        scheme: String,
        /// The schemes that are.
        supported: Vec<Cow<'static, str>>,
    },
    /// The address can't be understood.
    #[error("the database address `{dsn}` is not valid: {reason}")]
    InvalidDsn {
        /// The address, redacted.
        dsn: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no such file. It is never made.
    #[error("there is no file `{}`", path.display())]
    MissingFile {
        /// The path as it was given.
        path: PathBuf,
        /// Database files in the same folder, for the hint.
        nearby: Vec<String>,
    },
    /// The path names a folder or something else that isn't a file.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The file is there and can't be opened.
    #[error("`{location}` can't be opened: {reason}")]
    Open {
        /// Which database.
        location: String,
        /// What the system or the engine says.
        reason: String,
    },
    /// The file holds something else.
    #[error("`{location}` is not a {engine} database, or it is encrypted")]
    NotADatabase {
        /// Which file.
        location: String,
        /// What it was taken for.
        engine: Cow<'static, str>,
    },
    /// The file is damaged.
    #[error("`{location}` is damaged: {reason}")]
    Corrupt {
        /// Which database.
        location: String,
        /// What the engine found.
        reason: String,
    },
    /// Another process holds the lock.
    #[error("`{location}` is locked by a process that is writing to it; waited {} ms", waited.as_millis())]
    Busy {
        /// Which database.
        location: String,
        /// How long we waited.
        waited: Duration,
    },
    /// Others use all the connections there may be.
    #[error(
        "all {connections} connections to `{location}` were in use by other statements; waited {} ms",
        waited.as_millis()
    )]
    Crowded {
        /// Which database.
        location: String,
        /// How many there may be.
        connections: usize,
        /// How long we waited.
        waited: Duration,
    },
    /// There is no server, it takes no connection, or it went away.
    #[error("`{location}` can't be reached: {reason}")]
    Unreachable {
        /// Which database.
        location: String,
        /// What the system or the server says.
        reason: String,
    },
    /// The server is there and has no such database.
    #[error("the server of `{location}` has no such database: {reason}")]
    NoDatabase {
        /// Which database.
        location: String,
        /// What the server says.
        reason: String,
    },
    /// The server doesn't know the user, or the password is wrong.
    #[error("`{location}` refused the user or the password: {reason}")]
    Authentication {
        /// Which database.
        location: String,
        /// The server's words.
        reason: String,
    },
    /// No encrypted connection could be made, or the server's certificate is not trusted.
    #[error("no encrypted connection to `{location}`: {reason}")]
    Encryption {
        /// Whose settings say how it is reached.
        dialect: Dialect,
        /// Which database.
        location: String,
        /// What is wrong.
        reason: String,
    },
    /// The user may not read this.
    #[error("the database refused access: {reason}")]
    PermissionDenied {
        /// The server's words, which name the object.
        reason: String,
    },
    /// The engine was told to refuse this, because it is not reading.
    #[error("the engine refused the statement: {reason}")]
    Denied {
        /// What it was about to do.
        reason: String,
    },
    /// The text holds no statement, or more than one.
    #[error("one statement is expected and {found} given")]
    StatementCount {
        /// `none is`, `several are`.
        found: Cow<'static, str>,
    },
    /// The engine can't compile or run the statement.
    #[error("the database reports: {reason}")]
    Statement {
        /// The engine's words.
        reason: String,
    },
    /// The time limit was reached, and the statement stopped.
    #[error("the statement was stopped after {} ms, its time limit", after.as_millis())]
    Timeout {
        /// The limit.
        after: Duration,
    },
    /// A relation of the statement was changed while it ran, so its rows are not handed on.
    #[error("`{relation}` was changed while the statement ran")]
    Changed {
        /// Which one.
        relation: String,
    },
    /// A cell or an intermediate value is larger than the engine may make.
    #[error("a value is larger than the {limit} bytes allowed")]
    ValueTooLarge {
        /// The limit.
        limit: u64,
    },
    /// There is no database behind the source.
    #[error("`{source_name}` is a snapshot: it holds a schema and no data, so nothing can be run on it")]
    NothingToRun {
        /// [`catalog::Source::name`].
        source_name: String,
    },
    /// The snapshot's file can't be read.
    #[error("the snapshot `{}` can't be read: {reason}", path.display())]
    Snapshot {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The engine is a library of the user's, and it isn't there or can't be used.
    #[error("the {engine} library can't be loaded: {reason}")]
    EngineLibraryMissing {
        /// Which engine.
        engine: Cow<'static, str>,
        /// What the system's loader says.
        reason: String,
    },
    /// The process that the engine works in has ended before it gave an answer.
    #[error("the process that runs statements on `{location}` ended in the middle of one")]
    EngineEnded {
        /// Which database.
        location: String,
    },
    /// A task of ours was lost; the runtime is shutting down.
    #[error("the work on `{location}` was stopped before it finished")]
    Stopped {
        /// Which database.
        location: String,
    },
}

impl ConnectError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnsupportedScheme { .. } => "unsupported_scheme",
            Self::InvalidDsn { .. } => "invalid_dsn",
            Self::MissingFile { .. } => "missing_file",
            Self::NotAFile { .. } => "not_a_file",
            Self::Open { .. } => "open_failed",
            Self::NotADatabase { .. } => "not_a_database",
            Self::Corrupt { .. } => "database_corrupt",
            Self::Busy { .. } => "database_busy",
            Self::Crowded { .. } => "connections_in_use",
            Self::Unreachable { .. } => "unreachable",
            Self::NoDatabase { .. } => "no_such_database",
            Self::Authentication { .. } => "authentication_failed",
            Self::Encryption { .. } => "encryption_failed",
            Self::PermissionDenied { .. } => "permission_denied",
            Self::Denied { .. } => "denied_by_engine",
            Self::StatementCount { .. } => "statement_count",
            Self::Statement { .. } => "statement_failed",
            Self::Timeout { .. } => "timeout",
            Self::Changed { .. } => "table_changed",
            Self::ValueTooLarge { .. } => "value_too_large",
            Self::NothingToRun { .. } => "nothing_to_run",
            Self::Snapshot { .. } => "snapshot_unreadable",
            Self::EngineLibraryMissing { .. } => "engine_library_missing",
            Self::EngineEnded { .. } => "engine_ended",
            Self::Stopped { .. } => "stopped",
        }
    }

    /// The same with an engine's words cut to what anybody reads: they may quote a value of many megabytes.
    pub(crate) fn shortened(mut self) -> Self {
        const LONGEST: usize = 4_000;
        if let Self::Statement { reason }
        | Self::Denied { reason }
        | Self::PermissionDenied { reason }
        | Self::Open { reason, .. }
        | Self::Corrupt { reason, .. } = &mut self
            && let Some((end, _)) = reason.char_indices().nth(LONGEST)
        {
            reason.truncate(end);
            reason.push('…');
        }
        self
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::UnsupportedScheme { supported, .. } => {
                vec![format!("supported are {}, and the bare path of a SQLite or DuckDB file", supported.join(", "))]
            }
            Self::InvalidDsn { .. } => {
                vec![
                    "addresses look like `sqlite:shop.db`, `sqlite:///data/shop.db`, `duckdb:shop.duckdb`, \
                      `postgres://user:password@host:5432/database`, `mysql://user:password@host:3306/database`, \
                      `clickhouse://user:password@host:8123/database` or `snapshot:schema.json`"
                        .into(),
                ]
            }
            Self::MissingFile { nearby, .. } if nearby.is_empty() => {
                vec!["check the path; Periplus reads databases and never makes one".into()]
            }
            Self::MissingFile { nearby, .. } => vec![format!("in the same folder: {}", nearby.join(", "))],
            Self::NotAFile { .. } => vec!["give the path of the database file itself".into()],
            Self::Open { location, .. } if location.starts_with("duckdb:") => vec![
                "check that you may read the file, and that the DuckDB library is no older than the one that wrote it"
                    .into(),
            ],
            Self::Open { .. } => vec![
                "check that you may read the file; a database in WAL mode also needs a folder that can be written, \
                 or a copy of the file together with its `-wal` file"
                    .into(),
            ],
            Self::NotADatabase { location, .. } => {
                let mut hints = vec!["check that the path names the database and not an export of it".to_owned()];
                let path = location.split_once(':').map_or(location.as_str(), |(_, path)| path);
                if path.ends_with(".json") {
                    hints.insert(0, format!("write `snapshot:{path}` for a schema without its database"));
                }
                hints
            }
            Self::Corrupt { location, .. } if location.starts_with("duckdb:") => {
                vec!["restore the file from a copy".into()]
            }
            Self::Corrupt { .. } => vec!["`PRAGMA integrity_check` says more; restore the file from a copy".into()],
            Self::Busy { .. } => vec!["try again when the writer has finished, or read from a copy".into()],
            Self::Crowded { .. } => vec![
                "try again when they have finished; a shorter `limits.timeout` ends long statements sooner".into(),
            ],
            Self::Unreachable { .. } => vec![
                "check host and port, that the server runs, and that it takes connections from here".into(),
            ],
            Self::NoDatabase { .. } => {
                vec!["check the database's name, the part of the address behind the server's last `/`, letter by letter".into()]
            }
            Self::Authentication { .. } => vec![
                "check user and password; in an address, special characters are written as `%XX`, while `${VARIABLE}` \
                 in the configuration may hold any and keeps the password out of the file"
                    .into(),
            ],
            Self::Encryption { dialect: Dialect::Mysql, .. } => vec![
                "name the authority's certificate with `ssl-ca=FILE`, or choose another `ssl-mode`: `disabled`, \
                 `preferred`, `required` (encrypted, any certificate) or `verify-identity`"
                    .into(),
            ],
            Self::Encryption { dialect: Dialect::Clickhouse, .. } => vec![
                "name the authority's certificate with `ca=FILE`, and check that the port is the one of HTTPS, which is \
                 usually 8443"
                    .into(),
            ],
            Self::Encryption { .. } => vec![
                "name the authority's certificate with `sslrootcert=FILE`, or choose another `sslmode`: `disable`, \
                 `prefer`, `require` (encrypted, any certificate) or `verify-full`"
                    .into(),
            ],
            Self::PermissionDenied { .. } => {
                vec![
                    "have the owner run `GRANT SELECT ON … TO …` (and `GRANT USAGE ON SCHEMA`), or leave it out".into(),
                ]
            }
            Self::Denied { .. } => vec!["only reading is possible through Periplus".into()],
            Self::StatementCount { .. } => vec!["send the statements one by one".into()],
            Self::Statement { .. } => Vec::new(),
            Self::Timeout { .. } => {
                vec!["ask for less: a narrower condition, an indexed column, a smaller LIMIT".into()]
            }
            Self::Changed { .. } => vec!["have `periplus index` run, then ask again".into()],
            Self::ValueTooLarge { .. } => vec!["select `substr(column, 1, 1000)` or `length(column)` instead".into()],
            Self::NothingToRun { .. } => vec!["connect the database itself to run queries".into()],
            Self::Snapshot { .. } => vec!["the file holds one JSON object with `name`, `dialect` and `tables`".into()],
            Self::EngineLibraryMissing { .. } => vec![
                "get DuckDB's library: `brew install duckdb`, the file `libduckdb-…zip` of \
                 https://github.com/duckdb/duckdb/releases, or the npm package `@duckdb/node-bindings-…` of your \
                 platform, `@duckdb/node-bindings-linux-x64` for one"
                    .into(),
                "then name its file with PERIPLUS_DUCKDB_LIBRARY, or put it where the system looks for libraries or \
                 beside `periplus` (`libduckdb.so`, `libduckdb.dylib`, `duckdb.dll`)"
                    .into(),
            ],
            Self::EngineEnded { .. } => vec![
                "the engine has crashed, or the system has ended it for want of memory: write the statement in a simpler form".into(),
            ],
            Self::Stopped { .. } => vec!["run the same command again: it continues".into()],
        }
    }
}
