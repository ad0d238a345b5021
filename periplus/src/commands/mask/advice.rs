//! `periplus mask --with-model`: columns that only somebody who knows the trade takes for personal.

use std::process::ExitCode;

use catalog::{Catalog, Decision, Entry};
use serde_json::json;

use super::hold;
use crate::args::MaskArguments;
use crate::diagnostics;
use crate::output::{self, Output};
use crate::progress::Reporter;
use crate::project::{Project, ProjectError};

/// Masks what the model takes for personal, in the name of whoever asked it to, or with `--dry-run` says what that would be.
/// Ends with 1 where it gave no answer about some tables; what it said before it failed is kept.
pub(super) async fn run(
    arguments: &MaskArguments,
    catalog: &Catalog,
    project: &Project,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let reason = || "--with-model needs a model".into();
    let model = project.model()?.ok_or_else(|| ProjectError::Model { reason: reason() })?;
    let source = arguments.source.as_deref().map(|name| project.source(Some(name))).transpose()?;
    let wanted = |entry: &&Entry| source.is_none_or(|source| entry.table.id.source == source.id);
    let entries: Vec<&Entry> = catalog.entries().iter().filter(wanted).collect();
    let mut reporter = Reporter::new();
    let asked =
        describe::personal_columns(&entries, model.as_ref(), &mut |first, total| reporter.asked_about(first, total))
            .await;
    reporter.finish();
    for (table, reason) in &asked.unanswered {
        diagnostics::note(&format!("warning: {}: nothing was learnt of its columns: {reason}", table.local()));
    }
    let name = &model.info().name;
    let rows = asked.suspected.iter().map(|it| vec![format!("{}.{}", it.table.local(), it.column), it.kind.to_owned()]);
    let table = output::table(&["column", "taken for"].map(str::to_owned), rows);
    let is_complete = asked.unanswered.is_empty() && asked.failure.is_none();
    match asked.failure {
        Some(failure) if asked.suspected.is_empty() => return Err(failure.into()),
        Some(failure) => diagnostics::warn(failure.into()),
        None => {}
    }
    let done = if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let masked = asked
        .doubted
        .iter()
        .map(|(table, column, mask)| vec![format!("{}.{column}", table.local()), mask.reason.clone()]);
    let doubted = output::table(&["masked column", "why"].map(str::to_owned), masked);
    let say_doubts = || {
        if !asked.doubted.is_empty() {
            output.line(format!("{name} takes for harmless what rules have masked:"));
            output.line(&doubted);
            output.line("Where you agree, say so: `periplus mask --release TABLE.COLUMN …`");
        }
    };
    if arguments.dry_run || asked.suspected.is_empty() {
        let suspected = asked.suspected.iter().map(|it| {
            json!({ "source": it.table.source, "column": format!("{}.{}", it.table.local(), it.column), "kind": it.kind })
        });
        let doubted = asked.doubted.iter().map(|(table, column, mask)| {
            json!({ "source": table.source, "column": format!("{}.{column}", table.local()), "why": mask.reason })
        });
        let [suspected, doubted] = [suspected.collect::<Vec<_>>(), doubted.collect()];
        output.json(&json!({ "model": name, "suspected": suspected, "doubted": doubted }));
        if !asked.suspected.is_empty() {
            output.line(table);
        }
        let count = output::counted(asked.suspected.len(), "open column");
        output.line(format!("{name} takes {count} for personal; nothing was masked"));
        say_doubts();
        return Ok(done);
    }
    output.line(table);
    say_doubts();
    let reasoned = asked.suspected.into_iter().map(|it| {
        let why = format!("{name} takes it for {}", it.kind);
        ((it.table, it.column), Some(why))
    });
    let held = hold(reasoned.collect(), Decision::Mask, project, output)?;
    Ok(if held == ExitCode::SUCCESS { done } else { held })
}
