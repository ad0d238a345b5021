//! What people write of tables: read and changed text by text.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use describe::TextEdits;

use super::take::{Body, Named, tag};
use super::{Answered, Api, document};
use crate::caller::{Caller, Rights};
use crate::error::ToolError;
use crate::http::problem::Problem;
use crate::names;

pub(super) async fn read(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named((source, table)): Named<(String, String)>,
) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    document(&describe::texts(names::table(&snapshot.catalog, &table, Some(&source))?))
}

/// Changes texts. With `If-Match`, only where they still are what was read.
pub(super) async fn write(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named((source, table)): Named<(String, String)>,
    headers: HeaderMap,
    Body(edits): Body<TextEdits>,
) -> Answered {
    caller.must_be(Rights::Approver)?;
    let mut call = api.calls.begin(&caller.name, "write_texts").await?;
    let snapshot = api.snapshot(&caller).await?;
    // What a role isn't shown isn't its to write.
    let entry = names::table(&snapshot.catalog, &table, Some(&source))?;
    if let Some(expected) = headers.get(header::IF_MATCH).and_then(|tags| tags.to_str().ok()) {
        let now = tag(document(&describe::texts(entry))?.to_string().as_bytes());
        if expected != "*" && !expected.split(',').any(|one| one.trim() == now) {
            let problem = Problem::new(
                StatusCode::PRECONDITION_FAILED,
                "changed_meanwhile",
                "somebody has written other texts since these were read",
            );
            return Err(problem.hint("read them again, and send what you want to change with the new ETag"));
        }
    }
    api.served.to(&caller)?.write_texts(&entry.table.id, edits).await.map_err(ToolError::from)?;
    call.came_to(Ok(()));
    tracing::info!(caller = caller.name, table = %entry.table.id, "texts written");
    // What generated texts say depends on what the role may see.
    let snapshot = api.snapshot(&caller).await?;
    document(&describe::texts(names::table(&snapshot.catalog, &table, Some(&source))?))
}
