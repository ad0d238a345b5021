//! Every function that may be called, with large values in each place.
//!
//! Made-up nests find what templates were written for. Here nobody has to have thought of a function: its result is measured for
//! texts, numbers, lists, documents and days in any order, and held against what was computed.

use std::time::Duration;

use catalog::Dialect;
use connect::{Limits, Value};
use fastrand::Rng;
use sql::{CatalogSchema, GrowthKind};

use super::{WORTH_SAYING, number};
use crate::databases::{Database, Engine};

/// Calls of a function, at most; ClickHouse in a process of Python's takes ten times as long for one.
const CALLS: u64 = 12;
const CALLS_OF_CLICKHOUSE: u64 = 4;
/// Places that are filled.
const MOST_ARGUMENTS: usize = 5;
const LONGEST: Duration = Duration::from_secs(5);
/// How many times as large a value is at most where it is written out as a text, as lists and rows are to be measured.
const WRITTEN: f64 = 2.0;

/// Values to call with, and how many bytes a result has as a text.
fn values(dialect: &str) -> (&'static [&'static str], &'static str) {
    match dialect {
        "sqlite" => (
            &[
                "replace(hex(zeroblob(600)), '0', 'a,b \"')",
                "replace(hex(zeroblob(600)), '0', char(1))",
                "'a'",
                "''",
                "1000",
                "3",
                "-2.5",
                "json('[' || substr(replace(hex(zeroblob(300)), '0', ',1'), 2) || ']')",
                "'$.a'",
                "'2024-02-29'",
                "'%d %s'",
                "zeroblob(2000)",
            ],
            "length(CAST(@ AS BLOB))",
        ),
        "postgres" => (
            &[
                "repeat('a,b \"\\', 400)",
                "repeat('ü ', 700)",
                "repeat(chr(1), 900)",
                "'a'",
                "''",
                "1000",
                "3",
                "-2.5",
                "(SELECT array_agg(i) FROM generate_series(1, 300) i)",
                "(SELECT array_agg('a' || i) FROM generate_series(1, 300) i)",
                "(SELECT jsonb_agg(i) FROM generate_series(1, 300) i)",
                "(SELECT json_object_agg('k' || i, i) FROM generate_series(1, 200) i)",
                "to_tsvector(repeat('a b', 300))",
                "to_tsquery('a & b')",
                "DATE '2024-02-29'",
                "TIMESTAMP '2024-02-29 12:00:00'",
                "INTERVAL '1000 days'",
                "'yyyy-mm-dd'",
                "decode(repeat('ab', 1000), 'hex')",
                "true",
                "int4range(1, 1000)",
                "numeric '1e3000'",
                "1e200::float8",
            ],
            "octet_length((@)::text)",
        ),
        "mysql" => (
            &[
                "REPEAT('a,b \"', 400)",
                "REPEAT('ü ', 700)",
                "REPEAT(CHAR(1), 900)",
                "'a'",
                "''",
                "1000",
                "3",
                "-2.5",
                "CONCAT('[', REPEAT('1,', 500), '1]')",
                "CONCAT('{\"a\":\"', REPEAT('x', 500), '\"}')",
                "'$.a'",
                "'$[*]'",
                "'one'",
                "DATE '2024-02-29'",
                "TIMESTAMP '2024-02-29 12:00:00'",
                "'%Y-%M-%d %W'",
                "1e200",
                "ST_GeomFromText('LINESTRING(0 0, 1 1, 2 2)')",
            ],
            "LENGTH(@)",
        ),
        "duckdb" => (
            &[
                "repeat('a,b \"', 400)",
                "repeat('ü ', 700)",
                "repeat(chr(1), 900)",
                "'a'",
                "''",
                "1000",
                "3",
                "-2.5",
                "range(300)",
                "string_split(repeat('a,b,', 150), ',')",
                "to_json(range(300))",
                "'$.a'",
                "DATE '2024-02-29'",
                "TIMESTAMP '2024-02-29 12:00:00'",
                "INTERVAL 1000 DAY",
                "'%Y-%m-%d'",
                "repeat('ab', 1000)::BLOB",
                "true",
                "{'a': 1, 'b': repeat('x', 500)}",
                "map(range(100), range(100))",
                "1e200",
            ],
            "strlen(CAST(@ AS VARCHAR))",
        ),
        "clickhouse" => (
            &[
                "repeat('a,b \"', 400)",
                "repeat('ü ', 700)",
                "'a'",
                "''",
                "1000",
                "3",
                "-2.5",
                "range(300)",
                "splitByChar(',', repeat('a,b,', 150))",
                "toJSONString(range(300))",
                "'a'",
                "toDate('2024-02-29')",
                "toDateTime('2024-02-29 12:00:00')",
                "'UTC'",
                "tuple(1, repeat('x', 500))",
                "map('a', 1)",
                "1e200",
            ],
            "length(toString(@))",
        ),
        other => panic!("nobody has written values for {other}"),
    }
}

/// The functions that may be called, as the engine writes them: ClickHouse tells small letters from capitals.
fn names(database: &Database, dialect: &Dialect) -> Vec<String> {
    let pure = dialect.functions().pure();
    if database.engine.dialect != "clickhouse" {
        return pure.iter().map(|name| (*name).to_owned()).collect();
    }
    let limits = Limits { rows: 10_000, ..Limits::default() };
    let known = database.unguarded("SELECT name FROM system.functions", &limits).unwrap();
    let names = known.rows.iter().filter_map(|row| row.first().and_then(Value::as_text));
    names.filter(|name| pure.contains(name.to_lowercase().as_str())).collect()
}

/// Calls each function of an engine, and tells what came out larger than it was said.
pub(super) fn tried(engine: &'static Engine) {
    let Some(database) = Database::of(engine) else { return };
    let dialect = Dialect::from_name(engine.dialect);
    let (values, length) = values(engine.dialect);
    let mut random = Rng::with_seed(number("PERIPLUS_TEST_SEED", 1));
    let few = if engine.dialect == "clickhouse" { CALLS_OF_CLICKHOUSE } else { CALLS };
    let calls = number("PERIPLUS_TEST_CASES", few) as usize;
    let limits = Limits { timeout: LONGEST, ..Limits::default() };
    let schema = CatalogSchema::new(&database.catalog, "spec");
    let names = names(&database, &dialect);
    let (mut ran, mut complaints) = (0, Vec::new());
    for name in names {
        let mut largest: Option<(f64, String)> = None;
        for call in 0..calls {
            let count = 1 + (call * MOST_ARGUMENTS) / calls;
            let arguments: Vec<&str> = (0..count).map(|_| values[random.usize(..values.len())]).collect();
            let called = format!("{name}({})", arguments.join(", "));
            let sql = format!("SELECT {}", length.replace('@', &called));
            let Ok(answer) = database.unguarded(&sql, &limits) else { continue };
            let Some(Value::Integer(length)) = answer.rows.first().and_then(|row| row.first()) else { continue };
            ran += 1;
            let reading = sql::read(&sql, &dialect, &schema);
            let said = reading.growth.iter().filter(|growth| growth.kind == GrowthKind::Value);
            let bound = said.map(|growth| growth.amount).fold(WORTH_SAYING, f64::max);
            let over = *length as f64 / bound;
            if over > WRITTEN && largest.as_ref().is_none_or(|(known, _)| over > *known) {
                largest = Some((over, format!("{length} bytes, and {bound} was the bound: {sql}")));
            }
        }
        complaints.extend(largest.map(|(_, complaint)| complaint));
    }
    eprintln!("{}: {ran} calls ran", engine.name);
    assert!(ran > 60, "{ran} calls ran");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
