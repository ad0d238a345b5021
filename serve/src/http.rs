//! The same tools over HTTP, for many callers: what listens, what stands before every route, and the routes.
//!
//! Without `serve --http` nothing here runs and no port is opened. What listens beyond this machine demands a token of
//! everybody; on this machine's own addresses it doesn't, unless it is told to or stands behind a name.
//!
//! Invariants: every request but those for the server's health passes the [`gate`]; every answer that isn't the
//! protocol's is JSON, errors as problems (RFC 9457) with the codes that the rest of the program uses.

pub(crate) mod api;
mod body;
mod connections;
mod count;
mod gate;
mod health;
mod log;
mod oauth;
mod page;
mod problem;
mod protocol;
mod tls;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware;
use axum::routing::get;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::calls::Calls;
use crate::error::ServeError;
use crate::mcp::{self, Answering};
use crate::metrics::Metrics;
use crate::served::{Served, Serving};
use crate::tokens::Tokens;
use gate::Gate;
use oauth::OAuth;
pub use oauth::OAuthOptions;
use problem::Problem;
pub use tls::CertificateFiles;
use tls::Tls;

/// How it is served.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address that is listened on; port 0 for any that is free.
    pub listen: SocketAddr,
    /// The names that this server has besides `localhost`, without ports. Addresses are always taken.
    pub hosts: Vec<String>,
    /// Pages that may call it besides its own, as `https://host:port`.
    pub origins: Vec<String>,
    /// The tokens that admit callers.
    pub tokens: Tokens,
    /// Whose tokens are taken besides, if anybody's.
    pub oauth: Option<OAuthOptions>,
    /// What connections are encrypted with, if they are.
    pub certificate: Option<CertificateFiles>,
    /// Whether a token is demanded on this machine's own addresses too.
    pub require_token: bool,
    /// Requests that a caller may send in a minute.
    pub requests_per_minute: NonZeroU32,
    /// Calls of tools that are worked on at a time for one caller, half of which may run statements; more wait.
    pub calls_at_once: usize,
    /// Conversations that are kept open, of clients that begin one; of one caller an eighth at most. The one that was silent for
    /// longest ends for the next.
    pub conversations: usize,
    /// Connections at a time; for more, those make way on which nothing is asked. A caller's requests are on a quarter of them
    /// at most.
    pub connections: usize,
    /// How long a client may take to send a request's headers, and may be silent between requests.
    pub headers_within: Duration,
    /// How long a client may take nothing of what is sent to it.
    pub taken_within: Duration,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// How long requests may go on when the server is told to stop.
    pub stop_within: Duration,
}

impl HttpOptions {
    /// The defaults at that address, with tokens kept in that file.
    pub fn new(listen: SocketAddr, tokens: Tokens) -> Self {
        Self {
            listen,
            hosts: Vec::new(),
            origins: Vec::new(),
            tokens,
            oauth: None,
            certificate: None,
            require_token: false,
            requests_per_minute: NonZeroU32::new(600).unwrap_or(NonZeroU32::MIN),
            calls_at_once: 8,
            conversations: 1_000,
            connections: 512,
            headers_within: Duration::from_secs(30),
            taken_within: Duration::from_secs(30),
            body_bytes: 4 << 20,
            stop_within: Duration::from_secs(10),
        }
    }

    /// Whether a caller without a token is anybody. A name makes it likely that others come here through a proxy on this
    /// machine, whose requests look like its own.
    fn needs_token(&self) -> bool {
        self.require_token || self.oauth.is_some() || !self.listen.ip().is_loopback() || !self.hosts.is_empty()
    }
}

/// A server that listens and doesn't answer yet.
pub struct HttpServer {
    listener: TcpListener,
    tls: Option<Tls>,
    oauth: Option<Arc<OAuth>>,
    options: HttpOptions,
}

impl HttpServer {
    /// Begins to listen.
    ///
    /// # Errors
    /// [`ServeError::NoTokens`] where tokens are demanded and there is none that holds, [`ServeError::Tokens`] where they
    /// can't be read, [`ServeError::Certificate`] where there is one that can't be used, [`ServeError::Listen`] where the address
    /// is taken or isn't this machine's.
    pub async fn bind(options: HttpOptions) -> Result<Self, ServeError> {
        let oauth = options.oauth.clone().map(OAuth::of).transpose()?.map(Arc::new);
        if options.needs_token() && oauth.is_none() && !options.tokens.any_holds()? {
            return Err(ServeError::NoTokens { address: options.listen });
        }
        let tls = options.certificate.clone().map(Tls::of).transpose()?;
        let listener = TcpListener::bind(options.listen)
            .await
            .map_err(|source| ServeError::Listen { address: options.listen, source })?;
        Ok(Self { listener, tls, oauth, options })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.options.listen)
    }

    /// What its addresses begin with.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Whether everybody has to show a token.
    pub fn needs_token(&self) -> bool {
        self.options.needs_token()
    }

    /// Answers until `stop` is there. Then calls under way may end for a while, and what still runs is stopped.
    pub async fn run(self, serving: Serving, stop: impl Future<Output = ()> + Send) {
        self.run_with(serving, mcp::answering, stop).await;
    }

    /// The same, where somebody else may answer the protocol's requests.
    async fn run_with<S: ServerHandler>(
        self,
        serving: Serving,
        answering: impl FnOnce(Arc<Served>, Arc<Calls>) -> Answering<S>,
        stop: impl Future<Output = ()> + Send,
    ) {
        let served = Arc::new(Served::new(serving));
        // Ends the streams of clients that only listen.
        let streams = CancellationToken::new();
        let metrics = Arc::new(Metrics::default());
        let calls = Arc::new(Calls::new(self.options.calls_at_once, Arc::clone(&metrics)));
        let answering = answering(Arc::clone(&served), Arc::clone(&calls));
        let routes = routes(&served, answering, &self.options, self.oauth.as_ref(), &calls, &metrics, &streams);
        let open = connections::accept(self.listener, self.tls, routes, &self.options, &metrics, stop).await;
        if tokio::time::timeout(self.options.stop_within, calls.ended()).await.is_err() {
            tracing::warn!("calls that were still under way are given up");
        }
        connections::end(open, &streams).await;
        mcp::stop_statements().await;
    }
}

fn routes<S: ServerHandler>(
    served: &Arc<Served>,
    answering: Answering<S>,
    options: &HttpOptions,
    oauth: Option<&Arc<OAuth>>,
    calls: &Arc<Calls>,
    metrics: &Arc<Metrics>,
    streams: &CancellationToken,
) -> Router {
    let gate = Arc::new(Gate::new(options, oauth.cloned(), Arc::clone(served)));
    let transport = StreamableHttpServerConfig::default()
        // The gate has looked at both, for all routes alike.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(options.body_bytes)
        .with_cancellation_token(streams.clone());
    let conversations = Arc::new(mcp::Conversations::new(options.conversations));
    let mcp = mcp::http(answering, transport, &conversations);
    let mcp = Router::new()
        .route_service("/mcp", mcp)
        .layer(middleware::from_fn_with_state(conversations, protocol::conversing));
    let counted = (Arc::clone(metrics), Arc::clone(calls), Arc::clone(served));
    let behind = Router::new()
        .merge(mcp)
        .nest("/api/v1", api::routes(Arc::clone(served), Arc::clone(calls)))
        .route("/metrics", get(count::metrics).with_state(counted))
        .layer(middleware::from_fn_with_state(options.body_bytes, body::whole))
        .layer(middleware::from_fn_with_state(Arc::clone(&gate), gate::admit))
        .merge(page::routes())
        .merge(who_admits(oauth))
        .route("/.well-known/{*path}", get(nothing_here))
        .fallback(nothing_here)
        .method_not_allowed_fallback(other_method)
        .layer(middleware::from_fn_with_state(gate, gate::addressed))
        .layer(cors(&options.origins));
    Router::new()
        .route("/healthz", get(health::healthy))
        .route("/readyz", get(health::ready).with_state(Arc::clone(served)))
        .merge(behind)
        .layer(middleware::from_fn_with_state(Arc::clone(metrics), count::requests))
        .layer(middleware::from_fn(log::requests))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

/// Where clients find the server whose tokens are taken, at both places where they look.
fn who_admits(oauth: Option<&Arc<OAuth>>) -> Router {
    let Some(oauth) = oauth else { return Router::new() };
    let path = oauth.metadata_address();
    let path = path.find("/.well-known/").map_or("/.well-known/oauth-protected-resource", |start| &path[start..]);
    let places: BTreeSet<&str> = ["/.well-known/oauth-protected-resource", path].into();
    places.into_iter().fold(Router::new(), |routes, path| {
        let oauth = Arc::clone(oauth);
        routes.route(path, get(async move || oauth.metadata()))
    })
}

/// Pages of these origins may read answers.
fn cors(origins: &[String]) -> CorsLayer {
    let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
        .allow_headers(tower_http::cors::AllowHeaders::mirror_request())
        .expose_headers([header::HeaderName::from_static("mcp-session-id"), header::WWW_AUTHENTICATE])
        .max_age(Duration::from_secs(600))
}

async fn nothing_here() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
        .hint("MCP is at /mcp, the interface for programs at /api/v1, the server's health at /healthz and /readyz, what it counts at /metrics")
}

async fn other_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this address doesn't take that method")
}

#[cfg(test)]
mod tests;
