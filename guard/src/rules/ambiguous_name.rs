//! Every name means one thing.

use sql::ProblemKind;

use super::unknown_table::described;
use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::{AMBIGUOUS_COLUMN, Severity};
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::AmbiguousName, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for problem in &context.reading.problems {
        match &problem.kind {
            ProblemKind::AmbiguousColumn { name, candidates } => {
                findings.add(AMBIGUOUS_COLUMN, problem.span, |finding| {
                    let places: Vec<String> = candidates.iter().map(described).collect();
                    finding.message = format!("`{name}` is in {}", places.join(" and "));
                    finding.why = "The engine can't tell which is meant, and refuses.".to_owned();
                    let column = name.rsplit('.').next().unwrap_or(name);
                    finding.suggestions = candidates
                        .iter()
                        .filter(|candidate| !candidate.name.is_empty())
                        .map(|candidate| format!("{}.{column}", candidate.name))
                        .collect();
                    finding.help = "Write the table or its alias before the column.".to_owned();
                });
            }
            ProblemKind::AmbiguousTable { parts, candidates } => {
                findings.add("ambiguous_table", problem.span, |finding| {
                    finding.message = format!("`{}` is in several schemas", parts.join("."));
                    finding.why = "Which one is meant depends on settings of the session.".to_owned();
                    finding.suggestions = candidates.iter().map(catalog::TableId::local).collect();
                    finding.help = "Write the schema before the table.".to_owned();
                });
            }
            _ => {}
        }
    }
}
