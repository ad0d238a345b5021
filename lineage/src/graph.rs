//! Walking along edges: what a table or a column comes from, and what comes from it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use catalog::TableId;
use sql::{ALL_COLUMNS, ColumnRef};

use crate::edges::{ColumnEdge, Lineage, TableEdge};

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what something is made from.
    Up,
    /// To what is made from it.
    Down,
}

/// Edges, found by what they join. Names are compared in lower case: scripts spell them as they like.
#[derive(Debug)]
pub struct Graph<'l> {
    lineage: &'l Lineage,
    tables: Ends,
    columns: Ends,
}

/// Numbers of edges by what they lead to, and by what they come from.
#[derive(Debug, Default)]
struct Ends {
    to: BTreeMap<Key, Vec<usize>>,
    from: BTreeMap<Key, Vec<usize>>,
}

impl Ends {
    fn of(&self, direction: Direction, key: &Key) -> &[usize] {
        let edges = match direction {
            Direction::Up => &self.to,
            Direction::Down => &self.from,
        };
        edges.get(key).map_or(&[], Vec::as_slice)
    }

    fn note(&mut self, number: usize, from: Key, to: Key) {
        self.from.entry(from).or_default().push(number);
        self.to.entry(to).or_default().push(number);
    }
}

/// A table, or a column of it, as names are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    table: String,
    column: String,
}

fn table_key(table: &TableId) -> Key {
    Key { table: table.to_string().to_lowercase(), column: String::new() }
}

fn column_key(column: &ColumnRef) -> Key {
    Key { column: column.column.to_lowercase(), ..table_key(&column.table) }
}

/// An edge on the way, and how far away it is: 1 for those at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<E> {
    /// The edge.
    pub edge: E,
    /// How many edges from the start, itself included.
    pub depth: usize,
}

impl<'l> Graph<'l> {
    /// The graph of these edges.
    pub fn new(lineage: &'l Lineage) -> Self {
        let (mut tables, mut columns) = (Ends::default(), Ends::default());
        for (number, edge) in lineage.tables.iter().enumerate() {
            tables.note(number, table_key(&edge.from), table_key(&edge.to));
        }
        for (number, edge) in lineage.columns.iter().enumerate() {
            columns.note(number, column_key(&edge.from), column_key(&edge.to));
        }
        Self { lineage, tables, columns }
    }

    /// Edges between tables from `table` on, nearest first, at most `depth` away; each once.
    pub fn tables(&self, table: &TableId, direction: Direction, depth: usize) -> Vec<Step<&'l TableEdge>> {
        let mut open = VecDeque::from([(table, 1)]);
        let mut seen: BTreeSet<Key> = BTreeSet::from([table_key(table)]);
        let mut steps = Vec::new();
        while let Some((table, here)) = open.pop_front() {
            if here > depth {
                break;
            }
            for &number in self.tables.of(direction, &table_key(table)) {
                let edge = &self.lineage.tables[number];
                steps.push(Step { edge, depth: here });
                let next = if direction == Direction::Up { &edge.from } else { &edge.to };
                if seen.insert(table_key(next)) {
                    open.push_back((next, here + 1));
                }
            }
        }
        steps
    }

    /// All tables that a table is made from, over any number of others, each once and the nearest first.
    pub fn made_from(&self, table: &TableId) -> Vec<TableId> {
        let mut found: Vec<TableId> = Vec::new();
        for step in self.tables(table, Direction::Up, usize::MAX) {
            if !found.contains(&step.edge.from) {
                found.push(step.edge.from.clone());
            }
        }
        found
    }

    /// Edges between columns from `column` on, nearest first, at most `depth` away; each once. Where all columns of a table
    /// become all of another one, that is an edge of each of them.
    pub fn columns(&self, column: &ColumnRef, direction: Direction, depth: usize) -> Vec<Step<ColumnEdge>> {
        let mut open = VecDeque::from([(column.clone(), 1)]);
        let mut seen = BTreeSet::from([column_key(column)]);
        let mut steps = Vec::new();
        while let Some((column, here)) = open.pop_front() {
            if here > depth {
                break;
            }
            for edge in self.edges_of(&column, direction) {
                let next = if direction == Direction::Up { edge.from.clone() } else { edge.to.clone() };
                steps.push(Step { edge, depth: here });
                if seen.insert(column_key(&next)) {
                    open.push_back((next, here + 1));
                }
            }
        }
        steps
    }

    fn edges_of(&self, column: &ColumnRef, direction: Direction) -> Vec<ColumnEdge> {
        let own = self.columns.of(direction, &column_key(column));
        let mut edges: Vec<ColumnEdge> = own.iter().map(|&number| self.lineage.columns[number].clone()).collect();
        if column.column == ALL_COLUMNS {
            return edges;
        }
        let all = ColumnRef { table: column.table.clone(), column: ALL_COLUMNS.to_owned() };
        let named = own.iter().map(|&number| self.lineage.columns[number].place).collect::<BTreeSet<usize>>();
        for &number in self.columns.of(direction, &column_key(&all)) {
            let edge = &self.lineage.columns[number];
            let ends_in_all = edge.from.column == ALL_COLUMNS && edge.to.column == ALL_COLUMNS;
            // What a statement says of the column itself is all that it says of it.
            if !ends_in_all || direction == Direction::Up && named.contains(&edge.place) {
                continue;
            }
            let of = |end: &ColumnRef| ColumnRef { table: end.table.clone(), column: column.column.clone() };
            edges.push(ColumnEdge { from: of(&edge.from), to: of(&edge.to), ..edge.clone() });
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Source, TableId};
    use dialect::Dialect;
    use sql::{CatalogSchema, ColumnRef, script_lineage};

    use super::{Direction, Graph};
    use crate::edges::{Holder, Lineage, Place};

    fn lineage_of(script: &str) -> Lineage {
        let catalog = Catalog::new(vec![Source::new("wh", Dialect::Postgres, "")], Vec::new(), Vec::new(), 0);
        let schema = CatalogSchema::new(&catalog, "wh");
        let mut lineage = Lineage::default();
        for statement in script_lineage(script, &Dialect::Postgres, &schema, "wh") {
            lineage.add(&statement, Place::new(Holder::Script, "load.sql", script), None);
        }
        lineage
    }

    fn walked(lineage: &Lineage, column: &str, direction: Direction, depth: usize) -> Vec<String> {
        let (table, column) = column.rsplit_once('.').unwrap();
        let column = ColumnRef { table: TableId::new("wh", table), column: column.to_owned() };
        let steps = Graph::new(lineage).columns(&column, direction, depth);
        let end = |end: &ColumnRef| format!("{}.{}", end.table.name, end.column);
        steps.iter().map(|step| format!("{} {}>{}", step.depth, end(&step.edge.from), end(&step.edge.to))).collect()
    }

    #[test]
    fn columns_are_followed_over_several_statements() {
        let lineage = lineage_of(
            "CREATE TABLE b AS SELECT x, y FROM a; CREATE TABLE c AS SELECT x + 1 AS z FROM b; INSERT INTO d (z) SELECT z FROM c",
        );
        assert_eq!(walked(&lineage, "d.z", Direction::Up, 9), ["1 c.z>d.z", "2 b.x>c.z", "3 a.x>b.x"]);
        assert_eq!(walked(&lineage, "D.Z", Direction::Up, 1), ["1 c.z>d.z"], "names are compared in any case");
        assert_eq!(walked(&lineage, "a.x", Direction::Down, 2), ["1 a.x>b.x", "2 b.x>c.z"]);
        assert!(walked(&lineage, "a.y", Direction::Up, 9).is_empty());
    }

    #[test]
    fn all_columns_of_a_table_are_each_of_them() {
        let lineage = lineage_of("INSERT INTO b SELECT * FROM a; INSERT INTO c SELECT q FROM b");
        assert_eq!(walked(&lineage, "c.q", Direction::Up, 9), ["1 b.q>c.q", "2 a.q>b.q"]);
        assert_eq!(walked(&lineage, "a.q", Direction::Down, 9), ["1 a.q>b.q", "2 b.q>c.q"]);
    }

    #[test]
    fn a_circle_ends() {
        let lineage = lineage_of("INSERT INTO b SELECT x FROM a; INSERT INTO a SELECT x FROM b");
        assert_eq!(walked(&lineage, "a.x", Direction::Up, 99), ["1 b.x>a.x", "2 a.x>b.x"]);
        let table = TableId::new("wh", "a");
        assert_eq!(Graph::new(&lineage).tables(&table, Direction::Up, 99).len(), 2);
    }
}
