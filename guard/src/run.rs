//! Running what has been checked: the only way from a statement to a user's database.
//!
//! Invariant: the text that runs is, byte for byte, the text that was checked.

use std::time::Instant;

use catalog::{Catalog, TableId};
use connect::{ConnectError, HeldKey, Limits, OpenStatement, ReadRelation, ResultSet, StatementSession};
use jiff::Timestamp;
use sql::{Origin, ResolvedStatement, StatementKind, Through};
use tracing::{Instrument as _, debug_span, field};

use crate::account::{of_failed_compiling, with_account};
use crate::audit::{AuditLog, Purpose};
use crate::check::check;
use crate::cost::with_cost;
use crate::error::GuardError;
use crate::finding::{Finding, Severity, Verdict};
use crate::kept::{self, Asked, ResultCache};
use crate::lengths::with_short_names;
use crate::live;
use crate::look_ups::Room;
use crate::masks::{Masks, look_ups};
use crate::newer::with_newer_names;
use crate::policy::{MaskedUse, Policy, SensitiveColumns};
use crate::presence::with_absent_values;
use crate::rule_name::RuleName;
use crate::withheld::without_values;

/// The rows of a statement, and what was found about it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The rows; [`ResultSet::truncated`] says which limit cut them, if one did.
    pub result: ResultSet,
    /// The findings: warnings and hints, since errors don't run.
    pub verdict: Verdict,
    /// When the rows were fetched, where they are those of an earlier run: nothing has been written since.
    pub kept_since: Option<Timestamp>,
}

/// Checks a statement and, where it passes and there is a database, lets the engine compile it: what only the engine
/// knows (a broken view, a function it lacks) is a finding too, `engine_refuses`. Of a statement of which nothing but unknown
/// names was found, the engine is asked whether it knows them by now. Nothing runs, and look-ups are counted as if it did.
///
/// # Errors
/// [`GuardError::Connect`] where the engine can't be asked, [`GuardError::Audit`] where it can't be recorded,
/// [`GuardError::LookUps`] where they can't be counted.
pub async fn verify(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    policy: &Policy,
) -> Result<Verdict, GuardError> {
    let (verdict, session) = judge(sql, catalog, connector, policy, &Limits::default()).await?;
    if let Some(session) = session {
        session.end().await;
    }
    if let Some(log) = policy.audit() {
        log.verdict(Purpose::Check, policy.asker(), &connector.source().name, sql, &verdict)?;
    }
    Ok(verdict)
}

/// The verdict, and where it accepts and there is a database, the session in which the statement is compiled and what it
/// reads is as the verdict takes it to be. The engine sees nothing of a statement before its look-ups are counted: it may
/// compute parts of it to compile it, and what it says of it tells as much as rows do.
#[expect(clippy::disallowed_methods, reason = "the one place from which a statement goes on, once it is checked")]
async fn judge(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    policy: &Policy,
    limits: &Limits,
) -> Result<(Verdict, Option<Box<dyn StatementSession>>), GuardError> {
    let source = connector.source();
    let verdict = check(sql, catalog, &source.name, policy, None);
    if !connector.capabilities().executes {
        return Ok((verdict, None));
    }
    if !verdict.is_accepted() {
        return Ok((with_newer_names(verdict, catalog, connector, limits).await, None));
    }
    let look_ups = look_ups_of(&verdict, catalog, &source.name, policy);
    if let Room::Left(left) = policy.take_look_ups(&source.name, sql, look_ups)? {
        return Ok((verdict.with(too_many_look_ups(look_ups, left)), None));
    }
    let reads = live::relations_of(&verdict.reading, catalog);
    let mut session = match connector.open_statement(sql, &reads, limits).await {
        Ok(session) => session,
        Err(
            error @ (ConnectError::Statement { .. }
            | ConnectError::Denied { .. }
            | ConnectError::PermissionDenied { .. }),
        ) => {
            if let Some(finding) = of_failed_compiling(&verdict.reading, catalog, source, policy) {
                return Ok((verdict.with(finding), None));
            }
            let error = without_values(error, &verdict.reading, catalog, &source.name, policy);
            return Ok((refused_by_engine(verdict, &error, catalog), None));
        }
        Err(error) => return Err(error.into()),
    };
    let known = catalog.source(&source.name).unwrap_or(source);
    let added = live::added_function(session.functions(), known);
    if let Some(change) = live::change(&reads, session.live(), catalog).or(added) {
        session.end().await;
        return Ok((verdict.with(change), None));
    }
    let keys = keys_relied_on(&verdict, &reads, catalog, &source.name, policy);
    if !keys.is_empty() {
        match session.holds(&keys).await {
            Ok(true) => {}
            Ok(false) => {
                session.end().await;
                return Ok((verdict.with(live::key_gone()), None));
            }
            Err(error) => {
                session.end().await;
                return Err(error.into());
            }
        }
    }
    let judged = verdict.clone();
    let verdict = match with_account(verdict, sql, catalog, source, session.as_mut(), policy).await {
        Ok(verdict) if verdict.is_accepted() => verdict,
        Ok(verdict) => {
            session.end().await;
            return Ok((verdict, None));
        }
        Err(error @ (ConnectError::Statement { .. } | ConnectError::Denied { .. })) => {
            session.end().await;
            let error = without_values(error, &judged.reading, catalog, &source.name, policy);
            return Ok((refused_by_engine(judged, &error, catalog), None));
        }
        Err(error) => {
            session.end().await;
            return Err(error.into());
        }
    };
    let verdict = with_absent_values(verdict, catalog, source, session.as_mut(), policy).await;
    let verdict = with_cost(verdict, catalog, source, session.as_mut(), policy, look_ups).await;
    if verdict.is_accepted() {
        return Ok((verdict, Some(session)));
    }
    session.end().await;
    Ok((verdict, None))
}

/// A statement that is recorded and whose outcome isn't yet. One that is given up meanwhile is dropped with it.
struct Recorded<'l> {
    log: &'l AuditLog,
    id: String,
    started: Instant,
    is_over: bool,
}

impl<'l> Recorded<'l> {
    fn new(log: &'l AuditLog, id: String) -> Self {
        Self { log, id, started: Instant::now(), is_over: false }
    }

    fn went(mut self, how: Result<(usize, bool), &str>) -> Result<(), GuardError> {
        self.is_over = true;
        self.log.outcome(&self.id, how, self.started.elapsed())
    }
}

impl Drop for Recorded<'_> {
    fn drop(&mut self) {
        if !self.is_over
            && let Err(error) = self.log.outcome(&self.id, Err("given_up"), self.started.elapsed())
        {
            tracing::error!(code = error.code(), %error, "that a statement was given up isn't recorded");
        }
    }
}

fn refused_by_engine(verdict: Verdict, error: &ConnectError, catalog: &Catalog) -> Verdict {
    let spelt = spelt_otherwise(&verdict.reading, catalog);
    let help = match &spelt {
        Some(name) => format!("Names of tables may mind their case here: write `{name}`."),
        None if let Some(name) = missed(&verdict.reading, error) => {
            format!(
                "`{name}` was there when the database was last indexed: have `periplus index` run, and use what is there now."
            )
        }
        None => error.hints().into_iter().next().unwrap_or_else(|| "Correct what it names.".to_owned()),
    };
    verdict.with(Finding {
        rule: RuleName::Engine,
        code: "engine_refuses",
        severity: Severity::Error,
        span: None,
        message: error.to_string(),
        why: "The engine was asked to compile the statement, and would not.".to_owned(),
        help,
        suggestions: spelt.into_iter().collect(),
        rewrite: None,
    })
}

/// A table or column of the catalog that the engine says it doesn't have, as each engine puts it.
fn missed(reading: &ResolvedStatement, error: &ConnectError) -> Option<String> {
    const MISSING: [&str; 4] = ["exist", "such", "unknown", "found"];
    let said = error.to_string();
    let words: Vec<&str> = said.split(|it: char| !it.is_alphanumeric() && it != '_').collect();
    let is_missing = words.iter().any(|word| MISSING.contains(&word.to_lowercase().as_str()));
    let tables = reading.table_ids().into_iter().map(|table| &table.name);
    let mut names = tables.chain(reading.columns.iter().map(|used| &used.column.column)).filter(|_| is_missing);
    names.find(|name| words.contains(&name.as_str())).cloned()
}

/// A table whose name the statement writes in another case, where that is another table's name on some systems.
fn spelt_otherwise(reading: &ResolvedStatement, catalog: &Catalog) -> Option<String> {
    reading.tables.iter().find_map(|used| {
        let (id, written) = (used.table.as_ref()?, used.parts.last()?);
        let names = catalog.dialect(&id.source).names();
        (names.table_case_depends_on_system && *written != id.name).then(|| id.name.clone())
    })
}

/// Checks a statement as [`verify`] does, and runs it within `limits`: on the same connection, in the same transaction,
/// and within the same time.
///
/// # Errors
/// [`GuardError::Refused`] with the verdict where the rules or the engine refuse; nothing ran then, or nothing is handed
/// on of what ran. [`GuardError::Connect`] where the engine can't be asked, fails, or takes too long.
/// [`GuardError::Audit`] and [`GuardError::LookUps`] where it can't be recorded or counted; nothing runs before that has been.
pub async fn run(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    policy: &Policy,
    limits: &Limits,
) -> Result<Answer, GuardError> {
    run_with(sql, catalog, connector, policy, limits, None).await
}

/// The same, of a statement that is run again and again: where the engine says that nothing has been written since the same
/// caller was last given its rows, they are those of `cache`.
///
/// # Errors
/// As [`run`].
pub async fn run_again(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    policy: &Policy,
    limits: &Limits,
    cache: &ResultCache,
) -> Result<Answer, GuardError> {
    run_with(sql, catalog, connector, policy, limits, Some(cache)).await
}

async fn run_with(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    policy: &Policy,
    limits: &Limits,
    cache: Option<&ResultCache>,
) -> Result<Answer, GuardError> {
    let source = connector.source();
    // In the names of OpenTelemetry; the text of a statement may hold anything, so it isn't part of a trace.
    let span = debug_span!(
        target: "traces",
        "statement",
        otel.name = source.name,
        otel.kind = "client",
        otel.status_code = field::Empty,
        db.system.name = source.dialect.name(),
        db.response.returned_rows = field::Empty,
        "error.type" = field::Empty,
    );
    let ran = judge_and_run(sql, catalog, connector, policy, limits, cache).instrument(span.clone()).await;
    match &ran {
        Ok(answer) => span.record("db.response.returned_rows", answer.result.rows.len() as i64),
        Err(error) => span.record("error.type", error.code()).record("otel.status_code", "ERROR"),
    };
    ran
}

async fn judge_and_run(
    sql: &str,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    policy: &Policy,
    limits: &Limits,
    cache: Option<&ResultCache>,
) -> Result<Answer, GuardError> {
    let (verdict, session) = judge(sql, catalog, connector, policy, limits).await?;
    let recorded = match policy.audit() {
        Some(log) => Some((log, log.verdict(Purpose::Run, policy.asker(), &connector.source().name, sql, &verdict)?)),
        None => None,
    };
    let recorded =
        recorded.filter(|_| verdict.is_accepted() && session.is_some()).map(|(log, id)| Recorded::new(log, id));
    let mut session = match session {
        Some(session) if verdict.is_accepted() => session,
        _ if verdict.is_accepted() => {
            return Err(ConnectError::NothingToRun { source_name: connector.source().name.clone() }.into());
        }
        _ => return Err(GuardError::Refused(Box::new(verdict))),
    };
    let state = match cache {
        Some(_) => kept::state_of(sql, &verdict.reading, catalog, session.as_mut()).await,
        None => None,
    };
    let source = connector.source();
    let asked = || Asked {
        caller: policy.asker().caller.clone(),
        source: source.name.clone(),
        location: source.location.clone(),
        sql: sql.to_owned(),
        limits: limits.clone(),
    };
    if let (Some(cache), Some(state)) = (cache, &state)
        && let Some((result, at)) = cache.get(&asked(), state)
    {
        session.end().await;
        if let Some(recorded) = recorded {
            recorded.went(Ok((result.rows.len(), false)))?;
        }
        return Ok(Answer { result, verdict, kept_since: Some(at) });
    }
    let ran = session.run().await;
    // What was written while it ran may be in it, or not.
    let state = match (&ran, state) {
        (Ok(result), Some(state)) if result.truncated.is_none() => {
            session.data_state().await.ok().flatten().filter(|now| *now == state)
        }
        _ => None,
    };
    session.end().await;
    if let Some(recorded) = recorded {
        let went = ran.as_ref().map(|result| (result.rows.len(), result.truncated.is_some()));
        recorded.went(went.map_err(ConnectError::code))?;
    }
    let result = match ran {
        Ok(result) => result,
        Err(ConnectError::Changed { relation }) => {
            return Err(GuardError::Refused(Box::new(verdict.with(live::changed_meanwhile(&relation)))));
        }
        Err(error) => {
            let source = &connector.source().name;
            return Err(without_values(error, &verdict.reading, catalog, source, policy).into());
        }
    };
    if let Some(column) = unknown_column(&result, &verdict.reading) {
        let finding = Finding {
            rule: RuleName::Engine,
            code: "column_not_in_catalog",
            severity: Severity::Error,
            span: None,
            message: format!("`*` brings a column `{column}` that the catalog doesn't know"),
            why: "It has come after the last `periplus index`, so nobody can say whether it may be read.".to_owned(),
            help: "Name the columns that are needed, or have `periplus index` run.".to_owned(),
            suggestions: Vec::new(),
            rewrite: None,
        };
        return Err(GuardError::Refused(Box::new(verdict.with(finding))));
    }
    let result = with_short_names(result);
    if let (Some(cache), Some(state)) = (cache, state) {
        cache.put(asked(), state, &result);
    }
    Ok(Answer { result, verdict, kept_since: None })
}

/// How many values of masked columns a statement looks up that nobody has said may be read.
fn look_ups_of(verdict: &Verdict, catalog: &Catalog, source: &str, policy: &Policy) -> usize {
    let config = policy.config_of(source);
    let open = config.sensitive_columns == SensitiveColumns::Allow || config.masked_use == MaskedUse::Compare;
    if open { 0 } else { look_ups(catalog, &verdict.reading.uses) }
}

/// The keys without which masked columns couldn't be equated as the statement does.
fn keys_relied_on(
    verdict: &Verdict,
    reads: &[ReadRelation],
    catalog: &Catalog,
    source: &str,
    policy: &Policy,
) -> Vec<HeldKey> {
    let config = policy.config_of(source);
    if config.sensitive_columns == SensitiveColumns::Allow || config.masked_use == MaskedUse::Compare {
        return Vec::new();
    }
    let read: Vec<TableId> = reads.iter().map(|read| read.id.clone()).collect();
    Masks::of(catalog).keys_relied_on(&verdict.reading.uses, &read)
}

/// The finding where the caller has looked up enough for this hour.
fn too_many_look_ups(count: usize, left: usize) -> Finding {
    Finding {
        rule: RuleName::MaskedColumn,
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
    }
}

/// A column of the result that `*` has brought in and that was not judged, because the catalog is older than it.
fn unknown_column<'r>(result: &'r ResultSet, reading: &ResolvedStatement) -> Option<&'r str> {
    let by_star = reading.columns.iter().any(|used| used.through == Through::Star);
    // A plan has columns of its own.
    if !by_star || !reading.open_relations.is_empty() || reading.kind != StatementKind::Query {
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
