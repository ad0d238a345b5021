//! A statement costs no more than the policy allows, by the engine's own plan.
//!
//! Only the engine can tell: the rule is asked where there is one, by [`crate::cost`], and says nothing of a text alone.

use super::{Rule, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::Cost,
    severity: Severities::by_profile(Severity::Error, Severity::Error, Severity::Warning),
    fixed: false,
    run: |_, _| {},
};
