//! `periplus watch`: sees what has changed in databases, dbt projects and scripts, and indexes that; and takes over what people
//! edit in the Markdown folder.
//!
//! Every few seconds each source is asked for a text that is another one once its structure is, which is one statement; of files
//! their sizes and times are looked at. Rows are written all the time: they are looked at again much more seldom, and query logs
//! with them. Who serves the catalog sees what is indexed with the next call.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use catalog::Catalog;
use connect::{ConnectError, Connector};
use jiff::{Timestamp, Zoned};
use lineage::DbtProject;
use serde_json::{Value, json};

use super::serve::{OpenProject, watch_docs};
use super::{docs, index};
use crate::args::WatchArguments;
use crate::config::SourceConfig;
use crate::output::{Output, counted};
use crate::pipeline;
use crate::progress::Reporter;
use crate::project::Project;

/// Tables that are named in a line.
const NAMES_SHOWN: usize = 5;
/// Folders in folders of scripts are looked into this deep.
const MAXIMUM_DEPTH: usize = 16;

pub(super) async fn run(
    arguments: &WatchArguments,
    open: Box<OpenProject>,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    // Fail here, where somebody reads it, rather than in the first round.
    let project = open()?;
    let _edits = watch_docs(&project)?;
    let mut watch = Watch::new(arguments.every, arguments.rows_every);
    let mut told = |event: Event| output.either(&event.document(), event.line());
    tokio::select! {
        never = watch.keep_current(&*open, &mut told) => match never {},
        // That is how it ends. What was finished is stored.
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Watches beside a server, in a thread of its own, until the program ends.
pub(super) fn beside(open: Box<OpenProject>) -> anyhow::Result<()> {
    let mut watch = Watch::new(WatchArguments::EVERY, WatchArguments::ROWS_EVERY);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
        let mut told = |event: Event| tracing::info!("{}", event.line());
        match runtime.block_on(watch.keep_current(&*open, &mut told)) {}
    })?;
    Ok(())
}

/// Something that has happened.
struct Event {
    /// To which source.
    source: Option<String>,
    what: String,
}

impl Event {
    fn line(&self) -> String {
        let source = self.source.as_ref().map(|source| format!("{source}: ")).unwrap_or_default();
        format!("{} {source}{}", Zoned::now().strftime("%H:%M:%S"), self.what)
    }

    fn document(&self) -> Value {
        json!({ "at": Timestamp::now(), "source": self.source, "event": self.what })
    }
}

struct Watch {
    every: Duration,
    rows_every: Duration,
    sources: HashMap<String, Watched>,
}

/// What is known of a source from one round to the next.
struct Watched {
    dsn: String,
    connector: Box<dyn Connector>,
    seen: Option<Seen>,
    indexed_at: Instant,
    is_away: bool,
}

/// What a source and its files look like; anything else means that something has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    structure: Option<String>,
    texts: BTreeMap<PathBuf, (u64, Option<SystemTime>)>,
}

impl Watch {
    fn new(every: Duration, rows_every: Duration) -> Self {
        Self { every, rows_every, sources: HashMap::new() }
    }

    async fn keep_current(&mut self, open: &OpenProject, told: &mut dyn FnMut(Event)) -> Infallible {
        loop {
            match open() {
                Ok(project) => self.round(&project, told).await,
                Err(error) => told(Event { source: None, what: format!("the configuration can't be read: {error}") }),
            }
            tokio::time::sleep(self.every).await;
        }
    }

    async fn round(&mut self, project: &Project, told: &mut dyn FnMut(Event)) {
        for source in &project.config.sources {
            if let Err(error) = self.look_at(project, source, told).await {
                self.failed(&source.id, &error, told);
            }
        }
    }

    /// Says once that a source can't be looked at, and goes on trying.
    fn failed(&mut self, source: &str, error: &anyhow::Error, told: &mut dyn FnMut(Event)) {
        let known = self.sources.get_mut(source);
        if known.as_ref().is_none_or(|known| !known.is_away) {
            told(Event { source: Some(source.to_owned()), what: format!("{error}; trying again every few seconds") });
        }
        if let Some(known) = known {
            known.is_away = true;
        }
    }

    async fn look_at(
        &mut self,
        project: &Project,
        source: &SourceConfig,
        told: &mut dyn FnMut(Event),
    ) -> anyhow::Result<()> {
        let rows_every = self.rows_every;
        let watched = match self.sources.remove(&source.id).filter(|watched| watched.dsn == source.dsn) {
            Some(watched) => watched,
            None => Watched {
                dsn: source.dsn.clone(),
                connector: project.connector(source)?,
                seen: None,
                indexed_at: Instant::now(),
                is_away: false,
            },
        };
        let watched = self.sources.entry(source.id.clone()).or_insert(watched);
        let seen = Seen { structure: structure_of(watched.connector.as_ref()).await?, texts: texts_of(source)? };
        let is_back = std::mem::take(&mut watched.is_away);
        if is_back {
            told(Event { source: Some(source.id.clone()), what: "it can be reached again".to_owned() });
        }
        let why = match &watched.seen {
            None => "at the start",
            Some(before) if before.structure != seen.structure => "the structure has changed",
            Some(before) if before.texts != seen.texts => "a dbt project or a script has changed",
            Some(_) if watched.indexed_at.elapsed() >= rows_every => "rows may have changed",
            Some(_) => return Ok(()),
        };
        let started = Instant::now();
        let done = refresh(project, source, false, &mut Reporter::silent()).await?;
        let what = format!("{why}; {done} in {:.1} s", started.elapsed().as_secs_f64());
        told(Event { source: Some(source.id.clone()), what });
        (watched.seen, watched.indexed_at) = (Some(seen), Instant::now());
        Ok(())
    }
}

/// A text that is another one once the structure is; for an engine that has none, when the database was last written to.
async fn structure_of(connector: &dyn Connector) -> Result<Option<String>, ConnectError> {
    match connector.structure_mark().await? {
        Some(mark) => Ok(Some(mark)),
        None => Ok(connector.changed_at().map(|at| format!("{at:?}"))),
    }
}

/// Indexes a source again, as `periplus index` does; says what was done.
pub(super) async fn refresh(
    project: &Project,
    source: &SourceConfig,
    full: bool,
    reporter: &mut Reporter,
) -> anyhow::Result<String> {
    let options = profile::Options { full, ..index::profile_options(project, false) };
    let sources = std::slice::from_ref(source);
    let before = fingerprints(&project.store_before_reading()?.catalog()?, &source.id);
    let indexed = pipeline::index(project, sources, &options, None, reporter).await?;
    docs::write_again(project, &indexed.catalog)?;
    let after = fingerprints(&indexed.catalog, &source.id);
    let profiled = indexed.sources.first().map_or(0, |done| done.profiled.profiled);
    let masked = listed("masked since", indexed.newly_masked.iter().collect());
    let kept = listed("still masked, though nothing says so any more", indexed.kept_masked.iter().collect());
    let opened = listed("open since", indexed.opened.iter().collect());
    drop(indexed);
    // Somebody may be reading an earlier state; it is erased when they are done.
    project.store()?.erase_removed()?;
    let new = after.keys().filter(|name| !before.contains_key(*name));
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let changed = after.iter().filter(|(name, now)| before.get(*name).is_some_and(|before| before != *now));
    let lists = [
        listed("new", new.collect()),
        listed("changed", changed.map(|(name, _)| name).collect()),
        listed("gone", gone.collect()),
    ];
    let lists: String =
        lists.into_iter().flatten().chain(masked).chain(kept).chain(opened).map(|list| format!("{list}; ")).collect();
    Ok(format!("{lists}{} profiled", counted(profiled, "table")))
}

/// What tells that a table has changed, by its name.
fn fingerprints(catalog: &Catalog, source: &str) -> BTreeMap<String, String> {
    catalog.tables_of(source).map(|entry| (entry.table.id.local(), entry.table.fingerprint())).collect()
}

/// `new: a, b and 3 more`; nothing where there is none.
fn listed(what: &str, names: Vec<&String>) -> Option<String> {
    let shown: Vec<&str> = names.iter().take(NAMES_SHOWN).map(|name| name.as_str()).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("{what}: {}{more}", shown.join(", ")))
}

/// The files that say something of a source's tables, with what tells that one has changed.
fn texts_of(source: &SourceConfig) -> std::io::Result<BTreeMap<PathBuf, (u64, Option<SystemTime>)>> {
    let mut files = BTreeMap::new();
    for folder in &source.dbt {
        for file in DbtProject::artifacts(folder) {
            add(&file, 0, &mut files)?;
        }
    }
    for path in &source.scripts {
        add(path, 0, &mut files)?;
    }
    Ok(files)
}

fn add(path: &Path, depth: usize, files: &mut BTreeMap<PathBuf, (u64, Option<SystemTime>)>) -> std::io::Result<()> {
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        // One that is gone is another state, too.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if found.is_dir() && depth < MAXIMUM_DEPTH {
        for entry in std::fs::read_dir(path)? {
            add(&entry?.path(), depth + 1, files)?;
        }
    } else if !found.is_dir() {
        files.insert(path.to_owned(), (found.len(), found.modified().ok()));
    }
    Ok(())
}
