//! What only shows when all tables of the scope are compared: ranks, and which table each word and phrase of the question
//! is credited to.
//!
//! A long question speaks of several tables. Each of them is the best for a phrase or two, and a wide table that has a bit of
//! everything is the best for none.

use std::collections::{HashMap, HashSet};

use index::{Field, UnitNumber};

use crate::question_scores::{QuestionScores, UnitScores};

/// One over the rank, from 1; equal values share the best of their ranks.
pub(crate) fn reciprocal_ranks(values: &[f32]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|left, right| values[*right].total_cmp(&values[*left]).then(left.cmp(right)));
    let mut ranks = vec![0.0; values.len()];
    let mut rank = 0;
    for (number, &place) in order.iter().enumerate() {
        if number == 0 || values[order[number - 1]] != values[place] {
            rank = number + 1;
        }
        ranks[place] = 1.0 / rank as f32;
    }
    ranks
}

/// What is measured over all units of the scope at once.
pub(crate) struct Overview {
    pub(crate) known_words: f32,
    pub(crate) all_words: f32,
    pub(crate) most_words: f32,
    pub(crate) most_meant: f32,
    pub(crate) meant: Vec<f32>,
    pub(crate) meant_alone: Vec<f32>,
    pub(crate) by_words: Vec<f32>,
    pub(crate) by_similarity: Vec<f32>,
    pub(crate) by_column: Vec<f32>,
    pub(crate) by_meaning: Vec<f32>,
    pub(crate) values: Vec<OwnValues>,
    pub(crate) value_count: f32,
    pub(crate) credits: Vec<Credit>,
    pub(crate) phrases: Vec<Credit>,
}

/// What a table is credited with: each word or phrase of the question is shared out among the tables, and the more of it goes
/// to a table, the better it fits and the fewer others do. Shares of the weight of all.
#[derive(Clone, Copy, Default)]
pub(crate) struct Credit {
    pub(crate) even: f32,
    pub(crate) steep: f32,
    pub(crate) greatest: f32,
    pub(crate) best_at: f32,
    pub(crate) highest: f32,
}

/// Differences in cosine that tell a table that is meant from one that isn't, on an even scale and on a steep one.
const SOFTNESS: (f32, f32) = (0.12, 0.04);

/// Credits for phrases, shared out by similarity; each phrase counts the same.
fn phrase_credits(measured: &QuestionScores<'_>) -> Vec<Credit> {
    let mut credits = vec![Credit::default(); measured.scope.len()];
    let count = measured.scores.phrases().count().max(1) as f32;
    let mut near: Vec<(f32, f32)> = vec![(0.0, 0.0); measured.scope.len()];
    for cosine in measured.scores.phrases() {
        let most = measured.scope.iter().map(|&unit| cosine(unit)).fold(0.0, f32::max);
        let nearness = |cosine: f32| (((cosine - most) / SOFTNESS.0).exp(), ((cosine - most) / SOFTNESS.1).exp());
        // In a large scope most have nothing to do with the phrase.
        let none = nearness(0.0);
        let (mut even, mut steep) = (0.0, 0.0);
        for (near, &unit) in near.iter_mut().zip(measured.scope.iter()) {
            *near = if cosine(unit) == 0.0 { none } else { nearness(cosine(unit)) };
            even += near.0;
            steep += near.1;
        }
        for ((credit, &unit), near) in credits.iter_mut().zip(measured.scope.iter()).zip(&near) {
            let own = near.0 / even;
            credit.even += own / count;
            credit.steep += near.1 / steep / count;
            credit.greatest = credit.greatest.max(own);
            credit.best_at += if cosine(unit) >= most { 1.0 / count } else { 0.0 };
            credit.highest = credit.highest.max(cosine(unit));
        }
    }
    credits
}

fn credits(measured: &QuestionScores<'_>) -> Vec<Credit> {
    let weights = measured.scores.weights();
    let total = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut credits = vec![Credit::default(); measured.scope.len()];
    let mut strengths = vec![0.0_f32; measured.scope.len()];
    for (word, weight) in weights.iter().enumerate() {
        for (strength, &unit) in strengths.iter_mut().zip(measured.scope.iter()) {
            // The same word says more in a table that is about little else.
            let focus = 0.6 + 0.4 * measured.scores.table(unit).name_covered;
            *strength = measured.scores.meant(word, unit) * focus;
        }
        let squares: f32 = strengths.iter().map(|strength| strength.powi(2)).sum();
        let steep: f32 = strengths.iter().map(|strength| strength.powi(6)).sum();
        let most = strengths.iter().copied().fold(0.0, f32::max);
        if most <= 0.0 {
            continue;
        }
        for (credit, &strength) in credits.iter_mut().zip(&strengths) {
            let share = weight / total;
            let even = share * strength.powi(2) / squares;
            credit.even += even;
            credit.steep += share * strength.powi(6) / steep;
            credit.greatest = credit.greatest.max(even);
            credit.best_at += if strength >= 0.999 * most { share } else { 0.0 };
        }
    }
    credits
}

impl Overview {
    pub(crate) fn new(measured: &QuestionScores<'_>, of_units: &[UnitScores]) -> Self {
        let weights = measured.scores.weights();
        let scope = measured.scope;
        // The best and the second best of each word, to know what only one unit explains.
        let best: Vec<(f32, f32)> = (0..weights.len())
            .map(|word| {
                scope.iter().fold((0.0, 0.0), |best: (f32, f32), &unit| {
                    let meant = measured.scores.meant(word, unit);
                    if meant > best.0 { (meant, best.0) } else { (best.0, best.1.max(meant)) }
                })
            })
            .collect();
        let (mut meant, mut meant_alone) = (Vec::with_capacity(scope.len()), Vec::with_capacity(scope.len()));
        for &unit in scope.iter() {
            let (mut sum, mut alone) = (0.0, 0.0);
            for (word, weight) in weights.iter().enumerate() {
                let share = measured.scores.meant(word, unit);
                sum += weight * share;
                if share >= best[word].0 {
                    alone += weight * (share - best[word].1);
                }
            }
            meant.push(sum);
            meant_alone.push(alone);
        }
        let ranks = |value: &dyn Fn(&index::TableScore) -> f32| {
            let values: Vec<f32> = scope.iter().map(|&unit| value(measured.scores.table(unit))).collect();
            reciprocal_ranks(&values)
        };
        let asked: HashSet<&str> = measured.values.iter().map(|found| found.asked.as_str()).collect();
        Self {
            known_words: measured.question.terms().iter().map(|term| term.weight).sum(),
            all_words: weights.iter().sum(),
            most_words: of_units.iter().map(|own| own.words).fold(0.0, f32::max),
            most_meant: meant.iter().copied().fold(0.0, f32::max),
            by_words: ranks(&|score| score.lexical[Field::Everything as usize]),
            by_similarity: ranks(&|score| score.similarity),
            by_column: ranks(&|score| score.column_similarity),
            by_meaning: reciprocal_ranks(&meant),
            values: own_values(measured),
            value_count: (asked.len() as f32).ln_1p(),
            credits: credits(measured),
            phrases: phrase_credits(measured),
            meant,
            meant_alone,
        }
    }
}

/// Values of the question that one unit has.
#[derive(Clone, Copy, Default)]
pub(crate) struct OwnValues {
    pub(crate) strongest: f32,
    pub(crate) count: f32,
    pub(crate) rarest: f32,
}

fn own_values(measured: &QuestionScores<'_>) -> Vec<OwnValues> {
    let mut holders: HashMap<&str, HashSet<UnitNumber>> = HashMap::new();
    for found in measured.values {
        holders.entry(found.asked.as_str()).or_default().insert(found.unit);
    }
    let mut by_unit: HashMap<UnitNumber, (OwnValues, HashSet<&str>)> = HashMap::new();
    for found in measured.values {
        let (own, asked) = by_unit.entry(found.unit).or_default();
        asked.insert(&found.asked);
        own.count = asked.len() as f32;
        own.strongest = own.strongest.max(found.strength);
        let others = holders.get(found.asked.as_str()).map_or(1, HashSet::len);
        own.rarest = own.rarest.max(found.strength / others as f32);
    }
    measured.scope.iter().map(|unit| by_unit.get(unit).map(|(own, _)| *own).unwrap_or_default()).collect()
}
