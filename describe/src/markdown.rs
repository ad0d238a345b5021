//! The catalog as Markdown: one page per table and a list of all, written, compared, and read back.
//!
//! People edit these files; what they write wins. [`write`] never overwrites an edit that has not been read back, and
//! [`read_back`] tells an edit from text that has only become out of date by the hashes at the end of each page. A page
//! that can't be read, or whose table is gone, doesn't stop the others: [`write`] renames it where people wrote in it.
//!
//! Invariant: writing and reading back changes nothing; an edit that was read back is written again letter for letter;
//! no text of a person is ever deleted.

mod escape;
mod file_names;
mod folder;
mod generated;
mod glossary;
mod human;
mod lines;
mod list;
mod merge;
mod page;
mod reading;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use catalog::{Catalog, Entry, Overrides, Store, TableId};

use crate::error::DescribeError;
pub(crate) use folder::is_markdown;
use folder::{files_below, read_text, remove, set_aside, write_text};
pub use glossary::GLOSSARY_FILE;
pub use human::human_queries;
use merge::merge;
use page::Page;
pub(crate) use page::column_key;
use reading::{Fault, PageReading};

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
    /// Pages with people's text that can't be taken over, under their new names.
    pub aside: Vec<Aside>,
    /// Files left as they are, because they hold edits that were not read back.
    pub kept: Vec<Problem>,
}

/// A page that was renamed, so that what people wrote in it isn't lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// What it was called.
    pub file: PathBuf,
    /// What it is called now: no page any more, so nothing reads or writes it.
    pub kept_as: PathBuf,
    /// Why.
    pub reason: String,
}

/// What reading back did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Tables whose overrides changed, in order of their ids.
    pub changed: Vec<TableId>,
    /// Business terms that changed, by name.
    pub terms: Vec<String>,
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
/// touched. A broken page is written anew; it is kept under another name where any line of it isn't ours.
///
/// # Errors
/// The source is unknown, or a file can't be written; what was written before stays.
pub fn write(catalog: &Catalog, source: &str, folder: &Path) -> Result<Written, DescribeError> {
    let mut written = Written::default();
    let plan = plan(catalog, source)?;
    for (file, entry) in &plan {
        write_page(catalog, entry, folder.join(file), &mut written)?;
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
    write_glossary(catalog, source, &folder.join(GLOSSARY_FILE), &mut written)?;
    for orphan in orphans(catalog, source, folder, &plan)? {
        if orphan.edited {
            let reason = "its table is gone or has another page, and people wrote in it".to_owned();
            written.aside.push(aside(&orphan.file, reason)?);
        } else {
            remove(&orphan.file)?;
            written.removed.push(orphan.file);
        }
    }
    Ok(written)
}

/// Writes the page of one table anew, and its line in the list, where there are pages of its source.
///
/// # Errors
/// The table is unknown, or the file can't be written.
pub fn write_table(catalog: &Catalog, table: &TableId, folder: &Path) -> Result<Written, DescribeError> {
    let mut written = Written::default();
    let folder = folder_of(catalog, &table.source, folder);
    if folder.is_dir() {
        let plan = plan(catalog, &table.source)?;
        if let Some((file, entry)) = plan.iter().find(|(_, entry)| entry.table.id == *table) {
            write_page(catalog, entry, folder.join(file), &mut written)?;
            let path = folder.join(LIST_FILE);
            if let Some(list) = read_text(&path)?.and_then(|list| list::with_line(&list, file, entry)) {
                write_text(&path, &list)?;
                written.written.push(path);
            }
        }
    }
    Ok(written)
}

/// Where the pages of a source are: in the folder itself, or in one of its own where there are several sources.
pub fn folder_of(catalog: &Catalog, source: &str, folder: &Path) -> PathBuf {
    if catalog.sources().len() > 1 { folder.join(source) } else { folder.to_owned() }
}

fn write_page(catalog: &Catalog, entry: &Entry, path: PathBuf, written: &mut Written) -> Result<(), DescribeError> {
    let page = Page::of(entry, catalog);
    let content = page.render();
    let current = read_text(&path)?;
    if current.as_deref().is_some_and(|current| same(current, &content)) {
        written.unchanged += 1;
        return Ok(());
    }
    match current.as_deref().map_or(State::Ours, |current| state(current, &content, &page, entry)) {
        State::Ours => {}
        State::Edited => {
            let reason = "it has edits that were not read back".to_owned();
            written.kept.push(Problem { file: path, line: 1, reason });
            return Ok(());
        }
        State::Broken(fault) => {
            written.aside.push(aside(&path, format!("line {}: {}", fault.line, fault.reason))?);
        }
    }
    write_text(&path, &content)?;
    written.written.push(path);
    Ok(())
}

/// Writes the page of the business terms, unless there are edits on it that were not read back.
fn write_glossary(catalog: &Catalog, source: &str, path: &Path, written: &mut Written) -> Result<(), DescribeError> {
    let content = glossary::render(catalog, source);
    match read_text(path)? {
        Some(current) if same(&current, &content) => written.unchanged += 1,
        Some(current) if glossary::is_edited(&current, catalog) => {
            let reason = "it has edits that were not read back".to_owned();
            written.kept.push(Problem { file: path.to_owned(), line: 1, reason });
        }
        _ => {
            write_text(path, &content)?;
            written.written.push(path.to_owned());
        }
    }
    Ok(())
}

/// Reads every page below `folder` (two levels deep, so that each source may have its own) and stores what people
/// changed. A page that can't be read is reported and skipped.
///
/// # Errors
/// There is no such folder, or it or the catalog can't be read or written.
pub fn read_back(store: &Store, folder: &Path) -> Result<Report, DescribeError> {
    if !folder.is_dir() {
        return Err(DescribeError::NoFolder { path: folder.to_owned() });
    }
    read_files(store, &store.catalog()?, &files_below(folder)?)
}

/// Reads these files only; files that are not there, or no pages, are skipped. `catalog` is the store's, so that a
/// watcher needn't load it for each edit.
pub(crate) fn read_files(store: &Store, catalog: &Catalog, files: &[PathBuf]) -> Result<Report, DescribeError> {
    let mut report = Report::default();
    let mut seen: HashMap<TableId, PathBuf> = HashMap::new();
    for file in files {
        let Some(text) = read_text(file)? else { continue };
        if file.file_name().is_some_and(|name| name == GLOSSARY_FILE) {
            let (changed, faults) = glossary::take_over(&text, store, catalog)?;
            report.terms.extend(changed);
            report.problems.extend(faults.into_iter().map(|fault| problem(file, fault)));
            continue;
        }
        let Some(reading) = reading::read(&text) else { continue };
        let taken = reading.and_then(|reading| {
            let entry = entry_of(&reading, catalog)?;
            if let Some(other) = seen.insert(entry.table.id.clone(), file.clone()) {
                let reason = format!("`{}` is a page of the same table", other.display());
                return Err(vec![Fault { line: 1, reason }]);
            }
            let merged = merge(&Page::of(entry, catalog), &reading, &entry.overrides)?;
            Ok((entry, reading, merged))
        });
        match taken {
            Ok((entry, reading, overrides)) => {
                report.pages += 1;
                if overrides != entry.overrides {
                    let id = &entry.table.id;
                    // Others may have written of the table meanwhile: what they wrote stays.
                    if !store.replace_overrides(id, &entry.overrides, &overrides)? {
                        let now = store.catalog()?;
                        let merged = now
                            .entry(id)
                            .and_then(|entry| merge(&Page::of(entry, &now), &reading, &entry.overrides).ok());
                        if let Some(merged) = merged {
                            store.put_overrides(id, &merged)?;
                        }
                    }
                    report.changed.push(id.clone());
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
    let path = folder.join(GLOSSARY_FILE);
    let content = glossary::render(catalog, source);
    match read_text(&path)? {
        None => drifts.push(Drift::Missing(path)),
        Some(current) if same(&current, &content) => {}
        Some(current) if glossary::is_edited(&current, catalog) => drifts.push(Drift::Edited(path)),
        Some(current) => drifts.push(Drift::Outdated { line: first_difference(&current, &content), file: path }),
    }
    drifts.extend(orphans(catalog, source, folder, &plan)?.into_iter().map(|orphan| Drift::Orphan(orphan.file)));
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

fn entry_of<'a>(reading: &PageReading, catalog: &'a Catalog) -> Result<&'a Entry, Vec<Fault>> {
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

/// What stands in the file of a page that is to be written.
enum State {
    /// Nothing that people wrote and that isn't in the catalog.
    Ours,
    /// Edits that were not read back.
    Edited,
    /// Text that isn't ours and can't be taken over, with the first reason.
    Broken(Fault),
}

fn state(current: &str, content: &str, page: &Page, entry: &Entry) -> State {
    match changes(current, page, entry) {
        Ok(overrides) if overrides == entry.overrides => State::Ours,
        Ok(_) => State::Edited,
        Err(_) if holds_nothing_else(current, content) => State::Ours,
        Err(fault) => State::Broken(fault),
    }
}

/// Whether every line of a damaged page stands on the page that replaces it, hashes aside: a page cut short, say, or
/// an empty file.
fn holds_nothing_else(current: &str, content: &str) -> bool {
    let known: HashSet<&str> = content.lines().map(str::trim_end).collect();
    let hashes = current.find(page::HASHES).unwrap_or(current.len());
    let (text, rest) = current.split_at(hashes);
    let behind = rest.split_once(&format!("\n{}", page::HASHES_END)).map_or("", |(_, behind)| behind);
    text.lines().chain(behind.lines()).map(str::trim_end).all(|line| line.is_empty() || known.contains(line))
}

fn aside(file: &Path, reason: String) -> Result<Aside, DescribeError> {
    Ok(Aside { file: file.to_owned(), kept_as: set_aside(file)?, reason })
}

/// A page that no table of the plan has.
struct Orphan {
    file: PathBuf,
    /// Whether people wrote in it, or it can't be told.
    edited: bool,
}

/// Pages of this source in the folder that no table of the plan has, and pages in it or one level below whose table is
/// gone. Pages of another source may belong to another catalog and are left alone.
fn orphans(
    catalog: &Catalog,
    source: &str,
    folder: &Path,
    plan: &[(String, &Entry)],
) -> Result<Vec<Orphan>, DescribeError> {
    let mut orphans = Vec::new();
    for file in files_below(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let here = file.parent() == Some(folder);
        if name == GLOSSARY_FILE || here && (name == LIST_FILE || plan.iter().any(|(planned, _)| planned == name)) {
            continue;
        }
        let Some(text) = read_text(&file)? else { continue };
        let Some(reading) = reading::read(&text) else { continue };
        let id = reading.as_ref().map_or_else(|_| reading::marked_table(&text), |reading| reading.id.clone());
        let homeless = match (&id, &reading) {
            (Some(id), _) if id.source == source => here || catalog.entry(id).is_none(),
            (Some(_), _) => false,
            (None, Ok(reading)) => catalog.find(&reading.title, None).is_empty(),
            (None, Err(_)) => false,
        };
        if homeless {
            let edited = reading.as_ref().map_or(true, |reading| id.is_none() || has_edits(reading));
            orphans.push(Orphan { file, edited });
        }
    }
    Ok(orphans)
}

/// Whether people wrote anything on a page whose table we can't compare it with.
fn has_edits(reading: &PageReading) -> bool {
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
