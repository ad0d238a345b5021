//! Values of every type, as results and as samples.

use mysql_async::prelude::Queryable;

use super::{is_mariadb, with_database};
use crate::promises::{self, Read, TestDatabase as _, run, table, text};
use crate::{SampleRequest, Value};

const TYPES: &str = "
SET SESSION sql_mode = '';
CREATE TABLE everything (
    v_bool bool, v_tiny tinyint, v_small smallint unsigned, v_medium mediumint, v_int int zerofill, v_big bigint,
    v_huge bigint unsigned, v_decimal decimal(65, 30), v_float float, v_double double, v_bit bit(1), v_bits bit(64),
    v_char char(5), v_varchar varchar(10), v_latin varchar(10) CHARACTER SET latin1, v_text text, v_enum enum('', 'añ'),
    v_set set('x', 'y'), v_binary binary(3), v_varbinary varbinary(9), v_blob blob, v_date date, v_zero date,
    v_partial date, v_time time, v_micros time(6), v_datetime datetime, v_fine datetime(3), v_last datetime,
    v_timestamp timestamp NULL, v_year year, v_json json, v_point point, v_line linestring
);
INSERT INTO everything VALUES (
    true, -128, 65535, -8388608, 42, -9223372036854775808, 18446744073709551615,
    12345678901234567890123456789012345.123456789012345678901234567891, 0.1, 1e300, b'1',
    b'1111111111111111111111111111111111111111111111111111111111111111', 'c', 'añ🦀\\n', 'é', 't', 'añ', 'x,y',
    x'00ff', x'00ff10', x'', '2024-02-29', '0000-00-00', '2024-00-00', '-838:59:59', '00:00:01.5',
    '0000-00-00 00:00:00', '2024-01-31 23:59:59.125', '9999-12-31 23:59:59', '2024-01-31 00:00:00', 1999,
    '{\"a\": [1, null]}', POINT(1, 2), LineString(POINT(0, 0), POINT(1, 1))
);
INSERT INTO everything () VALUES ()";

#[tokio::test]
async fn every_type_has_a_value() {
    with_database("types", TYPES, |made| async move {
        let connector = made.connector();
        let read = Read::of(&*connector, "everything").await;
        read.holds([
            ("v_bool", Value::Integer(1)),
            ("v_tiny", Value::Integer(-128)),
            ("v_small", Value::Integer(65535)),
            ("v_medium", Value::Integer(-8_388_608)),
            ("v_int", Value::Integer(42)),
            ("v_big", Value::Integer(i64::MIN)),
            ("v_huge", text("18446744073709551615")),
            ("v_float", Value::Real(0.1)),
            ("v_double", Value::Real(1e300)),
            ("v_bit", Value::Boolean(true)),
            ("v_bits", text("18446744073709551615")),
            ("v_char", text("c")),
            ("v_varchar", text("añ🦀\n")),
            ("v_latin", text("é")),
            ("v_enum", text("añ")),
            ("v_set", text("x,y")),
            ("v_binary", Value::Bytes(3)),
            ("v_varbinary", Value::Bytes(3)),
            ("v_blob", Value::Bytes(0)),
            ("v_date", text("2024-02-29")),
            ("v_zero", text("0000-00-00")),
            ("v_partial", text("2024-00-00")),
            ("v_time", text("-838:59:59")),
            ("v_micros", text("00:00:01.500000")),
            ("v_datetime", text("0000-00-00 00:00:00")),
            ("v_fine", text("2024-01-31 23:59:59.125")),
            ("v_last", text("9999-12-31 23:59:59")),
            ("v_timestamp", text("2024-01-31 00:00:00")),
            ("v_year", Value::Integer(1999)),
            ("v_json", text("{\"a\": [1, null]}")),
            ("v_point", Value::Bytes(25)),
            ("v_line", Value::Bytes(45)),
        ]);
        // Every digit in a result; a figure in a sample.
        let digits = text("12345678901234567890123456789012345.123456789012345678901234567891");
        assert_eq!(read.both("v_decimal"), [&digits, &Value::Real(1.234_567_890_123_457e34)]);
        assert!(read.result[1].iter().all(Value::is_null), "{:?}", read.result[1]);
    })
    .await;
}

#[tokio::test]
async fn odd_results_are_no_error() {
    with_database("odd", "CREATE TABLE t (a int)", |made| async move {
        let statements = [
            ("SELECT NULL", Some(Value::Null)),
            ("SELECT 1.50", Some(text("1.50"))),
            ("SELECT CONCAT(1, 2)", Some(text("12"))),
            ("SELECT x'ff'", Some(Value::Bytes(1))),
            ("SELECT COUNT(*) FROM t", Some(Value::Integer(0))),
            ("SELECT SUM(a) FROM t", Some(Value::Null)),
            ("WITH x AS (SELECT 1 AS n) SELECT n FROM x -- a comment", Some(Value::Integer(1))),
            ("SELECT '/**/:b'", Some(text("/**/:b"))),
            ("SHOW TABLES", None),
            ("SHOW CREATE TABLE t", None),
            ("DESCRIBE t", None),
            ("EXPLAIN SELECT 1", None),
            ("SELECT DATABASE()", Some(text(&made.name))),
        ];
        let connector = made.connector();
        promises::odd_results_are_no_error(&*connector, &statements).await;
        // The longest time there is, less 20 hours: the exact figure depends on the server.
        let time = run(&*connector, "SELECT TIMEDIFF('20:00:00', '900:00:00')").await.unwrap();
        assert!(matches!(&time.rows[0][0], Value::Text(time) if time.starts_with("-8")), "{time:?}");
    })
    .await;
}

#[tokio::test]
async fn types_of_mariadb_alone_are_texts() {
    with_database("mariadb", "CREATE TABLE kept (a int)", |made| async move {
        if !is_mariadb(&made).await {
            return;
        }
        let sql = "CREATE TABLE t (address inet6, KEY (address)); INSERT INTO t VALUES ('::1')";
        made.client().await.query_drop(sql).await.unwrap();
        let connector = made.connector();
        let t = table(&*connector, "t").await;
        assert_eq!(run(&*connector, "SELECT address FROM t").await.unwrap().rows, [[text("::1")]]);
        let columns = ["address".to_owned()];
        for request in [
            SampleRequest::FirstRows { rows: 1 },
            SampleRequest::ByKey { column: "address".into(), keys: vec![text("::1"), text("no address")] },
        ] {
            assert_eq!(connector.sample(&t, &columns, &request).await.unwrap().rows, [[text("::1")]]);
        }
        assert_eq!(connector.key_range(&t, "address").await.unwrap(), Some((text("::1"), text("::1"))));
    })
    .await;
}
