//! What a question has to do with each table and column, measured signal by signal and not yet weighted.

use std::cmp::Ordering;

use crate::chunk::Chunk;
use crate::family::UnitNumber;
use crate::index::Index;
use crate::lexical::inverse_document_frequency;
use crate::question::{QueryTerm, Question};

mod compared;

use compared::{Similarities, TermMatches};

/// The weight of a word that no table has, as a share of a rare one's.
const UNKNOWN: f32 = 0.5;
/// A column is named when this much of its name is in the question; forms of a word count for less than the word.
const WHOLE: f32 = 0.9;
/// Approved questions that are compared word by word.
const MOST_EXAMPLES: usize = 32;
/// Columns whose similarities make up `columns_similarity`.
const BEST_COLUMNS: usize = 3;

/// The parts of a table that words are looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The table's own name.
    Name,
    /// Names of columns.
    Columns,
    /// Comments and descriptions.
    Text,
    /// Known values.
    Values,
    /// Names of the source and the schema.
    Source,
    /// All of them as one text.
    Everything,
}

impl Field {
    /// All fields, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::Name, Self::Columns, Self::Text, Self::Values, Self::Source, Self::Everything];

    /// How far a word in this field explains a word of the question, 0 to 1.
    fn explains(self) -> f32 {
        match self {
            Self::Name => 1.0,
            Self::Columns => 0.85,
            Self::Text => 0.5,
            Self::Values => 0.5,
            Self::Source => 0.6,
            Self::Everything => 0.0,
        }
    }
}

/// What was measured for one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TableScore {
    /// BM25 of each field, by [`Field`].
    pub lexical: [f32; Field::ALL.len()],
    /// The share of the table name's words that the question has, 0 to 1.
    pub name_share: f32,
    /// Weights of the question's words in the best single column, as far as its name is covered by them.
    pub best_column: f32,
    /// Highest cosine of the table's chunks; 0 without vectors.
    pub similarity: f32,
    /// Highest cosine of its columns; 0 where it wasn't among the candidates.
    pub column_similarity: f32,
    /// Mean of its three highest column cosines.
    pub columns_similarity: f32,
    /// The share of the table name that the question has, words weighted by their rarity among names, 0 to 1.
    pub name_covered: f32,
    /// Weights of the name's words that the question hasn't.
    pub name_left: f32,
    /// The same as `name_covered` by meaning: `client` for `customer`.
    pub name_meaning: f32,
    /// Columns all of whose name the question has.
    pub columns_named: u32,
    /// Like `best_column`, of the second best.
    pub second_column: f32,
    /// Like `best_column`, of columns that are named like keys, without the word that says so: `spec_cd` for `specialty`.
    pub best_key: f32,
    /// The same of the first column alone, which in most tables is the key.
    pub leading_key: f32,
}

/// Scores of all units for one question.
#[derive(Clone, Debug, Default)]
pub struct TableScores {
    /// The scores of each unit.
    tables: Vec<TableScore>,
    /// How far each unit explains each word of the question, 0 to 1: `explained[term * units + unit]`.
    explained: Vec<f32>,
    /// The same by meaning, for the candidates.
    meant: Vec<f32>,
    /// The weight of each word of the question.
    weights: Vec<f32>,
    /// The highest cosine of each phrase of the question with the unit's columns and chunks, for the candidates:
    /// `phrases[phrase * units + unit]`; 0 for other units.
    phrases: Vec<f32>,
}

impl TableScores {
    /// How many units there are.
    pub fn unit_count(&self) -> usize {
        self.tables.len()
    }

    /// What was measured for the unit.
    pub fn table(&self, unit: UnitNumber) -> &TableScore {
        &self.tables[unit.0]
    }

    /// How far the unit explains the question's word with that number, 0 to 1.
    pub fn explained(&self, term: usize, unit: UnitNumber) -> f32 {
        self.explained.get(term * self.tables.len() + unit.0).copied().unwrap_or_default()
    }

    /// The same where a name that is similar in meaning counts too: `clients` is explained by `customer`.
    pub fn meant(&self, term: usize, unit: UnitNumber) -> f32 {
        let by_meaning = self.meant.get(term * self.tables.len() + unit.0).copied().unwrap_or_default();
        by_meaning.max(self.explained(term, unit))
    }

    /// For each phrase of the question, how similar it is to what in each unit is most similar to it; 0 for units that weren't
    /// among the candidates.
    pub fn phrases(&self) -> impl Iterator<Item = impl Fn(UnitNumber) -> f32> {
        self.phrases.chunks(self.tables.len().max(1)).map(|cosines| move |unit: UnitNumber| cosines[unit.0])
    }

    /// How much each word of the question weighs when meaning counts: words that no table has weigh something too.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

/// What was measured for one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnScore<'a> {
    /// As the database has it.
    pub name: &'a str,
    /// Weights of the question's words found in its name and description, over the weights of all of them: 0 to 1.
    pub lexical: f32,
    /// The share of its name's words that the question has.
    pub name_share: f32,
    /// Cosine; 0 without vectors.
    pub similarity: f32,
    /// Numbers of the question's words that it answers to.
    pub matched: Vec<usize>,
}

impl Index {
    /// Measures all units. Similarity of single columns is taken for the `candidates` best units only, so that the work
    /// is bounded however many columns there are.
    pub fn table_scores(&self, question: &Question, candidates: usize) -> TableScores {
        let units = self.units.len();
        let mut scores = TableScores {
            tables: vec![TableScore::default(); units],
            explained: vec![0.0; units * question.terms.len()],
            meant: vec![0.0; if question.word_vectors.is_empty() { 0 } else { units * question.terms.len() }],
            weights: self.word_weights(question),
            phrases: vec![0.0; units * question.phrase_vectors.len()],
        };
        self.score_fields(question, &mut scores);
        let matches = TermMatches::new(question, self.lexicon.len());
        for (unit, score) in scores.tables.iter_mut().enumerate() {
            score.name_share = share(self.names.get(unit), &matches);
            (score.name_covered, score.name_left) = self.name_cover(unit, &matches);
            if let Some(vector) = &question.vector {
                let cosines = self.table_rows.get(unit).iter().map(|&row| self.vectors.cosine(row, vector));
                score.similarity = cosines.fold(f32::MIN, f32::max).max(-1.0);
            }
        }
        let mut similarities = Similarities::new(self, question);
        for unit in candidate_units(&scores.tables, candidates) {
            self.score_columns(unit, question, &matches, &mut scores.tables[unit]);
            self.score_meaning(unit, &mut similarities, &mut scores);
            self.score_phrases(unit, &mut similarities, &mut scores.phrases);
        }
        scores
    }

    /// The highest cosine of each phrase with the unit's table and columns.
    fn score_phrases(&self, unit: usize, similarities: &mut Similarities<'_>, phrases: &mut [f32]) {
        let mut highest = vec![0.0_f32; similarities.phrases.width];
        if highest.is_empty() {
            return;
        }
        for &row in self.table_rows.get(unit).iter().chain(self.columns.rows(unit)) {
            raise(&mut highest, similarities.of_row(self, row));
        }
        for (highest, scores) in highest.into_iter().zip(phrases.chunks_mut(self.units.len())) {
            scores[unit] = highest;
        }
    }

    /// A word that no table has may be the one that matters, or chaff: it gets half of the weight of a rare one.
    fn word_weights(&self, question: &Question) -> Vec<f32> {
        let rare = inverse_document_frequency(self.units.len(), 1);
        let is_word = |term: &QueryTerm| term.word.chars().any(char::is_alphabetic);
        let weight = |term: &QueryTerm| if term.weight == 0.0 && is_word(term) { UNKNOWN * rare } else { term.weight };
        question.terms.iter().map(weight).collect()
    }

    /// The share of the name that the question has, and the weight of what it hasn't.
    fn name_cover(&self, unit: usize, matches: &TermMatches) -> (f32, f32) {
        let (mut covered, mut total) = (0.0, 0.0);
        for &term in self.names.get(unit) {
            let weight = self.name_weight(term);
            total += weight;
            covered += weight * matches.of(term).iter().map(|(_, worth)| *worth).fold(0.0, f32::max);
        }
        if total > 0.0 { (covered / total, total - covered) } else { (0.0, 0.0) }
    }

    fn name_weight(&self, term: u32) -> f32 {
        inverse_document_frequency(self.units.len(), self.fields[Field::Name as usize].document_frequency(term))
    }

    fn score_meaning(&self, unit: usize, similarities: &mut Similarities<'_>, scores: &mut TableScores) {
        let words = similarities.words.width;
        if words == 0 {
            return;
        }
        let units = scores.tables.len();
        let (mut covered, mut total) = (0.0, 0.0);
        // Gathered here first: the words of one unit lie far apart in the result.
        let (mut by_name, mut by_column) = (vec![0.0_f32; words], vec![0.0_f32; words]);
        for &term in self.names.get(unit) {
            let weight = self.name_weight(term);
            let close = similarities.of_term(self, term);
            total += weight;
            covered += weight * close.iter().copied().fold(0.0, f32::max);
            raise(&mut by_name, close);
        }
        scores.tables[unit].name_meaning = if total > 0.0 { covered / total } else { 0.0 };
        for term in self.columns.terms_of(unit) {
            raise(&mut by_column, similarities.of_term(self, term));
        }
        for (word, (name, column)) in by_name.into_iter().zip(by_column).enumerate() {
            scores.meant[word * units + unit] = name.max(column * Field::Columns.explains());
        }
    }

    fn score_fields(&self, question: &Question, scores: &mut TableScores) {
        let units = self.units.len();
        let mut best = vec![0.0_f32; units];
        let mut touched: Vec<u32> = Vec::new();
        for (number, term) in question.terms.iter().enumerate() {
            for (position, field) in Field::ALL.into_iter().enumerate() {
                for &(variant, worth) in &term.variants {
                    for (unit, score) in self.fields[position].matches(variant) {
                        let known = &mut best[unit as usize];
                        if *known == 0.0 {
                            touched.push(unit);
                        }
                        *known = known.max(score * worth);
                        let explained = &mut scores.explained[number * units + unit as usize];
                        *explained = explained.max(worth * field.explains());
                    }
                }
                for unit in touched.drain(..) {
                    scores.tables[unit as usize].lexical[position] += term.weight * best[unit as usize];
                    best[unit as usize] = 0.0;
                }
            }
        }
    }

    fn score_columns(&self, unit: usize, question: &Question, matches: &TermMatches, score: &mut TableScore) {
        let mut highest = [f32::MIN; BEST_COLUMNS];
        for (position, column) in self.columns.of(unit).enumerate() {
            let matched = matched_words(column.terms, matches);
            if !matched.is_empty() {
                let weight: f32 = matched.iter().map(|&(word, worth)| question.terms[word].weight * worth).sum();
                if column.key_from < column.terms.len() as u32 {
                    let stem = weight * share(&column.terms[..column.key_from as usize], matches);
                    score.best_key = score.best_key.max(stem);
                    if position == 0 {
                        score.leading_key = stem;
                    }
                }
                let covered = share(column.terms, matches);
                let words = weight * covered;
                score.columns_named += u32::from(covered > WHOLE);
                score.second_column = score.second_column.max(words.min(score.best_column));
                score.best_column = score.best_column.max(words);
            }
            if let Some(vector) = &question.vector {
                let mut cosine = self.vectors.cosine(column.row, vector);
                for known in &mut highest {
                    if cosine > *known {
                        std::mem::swap(known, &mut cosine);
                    }
                }
            }
        }
        let known: Vec<f32> = highest.into_iter().filter(|&cosine| cosine > f32::MIN).collect();
        if let Some(&first) = known.first() {
            score.column_similarity = first;
            score.columns_similarity = known.iter().sum::<f32>() / known.len() as f32;
        }
    }

    /// The share of the question's weight that is in the name of a unit's column with that position, as far as it covers
    /// the name, 0 to 1. Of a column that is named like a key only what it identifies counts.
    pub fn asked_columns(&self, question: &Question) -> impl Fn(UnitNumber, usize) -> f32 {
        let matches = TermMatches::new(question, self.lexicon.len());
        let weights: Vec<f32> = question.terms.iter().map(|term| term.weight).collect();
        let total: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        move |UnitNumber(unit), position| {
            let Some(column) = self.columns.of(unit).nth(position) else { return 0.0 };
            let name = &column.terms[..column.key_from as usize];
            let words = matched_words(name, &matches);
            let weight: f32 = words.iter().map(|&(word, worth)| weights[word] * worth).sum();
            weight * share(name, &matches) / total
        }
    }

    /// Measures the columns of one unit, in the table's order.
    pub fn column_scores(&self, question: &Question, UnitNumber(unit): UnitNumber) -> Vec<ColumnScore<'_>> {
        let matches = TermMatches::new(question, self.lexicon.len());
        let total: f32 = question.terms.iter().map(|term| term.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        self.columns
            .of(unit)
            .zip(0..)
            .map(|(column, number)| {
                let mut words = matched_words(column.terms, &matches);
                for (word, worth) in matched_words(column.text, &matches) {
                    add_match(&mut words, word, worth * Field::Text.explains());
                }
                words.sort_unstable_by_key(|(word, _)| *word);
                let weight: f32 = words.iter().map(|&(word, worth)| question.terms[word].weight * worth).sum();
                ColumnScore {
                    name: self.columns.name(unit, number),
                    lexical: weight / total,
                    name_share: share(column.terms, &matches),
                    similarity: question.vector.as_ref().map_or(0.0, |vector| self.vectors.cosine(column.row, vector)),
                    matched: words.into_iter().map(|(word, _)| word).collect(),
                }
            })
            .collect()
    }

    /// The words of the question that a field of the unit has, rarest first: (as it was asked, as the field has it).
    pub fn matched_words(&self, question: &Question, unit: UnitNumber, field: Field) -> Vec<(String, String)> {
        let postings = &self.fields[field as usize];
        let mut words: Vec<(&QueryTerm, u32)> = question
            .terms
            .iter()
            .filter_map(|term| {
                let had = term.variants.iter().filter(|(number, _)| postings.has(*number, unit.0 as u32));
                // The nearest form, and of equally near ones the first.
                let best = had.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
                Some((term, best.0))
            })
            .collect();
        words.sort_by(|left, right| right.0.weight.total_cmp(&left.0.weight));
        words.into_iter().map(|(term, number)| (term.word.clone(), self.lexicon.term(number).to_owned())).collect()
    }

    /// Approved questions that were asked in similar words, most similar first: (chunk, similarity from 0 to 1). Of many those
    /// whose vectors are nearest.
    pub fn similar_examples(&self, question: &Question) -> Vec<(Chunk, f32)> {
        let total: f32 = question.terms.iter().map(|term| term.weight).sum();
        let mut similar = Vec::new();
        for (number, cosine) in self.examples_by_vector(question, MOST_EXAMPLES) {
            let Some(chunk) = self.chunks.get(number) else { continue };
            let asked = crate::question::query_terms(
                chunk.text.lines().next().unwrap_or_default(),
                &self.lexicon,
                self.foreign_names(),
            );
            let common: f32 = question
                .terms
                .iter()
                .filter(|term| asked.iter().any(|other| other.word == term.word))
                .map(|term| term.weight)
                .sum();
            let words = if total > 0.0 { common / total } else { 0.0 };
            let similarity = cosine.map_or(words, |cosine| 0.5 * words + 0.5 * cosine.clamp(0.0, 1.0));
            similar.push((chunk, similarity));
        }
        similar.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.text.cmp(&right.0.text)));
        similar
    }

    /// How many approved questions the index holds.
    pub fn example_count(&self) -> usize {
        self.chunks.examples().len()
    }

    /// The chunks of so many approved questions at most, the nearest by their vectors first, with the cosine; in the order of
    /// the index without one.
    fn examples_by_vector(&self, question: &Question, most: usize) -> Vec<(u32, Option<f32>)> {
        let with_rows =
            self.chunks.examples().filter_map(|number| Some((number, *self.chunk_rows.get(number as usize)?)));
        let Some(vector) = &question.vector else { return with_rows.map(|(number, _)| (number, None)).collect() };
        let mut found: Vec<(u32, Option<f32>)> =
            with_rows.map(|(number, row)| (number, Some(self.vectors.cosine(row, vector)))).collect();
        let nearest_first = |left: &(u32, Option<f32>), right: &(u32, Option<f32>)| {
            right.1.partial_cmp(&left.1).unwrap_or(Ordering::Equal).then(left.0.cmp(&right.0))
        };
        if found.len() > most {
            found.select_nth_unstable_by(most, nearest_first);
            found.truncate(most);
        }
        found.sort_by(nearest_first);
        found
    }
}

/// The words of the question that these terms match, each with the worth of its best match.
fn matched_words(terms: &[u32], matches: &TermMatches) -> Vec<(usize, f32)> {
    let mut matched: Vec<(usize, f32)> = Vec::new();
    for &(word, worth) in terms.iter().flat_map(|&term| matches.of(term)) {
        add_match(&mut matched, word, worth);
    }
    matched
}

fn add_match(matched: &mut Vec<(usize, f32)>, word: usize, worth: f32) {
    match matched.iter_mut().find(|(known, _)| *known == word) {
        Some((_, known)) => *known = known.max(worth),
        None => matched.push((word, worth)),
    }
}

/// Makes each number the greater of the two.
fn raise(known: &mut [f32], others: &[f32]) {
    known.iter_mut().zip(others).for_each(|(known, &other)| *known = known.max(other));
}

/// The share of these terms that the question has.
fn share(terms: &[u32], matches: &TermMatches) -> f32 {
    let best = |&term: &u32| matches.of(term).iter().map(|(_, worth)| *worth).fold(0.0, f32::max);
    if terms.is_empty() { 0.0 } else { terms.iter().map(best).sum::<f32>() / terms.len() as f32 }
}

/// The units that lead by words or by similarity.
fn candidate_units(tables: &[TableScore], limit: usize) -> Vec<usize> {
    if tables.len() <= limit {
        return (0..tables.len()).collect();
    }
    let leaders = |measure: &dyn Fn(&TableScore) -> f32| {
        let mut order: Vec<usize> = (0..tables.len()).collect();
        let compare = |left: &usize, right: &usize| {
            measure(&tables[*right]).total_cmp(&measure(&tables[*left])).then(left.cmp(right))
        };
        order.select_nth_unstable_by(limit / 2, compare);
        order.truncate(limit / 2);
        order
    };
    let mut units = leaders(&|score| score.lexical[Field::Everything as usize]);
    units.extend(leaders(&|score| score.similarity));
    units.sort_unstable();
    units.dedup();
    units
}
