//! From a question to ranked tables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use catalog::{Catalog, MemoryId};
use index::{ChunkKind, Embedder, Index, Question, UnitNumber, ValueMatch};
use jiff::Timestamp;

use crate::areas::Area;
use crate::candidate_score::candidate_score;
use crate::evidence::ScoredUnit;
use crate::features::{FirstStageFeatures, RerankingFeatures};
use crate::first_stage::first_stage_features;
use crate::glossary::{NamedTerm, named_terms};
use crate::linked::{EvidenceKind, Example, Linked};
use crate::mentions::Mentions;
use crate::numbering::{CandidatePosition, ListBy, ScopePosition, highest};
use crate::options::{LinkOptions, Signal};
use crate::prepared::PreparedCatalog;
use crate::question_scores::QuestionScores;
use crate::ranker::{self, Ranker};
use crate::relations::Relations;
use crate::reranking::{RerankingInput, nearness, reranking_features};

/// Units whose columns are compared with the question one by one.
const COLUMNS_COMPARED: usize = 320;
/// Units that the first stage ranks: those with the highest candidate scores,
const CANDIDATES: usize = 400;
/// and those that most others refer to, whether or not any word of the question names them, which are reranked too.
const CENTRAL: usize = 30;
/// Units that are reranked: those that the first stage ranks highest,
const RERANKED: usize = 120;
/// and others that are related to likely ones.
const RERANKED_NEARBY: usize = 60;
/// Matches of values weaker than this are noise.
const WEAKEST_VALUE: f32 = 0.12;
/// From this strength on a word stands for a value.
const SURE_VALUE: f32 = 0.5;
/// Approved queries for questions less similar than this say nothing.
const LEAST_SIMILAR: f32 = 0.45;
/// From this on it lifts its tables, the more the nearer.
const LEAST_TO_LIFT: f32 = 0.6;
/// Approved queries reported.
const MOST_EXAMPLES: usize = 3;
/// An approved query for the same question lifts its tables to these odds, and adds the weight on top.
const MEMORY_ODDS: f32 = 2.5;
const MEMORY_WEIGHT: f32 = 1.0;
/// A table that the question calls by its name is lifted to these odds, and by the weight at least.
const NAMED_ODDS: f32 = 3.0;
const NAMED_WEIGHT: f32 = 0.5;
/// A table that a business term of the question is about is lifted to these odds, and by the weight at least.
const DEFINED_ODDS: f32 = 4.0;
const DEFINED_WEIGHT: f32 = 1.0;
/// What a family of years loses if it lacks the year that was asked about.
const LACKING_WEIGHT: f32 = 1.0;

mod answer;
mod demote;
mod other_parts;
mod used;

use answer::Said;

/// Links questions to the tables of one catalog. Made once, used for many questions.
pub struct Linker<'a> {
    catalog: &'a Catalog,
    index: &'a Index,
    embedder: &'a dyn Embedder,
    ranker: &'a Ranker,
    prepared: Arc<PreparedCatalog>,
}

/// What the index holds of approved queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    /// Those whose questions are nearest, with how similar they are, 0 to 1, the nearest first.
    pub nearest: Vec<(MemoryId, f32)>,
    /// How many there are.
    pub held: usize,
}

/// What the ranker gets to see of a question. It is trained on this.
#[derive(Debug)]
pub struct RankerInput {
    /// The candidates.
    pub units: ListBy<CandidatePosition, UnitNumber>,
    /// Their features in the first stage.
    pub features: ListBy<CandidatePosition, FirstStageFeatures>,
    /// Their first-stage odds, logarithmic.
    pub odds: ListBy<CandidatePosition, f32>,
    /// The candidates that are reranked, in the order of their positions, each with the features that reranking adds.
    pub reranked: Vec<(CandidatePosition, RerankingFeatures)>,
}

impl<'a> Linker<'a> {
    /// A linker for this catalog, prepared on the spot.
    pub fn new(catalog: &'a Catalog, index: &'a Index, embedder: &'a dyn Embedder) -> Self {
        Self::on(Arc::new(PreparedCatalog::new(catalog, index)), catalog, index, embedder)
    }

    /// A linker for a catalog that has been prepared before, with this index of it.
    pub fn on(
        prepared: Arc<PreparedCatalog>,
        catalog: &'a Catalog,
        index: &'a Index,
        embedder: &'a dyn Embedder,
    ) -> Self {
        Self { catalog, index, embedder, ranker: ranker::built_in(), prepared }
    }

    /// Uses another ranker than the built-in one: for training and for comparison.
    #[must_use]
    pub fn with_ranker(mut self, ranker: &'a Ranker) -> Self {
        self.ranker = ranker;
        self
    }

    /// The catalog it links to.
    pub fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// The index it searches.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// The areas of that source, or of all, the largest first.
    pub fn areas(&self, source: Option<&str>) -> Vec<Area> {
        let is_in = |area: &&Area| area.hub().is_some_and(|hub| source.is_none_or(|source| source == hub.source));
        self.prepared.areas.iter().filter(is_in).cloned().collect()
    }

    /// Ranks every table of the scope for this question.
    pub fn link(&self, question: &str, options: &LinkOptions) -> Linked {
        let query = self.prepare(question, options);
        let matches = self.matches(question, options);
        let scope = self.scope(options);
        let scores = self.index.table_scores(&query, COLUMNS_COMPARED);
        let measured = QuestionScores { question: &query, scores: &scores, values: &matches, scope: &scope };
        let features = first_stage_features(&measured, &self.prepared.surroundings, options.signals);
        let unscored = |(&unit, row)| ScoredUnit::unscored(unit, ranker::unscored(candidate_score(row)));
        let mut scored: ListBy<ScopePosition, ScoredUnit> = scope.iter().zip(features.iter()).map(unscored).collect();
        let candidates = candidates(&features);
        let input = self.ranker_input(&measured, &features, &candidates, options);
        for (&place, &odds) in candidates.iter().zip(input.odds.iter()) {
            scored[place].score = ranker::first_stage_only(odds);
        }
        let rows = || input.reranked.iter().map(|(candidate, added)| (&input.features[*candidate], added));
        let odds = match options.signals.ranker {
            Signal::On => self.ranker.reranking_odds(rows()),
            Signal::Off => input.reranked.iter().map(|(candidate, _)| input.odds[*candidate]).collect(),
        };
        for (&(candidate, added), odds) in input.reranked.iter().zip(odds) {
            scored[candidates[candidate]] =
                ScoredUnit::new(input.units[candidate], odds, input.features[candidate], added);
        }
        let examples = self.examples(&query, options);
        self.remember(&examples, &mut scored);
        self.demote(&query, &mut scored);
        let mentions = Mentions::new(question, self.index, &self.prepared.surroundings.numbers);
        self.prefer_mentioned(&mentions, &mut scored);
        let terms = named_terms(self.catalog, options.source.as_deref(), question);
        self.prefer_defined(&terms, &mut scored);
        self.prefer_used(question, &terms, options, &mut scored);
        self.bring_other_parts(question, &mut scored);
        let mut scored = scored.into_vec();
        scored.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.unit.cmp(&right.unit)));
        let people = Said { mentions: &mentions, terms, examples };
        self.answer(&measured, features.as_slice(), scored, people, options)
    }

    /// What the ranker sees of a question: for training.
    pub fn measure(&self, question: &str, options: &LinkOptions) -> RankerInput {
        let query = self.prepare(question, options);
        let matches = self.matches(question, options);
        let scope = self.scope(options);
        let scores = self.index.table_scores(&query, COLUMNS_COMPARED);
        let measured = QuestionScores { question: &query, scores: &scores, values: &matches, scope: &scope };
        let features = first_stage_features(&measured, &self.prepared.surroundings, options.signals);
        self.ranker_input(&measured, &features, &candidates(&features), options)
    }

    /// The features of the candidates in both stages. `candidates` are their positions in the scope.
    fn ranker_input(
        &self,
        measured: &QuestionScores<'_>,
        features: &ListBy<ScopePosition, FirstStageFeatures>,
        candidates: &ListBy<CandidatePosition, ScopePosition>,
        options: &LinkOptions,
    ) -> RankerInput {
        let features: ListBy<CandidatePosition, _> = candidates.iter().map(|&place| features[place]).collect();
        let units: ListBy<CandidatePosition, _> = candidates.iter().map(|&place| measured.scope[place]).collect();
        let odds: ListBy<CandidatePosition, f32> = match options.signals.ranker {
            Signal::On => self.ranker.first_stage_odds(features.as_slice()).into(),
            Signal::Off => features.iter().map(|row| row.candidate_score_below_best).collect(),
        };
        let none = Relations::default();
        let relations = if options.signals.joins.is_on() { &self.prepared.relations } else { &none };
        let mut chosen = highest(&odds, RERANKED);
        // Whatever their odds by themselves: what everything turns on is needed beside likely tables.
        let central: ListBy<CandidatePosition, f32> = features.iter().map(|row| row.referring_tables).collect();
        chosen.extend(highest(&central, CENTRAL));
        chosen.sort_unstable();
        chosen.dedup();
        let mut near: ListBy<CandidatePosition, f32> = nearness(units.as_slice(), odds.as_slice(), relations).into();
        chosen.iter().for_each(|&candidate| near[candidate] = f32::MIN);
        chosen.extend(highest(&near, RERANKED_NEARBY.min(units.len() - chosen.len())));
        chosen.sort_unstable();
        let chosen_units: Vec<UnitNumber> = chosen.iter().map(|&candidate| units[candidate]).collect();
        let chosen_odds: Vec<f32> = chosen.iter().map(|&candidate| odds[candidate]).collect();
        let rows = self.rerank(measured, &chosen_units, &chosen_odds, relations);
        let rows = rows.into_iter().map(|row| row.without_silenced(options.signals));
        RankerInput { units, features, odds, reranked: chosen.into_iter().zip(rows).collect() }
    }

    /// What reranking measures of these units, given their first-stage odds.
    fn rerank(
        &self,
        measured: &QuestionScores<'_>,
        units: &[UnitNumber],
        first_stage_odds: &[f32],
        relations: &Relations,
    ) -> Vec<RerankingFeatures> {
        let places = &self.prepared.surroundings;
        let input = RerankingInput {
            units,
            odds: first_stage_odds,
            explained: &|word, unit| measured.scores.meant(word, unit),
            weights: measured.scores.weights(),
            places: &|unit| [places.source[unit], places.schema[unit], places.module[unit]],
            asked_column: &self.index.asked_columns(measured.question),
        };
        reranking_features(&input, relations)
    }

    fn prepare(&self, question: &str, options: &LinkOptions) -> Question {
        self.index.question(question, options.signals.similarity.is_on().then_some(self.embedder))
    }

    fn matches(&self, question: &str, options: &LinkOptions) -> Vec<ValueMatch> {
        if !options.signals.values.is_on() {
            return Vec::new();
        }
        let mut matches = self.index.value_matches(question);
        matches.retain(|found| {
            found.strength >= WEAKEST_VALUE
                && options.source.as_ref().is_none_or(|source| source == &found.table.source)
        });
        matches
    }

    fn scope(&self, options: &LinkOptions) -> ListBy<ScopePosition, UnitNumber> {
        let units = self.index.numbered_units();
        units
            .filter(|(_, unit)| options.source.as_ref().is_none_or(|source| source == &unit.table.source))
            .filter(|(number, _)| self.prepared.tables[*number].is_some())
            .map(|(number, _)| number)
            .collect()
    }

    fn examples(&self, question: &Question, options: &LinkOptions) -> Vec<(Example, Vec<UnitNumber>)> {
        if !options.signals.memories.is_on() || self.catalog.memories().is_empty() {
            return Vec::new();
        }
        let now = Timestamp::now();
        let similar = self.index.similar_examples(question).into_iter();
        similar
            .take_while(|(_, similarity)| *similarity >= LEAST_SIMILAR)
            .filter(|(chunk, _)| options.source.as_ref().is_none_or(|source| source == &chunk.table.source))
            .filter_map(|(chunk, similarity)| {
                let ChunkKind::Example { number } = chunk.kind else { return None };
                let memory = self.catalog.memory(MemoryId(i64::from(number)))?;
                if !memory.counts_for(options.asker.as_deref(), now) {
                    return None;
                }
                let tables = std::iter::once(&chunk.table).chain(&chunk.related);
                let example = Example {
                    memory: memory.id,
                    source: chunk.table.source.clone(),
                    question: memory.content.question.clone(),
                    sql: memory.content.sql.clone(),
                    similarity,
                };
                Some((example, tables.filter_map(|table| self.index.unit_of(table)).collect()))
            })
            .take(MOST_EXAMPLES)
            .collect()
    }

    /// The approved queries that the index holds, and those whose questions are nearest to this one.
    pub fn remembered(&self, question: &str) -> Remembered {
        let question = self.index.question(question, Some(self.embedder));
        let id = |kind: &ChunkKind| match kind {
            ChunkKind::Example { number } => Some(MemoryId(i64::from(*number))),
            _ => None,
        };
        let nearest = self.index.similar_examples(&question).into_iter();
        Remembered {
            nearest: nearest.filter_map(|(chunk, similarity)| Some((id(&chunk.kind)?, similarity))).collect(),
            held: self.index.example_count(),
        }
    }

    /// The words of a text, as they are written there in lower case, by which tables, columns or values of the catalog are
    /// called.
    pub fn words_of_database(&self, text: &str) -> HashSet<String> {
        let question = self.index.question(text, None);
        let named = question.terms().iter().filter(|term| term.weight > 0.0).map(|term| term.word.clone());
        let matches = self.index.value_matches(text);
        let surely = matches.iter().filter(|found| found.strength >= SURE_VALUE);
        named.chain(surely.flat_map(|found| words::in_text(&found.asked))).collect()
    }

    /// Promotes the tables of approved queries for similar questions.
    fn remember(&self, examples: &[(Example, Vec<UnitNumber>)], scored: &mut ListBy<ScopePosition, ScoredUnit>) {
        let mut best: HashMap<UnitNumber, &Example> = HashMap::new();
        for (example, units) in examples {
            for &unit in units {
                best.entry(unit).or_insert(example);
            }
        }
        for table in scored.iter_mut() {
            if let Some(example) = best.get(&table.unit).filter(|it| it.similarity > LEAST_TO_LIFT) {
                let share = (example.similarity - LEAST_TO_LIFT).max(0.0) / (1.0 - LEAST_TO_LIFT);
                let gain = share * ((MEMORY_ODDS - table.score).max(0.0) + MEMORY_WEIGHT);
                table.adjust(
                    EvidenceKind::Memory,
                    gain,
                    format!("an approved query for `{}` uses it", example.question),
                );
            }
        }
    }

    /// Promotes the tables that business terms of the question are about.
    fn prefer_defined(&self, terms: &[NamedTerm], scored: &mut ListBy<ScopePosition, ScoredUnit>) {
        let mut by_unit: HashMap<UnitNumber, &NamedTerm> = HashMap::new();
        for term in terms {
            for unit in term.tables.iter().filter_map(|table| self.index.unit_of(table)) {
                by_unit.entry(unit).or_insert(term);
            }
        }
        for table in scored.iter_mut() {
            if let Some(term) = by_unit.get(&table.unit) {
                let gain = (DEFINED_ODDS - table.score).max(DEFINED_WEIGHT);
                table.adjust(EvidenceKind::Glossary, gain, format!("`{}` is defined by it", term.name));
            }
        }
    }

    /// Promotes tables that the question calls by their names, and demotes families of years without the year asked about.
    fn prefer_mentioned(&self, mentions: &Mentions, scored: &mut ListBy<ScopePosition, ScoredUnit>) {
        let readable = |unit: UnitNumber| {
            let position = self.prepared.tables[unit];
            position.is_some_and(|position| self.catalog.entries()[position].unreadable().is_none())
        };
        for table in scored.iter_mut().filter(|table| mentions.named().contains(&table.unit) && readable(table.unit)) {
            let gain = (NAMED_ODDS - table.score).max(NAMED_WEIGHT);
            table.adjust(EvidenceKind::Name, gain, "the question calls it by its name".to_owned());
        }
        for table in scored.iter_mut().filter(|table| table.is_reranked()) {
            if let Some(year) = mentions.lacks(table.unit) {
                table.adjust(EvidenceKind::Period, -LACKING_WEIGHT, format!("it has nothing of {year}"));
            }
        }
    }
}

/// The positions of the units that the first stage ranks, in the order of the scope.
fn candidates(features: &ListBy<ScopePosition, FirstStageFeatures>) -> ListBy<CandidatePosition, ScopePosition> {
    let mut places: Vec<ScopePosition> = highest(&features.iter().map(candidate_score).collect(), CANDIDATES);
    let central: Vec<ScopePosition> = highest(&features.iter().map(|row| row.referring_tables).collect(), CENTRAL);
    places.extend(central);
    places.sort_unstable();
    places.dedup();
    places.into()
}

#[cfg(test)]
mod tests;
