//! What can go wrong: for the process that serves, and for the agent that calls a tool.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::path::PathBuf;

use catalog::CatalogError;
use describe::DescribeError;
use guard::{GuardError, LONGEST_SENTENCE};
use index::IndexError;
use serde::Serialize;

use crate::budget::Budget;
use crate::finding::{self, FindingLine};
use crate::tokens::TokenError;

/// A failure of the server itself. [`ServeError::code`] is stable; [`ServeError::hints`] say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The catalog can't be read.
    #[error("the catalog can't be read")]
    Catalog(#[from] CatalogError),
    /// The index can't be built.
    #[error("the index can't be built")]
    Index(#[from] IndexError),
    /// The client's messages can't be read or answered.
    #[error("the connection to the client failed: {reason}")]
    Transport {
        /// What happened.
        reason: String,
    },
    /// What may be shown is decided by a configuration that has changed since.
    #[error("the configuration has changed and isn't taken over")]
    ConfigurationChanged,
    /// The address can't be listened on.
    #[error("can't listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// There is a certificate, and it can't be used.
    #[error("the certificate of `{path}` can't be used: {reason}")]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Nobody could be admitted by tokens of an organisation's own server.
    #[error("tokens of the configured issuer can't be taken: {reason}")]
    OAuth {
        /// What is wrong.
        reason: String,
    },
    /// Everybody who reaches the address would be served.
    #[error("others than you can reach {address}, and there is no token that holds")]
    NoTokens {
        /// The address.
        address: SocketAddr,
    },
    /// Nobody could be admitted.
    #[error("callers can't be told apart")]
    Tokens(#[from] TokenError),
    /// What was written of a table can't be taken.
    #[error("what was written can't be taken")]
    Texts(#[from] DescribeError),
    /// Others have written other texts than whoever writes has seen.
    #[error("somebody has written other texts since these were read")]
    ChangedMeanwhile,
    /// A task of ours ended without an answer.
    #[error("the work broke off")]
    Interrupted,
}

impl ServeError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Catalog(error) => error.code(),
            Self::Index(error) => error.code(),
            Self::Transport { .. } => "transport",
            Self::ConfigurationChanged => "configuration_changed",
            Self::Listen { .. } => "cannot_listen",
            Self::Certificate { .. } => "certificate",
            Self::OAuth { .. } => "oauth",
            Self::NoTokens { .. } => "no_tokens",
            Self::Tokens(error) => error.code(),
            Self::Texts(error) => error.code(),
            Self::ChangedMeanwhile => "changed_meanwhile",
            Self::Interrupted => "interrupted",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Catalog(error) => error.hints(),
            Self::Index(error) => error.hints(),
            Self::Transport { .. } => {
                vec![
                    "`periplus serve` speaks MCP over its standard input and output: start it from an MCP client"
                        .into(),
                ]
            }
            Self::ConfigurationChanged => {
                vec!["the server's log says why; have it mended, or the server started again".into()]
            }
            Self::Listen { .. } => vec!["choose another port, as in `periplus serve --http 127.0.0.1:8322`".into()],
            Self::Certificate { .. } => vec![
                "`certificate` names the chain and `key` its private key, both as PEM, under `[serve.http]`".into(),
            ],
            Self::OAuth { .. } => vec!["correct `[serve.http.oauth]`".into()],
            Self::NoTokens { .. } => vec!["make one: `periplus token create --name NAME`".into()],
            Self::Tokens(error) => error.hints(),
            Self::Texts(error) => error.hints(),
            Self::ChangedMeanwhile => {
                vec!["read them again, and send what you want to change with the new ETag".into()]
            }
            Self::Interrupted => Vec::new(),
        }
    }
}

/// An error as an agent gets it: something to branch on, and a next step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ToolError {
    /// Stable: `unknown_table`.
    pub(crate) code: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do; borrowed where it is compiled in, and so names nothing of a database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<Cow<'static, str>>,
    /// Names to use instead, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) suggestions: Vec<String>,
    /// For a refused statement.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) refusal: Option<Box<Refusal>>,
}

/// What the guard says about a statement that it refuses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Refusal {
    /// What it found, worst first.
    findings: Vec<FindingLine>,
    /// The statement with what is certain repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrite: Option<String>,
}

impl ToolError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: guard::cut(message.into(), LONGEST_SENTENCE),
            hint: None,
            suggestions: Vec::new(),
            refusal: None,
        }
    }

    /// Another room's error, with what the user can do.
    pub(crate) fn of(code: &'static str, error: &dyn std::error::Error, hints: Vec<String>) -> Self {
        let hint = hints.into_iter().next().map(Cow::Owned);
        Self { hint, ..Self::new(code, shown::with_sources(error)) }
    }

    pub(crate) fn hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        let hint = match hint.into() {
            Cow::Owned(hint) => Cow::Owned(guard::cut(hint, LONGEST_SENTENCE)),
            ours => ours,
        };
        Self { hint: Some(hint), ..self }
    }

    pub(crate) fn suggestions(self, suggestions: Vec<String>) -> Self {
        Self { suggestions, ..self }
    }
}

impl From<ServeError> for ToolError {
    fn from(error: ServeError) -> Self {
        Self::of(error.code(), &error, error.hints())
    }
}

impl ToolError {
    /// A failure to run a statement, in at most `reply_tokens`.
    pub(crate) fn from_guard(error: GuardError, reply_tokens: usize) -> Self {
        let hint = error.hints().into_iter().next().map(Cow::Owned);
        let GuardError::Refused(verdict) = error else {
            return Self::of(error.code(), &error, error.hints());
        };
        // What the first finding says isn't said twice.
        let first = verdict.errors().next();
        let hint = hint.filter(|hint| first.is_none_or(|first| first.help != *hint));
        let code = first.map_or("refused", |finding| finding.code);
        let message = first.map_or_else(|| "the statement is refused".to_owned(), |first| first.message.clone());
        let mut error = Self { hint, ..Self::new(code, message) };
        let mut budget = Budget::new(reply_tokens);
        budget.spend(&error);
        let rewrite = verdict.first_rewrite().map(str::to_owned).filter(|rewrite| budget.fits(rewrite));
        let (findings, _) = finding::lines(verdict.findings, &mut budget);
        error.refusal = Some(Box::new(Refusal { findings, rewrite }));
        error
    }
}
