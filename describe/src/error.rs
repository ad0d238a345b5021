//! What can go wrong while descriptions are written or read.

use std::path::PathBuf;

use catalog::CatalogError;

/// A failure that stops the work. A file that people damaged is not one of them: it is a
/// [`crate::markdown::Problem`], and a model that answers nonsense is recorded in the description.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DescribeError {
    /// The catalog can't be read or written.
    #[error("the catalog can't be read or written")]
    Catalog(#[from] CatalogError),
    /// There is no such source.
    #[error("there is no source `{name}` in the catalog")]
    UnknownSource {
        /// The name that was asked for.
        name: String,
    },
    /// The folder with the pages isn't there.
    #[error("there is no folder `{path}`")]
    NoFolder {
        /// Which one.
        path: PathBuf,
    },
    /// A file or folder can't be read or written.
    #[error("`{path}` can't be {action}")]
    File {
        /// Which one.
        path: PathBuf,
        /// `read`, `written`, `renamed`, `removed`.
        action: &'static str,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A business term can't be kept as it is written.
    #[error("the term `{name}` can't be kept: {reason}")]
    Term {
        /// Its name.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A text is written of a column that isn't there.
    #[error("`{table}` has no column `{name}`")]
    UnknownColumn {
        /// The table.
        table: String,
        /// What was written.
        name: String,
        /// Columns that are called much like it.
        near: Vec<String>,
    },
    /// Something is said of a fact that isn't known of the table.
    #[error("`{table}` has no fact `{name}`")]
    UnknownFact {
        /// The table.
        table: String,
        /// What was written.
        name: String,
        /// Those that are known.
        known: Vec<String>,
    },
    /// A text is too long.
    #[error("the text of `{part}` has more than {limit} characters")]
    TextTooLong {
        /// Which one: `purpose`, `columns.status.description`.
        part: String,
        /// So many may it have.
        limit: usize,
    },
    /// The folder can't be watched.
    #[error("the folder `{path}` can't be watched for changes")]
    Watch {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: notify::Error,
    },
}

impl DescribeError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Catalog(error) => error.code(),
            Self::UnknownSource { .. } => "unknown_source",
            Self::NoFolder { .. } => "docs_folder",
            Self::File { .. } => "docs_file",
            Self::Term { .. } => "term_refused",
            Self::UnknownColumn { .. } => "unknown_column",
            Self::UnknownFact { .. } => "unknown_fact",
            Self::TextTooLong { .. } => "text_too_long",
            Self::Watch { .. } => "docs_watch",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Catalog(error) => error.hints(),
            Self::UnknownSource { .. } => {
                vec!["run `periplus index` first; `periplus status` lists the sources that the catalog holds".into()]
            }
            Self::NoFolder { .. } => vec![
                "`periplus docs write` makes it; check the folder's name, on the command line or `docs.folder` in the \
                 configuration"
                    .into(),
            ],
            Self::File { .. } => vec!["check that the folder exists and that you may read and write in it".into()],
            Self::Term { .. } => vec![
                "an expression is written as in a SELECT, a condition as behind its WHERE: `sum(orders.total_cents) / 100.0`, \
                 `orders.status <> 'cancelled'`; what may not be shown can't be computed with, but a definition in words can \
                 say it"
                    .into(),
            ],
            Self::UnknownColumn { near, .. } if near.is_empty() => Vec::new(),
            Self::UnknownColumn { near, .. } => vec![format!("called much like it: {}", near.join(", "))],
            Self::UnknownFact { known, .. } if known.is_empty() => {
                vec!["nothing is known of its rows that names and types don't say".into()]
            }
            Self::UnknownFact { known, .. } => vec![format!("one of these: {}", known.join(", "))],
            Self::TextTooLong { .. } => vec!["say it in fewer words; longer pages are kept elsewhere and named here".into()],
            Self::Watch { .. } => {
                vec![
                    "the folder is still read when `periplus docs` runs; on Linux, raise \
                      `fs.inotify.max_user_watches` if it is exhausted"
                        .into(),
                ]
            }
        }
    }
}
