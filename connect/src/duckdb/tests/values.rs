//! Values of every type, held against the text that the engine writes itself.

use super::Made;
use crate::promises::{code, run, table};
use crate::{SampleRequest, Value};

/// Expressions whose value is no number and no truth.
const EXPRESSIONS: [&str; 53] = [
    "'a''b'",
    "''",
    "170141183460469231731687303715884105727::HUGEINT",
    "(-170141183460469231731687303715884105728)::HUGEINT",
    "340282366920938463463374607431768211455::UHUGEINT",
    "18446744073709551615::UBIGINT",
    "1.10::DECIMAL(4,2)",
    "-0.05::DECIMAL(9,2)",
    "123456789012345678901234567890.12345678::DECIMAL(38,8)",
    "7::DECIMAL(18,0)",
    "DATE '2024-02-29'",
    "DATE '0044-03-15 (BC)'",
    "DATE '12345-01-01'",
    "'infinity'::DATE",
    "'-infinity'::DATE",
    "TIME '23:59:59.120'",
    "TIME '00:00:00'",
    "'12:30:00.5+05:30'::TIMETZ",
    "'12:30:00-08'::TIMETZ",
    "TIMESTAMP '1969-12-31 23:59:59.999999'",
    "TIMESTAMP '2024-02-29 12:00:00'",
    "'0044-03-15 (BC) 01:02:03'::TIMESTAMP",
    "'infinity'::TIMESTAMP",
    "'-infinity'::TIMESTAMPTZ",
    "'2024-01-01 00:00:00.25+02'::TIMESTAMPTZ",
    "'2024-01-01 00:00:01'::TIMESTAMP_S",
    "'2024-01-01 00:00:00.5'::TIMESTAMP_MS",
    "'2024-01-01 00:00:00.123456789'::TIMESTAMP_NS",
    "INTERVAL '1 year 2 months 3 days 04:05:06.789'",
    "INTERVAL '-14 months -1 day'",
    "INTERVAL '-30 hours'",
    "INTERVAL '0 days'",
    "'c0ffee00-0000-4000-8000-00000000000f'::UUID",
    "'00101010101'::BIT",
    "'ok'::ENUM ('sad', 'ok')",
    "'{\"k\": [1, 2]}'::JSON",
    "[1, NULL, 3]",
    "[]::INTEGER[]",
    "[['a', 'b, c'], [], NULL]",
    "[1, 2, 3]::INTEGER[3]",
    "[[1, 2], [3, 4]]::INTEGER[2][2]",
    "['it''s', '', ' x', 'null', 'a:b', 'ä', 'x\ny']",
    "[1.5::DOUBLE, 1e20, 'nan', 1e-7, 1e15, 1e16, '-infinity', 123456.789]",
    "[0.1::FLOAT, 1e10::FLOAT]",
    "[TIMESTAMP '2024-01-01 00:00:00', NULL]",
    "[DATE '2024-01-01', 'infinity'::DATE]",
    "[true, false]",
    "{'a': 1, 'b c': [1, 2], 'd''e': NULL}",
    "row(1, 'x', row(NULL, 2))",
    "MAP {'k': 'v, x', 'z': NULL}",
    "MAP {[1]: {'a': 'b'}}",
    "union_value(n := DATE '2024-01-01')",
    "[union_value(n := 3)]",
];

#[tokio::test]
async fn values_are_written_as_the_engine_writes_them() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    for expression in EXPRESSIONS {
        let sql = format!("SELECT v, CAST(v AS VARCHAR) FROM (SELECT {expression} AS v)");
        let rows = run(&*connector, &sql).await.unwrap_or_else(|error| panic!("{expression}: {error}")).rows;
        assert_eq!(rows[0][0], rows[0][1], "{expression}");
        assert!(matches!(rows[0][0], Value::Text(_)), "{expression}");
    }
}

#[tokio::test]
async fn numbers_truths_and_bytes_have_their_kinds() {
    let Some(made) = Made::with(
        "CREATE TABLE t AS SELECT * FROM (VALUES
             (true, (-128)::TINYINT, 255::UTINYINT, (-9223372036854775808)::BIGINT,
              7::UBIGINT, 0.1::FLOAT, 'nan'::DOUBLE, '\\x00ab'::BLOB),
             (NULL, NULL, NULL, NULL, NULL, NULL, 'infinity', NULL)) AS v (b, t, u, i, ub, f, d, x)",
    ) else {
        return;
    };
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    let columns: Vec<String> = t.columns.iter().map(|column| column.name.clone()).collect();
    let sample = connector.sample(&t, &columns, &SampleRequest::FirstRows { rows: 2 }).await.unwrap();
    for rows in [sample.rows, run(&*connector, "FROM t").await.unwrap().rows] {
        let expected = [
            Value::Boolean(true),
            Value::Integer(-128),
            Value::Integer(255),
            Value::Integer(i64::MIN),
            Value::Integer(7),
            Value::Real(0.1),
        ];
        assert_eq!(rows[0][..6], expected);
        assert!(matches!(rows[0][6], Value::Real(number) if number.is_nan()));
        assert_eq!(rows[0][7], Value::Bytes(3));
        assert_eq!(rows[1][6], Value::Real(f64::INFINITY));
        assert!(rows[1].iter().enumerate().all(|(place, cell)| place == 6 || cell.is_null()));
    }
}

#[tokio::test]
async fn rows_beyond_the_first_chunk_and_nested_ones_stay_in_place() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    let nested = "SELECT [i, i + 1] AS l, {'a': CASE WHEN i % 3 > 0 THEN 'x' || i END} AS s,
                  MAP {i: i} AS m, [i, i]::BIGINT[2] AS r
                  FROM range(2500) AS n (i)";
    let sql = format!(
        "SELECT l, CAST(l AS VARCHAR), s, CAST(s AS VARCHAR), m, CAST(m AS VARCHAR), r, CAST(r AS VARCHAR)
         FROM ({nested}) OFFSET 1600"
    );
    let rows = run(&*connector, &sql).await.unwrap().rows;
    assert_eq!(rows.len(), 900);
    assert!(rows.iter().all(|row| row.chunks(2).all(|pair| pair[0] == pair[1])), "{:?}", rows[0]);
}

#[tokio::test]
async fn times_are_utc_and_what_cannot_be_read_is_named() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER)") else { return };
    let connector = made.connector();
    let now = run(&*connector, "SELECT CAST('2024-06-01 12:00:00+02'::TIMESTAMPTZ AS VARCHAR)").await.unwrap();
    assert_eq!(now.rows[0][0], Value::Text("2024-06-01 10:00:00+00".into()));
    assert_eq!(code(&*connector, "SELECT 1::BIGNUM").await, "statement_failed");
    assert_eq!(code(&*connector, "SELECT CAST(1::BIGNUM AS VARCHAR), NULL").await, "ok");
}
