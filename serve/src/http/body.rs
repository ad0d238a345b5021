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

/// Values in a document: each takes some sixty times the two bytes that it can be written in.
const MOST_VALUES: usize = 10_000;

/// Bytes of a message of the protocol, of which the first of a conversation is kept for as long as that lasts.
const MESSAGE_BYTES: usize = 1 << 20;

pub(super) async fn whole(State(longest): State<usize>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let longest = if parts.uri.path() == "/mcp" { longest.min(MESSAGE_BYTES) } else { longest };
    match tokio::time::timeout(WITHIN, body::to_bytes(body, longest)).await {
        Ok(Ok(bytes)) if values(&bytes) > MOST_VALUES => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("the body holds more than {MOST_VALUES} values"),
        )
        .into_response(),
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

/// How many values a JSON text holds, or a little more: what separates them, outside of texts. Counted before the text is parsed,
/// which costs many times as much.
fn values(text: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' | b':' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (text, expected) in [("{}", 2), (r#"[1,2,{"a":3}]"#, 6), (r#"{"sql":"select a, b, \"c,d\""}"#, 3), ("", 1)]
        {
            assert_eq!(values(text.as_bytes()), expected, "{text}");
        }
    }
}
