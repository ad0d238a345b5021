//! What stands in JSON inside of texts, told by its keys, and in types of several fields, told by these: each is judged as a
//! table whose columns they are.
//!
//! Invariant: of the values only the keys are looked at here, and no reason quotes one that isn't in the vocabulary.

use std::collections::BTreeSet;

use catalog::{Column, Table, TableId, TypeClass};
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
    let parsed = documents(values)?;
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

/// Whether they are documents, of which the keys say what they hold.
pub(crate) fn are_documents(values: &[&str]) -> bool {
    documents(values).is_some()
}

/// Some of the values, parsed; `None` where most are no documents.
fn documents(values: &[&str]) -> Option<Vec<Value>> {
    let step = values.len().div_ceil(TRIED).max(1);
    let tried: Vec<&str> = values.iter().copied().step_by(step).collect();
    let parsed: Vec<Value> = tried
        .iter()
        .filter(|value| value.starts_with(['{', '[']))
        .filter_map(|value| serde_json::from_str(value).ok().or_else(|| as_engines_write(value)))
        .collect();
    (!parsed.is_empty() && parsed.len() as f64 >= SHARE * tried.len() as f64).then_some(parsed)
}

/// A map as engines write it, `{'salary': 3, name=x}`: its keys, with values of no kind in particular.
fn as_engines_write(text: &str) -> Option<Value> {
    let is_key = |key: &&str| {
        let is_word = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ' ' | '-' | '.');
        (1..=60).contains(&key.len())
            && key.chars().all(is_word)
            && key.starts_with(|sign: char| sign.is_alphabetic() || sign == '_')
    };
    let inner = text.trim_matches(['[', ']']).strip_prefix('{')?;
    let before = inner.split([':', '=']).map(|part| part.rsplit([',', '{']).next().unwrap_or_default());
    let keys = before.map(|key| key.trim().trim_matches(['\'', '"'])).filter(is_key);
    let object: serde_json::Map<String, Value> =
        keys.take(MOST_KEYS).map(|key| (key.to_owned(), Value::String(String::new()))).collect();
    (!object.is_empty()).then_some(Value::Object(object))
}

/// What the fields of its type give away.
pub(crate) fn by_type(table: &Table, column: &Column) -> Option<Finding> {
    /// What engines call any such type.
    const GENERIC: [&str; 7] = ["struct", "tuple", "nested", "union", "row", "record", "map"];
    column.composites().into_iter().find_map(|composite| {
        let fields = composite.fields.iter().map(|(name, data_type)| {
            // What is inside of a field's type is a composite of its own.
            let data_type = data_type.split('(').next().unwrap_or_default();
            Column { name: name.clone(), type_class: TypeClass::of(data_type), ..Column::new(name, data_type) }
        });
        let is_generic = GENERIC.contains(&composite.name.to_lowercase().as_str());
        let name = if is_generic { table.id.name.clone() } else { composite.name.clone() };
        let inner = Table { columns: fields.collect(), ..Table::new(TableId { name, ..table.id.clone() }) };
        let found = structure::findings(&inner).into_iter().flatten().next()?;
        let reason = format!("a field of its type: {}", found.reason);
        Some(Finding { reason, confidence: found.confidence.min(0.8), ..found })
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
