//! Masks that stay: a column that was masked for what was found of it is not opened by what isn't found any more.

use catalog::TableId;
use serde::{Deserialize, Serialize};

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
}

impl HeldMask {
    /// Whether it is of that column.
    pub fn is_of(&self, table: &TableId, column: &str) -> bool {
        self.table == *table && self.column.eq_ignore_ascii_case(column)
    }
}

impl Lineage {
    /// Holds these masks besides; the earlier reason stays.
    pub fn hold(&mut self, masks: impl IntoIterator<Item = HeldMask>) {
        for mask in masks {
            if !self.held.iter().any(|held| held.is_of(&mask.table, &mask.column)) {
                self.held.push(mask);
            }
        }
    }

    /// Whether a text makes that column that isn't among those which did before: then it says what the column holds now.
    pub fn says_anew(&self, before: &Self, table: &TableId, column: &str) -> bool {
        let made = |lineage: &Self| -> Vec<String> {
            let edges = lineage.columns.iter();
            let of_it = edges.filter(|edge| edge.to.table == *table && edge.to.column.eq_ignore_ascii_case(column));
            of_it.map(|edge| lineage.places[edge.place].hash.clone()).collect()
        };
        let before = made(before);
        let now = made(self);
        !now.is_empty() && now.iter().all(|hash| !before.contains(hash))
    }
}
