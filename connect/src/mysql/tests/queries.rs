//! Statements somebody wrote: read, limited, stopped, and nothing else.

use std::time::Duration;

use mysql_async::prelude::Queryable;

use super::{is_mariadb, with_database};
use crate::Value;
use crate::mysql::session::{Flavour, begin};
use crate::promises::{self, TestDatabase as _, code, run};

const DATA: &str = "
CREATE TABLE digits (d int); INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
CREATE TABLE t (id int PRIMARY KEY, a text);
INSERT INTO t SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d, REPEAT('x', 10)
FROM digits a, digits b, digits c, digits e;
CREATE TABLE old (id int) ENGINE = MyISAM; INSERT INTO old VALUES (1);
CREATE FUNCTION sneaky() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM t; RETURN 1; END;
CREATE FUNCTION brazen() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM old; RETURN 1; END;
CREATE PROCEDURE leaves() BEGIN COMMIT; DELETE FROM t; SELECT 1; END;
";

#[tokio::test]
async fn the_engine_refuses_to_write() {
    with_database("writes", DATA, |made| async move {
        let connector = made.connector();
        let mut both = vec![
            ("INSERT INTO t VALUES (0, 'a')", "denied_by_engine"),
            ("UPDATE t SET a = 'b'", "denied_by_engine"),
            ("DELETE FROM t", "denied_by_engine"),
            ("REPLACE INTO t VALUES (1, 'a')", "denied_by_engine"),
            ("CREATE TABLE copied AS SELECT 1 AS a", "denied_by_engine"),
            ("CREATE TEMPORARY TABLE copied (a int)", "denied_by_engine"),
            ("SELECT sneaky()", "denied_by_engine"),
            ("SELECT brazen()", "denied_by_engine"),
            ("CALL leaves()", "denied_by_engine"),
            ("DROP TABLE t", "denied_by_engine"),
            ("TRUNCATE t", "denied_by_engine"),
            ("ANALYZE TABLE t", "denied_by_engine"),
            ("OPTIMIZE TABLE t", "denied_by_engine"),
            ("REPAIR TABLE old", "denied_by_engine"),
            ("CHECK TABLE t", "denied_by_engine"),
            ("COMMIT", "denied_by_engine"),
            ("SET SESSION TRANSACTION READ WRITE", "denied_by_engine"),
            ("SET GLOBAL read_only = 0", "denied_by_engine"),
            ("START TRANSACTION", "denied_by_engine"),
            ("LOCK TABLES t WRITE", "denied_by_engine"),
            ("USE mysql", "denied_by_engine"),
            ("SELECT 1 INTO OUTFILE '/tmp/periplus_test_out'", "denied_by_engine"),
            ("SELECT 1 INTO @a", "denied_by_engine"),
            ("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t", "denied_by_engine"),
            ("KILL 1", "denied_by_engine"),
            ("SELECT 1; SELECT 2", "statement_count"),
            ("SELECT 1; DROP TABLE t", "statement_count"),
            ("COMMIT; DROP TABLE t", "statement_count"),
            ("", "statement_count"),
            (" ; ", "statement_count"),
            ("SELECT ?", "statement_failed"),
            ("SELECT :name", "statement_failed"),
            ("SELECT ';' FRM t", "statement_failed"),
            ("SELECT COUNT(*) FROM t", "ok"),
            ("SELECT COUNT(*) FROM t;", "ok"),
            ("SELECT ':name', 'a;b', `a` FROM t LIMIT 1", "ok"),
        ];
        if is_mariadb(&made).await {
            made.client().await.query_drop("CREATE SEQUENCE s").await.unwrap();
            both.extend([
                ("INSERT INTO t VALUES (0, 'a') RETURNING id", "denied_by_engine"),
                ("DELETE FROM t RETURNING id", "denied_by_engine"),
                ("SELECT NEXTVAL(s)", "denied_by_engine"),
                ("SELECT SETVAL(s, 7)", "denied_by_engine"),
                ("ANALYZE DELETE FROM t", "denied_by_engine"),
                ("BEGIN NOT ATOMIC COMMIT; DELETE FROM t; SELECT 1; END", "denied_by_engine"),
                ("EXECUTE IMMEDIATE 'DELETE FROM t'", "denied_by_engine"),
            ]);
        }
        for (sql, expected) in both {
            let outcome = run(&*connector, sql).await;
            let found = outcome.as_ref().map_or_else(|error| error.code(), |_| "ok");
            assert_eq!(found, expected, "{sql}: {outcome:?}");
        }
        assert_eq!(run(&*connector, "SELECT COUNT(*) FROM t").await.unwrap().rows, [[Value::Integer(10000)]]);
        // What was asked for by hand doesn't outlive its statement.
        assert_eq!(code(&*connector, "SELECT GET_LOCK('periplus', 0), @kept := 7").await, "ok");
        let lock = run(&*connector, "SELECT IS_FREE_LOCK('periplus'), @kept").await.unwrap();
        assert_eq!(lock.rows, [[Value::Integer(1), Value::Null]]);
    })
    .await;
}

#[tokio::test]
async fn double_quotes_mean_what_the_server_says() {
    with_database("quotes", "CREATE TABLE t (a int); INSERT INTO t VALUES (5)", |made| async move {
        let connector = made.connector();
        let ansi: String = made.client().await.query_first("SELECT @@global.sql_mode").await.unwrap().unwrap();
        let expected = if ansi.contains("ANSI_QUOTES") { Value::Integer(5) } else { Value::Text("a".into()) };
        assert_eq!(run(&*connector, "SELECT \"a\" FROM t").await.unwrap().rows, [[expected]]);
    })
    .await;
}

#[tokio::test]
async fn preparing_runs_nothing_and_says_what_a_mistake_is() {
    with_database("prepare", DATA, |made| async move {
        let connector = made.connector();
        promises::preparing_runs_nothing_and_says_what_a_mistake_is(&*connector, "SELECT SLEEP(1000)").await;
    })
    .await;
}

#[tokio::test]
async fn results_are_cut_at_their_limits_and_the_server_stops() {
    with_database("limits", DATA, |made| async move {
        let endless = "SELECT a.id AS endless FROM t a, t b, t c, t d";
        promises::results_are_cut_at_their_limits_and_the_server_stops(&made, endless).await;
    })
    .await;
}

#[tokio::test]
async fn time_runs_out_on_the_server_too() {
    with_database("timeout", DATA, |made| async move {
        let slow = "SELECT COUNT(*) AS slow FROM t a, t b, t c WHERE a.id + b.id + c.id = 1";
        promises::time_runs_out_on_the_server_too(&made, slow).await;
    })
    .await;
}

#[tokio::test]
async fn one_session_takes_no_more_of_the_server_than_its_share() {
    with_database("share", DATA, |made| async move {
        let connector = made.connector();
        // MySQL knows neither.
        let Ok(result) = run(&*connector, "SELECT @@max_session_mem_used, @@tmp_disk_table_size").await else { return };
        assert_eq!(result.rows[0], [Value::Integer(1 << 30), Value::Integer(8 << 30)]);
    })
    .await;
}

#[tokio::test]
async fn a_dropped_query_is_stopped_on_the_server() {
    with_database("dropped", DATA, |made| async move {
        let slow = "SELECT SLEEP(1000) AS dropped";
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
        // Compiled, and run.
        assert_eq!((work.statements, work.rows_returned), (2, 2));
        let before = work.rows_scanned;
        run(&*connector, "SELECT COUNT(*) FROM digits WHERE d > 3").await.unwrap();
        let scanned = connector.work().rows_scanned - before;
        assert!((10..20).contains(&scanned), "{scanned}");
    })
    .await;
}

#[tokio::test]
async fn others_are_seen_while_they_have_a_statement() {
    with_database("others", "", |made| async move {
        let connector = made.connector();
        let mut client = made.client().await;
        let sleeping = tokio::spawn(async move { client.query_drop("SELECT SLEEP(5)").await });
        let mut others = 0;
        // Until it has begun.
        for _ in 0..100 {
            others = connector.others_at_work().await.unwrap().unwrap();
            if others > 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(others > 0);
        sleeping.abort();
    })
    .await;
}

#[tokio::test]
async fn a_text_is_taken_apart_as_it_was_checked_whatever_the_server_has_set() {
    with_database("modes", "SELECT 1", |made| async move {
        let mariadb = is_mariadb(&made).await;
        let flavour = if mariadb { Flavour::MariaDb } else { Flavour::MySql };
        let (both, oracle) = ("NO_BACKSLASH_ESCAPES,ANSI_QUOTES,STRICT_ALL_TABLES", "ORACLE,STRICT_ALL_TABLES");
        let modes = if mariadb { vec![both, oracle, "MAXDB,ANSI,STRICT_ALL_TABLES"] } else { vec![both, "ANSI"] };
        for mode in modes {
            let mut client = made.client().await;
            client.query_drop(format!("SET SESSION sql_mode = '{mode}'")).await.unwrap();
            client.query_drop(begin(Duration::from_secs(5), flavour)).await.unwrap();
            let read: (String, String, String) =
                client.query_first(r#"SELECT '\' , 2 -- ', "a", @@sql_mode"#).await.unwrap().unwrap();
            assert_eq!((read.0.as_str(), read.1.as_str()), ("' , 2 -- ", "a"), "{mode}");
            assert_eq!(read.2.contains("STRICT_ALL_TABLES"), mode.contains("STRICT_ALL_TABLES"), "{mode}: {}", read.2);
        }
    })
    .await;
}

#[tokio::test]
async fn who_asks_is_told_and_statements_are_counted_where_the_server_counts_them() {
    with_database("statements", "CREATE TABLE t (a int)", |made| async move {
        let connector = made.connector();
        assert!(connector.role().await.unwrap().is_some_and(|role| !role.is_empty()));
        let counts: Option<bool> = made.client().await.query_first("SELECT @@performance_schema").await.unwrap();
        let found = connector.statements_run().await.unwrap();
        assert_eq!(found.is_some(), counts == Some(true));
        assert!(found.unwrap_or_default().iter().all(|run| run.runs > 0 && !run.sql.is_empty()));
    })
    .await;
}
