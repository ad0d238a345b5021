//! From the catalog's file to a [`Catalog`]: everything at once, or profiles and descriptions when they are looked at.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::de::DeserializeOwned;

use super::BUSY_TIMEOUT;
use crate::deferred::{Deferred, Kind, Moment};
use crate::error::CatalogError;
use crate::model::description::{Overrides, TableDescription};
use crate::model::memory::{Memory, MemoryId};
use crate::model::profile::TableProfile;
use crate::model::structure::{Table, TableId};
use crate::view::{Catalog, Entry};

/// Tables that aren't worth a thread of their own.
const LEAST_TO_SHARE: usize = 256;

/// The catalog in that file as it is now. Profiles and descriptions are read later, from the same state; structures that didn't
/// change since `earlier` was read are shared with it.
pub(super) fn deferred_catalog(path: &Path, earlier: Option<&Catalog>) -> Result<Catalog, CatalogError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // It lasts as long as the catalog does, and keeps what it sees as it is.
    connection.execute_batch("BEGIN")?;
    let reading = Arc::new(Reading(Mutex::new(connection)));
    let connection = reading.connection();
    let origin = read_origin(&connection)?;
    let earlier = earlier.filter(|earlier| earlier.origin() == origin);
    let entries = deferred_entries(&connection, &(Arc::clone(&reading) as Arc<dyn Moment>), earlier)?;
    read_catalog(&connection, entries)
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

pub(super) fn read_catalog(connection: &Connection, entries: Vec<Entry>) -> Result<Catalog, CatalogError> {
    let mut statement = connection.prepare("SELECT body FROM sources ORDER BY name")?;
    let bodies: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let sources = bodies.iter().map(|body| decode(body, "source")).collect::<Result<_, _>>()?;
    let origin = read_origin(connection)?;
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

/// Where the parts of a table lie, and when any of them was last written.
struct Listed {
    row: i64,
    key: String,
    profile: Option<i64>,
    description: Option<i64>,
    overrides: Option<String>,
    revision: u64,
}

impl Listed {
    fn entry(self, table: Arc<Table>, moment: &Arc<dyn Moment>) -> Result<Entry, CatalogError> {
        Ok(Entry {
            table,
            overrides: decode_overrides(self.overrides.as_deref())?,
            profile: deferred(moment, self.profile),
            description: deferred(moment, self.description),
            revision: self.revision,
        })
    }

    /// What `earlier` knows of its structure, if it is still so.
    fn unchanged(&self, earlier: &Catalog) -> Option<Arc<Table>> {
        let (source, schema, name) = serde_json::from_str(&self.key).ok()?;
        let entry = earlier.entry(&TableId { source, schema, name })?;
        (entry.revision == self.revision).then(|| Arc::clone(&entry.table))
    }
}

/// Entries whose profiles and descriptions are read later; structures that `earlier` has are shared with it.
fn deferred_entries(
    connection: &Connection,
    moment: &Arc<dyn Moment>,
    earlier: Option<&Catalog>,
) -> Result<Vec<Entry>, CatalogError> {
    let mut statement =
        connection.prepare(&format!("SELECT t.rowid, t.id, p.rowid, d.rowid, o.body, {REVISION} {ENTRIES}"))?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Listed {
            row: row.get(0)?,
            key: row.get(1)?,
            profile: row.get(2)?,
            description: row.get(3)?,
            overrides: row.get(4)?,
            revision: row.get::<_, i64>(5)?.unsigned_abs(),
        })
    };
    let mut entries = Vec::new();
    let mut bodies: Vec<(Listed, String)> = Vec::new();
    let mut body = connection.prepare("SELECT body FROM tables WHERE rowid = ?1")?;
    for listed in statement.query_map([], read)? {
        let listed = listed?;
        match earlier.and_then(|earlier| listed.unchanged(earlier)) {
            Some(table) => entries.push(listed.entry(table, moment)?),
            None => bodies.push(body.query_row([listed.row], |row| row.get(0)).map(|body| (listed, body))?),
        }
    }
    entries.extend(decode_all(bodies, moment)?);
    Ok(entries)
}

/// Decoding is nearly all of the work of a first look, and each core can do its part.
fn decode_all(mut bodies: Vec<(Listed, String)>, moment: &Arc<dyn Moment>) -> Result<Vec<Entry>, CatalogError> {
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    let length = bodies.len().div_ceil(parts).max(LEAST_TO_SHARE);
    let mut shares = Vec::new();
    while !bodies.is_empty() {
        shares.push(bodies.split_off(bodies.len().saturating_sub(length)));
    }
    let decode_share = |share: Vec<(Listed, String)>| -> Result<Vec<Entry>, CatalogError> {
        let decoded = share.into_iter().map(|(listed, body)| listed.entry(decode(&body, "table")?, moment));
        decoded.collect()
    };
    std::thread::scope(|scope| {
        let own = shares.pop().unwrap_or_default();
        let others: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || decode_share(share))).collect();
        let mut entries = decode_share(own)?;
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
pub(super) fn each_entry(
    connection: &Connection,
    source: Option<&str>,
    take: &mut dyn FnMut(Entry),
) -> Result<(), CatalogError> {
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
     LEFT JOIN profiles p INDEXED BY profile_revisions ON p.table_id = t.id
     LEFT JOIN descriptions d INDEXED BY description_revisions ON d.table_id = t.id
     LEFT JOIN overrides o ON o.table_id = t.id WHERE t.dropped_at IS NULL";

pub(super) fn read_revision(connection: &Connection) -> Result<u64, CatalogError> {
    let revision: i64 = connection.query_row("SELECT revision FROM state", [], |row| row.get(0))?;
    Ok(revision.unsigned_abs())
}

fn read_origin(connection: &Connection) -> Result<String, CatalogError> {
    Ok(connection.query_row("SELECT origin FROM state", [], |row| row.get(0))?)
}

pub(super) fn decode<T: DeserializeOwned>(body: &str, what: &'static str) -> Result<T, CatalogError> {
    serde_json::from_str(body).map_err(|source| CatalogError::Decode { what, source })
}
