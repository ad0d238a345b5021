//! `periplus feedback`: what people approve and correct. Nothing else is ever learnt.

use std::process::ExitCode;

use catalog::{Catalog, Fact, FactJudgement, Memory, MemoryId, MemoryKind, MemoryState, NewMemory, Reach};
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{check, tables};
use crate::args::{FactVerdict, FeedbackAction, FeedbackArguments, FeedbackPair, FeedbackReach};
use crate::diagnostics;
use crate::output::{self, Output};
use crate::project::{Project, ProjectError, user};

pub(super) fn run(arguments: FeedbackArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let author = arguments.author.unwrap_or_else(user);
    match arguments.action {
        FeedbackAction::Approve { pair, reach } => {
            let pair = meant(pair, project)?;
            // Nobody has seen its rows, and something was said to be missing.
            if pair.standing == Standing::Declined {
                return Err(ProjectError::NothingToApprove { question: pair.question }.into());
            }
            let content = pair.said(MemoryKind::Approved, None, author, &reach);
            keep(content, None, project, output)
        }
        FeedbackAction::Reject { pair, correction, reach } => {
            let content = meant(pair, project)?.said(MemoryKind::Rejected, Some(correction), author, &reach);
            keep(content, None, project, output)
        }
        FeedbackAction::Edit { id, question, sql, correction, reach } => {
            let known = numbered(id, &project.store()?.catalog()?)?;
            check_is_used(&known)?;
            let known = known.content;
            let says_nothing = question.is_none()
                && sql.is_none()
                && correction.is_none()
                && !reach.private
                && reach.expires.is_none();
            if says_nothing {
                return Err(ProjectError::NothingGiven.into());
            }
            if correction.is_some() && known.kind == MemoryKind::Approved {
                return Err(ProjectError::NothingToCorrect { id }.into());
            }
            let content = NewMemory {
                question: question.unwrap_or(known.question),
                sql: sql.unwrap_or(known.sql),
                correction: correction.or(known.correction),
                author,
                reach: Reach {
                    private: reach.private || known.reach.private,
                    expires_at: reach.expires.or(known.reach.expires_at),
                },
                ..known
            };
            keep(content, Some(MemoryId(id)), project, output)
        }
        FeedbackAction::Show { id } => show(id, project, output),
        FeedbackAction::Fact { table, fact, judgement, reason, source } => {
            let said = Judged { verdict: judgement, reason, author };
            judge(&table, &fact, source.as_deref(), &said, project, output)
        }
        FeedbackAction::List => list(project, output),
        FeedbackAction::Undo { id } => {
            check_is_used(&numbered(id, &project.store()?.catalog()?)?)?;
            project.store()?.undo_memory(MemoryId(id), &author)?;
            output.either(&json!({"undone": id}), format!("{id} is no longer used."));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Keeps what is said, in the place of what it replaces. A statement is approved only once the guard has accepted it: a wrong
/// example would teach the wrong thing.
fn keep(
    content: NewMemory,
    replaces: Option<MemoryId>,
    project: &Project,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let mut doubts = Vec::new();
    let catalog = project.catalog()?;
    if content.kind == MemoryKind::Approved {
        let verdict = guard::check(&content.sql, &catalog, &content.source, &project.policy()?, None);
        if verdict.decision == guard::Decision::Refuse {
            check::print(&content.sql, &verdict, None, output);
            return Ok(ExitCode::FAILURE);
        }
        // What most leave out is what somebody who approves should have thought of.
        let warned = verdict.findings.iter().filter(|finding| {
            finding.severity >= guard::Severity::Warning || finding.rule == guard::RuleName::UsualFilter
        });
        doubts.extend(warned.map(|finding| format!("it is approved although {}", finding.message)));
        doubts.extend(agent::answered_before(&catalog, &content, replaces).map(|earlier| {
            format!(
                "it answers the question in the place of {0}, which `periplus feedback undo {0}` takes out of the list",
                earlier.0
            )
        }));
    }
    let store = project.store()?;
    let memory = match replaces {
        Some(id) => store.replace_memory(id, content)?,
        None => store.add_memory(content)?,
    };
    let NewMemory { question, sql, author, reach, .. } = &memory.content;
    let whose = if reach.private { format!(", for {author} alone") } else { String::new() };
    let instead = replaces.map(|id| format!(", in the place of {}", id.0)).unwrap_or_default();
    let number = memory.id.0;
    let told = match memory.content.kind {
        MemoryKind::Approved => format!("Approved as {number}{whose}{instead}: “{question}” is answered by\n{sql}"),
        MemoryKind::Rejected => {
            format!("Remembered as correction {number}{whose}{instead} of what answered “{question}”.")
        }
    };
    let until = reach.expires_at.map(|at| format!(" It counts until {}.", at.strftime("%Y-%m-%d %H:%M")));
    output.either(&memory, told + &until.unwrap_or_default());
    doubts.iter().for_each(|doubt| diagnostics::note(&format!("warning: {doubt}")));
    Ok(ExitCode::SUCCESS)
}

/// Whether it can still be taken back or said better.
fn check_is_used(memory: &Memory) -> Result<(), ProjectError> {
    let id = memory.id.0;
    match &memory.state {
        MemoryState::Active => Ok(()),
        MemoryState::Undone { by, .. } => Err(ProjectError::NotUsed { id, why: format!("{by} has taken it back") }),
        MemoryState::Replaced { with, .. } => {
            Err(ProjectError::NotUsed { id, why: format!("{} is in its place", with.0) })
        }
    }
}

/// What was said under that number.
fn numbered(id: i64, catalog: &Catalog) -> anyhow::Result<Memory> {
    let found = catalog.memories().iter().find(|memory| memory.id == MemoryId(id));
    let missing = || catalog::CatalogError::NotFound { kind: "memory", name: id.to_string() };
    Ok(found.cloned().ok_or_else(missing)?)
}

/// A question with the statement that came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AnsweredQuestion {
    source: String,
    question: String,
    sql: String,
    standing: Standing,
}

/// What a statement was shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Standing {
    /// As an answer, or as a draft with its rows.
    Offered,
    /// As what came closest to an answer that there wasn't, if there was any.
    Declined,
}

impl AnsweredQuestion {
    /// What somebody says of it.
    fn said(self, kind: MemoryKind, correction: Option<String>, author: String, reach: &FeedbackReach) -> NewMemory {
        let reach = Reach { private: reach.private, expires_at: reach.expires };
        NewMemory { source: self.source, kind, question: self.question, sql: self.sql, correction, author, reach }
    }

    /// Keeps it for `--last`.
    pub(super) fn keep(
        source: &str,
        question: &str,
        sql: &str,
        standing: Standing,
        project: &Project,
    ) -> anyhow::Result<()> {
        let (source, question, sql) = (source.to_owned(), question.to_owned(), sql.to_owned());
        let asked = Self { source, question, sql, standing };
        let path = project.last_asked();
        std::fs::write(&path, serde_json::to_vec(&asked)?).map_err(|source| ProjectError::Write { path, source })?;
        Ok(())
    }
}

/// What somebody speaks of: what they typed, or what was asked last.
fn meant(pair: FeedbackPair, project: &Project) -> anyhow::Result<AnsweredQuestion> {
    if let (Some(question), Some(sql)) = (pair.question, pair.sql) {
        let source = project.source(pair.source.as_deref())?.id.clone();
        return Ok(AnsweredQuestion { source, question, sql, standing: Standing::Offered });
    }
    let kept = std::fs::read(project.last_asked()).ok();
    let asked: Option<AnsweredQuestion> = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let asked = asked.ok_or(ProjectError::NothingAsked)?;
    if asked.sql.is_empty() {
        return Err(ProjectError::NothingToApprove { question: asked.question }.into());
    }
    Ok(asked)
}

/// Whether a statement that was approved fits the database no more: the first reason why not.
fn misfit(memory: &Memory, catalog: &Catalog, policy: &guard::Policy) -> Option<String> {
    let content = &memory.content;
    if content.kind != MemoryKind::Approved || !memory.is_active(Timestamp::now()) {
        return None;
    }
    let verdict = guard::check(&content.sql, catalog, &content.source, policy, None);
    let refused = verdict.findings.iter().find(|finding| finding.severity == guard::Severity::Error);
    (verdict.decision == guard::Decision::Refuse)
        .then(|| refused.map_or_else(|| "the guard refuses it".to_owned(), |finding| finding.message.clone()))
}

/// The numbers of approved statements that fit the database no more, with the reason.
pub(super) fn misfits(catalog: &Catalog, policy: &guard::Policy) -> Vec<(MemoryId, String)> {
    catalog.memories().iter().filter_map(|memory| Some((memory.id, misfit(memory, catalog, policy)?))).collect()
}

/// What became of something that was said.
fn standing(memory: &Memory, misfit: Option<&String>) -> String {
    match (&memory.state, memory.content.kind) {
        (MemoryState::Undone { by, .. }, _) => format!("undone by {by}"),
        (MemoryState::Replaced { with, .. }, _) => format!("replaced by {}", with.0),
        (MemoryState::Active, _) if !memory.is_active(Timestamp::now()) => "expired".to_owned(),
        (MemoryState::Active, MemoryKind::Approved) if misfit.is_some() => "set aside".to_owned(),
        (MemoryState::Active, MemoryKind::Approved) => "approved".to_owned(),
        (MemoryState::Active, MemoryKind::Rejected) => "rejected".to_owned(),
    }
}

fn show(id: i64, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let store = project.store()?;
    let memory = numbered(id, &store.catalog()?)?;
    let misfit = misfit(&memory, &catalog, &project.policy()?);
    let uses = store.memory_uses(memory.id)?;
    output.json(
        &json!({"memory": memory, "standing": standing(&memory, misfit.as_ref()), "misfit": misfit, "uses": uses}),
    );
    let day = |at: Timestamp| at.strftime("%Y-%m-%d %H:%M").to_string();
    let NewMemory { question, sql, correction, author, reach, .. } = &memory.content;
    let mut lines = vec![
        format!("{id}: {}, by {author} on {}", standing(&memory, misfit.as_ref()), day(memory.created_at)),
        format!("question: {question}"),
        format!("statement: {sql}"),
    ];
    lines.extend(correction.iter().map(|correction| format!("correction: {correction}")));
    lines.extend(reach.private.then(|| format!("it counts for {author} alone")));
    lines.extend(reach.expires_at.map(|at| format!("it counts until {}", day(at))));
    lines.extend(misfit.iter().map(|why| {
        format!("it isn't used, since it fits the database no more: {why} (mend it: periplus feedback edit {id} --sql \"…\")")
    }));
    match uses.as_slice() {
        [] => lines.push("it hasn't been used yet".to_owned()),
        _ => lines.push("used for".to_owned()),
    }
    lines.extend(uses.iter().map(|it| {
        let who = it.asker.as_deref().unwrap_or("somebody");
        format!("  {} as {} by {who}: {}", day(it.at), it.used_as, it.question)
    }));
    output.line(lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// What the keys of judgements of facts begin with.
const OF_FACTS: &str = "facts.";

/// What somebody says of a fact, and who.
struct Judged {
    verdict: FactVerdict,
    reason: Option<String>,
    author: String,
}

impl Judged {
    /// As it is stored.
    fn text(&self) -> Option<String> {
        let judgement = match self.verdict {
            FactVerdict::Confirm => FactJudgement::Confirmed,
            FactVerdict::Dismiss => FactJudgement::Dismissed,
            FactVerdict::Forget => return None,
        };
        Some(judgement.said(&self.author, Zoned::now().date(), self.reason.as_deref()))
    }
}

/// Confirms or dismisses a fact about a table's rows.
fn judge(
    table: &str,
    wanted: &str,
    source: Option<&str>,
    said: &Judged,
    project: &Project,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let store = project.store()?;
    let catalog = project.catalog()?;
    let entry = tables::named(table, source, &catalog, project)?;
    let found: Vec<&Fact> = catalog.found_facts(entry).collect();
    let is_meant = |fact: &&&Fact| {
        [fact.key(), fact.name().to_owned()]
            .iter()
            .chain(fact.column().map(str::to_owned).iter())
            .any(|it| it == wanted)
            || fact.columns() == [wanted]
    };
    let exactly = found.iter().find(|fact| fact.key() == wanted);
    let meant: Vec<&&Fact> = exactly.map_or_else(|| found.iter().filter(is_meant).collect(), |fact| vec![fact]);
    let [fact] = meant.as_slice() else {
        let keys = |facts: &[&&Fact]| facts.iter().map(|fact| fact.key()).collect::<Vec<_>>().join(", ");
        let (name, table) = (wanted.to_owned(), entry.table.id.local());
        return Err(match meant.as_slice() {
            [] => ProjectError::UnknownFact { name, table, known: keys(&found.iter().collect::<Vec<_>>()) },
            several => ProjectError::WhichFact { name, table, known: keys(several) },
        }
        .into());
    };
    let mut overrides = entry.overrides.clone();
    if said.verdict == FactVerdict::Forget && !overrides.0.contains_key(&fact.override_key()) {
        output.either(
            &json!({"table": entry.table.id.local(), "fact": fact.key(), "judgement": null}),
            "Nobody has judged it.",
        );
        return Ok(ExitCode::SUCCESS);
    }
    match said.text() {
        Some(text) => overrides.0.insert(fact.override_key(), text),
        None => overrides.0.remove(&fact.override_key()),
    };
    store.put_overrides(&entry.table.id, &overrides)?;
    let told = fact.in_words(catalog.dialect(&entry.table.id.source));
    let what = match said.verdict {
        FactVerdict::Confirm => "Confirmed",
        FactVerdict::Dismiss => "Dismissed, and told no more",
        FactVerdict::Forget => "Judgement removed",
    };
    let document = json!({"table": entry.table.id.local(), "fact": fact.key(), "judgement": said.text()});
    output.either(&document, format!("{what}: {told}"));
    Ok(ExitCode::SUCCESS)
}

fn list(project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let judged: Vec<(String, String, String)> = catalog
        .entries()
        .iter()
        .flat_map(|entry| {
            let said = entry.overrides.0.iter().filter_map(|(key, text)| Some((key.strip_prefix(OF_FACTS)?, text)));
            said.map(|(fact, text)| (entry.table.id.local(), fact.to_owned(), text.clone())).collect::<Vec<_>>()
        })
        .collect();
    let statements = catalog.memories().iter().map(|memory| json!(memory));
    let facts = judged.iter().map(|(table, fact, said)| json!({"table": table, "fact": fact, "said": said}));
    output.json(&statements.chain(facts).collect::<Vec<_>>());
    let header = ["id", "what", "who", "when", "question", "sql or correction"].map(str::to_owned);
    let misfits = misfits(&catalog, &project.policy()?);
    let rows = catalog.memories().iter().map(|memory| {
        let content = &memory.content;
        let misfit = misfits.iter().find(|(id, _)| *id == memory.id).map(|(_, why)| why);
        let whose = if content.reach.private { ", private" } else { "" };
        let until =
            content.reach.expires_at.map(|at| format!(", until {}", at.strftime("%Y-%m-%d"))).unwrap_or_default();
        let kind = format!("{}{whose}{until}", standing(memory, misfit));
        let said = content.correction.clone().unwrap_or_else(|| content.sql.clone());
        let when = memory.created_at.strftime("%Y-%m-%d %H:%M").to_string();
        vec![memory.id.0.to_string(), kind, content.author.clone(), when, content.question.clone(), said]
    });
    output.line(output::table(&header, rows));
    if !judged.is_empty() {
        let header = ["table", "fact", "what was said"].map(str::to_owned);
        output.line(output::table(&header, judged.into_iter().map(|(table, fact, said)| vec![table, fact, said])));
    }
    Ok(ExitCode::SUCCESS)
}
