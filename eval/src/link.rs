//! How good linking is: a pack's questions against its own databases, or against a pool of many.
//!
//! Every question goes through the same `Linker::link` that the product calls, one after the other on one thread, so
//! that the times are those of a question alone, embedding included.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use catalog::{Catalog, TableId};
use index::{Embedder, Index};
use link::{Fit, LinkOptions, Linked, Linker, RankedTable, Ranker, Signals, Standing};
use serde::Serialize;

use crate::exploration::{Exploration, explore, mean};
use crate::metrics::{Judgement, Ranked, RankingMetrics, judge_best, percentile, summarize};
use crate::pack::{Pack, PackQuestion, catalog_of};

/// A linking run.
#[derive(Clone, Debug)]
pub struct LinkRun {
    /// The pack's folder.
    pub pack: PathBuf,
    /// The file of its questions.
    pub questions: String,
    /// With what agents wrote of its databases' tables.
    pub described: bool,
    /// Against what each question is linked.
    pub scope: LinkScope,
    /// Packs whose databases join the pool.
    pub with: Vec<PathBuf>,
    /// What of a question is linked.
    pub wording: Wording,
    /// Which signals take part.
    pub signals: Signals,
    /// The file of a ranker to use; the one in the binary where there is none.
    pub ranker: Option<PathBuf>,
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
    /// Share of the needed columns that a context shows where there is room, of the tables that it shows.
    pub column_recall: f64,
    /// Columns that it shows of needed tables, for each of them.
    pub columns_shown: f64,
    /// How far the probabilities of the first 20 tables of each question are off, on the average (expected calibration
    /// error over ten bins of equal width).
    pub calibration_error: f64,
    /// Share of the questions that were taken to be about something else.
    pub elsewhere: f64,
    /// Tokens on the way to the needed tables.
    pub tokens: Exploration,
}

/// What is measured of a question beside the ranking.
#[derive(Default)]
struct Beside {
    columns_needed: usize,
    columns_found: usize,
    columns_shown: usize,
    tables_found: usize,
    /// (probability, whether it is needed) of the first tables.
    probabilities: Vec<(f32, bool)>,
    explorations: Vec<Exploration>,
    elsewhere: usize,
}

/// Tables of each question whose probabilities are compared with what came true.
const CALIBRATED: usize = 20;
/// Tokens of a context.
const CONTEXT_TOKENS: usize = 4_000;

impl Beside {
    fn add(&mut self, question: &PackQuestion, catalog: &Catalog, linked: &Linked) {
        let gold: HashSet<TableId> = question
            .gold_tables
            .iter()
            .flat_map(|table| catalog.find(table, Some(&question.db)))
            .map(|entry| entry.table.id.clone())
            .collect();
        let is_needed = |table: &RankedTable| table.members.iter().any(|id| gold.contains(id));
        let needed: HashSet<usize> =
            (0..linked.tables.len()).filter(|&place| is_needed(&linked.tables[place])).collect();
        let first = linked.tables.iter().take(CALIBRATED);
        self.probabilities.extend(first.map(|table| (table.score, is_needed(table))));
        self.elsewhere += usize::from(linked.fit.is_elsewhere());
        let tokens = link::context(catalog, linked, CONTEXT_TOKENS).tokens;
        self.explorations.push(explore(catalog, linked, &needed, tokens));
        for ranked in needed.iter().map(|&place| &linked.tables[place]) {
            let Some(entry) = catalog.entry(&ranked.id) else { continue };
            let names: Vec<String> = ranked.members.iter().map(TableId::local).collect();
            let wanted: HashSet<String> = question
                .gold_columns
                .iter()
                .filter_map(|column| column.rsplit_once('.'))
                .filter(|(table, _)| names.iter().any(|name| name.eq_ignore_ascii_case(table)))
                .map(|(_, column)| column.to_lowercase())
                .filter(|column| entry.table.column(column).is_some())
                .collect();
            let shown = link::shown_columns(&entry.table, ranked, &linked.values);
            self.columns_needed += wanted.len();
            self.columns_found += shown.iter().filter(|column| wanted.contains(&column.name.to_lowercase())).count();
            self.columns_shown += shown.len();
            self.tables_found += 1;
        }
    }

    fn calibration_error(&self) -> f64 {
        const BINS: usize = 10;
        let mut bins = [(0.0_f64, 0.0_f64, 0_usize); BINS];
        for &(probability, is_needed) in &self.probabilities {
            let bin = &mut bins[((probability * BINS as f32) as usize).min(BINS - 1)];
            *bin = (bin.0 + f64::from(probability), bin.1 + f64::from(u8::from(is_needed)), bin.2 + 1);
        }
        bins.iter().map(|(expected, came, _)| (expected - came).abs()).sum::<f64>()
            / self.probabilities.len().max(1) as f64
    }
}

#[derive(Serialize)]
struct Prediction<'a> {
    id: &'a str,
    ranked: &'a [Ranked],
    /// What tells whether it is a question for this catalog.
    fit: Fit,
    latency_us: u64,
}

/// Links all questions of a pack and writes a prediction for each.
///
/// # Errors
/// Where a pack can't be read, a database can't be profiled, or the predictions can't be written.
pub async fn run_link(run: &LinkRun, embedder: &dyn Embedder) -> anyhow::Result<LinkReport> {
    let pack = Pack::with_questions(&run.pack, &run.questions)?;
    let pack = if run.described { pack.described()? } else { pack };
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
    let ranker = run.ranker.as_deref().map(read_ranker).transpose()?;
    let linker_on = |catalog, index| {
        let linker = Linker::new(catalog, index, embedder);
        match &ranker {
            Some(ranker) => linker.with_ranker(ranker),
            None => linker,
        }
    };
    let linker = linker_on(catalog, &index);
    let mut out = run.out.as_deref().map(create).transpose()?;
    let mut judgements: Vec<(&str, Judgement)> = Vec::with_capacity(questions.len());
    let mut latencies: Vec<u64> = Vec::with_capacity(questions.len());
    let mut beside = Beside::default();
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
        own_databases.iter().map(|(name, (catalog, index))| (*name, linker_on(catalog, index))).collect();
    let options = LinkOptions { signals: run.signals, ..LinkOptions::default() };
    for question in questions {
        let text = worded(question, run.wording);
        let linker = linkers.get(question.db.as_str()).unwrap_or(&linker);
        let started = Instant::now();
        let linked = linker.link(&text, &options);
        let latency_us = started.elapsed().as_micros() as u64;
        let named = |id: &TableId| match run.scope {
            LinkScope::Database => id.local(),
            LinkScope::Pooled => id.to_string(),
        };
        // Shards of a date count as one. Other members of a family by short numbers come last: a reader is shown one entry.
        let others = linked.tables.iter().flat_map(|table| {
            let folded = index::fold_name(&table.id.name);
            let others = table.others().filter(move |member| index::fold_name(&member.name) != folded);
            others.map(|id| Ranked { table: named(id), relevant: false, unlikely: false, probability: 0.0 })
        });
        let first = linked.tables.iter().map(|table| Ranked {
            table: named(&table.id),
            relevant: table.standing != Standing::Irrelevant,
            unlikely: table.standing == Standing::Unlikely,
            probability: table.score,
        });
        let ranked: Vec<Ranked> = first.chain(others).collect();
        if let Some(out) = &mut out {
            let prediction = Prediction { id: &question.id, ranked: &ranked, fit: linked.fit, latency_us };
            writeln!(out, "{}", serde_json::to_string(&prediction)?)?;
        }
        beside.add(question, linker.catalog(), &linked);
        judgements.push((&question.db, judge_best(&ranked, question)));
        latencies.push(latency_us);
    }
    if let Some(mut out) = out {
        out.flush()?;
    }
    latencies.sort_unstable();
    Ok(report(run.scope, catalog.entries().len(), &judgements, &latencies, build_ms, &beside))
}

fn report(
    scope: LinkScope,
    tables: usize,
    judgements: &[(&str, Judgement)],
    latencies: &[u64],
    build_ms: u64,
    beside: &Beside,
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
        column_recall: beside.columns_found as f64 / beside.columns_needed.max(1) as f64,
        columns_shown: beside.columns_shown as f64 / beside.tables_found.max(1) as f64,
        calibration_error: beside.calibration_error(),
        elsewhere: beside.elsewhere as f64 / judgements.len().max(1) as f64,
        tokens: mean(&beside.explorations),
    }
}

/// The text that is linked.
pub(crate) fn worded(question: &PackQuestion, wording: Wording) -> String {
    match (&question.evidence, wording) {
        (Some(evidence), Wording::WithEvidence) if !evidence.is_empty() => format!("{} {evidence}", question.question),
        _ => question.question.clone(),
    }
}

pub(crate) fn only_source(catalog: &Catalog, source: &str) -> Catalog {
    let sources = catalog.source(source).into_iter().cloned().collect();
    Catalog::new(sources, catalog.tables_of(source).cloned().collect(), Vec::new(), catalog.revision())
}

fn read_ranker(path: &Path) -> anyhow::Result<Ranker> {
    let bytes = std::fs::read(path).with_context(|| format!("`{}` can't be read", path.display()))?;
    Ok(Ranker::from_bytes(&bytes)?)
}

fn create(path: &Path) -> anyhow::Result<std::io::BufWriter<std::fs::File>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("`{}` can't be made", folder.display()))?;
    }
    let file = std::fs::File::create(path).with_context(|| format!("`{}` can't be written", path.display()))?;
    Ok(std::io::BufWriter::new(file))
}
