//! What is remembered of a table's structure because reading its rows rests on it.

use std::collections::HashMap;

use catalog::WriteMark;

use super::decode::Kind;
use crate::connector::LookupColumn;

/// What reading a table's rows rests on.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// When the storage engine saw its last write, as the structure was read.
    pub(super) write_mark: Option<WriteMark>,
    /// By name.
    pub(super) types: HashMap<String, BaseType>,
    /// Unique ones first, the primary key before others.
    pub(super) lookup_columns: Vec<LookupColumn>,
    /// The index that leads to the values of each of them.
    pub(super) lookup_indexes: HashMap<String, String>,
}

/// The type of a column.
#[derive(Clone, Debug)]
pub(super) struct BaseType {
    pub(super) kind: Kind,
    /// The bare name: `int`, `varchar`.
    pub(super) name: String,
    /// Character set and collation, where it has them.
    pub(super) characters: Option<(String, String)>,
}
