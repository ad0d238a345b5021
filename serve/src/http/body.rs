//! A request's body, read as a whole before anybody works on it: not too long, and not too slowly.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{self, Body};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::connections::Connection;
use super::problem::Problem;

/// How long a client may take to send it.
const WITHIN: Duration = Duration::from_secs(30);

pub(super) async fn whole(State(longest): State<usize>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(WITHIN, body::to_bytes(body, longest)).await {
        Ok(Ok(bytes)) => {
            // From here on it is the server's turn, and the connection makes way for nobody.
            let is_stream = parts.method == Method::GET && parts.uri.path() == "/mcp";
            let admitted = parts.extensions.get::<Connection>().map(|connection| Arc::new(connection.admit(is_stream)));
            let mut answer = next.run(Request::from_parts(parts, Body::from(bytes))).await;
            if let Some(admitted) = admitted {
                answer.extensions_mut().insert(admitted);
            }
            answer
        }
        Ok(Err(_)) => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("the body is longer than {longest} bytes, or broken off"),
        )
        .into_response(),
        Err(_) => Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            format!("the body wasn't there within {} seconds", WITHIN.as_secs()),
        )
        .into_response(),
    }
}
