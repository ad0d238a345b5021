//! Who asks, and what they may.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::ToolError;

/// What a caller may do. Each may do what those before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rights {
    /// Ask: every tool but those that write into the catalog.
    #[default]
    Reader,
    /// Besides, say what is right: answers, descriptions.
    Approver,
    /// Anything.
    Admin,
}

impl Rights {
    /// All, the fewest first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Approver, Self::Admin];

    /// Their name, which is that of the role that has them and nothing else.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }
}

/// A role of the operator's own: what its callers may do, and what they are served.
pub struct Role {
    /// Its name, as tokens have it.
    pub name: String,
    /// What its callers may do.
    pub rights: Rights,
    /// The catalog as they may see it, and their policy.
    pub context: Context,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The name that the operator gave: what the record of statements and the limits know them by.
    pub(crate) name: String,
    /// The name of their role.
    pub(crate) role: String,
    /// What they may do.
    pub(crate) rights: Rights,
}

impl Caller {
    /// Whoever started this process, or sits at the same machine: they could run any command.
    pub(crate) fn local() -> Self {
        Self { name: "local".to_owned(), role: Rights::Admin.name().to_owned(), rights: Rights::Admin }
    }

    /// Whether it is whoever started this process, whom the policy knows by the name of their account.
    pub(crate) fn is_local(&self) -> bool {
        *self == Self::local()
    }

    pub(crate) fn may(&self, rights: Rights) -> bool {
        self.rights >= rights
    }

    /// Refuses what takes other rights.
    pub(crate) fn must_be(&self, rights: Rights) -> Result<(), ToolError> {
        match self.may(rights) {
            true => Ok(()),
            false => Err(ToolError::new("role_may_not", "the caller's role doesn't allow that")
                .hint("the operator can give another token: `periplus token create`")),
        }
    }
}
