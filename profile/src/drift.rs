//! What has changed in a source since it was profiled, as far as the engine tells without a row being read.

use std::collections::HashSet;

use catalog::{Catalog, TableId};
use connect::{ConnectError, Connector};
use jiff::Timestamp;

use crate::options::Additions;
use crate::writes::{Writes, writes_since};

/// Why a table's profile, or its place in the catalog, is out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drift {
    /// The catalog doesn't know the table yet.
    New,
    /// The table is gone.
    Gone,
    /// It has other columns, keys, indexes or comments.
    Structure,
    /// Columns of it are open that were masked when their values were taken out of its profile.
    Opened,
    /// The engine has counted more writes than a profile bears.
    Written,
}

impl Drift {
    /// The reason, for people.
    pub fn reason(self) -> &'static str {
        match self {
            Self::New => "it is new in the database",
            Self::Gone => "it is gone from the database",
            Self::Structure => "its structure, or what is said of it, has changed",
            Self::Opened => "columns of it were released since it was profiled",
            Self::Written => "rows have been written since it was profiled",
        }
    }
}

/// What has changed in a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drifted {
    /// Tables with the reason, by name.
    pub tables: Vec<(TableId, Drift)>,
    /// Whether the database was written to since the last run, where the engine doesn't tell to which table.
    pub somewhere: bool,
}

/// Compares what the catalog holds of a source with what the engine says now, and what was added to that. Tables that were never profiled are not
/// listed: the catalog alone tells of them.
///
/// # Errors
///
/// Where the source can't be introspected.
pub async fn drift(
    connector: &dyn Connector,
    catalog: &Catalog,
    additions: Option<&dyn Additions>,
) -> Result<Drifted, ConnectError> {
    let mut now = connector.introspect().await?;
    additions.into_iter().for_each(|additions| additions.add_to(&mut now));
    let mut tables = Vec::new();
    for table in &now {
        let Some(entry) = catalog.entry(&table.id) else {
            tables.push((table.id.clone(), Drift::New));
            continue;
        };
        let Some(profile) = entry.profile() else { continue };
        if profile.fingerprint.is_empty() {
            tables.push((table.id.clone(), Drift::Opened));
        } else if table.fingerprint() != profile.fingerprint {
            tables.push((table.id.clone(), Drift::Structure));
        } else if profile.skipped.is_none()
            && writes_since(profile, connector.write_mark(table).await?.as_ref()) == Writes::Some
        {
            tables.push((table.id.clone(), Drift::Written));
        }
    }
    let source = &connector.source().name;
    let present: HashSet<&TableId> = now.iter().map(|table| &table.id).collect();
    let known = catalog.tables_of(source);
    tables.extend(
        known.filter(|entry| !present.contains(&entry.table.id)).map(|entry| (entry.table.id.clone(), Drift::Gone)),
    );
    tables.sort_by(|left, right| left.0.cmp(&right.0));
    let changed_at = connector.changed_at().and_then(|at| Timestamp::try_from(at).ok());
    let indexed_at = catalog.source(source).and_then(|source| source.indexed_at);
    let somewhere = changed_at.zip(indexed_at).is_some_and(|(changed, indexed)| changed >= indexed);
    Ok(Drifted { tables, somewhere })
}
