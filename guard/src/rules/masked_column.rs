//! What may not be read: tables and columns that the policy denies, and columns that profiling has masked.
//!
//! By lineage, so that `*`, aliases, subqueries and expressions don't get around it. A denied column may not be named
//! anywhere; a masked one may be compared and counted, but no part of a result may be made from it.

use sql::{ColumnRef, Span};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::policy::SensitiveColumns;

pub(super) const RULE: Rule =
    Rule { name: "masked_column", severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    denied_tables(context, findings);
    denied_columns(context, findings);
    if context.policy.config().sensitive_columns == SensitiveColumns::Refuse {
        masked_outputs(context, findings);
    }
}

fn denied_tables(context: &RuleContext<'_>, findings: &mut Findings) {
    let denied = &context.policy.config().deny_tables;
    for used in &context.reading.tables {
        let Some(id) = &used.table else { continue };
        if denied.iter().any(|pattern| matches(pattern, &id.local()) || matches(pattern, &id.name)) {
            findings.add("denied_table", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = "The policy denies the table.".to_owned();
                finding.help = "Answer without it.".to_owned();
            });
        }
    }
}

fn denied_columns(context: &RuleContext<'_>, findings: &mut Findings) {
    let denied = &context.policy.config().deny_columns;
    if denied.is_empty() {
        return;
    }
    for used in &context.reading.columns {
        let column = &used.column;
        let names =
            [format!("{}.{}", column.table.local(), column.column), format!("{}.{}", column.table.name, column.column)];
        if denied.iter().any(|pattern| names.iter().any(|name| matches(pattern, name))) {
            add(context, findings, "denied_column", column, used.span, "The policy denies the column.");
        }
    }
}

fn masked_outputs(context: &RuleContext<'_>, findings: &mut Findings) {
    for output in &context.reading.outputs {
        for source in &output.sources {
            let masked = context
                .catalog
                .entry(&source.table)
                .and_then(|entry| entry.profile.as_ref()?.column(&source.column)?.masked.as_deref());
            if let Some(reason) = masked {
                let used = context.reading.columns.iter().find(|used| used.column == *source);
                let why = format!("It is sensitive: {reason}.");
                add(context, findings, "masked_column", source, used.and_then(|used| used.span), &why);
            }
        }
    }
}

fn add(
    context: &RuleContext<'_>,
    findings: &mut Findings,
    code: &'static str,
    column: &ColumnRef,
    span: Option<Span>,
    why: &str,
) {
    let is_named = span.and_then(|span| context.sql.get(span.start..span.end)).is_some_and(|text| !text.ends_with('*'));
    findings.add(code, span, |finding| {
        finding.message = format!("`{}.{}` may not be read", column.table.local(), column.column);
        finding.why = why.to_owned();
        finding.help = match (is_named, code) {
            (false, _) => "Name the other columns instead of `*`, and leave this one out.".to_owned(),
            (true, "masked_column") => "Leave it out of the result; it may be counted and compared.".to_owned(),
            (true, _) => "Leave it out.".to_owned(),
        };
    });
}

/// A pattern with `*` for any run of characters, without regard to case.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(position) => rest = &rest[position + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_run_of_characters() {
        for (pattern, name, expected) in [
            ("users.email", "Users.Email", true),
            ("users.email", "users.email2", false),
            ("*.ssn", "people.ssn", true),
            ("hr.*", "hr.salaries", true),
            ("*pass*", "users.password_hash", true),
            ("a*a", "a", false),
            ("*", "anything", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
