//! Small statements that ask for enormous work or enormous values.
//!
//! Limits and timeouts of the run are the second line; what is plain to see is refused before it starts.

use catalog::Dialect;
use sql::{Argument, FunctionUse, LiteralKind, RecursionBound};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;

pub(super) const RULE: Rule =
    Rule { name: "resource_bomb", severity: Severities::always(Severity::Error), fixed: true, run };

/// The largest number of rows a recursion or a series may be asked for.
const MOST_ROWS: f64 = 1_000_000.0;
/// The largest value, in bytes, that a function may be asked for.
const MOST_BYTES: f64 = 1_000_000.0;
/// The largest width or precision in a format.
const MOST_WIDTH: f64 = 10_000.0;
/// The longest text that a function may be asked to make by repeating: functions that compare one text with another take
/// time that grows with the product of their lengths, and PostgreSQL and MariaDB can't be interrupted in them.
const MOST_REPEATED: f64 = 10_000.0;
/// All sizes that a statement asks for, multiplied: rows of series with one another, and with what is made for each.
const MOST_TOGETHER: f64 = 1e8;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for recursion in &context.reading.recursions {
        let endless = match &recursion.bound {
            RecursionBound::None => true,
            RecursionBound::Condition(most) | RecursionBound::Limit(most) => {
                most.is_some_and(|most| most as f64 > MOST_ROWS)
            }
            RecursionBound::Walk => false,
        };
        if endless {
            findings.add("unbounded_recursion", recursion.span, |finding| {
                finding.message = format!("nothing keeps the recursion of `{}` small", recursion.name);
                finding.why = "It would run until the time limit.".to_owned();
                finding.help =
                    "Stop it in the recursive part, as in `WHERE n < 100`; a LIMIT outside doesn't count.".to_owned();
            });
        }
    }
    let mut together = 1.0;
    for function in &context.reading.functions {
        together *= asked(function).unwrap_or(1.0).max(1.0);
        // MySQL's FORMAT rounds a number.
        let is_rounding = *context.dialect == Dialect::Mysql && function.name() == "format";
        let what = bomb(function).filter(|_| !is_rounding);
        let what = what.or_else(|| (together > MOST_TOGETHER).then(|| format!("{together:.0} steps, with the others")));
        if let Some(what) = what {
            findings.add("resource_bomb", function.span, |finding| {
                finding.message = format!("`{}` is asked for {what}", function.name());
                finding.why = "Making that takes the memory and the time of everyone else.".to_owned();
                finding.help = "Ask for less.".to_owned();
            });
        }
    }
}

/// The number that an argument is.
fn number(function: &FunctionUse, position: usize) -> Option<f64> {
    match function.arguments.get(position) {
        Some(Argument::Literal(value)) if value.kind != LiteralKind::Null => {
            let text = value.text.replace('_', "");
            match value.kind {
                // `0x3fffffff`, as the parser reads it.
                LiteralKind::Bytes => u64::from_str_radix(&text, 16).ok().map(|number| number as f64),
                _ => text.parse::<f64>().ok(),
            }
        }
        _ => None,
    }
}

/// How many rows or characters a call asks for, where that is written out.
fn asked(function: &FunctionUse) -> Option<f64> {
    let number = |position: usize| number(function, position);
    match function.name() {
        "generate_series" | "range" | "generate_subscripts" if function.arguments.len() >= 2 => {
            Some((number(1)? - number(0)?) / number(2).filter(|step| *step != 0.0).unwrap_or(1.0))
        }
        "numbers" | "numbers_mt" if function.arguments.len() >= 2 => number(1),
        "range" | "numbers" | "zeros" | "numbers_mt" | "zeros_mt" | "randomblob" | "zeroblob" | "space" => number(0),
        "repeat" | "lpad" | "rpad" | "leftpad" | "rightpad" => number(1),
        _ => None,
    }
}

/// What a call asks for, if that is too much. Sizes that aren't written out can't be judged, and are refused where
/// nothing but the size matters.
fn bomb(function: &FunctionUse) -> Option<String> {
    let number = |position: usize| number(function, position);
    let too_many = |most: f64, value: Option<f64>| value.filter(|value| value.is_nan() || value.abs() > most);
    match function.name() {
        "generate_series" | "range" | "generate_subscripts" if function.arguments.len() >= 2 => {
            let step = number(2).filter(|step| *step != 0.0).unwrap_or(1.0);
            let rows = (number(1)? - number(0)?) / step;
            too_many(MOST_ROWS, Some(rows)).map(|rows| format!("{rows:.0} rows"))
        }
        "generate_series" if function.arguments.len() == 1 => Some("a series without an end".to_owned()),
        "numbers" | "zeros" | "numbers_mt" | "zeros_mt" if function.arguments.is_empty() => {
            Some("a series without an end".to_owned())
        }
        "numbers" | "numbers_mt" if function.arguments.len() >= 2 => {
            too_many(MOST_ROWS, number(1)).map(|rows| format!("{rows:.0} rows"))
        }
        "range" | "numbers" | "zeros" | "numbers_mt" | "zeros_mt" => {
            too_many(MOST_ROWS, number(0)).map(|rows| format!("{rows:.0} rows"))
        }
        "randomblob" | "zeroblob" | "space" => match function.arguments.first() {
            Some(Argument::Expression | Argument::Column(_)) => {
                Some("a value of a size that is not written out".to_owned())
            }
            _ => too_many(MOST_BYTES, number(0)).map(|bytes| format!("a value of {bytes:.0} bytes")),
        },
        "array_fill" if !matches!(function.arguments.get(1), Some(Argument::Literal(_))) => {
            Some("an array of a size that is not judged".to_owned())
        }
        "repeat" | "lpad" | "rpad" | "leftpad" | "rightpad" => {
            too_many(MOST_REPEATED, number(1)).map(|size| format!("a text of {size:.0} characters"))
        }
        "array_fill" | "tofixedstring" | "list_resize" | "array_resize" | "arrayresize" => {
            too_many(MOST_BYTES, number(1)).map(|size| format!("a value of {size:.0} characters"))
        }
        "factorial" => too_many(10_000.0, number(0)).map(|number| format!("the factorial of {number:.0}")),
        "printf" | "format" => match function.arguments.first() {
            Some(Argument::Literal(value)) => width(&value.text).map(|width| format!("a width of {width}")),
            Some(_) => Some("whatever width its format says, which isn't written out".to_owned()),
            None => None,
        },
        _ => None,
    }
}

/// A width or precision in a format string that is too large, or that comes from an argument.
fn width(format: &str) -> Option<String> {
    let mut rest = format;
    while let Some(position) = rest.find('%') {
        rest = &rest[position + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        let specification: &str =
            rest.split(|character: char| character.is_ascii_alphabetic()).next().unwrap_or_default();
        if specification.contains('*') {
            return Some("whatever an argument says".to_owned());
        }
        for digits in specification.split(|character: char| !character.is_ascii_digit()) {
            let value: f64 = digits.parse().unwrap_or(0.0);
            if value > MOST_WIDTH {
                return Some(digits.to_owned());
            }
        }
    }
    // DuckDB's `{:>20}`.
    for field in format.split('{').skip(1) {
        let specification = field.split('}').next().unwrap_or_default();
        let Some((_, specification)) = specification.split_once(':') else { continue };
        if !field.contains('}') {
            return Some("whatever an argument says".to_owned());
        }
        for digits in specification.split(|character: char| !character.is_ascii_digit()) {
            if digits.parse().unwrap_or(0.0) > MOST_WIDTH {
                return Some(digits.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn widths_in_formats_are_found() {
        assert_eq!(width("%.2f and %5d"), None);
        assert_eq!(width("100%% of %s"), None);
        assert_eq!(width("%1000000000d").as_deref(), Some("1000000000"));
        assert_eq!(width("%.999999999f").as_deref(), Some("999999999"));
        assert_eq!(width("%*d").as_deref(), Some("whatever an argument says"));
        assert_eq!(width("{} of {:.2f}, {:>20}"), None);
        assert_eq!(width("{:1000000000}").as_deref(), Some("1000000000"));
        assert_eq!(width("{:{}}").as_deref(), Some("whatever an argument says"));
    }
}
