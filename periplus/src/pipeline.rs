//! The whole flow, on one screen: what `index` does once, and what a question goes through.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agent::{Agent, AgentOptions, Feedback, Outcome, Step};
use catalog::{Catalog, Entry, Exposure, TableId};
use connect::Connector;
use describe::describe_source;
use index::Index;
use link::{LinkOptions, Linked, Linker};
use llm::{ChatModel, SearchEndpoint, WebSearch, WebSearchError};
use profile::profile_source;

use crate::config::SourceConfig;
use crate::held::Settled;
use crate::origins::{self, LineageRead};
use crate::progress::Reporter;
use crate::project::{Project, ProjectError};
use crate::proposed_terms::proposals;
use crate::role::{self, RoleCheck};
use crate::run_before::{self, UsageRead};
use crate::told::Told;

/// What an index run did.
#[derive(Debug)]
pub(crate) struct Indexed {
    /// By source.
    pub(crate) sources: Vec<IndexedSource>,
    /// What is known now.
    pub(crate) catalog: Catalog,
    /// Derived from it.
    pub(crate) index: Index,
    /// Columns that might be shown before and are masked now, each with why.
    pub(crate) newly_masked: Vec<String>,
    /// Columns that stay masked though nothing says so any more, each with why they were.
    pub(crate) kept_masked: Vec<String>,
    /// Columns that were masked and are open now, since something says what they are made from.
    pub(crate) opened: Vec<String>,
}

/// What an index run did with a source.
#[derive(Debug)]
pub(crate) struct IndexedSource {
    /// The source's name.
    pub(crate) name: String,
    /// What may be done with the role that opens it.
    pub(crate) role: RoleCheck,
    /// What was profiled.
    pub(crate) profiled: profile::Summary,
    /// What was described.
    pub(crate) described: describe::Summary,
    /// What was asked of the database.
    pub(crate) work: connect::Work,
    /// Where its data comes from.
    pub(crate) lineage: LineageRead,
    /// What people usually do with it, where its logs tell.
    pub(crate) usage: Option<UsageRead>,
}

/// connect → profile → describe → index, for each source. Stops anywhere without loss; the next run continues.
pub(crate) async fn index(
    project: &Project,
    sources: &[SourceConfig],
    options: &profile::Options,
    describer: Option<&dyn ChatModel>,
    reporter: &mut Reporter,
) -> anyhow::Result<Indexed> {
    // What can't be read is said before anything is done: without it, texts and masks would be lost.
    let told: Vec<Told> = sources.iter().map(Told::of).collect::<Result<_, _>>()?;
    sources.iter().try_for_each(run_before::find_logs)?;
    let store = project.store_before_reading()?;
    let catalog_before = Arc::new(store.catalog()?);
    let open_before = open_columns(&catalog_before);
    let lineage_before = origins::begin(project, sources, &catalog_before)?;
    let mut done = Vec::with_capacity(sources.len());
    for (source, told) in sources.iter().zip(&told) {
        let on_structure = Some(origins::on_structure(project, source, told, &catalog_before));
        let options = &profile::Options { additions: told.additions(), on_structure, ..options.clone() };
        let connector = project.connector(source)?;
        let role = checked_role(project, source, connector.as_ref()).await?;
        let profiled =
            profile_source(connector.as_ref(), &store, options, &mut |event| reporter.profile(event)).await?;
        if profiled.tables == 0 {
            return Err(ProjectError::EmptySource { name: source.id.clone() }.into());
        }
        done.push(IndexedSource {
            name: source.id.clone(),
            role,
            profiled,
            described: describe::Summary::default(),
            work: connector.work(),
            lineage: LineageRead::default(),
            usage: None,
        });
    }
    drop(catalog_before);
    let catalog = store.catalog()?;
    for ((source, told), done) in sources.iter().zip(&told).zip(&mut done) {
        done.lineage = origins::read(project, source, told, &catalog)?;
    }
    drop(catalog);
    let Settled { kept, opened } = origins::settle(project, sources, &store, &lineage_before, options.full)?;
    // What is made from a masked column is masked as well, before anything is written or found of it.
    store.withhold_inherited()?;
    for ((source, told), done) in sources.iter().zip(&told).zip(&mut done) {
        done.usage = run_before::read(project, source, &store, options.full, reporter).await?;
        if let Some(usage) = &mut done.usage {
            let options = &profile::Options { additions: told.additions(), ..options.clone() };
            usage.keys = profile::add_joined_keys(project.connector(source)?.as_ref(), &store, options).await?;
        }
        let catalog = store.catalog()?;
        store.put_proposals(&source.id, &proposals(told, &catalog, &source.id))?;
        done.described = describe_source(&store, &source.id, describer, &mut |event| reporter.describe(event)).await?;
    }
    let catalog = store.catalog()?;
    let index = reporter.while_indexing(|| project.index(&catalog))?;
    let newly_masked = newly_masked(&open_before, &catalog);
    Ok(Indexed { sources: done, catalog, index, newly_masked, kept_masked: kept, opened })
}

/// The columns that may be shown, by their tables.
fn open_columns(catalog: &Catalog) -> HashMap<TableId, HashSet<String>> {
    let open = |entry: &Entry| {
        let columns = entry.table.columns.iter().map(|column| &column.name);
        columns.filter(|name| *entry.exposure(name) == Exposure::Open).cloned().collect()
    };
    catalog.entries().iter().map(|entry| (entry.table.id.clone(), open(entry))).collect()
}

/// The columns that were open before a run and are masked after it: what statements read so far is refused from now on.
fn newly_masked(open_before: &HashMap<TableId, HashSet<String>>, after: &Catalog) -> Vec<String> {
    let mut found = Vec::new();
    for entry in after.entries() {
        let Some(open) = open_before.get(&entry.table.id) else { continue };
        for column in entry.table.columns.iter().filter(|column| open.contains(&column.name)) {
            if let Exposure::Masked(mask) = entry.exposure(&column.name) {
                found.push(format!("{}.{} ({})", entry.table.id.local(), column.name, mask.reason));
            }
        }
    }
    found
}

/// What the source's role may do beyond reading is warned of, or refused.
async fn checked_role(
    project: &Project,
    source: &SourceConfig,
    connector: &dyn Connector,
) -> anyhow::Result<RoleCheck> {
    let role = RoleCheck::of(&source.id, connector).await;
    // Nothing else will succeed either, and this says best why.
    if let Some(failure) = role.log_in_failure() {
        return Err(failure.clone().into());
    }
    match project.is_strict(source) {
        true => role.demand()?,
        false => role::warn_of(std::slice::from_ref(&role)),
    }
    Ok(role)
}

/// A question → ranked tables, directives, values, joins. No model.
pub(crate) fn link(
    project: &Project,
    catalog: &Catalog,
    index: &Index,
    question: &str,
    options: &LinkOptions,
) -> Linked {
    Linker::new(catalog, index, project.embedder()).link(question, options)
}

/// What a question is asked with.
pub(crate) struct Asking<'a> {
    /// Where the data is.
    pub(crate) source: &'a SourceConfig,
    /// What is known.
    pub(crate) catalog: &'a Catalog,
    /// How it is found.
    pub(crate) index: &'a Index,
    /// Who drafts.
    pub(crate) model: Option<&'a dyn ChatModel>,
    /// Shape, budgets, company context.
    pub(crate) options: AgentOptions,
}

/// Where large models may look up terms, if anywhere.
pub(crate) fn web_search(project: &Project) -> Result<Option<SearchEndpoint>, WebSearchError> {
    project.config.ask.web_search.as_deref().map(SearchEndpoint::new).transpose()
}

/// link → draft → guard → repair → run, with every step told.
pub(crate) async fn ask(
    project: &Project,
    asking: Asking<'_>,
    question: &str,
    feedback: Option<&Feedback>,
    on_step: &mut (dyn FnMut(&Step) + Send),
) -> anyhow::Result<Outcome> {
    let connector = role::connect_checked(project, asking.source).await?;
    let linker = Linker::new(asking.catalog, asking.index, project.embedder());
    let policy = project.policy()?;
    let web = web_search(project)?;
    let agent = Agent::new(asking.catalog, &linker, connector.as_ref(), asking.model, &policy, asking.options)
        .with_web_search(web.as_ref().map(|web| web as &dyn WebSearch));
    Ok(agent.ask(question, feedback, on_step).await?)
}
