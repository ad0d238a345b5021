//! What is allowed, beyond what never is.
//!
//! A policy starts from a profile and changes it rule by rule. Rules on which read-only access rests can be made no
//! milder by any configuration, so that a mistake in a file can't open a database.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sql::ColumnRef;

use crate::audit::AuditLog;
use crate::error::GuardError;
use crate::finding::Severity;
use crate::look_ups::{LookUps, Room};
use crate::rules;

/// The policy as it is written in the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// Where to start.
    pub profile: Profile,
    /// Changes to single rules: `literal_value = "error"`.
    pub rules: BTreeMap<String, RuleLevel>,
    /// Functions that may be called besides those known to be pure. A name ending in `*` is a prefix: `st_*`; it leaves
    /// out functions known to act, such as `pg_read_file`, which have to be named in full.
    pub allow_functions: Vec<String>,
    /// Functions that may not be called though they are known to be pure.
    pub deny_functions: Vec<String>,
    /// The only tables that may be read, if any are named: `orders`, `sales.*`.
    pub allow_tables: Vec<String>,
    /// Tables that may not be read, not through views either: `salaries`, `hr.*`.
    pub deny_tables: Vec<String>,
    /// Columns that may not be read, not through `*` or a view of the statement's own either: `users.email`, `*.ssn`.
    pub deny_columns: Vec<String>,
    /// Whether columns that are masked as sensitive may be read. The default says no.
    pub sensitive_columns: SensitiveColumns,
    /// What may be done with a masked column besides showing it.
    pub masked_use: MaskedUse,
    /// How many values of masked columns a caller may look up in an hour.
    pub max_look_ups: usize,
    /// What is done about columns at whose values nobody has looked yet.
    pub unprofiled: Unprofiled,
    /// The most rows that the engine may expect in one step of its plan; 0 for any number.
    pub max_estimated_rows: u64,
    /// The most bytes that a statement may be expected to hold in memory, in aggregates that keep every value and in tables of
    /// computed ones, where the engine has no limit of its own for that (PostgreSQL); 0 for any number.
    pub max_estimated_bytes: u64,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            rules: BTreeMap::new(),
            allow_functions: Vec::new(),
            deny_functions: Vec::new(),
            allow_tables: Vec::new(),
            deny_tables: Vec::new(),
            deny_columns: Vec::new(),
            sensitive_columns: SensitiveColumns::default(),
            masked_use: MaskedUse::default(),
            max_look_ups: 20,
            unprofiled: Unprofiled::default(),
            max_estimated_rows: 1_000_000_000,
            max_estimated_bytes: 1_000_000_000,
        }
    }
}

impl PolicyConfig {
    /// Whether that column may not be read, whatever it holds.
    pub(crate) fn denies(&self, column: &ColumnRef) -> bool {
        let names = [&column.table.local(), &column.table.name].map(|table| format!("{table}.{}", column.column));
        self.deny_columns.iter().any(|pattern| names.iter().any(|name| words::matches_glob(pattern, name)))
    }

    fn validate(&self) -> Result<(), GuardError> {
        for (name, level) in &self.rules {
            let Some(rule) = rules::ALL.iter().find(|rule| rule.name.as_str() == name) else {
                let known = rules::ALL.iter().map(|rule| rule.name.as_str()).collect();
                return Err(GuardError::UnknownRule { name: name.clone(), known });
            };
            if rule.fixed && *level != RuleLevel::Error {
                return Err(GuardError::FixedRule { name: rule.name.as_str() });
            }
        }
        let is_open = |pattern: &&String| {
            let named = pattern.trim_end_matches('*');
            named.len() < 2 && named.len() < pattern.len() || named.contains('*')
        };
        if let Some(pattern) = self.allow_functions.iter().find(is_open) {
            return Err(GuardError::OpenPattern { pattern: pattern.clone() });
        }
        Ok(())
    }
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

/// What may be done with a masked column besides showing it. Each level allows what the one before does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaskedUse {
    /// It may be counted, tested for NULL and joined over a key.
    None,
    /// Besides, rows may be picked by a constant that it equals: who has a value can find its row.
    #[default]
    Lookup,
    /// Anything but showing it. Whoever may compare can find out every value, in not too many statements.
    Compare,
}

/// What to do about columns at whose values nobody has looked yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unprofiled {
    /// They are as good as masked.
    #[default]
    Refuse,
    /// Only their names decide.
    Names,
}

/// What to do about columns that are masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitiveColumns {
    /// They may not be part of a result; [`MaskedUse`] says what else may be done.
    #[default]
    Refuse,
    /// They may be read like any other.
    Allow,
}

/// Who asks, through what, and what they want to know: for the record and for the look-ups. Empty where it isn't known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asker {
    pub(crate) caller: String,
    pub(crate) client: String,
    pub(crate) question: String,
}

/// A policy, checked.
///
/// The default is read-only, the standard profile, without a record.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    config: PolicyConfig,
    /// Policies of single sources.
    sources: BTreeMap<String, PolicyConfig>,
    audit: Option<Arc<AuditLog>>,
    asker: Asker,
    /// What was looked up so far.
    look_ups: Arc<LookUps>,
}

impl Policy {
    /// A policy from its configuration.
    ///
    /// # Errors
    /// [`GuardError::UnknownRule`] for a rule that doesn't exist, [`GuardError::FixedRule`] where one that read-only
    /// access rests on would be weakened, [`GuardError::OpenPattern`] where nearly every function would be allowed.
    pub fn new(config: PolicyConfig) -> Result<Self, GuardError> {
        config.validate()?;
        Ok(Self { config, ..Self::default() })
    }

    /// The same, for somebody whose look-ups are counted apart from those of others.
    #[must_use]
    pub fn asked_by(mut self, caller: &str) -> Self {
        caller.clone_into(&mut self.asker.caller);
        self
    }

    /// The same, with the program that asks for them in the record.
    #[must_use]
    pub fn through(mut self, client: &str) -> Self {
        client.clone_into(&mut self.asker.client);
        self
    }

    /// The same, with the question that statements answer in the record.
    #[must_use]
    pub fn about(mut self, question: Option<&str>) -> Self {
        self.asker.question = question.unwrap_or_default().to_owned();
        self
    }

    pub(crate) fn asker(&self) -> &Asker {
        &self.asker
    }

    /// The same, with look-ups counted in a file that other processes share.
    #[must_use]
    pub fn look_ups_counted_in(self, path: &Path) -> Self {
        Self { look_ups: Arc::new(LookUps::InFile(path.to_owned())), ..self }
    }

    /// Counts the look-ups of a statement on a source, where there is room for them.
    pub(crate) fn take_look_ups(&self, source: &str, sql: &str, count: usize) -> Result<Room, GuardError> {
        match count {
            0 => Ok(Room::Enough),
            _ => {
                let most = self.config_of(source).max_look_ups;
                self.look_ups.take(&self.asker.caller, &format!("{source}\n{sql}"), count, most)
            }
        }
    }

    /// The same, but for one source.
    ///
    /// # Errors
    /// As [`Policy::new`].
    pub fn with_source(mut self, source: &str, config: PolicyConfig) -> Result<Self, GuardError> {
        config.validate()?;
        self.sources.insert(source.to_owned(), config);
        Ok(self)
    }

    /// The default policy of a profile.
    pub fn of_profile(profile: Profile) -> Self {
        Self { config: PolicyConfig { profile, ..PolicyConfig::default() }, ..Self::default() }
    }

    /// The same, with a record of every statement that is checked with the engine or run.
    #[must_use]
    pub fn recorded_in(self, log: Arc<AuditLog>) -> Self {
        Self { audit: Some(log), ..self }
    }

    /// The record of statements, where there is one.
    pub fn record(&self) -> Option<&Arc<AuditLog>> {
        self.audit.as_ref()
    }

    pub(crate) fn audit(&self) -> Option<&AuditLog> {
        self.audit.as_deref()
    }

    /// What holds for a source.
    pub fn config_of(&self, source: &str) -> &PolicyConfig {
        self.sources.get(source).unwrap_or(&self.config)
    }
}

impl PolicyConfig {
    /// Whether the operator has allowed a function by a name or pattern of its own.
    pub(crate) fn names_function(&self, name: &str) -> bool {
        self.allow_functions.iter().any(|pattern| words::matches_glob(pattern, name))
    }

    /// How severe findings of a rule are; `None` where it is off.
    pub(crate) fn severity(&self, rule: &rules::Rule) -> Option<Severity> {
        match self.rules.get(rule.name.as_str()) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::Hint) => Some(Severity::Hint),
            Some(RuleLevel::Warning) => Some(Severity::Warning),
            Some(RuleLevel::Error) => Some(Severity::Error),
            None => Some(rule.severity.of(self.profile)),
        }
    }
}
