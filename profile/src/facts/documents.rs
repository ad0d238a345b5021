//! What is in documents that a column holds: the paths to their values.

use catalog::{DocumentPath, Fact, FactKind, TypeClass, ValueForm};

use super::sheet::{Sheet, SheetColumn};

/// Values looked at for a form.
const MOST_VALUES: usize = 500;

/// What is in documents.
pub(super) fn paths(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// Paths that are told.
    const MOST: usize = 8;
    let is_json = column.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::Json);
    if !is_json && column.column.type_class != TypeClass::Json {
        return None;
    }
    let mut seen: Vec<(String, &'static str, u64)> = Vec::new();
    let mut documents = 0;
    for text in column.texts.iter().flatten().take(MOST_VALUES) {
        let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        documents += 1;
        let mut here: Vec<(String, &'static str)> = Vec::new();
        walk("$", &document, 0, &mut here);
        for (path, kind) in here {
            match seen.iter_mut().find(|(known, ..)| *known == path) {
                Some((_, known, count)) => {
                    *known = if *known == kind || kind == "null" {
                        known
                    } else if *known == "null" {
                        kind
                    } else {
                        "mixed"
                    };
                    *count += 1;
                }
                None => seen.push((path, kind, 1)),
            }
        }
    }
    if documents < 3 || seen.is_empty() {
        return None;
    }
    // The frequent ones, in the order in which documents have them.
    let mut counts: Vec<u64> = seen.iter().map(|(.., count)| *count).collect();
    counts.sort_unstable_by(|left, right| right.cmp(left));
    let least = counts.get(MOST - 1).copied().unwrap_or(1);
    let kept = seen.into_iter().filter(|(.., count)| *count >= least).take(MOST);
    let paths = kept.map(|(path, holds, count)| DocumentPath {
        path,
        holds: holds.to_owned(),
        share: super::rounded(count as f64 / documents as f64),
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
