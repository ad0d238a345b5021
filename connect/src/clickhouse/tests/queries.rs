//! Statements somebody wrote: read, limited, stopped, and nothing else.

use std::time::{Duration, Instant};

use super::{Made, with_database};
use crate::clickhouse::address;
use crate::clickhouse::session::Server;
use crate::clickhouse::settings::Purpose;
use crate::promises::{self, TestDatabase as _, run};
use crate::result_set::Next;
use crate::statements_alone::StatementsAlone as _;
use crate::{ConnectError, Limits, Value};

const DATA: &str = "
CREATE TABLE t (id UInt32, a String) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number + 1, repeat('x', 10) FROM numbers(10000)";

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
        let slow = "SELECT sum(sleepEachRow(1)) FROM t";
        promises::preparing_runs_nothing_and_says_what_a_mistake_is(&*connector, slow).await;
        // A subquery that is a value is worked out, on a block of rows and not on all.
        let started = Instant::now();
        connector.prepare_query("SELECT (SELECT count() FROM numbers(1000000000000)), a FROM t;").await.unwrap();
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        for (sql, expected) in [
            ("SELECT a + 1 FROM t", "statement_failed"),
            ("SELECT nosuch(a) FROM t", "statement_failed"),
            ("SELECT a FROM nosuch", "statement_failed"),
            ("SELECT a, count() FROM t", "statement_failed"),
            ("", "statement_count"),
            ("SET max_threads = 1", "denied_by_engine"),
            ("KILL QUERY WHERE 1", "denied_by_engine"),
        ] {
            let error = connector.prepare_query(sql).await.unwrap_err();
            assert_eq!(error.code(), expected, "{sql}: {error}");
        }
    })
    .await;
}

#[tokio::test]
async fn results_are_cut_at_their_limits_and_the_server_stops() {
    with_database("limits", DATA, |made| async move {
        let endless = "SELECT number AS endless, repeat('x', 100) FROM numbers(1000000000000)";
        promises::results_are_cut_at_their_limits_and_the_server_stops(&made, endless).await;
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
        let slow = "SELECT count() AS slow FROM numbers(100000000000000) WHERE sipHash64(number) = 1";
        promises::time_runs_out_on_the_server_too(&made, slow).await;
    })
    .await;
}

#[tokio::test]
async fn a_dropped_query_is_stopped_on_the_server() {
    with_database("dropped", DATA, |made| async move {
        let slow = "SELECT count() AS dropped FROM numbers(100000000000000) WHERE sipHash64(number) = 1";
        promises::a_dropped_query_is_stopped_on_the_server(&made, slow).await;
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
