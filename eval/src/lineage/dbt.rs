//! On dbt projects: the tables that a model's SQL reads beside those that the manifest says it depends on, and the columns
//! of its result beside those that the catalog says it has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lineage::{DbtNode, DbtProject, catalog_of_dbt};
use serde::Serialize;
use sql::{CatalogSchema, script_lineage};

use super::SOURCE;

/// What came of one project or of several.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DbtReport {
    /// Manifests.
    pub projects: usize,
    /// Models.
    pub models: usize,
    /// Those that the manifest has the SQL of, as it was run.
    pub compiled: usize,
    /// Compiled models whose SQL reads exactly what the manifest says.
    pub tables_right: usize,
    /// Compiled models that the catalog has columns of.
    pub with_columns: usize,
    /// Those whose SQL has exactly these columns.
    pub columns_right: usize,
    /// Columns of results that have sources, of all.
    pub columns_with_sources: (usize, usize),
    /// Reading the SQL, in milliseconds.
    pub milliseconds: u128,
}

/// A model that isn't right.
#[derive(Serialize)]
struct Wrong<'a> {
    project: String,
    model: &'a str,
    missing_tables: BTreeSet<String>,
    extra_tables: BTreeSet<String>,
    missing_columns: BTreeSet<String>,
    extra_columns: BTreeSet<String>,
    problems: Vec<String>,
}

/// Judges the models of every project below these folders; one line of JSON for each that isn't right goes to `out`.
///
/// # Errors
/// Where an artifact can't be read, or the file can't be written.
pub fn run_dbt(folder: &Path, out: &Path) -> Result<DbtReport> {
    let mut report = DbtReport::default();
    let mut lines = String::new();
    for folder in project_folders(folder)? {
        let project = DbtProject::read(&folder).with_context(|| format!("reading {}", folder.display()))?;
        report.projects += 1;
        judge(&project, &folder.display().to_string(), &mut report, &mut lines)?;
    }
    fs::write(out, lines).with_context(|| format!("writing {}", out.display()))?;
    Ok(report)
}

/// The folder itself, where it is a project, or else those in it that are.
fn project_folders(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    if DbtProject::read(folder).is_ok() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut folders: Vec<_> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()?;
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    Ok(folders)
}

fn judge(project: &DbtProject, name: &str, report: &mut DbtReport, lines: &mut String) -> Result<()> {
    let catalog = catalog_of_dbt(project, SOURCE, |_| true);
    let schema = CatalogSchema::new(&catalog, SOURCE);
    let mut time = Duration::ZERO;
    let is_model = |node: &&DbtNode| node.kind == lineage::DbtKind::Model;
    for node in project.nodes.values().filter(is_model) {
        report.models += 1;
        let Some(compiled) = &node.compiled else { continue };
        report.compiled += 1;
        let start = Instant::now();
        let statements = script_lineage(compiled, &project.dialect, &schema, SOURCE);
        time += start.elapsed();
        let made = statements.iter().flat_map(|statement| &statement.made).next_back();
        let read: BTreeSet<String> = statements
            .iter()
            .flat_map(|statement| &statement.reads)
            .map(|table| table.local().to_lowercase())
            .collect();
        let depends = project.made_from(node);
        let depends = depends.into_iter().map(|id| project.nodes[id].relation.join(".").to_lowercase());
        let depends: BTreeSet<String> = depends.collect();
        let lower = |name: &String| name.to_lowercase();
        let columns: BTreeSet<String> = node.columns.iter().map(lower).collect();
        let results = || made.into_iter().flat_map(|made| &made.columns);
        let named: BTreeSet<String> = results().map(|it| it.name.as_ref().map_or("?".to_owned(), lower)).collect();
        report.columns_with_sources.0 += results().filter(|column| !column.sources.is_empty()).count();
        report.columns_with_sources.1 += results().count();
        report.tables_right += usize::from(read == depends);
        report.with_columns += usize::from(!columns.is_empty());
        let columns_right = columns.is_empty() || named == columns;
        report.columns_right += usize::from(!columns.is_empty() && columns_right);
        if read != depends || !columns_right {
            let difference =
                |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect();
            let told = if columns.is_empty() { &named } else { &columns };
            lines.push_str(&serde_json::to_string(&Wrong {
                project: name.to_owned(),
                model: &node.id,
                missing_tables: difference(&depends, &read),
                extra_tables: difference(&read, &depends),
                missing_columns: difference(told, &named),
                extra_columns: difference(&named, told),
                problems: statements.iter().filter_map(|statement| statement.problem.clone()).collect(),
            })?);
            lines.push('\n');
        }
    }
    report.milliseconds += time.as_millis();
    Ok(())
}
