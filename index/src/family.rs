//! Tables that differ only in a date, a year or a number are one.
//!
//! A warehouse keeps `events_20240101`, `events_20240102` … by the hundred. They hold the same columns and answer the
//! same questions, so they are indexed once and rank together; which days are needed is for the query to say. Two names
//! belong together when they are equal after every run of four or more digits is replaced by `*`. Shorter numbers
//! (`part_1`, `part_2` …) may mean anything, so there must be three of them at least, with the same columns. Versions
//! (`orders_v2`) are no family: one of them is the one to use.

use std::collections::HashMap;
use std::sync::Arc;

use catalog::{Catalog, Entry, TableId};
use serde::{Deserialize, Serialize};

/// Digits in a row that make a date or a year.
const SHORTEST_DATE: usize = 4;
/// The fewest tables that make a family by short numbers.
const FEWEST_NUMBERED: usize = 3;
/// From so many units on, a word that such a share of their names begins with says nothing of any of them.
const FEWEST_PREFIXED: usize = 12;
const MOST_PREFIXED: f64 = 0.8;

/// What the index holds one entry for: a table, or a family of date-sharded tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The member that stands for all: the last in the order in which people count, which is the newest.
    pub table: TableId,
    /// All members in that order, that one among them.
    pub members: Arc<[TableId]>,
    /// For each member, the positions of columns that are masked because those that they are made from are: no revision tells
    /// of that, and texts and values are without them.
    closed: Vec<Vec<usize>>,
    /// Whether its name begins with the word that nearly all names of its schema begin with: `llx_invoice`, `wp_posts`.
    is_prefixed: bool,
}

impl Unit {
    /// The words of its name, but for the one that nearly all names of its schema begin with.
    pub fn name_words(&self) -> Vec<String> {
        let mut words = words::in_identifier(&self.table.name);
        if self.is_prefixed {
            words.remove(0);
        }
        words
    }
}

/// The place of a [`Unit`] in [`crate::Index::units`]. A type of its own, since whoever ranks units counts them in other
/// orders as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitNumber(pub usize);

/// The local name with every run of four or more digits replaced by `*`, in lower case.
pub fn fold_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut digits = String::new();
    for character in name.chars().chain(['\0']) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        if digits.len() >= SHORTEST_DATE {
            folded.push('*');
        } else {
            folded.push_str(&digits);
        }
        digits.clear();
        if character != '\0' {
            folded.extend(character.to_lowercase());
        }
    }
    folded
}

/// The local name with every number replaced by `#`, in lower case; `None` where there is no number, or where it is the
/// number of a version.
fn without_numbers(name: &str) -> Option<String> {
    let mut folded = String::with_capacity(name.len());
    let mut has_number = false;
    for character in name.chars().flat_map(char::to_lowercase) {
        if !character.is_ascii_digit() {
            folded.push(character);
        } else if !folded.ends_with('#') {
            let word = folded.trim_end_matches('_').rsplit(|letter: char| !letter.is_alphabetic()).next();
            if word.is_some_and(|word| ["v", "ver", "version"].contains(&word)) {
                return None;
            }
            has_number = true;
            folded.push('#');
        }
    }
    has_number.then_some(folded)
}

/// The name in parts that compare as people count: `part_9` before `part_10`.
fn natural_order(name: &str) -> Vec<(u64, String)> {
    let mut parts: Vec<(u64, String)> = vec![(0, String::new())];
    for character in name.chars() {
        let Some((number, text)) = parts.last_mut() else { break };
        match character.to_digit(10) {
            Some(digit) if text.is_empty() => *number = number.saturating_mul(10).saturating_add(digit.into()),
            Some(digit) => parts.push((digit.into(), String::new())),
            None => text.push(character),
        }
    }
    parts
}

/// How many bytes at the beginning all names have in common.
pub fn common_start(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else { return 0 };
    let alike = |other: &&str| first.char_indices().zip(other.chars()).find(|((_, one), other)| one != other);
    let ends = others.iter().map(|other| alike(other).map_or(first.len().min(other.len()), |((at, _), _)| at));
    ends.min().unwrap_or_default()
}

/// Years of two digits follow each other around the turn of the century: `98` before `02`.
const FIRST_YEAR: u64 = 70;

/// Whether names are told apart by years of two digits: some of them late in a century, and others that need their zero.
fn are_short_years(names: &[&str]) -> bool {
    let common = common_start(names);
    let years: Option<Vec<&str>> = names
        .iter()
        .map(|name| {
            let rest = &name[common..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (digits == 2).then(|| &rest[..2])
        })
        .collect();
    years.is_some_and(|years| {
        years.iter().any(|year| year.starts_with('0'))
            && years.iter().any(|year| year.parse().is_ok_and(|year: u64| year >= FIRST_YEAR))
    })
}

/// Sorts the members of a family as people count, the newest last.
fn sort(members: &mut [&Entry]) {
    let names: Vec<String> = members.iter().map(|entry| entry.table.id.local()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let common = if are_short_years(&names) { Some(common_start(&names)) } else { None };
    members.sort_by_cached_key(|entry| {
        let name = entry.table.id.local();
        let year = common.and_then(|common| name[common..common + 2].parse().ok());
        let year = year.map_or(0, |year: u64| if year < FIRST_YEAR { year + 100 } else { year });
        (year, natural_order(&name))
    });
}

/// All tables of the catalog as units, in the order of their first member.
pub(crate) fn units_of(catalog: &Catalog) -> Vec<Unit> {
    let mut by_name: HashMap<(&str, String), usize> = HashMap::with_capacity(catalog.entries().len());
    let mut families: Vec<Vec<&Entry>> = Vec::with_capacity(catalog.entries().len());
    for entry in catalog.entries() {
        let id = &entry.table.id;
        let position = *by_name.entry((id.source.as_str(), fold_name(&id.local()))).or_insert(families.len());
        match families.get_mut(position) {
            Some(family) => family.push(entry),
            None => families.push(vec![entry]),
        }
    }
    join_numbered(&mut families);
    let mut units: Vec<Unit> = families
        .into_iter()
        .filter_map(|mut members| {
            sort(&mut members);
            let table = members.last()?.table.id.clone();
            let closed = members.iter().map(|entry| entry.columns_closed_by_origins().collect()).collect();
            let members = members.into_iter().map(|entry| entry.table.id.clone()).collect();
            Some(Unit { table, members, closed, is_prefixed: false })
        })
        .collect();
    mark_prefixed(&mut units);
    units
}

/// Marks the units whose names begin with the word that nearly all names of their schema begin with.
fn mark_prefixed(units: &mut [Unit]) {
    let schema = |unit: &Unit| (unit.table.source.clone(), unit.table.schema.clone());
    let first =
        |unit: &Unit| Some(words::in_identifier(&unit.table.name)).filter(|words| words.len() > 1)?.into_iter().next();
    let mut counts: HashMap<_, (usize, HashMap<String, usize>)> = HashMap::new();
    for unit in units.iter() {
        let (all, by_word) = counts.entry(schema(unit)).or_default();
        *all += 1;
        first(unit).into_iter().for_each(|word| *by_word.entry(word).or_default() += 1);
    }
    for unit in units {
        let Some((all, by_word)) = counts.get(&schema(unit)).filter(|(all, _)| *all >= FEWEST_PREFIXED) else {
            continue;
        };
        let share = first(unit).map_or(0.0, |word| by_word[&word] as f64 / *all as f64);
        unit.is_prefixed = share >= MOST_PREFIXED;
    }
}

/// Joins single tables whose names differ in a number only and which have the same columns to the first of them.
fn join_numbered(families: &mut Vec<Vec<&Entry>>) {
    let mut numbered: HashMap<(&str, String, Vec<String>), Vec<usize>> = HashMap::new();
    for (position, family) in families.iter().enumerate() {
        let [entry] = family.as_slice() else { continue };
        let id = &entry.table.id;
        let Some(name) = without_numbers(&id.local()) else { continue };
        let mut columns: Vec<String> = entry.table.columns.iter().map(|column| column.name.to_lowercase()).collect();
        columns.sort_unstable();
        numbered.entry((id.source.as_str(), name, columns)).or_default().push(position);
    }
    for positions in numbered.into_values().filter(|positions| positions.len() >= FEWEST_NUMBERED) {
        for &position in &positions[1..] {
            let joined = std::mem::take(&mut families[position]);
            families[positions[0]].extend(joined);
        }
    }
    families.retain(|family| !family.is_empty());
}

#[cfg(test)]
mod tests {
    use super::{are_short_years, common_start, fold_name, natural_order, without_numbers};

    #[test]
    fn dates_and_years_fold_and_short_numbers_stay() {
        for (name, expected) in [
            ("events_20240101", "events_*"),
            ("Sales2019", "sales*"),
            ("orders_v2", "orders_v2"),
            ("t_123", "t_123"),
            ("census.zip_2010_to_2020", "census.zip_*_to_*"),
            ("", ""),
        ] {
            assert_eq!(fold_name(name), expected, "{name}");
        }
    }

    #[test]
    fn years_of_two_digits_are_told_from_other_numbers() {
        for (names, common, years) in [
            (&["cn98", "cn00", "cn20"][..], 2, true),
            (&["pas298", "pas200"], 4, true),
            (&["products_22", "products_23"], 10, false),
            (&["part_01", "part_02", "part_12"], 5, false),
            (&["größe_98", "größe_02"], 8, true),
            (&["cn98"], 0, false),
            (&[], 0, false),
        ] {
            assert_eq!((common_start(names), are_short_years(names)), (common, years), "{names:?}");
        }
    }

    #[test]
    fn numbers_make_families_and_versions_do_not() {
        for (name, expected) in [
            ("part_1", Some("part_#")),
            ("P12_of_30", Some("p#_of_#")),
            ("orders_v2", None),
            ("orders_ver_2", None),
            ("orders_version3", None),
            ("orders", None),
        ] {
            assert_eq!(without_numbers(name).as_deref(), expected, "{name}");
        }
        assert!(natural_order("part_9") < natural_order("part_10"));
        assert!(natural_order("a_2023") < natural_order("a_2024"));
    }
}
