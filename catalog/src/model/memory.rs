//! What people have approved and corrected.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of a memory, unique in a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct MemoryId(pub i64);

/// A question with its SQL and what somebody said about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// Its number.
    pub id: MemoryId,
    /// What was said.
    pub content: NewMemory,
    /// When.
    pub created_at: Timestamp,
    /// Whether it still counts.
    pub state: MemoryState,
}

/// A memory before it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NewMemory {
    /// [`crate::Source::name`].
    pub source: String,
    /// Approved, or rejected with a correction.
    pub kind: MemoryKind,
    /// The question as it was asked.
    pub question: String,
    /// The SQL that was approved, or that was wrong.
    pub sql: String,
    /// For a rejection: what is wrong, or how it should be.
    pub correction: Option<String>,
    /// Who said it.
    pub author: String,
}

/// What a memory says about its SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// It answers the question.
    Approved,
    /// It doesn't; the correction says why.
    Rejected,
}

/// Whether a memory still counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryState {
    /// It is used.
    Active,
    /// It was taken back; kept for the record.
    Undone {
        /// When.
        at: Timestamp,
        /// By whom.
        by: String,
    },
}
