//! Index runs: begun, watched and cancelled.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use super::take::{Body, Named};
use super::{Answered, Api, document};
use crate::caller::{Caller, Rights};
use crate::error::ToolError;
use crate::http::problem::Problem;
use crate::indexing::{IndexRuns, IndexWanted, RunDocument};
use crate::names;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Runs {
    /// The newest first.
    runs: Vec<RunDocument>,
}

impl Api {
    fn index_runs(&self, caller: &Caller) -> Result<Arc<IndexRuns>, ToolError> {
        caller.must_be(Rights::Admin)?;
        self.served.index_runs().ok_or_else(|| {
            ToolError::new("cannot_index", "this server doesn't index").hint("run `periplus index` beside it")
        })
    }
}

pub(super) async fn begin(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Body(wanted): Body<IndexWanted>,
) -> Result<Response, Problem> {
    let runs = api.index_runs(&caller)?;
    if let Some(source) = &wanted.source {
        names::source(&api.snapshot(&caller).await?.catalog, Some(source))?;
    }
    let mut call = api.calls.begin(&caller.name, "index").await?;
    let run = runs.begin(wanted, &caller.name)?;
    call.came_to(Ok(()));
    let place = format!("/api/v1/index-runs/{}", run.id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], document(&run)?).into_response())
}

pub(super) async fn list(State(api): State<Api>, Extension(caller): Extension<Caller>) -> Answered {
    document(&Runs { runs: api.index_runs(&caller)?.all() })
}

pub(super) async fn get(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named(id): Named<u64>,
) -> Answered {
    document(&api.index_runs(&caller)?.get(id).ok_or_else(unknown)?.document())
}

pub(super) async fn cancel(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Named(id): Named<u64>,
) -> Result<(StatusCode, Json<serde_json::Value>), Problem> {
    let run = api.index_runs(&caller)?.cancel(id).ok_or_else(unknown)?;
    Ok((StatusCode::ACCEPTED, document(&run)?))
}

fn unknown() -> ToolError {
    ToolError::new("unknown_run", "there is no index run of that number")
        .hint("GET /api/v1/index-runs lists the last ones")
}
