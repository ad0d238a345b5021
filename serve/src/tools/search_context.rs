//! `search_context`: the passages of the catalog that fit a text best, whole.

use std::fmt::Write;

use catalog::{MemoryId, TableId};
use index::ChunkKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shown::Text;

use super::{Definition, Format};
use crate::budget::{Budget, Cut};
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;

/// Passages without `limit`.
const DEFAULT_LIMIT: usize = 5;
/// Passages at most.
const MOST: usize = 20;
/// How many more are fetched when only one source counts.
const SCOPE_FACTOR: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    query: String,
    /// 1 to 20, default 5
    limit: Option<usize>,
    source: Option<String>,
    format: Option<Format>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    passages: Vec<Passage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Passage {
    /// To be named as the ground of an answer.
    chunk: String,
    source: String,
    table: String,
    /// What it says of the table: `table`, `column`, `query`, `example` …
    kind: &'static str,
    /// The column that it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    score: f64,
    text: String,
}

pub(super) fn document_schema() -> serde_json::Map<String, serde_json::Value> {
    schema::document::<Output>()
}

pub(super) fn definition() -> Definition {
    Definition::read::<Arguments>(
        "search_context",
        "Search descriptions, values, queries people run and approved examples, where list_tables found no table for a word.",
    )
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let scope = names::scope(&snapshot.catalog, arguments.source.as_deref())?;
    if arguments.query.trim().is_empty() {
        return Err(ToolError::new("invalid_arguments", "`query` is empty").hint("pass what you are looking for"));
    }
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST);
    let fetched = if scope.is_some() { limit * SCOPE_FACTOR } else { limit };
    let is_read = arguments.format != Some(Format::Json);
    // What stands in a table was read where its columns were shown; queries and how it joins go beyond that.
    let is_new = |kind: ChunkKind, table: &TableId| {
        let says_columns = matches!(kind, ChunkKind::Table | ChunkKind::TablePart { .. } | ChunkKind::Column);
        !(is_read && says_columns && session.was_shown(table))
    };
    let mut repeated: Vec<String> = Vec::new();
    let passages = snapshot
        .index
        .search(&arguments.query, fetched, snapshot.embedder)
        .into_iter()
        .filter(|hit| scope.as_ref().is_none_or(|source| *source == hit.chunk.table.source))
        .filter(|hit| match hit.chunk.kind {
            ChunkKind::Example { number } => session.still_fits(&snapshot.catalog, MemoryId(i64::from(number))),
            _ => true,
        })
        .take(limit)
        .filter(|hit| {
            let (table, is_new) = (&hit.chunk.table, is_new(hit.chunk.kind, &hit.chunk.table));
            let name = names::shown(&snapshot.catalog, table);
            if !is_new && !repeated.contains(&name) {
                repeated.push(name);
            }
            is_new
        })
        .map(|hit| Passage {
            chunk: hit.chunk.name(),
            source: hit.chunk.table.source.to_string(),
            table: names::shown(&snapshot.catalog, &hit.chunk.table),
            kind: hit.chunk.kind.name(),
            column: hit.chunk.column.clone(),
            score: (f64::from(hit.score) * 10_000.0).round() / 10_000.0,
            text: hit.chunk.text.clone(),
        })
        .collect();
    let mut budget = Budget::new(session.reply_tokens());
    let (passages, omitted) = budget.take(passages);
    if !is_read {
        let truncated = Cut::of(omitted, "passages", "ask more precisely, or use describe_table").into_iter().collect();
        return session.reply(&Output { passages, truncated });
    }
    // The name in front is what an answer names as its ground.
    let texts: Vec<String> =
        passages.iter().map(|found| format!("[{}]\n{}\n", found.chunk, found.text.trim())).collect();
    let said = match (texts.is_empty(), omitted) {
        (true, _) if repeated.is_empty() => "Nothing fits.",
        (true, _) => "Nothing else fits.",
        (false, 0) => "",
        (false, _) => "More fits: ask more precisely.",
    };
    let mut data = texts.join("\n");
    if !repeated.is_empty() {
        let _ = write!(data, "-- fits, and was shown: {}", repeated.join(", "));
    }
    Ok(Reply::read(&data, Text::said(said)))
}
