//! What is allowed, beyond what never is.
//!
//! A policy starts from a profile and changes it rule by rule. Rules on which read-only access rests can be made no
//! milder by any configuration, so that a mistake in a file can't open a database.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::audit::AuditLog;
use crate::error::GuardError;
use crate::finding::Severity;
use crate::rules;

/// The policy as it is written in the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// Where to start.
    pub profile: Profile,
    /// Changes to single rules: `literal_value = "error"`.
    pub rules: BTreeMap<String, RuleLevel>,
    /// Functions that may be called besides those known to be pure. A name ending in `*` is a prefix: `st_*`.
    pub allow_functions: Vec<String>,
    /// Functions that may not be called though they are known to be pure.
    pub deny_functions: Vec<String>,
    /// Tables that may not be read: `salaries`, `hr.*`.
    pub deny_tables: Vec<String>,
    /// Columns that may not be read, not through `*` or a view of the statement's own either: `users.email`, `*.ssn`.
    pub deny_columns: Vec<String>,
    /// Whether columns that profiling has masked as sensitive may be read. The default says no.
    pub sensitive_columns: SensitiveColumns,
}

/// Where a policy starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// For agents that nobody watches: what is probably wrong is refused too.
    Strict,
    /// For agents: what is unsafe or can't work is refused; what is probably wrong is a warning.
    #[default]
    Standard,
    /// For people who know the data: what is only unusual is a hint.
    Analyst,
}

/// How a rule is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleLevel {
    /// Not applied.
    Off,
    /// Findings are hints.
    Hint,
    /// Findings are warnings.
    Warning,
    /// Findings refuse.
    Error,
}

/// What to do about columns that profiling has masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitiveColumns {
    /// They may not be part of a result; they may be counted and compared.
    #[default]
    Refuse,
    /// They may be read like any other.
    Allow,
}

/// A policy, checked.
///
/// The default is read-only, the standard profile, without a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    config: PolicyConfig,
    audit: Option<Arc<AuditLog>>,
}

impl Policy {
    /// A policy from its configuration.
    ///
    /// # Errors
    /// [`GuardError::UnknownRule`] for a rule that doesn't exist, [`GuardError::FixedRule`] where one that read-only
    /// access rests on would be weakened.
    pub fn new(config: PolicyConfig) -> Result<Self, GuardError> {
        for (name, level) in &config.rules {
            let Some(rule) = rules::ALL.iter().find(|rule| rule.name == name) else {
                let known = rules::ALL.iter().map(|rule| rule.name).collect();
                return Err(GuardError::UnknownRule { name: name.clone(), known });
            };
            if rule.fixed && *level != RuleLevel::Error {
                return Err(GuardError::FixedRule { name: rule.name });
            }
        }
        Ok(Self { config, audit: None })
    }

    /// The default policy of a profile.
    pub fn of_profile(profile: Profile) -> Self {
        Self { config: PolicyConfig { profile, ..PolicyConfig::default() }, audit: None }
    }

    /// The same, with a record of every statement that is checked with the engine or run.
    #[must_use]
    pub fn recorded_in(self, log: Arc<AuditLog>) -> Self {
        Self { audit: Some(log), ..self }
    }

    pub(crate) fn audit(&self) -> Option<&AuditLog> {
        self.audit.as_deref()
    }

    /// What it was made from.
    pub fn config(&self) -> &PolicyConfig {
        &self.config
    }

    /// How severe findings of a rule are; `None` where it is off.
    pub(crate) fn severity(&self, rule: &rules::Rule) -> Option<Severity> {
        match self.config.rules.get(rule.name) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::Hint) => Some(Severity::Hint),
            Some(RuleLevel::Warning) => Some(Severity::Warning),
            Some(RuleLevel::Error) => Some(Severity::Error),
            None => Some(rule.severity.of(self.config.profile)),
        }
    }
}
