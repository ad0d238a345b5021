//! Keys that no name tells, by what people join: query logs say which columns, and values whether one refers to the other.

use catalog::{Catalog, Entry, ForeignKey, KeyEvidence, KeyOrigin, TableId, UsualJoin};
use connect::ReadRows;

use super::names::Target;
use super::{LEAST_INCLUSION, can_look_up, candidates, key_columns, types_fit, values_of};
use crate::options::Options;

/// How far a join that many use is believed where its values agree.
const USED: f64 = 0.95;

/// For tables of a source, the keys that follow from joins of query logs which no key tells of yet, each with its table.
pub(crate) async fn joined(
    connector: &dyn ReadRows,
    catalog: &Catalog,
    source: &str,
    options: &Options,
) -> Vec<(TableId, ForeignKey)> {
    let entries: Vec<&Entry> = catalog.tables_of(source).collect();
    let targets = key_columns(&entries, options);
    let mut found = Vec::new();
    for entry in &entries {
        let Some(usage) = catalog.usage_of(entry) else { continue };
        let may_refer: Vec<&str> = candidates(entry).collect();
        for join in usage.joins.iter().filter(|join| may_refer.contains(&join.column.as_str())) {
            let is_target = |table: &TableId, column: &str| {
                targets.iter().find(|target| entries[target.table].table.id == *table && target.column == column)
            };
            let Some(target) = is_target(&join.with, &join.with_column) else { continue };
            let own = &entry.table.id;
            // Of two columns that may both be referred to, the later table's refers.
            let is_other_way = is_target(own, &join.column).is_some() && *own < join.with;
            let other = entries[target.table];
            let is_known = knows(entry, &join.column, &other.table.id, &join.with_column)
                || knows(other, &join.with_column, own, &join.column);
            if is_other_way || is_known || join.with == *own || !types_fit(entry, &join.column, other, target) {
                continue;
            }
            if let Some(evidence) = weigh(connector, (entry, join), (other, target), options).await {
                let key = ForeignKey {
                    columns: vec![join.column.clone()],
                    ref_table: join.with.clone(),
                    ref_columns: vec![join.with_column.clone()],
                    origin: KeyOrigin::Inferred(evidence),
                };
                found.push((own.clone(), key));
            }
        }
    }
    found
}

/// Whether a key of the table says it already.
fn knows(entry: &Entry, column: &str, other: &TableId, other_column: &str) -> bool {
    entry.table.foreign_keys.iter().any(|key| {
        let mut pairs = key.columns.iter().zip(&key.ref_columns);
        key.ref_table == *other && pairs.any(|(own, referred)| own == column && referred == other_column)
    })
}

/// What speaks for a join being a key; `None` where its values speak against it.
async fn weigh(
    connector: &dyn ReadRows,
    (entry, join): (&Entry, &UsualJoin),
    (other, target): (&Entry, &Target),
    options: &Options,
) -> Option<KeyEvidence> {
    let of = |inclusion, values_checked, confidence| KeyEvidence {
        name_fit: 0.0,
        joined_in: join.statements,
        inclusion,
        values_checked,
        confidence,
    };
    let values = values_of(connector, entry, &join.column, options).await.unwrap_or_default();
    if values.is_empty() || !can_look_up(other, &target.column, options) {
        return Some(of(None, 0, KeyEvidence::JOINED_ALONE));
    }
    let found = connector.contains(&other.table, &target.column, &values).await;
    let found = found
        .inspect_err(|error| tracing::warn!(table = %other.table.id, code = error.code(), "values can't be looked up"));
    let checked = values.len() as f64;
    let inclusion = found.ok()? as f64 / checked;
    let confidence = USED * inclusion * checked / (checked + 1.0);
    (inclusion >= LEAST_INCLUSION).then(|| of(Some(inclusion), values.len() as u64, confidence))
}
