//! A catalog becomes chunks: what one would want to read about each table, in pieces of readable size.
//!
//! A table is one chunk, because its parts explain each other. Only very wide tables are split, at changes of the
//! columns' common prefix, with the header and the keys repeated so that each part can be read alone. Tables that are
//! joined through one another also get a chunk together.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use catalog::{Catalog, Column, Entry, Memory, MemoryKind, MemoryState, TableId};
use llm::estimate_tokens;

use crate::chunk::{Chunk, ChunkKind};
use crate::family::Unit;
use crate::terms;

/// Columns that a chunk holds at most before its table is split.
const WIDEST_TABLE: usize = 40;
/// Columns after which a part may end where the prefix changes.
const PART_MAY_END: usize = 24;
/// Tables in one union chunk at most.
const LARGEST_UNION: usize = 5;
/// Columns of each table shown in a union chunk.
const UNION_COLUMNS: usize = 12;
/// Sample rows shown.
const SAMPLE_ROWS: usize = 3;
/// Characters of a value shown.
const LONGEST_CELL: usize = 40;
/// Keywords of a chunk.
const KEYWORDS: usize = 12;

/// Who refers to a table: (table, its columns, columns here).
pub(crate) type References<'a> = HashMap<&'a TableId, Vec<(&'a TableId, &'a [String], &'a [String])>>;

/// The chunks of one unit, but for its union.
pub(crate) fn unit_chunks(unit: &Unit, catalog: &Catalog, references: &References<'_>) -> Vec<Chunk> {
    let Some(entry) = catalog.entry(&unit.table) else { return Vec::new() };
    let mut chunks = Vec::new();
    table_chunks(entry, unit, references, &mut chunks);
    column_chunks(entry, &mut chunks);
    query_chunks(entry, &mut chunks);
    chunks.extend(relationship_chunk(entry, references));
    chunks
}

/// The unit's table with those that it joins, if it joins any.
pub(crate) fn unit_union(unit: &Unit, catalog: &Catalog) -> Option<Chunk> {
    catalog.entry(&unit.table).and_then(|entry| union_chunk(entry, catalog))
}

/// Approved questions.
pub(crate) fn example_chunks(catalog: &Catalog) -> impl Iterator<Item = Chunk> {
    catalog.memories().iter().filter_map(|memory| example_chunk(memory, catalog))
}

/// All chunks, unit by unit, unions and examples after them.
#[cfg(test)]
fn chunks_of(catalog: &Catalog, units: &[Unit]) -> Vec<Chunk> {
    let references = references_of(catalog);
    let mut chunks: Vec<Chunk> = units.iter().flat_map(|unit| unit_chunks(unit, catalog, &references)).collect();
    chunks.extend(units.iter().filter_map(|unit| unit_union(unit, catalog)));
    chunks.extend(example_chunks(catalog));
    chunks
}

/// Who refers to each table.
pub(crate) fn references_of(catalog: &Catalog) -> References<'_> {
    let mut references: References<'_> = HashMap::new();
    for entry in catalog.entries() {
        for key in &entry.table.foreign_keys {
            references.entry(&key.ref_table).or_default().push((&entry.table.id, &key.columns, &key.ref_columns));
        }
    }
    references
}

fn table_chunks(entry: &Entry, unit: &Unit, references: &References<'_>, chunks: &mut Vec<Chunk>) {
    let table = &entry.table;
    let header = header_text(entry, unit);
    let footer = footer_text(entry, references);
    let related = related_tables(entry, references);
    let parts = column_parts(entry);
    let of = parts.len() as u32;
    for (number, columns) in (1..).zip(parts) {
        let mut text = header.clone();
        columns.iter().for_each(|column| push_column(&mut text, entry, column));
        text.push_str(&footer);
        if of == 1 {
            push_sample_rows(&mut text, entry);
        }
        let kind = if of == 1 { ChunkKind::Table } else { ChunkKind::TablePart { number, of } };
        let names = columns.iter().map(|column| column.name.as_str());
        let keywords = keywords_of(std::iter::once(table.id.name.as_str()).chain(names));
        chunks.push(new_chunk(table.id.clone(), kind, None, related.clone(), keywords, text));
    }
}

fn new_chunk(
    table: TableId,
    kind: ChunkKind,
    column: Option<String>,
    related: Vec<TableId>,
    keywords: Box<str>,
    mut text: String,
) -> Chunk {
    // It was grown piece by piece, and a large index keeps a hundred thousand of them.
    text.shrink_to_fit();
    let tokens = estimate_tokens(&text);
    Chunk { table, kind, column, related, keywords, text, tokens }
}

fn header_text(entry: &Entry, unit: &Unit) -> String {
    let table = &entry.table;
    let mut text = format!("{} {}", table.kind.name(), table.id);
    if let Some(rows) = table.row_count {
        let _ = write!(text, ", {} rows", rows.value);
    }
    if unit.members.len() > 1 {
        let (first, last) = (&unit.members[0], &unit.members[unit.members.len() - 1]);
        let _ = write!(text, ", one of {} tables from {} to {}", unit.members.len(), first.local(), last.local());
    }
    text.push('\n');
    for part in [entry.summary(), entry.business_context()].into_iter().flatten().filter(|part| !part.is_empty()) {
        text.push_str(part);
        text.push('\n');
    }
    if let Some(description) = entry.description() {
        if !description.row_meaning.is_empty() {
            let _ = writeln!(text, "One row: {}", description.row_meaning);
        }
        if !description.also_called.is_empty() {
            let _ = writeln!(text, "Also called: {}", description.also_called.join(", "));
        }
    }
    text
}

fn push_column(text: &mut String, entry: &Entry, column: &Column) {
    let table = &entry.table;
    let _ = write!(text, "- {} {}", column.name, entry.shown_type(column));
    if table.primary_key.contains(&column.name) {
        text.push_str(", primary key");
    }
    for key in table.foreign_keys.iter().filter(|key| key.columns.contains(&column.name)) {
        let _ = write!(text, ", refers to {} ({})", key.ref_table.local(), key.ref_columns.join(", "));
    }
    if let Some(meaning) = entry.column_description(&column.name).filter(|meaning| !meaning.is_empty()) {
        let _ = write!(text, ": {meaning}");
    }
    let profile = entry.profile().and_then(|profile| profile.column(&column.name));
    let some = || profile.into_iter().flat_map(|profile| profile.values.as_slice()).map(String::as_str).collect();
    let all = entry.all_values(&column.name);
    let (shown, are_all) = all.map_or_else(|| (some(), false), |all| (all, true));
    if !shown.is_empty() {
        let listed: Vec<String> = shown.iter().take(if are_all { 10 } else { 4 }).map(|value| cut(value)).collect();
        let _ = write!(text, " [{}{}]", listed.join(", "), if are_all && shown.len() <= 10 { "" } else { ", …" });
    }
    text.push('\n');
}

fn footer_text(entry: &Entry, references: &References<'_>) -> String {
    let mut text = String::new();
    for (table, columns, here) in references.get(&entry.table.id).into_iter().flatten() {
        let _ = writeln!(text, "referenced by {}({}) at {}", table.local(), columns.join(", "), here.join(", "));
    }
    for index in &entry.table.indexes {
        let unique = if index.unique { "unique index" } else { "index" };
        let _ = writeln!(text, "{unique} on {}", index.columns.join(", "));
    }
    text
}

fn push_sample_rows(text: &mut String, entry: &Entry) {
    let Some(profile) = entry.profile().filter(|profile| !profile.sample_rows.is_empty()) else { return };
    // Rows are in the profile's column order; those with the fewest gaps show most.
    let mut rows: Vec<&Vec<Option<String>>> = profile.sample_rows.iter().collect();
    rows.sort_by_key(|row| row.iter().filter(|cell| cell.is_none()).count());
    text.push_str("sample rows:\n");
    for row in rows.into_iter().take(SAMPLE_ROWS) {
        let cells: Vec<String> = row.iter().map(|cell| cell.as_deref().map_or_else(|| "·".to_owned(), cut)).collect();
        let _ = writeln!(text, "  {}", cells.join(" | "));
    }
}

/// The columns in groups of readable size; keys are repeated in each.
fn column_parts(entry: &Entry) -> Vec<Vec<&Column>> {
    let table = &entry.table;
    if table.columns.len() <= WIDEST_TABLE {
        return vec![table.columns.iter().collect()];
    }
    let is_key = |column: &Column| {
        table.primary_key.contains(&column.name)
            || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
    };
    let prefix = |column: &Column| words::in_identifier(&column.name).into_iter().next();
    let keys: Vec<&Column> = table.columns.iter().filter(|column| is_key(column)).take(WIDEST_TABLE / 2).collect();
    let room = WIDEST_TABLE - keys.len();
    let mut parts: Vec<Vec<&Column>> = Vec::new();
    let mut part: Vec<&Column> = Vec::new();
    for column in table.columns.iter().filter(|column| !keys.iter().any(|key| key.name == column.name)) {
        let group_ends = part.last().is_some_and(|last| prefix(last) != prefix(column));
        if part.len() >= room || (part.len() >= PART_MAY_END.min(room) && group_ends) {
            parts.push(std::mem::take(&mut part));
        }
        part.push(column);
    }
    parts.push(part);
    parts.into_iter().map(|part| keys.iter().copied().chain(part).collect()).collect()
}

fn column_chunks(entry: &Entry, chunks: &mut Vec<Chunk>) {
    for column in &entry.table.columns {
        if entry.column_description(&column.name).is_none_or(str::is_empty) {
            continue;
        }
        let mut text = format!("column of {}\n", entry.table.id);
        push_column(&mut text, entry, column);
        if let Some(described) = entry.description().and_then(|description| description.column(&column.name)) {
            for part in [&described.business_meaning, &described.usage].into_iter().filter(|part| !part.is_empty()) {
                text.push_str(part);
                text.push('\n');
            }
        }
        let keywords = keywords_of([column.name.as_str(), entry.table.id.name.as_str()].into_iter());
        let id = entry.table.id.clone();
        chunks.push(new_chunk(id, ChunkKind::Column, Some(column.name.clone()), Vec::new(), keywords, text));
    }
}

fn query_chunks(entry: &Entry, chunks: &mut Vec<Chunk>) {
    // What people wrote stands in place of the generated queries.
    if let Some(written) = entry.overrides.0.get("queries") {
        for (number, section) in (1..).zip(sections(written)) {
            let keywords = keywords_of(section.lines().take(1));
            let id = entry.table.id.clone();
            chunks.push(new_chunk(id, ChunkKind::Query { number }, None, Vec::new(), keywords, section));
        }
        return;
    }
    let queries = entry.description().into_iter().flat_map(|description| &description.queries);
    for (number, query) in (1..).zip(queries) {
        let text = format!("{}\n{}\nuse: {}\nreturns: {}\n", query.name, query.sql, query.use_case, query.returns);
        let keywords = keywords_of([query.name.as_str(), query.use_case.as_str()].into_iter());
        let id = entry.table.id.clone();
        chunks.push(new_chunk(id, ChunkKind::Query { number }, None, Vec::new(), keywords, text));
    }
}

/// The parts of a Markdown text that begin with a heading of the third level, and what stands before the first.
fn sections(markdown: &str) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    for line in markdown.lines() {
        if sections.is_empty() || line.starts_with("### ") {
            sections.push(String::new());
        }
        if let Some(section) = sections.last_mut() {
            section.push_str(line.trim_start_matches("### "));
            section.push('\n');
        }
    }
    sections.retain(|section| !section.trim().is_empty());
    sections
}

fn relationship_chunk(entry: &Entry, references: &References<'_>) -> Option<Chunk> {
    let related = related_tables(entry, references);
    if related.is_empty() {
        return None;
    }
    let id = &entry.table.id;
    let mut text = format!("joins of {id}\n");
    for key in &entry.table.foreign_keys {
        push_join(&mut text, id, &key.columns, &key.ref_table, &key.ref_columns);
    }
    for (table, columns, here) in references.get(id).into_iter().flatten() {
        push_join(&mut text, table, columns, id, here);
    }
    let keywords =
        keywords_of(std::iter::once(id.name.as_str()).chain(related.iter().map(|table| table.name.as_str())));
    Some(new_chunk(id.clone(), ChunkKind::Relationship, None, related, keywords, text))
}

fn push_join(text: &mut String, left: &TableId, columns: &[String], right: &TableId, ref_columns: &[String]) {
    let pairs: Vec<String> = columns
        .iter()
        .zip(ref_columns)
        .map(|(column, other)| format!("{}.{column} = {}.{other}", left.local(), right.local()))
        .collect();
    let _ = writeln!(text, "{}", pairs.join(" AND "));
}

/// A table that links two or more others, together with them.
fn union_chunk(entry: &Entry, catalog: &Catalog) -> Option<Chunk> {
    let table = &entry.table;
    let mut partners: BTreeMap<&TableId, usize> = BTreeMap::new();
    for key in table.foreign_keys.iter().filter(|key| key.ref_table != table.id) {
        *partners.entry(&key.ref_table).or_default() += 1;
    }
    let coupled = partners.len() >= 2 || partners.values().any(|&keys| keys >= 2);
    if !coupled || partners.len() >= LARGEST_UNION {
        return None;
    }
    let members: Vec<&Entry> =
        std::iter::once(entry).chain(partners.keys().filter_map(|id| catalog.entry(id))).collect();
    let mut text = format!("tables joined by {}\n", table.id);
    for member in &members {
        let names: Vec<&str> =
            member.table.columns.iter().take(UNION_COLUMNS).map(|column| column.name.as_str()).collect();
        let more = if member.table.columns.len() > UNION_COLUMNS { ", …" } else { "" };
        let _ = writeln!(text, "{} ({}{more})", member.table.id.local(), names.join(", "));
    }
    for key in &table.foreign_keys {
        push_join(&mut text, &table.id, &key.columns, &key.ref_table, &key.ref_columns);
    }
    let related: Vec<TableId> = partners.keys().map(|&id| id.clone()).collect();
    let keywords = keywords_of(members.iter().map(|member| member.table.id.name.as_str()));
    Some(new_chunk(table.id.clone(), ChunkKind::Union, None, related, keywords, text))
}

/// An approved question with its SQL; what isn't approved makes no chunk, nor what counts for its author alone: whoever searches
/// reads all chunks.
fn example_chunk(memory: &Memory, catalog: &Catalog) -> Option<Chunk> {
    let is_for_all = memory.content.kind == MemoryKind::Approved && !memory.content.reach.private;
    if !is_for_all || memory.state != MemoryState::Active {
        return None;
    }
    let mut tables = tables_named_in(&memory.content.sql, &memory.content.source, catalog).into_iter();
    let table = tables.next()?;
    let text = format!("{}\n{}\n", memory.content.question, memory.content.sql);
    let keywords = keywords_of(std::iter::once(memory.content.question.as_str()));
    let number = u32::try_from(memory.id.0).unwrap_or(u32::MAX);
    Some(new_chunk(table, ChunkKind::Example { number }, None, tables.collect(), keywords, text))
}

/// Tables named after FROM and JOIN, in order. The statement has been approved, so a look at its words is enough.
fn tables_named_in(sql: &str, source: &str, catalog: &Catalog) -> Vec<TableId> {
    let mut tables = Vec::new();
    let words: Vec<&str> = sql.split_whitespace().collect();
    for pair in words.windows(2) {
        if !pair[0].eq_ignore_ascii_case("from") && !pair[0].eq_ignore_ascii_case("join") {
            continue;
        }
        let name: String = pair[1].chars().filter(|character| !"\"`'[](),;".contains(*character)).collect();
        if let [entry] = catalog.find(&name, Some(source)).as_slice()
            && !tables.contains(&entry.table.id)
        {
            tables.push(entry.table.id.clone());
        }
    }
    tables
}

fn related_tables(entry: &Entry, references: &References<'_>) -> Vec<TableId> {
    let mut related: Vec<TableId> = Vec::new();
    let there = entry.table.foreign_keys.iter().map(|key| &key.ref_table);
    let here = references.get(&entry.table.id).into_iter().flatten().map(|(table, ..)| *table);
    for table in there.chain(here).filter(|&table| table != &entry.table.id) {
        if !related.contains(table) {
            related.push(table.clone());
        }
    }
    related
}

fn keywords_of<'n>(names: impl Iterator<Item = &'n str>) -> Box<str> {
    let mut keywords: Vec<String> = Vec::new();
    for name in names {
        for word in terms::text_terms(name) {
            if keywords.len() < KEYWORDS && !keywords.contains(&word) {
                keywords.push(word);
            }
        }
    }
    keywords.join(" ").into()
}

fn cut(value: &str) -> String {
    if value.chars().count() <= LONGEST_CELL {
        return value.replace('\n', " ");
    }
    let mut short: String = value.chars().take(LONGEST_CELL).collect::<String>().replace('\n', " ");
    short.push('…');
    short
}

#[cfg(test)]
mod tests;
