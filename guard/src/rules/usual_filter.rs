//! Conditions that nearly everybody sets who reads a table.
//!
//! Only what others did is known, not why: so it is a hint, with counts. Who names the column, to choose or to show, has thought
//! of it; and so has who looks up one thing, or only looks what is there.

use catalog::{Entry, Exposure, FactKind, Keeps, UsualFilter};
use sql::{CatalogSchema, Selection, Test};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::UsualFilter, severity: Severities::always(Severity::Hint), fixed: false, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    if context.catalog.usage(context.source).is_none() || !says_something_of_many(context) {
        return;
    }
    let schema = CatalogSchema::new(context.catalog, context.source);
    let selections = sql::selections(context.reading, &schema);
    // What belongs to one thing is wanted whole.
    if selections.iter().all(|selection| !selection.of_one) {
        selections.iter().for_each(|selection| of_table(context, selection, &selections, findings));
    }
}

/// Whether the statement is more than a look at what a table holds.
fn says_something_of_many(context: &RuleContext<'_>) -> bool {
    let reading = context.reading;
    let chooses = !reading.joins.is_empty() || !reading.restrictions.is_empty();
    chooses || !reading.aggregates.is_empty() || reading.has_order_by && reading.has_limit
}

fn of_table(context: &RuleContext<'_>, selection: &Selection, all: &[Selection], findings: &mut Findings) {
    let Some(entry) = context.catalog.entry(&selection.table) else { return };
    let Some(usage) = context.catalog.usage_of(entry) else { return };
    // Somebody is looked up by what only they have.
    let is_masked = |column: &str| *entry.exposure(column) != Exposure::Open;
    if selection.restrictions.iter().any(|it| is_masked(&it.column.column) && matches!(it.test, Test::OneOf(_))) {
        return;
    }
    let thinks_of = |selection: &Selection, filter: &UsualFilter| {
        selection.names(&filter.column)
            || selection.restrictions.iter().any(|it| filter.instead.contains(&it.column.column))
    };
    let is_left_out = |filter: &&UsualFilter| match &filter.by_way_of {
        None => filter.completing == selection.completes && !thinks_of(selection, filter),
        Some(other) => {
            let joined = all.iter().find(|joined| joined.table == *other);
            // What the other table's own habits say is said there.
            let is_said = |joined: &Selection| {
                let usage = context.catalog.entry(other).and_then(|entry| context.catalog.usage_of(entry));
                usage.is_some_and(|usage| {
                    let mut own = usage.filters.iter().filter(|own| own.by_way_of.is_none());
                    own.any(|own| own.column == filter.column && own.completing == joined.completes)
                })
            };
            !selection.completes && joined.is_none_or(|joined| !thinks_of(joined, filter) && !is_said(joined))
        }
    };
    let used = context.reading.tables.iter().find(|used| used.table.as_ref() == Some(&selection.table));
    for filter in usage.filters.iter().filter(is_left_out) {
        if is_said_by_a_fact(context, entry, filter) {
            continue;
        }
        findings.add("usual_filter", used.and_then(|used| used.span), |finding| {
            let table = entry.table.id.local();
            finding.message = format!("`{table}`: most who read it set {}", filter.in_words());
            finding.why = "Rows that they leave out take part here.".to_owned();
            let what = match (&filter.keeps, &filter.by_way_of) {
                (Keeps::Untold, None) => format!("Choose by `{}`", filter.column),
                (Keeps::Untold, Some(other)) => format!("Choose by `{}.{}`", other.name, filter.column),
                (_, None) => format!("Write `{}`", filter.condition),
                (_, Some(other)) => format!("With `{}` joined, write `{}`", other.name, filter.condition),
            };
            finding.help = format!("{what}, unless all rows are meant.");
            finding.suggestions = match filter.keeps {
                Keeps::Untold => Vec::new(),
                _ => vec![filter.condition.clone()],
            };
        });
    }
}

/// Whether the rule about what rows say themselves says it of this statement.
fn is_said_by_a_fact(context: &RuleContext<'_>, entry: &Entry, filter: &UsualFilter) -> bool {
    let aggregates = !context.reading.aggregates.is_empty();
    let is_alone = context.reading.tables.len() == 1;
    let mut facts = context.catalog.facts(entry).filter(|_| filter.by_way_of.is_none());
    facts.any(|fact| match &fact.kind {
        FactKind::MarkedDeleted { column, .. } => aggregates && is_alone && *column == filter.column,
        FactKind::TestRows { column, .. } => aggregates && *column == filter.column,
        _ => false,
    })
}
