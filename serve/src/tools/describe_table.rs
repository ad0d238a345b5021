//! `describe_table`: all that is known about one table, the most useful first.
//!
//! The answer is text, like that of `list_tables`, which says the same in brief: nothing is said twice, and nothing that
//! follows from names and types. A program asks for JSON.

use catalog::nearest::nearest_names;
use catalog::{Catalog, Column, Dialect, Entry, Exactness, MemoryKind, TableDescription, TableId};
use index::estimate_tokens;
use jiff::Timestamp;
use lineage::{Lineage, Origins};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shown::Text;

use super::list_tables::{confidence, one_line};
use super::query::shortened;
use super::{Definition, Format};
use crate::budget::{Budget, Cut};
use crate::context::Snapshot;
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;

/// Characters of a value.
const VALUE_CHARACTERS: usize = 60;
/// Referring tables that are named.
const REFERRING: usize = 20;
/// Texts that what is known speaks against, told beside them.
const DOUBTS: usize = 3;
/// Approved queries that are shown.
const APPROVED: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    table: String,
    /// Only these columns
    #[serde(default)]
    columns: Vec<String>,
    source: Option<String>,
    format: Option<Format>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Output {
    table: String,
    /// As a statement writes it, where that isn't its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    kind: String,
    /// Set where the table was marked irrelevant for the last question.
    #[serde(skip_serializing_if = "Option::is_none")]
    reminder: Option<String>,
    dialect: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    purpose: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_row: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// The table that holds what counts, where this one is like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    looks_like: Option<LooksLike>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    primary_key: Vec<String>,
    columns: Vec<ColumnLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    foreign_keys: Vec<Key>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    referenced_by: Vec<String>,
    /// The tables that it is made from, with the text that says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made_from: Vec<String>,
    /// The conditions of the rows that it is made from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    only_rows_where: Vec<String>,
    /// What columns are that aren't another table's of the same name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns_made_from: Vec<String>,
    /// What is made from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_by: Vec<String>,
    /// What a dbt project notes of it: what came of its tests, how fresh it was, labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dbt: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    /// Indexed columns, for filters that are fast.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indexes: Vec<String>,
    /// In the order of all columns; hidden values are null.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sample_rows: Vec<Vec<Option<String>>>,
    /// What its rows say that names and types don't.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<FactLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queries: Vec<Query>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ColumnLine {
    name: String,
    /// As a statement writes it, where that isn't its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    data_type: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_null: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// All values there are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    /// Some of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    null_share: Option<f64>,
    /// Why its values are hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Key {
    columns: Vec<String>,
    references: String,
    /// Only where the key is inferred, not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LooksLike {
    table: String,
    /// Why that one counts.
    because: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FactLine {
    kind: &'static str,
    /// The column that it is about; none where it is about the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    says: String,
    /// The other table that it is about, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    /// A query that shows it.
    proof: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Query {
    name: String,
    sql: String,
}

pub(super) fn document_schema() -> serde_json::Map<String, serde_json::Value> {
    schema::document::<Output>()
}

pub(super) fn definition() -> Definition {
    Definition::read::<Arguments>(
        "describe_table",
        "One table whole: columns with all stored values and ranges, keys, who refers to it, what it is made from and who \
         reads it, notes, approved queries. For what list_tables left out.",
    )
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let entry = names::table(&snapshot.catalog, &arguments.table, arguments.source.as_deref())?;
    let chosen = chosen(entry, &arguments.columns)?;
    let mut budget = Budget::new(session.reply_tokens());
    if arguments.format != Some(Format::Json) {
        let reminder = reminder(session, &snapshot, &entry.table.id);
        let lineage = session.context.lineage();
        let around = match arguments.columns.is_empty() {
            true => about(&snapshot, entry, &lineage),
            false => origins_of(&snapshot, entry, &lineage, &chosen),
        };
        let is_whole = arguments.columns.is_empty();
        let approved = if is_whole { approved(session, &snapshot, entry) } else { Vec::new() };
        let asked = Asked { columns: &chosen, approved, reminder, around };
        return Ok(described(&snapshot, entry, asked, budget.left()));
    }
    let mut output = head(&snapshot, entry);
    output.reminder = reminder(session, &snapshot, &entry.table.id);
    budget.spend(&output);
    let dialect = snapshot.catalog.dialect(&entry.table.id.source);
    let lines = chosen.iter().map(|column| line(entry, column, dialect)).collect();
    let (columns, omitted) = budget.take(lines);
    output.columns = columns;
    output.truncated.extend(Cut::of(omitted, "columns", "name the ones you need in `columns`"));
    tail(&mut output, &snapshot, entry, &mut budget, arguments.columns.is_empty());
    if arguments.columns.is_empty() {
        let shown = |id: &TableId| names::shown(&snapshot.catalog, id);
        let origins = Origins::of(&session.context.lineage(), &snapshot.catalog, entry, &shown);
        output.made_from = budget.take(origins.made_from).0;
        output.columns_made_from = budget.take(origins.columns).0;
        output.only_rows_where = budget.take(origins.conditions).0;
        output.read_by = budget.take(origins.read_by).0;
        output.dbt = budget.take(origins.notes.lines()).0;
    }
    session.reply(&output)
}

/// What is to be described of a table.
struct Asked<'a> {
    columns: &'a [&'a Column],
    /// Approved queries: the question and the statement.
    approved: Vec<(&'a str, &'a str)>,
    reminder: Option<String>,
    /// Lines that come behind the columns.
    around: Vec<String>,
}

/// The table as text of about so many tokens.
fn described(snapshot: &Snapshot, entry: &Entry, asked: Asked<'_>, tokens: usize) -> Reply {
    let Asked { columns, approved, reminder, around } = asked;
    let mut fitting = columns.len();
    let mut data = link::whole_table(&snapshot.catalog, entry, columns);
    while fitting > 1 && estimate_tokens(&data) > tokens {
        fitting = fitting * 3 / 4;
        data = link::whole_table(&snapshot.catalog, entry, &columns[..fitting]);
    }
    let mut room = tokens.saturating_sub(estimate_tokens(&data));
    let mut add = |line: String| {
        let cost = estimate_tokens(&line) + 1;
        if cost <= room {
            room -= cost;
            data.push_str(&line);
            data.push('\n');
        }
    };
    for line in reminder.into_iter().chain(around) {
        add(format!("-- {}", one_line(&line)));
    }
    if fitting < columns.len() {
        let names: Vec<&str> = columns[fitting..].iter().map(|column| column.name.as_str()).collect();
        add(format!("-- columns not shown: {}", names.join(", ")));
    }
    for (question, sql) in approved {
        add(format!("-- approved for: {}\n{}", one_line(question), sql.trim()));
    }
    let said = if fitting < columns.len() {
        Text::said("Name the columns that you need in `columns` to see the others.")
    } else {
        Text::default()
    };
    Reply::read(&data, said)
}

/// What these columns are made from.
fn origins_of(snapshot: &Snapshot, entry: &Entry, lineage: &Lineage, columns: &[&Column]) -> Vec<String> {
    let shown = |id: &TableId| names::shown(&snapshot.catalog, id);
    let lines = Origins::of(lineage, &snapshot.catalog, entry, &shown).columns;
    let is_of = |line: &String| columns.iter().any(|column| line.starts_with(&format!("{} ", column.name)));
    lines.into_iter().filter(is_of).collect()
}

/// What stands around the columns: keys of several columns, who refers to it, indexes, notes that somebody wrote.
fn about(snapshot: &Snapshot, entry: &Entry, lineage: &Lineage) -> Vec<String> {
    let shown = |id: &TableId| names::shown(&snapshot.catalog, id);
    let mut lines = Vec::new();
    for key in entry.table.foreign_keys.iter().filter(|key| key.columns.len() > 1) {
        let sure =
            confidence(&key.origin).map(|sure| format!(" (inferred, {:.0} %)", sure * 100.0)).unwrap_or_default();
        let (from, to) = (key.columns.join(", "), key.ref_columns.join(", "));
        lines.push(format!("{from} refers to {} ({to}){sure}", shown(&key.ref_table)));
    }
    let referring = referring(snapshot, entry);
    if !referring.is_empty() {
        lines.push(format!("referred to by {}", referring.join(", ")));
    }
    let indexes: Vec<String> = entry.shown_indexes().map(|index| index.columns.join(" and ")).collect();
    if !indexes.is_empty() {
        lines.push(format!("indexed: {}", indexes.join("; ")));
    }
    lines.extend(entry.staleness());
    lines.extend(Origins::of(lineage, &snapshot.catalog, entry, &shown).lines());
    if let Some(usage) = snapshot.catalog.usage_of(entry) {
        lines.push(usage.traffic_in_words());
        lines.extend(usage.joins_without_a_key(&entry.table, &shown));
    }
    let graph = lineage::Graph::new(lineage);
    let doubtful = describe::contradictions(entry, &snapshot.catalog, &|table| graph.made_from(table));
    lines.extend(doubtful.iter().take(DOUBTS).map(|it| format!("doubtful: {}", shortened(&it.in_words(), 300))));
    let by_model = entry.authored();
    let told = |key: &str, model: fn(&TableDescription) -> &str| {
        entry.overrides.0.get(key).map(String::as_str).or_else(|| by_model.map(model))
    };
    let texts =
        [told("business_context", |it| &it.business_context), told("notes", |it| &it.notes)].into_iter().flatten();
    lines.extend(texts.filter(|text| !text.trim().is_empty()).map(|text| shortened(text, 600)));
    lines
}

/// Tables with a key to this one.
pub(super) fn referring(snapshot: &Snapshot, entry: &Entry) -> Vec<String> {
    let id = &entry.table.id;
    let refers = |other: &&Entry| other.table.foreign_keys.iter().any(|key| key.ref_table == *id);
    let others = snapshot.catalog.tables_of(&id.source).filter(refers);
    others.map(|other| names::shown(&snapshot.catalog, &other.table.id)).take(REFERRING).collect()
}

/// Approved queries that name the table.
fn approved<'s>(session: &Session, snapshot: &'s Snapshot, entry: &Entry) -> Vec<(&'s str, &'s str)> {
    let name = entry.table.id.name.to_lowercase();
    let names_it = move |sql: &str| {
        let of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        sql.to_lowercase().split(|letter| !of_name(letter)).any(|word| word == name)
    };
    let (source, now) = (entry.table.id.source.clone(), Timestamp::now());
    let memories = snapshot.catalog.memories().iter().filter(move |memory| {
        memory.counts_for(None, now) && memory.content.kind == MemoryKind::Approved && memory.content.source == source
    });
    let fitting = memories
        .filter(|memory| names_it(&memory.content.sql) && session.still_fits(&snapshot.catalog, memory.id))
        .map(|memory| (memory.content.question.as_str(), memory.content.sql.as_str()));
    fitting.take(APPROVED).collect()
}

/// The columns asked for, or all.
fn chosen<'a>(entry: &'a Entry, asked: &[String]) -> Result<Vec<&'a Column>, ToolError> {
    if asked.is_empty() {
        return Ok(entry.table.columns.iter().collect());
    }
    let column = |name: &String| {
        entry.table.column(name).ok_or_else(|| {
            let names = entry.table.columns.iter().map(|column| column.name.as_str());
            let message = format!("`{}` has no column `{name}`", entry.table.id.local());
            ToolError::new("unknown_column", message)
                .hint("use a name from `suggestions`, or leave `columns` out")
                .suggestions(nearest_names(name, names, 5))
        })
    };
    asked.iter().map(column).collect()
}

/// What is in the reply whatever its budget.
fn head(snapshot: &Snapshot, entry: &Entry) -> Output {
    let table = &entry.table;
    let rows = table.row_count.map(|count| match count.exactness {
        Exactness::Exact => count.value.to_string(),
        Exactness::Estimate => format!("about {}", count.value),
    });
    Output {
        table: names::shown(&snapshot.catalog, &table.id),
        sql: names::in_sql(&snapshot.catalog, &table.id),
        kind: table.kind.name().to_owned(),
        dialect: snapshot
            .catalog
            .source(&table.id.source)
            .map_or_else(String::new, |source| source.dialect.to_string()),
        purpose: entry.summary().map(|text| shortened(text, 600)),
        one_row: entry.description().map(|description| description.row_meaning.clone()),
        rows,
        stale: entry.is_stale(),
        looks_like: looks_like(&snapshot.catalog, entry),
        primary_key: table.primary_key.clone(),
        ..Output::default()
    }
}

/// What is added as long as there is room, the most useful first.
fn tail(output: &mut Output, snapshot: &Snapshot, entry: &Entry, budget: &mut Budget, whole: bool) {
    let shown = |id: &TableId| names::shown(&snapshot.catalog, id);
    let keys = entry.table.foreign_keys.iter().map(|key| Key {
        columns: key.columns.clone(),
        references: format!("{} ({})", shown(&key.ref_table), key.ref_columns.join(", ")),
        confidence: confidence(&key.origin),
    });
    let (keys, omitted) = budget.take(keys.collect());
    output.foreign_keys = keys;
    output.truncated.extend(Cut::of(omitted, "foreign keys", "use get_join_info"));
    output.referenced_by = budget.take(referring(snapshot, entry)).0;
    for (text, target) in [(entry.business_context(), &mut output.context), (entry.notes(), &mut output.notes)] {
        let text = text.map(|text| shortened(text, 600)).filter(|text| !text.is_empty());
        *target = text.filter(|text| budget.fits(text));
    }
    let indexes = entry.shown_indexes().map(|index| index.columns.join(", ")).collect();
    output.indexes = budget.take_share(indexes, 0.2).0;
    if let Some(profile) = entry.profile().filter(|_| whole) {
        let short = |cell: &Option<String>| cell.as_deref().map(|cell| shortened(cell, VALUE_CHARACTERS));
        let rows = profile.sample_rows.iter().take(3).map(|row| row.iter().map(short).collect());
        output.sample_rows = budget.take(rows.collect()).0;
    }
    let dialect = snapshot.catalog.dialect(&entry.table.id.source);
    let facts = snapshot.catalog.facts(entry).filter(|_| whole).map(|fact| FactLine {
        kind: fact.name(),
        column: fact.column().map(str::to_owned),
        says: fact.in_words(dialect),
        other: fact.other().map(|(other, _)| other.local()),
        proof: fact.proof.clone(),
    });
    output.facts = budget.take(facts.collect()).0;
    let queries = entry.description().into_iter().flat_map(|description| &description.queries);
    let queries = queries.map(|query| Query { name: query.name.clone(), sql: query.sql.clone() });
    output.queries = budget.take(queries.collect()).0;
}

fn looks_like(catalog: &Catalog, entry: &Entry) -> Option<LooksLike> {
    let alike = catalog.look_alike(catalog.position(&entry.table.id)?)?;
    let table = catalog.entries().get(alike.authority)?.table.id.local();
    Some(LooksLike { table, because: alike.reason.clone() })
}

fn line(entry: &Entry, column: &Column, dialect: &Dialect) -> ColumnLine {
    let facts = entry.facts(column);
    let short = |value: &&str| shortened(value, VALUE_CHARACTERS);
    let values: Vec<String> = facts.values.iter().map(short).collect();
    let examples: Vec<String> = facts.examples.iter().map(short).collect();
    let range = facts.range.filter(|_| values.is_empty()).map(|(least, most)| [short(&least), short(&most)]);
    let description = entry.column_description(&column.name).map(|text| shortened(text, 300));
    // What the description says already isn't said twice.
    let said = |value: &String| description.as_ref().is_some_and(|text| text.contains(value.as_str()));
    let examples =
        if range.is_some() || examples.iter().filter(|value| said(value)).count() >= 2 { Vec::new() } else { examples };
    let range = range.filter(|ends| !ends.iter().all(said));
    ColumnLine {
        name: column.name.clone(),
        sql: Some(dialect.identifier(&column.name)).filter(|written| *written != column.name),
        data_type: entry.shown_type(column).into_owned(),
        not_null: !column.nullable,
        values,
        examples,
        range,
        pattern: facts.pattern.map(|pattern| pattern.form.to_string()),
        null_share: facts.null_fraction.filter(|share| *share >= 0.005).map(|share| (share * 100.0).round() / 100.0),
        masked: facts.masked.map(str::to_owned),
        description,
    }
}

/// A word to an agent that looks at a table which its question doesn't need.
fn reminder(session: &Session, snapshot: &Snapshot, id: &TableId) -> Option<String> {
    let last = session.marked_irrelevant_for(id)?;
    let better: Vec<String> = last.relevant.iter().take(3).map(|id| names::shown(&snapshot.catalog, id)).collect();
    let reason = last.reason(id).map(|reason| format!(" ({reason})")).unwrap_or_default();
    let instead = if better.is_empty() { String::new() } else { format!(" Look at {} first.", better.join(", ")) };
    Some(format!("This table was marked irrelevant for \"{}\"{reason}.{instead}", shortened(&last.question, 120)))
}
