//! Edges: which table and which column is made from which, how, and where that is said.

use std::fmt;

use catalog::TableId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sql::{ColumnRef, MadeColumn, Origin, Role, StatementLineage, UnsureColumn};

/// The column that stands for all of a table's, where their names aren't known.
pub const ALL_COLUMNS: &str = "*";

/// What is known of where data comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lineage {
    /// The texts that say so.
    pub places: Vec<Place>,
    /// Tables that are made from tables.
    pub tables: Vec<TableEdge>,
    /// Columns that are made from columns.
    pub columns: Vec<ColumnEdge>,
    /// What isn't known, and why.
    pub gaps: Vec<Gap>,
}

/// A text that says where data comes from: a view's definition, a statement of a script, a model of a dbt project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What holds it.
    pub holder: Holder,
    /// The view's name, the file's path in its folder, or the model's id.
    pub name: String,
    /// The line of the file on which the statement begins, from 1.
    pub line: Option<usize>,
    /// SHA-256 of the text, in hexadecimal digits.
    pub hash: String,
    /// When it was read.
    pub read_at: Timestamp,
}

/// What holds a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// The definition of a view of the database.
    View,
    /// A file with SQL statements.
    Script,
    /// A model of a dbt project.
    DbtModel,
}

/// Where a text stands, as one sentence names it: `view sales.paid_orders`, `load/orders.sql:12`.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.holder, self.line) {
            (Holder::View, _) => write!(formatter, "view {}", self.name),
            (Holder::DbtModel, _) => write!(formatter, "dbt {}", self.name),
            (Holder::Script, Some(line)) => write!(formatter, "{}:{line}", self.name),
            (Holder::Script, None) => formatter.write_str(&self.name),
        }
    }
}

/// A table that another one is made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEdge {
    /// What is read.
    pub from: TableId,
    /// What is made.
    pub to: TableId,
    /// The columns of what is read by which rows are picked, joined or grouped.
    pub deciding: Vec<(String, Role)>,
    /// Which of [`Lineage::places`] says so.
    pub place: usize,
}

/// A column that another one is made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEdge {
    /// What is read; the column [`ALL_COLUMNS`] stands for all.
    pub from: ColumnRef,
    /// What is made.
    pub to: ColumnRef,
    /// How.
    pub kind: EdgeKind,
    /// The expression that is made, where it isn't the column itself.
    pub expression: Option<String>,
    /// Which of [`Lineage::places`] says so.
    pub place: usize,
}

/// How a column comes from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Unchanged.
    Copied,
    /// By an expression.
    Computed,
    /// By an aggregate.
    Aggregated,
}

impl From<Origin> for EdgeKind {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Column => Self::Copied,
            Origin::Computed => Self::Computed,
            Origin::Aggregated => Self::Aggregated,
        }
    }
}

/// Something that a text leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What, as a sentence.
    pub what: String,
    /// Which of [`Lineage::places`] leaves it open.
    pub place: usize,
}

impl Place {
    /// A text that is read now.
    pub fn new(holder: Holder, name: impl Into<String>, text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { holder, name: name.into(), line: None, hash, read_at: Timestamp::now() }
    }
}

impl Lineage {
    /// Notes what a statement makes. `result` is the table that the result of a query is, where there is one, and its columns
    /// in order as far as they are known; without it a query makes nothing that lasts.
    pub fn add(&mut self, statement: &StatementLineage, place: Place, result: Option<(&TableId, &[String])>) {
        let number = self.places.len();
        let columns_before = self.columns.len();
        let before = self.tables.len() + columns_before + self.gaps.len();
        for made in &statement.made {
            let (table, names) = match (&made.table, result) {
                (Some(table), _) => (table, [].as_slice()),
                (None, Some((table, names))) => (table, names),
                (None, None) => continue,
            };
            self.add_tables(statement, table, number);
            let sure = made.columns.iter().take_while(|column| !is_all(column)).count();
            // A `*` that isn't known to the last column leaves open which of the names that follow stands where.
            let by_place = sure == made.columns.len() && sure == names.len();
            for (position, column) in made.columns.iter().enumerate() {
                let given = names.get(position).filter(|_| by_place || position < sure);
                let name = given.or(column.name.as_ref());
                // A column that only the engine names is called by what it is.
                let name = match (name, &column.expression) {
                    (Some(name), _) => name.clone(),
                    (None, Some(expression)) if !is_all(column) => expression.clone(),
                    (None, _) => ALL_COLUMNS.to_owned(),
                };
                for source in column.sources.iter().filter(|source| !source.table.name.is_empty()) {
                    let edge = ColumnEdge {
                        from: source.clone(),
                        to: ColumnRef { table: table.clone(), column: name.clone() },
                        kind: column.origin.into(),
                        expression: column.expression.clone(),
                        place: number,
                    };
                    if !self.columns[columns_before..].contains(&edge) {
                        self.columns.push(edge);
                    }
                }
            }
        }
        if let Some(problem) = &statement.problem {
            self.gaps.push(Gap { what: format!("not read: {problem}"), place: number });
        }
        let is_lasting = statement.made.iter().any(|made| made.table.is_some()) || result.is_some();
        self.gaps.extend(statement.unsure.iter().filter(|_| is_lasting).map(|unsure| gap(unsure, number)));
        if self.tables.len() + self.columns.len() + self.gaps.len() > before {
            self.places.push(place);
        }
    }

    fn add_tables(&mut self, statement: &StatementLineage, to: &TableId, place: usize) {
        for from in &statement.reads {
            let of_table = statement.deciding.iter().filter(|(column, _)| column.table == *from);
            let deciding = of_table.map(|(column, role)| (column.column.clone(), *role)).collect();
            self.tables.push(TableEdge { from: from.clone(), to: to.clone(), deciding, place });
        }
    }

    /// All of both.
    pub fn extend(&mut self, other: Self) {
        let shift = self.places.len();
        self.places.extend(other.places);
        self.tables.extend(other.tables.into_iter().map(|edge| TableEdge { place: edge.place + shift, ..edge }));
        self.columns.extend(other.columns.into_iter().map(|edge| ColumnEdge { place: edge.place + shift, ..edge }));
        self.gaps.extend(other.gaps.into_iter().map(|gap| Gap { place: gap.place + shift, ..gap }));
    }
}

/// Whether it stands for all columns of tables whose columns aren't known.
fn is_all(column: &MadeColumn) -> bool {
    column.name.is_none() && column.sources.iter().any(|source| source.column == ALL_COLUMNS)
}

fn gap(unsure: &UnsureColumn, place: usize) -> Gap {
    Gap { what: format!("`{}` may be of {}", unsure.name, unsure.tables.join(" or ")), place }
}
