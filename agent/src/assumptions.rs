//! What an answer takes for granted, and where it could have been meant otherwise.
//!
//! Both are read off the statement and the catalog. A question back is only made where the data itself is ambiguous: a
//! column of the same name, with other values, in another table that fits the question as well.

use catalog::{Catalog, KeyOrigin, KnownValues, TableId, UsedColumn};
use guard::Verdict;
use link::{EvidenceKind, NamedTerm};

use crate::candidate::{Candidate, Run};
use crate::context::Composed;
use crate::question::content_words;

/// Tables whose scores differ by less fit a question equally well.
const CLOSE_SCORES: f32 = 0.1;
/// Joins over inferred keys below this confidence are worth a word.
const SURE_KEY: f64 = 0.95;

/// What a candidate takes for granted, in sentences.
pub(crate) fn assumptions(catalog: &Catalog, candidate: &Candidate, composed: &Composed) -> Vec<String> {
    let mut sentences: Vec<String> = candidate.repaired.iter().map(|reason| format!("Repaired: {reason}")).collect();
    let used = candidate.verdict.reading.table_ids();
    for value in &composed.values {
        let is_used = candidate.verdict.reading.literals.iter().any(|literal| literal.value.text == value.stored);
        if is_used && !value.asked.eq_ignore_ascii_case(&value.stored) && used.contains(&&value.table) {
            sentences.push(format!(
                "`{}` is read as the stored value `{}` of {}.{}.",
                value.asked, value.stored, value.table.name, value.column
            ));
        }
    }
    let applied = composed.linked.terms.iter().filter(|term| departs_from(term, &candidate.verdict).is_none());
    sentences.extend(applied.map(|term| format!("`{}` as {} defined it: {}.", term.asked, term.said_by, term.meaning)));
    sentences.extend(inferred_joins(catalog, &candidate.verdict));
    for table in composed.linked.tables.iter().filter(|table| used.contains(&&table.id)) {
        for evidence in table.reasons.iter().filter(|evidence| evidence.kind == EvidenceKind::LookAlike) {
            sentences.push(format!("{} is used, although: {}.", table.id.local(), evidence.text.trim_end_matches('.')));
        }
    }
    match &candidate.run {
        Run::Rows(result) => {
            sentences.extend(result.truncated.as_ref().map(|reason| format!("Not all rows are shown: {reason}.")));
        }
        Run::Omitted(reason) => sentences.push(format!("The statement was verified and not run: {reason}.")),
        Run::Failed(_) | Run::Refused => {}
    }
    sentences.dedup();
    sentences
}

/// What a statement leaves out of a business term that the question names: a column that it is computed from.
pub(crate) fn departs_from(term: &NamedTerm, verdict: &Verdict) -> Option<String> {
    let reading = &verdict.reading;
    let is_read = |column: &UsedColumn| {
        reading.columns.iter().any(|used| used.column.table == column.table && used.column.column == column.column)
    };
    let missed = term.columns.iter().find(|column| !is_read(column));
    missed.map(|column| format!("{}.{}", column.table.local(), column.column))
}

fn inferred_joins(catalog: &Catalog, verdict: &Verdict) -> Vec<String> {
    let mut sentences = Vec::new();
    for join in &verdict.reading.joins {
        for (here, there) in [(&join.left, &join.right), (&join.right, &join.left)] {
            let Some(entry) = catalog.entry(&here.table) else { continue };
            let key = entry.table.foreign_keys.iter().find(|key| {
                key.ref_table == there.table
                    && key.columns.iter().zip(&key.ref_columns).any(|(column, target)| {
                        column.eq_ignore_ascii_case(&here.column) && target.eq_ignore_ascii_case(&there.column)
                    })
            });
            if let Some(KeyOrigin::Inferred(evidence)) = key.map(|key| &key.origin)
                && evidence.confidence < SURE_KEY
            {
                sentences.push(format!(
                    "{}.{} refers to {}.{}: no key declares it; confidence {:.2} from names and values.",
                    here.table.name, here.column, there.table.name, there.column, evidence.confidence
                ));
            }
        }
    }
    sentences
}

/// The question back, where a column that is used has a rival: same name, no value in common, in a table that the
/// linker rates as high, while the question names neither table.
pub(crate) fn ambiguity(catalog: &Catalog, verdict: &Verdict, composed: &Composed, question: &str) -> Option<String> {
    let asked = content_words(question);
    let names_table =
        |id: &TableId| words::in_identifier(&id.name).iter().any(|word| asked.contains(&words::singular(word)));
    let score = |id: &TableId| composed.linked.tables.iter().find(|table| &table.id == id).map(|table| table.score);
    let used = verdict.reading.table_ids();
    for column in &verdict.reading.columns {
        let here = &column.column.table;
        let words = words::in_identifier(&column.column.column);
        let is_asked_for = !words.is_empty() && words.iter().all(|word| asked.contains(&words::singular(word)));
        if !is_asked_for || names_table(here) {
            continue;
        }
        let rival = composed.linked.relevant().find(|table| {
            !used.contains(&&table.id)
                && !names_table(&table.id)
                && score(here).is_some_and(|score| (score - table.score).abs() < CLOSE_SCORES)
                && disjoint(catalog, here, &table.id, &column.column.column)
        });
        if let Some(rival) = rival {
            return Some(format!(
                "Which `{name}` is meant: that of {here}, such as {}, or that of {there}, such as {}? This answer uses the \
                 first.",
                some_value(catalog, here, &column.column.column),
                some_value(catalog, &rival.id, &column.column.column),
                name = column.column.column,
                here = here.local(),
                there = rival.id.local(),
            ));
        }
    }
    None
}

/// All values of a column, where they are few and known.
pub(crate) fn values<'c>(catalog: &'c Catalog, table: &TableId, column: &str) -> Option<&'c [String]> {
    let profile = catalog.entry(table)?.profile()?.column(column)?;
    match &profile.values {
        KnownValues::All(values) if !values.is_empty() => Some(values),
        _ => None,
    }
}

fn disjoint(catalog: &Catalog, left: &TableId, right: &TableId, column: &str) -> bool {
    match (values(catalog, left, column), values(catalog, right, column)) {
        (Some(left), Some(right)) => {
            !left.iter().any(|value| right.iter().any(|other| other.eq_ignore_ascii_case(value)))
        }
        _ => false,
    }
}

fn some_value(catalog: &Catalog, table: &TableId, column: &str) -> String {
    values(catalog, table, column)
        .and_then(|values| values.first())
        .map_or_else(String::new, |value| format!("`{value}`"))
}
