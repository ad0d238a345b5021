//! `periplus serve`: the catalog for agents, over MCP. Edits in the Markdown folder are taken over while it runs.

use std::process::ExitCode;

use serve::{Configuration, Context, Documenting, Options, SourceAccess};

use crate::args::{ServeArguments, Transport};
use crate::project::Project;
use crate::role;

pub(super) async fn run(arguments: &ServeArguments, project: &Project) -> anyhow::Result<ExitCode> {
    // Fail here, where somebody reads it, rather than in the first call.
    let catalog = project.catalog()?;
    project.index(&catalog)?;
    check_roles(project).await?;
    let _watch = watch_docs(project)?;
    match arguments.transport {
        Transport::Stdio => serve::stdio(context(project, arguments.document)?).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses strict sources with too powerful a role before anybody is served. The others are asked meanwhile, because a
/// database that is slow or away keeps nobody from the catalog.
async fn check_roles(project: &Project) -> anyhow::Result<()> {
    let (strict, others): (Vec<_>, Vec<_>) =
        project.config.sources.iter().cloned().partition(|source| project.is_strict(source));
    for role in role::check_all(&strict).await {
        role.demand()?;
    }
    tokio::spawn(async move { role::warn_of(&role::check_all(&others).await) });
    Ok(())
}

fn context(project: &Project, document: bool) -> anyhow::Result<Context> {
    let sources = project
        .config
        .sources
        .iter()
        .cloned()
        .map(|source| SourceAccess::new(source.id.clone(), move || connect::connect(&source.id, &source.dsn)))
        .collect();
    let options = Options {
        reply_tokens: project.config.serve.reply_tokens,
        link: project.link_options(None),
        limits: project.limits(),
        policy: project.policy()?,
        trace: Some(project.state_folder().join("trace.jsonl")),
        configuration: project.configuration().map(|(path, text)| Configuration { path, text }),
        documenting: document
            .then(|| Documenting { proposals: project.config.docs.review.then(|| project.proposals_folder()) }),
    };
    Ok(Context::new(project.store()?, Some(project.index_folder()), project.embedder(), sources, options))
}

/// Watches the Markdown folder where there is one; `None` where there isn't.
fn watch_docs(project: &Project) -> anyhow::Result<Option<describe::Watch>> {
    let folder = project.docs_folder(None);
    if !folder.is_dir() {
        return Ok(None);
    }
    let watch = describe::watch(&folder, project.store()?, |report| match report {
        Ok(report) => {
            for problem in report.problems {
                tracing::warn!("{}:{}: {}", problem.file.display(), problem.line, problem.reason);
            }
        }
        Err(error) => tracing::warn!("the Markdown folder can't be read back: {error}"),
    })?;
    Ok(Some(watch))
}
