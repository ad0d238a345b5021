//! What the columns of views are made from, by reading the views' definitions: profiling masks them accordingly.

use catalog::{Catalog, Entry, Source, Table, TableId};
use profile::DerivedColumn;
use sql::CatalogSchema;

/// The columns of all views whose definition can be read, with the columns that they are made from.
pub(crate) fn of_views(source: &Source, tables: &[Table]) -> Vec<DerivedColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    let catalog = Catalog::new(vec![source.clone()], entries, Vec::new(), 0);
    tables.iter().flat_map(|table| of_view(table, source, &catalog)).collect()
}

fn of_view(view: &Table, source: &Source, catalog: &Catalog) -> Vec<DerivedColumn> {
    let Some(definition) = &view.definition else { return Vec::new() };
    let reading = sql::read(definition, &source.dialect, &CatalogSchema { catalog, source: &source.name });
    let by_place = reading.outputs.len() == view.columns.len();
    let columns = view.columns.iter().enumerate().filter_map(|(place, column)| {
        let named = || reading.outputs.iter().find(|output| output.name.as_deref() == Some(column.name.as_str()));
        let output = if by_place { reading.outputs.get(place) } else { named() }?;
        let origins: Vec<(TableId, String)> =
            output.sources.iter().map(|origin| (origin.table.clone(), origin.column.clone())).collect();
        Some(DerivedColumn { view: view.id.clone(), column: column.name.clone(), origins })
    });
    columns.collect()
}
