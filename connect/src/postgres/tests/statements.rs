//! One session for a statement: what it reads stays as it is until the end, and errors leave nothing behind.

use std::time::{Duration, Instant};

use catalog::TableId;

use super::super::session::Pool;
use super::super::{address, statement};
use super::{Made, with_database};
use crate::promises::{self, TestDatabase as _};
use crate::result_set::Next;
use crate::{Limits, ReadRelation, StatementSession, TextLookUp, Value};

const DATA: &str = "
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE t (id int PRIMARY KEY, a varchar(3), kind mood);
INSERT INTO t VALUES (1, 'one', 'glad'), (2, 'two', 'sad');
CREATE VIEW v AS SELECT id, a FROM t;
CREATE TABLE parent (id int, a text);
CREATE TABLE child (b text) INHERITS (parent);
";

fn read(name: &str) -> ReadRelation {
    let id = TableId { schema: Some("public".to_owned()), ..TableId::new("s", name) };
    ReadRelation { id, named: true, bare: true }
}

async fn open(made: &Made, sql: &str, reads: &[&str]) -> Box<dyn StatementSession> {
    let reads: Vec<ReadRelation> = reads.iter().map(|name| read(name)).collect();
    opened(made, sql, &reads).await
}

#[expect(clippy::disallowed_methods, reason = "the room that implements sessions tests them")]
async fn opened(made: &Made, sql: &str, reads: &[ReadRelation]) -> Box<dyn StatementSession> {
    made.connector().open_statement(sql, reads, &Limits::default()).await.unwrap()
}

/// Whether somebody else may change a table now.
async fn is_free(made: &Made, statement: &str) -> bool {
    let sql = format!("SET lock_timeout = 100; {statement}");
    made.client().await.batch_execute(&sql).await.is_ok()
}

#[tokio::test]
async fn what_a_statement_reads_can_not_be_changed_before_it_has_ended() {
    with_database("held", DATA, |made| async move {
        for (number, sql) in
            ["SELECT * FROM t", "SELECT * FROM v", "SELECT row_to_json(v) FROM v"].into_iter().enumerate()
        {
            let mut session = open(&made, sql, &["v", "t"]).await;
            assert_eq!(session.live().len(), 2);
            let added = format!("ALTER TABLE t ADD added_{number} text");
            assert!(!is_free(&made, &added).await, "{sql}");
            assert_eq!(session.run().await.unwrap().rows.len(), 2);
            assert!(!is_free(&made, &added).await, "{sql}");
            session.end().await;
            assert!(is_free(&made, &added).await, "{sql}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_was_committed_before_the_locks_is_seen() {
    with_database("committed", DATA, |made| async move {
        // The session waits for this lock after its transaction has begun.
        let other = made.client().await;
        other.batch_execute("BEGIN; ALTER TABLE t ADD email text").await.unwrap();
        let waiting = {
            let made = made.clone();
            tokio::spawn(async move {
                let session = open(&made, "SELECT to_jsonb(t) FROM t", &["t"]).await;
                let columns = session.live()[0].columns.clone();
                session.end().await;
                columns
            })
        };
        tokio::time::sleep(Duration::from_millis(300)).await;
        other.batch_execute("COMMIT").await.unwrap();
        let columns = waiting.await.unwrap();
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["id", "a", "kind", "email"]);
    })
    .await;
}

#[tokio::test]
async fn live_relations_are_worded_as_introspection_words_them() {
    with_database("worded", DATA, |made| async move {
        let tables = made.connector().introspect().await.unwrap();
        let reads: Vec<ReadRelation> = tables.iter().map(|table| read(&table.id.name)).collect();
        let session = opened(&made, "SELECT 1", &reads).await;
        promises::live_relations_are_worded_as_introspection_words_them(&*session, &tables);
        session.end().await;
    })
    .await;
}

#[tokio::test]
async fn texts_are_looked_up_in_one_statement() {
    with_database("texts", DATA, |made| async move {
        let mut session = open(&made, "SELECT count(*) FROM t", &["t"]).await;
        // A text that is longer than the column may be is no value of it, and isn't cut; one that is no label of a type
        // is not asked for.
        let wanted = |column: &str, text: &str| TextLookUp { table: read("t").id, ..promises::wanted(column, text) };
        let asked = [
            wanted("a", "one"),
            TextLookUp { others_from: 0, ..wanted("a", "onerous") },
            wanted("a", "O'Brien \\"),
            wanted("kind", "x"),
        ];
        let found = session.look_up(&asked).await.unwrap();
        let occurs: Vec<Option<bool>> = found.iter().map(|found| found.occurs).collect();
        assert_eq!(occurs, [Some(true), Some(false), Some(false), None]);
        let mut others = found[2].others.clone();
        others.sort();
        assert_eq!(others, ["one", "two"]);
        assert!(found[0].others.is_empty() && found[1].others.is_empty());
        assert_eq!(session.run().await.unwrap().rows, [[Value::Integer(2)]]);
        session.end().await;
    })
    .await;
}

#[tokio::test]
async fn all_that_is_done_for_a_statement_has_one_limit() {
    with_database("one_limit", DATA, |made| async move {
        let limits = Limits { timeout: Duration::from_millis(1000), ..Limits::default() };
        let started = Instant::now();
        #[expect(clippy::disallowed_methods, reason = "the room that implements sessions tests them")]
        let opened = made.connector().open_statement("SELECT pg_sleep(10) FROM t", &[read("t")], &limits).await;
        let mut session = opened.unwrap();
        // What a caller does meanwhile counts.
        tokio::time::sleep(Duration::from_millis(700)).await;
        assert_eq!(session.run().await.unwrap_err().code(), "timeout");
        session.end().await;
        assert!(started.elapsed() < Duration::from_millis(1600), "{:?}", started.elapsed());
    })
    .await;
}

#[tokio::test]
async fn a_statement_that_can_not_be_compiled_leaves_the_connection_as_it_was() {
    with_database("uncompiled", "SELECT 1", |made| async move {
        let connector = made.connector();
        for sql in ["SELECT nothing FROM nowhere", "SELEC 1", "SELECT 1; SELECT 2", "COMMIT"] {
            #[expect(clippy::disallowed_methods, reason = "the room that implements sessions tests them")]
            let opened = connector.open_statement(sql, &[], &Limits::default()).await;
            assert!(opened.is_err(), "{sql}");
        }
        let sessions = made.client().await;
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'periplus'";
        assert_eq!(sessions.query_one(sql, &[]).await.unwrap().get::<_, i64>(0), 1);
    })
    .await;
}

/// A pooler may give each transaction another connection to the server, which has nothing of the one before.
#[tokio::test]
async fn a_statement_that_the_server_has_forgotten_is_asked_anew() {
    with_database("forgotten", DATA, |made| async move {
        let dsn = made.dsn(None);
        let rest = dsn.split_once(':').unwrap().1;
        let pool = Pool::new(address::parse(&dsn, rest).unwrap()).unwrap();
        for is_forgotten in [false, false, true, true] {
            if is_forgotten {
                let session = pool.session(Duration::from_secs(5)).await.unwrap();
                let gone = session.each_row("DEALLOCATE ALL", &[], |_| Ok(Next::Continue)).await;
                session.end(gone).await.unwrap();
            }
            let reads = [read("t")];
            let mut statement = statement::open(&pool, "SELECT a FROM t", &reads, &Limits::default()).await.unwrap();
            assert_eq!(statement.live()[0].columns.len(), 3, "{is_forgotten}");
            assert_eq!(statement.run().await.unwrap().rows.len(), 2);
            Box::new(statement).end().await;
        }
    })
    .await;
}
