//! What was read of a column before it is judged by its values.

use catalog::Column;

/// What was read of a column.
#[derive(Clone, Debug)]
pub struct Seen<'v> {
    /// Which one.
    pub column: &'v Column,
    /// Different values of it.
    pub values: Vec<&'v str>,
    /// How many of the rows that have a value have one of their own: 1 for a key, nearly 0 for a state.
    pub different: f64,
}
