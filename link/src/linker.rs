//! The way from a question to ranked tables.

use std::collections::HashMap;
use std::sync::Arc;

use catalog::Catalog;
use index::{Embedder, Index, Question, UnitNumber, ValueMatch};

use crate::asked::Asked;
use crate::candidate_score::candidate_score;
use crate::evidence::Judged;
use crate::features::{FirstStageFeatures, RerankingFeatures};
use crate::first_stage::{Measured, features_of};
use crate::groundwork::Groundwork;
use crate::linked::{EvidenceKind, Example, Linked};
use crate::numbering::{CandidatePosition, ListBy, ScopePosition, highest};
use crate::options::{LinkOptions, Signal};
use crate::ranker::{self, Ranker};
use crate::relations::Relations;
use crate::reranking::{Looked, joined_of, nearness};

/// Units whose columns are compared with the question one by one.
const CANDIDATES: usize = 160;
/// Units that the first trees judge: those that the weighted sum puts first.
const SCANNED: usize = 160;
/// Units that the second trees judge: those that the first put first,
const LOOKED_AT: usize = 80;
/// and further ones that are near to the likely ones, which no word need name.
const NEARBY: usize = 40;
/// Matches weaker than this are noise.
const WEAKEST_VALUE: f32 = 0.12;
/// Approved queries less similar than this say nothing.
const LEAST_SIMILAR: f32 = 0.6;
/// Approved queries reported.
const MOST_EXAMPLES: usize = 3;
/// The odds that an approved query for the same question lifts its tables to, and what it adds on top.
const MEMORY_ODDS: f32 = 2.5;
const MEMORY_WEIGHT: f32 = 1.0;
/// The odds that a table gets which the question calls by its name, and what that adds at least.
const NAMED_ODDS: f32 = 3.0;
const NAMED_WEIGHT: f32 = 0.5;
/// What a family by years loses that hasn't the year asked about.
const LACKING_WEIGHT: f32 = 1.0;

mod answer;
mod set_back;

/// Links questions to the tables of one catalog. Made once, used for many questions.
pub struct Linker<'a> {
    catalog: &'a Catalog,
    index: &'a Index,
    embedder: &'a dyn Embedder,
    ranker: &'a Ranker,
    groundwork: Arc<Groundwork>,
}

/// What was measured for a question, before it is judged. The ranker is learnt from it.
#[derive(Debug)]
pub struct Measurement {
    /// The candidates: the units that the first trees see.
    pub units: ListBy<CandidatePosition, UnitNumber>,
    /// What the first look measures of them.
    pub features: ListBy<CandidatePosition, FirstStageFeatures>,
    /// What the first trees think of them: logarithmic odds.
    pub odds: ListBy<CandidatePosition, f32>,
    /// Those that the second look was taken at, in their order, with what it measures of them.
    pub reranked: Vec<(CandidatePosition, RerankingFeatures)>,
}

impl<'a> Linker<'a> {
    /// A linker over this catalog and its index.
    pub fn new(catalog: &'a Catalog, index: &'a Index, embedder: &'a dyn Embedder) -> Self {
        Self::on(Arc::new(Groundwork::new(catalog, index)), catalog, index, embedder)
    }

    /// The same where the groundwork for this catalog and this index has been done before.
    pub fn on(groundwork: Arc<Groundwork>, catalog: &'a Catalog, index: &'a Index, embedder: &'a dyn Embedder) -> Self {
        Self { catalog, index, embedder, ranker: ranker::built_in(), groundwork }
    }

    /// The same with another ranker than the built-in one: for fitting and for comparison.
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

    /// Ranks every table of the scope for this question.
    pub fn link(&self, question: &str, options: &LinkOptions) -> Linked {
        let prepared = self.prepare(question, options);
        let matches = self.matches(question, options);
        let scope = self.scope(options);
        let scores = self.index.table_scores(&prepared, CANDIDATES);
        let measured = Measured { question: &prepared, scores: &scores, values: &matches, scope: &scope };
        let features = features_of(&measured, &self.groundwork.surroundings, options.signals);
        let unscored = |(&unit, row)| Judged::passed_over(unit, ranker::passed_over(candidate_score(row)));
        let mut judged: ListBy<ScopePosition, Judged> = scope.iter().zip(features.iter()).map(unscored).collect();
        let candidates = candidates(&features);
        let seen = self.look(&scope, &features, &candidates, &scores, options);
        for (&place, &odds) in candidates.iter().zip(seen.odds.iter()) {
            judged[place].score = ranker::looked_at_once(odds);
        }
        let rows = || seen.reranked.iter().map(|(candidate, added)| (&seen.features[*candidate], added));
        let odds = match options.signals.ranker {
            Signal::On => self.ranker.second(rows()),
            Signal::Off => seen.reranked.iter().map(|(candidate, _)| seen.odds[*candidate]).collect(),
        };
        for (&(candidate, added), odds) in seen.reranked.iter().zip(odds) {
            judged[candidates[candidate]] = Judged::new(seen.units[candidate], odds, seen.features[candidate], added);
        }
        let examples = self.examples(&prepared, options);
        self.remember(&examples, &mut judged);
        self.set_back(&prepared, &mut judged);
        let asked = Asked::new(question, self.index, &self.groundwork.surroundings.numbers);
        self.prefer_asked(&asked, &mut judged);
        let mut judged = judged.into_vec();
        judged.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.unit.cmp(&right.unit)));
        self.answer(&measured, &asked, judged, examples, options)
    }

    /// What a question measures of the candidates, before it is weighed.
    pub fn measure(&self, question: &str, options: &LinkOptions) -> Measurement {
        let prepared = self.prepare(question, options);
        let matches = self.matches(question, options);
        let scope = self.scope(options);
        let scores = self.index.table_scores(&prepared, CANDIDATES);
        let measured = Measured { question: &prepared, scores: &scores, values: &matches, scope: &scope };
        let features = features_of(&measured, &self.groundwork.surroundings, options.signals);
        self.look(&scope, &features, &candidates(&features), &scores, options)
    }

    /// Both looks at the candidates, which are given by their places in the scope.
    fn look(
        &self,
        scope: &ListBy<ScopePosition, UnitNumber>,
        features: &ListBy<ScopePosition, FirstStageFeatures>,
        candidates: &ListBy<CandidatePosition, ScopePosition>,
        scores: &index::TableScores,
        options: &LinkOptions,
    ) -> Measurement {
        let features: ListBy<CandidatePosition, _> = candidates.iter().map(|&place| features[place]).collect();
        let units: ListBy<CandidatePosition, _> = candidates.iter().map(|&place| scope[place]).collect();
        let odds: ListBy<CandidatePosition, f32> = match options.signals.ranker {
            Signal::On => self.ranker.first(features.as_slice()).into(),
            Signal::Off => features.iter().map(|row| row.candidate_score_below_best).collect(),
        };
        let none = Relations::default();
        let relations = if options.signals.joins.is_on() { &self.groundwork.relations } else { &none };
        let mut chosen = highest(&odds, LOOKED_AT);
        let mut near: ListBy<CandidatePosition, f32> = nearness(units.as_slice(), odds.as_slice(), relations).into();
        chosen.iter().for_each(|&candidate| near[candidate] = f32::MIN);
        chosen.extend(highest(&near, NEARBY.min(units.len() - chosen.len())));
        chosen.sort_unstable();
        let chosen_units: Vec<UnitNumber> = chosen.iter().map(|&candidate| units[candidate]).collect();
        let chosen_odds: Vec<f32> = chosen.iter().map(|&candidate| odds[candidate]).collect();
        let rows = self.joined(&chosen_units, &chosen_odds, scores, relations);
        let rows = rows.into_iter().map(|row| row.without_silenced(options.signals));
        Measurement { units, features, odds, reranked: chosen.into_iter().zip(rows).collect() }
    }

    /// What the second look measures of these units, given the first odds.
    fn joined(
        &self,
        units: &[UnitNumber],
        first: &[f32],
        scores: &index::TableScores,
        relations: &Relations,
    ) -> Vec<RerankingFeatures> {
        let places = &self.groundwork.surroundings;
        let looked = Looked {
            units,
            odds: first,
            explained: &|word, unit| scores.meant(word, unit),
            weights: scores.weights(),
            places: &|unit| [places.source[unit], places.schema[unit], places.module[unit]],
        };
        joined_of(&looked, relations)
    }

    fn prepare(&self, question: &str, options: &LinkOptions) -> Question {
        self.index.question(question, options.signals.dense.is_on().then_some(self.embedder))
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
            .filter(|(number, _)| self.groundwork.tables[*number].is_some())
            .map(|(number, _)| number)
            .collect()
    }

    fn examples(&self, question: &Question, options: &LinkOptions) -> Vec<(Example, Vec<UnitNumber>)> {
        if !options.signals.memories.is_on() || self.catalog.memories().is_empty() {
            return Vec::new();
        }
        let similar = self.index.similar_examples(question).into_iter();
        similar
            .take_while(|(_, similarity)| *similarity >= LEAST_SIMILAR)
            .filter(|(chunk, _)| options.source.as_ref().is_none_or(|source| source == &chunk.table.source))
            .take(MOST_EXAMPLES)
            .filter_map(|(chunk, similarity)| {
                let index::ChunkKind::Example { number } = chunk.kind else { return None };
                let memory = self.catalog.memories().iter().find(|memory| memory.id.0 == i64::from(number))?;
                let tables = std::iter::once(&chunk.table).chain(&chunk.related);
                let example = Example {
                    memory: memory.id,
                    question: memory.content.question.clone(),
                    sql: memory.content.sql.clone(),
                    similarity,
                };
                Some((example, tables.filter_map(|table| self.index.unit_of(table)).collect()))
            })
            .collect()
    }

    /// Lifts the tables of approved queries for similar questions.
    fn remember(&self, examples: &[(Example, Vec<UnitNumber>)], judged: &mut ListBy<ScopePosition, Judged>) {
        let mut best: HashMap<UnitNumber, &Example> = HashMap::new();
        for (example, units) in examples {
            for &unit in units {
                best.entry(unit).or_insert(example);
            }
        }
        for table in judged.iter_mut() {
            if let Some(example) = best.get(&table.unit) {
                let share = (example.similarity - LEAST_SIMILAR) / (1.0 - LEAST_SIMILAR);
                let gain = share * ((MEMORY_ODDS - table.score).max(0.0) + MEMORY_WEIGHT);
                table.adjust(
                    EvidenceKind::Memory,
                    gain,
                    format!("an approved query for `{}` uses it", example.question),
                );
            }
        }
    }

    /// Lifts the tables that the question calls by their names, and puts back families by years that haven't the year.
    fn prefer_asked(&self, asked: &Asked, judged: &mut ListBy<ScopePosition, Judged>) {
        let readable = |unit: UnitNumber| {
            let position = self.groundwork.tables[unit];
            position.is_some_and(|position| self.catalog.entries()[position].unreadable().is_none())
        };
        for table in judged.iter_mut().filter(|table| asked.named().contains(&table.unit) && readable(table.unit)) {
            let gain = (NAMED_ODDS - table.score).max(NAMED_WEIGHT);
            table.adjust(EvidenceKind::Name, gain, "the question calls it by its name".to_owned());
        }
        for table in judged.iter_mut().filter(|table| table.is_looked_at()) {
            if let Some(year) = asked.lacks(table.unit) {
                table.adjust(EvidenceKind::Period, -LACKING_WEIGHT, format!("it has nothing of {year}"));
            }
        }
    }
}

/// Places of the units that the first trees judge, in the order of the scope.
fn candidates(features: &ListBy<ScopePosition, FirstStageFeatures>) -> ListBy<CandidatePosition, ScopePosition> {
    let mut places = highest(&features.iter().map(candidate_score).collect(), SCANNED);
    places.sort_unstable();
    places.into()
}

#[cfg(test)]
mod tests;
