//! What the columns of views, and of tables that read others, are made from: profiling masks them accordingly.

use catalog::{Catalog, Entry, Source, Table};
use profile::DerivedColumn;

/// The columns of all views, and of tables that are made of others, with the columns that they are made from.
pub(crate) fn of_views(source: &Source, tables: &[Table]) -> Vec<DerivedColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    let catalog = Catalog::new(vec![source.clone()], entries, Vec::new(), 0);
    tables.iter().flat_map(|table| guard::made_from(table, &catalog)).map(derived).collect()
}

fn derived(made: guard::MadeColumn) -> DerivedColumn {
    let origins = made.origins.map(|origins| origins.into_iter().map(|it| (it.table, it.column)).collect());
    DerivedColumn { view: made.column.table, column: made.column.column, origins }
}
