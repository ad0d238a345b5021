//! `periplus ask`: a question, its rows, the checked query behind them; with `--explain` every step and ground.

use std::process::ExitCode;

use agent::{Action, AgentOptions, AnswerShape, Feedback, Outcome, Status, Step};
use catalog::MemoryUse;
use link::LinkOptions;
use llm::ChatModel;
use serde_json::json;

use super::check::findings_text;
use super::feedback::{AnsweredQuestion, Standing};
use crate::args::{AskArguments, Shape};
use crate::diagnostics;
use crate::output::{self, Output};
use crate::pipeline::{self, Asking};
use crate::project::{Project, user};

/// Rows of an answer that are printed for people.
const ROWS_SHOWN: usize = 20;
/// Of a draft fewer: they are there to be checked.
const DRAFT_ROWS: usize = 5;

pub(super) async fn run(arguments: AskArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    // Before the model is opened, which takes a while.
    project.source(arguments.source.as_deref())?;
    project.catalog()?;
    let model = if arguments.no_model { None } else { project.model()? };
    let outcome = answer(arguments, project, model.as_deref(), output).await?;
    Ok(if outcome.status == Status::Answered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks and prints what came of it.
pub(super) async fn answer(
    arguments: AskArguments,
    project: &Project,
    model: Option<&dyn ChatModel>,
    output: &Output,
) -> anyhow::Result<Outcome> {
    let source = project.source(arguments.source.as_deref())?;
    let catalog = project.catalog()?;
    let index = project.index(&catalog)?;
    let shape = match arguments.shape {
        Shape::Query => agent::Shape::Query,
        Shape::Finder => agent::Shape::Finder,
    };
    let settings = agent_options(project)?;
    let link = LinkOptions { asker: Some(user()), ..settings.link };
    let options = AgentOptions { shape, link, asker: Some(user()), ..settings };
    if let (Some(calibration), Some(model)) = (&options.calibration, model)
        && calibration.model != model.info().name
    {
        diagnostics::note(&format!(
            "warning: how sure an answer is comes from a calibration of {}, and the model is {}",
            calibration.model,
            model.info().name
        ));
    }
    let question = arguments.question.join(" ");
    let asking = Asking { source, catalog: &catalog, index: &index, model, options };
    let feedback = arguments
        .correction
        .map(|correction| Feedback { rejected_sql: arguments.rejected_sql.unwrap_or_default(), correction });
    let outcome = pipeline::ask(project, asking, &question, feedback.as_ref(), &mut |step| {
        if arguments.explain {
            diagnostics::note(&diagnostics::indented(&step_text(step)));
        } else if let Some(text) = progress(step) {
            diagnostics::note(&text);
        }
    })
    .await?;
    let standing = match (&outcome.answer, outcome.status) {
        (None, _) | (_, Status::Declined | Status::NoModel) => Standing::Declined,
        _ => Standing::Offered,
    };
    let sql = outcome.answer.as_ref().map_or("", AnswerShape::sql);
    // An answer that took a minute isn't lost for want of a place to note it.
    if let Err(error) = AnsweredQuestion::keep(&source.id, &question, sql, standing, project) {
        diagnostics::warn(error);
    }
    if let Err(error) = note_uses(&outcome.uses(&question, Some(&user())), project) {
        diagnostics::warn(error);
    }
    output.json(&document(&question, &outcome));
    output.line(text(&outcome, if arguments.explain { Detail::Everything } else { Detail::Short }));
    Ok(outcome)
}

/// Keeps for which question what people said was used.
fn note_uses(uses: &[MemoryUse], project: &Project) -> anyhow::Result<()> {
    if !uses.is_empty() {
        project.store()?.note_uses(uses)?;
    }
    Ok(())
}

/// The agent's settings, from the configuration.
pub(super) fn agent_options(project: &Project) -> anyhow::Result<AgentOptions> {
    let mode = match project.config.model.small {
        Some(true) => agent::Mode::Scripted,
        Some(false) => agent::Mode::Tools,
        None => agent::Mode::Auto,
    };
    Ok(AgentOptions {
        mode,
        link: project.link_options(None),
        company_context: project.company_context()?,
        limits: project.limits(),
        min_confidence: project.config.ask.min_confidence,
        calibration: project.calibration()?,
        seed: project.config.ask.seed,
        ..AgentOptions::default()
    })
}

/// An outcome for programs.
pub(super) fn document(question: &str, outcome: &Outcome) -> serde_json::Value {
    json!({
        "question": question,
        "status": outcome.status,
        "answer": outcome.answer,
        "result": outcome.rows.as_ref().map(output::result_json),
        "findings": outcome.findings,
        "provenance": outcome.provenance,
        "confidence": outcome.confidence,
        "against": outcome.against,
        "missing": outcome.missing,
        "signals": outcome.signals,
        "assumptions": outcome.assumptions,
        "clarification": outcome.clarification,
        "failure": outcome.failure,
        "context": outcome.context,
        "trace": outcome.trace,
        "usage": outcome.usage,
        "drafts": outcome.drafts,
        "hints": outcome.hints(),
    })
}

/// How much of an outcome is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// The rows, the statement, what was taken for granted.
    Short,
    /// And everything that it rests on.
    Everything,
}

/// An outcome for people: what it says first, what it rests on last.
pub(super) fn text(outcome: &Outcome, detail: Detail) -> String {
    let mut parts: Vec<String> = Vec::new();
    let percent = outcome.confidence * 100.0;
    match outcome.status {
        Status::Answered | Status::NoModel => {}
        Status::Draft => {
            parts.push(format!("A draft, not an answer: it is right with a probability of {percent:.0} %."));
            parts.extend(list("Against it", &outcome.against));
        }
        Status::Declined => {
            let why = outcome.failure.as_ref().map_or_else(|| ".".to_owned(), |failure| format!(": {failure}"));
            parts.push(format!("No answer{why}"));
            parts.extend(list("What is missing", &outcome.missing));
            parts.extend(list("Against the closest draft", &outcome.against));
        }
    }
    if let Some(rows) = &outcome.rows {
        parts.push(output::result_table(rows, if outcome.status == Status::Draft { DRAFT_ROWS } else { ROWS_SHOWN }));
    }
    if let Some(answer) = &outcome.answer {
        let closest = if outcome.status == Status::Declined { "The closest draft:\n" } else { "" };
        parts.push(format!("{closest}{}", answer.sql()));
        if let AnswerShape::Finder { tables, columns, operations, .. } = answer {
            parts.push(format!(
                "tables: {}\ncolumns: {}\noperations: {}",
                tables.join(", "),
                columns.join(", "),
                operations.join(", ")
            ));
        }
    }
    if outcome.status != Status::Declined {
        parts.extend(outcome.assumptions.iter().map(|assumption| format!("assumed: {assumption}")));
    }
    if detail == Detail::Everything {
        parts.extend(grounds(outcome));
    }
    if outcome.status == Status::Answered {
        parts.push(format!("This is an answer, {percent:.0} % sure."));
    }
    if !outcome.missing.iter().any(|missing| outcome.clarification.as_ref() == Some(missing)) {
        parts.extend(outcome.clarification.clone());
    }
    if let Some(failure) = outcome.failure.as_ref().filter(|_| outcome.status != Status::Declined) {
        parts.push(format!("no answer: {failure}"));
        if let Some(context) = &outcome.context
            && outcome.status == Status::NoModel
        {
            parts.push(match detail {
                Detail::Everything => format!("What a model would be given:\n{}", context.text),
                Detail::Short => {
                    let tables: Vec<String> = context.tables.iter().map(catalog::TableId::local).collect();
                    format!(
                        "tables that it seems to be about: {} (`--explain` shows what a model would be given)",
                        tables.join(", ")
                    )
                }
            });
        }
    }
    parts.extend(outcome.hints().iter().map(|hint| format!("hint: {hint}")));
    parts.join("\n")
}

/// What an answer rests on.
fn grounds(outcome: &Outcome) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(AnswerShape::Query { analysis, .. }) = &outcome.answer
        && !analysis.is_empty()
    {
        parts.push(analysis.clone());
    }
    if !outcome.findings.is_empty() {
        parts.push(findings_text(&outcome.findings));
    }
    if !outcome.provenance.is_empty() {
        let grounded: Vec<String> =
            outcome.provenance.iter().map(|item| format!("{} ← {}", item.identifier, item.chunk)).collect();
        parts.push(format!("provenance: {}", grounded.join(", ")));
    }
    let signals: Vec<String> = outcome.signals.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
    if !signals.is_empty() {
        parts.push(format!("signals: {}", signals.join(", ")));
    }
    parts
}

/// A list under its heading; nothing where it is empty.
fn list(heading: &str, items: &[String]) -> Option<String> {
    let lines: String = items.iter().map(|item| format!("\n  - {item}")).collect();
    (!items.is_empty()).then(|| format!("{heading}:{lines}"))
}

/// What a person who waits is told of a step; most steps take no time.
fn progress(step: &Step) -> Option<String> {
    match &step.action {
        Action::Composed { tables, left_out, .. } => {
            let left_out = if *left_out > 0 { format!("; {left_out} irrelevant tables") } else { String::new() };
            Some(format!("reading {}{left_out} …", tables.join(", ")))
        }
        // On two cores a local model takes seconds for each, and a question may take several.
        Action::AskedModel { purpose, .. } => Some(format!("the model has answered ({purpose}) …")),
        _ => None,
    }
}

/// A step for people, one line or a few.
pub(super) fn step_text(step: &Step) -> String {
    let text = match &step.action {
        Action::Triaged { search, reason } => {
            format!("{}: {reason}", if *search { "search the catalog" } else { "no search needed" })
        }
        Action::Decomposed { intents } => format!("parts: {}", intents.join(" | ")),
        Action::Remembered { question, similarity, used_as, .. } => {
            format!("remembered “{question}” ({:.0} % alike) as {used_as}", similarity * 100.0)
        }
        Action::Linked { tables, strategy, .. } => format!("linked ({strategy}): {}", tables.join(", ")),
        Action::Composed { tables, left_out, tokens } => {
            format!("context: {} tables, {tokens} tokens; {left_out} irrelevant tables", tables.len())
        }
        Action::AskedModel { purpose, prompt_tokens, completion_tokens } => {
            format!("model, {purpose}: {prompt_tokens} tokens in, {completion_tokens} out")
        }
        Action::Drafted { sql } => format!("draft: {sql}"),
        Action::Checked { accepted, findings } => {
            let verdict = if *accepted { "guard: accepted" } else { "guard: refused" };
            let list: String =
                findings.iter().map(|finding| format!("\n{}: {}", finding.code, finding.message)).collect();
            format!("{verdict}{list}")
        }
        Action::Repaired { sql, reasons } => format!("repaired: {sql}\n{}", reasons.join("\n")),
        Action::Ran { rows: Some(rows), note, .. } => {
            format!("ran: {rows} rows{}", note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default())
        }
        Action::Ran { rows: None, note, .. } => format!("failed: {}", note.as_deref().unwrap_or("no reason given")),
        Action::CalledTool { name, arguments, .. } => format!("tool: {name} {arguments}"),
        Action::Chose { reason, .. } => format!("chose: {reason}"),
        Action::AskedBack { question } => format!("asks back: {question}"),
        Action::GaveUp { reason } => format!("gave up: {reason}"),
    };
    format!("{:>3}. {text}", step.number)
}
