//! What may not be read: tables and columns that the policy denies, and columns that profiling has masked.
//!
//! By lineage, so that `*`, aliases, subqueries and expressions don't get around it. A denied column may not be named
//! anywhere; a masked one may be compared and counted, but no part of a result may be made from it.

use std::collections::HashMap;

use catalog::{Catalog, TableId};
use sql::{Argument, ColumnRef, Span, StatementKind, ViewReading};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::policy::SensitiveColumns;

pub(super) const RULE: Rule =
    Rule { name: "masked_column", severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    denied_tables(context, findings);
    denied_columns(context, findings);
    if context.policy.sensitive_columns == SensitiveColumns::Refuse {
        masked_outputs(context, findings);
    }
}

fn denied_tables(context: &RuleContext<'_>, findings: &mut Findings) {
    let config = context.policy;
    if config.deny_tables.is_empty() && config.allow_tables.is_empty() {
        return;
    }
    let denies = |name: &str| config.deny_tables.iter().any(|pattern| matches(pattern, name));
    for name in described(context).iter().filter(|name| denies(name)) {
        findings.add("denied_table", None, |finding| {
            finding.message = format!("`{name}` may not be looked at");
            finding.why = "The policy denies the table.".to_owned();
            finding.help = "Answer without it.".to_owned();
        });
    }
    let mut views = Views::of(context.catalog);
    for used in &context.reading.tables {
        let Some(id) = &used.table else { continue };
        let names = |pattern: &String| matches(pattern, &id.local()) || matches(pattern, &id.name);
        if !config.allow_tables.is_empty() && !config.allow_tables.iter().any(names) {
            findings.add("table_not_allowed", used.span, |finding| {
                finding.message = format!("`{}` may not be read", id.local());
                finding.why = "The policy allows other tables only.".to_owned();
                finding.help = "Answer with the tables that are allowed.".to_owned();
                finding.suggestions = allowed_tables(context);
            });
        }
        let behind = views.tables_behind(id);
        let denied = std::iter::once(id).chain(&behind).find(|table| {
            config.deny_tables.iter().any(|pattern| matches(pattern, &table.local()) || matches(pattern, &table.name))
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
    let is_allowed =
        |id: &TableId| allowed.iter().any(|pattern| matches(pattern, &id.local()) || matches(pattern, &id.name));
    let ids = context.catalog.tables_of(context.source).map(|entry| &entry.table.id);
    ids.filter(|id| is_allowed(id)).map(TableId::local).take(5).collect()
}

/// The definitions of views, each read once.
struct Views<'c> {
    catalog: &'c Catalog,
    read: HashMap<TableId, Option<ViewReading>>,
}

impl<'c> Views<'c> {
    fn of(catalog: &'c Catalog) -> Self {
        Self { catalog, read: HashMap::new() }
    }

    fn reading(&mut self, id: &TableId) -> Option<&ViewReading> {
        let catalog = self.catalog;
        let read = || catalog.entry(id).and_then(|entry| sql::read_view(&entry.table, catalog));
        self.read.entry(id.clone()).or_insert_with(read).as_ref()
    }

    /// The tables and views that a view reads, through views of views.
    fn tables_behind(&mut self, id: &TableId) -> Vec<TableId> {
        let mut behind: Vec<TableId> = Vec::new();
        let mut next = vec![id.clone()];
        while let Some(id) = next.pop() {
            for table in self.reading(&id).into_iter().flat_map(|reading| reading.tables.clone()) {
                if !behind.contains(&table) {
                    behind.push(table.clone());
                    next.push(table);
                }
            }
        }
        behind
    }

    /// The columns that a column of a view is made from, through views of views. Where the definition doesn't tell,
    /// those are all that it names.
    fn origins(&mut self, column: &ColumnRef) -> Vec<ColumnRef> {
        let mut origins: Vec<ColumnRef> = Vec::new();
        let mut next = vec![column.clone()];
        while let Some(column) = next.pop() {
            let columns = self.catalog.entry(&column.table).map(|entry| &entry.table.columns);
            let place = columns.and_then(|columns| columns.iter().position(|it| it.name == column.column));
            let Some(reading) = self.reading(&column.table) else { continue };
            let told = place.and_then(|place| reading.origins.get(place)?.as_ref());
            for origin in told.unwrap_or(&reading.columns).clone() {
                if !origins.contains(&origin) {
                    origins.push(origin.clone());
                    next.push(origin);
                }
            }
        }
        origins
    }
}

fn denied_columns(context: &RuleContext<'_>, findings: &mut Findings) {
    let denied = &context.policy.deny_columns;
    if denied.is_empty() {
        return;
    }
    let mut views = Views::of(context.catalog);
    for used in &context.reading.columns {
        let column = &used.column;
        let is_denied = |column: &ColumnRef| {
            let names = [&column.table.local(), &column.table.name].map(|table| format!("{table}.{}", column.column));
            denied.iter().any(|pattern| names.iter().any(|name| matches(pattern, name)))
        };
        if is_denied(column) {
            add(context, findings, "denied_column", column, used.span, "The policy denies the column.");
            continue;
        }
        if let Some(origin) = views.origins(column).iter().find(|origin| is_denied(origin)) {
            let why = format!("It is made from `{}.{}`, which the policy denies.", origin.table.local(), origin.column);
            add(context, findings, "denied_column", column, used.span, &why);
        }
    }
}

fn masked_outputs(context: &RuleContext<'_>, findings: &mut Findings) {
    // A plan can show values of what it only compares: some engines read them to make it.
    let explained = context.reading.columns.iter().filter(|_| context.reading.kind == StatementKind::Explain);
    let sources = context.reading.outputs.iter().flat_map(|output| &output.sources);
    // Rows that are made up can be counted.
    let sizes = &context.reading.sizes;
    for source in sources.chain(sizes).chain(explained.map(|used| &used.column)) {
        if let Some(reason) = masked(context.catalog, source) {
            let used = context.reading.columns.iter().find(|used| used.column == *source);
            let why = format!("It is sensitive: {reason}.");
            add(context, findings, "masked_column", source, used.and_then(|used| used.span), &why);
        }
    }
}

/// Why profiling took a column for sensitive, if it did.
pub(crate) fn masked<'c>(catalog: &'c Catalog, column: &ColumnRef) -> Option<&'c str> {
    catalog.entry(&column.table)?.profile.as_ref()?.column(&column.column)?.masked.as_deref()
}

fn add(
    context: &RuleContext<'_>,
    findings: &mut Findings,
    code: &'static str,
    column: &ColumnRef,
    span: Option<Span>,
    why: &str,
) {
    let is_named = span.and_then(|span| context.sql.get(span.start..span.end)).is_some_and(|text| !text.ends_with('*'));
    findings.add(code, span, |finding| {
        finding.message = match code {
            "masked_column" => format!("`{}.{}` may not be part of a result", column.table.local(), column.column),
            _ => format!("`{}.{}` may not be read", column.table.local(), column.column),
        };
        finding.why = why.to_owned();
        finding.help = match (is_named, code) {
            (false, _) => "Name the other columns instead of `*`, and leave this one out.".to_owned(),
            (true, "masked_column") => "Leave it out of the result; it may be counted and compared.".to_owned(),
            (true, _) => "Leave it out.".to_owned(),
        };
    });
}

/// A pattern with `*` for any run of characters, without regard to case.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(position) => rest = &rest[position + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_run_of_characters() {
        for (pattern, name, expected) in [
            ("users.email", "Users.Email", true),
            ("users.email", "users.email2", false),
            ("*.ssn", "people.ssn", true),
            ("hr.*", "hr.salaries", true),
            ("*pass*", "users.password_hash", true),
            ("a*a", "a", false),
            ("*", "anything", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
