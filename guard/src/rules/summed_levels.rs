//! What stands for a moment or for a whole life adds up to nothing.
//!
//! A table of balances has a row for each account and day; the sum over a month is thirty times the balance. A table of
//! customers with what each has ever bought has no rows for a month at all. Both answer without a word. Only tables whose
//! keys and names say what they are, are judged.

use catalog::{Column, Entry, FactKind, TableProfile, TypeClass};
use jiff::civil::Date;
use sql::{AggregateUse, Clause, ColumnRef, Comparison, FunctionPlace, LiteralUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::SummedLevels,
    severity: Severities::by_profile(Severity::Warning, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

/// Words of a level: what there is at a moment.
const LEVELS: [&str; 14] = [
    "arr",
    "backlog",
    "balance",
    "balances",
    "closing",
    "cumulative",
    "headcount",
    "inventory",
    "mrr",
    "outstanding",
    "population",
    "stock",
    "subscribers",
    "ytd",
];
/// Levels of several words.
const LEVEL_PHRASES: [&[&str]; 6] = [
    &["to", "date"],
    &["on", "hand"],
    &["in", "stock"],
    &["running", "total"],
    &["active", "users"],
    &["active", "customers"],
];
/// Words that make a change of a level.
const CHANGES: [&str; 20] = [
    "added",
    "adjustment",
    "change",
    "cost",
    "decrease",
    "delta",
    "diff",
    "difference",
    "flow",
    "growth",
    "increase",
    "moved",
    "movement",
    "net",
    "new",
    "received",
    "removed",
    "sold",
    "usage",
    "used",
];
/// Words of the period or the day that a row is for.
const PERIODS: [&str; 13] = [
    "asof",
    "date",
    "day",
    "dt",
    "fiscal",
    "month",
    "period",
    "quarter",
    "reporting",
    "snapshot",
    "week",
    "year",
    "yearmonth",
];
/// Words of what a row about something has gathered so far.
const GATHERED: [&str; 3] = ["cumulative", "lifetime", "total"];
/// Words of columns that are figures about a thing, of which a summary has many.
const FIGURES: [&str; 14] = [
    "average",
    "avg",
    "churn",
    "count",
    "first",
    "frequency",
    "last",
    "lifetime",
    "num",
    "orders",
    "recency",
    "since",
    "total",
    "visits",
];
/// So many figures make a table a summary.
const SUMMARY_FIGURES: usize = 6;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for aggregate in &context.reading.aggregates {
        let sums = matches!(aggregate.function.as_str(), "sum" | "sumif" | "total") && !aggregate.distinct;
        let (Some(column), Some(held)) = (aggregate.column.as_ref().filter(|_| sums), &aggregate.held) else {
            continue;
        };
        let Some(entry) = context.catalog.entry(&column.table) else { continue };
        let _ = level_of_several_periods(context, aggregate, column, held, entry, findings)
            || gathered_by_date(context, aggregate, column, entry, findings);
    }
}

fn words(name: &str) -> Vec<String> {
    words::in_identifier(name)
}

fn has_any(words: &[String], of: &[&str]) -> bool {
    words.iter().any(|word| of.contains(&word.as_str()))
}

fn is_level(name: &str) -> bool {
    let words = words(name);
    let phrase = |phrase: &&[&str]| words.windows(phrase.len()).any(|window| window.iter().eq(phrase.iter()));
    (has_any(&words, &LEVELS) || LEVEL_PHRASES.iter().any(phrase)) && !has_any(&words, &CHANGES)
}

/// Rows of one thing at several moments are added up.
fn level_of_several_periods(
    context: &RuleContext<'_>,
    aggregate: &AggregateUse,
    column: &ColumnRef,
    held: &[String],
    entry: &Entry,
    findings: &mut Findings,
) -> bool {
    let by_rows = level_by_rows(context, entry, &column.column);
    let is_one = by_rows.is_some_and(|(_, is_one)| is_one) || is_level(&column.column);
    let period = period_of(entry).or_else(|| by_rows.map(|(period, _)| period));
    let Some(period) = period.filter(|_| is_one) else { return false };
    let is_held = held.iter().any(|name| name.eq_ignore_ascii_case(&period.name));
    let of_period = ColumnRef { table: entry.table.id.clone(), column: period.name.clone() };
    if is_held || is_one_period(context, entry.profile(), &of_period) || picks_a_moment(context, &of_period) {
        return false;
    }
    let table = entry.table.id.local();
    findings.add("level_summed", aggregate.span, |finding| {
        finding.message = format!(
            "`{}` adds up `{table}.{}` over several values of `{}`",
            aggregate.function, column.column, period.name
        );
        finding.why = "It is what there is at one time: over several the same is counted again.".to_owned();
        finding.help =
            format!("Take one `{0}`, such as the latest, group by `{0}`, or take AVG over time.", period.name);
    });
    true
}

/// The column that says which period a row is for, where the table has one row for each thing and period.
fn period_of(entry: &Entry) -> Option<&Column> {
    let table = &entry.table;
    let is_period = |column: &&Column| {
        let words = words(&column.name);
        let by_type = matches!(column.type_class, TypeClass::Date | TypeClass::Timestamp);
        let is_number = matches!(column.type_class, TypeClass::Integer | TypeClass::Text | TypeClass::Other);
        has_any(&words, &PERIODS) && (by_type || is_number && !has_any(&words, &["id", "of"]))
    };
    let unique = table.indexes.iter().filter(|index| index.unique).map(|index| &index.columns);
    let keys = std::iter::once(&table.primary_key).chain(unique);
    let in_key = keys.into_iter().find_map(|key| key.iter().filter_map(|name| table.column(name)).find(is_period));
    // With a number for each row, the name has to say that rows are pictures of a moment.
    in_key.or_else(|| {
        let pictures = |column: &&Column| {
            let words = words(&column.name);
            let is_date = matches!(column.type_class, TypeClass::Date | TypeClass::Timestamp | TypeClass::Text);
            is_date && (has_any(&words, &["snapshot", "asof"]) || words.windows(2).any(|it| it == ["as", "of"]))
        };
        let several = |column: &&Column| {
            let profile = entry.profile().and_then(|profile| profile.column(&column.name));
            profile.and_then(|profile| profile.distinct_count).is_some_and(|count| count > 1)
        };
        table.columns.iter().find(|column| pictures(column) && several(column))
    })
}

/// The same where no key says it, but the rows do; and whether that quantity is the one that changes little over time.
fn level_by_rows<'a>(context: &RuleContext<'a>, entry: &'a Entry, quantity: &str) -> Option<(&'a Column, bool)> {
    context.catalog.facts(entry).find_map(|fact| match &fact.kind {
        FactKind::OneRowPer { columns, over_time: true, level } => {
            Some((entry.table.column(columns.last()?)?, level.as_deref() == Some(quantity)))
        }
        FactKind::RunningTotal { column, time, .. } if column == quantity => Some((entry.table.column(time)?, true)),
        _ => None,
    })
}

/// Whether a statement says more of the period than from when to when.
fn picks_a_moment(context: &RuleContext<'_>, period: &ColumnRef) -> bool {
    let reading = context.reading;
    // The latest row of each, found by counting rows or by the largest value.
    let by_order = reading.functions.iter().any(|it| {
        it.place == FunctionPlace::Window || ["max", "min", "argmax", "arg_max", "max_by", "last"].contains(&it.name())
    });
    let is_range = |it: &LiteralUse| {
        it.column == *period
            && matches!(
                it.operator,
                Comparison::Less | Comparison::LessOrEqual | Comparison::Greater | Comparison::GreaterOrEqual
            )
    };
    let ranges: Vec<_> = reading.literals.iter().filter(|it| is_range(it)).filter_map(|it| it.column_span).collect();
    let restricts = |clause: Clause| matches!(clause, Clause::Where | Clause::On | Clause::Having | Clause::Qualify);
    let mut named = reading.columns.iter().filter(|used| used.column == *period && restricts(used.clause));
    by_order || named.any(|used| used.span.is_none_or(|span| !ranges.contains(&span)))
}

/// Whether there is one period only, in the table or between the ends that are given.
fn is_one_period(context: &RuleContext<'_>, profile: Option<&TableProfile>, period: &ColumnRef) -> bool {
    let known = profile.and_then(|profile| profile.column(&period.column));
    let count = known.and_then(|known| known.distinct_count);
    if count.is_some_and(|count| count <= 1) {
        return true;
    }
    let mut ends: [Option<&str>; 2] = [None, None];
    for literal in context.reading.literals.iter().filter(|it| it.column == *period) {
        match literal.operator {
            Comparison::Greater | Comparison::GreaterOrEqual => ends[0] = Some(&literal.value.text),
            Comparison::Less | Comparison::LessOrEqual => ends[1] = Some(&literal.value.text),
            _ => {}
        }
    }
    let [Some(from), Some(to)] = ends else { return false };
    let days = |from: &str, to: &str| {
        let day = |text: &str| text.get(..10).and_then(|day| day.parse::<Date>().ok());
        let (from, to) = (day(from)?, day(to)?);
        Some(f64::from((to - from).get_days()))
    };
    let apart = known.and_then(|known| {
        let whole = days(known.min.as_ref()?, known.max.as_ref()?)?;
        Some(whole / (count?.max(2) - 1) as f64)
    });
    // How far rows are apart isn't known: the ends may well be those of one.
    match (days(from, to), apart) {
        (Some(asked), Some(apart)) => asked <= apart * 1.1,
        _ => true,
    }
}

/// What rows have gathered over their whole life is added up for those with a late date, as if it were of that time.
fn gathered_by_date(
    context: &RuleContext<'_>,
    aggregate: &AggregateUse,
    column: &ColumnRef,
    entry: &Entry,
    findings: &mut Findings,
) -> bool {
    let table = &entry.table;
    if !has_any(&words(&column.column), &GATHERED) || table.primary_key.len() != 1 || !is_summary(entry) {
        return false;
    }
    let late = |name: &str| has_any(&words(name), &["last", "latest", "recent", "snapshot", "updated", "refreshed"]);
    let is_date = |name: &str| {
        let column = table.column(name);
        column.is_some_and(|column| matches!(column.type_class, TypeClass::Date | TypeClass::Timestamp))
    };
    let restricted = context.reading.columns.iter().find(|used| {
        let restricts = matches!(used.clause, Clause::Where | Clause::On | Clause::GroupBy);
        restricts && used.column.table == table.id && late(&used.column.column) && is_date(&used.column.column)
    });
    let Some(restricted) = restricted else { return false };
    findings.add("total_by_date", aggregate.span, |finding| {
        let name = table.id.local();
        finding.message =
            format!("`{name}.{}` is of all time, and rows are picked by `{}`", column.column, restricted.column.column);
        finding.why = "It is not what there was in that time: all that came before is in it.".to_owned();
        let events = tables_of_events(context, entry);
        finding.help = match events.as_slice() {
            [] => "Add up the table that has a row for each event, by its own date.".to_owned(),
            names => {
                format!("Add up a table that has a row for each event, by its own date: `{}`.", names.join("`, `"))
            }
        };
        finding.suggestions = events;
    });
    true
}

/// Whether a table has one row for each thing, with many figures about it.
fn is_summary(entry: &Entry) -> bool {
    let figures = entry.table.columns.iter().filter(|column| {
        let is_figure =
            column.type_class.is_numeric() || matches!(column.type_class, TypeClass::Date | TypeClass::Timestamp);
        is_figure && has_any(&words(&column.name), &FIGURES)
    });
    figures.count() >= SUMMARY_FIGURES
}

/// Tables with many rows for each thing that this one has a row of, and a date.
fn tables_of_events(context: &RuleContext<'_>, summary: &Entry) -> Vec<String> {
    let [key] = summary.table.primary_key.as_slice() else { return Vec::new() };
    let about = summary.table.foreign_keys.iter().find(|it| it.columns == [key.clone()]).map(|it| &it.ref_table);
    let others = context.catalog.tables_of(context.source).filter(|entry| entry.table.id != summary.table.id);
    let of_events = others.filter(|entry| {
        let refers = entry.table.foreign_keys.iter().any(|it| Some(&it.ref_table) == about);
        let has_date = |column: &Column| matches!(column.type_class, TypeClass::Date | TypeClass::Timestamp);
        refers && !entry.is_stale() && entry.table.columns.iter().any(has_date) && !is_summary(entry)
    });
    of_events.map(|entry| entry.table.id.local()).take(3).collect()
}
