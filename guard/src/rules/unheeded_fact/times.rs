//! Facts about times: dates that are texts, times that are numbers, rows that end where another table's begin.

use catalog::{Fact, FactKind, TableId, TimeUnit};
use jiff::civil::Date;
use sql::{Argument, Clause, Comparison, Folding, LiteralKind, LiteralUse, Span};

use super::{Findings, Held};
use crate::finding::Severity;

/// Functions that make a time, or parts of one, of a text; of a number some make a day before our era.
const OF_TIMES: [&str; 5] = ["date", "datetime", "julianday", "strftime", "time"];

impl Held<'_> {
    pub(super) fn times(&self, findings: &mut Findings) {
        match &self.fact.kind {
            FactKind::TextDates { column, form, .. } => self.text_dates(column, form, findings),
            FactKind::CountedTime { column, unit } => self.counted_time(column, *unit, findings),
            FactKind::FilledWhile { column, time, since, until } => {
                self.filled_while(column, time, since.as_deref(), until.as_deref(), findings);
            }
            FactKind::Preceded { column, since, by, .. } => {
                self.elsewhere(by, self.asks_before(column, since), findings);
            }
            FactKind::Continued { column, until, by, .. } => {
                self.elsewhere(by, self.asks_after(column, until), findings);
            }
            _ => {}
        }
    }

    fn text_dates(&self, column: &str, form: &str, findings: &mut Findings) {
        if Fact::sorts(form) {
            return;
        }
        let range = self.literals_of(column).find(|literal| is_range(literal)).map(|literal| literal.span);
        let extreme = || {
            let mut aggregates = self.aggregates_of(column);
            aggregates.find(|it| matches!(it.function.as_str(), "min" | "max")).map(|it| it.span)
        };
        let Some(span) = range.or_else(extreme).or_else(|| self.ordered_by(column)) else { return };
        let day = self.context.dialect.day_of_text(&self.identifier(column), form);
        self.add(findings, "text_dates_compared", span, Severity::Warning, |finding| {
            finding.why = "They are compared as texts: by their first number, not by the day.".to_owned();
            finding.help = match &day {
                Some(day) => format!("Compare `{day}`."),
                None => "Make days of them first.".to_owned(),
            };
            finding.suggestions = day.into_iter().collect();
        });
    }

    /// Where rows are ordered by the column itself.
    fn ordered_by(&self, column: &str) -> Option<Option<Span>> {
        let own = self.own(column);
        let ordered = self.context.reading.columns.iter().filter(|it| it.clause == Clause::OrderBy && it.column == own);
        let stands_alone = |span: Option<Span>| {
            let Some(span) = span else { return false };
            let before = self.context.sql.get(..span.start).unwrap_or_default().to_lowercase();
            let since = before.rfind("order by").map(|start| &before[start..]).unwrap_or_default();
            since.matches('(').count() == since.matches(')').count()
        };
        ordered.map(|it| it.span).find(|span| stands_alone(*span))
    }

    fn counted_time(&self, column: &str, unit: TimeUnit, findings: &mut Findings) {
        let name = self.identifier(column);
        let is_text =
            |literal: &&LiteralUse| literal.value.kind == LiteralKind::Text && literal.folding == Folding::None;
        let compared = self.literals_of(column).find(is_text);
        let span = compared.map(|literal| literal.span).or_else(|| self.misread(column, unit));
        let Some(span) = span else { return };
        let time = match unit {
            TimeUnit::Seconds => self.context.dialect.time_of_seconds(&name),
            TimeUnit::Milliseconds => self.context.dialect.time_of_seconds(&format!("{name} / 1000")),
            TimeUnit::SecondsOrMilliseconds => self
                .context
                .dialect
                .time_of_seconds(&format!("CASE WHEN {name} > 100000000000 THEN {name} / 1000 ELSE {name} END")),
            TimeUnit::SheetDays => self.context.dialect.time_of_seconds(&format!("({name} - 25569) * 86400")),
        };
        self.add(findings, "counted_time_as_text", span, Severity::Warning, |finding| {
            finding.why = "A number is taken for a date as it is.".to_owned();
            finding.help = format!("Use `{time}`.");
            finding.suggestions = vec![time];
        });
    }

    /// Where SQLite is asked for parts of the time, and isn't told that the number counts seconds.
    fn misread(&self, column: &str, unit: TimeUnit) -> Option<Option<Span>> {
        let own = self.own(column);
        let is_column = |argument: &Argument| matches!(argument, Argument::Column(it) if *it == own);
        let counts = |argument: &Argument| matches!(argument, Argument::Literal(value) if ["unixepoch", "auto"].contains(&value.text.as_str()));
        let misread = self.context.reading.functions.iter().find(|call| {
            let is_told = unit == TimeUnit::Seconds && call.arguments.iter().any(counts);
            OF_TIMES.contains(&call.name()) && call.arguments.iter().any(is_column) && !is_told
        });
        misread.filter(|_| self.context.dialect.values().dates_are_texts).map(|call| call.span)
    }

    fn filled_while(
        &self,
        column: &str,
        time: &str,
        since: Option<&str>,
        until: Option<&str>,
        findings: &mut Findings,
    ) {
        if !self.chooses_by(column) && self.aggregates_of(column).next().is_none() {
            return;
        }
        let before = since.and_then(|since| self.asks_before(time, since));
        let after = || until.and_then(|until| self.asks_after(time, until));
        let Some(span) = before.or_else(after) else { return };
        self.add(findings, "empty_at_that_time", span, Severity::Warning, |finding| {
            finding.why = "For part of the time that is asked for it is empty.".to_owned();
            finding.help = "Say so, or look for a column that holds the same then.".to_owned();
        });
    }

    /// Part of the rows that are asked for are in another table, which the statement doesn't read.
    fn elsewhere(&self, other: &TableId, asked: Option<Option<Span>>, findings: &mut Findings) {
        let Some(span) = asked.filter(|_| !self.context.reading.table_ids().contains(&other)) else { return };
        let name = other.written(self.context.dialect);
        self.add(findings, "rows_elsewhere", span, Severity::Warning, |finding| {
            finding.why = "Rows of that time are left out.".to_owned();
            finding.help = format!("Read `{name}` as well.");
            finding.suggestions = vec![name];
        });
    }

    /// Where rows from before a day are asked for.
    fn asks_before(&self, column: &str, day: &str) -> Option<Option<Span>> {
        let is_before = |literal: &&LiteralUse| {
            let asked = day_of(&literal.value.text);
            asked.zip(day_of(day)).is_some_and(|(asked, day)| match literal.operator {
                Comparison::Equal | Comparison::Greater | Comparison::GreaterOrEqual | Comparison::LessOrEqual => {
                    asked < day
                }
                Comparison::Less => asked <= day,
                _ => false,
            })
        };
        let literal = self.literals_of(column).find(is_before).map(|literal| literal.span);
        literal.or_else(|| self.asks_for_year(column, |year| day_of(day).is_some_and(|day| year < day.year())))
    }

    /// Where rows from after a day are asked for.
    fn asks_after(&self, column: &str, day: &str) -> Option<Option<Span>> {
        let is_after = |literal: &&LiteralUse| {
            let asked = day_of(&literal.value.text);
            asked.zip(day_of(day)).is_some_and(|(asked, day)| match literal.operator {
                Comparison::Equal | Comparison::Greater | Comparison::GreaterOrEqual | Comparison::LessOrEqual => {
                    asked > day
                }
                Comparison::Less => day.tomorrow().is_ok_and(|next| asked > next),
                _ => false,
            })
        };
        let literal = self.literals_of(column).find(is_after).map(|literal| literal.span);
        literal.or_else(|| self.asks_for_year(column, |year| day_of(day).is_some_and(|day| year > day.year())))
    }

    /// Where something made of the column is compared with a year: `strftime('%Y', ordered_at) = '2022'`.
    fn asks_for_year(&self, column: &str, is_it: impl Fn(i16) -> bool) -> Option<Option<Span>> {
        let own = self.own(column);
        let year = |text: &str| text.get(..4)?.parse::<i16>().ok().filter(|year| (1900..2100).contains(year));
        let is_year =
            |text: &str| text.len() == 4 || text.len() == 7 && text.as_bytes()[4] == b'-' || day_of(text).is_some();
        let mut wrapped = self.context.reading.wrapped.iter().filter(|used| used.column == own);
        let asked = wrapped.find(|used| is_year(&used.value.text) && year(&used.value.text).is_some_and(&is_it));
        asked.map(|used| used.span)
    }
}

fn is_range(literal: &LiteralUse) -> bool {
    use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
    matches!(literal.operator, Greater | GreaterOrEqual | Less | LessOrEqual)
}

fn day_of(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}
