//! The reasons for a rank, in plain words.

use index::{Field, Index};

use crate::features::{FEATURES, Features, Measured};
use crate::joined::Joined;
use crate::linked::{Evidence, EvidenceKind};
use crate::ranker::Ranker;
use crate::relations::Relations;

/// Contributions below this aren't worth a sentence.
const LEAST_WEIGHT: f32 = 0.05;
/// Reasons given for one table.
const MOST_REASONS: usize = 6;
/// Words named in one reason.
const MOST_WORDS: usize = 6;

/// A unit with everything that its score is made of.
pub(crate) struct Judged {
    pub(crate) unit: usize,
    /// Logarithmic odds that the question needs it.
    pub(crate) score: f32,
    /// What both looks measured; `None` where the first look passed it over.
    looked_at: Option<Box<(Features, Joined)>>,
    pub(crate) adjustments: Vec<Evidence>,
}

impl Judged {
    /// A unit that was looked at closely.
    pub(crate) fn new(unit: usize, score: f32, features: Features, joined: Joined) -> Self {
        Self { unit, score, looked_at: Some(Box::new((features, joined))), adjustments: Vec::new() }
    }

    /// One that wasn't.
    pub(crate) fn passed_over(unit: usize, score: f32) -> Self {
        Self { unit, score, looked_at: None, adjustments: Vec::new() }
    }

    /// Whether it was looked at closely.
    pub(crate) fn is_looked_at(&self) -> bool {
        self.looked_at.is_some()
    }

    /// Changes the score and says why.
    pub(crate) fn adjust(&mut self, kind: EvidenceKind, weight: f32, text: String) {
        self.score += weight;
        self.adjustments.push(Evidence { kind, text, weight });
    }
}

/// What each kind of evidence consists of: numbers of the features, those of the second look counted on.
const NAME: &[usize] = &[0, 5, 23, 26, 27, 28, 62, 75, 76];
const COLUMN: &[usize] = &[1, 6, 29, 30, 40];
const DESCRIPTION: &[usize] = &[2];
const VALUE: &[usize] = &[3, 10, 41, 42, 43];
const MEANING: &[usize] = &[7, 8, 9, 22, 32, 33, 36, 37, 38, 39, 63];
const AROUND: &[usize] = &[12, 13, 14, 15, 16, 17, 18, 19, 20, 44, 45];
const BETWEEN: &[usize] = &[FEATURES + 7, FEATURES + 8, FEATURES + 11, FEATURES + 12, FEATURES + 15];
const JOIN: &[usize] =
    &[FEATURES + 6, FEATURES + 9, FEATURES + 10, FEATURES + 13, FEATURES + 14, FEATURES + 16, FEATURES + 25];
const ALIKE: &[usize] = &[55, FEATURES + 17, FEATURES + 18, FEATURES + 24];

/// Why the unit stands where it stands, strongest first.
pub(crate) fn evidence_of(
    judged: &Judged,
    measured: &Measured<'_>,
    all: &[Judged],
    relations: &Relations,
    index: &Index,
    ranker: &Ranker,
) -> Vec<Evidence> {
    let mut evidence = judged.adjustments.clone();
    let Some(looked_at) = &judged.looked_at else { return evidence };
    let (features, joined) = &**looked_at;
    let added = ranker.contributions(features, joined);
    let sum = |numbers: &[usize]| -> f32 { numbers.iter().map(|&number| added[number]).sum() };
    let mut add = |kind: EvidenceKind, weight: f32, text: Option<String>| {
        if let Some(text) = text.filter(|_| weight.abs() >= LEAST_WEIGHT) {
            evidence.push(Evidence { kind, text, weight });
        }
    };
    let words = |field: Field| words_in(measured, judged.unit, field, index);
    add(EvidenceKind::Name, sum(NAME), sentence("its name has", words(Field::Name)));
    add(EvidenceKind::Column, sum(COLUMN), sentence("its columns have", words(Field::Columns)));
    add(EvidenceKind::Description, sum(DESCRIPTION), sentence("its description has", words(Field::Text)));
    add(EvidenceKind::Value, sum(VALUE), values_in(measured, judged.unit));
    let meaning = sum(MEANING);
    if meaning > 0.0 {
        add(EvidenceKind::Meaning, meaning, Some("it is similar in meaning to the question".to_owned()));
    }
    let source = &index.units()[judged.unit].table.source;
    // Units stand in the order of their ids, so these two differ where there are several sources at all; with one,
    // the sentence would be true of every table and tell none apart.
    let sources = (index.units().first(), index.units().last());
    let several = matches!(sources, (Some(first), Some(last)) if first.table.source != last.table.source);
    if several && features[12] > 0.0 {
        add(
            EvidenceKind::Coherence,
            sum(AROUND),
            Some(format!("the tables around it in `{source}` explain more of the question")),
        );
    }
    let neighbours = strongest_neighbours(judged.unit, all, relations, index);
    if let [first, second] = neighbours.as_slice() {
        add(EvidenceKind::Bridge, sum(BETWEEN), Some(format!("it lies between `{first}` and `{second}`")));
    }
    if let Some(first) = neighbours.first() {
        add(EvidenceKind::Join, sum(JOIN), Some(format!("it is joined to `{first}`")));
    }
    let alike = sum(ALIKE);
    if let Some(other) = strongest_alike(judged.unit, all, relations, index).filter(|_| alike < 0.0) {
        add(EvidenceKind::LookAlike, alike, Some(format!("it looks like `{other}`, which fits better")));
    }
    evidence.sort_by(|left, right| right.weight.abs().total_cmp(&left.weight.abs()));
    evidence.truncate(MOST_REASONS);
    evidence
}

/// The unit with nearly the same columns that ranks before this one, if one does.
fn strongest_alike(unit: usize, all: &[Judged], relations: &Relations, index: &Index) -> Option<String> {
    let alike = relations.alike(unit);
    let first = all.iter().map(|other| other.unit).find(|other| *other == unit || alike.contains(other))?;
    (first != unit).then(|| index.units()[first].table.local())
}

fn words_in(measured: &Measured<'_>, unit: usize, field: Field, index: &Index) -> Vec<String> {
    let mut words = index.matched_words(measured.question, unit, field);
    words.truncate(MOST_WORDS);
    words
}

fn sentence(start: &str, words: Vec<String>) -> Option<String> {
    if words.is_empty() { None } else { Some(format!("{start} {}", quoted(&words))) }
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn values_in(measured: &Measured<'_>, unit: usize) -> Option<String> {
    let found = measured.values.iter().find(|found| found.unit == unit)?;
    Some(if found.asked == found.stored {
        format!("`{}` holds `{}`", found.column, found.stored)
    } else {
        format!("`{}` holds `{}`, which the question calls `{}`", found.column, found.stored, found.asked)
    })
}

/// The two neighbours that rank highest, by local name. `all` is sorted, best first.
fn strongest_neighbours(unit: usize, all: &[Judged], relations: &Relations, index: &Index) -> Vec<String> {
    let near: std::collections::HashSet<usize> = relations.related(unit).iter().map(|(other, _)| *other).collect();
    let ranked = all.iter().filter(|other| near.contains(&other.unit)).take(2);
    ranked.map(|other| index.units()[other.unit].table.local()).collect()
}
