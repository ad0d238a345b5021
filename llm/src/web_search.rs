//! Looking something up outside the company, for terms that no catalog defines. Off unless somebody configures an endpoint:
//! which service may see the company's questions is for the user to decide.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Response, Url};
use serde::Deserialize;

/// Results of a search that are read at most.
const MOST_RESULTS: usize = 5;
/// Bytes of a reply that are read at most.
const MOST_BYTES: usize = 1 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(15);

/// A search of the web.
#[async_trait]
pub trait WebSearch: Send + Sync {
    /// A few short extracts, best first.
    async fn search(&self, query: &str) -> Result<Vec<WebResult>, WebSearchError>;
}

/// An extract from a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebResult {
    /// The page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What it says on the matter.
    pub extract: String,
}

/// Why nothing was found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebSearchError {
    /// No search was given to the agent.
    #[error("web search is not configured")]
    NotConfigured,
    /// What is configured is no endpoint.
    #[error("`{endpoint}` is no endpoint for web searches: {reason}")]
    Endpoint {
        /// As it is configured.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The service failed.
    #[error("the web search failed: {reason}")]
    Failed {
        /// The service's words.
        reason: String,
    },
}

impl WebSearchError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "web_search_not_configured",
            Self::Endpoint { .. } => "web_search_endpoint",
            Self::Failed { .. } => "web_search_failed",
        }
    }

    /// What to do about it.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::NotConfigured | Self::Endpoint { .. } => {
                vec!["set `web_search` under [ask] to an address such as `http://localhost:8080/search`".to_owned()]
            }
            Self::Failed { .. } => {
                vec!["SearXNG answers in JSON only where its `search.formats` lists `json`".to_owned()]
            }
        }
    }
}

/// A search service that answers as [SearXNG](https://docs.searxng.org/dev/search_api.html) does.
#[derive(Clone, Debug)]
pub struct SearchEndpoint {
    client: Client,
    url: Url,
}

impl SearchEndpoint {
    /// A service by the address of its search, without the query: `http://localhost:8080/search`.
    pub fn new(endpoint: &str) -> Result<Self, WebSearchError> {
        let wrong = |reason: String| WebSearchError::Endpoint { endpoint: endpoint.to_owned(), reason };
        let url = Url::parse(endpoint).map_err(|error| wrong(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(format!("it begins with `{}`, not with `http` or `https`", url.scheme())));
        }
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            // What the question was goes nowhere that wasn't configured.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("periplus/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| wrong(error.to_string()))?;
        Ok(Self { client, url })
    }
}

/// The part of a reply that is read.
#[derive(Deserialize)]
struct Reply {
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    content: String,
}

#[async_trait]
impl WebSearch for SearchEndpoint {
    async fn search(&self, query: &str) -> Result<Vec<WebResult>, WebSearchError> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
        let reply = self.client.get(url).send().await.map_err(|error| failed(&error))?;
        if !reply.status().is_success() {
            return Err(WebSearchError::Failed { reason: format!("the service answers {}", reply.status()) });
        }
        let body = read(reply).await?;
        let reply: Reply = serde_json::from_slice(&body)
            .map_err(|error| WebSearchError::Failed { reason: format!("the reply is no list of results: {error}") })?;
        let results = reply.results.into_iter().take(MOST_RESULTS);
        Ok(results.map(|found| WebResult { url: found.url, title: found.title, extract: found.content }).collect())
    }
}

/// The body of a reply of bounded length.
async fn read(mut reply: Response) -> Result<Vec<u8>, WebSearchError> {
    let mut body = Vec::new();
    while let Some(chunk) = reply.chunk().await.map_err(|error| failed(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            return Err(WebSearchError::Failed { reason: format!("the reply is longer than {MOST_BYTES} bytes") });
        }
    }
    Ok(body)
}

/// A failure in the client's words, without the address, which holds the query.
fn failed(error: &reqwest::Error) -> WebSearchError {
    let reason = match error {
        _ if error.is_timeout() => "no answer in time".to_owned(),
        _ if error.is_connect() => "the service can't be reached".to_owned(),
        _ => "the connection broke".to_owned(),
    };
    WebSearchError::Failed { reason }
}
