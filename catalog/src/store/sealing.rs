//! Seals: a hash beside every row, over what it is, whose it is and what it says.
//!
//! SQLite doesn't notice a changed byte in a text. What masks a column must not be lost by one, so each row is held
//! against its seal when it is read. Seals tell damage, not malice: who can write the file can write them too.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::deferred::PartKind;
use crate::error::CatalogError;
use crate::model::structure::short_hash;

/// The seal of a row.
pub(super) fn seal(table: &str, key: &str, body: &str) -> String {
    short_hash(&format!("{table}\0{key}\0{body}"))
}

/// Says what is wrong with a row that isn't as it was sealed.
pub(super) fn verify(table: &str, key: &str, body: &str, sealed: &str) -> Result<(), String> {
    match seal(table, key, body) == sealed {
        true => Ok(()),
        false => Err("it is not as it was written".to_owned()),
    }
}

/// The texts of a row; what is no text, or no UTF-8, is as good as empty.
pub(super) fn texts<const COUNT: usize>(row: &rusqlite::Row<'_>) -> [String; COUNT] {
    std::array::from_fn(|position| row.get(position).unwrap_or_default())
}

/// The SQL table that parts of that kind lie in.
pub(super) fn table_of(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Examination => "masks",
        PartKind::Rulings => "rulings",
        PartKind::Profile => "profiles",
        PartKind::Description => "descriptions",
    }
}

/// Which of the parts that a table's columns are shown by it has, as it is noted apart from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) masks: bool,
    pub(super) rulings: bool,
    pub(super) profile: bool,
}

impl Held {
    /// The form in which it is stored.
    fn text(self) -> String {
        let letters = [(self.masks, 'm'), (self.rulings, 'r'), (self.profile, 'p')];
        letters.iter().filter(|(held, _)| *held).map(|(_, letter)| letter).collect()
    }

    /// What is stored of a table, if that is as it was written; of a table of which nothing is stored, nothing is held.
    pub(super) fn read(key: &str, stored: Option<(&str, &str)>) -> Result<Self, String> {
        let Some((held, sealed)) = stored else { return Ok(Self::default()) };
        verify("parts", key, held, sealed)?;
        Ok(Self { masks: held.contains('m'), rulings: held.contains('r'), profile: held.contains('p') })
    }

    /// Notes that a table has a further part. What was noted before and can't be read is noted anew from what is there.
    pub(super) fn add(transaction: &Transaction<'_>, key: &str, kind: PartKind) -> Result<(), CatalogError> {
        let stored: Option<[String; 2]> = transaction
            .prepare_cached("SELECT held, seal FROM parts WHERE table_id = ?1")?
            .query_row([key], |row| Ok(texts(row)))
            .optional()?;
        let stored = stored.as_ref().map(|[held, sealed]| (held.as_str(), sealed.as_str()));
        let mut held = match Self::read(key, stored) {
            Ok(held) => held,
            Err(_) => Self::found(transaction, key)?,
        };
        match kind {
            PartKind::Examination => held.masks = true,
            PartKind::Rulings => held.rulings = true,
            PartKind::Profile => held.profile = true,
            PartKind::Description => {}
        }
        held.write(transaction, key)
    }

    /// What of a table is there.
    pub(super) fn found(connection: &Connection, key: &str) -> Result<Self, CatalogError> {
        let has = |table: &str| -> Result<bool, CatalogError> {
            let mut row = connection.prepare_cached(&format!("SELECT 1 FROM {table} WHERE table_id = ?1"))?;
            Ok(row.exists([key])?)
        };
        Ok(Self { masks: has("masks")?, rulings: has("rulings")?, profile: has("profiles")? })
    }

    pub(super) fn write(self, connection: &Connection, key: &str) -> Result<(), CatalogError> {
        let held = self.text();
        connection
            .prepare_cached(
                "INSERT INTO parts (table_id, held, seal) VALUES (?1, ?2, ?3)
                 ON CONFLICT (table_id) DO UPDATE SET held = excluded.held, seal = excluded.seal",
            )?
            .execute(params![key, held, seal("parts", key, &held)])?;
        Ok(())
    }
}

/// Seals what was written before there were seals, which nothing can be said against.
pub(super) fn seal_all(connection: &Connection) -> Result<(), CatalogError> {
    let keyed = [
        ("sources", "name", "body"),
        ("tables", "id", "body"),
        ("profiles", "table_id", "body"),
        ("descriptions", "table_id", "body"),
        ("overrides", "table_id", "body"),
        ("memories", "id", "body || state"),
    ];
    for (table, key, body) in keyed {
        let mut rows = connection.prepare(&format!("SELECT rowid, CAST({key} AS TEXT), {body} FROM {table}"))?;
        let mut sealed = connection.prepare(&format!("UPDATE {table} SET seal = ?2 WHERE rowid = ?1"))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (number, key, body): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            sealed.execute(params![number, seal(table, &key, &body)])?;
        }
    }
    let mut tables = connection.prepare("SELECT id FROM tables")?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    tables.iter().try_for_each(|key| Held::found(connection, key)?.write(connection, key))
}
