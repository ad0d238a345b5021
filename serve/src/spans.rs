//! Spans for traces, in the names that OpenTelemetry's conventions have for servers over HTTP and for MCP. They say what was
//! called, by whom, how it ended and how long it took: no question, statement or value.
//!
//! Nobody keeps them unless the program that serves collects the target `traces`.

use axum::http::{HeaderMap, Method};
use opentelemetry::global;
use opentelemetry::propagation::Extractor;
use opentelemetry_http::HeaderExtractor;
use rmcp::model::RequestMetaObject;
use tracing::{Span, debug_span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The span of a request over HTTP, for those who answer it in tasks of their own.
#[derive(Clone)]
pub(crate) struct RequestSpan(pub(crate) Span);

/// A request over HTTP, in the trace that its client says it belongs to.
pub(crate) fn request(method: &Method, path: &str, headers: &HeaderMap) -> Span {
    let span = debug_span!(
        target: "traces",
        "request",
        otel.name = %method,
        otel.kind = "server",
        otel.status_code = field::Empty,
        http.request.method = %method,
        http.response.status_code = field::Empty,
        url.path = path,
        user.name = field::Empty,
    );
    belongs_to(&span, &HeaderExtractor(headers));
    span
}

/// How a request was answered.
pub(crate) fn answered(span: &Span, status: u16, caller: Option<&str>) {
    span.record("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
    if let Some(caller) = caller {
        span.record("user.name", caller);
    }
}

/// A call of a tool: part of the request that brought it, or in the trace that the call says it belongs to.
pub(crate) fn call(tool: &str, request: Option<&RequestSpan>, meta: &RequestMetaObject) -> Span {
    let _request = request.map(|RequestSpan(span)| span.enter());
    let span = debug_span!(
        target: "traces",
        "call",
        otel.name = format!("tools/call {tool}"),
        otel.kind = "server",
        otel.status_code = field::Empty,
        mcp.method.name = "tools/call",
        gen_ai.tool.name = tool,
        "error.type" = field::Empty,
    );
    if meta.get_traceparent().is_some() {
        belongs_to(&span, &Meta(meta));
    }
    span
}

/// What a call came to: nothing, or the code of an error.
pub(crate) fn came_to(span: &Span, code: Option<&str>) {
    if let Some(code) = code {
        span.record("error.type", code).record("otel.status_code", "ERROR");
    }
}

fn belongs_to(span: &Span, told: &dyn Extractor) {
    // A span that nobody keeps belongs to nothing.
    let _ = span.set_parent(global::get_text_map_propagator(|propagator| propagator.extract(told)));
}

/// What stands beside a call: <https://modelcontextprotocol.io/seps/414>.
struct Meta<'m>(&'m RequestMetaObject);

impl Extractor for Meta<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            "traceparent" => self.0.get_traceparent(),
            "tracestate" => self.0.get_tracestate(),
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent", "tracestate"]
    }
}
