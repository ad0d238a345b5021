//! `periplus status`: what the catalog holds, what is out of date, and why; and which roles may do more than read.

use std::collections::BTreeSet;
use std::process::ExitCode;

use catalog::{Catalog, Entry, Lacking, Store, TableId};
use jiff::Timestamp;
use lineage::{Holder, Lineage};
use profile::Drifted;
use serde_json::{Value, json};

use super::feedback;
use crate::args::StatusArguments;
use crate::diagnostics;
use crate::origins;
use crate::output::{self, Output};
use crate::project::Project;
use crate::role::{self, RoleCheck};
use crate::told::Told;

pub(super) async fn run(arguments: &StatusArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let store = project.store()?;
    let roles = roles(project).await?;
    let index = index::Index::load(&project.index_folder());
    let index_is_current = index.is_ok_and(|index| index.is_current(&catalog, project.embedder()));
    let mut sources = Vec::with_capacity(catalog.sources().len());
    for source in catalog.sources() {
        let name = &source.name;
        let database = Database::of(project, &catalog, name).await;
        let mut document = source_document(&catalog, name, &roles, &database, &store.dropped(name)?);
        document["texts_changed"] = json!(changed_texts(project, &catalog, name)?);
        sources.push(document);
    }
    let now = Timestamp::now();
    let misfits = feedback::misfits(&catalog, &project.policy()?).len();
    let memories = catalog.memories().iter().filter(|memory| memory.is_active(now)).count().saturating_sub(misfits);
    let set_aside = set_aside(&catalog, project)?;
    let damaged: Vec<String> = catalog.all_damage().iter().map(ToString::to_string).collect();
    let rulings = what_became_of_rulings(&store)?;
    let record = project.missing_anchor();
    let alarms = alarms(&catalog, project);
    output.json(&json!({
        "alarms": alarms, "damaged": damaged, "rulings": rulings, "record": record, "sources": sources, "index_is_current": index_is_current, "memories": memories, "set_aside": set_aside, "revision": catalog.revision(),
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
        for (why, tables) in by_reason(&document["out_of_date"]) {
            output.line(format!("{}: {why}: {tables}", source.name));
        }
        if let Some(reason) = document["unreachable"].as_str() {
            output.line(format!("{}: not compared with the database: {reason}", source.name));
        }
        let changed: Vec<&str> = document["texts_changed"].as_array().into_iter().flatten().map(text).collect();
        if !changed.is_empty() {
            let changed = changed.join(", ");
            output.line(format!("{}: changed since they were read for lineage: {changed}", source.name));
        }
        if document["written_to"] == true {
            output.line(format!("{}: the database was written to since it was indexed", source.name));
        }
        for item in document["gone"].as_array().into_iter().flatten() {
            let (table, since) = (text(&item["table"]), text(&item["since"]));
            output.line(format!("{}.{table}: gone since {since}; `periplus index --prune` removes it", source.name));
        }
        for item in document["left_out"].as_array().into_iter().flatten() {
            output.line(format!("{}.{}: left out, {}", source.name, text(&item["table"]), text(&item["why"])));
        }
    }
    for damage in &damaged {
        output.line(format!("{damage}; `periplus index --full` makes it anew"));
    }
    for line in rulings.iter().chain(&record) {
        output.line(line);
    }
    output.line(format!("{memories} approved queries and corrections in use"));
    set_aside.iter().for_each(|line| output.line(line));
    if !index_is_current {
        output.say("the search index is out of date; the next command rebuilds it");
    }
    alarms.iter().for_each(|line| output.line(line));
    role::warn_of(&roles);
    let is_current = index_is_current && damaged.is_empty() && set_aside.is_empty() && sources.iter().all(is_current);
    Ok(if arguments.check && !is_current { ExitCode::from(diagnostics::FOUND) } else { ExitCode::SUCCESS })
}

/// What dbt projects say is wrong with tables, a line each.
fn alarms(catalog: &Catalog, project: &Project) -> Vec<String> {
    let lineage = project.lineage().unwrap_or_default();
    let of = |entry: &Entry| {
        let name = entry.table.id.local();
        lineage.told_of(entry).alarms().into_iter().map(|alarm| format!("{name}: {alarm}")).collect::<Vec<_>>()
    };
    catalog.entries().iter().flat_map(of).collect()
}

/// What people said that fits the database no more, a line each.
pub(super) fn set_aside(catalog: &Catalog, project: &Project) -> anyhow::Result<Vec<String>> {
    let queries = feedback::misfits(catalog, &project.policy()?).into_iter().map(|(id, why)| {
        format!("approved query {} is set aside: {why}; `periplus feedback edit {} --sql \"…\"` mends it", id.0, id.0)
    });
    let terms = catalog.all_terms().iter().filter(|term| term.is_approved()).filter_map(|term| {
        let fault = catalog.fault_of(term)?;
        Some(format!("the term `{}` is not used: {}; `periplus terms define` mends it", term.name, fault.in_words()))
    });
    // Without what tables are made from, the rest can still be told.
    let lineage = project.lineage().unwrap_or_default();
    let graph = lineage::Graph::new(&lineage);
    let contradicted: Vec<String> = catalog
        .entries()
        .iter()
        .filter(|entry| !describe::contradictions(entry, catalog, &|table| graph.made_from(table)).is_empty())
        .map(|entry| entry.table.id.local())
        .collect();
    let texts = (!contradicted.is_empty()).then(|| {
        let tables = contradicted.join(", ");
        format!("what is known speaks against what was written of {tables}; `periplus describe TABLE` says where")
    });
    Ok(queries.chain(terms).chain(texts).collect())
}

/// Whether a source was compared with its database and nothing has changed since.
fn is_current(document: &Value) -> bool {
    let is_empty = |key: &str| document[key].as_array().is_some_and(Vec::is_empty);
    is_empty("out_of_date")
        && is_empty("gone")
        && is_empty("texts_changed")
        && document["written_to"] != true
        && document["unreachable"].is_null()
}

/// The scripts and models that aren't what lineage was read from.
fn changed_texts(project: &Project, catalog: &Catalog, name: &str) -> anyhow::Result<Vec<String>> {
    let Ok(source) = project.source(Some(name)) else { return Ok(Vec::new()) };
    let Ok(told) = Told::of(source) else { return Ok(vec!["a folder that isn't there".to_owned()]) };
    let now = origins::of_source(catalog, source, &told)?;
    let known = lineage::load(&project.lineage_path())?.remove(name).unwrap_or_default();
    let texts = |lineage: Lineage| -> BTreeSet<(String, String)> {
        let places = lineage.places.into_iter().filter(|place| place.holder != Holder::View);
        places.map(|place| (place.name, place.hash)).collect()
    };
    let (now, known) = (texts(now), texts(known));
    let changed: BTreeSet<&String> = now.symmetric_difference(&known).map(|(name, _)| name).collect();
    Ok(changed.into_iter().cloned().collect())
}

/// Why tables are out of date, each reason once with the first of its tables.
fn by_reason(items: &Value) -> Vec<(&str, String)> {
    /// Tables that are named; `--json` has all.
    const NAMED: usize = 6;
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for item in items.as_array().into_iter().flatten() {
        let (table, why) = (text(&item["table"]), text(&item["why"]));
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, tables)) => tables.push(table),
            None => reasons.push((why, vec![table])),
        }
    }
    let listed = |tables: &[&str]| match tables.len().saturating_sub(NAMED) {
        0 => tables.join(", "),
        more => format!("{} and {more} more", tables[..NAMED].join(", ")),
    };
    reasons.into_iter().map(|(why, tables)| (why, listed(&tables))).collect()
}

/// What was repaired in what people said of columns, the last of each kind, and what can't be read of it.
fn what_became_of_rulings(store: &Store) -> anyhow::Result<Vec<String>> {
    let testimony = store.testimony()?;
    let file = store.witness_path().map(|path| path.display().to_string()).unwrap_or_default();
    let mut lines = Vec::new();
    for lacking in [Lacking::Catalog, Lacking::Witness] {
        let Some(note) = testimony.notes.iter().rfind(|note| note.lacking == lacking) else { continue };
        let (rulings, at) = (note.rulings, note.at.strftime("%Y-%m-%d %H:%M"));
        lines.push(match lacking {
            Lacking::Catalog => format!(
                "on {at} the catalog lacked {rulings} of the things that people said of columns, as an older copy of it does; \
                 they were put back from {file}"
            ),
            Lacking::Witness => format!(
                "on {at} {file} lacked {rulings} of the things that people said of columns; they were written there again \
                 from the catalog"
            ),
        });
    }
    if testimony.unreadable > 0 {
        lines.push(format!(
            "{} lines of {file} can't be read; `periplus mask` lists what is known to be masked",
            testimony.unreadable
        ));
    }
    Ok(lines)
}

/// What the database itself says, without a row being read.
enum Database {
    Compared(Drifted),
    /// It couldn't be asked, and why.
    NotAsked(String),
}

impl Database {
    async fn of(project: &Project, catalog: &Catalog, source: &str) -> Self {
        let asked = async {
            let source = project.source(Some(source))?;
            let connector = project.connector(source)?;
            let additions = Told::of(source)?.additions();
            Ok::<Drifted, anyhow::Error>(profile::drift(connector.as_ref(), catalog, additions.as_deref()).await?)
        };
        match asked.await {
            Ok(drifted) => Self::Compared(drifted),
            Err(error) => Self::NotAsked(format!("{error:#}")),
        }
    }
}

/// What the roles of all configured sources may do.
async fn roles(project: &Project) -> anyhow::Result<Vec<RoleCheck>> {
    let sources = &project.config.sources;
    let roles = role::check_all(sources).await;
    for (source, role) in sources.iter().zip(&roles) {
        if project.is_strict(source) {
            role.demand()?;
        }
    }
    Ok(roles)
}

fn source_document(
    catalog: &Catalog,
    source: &str,
    roles: &[RoleCheck],
    database: &Database,
    dropped: &[(TableId, Timestamp)],
) -> Value {
    let entries: Vec<&Entry> = catalog.tables_of(source).collect();
    let count = |condition: fn(&Entry) -> bool| entries.iter().filter(|entry| condition(entry)).count();
    let item = |id: &TableId, why: &str| json!({"table": id.local(), "why": why});
    let mut out_of_date: Vec<Value> =
        entries.iter().filter_map(|entry| why_out_of_date(entry).map(|why| item(&entry.table.id, &why))).collect();
    let (mut written_to, mut unreachable) = (None, None);
    match database {
        Database::Compared(drifted) => {
            out_of_date.extend(drifted.tables.iter().map(|(id, drift)| item(id, drift.reason())));
            written_to = Some(drifted.somewhere);
        }
        Database::NotAsked(reason) => unreachable = Some(reason),
    }
    let gone: Vec<Value> = dropped
        .iter()
        .map(|(id, since)| json!({"table": id.local(), "since": since.strftime("%Y-%m-%d %H:%M").to_string()}))
        .collect();
    // Nothing that another run would bring up to date.
    let left_out: Vec<Value> = entries
        .iter()
        .filter_map(|entry| {
            let why = entry.profile()?.skipped.as_ref()?;
            Some(json!({"table": entry.table.id.local(), "why": why}))
        })
        .collect();
    json!({
        "name": source,
        "role": roles.iter().find(|role| role.source == source).map(RoleCheck::document),
        "tables": entries.len(),
        "columns": entries.iter().map(|entry| entry.table.columns.len()).sum::<usize>(),
        "profiled": count(|entry| entry.profile().is_some_and(|profile| profile.skipped.is_none())),
        "described": count(|entry| entry.description().is_some()),
        "stale": count(Entry::is_stale),
        "out_of_date": out_of_date,
        "written_to": written_to,
        "unreachable": unreachable,
        "gone": gone,
        "left_out": left_out,
    })
}

fn why_out_of_date(entry: &Entry) -> Option<String> {
    let Some(profile) = entry.profile() else { return Some("not profiled yet".into()) };
    if profile.fingerprint != entry.table.fingerprint() {
        return Some("its structure has changed since it was profiled".into());
    }
    if entry.description().is_none() {
        return Some("not described yet".into());
    }
    entry.description()?.failure.as_ref().map(|failure| format!("described by rules: {failure}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
