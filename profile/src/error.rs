//! What stops a whole run. What stops one table is reported through [`crate::Progress`] and the others go on.

use catalog::CatalogError;
use connect::ConnectError;

use crate::options::Failure;

/// A failure that ends the run. Finished tables are stored already.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The source can't be introspected.
    #[error("the structure of `{source_name}` can't be read")]
    Introspection {
        /// [`catalog::Source::name`].
        source_name: String,
        /// Why not.
        #[source]
        source: ConnectError,
    },
    /// The source went away during the run.
    #[error("the connection to `{source_name}` was lost with {done} of {tables} tables done")]
    Lost {
        /// [`catalog::Source::name`].
        source_name: String,
        /// Tables that are done, and stored.
        done: usize,
        /// Tables in all.
        tables: usize,
        /// What happened.
        #[source]
        source: ConnectError,
    },
    /// What was to be done with the structure failed.
    #[error("what tables of `{source_name}` are made from can't be read")]
    Structure {
        /// [`catalog::Source::name`].
        source_name: String,
        /// What happened.
        #[source]
        source: Failure,
    },
    /// The catalog can't be read or written.
    #[error("the catalog can't take in `{source_name}`")]
    Catalog {
        /// [`catalog::Source::name`].
        source_name: String,
        /// Why not.
        #[source]
        source: CatalogError,
    },
}

impl ProfileError {
    /// A stable identifier for programs: the cause's own.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Introspection { source, .. } | Self::Lost { source, .. } => source.code(),
            Self::Catalog { source, .. } => source.code(),
            Self::Structure { .. } => "structure_not_taken",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Introspection { source, .. } => source.hints(),
            Self::Lost { .. } => vec!["run the same command again when the server is back: it continues".to_owned()],
            Self::Catalog { source, .. } => source.hints(),
            Self::Structure { .. } => Vec::new(),
        }
    }
}
