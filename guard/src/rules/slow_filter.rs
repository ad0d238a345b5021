//! Conditions on large tables lead to an index.
//!
//! `date(ordered_at) = '2024-03-05'` means the same as a range of `ordered_at`, and reads every row, because an index
//! holds the column and not what a function makes of it. A hint: the result is right either way, and how large is too
//! large the engine knows better (see `cost`).

use catalog::{Entry, Table, TableId};
use sql::{Clause, Comparison};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::SlowFilter, severity: Severities::always(Severity::Hint), fixed: false, run };

/// From so many rows on a scan is worth a word.
const MANY_ROWS: u64 = 10_000;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for id in context.reading.table_ids() {
        let Some(entry) = context.catalog.entry(id) else { continue };
        let large = entry.table.row_count.is_some_and(|rows| rows.value >= MANY_ROWS);
        // One condition that an index leads to is enough.
        if large && !leads_somewhere(context, entry) {
            functions_over_columns(context, entry, findings);
            open_beginnings(context, entry, findings);
            missing_first_columns(context, entry, findings);
        }
    }
}

/// The columns of which an index begins with.
fn begins_an_index(table: &Table, column: &str) -> bool {
    let first = |columns: &[String]| columns.first().is_some_and(|first| first.eq_ignore_ascii_case(column));
    first(&table.primary_key) || table.indexes.iter().any(|index| first(&index.columns))
}

/// Conditions on columns of a table, as they stand: (column, comparison, whether an index can follow it).
fn conditions<'r>(context: &'r RuleContext<'_>, id: &'r TableId) -> impl Iterator<Item = (&'r str, bool)> {
    let literals = context.reading.literals.iter().filter(move |literal| literal.column.table == *id);
    let literals = literals.filter(|literal| matches!(literal.clause, Clause::Where | Clause::On)).map(|literal| {
        let open = is_like(literal.operator) && literal.value.text.starts_with(['%', '_', '*', '?']);
        let excludes = matches!(literal.operator, Comparison::NotEqual | Comparison::NotLike);
        (literal.column.column.as_str(), !open && !excludes && literal.folding == sql::Folding::None)
    });
    let joins = context.reading.joins.iter().flat_map(|join| [&join.left, &join.right]);
    literals.chain(joins.filter(move |column| column.table == *id).map(|column| (column.column.as_str(), true)))
}

fn is_like(operator: Comparison) -> bool {
    matches!(operator, Comparison::Like | Comparison::ILike | Comparison::Glob)
}

fn leads_somewhere(context: &RuleContext<'_>, entry: &Entry) -> bool {
    conditions(context, &entry.table.id).any(|(column, can_follow)| can_follow && begins_an_index(&entry.table, column))
}

fn functions_over_columns(context: &RuleContext<'_>, entry: &Entry, findings: &mut Findings) {
    let table = &entry.table;
    for used in context.reading.wrapped.iter().filter(|used| used.column.table == table.id) {
        let column = &used.column.column;
        // An index over an expression is kept by its text.
        let holds_expression = table
            .indexes
            .iter()
            .flat_map(|index| &index.columns)
            .any(|text| text.contains('(') && text.to_lowercase().contains(&column.to_lowercase()));
        if !begins_an_index(table, column) || holds_expression {
            continue;
        }
        findings.add("function_over_index", used.span, |finding| {
            finding.message = format!("`{}` of `{}.{column}` can't use the index on it", used.by, table.id.local());
            finding.why = "The index holds the column, not what is made of it: every row is read.".to_owned();
            finding.help = match used.by.as_str() {
                "date" | "strftime" | "year" | "date_trunc" | "extract" | "to_char" | "date_format" => {
                    "Compare the column itself with the first day and the day after the last: `>=` and `<`.".to_owned()
                }
                _ => "Compare the column itself with what the function would be undone to.".to_owned(),
            };
        });
    }
}

fn open_beginnings(context: &RuleContext<'_>, entry: &Entry, findings: &mut Findings) {
    let table = &entry.table;
    for literal in context.reading.literals.iter().filter(|literal| literal.column.table == table.id) {
        let column = &literal.column.column;
        let open = is_like(literal.operator) && literal.value.text.starts_with(['%', '_', '*', '?']);
        if open && begins_an_index(table, column) {
            findings.add("open_pattern", literal.span, |finding| {
                finding.message =
                    format!("a pattern without a beginning can't use the index on `{}.{column}`", table.id.local());
                finding.why = "An index is sorted by how values begin: every row is read.".to_owned();
                finding.help = "Give the beginning if it is known, or restrict by another column.".to_owned();
            });
        }
    }
}

fn missing_first_columns(context: &RuleContext<'_>, entry: &Entry, findings: &mut Findings) {
    let table = &entry.table;
    for (column, can_follow) in conditions(context, &table.id) {
        let second = |columns: &&Vec<String>| columns.iter().skip(1).any(|other| other.eq_ignore_ascii_case(column));
        let keys = std::iter::once(&table.primary_key).chain(table.indexes.iter().map(|index| &index.columns));
        let Some(key) = keys.into_iter().find(second).filter(|_| can_follow) else { continue };
        let span = context.reading.literals.iter().find(|literal| literal.column.column == column);
        findings.add("index_without_its_beginning", span.and_then(|literal| literal.column_span), |finding| {
            finding.message = format!(
                "the index of `{}` by {} doesn't lead to `{column}` alone",
                table.id.local(),
                key.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            );
            finding.why = "An index is followed from its first column on: every row is read.".to_owned();
            finding.help = format!("Restrict `{}` as well, if that is what is meant.", key[0]);
            finding.suggestions = vec![key[0].clone()];
        });
    }
}
