//! Statements somebody wrote: read, limited, stopped, and nothing else.

use std::time::{Duration, Instant};

use super::{Made, code, run, with_database};
use crate::clickhouse::address;
use crate::clickhouse::session::Server;
use crate::clickhouse::settings::Purpose;
use crate::result_set::Next;
use crate::server_pool::{CONNECTIONS, SLOW_CONNECTIONS};
use crate::statements_alone::StatementsAlone as _;
use crate::{ConnectError, Limits, Value};

const DATA: &str = "
CREATE TABLE t (id UInt32, a String) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number + 1, repeat('x', 10) FROM numbers(10000)";

/// How many statements run on the server that hold `marker`.
async fn running(made: &Made, marker: &str) -> u64 {
    let sql = format!("SELECT count() FROM system.processes WHERE position(query, '{marker}') > 0");
    // This statement holds it as well.
    made.read(&sql).await.trim().parse::<u64>().unwrap() - 1
}

pub(super) async fn wait_until(made: &Made, marker: &str, expected: u64) {
    let started = Instant::now();
    while running(made, marker).await != expected {
        assert!(started.elapsed() < Duration::from_secs(10), "never {expected} of {marker}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Runs a statement as if it had been understood before.
async fn not_compiled(made: &Made, sql: &str) -> Result<Vec<String>, ConnectError> {
    let dsn = made.dsn(None);
    let address = address::parse(&dsn, dsn.split_once(':').unwrap().1).unwrap();
    let session = Server::new(address)?.session(Limits::default().timeout).await?;
    session.each_row(sql, Purpose::Query { rows: 10 }, |_, _| Next::Continue).await
}

#[tokio::test]
async fn the_engine_refuses_to_write_and_to_leave_the_database() {
    with_database("writes", DATA, |made| async move {
        let connector = made.connector();
        let outside = std::env::temp_dir().join(format!("{}.csv", made.name));
        let out_file = format!("SELECT 1 INTO OUTFILE '{}'", outside.display());
        for (sql, expected) in [
            ("INSERT INTO t VALUES (0, 'a')", "denied_by_engine"),
            ("INSERT INTO t SELECT * FROM t", "denied_by_engine"),
            ("ALTER TABLE t UPDATE a = 'b' WHERE 1", "denied_by_engine"),
            ("DELETE FROM t WHERE 1", "denied_by_engine"),
            ("CREATE TABLE copied ENGINE = Memory AS SELECT 1 AS a", "denied_by_engine"),
            ("CREATE TEMPORARY TABLE copied (a Int8)", "denied_by_engine"),
            ("DROP TABLE t", "denied_by_engine"),
            ("TRUNCATE TABLE t", "denied_by_engine"),
            ("OPTIMIZE TABLE t FINAL", "denied_by_engine"),
            ("SYSTEM DROP MARK CACHE", "denied_by_engine"),
            ("SET readonly = 0", "denied_by_engine"),
            ("SET max_execution_time = 0", "denied_by_engine"),
            ("SELECT 1 SETTINGS readonly = 0", "denied_by_engine"),
            ("SELECT 1 SETTINGS max_result_rows = 0", "denied_by_engine"),
            ("SELECT * FROM file('/etc/passwd', 'LineAsString')", "denied_by_engine"),
            ("SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')", "denied_by_engine"),
            ("INSERT INTO FUNCTION file('/tmp/x.csv', 'CSV', 'a Int8') VALUES (1)", "denied_by_engine"),
            (&out_file, "denied_by_engine"),
            ("SELECT 1; SELECT 2", "statement_count"),
            ("SELECT 1; DROP TABLE t", "statement_count"),
            ("", "statement_count"),
            (" ; ", "statement_count"),
            ("-- nothing", "statement_count"),
            ("SELECT {name:String}", "statement_failed"),
            ("SELECT ';' FRM t", "statement_failed"),
            ("SELECT 1 FORMAT CSV", "statement_failed"),
            ("SELECT count() FROM t", "ok"),
            ("SELECT count() FROM t;", "ok"),
            ("SELECT ':name', 'a;b', `a`, \"a\" FROM t LIMIT 1", "ok"),
        ] {
            let outcome = not_compiled(&made, sql).await;
            let found = outcome.as_ref().map_or_else(|error| error.code(), |_| "ok");
            assert_eq!(found, expected, "{sql}: {outcome:?}");
        }
        assert!(!outside.exists());
        assert_eq!(run(&*connector, "SELECT count() FROM t").await.unwrap().rows, [[Value::Integer(10000)]]);
    })
    .await;
}

#[tokio::test]
async fn preparing_runs_nothing_and_says_what_a_mistake_is() {
    with_database("prepare", DATA, |made| async move {
        let connector = made.connector();
        let started = Instant::now();
        connector.prepare_query("SELECT sum(sleepEachRow(1)) FROM t").await.unwrap();
        // A subquery that is a value is worked out, on a block of rows and not on all.
        connector.prepare_query("SELECT (SELECT count() FROM numbers(1000000000000)), a FROM t;").await.unwrap();
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        for (sql, expected) in [
            ("SELECT nme FROM t", "statement_failed"),
            ("SELECT a + 1 FROM t", "statement_failed"),
            ("SELECT nosuch(a) FROM t", "statement_failed"),
            ("SELECT a FROM nosuch", "statement_failed"),
            ("SELECT a, count() FROM t", "statement_failed"),
            ("SELEC 1", "statement_failed"),
            ("SELECT 1; SELECT 2", "statement_count"),
            ("", "statement_count"),
            ("DROP TABLE t", "denied_by_engine"),
            ("SET max_threads = 1", "denied_by_engine"),
            ("KILL QUERY WHERE 1", "denied_by_engine"),
        ] {
            let error = connector.prepare_query(sql).await.unwrap_err();
            assert_eq!(error.code(), expected, "{sql}: {error}");
        }
        let error = connector.prepare_query("SELECT ida FROM t").await.unwrap_err();
        assert!(error.to_string().contains("ida"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn results_are_cut_at_their_limits_and_the_server_stops() {
    with_database("limits", DATA, |made| async move {
        let connector = made.connector();
        let limits = Limits { rows: 3, ..Limits::default() };
        let result = connector.run_query("SELECT id FROM t ORDER BY id", &limits).await.unwrap();
        assert_eq!(result.rows, [[Value::Integer(1)], [Value::Integer(2)], [Value::Integer(3)]]);
        assert_eq!(result.truncated.as_deref(), Some("row limit 3"));
        let result = connector.run_query("SELECT id FROM t ORDER BY id LIMIT 3", &limits).await.unwrap();
        assert_eq!(result.truncated, None);
        let limits = Limits { bytes: 100, cell_chars: 4, ..Limits::default() };
        let result = connector.run_query("SELECT a FROM t", &limits).await.unwrap();
        assert_eq!(result.rows[0], [Value::Text("xxxx".into())]);
        assert_eq!(result.truncated.as_deref(), Some("byte limit 100; cells cut at 4 characters"));
        // Rows without an end, of which few are wanted, or few bytes.
        for limits in [Limits { rows: 10, ..Limits::default() }, Limits { bytes: 10_000, ..Limits::default() }] {
            let started = Instant::now();
            let endless = "SELECT number AS endless, repeat('x', 100) FROM numbers(1000000000000)";
            let result = connector.run_query(endless, &limits).await.unwrap();
            assert!(result.truncated.is_some() && result.rows.len() <= 1000);
            assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
            wait_until(&made, "AS endless", 0).await;
        }
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
    })
    .await;
}

#[tokio::test]
async fn an_exception_behind_the_first_rows_is_an_error() {
    with_database("midway", DATA, |made| async move {
        let connector = made.connector();
        let limits = Limits { rows: usize::MAX, bytes: usize::MAX, ..Limits::default() };
        for column in ["number", "toString(number)", "'Code: 1. DB::Exception: ' || toString(number)"] {
            let sql = format!("SELECT {column} FROM numbers(400000) WHERE throwIf(number = 390000) = 0");
            let error = connector.run_query(&sql, &limits).await.unwrap_err();
            assert_eq!(error.code(), "statement_failed", "{error}");
            assert!(error.to_string().contains("throwIf"), "{error}");
        }
    })
    .await;
}

#[tokio::test]
async fn time_runs_out_on_the_server_too() {
    with_database("timeout", DATA, |made| async move {
        let connector = made.connector();
        let limits = Limits { timeout: Duration::from_millis(300), ..Limits::default() };
        let started = Instant::now();
        let slow = "SELECT count() AS slow FROM numbers(100000000000000) WHERE sipHash64(number) = 1";
        let error = connector.run_query(slow, &limits).await.unwrap_err();
        assert_eq!(error.code(), "timeout");
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        wait_until(&made, "AS slow", 0).await;
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
    })
    .await;
}

#[tokio::test]
async fn a_dropped_query_is_stopped_on_the_server() {
    with_database("dropped", DATA, |made| async move {
        let connector: std::sync::Arc<dyn crate::Connector> = made.connector().into();
        let limits = Limits { timeout: Duration::from_secs(600), ..Limits::default() };
        let most = CONNECTIONS + SLOW_CONNECTIONS;
        let queries: Vec<_> = (0..most + 2)
            .map(|_| {
                let (connector, limits) = (std::sync::Arc::clone(&connector), limits.clone());
                let sql = "SELECT count() AS dropped FROM numbers(100000000000000) WHERE sipHash64(number) = 1";
                tokio::spawn(async move { connector.run_query(sql, &limits).await })
            })
            .collect();
        // First those that there are for everybody, then those for who takes long, and no more.
        let most = most as u64;
        wait_until(&made, "AS dropped", most).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(running(&made, "AS dropped").await, most);
        queries.iter().for_each(tokio::task::JoinHandle::abort);
        wait_until(&made, "AS dropped", 0).await;
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
    })
    .await;
}

#[tokio::test]
async fn work_is_counted() {
    with_database("work", DATA, |made| async move {
        let connector = made.connector();
        run(&*connector, "SELECT 'a', 1 UNION ALL SELECT 'b', 2").await.unwrap();
        let work = connector.work();
        // Read, understood, and run.
        assert_eq!(work.statements, 3);
        assert!(work.rows_returned >= 2);
        connector.prepare_query("SELECT 1").await.unwrap();
        assert_eq!(connector.work().statements, 5);
    })
    .await;
}
