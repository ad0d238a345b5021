//! Whether the server is there, and whether it can answer. Neither says anything of what it serves.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::problem::Problem;
use crate::served::Served;

pub(super) async fn healthy() -> Json<serde_json::Value> {
    Json(json!({"status": "ok"}))
}

/// Ready is a server whose catalog and index can be read.
pub(super) async fn ready(State(served): State<Arc<Served>>) -> Response {
    served.refresh().await;
    match served.everybody().snapshot().await {
        Ok(_) => Json(json!({"status": "ready"})).into_response(),
        Err(error) => {
            tracing::warn!(code = error.code(), error = %shown::with_sources(&error), "not ready");
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, error.code(), "the catalog can't be served").into_response()
        }
    }
}
