//! A program branches on types, never on its own sentences: rewording a message changes no behaviour.
//!
//! Looks for comparisons of a text with a literal of several words. What others word (an engine, a tool) can only be
//! told by their words; such files are listed with whose words they read.

use std::sync::LazyLock;

use regex::Regex;

use super::invariants::is_test;
use crate::repository::Repository;

/// Files that read what others have worded, and whose words these are.
const READERS: &[(&str, &str)] = &[
    ("catalog/src/store/typed_evidence.rs", "sentences that catalogs of format 5 hold"),
    ("connect/src/clickhouse/failure.rs", "ClickHouse's messages"),
    ("connect/src/duckdb/failure.rs", "DuckDB's messages"),
    ("connect/src/mysql/failure.rs", "messages of MariaDB and MySQL"),
    ("connect/src/postgres/failure.rs", "PostgreSQL's messages"),
    ("connect/src/postgres/privileges.rs", "what a query of ours names"),
    ("eval/src/ask.rs", "SQLite's messages"),
    ("guard/src/rules/literal_value/spellings.rs", "SQL's operators"),
    ("llm/src/local/pull/pip.rs", "pip's messages"),
    ("serve/src/mcp/injections.rs", "a test of what is shown"),
    ("testkit/src/load/postgres.rs", "PostgreSQL's messages"),
    ("testkit/src/structure.rs", "SQLite's messages"),
];

static COMPARISON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:(?:contains|starts_with|ends_with|split_once|strip_prefix|strip_suffix|eq)\(|[!=]= )"([^"]*)""#)
        .expect("the expression is fixed")
});
static SENTENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[a-z]{2,} [a-z]{2,}").expect("the expression is fixed"));

pub(crate) fn check(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts("rs")? {
        if is_test(path) || READERS.iter().any(|(reader, _)| path.ends_with(reader)) {
            continue;
        }
        // A module of tests inside a source file is the last thing in it.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for found in COMPARISON.captures_iter(code).filter(|found| SENTENCE.is_match(&found[1])) {
            let line = code[..found.get(0).map_or(0, |whole| whole.start())].matches('\n').count() + 1;
            complaints.push(format!(
                "{}:{line} compares with the sentence \"{}\": branch on a type instead",
                path.display(),
                &found[1]
            ));
        }
    }
    Ok(complaints)
}
