//! Tables of one thing over time: where one goes on and another ends, whoever asks about all of it needs both.

use std::collections::HashMap;

use catalog::{FactKind, TableId};

use super::Linker;
use crate::evidence::ScoredUnit;
use crate::linked::EvidenceKind;
use crate::numbering::{ListBy, ScopePosition};

/// Likeliest tables whose other parts are looked at.
const BEST: usize = 3;
/// How far the other part ranks below, at most: where the question names a time that it has, and where it names none.
const BELOW_IF_NAMED: f32 = 0.5;
const BELOW: f32 = 1.2;

impl Linker<'_> {
    /// Promotes the table that has the earlier or the later rows of a likely one, unless the question names years that are in
    /// that one alone.
    pub(super) fn bring_other_parts(&self, question: &str, scored: &mut ListBy<ScopePosition, ScoredUnit>) {
        let years = years_in(question);
        let places: HashMap<&TableId, ScopePosition> = scored
            .placed()
            .filter_map(|(place, table)| {
                Some((&self.catalog.entries()[self.prepared.tables[table.unit]?].table.id, place))
            })
            .collect();
        let mut best: Vec<(f32, usize)> =
            scored.iter().filter_map(|table| Some((table.score, self.prepared.tables[table.unit]?))).collect();
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        best.truncate(BEST);
        let mut found: Vec<(ScopePosition, f32, String)> = Vec::new();
        for (score, position) in best {
            let entry = &self.catalog.entries()[position];
            for (other, is_earlier, year) in self.catalog.facts(entry).filter_map(|fact| other_part(&fact.kind)) {
                let is_there = |asked: &i32| if is_earlier { *asked <= year } else { *asked >= year };
                let below = match years.is_empty() {
                    true => BELOW,
                    false if years.iter().any(is_there) => BELOW_IF_NAMED,
                    false => continue,
                };
                if let Some(place) = places.get(other) {
                    let what = if is_earlier { "earlier" } else { "later" };
                    let text = format!("it has the {what} rows of `{}`", entry.table.id.local());
                    found.push((*place, score - below, text));
                }
            }
        }
        for (place, least, text) in found {
            let lack = least - scored[place].score;
            if lack > 0.0 {
                scored[place].adjust(EvidenceKind::Period, lack, text);
            }
        }
    }
}

/// The years that a text names.
fn years_in(text: &str) -> Vec<i32> {
    const YEARS: std::ops::Range<i32> = 1900..2100;
    let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| digits.len() == 4);
    numbers.filter_map(|digits| digits.parse().ok()).filter(|year| YEARS.contains(year)).collect()
}

/// The table that has the rest of a table's rows, whether these are earlier ones, and the year up to or from which.
fn other_part(fact: &FactKind) -> Option<(&TableId, bool, i32)> {
    // Numbers of rows say nothing of years.
    let year = |day: &str| day.split_once('-').and_then(|(year, _)| year.parse().ok());
    match fact {
        FactKind::Preceded { by, since, .. } => Some((by, true, year(since)?)),
        FactKind::Continued { by, until, .. } => Some((by, false, year(until)?)),
        _ => None,
    }
}
