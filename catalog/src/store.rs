//! The catalog's file: one SQLite database, written table by table.
//!
//! Structures, profiles and descriptions are stored as JSON documents beside the keys they are looked up by: the
//! types of [`crate::model`] are then the one definition of what is stored. Every write is its own transaction, so a
//! process that dies loses what it had in hand and nothing else.
//!
//! Invariant: no other module of the workspace opens this file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::deferred::{Deferred, Kind, Moment};
use crate::error::CatalogError;
use crate::model::description::{Overrides, TableDescription};
use crate::model::memory::{Memory, MemoryId, MemoryState, NewMemory};
use crate::model::profile::TableProfile;
use crate::model::structure::{Source, Table, TableId};
use crate::view::{Catalog, Entry};

/// The version of the file's layout, kept in SQLite's `user_version`. A change of a stored type raises it and adds a
/// migration.
pub const FORMAT_VERSION: i64 = 3;

const MIGRATIONS: [&str; FORMAT_VERSION as usize] = [
    include_str!("store/001_first.sql"),
    include_str!("store/002_dropped.sql"),
    include_str!("store/003_revisions.sql"),
];
/// Tables that aren't worth a thread of their own.
const LEAST_TO_SHARE: usize = 256;
/// Stands in place of the path of a catalog that has no file.
const IN_MEMORY: &str = ":memory:";
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The catalog's file, open.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// How a table's structure compares with the one that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructureChange {
    /// It wasn't there.
    Added(TableId),
    /// Its fingerprint is another one.
    Changed(TableId),
    /// Nothing changed.
    Unchanged(TableId),
    /// It is gone from the source. The catalog knows it no more, but keeps what it knew until
    /// [`Store::remove_dropped`].
    Dropped(TableId),
}

impl Store {
    /// Opens the file, and makes it and its folder where they don't exist.
    pub fn open(path: &Path) -> Result<Self, CatalogError> {
        let open_error = |source| CatalogError::Open { path: path.to_owned(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                open_error(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN),
                    Some(error.to_string()),
                ))
            })?;
        }
        Self::prepare(Connection::open(path).map_err(open_error)?, path.to_owned())
    }

    /// A catalog that is gone with the value, for tests and evaluation.
    pub fn in_memory() -> Result<Self, CatalogError> {
        Self::prepare(Connection::open_in_memory()?, PathBuf::from(IN_MEMORY))
    }

    fn prepare(connection: Connection, path: PathBuf) -> Result<Self, CatalogError> {
        let store = Self { connection, path };
        store.migrate().map_err(|error| store.as_corrupt(error))?;
        Ok(store)
    }

    fn migrate(&self) -> Result<(), CatalogError> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        self.write_ahead()?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        if self.format_version()? == FORMAT_VERSION {
            return Ok(());
        }
        // Somebody else may be making the same catalog: what is found has to hold until it is changed.
        let making = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        self.make_tables()?;
        Ok(making.commit()?)
    }

    /// Has the file written ahead. Nobody may use it meanwhile, and SQLite doesn't wait for that by itself.
    fn write_ahead(&self) -> Result<(), rusqlite::Error> {
        let started = Instant::now();
        loop {
            match self.connection.pragma_update(None, "journal_mode", "WAL") {
                Err(error)
                    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                        && started.elapsed() < BUSY_TIMEOUT =>
                {
                    std::thread::sleep(Duration::from_millis(10));
                }
                done => return done,
            }
        }
    }

    fn format_version(&self) -> Result<i64, CatalogError> {
        let found = self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if found > FORMAT_VERSION {
            return Err(CatalogError::TooNew { found, supported: FORMAT_VERSION });
        }
        Ok(found)
    }

    fn make_tables(&self) -> Result<(), CatalogError> {
        let found = self.format_version()?;
        if found == 0 {
            let tables: i64 = self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            if tables > 0 {
                let reason = "it is a SQLite database of another program".to_owned();
                return Err(CatalogError::Corrupt { path: self.path.clone(), reason });
            }
        }
        for (version, migration) in (1..).zip(MIGRATIONS).skip(usize::try_from(found).unwrap_or(0)) {
            self.connection.execute_batch(&format!("{migration}; PRAGMA user_version = {version};"))?;
        }
        Ok(())
    }

    /// Turns SQLite's "not a database" and "malformed" into an error that says what to do.
    fn as_corrupt(&self, error: CatalogError) -> CatalogError {
        match &error {
            CatalogError::Database(inner)
                if matches!(
                    inner.sqlite_error_code(),
                    Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt)
                ) =>
            {
                CatalogError::Corrupt { path: self.path.clone(), reason: inner.to_string() }
            }
            _ => error,
        }
    }

    /// Adds a source, or replaces what is stored under its name.
    pub fn put_source(&self, source: &Source) -> Result<(), CatalogError> {
        let stored = self.bodies("SELECT body FROM sources WHERE name = ?1", [&source.name])?;
        let stored: Option<Source> = stored.first().map(|body| decode(body, "source")).transpose()?;
        // When a run ended is nothing that anybody derives something from.
        let says_the_same = stored.is_some_and(|stored| Source { indexed_at: source.indexed_at, ..stored } == *source);
        let transaction = self.connection.unchecked_transaction()?;
        transaction
            .prepare_cached(
                "INSERT INTO sources (name, body) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET body = excluded.body",
            )?
            .execute(params![source.name, encode(source)])?;
        if !says_the_same {
            transaction.execute(BUMP, [])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Removes a source with its tables; what was approved or corrected stays.
    pub fn remove_source(&self, name: &str) -> Result<(), CatalogError> {
        self.write("DELETE FROM sources WHERE name = ?1", params![name])
    }

    /// Stores what introspection found: all tables of the source. Inferred keys that were stored before are kept where
    /// a table has not changed; tables that are gone are marked.
    pub fn put_structure(&self, source: &str, tables: &[Table]) -> Result<Vec<StructureChange>, CatalogError> {
        let transaction = self.connection.unchecked_transaction()?;
        let mut changes = Vec::with_capacity(tables.len());
        for table in tables {
            let stored: Option<String> = transaction
                .prepare_cached("SELECT fingerprint FROM tables WHERE id = ?1 AND dropped_at IS NULL")?
                .query_row([key(&table.id)], |row| row.get(0))
                .optional()?;
            let fingerprint = table.fingerprint();
            let id = table.id.clone();
            match stored {
                Some(stored) if stored == fingerprint => {
                    changes.push(StructureChange::Unchanged(id));
                    continue;
                }
                Some(_) => changes.push(StructureChange::Changed(id)),
                None => changes.push(StructureChange::Added(id)),
            }
            transaction.prepare_cached(PUT_TABLE)?.execute(params![
                key(&table.id),
                table.id.source,
                fingerprint,
                encode(table)
            ])?;
        }
        let present: HashSet<&TableId> = tables.iter().map(|table| &table.id).collect();
        for body in self.bodies("SELECT body FROM tables WHERE source = ?1 AND dropped_at IS NULL", [source])? {
            let table: Table = decode(&body, "table")?;
            if !present.contains(&table.id) {
                let now = Timestamp::now().to_string();
                transaction.execute("UPDATE tables SET dropped_at = ?2 WHERE id = ?1", [key(&table.id), now])?;
                changes.push(StructureChange::Dropped(table.id));
            }
        }
        if changes.iter().any(|change| !matches!(change, StructureChange::Unchanged(_))) {
            transaction.execute(BUMP, [])?;
        }
        transaction.commit()?;
        Ok(changes)
    }

    /// The tables that are gone from a source, by name, with the time at which they were first missed.
    pub fn dropped(&self, source: &str) -> Result<Vec<(TableId, Timestamp)>, CatalogError> {
        let mut statement = self
            .connection
            .prepare("SELECT body, dropped_at FROM tables WHERE source = ?1 AND dropped_at IS NOT NULL ORDER BY id")?;
        let mut rows = statement.query([source])?;
        let mut dropped = Vec::new();
        while let Some(row) = rows.next()? {
            let table: Table = decode(&row.get::<_, String>(0)?, "table")?;
            let at: String = row.get(1)?;
            dropped.push((table.id, at.parse().unwrap_or(Timestamp::UNIX_EPOCH)));
        }
        Ok(dropped)
    }

    /// Removes what is known of the tables that are gone from a source, but for what people wrote; says how many.
    pub fn remove_dropped(&self, source: &str) -> Result<usize, CatalogError> {
        let transaction = self.connection.unchecked_transaction()?;
        let removed =
            transaction.execute("DELETE FROM tables WHERE source = ?1 AND dropped_at IS NOT NULL", [source])?;
        transaction.commit()?;
        Ok(removed)
    }

    /// Replaces one table's structure, to add inferred keys, a row count or a last update.
    pub fn put_table(&self, table: &Table) -> Result<(), CatalogError> {
        self.write(PUT_TABLE, params![key(&table.id), table.id.source, table.fingerprint(), encode(table)])
    }

    /// Stores a finished profile.
    pub fn put_profile(&self, profile: &TableProfile) -> Result<(), CatalogError> {
        self.write(
            "INSERT INTO profiles (table_id, body, revision) VALUES (?1, ?2, (SELECT revision + 1 FROM state))
             ON CONFLICT (table_id) DO UPDATE SET body = excluded.body, revision = excluded.revision",
            params![key(&profile.table), encode(profile)],
        )
    }

    /// Stores a description; what people wrote is kept apart and not touched.
    pub fn put_description(&self, description: &TableDescription) -> Result<(), CatalogError> {
        self.write(
            "INSERT INTO descriptions (table_id, body, revision) VALUES (?1, ?2, (SELECT revision + 1 FROM state))
             ON CONFLICT (table_id) DO UPDATE SET body = excluded.body, revision = excluded.revision",
            params![key(&description.table), encode(description)],
        )
    }

    /// Replaces what people wrote about a table. It outlives the table's row, in case the table comes back.
    pub fn put_overrides(&self, table: &TableId, overrides: &Overrides) -> Result<(), CatalogError> {
        self.write(
            "INSERT INTO overrides (table_id, body, revision) VALUES (?1, ?2, (SELECT revision + 1 FROM state))
             ON CONFLICT (table_id) DO UPDATE SET body = excluded.body, revision = excluded.revision",
            params![key(table), encode(overrides)],
        )
    }

    /// Stores an approval or a correction.
    pub fn add_memory(&self, content: NewMemory) -> Result<Memory, CatalogError> {
        let created_at = Timestamp::now();
        self.write(
            "INSERT INTO memories (body, created_at, state) VALUES (?1, ?2, ?3)",
            params![encode(&content), created_at.to_string(), encode(&MemoryState::Active)],
        )?;
        let id = MemoryId(self.connection.last_insert_rowid());
        Ok(Memory { id, content, created_at, state: MemoryState::Active })
    }

    /// Takes a memory back. It stays in the list, marked with who did it and when.
    pub fn undo_memory(&self, id: MemoryId, by: &str) -> Result<(), CatalogError> {
        let state = MemoryState::Undone { at: Timestamp::now(), by: by.to_owned() };
        let changed =
            self.connection.execute("UPDATE memories SET state = ?2 WHERE id = ?1", params![id.0, encode(&state)])?;
        if changed == 0 {
            return Err(CatalogError::NotFound { kind: "memory", name: id.0.to_string() });
        }
        self.connection.execute(BUMP, [])?;
        Ok(())
    }

    /// A number that grows with every write that says something new of a source.
    pub fn revision(&self) -> Result<u64, CatalogError> {
        read_revision(&self.connection)
    }

    /// Everything as it is now. Profiles and descriptions are read when they are looked at, from the same state.
    pub fn catalog(&self) -> Result<Catalog, CatalogError> {
        if self.path.as_os_str() == IN_MEMORY {
            let transaction = self.connection.unchecked_transaction()?;
            let mut entries = Vec::new();
            each_entry(&transaction, None, &mut |entry| entries.push(entry))?;
            return read_catalog(&transaction, entries);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // It lasts as long as the catalog does, and keeps what it sees as it is.
        connection.execute_batch("BEGIN")?;
        let reading = Arc::new(Reading(Mutex::new(connection)));
        let connection = reading.connection();
        let entries = deferred_entries(&connection, &(Arc::clone(&reading) as Arc<dyn Moment>))?;
        read_catalog(&connection, entries)
    }

    /// Hands the entries of a source to `take` one after the other, for work that needn't have them all in memory.
    pub fn each_entry(&self, source: &str, mut take: impl FnMut(Entry)) -> Result<(), CatalogError> {
        each_entry(&self.connection, Some(source), &mut take)
    }

    fn bodies(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<String>, CatalogError> {
        let mut statement = self.connection.prepare(sql)?;
        Ok(statement.query_map(values, |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    fn write(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), CatalogError> {
        let transaction = self.connection.unchecked_transaction()?;
        transaction.prepare_cached(sql)?.execute(values)?;
        transaction.execute(BUMP, [])?;
        transaction.commit()?;
        Ok(())
    }
}

/// The catalog's file at one moment: a connection inside a read transaction.
struct Reading(Mutex<Connection>);

impl Reading {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moment for Reading {
    fn body(&self, kind: Kind, row: i64) -> Result<String, String> {
        let query = match kind {
            Kind::Profile => "SELECT body FROM profiles WHERE rowid = ?1",
            Kind::Description => "SELECT body FROM descriptions WHERE rowid = ?1",
        };
        let connection = self.connection();
        let body = connection.prepare_cached(query).and_then(|mut query| query.query_row([row], |row| row.get(0)));
        body.map_err(|error| error.to_string())
    }
}

fn read_catalog(connection: &Connection, entries: Vec<Entry>) -> Result<Catalog, CatalogError> {
    let mut statement = connection.prepare("SELECT body FROM sources ORDER BY name")?;
    let bodies: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let sources = bodies.iter().map(|body| decode(body, "source")).collect::<Result<_, _>>()?;
    let origin: String = connection.query_row("SELECT origin FROM state", [], |row| row.get(0))?;
    Ok(Catalog::new(sources, entries, memories(connection)?, read_revision(connection)?).with_origin(origin))
}

fn memories(connection: &Connection) -> Result<Vec<Memory>, CatalogError> {
    let mut statement = connection.prepare("SELECT id, body, created_at, state FROM memories ORDER BY id")?;
    let mut rows = statement.query([])?;
    let mut memories = Vec::new();
    while let Some(row) = rows.next()? {
        let created_at: String = row.get(2)?;
        memories.push(Memory {
            id: MemoryId(row.get(0)?),
            content: decode(&row.get::<_, String>(1)?, "memory")?,
            created_at: created_at.parse().unwrap_or(Timestamp::UNIX_EPOCH),
            state: decode(&row.get::<_, String>(3)?, "memory")?,
        });
    }
    Ok(memories)
}

/// What is read of a table at once: the JSON of its structure and of what people wrote, and where the rest lies.
struct StoredEntry {
    table: String,
    overrides: Option<String>,
    profile: Option<i64>,
    description: Option<i64>,
    revision: i64,
}

impl StoredEntry {
    fn decode(self, moment: &Arc<dyn Moment>) -> Result<Entry, CatalogError> {
        Ok(Entry {
            table: decode(&self.table, "table")?,
            overrides: decode_overrides(self.overrides.as_deref())?,
            profile: deferred(moment, self.profile),
            description: deferred(moment, self.description),
            revision: self.revision.unsigned_abs(),
        })
    }
}

/// Entries whose profiles and descriptions are read later.
fn deferred_entries(connection: &Connection, moment: &Arc<dyn Moment>) -> Result<Vec<Entry>, CatalogError> {
    let mut statement =
        connection.prepare(&format!("SELECT t.body, o.body, p.rowid, d.rowid, {REVISION} {ENTRIES}"))?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(StoredEntry {
            table: row.get(0)?,
            overrides: row.get(1)?,
            profile: row.get(2)?,
            description: row.get(3)?,
            revision: row.get(4)?,
        })
    };
    let mut stored: Vec<StoredEntry> = statement.query_map([], read)?.collect::<Result<_, _>>()?;
    // Decoding is nearly all of the work, and each core can do its part.
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    let length = stored.len().div_ceil(parts).max(LEAST_TO_SHARE);
    let mut shares = Vec::new();
    while !stored.is_empty() {
        shares.push(stored.split_off(stored.len().saturating_sub(length)));
    }
    let decode_all = |share: Vec<StoredEntry>| -> Result<Vec<Entry>, CatalogError> {
        share.into_iter().map(|entry| entry.decode(moment)).collect()
    };
    std::thread::scope(|scope| {
        let own = shares.pop().unwrap_or_default();
        let others: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || decode_all(share))).collect();
        let mut entries = decode_all(own)?;
        for other in others {
            match other.join() {
                Ok(decoded) => entries.extend(decoded?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(entries)
    })
}

fn deferred<T>(moment: &Arc<dyn Moment>, row: Option<i64>) -> Deferred<T> {
    row.map_or_else(|| None.into(), |row| Deferred::later(moment, row))
}

/// Hands whole entries to `take`, those of one source or all.
fn each_entry(connection: &Connection, source: Option<&str>, take: &mut dyn FnMut(Entry)) -> Result<(), CatalogError> {
    let only = if source.is_some() { "AND t.source = ?1" } else { "" };
    let mut statement = connection
        .prepare(&format!("SELECT t.body, o.body, p.body, d.body, {REVISION} {ENTRIES} {only} ORDER BY t.id"))?;
    let mut rows = statement.query(rusqlite::params_from_iter(source))?;
    while let Some(row) = rows.next()? {
        let mut profile: Option<TableProfile> = text_at(row, 2)?.map(|body| decode(body, "profile")).transpose()?;
        profile.iter_mut().for_each(TableProfile::shrink_to_fit);
        let mut description: Option<TableDescription> =
            text_at(row, 3)?.map(|body| decode(body, "description")).transpose()?;
        description.iter_mut().for_each(TableDescription::shrink_to_fit);
        take(Entry {
            table: decode(text_at(row, 0)?.unwrap_or_default(), "table")?,
            overrides: decode_overrides(text_at(row, 1)?)?,
            profile: profile.into(),
            description: description.into(),
            revision: row.get::<_, i64>(4)?.unsigned_abs(),
        });
    }
    Ok(())
}

fn decode_overrides(body: Option<&str>) -> Result<Overrides, CatalogError> {
    Ok(body.map(|body| decode(body, "override")).transpose()?.unwrap_or_default())
}

/// A text of a row, where it lies.
fn text_at<'r>(row: &'r rusqlite::Row<'_>, position: usize) -> rusqlite::Result<Option<&'r str>> {
    Ok(row.get_ref(position)?.as_str_or_null()?)
}

/// When anything of a table was last written.
const REVISION: &str = "max(t.revision, ifnull(p.revision, 0), ifnull(d.revision, 0), ifnull(o.revision, 0))";
const ENTRIES: &str = "FROM tables t
     LEFT JOIN profiles p ON p.table_id = t.id
     LEFT JOIN descriptions d ON d.table_id = t.id
     LEFT JOIN overrides o ON o.table_id = t.id WHERE t.dropped_at IS NULL";

const BUMP: &str = "UPDATE state SET revision = revision + 1";
const PUT_TABLE: &str = "INSERT INTO tables (id, source, fingerprint, body, revision)
     VALUES (?1, ?2, ?3, ?4, (SELECT revision + 1 FROM state))
     ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, body = excluded.body,
         revision = excluded.revision, dropped_at = NULL";

/// The key a table is stored under. JSON, because names may hold any character, dots among them.
fn key(id: &TableId) -> String {
    encode(&(&id.source, &id.schema, &id.name))
}

fn read_revision(connection: &Connection) -> Result<u64, CatalogError> {
    let revision: i64 = connection.query_row("SELECT revision FROM state", [], |row| row.get(0))?;
    Ok(revision.unsigned_abs())
}

fn encode(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the model holds only maps with string keys")
}

fn decode<T: DeserializeOwned>(body: &str, what: &'static str) -> Result<T, CatalogError> {
    serde_json::from_str(body).map_err(|source| CatalogError::Decode { what, source })
}

#[cfg(test)]
mod tests;
