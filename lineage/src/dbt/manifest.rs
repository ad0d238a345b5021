//! `manifest.json` and `catalog.json` as they are written, and what they come to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use dialect::Dialect;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::metrics::{RawMetric, RawSemanticModel};
use super::{
    DbtColumn, DbtExposure, DbtKind, DbtNode, DbtProject, DbtTest, DbtTestKind, MAXIMUM_BYTES, labels, or_nothing,
    parts_of,
};

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RawManifest {
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
    package_name: Option<String>,
    description: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    columns: Map<String, Value>,
    #[serde(deserialize_with = "or_nothing")]
    depends_on: RawDependencies,
    #[serde(deserialize_with = "or_nothing")]
    tags: Vec<String>,
    #[serde(deserialize_with = "or_nothing")]
    meta: Map<String, Value>,
    loaded_at_field: Option<String>,
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
    #[serde(deserialize_with = "or_nothing")]
    meta: Map<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RawDependencies {
    #[serde(deserialize_with = "or_nothing")]
    pub(super) nodes: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawTest {
    name: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    kwargs: Map<String, Value>,
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
pub(super) struct RawCatalog {
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
    pub(super) fn project(self, manifest: PathBuf, mut catalog: RawCatalog) -> DbtProject {
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
                    tests.extend(raw.tests(&id));
                    // The rows that fail are kept where it says so.
                    if raw.relation_name.is_none() || raw.compiled_code.is_none() {
                        continue;
                    }
                    DbtKind::Test
                }
                _ => continue,
            };
            let raw = match kind {
                DbtKind::Model | DbtKind::Snapshot => raw.compiled_before(&manifest),
                _ => raw,
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
            outcomes: BTreeMap::new(),
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
        let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let described = self.columns.iter().map(|(key, value)| {
            let name = text(value, "name");
            let name = if name.is_empty() { key.clone() } else { name };
            DbtColumn { name, description: text(value, "description"), personal_by: labels::personal_by(value) }
        });
        DbtNode {
            meta: labels::of(self.meta.iter().chain(&self.config.meta)),
            loaded_at_field: self.loaded_at_field,
            freshness: None,
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

    /// The same with the SQL that was compiled before, where commands that compile nothing have written the manifest since
    /// (`dbt source freshness`, `dbt ls`, a run of other models), and nobody has changed the model.
    fn compiled_before(self, manifest: &Path) -> Self {
        let is_sql = self.language.as_deref().is_none_or(|language| language == "sql");
        let (None, true, Some(package), Some(path)) =
            (&self.compiled_code, is_sql, &self.package_name, &self.original_file_path)
        else {
            return self;
        };
        let is_within = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_within(package) || !is_within(path) {
            return self;
        }
        let target = manifest.parent().unwrap_or(Path::new(""));
        let compiled = target.join("compiled").join(package).join(path);
        let project = target.parent().unwrap_or(Path::new(""));
        let written = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        let is_newer_than = |source: &Path| written(source).is_none_or(|source| Some(source) <= written(&compiled));
        let sources = [project.join(path), project.join("dbt_packages").join(package).join(path)];
        let is_small = fs::metadata(&compiled).is_ok_and(|file| file.len() <= MAXIMUM_BYTES);
        if !is_small || !sources.iter().all(|source| is_newer_than(source)) {
            return self;
        }
        Self { compiled_code: fs::read_to_string(&compiled).ok(), ..self }
    }

    /// What a test says: of one node, or of each that a query of the project's own reads.
    fn tests(&self, id: &str) -> Vec<DbtTest> {
        let arguments = &self.test_metadata.kwargs;
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let column = self.column_name.clone().or_else(|| text("column_name"));
        let Some(name) = self.test_metadata.name.as_deref() else {
            let kind = DbtTestKind::Other(self.name.clone().unwrap_or_else(|| id.to_owned()));
            let test =
                |node: &String| DbtTest { id: id.to_owned(), node: node.clone(), column: None, kind: kind.clone() };
            return self.depends_on.nodes.iter().map(test).collect();
        };
        let Some(node) = self.attached_node.as_ref().or(self.depends_on.nodes.last()) else { return Vec::new() };
        let kind = match name {
            "unique" => Some(DbtTestKind::Unique),
            "not_null" => Some(DbtTestKind::NotNull),
            "accepted_values" => arguments.get("values").and_then(Value::as_array).map(|values| {
                let written = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                DbtTestKind::AcceptedValues(values.iter().map(written).collect())
            }),
            "relationships" => text("field").map(|column| {
                let other = self.depends_on.nodes.iter().find(|id| *id != node).unwrap_or(node);
                DbtTestKind::Relationship { node: other.clone(), column }
            }),
            _ => None,
        };
        let kind = kind.unwrap_or_else(|| DbtTestKind::Other(name.to_owned()));
        vec![DbtTest { id: id.to_owned(), node: node.clone(), column, kind }]
    }
}

impl RawReader {
    fn exposure(self) -> DbtExposure {
        let name = self.name.unwrap_or_default();
        DbtExposure { name, kind: self.kind.unwrap_or_default(), depends_on: self.depends_on.nodes }
    }
}
