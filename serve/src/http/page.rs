//! The web page: files that are compiled in, and what browsers are told of them.
//!
//! Whoever may reach the address may load it; what it shows comes from the interface for programs, which asks who they are.

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

/// Nothing from elsewhere, nothing inline, and in no frame of another page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const DRAWING: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal: $kind:expr, $file:literal;)*) => {
        /// The address of each file, what it is, and what is in it.
        const FILES: &[(&str, &str, &[u8])] = &[$(($path, $kind, include_bytes!(concat!("../../page/", $file)))),*];
    };
}

files! {
    "/": HTML, "index.html";
    "/page/style.css": STYLE, "style.css";
    "/page/icon.svg": DRAWING, "icon.svg";
    "/page/app.js": SCRIPT, "app.js";
    "/page/api.js": SCRIPT, "api.js";
    "/page/texts.js": SCRIPT, "texts.js";
    "/page/parts.js": SCRIPT, "parts.js";
    "/page/asking.js": SCRIPT, "asking.js";
    "/page/beside.js": SCRIPT, "beside.js";
    "/page/catalog.js": SCRIPT, "catalog.js";
    "/page/chart.js": SCRIPT, "chart.js";
    "/page/meanings.js": SCRIPT, "meanings.js";
    "/page/terms.js": SCRIPT, "terms.js";
    "/page/statements.js": SCRIPT, "statements.js";
    "/page/record.js": SCRIPT, "record.js";
    "/page/editor.js": SCRIPT, "editor.js";
    "/page/graph.js": SCRIPT, "graph.js";
    "/page/vendor/dagre.js": SCRIPT, "vendor/dagre.js";
    "/page/vendor/htm-preact.js": SCRIPT, "vendor/htm-preact.js";
}

pub(super) fn routes() -> Router {
    FILES.iter().fold(Router::new(), |routes, (path, kind, bytes)| {
        let tag = format!(
            "\"{}\"",
            Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        routes.route(path, get(async move |headers: HeaderMap| file(kind, bytes, &tag, &headers)))
    })
}

fn file(kind: &'static str, bytes: &'static [u8], tag: &str, headers: &HeaderMap) -> Response {
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
    };
    let told = response.headers_mut();
    told.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    told.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Who opens it from elsewhere can't lead it on.
    told.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    // Asked for again each time, and sent again only where it is another.
    told.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        told.insert(header::ETAG, tag);
    }
    response
}
