//! What people changed on a page, by comparing three texts of every part: what was written on it, what stands on it
//! now, and what we would write today.
//!
//! A part that still is as it was written says nothing, whatever the catalog says by now. A part that differs is an
//! edit and becomes an override; one that is back at the generated text, or gone, takes its override away.

use catalog::{FactJudgement, Overrides};

use super::lines::FIELDS;
use super::page::{ADDED, FACTS, Page, ROWS_SAY, column_key, column_of_key, hash};
use super::reading::{Fault, Found, PageReading};

/// The overrides that follow from the page, given what is stored.
///
/// # Errors
/// What on the page can't be taken over; nothing of the page counts then.
pub(crate) fn merge(page: &Page, reading: &PageReading, stored: &Overrides) -> Result<Overrides, Vec<Fault>> {
    let mut merged = stored.clone();
    let mut faults = unknown_columns(page, reading, stored);
    for (key, found) in &reading.parts {
        let Some(part) = page.part(key) else {
            if key.starts_with(ADDED) && !is_as_written(key, found, reading) {
                merged.0.insert(key.clone(), found.text.clone());
            }
            continue;
        };
        if is_as_written(key, found, reading) {
            continue;
        }
        if key == ROWS_SAY {
            faults.extend(judge(page, found, &mut merged));
            continue;
        }
        let back = found.text == part.generated
            || reading.written.get(key).is_some_and(|written| written.generated == hash(&found.text));
        match column_of_key(key) {
            Some((column, field)) if FACTS.contains(&field) => {
                if !back {
                    let reason = format!(
                        "the {field} of column `{column}` comes from the database and can't be changed here; put remarks \
                         under Notes"
                    );
                    faults.push(Fault { line: found.line, reason });
                }
            }
            _ if back && !key.starts_with(ADDED) => {
                merged.0.remove(key);
            }
            _ => {
                merged.0.insert(key.clone(), found.text.clone());
            }
        }
    }
    // A part that was people's when the page was written and has been taken off it.
    for (key, written) in &reading.written {
        if written.human.is_some() && !reading.parts.contains_key(key) {
            merged.0.remove(key);
        }
    }
    if faults.is_empty() { Ok(merged) } else { Err(faults) }
}

/// Takes over which facts were ticked and which were struck out. One whose line is gone is left as it was; whatever else people
/// wrote there has no place, and is said.
fn judge(page: &Page, found: &Found, merged: &mut Overrides) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (number, line) in found.text.lines().enumerate() {
        let line = line.trim();
        let Some((fact, mark)) = page.facts.iter().find_map(|fact| Some((fact, line.split_once(&fact.name)?.0))) else {
            // What was written of a fact that isn't found any more, and that nobody judged, says nothing.
            if !line.is_empty() && !line.starts_with("- [ ] `") {
                let reason = "this is none of the table's facts: tick or strike out lines that are there, and put remarks under \
                              Notes"
                    .to_owned();
                faults.push(Fault { line: found.line + number, reason });
            }
            continue;
        };
        let judgement = match mark.trim_start_matches(['-', '*', '+', ' ']).to_lowercase() {
            struck if struck.contains("~~") => Some(FactJudgement::Dismissed),
            ticked if ticked.contains("[x]") => Some(FactJudgement::Confirmed),
            _ => None,
        };
        let before = merged.0.get(&fact.override_key);
        match judgement {
            Some(judgement) if before.is_none_or(|before| !before.starts_with(judgement.word())) => {
                merged.0.insert(fact.override_key.clone(), judgement.word().to_owned());
            }
            Some(_) => {}
            None => {
                merged.0.remove(&fact.override_key);
            }
        }
    }
    faults
}

/// Whether nobody touched the part since the page was written.
fn is_as_written(key: &str, found: &Found, reading: &PageReading) -> bool {
    reading.written.get(key).is_some_and(|written| {
        let expected = written.human.as_ref().unwrap_or(&written.generated);
        *expected == hash(&found.text)
    })
}

/// Columns on the page that the table doesn't have, unless they were ours and the table lost them since.
fn unknown_columns(page: &Page, reading: &PageReading, stored: &Overrides) -> Vec<Fault> {
    reading
        .columns
        .iter()
        .filter(|(name, _)| !page.columns.iter().any(|block| block.name == *name))
        .filter(|(name, _)| {
            !FIELDS.iter().any(|(_, field)| {
                let key = column_key(name, field);
                reading.written.contains_key(&key) || stored.0.contains_key(&key)
            })
        })
        .map(|(name, line)| {
            let reason = format!("the table has no column `{name}`");
            Fault { line: *line, reason }
        })
        .collect()
}
