//! What the server takes a statement to read, by its own plan of it.
//!
//! `EXPLAIN (VERBOSE)` writes every expression of every step with the column's relation before it, whatever the statement
//! calls them: names are resolved, views and `*` are gone. What a scan gives on where nobody wants it (a scan may hand on
//! whole rows, since that is cheaper) isn't read by the statement: then what uses it stands in a step above.
//! <https://www.postgresql.org/docs/current/sql-explain.html>

use std::collections::BTreeSet;

use serde_json::Value;

use crate::statement::{EngineRead, ReadWhat};

/// Steps that don't say what they give on.
const SILENT: [&str; 3] = ["Append", "Merge Append", "Recursive Union"];

/// A relation in a plan.
struct Scanned<'p> {
    schema: Option<&'p str>,
    relation: &'p str,
    /// What it is called in the plan, as it stands in expressions.
    aliases: [String; 2],
}

/// The columns that a plan reads; `None` where the text is no plan.
pub(super) fn reads(plan: &str) -> Option<Vec<EngineRead>> {
    let plan: Value = serde_json::from_str(plan).ok()?;
    let mut scanned = Vec::new();
    let mut texts = Vec::new();
    for query in plan.as_array()? {
        visit(query.get("Plan")?, true, &mut scanned, &mut texts)?;
    }
    let mut found = BTreeSet::new();
    for of in &scanned {
        for alias in &of.aliases {
            for what in texts.iter().flat_map(|text| named_behind(text, alias)) {
                found.insert(EngineRead {
                    schema: of.schema.map(str::to_owned),
                    relation: Some(of.relation.to_owned()),
                    what,
                    through: None,
                });
            }
        }
    }
    Some(found.into_iter().collect())
}

/// Gathers the relations and the expressions of a step and of those below it.
fn visit<'p>(
    step: &'p Value,
    gives_what_it_reads: bool,
    scanned: &mut Vec<Scanned<'p>>,
    texts: &mut Vec<&'p str>,
) -> Option<()> {
    let kind = step.get("Node Type")?.as_str()?;
    let is_scan = step.get("Relation Name").is_some();
    for (key, value) in step.as_object()? {
        let told: Vec<&str> = match value {
            Value::String(text) => vec![text],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        // Of what a scan hands on, plain columns may be more than are wanted.
        let is_plain = |text: &&str| !text.contains(['(', ' ']) || text.starts_with('"') && text.ends_with('"');
        let skips = key == "Output" && is_scan && !gives_what_it_reads;
        texts.extend(told.into_iter().filter(|text| !skips || !is_plain(text)));
    }
    if let Some(relation) = step.get("Relation Name").and_then(Value::as_str) {
        let alias = step.get("Alias").and_then(Value::as_str).unwrap_or(relation);
        scanned.push(Scanned {
            schema: step.get("Schema").and_then(Value::as_str),
            relation,
            aliases: [alias.to_owned(), format!("\"{}\"", alias.replace('"', "\"\""))],
        });
    }
    for below in step.get("Plans").and_then(Value::as_array).into_iter().flatten() {
        let place = below.get("Parent Relationship").and_then(Value::as_str);
        let is_wanted = !matches!(place, Some("Outer" | "Inner")) || SILENT.contains(&kind) || kind == "Subquery Scan";
        visit(below, is_wanted, scanned, texts)?;
    }
    Some(())
}

/// What stands behind `alias.` in an expression.
fn named_behind(text: &str, alias: &str) -> Vec<ReadWhat> {
    let mut found = Vec::new();
    let mut rest = text;
    let prefix = format!("{alias}.");
    let mut before = None;
    while let Some(place) = rest.find(&prefix) {
        let last = rest[..place].chars().next_back().or(before);
        let is_whole = !last.is_some_and(|character| character.is_alphanumeric() || character == '_');
        let behind = &rest[place + prefix.len()..];
        if is_whole {
            found.extend(name_at(behind));
        }
        before = Some('.');
        rest = behind;
    }
    found
}

/// The name that a text begins with, in quotes or not; `*` for a whole row.
fn name_at(text: &str) -> Option<ReadWhat> {
    if text.starts_with('*') {
        return Some(ReadWhat::Row);
    }
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '$'));
        let name = &text[..end.unwrap_or(text.len())];
        return (!name.is_empty()).then(|| ReadWhat::Column(name.to_owned()));
    };
    let mut name = String::new();
    let mut rest = quoted.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '"' && rest.next_if_eq(&'"').is_none() {
            return Some(ReadWhat::Column(name));
        }
        name.push(character);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{ReadWhat, named_behind, reads};

    fn columns(plan: &str) -> Vec<String> {
        let of = |what| match what {
            ReadWhat::Column(name) => name,
            ReadWhat::Row => "*".to_owned(),
            ReadWhat::Within(text) => text,
        };
        reads(plan).unwrap().into_iter().map(|read| format!("{}.{}", read.relation.unwrap(), of(read.what))).collect()
    }

    #[test]
    fn names_are_found_behind_what_a_relation_is_called() {
        let column = |name: &str| ReadWhat::Column(name.to_owned());
        assert_eq!(
            named_behind("((p.email)::text = 'x') AND (xp.id = p.\"E \"\"Mail\")", "p"),
            [column("email"), column("E \"Mail")]
        );
        assert_eq!(named_behind("row_to_json(\"P p\".*)", "\"P p\""), [ReadWhat::Row]);
    }

    #[test]
    fn what_a_scan_hands_on_to_nobody_is_not_read() {
        let scan = |more: &str| {
            format!(
                r#"{{"Node Type": "Seq Scan", "Relation Name": "people", "Schema": "s", "Alias": "p",
                    "Output": ["id", "p.id", "p.email"]{more}}}"#
            )
        };
        assert_eq!(columns(&format!(r#"[{{"Plan": {}}}]"#, scan(""))), ["people.email", "people.id"]);
        let outer = scan(r#", "Parent Relationship": "Outer", "Filter": "(p.city = 'x'::text)""#);
        let counted =
            format!(r#"[{{"Plan": {{"Node Type": "Aggregate", "Output": ["count(p.id)"], "Plans": [{outer}]}}}}]"#);
        assert_eq!(columns(&counted), ["people.city", "people.id"]);
        let member = scan(r#", "Parent Relationship": "Member""#);
        let appended = format!(r#"[{{"Plan": {{"Node Type": "Append", "Plans": [{member}]}}}}]"#);
        assert_eq!(columns(&appended), ["people.email", "people.id"]);
        assert_eq!(reads("{}"), None);
    }
}
