//! Somebody's own statements, held against the engine that they are for.
//!
//! Whoever has statements that are known to run, such as those of a report or of a log, learns from them what the guard
//! would refuse, and from the same statements with a name made wrong what it would let through. Nothing runs: the engine
//! compiles.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use catalog::Catalog;
use connect::Connector;
use guard::{Policy, Verdict};
use serde::Serialize;

use super::damage::{Agreement, damaged, rejects};
use super::spread;

/// What came of a file of statements.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StatementsReport {
    /// Statements in the file.
    pub statements: usize,
    /// Those that the guard and the engine accept.
    pub accepted: usize,
    /// Those that the guard refuses and the engine accepts, with the reasons.
    pub refused: Vec<String>,
    /// Those that the engine rejects.
    pub rejected: Vec<String>,
    /// The accepted ones with a name made wrong, by the way it was made.
    pub agreement: BTreeMap<String, Agreement>,
    /// Microseconds for a check of a statement: median, 99th percentile, largest.
    pub microseconds: (u128, u128, u128),
}

/// Judges the statements in `file`, of which each ends with a semicolon at the end of a line and may have a line
/// `-- name` in front, by the guard and by the engine of `connector`.
///
/// # Errors
/// Where a file can't be read or written, holds no statement, or the engine can't be asked.
pub async fn run_statements(
    file: &Path,
    catalog: &Catalog,
    connector: &dyn Connector,
    policy: &Policy,
    out: &Path,
) -> Result<StatementsReport> {
    let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let source = connector.source().name.clone();
    let mut report = StatementsReport::default();
    let mut durations = Vec::new();
    for (id, sql) in statements(&text) {
        report.statements += 1;
        let begun = Instant::now();
        let verdict = guard::check(&sql, catalog, &source, policy, None);
        durations.push(begun.elapsed().as_micros());
        if rejects(connector, &sql).await? {
            report.rejected.push(format!("{id} {sql}"));
            continue;
        }
        if !verdict.is_accepted() {
            report.refused.push(format!("{id} {sql} [{}]", why(&verdict)));
            continue;
        }
        report.accepted += 1;
        for damaged in damaged(&id, &sql, &verdict, catalog, &source) {
            let judged = guard::check(&damaged.sql, catalog, &source, policy, None);
            let rejected = rejects(connector, &damaged.sql).await?;
            let agreement = report.agreement.entry(damaged.way.to_owned()).or_default();
            agreement.judged(&id, &sql, &damaged, &judged, rejected);
        }
    }
    if report.statements == 0 {
        bail!("{} holds no statement", file.display());
    }
    report.microseconds = spread(durations);
    fs::write(out, serde_json::to_string_pretty(&report)?).with_context(|| format!("writing {}", out.display()))?;
    Ok(report)
}

fn why(verdict: &Verdict) -> String {
    let reasons: Vec<String> =
        verdict.errors().map(|finding| format!("{}: {}", finding.code, finding.message)).collect();
    reasons.join("; ")
}

/// The statements of a text with their names, which are their numbers where they have none.
fn statements(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut name, mut lines) = (None, Vec::new());
    for line in text.lines() {
        if lines.is_empty()
            && let Some(comment) = line.trim().strip_prefix("--")
        {
            name = Some(comment.trim().to_owned());
            continue;
        }
        if lines.is_empty() && line.trim().is_empty() {
            continue;
        }
        let end = line.trim_end().strip_suffix(';');
        lines.push(end.unwrap_or(line));
        if end.is_some() {
            let name = name.take().unwrap_or_else(|| (found.len() + 1).to_string());
            found.push((name, std::mem::take(&mut lines).join("\n")));
        }
    }
    if lines.iter().any(|line| !line.trim().is_empty()) {
        found.push((name.unwrap_or_else(|| (found.len() + 1).to_string()), lines.join("\n")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::statements;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = statements(text);
        let found: Vec<(&str, &str)> = found.iter().map(|(name, sql)| (name.as_str(), sql.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn statements_end_at_semicolons_that_end_a_line() {
        check("", &[]);
        check("SELECT 1", &[("1", "SELECT 1")]);
        check("-- a\nSELECT ';' ,\n 2;\n\n-- b\nSELECT 3;", &[("a", "SELECT ';' ,\n 2"), ("b", "SELECT 3")]);
        check("SELECT 1;\n-- said of none\n", &[("1", "SELECT 1")]);
        check("SELECT 1 -- one\n-- two\n;", &[("1", "SELECT 1 -- one\n-- two\n")]);
    }
}
