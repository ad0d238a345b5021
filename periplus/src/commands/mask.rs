//! `periplus mask`: what people say of columns. It is kept with who said it and when, and holds until they say otherwise.

use std::process::ExitCode;

use catalog::{Catalog, Decision, Entry, Exposure, Ruling};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::feedback::user;
use crate::args::MaskArguments;
use crate::output::{self, Output};
use crate::project::{Project, ProjectError};

pub(super) fn run(arguments: &MaskArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    if arguments.columns.is_empty() {
        list(&catalog, arguments.source.as_deref(), output);
        return Ok(ExitCode::SUCCESS);
    }
    let found: Vec<(&Entry, &str)> = arguments
        .columns
        .iter()
        .map(|name| column(&catalog, name, arguments.source.as_deref()))
        .collect::<Result<_, _>>()?;
    let store = project.store()?;
    let decision = if arguments.release { Decision::Release } else { Decision::Mask };
    for (entry, column) in &found {
        let (by, at, why) = (user(), Timestamp::now(), arguments.why.clone());
        store.add_ruling(&entry.table.id, Ruling { column: (*column).to_owned(), decision, by, at, why })?;
    }
    let after = store.catalog()?;
    // Of what is masked now, nothing stays in the profile.
    for (entry, _) in &found {
        if let Some(profile) = after.entry(&entry.table.id).and_then(Entry::profile) {
            store.put_profile(profile)?;
        }
    }
    let names: Vec<String> =
        found.iter().map(|(entry, column)| format!("{}.{column}", entry.table.id.local())).collect();
    let still: Vec<&String> = found
        .iter()
        .zip(&names)
        .filter(|((entry, column), _)| {
            let exposure = after.entry(&entry.table.id).map(|entry| entry.exposure(column));
            arguments.release && exposure != Some(&Exposure::Open)
        })
        .map(|(_, name)| name)
        .collect();
    // As long as they are held, nothing that was replaced since can be erased.
    drop(after);
    drop(catalog);
    super::index::erase_removed(project, output)?;
    let key = if arguments.release { "released" } else { "masked" };
    output.json(&json!({ key: names, "still_masked": still }));
    output.line(format!("{key}: {}", names.join(", ")));
    for name in &still {
        output.line(format!("{name} stays masked: the configuration's [profile] sensitive comes before people"));
    }
    output.line("`periplus index` brings descriptions, the search index and the Markdown in line with it.");
    Ok(ExitCode::SUCCESS)
}

/// The column that `TABLE.COLUMN` names.
fn column<'c>(catalog: &'c Catalog, name: &str, source: Option<&str>) -> Result<(&'c Entry, &'c str), ProjectError> {
    let unknown = || ProjectError::UnknownColumn { name: name.to_owned() };
    let (table, column) = name.rsplit_once('.').ok_or_else(unknown)?;
    match catalog.find(table, source).as_slice() {
        [] => Err(unknown()),
        [only] => Ok((only, only.table.column(column).ok_or_else(unknown)?.name.as_str())),
        several => {
            let known = several.iter().map(|entry| entry.table.id.to_string()).collect::<Vec<_>>().join(", ");
            Err(ProjectError::WhichTable { name: table.to_owned(), known })
        }
    }
}

fn list(catalog: &Catalog, source: Option<&str>, output: &Output) {
    let mut documents: Vec<Value> = Vec::new();
    let mut rows = Vec::new();
    let entries = catalog.entries().iter().filter(|entry| source.is_none_or(|source| entry.table.id.source == source));
    for entry in entries {
        for (column, exposure) in entry.table.columns.iter().zip(entry.exposures()) {
            let (why, by, confidence) = match exposure {
                Exposure::Open => continue,
                Exposure::Masked(mask) => (mask.reason.as_str(), json!(mask.by), Some(mask.confidence)),
                Exposure::Unexamined => ("nobody has looked at its values yet", Value::Null, None),
            };
            let name = format!("{}.{}", entry.table.id.local(), column.name);
            let who = entry.rulings().and_then(|rulings| rulings.of(&column.name));
            documents.push(json!({
                "source": entry.table.id.source, "column": name, "why": why, "by": by, "confidence": confidence,
                "ruling": who,
            }));
            rows.push(vec![entry.table.id.source.clone(), name, why.to_owned()]);
        }
    }
    output.json(&documents);
    let count = rows.len();
    output.line(output::table(&["source", "column", "why"].map(str::to_owned), rows));
    output.line(format!("{count} columns are masked"));
}
