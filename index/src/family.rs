//! Tables that differ only in a date or year are one.
//!
//! A warehouse keeps `events_20240101`, `events_20240102` … by the hundred. They hold the same columns and answer the
//! same questions, so they are indexed once and rank together; which days are needed is for the query to say. Two names
//! belong together when they are equal after every run of four or more digits is replaced by `*`.

use std::collections::HashMap;

use catalog::{Catalog, Entry, TableId};
use serde::{Deserialize, Serialize};

/// Digits in a row that make a date or a year.
const SHORTEST_DATE: usize = 4;

/// What the index holds one entry for: a table, or a family of date-sharded tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The member that stands for all: the last by name, which is the newest.
    pub table: TableId,
    /// All members in order of name, the one above among them.
    pub members: Vec<TableId>,
}

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

/// All tables of the catalog as units, in the order of their first member.
pub(crate) fn units_of(catalog: &Catalog) -> Vec<Unit> {
    let mut by_name: HashMap<(&str, String), usize> = HashMap::with_capacity(catalog.entries().len());
    let mut units: Vec<Unit> = Vec::with_capacity(catalog.entries().len());
    for Entry { table, .. } in catalog.entries() {
        let key = (table.id.source.as_str(), fold_name(&table.id.local()));
        match by_name.get(&key) {
            Some(&position) => {
                units[position].members.push(table.id.clone());
                units[position].table = table.id.clone();
            }
            None => {
                by_name.insert(key, units.len());
                units.push(Unit { table: table.id.clone(), members: vec![table.id.clone()] });
            }
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::fold_name;

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
}
