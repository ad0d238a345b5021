//! Files and libraries that are not what they should be.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::{Made, library, writer};
use crate::duckdb::engine::Library;
use crate::promises::run;
use crate::statements_alone::StatementsAlone as _;
use crate::{Limits, connect};

/// Names the file that a second process of these tests holds.
const HELD: &str = "PERIPLUS_TEST_DUCKDB_HELD";

#[test]
fn a_missing_library_is_named_with_what_to_do() {
    let error = Library::first_of(&["/nowhere/libduckdb.so".into()]).unwrap_err();
    assert_eq!(error.code(), "engine_library_missing");
    assert!(error.to_string().contains("/nowhere/libduckdb.so"), "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("PERIPLUS_DUCKDB_LIBRARY")));
}

#[test]
fn what_is_not_a_database_is_told_from_one_without_a_library() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("folder.duckdb")).unwrap();
    std::fs::write(path("empty.duckdb"), b"").unwrap();
    std::fs::write(path("text.ddb"), b"id,name\n1,ann\n2,bob\n").unwrap();
    for (dsn, code) in [
        (path("folder.duckdb"), "not_a_file"),
        (path("empty.duckdb"), "not_a_database"),
        (path("text.ddb"), "not_a_database"),
        (path("missing.DuckDB"), "missing_file"),
        (format!("duckdb://{}", path("missing")), "missing_file"),
        ("duckdb::memory:".to_owned(), "invalid_dsn"),
    ] {
        let error = connect("s", &dsn).unwrap_err();
        assert_eq!(error.code(), code, "{dsn}");
        if code == "missing_file" {
            assert!(error.hints()[0].contains("empty.duckdb, folder.duckdb, text.ddb"), "{:?}", error.hints());
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is made");
}

#[tokio::test]
async fn a_damaged_file_is_called_damaged() {
    let Some(made) = Made::with("CREATE TABLE t AS SELECT 'value ' || i AS a FROM range(100000) AS r (i)") else {
        return;
    };
    let mut bytes = std::fs::read(&made.path).unwrap();
    let length = bytes.len();
    // Past the headers.
    bytes[3 * 4096..length].fill(0xEE);
    std::fs::write(&made.path, bytes).unwrap();
    let error = run(&*made.connector(), "SELECT * FROM t").await.unwrap_err();
    assert_eq!(error.code(), "database_corrupt", "{error}");
}

/// Not a test by itself: what the next one starts as a process of its own, because a file's lock is a process's.
#[test]
fn another_process_that_writes() {
    let Ok(path) = std::env::var(HELD) else { return };
    let Some(library) = library() else { return };
    let _writer = writer(library, path.as_ref());
    println!("\nheld");
    // Until the other process lets go.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[tokio::test]
async fn a_file_held_by_a_process_that_writes_is_reported_in_time() {
    let Some(made) = Made::with("CREATE TABLE t AS SELECT 7 AS a") else { return };
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "duckdb::tests::faults::another_process_that_writes", "--nocapture"])
        .env(HELD, &made.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"), "the other process holds the file");
    let connector = made.connector();
    let limits = Limits { timeout: Duration::from_millis(300), ..Limits::default() };
    let error = connector.run_query("SELECT * FROM t", &limits).await.unwrap_err();
    assert_eq!(error.code(), "database_busy", "{error}");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    assert_eq!(run(&*connector, "SELECT * FROM t").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn what_a_writer_left_in_its_log_is_read_and_stays_there() {
    let Some(made) = Made::named("log.duckdb", "CREATE TABLE t (a INTEGER)") else { return };
    let beside = TempDir::new().unwrap();
    let copy = beside.path().join("copy.duckdb");
    {
        let writer = writer(library().unwrap(), &made.path);
        writer.run_script("SET checkpoint_threshold = '1GB'; INSERT INTO t VALUES (1), (2);").unwrap();
        // As a process leaves them that was killed.
        std::fs::copy(&made.path, &copy).unwrap();
        std::fs::copy(made.path.with_extension("duckdb.wal"), copy.with_extension("duckdb.wal")).unwrap();
    }
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(beside.path()).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>()
    };
    let before = files();
    let connector = connect("s", copy.to_str().unwrap()).unwrap();
    assert_eq!(run(&*connector, "SELECT a FROM t").await.unwrap().rows.len(), 2);
    drop(connector);
    assert!(before.len() == 2 && files() == before);
}
