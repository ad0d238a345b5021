//! Which columns the columns of views are made from, so that a sensitive one isn't read under another name.

use std::collections::HashMap;

use catalog::{Column, MadeColumn, Source, Table, TableId};

/// Tells, for columns of views, the columns of tables and of other views that they are made from.
pub type Lineage = fn(&Source, &[Table]) -> Vec<MadeColumn>;

type ColumnOf = (TableId, String);

/// The columns of tables that each column of a view is made from, through views of views.
#[derive(Debug)]
pub(crate) struct Origins<'t> {
    tables: HashMap<&'t TableId, &'t Table>,
    derived: HashMap<ColumnOf, Option<Vec<ColumnOf>>>,
}

impl<'t> Origins<'t> {
    pub(crate) fn new(tables: &'t [Table], made: Vec<MadeColumn>) -> Self {
        let derived = made.into_iter().map(|made| ((made.table, made.column), made.origins));
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
