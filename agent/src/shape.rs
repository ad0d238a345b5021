//! The answer in the shape that was asked for, with its provenance, read off the verified statement.
//!
//! Tables, columns and operations are never taken from a model's words: they are what the guard read in the statement
//! that ran, so a shape can't contradict its SQL.

use catalog::TableId;
use guard::Verdict;
use sql::Clause;

use crate::candidate::Candidate;
use crate::context::Composed;
use crate::options::Shape;
use crate::outcome::{AnswerShape, Provenance};

/// What a model said about its statement, where it said something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) analysis: Option<String>,
    pub(crate) description: Option<String>,
}

/// The answer.
pub(crate) fn answer(shape: Shape, candidate: &Candidate, composed: Option<&Composed>, words: Words) -> AnswerShape {
    let sql = candidate.sql.clone();
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let description = said(words.description).unwrap_or_else(|| describe(&candidate.verdict));
    match shape {
        Shape::Query => {
            let analysis = said(words.analysis).unwrap_or_else(|| analyse(&candidate.verdict, composed));
            AnswerShape::Query { analysis, sql, description }
        }
        Shape::Finder => AnswerShape::Finder {
            tables: tables(&candidate.verdict),
            columns: columns(&candidate.verdict),
            operations: operations(&candidate.verdict),
            description,
            sql,
        },
    }
}

/// Which chunk of the context grounded each table and column of a statement.
pub(crate) fn provenance(verdict: &Verdict, composed: Option<&Composed>) -> Vec<Provenance> {
    let chunks = composed.map(|composed| composed.linked.chunks.as_slice()).unwrap_or_default();
    // A column's own piece, else what is said of its table as a whole; never what is said of another column.
    let chunk = |id: &TableId, column: Option<&str>| {
        let of_table = || chunks.iter().filter(|chunk| &chunk.table == id);
        let own = column.and_then(|column| of_table().find(|chunk| chunk.column.as_deref() == Some(column)));
        let found = own.or_else(|| of_table().find(|chunk| chunk.column.is_none()));
        found.map(|chunk| chunk.chunk.clone()).unwrap_or_else(|| match composed {
            Some(composed) if composed.tables.contains(id) => format!("{id}"),
            _ => "catalog".to_owned(),
        })
    };
    let mut provenance = Vec::new();
    for id in verdict.reading.table_ids() {
        provenance.push(Provenance { identifier: id.local(), chunk: chunk(id, None) });
    }
    for used in &verdict.reading.columns {
        let identifier = format!("{}.{}", used.column.table.local(), used.column.column);
        if !provenance.iter().any(|known: &Provenance| known.identifier == identifier) {
            provenance.push(Provenance { identifier, chunk: chunk(&used.column.table, Some(&used.column.column)) });
        }
    }
    provenance
}

fn tables(verdict: &Verdict) -> Vec<String> {
    verdict.reading.table_ids().into_iter().map(TableId::local).collect()
}

fn columns(verdict: &Verdict) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for used in &verdict.reading.columns {
        let name = format!("{}.{}", used.column.table.local(), used.column.column);
        if !columns.contains(&name) {
            columns.push(name);
        }
    }
    columns
}

fn operations(verdict: &Verdict) -> Vec<String> {
    let reading = &verdict.reading;
    let stands_in = |clauses: &[Clause]| reading.columns.iter().any(|column| clauses.contains(&column.clause));
    let happens = [
        (!reading.joins.is_empty(), "join"),
        (stands_in(&[Clause::Where, Clause::Having]), "filter"),
        (stands_in(&[Clause::GroupBy]), "group"),
        (reading.is_aggregate, "aggregate"),
        (reading.has_order_by, "sort"),
        (reading.has_limit, "limit"),
    ];
    let named: Vec<String> =
        happens.iter().filter(|(happens, _)| *happens).map(|(_, name)| (*name).to_owned()).collect();
    if named.is_empty() { vec!["list".to_owned()] } else { named }
}

/// One sentence on what comes back.
fn describe(verdict: &Verdict) -> String {
    let reading = &verdict.reading;
    let outputs: Vec<String> = reading
        .outputs
        .iter()
        .map(|output| {
            let sources: Vec<String> =
                output.sources.iter().map(|source| format!("{}.{}", source.table.name, source.column)).collect();
            match (&output.name, sources.as_slice()) {
                (Some(name), [source]) if source.ends_with(&format!(".{name}")) => source.clone(),
                (Some(name), []) => name.clone(),
                (Some(name), sources) => format!("{name} (from {})", sources.join(", ")),
                (None, []) => "a computed value".to_owned(),
                (None, sources) => format!("a value computed from {}", sources.join(", ")),
            }
        })
        .collect();
    let what = if outputs.is_empty() { "rows".to_owned() } else { outputs.join(", ") };
    let from = tables(verdict).join(", ");
    let filters: Vec<String> = reading
        .literals
        .iter()
        .map(|literal| {
            format!("{}.{} against `{}`", literal.column.table.name, literal.column.column, literal.value.text)
        })
        .collect();
    let mut sentence = format!("Returns {what}");
    if !from.is_empty() {
        sentence.push_str(&format!(" out of {from}"));
    }
    if !filters.is_empty() {
        sentence.push_str(&format!(", compared {}", filters.join(" and ")));
    }
    if reading.has_order_by {
        sentence.push_str(", sorted");
    }
    if let Some(limit) = reading.limit {
        sentence.push_str(&format!(", at most {limit} rows"));
    }
    sentence.push('.');
    sentence
}

/// How the question was understood: the tables taken and left, the values found, the joins.
fn analyse(verdict: &Verdict, composed: Option<&Composed>) -> String {
    let used = verdict.reading.table_ids();
    let mut sentences = Vec::new();
    let names: Vec<String> = used.iter().map(|id| id.local()).collect();
    match composed {
        Some(composed) => {
            let all = composed.linked.tables.len();
            sentences.push(format!("Uses {} of {all} tables: {}.", names.len(), names.join(", ")));
            for value in composed.values.iter().filter(|value| used.contains(&&value.table)) {
                sentences.push(format!(
                    "`{}` is stored as `{}` in {}.{}.",
                    value.asked, value.stored, value.table.name, value.column
                ));
            }
        }
        None => sentences.push(format!("Uses {}.", names.join(", "))),
    }
    for join in &verdict.reading.joins {
        sentences.push(format!(
            "Joins {}.{} with {}.{}.",
            join.left.table.name, join.left.column, join.right.table.name, join.right.column
        ));
    }
    sentences.dedup();
    sentences.join(" ")
}
