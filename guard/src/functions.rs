//! Functions that may be called: those known to compute from their arguments and nothing else, which the dialect lists, and
//! functions of PostgreSQL's extensions that the database itself calls not volatile.

use catalog::{AddedFunctions, Dialect};

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

/// Functions of extensions that are said not to be volatile and all the same run the text that they are given, read a
/// table whose name they are given, or another database: PostgreSQL's contrib modules and PostGIS. A `*` stands for any
/// end.
const NOT_FOR_READING: [&str; 18] = [
    "connectby*",
    "crosstab*",
    "cursor_to_xml*",
    "dblink*",
    "find_srid",
    "geocode*",
    "http*",
    "isn_weak",
    "lo_*",
    "pg_*",
    "postgres_fdw_*",
    "postgis_*",
    "query_to_xml*",
    "reverse_geocode*",
    "st_estimatedextent",
    "st_findextent",
    // They go on for as long as an expression takes, which no server can be stopped in.
    "xpath_*",
    "xslt_*",
];

/// Whether a call may be made as far as its name goes, in a database that has also the functions in `added`: `path` is
/// in lower case.
pub(crate) fn may_be_called(dialect: &Dialect, path: &[String], added: Option<&AddedFunctions>) -> bool {
    let Some(added) = added else { return is_pure(dialect, path) };
    let is_namesake = |name: &String| added.unsure.iter().any(|it| name_of(it) == name);
    match path {
        [name] if is_namesake(name) => return false,
        [schema, name] if schema != "pg_catalog" && is_namesake(name) => return false,
        _ => {}
    }
    is_pure(dialect, path)
        || added.not_volatile.iter().any(|it| match path {
            [name] => name_of(it) == name && !is_not_for_reading(name),
            [schema, name] => {
                it.strip_suffix(name.as_str()).and_then(|it| it.strip_suffix('.')) == Some(schema)
                    && !is_not_for_reading(name)
            }
            _ => false,
        })
}

/// The part of `schema.name` behind the schema.
fn name_of(qualified: &str) -> &str {
    qualified.rsplit_once('.').map_or(qualified, |(_, name)| name)
}

fn is_not_for_reading(name: &str) -> bool {
    ACTING.contains(&name) || NOT_FOR_READING.iter().any(|pattern| words::matches_glob(pattern, name))
}

/// Operators that a text applies without their sign, and the words by which it does (PostgreSQL's gram.y and parse_expr.c).
const IMPLYING: [(&str, &[&str]); 12] = [
    ("=", &["nullif", "case", "in", "distinct", "using", "natural", "any", "some", "all", "row"]),
    ("<>", &["in", "all", "row"]),
    ("<", &["between"]),
    (">", &["between"]),
    ("<=", &["between"]),
    (">=", &["between"]),
    ("~~", &["like"]),
    ("!~~", &["like"]),
    ("~~*", &["ilike"]),
    ("!~~*", &["ilike"]),
    ("~", &["similar"]),
    ("!~", &["similar"]),
];

/// What may call, in a text, something that somebody has made where no call is to be seen: a type, an operator, and a function
/// of the engine's own that another one takes the place of, which any text may call.
pub(crate) fn unseen_call<'a>(text: &str, added: &'a AddedFunctions) -> Option<&'a str> {
    if let Some(shadowed) = added.shadowed.first() {
        return Some(shadowed);
    }
    if let Some(operator) = added.operators.iter().find(|operator| text.contains(operator.as_str())) {
        return Some(operator);
    }
    let lower = text.to_lowercase();
    let is_implied = |operator: &&String| {
        let words = IMPLYING.iter().filter(|(implied, _)| implied == operator).flat_map(|(_, words)| *words);
        words.into_iter().any(|word| has_word(&lower, word))
    };
    if let Some(operator) = added.operators.iter().find(is_implied) {
        return Some(operator);
    }
    if added.types.is_empty() && added.row_types.is_empty() {
        return None;
    }
    let makes_rows = ["::", "cast", "populate_record"].iter().any(|mark| lower.contains(mark));
    let rows = added.row_types.iter().filter(|_| makes_rows);
    added.types.iter().chain(rows).find(|name| has_word(&lower, name)).map(String::as_str)
}

/// Whether a text in small letters has that word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(word).any(|(start, found)| {
        !is_part(text[..start].chars().next_back()) && !is_part(text[start + found.len()..].chars().next())
    })
}

/// Whether the engine's own function of that name is known to compute and nothing else: `path` is in lower case.
pub(crate) fn is_pure(dialect: &Dialect, path: &[String]) -> bool {
    let functions = dialect.functions();
    match path {
        [name] => functions.pure().contains(name.as_str()),
        [schema, name] => {
            functions.built_in_schemas.contains(&schema.as_str()) && functions.pure().contains(name.as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use catalog::{AddedFunctions, Dialect};

    use super::{ACTING, is_pure, may_be_called};

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
    fn functions_of_extensions_may_be_called_unless_they_reach_out() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let added = AddedFunctions {
            not_volatile: names(&["public.similarity", "gis.st_distance", "public.crosstab2", "public.dblink_fdw"]),
            unsure: names(&["public.upper"]),
            ..AddedFunctions::default()
        };
        for (name, expected) in [
            ("similarity", true),
            ("public.similarity", true),
            ("gis.similarity", false),
            ("st_distance", true),
            ("gis.st_distance", true),
            ("distance", false),
            ("a.gis.st_distance", false),
            ("crosstab2", false),
            ("public.dblink_fdw", false),
            ("lower", true),
            ("upper", false),
            ("pg_catalog.upper", true),
            ("public.upper", false),
            ("main.lower", false),
            ("system.lower", false),
        ] {
            let path: Vec<String> = name.split('.').map(str::to_owned).collect();
            assert_eq!(may_be_called(&Dialect::Postgres, &path, Some(&added)), expected, "{name}");
        }
    }

    #[test]
    fn of_every_function_on_the_lists_it_is_known_how_it_grows_and_none_is_known_to_act() {
        for dialect in ["sqlite", "postgres", "mysql", "duckdb", "clickhouse"].map(Dialect::from_name) {
            for name in dialect.functions().pure() {
                assert!(sql::is_modelled(name), "{name} in {dialect}");
                assert!(!ACTING.contains(name), "{name} in {dialect}");
            }
        }
    }
}
