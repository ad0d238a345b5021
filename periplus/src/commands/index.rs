//! `periplus index`: from a database to a catalog and a search index.

use std::collections::BTreeSet;
use std::process::ExitCode;

use catalog::{Catalog, Store, TermState};
use jiff::Timestamp;
use privacy::Sensitivity;
use profile::Options;
use serde_json::json;

use crate::args::IndexArguments;
use crate::mask_rules;
use crate::output::{Output, counted};
use crate::pipeline::{self, Indexed, IndexedSource};
use crate::progress::Reporter;
use crate::project::{Project, ProjectError};
use crate::run_before::UsageRead;

pub(super) async fn run(arguments: &IndexArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let sources = match &arguments.source {
        Some(name) => vec![project.source(Some(name))?.clone()],
        None => project.config.sources.clone(),
    };
    if sources.is_empty() {
        return Err(ProjectError::NoSource.into());
    }
    let options = Options { full: arguments.full, ..profile_options(project, arguments.skip_stale) };
    let model = if arguments.describe_with_model { project.model()? } else { None };
    if arguments.describe_with_model && model.is_none() {
        return Err(ProjectError::Model { reason: "--describe-with-model needs a model".into() }.into());
    }
    lineage::remove_damaged(&project.lineage_path())?;
    if arguments.full {
        forget_unreadable(&project.store_before_reading()?, output)?;
    }
    let mut reporter = Reporter::new();
    let indexed = pipeline::index(project, &sources, &options, model.as_deref(), &mut reporter).await?;
    reporter.finish();
    if arguments.prune {
        let store = project.store()?;
        for source in &sources {
            let removed = store.remove_dropped(&source.id)?;
            output.line(format!("{}: {removed} tables that are gone removed from the catalog", source.id));
        }
    }
    let wrote = super::docs::write_again(project, &indexed.catalog);
    let warnings = warnings(&indexed, project, &options.sensitive)?;
    let exit = wrote.map(|()| report(&indexed, &warnings, output));
    // As long as it is held, nothing that was replaced since can be erased.
    drop(indexed);
    erase_removed(project, output)?;
    exit
}

/// Erases what was replaced and what is closed by what was found or said of other tables, or says that somebody keeps it.
pub(super) fn erase_removed(project: &Project, output: &Output) -> anyhow::Result<()> {
    let store = project.store()?;
    store.withhold_inherited()?;
    if !store.erase_removed()? {
        output.line(
            "an earlier state of the catalog is still being read, by `periplus serve` perhaps: what was removed is erased from \
             its file when that ends and `periplus index` runs again",
        );
    }
    Ok(())
}

/// What people said of columns and can't be read is forgotten where everything is made anew, and that is said.
fn forget_unreadable(store: &Store, output: &Output) -> anyhow::Result<()> {
    for table in store.drop_unreadable_rulings()? {
        let lost = "what people said of its columns can't be read and is forgotten; `periplus mask` says it again";
        output.line(format!("{}: {lost}", table.local()));
    }
    Ok(())
}

/// Columns that a warning names.
const MOST_NAMED: usize = 8;

/// What the configuration, and what people wrote, says about columns that don't exist, and which columns are masked since.
fn warnings(indexed: &Indexed, project: &Project, sensitive: &Sensitivity) -> anyhow::Result<Vec<String>> {
    let mut warnings = texts_without_a_column(&indexed.catalog);
    warnings.extend(super::status::set_aside(&project.catalog()?, project)?);
    let listed = |columns: &[String]| {
        let more = columns.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", columns[..columns.len().min(MOST_NAMED)].join(", "))
    };
    if !indexed.newly_masked.is_empty() {
        warnings.push(format!(
            "statements that read {} are refused from now on, since masked: {}; `periplus mask` shows and releases them",
            counted(indexed.newly_masked.len(), "column"),
            listed(&indexed.newly_masked),
        ));
    }
    if !indexed.kept_masked.is_empty() {
        warnings.push(format!(
            "nothing says any more what masks {}, which stay masked until somebody releases them with `periplus mask --release`",
            listed(&indexed.kept_masked),
        ));
    }
    if !indexed.opened.is_empty() {
        warnings.push(format!(
            "open now, since a text says what they are made from, or all values were looked at anew: {}; `periplus mask` masks \
             them again",
            listed(&indexed.opened),
        ));
    }
    for (table, column) in project.store()?.masks_without_a_column()? {
        warnings.push(format!(
            "somebody masked `{column}` of {table}, and there is none any more: where it has another name now, mask that; else \
             `periplus mask --undo {0}.{column}`, or `periplus index --prune` where the table is gone, ends this",
            table.local()
        ));
    }
    // While a source is not indexed yet, its columns may be meant.
    let is_indexed = |name: &str| indexed.catalog.tables_of(name).next().is_some();
    if project.config.sources.iter().all(|source| is_indexed(&source.id)) {
        let tables = indexed.catalog.entries().iter().map(|entry| &*entry.table);
        warnings.extend(project.unmatched_denials(tables.clone()));
        let unmatched = sensitive.unmatched(tables).into_iter();
        warnings.extend(unmatched.map(|(key, pattern)| format!("`{pattern}` in {key} matches nothing")));
    }
    Ok(warnings)
}

/// Texts of people whose column is gone, or has another name and isn't certain to be the same.
fn texts_without_a_column(catalog: &Catalog) -> Vec<String> {
    let mut warnings = Vec::new();
    for entry in catalog.entries() {
        let written = entry.overrides.0.keys().filter_map(|key| key.strip_prefix("columns."));
        let names: BTreeSet<&str> = written.filter_map(|key| Some(key.rsplit_once('.')?.0)).collect();
        for name in names.into_iter().filter(|name| entry.table.column(name).is_none()) {
            warnings.push(format!(
                "what people wrote about `{name}` of {} is kept, but there is no such column any more",
                entry.table.id
            ));
        }
    }
    warnings
}

/// The settings of profiling, from the configuration.
pub(super) fn profile_options(project: &Project, skip_stale: bool) -> Options {
    let profile = &project.config.profile;
    Options {
        sensitive: project.sensitivity(),
        skip_stale: skip_stale || profile.skip_stale,
        rows: profile.rows,
        parallel_tables: profile.parallel_tables,
        give_way: profile.give_way,
        lineage: Some(mask_rules::of_tables),
        ..Options::new(Timestamp::now())
    }
}

fn report(indexed: &Indexed, warnings: &[String], output: &Output) -> ExitCode {
    let failed: usize = indexed.sources.iter().map(|source| source.profiled.failed.len()).sum();
    let documents: Vec<_> = indexed
        .sources
        .iter()
        .map(|IndexedSource { name, role, profiled, described, work, lineage, usage }| {
            let failed: Vec<_> = profiled
                .failed
                .iter()
                .map(|(id, code, message)| json!({"table": id.to_string(), "code": code, "message": message}))
                .collect();
            let unreadable: Vec<_> = profiled
                .unreadable
                .iter()
                .map(|(id, reason)| json!({"table": id.to_string(), "reason": reason}))
                .collect();
            json!({
                "source": name,
                "role": role.document(),
                "profile": {
                    "tables": profiled.tables, "profiled": profiled.profiled, "unchanged": profiled.unchanged,
                    "skipped": profiled.skipped, "unreadable": unreadable, "failed": failed,
                    "keys_inferred": profiled.keys_inferred,
                    "dropped": profiled.dropped.iter().map(ToString::to_string).collect::<Vec<_>>(),
                },
                "describe": {
                    "unchanged": described.unchanged, "by_rules": described.by_rules, "by_model": described.by_model,
                    "failed": described.failed,
                },
                "lineage": lineage,
                "usage": usage,
                "work": {
                    "statements": work.statements, "rows_returned": work.rows_returned,
                    "rows_scanned": work.rows_scanned, "seconds_rested": profiled.rested.as_secs(),
                },
            })
        })
        .collect();
    output.json(&json!({
        "sources": documents, "tables": indexed.catalog.entries().len(), "chunks": indexed.index.chunk_count(),
        "warnings": warnings,
    }));
    report_text(indexed, output);
    for warning in warnings {
        output.line(format!("warning: {warning}"));
    }
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn report_usage(usage: &UsageRead, output: &Output) {
    let statements = usize::try_from(usage.statements).unwrap_or(usize::MAX);
    let keys =
        if usage.keys == 0 { String::new() } else { format!(", {} found by joins", counted(usage.keys, "new key")) };
    let more = if usage.is_more { "; the rest is read by the next `periplus index`" } else { "" };
    output.line(format!(
        "  usage: {} of statements read, {} and {} known{keys}, see `periplus usage`{more}",
        counted(statements, "run"),
        counted(usage.tables, "table"),
        counted(usage.habits, "habit"),
    ));
    if usage.logs == 0 && usage.without_statistics.is_none() && usage.statements == 0 {
        output.line("  no query log was found where `logs` says; `periplus manual usage` tells which are read");
    }
    if let Some(why) = &usage.without_statistics {
        output.line(format!("  the engine's own statistics of statements could not be read: {why}"));
    }
}

/// What an index run did, for people.
pub(super) fn report_text(indexed: &Indexed, output: &Output) {
    for IndexedSource { name, profiled, described, work, lineage, usage, .. } in &indexed.sources {
        output.line(format!(
            "{name}: {} profiled, {} unchanged, {} skipped, {} failed; {} keys inferred; {} described; {} statements, \
             {} rows read",
            profiled.profiled,
            profiled.unchanged,
            profiled.skipped,
            profiled.failed.len(),
            profiled.keys_inferred,
            described.by_rules + described.by_model + described.failed,
            work.statements,
            work.rows_returned,
        ));
        if profiled.rested.as_secs() > 0 {
            output.line(format!(
                "  nothing was asked for {} s, because others worked with the server",
                profiled.rested.as_secs()
            ));
        }
        if lineage.places > 0 {
            let open = match lineage.gaps {
                0 => String::new(),
                gaps => format!("; {gaps} left open, see `periplus lineage`"),
            };
            let (texts, columns) = (counted(lineage.places, "text"), counted(lineage.columns, "column"));
            output.line(format!("  lineage: {texts}, {columns} followed{open}"));
        }
        if let Some(usage) = usage {
            report_usage(usage, output);
        }
        for id in &profiled.dropped {
            output.line(format!("  gone: {id}; `periplus index --prune` removes what is known of it"));
        }
        for (id, reason) in &profiled.unreadable {
            output.line(format!("  skipped: {id}: {reason}"));
        }
        for (id, code, message) in &profiled.failed {
            output.line(format!("  failed: {id} [{code}] {message}"));
        }
    }
    let waiting = indexed.catalog.all_terms().iter().filter(|term| term.state == TermState::Proposed).count();
    if waiting > 0 {
        output.line(format!("proposed for the glossary: {}, see `periplus terms`", counted(waiting, "term")));
    }
    output.line(format!(
        "catalog: {}, {} of documentation indexed",
        counted(indexed.catalog.entries().len(), "table"),
        counted(indexed.index.chunk_count(), "piece")
    ));
}
