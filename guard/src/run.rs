//! Running what has been checked: the only way from a statement to a user's database.
//!
//! Invariant: the text that runs is, byte for byte, the text that was checked.

use catalog::Catalog;
use connect::{Connector, Limits, ResultSet};

use crate::check::check;
use crate::error::GuardError;
use crate::finding::Verdict;
use crate::policy::Policy;

/// The rows of a statement, and what was found about it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The rows; [`ResultSet::truncated`] says which limit cut them, if one did.
    pub result: ResultSet,
    /// The findings: warnings and hints, since errors don't run.
    pub verdict: Verdict,
}

/// Checks a statement, lets the engine compile it, and runs it within `limits`.
///
/// # Errors
/// [`GuardError::Refused`] with the verdict where the check refuses; nothing is sent then. [`GuardError::Connect`] where
/// the engine refuses, fails, or takes too long.
#[expect(clippy::disallowed_methods, reason = "this is the one place from which checked statements go on")]
pub async fn run(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
    limits: &Limits,
) -> Result<Answer, GuardError> {
    let verdict = check(sql, catalog, &connector.source().name, policy, None);
    if !verdict.is_accepted() {
        return Err(GuardError::Refused(Box::new(verdict)));
    }
    connector.prepare_query(sql).await?;
    let result = connector.run_query(sql, limits).await?;
    Ok(Answer { result, verdict })
}
