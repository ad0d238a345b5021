//! What can go wrong where lineage is read. A statement that can't be read is none of it: that is a [`crate::Gap`].

use std::path::PathBuf;

/// A failure to read what somebody has configured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineageError {
    /// There is no manifest where a dbt project is said to be.
    #[error("there is no dbt manifest in `{folder}`")]
    NoManifest {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder can't be read.
    #[error("`{path}` can't be read")]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A file is larger than we read.
    #[error("`{path}` has {bytes} bytes, and {limit} are read at most")]
    TooLarge {
        /// Which one.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// What we read.
        limit: u64,
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
    /// What was kept isn't what was written.
    #[error("what is known of lineage can't be read from `{path}`")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file is no artifact of dbt.
    #[error("`{path}` is no artifact of dbt")]
    NotAnArtifact {
        /// Which one.
        path: PathBuf,
        /// Where it isn't.
        #[source]
        source: serde_json::Error,
    },
}

impl LineageError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoManifest { .. } => "no_dbt_manifest",
            Self::File { .. } => "lineage_file",
            Self::TooLarge { .. } => "lineage_file_too_large",
            Self::Write { .. } => "lineage_not_written",
            Self::Damaged { .. } => "lineage_unreadable",
            Self::NotAnArtifact { .. } => "not_a_dbt_artifact",
        }
    }

    /// What to do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::NoManifest { .. } => {
                vec![
                    "run `dbt compile` or `dbt docs generate` in the project, which writes target/manifest.json"
                        .to_owned(),
                ]
            }
            Self::NotAnArtifact { .. } => vec!["run `dbt compile` again; the file may be half written".to_owned()],
            Self::Damaged { .. } => vec!["`periplus index` writes it anew".to_owned()],
            Self::File { .. } | Self::TooLarge { .. } | Self::Write { .. } => Vec::new(),
        }
    }
}
