//! What scripts and models make of columns that are known: which columns, and which rows.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Catalog, Entry, Lineage, MadeColumn, MadeRows, RowsBy, TableId};
use lineage::{ALL_COLUMNS, ANY_TABLE, Choice, ColumnEdge, Direction, EdgeKind, Graph, Lineage as KnownLineage};
use sql::{ColumnRef, RowChoice};

/// A column of the catalog.
type Known = (TableId, String);

/// What the columns and rows of tables are made from that these texts fill, also over tables that the database doesn't have:
/// those of a session, of a step between, under an earlier name. The definitions of views are the guard's to follow, and say
/// `of_views`.
pub(super) fn followed(edges: &[ColumnEdge], choices: &[Choice], catalog: &Catalog, of_views: &Lineage) -> Lineage {
    let settling = Settling::over(catalog, of_views, choices);
    let edges: Vec<ColumnEdge> = edges.iter().flat_map(|edge| settling.edge(edge)).collect();
    let choices: Vec<Choice> = choices.iter().flat_map(|choice| settling.choice(choice)).collect();
    let through = KnownLineage { columns: edges.clone(), ..KnownLineage::default() };
    let follower = Follower::over(catalog, &edges, Graph::new(&through));
    let made = follower.columns();
    let rows = follower.rows(&choices, &made);
    let columns = made.0.into_iter().map(|((table, column), MadeOf { origins, is_computed })| MadeColumn {
        table,
        column,
        origins: Some(origins),
        is_computed,
    });
    Lineage { columns: columns.collect(), rows, ..Lineage::default() }
}

/// Columns with what they are made from.
#[derive(Default)]
struct Made(BTreeMap<Known, MadeOf>);

/// What a column is made from, as [`MadeColumn`] says it.
struct MadeOf {
    origins: Vec<Known>,
    is_computed: bool,
}

impl Made {
    fn note(&mut self, table: &Entry, name: &str, origins: &[Known], is_computed: bool) {
        let Some(column) = table.table.column(name) else { return };
        let made = self.0.entry((table.table.id.clone(), column.name.clone()));
        let made = made.or_insert_with(|| MadeOf { origins: Vec::new(), is_computed });
        made.is_computed |= is_computed;
        for origin in origins {
            if !made.origins.contains(origin) {
                made.origins.push(origin.clone());
            }
        }
    }
}

/// Puts the tables of the catalog in the place of what texts name them by: a part of one, and a view that rows are written
/// through.
struct Settling<'a> {
    catalog: &'a Catalog,
    of_views: &'a Lineage,
    /// The tables that have parts, by these.
    wholes: BTreeMap<&'a TableId, &'a TableId>,
    /// What is created, and where: nothing is written through a view by that.
    created: BTreeSet<(&'a TableId, usize)>,
}

impl<'a> Settling<'a> {
    fn over(catalog: &'a Catalog, of_views: &'a Lineage, choices: &'a [Choice]) -> Self {
        let parts = catalog.entries().iter().map(|entry| &entry.table);
        let wholes = parts.flat_map(|table| table.partitions.iter().map(|part| (part, &table.id))).collect();
        let created = choices.iter().filter(|choice| choice.is_whole);
        let created = created.map(|choice| (&choice.table, choice.place)).collect();
        Self { catalog, of_views, wholes, created }
    }

    fn edge(&self, edge: &ColumnEdge) -> Vec<ColumnEdge> {
        let from = ColumnRef { table: self.whole(&edge.from.table), ..edge.from.clone() };
        let ends = self.written(&edge.to.table, &edge.to.column, edge.place);
        ends.into_iter().map(|to| ColumnEdge { from: from.clone(), to, ..edge.clone() }).collect()
    }

    fn choice(&self, choice: &Choice) -> Vec<Choice> {
        let column = |column: &ColumnRef| ColumnRef { table: self.whole(&column.table), ..column.clone() };
        let by = RowChoice {
            deciding: choice.by.deciding.iter().map(column).collect(),
            equated: choice.by.equated.iter().map(|pair| pair.each_ref().map(column)).collect(),
            tested: choice.by.tested.iter().map(column).collect(),
        };
        let mut tables: BTreeMap<TableId, Vec<String>> = BTreeMap::new();
        for name in &choice.columns {
            for written in self.written(&choice.table, name, choice.place) {
                tables.entry(written.table).or_default().push(written.column);
            }
        }
        let reads: Vec<TableId> = choice.reads.iter().map(|read| self.whole(read)).collect();
        let of = |(table, columns): (TableId, Vec<String>)| {
            let is_whole = choice.is_whole && table == choice.table;
            Choice { table, columns, is_whole, reads: reads.clone(), by: by.clone(), ..choice.clone() }
        };
        tables.into_iter().map(of).collect()
    }

    /// The table that has a part.
    fn whole(&self, table: &TableId) -> TableId {
        if self.catalog.entry(table).is_some() {
            return table.clone();
        }
        // Written without its schema, it is found in one of those that the engine looks through.
        let is_it = |part: &TableId| part.name == table.name && part.source == table.source && table.schema.is_none();
        let by_name = || self.wholes.iter().find(|(part, _)| is_it(part)).map(|(_, whole)| whole);
        self.wholes.get(table).or_else(by_name).map_or_else(|| table.clone(), |whole| (*whole).clone())
    }

    /// The columns of tables that one is which is written to.
    fn written(&self, table: &TableId, column: &str, place: usize) -> Vec<ColumnRef> {
        let whole = self.whole(table);
        // The text's reader doesn't know the columns of a part, which may be filled by their places.
        let column = if whole == *table { column } else { ALL_COLUMNS };
        let named = ColumnRef { table: whole, column: column.to_owned() };
        if self.created.contains(&(table, place)) {
            return vec![named];
        }
        let mut written: Vec<ColumnRef> = Vec::new();
        let mut next = vec![named];
        let mut seen: BTreeSet<ColumnRef> = BTreeSet::new();
        while let Some(column) = next.pop() {
            let view = self.catalog.entry(&column.table).filter(|entry| entry.table.definition.is_some());
            if !seen.insert(column.clone()) {
                continue;
            }
            if view.is_none() {
                written.push(column);
                continue;
            }
            let is_it = |made: &&MadeColumn| {
                let same = column.column == ALL_COLUMNS || made.column.eq_ignore_ascii_case(&column.column);
                made.table == column.table && same
            };
            for made in self.of_views.columns.iter().filter(is_it) {
                let origins = made.origins.iter().flatten();
                next.extend(origins.map(|(table, column)| ColumnRef { table: table.clone(), column: column.clone() }));
            }
        }
        written
    }
}

struct Follower<'a> {
    catalog: &'a Catalog,
    edges: &'a [ColumnEdge],
    graph: Graph<'a>,
    /// The edges to tables that only texts know, by the table, and by the column's name in lower case.
    filling: BTreeMap<&'a TableId, Vec<&'a ColumnEdge>>,
    by_column: BTreeMap<String, Vec<&'a ColumnEdge>>,
}

impl<'a> Follower<'a> {
    fn over(catalog: &'a Catalog, edges: &'a [ColumnEdge], graph: Graph<'a>) -> Self {
        let (mut filling, mut by_column) = (BTreeMap::new(), BTreeMap::new());
        for edge in edges.iter().filter(|edge| catalog.entry(&edge.to.table).is_none()) {
            filling.entry(&edge.to.table).or_insert_with(Vec::new).push(edge);
            by_column.entry(edge.to.column.to_lowercase()).or_insert_with(Vec::new).push(edge);
        }
        Self { catalog, edges, graph, filling, by_column }
    }

    /// What the columns are made from that the edges fill.
    fn columns(&self) -> Made {
        let mut made = Made::default();
        for edge in self.edges {
            let Some(to) = self.filled(&edge.to.table) else { continue };
            let all = [edge.from.column.as_str(), edge.to.column.as_str()].contains(&ALL_COLUMNS);
            let from = self.catalog.entry(&edge.from.table);
            let is_computed = edge.kind != EdgeKind::Copied;
            match (from, all) {
                (Some(_), false) => made.note(to, &edge.to.column, &self.known(&edge.from), is_computed),
                (Some(_), true) if edge.from.column != ALL_COLUMNS => {
                    let known = self.known(&edge.from);
                    to.table.columns.iter().for_each(|own| made.note(to, &own.name, &known, is_computed));
                }
                // Of all columns it isn't told which one became which: by their names and by their places.
                (Some(from), true) => {
                    for (place, own) in to.table.columns.iter().enumerate() {
                        let beside = from.table.columns.get(place);
                        for of in from.table.column(&own.name).into_iter().chain(beside) {
                            let of = (from.table.id.clone(), of.name.clone());
                            made.note(to, &own.name, &[of], is_computed);
                        }
                    }
                }
                (None, _) => {
                    for name in named(to, &edge.to.column, all) {
                        let of = if edge.from.column == ALL_COLUMNS { name } else { &edge.from.column };
                        let start = ColumnRef { table: edge.from.table.clone(), column: of.to_owned() };
                        let is_computed = is_computed || !self.is_copied(&start);
                        made.note(to, name, &self.known(&start), is_computed);
                    }
                }
            }
        }
        made
    }

    /// The columns of the catalog that one stands for: itself, all of its table, or what it is made from, where only texts know
    /// its table.
    fn known(&self, column: &ColumnRef) -> Vec<Known> {
        let own = |column: &ColumnRef| -> Option<Known> {
            let found = self.catalog.entry(&column.table)?.table.column(&column.column)?;
            Some((column.table.clone(), found.name.clone()))
        };
        if column.table.name == ANY_TABLE {
            let tables = self.catalog.tables_of(&column.table.source);
            let named = tables.filter_map(|entry| Some((entry.table.id.clone(), entry.table.column(&column.column)?)));
            let named = named.map(|(table, column)| (table, column.name.clone()));
            let of_texts = self.by_column.get(&column.column.to_lowercase()).into_iter().flatten();
            let of_texts = of_texts.flat_map(|edge| self.known(&edge.to));
            return named.chain(of_texts).collect();
        }
        if let Some(entry) = self.catalog.entry(&column.table) {
            let is_all = column.column == ALL_COLUMNS;
            let all = entry.table.columns.iter().filter(|_| is_all);
            let all = all.map(|column| (entry.table.id.clone(), column.name.clone()));
            return all.chain(own(column)).collect();
        }
        let mut known: BTreeSet<Known> = BTreeSet::new();
        let steps = self.graph.columns(column, Direction::Up, usize::MAX);
        known.extend(steps.iter().filter_map(|step| own(&step.edge.from)));
        // It was filled by place, or under other names: any of its table's columns may be meant.
        if steps.is_empty() {
            for filling in self.filling.get(&column.table).into_iter().flatten() {
                let further = self.graph.columns(&filling.from, Direction::Up, usize::MAX);
                known.extend(own(&filling.from));
                known.extend(further.iter().filter_map(|step| own(&step.edge.from)));
            }
        }
        known.into_iter().collect()
    }

    /// Whether a column that only texts know holds what others hold, as it is.
    fn is_copied(&self, column: &ColumnRef) -> bool {
        let steps = self.graph.columns(column, Direction::Up, usize::MAX);
        steps.iter().all(|step| step.edge.kind == EdgeKind::Copied)
    }

    /// What decides over the rows that texts write, over tables that only texts know.
    fn rows(&self, choices: &[Choice], made: &Made) -> Vec<MadeRows> {
        let all = Deciding::of(choices, self.compared(choices, made), self.catalog);
        let rows = choices.iter().enumerate().filter_map(|(number, choice)| {
            let to = self.filled(&choice.table)?;
            let (deciding, reads) = all.over(number);
            let deciding: BTreeSet<Known> = deciding.into_iter().flat_map(|column| self.known(column)).collect();
            let is_all = choice.columns.iter().any(|name| name == ALL_COLUMNS);
            let columns = choice.columns.iter().flat_map(|name| named(to, name, is_all));
            let columns: BTreeSet<String> = columns.map(str::to_owned).collect();
            let columns: Vec<String> = columns.into_iter().collect();
            Some(MadeRows {
                table: choice.table.clone(),
                deciding: Some(deciding.into_iter().collect()),
                reads: reads.into_iter().cloned().collect(),
                by: match (choice.is_whole, choice.adds_rows) {
                    (true, _) => RowsBy::Making(columns),
                    (false, true) => RowsBy::Adding(columns),
                    (false, false) => RowsBy::Changing(columns),
                },
            })
        });
        rows.collect()
    }

    /// How each choice compares, but for what is compared with a column of the table itself that nobody may see either: so
    /// that no row comes twice, or that another value takes the place of the one that is there.
    fn compared(&self, choices: &[Choice], made: &Made) -> Vec<RowChoice> {
        let is_own = |choice: &Choice, own: &ColumnRef, other: &ColumnRef| {
            let Some(entry) = self.catalog.entry(&own.table).filter(|_| own.table == choice.table) else {
                return false;
            };
            let key = (own.table.clone(), own.column.clone());
            let holds_it = || {
                let others = self.known(other);
                made.0.get(&key).is_some_and(|made| made.origins.iter().any(|origin| others.contains(origin)))
            };
            own.table != other.table && (entry.exposure(&own.column).mask().is_some() || holds_it())
        };
        let compared = choices.iter().map(|choice| {
            let mut by = choice.by.clone();
            by.equated.retain(|[one, other]| !is_own(choice, one, other) && !is_own(choice, other, one));
            by
        });
        compared.collect()
    }

    /// A table that texts fill.
    fn filled(&self, table: &TableId) -> Option<&Entry> {
        self.catalog.entry(table).filter(|entry| entry.table.definition.is_none())
    }
}

/// The columns that a name stands for.
fn named<'n>(table: &'n Entry, name: &'n str, is_all: bool) -> Vec<&'n str> {
    match is_all {
        true => table.table.columns.iter().map(|column| column.name.as_str()).collect(),
        false => vec![name],
    }
}

/// What decides over the rows of tables, and which tables these are read from.
struct Deciding<'a> {
    catalog: &'a Catalog,
    choices: &'a [Choice],
    /// For each choice.
    by: Vec<Vec<ColumnRef>>,
    /// Which choices write rows to a table that only texts know, by its name as they spell it.
    writing: BTreeMap<String, Vec<usize>>,
}

impl<'a> Deciding<'a> {
    fn of(choices: &'a [Choice], compared: Vec<RowChoice>, catalog: &'a Catalog) -> Self {
        let mut by = guard::deciding(catalog, compared);
        let mut writing: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, choice) in choices.iter().enumerate() {
            if choice.adds_rows && catalog.entry(&choice.table).is_none() {
                writing.entry(spelled(&choice.table)).or_default().push(number);
            }
            by[number].extend(presence_made(&choice.by, catalog));
        }
        Self { catalog, choices, by, writing }
    }

    /// All columns that decide over the rows of a choice, its own and those of tables that only texts know, and the tables of
    /// the catalog that these are read from.
    fn over(&self, choice: usize) -> (BTreeSet<&ColumnRef>, BTreeSet<&TableId>) {
        let mut deciding: BTreeSet<&ColumnRef> = self.by[choice].iter().collect();
        let mut next: Vec<&TableId> = self.choices[choice].reads.iter().collect();
        let (mut seen, mut known) = (BTreeSet::new(), BTreeSet::new());
        while let Some(table) = next.pop() {
            if self.catalog.entry(table).is_some() {
                known.insert(table);
                continue;
            }
            if !seen.insert(table) {
                continue;
            }
            for &number in self.writing.get(&spelled(table)).into_iter().flatten() {
                deciding.extend(&self.by[number]);
                next.extend(&self.choices[number].reads);
            }
        }
        (deciding, known)
    }
}

/// Columns that are tested for a value and that only texts know: these may make one where a condition holds.
fn presence_made(choice: &RowChoice, catalog: &Catalog) -> Vec<ColumnRef> {
    choice.tested.iter().filter(|column| catalog.entry(&column.table).is_none()).cloned().collect()
}

fn spelled(table: &TableId) -> String {
    table.to_string().to_lowercase()
}
