//! Any text in, a verdict out.

use catalog::{Catalog, Dialect, Source};
use guard::Policy;
use proptest::prelude::*;

use crate::fixture::Fixture;
use crate::specs::all_statements;

fn dialects() -> [Dialect; 6] {
    ["sqlite", "postgres", "mysql", "duckdb", "clickhouse", "bigquery"].map(Dialect::from_name)
}

fn empty_catalog(dialect: &Dialect) -> Catalog {
    let source = Source::new("spec", dialect.clone(), "");
    Catalog::new(vec![source], Vec::new(), Vec::new(), 0)
}

#[test]
fn every_spec_can_be_checked_in_every_dialect() {
    let fixture = Fixture::new();
    for dialect in dialects() {
        let catalog = fixture.catalog(&dialect);
        for statement in all_statements() {
            let verdict = guard::check(&statement, &catalog, "spec", &Policy::default(), None);
            for span in verdict.findings.iter().filter_map(|finding| finding.span) {
                assert!(statement.get(span.start..span.end).is_some(), "{statement}: {span:?}");
            }
        }
    }
}

#[test]
fn nothing_repeated_overflows_the_stack() {
    // What the parser follows by calling itself, before or behind a statement.
    let before = [
        "EXPLAIN ",
        "DESC ",
        "EXPLAIN ANALYZE ",
        "EXPLAIN (COSTS) ",
        "PREPARE a AS ",
        "IF 1 THEN ",
        "WHILE 1 BEGIN ",
        "CREATE PROCEDURE a AS BEGIN ",
        "SELECT 1; EXPLAIN ",
        "(",
        "SELECT (",
        "SELECT NOT ",
        "SELECT - ",
        "SELECT CASE WHEN ",
        "WITH a AS (",
        "SELECT * FROM (",
        "SELECT ARRAY[",
        "SELECT f(",
    ];
    let behind = [
        " JOIN t",
        " LEFT JOIN t",
        " NATURAL JOIN t",
        " CROSS JOIN t",
        " UNION SELECT 1",
        " AND 1",
        " || 'a'",
        "::int",
        "[1]",
        ".a",
    ];
    // A server's threads have as little.
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let all = move || {
        for count in [40, 95, 300, 5_000] {
            let texts = before
                .iter()
                .map(|part| format!("{}SELECT 1", part.repeat(count)))
                .chain(behind.iter().map(|part| format!("SELECT a FROM t{}", part.repeat(count))));
            for text in texts {
                for dialect in dialects() {
                    guard::check(&text, &empty_catalog(&dialect), "spec", &Policy::default(), None);
                }
            }
        }
    };
    small.spawn(all).unwrap().join().unwrap();
}

#[test]
fn long_texts_are_judged_in_bounded_work() {
    let fixture = Fixture::new();
    let list = |item: &dyn Fn(usize) -> String, count: usize| (0..count).map(item).collect::<Vec<_>>().join(", ");
    let texts = [
        format!("SELECT 'é', {}", list(&|_| "'a'".to_owned(), 20_000)),
        format!("SELECT {} FROM {}", list(&|_| "zz".to_owned(), 2_000), list(&|n| format!("orders a{n}"), 2_000)),
        format!("SELECT 1 FROM {}", list(&|n| format!("t{n}"), 10_000)),
        format!("SELECT 1 FROM orders {}", "NATURAL JOIN orders ".repeat(2_000)),
        format!("SELECT {} FROM orders", list(&|n| format!("\"zz{n}\" = status"), 5_000)),
        format!("WITH {} SELECT 1", list(&|n| format!("a{n} AS MATERIALIZED (SELECT 1)"), 5_000)),
        format!(
            "SELECT {} FROM orders ORDER BY {}",
            list(&|n| format!("total AS a{n}"), 5_000),
            list(&|n| format!("a{n}"), 5_000)
        ),
        format!("SELECT {} FROM orders", "x".repeat(200_000)),
    ];
    // The same work many times over takes many times longer: against the time for a text of the same size that is
    // plain, on whatever machine this runs.
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let time = |text: &str| {
        let started = std::time::Instant::now();
        guard::check(text, &catalog, "spec", &Policy::default(), None);
        started.elapsed()
    };
    let plain = format!("SELECT {}", list(&|_| "'a'".to_owned(), 40_000));
    let unit = time(&plain).max(time(&plain));
    for text in texts {
        let taken = time(&text);
        assert!(taken < unit * 20, "{}…: {taken:?}, a plain text {unit:?}", &text[..60]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_a_verdict(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for dialect in dialects() {
            guard::check(&text, &empty_catalog(&dialect), "spec", &Policy::default(), None);
        }
    }

    #[test]
    fn any_heap_of_sql_words_gets_a_verdict(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        let text = words.join(" ");
        for dialect in dialects() {
            guard::check(&text, &empty_catalog(&dialect), "spec", &Policy::default(), None);
        }
    }
}

const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "a",
    "b",
    "t",
    "*",
    ",",
    "(",
    ")",
    "JOIN",
    "ON",
    "USING",
    "NATURAL",
    "LEFT",
    "=",
    "<>",
    "1",
    "'x'",
    "\"y\"",
    "`z`",
    "[w]",
    "AS",
    "WITH",
    "RECURSIVE",
    "UNION",
    "ALL",
    "EXCEPT",
    "VALUES",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "IN",
    "IS",
    "NOT",
    "NULL",
    "LIKE",
    "BETWEEN",
    "AND",
    "OR",
    "EXISTS",
    "OVER",
    "PARTITION",
    "count",
    ".",
    "||",
    "->",
    "->>",
    "::",
    ";",
    "--",
    "/*",
    "*/",
    "/*!",
    "INTO",
    "FOR",
    "UPDATE",
    "DELETE",
    "INSERT",
    "PRAGMA",
    "ATTACH",
    "EXPLAIN",
    "LATERAL",
    "UNNEST",
    "$$",
    "E'\\''",
    "?",
    ":p",
    "@v",
    "é",
    "CAST",
    "INTERVAL",
    "EXTRACT",
    "FILTER",
    "WINDOW",
    "QUALIFY",
    "EXCLUDE",
    "SHOW",
    "SET",
    "|>",
];
