//! What stands in JSON inside of texts, told by its keys: an object is judged as a table whose columns the keys are.
//!
//! Invariant: of the values only the keys are looked at here, and no reason quotes one that isn't in the vocabulary.

use std::collections::BTreeSet;

use catalog::{Column, Table, TypeClass};
use serde_json::Value;

use crate::finding::Finding;
use crate::structure;

/// Texts that are parsed, and keys that are taken from them.
const TRIED: usize = 30;
const MOST_KEYS: usize = 200;
/// Share of the values that must be objects or lists of them.
const SHARE: f64 = 0.5;

/// What the keys in the values give away.
pub(crate) fn finding(table: &Table, column: &Column, values: &[&str]) -> Option<Finding> {
    let step = values.len().div_ceil(TRIED).max(1);
    let tried: Vec<&str> = values.iter().copied().step_by(step).collect();
    let parsed: Vec<Value> = tried
        .iter()
        .filter(|value| value.starts_with(['{', '[']))
        .filter_map(|value| serde_json::from_str(value).ok())
        .collect();
    if parsed.is_empty() || (parsed.len() as f64) < SHARE * tried.len() as f64 {
        return None;
    }
    let mut objects: Vec<(String, BTreeSet<(String, JsonKind)>)> = Vec::new();
    for value in &parsed {
        collect(&table.id.name, value, &mut objects);
    }
    let found = objects.iter().find_map(|(name, keys)| {
        let inner = as_table(table, column, name, keys);
        structure::findings(&inner).into_iter().flatten().next()
    })?;
    Some(Finding {
        reason: format!("a key in its JSON: {}", found.reason),
        confidence: found.confidence.min(0.8),
        ..found
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum JsonKind {
    Number,
    Truth,
    Text,
}

/// The keys of each object, by the key that it stands under.
fn collect(name: &str, value: &Value, into: &mut Vec<(String, BTreeSet<(String, JsonKind)>)>) {
    match value {
        Value::Array(values) => values.iter().take(TRIED).for_each(|value| collect(name, value, into)),
        Value::Object(object) => {
            if !into.iter().any(|(known, _)| known == name) {
                into.push((name.to_owned(), BTreeSet::new()));
            }
            for (key, value) in object.iter().take(MOST_KEYS) {
                let kind = match value {
                    Value::Object(_) | Value::Array(_) => {
                        collect(key, value, into);
                        continue;
                    }
                    Value::Null => continue,
                    Value::Bool(_) => JsonKind::Truth,
                    Value::Number(_) => JsonKind::Number,
                    Value::String(_) => JsonKind::Text,
                };
                if let Some((_, keys)) = into.iter_mut().find(|(known, _)| known == name)
                    && keys.len() < MOST_KEYS
                {
                    keys.insert((key.clone(), kind));
                }
            }
        }
        _ => {}
    }
}

fn as_table(table: &Table, column: &Column, name: &str, keys: &BTreeSet<(String, JsonKind)>) -> Table {
    let columns = keys.iter().map(|(key, kind)| Column {
        name: key.clone(),
        type_class: match kind {
            JsonKind::Number => TypeClass::Real,
            JsonKind::Truth => TypeClass::Boolean,
            JsonKind::Text => TypeClass::Text,
        },
        comment: None,
        ..column.clone()
    });
    let columns: Vec<Column> = columns.collect();
    let mut id = table.id.clone();
    name.clone_into(&mut id.name);
    Table {
        id,
        columns,
        comment: None,
        primary_key: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        ..table.clone()
    }
}
