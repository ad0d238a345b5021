//! A dbt project, as far as its artifacts tell of it: `manifest.json` of versions 4 to 12 and Fusion's, and `catalog.json`.
//!
//! Artifacts are other people's files: fields that aren't known are passed over, and `null` is as good as nothing.
//! Source: the schemas at <https://schemas.getdbt.com>.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use dialect::Dialect;
use serde::{Deserialize, Deserializer};

use crate::error::LineageError;

mod metrics;

pub use metrics::{DbtComputed, DbtMetric};
use metrics::{RawMetric, RawSemanticModel};

/// Larger files, in bytes, are not read.
const MAXIMUM_BYTES: u64 = 1 << 30;
/// Where dbt puts its artifacts, and where published documentation has them.
const FOLDERS: [&str; 3] = ["target", "", "docs"];

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
    /// Tests of columns.
    pub tests: Vec<DbtTest>,
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

/// A described column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtColumn {
    /// Its name.
    pub name: String,
    /// What people say of it.
    pub description: String,
}

/// A test of a column, of the four that dbt has built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtTest {
    /// The id of the node that is tested.
    pub node: String,
    /// The column.
    pub column: String,
    /// What is tested.
    pub kind: DbtTestKind,
}

/// What is tested of a column.
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
    /// Where there is no manifest, or one that can't be read. A catalog that isn't there is none.
    pub fn read(folder: &Path) -> Result<Self, LineageError> {
        let candidates = FOLDERS.iter().map(|inner| folder.join(inner).join("manifest.json"));
        let Some(manifest) = candidates.into_iter().find(|path| path.is_file()) else {
            return Err(LineageError::NoManifest { folder: folder.to_owned() });
        };
        let raw: RawManifest = read_json(&manifest)?;
        let catalog = manifest.with_file_name("catalog.json");
        let catalog: RawCatalog = if catalog.is_file() { read_json(&catalog)? } else { RawCatalog::default() };
        Ok(raw.project(manifest, catalog))
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
    /// twice. Both in lower case.
    pub fn tested_keys(&self) -> HashSet<(String, String)> {
        let is_filled = |test: &DbtTest| {
            let is_it = |it: &DbtTest| it.node == test.node && it.column == test.column;
            self.tests.iter().any(|it| is_it(it) && it.kind == DbtTestKind::NotNull)
        };
        let unique = self.tests.iter().filter(|test| test.kind == DbtTestKind::Unique && is_filled(test));
        unique.filter_map(|test| Some((self.nodes.get(&test.node)?.short_name(), test.column.to_lowercase()))).collect()
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

/// `null` as nothing.
fn or_nothing<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawManifest {
    metadata: RawMetadata,
    #[serde(deserialize_with = "or_nothing")]
    nodes: BTreeMap<String, RawNode>,
    #[serde(deserialize_with = "or_nothing")]
    sources: BTreeMap<String, RawNode>,
    #[serde(deserialize_with = "or_nothing")]
    exposures: BTreeMap<String, RawReader>,
    #[serde(deserialize_with = "or_nothing")]
    metrics: BTreeMap<String, RawMetric>,
    #[serde(deserialize_with = "or_nothing")]
    semantic_models: BTreeMap<String, RawSemanticModel>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawMetadata {
    dbt_schema_version: Option<String>,
    project_name: Option<String>,
    adapter_type: Option<String>,
    generated_at: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawNode {
    resource_type: Option<String>,
    database: Option<String>,
    schema: Option<String>,
    alias: Option<String>,
    name: Option<String>,
    identifier: Option<String>,
    relation_name: Option<String>,
    #[serde(alias = "compiled_sql")]
    compiled_code: Option<String>,
    language: Option<String>,
    original_file_path: Option<String>,
    description: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    columns: serde_json::Map<String, serde_json::Value>,
    #[serde(deserialize_with = "or_nothing")]
    depends_on: RawDependencies,
    #[serde(deserialize_with = "or_nothing")]
    tags: Vec<String>,
    #[serde(deserialize_with = "or_nothing")]
    config: RawConfig,
    #[serde(deserialize_with = "or_nothing")]
    test_metadata: RawTest,
    attached_node: Option<String>,
    column_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawConfig {
    materialized: Option<String>,
    enabled: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawDependencies {
    #[serde(deserialize_with = "or_nothing")]
    nodes: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawTest {
    name: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    kwargs: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawReader {
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    depends_on: RawDependencies,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawCatalog {
    #[serde(deserialize_with = "or_nothing")]
    nodes: BTreeMap<String, RawRelation>,
    #[serde(deserialize_with = "or_nothing")]
    sources: BTreeMap<String, RawRelation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawRelation {
    #[serde(deserialize_with = "or_nothing")]
    columns: BTreeMap<String, RawColumn>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawColumn {
    name: Option<String>,
    index: Option<i64>,
}

impl RawManifest {
    fn project(self, manifest: PathBuf, mut catalog: RawCatalog) -> DbtProject {
        let mut nodes = BTreeMap::new();
        let mut tests = Vec::new();
        for (id, raw) in self.nodes.into_iter().chain(self.sources) {
            if raw.config.enabled == Some(false) {
                continue;
            }
            let kind = match raw.resource_type.as_deref().or(id.split('.').next()) {
                Some("model") => DbtKind::Model,
                Some("seed") => DbtKind::Seed,
                Some("snapshot") => DbtKind::Snapshot,
                Some("source") => DbtKind::Source,
                Some("test") => {
                    tests.extend(raw.test());
                    // The rows that fail are kept where it says so.
                    if raw.relation_name.is_none() || raw.compiled_code.is_none() {
                        continue;
                    }
                    DbtKind::Test
                }
                _ => continue,
            };
            let relation = catalog.nodes.remove(&id).or_else(|| catalog.sources.remove(&id)).unwrap_or_default();
            nodes.insert(id.clone(), raw.node(id, kind, relation));
        }
        DbtProject {
            version: self.metadata.dbt_schema_version.unwrap_or_default(),
            name: self.metadata.project_name,
            dialect: Dialect::from_name(self.metadata.adapter_type.as_deref().unwrap_or("generic")),
            generated_at: self.metadata.generated_at,
            nodes,
            tests,
            exposures: self.exposures.into_values().map(RawReader::exposure).collect(),
            metrics: self.metrics.into_values().map(|metric| metric.metric(&self.semantic_models)).collect(),
            manifest,
        }
    }
}

impl RawNode {
    fn node(self, id: String, kind: DbtKind, relation: RawRelation) -> DbtNode {
        let is_part_of_others = self.config.materialized.as_deref() == Some("ephemeral");
        let name = self.identifier.clone().or_else(|| self.alias.clone()).or_else(|| self.name.clone());
        let parts: Vec<String> = match &self.relation_name {
            _ if is_part_of_others => Vec::new(),
            Some(relation) => parts_of(relation),
            None => [self.database.clone(), self.schema.clone(), name].into_iter().flatten().collect(),
        };
        let mut columns: Vec<(i64, String)> = relation
            .columns
            .into_iter()
            .map(|(key, column)| (column.index.unwrap_or(i64::MAX), column.name.unwrap_or(key)))
            .collect();
        columns.sort();
        let text = |value: &serde_json::Value, field: &str| {
            value.get(field).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        let described = self.columns.iter().map(|(key, value)| {
            let name = text(value, "name");
            let name = if name.is_empty() { key.clone() } else { name };
            DbtColumn { name, description: text(value, "description") }
        });
        DbtNode {
            described: described.collect(),
            id,
            kind,
            relation: parts,
            compiled: self.compiled_code.filter(|_| self.language.as_deref().is_none_or(|language| language == "sql")),
            path: self.original_file_path.unwrap_or_default(),
            description: self.description.unwrap_or_default(),
            columns: columns.into_iter().map(|(_, name)| name).collect(),
            depends_on: self.depends_on.nodes,
            tags: self.tags,
        }
    }

    /// The test that a node is, if it is one of those that dbt has built in.
    fn test(&self) -> Option<DbtTest> {
        let text = |name: &str| self.test_metadata.kwargs.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let column = self.column_name.clone().or_else(|| text("column_name"))?;
        let mut nodes = self.depends_on.nodes.iter();
        let node = self.attached_node.clone().or_else(|| nodes.next_back().cloned())?;
        let kind = match self.test_metadata.name.as_deref()? {
            "unique" => DbtTestKind::Unique,
            "not_null" => DbtTestKind::NotNull,
            "accepted_values" => {
                let values = self.test_metadata.kwargs.get("values")?.as_array()?;
                let written = |value: &serde_json::Value| match value {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                DbtTestKind::AcceptedValues(values.iter().map(written).collect())
            }
            "relationships" => {
                let other = self.depends_on.nodes.iter().find(|id| **id != node).unwrap_or(&node).clone();
                DbtTestKind::Relationship { node: other, column: text("field")? }
            }
            _ => return None,
        };
        Some(DbtTest { node, column, kind })
    }
}

impl RawReader {
    fn exposure(self) -> DbtExposure {
        let name = self.name.unwrap_or_default();
        DbtExposure { name, kind: self.kind.unwrap_or_default(), depends_on: self.depends_on.nodes }
    }
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
    use super::{DbtKind, DbtProject, DbtTestKind, parts_of};

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
}
