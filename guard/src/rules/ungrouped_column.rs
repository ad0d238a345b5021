//! Beside an aggregate stands what the rows are grouped by.
//!
//! Of any other column a group holds several values. PostgreSQL, DuckDB and ClickHouse reject it, and it is said here
//! before they are asked; SQLite and MariaDB take a value of some row.

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::UngroupedColumn, severity: Severities::always(Severity::Error), fixed: false, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    if !context.dialect.syntax().refuses_ungrouped_columns {
        return;
    }
    for ungrouped in &context.reading.ungrouped {
        findings.add("ungrouped_column", ungrouped.span, |finding| {
            finding.message = format!("`{}` is neither grouped by nor aggregated", ungrouped.name);
            finding.why = "A group can hold several values of it, and the engine doesn't choose one.".to_owned();
            finding.help = format!("Add `{}` to GROUP BY, or take MIN or MAX of it.", ungrouped.name);
        });
    }
}
