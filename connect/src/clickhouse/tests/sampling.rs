//! Counting and sampling, within bounds.

use std::collections::HashSet;

use catalog::Exactness;

use super::with_database;
use crate::promises::{TestDatabase as _, table};
use crate::{SAMPLE_CELL_CHARS, SampleRequest, Value};

#[tokio::test]
async fn tables_are_counted_by_their_parts_and_views_up_to_a_bound() {
    let sql = "
CREATE TABLE small (a UInt32) ENGINE = MergeTree ORDER BY a;
INSERT INTO small SELECT number FROM numbers(10000);
CREATE TABLE large (a UInt32) ENGINE = MergeTree ORDER BY a;
INSERT INTO large SELECT number FROM numbers(1000000);
CREATE TABLE memory (a UInt32) ENGINE = Memory;
INSERT INTO memory SELECT number FROM numbers(50000);
CREATE TABLE empty (a UInt32) ENGINE = MergeTree ORDER BY a;
CREATE TABLE deleted (a UInt32) ENGINE = MergeTree ORDER BY a;
INSERT INTO deleted SELECT number FROM numbers(1000);
DELETE FROM deleted WHERE a < 10;
CREATE VIEW quick AS SELECT a FROM small;
CREATE VIEW big AS SELECT a FROM large;
CREATE VIEW slow AS SELECT count() AS a FROM numbers(100000000000000) WHERE sipHash64(number) = 1";
    with_database("counts", sql, |made| async move {
        let connector = made.connector();
        let tables = connector.introspect().await.unwrap();
        let before = connector.work().rows_scanned;
        for (name, expected) in [
            ("small", Some(10000)),
            ("large", Some(1_000_000)),
            ("memory", Some(50000)),
            ("empty", Some(0)),
            ("deleted", Some(990)),
            ("quick", Some(10000)),
            ("big", None),
            ("slow", None),
        ] {
            let table = tables.iter().find(|table| table.id.name == name).unwrap();
            let count = connector.row_count(table).await.unwrap();
            assert_eq!(count.map(|count| count.value), expected, "{name}");
            assert!(count.is_none_or(|count| count.exactness == Exactness::Exact), "{name}");
        }
        // The first blocks behind the views were read, a thread one, and nothing of the large table besides.
        let scanned = connector.work().rows_scanned - before;
        assert!(scanned < 400_000, "{scanned}");
    })
    .await;
}

#[tokio::test]
async fn samples_are_spread_over_the_table_and_read_little_of_it() {
    let sql = "
CREATE TABLE t (id UInt64, kind String, words String) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, ['a', 'b', 'c'][number % 3 + 1], repeat('w', 5000) FROM numbers(12000);
CREATE TABLE big (id UInt64, tenth UInt8, rest String) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 8192;
SYSTEM STOP MERGES big;
INSERT INTO big SELECT number, intDiv(number, 500000), toString(number) FROM numbers(4500000) SETTINGS max_threads = 1;
INSERT INTO big SELECT number, 9, toString(number) FROM numbers(4500000, 500000) SETTINGS max_threads = 1;
CREATE TABLE memory (id UInt64) ENGINE = Memory;
INSERT INTO memory SELECT number FROM numbers(5000)";
    with_database("samples", sql, |made| async move {
        let connector = made.connector();
        let big = table(&*connector, "big").await;
        let columns = ["id".to_owned(), "tenth".to_owned()];
        for wanted in [10_000_usize, 1000] {
            let before = connector.work().rows_scanned;
            let request = SampleRequest::EngineSample { rows: wanted };
            let sample = connector.sample(&big, &columns, &request).await.unwrap();
            let scanned = connector.work().rows_scanned - before;
            println!("{} of 5,000,000 rows asked for, {} got, {scanned} read", wanted, sample.rows.len());
            assert!(sample.rows.len() <= wanted && sample.rows.len() * 10 >= wanted * 8, "{}", sample.rows.len());
            // The parts that a table has are rows, too.
            assert!(scanned <= 20 * wanted as u64 + 8192 + 100, "{scanned}");
            let different: HashSet<String> = sample.rows.iter().filter_map(|row| row[0].as_text()).collect();
            assert_eq!(different.len(), sample.rows.len());
            let again = connector.sample(&big, &columns, &request).await.unwrap();
            assert_eq!(again.rows.len(), sample.rows.len());
            if wanted == 10_000 {
                // Each tenth of the table is in it: one granule at least, four at most.
                for tenth in 0..10 {
                    let share = sample.rows.iter().filter(|row| row[1] == Value::Integer(tenth)).count();
                    assert!((300..1800).contains(&share), "{tenth}: {share}");
                }
            }
        }
        let before = connector.work().rows_scanned;
        connector.sample(&big, &columns, &SampleRequest::FirstRows { rows: 1000 }).await.unwrap();
        let scanned = connector.work().rows_scanned - before;
        assert!(scanned <= 20_000, "{scanned}");
        // The ends of the first column of the sorting key are known without reading; of another they would be looked for.
        let before = connector.work().rows_scanned;
        let ends = Some((Value::Integer(0), Value::Integer(4_999_999)));
        assert_eq!(connector.key_range(&big, "id").await.unwrap(), ends);
        assert_eq!(connector.key_range(&big, "rest").await.unwrap(), None);
        assert_eq!(connector.key_range(&big, "nothing").await.unwrap(), None);
        // The last rows are of the last INSERT.
        let request = SampleRequest::FirstAndLast { each: 100, order_by: None };
        let sample = connector.sample(&big, &columns[..1], &request).await.unwrap();
        assert_eq!(sample.rows.len(), 200);
        assert_eq!(sample.rows[199], [Value::Integer(4_999_999)]);
        let scanned = connector.work().rows_scanned - before;
        assert!(scanned <= 40_000, "{scanned}");
        // No more than there is, and long cells are cut.
        let t = table(&*connector, "t").await;
        let columns = ["words".to_owned()];
        let sample = connector.sample(&t, &columns, &SampleRequest::EngineSample { rows: 30_000 }).await.unwrap();
        assert!((9000..=12_000).contains(&sample.rows.len()), "{}", sample.rows.len());
        assert!(sample.rows.iter().all(|row| row[0].as_text().is_some_and(|text| text.len() == SAMPLE_CELL_CHARS)));
        assert_eq!(sample.truncated, None);
        let memory = table(&*connector, "memory").await;
        let sample = connector.sample(&memory, &[], &SampleRequest::EngineSample { rows: 100 }).await.unwrap();
        assert_eq!(sample.rows.len(), 100);
        assert!(connector.lookup_columns(&big).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn values_are_looked_for_in_bounds() {
    let sql = "
CREATE TABLE big (id UInt64, other UInt64) ENGINE = MergeTree ORDER BY id;
INSERT INTO big SELECT number, number FROM numbers(12000000)";
    with_database("contains", sql, |made| async move {
        let connector = made.connector();
        let big = table(&*connector, "big").await;
        let values: Vec<Value> = (0..1200).map(|n| Value::Integer(n * 20_000)).collect();
        let before = connector.work().rows_scanned;
        assert_eq!(connector.contains(&big, "id", &values[..10]).await.unwrap(), 10);
        let scanned = connector.work().rows_scanned - before;
        assert!(scanned < 150_000, "{scanned}");
        assert_eq!(connector.contains(&big, "id", &values).await.unwrap(), 600);
        // Without an index it would be a scan of everything.
        assert_eq!(connector.contains(&big, "other", &values).await.unwrap_err().code(), "statement_failed");
        assert_eq!(connector.contains(&big, "nothing", &values).await.unwrap(), 0);
    })
    .await;
}
