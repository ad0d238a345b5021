//! Values that only the database can tell: literals equated with a column of which the profile knows some values.
//!
//! `name = 'Sleeping Bag'` may be right though a list of known values lacks it. Where the look-up is cheap (an index leads
//! to the value, or the table is small) the engine is asked, and what it doesn't hold is a finding with the values that
//! are nearest.

use catalog::{Catalog, KnownValues, Source};
use connect::{StatementSession, TextLookUp};
use sql::{Clause, Comparison, Folding, LiteralKind, LiteralUse};

use crate::finding::{Finding, Severity, Verdict};
use crate::forms;
use crate::masks::{Masks, Shown};
use crate::policy::Policy;
use crate::rules;
use crate::values::meant;

/// The most look-ups for one statement.
const MOST_LOOK_UPS: usize = 6;
/// Rows of a small table from which a value that may be meant is taken.
const MOST_VALUES: usize = 5_000;
/// Without an index, tables of up to so many rows are looked through.
const SMALL_TABLE: u64 = 100_000;

/// The verdict with findings for values that the database doesn't hold. What can't be asked is left as it is.
pub(crate) async fn with_absent_values(
    verdict: Verdict,
    catalog: &Catalog,
    source: &Source,
    session: &mut dyn StatementSession,
    policy: &Policy,
) -> Verdict {
    let Some(severity) = policy.config_of(&source.name).severity(rules::literal_value()) else { return verdict };
    let open = verdict.reading.literals.iter().filter(|literal| is_open(literal, catalog, &verdict.findings));
    let looked_up = open.take(MOST_LOOK_UPS).filter_map(|literal| Some((literal, look_up(literal, catalog)?)));
    let (literals, wanted): (Vec<&LiteralUse>, Vec<TextLookUp>) = looked_up.unzip();
    if wanted.is_empty() {
        return verdict;
    }
    let Ok(found) = session.look_up(&wanted).await else { return verdict };
    let absent = literals.iter().zip(&found).filter(|(_, found)| found.occurs == Some(false));
    let severity = severity.min(Severity::Warning);
    let absent: Vec<Finding> =
        absent.map(|(literal, found)| finding(literal, catalog, severity, &found.others)).collect();
    if absent.is_empty() {
        return verdict;
    }
    let findings = verdict.findings.into_iter().chain(absent).collect();
    Verdict::of(findings, verdict.reading)
}

/// What is to be looked for, where that is cheap.
fn look_up(literal: &LiteralUse, catalog: &Catalog) -> Option<TextLookUp> {
    let table = &catalog.entry(&literal.column.table)?.table;
    let small = table.row_count.is_some_and(|rows| rows.value <= SMALL_TABLE);
    let leads = |columns: &Vec<String>| columns.first() == Some(&literal.column.column);
    let indexed = leads(&table.primary_key) || table.indexes.iter().any(|index| leads(&index.columns));
    (small || indexed).then(|| TextLookUp {
        table: table.id.clone(),
        column: literal.column.column.clone(),
        text: literal.value.text.clone(),
        others_from: if small { MOST_VALUES } else { 0 },
    })
}

/// Whether a literal picks rows by a text of which the profile can't tell whether it occurs.
fn is_open(literal: &LiteralUse, catalog: &Catalog, findings: &[Finding]) -> bool {
    let picks = literal.operator == Comparison::Equal
        && literal.value.kind == LiteralKind::Text
        // `closed_on = ''` asks whether there is anything.
        && !literal.value.text.is_empty()
        && literal.folding == Folding::None
        && matches!(literal.clause, Clause::Where | Clause::On);
    let profile = || {
        let profile = catalog.entry(&literal.column.table)?.profile()?.column(&literal.column.column)?;
        Some((profile, catalog.entry(&literal.column.table)?.table.column(&literal.column.column)?))
    };
    picks
        && Masks::of(catalog).shown(&literal.column) == Shown::Yes
        && profile().is_some_and(|(profile, column)| {
            let known = match &profile.values {
                KnownValues::Some(values) => values.contains(&literal.value.text),
                KnownValues::All(_) => true,
                KnownValues::Unknown => false,
            };
            let common = profile.most_common.iter().any(|common| common.value == literal.value.text);
            profile.masked.is_none() && !known && !common && column.type_class == catalog::TypeClass::Text
        })
        && !findings.iter().any(|finding| finding.span.is_some() && finding.span == literal.span)
}

fn finding(literal: &LiteralUse, catalog: &Catalog, severity: Severity, held: &[String]) -> Finding {
    let text = &literal.value.text;
    let dialect = catalog.dialect(&literal.column.table.source);
    let profile = catalog.entry(&literal.column.table).and_then(|entry| entry.profile());
    let profile = profile.and_then(|profile| profile.column(&literal.column.column));
    let profile = profile.filter(|profile| profile.masked.is_none());
    let mut known: Vec<String> = match profile.map(|profile| &profile.values) {
        Some(KnownValues::Some(values) | KnownValues::All(values)) => values.clone(),
        _ => Vec::new(),
    };
    known.extend_from_slice(held);
    known.extend(profile.into_iter().flat_map(|profile| profile.most_common.iter().map(|common| common.value.clone())));
    let form = profile.and_then(|profile| profile.pattern.as_ref()).map(|pattern| &pattern.form);
    let in_form = form.map(|form| forms::in_form(form, text, &[], &known)).unwrap_or_default();
    let mut suggestions: Vec<String> = in_form.into_iter().filter(|made| made != text).collect();
    suggestions.extend(meant(text, &known).into_iter().map(|(_, value)| value.to_owned()));
    suggestions.dedup();
    suggestions.truncate(3);
    Finding {
        rule: rules::literal_value().name,
        code: "value_absent",
        severity,
        span: literal.span,
        message: format!("`{}.{}` holds no `{text}`", literal.column.table.local(), literal.column.column),
        why: "The database was asked, and has no row with it.".to_owned(),
        help: match suggestions.as_slice() {
            [] => "Look the value up first: SELECT DISTINCT, or LIKE with a part of it.".to_owned(),
            [first, ..] => format!("Perhaps {} is meant.", dialect.literal(first)),
        },
        suggestions,
        rewrite: None,
    }
}
