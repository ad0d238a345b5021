//! Running what has been checked: the only way from a statement to a user's database.
//!
//! Invariant: the text that runs is, byte for byte, the text that was checked.

use catalog::Catalog;
use connect::{ConnectError, Connector, Limits, ResultSet};

use crate::check::check;
use crate::error::GuardError;
use crate::finding::{Finding, Severity, Verdict};
use crate::policy::Policy;

/// The rows of a statement, and what was found about it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The rows; [`ResultSet::truncated`] says which limit cut them, if one did.
    pub result: ResultSet,
    /// The findings: warnings and hints, since errors don't run.
    pub verdict: Verdict,
}

/// Checks a statement and, where it passes and there is a database, lets the engine compile it: what only the engine
/// knows (a broken view, a function it lacks) is a finding too, `engine_refuses`. Nothing runs.
///
/// # Errors
/// [`GuardError::Connect`] where the engine can't be asked.
#[expect(clippy::disallowed_methods, reason = "compiling belongs to the checks, and nothing runs")]
pub async fn verify(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
) -> Result<Verdict, GuardError> {
    let verdict = check(sql, catalog, &connector.source().name, policy, None);
    if !verdict.is_accepted() || !connector.capabilities().executes {
        return Ok(verdict);
    }
    match connector.prepare_query(sql).await {
        Ok(()) => Ok(verdict),
        Err(error @ (ConnectError::Statement { .. } | ConnectError::Denied { .. })) => {
            let mut findings = verdict.findings;
            findings.push(Finding {
                rule: "engine",
                code: "engine_refuses",
                severity: Severity::Error,
                span: None,
                message: error.to_string(),
                why: "The engine was asked to compile the statement, and would not.".to_owned(),
                help: error.hints().into_iter().next().unwrap_or_else(|| "Correct what it names.".to_owned()),
                suggestions: Vec::new(),
                rewrite: None,
            });
            Ok(Verdict::of(findings, verdict.reading))
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks a statement as [`verify`] does, and runs it within `limits`.
///
/// # Errors
/// [`GuardError::Refused`] with the verdict where the rules or the engine refuse; nothing runs then.
/// [`GuardError::Connect`] where the engine can't be asked, fails, or takes too long.
#[expect(clippy::disallowed_methods, reason = "this is the one place from which checked statements go on")]
pub async fn run(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
    limits: &Limits,
) -> Result<Answer, GuardError> {
    let verdict = verify(sql, catalog, connector, policy).await?;
    if !verdict.is_accepted() {
        return Err(GuardError::Refused(Box::new(verdict)));
    }
    let result = connector.run_query(sql, limits).await?;
    Ok(Answer { result, verdict })
}
