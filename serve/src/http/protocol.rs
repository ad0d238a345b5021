//! What stands before the protocol's own service: whose conversation a request goes on with, and errors as problems.

use std::sync::Arc;

use axum::Extension;
use axum::body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use crate::caller::Caller;
use crate::mcp::Conversations;

const CONVERSATION: &str = "mcp-session-id";

/// Bytes of an error in words of the protocol's crate.
const LONGEST_WORDS: usize = 4 << 10;

/// Lets a request on whose conversation is its caller's, if it names one, and keeps whose those are that begin.
pub(super) async fn conversing(
    State(conversations): State<Arc<Conversations>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let named = request.headers().contains_key(CONVERSATION);
    let known = id(request.headers()).filter(|id| conversations.go_on(id, &caller));
    if named && known.is_none() {
        return Problem::new(
            StatusCode::NOT_FOUND,
            "unknown_conversation",
            "there is no such conversation, or no more",
        )
        .hint("begin another with `initialize`, without `Mcp-Session-Id`")
        .into_response();
    }
    let ends = *request.method() == Method::DELETE;
    let answer = next.run(request).await;
    match (known, id(answer.headers())) {
        (Some(known), _) if ends && answer.status().is_success() => conversations.end(&known),
        (None, Some(begun)) => conversations.begin(&begun, &caller).await,
        _ => {}
    }
    in_our_form(answer).await
}

fn id(headers: &HeaderMap) -> Option<String> {
    headers.get(CONVERSATION)?.to_str().ok().map(str::to_owned)
}

/// An error that isn't a message of the protocol, as a problem.
async fn in_our_form(answer: Response) -> Response {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_error = answer.status().is_client_error() || answer.status().is_server_error();
    if !is_error || kind.contains("json") || kind.starts_with("text/event-stream") {
        return answer;
    }
    let (status, allowed) = (answer.status(), answer.headers().get(header::ALLOW).cloned());
    let words = body::to_bytes(answer.into_body(), LONGEST_WORDS).await.unwrap_or_default();
    let words = shown::one_line(&String::from_utf8_lossy(&words)).into_owned();
    let said = if words.is_empty() { "the request isn't one of the protocol's".to_owned() } else { words };
    let problem = Problem::new(status, "protocol", said)
        .hint("see the Model Context Protocol's transport over HTTP: https://modelcontextprotocol.io/specification");
    match allowed {
        Some(allowed) => problem.header(header::ALLOW, allowed).into_response(),
        None => problem.into_response(),
    }
}
