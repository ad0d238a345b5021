//! Business terms that somebody has written down elsewhere, or that many use: metrics of dbt projects, which count, and what
//! query logs and approved queries compute under a name, which waits for somebody to approve it.

use std::collections::BTreeMap;

use catalog::{Catalog, Entry, Keeps, MemoryKind, TableId, Term, TermOrigin, TermState, UsualFilter};
use describe::WrittenTerm;
use jiff::Timestamp;
use lineage::{DbtMetric, DbtProject};
use usage::Measure;

use crate::told::Told;

/// Words that say how something was computed and not what it is.
const SAYS_NOTHING: [&str; 32] = [
    "amount",
    "average",
    "avg",
    "cnt",
    "column",
    "count",
    "data",
    "diff",
    "last",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "n",
    "num",
    "number",
    "of",
    "pct",
    "percent",
    "percentage",
    "position",
    "quantity",
    "rank",
    "result",
    "row",
    "share",
    "size",
    "sum",
    "total",
    "val",
    "value",
];

/// All of them for a source.
pub(crate) fn proposals(told: &Told, catalog: &Catalog, source: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = told.projects.all.iter().flat_map(|project| metrics(project, catalog, source)).collect();
    terms.extend(of_usage(catalog, source));
    terms.extend(of_approved_queries(catalog, source));
    terms
}

fn metrics(project: &DbtProject, catalog: &Catalog, source: &str) -> Vec<Term> {
    let tables: Vec<_> = catalog.tables_of(source).map(|entry| entry.table.clone()).collect();
    let nodes = lineage::nodes_by_table(project, &tables);
    let name = project.name.as_deref().unwrap_or("dbt");
    let term = |metric: &DbtMetric| {
        let spoken = metric.name.replace('_', " ");
        let label = Some(metric.label.trim()).filter(|label| !label.is_empty());
        let written = WrittenTerm {
            name: label.unwrap_or(&spoken).to_owned(),
            synonyms: vec![spoken.clone()],
            definition: Some(metric.description.clone()),
            ..WrittenTerm::default()
        };
        let state = || TermState::Approved { by: format!("the dbt project {name}"), at: None };
        let of = |id: &str| nodes.get(id).map(TableId::local);
        let computed = metric.computed.as_ref().and_then(|computed| {
            let table = of(&computed.node)?;
            let (expression, condition) = (Some(computed.expression.clone()), computed.condition.clone());
            let whole = WrittenTerm { table: Some(table), expression, condition, ..written.clone() };
            whole.into_term(source, TermOrigin::Dbt, state(), catalog).ok()
        });
        // What can't be computed here, or may not be shown, is still what it means in words.
        computed.or_else(|| {
            let table = metric.depends_on.iter().find_map(|id| of(id));
            WrittenTerm { table, ..written }.into_term(source, TermOrigin::Dbt, state(), catalog).ok()
        })
    };
    project.metrics.iter().filter_map(term).collect()
}

fn of_usage(catalog: &Catalog, source: &str) -> Vec<Term> {
    let tables = catalog.tables_of(source).filter_map(|entry| catalog.usage_of(entry));
    let mut measures: Vec<_> = tables.flat_map(|usage| usage.measures).collect();
    // Of two tables that know the name, the one is proposed where more compute it.
    measures.sort_by_key(|measure| std::cmp::Reverse(measure.share.statements));
    let proposal = |measure: &catalog::UsualMeasure| {
        let (name, expression, columns) = (measure.name.clone(), measure.expression.clone(), measure.columns.clone());
        let measure_of = Measure { name, expression, columns };
        // Which rows count is usual by itself.
        let table = measure.columns.first().and_then(|column| catalog.entry(&column.table));
        let filters = table.and_then(|entry| catalog.usage_of(entry)).map(|usage| usage.filters).unwrap_or_default();
        let usual = filters.iter().filter(|filter| !filter.completing && filter.keeps != Keeps::Untold);
        let written = |filter: &UsualFilter| condition(filter, table?, catalog);
        // Without one of them it would be computed of other rows than most compute it of.
        let conditions: Vec<String> = usual.map(written).collect::<Option<_>>()?;
        proposed(catalog, source, &measure_of, &conditions, TermOrigin::Usage, measure.share.in_words())
    };
    measures.iter().filter_map(proposal).collect()
}

/// A usual condition on the rows of a table; one on another table, as what has to be there of that. `None` where no key leads there.
fn condition(filter: &UsualFilter, entry: &Entry, catalog: &Catalog) -> Option<String> {
    let Some(other) = &filter.by_way_of else { return Some(filter.condition.clone()) };
    let key = entry.table.foreign_keys.iter().find(|key| key.ref_table == *other)?;
    let ([own], [referred]) = (key.columns.as_slice(), key.ref_columns.as_slice()) else { return None };
    let dialect = catalog.dialect(&other.source);
    let [table, name, own, referred] =
        [&entry.table.id.name, &other.name, own, referred].map(|it| dialect.identifier(it));
    let from = other.written(dialect);
    Some(format!(
        "EXISTS (SELECT 1 FROM {from} AS {name} WHERE {name}.{referred} = {table}.{own} AND {})",
        filter.condition
    ))
}

fn of_approved_queries(catalog: &Catalog, source: &str) -> Vec<Term> {
    let reader = usage::Reader::new(catalog, source);
    let now = Timestamp::now();
    let counts = |memory: &&catalog::Memory| {
        memory.content.source == source
            && memory.content.kind == MemoryKind::Approved
            && !memory.content.reach.private
            && memory.is_active(now)
    };
    let mut terms = Vec::new();
    for memory in catalog.memories().iter().filter(counts) {
        let (measures, conditions) = reader.computed(&memory.content.sql);
        for measure in measures {
            let evidence = format!("approved query {}", memory.id.0);
            let origin = TermOrigin::ApprovedQuery;
            terms.extend(proposed(catalog, source, &measure, &conditions, origin, evidence));
        }
    }
    together(terms)
}

/// One for each name: several queries that compute the same are evidence for it, and queries that compute something else under
/// the name, or of other rows, leave open what it means.
fn together(terms: Vec<Term>) -> Vec<Term> {
    let mut by_name: BTreeMap<String, Vec<Term>> = BTreeMap::new();
    terms.into_iter().for_each(|term| by_name.entry(term.key()).or_default().push(term));
    let one = |mut alike: Vec<Term>| {
        let first = alike.remove(0);
        let agrees = |other: &Term| {
            (&other.table, &other.expression, &other.condition) == (&first.table, &first.expression, &first.condition)
        };
        if !alike.iter().all(agrees) {
            return None;
        }
        let queries: Vec<String> =
            std::iter::once(&first).chain(&alike).filter_map(|term| term.evidence.clone()).collect();
        Some(Term { evidence: Some(queries.join(", ")), ..first })
    };
    by_name.into_values().filter_map(one).collect()
}

/// What is proposed under a name; nothing where the conditions can't be written over the one table that it is computed of,
/// since without them it would mean something else.
fn proposed(
    catalog: &Catalog,
    source: &str,
    measure: &Measure,
    conditions: &[String],
    origin: TermOrigin,
    evidence: String,
) -> Option<Term> {
    let spoken = words::in_identifier(&measure.name);
    let says_something = |word: &String| word.len() > 1 && !SAYS_NOTHING.contains(&words::singular(word).as_str());
    if !spoken.iter().any(says_something) {
        return None;
    }
    let first = &measure.columns.first()?.table;
    let is_of_one = measure.columns.iter().all(|column| column.table == *first);
    let condition = match conditions {
        [] => None,
        [only] => Some(only.clone()),
        several => Some(several.iter().map(|it| format!("({it})")).collect::<Vec<_>>().join(" AND ")),
    };
    if condition.is_some() && !is_of_one {
        return None;
    }
    let written = WrittenTerm {
        name: spoken.join(" "),
        table: is_of_one.then(|| first.local()),
        expression: Some(measure.expression.clone()),
        condition,
        ..WrittenTerm::default()
    };
    let term = match is_of_one {
        true => written.into_term(source, origin, TermState::Proposed, catalog).ok()?,
        // Columns of several tables have been read where they were joined.
        false => Term {
            source: source.to_owned(),
            name: written.name,
            synonyms: Vec::new(),
            definition: None,
            table: None,
            expression: written.expression,
            condition: None,
            columns: measure.columns.clone(),
            origin,
            evidence: None,
            state: TermState::Proposed,
        },
    };
    Some(Term { evidence: Some(evidence), ..term })
}
