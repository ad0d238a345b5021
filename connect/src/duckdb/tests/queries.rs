//! Statements that somebody wrote: what runs, what the engine refuses, and what stops it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Made, library, writer};
use crate::promises::{code, run};
use crate::statements_alone::StatementsAlone as _;
use crate::{ConnectError, Connector, Limits, Value};

const ENDLESS: &str = "SELECT count(*) FROM range(1000000000000) AS a (i), range(1000) AS b (j) WHERE (i * j) % 7 = 3";

#[tokio::test]
async fn the_engine_refuses_what_is_not_reading() {
    let Some(made) = Made::with(
        "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1); CREATE SEQUENCE s;
         CREATE MACRO logs() AS TABLE SELECT * FROM enable_logging();",
    ) else {
        return;
    };
    let folder = made.path.parent().unwrap();
    let other = folder.join("other").display().to_string().replace('\'', "''");
    let listing = || std::fs::read_dir(folder).unwrap().count();
    let (before, files) = (std::fs::read(&made.path).unwrap(), listing());
    let connector = made.connector();
    for sql in [
        "INSERT INTO t VALUES (2)",
        "INSERT INTO t VALUES (2) RETURNING a",
        "UPDATE t SET a = 2",
        "DELETE FROM t",
        "TRUNCATE t",
        "MERGE INTO t USING t AS u ON t.a = u.a WHEN MATCHED THEN DELETE",
        "DROP TABLE t",
        "ALTER TABLE t RENAME TO u",
        "COMMENT ON TABLE t IS 'x'",
        "CREATE TABLE u (a INTEGER)",
        "CREATE TEMP TABLE u AS SELECT 1",
        "CREATE TEMP VIEW u AS SELECT 1",
        "CREATE TEMP MACRO f(a) AS a",
        "CREATE TYPE m AS ENUM ('a')",
        "EXPLAIN ANALYZE CREATE TEMP TABLE u AS SELECT 1",
        "EXPLAIN (ANALYZE) CREATE TEMP TABLE u AS SELECT 1",
        "EXPLAIN /* ; */ ANALYZE CREATE TEMP TABLE u AS SELECT 1",
        "EXPLAIN ANALYZE INSERT INTO t VALUES (2)",
        "SELECT nextval('s')",
        &format!("COPY t TO '{other}.csv'"),
        &format!("COPY (SELECT 1) TO '{other}.parquet'"),
        &format!("COPY t FROM '{other}.csv'"),
        &format!("EXPORT DATABASE '{other}'"),
        &format!("IMPORT DATABASE '{other}'"),
        &format!("ATTACH '{other}.duckdb' AS o"),
        "ATTACH ':memory:' AS o",
        "DETACH s",
        "USE main",
        "INSTALL httpfs",
        "LOAD httpfs",
        "UPDATE EXTENSIONS",
        "SET memory_limit = '8GB'",
        "SET GLOBAL enable_external_access = true",
        "RESET memory_limit",
        "SET VARIABLE x = 1",
        "SET schema = 'main'",
        "PRAGMA enable_profiling",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "CALL enable_logging()",
        "CHECKPOINT",
        "VACUUM",
        "ANALYZE",
        "BEGIN",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "CREATE SECRET (TYPE s3)",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM duckdb_secrets(), read_text('http://127.0.0.1/')",
        &format!("SELECT * FROM enable_logging(storage = 'file', storage_path = '{other}')"),
        "SELECT * FROM query('SELECT * FROM enable_' || 'logging()')",
        "SELECT 1 WHERE EXISTS (SELECT * FROM disable_logging())",
        "SELECT * FROM logs()",
        "SELECT * FROM checkpoint()",
        "SELECT * FROM truncate_duckdb_logs()",
    ] {
        let error = run(&*connector, sql).await.expect_err(sql);
        assert!(["denied_by_engine", "statement_failed"].contains(&error.code()), "{sql}: {error:?}");
        // What these do is only seen when they run.
        let run_only = ["nextval", "sniff_csv"];
        assert!(connector.prepare_query(sql).await.is_err() || run_only.iter().any(|part| sql.contains(part)), "{sql}");
    }
    assert_eq!(run(&*connector, "SELECT a FROM t").await.unwrap().rows, [[Value::Integer(1)]]);
    drop(connector);
    assert_eq!(std::fs::read(&made.path).unwrap(), before);
    assert_eq!(listing(), files);
}

#[tokio::test]
async fn one_statement_is_expected() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    for (sql, expected) in [
        ("SELECT 1; SELECT 2", "statement_count"),
        ("SELECT 1; DROP TABLE t", "statement_count"),
        ("", "statement_count"),
        ("-- nothing", "statement_count"),
        ("SELECT nothing FROM t", "statement_failed"),
        ("SELEC 1", "statement_failed"),
        ("SELECT 1\0; DROP TABLE t", "statement_failed"),
    ] {
        assert_eq!(code(&*connector, sql).await, expected, "{sql}");
        assert_eq!(connector.prepare_query(sql).await.unwrap_err().code(), expected, "{sql}");
    }
    let error = run(&*connector, "SELECT nothing FROM t").await.unwrap_err();
    assert!(!error.to_string().contains('\n') && !error.to_string().contains('^'), "{error}");
    assert_eq!(run(&*connector, "SELECT 1; -- done").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn reading_in_all_its_forms_is_allowed() {
    let Some(made) = Made::with("CREATE TABLE t AS SELECT i AS a, [i, i] AS l FROM range(3) AS r (i)") else { return };
    let connector = made.connector();
    for (sql, rows) in [
        ("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n", 5),
        ("/* first */ FROM t", 3),
        ("VALUES (1), (2)", 2),
        ("(SELECT a FROM t) UNION ALL (SELECT 1)", 4),
        ("SELECT unnest(l), row_number() OVER (ORDER BY a) FROM t QUALIFY true", 6),
        ("SELECT * FROM (SELECT a FROM t) PIVOT (count(*) FOR a IN (1, 2))", 1),
        ("SELECT COLUMNS('a') FROM t USING SAMPLE 2 ROWS", 2),
        ("EXPLAIN SELECT * FROM t", 1),
        ("explain analyze select * from t", 1),
        ("DESCRIBE t", 2),
    ] {
        let result = run(&*connector, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(result.rows.len(), rows, "{sql}");
    }
}

/// DuckDB 1.5 fails at these where only the statistics of columns are left out.
#[tokio::test]
async fn the_first_rows_of_each_group_of_a_join_come() {
    let Some(made) = Made::with(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, country VARCHAR);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total DOUBLE);
         INSERT INTO customers SELECT i, 'c' || (i % 5) FROM range(200) AS r (i);
         INSERT INTO orders SELECT i, i * 7 % 200, i * 1.5 FROM range(100) AS r (i);",
    ) else {
        return;
    };
    let first = "SELECT * FROM (SELECT c.country, o.id, o.total, row_number() OVER (PARTITION BY c.country ORDER BY o.total DESC) AS place \
                 FROM orders o JOIN customers c ON c.id = o.customer_id) s WHERE place <= 3";
    let connector = made.connector();
    let rows = run(&*connector, first).await.unwrap();
    assert_eq!(rows.rows.len(), 15);
}

#[tokio::test]
async fn a_statement_is_stopped_at_its_time_limit_and_the_connection_is_fit_for_the_next() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    let limits = Limits { timeout: Duration::from_millis(200), ..Limits::default() };
    let started = Instant::now();
    let error = connector.run_query(ENDLESS, &limits).await.unwrap_err();
    assert_eq!(error, ConnectError::Timeout { after: limits.timeout });
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(run(&*connector, "SELECT 1").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn a_dropped_future_stops_its_statement() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    connector.introspect().await.unwrap();
    let before = connector.work().statements;
    let limits = Limits { timeout: Duration::from_secs(600), ..Limits::default() };
    let waited = tokio::time::timeout(Duration::from_millis(100), connector.run_query(ENDLESS, &limits)).await;
    assert!(waited.is_err());
    let deadline = Instant::now() + Duration::from_secs(10);
    // Its plan is one, and it is the other.
    while connector.work().statements < before + 2 {
        assert!(Instant::now() < deadline, "the statement is still running");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_one_statement_stops_no_other() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector: Arc<dyn Connector> = made.connector().into();
    let tasks = (0..60).map(|number| {
        let connector = Arc::clone(&connector);
        tokio::spawn(async move {
            let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
            if number % 2 == 0 {
                let dropped = connector.run_query(ENDLESS, &limits);
                assert!(tokio::time::timeout(Duration::from_millis(number), dropped).await.is_err());
            } else {
                let sql = "SELECT count(*) FROM range(200000) AS r (i)";
                let result = connector.run_query(sql, &limits).await.unwrap();
                assert_eq!(result.rows, [[Value::Integer(200_000)]]);
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn rows_stream_until_a_limit_and_an_endless_query_ends_there() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    let endless = "SELECT i, 'some text' FROM range(1000000000000) AS r (i)";
    let result = run(&*connector, endless).await.unwrap();
    assert_eq!((result.rows.len(), result.truncated.as_deref()), (1000, Some("row limit 1000")));
    let limits = Limits { bytes: 1900, ..Limits::default() };
    let result = connector.run_query(endless, &limits).await.unwrap();
    assert_eq!((result.rows.len(), result.truncated.as_deref()), (100, Some("byte limit 1900")));
    let long = run(&*connector, "SELECT range(i), repeat('ä', i) FROM (SELECT unnest([3000000]) AS i)").await.unwrap();
    assert!(long.rows[0].iter().all(|cell| matches!(cell, Value::Text(text) if text.chars().count() == 4096)));
    assert_eq!(long.truncated.as_deref(), Some("cells cut at 4096 characters"));
}

#[tokio::test]
async fn memory_is_limited_and_nothing_is_spilt() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
    let large = "SELECT count(*) FROM (SELECT DISTINCT i || repeat('x', 100) FROM range(50000000) AS r (i))";
    let error = connector.run_query(large, &limits).await.unwrap_err();
    assert!(error.to_string().contains("Out of Memory"), "{error}");
    assert_eq!(run(&*connector, "SELECT 1").await.unwrap().rows.len(), 1);
    assert_eq!(std::fs::read_dir(made.path.parent().unwrap()).unwrap().count(), 1);
}

/// What some aggregates keep of each group isn't in the engine's own count.
#[tokio::test]
async fn memory_beside_the_engines_own_count_is_limited_too() {
    let Some(made) = Made::with("CREATE TABLE t AS SELECT i AS id, i * 7.5 AS amount FROM range(4000000) AS r (i)")
    else {
        return;
    };
    let connector = made.connector();
    let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
    let sql = "SELECT id, approx_quantile(amount, 0.5) AS q FROM t GROUP BY id ORDER BY q LIMIT 5";
    let error = connector.run_query(sql, &limits).await.unwrap_err();
    assert!(error.to_string().contains("it took more than 2 GB"), "{error}");
    assert_eq!(run(&*connector, "SELECT 1").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn the_file_is_let_go_when_nothing_is_asked() {
    let Some(made) = Made::with("CREATE TABLE t AS SELECT 1 AS a") else { return };
    let connector = made.connector();
    assert_eq!(run(&*connector, "SELECT * FROM t").await.unwrap().rows.len(), 1);
    let deadline = Instant::now() + Duration::from_secs(20);
    // What another database of this process writes is only seen once the file has been opened anew.
    writer(library().unwrap(), &made.path).run_script("INSERT INTO t VALUES (2)").unwrap();
    while run(&*connector, "SELECT * FROM t").await.unwrap().rows.len() < 2 {
        assert!(Instant::now() < deadline, "the file is still open");
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
}
