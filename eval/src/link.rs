//! How good linking is: a pack's questions against its own databases, or against a pool of many.
//!
//! Every question goes through the same `Linker::link` that the product calls, one after the other on one thread, so
//! that the times are those of a question alone, embedding included.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use catalog::Catalog;
use index::{Embedder, Index};
use link::{LinkOptions, Linker, Signals};
use serde::Serialize;

use crate::metrics::{Judgement, Ranked, RankingMetrics, judge, percentile, summarize};
use crate::pack::{Pack, PackQuestion, catalog_of};

/// A linking run.
#[derive(Clone, Debug)]
pub struct LinkRun {
    /// The pack's folder.
    pub pack: PathBuf,
    /// Against what each question is linked.
    pub scope: LinkScope,
    /// Packs whose databases join the pool.
    pub with: Vec<PathBuf>,
    /// What of a question is linked.
    pub wording: Wording,
    /// Which signals take part.
    pub signals: Signals,
    /// Where the predictions go; `None` for the report alone.
    pub out: Option<PathBuf>,
}

/// Against what a question is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkScope {
    /// Its own database.
    Database,
    /// All databases together.
    Pooled,
}

/// What of a question is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// The question alone.
    Question,
    /// The question and its evidence.
    WithEvidence,
}

/// What a linking run came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkReport {
    /// Against what each question was linked.
    pub scope: LinkScope,
    /// Tables in the catalog.
    pub tables: usize,
    /// Over all questions.
    pub all: RankingMetrics,
    /// By database.
    pub databases: BTreeMap<String, RankingMetrics>,
    /// Half of the questions took at most this long, in microseconds.
    pub latency_p50_us: u64,
    /// 99 of 100 questions took at most this long.
    pub latency_p99_us: u64,
    /// How long building the index took, in milliseconds.
    pub build_ms: u64,
}

#[derive(Serialize)]
struct Prediction<'a> {
    id: &'a str,
    ranked: &'a [Ranked],
    latency_us: u64,
}

/// Links all questions of a pack and writes a prediction for each.
///
/// # Errors
/// Where a pack can't be read, a database can't be profiled, or the predictions can't be written.
pub async fn run_link(run: &LinkRun, embedder: &dyn Embedder) -> anyhow::Result<LinkReport> {
    let pack = Pack::read(&run.pack)?;
    let mut databases = pack.databases.clone();
    for folder in &run.with {
        databases.extend(Pack::read(folder)?.databases);
    }
    let catalog = catalog_of(&databases).await?;
    link_questions(&pack.questions, &catalog, embedder, run)
}

/// The same with a catalog that is there already: for several runs over one pool.
///
/// # Errors
/// Where the index can't be built or the predictions can't be written.
pub fn link_questions(
    questions: &[PackQuestion],
    catalog: &Catalog,
    embedder: &dyn Embedder,
    run: &LinkRun,
) -> anyhow::Result<LinkReport> {
    let started = Instant::now();
    let index = Index::build(catalog, embedder)?;
    let build_ms = started.elapsed().as_millis() as u64;
    let linker = Linker::new(catalog, &index, embedder);
    let mut out = run.out.as_deref().map(create).transpose()?;
    let mut judgements: Vec<(&str, Judgement)> = Vec::with_capacity(questions.len());
    let mut latencies: Vec<u64> = Vec::with_capacity(questions.len());
    let mut own_databases: HashMap<&str, (Catalog, Index)> = HashMap::new();
    if run.scope == LinkScope::Database {
        // A question asked of one database meets an index of that database alone, as its user's would be.
        for question in questions {
            if !own_databases.contains_key(question.db.as_str()) {
                let alone = only_source(catalog, &question.db);
                let index = Index::build(&alone, embedder)?;
                own_databases.insert(&question.db, (alone, index));
            }
        }
    }
    let linkers: HashMap<&str, Linker<'_>> =
        own_databases.iter().map(|(name, (catalog, index))| (*name, Linker::new(catalog, index, embedder))).collect();
    let options = LinkOptions { signals: run.signals, ..LinkOptions::default() };
    for question in questions {
        let text = worded(question, run.wording);
        let linker = linkers.get(question.db.as_str()).unwrap_or(&linker);
        let started = Instant::now();
        let linked = linker.link(&text, &options);
        let latency_us = started.elapsed().as_micros() as u64;
        let ranked: Vec<Ranked> = linked
            .tables
            .iter()
            .map(|table| Ranked {
                table: match run.scope {
                    LinkScope::Database => table.id.local(),
                    LinkScope::Pooled => table.id.to_string(),
                },
                relevant: table.relevant,
            })
            .collect();
        if let Some(out) = &mut out {
            let prediction = Prediction { id: &question.id, ranked: &ranked, latency_us };
            writeln!(out, "{}", serde_json::to_string(&prediction)?)?;
        }
        judgements.push((&question.db, judge(&ranked, &question.gold_tables, &question.db)));
        latencies.push(latency_us);
    }
    if let Some(mut out) = out {
        out.flush()?;
    }
    latencies.sort_unstable();
    Ok(report(run.scope, catalog.entries().len(), &judgements, &latencies, build_ms))
}

fn report(
    scope: LinkScope,
    tables: usize,
    judgements: &[(&str, Judgement)],
    latencies: &[u64],
    build_ms: u64,
) -> LinkReport {
    let mut by_database: BTreeMap<String, Vec<Judgement>> = BTreeMap::new();
    for (database, judgement) in judgements {
        by_database.entry((*database).to_owned()).or_default().push(judgement.clone());
    }
    let all: Vec<Judgement> = judgements.iter().map(|(_, judgement)| judgement.clone()).collect();
    LinkReport {
        scope,
        tables,
        all: summarize(&all),
        databases: by_database.into_iter().map(|(name, judgements)| (name, summarize(&judgements))).collect(),
        latency_p50_us: percentile(latencies, 0.5).unwrap_or_default(),
        latency_p99_us: percentile(latencies, 0.99).unwrap_or_default(),
        build_ms,
    }
}

/// The text that is linked.
fn worded(question: &PackQuestion, wording: Wording) -> String {
    match (&question.evidence, wording) {
        (Some(evidence), Wording::WithEvidence) if !evidence.is_empty() => format!("{} {evidence}", question.question),
        _ => question.question.clone(),
    }
}

fn only_source(catalog: &Catalog, source: &str) -> Catalog {
    let sources = catalog.source(source).into_iter().cloned().collect();
    Catalog::new(sources, catalog.tables_of(source).cloned().collect(), Vec::new(), catalog.revision())
}

fn create(path: &Path) -> anyhow::Result<std::io::BufWriter<std::fs::File>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("`{}` can't be made", folder.display()))?;
    }
    let file = std::fs::File::create(path).with_context(|| format!("`{}` can't be written", path.display()))?;
    Ok(std::io::BufWriter::new(file))
}
