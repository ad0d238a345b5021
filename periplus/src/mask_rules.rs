//! By which rules every catalog of a project is read: what is built in and configured, and what columns are made from.

use catalog::{Catalog, Column, Entry, Lineage, MadeColumn, MaskRules, Source, StructureVerdict, Table, TableId};
use privacy::Sensitivity;

/// A project's rules.
pub(crate) struct ProjectRules(pub(crate) Sensitivity);

impl MaskRules for ProjectRules {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        self.0.verdicts(table)
    }

    fn hides_rows(&self, table: &TableId) -> bool {
        self.0.hides_rows(table)
    }

    fn denies(&self, table: &Table, column: &Column) -> bool {
        self.0.denies_column(table, column)
    }

    fn masks_names(&self) -> bool {
        self.0.masks_names()
    }

    // What is built in differs from version to version.
    fn mark(&self) -> String {
        format!("{} {:?}", env!("CARGO_PKG_VERSION"), self.0)
    }

    fn lineage(&self, catalog: &Catalog) -> Lineage {
        guard::lineage(catalog)
    }
}

/// What columns of these tables are made from.
pub(crate) fn of_tables(source: &Source, tables: &[Table]) -> Vec<MadeColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    guard::lineage(&Catalog::new(vec![source.clone()], entries, Vec::new(), 0)).columns
}
