//! Metrics of a dbt project: what they are called, what people say of them, and how they are computed where one table says it.
//!
//! Three forms are read: measures of semantic models (MetricFlow), aggregations that a metric names itself (Fusion), and
//! `calculation_method` (dbt 1.0 to 1.5). Ratios, derived, cumulative and conversion metrics are told in words.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::manifest::RawDependencies;
use super::or_nothing;

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtMetric {
    /// Its name.
    pub name: String,
    /// What people call it.
    pub label: String,
    /// What people say of it.
    pub description: String,
    /// The ids of what it is computed from.
    pub depends_on: Vec<String>,
    /// How it is computed, where it is an aggregate over one model's rows.
    pub computed: Option<DbtComputed>,
}

/// An aggregate over the rows of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtComputed {
    /// The model's id.
    pub node: String,
    /// The aggregate, in the warehouse's SQL: `sum(amount)`.
    pub expression: String,
    /// The rows that count.
    pub condition: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RawMetric {
    name: Option<String>,
    label: Option<String>,
    description: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    type_params: RawParameters,
    #[serde(deserialize_with = "or_nothing")]
    filter: RawFilter,
    calculation_method: Option<String>,
    expression: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    filters: Vec<RawOldFilter>,
    #[serde(deserialize_with = "or_nothing")]
    depends_on: RawDependencies,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawParameters {
    #[serde(deserialize_with = "or_nothing")]
    measure: RawMeasureUse,
    metric_aggregation_params: Option<RawAggregation>,
    expr: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawMeasureUse {
    name: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    filter: RawFilter,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawAggregation {
    semantic_model: Option<String>,
    agg: Option<String>,
    expr: Option<String>,
    non_additive_dimension: Option<serde_json::Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawFilter {
    #[serde(deserialize_with = "or_nothing")]
    where_filters: Vec<RawWhere>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawWhere {
    where_sql_template: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawOldFilter {
    field: Option<String>,
    operator: Option<String>,
    value: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RawSemanticModel {
    name: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    measures: Vec<RawMember>,
    #[serde(deserialize_with = "or_nothing")]
    dimensions: Vec<RawMember>,
    #[serde(deserialize_with = "or_nothing")]
    entities: Vec<RawEntity>,
    primary_entity: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    depends_on: RawDependencies,
}

/// What rows of a model are about.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RawEntity {
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl RawSemanticModel {
    /// Whether a dimension of that entity is one of this model's own columns.
    fn is_about(&self, entity: &str) -> bool {
        let is_it = |name: &Option<String>| name.as_deref() == Some(entity);
        let is_own = |it: &RawEntity| is_it(&it.name) && it.kind.as_deref() != Some("foreign");
        is_it(&self.primary_entity) || self.entities.iter().any(is_own)
    }
}

/// A measure or a dimension.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RawMember {
    name: Option<String>,
    agg: Option<String>,
    expr: Option<String>,
    /// By what it must not be added up, a balance by its day: then its aggregate alone is wrong.
    non_additive_dimension: Option<serde_json::Value>,
}

impl RawMember {
    /// The SQL that it stands for: its own name where nothing else is said.
    fn sql(&self) -> Option<&str> {
        self.expr.as_deref().or(self.name.as_deref())
    }
}

impl RawMetric {
    pub(super) fn metric(self, models: &BTreeMap<String, RawSemanticModel>) -> DbtMetric {
        let computed = self.by_measure(models).or_else(|| self.by_itself(models)).or_else(|| self.by_method());
        DbtMetric {
            computed,
            name: self.name.unwrap_or_default(),
            label: self.label.unwrap_or_default(),
            description: self.description.unwrap_or_default(),
            depends_on: self.depends_on.nodes,
        }
    }

    fn is_simple(&self) -> bool {
        self.kind.as_deref().is_none_or(|kind| kind == "simple")
    }

    fn by_measure(&self, models: &BTreeMap<String, RawSemanticModel>) -> Option<DbtComputed> {
        let used = &self.type_params.measure;
        let name = used.name.as_ref().filter(|_| self.is_simple())?;
        let holds = |model: &&RawSemanticModel| model.measures.iter().any(|it| it.name.as_ref() == Some(name));
        let model = models.values().find(holds)?;
        let measure = model.measures.iter().find(|it| it.name.as_ref() == Some(name))?;
        if measure.non_additive_dimension.as_ref().is_some_and(|it| !it.is_null()) {
            return None;
        }
        let expression = aggregate(measure.agg.as_deref()?, measure.sql()?)?;
        Some(DbtComputed {
            node: model.depends_on.nodes.first()?.clone(),
            expression,
            condition: condition(&[&self.filter, &used.filter], model)?,
        })
    }

    fn by_itself(&self, models: &BTreeMap<String, RawSemanticModel>) -> Option<DbtComputed> {
        let parameters = self.type_params.metric_aggregation_params.as_ref().filter(|_| self.is_simple())?;
        if parameters.non_additive_dimension.as_ref().is_some_and(|it| !it.is_null()) {
            return None;
        }
        let model = models.values().find(|model| model.name == parameters.semantic_model)?;
        let sql = parameters.expr.as_deref().or(self.type_params.expr.as_deref()).or(self.name.as_deref())?;
        Some(DbtComputed {
            node: model.depends_on.nodes.first()?.clone(),
            expression: aggregate(parameters.agg.as_deref()?, sql)?,
            condition: condition(&[&self.filter], model)?,
        })
    }

    fn by_method(&self) -> Option<DbtComputed> {
        let [node] = self.depends_on.nodes.as_slice() else { return None };
        let expression = aggregate(self.calculation_method.as_deref()?, self.expression.as_deref()?)?;
        let conditions: Option<Vec<String>> = self
            .filters
            .iter()
            .map(|it| Some(format!("{} {} {}", it.field.as_ref()?, it.operator.as_ref()?, it.value.as_ref()?)))
            .collect();
        let condition = Some(conditions?.join(" AND ")).filter(|it| !it.is_empty());
        Some(DbtComputed { node: node.clone(), expression, condition })
    }
}

/// The aggregate that a kind of dbt's means; `None` of one that not every engine has.
fn aggregate(kind: &str, of: &str) -> Option<String> {
    Some(match kind.to_lowercase().as_str() {
        "sum" => format!("sum({of})"),
        "count" => format!("count({of})"),
        "count_distinct" => format!("count(DISTINCT {of})"),
        "average" => format!("avg({of})"),
        "min" => format!("min({of})"),
        "max" => format!("max({of})"),
        "sum_boolean" => format!("sum(CASE WHEN {of} THEN 1 ELSE 0 END)"),
        _ => return None,
    })
}

/// The conditions of filters over a model's rows, with `{{ Dimension('order__status') }}` as the SQL of the dimension; nothing
/// where one of them speaks of another model.
#[expect(clippy::option_option, reason = "there may be no condition, or one that can't be written")]
fn condition(filters: &[&RawFilter], model: &RawSemanticModel) -> Option<Option<String>> {
    let templates = filters.iter().flat_map(|filter| &filter.where_filters);
    let mut conditions = Vec::new();
    for template in templates.filter_map(|it| it.where_sql_template.as_deref()) {
        let mut sql = String::new();
        let mut rest = template.trim();
        while let Some((before, inner)) = rest.split_once("{{") {
            let (inner, after) = inner.split_once("}}")?;
            let name = inner.trim().strip_prefix("Dimension(")?.strip_suffix(')')?.trim().trim_matches(['\'', '"']);
            let (entity, name) = name.rsplit_once("__").map_or((None, name), |(entity, name)| (Some(entity), name));
            if entity.is_some_and(|entity| !model.is_about(entity)) {
                return None;
            }
            let dimension = model.dimensions.iter().find(|it| it.name.as_deref() == Some(name))?;
            sql.push_str(before);
            sql.push_str(dimension.sql()?);
            rest = after;
        }
        conditions.push(format!("{sql}{rest}"));
    }
    Some(match conditions.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        several => Some(several.iter().map(|it| format!("({it})")).collect::<Vec<_>>().join(" AND ")),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{RawMetric, RawSemanticModel};

    #[test]
    fn metrics_are_computed_by_their_measures() {
        let models: BTreeMap<String, RawSemanticModel> = serde_json::from_str(
            r#"{"semantic_model.a.orders": {"name": "orders", "depends_on": {"nodes": ["model.a.orders"]},
                "measures": [{"name": "order_total", "agg": "sum", "expr": "amount"}, {"name": "order_count", "agg": "sum", "expr": "1"},
                    {"name": "p95", "agg": "percentile", "expr": "amount"}],
                "entities": [{"name": "order", "type": "primary"}, {"name": "customer", "type": "foreign"}],
                "dimensions": [{"name": "is_food", "expr": "food > 0"}, {"name": "status", "expr": null}]}}"#,
        )
        .unwrap();
        for (metric, expected) in [
            (r#"{"type": "simple", "type_params": {"measure": {"name": "order_total"}}}"#, Some("sum(amount)")),
            (
                r#"{"type": "simple", "type_params": {"measure": {"name": "order_total", "filter": null}}, "filter": {"where_filters": [
                    {"where_sql_template": "{{ Dimension('order__status') }} <> 'cancelled'"}, {"where_sql_template": "{{Dimension('order__is_food')}}"}]}}"#,
                Some("sum(amount) where (status <> 'cancelled') AND (food > 0)"),
            ),
            (
                r#"{"type": "simple", "type_params": {"measure": {"name": "order_total"}}, "filter": {"where_filters": [
                    {"where_sql_template": "{{ Dimension('customer__status') }} = 'new'"}]}}"#,
                None,
            ),
            (r#"{"type": "simple", "type_params": {"measure": {"name": "p95"}}}"#, None),
            (r#"{"type": "ratio", "type_params": {"measure": {"name": "order_total"}}}"#, None),
            (
                r#"{"type": "simple", "type_params": {"measure": null, "metric_aggregation_params":
                    {"semantic_model": "orders", "agg": "count_distinct", "expr": "customer_id"}}}"#,
                Some("count(DISTINCT customer_id)"),
            ),
            (
                r#"{"calculation_method": "average", "expression": "amount", "depends_on": {"nodes": ["model.a.orders"]},
                    "filters": [{"field": "status", "operator": "=", "value": "'paid'"}]}"#,
                Some("avg(amount) where status = 'paid'"),
            ),
            (r#"{"type": "derived", "type_params": {"expr": "a - b"}}"#, None),
        ] {
            let metric: RawMetric = serde_json::from_str(metric).unwrap();
            let computed = metric.metric(&models).computed.map(|it| {
                assert_eq!(it.node, "model.a.orders");
                let condition = it.condition.map(|it| format!(" where {it}")).unwrap_or_default();
                it.expression + &condition
            });
            assert_eq!(computed.as_deref(), expected);
        }
    }
}
