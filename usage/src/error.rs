//! What can go wrong where logs are read. A statement that can't be understood is none of it: those are counted.

use std::path::PathBuf;

/// A failure to read a log, or what was kept of logs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// A file or folder can't be read.
    #[error("`{path}` can't be read")]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// Nothing in a file says which engine's log it is.
    #[error("`{path}` is no query log that can be read")]
    UnknownForm {
        /// The file.
        path: PathBuf,
    },
    /// A log is another engine's.
    #[error("`{path}` is the log of another engine than the source's")]
    OtherEngine {
        /// The file.
        path: PathBuf,
    },
    /// What was kept isn't what was written.
    #[error("what is known of query logs can't be read from `{path}`")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file of ours can't be written.
    #[error("`{path}` can't be written")]
    Write {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}

impl UsageError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "log_file",
            Self::UnknownForm { .. } => "unknown_log",
            Self::OtherEngine { .. } => "log_of_another_engine",
            Self::Damaged { .. } => "usage_unreadable",
            Self::Write { .. } => "usage_not_written",
        }
    }

    /// What to do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::UnknownForm { .. } => vec![
                "these are read: PostgreSQL's csvlog and jsonlog, general and slow logs of MariaDB and MySQL, and lines of JSON \
                 with a key `query`, `sql` or `statement`"
                    .to_owned(),
            ],
            Self::OtherEngine { .. } => vec!["correct `logs` of the source in periplus.toml".to_owned()],
            Self::Damaged { path } => {
                vec![format!("remove `{}`; the next `periplus index` reads the logs from their beginning", path.display())]
            }
            Self::File { .. } | Self::Write { .. } => Vec::new(),
        }
    }
}
