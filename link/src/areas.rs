//! The map of a schema: its areas and what each turns on, so that somebody who knows the trade finds what ranking missed.
//!
//! Tables that refer to each other, or whose names begin with the same word, belong together. Areas are the communities of
//! that graph with the highest modularity that moving tables one by one finds (Blondel, Guillaume, Lambiotte and Lefebvre
//! 2008); what everything refers to would pull all of them into one, so a relation counts for less the more tables one of its
//! ends is referred to by. The hub of an area is the table that most others refer to.

use catalog::TableId;
use index::{Index, UnitNumber, estimate_tokens};

use crate::relations::Relations;
use crate::surroundings::Surroundings;

/// Areas of fewer tables than this are no areas.
const SMALLEST: usize = 3;
/// Passes over all tables on one level, at most: the first few move nearly all that move.
const MOST_PASSES: usize = 10;
/// Relations weaker than this, such as a column `name` in both, don't make an area.
const WEAKEST: f32 = 0.45;
/// How much a community is expected to be tied by chance counts by this: below 1 it makes fewer and larger ones (Reichardt
/// and Bornholdt 2006), since a map has room for a dozen.
const RESOLUTION: f32 = 0.5;
/// What it is worth that two names begin with the same word, beside a key.
const SAME_MODULE: f32 = 0.5;

/// Tables of an area that the map names besides its hub, at most.
const MOST_NAMED: usize = 4;

/// Tables of one source that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its tables, those that most others refer to first: the first one is the hub.
    pub tables: Vec<TableId>,
}

impl Area {
    /// What it turns on.
    pub fn hub(&self) -> Option<&TableId> {
        self.tables.first()
    }
}

/// The map in a line of at most so many tokens: every area with its hub and how many tables it has, the largest first, and
/// as many of the tables that its others refer to as there is room for. `None` where there is no area.
pub fn map_line(areas: &[Area], shown: impl Fn(&TableId) -> String, tokens: usize) -> Option<String> {
    let mut named: Vec<usize> = Vec::new();
    let written = |named: &[usize]| {
        let area = |(area, &count): (&Area, &usize)| {
            let names: Vec<String> = area.tables[..count].iter().map(&shown).collect();
            let (hub, others) = names.split_first()?;
            let rest = if others.is_empty() { String::new() } else { format!(": {}", others.join(", ")) };
            Some(format!("{hub} ({}{rest})", area.tables.len()))
        };
        areas.iter().zip(named).filter_map(area).collect::<Vec<_>>().join("; ")
    };
    let fits = |named: &[usize]| estimate_tokens(&written(named)) <= tokens;
    while named.len() < areas.len() {
        named.push(1);
        if !fits(&named) {
            named.pop();
            break;
        }
    }
    // One more name for each area in turn, until nothing fits any more.
    let hubs = named.len();
    for place in (0..MOST_NAMED).flat_map(|_| 0..hubs) {
        if named[place] < areas[place].tables.len() {
            named[place] += 1;
            if !fits(&named) {
                named[place] -= 1;
            }
        }
    }
    (!named.is_empty()).then(|| written(&named))
}

/// The areas of all sources, the largest first.
pub(crate) fn areas_of(index: &Index, relations: &Relations, surroundings: &Surroundings) -> Vec<Area> {
    let communities = communities(neighbours(index, relations, surroundings));
    let mut members: Vec<Vec<UnitNumber>> = vec![Vec::new(); communities.len()];
    for ((number, _), community) in index.numbered_units().zip(communities) {
        members[community].push(number);
    }
    members.retain(|units| units.len() >= SMALLEST);
    let weight = |unit: &UnitNumber| (relations.referring_count(*unit), relations.related(*unit).len());
    for units in &mut members {
        units.sort_by(|left, right| weight(right).cmp(&weight(left)).then(left.cmp(right)));
    }
    members.sort_by(|left, right| right.len().cmp(&left.len()).then(left[0].cmp(&right[0])));
    let named = |units: Vec<UnitNumber>| units.iter().map(|unit| index.unit(*unit).table.clone()).collect();
    members.into_iter().map(|units| Area { tables: named(units) }).collect()
}

/// The neighbours of each unit with the weight of what connects them.
fn neighbours(index: &Index, relations: &Relations, surroundings: &Surroundings) -> Vec<Vec<(usize, f32)>> {
    let mut edges: Vec<Vec<(usize, f32)>> = vec![Vec::new(); index.units().len()];
    let popular = |unit: UnitNumber| 1.0 + (relations.referring_count(unit) as f32).ln_1p();
    for (unit, _) in index.numbered_units() {
        for &(other, strength) in relations.related(unit).iter().filter(|(_, strength)| *strength >= WEAKEST) {
            if surroundings.source[unit] == surroundings.source[other] {
                edges[unit.0].push((other.0, strength / popular(unit).max(popular(other))));
            }
        }
    }
    // Each with the one before it: all of them with each other would outweigh every key.
    let mut last_of_module = std::collections::HashMap::new();
    for (unit, _) in index.numbered_units() {
        if let Some(other) = last_of_module.insert(surroundings.module[unit], unit.0) {
            edges[unit.0].push((other, SAME_MODULE));
            edges[other].push((unit.0, SAME_MODULE));
        }
    }
    edges
}

/// The number of each node's community.
fn communities(mut edges: Vec<Vec<(usize, f32)>>) -> Vec<usize> {
    let mut of_node: Vec<usize> = (0..edges.len()).collect();
    loop {
        let (moved, count) = renumbered(moved(&edges));
        if count == edges.len() {
            return of_node;
        }
        of_node.iter_mut().for_each(|community| *community = moved[*community]);
        let mut joined: Vec<Vec<(usize, f32)>> = vec![Vec::new(); count];
        for (node, near) in edges.iter().enumerate() {
            joined[moved[node]].extend(near.iter().map(|&(other, weight)| (moved[other], weight)));
        }
        joined.iter_mut().for_each(summed);
        edges = joined;
    }
}

/// Adds up what goes to the same node.
fn summed(near: &mut Vec<(usize, f32)>) {
    near.sort_unstable_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));
    near.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            first.1 += later.1;
        }
        is_same
    });
}

/// Each node's community after nodes have moved, one by one, to where modularity gains most, until none gains anything.
fn moved(edges: &[Vec<(usize, f32)>]) -> Vec<usize> {
    let degrees: Vec<f32> = edges.iter().map(|near| near.iter().map(|(_, weight)| weight).sum()).collect();
    let total: f32 = degrees.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut communities: Vec<usize> = (0..edges.len()).collect();
    let mut totals = degrees.clone();
    let mut toward = vec![0.0_f32; edges.len()];
    for _ in 0..MOST_PASSES {
        let mut is_changed = false;
        for (node, near) in edges.iter().enumerate() {
            let own = communities[node];
            for &(other, weight) in near.iter().filter(|(other, _)| *other != node) {
                toward[communities[other]] += weight;
            }
            totals[own] -= degrees[node];
            let gain = |community: usize| toward[community] - RESOLUTION * totals[community] * degrees[node] / total;
            let mut best = (own, gain(own));
            for community in near.iter().map(|&(other, _)| communities[other]) {
                // The lower number where two are as good, so that the order of neighbours doesn't matter.
                let gained = gain(community);
                if gained > best.1 || gained == best.1 && best.0 != own && community < best.0 {
                    best = (community, gained);
                }
            }
            near.iter().for_each(|&(other, _)| toward[communities[other]] = 0.0);
            totals[best.0] += degrees[node];
            communities[node] = best.0;
            is_changed |= best.0 != own;
        }
        if !is_changed {
            break;
        }
    }
    communities
}

/// The same communities numbered from 0 in the order of their first nodes, and how many they are.
fn renumbered(communities: Vec<usize>) -> (Vec<usize>, usize) {
    let mut numbers = vec![usize::MAX; communities.len()];
    let mut count = 0;
    let renumbered = communities
        .into_iter()
        .map(|community| {
            if numbers[community] == usize::MAX {
                numbers[community] = count;
                count += 1;
            }
            numbers[community]
        })
        .collect();
    (renumbered, count)
}

#[cfg(test)]
mod tests {
    use catalog::TableId;

    use super::{Area, communities, map_line};

    fn edges(count: usize, pairs: &[(usize, usize, f32)]) -> Vec<Vec<(usize, f32)>> {
        let mut edges = vec![Vec::new(); count];
        for &(left, right, weight) in pairs {
            edges[left].push((right, weight));
            edges[right].push((left, weight));
        }
        edges
    }

    #[test]
    fn what_is_tied_closely_is_one_area_and_a_single_tie_joins_none() {
        let two =
            edges(6, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0), (2, 3, 0.5)]);
        assert_eq!(communities(two), [0, 0, 0, 1, 1, 1]);
        assert_eq!(communities(edges(3, &[])), [0, 1, 2], "nothing ties them");
        assert!(communities(Vec::new()).is_empty());
    }

    #[test]
    fn levels_go_on_until_nothing_gains() {
        // A ring of eight pairs: the pairs join first, and then neighbouring pairs.
        let pairs: Vec<(usize, usize, f32)> =
            (0..8).flat_map(|pair| [(2 * pair, 2 * pair + 1, 3.0), (2 * pair + 1, (2 * pair + 2) % 16, 0.6)]).collect();
        let found = communities(edges(16, &pairs));
        assert!((0..8).all(|pair| found[2 * pair] == found[2 * pair + 1]), "{found:?}");
        assert!(found.iter().max() < Some(&8), "{found:?}");
    }

    #[test]
    fn the_map_names_every_hub_before_it_says_more() {
        let area = |names: &[&str]| Area { tables: names.iter().map(|name| TableId::new("shop", *name)).collect() };
        let areas = [area(&["orders", "order_lines", "returns", "refunds"]), area(&["users", "roles", "logins"])];
        let map = |tokens| map_line(&areas, |id| id.name.clone(), tokens);
        assert_eq!(map(100).as_deref(), Some("orders (4: order_lines, returns, refunds); users (3: roles, logins)"));
        assert_eq!(map(8).as_deref(), Some("orders (4); users (3)"));
        assert_eq!(map(1), None);
        assert_eq!(map_line(&[], |id| id.name.clone(), 100), None);
    }
}
