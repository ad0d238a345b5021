//! Values that stand for none: NULL isn't there where they are, and they are small or large without meaning it.

use std::cmp::Ordering;

use catalog::TypeClass;
use sql::{AggregateUse, Comparison, Manner, Operand, Span, Test};

use super::{Findings, Held};
use crate::finding::Severity;

/// A year before which no row's own day is taken to lie.
const EARLIEST: &str = "1950";

/// How a statement takes such a value for one.
struct Taken {
    span: Option<Span>,
    /// The condition or expression to write, and whether it goes beside what is written.
    instead: String,
    is_beside: bool,
}

impl Held<'_> {
    pub(super) fn placeholder(&self, column: &str, value: &str, findings: &mut Findings) {
        // Whoever writes the value knows of it.
        if self.context.sql.contains(value) {
            return;
        }
        let taken = || self.measured(column, value).or_else(|| self.ordered(column, value));
        let Some(taken) = self.tested_for_null(column, value).or_else(taken) else { return };
        self.add(findings, "placeholder_included", taken.span, Severity::Warning, |finding| {
            finding.why = "It stands for no value, and is taken for one.".to_owned();
            finding.help = match taken.is_beside {
                true => format!("Write `{}` as well, if rows without one aren't meant.", taken.instead),
                false => format!("Write `{}`.", taken.instead),
            };
            finding.suggestions = vec![taken.instead];
        });
    }

    /// Rows without a value are looked for, or left out, by NULL alone.
    fn tested_for_null(&self, column: &str, value: &str) -> Option<Taken> {
        let own = self.own(column);
        let reading = self.context.reading;
        let tested = reading.uses.iter().find(|it| it.column == own && it.manner == Manner::NullTested)?;
        let is_own = |operand: &Operand| matches!(operand, Operand::Column(it) if *it == own);
        // `until IS NULL OR until > today` finds what has no end, whatever stands for that.
        let is_compared = reading.literals.iter().any(|it| it.column == own)
            || reading.wrapped.iter().any(|it| it.column == own)
            || reading.compared.iter().any(|it| is_own(&it.left) || is_own(&it.right))
            || reading.restrictions.iter().any(|it| it.column == own && !matches!(it.test, Test::Null | Test::NotNull));
        if is_compared {
            return None;
        }
        let (name, value) = (self.identifier(column), self.literal(value));
        let is_empty = reading.restrictions.iter().any(|it| it.column == own && it.test == Test::Null);
        let known = self.entry.profile().and_then(|profile| profile.column(column)?.null_fraction);
        let instead = match is_empty {
            true if known == Some(0.0) => format!("{name} = {value}"),
            true => format!("({name} IS NULL OR {name} = {value})"),
            false => format!("{name} <> {value}"),
        };
        Some(Taken { span: tested.span, instead, is_beside: false })
    }

    /// It is added up, averaged or the first or last, by itself or in what is made of it.
    fn measured(&self, column: &str, value: &str) -> Option<Taken> {
        if self.chooses_by(column) {
            return None;
        }
        let own = self.own(column);
        let is_measured = value.starts_with(|sign: char| sign.is_ascii_digit()) || value.parse::<f64>().is_ok();
        let measures = |aggregate: &&AggregateUse| is_measured || aggregate.function == "count";
        let alone = self.aggregates_of(column).find(measures).map(|aggregate| aggregate.span);
        let carried = || {
            let uses = self.context.reading.uses.iter().filter(|it| it.column == own && it.is_carried);
            let places: Vec<usize> = uses.filter_map(|it| Some(it.span?.start)).collect();
            let made =
                self.context.reading.aggregates.iter().filter(|it| it.column.is_none() && it.function != "count");
            made.map(|it| it.span).find(|span| {
                let inside = span.and_then(|span| call_at(self.context.sql, span));
                inside
                    .is_some_and(|inside| places.iter().any(|place| inside.contains(place) && !self.decides_at(*place)))
            })
        };
        let span = alone.or_else(|| carried().filter(|_| is_measured))?;
        let none = format!("NULLIF({}, {})", self.identifier(column), self.literal(value));
        Some(Taken { span, instead: none, is_beside: false })
    }

    /// Whether what stands there is a condition of a CASE.
    fn decides_at(&self, place: usize) -> bool {
        let before = self.context.sql.get(..place).unwrap_or_default().to_lowercase();
        let mut words = before.split(|letter: char| !letter.is_alphanumeric() && letter != '_').rev();
        words.find(|word| ["when", "then", "else", "case", "end"].contains(word)) == Some("when")
    }

    /// A range takes it in, or a comparison with another column.
    fn ordered(&self, column: &str, value: &str) -> Option<Taken> {
        let own = self.own(column);
        let is_number = self.entry.table.column(column).is_some_and(|it| it.type_class.is_numeric());
        let is_day = self
            .entry
            .table
            .column(column)
            .is_some_and(|it| matches!(it.type_class, TypeClass::Date | TypeClass::Timestamp));
        // What ends in 9999 hasn't ended: a range up to then means it.
        let is_early = is_day && value < EARLIEST;
        if !is_number && !is_early {
            return None;
        }
        let mut tests = self.context.reading.restrictions.iter().filter(|it| it.column == own).map(|it| &it.test);
        let is_taken_in = |test: &Test| match test {
            Test::Ordered(operator, Some(end)) => {
                order(value, &end.text, is_number).is_some_and(|order| fits(*operator, order))
            }
            _ => false,
        };
        let is_own = |operand: &Operand| matches!(operand, Operand::Column(it) if *it == own);
        let is_other = |operand: &Operand| matches!(operand, Operand::Column(it) if *it != own);
        let literals = || self.context.reading.literals.iter();
        let in_range = tests.clone().next().is_some() && tests.all(is_taken_in);
        let range = literals().find(|it| it.column == own).filter(|_| in_range).map(|it| it.span);
        let less = |operator| matches!(operator, Comparison::Less | Comparison::LessOrEqual);
        let more = |operator| matches!(operator, Comparison::Greater | Comparison::GreaterOrEqual);
        let compared = || {
            let mut compared = self.context.reading.compared.iter();
            let is_less = compared.find(|it| {
                is_own(&it.left) && is_other(&it.right) && less(it.operator)
                    || is_other(&it.left) && is_own(&it.right) && more(it.operator)
            });
            is_less.filter(|_| is_early).map(|it| it.span)
        };
        let span = range.or_else(compared)?;
        let instead = format!("{} <> {}", self.identifier(column), self.literal(value));
        Some(Taken { span, instead, is_beside: true })
    }
}

/// How two numbers, or two days as they are written, are ordered.
fn order(one: &str, other: &str, are_numbers: bool) -> Option<Ordering> {
    match are_numbers {
        true => one.parse::<f64>().ok()?.partial_cmp(&other.parse::<f64>().ok()?),
        false => Some(one.cmp(other)),
    }
}

fn fits(operator: Comparison, order: Ordering) -> bool {
    match operator {
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
        _ => false,
    }
}

/// What stands in the brackets behind a function's name.
fn call_at(sql: &str, name: Span) -> Option<std::ops::Range<usize>> {
    let open = name.end + sql.get(name.end..)?.find('(')?;
    let mut depth = 0_usize;
    let mut quoted = None;
    for (place, letter) in sql.get(open..)?.char_indices() {
        match (quoted, letter) {
            (Some(quote), _) if letter == quote => quoted = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quoted = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') if depth <= 1 => return Some(open..open + place),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}
