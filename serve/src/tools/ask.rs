//! `ask`: a question is answered by the configured model, behind the guard, or declined with what is missing.
//!
//! It is offered to agents where that model is behind an endpoint; people and programs ask whichever there is.

use agent::{Agent, AnswerShape, Feedback, Outcome, Status, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Definition, fits, query};
use crate::budget::{Budget, Cut};
use crate::error::ToolError;
use crate::finding::{self, FindingLine};
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;

pub(crate) const NAME: &str = "ask";

/// The share of a reply that the rows may take.
const ROWS_SHARE: f64 = 0.6;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// In the user's words
    question: String,
    source: Option<String>,
    /// A statement that was wrong
    rejected_sql: Option<String>,
    /// What was wrong with it
    correction: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// `answered`, as sure as was asked for; `draft`: look at what is against it; `declined`: see what is missing.
    status: &'static str,
    /// The probability that it is right, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    rows: Vec<Vec<Value>>,
    /// What was taken for granted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<String>,
    /// What speaks against a draft.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<String>,
    /// What would have to be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    /// A question back to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    clarification: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    findings: Vec<FindingLine>,
    /// The tables that the model was shown, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<String>,
    /// How many were put aside as irrelevant.
    put_aside: usize,
    elapsed_ms: u64,
    /// Why the rows are not everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_reached: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

pub(super) fn definition() -> Definition {
    Definition::new::<Arguments, Output>(
        NAME,
        "Have the server's own model answer a question, with its statement and what speaks against it. Slower than asking \
         yourself.",
    )
}

/// The schema of the document.
pub(super) fn document_schema() -> Map<String, Value> {
    schema::document::<Output>()
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let outcome = answer(session, arguments, &mut |_| {}).await?;
    reply(outcome, session)
}

/// What came of a question, every step told while it is taken.
pub(crate) async fn answer(
    session: &Session,
    arguments: Arguments,
    on_step: &mut (dyn FnMut(&Step) + Send),
) -> Result<Outcome, ToolError> {
    let Arguments { question, source, rejected_sql, correction } = arguments;
    if question.trim().is_empty() {
        return Err(ToolError::new("invalid_arguments", "`question` is empty"));
    }
    fits("question", &question)?;
    fits("rejected_sql", rejected_sql.as_deref().unwrap_or_default())?;
    fits("correction", correction.as_deref().unwrap_or_default())?;
    let snapshot = session.context.snapshot().await?;
    let source = names::source(&snapshot.catalog, source.as_deref())?;
    let connector = query::connector(session, source)?;
    // Without a model there are the answers that people have approved.
    let place = match &session.context.options().asking {
        Some(asking) => Some(asking.place(session.caller()).await?),
        None => None,
    };
    let (linker, policy) = (snapshot.linker(), session.policy(Some(&question)));
    let model = place.as_ref().map(|place| place.model.as_ref());
    let asker = Some(session.caller().to_owned());
    let mut options = place.as_ref().map(|place| place.options.clone()).unwrap_or_default();
    options.link.asker.clone_from(&asker);
    options.asker.clone_from(&asker);
    options.results.clone_from(&session.context.options().results);
    let agent = Agent::new(&snapshot.catalog, &linker, connector.as_ref(), model, &policy, options)
        .with_web_search(place.as_ref().and_then(|place| place.web_search));
    let feedback = correction.map(|correction| Feedback { rejected_sql: rejected_sql.unwrap_or_default(), correction });
    let asked = agent.ask(&question, feedback.as_ref(), on_step).await;
    let outcome = asked.map_err(|error| ToolError::of(error.code(), &error, error.hints()))?;
    if outcome.status == Status::NoModel {
        let reason = outcome.failure.unwrap_or_default();
        return Err(ToolError::new("no_model", reason)
            .hint("link the question and write the statement, or have the operator configure a model"));
    }
    session.context.note_uses(&outcome.uses(&question, asker.as_deref()));
    Ok(outcome)
}

/// The same as an answer.
pub(crate) fn reply(outcome: Outcome, session: &Session) -> Result<Reply, ToolError> {
    let mut budget = Budget::new(session.reply_tokens());
    let sql = outcome.answer.as_ref().map(AnswerShape::sql).map(str::to_owned);
    budget.spend(&(&sql, &outcome.clarification, &outcome.failure));
    let [assumptions, against, missing] =
        [outcome.assumptions, outcome.against, outcome.missing].map(|sentences| budget.take(sentences).0);
    let limit_reached = outcome.rows.as_ref().and_then(|rows| rows.truncated.clone());
    let (mut columns, mut rows, mut omitted) = (Vec::new(), Vec::new(), 0);
    if let Some(result) = outcome.rows {
        columns = budget.names(result.columns);
        let cells = |row: &Vec<connect::Value>| row.iter().map(connect::Value::to_json).collect::<Vec<Value>>();
        let all = result.rows.iter().map(cells).collect();
        (rows, omitted) = if session.is_of_program() { budget.take(all) } else { budget.take_share(all, ROWS_SHARE) };
    }
    let (findings, _) = finding::lines(outcome.findings, &mut budget);
    let context = outcome.context.unwrap_or_default();
    let (tables, _) = budget.take(context.tables.iter().map(catalog::TableId::local).collect());
    session.reply(&Output {
        status: outcome.status.code(),
        confidence: sql.as_ref().filter(|_| outcome.status != Status::Declined).map(|_| rounded(outcome.confidence)),
        sql,
        columns,
        rows,
        assumptions,
        against,
        missing,
        clarification: outcome.clarification,
        failure: outcome.failure,
        findings,
        tables,
        put_aside: context.irrelevant.len(),
        elapsed_ms: outcome.usage.latency_ms,
        limit_reached,
        truncated: Cut::of(omitted, "rows", "ask for fewer, or for their sum").into_iter().collect(),
    })
}

fn rounded(share: f32) -> f64 {
    (f64::from(share) * 100.0).round() / 100.0
}
