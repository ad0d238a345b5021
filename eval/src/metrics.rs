//! How good a ranking is, computed as `bench/score.py` does.
//!
//! Tables of a date-sharded family count as one, in gold and in predictions alike.

use std::collections::HashSet;

use serde::Serialize;

use crate::pack::PackQuestion;

/// Depths at which recall is taken.
pub const DEPTHS: [usize; 4] = [3, 5, 10, 20];

/// One ranked table of a prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Its name, as in the gold tables; `database.table` in a pooled run.
    pub table: String,
    /// `false` marks it as irrelevant.
    pub relevant: bool,
    /// Whether it is listed by name and not shown.
    pub unlikely: bool,
    /// The probability that the question needs it.
    pub probability: f32,
}

/// What one question came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The rank of each gold table from 0; `None` where it isn't in the ranking.
    pub positions: Vec<Option<usize>>,
    /// Different tables ranked.
    pub ranked: usize,
    /// Gold tables that the directives keep.
    pub gold_kept: usize,
    /// Tables that the directives keep.
    pub kept: usize,
    /// Gold tables that are shown.
    pub gold_shown: usize,
    /// Tables that are shown.
    pub shown: usize,
}

/// Means over questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankingMetrics {
    /// How many questions.
    pub questions: usize,
    /// Share of gold tables among the first k, for each of [`DEPTHS`].
    pub recall_at: [f64; 4],
    /// Share of questions whose gold tables are all among the first k.
    pub full_at: [f64; 4],
    /// Share of the first k that are gold, of those that could be.
    pub precision_at: [f64; 4],
    /// Mean of one over the rank of the first gold table.
    pub mean_reciprocal_rank: f64,
    /// Share of gold tables that aren't marked irrelevant.
    pub directive_recall: f64,
    /// Share of questions none of whose gold tables is marked irrelevant.
    pub directive_full: f64,
    /// Share of other tables that the directives mark irrelevant.
    pub pruned: f64,
    /// Share of gold tables that are shown.
    pub shown_recall: f64,
    /// Tables shown beyond the gold ones, for each gold one.
    pub over_exploration: f64,
}

/// Compares a ranking with the gold tables of a question of that database.
pub fn judge(ranking: &[Ranked], gold_tables: &[String], database: &str) -> Judgement {
    let mut names: Vec<String> = Vec::with_capacity(ranking.len());
    let mut seen: HashSet<String> = HashSet::with_capacity(ranking.len());
    let (mut kept, mut shown): (HashSet<String>, HashSet<String>) = Default::default();
    for table in ranking {
        let name = normal_form(&table.table);
        if table.relevant {
            kept.insert(name.clone());
        }
        if table.relevant && !table.unlikely {
            shown.insert(name.clone());
        }
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    let gold: HashSet<String> = gold_tables
        .iter()
        .map(|table| {
            let pooled = normal_form(&format!("{database}.{table}"));
            if seen.contains(&pooled) { pooled } else { normal_form(table) }
        })
        .collect();
    Judgement {
        positions: gold.iter().map(|table| names.iter().position(|name| name == table)).collect(),
        ranked: names.len(),
        gold_kept: gold.intersection(&kept).count(),
        kept: kept.len(),
        gold_shown: gold.intersection(&shown).count(),
        shown: shown.len(),
    }
}

/// The same where the question may be answered by other sets of tables as well: the judgement of the set that it does best by.
pub fn judge_best(ranking: &[Ranked], question: &PackQuestion) -> Judgement {
    let sets = std::iter::once(&question.gold_tables).chain(&question.alternatives);
    let judgements = sets.map(|tables| judge(ranking, tables, &question.db));
    // By the rank of the last table, and of equal ones by how many are kept; the first of the best.
    let worth = |judgement: &Judgement| {
        let last = judgement.positions.iter().map(|position| position.unwrap_or(usize::MAX)).max();
        let missed = judgement.positions.len() - judgement.gold_kept;
        (last.unwrap_or(usize::MAX), missed)
    };
    let best = judgements.reduce(|best, other| if worth(&other) < worth(&best) { other } else { best });
    best.unwrap_or_else(|| judge(ranking, &question.gold_tables, &question.db))
}

fn normal_form(name: &str) -> String {
    index::fold_name(name.trim_matches(['`', '"', '[', ']', ' ']))
}

/// The means over all questions.
pub fn summarize(judgements: &[Judgement]) -> RankingMetrics {
    let mut metrics = RankingMetrics { questions: judgements.len(), ..RankingMetrics::default() };
    if judgements.is_empty() {
        return metrics;
    }
    let count = judgements.len() as f64;
    let (mut prunable, mut excess, mut gold_total) = (0.0, 0, 0);
    for judgement in judgements {
        let gold = judgement.positions.len();
        for (at, depth) in DEPTHS.into_iter().enumerate() {
            let found = judgement.positions.iter().filter(|position| position.is_some_and(|rank| rank < depth)).count();
            metrics.recall_at[at] += share(found, gold) / count;
            metrics.full_at[at] += if found == gold { 1.0 / count } else { 0.0 };
            metrics.precision_at[at] += found as f64 / depth.min(judgement.ranked).max(1) as f64 / count;
        }
        let first = judgement.positions.iter().flatten().min();
        metrics.mean_reciprocal_rank += first.map_or(0.0, |&rank| 1.0 / (1.0 + rank as f64)) / count;
        metrics.directive_recall += share(judgement.gold_kept, gold) / count;
        metrics.directive_full += if judgement.gold_kept == gold { 1.0 / count } else { 0.0 };
        metrics.shown_recall += share(judgement.gold_shown, gold) / count;
        let extra = judgement.kept - judgement.gold_kept;
        if judgement.ranked > gold {
            metrics.pruned += 1.0 - extra as f64 / (judgement.ranked - gold) as f64;
            prunable += 1.0;
        }
        excess += judgement.shown - judgement.gold_shown;
        gold_total += gold;
    }
    metrics.pruned /= f64::max(prunable, 1.0);
    metrics.over_exploration = excess as f64 / gold_total.max(1) as f64;
    metrics
}

/// The share of the gold tables; of a question that needs none, nothing is missed.
fn share(found: usize, gold: usize) -> f64 {
    if gold == 0 { 1.0 } else { found as f64 / gold as f64 }
}

/// The value below which that share of the sorted values lies, as `bench/score.py` takes it.
pub fn percentile(sorted: &[u64], share: f64) -> Option<u64> {
    let position = (sorted.len() as f64 * share) as usize;
    sorted.get(position.min(sorted.len().checked_sub(1)?)).copied()
}

#[cfg(test)]
mod tests {
    use super::{Ranked, judge, judge_best, percentile, summarize};
    use crate::pack::PackQuestion;

    fn ranking(tables: &[(&str, bool)]) -> Vec<Ranked> {
        tables
            .iter()
            .map(|(table, relevant)| Ranked {
                table: (*table).to_owned(),
                relevant: *relevant,
                unlikely: false,
                probability: 0.5,
            })
            .collect()
    }

    #[test]
    fn pooled_names_and_families_are_recognised() {
        let ranked = ranking(&[("shop.Orders", true), ("shop.events_20240101", true), ("shop.users", false)]);
        let judged = judge(&ranked, &["orders".into(), "events_20230505".into(), "events_20230506".into()], "shop");
        assert_eq!(judged.positions.len(), 2);
        assert!(judged.positions.contains(&Some(0)) && judged.positions.contains(&Some(1)));
        assert_eq!((judged.ranked, judged.kept, judged.gold_kept), (3, 2, 2));
    }

    #[test]
    fn of_several_ways_to_answer_the_best_counts() {
        let question: PackQuestion = serde_json::from_str(
            r#"{"id": "1", "db": "shop", "question": "Who?", "gold_tables": ["b", "c"], "alternatives": [["c"], ["a", "b"]]}"#,
        )
        .expect("a question");
        let judged = judge_best(&ranking(&[("a", true), ("b", true), ("c", false)]), &question);
        assert_eq!((judged.positions.len(), judged.gold_kept), (2, 2), "{judged:?}");
        let judged = judge_best(&ranking(&[("c", true), ("a", false), ("b", false)]), &question);
        assert_eq!(judged.positions, [Some(0)]);
    }

    #[test]
    fn means_are_taken_over_questions() {
        let first = judge(&ranking(&[("a", true), ("b", true), ("c", false), ("d", false)]), &["b".into()], "");
        let second =
            judge(&ranking(&[("a", true), ("b", false), ("c", false), ("d", false)]), &["a".into(), "d".into()], "");
        let metrics = summarize(&[first, second]);
        assert_eq!(metrics.full_at, [0.5, 1.0, 1.0, 1.0]);
        assert_eq!(metrics.recall_at[0], 0.75);
        assert_eq!(metrics.mean_reciprocal_rank, 0.75);
        assert_eq!((metrics.directive_recall, metrics.directive_full), (0.75, 0.5));
        assert!((metrics.pruned - (2.0 / 3.0 + 1.0) / 2.0).abs() < 1e-9, "{}", metrics.pruned);
        assert!((metrics.over_exploration - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_missing_gold_table_counts_against_the_ranking() {
        let metrics = summarize(&[judge(&ranking(&[("a", true)]), &["gone".into()], "shop")]);
        assert_eq!((metrics.full_at[3], metrics.mean_reciprocal_rank, metrics.directive_recall), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_question_that_needs_no_table_misses_none() {
        let metrics = summarize(&[judge(&ranking(&[("a", true), ("b", false)]), &[], "shop")]);
        assert_eq!((metrics.recall_at[0], metrics.full_at[0], metrics.directive_recall), (1.0, 1.0, 1.0));
        assert_eq!(metrics.over_exploration, 1.0);
    }

    #[test]
    fn percentiles_stay_inside() {
        let values: Vec<u64> = (1..=100).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (Some(51), Some(100)));
        assert_eq!((percentile(&values, 1.0), percentile(&[], 0.5)), (Some(100), None));
    }
}
