//! `periplus diff`: what has changed between two snapshots, or since one.

mod changes;

use std::path::Path;
use std::process::ExitCode;

use connect::SnapshotValues;
use lineage::{Direction, Graph, Lineage};
use serde_json::json;
use sql::ColumnRef;

use crate::args::{DiffArguments, DiffLevel};
use crate::diagnostics::FOUND;
use crate::output::{Output, counted};
use crate::project::{Project, ProjectError};
use changes::{Change, Document, differences};

/// Readers that are named beside what is gone.
const READERS: usize = 5;

pub(super) fn run(arguments: &DiffArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let earlier = read(&arguments.earlier)?;
    let (later, lineage) = match &arguments.later {
        Some(path) => (read(path)?, Lineage::default()),
        None => {
            let source = project.source(arguments.source.as_deref())?;
            let snapshot = connect::snapshot(&project.catalog()?, &source.id, SnapshotValues::Include);
            (serde_json::from_value(snapshot)?, of_source(project.lineage()?, &source.id))
        }
    };
    let changes = differences(&earlier, &later, arguments.volume);
    let readers: Vec<Vec<String>> = changes.iter().map(|change| readers(change, &lineage)).collect();
    let breaking = changes.iter().filter(|change| change.breaks()).count();
    let documents: Vec<_> = changes
        .iter()
        .zip(&readers)
        .map(|(change, readers)| {
            json!({
                "table": change.table, "column": change.column, "what": change.kind.name(), "breaking": change.breaks(),
                "says": change.kind.to_string(), "read_by": readers,
            })
        })
        .collect();
    let text = match arguments.markdown {
        true => markdown(&changes, &readers),
        false => text(&changes, &readers),
    };
    output.either(&json!({ "changes": documents, "breaking": breaking }), text);
    let fails = match arguments.fail_on {
        Some(DiffLevel::Any) => !changes.is_empty(),
        Some(DiffLevel::Breaking) => breaking > 0,
        None => false,
    };
    Ok(if fails { FOUND.into() } else { ExitCode::SUCCESS })
}

fn read(path: &Path) -> anyhow::Result<Document> {
    let unreadable = |reason: String| ProjectError::Snapshot { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    Ok(serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?)
}

fn of_source(mut lineage: Lineage, source: &str) -> Lineage {
    lineage.tables.retain(|edge| edge.from.source == source);
    lineage.columns.retain(|edge| edge.from.table.source == source);
    lineage
}

/// Who is made from what a change breaks.
fn readers(change: &Change, lineage: &Lineage) -> Vec<String> {
    if !change.breaks() {
        return Vec::new();
    }
    let graph = Graph::new(lineage);
    let ends = lineage.tables.iter().map(|edge| &edge.from);
    let Some(table) = ends.into_iter().find(|table| table.local().eq_ignore_ascii_case(&change.table)) else {
        return Vec::new();
    };
    let mut found: Vec<String> = match &change.column {
        Some(column) => {
            let column = ColumnRef { table: table.clone(), column: column.clone() };
            let steps = graph.columns(&column, Direction::Down, usize::MAX);
            let made = steps.iter().map(|step| format!("{}.{}", step.edge.to.table.local(), step.edge.to.column));
            let decides = lineage.tables.iter().filter(|edge| {
                edge.from == *table && edge.deciding.iter().any(|(name, _)| name.eq_ignore_ascii_case(&column.column))
            });
            made.chain(decides.map(|edge| format!("rows of {}", edge.to.local()))).collect()
        }
        None => graph.tables(table, Direction::Down, usize::MAX).iter().map(|step| step.edge.to.local()).collect(),
    };
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|name| seen.insert(name.clone()));
    found
}

fn listed(readers: &[String]) -> String {
    let more = readers.len().saturating_sub(READERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", readers[..readers.len().min(READERS)].join(", "))
}

fn text(changes: &[Change], readers: &[Vec<String>]) -> String {
    if changes.is_empty() {
        return "nothing has changed".to_owned();
    }
    let mut lines = Vec::new();
    for (change, readers) in changes.iter().zip(readers) {
        let sign = if change.breaks() { "!" } else { " " };
        lines.push(format!("{sign} {}: {}", change.place(), change.kind));
        if !readers.is_empty() {
            lines.push(format!("    read by {}", listed(readers)));
        }
    }
    let breaking = changes.iter().filter(|change| change.breaks()).count();
    lines.push(format!("{}, {breaking} of which (!) may break statements", counted(changes.len(), "change")));
    lines.join("\n")
}

/// The same for a merge request. What a database says stands in code, where Markdown has no meaning.
fn markdown(changes: &[Change], readers: &[Vec<String>]) -> String {
    if changes.is_empty() {
        return "The schema hasn't changed.".to_owned();
    }
    let code = |text: &str| format!("`{}`", text.replace('`', "'").replace('|', "\\|").replace('\n', " "));
    let mut lines = vec!["| | where | what | read by |".to_owned(), "|---|---|---|---|".to_owned()];
    for (change, readers) in changes.iter().zip(readers) {
        let sign = if change.breaks() { "**breaking**" } else { "" };
        let readers = if readers.is_empty() { String::new() } else { code(&listed(readers)) };
        lines.push(format!("| {sign} | {} | {} | {readers} |", code(&change.place()), code(&change.kind.to_string())));
    }
    lines.join("\n")
}
