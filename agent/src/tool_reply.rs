//! What the tools answer a model, as text within a budget: all of it is data, between marks.

use catalog::Entry;
use connect::ResultSet;
use link::{LinkOptions, Standing};
use llm::WebSearchError;
use shown::Text;

use crate::agent::Agent;
use crate::candidate::{Candidate, Run};
use crate::context::Composed;
use crate::prompt::repair;
use crate::prompt::schema::{Detail, create_tables};

/// Tables that a search returns.
const MOST_FOUND: usize = 20;
/// Rows that a model is shown of a result, and characters of a cell.
const MOST_ROWS: usize = 20;
const MOST_CELL_CHARS: usize = 120;
/// Characters of any reply, about 1,500 tokens.
const MOST_CHARS: usize = 6_000;
/// Characters of a result's rows, so that what is said of them isn't cut off with them.
const MOST_DATA_CHARS: usize = 4_500;

/// `search_context`: the best tables with the columns and values that speak for them.
pub(crate) fn search(agent: &Agent<'_>, source: &str, query: &str) -> Text {
    let options = LinkOptions { source: Some(source.to_owned()), ..LinkOptions::default() };
    let linked = agent.linker.link(query, &options);
    let mut text = String::new();
    for table in linked.tables.iter().take(MOST_FOUND) {
        text.push_str(&table.id.local());
        let columns: Vec<&str> = table.columns.iter().take(8).map(|column| column.name.as_str()).collect();
        if !columns.is_empty() {
            text.push_str(&format!(" ({})", columns.join(", ")));
        }
        if let Some(summary) = agent.catalog.entry(&table.id).and_then(Entry::summary) {
            text.push_str(": ");
            text.push_str(&first_sentence(summary));
        }
        if table.standing == Standing::Irrelevant {
            text.push_str(" [probably irrelevant]");
        }
        text.push('\n');
    }
    for value in linked.values.iter().take(10) {
        text.push_str(&format!("value: {}.{} holds '{}'\n", value.table.local(), value.column, value.stored));
    }
    if text.is_empty() { Text::said("Nothing was found.") } else { Text::of(&cut(&text)) }
}

/// `table_details`: structure, values, meaning, sample rows, and a reminder where the table was marked irrelevant.
pub(crate) fn table(agent: &Agent<'_>, source: &str, name: &str, composed: &Composed) -> Text {
    let found = agent.catalog.find(name, Some(source));
    let entry = match found.as_slice() {
        [] => return Text::said("There is no such table. These are alike:").followed_by(search(agent, source, name)),
        [entry] => *entry,
        several => {
            let names: Vec<String> = several.iter().map(|entry| entry.table.id.local()).collect();
            return Text::said("It can be any of these:").line(&names.join(", "));
        }
    };
    let table = &entry.table;
    let (mut said, mut text) = (Text::default(), String::new());
    let marked = composed.linked.irrelevant().find(|ranked| ranked.id == table.id);
    if let Some(ranked) = marked {
        let reason = ranked.reasons.first().map(|evidence| evidence.text.clone()).unwrap_or_default();
        said = Text::said("Reminder: this table was marked irrelevant to the question.").line(&reason);
    }
    text.push_str(&entry.summary().map(|summary| format!("{summary}\n")).unwrap_or_default());
    if let Some(rows) = table.row_count {
        text.push_str(&format!("{} rows.\n", rows.value));
    }
    let source = agent.connector.source();
    text.push_str(&create_tables(agent.catalog, std::slice::from_ref(&table.id), &[], &source.dialect, Detail::Values));
    for column in &table.columns {
        if let Some(meaning) = entry.column_description(&column.name) {
            text.push_str(&format!("{}: {}\n", column.name, first_sentence(meaning)));
        }
    }
    if let Some(profile) = entry.profile() {
        for row in profile.sample_rows.iter().take(3) {
            let cells: Vec<&str> = row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect();
            text.push_str(&format!("row: {}\n", cells.join(" | ")));
        }
    }
    said.data(&cut(&text))
}

/// `run_sql`, and a submission that can't stand: rows, or what is wrong.
pub(crate) fn rows(candidate: &Candidate) -> Text {
    let problems = problem_lines(candidate);
    let mut text = match &candidate.run {
        Run::Rows(result) => result_text(result),
        Run::Failed(_) => Text::said("The query failed."),
        Run::Refused => Text::said("The query was refused."),
        Run::Omitted(reason) => Text::said("The query was accepted and not run:").and(reason),
    };
    if !candidate.repaired.is_empty() {
        text = text.and("It was repaired before it ran, to:").data(&cut(&candidate.sql));
    }
    if problems.is_empty() { text } else { text.and("Found:").data(&cut(&problems)) }
}

/// `web_search`.
pub(crate) async fn web(agent: &Agent<'_>, query: &str) -> Text {
    let found = match agent.web_search {
        Some(web) => web.search(query).await,
        None => Err(WebSearchError::NotConfigured),
    };
    match found {
        Ok(results) if results.is_empty() => Text::said("Nothing was found."),
        Ok(results) => {
            let lines: Vec<String> =
                results.iter().map(|result| format!("{} ({}): {}", result.title, result.url, result.extract)).collect();
            Text::of(&cut(&lines.join("\n")))
        }
        Err(error) => Text::said(error.code()).line(&error.to_string()),
    }
}

fn result_text(result: &ResultSet) -> Text {
    let cut = result.truncated.as_ref().map(|reason| format!(" (cut: {reason})")).unwrap_or_default();
    let mut text = format!("{} rows{cut}\n{}\n", result.rows.len(), result.columns.join(" | "));
    let mut worded = false;
    for row in result.rows.iter().take(MOST_ROWS) {
        let cells: Vec<String> = row
            .iter()
            .map(|value| value.as_text().unwrap_or_else(|| "NULL".to_owned()))
            .inspect(|text| worded |= shown::reads_like_instructions(text))
            .map(|text| shown::one_line(&text).chars().take(MOST_CELL_CHARS).collect())
            .collect();
        text.push_str(&cells.join(" | "));
        text.push('\n');
    }
    if result.rows.len() > MOST_ROWS {
        text.push_str(&format!("… {} more\n", result.rows.len() - MOST_ROWS));
    }
    Text::of(&cut_at(text.trim_end(), MOST_DATA_CHARS)).warned(worded)
}

/// What is wrong with a candidate, as lines.
fn problem_lines(candidate: &Candidate) -> String {
    let mut problems = repair::problems(&candidate.verdict.findings);
    if let Run::Failed(reason) = &candidate.run {
        problems.insert(0, reason.clone());
    }
    problems.iter().map(|problem| format!("- {problem}")).collect::<Vec<_>>().join("\n")
}

fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line[..end].chars().take(200).collect()
}

fn cut(text: &str) -> String {
    cut_at(text, MOST_CHARS)
}

fn cut_at(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\n… cut at {most} characters", &text[..end]),
        None => text.to_owned(),
    }
}
