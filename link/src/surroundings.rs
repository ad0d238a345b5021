//! What is known of each unit before anything is asked: where it belongs, and what kind of table it is.
//!
//! Tables of a question come from one source, one schema, one connected group, often one module; and some tables are needed
//! more often than others whatever is asked. Worked out once for a catalog.

use std::collections::HashMap;

use catalog::Catalog;
use index::{Index, UnitNumber};

use crate::graph::JoinGraph;
use crate::numbering::ListBy;
use crate::numbers::Numbered;
use crate::people;
use crate::relations::Relations;

/// Which surroundings each unit belongs to.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// Numbers of each unit's source, schema, and group that keys connect.
    pub(crate) source: ListBy<UnitNumber, usize>,
    pub(crate) schema: ListBy<UnitNumber, usize>,
    pub(crate) group: ListBy<UnitNumber, usize>,
    /// Number of each unit's module: the tables of one schema whose names begin with the same word.
    pub(crate) module: ListBy<UnitNumber, usize>,
    /// Natural logarithms of how many units there are in each unit's schema and module.
    pub(crate) schema_size: ListBy<UnitNumber, f32>,
    pub(crate) module_size: ListBy<UnitNumber, f32>,
    /// Numbers in the names of each unit.
    pub(crate) numbers: ListBy<UnitNumber, Numbered>,
    /// What doesn't depend on the question.
    pub(crate) facts: ListBy<UnitNumber, UnitFacts>,
}

/// What is known of a unit before anything is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnitFacts {
    pub(crate) columns: f32,
    pub(crate) keys: f32,
    pub(crate) relations: f32,
    /// Natural logarithms of one more than the units that refer to it, and that it refers to.
    pub(crate) referring: f32,
    pub(crate) referred: f32,
    /// `referring` over the highest of its source.
    pub(crate) referring_of_most: f32,
    pub(crate) members: f32,
    pub(crate) is_view: f32,
    pub(crate) is_copy: f32,
    /// Natural logarithm of one more; -1 where it isn't known.
    pub(crate) rows: f32,
    /// `rows` less the mean of its source; 0 where it isn't known.
    pub(crate) rows_beside: f32,
    pub(crate) has_comment: f32,
    pub(crate) name_words: f32,
    /// Natural logarithm of one more than the columns that say that its rows are people.
    pub(crate) people_columns: f32,
    /// Whether a column names its rows.
    pub(crate) has_name: f32,
    /// How far its name says that its rows are people or organisations.
    pub(crate) named_for_people: f32,
}

/// The surroundings of an index's units; `tables` are their positions in the catalog.
pub(crate) fn surroundings_of(
    catalog: &Catalog,
    index: &Index,
    graph: &JoinGraph,
    relations: &Relations,
    tables: &ListBy<UnitNumber, Option<usize>>,
) -> Surroundings {
    let components = graph.components();
    let mut sources: HashMap<&str, usize> = HashMap::new();
    let mut schemas: HashMap<(usize, Option<String>), usize> = HashMap::new();
    let mut groups: HashMap<(usize, usize), usize> = HashMap::new();
    let mut modules: HashMap<(usize, String), usize> = HashMap::new();
    let (mut of_source, mut of_schema, mut of_group, mut of_module) = (vec![], vec![], vec![], vec![]);
    for (unit, &table) in index.units().iter().zip(tables.iter()) {
        let source = numbered(&mut sources, unit.table.source.as_str());
        let schema = numbered(&mut schemas, (source, unit.table.schema.as_deref().map(index::fold_name)));
        let component = table.map_or(usize::MAX, |table| components[table]);
        of_group.push(numbered(&mut groups, (source, component)));
        let first_word = unit.name_words().into_iter().next().unwrap_or_default();
        of_module.push(numbered(&mut modules, (schema, first_word)));
        of_source.push(source);
        of_schema.push(schema);
    }
    let source = of_source.into();
    Surroundings {
        schema_size: sizes(&of_schema),
        module_size: sizes(&of_module),
        facts: unit_facts(catalog, index, relations, tables, &source),
        numbers: index.units().iter().map(numbers_of_members).collect(),
        source,
        schema: of_schema.into(),
        group: of_group.into(),
        module: of_module.into(),
    }
}

fn numbers_of_members(unit: &index::Unit) -> Numbered {
    Numbered::new(unit.members.iter().map(|member| member.name.as_str()))
}

fn numbered<K: std::hash::Hash + Eq>(known: &mut HashMap<K, usize>, key: K) -> usize {
    let next = known.len();
    *known.entry(key).or_insert(next)
}

/// The logarithm of how many units have the same number, for each.
fn sizes(numbers: &[usize]) -> ListBy<UnitNumber, f32> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    numbers.iter().for_each(|&number| *counts.entry(number).or_default() += 1);
    numbers.iter().map(|number| (counts[number] as f32).ln()).collect()
}

fn unit_facts(
    catalog: &Catalog,
    index: &Index,
    relations: &Relations,
    tables: &ListBy<UnitNumber, Option<usize>>,
    sources: &ListBy<UnitNumber, usize>,
) -> ListBy<UnitNumber, UnitFacts> {
    let mut unit_facts: Vec<UnitFacts> = Vec::with_capacity(tables.len());
    let mut by_source: HashMap<usize, (f32, f32)> = HashMap::new();
    let mut most_referring: HashMap<usize, f32> = HashMap::new();
    for (number, unit) in index.numbered_units() {
        let Some(position) = tables[number] else {
            unit_facts.push(UnitFacts::default());
            continue;
        };
        let table = &catalog.entries()[position].table;
        let rows = table.row_count.as_ref().map_or(-1.0, |rows| (rows.value as f32).ln_1p());
        if rows >= 0.0 {
            let (sum, count) = by_source.entry(sources[number]).or_default();
            (*sum, *count) = (*sum + rows, *count + 1.0);
        }
        let referring = (relations.referring_count(number) as f32).ln_1p();
        let most = most_referring.entry(sources[number]).or_default();
        *most = most.max(referring);
        unit_facts.push(UnitFacts {
            columns: (table.columns.len() as f32).ln_1p(),
            keys: (relations.keyed(number).len() as f32).ln_1p(),
            relations: (relations.related(number).len() as f32).ln_1p(),
            referring,
            referred: (relations.referred(number).len() as f32).ln_1p(),
            referring_of_most: 0.0,
            members: (unit.members.len() as f32).ln(),
            is_view: f32::from(u8::from(table.kind != catalog::TableKind::Table)),
            is_copy: f32::from(u8::from(catalog.look_alike(position).is_some())),
            rows,
            rows_beside: 0.0,
            has_comment: f32::from(u8::from(table.comment.is_some())),
            name_words: unit.name_words().len() as f32,
            people_columns: (people::people_columns(table) as f32).ln_1p(),
            has_name: f32::from(u8::from(people::has_name(table))),
            named_for_people: people::named_for_people(table),
        });
    }
    for (facts, source) in unit_facts.iter_mut().zip(sources.iter()) {
        if let Some((sum, count)) = by_source.get(source).filter(|_| facts.rows >= 0.0) {
            facts.rows_beside = facts.rows - sum / count;
        }
        if let Some(most) = most_referring.get(source).filter(|most| **most > 0.0) {
            facts.referring_of_most = facts.referring / most;
        }
    }
    unit_facts.into()
}
