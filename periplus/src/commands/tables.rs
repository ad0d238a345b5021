//! `periplus tables` and `periplus describe`: what is in the database, for people who look for themselves.

use std::process::ExitCode;

use catalog::{
    Catalog, Column, ColumnFacts, Entry, Exactness, KeyOrigin, LastUpdate, NotATable, SampleMethod, TableId,
    TableProfile,
};
use describe::Contradiction;
use indicatif::HumanCount;
use lineage::Origins;
use serde_json::{Value, json};

use crate::args::{DescribeArguments, TablesArguments};
use crate::output::{self, Output, counted};
use crate::project::{Project, ProjectError};

/// Characters of a summary in a list.
const SUMMARY_CHARACTERS: usize = 100;
/// Values of a column that are shown of those that are known.
const VALUES_SHOWN: usize = 8;
/// Characters of a value.
const VALUE_CHARACTERS: usize = 40;
/// Names in a list at the end.
const NAMES_SHOWN: usize = 20;

pub(super) fn list(arguments: &TablesArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let source = arguments.source.as_deref().map(|name| project.source(Some(name))).transpose()?;
    let wanted = arguments.pattern.as_ref().map(|pattern| pattern.to_lowercase());
    let is_wanted = |id: &TableId| {
        let names = [&id.name, &id.local(), &id.to_string()].map(|name| name.to_lowercase());
        wanted.as_ref().is_none_or(|pattern| match pattern.contains('*') {
            true => names.iter().any(|name| words::matches_glob(pattern, name)),
            false => names.iter().any(|name| name.contains(pattern.as_str())),
        })
    };
    let entries = catalog
        .entries()
        .iter()
        .filter(|entry| source.is_none_or(|source| entry.table.id.source == source.id) && is_wanted(&entry.table.id));
    let entries: Vec<&Entry> = entries.collect();
    let documents: Vec<Value> = entries.iter().map(|entry| head(entry)).collect();
    output.json(&documents);
    let header = ["table", "kind", "rows", "what it is"].map(str::to_owned);
    let rows = entries.iter().map(|entry| {
        let summary = entry.summary().map(|text| shortened(text, SUMMARY_CHARACTERS)).unwrap_or_default();
        let stale = if entry.is_stale() { "stale: " } else { "" };
        let kind = entry.table.kind.name().to_owned();
        vec![shown(&catalog, &entry.table.id), kind, rows(entry).unwrap_or_default(), format!("{stale}{summary}")]
    });
    output.line(output::table(&header, rows));
    output.line(counted(entries.len(), "table"));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn describe(arguments: &DescribeArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let entry = named(&arguments.table, arguments.source.as_deref(), &catalog, project)?;
    let referring = referring(&catalog, &entry.table.id);
    let lineage = project.lineage()?;
    let origins = Origins::of(&lineage, &catalog, entry, &|id| shown(&catalog, id));
    let graph = lineage::Graph::new(&lineage);
    let contradicted = describe::contradictions(entry, &catalog, &|table| graph.made_from(table));
    output.json(&document(&catalog, entry, &referring, &origins, &contradicted));
    output.line(text(&catalog, entry, &referring, &origins, &contradicted));
    Ok(ExitCode::SUCCESS)
}

/// The one table that somebody means.
pub(super) fn named<'c>(
    name: &str,
    source: Option<&str>,
    catalog: &'c Catalog,
    project: &Project,
) -> anyhow::Result<&'c Entry> {
    let source = source.map(|name| project.source(Some(name))).transpose()?;
    let names = |ids: &[TableId]| ids.iter().map(|id| shown(catalog, id)).collect::<Vec<_>>().join(", ");
    let entry = catalog.table_named(name, source.map(|source| source.id.as_str())).map_err(|not| match not {
        NotATable::Unknown(near) => ProjectError::UnknownTable { name: name.to_owned(), near: names(&near) },
        NotATable::OneOf(several) => ProjectError::WhichTable { name: name.to_owned(), known: names(&several) },
    })?;
    Ok(entry)
}

/// A table's own facts, for programs.
fn head(entry: &Entry) -> Value {
    let table = &entry.table;
    json!({
        "source": table.id.source, "table": table.id.local(), "kind": table.kind.name(), "rows": table.row_count,
        "columns": table.columns.len(), "stale": entry.is_stale(), "last_update": entry.last_update(),
        "summary": entry.summary(),
    })
}

fn document(
    catalog: &Catalog,
    entry: &Entry,
    referring: &[String],
    origins: &Origins,
    contradicted: &[Contradiction],
) -> Value {
    let table = &entry.table;
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| {
            let facts = entry.facts(column);
            json!({
                "name": column.name, "type": entry.shown_type(column), "nullable": column.nullable,
                "description": entry.column_description(&column.name), "values": facts.values,
                "examples": facts.examples, "range": facts.range, "pattern": facts.pattern,
                "null_fraction": facts.null_fraction, "masked": facts.masked,
            })
        })
        .collect();
    let keys: Vec<Value> = table
        .foreign_keys
        .iter()
        .map(|key| {
            json!({
                "columns": key.columns, "references": key.ref_table.local(), "referenced_columns": key.ref_columns,
                "declared": key.origin == KeyOrigin::Declared,
            })
        })
        .collect();
    let mut document = head(entry);
    document["purpose"] = json!(entry.purpose());
    document["row_meaning"] = json!(entry.description().map(|description| &description.row_meaning));
    document["columns"] = json!(columns);
    document["primary_key"] = json!(table.primary_key);
    document["foreign_keys"] = json!(keys);
    document["referenced_by"] = json!(referring);
    document["made_from"] = json!(origins.made_from);
    document["columns_made_from"] = json!(origins.columns);
    document["only_rows_where"] = json!(origins.conditions);
    document["read_by"] = json!(origins.read_by);
    if origins.notes != lineage::Told::default() {
        document["dbt"] = json!(origins.notes);
    }
    document["usage"] = json!(catalog.usage_of(entry));
    document["indexes"] = json!(entry.shown_indexes().collect::<Vec<_>>());
    let dialect = catalog.dialect(&table.id.source);
    let facts = catalog.facts(entry).map(|fact| {
        let mut told = json!(fact);
        told["id"] = json!(fact.key());
        told["in_words"] = json!(fact.in_words(dialect));
        told["judgement"] = json!(entry.judgement(fact));
        told
    });
    document["facts"] = json!(facts.collect::<Vec<_>>());
    document["contradicted"] = json!(contradicted);
    document
}

fn text(
    catalog: &Catalog,
    entry: &Entry,
    referring: &[String],
    origins: &Origins,
    contradicted: &[Contradiction],
) -> String {
    let table = &entry.table;
    let mut lines = vec![first_line(catalog, entry)];
    lines.extend(entry.summary().map(str::to_owned));
    lines.extend(entry.staleness().map(|clause| format!("Stale beside other tables: it {clause}.")));
    let header = ["column", "type", "key", "holds", "what it is"].map(str::to_owned);
    // Of a sample the ends are what was seen.
    let is_sampled =
        |profile: &TableProfile| !matches!(profile.method, SampleMethod::AllRows | SampleMethod::EngineStatistics);
    let is_whole = !entry.profile().is_some_and(is_sampled);
    let rows = table.columns.iter().map(|column| {
        let facts = entry.facts(column);
        let null = if column.nullable { "" } else { " not null" };
        vec![
            column.name.clone(),
            format!("{}{null}", entry.shown_type(column)),
            keys_of(catalog, entry, column),
            holds(&facts, is_whole),
            entry.column_description(&column.name).unwrap_or_default().to_owned(),
        ]
    });
    lines.push(output::table(&header, rows));
    let dialect = catalog.dialect(&table.id.source);
    let facts: Vec<String> = catalog
        .facts(entry)
        .map(|fact| {
            let about = fact.column().map(|column| format!("{column}: ")).unwrap_or_default();
            let confirmed = if entry.judgement(fact).is_some() { " (confirmed)" } else { "" };
            format!("  {about}{}{confirmed}", fact.in_words(dialect))
        })
        .collect();
    if !facts.is_empty() {
        lines.push(format!("what its rows say:\n{}", facts.join("\n")));
    }
    let contradicted: Vec<String> = contradicted.iter().map(|it| format!("  {}", it.in_words())).collect();
    if !contradicted.is_empty() {
        lines.push(format!("what is known speaks against what was written:\n{}", contradicted.join("\n")));
    }
    if !referring.is_empty() {
        lines.push(format!("referred to by: {}", listed(referring)));
    }
    lines.extend(origins.lines());
    if let Some(usage) = catalog.usage_of(entry) {
        lines.push(usage.traffic_in_words());
        lines.extend(usage.habits());
        lines.extend(usage.joins_without_a_key(table, &|id| shown(catalog, id)));
    }
    let indexes: Vec<String> = entry.shown_indexes().map(|index| format!("({})", index.columns.join(", "))).collect();
    if !indexes.is_empty() {
        lines.push(format!("indexes: {}", listed(&indexes)));
    }
    for pattern in entry.description().into_iter().flat_map(|description| &description.queries).take(1) {
        lines.push(format!("for instance, {}:\n{}", pattern.name, pattern.sql));
    }
    lines.join("\n")
}

/// `orders: table, 12,345 rows, data until 2026-06-30 (by column updated_at)`.
fn first_line(catalog: &Catalog, entry: &Entry) -> String {
    let table = &entry.table;
    let mut line = format!("{}: {}", shown(catalog, &table.id), table.kind.name());
    line.extend(rows(entry).map(|rows| format!(", {rows} rows")));
    if let Some(LastUpdate { at, evidence }) = entry.last_update() {
        line.push_str(&format!(", data until {} (by {evidence})", at.strftime("%Y-%m-%d")));
    }
    line
}

/// Its key, and what it refers to.
fn keys_of(catalog: &Catalog, entry: &Entry, column: &Column) -> String {
    let mut keys: Vec<String> = Vec::new();
    if entry.table.primary_key.contains(&column.name) {
        keys.push("primary".to_owned());
    }
    for key in &entry.table.foreign_keys {
        let referenced = key.columns.iter().zip(&key.ref_columns).find(|(own, _)| **own == column.name);
        let Some((_, referenced)) = referenced else { continue };
        let probably = if key.origin == KeyOrigin::Declared { "" } else { "probably " };
        keys.push(format!("{probably}→ {}.{referenced}", shown(catalog, &key.ref_table)));
    }
    keys.join(", ")
}

/// What is known of its values.
fn holds(facts: &ColumnFacts<'_>, is_whole: bool) -> String {
    if let Some(why) = facts.masked {
        return format!("masked: {why}");
    }
    let short = |value: &&str| shortened(value, VALUE_CHARACTERS);
    let few = |values: &[&str]| values.iter().take(VALUES_SHOWN).map(short).collect::<Vec<_>>().join(", ");
    let mut text = match (facts.values.as_slice(), facts.range) {
        ([], Some((least, most))) => {
            let seen = if is_whole { "" } else { "seen " };
            format!("{seen}{} to {}", short(&least), short(&most))
        }
        ([], None) if facts.examples.is_empty() => String::new(),
        ([], None) => format!("like {}", few(&facts.examples)),
        (all, _) if all.len() > VALUES_SHOWN => format!("{} and {} more", few(all), all.len() - VALUES_SHOWN),
        (all, _) => few(all),
    };
    if let Some(share) = facts.null_fraction.filter(|share| *share >= 0.005) {
        let comma = if text.is_empty() { "" } else { "; " };
        text.push_str(&format!("{comma}{:.0} % NULL", share * 100.0));
    }
    text
}

fn rows(entry: &Entry) -> Option<String> {
    let count = entry.table.row_count?;
    let about = if count.exactness == Exactness::Exact { "" } else { "about " };
    Some(format!("{about}{}", HumanCount(count.value)))
}

fn referring(catalog: &Catalog, id: &TableId) -> Vec<String> {
    let refers = |other: &&Entry| other.table.foreign_keys.iter().any(|key| key.ref_table == *id);
    catalog.tables_of(&id.source).filter(refers).map(|other| shown(catalog, &other.table.id)).collect()
}

/// The name of a table: with its source only where there are several.
pub(super) fn shown(catalog: &Catalog, id: &TableId) -> String {
    if catalog.sources().len() > 1 { id.to_string() } else { id.local() }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names[..names.len().min(NAMES_SHOWN)].join(", "))
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}
