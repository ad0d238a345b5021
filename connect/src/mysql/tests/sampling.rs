//! Counting, looking up by key and sampling, within bounds.

use catalog::Exactness;
use mysql_async::prelude::Queryable;

use super::{is_mariadb, with_database};
use crate::promises::{self, TestDatabase as _, table, text};
use crate::{Connector, ROWS_PER_KEY, SAMPLE_CELL_CHARS, SampleRequest, Value};

/// 60,000 rows to make others from.
const NUMBERS: &str = "
CREATE TABLE digits (d int); INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
CREATE TABLE numbers (n int PRIMARY KEY);
INSERT INTO numbers SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d
FROM digits a, digits b, digits c, digits e, digits f WHERE f.d < 6;
";

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|value| Value::Integer(*value)).collect()
}

#[tokio::test]
async fn small_tables_are_counted_and_large_ones_estimated() {
    let sql = format!(
        "{NUMBERS}
        CREATE TABLE small (a int); INSERT INTO small SELECT n FROM numbers WHERE n <= 10000;
        CREATE TABLE large (a int); INSERT INTO large SELECT n FROM numbers;
        CREATE TABLE old (a int) ENGINE = MyISAM; INSERT INTO old SELECT n FROM numbers;
        CREATE VIEW quick AS SELECT a FROM small;
        CREATE VIEW big AS SELECT a FROM large;
        CREATE VIEW slow AS SELECT SLEEP(1000) AS a;
        CREATE TABLE parts (a int) PARTITION BY RANGE (a)
            (PARTITION p0 VALUES LESS THAN (30000), PARTITION p1 VALUES LESS THAN MAXVALUE);
        INSERT INTO parts SELECT n FROM numbers;
        CREATE TABLE empty (a int); ANALYZE TABLE large, parts, small"
    );
    with_database("counts", &sql, |made| async move {
        let connector = made.connector();
        for (name, least, most, exactness) in [
            ("small", 10000, 10000, Some(Exactness::Exact)),
            ("large", 40000, 80000, Some(Exactness::Estimate)),
            ("old", 60000, 60000, Some(Exactness::Estimate)),
            ("quick", 10000, 10000, Some(Exactness::Exact)),
            ("big", 0, 0, None),
            ("parts", 40000, 80000, Some(Exactness::Estimate)),
            ("empty", 0, 0, Some(Exactness::Exact)),
        ] {
            let table = table(&*connector, name).await;
            let count = connector.row_count(&table).await.unwrap();
            assert_eq!(count.map(|count| count.exactness), exactness, "{name} {count:?}");
            let value = count.map_or(0, |count| count.value);
            assert!((least..=most).contains(&value), "{name} {value}");
        }
        // The first 10,000 rows of three, each written down and read again; no large table was skipped.
        assert!(connector.work().rows_scanned < 65_000, "{:?}", connector.work());
        let slow = table(&*connector, "slow").await;
        assert!(connector.row_count(&slow).await.unwrap().is_none_or(|count| count.value <= 1));
    })
    .await;
}

#[tokio::test]
async fn rows_are_found_by_key_in_the_order_of_the_keys() {
    let sql = format!(
        "{NUMBERS}
        CREATE TABLE t (id int PRIMARY KEY, code char(6), label varchar(9) CHARACTER SET latin1,
            amount decimal(20, 2), mail text, day date, kind enum('b', 'a'), big bigint unsigned,
            KEY t_code (code), KEY t_label (label), UNIQUE KEY t_amount (amount), KEY t_mail (mail(3)), KEY t_day (day),
            KEY t_kind (kind), KEY t_big (big), FULLTEXT KEY t_words (mail));
        INSERT INTO t SELECT n, CONCAT('c', n), CONCAT('lé', n % 10), n, CONCAT('user_', n),
            DATE '2024-01-01' + INTERVAL n DAY, 1 + n % 2, 18446744073709551615 - n FROM numbers WHERE n <= 1000;
        CREATE TABLE empty (id int PRIMARY KEY); CREATE TABLE nulls (id int UNIQUE); INSERT INTO nulls VALUES (NULL)"
    );
    with_database("keys", &sql, |made| async move {
        let connector = made.connector();
        let t = table(&*connector, "t").await;
        let lookups = promises::lookups(&*connector, &t).await;
        let expected = [
            ("id", true),
            ("amount", true),
            ("big", false),
            ("code", false),
            ("day", false),
            ("kind", false),
            ("label", false),
        ];
        assert_eq!(lookups, expected.map(|(name, unique)| (name.to_owned(), unique)));
        let scanned = connector.work().rows_scanned;
        let by_key = async |column: &str, keys| promises::by_key(&*connector, &t, column, keys).await;
        // A key that isn't there, one that no int can be, NULL, and a text that would be taken for 0: skipped.
        let mut keys = ints(&[7, 3, 5000, i64::MAX, 900]);
        keys.extend([Value::Null, text("x")]);
        assert_eq!(by_key("id", keys).await, ints(&[7, 3, 900]));
        assert_eq!(by_key("id", (1..=1000).rev().map(Value::Integer).collect()).await.len(), 1000);
        assert_eq!(by_key("code", vec![text("c12")]).await, ints(&[12]));
        assert_eq!(by_key("amount", ints(&[12])).await, ints(&[12]));
        assert_eq!(by_key("amount", vec![Value::Real(12.0)]).await, ints(&[12]));
        assert_eq!(by_key("day", vec![text("2024-01-13"), text("no date")]).await, ints(&[12]));
        assert_eq!(by_key("label", vec![text("lé3"), text("🦀")]).await.len(), ROWS_PER_KEY);
        assert_eq!(by_key("big", vec![text("18446744073709551605")]).await, ints(&[10]));
        assert_eq!(by_key("kind", vec![text("a")]).await.len(), ROWS_PER_KEY);
        let request = SampleRequest::ByKey { column: "id".into(), keys: ints(&[1, 2]) };
        let none = connector.sample(&t, &[], &request).await.unwrap();
        assert_eq!(none.rows, [vec![], vec![]] as [Vec<Value>; 2]);
        let range = |column: &'static str| connector.key_range(&t, column);
        assert_eq!(range("id").await.unwrap(), Some((Value::Integer(1), Value::Integer(1000))));
        assert_eq!(range("amount").await.unwrap(), Some((Value::Real(1.0), Value::Real(1000.0))));
        assert_eq!(range("day").await.unwrap(), Some((text("2024-01-02"), text("2026-09-27"))));
        assert_eq!(range("kind").await.unwrap(), Some((text("b"), text("a"))));
        assert_eq!(range("big").await.unwrap(), Some((text("18446744073709550615"), text("18446744073709551614"))));
        assert_eq!(range("mail").await.unwrap(), None);
        assert_eq!(range("nothing").await.unwrap(), None);
        let contains = async |column: &str, values: &[Value]| connector.contains(&t, column, values).await.unwrap();
        assert_eq!(contains("id", &ints(&[1, 2, 5000])).await, 2);
        assert_eq!(contains("id", &[text("7"), text("seven")]).await, 1);
        assert_eq!(contains("label", &[text("lé1"), text("m")]).await, 1);
        assert_eq!(contains("day", &[text("2024-01-13"), text("no date"), text("2024-13-01")]).await, 1);
        assert_eq!(contains("id", &[]).await, 0);
        // What stands between two statements, and no scan.
        let scanned = connector.work().rows_scanned - scanned;
        assert!(scanned < 1500, "{scanned}");
        for name in ["empty", "nulls"] {
            let table = table(&*connector, name).await;
            assert_eq!(connector.key_range(&table, "id").await.unwrap(), None, "{name}");
        }
    })
    .await;
}

async fn ends(connector: &dyn Connector, name: &str, order_by: Option<&str>) -> Vec<Value> {
    let table = table(connector, name).await;
    let request = SampleRequest::FirstAndLast { each: 100, order_by: order_by.map(str::to_owned) };
    let rows = connector.sample(&table, &["id".to_owned()], &request).await.unwrap().rows;
    rows.into_iter().flatten().collect()
}

#[tokio::test]
async fn the_first_and_the_last_rows_come_without_reading_the_rest() {
    let sql = format!(
        "{NUMBERS}
        CREATE TABLE t (id int PRIMARY KEY, a text, b int, KEY t_b (b));
        INSERT INTO t SELECT n, REPEAT('x', 50), 100000 - n FROM numbers WHERE n <= 50000;
        CREATE TABLE tiny (id int PRIMARY KEY); INSERT INTO tiny VALUES (1), (2);
        CREATE TABLE unordered (id int); INSERT INTO unordered SELECT n FROM numbers"
    );
    with_database("ends", &sql, |made| async move {
        let connector = made.connector();
        let scanned = connector.work().rows_scanned;
        let by_key = ends(&*connector, "t", Some("id")).await;
        assert_eq!((by_key.len(), &by_key[0], &by_key[100]), (200, &Value::Integer(1), &Value::Integer(50000)));
        assert_eq!(ends(&*connector, "t", None).await, by_key);
        let by_other = ends(&*connector, "t", Some("b")).await;
        assert_eq!((by_other.len(), &by_other[0], &by_other[100]), (200, &Value::Integer(50000), &Value::Integer(1)));
        assert_eq!(ends(&*connector, "tiny", None).await, ints(&[1, 2, 2, 1]));
        assert_eq!(ends(&*connector, "unordered", None).await.len(), 200);
        assert!(connector.work().rows_scanned - scanned < 2000, "{:?}", connector.work());
    })
    .await;
}

#[tokio::test]
async fn large_cells_are_cut_by_the_database() {
    let sql = "CREATE TABLE t (a longtext, b longblob, c json);
               INSERT INTO t VALUES (REPEAT('é', 5000000), REPEAT(x'00', 1000000),
                   JSON_OBJECT('k', REPEAT('y', 100000)))";
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

#[tokio::test]
async fn marks_change_with_writes() {
    let sql = "CREATE TABLE t (a int) ENGINE = InnoDB; INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT * FROM t;";
    with_database("marks", sql, |made| async move {
        if !is_mariadb(&made).await {
            return;
        }
        let mark = async |name: &str| {
            let connector = made.connector();
            let found = table(&*connector, name).await;
            connector.write_mark(&found).await.unwrap()
        };
        assert_eq!((mark("t").await, mark("v").await), (None, None), "just written, so there may be more to come");
        let later = async |not: &Option<catalog::WriteMark>| {
            for _ in 0..50 {
                let now = mark("t").await;
                if now.is_some() && now != *not {
                    return now;
                }
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            None
        };
        let before = later(&None).await;
        assert!(before.is_some());
        assert_eq!(mark("t").await, before, "reading is no writing");
        made.client().await.query_drop("UPDATE t SET a = 2").await.unwrap();
        assert_eq!(mark("t").await, None);
        assert!(later(&before).await.is_some());
    })
    .await;
}
