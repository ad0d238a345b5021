//! The tables are among those that were shown.
//!
//! A model that names a table it was not shown has guessed; if the guess exists it may still be the wrong one.

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::OutsideContext,
    severity: Severities::by_profile(Severity::Error, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    let Some(shown) = context.shown else { return };
    for used in &context.reading.tables {
        let Some(id) = used.table.as_ref().filter(|id| !shown.contains(id)) else { continue };
        findings.add("outside_context", used.span, |finding| {
            finding.message = format!("`{}` was not among the tables retrieved for the question", id.local());
            finding.why = "The name was guessed, and what the table holds was not looked at.".to_owned();
            finding.help = "Describe the table first, or use one that was retrieved.".to_owned();
            finding.suggestions = shown.iter().take(3).map(catalog::TableId::local).collect();
        });
    }
}
