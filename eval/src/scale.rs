//! How linking holds up at the size of an enterprise: a catalog of thousands of tables, made by connecting a pack's
//! databases again and again under other names.
//!
//! The catalog and its index are files in a folder, as a user's are. A first run makes them and measures that; every run
//! measures what a start costs, a question, and one table's change. Memory is best read from a run that made nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use catalog::{NoMaskRules, Overrides, Store};
use index::{Embedder, Index};
use link::{LinkOptions, Linker};
use serde::Serialize;

use crate::metrics::percentile;
use crate::pack::{Pack, profile_into};

/// A run at a given size.
#[derive(Clone, Debug)]
pub struct ScaleRun {
    /// The pack's folder: its databases are connected, and its questions asked.
    pub pack: PathBuf,
    /// Tables of the catalog, at least.
    pub tables: usize,
    /// Columns of the catalog, at least.
    pub columns: usize,
    /// Where the catalog and the index go, or lie from an earlier run.
    pub folder: PathBuf,
}

/// What it came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaleReport {
    /// Tables in the catalog.
    pub tables: usize,
    /// Columns in the catalog.
    pub columns: usize,
    /// Entries of the index: families of tables are one.
    pub units: usize,
    /// How long building and saving the index took, in milliseconds; `None` where it was there.
    pub build_ms: Option<u64>,
    /// The catalog's file.
    pub catalog_bytes: u64,
    /// The index's files.
    pub index_bytes: u64,
    /// From nothing to being ready for a question, in milliseconds.
    pub start_ms: u64,
    /// Of that, reading the catalog.
    pub catalog_ms: u64,
    /// Of that, reading the index.
    pub index_ms: u64,
    /// Memory of the process when it was ready; 0 where the system doesn't say.
    pub resident_bytes: u64,
    /// Memory after all questions.
    pub resident_after_bytes: u64,
    /// Half of the questions took at most this long, in microseconds, embedding included.
    pub latency_p50_us: u64,
    /// 99 of 100 questions took at most this long.
    pub latency_p99_us: u64,
    /// From one table's changed description to being ready for a question that knows of it, in milliseconds.
    pub change_ms: u64,
    /// Saving that index, which a server doesn't wait for, in milliseconds.
    pub save_ms: u64,
}

/// Makes the catalog and the index where they aren't there, and measures.
///
/// # Errors
/// Where the pack can't be read, a database can't be profiled, or the folder can't be written.
pub async fn run_scale(run: &ScaleRun, embedder: &dyn Embedder) -> anyhow::Result<ScaleReport> {
    let pack = Pack::read(&run.pack)?;
    let (path, index_folder) = (run.folder.join("catalog.db"), run.folder.join("index"));
    if !path.exists() {
        std::fs::create_dir_all(&run.folder).with_context(|| format!("`{}` can't be made", run.folder.display()))?;
        make_catalog(&pack, run, &path).await?;
    }
    let build_ms = if index_folder.exists() {
        None
    } else {
        let catalog = Store::open(&path, Arc::new(NoMaskRules))?.catalog()?;
        let started = Instant::now();
        Index::build(&catalog, embedder)?.save(&index_folder)?;
        Some(millis(started))
    };
    let started = Instant::now();
    let store = Store::open(&path, Arc::new(NoMaskRules))?;
    let catalog = store.catalog()?;
    let catalog_ms = millis(started);
    let index = Index::load(&index_folder)?;
    let index_ms = millis(started) - catalog_ms;
    let linker = Linker::new(&catalog, &index, embedder);
    let start_ms = millis(started);
    let resident_bytes = resident();
    let mut latencies: Vec<u64> = Vec::with_capacity(pack.questions.len());
    for question in &pack.questions {
        let started = Instant::now();
        std::hint::black_box(linker.link(&question.question, &LinkOptions::default()));
        latencies.push(started.elapsed().as_micros() as u64);
    }
    latencies.sort_unstable();
    let resident_after_bytes = resident();
    let entry = catalog.entries().first().context("the pack's databases have no tables")?;
    let mut overrides = Overrides::default();
    overrides.0.insert("purpose".to_owned(), "what was said of it in this run".to_owned());
    let started = Instant::now();
    store.put_overrides(&entry.table.id, &overrides)?;
    let changed = store.catalog_after(&catalog)?;
    let rebuilt = Index::rebuild(&changed, embedder, &index)?;
    std::hint::black_box(Linker::new(&changed, &rebuilt, embedder));
    let change_ms = millis(started);
    rebuilt.save(&index_folder)?;
    let save_ms = millis(started) - change_ms;
    Ok(ScaleReport {
        tables: catalog.entries().len(),
        columns: catalog.entries().iter().map(|entry| entry.table.columns.len()).sum(),
        units: index.units().len(),
        build_ms,
        catalog_bytes: bytes_of(&path)?,
        index_bytes: bytes_of(&index_folder)?,
        start_ms,
        catalog_ms,
        index_ms,
        resident_bytes,
        resident_after_bytes,
        latency_p50_us: percentile(&latencies, 0.5).unwrap_or_default(),
        latency_p99_us: percentile(&latencies, 0.99).unwrap_or_default(),
        change_ms,
        save_ms,
    })
}

/// Connects the pack's databases, all of them once, then again under other names, until there is enough.
async fn make_catalog(pack: &Pack, run: &ScaleRun, path: &Path) -> anyhow::Result<()> {
    let store = Store::open(path, Arc::new(NoMaskRules))?;
    let (mut tables, mut columns) = (0, 0);
    for round in 1.. {
        for database in &pack.databases {
            let mut database = database.clone();
            if round > 1 {
                database.name = format!("{}_{round}", database.name);
            }
            profile_into(&store, &database).await?;
            store.each_entry(&database.name, |entry| {
                tables += 1;
                columns += entry.table.columns.len();
            })?;
            if tables >= run.tables && columns >= run.columns {
                return Ok(());
            }
        }
        anyhow::ensure!(tables > 0, "the pack's databases have no tables");
    }
    Ok(())
}

fn millis(started: Instant) -> u64 {
    started.elapsed().as_millis() as u64
}

/// The size of a file, or of the files in a folder.
fn bytes_of(path: &Path) -> anyhow::Result<u64> {
    if path.is_file() {
        return Ok(path.metadata()?.len());
    }
    let mut bytes = 0;
    for file in std::fs::read_dir(path)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}

/// Memory of this process, as Linux tells it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_default() * 1024
}

#[cfg(test)]
mod tests {
    use super::{ScaleRun, run_scale};

    #[tokio::test]
    async fn databases_are_connected_again_until_there_are_enough_tables() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pack = folder.path().join("pack");
        std::fs::create_dir_all(pack.join("snapshots")).expect("a folder");
        let column = r#"{"name": "id", "type": "INTEGER"}"#;
        let table = |name: &str| format!(r#"{{"name": "{name}", "columns": [{column}]}}"#);
        let tables = ["orders", "customers"].map(table).join(", ");
        let snapshot = format!(r#"{{"name": "shop", "dialect": "sqlite", "tables": [{tables}]}}"#);
        std::fs::write(pack.join("snapshots/shop.json"), snapshot).expect("a file");
        let question = r#"{"id": "1", "db": "shop", "question": "How many orders?", "gold_tables": ["orders"]}"#;
        std::fs::write(pack.join("questions.jsonl"), question).expect("a file");
        let run = ScaleRun { pack, tables: 5, columns: 0, folder: folder.path().join("scale") };
        let first = run_scale(&run, llm::static_embedder()).await.expect("a report");
        assert_eq!((first.tables, first.columns, first.units), (6, 6, 6));
        assert!(first.build_ms.is_some() && first.index_bytes > 0 && first.catalog_bytes > 0);
        let second = run_scale(&run, llm::static_embedder()).await.expect("a report");
        assert_eq!((second.tables, second.build_ms), (6, None), "what is there is used");
    }
}
