//! Every column exists where it is looked for.
//!
//! The finding says where the column really is, because that is the usual mistake: the right name on the wrong table.

use sql::{Fallback, Problem, ProblemKind, Span, Visible};

use super::unknown_table::described;
use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rewrite::replaced;
use crate::rule_name::RuleName;
use catalog::nearest::{certain, likeness, ranked};

pub(super) const RULE: Rule =
    Rule { name: RuleName::UnknownColumn, severity: Severities::always(Severity::Error), fixed: true, run };

/// From this likeness to a column on, a name in double quotes is taken to be a misspelt column and not a string.
const LIKE_A_COLUMN: f64 = 0.7;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for problem in &context.reading.problems {
        if findings.is_full() {
            return;
        }
        match &problem.kind {
            ProblemKind::UnknownColumn { qualifier, name, visible, fallback } => {
                let asked = MissingColumn { qualifier: qualifier.as_deref(), name, visible, span: problem.span };
                if *fallback == Fallback::StringValue && !looks_like_a_column(&asked) {
                    string_in_double_quotes(context, &asked, findings);
                } else {
                    unknown(context, &asked, *fallback, findings);
                }
            }
            ProblemKind::UnknownAlias { qualifier, column, visible } => {
                unknown_alias(context, problem, qualifier, column.as_deref(), visible, findings);
            }
            ProblemKind::QuotedLikeAColumn { name } => column_in_double_quotes(context, name, problem.span, findings),
            _ => {}
        }
    }
}

/// A column that was looked for.
struct MissingColumn<'a> {
    qualifier: Option<&'a str>,
    name: &'a str,
    visible: &'a [Visible],
    span: Option<Span>,
}

fn looks_like_a_column(asked: &MissingColumn<'_>) -> bool {
    let columns = asked.visible.iter().flat_map(|visible| &visible.columns);
    columns.map(|column| likeness(asked.name, column)).fold(0.0, f64::max) >= LIKE_A_COLUMN
}

fn string_in_double_quotes(context: &RuleContext<'_>, asked: &MissingColumn<'_>, findings: &mut Findings) {
    findings.add_at_most(Severity::Warning, "double_quoted_string", asked.span, |finding| {
        finding.message = format!("`\"{}\"` is no column; SQLite takes it for a string", asked.name);
        finding.why =
            "Double quotes are for names. A misspelt name in them becomes a string without a word.".to_owned();
        finding.help = "Write strings in single quotes.".to_owned();
        finding.suggestions = vec![context.dialect.literal(asked.name)];
        finding.rewrite = asked.span.and_then(|span| replaced(context.sql, span, &context.dialect.literal(asked.name)));
    });
}

fn column_in_double_quotes(context: &RuleContext<'_>, name: &str, span: Option<Span>, findings: &mut Findings) {
    let quoted = context.dialect.quoted(name);
    findings.add_at_most(Severity::Warning, "double_quoted_string", span, |finding| {
        finding.message = format!("`\"{name}\"` is a string here, and not the column of that name");
        finding.why = "Double quotes are for strings in MySQL and MariaDB; names stand between backticks.".to_owned();
        finding.help = format!("Write {quoted} for the column, or the string in single quotes.");
        finding.rewrite = span.and_then(|span| replaced(context.sql, span, &quoted));
        finding.suggestions = vec![quoted];
    });
}

/// Columns that are named where none is near the one asked for.
const MOST_LISTED: usize = 15;

/// What can be taken instead, where that is one table's few columns.
fn there_are(visible: &[Visible]) -> String {
    match visible {
        [only] if !only.columns.is_empty() && only.columns.len() <= MOST_LISTED => {
            format!("There are: `{}`.", only.columns.join("`, `"))
        }
        _ => "Take a column that exists: the description of the table lists them.".to_owned(),
    }
}

fn unknown(context: &RuleContext<'_>, asked: &MissingColumn<'_>, fallback: Fallback, findings: &mut Findings) {
    let mut elsewhere = aliases_with(context, asked);
    elsewhere.retain(|name| !is_compared_with(context.sql, asked, name));
    let mut candidates = candidates(asked, &elsewhere);
    candidates.retain(|(name, _)| !is_compared_with(context.sql, asked, name));
    let others = other_tables_with(context, asked);
    findings.add("unknown_column", asked.span, |finding| {
        let places: Vec<String> = asked.visible.iter().map(described).collect();
        finding.message = match (asked.qualifier, places.as_slice()) {
            (Some(_), [place, ..]) => format!("{place} has no column `{}`", asked.name),
            (_, []) => format!("there is no column `{}` here: nothing is selected from", asked.name),
            (_, [place]) => format!("{place} has no column `{}`", asked.name),
            (_, several) => format!("none of {} has a column `{}`", several.join(", "), asked.name),
        };
        finding.why = why(fallback, &elsewhere, &others, asked.name);
        finding.suggestions = candidates.iter().take(3).map(|(name, _)| name.clone()).collect();
        finding.suggestions.extend(others.iter().take(3usize.saturating_sub(finding.suggestions.len())).cloned());
        // As they have to be written, some in quotes.
        let written = |name: &String| match others.contains(name) {
            true => name.clone(),
            false => name.split('.').map(|part| context.dialect.identifier(part)).collect::<Vec<_>>().join("."),
        };
        finding.help = match (finding.suggestions.as_slice(), others.first()) {
            ([], _) => there_are(asked.visible),
            ([first, ..], Some(other)) if first == other => format!("Join the table that has it: `{other}`."),
            ([only], _) => format!("Use `{}`.", written(only)),
            (several, _) => format!("Use one of: {}.", several.iter().map(written).collect::<Vec<_>>().join(", ")),
        };
        // Without a qualifier everything in reach has been searched: what has the column is out of reach.
        let in_reach = |name: &&str| asked.qualifier.is_some() || !name.contains('.');
        finding.rewrite = certain(&candidates).filter(in_reach).and_then(|name| {
            let parts: Vec<String> = name.split('.').map(|part| context.dialect.identifier(part)).collect();
            let span = match parts.len() {
                1 => asked.span?,
                _ => with_qualifier(context.sql, asked.span?, asked.qualifier),
            };
            replaced(context.sql, span, &parts.join("."))
        });
    });
}

fn why(fallback: Fallback, elsewhere: &[String], others: &[String], name: &str) -> String {
    if fallback != Fallback::None && elsewhere.is_empty() && others.is_empty() {
        return "SQLite would silently take the name in double quotes for a string.".to_owned();
    }
    match (elsewhere, others) {
        ([first, ..], _) => format!("The column is in `{}`.", first.rsplit_once('.').map_or(first.as_str(), |it| it.0)),
        ([], [first, ..]) => {
            // As it is spelt there.
            let name = first.rsplit_once('.').map_or(name, |(_, column)| column);
            let tables: Vec<&str> = others.iter().filter_map(|it| it.rsplit_once('.')).map(|it| it.0).collect();
            format!("A column `{name}` is in {}, which the statement doesn't read.", tables.join(", "))
        }
        _ => "The statement would fail, or mean something else.".to_owned(),
    }
}

/// Real columns that may be meant: those of the relation that was named, or of all; and the same name under another
/// alias of the statement, which is the likeliest of all.
fn candidates(asked: &MissingColumn<'_>, elsewhere: &[String]) -> Vec<(String, f64)> {
    let of_relations = asked.visible.iter().flat_map(|visible| visible.columns.iter().map(|it| (it.clone(), 0.0)));
    let under_other_aliases = elsewhere.iter().map(|name| (name.clone(), 0.15));
    ranked(asked.name, of_relations.chain(under_other_aliases), 5)
}

/// `alias.column` for relations of the statement, besides those searched, that have exactly this column.
fn aliases_with(context: &RuleContext<'_>, asked: &MissingColumn<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for used in &context.reading.tables {
        let Some(entry) = used.table.as_ref().and_then(|id| context.catalog.entry(id)) else { continue };
        let called = used.alias.as_ref().or(used.parts.last());
        let searched = |called: &String| asked.visible.iter().any(|visible| visible.name.eq_ignore_ascii_case(called));
        if let (Some(column), Some(called)) = (entry.table.column(asked.name), called)
            && !searched(called)
        {
            let name = format!("{called}.{}", column.name);
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Whether `name` stands on the other side of the equation that the column is in: put in the column's place, it would be
/// compared with itself.
fn is_compared_with(sql: &str, asked: &MissingColumn<'_>, name: &str) -> bool {
    let Some(span) = asked.span.map(|span| with_qualifier(sql, span, asked.qualifier)) else { return false };
    let (Some(before), Some(after)) = (sql.get(..span.start), sql.get(span.end..)) else { return false };
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    let left = before.trim_end().strip_suffix('=').map(str::trim_end);
    let right = after.trim_start().strip_prefix('=').map(str::trim_start);
    let left = left.and_then(|text| text.rsplit(|character| !is_part(character)).next());
    let right = right.and_then(|text| text.split(|character| !is_part(character)).next());
    [left, right].into_iter().flatten().any(|other| other.eq_ignore_ascii_case(name))
}

/// `table.column` for tables that the statement doesn't read and that have exactly this column; those that a key
/// connects with the tables it does read come first.
fn other_tables_with(context: &RuleContext<'_>, asked: &MissingColumn<'_>) -> Vec<String> {
    let read = context.reading.table_ids();
    let mut found: Vec<(bool, String)> = context
        .catalog
        .tables_of(context.source)
        .filter(|entry| !read.contains(&&entry.table.id))
        .filter_map(|entry| {
            let column = entry.table.column(asked.name)?;
            let points_here = entry.table.foreign_keys.iter().any(|key| read.contains(&&key.ref_table));
            let pointed_at = read
                .iter()
                .filter_map(|id| context.catalog.entry(id))
                .any(|other| other.table.foreign_keys.iter().any(|key| key.ref_table == entry.table.id));
            Some((!(points_here || pointed_at), format!("{}.{}", entry.table.id.local(), column.name)))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, name)| name).take(3).collect()
}

/// The span of a column, widened over the qualifier in front of it.
fn with_qualifier(sql: &str, span: Span, qualifier: Option<&str>) -> Span {
    let Some(qualifier) = qualifier else { return span };
    let before = sql.get(..span.start).unwrap_or_default();
    let wanted = |text: &str| text.to_lowercase() == qualifier.to_lowercase();
    let without_dot = before.trim_end().strip_suffix('.').map(str::trim_end);
    let Some(without_dot) = without_dot else { return span };
    let length =
        if without_dot.len() >= qualifier.len() && without_dot.is_char_boundary(without_dot.len() - qualifier.len()) {
            qualifier.len()
        } else {
            return span;
        };
    let start = without_dot.len() - length;
    if wanted(&without_dot[start..]) {
        return Span { start, end: span.end };
    }
    let quoted_start = start.checked_sub(2).filter(|start| without_dot.is_char_boundary(*start));
    match quoted_start {
        Some(quoted_start)
            if without_dot.is_char_boundary(without_dot.len() - 1)
                && without_dot.is_char_boundary(quoted_start + 1)
                && wanted(&without_dot[quoted_start + 1..without_dot.len() - 1]) =>
        {
            Span { start: quoted_start, end: span.end }
        }
        _ => span,
    }
}

fn unknown_alias(
    context: &RuleContext<'_>,
    problem: &Problem,
    qualifier: &str,
    column: Option<&str>,
    visible: &[Visible],
    findings: &mut Findings,
) {
    let has_column = |relation: &Visible| {
        column.is_some_and(|column| relation.columns.iter().any(|it| it.eq_ignore_ascii_case(column)))
    };
    let same_table = |relation: &Visible| {
        relation.table.as_ref().is_some_and(|table| {
            table.name.eq_ignore_ascii_case(qualifier) || table.local().eq_ignore_ascii_case(qualifier)
        })
    };
    let names = visible.iter().filter(|relation| !relation.name.is_empty()).map(|relation| {
        let by_table = if same_table(relation) { 1.0 } else { 0.0 };
        let by_column = if has_column(relation) { 0.3 } else { 0.0 };
        let alone = if visible.len() == 1 && has_column(relation) { 0.5 } else { 0.0 };
        (relation.name.clone(), by_table + by_column + alone)
    });
    let candidates = ranked(qualifier, names, 3);
    findings.add("unknown_alias", problem.span, |finding| {
        let written = column.map_or_else(|| format!("{qualifier}.*"), |column| format!("{qualifier}.{column}"));
        finding.message = format!("`{qualifier}` in `{written}` is no table or alias of the statement");
        finding.why = match visible.iter().find(|relation| same_table(relation)) {
            Some(relation) => format!("The table has the alias `{}` here, and only that counts.", relation.name),
            None => {
                let there: Vec<String> = visible.iter().map(described).collect();
                format!(
                    "What can be seen there: {}.",
                    if there.is_empty() { "nothing".into() } else { there.join(", ") }
                )
            }
        };
        finding.suggestions = candidates.iter().map(|(name, _)| name.clone()).collect();
        finding.help = match finding.suggestions.as_slice() {
            [] => "Add the table to FROM, or use an alias that is there.".to_owned(),
            [first, ..] => format!("Use `{first}`, or add the table to FROM."),
        };
        finding.rewrite = certain(&candidates)
            .and_then(|name| replaced(context.sql, problem.span?, &context.dialect.identifier(name)));
    });
}
