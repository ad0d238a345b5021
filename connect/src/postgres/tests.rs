//! A real server, read through the public trait: databases of their own are made for the tests and dropped again.
//!
//! They run where `PERIPLUS_TEST_POSTGRES` names a server on which databases and roles may be made, such as
//! `postgres://postgres@127.0.0.1:5432/postgres`, and are skipped by name elsewhere.
#![allow(clippy::unwrap_used)]

mod faults;
mod privileges;
mod queries;
mod sampling;
mod statements;
mod statistics;
mod structure;
mod values;

use std::future::Future;

use tokio_postgres::{Client, NoTls};

use crate::promises::{TestDatabase, resume};
use crate::{Connector, connect};

const VARIABLE: &str = "PERIPLUS_TEST_POSTGRES";

/// A database that is only for one test.
#[derive(Clone)]
struct Made {
    server: String,
    name: String,
}

impl Made {
    /// Its address, for the user of the server's address or for `role`.
    fn dsn(&self, role: Option<&str>) -> String {
        let (scheme, rest) = self.server.split_once("://").unwrap();
        let (user, host) = rest.split_once('@').map_or(("postgres", rest), |(user, host)| (user, host));
        let host = host.split('/').next().unwrap();
        format!("{scheme}://{}@{host}/{}", role.unwrap_or(user), self.name)
    }

    /// Somebody else's connection, which may write.
    async fn client(&self) -> Client {
        client(&self.dsn(None)).await
    }
}

impl TestDatabase for Made {
    fn connector(&self) -> Box<dyn Connector> {
        connect("s", &self.dsn(None)).unwrap()
    }

    async fn running(&self, marker: &str) -> usize {
        let sql = "SELECT count(*) FROM pg_stat_activity
                   WHERE datname = current_database() AND state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()";
        let count: i64 = self.client().await.query_one(sql, &[&format!("%{marker}%")]).await.unwrap().get(0);
        usize::try_from(count).unwrap()
    }
}

async fn client(dsn: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(dsn, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Makes a database by `sql`, runs `test` on it, and drops it whatever came of that.
async fn with_database<F: Future<Output = ()> + Send + 'static>(name: &str, sql: &str, test: impl FnOnce(Made) -> F) {
    let Some(server) = testkit::server_url(VARIABLE) else { return };
    let name = format!("periplus_test_{name}_{}", std::process::id());
    let admin = client(&server).await;
    admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.unwrap();
    admin.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")).await.unwrap();
    let made = Made { server, name: name.clone() };
    let ready = client(&made.dsn(None)).await.batch_execute(sql).await;
    let outcome = match ready {
        Ok(()) => tokio::spawn(test(made)).await,
        Err(error) => tokio::spawn(async move { panic!("the test's own statements: {error:?}") }).await,
    };
    admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    resume(outcome);
}
