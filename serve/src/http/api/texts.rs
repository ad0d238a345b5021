//! What people write of tables: read and changed text by text.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use catalog::Fact;
use describe::{DescribeError, TextEdits};

use super::take::{Body, Named, tag};
use super::{Answered, Api, document};
use crate::caller::{Caller, Rights};
use crate::context::Holds;
use crate::error::{ServeError, ToolError};
use crate::names;

pub(super) async fn read(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named((source, table)): Named<(String, String)>,
) -> Answered {
    let snapshot = api.snapshot(&caller).await?;
    document(&describe::texts(&snapshot.catalog, names::table(&snapshot.catalog, &table, Some(&source))?))
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
    let facts: Vec<String> = snapshot.catalog.found_facts(entry).map(Fact::key).collect();
    let hidden = edits.facts.keys().find(|key| !facts.contains(key));
    let written = match hidden {
        Some(name) => {
            let (table, name) = (entry.table.id.local(), name.clone());
            Err(ServeError::from(DescribeError::UnknownFact { table, name, known: facts }))
        }
        None => {
            let context = api.served.to(&caller)?;
            context.write_texts(&entry.table.id, edits, holds(&headers), &caller.name).await
        }
    };
    let written = written.map_err(ToolError::from);
    call.came_to(written.as_ref().copied().map_err(|error| error.code));
    written?;
    tracing::info!(caller = caller.name, table = %entry.table.id, "texts written");
    // What generated texts say depends on what the role may see.
    let snapshot = api.snapshot(&caller).await?;
    document(&describe::texts(&snapshot.catalog, names::table(&snapshot.catalog, &table, Some(&source))?))
}

/// What `If-Match` asks of the texts as they are, if it is there.
fn holds(headers: &HeaderMap) -> Option<Holds> {
    let expected: Vec<String> = headers
        .get_all(header::IF_MATCH)
        .iter()
        .flat_map(|tags| {
            String::from_utf8_lossy(tags.as_bytes()).split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    (!expected.is_empty()).then(|| -> Holds {
        Box::new(move |texts| {
            let now = document(texts).map(|document| tag(document.to_string().as_bytes()));
            expected.iter().any(|one| one == "*" || now.as_ref().is_ok_and(|now| one == now))
        })
    })
}
