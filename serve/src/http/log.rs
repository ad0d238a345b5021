//! A line of the log for each request, with an id that its answer has as well.

use std::time::Instant;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;

use crate::spans::{self, RequestSpan};

/// The header that a request's id is in, and its answer's.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Where clients that trace say which trace a request belongs to: <https://www.w3.org/TR/trace-context/>.
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
/// Characters of an id that somebody else has given.
const ID_CHARACTERS: usize = 64;

/// Who sent a request, noted at its answer.
#[derive(Clone)]
pub(super) struct AskedBy(pub(super) String);

/// Logs a request once it is answered. What is in its address behind `?` isn't told, as it may be a value.
pub(super) async fn requests(mut request: Request, next: Next) -> Response {
    let id = id_of(request.headers());
    let trace = trace_of(request.headers()).unwrap_or_default();
    let (method, path, since) = (request.method().clone(), request.uri().path().to_owned(), Instant::now());
    let header = HeaderValue::from_str(&id).ok();
    // Whatever passes it on passes on the id that is logged.
    if let Some(header) = &header {
        request.headers_mut().insert(REQUEST_ID, header.clone());
    }
    let traced = spans::request(&method, &path, request.headers());
    request.extensions_mut().insert(RequestSpan(traced.clone()));
    let span = tracing::info_span!("request", id, trace);
    let mut answer = next.run(request).instrument(span.clone()).instrument(traced.clone()).await;
    let caller = answer.extensions_mut().remove::<AskedBy>().map(|AskedBy(name)| name);
    let (status, milliseconds) = (answer.status().as_u16(), since.elapsed().as_secs_f64() * 1e3);
    span.in_scope(|| tracing::info!(caller, %method, path, status, milliseconds, "answered"));
    spans::answered(&traced, status, caller.as_deref());
    if let Some(header) = header {
        answer.headers_mut().insert(REQUEST_ID, header);
    }
    answer
}

/// The id that a client or a proxy gives a request, or one of our own: 64 random bits.
fn id_of(headers: &HeaderMap) -> String {
    let may_stand = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let given = given.filter(|id| !id.is_empty() && id.len() <= ID_CHARACTERS && id.chars().all(may_stand));
    given.map_or_else(random_id, str::to_owned)
}

fn random_id() -> String {
    let mut random = [0; 8];
    // An id that others have too harms nobody.
    let _ = getrandom::fill(&mut random);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The trace that a request belongs to: 32 hexadecimal digits.
fn trace_of(headers: &HeaderMap) -> Option<String> {
    let trace = headers.get(TRACE_PARENT)?.to_str().ok()?.split('-').nth(1)?;
    (trace.len() == 32 && trace.chars().all(|it| it.is_ascii_hexdigit())).then(|| trace.to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;

    use super::{id_of, trace_of};

    #[test]
    fn an_id_is_taken_over_where_it_may_stand_in_a_log() {
        let with =
            |name: &'static str, value: &str| HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
        assert_eq!(id_of(&with("x-request-id", "a-1.B_2")), "a-1.B_2");
        for other in ["", "a b", "a\"b", &"x".repeat(65)] {
            let id = id_of(&with("x-request-id", other));
            assert!(id.len() == 16 && id != other, "{id}");
        }
        assert_ne!(id_of(&HeaderMap::new()), id_of(&HeaderMap::new()));
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace_of(&with("traceparent", &format!("00-{trace}-00f067aa0ba902b7-01"))).as_deref(), Some(trace));
        assert_eq!(trace_of(&with("traceparent", "00-xyz-1-01")), None);
    }
}
