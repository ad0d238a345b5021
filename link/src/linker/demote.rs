//! Demotion: what is known of tables that speaks against using them, however well they fit the question.

use std::collections::HashMap;

use catalog::{Entry, Exactness, TableKind};
use index::Question;

use super::Linker;
use crate::evidence::ScoredUnit;
use crate::linked::EvidenceKind;
use crate::numbering::{ListBy, ScopePosition};

/// What a table loses if it hasn't changed for over a year.
const STALE_WEIGHT: f32 = 0.7;
/// What a table without rows loses where most have some.
const EMPTY_WEIGHT: f32 = 1.5;
/// What a table loses if it can't be read: it is named only where nothing else fits.
const UNREADABLE_WEIGHT: f32 = 20.0;
/// How far a copy ranks below the table to use instead, at least.
const COPY_MARGIN: f32 = 0.5;

impl Linker<'_> {
    /// Demotes tables that can't be read, empty and stale ones, and copies unless the question asks for the copy.
    pub(super) fn demote(&self, question: &Question, scored: &mut ListBy<ScopePosition, ScoredUnit>) {
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for table in scored.iter_mut() {
            let Some(position) = self.prepared.tables[table.unit] else { continue };
            // The others rank lower anyway, and their profiles would have to be read.
            let is_near = table.is_reranked();
            let entry = &self.catalog.entries()[position];
            let stale = (is_near && !self.catalog.is_read_by_many(entry)).then(|| entry.staleness()).flatten();
            if let Some(clause) = stale {
                table.adjust(EvidenceKind::LookAlike, -STALE_WEIGHT, format!("it {clause}"));
            }
            if is_near && is_empty(entry) && self.have_rows(&entry.table.id.source) {
                table.adjust(EvidenceKind::Empty, -EMPTY_WEIGHT, "it has no rows".to_owned());
            }
            if is_near && self.catalog.entries()[position].unreadable().is_some() {
                table.adjust(
                    EvidenceKind::Unreadable,
                    -UNREADABLE_WEIGHT,
                    "the database doesn't let us read it".to_owned(),
                );
            }
            scores.insert(position, table.score);
        }
        let copies: Vec<(ScopePosition, &catalog::LookAlike)> = scored
            .placed()
            .filter_map(|(place, table)| Some((place, self.catalog.look_alike(self.prepared.tables[table.unit]?)?)))
            .filter(|(_, copy)| scores.contains_key(&copy.authority))
            .collect();
        let (asked_for, copies): (Vec<_>, Vec<_>) =
            copies.into_iter().partition(|(_, copy)| is_asked_for(question, copy));
        for (place, copy) in asked_for {
            let lack = scores[&copy.authority] + COPY_MARGIN - scored[place].score;
            if lack > 0.0 {
                scored[place].adjust(EvidenceKind::LookAlike, lack, "the question asks for this copy".to_owned());
            }
        }
        let names = |position: usize| self.catalog.entries()[position].table.id.local();
        let mut authorities: HashMap<usize, (f32, usize)> = HashMap::new();
        for &(place, copy) in &copies {
            let (score, position) =
                (scored[place].score, self.prepared.tables[scored[place].unit].unwrap_or(copy.authority));
            let best = authorities.entry(copy.authority).or_insert((score, position));
            if score > best.0 {
                *best = (score, position);
            }
        }
        for table in scored.iter_mut() {
            let Some(position) = self.prepared.tables[table.unit] else { continue };
            // What speaks for the copy speaks for the table that took its place.
            if let Some(&(score, copy)) = authorities.get(&position)
                && score > table.score
            {
                let text = format!("it is the one to use of those that look like `{}`", names(copy));
                table.adjust(EvidenceKind::LookAlike, score - table.score, text);
                scores.insert(position, table.score);
            }
        }
        for (place, copy) in copies {
            let excess = (scored[place].score - (scores[&copy.authority] - COPY_MARGIN)).max(0.0);
            scored[place].adjust(EvidenceKind::LookAlike, -excess, copy.reason.clone());
        }
    }
}

impl Linker<'_> {
    /// Whether most tables of a source have rows: in a database that was just made none says anything by having none.
    fn have_rows(&self, source: &str) -> bool {
        let (mut filled, mut all) = (0, 0);
        for entry in self.catalog.tables_of(source) {
            all += 1;
            filled += usize::from(!is_empty(entry));
        }
        filled * 2 > all
    }
}

/// Whether a table is known to have no rows.
fn is_empty(entry: &Entry) -> bool {
    entry.table.kind == TableKind::Table
        && entry.table.row_count.is_some_and(|rows| rows.value == 0 && rows.exactness == Exactness::Exact)
}

/// Whether the question names what marks the copy: `archive`, `old`. A year asks for an archive of that year, and not for a
/// backup that was made in it.
fn is_asked_for(question: &Question, copy: &catalog::LookAlike) -> bool {
    let counts = |mark: &&String| copy.is_archive || !mark.bytes().all(|byte| byte.is_ascii_digit());
    let named = |mark: &String| question.terms().iter().any(|term| term.word.starts_with(mark.as_str()));
    copy.marks.iter().filter(counts).any(named)
}
