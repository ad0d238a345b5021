//! What an unknown or ambiguous column can have meant: a column of another table in FROM, a column of a table that has
//! to be joined first, or the same name in another spelling.
//!
//! Small models know the columns and lose track of which table has them: of 14 drafts for 60 training questions that
//! could not run, 9 were of the first two kinds.

use std::ops::Range;

use catalog::{Catalog, Dialect, TableId};
use guard::{Finding, Verdict};
use link::{JoinStep, join_paths};

use super::text::{from_end, innermost, same_reference, selects, unquoted, written_column};

/// Joins put in at most, to reach a column.
const MOST_JOINS: usize = 3;
/// Tables tried for a column that none in FROM has.
const MOST_TABLES: usize = 4;

/// Where a repair may look.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'s> {
    pub(crate) catalog: &'s Catalog,
    pub(crate) dialect: &'s Dialect,
    /// Tables that fit the question, best first: those a missing column is looked for in.
    pub(crate) tables: &'s [TableId],
}

/// A base table in FROM, under the name it can be referred to by.
struct Relation {
    name: String,
    table: TableId,
    at: usize,
}

/// Statements in which the unknown column of `finding` is replaced by a real one, best first.
pub(crate) fn for_unknown_column(
    sql: &str,
    verdict: &Verdict,
    finding: &Finding,
    around: &Surroundings<'_>,
) -> Vec<String> {
    let Some(span) = finding.span else { return Vec::new() };
    let Some((qualifier, name)) = written_column(sql, span.start..span.end) else { return Vec::new() };
    let column = unquoted(&sql[name.clone()]);
    let whole = qualifier.as_ref().map_or(name.start, |qualifier| qualifier.start)..name.end;
    let relations = relations(sql, verdict);
    let selects = selects(sql);
    let here = innermost(&selects, whole.start);
    // What is wrong in the select list is as wrong in ORDER BY, and has to be repaired together with it.
    let written: Vec<Range<usize>> =
        same_reference(sql, &whole).into_iter().filter(|place| innermost(&selects, place.start) == here).collect();
    let mut repairs = Vec::new();
    let mut nearest: Vec<&Relation> = relations
        .iter()
        .filter(|relation| here.is_none_or(|here| innermost(&selects, relation.at) == Some(here)))
        .collect();
    let written_of = qualifier.as_ref().map(|range| unquoted(sql[range.clone()].trim_end_matches('.')));
    let named = nearest
        .iter()
        .find(|relation| written_of.as_ref().is_some_and(|qualifier| relation.name.eq_ignore_ascii_case(qualifier)));
    if let Some(relation) = named
        && let Some(key) = key_meant(around.catalog, &relation.table, &column)
    {
        let reference = qualified(&relation.name, &key, around.dialect);
        repairs.push(edited(sql, written.iter().map(|place| (place.clone(), reference.clone())).collect()));
    }
    for relation in &nearest {
        if let Some(real) = column_of(around.catalog, &relation.table, &column) {
            let reference = qualified(&relation.name, &real, around.dialect);
            repairs.push(edited(sql, written.iter().map(|place| (place.clone(), reference.clone())).collect()));
        }
    }
    if repairs.is_empty() {
        nearest.sort_by_key(|relation| relation.at);
        let present: Vec<(&str, &TableId)> =
            nearest.iter().map(|relation| (relation.name.as_str(), &relation.table)).collect();
        if let Some(end) = here.and_then(|here| from_end(sql, here)) {
            repairs.extend(joined(sql, &written, &column, &present, end, around));
        }
    }
    repairs
}

/// Statements in which an ambiguous column has a qualifier: that of the first table in FROM that has the column.
pub(crate) fn for_ambiguous_column(
    sql: &str,
    verdict: &Verdict,
    finding: &Finding,
    around: &Surroundings<'_>,
) -> Option<String> {
    let span = finding.span?;
    let name = unquoted(sql.get(span.start..span.end)?);
    let selects = selects(sql);
    let here = innermost(&selects, span.start);
    let relations = relations(sql, verdict);
    let owner = relations
        .iter()
        .filter(|relation| here.is_none_or(|here| innermost(&selects, relation.at) == Some(here)))
        .find_map(|relation| Some((relation, column_of(around.catalog, &relation.table, &name)?)));
    let (relation, real) = owner?;
    let reference = qualified(&relation.name, &real, around.dialect);
    Some(edited(sql, vec![(span.start..span.end, reference)]))
}

/// The statement with the tables joined that lead to one that has the column.
fn joined(
    sql: &str,
    written: &[Range<usize>],
    column: &str,
    present: &[(&str, &TableId)],
    from_end: usize,
    around: &Surroundings<'_>,
) -> Vec<String> {
    let owners: Vec<(&TableId, String)> = around
        .tables
        .iter()
        .filter(|id| !present.iter().any(|(_, table)| table == id))
        .filter_map(|id| Some((id, column_of(around.catalog, id, column)?)))
        .take(MOST_TABLES)
        .collect();
    let mut repairs: Vec<(usize, String)> = Vec::new();
    for (owner, real) in owners {
        let Some(joins) = joins_to(owner, present, around) else { continue };
        let text: String = joins.iter().map(|join| format!(" {join}")).collect();
        let reference = qualified(&owner.name, &real, around.dialect);
        let mut edits: Vec<(Range<usize>, String)> =
            written.iter().map(|place| (place.clone(), reference.clone())).collect();
        edits.push((from_end..from_end, text));
        repairs.push((joins.len(), edited(sql, edits)));
    }
    repairs.sort_by_key(|(joins, _)| *joins);
    repairs.into_iter().map(|(_, sql)| sql).collect()
}

/// The JOIN clauses from the tables in FROM to `target`, the shortest way; `None` where no key leads there.
fn joins_to(target: &TableId, present: &[(&str, &TableId)], around: &Surroundings<'_>) -> Option<Vec<String>> {
    let ways = present.iter().filter_map(|(name, table)| {
        let ends = [(*table).clone(), target.clone()];
        let path = join_paths(around.catalog, &ends).into_iter().find(|path| path.tables().contains(&target))?;
        (path.steps.len() <= MOST_JOINS).then_some((*name, *table, path.steps))
    });
    let (name, table, steps) = ways.min_by_key(|(_, _, steps)| steps.len())?;
    let name_of = |id: &TableId| if id == table { name.to_owned() } else { id.name.clone() };
    let mut reached = vec![table.clone()];
    let mut clauses = Vec::new();
    let mut waiting: Vec<&JoinStep> = steps.iter().collect();
    while !waiting.is_empty() {
        let next = waiting.iter().position(|step| reached.contains(&step.left) != reached.contains(&step.right))?;
        let step = waiting.remove(next);
        let added = if reached.contains(&step.left) { &step.right } else { &step.left };
        let conditions: Vec<String> = step
            .left_columns
            .iter()
            .zip(&step.right_columns)
            .map(|(left, right)| {
                format!(
                    "{} = {}",
                    qualified(&name_of(&step.left), left, around.dialect),
                    qualified(&name_of(&step.right), right, around.dialect)
                )
            })
            .collect();
        clauses.push(format!("JOIN {} ON {}", added.written(around.dialect), conditions.join(" AND ")));
        reached.push(added.clone());
    }
    Some(clauses)
}

fn relations(sql: &str, verdict: &Verdict) -> Vec<Relation> {
    let mut relations: Vec<Relation> = verdict
        .reading
        .tables
        .iter()
        .filter_map(|used| {
            let table = used.table.clone()?;
            let name = used.alias.clone().or_else(|| used.parts.last().cloned())?;
            Some(Relation { name, table, at: used.span.map_or(sql.len(), |span| span.start) })
        })
        .collect();
    relations.sort_by_key(|relation| relation.at);
    relations
}

/// The column of that name, as the engine spells it; the same letters without underscores and case count as the same.
fn column_of(catalog: &Catalog, table: &TableId, name: &str) -> Option<String> {
    let table = &catalog.entry(table)?.table;
    let letters =
        |name: &str| -> String { name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let exact = table.column(name);
    let wanted = letters(name);
    let found =
        exact.or_else(|| table.columns.iter().find(|column| !wanted.is_empty() && letters(&column.name) == wanted))?;
    Some(found.name.clone())
}

/// The key of a table that is asked for by the name that others refer to it with: `customers.customer_id` for
/// `customers.id`, where `orders.customer_id` refers to that.
fn key_meant(catalog: &Catalog, table: &TableId, column: &str) -> Option<String> {
    catalog.tables_of(&table.source).flat_map(|entry| &entry.table.foreign_keys).find_map(|key| {
        let [from] = key.columns.as_slice() else { return None };
        let [to] = key.ref_columns.as_slice() else { return None };
        (key.ref_table == *table && from.eq_ignore_ascii_case(column)).then(|| to.clone())
    })
}

fn qualified(relation: &str, column: &str, dialect: &Dialect) -> String {
    format!("{}.{}", dialect.identifier(relation), dialect.identifier(column))
}

/// The statement with each range replaced by its text. Ranges may not overlap.
fn edited(sql: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = String::with_capacity(sql.len());
    let mut copied = 0;
    for (range, by) in edits {
        text.push_str(&sql[copied..range.start]);
        text.push_str(&by);
        copied = range.end;
    }
    text.push_str(&sql[copied..]);
    text
}
