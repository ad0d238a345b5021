//! The engine's own tables, where definitions, users, settings and secrets are.
//!
//! What the schema is, the catalog says, with what is sensitive left out; the engine's tables also tell what was left
//! out: other people's views, password hashes, statistics with values in them.

use catalog::Dialect;
use sql::TableUseKind;

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;

pub(super) const RULE: Rule =
    Rule { name: "system_catalog", severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for table in &context.reading.tables {
        if table.kind != TableUseKind::Unknown || !is_system(context.dialect, &table.parts) {
            continue;
        }
        let name = table.parts.join(".");
        findings.add("system_catalog", table.span, |finding| {
            finding.message = format!("`{name}` belongs to the engine");
            finding.why = "The engine's own tables hold more than the schema: users, settings, secrets.".to_owned();
            finding.help = "Ask for the list of tables, and for the description of a table.".to_owned();
        });
    }
}

/// Whether a name is one of the engine's.
pub(super) fn is_system(dialect: &Dialect, parts: &[String]) -> bool {
    let parts: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
    let Some((name, qualifiers)) = parts.split_last() else { return false };
    let qualifier = |names: &[&str]| qualifiers.iter().any(|it| names.contains(&it.as_str()));
    if qualifier(&["information_schema"]) {
        return true;
    }
    match dialect {
        Dialect::Sqlite => name.starts_with("sqlite_") || name.starts_with("pragma_") || name == "dbstat",
        Dialect::Postgres => name.starts_with("pg_") || qualifier(&["pg_catalog", "pg_toast"]),
        Dialect::Mysql => qualifier(&["mysql", "performance_schema", "sys"]),
        Dialect::Duckdb => {
            name.starts_with("duckdb_")
                || name.starts_with("sqlite_")
                || name.starts_with("pg_")
                || qualifier(&["pg_catalog", "system"])
        }
        Dialect::Clickhouse => qualifier(&["system"]),
        Dialect::Other(_) => name.starts_with("pg_") || name.starts_with("sqlite_"),
    }
}
