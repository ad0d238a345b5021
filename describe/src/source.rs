//! Describing a whole source: only what changed is written again, table by table.
//!
//! Every description is stored as it is finished, so an interrupted run continues where it stopped. Text by rules
//! costs nothing and is always brought up to date; text by a model is kept until what it was written from changes, and text
//! by an agent until it or a person replaces it.

use std::sync::atomic::{AtomicBool, Ordering};

use catalog::{Author, Catalog, Entry, Store, TableDescription, TableId};
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use llm::ChatModel;

use crate::basis::basis;
use crate::by_agent::carried_over;
use crate::error::DescribeError;
use crate::model::{ANSWER_TOKENS, ModelFailure, ask_model, prompt_tokens};
use crate::rules::by_rules;

/// Tables that a model is asked about at a time; one that answers one request after the other takes them so.
const AT_A_TIME: usize = 4;
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
    /// What a model will be asked is known; nothing was sent yet.
    Asking {
        /// The model's name.
        model: String,
        /// Tables that it is asked about.
        tables: usize,
        /// Estimated tokens that it reads, were no answer asked for twice.
        tokens: usize,
        /// Tokens that it may write about a table, at most.
        answer_tokens: u32,
    },
    /// A table is done. With a model they are done in any order.
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
    if let Some(model) = model {
        let prompts = entries.iter().filter(|entry| is_asked_about(entry, &catalog));
        let tokens: Vec<usize> = prompts.map(|entry| prompt_tokens(entry, &catalog)).collect();
        on_progress(Progress::Asking {
            model: model.info().name.clone(),
            tables: tokens.len(),
            tokens: tokens.iter().sum(),
            answer_tokens: ANSWER_TOKENS,
        });
    }
    let mut summary = Summary::default();
    let has_given_up = AtomicBool::new(false);
    let mut failures_in_a_row = 0;
    let (catalog, has_given_up) = (&catalog, &has_given_up);
    let described = entries.into_iter().enumerate().map(|(index, entry)| async move {
        let model = model.filter(|_| !has_given_up.load(Ordering::Relaxed));
        (index, entry, describe_entry(entry, catalog, model).await)
    });
    let mut described = stream::iter(described).buffer_unordered(if model.is_some() { AT_A_TIME } else { 1 });
    while let Some((index, entry, (description, outcome, unreachable))) = described.next().await {
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
            has_given_up.store(true, Ordering::Relaxed);
            on_progress(Progress::ModelGaveUp { reason });
        }
    }
    Ok(summary)
}

/// Whether a model would be asked: what it or an agent wrote fits as long as the table is what it was.
fn is_asked_about(entry: &Entry, catalog: &Catalog) -> bool {
    entry
        .authored()
        .is_none_or(|stored| matches!(stored.author, Author::Model(_)) && stored.basis != basis(entry, catalog))
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
    if let Some(by_agent) = stored.filter(|stored| matches!(stored.author, Author::Agent(_))) {
        let fresh = carried_over(by_agent, rules);
        return match says_the_same(by_agent, &fresh) {
            true => (None, Outcome::Unchanged, false),
            false => (Some(fresh), Outcome::ByRules, false),
        };
    }
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
