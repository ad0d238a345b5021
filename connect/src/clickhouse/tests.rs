//! A real server, read through the public trait: databases of their own are made for the tests and dropped again.
//!
//! They run where `PERIPLUS_TEST_CLICKHOUSE` names a server on which databases and users may be made, such as
//! `clickhouse://default@127.0.0.1:8123/default`, and are skipped by name elsewhere. `.ci/clickhouse_server.py` is one,
//! and says what of a server it is.
#![allow(clippy::unwrap_used)]

mod faults;
mod queries;
mod sampling;
mod statements;
mod structure;
mod values;

use std::future::Future;

use super::address;
use crate::promises::{TestDatabase, resume};
use crate::{Connector, connect};

const VARIABLE: &str = "PERIPLUS_TEST_CLICKHOUSE";

/// A database that is only for one test.
#[derive(Clone)]
struct Made {
    server: String,
    name: String,
}

impl Made {
    /// Its address, for the user of the server's address or for `user`.
    fn dsn(&self, user: Option<&str>) -> String {
        let (_, rest) = self.server.split_once("://").unwrap();
        let (own, host) = rest.split_once('@').unwrap_or(("default", rest));
        let host = host.split(['/', '?']).next().unwrap();
        format!("clickhouse://{}@{host}/{}", user.unwrap_or(own), self.name)
    }

    /// What somebody else does, who may write.
    async fn write(&self, sql: &str) {
        for statement in sql.split(";\n").filter(|statement| !statement.trim().is_empty()) {
            send(&self.dsn(None), statement).await.unwrap();
        }
    }

    /// What somebody else is told, as lines.
    async fn read(&self, sql: &str) -> String {
        send(&self.dsn(None), sql).await.unwrap()
    }
}

impl TestDatabase for Made {
    fn connector(&self) -> Box<dyn Connector> {
        connect("s", &self.dsn(None)).unwrap()
    }

    async fn running(&self, marker: &str) -> usize {
        let sql = format!("SELECT count() FROM system.processes WHERE position(query, '{marker}') > 0");
        // This statement holds it as well.
        self.read(&sql).await.trim().parse::<usize>().unwrap() - 1
    }
}

async fn send(dsn: &str, sql: &str) -> Result<String, String> {
    let address = address::parse(dsn, dsn.split_once(':').unwrap().1).unwrap();
    let mut url = address.url.clone();
    url.query_pairs_mut().append_pair("database", &address.database);
    let mut request =
        reqwest::Client::new().post(url).header("X-ClickHouse-User", address.user.clone()).body(sql.to_owned());
    if let Some(password) = &address.password {
        request = request.header("X-ClickHouse-Key", password.clone());
    }
    let response = request.send().await.map_err(|error| error.to_string())?;
    let succeeded = response.status().is_success();
    let text = response.text().await.map_err(|error| error.to_string())?;
    if succeeded { Ok(text) } else { Err(format!("{sql}: {text}")) }
}

/// Makes a database by `sql`, runs `test` on it, and drops it whatever came of that.
async fn with_database<F: Future<Output = ()> + Send + 'static>(name: &str, sql: &str, test: impl FnOnce(Made) -> F) {
    let Some(server) = testkit::server_url(VARIABLE) else { return };
    let name = format!("periplus_test_{name}_{}", std::process::id());
    send(&server, &format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
    send(&server, &format!("CREATE DATABASE {name}")).await.unwrap();
    let made = Made { server: server.clone(), name: name.clone() };
    let (ready, sql) = (made.clone(), sql.to_owned());
    let outcome = match tokio::spawn(async move { ready.write(&sql).await }).await {
        Ok(()) => tokio::spawn(test(made)).await,
        Err(error) => Err(error),
    };
    send(&server, &format!("DROP DATABASE {name}")).await.unwrap();
    resume(outcome);
}
