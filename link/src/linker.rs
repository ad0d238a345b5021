//! The way from a question to ranked tables.

use std::collections::HashMap;

use catalog::{Catalog, TableId};
use index::{Embedder, Index, Question, ValueMatch};

use crate::columns::rank_columns;
use crate::context::{estimate_full, estimate_tables};
use crate::directives::{cut_distances, distance_for, is_kept, probability};
use crate::evidence::{Judged, evidence_of};
use crate::features::{Features, Measured, Surroundings, features_of};
use crate::graph::{JoinGraph, paths_in};
use crate::linked::{ChunkUse, Evidence, EvidenceKind, Example, Linked, RankedTable, Strategy, ValueHit};
use crate::options::LinkOptions;
use crate::smoothing::{JOINED, Joined, UnitGraph, joined_of};
use crate::weights;

/// Units whose columns are compared with the question one by one.
const CANDIDATES: usize = 256;
/// Tables that get columns and evidence, beyond those that are relevant.
const EXPLAINED: usize = 20;
/// Tables whose joins are shown.
const JOINED_TABLES: usize = 6;
/// Values that are reported.
const MOST_VALUES: usize = 24;
/// Matches weaker than this are noise.
const WEAKEST_VALUE: f32 = 0.12;
/// Approved queries less similar than this say nothing.
const LEAST_SIMILAR: f32 = 0.6;
/// Approved queries reported.
const MOST_EXAMPLES: usize = 3;
/// What an approved query for the same question adds to its tables.
const MEMORY_WEIGHT: f32 = 4.0;
/// What a table loses that hasn't changed for over a year.
const STALE_WEIGHT: f32 = 0.7;
/// What a table loses that can't be read: it is named where nothing else fits.
const UNREADABLE_WEIGHT: f32 = 20.0;
/// How far below its authority a copy is put at least.
const COPY_MARGIN: f32 = 0.5;
/// Tables whose chunks are looked at.
const CHUNKED_TABLES: usize = 5;
/// Chunks reported.
const MOST_CHUNKS: usize = 12;
/// Below this share of known words nothing is put aside: one word of four is too little. It costs nothing on Spider and
/// BIRD, whose questions are nearly all better known than that.
const SHARE_TO_SET_ASIDE: f32 = 0.26;
/// Below this share of known words, probabilities shrink with it.
const SHARE_TO_BE_SURE: f32 = 0.5;

/// Links questions to the tables of one catalog. Made once, used for many questions.
pub struct Linker<'a> {
    catalog: &'a Catalog,
    index: &'a Index,
    embedder: &'a dyn Embedder,
    graph: JoinGraph,
    units: UnitGraph,
    surroundings: Surroundings,
    /// Position in the catalog of each unit's table; `None` where the catalog no longer has it.
    tables: Vec<Option<usize>>,
    /// Tables that came after the index was built.
    unindexed: Vec<TableId>,
}

/// What was measured for a question, before anything is weighed. `eval` fits the weights on it.
#[derive(Debug)]
pub struct Measurement {
    /// Numbers of the units in scope, as in [`Index::units`].
    pub units: Vec<usize>,
    /// Their features, in the same order.
    pub features: Vec<Features>,
}

impl<'a> Linker<'a> {
    /// A linker over this catalog and its index.
    pub fn new(catalog: &'a Catalog, index: &'a Index, embedder: &'a dyn Embedder) -> Self {
        let graph = JoinGraph::new(catalog);
        let unit_of: Vec<Option<usize>> =
            catalog.entries().iter().map(|entry| index.unit_of(&entry.table.id)).collect();
        let tables: Vec<Option<usize>> = index.units().iter().map(|unit| catalog.position(&unit.table)).collect();
        let late = catalog.entries().iter().zip(&unit_of).filter(|(_, unit)| unit.is_none());
        let unindexed = late.map(|(entry, _)| entry.table.id.clone()).collect();
        let units = UnitGraph::new(&graph, &unit_of, index.units().len());
        let surroundings = surroundings_of(index, &graph, &tables);
        Self { catalog, index, embedder, units, surroundings, tables, unindexed, graph }
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
        let features = features_of(&measured, &self.surroundings, options.signals);
        let first: Vec<f32> = features.iter().map(|row| weighed(row, &weights::OWN)).collect();
        let joined = self.joined(&scope, &first, options);
        let mut judged: Vec<Judged> = scope
            .iter()
            .zip(features)
            .zip(joined)
            .map(|((&unit, features), joined)| Judged {
                unit,
                features,
                joined,
                score: weighed(&joined, &weights::JOINED),
                adjustments: Vec::new(),
            })
            .collect();
        let examples = self.examples(&prepared, options);
        self.remember(&examples, &mut judged);
        self.set_back(&prepared, &mut judged);
        judged.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.unit.cmp(&right.unit)));
        self.answer(&prepared, &measured, judged, examples, options)
    }

    /// What a question measures, before it is weighed.
    pub fn measure(&self, question: &str, options: &LinkOptions) -> Measurement {
        let prepared = self.prepare(question, options);
        let matches = self.matches(question, options);
        let units = self.scope(options);
        let scores = self.index.table_scores(&prepared, CANDIDATES);
        let measured = Measured { question: &prepared, scores: &scores, values: &matches, scope: &units };
        let features = features_of(&measured, &self.surroundings, options.signals);
        Measurement { units, features }
    }

    /// What the second pass measures, given the first pass's scores of these units.
    pub fn joined(&self, units: &[usize], first: &[f32], options: &LinkOptions) -> Vec<Joined> {
        if options.signals.joins.is_on() {
            joined_of(first, units, &self.units, self.index.units().len())
        } else {
            first
                .iter()
                .map(|&score| std::array::from_fn::<_, JOINED, _>(|at| if at == 0 { score } else { 0.0 }))
                .collect()
        }
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

    fn scope(&self, options: &LinkOptions) -> Vec<usize> {
        let units = self.index.units().iter().enumerate();
        units
            .filter(|(_, unit)| options.source.as_ref().is_none_or(|source| source == &unit.table.source))
            .filter(|(number, _)| self.tables[*number].is_some())
            .map(|(number, _)| number)
            .collect()
    }

    fn examples(&self, question: &Question, options: &LinkOptions) -> Vec<(Example, Vec<usize>)> {
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
    fn remember(&self, examples: &[(Example, Vec<usize>)], judged: &mut [Judged]) {
        let mut best: HashMap<usize, &Example> = HashMap::new();
        for (example, units) in examples {
            for &unit in units {
                best.entry(unit).or_insert(example);
            }
        }
        for table in judged {
            if let Some(example) = best.get(&table.unit) {
                let gain = MEMORY_WEIGHT * (example.similarity - LEAST_SIMILAR) / (1.0 - LEAST_SIMILAR);
                table.adjust(
                    EvidenceKind::Memory,
                    gain,
                    format!("an approved query for `{}` uses it", example.question),
                );
            }
        }
    }

    /// Puts tables that can't be read, stale ones and copies behind the tables to use instead, unless the question asks for the copy.
    fn set_back(&self, question: &Question, judged: &mut [Judged]) {
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for table in judged.iter_mut() {
            let Some(position) = self.tables[table.unit] else { continue };
            if self.catalog.entries()[position].is_stale() {
                table.adjust(EvidenceKind::LookAlike, -STALE_WEIGHT, "it hasn't changed for over a year".to_owned());
            }
            if self.catalog.entries()[position].unreadable().is_some() {
                table.adjust(
                    EvidenceKind::Unreadable,
                    -UNREADABLE_WEIGHT,
                    "the database doesn't let us read it".to_owned(),
                );
            }
            scores.insert(position, table.score);
        }
        let copies: Vec<(usize, &catalog::LookAlike)> = judged
            .iter()
            .enumerate()
            .filter_map(|(place, table)| Some((place, self.catalog.look_alike(self.tables[table.unit]?)?)))
            .filter(|(_, copy)| !is_asked_for(question, copy))
            .filter(|(_, copy)| scores.contains_key(&copy.authority))
            .collect();
        let names = |position: usize| self.catalog.entries()[position].table.id.local();
        let mut authorities: HashMap<usize, (f32, usize)> = HashMap::new();
        for &(place, copy) in &copies {
            let (score, position) = (judged[place].score, self.tables[judged[place].unit].unwrap_or(copy.authority));
            let best = authorities.entry(copy.authority).or_insert((score, position));
            if score > best.0 {
                *best = (score, position);
            }
        }
        for table in judged.iter_mut() {
            let Some(position) = self.tables[table.unit] else { continue };
            // What was said of the copy is meant of the table that took its place.
            if let Some(&(score, copy)) = authorities.get(&position)
                && score > table.score
            {
                let text = format!("it is the one to use of those that look like `{}`", names(copy));
                table.adjust(EvidenceKind::LookAlike, score - table.score, text);
                scores.insert(position, table.score);
            }
        }
        for (place, copy) in copies {
            let excess = (judged[place].score - (scores[&copy.authority] - COPY_MARGIN)).max(0.0);
            judged[place].adjust(EvidenceKind::LookAlike, -excess, copy.reason.clone());
        }
    }

    fn answer(
        &self,
        question: &Question,
        measured: &Measured<'_>,
        judged: Vec<Judged>,
        examples: Vec<(Example, Vec<usize>)>,
        options: &LinkOptions,
    ) -> Linked {
        let scores: Vec<f32> = judged.iter().map(|table| table.score).collect();
        let distances = cut_distances(&scores);
        let limit = distance_for(options.recall_target);
        let mut tables = Vec::with_capacity(judged.len());
        for (rank, table) in judged.iter().enumerate() {
            let relevant = is_kept(rank, distances[rank], limit);
            let explain = relevant || rank < EXPLAINED;
            let id = &self.index.units()[table.unit].table;
            let mut ranked = RankedTable {
                id: id.clone(),
                score: probability(distances[rank]),
                relevant,
                reasons: Vec::new(),
                columns: Vec::new(),
                family: Vec::new(),
            };
            if explain {
                ranked.reasons = evidence_of(table, measured, &judged, &self.units, self.index);
                ranked.columns = rank_columns(self.index, question, table.unit, measured.values);
            }
            let members = &self.index.units()[table.unit].members;
            ranked.family = members.iter().filter(|member| *member != id).cloned().collect();
            tables.push(ranked);
        }
        self.append_unindexed(options, &mut tables);
        let values = value_hits(measured.values, &tables);
        let known = share_known(question, measured.values);
        tables.iter_mut().for_each(|table| table.score *= (known / SHARE_TO_BE_SURE).min(1.0));
        let strategy = self.strategy(&mut tables, known, options);
        let relevant: Vec<TableId> =
            tables.iter().filter(|table| table.relevant).take(JOINED_TABLES).map(|table| table.id.clone()).collect();
        let best: Vec<usize> = judged.iter().take(CHUNKED_TABLES).map(|table| table.unit).collect();
        let hits = self.index.search_within(question, &best, MOST_CHUNKS);
        Linked {
            tokens: estimate_tables(self.catalog, tables.iter().filter(|table| table.relevant))
                .min(options.token_budget),
            joins: paths_in(&self.graph, self.catalog, &relevant),
            strategy,
            values,
            examples: examples.into_iter().map(|(example, _)| example).collect(),
            chunks: hits
                .iter()
                .map(|hit| ChunkUse { chunk: hit.chunk.name(), table: hit.chunk.table.clone(), score: hit.score })
                .collect(),
            unmatched_terms: unmatched_terms(question, measured.values),
            tables,
        }
    }

    /// Tables that came after the index was built: nothing is known about them, so nothing speaks against them.
    fn append_unindexed(&self, options: &LinkOptions, tables: &mut Vec<RankedTable>) {
        for id in &self.unindexed {
            if options.source.as_ref().is_none_or(|source| source == &id.source) {
                let text = "it isn't in the index yet: run `periplus index`".to_owned();
                tables.push(RankedTable {
                    id: id.clone(),
                    score: 0.0,
                    relevant: true,
                    reasons: vec![Evidence { kind: EvidenceKind::NotIndexed, text, weight: 0.0 }],
                    columns: Vec::new(),
                    family: Vec::new(),
                });
            }
        }
    }

    fn strategy(&self, tables: &mut [RankedTable], known: f32, options: &LinkOptions) -> Strategy {
        let count = tables.len();
        if count < options.full_schema_below {
            let reason = format!("the scope has {count} tables, fewer than {}", options.full_schema_below);
            return Strategy::Full { reason };
        }
        let size = estimate_full(self.catalog, tables.iter().map(|table| &table.id), options.token_budget);
        if let Some(tokens) = size {
            return Strategy::Full {
                reason: format!("the whole schema takes {tokens} of {} tokens", options.token_budget),
            };
        }
        if known < SHARE_TO_SET_ASIDE {
            // Nothing can be set aside when next to nothing is known about the question.
            tables.iter_mut().for_each(|table| table.relevant = true);
            let how_much = if known == 0.0 { "no word" } else { "hardly a word" };
            return Strategy::Full {
                reason: format!("{how_much} of the question matched; what fits of the schema is given"),
            };
        }
        let kept = tables.iter().filter(|table| table.relevant).count();
        Strategy::Focused { reason: format!("{kept} of {count} tables are worth looking at") }
    }
}

/// Whether the question names what marks the copy: `archive`, `old`. A year asks for an archive of that year, and not for a
/// backup that was made in it.
fn is_asked_for(question: &Question, copy: &catalog::LookAlike) -> bool {
    let counts = |mark: &&String| copy.is_archive || !mark.bytes().all(|byte| byte.is_ascii_digit());
    let named = |mark: &String| question.terms().iter().any(|term| term.word.starts_with(mark.as_str()));
    copy.marks.iter().filter(counts).any(named)
}

pub(crate) fn weighed<const N: usize>(row: &[f32; N], weights: &[f32; N]) -> f32 {
    row.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

fn surroundings_of(index: &Index, graph: &JoinGraph, tables: &[Option<usize>]) -> Surroundings {
    let components = graph.components();
    let mut sources: HashMap<&str, usize> = HashMap::new();
    let mut schemas: HashMap<(&str, Option<String>), usize> = HashMap::new();
    let mut groups: HashMap<(usize, usize), usize> = HashMap::new();
    let mut surroundings = Surroundings::default();
    for (unit, &table) in index.units().iter().zip(tables) {
        let next = sources.len();
        let source = *sources.entry(&unit.table.source).or_insert(next);
        let next = schemas.len();
        let folded = unit.table.schema.as_deref().map(index::fold_name);
        let schema = *schemas.entry((&unit.table.source, folded)).or_insert(next);
        let next = groups.len();
        let component = table.map_or(usize::MAX, |table| components[table]);
        let group = *groups.entry((source, component)).or_insert(next);
        surroundings.source.push(source);
        surroundings.schema.push(schema);
        surroundings.group.push(group);
    }
    surroundings
}

fn value_hits(matches: &[ValueMatch], tables: &[RankedTable]) -> Vec<ValueHit> {
    let relevant = tables.iter().enumerate().filter(|(_, table)| table.relevant);
    let rank: HashMap<&TableId, usize> = relevant.map(|(rank, table)| (&table.id, rank)).collect();
    let mut hits: Vec<(usize, ValueHit)> = matches
        .iter()
        .filter_map(|found| {
            let hit = ValueHit {
                table: found.table.clone(),
                column: found.column.clone(),
                stored: found.stored.clone(),
                asked: found.asked.clone(),
                strength: found.strength,
            };
            Some((*rank.get(&found.table)?, hit))
        })
        .collect();
    hits.sort_by(|(one, left), (other, right)| right.strength.total_cmp(&left.strength).then(one.cmp(other)));
    hits.truncate(MOST_VALUES);
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// The share of the question's words that something in the catalog answers to, 0 to 1.
fn share_known(question: &Question, values: &[ValueMatch]) -> f32 {
    let terms = question.terms().len();
    if terms == 0 { 0.0 } else { 1.0 - unmatched_terms(question, values).len() as f32 / terms as f32 }
}

fn unmatched_terms(question: &Question, values: &[ValueMatch]) -> Vec<String> {
    let in_value = |word: &str| values.iter().any(|found| found.asked.to_lowercase().contains(word));
    let terms = question.terms().iter().filter(|term| term.weight == 0.0 && !in_value(&term.word));
    terms.map(|term| term.word.clone()).collect()
}

#[cfg(test)]
mod tests;
