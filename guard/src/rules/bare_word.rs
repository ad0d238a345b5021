//! A bare word is what the engine takes it for.
//!
//! `user` without quotes is PostgreSQL's name for who has logged in, also where a column is called so. Nothing fails; what
//! comes out is something else than was asked for.

use sql::ProblemKind;

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rewrite::replaced;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::BareWord,
    severity: Severities::by_profile(Severity::Error, Severity::Error, Severity::Warning),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for problem in &context.reading.problems {
        let ProblemKind::BareWord { name } = &problem.kind else { continue };
        let quoted = context.dialect.quoted(name);
        findings.add("bare_word", problem.span, |finding| {
            finding.message = format!("`{name}` without quotes is not the column of that name");
            finding.why = "The engine takes the word for a value of its own, whatever columns there are.".to_owned();
            finding.help = format!("Write {quoted} for the column, or give the value another name.");
            finding.rewrite = problem.span.and_then(|span| replaced(context.sql, span, &quoted));
            finding.suggestions = vec![quoted];
        });
    }
}
