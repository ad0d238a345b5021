//! `periplus demo`: the whole way on a shop's database that is made on the spot, with nothing to set up.
//!
//! With a model it drafts; without one, approved queries answer, and the drafts shown are wrong ones of the kind
//! models write. Everything else is what any project gets: the demo's folder is an ordinary project and is kept.

use std::path::Path;
use std::process::ExitCode;

use agent::AgentOptions;
use catalog::{Catalog, MemoryKind, MemoryState, NewMemory};
use index::Index;
use llm::ChatModel;
use serde_json::json;

use super::{ask, check, index as index_command, link as link_command, model};
use crate::args::{DemoArguments, Global};
use crate::config::{FILE_NAME, SourceConfig};
use crate::diagnostics;
use crate::output::Output;
use crate::pipeline::{self, Asking};
use crate::progress::Reporter;
use crate::project::{Project, ProjectError};

/// The source's name in the demo.
const SOURCE: &str = "shop";

/// Lines of a context that are printed; `--json` has all.
const CONTEXT_LINES: usize = 14;

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
    remember_approved(&project, model.is_some())?;
    let catalog = project.catalog()?;
    let index = project.index(&catalog)?;
    let stage = Stage { project: &project, catalog: &catalog, index: &index, model: model.as_deref() };

    let mut answered = Vec::new();
    let pitfalls: Vec<shop::Approved> =
        shop::approved().into_iter().filter(|pair| pair.first_draft.is_some()).collect();
    for (number, pair) in (2..).zip(&pitfalls) {
        output.line(heading(&format!("{number}. “{}”", pair.question)));
        answered.push(stage.answer(pair, output).await?);
    }
    output.json(&json!({"project": arguments.dir, "answers": answered}));
    output.say("\n── Now\n");
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

/// Approved queries, as a team's analysts would have left them. With a model the three questions of the demo are left
/// out: it has to draft them.
fn remember_approved(project: &Project, has_model: bool) -> anyhow::Result<()> {
    let store = project.store()?;
    let known = store.catalog()?;
    for pair in shop::approved() {
        let content = NewMemory {
            source: SOURCE.into(),
            kind: MemoryKind::Approved,
            question: pair.question,
            sql: pair.sql,
            correction: None,
            author: pair.author,
        };
        let present =
            known.memories().iter().find(|memory| memory.content == content && memory.state == MemoryState::Active);
        let wanted = !(has_model && pair.first_draft.is_some());
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

/// What the three questions are asked on.
struct Stage<'a> {
    project: &'a Project,
    catalog: &'a Catalog,
    index: &'a Index,
    model: Option<&'a dyn ChatModel>,
}

impl Stage<'_> {
    async fn answer(&self, pair: &shop::Approved, output: &Output) -> anyhow::Result<serde_json::Value> {
        let options = self.project.link_options(Some(SOURCE));
        let linked = pipeline::link(self.project, self.catalog, self.index, &pair.question, &options);
        output.line(link_command::text(self.catalog, &linked, 5));
        if self.model.is_none()
            && let Some(draft) = &pair.first_draft
        {
            let verdict = guard::check(draft, self.catalog, SOURCE, &self.project.policy()?, None);
            output.line(format!("\na draft of the kind models write:\n{draft}\n"));
            output.line(check::text(&verdict));
            output.say("\nthe approved query:");
        }
        let outcome = pipeline::ask(
            self.project,
            Asking {
                source: self.source()?,
                catalog: self.catalog,
                index: self.index,
                model: self.model,
                options: AgentOptions { ..ask::agent_options(self.project)? },
            },
            &pair.question,
            None,
            &mut |step| {
                if self.model.is_some() {
                    output.line(ask::step_text(step));
                }
            },
        )
        .await?;
        // An approved answer is found without composing a context; what a model would be given is shown all the same.
        let (tokens, context) = match &outcome.context {
            Some(context) => (context.tokens, context.text.clone()),
            None => {
                let context = link::context(self.catalog, &linked, options.token_budget);
                (context.tokens, context.text)
            }
        };
        output.line(format!("\nthe schema as a model is given it ({tokens} tokens):\n{}\n", beginning(&context)));
        output.line(ask::text(&outcome));
        Ok(ask::document(&pair.question, &outcome))
    }

    fn source(&self) -> Result<&SourceConfig, ProjectError> {
        self.project.source(Some(SOURCE))
    }
}

/// The first lines of a text, and how many there are more.
fn beginning(text: &str) -> String {
    let total = text.lines().count();
    let mut lines: Vec<&str> = text.lines().take(CONTEXT_LINES).collect();
    let more = format!("… {} more lines", total.saturating_sub(CONTEXT_LINES));
    if total > CONTEXT_LINES {
        lines.push(&more);
    }
    lines.join("\n")
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
