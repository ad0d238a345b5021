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
    /// For whom it counts, and how long.
    #[serde(default, skip_serializing_if = "Reach::is_everywhere")]
    pub reach: Reach,
}

/// For whom a memory counts, and how long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reach {
    /// For its author alone.
    #[serde(default)]
    pub private: bool,
    /// Until then; for good where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Reach {
    fn is_everywhere(&self) -> bool {
        *self == Self::default()
    }
}

impl Memory {
    /// Whether it is used at that time, by whomever.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.state == MemoryState::Active && self.content.reach.expires_at.is_none_or(|until| now < until)
    }

    /// Whether it is used for a question that `asker` asks at that time. Where nobody knows who asks, nothing private is.
    pub fn counts_for(&self, asker: Option<&str>, now: Timestamp) -> bool {
        let is_theirs = !self.content.reach.private || asker == Some(self.content.author.as_str());
        is_theirs && self.is_active(now)
    }
}

/// A question for which a memory was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryUse {
    /// The memory.
    pub memory: MemoryId,
    /// When.
    pub at: Timestamp,
    /// Who asked, where that is known.
    pub asker: Option<String>,
    /// What was asked.
    pub question: String,
    /// What the memory was: `answer`, `example`, `correction`.
    pub used_as: String,
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
    /// Somebody said it better; kept for the record.
    Replaced {
        /// When.
        at: Timestamp,
        /// By whom.
        by: String,
        /// By what.
        with: MemoryId,
    },
}
