//! Edges: which table and which column is made from which, how, and where that is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use catalog::TableId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sql::{
    ALL_COLUMNS, ANY_TABLE, ColumnRef, Made, MadeColumn, Origin, Role, RowChoice, StatementKind, StatementLineage,
    TableChange, UnsureColumn,
};

use crate::held::HeldMask;
use crate::notes::TableNotes;

/// What is known of where data comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lineage {
    /// The texts that say so.
    pub places: Vec<Place>,
    /// Tables that are made from tables.
    pub tables: Vec<TableEdge>,
    /// Columns that are made from columns.
    pub columns: Vec<ColumnEdge>,
    /// What rows have to meet, where a text says so.
    pub conditions: Vec<Condition>,
    /// What values decide over the rows of tables that are kept.
    pub choices: Vec<Choice>,
    /// What dbt projects note of tables.
    pub notes: Vec<TableNotes>,
    /// What isn't known, and why.
    pub gaps: Vec<Gap>,
    /// Masks that stay although nothing of all this, nor a value, says so any more.
    pub held: Vec<HeldMask>,
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
    /// Whether it is known of all of its columns whose they are.
    pub is_sure: bool,
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
    /// What a dbt project says of who reads its models: a dashboard, a notebook.
    DbtExposure,
    /// What a dbt project notes of a table: tests and what came of them, freshness, labels.
    DbtNotes,
}

/// Where a text stands, as one sentence names it: `view sales.paid_orders`, `load/orders.sql:12`.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.holder, self.line) {
            (Holder::View, _) => write!(formatter, "view {}", self.name),
            (Holder::DbtModel, _) => write!(formatter, "dbt {}", self.name),
            (Holder::DbtNotes, _) => write!(formatter, "dbt notes of {}", self.name),
            (Holder::DbtExposure, _) => write!(formatter, "dbt exposure {}", self.name),
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
    /// Whether it is a count and nothing besides, which holds nothing of what is counted.
    pub is_count: bool,
    /// Whether it is known that it is this table's, and not another one's of the statement.
    pub is_sure: bool,
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

impl Lineage {
    /// Keeps where something is said; the number that edges and gaps know it by.
    pub(crate) fn note_place(&mut self, place: Place) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }
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

/// A condition that the rows have to meet which a text takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The table that is made.
    pub table: TableId,
    /// The condition, as it is written.
    pub text: String,
    /// All columns that the text it stands in names anywhere.
    pub columns: Vec<ColumnRef>,
    /// Which of [`Lineage::places`] says so.
    pub place: usize,
}

/// What values decide over rows that a text writes. Not of views, whose definitions say it whenever they are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The table that gets the rows, or whose rows are changed.
    pub table: TableId,
    /// The columns that the text makes; [`ALL_COLUMNS`] stands for all.
    pub columns: Vec<String>,
    /// Whether the table has these rows and no others.
    pub is_whole: bool,
    /// Whether the table gets rows, and not only other values in those that it has.
    pub adds_rows: bool,
    /// What the text reads.
    pub reads: Vec<TableId>,
    /// What decides.
    pub by: RowChoice,
    /// Which of [`Lineage::places`] says so.
    pub place: usize,
}

/// Something that a text leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What, as a sentence.
    pub what: String,
    /// The table that the text makes, where that is known.
    pub table: Option<TableId>,
    /// Which of [`Lineage::places`] leaves it open.
    pub place: usize,
}

impl Place {
    /// A text that is read now.
    pub fn new(holder: Holder, name: impl Into<String>, text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { holder, name: name.into(), line: None, hash, is_sure: true, read_at: Timestamp::now() }
    }
}

impl Lineage {
    /// Notes what a statement makes. `result` is the table that the result of a query is, where there is one, and its columns
    /// in order as far as they are known; without it a query makes nothing that lasts.
    pub fn add(&mut self, statement: &StatementLineage, place: Place, result: Option<(&TableId, &[String])>) {
        let number = self.places.len();
        let columns_before = self.columns.len();
        let before = self.noted();
        for made in &statement.made {
            let (table, names) = match (&made.table, result) {
                (Some(table), _) => (table, [].as_slice()),
                (None, Some((table, names))) => (table, names),
                (None, None) => continue,
            };
            self.add_tables(statement, table, number);
            let condition = |text: &String| Condition {
                table: table.clone(),
                text: text.clone(),
                columns: statement.columns.clone(),
                place: number,
            };
            // What is only changed doesn't consist of the rows that are.
            if !statement.reads.is_empty() && statement.kind != StatementKind::Update {
                self.conditions.extend(statement.conditions.iter().map(condition));
            }
            let sure = made.columns.iter().take_while(|column| !is_all(column)).count();
            // A `*` that isn't known to the last column leaves open which of the names that follow stands where.
            let by_place = sure == made.columns.len() && sure == names.len();
            let mut made_columns: Vec<String> = Vec::new();
            for (position, column) in made.columns.iter().enumerate() {
                let by_name =
                    || names.iter().find(|own| column.name.as_ref().is_some_and(|it| own.eq_ignore_ascii_case(it)));
                let in_place = || names.get(position).filter(|_| by_place || position < sure);
                // A view may give its columns other names; a model makes or fills a table by its own.
                let given = match place.holder {
                    Holder::View => in_place(),
                    _ => by_name().or_else(|| in_place().filter(|_| column.name.is_none())),
                };
                let name = given.or(column.name.as_ref());
                // A column that only the engine names is called by what it is.
                let name = match (name, &column.expression) {
                    (Some(name), _) => name.clone(),
                    (None, Some(expression)) if !is_all(column) => expression.clone(),
                    (None, _) => ALL_COLUMNS.to_owned(),
                };
                made_columns.push(name.clone());
                // Rows are counted of all that is read.
                let rows = statement
                    .reads
                    .iter()
                    .filter(|_| counts_rows(column))
                    .map(|table| ColumnRef { table: table.clone(), column: ALL_COLUMNS.to_owned() });
                let named = column.sources.iter().filter(|source| !source.table.name.is_empty()).cloned();
                // Of a column that may be several tables', each may be meant.
                let unsure = column.sources.iter().filter(|source| source.table.name.is_empty());
                let perhaps: Vec<ColumnRef> = unsure.flat_map(|source| perhaps(source, statement)).collect();
                let named = named.map(|source| (source, column.is_count, true));
                let perhaps = perhaps.into_iter().map(|source| (source, column.is_count, false));
                let rows = rows.map(|source| (source, true, true));
                for (source, is_count, is_sure) in named.chain(rows).chain(perhaps) {
                    let edge = ColumnEdge {
                        from: source,
                        to: ColumnRef { table: table.clone(), column: name.clone() },
                        kind: column.origin.into(),
                        expression: column.expression.clone(),
                        is_count,
                        is_sure,
                        place: number,
                    };
                    if !self.columns[columns_before..].contains(&edge) {
                        self.columns.push(edge);
                    }
                }
            }
            if place.holder != Holder::View {
                self.choices.extend(choice(statement, made, table, made_columns, number));
            }
        }
        if place.holder != Holder::View {
            let model = result.map(|(table, _)| table).filter(|_| statement.problem.is_some());
            let filled = statement.may_fill.iter().chain(model);
            self.choices
                .extend(filled.map(|table| unread(&statement.may_read, &statement.choice.deciding, table, number)));
        }
        let lasting = statement.made.iter().find_map(|made| made.table.as_ref()).or(result.map(|(table, _)| table));
        if let Some(problem) = &statement.problem {
            let table = statement.changed.first().cloned().or_else(|| result.map(|(table, _)| table.clone()));
            self.gaps.push(Gap { what: format!("not read: {problem}"), table, place: number });
        }
        if let Some(table) = lasting {
            self.gaps.extend(statement.unsure.iter().map(|unsure| gap(unsure, table, number)));
        }
        if self.noted() > before {
            let is_sure = statement.unsure.is_empty();
            self.places.push(Place { is_sure, ..place });
        }
    }

    /// How much of everything is noted.
    fn noted(&self) -> usize {
        self.tables.len() + self.columns.len() + self.gaps.len() + self.conditions.len() + self.choices.len()
    }

    fn add_tables(&mut self, statement: &StatementLineage, to: &TableId, place: usize) {
        for from in &statement.reads {
            let of_table = statement.deciding.iter().filter(|(column, _)| column.table == *from);
            let deciding = of_table.map(|(column, role)| (column.column.clone(), *role)).collect();
            self.tables.push(TableEdge { from: from.clone(), to: to.clone(), deciding, place });
        }
    }

    /// Gives tables of a session names that say whose they are: another script may have one of that name.
    pub(crate) fn keep_apart(&mut self, tables: &[TableId], whose: &str) {
        let named = |table: &mut TableId| {
            if tables.contains(table) {
                table.name = format!("{} ({whose})", table.name);
            }
        };
        for edge in &mut self.tables {
            named(&mut edge.from);
            named(&mut edge.to);
        }
        for edge in &mut self.columns {
            named(&mut edge.from.table);
            named(&mut edge.to.table);
        }
        for condition in &mut self.conditions {
            named(&mut condition.table);
            condition.columns.iter_mut().for_each(|column| named(&mut column.table));
        }
        for choice in &mut self.choices {
            named(&mut choice.table);
            choice.reads.iter_mut().for_each(named);
            let RowChoice { deciding, equated, tested } = &mut choice.by;
            let columns = deciding.iter_mut().chain(equated.iter_mut().flatten()).chain(tested);
            columns.for_each(|column| named(&mut column.table));
        }
        self.gaps.iter_mut().filter_map(|gap| gap.table.as_mut()).for_each(named);
    }

    /// Whether every edge has its place.
    pub(crate) fn is_whole(&self) -> bool {
        let tables = self.tables.iter().map(|edge| edge.place);
        let columns = self.columns.iter().map(|edge| edge.place);
        let others = self.conditions.iter().map(|it| it.place).chain(self.gaps.iter().map(|gap| gap.place));
        let others = others.chain(self.choices.iter().map(|choice| choice.place));
        let others = others.chain(self.notes.iter().map(|notes| notes.place));
        tables.chain(columns).chain(others).all(|place| place < self.places.len())
    }

    /// All of both, but for definitions of views which the other one says the same of: a model that is kept as a view.
    pub fn extend_with_models(&mut self, models: Self) {
        let (own, others) = (self.ends(), models.ends());
        let is_view = |place: usize| self.places[place].holder == Holder::View;
        let again = own.iter().filter(|(place, ends)| is_view(**place) && others.values().any(|other| other == *ends));
        let said_again: BTreeSet<usize> = again.map(|(place, _)| *place).collect();
        self.tables.retain(|edge| !said_again.contains(&edge.place));
        self.columns.retain(|edge| !said_again.contains(&edge.place));
        self.conditions.retain(|condition| !said_again.contains(&condition.place));
        self.gaps.retain(|gap| !said_again.contains(&gap.place));
        self.extend(models);
    }

    /// The same without what tells of those tables.
    #[must_use]
    pub fn without(mut self, is_left_out: &dyn Fn(&TableId) -> bool) -> Self {
        self.tables.retain(|edge| !is_left_out(&edge.from) && !is_left_out(&edge.to));
        self.columns.retain(|edge| !is_left_out(&edge.from.table) && !is_left_out(&edge.to.table));
        self.conditions
            .retain(|it| !is_left_out(&it.table) && it.columns.iter().all(|column| !is_left_out(&column.table)));
        self.choices.retain(|choice| !is_left_out(&choice.table));
        self.notes.retain(|notes| !is_left_out(&notes.table));
        self.gaps.retain(|gap| gap.table.as_ref().is_none_or(|table| !is_left_out(table)));
        self
    }

    /// What each place says is made from what, in tables and columns.
    fn ends(&self) -> BTreeMap<usize, BTreeSet<[ColumnRef; 2]>> {
        let mut ends: BTreeMap<usize, BTreeSet<[ColumnRef; 2]>> = BTreeMap::new();
        for edge in &self.columns {
            ends.entry(edge.place).or_default().insert([edge.from.clone(), edge.to.clone()]);
        }
        let whole = |table: &TableId| ColumnRef { table: table.clone(), column: String::new() };
        for edge in &self.tables {
            ends.entry(edge.place).or_default().insert([whole(&edge.from), whole(&edge.to)]);
        }
        ends
    }

    /// All of both.
    pub fn extend(&mut self, other: Self) {
        let shift = self.places.len();
        self.places.extend(other.places);
        self.tables.extend(other.tables.into_iter().map(|edge| TableEdge { place: edge.place + shift, ..edge }));
        self.columns.extend(other.columns.into_iter().map(|edge| ColumnEdge { place: edge.place + shift, ..edge }));
        self.choices.extend(other.choices.into_iter().map(|it| Choice { place: it.place + shift, ..it }));
        let conditions = other.conditions.into_iter();
        self.conditions.extend(conditions.map(|it| Condition { place: it.place + shift, ..it }));
        self.keep_held(other.held);
        self.notes.extend(other.notes.into_iter().map(|it| TableNotes { place: it.place + shift, ..it }));
        self.gaps.extend(other.gaps.into_iter().map(|gap| Gap { place: gap.place + shift, ..gap }));
    }
}

/// The columns that one may be which could be several tables'.
fn perhaps(source: &ColumnRef, statement: &StatementLineage) -> Vec<ColumnRef> {
    let unsure = statement.unsure.iter().filter(|unsure| unsure.name.eq_ignore_ascii_case(&source.column));
    let tables = unsure.flat_map(|unsure| &unsure.tables);
    let found = tables.filter_map(|name| statement.reads.iter().find(|table| table.local() == *name));
    found.map(|table| ColumnRef { table: table.clone(), column: source.column.clone() }).collect()
}

/// Where the rows that a statement writes to a table come from, and what decides over them.
fn choice(
    statement: &StatementLineage,
    made: &Made,
    table: &TableId,
    columns: Vec<String>,
    place: usize,
) -> Option<Choice> {
    let meant = |column: &ColumnRef| match column.table.name.is_empty() {
        true => perhaps(column, statement),
        false => vec![column.clone()],
    };
    let RowChoice { deciding, equated, tested } = &statement.choice;
    let table_source = &table.source;
    // What nothing is known to be called may be a variable, a row of a trigger, a parameter.
    let unknown = statement.unsure.iter().filter(|unsure| unsure.is_unknown).flat_map(|unsure| {
        let name = unsure.name.rsplit('.').next().unwrap_or_default();
        let of = |table: &str, column: &str| ColumnRef {
            table: TableId { source: table_source.clone(), schema: None, name: table.to_owned() },
            column: column.to_owned(),
        };
        [of(ANY_TABLE, name), of(name, ALL_COLUMNS)]
    });
    let pairs = equated.iter().flat_map(|[one, other]| {
        let others = meant(other);
        meant(one).into_iter().flat_map(move |one| others.clone().into_iter().map(move |other| [one.clone(), other]))
    });
    let by = RowChoice {
        deciding: deciding.iter().flat_map(meant).chain(unknown).collect::<BTreeSet<_>>().into_iter().collect(),
        equated: pairs.collect::<BTreeSet<_>>().into_iter().collect(),
        tested: tested.iter().flat_map(meant).collect::<BTreeSet<_>>().into_iter().collect(),
    };
    let (is_whole, adds_rows) = (made.change.creates(), made.change != TableChange::Changed);
    // Nobody knows how many columns a routine gives.
    let columns = if statement.calls.is_empty() { columns } else { vec![ALL_COLUMNS.to_owned()] };
    let reads = statement.reads.iter().chain(&statement.calls).chain(&statement.within);
    let reads: Vec<TableId> = reads.filter(|read| *read != table).cloned().collect();
    (!by.is_empty() || !reads.is_empty()).then(|| Choice {
        table: table.clone(),
        columns,
        is_whole,
        adds_rows,
        reads,
        by,
        place,
    })
}

/// What a statement that can't be read may make of all that it names: nobody knows how it chooses.
pub(crate) fn unread(read: &[TableId], others: &[ColumnRef], table: &TableId, place: usize) -> Choice {
    let reads: Vec<TableId> = read.iter().filter(|read| *read != table).cloned().collect();
    let all = |table: &TableId| ColumnRef { table: table.clone(), column: ALL_COLUMNS.to_owned() };
    let deciding = reads.iter().map(all).chain(others.iter().cloned()).collect();
    let by = RowChoice { deciding, ..RowChoice::default() };
    let columns = vec![ALL_COLUMNS.to_owned()];
    Choice { table: table.clone(), columns, is_whole: true, adds_rows: true, reads, by, place }
}

/// Whether it stands for all columns of tables whose columns aren't known.
fn is_all(column: &MadeColumn) -> bool {
    column.name.is_none() && column.sources.iter().any(|source| source.column == ALL_COLUMNS)
}

/// Whether it is a count of rows, which is made from no column.
fn counts_rows(column: &MadeColumn) -> bool {
    column.origin == Origin::Aggregated && column.sources.is_empty()
}

fn gap(unsure: &UnsureColumn, table: &TableId, place: usize) -> Gap {
    let what = match (unsure.is_unknown, unsure.tables.is_empty()) {
        (false, _) => format!("`{}` may be of {}", unsure.name, unsure.tables.join(" or ")),
        (true, true) => format!("nothing is called `{}`", unsure.name),
        (true, false) => format!("there is no `{}` in {}", unsure.name, unsure.tables.join(", ")),
    };
    Gap { what, table: Some(table.clone()), place }
}
