//! `periplus feedback`: what people approve and correct. Nothing else is ever learnt.

use std::process::ExitCode;

use catalog::{Memory, MemoryId, MemoryKind, MemoryState, NewMemory};
use serde_json::json;

use super::check;
use crate::args::{FeedbackAction, FeedbackArguments, FeedbackPair};
use crate::output::{self, Output};
use crate::project::{Project, user};

pub(super) fn run(arguments: FeedbackArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let author = arguments.author.unwrap_or_else(user);
    match arguments.action {
        FeedbackAction::Approve(pair) => approve(pair, author, project, output),
        FeedbackAction::Reject { pair, correction } => {
            let memory = remember(&pair, MemoryKind::Rejected, Some(correction), author, project)?;
            output.either(&memory, format!("Remembered as correction {}.", memory.id.0));
            Ok(ExitCode::SUCCESS)
        }
        FeedbackAction::List => list(project, output),
        FeedbackAction::Undo { id } => {
            project.store()?.undo_memory(MemoryId(id), &author)?;
            output.either(&json!({"undone": id}), format!("{id} is no longer used."));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Approves a statement, once the guard has accepted it: a wrong example would teach the wrong thing.
fn approve(pair: FeedbackPair, author: String, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let source = project.source(pair.source.as_deref())?;
    let catalog = project.catalog()?;
    let verdict = guard::check(&pair.sql, &catalog, &source.id, &project.policy()?, None);
    if verdict.decision == guard::Decision::Refuse {
        check::print(&pair.sql, &verdict, None, output);
        return Ok(ExitCode::FAILURE);
    }
    let memory = remember(&pair, MemoryKind::Approved, None, author, project)?;
    output.either(&memory, format!("Approved as {}.", memory.id.0));
    Ok(ExitCode::SUCCESS)
}

fn remember(
    pair: &FeedbackPair,
    kind: MemoryKind,
    correction: Option<String>,
    author: String,
    project: &Project,
) -> anyhow::Result<Memory> {
    let source = project.source(pair.source.as_deref())?;
    let content = NewMemory {
        source: source.id.clone(),
        kind,
        question: pair.question.clone(),
        sql: pair.sql.clone(),
        correction,
        author,
    };
    Ok(project.store()?.add_memory(content)?)
}

fn list(project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.store()?.catalog()?;
    output.json(&catalog.memories());
    let header = ["id", "what", "who", "when", "question", "sql or correction"].map(str::to_owned);
    let rows = catalog.memories().iter().map(|memory| {
        let content = &memory.content;
        let kind = match (&memory.state, content.kind) {
            (MemoryState::Undone { by, .. }, _) => format!("undone by {by}"),
            (MemoryState::Active, MemoryKind::Approved) => "approved".to_owned(),
            (MemoryState::Active, MemoryKind::Rejected) => "rejected".to_owned(),
        };
        let said = content.correction.clone().unwrap_or_else(|| content.sql.clone());
        let when = memory.created_at.strftime("%Y-%m-%d %H:%M").to_string();
        vec![memory.id.0.to_string(), kind, content.author.clone(), when, content.question.clone(), said]
    });
    output.line(output::table(&header, rows));
    Ok(ExitCode::SUCCESS)
}
