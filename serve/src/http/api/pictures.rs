//! What pictures are drawn from: how a table's values are distributed, and which tables refer to which.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Catalog, Entry, Exposure, Histogram, TableId};
use link::Area;
use schemars::JsonSchema;
use serde::Serialize;

use crate::names;
use crate::tools;

/// How a table's values are distributed, as far as that may be told.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProfileDocument {
    /// Missing where the table hasn't been looked at, or why it wasn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    profiled_at: Option<jiff::Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    /// Rows that the figures rest on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_seen: Option<u64>,
    columns: Vec<ColumnPicture>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ColumnPicture {
    name: String,
    /// `number`, `time` or `other`: what a range means.
    kind: &'static str,
    /// Why its values are hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<String>,
    /// Share of rows that are NULL, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    null_share: Option<f64>,
    /// Different values.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<u64>,
    /// The most frequent values, most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    most_common: Vec<Common>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<String>,
    /// How its numbers or days are distributed.
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Histogram>,
    /// Characters, in the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    average_length: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Common {
    value: String,
    /// Of all rows, 0 to 1.
    share: f64,
}

/// Characters of a value.
const VALUE_CHARACTERS: usize = 60;

pub(super) fn profile(entry: &Entry) -> ProfileDocument {
    // What may not be shown isn't in it.
    let profile = entry.profile();
    let columns = entry.table.columns.iter().map(|column| {
        let seen = profile.and_then(|profile| profile.column(&column.name));
        let short = |text: &String| tools::shortened(text, VALUE_CHARACTERS);
        let is_open = matches!(entry.exposure(&column.name), Exposure::Open);
        let open = seen.filter(|_| is_open);
        ColumnPicture {
            name: column.name.clone(),
            kind: match &column.type_class {
                class if class.is_numeric() => "number",
                class if class.is_temporal() => "time",
                _ => "other",
            },
            masked: entry.facts(column).masked.map(str::to_owned),
            null_share: seen.and_then(|seen| seen.null_fraction),
            distinct: open.and_then(|seen| seen.distinct_count),
            most_common: open
                .into_iter()
                .flat_map(|seen| &seen.most_common)
                .map(|common| Common { value: short(&common.value), share: common.fraction })
                .collect(),
            min: open.and_then(|seen| seen.min.as_ref().map(short)),
            max: open.and_then(|seen| seen.max.as_ref().map(short)),
            histogram: open.and_then(|seen| seen.histogram.clone()),
            average_length: open.and_then(|seen| seen.average_length),
        }
    });
    ProfileDocument {
        columns: columns.collect(),
        profiled_at: profile.filter(|profile| profile.skipped.is_none()).map(|profile| profile.profiled_at),
        skipped: profile.and_then(|profile| profile.skipped.clone()),
        rows_seen: profile.map(|profile| profile.rows_seen),
    }
}

/// Which tables refer to which.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Graph {
    tables: Vec<Node>,
    keys: Vec<Edge>,
    /// Tables that are as near as those shown, and left out.
    #[serde(skip_serializing_if = "is_none")]
    omitted: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Serialize, JsonSchema)]
struct Node {
    source: String,
    /// As other documents name it.
    name: String,
    /// Keys over which it is reached from the middle.
    steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    stale: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Edge {
    from: String,
    to: String,
    /// The columns of both sides, as `customer_id = id`.
    on: String,
    /// Only where the key is inferred, not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

/// Tables of a picture: more can't be told apart.
const MOST: usize = 60;

/// The tables that each of these refers to or is referred to by.
fn neighbours<'t>(entries: impl Iterator<Item = &'t Entry>) -> BTreeMap<&'t TableId, BTreeSet<&'t TableId>> {
    let mut neighbours: BTreeMap<&TableId, BTreeSet<&TableId>> = BTreeMap::new();
    for entry in entries {
        for key in &entry.table.foreign_keys {
            neighbours.entry(&entry.table.id).or_default().insert(&key.ref_table);
            neighbours.entry(&key.ref_table).or_default().insert(&entry.table.id);
        }
    }
    neighbours
}

/// The tables within so many keys of one, the nearest first.
pub(super) fn around(catalog: &Catalog, middle: &Entry, steps: usize) -> Graph {
    let neighbours = neighbours(catalog.tables_of(&middle.table.id.source));
    let mut found = vec![(&middle.table.id, 0)];
    let mut seen = BTreeSet::from([&middle.table.id]);
    let mut next = 0;
    while let Some(&(table, distance)) = found.get(next) {
        next += 1;
        if distance < steps {
            let near = neighbours.get(table).into_iter().flatten().filter(|near| seen.insert(**near));
            found.extend(near.map(|near| (*near, distance + 1)));
        }
    }
    Graph::of(catalog, found)
}

impl Graph {
    /// These tables, as many as a picture has room for, and the keys between them.
    fn of<'t>(catalog: &'t Catalog, mut found: Vec<(&'t TableId, usize)>) -> Self {
        let omitted = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        let shown: BTreeSet<&TableId> = found.iter().map(|(table, _)| *table).collect();
        let mut keys = Vec::new();
        for entry in shown.iter().filter_map(|table| catalog.entry(table)) {
            for key in entry.table.foreign_keys.iter().filter(|key| shown.contains(&key.ref_table)) {
                let pairs = key.columns.iter().zip(&key.ref_columns).map(|(from, to)| format!("{from} = {to}"));
                keys.push(Edge {
                    from: names::shown(catalog, &entry.table.id),
                    to: names::shown(catalog, &key.ref_table),
                    on: pairs.collect::<Vec<_>>().join(", "),
                    confidence: tools::confidence(&key.origin),
                });
            }
        }
        let tables = found.iter().filter_map(|(table, steps)| {
            let entry = catalog.entry(table)?;
            Some(Node {
                source: table.source.clone(),
                name: names::shown(catalog, table),
                steps: *steps,
                rows: entry.table.row_count.map(|count| count.value),
                stale: entry.is_stale(),
            })
        });
        Self { tables: tables.collect(), keys, omitted }
    }
}

/// A source's tables and the keys between them: all where there is room, else its areas, or the tables of one.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SchemaGraph {
    source: String,
    /// The hub of the area that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    area: Option<String>,
    #[serde(flatten)]
    graph: Graph,
    /// Areas of the schema, the largest first, where it is too large to be shown whole.
    areas: Vec<AreaNode>,
    /// How many keys lead from one area to another.
    between: Vec<AreaEdge>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AreaNode {
    /// The table that most of its others refer to, by which it is known.
    hub: String,
    tables: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AreaEdge {
    from: String,
    to: String,
    keys: usize,
}

/// The tables of an area as they are reached from its hub over keys, and then the others, each with how many keys away it is.
fn from_the_hub<'t>(catalog: &'t Catalog, area: &'t [TableId]) -> Vec<(&'t TableId, usize)> {
    let neighbours = neighbours(area.iter().filter_map(|table| catalog.entry(table)));
    let within: BTreeSet<&TableId> = area.iter().collect();
    let mut seen: BTreeSet<&TableId> = BTreeSet::new();
    let mut found: Vec<(&TableId, usize)> = Vec::new();
    for start in area {
        let mut next = found.len();
        found.extend(seen.insert(start).then_some((start, 0)));
        while let Some(&(table, steps)) = found.get(next) {
            next += 1;
            let near = neighbours.get(table).into_iter().flatten();
            let near = near.filter(|near| within.contains(**near) && seen.insert(**near));
            found.extend(near.map(|near| (*near, steps + 1)));
        }
    }
    found
}

/// The graph of a source, of whose areas the largest comes first; with a hub that of its area. `None` where no area has it.
pub(super) fn of_schema(catalog: &Catalog, source: &str, areas: &[Area], hub: Option<&str>) -> Option<SchemaGraph> {
    let name = |table: &TableId| names::shown(catalog, table);
    let document = |area: Option<String>, graph: Graph, areas: Vec<AreaNode>, between: Vec<AreaEdge>| SchemaGraph {
        source: source.to_owned(),
        area,
        graph,
        areas,
        between,
    };
    if let Some(hub) = hub {
        let area = areas.iter().find(|area| area.hub().is_some_and(|own| name(own) == hub))?;
        let tables = from_the_hub(catalog, &area.tables);
        return Some(document(Some(hub.to_owned()), Graph::of(catalog, tables), Vec::new(), Vec::new()));
    }
    let all: Vec<(&TableId, usize)> = catalog.tables_of(source).map(|entry| (&entry.table.id, 0)).collect();
    if all.len() <= MOST || areas.is_empty() {
        return Some(document(None, Graph::of(catalog, all), Vec::new(), Vec::new()));
    }
    let place: BTreeMap<&TableId, usize> = areas
        .iter()
        .enumerate()
        .flat_map(|(place, area)| area.tables.iter().map(move |table| (table, place)))
        .collect();
    let mut counted: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for entry in catalog.tables_of(source) {
        for key in &entry.table.foreign_keys {
            if let (Some(&from), Some(&to)) = (place.get(&entry.table.id), place.get(&key.ref_table))
                && from != to
            {
                *counted.entry((from, to)).or_default() += 1;
            }
        }
    }
    let hub = |place: usize| areas[place].hub().map(name).unwrap_or_default();
    let nodes = areas.iter().enumerate().map(|(place, area)| AreaNode { hub: hub(place), tables: area.tables.len() });
    let between = counted.into_iter().map(|((from, to), keys)| AreaEdge { from: hub(from), to: hub(to), keys });
    // What belongs to no area is found by its name.
    let none = Graph { tables: Vec::new(), keys: Vec::new(), omitted: all.len() - place.len() };
    Some(document(None, none, nodes.collect(), between.collect()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use catalog::{Dialect, TableId};
    use link::Area;

    use super::of_schema;

    #[test]
    fn a_large_schema_is_told_by_its_areas_and_one_of_them_from_its_hub_on() {
        let table = |group: &str, number: usize| match number {
            0 => format!("CREATE TABLE {group} (id INTEGER PRIMARY KEY);"),
            1 => format!(
                "CREATE TABLE {group}_1 (id INTEGER PRIMARY KEY, a INTEGER REFERENCES {group} (id), b INTEGER REFERENCES sales (id));"
            ),
            _ => format!(
                "CREATE TABLE {group}_{number} (id INTEGER PRIMARY KEY, a INTEGER REFERENCES {group}_{} (id));",
                number % 2
            ),
        };
        let of_group = |group: &str| {
            (0..40).map(|number| table(group, number)).collect::<String>().replace("_0 (id));", " (id));")
        };
        let ddl = of_group("sales") + &of_group("stock") + "CREATE TABLE alone (id INTEGER);";
        let catalog = testkit::catalog_from_ddl(Dialect::Sqlite, "shop", &ddl);
        let area = |group: &str| {
            let names = (0..40).map(|number| if number == 0 { group.to_owned() } else { format!("{group}_{number}") });
            Area { tables: names.map(|name| TableId::new("shop", name)).collect() }
        };
        let areas = [area("sales"), area("stock")];
        let whole = of_schema(&catalog, "shop", &areas, None).unwrap();
        let hubs: Vec<(&str, usize)> = whole.areas.iter().map(|area| (area.hub.as_str(), area.tables)).collect();
        assert_eq!((hubs, whole.graph.omitted), (vec![("sales", 40), ("stock", 40)], 1));
        let between: Vec<(&str, &str, usize)> =
            whole.between.iter().map(|edge| (edge.from.as_str(), edge.to.as_str(), edge.keys)).collect();
        assert_eq!(between, [("stock", "sales", 1)]);
        let one = of_schema(&catalog, "shop", &areas, Some("stock")).unwrap();
        let steps: Vec<(&str, usize)> = one.graph.tables.iter().map(|node| (node.name.as_str(), node.steps)).collect();
        assert_eq!((steps[0], steps[1].1, steps.last().unwrap().1), (("stock", 0), 1, 2));
        assert_eq!(one.graph.keys.len(), 39, "none leads out of it");
        assert!(of_schema(&catalog, "shop", &areas, Some("alone")).is_none());
        assert_eq!(of_schema(&catalog, "shop", &[], None).unwrap().graph.omitted, 81 - 60);
    }
}
