//! A database made for a test, and a connector that writes down what is asked of it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use catalog::{Catalog, ColumnProfile, Entry, LastUpdate, RowCount, Source, Store, Table};
use connect::{
    Capabilities, ConnectError, Connector, Engine, Introspect, Limits, LookupColumn, OpenStatement, ReadRelation,
    ReadRows, ResultSet, SampleRequest, StatementSession, TableStatistics, Value, Work,
};
use jiff::Timestamp;
use profile::{Options, Progress, Summary, profile_source};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// A SQLite file in a folder that is gone with the value.
pub(crate) struct Made {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Made {
    pub(crate) fn with(sql: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("made.db");
        let made = Self { _folder: folder, path };
        made.change(sql);
        made
    }

    pub(crate) fn change(&self, sql: &str) {
        rusqlite::Connection::open(&self.path).unwrap().execute_batch(sql).unwrap();
    }

    pub(crate) fn watched(&self) -> Watched {
        Watched {
            inner: connect::connect("s", self.path.to_str().unwrap()).unwrap(),
            draws: false,
            told: None,
            written_at: None,
            takes: Duration::ZERO,
            busy_until: None,
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
            sampled: Mutex::default(),
            looked_up: Mutex::default(),
            rows: AtomicUsize::new(0),
        }
    }
}

/// Passes everything on, and remembers the columns and the number of rows that were sampled.
#[derive(Debug)]
pub(crate) struct Watched {
    inner: Box<dyn Connector>,
    /// Whether it says that it draws rows at random by itself.
    pub(crate) draws: bool,
    /// What it says that it knows of each table by itself.
    pub(crate) told: Option<TableStatistics>,
    /// When it says that every table was last written to.
    pub(crate) written_at: Option<Timestamp>,
    /// How long a sample takes it.
    pub(crate) takes: Duration,
    /// Until when it says that it works for others; without it, it says nothing of them.
    pub(crate) busy_until: Option<Instant>,
    at_once: AtomicUsize,
    /// Samples taken at the same time, at most.
    pub(crate) most_at_once: AtomicUsize,
    pub(crate) sampled: Mutex<Vec<String>>,
    /// The columns in which values were looked up.
    pub(crate) looked_up: Mutex<Vec<String>>,
    pub(crate) rows: AtomicUsize,
}

impl Engine for Watched {
    fn source(&self) -> &Source {
        self.inner.source()
    }

    fn capabilities(&self) -> Capabilities {
        let engine_statistics = self.told.is_some();
        Capabilities { engine_sample: self.draws, engine_statistics, parallel_tables: 4, ..self.inner.capabilities() }
    }

    fn changed_at(&self) -> Option<SystemTime> {
        self.inner.changed_at()
    }

    fn work(&self) -> Work {
        self.inner.work()
    }
}

#[async_trait]
impl Introspect for Watched {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        let mut tables = self.inner.introspect().await?;
        if let Some(at) = self.written_at {
            for table in &mut tables {
                table.last_update = Some(LastUpdate::of_engine(at));
            }
        }
        Ok(tables)
    }
}

#[async_trait]
impl ReadRows for Watched {
    async fn others_at_work(&self) -> Result<Option<u64>, ConnectError> {
        Ok(self.busy_until.map(|until| u64::from(Instant::now() < until)))
    }

    async fn row_count(&self, table: &Table) -> Result<Option<RowCount>, ConnectError> {
        self.inner.row_count(table).await
    }

    async fn statistics(&self, _: &Table, _: &[String]) -> Result<Option<TableStatistics>, ConnectError> {
        Ok(self.told.clone())
    }

    async fn lookup_columns(&self, table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        self.inner.lookup_columns(table).await
    }

    async fn key_range(&self, table: &Table, column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        self.inner.key_range(table, column).await
    }

    async fn sample(
        &self,
        table: &Table,
        columns: &[String],
        request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        let names = columns.iter().map(|column| format!("{}.{column}", table.id.name));
        self.sampled.lock().unwrap().extend(names);
        let at_once = self.at_once.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::Relaxed);
        sleep(self.takes).await;
        let result = self.inner.sample(table, columns, request).await?;
        self.at_once.fetch_sub(1, Ordering::Relaxed);
        self.rows.fetch_add(result.rows.len(), Ordering::Relaxed);
        Ok(result)
    }

    async fn provided_samples(&self, table: &Table) -> Result<Option<Vec<(String, Vec<String>)>>, ConnectError> {
        self.inner.provided_samples(table).await
    }

    async fn contains(&self, table: &Table, column: &str, values: &[Value]) -> Result<u64, ConnectError> {
        let name = format!("{}.{column}", table.id.name);
        self.sampled.lock().unwrap().push(name.clone());
        self.looked_up.lock().unwrap().push(name);
        self.inner.contains(table, column, values).await
    }
}

#[async_trait]
impl OpenStatement for Watched {
    #[expect(clippy::disallowed_methods, reason = "passed on; no test calls it")]
    async fn open_statement(
        &self,
        sql: &str,
        reads: &[ReadRelation],
        limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        self.inner.open_statement(sql, reads, limits).await
    }
}

pub(crate) fn options() -> Options {
    Options::new("2026-06-01T00:00:00Z".parse::<Timestamp>().unwrap())
}

/// A catalog with the standard rules.
pub(crate) fn store() -> Store {
    store_with(&options())
}

/// A catalog with the rules of these options.
pub(crate) fn store_with(options: &Options) -> Store {
    Store::in_memory_with(Arc::new(options.sensitive.clone())).unwrap()
}

/// A run that must go through; with what was reported.
pub(crate) async fn run(connector: &dyn Connector, store: &Store, options: &Options) -> (Summary, Vec<Progress>) {
    let mut progress = Vec::new();
    let summary = profile_source(connector, store, options, &mut |event| progress.push(event)).await.unwrap();
    (summary, progress)
}

/// The catalog after one undisturbed run.
pub(crate) async fn catalog_of(made: &Made, options: &Options) -> Catalog {
    let store = store_with(options);
    run(&made.watched(), &store, options).await;
    store.catalog().unwrap()
}

pub(crate) fn entry<'a>(catalog: &'a Catalog, table: &str) -> &'a Entry {
    catalog.find(table, None)[0]
}

pub(crate) fn column<'a>(catalog: &'a Catalog, table: &str, column: &str) -> &'a ColumnProfile {
    entry(catalog, table).profile().unwrap().column(column).unwrap()
}
