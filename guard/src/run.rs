//! Running what has been checked: the only way from a statement to a user's database.
//!
//! Invariant: the text that runs is, byte for byte, the text that was checked.

use std::time::Instant;

use catalog::{Catalog, Dialect};
use connect::{ConnectError, Connector, Limits, ResultSet};
use sql::{Fallback, Origin, Problem, ProblemKind, Reading, Through};

use crate::audit::Asked;
use crate::check::check;
use crate::cost::with_cost;
use crate::error::GuardError;
use crate::finding::{Finding, Severity, Verdict};
use crate::lengths::with_short_names;
use crate::masks::masked;
use crate::policy::{Policy, SensitiveColumns};
use crate::presence::with_absent_values;

/// The rows of a statement, and what was found about it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The rows; [`ResultSet::truncated`] says which limit cut them, if one did.
    pub result: ResultSet,
    /// The findings: warnings and hints, since errors don't run.
    pub verdict: Verdict,
}

/// Checks a statement and, where it passes and there is a database, lets the engine compile it: what only the engine
/// knows (a broken view, a function it lacks) is a finding too, `engine_refuses`. So does a statement of which nothing but
/// unknown names was found: the engine may know them by now. Nothing runs.
///
/// # Errors
/// [`GuardError::Connect`] where the engine can't be asked, [`GuardError::Audit`] where it can't be recorded.
pub async fn verify(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
) -> Result<Verdict, GuardError> {
    let verdict = judge(sql, catalog, connector, policy).await?;
    if let Some(log) = policy.audit() {
        log.verdict(Asked::Check, &connector.source().name, sql, &verdict)?;
    }
    Ok(verdict)
}

#[expect(clippy::disallowed_methods, reason = "compiling belongs to the checks, and nothing runs")]
async fn judge(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
) -> Result<Verdict, GuardError> {
    let verdict = check(sql, catalog, &connector.source().name, policy, None);
    if !connector.capabilities().executes {
        return Ok(verdict);
    }
    if !verdict.is_accepted() {
        let unknown = |finding: &Finding| ["unknown_table", "unknown_column"].contains(&finding.code);
        // What SQLite would take for a string, it takes for one whatever its tables hold.
        let is_text = |problem: &Problem| matches!(&problem.kind, ProblemKind::UnknownColumn { fallback, .. } if *fallback != Fallback::None);
        let are_names = verdict.errors().all(unknown) && !verdict.reading.problems.iter().any(is_text);
        // A name that the catalog doesn't know and the engine does has come since the last index.
        if are_names && connector.prepare_query(sql).await.is_ok() {
            let mut findings = verdict.findings;
            for finding in findings.iter_mut().filter(|finding| unknown(finding)) {
                finding.why = "The database knows it, but it has come after the last `periplus index`.".to_owned();
                finding.help = "Run `periplus index`, then ask again.".to_owned();
                finding.suggestions.clear();
                finding.rewrite = None;
            }
            return Ok(Verdict::of(findings, verdict.reading));
        }
        return Ok(verdict);
    }
    match connector.prepare_query(sql).await {
        Ok(()) => {
            let verdict = with_absent_values(verdict, catalog, connector, policy).await;
            Ok(with_cost(verdict, sql, catalog, connector, policy).await)
        }
        Err(
            error @ (ConnectError::Statement { .. }
            | ConnectError::Denied { .. }
            | ConnectError::PermissionDenied { .. }),
        ) => {
            // ClickHouse computes subqueries of one value while it plans.
            let error = match catalog.dialect(&connector.source().name) {
                Dialect::Clickhouse => without_values(error, &verdict.reading, catalog, policy),
                _ => error,
            };
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
/// [`GuardError::Connect`] where the engine can't be asked, fails, or takes too long. [`GuardError::Audit`] where it can't
/// be recorded; nothing runs before the verdict has been.
#[expect(clippy::disallowed_methods, reason = "this is the one place from which checked statements go on")]
pub async fn run(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
    limits: &Limits,
) -> Result<Answer, GuardError> {
    let verdict = judge(sql, catalog, connector, policy).await?;
    let recorded = match policy.audit() {
        Some(log) => Some((log, log.verdict(Asked::Run, &connector.source().name, sql, &verdict)?)),
        None => None,
    };
    if !verdict.is_accepted() {
        return Err(GuardError::Refused(Box::new(verdict)));
    }
    let started = Instant::now();
    let ran = connector.run_query(sql, limits).await;
    if let Some((log, id)) = recorded {
        let went = ran.as_ref().map(|result| (result.rows.len(), result.truncated.is_some()));
        log.outcome(&id, went.map_err(ConnectError::code), started.elapsed())?;
    }
    let result = ran.map_err(|error| without_values(error, &verdict.reading, catalog, policy))?;
    if let Some(column) = unknown_column(&result, &verdict.reading) {
        let mut findings = verdict.findings;
        findings.push(Finding {
            rule: "engine",
            code: "column_not_in_catalog",
            severity: Severity::Error,
            span: None,
            message: format!("`*` brings a column `{column}` that the catalog doesn't know"),
            why: "It has come after the last `periplus index`, so nobody can say whether it may be read.".to_owned(),
            help: "Run `periplus index`, or name the columns that are needed.".to_owned(),
            suggestions: Vec::new(),
            rewrite: None,
        });
        return Err(GuardError::Refused(Box::new(Verdict::of(findings, verdict.reading))));
    }
    Ok(Answer { result: with_short_names(result), verdict })
}

/// An error without the engine's words, where they can hold a value that may not be shown: engines say what it was that
/// they couldn't turn into a number.
fn without_values(error: ConnectError, reading: &Reading, catalog: &Catalog, policy: &Policy) -> ConnectError {
    let (ConnectError::Statement { .. } | ConnectError::Denied { .. }) = error else { return error };
    let Some(used) = reading.columns.iter().find(|used| masked(catalog, &used.column).is_some()) else { return error };
    if policy.config_of(&used.column.table.source).sensitive_columns == SensitiveColumns::Allow {
        return error;
    }
    let column = format!("{}.{}", used.column.table.local(), used.column.column);
    let reason = format!(
        "the statement can't be run to its end; what the database says of it is withheld, as it can hold a value of \
         `{column}`, which is sensitive"
    );
    ConnectError::Statement { reason }
}

/// A column of the result that `*` has brought in and that was not judged, because the catalog is older than it.
fn unknown_column<'r>(result: &'r ResultSet, reading: &Reading) -> Option<&'r str> {
    let by_star = reading.columns.iter().any(|used| used.through == Through::Star);
    if !by_star || !reading.open_relations.is_empty() {
        return None;
    }
    let expected = |name: &str| {
        reading
            .outputs
            .iter()
            .any(|output| output.name.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name)))
    };
    let mut unknown = result.columns.iter().filter(|name| !expected(name));
    if result.columns.len() > reading.outputs.len() {
        return unknown.next().map(String::as_str);
    }
    // Results without a name of their own are called as the engine likes.
    let computed = reading.outputs.iter().filter(|output| output.origin != Origin::Column).count();
    unknown.nth(computed).map(String::as_str)
}
