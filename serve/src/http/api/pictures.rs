//! What pictures are drawn from: how a table's values are distributed, and which tables refer to which.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Catalog, Entry, Exposure, TableId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::names;
use crate::tools;

/// How a table's values are distributed, as far as that may be told.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProfileDocument {
    /// Missing where the table hasn't been looked at, or why it wasn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    profiled_at: Option<jiff::Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    /// Rows that the figures rest on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_seen: Option<u64>,
    columns: Vec<ColumnPicture>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ColumnPicture {
    name: String,
    /// `number`, `time` or `other`: what a range means.
    kind: &'static str,
    /// Why its values are hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<String>,
    /// Share of rows that are NULL, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    null_share: Option<f64>,
    /// Different values.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<u64>,
    /// The most frequent values, most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    most_common: Vec<Common>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<String>,
    /// Characters, in the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    average_length: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Common {
    value: String,
    /// Of all rows, 0 to 1.
    share: f64,
}

/// Characters of a value.
const VALUE_CHARACTERS: usize = 60;

pub(super) fn profile(entry: &Entry) -> ProfileDocument {
    // What may not be shown isn't in it.
    let profile = entry.profile();
    let columns = entry.table.columns.iter().map(|column| {
        let seen = profile.and_then(|profile| profile.column(&column.name));
        let short = |text: &String| tools::shortened(text, VALUE_CHARACTERS);
        let is_open = matches!(entry.exposure(&column.name), Exposure::Open);
        let open = seen.filter(|_| is_open);
        ColumnPicture {
            name: column.name.clone(),
            kind: match &column.type_class {
                class if class.is_numeric() => "number",
                class if class.is_temporal() => "time",
                _ => "other",
            },
            masked: entry.facts(column).masked.map(str::to_owned),
            null_share: seen.and_then(|seen| seen.null_fraction),
            distinct: open.and_then(|seen| seen.distinct_count),
            most_common: open
                .into_iter()
                .flat_map(|seen| &seen.most_common)
                .map(|common| Common { value: short(&common.value), share: common.fraction })
                .collect(),
            min: open.and_then(|seen| seen.min.as_ref().map(short)),
            max: open.and_then(|seen| seen.max.as_ref().map(short)),
            average_length: open.and_then(|seen| seen.average_length),
        }
    });
    ProfileDocument {
        columns: columns.collect(),
        profiled_at: profile.filter(|profile| profile.skipped.is_none()).map(|profile| profile.profiled_at),
        skipped: profile.and_then(|profile| profile.skipped.clone()),
        rows_seen: profile.map(|profile| profile.rows_seen),
    }
}

/// Which tables refer to which.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Graph {
    tables: Vec<Node>,
    keys: Vec<Edge>,
    /// Tables that are as near as those shown, and left out.
    #[serde(skip_serializing_if = "is_none")]
    omitted: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Serialize, JsonSchema)]
struct Node {
    source: String,
    /// As other documents name it.
    name: String,
    /// Keys over which it is reached from the middle.
    steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    stale: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Edge {
    from: String,
    to: String,
    /// The columns of both sides, as `customer_id = id`.
    on: String,
    /// Only where the key is inferred, not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

/// Tables of a picture: more can't be told apart.
const MOST: usize = 60;

/// The tables within so many keys of one, the nearest first.
pub(super) fn around(catalog: &Catalog, middle: &Entry, steps: usize) -> Graph {
    let mut neighbours: BTreeMap<&TableId, BTreeSet<&TableId>> = BTreeMap::new();
    for entry in catalog.tables_of(&middle.table.id.source) {
        for key in &entry.table.foreign_keys {
            neighbours.entry(&entry.table.id).or_default().insert(&key.ref_table);
            neighbours.entry(&key.ref_table).or_default().insert(&entry.table.id);
        }
    }
    let mut found = vec![(&middle.table.id, 0)];
    let mut seen = BTreeSet::from([&middle.table.id]);
    let mut next = 0;
    while let Some(&(table, distance)) = found.get(next) {
        next += 1;
        if distance < steps {
            let near = neighbours.get(table).into_iter().flatten().filter(|near| seen.insert(**near));
            found.extend(near.map(|near| (*near, distance + 1)));
        }
    }
    let omitted = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let shown: BTreeSet<&TableId> = found.iter().map(|(table, _)| *table).collect();
    let mut keys = Vec::new();
    for entry in shown.iter().filter_map(|table| catalog.entry(table)) {
        for key in entry.table.foreign_keys.iter().filter(|key| shown.contains(&key.ref_table)) {
            let pairs = key.columns.iter().zip(&key.ref_columns).map(|(from, to)| format!("{from} = {to}"));
            keys.push(Edge {
                from: names::shown(catalog, &entry.table.id),
                to: names::shown(catalog, &key.ref_table),
                on: pairs.collect::<Vec<_>>().join(", "),
                confidence: tools::confidence(&key.origin),
            });
        }
    }
    let tables = found.iter().filter_map(|(table, steps)| {
        let entry = catalog.entry(table)?;
        Some(Node {
            source: table.source.clone(),
            name: names::shown(catalog, table),
            steps: *steps,
            rows: entry.table.row_count.map(|count| count.value),
            stale: entry.profile().is_some_and(|profile| profile.stale),
        })
    });
    Graph { tables: tables.collect(), keys, omitted }
}
