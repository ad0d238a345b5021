//! The last day of a range ends with its last moment, not with its first.
//!
//! `BETWEEN '2026-01-01' AND '2026-06-30'` over times of day leaves out all of 30 June but midnight, and
//! `= '2026-06-30'` finds what happened at midnight alone. Nothing fails, and the figure is a little too small.

use catalog::{Column, ColumnProfile, Dialect, TypeClass};
use jiff::civil::Date;
use sql::{Clause, Comparison, Folding, LiteralKind, LiteralUse, Span};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rewrite::replaced;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::LastDay,
    severity: Severities::by_profile(Severity::Warning, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for literal in &context.reading.literals {
        let Some(day) = whole_day(literal) else { continue };
        let restricts = matches!(literal.clause, Clause::Where | Clause::On | Clause::Having | Clause::Select);
        let Some(entry) = context.catalog.entry(&literal.column.table).filter(|_| restricts) else { continue };
        let Some(column) = entry.table.column(&literal.column.column) else { continue };
        let profile = entry.profile().filter(|profile| profile.skipped.is_none());
        let profile = profile.and_then(|profile| profile.column(&column.name));
        let times = match times(context.dialect, column, profile) {
            Times::None => continue,
            times => times,
        };
        // Nothing is left out where nothing is that late.
        if profile.and_then(|profile| profile.max.as_deref()).and_then(day_of).is_some_and(|last| last < day) {
            continue;
        }
        let most = if times == Times::Seen { Severity::Warning } else { Severity::Hint };
        match literal.operator {
            Comparison::LessOrEqual => last_day(context, literal, day, most, findings),
            Comparison::Equal => moment(context, literal, day, most, findings),
            _ => {}
        }
    }
}

/// The day that a literal is, where it is one without a time.
fn whole_day(literal: &LiteralUse) -> Option<Date> {
    let compared = matches!(literal.operator, Comparison::LessOrEqual | Comparison::Equal);
    let is_text = literal.value.kind == LiteralKind::Text && literal.folding == Folding::None;
    if !compared || !is_text || literal.value.text.len() != 10 {
        return None;
    }
    literal.value.text.parse().ok()
}

/// Whether a column holds times of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    /// Some of its values have one.
    Seen,
    /// Its type allows them, and nobody has looked.
    Allowed,
    /// No value that was seen has one.
    None,
}

fn times(dialect: &Dialect, column: &Column, profile: Option<&ColumnProfile>) -> Times {
    let is_timestamp = column.type_class == TypeClass::Timestamp;
    let may = match dialect.values().loose_types {
        // Types don't say what is stored.
        true => {
            matches!(column.type_class, TypeClass::Text | TypeClass::Date | TypeClass::Timestamp | TypeClass::Other)
        }
        false => is_timestamp || column.type_class == TypeClass::Text,
    };
    if !may {
        return Times::None;
    }
    let common = profile.iter().flat_map(|profile| profile.most_common.iter().map(|common| &common.value));
    let ends = profile.iter().flat_map(|profile| [&profile.min, &profile.max]).flatten();
    let known = profile.iter().flat_map(|profile| profile.values.as_slice());
    let mut seen = common.chain(ends).chain(known).peekable();
    if seen.peek().is_none() {
        let allowed = is_timestamp && !dialect.values().loose_types;
        return if allowed { Times::Allowed } else { Times::None };
    }
    if seen.any(|value| has_time(value)) { Times::Seen } else { Times::None }
}

/// Whether a text is a date with a time that isn't midnight.
fn has_time(value: &str) -> bool {
    let Some((_, time)) = value.split_at_checked(10).filter(|(day, _)| day_of(day).is_some()) else { return false };
    // What follows the seconds is a fraction or a zone.
    let clock: Vec<&str> = time.trim_start_matches([' ', 'T']).splitn(3, ':').collect();
    let digits = |part: &str| part.get(..2).and_then(|digits| digits.parse::<u8>().ok());
    match clock.as_slice() {
        [hours, minutes, rest @ ..] if digits(hours).is_some() && digits(minutes).is_some() => {
            let seconds = rest.first().and_then(|seconds| digits(seconds));
            [digits(hours), digits(minutes), seconds].into_iter().flatten().any(|part| part > 0)
        }
        _ => false,
    }
}

fn day_of(value: &str) -> Option<Date> {
    value.get(..10)?.parse().ok()
}

fn name(literal: &LiteralUse) -> String {
    format!("`{}.{}`", literal.column.table.local(), literal.column.column)
}

/// `<= '2026-06-30'`, or BETWEEN that ends with it.
fn last_day(context: &RuleContext<'_>, literal: &LiteralUse, day: Date, most: Severity, findings: &mut Findings) {
    let Ok(next) = day.tomorrow() else { return };
    let begins = lower_end(context, literal);
    // Up to the first of the next month, or the day after the only one: where the range is meant to end can't be told.
    let low = begins.and_then(|begins| begins.value.text.parse::<Date>().ok());
    let is_next_first = day.day() == 1 && low.is_none_or(|low| low.day() == 1 && low < day);
    let is_next_day = low.is_some_and(|low| low.tomorrow().is_ok_and(|tomorrow| tomorrow == day));
    let sure = !is_next_first && !is_next_day;
    let most = if sure { most } else { Severity::Hint };
    let end = context.dialect.literal(&next.to_string());
    findings.add_at_most(most, "last_day_left_out", literal.span, |finding| {
        finding.message =
            format!("{} holds times of day, and the range ends with the first moment of {day}", name(literal));
        finding.why = format!("What happened later on {day} is left out.");
        let repaired = if sure { rewritten(context, literal, begins, &end) } else { None };
        finding.help = match sure {
            true => format!("Write `< {end}`."),
            false => format!(
                "Write `< {end}` if that day is meant too, `< {}` if it isn't.",
                context.dialect.literal(&day.to_string())
            ),
        };
        finding.suggestions = if sure { vec![next.to_string()] } else { Vec::new() };
        finding.rewrite = repaired;
    });
}

/// `= '2026-06-30'`.
fn moment(context: &RuleContext<'_>, literal: &LiteralUse, day: Date, most: Severity, findings: &mut Findings) {
    let Ok(next) = day.tomorrow() else { return };
    let (begin, end) = (context.dialect.literal(&day.to_string()), context.dialect.literal(&next.to_string()));
    findings.add_at_most(most, "day_as_moment", literal.span, |finding| {
        finding.message = format!("{} holds times of day, and `{day}` is the first moment of that day", name(literal));
        finding.why = "Only what happened at midnight is found.".to_owned();
        finding.help = format!("Write `>= {begin}` and `< {end}`.");
        finding.suggestions = vec![next.to_string()];
        let text = text_of_column(context, literal).filter(|_| literal.among == 1);
        let between = text.and_then(|_| gap(context, literal.column_span?.end, literal.span?.start));
        if let (Some(text), Some("="), Some(column), Some(value)) = (text, between, literal.column_span, literal.span) {
            let whole = Span { start: column.start, end: value.end };
            finding.rewrite = replaced(context.sql, whole, &format!("({text} >= {begin} AND {text} < {end})"));
        }
    });
}

/// The lower end of the same BETWEEN, or of the same range.
fn lower_end<'r>(context: &'r RuleContext<'_>, literal: &LiteralUse) -> Option<&'r LiteralUse> {
    let lower = |it: &&LiteralUse| {
        matches!(it.operator, Comparison::GreaterOrEqual | Comparison::Greater) && it.column == literal.column
    };
    let same_place = |it: &&LiteralUse| it.column_span.is_some() && it.column_span == literal.column_span;
    let mut lowers = context.reading.literals.iter().filter(lower);
    lowers.clone().find(same_place).or_else(|| lowers.next())
}

fn text_of_column<'r>(context: &'r RuleContext<'_>, literal: &LiteralUse) -> Option<&'r str> {
    let text = literal.column_span?.text(context.sql);
    (!text.is_empty()).then_some(text)
}

/// What stands between two places, without blanks around it.
fn gap<'r>(context: &'r RuleContext<'_>, start: usize, end: usize) -> Option<&'r str> {
    context.sql.get(start..end).map(str::trim)
}

/// The statement with a range that ends before the next day.
fn rewritten(
    context: &RuleContext<'_>,
    literal: &LiteralUse,
    begins: Option<&LiteralUse>,
    end: &str,
) -> Option<String> {
    let (column, value) = (literal.column_span?, literal.span?);
    let text = text_of_column(context, literal)?;
    if gap(context, column.end, value.start)? == "<=" {
        return replaced(context.sql, Span { start: column.end, end: value.end }, &format!(" < {end}"));
    }
    let low = begins.filter(|it| it.column_span == literal.column_span)?.span?;
    let is_between = gap(context, column.end, low.start)?.eq_ignore_ascii_case("between")
        && gap(context, low.end, value.start)?.eq_ignore_ascii_case("and");
    if !is_between {
        return None;
    }
    let range = format!("{text} >= {} AND {text} < {end}", low.text(context.sql));
    let whole = Span { start: column.start, end: value.end };
    // BETWEEN binds as one; two comparisons do where nothing but AND and OR is around them.
    let before = context.sql.get(..column.start)?.trim_end();
    let word = before.rsplit(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
    let stands_alone = ["where", "and", "on", "having"].iter().any(|it| word.eq_ignore_ascii_case(it));
    let range = if stands_alone { range } else { format!("({range})") };
    replaced(context.sql, whole, &range)
}

#[cfg(test)]
mod tests {
    use super::has_time;

    #[test]
    fn midnight_is_no_time_of_day() {
        for (value, expected) in [
            ("2026-06-30", false),
            ("2026-06-30 00:00:00", false),
            ("2026-06-30T00:00", false),
            ("2026-06-30 00:00:00+00", false),
            ("2026-06-30 00:00:00.000", false),
            ("2026-06-30 00:00:07", true),
            ("2026-06-30 17:05", true),
            ("2026-06-30T17:05:00Z", true),
            ("2026-06-30 or so", false),
            ("17:05", false),
            ("2026-06-3é 17:05", false),
        ] {
            assert_eq!(has_time(value), expected, "{value}");
        }
    }
}
