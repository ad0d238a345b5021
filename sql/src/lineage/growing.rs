//! A schema that grows while a script is read: what one statement makes is known to those after it.

use std::collections::BTreeMap;

use catalog::{Column, Table, TableId};

use crate::resolve::Made;
use crate::schema::{ColumnSize, Schema, TableLookup};
use crate::uniqueness::{Held, Uniqueness};

/// What a statement does to the tables that it changes without making anything of others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Becomes {
    Gone,
    Altered,
    Filled,
}

/// A schema, and what a script has made and taken away since.
pub(super) struct Growing<'a> {
    base: &'a dyn Schema,
    /// By their name in lower case, without the source; `None` for those that are gone.
    made: BTreeMap<String, Option<Table>>,
    /// Where USE has said that names without a schema are; of PostgreSQL's search path the first schema, where new tables are made.
    pub(super) home: Vec<String>,
    /// The other schemas of the path, in which tables are looked for that aren't in the first.
    pub(super) others: Vec<String>,
}

impl<'a> Growing<'a> {
    pub(super) fn over(base: &'a dyn Schema) -> Self {
        Self { base, made: BTreeMap::new(), home: Vec::new(), others: Vec::new() }
    }

    /// The table of that name which the script has made, or which was there.
    fn named(&self, parts: &[&str]) -> TableLookup<'_> {
        match self.made.get(&parts.join(".").to_lowercase()) {
            Some(Some(table)) => TableLookup::Found(table),
            Some(None) => TableLookup::Unknown,
            None => self.base.resolve_table(parts),
        }
    }

    pub(super) fn note(&mut self, made: &[Made], changed: &[TableId], becomes: Becomes) {
        for table in changed {
            let key = table.local().to_lowercase();
            // What is listed is listed as it is now; of what the script has made, nobody knows the columns any more.
            match becomes {
                Becomes::Gone if self.base.table(table).is_some() => drop(self.made.remove(&key)),
                Becomes::Gone => drop(self.made.insert(key, None)),
                Becomes::Altered if self.made.contains_key(&key) => drop(self.made.insert(key, None)),
                Becomes::Altered | Becomes::Filled => {}
            }
        }
        for made in made.iter().filter(|made| made.change.creates()) {
            let Some(id) = &made.table else { continue };
            let names: Option<Vec<&String>> = made.columns.iter().map(|column| column.name.as_ref()).collect();
            let key = id.local().to_lowercase();
            // What is listed has the columns that it has now.
            if self.base.table(id).is_some_and(|table| !table.columns.is_empty()) {
                continue;
            }
            match names {
                Some(names) => {
                    let mut table = Table::new(id.clone());
                    table.columns = names.into_iter().map(|name| Column::new(name, "")).collect();
                    self.made.insert(key, Some(table));
                }
                // Not all of its columns are known.
                None => drop(self.made.insert(key, None)),
            }
        }
    }
}

impl Schema for Growing<'_> {
    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_> {
        match parts {
            [only] if !self.home.is_empty() => {
                let at_home: Vec<&str> = self.home.iter().map(String::as_str).chain([*only]).collect();
                let found = self.named(&at_home);
                if self.others.is_empty() || matches!(found, TableLookup::Found(_)) {
                    return found;
                }
                let elsewhere = self.others.iter().map(|schema| self.named(&[schema, only]));
                let mut elsewhere = elsewhere.filter(|it| matches!(it, TableLookup::Found(_)));
                elsewhere.next().unwrap_or(found)
            }
            parts => self.named(parts),
        }
    }

    fn uniqueness(&self, table: &TableId, held: Held<'_>) -> Uniqueness {
        self.base.uniqueness(table, held)
    }

    fn primary_key(&self, table: &TableId) -> Option<&[String]> {
        self.base.primary_key(table)
    }

    fn table(&self, table: &TableId) -> Option<&Table> {
        match self.made.get(&table.local().to_lowercase()) {
            Some(made) => made.as_ref(),
            None => self.base.table(table),
        }
    }

    fn column_size(&self, table: &TableId, column: &str) -> ColumnSize {
        self.base.column_size(table, column)
    }
}
