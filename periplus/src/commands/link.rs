//! `periplus link`: which tables a question needs, and which it doesn't.

use std::process::ExitCode;

use catalog::Catalog;
use link::{Linked, RankedTable};
use serde_json::json;

use crate::args::LinkArguments;
use crate::output::{self, Output};
use crate::pipeline;
use crate::project::Project;

pub(super) fn run(arguments: &LinkArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    if let Some(source) = &arguments.source {
        project.source(Some(source))?;
    }
    let catalog = project.catalog()?;
    let index = project.index(&catalog)?;
    let options = project.link_options(arguments.source.as_deref());
    let question = arguments.question.join(" ");
    let linked = pipeline::link(project, &catalog, &index, &question, &options);
    let context = arguments.context.then(|| link::context(&catalog, &linked, options.token_budget));
    output.json(&json!({
        "question": question, "linked": linked, "context": context.as_ref().map(|context| &context.text),
    }));
    output.line(text(&catalog, &linked, arguments.top));
    if let Some(context) = context {
        output.line(format!("\nContext ({} tokens):\n{}", context.tokens, context.text));
    }
    Ok(ExitCode::SUCCESS)
}

/// The linking of a question, for people.
pub(super) fn text(catalog: &Catalog, linked: &Linked, most: usize) -> String {
    let header = ["table", "needed", "because"].map(str::to_owned);
    let rows = linked
        .relevant()
        .take(most)
        .map(|table| vec![named(table), format!("{:.0} %", table.score * 100.0), reasons(table)]);
    let mut text = String::new();
    if linked.fit.is_elsewhere() {
        text.push_str("This doesn't look like a question for this database.\n");
    }
    text.push_str(&output::table(&header, rows));
    for term in &linked.terms {
        text.push_str(&format!("\nterm: {}", term.in_words()));
    }
    for value in linked.values.iter().take(5) {
        text.push_str(&format!(
            "\nvalue: {}.{} holds '{}' for “{}”",
            value.table, value.column, value.stored, value.asked
        ));
    }
    for path in &linked.joins {
        for step in &path.steps {
            text.push_str(&format!("\njoin: {}", step.condition(catalog.dialect(&step.left.source))));
        }
    }
    text.push_str(&named_only("unlikely", linked.unlikely()));
    text.push_str(&named_only("irrelevant", linked.irrelevant()));
    if !linked.unmatched_terms.is_empty() {
        text.push_str(&format!("\nnothing matches: {}", linked.unmatched_terms.join(", ")));
    }
    if let Some(language) = linked.language {
        text.push_str(&format!("\nlanguage: {language}; its words were looked up in English, too"));
    }
    text.push_str(&format!(
        "\nstrategy: {} ({}), {} tokens of context",
        linked.strategy.name(),
        linked.strategy.reason(),
        linked.tokens
    ));
    text
}

/// A line with the names of the first of these tables; nothing for none.
fn named_only<'l>(standing: &str, tables: impl Iterator<Item = &'l RankedTable>) -> String {
    let names: Vec<String> = tables.map(|table| table.id.local()).collect();
    if names.is_empty() {
        return String::new();
    }
    let shown = names.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(12);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("\n{standing}: {shown}{more}")
}

/// Its name, and how many others it stands for.
fn named(table: &RankedTable) -> String {
    match table.others().count() {
        0 => table.id.to_string(),
        others => format!("{} (+{others} of the same shape)", table.id),
    }
}

fn reasons(table: &RankedTable) -> String {
    let mut reasons: Vec<String> = table.for_it().take(3).map(|reason| reason.text.clone()).collect();
    reasons.extend(table.against().take(2).map(|reason| format!("against it: {}", reason.text)));
    reasons.join("; ")
}
