//! Counting, looking up by key and sampling, within bounds.

use catalog::Exactness;

use super::with_database;
use crate::promises::{self, TestDatabase as _, table};
use crate::{ROWS_PER_KEY, SAMPLE_CELL_CHARS, SampleRequest, Value, connect};

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|value| Value::Integer(*value)).collect()
}

#[tokio::test]
async fn small_tables_are_counted_and_large_ones_estimated() {
    let sql = "
        CREATE TABLE small (a int); INSERT INTO small SELECT generate_series(1, 10000);
        CREATE TABLE large (a int); INSERT INTO large SELECT generate_series(1, 60000); ANALYZE large;
        CREATE TABLE never_analysed (a int) WITH (autovacuum_enabled = off);
        INSERT INTO never_analysed SELECT generate_series(1, 60000);
        CREATE TABLE grown (a int) WITH (autovacuum_enabled = off);
        INSERT INTO grown SELECT generate_series(1, 30000); ANALYZE grown;
        INSERT INTO grown SELECT generate_series(1, 30000);
        CREATE VIEW quick AS SELECT a FROM small;
        CREATE VIEW slow AS SELECT pg_sleep(1000)::text AS a;
        CREATE MATERIALIZED VIEW kept AS SELECT a FROM large;
        CREATE TABLE parts (a int) PARTITION BY RANGE (a);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (30000);
        CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (30000) TO (70000);
        INSERT INTO parts SELECT generate_series(1, 60000); ANALYZE parts_1; ANALYZE parts_2;
        CREATE TABLE unloaded (a int) PARTITION BY RANGE (a);";
    with_database("counts", sql, |made| async move {
        let connector = made.connector();
        for (name, least, most, exactness) in [
            ("small", 10000, 10000, Some(Exactness::Exact)),
            ("large", 59000, 61000, Some(Exactness::Estimate)),
            ("never_analysed", 30000, 120_000, Some(Exactness::Estimate)),
            ("grown", 58000, 62000, Some(Exactness::Estimate)),
            ("quick", 10000, 10000, Some(Exactness::Exact)),
            ("slow", 0, 0, None),
            ("kept", 30000, 120_000, Some(Exactness::Estimate)),
            ("parts", 59000, 61000, Some(Exactness::Estimate)),
            ("unloaded", 0, 0, Some(Exactness::Exact)),
        ] {
            let table = table(&*connector, name).await;
            let count = connector.row_count(&table).await.unwrap();
            assert_eq!(count.map(|count| count.exactness), exactness, "{name} {count:?}");
            let value = count.map_or(0, |count| count.value);
            assert!((least..=most).contains(&value), "{name} {value}");
        }
    })
    .await;
}

#[tokio::test]
async fn rows_are_found_by_key_in_the_order_of_the_keys() {
    let sql = "
        CREATE TABLE t (id int PRIMARY KEY, code char(6), label varchar(9), amount numeric, mail text, day date);
        INSERT INTO t SELECT n, 'c' || n, 'l' || n % 10, n, 'user_' || n, date '2024-01-01' + n
        FROM generate_series(1, 1000) AS n;
        CREATE INDEX t_code ON t (code); CREATE INDEX t_label ON t (label); CREATE UNIQUE INDEX t_amount ON t (amount);
        CREATE INDEX t_pattern ON t (mail text_pattern_ops); CREATE INDEX t_day ON t (day);
        CREATE TABLE empty (id int PRIMARY KEY); CREATE TABLE nulls (id int UNIQUE); INSERT INTO nulls VALUES (NULL);";
    with_database("keys", sql, |made| async move {
        let connector = made.connector();
        let t = table(&*connector, "t").await;
        let lookups = promises::lookups(&*connector, &t).await;
        let expected = [("id", true), ("amount", true), ("code", false), ("day", false), ("label", false)];
        assert_eq!(lookups, expected.map(|(name, unique)| (name.to_owned(), unique)));
        let by_key = async |column: &str, keys| promises::by_key(&*connector, &t, column, keys).await;
        // A key that isn't there, one that no int4 can be, NULL, and a text: skipped.
        let mut keys = ints(&[7, 3, 5000, i64::MAX, 900]);
        keys.extend([Value::Null, Value::Text("x".into())]);
        assert_eq!(by_key("id", keys).await, ints(&[7, 3, 900]));
        assert_eq!(by_key("code", vec![Value::Text("c12".into())]).await, ints(&[12]));
        assert_eq!(by_key("amount", ints(&[12])).await, ints(&[12]));
        assert_eq!(by_key("day", vec![Value::Text("2024-01-13".into())]).await, ints(&[12]));
        assert_eq!(by_key("label", vec![Value::Text("l3".into())]).await.len(), ROWS_PER_KEY);
        let request = SampleRequest::ByKey { column: "id".into(), keys: ints(&[1, 2]) };
        let none = connector.sample(&t, &[], &request).await.unwrap();
        assert_eq!(none.rows, [vec![], vec![]] as [Vec<Value>; 2]);
        let range = |column: &'static str| connector.key_range(&t, column);
        assert_eq!(range("id").await.unwrap(), Some((Value::Integer(1), Value::Integer(1000))));
        assert_eq!(range("amount").await.unwrap(), Some((Value::Integer(1), Value::Integer(1000))));
        let days = (Value::Text("2024-01-02".into()), Value::Text("2026-09-27".into()));
        assert_eq!(range("day").await.unwrap(), Some(days));
        assert_eq!(range("mail").await.unwrap(), None);
        assert_eq!(range("nothing").await.unwrap(), None);
        for name in ["empty", "nulls"] {
            let table = table(&*connector, name).await;
            assert_eq!(connector.key_range(&table, "id").await.unwrap(), None, "{name}");
        }
        let contains = async |column: &str, values: &[Value]| connector.contains(&t, column, values).await.unwrap();
        assert_eq!(contains("id", &ints(&[1, 2, 5000])).await, 2);
        assert_eq!(contains("id", &[Value::Text("7".into()), Value::Text("seven".into())]).await, 1);
        assert_eq!(contains("label", &[Value::Text("l1".into()), Value::Text("m".into())]).await, 1);
        let days = [Value::Text("2024-01-13".into()), Value::Text("no date".into()), Value::Text("2024-13-01".into())];
        assert_eq!(contains("day", &days).await, 1);
        assert_eq!(contains("id", &[]).await, 0);
    })
    .await;
}

#[tokio::test]
async fn the_first_and_the_last_rows_come_without_reading_the_rest() {
    let sql = "
        CREATE TABLE t (id int PRIMARY KEY, a text);
        INSERT INTO t SELECT n, repeat('x', 50) FROM generate_series(1, 50000) AS n;
        ANALYZE t;
        CREATE TABLE tiny (id int PRIMARY KEY); INSERT INTO tiny VALUES (1), (2);";
    with_database("ends", sql, |made| async move {
        let connector = made.connector();
        let t = table(&*connector, "t").await;
        let ends = async |order_by: Option<&str>| {
            let request = SampleRequest::FirstAndLast { each: 100, order_by: order_by.map(str::to_owned) };
            let rows = connector.sample(&t, &["id".to_owned()], &request).await.unwrap().rows;
            rows.into_iter()
                .map(|row| match row[0] {
                    Value::Integer(id) => id,
                    _ => panic!("no number"),
                })
                .collect::<Vec<i64>>()
        };
        let ordered = ends(Some("id")).await;
        assert_eq!((ordered.len(), ordered[0], ordered[99], ordered[100]), (200, 1, 100, 50000));
        let by_page = ends(None).await;
        assert_eq!((by_page[0], by_page.len()), (1, 200));
        assert_eq!((by_page[100], by_page[199]), (50_000, 49_901), "the very last rows, however full the pages are");
        let tiny = table(&*connector, "tiny").await;
        let request = SampleRequest::FirstAndLast { each: 100, order_by: None };
        let rows = connector.sample(&tiny, &["id".to_owned()], &request).await.unwrap().rows;
        assert_eq!(rows, [ints(&[1]), ints(&[2])]);
    })
    .await;
}

#[tokio::test]
async fn large_cells_are_cut_by_the_database() {
    let sql = "CREATE TABLE t (a text, b bytea, c json);
               INSERT INTO t SELECT repeat('é', 5000000), decode(repeat('00', 1000000), 'hex'),
                   json_build_object('k', repeat('y', 100000));";
    with_database("cells", sql, |made| async move {
        let connector = made.connector();
        let table = table(&*connector, "t").await;
        let columns = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let sample = connector.sample(&table, &columns, &SampleRequest::FirstRows { rows: 5 }).await.unwrap();
        assert_eq!(sample.rows[0][0], Value::Text("é".repeat(SAMPLE_CELL_CHARS)));
        assert_eq!(sample.rows[0][1], Value::Bytes(1_000_000));
        assert!(matches!(&sample.rows[0][2], Value::Text(text) if text.chars().count() == SAMPLE_CELL_CHARS));
        assert_eq!(sample.truncated, None);
    })
    .await;
}

/// ANALYZE leaves long values out of what it tells, and they needn't be among the first rows.
#[tokio::test]
async fn lengths_are_those_of_rows_from_everywhere() {
    let sql = "
        CREATE TABLE t (id int, body text, doc jsonb);
        INSERT INTO t SELECT n, 'short', '{}' FROM generate_series(1, 45000) AS n;
        INSERT INTO t SELECT n, repeat('a', 10000), '{}' FROM generate_series(45001, 60000) AS n;
        ANALYZE t;
        CREATE VIEW v AS SELECT body FROM t;";
    with_database("lengths", sql, |made| async move {
        let connector = made.connector();
        let lengths = async |name: &str, columns: &[&str]| {
            let mut t = table(&*connector, name).await;
            t.row_count = connector.row_count(&t).await.unwrap();
            let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
            let rows = connector.sample(&t, &columns, &SampleRequest::Lengths { rows: 20_000 }).await.unwrap().rows;
            let told = rows[0].iter().map(|told| match told {
                Value::Bytes(bytes) => *bytes,
                other => panic!("{other:?}"),
            });
            (rows.len(), told.collect::<Vec<_>>())
        };
        let (rows, told) = lengths("t", &["body", "doc"]).await;
        assert_eq!(rows, 1);
        assert!((1500..4000).contains(&told[0]), "2,504 in all rows: {told:?}");
        assert_eq!(told[1..], [2, 10_000, 2]);
        assert_eq!(lengths("v", &["body"]).await, (1, vec![5, 5]), "the first rows of a view");
    })
    .await;
}

/// As a role that `periplus mask --grants` has made has them.
#[tokio::test]
async fn lengths_are_told_of_the_columns_that_may_be_read() {
    let role = format!("periplus_measurer_{}", std::process::id());
    let sql = format!(
        "CREATE ROLE {role} LOGIN PASSWORD 'x'; CREATE TABLE t (id int, body text, secret text);
         INSERT INTO t SELECT n, repeat('a', 50), 's' FROM generate_series(1, 100) AS n; GRANT SELECT (id, body) ON t TO {role};"
    );
    with_database("measured", &sql, |made| async move {
        let connector = connect("s", &made.dsn(Some(&role))).unwrap();
        let t = table(&*connector, "t").await;
        let told = connector.sample(&t, &["body".to_owned()], &SampleRequest::Lengths { rows: 1_000 }).await;
        made.client().await.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
        assert_eq!(told.unwrap().rows, [[Value::Bytes(50), Value::Bytes(50)]]);
    })
    .await;
}
