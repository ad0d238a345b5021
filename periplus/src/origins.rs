//! Where the data of sources comes from: read before and after an index run looks at their values, with the masks that stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{Catalog, Entry, MaskRules, Store};
use lineage::{Holder, Lineage, LineageError};
use profile::OnStructure;
use serde::Serialize;

use crate::config::SourceConfig;
use crate::held::{self, Settled};
use crate::project::Project;
use crate::told::Told;

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

/// Holds all masks of these sources, before anything changes; what was known of lineage until now. Where nothing is known of a source
/// whose texts say what its tables are made from, they are read again: its file was lost.
pub(crate) fn begin(
    project: &Project,
    sources: &[SourceConfig],
    before: &Catalog,
) -> anyhow::Result<BTreeMap<String, Lineage>> {
    let lost = |known: &BTreeMap<String, Lineage>| -> Vec<&SourceConfig> {
        let others = project.config.sources.iter().filter(|source| sources.iter().all(|own| own.id != source.id));
        let is_lost = |source: &&SourceConfig| known.get(&source.id).is_none_or(|known| known.places.is_empty());
        others.filter(|source| source.has_texts()).filter(is_lost).collect()
    };
    Ok(lineage::update(&project.lineage_path(), |known| {
        for source in lost(known) {
            let read = of_source(before, source, &Told::of(source)?)?;
            take_over(read, &source.id, known);
        }
        let known_before = known.clone();
        let is_configured = |name: &String| project.config.sources.iter().any(|source| source.id == *name);
        let left: Vec<String> = known.keys().filter(|name| !is_configured(name)).cloned().collect();
        left.iter().chain(sources.iter().map(|source| &source.id)).for_each(|name| held::hold(before, name, known));
        Ok(known_before)
    })?)
}

/// What is done once a source's structure is known, before it is stored: what its tables are made from is read, and masks follow
/// columns to their names of now, so that nothing is shown that they close.
pub(crate) fn on_structure(
    project: &Project,
    source: &SourceConfig,
    told: &Told,
    before: &Arc<Catalog>,
) -> OnStructure {
    let (path, configured, told, before) = (project.lineage_path(), source.clone(), told.clone(), Arc::clone(before));
    OnStructure::new(move |source, tables| {
        let entries = tables.iter().cloned().map(Entry::bare).collect();
        let now = Catalog::new(vec![source.clone()], entries, Vec::new(), 0);
        let read = of_source(&now, &configured, &told)?;
        let renamed = held::renamed(&before, tables, &configured.id);
        lineage::update(&path, |known| {
            take_over(read, &configured.id, known).keep_held(renamed);
            Ok(())
        })?;
        Ok(())
    })
}

/// What views, scripts and models say of where a source's data comes from.
pub(crate) fn of_source(catalog: &Catalog, source: &SourceConfig, told: &Told) -> Result<Lineage, LineageError> {
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

/// Reads where a source's data comes from, in the place of what was known.
pub(crate) fn read(
    project: &Project,
    source: &SourceConfig,
    told: &Told,
    catalog: &Catalog,
) -> anyhow::Result<LineageRead> {
    let read = of_source(catalog, source, told)?;
    let found = LineageRead {
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
    Ok(found)
}

/// Lets go of masks that needn't be held, and says what became of the others.
pub(crate) fn settle(
    project: &Project,
    sources: &[SourceConfig],
    store: &Store,
    before: &BTreeMap<String, Lineage>,
    is_full: bool,
) -> anyhow::Result<Settled> {
    let rules: Arc<dyn MaskRules> = Arc::new(project.rules_without_held()?);
    let now = store.catalog_read_by(&rules, None)?;
    let nothing = Lineage::default();
    Ok(lineage::update(&project.lineage_path(), |known| {
        let mut all = Settled::default();
        for source in sources {
            let before = before.get(&source.id).unwrap_or(&nothing);
            if let Some(lineage) = known.get_mut(&source.id) {
                let Settled { kept, opened } = held::settle(&now, before, lineage, is_full);
                all.kept.extend(kept);
                all.opened.extend(opened);
            }
        }
        Ok(all)
    })?)
}
