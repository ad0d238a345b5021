//! What decides which rows a query has, and so can be read off each of its columns.

use serde::{Deserialize, Serialize};

use crate::reading::{ColumnRef, FunctionUse, Manner, ResolvedStatement, ValueUse};

/// What decides which rows a query has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowChoice {
    /// Columns that decide which rows it has, or which value stands in one.
    pub deciding: Vec<ColumnRef>,
    /// Pairs of columns whose being equal decides it.
    pub equated: Vec<[ColumnRef; 2]>,
    /// Columns of which it is asked whether there is a value, or how many there are.
    pub tested: Vec<ColumnRef>,
}

impl RowChoice {
    pub(crate) fn of(reading: &ResolvedStatement) -> Self {
        let uses = || reading.uses.iter();
        let tells_nothing = |used: &&ValueUse| {
            use Manner::{Counted, Equated, NullTested, Passed};
            matches!(used.manner, Passed | Counted | NullTested | Equated(_))
        };
        // SQLite takes a bare column from the row that has the least or the greatest value (lang_select.html, 2.5), also where
        // the aggregate stands in a subquery and is one of the query around it.
        let extremes = |it: &FunctionUse| ["min", "max"].contains(&it.name()) && it.arguments.len() < 2;
        let picks_rows = !reading.ungrouped.is_empty() && reading.functions.iter().any(extremes);
        let decides = |used: &&ValueUse| !tells_nothing(used) && (picks_rows || !used.is_carried);
        let deciding = uses().filter(decides).map(|used| &used.column).chain(&reading.sizes).cloned().collect();
        let pairs = uses().filter_map(|used| match &used.manner {
            Manner::Equated(other) => Some([used.column.clone(), other.clone()]),
            _ => None,
        });
        let tests = |used: &&ValueUse| matches!(used.manner, Manner::Counted | Manner::NullTested);
        let tested = uses().filter(tests).map(|used| used.column.clone()).collect();
        Self { deciding, equated: pairs.collect(), tested }
    }

    /// Whether nothing decides.
    pub fn is_empty(&self) -> bool {
        self.deciding.is_empty() && self.equated.is_empty() && self.tested.is_empty()
    }
}
