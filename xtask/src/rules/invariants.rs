//! What a room must not know, as crate names that may not appear in its sources.

use std::path::Path;

use crate::repository::Repository;

/// A crate, the folders and files that may name it, and why nobody else may.
const OWNERS: &[(&str, &[&str], &str)] = &[
    ("rusqlite", &["catalog", "connect", "eval", "testkit", "fixtures"], "only `connect` opens a user's database"),
    ("libloading", &["connect", "testkit"], "only `connect` opens a user's database"),
    ("mysql_async", &["connect", "testkit"], "only `connect` opens a user's database"),
    ("tokio_postgres", &["connect", "testkit"], "only `connect` opens a user's database"),
    ("sqlparser", &["sql"], "only `sql` sees a syntax tree"),
    (
        "reqwest",
        &["llm", "connect", "serve/src/http/oauth.rs"],
        "only `llm` talks to a provider, only `connect` to a database, and only `serve/src/http/oauth.rs` to who signs tokens",
    ),
    ("rmcp", &["serve"], "only `serve` knows wire formats"),
    ("candle_core", &["llm"], "only `llm` runs a model"),
    ("anyhow", &["periplus", "eval", "bench", "xtask"], "libraries have error types of their own"),
];

pub(crate) fn check(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts("rs")? {
        if is_test(path) || path.starts_with("xtask") {
            continue;
        }
        // A module of tests inside a source file is the last thing in it.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (name, owners, why) in OWNERS {
            let owned = owners.iter().any(|owner| path.starts_with(owner));
            if !owned && code.contains(&format!("{name}::")) {
                complaints.push(format!("{} names `{name}`: {why}", path.display()));
            }
        }
    }
    Ok(complaints)
}

pub(crate) fn is_test(path: &Path) -> bool {
    path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs" | "examples")))
}
