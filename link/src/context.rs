//! What a model gets to read: the relevant tables as compact DDL, within a budget of tokens.
//!
//! A model copies names from what it sees, so names stand exactly as the engine spells them. Wide tables show their keys
//! and the columns that fit the question; values stand as comments only where the question named them or where a column
//! has few. What doesn't fit is left out from the end of the ranking, and the reader is told.

use std::fmt::Write as _;

use catalog::{Catalog, Column, Dialect, Entry, Table, TableId};
use index::estimate_tokens;

use crate::linked::{Linked, RankedTable, Strategy, ValueHit};

/// Columns up to which a table is shown whole.
const NARROW: usize = 20;
/// Columns that a wide table shows besides its keys.
const LINKED_COLUMNS: usize = 16;
/// Values of a column that are shown when all of them are known.
const SHOWN_VALUES: usize = 6;
/// Characters of a value or comment shown.
const LONGEST_TEXT: usize = 60;
/// Characters of what people wrote.
const LONGEST_OF_PEOPLE: usize = 400;
/// Tokens of a column line, for estimates.
const TOKENS_PER_COLUMN: usize = 7;
/// Tokens of a table's first and last line, for estimates.
const TOKENS_PER_TABLE: usize = 12;

/// What a model gets to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Compact DDL with comments.
    pub text: String,
    /// The tables in it.
    pub tables: Vec<TableId>,
    /// Estimated tokens of the text.
    pub tokens: usize,
    /// The names of the chunks it rests on.
    pub chunks: Vec<String>,
    /// Relevant tables that didn't fit.
    pub omitted: Vec<TableId>,
}

/// The schema that a model needs for the question, in at most `budget_tokens`; the best table is always in it, with as
/// many columns as fit.
pub fn context(catalog: &Catalog, linked: &Linked, budget_tokens: usize) -> Context {
    let full = matches!(linked.strategy, Strategy::Full { .. });
    let wanted: Vec<&RankedTable> = linked.tables.iter().filter(|table| full || table.relevant).collect();
    let mut context =
        Context { text: String::new(), tables: Vec::new(), tokens: 0, chunks: Vec::new(), omitted: Vec::new() };
    for table in wanted {
        let Some(entry) = catalog.entry(&table.id) else { continue };
        let dialect = catalog.dialect(&table.id.source);
        let values: Vec<&ValueHit> = linked.values.iter().filter(|hit| hit.table == table.id).collect();
        let room = budget_tokens.saturating_sub(context.tokens);
        let detail = [Detail::Full, Detail::Linked, Detail::Keys];
        let fitting = detail
            .into_iter()
            .map(|detail| ddl(entry, table, &values, dialect, detail))
            .find(|text| estimate_tokens(text) <= room);
        let text = match fitting {
            Some(text) => text,
            None if context.tables.is_empty() => {
                cut_to(ddl(entry, table, &values, dialect, Detail::Keys), budget_tokens)
            }
            None => {
                context.omitted.push(table.id.clone());
                continue;
            }
        };
        context.tokens += estimate_tokens(&text);
        context.text.push_str(&text);
        context.tables.push(table.id.clone());
    }
    push_joins(&mut context, catalog, linked, budget_tokens);
    context.chunks = linked
        .chunks
        .iter()
        .filter(|used| context.tables.contains(&used.table))
        .map(|used| used.chunk.clone())
        .collect();
    context.tokens = estimate_tokens(&context.text);
    context
}

/// How much of a table is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// All columns of a narrow table, keys and linked columns of a wide one, with hints.
    Full,
    /// Keys and linked columns, without hints.
    Linked,
    /// Keys and the few best columns.
    Keys,
}

fn ddl(entry: &Entry, ranked: &RankedTable, values: &[&ValueHit], dialect: &Dialect, detail: Detail) -> String {
    let table = &entry.table;
    let mut text = format!("CREATE TABLE {} (", table.id.written(dialect));
    let summary = entry.summary().filter(|_| detail == Detail::Full);
    if let Some(summary) = told(entry.peoples_purpose(), summary) {
        let _ = write!(text, " -- {summary}");
    }
    text.push('\n');
    let shown = shown(table, ranked, values, detail);
    let left_out = table.columns.len() - shown.len();
    for column in shown {
        let _ = write!(text, "  {} {}", dialect.identifier(&column.name), entry.shown_type(column).trim());
        if table.primary_key.len() == 1 && table.primary_key[0] == column.name {
            text.push_str(" PRIMARY KEY");
        }
        text.push(',');
        let hints = column_hints(entry, &column.name, values, dialect, detail);
        if !hints.is_empty() {
            let _ = write!(text, " -- {}", hints.join("; "));
        }
        text.push('\n');
    }
    if table.primary_key.len() > 1 {
        let _ = writeln!(text, "  PRIMARY KEY ({}),", identifiers(&table.primary_key, dialect));
    }
    if left_out > 0 {
        let _ = writeln!(text, "  -- {left_out} more columns");
    }
    text.push_str(");\n");
    text
}

/// The columns of a table that a context shows where there is room, in the table's order.
pub fn shown_columns<'t>(table: &'t Table, ranked: &RankedTable, values: &[ValueHit]) -> Vec<&'t Column> {
    let values: Vec<&ValueHit> = values.iter().filter(|hit| hit.table == table.id).collect();
    shown(table, ranked, &values, Detail::Full)
}

fn shown<'t>(table: &'t Table, ranked: &RankedTable, values: &[&ValueHit], detail: Detail) -> Vec<&'t Column> {
    let linked = match detail {
        Detail::Full if table.columns.len() <= NARROW => table.columns.len(),
        Detail::Full | Detail::Linked => LINKED_COLUMNS,
        Detail::Keys => LINKED_COLUMNS / 3,
    };
    let best: Vec<&str> = ranked.columns.iter().take(linked).map(|column| column.name.as_str()).collect();
    let is_shown = |(position, column): &(usize, &Column)| {
        let is_key = table.primary_key.contains(&column.name)
            || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
        let is_valued = values.iter().any(|hit| hit.column == column.name);
        let is_early = ranked.columns.is_empty() && *position < linked;
        is_key || is_valued || is_early || best.contains(&column.name.as_str())
    };
    table.columns.iter().enumerate().filter(is_shown).map(|(_, column)| column).collect()
}

/// A table with all its columns, as it is shown to an agent that asks for it.
pub fn whole_table(entry: &Entry, dialect: &Dialect) -> String {
    let mut text = format!("CREATE TABLE {} (\n", entry.table.id.written(dialect));
    for column in &entry.table.columns {
        let _ = write!(text, "  {} {},", dialect.identifier(&column.name), entry.shown_type(column).trim());
        let hints = column_hints(entry, &column.name, &[], dialect, Detail::Full);
        if !hints.is_empty() {
            let _ = write!(text, " -- {}", hints.join("; "));
        }
        text.push('\n');
    }
    text.push_str(");\n");
    text
}

fn column_hints(entry: &Entry, column: &str, values: &[&ValueHit], dialect: &Dialect, detail: Detail) -> Vec<String> {
    let mut hints = Vec::new();
    let description = entry.column_description(column).filter(|_| detail == Detail::Full);
    hints.extend(told(entry.peoples_column_description(column), description));
    for hit in values.iter().filter(|hit| hit.column == column).take(3) {
        hints.push(if hit.asked == hit.stored {
            format!("holds {}", dialect.literal(&short(&hit.stored)))
        } else {
            format!("holds {} for {}", dialect.literal(&short(&hit.stored)), hit.asked)
        });
    }
    if detail == Detail::Full
        && let Some(all) = entry.all_values(column)
        && hints.iter().all(|hint| !hint.starts_with("holds"))
        && (2..=SHOWN_VALUES).contains(&all.len())
        && all.iter().any(|value| value.chars().any(char::is_alphabetic))
    {
        let shown: Vec<String> = all.iter().map(|value| dialect.literal(&short(value))).collect();
        hints.push(shown.join(", "));
    }
    hints
}

fn push_joins(context: &mut Context, catalog: &Catalog, linked: &Linked, budget_tokens: usize) {
    for step in linked.joins.iter().flat_map(|path| &path.steps) {
        if !context.tables.contains(&step.left) || !context.tables.contains(&step.right) {
            continue;
        }
        let line = format!("-- join {}\n", step.condition(catalog.dialect(&step.left.source)));
        if context.tokens + estimate_tokens(&line) > budget_tokens {
            return;
        }
        context.tokens += estimate_tokens(&line);
        context.text.push_str(&line);
    }
}

/// Estimated tokens of the context of these tables, without writing it.
pub(crate) fn estimate_tables<'t>(catalog: &Catalog, tables: impl Iterator<Item = &'t RankedTable>) -> usize {
    tables
        .filter_map(|table| catalog.entry(&table.id))
        .map(|entry| TOKENS_PER_TABLE + TOKENS_PER_COLUMN * entry.table.columns.len().min(NARROW))
        .sum()
}

/// Estimated tokens of these tables with all their columns, or `None` as soon as they exceed the budget.
pub(crate) fn estimate_full<'t>(
    catalog: &Catalog,
    tables: impl Iterator<Item = &'t TableId>,
    budget: usize,
) -> Option<usize> {
    let mut tokens = 0;
    for entry in tables.filter_map(|id| catalog.entry(id)) {
        tokens += TOKENS_PER_TABLE + TOKENS_PER_COLUMN * entry.table.columns.len();
        if tokens > budget {
            return None;
        }
    }
    Some(tokens)
}

fn cut_to(mut text: String, budget_tokens: usize) -> String {
    while estimate_tokens(&text) > budget_tokens {
        let Some(end) = text.trim_end().rfind('\n') else { break };
        text.truncate(end + 1);
    }
    text
}

fn identifiers(names: &[String], dialect: &Dialect) -> String {
    names.iter().map(|name| dialect.identifier(name)).collect::<Vec<_>>().join(", ")
}

/// What people wrote, which a model can't know otherwise, in preference to what was generated.
fn told(peoples: Option<&str>, generated: Option<&str>) -> Option<String> {
    let words = |text: &&str| !text.trim().is_empty();
    let peoples = peoples.filter(words).map(|text| cut(text, LONGEST_OF_PEOPLE));
    peoples.or_else(|| generated.filter(words).map(short))
}

fn short(text: &str) -> String {
    cut(text, LONGEST_TEXT)
}

/// The text on one line, cut to that many characters.
fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests;
