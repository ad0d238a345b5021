//! Values of every type, as results and as samples.

use super::with_database;
use crate::Value;
use crate::promises::{self, Read, TestDatabase as _, text};

const TYPES: &str = "
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN age AS int CHECK (VALUE >= 0);
CREATE TABLE everything (
    v_bool bool, v_int2 int2, v_int4 int4, v_int8 int8, v_oid oid, v_age age, v_float4 float4, v_float8 float8,
    v_numeric numeric, v_money money, v_text text, v_varchar varchar(10), v_char char(5),
    v_internal \"char\", v_name name,
    v_bytea bytea, v_date date, v_time time, v_timetz timetz, v_timestamp timestamp, v_timestamptz timestamptz,
    v_interval interval, v_uuid uuid, v_json json, v_jsonb jsonb, v_xml text, v_ints int[], v_texts text[][],
    v_range int4range, v_multirange int4multirange, v_point point, v_polygon polygon, v_inet inet, v_cidr cidr,
    v_macaddr macaddr, v_bit bit(3), v_varbit varbit, v_tsvector tsvector, v_tsquery tsquery, v_mood mood,
    v_moods mood[], v_pair pair, v_lsn pg_lsn, v_class regclass, v_acl aclitem, v_tid tid, v_path jsonpath
);
INSERT INTO everything VALUES (
    true, -32768, 2147483647, 9223372036854775807, 4294967295, 7, 0.1, 'NaN',
    123456789012345678901234567890.123456789, 12.5, E'añ🦀\\n', 'v', 'c', 'i', 'n',
    '\\x00ff10', 'infinity', '23:59:59.5', '12:00+02', '9999-12-31 23:59:59', '-infinity',
    '1 year 2 days', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": 1}', '{\"b\": [1, null]}', '<x/>',
    '{1,NULL,3}', '{{a,\"b c\"}}', '[1,5)', '{[1,2),[5,6)}', '(1,2)', '((0,0),(1,1),(1,0))', '10.0.0.1', '10.0.0.0/8',
    '08:00:2b:01:02:03', B'101', B'1', 'a fat cat', 'fat & cat', 'happy', '{sad,happy}', '(1,\"x y\")', '16/B374D848',
    'everything', NULL, '(0,1)', '$.a'
); INSERT INTO everything DEFAULT VALUES;
";

#[tokio::test]
async fn every_type_has_a_value() {
    with_database("types", TYPES, |made| async move {
        let connector = made.connector();
        let read = Read::of(&*connector, "everything").await;
        read.holds([
            ("v_bool", Value::Boolean(true)),
            ("v_int2", Value::Integer(-32768)),
            ("v_int8", Value::Integer(i64::MAX)),
            ("v_oid", Value::Integer(4_294_967_295)),
            ("v_age", Value::Integer(7)),
            ("v_float4", Value::Real(0.1)),
            ("v_text", text("añ🦀\n")),
            ("v_internal", text("i")),
            ("v_bytea", Value::Bytes(3)),
            ("v_date", text("infinity")),
            ("v_timetz", text("12:00:00+02")),
            ("v_timestamp", text("9999-12-31 23:59:59")),
            ("v_timestamptz", text("-infinity")),
            ("v_interval", text("1 year 2 days")),
            ("v_uuid", text("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
            ("v_jsonb", text("{\"b\": [1, null]}")),
            ("v_ints", text("{1,NULL,3}")),
            ("v_texts", text("{{a,\"b c\"}}")),
            ("v_range", text("[1,5)")),
            ("v_multirange", text("{[1,2),[5,6)}")),
            ("v_point", text("(1,2)")),
            ("v_bit", text("101")),
            ("v_mood", text("happy")),
            ("v_moods", text("{sad,happy}")),
            ("v_pair", text("(1,\"x y\")")),
            ("v_class", text("everything")),
            ("v_acl", Value::Null),
            ("v_tid", text("(0,1)")),
        ]);
        assert!(read.result[1].iter().all(Value::is_null), "{:?}", read.result[1]);
        // A cast gives an address its mask.
        assert_eq!(read.both("v_inet"), [&text("10.0.0.1"), &text("10.0.0.1/32")]);
        assert!(read.both("v_float8").iter().all(|value| matches!(value, Value::Real(number) if number.is_nan())));
        // Every digit in a result; a figure in a sample.
        let digits = text("123456789012345678901234567890.123456789");
        assert_eq!(read.both("v_numeric"), [&digits, &Value::Real(1.234_567_890_123_456_8e29)]);
    })
    .await;
}

#[tokio::test]
async fn types_without_a_binary_form_and_odd_results_are_no_error() {
    with_database(
        "odd",
        "CREATE TABLE t (a int); INSERT INTO t VALUES (7); GRANT SELECT ON t TO PUBLIC;",
        |made| async move {
            let statements = [
                ("SELECT relacl[1] FROM pg_class WHERE relname = 't'", None),
                ("SELECT 'Infinity'::float8", Some(Value::Real(f64::INFINITY))),
                ("SELECT 'NaN'::numeric", Some(text("NaN"))),
                ("SELECT row(1, 'a', NULL)", Some(text("(1,a,)"))),
                ("SELECT NULL", Some(Value::Null)),
                ("SELECT 'unknown'", Some(text("unknown"))),
                ("SELECT ''::bytea", Some(Value::Bytes(0))),
                ("VALUES (1)", Some(Value::Integer(1))),
                ("SHOW server_encoding", Some(text("UTF8"))),
                ("SELECT count(*) FROM t", Some(Value::Integer(1))),
                ("TABLE t", Some(Value::Integer(7))),
                ("WITH x AS (SELECT 1 AS n) SELECT sum(n) FROM x -- a comment", Some(Value::Integer(1))),
                ("EXPLAIN SELECT 1", None),
                ("SELECT 1;", Some(Value::Integer(1))),
            ];
            promises::odd_results_are_no_error(&*made.connector(), &statements).await;
        },
    )
    .await;
}
