//! What stands before the routes: whether the request means this server, who sends it, and whether they send too many.
//!
//! A page on the web may have a browser call any address, this machine's too, or have a name of its own lead here
//! (DNS rebinding). So a request names this server by an address or by a name that it has, and comes from no page but its own
//! and those the operator named.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http_body::{Frame, SizeHint};

use super::HttpOptions;
use super::connections::Admitted;
use super::log::AskedBy;
use super::oauth::{OAuth, Refused};
use super::problem::Problem;
use crate::caller::Caller;
use crate::calls::Call;
use crate::context::unpoisoned;
use crate::served::Served;
use crate::tokens::{Shown, Tokens};

/// Callers whose counts are kept before those that have nothing left to count are forgotten.
const MANY_CALLERS: usize = 10_000;

pub(super) struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    tokens: Tokens,
    oauth: Option<Arc<OAuth>>,
    needs_token: bool,
    served: Arc<Served>,
    requests: DefaultKeyedRateLimiter<String>,
    per_minute: NonZeroU32,
    /// Requests of one caller that may be under way at a time, streams among them.
    at_once: usize,
    under_way: UnderWay,
}

/// How many requests of each caller are under way.
type UnderWay = Arc<Mutex<HashMap<String, usize>>>;

/// A request of a caller that is under way, until it is dropped.
struct Counted {
    caller: String,
    under_way: UnderWay,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut under_way = unpoisoned(&self.under_way);
        if let Some(count) = under_way.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&self.caller);
            }
        }
    }
}

/// The body of an answer to an admitted request, which is under way for as long as its client hasn't taken it: it is handed on
/// in pieces, so that what waits isn't in the connection's own store.
struct Answer {
    body: Body,
    /// What the body has given and isn't handed on yet.
    rest: Bytes,
    _counted: Counted,
    _admitted: Option<Arc<Admitted>>,
    /// The place among the caller's calls, of an answer that can be large.
    _call: Option<Arc<Call>>,
}

/// Bytes that are handed on at a time.
const PIECE: usize = 64 << 10;

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                other => return other,
            }
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        match hint.exact() {
            Some(exact) => hint.set_exact(exact + rest),
            None => hint.set_lower(hint.lower() + rest),
        }
        hint
    }
}

impl Gate {
    pub(super) fn new(options: &HttpOptions, oauth: Option<Arc<OAuth>>, served: Arc<Served>) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        Self {
            hosts: lower(&options.hosts),
            origins: lower(&options.origins),
            tokens: options.tokens.clone(),
            oauth,
            needs_token: options.needs_token(),
            served,
            requests: RateLimiter::keyed(Quota::per_minute(options.requests_per_minute)),
            per_minute: options.requests_per_minute,
            at_once: (options.connections / 4).max(1),
            under_way: Arc::default(),
        }
    }

    /// Whether the request is meant for this server, and comes from a page that may send it, if from any.
    fn is_addressed(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let named = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()),
            (None, _) => uri.authority().cloned(),
            (Some(_), Some(_)) => None,
        };
        // An address in the request's line counts before the header (RFC 9112, 3.2.2), so both have to name one host.
        let named = named.filter(|named| uri.authority().is_none_or(|authority| authority == named));
        let Some(named) = named else {
            let said = "the request doesn't name one host";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "host_missing", said));
        };
        let host = named.host().to_ascii_lowercase();
        let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        if !is_address && host != "localhost" && !self.hosts.contains(&host) {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "host_not_allowed",
                "this server doesn't go by the name that the request calls it",
            )
            .hint("the operator can add the name to `serve.http.hosts`"));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let (origin, another) = (origins.next(), origins.next());
        if another.is_some() {
            return Err(foreign_page());
        }
        let Some(origin) = origin else {
            return match is_of_foreign_page(headers) {
                true => Err(foreign_page()),
                false => Ok(()),
            };
        };
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let is_own = ["http://", "https://"]
            .iter()
            .any(|scheme| origin.strip_prefix(scheme) == Some(named.as_str().to_ascii_lowercase().as_str()));
        match is_own || self.origins.contains(&origin) {
            true => Ok(()),
            false => Err(foreign_page()),
        }
    }

    /// Who sends the request.
    async fn caller(&self, headers: &HeaderMap, uri: &Uri) -> Result<Caller, Problem> {
        let Some(authorization) = headers.get(header::AUTHORIZATION) else {
            if uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("access_token="))) {
                let said = "a token in an address isn't taken";
                return Err(self
                    .unauthorized("token_in_query", said, Some("invalid_request"))
                    .hint("it stands in logs by now: revoke it, and send the new one as `Authorization: Bearer …`"));
            }
            return match self.needs_token {
                true => Err(self
                    .unauthorized("token_missing", "a token is needed", None)
                    .hint("send one as `Authorization: Bearer …`; the operator makes it with `periplus token create`")),
                false => Ok(Caller::local()),
            };
        };
        let shown = authorization.to_str().ok().and_then(|text| text.split_once(' '));
        let Some((_, secret)) = shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) else {
            let said = "the authorization isn't a bearer token";
            return Err(self.unauthorized("token_missing", said, Some("invalid_request")));
        };
        let invalid = |code, said| self.unauthorized(code, said, Some("invalid_token"));
        let shown = match self.tokens.shown(secret.trim()) {
            Ok(shown) => shown,
            Err(error) => {
                tracing::error!(code = error.code(), error = %shown::with_sources(&error), "nobody can be admitted");
                return Err(unavailable(error.code(), "tokens can't be read at the moment"));
            }
        };
        let (name, role) = match (shown, &self.oauth) {
            (Shown::By(name, role), _) => (name, role),
            (Shown::Expired, _) => {
                return Err(invalid("token_expired", "the token has expired")
                    .hint("the operator makes another with `periplus token create`"));
            }
            (Shown::Unknown, None) => return Err(invalid("token_unknown", "there is no such token, or no more")),
            (Shown::Unknown, Some(oauth)) => match oauth.caller(secret.trim()).await {
                Ok(caller) => caller,
                Err(Refused::Token(code, said)) => return Err(invalid(code, said)),
                Err(Refused::Role) => {
                    let said = "the caller has none of the roles that are admitted";
                    return Err(Problem::new(StatusCode::FORBIDDEN, "role_unknown", said)
                        .hint("the operator names them in `[serve.http.oauth]`"));
                }
                Err(Refused::Keys(reason)) => {
                    tracing::error!(reason, "the issuer's keys can't be had, and its tokens admit nobody");
                    return Err(unavailable("issuer_unreachable", "tokens can't be checked at the moment"));
                }
            },
        };
        match self.served.rights(&role) {
            Some(rights) => Ok(Caller { name, role, rights }),
            None => {
                let said = "the token's role isn't in the configuration any more";
                Err(Problem::new(StatusCode::FORBIDDEN, "role_unknown", said)
                    .hint("the operator names roles in `[guard.roles.NAME]`"))
            }
        }
    }

    /// A refusal that says which tokens are taken, and where they come from (RFC 6750, RFC 9728).
    fn unauthorized(&self, code: &'static str, detail: &'static str, error: Option<&str>) -> Problem {
        let mut challenge = "Bearer realm=\"periplus\"".to_owned();
        if let Some(error) = error {
            challenge.push_str(&format!(", error=\"{error}\""));
        }
        if let Some(oauth) = &self.oauth {
            challenge.push_str(&format!(", resource_metadata=\"{}\"", oauth.metadata_address()));
        }
        let challenge = HeaderValue::try_from(challenge).unwrap_or(HeaderValue::from_static("Bearer"));
        Problem::new(StatusCode::UNAUTHORIZED, code, detail).header(header::WWW_AUTHENTICATE, challenge)
    }

    /// Counts a request of that caller.
    fn count(&self, caller: &Caller) -> Result<Counted, Problem> {
        if self.requests.len() > MANY_CALLERS {
            self.requests.retain_recent();
        }
        let Err(until) = self.requests.check_key(&caller.name) else { return self.begin(&caller.name) };
        let seconds = until.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
        Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too_many_requests",
            format!("more than {} requests in a minute", self.per_minute),
        )
        .hint(format!("wait {seconds} seconds"))
        .header(header::RETRY_AFTER, HeaderValue::from(seconds)))
    }

    /// Counts it among what is under way.
    fn begin(&self, caller: &str) -> Result<Counted, Problem> {
        let mut under_way = unpoisoned(&self.under_way);
        let count = under_way.entry(caller.to_owned()).or_default();
        if *count >= self.at_once {
            let said = format!("{} requests and streams of the caller are under way", self.at_once);
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", said)
                .hint("end some of them first: a client needs one stream")
                .header(header::RETRY_AFTER, HeaderValue::from_static("1")));
        }
        *count += 1;
        Ok(Counted { caller: caller.to_owned(), under_way: Arc::clone(&self.under_way) })
    }
}

/// Whether a browser says that another site's page asks, as for a picture, where it names no origin. Following a link is
/// somebody's own doing.
fn is_of_foreign_page(headers: &HeaderMap) -> bool {
    let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    matches!(said("sec-fetch-site"), "cross-site" | "same-site") && said("sec-fetch-mode") != "navigate"
}

fn foreign_page() -> Problem {
    let said = "the request comes from a page that may not call this server";
    Problem::new(StatusCode::FORBIDDEN, "origin_not_allowed", said)
        .hint("the operator can add the page's origin to `serve.http.origins`")
}

fn unavailable(code: &'static str, detail: &'static str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
}

/// Lets a request on that is meant for this server.
pub(super) async fn addressed(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    match gate.is_addressed(request.headers(), request.uri()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Lets a request on whose caller is known, with the [`Caller`] beside it.
pub(super) async fn admit(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    gate.served.refresh().await;
    let admitted = gate.caller(request.headers(), request.uri()).await.and_then(|caller| {
        let counted = gate.count(&caller)?;
        Ok((caller, counted))
    });
    match admitted {
        Ok((caller, counted)) => {
            let asked_by = AskedBy(caller.name.clone());
            request.extensions_mut().insert(caller);
            let mut answer = next.run(request).await;
            let held = answer.extensions_mut();
            held.insert(asked_by);
            let (admitted, call) = (held.remove::<Arc<Admitted>>(), held.remove::<Arc<Call>>());
            answer.map(|body| {
                let rest = Bytes::new();
                Body::new(Answer { body, rest, _counted: counted, _admitted: admitted, _call: call })
            })
        }
        Err(problem) => problem.into_response(),
    }
}
