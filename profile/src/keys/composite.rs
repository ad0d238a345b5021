//! Keys of several columns that nobody declared: the columns of another table's key, by their names, and rows that have the
//! values of one of its rows in all of them together.

use std::collections::HashSet;

use catalog::{Entry, ForeignKey, KeyEvidence, KeyOrigin, TableKind};
use connect::{ROWS_PER_KEY, ReadRows, SampleRequest, Value};

use super::names::{KEY_WORDS, abbreviates, entity_of, key_kind};
use super::{is_indexed, is_inferred, is_masked, is_small};
use crate::changed::Changed;
use crate::facts::stem;
use crate::options::Options;

/// Columns of such a key.
const COLUMNS: std::ops::RangeInclusive<usize> = 2..=4;
/// Rows read at each end of a table, and different ones of which nearly all must be found.
const EDGE: usize = 200;
const LEAST_ROWS: usize = 12;
const LEAST_INCLUSION: f64 = 0.97;
/// Keys whose rows are read where a table is large.
const KEYS: usize = 100;

/// The keys of several columns that a table's rows have in common with others, in the order of these.
pub(super) async fn infer(
    connector: &dyn ReadRows,
    entries: &[&Entry],
    position: usize,
    changed: &Changed<'_>,
    options: &Options,
) -> Vec<ForeignKey> {
    let entry = entries[position];
    let mut found: Vec<ForeignKey> = Vec::new();
    if entry.table.kind != TableKind::Table || !connector.capabilities().executes {
        return found;
    }
    for (place, other) in entries.iter().enumerate() {
        let is_version = stem(&entry.table.id.name) == stem(&other.table.id.name);
        if place == position || is_version || other.table.kind != TableKind::Table {
            continue;
        }
        for referred in keys_of(other) {
            let Some(columns) = counterparts(entry, other, referred) else { continue };
            let is_same = |key: &&ForeignKey| key.ref_table == other.table.id && key.columns == columns;
            let known = entry.table.foreign_keys.iter().find(is_same);
            if known.is_some_and(|key| key.origin == KeyOrigin::Declared) {
                continue;
            }
            if !changed.is_new(position) && !changed.is_new(place) {
                found.extend(known.filter(|key| is_inferred(key)).cloned());
                continue;
            }
            let Some(evidence) = weigh(connector, (entry, &columns), (other, referred), options).await else {
                continue;
            };
            found.push(ForeignKey {
                columns,
                ref_table: other.table.id.clone(),
                ref_columns: referred.to_vec(),
                origin: KeyOrigin::Inferred(evidence),
            });
        }
    }
    // A table with one row for each of another's has its key and no thing of its own to refer to by it.
    found.retain(|key| found_first(entries, position, key));
    found
}

/// Whether the table is the one that refers, of two whose keys are the same columns: the smaller one.
fn found_first(entries: &[&Entry], position: usize, key: &ForeignKey) -> bool {
    let table = &entries[position].table;
    let is_own_key = table.primary_key.len() == key.columns.len()
        && table.primary_key.iter().all(|column| key.columns.contains(column));
    let Some(other) = entries.iter().find(|entry| entry.table.id == key.ref_table) else { return false };
    let rows = |entry: &Entry| entry.table.row_count.map_or(0, |count| count.value);
    let is_theirs = other.table.primary_key == key.ref_columns;
    !(is_own_key && is_theirs) || (rows(entries[position]), &table.id) < (rows(other), &other.table.id)
}

/// The keys of several columns of a table.
fn keys_of(entry: &Entry) -> impl Iterator<Item = &[String]> {
    let unique = entry.table.indexes.iter().filter(|index| index.unique).map(|index| &index.columns);
    let keys = std::iter::once(&entry.table.primary_key).chain(unique).map(Vec::as_slice);
    keys.filter(|columns| {
        COLUMNS.contains(&columns.len())
            && columns.iter().all(|column| entry.table.column(column).is_some() && !is_masked(entry, column))
    })
}

/// The columns of a table that are called like those of another one's key, each another one; `None` where one is missing, or one
/// leads to that table by itself.
fn counterparts(entry: &Entry, other: &Entry, referred: &[String]) -> Option<Vec<String>> {
    let entity = entity_of(&other.table.id.name);
    let mut columns: Vec<String> = Vec::new();
    for wanted in referred {
        let own = entry.table.columns.iter().filter(|column| !is_masked(entry, &column.name));
        let fits = |name: &str| !columns.iter().any(|taken| taken == name);
        let own: Vec<&str> = own.map(|column| column.name.as_str()).filter(|name| fits(name)).collect();
        let same = own.iter().find(|name| name.eq_ignore_ascii_case(wanted));
        let alike = || {
            let mut alike = own.iter().filter(|name| is_called_alike(name, wanted, &entity));
            alike.next().filter(|_| alike.next().is_none())
        };
        columns.push((*same.or_else(alike)?).to_owned());
    }
    let leads_alone = entry
        .table
        .foreign_keys
        .iter()
        .any(|key| key.ref_table == other.table.id && key.columns.len() == 1 && columns.contains(&key.columns[0]));
    (!leads_alone).then_some(columns)
}

async fn weigh(
    connector: &dyn ReadRows,
    (entry, columns): (&Entry, &[String]),
    (other, referred): (&Entry, &[String]),
    options: &Options,
) -> Option<KeyEvidence> {
    let first = &referred[0];
    if !is_small(other, options) && !is_indexed(other, first) {
        return None;
    }
    let rows = sample(connector, entry, columns, SampleRequest::FirstAndLast { each: EDGE, order_by: None }).await?;
    let mut wanted: HashSet<Vec<String>> = rows.iter().filter_map(|row| written(row)).collect();
    let there: HashSet<Vec<String>> = if is_small(other, options) {
        let all = usize::try_from(options.all_rows_below).unwrap_or(usize::MAX);
        let rows = sample(connector, other, referred, SampleRequest::FirstRows { rows: all }).await?;
        rows.iter().filter_map(|row| written(row)).collect()
    } else {
        let mut seen = HashSet::new();
        let keys = rows.iter().filter_map(|row| row.first()).filter(|key| !key.is_null() && seen.insert(key.as_text()));
        let keys: Vec<Value> = keys.take(KEYS).cloned().collect();
        let asked: HashSet<Option<String>> = keys.iter().map(Value::as_text).collect();
        let rows = sample(connector, other, referred, SampleRequest::ByKey { column: first.clone(), keys }).await?;
        let there: Vec<Vec<String>> = rows.iter().filter_map(|row| written(row)).collect();
        // Of a key with more rows than are fetched, some are missing.
        let count = |key: &str| there.iter().filter(|row| row[0] == key).count();
        wanted.retain(|row| asked.contains(&Some(row[0].clone())) && count(&row[0]) < ROWS_PER_KEY);
        there.into_iter().collect()
    };
    let found = wanted.iter().filter(|row| there.contains(*row)).count();
    let (found, checked) = (found as f64, wanted.len() as f64);
    if wanted.len() < LEAST_ROWS || found < LEAST_INCLUSION * checked {
        return None;
    }
    let inclusion = found / checked;
    Some(KeyEvidence {
        name_fit: 1.0,
        joined_in: 0,
        inclusion: Some(inclusion),
        values_checked: wanted.len() as u64,
        confidence: inclusion * checked / (checked + 1.0),
    })
}

/// The values of a row; `None` where one is missing.
fn written(row: &[Value]) -> Option<Vec<String>> {
    row.iter().map(|value| Some(value.as_text()?.trim().to_owned()).filter(|_| !value.is_null())).collect()
}

async fn sample(
    connector: &dyn ReadRows,
    entry: &Entry,
    columns: &[String],
    request: SampleRequest,
) -> Option<Vec<Vec<Value>>> {
    let rows = connector.sample(&entry.table, columns, &request).await;
    let log = |error: &connect::ConnectError| tracing::warn!(table = %entry.table.id, code = error.code(), "rows can't be read");
    rows.inspect_err(log).ok().map(|result| result.rows)
}

/// Whether two columns are called by the same words, short or whole, but for that of the table that the second one is a key of:
/// `yr` and `insp_year` of inspections.
fn is_called_alike(name: &str, other: &str, entity: &str) -> bool {
    let said = |name: &str| -> Vec<String> {
        let words = words::in_identifier(name);
        let is_of_entity =
            |word: &String| words.len() > 1 && (entity.split('_').any(|own| own == word) || abbreviates(word, entity));
        let rest = words.iter().skip_while(|word| is_of_entity(word));
        rest.map(|word| match KEY_WORDS.contains(&word.as_str()) {
            true => format!("{:?}", key_kind(word)),
            false => {
                let long = words::abbreviation(word).and_then(|known| known.terms.first().copied());
                words::singular(long.unwrap_or(word))
            }
        })
        .collect()
    };
    let (one, other) = (said(name), said(other));
    !one.is_empty() && one == other
}
