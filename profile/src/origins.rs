//! Which columns the columns of views are made from, so that a sensitive one isn't read under another name.

use std::collections::HashMap;

use catalog::{Column, Source, Table, TableId};
use privacy::Sensitivity;

const BY_ORIGIN: &str = "made from";

/// Whether a reason that stands in [`catalog::ColumnProfile::masked`] needed no look at values.
pub(crate) fn is_by_structure(reason: &str) -> bool {
    privacy::is_by_structure(reason) || reason.starts_with(BY_ORIGIN)
}

/// Tells, for columns of views, the columns of tables and of other views that they are made from.
pub type Lineage = fn(&Source, &[Table]) -> Vec<DerivedColumn>;

/// A column of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedColumn {
    /// The view.
    pub view: TableId,
    /// Its column.
    pub column: String,
    /// What it is made from: tables, or other views, with their columns.
    pub origins: Vec<(TableId, String)>,
}

/// The columns of tables that each column of a view is made from, through views of views.
#[derive(Debug)]
pub(crate) struct Origins<'t> {
    tables: HashMap<&'t TableId, &'t Table>,
    derived: HashMap<(TableId, String), Vec<(TableId, String)>>,
}

impl<'t> Origins<'t> {
    pub(crate) fn new(tables: &'t [Table], derived: Vec<DerivedColumn>) -> Self {
        let derived = derived.into_iter().map(|derived| ((derived.view, derived.column), derived.origins));
        Self { tables: tables.iter().map(|table| (&table.id, table)).collect(), derived: derived.collect() }
    }

    /// Why a column of a view must not be read: it is as sensitive as the columns that it is made from.
    pub(crate) fn mask(&self, sensitive: &Sensitivity, table: &Table, column: &Column) -> Option<String> {
        if sensitive.is_kept(table, column) {
            return None;
        }
        self.of(&table.id, &column.name).find_map(|(origin, column)| {
            let place = origin.columns.iter().position(|known| known.name == column.name)?;
            let found = sensitive.by_structure(origin).swap_remove(place)?;
            Some(format!("{BY_ORIGIN} {}.{}, whose {}", origin.id.local(), column.name, found.reason))
        })
    }

    /// Everything on the way from that column to the columns of tables.
    fn of(&self, table: &TableId, column: &str) -> impl Iterator<Item = (&'t Table, &'t Column)> + use<'t> {
        let mut found: Vec<(TableId, String)> = Vec::new();
        let mut next = vec![(table.clone(), column.to_owned())];
        // It ends, because nothing is found twice.
        while !next.is_empty() {
            let origins = next.iter().filter_map(|view| self.derived.get(view)).flatten();
            let origins: Vec<_> = origins.filter(|origin| !found.contains(origin)).cloned().collect();
            found.extend(origins.iter().cloned());
            next = origins;
        }
        let known = found.into_iter().filter_map(|(table, column)| {
            let table = self.tables.get(&table)?;
            Some((*table, table.column(&column)?))
        });
        known.collect::<Vec<_>>().into_iter()
    }
}
