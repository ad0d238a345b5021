//! `periplus eval`: how good it is, on a pack of questions or on the shop.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agent::{Ablations, Agent};
use eval::{Answered, AskRun, LinkRun, LinkScope, PackOptions, QuestionsRun, ScaleRun, TokensRun, Tools, Wording};
use link::{Linker, Signal, Signals};
use llm::replay::Recorder;
use llm::{ChatModel, Embedder, HttpEmbedder, HttpOptions};
use serde::Serialize;
use serde_json::Value;

use crate::args::{Ablation, EvalAction, EvalArguments, LinkEvidence};
use crate::output::Output;
use crate::pipeline;
use crate::project::{Project, ProjectError, read_calibration};
use crate::role;

pub(super) async fn run(arguments: EvalArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    match arguments.action {
        EvalAction::Link {
            pack,
            questions,
            described,
            pooled,
            with,
            evidence,
            without,
            ranker,
            embedding_url,
            embedding_model,
            out,
        } => {
            let run = LinkRun {
                pack: pack_or_shop(project, pack)?,
                questions,
                described,
                scope: if pooled { LinkScope::Pooled } else { LinkScope::Database },
                with,
                wording: if evidence { Wording::WithEvidence } else { Wording::Question },
                signals: signals(&without),
                ranker,
                out: Some(out),
            };
            let other = embedding_url
                .zip(embedding_model)
                .map(|(url, model)| HttpEmbedder::connect(&url, &model, None, HttpOptions::default()))
                .transpose()?;
            let embedder = other.as_ref().map_or(project.embedder(), |other| other as &dyn Embedder);
            print(&eval::run_link(&run, embedder).await?, output)
        }
        EvalAction::Scale { pack, tables, columns, out } => {
            let run = ScaleRun { pack: pack_or_shop(project, pack)?, tables, columns, folder: out };
            print(&eval::run_scale(&run, project.embedder()).await?, output)
        }
        EvalAction::Tokens { pack, pooled, out } => {
            let run = TokensRun { pack: pack_or_shop(project, pack)?, pooled, out };
            let embedder = project.embedder();
            let open = |store| {
                let context = serve::Context::new(store, None, embedder, Vec::new(), serve::Options::default());
                Replies(serve::Conversation::over(context))
            };
            print(&eval::run_tokens(&run, open).await?, output)
        }
        EvalAction::Ask { pack, limit, seed, out, baseline, calls, calibration, without } => {
            let model = project
                .model()?
                .ok_or_else(|| ProjectError::Model { reason: "answering can't be measured without a model".into() })?;
            let model: Box<dyn ChatModel> = match calls {
                Some(calls) => Box::new(Recorder::new(model, &calls)?),
                None => model,
            };
            let pack = pack_or_shop(project, pack)?;
            let run = AskRun {
                pack: &pack,
                limit,
                seed,
                model: model.as_ref(),
                out: &out,
                ablations: ablations(&without),
                calibration: calibration.as_deref().map(read_calibration).transpose()?,
                baseline,
                resume: true,
                on_question: &mut |done, total| eprintln!("{done} of {total}"),
            };
            print(&eval::run_ask(run).await?, output)
        }
        EvalAction::Questions { file, source, out } => {
            let questions = eval::read_questions(&file)?;
            let source = project.source(source.as_deref())?;
            let catalog = project.catalog()?;
            let index = project.index(&catalog)?;
            let (model, connector) = (project.model()?, role::connect_checked(project, source).await?);
            let (policy, options) = (project.policy()?, super::ask::agent_options(project)?);
            let linker = Linker::new(&catalog, &index, project.embedder());
            let limits = options.limits.clone();
            let web = pipeline::web_search(project)?;
            let agent = Agent::new(&catalog, &linker, connector.as_ref(), model.as_deref(), &policy, options)
                .with_web_search(web.as_ref().map(|web| web as &dyn llm::WebSearch));
            let run = QuestionsRun {
                agent: &agent,
                catalog: &catalog,
                connector: connector.as_ref(),
                policy: &policy,
                limits: &limits,
                out: &out,
                on_question: &mut |done, total| eprintln!("{done} of {total}"),
            };
            print(&eval::run_questions(&questions, run).await?, output)
        }
        EvalAction::Lineage { dbt: Some(folder), out, .. } => print(&eval::run_dbt(&folder, &out)?, output),
        EvalAction::Lineage { cases, out, .. } => print(&eval::run_lineage(&cases, &out)?, output),
        EvalAction::Calibrate { predictions, pack, model, out } => {
            let model = match model {
                Some(name) => name,
                None => project.model()?.map(|model| model.info().name.clone()).unwrap_or_default(),
            };
            let mut answered = Vec::new();
            for (place, predictions) in predictions.into_iter().enumerate() {
                answered.push(Answered { pack: pack_or_shop(project, pack.get(place).cloned())?, predictions });
            }
            let report = eval::calibrate(&model, &answered)?;
            let mut text = serde_json::to_string_pretty(&report.calibration)?;
            text.push('\n');
            std::fs::write(&out, text).map_err(|source| ProjectError::Write { path: out, source })?;
            print(&report, output)
        }
        EvalAction::Guard { corpus: Some(corpus), schema: Some(schema), out, .. } => {
            print(&eval::run_corpus(&corpus, &schema, &out).await?, output)
        }
        EvalAction::Guard { statements: Some(statements), source, out, .. } => {
            let connector = project.connector(project.source(source.as_deref())?)?;
            let (catalog, policy) = (project.catalog()?, project.policy()?);
            print(&eval::run_statements(&statements, &catalog, connector.as_ref(), &policy, &out).await?, output)
        }
        EvalAction::Guard { pack, profiled, masked, tables, out, .. } => {
            let options = PackOptions { limit: None, profiled, masked, tables };
            print(&eval::run_guard(&pack_or_shop(project, pack)?, options, &out).await?, output)
        }
    }
}

/// The tools that agents call.
struct Replies(serve::Conversation);

impl Tools for Replies {
    fn anew(&self) -> Self {
        Self(self.0.anew())
    }

    async fn call(&self, tool: &str, arguments: Value) -> String {
        self.0.call(tool, arguments).await.unwrap_or_default()
    }
}

/// All signals but those.
fn signals(without: &[LinkEvidence]) -> Signals {
    let mut signals = Signals::default();
    for evidence in without {
        *match evidence {
            LinkEvidence::Words => &mut signals.words,
            LinkEvidence::Similarity => &mut signals.similarity,
            LinkEvidence::Values => &mut signals.values,
            LinkEvidence::Joins => &mut signals.joins,
            LinkEvidence::Texts => &mut signals.texts,
            LinkEvidence::Ranker => &mut signals.ranker,
        } = Signal::Off;
    }
    signals
}

fn print(report: &impl Serialize, output: &Output) -> anyhow::Result<ExitCode> {
    output.document(report);
    Ok(ExitCode::SUCCESS)
}

/// The pack that was named; else the shop's, made in the project's own folder.
fn pack_or_shop(project: &Project, pack: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(pack) = pack {
        return Ok(pack);
    }
    let folder = project.state_folder().join("shop-pack");
    if !is_complete(&folder) {
        // What an interrupted run, or an earlier version, has left.
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        shop::write_pack(&folder)?;
    }
    Ok(folder)
}

fn is_complete(folder: &Path) -> bool {
    ["questions.jsonl", "databases/shop.sqlite", "statements/fan_out_right.sql"]
        .iter()
        .all(|file| folder.join(file).is_file())
}

fn ablations(without: &[Ablation]) -> Ablations {
    let left_out = |ablation| without.contains(&ablation);
    Ablations {
        without_verifier: left_out(Ablation::Verifier),
        without_values: left_out(Ablation::Values),
        without_directives: left_out(Ablation::Directives),
        without_decomposition: left_out(Ablation::Decomposition),
    }
}
