//! `periplus feedback`: what people approve and correct. Nothing else is ever learnt.

use std::process::ExitCode;

use catalog::{Fact, FactJudgement, Memory, MemoryId, MemoryKind, MemoryState, NewMemory};
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{check, tables};
use crate::args::{FactVerdict, FeedbackAction, FeedbackArguments, FeedbackPair};
use crate::output::{self, Output};
use crate::project::{Project, ProjectError, user};

pub(super) fn run(arguments: FeedbackArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let author = arguments.author.unwrap_or_else(user);
    match arguments.action {
        FeedbackAction::Approve(pair) => approve(&meant(pair, project)?, author, project, output),
        FeedbackAction::Reject { pair, correction } => {
            let memory = remember(&meant(pair, project)?, MemoryKind::Rejected, Some(correction), author, project)?;
            let question = &memory.content.question;
            output.either(&memory, format!("Remembered as correction {} of what answered “{question}”.", memory.id.0));
            Ok(ExitCode::SUCCESS)
        }
        FeedbackAction::Fact { table, fact, judgement, reason, source } => {
            let said = Judged { verdict: judgement, reason, author };
            judge(&table, &fact, source.as_deref(), &said, project, output)
        }
        FeedbackAction::List => list(project, output),
        FeedbackAction::Undo { id } => {
            project.store()?.undo_memory(MemoryId(id), &author)?;
            output.either(&json!({"undone": id}), format!("{id} is no longer used."));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Approves a statement, once the guard has accepted it: a wrong example would teach the wrong thing.
fn approve(pair: &AnsweredQuestion, author: String, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    // Nobody has seen its rows, and something was said to be missing.
    if pair.standing == Standing::Declined {
        return Err(ProjectError::NothingToApprove { question: pair.question.clone() }.into());
    }
    let catalog = project.catalog()?;
    let verdict = guard::check(&pair.sql, &catalog, &pair.source, &project.policy()?, None);
    if verdict.decision == guard::Decision::Refuse {
        check::print(&pair.sql, &verdict, None, output);
        return Ok(ExitCode::FAILURE);
    }
    let memory = remember(pair, MemoryKind::Approved, None, author, project)?;
    let question = &memory.content.question;
    output.either(&memory, format!("Approved as {}: “{question}” is answered by\n{}", memory.id.0, memory.content.sql));
    Ok(ExitCode::SUCCESS)
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

fn remember(
    pair: &AnsweredQuestion,
    kind: MemoryKind,
    correction: Option<String>,
    author: String,
    project: &Project,
) -> anyhow::Result<Memory> {
    let content = NewMemory {
        source: pair.source.clone(),
        kind,
        question: pair.question.clone(),
        sql: pair.sql.clone(),
        correction,
        author,
    };
    Ok(project.store()?.add_memory(content)?)
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
        let reason = self.reason.iter().map(|reason| format!(": {reason}")).collect::<String>();
        Some(format!("{} by {} on {}{reason}", judgement.word(), self.author, Zoned::now().date()))
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
    let catalog = project.store()?.catalog()?;
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
    let rows = catalog.memories().iter().map(|memory| {
        let content = &memory.content;
        let kind = match (&memory.state, content.kind) {
            (MemoryState::Undone { by, .. }, _) => format!("undone by {by}"),
            (MemoryState::Active, MemoryKind::Approved) => "approved".to_owned(),
            (MemoryState::Active, MemoryKind::Rejected) => "rejected".to_owned(),
        };
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
