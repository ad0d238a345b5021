//! Reranking: what a table gains or loses beside the other candidates.
//!
//! The first stage judges each table by itself and by its surroundings. The tables of a question belong together, though:
//! one that lies between two likely ones is needed even if no word of the question names it, and one that explains the same
//! as a likelier one, or that is nearly the same table, is not. These features say how a table stands to the others, given
//! their first-stage odds.

use std::collections::{BinaryHeap, HashMap};

use index::UnitNumber;

use crate::features::RerankingFeatures;
use crate::overview::reciprocal_ranks;
use crate::relations::Relations;

/// The least probability of a table for others to count as lying between it and another.
const LIKELY: f32 = 0.25;
/// Likely tables that are connected, at most.
const MOST_CONNECTED: usize = 6;
/// What a path between two tables may cost.
const LONGEST_PATH: f32 = 5.0;
/// Steps to the likeliest table that are counted.
const MOST_STEPS: usize = 4;

/// The units that are reranked, and what their features are made of.
pub(crate) struct RerankingInput<'l> {
    /// In any order.
    pub(crate) units: &'l [UnitNumber],
    /// Their first-stage odds, logarithmic.
    pub(crate) odds: &'l [f32],
    /// How far a unit explains a word of the question, 0 to 1, and the words' weights.
    pub(crate) explained: &'l dyn Fn(usize, UnitNumber) -> f32,
    pub(crate) weights: &'l [f32],
    /// The numbers of a unit's source, schema and module.
    pub(crate) places: &'l dyn Fn(UnitNumber) -> [usize; 3],
    /// The share of the question's weight that is in the name of a unit's column with that position, 0 to 1.
    pub(crate) asked_column: &'l dyn Fn(UnitNumber, usize) -> f32,
}

/// The probability of logarithmic odds.
pub(crate) fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// The features of every unit, in their order.
pub(crate) fn reranking_features(input: &RerankingInput<'_>, relations: &Relations) -> Vec<RerankingFeatures> {
    let RerankingInput { units, odds, .. } = *input;
    let probabilities: Vec<f32> = odds.iter().map(|&odds| probability(odds)).collect();
    let likely: HashMap<UnitNumber, f32> = units.iter().copied().zip(probabilities.iter().copied()).collect();
    let of = |unit: UnitNumber| likely.get(&unit).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_unstable_by(|left, right| odds[*right].total_cmp(&odds[*left]).then(left.cmp(right)));
    let first: Vec<UnitNumber> = order.iter().take(MOST_CONNECTED).map(|&place| units[place]).collect();
    let best_odds = order.first().map_or(0.0, |&place| odds[place]);
    let total: f32 = likely_sum(&order, odds);
    let count = odds.iter().filter(|&&odds| odds > 0.0).count() as f32;
    let ranks = reciprocal_ranks(odds);
    let between = between_likely(&first, &likely, relations);
    let steps = steps_from(first.first().copied(), relations);
    let groups = GroupLikelihoods::new(input, &likely);
    let left = Unexplained::new(input, &first);
    let walk = RandomWalk::new(units, &probabilities, relations);
    let referring = Referring::of(input, &probabilities, relations);
    let highest = probability(best_odds).max(f32::MIN_POSITIVE);
    units
        .iter()
        .enumerate()
        .map(|(place, &unit)| {
            let keyed = neighbour_scores(relations.keyed(unit), &of, |one, other| {
                relations.keyed(one).iter().any(|(known, _)| *known == other)
            });
            let related =
                neighbour_scores(relations.related(unit), &of, |one, other| relations.are_related(one, other));
            let alike = relations.alike(unit).iter().map(|&other| of(other)).fold(0.0, f32::max);
            let own = of(unit);
            let in_first = first.iter().take(5).filter(|&&other| relations.are_related(unit, other)).count() as f32;
            let to_best =
                first.first().and_then(|&best| relations.related(unit).iter().find(|(other, _)| *other == best));
            let group = groups.of((input.places)(unit), own);
            let by_reference = referring.get(&unit).copied().unwrap_or_default();
            let referred = relations.referred(unit).iter().map(|to| to.strength * of(to.unit)).fold(0.0, f32::max);
            RerankingFeatures {
                first_stage_odds: odds[place],
                first_stage_odds_below_best: odds[place] - best_odds,
                rank_by_first_stage: ranks[place],
                first_stage_share: own / total.max(f32::MIN_POSITIVE),
                likely_tables: count,
                expected_tables: total,
                best_keyed: keyed.best,
                second_keyed: keyed.second,
                between_keyed: keyed.between,
                all_keyed: keyed.sum,
                best_related: related.best,
                second_related: related.second,
                between_related: related.between,
                all_related: related.sum,
                related_to_first_five: in_first,
                between_likely: between.get(&unit).copied().unwrap_or_default(),
                steps_to_best: steps.get(&unit).map_or(MOST_STEPS as f32 + 1.0, |&steps| steps as f32),
                best_look_alike: alike,
                probability_above_look_alike: own - alike,
                beyond_first_three: left.beyond(input, unit, 3),
                beyond_best: left.beyond(input, unit, 1),
                best_other_in_schema: group[1].0,
                best_other_in_module: group[2].0,
                likely_in_source: group[0].1,
                look_alike_count: (relations.alike(unit).len() as f32).ln_1p(),
                related_to_best: to_best.map_or(0.0, |(_, strength)| *strength),
                likely_in_schema: group[1].1,
                likely_in_module: group[2].1,
                walk_from_likely: walk.near[place],
                walk_from_likely_to_anywhere: walk.near[place] / (walk.anywhere[place] + 1e-4),
                beyond_first_five: left.beyond(input, unit, 5),
                best_referring: by_reference.best,
                second_referring: by_reference.second,
                all_referring: by_reference.sum,
                best_referred: referred,
                best_referring_of_best: by_reference.best / highest,
                referring_to_anywhere: by_reference.sum
                    / total.max(f32::MIN_POSITIVE)
                    / ((by_reference.count + 1.0) / (units.len() + 1) as f32),
                referring_column_words: by_reference.column_words,
            }
        })
        .collect()
}

fn likely_sum(order: &[usize], odds: &[f32]) -> f32 {
    // In order of rank, so that the sum doesn't depend on the order of the units.
    order.iter().map(|&place| probability(odds[place])).sum()
}

/// The probabilities of a unit's neighbours, times the strength of the relation.
struct NeighbourScores {
    best: f32,
    second: f32,
    between: f32,
    sum: f32,
}

fn neighbour_scores(
    neighbours: &[(UnitNumber, f32)],
    likely: &dyn Fn(UnitNumber) -> f32,
    joined: impl Fn(UnitNumber, UnitNumber) -> bool,
) -> NeighbourScores {
    let mut near: Vec<(f32, UnitNumber)> =
        neighbours.iter().map(|&(other, strength)| (strength * likely(other), other)).collect();
    near.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let at = |number: usize| near.get(number).map_or(0.0, |(worth, _)| *worth);
    let between = match near.as_slice() {
        [(_, one), (weaker, other), ..] if !joined(*one, *other) => *weaker,
        _ => 0.0,
    };
    NeighbourScores { best: at(0), second: at(1), between, sum: near.iter().map(|(worth, _)| worth).sum() }
}

/// The candidates that refer to a unit: their probabilities, times the strength of the reference.
#[derive(Clone, Copy, Default)]
struct Referring {
    best: f32,
    second: f32,
    sum: f32,
    count: f32,
    /// The highest probability, times the share of the question that the referring column's name has.
    column_words: f32,
}

impl Referring {
    /// For each unit that a candidate refers to.
    fn of(input: &RerankingInput<'_>, probabilities: &[f32], relations: &Relations) -> HashMap<UnitNumber, Self> {
        let mut referring: HashMap<UnitNumber, Self> = HashMap::new();
        for (&unit, &probability) in input.units.iter().zip(probabilities) {
            for reference in relations.referred(unit) {
                let known = referring.entry(reference.unit).or_default();
                let worth = probability * reference.strength;
                known.second = known.second.max(worth.min(known.best));
                known.best = known.best.max(worth);
                known.sum += worth;
                known.count += 1.0;
                let asked = reference.columns.iter().map(|&column| (input.asked_column)(unit, column));
                known.column_words = known.column_words.max(probability * asked.fold(0.0, f32::max));
            }
        }
        referring
    }
}

/// Units on the cheapest paths that connect the likely ones (Takahashi and Matsuyama 1980), each with the lesser of the two
/// ends' probabilities over the cost of the path.
fn between_likely(
    first: &[UnitNumber],
    likely: &HashMap<UnitNumber, f32>,
    relations: &Relations,
) -> HashMap<UnitNumber, f32> {
    let of = |unit: UnitNumber| likely.get(&unit).copied().unwrap_or_default();
    let ends: Vec<UnitNumber> = first
        .iter()
        .enumerate()
        .filter(|&(rank, &unit)| rank < 2 || of(unit) >= LIKELY)
        .map(|(_, &unit)| unit)
        .collect();
    let mut between: HashMap<UnitNumber, f32> = HashMap::new();
    let mut members: Vec<UnitNumber> = ends.iter().take(1).copied().collect();
    let mut open: Vec<UnitNumber> = ends.iter().skip(1).copied().collect();
    while let Some((cost, path)) = cheapest_path(&members, &open, &of, relations) {
        let ends = path.first().map_or(0.0, |&unit| of(unit)).min(path.last().map_or(0.0, |&unit| of(unit)));
        for &unit in &path {
            let worth = between.entry(unit).or_default();
            *worth = worth.max(ends / cost.max(1.0));
            if !members.contains(&unit) {
                members.push(unit);
            }
        }
        open.retain(|unit| !members.contains(unit));
    }
    between
}

/// The cheapest path from any of `from` to any of `targets`, both ends included, and its cost. Weak relations cost more, and
/// so do unlikely units.
fn cheapest_path(
    from: &[UnitNumber],
    targets: &[UnitNumber],
    likely: &dyn Fn(UnitNumber) -> f32,
    relations: &Relations,
) -> Option<(f32, Vec<UnitNumber>)> {
    if targets.is_empty() {
        return None;
    }
    let mut cost: HashMap<UnitNumber, f32> = from.iter().map(|&unit| (unit, 0.0)).collect();
    let mut before: HashMap<UnitNumber, UnitNumber> = HashMap::new();
    let mut queue: BinaryHeap<Visit> = from.iter().map(|&unit| Visit { cost: 0.0, unit }).collect();
    while let Some(Visit { cost: so_far, unit }) = queue.pop() {
        if cost.get(&unit).is_some_and(|&best| so_far > best) {
            continue;
        }
        if targets.contains(&unit) {
            let mut path = vec![unit];
            while let Some(&previous) = path.last().and_then(|last| before.get(last)) {
                path.push(previous);
            }
            return Some((so_far, path));
        }
        for &(other, strength) in relations.related(unit) {
            let total = so_far + 1.0 / strength.max(0.2) + 0.5 * (1.0 - likely(other));
            if total <= LONGEST_PATH && cost.get(&other).is_none_or(|&best| total < best) {
                cost.insert(other, total);
                before.insert(other, unit);
                queue.push(Visit { cost: total, unit: other });
            }
        }
    }
    None
}

/// A unit in the queue of Dijkstra's algorithm: the cheapest first, of equal ones the lowest number.
#[derive(PartialEq)]
struct Visit {
    cost: f32,
    unit: UnitNumber,
}

impl Eq for Visit {}

impl Ord for Visit {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then(other.unit.cmp(&self.unit))
    }
}

impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// How many relations lie between the likeliest unit and each other one that is no more than [`MOST_STEPS`] away.
fn steps_from(best: Option<UnitNumber>, relations: &Relations) -> HashMap<UnitNumber, usize> {
    let mut steps: HashMap<UnitNumber, usize> = best.map(|unit| (unit, 0)).into_iter().collect();
    let mut edge: Vec<UnitNumber> = best.into_iter().collect();
    for count in 1..=MOST_STEPS {
        let reached = edge.iter().flat_map(|&unit| relations.related(unit)).map(|&(other, _)| other);
        let reached: Vec<UnitNumber> = reached.collect();
        edge.clear();
        for unit in reached {
            steps.entry(unit).or_insert_with(|| {
                edge.push(unit);
                count
            });
        }
    }
    steps
}

/// The two highest probabilities and the sum of all, in each source, schema and module.
struct GroupLikelihoods {
    by_place: [HashMap<usize, (f32, f32, f32)>; 3],
}

impl GroupLikelihoods {
    fn new(input: &RerankingInput<'_>, likely: &HashMap<UnitNumber, f32>) -> Self {
        let mut by_place: [HashMap<usize, (f32, f32, f32)>; 3] = Default::default();
        for unit in input.units {
            let own = likely.get(unit).copied().unwrap_or_default();
            for (groups, number) in by_place.iter_mut().zip((input.places)(*unit)) {
                let (best, second, sum) = groups.entry(number).or_default();
                *sum += own;
                if own > *best {
                    (*best, *second) = (own, *best);
                } else {
                    *second = second.max(own);
                }
            }
        }
        Self { by_place }
    }

    /// The highest probability among the others and their sum, in the source, the schema and the module.
    fn of(&self, places: [usize; 3], own: f32) -> [(f32, f32); 3] {
        std::array::from_fn(|at| {
            let (best, second, sum) = self.by_place[at].get(&places[at]).copied().unwrap_or_default();
            (if own >= best { second } else { best }, sum - own)
        })
    }
}

/// How near each unit is to the likely ones, by the relations between them.
pub(crate) fn nearness(units: &[UnitNumber], odds: &[f32], relations: &Relations) -> Vec<f32> {
    let likely: Vec<f32> = odds.iter().map(|&odds| probability(odds)).collect();
    RandomWalk::new(units, &likely, relations).near
}

/// Where random walks along relations end: those that set out from units by their probabilities, and those that set out from
/// any. Each has two steps, and a step returns to the start as often as it follows a relation, the strong ones more often
/// than the weak (Haveliwala 2002).
struct RandomWalk {
    near: Vec<f32>,
    anywhere: Vec<f32>,
}

impl RandomWalk {
    /// `likely` are the units' probabilities.
    fn new(units: &[UnitNumber], likely: &[f32], relations: &Relations) -> Self {
        let place: HashMap<UnitNumber, usize> = units.iter().enumerate().map(|(place, &unit)| (unit, place)).collect();
        let out: Vec<Vec<(usize, f32)>> = units
            .iter()
            .map(|&unit| {
                let near: Vec<(usize, f32)> = relations
                    .related(unit)
                    .iter()
                    .filter_map(|&(other, strength)| Some((*place.get(&other)?, strength)))
                    .collect();
                let total: f32 = near.iter().map(|(_, strength)| strength).sum();
                near.into_iter().map(|(other, strength)| (other, strength / total)).collect()
            })
            .collect();
        let total: f32 = likely.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let home: Vec<f32> = likely.iter().map(|likely| likely / total).collect();
        let even = vec![1.0 / units.len().max(1) as f32; units.len()];
        Self { near: walked(&home, &out), anywhere: walked(&even, &out) }
    }
}

fn walked(home: &[f32], out: &[Vec<(usize, f32)>]) -> Vec<f32> {
    let mut here = home.to_vec();
    for _ in 0..2 {
        let mut next: Vec<f32> = home.iter().map(|share| 0.5 * share).collect();
        for (share, paths) in here.iter().zip(out) {
            paths.iter().for_each(|&(other, part)| next[other] += 0.5 * share * part);
        }
        here = next;
    }
    here
}

/// What of the question the likeliest units leave unexplained.
struct Unexplained {
    first: Vec<UnitNumber>,
    total: f32,
}

impl Unexplained {
    fn new(input: &RerankingInput<'_>, first: &[UnitNumber]) -> Self {
        Self { first: first.to_vec(), total: input.weights.iter().sum::<f32>().max(f32::MIN_POSITIVE) }
    }

    /// The share of the question that this unit explains better than each of the `count` likeliest others.
    fn beyond(&self, input: &RerankingInput<'_>, unit: UnitNumber, count: usize) -> f32 {
        let others: Vec<UnitNumber> = self.first.iter().copied().filter(|&other| other != unit).take(count).collect();
        let gain: f32 = input
            .weights
            .iter()
            .enumerate()
            .map(|(word, weight)| {
                let known = others.iter().map(|&other| (input.explained)(word, other)).fold(0.0, f32::max);
                weight * ((input.explained)(word, unit) - known).max(0.0)
            })
            .sum();
        gain / self.total
    }
}

#[cfg(test)]
mod tests;
