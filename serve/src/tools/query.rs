//! `read_query` and `submit_query`: a statement runs behind the guard, and its rows come back as data.
//!
//! Both do the same; the second says that this is the answer.

use std::sync::Arc;

use catalog::{Catalog, MemoryKind};
use connect::{Connector, Limits};
use guard::{Answer, Finding, NO_LIMIT};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Definition, fits};
use crate::budget::{Budget, Cut};
use crate::error::ToolError;
use crate::finding::{self, FindingLine};
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;
use crate::trace::{Event, begun};

/// Characters of a cell: a row of a few long texts must not fill a reply.
const CELL_CHARACTERS: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArguments {
    sql: String,
    /// At most so many rows
    max_rows: Option<usize>,
    source: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmitArguments {
    sql: String,
    /// The question it answers
    question: Option<String>,
    source: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    columns: Vec<String>,
    #[schemars(with = "Vec<serde_json::Value>")]
    rows: Vec<Vec<Value>>,
    /// Rows in this reply.
    row_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    findings: Vec<FindingLine>,
    elapsed_ms: u64,
    /// When these rows were fetched, where that was earlier: nothing has been written to the database since.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    fetched_at: Option<Timestamp>,
    /// Why this is not everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_reached: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
    /// Which final answer of this conversation it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    submission: Option<usize>,
    /// Statements that explored before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    explored: Option<usize>,
}

pub(super) fn read_definition() -> Definition {
    Definition::new::<ReadArguments, Output>(
        "read_query",
        "Run a read-only query to look around. It is checked first; a refusal says what to change.",
    )
}

pub(super) fn submit_definition() -> Definition {
    Definition::new::<SubmitArguments, Output>(
        "submit_query",
        "Run the final query that answers the question. Call it once, when you are sure.",
    )
}

pub(super) async fn read(session: &Session, arguments: ReadArguments) -> Result<Reply, ToolError> {
    session.count_explored();
    let mut limits = limits(session);
    if let Some(rows) = arguments.max_rows {
        limits.rows = limits.rows.min(rows.max(1));
    }
    let statement =
        Statement { sql: &arguments.sql, source: arguments.source.as_deref(), question: None, is_answer: false };
    reply(run(session, &statement, &limits).await?, session, None)
}

pub(super) async fn submit(session: &Session, arguments: SubmitArguments) -> Result<Reply, ToolError> {
    let question = arguments.question.as_deref();
    let statement = Statement { sql: &arguments.sql, source: arguments.source.as_deref(), question, is_answer: true };
    let answer = run(session, &statement, &limits(session)).await?;
    // A refused statement is no answer: only one that ran is counted.
    reply(answer, session, Some(session.count_submitted()))
}

struct Statement<'a> {
    sql: &'a str,
    source: Option<&'a str>,
    question: Option<&'a str>,
    is_answer: bool,
}

/// The rows of a statement for a program.
pub(crate) async fn rows(
    session: &Session,
    sql: &str,
    source: Option<&str>,
    question: Option<&str>,
    max_rows: Option<usize>,
) -> Result<Answer, ToolError> {
    let mut limits = limits(session);
    limits.rows = limits.rows.min(max_rows.unwrap_or(usize::MAX).max(1));
    fits("sql", sql)?;
    fits("question", question.unwrap_or_default())?;
    run(session, &Statement { sql, source, question, is_answer: false }, &limits).await
}

/// The same as a document.
pub(crate) fn answered(answer: Answer, session: &Session) -> Result<Reply, ToolError> {
    reply(answer, session, None)
}

/// The schema of that document.
pub(super) fn document_schema() -> Map<String, Value> {
    schema::document::<Output>()
}

fn limits(session: &Session) -> Limits {
    let configured = &session.context.options().limits;
    if session.is_of_program() {
        return configured.clone();
    }
    Limits { cell_chars: configured.cell_chars.min(CELL_CHARACTERS), ..configured.clone() }
}

/// The way to a source's database.
pub(super) fn connector(session: &Session, source: &str) -> Result<Arc<dyn Connector>, ToolError> {
    match session.context.connector(source) {
        Some(Ok(connector)) => Ok(connector),
        Some(Err(error)) => Err(ToolError::of(error.code(), &error, error.hints())),
        None => Err(ToolError::new("no_connection", format!("`{source}` is described here but not connected"))
            .hint("use validate_query, and give the user the SQL")),
    }
}

async fn run(session: &Session, statement: &Statement<'_>, limits: &Limits) -> Result<Answer, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let source = names::source(&snapshot.catalog, statement.source)?;
    let connector = connector(session, source)?;
    let policy = session.policy(statement.question);
    let (catalog, connector) = (&snapshot.catalog, connector.as_ref());
    let outcome = match &session.context.options().results {
        Some(results) if is_approved(catalog, source, statement.sql, session.caller()) => {
            guard::run_again(statement.sql, catalog, connector, &policy, limits, results).await
        }
        _ => guard::run(statement.sql, catalog, connector, &policy, limits).await,
    };
    let code = outcome.as_ref().err().map_or("ok", |error| error.code());
    session.trace.record(&Event::Statement {
        source,
        sql: begun(statement.sql),
        answer: statement.is_answer,
        question: statement.question.map(begun),
        outcome: code,
        rows: outcome.as_ref().ok().map(|answer| answer.result.rows.len()),
    });
    outcome.map_err(|error| ToolError::from_guard(error, session.reply_tokens()))
}

/// Whether somebody has approved the statement, so that it may be asked for again and again.
fn is_approved(catalog: &Catalog, source: &str, sql: &str, asker: &str) -> bool {
    let text = |sql: &str| sql.trim().trim_end_matches(';').to_owned();
    let (now, wanted) = (Timestamp::now(), text(sql));
    catalog.memories().iter().any(|memory| {
        let content = &memory.content;
        content.kind == MemoryKind::Approved
            && content.source == source
            && memory.counts_for(Some(asker), now)
            && text(&content.sql) == wanted
    })
}

fn reply(answer: Answer, session: &Session, counts: Option<(usize, usize)>) -> Result<Reply, ToolError> {
    let Answer { result, verdict, kept_since } = answer;
    let mut budget = Budget::new(session.reply_tokens());
    budget.spend(&result.truncated);
    let columns = budget.names(result.columns);
    // Of a result that is whole nobody needs to be told that it might not have been.
    let is_whole = result.truncated.is_none();
    let mut findings: Vec<Finding> =
        verdict.findings.into_iter().filter(|finding| !(is_whole && finding.code == NO_LIMIT)).collect();
    // An agent has read it once.
    if !session.is_of_program() {
        findings.retain(|finding| session.is_news(finding));
    }
    let (findings, _) = finding::lines(findings, &mut budget);
    let rows: Vec<Vec<Value>> =
        result.rows.iter().map(|row| row.iter().map(connect::Value::to_json).collect()).collect();
    let (rows, omitted) = budget.take(rows);
    let truncated = Cut::of(omitted, "rows", "select fewer columns, aggregate, or filter").into_iter().collect();
    let output = Output {
        columns,
        row_count: rows.len(),
        rows,
        findings,
        elapsed_ms: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
        fetched_at: kept_since,
        limit_reached: result.truncated,
        truncated,
        submission: counts.map(|(submission, _)| submission),
        explored: counts.map(|(_, explored)| explored),
    };
    session.reply(&output)
}

/// The text cut at a number of characters, with a sign that it was.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}
