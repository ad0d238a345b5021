//! What linking knows about each table before it is weighed: a short list of numbers, the same for every catalog.
//!
//! Scales are chosen so that one set of weights serves small and large catalogs and any embedder: word scores are in
//! units of the rarest word's weight, similarities in standard deviations over the scope. Beside what a table shows
//! itself stand what its surroundings show: tables of a question come from one source, one schema, one connected group.

use index::{Field, Question, TableScores, ValueMatch};

use crate::numbers::numbers_of;
use crate::options::Signals;
use crate::overview::{Overview, reciprocal_ranks};
use crate::surroundings::Surroundings;
use crate::weights;

/// How many numbers describe a table.
pub const FEATURES: usize = 77;
/// The first of them make up the first look, which is a weighted sum.
pub(crate) const FIRST_LOOK: usize = 26;
/// Where the first look itself stands among them, measured from the best.
pub const FIRST_LOOK_AT: usize = 59;

/// Names of the numbers, in order.
pub const FEATURE_NAMES: [&str; FEATURES] = [
    "name words",
    "column words",
    "description words",
    "value words",
    "all words",
    "share of the name",
    "best column's words",
    "table similarity",
    "best column's similarity",
    "three best columns' similarity",
    "values",
    "words explained",
    "source: words explained",
    "source: best similarity",
    "source: three best similarities",
    "source: values",
    "schema: words explained",
    "schema: best similarity",
    "group: words explained",
    "group: best similarity",
    "group: values",
    "words explained, of the best in its source",
    "similarity, below the best in its source",
    "name words, of the best in its source",
    "words explained that nothing else in its source explains",
    "size of the source",
    "share of the name, by rarity",
    "words of the name left over",
    "share of the name, by meaning",
    "columns named",
    "second column's words",
    "share of the question explained",
    "share of the question explained by meaning",
    "explained by meaning, of the best",
    "words explained, of the best",
    "rank by words",
    "rank by similarity",
    "rank by the best column's similarity",
    "rank by meaning",
    "similarity, as it is",
    "best column's similarity, as it is",
    "strongest value",
    "values asked for that it has",
    "rarest value",
    "module: words explained",
    "module: best similarity",
    "module: size",
    "columns",
    "size of the scope",
    "words of the question",
    "values of the question",
    "keys to other tables",
    "relations to other tables",
    "members of the family",
    "is a view",
    "is a copy",
    "rows",
    "rows, against the others of its source",
    "has a comment",
    "first look, below the best",
    "rank of the first look",
    "size of the schema",
    "words of the name",
    "explained by meaning that nothing else explains",
    "best key's words",
    "first column's words, if it is a key",
    "share of the words' credit",
    "share of the words' credit, steeper",
    "greatest credit for one word",
    "words that it is best at",
    "share of the phrases' credit",
    "share of the phrases' credit, steeper",
    "greatest credit for one phrase",
    "phrases that it is best at",
    "most similar phrase",
    "numbers of its name that are asked about",
    "numbers of its name that are not",
];

/// The numbers of one table.
pub type Features = [f32; FEATURES];

/// Similarities vary at least this much, or else small scopes would be all extremes.
const SMALLEST_DEVIATION: f32 = 0.05;

/// Everything measured for one question, by unit.
pub(crate) struct Measured<'m> {
    pub(crate) question: &'m Question,
    pub(crate) scores: &'m TableScores,
    pub(crate) values: &'m [ValueMatch],
    /// Units that take part.
    pub(crate) scope: &'m [usize],
}

/// What a set of tables explains together.
#[derive(Clone, Default)]
struct Joint {
    /// For each word of the question, the best and the second best table's share.
    explained: Vec<(f32, f32)>,
    similarities: [f32; 3],
    values: f32,
    best_words: f32,
    best_name: f32,
    size: usize,
    /// Weights of the words that they explain together, each as far as the best of them does.
    words: f32,
}

/// The features of every unit in scope, in the order of the scope.
pub(crate) fn features_of(measured: &Measured<'_>, surroundings: &Surroundings, signals: Signals) -> Vec<Features> {
    let words = word_scale(measured);
    let table_similarity = standardized(measured, |score| score.similarity);
    let column_similarity = standardized(measured, |score| score.column_similarity);
    let columns_similarity = standardized(measured, |score| score.columns_similarity);
    let values = value_strengths(measured);
    let explained: Vec<f32> = measured.scope.iter().map(|&unit| explained_words(measured, unit) * words).collect();
    let facts: Vec<OwnFacts> = (0..measured.scope.len())
        .map(|place| OwnFacts {
            similarity: table_similarity[place].max(column_similarity[place] - 0.5),
            words: explained[place],
            name: measured.scores.tables[measured.scope[place]].lexical[Field::Name as usize] * words,
            values: values[place],
        })
        .collect();
    let sources = joints(measured, &surroundings.source, &facts);
    let schemas = joints(measured, &surroundings.schema, &facts);
    let groups = joints(measured, &surroundings.group, &facts);
    let modules = joints(measured, &surroundings.module, &facts);
    let all = Overview::new(measured, &facts);
    let asked = numbers_of(measured.question.text());
    let mut features = Vec::with_capacity(measured.scope.len());
    for (place, &unit) in measured.scope.iter().enumerate() {
        let score = &measured.scores.tables[unit];
        let own = &facts[place];
        let source = &sources[surroundings.source[unit]];
        let schema = &schemas[surroundings.schema[unit]];
        let group = &groups[surroundings.group[unit]];
        let lexical = |field: Field| score.lexical[field as usize] * words;
        let alone = only_here(measured, unit, source) * words;
        let module = &modules[surroundings.module[unit]];
        let standing = &surroundings.standing[unit];
        let value = &all.values[place];
        let (asked_numbers, other_numbers) = surroundings.numbers[unit].counts(&asked);
        let mut row: Features = [
            lexical(Field::Name),
            lexical(Field::Columns),
            lexical(Field::Text),
            lexical(Field::Values),
            lexical(Field::Everything),
            score.name_share,
            score.best_column * words,
            table_similarity[place],
            column_similarity[place],
            columns_similarity[place],
            own.values,
            own.words,
            source.words * words,
            source.similarities[0],
            mean(&source.similarities, source.size),
            source.values,
            schema.words * words,
            schema.similarities[0],
            group.words * words,
            group.similarities[0],
            group.values,
            ratio(own.words, source.best_words),
            own.similarity - source.similarities[0],
            ratio(own.name, source.best_name),
            alone,
            (source.size as f32).ln(),
            score.name_covered,
            score.name_left * words,
            score.name_meaning,
            (score.columns_named as f32).ln_1p(),
            score.second_column * words,
            ratio(own.words, all.known_words * words),
            ratio(all.meant[place], all.all_words),
            ratio(all.meant[place], all.most_meant),
            ratio(own.words, all.most_words),
            all.by_words[place],
            all.by_similarity[place],
            all.by_column[place],
            all.by_meaning[place],
            score.similarity,
            score.column_similarity,
            value.strongest,
            value.count,
            value.rarest,
            module.words * words,
            module.similarities[0],
            surroundings.module_size[unit],
            standing.columns,
            (measured.scope.len() as f32).ln(),
            (measured.question.terms().len() as f32).ln_1p(),
            all.value_count,
            standing.keys,
            standing.relations,
            standing.members,
            standing.is_view,
            standing.is_copy,
            standing.rows,
            standing.rows_beside,
            standing.has_comment,
            0.0,
            0.0,
            surroundings.schema_size[unit],
            standing.name_words,
            all.meant_alone[place] * words,
            score.best_key * words,
            score.leading_key * words,
            all.credits[place].even,
            all.credits[place].steep,
            all.credits[place].greatest,
            all.credits[place].best_at,
            all.phrases[place].even,
            all.phrases[place].steep,
            all.phrases[place].greatest,
            all.phrases[place].best_at,
            all.phrases[place].highest,
            asked_numbers as f32,
            other_numbers as f32,
        ];
        silence(&mut row, signals);
        features.push(row);
    }
    take_first_look(&mut features);
    features
}

/// The first look: a weighted sum of what was measured first.
pub(crate) fn first_look(row: &Features) -> f32 {
    row.iter().zip(&weights::FIRST_LOOK).map(|(value, weight)| value * weight).sum()
}

fn take_first_look(features: &mut [Features]) {
    let looks: Vec<f32> = features.iter().map(first_look).collect();
    let best = looks.iter().copied().fold(f32::MIN, f32::max);
    let ranks = reciprocal_ranks(&looks);
    for ((row, look), rank) in features.iter_mut().zip(looks).zip(ranks) {
        row[FIRST_LOOK_AT] = look - best;
        row[FIRST_LOOK_AT + 1] = rank;
    }
}

/// Sets what a switched-off signal measured to zero.
fn silence(row: &mut Features, signals: Signals) {
    const LEXICAL: &[usize] = &[
        0, 1, 2, 3, 4, 5, 6, 11, 12, 16, 18, 21, 23, 24, 26, 27, 29, 30, 31, 32, 33, 34, 35, 38, 44, 63, 64, 65, 66,
        67, 68, 69, 75, 76,
    ];
    const DENSE: &[usize] = &[7, 8, 9, 13, 14, 17, 19, 22, 28, 36, 37, 39, 40, 45, 70, 71, 72, 73, 74];
    const VALUES: &[usize] = &[3, 10, 15, 20, 41, 42, 43, 50];
    const JOINT: &[usize] = &[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 44, 45, 46, 51, 52];
    const TEXTS: &[usize] = &[2, 58];
    let switches = [
        (signals.lexical, LEXICAL),
        (signals.dense, DENSE),
        (signals.values, VALUES),
        (signals.joins, JOINT),
        (signals.texts, TEXTS),
    ];
    for (signal, numbers) in switches {
        if !signal.is_on() {
            numbers.iter().for_each(|&number| row[number] = 0.0);
        }
    }
}

/// What one table shows of itself.
pub(crate) struct OwnFacts {
    pub(crate) similarity: f32,
    pub(crate) words: f32,
    pub(crate) name: f32,
    pub(crate) values: f32,
}

/// One over the weight of a word that a single table has.
fn word_scale(measured: &Measured<'_>) -> f32 {
    let units = measured.scores.tables.len() as f32;
    1.0 / (1.0 + (units + 0.5) / 1.5).ln()
}

fn standardized(measured: &Measured<'_>, value: impl Fn(&index::TableScore) -> f32) -> Vec<f32> {
    let values: Vec<f32> = measured.scope.iter().map(|&unit| value(&measured.scores.tables[unit])).collect();
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt();
    values.iter().map(|value| (value - mean) / deviation.max(SMALLEST_DEVIATION)).collect()
}

/// For each unit in scope, the sum over the values asked for of its surest match.
fn value_strengths(measured: &Measured<'_>) -> Vec<f32> {
    let mut best: std::collections::BTreeMap<(usize, &str), f32> = std::collections::BTreeMap::new();
    for found in measured.values {
        let known = best.entry((found.unit, found.asked.as_str())).or_default();
        *known = known.max(found.strength);
    }
    let mut by_unit: std::collections::HashMap<usize, f32> = std::collections::HashMap::new();
    for ((unit, _), strength) in best {
        *by_unit.entry(unit).or_default() += strength;
    }
    measured.scope.iter().map(|unit| by_unit.get(unit).copied().unwrap_or_default()).collect()
}

fn explained_words(measured: &Measured<'_>, unit: usize) -> f32 {
    let terms = measured.question.terms().iter().enumerate();
    terms.map(|(number, term)| term.weight * measured.scores.explained(number, unit)).sum()
}

fn joints(measured: &Measured<'_>, membership: &[usize], facts: &[OwnFacts]) -> Vec<Joint> {
    let terms = measured.question.terms().len();
    let count = membership.iter().max().map_or(0, |last| last + 1);
    let mut joints = vec![Joint { similarities: [f32::MIN; 3], ..Joint::default() }; count];
    for (&unit, own) in measured.scope.iter().zip(facts) {
        let joint = &mut joints[membership[unit]];
        joint.explained.resize(terms, (0.0, 0.0));
        joint.size += 1;
        joint.values = joint.values.max(own.values);
        joint.best_words = joint.best_words.max(own.words);
        joint.best_name = joint.best_name.max(own.name);
        let mut similarity = own.similarity;
        for known in &mut joint.similarities {
            if similarity > *known {
                std::mem::swap(known, &mut similarity);
            }
        }
        for (term, best) in joint.explained.iter_mut().enumerate() {
            let share = measured.scores.explained(term, unit);
            *best = if share > best.0 { (share, best.0) } else { (best.0, best.1.max(share)) };
        }
    }
    for joint in &mut joints {
        let explained = measured.question.terms().iter().zip(&joint.explained);
        joint.words = explained.map(|(term, (best, _))| term.weight * best).sum();
    }
    joints
}

/// Words that this table explains better than every other of its source.
fn only_here(measured: &Measured<'_>, unit: usize, source: &Joint) -> f32 {
    let terms = measured.question.terms().iter().enumerate().zip(&source.explained);
    terms
        .map(|((number, term), &(best, second))| {
            let share = measured.scores.explained(number, unit);
            if share >= best { term.weight * (share - second).max(0.0) } else { 0.0 }
        })
        .sum()
}

fn mean(highest: &[f32; 3], size: usize) -> f32 {
    let count = size.clamp(1, 3);
    highest[..count].iter().sum::<f32>() / count as f32
}

fn ratio(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
