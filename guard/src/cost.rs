//! What a statement will cost, by the engine's own plan, before it runs.
//!
//! The time limit stops what takes too long, but a server works for nothing until then. The plan tells beforehand how
//! many rows the engine expects to read or to combine in its largest step. It is asked for only where the tables are
//! large enough for the ceiling to be reached at all.

use catalog::{Catalog, ColumnProfile, Dialect, Entry, KnownValues, Source, TypeClass};
use connect::{ResultSet, StatementSession, Value};
use dialect::PlanForm;
use sql::{ColumnRef, GrowthKind, ResolvedStatement, StatementKind};

use crate::finding::{Finding, Severity, Verdict};
use crate::held::{self, Width};
use crate::policy::Policy;
use crate::rules;

/// The verdict with a finding where the engine expects more rows than the policy allows, or would hold more; of a statement
/// that looks up values of masked columns, without how many. Where the engine has no plan to give, the statement is left
/// as it is: the time limit holds.
pub(crate) async fn with_cost(
    verdict: Verdict,
    catalog: &Catalog,
    source: &Source,
    session: &mut dyn StatementSession,
    policy: &Policy,
    look_ups: usize,
) -> Verdict {
    let config = policy.config_of(&source.name);
    let Some(severity) = config.severity(rules::cost()) else { return verdict };
    if verdict.reading.kind != StatementKind::Query {
        return verdict;
    }
    let reading = &verdict.reading;
    let counts_rows = config.max_estimated_rows > 0 && can_reach(config.max_estimated_rows as f64, reading, catalog);
    let counts_bytes = !source.dialect.account().bounds_memory
        && config.max_estimated_bytes > 0
        && (keeps_values(reading)
            || reading.growth.iter().any(|it| it.what == sql::LONG_NUMBER)
            || reading.aggregates.len() > MANY_AGGREGATES
            || can_reach(config.max_estimated_bytes as f64 / LARGE_ROW, reading, catalog)
            || reads_much(config.max_estimated_bytes as f64 / MOST_AGAIN, reading, catalog));
    if !counts_rows && !counts_bytes {
        return verdict;
    }
    let Ok(plan) = session.plan().await else { return verdict };
    // How much it expects of a value can say how often the value occurs.
    let about = |much: f64| match look_ups {
        0 => format!("about {}", rounded(much)),
        _ => "too many".to_owned(),
    };
    let mut found: Vec<(&'static str, String, &'static str, &'static str)> = Vec::new();
    match planned(&plan, &source.dialect) {
        Err(Unreadable) => return verdict.with(Finding { severity, ..unreadable() }),
        Ok(planned) => {
            let rows = planned.rows(&plan, reading, catalog).filter(|_| counts_rows).unwrap_or(0.0);
            if rows > config.max_estimated_rows as f64 {
                found.push((
                    "too_costly",
                    format!(
                        "the engine expects {} rows in one step, and the ceiling is {}",
                        about(rows),
                        rounded(config.max_estimated_rows as f64)
                    ),
                    "It would work until the time limit, and give nothing.",
                    "Restrict the largest table by an indexed column, or join by keys.",
                ));
            }
            let bytes = if counts_bytes { planned.bytes(reading, catalog, source) } else { 0.0 };
            if bytes > config.max_estimated_bytes as f64 {
                found.push((
                    "too_much_held",
                    format!(
                        "what the engine keeps in memory and can't put on the disk would be {} bytes, and the ceiling is {}",
                        about(bytes),
                        rounded(config.max_estimated_bytes as f64)
                    ),
                    "Aggregates that keep every value, EXCEPT, INTERSECT and NOT IN take memory that others need.",
                    "Collect or compare fewer rows, picked by plain columns; count instead of collecting, or write NOT EXISTS.",
                ));
            }
        }
    }
    let unmeasured = unmeasured(reading, catalog);
    let mut findings = verdict.findings;
    findings.extend(found.into_iter().map(|(code, message, why, help)| Finding {
        rule: rules::cost().name,
        code,
        severity,
        span: None,
        message,
        why: why.to_owned(),
        help: format!("{help}{unmeasured}"),
        suggestions: Vec::new(),
        rewrite: None,
    }));
    Verdict::of(findings, verdict.reading)
}

/// What to say of columns of a statement that nobody has measured, behind what is too large; nothing where there are none.
pub(crate) fn unmeasured(reading: &ResolvedStatement, catalog: &Catalog) -> String {
    let is_unmeasured =
        |column: &ColumnRef| catalog.entry(&column.table).is_some_and(|entry| entry.is_unmeasured(&column.column));
    let used = reading.columns.iter().map(|used| &used.column).find(|column| is_unmeasured(column));
    let said = used.map(|column| {
        let name = format!("{}.{}", column.table.local(), column.column);
        format!(
            " `{name}` was released after the table had been looked at, and counts as very long until `periplus index` has measured \
             it."
        )
    });
    said.unwrap_or_default()
}

/// The finding where an engine has a plan that can't be read.
pub(crate) fn unreadable() -> Finding {
    Finding {
        rule: rules::cost().name,
        code: "plan_unreadable",
        severity: Severity::Error,
        span: None,
        message: "the engine's plan is too long or nested too deep to be read".to_owned(),
        why: "Nobody can tell what it would read and cost.".to_owned(),
        help: "Ask in fewer steps: fewer queries inside each other, fewer columns.".to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}

/// Bytes that a large row is taken to have where it is asked whether a plan is worth looking at.
const LARGE_ROW: f64 = 10_000.0;

/// Times the data in its tables that a statement may hold of them, put beside each other and taken apart.
const MOST_AGAIN: f64 = 40.0;

/// A plan that came and can't be read: no reason to take it for a small one.
struct Unreadable;

/// A plan, as each engine gives it.
enum Planned {
    Postgres(serde_json::Value),
    Duckdb(serde_json::Value),
    Mysql,
    Clickhouse,
    Sqlite,
    None,
}

fn planned(plan: &ResultSet, dialect: &Dialect) -> Result<Planned, Unreadable> {
    let document = |text: Option<String>| serde_json::from_str(&text.ok_or(Unreadable)?).map_err(|_| Unreadable);
    let row = || plan.rows.first().ok_or(Unreadable);
    Ok(match dialect.account().plan {
        PlanForm::NodesWithWidths => {
            let mut plan: serde_json::Value = document(row()?.first().and_then(Value::as_text))?;
            Planned::Postgres(plan.get_mut(0).and_then(|plan| plan.get_mut("Plan")).ok_or(Unreadable)?.take())
        }
        PlanForm::Operators => Planned::Duckdb(document(row()?.last().and_then(Value::as_text))?),
        PlanForm::RowForEachTable => Planned::Mysql,
        PlanForm::RowsRead => Planned::Clickhouse,
        PlanForm::Loops => Planned::Sqlite,
        PlanForm::None => Planned::None,
    })
}

impl Planned {
    /// The rows of its largest step; `None` where the engine doesn't say.
    fn rows(&self, plan: &ResultSet, reading: &ResolvedStatement, catalog: &Catalog) -> Option<f64> {
        match self {
            Self::Postgres(plan) => Some(postgres(plan, 1.0)),
            Self::Duckdb(plan) => duckdb(plan),
            // It takes a query in FROM to give as many rows as it reads.
            Self::Mysql => mysql(plan).map(|rows| rows.min(reading.most_combined)),
            Self::Clickhouse => clickhouse(plan),
            Self::Sqlite => sqlite(plan, reading, catalog),
            Self::None => None,
        }
    }

    /// The bytes that its aggregates hold.
    fn bytes(&self, reading: &ResolvedStatement, catalog: &Catalog, source: &Source) -> f64 {
        let Self::Postgres(plan) = self else { return 0.0 };
        let used = || reading.tables.iter().filter_map(|used| catalog.entry(used.table.as_ref()?));
        let width = |name: &str| {
            let lengths = used().filter_map(|entry| {
                // What the engine says of a long value is what it keeps beside the row: a pointer. Its own figure counts
                // where there is no profile.
                width_of(entry, entry.profile()?.column(name)?)
            });
            lengths.reduce(Width::or)
        };
        let row = used().map(|entry| {
            let lengths = entry.profile().into_iter().flat_map(|profile| &profile.columns);
            lengths.filter_map(|column| width_of(entry, column)).fold(Width::default(), Width::and)
        });
        let row = row.fold(Width::default(), Width::or);
        let rows = |table: &str| {
            let counted = catalog.tables_of(&source.name).filter(|entry| entry.table.id.name == table);
            counted.filter_map(|entry| Some(entry.table.row_count.as_ref()?.value as f64)).reduce(f64::max)
        };
        let made = |name: &str| {
            let grown = reading.growth.iter().filter(|it| it.kind == GrowthKind::Value && it.what == name);
            grown.map(|it| it.amount / it.of_data.max(1.0)).fold(1.0, f64::max).min(MOST_MADE)
        };
        let most_of = |table: &str, name: &str, of_table: &dyn Fn(&Entry) -> f64| {
            let of_name = catalog.tables_of(&source.name).filter(|entry| entry.table.id.name == table);
            let of_name = of_name.filter(|entry| entry.table.column(name).is_some()).map(of_table).reduce(f64::max);
            // A partition has no more than the table that it is one of.
            let of_used = || used().filter(|entry| entry.table.column(name).is_some()).map(of_table).reduce(f64::max);
            of_name.or_else(of_used).unwrap_or(f64::INFINITY)
        };
        let repeated = |table: &str, name: &str| {
            let of_table = |entry: &Entry| {
                let rows = rows_of(entry).unwrap_or(f64::INFINITY);
                if entry.table.primary_key == [name] {
                    return 1.0;
                }
                // Of ranges and documents no engine keeps which are frequent.
                let is_plain = entry.table.column(name).is_some_and(|column| has_frequent_values(column.type_class));
                let known = entry.profile().and_then(|profile| profile.column(name));
                let Some(column) = known.filter(|_| is_plain) else { return rows };
                let most = column.most_common.first().map_or(0.0, |most| most.fraction * rows);
                let mean = column.distinct_count.map_or(rows, |distinct| rows / distinct.max(1) as f64);
                most.max(SKEW * mean).min(rows)
            };
            most_of(table, name, &of_table)
        };
        let without = |table: &str, name: &str| {
            let of_table = |entry: &Entry| {
                let share = entry.profile().and_then(|profile| profile.column(name)?.null_fraction).unwrap_or(1.0);
                share * rows_of(entry).unwrap_or(f64::INFINITY)
            };
            most_of(table, name, &of_table)
        };
        let of_value = |table: &str, name: &str, value: &str| {
            let of_table = |entry: &Entry| {
                let Some(known) = entry.profile().and_then(|profile| profile.column(name)) else { return 0.0 };
                let rows = rows_of(entry).unwrap_or(f64::INFINITY);
                let common = known.most_common.iter().find(|common| common.value == value);
                match (common, &known.values) {
                    (Some(common), _) => common.fraction * rows,
                    // Of few values each has its part of the rows, as far as anybody knows.
                    (None, KnownValues::All(all)) if all.iter().any(|it| it == value) => rows / all.len() as f64,
                    _ => 0.0,
                }
            };
            let found = most_of(table, name, &of_table);
            if found.is_finite() { found } else { 0.0 }
        };
        let different = |table: &str, name: &str| {
            let of_table = |entry: &Entry| {
                let known = entry.profile().and_then(|profile| profile.column(name)?.distinct_count);
                known.map_or(f64::INFINITY, |count| SKEW * count as f64)
            };
            most_of(table, name, &of_table)
        };
        let has_figures = |name: &str| {
            let columns = used().filter_map(|entry| entry.table.column(name));
            let classes: Vec<TypeClass> = columns.map(|column| column.type_class).collect();
            !classes.is_empty() && classes.into_iter().all(has_frequent_values)
        };
        let is_text = |name: &str| {
            let mut columns = catalog.tables_of(&source.name).filter_map(|entry| entry.table.column(name));
            columns.all(|column| column.type_class == TypeClass::Text)
        };
        let arrays = reading.growth.iter().any(|it| it.what == "array");
        let largest = used().filter_map(rows_of).fold(0.0, f64::max);
        held::bytes(
            plan,
            &held::Known {
                width: &width,
                rows: &rows,
                row,
                repeated: &repeated,
                without: &without,
                of_value: &of_value,
                different: &different,
                has_figures: &has_figures,
                is_text: &is_text,
                plan,
                made: &made,
                largest,
                limit: reading.largest_limit,
                remembers: reading.recursions.iter().any(|recursion| recursion.remembers),
                arrays,
            },
        )
    }
}

/// How long the values of a column are, as far as anybody has looked.
fn width_of(entry: &Entry, column: &ColumnProfile) -> Option<Width> {
    if entry.is_unmeasured(&column.column) {
        return Some(Width::of_each(sql::UNMEASURED));
    }
    let mean = column.average_length?;
    let longest = column.longest.map_or(mean, |longest| (longest as f64).max(mean));
    Some(Width { mean, longest, all: rows_of(entry).map_or(f64::INFINITY, |rows| rows * mean) })
}

fn rows_of(entry: &Entry) -> Option<f64> {
    Some(entry.table.row_count?.value as f64)
}

/// How many times as many rows as on average a value is taken to have at most that no sample showed to be frequent.
const SKEW: f64 = 4.0;

/// Times the stored data in it that a value of an accepted statement can be: more is a `resource_bomb`.
const MOST_MADE: f64 = 16.0;

/// Aggregates of one statement that, each with a sort of its own, may take what is too much together.
const MANY_AGGREGATES: usize = 40;

/// Whether a profile tells which values of a column are frequent.
fn has_frequent_values(class: TypeClass) -> bool {
    !matches!(class, TypeClass::Json | TypeClass::Binary | TypeClass::Other)
}

/// Whether an aggregate keeps all values: then the engine is asked however small the tables were when they were counted, as
/// they may have grown.
fn keeps_values(reading: &ResolvedStatement) -> bool {
    reading.functions.iter().any(|function| sql::keeps_values(&function.name().to_lowercase()))
}

/// Whether all rows of the tables read, combined with each other, are more than the ceiling.
fn can_reach(ceiling: f64, reading: &ResolvedStatement, catalog: &Catalog) -> bool {
    let rows = |used: &sql::TableUse| Some(catalog.entry(used.table.as_ref()?)?.table.row_count?.value.max(1) as f64);
    let known: f64 = reading.tables.iter().filter_map(rows).product();
    // A view says nothing of what is behind it.
    let has_view = reading
        .tables
        .iter()
        .filter_map(|used| catalog.entry(used.table.as_ref()?))
        .any(|entry| entry.table.row_count.is_none());
    known > ceiling || has_view
}

/// Whether the texts in the tables read come to more than so many bytes, which parts of them may be many times.
fn reads_much(bytes: f64, reading: &ResolvedStatement, catalog: &Catalog) -> bool {
    let texts = |used: &sql::TableUse| {
        let entry = catalog.entry(used.table.as_ref()?)?;
        let rows = rows_of(entry)?;
        let columns = entry.profile()?.columns.iter().filter_map(|column| width_of(entry, column));
        Some(columns.map(|width| width.of_rows(rows)).sum::<f64>())
    };
    reading.tables.iter().filter_map(texts).sum::<f64>() > bytes
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
fn sqlite(plan: &ResultSet, reading: &ResolvedStatement, catalog: &Catalog) -> Option<f64> {
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
    use catalog::{
        Catalog, Column, ColumnProfile, Dialect, Entry, Exactness, RowCount, SampleMethod, Source, Table, TableId,
        TableProfile,
    };
    use serde_json::json;
    use sql::CatalogSchema;

    use super::{duckdb, postgres, reads_much, rounded};

    #[test]
    fn few_rows_of_long_texts_are_much() {
        let reads = |length: f64| {
            let mut table = Table::new(TableId::new("s", "notes"));
            table.columns = vec![Column::new("id", "integer"), Column::new("note", "text")];
            table.row_count = Some(RowCount { value: 4_000, exactness: Exactness::Exact });
            let note = ColumnProfile { average_length: Some(length), ..ColumnProfile::empty("note") };
            let profile = TableProfile::new(&table, SampleMethod::AllRows, Default::default());
            let columns = vec![ColumnProfile::empty("id"), note];
            let entry = Entry::bare(table).with_profile(TableProfile { columns, ..profile });
            let catalog = Catalog::new(vec![Source::new("s", Dialect::Postgres, "")], vec![entry], Vec::new(), 0);
            let schema = CatalogSchema::new(&catalog, "s");
            reads_much(2.5e7, &sql::read("SELECT id FROM notes", &Dialect::Postgres, &schema), &catalog)
        };
        assert!(reads(50_000.0) && !reads(50.0));
    }

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
