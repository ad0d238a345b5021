//! Servers that are away, refuse, lock, or go.

use std::time::Duration;

use super::{VARIABLE, with_database};
use crate::promises::{self, TestDatabase as _, code, run, table, text};
use crate::statements_alone::StatementsAlone as _;
use crate::{Limits, Value, connect};

#[tokio::test]
async fn a_server_that_is_not_there_is_reported_without_secrets() {
    let addresses = ["postgres://ann:s3cret@127.0.0.1:1/sales", "postgres://ann:s3cret@no-such-host.invalid/sales"];
    promises::absent_servers_are_reported_without_secrets(addresses).await;
}

#[tokio::test]
async fn a_database_or_a_user_that_does_not_exist_is_told() {
    with_database("missing", "", |made| async move {
        let (missing, nobody) = (format!("{}_not", made.dsn(None)), made.dsn(Some("periplus_nobody:s3cret")));
        promises::absent_databases_and_users_are_told(&missing, "does not exist", &nobody).await;
    })
    .await;
}

#[tokio::test]
async fn encryption_is_as_the_address_asks() {
    with_database("tls", "", |made| async move {
        let has_tls = run(&*made.connector(), "SHOW ssl").await.unwrap().rows[0][0] == text("on");
        let (address, query) = (made.dsn(None), "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        let settings = [
            ("sslmode=disable", Some(false)),
            ("sslmode=prefer", Some(has_tls)),
            ("sslmode=require", has_tls.then_some(true)),
        ];
        promises::encryption_is_as_the_address_asks(&address, settings, query, Value::Boolean).await;
        promises::certificates_are_checked(&address, "sslmode=verify-full", "sslrootcert").await;
    })
    .await;
}

#[tokio::test]
async fn a_table_that_may_not_be_read_leaves_the_others() {
    let role = format!("periplus_reader_{}", std::process::id());
    let sql = format!(
        "CREATE ROLE {role} LOGIN PASSWORD 'x'; CREATE TABLE shown (a int PRIMARY KEY); INSERT INTO shown VALUES (1);
         CREATE TABLE hidden (a int PRIMARY KEY); GRANT SELECT ON shown TO {role};"
    );
    with_database("rights", &sql, |made| async move {
        let connector = connect("s", &made.dsn(Some(&role))).unwrap();
        promises::a_table_that_may_not_be_read_leaves_the_others(&*connector).await;
        made.client().await.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_lock_is_waited_for_and_reported() {
    with_database("locks", "CREATE TABLE t (a int)", |made| async move {
        let connector = made.connector();
        let writer = made.client().await;
        writer.batch_execute("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE").await.unwrap();
        let limits = Limits { timeout: Duration::from_millis(300), ..Limits::default() };
        let error = connector.run_query("SELECT * FROM t", &limits).await.unwrap_err();
        assert!(["database_busy", "timeout"].contains(&error.code()), "{error}");
        // The catalog can be read all the same.
        let table = table(&*connector, "t").await;
        assert_eq!(connector.row_count(&table).await.unwrap_err().code(), "database_busy");
        writer.batch_execute("COMMIT").await.unwrap();
        assert_eq!(connector.row_count(&table).await.unwrap().unwrap().value, 0);
    })
    .await;
}

#[tokio::test]
async fn connections_that_the_server_ended_are_made_anew() {
    with_database("ended", "CREATE TABLE t (a int)", |made| async move {
        let connector: std::sync::Arc<dyn crate::Connector> = made.connector().into();
        let end_all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE application_name = 'periplus' AND datname = current_database()";
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
        made.client().await.batch_execute(end_all).await.unwrap();
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
        // One that is at work is reported.
        let working = std::sync::Arc::clone(&connector);
        let query = tokio::spawn(async move { code(&*working, "SELECT pg_sleep(1000)").await });
        tokio::time::sleep(Duration::from_millis(300)).await;
        made.client().await.batch_execute(end_all).await.unwrap();
        assert_eq!(query.await.unwrap(), "unreachable");
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
    })
    .await;
}

/// Shows that the tests above say so where they don't run.
#[test]
fn skipped_tests_are_told() {
    if std::env::var(VARIABLE).is_err() {
        assert_eq!(testkit::server_url(VARIABLE), None);
    }
}
