//! Statements somebody wrote: read, limited, stopped, and nothing else.

use super::with_database;
use crate::Value;
use crate::promises::{self, TestDatabase as _, code, run, wait_until};
use crate::statements_alone::StatementsAlone as _;

const DATA: &str = "
CREATE TABLE t (id int PRIMARY KEY, a text);
INSERT INTO t SELECT n, repeat('x', 10) FROM generate_series(1, 20000) AS n;
CREATE SEQUENCE s;
CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; RETURN 1; END $$;
CREATE FUNCTION brazen() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN SET LOCAL transaction_read_only = off; DELETE FROM t; RETURN 1; END $$;
CREATE PROCEDURE leaves(INOUT a int) LANGUAGE plpgsql AS $$ BEGIN COMMIT; DELETE FROM t; END $$;
";

#[tokio::test]
async fn the_engine_refuses_to_write() {
    with_database("writes", DATA, |made| async move {
        let connector = made.connector();
        for (sql, expected) in [
            ("INSERT INTO t VALUES (0, 'a')", "denied_by_engine"),
            ("INSERT INTO t VALUES (0, 'a') RETURNING id", "denied_by_engine"),
            ("UPDATE t SET a = 'b' RETURNING id", "denied_by_engine"),
            ("DELETE FROM t RETURNING id", "denied_by_engine"),
            ("WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone", "denied_by_engine"),
            ("SELECT nextval('s')", "denied_by_engine"),
            ("SELECT setval('s', 7)", "denied_by_engine"),
            ("SELECT * INTO copied FROM t", "denied_by_engine"),
            ("CREATE TABLE copied AS SELECT 1", "denied_by_engine"),
            ("CREATE TEMPORARY TABLE copied (a int)", "denied_by_engine"),
            ("COPY t TO STDOUT", "denied_by_engine"),
            ("COPY t FROM STDIN", "denied_by_engine"),
            ("SELECT sneaky()", "denied_by_engine"),
            ("SELECT brazen()", "statement_failed"),
            ("CALL leaves(1)", "statement_failed"),
            ("DO $$ BEGIN DELETE FROM t; END $$", "denied_by_engine"),
            ("EXPLAIN ANALYZE DELETE FROM t", "denied_by_engine"),
            ("SELECT * FROM t FOR UPDATE", "denied_by_engine"),
            ("DROP TABLE t", "denied_by_engine"),
            ("TRUNCATE t", "denied_by_engine"),
            ("VACUUM t", "denied_by_engine"),
            ("COMMIT", "denied_by_engine"),
            ("SET default_transaction_read_only = off", "denied_by_engine"),
            ("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "denied_by_engine"),
            ("SELECT set_config('transaction_read_only', 'off', false)", "statement_failed"),
            ("LISTEN x", "denied_by_engine"),
            ("SELECT 1; SELECT 2", "statement_count"),
            ("SELECT 1; DROP TABLE t", "statement_count"),
            ("COMMIT; DROP TABLE t", "statement_count"),
            ("", "statement_count"),
            (" ; ", "statement_count"),
            ("SELECT $1::int", "statement_failed"),
            ("SELECT 'a\0b'", "statement_failed"),
            ("SELECT count(*) FROM t", "ok"),
        ] {
            assert_eq!(code(&*connector, sql).await, expected, "{sql}");
        }
        // A setting for the whole session is undone with its transaction.
        assert_eq!(code(&*connector, "SELECT set_config('default_transaction_read_only', 'off', false)").await, "ok");
        assert_eq!(code(&*connector, "SELECT nextval('s')").await, "denied_by_engine");
        assert_eq!(run(&*connector, "SELECT count(*) FROM t").await.unwrap().rows, [[Value::Integer(20000)]]);
        // What was asked for by hand doesn't outlive its statement either.
        assert_eq!(code(&*connector, "SELECT pg_advisory_lock(7)").await, "ok");
        let locks = run(&*connector, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").await.unwrap();
        assert_eq!(locks.rows, [[Value::Integer(0)]]);
    })
    .await;
}

#[tokio::test]
async fn preparing_runs_nothing_and_says_where_a_mistake_is() {
    with_database("prepare", DATA, |made| async move {
        let connector = made.connector();
        promises::preparing_runs_nothing_and_says_what_a_mistake_is(&*connector, "SELECT pg_sleep(1000)").await;
        let error = connector.prepare_query("SELECT ida FROM t").await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the database reports: column \"ida\" does not exist (at character 8); Perhaps you meant to reference the \
             column \"t.id\"."
        );
    })
    .await;
}

#[tokio::test]
async fn results_are_cut_at_their_limits_and_the_server_stops() {
    with_database("limits", DATA, |made| async move {
        let endless = "SELECT generate_series(1, 1000000000000) AS endless";
        promises::results_are_cut_at_their_limits_and_the_server_stops(&made, endless).await;
    })
    .await;
}

#[tokio::test]
async fn time_runs_out_on_the_server_too() {
    with_database("timeout", DATA, |made| async move {
        let slow = "SELECT pg_sleep(1000) AS slow";
        promises::time_runs_out_on_the_server_too(&made, slow).await;
    })
    .await;
}

#[tokio::test]
async fn a_statement_whose_client_is_gone_is_noticed_and_files_of_a_superuser_are_bounded() {
    with_database("held_back", DATA, |made| async move {
        let connector = made.connector();
        let sql = "SELECT current_setting('client_connection_check_interval'), current_setting('temp_file_limit'), \
                   current_setting('is_superuser'), current_setting('jit')";
        let result = run(&*connector, sql).await.unwrap();
        let [Value::Text(interval), Value::Text(files), Value::Text(superuser), Value::Text(compiled)] =
            result.rows[0].as_slice()
        else {
            panic!("{:?}", result.rows)
        };
        assert_eq!((interval.as_str(), compiled.as_str()), ("500ms", "off"));
        assert_eq!(files.as_str(), if superuser == "on" { "8GB" } else { "-1" });
    })
    .await;
}

#[tokio::test]
async fn a_dropped_query_is_stopped_on_the_server() {
    with_database("dropped", DATA, |made| async move {
        let slow = "SELECT pg_sleep(1000) AS dropped";
        promises::a_dropped_query_is_stopped_on_the_server(&made, slow).await;
    })
    .await;
}

#[tokio::test]
async fn the_server_knows_us_by_name_and_work_is_counted() {
    with_database("work", DATA, |made| async move {
        let connector = made.connector();
        let result = run(&*connector, "SELECT current_setting('application_name'), 1 UNION ALL SELECT 'b', 2").await;
        assert_eq!(result.unwrap().rows[0][0], Value::Text("periplus".into()));
        let work = connector.work();
        // Compiled, and run.
        assert_eq!((work.statements, work.rows_returned), (2, 2));
    })
    .await;
}

#[tokio::test]
async fn others_are_seen_while_they_have_a_transaction() {
    with_database("others", "", |made| async move {
        let connector = made.connector();
        let client = made.client().await;
        let sleeping = tokio::spawn(async move { client.batch_execute("SELECT pg_sleep(30)").await });
        wait_until(&made, "pg_sleep(30)", 1).await;
        // Other tests may work with the same server.
        assert!(connector.others_at_work().await.unwrap().unwrap() >= 1);
        sleeping.abort();
    })
    .await;
}

#[tokio::test]
async fn a_text_is_taken_apart_as_it_was_checked_whatever_the_database_has_set() {
    with_database("modes", "SELECT 1", |made| async move {
        let name = made.client().await.query_one("SELECT current_database()", &[]).await.unwrap().get::<_, String>(0);
        let sql = format!("ALTER DATABASE {name} SET standard_conforming_strings = off");
        made.client().await.batch_execute(&sql).await.unwrap();
        let connector = made.connector();
        let read = run(&*connector, r"SELECT 'a\', ' -- '").await.unwrap();
        assert_eq!(read.rows, [[Value::Text("a\\".into()), Value::Text(" -- ".into())]]);
    })
    .await;
}
