//! Aggregates are over rows that no join has multiplied.
//!
//! Joining an order with its items repeats the order once for each item: a sum of its total is then too large by a
//! factor that differs from order to order. The statement runs, and nothing shows.

use sql::{AggregateUse, Multiplication};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::FanOut,
    severity: Severities::by_profile(Severity::Error, Severity::Warning, Severity::Warning),
    fixed: false,
    run,
};

/// Aggregates whose result changes when rows are repeated. The smallest, the largest and the set of different values stay
/// what they are.
const CHANGED_BY_REPETITION: [&str; 13] = [
    "avg",
    "avgif",
    "count",
    "countif",
    "median",
    "percentile_cont",
    "percentile_disc",
    "quantile",
    "stddev",
    "stddev_samp",
    "sum",
    "sumif",
    "total",
];

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for aggregate in &context.reading.aggregates {
        let Some(first) = aggregate.multiplied_by.first() else { continue };
        let function = aggregate.function.as_str();
        if aggregate.distinct || !CHANGED_BY_REPETITION.contains(&function) {
            continue;
        }
        // With one row of it in each group, only a sum is wrong: counting it counts what was joined, which is meant.
        if aggregate.one_per_group && !function.starts_with("sum") && function != "total" {
            continue;
        }
        findings.add("aggregate_multiplied", aggregate.span, |finding| {
            finding.message = message(aggregate, first);
            finding.why = match (aggregate.over.as_slice(), function) {
                ([], _) => "Every row of one is combined with every row of the other.".to_owned(),
                (_, "count" | "countif") => "The same row is counted several times.".to_owned(),
                (_, "sum" | "sumif" | "total") => "The same row is added several times.".to_owned(),
                _ => "Rows with many others joined to them weigh more.".to_owned(),
            };
            finding.help = help(aggregate, first);
            finding.suggestions = distinct_count(context, aggregate).into_iter().collect();
        });
    }
}

fn message(aggregate: &AggregateUse, first: &Multiplication) -> String {
    let function = &aggregate.function;
    let by = match first.by.as_slice() {
        [] => String::new(),
        columns => format!(" by {}", columns.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")),
    };
    match (aggregate.over.as_slice(), aggregate.multiplied_by.as_slice()) {
        ([], [one, other, ..]) => format!(
            "`{function}` counts pairs of rows: `{}` and `{}` each have several rows for one of what they are joined to",
            one.relation, other.relation
        ),
        (over, _) => {
            let over: Vec<String> = over.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "`{function}` is over {}, whose rows are repeated by joining `{}`{by}",
                if over.is_empty() { "rows".to_owned() } else { over.join(", ") },
                first.relation
            )
        }
    }
}

fn help(aggregate: &AggregateUse, first: &Multiplication) -> String {
    let joined = &first.relation;
    match aggregate.function.as_str() {
        "count" | "countif" if !aggregate.over.is_empty() => {
            format!("Count DISTINCT values of a key, or test for rows of `{joined}` with EXISTS instead of joining it.")
        }
        _ => format!(
            "Aggregate `{joined}` in a subquery before joining it, or test for its rows with EXISTS if none of its columns is needed."
        ),
    }
}

/// `count(DISTINCT column)`, where a column is counted.
fn distinct_count(context: &RuleContext<'_>, aggregate: &AggregateUse) -> Option<String> {
    let (column, [over]) = (aggregate.column.as_ref()?, aggregate.over.as_slice()) else { return None };
    (aggregate.function == "count").then(|| {
        let name = context.dialect.identifier(&column.column);
        format!("COUNT(DISTINCT {}.{name})", context.dialect.identifier(over))
    })
}
