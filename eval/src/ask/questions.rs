//! A file of somebody's own questions, asked of a source of theirs: what became of each, and where the file says what is right,
//! whether it is.
//!
//! A file holds a question a line; empty lines and those that begin with `#` are skipped. Or it holds JSON lines with
//! `question` and, where known, `sql`, the statement that answers it. That statement goes the same way as an answer: through the
//! guard, within the same limits.

use std::io::Write as _;
use std::path::Path;

use agent::{Agent, AnswerShape, Status};
use anyhow::Context as _;
use catalog::Catalog;
use connect::{Connector, Limits, ResultSet};
use guard::Policy;
use rusqlite::types::Value;
use serde::{Deserialize, Serialize};

use super::compare::{Rows, order_of, same_result};

/// One question of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct OwnQuestion {
    /// Its words.
    pub question: String,
    /// The statement that answers it.
    #[serde(default)]
    pub sql: Option<String>,
}

/// What questions are asked with.
pub struct QuestionsRun<'a> {
    /// Who answers.
    pub agent: &'a Agent<'a>,
    /// What is known of the source.
    pub catalog: &'a Catalog,
    /// The source.
    pub connector: &'a dyn Connector,
    /// What may run.
    pub policy: &'a Policy,
    /// How much of it.
    pub limits: &'a Limits,
    /// Where a JSON line for each question goes.
    pub out: &'a Path,
    /// Told after each question: done, of how many.
    pub on_question: &'a mut (dyn FnMut(usize, usize) + Send),
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionResult {
    /// Its words.
    pub question: String,
    /// How it ended: `answered`, `draft`, `declined`, `no_model`.
    pub status: &'static str,
    /// The probability that the statement is right.
    pub confidence: f32,
    /// The statement, also that of a draft and of what was declined.
    pub sql: Option<String>,
    /// Whether it returns what the right statement returns; nothing where that isn't known.
    pub right: Option<bool>,
    /// What is missing, what speaks against it, why there is none.
    pub reasons: Vec<String>,
    /// Why the right statement could not be compared with.
    pub not_compared: Option<String>,
    /// Wall-clock time.
    pub latency_ms: u64,
    /// Tokens sent and received.
    pub tokens: u64,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QuestionsReport {
    /// How many were asked.
    pub questions: usize,
    /// By how they ended.
    pub answered: JudgedAnswers,
    /// Statements that weren't sure enough.
    pub drafts: JudgedAnswers,
    /// Those without an answer; some have a statement all the same.
    pub declined: JudgedAnswers,
    /// Right statements that the guard refused or the engine failed on: the file or the policy is wrong.
    pub not_compared: usize,
    /// Mean wall-clock time.
    pub latency_ms: u64,
}

/// How many, and how many of them are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JudgedAnswers {
    /// How many.
    pub all: usize,
    /// How many of them can be judged.
    pub judged: usize,
    /// How many of those are right.
    pub right: usize,
}

/// Reads a file of questions.
///
/// # Errors
/// Where it can't be read, holds no question, or a line that begins like JSON isn't a question.
pub fn read_questions(path: &Path) -> anyhow::Result<Vec<OwnQuestion>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("`{}` can't be read", path.display()))?;
    let mut questions = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        match line.chars().next() {
            None | Some('#') => {}
            Some('{') => questions.push(serde_json::from_str(line).with_context(|| {
                format!("line {number} of `{}` has to have a `question` and may have its `sql`", path.display())
            })?),
            Some(_) => questions.push(OwnQuestion { question: line.to_owned(), sql: None }),
        }
    }
    anyhow::ensure!(!questions.is_empty(), "`{}` holds no question: one a line, or JSON lines", path.display());
    Ok(questions)
}

/// Asks them one after the other.
///
/// # Errors
/// Where the model or the database can't be reached, or the answers can't be written.
pub async fn run_questions(questions: &[OwnQuestion], run: QuestionsRun<'_>) -> anyhow::Result<QuestionsReport> {
    let cannot = || format!("`{}` can't be written", run.out.display());
    let mut out = std::fs::File::create(run.out).with_context(cannot)?;
    let mut report = QuestionsReport { questions: questions.len(), ..QuestionsReport::default() };
    for (done, question) in (1..).zip(questions) {
        let asked = ask(question, &run).await?;
        let tally = match asked.status {
            status if status == Status::Answered.code() => &mut report.answered,
            status if status == Status::Draft.code() => &mut report.drafts,
            _ => &mut report.declined,
        };
        tally.all += 1;
        tally.judged += usize::from(asked.right.is_some());
        tally.right += usize::from(asked.right == Some(true));
        report.not_compared += usize::from(asked.not_compared.is_some());
        report.latency_ms += asked.latency_ms;
        writeln!(out, "{}", serde_json::to_string(&asked)?).with_context(cannot)?;
        (run.on_question)(done, questions.len());
    }
    report.latency_ms /= (questions.len() as u64).max(1);
    Ok(report)
}

async fn ask(question: &OwnQuestion, run: &QuestionsRun<'_>) -> anyhow::Result<QuestionResult> {
    let outcome = run.agent.ask(&question.question, None, &mut |_| {}).await?;
    let sql = outcome.answer.as_ref().map(AnswerShape::sql).map(str::to_owned);
    let (mut right, mut not_compared) = (None, None);
    if let (Some(gold), Some(sql)) = (&question.sql, &sql) {
        match rows_of(gold, run).await {
            // A statement that was shortened, or kept from its rows, is run again as a whole.
            Ok(gold_rows) => {
                right = Some(rows_of(sql, run).await.is_ok_and(|rows| same_result(&gold_rows, &rows, order_of(gold))));
            }
            Err(reason) => not_compared = Some(reason),
        }
    }
    let reasons =
        outcome.missing.into_iter().chain(outcome.against).chain(outcome.failure).chain(outcome.clarification);
    Ok(QuestionResult {
        question: question.question.clone(),
        status: outcome.status.code(),
        confidence: outcome.confidence,
        sql,
        right,
        reasons: reasons.collect(),
        not_compared,
        latency_ms: outcome.usage.latency_ms,
        tokens: outcome.usage.prompt_tokens + outcome.usage.completion_tokens,
    })
}

async fn rows_of(sql: &str, run: &QuestionsRun<'_>) -> Result<Rows, String> {
    match guard::run(sql, run.catalog, run.connector, run.policy, run.limits).await {
        Ok(answer) => Ok(rows(&answer.result)),
        Err(guard::GuardError::Refused(verdict)) => {
            Err(verdict.findings.first().map_or_else(|| "refused".to_owned(), |finding| finding.message.clone()))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// A result in the form that results are compared in. Engines write exact numbers as texts, with as many zeros as they like.
fn rows(result: &ResultSet) -> Rows {
    let value = |value: &connect::Value| match value {
        connect::Value::Null => Value::Null,
        connect::Value::Integer(number) => Value::Integer(*number),
        connect::Value::Real(number) => Value::Real(*number),
        connect::Value::Boolean(truth) => Value::Integer(i64::from(*truth)),
        connect::Value::Text(text) => text.parse().map_or_else(|_| Value::Text(text.clone()), Value::Real),
        connect::Value::Bytes(length) => Value::Text(format!("<{length} bytes>")),
    };
    Rows { width: result.columns.len(), rows: result.rows.iter().map(|row| row.iter().map(value).collect()).collect() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::read_questions;

    #[test]
    fn a_file_holds_questions_as_they_are_typed_or_as_json() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("questions.txt");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_questions(&path)
        };
        let text = "# ours\n\nHow many orders?\n{\"question\": \"And paid?\", \"sql\": \"SELECT 1\"}\n";
        let questions = read(text).unwrap();
        assert_eq!(questions.len(), 2);
        assert_eq!(
            (questions[0].question.as_str(), questions[1].sql.as_deref()),
            ("How many orders?", Some("SELECT 1"))
        );
        assert!(read("# nothing\n").unwrap_err().to_string().contains("holds no question"));
        assert!(read("{\"sql\": \"SELECT 1\"}").unwrap_err().to_string().contains("line 1"));
    }
}
