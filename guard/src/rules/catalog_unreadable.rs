//! What the catalog holds of a table can't be read as it was written.
//!
//! What is masked, what people said of columns, what the table is made of: where one of these is damaged or gone, whether a
//! statement may run would have to be guessed. Other tables go on.

use catalog::{Damage, TableId};
use sql::ProblemKind;

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::masks::Masks;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::CatalogUnreadable, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    let mut masks = Masks::of(context.catalog);
    for used in &context.reading.tables {
        let Some(id) = &used.table else { continue };
        let behind = masks.tables_behind(id);
        let mut damage = std::iter::once(id).chain(&behind).filter_map(|id| context.catalog.entry(id)?.damage());
        if let Some(damage) = damage.next() {
            add(findings, damage, used.span);
        }
    }
    for problem in &context.reading.problems {
        let ProblemKind::UnknownTable { parts } = &problem.kind else { continue };
        if let Some(damage) = lost(context, parts) {
            add(findings, damage, problem.span);
        }
    }
}

/// Why the catalog has no table of that name, where that is because it can't be read.
pub(super) fn lost<'c>(context: &RuleContext<'c>, parts: &[String]) -> Option<&'c Damage> {
    let name = parts.last()?;
    let is_meant = |table: &TableId| table.source == context.source && table.name.eq_ignore_ascii_case(name);
    context.catalog.damaged().iter().find(|damage| damage.table.as_ref().is_some_and(is_meant))
}

fn add(findings: &mut Findings, damage: &Damage, span: Option<sql::Span>) {
    findings.add("catalog_unreadable", span, |finding| {
        finding.message = damage.to_string();
        finding.why = "Without it nobody can say what may be shown of the table.".to_owned();
        finding.help = "Have `periplus index --full` run; other tables can be asked meanwhile.".to_owned();
    });
}
