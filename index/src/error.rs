//! What can go wrong with the index.

use std::path::PathBuf;

/// A failure to build, store or read an index. [`IndexError::code`] is stable; [`IndexError::hints`] say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A text couldn't be turned into a vector.
    #[error("the embedder `{embedder}` failed")]
    Embed {
        /// [`llm::Embedder::name`].
        embedder: String,
        /// What the embedder said.
        #[source]
        source: llm::LlmError,
    },
    /// The embedder answered something that can't be used.
    #[error("the embedder `{embedder}` answered {found} vectors of {dimensions} dimensions for {asked} texts")]
    Vectors {
        /// [`llm::Embedder::name`].
        embedder: String,
        /// How many texts were sent.
        asked: usize,
        /// How many vectors came back.
        found: usize,
        /// Their dimensions.
        dimensions: usize,
    },
    /// No index has been built yet.
    #[error("there is no index in `{folder}`")]
    Missing {
        /// Where the index was looked for.
        folder: PathBuf,
    },
    /// The files are of another format, or damaged.
    #[error("the index in `{folder}` can't be used: {reason}")]
    Unusable {
        /// Where the index was looked for.
        folder: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// A file can't be read or written.
    #[error("the index file `{path}` can't be accessed")]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl IndexError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Embed { .. } => "embed_failed",
            Self::Vectors { .. } => "embed_shape",
            Self::Missing { .. } => "index_missing",
            Self::Unusable { .. } => "index_unusable",
            Self::File { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => "disk_full",
            Self::File { .. } => "index_file",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Embed { .. } | Self::Vectors { .. } => vec![
                "check the embedding configuration; without one the built-in embedder is used, which needs nothing"
                    .into(),
            ],
            Self::Missing { .. } | Self::Unusable { .. } => {
                vec!["run `periplus index`: the index is derived from the catalog and nothing in it can be lost".into()]
            }
            Self::File { .. } => {
                vec!["check that the folder exists, that you may write in it, and that the disk isn't full".into()]
            }
        }
    }
}
