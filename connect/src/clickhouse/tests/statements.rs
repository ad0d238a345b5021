//! One session for a statement: what was changed while it ran is not handed on.

use catalog::TableId;

use super::{Made, with_database};
use crate::promises::{self, TestDatabase as _};
use crate::{Limits, ReadRelation, StatementSession};

const DATA: &str = "
CREATE TABLE t (id Int64, a String, kind Enum8('glad' = 1, 'sad' = 2), b String MATERIALIZED upper(a)) ENGINE = MergeTree
    ORDER BY id;
INSERT INTO t (id, a, kind) VALUES (1, 'one', 'glad'), (2, 'O\\'Brien', 'sad');
CREATE VIEW v AS SELECT id, a FROM t;
CREATE TABLE `odd \\`name` (`a b` Nullable(Decimal(10, 2))) ENGINE = Memory
";

fn read(name: &str) -> ReadRelation {
    ReadRelation { id: TableId::new("s", name), named: true, bare: true }
}

#[expect(clippy::disallowed_methods, reason = "the room that implements sessions tests them")]
async fn opened(made: &Made, sql: &str, reads: &[ReadRelation]) -> Box<dyn StatementSession> {
    made.connector().open_statement(sql, reads, &Limits::default()).await.unwrap()
}

#[tokio::test]
async fn rows_of_what_was_changed_meanwhile_are_not_handed_on() {
    with_database("meanwhile", DATA, |made| async move {
        for (sql, change) in [
            ("SELECT * FROM t", "ALTER TABLE t ADD COLUMN email String"),
            ("SELECT * FROM v", "CREATE OR REPLACE VIEW v AS SELECT id, email AS a FROM t"),
            (
                "SELECT * FROM t",
                "RENAME TABLE t TO old;\nCREATE TABLE t ENGINE = MergeTree ORDER BY id AS SELECT * FROM old",
            ),
        ] {
            let mut session = opened(&made, sql, &[read("t"), read("v")]).await;
            made.write(change).await;
            assert_eq!(session.run().await.unwrap_err().code(), "table_changed", "{change}");
            session.end().await;
            let mut session = opened(&made, sql, &[read("t"), read("v")]).await;
            assert_eq!(session.run().await.unwrap().rows.len(), 2, "{change}");
        }
    })
    .await;
}

#[tokio::test]
async fn live_relations_are_worded_as_introspection_words_them() {
    with_database("worded", DATA, |made| async move {
        let tables = made.connector().introspect().await.unwrap();
        let reads: Vec<ReadRelation> = tables.iter().map(|table| read(&table.id.name)).collect();
        let session = opened(&made, "SELECT 1", &reads).await;
        assert_eq!(tables.len(), 3);
        promises::live_relations_are_worded_as_introspection_words_them(&*session, &tables);
    })
    .await;
}

#[tokio::test]
async fn texts_are_looked_up_before_the_statement_runs() {
    with_database("texts", DATA, |made| async move {
        let session = opened(&made, "SELECT count() FROM t", &[read("t")]).await;
        promises::texts_are_looked_up_before_the_statement_runs(session).await;
    })
    .await;
}
