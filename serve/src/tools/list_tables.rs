//! `list_tables`: all tables, or the ones that matter for a question and the ones that needn't be looked at.

use catalog::{Entry, Exposure, KeyOrigin, TableId};
use link::{JoinPath, LinkOptions, Linked, RankedTable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Definition;
use crate::budget::{Budget, Cut};
use crate::context::Snapshot;
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::session::Session;
use crate::trace::Event;

/// Characters of a summary in a list.
const SUMMARY_CHARACTERS: usize = 160;
/// The share of the reply that the names of irrelevant tables may take.
const DIRECTIVES_SHARE: f64 = 0.3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The user's question in their words: ranks the tables and puts the irrelevant ones aside
    question: Option<String>,
    /// Only names that contain this
    contains: Option<String>,
    source: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Best first with a question, else by name.
    tables: Vec<Line>,
    /// Tables in the scope.
    total: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    /// Needn't be looked at for this question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    irrelevant: Vec<String>,
    /// Values of the question as they are stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joins: Vec<String>,
    /// Approved queries for similar questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Approved>,
    /// Words of the question that nothing in the catalog explains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmatched: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Line {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<String>,
    /// The columns that fit the question best.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<String>,
    /// Other tables of the same date-sharded family.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Value {
    column: String,
    asked: String,
    stored: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Approved {
    question: String,
    sql: String,
}

pub(super) fn definition() -> Definition {
    Definition::new::<Arguments, Output>(
        "list_tables",
        "Start here. With the question: the tables that matter, ranked with reasons, stored spellings of values, joins, \
         and irrelevant tables that need no look. Without: all tables.",
    )
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let scope = names::scope(&snapshot.catalog, arguments.source.as_deref())?;
    let budget = Budget::new(session.context.options().reply_tokens);
    let question = arguments.question.as_deref().map(str::trim).filter(|question| !question.is_empty());
    let wanted = arguments.contains.as_deref().unwrap_or_default().to_lowercase();
    let keep = |id: &TableId| wanted.is_empty() || id.to_string().to_lowercase().contains(&wanted);
    let output = match question {
        None => all(&snapshot, scope.as_deref(), keep, budget),
        Some(question) => {
            let options = LinkOptions { source: scope, ..session.context.options().link.clone() };
            let linked = snapshot.linker().link(question, &options);
            session.remember(question, &linked);
            let (relevant, irrelevant) = (linked.relevant().count(), linked.irrelevant().count());
            session.trace.record(&Event::Question { question, relevant, irrelevant });
            ranked(&snapshot, &linked, keep, budget)
        }
    };
    Reply::of(&output)
}

fn all(snapshot: &Snapshot, scope: Option<&str>, keep: impl Fn(&TableId) -> bool, mut budget: Budget) -> Output {
    let in_scope = |id: &TableId| scope.is_none_or(|source| id.source == source) && keep(id);
    let mut total = 0;
    let mut full = Vec::new();
    for unit in snapshot.index.units() {
        let members: Vec<&TableId> = unit.members.iter().filter(|id| in_scope(id)).collect();
        total += members.len();
        // The last member is the newest and stands for the others.
        let Some((newest, others)) = members.split_last() else { continue };
        let Some(entry) = snapshot.catalog.entry(newest) else { continue };
        full.push(Line { family: family(snapshot, others), ..line(snapshot, entry) });
    }
    full.sort_by(|left, right| left.name.cmp(&right.name));
    let fits_in_full = crate::budget::cost(&full) <= budget.left();
    let lines = if fits_in_full { full } else { full.into_iter().map(|line| Line { summary: None, ..line }).collect() };
    let (tables, omitted) = budget.take(lines);
    let truncated = Cut::of(omitted, "tables", "pass `question`, `contains` or `source`").into_iter().collect();
    Output { tables, total, sources: sources(snapshot), truncated, ..empty() }
}

fn ranked(snapshot: &Snapshot, linked: &Linked, keep: impl Fn(&TableId) -> bool, mut budget: Budget) -> Output {
    let mut output = empty();
    output.total = linked.tables.iter().map(|table| table.members.len()).sum();
    output.sources = sources(snapshot);
    output.strategy = Some(format!("{}: {}", linked.strategy.name(), linked.strategy.reason()));
    output.unmatched = linked.unmatched_terms.clone();
    budget.spend(&(&output.strategy, &output.unmatched));
    let values = linked.values.iter().map(|hit| Value {
        column: format!("{}.{}", names::shown(&snapshot.catalog, &hit.table), hit.column),
        asked: hit.asked.clone(),
        stored: hit.stored.clone(),
    });
    output.values = budget.take_share(values.collect(), 0.15).0;
    output.joins = budget.take_share(linked.joins.iter().flat_map(|path| steps(snapshot, path)).collect(), 0.15).0;
    let examples =
        linked.examples.iter().map(|example| Approved { question: example.question.clone(), sql: example.sql.clone() });
    output.examples = budget.take_share(examples.collect(), 0.2).0;
    let irrelevant: Vec<String> =
        linked.irrelevant().filter(|table| keep(&table.id)).map(|table| with_family(snapshot, table)).collect();
    let (irrelevant, irrelevant_omitted) = budget.take_share(irrelevant, DIRECTIVES_SHARE);
    output.irrelevant = irrelevant;
    let lines = linked.relevant().filter(|table| keep(&table.id)).filter_map(|table| ranked_line(snapshot, table));
    let (tables, omitted) = budget.take(lines.collect());
    output.tables = tables;
    let aside =
        Cut::of(irrelevant_omitted, "irrelevant tables", "nothing to do: every table not under `tables` is irrelevant");
    output.truncated = Cut::of(omitted, "tables", "pass `contains` or `source`").into_iter().chain(aside).collect();
    output
}

fn line(snapshot: &Snapshot, entry: &Entry) -> Line {
    let kind = entry.table.kind.name();
    Line {
        name: names::shown(&snapshot.catalog, &entry.table.id),
        kind: (kind != "table").then(|| kind.to_owned()),
        rows: entry.table.row_count.map(|count| count.value),
        stale: entry.profile().is_some_and(|profile| profile.stale),
        summary: entry.summary().map(|summary| super::query::shortened(summary, SUMMARY_CHARACTERS)),
        score: None,
        why: Vec::new(),
        against: Vec::new(),
        columns: Vec::new(),
        family: None,
    }
}

fn ranked_line(snapshot: &Snapshot, ranked: &RankedTable) -> Option<Line> {
    let entry = snapshot.catalog.entry(&ranked.id)?;
    let columns = ranked.columns.iter().map(|column| &column.name).filter(|name| entry.table.column(name).is_some());
    let shown = |name: &String| match entry.exposure(name) {
        Exposure::Open => name.clone(),
        Exposure::Masked(_) | Exposure::Unexamined => format!("{name} (masked)"),
    };
    Some(Line {
        score: Some((f64::from(ranked.score) * 100.0).round() / 100.0),
        why: ranked.for_it().take(3).map(str::to_owned).collect(),
        against: ranked.against().take(2).map(str::to_owned).collect(),
        columns: columns.map(shown).take(8).collect(),
        family: family(snapshot, &ranked.others().collect::<Vec<_>>()),
        ..line(snapshot, entry)
    })
}

fn family(snapshot: &Snapshot, others: &[&TableId]) -> Option<String> {
    let shown = |id: &TableId| names::shown(&snapshot.catalog, id);
    Some(match others {
        [] => return None,
        [other] => format!("also {}", shown(other)),
        [first, .., last] => {
            format!("and {} more of the same shape, from {} to {}", others.len(), shown(first), shown(last))
        }
    })
}

fn with_family(snapshot: &Snapshot, ranked: &RankedTable) -> String {
    let name = names::shown(&snapshot.catalog, &ranked.id);
    match ranked.others().count() {
        0 => name,
        others => format!("{name} (+{others} of the same shape)"),
    }
}

fn steps(snapshot: &Snapshot, path: &JoinPath) -> Vec<String> {
    let dialect = |step: &link::JoinStep| snapshot.catalog.dialect(&step.left.source);
    path.steps.iter().map(|step| step.condition(dialect(step))).collect()
}

fn sources(snapshot: &Snapshot) -> Vec<String> {
    let sources = snapshot.catalog.sources();
    if sources.len() < 2 { Vec::new() } else { sources.iter().map(|source| source.name.clone()).collect() }
}

fn empty() -> Output {
    Output {
        tables: Vec::new(),
        total: 0,
        sources: Vec::new(),
        irrelevant: Vec::new(),
        values: Vec::new(),
        joins: Vec::new(),
        examples: Vec::new(),
        unmatched: Vec::new(),
        strategy: None,
        truncated: Vec::new(),
    }
}

/// How sure a key is, where it isn't declared.
pub(super) fn confidence(origin: &KeyOrigin) -> Option<f64> {
    match origin {
        KeyOrigin::Declared => None,
        KeyOrigin::Inferred(evidence) => Some((evidence.confidence * 100.0).round() / 100.0),
    }
}
