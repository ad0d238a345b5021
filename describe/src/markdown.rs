//! The catalog as Markdown: one page per table and a list of all, written, compared, and read back.
//!
//! People edit these files; what they write wins. [`write`] never overwrites an edit that has not been read back, and
//! [`read_back`] tells an edit from text that has only become out of date by the hashes at the end of each page.
//!
//! Invariant: writing and reading back changes nothing; an edit that was read back is written again letter for letter.

mod escape;
mod file_names;
mod folder;
mod generated;
mod human;
mod list;
mod merge;
mod page;
mod reading;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Entry, Overrides, Store, TableId};

use crate::error::DescribeError;
pub(crate) use folder::is_markdown;
use folder::{files_below, read_text, remove, write_text};
pub use human::human_queries;
use merge::merge;
use page::Page;
use reading::{Fault, Reading};

/// The file with the list of all tables.
pub const LIST_FILE: &str = "_index.md";

/// A page that can't be taken over, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// What writing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that are new or have other content now.
    pub written: Vec<PathBuf>,
    /// How many files already were as they should be.
    pub unchanged: usize,
    /// Pages of tables that are gone, or have another file now.
    pub removed: Vec<PathBuf>,
    /// Files left as they are, because they hold edits that were not read back or can't be read.
    pub kept: Vec<Problem>,
}

/// What reading back did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Tables whose overrides changed, in order of their ids.
    pub changed: Vec<TableId>,
    /// Pages that were read.
    pub pages: usize,
    /// Pages that were skipped.
    pub problems: Vec<Problem>,
}

/// How a folder differs from the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drift {
    /// A file that should be there isn't.
    Missing(PathBuf),
    /// The catalog says something else by now.
    Outdated {
        /// The file.
        file: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
    },
    /// People edited it and nobody read it back.
    Edited(PathBuf),
    /// A page of a table that the catalog doesn't hold, or that has another file.
    Orphan(PathBuf),
    /// It can't be read.
    Malformed(Problem),
}

/// Writes the pages of one source into `folder`, and the list of its tables. Files that need no change are not
/// touched.
///
/// # Errors
/// The source is unknown, or a file can't be written; what was written before stays.
pub fn write(catalog: &Catalog, source: &str, folder: &Path) -> Result<Written, DescribeError> {
    let mut written = Written::default();
    let plan = plan(catalog, source)?;
    for (file, entry) in &plan {
        let path = folder.join(file);
        let page = Page::of(entry, catalog);
        let content = page.render();
        let current = read_text(&path)?;
        if current.as_deref().is_some_and(|current| same(current, &content)) {
            written.unchanged += 1;
            continue;
        }
        if let Some(problem) = current.as_deref().and_then(|current| unread(&path, current, &page, entry)) {
            written.kept.push(problem);
            continue;
        }
        write_text(&path, &content)?;
        written.written.push(path);
    }
    let path = folder.join(LIST_FILE);
    let content = list::render(catalog, source, &plan);
    match read_text(&path)? {
        Some(current) if same(&current, &content) => written.unchanged += 1,
        _ => {
            write_text(&path, &content)?;
            written.written.push(path);
        }
    }
    for (path, reading) in orphans(source, folder, &plan)? {
        if has_edits(&reading) {
            let reason = "its table is gone or has another page, but people wrote in it".to_owned();
            written.kept.push(Problem { file: path, line: 1, reason });
        } else {
            remove(&path)?;
            written.removed.push(path);
        }
    }
    Ok(written)
}

/// Reads every page below `folder` (two levels deep, so that each source may have its own) and stores what people
/// changed. A page that can't be read is reported and skipped.
///
/// # Errors
/// The folder or the catalog can't be read or written.
pub fn read_back(store: &Store, folder: &Path) -> Result<Report, DescribeError> {
    read_files(store, &store.catalog()?, &files_below(folder)?)
}

/// Reads these files only; files that are not there, or no pages, are passed over. `catalog` is the store's, so that a
/// watcher needn't load it for each edit.
pub(crate) fn read_files(store: &Store, catalog: &Catalog, files: &[PathBuf]) -> Result<Report, DescribeError> {
    let mut report = Report::default();
    let mut seen: HashMap<TableId, PathBuf> = HashMap::new();
    for file in files {
        let Some(text) = read_text(file)? else { continue };
        let Some(reading) = reading::read(&text) else { continue };
        let taken = reading.and_then(|reading| {
            let entry = entry_of(&reading, catalog)?;
            if let Some(other) = seen.insert(entry.table.id.clone(), file.clone()) {
                let reason = format!("`{}` is a page of the same table", other.display());
                return Err(vec![Fault { line: 1, reason }]);
            }
            Ok((entry, merge(&Page::of(entry, catalog), &reading, &entry.overrides)?))
        });
        match taken {
            Ok((entry, overrides)) => {
                report.pages += 1;
                if overrides != entry.overrides {
                    store.put_overrides(&entry.table.id, &overrides)?;
                    report.changed.push(entry.table.id.clone());
                }
            }
            Err(faults) => report.problems.extend(faults.into_iter().map(|fault| problem(file, fault))),
        }
    }
    report.changed.sort();
    Ok(report)
}

/// How the folder differs from what [`write`] would make of it; empty when it doesn't.
///
/// # Errors
/// The source is unknown, or a file can't be read.
pub fn check(catalog: &Catalog, source: &str, folder: &Path) -> Result<Vec<Drift>, DescribeError> {
    let plan = plan(catalog, source)?;
    let mut drifts = Vec::new();
    for (file, entry) in &plan {
        let path = folder.join(file);
        let page = Page::of(entry, catalog);
        let Some(current) = read_text(&path)? else {
            drifts.push(Drift::Missing(path));
            continue;
        };
        let content = page.render();
        if same(&current, &content) {
            continue;
        }
        drifts.push(match changes(&current, &page, entry) {
            Err(fault) => Drift::Malformed(problem(&path, fault)),
            Ok(overrides) if overrides != entry.overrides => Drift::Edited(path),
            Ok(_) => Drift::Outdated { line: first_difference(&current, &content), file: path },
        });
    }
    let path = folder.join(LIST_FILE);
    let content = list::render(catalog, source, &plan);
    match read_text(&path)? {
        None => drifts.push(Drift::Missing(path)),
        Some(current) if same(&current, &content) => {}
        Some(current) => drifts.push(Drift::Outdated { line: first_difference(&current, &content), file: path }),
    }
    drifts.extend(orphans(source, folder, &plan)?.into_iter().map(|(path, _)| Drift::Orphan(path)));
    Ok(drifts)
}

/// Each table of the source with its file, in order of their ids.
fn plan<'a>(catalog: &'a Catalog, source: &str) -> Result<Vec<(String, &'a Entry)>, DescribeError> {
    if catalog.source(source).is_none() {
        return Err(DescribeError::UnknownSource { name: source.to_owned() });
    }
    let entries: Vec<&Entry> = catalog.tables_of(source).collect();
    let names = file_names::file_names(entries.iter().map(|entry| &entry.table.id));
    Ok(names.into_iter().map(|(_, name)| name).zip(entries).collect())
}

fn entry_of<'a>(reading: &Reading, catalog: &'a Catalog) -> Result<&'a Entry, Vec<Fault>> {
    let fault = |reason: String| Err(vec![Fault { line: 1, reason }]);
    if let Some(id) = &reading.id {
        return match catalog.entry(id) {
            Some(entry) => Ok(entry),
            None => fault(format!("the catalog has no table `{id}`")),
        };
    }
    match catalog.find(&reading.title, None).as_slice() {
        [entry] => Ok(entry),
        [] => fault(format!("the catalog has no table `{}`", reading.title)),
        _ => fault(format!("`{}` can be several tables; write `source.table` in the title", reading.title)),
    }
}

/// The overrides that the file asks for.
fn changes(current: &str, page: &Page, entry: &Entry) -> Result<Overrides, Fault> {
    let no_page = || Fault { line: 1, reason: "it is not a page of a table".to_owned() };
    let first = |faults: Vec<Fault>| faults.into_iter().next().unwrap_or_else(no_page);
    let reading = reading::read(current).ok_or_else(no_page)?.map_err(first)?;
    if reading.id.as_ref().is_some_and(|id| *id != entry.table.id) {
        return Err(Fault { line: 1, reason: "it is the page of another table".to_owned() });
    }
    merge(page, &reading, &entry.overrides).map_err(first)
}

/// Why a file must not be overwritten, if it mustn't. One without a page in it, such as an empty one, may be.
fn unread(path: &Path, current: &str, page: &Page, entry: &Entry) -> Option<Problem> {
    if current.trim().is_empty() {
        return None;
    }
    match changes(current, page, entry) {
        Ok(overrides) if overrides == entry.overrides => None,
        Ok(_) => {
            Some(Problem { file: path.to_owned(), line: 1, reason: "it has edits that were not read back".into() })
        }
        Err(fault) => Some(problem(path, fault)),
    }
}

/// Pages of this source in the folder that no table of the plan has.
fn orphans(source: &str, folder: &Path, plan: &[(String, &Entry)]) -> Result<Vec<(PathBuf, Reading)>, DescribeError> {
    let mut orphans = Vec::new();
    for path in folder::files_in(folder)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name == LIST_FILE || plan.iter().any(|(file, _)| file == name) {
            continue;
        }
        let Some(text) = read_text(&path)? else { continue };
        if let Some(Ok(reading)) = reading::read(&text)
            && reading.id.as_ref().is_some_and(|id| id.source == source)
        {
            orphans.push((path, reading));
        }
    }
    Ok(orphans)
}

/// Whether people wrote anything on a page whose table we can't compare it with.
fn has_edits(reading: &Reading) -> bool {
    reading.parts.iter().any(|(key, found)| {
        let written = reading.written.get(key);
        written.is_none_or(|written| written.human.is_some() || written.generated != page::hash(&found.text))
    })
}

/// Equal but for the line ends that a checkout may have changed.
fn same(current: &str, content: &str) -> bool {
    current == content || current.replace("\r\n", "\n") == content
}

fn first_difference(current: &str, content: &str) -> usize {
    1 + current.lines().zip(content.lines()).take_while(|(left, right)| left == right).count()
}

fn problem(file: &Path, fault: Fault) -> Problem {
    Problem { file: file.to_owned(), line: fault.line, reason: fault.reason }
}

#[cfg(test)]
mod tests;
