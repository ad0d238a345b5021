//! Statements that are known to be wrong in one way, or right: what one rule finds among them.
//!
//! A pack may have a folder `statements` with `RULE_wrong.sql` and `RULE_right.sql`; statements are separated by a line
//! `--§`, and begin with lines `-- key: value`. `right` names the value that should be suggested, where there is one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use catalog::Catalog;
use connect::Connector;
use guard::{Policy, Severity};
use serde::Serialize;

use super::SEPARATOR;

/// What a rule finds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Labelled {
    /// Statements that are wrong.
    pub wrong: usize,
    /// Of these, found by the rule.
    pub found: usize,
    /// Of these, with the right value among the suggestions, or without a value to suggest.
    pub suggested: usize,
    /// Statements that are right.
    pub right: usize,
    /// Of these, the rule warns.
    pub warned: usize,
    /// Wrong ones that weren't found, or without the right value, and right ones that are warned of.
    pub misjudged: Vec<String>,
}

/// Judges the statements of a pack's folder, by rule.
pub(super) async fn labelled(
    pack: &Path,
    catalog: &Catalog,
    connector: &dyn Connector,
) -> Result<BTreeMap<String, Labelled>> {
    let mut reports: BTreeMap<String, Labelled> = BTreeMap::new();
    let folder = pack.join("statements");
    if !folder.is_dir() {
        return Ok(reports);
    }
    let mut files: Vec<_> =
        fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some((rule, kind)) = name.rsplit_once('_') else { continue };
        let report = reports.entry(rule.to_owned()).or_default();
        let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        for part in text.split(SEPARATOR) {
            let (labels, sql) = labels(part);
            let verdict = guard::verify(sql, catalog, connector, &Policy::default()).await?;
            let found: Vec<_> = verdict.findings.iter().filter(|finding| finding.rule.as_str() == rule).collect();
            if kind == "right" {
                report.right += 1;
                let warned = found.iter().any(|finding| finding.severity > Severity::Hint);
                report.warned += usize::from(warned);
                report.misjudged.extend(warned.then(|| format!("warned of: {sql}")));
                continue;
            }
            let wanted = labels.get("right").filter(|value| !value.is_empty());
            let mut suggestions = found.iter().flat_map(|finding| &finding.suggestions);
            let is_suggested = wanted.is_none_or(|wanted| suggestions.any(|suggestion| suggestion == wanted));
            report.wrong += 1;
            report.found += usize::from(!found.is_empty());
            report.suggested += usize::from(!found.is_empty() && is_suggested);
            report.misjudged.extend((found.is_empty() || !is_suggested).then(|| format!("missed: {sql}")));
        }
    }
    Ok(reports)
}

/// The lines `-- key: value` in front, and the statement.
fn labels(part: &str) -> (BTreeMap<&str, &str>, &str) {
    let mut rest = part.trim();
    let mut labels = BTreeMap::new();
    while let Some((line, after)) = rest.split_once('\n') {
        let Some((key, value)) = line.strip_prefix("-- ").and_then(|line| line.split_once(':')) else { break };
        labels.insert(key, value.trim().trim_matches('\''));
        rest = after;
    }
    (labels, rest)
}
