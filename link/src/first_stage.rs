//! What the first stage knows of each table: see [`FirstStageFeatures`].

use index::{Field, UnitNumber};

use crate::candidate_score::candidate_score;
use crate::features::FirstStageFeatures;
use crate::numbering::{ListBy, ScopePosition};
use crate::numbers::numbers_of;
use crate::options::Signals;
use crate::overview::{Overview, reciprocal_ranks};
use crate::people;
use crate::question_scores::{QuestionScores, UnitScores};
use crate::surroundings::Surroundings;

/// Similarities are taken to vary this much at least, or in small scopes all of them would be extremes.
const SMALLEST_DEVIATION: f32 = 0.05;

/// What the tables of one source, schema or other group explain together.
#[derive(Clone, Default)]
struct GroupScores {
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
pub(crate) fn first_stage_features(
    measured: &QuestionScores<'_>,
    surroundings: &Surroundings,
    signals: Signals,
) -> ListBy<ScopePosition, FirstStageFeatures> {
    let words = word_scale(measured);
    let table_similarity = standardized(measured, |score| score.similarity);
    let column_similarity = standardized(measured, |score| score.column_similarity);
    let columns_similarity = standardized(measured, |score| score.columns_similarity);
    let values = value_strengths(measured);
    let explained: Vec<f32> = measured.scope.iter().map(|&unit| explained_words(measured, unit) * words).collect();
    let of_units: Vec<UnitScores> = measured
        .scope
        .iter()
        .enumerate()
        .map(|(place, &unit)| UnitScores {
            similarity: table_similarity[place].max(column_similarity[place] - 0.5),
            words: explained[place],
            name: measured.scores.table(unit).lexical[Field::Name as usize] * words,
            values: values[place],
        })
        .collect();
    let sources = group_scores(measured, &surroundings.source, &of_units);
    let schemas = group_scores(measured, &surroundings.schema, &of_units);
    let groups = group_scores(measured, &surroundings.group, &of_units);
    let modules = group_scores(measured, &surroundings.module, &of_units);
    let all = Overview::new(measured, &of_units);
    let asked = numbers_of(measured.question.text());
    let asks_for_people = f32::from(u8::from(people::asks_for_people(measured.question.text())));
    let unknown_names = (people::unknown_names(measured.question) as f32).ln_1p();
    let mut features = Vec::with_capacity(measured.scope.len());
    for (place, &unit) in measured.scope.iter().enumerate() {
        let score = measured.scores.table(unit);
        let own = &of_units[place];
        let source = &sources[surroundings.source[unit]];
        let schema = &schemas[surroundings.schema[unit]];
        let group = &groups[surroundings.group[unit]];
        let lexical = |field: Field| score.lexical[field as usize] * words;
        let alone = only_here(measured, unit, source) * words;
        let module = &modules[surroundings.module[unit]];
        let facts = &surroundings.facts[unit];
        let value = &all.values[place];
        let (asked_numbers, other_numbers) = surroundings.numbers[unit].counts(&asked);
        let row = FirstStageFeatures {
            name_words: lexical(Field::Name),
            column_words: lexical(Field::Columns),
            description_words: lexical(Field::Text),
            value_words: lexical(Field::Values),
            all_words: lexical(Field::Everything),
            name_share: score.name_share,
            best_column_words: score.best_column * words,
            table_similarity: table_similarity[place],
            best_column_similarity: column_similarity[place],
            three_columns_similarity: columns_similarity[place],
            value_strength: own.values,
            words_explained: own.words,
            source_words_explained: source.words * words,
            source_best_similarity: source.similarities[0],
            source_three_similarities: mean(&source.similarities, source.size),
            source_value_strength: source.values,
            schema_words_explained: schema.words * words,
            schema_best_similarity: schema.similarities[0],
            component_words_explained: group.words * words,
            component_best_similarity: group.similarities[0],
            component_value_strength: group.values,
            words_explained_of_source_best: ratio(own.words, source.best_words),
            similarity_below_source_best: own.similarity - source.similarities[0],
            name_words_of_source_best: ratio(own.name, source.best_name),
            words_explained_alone: alone,
            source_size: (source.size as f32).ln(),
            name_share_by_rarity: score.name_covered,
            name_words_left: score.name_left * words,
            name_share_by_meaning: score.name_meaning,
            columns_named: (score.columns_named as f32).ln_1p(),
            second_column_words: score.second_column * words,
            question_share: ratio(own.words, all.known_words * words),
            question_share_by_meaning: ratio(all.meant[place], all.all_words),
            meaning_of_best: ratio(all.meant[place], all.most_meant),
            words_explained_of_best: ratio(own.words, all.most_words),
            rank_by_words: all.by_words[place],
            rank_by_similarity: all.by_similarity[place],
            rank_by_column_similarity: all.by_column[place],
            rank_by_meaning: all.by_meaning[place],
            table_cosine: score.similarity,
            best_column_cosine: score.column_similarity,
            strongest_value: value.strongest,
            value_count: value.count,
            rarest_value: value.rarest,
            module_words_explained: module.words * words,
            module_best_similarity: module.similarities[0],
            module_size: surroundings.module_size[unit],
            column_count: facts.columns,
            scope_size: (measured.scope.len() as f32).ln(),
            question_words: (measured.question.terms().len() as f32).ln_1p(),
            question_values: all.value_count,
            key_count: facts.keys,
            relation_count: facts.relations,
            family_members: facts.members,
            is_view: facts.is_view,
            is_copy: facts.is_copy,
            row_count: facts.rows,
            row_count_beside_source: facts.rows_beside,
            has_comment: facts.has_comment,
            candidate_score_below_best: 0.0,
            rank_by_candidate_score: 0.0,
            schema_size: surroundings.schema_size[unit],
            name_word_count: facts.name_words,
            meaning_alone: all.meant_alone[place] * words,
            best_key_words: score.best_key * words,
            leading_key_words: score.leading_key * words,
            word_credit: all.credits[place].even,
            word_credit_steep: all.credits[place].steep,
            greatest_word_credit: all.credits[place].greatest,
            words_best_at: all.credits[place].best_at,
            phrase_credit: all.phrases[place].even,
            phrase_credit_steep: all.phrases[place].steep,
            greatest_phrase_credit: all.phrases[place].greatest,
            phrases_best_at: all.phrases[place].best_at,
            most_similar_phrase: all.phrases[place].highest,
            name_numbers_asked: asked_numbers as f32,
            name_numbers_not_asked: other_numbers as f32,
            referring_tables: facts.referring,
            referring_tables_of_most: facts.referring_of_most,
            referred_tables: facts.referred,
            asks_for_people,
            unknown_names,
            people_columns: facts.people_columns,
            has_name_column: facts.has_name,
            named_for_people: facts.named_for_people,
        };
        features.push(row.without_silenced(signals));
    }
    add_candidate_scores(&mut features);
    features.into()
}

fn add_candidate_scores(features: &mut [FirstStageFeatures]) {
    let scores: Vec<f32> = features.iter().map(candidate_score).collect();
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let ranks = reciprocal_ranks(&scores);
    for ((row, score), rank) in features.iter_mut().zip(scores).zip(ranks) {
        row.candidate_score_below_best = score - best;
        row.rank_by_candidate_score = rank;
    }
}

/// One over the weight of a word that a single table has.
fn word_scale(measured: &QuestionScores<'_>) -> f32 {
    let units = measured.scores.unit_count() as f32;
    1.0 / (1.0 + (units + 0.5) / 1.5).ln()
}

fn standardized(measured: &QuestionScores<'_>, value: impl Fn(&index::TableScore) -> f32) -> Vec<f32> {
    let values: Vec<f32> = measured.scope.iter().map(|&unit| value(measured.scores.table(unit))).collect();
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt();
    values.iter().map(|value| (value - mean) / deviation.max(SMALLEST_DEVIATION)).collect()
}

/// For each unit in scope, the sum over the values asked for of its surest match.
fn value_strengths(measured: &QuestionScores<'_>) -> Vec<f32> {
    let mut best: std::collections::BTreeMap<(UnitNumber, &str), f32> = std::collections::BTreeMap::new();
    for found in measured.values {
        let known = best.entry((found.unit, found.asked.as_str())).or_default();
        *known = known.max(found.strength);
    }
    let mut by_unit: std::collections::HashMap<UnitNumber, f32> = std::collections::HashMap::new();
    for ((unit, _), strength) in best {
        *by_unit.entry(unit).or_default() += strength;
    }
    measured.scope.iter().map(|unit| by_unit.get(unit).copied().unwrap_or_default()).collect()
}

fn explained_words(measured: &QuestionScores<'_>, unit: UnitNumber) -> f32 {
    let terms = measured.question.terms().iter().enumerate();
    terms.map(|(number, term)| term.weight * measured.scores.explained(number, unit)).sum()
}

fn group_scores(
    measured: &QuestionScores<'_>,
    membership: &ListBy<UnitNumber, usize>,
    of_units: &[UnitScores],
) -> Vec<GroupScores> {
    let terms = measured.question.terms().len();
    let count = membership.iter().max().map_or(0, |last| last + 1);
    let mut group_scores = vec![GroupScores { similarities: [f32::MIN; 3], ..GroupScores::default() }; count];
    for (&unit, own) in measured.scope.iter().zip(of_units) {
        let group = &mut group_scores[membership[unit]];
        group.explained.resize(terms, (0.0, 0.0));
        group.size += 1;
        group.values = group.values.max(own.values);
        group.best_words = group.best_words.max(own.words);
        group.best_name = group.best_name.max(own.name);
        let mut similarity = own.similarity;
        for known in &mut group.similarities {
            if similarity > *known {
                std::mem::swap(known, &mut similarity);
            }
        }
        for (term, best) in group.explained.iter_mut().enumerate() {
            let share = measured.scores.explained(term, unit);
            *best = if share > best.0 { (share, best.0) } else { (best.0, best.1.max(share)) };
        }
    }
    for group in &mut group_scores {
        let explained = measured.question.terms().iter().zip(&group.explained);
        group.words = explained.map(|(term, (best, _))| term.weight * best).sum();
    }
    group_scores
}

/// Words that this table explains better than every other of its source.
fn only_here(measured: &QuestionScores<'_>, unit: UnitNumber, source: &GroupScores) -> f32 {
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
