//! Which tables and columns have another name now, so that what people said of them goes along.
//!
//! Engines tell tables by more than their names ([`catalog::Identity`]). What people masked of a table is masked under the name
//! that it has now, too; under the old one it stays masked, since that is what somebody said.
//!
//! Databases don't say it. A column counts as renamed only where nothing else fits: a name went and a new one came in the
//! same place, no column moved to another place, and the values are the same. Everything less
//! is a new column, and the text stays with the old name.

use catalog::{Catalog, ColumnProfile, Decision, Dialect, Entry, Overrides, Ruling, Table, TableId, TableProfile};
use jiff::Timestamp;

/// How far the share of NULLs may have moved.
const NULLS_MOVED: f64 = 0.02;
/// How far the number of different values may have moved, as a share of it.
const DISTINCT_MOVED: f64 = 0.1;
/// A column with fewer different values could be taken for another.
const FEWEST_DISTINCT: u64 = 3;

/// What people masked of tables that have another name now, as it is to be said of that name.
pub(crate) fn masks(before: &Catalog, tables: &[Table], dialect: &Dialect) -> Vec<(TableId, Ruling)> {
    let now = |id: &TableId| tables.iter().find(|table| table.id == *id);
    let was = |id: &TableId| before.entry(id).map(|entry| &entry.table);
    let mut followed: Vec<(TableId, Ruling)> = Vec::new();
    for table in tables.iter().filter(|table| was(&table.id).is_none_or(|was| was.identity.own != table.identity.own)) {
        let moved = |entry: &&Entry| {
            let old = &entry.table;
            let is_elsewhere = now(&old.id).is_none_or(|now| now.identity.own != old.identity.own);
            old.id != table.id && is_elsewhere && table.may_be(old, dialect)
        };
        for entry in before.tables_of(&table.id.source).filter(moved) {
            for column in &entry.table.columns {
                let mask = |rulings: &catalog::Rulings, table: &Table| {
                    rulings.of(table, &column.name).filter(|ruling| ruling.decision == Decision::Mask).cloned()
                };
                let said = entry.rulings().and_then(|rulings| mask(rulings, &entry.table));
                let known = before.entry(&table.id).and_then(Entry::rulings).and_then(|rulings| mask(rulings, table));
                if let (Some(said), None, Some(column)) = (said, known, table.column(&column.name)) {
                    let why = format!("as that of {}, which has this name now", entry.table.id.local());
                    let ruling = Ruling { column: column.name.clone(), at: Timestamp::now(), why: Some(why), ..said };
                    followed.push((table.id.clone(), ruling));
                }
            }
        }
    }
    followed
}

/// The old and the new name of each column that was renamed for certain between two profiles of a table.
pub(crate) fn columns<'a>(before: &'a TableProfile, now: &'a TableProfile) -> Vec<(&'a str, &'a str)> {
    if before.columns.len() != now.columns.len() {
        return Vec::new();
    }
    let mut renamed = Vec::new();
    for (was, is) in before.columns.iter().zip(&now.columns).filter(|(was, is)| was.column != is.column) {
        let came_and_went = before.column(&is.column).is_none() && now.column(&was.column).is_none();
        if !came_and_went {
            return Vec::new();
        }
        if hold_the_same(was, is) {
            renamed.push((was.column.as_str(), is.column.as_str()));
        }
    }
    renamed
}

fn hold_the_same(was: &ColumnProfile, is: &ColumnProfile) -> bool {
    let near = |left: Option<f64>, right: Option<f64>, most: f64| match (left, right) {
        (Some(left), Some(right)) => (left - right).abs() <= most,
        _ => false,
    };
    let (Some(different), Some(different_now)) = (was.distinct_count, is.distinct_count) else { return false };
    let first = |profile: &ColumnProfile| profile.most_common.first().map(|common| common.value.clone());
    different >= FEWEST_DISTINCT
        && was.masked.is_none()
        && is.masked.is_none()
        && different.abs_diff(different_now) as f64 <= DISTINCT_MOVED * different as f64
        && near(was.null_fraction, is.null_fraction, NULLS_MOVED)
        && (&was.min, &was.max, &was.pattern.as_ref().map(|pattern| &pattern.name))
            == (&is.min, &is.max, &is.pattern.as_ref().map(|pattern| &pattern.name))
        && first(was) == first(is)
}

/// What people wrote, under the names of now; text that stands under the new name already is left alone.
pub(crate) fn overrides(written: &Overrides, renamed: &[(&str, &str)]) -> Overrides {
    let mut moved = written.clone();
    for (old, new) in renamed {
        let prefix = format!("columns.{old}.");
        for (key, text) in &written.0 {
            let Some(part) = key.strip_prefix(&prefix) else { continue };
            moved.0.remove(key);
            moved.0.entry(format!("columns.{new}.{part}")).or_insert_with(|| text.clone());
        }
    }
    moved
}
