//! Declared foreign keys, brought into the spelling of what they point at.
//!
//! Engines let a key name its target in another case, leave the target's columns out, or point at nothing. Every
//! connector resolves its keys here once all tables are known, so that the rooms above can follow any key they see.

use std::collections::HashMap;

use catalog::{ForeignKey, KeyOrigin, Table, TableId};

/// A key as it was declared, before it is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeclaredKey {
    /// Columns here, as written in the key.
    pub(crate) columns: Vec<String>,
    /// The schema of the target, where it is named.
    pub(crate) ref_schema: Option<String>,
    /// The target, as written in the key.
    pub(crate) ref_table: String,
    /// Columns there; empty where the key means the target's primary key.
    pub(crate) ref_columns: Vec<String>,
}

/// Adds the declared keys to `tables`, which `keys` runs parallel to. Keys that point at nothing are left out.
pub(crate) fn resolve(tables: &mut [Table], keys: Vec<Vec<DeclaredKey>>) {
    let mut positions: HashMap<String, Vec<usize>> = HashMap::with_capacity(tables.len());
    for (position, table) in tables.iter().enumerate() {
        positions.entry(table.id.name.to_lowercase()).or_default().push(position);
    }
    for (position, keys) in keys.into_iter().enumerate() {
        let mut resolved: Vec<ForeignKey> = Vec::with_capacity(keys.len());
        for key in keys {
            match resolve_one(tables, &positions, position, &key) {
                Some(key) if resolved.contains(&key) => {}
                Some(key) => resolved.push(key),
                None => tracing::debug!(table = %tables[position].id, target = key.ref_table, "key points at nothing"),
            }
        }
        tables[position].foreign_keys = resolved;
    }
}

fn resolve_one(
    tables: &[Table],
    positions: &HashMap<String, Vec<usize>>,
    from: usize,
    key: &DeclaredKey,
) -> Option<ForeignKey> {
    let wanted_schema = key.ref_schema.as_ref().or(tables[from].id.schema.as_ref());
    let candidates = positions.get(&key.ref_table.to_lowercase())?;
    let fits = |id: &TableId| id.schema.as_ref() == wanted_schema;
    let exact = |id: &TableId| fits(id) && id.name == key.ref_table;
    let target = candidates
        .iter()
        .find(|&&position| exact(&tables[position].id))
        .or_else(|| candidates.iter().find(|&&position| fits(&tables[position].id)))
        .or_else(|| candidates.first().filter(|_| candidates.len() == 1 && key.ref_schema.is_none()))?;
    let target = &tables[*target];
    let columns = spelt_as_in(&tables[from], &key.columns)?;
    let ref_columns =
        if key.ref_columns.is_empty() { target.primary_key.clone() } else { spelt_as_in(target, &key.ref_columns)? };
    if columns.is_empty() || columns.len() != ref_columns.len() {
        return None;
    }
    Some(ForeignKey { columns, ref_table: target.id.clone(), ref_columns, origin: KeyOrigin::Declared })
}

/// The names as `table` spells them; `None` where it lacks one.
fn spelt_as_in(table: &Table, names: &[String]) -> Option<Vec<String>> {
    let spelt = |name: &String| {
        let exact = table.columns.iter().find(|column| column.name == *name);
        exact.or_else(|| table.column(name)).map(|column| column.name.clone())
    };
    names.iter().map(spelt).collect()
}
