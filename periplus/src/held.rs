//! Masks hold over time. What is found of a column, by its values or by what it is made from, may not be found again: its table is
//! empty for an hour, what it refers to is gone, a text is being deployed. So an index run holds each such mask before it changes
//! anything, and lets it go at its end where what the column is made from masks it each time anyway, where a text makes the whole
//! table from other columns, or where all values were looked at anew. Anything else stays masked, and is said; a person's release
//! goes before.

use std::collections::BTreeMap;

use catalog::{Catalog, Entry, Exposure, HELD, MaskedBy, Table};
use lineage::{ALL_COLUMNS, HeldMask, Lineage};
use sql::ColumnRef;

/// The columns that are masked for something that was found of them, with those by name alone where `names` count.
fn masks(entry: &Entry, names: bool) -> impl Iterator<Item = HeldMask> + '_ {
    entry.table.columns.iter().zip(entry.exposures()).filter_map(move |(column, exposure)| {
        let Exposure::Masked(mask) = exposure else { return None };
        let counts = match mask.by {
            MaskedBy::Values | MaskedBy::Origin => true,
            MaskedBy::Structure => names,
            // What people say is kept elsewhere, and what is configured, in the configuration.
            MaskedBy::Person | MaskedBy::Configuration | MaskedBy::Denied => false,
        };
        let reason = mask.reason.strip_prefix(HELD).map_or(mask.reason.as_str(), |rest| rest.trim_start_matches(": "));
        counts.then(|| HeldMask {
            table: entry.table.id.clone(),
            column: column.name.clone(),
            reason: reason.to_owned(),
            confidence: mask.confidence,
            by_values: mask.by == MaskedBy::Values,
            hides_names: mask.hides_names,
            texts: Vec::new(),
        })
    })
}

/// Holds what is masked of a source's columns.
pub(crate) fn hold(before: &Catalog, source: &str, known: &mut BTreeMap<String, Lineage>) {
    let found = before.tables_of(source).flat_map(|entry| masks(entry, false));
    known.entry(source.to_owned()).or_default().hold(found);
}

/// What is masked of columns that have another name now, or stand in a table that has, under the names of now.
pub(crate) fn renamed(before: &Catalog, now: &[Table], source: &str) -> Vec<HeldMask> {
    let dialect = before.dialect(source);
    let mut held = Vec::new();
    for entry in before.tables_of(source) {
        let old = &entry.table;
        // A name may have been another table's before.
        let is_another =
            |table: &Table| before.entry(&table.id).is_none_or(|known| known.table.identity.own != table.identity.own);
        let may_be_it = |table: &&Table| {
            table.id == old.id || is_another(table) && table.may_be(old, dialect) || is_recased(table, old)
        };
        for table in now.iter().filter(may_be_it) {
            for mask in masks(entry, true) {
                let columns = columns_now(old, table, &mask.column);
                let others = columns.into_iter().filter(|column| table.id != old.id || *column != mask.column);
                held.extend(others.map(|column| HeldMask {
                    table: table.id.clone(),
                    column: column.to_owned(),
                    ..mask.clone()
                }));
            }
        }
    }
    held
}

/// Whether a table has the other one's name in another case.
fn is_recased(table: &Table, old: &Table) -> bool {
    table.id != old.id && table.id.to_string().eq_ignore_ascii_case(&old.id.to_string())
}

/// What a column of a table may be called by now: by the number that the engine gives it; by its name; by its place, since names can
/// be swapped; and where nothing else is known, by any name that is new. A table that was made anew is told by names alone, unless
/// one went where one came.
fn columns_now<'t>(old: &Table, now: &'t Table, column: &str) -> Vec<&'t str> {
    let by_name = now.column(column).map(|same| same.name.as_str());
    let Some(place) = old.place_of(column) else { return by_name.into_iter().collect() };
    let number = old.identity.columns.get(place);
    let by_number = number.and_then(|number| now.identity.columns.iter().position(|own| own == number));
    if let Some(by_number) = by_number {
        return now.columns.get(by_number).map(|column| column.name.as_str()).into_iter().chain(by_name).collect();
    }
    let is_changed_in_place = old.identity.own.is_some() && old.identity.own == now.identity.own;
    let in_place = now.columns.get(place).filter(|_| now.columns.len() == old.columns.len());
    let in_place = in_place.filter(|_| is_changed_in_place || by_name.is_none());
    let mut found: Vec<&str> = by_name.into_iter().chain(in_place.map(|column| column.name.as_str())).collect();
    if found.is_empty() && is_changed_in_place {
        let is_new = |other: &&catalog::Column| old.column(&other.name).is_none();
        found.extend(now.columns.iter().filter(is_new).map(|column| column.name.as_str()));
    }
    found
}

/// What became of masks that were held.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Columns that stay masked though nothing says so any more, each with why it was.
    pub(crate) kept: Vec<String>,
    /// Columns that are open by now, since a text says what they are made from, or all values were looked at anew.
    pub(crate) opened: Vec<String>,
}

/// Lets go of what needn't be held. `now` is the catalog as everything else says it; `before` is what was known of the source;
/// `is_full` is whether all values were looked at anew.
pub(crate) fn settle(now: &Catalog, before: &Lineage, lineage: &mut Lineage, is_full: bool) -> Settled {
    let mut settled = Settled::default();
    let held = std::mem::take(&mut lineage.held);
    for mask in held {
        let name = format!("{}.{} ({})", mask.table.local(), mask.column, mask.reason);
        match fate(&mask, now, lineage, is_full) {
            Fate::Kept => {
                let is_news = !before.held.iter().any(|known| known.is_of(&mask.table, &mask.column));
                settled.kept.extend(is_news.then_some(name));
                lineage.held.push(mask);
            }
            Fate::Silent => lineage.held.push(mask),
            Fate::Opened => settled.opened.push(name),
            Fate::NotNeeded => {}
        }
    }
    settled
}

enum Fate {
    /// It is all that masks the column.
    Kept,
    /// It masks nothing at the moment, and may again: the column isn't there, or somebody says something of it.
    Silent,
    Opened,
    NotNeeded,
}

fn fate(mask: &HeldMask, now: &Catalog, lineage: &Lineage, is_full: bool) -> Fate {
    let HeldMask { table, column, by_values, .. } = mask;
    let Some(entry) = now.entry(table).filter(|entry| entry.table.column(column).is_some()) else {
        return Fate::Silent;
    };
    match entry.exposure(column).mask().map(|mask| mask.by) {
        // It is found again each time.
        Some(MaskedBy::Origin) if !by_values => return Fate::NotNeeded,
        Some(_) => return Fate::Silent,
        None => {}
    }
    let is_view = entry.table.definition.is_some();
    if entry.is_released(column) || mask.hides_names || is_view && !by_values {
        return Fate::Silent;
    }
    let is_there = |from: &ColumnRef| {
        from.column == ALL_COLUMNS
            || now.entry(&from.table).is_some_and(|entry| entry.table.column(&from.column).is_some())
    };
    let is_said = if *by_values { is_full } else { lineage.says_anew(mask, is_there) };
    if is_said { Fate::Opened } else { Fate::Kept }
}
