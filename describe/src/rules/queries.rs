//! Queries that anybody would run on a table: rows a group, the newest rows, a total over a joined table.
//!
//! They are made of the catalog's own names, quoted where the dialect needs it, so that they run as they stand and
//! can be copied into an example.

use catalog::{Catalog, Dialect, Entry, KeyOrigin, QueryPattern};

use super::dates::event_time;
use super::role::{ColumnFacts, Role, columns_of};
use super::row_noun;
use crate::vocabulary::{capitalised, plural, said, singular};

/// Rows that a query which lists rows returns.
const ROWS: usize = 20;

/// Up to four patterns for the table, in the dialect of its source.
pub(crate) fn patterns(entry: &Entry, columns: &[ColumnFacts<'_>], catalog: &Catalog) -> Vec<QueryPattern> {
    if entry.is_stale() || columns.is_empty() {
        return Vec::new();
    }
    let dialect = catalog.dialect(&entry.table.id.source);
    [
        by_group(dialect, entry, columns),
        newest(dialect, entry, columns),
        with_parent(dialect, entry, columns, catalog),
        extremes(dialect, entry, columns),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn by_group(dialect: &Dialect, entry: &Entry, columns: &[ColumnFacts<'_>]) -> Option<QueryPattern> {
    let group = columns.iter().find(|facts| facts.role == Role::Category && is_open(facts))?;
    let many = plural(&row_noun(entry));
    let name = dialect.identifier(&group.column.name);
    let table = entry.table.id.written(dialect);
    Some(QueryPattern {
        name: format!("Number of {many} by {}", group.said),
        sql: format!("SELECT {name}, COUNT(*) AS row_count\nFROM {table}\nGROUP BY {name}\nORDER BY row_count DESC"),
        use_case: format!("See how the {many} are spread over {}.", group.said),
        returns: format!("One row for each {}, the most frequent first.", group.said),
    })
}

fn newest(dialect: &Dialect, entry: &Entry, columns: &[ColumnFacts<'_>]) -> Option<QueryPattern> {
    let time = event_time(columns)?;
    let many = plural(&row_noun(entry));
    let mut shown: Vec<String> = columns
        .iter()
        .filter(|facts| is_open(facts) && !matches!(facts.role, Role::Binary | Role::Document | Role::FreeText))
        .take(6)
        .map(|facts| dialect.identifier(&facts.column.name))
        .collect();
    let name = dialect.identifier(&time.column.name);
    if !shown.contains(&name) {
        shown.push(name.clone());
    }
    Some(QueryPattern {
        name: format!("Newest {many}"),
        sql: format!(
            "SELECT {}\nFROM {}\nWHERE {name} IS NOT NULL\nORDER BY {name} DESC\nLIMIT {ROWS}",
            shown.join(", "),
            entry.table.id.written(dialect)
        ),
        use_case: format!("Look at the latest {many} by {}.", time.said),
        returns: format!("The {ROWS} newest rows."),
    })
}

fn with_parent(
    dialect: &Dialect,
    entry: &Entry,
    columns: &[ColumnFacts<'_>],
    catalog: &Catalog,
) -> Option<QueryPattern> {
    let sure = |origin: &KeyOrigin| match origin {
        KeyOrigin::Declared => true,
        KeyOrigin::Inferred(evidence) => evidence.confidence >= 0.8,
    };
    let (key, parent, label) = entry.table.foreign_keys.iter().find_map(|key| {
        let parent = catalog.entry(&key.ref_table).filter(|parent| parent.table.id != entry.table.id)?;
        if !sure(&key.origin) || key.columns.len() != key.ref_columns.len() {
            return None;
        }
        let facts = columns_of(parent);
        let label = label(&facts).map_or_else(|| key.ref_columns.first(), |facts| Some(&facts.column.name))?.clone();
        Some((key, parent, label))
    })?;
    let measure = main_measure(columns).filter(|facts| is_additive(facts));
    let (figure, what) = match measure {
        Some(facts) => (
            format!("SUM(child.{}) AS total", dialect.identifier(&facts.column.name)),
            capitalised(&figure("total", facts)),
        ),
        None => ("COUNT(*) AS total".to_owned(), format!("Number of {}", plural(&row_noun(entry)))),
    };
    let on: Vec<String> = key
        .columns
        .iter()
        .zip(&key.ref_columns)
        .map(|(column, referenced)| {
            format!("parent.{} = child.{}", dialect.identifier(referenced), dialect.identifier(column))
        })
        .collect();
    let one = singular(&said(&parent.table.id.name));
    let label = dialect.identifier(&label);
    Some(QueryPattern {
        name: format!("{what} by {one}"),
        sql: format!(
            "SELECT parent.{label}, {figure}\nFROM {} AS child\nJOIN {} AS parent ON {}\nGROUP BY parent.{label}\nORDER BY total DESC\nLIMIT {ROWS}",
            entry.table.id.written(dialect),
            parent.table.id.written(dialect),
            on.join(" AND ")
        ),
        use_case: format!("Compare {}.", plural(&one)),
        returns: format!("The {ROWS} largest, each with its total."),
    })
}

fn extremes(dialect: &Dialect, entry: &Entry, columns: &[ColumnFacts<'_>]) -> Option<QueryPattern> {
    let name = label(columns)?;
    let measure = main_measure(columns)?;
    let many = plural(&row_noun(entry));
    let (label, figure) = (dialect.identifier(&name.column.name), dialect.identifier(&measure.column.name));
    Some(QueryPattern {
        name: format!("{} with the highest {}", capitalised(&many), measure.said),
        sql: format!(
            "SELECT {label}, {figure}\nFROM {}\nWHERE {figure} IS NOT NULL\nORDER BY {figure} DESC\nLIMIT {ROWS}",
            entry.table.id.written(dialect)
        ),
        use_case: format!("Rank the {many} by {}.", measure.said),
        returns: format!("The {ROWS} rows at the top."),
    })
}

fn is_open(facts: &ColumnFacts<'_>) -> bool {
    facts.masked().is_none()
}

/// The column that names a row by itself; a first name doesn't.
fn label<'f, 'a>(columns: &'f [ColumnFacts<'a>]) -> Option<&'f ColumnFacts<'a>> {
    const PARTS: [&str; 8] = ["first", "last", "middle", "given", "family", "sur", "maiden", "file"];
    let whole = |facts: &&ColumnFacts<'_>| !facts.spoken.split(' ').any(|word| PARTS.contains(&word));
    columns.iter().filter(|facts| facts.role == Role::Name && is_open(facts)).find(whole)
}

/// The figure that people ask for first: a total before an amount, an amount before anything else.
pub(crate) fn main_measure<'f, 'a>(columns: &'f [ColumnFacts<'a>]) -> Option<&'f ColumnFacts<'a>> {
    let rank = |facts: &ColumnFacts<'_>| {
        let has = |words: &[&str]| facts.spoken.split(' ').any(|word| words.contains(&word));
        match () {
            () if has(&["total"]) && is_additive(facts) => 0,
            () if has(&["amount", "revenue", "sales"]) => 1,
            () if is_additive(facts) => 2,
            () => 3,
        }
    };
    columns.iter().filter(|facts| facts.role == Role::Measure && is_open(facts)).min_by_key(|facts| rank(facts))
}

/// `total amount`, and not `total total amount`.
pub(crate) fn figure(kind: &str, facts: &ColumnFacts<'_>) -> String {
    if facts.spoken.split(' ').any(|word| word == kind) { facts.said.clone() } else { format!("{kind} {}", facts.said) }
}

/// Whether adding values up means something: amounts add up; prices, rates, ages and what somebody earns do not.
pub(crate) fn is_additive(facts: &ColumnFacts<'_>) -> bool {
    const ADDS_UP: [&str; 17] = [
        "cents", "subtotal", "amount", "total", "quantity", "count", "revenue", "cost", "fee", "tax", "balance",
        "sales", "payment", "budget", "hours", "minutes", "points",
    ];
    (facts.in_cents || facts.spoken.split(' ').any(|word| ADDS_UP.contains(&word)))
        && !facts.spoken.split(' ').any(|word| {
            ["per", "unit", "average", "rate", "percentage", "price", "salary", "wage", "limit"].contains(&word)
        })
}
