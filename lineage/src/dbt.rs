//! A dbt project, as far as its artifacts tell of it: `manifest.json` of versions 4 to 12 and Fusion's, `catalog.json`,
//! `run_results.json` and `sources.json`.
//!
//! Artifacts are other people's files: fields that aren't known are passed over, and `null` is as good as nothing.
//! Source: the schemas at <https://schemas.getdbt.com>.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use dialect::Dialect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::LineageError;

mod labels;
mod manifest;
mod metrics;
mod results;

use manifest::{RawCatalog, RawManifest};
pub use metrics::{DbtComputed, DbtMetric};
pub use results::{Freshness, TestOutcome, TestStatus};
use results::{RawRunResults, RawSources};

/// Larger files, in bytes, are not read.
const MAXIMUM_BYTES: u64 = 1 << 30;
/// Where dbt puts its artifacts, and where published documentation has them.
const FOLDERS: [&str; 3] = ["target", "", "docs"];
/// What is read of it.
const ARTIFACTS: [&str; 4] = ["manifest.json", "catalog.json", "run_results.json", "sources.json"];

/// What the artifacts of a project say.
#[derive(Clone, Debug, PartialEq)]
pub struct DbtProject {
    /// The manifest.
    pub manifest: PathBuf,
    /// Its version: `https://schemas.getdbt.com/dbt/manifest/v12.json`.
    pub version: String,
    /// The project's name, where it is told.
    pub name: Option<String>,
    /// What the SQL is written in.
    pub dialect: Dialect,
    /// When the manifest was made, as it says.
    pub generated_at: Option<String>,
    /// Models, seeds, snapshots, tests whose failures are kept, and sources, by their ids.
    pub nodes: BTreeMap<String, DbtNode>,
    /// Tests.
    pub tests: Vec<DbtTest>,
    /// What came of tests when they last ran, by their ids.
    pub outcomes: BTreeMap<String, TestOutcome>,
    /// Who reads what: dashboards and the like.
    pub exposures: Vec<DbtExposure>,
    /// Metrics.
    pub metrics: Vec<DbtMetric>,
}

/// A model, seed, snapshot or source.
#[derive(Clone, Debug, PartialEq)]
pub struct DbtNode {
    /// `model.shop.orders`.
    pub id: String,
    /// What it is.
    pub kind: DbtKind,
    /// The parts of the name of its relation, outermost first; empty where it has none, as a model has that is only part of
    /// others.
    pub relation: Vec<String>,
    /// The SQL that makes it, as it was run.
    pub compiled: Option<String>,
    /// The file in the project.
    pub path: String,
    /// What people say of it.
    pub description: String,
    /// Its columns that somebody has described, in the order of the file.
    pub described: Vec<DbtColumn>,
    /// Its columns in the database, in order, as the catalog has them; empty where there is none.
    pub columns: Vec<String>,
    /// The ids of what it is made from.
    pub depends_on: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// What else people say of it, under names of their own: `owner`, `team`. Only what is one value.
    pub meta: Vec<(String, String)>,
    /// The column, or an expression, by which a source's newest row is found.
    pub loaded_at_field: Option<String>,
    /// How fresh it was, of a source, when that was last looked at.
    pub freshness: Option<Freshness>,
}

impl DbtNode {
    /// Its relation as `schema.name` in lower case; nothing where it has none.
    fn short_name(&self) -> String {
        self.relation[self.relation.len().saturating_sub(2)..].join(".").to_lowercase()
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbtKind {
    /// Made by SQL.
    Model,
    /// A file of values.
    Seed,
    /// States of rows over time.
    Snapshot,
    /// Rows that fail a test, kept.
    Test,
    /// Made by somebody else.
    Source,
}

/// A column that a project says something of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtColumn {
    /// Its name.
    pub name: String,
    /// What people say of it.
    pub description: String,
    /// The tag, or the key of `meta`, that says that it is personal data.
    pub personal_by: Option<String>,
}

/// A test of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtTest {
    /// Its own id.
    pub id: String,
    /// The id of the node that is tested.
    pub node: String,
    /// The column, where it is one's.
    pub column: Option<String>,
    /// What is tested.
    pub kind: DbtTestKind,
}

/// What is tested. The first four are those that dbt has built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DbtTestKind {
    /// No value stands twice.
    Unique,
    /// There is a value in each row.
    NotNull,
    /// There are no others.
    AcceptedValues(Vec<String>),
    /// Each is one of a column of another node, whose id it is.
    Relationship {
        /// The other node.
        node: String,
        /// Its column.
        column: String,
    },
    /// Something else, under its name: of a package, or of the project.
    Other(String),
}

impl DbtTestKind {
    /// As dbt calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Unique => "unique",
            Self::NotNull => "not_null",
            Self::AcceptedValues(_) => "accepted_values",
            Self::Relationship { .. } => "relationships",
            Self::Other(name) => name,
        }
    }
}

/// Somebody who reads nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtExposure {
    /// Its name.
    pub name: String,
    /// `dashboard`, `notebook` …
    pub kind: String,
    /// The ids of what it reads.
    pub depends_on: Vec<String>,
}

impl DbtProject {
    /// Reads the artifacts in a folder: a project, its `target`, or published documentation.
    ///
    /// # Errors
    /// Where there is no manifest, or an artifact can't be read. Other artifacts that aren't there say nothing.
    pub fn read(folder: &Path) -> Result<Self, LineageError> {
        let candidates = FOLDERS.iter().map(|inner| folder.join(inner).join("manifest.json"));
        let Some(manifest) = candidates.into_iter().find(|path| path.is_file()) else {
            return Err(LineageError::NoManifest { folder: folder.to_owned() });
        };
        let raw: RawManifest = read_json(&manifest)?;
        let catalog: RawCatalog = read_if_there(&manifest.with_file_name("catalog.json"))?;
        let results: RawRunResults = read_if_there(&manifest.with_file_name("run_results.json"))?;
        let sources: RawSources = read_if_there(&manifest.with_file_name("sources.json"))?;
        let mut project = raw.project(manifest, catalog);
        project.outcomes = results.outcomes();
        for (id, freshness) in sources.freshness() {
            if let Some(node) = project.nodes.get_mut(&id) {
                node.freshness = Some(freshness);
            }
        }
        Ok(project)
    }

    /// The files that a project in this folder can be read from.
    pub fn artifacts(folder: &Path) -> impl Iterator<Item = PathBuf> {
        FOLDERS.iter().flat_map(move |inner| ARTIFACTS.iter().map(move |file| folder.join(inner).join(file)))
    }

    /// What came of a test when it last ran.
    pub fn outcome(&self, test: &DbtTest) -> Option<&TestOutcome> {
        self.outcomes.get(&test.id)
    }

    /// For each relation, all relations that it is made from, over any number of models. Both as `schema.name` in lower case.
    pub fn ancestors(&self) -> HashMap<String, HashSet<String>> {
        let name = DbtNode::short_name;
        let mut ancestors: HashMap<String, HashSet<String>> = HashMap::new();
        for node in self.nodes.values().filter(|node| !node.relation.is_empty()) {
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            let mut open: Vec<&str> = node.depends_on.iter().map(String::as_str).collect();
            while let Some(id) = open.pop() {
                let Some(from) = self.nodes.get(id).filter(|_| seen.insert(id)) else { continue };
                open.extend(from.depends_on.iter().map(String::as_str));
            }
            let from = seen.iter().filter_map(|id| self.nodes.get(*id)).filter(|from| !from.relation.is_empty());
            ancestors.entry(name(node)).or_default().extend(from.map(name));
        }
        ancestors
    }

    /// The columns that are tested to tell the rows of their relations apart, with those: no value is missing, and none stands
    /// twice, as far as the tests have passed. Both in lower case.
    pub fn tested_keys(&self) -> HashSet<(String, String)> {
        let holds = |test: &DbtTest| self.outcome(test).is_none_or(|outcome| outcome.status == TestStatus::Passed);
        let is_filled = |test: &DbtTest| {
            let is_it = |it: &DbtTest| it.node == test.node && it.column == test.column;
            self.tests.iter().any(|it| is_it(it) && it.kind == DbtTestKind::NotNull && holds(it))
        };
        let unique =
            self.tests.iter().filter(|test| test.kind == DbtTestKind::Unique && holds(test) && is_filled(test));
        let key =
            |test: &DbtTest| Some((self.nodes.get(&test.node)?.short_name(), test.column.as_ref()?.to_lowercase()));
        unique.filter_map(key).collect()
    }

    /// The ids of the nodes with a relation of their own that a node is made from: what has none is part of it.
    pub fn made_from(&self, node: &DbtNode) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = node.depends_on.iter().map(String::as_str).collect();
        while let Some(id) = open.pop() {
            let Some(node) = self.nodes.get(id).filter(|_| seen.insert(id)) else { continue };
            match node.relation.is_empty() {
                true => open.extend(node.depends_on.iter().map(String::as_str)),
                false => drop(found.insert(node.id.as_str())),
            }
        }
        found
    }
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, LineageError> {
    let unreadable = |source| LineageError::File { path: path.to_owned(), source };
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > MAXIMUM_BYTES {
        return Err(LineageError::TooLarge { path: path.to_owned(), bytes: size, limit: MAXIMUM_BYTES });
    }
    let text = fs::read(path).map_err(unreadable)?;
    serde_json::from_slice(&text).map_err(|source| LineageError::NotAnArtifact { path: path.to_owned(), source })
}

/// Reads an artifact; one that isn't there says nothing.
fn read_if_there<T: for<'de> Deserialize<'de> + Default>(path: &Path) -> Result<T, LineageError> {
    if path.is_file() { read_json(path) } else { Ok(T::default()) }
}

/// `null` as nothing.
fn or_nothing<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// A value of another form as nothing.
fn if_it_fits<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// The parts of a name that is written with quotes, `"shop"."main"."orders"`. A path of a file in quotes is one part.
fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut open: Option<char> = None;
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let part = parts.last_mut();
        match (open, character) {
            (Some(quote), it) if it == quote && characters.peek() == Some(&quote) => {
                characters.next();
                part.into_iter().for_each(|part| part.push(quote));
            }
            (Some(quote), it) if it == quote => open = None,
            (None, '"' | '`' | '\'') => open = Some(character),
            (None, '[') => open = Some(']'),
            (None, '.') => parts.push(String::new()),
            (_, it) => part.into_iter().for_each(|part| part.push(it)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{DbtKind, DbtProject, DbtTestKind, TestStatus, parts_of};

    #[test]
    fn names_are_taken_apart_as_they_are_quoted() {
        for (name, expected) in [
            (r#""shop"."main"."orders""#, vec!["shop", "main", "orders"]),
            ("`my-project.shop`.`orders`", vec!["my-project.shop", "orders"]),
            ("shop.orders", vec!["shop", "orders"]),
            (r#""a""b"."c.d""#, vec![r#"a"b"#, "c.d"]),
            ("'data/orders.csv'", vec!["data/orders.csv"]),
        ] {
            assert_eq!(parts_of(name), expected, "{name}");
        }
    }

    #[test]
    fn what_isnt_known_or_null_in_an_artifact_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::fs::create_dir(&target).unwrap();
        let manifest = r#"{
            "metadata": {"dbt_schema_version": "v12", "adapter_type": "duckdb", "new_field": {}},
            "nodes": {
                "model.shop.orders": {"resource_type": "model", "relation_name": "\"shop\".\"main\".\"orders\"",
                    "compiled_sql": "select 1 as id", "columns": {"id": {"name": "id", "description": "Its number.", "meta": null}},
                    "depends_on": {"macros": [], "nodes": ["model.shop.prepared"]}, "tags": null, "config": null},
                "model.shop.prepared": {"resource_type": "model", "config": {"materialized": "ephemeral"},
                    "depends_on": {"nodes": ["source.shop.raw.orders"]}},
                "test.shop.not_null_orders_id": {"resource_type": "test", "column_name": "id",
                    "test_metadata": {"name": "not_null", "kwargs": {}}, "depends_on": {"nodes": ["model.shop.orders"]}},
                "model.shop.old": {"resource_type": "model", "config": {"enabled": false}},
                "analysis.shop.once": {"resource_type": "analysis"}
            },
            "sources": {"source.shop.raw.orders": {"database": "shop", "schema": "raw", "identifier": "orders"}},
            "exposures": {"exposure.shop.board": {"name": "board", "type": "dashboard", "depends_on": null}},
            "metrics": null
        }"#;
        std::fs::write(target.join("manifest.json"), manifest).unwrap();
        let catalog =
            r#"{"nodes": {"model.shop.orders": {"columns": {"B": {"index": 2}, "ID": {"index": 1, "name": "ID"}}}}}"#;
        std::fs::write(target.join("catalog.json"), catalog).unwrap();
        let project = DbtProject::read(folder.path()).unwrap();
        assert_eq!(project.nodes.len(), 3);
        let orders = &project.nodes["model.shop.orders"];
        assert_eq!(orders.columns, ["ID", "B"]);
        assert_eq!(orders.compiled.as_deref(), Some("select 1 as id"));
        assert_eq!(orders.described[0].description, "Its number.");
        assert_eq!(project.made_from(orders).into_iter().collect::<Vec<_>>(), ["source.shop.raw.orders"]);
        assert!(project.ancestors()["main.orders"].contains("raw.orders"));
        assert_eq!(project.nodes["source.shop.raw.orders"].kind, DbtKind::Source);
        assert_eq!(project.nodes["source.shop.raw.orders"].relation, ["shop", "raw", "orders"]);
        assert_eq!(project.tests[0].kind, DbtTestKind::NotNull);
        assert_eq!(project.exposures[0].kind, "dashboard");
        std::fs::write(target.join("manifest.json"), "{").unwrap();
        assert!(DbtProject::read(folder.path()).unwrap_err().to_string().contains("manifest.json"));
    }

    #[test]
    fn a_key_is_what_was_tested_and_has_not_failed() {
        let folder = tempfile::tempdir().unwrap();
        let test = |name: &str, node: &str| {
            format!(
                r#""test.a.{name}_{node}": {{"resource_type": "test", "column_name": "id", "attached_node": "model.a.{node}",
                "test_metadata": {{"name": "{name}"}}, "depends_on": {{"nodes": ["model.a.{node}"]}}}}"#
            )
        };
        let model = |node: &str| {
            format!(r#""model.a.{node}": {{"resource_type": "model", "schema": "mart", "name": "{node}"}}"#)
        };
        let kept = [model("orders"), model("people"), model("bills")];
        let tests = ["orders", "people", "bills"].map(|node| [test("unique", node), test("not_null", node)]);
        let nodes = kept.into_iter().chain(tests.into_iter().flatten()).collect::<Vec<_>>().join(",");
        std::fs::write(folder.path().join("manifest.json"), format!(r#"{{"nodes": {{{nodes}}}}}"#)).unwrap();
        let results = r#"{"metadata": {"generated_at": "2026-11-28T06:10:00.5Z"}, "new": 1, "results": [
            {"unique_id": "test.a.unique_orders", "status": "fail", "failures": 3, "timing": []},
            {"unique_id": "test.a.unique_people", "status": "pass", "failures": 0, "timing": [{"name": "execute", "completed_at": "2026-11-28T06:09:00Z"}]},
            {"unique_id": "test.a.not_null_orders", "status": "skipped", "failures": "many", "timing": null},
            {"unique_id": "model.a.people", "status": "success"}, {}]}"#;
        std::fs::write(folder.path().join("run_results.json"), results).unwrap();
        let project = DbtProject::read(folder.path()).unwrap();
        assert_eq!(project.outcomes.len(), 2);
        let failed = &project.outcomes["test.a.unique_orders"];
        assert_eq!((failed.status, failed.failures), (TestStatus::Failed, Some(3)));
        assert_eq!(failed.at.unwrap().to_string(), "2026-11-28T06:10:00.5Z");
        assert_eq!(project.outcomes["test.a.unique_people"].at.unwrap().to_string(), "2026-11-28T06:09:00Z");
        // One that nobody has run says what is meant to be so.
        let key = |table: &str| (format!("mart.{table}"), "id".to_owned());
        assert_eq!(project.tested_keys(), [key("people"), key("bills")].into());
    }
}
