//! `periplus model`: which model drafts, and how to get the local one.

use std::process::ExitCode;

use llm::ModelConfig;
use serde_json::json;

use crate::args::{ModelAction, ModelArguments};
use crate::output::Output;
use crate::progress::Reporter;
use crate::project::Project;

pub(super) async fn run(arguments: &ModelArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    match arguments.action {
        ModelAction::List => list(project, output),
        ModelAction::Pull => {
            let path = pull(project).await?;
            output.either(&json!({"path": path}), format!("{}", path.display()));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Fetches the local model where it isn't there yet, with a progress bar.
pub(super) async fn pull(project: &Project) -> anyhow::Result<std::path::PathBuf> {
    let mut reporter = Reporter::new();
    let path = llm::local::pull(&project.models_folder(), &mut |event| reporter.pull(event)).await?;
    reporter.finish();
    Ok(path)
}

fn list(project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let configured = project.model_config()?;
    let used = match &configured {
        ModelConfig::OpenAi { base_url, model, .. } => format!("{model} at {base_url}"),
        ModelConfig::Anthropic { model, .. } => format!("{model} at Anthropic"),
        ModelConfig::Local { path } => format!("local: {}", path.display()),
        ModelConfig::None => "none: drafting is off, everything else works".to_owned(),
    };
    let local = project.local_model_path();
    let present = local.is_file();
    let embedder = project.embedder();
    output.json(&json!({
        "used": configured, "local": {"path": local, "present": present},
        "embedder": {"name": embedder.name(), "dimensions": embedder.dimensions()},
    }));
    output.line(format!("drafting: {used}"));
    let fetched = if present { "fetched" } else { "not fetched (`periplus model pull`, 1.1 GB)" };
    output.line(format!("local model: {fetched}, {}", local.display()));
    output.line(format!("embedding: {}, {} dimensions, in the binary", embedder.name(), embedder.dimensions()));
    Ok(ExitCode::SUCCESS)
}
