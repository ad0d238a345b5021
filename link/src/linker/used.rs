//! What query logs say of tables: which nobody reads, and what is computed from them under a name of the question.
//!
//! How many read a table says nothing of whether a question needs it: tried on logs and questions by different authors, it moved as
//! many tables down as up.

use std::collections::{BTreeMap, HashMap};

use catalog::{TableUsage, UsualMeasure};
use index::UnitNumber;

use super::Linker;
use crate::evidence::ScoredUnit;
use crate::glossary::{NamedTerm, asks_for};
use crate::linked::EvidenceKind;
use crate::numbering::{ListBy, ScopePosition};
use crate::options::LinkOptions;

/// Different statements that logs have to hold for it to say something that none reads a table.
const LEAST_STATEMENTS: u32 = 200;
/// What a table loses that no statement reads.
const UNREAD_WEIGHT: f32 = 0.5;
/// A table from which people compute what the question names is lifted towards these odds, so far at most, and by the weight at
/// least; by the share of those who compute it so.
const COMPUTED_ODDS: f32 = 2.0;
const MOST_LIFTED: f32 = 3.0;
const COMPUTED_WEIGHT: f32 = 0.5;

impl Linker<'_> {
    /// Promotes tables from which people compute what the question names, and demotes those that nobody reads.
    /// `terms` are told already.
    pub(super) fn prefer_used(
        &self,
        question: &str,
        terms: &[NamedTerm],
        options: &LinkOptions,
        scored: &mut ListBy<ScopePosition, ScoredUnit>,
    ) {
        if !options.signals.usage.is_on() {
            return;
        }
        let used = |unit: UnitNumber| {
            let entry = &self.catalog.entries()[self.prepared.tables[unit]?];
            self.catalog.usage_of(entry)
        };
        let near = scored.iter().filter(|table| table.is_reranked());
        let used: BTreeMap<UnitNumber, TableUsage> =
            near.filter_map(|table| Some((table.unit, used(table.unit)?))).collect();
        let tells_enough = used.values().map(|usage| usage.reads.statements).sum::<u32>() >= LEAST_STATEMENTS;
        let mut computed = self.computed(question, terms, used.values());
        for table in scored.iter_mut() {
            let is_unread = used.get(&table.unit).is_some_and(|usage| usage.reads.statements == 0);
            if is_unread && tells_enough {
                let text = "no statement of the query logs reads it".to_owned();
                table.adjust(EvidenceKind::Usage, -UNREAD_WEIGHT, text);
            }
            if let Some(measure) = computed.remove(&table.unit) {
                let share = measure.share.statements as f32 / measure.share.of_statements.max(1) as f32;
                let lift = (COMPUTED_ODDS - table.score).clamp(0.0, MOST_LIFTED);
                let text =
                    format!("people compute `{}` from it, in {} statements", measure.name, measure.share.statements);
                table.adjust(EvidenceKind::Usage, share * (lift + COMPUTED_WEIGHT), text);
            }
        }
    }

    /// The units from whose columns something is computed that the question names, with what it is: not what is called like a
    /// table, which counts its rows.
    fn computed<'u>(
        &self,
        question: &str,
        terms: &[NamedTerm],
        used: impl Iterator<Item = &'u TableUsage>,
    ) -> HashMap<UnitNumber, &'u UsualMeasure> {
        let mut found: HashMap<UnitNumber, &UsualMeasure> = HashMap::new();
        let singular = |name: &str| -> Vec<String> {
            words::in_identifier(name).iter().map(|word| words::singular(word)).collect()
        };
        for measure in used.flat_map(|usage| &usage.measures) {
            let name = measure.name.replace('_', " ");
            let is_told = terms.iter().any(|term| name.split(' ').all(|word| term.holds(word)));
            if is_told || !asks_for(question, &name) {
                continue;
            }
            let named = singular(&measure.name);
            if self.catalog.entries().iter().any(|entry| singular(&entry.table.id.name) == named) {
                continue;
            }
            for unit in measure.columns.iter().filter_map(|used| self.index.unit_of(&used.table)) {
                let known = found.entry(unit).or_insert(measure);
                if measure.share.statements > known.share.statements {
                    *known = measure;
                }
            }
        }
        found
    }
}
