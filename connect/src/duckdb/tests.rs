//! Real files of the real engine, read through the public trait.
//!
//! They run where `PERIPLUS_TEST_DUCKDB` names the library, such as `…/libduckdb.so`, and are skipped by name elsewhere.

mod faults;
mod queries;
mod sampling;
mod structure;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::engine::{Connection, Database, Library};
use crate::{Connector, connect};

const VARIABLE: &str = "PERIPLUS_TEST_DUCKDB";

/// A database in a folder that is gone with the value.
struct Made {
    _folder: TempDir,
    path: PathBuf,
}

impl Made {
    /// A file made by `sql`; `None` where there is no library to make it by.
    fn with(sql: &str) -> Option<Self> {
        Self::named("it's a tést #1.duckdb", sql)
    }

    fn named(name: &str, sql: &str) -> Option<Self> {
        let library = library()?;
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        let writer = writer(library, &path);
        writer.run_script(sql).unwrap_or_else(|error| panic!("the test's own statements: {error:?}"));
        Some(Self { _folder: folder, path })
    }

    fn connector(&self) -> Box<dyn Connector> {
        connect("s", self.path.to_str().unwrap()).unwrap()
    }
}

/// The library, loaded for the connector as well; `None` names the test that is skipped.
fn library() -> Option<&'static Library> {
    let path = testkit::server_url(VARIABLE)?;
    Some(Library::loaded_from(&[PathBuf::from(path)]).unwrap())
}

/// A connection that may write.
fn writer(library: &'static Library, path: &Path) -> Connection {
    Connection::open(&Arc::new(Database::open(library, path, &[]).unwrap())).unwrap()
}
