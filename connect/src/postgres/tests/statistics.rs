//! What the server tells without rows being read: statistics, marks of writes, samples of its own.

use std::time::Duration;

use catalog::{Table, WriteMark};

use super::{Made, with_database};
use crate::promises::{TestDatabase as _, table};
use crate::{ColumnStatistics, SampleRequest, TableStatistics, Value};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn texts(values: &[&str]) -> Vec<Value> {
    values.iter().map(|value| Value::Text((*value).to_owned())).collect()
}

#[tokio::test]
async fn statistics_tell_of_columns_without_a_row_being_read() {
    let sql = r#"
        CREATE TABLE "T 1" (id int PRIMARY KEY, state text, note text, day date, tags text[], raw bytea, only_null int)
            WITH (autovacuum_enabled = off);
        INSERT INTO "T 1" SELECT n, CASE WHEN n % 10 = 0 THEN 'closed, "late"' WHEN n % 10 < 4 THEN 'open' ELSE 'paid' END,
            CASE WHEN n % 4 > 0 THEN 'note ' || n END, date '2024-01-01' + n % 100, ARRAY['a', 'b,' || n % 2], '\x00', NULL
        FROM generate_series(1, 20000) AS n;
        CREATE TABLE empty (a int, id int);
        CREATE VIEW seen AS SELECT * FROM "T 1";
        CREATE TABLE parts (a int) PARTITION BY RANGE (a);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (300) WITH (autovacuum_enabled = off);
        CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (300) TO (700) WITH (autovacuum_enabled = off);
        INSERT INTO parts SELECT generate_series(1, 600);"#;
    with_database("statistics", sql, |made| async move {
        let connector = made.connector();
        let t = table(&*connector, "T 1").await;
        let all = names(&["id", "state", "note", "day", "tags", "raw", "only_null"]);
        let told = analyzed(&made, &t, &all).await;
        assert_eq!((told.row_count.value, told.rows_seen, told.columns.len()), (20000, 20000, 7));
        let column = |name: &str| told.columns.iter().find(|column| column.column == name).unwrap();
        let id = column("id");
        assert_eq!((id.null_fraction, id.distinct_count, id.most_common.len()), (0.0, Some(20000), 0));
        assert_eq!((id.bounds.first(), id.bounds.last()), (Some(&Value::Integer(1)), Some(&Value::Integer(20000))));
        let common: Vec<(String, i64)> = column("state")
            .most_common
            .iter()
            .map(|(value, share)| (value.as_text().unwrap(), (share * 100.0).round() as i64))
            .collect();
        let expected = [("paid", 60), ("open", 30), ("closed, \"late\"", 10)];
        assert_eq!(common, expected.map(|(value, share)| (value.to_owned(), share)));
        assert!((column("note").null_fraction - 0.25).abs() < 0.001);
        assert_eq!(column("day").distinct_count, Some(100));
        let tags: Vec<Value> = column("tags").most_common.iter().map(|(value, _)| value.clone()).collect();
        assert_eq!(tags, texts(&["{a,\"b,0\"}", "{a,\"b,1\"}"]));
        let no_values = ColumnStatistics {
            column: "raw".into(),
            null_fraction: 0.0,
            distinct_count: None,
            most_common: Vec::new(),
            bounds: Vec::new(),
        };
        assert_eq!(column("raw"), &no_values);
        assert_eq!(column("only_null").null_fraction, 1.0);
        for name in ["empty", "seen"] {
            let other = table(&*connector, name).await;
            assert_eq!(connector.statistics(&other, &names(&["a", "id"])).await.unwrap(), None, "{name}");
        }
        let parts = table(&*connector, "parts").await;
        let told = analyzed(&made, &parts, &names(&["a"])).await;
        assert_eq!((told.row_count.value, told.columns[0].distinct_count), (600, Some(600)));
        // A third more rows than ANALYZE knows.
        made.client()
            .await
            .batch_execute("INSERT INTO \"T 1\" SELECT n FROM generate_series(20001, 27000) n")
            .await
            .unwrap();
        let mut out_of_date = false;
        for _ in 0..TRIES {
            out_of_date = connector.statistics(&t, &all).await.unwrap().is_none();
            if out_of_date {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        assert!(out_of_date);
    })
    .await;
}

/// The server's counters come a moment later.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// The statistics after an ANALYZE that came late enough to have seen what was written.
async fn analyzed(made: &Made, table: &Table, columns: &[String]) -> TableStatistics {
    let (client, connector) = (made.client().await, made.connector());
    for _ in 0..TRIES {
        client.batch_execute("ANALYZE").await.unwrap();
        if let Some(told) = connector.statistics(table, columns).await.unwrap() {
            return told;
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("no statistics after ANALYZE");
}

async fn mark(made: &Made, name: &str) -> Option<WriteMark> {
    let connector = made.connector();
    let found = table(&*connector, name).await;
    connector.write_mark(&found).await.unwrap()
}

/// The first mark that isn't `before`, or `before` where none comes.
async fn next_mark(made: &Made, name: &str, before: &WriteMark) -> WriteMark {
    for _ in 0..TRIES {
        if let Some(now) = mark(made, name).await.filter(|now| now != before) {
            return now;
        }
        tokio::time::sleep(PAUSE).await;
    }
    before.clone()
}

#[tokio::test]
async fn marks_change_with_writes_and_with_nothing_else() {
    let sql = "
        CREATE TABLE t (a int) WITH (autovacuum_enabled = off); INSERT INTO t SELECT generate_series(1, 100);
        CREATE TABLE other (a int); CREATE VIEW v AS SELECT * FROM t;
        CREATE TABLE parts (a int) PARTITION BY RANGE (a);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (300) WITH (autovacuum_enabled = off);
        SELECT pg_sleep(1.2);";
    with_database("marks", sql, |made| async move {
        assert_eq!(mark(&made, "v").await, None);
        let before = mark(&made, "t").await.unwrap();
        assert_eq!(mark(&made, "t").await.unwrap(), before, "reading is no writing");
        let parts = mark(&made, "parts").await.unwrap();
        let client = made.client().await;
        client.batch_execute("UPDATE t SET a = 0 WHERE a <= 5; INSERT INTO parts VALUES (1)").await.unwrap();
        let written = next_mark(&made, "t", &before).await;
        assert_eq!((written.rows_written, &written.epoch), (before.rows_written.map(|rows| rows + 5), &before.epoch));
        let of_partition = next_mark(&made, "parts", &parts).await;
        assert_eq!(of_partition.rows_written, Some(1), "rows of a partition count with its parent");
        client.batch_execute("TRUNCATE t").await.unwrap();
        assert_ne!(mark(&made, "t").await.unwrap().epoch, before.epoch, "all rows are gone");
    })
    .await;
}

#[tokio::test]
async fn the_server_draws_rows_from_all_over_a_table() {
    let sql = "
        CREATE TABLE t (a int, filler text);
        INSERT INTO t SELECT n, repeat('x', 100) FROM generate_series(1, 100000) AS n; ANALYZE t;";
    with_database("drawn", sql, |made| async move {
        let connector = made.connector();
        let mut t = table(&*connector, "t").await;
        t.row_count = connector.row_count(&t).await.unwrap();
        let request = SampleRequest::EngineSample { rows: 5000 };
        let drawn = connector.sample(&t, &names(&["a"]), &request).await.unwrap().rows;
        assert!((3000..=5000).contains(&drawn.len()), "{}", drawn.len());
        let again = connector.sample(&t, &names(&["a"]), &request).await.unwrap().rows;
        assert_eq!(drawn, again);
        let numbers = || drawn.iter().map(|row| if let Value::Integer(number) = row[0] { number } else { 0 });
        let mean = numbers().sum::<i64>() as f64 / drawn.len() as f64;
        assert!((40_000.0..60_000.0).contains(&mean), "{mean}");
        assert!(numbers().max() > Some(95_000) && numbers().min() < Some(5_000));
    })
    .await;
}

#[tokio::test]
async fn who_asks_is_told_and_what_is_not_counted_is_none() {
    with_database("statements", "CREATE TABLE t (a int)", |made| async move {
        let connector = made.connector();
        assert!(connector.role().await.unwrap().is_some_and(|role| !role.is_empty()));
        assert_eq!(connector.statements_run().await.unwrap(), None);
    })
    .await;
}
