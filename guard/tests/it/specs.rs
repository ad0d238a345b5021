//! Every file below `specs/` is a set of statements with one expectation.
//!
//! The first lines say what is expected, each `-- key: value`: `expect` is `allow` (accepted, without a warning),
//! `hint(code)` or `warn(code)` (accepted, with that and nothing worse) or `deny(code)`; `suggests` and `rewrite` say what
//! the finding offers; `dialect`, `policy` and `rows` (of a table: `orders 2500`) set the scene. Statements are separated
//! by a line `--§`.

use std::collections::BTreeSet;
use std::path::Path;

use catalog::{Catalog, Dialect, Exactness, RowCount};
use guard::{Finding, Policy, PolicyConfig, Severity, Verdict};

use crate::fixture::{Fixture, specs, usage};

#[test]
fn statements_are_judged_as_their_files_say() {
    let fixture = Fixture::new();
    let mut failures = Vec::new();
    let mut judged = 0;
    for folder in sorted(&specs()).filter(|path| path.is_dir()) {
        for file in sorted(&folder) {
            let text = std::fs::read_to_string(&file).unwrap();
            let spec = Spec::of(&text);
            let catalogs = [fixture.catalog(&spec.dialect), fixture.reworded_catalog(&spec.dialect)];
            let [catalog, reworded] = catalogs.map(|catalog| spec.with_rows(catalog));
            for statement in &spec.statements {
                judged += 1;
                let verdict = guard::check(statement, &catalog, "spec", &spec.policy, None);
                // Sentences are for people: other words in the catalog change no verdict.
                let other = guard::check(statement, &reworded, "spec", &spec.policy, None);
                assert_eq!(codes(&verdict), codes(&other), "{statement}");
                if let Some(failure) = spec.failure(&verdict) {
                    let shown: String = statement.chars().take(200).collect();
                    let name = file.strip_prefix(specs()).unwrap().display().to_string();
                    failures.push(format!("{name}: {shown}\n    {failure}"));
                }
            }
        }
    }
    assert!(judged > 300, "only {judged} statements were found");
    assert!(failures.is_empty(), "{} of {judged}:\n{}", failures.len(), failures.join("\n"));
}

fn codes(verdict: &Verdict) -> Vec<(Severity, &str)> {
    verdict.findings.iter().map(|finding| (finding.severity, finding.code)).collect()
}

#[test]
fn every_rule_has_specs_that_let_through_and_specs_that_do_not() {
    for folder in sorted(&specs()).filter(|path| path.is_dir()) {
        let names: Vec<String> =
            sorted(&folder).map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
        assert!(names.iter().any(|name| name.starts_with("allow_")), "{} has no allow_*", folder.display());
        let finds = |name: &String| ["deny_", "warn_", "hint_"].iter().any(|start| name.starts_with(start));
        assert!(names.iter().any(finds), "{} has no deny_*, warn_* or hint_*", folder.display());
    }
}

struct Spec {
    expect: String,
    suggests: Option<String>,
    rewrite: Option<String>,
    dialect: Dialect,
    policy: Policy,
    /// Tables with numbers of rows.
    rows: Vec<(String, u64)>,
    statements: Vec<String>,
}

impl Spec {
    fn of(text: &str) -> Self {
        let mut spec = Self {
            expect: String::new(),
            suggests: None,
            rewrite: None,
            dialect: Dialect::Sqlite,
            policy: Policy::default(),
            rows: Vec::new(),
            statements: Vec::new(),
        };
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            let Some((key, value)) = line.strip_prefix("-- ").and_then(|line| line.split_once(": ")) else { break };
            let value = value.to_owned();
            match key {
                "expect" => spec.expect = value,
                "suggests" => spec.suggests = Some(value),
                "rewrite" => spec.rewrite = Some(value),
                "dialect" => spec.dialect = Dialect::from_name(&value),
                "policy" => spec.policy = policy(&value),
                "rows" => {
                    let (table, rows) = value.split_once(' ').unwrap();
                    spec.rows.push((table.to_owned(), rows.parse().unwrap()));
                }
                _ => break,
            }
            rest = after;
        }
        let statements = rest.split("\n--§\n").map(|part| part.strip_suffix('\n').unwrap_or(part).to_owned());
        spec.statements = statements.collect();
        spec
    }

    /// The catalog with the numbers of rows that the spec says.
    fn with_rows(&self, catalog: Catalog) -> Catalog {
        let mut entries = catalog.entries().to_vec();
        for (table, rows) in &self.rows {
            let entry = entries.iter_mut().find(|entry| entry.table.id.name == *table).unwrap();
            entry.table_mut().row_count = Some(RowCount { value: *rows, exactness: Exactness::Exact });
        }
        Catalog::new(catalog.sources().to_vec(), entries, Vec::new(), 1).with_usage(usage("spec"))
    }

    /// What is not as expected.
    fn failure(&self, verdict: &Verdict) -> Option<String> {
        let found = || {
            let found = verdict.findings.iter();
            found
                .map(|it| format!("{:?} {}: {} {:?}", it.severity, it.code, it.message, it.suggestions))
                .collect::<Vec<_>>()
        };
        let worst = verdict.findings.first().map(|finding| finding.severity);
        if self.expect == "allow" {
            let clean = verdict.is_accepted() && worst.is_none_or(|worst| worst == Severity::Hint);
            return (!clean).then(|| format!("should be allowed, found {:?}", found()));
        }
        let (word, code) = self.expect.trim_end_matches(')').split_once('(').unwrap();
        let severity = match word {
            "deny" => Severity::Error,
            "warn" => Severity::Warning,
            "hint" => Severity::Hint,
            other => panic!("`{other}` is nothing to expect"),
        };
        let right: Vec<&Finding> =
            verdict.findings.iter().filter(|it| it.code == code && it.severity == severity).collect();
        if right.is_empty() || worst != Some(severity) {
            return Some(format!("should be {}, found {:?}", self.expect, found()));
        }
        if let Some(suggested) = &self.suggests
            && !right.iter().any(|finding| finding.suggestions.first() == Some(suggested))
        {
            return Some(format!("should suggest `{suggested}` first, found {:?}", found()));
        }
        if let Some(rewrite) = &self.rewrite
            && !right.iter().any(|finding| finding.rewrite.as_ref() == Some(rewrite))
        {
            let rewrites: Vec<_> = right.iter().map(|finding| &finding.rewrite).collect();
            return Some(format!("should be rewritten to `{rewrite}`, found {rewrites:?}"));
        }
        None
    }
}

/// `key name name …`.
fn policy(text: &str) -> Policy {
    let mut words = text.split_whitespace().map(str::to_owned);
    let key = words.next().unwrap();
    let values: Vec<String> = words.collect();
    let mut config = PolicyConfig::default();
    match key.as_str() {
        "allow_functions" => config.allow_functions = values,
        "deny_functions" => config.deny_functions = values,
        "deny_tables" => config.deny_tables = values,
        "deny_columns" => config.deny_columns = values,
        "masked_use" => config.masked_use = level(&values),
        "unprofiled" => config.unprofiled = level(&values),
        other => panic!("`{other}` is no policy"),
    }
    Policy::new(config).unwrap()
}

/// The level that the one word names.
fn level<T: serde::de::DeserializeOwned>(values: &[String]) -> T {
    serde_json::from_value(values[0].clone().into()).unwrap()
}

fn sorted(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter()
}

/// Statements of all specs, for tests that need many.
pub(crate) fn all_statements() -> Vec<String> {
    all_specs().flat_map(|spec| spec.statements).collect()
}

/// Those of them that are for one dialect.
pub(crate) fn statements_of(dialect: &Dialect) -> Vec<String> {
    all_specs().filter(|spec| spec.dialect == *dialect).flat_map(|spec| spec.statements).collect()
}

/// Those that are accepted, with a warning or without.
pub(crate) fn accepted_statements_of(dialect: &Dialect) -> Vec<String> {
    let accepted = |spec: &Spec| spec.dialect == *dialect && !spec.expect.starts_with("deny");
    all_specs().filter(accepted).flat_map(|spec| spec.statements).collect()
}

/// The codes of everything that is found in the specs' statements, expected or beside what is.
pub(crate) fn codes_found() -> BTreeSet<&'static str> {
    let fixture = Fixture::new();
    let mut codes = BTreeSet::new();
    for spec in all_specs() {
        let catalog = fixture.catalog(&spec.dialect);
        for statement in &spec.statements {
            let verdict = guard::check(statement, &catalog, "spec", &spec.policy, None);
            codes.extend(verdict.findings.iter().map(|finding| finding.code));
        }
    }
    codes
}

/// Statements that one rule refuses, of one file.
pub(crate) struct Denied {
    /// `effects/deny_locks`.
    pub(crate) class: String,
    pub(crate) dialect: Dialect,
    pub(crate) statements: Vec<String>,
}

/// What the files of a rule say has to be refused.
pub(crate) fn denied_by(rule: &str) -> Vec<Denied> {
    let folder = specs().join(rule);
    let files = sorted(&folder).filter_map(|file| {
        let name = file.file_stem()?.to_str()?.to_owned();
        let spec = Spec::of(&std::fs::read_to_string(&file).unwrap());
        let class = format!("{rule}/{name}");
        name.starts_with("deny_").then_some(Denied { class, dialect: spec.dialect, statements: spec.statements })
    });
    files.collect()
}

fn all_specs() -> impl Iterator<Item = Spec> {
    let folders = sorted(&specs()).filter(|path| path.is_dir()).collect::<Vec<_>>();
    let files: Vec<_> = folders.iter().flat_map(|folder| sorted(folder)).collect();
    files.into_iter().map(|file| Spec::of(&std::fs::read_to_string(file).unwrap()))
}
