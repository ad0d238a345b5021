//! The page that lists all tables of a source.

use catalog::{Catalog, Entry, Exactness, Granularity, TableDescription};

use super::escape::{cell, heading, inline};

/// The list, with each table's file.
pub(crate) fn render(catalog: &Catalog, source: &str, plan: &[(String, &Entry)]) -> String {
    let mut text = String::from(
        "<!-- Written by periplus docs. Edits belong in the pages of the tables: this list is made new. -->\n\n",
    );
    text.push_str(&format!("# Source: {}\n\n", heading(source)));
    if let Some(source) = catalog.source(source) {
        text.push_str(&format!("{} tables, dialect {}.", plan.len(), inline(source.dialect.name())));
        if let Some(description) = &source.description {
            text.push_str(&format!("\n\n{}", inline(description)));
        }
        text.push_str("\n\n");
    }
    text.push_str(
        "Every page can be edited. What you write replaces the generated text and is kept; delete a section to get the \
         generated text back. Types and nullability come from the database. Of what the rows say, tick what is so and strike out \
         (`~~…~~`) what isn't.\n\n",
    );
    text.push_str("| Table | Kind | Rows | What it holds |\n| --- | --- | ---: | --- |\n");
    for (file, entry) in plan {
        text.push_str(&line(file, entry));
        text.push('\n');
    }
    text
}

/// A list with one table's line as it is now; `None` where that is what it says.
pub(crate) fn with_line(list: &str, file: &str, entry: &Entry) -> Option<String> {
    let (begins, now) = (format!("| {} |", link(file, entry)), line(file, entry));
    let before = list.lines().find(|line| line.starts_with(&begins) && *line != now)?;
    Some(list.replacen(before, &now, 1))
}

fn line(file: &str, entry: &Entry) -> String {
    let written = entry.overrides.0.get("purpose").map(|written| first_paragraph(written));
    let holds = written.unwrap_or_else(|| entry.summary().map_or_else(String::new, cell));
    format!("| {} | {} | {} | {holds} |", link(file, entry), kind(entry), rows(entry))
}

fn link(file: &str, entry: &Entry) -> String {
    format!("[{}]({file})", cell(&entry.table.id.local()))
}

fn kind(entry: &Entry) -> String {
    let stale = entry.is_stale();
    let kind = match entry.description().map(|TableDescription { granularity, .. }| granularity) {
        Some(Granularity::Fact) => "fact",
        Some(Granularity::Dimension) => "dimension",
        Some(Granularity::Bridge) => "bridge",
        Some(Granularity::Lookup) => "lookup",
        Some(Granularity::Other) | None => entry.table.kind.name(),
    };
    let stale = if stale { ", stale" } else { "" };
    format!("{}{stale}", inline(kind))
}

fn rows(entry: &Entry) -> String {
    entry.table.row_count.map_or_else(String::new, |count| match count.exactness {
        Exactness::Exact => count.value.to_string(),
        Exactness::Estimate => format!("about {}", count.value),
    })
}

/// What people wrote is Markdown already: only what would break the row is changed.
fn first_paragraph(written: &str) -> String {
    let lines: Vec<&str> = written.trim_start().lines().take_while(|line| !line.trim().is_empty()).collect();
    lines.join(" ").replace("\\|", "|").replace('|', "\\|").replace('<', "&lt;")
}
