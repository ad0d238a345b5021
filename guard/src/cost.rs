//! What a statement will cost, by the engine's own plan, before it runs.
//!
//! The time limit stops what takes too long, but a server works for nothing until then. The plan tells beforehand how
//! many rows the engine expects to read or to combine in its largest step. It is asked for only where the tables are
//! large enough for the ceiling to be reached at all.

use catalog::{Catalog, Dialect, Source};
use connect::{ResultSet, StatementSession, Value};
use sql::{Reading, StatementKind};

use crate::finding::{Finding, Verdict};
use crate::policy::Policy;
use crate::rules;

/// The verdict with a finding where the engine expects more rows than the policy allows; of a statement that looks up
/// values of masked columns, without what it expects. What can't be asked is left as it
/// is: the time limit holds.
pub(crate) async fn with_cost(
    verdict: Verdict,
    catalog: &Catalog,
    source: &Source,
    session: &mut dyn StatementSession,
    policy: &Policy,
    look_ups: usize,
) -> Verdict {
    let config = policy.config_of(&source.name);
    let ceiling = config.max_estimated_rows;
    let Some(severity) = config.severity(rules::cost()).filter(|_| ceiling > 0) else { return verdict };
    if verdict.reading.kind != StatementKind::Query || !can_reach(ceiling, &verdict.reading, catalog) {
        return verdict;
    }
    let Some(rows) = expected_rows(&verdict.reading, catalog, &source.dialect, session).await else { return verdict };
    if rows <= ceiling as f64 {
        return verdict;
    }
    let most = rounded(ceiling as f64);
    let mut findings = verdict.findings;
    findings.push(Finding {
        rule: rules::cost().name,
        code: "too_costly",
        severity,
        span: None,
        message: match look_ups {
            0 => format!("the engine expects about {} rows in one step, and the ceiling is {most}", rounded(rows)),
            // How many rows it expects of a value can say how often the value occurs.
            _ => format!("the engine expects more rows in one step than the ceiling, which is {most}"),
        },
        why: "It would work until the time limit, and give nothing.".to_owned(),
        help: "Restrict the largest table by an indexed column, or join by keys.".to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    });
    Verdict::of(findings, verdict.reading)
}

/// Whether all rows of the tables read, combined with each other, are more than the ceiling.
fn can_reach(ceiling: u64, reading: &Reading, catalog: &Catalog) -> bool {
    let rows = |used: &sql::TableUse| Some(catalog.entry(used.table.as_ref()?)?.table.row_count?.value.max(1) as f64);
    let known: f64 = reading.tables.iter().filter_map(rows).product();
    // A view says nothing of what is behind it.
    let has_view = reading
        .tables
        .iter()
        .filter_map(|used| catalog.entry(used.table.as_ref()?))
        .any(|entry| entry.table.row_count.is_none());
    known > ceiling as f64 || has_view
}

/// The rows of the plan's largest step; `None` where the engine doesn't say.
async fn expected_rows(
    reading: &Reading,
    catalog: &Catalog,
    dialect: &Dialect,
    session: &mut dyn StatementSession,
) -> Option<f64> {
    let plan = session.plan().await.ok()?;
    match dialect {
        Dialect::Sqlite => sqlite(&plan, reading, catalog),
        Dialect::Postgres => {
            let text = plan.rows.first()?.first()?.as_text()?;
            let plan: serde_json::Value = serde_json::from_str(&text).ok()?;
            Some(postgres(plan.get(0)?.get("Plan")?, 1.0))
        }
        Dialect::Duckdb => {
            let text = plan.rows.first()?.last()?.as_text()?;
            duckdb(&serde_json::from_str(&text).ok()?)
        }
        Dialect::Mysql => mysql(&plan),
        Dialect::Clickhouse => clickhouse(&plan),
        Dialect::Other(_) => None,
    }
}

/// The most rows that a node of PostgreSQL's plan gives, all its repetitions together: the second child of a nested loop
/// is run once for each row of the first.
fn postgres(node: &serde_json::Value, loops: f64) -> f64 {
    let rows = |node: &serde_json::Value| node.get("Plan Rows").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    let children = node.get("Plans").and_then(serde_json::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_nested_loop = node.get("Node Type").and_then(serde_json::Value::as_str) == Some("Nested Loop");
    let repeated = children.first().map_or(1.0, rows).max(1.0);
    let of_children = children.iter().enumerate().map(|(position, child)| {
        postgres(child, if is_nested_loop && position == 1 { loops * repeated } else { loops })
    });
    of_children.fold(rows(node) * loops, f64::max)
}

/// The largest "Estimated Cardinality" of DuckDB's plan.
fn duckdb(node: &serde_json::Value) -> Option<f64> {
    match node {
        serde_json::Value::Array(nodes) => nodes.iter().filter_map(duckdb).reduce(f64::max),
        serde_json::Value::Object(fields) => {
            let own = fields
                .get("extra_info")
                .and_then(|info| info.get("Estimated Cardinality"))
                .and_then(|rows| rows.as_f64().or_else(|| rows.as_str()?.trim_start_matches('~').parse().ok()));
            let below = fields.get("children").and_then(duckdb);
            own.into_iter().chain(below).reduce(f64::max)
        }
        _ => None,
    }
}

/// The product of the rows of each query's tables, in EXPLAIN's table: what a nested loop looks at.
fn mysql(plan: &ResultSet) -> Option<f64> {
    let at = |name: &str| plan.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (id, rows) = (at("id")?, at("rows")?);
    let mut by_query: Vec<(String, f64)> = Vec::new();
    for row in &plan.rows {
        let query = row.get(id).and_then(Value::as_text).unwrap_or_default();
        let Some(count) = row.get(rows).and_then(number) else { continue };
        match by_query.iter_mut().find(|(known, _)| *known == query) {
            Some((_, product)) => *product *= count.max(1.0),
            None => by_query.push((query, count.max(1.0))),
        }
    }
    by_query.into_iter().map(|(_, rows)| rows).reduce(f64::max)
}

/// All rows that ClickHouse expects to read.
fn clickhouse(plan: &ResultSet) -> Option<f64> {
    let rows = plan.columns.iter().position(|column| column == "rows")?;
    Some(plan.rows.iter().filter_map(|row| row.get(rows).and_then(number)).sum())
}

/// SQLite's plan has no figures: the rows of the tables that are scanned one inside the other, by the catalog.
fn sqlite(plan: &ResultSet, reading: &Reading, catalog: &Catalog) -> Option<f64> {
    let at = |name: &str| plan.columns.iter().position(|column| column == name);
    let (parent, detail) = (at("parent")?, at("detail")?);
    let mut loops: Vec<(String, f64)> = Vec::new();
    for row in &plan.rows {
        let text = row.get(detail).and_then(Value::as_text)?;
        let Some(name) = text.strip_prefix("SCAN ").map(|rest| rest.split(' ').next().unwrap_or(rest)) else {
            continue;
        };
        let called = |used: &&sql::TableUse| {
            used.alias.as_ref().or(used.parts.last()).is_some_and(|alias| alias.eq_ignore_ascii_case(name))
        };
        let used = reading.tables.iter().find(called);
        let rows = used.and_then(|used| Some(catalog.entry(used.table.as_ref()?)?.table.row_count?.value as f64));
        let parent = row.get(parent).and_then(Value::as_text).unwrap_or_default();
        match loops.iter_mut().find(|(known, _)| *known == parent) {
            Some((_, product)) => *product *= rows.unwrap_or(1.0).max(1.0),
            None => loops.push((parent, rows.unwrap_or(1.0).max(1.0))),
        }
    }
    loops.into_iter().map(|(_, rows)| rows).reduce(f64::max)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        other => other.as_text()?.parse().ok(),
    }
}

/// `2 billion`, `350 million`.
fn rounded(rows: f64) -> String {
    match rows {
        rows if rows >= 1e12 => format!("{:.0} trillion", rows / 1e12),
        rows if rows >= 1e9 => format!("{:.0} billion", rows / 1e9),
        rows if rows >= 1e6 => format!("{:.0} million", rows / 1e6),
        rows => format!("{rows:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{duckdb, postgres, rounded};

    #[test]
    fn the_second_side_of_a_nested_loop_counts_for_each_row_of_the_first() {
        let plan = json!({
            "Node Type": "Aggregate", "Plan Rows": 1, "Plans": [{
                "Node Type": "Nested Loop", "Plan Rows": 500, "Plans": [
                    {"Node Type": "Seq Scan", "Plan Rows": 1_000},
                    {"Node Type": "Seq Scan", "Plan Rows": 2_000},
                ]
            }]
        });
        assert!((postgres(&plan, 1.0) - 2_000_000.0).abs() < 1.0);
    }

    #[test]
    fn the_largest_cardinality_of_a_plan_is_taken() {
        let plan = json!([{"name": "TOP", "extra_info": {"Estimated Cardinality": "10"}, "children": [
            {"name": "SCAN", "extra_info": {"Estimated Cardinality": "~4000"}, "children": []}
        ]}]);
        assert_eq!(duckdb(&plan), Some(4000.0));
        assert_eq!(duckdb(&json!([{"name": "X", "children": []}])), None);
    }

    #[test]
    fn figures_are_said_in_words() {
        assert_eq!([5.0, 3.4e6, 2e9, 7e13].map(rounded), ["5", "3 million", "2 billion", "70 trillion"]);
    }
}
