//! A SQLite database copied to another engine, for tests that compare engines: tables with their columns, keys,
//! uniques, indexes, rows, and views where they can be translated.
//!
//! What is copied is read by SQLite's own pragmas, the way [`crate::catalog_from_ddl`] reads it; an engine is data
//! ([`Language`]: its type names, quoting, and what it does with keys) and a place where statements are run
//! ([`Place`]). Each engine is one file here.
//!
//! Invariant: whatever isn't copied is in [`Loaded::left_out`], by name and with the reason.

mod clickhouse;
mod duckdb;
mod language;
mod mysql;
mod postgres;
mod statements;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use clickhouse::{CLICKHOUSE, ClickhouseServer};
pub use duckdb::{DUCKDB, DuckdbFiles};
pub use language::{Cell, DeclaredType, Keys, Language};
pub use mysql::{MYSQL, MysqlServer};
pub use postgres::{POSTGRES, PostgresServer};
pub use statements::{Statements, statements};

/// Where an engine runs statements: a server, or a file.
pub trait Place {
    /// What this engine speaks.
    fn language(&self) -> &'static dyn Language;

    /// Makes an empty database of that name, without one of the same name that an earlier run has left, and enters it.
    /// Returns its address, as `connect` takes it.
    fn create(&mut self, name: &str) -> Result<String, String>;

    /// Runs one statement in the database.
    fn run(&mut self, sql: &str) -> Result<(), String>;

    /// What one query gives, in a session of its own, so that it shows what a newcomer sees: cells as texts, NULL as
    /// `None`. Files are compared rather than asked.
    fn rows(&mut self, _sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        Err("only a server is asked".to_owned())
    }

    /// Lets others read what has been written so far, where they couldn't before.
    fn release(&mut self) {}

    /// Drops the database.
    fn remove(&mut self, name: &str) -> Result<(), String>;
}

/// A database that was made by [`load`], dropped with the value.
pub struct Loaded {
    place: Box<dyn Place>,
    name: String,
    address: String,
    left_out: Vec<String>,
}

impl Loaded {
    /// What `connect` takes.
    pub fn dsn(&self) -> &str {
        &self.address
    }

    /// What the copy lacks, each with the reason.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Runs another statement on it, as an application would that goes on writing.
    ///
    /// # Panics
    /// When the statement doesn't run.
    pub fn execute(&mut self, sql: &str) {
        run(self.place.as_mut(), sql);
        self.place.release();
    }

    /// What [`Place::rows`] gives.
    ///
    /// # Panics
    /// When the query doesn't run.
    pub fn rows(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        self.place.rows(sql).unwrap_or_else(|error| {
            let shown: String = sql.chars().take(300).collect();
            panic!("the engine doesn't take a query: {error}\n{shown}")
        })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // A test that is failing already must not be stopped by a second panic.
        if let Err(error) = self.place.remove(&self.name) {
            eprintln!("`{}` could not be dropped: {error}", self.name);
        }
    }
}

/// Copies the SQLite file into a database of its own, named after the file and this process. Not to be called on a
/// thread that runs asynchronous code.
///
/// # Panics
/// When the place can't be reached, or doesn't take a statement.
pub fn load(mut place: Box<dyn Place>, database: &Path) -> Loaded {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let stem = database.file_stem().unwrap_or_default().to_string_lossy();
    let word: String = stem.chars().take_while(char::is_ascii_alphanumeric).collect();
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("periplus_{}_{}_{number}", word.to_ascii_lowercase(), std::process::id());
    let address = place.create(&name).unwrap_or_else(|error| panic!("`{name}` can't be made: {error}"));
    let language = place.language();
    let mut loaded = Loaded { place, name, address, left_out: Vec::new() };
    let copied = statements(language, database, &mut |sql| run(loaded.place.as_mut(), &sql));
    loaded.place.release();
    loaded.left_out = copied.left_out;
    loaded
}

/// What a driver runs on.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime needs nothing")
}

fn run(place: &mut dyn Place, sql: &str) {
    if let Err(error) = place.run(sql) {
        let shown: String = sql.chars().take(300).collect();
        panic!("the engine doesn't take a statement: {error}\n{shown}");
    }
}

#[cfg(test)]
mod tests;
