//! What a new index takes over from the one before it: everything about units that haven't changed.
//!
//! The catalog says of each table at which of its revisions it last changed. A unit is kept when none of its tables has
//! changed since the earlier index was built and no table that it is joined with, because texts name those, and the same of
//! its columns are closed by those that they are made from, which a change of another table can bring about. Of the others a
//! small index is built, and the two are joined, which is copying. What comes out is what a build from nothing gives.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use catalog::{Catalog, TableId};

use crate::chunk::Chunks;
use crate::columns::Columns;
use crate::family::Unit;
use crate::index::{Index, NO_ROW, positions_of};
use crate::lexical::{Lexicon, Postings};
use crate::merge::{GONE, Renumbering, renumbered, renumbering};
use crate::pieces::{Pair, Piece};
use crate::scores::Field;
use crate::values::ValueIndex;
use crate::vectors::Vectors;

/// For each of the units its number in the earlier index, if nothing about it has changed.
pub(crate) fn kept_units(earlier: &Index, catalog: &Catalog, units: &[Unit]) -> Vec<Option<usize>> {
    let touched = touched(earlier, catalog);
    let unit_of = |unit: &Unit| {
        let number = earlier.unit_of(&unit.table)?.0;
        let same = earlier.units()[number] == *unit && !unit.members.iter().any(|member| touched.contains(member));
        same.then_some(number)
    };
    units.iter().map(unit_of).collect()
}

/// The index of these units: those that are kept from the earlier index and, in the same order, those of `changed`, which also
/// has all examples.
pub(crate) fn join(earlier: &Index, changed: &Index, units: Vec<Unit>, kept: &[Option<usize>]) -> Index {
    let sides = [earlier, changed];
    let mut changed_units = 0..;
    let pieces: Vec<Piece> = kept
        .iter()
        .map(|kept| match *kept {
            Some(number) => Piece { side: 0, number },
            None => Piece { side: 1, number: changed_units.next().unwrap_or_default() },
        })
        .collect();
    let positions = positions_of(&units);
    let unit_numbers = renumbering(&pieces, sides.map(|index| index.units.len()));
    let chunks = JoinedChunks::new(sides, &pieces, &positions);
    let is_used = used_terms(earlier, &unit_numbers[0], &chunks);
    let (lexicon, terms, terms_before) =
        Lexicon::merged(sides.map(|index| &index.lexicon), |term| term.side == 1 || is_used[term.number]);
    let names = renumbered(sides.map(|index| &index.names), pieces.iter().copied(), &terms);
    let mut rows = JoinedRows::new(sides);
    for &Piece { side, number } in &pieces {
        rows.take_all(side, sides[side].columns.rows(number));
        rows.take_all(side, sides[side].table_rows.get(number));
    }
    let chunk_rows: Vec<u32> =
        chunks.pieces.iter().map(|chunk| rows.take(chunk.side, sides[chunk.side].chunk_rows[chunk.number])).collect();
    let mut term_rows = vec![NO_ROW; lexicon.len()];
    let column_terms = pieces
        .iter()
        .flat_map(|&Piece { side, number }| sides[side].columns.terms_of(number).map(move |term| (side, term)));
    let column_terms = column_terms.map(|(side, term)| terms[side][term as usize]);
    for term in names.values().iter().copied().chain(column_terms) {
        if term_rows[term as usize] == NO_ROW {
            let before = terms_before[term as usize].iter().enumerate().filter(|(_, number)| **number != GONE);
            let mut known = before.map(|(side, &number)| (side, sides[side].term_rows[number as usize]));
            if let Some((side, row)) = known.rfind(|(_, row)| *row != NO_ROW) {
                term_rows[term as usize] = rows.take(side, row);
            }
        }
    }
    let JoinedRows { rows, numbers: row_numbers, .. } = rows;
    let field = |number: usize| Postings::merged(sides.map(|index| &index.fields[number]), &terms_before, &pieces);
    Index {
        revision: changed.revision,
        origin: changed.origin.clone(),
        rules: changed.rules.clone(),
        embedder: changed.embedder.clone(),
        units,
        fields: (0..Field::ALL.len()).map(field).collect(),
        chunk_postings: Postings::merged(sides.map(|index| &index.chunk_postings), &terms_before, &chunks.pieces),
        columns: Columns::merged(sides.map(|index| &index.columns), &pieces, &terms, &row_numbers),
        values: ValueIndex::merged(sides.map(|index| &index.values), &unit_numbers),
        vectors: Vectors::merged(sides.map(|index| &index.vectors), &rows),
        table_rows: renumbered(sides.map(|index| &index.table_rows), pieces.iter().copied(), &row_numbers),
        chunks: chunks.merged(sides),
        names,
        lexicon,
        term_rows: term_rows.into(),
        chunk_rows: chunk_rows.into(),
        positions,
        foreign: OnceLock::new(),
    }
}

/// Which terms of the earlier index occur in what is kept.
fn used_terms(earlier: &Index, units: &[u32], chunks: &JoinedChunks) -> Vec<bool> {
    let mut used = vec![false; earlier.lexicon.len()];
    for unit in (0..units.len()).filter(|&unit| units[unit] != GONE) {
        let columns = &earlier.columns;
        let names = earlier.names.get(unit).iter().copied().chain(columns.terms_of(unit));
        names.chain(columns.text_of(unit)).for_each(|term| used[term as usize] = true);
    }
    earlier.fields[Field::Everything as usize].mark_terms(|unit| units[unit] != GONE, &mut used);
    let mut is_kept = vec![false; earlier.chunks.len()];
    chunks.pieces.iter().filter(|chunk| chunk.side == 0).for_each(|chunk| is_kept[chunk.number] = true);
    earlier.chunk_postings.mark_terms(|chunk| is_kept[chunk], &mut used);
    used
}

/// The chunks of a joined index in their order: those of units, then unions, then examples.
struct JoinedChunks {
    pieces: Vec<Piece>,
    /// New numbers of the chunks of each unit.
    of_unit: Vec<Vec<u32>>,
    unions: u32,
    examples: u32,
}

impl JoinedChunks {
    fn new(sides: Pair<&Index>, units: &[Piece], positions: &HashMap<TableId, usize>) -> Self {
        let mut pieces: Vec<Piece> = Vec::with_capacity(sides[0].chunks.len());
        let mut of_unit = vec![Vec::new(); units.len()];
        let mut unions = 0;
        for are_unions in [false, true] {
            unions = pieces.len() as u32;
            for (&Piece { side, number: unit }, of_unit) in units.iter().zip(&mut of_unit) {
                let chunks = &sides[side].chunks;
                let wanted = |&&number: &&u32| !chunks.is_example(number) && chunks.is_union(number) == are_unions;
                for &number in chunks.of(unit).iter().filter(wanted) {
                    of_unit.push(pieces.len() as u32);
                    pieces.push(Piece { side, number: number as usize });
                }
            }
        }
        let examples = pieces.len() as u32;
        for number in sides[1].chunks.examples() {
            let table = sides[1].chunks.get(number).map(|chunk| chunk.table);
            if let Some(&unit) = table.and_then(|table| positions.get(&table)) {
                of_unit[unit].push(pieces.len() as u32);
            }
            pieces.push(Piece { side: 1, number: number as usize });
        }
        Self { pieces, of_unit, unions, examples }
    }

    fn merged(&self, sides: Pair<&Index>) -> Chunks {
        Chunks::merged(sides.map(|index| &index.chunks), &self.pieces, &self.of_unit, self.unions, self.examples)
    }
}

/// Vector rows of a joined index, numbered as they are first taken; texts that both have are one row.
struct JoinedRows {
    rows: Vec<Piece>,
    numbers: Renumbering,
    /// The earlier row of each changed one's text.
    twins: Vec<Option<u32>>,
}

impl JoinedRows {
    fn new(sides: Pair<&Index>) -> Self {
        let vectors = sides.map(|index| &index.vectors);
        Self {
            rows: Vec::with_capacity(vectors[0].len()),
            numbers: vectors.map(|vectors| vec![GONE; vectors.len()]),
            twins: vectors[1].twins(vectors[0]),
        }
    }

    fn take_all(&mut self, side: usize, rows: &[u32]) {
        for &row in rows {
            self.take(side, row);
        }
    }

    /// The new number of a row.
    fn take(&mut self, side: usize, row: u32) -> u32 {
        let twin = if side == 1 { self.twins[row as usize] } else { None };
        let (side_of_text, row_of_text) = twin.map_or((side, row), |twin| (0, twin));
        let mut number = self.numbers[side_of_text][row_of_text as usize];
        if number == GONE {
            number = self.rows.len() as u32;
            self.rows.push(Piece { side: side_of_text, number: row_of_text as usize });
            self.numbers[side_of_text][row_of_text as usize] = number;
        }
        self.numbers[side][row as usize] = number;
        number
    }
}

/// Tables that have changed since that index was built, or have come, and those that are joined with them or with a table that
/// is gone.
fn touched(index: &Index, catalog: &Catalog) -> HashSet<TableId> {
    let is_changed =
        |entry: &&catalog::Entry| entry.revision > index.revision || index.unit_of(&entry.table.id).is_none();
    let changed: HashMap<&TableId, &catalog::Entry> =
        catalog.entries().iter().filter(is_changed).map(|entry| (&entry.table.id, entry)).collect();
    let gone = index.units().iter().flat_map(|unit| &*unit.members).filter(|member| catalog.entry(member).is_none());
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
        // What a table says of another one's values may have to be forgotten.
        let facts = entry.profile().into_iter().flat_map(|profile| &profile.facts);
        let mut others = facts.filter_map(|fact| fact.other()).map(|(other, _)| other);
        if others.any(|other| changed.contains_key(other) || gone.contains(other)) {
            touched.insert(entry.table.id.clone());
        }
    }
    // … and as they were.
    for table in changed.keys().copied().chain(gone) {
        let chunks = index.unit_of(table).into_iter().flat_map(|unit| index.chunks.of(unit.0));
        for chunk in chunks.filter_map(|&number| index.chunks.get(number)) {
            touched.extend(chunk.related);
        }
    }
    touched
}

#[cfg(test)]
mod tests;
