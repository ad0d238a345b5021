//! Every table exists.

use sql::{ProblemKind, Visible};

use super::catalog_unreadable::lost;
use super::system_catalog::is_system;
use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rewrite::replaced;
use crate::rule_name::RuleName;
use catalog::nearest::{certain, ranked};

pub(super) const RULE: Rule =
    Rule { name: RuleName::UnknownTable, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for problem in &context.reading.problems {
        let ProblemKind::UnknownTable { parts } = &problem.kind else { continue };
        if findings.is_full() {
            return;
        }
        if is_system(context.dialect, parts) || lost(context, parts).is_some() {
            continue;
        }
        let written = parts.join(".");
        let candidates = ranked(parts.last().map_or("", String::as_str), candidates(context, parts), 5);
        findings.add("unknown_table", problem.span, |finding| {
            finding.message = format!("there is no table `{written}`");
            finding.why = format!("The source `{}` has no table or view of that name.", context.source);
            finding.suggestions = candidates.iter().take(3).map(|(name, _)| name.clone()).collect();
            finding.help = match finding.suggestions.as_slice() {
                [] => "List the tables and take one that exists.".to_owned(),
                [only] => format!("Use `{only}`."),
                several => format!("Use one of: {}.", several.join(", ")),
            };
            // A schema that was named is meant: the same table of another one is another table.
            let qualified = parts.len() > 1;
            finding.rewrite = certain(&candidates).filter(|_| !qualified).and_then(|name| {
                let parts: Vec<String> = name.split('.').map(|part| context.dialect.identifier(part)).collect();
                replaced(context.sql, problem.span?, &parts.join("."))
            });
        });
    }
}

/// All tables, with a bonus for those that have the columns which the statement asks of the unknown one.
fn candidates(context: &RuleContext<'_>, parts: &[String]) -> Vec<(String, f64)> {
    let asked = columns_asked_of(context, parts);
    let common_words = |name: &str| words::in_identifier(name).len();
    context
        .catalog
        .tables_of(context.source)
        .map(|entry| {
            let table = &entry.table;
            let having = asked.iter().filter(|column| table.column(column).is_some()).count();
            let share = if asked.is_empty() { 0.0 } else { having as f64 / asked.len() as f64 };
            // Between equals the plainer name is the likelier: `orders` before `orders_archive`.
            let plain = 0.001 * (6 - common_words(&table.id.name).min(6)) as f64;
            (table.id.local(), 0.25 * share + plain)
        })
        .collect()
}

/// Columns written with the alias or the name of an unknown table before them.
fn columns_asked_of(context: &RuleContext<'_>, parts: &[String]) -> Vec<String> {
    let reading = context.reading;
    let Some(table) = reading.tables.iter().find(|table| table.parts == parts) else { return Vec::new() };
    let called = table.alias.as_deref().or(parts.last().map(String::as_str)).unwrap_or_default().to_lowercase();
    let text = context.sql.to_lowercase();
    let mut columns = Vec::new();
    let before = format!("{called}.");
    for (position, _) in text.match_indices(&before) {
        let starts_a_word = text[..position].chars().next_back().is_none_or(|it| !it.is_alphanumeric() && it != '_');
        let rest = text[position + before.len()..].trim_start_matches(['"', '`', '[']);
        let column: String = rest.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
        if starts_a_word && !column.is_empty() && !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// What names of relations are called in messages: `orders` or `orders (as o)`.
pub(super) fn described(visible: &Visible) -> String {
    match &visible.table {
        Some(table) if !table.name.eq_ignore_ascii_case(&visible.name) && !visible.name.is_empty() => {
            format!("`{}` (as `{}`)", table.local(), visible.name)
        }
        Some(table) => format!("`{}`", table.local()),
        None if visible.name.is_empty() => "the subquery".to_owned(),
        None => format!("`{}`", visible.name),
    }
}
