//! Counting requests, and what was counted at `/metrics`.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use crate::caller::{Caller, Rights};
use crate::calls::Calls;
use crate::error::ToolError;
use crate::metrics::{CONTENT_TYPE, Metrics};
use crate::served::Served;

pub(super) async fn requests(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let since = Instant::now();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("other", MatchedPath::as_str).to_owned();
    let method = match *request.method() {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    };
    let answer = next.run(request).await;
    metrics.answered(method, route, answer.status().as_u16(), since);
    answer
}

/// For those who run the server: how much is asked and refused says something of those who ask.
pub(super) async fn metrics(
    State((metrics, calls, served)): State<(Arc<Metrics>, Arc<Calls>, Arc<Served>)>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    caller.must_be(Rights::Admin)?;
    let snapshot = served.everybody().snapshot().await.map_err(ToolError::from)?;
    let text = metrics.text(calls.running(), &snapshot.catalog).map_err(|_| Problem::internal())?;
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}
