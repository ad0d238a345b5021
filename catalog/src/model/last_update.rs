//! When a table's data last changed, and how that is known.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a table's data last changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastUpdate {
    /// The time.
    pub at: Timestamp,
    /// How it is known.
    pub evidence: UpdateEvidence,
}

/// How it is known when a table's data last changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum UpdateEvidence {
    /// The engine records its last write to the table.
    Engine,
    /// The newest value of a column that records changes, such as `updated_at`.
    ChangeColumn(NewestValue),
    /// The newest value of another date, such as `order_date`: it tells of what is in the table rather than of writing.
    OtherDate(NewestValue),
}

/// Where the newest value of a column was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NewestValue {
    /// The column.
    pub column: String,
    /// How many rows, the first and the last ones, it is the newest of; `None` for all, or for the end of an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among_rows: Option<usize>,
}

impl LastUpdate {
    /// What the engine says.
    pub fn of_engine(at: Timestamp) -> Self {
        Self { at, evidence: UpdateEvidence::Engine }
    }

    /// Whether another date than a record of changes says it, which tells of what is in the table rather than of writing.
    pub fn is_other_date(&self) -> bool {
        matches!(self.evidence, UpdateEvidence::OtherDate(_))
    }

    /// Whether the engine says it, and no column.
    pub fn is_of_engine(&self) -> bool {
        self.evidence == UpdateEvidence::Engine
    }

    /// A clause without a subject: `has no updated_at after 2023-10-27`. A row may have been changed without it.
    pub fn clause(&self) -> String {
        let day = self.at.strftime("%Y-%m-%d");
        match &self.evidence {
            UpdateEvidence::Engine => format!("was last written to on {day}"),
            UpdateEvidence::ChangeColumn(newest) => format!("has no {newest} after {day}"),
            UpdateEvidence::OtherDate(_) => format!("holds nothing newer than {day} ({})", self.evidence),
        }
    }
}

impl fmt::Display for UpdateEvidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine => formatter.write_str("engine"),
            Self::ChangeColumn(newest) => write!(formatter, "column {newest}"),
            Self::OtherDate(newest) => write!(formatter, "newest value of column {newest}"),
        }
    }
}

impl fmt::Display for NewestValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.among_rows {
            Some(rows) => write!(formatter, "{}, in the first and last {rows} rows", self.column),
            None => formatter.write_str(&self.column),
        }
    }
}
