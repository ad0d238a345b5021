//! Exactly one statement.
//!
//! A second statement is the classic way past a check that looks at the first.

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::OneStatement, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    let count = context.reading.statements;
    if count > 1 {
        findings.add("several_statements", None, |finding| {
            finding.message = format!("there are {count} statements");
            finding.why = "Only one statement is checked and run at a time.".to_owned();
            finding.help = "Send each query by itself, or join them with WITH or UNION ALL.".to_owned();
        });
    }
}
