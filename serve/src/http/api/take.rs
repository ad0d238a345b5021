//! What requests bring, with problems where it isn't what it should be; and answers that a client has already.

use axum::body::{self, Body as Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::Problem;

/// Bytes of an answer that is compared with what a client has.
const MOST: usize = 64 << 20;

/// A JSON document in a request's body.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", "the body isn't sent as JSON");
            return Err(problem.hint("send it with `Content-Type: application/json`"));
        }
        let bytes = body::to_bytes(request.into_body(), MOST).await.map_err(|_| invalid("the body broke off"))?;
        let fields: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
            Category::Data => invalid("the body isn't a JSON object"),
            _ => invalid(format!("the body isn't JSON: {error}")),
        })?;
        serde_json::from_value(Value::Object(fields)).map(Self).map_err(|error| invalid(error.to_string()))
    }
}

/// The part of an address behind its question mark.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Query(asked) = Query::try_from_uri(&parts.uri).map_err(|error| invalid(error.body_text()))?;
        Ok(Self(asked))
    }
}

/// The parts of an address that vary.
pub(super) struct Named<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(named) = Path::from_request_parts(parts, state).await.map_err(|error| invalid(error.body_text()))?;
        Ok(Self(named))
    }
}

fn invalid(reason: impl Into<String>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "invalid_arguments", shown::one_line(&reason.into()).into_owned())
        .hint("see /api/v1/openapi.json")
}

/// What stands for a document, to be compared.
pub(super) fn tag(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().take(16).fold(String::from("\""), |tag, byte| tag + &format!("{byte:02x}")) + "\""
}

/// Gives each answer to a GET a tag, and says so where the client has it already.
pub(super) async fn unless_known(request: Request, next: Next) -> Response {
    let is_get = *request.method() == Method::GET;
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).map(str::to_owned);
    let response = next.run(request).await;
    if !is_get || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = body::to_bytes(body, MOST).await else { return Problem::internal().into_response() };
    let tag = tag(&bytes);
    if let Ok(value) = HeaderValue::try_from(&tag) {
        parts.headers.insert(header::ETAG, value);
    }
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    let is_known = known.is_some_and(|tags| tags.split(',').any(|one| one.trim().trim_start_matches("W/") == tag));
    if is_known {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.remove(header::CONTENT_TYPE);
        return Response::from_parts(parts, Bytes::empty());
    }
    Response::from_parts(parts, Bytes::from(bytes))
}
