//! Masks that stay: a column that was masked for what was found of it is not opened by what isn't found any more.

use catalog::TableId;
use serde::{Deserialize, Serialize};
use sql::ColumnRef;

use crate::edges::Lineage;

/// A mask that holds until somebody releases the column, or a text says what the column is made from instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldMask {
    /// The table.
    pub table: TableId,
    /// The column.
    pub column: String,
    /// Why it was masked.
    pub reason: String,
    /// How likely that was, 0 to 1.
    pub confidence: f64,
    /// Whether its values told it, and not what it is made from.
    pub by_values: bool,
    /// Whether it counts only where names of people are masked.
    pub hides_names: bool,
    /// The texts that made the column while it was masked, by their hashes: none of them says that it holds something else.
    #[serde(default)]
    pub texts: Vec<String>,
}

impl HeldMask {
    /// Whether it is of that column.
    pub fn is_of(&self, table: &TableId, column: &str) -> bool {
        self.table == *table && self.column.eq_ignore_ascii_case(column)
    }
}

impl Lineage {
    /// Holds these masks besides; the earlier reason stays, and the texts that make their columns now are noted.
    pub fn hold(&mut self, masks: impl IntoIterator<Item = HeldMask>) {
        for mut mask in masks {
            mask.texts.extend(self.texts_of(&mask.table, &mask.column));
            self.keep_held([mask]);
        }
    }

    /// Holds masks that were held before, or of columns that had another name.
    pub fn keep_held(&mut self, masks: impl IntoIterator<Item = HeldMask>) {
        for mask in masks {
            let Some(known) = self.held.iter_mut().find(|held| held.is_of(&mask.table, &mask.column)) else {
                self.held.push(mask);
                continue;
            };
            known.texts.extend(mask.texts);
            known.texts.sort();
            known.texts.dedup();
        }
    }

    fn texts_of(&self, table: &TableId, column: &str) -> Vec<String> {
        let edges = self.columns.iter();
        let of_it = edges.filter(|edge| edge.to.table == *table && edge.to.column.eq_ignore_ascii_case(column));
        of_it.map(|edge| self.places[edge.place].hash.clone()).collect()
    }

    /// Whether a text makes the column of that mask, with its whole table, that has never been among those which did while it was
    /// masked, and made from columns that are all there: then it says what the column holds now. What only adds rows, or changes
    /// some, leaves the others as they were.
    pub fn says_anew(&self, mask: &HeldMask, is_there: impl Fn(&ColumnRef) -> bool) -> bool {
        let is_whole = |place: usize| {
            self.choices.iter().any(|choice| choice.place == place && choice.table == mask.table && choice.is_whole)
        };
        let edges = self.columns.iter();
        let mut of_it = edges.filter(|edge| mask.is_of(&edge.to.table, &edge.to.column)).peekable();
        of_it.peek().is_some()
            && of_it.all(|edge| {
                !mask.texts.contains(&self.places[edge.place].hash) && is_whole(edge.place) && is_there(&edge.from)
            })
    }
}
