//! How many questions are answered right: the agent, and beside it the same model with the whole schema in one prompt.
//!
//! Every question is written out when it is done, so that a run of an hour that is interrupted continues where it was.
//! Gold statements are read after all answers are written, by [`accuracy`], which knows nothing of the run.
//!
//! Invariant: neither the agent nor the baseline sees a gold answer.

mod accuracy;
mod baseline;
mod calibrate;
mod compare;
mod coverage;
mod prepare;
mod questions;
mod report;

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent::{Ablations, Action, Agent, AgentOptions, Calibration, Outcome, Signals};
use anyhow::Context as _;
use connect::Limits;
use guard::Policy;
use link::Linker;
use llm::ChatModel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use accuracy::{Accuracy, accuracy};
pub use calibrate::{Answered, CalibrationReport, calibrate};
pub use compare::{Order, Rows, order_of, same_result};
pub use coverage::{CoveragePoint, RiskCoverage};
pub use questions::{
    JudgedAnswers, OwnQuestion, QuestionResult, QuestionsReport, QuestionsRun, read_questions, run_questions,
};
pub use report::{AskReport, Tally};

/// Rows a statement may return while answering: evaluation compares whole results, not the first page.
const ROWS: usize = 10_000;
/// Time a statement may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A question of a pack.
#[derive(Clone, Debug, Deserialize)]
pub struct AskQuestion {
    /// Its id.
    pub id: String,
    /// The database it belongs to.
    pub db: String,
    /// Its words.
    pub question: String,
    /// What one has to know to answer it, where the pack says so.
    #[serde(default)]
    pub evidence: Option<String>,
    /// The statement that answers it.
    #[serde(default)]
    pub gold_sql: Option<String>,
}

/// A run over a pack.
pub struct AskRun<'a> {
    /// The folder with `questions.jsonl` and `databases/`.
    pub pack: &'a Path,
    /// How many of the shuffled questions; `None` for all.
    pub limit: Option<usize>,
    /// The seed of the shuffle.
    pub seed: u64,
    /// The model.
    pub model: &'a dyn ChatModel,
    /// Where the predictions go; the baseline's go beside it, to the same name with `.baseline`.
    pub out: &'a Path,
    /// What is switched off in the agent.
    pub ablations: Ablations,
    /// What signals weigh; `None` for what the agent takes by itself.
    pub calibration: Option<Calibration>,
    /// Whether the baseline is measured too.
    pub baseline: bool,
    /// Whether questions that stand in `out` already are kept.
    pub resume: bool,
    /// Told after each question: done, of how many.
    pub on_question: &'a mut (dyn FnMut(usize, usize) + Send),
}

/// A line of the prediction file. The first eight fields are the exchange format; the others feed our report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prediction {
    /// The question's id.
    pub id: String,
    /// The statement; empty where there is none.
    pub sql: String,
    /// Whether a statement was verified and ran.
    pub ok: bool,
    /// Why not, where it isn't.
    pub error: Option<String>,
    /// Tool calls.
    pub tool_calls: usize,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// Wall-clock time.
    pub latency_ms: u64,
    /// Model calls.
    pub model_calls: usize,
    /// The agent's own confidence.
    pub confidence: f32,
    /// How it ended: `answered`, `draft`, `declined`.
    pub status: String,
    /// What the confidence was reckoned from.
    pub signals: Signals,
    /// Statements that the model wrote, in order.
    pub drafts: Vec<String>,
    /// How many of them name something that doesn't exist.
    pub hallucinated_drafts: usize,
    /// How many were changed by mechanical repair.
    pub repaired_drafts: usize,
    /// How many statements were run of which the engine said that a table or column doesn't exist.
    pub executed_unknown: usize,
    /// Tables shown to the model, and tables of the database.
    pub tables_shown: usize,
    /// Tables of the database.
    pub tables_total: usize,
}

/// Asks the agent, and the baseline where it is wanted, then scores both.
///
/// # Errors
/// Where the pack can't be read, a database can't be prepared, or the model can't be reached. A single question that
/// fails is a prediction with an error, not the end of the run.
pub async fn run_ask(run: AskRun<'_>) -> anyhow::Result<AskReport> {
    let mut questions: Vec<AskQuestion> = read_lines(&run.pack.join("questions.jsonl"))?;
    shuffle(&mut questions, run.seed);
    questions.truncate(run.limit.unwrap_or(usize::MAX));
    let baseline_out = baseline_path(run.out);
    let done = kept(run.out, run.resume)?;
    let baseline_done = if run.baseline { kept(&baseline_out, run.resume)? } else { HashSet::new() };
    let mut out = append(run.out)?;
    let mut baseline_file = if run.baseline { Some(append(&baseline_out)?) } else { None };

    let mut databases: HashMap<String, prepare::Prepared> = HashMap::new();
    let total = questions.len();
    for (position, question) in questions.iter().enumerate() {
        let agent_is_due = !done.contains(&question.id);
        let baseline_is_due = run.baseline && !baseline_done.contains(&question.id);
        if agent_is_due || baseline_is_due {
            if !databases.contains_key(&question.db) {
                databases.insert(question.db.clone(), prepare::prepare(run.pack, &question.db).await?);
            }
            let prepared = databases.get(&question.db).context("the database was just prepared")?;
            if agent_is_due {
                write_line(&mut out, &ask_agent(prepared, question, &run).await?)?;
            }
            if let Some(file) = baseline_file.as_mut().filter(|_| baseline_is_due) {
                write_line(file, &baseline::ask(prepared, question, run.model).await?)?;
            }
        }
        (run.on_question)(position + 1, total);
    }
    let ids: HashSet<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    let agent = report::tally(run.pack, run.out, &ids)?;
    let baseline = if run.baseline { Some(report::tally(run.pack, &baseline_out, &ids)?) } else { None };
    Ok(AskReport { model: run.model.info().name.clone(), seed: run.seed, ablations: run.ablations, agent, baseline })
}

async fn ask_agent(
    prepared: &prepare::Prepared,
    question: &AskQuestion,
    run: &AskRun<'_>,
) -> anyhow::Result<Prediction> {
    let linker = Linker::new(&prepared.catalog, &prepared.index, llm::static_embedder());
    let policy = Policy::default();
    let limits = Limits { rows: ROWS, timeout: TIMEOUT, bytes: 64 << 20, ..Limits::default() };
    let (ablations, calibration) = (run.ablations, run.calibration.clone());
    let options = AgentOptions { ablations, calibration, limits, ..AgentOptions::default() };
    let agent = Agent::new(&prepared.catalog, &linker, prepared.connector.as_ref(), Some(run.model), &policy, options);
    match agent.ask(&worded(question), None, &mut |_| {}).await {
        Ok(outcome) => Ok(predicted(question, &outcome, prepared.catalog.entries().len())),
        // A model that is down stays down: better to stop and resume than to count it as wrong answers.
        Err(error) => Err(anyhow::Error::new(error).context(format!("question `{}`", question.id))),
    }
}

fn predicted(question: &AskQuestion, outcome: &Outcome, tables_total: usize) -> Prediction {
    let unknown = |action: &Action| match action {
        Action::Ran { note: Some(note), .. } => note.contains("no such column") || note.contains("no such table"),
        _ => false,
    };
    Prediction {
        id: question.id.clone(),
        sql: outcome.answer.as_ref().map(|answer| one_line(answer.sql())).unwrap_or_default(),
        ok: outcome.answer.is_some(),
        error: outcome.failure.clone().or_else(|| outcome.clarification.clone().filter(|_| outcome.answer.is_none())),
        tool_calls: outcome.usage.tool_calls,
        prompt_tokens: outcome.usage.prompt_tokens,
        completion_tokens: outcome.usage.completion_tokens,
        latency_ms: outcome.usage.latency_ms,
        model_calls: outcome.usage.model_calls,
        confidence: outcome.confidence,
        status: outcome.status.code().to_owned(),
        signals: outcome.signals.clone(),
        drafts: outcome.drafts.iter().map(|draft| one_line(&draft.sql)).collect(),
        hallucinated_drafts: outcome.drafts.iter().filter(|draft| draft.hallucinated).count(),
        repaired_drafts: outcome.drafts.iter().filter(|draft| draft.repaired.is_some()).count(),
        executed_unknown: outcome.trace.iter().filter(|step| unknown(&step.action)).count(),
        tables_shown: outcome.context.as_ref().map_or(0, |context| context.tables.len()),
        tables_total,
    }
}

/// The question with what one has to know for it.
fn worded(question: &AskQuestion) -> String {
    match question.evidence.as_deref().map(str::trim).filter(|evidence| !evidence.is_empty()) {
        Some(evidence) => format!("{} ({evidence})", question.question),
        None => question.question.clone(),
    }
}

/// A statement as one line, where its line ends mean nothing.
fn one_line(sql: &str) -> String {
    if sql.contains("--") || sql.contains('\'') {
        sql.to_owned()
    } else {
        sql.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Fisher and Yates' shuffle, driven by SplitMix64: the same order for a seed on every machine and in every version.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    for last in (1..items.len()).rev() {
        // The modulo's bias is below one in 2^50 for any pack.
        let chosen = usize::try_from(next() % (last as u64 + 1)).unwrap_or(0);
        items.swap(last, chosen);
    }
}

fn baseline_path(out: &Path) -> PathBuf {
    let stem = out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    out.with_file_name(format!("{stem}.baseline.jsonl"))
}

/// The ids that stand in a file already; without `resume` the file is emptied. A last line that was cut short by an
/// interruption is taken off.
fn kept(path: &Path, resume: bool) -> anyhow::Result<HashSet<String>> {
    if !resume || !path.exists() {
        File::create(path).with_context(|| format!("`{}` can't be written", path.display()))?;
        return Ok(HashSet::new());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("`{}` can't be read", path.display()))?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
    }
    let predictions: Vec<Prediction> = read_lines(path)?;
    Ok(predictions.into_iter().map(|prediction| prediction.id).collect())
}

fn append(path: &Path) -> anyhow::Result<File> {
    OpenOptions::new().append(true).open(path).with_context(|| format!("`{}` can't be written", path.display()))
}

fn write_line(file: &mut File, prediction: &Prediction) -> anyhow::Result<()> {
    let mut line = serde_json::to_string(prediction)?;
    line.push('\n');
    file.write_all(line.as_bytes())?;
    Ok(())
}

/// The values in a file of JSON lines.
fn read_lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let file = File::open(path).with_context(|| format!("`{}` can't be opened", path.display()))?;
    let mut values = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line?;
        if !line.trim().is_empty() {
            let place = || format!("`{}`, line {}", path.display(), number + 1);
            values.push(serde_json::from_str(&line).with_context(place)?);
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Prediction, kept, read_lines, shuffle};

    #[test]
    fn a_seed_gives_the_same_order_everywhere() {
        let mut items: Vec<u32> = (0..10).collect();
        shuffle(&mut items, 7);
        let mut again: Vec<u32> = (0..10).collect();
        shuffle(&mut again, 7);
        assert_eq!(items, again);
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
        let mut other: Vec<u32> = (0..10).collect();
        shuffle(&mut other, 8);
        assert_ne!(items, other);
    }

    #[test]
    fn an_interrupted_file_keeps_its_whole_lines() {
        let folder = std::env::temp_dir().join(format!("periplus-eval-ask-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("p.jsonl");
        std::fs::write(&path, "{\"id\":\"a\",\"sql\":\"SELECT 1\"}\n{\"id\":\"b\",\"sq").unwrap();
        assert_eq!(kept(&path, true).unwrap().into_iter().collect::<Vec<_>>(), ["a"]);
        let predictions: Vec<Prediction> = read_lines(&path).unwrap();
        assert_eq!(predictions.len(), 1);
        assert!(kept(&path, false).unwrap().is_empty());
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
