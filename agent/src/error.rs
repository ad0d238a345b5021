//! What can keep a question from being worked on at all.
//!
//! A question that was worked on and has no answer is not an error: it is an [`crate::Outcome`] whose status says so,
//! because its trace, its drafts and its cost are still wanted.

use connect::ConnectError;
use llm::LlmError;

/// A failure of the agent's surroundings. [`AgentError::code`] is stable; [`AgentError::hints`] say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The model can't be reached, refused, or answered something that isn't a reply.
    #[error("the model `{model}` gave no answer")]
    Model {
        /// [`llm::ModelInfo::name`].
        model: String,
        /// What happened.
        #[source]
        source: LlmError,
    },
    /// The database can't be reached, or failed in a way that no other statement would repair.
    #[error("the database `{source_name}` can't be queried")]
    Database {
        /// [`catalog::Source::name`].
        source_name: String,
        /// What happened.
        #[source]
        source: ConnectError,
    },
    /// The catalog holds no tables of the source that is asked.
    #[error("the catalog holds no tables of the source `{name}`")]
    EmptyCatalog {
        /// [`catalog::Source::name`].
        name: String,
    },
}

impl AgentError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Model { source, .. } => source.code(),
            Self::Database { source, .. } => source.code(),
            Self::EmptyCatalog { .. } => "empty_catalog",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Model { source, .. } => source.hints(),
            Self::Database { source, .. } => source.hints(),
            Self::EmptyCatalog { name } => {
                vec![format!("run `periplus index` so that the tables of `{name}` are known")]
            }
        }
    }
}
