//! Which tables have changed since keys and facts were last looked for over all tables of a source.
//!
//! What was found of two tables that have stayed as they were is as it was, so that a change costs what has changed.

use std::collections::{HashMap, HashSet};

use catalog::{Entry, KeyOrigin, TableId, TableKind, TypeClass};
use jiff::Timestamp;

/// The tables of a source, and which of them have changed.
pub(crate) struct Changed<'e> {
    places: HashMap<&'e TableId, usize>,
    is_new: Vec<bool>,
    /// Whether the texts or whole numbers of a table have, among which keys of others are looked for.
    pub(crate) codes: bool,
    /// Whether a table is gone to which a key that was inferred leads.
    pub(crate) is_gone: bool,
}

impl<'e> Changed<'e> {
    /// By when all of them were last looked at together, `None` where they never were, and by what was profiled since.
    pub(crate) fn since(since: Option<Timestamp>, profiled: &HashSet<TableId>, entries: &[&'e Entry]) -> Self {
        let is_new = |entry: &&&Entry| {
            let changed_at = entry.profile().map(|profile| profile.same_since.unwrap_or(profile.profiled_at));
            let has_changed = since.zip(changed_at).is_none_or(|(since, changed_at)| changed_at > since);
            has_changed || profiled.contains(&entry.table.id)
        };
        let may_be_code = |class: TypeClass| matches!(class, TypeClass::Text | TypeClass::Integer);
        let has_codes = |entry: &&&Entry| {
            let mut columns = entry.table.columns.iter();
            entry.table.kind == TableKind::Table && columns.any(|column| may_be_code(column.type_class))
        };
        let places: HashMap<&TableId, usize> =
            entries.iter().enumerate().map(|(place, entry)| (&entry.table.id, place)).collect();
        let mut keys = entries.iter().flat_map(|entry| &entry.table.foreign_keys);
        Self {
            is_gone: keys.any(|key| key.origin != KeyOrigin::Declared && !places.contains_key(&key.ref_table)),
            codes: entries.iter().filter(is_new).any(|entry| has_codes(&entry)),
            is_new: entries.iter().map(|entry| is_new(&entry)).collect(),
            places,
        }
    }

    /// Whether the table at that position has.
    pub(crate) fn is_new(&self, place: usize) -> bool {
        self.is_new.get(place).copied().unwrap_or(true)
    }

    /// Whether a table is there and hasn't.
    pub(crate) fn is_as_it_was(&self, table: &TableId) -> bool {
        self.places.get(table).is_some_and(|place| !self.is_new(*place))
    }
}
