//! `periplus demo`: the whole way on a shop's database that is made on the spot, with nothing to set up.
//!
//! Five acts: the database is indexed; a statement that runs and is wrong is caught and repaired; a question is declined
//! for a term that nothing defines; somebody says what it means, and it is answered; what must not run is refused. The
//! demo knows what is right and says it beside each number, so that nobody has to take its word; nothing else here does.
//! Without a model, the drafts are written beforehand. The demo's folder is an ordinary project and is kept.

use std::path::Path;
use std::process::ExitCode;

use agent::{AnswerShape, Outcome};
use catalog::{Catalog, MemoryKind, MemoryState, NewMemory, Reach};
use connect::{Connector, ResultSet};
use guard::{Decision, Finding, Policy, Severity};
use index::Index;
use llm::scripted::Scripted;
use llm::{ChatModel, ModelInfo};
use serde_json::{Value, json};

use super::{ask, index as index_command, model};
use crate::args::{DemoArguments, Global};
use crate::config::FILE_NAME;
use crate::diagnostics;
use crate::output::Output;
use crate::pipeline::{self, Asking};
use crate::progress::Reporter;
use crate::project::{Project, ProjectError};

/// The source's name in the demo.
const SOURCE: &str = "shop";

const CONFIGURATION: &str = "# Made by `periplus demo`. Every key: `periplus manual configuration`

[[sources]]
id = \"shop\"
dsn = \"sqlite:shop.sqlite\"
description = \"An outdoor equipment shop: customers, orders, subscriptions, products, suppliers, support\"
";

pub(super) async fn run(arguments: DemoArguments, global: &Global, output: &Output) -> anyhow::Result<ExitCode> {
    let mut reporter = Reporter::new();
    make_project(&arguments.dir, &mut reporter)?;
    let project = Project::open(&Global {
        project: arguments.dir.clone(),
        dsn: None,
        json: global.json,
        verbose: global.verbose,
    })?;

    output.say("\n── 1. Index: introspect, profile, describe, index\n");
    // The shop's data ends on a fixed day; what is stale is judged from there, not from whenever the demo runs.
    let now = format!("{}T23:59:59Z", shop::TODAY).parse()?;
    let options = profile::Options { now, ..index_command::profile_options(&project, false) };
    let indexed = pipeline::index(&project, &project.config.sources, &options, None, &mut reporter).await?;
    reporter.finish();
    index_command::report_text(&indexed, output);

    let model = if arguments.no_model { None } else { model_for_demo(&project).await? };
    let story = shop::story();
    remember_approved(&project, &story.undefined)?;
    let mut stage = Stage::open(&project)?;

    output.line(heading(&format!("2. A question with traps: “{}”", story.trap.question)));
    let trap = stage.trap(&story.trap, output).await?;
    output.line(heading(&format!(
        "3. A question that nobody could answer from the data: “{}”",
        story.undefined.question
    )));
    let drafter = prepared(&story.undefined.draft);
    let declined = stage.ask(&story.undefined.question, model.as_deref().unwrap_or(&drafter)).await?;
    output.line(ask::text(&declined, ask::Detail::Short));
    let right = stage.right_of(&story.undefined).await?;
    output.line(format!("\nRight would be {right}, and nothing in the database says what counts."));
    output.line(heading("4. Somebody says what it means, and it is asked again in other words"));
    let answered = stage.teach_and_ask(&story.undefined, model.as_deref(), output).await?;
    output.line(heading("5. What must not run"));
    let refused = stage.hostile(&story.hostile, output)?;
    output.json(&json!({
        "project": arguments.dir,
        "trap": trap,
        "declined": ask::document(&story.undefined.question, &declined),
        "answered": answered,
        "refused": refused,
    }));
    output.line(heading("Now"));
    output.line(next_steps(&arguments.dir));
    Ok(ExitCode::SUCCESS)
}

/// The database and the configuration, where they aren't there from an earlier run.
fn make_project(folder: &Path, reporter: &mut Reporter) -> anyhow::Result<()> {
    let write_error = |path: &Path| {
        let path = path.to_owned();
        move |source| ProjectError::Write { path, source }
    };
    std::fs::create_dir_all(folder).map_err(write_error(folder))?;
    let database = folder.join("shop.sqlite");
    if !database.exists() {
        shop::create(&database, &mut |made| reporter.made(&made))?;
        reporter.finish();
    }
    let configuration = folder.join(FILE_NAME);
    if !configuration.exists() {
        std::fs::write(&configuration, CONFIGURATION).map_err(write_error(&configuration))?;
    }
    Ok(())
}

/// The model that is configured; else the local one, fetched. Without a network the demo goes on without.
async fn model_for_demo(project: &Project) -> anyhow::Result<Option<Box<dyn ChatModel>>> {
    if let Some(model) = project.model()? {
        return Ok(Some(model));
    }
    eprintln!(
        "No model is configured: fetching Qwen2.5-Coder-1.5B-Instruct (1.1 GB, once). `--no-model` goes without."
    );
    match model::pull(project).await {
        Ok(_) => project.model(),
        Err(error) => {
            diagnostics::note(&format!("The model can't be fetched ({error:#}); going on without one."));
            Ok(None)
        }
    }
}

/// Approved queries, as a team's analysts would have left them, but for the one that the demo approves itself.
fn remember_approved(project: &Project, undefined: &shop::Undefined) -> anyhow::Result<()> {
    let store = project.store()?;
    let known = store.catalog()?;
    for pair in shop::approved() {
        let wanted = pair.question != undefined.question;
        let content = memory_of(pair);
        let present =
            known.memories().iter().find(|memory| memory.content == content && memory.state == MemoryState::Active);
        match present {
            None if wanted => {
                store.add_memory(content)?;
            }
            Some(memory) if !wanted => store.undo_memory(memory.id, "demo")?,
            _ => {}
        }
    }
    Ok(())
}

/// What people at the shop mean by a term.
fn approved_answer(undefined: &shop::Undefined) -> anyhow::Result<shop::Approved> {
    let mut pairs = shop::approved().into_iter();
    let answer = pairs.find(|pair| pair.question == undefined.question);
    answer.ok_or_else(|| anyhow::anyhow!("the shop has no approved answer to `{}`", undefined.question))
}

fn memory_of(pair: shop::Approved) -> NewMemory {
    NewMemory {
        source: SOURCE.into(),
        kind: MemoryKind::Approved,
        question: pair.question,
        sql: pair.sql,
        correction: None,
        author: pair.author,
        reach: Reach::default(),
    }
}

/// A model that has been written beforehand: it replies this draft, whatever it is asked.
fn prepared(draft: &str) -> Scripted {
    let info =
        ModelInfo { name: "prepared".into(), small: true, tools: false, json_schema: false, context_tokens: 4096 };
    // A draft that raises doubts is asked for again.
    Scripted::with_texts(std::iter::repeat_n(draft, MOST_DRAFTS)).with_info(info)
}

/// More drafts than a question is given.
const MOST_DRAFTS: usize = 12;

/// What the questions are asked on.
struct Stage<'a> {
    project: &'a Project,
    connector: Box<dyn Connector>,
    policy: Policy,
    catalog: Catalog,
    index: Index,
}

impl<'a> Stage<'a> {
    fn open(project: &'a Project) -> anyhow::Result<Self> {
        let catalog = project.catalog()?;
        let index = project.index(&catalog)?;
        let connector = project.connector(project.source(Some(SOURCE))?)?;
        Ok(Self { project, connector, policy: project.policy()?, catalog, index })
    }

    /// A draft as an agent alone would run it, what is wrong with it, and what it is repaired to.
    async fn trap(&self, trap: &shop::Trap, output: &Output) -> anyhow::Result<Value> {
        let alone = self.figure(&trap.draft).await?;
        output.line(format!("A statement of the kind that models write, from the schema alone:\n{}\n", trap.draft));
        output.line(format!("It runs, and says {alone}. What Periplus sees:"));
        let verdict = guard::check(&trap.draft, &self.catalog, SOURCE, &self.policy, None);
        for finding in &verdict.findings {
            output.line(format!("  - {}", finding.message));
        }
        let outcome = self.ask(&trap.question, &prepared(&trap.draft)).await?;
        let repaired = outcome.answer.as_ref().map(AnswerShape::sql).unwrap_or_default().to_owned();
        let figure = outcome.rows.as_ref().map(figure_in).unwrap_or_default();
        let right = self.figure(&trap.sql).await?;
        output.line(format!("\nmended:\n{repaired}\n\nIt says {figure}. Right is {right}."));
        Ok(json!({
            "question": trap.question, "draft": trap.draft, "draft_says": alone, "findings": verdict.findings,
            "repaired": repaired, "says": figure, "right": right,
        }))
    }

    /// Approves the answer to a question, and asks it again in other words.
    async fn teach_and_ask(
        &mut self,
        undefined: &shop::Undefined,
        model: Option<&dyn ChatModel>,
        output: &Output,
    ) -> anyhow::Result<Value> {
        let pair = approved_answer(undefined)?;
        output.line(format!(
            "$ periplus feedback approve --author {:?} --question {:?} --sql {:?}",
            pair.author, pair.question, pair.sql
        ));
        let right = self.figure(&pair.sql).await?;
        self.project.store()?.add_memory(memory_of(pair))?;
        self.catalog = self.project.catalog()?;
        output.line(format!("\n$ periplus ask {:?}", undefined.reworded));
        let drafter = prepared(&undefined.draft);
        let outcome = self.ask(&undefined.reworded, model.unwrap_or(&drafter)).await?;
        output.line(ask::text(&outcome, ask::Detail::Short));
        output.line(format!("\nRight is {right}."));
        let mut document = ask::document(&undefined.reworded, &outcome);
        document["right"] = right.into();
        Ok(document)
    }

    async fn right_of(&self, undefined: &shop::Undefined) -> anyhow::Result<String> {
        self.figure(&approved_answer(undefined)?.sql).await
    }

    /// Statements that the guard refuses, with its reasons.
    fn hostile(&self, statements: &[String], output: &Output) -> anyhow::Result<Vec<Value>> {
        let mut refused = Vec::new();
        for sql in statements {
            let verdict = guard::check(sql, &self.catalog, SOURCE, &self.policy, None);
            let decision = match verdict.decision {
                Decision::Accept => "accepted",
                Decision::Refuse => "refused",
            };
            output.line(format!("{sql}\n{decision}: {}", reasons(&verdict.findings)));
            refused.push(json!({"sql": sql, "decision": decision, "findings": verdict.findings}));
        }
        Ok(refused)
    }

    async fn ask(&self, question: &str, model: &dyn ChatModel) -> anyhow::Result<Outcome> {
        let asking = Asking {
            source: self.project.source(Some(SOURCE))?,
            catalog: &self.catalog,
            index: &self.index,
            model: Some(model),
            options: ask::agent_options(self.project)?,
        };
        pipeline::ask(self.project, asking, question, None, &mut |_| {}).await
    }

    /// The figure that a statement comes to.
    async fn figure(&self, sql: &str) -> anyhow::Result<String> {
        let limits = self.project.limits();
        let answer = guard::run(sql, &self.catalog, self.connector.as_ref(), &self.policy, &limits).await?;
        Ok(figure_in(&answer.result))
    }
}

/// The one figure of a result, to two places.
fn figure_in(result: &ResultSet) -> String {
    match result.rows.first().and_then(|row| row.first()) {
        None => "nothing".to_owned(),
        Some(connect::Value::Real(figure)) => format!("{figure:.2}"),
        Some(connect::Value::Null) => "NULL".to_owned(),
        Some(value) => value.as_text().unwrap_or_default(),
    }
}

fn reasons(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
}

fn heading(text: &str) -> String {
    format!("\n── {text}\n")
}

fn next_steps(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let binary = std::env::current_exe().map_or_else(|_| "periplus".to_owned(), |path| path.display().to_string());
    let project = folder.display();
    format!(
        "The project is kept in {project}. Look around:
  {binary} --project {project} status
  {binary} --project {project} link \"which products are returned most\"
  {binary} --project {project} check \"SELECT nam FROM customers\"
  {binary} --project {project} docs write

Plug it into an agent:
  claude mcp add periplus -- {binary} serve --project {project}
  codex mcp add periplus -- {binary} serve --project {project}
  Cursor and others: {{\"mcpServers\": {{\"periplus\": {{\"command\": \"{binary}\", \"args\": [\"serve\", \"--project\", \"{project}\"]}}}}}}

Your own database:
  {binary} init path/to/your.db && {binary} index"
    )
}
