//! `periplus docs`: the catalog as Markdown, out and back in. One folder for a source; with several, one below it each.
//!
//! A page that can't be read stops no other page: what was taken and what wasn't are both said.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use catalog::{Catalog, Store, TableId};
use describe::DescribeError;
use describe::markdown::{self, Aside, Drift, Problem};
use serde_json::{Value, json};

mod proposed;

use crate::args::{DocsAction, DocsArguments};
use crate::output::Output;
use crate::project::{Project, ProjectError};

pub(super) fn run(arguments: DocsArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    match arguments.action {
        DocsAction::Write(folder) => write(project, &project.docs_folder(folder.folder.as_deref()), output),
        DocsAction::Read(folder) => read(project, &project.docs_folder(folder.folder.as_deref()), output),
        DocsAction::Check(folder) => check(project, &project.docs_folder(folder.folder.as_deref()), output),
        DocsAction::Proposed => proposed::list(project, output),
        DocsAction::Accept(tables) => proposed::accept(project, &tables, output),
        DocsAction::Reject(tables) => proposed::reject(project, &tables, output),
    }
}

/// The folder of each source.
fn folders(catalog: &Catalog, folder: &Path) -> Vec<(String, PathBuf)> {
    let names = catalog.sources().iter().map(|source| source.name.clone());
    names.map(|name| (name.clone(), markdown::folder_of(catalog, &name, folder))).collect()
}

/// What `docs write` did in all folders.
#[derive(Default)]
struct Wrote {
    /// Tables whose edits were taken over first.
    changed: Vec<TableId>,
    /// Business terms whose edits were.
    terms: Vec<String>,
    files: usize,
    removed: Vec<PathBuf>,
    aside: Vec<Aside>,
    /// Files that were left as they are because of their edits.
    kept: Vec<Problem>,
    /// Pages that are none of this catalog's business.
    skipped: Vec<Problem>,
}

/// Takes edits over first, so that writing never loses one.
fn write(project: &Project, folder: &Path, output: &Output) -> anyhow::Result<ExitCode> {
    let folders = folders(&project.catalog()?, folder);
    let wrote = write_all(&project.store()?, &folders)?;
    for (_, folder) in &folders {
        output.line(format!("{}", folder.display()));
    }
    output.line(wrote.text());
    finish(wrote.document(), &wrote.kept, output)
}

/// Writes the Markdown anew where there is any, so that nothing stays in it that is masked by now.
pub(super) fn write_again(project: &Project, catalog: &Catalog) -> anyhow::Result<()> {
    let folder = project.docs_folder(None);
    if folder.is_dir() {
        write_all(&project.store()?, &folders(catalog, &folder))?;
    }
    Ok(())
}

fn write_all(store: &Store, folders: &[(String, PathBuf)]) -> Result<Wrote, DescribeError> {
    let mut wrote = Wrote::default();
    let mut unread = Vec::new();
    for (source, folder) in folders {
        if folder.is_dir() {
            let report = markdown::read_back(store, folder)?;
            wrote.changed.extend(report.changed);
            wrote.terms.extend(report.terms);
            unread.extend(report.problems);
        }
        let written = markdown::write(&store.catalog()?, source, folder)?;
        unread.retain(|problem| {
            !written.removed.contains(&problem.file)
                && !written.written.contains(&problem.file)
                && !written.aside.iter().any(|aside| aside.file == problem.file)
                && !written.kept.iter().any(|kept| kept.file == problem.file)
        });
        wrote.files += written.written.len();
        wrote.removed.extend(written.removed);
        wrote.aside.extend(written.aside);
        wrote.kept.extend(written.kept);
    }
    wrote.skipped = unread;
    Ok(wrote)
}

impl Wrote {
    fn text(&self) -> String {
        let mut lines = vec![format!("{} files written", self.files)];
        if !self.changed.is_empty() {
            lines.push(format!("edits taken over: {}", names(&self.changed).join(", ")));
        }
        if !self.terms.is_empty() {
            lines.push(format!("terms of the glossary taken over: {}", self.terms.join(", ")));
        }
        lines.extend(
            self.removed.iter().map(|file| format!("removed {}: no table has this page any more", file.display())),
        );
        lines.extend(
            self.aside
                .iter()
                .map(|aside| format!("kept {} as {}: {}", aside.file.display(), aside.kept_as.display(), aside.reason)),
        );
        lines.extend(self.skipped.iter().map(|problem| format!("skipped {}", line(problem))));
        lines.join("\n")
    }

    fn document(&self) -> Value {
        let aside: Vec<Value> = self
            .aside
            .iter()
            .map(|aside| json!({"file": aside.file, "kept_as": aside.kept_as, "reason": aside.reason}))
            .collect();
        json!({
            "files": self.files,
            "changed": names(&self.changed),
            "terms": self.terms,
            "removed": self.removed,
            "kept_aside": aside,
            "skipped": self.skipped.iter().map(line).collect::<Vec<_>>(),
        })
    }
}

fn read(project: &Project, folder: &Path, output: &Output) -> anyhow::Result<ExitCode> {
    let store = project.store()?;
    let report = read_all(&store, &folders(&project.catalog()?, folder), folder)?;
    // The index follows at once, so that a question asked next finds the edit, and so do the pages, which say what they were
    // last read as.
    project.index(&store.catalog()?)?;
    if report.problems.is_empty() {
        write_all(&store, &folders(&project.catalog()?, folder))?;
    }
    let changed = names(&report.changed);
    if !report.terms.is_empty() {
        output.line(format!("terms of the glossary taken over: {}", report.terms.join(", ")));
    }
    output.line(match changed.as_slice() {
        [] => format!("no table changed; {} pages read", report.pages),
        [only] => format!("1 table changed: {only}"),
        several => format!("{} tables changed: {}", several.len(), several.join(", ")),
    });
    finish(json!({"changed": changed, "terms": report.terms, "pages": report.pages}), &report.problems, output)
}

/// Reads the folders that are there; where none is, that is an error about `top`.
fn read_all(store: &Store, folders: &[(String, PathBuf)], top: &Path) -> Result<markdown::Report, DescribeError> {
    // A source added since has no folder yet.
    let there: Vec<&PathBuf> = folders.iter().map(|(_, folder)| folder).filter(|folder| folder.is_dir()).collect();
    if there.is_empty() {
        return Err(DescribeError::NoFolder { path: top.to_owned() });
    }
    let mut all = markdown::Report::default();
    for folder in there {
        let report = markdown::read_back(store, folder)?;
        all.changed.extend(report.changed);
        all.terms.extend(report.terms);
        all.pages += report.pages;
        all.problems.extend(report.problems);
    }
    Ok(all)
}

fn check(project: &Project, folder: &Path, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let mut differing = Vec::new();
    for (source, folder) in folders(&catalog, folder) {
        differing.extend(markdown::check(&catalog, &source, &folder)?.iter().map(text));
    }
    if differing.is_empty() {
        output.json(&json!({"differing": differing}));
        output.say("the folder matches the catalog");
        return Ok(ExitCode::SUCCESS);
    }
    Err(attention(&differing).into())
}

fn text(drift: &Drift) -> String {
    match drift {
        Drift::Missing(file) => format!("{} is missing", file.display()),
        Drift::Outdated { file, line } => format!("{}:{line} is out of date", file.display()),
        Drift::Edited(file) => format!("{} was edited and not read back", file.display()),
        Drift::Orphan(file) => format!("{} belongs to no table", file.display()),
        Drift::Malformed(problem) => line(problem),
        other => format!("{other:?}"),
    }
}

/// The end of a command that did what it could: its document, and an error where something is left to be done. A
/// program gets both in one document.
fn finish(mut document: Value, problems: &[Problem], output: &Output) -> anyhow::Result<ExitCode> {
    if problems.is_empty() {
        output.json(&document);
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<String> = problems.iter().map(line).collect();
    let error = attention(&lines);
    if !output.is_json() {
        return Err(error.into());
    }
    document["error"] =
        json!({"code": error.code(), "message": error.to_string(), "causes": lines, "hints": error.hints()});
    output.json(&document);
    Ok(ExitCode::FAILURE)
}

/// All that is wrong, one a line.
fn attention(lines: &[String]) -> ProjectError {
    let what = if lines.len() == 1 { "finding" } else { "findings" };
    ProjectError::Docs { reason: format!("{} {what}\n  {}", lines.len(), lines.join("\n  ")) }
}

fn line(problem: &Problem) -> String {
    format!("{}:{}: {}", problem.file.display(), problem.line, problem.reason)
}

fn names(tables: &[TableId]) -> Vec<String> {
    tables.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use catalog::{Column, Dialect, Source, Table};
    use tempfile::TempDir;

    use super::*;
    use crate::config::Config;

    fn table(name: &str) -> Table {
        let column = Column::new("x", "TEXT");
        Table { columns: vec![column], ..Table::new(TableId::new("s", name)) }
    }

    /// A project whose catalog holds the source `s` with these tables, and its folder of pages.
    fn project(tables: &[Table]) -> (TempDir, Project, PathBuf) {
        let holder = tempfile::tempdir().unwrap();
        let project = Project { root: holder.path().to_owned(), config: Config::default(), text: None };
        fs::create_dir_all(project.state_folder()).unwrap();
        let store = project.store().unwrap();
        let source = Source::new("s", Dialect::Sqlite, "sqlite:s.db");
        store.put_source(&source).unwrap();
        store.put_structure("s", tables).unwrap();
        let folder = project.docs_folder(None);
        (holder, project, folder)
    }

    fn edit(file: &Path, from: &str, to: &str) {
        let page = fs::read_to_string(file).unwrap();
        assert!(page.contains(from), "{page}");
        fs::write(file, page.replacen(from, to, 1)).unwrap();
    }

    const DESCRIPTION: &str = "- **Description:** ";

    #[test]
    fn writing_goes_on_where_a_table_is_gone_or_a_page_is_broken() {
        let (_holder, project, folder) = project(&[table("a"), table("b"), table("gone"), table("noted")]);
        let output = Output::new(true);
        assert_eq!(write(&project, &folder, &output).unwrap(), ExitCode::SUCCESS);
        edit(&folder.join("noted.md"), DESCRIPTION, "- **Description:** Mine. ");
        edit(&folder.join("a.md"), "### x", "### y");
        edit(&folder.join("b.md"), DESCRIPTION, "- **Description:** Ours. ");
        let store = project.store().unwrap();
        store.put_structure("s", &[table("a"), table("b")]).unwrap();
        let wrote = write_all(&store, &[("s".into(), folder.clone())]).unwrap();
        assert_eq!(wrote.changed, [TableId::new("s", "b")]);
        assert_eq!(wrote.removed, [folder.join("gone.md")]);
        let text = wrote.text();
        for expected in
            ["edits taken over: s.b", "a.md.kept: line ", "no column `y`", "noted.md.kept: its table is gone"]
        {
            assert!(text.contains(expected), "{text}");
        }
        assert_eq!((wrote.kept.len(), wrote.skipped.len()), (0, 0), "{text}");
        assert_eq!(write(&project, &folder, &output).unwrap(), ExitCode::SUCCESS);
        assert_eq!(check(&project, &folder, &output).unwrap(), ExitCode::SUCCESS);
    }

    #[test]
    fn reading_says_what_was_taken_and_fails_for_the_rest() {
        let (_holder, project, folder) = project(&[table("a"), table("b"), table("c")]);
        write(&project, &folder, &Output::new(true)).unwrap();
        edit(&folder.join("a.md"), "### x", "### y");
        edit(&folder.join("b.md"), DESCRIPTION, "- **Description:** Ours. ");
        edit(&folder.join("c.md"), "## Notes", "## Purpose");
        let report = read_all(&project.store().unwrap(), &[("s".into(), folder.clone())], &folder).unwrap();
        assert_eq!((report.changed, report.pages, report.problems.len()), (vec![TableId::new("s", "b")], 1, 2));
        let error = read(&project, &folder, &Output::new(false)).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 3, "{error}");
        assert!(error.contains("\n  ") && error.contains("c.md:"), "{error}");
        assert_eq!(read(&project, &folder, &Output::new(true)).unwrap(), ExitCode::FAILURE);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let (_holder, project, folder) = project(&[table("a")]);
        let error = read(&project, &folder.join("nowhere"), &Output::new(false)).unwrap_err();
        assert_eq!(error.downcast_ref::<DescribeError>().unwrap().code(), "docs_folder");
    }
}
