//! A query that lists rows says how many it wants.
//!
//! The limits of a run cut the result anyway and say so; a LIMIT with an ORDER BY makes the cut mean something.

use sql::StatementKind;

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::{NO_LIMIT, Severity};
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::MissingLimit, severity: Severities::always(Severity::Hint), fixed: false, run };

/// Tables with fewer rows need no limit.
const MANY_ROWS: u64 = 1_000;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    let reading = context.reading;
    if reading.kind != StatementKind::Query || reading.is_aggregate || !reading.problems.is_empty() {
        return;
    }
    let largest = reading
        .table_ids()
        .into_iter()
        .filter_map(|id| context.catalog.entry(id))
        .filter_map(|entry| Some((entry.table.row_count?.value, entry.table.id.local())))
        .max();
    let Some((rows, table)) = largest.filter(|(rows, _)| *rows >= MANY_ROWS) else { return };
    if !reading.has_limit {
        findings.add(NO_LIMIT, None, |finding| {
            finding.message = format!("there is no LIMIT, and `{table}` has about {rows} rows");
            finding.why = "A result that is longer than the row limit is cut at rows that nothing chose.".to_owned();
            finding.help = "Add a LIMIT with an ORDER BY, or aggregate.".to_owned();
        });
    } else if !reading.has_order_by {
        findings.add("limit_without_order", None, |finding| {
            finding.message = "there is a LIMIT without an ORDER BY".to_owned();
            finding.why = "Which rows come back is then up to the engine.".to_owned();
            finding.help = "Add an ORDER BY if it matters which rows come first.".to_owned();
        });
    }
}
