//! A real server, read through the public trait: databases of their own are made for the tests and dropped again.
//!
//! They run where `PERIPLUS_TEST_MYSQL` names a server on which databases and users may be made, such as
//! `mysql://root@127.0.0.1:3306`, and are skipped by name elsewhere.
#![allow(clippy::unwrap_used)]

mod faults;
mod privileges;
mod queries;
mod sampling;
mod statements;
mod structure;
mod values;

use std::future::Future;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts};

use crate::promises::{TestDatabase, resume};
use crate::{Connector, connect};

const VARIABLE: &str = "PERIPLUS_TEST_MYSQL";

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
        let (own, host) = rest.split_once('@').unwrap();
        let host = host.split(['/', '?']).next().unwrap();
        format!("mysql://{}@{host}/{}", user.unwrap_or(own), self.name)
    }

    /// Somebody else's connection, which may write.
    async fn client(&self) -> Conn {
        client(&self.dsn(None)).await
    }
}

impl TestDatabase for Made {
    fn connector(&self) -> Box<dyn Connector> {
        connect("s", &self.dsn(None)).unwrap()
    }

    async fn running(&self, marker: &str) -> usize {
        let sql = format!(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST
             WHERE DB = DATABASE() AND INFO LIKE '%{marker}%' AND ID <> CONNECTION_ID()"
        );
        self.client().await.query_first(sql).await.unwrap().unwrap()
    }
}

async fn client(dsn: &str) -> Conn {
    Conn::new(Opts::from_url(dsn).unwrap()).await.unwrap()
}

/// Makes a database by `sql`, runs `test` on it, and drops it whatever came of that.
async fn with_database<F: Future<Output = ()> + Send + 'static>(name: &str, sql: &str, test: impl FnOnce(Made) -> F) {
    let Some(server) = testkit::server_url(VARIABLE) else { return };
    let name = format!("periplus_test_{name}_{}", std::process::id());
    let mut admin = client(server.split('?').next().unwrap()).await;
    admin.query_drop(format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
    admin.query_drop(format!("CREATE DATABASE {name} CHARACTER SET utf8mb4")).await.unwrap();
    let made = Made { server, name: name.clone() };
    let ready = match sql {
        "" => Ok(()),
        sql => made.client().await.query_drop(sql).await,
    };
    let outcome = match ready {
        Ok(()) => tokio::spawn(test(made)).await,
        Err(error) => tokio::spawn(async move { panic!("the test's own statements: {error:?}") }).await,
    };
    admin.query_drop(format!("DROP DATABASE {name}")).await.unwrap();
    resume(outcome);
}

async fn is_mariadb(made: &Made) -> bool {
    let version: String = made.client().await.query_first("SELECT VERSION()").await.unwrap().unwrap();
    version.contains("MariaDB")
}
