//! What every call shares: the catalog and its index, kept current, and the way to each database.
//!
//! The catalog on disk changes while we serve: people edit its Markdown, an index run goes on beside us. Each call
//! looks at the store's revision and loads again what has changed. While changes come faster than they can be loaded,
//! as during an index run, the last state goes on being served for a while, so that calls don't wait for each other; but not
//! once somebody has masked a column.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use catalog::{Catalog, Entry, MaskRules, Memory, MemoryId, MemoryUse, NewMemory, Store, TableDescription, TableId};
use connect::{ConnectError, Connector, Limits};
use describe::{DescribeError, Editor, TextEdits, Texts};
use guard::{Decision, Policy, ResultCache};
use index::{Embedder, Index};
use jiff::Zoned;
use lineage::Lineage;
use link::{LinkOptions, Linker, PreparedCatalog};

use crate::asking::Asking;
use crate::error::ServeError;

/// After a load, the next one may come when this many times its duration has passed.
const LOAD_SHARE: u32 = 5;

/// Whether texts are still those that somebody was shown.
pub(crate) type Holds = Box<dyn Fn(&Texts) -> bool + Send>;

/// How calls are answered.
#[derive(Clone)]
pub struct Options {
    /// Tokens that a reply may take, estimated.
    pub reply_tokens: usize,
    /// How tables are chosen for a question; the source is the caller's.
    pub link: LinkOptions,
    /// How much a statement may return, and how long it may take.
    pub limits: Limits,
    /// What may run.
    pub policy: Policy,
    /// Where rows of approved queries are kept, for as long as nothing is written; without it they are fetched each time.
    pub results: Option<Arc<ResultCache>>,
    /// A file to which every statement and question is appended, one JSON object a line.
    pub trace: Option<PathBuf>,
    /// The configuration that all this was read from: when the file says something else, nothing is answered any more.
    pub configuration: Option<Configuration>,
    /// By which rules the catalog is read where more is masked than by those that it is kept by.
    pub mask_rules: Option<Arc<dyn MaskRules>>,
    /// What questions are answered with, if anything.
    pub asking: Option<Arc<Asking>>,
    /// The file that holds what tables are made from, if there is one.
    pub lineage: Option<PathBuf>,
    /// The folder of the catalog as Markdown, where there may be one.
    pub docs: Option<PathBuf>,
    /// Whether agents may describe tables; `None` where the tools for that aren't offered.
    pub documenting: Option<Documenting>,
}

/// How agents describe tables.
#[derive(Clone, Debug, Default)]
pub struct Documenting {
    /// The folder where their texts wait for a person; `None` where they are stored at once.
    pub proposals: Option<PathBuf>,
}

/// A configuration file, and what it said when the server began.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl Configuration {
    pub(crate) fn holds(&self) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text)
    }
}

impl Default for Options {
    /// 8,000 tokens a reply, the other rooms' defaults, no trace file.
    fn default() -> Self {
        Self {
            reply_tokens: 8_000,
            link: LinkOptions::default(),
            limits: Limits::default(),
            policy: Policy::default(),
            results: None,
            trace: None,
            configuration: None,
            mask_rules: None,
            asking: None,
            lineage: None,
            docs: None,
            documenting: None,
        }
    }
}

/// By what one sees that a file was written again: its size, and when; `None` where there is none.
type FileState = Option<(u64, Option<std::time::SystemTime>)>;

type Open = Box<dyn Fn() -> Result<Box<dyn Connector>, ConnectError> + Send + Sync>;

/// A database that statements may be run on.
pub struct SourceAccess {
    name: String,
    open: Open,
    connector: Mutex<Option<Arc<dyn Connector>>>,
}

impl SourceAccess {
    /// The source of that name in the catalog. `open` is called when it is first needed, and again after it failed.
    pub fn new(
        name: impl Into<String>,
        open: impl Fn() -> Result<Box<dyn Connector>, ConnectError> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), open: Box::new(open), connector: Mutex::new(None) }
    }

    fn connector(&self) -> Result<Arc<dyn Connector>, ConnectError> {
        let mut connector = unpoisoned(&self.connector);
        if let Some(connector) = connector.as_ref() {
            return Ok(Arc::clone(connector));
        }
        let opened: Arc<dyn Connector> = Arc::from((self.open)()?);
        *connector = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

/// Everything that calls share.
pub struct Context {
    store: Mutex<Store>,
    index_folder: Option<PathBuf>,
    embedder: &'static dyn Embedder,
    sources: BTreeMap<String, Arc<SourceAccess>>,
    options: Options,
    lineage: Mutex<Option<(FileState, Arc<Lineage>)>>,
    /// Held while loading, so that the calls of one moment load once.
    loaded: tokio::sync::Mutex<Option<Loaded>>,
}

struct Loaded {
    snapshot: Arc<Snapshot>,
    at: Instant,
    took: Duration,
    /// People have said something of columns since, or the catalog is another file: it is served no more.
    is_over: bool,
}

impl Context {
    /// A context over the catalog in `store`. `index_folder` is where an index may lie ready; without one, or where it
    /// is out of date, the index is built in memory on the first call.
    pub fn new(
        store: Store,
        index_folder: Option<PathBuf>,
        embedder: &'static dyn Embedder,
        sources: Vec<SourceAccess>,
        options: Options,
    ) -> Self {
        let sources = sources.into_iter().map(|source| (source.name.clone(), Arc::new(source))).collect();
        let loaded = tokio::sync::Mutex::new(None);
        let lineage = Mutex::new(None);
        Self { store: Mutex::new(store), index_folder, embedder, sources, options, lineage, loaded }
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// What tables are made from, as the last index run read it; nothing where that can't be read.
    pub(crate) fn lineage(&self) -> Arc<Lineage> {
        let Some(path) = &self.options.lineage else { return Arc::default() };
        let state: FileState = std::fs::metadata(path).ok().map(|file| (file.len(), file.modified().ok()));
        let mut known = unpoisoned(&self.lineage);
        if let Some((_, lineage)) = known.as_ref().filter(|(of, _)| *of == state) {
            return Arc::clone(lineage);
        }
        let mut all = Lineage::default();
        let is_hidden = |table: &TableId| self.options.mask_rules.as_ref().is_some_and(|rules| rules.hides_rows(table));
        match lineage::load(path) {
            Ok(sources) => sources.into_values().for_each(|of_source| all.extend(of_source.without(&is_hidden))),
            Err(error) => tracing::warn!(code = error.code(), %error, "what tables are made from can't be read"),
        }
        let all = Arc::new(all);
        *known = Some((state, Arc::clone(&all)));
        all
    }

    /// Stores what an agent wrote of a table; whoever asks next is served with it.
    pub(crate) async fn put_description(&self, description: &TableDescription) -> Result<(), ServeError> {
        unpoisoned(&self.store).put_description(description)?;
        self.load_at_once().await;
        Ok(())
    }

    /// Stores what a person wrote of a table, where what they were shown of it still `holds`, and writes its page anew where there
    /// is one.
    pub(crate) async fn write_texts(
        self: &Arc<Self>,
        table: &TableId,
        edits: TextEdits,
        holds: Option<Holds>,
        author: &str,
    ) -> Result<(), ServeError> {
        let (context, table, author) = (Arc::clone(self), table.clone(), author.to_owned());
        let work = move || -> Result<(), ServeError> {
            let catalog = context.store_texts(&table, &edits, holds.as_ref(), &author)?;
            if let Some(folder) = &context.options.docs {
                // One page after the other, and while others are answered.
                static WRITING: Mutex<()> = Mutex::new(());
                let _writing = unpoisoned(&WRITING);
                // What is stored is stored: the next `docs write` does what can't be done now.
                if let Err(error) = describe::markdown::write_table(&catalog, &table, folder) {
                    tracing::warn!(code = error.code(), %error, "the page of {table} isn't written anew");
                }
            }
            Ok(())
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| ServeError::Interrupted)??;
        self.load_at_once().await;
        Ok(())
    }

    /// Stores edits on top of what others have written meanwhile, in this process or another; the catalog as it is then.
    fn store_texts(
        &self,
        table: &TableId,
        edits: &TextEdits,
        holds: Option<&Holds>,
        author: &str,
    ) -> Result<Catalog, ServeError> {
        // Nobody writes so often that one edit never gets its turn.
        const TRIES: usize = 100;
        let unknown = || DescribeError::UnknownSource { name: table.source.clone() };
        for _ in 0..TRIES {
            let catalog = unpoisoned(&self.store).catalog()?;
            if let Some(holds) = holds {
                let role = self.options.mask_rules.as_ref();
                let shown =
                    role.map(|rules| unpoisoned(&self.store).catalog_read_by(rules, Some(&catalog))).transpose()?;
                let shown = shown.map(|shown| as_a_role_sees_it(&shown));
                let shown = shown.as_ref().unwrap_or(&catalog);
                if !holds(&describe::texts(shown, shown.entry(table).ok_or_else(unknown)?)) {
                    return Err(ServeError::ChangedMeanwhile);
                }
            }
            let entry = catalog.entry(table).ok_or_else(unknown)?;
            let editor = Editor { name: author, on: Zoned::now().date() };
            let overrides = describe::edited(&catalog, entry, edits, editor).map_err(|error| match error {
                // It was there a moment ago, and which others are isn't for every caller.
                DescribeError::UnknownFact { .. } => ServeError::ChangedMeanwhile,
                error => error.into(),
            })?;
            let store = unpoisoned(&self.store);
            if store.replace_overrides(table, &entry.overrides, &overrides)? {
                return Ok(store.catalog()?);
            }
        }
        Err(ServeError::ChangedMeanwhile)
    }

    /// Keeps what somebody said of an answer.
    pub(crate) async fn remember(&self, said: NewMemory, replaces: Option<MemoryId>) -> Result<Memory, ServeError> {
        let memory = match replaces {
            Some(id) => unpoisoned(&self.store).replace_memory(id, said)?,
            None => unpoisoned(&self.store).add_memory(said)?,
        };
        self.load_at_once().await;
        Ok(memory)
    }

    /// Keeps for which question what people said was used. An answer isn't lost where that fails.
    pub(crate) fn note_uses(&self, uses: &[MemoryUse]) {
        if uses.is_empty() {
            return;
        }
        if let Err(error) = unpoisoned(&self.store).note_uses(uses) {
            tracing::warn!(code = error.code(), %error, "for which question an approval was used can't be kept");
        }
    }

    /// Takes back what somebody said of an answer.
    pub(crate) async fn forget(&self, memory: MemoryId, by: &str) -> Result<(), ServeError> {
        unpoisoned(&self.store).undo_memory(memory, by)?;
        self.load_at_once().await;
        Ok(())
    }

    /// Whoever asks next is served with what is stored now.
    async fn load_at_once(&self) {
        if let Some(known) = self.loaded.lock().await.as_mut() {
            known.took = Duration::ZERO;
        }
    }

    /// The connection to a source; `None` where no way to it was given.
    pub(crate) fn connector(&self, source: &str) -> Option<Result<Arc<dyn Connector>, ConnectError>> {
        self.sources.get(source).map(|source| source.connector())
    }

    /// The catalog and the index as they are now.
    pub(crate) async fn snapshot(self: &Arc<Self>) -> Result<Arc<Snapshot>, ServeError> {
        if self.options.configuration.as_ref().is_some_and(|it| !it.holds()) {
            return Err(ServeError::ConfigurationChanged);
        }
        let mut loaded = self.loaded.lock().await;
        let has_turned = unpoisoned(&self.store).follow()?;
        if let Some(known) = loaded.as_mut() {
            known.is_over |= has_turned;
            let is_current = unpoisoned(&self.store).is_current(&known.snapshot.catalog);
            let is_current = is_current.as_ref().is_ok_and(|&is_current| is_current);
            if !known.is_over && (is_current || known.at.elapsed() < known.took * LOAD_SHARE) {
                return Ok(Arc::clone(&known.snapshot));
            }
        }
        let is_over = loaded.as_ref().is_some_and(|known| known.is_over);
        let started = Instant::now();
        let previous = loaded.as_ref().map(|known| Arc::clone(&known.snapshot));
        let context = Arc::clone(self);
        let before = previous.clone();
        let outcome = tokio::task::spawn_blocking(move || context.load(before.as_deref())).await;
        match (outcome.map_err(|_| ServeError::Interrupted).and_then(|outcome| outcome), previous) {
            (Ok(snapshot), _) => {
                let snapshot = Arc::new(snapshot);
                let took = started.elapsed();
                *loaded = Some(Loaded { snapshot: Arc::clone(&snapshot), at: Instant::now(), took, is_over: false });
                Ok(snapshot)
            }
            (Err(error), Some(previous)) if !is_over => {
                tracing::warn!(code = error.code(), %error, "the catalog could not be loaded again; the last state is served");
                Ok(previous)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The catalog without tables of which the role may read nothing, and without statements that it may not run or that name
    /// constants of rows which it may not see: what they compare with tells of them.
    fn for_role(&self, catalog: &Catalog) -> Catalog {
        as_a_role_sees_it(catalog).with_memories(|catalog, memory| {
            let (sql, source) = (&memory.content.sql, &memory.content.source);
            let verdict = guard::check(sql, catalog, source, &self.options.policy, None);
            let are_others = |table: &TableId| catalog.entry(table).is_some_and(Entry::rows_are_others);
            verdict.decision == Decision::Accept && !verdict.reads(catalog).iter().any(are_others)
        })
    }

    fn load(&self, previous: Option<&Snapshot>) -> Result<Snapshot, ServeError> {
        let store = unpoisoned(&self.store);
        let previous_catalog = previous.map(|previous| previous.whole.as_ref().unwrap_or(&previous.catalog));
        let (catalog, whole) = match (&self.options.mask_rules, previous_catalog) {
            (Some(rules), previous) => {
                let whole = store.catalog_read_by(rules, previous)?;
                (self.for_role(&whole), Some(whole))
            }
            (None, Some(previous)) => (store.catalog_after(previous)?, None),
            (None, None) => (store.catalog()?, None),
        };
        drop(store);
        let saved = self.index_folder.as_ref().and_then(|folder| Index::load(folder).ok());
        // What was served last is as good to take over from, and may be newer.
        let index = match (saved, previous) {
            (Some(saved), _) if saved.is_current(&catalog, self.embedder) => saved,
            (_, Some(Snapshot { index: earlier, .. })) => Index::rebuild(&catalog, self.embedder, earlier)?,
            (Some(earlier), None) => Index::rebuild(&catalog, self.embedder, &earlier)?,
            (None, None) => Index::build(&catalog, self.embedder)?,
        };
        let prepared = Arc::new(PreparedCatalog::new(&catalog, &index));
        Ok(Snapshot { catalog, whole, index, prepared, embedder: self.embedder })
    }
}

/// The catalog without what a role may not know of. What rules wrote of a table is written anew from the rest: else what it
/// doesn't say any more would tell.
fn as_a_role_sees_it(catalog: &Catalog) -> Catalog {
    catalog.without_hidden_tables().with_descriptions(|catalog, entry| {
        let stored = entry.stored_description().filter(|stored| !stored.is_authored())?;
        Some(describe::by_rules(entry, catalog, stored.written_at))
    })
}

/// The catalog and its index at one revision.
pub(crate) struct Snapshot {
    pub(crate) catalog: Catalog,
    /// The same with what a role may not know of, from which the next one is read.
    whole: Option<Catalog>,
    pub(crate) index: Index,
    prepared: Arc<PreparedCatalog>,
    pub(crate) embedder: &'static dyn Embedder,
}

impl Snapshot {
    pub(crate) fn linker(&self) -> Linker<'_> {
        Linker::on(Arc::clone(&self.prepared), &self.catalog, &self.index, self.embedder)
    }
}

/// The value behind a lock, even if a thread panicked with it: what is kept here is replaced as a whole, never half.
pub(crate) fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
