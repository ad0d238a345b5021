//! The catalog's file: one SQLite database, written table by table.
//!
//! Structures, profiles and descriptions are stored as JSON documents beside the keys they are looked up by: the
//! types of [`crate::model`] are then the one definition of what is stored. Every write is its own transaction, so a
//! process that dies loses what it had in hand and nothing else.
//!
//! Invariant: no other module of the workspace opens this file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;

use crate::error::CatalogError;
use crate::model::description::{Overrides, TableDescription};
use crate::model::memory::{Memory, MemoryId, MemoryState, NewMemory};
use crate::model::profile::TableProfile;
use crate::model::structure::{Source, Table, TableId};
use crate::view::{Catalog, Entry};

mod reading;

use reading::decode;

/// The version of the file's layout, kept in SQLite's `user_version`. A change of a stored type raises it and adds a
/// migration.
pub const FORMAT_VERSION: i64 = 4;

const MIGRATIONS: [&str; FORMAT_VERSION as usize] = [
    include_str!("store/001_first.sql"),
    include_str!("store/002_dropped.sql"),
    include_str!("store/003_revisions.sql"),
    include_str!("store/004_covering.sql"),
];
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
        reading::read_revision(&self.connection)
    }

    /// Everything as it is now. Profiles and descriptions are read when they are looked at, from the same state.
    pub fn catalog(&self) -> Result<Catalog, CatalogError> {
        if self.path.as_os_str() == IN_MEMORY {
            let transaction = self.connection.unchecked_transaction()?;
            let mut entries = Vec::new();
            reading::each_entry(&transaction, None, &mut |entry| entries.push(entry))?;
            return reading::read_catalog(&transaction, entries);
        }
        reading::deferred_catalog(&self.path, None)
    }

    /// The same, sharing with a catalog that was read earlier what hasn't changed since.
    pub fn catalog_after(&self, earlier: &Catalog) -> Result<Catalog, CatalogError> {
        if self.path.as_os_str() == IN_MEMORY {
            return self.catalog();
        }
        reading::deferred_catalog(&self.path, Some(earlier))
    }

    /// Hands the entries of a source to `take` one after the other, for work that needn't have them all in memory.
    pub fn each_entry(&self, source: &str, mut take: impl FnMut(Entry)) -> Result<(), CatalogError> {
        reading::each_entry(&self.connection, Some(source), &mut take)
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

const BUMP: &str = "UPDATE state SET revision = revision + 1";
const PUT_TABLE: &str = "INSERT INTO tables (id, source, fingerprint, body, revision)
     VALUES (?1, ?2, ?3, ?4, (SELECT revision + 1 FROM state))
     ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, body = excluded.body,
         revision = excluded.revision, dropped_at = NULL";

/// The key a table is stored under. JSON, because names may hold any character, dots among them.
fn key(id: &TableId) -> String {
    encode(&(&id.source, &id.schema, &id.name))
}

fn encode(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the model holds only maps with string keys")
}

#[cfg(test)]
mod tests;
