//! From the catalog's file to a [`Catalog`]: structures at once, the other parts when they are asked for.
//!
//! Every row is held against its seal. One that isn't as it was written takes nothing with it but what it says itself: a
//! structure its table, a source its tables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::de::DeserializeOwned;

use super::glossary::sealed_as;
use super::sealing::{Held, table_of, verify};
use super::{BUSY_TIMEOUT, key, read_key};
use crate::deferred::{Damage, Deferred, Moment, Part, PartKind};
use crate::entry::{Entry, Parts};
use crate::error::CatalogError;
use crate::model::description::Overrides;
use crate::model::glossary::Term;
use crate::model::masks::{MaskRules, Rulings};
use crate::model::memory::{Memory, MemoryId};
use crate::model::structure::{Source, Table, TableId};
use crate::model::usage::Usage;
use crate::view::Catalog;

/// Tables that aren't worth a thread of their own.
const LEAST_TO_SHARE: usize = 256;

/// The catalog in that file as it is now. Its parts are read later, from the same state; structures that didn't change since
/// `earlier` was read are shared with it. What people said is at hand in `rulings`, by the key of the table: no row that is read
/// later can say less.
pub(super) fn deferred_catalog(
    path: &Path,
    rules: &Arc<dyn MaskRules>,
    rulings: &BTreeMap<String, Rulings>,
    earlier: Option<&Catalog>,
) -> Result<Catalog, CatalogError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // It lasts as long as the catalog does, and keeps what it sees as it is.
    connection.execute_batch("BEGIN")?;
    let reading = Arc::new(Snapshot(Mutex::new(connection)));
    let connection = reading.connection();
    let origin = read_origin(&connection)?;
    let earlier = earlier.filter(|earlier| earlier.origin() == origin);
    let moment = Arc::clone(&reading) as Arc<dyn Moment>;
    let found = deferred_entries(&connection, &moment, rules, rulings, earlier)?;
    let catalog = read_catalog(&connection, found)?;
    // What columns inherit is read from the parts, for which the connection has to be free.
    drop(connection);
    Ok(with_lineage(catalog, rules))
}

/// The catalog behind a connection that nobody else can read from.
pub(super) fn whole_catalog(connection: &Connection, rules: &Arc<dyn MaskRules>) -> Result<Catalog, CatalogError> {
    let mut entries = Vec::new();
    let damaged = each_entry(connection, rules, None, &mut |entry| entries.push(entry))?;
    Ok(with_lineage(read_catalog(connection, Found { entries, damaged })?, rules))
}

fn with_lineage(catalog: Catalog, rules: &Arc<dyn MaskRules>) -> Catalog {
    let lineage = rules.lineage(&catalog);
    catalog.with_lineage(&lineage).with_mask_rules(rules.mark())
}

/// The catalog's file at one moment: a connection inside a read transaction.
struct Snapshot(Mutex<Connection>);

impl Snapshot {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moment for Snapshot {
    fn body(&self, table: &TableId, kind: PartKind, row: i64) -> Result<String, String> {
        let into = table_of(kind);
        let query = format!("SELECT body, seal FROM {into} WHERE rowid = ?1");
        let connection = self.connection();
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found = connection.prepare_cached(&query).and_then(|mut query| query.query_row([row], read));
        let (body, sealed): (String, String) = found.map_err(|error| error.to_string())?;
        // A damaged index can lead to the row of another table.
        verify(into, &key(table), &body, &sealed)?;
        Ok(body)
    }
}

/// Tables that can be read, and what can't.
#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    damaged: Vec<Damage>,
}

fn read_catalog(connection: &Connection, mut found: Found) -> Result<Catalog, CatalogError> {
    let sources = sources(connection, &mut found.damaged)?;
    // Nobody knows the dialect of a source that can't be read.
    found.entries.retain(|entry| {
        let known = sources.iter().any(|source| source.name == entry.table.id.source);
        if !known {
            found.damaged.push(damage(
                Some(&entry.table.id),
                "source",
                "the source it belongs to can't be read".into(),
            ));
        }
        known
    });
    let memories = memories(connection, &mut found.damaged)?;
    let usage = usage(connection, &mut found.damaged)?;
    let terms = terms(connection, &mut found.damaged)?;
    let catalog =
        Catalog::new(sources, found.entries, memories, read_revision(connection)?).with_usage(usage).with_terms(terms);
    Ok(catalog.with_origin(read_origin(connection)?).with_damage(found.damaged))
}

fn damage(table: Option<&TableId>, part: &'static str, reason: String) -> Damage {
    Damage { table: table.cloned(), part, reason }
}

/// What a row says, if it is as it was written.
fn sealed<T: DeserializeOwned>(table: &str, key: &str, body: &str, seal: &str) -> Result<T, String> {
    verify(table, key, body, seal)?;
    serde_json::from_str(body).map_err(|error| error.to_string())
}

fn sources(connection: &Connection, damaged: &mut Vec<Damage>) -> Result<Vec<Source>, CatalogError> {
    let mut statement = connection.prepare("SELECT name, body, seal FROM sources ORDER BY name")?;
    let mut rows = statement.query([])?;
    let mut sources = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> Result<Source, String> {
            let name = text_at(row, 0)?;
            sealed("sources", name, text_at(row, 1)?, text_at(row, 2)?)
        };
        match read() {
            Ok(source) => sources.push(source),
            Err(reason) => damaged.push(damage(None, "source", reason)),
        }
    }
    Ok(sources)
}

/// What has been run over each source, by its name.
fn usage(connection: &Connection, damaged: &mut Vec<Damage>) -> Result<Vec<(String, Usage)>, CatalogError> {
    let mut statement = connection.prepare("SELECT name, body, seal FROM usage ORDER BY name")?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> Result<(String, Usage), String> {
            let name = text_at(row, 0)?;
            Ok((name.to_owned(), sealed("usage", name, text_at(row, 1)?, text_at(row, 2)?)?))
        };
        match read() {
            Ok(read) => all.push(read),
            Err(reason) => damaged.push(damage(None, "usage", reason)),
        }
    }
    Ok(all)
}

/// All terms, by source and name.
fn terms(connection: &Connection, damaged: &mut Vec<Damage>) -> Result<Vec<Term>, CatalogError> {
    let mut statement = connection.prepare("SELECT source, name, body, seal FROM terms ORDER BY source, name")?;
    let mut rows = statement.query([])?;
    let mut terms = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> Result<Term, String> {
            let key = sealed_as(text_at(row, 0)?, text_at(row, 1)?);
            sealed("terms", &key, text_at(row, 2)?, text_at(row, 3)?)
        };
        match read() {
            Ok(term) => terms.push(term),
            Err(reason) => damaged.push(damage(None, "term", reason)),
        }
    }
    Ok(terms)
}

fn memories(connection: &Connection, damaged: &mut Vec<Damage>) -> Result<Vec<Memory>, CatalogError> {
    let mut statement = connection.prepare(
        "SELECT CAST(id AS TEXT), body || state, seal, id, body, created_at, state FROM memories ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let mut memories = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> Result<Memory, String> {
            verify("memories", text_at(row, 0)?, text_at(row, 1)?, text_at(row, 2)?)?;
            let wrong = |error: serde_json::Error| error.to_string();
            Ok(Memory {
                id: MemoryId(row.get(3).map_err(|error| error.to_string())?),
                content: serde_json::from_str(text_at(row, 4)?).map_err(wrong)?,
                created_at: text_at(row, 5)?.parse().unwrap_or(Timestamp::UNIX_EPOCH),
                state: serde_json::from_str(text_at(row, 6)?).map_err(wrong)?,
            })
        };
        match read() {
            Ok(memory) => memories.push(memory),
            Err(reason) => damaged.push(damage(None, "approved query or correction", reason)),
        }
    }
    Ok(memories)
}

/// What is known of a table before any of its parts is read.
struct Listed {
    key: String,
    overrides: Result<Overrides, String>,
    /// Which of its parts were written, by the note of it.
    held: Result<Option<Held>, String>,
    revision: u64,
    parts: Parts,
    /// Which of its parts are there.
    has: Held,
}

impl Listed {
    /// The columns that every listing begins with, behind which come the parts.
    const COLUMNS: &'static str = "t.id, o.body, o.seal, h.held, h.seal,
        max(t.revision, ifnull(p.revision, 0), ifnull(d.revision, 0), ifnull(o.revision, 0), ifnull(r.revision, 0))";

    fn read(row: &rusqlite::Row<'_>, has: Held, parts: Parts) -> Result<Self, Damage> {
        let unreadable = |reason| damage(None, "structure", reason);
        let key = text_at(row, 0).map_err(unreadable)?.to_owned();
        let pair = |at: usize| Ok(optional_text_at(row, at)?.zip(optional_text_at(row, at + 1)?));
        let overrides = pair(1).and_then(|stored| match stored {
            Some((body, seal)) => sealed("overrides", &key, body, seal),
            None => Ok(Overrides::default()),
        });
        let held = pair(3).and_then(|stored| stored.map(|stored| Held::read(&key, Some(stored))).transpose());
        let revision = row.get::<_, i64>(5).map_err(|error| unreadable(error.to_string()))?.unsigned_abs();
        Ok(Self { key, overrides, held, revision, parts, has })
    }

    /// The entry of a table whose structure is `table`.
    fn entry(mut self, table: Result<Arc<Table>, String>, damaged: &mut Vec<Damage>) -> Option<Entry> {
        let id = read_key(&self.key);
        let table = match table {
            Ok(table) if id.as_ref() == Some(&table.id) => table,
            Ok(_) => return self.lost(id.as_ref(), "its key is not its own".to_owned(), damaged),
            Err(reason) => return self.lost(id.as_ref(), reason, damaged),
        };
        let noted = match self.held {
            Ok(Some(held)) => Ok(held),
            Ok(None) if self.has == Held::default() => Ok(Held::default()),
            Ok(None) => Err("it isn't noted which there are".to_owned()),
            Err(reason) => Err(reason),
        };
        let gone = |part: bool| part.then(|| "it is gone".to_owned());
        let lost = |of: fn(Held) -> bool| match &noted {
            Ok(noted) => gone(of(*noted) && !of(self.has)),
            Err(reason) => Some(reason.clone()),
        };
        if let Some(reason) = lost(|held| held.masks) {
            self.parts.examination = Deferred::of_body(Err(reason));
        }
        if let Some(reason) = lost(|held| held.rulings) {
            self.parts.rulings = Deferred::of_body(Err(reason));
        }
        if let Some(reason) = lost(|held| held.profile) {
            self.parts.profile = Deferred::of_body(Err(reason));
        }
        let overrides = self.overrides.unwrap_or_else(|reason| {
            damaged.push(damage(Some(&table.id), "edits", reason));
            Overrides::default()
        });
        Some(Entry::of(table, overrides, self.revision, self.parts))
    }

    fn lost(&self, id: Option<&TableId>, reason: String, damaged: &mut Vec<Damage>) -> Option<Entry> {
        damaged.push(damage(id, "structure", reason));
        None
    }

    /// What `earlier` knows of its structure, if it is still so.
    fn unchanged(&self, earlier: &Catalog) -> Option<Arc<Table>> {
        let entry = earlier.entry(&read_key(&self.key)?)?;
        (entry.revision == self.revision).then(|| Arc::clone(&entry.table))
    }
}

const ENTRIES: &str = "FROM tables t
     LEFT JOIN profiles p INDEXED BY profile_revisions ON p.table_id = t.id
     LEFT JOIN descriptions d INDEXED BY description_revisions ON d.table_id = t.id
     LEFT JOIN overrides o ON o.table_id = t.id
     LEFT JOIN masks m ON m.table_id = t.id
     LEFT JOIN rulings r ON r.table_id = t.id
     LEFT JOIN parts h ON h.table_id = t.id WHERE t.dropped_at IS NULL";

/// Entries whose parts are read later; structures that `earlier` has are shared with it.
fn deferred_entries(
    connection: &Connection,
    moment: &Arc<dyn Moment>,
    rules: &Arc<dyn MaskRules>,
    said: &BTreeMap<String, Rulings>,
    earlier: Option<&Catalog>,
) -> Result<Found, CatalogError> {
    let mut statement = connection
        .prepare(&format!("SELECT {}, t.rowid, m.rowid, r.rowid, p.rowid, d.rowid {ENTRIES}", Listed::COLUMNS))?;
    let mut body = connection.prepare("SELECT body, seal FROM tables WHERE rowid = ?1")?;
    let mut found = Found::default();
    let mut bodies: Vec<(Listed, Body)> = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(6)?;
        let [masks, rulings, profile, description] =
            [row.get(7)?, row.get(8)?, row.get(9)?, row.get::<_, Option<i64>>(10)?];
        let has = Held { masks: masks.is_some(), rulings: rulings.is_some(), profile: profile.is_some() };
        let parts = Parts {
            examination: later(moment, masks),
            rulings: match text_at(row, 0).ok().and_then(|key| said.get(key)) {
                Some(said) => Some(said.clone()).into(),
                None => later(moment, rulings),
            },
            profile: later(moment, profile),
            description: later(moment, description),
            rules: Arc::clone(rules),
        };
        let listed = match Listed::read(row, has, parts) {
            Ok(listed) => listed,
            Err(damage) => {
                found.damaged.push(damage);
                continue;
            }
        };
        match earlier.and_then(|earlier| listed.unchanged(earlier)) {
            Some(table) => found.entries.extend(listed.entry(Ok(table), &mut found.damaged)),
            None => {
                let read = body.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)));
                bodies.push((listed, read.map_err(|error| error.to_string())));
            }
        }
    }
    let decoded = decode_all(bodies);
    found.entries.extend(decoded.entries);
    found.damaged.extend(decoded.damaged);
    Ok(found)
}

/// The JSON of a structure with its seal, or why it can't be had.
type Body = Result<(String, String), String>;

/// Decoding is nearly all of the work of a first look, and each core can do its part.
fn decode_all(mut bodies: Vec<(Listed, Body)>) -> Found {
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    let length = bodies.len().div_ceil(parts).max(LEAST_TO_SHARE);
    let mut shares = Vec::new();
    while !bodies.is_empty() {
        shares.push(bodies.split_off(bodies.len().saturating_sub(length)));
    }
    let decode_share = |share: Vec<(Listed, Body)>| -> Found {
        let mut found = Found::default();
        for (listed, body) in share {
            let table = body.and_then(|(body, seal)| sealed("tables", &listed.key, &body, &seal));
            found.entries.extend(listed.entry(table.map(Arc::new), &mut found.damaged));
        }
        found
    };
    std::thread::scope(|scope| {
        let own = shares.pop().unwrap_or_default();
        let others: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || decode_share(share))).collect();
        let mut found = decode_share(own);
        for other in others {
            match other.join() {
                Ok(decoded) => {
                    found.entries.extend(decoded.entries);
                    found.damaged.extend(decoded.damaged);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    })
}

fn later<T: Part>(moment: &Arc<dyn Moment>, row: Option<i64>) -> Deferred<T> {
    row.map_or_else(|| None.into(), |row| Deferred::later(moment, row))
}

/// Hands whole entries to `take`, those of one source or all; says what can't be read.
pub(super) fn each_entry(
    connection: &Connection,
    rules: &Arc<dyn MaskRules>,
    source: Option<&str>,
    take: &mut dyn FnMut(Entry),
) -> Result<Vec<Damage>, CatalogError> {
    let only = if source.is_some() { "AND t.source = ?1" } else { "" };
    let mut statement = connection.prepare(&format!(
        "SELECT {}, t.body, t.seal, m.body, m.seal, r.body, r.seal, p.body, p.seal, d.body, d.seal
         {ENTRIES} {only} ORDER BY t.id",
        Listed::COLUMNS
    ))?;
    let mut rows = statement.query(rusqlite::params_from_iter(source))?;
    let mut damaged = Vec::new();
    while let Some(row) = rows.next()? {
        let key = text_at(row, 0).unwrap_or_default().to_owned();
        let whole = |table: &str, at: usize| -> Option<Result<String, String>> {
            let stored = optional_text_at(row, at).and_then(|body| Ok(body.zip(optional_text_at(row, at + 1)?)));
            let checked = |(body, seal): (&str, &str)| verify(table, &key, body, seal).map(|()| body.to_owned());
            stored.transpose().map(|stored| stored.and_then(checked))
        };
        let [masks, rulings] = [whole("masks", 8), whole("rulings", 10)];
        let [profile, description] = [whole("profiles", 12), whole("descriptions", 14)];
        let has = Held { masks: masks.is_some(), rulings: rulings.is_some(), profile: profile.is_some() };
        let parts = Parts {
            examination: in_hand(masks),
            rulings: in_hand(rulings),
            profile: in_hand(profile),
            description: in_hand(description),
            rules: Arc::clone(rules),
        };
        let table = text_at(row, 6).and_then(|body| sealed("tables", &key, body, text_at(row, 7)?));
        match Listed::read(row, has, parts) {
            Ok(listed) => listed.entry(table.map(Arc::new), &mut damaged).into_iter().for_each(&mut *take),
            Err(damage) => damaged.push(damage),
        }
    }
    Ok(damaged)
}

fn in_hand<T: Part>(body: Option<Result<String, String>>) -> Deferred<T> {
    body.map_or_else(|| None.into(), Deferred::of_body)
}

/// A text of a row, where it lies.
fn text_at<'r>(row: &'r rusqlite::Row<'_>, position: usize) -> Result<&'r str, String> {
    optional_text_at(row, position)?.ok_or_else(|| "it is empty".to_owned())
}

fn optional_text_at<'r>(row: &'r rusqlite::Row<'_>, position: usize) -> Result<Option<&'r str>, String> {
    let value = row.get_ref(position).map_err(|error| error.to_string())?;
    value.as_str_or_null().map_err(|error| error.to_string())
}

pub(super) fn read_revision(connection: &Connection) -> Result<u64, CatalogError> {
    let revision: i64 = connection.query_row("SELECT revision FROM state", [], |row| row.get(0))?;
    Ok(revision.unsigned_abs())
}

pub(super) fn read_origin(connection: &Connection) -> Result<String, CatalogError> {
    Ok(connection.query_row("SELECT origin FROM state", [], |row| row.get(0))?)
}

pub(super) fn decode<T: DeserializeOwned>(body: &str, what: &'static str) -> Result<T, CatalogError> {
    serde_json::from_str(body).map_err(|source| CatalogError::Decode { what, source })
}
