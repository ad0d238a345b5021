//! Business terms that somebody has written down elsewhere, or that many use: metrics of dbt projects, which count, and what
//! query logs and approved queries compute under a name, which waits for somebody to approve it.

use catalog::{Catalog, MemoryKind, TableId, Term, TermOrigin, TermState, UsedColumn};
use describe::WrittenTerm;
use jiff::Timestamp;
use lineage::{DbtMetric, DbtProject};

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
    let terms = measures.iter().filter_map(|measure| {
        let evidence = measure.share.in_words();
        proposed(source, &measure.name, &measure.expression, &measure.columns, TermOrigin::Usage, evidence)
    });
    terms.collect()
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
        for measure in reader.measures(&memory.content.sql) {
            let evidence = format!("approved query {}", memory.id.0);
            let origin = TermOrigin::ApprovedQuery;
            terms.extend(proposed(source, &measure.name, &measure.expression, &measure.columns, origin, evidence));
        }
    }
    terms
}

fn proposed(
    source: &str,
    name: &str,
    expression: &str,
    columns: &[UsedColumn],
    origin: TermOrigin,
    evidence: String,
) -> Option<Term> {
    let spoken = words::in_identifier(name);
    let says_something = |word: &String| word.len() > 1 && !SAYS_NOTHING.contains(&words::singular(word).as_str());
    if !spoken.iter().any(says_something) {
        return None;
    }
    let first = &columns.first()?.table;
    let is_of_one = columns.iter().all(|column| column.table == *first);
    Some(Term {
        source: source.to_owned(),
        name: spoken.join(" "),
        synonyms: Vec::new(),
        definition: None,
        table: is_of_one.then(|| first.clone()),
        expression: Some(expression.to_owned()),
        condition: None,
        columns: columns.to_vec(),
        origin,
        evidence: Some(evidence),
        state: TermState::Proposed,
    })
}
