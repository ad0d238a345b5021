//! `next_to_document` and `document_tables`: an agent documents the database, batch by batch.
//!
//! Nobody has to keep count: what lacks a description comes next, the tables that most others refer to first, so that an
//! interrupted agent, or another one, continues where the last one stopped. What is taken is answered with the next batch.

use catalog::{Entry, TableId};
use describe::{Proposal, Written, lacks_description};
use index::estimate_tokens;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use shown::Text;

use super::Definition;
use super::list_tables::one_line;
use super::query::shortened;
use crate::context::Snapshot;
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::session::Session;

/// Tables of a batch: without `count`, and at most.
const BATCH: usize = 10;
const LARGEST_BATCH: usize = 25;
/// Columns that are shown of a table; of wider ones the names of the others.
const COLUMNS: usize = 40;
/// Tables around it of which is said what they are, and characters of that.
const NEIGHBOURS: usize = 5;
const NEIGHBOUR_CHARACTERS: usize = 100;

/// What an agent is asked to do; also the text of the prompt.
pub(crate) const TASK: &str = "Document the tables of this database for people and agents who have to query it. Call \
next_to_document, write what each table of the batch is for, and send it with document_tables, which answers with the next \
batch; go on until nothing is left. Write from what you know of the trade and of the application: what it holds and what \
for, in the everyday words of the people who use it, with the other names that they have for it, and questions that they \
would ask, as they would say them. Don't repeat what names and types say. Describe a column only where its name misleads \
or says nothing. Where you can't tell, say less rather than guess. Write no values of people, and no instructions. A table that you send again replaces what you \
wrote.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NextArguments {
    /// Tables, 1 to 25, default 10
    count: Option<usize>,
    source: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentArguments {
    tables: Vec<Written>,
    /// Tables of the next batch, 0 to 25, default 10
    count: Option<usize>,
    source: Option<String>,
}

pub(super) fn next_definition() -> Definition {
    Definition::read::<NextArguments>(
        "next_to_document",
        "The next tables without a description, with what is known of them, those that most others refer to first.",
    )
}

pub(super) fn document_definition() -> Definition {
    Definition::read::<DocumentArguments>(
        "document_tables",
        "Store what you wrote about tables. Answers what isn't taken and why, and gives the next batch.",
    )
    .writing()
}

pub(super) async fn next(session: &Session, arguments: NextArguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let scope = names::scope(&snapshot.catalog, arguments.source.as_deref())?;
    let count = arguments.count.unwrap_or(BATCH).clamp(1, LARGEST_BATCH);
    let tokens = session.reply_tokens();
    let (batch, said) = batch(session, &snapshot, scope.as_deref(), count, tokens);
    Ok(Reply::read(&batch, said))
}

pub(super) async fn document(session: &Session, arguments: DocumentArguments) -> Result<Reply, ToolError> {
    if arguments.tables.is_empty() {
        return Err(ToolError::new("invalid_arguments", "`tables` is empty").hint("call next_to_document for a batch"));
    }
    let snapshot = session.context.snapshot().await?;
    let scope = names::scope(&snapshot.catalog, arguments.source.as_deref())?;
    let mut lines = Vec::new();
    let mut taken = 0;
    for written in &arguments.tables {
        match take(session, &snapshot, written, scope.as_deref()).await {
            Ok(masked) => {
                taken += 1;
                if !masked.is_empty() {
                    lines.push(format!("{}: no text taken for masked columns: {}", written.table, masked.join(", ")));
                }
            }
            Err(error) => {
                let hint = error.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
                let suggested = match error.suggestions.as_slice() {
                    [] => String::new(),
                    names => format!(" ({})", names.join(", ")),
                };
                lines.push(format!("{}: not taken: {}: {}{hint}{suggested}", written.table, error.code, error.message));
            }
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| one_line(line)).collect();
    let report = lines.join("\n");
    let is_waiting = session.context.options().documenting.as_ref().is_some_and(|it| it.proposals.is_some());
    let taken = if is_waiting {
        Text::filled("Taken: {taken}, to be approved by a person.", &[("taken", &taken.to_string())])
    } else {
        Text::filled("Taken: {taken}.", &[("taken", &taken.to_string())])
    };
    let count = arguments.count.unwrap_or(BATCH).min(LARGEST_BATCH);
    let tokens = session.reply_tokens().saturating_sub(estimate_tokens(&report));
    let (batch, said) = batch(session, &snapshot, scope.as_deref(), count, tokens);
    let data = [report, batch].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    Ok(Reply::read(&data, taken.followed_by(said)))
}

/// Stores what was written, or puts it where it waits; the columns whose text was left out.
async fn take(
    session: &Session,
    snapshot: &Snapshot,
    written: &Written,
    scope: Option<&str>,
) -> Result<Vec<String>, ToolError> {
    let entry = names::table(&snapshot.catalog, &written.table, scope)?;
    let agent = session.client();
    let now = Timestamp::now();
    let taken = describe::by_agent(entry, &snapshot.catalog, written, &agent, now)
        .map_err(|refused| ToolError::new(refused.code(), refused.to_string()).hint(refused.hint()))?;
    let options = session.context.options().documenting.as_ref();
    match options.and_then(|options| options.proposals.as_ref()) {
        None => session.context.put_description(&taken.description).await?,
        Some(folder) => {
            let proposal = Proposal {
                table: entry.table.id.clone(),
                written: written.clone(),
                agent,
                at: now,
                basis: taken.description.basis.clone(),
                unseen: taken.description.unseen.clone(),
            };
            describe::propose(folder, &proposal).map_err(|error| {
                let hint = error.hints().into_iter().next().unwrap_or_default();
                ToolError::new(error.code(), shown::with_sources(&error)).hint(hint)
            })?;
        }
    }
    session.document(&entry.table.id);
    Ok(taken.masked)
}

/// What is told of the next tables, in about so many tokens, and how many are left with them.
fn batch(session: &Session, snapshot: &Snapshot, scope: Option<&str>, count: usize, tokens: usize) -> (String, Text) {
    let waiting = session.context.options().documenting.as_ref().and_then(|options| options.proposals.as_ref());
    // What can't be read of the folder keeps nobody from writing: a person is told when they look at it.
    let waiting = waiting.map(|folder| describe::proposals(folder).unwrap_or_default()).unwrap_or_default();
    let lacking = lacking(session, snapshot, scope, &waiting.proposals);
    let mut texts: Vec<String> = Vec::new();
    let mut spent = 0;
    for entry in lacking.iter().take(count) {
        let text = about(session, snapshot, entry);
        spent += estimate_tokens(&text);
        if spent > tokens && !texts.is_empty() {
            break;
        }
        texts.push(text);
    }
    let (left, shown) = (lacking.len().to_string(), texts.len().to_string());
    let said = match (lacking.len(), texts.len()) {
        (0, _) => Text::said("Every table has a description."),
        (_, 0) => Text::filled("Without a description: {left}.", &[("left", &left)]),
        _ => Text::filled("Without a description: {left}; shown here: {shown}.", &[("left", &left), ("shown", &shown)]),
    };
    (texts.join("\n"), said)
}

/// Tables without a description, in the order in which they are to be described: copies last, and those that most others
/// refer to first. Of tables that differ in a date, the newest.
fn lacking<'s>(session: &Session, snapshot: &'s Snapshot, scope: Option<&str>, waiting: &[Proposal]) -> Vec<&'s Entry> {
    let catalog = &snapshot.catalog;
    let is_waiting = |entry: &Entry| {
        let proposal = waiting.iter().find(|proposal| proposal.table == entry.table.id);
        proposal.is_some_and(|proposal| proposal.basis == describe::basis(entry, catalog))
    };
    let mut referring: std::collections::HashMap<&TableId, usize> = std::collections::HashMap::new();
    for key in catalog.entries().iter().flat_map(|entry| &entry.table.foreign_keys) {
        *referring.entry(&key.ref_table).or_default() += 1;
    }
    let mut lacking: Vec<(bool, std::cmp::Reverse<usize>, &Entry)> = snapshot
        .index
        .units()
        .iter()
        .filter(|unit| scope.is_none_or(|source| source == unit.table.source))
        .filter_map(|unit| catalog.position(&unit.table))
        .map(|position| (position, &catalog.entries()[position]))
        .filter(|(_, entry)| !session.has_documented(&entry.table.id))
        .filter(|(_, entry)| lacks_description(entry, catalog) && !is_waiting(entry))
        .map(|(position, entry)| {
            let count = referring.get(&entry.table.id).copied().unwrap_or_default();
            (catalog.look_alike(position).is_some(), std::cmp::Reverse(count), entry)
        })
        .collect();
    lacking.sort_by(|left, right| (left.0, left.1, &left.2.table.id).cmp(&(right.0, right.1, &right.2.table.id)));
    lacking.into_iter().map(|(_, _, entry)| entry).collect()
}

/// A table as it is described by itself, with what its neighbours are that are described already.
fn about(session: &Session, snapshot: &Snapshot, entry: &Entry) -> String {
    let columns: Vec<&catalog::Column> = entry.table.columns.iter().take(COLUMNS).collect();
    let mut text = link::whole_table(&snapshot.catalog, entry, &columns);
    let others: Vec<&str> = entry.table.columns.iter().skip(COLUMNS).map(|column| column.name.as_str()).collect();
    if !others.is_empty() {
        text.push_str(&format!("-- other columns: {}\n", one_line(&others.join(", "))));
    }
    let referring = super::describe_table::referring(snapshot, entry);
    if !referring.is_empty() {
        text.push_str(&format!("-- referred to by {}\n", one_line(&referring.join(", "))));
    }
    let referred = entry.table.foreign_keys.iter().filter_map(|key| snapshot.catalog.entry(&key.ref_table));
    let mut known: Vec<&TableId> = Vec::new();
    for other in referred {
        let id = &other.table.id;
        let said = other.peoples_purpose().or_else(|| other.authored().map(|described| described.summary.as_str()));
        // What it has just written itself it knows.
        let is_told = |_: &&str| !session.has_documented(id) && !known.contains(&id) && known.len() < NEIGHBOURS;
        if let Some(said) = said.filter(is_told) {
            known.push(id);
            let name = names::shown(&snapshot.catalog, id);
            text.push_str(&format!("-- {name}: {}\n", one_line(&shortened(said, NEIGHBOUR_CHARACTERS))));
        }
    }
    text
}
