//! What is known of each unit before anything is asked: where it belongs, and what it is.
//!
//! Tables of a question come from one source, one schema, one connected group, often one module; and some tables are needed
//! oftener than others whatever is asked. Counted once for a catalog.

use std::collections::HashMap;

use catalog::Catalog;
use index::Index;

use crate::graph::JoinGraph;
use crate::numbers::Numbered;
use crate::relations::Relations;

/// Which surroundings each unit belongs to.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// Number of the source, the schema in it, and the connected group in that, of each unit.
    pub(crate) source: Vec<usize>,
    pub(crate) schema: Vec<usize>,
    pub(crate) group: Vec<usize>,
    /// Number of the module: tables of one schema whose names begin with the same word.
    pub(crate) module: Vec<usize>,
    /// Units in the schema and in the module of each unit, logarithms.
    pub(crate) schema_size: Vec<f32>,
    pub(crate) module_size: Vec<f32>,
    /// Numbers in the names of each unit.
    pub(crate) numbers: Vec<Numbered>,
    /// What doesn't depend on the question.
    pub(crate) standing: Vec<Standing>,
}

/// What is known of a unit before anything is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    pub(crate) columns: f32,
    pub(crate) keys: f32,
    pub(crate) relations: f32,
    pub(crate) members: f32,
    pub(crate) is_view: f32,
    pub(crate) is_copy: f32,
    /// Logarithm; -1 where it isn't known.
    pub(crate) rows: f32,
    /// Above or below the mean of its source; 0 where it isn't known.
    pub(crate) rows_beside: f32,
    pub(crate) has_comment: f32,
    pub(crate) name_words: f32,
}

/// Of the units of an index; `tables` are their positions in the catalog.
pub(crate) fn surroundings_of(
    catalog: &Catalog,
    index: &Index,
    graph: &JoinGraph,
    relations: &Relations,
    tables: &[Option<usize>],
) -> Surroundings {
    let components = graph.components();
    let mut sources: HashMap<&str, usize> = HashMap::new();
    let mut schemas: HashMap<(usize, Option<String>), usize> = HashMap::new();
    let mut groups: HashMap<(usize, usize), usize> = HashMap::new();
    let mut modules: HashMap<(usize, String), usize> = HashMap::new();
    let mut surroundings = Surroundings::default();
    for (unit, &table) in index.units().iter().zip(tables) {
        let source = numbered(&mut sources, unit.table.source.as_str());
        let schema = numbered(&mut schemas, (source, unit.table.schema.as_deref().map(index::fold_name)));
        let component = table.map_or(usize::MAX, |table| components[table]);
        surroundings.group.push(numbered(&mut groups, (source, component)));
        let first_word = words::in_identifier(&unit.table.name).into_iter().next().unwrap_or_default();
        surroundings.module.push(numbered(&mut modules, (schema, first_word)));
        surroundings.numbers.push(Numbered::new(unit.members.iter().map(|member| member.name.as_str())));
        surroundings.source.push(source);
        surroundings.schema.push(schema);
    }
    surroundings.schema_size = sizes(&surroundings.schema);
    surroundings.module_size = sizes(&surroundings.module);
    surroundings.standing = standings(catalog, index, relations, tables, &surroundings.source);
    surroundings
}

fn numbered<K: std::hash::Hash + Eq>(known: &mut HashMap<K, usize>, key: K) -> usize {
    let next = known.len();
    *known.entry(key).or_insert(next)
}

/// The logarithm of how many units have the same number, for each.
fn sizes(numbers: &[usize]) -> Vec<f32> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    numbers.iter().for_each(|&number| *counts.entry(number).or_default() += 1);
    numbers.iter().map(|number| (counts[number] as f32).ln()).collect()
}

fn standings(
    catalog: &Catalog,
    index: &Index,
    relations: &Relations,
    tables: &[Option<usize>],
    sources: &[usize],
) -> Vec<Standing> {
    let mut standings: Vec<Standing> = Vec::with_capacity(tables.len());
    let mut by_source: HashMap<usize, (f32, f32)> = HashMap::new();
    for (number, (unit, &table)) in index.units().iter().zip(tables).enumerate() {
        let Some(position) = table else {
            standings.push(Standing::default());
            continue;
        };
        let table = &catalog.entries()[position].table;
        let rows = table.row_count.as_ref().map_or(-1.0, |rows| (rows.value as f32).ln_1p());
        if rows >= 0.0 {
            let (sum, count) = by_source.entry(sources[number]).or_default();
            (*sum, *count) = (*sum + rows, *count + 1.0);
        }
        standings.push(Standing {
            columns: (table.columns.len() as f32).ln_1p(),
            keys: (relations.keyed(number).len() as f32).ln_1p(),
            relations: (relations.related(number).len() as f32).ln_1p(),
            members: (unit.members.len() as f32).ln(),
            is_view: f32::from(u8::from(table.kind != catalog::TableKind::Table)),
            is_copy: f32::from(u8::from(catalog.look_alike(position).is_some())),
            rows,
            rows_beside: 0.0,
            has_comment: f32::from(u8::from(table.comment.is_some())),
            name_words: words::in_identifier(&table.id.name).len() as f32,
        });
    }
    for (standing, source) in standings.iter_mut().zip(sources) {
        if let Some((sum, count)) = by_source.get(source).filter(|_| standing.rows >= 0.0) {
            standing.rows_beside = standing.rows - sum / count;
        }
    }
    standings
}
