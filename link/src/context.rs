//! What a model gets to read: the relevant tables as compact DDL, within a budget of tokens.
//!
//! A model copies names from what it sees, so names stand exactly as the engine spells them. First every likely table gets
//! its least, best table first; then what is left of the budget goes into saying more, best table first. So the best ones
//! are shown whole, the others with their keys, and a schema that fits is given with every column. The caller names what
//! was left out.

mod ddl;
mod hints;

use std::collections::HashSet;

use catalog::{Catalog, Entry, TableId};
use index::estimate_tokens;

use self::ddl::{Detail, Place, brief, ddl};
pub use self::ddl::{shown_columns, whole_table};
use crate::linked::{JoinPath, JoinStep, Linked, RankedTable, Strategy, ValueHit};

/// Tokens of a column line, for estimates.
const TOKENS_PER_COLUMN: usize = 7;
/// Tokens of a table's first and last line, for estimates.
const TOKENS_PER_TABLE: usize = 12;
/// Business terms that are told.
const MOST_TERMS: usize = 6;
/// The share of the budget that the best table may take before others have their least.
const SHARE_OF_BEST: f32 = 0.6;

/// Tables of which all that is to be known is told before others are named.
const BEST: usize = 3;
/// Tables that are told in a line, at most, and the share of the budget that they may take.
const BRIEFED: usize = 12;
const SHARE_OF_BRIEFS: f32 = 0.25;

/// A table this many times less likely than the best one is only named: live agents were asked what they hadn't needed.
const TIMES_LESS_LIKELY: f32 = 7.0;
/// A table this many times less likely isn't told of what its rows say: over the shop's questions one such fact in seventeen bore
/// on what the answer reads, of those of the likeliest two in three. The guard tells them where the table is used.
const TIMES_LESS_TELLING: f32 = 5.0;

/// What a model gets to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Compact DDL with comments.
    pub text: String,
    /// The tables in it.
    pub tables: Vec<TableId>,
    /// Those of them that are shown with all columns and what is to be known of these.
    pub whole: Vec<TableId>,
    /// Estimated tokens of the text.
    pub tokens: usize,
    /// The names of the chunks it rests on.
    pub chunks: Vec<String>,
    /// Relevant tables that didn't fit or are far less likely than those that are shown.
    pub omitted: Vec<TableId>,
    /// Those of them, and unlikely tables, that are told in a line.
    pub briefed: Vec<TableId>,
}

/// A table of the context, as far as it is shown.
struct Part<'c> {
    entry: &'c Entry,
    ranked: &'c RankedTable,
    values: Vec<&'c ValueHit>,
    text: String,
    tokens: usize,
    detail: Detail,
    place: Place<'c>,
}

impl<'c> Part<'c> {
    fn of(
        catalog: &'c Catalog,
        linked: &'c Linked,
        needed: &'c HashSet<&'c TableId>,
        ranked: &'c RankedTable,
        detail: Detail,
        tells_facts: bool,
    ) -> Option<Self> {
        let entry = catalog.entry(&ranked.id)?;
        let values = linked.values.iter().filter(|hit| hit.table == ranked.id).collect();
        let place = Place::of(catalog, &entry.table).among(needed, tells_facts);
        let mut part = Self { entry, ranked, values, text: String::new(), tokens: 0, detail, place };
        part.text = part.written(detail);
        part.tokens = estimate_tokens(&part.text);
        Some(part)
    }

    fn written(&self, detail: Detail) -> String {
        ddl(self.entry, self.ranked, &self.values, self.place, detail)
    }

    /// Says as much more as fits in `room` more tokens.
    fn grow(&mut self, room: usize) {
        for &detail in self.detail.richer() {
            let text = self.written(detail);
            let tokens = estimate_tokens(&text);
            if tokens <= self.tokens + room {
                (self.text, self.tokens, self.detail) = (text, tokens, detail);
                return;
            }
        }
    }
}

/// The schema that a model needs for the question, in at most `budget_tokens`; the best table is always in it, with as
/// many columns as fit.
pub fn context<'c>(catalog: &'c Catalog, linked: &'c Linked, budget_tokens: usize) -> Context {
    let fits = matches!(linked.strategy, Strategy::Full { .. })
        && estimate_full(catalog, linked.tables.iter(), budget_tokens).is_some();
    let least = if fits { Detail::Columns } else { Detail::Keys };
    let is_likely = likely(linked);
    let (likely, unlikely): (Vec<&RankedTable>, Vec<&RankedTable>) =
        linked.relevant().partition(|table| fits || is_likely(&table.id));
    let terms = terms(linked);
    let budget_tokens = budget_tokens.saturating_sub(estimate_tokens(&terms));
    let needed: HashSet<&TableId> = linked.relevant().map(|table| &table.id).collect();
    let first = likely.iter().map(|table| table.score).fold(0.0, f32::max);
    let mut wanted = likely.into_iter().enumerate();
    let part = |(rank, table): (usize, &'c RankedTable)| {
        let tells_facts = rank == 0 || table.score * TIMES_LESS_TELLING >= first;
        Part::of(catalog, linked, &needed, table, least, tells_facts)
    };
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut left_out: Vec<&RankedTable> = Vec::new();
    let mut spent = 0;
    if let Some(mut best) = wanted.find_map(part) {
        let share = (budget_tokens as f32 * SHARE_OF_BEST) as usize;
        best.grow(share.saturating_sub(best.tokens));
        if best.tokens > budget_tokens {
            best.text = cut_to(best.text, budget_tokens);
            best.tokens = estimate_tokens(&best.text);
        }
        spent = best.tokens;
        parts.push(best);
    }
    for (rank, table) in wanted {
        let Some(part) = part((rank, table)) else { continue };
        if spent + part.tokens > budget_tokens {
            left_out.push(table);
            continue;
        }
        spent += part.tokens;
        parts.push(part);
    }
    left_out.extend(unlikely);
    let tables: Vec<TableId> = parts.iter().map(|part| part.ranked.id.clone()).collect();
    let joins = joins(catalog, linked, &tables, budget_tokens.saturating_sub(spent));
    spent += estimate_tokens(&joins);
    // What is to be known of the best comes before others' names.
    for part in parts.iter_mut().take(BEST) {
        let before = part.tokens;
        part.grow(budget_tokens.saturating_sub(spent));
        spent = spent + part.tokens - before;
    }
    let room = budget_tokens.saturating_sub(spent).min((budget_tokens as f32 * SHARE_OF_BRIEFS) as usize);
    let perhaps = left_out.iter().copied().chain(linked.unlikely().filter(|_| !fits));
    let (briefs, briefed) = briefs(catalog, perhaps, &tables, room);
    spent += estimate_tokens(&briefs);
    for part in parts.iter_mut().skip(BEST) {
        let before = part.tokens;
        part.grow(budget_tokens.saturating_sub(spent));
        // In more detail it can be shorter: without the line that says how much is left out.
        spent = spent + part.tokens - before;
    }
    let whole = parts.iter().filter(|part| part.detail == Detail::Whole).map(|part| part.ranked.id.clone()).collect();
    let mut text: String = std::iter::once(terms.as_str()).chain(parts.iter().map(|part| part.text.as_str())).collect();
    text.push_str(&joins);
    text.push_str(&briefs);
    let is_shown = |id: &TableId| tables.contains(id);
    let chunks = linked.chunks.iter().filter(|used| is_shown(&used.table)).map(|used| used.chunk.clone());
    let omitted = left_out.iter().map(|table| table.id.clone()).collect();
    Context { tokens: estimate_tokens(&text), chunks: chunks.collect(), text, tables, whole, omitted, briefed }
}

/// Tables that the question perhaps needs, best first, a line each.
fn briefs<'t>(
    catalog: &Catalog,
    perhaps: impl Iterator<Item = &'t RankedTable>,
    shown: &[TableId],
    room: usize,
) -> (String, Vec<TableId>) {
    let (mut text, mut briefed, mut spent) = (String::new(), Vec::new(), 0);
    for ranked in perhaps.take(BRIEFED) {
        let Some(entry) = catalog.entry(&ranked.id) else { continue };
        let line = brief(entry, ranked, Place::of(catalog, &entry.table), shown);
        spent += estimate_tokens(&line);
        if spent > room {
            break;
        }
        text.push_str(&line);
        briefed.push(ranked.id.clone());
    }
    (text, briefed)
}

/// What the question's business terms mean here, a line each: who writes the query needs that before all else.
fn terms(linked: &Linked) -> String {
    let lines = linked.terms.iter().take(MOST_TERMS).map(|term| ddl::on_one_line(&term.in_words()).into_owned());
    lines.map(|line| format!("-- {line}\n")).collect()
}

/// Whether a table is worth showing: it is likely enough beside the best one, or two that are can only be joined over it. Those
/// that only their neighbours speak for are needed as often as others: shown in a line each, one question in seven more takes
/// a second call.
fn likely(linked: &Linked) -> impl Fn(&TableId) -> bool {
    let best = linked.tables.iter().map(|table| table.score).fold(0.0, f32::max);
    let likely = linked.tables.iter().filter(|table| table.score * TIMES_LESS_LIKELY >= best);
    let likely: HashSet<&TableId> = likely.map(|table| &table.id).collect();
    let ends_are_likely = |path: &&JoinPath| {
        [path.tables().first(), path.tables().last()].iter().flatten().all(|id| likely.contains(**id))
    };
    let between = linked.joins.iter().filter(ends_are_likely).flat_map(JoinPath::tables);
    let all: HashSet<TableId> = between.chain(likely.iter().copied()).cloned().collect();
    move |id| all.contains(id)
}

/// Whether the column that refers says so itself.
fn is_said(catalog: &Catalog, step: &JoinStep) -> bool {
    let refers = |from: &TableId, columns: &[String], to: &TableId| {
        let keys = catalog.entry(from).map(|entry| entry.table.foreign_keys.as_slice()).unwrap_or_default();
        columns.len() == 1 && keys.iter().any(|key| key.ref_table == *to && key.columns == columns)
    };
    refers(&step.left, &step.left_columns, &step.right) || refers(&step.right, &step.right_columns, &step.left)
}

/// One line for each step between two tables that are shown, unless a column says it.
fn joins(catalog: &Catalog, linked: &Linked, tables: &[TableId], budget_tokens: usize) -> String {
    let mut text = String::new();
    for step in linked.joins.iter().flat_map(|path| &path.steps) {
        if !tables.contains(&step.left) || !tables.contains(&step.right) || is_said(catalog, step) {
            continue;
        }
        let inferred = if step.is_declared() { "" } else { " (inferred)" };
        let line = format!("-- join {}{inferred}\n", step.condition(catalog.dialect(&step.left.source)));
        if estimate_tokens(&text) + estimate_tokens(&line) > budget_tokens {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Estimated tokens of the context of these tables, without writing it.
pub(crate) fn estimate_tables<'t>(catalog: &Catalog, tables: impl Iterator<Item = &'t RankedTable>) -> usize {
    tables
        .filter_map(|table| catalog.entry(&table.id))
        .map(|entry| TOKENS_PER_TABLE + TOKENS_PER_COLUMN * entry.table.columns.len().min(ddl::NARROW))
        .sum()
}

/// Tokens of every table with all its columns and nothing else, or `None` as soon as they exceed the budget.
pub(crate) fn estimate_full<'t>(
    catalog: &Catalog,
    tables: impl Iterator<Item = &'t RankedTable>,
    budget: usize,
) -> Option<usize> {
    let mut tokens = 0;
    for ranked in tables {
        let Some(entry) = catalog.entry(&ranked.id) else { continue };
        // Writing a table of thousands of columns only to see that it is too long would take its time.
        if entry.table.columns.len() > budget {
            return None;
        }
        tokens += estimate_tokens(&ddl(entry, ranked, &[], Place::of(catalog, &entry.table), Detail::Columns));
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

#[cfg(test)]
mod tests;
