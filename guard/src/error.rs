//! What can go wrong between a statement and its rows.

use connect::ConnectError;

use crate::finding::{Severity, Verdict};

/// A failure to run, or to set up, what may run. [`GuardError::code`] is stable; [`GuardError::hints`] say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    /// The statement is refused; nothing ran.
    #[error("the statement is refused: {}", reasons(.0))]
    Refused(Box<Verdict>),
    /// The database refused the statement, or couldn't be reached.
    #[error("the database gave no result")]
    Connect(#[source] ConnectError),
    /// What was asked can't be written down, so it was not done.
    #[error("the record of statements can't be written or read: {}", path.display())]
    Audit {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// How much was looked up can't be counted, so that it was not done.
    #[error("the count of look-ups can't be written or read: {}", path.display())]
    LookUps {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The policy names a rule that doesn't exist.
    #[error("there is no rule `{name}`")]
    UnknownRule {
        /// As written.
        name: String,
        /// The rules there are.
        known: Vec<&'static str>,
    },
    /// The policy allows functions by a pattern that says nothing.
    #[error("`{pattern}` in `allow_functions` would allow nearly everything")]
    OpenPattern {
        /// As written.
        pattern: String,
    },
    /// The policy weakens a rule that read-only access rests on.
    #[error("the rule `{name}` can't be weakened: read-only access rests on it")]
    FixedRule {
        /// The rule.
        name: &'static str,
    },
}

impl GuardError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Connect(error) => error.code(),
            Self::Audit { .. } => "audit_failed",
            Self::LookUps { .. } => "look_ups_unreadable",
            Self::UnknownRule { .. } => "unknown_rule",
            Self::OpenPattern { .. } => "open_pattern",
            Self::FixedRule { .. } => "fixed_rule",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Refused(verdict) => verdict.errors().map(|finding| finding.help.clone()).collect(),
            Self::Connect(error) => error.hints(),
            Self::Audit { .. } => {
                vec!["make it a file that can be written, or set `enabled = false` in [audit]".to_owned()]
            }
            Self::LookUps { .. } => {
                vec!["make it a file that can be written, or remove it if something else has written to it".to_owned()]
            }
            Self::UnknownRule { known, .. } => vec![format!("the rules are: {}", known.join(", "))],
            Self::OpenPattern { .. } => {
                vec!["name the functions, or begin the pattern with two characters at least: `st_*`".to_owned()]
            }
            Self::FixedRule { name } => vec![format!("remove `{name}` from the policy's rules")],
        }
    }
}

impl From<ConnectError> for GuardError {
    fn from(error: ConnectError) -> Self {
        Self::Connect(error)
    }
}

fn reasons(verdict: &Verdict) -> String {
    let reasons: Vec<&str> = verdict
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.message.as_str())
        .collect();
    reasons.join("; ")
}
