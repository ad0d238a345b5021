//! A quotient of whole numbers is not a whole number.
//!
//! PostgreSQL and SQLite cut off what is behind the point where both sides of `/` are whole: `count(a) / count(*)` is 0
//! for every share but the whole, and `sum(cents) / 100` loses the cents. MariaDB, DuckDB and ClickHouse don't.

use catalog::{ColumnProfile, TypeClass};
use dialect::IntegerDivision;
use sql::{ColumnRef, Division, Span};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rewrite::replaced;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::IntegerDivision,
    severity: Severities::by_profile(Severity::Warning, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    if context.dialect.values().integer_division == IntegerDivision::Exact {
        return;
    }
    for division in &context.reading.divisions {
        if !is_whole(context, division) || comes_out_even(division) || makes_steps(division) {
            continue;
        }
        // A share in percent loses less than a point; some want it so.
        let is_percentage = division.factor.is_some();
        let most = if is_percentage { Severity::Hint } else { Severity::Warning };
        let span = division.start.zip(division.divisor_span).map(|(start, divisor)| Span { start, end: divisor.end });
        findings.add_at_most(most, "integer_division", span, |finding| {
            finding.message = format!("`{}` divides a whole number by a whole number", division.text);
            finding.why = match division.divisor {
                None if division.aggregates && !is_percentage => {
                    "What is behind the point is cut off: a share below 1 becomes 0."
                }
                _ => "What is behind the point is cut off.",
            }
            .to_owned();
            let (place, by, help) = repaired(context, division);
            finding.help = help;
            finding.rewrite = place.and_then(|place| replaced(context.sql, place, &by));
        });
    }
}

/// What to write where.
fn repaired(context: &RuleContext<'_>, division: &Division) -> (Option<Span>, String, String) {
    let written = |place: Span| place.text(context.sql).bytes().all(|byte| byte.is_ascii_digit());
    if let Some(place) = division.divisor_span.filter(|place| division.divisor.is_some() && written(*place)) {
        let by = format!("{}.0", place.text(context.sql));
        let help = format!("Write `/ {by}`.");
        return (Some(place), by, help);
    }
    if let Some(place) = division.factor.filter(|place| written(*place)) {
        let by = format!("{}.0", place.text(context.sql));
        let help = format!("Write `{by}` for `{}`.", place.text(context.sql));
        return (Some(place), by, help);
    }
    let place = division.start.map(|start| Span { start, end: start });
    (place, "1.0 * ".to_owned(), "Multiply what is divided by `1.0`.".to_owned())
}

/// Whether the engine takes both sides for whole numbers.
fn is_whole(context: &RuleContext<'_>, division: &Division) -> bool {
    let by_type = context.dialect.values().integer_division == IntegerDivision::CutsByType;
    // There sums of what is wide already have a fraction.
    if by_type && division.sums_wide {
        return false;
    }
    division.columns.iter().all(|column| {
        let Some(entry) = context.catalog.entry(&column.table) else { return false };
        let Some(found) = entry.table.column(&column.column) else { return false };
        if by_type {
            return found.type_class == TypeClass::Integer && !(division.sums && is_wide(&found.data_type));
        }
        let is_typed = matches!(found.type_class, TypeClass::Integer | TypeClass::Boolean);
        is_typed && entry.profile().and_then(|profile| profile.column(&found.name)).is_none_or(holds_whole_numbers)
    })
}

fn is_wide(data_type: &str) -> bool {
    let name = data_type.to_lowercase();
    ["bigint", "int8", "bigserial"].iter().any(|wide| name.contains(wide))
}

/// SQLite stores what it is given.
fn holds_whole_numbers(profile: &ColumnProfile) -> bool {
    let common = profile.most_common.iter().map(|common| &common.value);
    let ends = [&profile.min, &profile.max].into_iter().flatten();
    common.chain(ends).chain(profile.values.as_slice()).all(|value| value.parse::<i64>().is_ok())
}

/// `100 / 4`, and division by one.
fn comes_out_even(division: &Division) -> bool {
    let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<i64>().ok());
    match (number(&division.dividend), number(&division.divisor)) {
        (Some(dividend), Some(divisor)) => dividend.checked_rem(divisor).is_none_or(|rest| rest == 0),
        (None, Some(divisor)) => divisor.abs() <= 1,
        _ => false,
    }
}

/// `year / 10` is the decade.
fn makes_steps(division: &Division) -> bool {
    const STEPPED: [&str; 9] = ["age", "code", "day", "hour", "id", "key", "minute", "month", "year"];
    let is_stepped = |column: &ColumnRef| {
        words::in_identifier(&column.column).iter().any(|word| STEPPED.contains(&words::singular(word).as_str()))
    };
    division.divisor.is_some() && !division.aggregates && division.columns.iter().any(is_stepped)
}
