//! Counts, ends and samples.

use std::collections::HashSet;

use catalog::{Exactness, RowCount};

use super::Made;
use crate::promises::table;
use crate::{SAMPLE_CELL_CHARS, SampleRequest, Value};

const LARGE: &str =
    "CREATE TABLE t AS SELECT i AS id, 'name ' || i AS name, DATE '2020-01-01' + CAST(i % 1000 AS INTEGER) AS day
    FROM range(1000000) AS r (i); CREATE VIEW v AS SELECT * FROM t WHERE id < 10;
    CREATE TABLE small AS SELECT i AS id FROM range(100) AS r (i); CREATE TABLE empty (id INTEGER);";

#[tokio::test]
async fn a_count_is_exact_and_ends_are_known_of_numbers_and_times() {
    let Some(made) = Made::with(LARGE) else { return };
    let connector = made.connector();
    for (name, value) in [("t", 1_000_000), ("v", 10), ("empty", 0)] {
        let table = table(&*connector, name).await;
        let expected = Some(RowCount { value, exactness: Exactness::Exact });
        assert_eq!(connector.row_count(&table).await.unwrap(), expected, "{name}");
    }
    let t = table(&*connector, "t").await;
    let ends = Some((Value::Integer(0), Value::Integer(999_999)));
    assert_eq!(connector.key_range(&t, "id").await.unwrap(), ends);
    let ends = Some((Value::Text("2020-01-01".into()), Value::Text("2022-09-26".into())));
    assert_eq!(connector.key_range(&t, "day").await.unwrap(), ends);
    assert_eq!(connector.key_range(&t, "name").await.unwrap(), None);
    for name in ["v", "empty"] {
        assert_eq!(connector.key_range(&table(&*connector, name).await, "id").await.unwrap(), None, "{name}");
    }
    assert_eq!(connector.lookup_columns(&t).await.unwrap(), []);
}

#[tokio::test]
async fn the_engine_draws_from_many_places_and_the_same_again() {
    let Some(made) = Made::with(LARGE) else { return };
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    let request = SampleRequest::EngineSample { rows: 5000 };
    let sample = connector.sample(&t, &["id".into()], &request).await.unwrap();
    let ids: Vec<i64> = sample.rows.concat().iter().map(|cell| cell.as_text().unwrap().parse().unwrap()).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 5000, "never more, and none twice");
    let places: HashSet<i64> = ids.iter().map(|id| id / 2048).collect();
    assert!((30..=110).contains(&places.len()), "{} of 489 vectors", places.len());
    // The mean of evenly spread numbers, within six standard errors of one number for each vector.
    let mean = ids.iter().sum::<i64>() / 5000;
    assert!((250_000..750_000).contains(&mean), "{mean}");
    let again = connector.sample(&t, &["id".into()], &request).await.unwrap();
    assert_eq!(again.rows, sample.rows);
    let small = connector.sample(&table(&*connector, "small").await, &["id".into()], &request).await.unwrap();
    assert_eq!(small.rows.len(), 100);
    assert_eq!(connector.sample(&t, &[], &SampleRequest::EngineSample { rows: 7 }).await.unwrap().rows.len(), 7);
}

#[tokio::test]
async fn rows_are_found_at_the_ends_and_by_key() {
    let Some(made) = Made::with(LARGE) else { return };
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    let ids = async |request: SampleRequest| {
        let sample = connector.sample(&t, &["id".into()], &request).await.unwrap();
        sample.rows.concat().iter().filter_map(Value::as_text).collect::<Vec<_>>()
    };
    let ends = ["0", "1", "999998", "999999"];
    assert_eq!(ids(SampleRequest::FirstAndLast { each: 2, order_by: None }).await, ends);
    let by_id = SampleRequest::FirstAndLast { each: 2, order_by: Some("id".into()) };
    assert_eq!(ids(by_id).await, ["0", "1", "999999", "999998"]);
    assert_eq!(ids(SampleRequest::FirstRows { rows: 2 }).await, ["0", "1"]);
    let keys = vec![Value::Integer(5), Value::Text("nothing".into()), Value::Integer(3)];
    assert_eq!(ids(SampleRequest::ByKey { column: "id".into(), keys }).await, ["5", "3"]);
    let days = SampleRequest::ByKey { column: "day".into(), keys: vec![Value::Text("2020-01-02".into())] };
    assert_eq!(ids(days).await.len(), 16);
    for (column, values, expected) in [
        ("id", vec![Value::Integer(1), Value::Text("2".into()), Value::Integer(-7), Value::Real(3.0), Value::Null], 3),
        ("name", vec![Value::Text("name 17".into()), Value::Text("name'".into()), Value::Bytes(3)], 1),
        ("day", vec![Value::Text("2020-01-05".into()), Value::Text("no day".into())], 1),
        ("id", Vec::new(), 0),
    ] {
        assert_eq!(connector.contains(&t, column, &values).await.unwrap(), expected, "{column}");
    }
}

#[tokio::test]
async fn cells_of_samples_are_cut_by_the_database() {
    let Some(made) = Made::with(
        "CREATE TABLE t AS SELECT repeat('ä', 10000) AS s, repeat('x', 5000)::BLOB AS b, range(100000) AS l,
             170141183460469231731687303715884105727::HUGEINT AS h, 12.50::DECIMAL(20,2) AS d, 7::UBIGINT AS u",
    ) else {
        return;
    };
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    let columns: Vec<String> = t.columns.iter().map(|column| column.name.clone()).collect();
    let sample = connector.sample(&t, &columns, &SampleRequest::FirstRows { rows: 1 }).await.unwrap();
    let [Value::Text(text), bytes, Value::Text(list), huge, decimal, unsigned] = &sample.rows[0][..] else { panic!() };
    assert_eq!((text.chars().count(), list.chars().count()), (SAMPLE_CELL_CHARS, SAMPLE_CELL_CHARS));
    assert_eq!(*bytes, Value::Bytes(5000));
    assert_eq!(*huge, Value::Real(1.701_411_834_604_692_3e38));
    assert_eq!((decimal, unsigned), (&Value::Real(12.5), &Value::Integer(7)));
    assert_eq!(sample.truncated, None);
}
