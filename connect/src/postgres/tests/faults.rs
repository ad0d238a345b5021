//! Servers that are away, refuse, lock, or go.

use std::time::Duration;

use super::{VARIABLE, code, run, table, with_database};
use crate::statements_alone::StatementsAlone as _;
use crate::{Limits, SampleRequest, Value, connect};

#[tokio::test]
async fn a_server_that_is_not_there_is_reported_without_secrets() {
    for dsn in ["postgres://ann:s3cret@127.0.0.1:1/sales", "postgres://ann:s3cret@no-such-host.invalid/sales"] {
        let connector = connect("s", dsn).unwrap();
        assert!(!format!("{connector:?} {:?}", connector.source()).contains("s3cret"));
        let error = connector.introspect().await.unwrap_err();
        assert_eq!(error.code(), "unreachable", "{error}");
        assert!(!error.hints().is_empty());
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    }
}

#[tokio::test]
async fn a_database_or_a_user_that_does_not_exist_is_told() {
    with_database("missing", "", |made| async move {
        let missing = connect("s", &format!("{}_not", made.dsn(None))).unwrap();
        let error = missing.introspect().await.unwrap_err();
        assert_eq!(error.code(), "no_such_database");
        assert!(error.to_string().contains("does not exist"), "{error}");
        let nobody = connect("s", &made.dsn(Some("periplus_nobody"))).unwrap();
        assert_eq!(nobody.introspect().await.unwrap_err().code(), "authentication_failed");
    })
    .await;
}

#[tokio::test]
async fn encryption_is_as_the_address_asks() {
    with_database("tls", "", |made| async move {
        let has_tls = run(&*made.connector(), "SHOW ssl").await.unwrap().rows[0][0] == Value::Text("on".into());
        let encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        for (mode, expected) in
            [("disable", Some(false)), ("prefer", Some(has_tls)), ("require", has_tls.then_some(true))]
        {
            let connector = connect("s", &format!("{}?sslmode={mode}", made.dsn(None))).unwrap();
            match (run(&*connector, encrypted).await, expected) {
                (Ok(result), Some(expected)) => assert_eq!(result.rows, [[Value::Boolean(expected)]], "{mode}"),
                (Err(error), None) => assert_eq!(error.code(), "encryption_failed", "{mode}"),
                (other, _) => panic!("{mode}: {other:?}"),
            }
        }
        // No authority has signed a certificate for a test's server.
        let strict = connect("s", &format!("{}?sslmode=verify-full", made.dsn(None)));
        let error = match strict {
            Ok(connector) => connector.introspect().await.unwrap_err(),
            // Nor does every machine have authorities.
            Err(error) => error,
        };
        assert_eq!(error.code(), "encryption_failed", "{error}");
        let no_file = connect("s", &format!("{}?sslmode=verify-full&sslrootcert=/nowhere.pem", made.dsn(None)));
        assert_eq!(no_file.unwrap_err().code(), "encryption_failed");
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
        let tables = connector.introspect().await.unwrap();
        assert_eq!(tables.len(), 2);
        let (hidden, shown) = (&tables[0], &tables[1]);
        assert_eq!(connector.row_count(shown).await.unwrap().unwrap().value, 1);
        assert_eq!(connector.row_count(hidden).await.unwrap_err().code(), "permission_denied");
        let request = SampleRequest::FirstRows { rows: 1 };
        let refused = connector.sample(hidden, &["a".to_owned()], &request).await.unwrap_err();
        assert_eq!(refused.code(), "permission_denied");
        assert!(refused.to_string().contains("hidden"), "{refused}");
        assert!(connector.sample(shown, &["a".to_owned()], &request).await.is_ok());
        assert_eq!(code(&*connector, "SELECT * FROM hidden").await, "permission_denied");
        assert_eq!(code(&*connector, "SELECT * FROM shown").await, "ok");
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
