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
        selections.iter().for_each(|selection| of_table(context, selection, findings));
    }
}

/// Whether the statement is more than a look at what a table holds.
fn says_something_of_many(context: &RuleContext<'_>) -> bool {
    let reading = context.reading;
    let chooses = !reading.joins.is_empty() || !reading.restrictions.is_empty();
    chooses || !reading.aggregates.is_empty() || reading.has_order_by && reading.has_limit
}

fn of_table(context: &RuleContext<'_>, selection: &Selection, findings: &mut Findings) {
    let Some(entry) = context.catalog.entry(&selection.table) else { return };
    let Some(usage) = context.catalog.usage_of(entry) else { return };
    // Somebody is looked up by what only they have.
    let is_masked = |column: &str| *entry.exposure(column) != Exposure::Open;
    if selection.restrictions.iter().any(|it| is_masked(&it.column.column) && matches!(it.test, Test::OneOf(_))) {
        return;
    }
    let is_left_out = |filter: &&UsualFilter| {
        let thinks_of_it = selection.names(&filter.column)
            || selection.restrictions.iter().any(|it| filter.instead.contains(&it.column.column));
        filter.completing == selection.completes && !thinks_of_it
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
            finding.help = match filter.keeps {
                Keeps::Untold => format!("Choose by `{}`, unless all rows are meant.", filter.column),
                _ => format!("Write `{}`, unless all rows are meant.", filter.condition),
            };
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
    context.catalog.facts(entry).any(|fact| match &fact.kind {
        FactKind::MarkedDeleted { column, .. } => aggregates && is_alone && *column == filter.column,
        FactKind::TestRows { column, .. } => aggregates && *column == filter.column,
        _ => false,
    })
}
