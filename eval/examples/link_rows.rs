//! Writes what the ranker is trained on: see `models/linking/README.md`.
//!
//! `cargo run --release -p eval --example link_rows -- RUNS.json`, where the file holds a list of runs:
//! `{"pack", "out", "described", "pooled", "evidence", "every", "stage", "embedder"?, "ranker"?}`; with `--features` it lists
//! the features of a row of each stage, as `link` has them.

#![allow(clippy::print_stdout, reason = "what it did is its output")]

use std::path::PathBuf;

use anyhow::Context as _;
use eval::{LinkScope, RowsRun, Wording, write_rows};
use link::{FEATURES, Feature, FirstStageFeatures};
use llm::StaticEmbedder;

#[derive(serde::Deserialize)]
struct Run {
    pack: PathBuf,
    out: PathBuf,
    #[serde(default)]
    described: bool,
    #[serde(default)]
    pooled: bool,
    #[serde(default)]
    evidence: bool,
    every: usize,
    stage: eval::Stage,
    /// The file of an embedding table; the one in the binary where there is none.
    embedder: Option<PathBuf>,
    /// The file of a ranker, whose first stage reranking builds on.
    ranker: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).context("name a file with a list of runs, or say `--features`")?;
    if path == "--features" {
        println!(
            "{}",
            serde_json::json!({"first_stage": listed(FirstStageFeatures::FEATURES), "reranking": listed(&FEATURES)})
        );
        return Ok(());
    }
    let runs: Vec<Run> = serde_json::from_slice(&std::fs::read(path)?)?;
    for run in runs {
        let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("`{}` can't be read", path.display()));
        let table = run.embedder.as_ref().map(read).transpose()?;
        let table = table.map(|bytes| StaticEmbedder::from_bytes(Vec::leak(bytes))).transpose()?;
        let ranker = run.ranker.as_ref().map(read).transpose()?;
        let ranker = ranker.map(|bytes| link::Ranker::from_bytes(&bytes)).transpose()?;
        let settings = RowsRun {
            pack: run.pack,
            described: run.described,
            scope: if run.pooled { LinkScope::Pooled } else { LinkScope::Database },
            wording: if run.evidence { Wording::WithEvidence } else { Wording::Question },
            every: run.every,
            stage: run.stage,
            out: run.out,
        };
        let embedder = table.as_ref().unwrap_or_else(|| llm::static_embedder());
        let questions = write_rows(&settings, embedder, ranker.as_ref()).await?;
        println!("{}: {questions} questions", settings.out.display());
    }
    Ok(())
}

/// Name, group and meaning of each feature, in the order of their numbers.
fn listed(features: &[Feature]) -> Vec<serde_json::Value> {
    let one = |feature: &Feature| {
        let Feature { name, group, .. } = feature;
        serde_json::json!({"name": name, "group": group.name(), "measures": feature.measures()})
    };
    features.iter().map(one).collect()
}
