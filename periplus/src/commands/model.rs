//! `periplus model`: which model drafts, and how to get the local one.

use std::process::ExitCode;

use llm::ModelConfig;
use serde_json::json;

use crate::args::{ModelAction, ModelArguments};
use crate::output::{self, Output};
use crate::progress::Reporter;
use crate::project::Project;

pub(super) async fn run(arguments: &ModelArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    match arguments.action {
        ModelAction::List => list(project, output),
        ModelAction::Pull { list: true } => {
            output.json(&json!([{
                "name": FETCHED.name, "file": llm::local::MODEL_FILE, "bytes": llm::local::MODEL_BYTES,
                "sha256": llm::local::MODEL_SHA256, "memory": FETCHED.memory, "licence": FETCHED.licence,
            }]));
            let header = ["model", "to fetch", "memory in use", "licence"].map(str::to_owned);
            let size = format!("{:.1} GB", llm::local::MODEL_BYTES as f64 / 1e9);
            let row = [FETCHED.name, &size, FETCHED.memory, FETCHED.licence].map(str::to_owned);
            output.line(output::table(&header, [row.to_vec()]));
            output.say(
                "Another GGUF file of a Qwen2 or Qwen2.5 network: `path` under [model]. Larger models: behind an endpoint.\n\
                 What models reach: `periplus manual models`",
            );
            Ok(ExitCode::SUCCESS)
        }
        ModelAction::Pull { list: false } => {
            let path = pull(project).await?;
            match output.is_json() {
                true => output.json(&json!({"path": path})),
                false => output.export(&path.display().to_string()),
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The model that is fetched.
struct Fetched {
    name: &'static str,
    /// Measured: the kernels keep the weights in their own order beside the file's.
    memory: &'static str,
    licence: &'static str,
}

const FETCHED: Fetched =
    Fetched { name: "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M", memory: "2.5 to 3.8 GB", licence: "Apache-2.0" };

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
