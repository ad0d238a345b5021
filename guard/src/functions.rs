//! Functions that may be called: those known to compute from their arguments and nothing else, by dialect.
//!
//! A list of what is allowed, because lists of what is forbidden are never complete: an extension or a new version adds
//! functions that read files, sleep or write. The lists are text, one for each dialect, with where they come from.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use catalog::Dialect;

const COMMON: &str = include_str!("functions/common.txt");
const SQLITE: &str = include_str!("functions/sqlite.txt");
const POSTGRES: &str = include_str!("functions/postgres.txt");
const MYSQL: &str = include_str!("functions/mysql.txt");
const DUCKDB: &str = include_str!("functions/duckdb.txt");
const CLICKHOUSE: &str = include_str!("functions/clickhouse.txt");

/// Schemas that built-in functions may be qualified with.
const BUILT_IN_SCHEMAS: [&str; 3] = ["pg_catalog", "main", "system"];

/// Functions known to act: no pattern of the operator's covers them, only their whole name.
pub(crate) const ACTING: [&str; 42] = [
    "pg_read_file",
    // It runs the text that it is given.
    "ts_rewrite",
    "ts_stat",
    "pg_ls_dir",
    "lo_import",
    "lo_export",
    "dblink",
    "nextval",
    "setval",
    "pg_sleep",
    "set_config",
    "query_to_xml",
    "load_file",
    "sleep",
    "benchmark",
    "get_lock",
    "readfile",
    "writefile",
    "load_extension",
    "edit",
    "fts3_tokenizer",
    "sqlite_dbpage",
    "read_csv",
    "read_text",
    "glob_files",
    "getenv",
    "query",
    "query_table",
    "postgres_scan",
    "url",
    "file",
    "s3",
    "remote",
    "mysql",
    "executable",
    "sleepeachrow",
    "database_to_xml",
    "pg_terminate_backend",
    "currval",
    "lastval",
    "txid_current",
    "pg_notify",
];

/// The pure functions of a dialect, in lower case.
pub(crate) fn pure(dialect: &Dialect) -> &'static BTreeSet<&'static str> {
    type Set = OnceLock<BTreeSet<&'static str>>;
    static SETS: [Set; 6] = [const { OnceLock::new() }; 6];
    let (position, own): (usize, &[&'static str]) = match dialect {
        // SQLite has so few functions that its list is complete by itself: what it lacks is worth saying at once.
        Dialect::Sqlite => (0, &[SQLITE]),
        Dialect::Postgres => (1, &[COMMON, POSTGRES]),
        Dialect::Mysql => (2, &[COMMON, MYSQL]),
        Dialect::Duckdb => (3, &[COMMON, DUCKDB]),
        Dialect::Clickhouse => (4, &[COMMON, CLICKHOUSE]),
        Dialect::Other(_) => (5, &[COMMON, SQLITE, POSTGRES, MYSQL, DUCKDB, CLICKHOUSE]),
    };
    SETS[position].get_or_init(|| own.iter().copied().flat_map(names).collect())
}

/// Whether a call may be made as far as its name goes: `path` is in lower case.
pub(crate) fn is_pure(dialect: &Dialect, path: &[String]) -> bool {
    match path {
        [name] => pure(dialect).contains(name.as_str()),
        [schema, name] => BUILT_IN_SCHEMAS.contains(&schema.as_str()) && pure(dialect).contains(name.as_str()),
        _ => false,
    }
}

fn names(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use super::{ACTING, CLICKHOUSE, COMMON, DUCKDB, MYSQL, POSTGRES, SQLITE, is_pure, names, pure};
    use catalog::Dialect;

    fn check(dialect: &Dialect, name: &str, expected: bool) {
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        assert_eq!(is_pure(dialect, &path), expected, "{name} in {dialect}");
    }

    #[test]
    fn functions_that_compute_are_allowed_and_those_that_reach_out_are_not() {
        check(&Dialect::Sqlite, "strftime", true);
        check(&Dialect::Sqlite, "load_extension", false);
        check(&Dialect::Sqlite, "readfile", false);
        check(&Dialect::Postgres, "pg_catalog.lower", true);
        check(&Dialect::Postgres, "evil.lower", false);
        check(&Dialect::Postgres, "pg_read_file", false);
        check(&Dialect::Postgres, "a.b.lower", false);
        check(&Dialect::Mysql, "date_sub", true);
        check(&Dialect::Mysql, "sleep", false);
        check(&Dialect::Duckdb, "read_csv", false);
        check(&Dialect::Duckdb, "query", false);
        check(&Dialect::Clickhouse, "url", false);
        check(&Dialect::Clickhouse, "uniqexact", true);
    }

    #[test]
    fn names_in_the_lists_are_lower_case_words() {
        for list in [COMMON, SQLITE, POSTGRES, MYSQL, DUCKDB, CLICKHOUSE] {
            for name in names(list) {
                let plain =
                    |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
                assert!(name.chars().all(plain), "{name}");
            }
        }
    }

    #[test]
    fn no_list_holds_a_function_that_is_known_to_act() {
        for dialect in ["sqlite", "postgres", "mysql", "duckdb", "clickhouse"].map(Dialect::from_name) {
            for name in ACTING {
                assert!(!pure(&dialect).contains(name), "{name} in {dialect}");
            }
        }
    }
}
