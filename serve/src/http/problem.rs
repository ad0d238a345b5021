//! Errors outside of the protocol: RFC 9457's problem details, with a code and a hint.

use std::borrow::Cow;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Refusal, ToolError};

/// An error as a client over HTTP gets it.
#[derive(Debug)]
pub(super) struct Problem(Box<Details>);

/// What the client reads.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Details {
    /// Identifies the kind of problem: a name, not an address.
    r#type: String,
    title: &'static str,
    status: u16,
    /// Stable: `token_missing`.
    code: &'static str,
    detail: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Cow<'static, str>>,
    /// Names to use instead, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
    /// For a refused statement: what was found, and the statement with what is certain repaired.
    #[serde(flatten)]
    #[schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>")]
    refusal: Option<Box<Refusal>>,
    #[serde(skip)]
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Details {
            r#type: format!("urn:periplus:error:{code}"),
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            hint: None,
            suggestions: Vec::new(),
            refusal: None,
            headers: Vec::new(),
        }))
    }

    pub(super) fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// What the client reads.
    pub(super) fn details(&self) -> &Details {
        &self.0
    }

    pub(super) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }
}

impl Problem {
    /// A mistake of ours.
    pub(super) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the answer can't be written")
    }
}

impl From<ToolError> for Problem {
    fn from(error: ToolError) -> Self {
        let status = match error.code {
            _ if error.refusal.is_some() => StatusCode::UNPROCESSABLE_ENTITY,
            "invalid_arguments" | "source_required" | "ambiguous_table" | "unknown_column" | "unknown_fact" => {
                StatusCode::BAD_REQUEST
            }
            "text_too_long" => StatusCode::PAYLOAD_TOO_LARGE,
            "already_indexing" => StatusCode::CONFLICT,
            "changed_meanwhile" => StatusCode::PRECONDITION_FAILED,
            "too_many_at_once" => StatusCode::TOO_MANY_REQUESTS,
            // The engine's word on what the statement does with these rows: a division by zero, a text that is no number.
            "statement_failed" => StatusCode::UNPROCESSABLE_ENTITY,
            "role_may_not" | "role_unknown" | "permission_denied" => StatusCode::FORBIDDEN,
            "no_model" | "unknown_memory" | "unknown_run" | "unknown_area" | "cannot_index" | "unknown_source"
            | "unknown_table" => StatusCode::NOT_FOUND,
            "not_indexed" | "no_connection" | "configuration_changed" | "interrupted" => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            "unreachable"
            | "authentication_failed"
            | "no_such_database"
            | "encryption_failed"
            | "open_failed"
            | "missing_file"
            | "database_busy"
            | "engine_ended"
            | "connections_in_use" => StatusCode::BAD_GATEWAY,
            model if model.starts_with("model_") => StatusCode::BAD_GATEWAY,
            "timeout" => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut problem = Self::new(status, error.code, error.message);
        (problem.0.hint, problem.0.suggestions, problem.0.refusal) = (error.hint, error.suggestions, error.refusal);
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let text = serde_json::to_string(&self.0).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], text).into_response();
        for (name, value) in self.0.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
