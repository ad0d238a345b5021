//! What may not be read: tables and columns that the policy denies, and columns that are masked or that nobody has looked
//! at yet.
//!
//! By lineage, so that `*`, aliases, subqueries and expressions don't get around it. A denied column may not be named
//! anywhere. A masked one may be counted, tested for NULL, compared whole with constants and joined over a key; any other
//! use is refused, since a value that can be compared with what the asker chooses can be read off, bit by bit.

use std::collections::HashSet;

use catalog::{Entry, Exposure, TableId};
use sql::{Argument, ColumnRef, Manner, Span, StatementKind, Through, ValueUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::masks::{Masks, Shown, look_ups};
use crate::mentions::unaccounted;
use crate::policy::{MaskedUse, SensitiveColumns, Unprofiled};
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::MaskedColumn, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    denied_tables(context, findings);
    denied_columns(context, findings);
    if context.policy.sensitive_columns == SensitiveColumns::Refuse {
        masked_values(context, findings);
        declared_values(context, findings);
    }
}

/// What a masked column can hold stands in its type, where that is a list.
fn declared_values(context: &RuleContext<'_>, findings: &mut Findings) {
    let names = described(context);
    let tables = context.catalog.tables_of(context.source);
    for entry in tables.filter(|entry| names.iter().any(|name| name.eq_ignore_ascii_case(&entry.table.id.name))) {
        let hides = |column: &&catalog::Column| entry.shown_type(column) != column.data_type;
        if let Some(column) = entry.table.columns.iter().find(hides) {
            findings.add("masked_column", None, |finding| {
                finding.message =
                    format!("what `{}.{}` can hold may not be shown", entry.table.id.local(), column.name);
                finding.why = "It is masked, and its type lists its values.".to_owned();
                finding.help = "Use `describe_table`, or look at the other tables.".to_owned();
            });
        }
    }
}

fn denied_tables(context: &RuleContext<'_>, findings: &mut Findings) {
    let config = context.policy;
    // What the database says of one table names others, and whether it says anything tells of them.
    let reading = context.reading;
    let describes = matches!(reading.kind, StatementKind::Show(_) | StatementKind::Pragma { .. })
        || reading.functions.iter().any(|function| function.name().starts_with("pragma_"));
    if describes && context.catalog.hides_tables() {
        findings.add("denied_table", None, |finding| {
            finding.message = "what the database says of its tables may not be looked at".to_owned();
            finding.why = "It would tell of tables that aren't there for whoever asks.".to_owned();
            finding.help = "Use `describe_table`.".to_owned();
        });
        return;
    }
    let denies = |name: &str| config.deny_tables.iter().any(|pattern| words::matches_glob(pattern, name));
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
        let names =
            |pattern: &String| words::matches_glob(pattern, &id.local()) || words::matches_glob(pattern, &id.name);
        if !config.allow_tables.is_empty() && !config.allow_tables.iter().any(names) {
            findings.add("table_not_allowed", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = "The policy allows other tables only.".to_owned();
                finding.help = "Answer with the tables that are allowed.".to_owned();
                finding.suggestions = allowed_tables(context);
            });
        }
        let behind = masks.tables_behind(id);
        let entries = std::iter::once(id).chain(&behind).filter_map(|id| context.catalog.entry(id));
        let partitions = entries.flat_map(|entry| &entry.table.partitions);
        let denied = std::iter::once(id).chain(&behind).chain(partitions).find(|table| {
            config.deny_tables.iter().any(|pattern| {
                words::matches_glob(pattern, &table.local()) || words::matches_glob(pattern, &table.name)
            })
        });
        // Views are the database's to let somebody read who may not read what they are made from.
        let is_closed = denied.is_none() && context.catalog.entry(id).is_some_and(Entry::rows_are_hidden);
        if is_closed {
            findings.add("denied_table", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = "Whoever asks has no right to read anything of it.".to_owned();
                finding.help = "Answer without it.".to_owned();
            });
        } else if let Some(denied) = denied {
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

/// Names in a statement that describes: DESCRIBE, SHOW, PRAGMA, and SQLite's functions of the pragmas.
fn described(context: &RuleContext<'_>) -> Vec<String> {
    let text = match &context.reading.kind {
        // A name can have any signs in it.
        StatementKind::Describe => {
            let named = context.reading.tables.iter();
            return named.filter_map(|used| Some(used.table.as_ref()?.name.clone())).collect();
        }
        StatementKind::Show(what) => what.clone(),
        StatementKind::Pragma { argument: Some(argument), .. } => argument.clone(),
        _ => {
            let pragmas = context.reading.functions.iter().filter(|function| function.name().starts_with("pragma_"));
            let mut arguments = pragmas.clone().flat_map(|function| &function.arguments);
            if arguments.any(|argument| !matches!(argument, Argument::Literal(_))) {
                // What is computed can name any.
                return context.catalog.tables_of(context.source).map(|entry| entry.table.id.name.clone()).collect();
            }
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
        allowed
            .iter()
            .any(|pattern| words::matches_glob(pattern, &id.local()) || words::matches_glob(pattern, &id.name))
    };
    let ids = context.catalog.tables_of(context.source).map(|entry| &entry.table.id);
    ids.filter(|id| is_allowed(id)).map(TableId::local).take(5).collect()
}

fn denied_columns(context: &RuleContext<'_>, findings: &mut Findings) {
    let mut masks = Masks::of(context.catalog);
    for used in context.reading.columns.iter().filter(|used| !context.policy.denies(&used.column)) {
        if masks.is_denied(&used.column) {
            denied(context, findings, &used.column, used.span, "Whoever asks has no right to read it.");
        }
    }
    if context.policy.deny_columns.is_empty() {
        return;
    }
    let is_denied = |column: &ColumnRef| context.policy.denies(column);
    namesakes(context, findings, "denied_column", "may not be read", &mut |column| is_denied(column));
    for used in &context.reading.columns {
        let column = &used.column;
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

/// What may not be shown is no part of a result, and is used in no way from which it could be read off. One finding for all
/// columns of a kind: whoever wrote `*` over a table of people has one thing to repair.
fn masked_values(context: &RuleContext<'_>, findings: &mut Findings) {
    let mut masks = Masks::of(context.catalog);
    let reading = context.reading;
    let outputs = reading.outputs.iter().flat_map(|output| &output.sources);
    let is_explained = reading.kind == StatementKind::Explain;
    // Rows that are made up can be counted.
    let in_result: Vec<Closed> = distinct(outputs.chain(&reading.sizes).map(|source| (source, None)))
        .filter_map(|(column, _)| closed(context, &mut masks, column, None))
        .collect();
    let misused = reading.uses.iter().filter(|used| is_explained || !tells_nothing(context, &mut masks, used));
    let misused: Vec<(&ColumnRef, Option<Span>)> = misused.map(|used| (&used.column, used.span)).collect();
    let used: Vec<Closed> = distinct(misused.into_iter())
        .filter(|(column, _)| in_result.iter().all(|closed| closed.column != **column))
        .filter_map(|(column, span)| closed(context, &mut masks, column, span))
        .collect();
    for why in [Why::Masked, Why::Unexamined] {
        for (closed, place) in [(&in_result, Place::Result), (&used, Place::Use { is_explained })] {
            let of_kind: Vec<&Closed> = closed.iter().filter(|closed| closed.why == why).collect();
            if !of_kind.is_empty() {
                add_closed(context, findings, why, place, &of_kind);
            }
        }
    }
    if context.policy.masked_use != MaskedUse::Compare {
        if in_result.is_empty() && used.is_empty() {
            decided_rows(context, &mut masks, findings);
        }
        let mut is_closed = |column: &ColumnRef| masks.are_closed(column, context.policy);
        namesakes(context, findings, "masked_column", "may not be shown", &mut is_closed);
        unsure_names(context, findings, &mut is_closed);
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

/// A view whose rows follow from a masked column: how many there are, or whether there is one, tells of its values.
fn decided_rows(context: &RuleContext<'_>, masks: &mut Masks<'_>, findings: &mut Findings) {
    for used in &context.reading.tables {
        let Some(entry) = used.table.as_ref().and_then(|table| context.catalog.entry(table)) else { continue };
        if entry.rows_are_decided() {
            let name = entry.table.id.local();
            findings.add("masked_column", used.span, |finding| {
                finding.message = decided_because(masks, &entry.table.id);
                finding.why = "How many they are, or whether there are any, tells of its values.".to_owned();
                finding.help = match entry.table.definition.is_none() && !entry.table.row_policies.is_empty() {
                    true => format!(
                        "An operator who has looked at its policies can release a column that nothing else masks: `periplus mask \
                         --release '{name}.COLUMN'`."
                    ),
                    false => format!(
                        "Use the tables behind it. An operator who has looked at the view can release its columns: `periplus \
                         mask --release '{name}.*'`."
                    ),
                };
            });
        }
    }
}

/// Why the rows of a relation count as decided by a masked column.
fn decided_because(masks: &mut Masks<'_>, id: &TableId) -> String {
    let name = id.local();
    if let Some(policy) = masks.policy_not_followed(id) {
        let called: Vec<String> = policy.functions.iter().map(|function| format!("`{}`", function.name)).collect();
        let calls = if called.is_empty() { String::new() } else { format!(", it calls {}", called.join(" and ")) };
        return format!(
            "which rows `{name}` has may follow from a masked column: the policy `{}` can't be followed{calls}",
            policy.name
        );
    }
    match masks.not_followed(id) {
        None => format!("which rows `{name}` has follows from a masked column"),
        Some(unknown) if unknown == *id => {
            format!("which rows `{name}` has may follow from a masked column: its query can't be followed")
        }
        Some(unknown) => format!(
            "which rows `{name}` has may follow from a masked column: the query of `{}` behind it can't be followed",
            unknown.local()
        ),
    }
}

/// Whether a value can't be read off by how it is used.
fn tells_nothing(context: &RuleContext<'_>, masks: &mut Masks<'_>, used: &ValueUse) -> bool {
    let level = context.policy.masked_use;
    match &used.manner {
        Manner::Counted | Manner::NullTested => level == MaskedUse::Compare || masks.is_stored(&used.column),
        // Behind another name nobody is sure of it any more.
        Manner::Passed => level == MaskedUse::Compare,
        // What is made puts everybody whose value it is made from into a few classes, and one constant picks such a class.
        Manner::Constants(_) => {
            level == MaskedUse::Compare || (level == MaskedUse::Lookup && masks.is_stored(&used.column))
        }
        Manner::Equated(other) => level == MaskedUse::Compare || masks.may_be_equated(&used.column, other),
        Manner::Other => level == MaskedUse::Compare,
    }
}

/// Other names for the columns of a table, and names of joins in brackets, beside a table with closed columns: engines differ
/// in what they let be seen under which name.
fn unsure_names(context: &RuleContext<'_>, findings: &mut Findings, is_closed: &mut dyn FnMut(&ColumnRef) -> bool) {
    let Some(span) = context.reading.unsure_names.first() else { return };
    let entries = context.reading.tables.iter().filter_map(|used| context.catalog.entry(used.table.as_ref()?));
    let mut closed = entries.flat_map(|entry| {
        let of = |name: &String| ColumnRef { table: entry.table.id.clone(), column: name.clone() };
        entry.table.columns.iter().map(|column| of(&column.name)).collect::<Vec<_>>()
    });
    if let Some(column) = closed.find(|column| is_closed(column)) {
        findings.add("masked_column", Some(*span), |finding| {
            finding.message =
                format!("other names for columns may stand for `{}.{}`", column.table.local(), column.column);
            finding.why = "It may not be shown, and engines differ in what such names mean.".to_owned();
            finding.help = "Leave out the list of names, or the name of the join in brackets.".to_owned();
        });
    }
}

/// Names that a closed column has and that stand for something else, so that engines may differ in what they mean.
fn namesakes(
    context: &RuleContext<'_>,
    findings: &mut Findings,
    code: &'static str,
    may_not: &str,
    is_closed: &mut dyn FnMut(&ColumnRef) -> bool,
) {
    for found in unaccounted(context.sql, context.reading, context.dialect, context.catalog, is_closed) {
        let column = format!("{}.{}", found.column.table.local(), found.column.column);
        findings.add(code, Some(found.mention.span), |finding| {
            finding.message = format!("`{}` may be taken for `{column}`", found.mention.name);
            finding.why = format!("`{column}` {may_not}, and the name stands here for something else.");
            finding.help = "Call it otherwise, or write the name of its table before it.".to_owned();
        });
    }
}

/// Each column once, where it stands first.
fn distinct<'r>(
    columns: impl Iterator<Item = (&'r ColumnRef, Option<Span>)>,
) -> impl Iterator<Item = (&'r ColumnRef, Option<Span>)> {
    let mut seen: HashSet<&ColumnRef> = HashSet::new();
    columns.filter(move |(column, _)| seen.insert(column))
}

/// A column that may not be shown.
struct Closed {
    column: ColumnRef,
    why: Why,
    reason: String,
    by_configuration: bool,
    span: Option<Span>,
    /// Its name was written, rather than `*` or a whole row's.
    is_named: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Masked,
    Unexamined,
}

/// Where it stands.
#[derive(Clone, Copy)]
enum Place {
    Result,
    Use { is_explained: bool },
}

fn closed(context: &RuleContext<'_>, masks: &mut Masks<'_>, column: &ColumnRef, span: Option<Span>) -> Option<Closed> {
    let (why, reason) = match masks.shown(column) {
        Shown::Yes => return None,
        Shown::Masked(reason) => (Why::Masked, reason),
        Shown::Unexamined if context.policy.unprofiled == Unprofiled::Names => return None,
        Shown::Unexamined => (Why::Unexamined, String::new()),
    };
    let stands = context.reading.columns.iter().find(|used| used.column == *column);
    let mask = context.catalog.entry(&column.table).and_then(|entry| entry.exposure(&column.column).mask());
    Some(Closed {
        column: column.clone(),
        why,
        reason,
        by_configuration: mask.is_some_and(|mask| mask.by.is_configured()),
        span: span.or_else(|| stands.and_then(|used| used.span)),
        is_named: stands.is_none_or(|used| used.through == Through::Name),
    })
}

/// The most columns and reasons that a finding names.
const MOST_COLUMNS: usize = 15;
const MOST_REASONS: usize = 3;

fn add_closed(context: &RuleContext<'_>, findings: &mut Findings, why: Why, place: Place, closed: &[&Closed]) {
    let (Some(first), one) = (closed.first(), closed.len() == 1) else { return };
    let (it, is) = if one { ("it", "It is") } else { ("them", "They are") };
    let names: Vec<String> =
        closed.iter().map(|it| format!("{}.{}", it.column.table.local(), it.column.column)).collect();
    let code = match why {
        Why::Masked => "masked_column",
        Why::Unexamined => "column_not_profiled",
    };
    findings.add(code, first.span, |finding| {
        let may_not = match place {
            Place::Result => "be part of a result",
            Place::Use { is_explained: true } => "be part of what is explained",
            Place::Use { .. } => "be used like this",
        };
        finding.message = format!("{} may not {may_not}", listed(&names));
        finding.why = match why {
            Why::Masked => format!("{is} masked: {}.", reasons(closed)),
            Why::Unexamined => "Nobody has looked yet whether the values are personal.".to_owned(),
        };
        let leave_out = match closed.iter().all(|it| it.is_named) {
            true => format!("Leave {it} out"),
            false => name_the_others(context, closed),
        };
        let may = match (place, context.policy.masked_use) {
            (Place::Use { is_explained: false }, MaskedUse::Lookup) => {
                "; whole values may be compared by `=` or `<>` with plain values you were given (no cast, no function), counted \
                 (with DISTINCT only over a whole table), tested for NULL, and joined by ON along a reference between masked columns"
            }
            (Place::Use { is_explained: false }, MaskedUse::None) => {
                "; values may be counted (with DISTINCT only over a whole table), tested for NULL, and joined by ON along a \
                 reference between masked columns"
            }
            _ => "",
        };
        let allow = match why {
            Why::Unexamined => "or have `periplus index` run first".to_owned(),
            Why::Masked if closed.iter().any(|it| it.by_configuration) => {
                "the configuration says so, and comes before people".to_owned()
            }
            Why::Masked => {
                let plain = |name: &str| name.chars().all(|sign| sign.is_alphanumeric() || "._".contains(sign));
                let names = match one {
                    true if plain(&names[0]) => names[0].clone(),
                    // As a shell takes it for one word.
                    true => format!("'{}'", names[0]),
                    false => "COLUMN".to_owned(),
                };
                let more = match place {
                    Place::Use { is_explained: false } => ", or allow more with `guard.masked_use`",
                    _ => "",
                };
                format!("whoever runs Periplus can release {it}: `periplus mask --release {names}`{more}")
            }
        };
        finding.help = format!("{leave_out}{may}; {allow}.");
    });
}

fn listed(names: &[String]) -> String {
    let mut named: Vec<String> = names.iter().take(MOST_COLUMNS).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST_COLUMNS {
        named.push(format!("{} more", names.len() - MOST_COLUMNS));
    }
    named.join(", ")
}

fn reasons(closed: &[&Closed]) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for closed in closed.iter().filter(|closed| !closed.reason.is_empty()) {
        if !reasons.contains(&closed.reason.as_str()) {
            reasons.push(&closed.reason);
        }
    }
    let more = if reasons.len() > MOST_REASONS { ", …" } else { "" };
    reasons.truncate(MOST_REASONS);
    format!("{}{more}", reasons.join(", "))
}

/// The columns that may be named in the place of a whole row.
fn name_the_others(context: &RuleContext<'_>, closed: &[&Closed]) -> String {
    let mut tables: Vec<&TableId> = closed.iter().map(|it| &it.column.table).collect();
    tables.dedup();
    let open = tables.iter().filter_map(|id| context.catalog.entry(id)).flat_map(|entry| {
        let columns = entry.table.columns.iter().filter(|column| *entry.exposure(&column.name) == Exposure::Open);
        columns.map(|column| column.name.clone())
    });
    let open: Vec<String> = open.collect();
    match open.is_empty() {
        true => "Leave the table out".to_owned(),
        false => format!("Name the columns that are needed, of {}", listed(&open)),
    }
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
