//! The index itself: what was built, and the questions it answers.

use std::collections::HashMap;
use std::sync::OnceLock;

use catalog::{Catalog, TableId};
use llm::{Embedder, QuantizedQuery};

use crate::arrays::{Array, Lists};
use crate::chunk::{Chunk, Chunks, Hit};
use crate::columns::Columns;
use crate::error::IndexError;
use crate::family::{Unit, UnitNumber};
use crate::foreign::ForeignNames;
use crate::lexical::{Lexicon, Postings, inverse_document_frequency};
use crate::question::{QueryTerm, Question, phrases, query_terms, speaks_language, translated_terms};
use crate::scores::Field;
use crate::values::{FoundValue, ValueIndex, ValueMatch};
use crate::vectors::Vectors;

/// Reciprocal rank fusion after Cormack, Clarke and Büttcher (2009): 1 / (60 + rank).
const FUSION_OFFSET: f32 = 60.0;

/// Stands in for a vector row where there is none.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// An index over one catalog.
#[derive(Debug)]
pub struct Index {
    pub(crate) revision: u64,
    /// [`Catalog::origin`] of the catalog it was built from.
    pub(crate) origin: String,
    /// [`Catalog::mask_rules`] of that catalog.
    pub(crate) rules: String,
    pub(crate) embedder: String,
    pub(crate) units: Vec<Unit>,
    pub(crate) chunks: Chunks,
    pub(crate) lexicon: Lexicon,
    /// Tables, one for each of [`Field::ALL`].
    pub(crate) fields: Vec<Postings>,
    pub(crate) chunk_postings: Postings,
    pub(crate) columns: Columns,
    pub(crate) names: Lists<u32>,
    pub(crate) values: ValueIndex,
    pub(crate) vectors: Vectors,
    /// Vector rows of each unit's table chunks.
    pub(crate) table_rows: Lists<u32>,
    /// Vector rows of the terms of tables' and columns' names, by term; [`NO_ROW`] for other terms.
    pub(crate) term_rows: Array<u32>,
    pub(crate) chunk_rows: Array<u32>,
    pub(crate) positions: HashMap<TableId, usize>,
    /// Made when the first question comes.
    pub(crate) foreign: OnceLock<ForeignNames>,
}

impl Index {
    /// Builds the index of a catalog.
    pub fn build(catalog: &Catalog, embedder: &dyn Embedder) -> Result<Self, IndexError> {
        crate::build::build(catalog, embedder, None)
    }

    /// Builds the index and takes over from an earlier one what hasn't changed since. The result doesn't depend on `previous`.
    pub fn rebuild(catalog: &Catalog, embedder: &dyn Embedder, previous: &Self) -> Result<Self, IndexError> {
        crate::build::build(catalog, embedder, Some(previous))
    }

    /// Whether it was built from this state of this catalog with this embedder.
    pub fn is_current(&self, catalog: &Catalog, embedder: &dyn Embedder) -> bool {
        self.revision == catalog.revision() && self.is_of(catalog) && self.embedder == embedder.name()
    }

    /// Whether it was built from some state of this catalog, read by the same rules: those decide without any revision which
    /// values may be shown.
    pub(crate) fn is_of(&self, catalog: &Catalog) -> bool {
        self.origin == catalog.origin() && self.rules == catalog.mask_rules()
    }

    /// [`Embedder::name`] of the embedder it was built with.
    pub fn embedder(&self) -> &str {
        &self.embedder
    }

    /// What is indexed: tables, and families of date-sharded tables as one.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The units with their numbers.
    pub fn numbered_units(&self) -> impl Iterator<Item = (UnitNumber, &Unit)> {
        self.units.iter().enumerate().map(|(number, unit)| (UnitNumber(number), unit))
    }

    /// The unit of that number, which is one of this index.
    pub fn unit(&self, number: UnitNumber) -> &Unit {
        &self.units[number.0]
    }

    /// The unit that the table belongs to.
    pub fn unit_of(&self, table: &TableId) -> Option<UnitNumber> {
        self.positions.get(table).copied().map(UnitNumber)
    }

    /// How many chunks there are.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// All chunks, each read as it is asked for.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk> {
        (0..self.chunks.len() as u32).filter_map(|number| self.chunks.get(number))
    }

    /// Prepares a text for the other methods. Without an embedder, or if it fails, similarity plays no part.
    pub fn question(&self, text: &str, embedder: Option<&dyn Embedder>) -> Question {
        let foreign = words::in_english(text);
        let language = foreign.as_ref().map(|foreign| foreign.language);
        // Names that are in the question's language themselves are found without a translation.
        let in_english = foreign.filter(|foreign| !speaks_language(foreign, &self.lexicon, self.foreign_names()));
        let mut terms = match &in_english {
            Some(in_english) => translated_terms(in_english, &self.lexicon, self.foreign_names()),
            None => query_terms(text, &self.lexicon, self.foreign_names()),
        };
        terms.retain(|term| !language.is_some_and(|language| language.is_stop_word(&term.word)));
        let document = &self.fields[Field::Everything as usize];
        for term in &mut terms {
            // The surest form decides how rare the word is; of equally sure ones, the commonest.
            let best = term.variants.iter().map(|(_, worth)| *worth).fold(0.0, f32::max);
            let surest = term.variants.iter().filter(|(_, worth)| *worth >= best);
            let frequency = surest.map(|&(number, _)| document.document_frequency(number)).max();
            term.weight = frequency.map_or(0.0, |frequency| inverse_document_frequency(self.units.len(), frequency));
        }
        // What is compared by its meaning is compared in English, as names are.
        let asked = in_english.as_ref().map_or(text, |in_english| in_english.text.as_str());
        let phrases = phrases(asked);
        let word = |term: &QueryTerm| {
            let english = in_english.as_ref().map_or(&[][..], |in_english| in_english.language.in_english(&term.word));
            english.first().map_or_else(|| term.word.clone(), |english| (*english).to_owned())
        };
        let words: Vec<String> = terms.iter().map(word).collect();
        let texts: Vec<&str> = std::iter::once(asked).chain(words.iter().chain(&phrases).map(String::as_str)).collect();
        let mut vectors = embedder
            .filter(|embedder| embedder.name() == self.embedder)
            .filter(|embedder| embedder.dimensions() == self.vectors.dimensions())
            .and_then(|embedder| embedder.embed(&texts).ok())
            .filter(|vectors| vectors.len() == texts.len())
            .unwrap_or_default()
            .into_iter()
            .map(|vector| QuantizedQuery::new(&vector));
        let vector = vectors.next();
        let word_vectors = vectors.by_ref().take(terms.len()).collect();
        Question { text: text.to_owned(), language, vector, word_vectors, phrase_vectors: vectors.collect(), terms }
    }

    /// Names and comments in another language than English.
    pub(crate) fn foreign_names(&self) -> &ForeignNames {
        let names = || self.names.values().iter().chain(self.columns.terms()).copied();
        let texts = &self.fields[Field::Text as usize];
        let comments = || (0..self.lexicon.len() as u32).filter(|&term| texts.document_frequency(term) > 0);
        self.foreign.get_or_init(|| ForeignNames::of(&self.lexicon, names(), comments()))
    }

    /// The best chunks for a text, best first, at most `limit`: lexical and dense rankings fused by reciprocal ranks.
    pub fn search(&self, text: &str, limit: usize, embedder: &dyn Embedder) -> Vec<Hit> {
        self.search_prepared(&self.question(text, Some(embedder)), limit)
    }

    /// The best chunks for a text that has been prepared.
    pub fn search_prepared(&self, question: &Question, limit: usize) -> Vec<Hit> {
        let depth = (limit * 5).max(100);
        let lexical = best(self.chunk_scores(question), depth);
        let dense = match &question.vector {
            Some(vector) => {
                let cosines = self.chunk_rows.iter().map(|&row| self.vectors.cosine(row, vector)).collect();
                best(cosines, depth)
            }
            None => Vec::new(),
        };
        let named = |ranking: Vec<(usize, f32)>| ranking.into_iter().map(|(chunk, _)| chunk).collect::<Vec<_>>();
        self.fuse(&named(lexical), &named(dense), limit)
    }

    /// Fuses two rankings of chunks.
    fn fuse(&self, lexical: &[usize], dense: &[usize], limit: usize) -> Vec<Hit> {
        #[derive(Default)]
        struct Fused {
            score: f32,
            lexical_rank: Option<usize>,
            dense_rank: Option<usize>,
        }
        let mut found: HashMap<usize, Fused> = HashMap::new();
        for (ranking, is_lexical) in [(lexical, true), (dense, false)] {
            for (rank, &chunk) in (1..).zip(ranking) {
                let fused = found.entry(chunk).or_default();
                fused.score += 1.0 / (FUSION_OFFSET + rank as f32);
                *(if is_lexical { &mut fused.lexical_rank } else { &mut fused.dense_rank }) = Some(rank);
            }
        }
        let mut ordered: Vec<(usize, Fused)> = found.into_iter().collect();
        ordered.sort_by(|(one, left), (other, right)| right.score.total_cmp(&left.score).then(one.cmp(other)));
        let hit = |(chunk, fused): (usize, Fused)| {
            let Fused { score, lexical_rank, dense_rank } = fused;
            Some(Hit { chunk: self.chunks.get(chunk as u32)?, score, lexical_rank, dense_rank })
        };
        ordered.into_iter().take(limit).filter_map(hit).collect()
    }

    /// The best chunks of these units, best first, at most `limit`. The work grows with the units, not with the index.
    pub fn search_within(&self, question: &Question, units: &[UnitNumber], limit: usize) -> Vec<Hit> {
        let mut chunks: Vec<u32> = units.iter().flat_map(|unit| self.chunks.of(unit.0)).copied().collect();
        chunks.sort_unstable();
        let mut words = vec![0.0_f32; chunks.len()];
        let mut of_term = vec![0.0_f32; chunks.len()];
        for term in &question.terms {
            of_term.fill(0.0);
            for &(number, worth) in &term.variants {
                let raise = |place: usize, score: f32| of_term[place] = of_term[place].max(score * worth);
                self.chunk_postings.matches_within(number, &chunks, raise);
            }
            words.iter_mut().zip(&of_term).for_each(|(words, score)| *words += term.weight * score);
        }
        let lexical = best(words, chunks.len());
        let dense = question.vector.as_ref().map_or_else(Vec::new, |vector| {
            best(
                chunks.iter().map(|&chunk| self.vectors.cosine(self.chunk_rows[chunk as usize], vector)).collect(),
                chunks.len(),
            )
        });
        let named = |ranking: Vec<(usize, f32)>| {
            ranking.into_iter().map(|(place, _)| chunks[place] as usize).collect::<Vec<_>>()
        };
        self.fuse(&named(lexical), &named(dense), limit)
    }

    fn chunk_scores(&self, question: &Question) -> Vec<f32> {
        let mut scores = vec![0.0_f32; self.chunks.len()];
        let mut term_scores: HashMap<u32, f32> = HashMap::new();
        for term in &question.terms {
            term_scores.clear();
            for &(number, worth) in &term.variants {
                for (chunk, score) in self.chunk_postings.matches(number) {
                    let known = term_scores.entry(chunk).or_default();
                    *known = known.max(score * worth);
                }
            }
            term_scores.iter().for_each(|(&chunk, &score)| scores[chunk as usize] += term.weight * score);
        }
        scores
    }

    /// Values that the question names, surest first.
    pub fn value_matches(&self, text: &str) -> Vec<ValueMatch> {
        let names = &self.fields[Field::Name as usize];
        let columns = &self.fields[Field::Columns as usize];
        let is_schema_word = |word: &str| {
            self.lexicon
                .number(word)
                .is_some_and(|number| names.document_frequency(number) + columns.document_frequency(number) > 0)
        };
        let named = |found: &FoundValue<'_>, asked: &str| {
            let unit = found.place.unit as usize;
            ValueMatch {
                table: self.units[unit].table.clone(),
                unit: UnitNumber(unit),
                column: self.columns.name(unit, found.place.column as usize).to_owned(),
                stored: found.stored.to_owned(),
                asked: asked.to_owned(),
                kind: found.kind,
                strength: found.strength,
            }
        };
        let in_english = words::in_english(text);
        let language = in_english.as_ref().map(|in_english| in_english.language);
        let found = self.values.find(text, language, &is_schema_word);
        let mut matches: Vec<ValueMatch> = found.iter().map(|found| named(found, found.asked)).collect();
        // States, countries and the like are stored in English more often than not.
        for word in in_english.iter().flat_map(|in_english| &in_english.words) {
            let english = word.english.join(" ");
            for found in self.values.find(&english, None, &is_schema_word) {
                let also = named(&found, &word.asked);
                let is_known = |known: &ValueMatch| {
                    (known.unit, &known.column, &known.stored) == (also.unit, &also.column, &also.stored)
                };
                if !matches.iter().any(is_known) {
                    matches.push(also);
                }
            }
        }
        matches.sort_by(|left, right| {
            let names = |found: &ValueMatch| (found.unit, found.column.clone(), found.stored.clone());
            right.strength.total_cmp(&left.strength).then_with(|| names(left).cmp(&names(right)))
        });
        matches
    }
}

/// Units by each of their members.
pub(crate) fn positions_of(units: &[Unit]) -> HashMap<TableId, usize> {
    let each = units.iter().enumerate();
    each.flat_map(|(position, unit)| unit.members.iter().map(move |member| (member.clone(), position))).collect()
}

/// Positions of the highest scores above zero, best first.
fn best(scores: Vec<f32>, limit: usize) -> Vec<(usize, f32)> {
    let mut positive: Vec<(usize, f32)> = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    let order = |left: &(usize, f32), right: &(usize, f32)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    if positive.len() > limit {
        positive.select_nth_unstable_by(limit, order);
        positive.truncate(limit);
    }
    positive.sort_by(order);
    positive
}
