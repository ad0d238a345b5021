//! Values of every type, as results and as samples.

use super::with_database;
use crate::Value;
use crate::promises::{self, Read, TestDatabase as _, run, text};

const TYPES: &str = r#"
CREATE TABLE everything (
    v_bool Bool, v_tiny Int8, v_big Int64, v_unsigned UInt64, v_huge Int256, v_real Float64, v_float Float32,
    v_nan Float64, v_inf Nullable(Float64), v_decimal Decimal(38, 10), v_whole Decimal(10, 2), v_string String, v_low LowCardinality(String),
    v_fixed FixedString(5), v_enum Enum16('', 'añ', 'b'), v_date Date, v_date32 Date32, v_datetime DateTime('Europe/Berlin'),
    v_fine DateTime64(3, 'UTC'), v_uuid UUID, v_four IPv4, v_six IPv6, v_array Array(Nullable(UInt64)),
    v_tuple Tuple(a UInt8, b String), v_map Map(String, Float64), v_json JSON, v_state AggregateFunction(sum, UInt64),
    v_simple SimpleAggregateFunction(max, UInt8), v_null Nullable(Int32), v_nullable Nullable(String), v_interval IntervalDay
) ENGINE = Memory;
INSERT INTO everything SELECT true, -128, -9223372036854775808, 18446744073709551615, toInt256('-57896044618658097711785492504343953926'),
    1e300, 0.1, nan, inf, toDecimal128('12345678901234567890.1234567891', 10), toDecimal64('7', 2), 'añ🦀\n\t"\\', 'low', 'ab', 'añ', '2024-02-29', '1930-01-01',
    '2024-01-31 23:59:59', '2024-01-31 23:59:59.125', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '1.2.3.4', '::1',
    [1, NULL, 18446744073709551615], (1, 'x'), map('k', 0.5), '{"a": {"b": 1}}', sumState(toUInt64(1)), 7, NULL, 'ᴺ', toIntervalDay(5)
"#;

#[tokio::test]
async fn every_type_has_a_value() {
    with_database("types", TYPES, |made| async move {
        let connector = made.connector();
        let read = Read::of(&*connector, "everything").await;
        read.holds([
            ("v_bool", Value::Boolean(true)),
            ("v_tiny", Value::Integer(-128)),
            ("v_big", Value::Integer(i64::MIN)),
            ("v_unsigned", text("18446744073709551615")),
            ("v_huge", text("-57896044618658097711785492504343953926")),
            ("v_real", Value::Real(1e300)),
            ("v_float", Value::Real(0.1)),
            ("v_inf", Value::Real(f64::INFINITY)),
            ("v_string", text("añ🦀\n\t\"\\")),
            ("v_low", text("low")),
            ("v_fixed", text("ab")),
            ("v_enum", text("añ")),
            ("v_date", text("2024-02-29")),
            ("v_date32", text("1930-01-01")),
            ("v_datetime", text("2024-01-31 23:59:59")),
            ("v_fine", text("2024-01-31 23:59:59.125")),
            ("v_uuid", text("61f0c404-5cb3-11e7-907b-a6006ad3dba0")),
            ("v_four", text("1.2.3.4")),
            ("v_six", text("::1")),
            ("v_array", text("[1,NULL,18446744073709551615]")),
            ("v_tuple", text("(1,'x')")),
            ("v_map", text("{'k':0.5}")),
            ("v_json", text("{\"a\":{\"b\":1}}")),
            ("v_simple", Value::Integer(7)),
            ("v_null", Value::Null),
            ("v_nullable", text("ᴺ")),
            ("v_interval", Value::Integer(5)),
        ]);
        // Every digit in a result; a figure in a sample.
        let decimal = text("12345678901234567890.1234567891");
        assert_eq!(read.both("v_decimal"), [&decimal, &Value::Real(12_345_678_901_234_567_890.123)]);
        assert_eq!(read.both("v_whole"), [&text("7.00"), &Value::Real(7.0)]);
        assert!(read.both("v_nan").iter().all(|value| matches!(value, Value::Real(number) if number.is_nan())));
        assert!(read.both("v_state").iter().all(|value| matches!(value, Value::Bytes(1..))));
        // Whatever the type, a value that was read is found again, and what is no value is not.
        for column in
            read.table.columns.iter().filter(|column| !["v_state", "v_nan", "v_null"].contains(&&*column.name))
        {
            let values = [read.both(&column.name)[1].clone(), text("no value of any type"), Value::Null];
            let exact = !["v_decimal", "v_whole", "v_interval", "v_float"].contains(&&*column.name);
            let found = connector.contains(&read.table, &column.name, &values).await;
            assert!(!exact || found == Ok(1), "{} {found:?}", column.name);
            assert!(found.is_ok(), "{} {found:?}", column.name);
        }
    })
    .await;
}

#[tokio::test]
async fn odd_results_are_no_error() {
    with_database("odd", "CREATE TABLE t (a Int8, b String) ENGINE = Memory", |made| async move {
        made.write("INSERT INTO t VALUES (1, unhex('ff0041'))").await;
        let connector = made.connector();
        let statements = [
            ("SELECT NULL", Some(Value::Null)),
            ("SELECT 1.50", Some(Value::Real(1.5))),
            ("SELECT b FROM t", Some(text("\u{fffd}\0A"))),
            ("SELECT count() FROM t", Some(Value::Integer(1))),
            ("SELECT sum(a) FROM t WHERE 0", Some(Value::Integer(0))),
            ("WITH x AS (SELECT 1 AS n) SELECT n FROM x -- a comment", Some(Value::Integer(1))),
            ("WITH 1 AS n SELECT n", Some(Value::Integer(1))),
            ("SELECT ';'", Some(text(";"))),
            ("SELECT 'Code: 1. DB::Exception: no'", Some(text("Code: 1. DB::Exception: no"))),
            ("SELECT 1 AS `a\"\n[`", Some(Value::Integer(1))),
            ("SELECT arrayJoin(CAST([NULL, 1] AS Array(Nullable(Int8))))::Variant(Int8, String)", None),
            ("SHOW TABLES", None),
            ("SHOW CREATE TABLE t", None),
            ("DESCRIBE t", None),
            ("EXPLAIN SELECT 1", None),
            ("SELECT currentDatabase()", Some(text(&made.name))),
        ];
        promises::odd_results_are_no_error(&*connector, &statements).await;
        let none = run(&*connector, "SELECT a, b FROM t WHERE 0").await.unwrap();
        assert_eq!((none.columns, none.rows.len()), (vec!["a".to_owned(), "b".to_owned()], 0));
    })
    .await;
}
