//! The rules, and what they share.
//!
//! A rule is one file: it looks at the reading and says what it finds. Rules don't know each other, and none decides how
//! severe its findings are: the policy does.

mod aggregated_type;
mod ambiguous_name;
mod bare_word;
mod catalog_unreadable;
mod cost;
mod effects;
mod fan_out;
mod functions;
mod integer_division;
mod join_mismatch;
mod last_day;
mod literal_value;
mod masked_column;
mod missing_join;
mod missing_limit;
mod one_statement;
mod outside_context;
mod readable;
mod resource_bomb;
mod slow_filter;
mod stale_table;
mod statement_kind;
mod summed_levels;
mod system_catalog;
mod type_mismatch;
mod ungrouped_column;
mod unheeded_fact;
mod unknown_column;
mod unknown_table;
mod unreadable_table;
mod usual_filter;

use catalog::{Catalog, Dialect, TableId};
use sql::{ResolvedStatement, Span};

use crate::finding::{Finding, Severity};
use crate::policy::{PolicyConfig, Profile};
use crate::rule_name::RuleName;

/// Every rule, in the order in which they are asked.
pub(crate) const ALL: &[Rule] = &[
    readable::RULE,
    one_statement::RULE,
    statement_kind::RULE,
    effects::RULE,
    functions::RULE,
    system_catalog::RULE,
    resource_bomb::RULE,
    catalog_unreadable::RULE,
    unknown_table::RULE,
    unknown_column::RULE,
    ambiguous_name::RULE,
    bare_word::RULE,
    unreadable_table::RULE,
    masked_column::RULE,
    type_mismatch::RULE,
    ungrouped_column::RULE,
    stale_table::RULE,
    unheeded_fact::RULE,
    usual_filter::RULE,
    literal_value::RULE,
    last_day::RULE,
    missing_join::RULE,
    join_mismatch::RULE,
    fan_out::RULE,
    aggregated_type::RULE,
    summed_levels::RULE,
    integer_division::RULE,
    outside_context::RULE,
    missing_limit::RULE,
    slow_filter::RULE,
    cost::RULE,
];

/// The rule about costs, which only the engine can be asked for.
pub(crate) fn cost() -> &'static Rule {
    &cost::RULE
}

/// The rule about literals, whose findings the database adds to.
pub(crate) fn literal_value() -> &'static Rule {
    &literal_value::RULE
}

/// A rule.
pub(crate) struct Rule {
    /// Its name in the configuration.
    pub(crate) name: RuleName,
    /// How severe its findings are.
    pub(crate) severity: Severities,
    /// Whether read-only access rests on it.
    pub(crate) fixed: bool,
    pub(crate) run: fn(&RuleContext<'_>, &mut Findings),
}

/// A severity for each profile.
#[derive(Clone, Copy)]
pub(crate) struct Severities {
    strict: Severity,
    standard: Severity,
    analyst: Severity,
}

impl Severities {
    /// The same in every profile.
    pub(crate) const fn always(severity: Severity) -> Self {
        Self { strict: severity, standard: severity, analyst: severity }
    }

    /// One that differs.
    pub(crate) const fn by_profile(strict: Severity, standard: Severity, analyst: Severity) -> Self {
        Self { strict, standard, analyst }
    }

    pub(crate) fn of(self, profile: Profile) -> Severity {
        match profile {
            Profile::Strict => self.strict,
            Profile::Standard => self.standard,
            Profile::Analyst => self.analyst,
        }
    }
}

/// What a rule may look at.
pub(crate) struct RuleContext<'a> {
    pub(crate) sql: &'a str,
    pub(crate) reading: &'a ResolvedStatement,
    pub(crate) catalog: &'a Catalog,
    pub(crate) source: &'a str,
    pub(crate) dialect: &'a Dialect,
    /// What holds for the source.
    pub(crate) policy: &'a PolicyConfig,
    /// The tables that were shown to the statement's author.
    pub(crate) shown: Option<&'a [TableId]>,
}

/// What one rule has found.
pub(crate) struct Findings {
    rule: RuleName,
    severity: Severity,
    found: Vec<Finding>,
}

impl Findings {
    /// More of the same helps nobody.
    const MOST: usize = 25;

    pub(crate) fn new(rule: RuleName, severity: Severity) -> Self {
        Self { rule, severity, found: Vec::new() }
    }

    /// Whether nothing more is taken: looking for names to suggest is not worth it then.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= Self::MOST
    }

    /// Adds a finding of the rule's severity; the closure fills in what it knows.
    pub(crate) fn add(&mut self, code: &'static str, span: Option<Span>, fill: impl FnOnce(&mut Finding)) {
        self.add_at_most(Severity::Error, code, span, fill);
    }

    /// Adds a finding that is no more severe than `most`.
    pub(crate) fn add_at_most(
        &mut self,
        most: Severity,
        code: &'static str,
        span: Option<Span>,
        fill: impl FnOnce(&mut Finding),
    ) {
        if self.is_full() {
            return;
        }
        let mut finding = Finding {
            rule: self.rule,
            code,
            severity: self.severity.min(most),
            span,
            message: String::new(),
            why: String::new(),
            help: String::new(),
            suggestions: Vec::new(),
            rewrite: None,
        };
        fill(&mut finding);
        let repeated = self.found.iter().any(|it| it.code == finding.code && it.message == finding.message);
        if !repeated {
            self.found.push(finding);
        }
    }

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.found
    }
}
