//! A project in a folder of its own, and the binary run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use catalog::Store;
use serde_json::Value;
use tempfile::TempDir;

/// A project's folder, gone with the value.
pub(crate) struct Project {
    folder: TempDir,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A project over a SQLite file made by this script.
    pub(crate) fn over(script: &str) -> Self {
        Self::over_source("data", script)
    }

    /// The same, of a source with that name.
    pub(crate) fn over_source(source: &str, script: &str) -> Self {
        let project = Self::new();
        let database = project.path("data.db");
        rusqlite::Connection::open(&database).unwrap().execute_batch(script).unwrap();
        project.write(
            "periplus.toml",
            &format!("[[sources]]\nid = \"{source}\"\ndsn = \"sqlite:data.db\"\n[model]\nprovider = \"none\"\n"),
        );
        project
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The binary with these arguments, in an environment without keys or databases.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_at(self.folder.path(), arguments)
    }

    /// The same, run in the project's folder, so that what it prints holds no path that is as long as the folder's.
    pub(crate) fn command_inside(&self, arguments: &[&str]) -> Command {
        let mut command = self.command_at(Path::new("."), arguments);
        command.current_dir(self.folder.path());
        command
    }

    fn command_at(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("periplus"));
        command.arg("--project").arg(folder).args(arguments);
        for name in ["DATABASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PERIPLUS_LOG", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        command.env("PERIPLUS_MODELS", self.path("no-models")).env("PERIPLUS_PAGER", "cat");
        // Files of DuckDB are read by the library that the tests write them with.
        if let Some(library) = std::env::var_os("PERIPLUS_TEST_DUCKDB") {
            command.env("PERIPLUS_DUCKDB_LIBRARY", library);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Runs with `--json` and returns the exit code with the document.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let run = self.run(&[&["--json"], arguments].concat());
        let document =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}\n{}", run.stdout, run.stderr));
        (run.code, document)
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A catalog, as the binary opens it without a configuration.
pub(crate) fn store(path: &Path) -> Store {
    try_store(path).unwrap()
}

/// The same, where it may not be there yet.
pub(crate) fn try_store(path: &Path) -> Option<Store> {
    Store::open(path, Arc::new(privacy::Sensitivity::standard())).ok()
}
