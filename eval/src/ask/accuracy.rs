//! How many predictions return what the gold statements return.
//!
//! It reads the prediction file and the databases and nothing that the run remembers, so predictions of an earlier run
//! or of another tool can be scored again.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use super::compare::{Rows, order_of, same_result};
use super::{AskQuestion, Prediction, read_lines};

/// A statement that takes longer counts as failed.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Rows read of a result; a longer one is compared as far as that.
const MOST_ROWS: usize = 100_000;
/// Instructions of SQLite's machine between two looks at the clock.
const INSTRUCTIONS: i32 = 10_000;

/// The score of a prediction file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Accuracy {
    /// Predictions scored.
    pub questions: usize,
    /// Those that return what gold returns.
    pub correct: usize,
    /// Those without a statement.
    pub unanswered: usize,
    /// Those whose statement fails.
    pub failed: usize,
    /// `correct / questions`.
    pub accuracy: f64,
    /// Ids of the correct ones.
    pub correct_ids: Vec<String>,
    /// Questions whose gold statement fails; they are not counted.
    pub gold_failed: Vec<String>,
}

/// Scores a prediction file against a pack with databases.
///
/// # Errors
/// Where a file can't be read, or a prediction belongs to no question of the pack.
pub fn accuracy(pack: &Path, predictions: &Path) -> anyhow::Result<Accuracy> {
    let questions: Vec<AskQuestion> = read_lines(&pack.join("questions.jsonl"))?;
    let by_id: HashMap<&str, &AskQuestion> =
        questions.iter().map(|question| (question.id.as_str(), question)).collect();
    let predictions: Vec<Prediction> = read_lines(predictions)?;
    let mut databases = Databases::new(pack);
    let mut score = Accuracy::default();
    for prediction in &predictions {
        let question = by_id
            .get(prediction.id.as_str())
            .with_context(|| format!("`{}` is no question of `{}`", prediction.id, pack.display()))?;
        match databases.judge(question, &prediction.sql)? {
            Judgement::GoldFailed => {
                score.gold_failed.push(question.id.clone());
                continue;
            }
            Judgement::Correct => {
                score.correct += 1;
                score.correct_ids.push(question.id.clone());
            }
            Judgement::Wrong => {}
            Judgement::Failed => score.failed += 1,
            Judgement::Unanswered => score.unanswered += 1,
        }
        score.questions += 1;
    }
    if score.questions > 0 {
        score.accuracy = score.correct as f64 / score.questions as f64;
    }
    Ok(score)
}

/// What a prediction is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    Correct,
    Wrong,
    Failed,
    Unanswered,
    GoldFailed,
}

/// The pack's databases, each opened once.
struct Databases<'p> {
    pack: &'p Path,
    open: HashMap<String, Connection>,
}

impl<'p> Databases<'p> {
    fn new(pack: &'p Path) -> Self {
        Self { pack, open: HashMap::new() }
    }

    fn judge(&mut self, question: &AskQuestion, sql: &str) -> anyhow::Result<Judgement> {
        let gold_sql =
            question.gold_sql.as_deref().with_context(|| format!("`{}` has no gold statement", question.id))?;
        let connection = self.connection(&question.db)?;
        let Ok(gold) = rows(connection, gold_sql) else { return Ok(Judgement::GoldFailed) };
        if sql.trim().is_empty() {
            return Ok(Judgement::Unanswered);
        }
        Ok(match rows(connection, sql) {
            Err(_) => Judgement::Failed,
            Ok(predicted) if same_result(&gold, &predicted, order_of(gold_sql)) => Judgement::Correct,
            Ok(_) => Judgement::Wrong,
        })
    }

    fn connection(&mut self, database: &str) -> anyhow::Result<&mut Connection> {
        if !self.open.contains_key(database) {
            let path = self.pack.join("databases").join(format!("{database}.sqlite"));
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&path, flags)
                .with_context(|| format!("`{}` can't be opened", path.display()))?;
            connection.pragma_update(None, "query_only", true)?;
            self.open.insert(database.to_owned(), connection);
        }
        self.open.get_mut(database).context("the database was just opened")
    }
}

fn rows(connection: &mut Connection, sql: &str) -> rusqlite::Result<Rows> {
    let started = Instant::now();
    connection.progress_handler(INSTRUCTIONS, Some(move || started.elapsed() > TIMEOUT))?;
    let mut statement = connection.prepare(sql)?;
    let width = statement.column_count();
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push((0..width).map(|column| value(row, column)).collect::<rusqlite::Result<Vec<_>>>()?);
        if rows.len() >= MOST_ROWS {
            break;
        }
    }
    Ok(Rows { width, rows })
}

/// A cell; text that isn't UTF-8 is read as far as it can be, since old databases hold Latin-1.
fn value(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<rusqlite::types::Value> {
    Ok(match row.get_ref(column)? {
        rusqlite::types::ValueRef::Text(bytes) => {
            rusqlite::types::Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
        other => other.try_into().map_err(rusqlite::Error::from)?,
    })
}
