//! `get_join_info`: how tables join, over as few steps as possible, tables in between included.

use catalog::{Catalog, Exposure, KeyOrigin, TableId};
use link::join_paths;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Definition;
use super::list_tables::confidence;
use crate::budget::{Budget, Cut};
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::schema;
use crate::session::Session;

/// Tables that one call may name.
const MOST_TABLES: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Two or more
    tables: Vec<String>,
    source: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    joins: Vec<Join>,
    /// On the way between the tables, but not asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    through: Vec<String>,
    /// Tables of which each row meets each of the other's that share a row of a third: is that what is asked?
    #[serde(skip_serializing_if = "Vec::is_empty")]
    many_to_many: Vec<String>,
    /// No known key connects these with the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unconnected: Vec<String>,
    /// Of those, key columns with one name: joins to be checked before they are used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same_names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<Cut>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Join {
    left: String,
    right: String,
    on: String,
    /// Rows of left and right that meet: many_to_one, one_to_many (sums over the left multiply), one_to_one.
    rows: Cardinality,
    /// Only where the key is inferred from names and values, not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// What an inferred key rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Cardinality {
    ManyToOne,
    OneToMany,
    OneToOne,
}

impl From<link::Cardinality> for Cardinality {
    fn from(cardinality: link::Cardinality) -> Self {
        match cardinality {
            link::Cardinality::ManyToOne => Self::ManyToOne,
            link::Cardinality::OneToMany => Self::OneToMany,
            link::Cardinality::OneToOne => Self::OneToOne,
        }
    }
}

/// In words: `names fit; 98 % of 50 values found there`.
fn evidence(origin: &KeyOrigin) -> Option<String> {
    let KeyOrigin::Inferred(evidence) = origin else { return None };
    let names = match evidence.joined_in {
        0 if evidence.name_fit >= 0.8 => "names fit".to_owned(),
        0 => "names fit roughly".to_owned(),
        statements => format!("{statements} statements of query logs join so"),
    };
    Some(match evidence.inclusion {
        Some(share) => format!("{names}; {:.0} % of {} values found there", share * 100.0, evidence.values_checked),
        None => format!("{names}; no values to compare"),
    })
}

/// Whether the values on both sides may be shown, as how many there are on one is told.
fn is_open(catalog: &Catalog, step: &link::JoinStep) -> bool {
    let open = |id: &TableId, columns: &[String]| {
        let entry = catalog.entry(id);
        entry.is_some_and(|entry| columns.iter().all(|column| *entry.exposure(column) == Exposure::Open))
    };
    open(&step.left, &step.left_columns) && open(&step.right, &step.right_columns)
}

pub(super) fn document_schema() -> serde_json::Map<String, serde_json::Value> {
    schema::document::<Output>()
}

pub(super) fn definition() -> Definition {
    Definition::new::<Arguments, Output>(
        "get_join_info",
        "How tables join: conditions from declared and inferred keys, how many rows meet, and the tables in between.",
    )
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let snapshot = session.context.snapshot().await?;
    let catalog = &snapshot.catalog;
    let mut asked: Vec<TableId> = Vec::new();
    for name in &arguments.tables {
        let id = &names::table(catalog, name, arguments.source.as_deref())?.table.id;
        if !asked.contains(id) {
            asked.push(id.clone());
        }
    }
    if asked.len() < 2 || asked.len() > MOST_TABLES {
        let message = format!("{} different tables were given; 2 to {MOST_TABLES} can be joined", asked.len());
        return Err(ToolError::new("invalid_arguments", message).hint("pass two or more names in `tables`"));
    }
    let paths = join_paths(catalog, &asked);
    let joined: Vec<&TableId> = paths.iter().flat_map(link::JoinPath::tables).collect();
    let shown = |id: &TableId| names::shown(catalog, id);
    let strangers: Vec<&TableId> = asked.iter().filter(|id| !joined.contains(id)).collect();
    let unconnected: Vec<String> = strangers.iter().map(|id| shown(id)).collect();
    let same_names = same_names(catalog, &asked, &strangers);
    let mut through: Vec<String> = joined.iter().filter(|id| !asked.contains(id)).map(|id| shown(id)).collect();
    through.sort();
    through.dedup();
    let many_to_many = many_to_many(catalog, &paths, &asked);
    let joins = paths.iter().flat_map(|path| &path.steps).map(|step| Join {
        left: shown(&step.left),
        right: shown(&step.right),
        on: step.condition(catalog.dialect(&step.left.source)),
        rows: step.cardinality.into(),
        confidence: confidence(&step.origin),
        evidence: evidence(&step.origin).filter(|_| is_open(catalog, step)),
    });
    let mut budget = Budget::new(session.reply_tokens());
    budget.spend(&(&unconnected, &through, &many_to_many));
    let (same_names, names_omitted) = budget.take_share(same_names, 0.3);
    let (joins, omitted) = budget.take(joins.collect());
    let fewer = "ask for fewer tables at once";
    let cuts = [Cut::of(omitted, "joins", fewer), Cut::of(names_omitted, "columns of one name", fewer)];
    let truncated = cuts.into_iter().flatten().collect();
    session.reply(&Output { joins, through, many_to_many, unconnected, same_names, truncated })
}

/// Where a way goes up to a table that nobody asked for and down again on the other side.
fn many_to_many(catalog: &Catalog, paths: &[link::JoinPath], asked: &[TableId]) -> Vec<String> {
    let steps = || paths.iter().flat_map(|path| &path.steps);
    let up = steps().filter(|step| step.cardinality == link::Cardinality::ManyToOne && !asked.contains(&step.right));
    let pairs = up.flat_map(|up| {
        let down = move |down: &&link::JoinStep| {
            down.left == up.right && down.cardinality == link::Cardinality::OneToMany && down.right != up.left
        };
        steps().filter(down).map(move |down| {
            let [one, other, third] = [&up.left, &down.right, &up.right].map(|id| names::shown(catalog, id));
            format!("{one}, {other}: by {third}")
        })
    });
    pairs.collect()
}

/// Conditions between each of the strangers and the other tables, by key columns of the same name.
fn same_names(catalog: &Catalog, asked: &[TableId], strangers: &[&TableId]) -> Vec<String> {
    let mut conditions = Vec::new();
    for (place, left) in asked.iter().enumerate() {
        for right in asked[place + 1..].iter().filter(|right| strangers.contains(right) || strangers.contains(&left)) {
            let (Some(one), Some(other)) = (catalog.entry(left), catalog.entry(right)) else { continue };
            if left.source != right.source {
                continue;
            }
            let names = (names::shown(catalog, left), names::shown(catalog, right));
            let keys = link::shared_keys(&one.table, &other.table).into_iter();
            conditions.extend(keys.map(|key| format!("{}.{key} = {}.{key}", names.0, names.1)));
        }
    }
    conditions
}
