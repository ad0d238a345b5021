//! What every provider's adapter shares: one client with its time limits, the key, retries, and errors in our words.
//!
//! Redirects are not followed: a redirected chat request would carry the key to a place that nobody configured.
//! Invariant: neither the key nor a URL's user, password or query can get into an error or a log line.

mod retry;
mod sse;

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;

use crate::error::LlmError;
pub(crate) use retry::{Failure, Retries};
pub(crate) use sse::EventReader;

/// Time limits and retries of calls over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpOptions {
    /// To find the host and shake hands: 10 s.
    pub connect_timeout: Duration,
    /// The longest silence, before the first byte and between two pieces: 120 s, as local servers load their model
    /// and read the prompt before they say anything.
    pub read_timeout: Duration,
    /// For one call with all its attempts: 10 min.
    pub total_timeout: Duration,
    /// Attempts in all: 4.
    pub attempts: u32,
    /// The wait after the first failed attempt, which doubles with each: 0.5 s.
    pub first_wait: Duration,
    /// The longest wait between two attempts, also where the provider asks for more: 60 s.
    pub longest_wait: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(120),
            total_timeout: Duration::from_secs(600),
            attempts: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
        }
    }
}

/// A key, and the variable it came from.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) variable: String,
    secret: String,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Key({})", self.variable)
    }
}

impl Key {
    #[cfg(test)]
    pub(crate) fn for_test(variable: &str, secret: &str) -> Self {
        Self { variable: variable.into(), secret: secret.into() }
    }

    /// Reads the key that `variable` holds; `endpoint` is only for the error.
    pub(crate) fn from_environment(variable: &str, endpoint: &str) -> Result<Self, LlmError> {
        match std::env::var(variable) {
            Ok(secret) if !secret.trim().is_empty() => {
                Ok(Self { variable: variable.into(), secret: secret.trim().into() })
            }
            _ => Err(LlmError::KeyMissing { variable: variable.into(), endpoint: redacted(endpoint) }),
        }
    }
}

/// How a provider wants the key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// `x-api-key: …`
    ApiKey,
}

/// One address that requests are posted to.
pub(crate) struct Endpoint {
    client: Client,
    url: Url,
    /// Without secrets.
    pub(crate) shown: String,
    headers: HeaderMap,
    key: Option<Key>,
    pub(crate) model: String,
    pub(crate) options: HttpOptions,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Endpoint").field("url", &self.shown).field("model", &self.model).finish()
    }
}

/// Bytes of a reply: embeddings of many texts are large, and what is longer is no reply.
const MOST_BYTES: usize = 16 << 20;

impl Endpoint {
    /// All attempts of a call together, within the limit that they have.
    pub(crate) async fn in_time<T>(&self, call: impl Future<Output = Result<T, LlmError>>) -> Result<T, LlmError> {
        let after = self.options.total_timeout;
        let late = || LlmError::Timeout { endpoint: self.shown.clone(), after };
        tokio::time::timeout(after, call).await.map_err(|_| late())?
    }

    /// The address `base_url` + `path`.
    pub(crate) fn new(
        base_url: &str,
        path: &str,
        model: &str,
        key: Option<(Key, KeyHeader)>,
        options: HttpOptions,
    ) -> Result<Self, LlmError> {
        let config = |reason: String| LlmError::Config { reason };
        let url = Url::parse(&format!("{}{path}", base_url.trim_end_matches('/')))
            .map_err(|error| config(format!("`base_url` is no URL ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(config(format!("`base_url` begins with `{}`, not with `http` or `https`", url.scheme())));
        }
        let mut headers = HeaderMap::new();
        if let Some((key, style)) = &key {
            let (name, value) = match style {
                KeyHeader::Bearer => (reqwest::header::AUTHORIZATION, format!("Bearer {}", key.secret)),
                KeyHeader::ApiKey => (HeaderName::from_static("x-api-key"), key.secret.clone()),
            };
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| config(format!("the key in `{}` holds characters that no key has", key.variable)))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let client = Client::builder()
            .connect_timeout(options.connect_timeout)
            .read_timeout(options.read_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("periplus/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| config(format!("the HTTP client can't be set up: {}", innermost(&error))))?;
        Ok(Self {
            client,
            shown: redacted(url.as_str()),
            url,
            headers,
            key: key.map(|(key, _)| key),
            model: model.into(),
            options,
        })
    }

    /// A header that goes with every request.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Host and port, to tell models of several servers apart.
    pub(crate) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Posts one request, once. A reply with another status than 2xx is a failure.
    pub(crate) async fn post(&self, body: &Value) -> Result<Response, Failure> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).json(body);
        self.accepted(request.send().await).await
    }

    /// Asks, once.
    pub(crate) async fn get(&self) -> Result<Response, Failure> {
        let request = self.client.get(self.url.clone()).headers(self.headers.clone());
        self.accepted(request.send().await).await
    }

    async fn accepted(&self, sent: reqwest::Result<Response>) -> Result<Response, Failure> {
        let response = sent.map_err(|error| self.transport(&error))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refused(response).await) }
    }

    /// The whole body as JSON.
    pub(crate) async fn json(&self, mut response: Response) -> Result<Value, Failure> {
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.transport(&error))? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > MOST_BYTES {
                return Err(self.bad_reply(format!("it is longer than {MOST_BYTES} bytes")));
            }
        }
        serde_json::from_slice(&bytes).map_err(|error| {
            let beginning = self.shortened(&String::from_utf8_lossy(&bytes[..bytes.len().min(400)]));
            self.bad_reply(format!("it is not JSON ({error}): `{beginning}`"))
        })
    }

    /// What a failed exchange means.
    pub(crate) fn transport(&self, error: &reqwest::Error) -> Failure {
        let endpoint = self.shown.clone();
        let reason = self.shortened(&innermost(error));
        if error.is_connect() {
            Failure::again(LlmError::Unreachable { endpoint, reason })
        } else if error.is_timeout() {
            Failure::Final(LlmError::Timeout { endpoint, after: self.options.read_timeout })
        } else {
            // The connection was lost on the way. (reqwest files that under "decoding"; we decode nothing by it.)
            Failure::again(LlmError::Unreachable { endpoint, reason })
        }
    }

    pub(crate) fn bad_reply(&self, reason: String) -> Failure {
        Failure::Final(LlmError::BadReply { endpoint: self.shown.clone(), reason: self.shortened(&reason) })
    }

    /// What an error object of the provider means, that came with `status` or inside a stream.
    pub(crate) fn provider_error(&self, status: u16, said: &Value, after: Option<Duration>) -> Failure {
        let reason = self.shortened(&message_of(said));
        let (endpoint, model) = (self.shown.clone(), self.model.clone());
        let kind = kind_of(said);
        match (status, kind.as_str()) {
            // A used-up budget comes as 429 too, but waiting doesn't help.
            (_, "insufficient_quota" | "billing_error") => Failure::Final(LlmError::Refused { model, reason }),
            (429, _) | (_, "rate_limit_error" | "rate_limit_exceeded") => {
                Failure::Again { error: LlmError::RateLimited { endpoint, attempts: 1, retry_after: after }, after }
            }
            (401 | 403, _) | (_, "authentication_error" | "permission_error") => Failure::Final(LlmError::Auth {
                endpoint,
                status: if status == 403 { 403 } else { 401 },
                variable: self.key.as_ref().map(|key| key.variable.clone()),
            }),
            (404, _) | (_, "not_found_error" | "model_not_found") => {
                Failure::Final(LlmError::NotFound { model, place: endpoint })
            }
            (_, "invalid_request_error") => Failure::Final(LlmError::Refused { model, reason }),
            (408 | 500..=599, _) | (_, "overloaded_error" | "api_error" | "server_error") => {
                Failure::Again { error: LlmError::Unavailable { endpoint, status, attempts: 1, reason }, after }
            }
            (300..=399, _) => Failure::Final(LlmError::BadReply {
                endpoint,
                reason: format!("it redirects elsewhere (HTTP {status}), which is not followed"),
            }),
            _ => Failure::Final(LlmError::Refused { model, reason }),
        }
    }

    async fn refused(&self, mut response: Response) -> Failure {
        let status = response.status();
        let after = retry_after(response.headers());
        let mut body = Vec::new();
        // An error page may be long, slow or endless; its beginning says enough.
        while body.len() < 64 * 1024 {
            match response.chunk().await {
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) | Err(_) => break,
            }
        }
        let said = serde_json::from_slice(&body)
            .unwrap_or_else(|_| Value::String(plain_text(&String::from_utf8_lossy(&body), status)));
        self.provider_error(status.as_u16(), &said, after)
    }

    /// `text` on one line, cut, and without the key.
    fn shortened(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(&key.secret, "***"),
            None => text.to_owned(),
        };
        let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = line.char_indices().nth(300) {
            line.truncate(end);
            line.push('…');
        }
        line
    }
}

/// Scheme, host, port and path of a URL.
pub(crate) fn redacted(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return "(not a URL)".into() };
    // Both fail only for URLs without a host, which hold neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// The last cause in a chain, without the URLs that the outer ones repeat.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// What we are asked to wait. All providers send seconds; OpenAI milliseconds beside them.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|milliseconds| milliseconds / 1000.0).or_else(|| number("retry-after"));
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// The message in a provider's error: `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}` or text.
fn message_of(said: &Value) -> String {
    let error = said.get("error").unwrap_or(said);
    let text = error.get("message").or_else(|| error.get("detail")).unwrap_or(error);
    text.as_str().map_or_else(|| text.to_string(), str::to_owned)
}

/// The machine-readable kind in a provider's error.
fn kind_of(said: &Value) -> String {
    let error = said.get("error").unwrap_or(said);
    let text = |name: &str| error.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("code").or_else(|| text("type")).unwrap_or_default().to_owned()
}

/// A page of HTML says nothing that a person would want to read here.
fn plain_text(body: &str, status: StatusCode) -> String {
    match body.trim() {
        text if text.is_empty() || text.starts_with('<') => {
            status.canonical_reason().unwrap_or("no explanation").to_owned()
        }
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
