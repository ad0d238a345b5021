//! By which rules every catalog of a project is read: what is built in and configured, and what columns are made from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use catalog::{Catalog, Column, Entry, Lineage, MadeColumn, MaskRules, Source, StructureVerdict, Table, TableId};
use lineage::{ALL_COLUMNS, ColumnEdge, EdgeKind, Holder, LineageError, Place};
use privacy::Sensitivity;

/// A project's rules.
pub(crate) struct ProjectRules {
    sensitivity: Sensitivity,
    /// The file of lineage, which an index run writes anew.
    lineage: PathBuf,
    told: Mutex<Told>,
}

/// What a file of lineage tells.
#[derive(Clone, Default)]
struct Told {
    /// When it was written, and its size; `None` where there is none.
    state: Option<(SystemTime, u64)>,
    /// The columns that scripts and models make from others.
    made: Arc<Vec<ColumnEdge>>,
    /// What of these says that they are others.
    mark: String,
}

impl Told {
    fn read(path: &Path) -> Result<Self, LineageError> {
        let state = state_of(path);
        let mut made = Vec::new();
        for of_source in lineage::load(path)?.into_values() {
            made.extend(of_source.columns.into_iter().filter(holds_values));
        }
        let edge = |edge: &ColumnEdge| {
            format!("{} {} {} {}", edge.from.table, edge.from.column, edge.to.table, edge.to.column)
        };
        let text = made.iter().map(edge).collect::<Vec<_>>().join("\n");
        let mark = Place::new(Holder::Script, "", &text).hash;
        Ok(Self { state, made: Arc::new(made), mark })
    }
}

fn state_of(path: &Path) -> Option<(SystemTime, u64)> {
    let file = std::fs::metadata(path).ok()?;
    Some((file.modified().ok()?, file.len()))
}

impl ProjectRules {
    /// The rules, with what the file of lineage says.
    ///
    /// # Errors
    /// Where it can't be read: what is made from a masked column would be open.
    pub(crate) fn new(sensitivity: Sensitivity, lineage: PathBuf) -> Result<Self, LineageError> {
        let told = Mutex::new(Told::read(&lineage)?);
        Ok(Self { sensitivity, lineage, told })
    }

    /// What the file tells now; what it told before, where it can't be read any more.
    fn told(&self) -> Told {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.state != state_of(&self.lineage) {
            match Told::read(&self.lineage) {
                Ok(now) => *told = now,
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, "masks follow what was known of lineage before")
                }
            }
        }
        told.clone()
    }
}

/// Whether what is made holds anything of the values that it is made from: a count doesn't.
fn holds_values(edge: &ColumnEdge) -> bool {
    let counts = |text: &String| text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("count("));
    edge.kind != EdgeKind::Aggregated || !edge.expression.as_ref().is_some_and(counts)
}

impl MaskRules for ProjectRules {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        self.sensitivity.verdicts(table)
    }

    fn hides_rows(&self, table: &TableId) -> bool {
        self.sensitivity.hides_rows(table)
    }

    fn denies(&self, table: &Table, column: &Column) -> bool {
        self.sensitivity.denies_column(table, column)
    }

    fn masks_names(&self) -> bool {
        self.sensitivity.masks_names()
    }

    // What is built in differs from version to version.
    fn mark(&self) -> String {
        format!("{} {} {:?}", env!("CARGO_PKG_VERSION"), self.told().mark, self.sensitivity)
    }

    fn lineage(&self, catalog: &Catalog) -> Lineage {
        let mut lineage = guard::lineage(catalog);
        lineage.columns.extend(made_columns(&self.told().made, catalog));
        lineage
    }
}

/// Columns that scripts and models make from columns that are known. The definitions of views are the guard's to follow.
fn made_columns(edges: &[ColumnEdge], catalog: &Catalog) -> Vec<MadeColumn> {
    let mut origins: BTreeMap<(&TableId, String), Vec<(TableId, String)>> = BTreeMap::new();
    for edge in edges {
        let (Some(from), Some(to)) = (catalog.entry(&edge.from.table), catalog.entry(&edge.to.table)) else { continue };
        if to.table.definition.is_some() {
            continue;
        }
        let pairs: Vec<(&str, &str)> = match (edge.from.column.as_str(), edge.to.column.as_str()) {
            (ALL_COLUMNS, ALL_COLUMNS) => {
                from.table.columns.iter().map(|column| (column.name.as_str(), column.name.as_str())).collect()
            }
            pair => vec![pair],
        };
        for (of, name) in pairs {
            let column = |entry: &Entry, name: &str| {
                let found = entry.table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
                found.map(|column| column.name.clone())
            };
            if let (Some(of), Some(name)) = (column(from, of), column(to, name)) {
                origins.entry((&to.table.id, name)).or_default().push((from.table.id.clone(), of));
            }
        }
    }
    let made = origins.into_iter().map(|((table, column), origins)| MadeColumn {
        table: table.clone(),
        column,
        origins: Some(origins),
    });
    made.collect()
}

/// What columns of these tables are made from.
pub(crate) fn of_tables(source: &Source, tables: &[Table]) -> Vec<MadeColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    guard::lineage(&Catalog::new(vec![source.clone()], entries, Vec::new(), 0)).columns
}
