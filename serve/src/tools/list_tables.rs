//! `list_tables`: all tables, or what a question needs: the tables that matter, as a statement can be written from.
//!
//! The answer to a question is text: the schema as models know it, with what names and types don't say, approved queries,
//! and a line on what was left out. A program asks for JSON.

use std::fmt::Write as _;
use std::sync::Arc;

use catalog::{Entry, Exposure, KeyOrigin, TableId};
use index::estimate_tokens;
use link::{Area, Evidence, EvidenceKind, Example, JoinPath, LinkOptions, Linked, RankedTable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shown::Text;

use super::{Definition, Format};
use crate::budget::{Budget, Cut};
use crate::context::Snapshot;
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;
use crate::trace::{Event, begun};
use crate::work::work_out;

/// Characters of a summary in a list.
const SUMMARY_CHARACTERS: usize = 160;
/// The share of an answer that approved queries may take.
const QUERIES_SHARE: f64 = 0.3;
/// Names and words that a line lists.
const MOST_NAMED: usize = 12;
/// The share of the reply that the names of irrelevant tables may take.
const DIRECTIVES_SHARE: f64 = 0.3;
/// Tokens of the map of areas.
const MAP_TOKENS: usize = 150;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The user's question in their words: ranks the tables and puts the irrelevant ones aside
    question: Option<String>,
    /// Only names that contain this
    contains: Option<String>,
    /// Only the area that this table is in, as the map names areas
    area: Option<String>,
    source: Option<String>,
    format: Option<Format>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Best first with a question, else by name.
    tables: Vec<Line>,
    /// Tables in the scope.
    total: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    /// The areas of a schema that isn't shown whole: what each turns on, how many tables it has, and some of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    areas: Option<String>,
    /// Whether the question seems to be about something that no table holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    elsewhere: bool,
    /// Perhaps needed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unlikely: Vec<String>,
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
    /// Business terms of the question, and what they mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
    /// Words of the question that nothing in the catalog explains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmatched: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

/// Why a table is needed, or isn't.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Reason {
    /// What it rests on: `name`, `column`, `value`, `look_alike` …
    #[schemars(with = "String")]
    kind: EvidenceKind,
    says: String,
}

impl Reason {
    fn of(evidence: &Evidence) -> Self {
        Self { kind: evidence.kind, says: evidence.text.clone() }
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Line {
    source: String,
    name: String,
    /// As a statement writes it, where that isn't its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
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
    why: Vec<Reason>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<Reason>,
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
    source: String,
    question: String,
    sql: String,
}

pub(super) fn document_schema() -> serde_json::Map<String, serde_json::Value> {
    schema::document::<Output>()
}

pub(super) fn definition() -> Definition {
    Definition::read::<Arguments>(
        "list_tables",
        "Start here, with the user's question: the schema it needs, with joins, stored spellings of values and what \
         columns hold. Mostly enough to write the statement. Without a question: all tables.",
    )
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let scope = names::scope(&snapshot.catalog, arguments.source.as_deref())?;
    let mut budget = Budget::new(session.reply_tokens());
    let question = arguments.question.as_deref().map(str::trim).filter(|question| !question.is_empty());
    // Whoever searches for a name needn't know how its words are held together.
    let plain = |name: &str| name.to_lowercase().replace('_', " ");
    let wanted = plain(arguments.contains.as_deref().unwrap_or_default().trim());
    let area = arguments.area.as_deref().map(|name| area_of(&snapshot, name, scope.as_deref())).transpose()?;
    let keep = |id: &TableId| {
        (wanted.is_empty() || plain(&id.local()).contains(&wanted))
            && area.as_ref().is_none_or(|area| area.tables.contains(id))
    };
    let is_read = arguments.format != Some(Format::Json);
    let areas = snapshot.linker().areas(scope.as_deref());
    let map = link::map_line(&areas, |id| names::shown(&snapshot.catalog, id), MAP_TOKENS);
    budget.spend(&map);
    let is_narrowed = area.is_some() || !wanted.is_empty();
    let Some(question) = question else {
        let output = Output { areas: map.filter(|_| area.is_none()), ..all(&snapshot, scope.as_deref(), keep, budget) };
        return if is_read { Ok(listed(&output, is_narrowed)) } else { session.reply(&output) };
    };
    let asker = Some(session.caller().to_owned());
    let options = LinkOptions { source: scope, asker, ..session.context.options().link.clone() };
    let token_budget = options.token_budget;
    let (linked_by, asked) = (Arc::clone(&snapshot), question.to_owned());
    let mut linked = work_out(move || linked_by.linker().link(&asked, &options)).await?;
    linked.examples.retain(|example| session.still_fits(&snapshot.catalog, example.memory));
    session.remember(question, &linked);
    let (relevant, irrelevant) = (linked.relevant().count(), linked.irrelevant().count());
    session.trace.record(&Event::Question { question: begun(question), relevant, irrelevant });
    if is_read && linked.fit.is_elsewhere() && linked.examples.is_empty() {
        return Ok(elsewhere(&linked, map));
    }
    let map = map.filter(|_| irrelevant > 0);
    if !is_read {
        return session.reply(&Output { areas: map, ..ranked(&snapshot, &linked, keep, budget) });
    }
    linked.tables.retain(|table| keep(&table.id));
    Ok(answered(session, &snapshot, &linked, map, is_narrowed, token_budget.min(budget.left())))
}

/// The area of the map that the table is in.
fn area_of(snapshot: &Snapshot, name: &str, scope: Option<&str>) -> Result<Area, ToolError> {
    let table = &names::table(&snapshot.catalog, name, scope)?.table.id;
    let areas = snapshot.linker().areas(scope);
    areas.into_iter().find(|area| area.tables.contains(table)).ok_or_else(|| {
        ToolError::new("no_area", format!("`{name}` is in no area of the map"))
            .hint("describe_table shows what refers to it")
    })
}

/// That the question seems to be about something else, and what there is.
fn elsewhere(linked: &Linked, map: Option<String>) -> Reply {
    let mut data = String::new();
    say_unmatched(&mut data, linked);
    if let Some(map) = map {
        let _ = writeln!(data, "-- areas of the schema (tables): {map}");
    }
    Reply::read(
        &data,
        Text::said(
            "This doesn't look like a question for this database: say so, or ask in other words. Without a question, \
             all tables are listed.",
        ),
    )
}

/// Words that nothing explains, in a line.
fn say_unmatched(data: &mut String, linked: &Linked) {
    if !linked.unmatched_terms.is_empty() {
        let words: Vec<&str> = linked.unmatched_terms.iter().take(MOST_NAMED).map(String::as_str).collect();
        let _ = writeln!(data, "-- no name or value matches: {}", words.join(", "));
    }
}

/// What the question needs, as text of about so many tokens; `is_narrowed` if the tables aren't all that there are.
fn answered(
    session: &Session,
    snapshot: &Snapshot,
    linked: &Linked,
    map: Option<String>,
    is_narrowed: bool,
    tokens: usize,
) -> Reply {
    let mut data = String::new();
    let for_queries = (tokens as f64 * QUERIES_SHARE) as usize;
    for example in &linked.examples {
        let query = format!("-- approved for: {}\n{}\n", one_line(&example.question), example.sql.trim());
        if estimate_tokens(&data) + estimate_tokens(&query) <= for_queries {
            data.push_str(&query);
        }
    }
    let context = link::context(&snapshot.catalog, linked, tokens.saturating_sub(estimate_tokens(&data)));
    data.push_str(&context.text);
    session.note_shown(&context.whole);
    let named = |ids: &[TableId]| {
        let names = ids.iter().take(MOST_NAMED).map(|id| names::shown(&snapshot.catalog, id));
        names.collect::<Vec<_>>().join(", ")
    };
    let perhaps = context.omitted.iter().chain(linked.unlikely().map(|table| &table.id));
    let perhaps: Vec<TableId> = perhaps.filter(|id| !context.briefed.contains(id)).cloned().collect();
    if !perhaps.is_empty() {
        let rest = perhaps.len().saturating_sub(MOST_NAMED);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let _ = writeln!(data, "-- perhaps needed, not shown: {}{rest}", named(&perhaps));
    }
    say_unmatched(&mut data, linked);
    if let Some(map) = map.filter(|map| session.is_new_map(map)) {
        let _ = writeln!(data, "-- areas of the schema (tables): {map}");
    }
    let irrelevant: usize = linked.irrelevant().map(|table| table.members.len()).sum();
    let others = match irrelevant {
        0 if perhaps.is_empty() && context.briefed.is_empty() => Text::said(match is_narrowed {
            true => "There are no others of that name or area.",
            false => "That is every table.",
        }),
        0 => Text::said("describe_table shows the tables that are only named."),
        _ => Text::filled(
            "{count} other tables seem irrelevant to the question; `area` with a table of the map, or `contains`, lists them.",
            &[("count", &irrelevant.to_string())],
        ),
    };
    let Some(best) = context.tables.first() else { return Reply::read(&data, others) };
    let dialect = snapshot.catalog.dialect(&best.source).title();
    let said = Text::filled(
        "Write {dialect}. Where no columns are left out, describe_table adds longer lists of values, what matters less for this question, indexes, \
         what the table is made from and who refers to it.",
        &[("dialect", dialect)],
    );
    let hints =
        context.text.lines().filter_map(|line| line.split_once(" -- ")).flat_map(|(_, hints)| hints.split("; "));
    let said = match hints.into_iter().any(|hint| hint == "masked") {
        true => said.followed_by(Text::said("A masked column can't be in a result.")),
        false => said,
    };
    Reply::read(&data, said.followed_by(others))
}

/// Tables, a line each; `is_narrowed` if they aren't all that there are.
fn listed(output: &Output, is_narrowed: bool) -> Reply {
    let mut data = String::new();
    for table in &output.tables {
        data.push_str(&one_line(&table.name));
        if !table.columns.is_empty() {
            let _ = write!(data, " ({})", one_line(&table.columns.join(", ")));
        }
        let rows = table.rows.map(|rows| format!("{rows} rows"));
        let stale = table.stale.then(|| "stale".to_owned());
        let notes: Vec<String> = [table.kind.clone(), rows, stale, table.family.clone(), table.summary.clone()]
            .into_iter()
            .flatten()
            .collect();
        if !notes.is_empty() {
            let _ = write!(data, " -- {}", one_line(&notes.join("; ")));
        }
        data.push('\n');
    }
    let is_cut = !output.truncated.is_empty();
    if let Some(map) = output.areas.as_ref().filter(|_| is_cut) {
        let _ = writeln!(data, "-- areas of the schema (tables): {map}");
    }
    let omitted: usize = output.truncated.iter().map(|cut| cut.omitted).sum();
    let said = match omitted {
        0 if is_narrowed => Text::said(
            "There are no others of that name or area. Pass the user's `question` for columns, joins and values.",
        ),
        0 => Text::said("That is every table. Pass the user's `question` for columns, joins and values."),
        _ => Text::filled(
            "{count} more tables: pass the user's `question`, `area` with a table of the map, `contains` or `source`.",
            &[("count", &omitted.to_string())],
        ),
    };
    Reply::read(&data, said)
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
        let columns = entry.table.columns.iter().map(|column| column.name.clone()).take(MOST_NAMED).collect();
        full.push(Line { family: family(snapshot, others), columns, ..line(snapshot, entry) });
    }
    full.sort_by(|left, right| left.name.cmp(&right.name));
    let fits = |lines: &[Line]| crate::budget::cost(&lines) <= budget.left();
    let without_columns = |line: &Line| Line { columns: Vec::new(), ..line.clone() };
    let lines = if fits(&full) {
        full
    } else {
        let shorter: Vec<Line> = full.iter().map(without_columns).collect();
        if fits(&shorter) { shorter } else { shorter.into_iter().map(|line| Line { summary: None, ..line }).collect() }
    };
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
    output.elsewhere = linked.fit.is_elsewhere();
    output.terms = linked.terms.iter().map(link::NamedTerm::in_words).collect();
    budget.spend(&(&output.strategy, &output.unmatched, &output.terms));
    let values = linked.values.iter().map(|hit| Value {
        column: format!("{}.{}", names::shown(&snapshot.catalog, &hit.table), hit.column),
        asked: hit.asked.clone(),
        stored: hit.stored.clone(),
    });
    output.values = budget.take_share(values.collect(), 0.15).0;
    output.joins = budget.take_share(linked.joins.iter().flat_map(|path| steps(snapshot, path)).collect(), 0.15).0;
    let examples = linked.examples.iter().map(|Example { source, question, sql, .. }| Approved {
        source: source.clone(),
        question: question.clone(),
        sql: sql.clone(),
    });
    output.examples = budget.take_share(examples.collect(), 0.2).0;
    let unlikely = linked.unlikely().filter(|table| keep(&table.id)).map(|table| with_family(snapshot, table));
    output.unlikely = budget.take_share(unlikely.collect(), DIRECTIVES_SHARE).0;
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
        source: entry.table.id.source.clone(),
        name: names::shown(&snapshot.catalog, &entry.table.id),
        sql: names::in_sql(&snapshot.catalog, &entry.table.id),
        kind: (kind != "table").then(|| kind.to_owned()),
        rows: entry.table.row_count.map(|count| count.value),
        stale: entry.is_stale(),
        summary: written(entry).map(|summary| super::query::shortened(summary, SUMMARY_CHARACTERS)),
        score: None,
        why: Vec::new(),
        against: Vec::new(),
        columns: Vec::new(),
        family: None,
    }
}

/// What somebody wrote of a table. What the rules write says what names and columns say.
fn written(entry: &Entry) -> Option<&str> {
    let authored = || entry.authored().map(|described| described.summary.as_str());
    entry.peoples_purpose().or(entry.table.comment.as_deref()).or_else(authored)
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
        why: ranked.for_it().take(3).map(Reason::of).collect(),
        against: ranked.against().take(2).map(Reason::of).collect(),
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
        areas: None,
        elsewhere: false,
        unlikely: Vec::new(),
        irrelevant: Vec::new(),
        values: Vec::new(),
        joins: Vec::new(),
        examples: Vec::new(),
        terms: Vec::new(),
        unmatched: Vec::new(),
        strategy: None,
        truncated: Vec::new(),
    }
}

/// How sure a key is, where it isn't declared.
pub(crate) fn confidence(origin: &KeyOrigin) -> Option<f64> {
    match origin {
        KeyOrigin::Declared => None,
        KeyOrigin::Inferred(evidence) => Some((evidence.confidence * 100.0).round() / 100.0),
    }
}
