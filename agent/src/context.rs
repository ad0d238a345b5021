//! The part of the catalog that a question is drafted from: each intent linked, the results merged and cut.
//!
//! Invariant: what is shown to a model is in here and nowhere else, so that provenance can be read off it.

use std::collections::HashMap;

use catalog::{Catalog, TableId};
use link::{JoinPath, LinkOptions, Linked, Linker, NamedTerm, Strategy, ValueHit, join_paths};

use crate::options::Ablations;
use crate::outcome::ContextUsed;
use crate::prompt::schema::{Detail, create_tables};

/// Tables shown to a model at most where the context is focused, bridges between them not counted.
const MOST_TABLES: usize = 8;
/// A value counts as named by the question from this strength on.
pub(crate) const VALUE_STRENGTH: f32 = 0.5;

/// A linked question, merged over its intents.
#[derive(Clone, Debug)]
pub(crate) struct Composed {
    /// The link of the whole question; its tables reordered by the merge.
    pub(crate) linked: Linked,
    /// Tables to show, best first.
    pub(crate) tables: Vec<TableId>,
    /// Columns that the question points at.
    pub(crate) wanted: Vec<(TableId, String)>,
    /// Values in the tables shown that the question names.
    pub(crate) values: Vec<ValueHit>,
    /// Joins between the tables shown.
    pub(crate) joins: Vec<JoinPath>,
    /// What the outcome says about it.
    pub(crate) used: ContextUsed,
}

impl Composed {
    /// The stored values and joins, a line each, as a model is told them.
    pub(crate) fn hints(&self, catalog: &Catalog) -> Vec<String> {
        let mut hints = Vec::new();
        for value in &self.values {
            let dialect = catalog.dialect(&value.table.source);
            hints.push(format!(
                "{}.{} = {}",
                value.table.written(dialect),
                dialect.identifier(&value.column),
                dialect.literal(&value.stored)
            ));
        }
        for step in self.joins.iter().flat_map(|path| &path.steps) {
            let hint = format!("join: {}", step.condition(catalog.dialect(&step.left.source)));
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        hints
    }

    /// What the question's business terms mean here, a line each, as a model is told it.
    pub(crate) fn terms(&self) -> Vec<String> {
        self.linked.terms.iter().map(NamedTerm::in_words).collect()
    }

    /// The probability that the question needs the table; 0 for one that wasn't ranked.
    pub(crate) fn score(&self, id: &TableId) -> f32 {
        self.linked.tables.iter().find(|table| &table.id == id).map_or(0.0, |table| table.score)
    }

    /// How surely the tables of a statement were the ones to use: the mean of their scores; 0.5 where it reads none.
    pub(crate) fn support(&self, tables: &[&TableId]) -> f32 {
        let scores: Vec<f32> = tables.iter().map(|id| self.score(id)).collect();
        if scores.is_empty() { 0.5 } else { scores.iter().sum::<f32>() / scores.len() as f32 }
    }
}

/// Links every intent and merges. The first intent is the question itself.
pub(crate) fn compose(
    catalog: &Catalog,
    linker: &Linker<'_>,
    source: &str,
    intents: &[String],
    settings: &Settings,
) -> (Composed, Vec<Linked>) {
    let whole_is_relevant = settings.text == SchemaText::Commented;
    let options = LinkOptions { source: Some(source.to_owned()), whole_is_relevant, ..settings.link.clone() };
    let results: Vec<Linked> = intents.iter().map(|intent| linker.link(intent, &options)).collect();
    let composed = merge(catalog, source, &results, settings);
    (composed, results)
}

/// What composing is allowed.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) tables_per_intent: usize,
    pub(crate) link: LinkOptions,
    pub(crate) text: SchemaText,
    pub(crate) ablations: Ablations,
}

/// How the tables are written for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaText {
    /// As `CREATE TABLE` statements and nothing else: what small models were trained on.
    Statements,
    /// With descriptions, values and joins.
    Commented,
}

fn merge(catalog: &Catalog, source: &str, results: &[Linked], settings: &Settings) -> Composed {
    let mut linked = results.first().cloned().unwrap_or_else(|| empty_link("the question was not linked"));
    for other in results.iter().skip(1) {
        for table in &other.tables {
            if let Some(present) = linked.tables.iter_mut().find(|present| present.id == table.id) {
                if table.score > present.score {
                    present.score = table.score;
                    present.reasons.clone_from(&table.reasons);
                }
                present.standing = present.standing.min(table.standing);
                for column in &table.columns {
                    if !present.columns.iter().any(|known| known.name == column.name) {
                        present.columns.push(column.clone());
                    }
                }
            }
        }
        for value in &other.values {
            if !linked.values.contains(value) {
                linked.values.push(value.clone());
            }
        }
        linked
            .unmatched_terms
            .retain(|term| other.unmatched_terms.contains(term) || !results[0].unmatched_terms.contains(term));
    }
    // Stable: the order of the whole question decides between equals.
    linked.tables.sort_by(|left, right| left.standing.cmp(&right.standing).then(right.score.total_cmp(&left.score)));

    let tables = tables_shown(catalog, source, &linked, results, settings);
    let joins = join_paths(catalog, &tables);
    let wanted = wanted_columns(&linked, &tables);
    let values: Vec<ValueHit> = if settings.ablations.without_values {
        Vec::new()
    } else {
        linked
            .values
            .iter()
            .filter(|value| value.strength >= VALUE_STRENGTH && tables.contains(&value.table))
            .cloned()
            .collect()
    };
    let text = match settings.text {
        SchemaText::Statements => {
            let terms: String = linked.terms.iter().map(|term| format!("-- {}\n", term.in_words())).collect();
            terms + &create_tables(catalog, &tables, &wanted, catalog.dialect(source), Detail::Plain)
        }
        SchemaText::Commented => link::context(catalog, &linked, settings.link.token_budget).text,
    };
    let irrelevant: Vec<TableId> =
        linked.tables.iter().map(|table| &table.id).filter(|id| !tables.contains(id)).cloned().collect();
    let used = ContextUsed {
        strategy: strategy_text(&linked.strategy),
        tables: tables.clone(),
        irrelevant,
        tokens: llm::estimate_tokens(&text),
        text,
        values: values
            .iter()
            .map(|value| {
                let stored = catalog.dialect(&value.table.source).literal(&value.stored);
                format!("{}.{} = {stored}", value.table.local(), value.column)
            })
            .collect(),
        unmatched: linked.unmatched_terms.clone(),
        terms: linked.terms.iter().map(NamedTerm::in_words).collect(),
    };
    Composed { linked, tables, wanted, values, joins, used }
}

/// The best tables of every intent, with the tables that lie between them.
fn tables_shown(
    catalog: &Catalog,
    source: &str,
    linked: &Linked,
    results: &[Linked],
    settings: &Settings,
) -> Vec<TableId> {
    if settings.ablations.without_directives {
        return catalog.tables_of(source).map(|entry| entry.table.id.clone()).collect();
    }
    let mut wanted: HashMap<&TableId, usize> = HashMap::new();
    for result in results {
        for (rank, table) in result.relevant().take(settings.tables_per_intent).enumerate() {
            let best = wanted.entry(&table.id).or_insert(rank);
            *best = rank.min(*best);
        }
    }
    let mut tables: Vec<TableId> = linked
        .tables
        .iter()
        .map(|table| &table.id)
        .filter(|id| wanted.contains_key(id))
        .take(MOST_TABLES)
        .cloned()
        .collect();
    for path in join_paths(catalog, &tables) {
        for id in path.tables() {
            if !tables.contains(id) {
                tables.push(id.clone());
            }
        }
    }
    tables
}

fn wanted_columns(linked: &Linked, tables: &[TableId]) -> Vec<(TableId, String)> {
    let ranked = linked.tables.iter().filter(|table| tables.contains(&table.id)).flat_map(|table| {
        let matched = table.columns.iter().filter(|column| !column.matched.is_empty() || column.score >= 0.5);
        matched.map(|column| (table.id.clone(), column.name.clone()))
    });
    let valued = linked.values.iter().map(|value| (value.table.clone(), value.column.clone()));
    valued.chain(ranked).collect()
}

fn strategy_text(strategy: &Strategy) -> String {
    match strategy {
        Strategy::Full { reason } => format!("full: {reason}"),
        Strategy::Focused { .. } => strategy.name().to_owned(),
    }
}

fn empty_link(reason: &str) -> Linked {
    Linked {
        strategy: Strategy::Full { reason: reason.to_owned() },
        tables: Vec::new(),
        values: Vec::new(),
        joins: Vec::new(),
        terms: Vec::new(),
        examples: Vec::new(),
        chunks: Vec::new(),
        tokens: 0,
        unmatched_terms: Vec::new(),
        fit: link::Fit::default(),
        language: None,
    }
}
