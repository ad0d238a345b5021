//! Opening a DuckDB file so that the engine itself refuses everything but reading.
//!
//! The file is opened for reading only; the engine gets no way to other files, addresses and extensions, no room on the
//! disk, a limit of memory, and then no way to change any of this. Invariant: no database leaves this module without
//! them. <https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview>

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::engine::{Connection, Database, EngineError, Library};
use super::failure::{Failure, is_locked};
use crate::error::ConnectError;
use crate::files;

/// How long is waited between two tries to open a locked file.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

const SETTINGS: [(&str, &str); 10] = [
    ("access_mode", "READ_ONLY"),
    // Nothing is written to the disk when memory is short: the statement fails. Has to come before the next.
    ("temp_directory", ""),
    ("enable_external_access", "false"),
    ("autoinstall_known_extensions", "false"),
    ("autoload_known_extensions", "false"),
    ("allow_community_extensions", "false"),
    ("allow_unsigned_extensions", "false"),
    ("allow_persistent_secrets", "false"),
    ("memory_limit", "1GB"),
    ("max_temp_directory_size", "0KB"),
];

/// Ours, before nobody can set anything any more. Times are UTC wherever the process runs; a library that was built
/// without its calendar has no time zones and refuses the first.
/// What the statistics of a column decide beforehand (that nobody earns less than nought) would be read without standing in
/// the plan by which [`plan::reads`](super::plan::reads) tells what is read. Without them DuckDB 1.5 takes the first rows of
/// each group of a join for columns of another type ("Failed to bind column reference"), so that isn't done either.
const LAST_SETTINGS: [(&str, bool); 3] = [
    ("SET GLOBAL TimeZone = 'UTC'", false),
    ("SET GLOBAL disabled_optimizers = 'statistics_propagation,top_n_window_elimination'", true),
    ("SET GLOBAL lock_configuration = true", true),
];

/// Behind eight bytes of checksum: <https://duckdb.org/docs/stable/internals/storage>.
const MAGIC: &[u8; 4] = b"DUCK";

/// Whether the file is there and looks like a DuckDB database; says nothing about what is further inside.
pub(super) fn check_file(path: &Path, location: &str) -> Result<(), ConnectError> {
    let failed =
        |error: &std::io::Error| ConnectError::Open { location: location.to_owned(), reason: error.to_string() };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(ConnectError::MissingFile {
                path: path.to_owned(),
                nearby: files::nearby(path, &["duckdb", "ddb", "db"]),
            });
        }
        Err(error) => return Err(failed(&error)),
    };
    if !metadata.is_file() {
        return Err(ConnectError::NotAFile { path: path.to_owned() });
    }
    let mut header = Vec::with_capacity(12);
    let read = File::open(path).and_then(|file| file.take(12).read_to_end(&mut header));
    read.map_err(|error| failed(&error))?;
    if header.get(8..12) != Some(MAGIC) {
        return Err(ConnectError::NotADatabase { location: location.to_owned(), engine: "DuckDB".into() });
    }
    Ok(())
}

/// The database, which can only be read, once nobody who writes holds its file; `wait` is how long that may take.
pub(super) fn open(path: &Path, location: &str, wait: Duration) -> Result<Arc<Database>, ConnectError> {
    let library = Library::loaded()?;
    check_file(path, location)?;
    // An absolute path is never taken for the address of something else.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let failure = Failure { location, timeout: wait };
    let started = Instant::now();
    let database = loop {
        match Database::open(library, &path, &SETTINGS) {
            Ok(database) => break Arc::new(database),
            Err(error) if is_locked(&error) && started.elapsed() + BETWEEN_TRIES < wait => {
                std::thread::sleep(BETWEEN_TRIES);
            }
            Err(error) => return Err(failure.explain_open(error, started.elapsed())),
        }
    };
    let locked = lock_settings(&database);
    locked.map_err(|error| failure.explain_open(error, started.elapsed()))?;
    Ok(database)
}

fn lock_settings(database: &Arc<Database>) -> Result<(), EngineError> {
    let connection = Connection::open(database)?;
    for (sql, needed) in LAST_SETTINGS {
        let set = connection.prepare(sql).and_then(|(statement, _)| match statement {
            Some(statement) => statement.run().and_then(|mut rows| rows.next_chunk().map(drop)),
            None => Ok(()),
        });
        if needed {
            set?;
        }
    }
    Ok(())
}

/// When the file or its `.wal` was last written to.
pub(super) fn changed_at(path: &Path) -> Option<SystemTime> {
    let file = files::changed_at(&std::fs::metadata(path).ok()?)?;
    let mut wal = path.as_os_str().to_owned();
    wal.push(".wal");
    let wal = std::fs::metadata(wal).ok().and_then(|metadata| files::changed_at(&metadata));
    Some(wal.map_or(file, |wal| wal.max(file)))
}
