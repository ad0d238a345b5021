//! What an engine knows of a table's columns by itself, without a row being read.

use catalog::RowCount;

use crate::value::Value;

/// An engine's statistics of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableStatistics {
    /// How many rows there are.
    pub row_count: RowCount,
    /// Whether rows were written since.
    pub is_outdated: bool,
    /// How many rows the engine looked at for them, as far as that is known.
    pub rows_seen: u64,
    /// One for each column that the engine has figures for, in no particular order.
    pub columns: Vec<ColumnStatistics>,
}

/// An engine's statistics of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnStatistics {
    /// Which.
    pub column: String,
    /// Share of rows that are NULL, 0 to 1.
    pub null_fraction: f64,
    /// Different values that are not NULL, estimated for the whole table.
    pub distinct_count: Option<u64>,
    /// Frequent values with their share of all rows, most frequent first.
    pub most_common: Vec<(Value, f64)>,
    /// Values that part the others into shares of equal size, in ascending order; the first and the last are the
    /// smallest and the largest that were seen.
    pub bounds: Vec<Value>,
}
