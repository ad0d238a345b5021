//! Queries that anybody would run on a table: rows a group, the newest rows, a total over a joined table.
//!
//! They are made of the catalog's own names, quoted where the dialect needs it, so that they run as they stand and
//! can be copied into an example.

use std::collections::HashSet;
use std::sync::LazyLock;

use catalog::{Catalog, Dialect, Entry, KeyOrigin, QueryPattern, TableId};

use super::dates::event_time;
use super::role::{ColumnFacts, Role, columns_of};
use super::{is_stale, row_noun};
use crate::vocabulary::{capitalised, plural, said, singular};

/// Rows that a query which lists rows returns.
const ROWS: usize = 20;

/// Up to four patterns for the table, in the dialect of its source.
pub(crate) fn patterns(entry: &Entry, columns: &[ColumnFacts<'_>], catalog: &Catalog) -> Vec<QueryPattern> {
    if is_stale(entry) || columns.is_empty() {
        return Vec::new();
    }
    let dialect = catalog.source(&entry.table.id.source).map_or(Dialect::Sqlite, |source| source.dialect.clone());
    let sql = Writer { dialect };
    [
        by_group(&sql, entry, columns),
        newest(&sql, entry, columns),
        with_parent(&sql, entry, columns, catalog),
        extremes(&sql, entry, columns),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn by_group(sql: &Writer, entry: &Entry, columns: &[ColumnFacts<'_>]) -> Option<QueryPattern> {
    let group = columns.iter().find(|facts| facts.role == Role::Category && is_open(facts))?;
    let many = plural(&row_noun(entry));
    let name = sql.name(&group.column.name);
    let table = sql.table(&entry.table.id);
    Some(QueryPattern {
        name: format!("Number of {many} by {}", group.said),
        sql: format!("SELECT {name}, COUNT(*) AS row_count\nFROM {table}\nGROUP BY {name}\nORDER BY row_count DESC"),
        use_case: format!("See how the {many} are spread over {}.", group.said),
        returns: format!("One row for each {}, the most frequent first.", group.said),
    })
}

fn newest(sql: &Writer, entry: &Entry, columns: &[ColumnFacts<'_>]) -> Option<QueryPattern> {
    let time = event_time(columns)?;
    let many = plural(&row_noun(entry));
    let mut shown: Vec<String> = columns
        .iter()
        .filter(|facts| is_open(facts) && !matches!(facts.role, Role::Binary | Role::Document | Role::FreeText))
        .take(6)
        .map(|facts| sql.name(&facts.column.name))
        .collect();
    let name = sql.name(&time.column.name);
    if !shown.contains(&name) {
        shown.push(name.clone());
    }
    Some(QueryPattern {
        name: format!("Newest {many}"),
        sql: format!(
            "SELECT {}\nFROM {}\nWHERE {name} IS NOT NULL\nORDER BY {name} DESC\nLIMIT {ROWS}",
            shown.join(", "),
            sql.table(&entry.table.id)
        ),
        use_case: format!("Look at the latest {many} by {}.", time.said),
        returns: format!("The {ROWS} newest rows."),
    })
}

fn with_parent(sql: &Writer, entry: &Entry, columns: &[ColumnFacts<'_>], catalog: &Catalog) -> Option<QueryPattern> {
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
        Some(facts) => {
            (format!("SUM(child.{}) AS total", sql.name(&facts.column.name)), capitalised(&figure("total", facts)))
        }
        None => ("COUNT(*) AS total".to_owned(), format!("Number of {}", plural(&row_noun(entry)))),
    };
    let on: Vec<String> = key
        .columns
        .iter()
        .zip(&key.ref_columns)
        .map(|(column, referenced)| format!("parent.{} = child.{}", sql.name(referenced), sql.name(column)))
        .collect();
    let one = singular(&said(&parent.table.id.name));
    let label = sql.name(&label);
    Some(QueryPattern {
        name: format!("{what} by {one}"),
        sql: format!(
            "SELECT parent.{label}, {figure}\nFROM {} AS child\nJOIN {} AS parent ON {}\nGROUP BY parent.{label}\nORDER BY total DESC\nLIMIT {ROWS}",
            sql.table(&entry.table.id),
            sql.table(&parent.table.id),
            on.join(" AND ")
        ),
        use_case: format!("Compare {}.", plural(&one)),
        returns: format!("The {ROWS} largest, each with its total."),
    })
}

fn extremes(sql: &Writer, entry: &Entry, columns: &[ColumnFacts<'_>]) -> Option<QueryPattern> {
    let name = label(columns)?;
    let measure = main_measure(columns)?;
    let many = plural(&row_noun(entry));
    let (label, figure) = (sql.name(&name.column.name), sql.name(&measure.column.name));
    Some(QueryPattern {
        name: format!("{} with the highest {}", capitalised(&many), measure.said),
        sql: format!(
            "SELECT {label}, {figure}\nFROM {}\nWHERE {figure} IS NOT NULL\nORDER BY {figure} DESC\nLIMIT {ROWS}",
            sql.table(&entry.table.id)
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

struct Writer {
    dialect: Dialect,
}

impl Writer {
    fn table(&self, id: &TableId) -> String {
        match &id.schema {
            Some(schema) => format!("{}.{}", self.name(schema), self.name(&id.name)),
            None => self.name(&id.name),
        }
    }

    /// Plain lower-case names that are no common keyword stand as they are; everything else is quoted.
    fn name(&self, name: &str) -> String {
        let plain = name.chars().enumerate().all(|(position, character)| {
            character == '_' || character.is_ascii_lowercase() || (position > 0 && character.is_ascii_digit())
        });
        if plain && !name.is_empty() && !KEYWORDS.contains(name) {
            return name.to_owned();
        }
        let quote = match &self.dialect {
            Dialect::Mysql => '`',
            Dialect::Other(name) if ["bigquery", "databricks", "spark", "hive"].contains(&name.as_str()) => '`',
            _ => '"',
        };
        let doubled: String = [quote, quote].iter().collect();
        format!("{quote}{}{quote}", name.replace(quote, &doubled))
    }
}

/// Words that one of the dialects reserves and that people use as names.
static KEYWORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("keywords.txt").split_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::{Dialect, Writer};

    #[test]
    fn names_are_quoted_where_they_must_be() {
        let check = |dialect: Dialect, name: &str, expected: &str| assert_eq!(Writer { dialect }.name(name), expected);
        check(Dialect::Sqlite, "status", "status");
        check(Dialect::Sqlite, "order", "\"order\"");
        check(Dialect::Sqlite, "a\"b", "\"a\"\"b\"");
        check(Dialect::Mysql, "Full Name", "`Full Name`");
        check(Dialect::Other("bigquery".into()), "a`b", "`a``b`");
        check(Dialect::Postgres, "2nd", "\"2nd\"");
        check(Dialect::Postgres, "", "\"\"");
    }
}
