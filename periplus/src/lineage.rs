//! What the columns of views are made from, by reading the views' definitions: profiling masks them accordingly.

use catalog::{Catalog, Entry, Source, Table};
use profile::DerivedColumn;

/// The columns of all views whose definition can be read, with the columns that they are made from.
pub(crate) fn of_views(source: &Source, tables: &[Table]) -> Vec<DerivedColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    let catalog = Catalog::new(vec![source.clone()], entries, Vec::new(), 0);
    tables.iter().flat_map(|table| of_view(table, &catalog)).collect()
}

fn of_view(view: &Table, catalog: &Catalog) -> Vec<DerivedColumn> {
    let Some(reading) = sql::read_view(view, catalog) else { return Vec::new() };
    let columns = view.columns.iter().zip(reading.origins).filter_map(|(column, origins)| {
        let origins = origins?.into_iter().map(|origin| (origin.table, origin.column)).collect();
        Some(DerivedColumn { view: view.id.clone(), column: column.name.clone(), origins })
    });
    columns.collect()
}
