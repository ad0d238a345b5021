//! Fits the weights of `link` and prints the tables of `link/src/weights.rs` and `link/src/directives.rs`.
//!
//! `cargo run --release -p eval --example tune_link -- PACK [TABLE]`, with a pack that has databases and gold tables, and the
//! file of an embedding table that wasn't tuned to the same questions (`models/embedding/distil.py` makes one). Every other
//! database is held out to show how well the fit carries over and to calibrate the cut; the printed weights are then
//! fitted to all of them.

#![allow(clippy::print_stdout, reason = "what it finds is its output")]

use std::path::Path;

use anyhow::Context as _;
use eval::{Pack, Pooled, catalog_of, distances, fit, full_at, instances, joined_instances, odds, quantiles, split};
use index::Index;
use link::{FEATURE_NAMES, JOINED_NAMES, JOINED_WEIGHTS, Linker, OWN_WEIGHTS};

const SHARES: [f32; 7] = [0.50, 0.80, 0.90, 0.95, 0.97, 0.99, 0.999];
/// Tables of each question that the odds are fitted to.
const DEPTH: usize = 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).context("name the folder of a pack")?;
    let pack = Pack::read(Path::new(&folder))?;
    let catalog = catalog_of(&pack.databases).await?;
    let given = std::env::args().nth(2).map(std::fs::read).transpose()?;
    let given = given.map(|bytes| llm::StaticEmbedder::from_bytes(Vec::leak(bytes))).transpose()?;
    let embedder = given.as_ref().unwrap_or_else(|| llm::static_embedder());
    let index = Index::build(&catalog, embedder)?;
    let linker = Linker::new(&catalog, &index, embedder);
    let (fitted, held_out) = split(&pack.questions);
    let both = |questions: &[eval::PackQuestion]| {
        let mut all = instances(questions, &linker, &OWN_WEIGHTS, Pooled::Yes);
        all.extend(instances(questions, &linker, &OWN_WEIGHTS, Pooled::No));
        all
    };
    let (seen, unseen) = (both(&fitted), instances(&held_out, &linker, &OWN_WEIGHTS, Pooled::Yes));
    let own = fit(&seen, &OWN_WEIGHTS);
    for (label, weights) in [("in use", &OWN_WEIGHTS), ("fitted", &own)] {
        let at = |depth: usize| full_at(&unseen, weights, depth);
        println!("first pass, held out, {label}: full@3 {:.3} @5 {:.3} @10 {:.3}", at(3), at(5), at(10));
    }
    let second = |questions: &[eval::PackQuestion], own: &link::Features| {
        let mut all = joined_instances(questions, &linker, own, Pooled::Yes);
        all.extend(joined_instances(questions, &linker, own, Pooled::No));
        all
    };
    let joined = fit(&second(&fitted, &own), &JOINED_WEIGHTS);
    let unseen = joined_instances(&held_out, &linker, &own, Pooled::Yes);
    let at = |depth: usize| full_at(&unseen, &joined, depth);
    println!("both passes, held out, fitted: full@3 {:.3} @5 {:.3} @10 {:.3}", at(3), at(5), at(10));
    let mut calibration = distances(&held_out, &linker, (&own, &joined), Pooled::Yes, usize::MAX);
    calibration.extend(distances(&held_out, &linker, (&own, &joined), Pooled::No, usize::MAX));
    println!("DISTANCES {:?}", quantiles(&calibration, &SHARES));
    let mut first = distances(&held_out, &linker, (&own, &joined), Pooled::Yes, DEPTH);
    first.extend(distances(&held_out, &linker, (&own, &joined), Pooled::No, DEPTH));
    println!("ODDS {:?}", odds(&first));
    let own = fit(&both(&pack.questions), &OWN_WEIGHTS);
    let joined = fit(&second(&pack.questions, &own), &JOINED_WEIGHTS);
    println!("fitted to all:");
    FEATURE_NAMES.iter().zip(own).for_each(|(name, weight)| println!("  {weight:7.3}  {name}"));
    JOINED_NAMES.iter().zip(joined).for_each(|(name, weight)| println!("  {weight:7.3}  {name}"));
    println!("OWN {own:.3?}\nJOINED {joined:.3?}");
    Ok(())
}
