//! The columns of all units, as the index keeps them.

use std::ops::Range;

use crate::arrays::{Array, Lists, Texts};
use crate::file::stored;
use crate::merge::{Renumbering, renumbered};
use crate::pieces::{Pair, Piece};

/// A column while the index is built.
#[derive(Clone, Debug)]
pub(crate) struct NewColumn {
    pub(crate) name: String,
    /// Terms of the name; where it is named like a key, those of what it identifies come first.
    pub(crate) terms: Vec<u32>,
    /// Where among the terms those begin that only say that it is a key; the number of all terms where none do.
    pub(crate) key_from: u32,
    /// Terms of the description.
    pub(crate) text: Vec<u32>,
    /// The row of its vector.
    pub(crate) row: u32,
}

/// A column of the index, but for its name, which is seldom asked for: see [`NewColumn`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexedColumn<'i> {
    pub(crate) terms: &'i [u32],
    pub(crate) key_from: u32,
    pub(crate) text: &'i [u32],
    pub(crate) row: u32,
}

/// Columns, unit after unit.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Where the columns of each unit begin, and where the last one's end.
    starts: Array<u32>,
    names: Texts,
    terms: Lists<u32>,
    key_from: Array<u32>,
    text: Lists<u32>,
    rows: Array<u32>,
}

stored!(Columns { starts, names, terms, key_from, text, rows });

impl Columns {
    /// Columns, given unit by unit.
    pub(crate) fn new(units: &[Vec<NewColumn>]) -> Self {
        let all = || units.iter().flatten();
        let mut starts = vec![0];
        starts.extend(units.iter().scan(0, |end, columns| {
            *end += columns.len() as u32;
            Some(*end)
        }));
        Self {
            starts: starts.into(),
            names: all().map(|column| &column.name).collect(),
            terms: all().map(|column| &column.terms).collect(),
            key_from: all().map(|column| column.key_from).collect::<Vec<_>>().into(),
            text: all().map(|column| &column.text).collect(),
            rows: all().map(|column| column.row).collect::<Vec<_>>().into(),
        }
    }

    /// The columns of the units that the pieces name, with new numbers of terms and rows.
    pub(crate) fn merged(sides: Pair<&Self>, units: &[Piece], terms: &Renumbering, rows: &Renumbering) -> Self {
        let columns = || {
            units
                .iter()
                .flat_map(|&Piece { side, number }| sides[side].range(number).map(move |number| Piece { side, number }))
        };
        let mut starts = vec![0];
        starts.extend(units.iter().scan(0, |end, unit| {
            *end += sides[unit.side].count(unit.number) as u32;
            Some(*end)
        }));
        let row = |column: Piece| rows[column.side][sides[column.side].rows[column.number] as usize];
        Self {
            starts: starts.into(),
            names: columns().map(|column| sides[column.side].names.get(column.number)).collect(),
            terms: renumbered(sides.map(|columns| &columns.terms), columns(), terms),
            key_from: columns().map(|column| sides[column.side].key_from[column.number]).collect::<Vec<_>>().into(),
            text: renumbered(sides.map(|columns| &columns.text), columns(), terms),
            rows: columns().map(row).collect::<Vec<_>>().into(),
        }
    }

    fn range(&self, unit: usize) -> Range<usize> {
        match self.starts.get(unit..unit.saturating_add(2)) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// How many units there are.
    pub(crate) fn units(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many columns the unit has.
    pub(crate) fn count(&self, unit: usize) -> usize {
        self.range(unit).len()
    }

    /// The columns of a unit, in the table's order.
    pub(crate) fn of(&self, unit: usize) -> impl Iterator<Item = IndexedColumn<'_>> {
        let (key_from, rows): (&[u32], &[u32]) = (&self.key_from, &self.rows);
        self.range(unit).map(move |number| IndexedColumn {
            terms: self.terms.get(number),
            key_from: key_from[number],
            text: self.text.get(number),
            row: rows[number],
        })
    }

    /// Vector rows of the columns of a unit, in the table's order.
    pub(crate) fn rows(&self, unit: usize) -> &[u32] {
        self.rows.get(self.range(unit)).unwrap_or_default()
    }

    /// Vector rows of the columns of all units.
    pub(crate) fn all_rows(&self) -> &[u32] {
        &self.rows
    }

    /// The name of one column.
    pub(crate) fn name(&self, unit: usize, column: usize) -> &str {
        self.range(unit).nth(column).map_or("", |number| self.names.get(number))
    }

    /// Terms of the names of a unit's columns.
    pub(crate) fn terms_of(&self, unit: usize) -> impl Iterator<Item = u32> {
        self.range(unit).flat_map(|number| self.terms.get(number)).copied()
    }

    /// Terms of all names.
    pub(crate) fn terms(&self) -> &[u32] {
        self.terms.values()
    }

    /// Terms of all descriptions.
    pub(crate) fn text(&self) -> &[u32] {
        self.text.values()
    }

    /// Terms of the descriptions of a unit's columns.
    pub(crate) fn text_of(&self, unit: usize) -> impl Iterator<Item = u32> {
        self.range(unit).flat_map(|number| self.text.get(number)).copied()
    }

    /// Whether every list is as long as it has to be.
    pub(crate) fn is_sound(&self) -> bool {
        let count = self.names.len();
        self.starts.is_sorted()
            && self.starts.last().is_some_and(|&end| end as usize == count)
            && [self.terms.len(), self.key_from.len(), self.text.len(), self.rows.len()].iter().all(|&len| len == count)
    }
}
