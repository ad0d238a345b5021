//! What is in documents that a column holds: the paths to their values.

use std::collections::BTreeSet;

use catalog::{DocumentPath, Fact, FactKind, TypeClass, ValueForm};

use super::sheet::{Sheet, SheetColumn};
use super::switches::in_order;

/// Values looked at for a form.
const MOST_VALUES: usize = 500;

/// Different texts of a path that are told, and characters of one.
const MOST_TEXTS: usize = 5;
const LONGEST_TEXT: usize = 12;

/// A path, and which documents have it, by their places in the order of their time.
struct Seen {
    path: String,
    /// What is there, each with the first and the last place.
    kinds: Vec<(&'static str, [usize; 2])>,
    /// All texts; `None` where these are many or long.
    texts: Option<BTreeSet<String>>,
    places: Vec<usize>,
}

impl Seen {
    fn take(&mut self, kind: &'static str, text: Option<&str>, place: usize) {
        self.places.push(place);
        if kind == "null" {
            return;
        }
        match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, [_, last])) => *last = place,
            None => self.kinds.push((kind, [place, place])),
        }
        let (Some(text), Some(texts)) = (text, &mut self.texts) else { return };
        if !texts.contains(text) {
            texts.insert(text.to_owned());
        }
        if texts.len() > MOST_TEXTS || text.chars().count() > LONGEST_TEXT {
            self.texts = None;
        }
    }

    /// What is there, and from when on something else.
    fn holds(&self, day: impl Fn(usize) -> Option<String>) -> String {
        match self.kinds.as_slice() {
            [] => "null".to_owned(),
            [(only, _)] => (*only).to_owned(),
            [(before, [_, last]), (after, [first, _])] if last < first => match day(*first) {
                Some(day) => format!("{before}, {after} from {day} on"),
                None => format!("{before} or {after}"),
            },
            several => several.iter().map(|(kind, _)| *kind).collect::<Vec<_>>().join(" or "),
        }
    }

    /// The texts, where there are few and each comes again.
    fn values(&self) -> Vec<String> {
        let texts = self.texts.iter().flatten();
        let are_repeated =
            self.texts.as_ref().is_some_and(|texts| texts.len() > 1 && texts.len() * 3 <= self.places.len());
        texts.filter(|_| are_repeated).cloned().collect()
    }

    /// From when on, and up to when, documents have it, where most do in that time and many don't at others.
    fn ends(&self, times: &[Option<i64>]) -> [Option<i64>; 2] {
        const MOSTLY: f64 = 0.5;
        const EXPECTED: f64 = 12.0;
        let (Some(&first), Some(&last)) = (self.places.first(), self.places.last()) else { return [None, None] };
        let rate = self.places.len() as f64 / (last + 1 - first) as f64;
        let is_told = |empty: usize| rate >= MOSTLY && rate * empty as f64 >= EXPECTED && empty * 20 >= times.len();
        let at = |place: usize, empty: usize| times[place].filter(|_| is_told(empty));
        [at(first, first), at(last, times.len() - 1 - last)]
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
    let time = sheet.time().filter(|_| sheet.is_even());
    let order: Vec<(Option<i64>, usize)> = match time {
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
        let mut here: Vec<(String, &serde_json::Value)> = Vec::new();
        walk("$", &document, 0, &mut here);
        for (path, value) in here {
            let known = match seen.iter().position(|known| known.path == path) {
                Some(known) => known,
                None => {
                    seen.push(Seen { path, kinds: Vec::new(), texts: Some(BTreeSet::new()), places: Vec::new() });
                    seen.len() - 1
                }
            };
            seen[known].take(kind_of(value), value.as_str(), place);
        }
    }
    let documents = times.len() as u64;
    if documents < 3 || seen.is_empty() {
        return None;
    }
    // The frequent ones, in the order in which documents have them.
    let told = |at: i64| time.map(|time| sheet.about(time, at));
    let mut seen: Vec<(Seen, [Option<i64>; 2])> =
        seen.into_iter().map(|seen| (seen.ends(&times), seen)).map(|(ends, seen)| (seen, ends)).collect();
    // Of what came or went the one is missed without the other.
    let weight = |(seen, ends): &(Seen, [Option<i64>; 2])| (ends.iter().any(Option::is_some), seen.places.len());
    let mut weights: Vec<(bool, usize)> = seen.iter().map(weight).collect();
    weights.sort_unstable_by(|left, right| right.cmp(left));
    let least = weights.get(MOST - 1).copied().unwrap_or((false, 1));
    seen.retain(|seen| weight(seen) >= least);
    let paths = seen.into_iter().take(MOST).map(|(seen, [since, until])| DocumentPath {
        share: super::rounded(seen.places.len() as f64 / documents as f64),
        holds: seen.holds(|place| told(times[place]?)),
        values: seen.values(),
        path: seen.path,
        since: since.and_then(told),
        until: until.and_then(told),
    });
    let kind = FactKind::Paths { column: column.column.name.clone(), paths: paths.collect() };
    let proof = format!("SELECT {} FROM {} LIMIT 20", sheet.name(column), sheet.from());
    // Whether a path is told with its days or not, the time took part in finding them.
    let by = time.map(|time| time.column.name.as_str());
    Some(Fact::new(kind, documents, documents, proof).resting_on(by, []))
}

/// The paths to what isn't an object, two objects deep, each once.
fn walk<'v>(path: &str, value: &'v serde_json::Value, depth: usize, found: &mut Vec<(String, &'v serde_json::Value)>) {
    /// Longer names are values that somebody uses as names.
    const LONGEST: usize = 40;
    match value {
        serde_json::Value::Object(members) if depth < 2 => {
            for (name, member) in members.iter().take(40).filter(|(name, _)| name.len() <= LONGEST) {
                walk(&format!("{path}.{name}"), member, depth + 1, found);
            }
        }
        serde_json::Value::Array(items) if depth < 2 && items.first().is_some_and(serde_json::Value::is_object) => {
            walk(&format!("{path}[*]"), &items[0], depth + 1, found);
        }
        _ => found.push((path.to_owned(), value)),
    }
}

fn kind_of(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Object(_) => "object",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::String(_) => "text",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Null => "null",
    }
}
