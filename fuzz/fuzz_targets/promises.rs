//! What holds of every verdict, whatever the text.
//!
//! Lists that the guard has too are written down a second time here, so that a mistake in one of them is found.

use catalog::Dialect;
use guard::{Severity, Span, Verdict};
use sql::{EffectKind, Fallback, ProblemKind, ResolvedStatement, StatementKind};

/// Panics where a promise is broken.
pub(crate) fn hold(text: &str, dialect: &Dialect, verdict: &Verdict) {
    spans_fit(text, verdict);
    let worst = verdict.findings.iter().map(|finding| finding.severity).max();
    assert_eq!(verdict.is_accepted(), worst != Some(Severity::Error), "the decision is not what the findings say");
    assert_eq!(verdict.findings.first().map(|finding| finding.severity), worst, "the worst finding is not the first");
    if verdict.is_accepted() {
        only_reads(dialect, &verdict.reading);
        does_not_look_like_a_write(text);
    }
}

fn spans_fit(text: &str, verdict: &Verdict) {
    let fits = |what: &str, span: Option<Span>| {
        if let Some(span) = span {
            assert!(text.get(span.start..span.end).is_some(), "{what}: {span:?} is no part of the text");
        }
    };
    let reading = &verdict.reading;
    verdict.findings.iter().for_each(|it| fits(it.code, it.span));
    reading.effects.iter().for_each(|it| fits("effect", it.span));
    reading.problems.iter().for_each(|it| fits("problem", it.span));
    reading.tables.iter().for_each(|it| fits("table", it.span));
    reading.columns.iter().for_each(|it| fits("column", it.span));
    reading.functions.iter().for_each(|it| fits("function", it.span));
    reading.literals.iter().for_each(|it| {
        fits("literal", it.span);
        fits("literal's column", it.column_span);
    });
    reading.joins.iter().for_each(|it| fits("join", it.span));
    reading.unjoined.iter().for_each(|it| fits("unjoined", it.span));
    reading.recursions.iter().for_each(|it| fits("recursion", it.span));
}

/// What is accepted is one statement that was read to its end and only reads.
fn only_reads(dialect: &Dialect, reading: &ResolvedStatement) {
    assert_eq!(reading.statements, 1, "accepted with another number of statements than one");
    assert!(may_be_accepted(dialect, &reading.kind), "accepted: {:?}", reading.kind);
    for effect in &reading.effects {
        let reports = effect.kind == EffectKind::Pragma && matches!(reading.kind, StatementKind::Pragma { .. });
        assert!(reports, "accepted with {effect:?}");
    }
    for problem in &reading.problems {
        // SQLite takes such a name for a string, and the verdict says so.
        let string = matches!(problem.kind, ProblemKind::UnknownColumn { fallback: Fallback::StringValue, .. });
        assert!(string && *dialect == Dialect::Sqlite, "accepted with {problem:?}");
    }
    for function in &reading.functions {
        assert!(!REACHES_OUT.contains(&function.name()), "accepted with a call of {:?}", function.path);
    }
}

fn may_be_accepted(dialect: &Dialect, kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Query | StatementKind::Explain => true,
        StatementKind::Describe => *dialect != Dialect::Sqlite,
        StatementKind::Show(what) => {
            let plain = |it: char| it.is_alphanumeric() || " _.`\"".contains(it);
            *dialect != Dialect::Sqlite
                && SHOWS.iter().any(|start| what.starts_with(start))
                && what.chars().all(plain)
                && what.split(' ').count() <= 4
        }
        StatementKind::Pragma { name, argument, assigned } => {
            let name = name.trim_start_matches("main.");
            let lists = ["table_list", "collation_list"].contains(&name) && argument.is_none();
            let of_one = REPORTS.contains(&name) && argument.is_some();
            *dialect == Dialect::Sqlite && !assigned && (lists || of_one)
        }
        _ => false,
    }
}

const SHOWS: [&str; 12] = [
    "tables",
    "databases",
    "schemas",
    "columns from ",
    "columns in ",
    "full columns from ",
    "server_version",
    "server_encoding",
    "timezone",
    "time zone",
    "datestyle",
    "search_path",
];

const REPORTS: [&str; 6] = ["table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list"];

/// Functions of the engines that wait, write, or reach files, servers, settings and sequences.
const REACHES_OUT: [&str; 40] = [
    "benchmark",
    "current_setting",
    "database_to_xml",
    "dblink",
    "dblink_exec",
    "enable_logging",
    "executable",
    "file",
    "get_lock",
    "getenv",
    "glob",
    "hdfs",
    "load_extension",
    "load_file",
    "lo_export",
    "lo_import",
    "mysql",
    "nextval",
    "pg_advisory_lock",
    "pg_ls_dir",
    "pg_read_binary_file",
    "pg_read_file",
    "pg_sleep",
    "pg_terminate_backend",
    "postgresql",
    "query_to_xml",
    "read_csv",
    "read_csv_auto",
    "read_json",
    "read_parquet",
    "read_text",
    "readfile",
    "remote",
    "s3",
    "set_config",
    "setval",
    "sleep",
    "sqlite_scan",
    "url",
    "writefile",
];

/// A second look at the text that shares nothing with the reader: words that make a query write or lock, where they
/// can't be anything else. Texts with quotes or comments are left out, since any word can stand in those.
fn does_not_look_like_a_write(text: &str) {
    if text.contains(['\'', '"', '`', '[', '$', '#', '\\']) || text.contains("--") || text.contains("/*") {
        return;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|it: char| it.is_whitespace() || "();,".contains(it)).filter(|word| !word.is_empty()).collect();
    let first = words.first().copied().unwrap_or_default();
    assert!(BEGINNINGS.iter().any(|it| first.starts_with(it)), "accepted although it begins with `{first}`");
    for pair in words.windows(2) {
        let locks = pair[0] == "for" && ["update", "share"].contains(&pair[1]);
        let into = pair[1] == "into" && !["as", "."].contains(&pair[0]);
        assert!(!locks && !into, "accepted although it says `{} {}`", pair[0], pair[1]);
    }
}

const BEGINNINGS: [&str; 9] = ["select", "with", "values", "from", "table", "explain", "desc", "show", "pragma"];
