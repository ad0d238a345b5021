//! Servers that are away, refuse, or are something else.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{send, with_database};
use crate::promises::{self, TestDatabase as _, code, run, table, wait_until};
use crate::statements_alone::StatementsAlone as _;
use crate::{Limits, SampleRequest, Value, connect};

#[tokio::test]
async fn a_server_that_is_not_there_is_reported_without_secrets() {
    let addresses =
        ["clickhouse://ann:s3cret@127.0.0.1:1/sales", "clickhouses://ann:s3cret@no-such-host.invalid/sales"];
    promises::absent_servers_are_reported_without_secrets(addresses).await;
}

#[tokio::test]
async fn a_database_or_a_user_that_does_not_exist_is_told() {
    with_database("missing", "", |made| async move {
        let (missing, nobody) = (format!("{}_not", made.dsn(None)), made.dsn(Some("periplus_nobody:s3cret")));
        promises::absent_databases_and_users_are_told(&missing, &format!("{}_not", made.name), &nobody).await;
    })
    .await;
}

/// A user whose profile can't be changed, and one who may only read but may set limits.
#[tokio::test]
async fn users_who_may_not_set_anything_are_held_to_limits_all_the_same() {
    let sql = "
CREATE TABLE t (id UInt32, x Float64) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, nan FROM numbers(100)";
    with_database("locked", sql, |made| async move {
        for readonly in [1, 2] {
            let user = format!("periplus_reader_{readonly}_{}", std::process::id());
            let create = format!("CREATE USER {user} IDENTIFIED BY 's3cret' SETTINGS readonly = {readonly}");
            made.write(&create).await;
            // Where there are rights, this one needs some.
            let _ = send(&made.dsn(None), &format!("GRANT SELECT ON {}.* TO {user}", made.name)).await;
            let connector = connect("s", &made.dsn(Some(&format!("{user}:s3cret")))).unwrap();
            let t = table(&*connector, "t").await;
            assert_eq!(connector.row_count(&t).await.unwrap().unwrap().value, 100, "{readonly}");
            let columns = ["id".to_owned(), "x".to_owned()];
            let sample = connector.sample(&t, &columns, &SampleRequest::EngineSample { rows: 50 }).await.unwrap();
            assert!(matches!(sample.rows[0][1], Value::Real(number) if number.is_nan()), "{readonly}");
            assert_eq!(code(&*connector, "INSERT INTO t VALUES (1, 1)").await, "denied_by_engine");
            assert_eq!(code(&*connector, "SELECT count() FROM t").await, "ok");
            connector.prepare_query("SELECT id FROM t").await.unwrap();
            let limits = Limits { rows: 3, timeout: Duration::from_millis(500), ..Limits::default() };
            assert_eq!(connector.run_query("SELECT id FROM t", &limits).await.unwrap().rows.len(), 3);
            let slow = "SELECT count() AS held FROM numbers(100000000000000) WHERE sipHash64(number) = 1";
            assert_eq!(connector.run_query(slow, &limits).await.unwrap_err().code(), "timeout", "{readonly}");
            // Where the server can't be told to stop by itself, it is told by `KILL QUERY`.
            wait_until(&made, "AS held", 0).await;
            // Nothing can be written; only who may reach outside is told of.
            let excess = connector.excess_privileges().await.unwrap();
            assert!(
                excess.iter().all(|excess| readonly == 2 && ["file_access", "all"].contains(&excess.code)),
                "{excess:?}"
            );
            made.write(&format!("DROP USER {user}")).await;
        }
        // Whoever makes databases for tests may do more than read.
        let excess = made.connector().excess_privileges().await.unwrap();
        assert!(excess.iter().any(|excess| ["write", "all"].contains(&excess.code)), "{excess:?}");
        assert!(excess[0].remedy.contains(&made.name));
    })
    .await;
}

/// Answers every request with `answer`, and closes the connection.
async fn imitation(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = client.read(&mut request).await;
            let _ = client.write_all(answer.as_bytes()).await;
        }
    });
    format!("clickhouse://ann:s3cret@127.0.0.1:{port}/sales")
}

#[tokio::test]
async fn what_is_no_such_server_is_told_and_nothing_is_followed() {
    for (answer, expected) in [
        ("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "not followed"),
        ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad", "502"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", "broken off"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<html>\n", "can't be read"),
        ("SSH-2.0-OpenSSH\r\n", ""),
    ] {
        let connector = connect("s", &imitation(answer).await).unwrap();
        let error = connector.introspect().await.unwrap_err();
        assert_eq!(error.code(), "unreachable", "{answer}: {error}");
        assert!(error.to_string().contains(expected), "{answer}: {error}");
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
}

#[tokio::test]
async fn nothing_is_sent_where_nothing_keeps_it_from_writing() {
    // One server doesn't say that anything can be set; the other, or what stands before it, says so and doesn't do it.
    for answer in [
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\
         [\"n\", \"v\", \"r\", \"l\", \"m\"]\n[\"String\",\"String\",\"String\",\"String\",\"String\"]\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\
         [\"n\", \"v\", \"r\", \"l\", \"m\"]\n[\"String\",\"String\",\"String\",\"String\",\"String\"]\n\
         [\"readonly\", \"0\", \"0\", \"\", \"\"]\n",
    ] {
        let connector = connect("s", &imitation(answer).await).unwrap();
        let error = run(&*connector, "SELECT 1").await.unwrap_err();
        assert_eq!(error.code(), "denied_by_engine");
        assert!(error.to_string().contains("readonly"), "{error}");
    }
}

#[tokio::test]
async fn encryption_is_as_the_address_asks() {
    let plain = imitation("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let encrypted = connect("s", &format!("{plain}?secure=true"));
    let error = match encrypted {
        Ok(connector) => connector.introspect().await.unwrap_err(),
        // Not every machine has authorities.
        Err(error) => error,
    };
    assert_eq!(error.code(), "encryption_failed", "{error}");
    assert!(error.hints()[0].contains("ca=FILE"), "{:?}", error.hints());
    let no_file = connect("s", &format!("{plain}?secure=true&ca=/nowhere.pem"));
    assert_eq!(no_file.unwrap_err().code(), "encryption_failed");
}
