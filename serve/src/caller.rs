//! Who asks, and what they may.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ToolError;

/// What a caller may do. Each role may do what those before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Ask: every tool but those that write into the catalog.
    #[default]
    Reader,
    /// Besides, say what is right: descriptions.
    Approver,
    /// Anything.
    Admin,
}

impl Role {
    /// Its name, as it is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The name that the operator gave: what the record of statements and the limits know them by.
    pub(crate) name: String,
    /// What they may do.
    pub(crate) role: Role,
}

impl Caller {
    /// Whoever started this process, or sits at the same machine: they could run any command.
    pub(crate) fn local() -> Self {
        Self { name: "local".to_owned(), role: Role::Admin }
    }

    /// Whether it is whoever started this process, whom the policy knows by the name of their account.
    pub(crate) fn is_local(&self) -> bool {
        *self == Self::local()
    }

    /// Refuses what takes another role.
    pub(crate) fn must_be(&self, role: Role) -> Result<(), ToolError> {
        match self.may(role) {
            true => Ok(()),
            false => Err(ToolError::new("role_may_not", "the caller's role doesn't allow that")
                .hint("the operator can give another token: `periplus token create`")),
        }
    }

    pub(crate) fn may(&self, role: Role) -> bool {
        self.role >= role
    }
}
