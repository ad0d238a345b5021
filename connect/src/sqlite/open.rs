//! Opening a SQLite file so that the engine itself refuses everything but reading.
//!
//! Each of these would do alone; together a mistake in one doesn't matter: `mode=ro` in the address, the read-only
//! flag, `query_only`, the defensive and untrusted-schema switches, no attached databases, and an authorizer that
//! knows a list of what is allowed and denies the rest. Invariant: no connection leaves this module without them.

use std::cell::RefCell;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::failure::Failure;
use super::functions::is_pure;
use super::limits::{HEAP_BYTES, LIMITS};
use crate::error::ConnectError;
use crate::files;
use crate::statement::{EngineRead, ReadWhat};

const SWITCHES: [(DbConfig, bool); 7] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
];

/// The PRAGMAs that introspection reads through their table-valued functions, and the one that full-text tables ask to
/// see whether they changed. None of them takes a setting.
const READING_PRAGMAS: [&str; 8] = [
    "data_version",
    "table_list",
    "table_info",
    "table_xinfo",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
];

const HEADER: &[u8; 16] = b"SQLite format 3\0";

/// Whether the file may be changed by others while we read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    /// Take locks, see what others write.
    Shared,
    /// Nobody can write: no locks, and no files beside the database.
    Immutable,
}

/// Whether the file is there and looks like a SQLite database; says nothing about what is further inside.
pub(super) fn check_file(path: &Path, location: &str) -> Result<(), ConnectError> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(ConnectError::MissingFile {
                path: path.to_owned(),
                nearby: files::nearby(path, &["db", "sqlite", "sqlite3", "db3"]),
            });
        }
        Err(error) => return Err(open_error(location, &error)),
    };
    if !metadata.is_file() {
        return Err(ConnectError::NotAFile { path: path.to_owned() });
    }
    let header = header(path).map_err(|error| open_error(location, &error))?;
    // An empty file is a database without tables.
    if metadata.len() > 0 && !header.starts_with(HEADER) {
        return Err(ConnectError::NotADatabase { location: location.to_owned(), engine: "SQLite".into() });
    }
    Ok(())
}

/// A connection that can only read.
pub(super) fn open(path: &Path, location: &str, wait: Duration) -> Result<Connection, ConnectError> {
    let failure = Failure { location, timeout: wait, busy_wait: wait };
    match open_as(path, Sharing::Shared, wait) {
        Ok(connection) => Ok(connection),
        Err(error) if may_be_immutable(path, &error) => {
            tracing::debug!(location, "WAL files can't be made: reading the database as immutable");
            open_as(path, Sharing::Immutable, wait).map_err(|error| failure.explain(error))
        }
        Err(error) => Err(failure.explain(error)),
    }
}

fn open_as(path: &Path, sharing: Sharing, wait: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(uri(path, sharing), flags)?;
    connection.busy_timeout(wait)?;
    for (switch, value) in SWITCHES {
        connection.set_db_config(switch, value)?;
    }
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    connection.execute_batch(&format!(
        "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {HEAP_BYTES};"
    ))?;
    connection.authorizer(Some(authorize))?;
    // The first read is what finds a damaged header, a lock, or a WAL that can't be used.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

thread_local! {
    /// What the statement reads that this thread is compiling, while somebody wants to know.
    static READ: RefCell<Option<Vec<EngineRead>>> = const { RefCell::new(None) };
}

/// What `compile` has SQLite compile, and the columns that it takes that to read.
pub(super) fn with_reads<T>(compile: impl FnOnce() -> T) -> (T, Vec<EngineRead>) {
    READ.with_borrow_mut(|read| *read = Some(Vec::new()));
    let compiled = compile();
    (compiled, READ.with_borrow_mut(Option::take).unwrap_or_default())
}

/// A statement that needs a table and none of its columns reads one without a name.
fn note_read(table: &str, column: &str, through: Option<&str>) {
    READ.with_borrow_mut(|read| {
        let Some(read) = read.as_mut().filter(|_| !column.is_empty()) else { return };
        let (relation, what) = (Some(table.to_owned()), ReadWhat::Column(column.to_owned()));
        let found = EngineRead { schema: None, relation, what, through: through.map(str::to_owned) };
        if !read.contains(&found) {
            read.push(found);
        }
    });
}

/// Allows reading, and says no to everything else, also to what SQLite may learn to do later.
fn authorize(context: AuthContext<'_>) -> Authorization {
    if let AuthAction::Read { table_name, column_name } = context.action {
        note_read(table_name, column_name, context.accessor);
    }
    let allowed = match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => is_pure(function_name),
        AuthAction::Pragma { pragma_name, .. } => {
            READING_PRAGMAS.iter().any(|known| known.eq_ignore_ascii_case(pragma_name))
        }
        _ => false,
    };
    if allowed { Authorization::Allow } else { Authorization::Deny }
}

/// A database in WAL mode needs files beside it, which a folder that can't be written doesn't allow. With no pending
/// WAL content and nobody able to add any, the file alone is the whole truth.
fn may_be_immutable(path: &Path, error: &rusqlite::Error) -> bool {
    let cannot_open = matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
    // Bytes 18 and 19 of the header are 2 in WAL mode (https://www.sqlite.org/fileformat.html).
    let in_wal_mode = header(path).is_ok_and(|header| header.get(18) == Some(&2));
    cannot_open && in_wal_mode && pending_wal(path).is_none()
}

/// The `-wal` file, where it holds anything.
fn pending_wal(path: &Path) -> Option<Metadata> {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    std::fs::metadata(wal).ok().filter(|metadata| metadata.len() > 0)
}

/// When the file or its `-wal` was last written to. A `-wal` without content is one that a reader has made.
pub(super) fn changed_at(path: &Path) -> Option<SystemTime> {
    let file = files::changed_at(&std::fs::metadata(path).ok()?)?;
    let wal = pending_wal(path).and_then(|metadata| files::changed_at(&metadata));
    Some(wal.map_or(file, |wal| wal.max(file)))
}

/// What a database file and its `-wal` are like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    file: Option<files::State>,
    wal: Option<files::State>,
}

impl FileState {
    /// Whether another writing would show.
    pub(super) fn is_settled(&self) -> bool {
        self.file.as_ref().is_some_and(files::State::is_settled)
            && self.wal.as_ref().is_none_or(files::State::is_settled)
    }

    pub(super) fn text(&self) -> String {
        format!("{self:?}")
    }
}

/// What they are like now.
pub(super) fn file_state(path: &Path) -> FileState {
    let file = std::fs::metadata(path).ok().map(|metadata| files::State::of(&metadata));
    FileState { file, wal: pending_wal(path).map(|metadata| files::State::of(&metadata)) }
}

fn uri(path: &Path, sharing: Sharing) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file:");
    for byte in absolute.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?mode=ro");
    if sharing == Sharing::Immutable {
        uri.push_str("&immutable=1");
    }
    uri
}

fn header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(20);
    File::open(path)?.take(20).read_to_end(&mut header)?;
    Ok(header)
}

fn open_error(location: &str, error: &std::io::Error) -> ConnectError {
    ConnectError::Open { location: location.to_owned(), reason: error.to_string() }
}
