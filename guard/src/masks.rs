//! Which columns may not be shown, followed to where their values come from.
//!
//! The catalog says it of a column by itself. A column of a view, a generated one, one of a table that reads from others is
//! as sensitive as what it is made from, however that was found out.

use std::collections::HashMap;

use catalog::{Catalog, Exposure, TableId};
use sql::{ColumnRef, Manner, ViewReading};

/// Whether a column's values may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// They may.
    Yes,
    /// They may not, for this reason.
    Masked(String),
    /// Nobody has looked at them, or at what they are made from.
    Unexamined,
}

/// What a catalog says of columns, each found out once.
pub(crate) struct Masks<'c> {
    catalog: &'c Catalog,
    views: HashMap<TableId, Option<ViewReading>>,
    known: HashMap<ColumnRef, Shown>,
}

impl<'c> Masks<'c> {
    pub(crate) fn of(catalog: &'c Catalog) -> Self {
        Self { catalog, views: HashMap::new(), known: HashMap::new() }
    }

    /// Whether the values of a column may be shown, by itself and by everything that it is made from.
    pub(crate) fn shown(&mut self, column: &ColumnRef) -> Shown {
        if let Some(known) = self.known.get(column) {
            return known.clone();
        }
        let mut shown = self.by_itself(column);
        if shown == Shown::Yes || shown == Shown::Unexamined {
            for origin in self.origins(column) {
                match self.by_itself(&origin) {
                    Shown::Yes => {}
                    Shown::Unexamined => shown = Shown::Unexamined,
                    Shown::Masked(reason) => {
                        let reason = format!("made from `{}.{}`, {reason}", origin.table.local(), origin.column);
                        shown = Shown::Masked(reason);
                        break;
                    }
                }
            }
        }
        self.known.insert(column.clone(), shown.clone());
        shown
    }

    fn by_itself(&self, column: &ColumnRef) -> Shown {
        match self.catalog.entry(&column.table).map(|entry| entry.exposure(&column.column)) {
            Some(Exposure::Open) => Shown::Yes,
            Some(Exposure::Masked(mask)) => Shown::Masked(mask.reason.clone()),
            Some(Exposure::Unexamined) | None => Shown::Unexamined,
        }
    }

    fn reading(&mut self, id: &TableId) -> Option<&ViewReading> {
        let catalog = self.catalog;
        let read = || catalog.entry(id).and_then(|entry| sql::read_view(&entry.table, catalog));
        self.views.entry(id.clone()).or_insert_with(read).as_ref()
    }

    /// The tables and views that a view reads, through views of views.
    pub(crate) fn tables_behind(&mut self, id: &TableId) -> Vec<TableId> {
        let mut behind: Vec<TableId> = Vec::new();
        let mut next = vec![id.clone()];
        while let Some(id) = next.pop() {
            for table in self.reading(&id).into_iter().flat_map(|reading| reading.tables.clone()) {
                if !behind.contains(&table) {
                    behind.push(table.clone());
                    next.push(table);
                }
            }
        }
        behind
    }

    /// The columns that a column of a view is made from, through views of views. Where the definition doesn't tell, those
    /// are all that it names.
    pub(crate) fn origins(&mut self, column: &ColumnRef) -> Vec<ColumnRef> {
        let mut origins: Vec<ColumnRef> = Vec::new();
        let mut next = vec![column.clone()];
        while let Some(column) = next.pop() {
            let columns = self.catalog.entry(&column.table).map(|entry| &entry.table.columns);
            let place = columns.and_then(|columns| columns.iter().position(|it| it.name == column.column));
            let Some(reading) = self.reading(&column.table) else { continue };
            let told = place.and_then(|place| reading.origins.get(place)?.as_ref());
            for origin in told.unwrap_or(&reading.columns).clone() {
                if !origins.contains(&origin) {
                    origins.push(origin.clone());
                    next.push(origin);
                }
            }
        }
        origins
    }

    /// Whether a value of one column is the key of the other: then which rows belong together is all that an equality
    /// tells.
    pub(crate) fn joins_over_a_key(&self, one: &ColumnRef, other: &ColumnRef) -> bool {
        self.is_key(one) || self.is_key(other)
    }

    fn is_key(&self, column: &ColumnRef) -> bool {
        let Some(entry) = self.catalog.entry(&column.table) else { return false };
        let only = |columns: &[String]| matches!(columns, [it] if it.eq_ignore_ascii_case(&column.column));
        let table = &entry.table;
        only(&table.primary_key) || table.indexes.iter().any(|index| index.unique && only(&index.columns))
    }
}

/// Why a column's values may not be shown, if they may not.
pub(crate) fn masked(catalog: &Catalog, column: &ColumnRef) -> Option<String> {
    match Masks::of(catalog).shown(column) {
        Shown::Masked(reason) => Some(reason),
        Shown::Yes | Shown::Unexamined => None,
    }
}

/// How many values of columns that may not be shown a statement looks up.
pub(crate) fn look_ups(catalog: &Catalog, uses: &[sql::ValueUse]) -> usize {
    let mut masks = Masks::of(catalog);
    let mut sum = 0;
    for used in uses {
        if let Manner::Constants(count) = used.manner
            && masks.shown(&used.column) != Shown::Yes
        {
            sum += count;
        }
    }
    sum
}
