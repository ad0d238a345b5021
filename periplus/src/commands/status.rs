//! `periplus status`: what the catalog holds, what is out of date, and why.

use std::process::ExitCode;

use catalog::{Catalog, Entry, MemoryState};
use serde_json::{Value, json};

use crate::output::{self, Output};
use crate::project::Project;

pub(super) fn run(project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let index = index::Index::load(&project.index_folder());
    let index_is_current = index.is_ok_and(|index| index.is_current(&catalog, project.embedder()));
    let sources: Vec<Value> = catalog.sources().iter().map(|source| source_document(&catalog, &source.name)).collect();
    let memories = catalog.memories().iter().filter(|memory| memory.state == MemoryState::Active).count();
    output.json(&json!({
        "sources": sources, "index_is_current": index_is_current, "memories": memories, "revision": catalog.revision(),
    }));
    let header = ["source", "dialect", "where", "tables", "columns", "profiled", "described", "stale", "indexed at"];
    let rows = catalog.sources().iter().zip(&sources).map(|(source, document)| {
        let number = |key: &str| document[key].to_string();
        let indexed =
            source.indexed_at.map_or_else(|| "not finished".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M").to_string());
        let cells = [source.name.clone(), source.dialect.to_string(), source.location.clone()];
        let counts = ["tables", "columns", "profiled", "described", "stale"].map(number);
        cells.into_iter().chain(counts).chain([indexed]).collect()
    });
    output.line(output::table(&header.map(str::to_owned), rows));
    for (source, document) in catalog.sources().iter().zip(&sources) {
        for item in document["out_of_date"].as_array().into_iter().flatten() {
            output.line(format!("{}.{}: {}", source.name, text(&item["table"]), text(&item["why"])));
        }
        for item in document["left_out"].as_array().into_iter().flatten() {
            output.line(format!("{}.{}: left out, {}", source.name, text(&item["table"]), text(&item["why"])));
        }
    }
    output.line(format!("{memories} approved queries and corrections in use"));
    if !index_is_current {
        output.line("the search index is out of date; the next command rebuilds it");
    }
    Ok(ExitCode::SUCCESS)
}

fn source_document(catalog: &Catalog, source: &str) -> Value {
    let entries: Vec<&Entry> = catalog.tables_of(source).collect();
    let count = |condition: fn(&Entry) -> bool| entries.iter().filter(|entry| condition(entry)).count();
    let out_of_date: Vec<Value> = entries
        .iter()
        .filter_map(|entry| why_out_of_date(entry).map(|why| json!({"table": entry.table.id.local(), "why": why})))
        .collect();
    // Nothing that another run would bring up to date.
    let left_out: Vec<Value> = entries
        .iter()
        .filter_map(|entry| {
            let why = entry.profile.as_ref()?.skipped.as_ref()?;
            Some(json!({"table": entry.table.id.local(), "why": why}))
        })
        .collect();
    json!({
        "name": source,
        "tables": entries.len(),
        "columns": entries.iter().map(|entry| entry.table.columns.len()).sum::<usize>(),
        "profiled": count(|entry| entry.profile.as_ref().is_some_and(|profile| profile.skipped.is_none())),
        "described": count(|entry| entry.description.is_some()),
        "stale": count(|entry| entry.profile.as_ref().is_some_and(|profile| profile.stale)),
        "out_of_date": out_of_date,
        "left_out": left_out,
    })
}

fn why_out_of_date(entry: &Entry) -> Option<String> {
    let Some(profile) = &entry.profile else { return Some("not profiled yet".into()) };
    if profile.fingerprint != entry.table.fingerprint() {
        return Some("its structure has changed since it was profiled".into());
    }
    if entry.description.is_none() {
        return Some("not described yet".into());
    }
    entry.description.as_ref()?.failure.as_ref().map(|failure| format!("described by rules: {failure}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
