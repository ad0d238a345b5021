//! Statements of SQLite in processes of their own, as the binary runs them: what an engine can't be kept from doing is ended from
//! outside. The statements are judged by nobody here.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "what the guard refuses is what has to be contained")]

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use connect::{Connector, EngineProgram, Limits, Value};
use tempfile::TempDir;

/// One call of more than a minute, which looks at neither clock nor progress handler: from each of sixteen million letters on, 4,800 of a
/// pattern are compared until its last one differs.
const ONE_LONG_CALL: &str =
    "SELECT replace(hex(zeroblob(8000000)), '0', 'a') LIKE '%' || replace(hex(zeroblob(2400)), '0', 'a') || 'b'";

fn database() -> (TempDir, Box<dyn Connector>) {
    connect::run_engines_in(EngineProgram {
        program: env!("CARGO_BIN_EXE_periplus").into(),
        arguments: vec![OsString::from("engine-process")],
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        .unwrap();
    let connector = connect::connect("s", path.to_str().unwrap()).unwrap();
    (folder, connector)
}

fn limits(seconds: f64) -> Limits {
    Limits { timeout: Duration::from_secs_f64(seconds), ..Limits::default() }
}

/// Processes that hold a file of this folder open.
fn holding(folder: &Path) -> usize {
    let holds = |process: &Path| {
        let files = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|file| file.starts_with(folder))
    };
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter(|process| *process.file_name() != *own && holds(&process.path())).count()
}

async fn gone(folder: &Path) {
    let started = Instant::now();
    while holding(folder) > 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "it goes on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_interrupted_ends_with_its_process() {
    let (folder, connector) = database();
    let mut session = connector.open_statement(ONE_LONG_CALL, &[], &limits(0.3)).await.unwrap();
    assert_eq!(holding(folder.path()), 1, "it runs elsewhere");
    assert_eq!(session.run().await.unwrap_err().code(), "timeout");
    session.end().await;
    gone(folder.path()).await;
    // The next one has another process.
    let mut session = connector.open_statement("SELECT sum(a) FROM t", &[], &limits(10.0)).await.unwrap();
    assert_eq!(session.run().await.unwrap().rows, [[Value::Integer(3)]]);
    session.end().await;
}

#[tokio::test]
async fn a_statement_that_nobody_waits_for_ends_at_once() {
    let (folder, connector) = database();
    let mut session = connector.open_statement(ONE_LONG_CALL, &[], &limits(60.0)).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(300), session.run()).await.is_err(), "it takes longer");
    assert_eq!(holding(folder.path()), 1);
    assert_eq!(session.plan().await.unwrap_err().code(), "engine_ended", "the rows may still come");
    session.end().await;
    gone(folder.path()).await;
    let mut session = connector.open_statement(ONE_LONG_CALL, &[], &limits(60.0)).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(300), session.run()).await.is_err(), "it takes longer");
    drop(session);
    gone(folder.path()).await;
}

#[tokio::test]
async fn no_process_outlives_its_caller() {
    let (folder, connector) = database();
    let session = connector.open_statement("SELECT 1", &[], &limits(60.0)).await.unwrap();
    session.end().await;
    assert_eq!(holding(folder.path()), 1, "it waits for the next statement");
    drop(connector);
    gone(folder.path()).await;
}

#[tokio::test]
async fn rows_and_errors_come_through_as_they_are() {
    let (_folder, connector) = database();
    let all =
        "SELECT NULL, 9223372036854775807, 0.1 + 0.2, 9e999, 'Zoë' || char(10) || '\"', x'00ff', a FROM t ORDER BY a";
    let mut session = connector.open_statement(all, &[], &limits(10.0)).await.unwrap();
    let rows = session.run().await.unwrap().rows;
    let first = [
        Value::Null,
        Value::Integer(i64::MAX),
        Value::Real(0.1 + 0.2),
        Value::Real(f64::INFINITY),
        Value::Text("Zoë\n\"".to_owned()),
        Value::Bytes(2),
        Value::Integer(1),
    ];
    assert_eq!(rows[0], first);
    session.end().await;
    for (sql, code) in [
        ("SELECT nothing FROM t", "statement_failed"),
        ("", "statement_count"),
        ("DELETE FROM t", "denied_by_engine"),
        ("SELECT randomblob(100000000)", "value_too_large"),
    ] {
        let failed = match connector.open_statement(sql, &[], &limits(10.0)).await {
            Ok(mut session) => session.run().await.unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(failed.code(), code, "{sql}");
    }
}
