//! Sums and averages are of amounts.
//!
//! Adding up dates, texts or the numbers that name things gives a number that means nothing. SQLite gives it without a
//! word (a text counts as 0), MySQL with a warning nobody sees.

use catalog::{Entry, TypeClass, ValueForm};
use sql::{AggregateUse, ColumnRef};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::AggregatedType,
    severity: Severities::by_profile(Severity::Error, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for aggregate in &context.reading.aggregates {
        let Some(column) = aggregate.column.as_ref().filter(|_| adds_up(&aggregate.function)) else { continue };
        let Some(entry) = context.catalog.entry(&column.table) else { continue };
        let Some((code, is)) = unfit(entry, &column.column) else { continue };
        findings.add(code, aggregate.span, |finding| {
            finding.message =
                format!("`{}` of `{}.{}`, which {is}", aggregate.function, column.table.local(), column.column);
            finding.why = "The result is a number that means nothing.".to_owned();
            finding.help = help(code, aggregate, column, entry);
            finding.suggestions = amounts(entry);
        });
    }
}

fn adds_up(function: &str) -> bool {
    matches!(function, "sum" | "sumif" | "total" | "avg" | "avgif")
}

/// Why a column's values don't add up.
fn unfit(entry: &Entry, name: &str) -> Option<(&'static str, &'static str)> {
    let table = &entry.table;
    let column = table.column(name)?;
    let is_key = table.primary_key == [column.name.clone()]
        || table.foreign_keys.iter().any(|key| key.columns == [column.name.clone()]);
    if is_key {
        return Some(("aggregate_of_key", "names things and measures nothing"));
    }
    let profile = entry.profile().and_then(|profile| profile.column(name));
    let pattern = profile.and_then(|profile| profile.pattern.as_ref()).map(|pattern| &pattern.form);
    let seen = profile.into_iter().flat_map(|profile| {
        [&profile.min, &profile.max].into_iter().flatten().chain(profile.most_common.iter().map(|common| &common.value))
    });
    let numbers = |value: &String| value.trim().parse::<f64>().is_ok();
    match column.type_class {
        _ if pattern.is_some_and(ValueForm::is_iso_date) => Some(("aggregate_of_dates", "holds dates")),
        // SQLite keeps times as numbers in columns of such types.
        TypeClass::Date | TypeClass::Timestamp if !seen.clone().any(numbers) => {
            Some(("aggregate_of_dates", "holds dates"))
        }
        TypeClass::Text if seen.clone().next().is_some() && !seen.clone().any(numbers) => {
            Some(("aggregate_of_text", "holds texts"))
        }
        _ => None,
    }
}

fn help(code: &str, aggregate: &AggregateUse, column: &ColumnRef, entry: &Entry) -> String {
    match code {
        "aggregate_of_key" => format!("Use COUNT for how many, or {} an amount.", aggregate.function),
        "aggregate_of_dates" => "Use MIN, MAX, or the difference of two dates.".to_owned(),
        _ if amounts(entry).is_empty() => format!("`{}` has no column of numbers to add up.", column.table.local()),
        _ => "Take a column of numbers.".to_owned(),
    }
}

/// Columns of the table that hold amounts.
fn amounts(entry: &Entry) -> Vec<String> {
    let table = &entry.table;
    let is_key = |name: &String| {
        table.primary_key.contains(name) || table.foreign_keys.iter().any(|key| key.columns.contains(name))
    };
    let columns = table.columns.iter().filter(|column| column.type_class.is_numeric() && !is_key(&column.name));
    columns.map(|column| column.name.clone()).take(3).collect()
}
