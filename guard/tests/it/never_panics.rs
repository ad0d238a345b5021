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
