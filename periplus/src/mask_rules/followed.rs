//! What scripts and models make of columns that are known: which columns, and which rows.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Catalog, Entry, Exposure, Lineage, MadeColumn, MadeRows, TableId};
use lineage::{ALL_COLUMNS, Choice, ColumnEdge, Direction, EdgeKind, Graph, Lineage as KnownLineage};
use sql::{ColumnRef, RowChoice};

/// A column of the catalog.
type Known = (TableId, String);

/// What the columns and rows of tables are made from that these texts fill, also over tables that the database doesn't have:
/// those of a session, of a step between, under an earlier name. The definitions of views are the guard's to follow, and say
/// `of_views`.
pub(super) fn followed(edges: &[ColumnEdge], choices: &[Choice], catalog: &Catalog, of_views: &Lineage) -> Lineage {
    let through = KnownLineage { columns: edges.to_vec(), ..KnownLineage::default() };
    let follower = Follower { catalog, edges, graph: Graph::new(&through) };
    let mut made = follower.columns();
    let rows = follower.rows(choices, of_views, &mut made);
    let columns = made.0.into_iter().map(|((table, column), MadeOf { origins, is_computed })| MadeColumn {
        table,
        column,
        origins,
        is_computed,
    });
    Lineage { columns: columns.collect(), rows }
}

/// Columns with what they are made from.
#[derive(Default)]
struct Made(BTreeMap<Known, MadeOf>);

/// What a column is made from, as [`MadeColumn`] says it.
struct MadeOf {
    origins: Option<Vec<Known>>,
    is_computed: bool,
}

impl Made {
    /// Notes what a column is made from; `None` where that can't be told.
    fn note(&mut self, table: &Entry, name: &str, origins: Option<&[Known]>, is_computed: bool) {
        let Some(column) = table.table.column(name) else { return };
        let made = self.0.entry((table.table.id.clone(), column.name.clone()));
        let made = made.or_insert_with(|| MadeOf { origins: Some(Vec::new()), is_computed });
        made.is_computed |= is_computed;
        let Some(origins) = origins else {
            made.origins = None;
            return;
        };
        for origin in origins {
            if made.origins.as_ref().is_some_and(|known| !known.contains(origin)) {
                made.origins.iter_mut().for_each(|known| known.push(origin.clone()));
            }
        }
    }
}

struct Follower<'a> {
    catalog: &'a Catalog,
    edges: &'a [ColumnEdge],
    graph: Graph<'a>,
}

impl Follower<'_> {
    /// What the columns are made from that the edges fill.
    fn columns(&self) -> Made {
        let mut made = Made::default();
        for edge in self.edges {
            let Some(to) = self.filled(&edge.to.table) else { continue };
            let all = [edge.from.column.as_str(), edge.to.column.as_str()].contains(&ALL_COLUMNS);
            let from = self.catalog.entry(&edge.from.table);
            let is_computed = edge.kind != EdgeKind::Copied;
            match (from, all) {
                (Some(_), false) => made.note(to, &edge.to.column, Some(&self.known(&edge.from)), is_computed),
                // Of all columns it isn't told which one became which: by their names and by their places.
                (Some(from), true) => {
                    for (place, own) in to.table.columns.iter().enumerate() {
                        let beside = from.table.columns.get(place);
                        for of in from.table.column(&own.name).into_iter().chain(beside) {
                            let of = (from.table.id.clone(), of.name.clone());
                            made.note(to, &own.name, Some(&[of]), is_computed);
                        }
                    }
                }
                (None, _) => {
                    for name in named(to, &edge.to.column, all) {
                        let of = if edge.from.column == ALL_COLUMNS { name } else { &edge.from.column };
                        let start = ColumnRef { table: edge.from.table.clone(), column: of.to_owned() };
                        let is_computed = is_computed || !self.is_copied(&start);
                        made.note(to, name, Some(&self.known(&start)), is_computed);
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
            for filling in self.edges.iter().filter(|filling| filling.to.table == column.table) {
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

    /// What decides over the rows that texts write. Columns that they make hold that as well; and where a text makes a table
    /// anew, so does the number of its rows.
    fn rows(&self, choices: &[Choice], of_views: &Lineage, made: &mut Made) -> Vec<MadeRows> {
        let all = Deciding::of(choices, of_views, self.catalog);
        let heirs: BTreeSet<Known> = {
            let of_views = of_views.columns.iter().map(|made| (made.table.clone(), made.column.clone()));
            of_views.chain(made.0.keys().cloned()).collect()
        };
        // What anybody may see says nothing that anybody mayn't know.
        let may_be_closed = |column: &Known| {
            let exposure = self.catalog.entry(&column.0).map(|entry| entry.exposure(&column.1));
            exposure != Some(&Exposure::Open) || heirs.contains(column)
        };
        let mut rows: BTreeMap<TableId, MadeRows> = BTreeMap::new();
        for (number, choice) in choices.iter().enumerate() {
            let Some(to) = self.filled(&choice.table) else { continue };
            let deciding: Option<Vec<Known>> = all.over(number).map(|columns| {
                let known: BTreeSet<Known> = columns.into_iter().flat_map(|column| self.known(column)).collect();
                known.into_iter().filter(may_be_closed).collect()
            });
            let is_all = choice.columns.iter().any(|name| name == ALL_COLUMNS);
            for name in choice.columns.iter().flat_map(|name| named(to, name, is_all)) {
                if deciding.as_ref().is_none_or(|columns| !columns.is_empty()) {
                    made.note(to, name, deciding.as_deref(), true);
                }
            }
            if choice.is_whole {
                let reads = choice.reads.iter().filter(|read| self.catalog.entry(read).is_some()).cloned();
                let of_table = rows.entry(choice.table.clone()).or_insert_with(|| MadeRows {
                    table: choice.table.clone(),
                    deciding: Some(Vec::new()),
                    reads: Vec::new(),
                });
                of_table.reads.extend(reads);
                of_table.deciding = of_table.deciding.take().zip(deciding).map(|(one, other)| [one, other].concat());
            }
        }
        rows.into_values().collect()
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
    /// Which choices write rows to a table, by its name as texts spell it.
    writing: BTreeMap<String, Vec<usize>>,
    views: BTreeMap<&'a TableId, ViewRows>,
}

/// What decides over the rows of a view, `None` where it can't be told, and what it reads.
struct ViewRows {
    deciding: Option<Vec<ColumnRef>>,
    reads: Vec<TableId>,
}

impl<'a> Deciding<'a> {
    fn of(choices: &'a [Choice], of_views: &'a Lineage, catalog: &'a Catalog) -> Self {
        let mut by = guard::deciding(catalog, choices.iter().map(|choice| &choice.by));
        let mut writing: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, choice) in choices.iter().enumerate() {
            writing.entry(spelled(&choice.table)).or_default().push(number);
            by[number].extend(presence_made(&choice.by, catalog));
        }
        let is_view = |made: &&MadeRows| catalog.entry(&made.table).is_some_and(|it| it.table.definition.is_some());
        let views = of_views.rows.iter().filter(is_view).map(|made| {
            let column = |(table, column): &Known| ColumnRef { table: table.clone(), column: column.clone() };
            let deciding = made.deciding.as_ref().map(|columns| columns.iter().map(column).collect());
            (&made.table, ViewRows { deciding, reads: made.reads.clone() })
        });
        Self { catalog, choices, by, writing, views: views.collect() }
    }

    /// All columns that decide over the rows of a choice, over everything that it reads; `None` where that can't be told.
    /// Who has released a column of a table on the way has looked at its rows.
    fn over(&self, choice: usize) -> Option<BTreeSet<&ColumnRef>> {
        let mut deciding: BTreeSet<&ColumnRef> = self.by[choice].iter().collect();
        let mut next: Vec<&TableId> = self.choices[choice].reads.iter().collect();
        let mut seen: BTreeSet<&TableId> = BTreeSet::new();
        while let Some(table) = next.pop() {
            let is_released = |entry: &Entry| entry.table.columns.iter().any(|it| entry.is_released(&it.name));
            if !seen.insert(table) || self.catalog.entry(table).is_some_and(is_released) {
                continue;
            }
            if let Some(view) = self.views.get(table) {
                deciding.extend(view.deciding.as_ref()?);
                next.extend(&view.reads);
                continue;
            }
            for &number in self.writing.get(&spelled(table)).into_iter().flatten() {
                deciding.extend(&self.by[number]);
                next.extend(&self.choices[number].reads);
            }
        }
        Some(deciding)
    }
}

/// Columns that are tested for a value and that only texts know: these may make one where a condition holds.
fn presence_made(choice: &RowChoice, catalog: &Catalog) -> Vec<ColumnRef> {
    choice.tested.iter().filter(|column| catalog.entry(&column.table).is_none()).cloned().collect()
}

fn spelled(table: &TableId) -> String {
    table.to_string().to_lowercase()
}
