//! One session for a statement: what it reads stays as it is until the end.

use catalog::TableId;
use mysql_async::prelude::Queryable;

use super::{Made, with_database};
use crate::promises::{self, TestDatabase as _};
use crate::{Limits, ReadRelation, StatementSession};

const DATA: &str = "
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), kind ENUM('glad', 'sad'), b TEXT GENERATED ALWAYS AS (UPPER(a)));
INSERT INTO t (id, a) VALUES (1, 'one'), (2, 'O\\'Brien');
CREATE VIEW v AS SELECT id, a FROM t;
CREATE TABLE `odd ``name` (`a b` DECIMAL(10,2) UNSIGNED)
";

fn read(name: &str, named: bool) -> ReadRelation {
    ReadRelation { id: TableId::new("s", name), named, bare: true }
}

#[expect(clippy::disallowed_methods, reason = "the room that implements sessions tests them")]
async fn opened(made: &Made, sql: &str, reads: &[ReadRelation]) -> Box<dyn StatementSession> {
    made.connector().open_statement(sql, reads, &Limits::default()).await.unwrap()
}

/// Whether somebody else may change a table now.
async fn is_free(made: &Made, statement: &str) -> bool {
    let mut client = made.client().await;
    client.query_drop("SET lock_wait_timeout = 1").await.unwrap();
    client.query_drop(statement).await.is_ok()
}

#[tokio::test]
async fn what_a_statement_reads_can_not_be_changed_before_it_has_ended() {
    with_database("held", DATA, |made| async move {
        for (number, sql) in ["SELECT * FROM t", "SELECT * FROM v"].into_iter().enumerate() {
            let named = sql.ends_with('t');
            let mut session = opened(&made, sql, &[read("v", !named), read("t", named)]).await;
            assert_eq!(session.live().len(), 2);
            let added = format!("ALTER TABLE t ADD added_{number} TEXT");
            assert!(!is_free(&made, &added).await, "{sql}");
            assert_eq!(session.run().await.unwrap().rows.len(), 2);
            session.end().await;
            assert!(is_free(&made, &added).await, "{sql}");
        }
    })
    .await;
}

#[tokio::test]
async fn live_relations_are_worded_as_introspection_words_them() {
    with_database("worded", DATA, |made| async move {
        let tables = made.connector().introspect().await.unwrap();
        let reads: Vec<ReadRelation> = tables.iter().map(|table| read(&table.id.name, true)).collect();
        let session = opened(&made, "SELECT 1", &reads).await;
        promises::live_relations_are_worded_as_introspection_words_them(&*session, &tables);
        session.end().await;
    })
    .await;
}

#[tokio::test]
async fn texts_are_looked_up_before_the_statement_runs() {
    with_database("texts", DATA, |made| async move {
        let session = opened(&made, "SELECT COUNT(*) FROM t", &[read("t", true)]).await;
        promises::texts_are_looked_up_before_the_statement_runs(session).await;
    })
    .await;
}
