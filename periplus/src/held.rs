//! Masks hold over time. What is found of a column, by its values or by what it is made from, may not be found again: its table is
//! empty for an hour, what it refers to is gone, a text is being deployed. So an index run holds each such mask before it changes
//! anything, and lets it go at its end where the column is masked anyway, where a person has released it, or where a view or a
//! text that wasn't there before says what the column is made from now. Anything else stays masked, and is said.

use std::collections::BTreeMap;

use catalog::{Catalog, Entry, Exposure, HELD, MaskRules, MaskedBy, Table};
use lineage::{HeldMask, Lineage};

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
        })
    })
}

/// Holds what is masked of a source's columns.
pub(crate) fn hold(before: &Catalog, source: &str, known: &mut BTreeMap<String, Lineage>) {
    let found = before.tables_of(source).flat_map(|entry| masks(entry, false));
    known.entry(source.to_owned()).or_default().hold(found);
}

/// What is masked of columns that have another name now, or stand in a table that has, under the names of now.
pub(crate) fn renamed(before: &Catalog, now: &Catalog, source: &str) -> Vec<HeldMask> {
    let dialect = now.dialect(source);
    let mut held = Vec::new();
    for entry in before.tables_of(source) {
        let old = &entry.table;
        let is_new = |other: &Table| before.entry(&other.id).is_none() && other.may_be(old, dialect);
        let same = now.entry(&old.id).into_iter();
        let others = now.tables_of(source).filter(|other| is_new(&other.table));
        for other in same.chain(others) {
            let table = &other.table;
            let is_old_name = table.id == old.id;
            for mask in masks(entry, true) {
                let column =
                    column_now(old, table, &mask.column).filter(|column| !is_old_name || *column != mask.column);
                held.extend(column.map(|column| HeldMask {
                    table: table.id.clone(),
                    column: column.to_owned(),
                    ..mask
                }));
            }
        }
    }
    held
}

/// What a column of a table is called by now, where that is known: by the number that the engine gives it, or since it is the only
/// one that went where one came.
fn column_now<'t>(old: &Table, now: &'t Table, column: &str) -> Option<&'t str> {
    if let Some(same) = now.column(column) {
        return Some(&same.name);
    }
    let place = old.place_of(column)?;
    let number = old.identity.columns.get(place);
    if let Some(by_number) = number.and_then(|number| now.identity.columns.iter().position(|own| own == number)) {
        return now.columns.get(by_number).map(|column| column.name.as_str());
    }
    let came = now.columns.get(place).filter(|_| now.columns.len() == old.columns.len())?;
    (old.column(&came.name).is_none()).then_some(came.name.as_str())
}

/// What became of masks that were held.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Columns that stay masked though nothing says so any more, each with why it was.
    pub(crate) kept: Vec<String>,
    /// Columns that are open by now, since a view or a text says what they are made from.
    pub(crate) opened: Vec<String>,
}

/// Lets go of what needn't be held. `now` is the catalog as everything else says it; `before` is what was known of the source.
pub(crate) fn settle(now: &Catalog, rules: &dyn MaskRules, before: &Lineage, lineage: &mut Lineage) -> Settled {
    let mut settled = Settled::default();
    let held = std::mem::take(&mut lineage.held);
    for mask in held {
        let name = format!("{}.{} ({})", mask.table.local(), mask.column, mask.reason);
        match fate(&mask, now, rules, before, lineage) {
            Fate::Kept => {
                let is_news = !before.held.iter().any(|known| known.is_of(&mask.table, &mask.column));
                settled.kept.extend(is_news.then_some(name));
                lineage.held.push(mask);
            }
            // It may come back.
            Fate::Absent => lineage.held.push(mask),
            Fate::Opened => settled.opened.push(name),
            Fate::NotNeeded => {}
        }
    }
    settled
}

enum Fate {
    Kept,
    Absent,
    Opened,
    NotNeeded,
}

fn fate(mask: &HeldMask, now: &Catalog, rules: &dyn MaskRules, before: &Lineage, lineage: &Lineage) -> Fate {
    let HeldMask { table, column, .. } = mask;
    let Some(entry) = now.entry(table).filter(|entry| entry.table.column(column).is_some()) else {
        return Fate::Absent;
    };
    let is_shown_anyway = mask.hides_names && !rules.masks_names();
    if entry.exposure(column).mask().is_some() || entry.is_released(column) || is_shown_anyway {
        return Fate::NotNeeded;
    }
    let is_said = entry.table.definition.is_some() || lineage.says_anew(before, table, column);
    if !mask.by_values && is_said { Fate::Opened } else { Fate::Kept }
}
