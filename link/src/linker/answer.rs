//! From scored units to the answer: which tables are relevant and why, their columns and values, and how the context is chosen.

use std::collections::HashMap;
use std::sync::Arc;

use catalog::{Entry, KeyOrigin, TableId};
use index::{Question, UnitNumber, ValueMatch};

use super::Linker;
use crate::columns::rank_columns;
use crate::context::{estimate_full, estimate_tables};
use crate::directives::cuts;
use crate::evidence::{Explaining, ScoredUnit};
use crate::features::FirstStageFeatures;
use crate::fit::Fit;
use crate::glossary::NamedTerm;
use crate::graph::paths_in;
use crate::linked::{
    ChunkUse, Evidence, EvidenceKind, Example, Linked, RankedColumn, RankedTable, Standing, Strategy, ValueHit,
};
use crate::mentions::Mentions;
use crate::options::LinkOptions;
use crate::question_scores::QuestionScores;
use crate::reranking::probability;

/// Tables that get columns and evidence, beyond those that are relevant.
const EXPLAINED: usize = 20;
/// Tables whose joins are shown.
const JOINED_TABLES: usize = 6;
/// Values that are reported.
const MOST_VALUES: usize = 24;
/// Tables whose chunks are searched.
const CHUNKED_TABLES: usize = 5;
/// Chunks reported.
const MOST_CHUNKS: usize = 12;
/// Below this share of known words no table is called irrelevant: one word of four is too little. Of BIRD's 857 questions
/// four are known less well, of Spider's none.
const LEAST_KNOWN_SHARE: f32 = 0.26;
/// Below this share of known words, probabilities shrink with it.
const SHARE_TO_BE_SURE: f32 = 0.5;

/// What people said that bears on a question.
pub(super) struct Said<'s> {
    /// Tables that the question itself calls by their names.
    pub(super) mentions: &'s Mentions,
    /// Business terms that it names.
    pub(super) terms: Vec<NamedTerm>,
    /// Approved queries for similar questions, with the units that they use.
    pub(super) examples: Vec<(Example, Vec<UnitNumber>)>,
}

impl Linker<'_> {
    /// The answer to the question; `scored` is sorted, best first.
    pub(super) fn answer(
        &self,
        measured: &QuestionScores<'_>,
        features: &[FirstStageFeatures],
        scored: Vec<ScoredUnit>,
        said: Said<'_>,
        options: &LinkOptions,
    ) -> Linked {
        let Said { mentions, terms, examples } = said;
        let scores: Vec<f32> = scored.iter().map(|table| table.score).collect();
        let probabilities: Vec<f32> = scores.iter().map(|&odds| probability(odds)).collect();
        let cuts = cuts(&probabilities, options.recall_target, self.declares_keys(options));
        let question = measured.question;
        let explaining = Explaining {
            measured,
            mentions,
            scored: &scored,
            relations: &self.prepared.relations,
            tables: &self.prepared.tables,
            catalog: self.catalog,
            index: self.index,
            ranker: self.ranker,
        };
        let mut tables = Vec::with_capacity(scored.len());
        for (rank, table) in scored.iter().enumerate() {
            let standing = cuts.standing(rank);
            let explain = standing == Standing::Relevant || rank < EXPLAINED;
            let unit = self.index.unit(table.unit);
            let mut ranked = RankedTable {
                id: mentions.id(table.unit, self.index).clone(),
                score: probabilities[rank],
                standing,
                reasons: Vec::new(),
                columns: Vec::new(),
                members: Arc::clone(&unit.members),
            };
            if explain {
                ranked.reasons = explaining.reasons(table);
                ranked.columns = rank_columns(self.index, question, table.unit, measured.values);
                prefer_defined(&terms, &mut ranked);
            }
            tables.push(ranked);
        }
        self.append_unindexed(options, &mut tables);
        let is_shown = |found: &ValueMatch| {
            mentions.is_in_shown(found.unit, self.index, self.catalog, &found.column, &found.stored)
        };
        let values = value_hits(measured.values, &tables, is_shown);
        let unmatched = unmatched_terms(question, measured.values, &terms);
        let known = share_known(question, &unmatched);
        tables.iter_mut().for_each(|table| table.score *= (known / SHARE_TO_BE_SURE).min(1.0));
        let fit = Fit::new(measured, features, known, probabilities.first().copied().unwrap_or_default());
        let strategy = self.strategy(&mut tables, known, fit, options);
        let relevant: Vec<TableId> = tables
            .iter()
            .filter(|table| table.is_relevant())
            .take(JOINED_TABLES)
            .map(|table| table.id.clone())
            .collect();
        let joins = paths_in(&self.prepared.graph, self.catalog, &relevant);
        // Whoever joins two tables needs those that lie between them.
        let lies_between = |id: &TableId| joins.iter().any(|path| path.tables().contains(&id));
        tables.iter_mut().filter(|table| lies_between(&table.id)).for_each(|table| table.standing = Standing::Relevant);
        let best: Vec<UnitNumber> = scored.iter().take(CHUNKED_TABLES).map(|table| table.unit).collect();
        let hits = self.index.search_within(question, &best, MOST_CHUNKS);
        // Chunks belong to the member that stands for a family; what is shown is the member that was asked for.
        let shown = |id: &TableId| {
            tables.iter().find(|table| table.members.last() == Some(id)).map_or(id, |table| &table.id).clone()
        };
        Linked {
            tokens: estimate_tables(self.catalog, tables.iter().filter(|table| table.is_relevant()))
                .min(options.token_budget),
            joins,
            strategy,
            values,
            examples: examples.into_iter().map(|(example, _)| example).collect(),
            chunks: hits
                .iter()
                .map(|hit| ChunkUse {
                    chunk: hit.chunk.name(),
                    table: shown(&hit.chunk.table),
                    column: hit.chunk.column.clone(),
                    score: hit.score,
                })
                .collect(),
            unmatched_terms: unmatched,
            terms,
            fit,
            language: question.language().map(words::Language::name),
            tables,
        }
    }

    /// Whether any table of the scope declares a key.
    fn declares_keys(&self, options: &LinkOptions) -> bool {
        let in_scope = |entry: &&Entry| options.source.as_ref().is_none_or(|source| *source == entry.table.id.source);
        let mut keys = self.catalog.entries().iter().filter(in_scope).flat_map(|entry| &entry.table.foreign_keys);
        keys.any(|key| key.origin == KeyOrigin::Declared)
    }

    /// Tables that came after the index was built: nothing is known about them, so nothing speaks against them.
    fn append_unindexed(&self, options: &LinkOptions, tables: &mut Vec<RankedTable>) {
        for id in &self.prepared.unindexed {
            if options.source.as_ref().is_none_or(|source| source == &id.source) {
                let text = "it isn't in the index yet: run `periplus index`".to_owned();
                tables.push(RankedTable {
                    id: id.clone(),
                    score: 0.0,
                    standing: Standing::Relevant,
                    reasons: vec![Evidence { kind: EvidenceKind::NotIndexed, text, weight: 0.0 }],
                    columns: Vec::new(),
                    members: Arc::from([id.clone()]),
                });
            }
        }
    }

    fn strategy(&self, tables: &mut [RankedTable], known: f32, fit: Fit, options: &LinkOptions) -> Strategy {
        let count = tables.len();
        let few = (count < options.full_schema_below)
            .then(|| format!("the scope has {count} tables, fewer than {}", options.full_schema_below));
        let fits = || {
            let tokens = estimate_full(self.catalog, tables.iter(), options.token_budget)?;
            Some(format!("the whole schema takes {tokens} of {} tokens", options.token_budget))
        };
        if let Some(reason) = few.or_else(fits) {
            // What is given whole needs no directives; what isn't needed comes last.
            if options.whole_is_relevant {
                tables.iter_mut().for_each(|table| table.standing = Standing::Relevant);
            }
            return Strategy::Full { reason };
        }
        if known < LEAST_KNOWN_SHARE || fit.is_elsewhere() {
            // Nothing can be called irrelevant when next to nothing is known about the question.
            tables.iter_mut().for_each(|table| table.standing = Standing::Relevant);
            let how_much = if known == 0.0 { "no word" } else { "hardly a word" };
            return Strategy::Full {
                reason: format!("{how_much} of the question matched; what fits of the schema is given"),
            };
        }
        if self.prepared.unprofiled > 0 {
            tables.iter_mut().for_each(|table| table.standing = Standing::Relevant);
            return Strategy::Full {
                reason: format!(
                    "indexing isn't finished, tables without a profile: {}; run `periplus index`",
                    self.prepared.unprofiled
                ),
            };
        }
        let kept = tables.iter().filter(|table| table.is_relevant()).count();
        let whole: usize = tables.iter().map(|table| table.members.len()).sum();
        let as_families =
            if whole > count { format!(", which are {whole} with all of their families") } else { String::new() };
        Strategy::Focused { reason: format!("{kept} of {count} tables are worth looking at{as_families}") }
    }
}

/// Values found in relevant tables, surest first. `is_shown` says whether the family's member that is shown has the value,
/// for which a profile may have to be read.
fn value_hits(matches: &[ValueMatch], tables: &[RankedTable], is_shown: impl Fn(&ValueMatch) -> bool) -> Vec<ValueHit> {
    let relevant = tables.iter().enumerate().filter(|(_, table)| table.is_relevant());
    // Values are found in the member that stands for a family, and shown for the one that was asked for.
    let by_newest = relevant.map(|(rank, table)| (table.members.last().unwrap_or(&table.id), (rank, &table.id)));
    let known: HashMap<&TableId, (usize, &TableId)> = by_newest.collect();
    let mut hits: Vec<(usize, ValueHit)> = matches
        .iter()
        .filter_map(|found| {
            let &(rank, table) = known.get(&found.table).filter(|_| is_shown(found))?;
            let hit = ValueHit {
                table: table.clone(),
                column: found.column.clone(),
                stored: found.stored.clone(),
                asked: found.asked.clone(),
                strength: found.strength,
            };
            Some((rank, hit))
        })
        .collect();
    hits.sort_by(|(one, left), (other, right)| right.strength.total_cmp(&left.strength).then(one.cmp(other)));
    hits.truncate(MOST_VALUES);
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// The share of the question's words that something in the catalog answers to, 0 to 1.
fn share_known(question: &Question, unmatched: &[String]) -> f32 {
    let terms = question.terms().len();
    if terms == 0 { 0.0 } else { 1.0 - unmatched.len() as f32 / terms as f32 }
}

/// Words that nothing answers to. What many compute under a name answers to it only once somebody has approved that.
fn unmatched_terms(question: &Question, values: &[ValueMatch], defined: &[NamedTerm]) -> Vec<String> {
    let in_value = |word: &str| values.iter().any(|found| found.asked.to_lowercase().contains(word));
    let is_defined = |word: &str| defined.iter().any(|term| term.holds(word));
    let unknown = question.terms().iter().filter(|term| term.weight == 0.0);
    unknown.map(|term| term.word.clone()).filter(|word| !in_value(word) && !is_defined(word)).collect()
}

/// Puts the columns that business terms of the question are computed from first.
fn prefer_defined(terms: &[NamedTerm], ranked: &mut RankedTable) {
    for term in terms {
        for used in term.columns.iter().filter(|used| ranked.members.contains(&used.table)) {
            let at = ranked.columns.iter().position(|column| column.name == used.column);
            let known = at.map(|at| ranked.columns.remove(at));
            let column =
                known.unwrap_or_else(|| RankedColumn { name: used.column.clone(), score: 0.0, matched: Vec::new() });
            let matched = column.matched.into_iter().chain([term.asked.to_lowercase()]).collect();
            ranked.columns.insert(0, RankedColumn { score: 1.0, matched, ..column });
        }
    }
}
