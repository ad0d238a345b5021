//! By which rules every catalog of a project is read: what is built in and configured, and what columns are made from.

mod followed;
mod granted;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use catalog::{
    Catalog, Column, Entry, HELD, Lineage, MadeColumn, Mask, MaskRules, MaskedBy, RowPolicy, Source, StructureVerdict,
    Table, TableId,
};
use lineage::{Choice, ColumnEdge, HeldMask, Holder, LineageError, Place};
use privacy::Sensitivity;

use followed::followed;
pub(crate) use granted::{GrantMark, Granted};

/// A project's rules.
pub(crate) struct ProjectRules {
    sensitivity: Sensitivity,
    /// The file of lineage, which an index run writes anew.
    lineage: PathBuf,
    told: Mutex<Told>,
    /// What the databases let the role read that their callers take.
    granted: Granted,
    /// Whether masks that stay whatever the rest says count.
    holds: bool,
}

/// What a file of lineage tells.
#[derive(Clone, Default)]
struct Told {
    /// When it was written, and its size; `None` where there is none.
    state: Option<(SystemTime, u64)>,
    /// The columns that scripts and models make from others.
    made: Arc<Vec<ColumnEdge>>,
    /// What decides over the rows that they write.
    choices: Arc<Vec<Choice>>,
    /// The masks that stay whatever the rest says.
    held: Arc<Vec<HeldMask>>,
    /// What of these says that they are others.
    mark: String,
}

impl Told {
    fn read(path: &Path) -> Result<Self, LineageError> {
        let state = state_of(path);
        let (mut made, mut choices, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for of_source in lineage::load(path)?.into_values() {
            choices.extend(of_source.choices);
            held.extend(of_source.held);
            // The definitions of views are the guard's to follow; what is written through one is another text's to say.
            let is_view = |place: usize| of_source.places.get(place).is_some_and(|place| place.holder == Holder::View);
            // A count holds nothing of the values that it counts.
            made.extend(of_source.columns.into_iter().filter(|edge| !edge.is_count && !is_view(edge.place)));
        }
        let edge = |edge: &ColumnEdge| {
            format!("{} {} {} {}", edge.from.table, edge.from.column, edge.to.table, edge.to.column)
        };
        let choice = |choice: &Choice| {
            format!("{} {:?} {} {:?} {:?}", choice.table, choice.columns, choice.is_whole, choice.reads, choice.by)
        };
        let kept = |held: &HeldMask| format!("{} {}", held.table, held.column);
        let lines = made.iter().map(edge).chain(choices.iter().map(choice)).chain(held.iter().map(kept));
        let text = lines.collect::<Vec<_>>().join("\n");
        let mark = Place::new(Holder::Script, "", &text).hash;
        Ok(Self { state, made: Arc::new(made), choices: Arc::new(choices), held: Arc::new(held), mark })
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
        Ok(Self { sensitivity, lineage, told, granted: Granted::default(), holds: true })
    }

    /// The same for callers whose role may read this and nothing else.
    pub(crate) fn within(self, granted: Granted) -> Self {
        Self { granted, ..self }
    }

    /// The same without the masks that stay whatever the rest says: what the rest says.
    pub(crate) fn without_held(self) -> Self {
        Self { holds: false, ..self }
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
        self.granted.limit(table, self.sensitivity.verdicts(table))
    }

    fn hides_rows(&self, table: &TableId) -> bool {
        self.sensitivity.hides_rows(table) || self.granted.hides(table)
    }

    fn denies(&self, table: &Table, column: &Column) -> bool {
        self.sensitivity.denies_column(table, column) || !self.granted.may_read(&table.id, &column.name)
    }

    fn masks_names(&self) -> bool {
        self.sensitivity.masks_names()
    }

    fn row_policies(&self, table: &TableId) -> Option<&[RowPolicy]> {
        self.granted.row_policies(table)
    }

    // What is built in differs from version to version.
    fn mark(&self) -> String {
        let Self { sensitivity, granted, holds, .. } = self;
        format!("{} {} {sensitivity:?} {granted:?} {holds}", env!("CARGO_PKG_VERSION"), self.told().mark)
    }

    fn lineage(&self, catalog: &Catalog) -> Lineage {
        let (mut lineage, told) = (guard::lineage(catalog), self.told());
        let by_texts = followed(&told.made, &told.choices, catalog, &lineage);
        lineage.columns.extend(by_texts.columns);
        lineage.rows.extend(by_texts.rows);
        let counts = |held: &&HeldMask| self.holds && (self.masks_names() || !held.hides_names);
        let masks = told.held.iter().filter(counts).map(|held| {
            let HeldMask { table, column, reason, confidence, hides_names, by_values, .. } = held.clone();
            let by = if by_values { MaskedBy::Values } else { MaskedBy::Origin };
            (table, column, Mask { by, reason: format!("{HELD}: {reason}"), confidence, hides_names })
        });
        lineage.held.extend(masks);
        lineage
    }
}

/// What columns of these tables are made from.
pub(crate) fn of_tables(source: &Source, tables: &[Table]) -> Vec<MadeColumn> {
    let entries = tables.iter().cloned().map(Entry::bare).collect();
    guard::lineage(&Catalog::new(vec![source.clone()], entries, Vec::new(), 0)).columns
}
