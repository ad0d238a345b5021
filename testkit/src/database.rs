//! SQLite files for tests: small ones from a script, and the shop, which is made once and then shared.
//!
//! The shop takes seconds to make in a debug build and every test process wants it, so it is kept beside the test
//! binaries, under a name that holds the hash of its content; a lock file keeps two processes from making it at once.
//!
//! Invariant: a path that [`shop()`] returns names a complete database.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rusqlite::Connection;
use tempfile::TempDir;

/// A SQLite file in a folder of its own, both deleted with the value.
#[derive(Debug)]
pub struct TempDatabase {
    folder: TempDir,
    path: PathBuf,
}

impl TempDatabase {
    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that holds nothing but the database: a place for catalogs and indexes of the same test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What `connect` takes: `sqlite:/tmp/…/test.sqlite`.
    pub fn dsn(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    /// Runs another script on it, as an application would that goes on writing.
    ///
    /// # Panics
    /// When the script doesn't run.
    pub fn execute(&self, script: &str) {
        run_script(&self.path, script);
    }
}

/// A SQLite file that `script` has been run on.
///
/// # Panics
/// When the script doesn't run.
pub fn database(script: &str) -> TempDatabase {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().join("test.sqlite");
    run_script(&path, script);
    TempDatabase { folder, path }
}

/// The shop as a SQLite file, made by the first test process that asks and shared by all others. Don't write to it: a
/// test that has to write copies it first.
///
/// # Panics
/// When the shop can't be made, for lack of room on the disk for instance.
pub fn shop() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| cached_shop(&cache_folder()))
}

fn run_script(path: &Path, script: &str) {
    let connection = Connection::open(path).expect("a new file in a temporary folder can be opened");
    if let Err(error) = connection.execute_batch(script) {
        panic!("the test's script doesn't run: {error}\n{script}");
    }
}

fn cached_shop(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).expect("the cache folder is writable");
    let path = folder.join(format!("shop-{}.sqlite", &shop::CONTENT_HASH[..16]));
    if path.exists() {
        return path;
    }
    let lock = File::create(folder.join("shop.lock")).expect("the cache folder is writable");
    lock.lock().expect("the file system has locks");
    if !path.exists() {
        // `create` moves the finished file to its name, so that no other process sees half of it.
        shop::create(&path, &mut |_| {}).expect("the shop can be made");
    }
    path
}

/// `target/<profile>/testkit` when the test runs from there, as with cargo, else a temporary folder.
fn cache_folder() -> PathBuf {
    let beside_tests = std::env::current_exe()
        .ok()
        .and_then(|executable| executable.ancestors().find(|path| path.ends_with("deps")).map(Path::to_owned))
        .and_then(|deps| deps.parent().map(|profile| profile.join("testkit")));
    beside_tests.unwrap_or_else(|| std::env::temp_dir().join("periplus-testkit"))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{cached_shop, database, shop};

    #[test]
    fn a_script_becomes_a_file_that_is_gone_with_its_value() {
        let database = database("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (7)");
        database.execute("INSERT INTO t VALUES (8)");
        let path = database.path().to_owned();
        let sum: i64 = Connection::open(&path)
            .and_then(|connection| connection.query_row("SELECT sum(a) FROM t", [], |row| row.get(0)))
            .expect("the file is a database");
        assert_eq!(sum, 15);
        assert_eq!(database.dsn(), format!("sqlite:{}", path.display()));
        drop(database);
        assert!(!path.exists());
    }

    #[test]
    #[should_panic(expected = "the test's script doesn't run")]
    fn a_wrong_script_is_said_at_once() {
        database("CREATE TABBLE t");
    }

    #[test]
    fn the_shop_is_made_once_and_shared() {
        let first = shop();
        let made_at = std::fs::metadata(first).and_then(|metadata| metadata.modified()).expect("the file is there");
        let again = cached_shop(first.parent().expect("the file is in a folder"));
        assert_eq!(again, first);
        let still = std::fs::metadata(again).and_then(|metadata| metadata.modified()).expect("the file is there");
        assert_eq!(made_at, still);
    }
}
