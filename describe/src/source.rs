//! Describing a whole source: only what changed is written again, table by table.
//!
//! Every description is stored as it is finished, so an interrupted run continues where it stopped. Text by rules
//! costs nothing and is always brought up to date; text by a model is kept until what it was written from changes.

use catalog::{Author, Catalog, Entry, Store, TableDescription, TableId};
use jiff::Timestamp;
use llm::ChatModel;

use crate::error::DescribeError;
use crate::model::{ModelFailure, ask_model};
use crate::rules::by_rules;

/// After so many tables in a row for which the model could not be reached, the rest is left to the rules.
const FAILURES_IN_A_ROW: usize = 3;

/// What happens while a source is described.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// The work is known.
    Started {
        /// Tables of the source.
        tables: usize,
    },
    /// A table is done.
    Table {
        /// Which one.
        id: TableId,
        /// Its number, from 0.
        index: usize,
        /// Tables of the source.
        total: usize,
        /// What was done.
        outcome: Outcome,
    },
    /// The model could not be reached several times in a row; the rules write the rest.
    ModelGaveUp {
        /// The last failure.
        reason: String,
    },
}

/// What was done for one table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The stored text still fits.
    Unchanged,
    /// The rules wrote it.
    ByRules,
    /// The model wrote it.
    ByModel,
    /// The model failed, the rules wrote it, and the reason is kept with the description.
    ModelFailed {
        /// What went wrong.
        reason: String,
    },
}

/// How many tables had which outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The stored text still fits.
    pub unchanged: usize,
    /// The rules wrote it, because no model is configured or it had given up.
    pub by_rules: usize,
    /// The model wrote it.
    pub by_model: usize,
    /// The model failed and the rules wrote it.
    pub failed: usize,
}

/// Describes every table of `source` whose description is missing or out of date, with `model` where there is one.
///
/// # Errors
/// Only where the catalog can't be read or written, or doesn't hold the source. A model that fails is recorded in the
/// description and reported as [`Outcome::ModelFailed`].
pub async fn describe_source(
    store: &Store,
    source: &str,
    model: Option<&dyn ChatModel>,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Summary, DescribeError> {
    let catalog = store.catalog()?;
    if catalog.source(source).is_none() {
        return Err(DescribeError::UnknownSource { name: source.to_owned() });
    }
    let entries: Vec<&Entry> = catalog.tables_of(source).collect();
    let total = entries.len();
    on_progress(Progress::Started { tables: total });
    let mut summary = Summary::default();
    let mut usable_model = model;
    let mut failures_in_a_row = 0;
    for (index, entry) in entries.into_iter().enumerate() {
        let (description, outcome, unreachable) = describe_entry(entry, &catalog, usable_model).await;
        if let Some(description) = description {
            store.put_description(&description)?;
        }
        match &outcome {
            Outcome::Unchanged => summary.unchanged += 1,
            Outcome::ByRules => summary.by_rules += 1,
            Outcome::ByModel => summary.by_model += 1,
            Outcome::ModelFailed { .. } => summary.failed += 1,
        }
        let gave_up = match (&outcome, unreachable) {
            (Outcome::ModelFailed { reason }, true) => {
                failures_in_a_row += 1;
                (failures_in_a_row == FAILURES_IN_A_ROW).then(|| reason.clone())
            }
            (Outcome::ByModel | Outcome::ModelFailed { .. }, _) => {
                failures_in_a_row = 0;
                None
            }
            _ => None,
        };
        on_progress(Progress::Table { id: entry.table.id.clone(), index, total, outcome });
        if let Some(reason) = gave_up {
            usable_model = None;
            on_progress(Progress::ModelGaveUp { reason });
        }
    }
    Ok(summary)
}

/// What to store, what was done, and whether the model could not be reached at all.
async fn describe_entry(
    entry: &Entry,
    catalog: &Catalog,
    model: Option<&dyn ChatModel>,
) -> (Option<TableDescription>, Outcome, bool) {
    let now = Timestamp::now();
    let rules = by_rules(entry, catalog, now);
    let stored = entry.description();
    if stored.is_some_and(|stored| matches!(stored.author, Author::Model(_)) && stored.basis == rules.basis) {
        return (None, Outcome::Unchanged, false);
    }
    if let Some(model) = model {
        return match ask_model(entry, catalog, model, &rules, now).await {
            Ok(description) => (Some(description), Outcome::ByModel, false),
            Err(failure) => {
                let unreachable = matches!(failure, ModelFailure::Provider(_));
                let reason = failure.to_string();
                let outcome = Outcome::ModelFailed { reason: reason.clone() };
                (Some(TableDescription { failure: Some(reason), ..rules }), outcome, unreachable)
            }
        };
    }
    if stored.is_some_and(|stored| says_the_same(stored, &rules)) {
        return (None, Outcome::Unchanged, false);
    }
    (Some(rules), Outcome::ByRules, false)
}

fn says_the_same(stored: &TableDescription, fresh: &TableDescription) -> bool {
    let TableDescription { written_at: _, failure: _, .. } = stored;
    let adjusted = TableDescription { written_at: stored.written_at, failure: stored.failure.clone(), ..fresh.clone() };
    *stored == adjusted
}
