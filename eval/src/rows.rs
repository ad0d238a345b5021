//! What the ranker is trained on: for each question of a pack the numbers that linking measures of its candidates, and
//! which of them the question needs.
//!
//! `models/linking` fits trees to these rows. A row is numbers (`f32`, little-endian): the question's number in the run,
//! 1 for a needed table and 0 for another, how many needed tables the question has and how many of them are among the
//! candidates, how many rows like it this one stands for, and then [`link::FirstStageFeatures`] and, for reranking,
//! [`link::RerankingFeatures`]. Beside the file of rows stands one with the questions' ids, a line each.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use catalog::Catalog;
use index::{Embedder, Index, UnitNumber};
use link::{CandidatePosition, LinkOptions, Linker, Ranker, RerankingFeatures};

use crate::link::{LinkScope, Wording, only_source, worded};
use crate::pack::{Pack, PackQuestion, catalog_of};

/// A run over one pack.
#[derive(Clone, Debug)]
pub struct RowsRun {
    /// The pack's folder.
    pub pack: PathBuf,
    /// With what agents wrote of its databases' tables.
    pub described: bool,
    /// Against what each question is linked.
    pub scope: LinkScope,
    /// What of a question is linked.
    pub wording: Wording,
    /// Every how manieth question is taken.
    pub every: usize,
    /// Which stage's rows are written.
    pub stage: Stage,
    /// Where the rows go; the questions' ids go to the same name with `.ids`.
    pub out: PathBuf,
}

/// One of the two stages that have trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Each candidate by itself.
    FirstStage,
    /// The likeliest candidates, each beside the others.
    Reranking,
}

/// Candidates of the first stage that are all written: those with the highest candidate scores.
const ALL_OF: usize = 60;
/// Of the others, one in so many.
const THINNED: usize = 3;

/// Writes the rows of a pack and returns how many questions they are of.
///
/// # Errors
/// Where the pack can't be read or the rows can't be written.
pub async fn write_rows(run: &RowsRun, embedder: &dyn Embedder, ranker: Option<&Ranker>) -> anyhow::Result<usize> {
    let pack = Pack::read(&run.pack)?;
    let pack = if run.described { pack.described()? } else { pack };
    let questions: Vec<&PackQuestion> = pack.questions.iter().step_by(run.every.max(1)).collect();
    let asked: HashSet<&str> = questions.iter().map(|question| question.db.as_str()).collect();
    let catalog = catalog_of(&pack.databases).await?;
    let mut rows = Rows::create(&run.out)?;
    let mut written = 0;
    let mut write_all = |catalog: &Catalog, of: &dyn Fn(&PackQuestion) -> bool| -> anyhow::Result<()> {
        let index = Index::build(catalog, embedder)?;
        let mut linker = Linker::new(catalog, &index, embedder);
        if let Some(ranker) = ranker {
            linker = linker.with_ranker(ranker);
        }
        for question in questions.iter().filter(|question| of(question)) {
            written += usize::from(rows.write(question, &linker, run, written)?);
        }
        Ok(())
    };
    match run.scope {
        LinkScope::Pooled => write_all(&catalog, &|_| true)?,
        LinkScope::Database => {
            for database in pack.databases.iter().filter(|database| asked.contains(database.name.as_str())) {
                write_all(&only_source(&catalog, &database.name), &|question| question.db == database.name)?;
            }
        }
    }
    rows.finish()?;
    Ok(written)
}

/// The two files.
struct Rows {
    rows: std::io::BufWriter<std::fs::File>,
    ids: std::io::BufWriter<std::fs::File>,
}

impl Rows {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let create = |path: &Path| -> anyhow::Result<_> {
            let file = std::fs::File::create(path).with_context(|| format!("`{}` can't be written", path.display()))?;
            Ok(std::io::BufWriter::new(file))
        };
        Ok(Self { rows: create(path)?, ids: create(&path.with_extension("ids"))? })
    }

    /// Whether the question had a needed table among the candidates and another one.
    fn write(
        &mut self,
        question: &PackQuestion,
        linker: &Linker<'_>,
        run: &RowsRun,
        number: usize,
    ) -> anyhow::Result<bool> {
        let measured = linker.measure(&worded(question, run.wording), &LinkOptions::default());
        let gold = units_of(&question.gold_tables, question, linker);
        // Tables that would do as well are neither needed nor wrong.
        let other_ways: HashSet<UnitNumber> =
            question.alternatives.iter().flat_map(|tables| units_of(tables, question, linker)).collect();
        let mut rows: Vec<(CandidatePosition, Option<RerankingFeatures>)> = match run.stage {
            Stage::FirstStage => measured.units.positions().map(|candidate| (candidate, None)).collect(),
            Stage::Reranking => measured.reranked.iter().map(|&(candidate, added)| (candidate, Some(added))).collect(),
        };
        let is_needed = |candidate: CandidatePosition| gold.contains(&measured.units[candidate]);
        rows.retain(|(candidate, _)| is_needed(*candidate) || !other_ways.contains(&measured.units[*candidate]));
        let found = rows.iter().filter(|(candidate, _)| is_needed(*candidate)).count();
        if found == 0 || found == rows.len() {
            return Ok(false);
        }
        let score = |candidate: CandidatePosition| measured.features[candidate].candidate_score_below_best;
        rows.sort_by(|(left, _), (right, _)| score(*right).total_cmp(&score(*left)));
        for (rank, (candidate, added)) in rows.into_iter().enumerate() {
            let needed = is_needed(candidate);
            let is_thinned = run.stage == Stage::FirstStage && rank >= ALL_OF && !needed;
            if is_thinned && !(rank + number).is_multiple_of(THINNED) {
                continue;
            }
            let weight = if is_thinned { THINNED } else { 1 };
            let counts = [number, usize::from(needed), gold.len(), found, weight].map(|count| count as f32);
            let first = measured.features[candidate].values();
            let added = added.map(|added| added.values());
            for value in counts.iter().chain(&first).chain(added.iter().flatten()) {
                self.rows.write_all(&value.to_le_bytes())?;
            }
        }
        writeln!(self.ids, "{}", question.id)?;
        Ok(true)
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.rows.flush()?;
        Ok(self.ids.flush()?)
    }
}

fn units_of(tables: &[String], question: &PackQuestion, linker: &Linker<'_>) -> HashSet<UnitNumber> {
    tables
        .iter()
        .flat_map(|table| linker.catalog().find(table, Some(&question.db)))
        .filter_map(|entry| linker.index().unit_of(&entry.table.id))
        .collect()
}
