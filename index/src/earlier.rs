//! What a new build takes over from the index before it: everything of units that nothing has happened to.
//!
//! The catalog says of each table at which of its revisions it last changed. A unit is taken over when none of its tables
//! has changed since the earlier index was built and no table that it is joined with, because texts name those. What comes
//! out is what a build from nothing gives, but the work grows with what changed; the rest is copied.

use std::collections::{HashMap, HashSet};

use catalog::{Catalog, TableId};

use crate::arrays::Lists;
use crate::columns::NewColumn;
use crate::family::Unit;
use crate::index::Index;
use crate::lexical::Interner;
use crate::values::ValueIndexBuilder;
use crate::vectors::VectorBuilder;

/// Stands for a term that hasn't been met yet.
const NOT_MET: u32 = u32::MAX;

/// The earlier index, turned around so that it can be read unit by unit.
pub(crate) struct Earlier<'e> {
    index: &'e Index,
    /// For each unit of the new index its number in the earlier one, if it is taken over.
    units: Vec<Option<usize>>,
    /// Terms of each field of each unit.
    fields: Vec<Lists<u32>>,
    chunk_terms: Lists<u32>,
    /// (column, value, whether the column holds codes) of each unit.
    values: Vec<Vec<(u32, u32, bool)>>,
    /// The new number of each earlier term.
    terms: Vec<u32>,
}

impl<'e> Earlier<'e> {
    /// `fields` is how many of the earlier index's fields are texts of their own.
    pub(crate) fn new(index: &'e Index, catalog: &Catalog, units: &[Unit], fields: usize) -> Self {
        let touched = touched(index, catalog);
        let unit_of = |unit: &Unit| {
            let number = index.unit_of(&unit.table)?;
            let same = index.units()[number] == *unit && !unit.members.iter().any(|member| touched.contains(member));
            same.then_some(number)
        };
        Self {
            units: units.iter().map(unit_of).collect(),
            fields: index.fields[..fields].iter().map(|field| field.by_document()).collect(),
            chunk_terms: index.chunk_postings.by_document(),
            values: index.values.by_unit(index.units().len()),
            terms: vec![NOT_MET; index.lexicon.len()],
            index,
        }
    }

    /// The number of that new unit in the earlier index, if it is taken over.
    pub(crate) fn unit(&self, new: usize) -> Option<usize> {
        self.units[new]
    }

    fn take_terms(&mut self, earlier: &[u32], interner: &mut Interner) -> Vec<u32> {
        take_terms(self.index, &mut self.terms, earlier, interner)
    }

    /// The terms of a unit in one of the fields.
    pub(crate) fn field(&mut self, unit: usize, field: usize, interner: &mut Interner) -> Vec<u32> {
        take_terms(self.index, &mut self.terms, self.fields[field].get(unit), interner)
    }

    pub(crate) fn name(&mut self, unit: usize, interner: &mut Interner) -> Vec<u32> {
        self.take_terms(self.index.names.get(unit), interner)
    }

    pub(crate) fn columns(
        &mut self,
        unit: usize,
        interner: &mut Interner,
        vectors: &mut VectorBuilder<'_>,
    ) -> Vec<NewColumn> {
        let index = self.index;
        index
            .columns
            .of(unit)
            .enumerate()
            .map(|(number, column)| NewColumn {
                name: index.columns.name(unit, number).to_owned(),
                terms: self.take_terms(column.terms, interner),
                key_from: column.key_from,
                text: self.take_terms(column.text, interner),
                row: vectors.take_over(column.row),
            })
            .collect()
    }

    pub(crate) fn table_rows(&self, unit: usize, vectors: &mut VectorBuilder<'_>) -> Vec<u32> {
        self.index.table_rows.get(unit).iter().map(|&row| vectors.take_over(row)).collect()
    }

    /// Adds the unit's values under its new number.
    pub(crate) fn values(&self, unit: usize, new: u32, values: &mut ValueIndexBuilder) {
        for &(column, value, codes) in &self.values[unit] {
            values.add_value(new, column, codes, self.index.values.value(value as usize));
        }
    }

    /// Numbers of a unit's chunks, those that stand with all units' unions apart.
    pub(crate) fn chunks(&self, unit: usize, unions: bool) -> impl Iterator<Item = u32> + use<'e> {
        let chunks = &self.index.chunks;
        chunks
            .of(unit)
            .iter()
            .copied()
            .filter(move |&number| !chunks.is_example(number) && chunks.is_union(number) == unions)
    }

    /// A chunk as it is kept, its terms and its vector.
    pub(crate) fn chunk(
        &mut self,
        number: u32,
        interner: &mut Interner,
        vectors: &mut VectorBuilder<'_>,
    ) -> (&'e str, Vec<u32>, u32) {
        let index = self.index;
        let terms = take_terms(index, &mut self.terms, self.chunk_terms.get(number as usize), interner);
        (index.chunks.body_at(number), terms, vectors.take_over(index.chunk_rows[number as usize]))
    }
}

fn take_terms(index: &Index, known: &mut [u32], earlier: &[u32], interner: &mut Interner) -> Vec<u32> {
    let new = |&term: &u32| {
        let number = &mut known[term as usize];
        if *number == NOT_MET {
            *number = interner.intern(index.lexicon.term(term).to_owned());
        }
        *number
    };
    earlier.iter().map(new).collect()
}

/// Tables that have changed since that index was built, or have come, and those that are joined with them or with a table that
/// is gone.
fn touched(index: &Index, catalog: &Catalog) -> HashSet<TableId> {
    let is_changed =
        |entry: &&catalog::Entry| entry.revision > index.revision || index.unit_of(&entry.table.id).is_none();
    let changed: HashMap<&TableId, &catalog::Entry> =
        catalog.entries().iter().filter(is_changed).map(|entry| (&entry.table.id, entry)).collect();
    let gone = index.units().iter().flat_map(|unit| &unit.members).filter(|member| catalog.entry(member).is_none());
    let gone: HashSet<&TableId> = gone.collect();
    let mut touched: HashSet<TableId> = changed.keys().map(|&id| id.clone()).collect();
    // As the keys are now …
    for entry in catalog.entries() {
        for key in &entry.table.foreign_keys {
            if changed.contains_key(&entry.table.id) {
                touched.insert(key.ref_table.clone());
            }
            if changed.contains_key(&key.ref_table) || gone.contains(&key.ref_table) {
                touched.insert(entry.table.id.clone());
            }
        }
    }
    // … and as they were.
    for table in changed.keys().copied().chain(gone) {
        let chunks = index.unit_of(table).into_iter().flat_map(|unit| index.chunks.of(unit));
        for chunk in chunks.filter_map(|&number| index.chunks.get(number)) {
            touched.extend(chunk.related);
        }
    }
    touched
}

#[cfg(test)]
mod tests;
