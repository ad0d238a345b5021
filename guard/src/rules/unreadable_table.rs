//! A table that the database wouldn't let us read when it was profiled: no privilege, or a view that has lost its table.
//!
//! The database has the last word, since privileges change; but an agent that is told beforehand asks for them, or for
//! another table, instead of trying.

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::UnreadableTable, severity: Severities::always(Severity::Warning), fixed: false, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for used in &context.reading.tables {
        let entry = used.table.as_ref().and_then(|id| context.catalog.entry(id));
        let Some((entry, reason)) = entry.and_then(|entry| Some((entry, entry.unreadable()?))) else { continue };
        findings.add("unreadable_table", used.span, |finding| {
            finding.message = format!("`{}` could not be read when it was profiled", entry.table.id.local());
            finding.why = format!("Then {reason}.");
            finding.help = "Use another table, or have it made readable and run `periplus index` again.".to_owned();
        });
    }
}
