//! Which columns the columns of views are made from, so that a sensitive one isn't read under another name.

use std::collections::HashMap;

use catalog::{Column, Source, Table, TableId};

/// Tells, for columns of views, the columns of tables and of other views that they are made from.
pub type Lineage = fn(&Source, &[Table]) -> Vec<DerivedColumn>;

/// A column of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedColumn {
    /// The view.
    pub view: TableId,
    /// Its column.
    pub column: String,
    /// What it is made from: tables, or other views, with their columns. `None` where nobody can say.
    pub origins: Option<Vec<(TableId, String)>>,
}

type ColumnOf = (TableId, String);

/// The columns of tables that each column of a view is made from, through views of views.
#[derive(Debug)]
pub(crate) struct Origins<'t> {
    tables: HashMap<&'t TableId, &'t Table>,
    derived: HashMap<ColumnOf, Option<Vec<ColumnOf>>>,
}

impl<'t> Origins<'t> {
    pub(crate) fn new(tables: &'t [Table], derived: Vec<DerivedColumn>) -> Self {
        let derived = derived.into_iter().map(|derived| ((derived.view, derived.column), derived.origins));
        Self { tables: tables.iter().map(|table| (&table.id, table)).collect(), derived: derived.collect() }
    }

    /// Everything on the way from that column to the columns of tables; `None` where somewhere on it nobody can say what a
    /// column is made from.
    pub(crate) fn of(&self, table: &TableId, column: &str) -> Option<Vec<(&'t Table, &'t Column)>> {
        let mut found: Vec<(TableId, String)> = Vec::new();
        let mut next = vec![(table.clone(), column.to_owned())];
        // It ends, because nothing is found twice.
        while let Some(column) = next.pop() {
            let Some(origins) = self.derived.get(&column) else { continue };
            for origin in origins.as_ref()? {
                if !found.contains(origin) {
                    found.push(origin.clone());
                    next.push(origin.clone());
                }
            }
        }
        let known = found.into_iter().filter_map(|(table, column)| {
            let table = self.tables.get(&table)?;
            Some((*table, table.column(&column)?))
        });
        Some(known.collect())
    }
}
