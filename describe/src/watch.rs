//! Watching a folder, so that an edit reaches the catalog within a second of being saved.
//!
//! The catalog is kept loaded between edits and loaded again after each write, so that an edit costs one file to read
//! and one row to write, whatever the number of tables.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use catalog::{Catalog, Store};
use notify::{RecursiveMode, Watcher};

use crate::error::DescribeError;
use crate::markdown::{Report, read_files};

/// Editors save in several steps: so long after the last of them the file is read.
const QUIET: Duration = Duration::from_millis(100);

/// Watches until it is dropped.
pub struct Watch {
    watcher: Option<notify::RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Without the watcher the channel closes, and the thread ends after what it has in hand.
        self.watcher = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads back every page below `folder` whenever it is saved, into the catalog of `store`, and tells `on_report` what
/// came of it. Edits made before the call are not looked at: call [`crate::markdown::read_back`] first.
///
/// # Errors
/// The folder doesn't exist or can't be watched, or the catalog can't be read. Later failures go to `on_report`.
pub fn watch(
    folder: &Path,
    store: Store,
    on_report: impl FnMut(Result<Report, DescribeError>) + Send + 'static,
) -> Result<Watch, DescribeError> {
    let failed = |source| DescribeError::Watch { path: folder.to_owned(), source };
    let catalog = store.catalog()?;
    let (sender, receiver) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // The receiver is gone only when the watch is being dropped.
        let _ = sender.send(event);
    })
    .map_err(failed)?;
    watcher.watch(folder, RecursiveMode::Recursive).map_err(failed)?;
    let path = folder.to_owned();
    let thread = std::thread::spawn(move || follow(&path, store, catalog, &receiver, on_report));
    Ok(Watch { watcher: Some(watcher), thread: Some(thread) })
}

fn follow(
    folder: &Path,
    mut store: Store,
    mut catalog: Catalog,
    events: &Receiver<notify::Result<notify::Event>>,
    mut on_report: impl FnMut(Result<Report, DescribeError>),
) {
    while let Ok(first) = events.recv() {
        let mut files = BTreeSet::new();
        let mut next = Some(first);
        while let Some(event) = next.take() {
            match event {
                Ok(event) => files.extend(event.paths.into_iter().filter(|path| crate::markdown::is_markdown(path))),
                Err(source) => on_report(Err(DescribeError::Watch { path: folder.to_owned(), source })),
            }
            next = events.recv_timeout(QUIET).ok();
        }
        if files.is_empty() {
            continue;
        }
        let files: Vec<PathBuf> = files.into_iter().collect();
        match take_over(&mut store, &mut catalog, &files) {
            Ok(report) if report.changed.is_empty() && report.terms.is_empty() && report.problems.is_empty() => {}
            outcome => on_report(outcome),
        }
        refresh(&store, &mut catalog);
    }
}

fn take_over(store: &mut Store, catalog: &mut Catalog, files: &[PathBuf]) -> Result<Report, DescribeError> {
    if store.follow()? || !store.is_current(catalog)? {
        *catalog = store.catalog()?;
    }
    read_files(store, catalog, files)
}

/// Loads what was just written, ahead of the next edit. If it fails, the next edit tries again and reports.
fn refresh(store: &Store, catalog: &mut Catalog) {
    if store.is_current(catalog).is_ok_and(|is_current| !is_current)
        && let Ok(fresh) = store.catalog()
    {
        *catalog = fresh;
    }
}
