//! Running what has been checked: the only way from a statement to a user's database.
//!
//! Invariant: the text that runs is, byte for byte, the text that was checked.

use std::time::Instant;

use catalog::{Catalog, Dialect};
use connect::{ConnectError, Connector, Limits, ResultSet, StatementSession};
use sql::{Fallback, Origin, Problem, ProblemKind, Reading, Through};

use crate::audit::Asked;
use crate::check::check;
use crate::cost::with_cost;
use crate::error::GuardError;
use crate::finding::{Finding, Severity, Verdict};
use crate::lengths::with_short_names;
use crate::live;
use crate::masks::{look_ups, masked};
use crate::policy::{MaskedUse, Policy, SensitiveColumns};
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
    let (verdict, session) = judge(sql, catalog, connector, policy, &Limits::default()).await?;
    if let Some(session) = session {
        session.end().await;
    }
    if let Some(log) = policy.audit() {
        log.verdict(Asked::Check, &connector.source().name, sql, &verdict)?;
    }
    Ok(verdict)
}

/// The verdict, and where it accepts and there is a database, the session in which the statement is compiled and what it
/// reads is as the verdict takes it to be.
#[expect(clippy::disallowed_methods, reason = "the one place from which a statement goes on, once it is checked")]
async fn judge(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
    limits: &Limits,
) -> Result<(Verdict, Option<Box<dyn StatementSession>>), GuardError> {
    let source = connector.source();
    let verdict = check(sql, catalog, &source.name, policy, None);
    if !connector.capabilities().executes {
        return Ok((verdict, None));
    }
    if !verdict.is_accepted() {
        // What comes of it says nothing but whether the engine knows the names.
        let known = needs_names_alone(&verdict)
            && match connector.open_statement(sql, &[], limits).await {
                Ok(session) => {
                    session.end().await;
                    true
                }
                Err(_) => false,
            };
        return Ok((if known { newer_than_catalog(verdict) } else { verdict }, None));
    }
    let reads = live::relations_of(&verdict.reading, catalog);
    let mut session = match connector.open_statement(sql, &reads, limits).await {
        Ok(session) => session,
        Err(
            error @ (ConnectError::Statement { .. }
            | ConnectError::Denied { .. }
            | ConnectError::PermissionDenied { .. }),
        ) => {
            // ClickHouse computes subqueries of one value while it plans.
            let error = match catalog.dialect(&source.name) {
                Dialect::Clickhouse => without_values(error, &verdict.reading, catalog, policy),
                _ => error,
            };
            return Ok((refused_by_engine(verdict, &error), None));
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(change) = live::change(&reads, session.live(), catalog) {
        session.end().await;
        return Ok((verdict.with(change), None));
    }
    let verdict = with_absent_values(verdict, catalog, source, session.as_mut(), policy).await;
    let verdict = with_cost(verdict, catalog, source, session.as_mut(), policy).await;
    if verdict.is_accepted() {
        return Ok((verdict, Some(session)));
    }
    session.end().await;
    Ok((verdict, None))
}

fn is_unknown_name(finding: &Finding) -> bool {
    ["unknown_table", "unknown_column"].contains(&finding.code)
}

/// Whether nothing keeps the statement back but names that the catalog doesn't know.
fn needs_names_alone(verdict: &Verdict) -> bool {
    // What SQLite would take for a string, it takes for one whatever its tables hold.
    let is_text = |problem: &Problem| matches!(&problem.kind, ProblemKind::UnknownColumn { fallback, .. } if *fallback != Fallback::None);
    verdict.errors().all(is_unknown_name) && !verdict.reading.problems.iter().any(is_text)
}

/// A name that the catalog doesn't know and the engine does has come since the last index.
fn newer_than_catalog(verdict: Verdict) -> Verdict {
    let mut findings = verdict.findings;
    for finding in findings.iter_mut().filter(|finding| is_unknown_name(finding)) {
        finding.why = "The database knows it, but it has come after the last `periplus index`.".to_owned();
        finding.help = "Run `periplus index`, then ask again.".to_owned();
        finding.suggestions.clear();
        finding.rewrite = None;
    }
    Verdict::of(findings, verdict.reading)
}

fn refused_by_engine(verdict: Verdict, error: &ConnectError) -> Verdict {
    verdict.with(Finding {
        rule: "engine",
        code: "engine_refuses",
        severity: Severity::Error,
        span: None,
        message: error.to_string(),
        why: "The engine was asked to compile the statement, and would not.".to_owned(),
        help: error.hints().into_iter().next().unwrap_or_else(|| "Correct what it names.".to_owned()),
        suggestions: Vec::new(),
        rewrite: None,
    })
}

/// Checks a statement as [`verify`] does, and runs it within `limits`: on the same connection, in the same transaction,
/// and within the same time.
///
/// # Errors
/// [`GuardError::Refused`] with the verdict where the rules or the engine refuse; nothing ran then, or nothing is handed
/// on of what ran. [`GuardError::Connect`] where the engine can't be asked, fails, or takes too long.
/// [`GuardError::Audit`] where it can't be recorded; nothing runs before the verdict has been.
pub async fn run(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
    limits: &Limits,
) -> Result<Answer, GuardError> {
    let (verdict, session) = judge(sql, catalog, connector, policy, limits).await?;
    let verdict = within_look_ups(verdict, catalog, connector, policy);
    let recorded = match policy.audit() {
        Some(log) => Some((log, log.verdict(Asked::Run, &connector.source().name, sql, &verdict)?)),
        None => None,
    };
    let mut session = match session {
        Some(session) if verdict.is_accepted() => session,
        _ if verdict.is_accepted() => {
            return Err(ConnectError::NothingToRun { source_name: connector.source().name.clone() }.into());
        }
        _ => return Err(GuardError::Refused(Box::new(verdict))),
    };
    let started = Instant::now();
    let ran = session.run().await;
    session.end().await;
    if let Some((log, id)) = recorded {
        let went = ran.as_ref().map(|result| (result.rows.len(), result.truncated.is_some()));
        log.outcome(&id, went.map_err(ConnectError::code), started.elapsed())?;
    }
    let result = match ran {
        Ok(result) => result,
        Err(ConnectError::Changed { relation }) => {
            return Err(GuardError::Refused(Box::new(verdict.with(live::changed_meanwhile(&relation)))));
        }
        Err(error) => return Err(without_values(error, &verdict.reading, catalog, policy).into()),
    };
    if let Some(column) = unknown_column(&result, &verdict.reading) {
        let finding = Finding {
            rule: "engine",
            code: "column_not_in_catalog",
            severity: Severity::Error,
            span: None,
            message: format!("`*` brings a column `{column}` that the catalog doesn't know"),
            why: "It has come after the last `periplus index`, so nobody can say whether it may be read.".to_owned(),
            help: "Run `periplus index`, or name the columns that are needed.".to_owned(),
            suggestions: Vec::new(),
            rewrite: None,
        };
        return Err(GuardError::Refused(Box::new(verdict.with(finding))));
    }
    Ok(Answer { result: with_short_names(result), verdict })
}

/// The verdict, refused where the caller has looked up enough for this hour.
fn within_look_ups(verdict: Verdict, catalog: &Catalog, connector: &dyn Connector, policy: &Policy) -> Verdict {
    let config = policy.config_of(&connector.source().name);
    let open = config.sensitive_columns == SensitiveColumns::Allow || config.masked_use == MaskedUse::Compare;
    let count = if open || !verdict.is_accepted() { 0 } else { look_ups(catalog, &verdict.reading.uses) };
    let Err(left) = policy.take_look_ups(count, config.max_look_ups) else { return verdict };
    verdict.with(Finding {
        rule: "masked_column",
        code: "too_many_look_ups",
        severity: Severity::Error,
        span: None,
        message: format!("the statement looks up {count} values of masked columns, and {left} are left in this hour"),
        why: "Whoever may try many values finds out those that are there.".to_owned(),
        help: "Look up values that were given, or ask without the masked column. Whoever runs Periplus can set \
               `guard.max_look_ups`."
            .to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    })
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
