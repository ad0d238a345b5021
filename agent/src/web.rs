//! Looking something up outside the company, for terms that no catalog defines. Off unless an implementation is given.
//!
//! There is none here: which service may see the company's questions is for the user to decide.

use async_trait::async_trait;

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
            Self::Failed { .. } => "web_search_failed",
        }
    }
}
