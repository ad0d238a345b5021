//! Keys between tables as a weighted graph, and the cheapest trees in it.
//!
//! A declared key costs one step, an inferred one more the less it is believed. The tables of a question are connected
//! by the cheapest tree that is found by adding one table after the other along its shortest path (Takahashi and
//! Matsuyama 1980): at most twice as long as the best one, and quick.

use std::collections::{BinaryHeap, HashMap};

use catalog::{Catalog, ForeignKey, KeyOrigin, Table, TableId};

use crate::linked::{Cardinality, JoinPath, JoinStep};

/// Steps between two tables beyond which they count as unconnected.
const LONGEST_PATH: f32 = 4.5;
/// What an inferred key costs on top of a declared one when it isn't believed at all.
const DOUBT: f32 = 1.5;

/// Joins between the tables of a catalog, by their positions in it.
#[derive(Debug, Default)]
pub(crate) struct JoinGraph {
    edges: Vec<Vec<Edge>>,
}

/// A key seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The table at the other end.
    pub(crate) to: usize,
    /// The table that declares the key, and the key's number there.
    owner: usize,
    key: usize,
    /// 1 for a declared key, more for an inferred one.
    pub(crate) cost: f32,
}

impl Edge {
    /// Whether it is the table at this end that refers to the other.
    pub(crate) fn refers_from(&self, table: usize) -> bool {
        self.owner == table
    }

    /// The key.
    pub(crate) fn key<'c>(&self, catalog: &'c Catalog) -> &'c ForeignKey {
        &catalog.entries()[self.owner].table.foreign_keys[self.key]
    }
}

impl JoinGraph {
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); catalog.entries().len()];
        for (owner, entry) in catalog.entries().iter().enumerate() {
            for (number, key) in entry.table.foreign_keys.iter().enumerate() {
                let Some(to) = catalog.position(&key.ref_table) else { continue };
                if to == owner || key.columns.is_empty() || key.columns.len() != key.ref_columns.len() {
                    continue;
                }
                let cost = cost_of(key);
                edges[owner].push(Edge { to, owner, key: number, cost });
                edges[to].push(Edge { to: owner, owner, key: number, cost });
            }
        }
        Self { edges }
    }

    pub(crate) fn edges(&self, table: usize) -> &[Edge] {
        self.edges.get(table).map_or(&[], Vec::as_slice)
    }

    /// The number of the connected component of each table.
    pub(crate) fn components(&self) -> Vec<usize> {
        let mut components = vec![usize::MAX; self.edges.len()];
        let mut next = 0;
        for start in 0..self.edges.len() {
            if components[start] != usize::MAX {
                continue;
            }
            let mut stack = vec![start];
            components[start] = next;
            while let Some(table) = stack.pop() {
                for edge in &self.edges[table] {
                    if components[edge.to] == usize::MAX {
                        components[edge.to] = next;
                        stack.push(edge.to);
                    }
                }
            }
            next += 1;
        }
        components
    }

    /// Connects the tables: one list of (from, edge) for each connected group, in the order of joining.
    pub(crate) fn trees(&self, tables: &[usize]) -> Vec<Vec<(usize, Edge)>> {
        let mut open: Vec<usize> = tables.to_vec();
        let mut trees = Vec::new();
        while !open.is_empty() {
            let mut members = vec![open.remove(0)];
            let mut steps = Vec::new();
            while let Some(path) = self.nearest(&members, &open) {
                for &(from, edge) in &path {
                    if !members.contains(&edge.to) {
                        members.push(edge.to);
                        steps.push((from, edge));
                    }
                }
                open.retain(|table| !members.contains(table));
            }
            if !steps.is_empty() {
                trees.push(steps);
            }
        }
        trees
    }

    /// The shortest path from any of `from` to any of `targets`: Dijkstra's algorithm, ties broken by position.
    fn nearest(&self, from: &[usize], targets: &[usize]) -> Option<Vec<(usize, Edge)>> {
        let mut cost: HashMap<usize, f32> = HashMap::new();
        let mut reached_by: HashMap<usize, (usize, Edge)> = HashMap::new();
        let mut queue = BinaryHeap::new();
        for &table in from {
            cost.insert(table, 0.0);
            queue.push(Visit { cost: 0.0, table });
        }
        while let Some(Visit { cost: so_far, table }) = queue.pop() {
            if cost.get(&table).is_some_and(|&best| so_far > best) {
                continue;
            }
            if targets.contains(&table) {
                return Some(self.walk_back(table, &reached_by));
            }
            for &edge in self.edges(table) {
                let total = so_far + edge.cost;
                if total <= LONGEST_PATH && cost.get(&edge.to).is_none_or(|&best| total < best) {
                    cost.insert(edge.to, total);
                    reached_by.insert(edge.to, (table, edge));
                    queue.push(Visit { cost: total, table: edge.to });
                }
            }
        }
        None
    }

    fn walk_back(&self, end: usize, reached_by: &HashMap<usize, (usize, Edge)>) -> Vec<(usize, Edge)> {
        let mut path = Vec::new();
        let mut table = end;
        while let Some(&(before, edge)) = reached_by.get(&table) {
            path.push((before, edge));
            table = before;
        }
        path.reverse();
        path
    }
}

/// A table in the queue of Dijkstra's algorithm: the cheapest first, of equal ones the first in the catalog.
#[derive(PartialEq)]
struct Visit {
    cost: f32,
    table: usize,
}

impl Eq for Visit {}

impl Ord for Visit {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then(other.table.cmp(&self.table))
    }
}

impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn cost_of(key: &ForeignKey) -> f32 {
    match &key.origin {
        KeyOrigin::Declared => 1.0,
        KeyOrigin::Inferred(evidence) => 1.0 + DOUBT * (1.0 - evidence.confidence.clamp(0.0, 1.0) as f32),
    }
}

/// The cheapest joins of these tables: one path for each group of them that can be joined. Tables that lie between
/// them are on the path too. Tables that aren't in the catalog are left out.
pub fn join_paths(catalog: &Catalog, tables: &[TableId]) -> Vec<JoinPath> {
    paths_in(&JoinGraph::new(catalog), catalog, tables)
}

pub(crate) fn paths_in(graph: &JoinGraph, catalog: &Catalog, tables: &[TableId]) -> Vec<JoinPath> {
    let mut positions: Vec<usize> = Vec::with_capacity(tables.len());
    for position in tables.iter().filter_map(|table| catalog.position(table)) {
        if !positions.contains(&position) {
            positions.push(position);
        }
    }
    let trees = graph.trees(&positions);
    trees
        .into_iter()
        .map(|steps| JoinPath { steps: steps.into_iter().map(|(from, edge)| step_of(catalog, from, edge)).collect() })
        .collect()
}

fn step_of(catalog: &Catalog, from: usize, edge: Edge) -> JoinStep {
    let entries = catalog.entries();
    let owner = &entries[edge.owner].table;
    let key = &owner.foreign_keys[edge.key];
    let cardinality = match (is_key(owner, &key.columns), edge.owner == from) {
        (true, _) => Cardinality::OneToOne,
        (false, true) => Cardinality::ManyToOne,
        (false, false) => Cardinality::OneToMany,
    };
    let (left_columns, right_columns) =
        if edge.owner == from { (&key.columns, &key.ref_columns) } else { (&key.ref_columns, &key.columns) };
    JoinStep {
        left: entries[from].table.id.clone(),
        left_columns: left_columns.clone(),
        right: entries[edge.to].table.id.clone(),
        right_columns: right_columns.clone(),
        origin: key.origin.clone(),
        cardinality,
    }
}

/// Whether no two rows of the table have the same values in these columns, as its primary key or a unique index says.
fn is_key(table: &Table, columns: &[String]) -> bool {
    let unique = table.indexes.iter().filter(|index| index.unique).map(|index| &index.columns);
    let mut keys = std::iter::once(&table.primary_key).chain(unique).filter(|key| !key.is_empty());
    keys.any(|key| key.iter().all(|column| columns.contains(column)))
}

#[cfg(test)]
mod tests;
