//! The whole flow, on one screen: what `index` does once, and what a question goes through.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use agent::{Agent, AgentOptions, Feedback, Outcome, Step};
use catalog::{Catalog, Entry, Exposure, MaskRules, Store, TableId};
use connect::Connector;
use describe::describe_source;
use index::Index;
use lineage::{Holder, Lineage, LineageError};
use link::{LinkOptions, Linked, Linker};
use llm::{ChatModel, SearchEndpoint, WebSearch, WebSearchError};
use profile::{OnStructure, profile_source};
use serde::Serialize;

use crate::config::SourceConfig;
use crate::held::{self, Settled};
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

/// How much is known of where a source's data comes from.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct LineageRead {
    /// Texts that say so: views, statements of scripts, models.
    pub(crate) places: usize,
    /// Tables that are made from tables.
    pub(crate) tables: usize,
    /// Columns that are made from columns.
    pub(crate) columns: usize,
    /// What isn't known, and why.
    pub(crate) gaps: usize,
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
    let lineage_before = begin_lineage(project, sources, &catalog_before)?;
    let mut done = Vec::with_capacity(sources.len());
    for (source, told) in sources.iter().zip(&told) {
        let on_structure = Some(on_structure(project, source, told, &catalog_before));
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
    read_lineage(project, sources, &told, &store.catalog()?, &mut done)?;
    let Settled { kept, opened } = settle(project, sources, &store, &lineage_before)?;
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

/// Holds all masks of these sources, before anything changes; what was known of lineage until now. Where nothing is known of a source
/// whose texts say what its tables are made from, they are read again: its file was lost.
fn begin_lineage(
    project: &Project,
    sources: &[SourceConfig],
    before: &Catalog,
) -> anyhow::Result<BTreeMap<String, Lineage>> {
    let lost = |known: &BTreeMap<String, Lineage>| -> Vec<&SourceConfig> {
        let others = project.config.sources.iter().filter(|source| sources.iter().all(|own| own.id != source.id));
        others.filter(|source| source.has_texts() && !known.contains_key(&source.id)).collect()
    };
    Ok(lineage::update(&project.lineage_path(), |known| {
        for source in lost(known) {
            let read = of_source(before, source, &Told::of(source)?)?;
            known.insert(source.id.clone(), read);
        }
        let known_before = known.clone();
        let is_configured = |name: &String| project.config.sources.iter().any(|source| source.id == *name);
        let left: Vec<String> = known.keys().filter(|name| !is_configured(name)).cloned().collect();
        left.iter().chain(sources.iter().map(|source| &source.id)).for_each(|name| held::hold(before, name, known));
        Ok(known_before)
    })?)
}

/// What is done once a source's structure is stored: what its tables are made from is read, and masks follow columns to their names
/// of now, before any value of a new table is looked at, let alone shown.
fn on_structure(project: &Project, source: &SourceConfig, told: &Told, before: &Arc<Catalog>) -> OnStructure {
    let (path, source, told, before) = (project.lineage_path(), source.clone(), told.clone(), Arc::clone(before));
    OnStructure::new(move |store| {
        let now = store.catalog()?;
        let read = of_source(&now, &source, &told)?;
        let renamed = held::renamed(&before, &now, &source.id);
        lineage::update(&path, |known| {
            take_over(read, &source.id, known).hold(renamed);
            Ok(())
        })?;
        Ok(())
    })
}

/// What views, scripts and models say of where a source's data comes from.
fn of_source(catalog: &Catalog, source: &SourceConfig, told: &Told) -> Result<Lineage, LineageError> {
    let mut lineage = lineage::of_views(catalog, &source.id);
    for folder in &source.scripts {
        lineage.extend(lineage::of_scripts(folder, catalog, &source.id)?);
    }
    for project in &told.projects.all {
        lineage.extend_with_models(lineage::of_dbt(project, catalog, &source.id));
    }
    Ok(lineage)
}

/// Puts what was read of a source in the place of what was known, but for what stays.
fn take_over<'k>(mut read: Lineage, source: &str, known: &'k mut BTreeMap<String, Lineage>) -> &'k mut Lineage {
    let known = known.entry(source.to_owned()).or_default();
    read.keep_outcomes(known);
    read.held = std::mem::take(&mut known.held);
    *known = read;
    known
}

/// Reads where the data of these sources comes from, in the place of what was known.
fn read_lineage(
    project: &Project,
    sources: &[SourceConfig],
    told: &[Told],
    catalog: &Catalog,
    done: &mut [IndexedSource],
) -> anyhow::Result<()> {
    for ((source, told), done) in sources.iter().zip(told).zip(done) {
        let read = of_source(catalog, source, told)?;
        done.lineage = LineageRead {
            places: read.places.iter().filter(|place| place.holder != Holder::DbtNotes).count(),
            tables: read.tables.len(),
            columns: read.columns.len(),
            gaps: read.gaps.len(),
        };
        lineage::update(&project.lineage_path(), |known| {
            take_over(read, &source.id, known);
            // Of a source that is in the configuration no more, only masks stay: it may come back.
            for (name, of_source) in known {
                if project.config.sources.iter().all(|source| source.id != *name) {
                    *of_source = Lineage { held: std::mem::take(&mut of_source.held), ..Lineage::default() };
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Lets go of masks that needn't be held, and says what became of the others.
fn settle(
    project: &Project,
    sources: &[SourceConfig],
    store: &Store,
    before: &BTreeMap<String, Lineage>,
) -> anyhow::Result<Settled> {
    let rules: Arc<dyn MaskRules> = Arc::new(project.rules_without_held()?);
    let now = store.catalog_read_by(&rules, None)?;
    let nothing = Lineage::default();
    Ok(lineage::update(&project.lineage_path(), |known| {
        let mut all = Settled::default();
        for source in sources {
            let before = before.get(&source.id).unwrap_or(&nothing);
            if let Some(lineage) = known.get_mut(&source.id) {
                let Settled { kept, opened } = held::settle(&now, rules.as_ref(), before, lineage);
                all.kept.extend(kept);
                all.opened.extend(opened);
            }
        }
        Ok(all)
    })?)
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
