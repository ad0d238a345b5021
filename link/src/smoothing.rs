//! What a table gains from the tables that it is joined to.
//!
//! The first pass weighs each table with its surroundings. The second adds what its neighbours in the join graph got: a
//! table between two strong ones is needed even if no word of the question names it.

use crate::graph::JoinGraph;

/// How many numbers the second pass adds.
pub const JOINED: usize = 5;

/// Names of the numbers, in order.
pub const JOINED_NAMES: [&str; JOINED] =
    ["first pass", "best neighbour", "second best neighbour", "between two others", "number of neighbours"];

/// The numbers of one table.
pub type Joined = [f32; JOINED];

/// Join graph over the units of the index.
#[derive(Debug, Default)]
pub(crate) struct UnitGraph {
    /// (unit, cost) of the neighbours of each unit, each neighbour once.
    neighbours: Vec<Vec<(usize, f32)>>,
}

impl UnitGraph {
    /// `unit_of` gives the unit of each table of the graph, in the order of the catalog.
    pub(crate) fn new(graph: &JoinGraph, unit_of: &[Option<usize>], units: usize) -> Self {
        let mut neighbours: Vec<Vec<(usize, f32)>> = vec![Vec::new(); units];
        for (table, unit) in unit_of.iter().enumerate() {
            let Some(unit) = *unit else { continue };
            let others = graph.edges(table).iter().filter_map(|edge| Some((unit_of[edge.to]?, edge.cost)));
            neighbours[unit].extend(others.filter(|&(other, _)| other != unit));
        }
        for list in &mut neighbours {
            list.sort_unstable_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));
            list.dedup_by_key(|(other, _)| *other);
        }
        Self { neighbours }
    }

    pub(crate) fn neighbours(&self, unit: usize) -> &[(usize, f32)] {
        self.neighbours.get(unit).map_or(&[], Vec::as_slice)
    }

    fn are_joined(&self, left: usize, right: usize) -> bool {
        self.neighbours(left).iter().any(|&(other, _)| other == right)
    }
}

/// The numbers of every unit in scope, in the order of the scope. `scores` are the first pass's.
pub(crate) fn joined_of(scores: &[f32], scope: &[usize], graph: &UnitGraph, units: usize) -> Vec<Joined> {
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    // How near the leader each unit is, 0 to 1.
    let mut strength = vec![0.0_f32; units];
    scope.iter().zip(scores).for_each(|(&unit, &score)| strength[unit] = ((score - best) / 2.0).exp());
    scope
        .iter()
        .zip(scores)
        .map(|(&unit, &score)| {
            let mut near: Vec<(f32, usize)> =
                graph.neighbours(unit).iter().map(|&(other, cost)| (strength[other] / cost, other)).collect();
            near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
            let first = near.first().map_or(0.0, |(strength, _)| *strength);
            let second = near.get(1).map_or(0.0, |(strength, _)| *strength);
            let between = match near.as_slice() {
                [(_, one), (weaker, other), ..] if !graph.are_joined(*one, *other) => *weaker,
                _ => 0.0,
            };
            [score, first, second, between, (1.0 + near.len() as f32).ln()]
        })
        .collect()
}
