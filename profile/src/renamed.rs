//! Which tables and columns have another name now, so that what people said of them goes along.
//!
//! Engines tell tables by more than their names ([`catalog::Identity`]). What people masked of a table is masked under the name
//! that it has now, too; under the old one it stays masked, since that is what somebody said.
//!
//! Of columns databases don't say it. A column counts as renamed only where nothing else fits: a name went and a new one came in the
//! same place, no column moved to another place, and the values are the same. Everything less
//! is a new column, and the text stays with the old name.

use catalog::{
    Catalog, Column, ColumnProfile, Decision, Entry, Exposure, Overrides, Ruling, Source, Table, TableId, TableProfile,
};
use dialect::Identities;
use jiff::Timestamp;

/// How far the share of NULLs may have moved.
const NULLS_MOVED: f64 = 0.02;
/// How far the number of different values may have moved, as a share of it.
const DISTINCT_MOVED: f64 = 0.1;
/// A column with fewer different values could be taken for another.
const FEWEST_DISTINCT: u64 = 3;

/// What people masked of tables that have another name now, as it is to be said of that name, and the end of what was released
/// under it.
pub(crate) fn masks(source: &Source, before: &Catalog, tables: &[Table]) -> Vec<(TableId, Ruling)> {
    let is_as_before =
        |table: &Table| before.entry(&table.id).is_some_and(|entry| entry.table.identity.own == table.identity.own);
    let mut followed: Vec<(TableId, Ruling)> = Vec::new();
    for entry in before.tables_of(&source.name) {
        let (old, masked) = (&entry.table, masks_of(entry, &entry.table));
        let stayed = || tables.iter().any(|table| table.id == old.id && is_as_before(table));
        if stayed() {
            continue;
        }
        // A time, or a place in a file, is given to tables that are made anew as well: it tells of a name where that went and
        // came, or of two that were swapped.
        let now = tables.iter().find(|table| table.id == old.id);
        let is_swapped = now.is_some_and(|now| {
            source.dialect.names().identities != Identities::Time
                && before
                    .tables_of(&source.name)
                    .any(|other| other.table.id != old.id && now.may_be(&other.table, &source.dialect))
        });
        let is_told = |table: &Table| is_swapped || now.is_none() && before.entry(&table.id).is_none();
        let may_be_it = |table: &&Table| {
            table.id != old.id && table.may_be(old, &source.dialect) && !is_as_before(table) && is_told(table)
        };
        for table in tables.iter().filter(may_be_it) {
            followed.extend(no_longer_released(before, table, entry).map(|ruling| (table.id.clone(), ruling)));
            let known = before.entry(&table.id).map(|entry| masks_of(entry, table)).unwrap_or_default();
            let is_new = |ruling: &&Ruling| {
                table.column(&ruling.column).is_some() && known.iter().all(|known| known.column != ruling.column)
            };
            for said in masked.iter().filter(is_new) {
                let why = format!("as that of {}, which has this name now", old.id.local());
                followed.push((table.id.clone(), Ruling { at: Timestamp::now(), why: Some(why), ..said.clone() }));
            }
        }
    }
    followed
}

/// What was released of the table that had this name before, and isn't open in the one that has it now.
fn no_longer_released<'a>(before: &'a Catalog, table: &'a Table, is: &'a Entry) -> impl Iterator<Item = Ruling> + 'a {
    let rulings = before.entry(&table.id).and_then(Entry::rulings);
    table.columns.iter().filter_map(move |column| {
        let said = rulings?.of(table, &column.name).filter(|ruling| ruling.decision == Decision::Release)?;
        let is_open = is.table.column(&column.name).is_some() && *is.exposure(&column.name) == Exposure::Open;
        let why = format!("it was said of another table, and {} has its name now", is.table.id.local());
        let ruling = Ruling { decision: Decision::Withdraw, at: Timestamp::now(), why: Some(why), ..said.clone() };
        (!is_open).then_some(ruling)
    })
}

/// What people masked of the columns of a table and stands, under the names that the columns have.
fn masks_of(entry: &Entry, table: &Table) -> Vec<Ruling> {
    let Some(rulings) = entry.rulings() else { return Vec::new() };
    let of = |column: &Column| {
        let ruling = rulings.of(table, &column.name).filter(|ruling| ruling.decision == Decision::Mask)?;
        Some(Ruling { column: column.name.clone(), ..ruling.clone() })
    };
    table.columns.iter().filter_map(of).collect()
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
        && (&was.min, &was.max, &was.pattern.as_ref().map(|pattern| &pattern.form))
            == (&is.min, &is.max, &is.pattern.as_ref().map(|pattern| &pattern.form))
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
