//! What a statement does, by the engine's own plan of it.
//!
//! A query of DuckDB can call functions that do more than read: `SELECT * FROM enable_logging(…)` has the engine write
//! a file, and stops the process with it where that is forbidden. The text doesn't show it, since `query()` takes
//! statements as text and views hide what they call; the plan does. Invariant: a statement whose plan can't be read is
//! refused.

use serde_json::Value;

use crate::statement::{EngineRead, ReadWhat};

/// Table functions that change the engine, or read memory by its address.
const WITH_EFFECTS: [&str; 9] = [
    "ARROW_SCAN",
    "ARROW_SCAN_DUMB",
    "CHECKPOINT",
    "DISABLE_LOGGING",
    "DISABLE_PROFILING",
    "ENABLE_LOGGING",
    "ENABLE_PROFILING",
    "FORCE_CHECKPOINT",
    "TRUNCATE_DUCKDB_LOGS",
];

/// The functions in a plan that do more than read; `None` where the text is no plan. `json` is what
/// `EXPLAIN (FORMAT JSON)` gives: steps with `name`, `extra_info` and `children`.
pub(super) fn functions_with_effects(json: &[u8]) -> Option<Vec<String>> {
    let plan: Value = serde_json::from_slice(json).ok()?;
    let mut open: Vec<&Value> = plan.as_array()?.iter().collect();
    let mut found = Vec::new();
    while let Some(step) = open.pop() {
        let function = step["extra_info"]["Function"].as_str();
        for name in [step["name"].as_str()?].into_iter().chain(function) {
            let name = name.trim().to_ascii_uppercase();
            if WITH_EFFECTS.contains(&name.as_str()) && !found.contains(&name.to_ascii_lowercase()) {
                found.push(name.to_ascii_lowercase());
            }
        }
        open.extend(step["children"].as_array().into_iter().flatten());
    }
    Some(found)
}

/// The columns that a plan reads of tables: what each scan gives on, and what its filters name. `None` where the text is no
/// plan.
pub(super) fn reads(json: &[u8]) -> Option<Vec<EngineRead>> {
    let plan: Value = serde_json::from_slice(json).ok()?;
    let mut open: Vec<&Value> = plan.as_array()?.iter().collect();
    let mut found = Vec::new();
    while let Some(step) = open.pop() {
        let extra = &step["extra_info"];
        if let Some(table) = extra["Table"].as_str() {
            let mut path = name_parts(table);
            let (relation, schema) = (path.pop(), path.pop());
            // Of a part of a value, the whole is read.
            let wholes = || texts(&extra["Projections"]).filter_map(|name| Some(name.split_once('.')?.0));
            let columns = texts(&extra["Projections"]).chain(wholes());
            let columns = columns.map(|name| ReadWhat::Column(name.trim_matches('"').to_owned()));
            let filters = texts(&extra["Filters"]).map(|text| ReadWhat::Within(text.to_owned()));
            let of = |what| EngineRead { schema: schema.clone(), relation: relation.clone(), what, through: None };
            found.extend(columns.chain(filters).map(of));
        }
        open.extend(step["children"].as_array().into_iter().flatten());
    }
    Some(found)
}

/// The lines of an entry: one text, or several.
fn texts(entry: &Value) -> impl Iterator<Item = &str> {
    let several = entry.as_array().into_iter().flatten().filter_map(Value::as_str);
    entry.as_str().into_iter().chain(several).filter(|text| !text.is_empty())
}

/// `memory.main."od.d"` taken apart.
fn name_parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut in_quotes = false;
    for character in name.chars() {
        match character {
            '"' => in_quotes = !in_quotes,
            '.' if !in_quotes => parts.push(String::new()),
            other => parts.last_mut().into_iter().for_each(|part| part.push(other)),
        }
    }
    parts
}

/// The statement behind EXPLAIN, where nothing but blanks, `ANALYZE` and options in brackets stand between them. The
/// engine reads what is left by itself, so a wrong cut gives no statement.
pub(super) fn explained(sql: &str) -> Option<&str> {
    let rest = after_word(sql, "EXPLAIN")?;
    let rest = after_word(rest, "ANALYZE").unwrap_or(rest);
    let options = rest.trim_start().strip_prefix('(').and_then(|inner| inner.split_once(')'));
    let is_option = |character: char| character.is_ascii_alphabetic() || ", \n\t".contains(character);
    let is_query =
        |words: &str| ["SELECT", "FROM", "VALUES", "WITH"].iter().any(|word| after_word(words, word).is_some());
    match options {
        Some((words, statement)) if words.chars().all(is_option) && !is_query(words) => Some(statement),
        _ => Some(rest),
    }
}

/// What follows a word that the text begins with.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let text = text.trim_start();
    let (first, rest) = text.split_at_checked(word.len())?;
    let ends = !rest.starts_with(|character: char| character.is_alphanumeric() || character == '_');
    (first.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{explained, functions_with_effects};

    #[test]
    fn finds_the_statement_behind_explain() {
        for (sql, expected) in [
            ("EXPLAIN SELECT 1", Some(" SELECT 1")),
            (" explain analyze\nselect 1", Some("\nselect 1")),
            ("EXPLAIN (ANALYZE, FORMAT json) SELECT 1", Some(" SELECT 1")),
            ("EXPLAIN (SELECT a) UNION SELECT b", Some(" (SELECT a) UNION SELECT b")),
            ("EXPLAIN /* x */ ANALYZE DROP TABLE t", Some(" /* x */ ANALYZE DROP TABLE t")),
            ("EXPLAINED", None),
        ] {
            assert_eq!(explained(sql), expected, "{sql}");
        }
    }

    #[test]
    fn finds_functions_at_every_depth_of_a_plan() {
        let inner = r#"{"name": "ENABLE_LOGGING ", "children": [], "extra_info": {}}"#;
        let plan = format!(r#"[{{"name": "PROJECTION", "children": [{inner}], "extra_info": {{}}}}]"#);
        assert_eq!(functions_with_effects(plan.as_bytes()), Some(vec!["enable_logging".to_owned()]));
        assert_eq!(functions_with_effects(br#"[{"name": "SEQ_SCAN ", "children": []}]"#), Some(Vec::new()));
        for no_plan in ["", "{}", "[{}]"] {
            assert_eq!(functions_with_effects(no_plan.as_bytes()), None, "{no_plan}");
        }
    }
}
