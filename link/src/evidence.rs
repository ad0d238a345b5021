//! The reasons for a rank, in plain words.

use index::{Field, Index};

use crate::features::{Features, Measured};
use crate::linked::{Evidence, EvidenceKind};
use crate::smoothing::{Joined, UnitGraph};
use crate::weights;

/// Contributions below this aren't worth a sentence.
const LEAST_WEIGHT: f32 = 0.05;
/// Reasons given for one table.
const MOST_REASONS: usize = 6;
/// Words named in one reason.
const MOST_WORDS: usize = 6;

/// A unit with everything that its score is made of.
pub(crate) struct Judged {
    pub(crate) unit: usize,
    pub(crate) features: Features,
    pub(crate) joined: Joined,
    pub(crate) score: f32,
    pub(crate) adjustments: Vec<Evidence>,
}

impl Judged {
    /// Changes the score and says why.
    pub(crate) fn adjust(&mut self, kind: EvidenceKind, weight: f32, text: String) {
        self.score += weight;
        self.adjustments.push(Evidence { kind, text, weight });
    }
}

/// Why the unit stands where it stands, strongest first.
pub(crate) fn evidence_of(
    judged: &Judged,
    measured: &Measured<'_>,
    all: &[Judged],
    graph: &UnitGraph,
    index: &Index,
) -> Vec<Evidence> {
    let pass = weights::JOINED[0];
    let own = |numbers: &[usize]| -> f32 {
        numbers.iter().map(|&number| pass * weights::OWN[number] * judged.features[number]).sum()
    };
    let joined = |numbers: &[usize]| -> f32 {
        numbers.iter().map(|&number| weights::JOINED[number] * judged.joined[number]).sum()
    };
    let mut evidence = judged.adjustments.clone();
    let mut add = |kind: EvidenceKind, weight: f32, text: Option<String>| {
        if let Some(text) = text.filter(|_| weight.abs() >= LEAST_WEIGHT) {
            evidence.push(Evidence { kind, text, weight });
        }
    };
    let words = |field: Field| words_in(measured, judged.unit, field, index);
    add(EvidenceKind::Name, own(&[0, 5, 23]), sentence("its name has", words(Field::Name)));
    add(EvidenceKind::Column, own(&[1, 6]), sentence("its columns have", words(Field::Columns)));
    add(EvidenceKind::Description, own(&[2]), sentence("its description has", words(Field::Text)));
    add(EvidenceKind::Value, own(&[3, 10]), values_in(measured, judged.unit));
    let meaning = own(&[7, 8, 9, 22]);
    if meaning > 0.0 {
        add(EvidenceKind::Meaning, meaning, Some("it is similar in meaning to the question".to_owned()));
    }
    let source = &index.units()[judged.unit].table.source;
    let around = own(&[12, 13, 14, 15, 16, 17, 18, 19, 20]);
    // Units stand in the order of their ids, so these two differ where there are several sources at all; with one,
    // the sentence would be true of every table and tell none apart.
    let sources = (index.units().first(), index.units().last());
    let several = matches!(sources, (Some(first), Some(last)) if first.table.source != last.table.source);
    if several && judged.features[12] > 0.0 {
        add(
            EvidenceKind::Coherence,
            around,
            Some(format!("the tables around it in `{source}` explain more of the question")),
        );
    }
    let neighbours = strongest_neighbours(judged.unit, all, graph, index);
    if let [first, second] = neighbours.as_slice() {
        add(EvidenceKind::Bridge, joined(&[3]), Some(format!("it lies between `{first}` and `{second}`")));
    }
    if let Some(first) = neighbours.first() {
        add(EvidenceKind::Join, joined(&[1, 2]), Some(format!("it is joined to `{first}`")));
    }
    evidence.sort_by(|left, right| right.weight.abs().total_cmp(&left.weight.abs()));
    evidence.truncate(MOST_REASONS);
    evidence
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
fn strongest_neighbours(unit: usize, all: &[Judged], graph: &UnitGraph, index: &Index) -> Vec<String> {
    let near: std::collections::HashSet<usize> = graph.neighbours(unit).iter().map(|(other, _)| *other).collect();
    let ranked = all.iter().filter(|other| near.contains(&other.unit)).take(2);
    ranked.map(|other| index.units()[other.unit].table.local()).collect()
}
