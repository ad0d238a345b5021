//! What the words of a company mean here: `revenue`, `active customer`, `golden order`.
//!
//! A term that counts was written or approved by people. What logs and approved queries suggest waits for them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::TableId;
use super::usage::UsedColumn;

/// A business term: what it means, and how it is computed where it can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Term {
    /// [`crate::Source::name`].
    pub source: String,
    /// As people say it: `monthly recurring revenue`.
    pub name: String,
    /// What else they call it: `MRR`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// What it means, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The table whose rows it is computed of, or picks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// How it is computed, in the source's SQL: `sum(total_cents) / 100.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Which rows count, in the source's SQL: `status <> 'cancelled'`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The columns in the expression and the condition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<UsedColumn>,
    /// Who came up with it.
    pub origin: TermOrigin,
    /// What speaks for it: `18 of 20 statements, 6 of 6 users`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Whether it counts.
    pub state: TermState,
}

/// Who came up with a term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TermOrigin {
    /// Somebody who wrote it down here.
    Person,
    /// A metric of a dbt project.
    Dbt,
    /// The query logs: many compute it so, under this name.
    Usage,
    /// An approved query computes it under this name.
    ApprovedQuery,
}

/// Whether a term counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TermState {
    /// Nobody has said yet whether it is right.
    Proposed,
    /// It counts.
    Approved {
        /// Who said so.
        by: String,
        /// When, where that is known.
        at: Option<Timestamp>,
    },
    /// It doesn't, and isn't proposed again.
    Rejected {
        /// Who said so.
        by: String,
        /// When.
        at: Timestamp,
    },
}

/// Why a term that counts can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TermFault {
    /// Its table isn't there any more.
    TableGone(TableId),
    /// One of its columns isn't there any more.
    ColumnGone(UsedColumn),
    /// It is computed from what may not be shown.
    Withheld(UsedColumn),
}

impl Term {
    /// The form of a name by which terms of a source differ: case and spaces don't matter.
    pub fn key_of(name: &str) -> String {
        name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// [`Term::key_of`] its name.
    pub fn key(&self) -> String {
        Self::key_of(&self.name)
    }

    /// Whether somebody has said that it counts.
    pub fn is_approved(&self) -> bool {
        matches!(self.state, TermState::Approved { .. })
    }

    /// Its name and all else that it is called.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.synonyms).map(String::as_str)
    }

    /// The tables that it is about, each once.
    pub fn tables(&self) -> Vec<&TableId> {
        let mut tables: Vec<&TableId> = Vec::new();
        for table in self.table.iter().chain(self.columns.iter().map(|column| &column.table)) {
            if !tables.contains(&table) {
                tables.push(table);
            }
        }
        tables
    }

    /// What it means in one line: `what active subscriptions bring a month: sum(cents) / 100.0 of subscriptions where status =
    /// 'active'`. `shown` names tables.
    pub fn meaning(&self, shown: &dyn Fn(&TableId) -> String) -> String {
        let of = self.table.as_ref().map(shown);
        let computed = match (&self.expression, &self.condition, of) {
            (Some(expression), None, Some(of)) => Some(format!("{expression} of {of}")),
            (Some(expression), Some(condition), Some(of)) => Some(format!("{expression} of {of} where {condition}")),
            (Some(expression), condition, None) => {
                let rows = condition.iter().map(|condition| format!(" where {condition}")).collect::<String>();
                Some(format!("{expression}{rows}"))
            }
            (None, Some(condition), Some(of)) => Some(format!("rows of {of} where {condition}")),
            (None, Some(condition), None) => Some(format!("rows where {condition}")),
            (None, None, Some(of)) => Some(format!("see {of}")),
            (None, None, None) => None,
        };
        let words = self.definition.as_ref().map(|definition| definition.trim().trim_end_matches('.').to_owned());
        words.into_iter().chain(computed).collect::<Vec<_>>().join(": ")
    }

    /// Who says that it counts, or what it waits for: `ana, 2026-11-28`.
    pub fn said_by(&self) -> String {
        match &self.state {
            TermState::Proposed => "proposed".to_owned(),
            TermState::Approved { by, at: None } => by.clone(),
            TermState::Approved { by, at: Some(at) } => format!("{by}, {}", at.strftime("%Y-%m-%d")),
            TermState::Rejected { by, at } => format!("rejected by {by}, {}", at.strftime("%Y-%m-%d")),
        }
    }
}

impl TermOrigin {
    /// In a word or two, for people.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Person => "people",
            Self::Dbt => "dbt",
            Self::Usage => "query logs",
            Self::ApprovedQuery => "an approved query",
        }
    }
}

impl TermFault {
    /// In a few words: `orders.total_cents is gone`.
    pub fn in_words(&self) -> String {
        let name = |column: &UsedColumn| format!("{}.{}", column.table.local(), column.column);
        match self {
            Self::TableGone(table) => format!("{} is gone", table.local()),
            Self::ColumnGone(column) => format!("{} is gone", name(column)),
            Self::Withheld(column) => format!("{} may not be shown", name(column)),
        }
    }
}
