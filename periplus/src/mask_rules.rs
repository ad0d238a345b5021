//! By which rules every catalog of a project is read: what is built in and configured, and what columns are made from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use catalog::{Catalog, Column, Entry, Lineage, MadeColumn, MaskRules, Source, StructureVerdict, Table, TableId};
use lineage::{ALL_COLUMNS, ColumnEdge, Direction, Graph, Holder, Lineage as KnownLineage, LineageError, Place};
use privacy::Sensitivity;
use sql::ColumnRef;

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
            // A count holds nothing of the values that it counts.
            made.extend(of_source.columns.into_iter().filter(|edge| !edge.is_count));
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
    /// Where it can't be read, or isn't there although there is something to read: what is made from a masked column would be
    /// open.
    pub(crate) fn new(sensitivity: Sensitivity, lineage: PathBuf, is_expected: bool) -> Result<Self, LineageError> {
        if is_expected && !lineage::is_there(&lineage) {
            return Err(LineageError::Damaged { path: lineage });
        }
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

/// Columns that scripts and models make from columns that are known, also over tables that the database doesn't have: those
/// of a session, of a step between, under an earlier name. The definitions of views are the guard's to follow.
fn made_columns(edges: &[ColumnEdge], catalog: &Catalog) -> Vec<MadeColumn> {
    let through = KnownLineage { columns: edges.to_vec(), ..KnownLineage::default() };
    let graph = Graph::new(&through);
    let column = |entry: &Entry, name: &str| {
        let found = entry.table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        found.map(|column| column.name.clone())
    };
    let mut origins: BTreeMap<(TableId, String), Vec<(TableId, String)>> = BTreeMap::new();
    let mut note = |to: &Entry, name: &str, from: &ColumnRef| {
        let entry = catalog.entry(&from.table);
        if let Some((entry, name)) = entry.zip(column(to, name))
            && let Some(of) = column(entry, &from.column)
        {
            let of = (from.table.clone(), of);
            let known = origins.entry((to.table.id.clone(), name)).or_default();
            if !known.contains(&of) {
                known.push(of);
            }
        }
    };
    for edge in edges {
        let Some(to) = catalog.entry(&edge.to.table).filter(|entry| entry.table.definition.is_none()) else { continue };
        let all = [edge.from.column.as_str(), edge.to.column.as_str()].contains(&ALL_COLUMNS);
        let from = catalog.entry(&edge.from.table);
        match (from, all) {
            (Some(_), false) => note(to, &edge.to.column, &edge.from),
            // Of all columns it isn't told which one became which: by their names and by their places.
            (Some(from), true) => {
                for (place, own) in to.table.columns.iter().enumerate() {
                    let same = column(from, &own.name);
                    let beside = from.table.columns.get(place).map(|column| column.name.clone());
                    for of in same.into_iter().chain(beside) {
                        note(to, &own.name, &ColumnRef { table: from.table.id.clone(), column: of });
                    }
                }
            }
            (None, _) => {
                let names: Vec<&str> = match all {
                    true => to.table.columns.iter().map(|column| column.name.as_str()).collect(),
                    false => vec![&edge.to.column],
                };
                for name in names {
                    let of = if edge.from.column == ALL_COLUMNS { name } else { &edge.from.column };
                    let start = ColumnRef { table: edge.from.table.clone(), column: of.to_owned() };
                    let steps = graph.columns(&start, Direction::Up, usize::MAX);
                    steps.iter().for_each(|step| note(to, name, &step.edge.from));
                    // It was filled by place, or under other names: any of its columns may be meant.
                    if steps.is_empty() {
                        let filling = edges.iter().filter(|filling| filling.to.table == edge.from.table);
                        for filling in filling {
                            note(to, name, &filling.from);
                            let further = graph.columns(&filling.from, Direction::Up, usize::MAX);
                            further.iter().for_each(|step| note(to, name, &step.edge.from));
                        }
                    }
                }
            }
        }
    }
    let made =
        origins.into_iter().map(|((table, column), origins)| MadeColumn { table, column, origins: Some(origins) });
    made.collect()
}

/// What columns of these tables are made from.
pub(crate) fn of_tables(source: &Source, tables: &[Table]) -> Vec<MadeColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    guard::lineage(&Catalog::new(vec![source.clone()], entries, Vec::new(), 0)).columns
}
