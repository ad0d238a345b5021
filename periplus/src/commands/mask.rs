//! `periplus mask`: what people say of columns. It is kept with who said it and when, and holds until they say otherwise.

use std::process::ExitCode;

use catalog::{Catalog, Decision, Exposure, Ruling, Store, TableId};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::args::MaskArguments;
use crate::output::{self, Output};
use crate::project::{Project, ProjectError, user};

pub(super) fn run(arguments: &MaskArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    if arguments.columns.is_empty() {
        list(&catalog, arguments.source.as_deref(), output);
        return Ok(ExitCode::SUCCESS);
    }
    let found: Vec<(TableId, String)> = arguments
        .columns
        .iter()
        .map(|name| column(&catalog, name, arguments.source.as_deref()))
        .collect::<Result<_, _>>()?;
    drop(catalog);
    let store = project.store()?;
    let decision = if arguments.release { Decision::Release } else { Decision::Mask };
    let (by, at) = (user(), Timestamp::now());
    let ruling =
        |column: &String| Ruling { column: column.clone(), decision, by: by.clone(), at, why: arguments.why.clone() };
    let rulings: Vec<_> = found.iter().map(|(table, column)| (table.clone(), ruling(column))).collect();
    store.add_rulings(&rulings)?;
    let masked = without_masked_values(&store, &found)?;
    super::index::erase_removed(project, output)?;
    let name = |(table, column): &(TableId, String)| format!("{}.{column}", table.local());
    let (follows, stays): (Vec<_>, Vec<_>) = found.iter().partition(|it| masked.contains(it) != arguments.release);
    let [follows, stays] = [follows, stays].map(|columns| columns.into_iter().map(name).collect::<Vec<String>>());
    let (done, not_done, state, setting) = match arguments.release {
        true => ("released", "still_masked", "masked", "sensitive"),
        false => ("masked", "still_open", "open", "not_sensitive"),
    };
    output.json(&json!({ done: follows, not_done: stays }));
    if !follows.is_empty() {
        output.line(format!("{done}: {}", follows.join(", ")));
    }
    for name in &stays {
        output.line(format!(
            "{name} stays {state}: the configuration's [profile] {setting} comes before people. What you said is kept, and \
             holds once that is changed"
        ));
    }
    if !follows.is_empty() {
        output.line("`periplus index` brings descriptions, the search index and the Markdown in line with it.");
    }
    Ok(if stays.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Takes what is masked by now out of the profiles of these tables; says which of the columns are masked.
fn without_masked_values(store: &Store, columns: &[(TableId, String)]) -> anyhow::Result<Vec<(TableId, String)>> {
    let catalog = store.catalog()?;
    let mut masked = Vec::new();
    for (table, column) in columns {
        let Some(entry) = catalog.entry(table) else { continue };
        if let Some(profile) = entry.profile() {
            store.put_profile(profile)?;
        }
        if entry.exposure(column).mask().is_some() {
            masked.push((table.clone(), column.clone()));
        }
    }
    Ok(masked)
}

/// The column that `TABLE.COLUMN` names.
fn column(catalog: &Catalog, name: &str, source: Option<&str>) -> Result<(TableId, String), ProjectError> {
    let unknown = || ProjectError::UnknownColumn { name: name.to_owned() };
    let (table, column) = name.rsplit_once('.').ok_or_else(unknown)?;
    match catalog.find(table, source).as_slice() {
        [] => Err(unknown()),
        [only] => Ok((only.table.id.clone(), only.table.column(column).ok_or_else(unknown)?.name.clone())),
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
