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
            let found = match self.reading(&column.table) {
                Some(reading) => {
                    let told = place.and_then(|place| reading.origins.get(place)?.as_ref());
                    told.unwrap_or(&reading.columns).clone()
                }
                None => self.behind(&column),
            };
            for origin in found {
                if !origins.contains(&origin) {
                    origins.push(origin.clone());
                    next.push(origin);
                }
            }
        }
        origins
    }

    /// The columns that one of a table is made from: by its expression, or in the tables that give it rows and in those that
    /// it gives rows to. Where one of these has no column of the name, any of it may be meant.
    fn behind(&self, column: &ColumnRef) -> Vec<ColumnRef> {
        let Some(entry) = self.catalog.entry(&column.table) else { return Vec::new() };
        let table = &entry.table;
        let is_generated = table.column(&column.column).is_some_and(|it| it.generated.is_some());
        let mut behind = match sql::generated_from(table, &column.column, self.catalog) {
            Some(columns) => columns,
            None if is_generated => columns_of(table),
            None => Vec::new(),
        };
        let of_others = |reads: &TableId| {
            let Some(other) = self.catalog.entry(reads) else { return Vec::new() };
            match other.table.column(&column.column) {
                Some(same) => vec![ColumnRef { table: reads.clone(), column: same.name.clone() }],
                None => columns_of(&other.table),
            }
        };
        behind.extend(table.reads_from.iter().flat_map(of_others));
        let reads_this =
            |other: &&catalog::Entry| other.table.definition.is_none() && other.table.reads_from.contains(&table.id);
        let readers = self.catalog.tables_of(&table.id.source).filter(reads_this);
        let same = readers.filter_map(|other| {
            let same = other.table.column(&column.column)?;
            Some(ColumnRef { table: other.table.id.clone(), column: same.name.clone() })
        });
        behind.extend(same);
        behind.retain(|origin| origin != column);
        behind
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

fn columns_of(table: &catalog::Table) -> Vec<ColumnRef> {
    table.columns.iter().map(|it| ColumnRef { table: table.id.clone(), column: it.name.clone() }).collect()
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
