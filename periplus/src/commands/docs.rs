//! `periplus docs`: the catalog as Markdown, out and back in. One folder for a source; with several, one below it each.

use std::path::PathBuf;
use std::process::ExitCode;

use describe::markdown::{self, Drift};
use serde_json::json;

use crate::args::{DocsAction, DocsArguments};
use crate::output::Output;
use crate::project::{Project, ProjectError};

pub(super) fn run(arguments: DocsArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    match arguments.action {
        DocsAction::Write(folder) => write(project, project.docs_folder(folder.folder.as_deref()), output),
        DocsAction::Read(folder) => read(project, project.docs_folder(folder.folder.as_deref()), output),
        DocsAction::Check(folder) => check(project, project.docs_folder(folder.folder.as_deref()), output),
    }
}

/// The folder of each source.
fn folders(project: &Project, folder: PathBuf) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let catalog = project.catalog()?;
    let names: Vec<&str> = catalog.sources().iter().map(|source| source.name.as_str()).collect();
    Ok(match names.as_slice() {
        [only] => vec![((*only).to_owned(), folder)],
        several => several.iter().map(|name| ((*name).to_owned(), folder.join(name))).collect(),
    })
}

/// Takes edits over first, so that writing never loses one.
fn write(project: &Project, folder: PathBuf, output: &Output) -> anyhow::Result<ExitCode> {
    let store = project.store()?;
    let mut files = 0;
    for (source, folder) in folders(project, folder)? {
        if folder.is_dir() {
            let report = markdown::read_back(&store, &folder)?;
            if !report.problems.is_empty() {
                return Err(problems(&report.problems));
            }
        }
        let written = markdown::write(&store.catalog()?, &source, &folder)?;
        if !written.kept.is_empty() {
            return Err(problems(&written.kept));
        }
        files += written.written.len();
        output.line(format!("{}", folder.display()));
    }
    output.either(&json!({"files": files}), format!("{files} files written"));
    Ok(ExitCode::SUCCESS)
}

fn read(project: &Project, folder: PathBuf, output: &Output) -> anyhow::Result<ExitCode> {
    let store = project.store()?;
    let mut changed = Vec::new();
    let mut found = Vec::new();
    for (_, folder) in folders(project, folder)? {
        let report = markdown::read_back(&store, &folder)?;
        changed.extend(report.changed.iter().map(ToString::to_string));
        found.extend(report.problems);
    }
    if !found.is_empty() {
        return Err(problems(&found));
    }
    // The index follows at once, so that a question asked next finds the edit.
    project.index(&store.catalog()?)?;
    output.either(&json!({"changed": changed}), format!("{} tables changed {}", changed.len(), changed.join(", ")));
    Ok(ExitCode::SUCCESS)
}

fn check(project: &Project, folder: PathBuf, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let mut differing = Vec::new();
    for (source, folder) in folders(project, folder)? {
        differing.extend(markdown::check(&catalog, &source, &folder)?.iter().map(text));
    }
    if differing.is_empty() {
        output.either(&json!({"differing": differing}), "the folder matches the catalog");
        return Ok(ExitCode::SUCCESS);
    }
    Err(ProjectError::Docs { reason: differing.join("; ") }.into())
}

fn text(drift: &Drift) -> String {
    match drift {
        Drift::Missing(file) => format!("{} is missing", file.display()),
        Drift::Outdated { file, line } => format!("{}:{line} is out of date", file.display()),
        Drift::Edited(file) => format!("{} was edited and not read back", file.display()),
        Drift::Orphan(file) => format!("{} belongs to no table", file.display()),
        Drift::Malformed(problem) => format!("{}:{}: {}", problem.file.display(), problem.line, problem.reason),
        other => format!("{other:?}"),
    }
}

fn problems(found: &[markdown::Problem]) -> anyhow::Error {
    let lines: Vec<String> = found
        .iter()
        .map(|problem| format!("{}:{}: {}", problem.file.display(), problem.line, problem.reason))
        .collect();
    ProjectError::Docs { reason: lines.join("; ") }.into()
}
