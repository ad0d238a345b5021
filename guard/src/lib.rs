//! *May it run?* A policy over what a statement says: one file per rule, a verdict with findings, and the only way to run
//! what was accepted.
//!
//! The guard allows what it knows and refuses the rest: kinds of statements, functions, syntax. Whatever is refused comes
//! with a code, the reason, and names or values that would do.
//!
//! Invariants: if a statement is accepted, the database is unchanged after it ran; every statement that reaches a user's
//! database on somebody's behalf goes through [`run`]; [`check`] uses no connection.
//!
//! ```ignore
//! let policy = guard::Policy::default();
//! let verdict = guard::check("SELECT nme FROM users", &catalog, "shop", &policy, None);
//! assert_eq!(verdict.decision, guard::Decision::Refuse);
//! assert_eq!(verdict.findings[0].code, "unknown_column");
//! assert_eq!(verdict.findings[0].suggestions, ["name"]);
//! let answer = guard::run("SELECT name FROM users", &catalog, connector, &policy, &Limits::default()).await?;
//! println!("{} rows", answer.result.rows.len());
//! ```

mod account;
mod aside;
mod audit;
mod check;
mod cost;
mod error;
mod finding;
mod forms;
mod functions;
mod held;
mod kept;
mod lengths;
mod live;
mod look_ups;
mod masks;
mod mentions;
mod newer;
mod policy;
mod presence;
mod rewrite;
mod rule_name;
mod rules;
mod run;
mod values;
mod withheld;

pub use audit::{
    Anchor, AnchorPlace, AuditCheck, AuditKey, AuditKeyError, AuditLog, AuditOptions, AuditPlace, BrokenRecord,
    Manipulation, Tail,
};
pub use check::check;
pub use error::GuardError;
pub use finding::{AMBIGUOUS_COLUMN, Decision, Finding, NO_LIMIT, Severity, Verdict};
pub use kept::ResultCache;
pub use lengths::{LONGEST_NAME, LONGEST_SENTENCE, cut};
pub use masks::{deciding, lineage};
pub use policy::{MaskedUse, Policy, PolicyConfig, Profile, RuleLevel, SensitiveColumns, Unprofiled};
pub use rule_name::RuleName;
pub use run::{Answer, run, run_again, verify};
pub use sql::Span;
