//! Only queries: SELECT, VALUES, WITH … SELECT, and EXPLAIN of those; with a few harmless ways to ask about the schema.
//!
//! A list of what is allowed. Whatever sqlparser learns to parse tomorrow is refused until it is put here.

use catalog::Dialect;
use sql::StatementKind;

use super::system_catalog::is_system;
use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::StatementKind, severity: Severities::always(Severity::Error), fixed: true, run };

/// Pragmas that report on one table or index and can set nothing, whatever their argument.
const READING_PRAGMAS: [&str; 6] =
    ["table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list"];
/// The same for those that may be called without an argument only.
const LISTING_PRAGMAS: [&str; 2] = ["table_list", "collation_list"];

/// What SHOW may show: names of tables and columns, and settings that say how to write a query. Exact words: other
/// settings name files, users and hosts.
const SHOWABLE: [&str; 9] = [
    "tables",
    "databases",
    "schemas",
    "server_version",
    "server_encoding",
    "timezone",
    "time zone",
    "datestyle",
    "search_path",
];

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    if is_allowed(context.dialect, &context.reading.kind) {
        return;
    }
    let what = match &context.reading.kind {
        StatementKind::Unparsed => return,
        StatementKind::Insert => "an INSERT".to_owned(),
        StatementKind::Update => "an UPDATE".to_owned(),
        StatementKind::Delete => "a DELETE".to_owned(),
        StatementKind::Merge => "a MERGE".to_owned(),
        StatementKind::Definition => "a change of the schema or of rights".to_owned(),
        StatementKind::Transaction => "control of a transaction".to_owned(),
        StatementKind::Setting => "a change of a setting".to_owned(),
        StatementKind::Pragma { name, .. } => format!("`PRAGMA {name}`"),
        StatementKind::Show(what) => format!("`SHOW {}`", what.chars().take(60).collect::<String>()),
        StatementKind::Describe => "a DESCRIBE".to_owned(),
        StatementKind::Query | StatementKind::Explain => "a query".to_owned(),
        StatementKind::Other(word) => format!("`{word}`"),
    };
    findings.add("not_a_query", None, |finding| {
        finding.message = format!("the statement is {what}, not a query");
        finding.why = "This connection is for reading, and only queries are known to do nothing else.".to_owned();
        finding.help =
            "Write a SELECT statement. For the schema, ask for the list of tables and for descriptions.".to_owned();
    });
}

fn is_allowed(dialect: &Dialect, kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Query | StatementKind::Explain => true,
        StatementKind::Describe | StatementKind::Show(_) if !dialect.syntax().has_describe => false,
        StatementKind::Describe => true,
        StatementKind::Pragma { name, argument, assigned } => {
            is_reading_pragma(dialect, name, argument.as_deref(), *assigned)
        }
        StatementKind::Show(what) => {
            let columns = ["columns from ", "columns in ", "full columns from "];
            let plain =
                |rest: &str| !rest.is_empty() && rest.chars().all(|it| it.is_alphanumeric() || "_.`\"".contains(it));
            SHOWABLE.contains(&what.as_str())
                || columns.iter().any(|prefix| {
                    what.strip_prefix(prefix).is_some_and(|rest| {
                        let parts: Vec<String> =
                            rest.split('.').map(|part| part.trim_matches(['`', '"']).to_owned()).collect();
                        plain(rest) && !is_system(dialect, &parts)
                    })
                })
        }
        _ => false,
    }
}

/// Whether a pragma only reports.
pub(super) fn is_reading_pragma(dialect: &Dialect, name: &str, argument: Option<&str>, assigned: bool) -> bool {
    let name = name.strip_prefix("main.").unwrap_or(name);
    dialect.syntax().has_pragmas
        && !assigned
        && (READING_PRAGMAS.contains(&name) && argument.is_some()
            || LISTING_PRAGMAS.contains(&name) && argument.is_none())
}
