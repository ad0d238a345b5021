//! What introspection finds.

use catalog::{LastUpdate, TableKind, TypeClass};

use super::with_database;
use crate::promises::{self, TestDatabase as _, table};
use crate::{SampleRequest, Value};

const SALES: &str = "
CREATE TABLE orders (
    id UInt64 COMMENT 'the number on the invoice',
    customer_id UInt32,
    status Enum8('new' = 1, 'it''s, done' = 2),
    placed_at DateTime('UTC') DEFAULT now(),
    note Nullable(String),
    placed_on Date MATERIALIZED toDate(placed_at),
    label String ALIAS concat('#', toString(id)),
    hint String EPHEMERAL 'x',
    INDEX by_customer customer_id TYPE bloom_filter GRANULARITY 4
) ENGINE = MergeTree PARTITION BY toYYYYMM(placed_at) ORDER BY (placed_at, id) PRIMARY KEY placed_at
COMMENT 'one row for each order';
CREATE TABLE heap (a Int8) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE memory (a Int8) ENGINE = Memory;
CREATE TABLE far (a Int8) ENGINE = URL('http://127.0.0.1:1/', CSV);
CREATE VIEW recent AS SELECT id, status FROM orders WHERE placed_at > now() - 86400;
CREATE MATERIALIZED VIEW per_day ENGINE = SummingMergeTree ORDER BY day AS
    SELECT toDate(placed_at) AS day, count() AS orders FROM orders GROUP BY day;
CREATE TABLE all_of_them AS heap ENGINE = Merge(currentDatabase(), '^heap');
INSERT INTO orders (id, customer_id, status, placed_at) SELECT number, number % 7, 1, '2024-01-01 00:00:00' FROM numbers(10)
";

#[tokio::test]
async fn tables_columns_and_keys_are_listed_in_order() {
    with_database("structure", SALES, |made| async move {
        let connector = made.connector();
        let tables = connector.introspect().await.unwrap();
        let kinds: Vec<(&str, &str)> = tables.iter().map(|table| (table.id.name.as_str(), table.kind.name())).collect();
        let expected = [
            ("all_of_them", "view"),
            ("far", "foreign table"),
            ("heap", "table"),
            ("memory", "table"),
            ("orders", "table"),
            ("per_day", "materialized view"),
            ("recent", "view"),
        ];
        assert_eq!(kinds, expected);
        assert!(tables.iter().all(|table| table.id.schema.is_none() && table.primary_key.is_empty()));
        let orders = &tables[4];
        assert_eq!(orders.comment.as_deref(), Some("one row for each order"));
        let columns: Vec<(&str, TypeClass, bool, Option<&str>)> = orders
            .columns
            .iter()
            .map(|column| (column.name.as_str(), column.type_class, column.nullable, column.default.as_deref()))
            .collect();
        let expected = [
            ("id", TypeClass::Integer, false, None),
            ("customer_id", TypeClass::Integer, false, None),
            ("status", TypeClass::Text, false, None),
            ("placed_at", TypeClass::Timestamp, false, Some("now()")),
            ("note", TypeClass::Text, true, None),
            ("placed_on", TypeClass::Date, false, Some("MATERIALIZED toDate(placed_at)")),
            ("label", TypeClass::Text, false, Some("ALIAS concat('#', toString(id))")),
        ];
        assert_eq!(columns, expected);
        assert_eq!(orders.columns[0].comment.as_deref(), Some("the number on the invoice"));
        assert_eq!(orders.columns[2].enum_values, ["new", "it's, done"]);
        let indexes: Vec<(&str, String, bool)> =
            orders.indexes.iter().map(|index| (index.name.as_str(), index.columns.join("; "), index.unique)).collect();
        let expected = [
            ("sorting key", "placed_at; id".to_owned(), false),
            ("primary key", "placed_at".to_owned(), false),
            ("partition key", "toYYYYMM(placed_at)".to_owned(), false),
            ("by_customer", "customer_id TYPE bloom_filter".to_owned(), false),
        ];
        assert_eq!(indexes, expected);
        assert!(orders.last_update.as_ref().is_some_and(LastUpdate::is_of_engine));
        assert!(tables[2].last_update.is_none() && tables[2].indexes.is_empty());
        assert!(tables[6].definition.as_ref().unwrap().contains("86400"));
        // The rows of a materialized view lie in a table that isn't listed.
        assert!(tables[5].last_update.is_some());
        // Every column that is listed can be read.
        let names: Vec<String> = orders.columns.iter().map(|column| column.name.clone()).collect();
        let sample = connector.sample(orders, &names, &SampleRequest::FirstRows { rows: 20 }).await.unwrap();
        assert_eq!(sample.rows.len(), 10);
        assert_eq!(sample.rows[0][6], Value::Text("#0".into()));
        // Twice the same, and five statements whatever is there; the sample was three.
        assert_eq!(connector.introspect().await.unwrap(), tables);
        assert_eq!(connector.work().statements, 13);
    })
    .await;
}

#[tokio::test]
async fn a_write_leaves_its_mark_and_a_merge_none() {
    let sql = "
CREATE TABLE t (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE memory (id UInt64) ENGINE = Memory;
INSERT INTO t SELECT number FROM numbers(10);
INSERT INTO t SELECT number FROM numbers(10, 10)";
    with_database("marks", sql, |made| async move {
        let connector = made.connector();
        let mark = async || {
            let t = table(&*connector, "t").await;
            connector.write_mark(&t).await.unwrap().unwrap().epoch
        };
        let before = mark().await;
        made.write("OPTIMIZE TABLE t FINAL").await;
        assert_eq!(mark().await, before);
        let mut marks = vec![before];
        for write in [
            "INSERT INTO t VALUES (30)",
            "ALTER TABLE t DELETE WHERE id = 3 SETTINGS mutations_sync = 2",
            "TRUNCATE TABLE t",
        ] {
            made.write(write).await;
            let after = mark().await;
            assert!(!marks.contains(&after), "{write}");
            marks.push(after);
        }
        let memory = table(&*connector, "memory").await;
        assert_eq!(connector.write_mark(&memory).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn any_name_can_be_a_table_or_a_column() {
    let sql = r"
CREATE TABLE `sel\\ect` (`a ``b\\` UInt8, `Größe` String, `order` String, `x'y` String, `n.a` UInt8)
    ENGINE = MergeTree ORDER BY `a ``b\\`;
INSERT INTO `sel\\ect` VALUES (1, 'groß', 'o', 'q', 2);
CREATE TABLE `a'; DROP TABLE x; --` (`тест` UInt8, `Тест` UInt8) ENGINE = Memory;
INSERT INTO `a'; DROP TABLE x; --` VALUES (1, 2)";
    with_database("names", sql, |made| async move {
        let connector = made.connector();
        let tables = connector.introspect().await.unwrap();
        assert_eq!(tables.len(), 2);
        for table in &tables {
            let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
            assert_eq!(connector.row_count(table).await.unwrap().unwrap().value, 1, "{}", table.id);
            for request in [
                SampleRequest::FirstRows { rows: 3 },
                SampleRequest::EngineSample { rows: 3 },
                SampleRequest::FirstAndLast { each: 1, order_by: None },
            ] {
                let sample = connector.sample(table, &columns, &request).await.unwrap();
                assert_eq!((&sample.columns, sample.rows.len()), (&columns, 1), "{} {request:?}", table.id);
            }
            let one = [Value::Integer(1), Value::Text("no number".into()), Value::Null];
            assert_eq!(connector.contains(table, &columns[0], &one).await.unwrap(), 1, "{}", table.id);
        }
        let select = tables.iter().find(|table| table.id.name == "sel\\ect").unwrap();
        assert_eq!(select.columns[0].name, "a `b\\");
        assert_eq!(select.indexes[0].columns, ["a `b\\"]);
    })
    .await;
}

#[tokio::test]
async fn an_empty_database_has_no_tables_and_a_broken_view_fails_alone() {
    with_database("broken", "", |made| async move {
        let connector = made.connector();
        assert_eq!(connector.introspect().await.unwrap(), []);
        made.write("CREATE TABLE t (a Int8) ENGINE = Memory;\nCREATE VIEW v AS SELECT a FROM t").await;
        made.write("CREATE TABLE kept (a Int8) ENGINE = Memory;\nDROP TABLE t").await;
        let view = table(&*connector, "v").await;
        assert_eq!(view.kind, TableKind::View);
        assert_eq!(connector.row_count(&view).await.unwrap_err().code(), "statement_failed");
        let kept = table(&*connector, "kept").await;
        assert_eq!(connector.row_count(&kept).await.unwrap().unwrap().value, 0);
    })
    .await;
}

#[tokio::test]
async fn what_values_and_rows_are_made_from_is_told() {
    let sql = "
        CREATE TABLE a (id Int64, email String, small String DEFAULT lower(email), start String ALIAS left(email, 5),
            kept String MATERIALIZED upper(email)) ENGINE = MergeTree ORDER BY id;
        CREATE TABLE merged (id Int64, email String) ENGINE = Merge(currentDatabase(), '^(a|buffered)$');
        CREATE TABLE elsewhere (id Int64) ENGINE = Merge('system', 'one');
        CREATE DICTIONARY dict (id UInt64, email String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'a')) LAYOUT(FLAT())
            LIFETIME(0);
        CREATE DICTIONARY by_query (id UInt64, email String) PRIMARY KEY id
            SOURCE(CLICKHOUSE(QUERY 'SELECT id, email FROM a')) LAYOUT(FLAT()) LIFETIME(0);
        CREATE TABLE target (id Int64, email String) ENGINE = MergeTree ORDER BY id;
        CREATE TABLE `to ``here` (id Int64, email String) ENGINE = MergeTree ORDER BY id;
        CREATE MATERIALIZED VIEW filling TO target AS SELECT id, email FROM a;
        CREATE MATERIALIZED VIEW again TO target (id Int64, email String) AS SELECT id, email FROM merged;
        CREATE MATERIALIZED VIEW odd TO `to ``here` AS SELECT id, email FROM a;
        CREATE TABLE called_otherwise ENGINE = Alias('a');
        CREATE MATERIALIZED VIEW own ENGINE = MergeTree ORDER BY id AS SELECT id, email FROM a
    ";
    with_database("made_from", sql, |made| async move {
        let name = &made.name;
        made.write(&format!("CREATE TABLE buffered AS a ENGINE = Buffer('{name}', 'a', 1, 10, 100, 10, 100, 10, 100)"))
            .await;
        made.write(&format!("CREATE TABLE by_key (id UInt64, email String) ENGINE = Dictionary('{name}.dict')")).await;
        let connector = made.connector();
        for (name, expected) in [
            ("a", &["buffered", "called_otherwise"][..]),
            ("merged", &["a", "buffered"]),
            ("elsewhere", &[]),
            ("buffered", &["a"]),
            ("by_key", &["dict"]),
            ("dict", &["a"]),
            ("target", &["again", "filling"]),
            ("to `here", &["odd"]),
            ("own", &[]),
            ("called_otherwise", &["a"]),
        ] {
            let read: Vec<String> = table(&*connector, name).await.reads_from.into_iter().map(|id| id.name).collect();
            assert_eq!(read, expected, "{name}");
        }
        let a = table(&*connector, "a").await;
        let generated: Vec<Option<&str>> = a.columns.iter().map(|column| column.generated.as_deref()).collect();
        assert_eq!(generated, [None, None, Some("lower(email)"), Some("left(email, 5)"), Some("upper(email)")]);
    })
    .await;
}

/// What rows become when their time is over is made as a generated column is.
#[tokio::test]
async fn what_ttl_sets_from_other_columns_is_made_from_them() {
    with_database("ttl", "", |made| async move {
        let ttl =
            "TTL d + INTERVAL 1 DAY GROUP BY id SET top = max(salary), visits = sum(visits) + 1, rest = any(visits)";
        let columns = "id UInt32, d Date, salary UInt32, top UInt32, visits UInt32, rest UInt32 DEFAULT salary";
        made.write(&format!(
            "CREATE TABLE stays ({columns}) ENGINE = MergeTree ORDER BY id {ttl} SETTINGS index_granularity = 1024"
        ))
        .await;
        let stays = table(&*made.connector(), "stays").await;
        let generated: Vec<Option<&str>> = stays.columns.iter().map(|column| column.generated.as_deref()).collect();
        assert_eq!(generated, [None, None, None, Some("max(salary)"), None, Some("tuple(salary, any(visits))")]);
    })
    .await;
}

#[tokio::test]
async fn the_structures_mark_is_another_one_once_it_is() {
    let sql = "CREATE TABLE t (a Int64, b String) ENGINE = MergeTree ORDER BY a";
    with_database("mark", sql, |made| async move {
        let statements = [
            "ALTER TABLE t ADD COLUMN c Int64",
            "ALTER TABLE t COMMENT COLUMN c 'a number'",
            "CREATE VIEW v AS SELECT a FROM t",
            "DROP VIEW v",
            "INSERT INTO t VALUES (1, 'x', 2)",
        ];
        let write = |sql: String| {
            let made = made.clone();
            async move { made.write(&sql).await }
        };
        promises::the_structures_mark_is_another_one_once_it_is(&*made.connector(), &statements, write).await;
    })
    .await;
}
