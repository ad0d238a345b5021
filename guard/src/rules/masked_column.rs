//! What may not be read: tables and columns that the policy denies, and columns that are masked or that nobody has looked
//! at yet.
//!
//! By lineage, so that `*`, aliases, subqueries and expressions don't get around it. A denied column may not be named
//! anywhere. A masked one may be counted, tested for NULL, compared whole with constants and joined over a key; any other
//! use is refused, since a value that can be compared with what the asker chooses can be read off, bit by bit.

use catalog::{TableId, matches_glob};
use sql::{Argument, ColumnRef, Manner, Span, StatementKind, ValueUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::masks::{Masks, Shown, look_ups};
use crate::policy::{MaskedUse, SensitiveColumns, Unprofiled};

pub(super) const RULE: Rule =
    Rule { name: "masked_column", severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    denied_tables(context, findings);
    denied_columns(context, findings);
    if context.policy.sensitive_columns == SensitiveColumns::Refuse {
        masked_values(context, findings);
    }
}

fn denied_tables(context: &RuleContext<'_>, findings: &mut Findings) {
    let config = context.policy;
    if config.deny_tables.is_empty() && config.allow_tables.is_empty() {
        return;
    }
    let denies = |name: &str| config.deny_tables.iter().any(|pattern| matches_glob(pattern, name));
    for name in described(context).iter().filter(|name| denies(name)) {
        findings.add("denied_table", None, |finding| {
            finding.message = format!("`{name}` may not be looked at");
            finding.why = "The policy denies the table.".to_owned();
            finding.help = "Answer without it.".to_owned();
        });
    }
    let mut masks = Masks::of(context.catalog);
    for used in &context.reading.tables {
        let Some(id) = &used.table else { continue };
        let names = |pattern: &String| matches_glob(pattern, &id.local()) || matches_glob(pattern, &id.name);
        if !config.allow_tables.is_empty() && !config.allow_tables.iter().any(names) {
            findings.add("table_not_allowed", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = "The policy allows other tables only.".to_owned();
                finding.help = "Answer with the tables that are allowed.".to_owned();
                finding.suggestions = allowed_tables(context);
            });
        }
        let behind = masks.tables_behind(id);
        let denied = std::iter::once(id).chain(&behind).find(|table| {
            config
                .deny_tables
                .iter()
                .any(|pattern| matches_glob(pattern, &table.local()) || matches_glob(pattern, &table.name))
        });
        if let Some(denied) = denied {
            findings.add("denied_table", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = match denied == id {
                    true => "The policy denies the table.".to_owned(),
                    false => format!("It is made from `{}`, which the policy denies.", denied.local()),
                };
                finding.help = "Answer without it.".to_owned();
            });
        } else if let Some(unknown) = masks.not_followed(id).filter(|_| !config.deny_tables.is_empty()) {
            findings.add("denied_table", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = match unknown == *id {
                    true => "Its query can't be followed, and may read tables that the policy denies.".to_owned(),
                    false => format!(
                        "The query of `{}` behind it can't be followed, and may read tables that the policy denies.",
                        unknown.local()
                    ),
                };
                finding.help = "Answer without it; whoever runs Periplus can release all of its columns.".to_owned();
            });
        }
    }
}

/// Names in a statement that describes: SHOW, PRAGMA, and SQLite's functions of the pragmas.
fn described(context: &RuleContext<'_>) -> Vec<String> {
    let text = match &context.reading.kind {
        StatementKind::Show(what) => what.clone(),
        StatementKind::Pragma { argument: Some(argument), .. } => argument.clone(),
        _ => {
            let pragmas = context.reading.functions.iter().filter(|function| function.name().starts_with("pragma_"));
            let texts = pragmas.flat_map(|function| &function.arguments).filter_map(|argument| match argument {
                Argument::Literal(literal) => Some(literal.text.as_str()),
                _ => None,
            });
            texts.collect::<Vec<_>>().join(" ")
        }
    };
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn allowed_tables(context: &RuleContext<'_>) -> Vec<String> {
    let allowed = &context.policy.allow_tables;
    let is_allowed = |id: &TableId| {
        allowed.iter().any(|pattern| matches_glob(pattern, &id.local()) || matches_glob(pattern, &id.name))
    };
    let ids = context.catalog.tables_of(context.source).map(|entry| &entry.table.id);
    ids.filter(|id| is_allowed(id)).map(TableId::local).take(5).collect()
}

fn denied_columns(context: &RuleContext<'_>, findings: &mut Findings) {
    let patterns = &context.policy.deny_columns;
    if patterns.is_empty() {
        return;
    }
    let mut masks = Masks::of(context.catalog);
    for used in &context.reading.columns {
        let column = &used.column;
        let is_denied = |column: &ColumnRef| {
            let names = [&column.table.local(), &column.table.name].map(|table| format!("{table}.{}", column.column));
            patterns.iter().any(|pattern| names.iter().any(|name| matches_glob(pattern, name)))
        };
        if is_denied(column) {
            denied(context, findings, column, used.span, "The policy denies the column.");
            continue;
        }
        if let Some(origin) = masks.origins(column).iter().find(|origin| is_denied(origin)) {
            let why = format!("It is made from `{}.{}`, which the policy denies.", origin.table.local(), origin.column);
            denied(context, findings, column, used.span, &why);
        } else if masks.not_followed(&column.table).is_some() && !masks.is_released(column) {
            let why = "It is made by a query that can't be followed, and maybe of columns that the policy denies.";
            denied(context, findings, column, used.span, why);
        }
    }
}

/// What may not be shown is no part of a result, and is used in no way from which it could be read off.
fn masked_values(context: &RuleContext<'_>, findings: &mut Findings) {
    let mut masks = Masks::of(context.catalog);
    let reading = context.reading;
    let outputs = reading.outputs.iter().flat_map(|output| &output.sources);
    // Rows that are made up can be counted.
    for source in outputs.chain(&reading.sizes) {
        let span = reading.columns.iter().find(|used| used.column == *source).and_then(|used| used.span);
        closed(context, findings, &mut masks, source, span, "may not be part of a result");
    }
    let is_explained = reading.kind == StatementKind::Explain;
    for used in &reading.uses {
        // A plan can show values of what it only compares: some engines read them to make it.
        if is_explained {
            closed(context, findings, &mut masks, &used.column, used.span, "may not be part of what is explained");
        } else if !tells_nothing(context, &mut masks, used) {
            closed(context, findings, &mut masks, &used.column, used.span, "may not be used like this");
        }
    }
    let looked_up = look_ups(context.catalog, &reading.uses);
    if looked_up > 0 {
        findings.add_at_most(Severity::Hint, "masked_look_up", None, |finding| {
            finding.message = match looked_up {
                1 => "the statement looks up a value of a masked column".to_owned(),
                several => format!("the statement looks up {several} values of masked columns"),
            };
            finding.why = "Look-ups are counted by the hour, so that nothing is found out by trying.".to_owned();
            finding.help = "Look up values that were given, not values to try.".to_owned();
        });
    }
}

/// Whether a value can't be read off by how it is used.
fn tells_nothing(context: &RuleContext<'_>, masks: &mut Masks<'_>, used: &ValueUse) -> bool {
    let level = context.policy.masked_use;
    match &used.manner {
        // Whether it comes out is for the outputs to tell.
        Manner::Passed | Manner::Counted | Manner::NullTested | Manner::Grouped => true,
        Manner::Constants(_) => level != MaskedUse::None,
        Manner::Equated(other) => level == MaskedUse::Compare || masks.may_be_equated(&used.column, other),
        Manner::Other => level == MaskedUse::Compare,
    }
}

/// Adds a finding if the column may not be shown.
fn closed(
    context: &RuleContext<'_>,
    findings: &mut Findings,
    masks: &mut Masks<'_>,
    column: &ColumnRef,
    span: Option<Span>,
    may_not: &str,
) {
    let name = format!("{}.{}", column.table.local(), column.column);
    let (code, why, allow) = match masks.shown(column) {
        Shown::Yes => return,
        Shown::Masked(reason) => (
            "masked_column",
            format!("It is masked: {reason}."),
            format!("whoever runs Periplus can release it: `periplus mask --release {name}`"),
        ),
        Shown::Unexamined if context.policy.unprofiled == Unprofiled::Names => return,
        Shown::Unexamined => (
            "column_not_profiled",
            "Nobody has looked yet whether its values are personal.".to_owned(),
            "or have `periplus index` run first".to_owned(),
        ),
    };
    let is_named = span.and_then(|span| context.sql.get(span.start..span.end)).is_some_and(|text| !text.ends_with('*'));
    findings.add(code, span, |finding| {
        finding.message = format!("`{name}` {may_not}");
        finding.why = why;
        let instead = match is_named {
            false => "Name the other columns instead of `*`, and leave this one out",
            true => "Leave it out; it may be counted, tested for NULL and compared whole with a value you were given",
        };
        finding.help = format!("{instead}; {allow}.");
    });
}

fn denied(context: &RuleContext<'_>, findings: &mut Findings, column: &ColumnRef, span: Option<Span>, why: &str) {
    let is_named = span.and_then(|span| context.sql.get(span.start..span.end)).is_some_and(|text| !text.ends_with('*'));
    findings.add("denied_column", span, |finding| {
        finding.message = format!("`{}.{}` may not be read", column.table.local(), column.column);
        finding.why = why.to_owned();
        finding.help = match is_named {
            false => "Name the other columns instead of `*`, and leave this one out.".to_owned(),
            true => "Leave it out.".to_owned(),
        };
    });
}
