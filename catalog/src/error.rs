//! What can go wrong with the catalog's file.

use std::path::PathBuf;

/// A failure of the store. [`CatalogError::code`] is stable; [`CatalogError::hints`] say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The file can't be opened or created.
    #[error("the catalog `{path}` can't be opened")]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: rusqlite::Error,
    },
    /// The file is not a catalog, or damaged.
    #[error("the catalog `{path}` is damaged or is not a catalog: {reason}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A newer Periplus wrote the file.
    #[error("the catalog has format {found}; this version reads up to {supported}")]
    TooNew {
        /// The file's format.
        found: i64,
        /// Ours.
        supported: i64,
    },
    /// No room left on the disk.
    #[error("the disk that holds the catalog is full")]
    DiskFull,
    /// Another process is writing and didn't finish in time.
    #[error("the catalog is being written by another process")]
    Busy,
    /// What was asked for isn't there.
    #[error("there is no {kind} `{name}` in the catalog")]
    NotFound {
        /// `source`, `table`, `memory`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// What people said of a table's columns can't be read, so nothing can be added to it.
    #[error("what people said of the columns of `{table}` can't be read")]
    Rulings {
        /// The table, inside its source.
        table: String,
    },
    /// What people said of columns can't be read from, or written to, the file beside the catalog.
    #[error("`{path}`, which says what people said of columns, can't be read or written")]
    Witness {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("the catalog's database refused an operation")]
    Database(#[source] rusqlite::Error),
    /// A stored row can't be read back.
    #[error("a stored {what} can't be read")]
    Decode {
        /// What was being read.
        what: &'static str,
        /// Why not.
        #[source]
        source: serde_json::Error,
    },
}

impl CatalogError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Open { .. } => "catalog_open",
            Self::Corrupt { .. } => "catalog_corrupt",
            Self::TooNew { .. } => "catalog_too_new",
            Self::DiskFull => "disk_full",
            Self::Busy => "catalog_busy",
            Self::NotFound { .. } => "not_found",
            Self::Rulings { .. } => "catalog_unreadable",
            Self::Witness { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => "disk_full",
            Self::Witness { .. } => "catalog_witness",
            Self::Database(_) => "catalog_database",
            Self::Decode { .. } => "catalog_decode",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Open { .. } => vec!["check that the folder exists and that you may write in it".into()],
            Self::Corrupt { path, .. } => vec![format!(
                "move `{}` away and run `periplus index` again; approved queries and corrections in it are lost \
                 unless a copy exists",
                path.display()
            )],
            Self::TooNew { .. } => vec!["use the Periplus version that wrote it, or a newer one".into()],
            Self::DiskFull => vec!["free some space and run the same command again: it continues".into()],
            Self::Busy => vec!["wait until the other `periplus index` has finished".into()],
            Self::NotFound { kind: "memory", .. } => vec!["`periplus feedback list` shows the numbers".into()],
            Self::NotFound { .. } => vec!["`periplus status` lists what the catalog holds".into()],
            Self::Rulings { .. } => {
                vec!["`periplus index --full` forgets what can't be read and says of which tables".into()]
            }
            Self::Witness { .. } => vec!["check the file's permissions and the free space".into()],
            Self::Database(_) | Self::Decode { .. } => Vec::new(),
        }
    }
}

impl From<rusqlite::Error> for CatalogError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Self::DiskFull,
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Database(error),
        }
    }
}
