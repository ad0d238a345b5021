//! The interface for programs, under `/api/v1`: the tools' answers as documents, whole, and what only programs want.
//!
//! What a database says stands in the documents as it is, without marks: a program that hands it to a model marks it, as the
//! tools over MCP do.
//!
//! Invariant: every route stands in [`operations::ALL`], from which the OpenAPI document is made; a test holds the two together.

mod asked;
mod index_runs;
mod operations;
mod pictures;
mod rows;
mod take;
mod texts;

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Extension, Json, Router};
use catalog::{Catalog, Memory, MemoryId, Term, TermFault};
use guard::{AuditLog, Decision, GuardError, Tail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use operations::openapi;
use take::{Body, Named, Parameters};

use super::problem::Problem;
use crate::caller::{Caller, Rights};
use crate::calls::Calls;
use crate::context::Snapshot;
use crate::error::ToolError;
use crate::names;
use crate::served::Served;
use crate::session::{self, Session};
use crate::tools::{self, FeedbackBody};

/// Tables of a page without `limit`, and at most.
const PAGE: (usize, usize) = (100, 1_000);

/// Records of a page without `limit`, and at most.
const RECORDS: (usize, usize) = (50, 1_000);

/// Bytes of a page's records, about, and of those that are looked through for them.
const RECORD_BYTES: (usize, usize) = (1 << 20, 32 << 20);

#[derive(Clone)]
struct Api {
    served: Arc<Served>,
    calls: Arc<Calls>,
}

type Answered = Result<Json<Value>, Problem>;

pub(super) fn routes(served: Arc<Served>, calls: Arc<Calls>) -> Router {
    Router::new()
        .route("/openapi.json", get(async || Json(openapi())))
        .route("/caller", get(caller))
        .route("/status", get(status))
        .route("/sources", get(sources))
        .route("/tables", get(tables))
        .route("/tables/{source}/{table}", get(table))
        .route("/tables/{source}/{table}/profile", get(profile))
        .route("/tables/{source}/{table}/neighbours", get(neighbours))
        .route("/tables/{source}/{table}/texts", get(texts::read).patch(texts::write))
        .route("/graph", get(graph))
        .route("/joins", get(joins))
        .route("/search", get(search))
        .route("/link", post(link))
        .route("/check", post(check))
        .route("/query", post(query))
        .route("/ask", post(asked::ask))
        .route("/terms", get(terms))
        .route("/feedback", get(remembered).post(feedback))
        .route("/feedback/{id}", delete(undo))
        .route("/history", get(history))
        .route("/index-runs", get(index_runs::list).post(index_runs::begin))
        .route("/index-runs/{id}", get(index_runs::get).delete(index_runs::cancel))
        .layer(middleware::from_fn(take::unless_known))
        .with_state(Api { served, calls })
}

impl Api {
    fn session(&self, caller: &Caller) -> Result<Session, ToolError> {
        Ok(Session::of_program(self.served.to(caller)?, caller.clone()))
    }

    async fn snapshot(&self, caller: &Caller) -> Result<Arc<Snapshot>, Problem> {
        Ok(self.served.to(caller)?.snapshot().await.map_err(ToolError::from)?)
    }

    /// What a tool answers, as a document.
    async fn tool(&self, caller: &Caller, tool: &str, arguments: Value) -> Result<Value, Problem> {
        tools::all_fit(&arguments)?;
        let mut call = self.calls.begin(&caller.name, tool).await?;
        let session = self.session(caller)?;
        let called = tools::call(&session, tool, arguments).await.ok_or_else(Problem::internal)?;
        call.came_to(called.as_ref().map(drop).map_err(|error| error.code));
        let reply = called?;
        Ok(reply.structured().cloned().unwrap_or_default())
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct CallerDocument {
    /// As the record of statements has it; `local` for whoever needs no token.
    name: String,
    role: String,
    rights: Rights,
    /// Whether there is a model that questions can be asked of.
    asks: bool,
}

async fn caller(State(api): State<Api>, Extension(caller): Extension<Caller>) -> Answered {
    let asks = api.served.to(&caller)?.options().asking.is_some();
    document(&CallerDocument { name: caller.name, role: caller.role, rights: caller.rights, asks })
}

#[derive(Debug, Serialize, JsonSchema)]
struct Status {
    version: String,
    /// Grows with every change of the catalog.
    revision: u64,
    /// Approved queries and corrections in use.
    memories: usize,
    sources: Vec<SourceLine>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Sources {
    sources: Vec<SourceLine>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SourceLine {
    name: String,
    /// The engine's SQL.
    dialect: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    tables: usize,
    /// When it was last looked at as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_at: Option<jiff::Timestamp>,
}

async fn status(State(api): State<Api>, Extension(caller): Extension<Caller>) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    let memories = snapshot.catalog.memories().iter();
    document(&Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: snapshot.catalog.revision(),
        memories: memories
            .filter(|memory| memory.state == catalog::MemoryState::Active && tools::may_see(memory, &caller.name))
            .count(),
        sources: source_lines(&snapshot.catalog),
    })
}

async fn sources(State(api): State<Api>, Extension(caller): Extension<Caller>) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    document(&Sources { sources: source_lines(&snapshot.catalog) })
}

fn source_lines(catalog: &catalog::Catalog) -> Vec<SourceLine> {
    let line = |source: &catalog::Source| SourceLine {
        name: source.name.clone(),
        dialect: source.dialect.to_string(),
        description: source.description.clone(),
        tables: catalog.entries().iter().filter(|entry| entry.table.id.source == source.name).count(),
        indexed_at: source.indexed_at,
    };
    catalog.sources().iter().map(line).collect()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TablesQuery {
    /// Only of this source
    source: Option<String>,
    /// Only names that contain this
    contains: Option<String>,
    /// Tables of a page, 1 to 1000 [default: 100]
    limit: Option<usize>,
    /// What the page before gave as `next_cursor`
    cursor: Option<String>,
}

async fn tables(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Parameters(asked): Parameters<TablesQuery>,
) -> Answered {
    let arguments = json!({"source": asked.source, "contains": asked.contains, "format": "json"});
    let mut found = api.tool(&caller, "list_tables", arguments).await?;
    let all = found["tables"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let limit = asked.limit.unwrap_or(PAGE.0).clamp(1, PAGE.1);
    let is_after = |line: &Value| asked.cursor.as_deref().is_none_or(|cursor| line["name"].as_str() > Some(cursor));
    let mut rest = all.into_iter().filter(is_after);
    let page: Vec<Value> = rest.by_ref().take(limit).collect();
    if rest.next().is_some() {
        found["next_cursor"] = page.last().map(|line| line["name"].clone()).unwrap_or_default();
    }
    found["tables"] = page.into();
    Ok(Json(found))
}

async fn table(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named((source, table)): Named<(String, String)>,
) -> Answered {
    let arguments = json!({"source": source, "table": table, "format": "json"});
    api.tool(&caller, "describe_table", arguments).await.map(Json)
}

async fn profile(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named((source, table)): Named<(String, String)>,
) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    document(&pictures::profile(names::table(&snapshot.catalog, &table, Some(&source))?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NeighboursQuery {
    /// Keys from the table at most, 1 to 3 [default: 1]
    steps: Option<usize>,
}

async fn neighbours(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named((source, table)): Named<(String, String)>,
    Parameters(asked): Parameters<NeighboursQuery>,
) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    let middle = names::table(&snapshot.catalog, &table, Some(&source))?;
    document(&pictures::around(&snapshot.catalog, middle, asked.steps.unwrap_or(1).clamp(1, 3)))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GraphQuery {
    /// Which one, where there are several
    source: Option<String>,
    /// Only the area with this hub
    area: Option<String>,
}

async fn graph(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Parameters(asked): Parameters<GraphQuery>,
) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    let source = names::source(&snapshot.catalog, asked.source.as_deref())?;
    let areas = snapshot.linker().areas(Some(source));
    let unknown =
        || ToolError::new("unknown_area", "no area has that hub").hint("without `area` all of them are listed");
    document(&pictures::of_schema(&snapshot.catalog, source, &areas, asked.area.as_deref()).ok_or_else(unknown)?)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JoinsQuery {
    /// Two or more, with commas between
    tables: String,
    source: Option<String>,
}

async fn joins(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Parameters(asked): Parameters<JoinsQuery>,
) -> Answered {
    let tables: Vec<&str> = asked.tables.split(',').map(str::trim).filter(|table| !table.is_empty()).collect();
    api.tool(&caller, "get_join_info", json!({"tables": tables, "source": asked.source})).await.map(Json)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    query: String,
    /// Passages, 1 to 20 [default: 5]
    limit: Option<usize>,
    source: Option<String>,
}

async fn search(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Parameters(asked): Parameters<SearchQuery>,
) -> Answered {
    let arguments = json!({"query": asked.query, "limit": asked.limit, "source": asked.source, "format": "json"});
    api.tool(&caller, "search_context", arguments).await.map(Json)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkBody {
    /// In the words of whoever asks
    question: String,
    source: Option<String>,
}

async fn link(State(api): State<Api>, Extension(caller): Extension<Caller>, Body(asked): Body<LinkBody>) -> Answered {
    if asked.question.trim().is_empty() {
        return Err(ToolError::new("invalid_arguments", "`question` is empty").into());
    }
    let arguments = json!({"question": asked.question, "source": asked.source, "format": "json"});
    api.tool(&caller, "list_tables", arguments).await.map(Json)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckBody {
    sql: String,
    source: Option<String>,
}

async fn check(State(api): State<Api>, Extension(caller): Extension<Caller>, Body(asked): Body<CheckBody>) -> Answered {
    api.tool(&caller, "validate_query", json!({"sql": asked.sql, "source": asked.source})).await.map(Json)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueryBody {
    sql: String,
    /// The question that it answers, for the record
    question: Option<String>,
    /// At most so many rows; the operator's limit holds besides
    max_rows: Option<usize>,
    source: Option<String>,
}

async fn query(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(asked): Body<QueryBody>,
) -> Result<Response, Problem> {
    let form = rows::Form::wanted(&headers)?;
    let mut call = api.calls.begin(&caller.name, "read_query").await?;
    let session = api.session(&caller)?;
    let (question, source) = (asked.question.as_deref(), asked.source.as_deref());
    let answer = tools::rows(&session, &asked.sql, source, question, asked.max_rows).await;
    call.came_to(answer.as_ref().map(drop).map_err(|error| error.code));
    let mut response = form.answer(answer?, &session)?;
    // It counts as long as its rows wait for their client.
    response.extensions_mut().insert(Arc::new(call));
    Ok(response)
}

#[derive(Debug, Serialize, JsonSchema)]
struct Terms {
    terms: Vec<ListedTerm>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedTerm {
    #[serde(flatten)]
    term: Term,
    /// Why it isn't used, though it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

async fn terms(State(api): State<Api>, Extension(caller): Extension<Caller>) -> Answered {
    document(&Terms { terms: listed_terms(&api.snapshot(&caller).await?.catalog) })
}

/// All terms but those that are computed from what may not be shown.
fn listed_terms(catalog: &Catalog) -> Vec<ListedTerm> {
    let listed = catalog.all_terms().iter().filter_map(|term| match catalog.fault_of(term) {
        Some(TermFault::Withheld(_)) => None,
        fault => Some(ListedTerm { term: term.clone(), fault: fault.map(|fault| fault.in_words()) }),
    });
    listed.collect()
}

#[derive(Debug, Serialize, JsonSchema)]
struct Remembered {
    memories: Vec<Memory>,
}

async fn remembered(State(api): State<Api>, Extension(caller): Extension<Caller>) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    let session = api.session(&caller)?;
    let policy = session.policy(None);
    // A statement that somebody may not run can name values that they may not see, where others may.
    let may_run = |memory: &Memory| {
        let (sql, source) = (&memory.content.sql, &memory.content.source);
        guard::check(sql, &snapshot.catalog, source, &policy, None).decision == Decision::Accept
    };
    let is_shown =
        |memory: &&Memory| tools::may_see(memory, &caller.name) && (caller.rights == Rights::Admin || may_run(memory));
    let memories = snapshot.catalog.memories().iter().filter(is_shown);
    document(&Remembered { memories: memories.cloned().collect() })
}

async fn feedback(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Body(said): Body<FeedbackBody>,
) -> Result<Response, Problem> {
    let mut call = api.calls.begin(&caller.name, "give_feedback").await?;
    let memory = tools::keep_feedback(&api.session(&caller)?, said).await?;
    call.came_to(Ok(()));
    Ok((StatusCode::CREATED, document(&memory)?).into_response())
}

async fn undo(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named(id): Named<i64>,
) -> Result<StatusCode, Problem> {
    caller.must_be(Rights::Approver)?;
    let unknown = || tools::unknown_memory(MemoryId(id));
    // What a role isn't shown isn't its to take back.
    let snapshot = api.snapshot(&caller).await?;
    if snapshot
        .catalog
        .memories()
        .iter()
        .all(|memory| memory.id != MemoryId(id) || !tools::may_see(memory, &caller.name))
    {
        return Err(unknown().into());
    }
    api.served.to(&caller)?.forget(MemoryId(id), &caller.name).await.map_err(|error| match error.code() {
        "not_found" => unknown(),
        _ => ToolError::from(error),
    })?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    /// Records, from the end, 1 to 1000 [default: 50]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct History {
    /// As they stand in the record of statements, the oldest first.
    records: Vec<Value>,
}

/// What was asked of the databases: an administrator sees all of it, anybody else what they asked themselves.
async fn history(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Parameters(asked): Parameters<HistoryQuery>,
) -> Result<Response, Problem> {
    api.snapshot(&caller).await?;
    let lines = asked.limit.unwrap_or(RECORDS.0).clamp(1, RECORDS.1);
    let tail = Tail { lines, bytes: RECORD_BYTES.0, searched_bytes: RECORD_BYTES.1 };
    let Some(record) = api.served.to(&caller)?.options().policy.record().cloned() else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "no_record", "statements aren't recorded here"));
    };
    let mut call = api.calls.begin(&caller.name, "history").await?;
    let read =
        move || if caller.may(Rights::Admin) { record.last(tail, |_| true) } else { own(&record, &caller, tail) };
    let lines = tokio::task::spawn_blocking(read).await.map_err(|_| Problem::internal())?;
    let lines = lines.map_err(|error| ToolError::from_guard(error, session::WHOLE))?;
    call.came_to(Ok(()));
    let records = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut response = document(&History { records })?.into_response();
    response.extensions_mut().insert(Arc::new(call));
    Ok(response)
}

/// The last records of one caller's statements, with how they went.
fn own(record: &AuditLog, caller: &Caller, tail: Tail) -> Result<Vec<String>, GuardError> {
    let id = |record: &Value| record["id"].as_str().unwrap_or_default().to_owned();
    // How a statement went is recorded after it, and so met before it.
    let mut outcomes: HashMap<String, String> = HashMap::new();
    let mut own_outcomes: HashMap<String, String> = HashMap::new();
    let statements = record.last(tail, |line| {
        let record: Value = serde_json::from_str(line).unwrap_or_default();
        if record["event"] == "outcome" {
            outcomes.insert(id(&record), line.to_owned());
            return false;
        }
        let outcome = outcomes.remove(&id(&record));
        let is_own = record["caller"] == caller.name.as_str();
        own_outcomes.extend(outcome.filter(|_| is_own).map(|line| (id(&record), line)));
        is_own
    })?;
    let with_outcomes = statements.into_iter().flat_map(|line| {
        let id = serde_json::from_str(&line).map(|record| id(&record)).unwrap_or_default();
        let outcome = own_outcomes.remove(&id);
        std::iter::once(line).chain(outcome)
    });
    let lines: Vec<String> = with_outcomes.collect();
    Ok(lines[lines.len().saturating_sub(tail.lines)..].to_vec())
}

fn document(of: &impl Serialize) -> Answered {
    serde_json::to_value(of).map(Json).map_err(|_| Problem::internal())
}

#[cfg(test)]
pub(crate) mod tests;
