//! What a description is written from, so that it is known when it has to be written anew.

use catalog::{Catalog, ColumnProfile, Entry, KnownValues, TableId};
use serde_json::json;
use sha2::{Digest, Sha256};

/// Raised when the rules' wording changes in a way that makes model-written texts worth writing again.
pub(crate) const RULES_VERSION: u32 = 2;

/// What a description is written from, as 16 hexadecimal digits: the structure with all keys, who refers to the
/// table, and the parts of the profile that change the meaning. Row counts and ranges that move every day are left
/// out, since a model would be asked again for each of them.
pub fn basis(entry: &Entry, catalog: &Catalog) -> String {
    let keys: Vec<_> =
        entry.table.foreign_keys.iter().map(|key| (&key.columns, &key.ref_table, &key.ref_columns)).collect();
    let parents: Vec<_> = referencing(catalog, &entry.table.id).into_iter().map(|other| &other.table.id).collect();
    let profile = entry.profile().map(|profile| {
        let columns: Vec<_> = profile.columns.iter().map(coarse).collect();
        json!([columns, profile.stale, profile.skipped])
    });
    let parts = json!([RULES_VERSION, entry.table.fingerprint(), keys, parents, profile]);
    let digest = Sha256::digest(parts.to_string().as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// What of a column's profile changes its meaning.
fn coarse(profile: &ColumnProfile) -> serde_json::Value {
    let mut values: Vec<&String> = match &profile.values {
        KnownValues::All(values) => values.iter().collect(),
        KnownValues::Some(_) | KnownValues::Unknown => Vec::new(),
    };
    values.sort();
    let empty = profile.null_fraction.map(|share| if share >= 0.9995 { 2 } else { u8::from(share >= 0.5) });
    json!([
        profile.column,
        values,
        profile.pattern.as_ref().map(|pattern| &pattern.form),
        profile.masked_because(),
        empty
    ])
}

/// The tables whose foreign keys point to `id`, in order of their ids, without itself.
pub(crate) fn referencing<'a>(catalog: &'a Catalog, id: &TableId) -> Vec<&'a Entry> {
    catalog
        .tables_of(&id.source)
        .filter(|other| other.table.id != *id && other.table.foreign_keys.iter().any(|key| key.ref_table == *id))
        .collect()
}
