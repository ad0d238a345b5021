//! Which tables have to do with each other: by keys, by columns that only they share, and by being nearly the same.
//!
//! Where keys are declared or could be inferred, they say which tables are joined. Many warehouses declare none; there,
//! `BUILDING_KEY` in two tables says it, and says it the louder the fewer tables have it. Everything here is counted once
//! for a catalog, and no list is longer than a constant.

use std::collections::{HashMap, HashSet};

use catalog::{Catalog, Entry, Table};
use index::{Index, UnitNumber};

use crate::graph::JoinGraph;
use crate::numbering::ListBy;

/// Tables that may share a column name for it to relate each of them with each other.
const MOST_SHARING: usize = 24;
/// Tables that may share a column name for it to relate any of them.
const MOST_LISTED: usize = 400;
/// Tables that one column name may identify, at most.
const MOST_HOMES: usize = 3;
/// The strength of a shared column that isn't named like a key, as a share of one that is.
const PLAIN: f32 = 0.4;
/// The strength of a shared key between two tables neither of which it identifies, as a share.
const SIBLINGS: f32 = 0.5;
/// The least strength of a shared key where it identifies one of the two tables.
const LEAST_HOME: f32 = 0.3;
/// The strength of a key that refers to a table under another name than it has there.
const REFERENCE: f32 = 0.8;
/// The share of the columns of two tables that both have for them to look alike.
const ALIKE: f32 = 0.6;
/// Tables that each is compared with to see whether they look alike.
const MOST_COMPARED: usize = 64;
/// Relations of one table that are kept.
const MOST_RELATED: usize = 48;

/// Units of a source from which on a column is looked at for being in all of them.
const FEWEST_UNITS: usize = 12;
/// The share of them that have the key of a tenant, and that say who wrote a row under one name.
const OF_TENANTS: f64 = 0.6;
const OF_WRITERS: f64 = 0.15;
/// Words of columns that say who wrote a row, or wrote it last: by themselves, and beside one that says by whom.
const WRITERS: [&str; 4] = ["creator", "modifier", "updater", "writer"];
const WRITTEN: [&str; 16] = [
    "changed", "creat", "create", "created", "creation", "deleted", "edited", "entered", "inserted", "modif",
    "modified", "modify", "update", "updated", "write", "written",
];
const BY_WHOM: [&str; 6] = ["by", "uid", "user", "userid", "usr", "who"];

/// Endings that mark a word as a key without a separator: `kdnr`, `custid`.
const GLUED_KEYS: [&str; 4] = ["id", "nr", "no", "key"];

/// Endings of the names of master tables, which hold the things themselves and not what happens to them.
const MASTERS: [&str; 3] = ["mast", "master", "mst"];

/// Relations between the units of an index.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    /// (unit, strength) of those joined by a declared or inferred key, 0 to 1.
    keyed: Vec<Vec<(UnitNumber, f32)>>,
    /// The same with those that share a column, keyed ones among them.
    related: Vec<Vec<(UnitNumber, f32)>>,
    /// Units with nearly the same columns.
    alike: Vec<Vec<UnitNumber>>,
    /// The units that each refers to, by keys or by columns that are named like another's key, with the strength of the
    /// reference, 0 to 1. Unlike the lists above, these aren't cut: hundreds of tables may refer to a central one.
    referred: Vec<Vec<Reference>>,
    /// How many units refer to each.
    referring: Vec<usize>,
}

/// That a unit refers to another one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    /// The unit that is referred to.
    pub(crate) unit: UnitNumber,
    /// How surely, 0 to 1.
    pub(crate) strength: f32,
    /// Positions of the columns that refer to it.
    pub(crate) columns: Vec<usize>,
}

impl Relations {
    pub(crate) fn new(
        catalog: &Catalog,
        index: &Index,
        graph: &JoinGraph,
        tables: &ListBy<UnitNumber, Option<usize>>,
    ) -> Self {
        let entries: Vec<Option<&Entry>> = tables.iter().map(|table| Some(&catalog.entries()[(*table)?])).collect();
        let everywhere = Everywhere::of(&entries);
        let mut keyed = vec![Vec::new(); entries.len()];
        let mut references = References::new(&entries);
        for (table, entry) in catalog.entries().iter().enumerate() {
            let Some(unit) = index.unit_of(&entry.table.id) else { continue };
            for edge in graph.edges(table) {
                let owner = if edge.refers_from(table) { entry } else { &catalog.entries()[edge.to] };
                if everywhere.has_all(&owner.table, &edge.key(catalog).columns) {
                    continue;
                }
                if let Some(other) = index.unit_of(&catalog.entries()[edge.to].table.id).filter(|&other| other != unit)
                {
                    keyed[unit.0].push((other.0, 1.0 / edge.cost));
                    if edge.refers_from(table) {
                        references.add(unit.0, other.0, 1.0 / edge.cost, &edge.key(catalog).columns);
                    }
                }
            }
        }
        keyed.iter_mut().for_each(tidy);
        let mut related = keyed.clone();
        let (alike, by_name) = std::thread::scope(|scope| {
            let by_name = scope.spawn(|| references_by_name(&entries));
            let shared = SharedColumns::new(&entries);
            shared.relate(&entries, &everywhere, &mut related, &mut references);
            let alike = shared.alike(entries.len());
            (alike, by_name.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let is_told =
            |unit: usize, column: &String| entries[unit].is_none_or(|entry| !everywhere.has(&entry.table, column));
        for (unit, other, column) in by_name.into_iter().filter(|(unit, _, column)| is_told(*unit, column)) {
            relate_two(&mut related, unit, other, REFERENCE);
            references.add(unit, other, REFERENCE, std::slice::from_ref(column));
        }
        related.iter_mut().for_each(tidy);
        let alike = alike.into_iter().map(|units| units.into_iter().map(UnitNumber).collect());
        let mut referring = vec![0; entries.len()];
        references.found.iter().flat_map(HashMap::keys).for_each(|&other| referring[other] += 1);
        Self {
            keyed: numbered(keyed),
            related: numbered(related),
            alike: alike.collect(),
            referred: references.listed(),
            referring,
        }
    }

    pub(crate) fn keyed(&self, unit: UnitNumber) -> &[(UnitNumber, f32)] {
        self.keyed.get(unit.0).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn related(&self, unit: UnitNumber) -> &[(UnitNumber, f32)] {
        self.related.get(unit.0).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn alike(&self, unit: UnitNumber) -> &[UnitNumber] {
        self.alike.get(unit.0).map_or(&[], Vec::as_slice)
    }

    /// The units that it refers to, by their numbers.
    pub(crate) fn referred(&self, unit: UnitNumber) -> &[Reference] {
        self.referred.get(unit.0).map_or(&[], Vec::as_slice)
    }

    /// How many units refer to it.
    pub(crate) fn referring_count(&self, unit: UnitNumber) -> usize {
        self.referring.get(unit.0).copied().unwrap_or_default()
    }

    /// Whether two units are related at all.
    pub(crate) fn are_related(&self, left: UnitNumber, right: UnitNumber) -> bool {
        self.related(left).iter().any(|&(other, _)| other == right)
    }
}

/// Columns that join tables which have nothing else to do with each other: whose a row is among tenants, and who wrote it.
struct Everywhere<'e> {
    /// By source and name in lower case.
    names: HashSet<(&'e str, String)>,
}

impl<'e> Everywhere<'e> {
    fn of(entries: &[Option<&'e Entry>]) -> Self {
        let mut units: HashMap<&str, usize> = HashMap::new();
        let mut having: HashMap<(&str, String), usize> = HashMap::new();
        let mut of_people: HashMap<(&str, String), usize> = HashMap::new();
        for table in entries.iter().flatten().map(|entry| &entry.table) {
            let source = table.id.source.as_str();
            *units.entry(source).or_default() += 1;
            let keys: HashSet<String> = table
                .columns
                .iter()
                .map(|column| column.name.to_lowercase())
                .filter(|name| is_key_column(name))
                .collect();
            keys.into_iter().for_each(|name| *having.entry((source, name)).or_default() += 1);
            for key in &table.foreign_keys {
                let [column] = key.columns.as_slice() else { continue };
                let target = words::in_identifier(&key.ref_table.name);
                let is_role = words::in_identifier(column).iter().any(|word| {
                    !is_key_name(word)
                        && word != "fk"
                        && !target.iter().any(|named| words::singular(named) == words::singular(word))
                });
                if is_role && target.last().is_some_and(|last| privacy::names_somebody(last)) {
                    *of_people.entry((source, column.to_lowercase())).or_default() += 1;
                }
            }
        }
        let share = |(source, _): &(&str, String), count: usize| {
            let all = units[source];
            if all < FEWEST_UNITS { 0.0 } else { count as f64 / all as f64 }
        };
        let mut names = HashSet::new();
        names
            .extend(having.into_iter().filter(|(name, count)| share(name, *count) >= OF_TENANTS).map(|(name, _)| name));
        names.extend(
            of_people.into_iter().filter(|(name, count)| share(name, *count) >= OF_WRITERS).map(|(name, _)| name),
        );
        Self { names }
    }

    fn has(&self, table: &Table, column: &str) -> bool {
        let words = words::in_identifier(column);
        let has_any = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let says_who = has_any(&WRITERS) || has_any(&WRITTEN) && has_any(&BY_WHOM);
        self.names.contains(&(table.id.source.as_str(), column.to_lowercase())) || says_who
    }

    fn has_all(&self, table: &Table, columns: &[String]) -> bool {
        columns.iter().all(|column| self.has(table, column))
    }
}

/// Which units refer to which, as they are found.
struct References<'e> {
    entries: &'e [Option<&'e Entry>],
    /// For each unit those that it refers to, each once, with the greatest strength and all columns that refer to it.
    found: Vec<HashMap<usize, (f32, Vec<usize>)>>,
}

impl<'e> References<'e> {
    fn new(entries: &'e [Option<&'e Entry>]) -> Self {
        Self { entries, found: vec![HashMap::new(); entries.len()] }
    }

    fn add(&mut self, unit: usize, other: usize, strength: f32, columns: &[String]) {
        let (known, positions) = self.found[unit].entry(other).or_default();
        *known = known.max(strength);
        let Some(entry) = self.entries[unit] else { return };
        for column in columns {
            let position = entry.table.columns.iter().position(|known| known.name.eq_ignore_ascii_case(column));
            positions.extend(position.filter(|position| !positions.contains(position)));
        }
    }

    /// By the numbers of the units that are referred to.
    fn listed(self) -> Vec<Vec<Reference>> {
        let sorted = |others: HashMap<usize, (f32, Vec<usize>)>| {
            let mut list: Vec<Reference> = others
                .into_iter()
                .map(|(other, (strength, columns))| Reference { unit: UnitNumber(other), strength, columns })
                .collect();
            list.sort_unstable_by_key(|reference| reference.unit);
            list
        };
        self.found.into_iter().map(sorted).collect()
    }
}

/// The lists by units' numbers: while they are filled, units are plain positions.
fn numbered(lists: Vec<Vec<(usize, f32)>>) -> Vec<Vec<(UnitNumber, f32)>> {
    let of_one =
        |list: Vec<(usize, f32)>| list.into_iter().map(|(unit, strength)| (UnitNumber(unit), strength)).collect();
    lists.into_iter().map(of_one).collect()
}

/// Keeps each other unit once with its greatest strength, the strongest first.
fn tidy(list: &mut Vec<(usize, f32)>) {
    list.sort_unstable_by(|left, right| left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)));
    list.dedup_by_key(|(other, _)| *other);
    list.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    list.truncate(MOST_RELATED);
}

/// Column names with the units that have them.
struct SharedColumns {
    /// Sorted by source and name; the units of one entry are of one source.
    names: Vec<(String, Vec<ColumnHolder>)>,
    /// How many different column names each unit has.
    counts: Vec<usize>,
}

/// A unit that has a column of that name.
#[derive(Clone, Copy)]
struct ColumnHolder {
    unit: usize,
    /// The column's position in it.
    position: usize,
    /// Whether it is the unit's first column or its key.
    leads: bool,
    /// Whether the unit's columns have a common prefix, which is left out here: see [`words::glued_prefix`].
    signed: bool,
}

impl SharedColumns {
    fn new(entries: &[Option<&Entry>]) -> Self {
        let mut by_name: HashMap<(&str, String), Vec<ColumnHolder>> = HashMap::new();
        let mut counts = vec![0; entries.len()];
        for (unit, entry) in entries.iter().enumerate() {
            let Some(table) = entry.map(|entry| &entry.table) else { continue };
            let sign = table.column_prefix();
            for (position, column) in table.columns.iter().enumerate() {
                let name = sign.and_then(|sign| column.name.strip_prefix(sign)).unwrap_or(&column.name);
                let places = by_name.entry((&table.id.source, name.to_lowercase())).or_default();
                if places.last().is_none_or(|last| last.unit != unit) {
                    let is_key = table.primary_key.len() == 1 && table.primary_key[0] == column.name;
                    places.push(ColumnHolder {
                        unit,
                        position,
                        leads: position == 0 || is_key,
                        signed: sign.is_some(),
                    });
                    counts[unit] += 1;
                }
            }
        }
        let mut names: Vec<((&str, String), Vec<ColumnHolder>)> =
            by_name.into_iter().filter(|(_, places)| places.len() > 1).collect();
        names.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        Self { names: names.into_iter().map(|((_, name), places)| (name, places)).collect(), counts }
    }

    /// Relates the units that share columns; where the column identifies one of them, the others refer to it.
    fn relate(
        &self,
        entries: &[Option<&Entry>],
        everywhere: &Everywhere<'_>,
        related: &mut [Vec<(usize, f32)>],
        references: &mut References<'_>,
    ) {
        let is_told = |places: &[ColumnHolder]| {
            let first = places.first().and_then(|place| Some((entries[place.unit]?, place.position)));
            first.is_none_or(|(entry, at)| !everywhere.has(&entry.table, &entry.table.columns[at].name))
        };
        let listed = self.names.iter().filter(|(_, places)| places.len() <= MOST_LISTED && is_told(places));
        for (name, places) in listed {
            let words = words::in_identifier(name);
            let Some((last, stem)) = words.split_last() else { continue };
            // Short names have no room to say that they are keys; one that a table begins with is.
            let is_key = is_key_name(last) || places.iter().any(|place| place.signed && place.leads);
            // A bare `id` says nothing about what it identifies.
            if stem.is_empty() && index::is_key_word(last) {
                continue;
            }
            let rarity = 1.0 - (places.len() as f32).ln() / (MOST_LISTED as f32).ln();
            let worth = rarity * if is_key { 1.0 } else { PLAIN };
            let homes = if is_key { homes_of(stem, places, entries) } else { Vec::new() };
            for &home in &homes {
                for place in places.iter().filter(|place| place.unit != home) {
                    relate_two(related, home, place.unit, worth.max(LEAST_HOME));
                    let column = entries[place.unit].map(|entry| entry.table.columns[place.position].name.clone());
                    references.add(place.unit, home, worth.max(LEAST_HOME), column.as_slice());
                }
            }
            if places.len() > MOST_SHARING {
                continue;
            }
            let worth = if homes.is_empty() { worth } else { worth * SIBLINGS };
            for (number, one) in places.iter().enumerate() {
                for other in &places[number + 1..] {
                    relate_two(related, one.unit, other.unit, worth);
                }
            }
        }
    }

    /// Units that have nearly the same columns as each unit.
    fn alike(&self, units: usize) -> Vec<Vec<usize>> {
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); units];
        for ((_, places), number) in self.names.iter().zip(0..) {
            places.iter().for_each(|place| columns[place.unit].push(number));
        }
        let mut alike = vec![Vec::new(); units];
        let mut common: HashMap<usize, usize> = HashMap::new();
        for unit in 0..units {
            common.clear();
            // The rarest names find those that are alike; common ones only make the lists long.
            let mut rare: Vec<u32> = columns[unit].clone();
            rare.sort_unstable_by_key(|&name| (self.names[name as usize].1.len(), name));
            for &name in rare.iter().take(MOST_COMPARED) {
                let places = &self.names[name as usize].1;
                if places.len() > MOST_COMPARED && !common.is_empty() {
                    break;
                }
                for place in places.iter().take(MOST_COMPARED).filter(|place| place.unit != unit) {
                    *common.entry(place.unit).or_default() += 1;
                }
            }
            let mut found: Vec<usize> = common.keys().copied().filter(|&other| other > unit).collect();
            found.sort_unstable();
            for other in found {
                let both = shared_count(&columns[unit], &columns[other]);
                let all = self.counts[unit] + self.counts[other] - both;
                if both as f32 >= ALIKE * all as f32 {
                    alike[unit].push(other);
                    alike[other].push(unit);
                }
            }
        }
        alike
    }
}

fn shared_count(left: &[u32], right: &[u32]) -> usize {
    // Both lists are in rising order, as they were filled.
    let (mut at, mut both) = (0, 0);
    for name in left {
        while at < right.len() && right[at] < *name {
            at += 1;
        }
        both += usize::from(right.get(at) == Some(name));
    }
    both
}

fn relate_two(related: &mut [Vec<(usize, f32)>], one: usize, other: usize, worth: f32) {
    related[one].push((other, worth));
    related[other].push((one, worth));
}

/// Columns that both tables have and that are named like keys of something: `cmte_id`, and not `id`.
pub fn shared_keys<'t>(left: &'t Table, right: &Table) -> Vec<&'t str> {
    let names = left.columns.iter().map(|column| column.name.as_str());
    names.filter(|name| is_key_column(name) && is_telling(name) && right.column(name).is_some()).collect()
}

/// Whether a column's name says more than that it is a key.
pub(crate) fn is_telling(column: &str) -> bool {
    words::in_identifier(column).len() > 1
}

/// Whether a column is named like a key.
pub(crate) fn is_key_column(name: &str) -> bool {
    words::in_identifier(name).last().is_some_and(|last| is_key_name(last))
}

fn is_key_name(last: &str) -> bool {
    index::is_key_word(last) || GLUED_KEYS.iter().any(|key| last.len() > key.len() + 1 && last.ends_with(key))
}

/// Keys that have another name where they refer, as (unit, unit that it refers to, column): `home_org_id` means the `org_id`
/// that a table begins with, and `instance_uuid` the `uuid` of `instances`.
fn references_by_name<'e>(entries: &[Option<&'e Entry>]) -> Vec<(usize, usize, &'e String)> {
    let mut references = Vec::new();
    let mut led_by: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    let mut named: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for (unit, entry) in entries.iter().enumerate() {
        let Some(table) = entry.map(|entry| &entry.table) else { continue };
        let source = table.id.source.as_str();
        let keys = table.columns.first().map(|column| &column.name).into_iter().chain(&table.primary_key);
        let mut keys: Vec<Vec<String>> = keys.map(|key| words::in_identifier(key)).collect();
        keys.dedup();
        for key in keys.iter().filter(|key| key.len() > 1 && key.last().is_some_and(|last| is_key_name(last))) {
            led_by.entry((source, key.join("_"))).or_default().push(unit);
        }
        let words = words::in_identifier(&table.id.name);
        // Under its whole name and without the words in front of it, which often say the module.
        for start in 0..words.len() {
            let name: Vec<String> = words[start..].iter().map(|word| words::singular(word)).collect();
            named.entry((source, name.join("_"))).or_default().push(unit);
        }
    }
    for (unit, entry) in entries.iter().enumerate() {
        let Some(table) = entry.map(|entry| &entry.table) else { continue };
        let source = table.id.source.as_str();
        for column in &table.columns {
            let words = words::in_identifier(&column.name);
            let Some((last, stem)) = words.split_last().filter(|(last, stem)| is_key_name(last) && !stem.is_empty())
            else {
                continue;
            };
            let longer = (1..stem.len()).find_map(|start| led_by.get(&(source, words[start..].join("_"))));
            let by_name = (0..stem.len()).find_map(|start| {
                let name: Vec<String> = stem[start..].iter().map(|word| words::singular(word)).collect();
                named.get(&(source, name.join("_")))
            });
            let has_it = |other: &usize| {
                entries[*other].is_some_and(|entry| {
                    entry.table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(last))
                })
            };
            let by_name = by_name.into_iter().flatten().copied().filter(has_it);
            let found: Vec<usize> = longer.into_iter().flatten().copied().chain(by_name).collect();
            let others = found.into_iter().filter(|&other| other != unit).take(MOST_HOMES);
            references.extend(others.map(|other| (unit, other, &column.name)));
        }
    }
    references
}

/// Tables that the key identifies: those named like it, or whose first column it is.
fn homes_of(stem: &[String], places: &[ColumnHolder], entries: &[Option<&Entry>]) -> Vec<usize> {
    let stem: Vec<String> = stem.iter().map(|word| words::singular(word)).collect();
    let mut ranked: Vec<(usize, usize)> = places
        .iter()
        .filter_map(|place| {
            let name = words::in_identifier(&entries[place.unit]?.table.id.name);
            let name: Vec<String> = name.iter().map(|word| words::singular(word)).collect();
            let rank = if !stem.is_empty() && name == stem {
                0
            } else if !stem.is_empty() && name.ends_with(&stem) {
                1
            } else if place.leads {
                let is_master = MASTERS.iter().any(|end| name.last().is_some_and(|last| last.ends_with(end)));
                2 + name.len() - usize::from(is_master)
            } else {
                return None;
            };
            Some((rank, place.unit))
        })
        .collect();
    ranked.sort_unstable();
    let best = ranked.first().map_or(0, |(rank, _)| (*rank).max(1));
    ranked.into_iter().take_while(|(rank, _)| *rank <= best).take(MOST_HOMES).map(|(_, unit)| unit).collect()
}

#[cfg(test)]
mod tests;
