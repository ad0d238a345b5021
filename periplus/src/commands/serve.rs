//! `periplus serve`: the catalog for agents, over MCP. Edits in the Markdown folder are taken over while it runs.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use catalog::MaskRules;
use llm::{ModelConfig, WebSearch};
use serve::{
    Asking, CertificateFiles, Configuration, Context, Documenting, HttpOptions, HttpServer, IndexRun, OAuthOptions,
    Options, Role, RunEnd, Serving, SourceAccess, StartIndexing,
};

use super::ask::agent_options;
use super::watch;
use crate::args::ServeArguments;
use crate::config::{OAuthSection, RoleGuardSection, SourceConfig};
use crate::diagnostics;
use crate::pipeline;
use crate::progress::Reporter;
use crate::project::{Project, ProjectError};
use crate::role;

pub(super) async fn run(
    arguments: &ServeArguments,
    project: &Project,
    open: Arc<OpenProject>,
) -> anyhow::Result<ExitCode> {
    // Fail here, where somebody reads it, rather than in the first call.
    let catalog = project.catalog()?;
    project.index(&catalog)?;
    let _watch = watch_docs(project)?;
    if arguments.watch {
        let open = Arc::clone(&open);
        watch::beside(Box::new(move || open()))?;
    }
    let document = arguments.document;
    let is_outdated = watch_grants(Arc::clone(&open));
    let reopen = Arc::clone(&open);
    let serving = serving(project, document).await?.read_again_by(Box::new(move || {
        let opened = reopen();
        Box::pin(async move {
            let project = opened?;
            // Without the file nothing says any more what may be shown.
            project.configuration().ok_or(ProjectError::NoSource)?;
            Ok(serving(&project, document).await?)
        })
    }));
    let serving = serving.outdated_by(is_outdated).indexed_by(index_runs(open));
    match arguments.http {
        None => serve::stdio(serving).await?,
        Some(address) => listen(address, serving, project).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the project, as it is by now.
pub(super) type OpenProject = dyn Fn() -> anyhow::Result<Project> + Send + Sync;

/// What everybody is served, and callers of the operator's own roles.
async fn serving(project: &Project, document: bool) -> anyhow::Result<Serving> {
    check_roles(project).await?;
    let catalog = project.catalog()?;
    for unmatched in project.unmatched_denials(catalog.entries().iter().map(|entry| &*entry.table)) {
        tracing::warn!("{unmatched}");
    }
    let offers = Offers { documenting: document, asking: asking(project)? };
    let mut roles = Vec::new();
    for (name, section) in &project.config.guard.roles {
        let rules = project.rules_of(section)?.within(project.granted_to(name, section).await?);
        let context = context(project, &offers, Some((section, Arc::new(rules))))?;
        roles.push(Role { name: name.clone(), rights: section.rights, context });
    }
    Ok(Serving::new(context(project, &offers, None)?).with_roles(roles))
}

/// How often databases are asked whether roles may read something else by now: two statements each.
const GRANTS_EVERY: Duration = Duration::from_secs(60);

/// Sees whether databases let roles read something else than they did, and says so by the flag.
fn watch_grants(open: Arc<OpenProject>) -> Arc<AtomicBool> {
    let is_outdated = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_outdated);
    tokio::spawn(async move {
        let mut known = None;
        loop {
            let asked = match open() {
                Ok(project) => project.grant_marks().await,
                Err(error) => Err(error),
            };
            match asked {
                Ok(now) => {
                    if known.as_ref().is_some_and(|known| *known != now) {
                        flag.store(true, Ordering::Release);
                    }
                    known = Some(now);
                }
                Err(error) => tracing::debug!(%error, "what roles may read can't be asked"),
            }
            tokio::time::sleep(GRANTS_EVERY).await;
        }
    });
    is_outdated
}

/// Indexes as administrators want over HTTP, in threads of their own.
fn index_runs(open: Arc<OpenProject>) -> StartIndexing {
    Box::new(move |run| {
        let open = Arc::clone(&open);
        let work = move || {
            let ended = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(anyhow::Error::from);
            let ended = ended.and_then(|runtime| {
                runtime.block_on(async {
                    tokio::select! {
                        () = run.cancelled() => Ok(RunEnd::Cancelled),
                        done = index_all(&*open, &run) => done.map(RunEnd::Done),
                    }
                })
            });
            run.end(ended.unwrap_or_else(|error| {
                let (code, said) = diagnostics::in_lines(&error);
                RunEnd::Failed(code, said)
            }));
        };
        std::thread::Builder::new().name("index".to_owned()).spawn(work).map(drop)
    })
}

/// Indexes the sources that a run wants; says what was done with each.
async fn index_all(open: &OpenProject, run: &Arc<IndexRun>) -> anyhow::Result<Vec<String>> {
    let project = open()?;
    let sources = match &run.wanted.source {
        Some(name) => vec![project.source(Some(name))?.clone()],
        None => project.config.sources.clone(),
    };
    let mut said = Vec::new();
    for source in &sources {
        let told = Arc::clone(run);
        let listener = Box::new(move |phase: &str, done: u64, total: u64| told.is_at(phase, done, total));
        let mut reporter = Reporter::silent().heard_by(listener);
        let done = watch::refresh(&project, source, run.wanted.full, &mut reporter).await?;
        said.push(format!("{}: {done}", source.id));
    }
    Ok(said)
}

/// What is offered besides the tools for questions.
struct Offers {
    documenting: bool,
    asking: Option<Arc<Asking>>,
}

/// What questions are answered with; `None` where no model is configured. It is opened when the first question comes.
fn asking(project: &Project) -> anyhow::Result<Option<Arc<Asking>>> {
    let (config, options) = (project.model_config()?, project.model_options());
    let is_local = matches!(config, ModelConfig::Local { .. });
    if matches!(config, ModelConfig::None) {
        return Ok(None);
    }
    let (open, settings) = (move || llm::open_model(&config, &options), agent_options(project)?);
    let asking = if is_local { Asking::locally(open, settings) } else { Asking::remotely(open, settings) };
    let web = pipeline::web_search(project)?.map(|web| Box::new(web) as Box<dyn WebSearch>);
    Ok(Some(Arc::new(asking.with_web_search(web))))
}

/// Serves over HTTP until the process is told to stop, by Ctrl-C or as service managers do.
async fn listen(address: SocketAddr, serving: Serving, project: &Project) -> anyhow::Result<()> {
    let http = &project.config.serve.http;
    let server = HttpServer::bind(HttpOptions {
        hosts: http.hosts.clone(),
        origins: http.origins.clone(),
        oauth: http.oauth.clone().map(oauth),
        certificate: http.certificate.as_ref().zip(http.key.as_ref()).map(|(certificate, key)| CertificateFiles {
            certificate: project.root.join(certificate),
            key: project.root.join(key),
        }),
        require_token: http.require_token,
        requests_per_minute: http.requests_per_minute,
        calls_at_once: http.calls_at_once,
        connections: http.connections,
        body_bytes: http.body_kilobytes << 10,
        stop_within: Duration::from_secs(http.stop_within_seconds),
        ..HttpOptions::new(address, project.tokens())
    })
    .await?;
    if !server.needs_token() && !project.config.guard.roles.is_empty() {
        tracing::warn!(
            "who shows no token is served everything, whatever roles may not read; `require_token = true` under [serve.http] ends that"
        );
    }
    let whom = if server.needs_token() { "callers with a token" } else { "everybody on this machine" };
    let address = format!("{}://{}", server.scheme(), server.address());
    diagnostics::note(&format!("MCP at {address}/mcp for {whom}, a page at {address}/; Ctrl-C ends it"));
    server.run(serving, told_to_stop()).await;
    Ok(())
}

fn oauth(section: OAuthSection) -> OAuthOptions {
    let OAuthSection { issuer, resource, audience, keys, name_claim, role_claim, roles, role } = section;
    let audience = audience.unwrap_or_else(|| resource.clone());
    let name_claim = name_claim.unwrap_or_else(|| "sub".to_owned());
    OAuthOptions { issuer, resource, audience, keys, name_claim, role_claim, roles, role }
}

async fn told_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    drop(interrupted.await);
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

/// What callers of a role are served; without one, everybody else.
fn context(
    project: &Project,
    offers: &Offers,
    role: Option<(&RoleGuardSection, Arc<dyn MaskRules>)>,
) -> anyhow::Result<Context> {
    let (role, mask_rules) = role.unzip();
    let access = |source: &SourceConfig| {
        let (id, dsn) = (source.id.clone(), project.dsn_for(source, role)?);
        Ok(SourceAccess::new(id.clone(), move || connect::connect(&id, &dsn)))
    };
    let sources = project.config.sources.iter().map(access).collect::<Result<_, ProjectError>>()?;
    let options = Options {
        reply_tokens: project.config.serve.reply_tokens,
        link: project.link_options(None),
        limits: project.limits(),
        policy: project.policy_of(role)?,
        results: project.config.ask.keep_results.then(Arc::default),
        mask_rules,
        trace: Some(project.state_folder().join("trace.jsonl")),
        configuration: project.configuration().map(|(path, text)| Configuration { path, text }),
        asking: offers.asking.clone(),
        lineage: Some(project.lineage_path()),
        docs: Some(project.docs_folder(None)),
        documenting: offers
            .documenting
            .then(|| Documenting { proposals: project.config.docs.review.then(|| project.proposals_folder()) }),
    };
    Ok(Context::new(project.store()?, Some(project.index_folder()), project.embedder(), sources, options))
}

/// Watches the Markdown folder where there is one; `None` where there isn't.
pub(super) fn watch_docs(project: &Project) -> anyhow::Result<Option<describe::Watch>> {
    let folder = project.docs_folder(None);
    if !folder.is_dir() {
        return Ok(None);
    }
    // Pages are looked at every few seconds; what is wrong with one is said once, until it is another thing.
    let mut known: Vec<String> = Vec::new();
    let watch = describe::watch(&folder, project.store()?, move |report| {
        let told: Vec<String> = match report {
            Ok(report) => {
                let problems = report.problems.iter();
                problems.map(|it| format!("{}:{}: {}", it.file.display(), it.line, it.reason)).collect()
            }
            Err(error) => vec![format!("the Markdown folder can't be read back: {error}")],
        };
        told.iter().filter(|line| !known.contains(line)).for_each(|line| tracing::warn!("{line}"));
        known = told;
    })?;
    Ok(Some(watch))
}
