//! The reasons for a rank, in plain words: each group of features makes one.

use std::collections::HashSet;

use catalog::Catalog;
use index::{Field, Index, UnitNumber, ValueMatch};

use crate::features::{FEATURES, FeatureGroup, FirstStageFeatures, RerankingFeatures};
use crate::linked::{Evidence, EvidenceKind};
use crate::mentions::Mentions;
use crate::numbering::ListBy;
use crate::question_scores::QuestionScores;
use crate::ranker::Ranker;
use crate::relations::{Relations, is_key_column, is_telling};

/// Contributions to the odds below this aren't worth a sentence.
const LEAST_WEIGHT: f32 = 0.05;
/// Reasons given for one table.
const MOST_REASONS: usize = 6;
/// How many letters longer than the name's word a word of the question may be to count as another form of it.
const SAME_ENDING: usize = 3;
/// Columns compared to see what two tables share.
const MOST_SHARED: usize = 24;
/// Words named in one reason.
const MOST_WORDS: usize = 6;

/// A unit with everything that its score is made of.
pub(crate) struct ScoredUnit {
    pub(crate) unit: UnitNumber,
    /// Logarithmic odds that the question needs it.
    pub(crate) score: f32,
    /// Its features in both stages; `None` where it wasn't reranked.
    features: Option<Box<(FirstStageFeatures, RerankingFeatures)>>,
    pub(crate) adjustments: Vec<Evidence>,
}

impl ScoredUnit {
    /// A unit that was reranked.
    pub(crate) fn new(unit: UnitNumber, score: f32, features: FirstStageFeatures, joined: RerankingFeatures) -> Self {
        Self { unit, score, features: Some(Box::new((features, joined))), adjustments: Vec::new() }
    }

    /// A unit that no tree has scored yet.
    pub(crate) fn unscored(unit: UnitNumber, score: f32) -> Self {
        Self { unit, score, features: None, adjustments: Vec::new() }
    }

    /// Whether it was reranked.
    pub(crate) fn is_reranked(&self) -> bool {
        self.features.is_some()
    }

    /// Changes the score and says why.
    pub(crate) fn adjust(&mut self, kind: EvidenceKind, weight: f32, text: String) {
        self.score += weight;
        self.adjustments.push(Evidence { kind, text, weight });
    }
}

/// What reasons are drawn from.
pub(crate) struct Explaining<'e> {
    pub(crate) measured: &'e QuestionScores<'e>,
    pub(crate) mentions: &'e Mentions,
    /// All units, best first.
    pub(crate) scored: &'e [ScoredUnit],
    pub(crate) relations: &'e Relations,
    /// Position in the catalog of each unit's table.
    pub(crate) tables: &'e ListBy<UnitNumber, Option<usize>>,
    pub(crate) catalog: &'e Catalog,
    pub(crate) index: &'e Index,
    pub(crate) ranker: &'e Ranker,
}

impl Explaining<'_> {
    /// Why the unit ranks where it does, strongest reason first.
    pub(crate) fn reasons(&self, scored: &ScoredUnit) -> Vec<Evidence> {
        let mut evidence = scored.adjustments.clone();
        let Some(features) = &scored.features else { return evidence };
        let (features, joined) = &**features;
        let added = self.ranker.contributions(features, joined);
        for &group in FeatureGroup::ALL {
            let Some(kind) = group.evidence() else { continue };
            let of_group = FEATURES.iter().zip(&added).filter(|(feature, _)| feature.group == group);
            let weight: f32 = of_group.map(|(_, added)| added).sum();
            let text = self.sentence(group, weight, scored.unit, features).filter(|_| weight.abs() >= LEAST_WEIGHT);
            evidence.extend(text.map(|text| Evidence { kind, text, weight }));
        }
        evidence.sort_by(|left, right| right.weight.abs().total_cmp(&left.weight.abs()));
        // Of the two that speak of the same neighbour, the stronger.
        let is_tie = |kind: EvidenceKind| matches!(kind, EvidenceKind::Bridge | EvidenceKind::Join);
        let mut has_tie = false;
        evidence.retain(|reason| !is_tie(reason.kind) || !std::mem::replace(&mut has_tie, true));
        evidence.truncate(MOST_REASONS);
        evidence
    }

    /// What a group's features say of a unit when together they have added `weight`; `None` where that isn't worth saying.
    fn sentence(
        &self,
        group: FeatureGroup,
        weight: f32,
        unit: UnitNumber,
        features: &FirstStageFeatures,
    ) -> Option<String> {
        match group {
            FeatureGroup::Name => self.words_in("its name has", unit, Field::Name),
            FeatureGroup::Columns => self.words_in("its columns have", unit, Field::Columns),
            FeatureGroup::Description => self.words_in("its description has", unit, Field::Text),
            FeatureGroup::Values => self.value_in(unit),
            FeatureGroup::Meaning => (weight > 0.0).then(|| "it is similar in meaning to the question".to_owned()),
            FeatureGroup::Surroundings => {
                let source = &self.index.unit(unit).table.source;
                // Units stand in the order of their ids, so these two differ where there are several sources at all; with
                // one, the sentence would be true of every table and tell none apart.
                let sources = (self.index.units().first(), self.index.units().last());
                let several = matches!(sources, (Some(first), Some(last)) if first.table.source != last.table.source);
                (several && features.source_words_explained > 0.0)
                    .then(|| format!("the tables around it in `{source}` explain more of the question"))
            }
            FeatureGroup::Bridge => match self.ties(unit).as_slice() {
                [(how, first), (other_way, second)] if how == other_way => {
                    Some(format!("it {how} `{first}` and `{second}`"))
                }
                [(how, first), (other_way, second)] => Some(format!("it {how} `{first}` and {other_way} `{second}`")),
                _ => None,
            },
            FeatureGroup::Join => self.ties(unit).first().map(|(how, other)| format!("it {how} `{other}`")),
            // Nearly the same columns have types of devices and of modules, too; what is a copy is told elsewhere.
            FeatureGroup::LookAlike
            | FeatureGroup::Words
            | FeatureGroup::Keys
            | FeatureGroup::Credit
            | FeatureGroup::Table
            | FeatureGroup::Centrality
            | FeatureGroup::Question
            | FeatureGroup::CandidateScore
            | FeatureGroup::FirstStage
            | FeatureGroup::Complement
            | FeatureGroup::Neighbours => None,
        }
    }

    /// What another unit is called in a reason for this one: with its schema where that differs.
    fn name(&self, other: UnitNumber, unit: UnitNumber) -> String {
        let (other, own) = (self.mentions.id(other, self.index), &self.index.unit(unit).table);
        if other.source == own.source && other.schema == own.schema { other.name.clone() } else { other.local() }
    }

    fn words_in(&self, start: &str, unit: UnitNumber, field: Field) -> Option<String> {
        let mut words = self.index.matched_words(self.measured.question, unit, field);
        words.truncate(MOST_WORDS);
        let shown = words.iter().map(|(asked, had)| {
            // Plurals and the like are the same word.
            let is_same = asked == had || asked.starts_with(had.as_str()) && asked.len() - had.len() <= SAME_ENDING;
            if is_same { format!("`{asked}`") } else { format!("`{had}` for `{asked}`") }
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        if shown.is_empty() { None } else { Some(format!("{start} {shown}")) }
    }

    fn value_in(&self, unit: UnitNumber) -> Option<String> {
        let is_shown = |found: &&ValueMatch| {
            self.mentions.is_in_shown(found.unit, self.index, self.catalog, &found.column, &found.stored)
        };
        let found = self.measured.values.iter().filter(|found| found.unit == unit).find(is_shown)?;
        Some(if found.asked == found.stored {
            format!("`{}` holds `{}`", found.column, found.stored)
        } else {
            format!("`{}` holds `{}`, which the question calls `{}`", found.column, found.stored, found.asked)
        })
    }

    /// How the unit is tied to the two neighbours that rank highest, and their names: (`shares … with`, name).
    fn ties(&self, unit: UnitNumber) -> Vec<(String, String)> {
        let near: HashSet<UnitNumber> = self.relations.related(unit).iter().map(|(other, _)| *other).collect();
        let ranked = self.scored.iter().map(|other| other.unit).filter(|other| near.contains(other));
        ranked.filter_map(|other| Some((self.tie(unit, other)?, self.name(other, unit)))).take(2).collect()
    }

    fn tie(&self, unit: UnitNumber, other: UnitNumber) -> Option<String> {
        if self.relations.keyed(unit).iter().any(|(known, _)| *known == other) {
            return Some("is joined to".to_owned());
        }
        let table = |unit: UnitNumber| Some(&self.catalog.entries()[self.tables[unit]?].table);
        let (own, others) = (table(unit)?, table(other)?);
        let theirs: HashSet<&str> = others.columns.iter().map(|column| column.name.as_str()).collect();
        let names = own.columns.iter().map(|column| column.name.as_str()).filter(|name| theirs.contains(name));
        // A bare `id` is in every table.
        let shared: Vec<&str> =
            names.take(MOST_SHARED).filter(|name| !index::is_key_word(&name.to_lowercase())).collect();
        let is_key = |name: &&&str| is_key_column(name) && is_telling(name);
        let best =
            shared.iter().find(is_key).or_else(|| shared.iter().find(|name| is_telling(name))).or(shared.first());
        Some(match best {
            Some(column) => format!("shares `{column}` with"),
            None => "seems to belong, by a key's name, to".to_owned(),
        })
    }
}
