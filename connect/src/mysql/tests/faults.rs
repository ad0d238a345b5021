//! Servers that are away, refuse, lock, or go.

use std::time::Duration;

use mysql_async::prelude::Queryable;

use super::{VARIABLE, with_database};
use crate::promises::{self, TestDatabase as _, code, table};
use crate::statements_alone::StatementsAlone as _;
use crate::{Limits, Value, connect};

#[tokio::test]
async fn a_server_that_is_not_there_is_reported_without_secrets() {
    let addresses = ["mysql://ann:s3cret@127.0.0.1:1/sales", "mariadb://ann:s3cret@no-such-host.invalid/sales"];
    promises::absent_servers_are_reported_without_secrets(addresses).await;
}

#[tokio::test]
async fn a_database_or_a_user_that_does_not_exist_is_told() {
    with_database("missing", "", |made| async move {
        let (missing, nobody) = (format!("{}_not", made.dsn(None)), made.dsn(Some("periplus_nobody:s3cret")));
        promises::absent_databases_and_users_are_told(&missing, "Unknown database", &nobody).await;
    })
    .await;
}

#[tokio::test]
async fn encryption_is_as_the_address_asks() {
    with_database("tls", "", |made| async move {
        let has_tls: Option<(String, String)> =
            made.client().await.query_first("SHOW VARIABLES LIKE 'have_ssl'").await.unwrap();
        let has_tls = has_tls.is_none_or(|(_, value)| value == "YES");
        let query =
            "SELECT VARIABLE_VALUE <> '' FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'";
        let settings = [
            ("ssl-mode=disabled", Some(false)),
            ("ssl-mode=preferred", Some(has_tls)),
            ("ssl-mode=required", has_tls.then_some(true)),
        ];
        let (address, encrypted) = (made.dsn(None), |is: bool| Value::Integer(i64::from(is)));
        promises::encryption_is_as_the_address_asks(&address, settings, query, encrypted).await;
        promises::certificates_are_checked(&address, "ssl-mode=verify-identity", "ssl-ca").await;
    })
    .await;
}

#[tokio::test]
async fn a_table_that_may_not_be_read_leaves_the_others() {
    let sql = "CREATE TABLE shown (a int PRIMARY KEY, b int); INSERT INTO shown VALUES (1, 2);
               CREATE TABLE hidden (a int PRIMARY KEY)";
    with_database("rights", sql, |made| async move {
        let user = format!("periplus_reader_{}", std::process::id());
        let mut client = made.client().await;
        let grants = format!(
            "DROP USER IF EXISTS {user}; CREATE USER {user} IDENTIFIED BY 's3cret'; GRANT SELECT (a) ON shown TO {user};
             GRANT REFERENCES (a) ON hidden TO {user}"
        );
        client.query_drop(grants).await.unwrap();
        let connector = connect("s", &made.dsn(Some(&format!("{user}:s3cret")))).unwrap();
        promises::a_table_that_may_not_be_read_leaves_the_others(&*connector).await;
        // A column that may not be read isn't even listed.
        assert_eq!(table(&*connector, "shown").await.columns.len(), 1);
        assert_eq!(code(&*connector, "SELECT b FROM shown").await, "permission_denied");
        client.query_drop(format!("DROP USER {user}")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_lock_is_waited_for_and_reported() {
    with_database("locks", "CREATE TABLE t (a int)", |made| async move {
        let connector = made.connector();
        let listed = table(&*connector, "t").await;
        let mut writer = made.client().await;
        writer.query_drop("LOCK TABLES t WRITE").await.unwrap();
        let limits = Limits { timeout: Duration::from_millis(1000), ..Limits::default() };
        let error = connector.run_query("SELECT * FROM t", &limits).await.unwrap_err();
        assert!(["database_busy", "timeout"].contains(&error.code()), "{error}");
        assert_eq!(connector.row_count(&listed).await.unwrap_err().code(), "database_busy");
        writer.query_drop("UNLOCK TABLES").await.unwrap();
        assert_eq!(connector.row_count(&listed).await.unwrap().unwrap().value, 0);
    })
    .await;
}

#[tokio::test]
async fn connections_that_the_server_ended_are_made_anew() {
    with_database("ended", "CREATE TABLE t (a int)", |made| async move {
        let connector: std::sync::Arc<dyn crate::Connector> = made.connector().into();
        let end_all = async || {
            let mut client = made.client().await;
            let sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()";
            let connections: Vec<u64> = client.query(sql).await.unwrap();
            for connection in connections {
                client.query_drop(format!("KILL {connection}")).await.unwrap();
            }
        };
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
        end_all().await;
        assert_eq!(code(&*connector, "SELECT 1").await, "ok");
        // One that is at work is reported.
        let working = std::sync::Arc::clone(&connector);
        let query = tokio::spawn(async move { code(&*working, "SELECT SLEEP(1000)").await });
        tokio::time::sleep(Duration::from_millis(300)).await;
        end_all().await;
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
