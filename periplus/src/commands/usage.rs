//! `periplus usage`: what people usually do with tables, by the query logs.

use std::process::ExitCode;

use catalog::{Catalog, Entry, TableUsage, Usage};
use serde_json::{Value, json};

use super::tables::{named, shown};
use crate::args::UsageArguments;
use crate::output::{self, Output, counted};
use crate::project::{Project, ProjectError};

pub(super) fn run(arguments: &UsageArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let source = arguments.source.as_deref().map(|name| project.source(Some(name))).transpose()?;
    match &arguments.table {
        Some(name) => of_table(named(name, arguments.source.as_deref(), &catalog, project)?, &catalog, output)?,
        None => overview(&catalog, source.map(|source| source.id.as_str()), output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn of_table(entry: &Entry, catalog: &Catalog, output: &Output) -> anyhow::Result<()> {
    let id = &entry.table.id;
    let Some(usage) = catalog.usage_of(entry) else {
        return Err(ProjectError::NoUsage { name: id.source.clone() }.into());
    };
    output.json(&usage);
    let name = |id: &catalog::TableId| shown(catalog, id);
    let mut lines = vec![format!("{}: {}", name(id), usage.traffic_in_words())];
    let mut list = |heading: &str, items: Vec<String>| {
        if !items.is_empty() {
            lines.push(format!("{heading}:"));
            lines.extend(items.into_iter().map(|item| format!("  {item}")));
        }
    };
    list("usual conditions", usage.filters.iter().map(catalog::UsualFilter::in_words).collect());
    list("usual names", usage.measures.iter().map(catalog::UsualMeasure::in_words).collect());
    let joins = usage.joins.iter().map(|join| {
        let key = if join.is_known_of(&entry.table) { "" } else { ", of which no key tells" };
        format!("{}{key}", join.in_words(&name(&join.with)))
    });
    list("joined", joins.collect());
    lines.extend(usage.unnamed_in_words());
    output.line(lines.join("\n"));
    Ok(())
}

fn overview(catalog: &Catalog, source: Option<&str>, output: &Output) -> anyhow::Result<()> {
    let sources = catalog.sources().iter().filter(|it| source.is_none_or(|wanted| it.name == wanted));
    let read: Vec<(&str, &Usage)> =
        sources.filter_map(|source| Some((source.name.as_str(), catalog.usage(&source.name)?))).collect();
    if read.is_empty() {
        let source = source.or_else(|| catalog.sources().first().map(|source| source.name.as_str()));
        return Err(ProjectError::NoUsage { name: source.unwrap_or_default().to_owned() }.into());
    }
    let mut documents = Vec::new();
    for (name, usage) in read {
        let mut tables: Vec<TableUsage> = catalog.tables_of(name).filter_map(|entry| catalog.usage_of(entry)).collect();
        tables.sort_by_key(|table| std::cmp::Reverse((table.reads.users, table.reads.statements, table.writes.runs)));
        documents.push(document(name, usage, &tables));
        let (used, unused): (Vec<&TableUsage>, Vec<&TableUsage>) =
            tables.iter().partition(|table| table.reads.statements + table.writes.statements > 0);
        output.line(format!("{name}: {}", told(usage)));
        let header = ["table", "statements", "users", "runs", "written", "usually"].map(str::to_owned);
        let rows = used.iter().map(|table| {
            let own = table.filters.iter().filter(|filter| !filter.completing);
            let usually: Vec<&str> = own.map(|filter| filter.condition.as_str()).collect();
            let TableUsage { reads, writes, .. } = table;
            let numbers = [u64::from(reads.statements), u64::from(reads.users), reads.runs, writes.runs];
            let mut row = vec![shown(catalog, &table.table)];
            row.extend(numbers.map(|number| number.to_string()));
            row.push(usually.join("; "));
            row
        });
        output.line(output::table(&header, rows));
        if !unused.is_empty() {
            let names: Vec<String> = unused.iter().map(|table| shown(catalog, &table.table)).collect();
            output.line(format!("in no statement: {}", names.join(", ")));
        }
    }
    output.json(&documents);
    Ok(())
}

fn document(name: &str, usage: &Usage, tables: &[TableUsage]) -> Value {
    json!({
        "source": name, "since": usage.since, "until": usage.until, "runs": usage.runs,
        "not_understood": usage.not_understood, "why_not": usage.why_not, "tables": tables,
    })
}

/// `120,000 statements from 2026-08-01 to 2026-11-27; 12 could not be understood: 12 a column that
/// orders doesn't have`.
fn told(usage: &Usage) -> String {
    let day = |time: Option<jiff::Timestamp>| time.map(|time| time.strftime("%Y-%m-%d").to_string());
    let times = match (day(usage.since), day(usage.until)) {
        (Some(since), Some(until)) => format!(" from {since} to {until}"),
        _ => String::new(),
    };
    let not_understood = match usage.not_understood {
        0 => String::new(),
        number => {
            let reasons: Vec<String> = usage.why_not.iter().map(|(why, runs)| format!("{runs} {why}")).collect();
            let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
            format!("; {number} could not be understood{reasons}")
        }
    };
    let runs = usize::try_from(usage.runs).unwrap_or(usize::MAX);
    format!("{} of statements over its tables{times}{not_understood}", counted(runs, "run"))
}
