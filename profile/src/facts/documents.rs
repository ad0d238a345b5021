//! What is in documents that a column holds: the paths to their values.

use catalog::{DocumentPath, Fact, FactKind, TypeClass, ValueForm};

use super::sheet::{Sheet, SheetColumn, day};
use super::switches::in_order;

/// Values looked at for a form.
const MOST_VALUES: usize = 500;

/// A path, and which documents have it, by their places in the order of their time.
struct Seen {
    path: String,
    holds: &'static str,
    places: Vec<usize>,
}

impl Seen {
    /// From when on, or up to when, documents have it, where nearly all do in that time and many don't at others.
    fn while_(&self, times: &[Option<i64>]) -> (Option<String>, Option<String>) {
        const MOSTLY: f64 = 0.5;
        const EXPECTED: f64 = 12.0;
        let (Some(&first), Some(&last)) = (self.places.first(), self.places.last()) else { return (None, None) };
        let rate = self.places.len() as f64 / (last + 1 - first) as f64;
        let is_told = |empty: usize| rate >= MOSTLY && rate * empty as f64 >= EXPECTED && empty * 20 >= times.len();
        let since = is_told(first).then(|| times[first].map(day)).flatten();
        let until = is_told(times.len() - 1 - last).then(|| times[last].map(day)).flatten();
        (since, until)
    }
}

/// What is in documents.
pub(super) fn paths(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// Paths that are told.
    const MOST: usize = 8;
    let is_json = column.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::Json);
    if !is_json && column.column.type_class != TypeClass::Json {
        return None;
    }
    // In the order of their time where they have one, and from everywhere in it.
    let order: Vec<(Option<i64>, usize)> = match sheet.time().filter(|_| sheet.is_even()) {
        Some(time) => in_order(sheet, time).into_iter().map(|(at, row)| (Some(at), row)).collect(),
        None => (0..sheet.rows).map(|row| (None, row)).collect(),
    };
    let filled: Vec<(Option<i64>, &str)> =
        order.into_iter().filter_map(|(at, row)| Some((at, column.texts[row].as_deref()?))).collect();
    let step = filled.len().div_ceil(MOST_VALUES).max(1);
    let mut seen: Vec<Seen> = Vec::new();
    let mut times: Vec<Option<i64>> = Vec::new();
    for (at, text) in filled.into_iter().step_by(step) {
        let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        let place = times.len();
        times.push(at);
        let mut here: Vec<(String, &'static str)> = Vec::new();
        walk("$", &document, 0, &mut here);
        for (path, kind) in here {
            match seen.iter_mut().find(|known| known.path == path) {
                Some(known) => {
                    known.holds = if known.holds == kind || kind == "null" {
                        known.holds
                    } else if known.holds == "null" {
                        kind
                    } else {
                        "mixed"
                    };
                    known.places.push(place);
                }
                None => seen.push(Seen { path, holds: kind, places: vec![place] }),
            }
        }
    }
    let documents = times.len() as u64;
    if documents < 3 || seen.is_empty() {
        return None;
    }
    // The frequent ones, in the order in which documents have them.
    let mut counts: Vec<usize> = seen.iter().map(|seen| seen.places.len()).collect();
    counts.sort_unstable_by(|left, right| right.cmp(left));
    let least = counts.get(MOST - 1).copied().unwrap_or(1);
    let kept = seen.into_iter().filter(|seen| seen.places.len() >= least).take(MOST);
    let paths = kept.map(|seen| {
        let (since, until) = seen.while_(&times);
        DocumentPath {
            share: super::rounded(seen.places.len() as f64 / documents as f64),
            path: seen.path,
            holds: seen.holds.to_owned(),
            since,
            until,
        }
    });
    let kind = FactKind::Paths { column: column.column.name.clone(), paths: paths.collect() };
    let proof = format!("SELECT {} FROM {} LIMIT 20", sheet.name(column), sheet.from());
    Some(Fact::new(kind, documents, documents, proof))
}

/// The paths to what isn't an object, two objects deep, each once.
fn walk(path: &str, value: &serde_json::Value, depth: usize, found: &mut Vec<(String, &'static str)>) {
    /// Longer names are values that somebody uses as names.
    const LONGEST: usize = 40;
    let kind = match value {
        serde_json::Value::Object(members) if depth < 2 => {
            for (name, member) in members.iter().take(40).filter(|(name, _)| name.len() <= LONGEST) {
                walk(&format!("{path}.{name}"), member, depth + 1, found);
            }
            return;
        }
        serde_json::Value::Array(items) if depth < 2 && items.first().is_some_and(serde_json::Value::is_object) => {
            walk(&format!("{path}[*]"), &items[0], depth + 1, found);
            return;
        }
        serde_json::Value::Object(_) => "object",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::String(_) => "text",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Null => "null",
    };
    found.push((path.to_owned(), kind));
}
