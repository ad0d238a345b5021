//! What rows say that names and types don't is taken into account.
//!
//! Rows that are marked as deleted answer like the others, a total stands among what it adds up, amounts of several currencies
//! are added without a word. Profiling finds such facts, with the counts that they rest on; here a statement is held against
//! those of the tables that it reads. One that names the column which a fact is about is taken to know it.

mod placeholders;
mod times;

use catalog::{Entry, Fact, FactJudgement, FactKind, TypeClass};
use sql::{AggregateUse, Clause, ColumnRef, Comparison, LiteralUse, Operand, TableUse, Through};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::{Finding, Severity};
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::UnheededFact,
    severity: Severities::by_profile(Severity::Warning, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for used in &context.reading.tables {
        let Some(entry) = used.table.as_ref().and_then(|id| context.catalog.entry(id)) else { continue };
        for fact in context.catalog.facts(entry) {
            Held { context, used, entry, fact }.judge(findings);
        }
    }
}

/// Whether a mark of that name is on the row that counts, and not merely on one that is preferred.
fn says_which_counts(column: &str) -> bool {
    const COUNTING: [&str; 12] = [
        "active",
        "actual",
        "aktuell",
        "aktiv",
        "current",
        "curr",
        "effective",
        "gueltig",
        "latest",
        "newest",
        "valid",
        "vigente",
    ];
    words::in_identifier(column).iter().any(|word| COUNTING.contains(&word.as_str()))
}

/// A statement held against one fact of a table that it reads.
struct Held<'a> {
    context: &'a RuleContext<'a>,
    used: &'a TableUse,
    entry: &'a Entry,
    fact: &'a Fact,
}

impl Held<'_> {
    fn judge(&self, findings: &mut Findings) {
        match &self.fact.kind {
            FactKind::MarkedDeleted { column, value } => self.rows_that_are_gone(column, value.as_deref(), findings),
            FactKind::SetAside { column, value } => self.rows_that_are_gone(column, Some(value), findings),
            FactKind::CurrencyThere { column, other, other_column, .. }
            | FactKind::ScaledThere { column, other, other_column, .. } => {
                let there = ColumnRef { table: other.clone(), column: other_column.clone() };
                self.meant_there(column, &there, findings);
            }
            FactKind::TestRows { column, value, within } => self.test_rows(column, value, *within, findings),
            FactKind::TotalRows { column, value, .. } => self.total_rows(column, value, findings),
            FactKind::ParentTotals { column, marked: Some((by, value)), .. }
                if self.aggregates_of(column).next().is_some() =>
            {
                self.total_rows(by, value, findings);
            }
            FactKind::History { key, from, until, open, has_null, has_later } => {
                let until_name = self.identifier(until);
                let now = match open {
                    Some(open) => Some(format!("{until_name} = {}", self.literal(open))),
                    None if *has_null && !*has_later => Some(format!("{until_name} IS NULL")),
                    // Which day is meant can't be told.
                    None => None,
                };
                let help = match &now {
                    Some(now) => {
                        format!("Write `{now}` for what is valid now, or compare both ends with the day that is meant.")
                    }
                    None => "Compare both ends with the day that is meant.".to_owned(),
                };
                self.versions(key, [from, until], now, help, findings);
            }
            FactKind::Versions { key, column, dated } => {
                let (key_name, name) = (self.identifier(key), self.identifier(column));
                let help = match dated {
                    true => format!(
                        "Take the row with the last `{name}` up to the day that is meant, of each `{key_name}`."
                    ),
                    false => format!("Take the row with the highest `{name}` of each `{key_name}`."),
                };
                self.versions(key, [column, column], None, help, findings);
            }
            FactKind::NamedValues { name, value, .. } => self.several_meanings(value, name, findings),
            FactKind::MeaningBy { column, by, units: true, .. }
            | FactKind::SignedBy { column, by, .. }
            | FactKind::ScaledBy { column, by, .. } => self.several_meanings(column, by, findings),
            FactKind::MarkedOne { column, value, key } if says_which_counts(column) => {
                let marked = match self.entry.table.column(column).is_some_and(|it| it.type_class == TypeClass::Boolean)
                {
                    true => self.identifier(column),
                    false => format!("{} = {}", self.identifier(column), self.literal(value)),
                };
                let help = format!("Write `{marked}` for what is valid now.");
                self.versions(key, [column, column], Some(marked), help, findings);
            }
            FactKind::ScaleChanged { column, time, .. } => self.several_meanings(column, time, findings),
            FactKind::CodesChanged { column, time, before, after, .. } => {
                self.half_of_the_codes(column, time, [before, after], findings);
            }
            FactKind::MeaningBy { column, by, units: false, .. } => self.several_tables(column, by, findings),
            FactKind::List { column, separator } => self.items_of_lists(column, separator, findings),
            FactKind::WrittenNumbers { column, .. } => self.written_numbers(column, findings),
            FactKind::Placeholder { column, value, .. } => self.placeholder(column, value, findings),
            FactKind::Twin { column, of, .. } => self.emptier_twin(column, of, findings),
            FactKind::Scaled { columns, other, other_column, factor, .. } if *factor != 1.0 => {
                let there = ColumnRef { table: other.clone(), column: other_column.clone() };
                self.unlike_units(columns, &there, findings);
            }
            _ => self.times(findings),
        }
    }

    /// Adds a finding whose message is the fact itself.
    fn add(
        &self,
        findings: &mut Findings,
        code: &'static str,
        span: Option<sql::Span>,
        most: Severity,
        fill: impl FnOnce(&mut Finding),
    ) {
        findings.add_at_most(most, code, span, |finding| {
            let table = self.entry.table.id.local();
            let about = self.fact.column().map_or_else(|| table.clone(), |column| format!("{table}.{column}"));
            finding.message = format!("`{about}`: {}", self.fact.in_words(self.context.dialect));
            fill(finding);
        });
    }

    /// How severe it is that rows take part which many people leave out, and some don't.
    fn as_people_say(&self) -> Severity {
        match self.entry.judgement(self.fact) {
            Some(FactJudgement::Confirmed) => Severity::Warning,
            _ => Severity::Hint,
        }
    }

    fn own(&self, column: &str) -> ColumnRef {
        ColumnRef { table: self.entry.table.id.clone(), column: column.to_owned() }
    }

    fn identifier(&self, column: &str) -> String {
        self.context.dialect.identifier(column)
    }

    fn literal(&self, value: &str) -> String {
        match value.parse::<f64>().is_ok() || ["true", "false"].contains(&value) {
            true => value.to_owned(),
            false => self.context.dialect.literal(value),
        }
    }

    /// The condition of the rows that don't have that value, those without any among them.
    fn other_rows(&self, column: &str, value: &str) -> String {
        let name = self.identifier(column);
        let is_truth = self.entry.table.column(column).is_some_and(|column| column.type_class == TypeClass::Boolean);
        let condition = if is_truth { format!("NOT {name}") } else { format!("{name} <> {}", self.literal(value)) };
        self.with_empty(column, condition)
    }

    /// A condition that rows without a value pass as well, where there are such rows.
    fn with_empty(&self, column: &str, condition: String) -> String {
        let known = self.entry.profile().and_then(|profile| profile.column(column)?.null_fraction);
        match known {
            Some(share) if share > 0.0 => format!("({} IS NULL OR {condition})", self.identifier(column)),
            _ => condition,
        }
    }

    /// Whether the statement names the column anywhere.
    fn names(&self, column: &str) -> bool {
        let own = self.own(column);
        self.context.reading.columns.iter().any(|used| used.through == Through::Name && used.column == own)
    }

    /// Whether rows are chosen or grouped by the column.
    fn chooses_by(&self, column: &str) -> bool {
        let own = self.own(column);
        let chooses =
            |clause| matches!(clause, Clause::On | Clause::Where | Clause::GroupBy | Clause::Having | Clause::Qualify);
        self.context.reading.columns.iter().any(|used| used.column == own && chooses(used.clause))
    }

    /// Aggregates over rows of this table; those that count rows of a join only where nothing else is joined.
    fn aggregates(&self) -> impl Iterator<Item = &AggregateUse> {
        let called = self.used.alias.as_deref().or(self.used.parts.last().map(String::as_str)).unwrap_or_default();
        let is_alone = self.context.reading.tables.len() == 1;
        self.context.reading.aggregates.iter().filter(move |aggregate| match aggregate.over.as_slice() {
            [] => is_alone,
            over => over.iter().any(|name| name.eq_ignore_ascii_case(called)),
        })
    }

    /// Aggregates of that very column.
    fn aggregates_of(&self, column: &str) -> impl Iterator<Item = &AggregateUse> {
        let own = self.own(column);
        self.context.reading.aggregates.iter().filter(move |aggregate| aggregate.column.as_ref() == Some(&own))
    }

    /// Literals that rows are chosen by.
    fn literals_of(&self, column: &str) -> impl Iterator<Item = &LiteralUse> {
        let own = self.own(column);
        let chooses = |clause| matches!(clause, Clause::On | Clause::Where | Clause::Having | Clause::Qualify);
        self.context.reading.literals.iter().filter(move |literal| literal.column == own && chooses(literal.clause))
    }

    fn rows_that_are_gone(&self, column: &str, value: Option<&str>, findings: &mut Findings) {
        let Some(aggregate) = self.aggregates().next().filter(|_| !self.names(column)) else { return };
        let remains = match value {
            Some(value) => self.other_rows(column, value),
            None => format!("{} IS NULL", self.identifier(column)),
        };
        self.add(findings, "deleted_rows_included", aggregate.span, self.as_people_say(), |finding| {
            finding.why = "They are counted like the others.".to_owned();
            finding.help = format!("Write `{remains}`, unless they are meant.");
            finding.suggestions = vec![remains];
        });
    }

    fn test_rows(&self, column: &str, value: &str, within: bool, findings: &mut Findings) {
        if self.context.reading.aggregates.is_empty() || self.names(column) {
            return;
        }
        let others = match within {
            true => self.with_empty(column, self.context.dialect.not_beginning(&self.identifier(column), value)),
            false => self.other_rows(column, value),
        };
        self.add(findings, "test_rows_included", self.used.span, self.as_people_say(), |finding| {
            finding.why = "They are counted like the others.".to_owned();
            finding.help = format!("Write `{others}`.");
            finding.suggestions = vec![others];
        });
    }

    fn total_rows(&self, column: &str, value: &str, findings: &mut Findings) {
        let adds = |aggregate: &&AggregateUse| {
            matches!(aggregate.function.as_str(), "avg" | "count" | "max" | "sum" | "total") && !aggregate.distinct
        };
        let Some(aggregate) = self.aggregates().find(adds).filter(|_| !self.names(column)) else { return };
        let others = self.other_rows(column, value);
        self.add(findings, "total_rows_included", aggregate.span, Severity::Warning, |finding| {
            finding.why = "What they add up is counted once more.".to_owned();
            finding.help = format!("Write `{others}`, or take these rows alone.");
            finding.suggestions = vec![others];
        });
    }

    fn versions(&self, key: &str, ends: [&str; 2], now: Option<String>, help: String, findings: &mut Findings) {
        if ends.iter().any(|column| self.names(column)) {
            return;
        }
        let own = self.own(key);
        let counts_things = |aggregate: &&AggregateUse| aggregate.distinct || aggregate.column.as_ref() == Some(&own);
        let over_rows = self.aggregates().any(|aggregate| !counts_things(&aggregate));
        let joined = self.context.reading.joins.iter().any(|join| join.left == own || join.right == own);
        if !over_rows && !joined {
            return;
        }
        self.add(findings, "several_versions", self.used.span, Severity::Warning, |finding| {
            finding.why = "Each thing is there once for every time that something about it changed.".to_owned();
            finding.help = help;
            finding.suggestions = now.into_iter().collect();
        });
    }

    /// Values of several units or names are taken together.
    fn several_meanings(&self, column: &str, by: &str, findings: &mut Findings) {
        if self.names(by) {
            return;
        }
        let measures = |aggregate: &&AggregateUse| aggregate.function != "count";
        let aggregate = self.aggregates_of(column).find(measures).map(|aggregate| aggregate.span);
        let is_range = |literal: &&LiteralUse| {
            use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
            matches!(literal.operator, Greater | GreaterOrEqual | Less | LessOrEqual)
        };
        let range = || self.literals_of(column).find(is_range).map(|literal| literal.span);
        let Some(span) = aggregate.or_else(range) else { return };
        let name = self.identifier(by);
        self.add(findings, "several_meanings", span, Severity::Warning, |finding| {
            finding.why = "Values that mean different things are taken together.".to_owned();
            finding.help = format!("Choose rows by `{name}`, group by it, or convert by it.");
        });
    }

    /// Amounts of several currencies, or units, are added up without a look at the column of the other table that tells.
    fn meant_there(&self, column: &str, there: &ColumnRef, findings: &mut Findings) {
        if self.context.reading.columns.iter().any(|used| used.column == *there) {
            return;
        }
        let measures = |aggregate: &&AggregateUse| aggregate.function != "count";
        let Some(aggregate) = self.aggregates_of(column).find(measures) else { return };
        let name = format!("{}.{}", there.table.written(self.context.dialect), self.identifier(&there.column));
        self.add(findings, "several_meanings", aggregate.span, Severity::Warning, |finding| {
            finding.why = "Values that mean different things are taken together.".to_owned();
            finding.help = format!("Join the other table, and choose rows by `{name}` or group by it.");
        });
    }

    /// Rows are chosen by codes of which the other half of the time knows none.
    fn half_of_the_codes(&self, column: &str, time: &str, halves: [&Vec<String>; 2], findings: &mut Findings) {
        if self.names(time) {
            return;
        }
        let chosen: Vec<&LiteralUse> =
            self.literals_of(column).filter(|literal| literal.operator == Comparison::Equal).collect();
        let of = |half: &[String]| chosen.iter().any(|literal| half.contains(&literal.value.text));
        let Some(first) = chosen.first().filter(|_| of(halves[0]) != of(halves[1])) else { return };
        let name = self.identifier(time);
        self.add(findings, "codes_of_one_time", first.span, Severity::Warning, |finding| {
            finding.why = "Rows of the other time have other codes, and aren't found.".to_owned();
            finding.help = format!("Add the codes of the other time, or choose rows by `{name}` as well.");
        });
    }

    /// A number that refers to several tables is joined with one.
    fn several_tables(&self, column: &str, by: &str, findings: &mut Findings) {
        let own = self.own(column);
        let mut joins = self.context.reading.joins.iter();
        let Some(join) = joins.find(|join| join.left == own || join.right == own).filter(|_| !self.names(by)) else {
            return;
        };
        let name = self.identifier(by);
        self.add(findings, "several_tables_meant", join.span, Severity::Warning, |finding| {
            finding.why =
                "Rows that mean another table are joined where the numbers are the same by chance.".to_owned();
            finding.help = format!("Choose rows by `{name}` as well.");
        });
    }

    /// A text that may hold several values is compared with one of them.
    fn items_of_lists(&self, column: &str, separator: &str, findings: &mut Findings) {
        let equates = |literal: &&LiteralUse| {
            matches!(literal.operator, Comparison::Equal | Comparison::NotEqual)
                && !literal.value.text.contains(separator)
        };
        let Some(literal) = self.literals_of(column).find(equates) else { return };
        let name = self.identifier(column);
        let item = self.context.dialect.literal(&format!("%{}%", literal.value.text));
        self.add(findings, "list_compared", literal.span, Severity::Warning, |finding| {
            finding.why = "Rows that hold it beside others are not found.".to_owned();
            finding.help =
                format!("Write `{name} LIKE {item}`, or take the text apart where one value may be part of another.");
        });
    }

    /// Texts that are numbers to people are added up or compared.
    fn written_numbers(&self, column: &str, findings: &mut Findings) {
        let measures = |aggregate: &&AggregateUse| aggregate.function != "count";
        let range = |literal: &&LiteralUse| !matches!(literal.operator, Comparison::Equal | Comparison::NotEqual);
        let aggregate = self.aggregates_of(column).find(measures).map(|aggregate| aggregate.span);
        let Some(span) = aggregate.or_else(|| self.literals_of(column).find(range).map(|literal| literal.span)) else {
            return;
        };
        self.add(findings, "written_numbers", span, Severity::Warning, |finding| {
            finding.why = "They are read up to the first sign that is no digit, or compared as texts.".to_owned();
            finding.help = "Take out what groups digits, and write the decimal point, before casting them.".to_owned();
        });
    }

    fn emptier_twin(&self, column: &str, of: &str, findings: &mut Findings) {
        let uses = self.chooses_by(column) || self.aggregates_of(column).next().is_some();
        if !uses || self.names(of) {
            return;
        }
        let own = self.own(column);
        let mut places = self.context.reading.columns.iter().filter(|used| used.column == own);
        let fuller = self.identifier(of);
        self.add(findings, "emptier_twin", places.next().and_then(|used| used.span), Severity::Warning, |finding| {
            finding.why = "Most rows have no value here.".to_owned();
            finding.help = format!("Use `{fuller}`.");
            finding.suggestions = vec![fuller];
        });
    }

    /// Two columns are compared that hold the same in different units.
    fn unlike_units(&self, columns: &[String], there: &ColumnRef, findings: &mut Findings) {
        let is_here = |operand: &Operand| {
            matches!(operand, Operand::Column(column)
                if column.table == self.entry.table.id && columns.contains(&column.column))
        };
        let is_there = |operand: &Operand| matches!(operand, Operand::Column(column) if column == there);
        let mut compared = self.context.reading.compared.iter();
        let compared =
            compared.find(|it| is_here(&it.left) && is_there(&it.right) || is_there(&it.left) && is_here(&it.right));
        let is_own = |column: &ColumnRef| column.table == self.entry.table.id && columns.contains(&column.column);
        let mut mingled = self.context.reading.mingled.iter();
        let mingled = mingled
            .find(|it| is_own(&it.left) && it.right == *there || it.left == *there && is_own(&it.right))
            .filter(|_| columns.len() == 1);
        let (span, how) = match (compared, mingled) {
            (Some(compared), _) => (compared.span, "compared"),
            (None, Some(mingled)) => (mingled.span, "taken together"),
            (None, None) => return,
        };
        self.add(findings, "unlike_units", span, Severity::Warning, |finding| {
            finding.why = format!("They are {how} as they are.");
            finding.help = "Convert one of them.".to_owned();
        });
    }
}
