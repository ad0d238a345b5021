//! The catalog's file: one SQLite database, written table by table.
//!
//! Structures, profiles and descriptions are stored as JSON documents beside the keys they are looked up by: the
//! types of [`crate::model`] are then the one definition of what is stored. Every write is its own transaction, so a
//! process that dies loses what it had in hand and nothing else.
//!
//! Invariant: no other module of the workspace opens this file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;

use crate::deferred::PartKind;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::model::description::{Overrides, TableDescription};
use crate::model::masks::{Examination, MaskRules, NoMaskRules};
use crate::model::profile::TableProfile;
use crate::model::structure::{ForeignKey, KeyOrigin, Source, Table, TableId};
use crate::model::usage::Usage;
use crate::view::Catalog;

mod glossary;
mod reading;
mod remembering;
mod sealing;
mod typed_evidence;
mod witness;

use reading::decode;
use sealing::{Held, seal, table_of, texts, verify};
use witness::Witness;
pub use witness::{Lacking, Testimony, WitnessNote};

/// The version of the file's layout, kept in SQLite's `user_version`. A change of a stored type raises it and adds a
/// migration.
pub const FORMAT_VERSION: i64 = 8;

const MIGRATIONS: [&str; FORMAT_VERSION as usize] = [
    include_str!("store/001_first.sql"),
    include_str!("store/002_dropped.sql"),
    include_str!("store/003_revisions.sql"),
    include_str!("store/004_covering.sql"),
    include_str!("store/005_sealed.sql"),
    include_str!("store/006_evidence.sql"),
    include_str!("store/007_usage.sql"),
    include_str!("store/008_glossary.sql"),
];
/// The format since which rows are sealed.
const SEALED: i64 = 5;
/// The format since which it is no sentence how it is known when a table last changed.
const TYPED_EVIDENCE: i64 = 6;
/// Stands in place of the path of a catalog that has no file.
const IN_MEMORY: &str = ":memory:";
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Who serves a catalog reads it as long as nobody asks for a later one; waiting for that is of little use.
const ERASING_TIMEOUT: Duration = Duration::from_secs(1);

/// The catalog's file, open.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    rules: Arc<dyn MaskRules>,
    /// Of a catalog that has a file.
    witness: Option<Witness>,
    /// What the file and the witness were when they were opened.
    seen: Option<Seen>,
}

/// By what one sees that another file was put in a file's place, or that the witness has a line more.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    file: u64,
    witness: Option<(u64, Option<SystemTime>)>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
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
    /// Opens the file, and makes it and its folder where they don't exist. What `rules` say of a structure holds for every
    /// catalog that is read from it.
    pub fn open(path: &Path, rules: Arc<dyn MaskRules>) -> Result<Self, CatalogError> {
        let open_error = |source| CatalogError::Open { path: path.to_owned(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                open_error(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN),
                    Some(error.to_string()),
                ))
            })?;
        }
        Self::prepare(Connection::open(path).map_err(open_error)?, path.to_owned(), rules)
    }

    /// A catalog that is gone with the value, for tests and evaluation, in which nothing is sensitive by its structure.
    pub fn in_memory() -> Result<Self, CatalogError> {
        Self::in_memory_with(Arc::new(NoMaskRules))
    }

    /// The same with rules.
    pub fn in_memory_with(rules: Arc<dyn MaskRules>) -> Result<Self, CatalogError> {
        Self::prepare(Connection::open_in_memory()?, PathBuf::from(IN_MEMORY), rules)
    }

    fn prepare(connection: Connection, path: PathBuf, rules: Arc<dyn MaskRules>) -> Result<Self, CatalogError> {
        let witness = (path.as_os_str() != IN_MEMORY).then(|| Witness::beside(&path));
        let mut store = Self { connection, path, rules, witness, seen: None };
        store.seen = store.look();
        let opened = store.migrate().and_then(|()| store.reconcile());
        opened.map_err(|error| store.as_corrupt(error))?;
        Ok(store)
    }

    /// What there is now; `None` without a file.
    fn look(&self) -> Option<Seen> {
        let file = number_of(&std::fs::metadata(&self.path).ok()?);
        let witness = self.witness.as_ref().and_then(|witness| std::fs::metadata(witness.path()).ok());
        Some(Seen { file, witness: witness.map(|found| (found.len(), found.modified().ok())) })
    }

    /// For who holds a store for long: opens it anew where somebody has put another file in its place, and sees what people
    /// have said of columns since. `true` where there was either of it: a catalog that was read before must not be used then.
    pub fn follow(&mut self) -> Result<bool, CatalogError> {
        let now = self.look();
        // A file that is gone says nothing; what was read of it goes on being what is known.
        if now.is_none() || now == self.seen {
            return Ok(false);
        }
        *self = Self::open(&self.path, Arc::clone(&self.rules))?;
        Ok(true)
    }

    /// Whether nothing has been written since that catalog was read from this file.
    pub fn is_current(&self, catalog: &Catalog) -> Result<bool, CatalogError> {
        Ok(self.revision()? == catalog.revision() && reading::read_origin(&self.connection)? == catalog.origin())
    }

    fn migrate(&self) -> Result<(), CatalogError> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        self.write_ahead()?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        // What is removed is overwritten.
        self.connection.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
        let found = self.format_version()?;
        if found == FORMAT_VERSION {
            return Ok(());
        }
        // Somebody else may be making the same catalog: what is found has to hold until it is changed.
        let making = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        self.make_tables()?;
        making.commit()?;
        if (1..SEALED).contains(&found) {
            // Until then what was removed stayed where it had been.
            self.connection.execute_batch("VACUUM")?;
            self.erase_removed()?;
        }
        Ok(())
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
            if version == SEALED {
                sealing::seal_all(&self.connection)?;
            }
            if version == TYPED_EVIDENCE {
                typed_evidence::rewrite(&self.connection)?;
            }
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
        // What can't be read is replaced.
        let stored: Option<Source> = stored.first().and_then(|body| decode(body, "source").ok());
        // When a run ended is nothing that anybody derives something from.
        let says_the_same = stored.is_some_and(|stored| {
            Source { indexed_at: source.indexed_at, compared_at: source.compared_at, ..stored } == *source
        });
        let transaction = self.connection.unchecked_transaction()?;
        let body = encode(source);
        transaction
            .prepare_cached(
                "INSERT INTO sources (name, body, seal) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET body = excluded.body, seal = excluded.seal",
            )?
            .execute(params![source.name, body, seal("sources", &source.name, &body)])?;
        if !says_the_same {
            transaction.execute(BUMP, [])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Stores what introspection found: all tables of the source. Inferred keys that were stored before are kept where
    /// a table has not changed; tables that are gone are marked.
    pub fn put_structure(&self, source: &str, tables: &[Table]) -> Result<Vec<StructureChange>, CatalogError> {
        let transaction = self.connection.unchecked_transaction()?;
        let mut changes = Vec::with_capacity(tables.len());
        for table in tables {
            let key = key(&table.id);
            let stored: Option<[String; 3]> = transaction
                .prepare_cached("SELECT fingerprint, body, seal FROM tables WHERE id = ?1 AND dropped_at IS NULL")?
                .query_row([&key], |row| Ok(texts(row)))
                .optional()?;
            let fingerprint = table.fingerprint();
            let id = table.id.clone();
            match stored {
                Some([stored, body, sealed])
                    if stored == fingerprint && verify("tables", &key, &body, &sealed).is_ok() =>
                {
                    changes.push(StructureChange::Unchanged(id));
                    continue;
                }
                Some(_) => changes.push(StructureChange::Changed(id)),
                None => changes.push(StructureChange::Added(id)),
            }
            put_table(&transaction, with_inferred_keys(&transaction, table)?.as_ref())?;
        }
        let present: HashSet<&TableId> = tables.iter().map(|table| &table.id).collect();
        let known = self.bodies("SELECT id FROM tables WHERE source = ?1 AND dropped_at IS NULL", [source])?;
        for known in known {
            // What is kept under a key that nobody can read is nothing that is there.
            let id = read_key(&known);
            if id.as_ref().is_some_and(|id| present.contains(id)) {
                continue;
            }
            let now = Timestamp::now().to_string();
            transaction.execute("UPDATE tables SET dropped_at = ?2 WHERE id = ?1", [&known, &now])?;
            changes.extend(id.map(StructureChange::Dropped));
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
            .prepare("SELECT id, dropped_at FROM tables WHERE source = ?1 AND dropped_at IS NOT NULL ORDER BY id")?;
        let mut rows = statement.query([source])?;
        let mut dropped = Vec::new();
        while let Some(row) = rows.next()? {
            let at: String = row.get(1)?;
            let id = read_key(&row.get::<_, String>(0)?);
            dropped.extend(id.map(|id| (id, at.parse().unwrap_or(Timestamp::UNIX_EPOCH))));
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

    /// Replaces one table's structure, inferred keys included.
    pub fn put_table(&self, table: &Table) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| put_table(transaction, table))
    }

    /// Stores a table that has been looked at: its structure, its profile and, where its values were read, what they told
    /// of which columns may be shown, all at once. Where nothing was read, what is known of that stays; so do keys that were
    /// inferred.
    pub fn put_profiled(&self, table: &Table, profile: &TableProfile) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| {
            put_table(transaction, with_inferred_keys(transaction, table)?.as_ref())?;
            if profile.skipped.is_none() {
                put_part(transaction, &table.id, PartKind::Examination, &Examination::of(table, profile))?;
            }
            put_part(transaction, &table.id, PartKind::Profile, profile)
        })
    }

    /// Replaces the profile of a table, whose columns may be shown as before.
    pub fn put_profile(&self, profile: &TableProfile) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| put_part(transaction, &profile.table, PartKind::Profile, profile))
    }

    /// Forgets what people said of columns of tables where that can't be read, and says which tables those are.
    pub fn drop_unreadable_rulings(&self) -> Result<Vec<TableId>, CatalogError> {
        self.in_transaction(|transaction| {
            let mut statement = transaction.prepare(
                "SELECT p.table_id, p.held, p.seal, r.body, r.seal FROM parts p
                 LEFT JOIN rulings r ON r.table_id = p.table_id",
            )?;
            let rows = statement.query_map([], |row| Ok((texts::<5>(row), row.get_ref(3)? != ValueRef::Null)))?;
            let mut lost = Vec::new();
            for row in rows {
                let ([key, held, sealed, body, body_sealed], is_there) = row?;
                let noted = Held::read(&key, Some((&held, &sealed))).is_ok_and(|held| held.rulings);
                let whole = verify("rulings", &key, &body, &body_sealed).is_ok();
                if is_there && !whole || noted && !is_there {
                    lost.extend(read_key(&key));
                    transaction.execute("DELETE FROM rulings WHERE table_id = ?1", [&key])?;
                    Held::found(transaction, &key)?.write(transaction, &key)?;
                }
            }
            Ok(lost)
        })
    }

    /// Stores a description; what people wrote is kept apart and not touched.
    pub fn put_description(&self, description: &TableDescription) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| put_part(transaction, &description.table, PartKind::Description, description))
    }

    /// Takes out the descriptions of these tables, which may hold what is masked by now. They are written anew at the next
    /// run.
    pub fn forget_descriptions(&self, tables: &[TableId]) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| {
            for table in tables {
                transaction.execute("DELETE FROM descriptions WHERE table_id = ?1", [key(table)])?;
            }
            Ok(())
        })
    }

    /// Replaces what people wrote about a table. It outlives the table's row, in case the table comes back.
    pub fn put_overrides(&self, table: &TableId, overrides: &Overrides) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| put_sealed(transaction, "overrides", table, &encode(overrides)))
    }

    /// The same, unless somebody has written something else than `expected` meanwhile; whether it was replaced.
    pub fn replace_overrides(
        &self,
        table: &TableId,
        expected: &Overrides,
        overrides: &Overrides,
    ) -> Result<bool, CatalogError> {
        // Nobody writes between the look and the change.
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let stored = "SELECT body FROM overrides WHERE table_id = ?1";
        let stored: Option<String> = transaction.query_row(stored, [key(table)], |row| row.get(0)).optional()?;
        let stored = stored.map_or_else(|| Some(Overrides::default()), |body| serde_json::from_str(&body).ok());
        if stored.as_ref() != Some(expected) {
            return Ok(false);
        }
        put_sealed(&transaction, "overrides", table, &encode(overrides))?;
        transaction.execute(BUMP, [])?;
        transaction.commit()?;
        Ok(true)
    }

    /// Replaces what has been run over a source; without any, takes it away.
    pub fn put_usage(&self, source: &str, usage: Option<&Usage>) -> Result<(), CatalogError> {
        let stored = self.bodies("SELECT body FROM usage WHERE name = ?1", [source])?;
        let body = usage.map(encode);
        if stored.first() == body.as_ref() {
            return Ok(());
        }
        self.in_transaction(|transaction| {
            transaction.execute("DELETE FROM usage WHERE name = ?1", [source])?;
            if let Some(body) = body {
                let sealed = seal("usage", source, &body);
                let insert = "INSERT INTO usage (name, body, seal) VALUES (?1, ?2, ?3)";
                transaction.execute(insert, params![source, body, sealed])?;
            }
            Ok(())
        })
    }

    /// Sees to it that nothing of what was replaced or removed is left in the file or beside it: what is masked now was
    /// perhaps stored before. `false` where somebody goes on reading an earlier state, a [`Catalog`] of this process among
    /// them: then it is left until they are done.
    pub fn erase_removed(&self) -> Result<bool, CatalogError> {
        self.connection.busy_timeout(ERASING_TIMEOUT)?;
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = self.connection.query_row(checkpoint, [], |row| row.get::<_, bool>(0));
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(!is_busy?)
    }

    /// A number that grows with every write that says something new of a source.
    pub fn revision(&self) -> Result<u64, CatalogError> {
        reading::read_revision(&self.connection)
    }

    /// Everything as it is now. Profiles and descriptions are read when they are looked at, from the same state.
    pub fn catalog(&self) -> Result<Catalog, CatalogError> {
        if self.path.as_os_str() == IN_MEMORY {
            let transaction = self.connection.unchecked_transaction()?;
            return reading::whole_catalog(&transaction, &self.rules);
        }
        reading::deferred_catalog(&self.path, &self.rules, &self.reconcile()?, None)
    }

    /// The same, sharing with a catalog that was read earlier what hasn't changed since.
    pub fn catalog_after(&self, earlier: &Catalog) -> Result<Catalog, CatalogError> {
        if self.path.as_os_str() == IN_MEMORY {
            return self.catalog();
        }
        reading::deferred_catalog(&self.path, &self.rules, &self.reconcile()?, Some(earlier))
    }

    /// The same for a reader by whose rules more is masked than by the store's own, which alone decide what is kept.
    pub fn catalog_read_by(
        &self,
        rules: &Arc<dyn MaskRules>,
        earlier: Option<&Catalog>,
    ) -> Result<Catalog, CatalogError> {
        if self.path.as_os_str() == IN_MEMORY {
            let transaction = self.connection.unchecked_transaction()?;
            return reading::whole_catalog(&transaction, rules);
        }
        reading::deferred_catalog(&self.path, rules, &self.reconcile()?, earlier)
    }

    /// Hands the entries of a source to `take` one after the other, for work that needn't have them all in memory.
    pub fn each_entry(&self, source: &str, mut take: impl FnMut(Entry)) -> Result<(), CatalogError> {
        reading::each_entry(&self.connection, &self.rules, Some(source), &mut take).map(|_| ())
    }

    fn bodies(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<String>, CatalogError> {
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map(values, |row| Ok(texts::<1>(row)))?;
        Ok(rows.map(|row| row.map(|[body]| body)).collect::<Result<_, _>>()?)
    }

    fn in_transaction<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        let transaction = self.connection.unchecked_transaction()?;
        let written = write(&transaction)?;
        transaction.execute(BUMP, [])?;
        transaction.commit()?;
        Ok(written)
    }
}

/// What a file system tells a file from the others by.
#[cfg(unix)]
fn number_of(file: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

/// Where files have no number, an open one can't be replaced.
#[cfg(not(unix))]
fn number_of(_: &std::fs::Metadata) -> u64 {
    0
}

const BUMP: &str = "UPDATE state SET revision = revision + 1";

fn put_table(transaction: &Transaction<'_>, table: &Table) -> Result<(), CatalogError> {
    let (key, body) = (key(&table.id), encode(table));
    transaction
        .prepare_cached(
            "INSERT INTO tables (id, source, fingerprint, body, seal, revision)
             VALUES (?1, ?2, ?3, ?4, ?5, (SELECT revision + 1 FROM state))
             ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, body = excluded.body,
                 seal = excluded.seal, revision = excluded.revision, dropped_at = NULL",
        )?
        .execute(params![key, table.id.source, table.fingerprint(), body, seal("tables", &key, &body)])?;
    Ok(())
}

/// A table as its engine tells it, with the keys that were inferred of it: what they mask stays masked until they are looked at
/// again.
fn with_inferred_keys<'t>(transaction: &Transaction<'_>, table: &'t Table) -> Result<Cow<'t, Table>, CatalogError> {
    let key = key(&table.id);
    let stored: Option<[String; 2]> = transaction
        .prepare_cached("SELECT body, seal FROM tables WHERE id = ?1")?
        .query_row([&key], |row| Ok(texts(row)))
        .optional()?;
    let whole = stored.filter(|[body, sealed]| verify("tables", &key, body, sealed).is_ok());
    let Some(stored) = whole.and_then(|[body, _]| serde_json::from_str::<Table>(&body).ok()) else {
        return Ok(Cow::Borrowed(table));
    };
    let is_told = |key: &ForeignKey| table.foreign_keys.iter().any(|told| told.columns == key.columns);
    let is_there = |key: &ForeignKey| key.columns.iter().all(|column| table.column(column).is_some());
    let inferred = stored.foreign_keys.into_iter().filter(|key| key.origin != KeyOrigin::Declared);
    let kept: Vec<ForeignKey> = inferred.filter(|key| is_there(key) && !is_told(key)).collect();
    if kept.is_empty() {
        return Ok(Cow::Borrowed(table));
    }
    let mut table = table.clone();
    table.foreign_keys.extend(kept);
    Ok(Cow::Owned(table))
}

fn put_part(
    transaction: &Transaction<'_>,
    table: &TableId,
    kind: PartKind,
    part: &impl Serialize,
) -> Result<(), CatalogError> {
    put_sealed(transaction, table_of(kind), table, &encode(part))?;
    match kind {
        PartKind::Description => Ok(()),
        kind => Held::add(transaction, &key(table), kind),
    }
}

fn put_sealed(transaction: &Transaction<'_>, into: &str, table: &TableId, body: &str) -> Result<(), CatalogError> {
    let key = key(table);
    transaction
        .prepare_cached(&format!(
            "INSERT INTO {into} (table_id, body, seal, revision) VALUES (?1, ?2, ?3, (SELECT revision + 1 FROM state))
             ON CONFLICT (table_id) DO UPDATE SET body = excluded.body, seal = excluded.seal,
                 revision = excluded.revision"
        ))?
        .execute(params![key, body, seal(into, &key, body)])?;
    Ok(())
}

/// The key a table is stored under. JSON, because names may hold any character, dots among them.
fn key(id: &TableId) -> String {
    encode(&(&id.source, &id.schema, &id.name))
}

/// The table that a key stands for.
fn read_key(key: &str) -> Option<TableId> {
    let (source, schema, name) = serde_json::from_str(key).ok()?;
    Some(TableId { source, schema, name })
}

fn encode(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the model holds only maps with string keys")
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod tests;
