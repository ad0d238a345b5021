//! What a table is made from, and who reads it, in words.
//!
//! An expression is told only where nothing that it is made from or makes is masked: it may compare with a value.

use catalog::{Catalog, Column, Entry, TableId};
use sql::{ALL_COLUMNS, ColumnRef};

use crate::edges::{ColumnEdge, Condition, EdgeKind, Holder, Lineage};
use crate::notes::Told;

/// Characters of an expression that is told.
const EXPRESSION_CHARACTERS: usize = 200;
/// Names in a list; the others are counted.
const NAMES: usize = 20;
/// Columns that are told of.
const COLUMNS: usize = 30;

/// What is told of a table.
#[derive(Debug, Default)]
pub struct Origins {
    /// The tables it is made from, with the text that says so: `orders, customers (jobs/night.sql:2)`.
    pub made_from: Vec<String>,
    /// Its columns that aren't just another table's of the same name: `amount = sum(cents) / 100.0 of paid`.
    pub columns: Vec<String>,
    /// Which rows it takes, where a text says so: `only rows where status <> 'returned'`.
    pub conditions: Vec<String>,
    /// The tables, views and dashboards that are made from it.
    pub read_by: Vec<String>,
    /// What a dbt project notes of it.
    pub notes: Told,
}

impl Origins {
    /// What is known of a table, under the names that `shown` gives to tables.
    pub fn of(lineage: &Lineage, catalog: &Catalog, entry: &Entry, shown: &dyn Fn(&TableId) -> String) -> Self {
        let id = &entry.table.id;
        let mut made_from: Vec<(usize, Vec<String>)> = Vec::new();
        for edge in lineage.tables.iter().filter(|edge| edge.to == *id && edge.from != *id) {
            match made_from.iter_mut().find(|(place, _)| *place == edge.place) {
                Some((_, tables)) => tables.push(shown(&edge.from)),
                None => made_from.push((edge.place, vec![shown(&edge.from)])),
            }
        }
        let written = |(place, tables): (usize, Vec<String>)| {
            // That a view is made by its own definition goes without saying.
            match &lineage.places[place] {
                place if place.holder == Holder::View => listed(tables),
                place => format!("{} ({place})", listed(tables)),
            }
        };
        let mut read_by: Vec<String> = Vec::new();
        for edge in lineage.tables.iter().filter(|edge| edge.from == *id && edge.to != *id) {
            let name = shown(&edge.to);
            if !read_by.contains(&name) {
                read_by.push(name);
            }
        }
        Self {
            made_from: made_from.into_iter().map(written).collect(),
            columns: columns(lineage, catalog, id, shown),
            conditions: conditions(lineage, catalog, id),
            read_by,
            notes: lineage.told_of(entry),
        }
    }

    /// The same as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend((!self.made_from.is_empty()).then(|| format!("made from {}", self.made_from.join("; "))));
        lines.extend(self.conditions.iter().map(|condition| format!("only rows where {condition}")));
        lines.extend(self.columns.iter().cloned());
        lines.extend((!self.read_by.is_empty()).then(|| format!("read by {}", listed(self.read_by.clone()))));
        lines.extend(self.notes.lines());
        lines
    }
}

fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// What is told of rows, where nothing that decides over them is masked. Of a view the rows themselves are looked at.
fn conditions(lineage: &Lineage, catalog: &Catalog, id: &TableId) -> Vec<String> {
    let is_open = |condition: &Condition| {
        let mut columns = condition.columns.iter().filter(|column| column.column != ALL_COLUMNS);
        lineage.places[condition.place].is_sure
            && columns.all(|column| of_column(catalog, column).is_some_and(|(entry, column)| is_shown(entry, column)))
    };
    let is_told = |condition: &&Condition| {
        condition.table == *id
            && catalog.entry(id).is_none_or(|entry| !entry.rows_are_others())
            && lineage.places[condition.place].holder != Holder::View
            && condition.text.chars().count() <= EXPRESSION_CHARACTERS
            && !condition.text.to_ascii_lowercase().contains("select")
            && is_open(condition)
    };
    lineage.conditions.iter().filter(is_told).map(|condition| condition.text.clone()).collect()
}

/// Whether a table has that column, as far as anybody knows.
fn entry_has(catalog: &Catalog, id: &TableId, column: &str) -> bool {
    let own = catalog.entry(id).map(|entry| &entry.table.columns);
    own.is_some_and(|columns| columns.iter().any(|own| own.name.eq_ignore_ascii_case(column)))
}

fn columns(lineage: &Lineage, catalog: &Catalog, id: &TableId, shown: &dyn Fn(&TableId) -> String) -> Vec<String> {
    let mut made: Vec<Vec<&ColumnEdge>> = Vec::new();
    for edge in lineage.columns.iter().filter(|edge| edge.to.table == *id && entry_has(catalog, id, &edge.to.column)) {
        let same = |others: &&mut Vec<&ColumnEdge>| {
            others.first().is_some_and(|it| it.to == edge.to && it.place == edge.place)
        };
        match made.iter_mut().find(same) {
            Some(others) => others.push(edge),
            None => made.push(vec![edge]),
        }
    }
    // Several texts may fill it, each in its own way.
    let mut places: Vec<usize> = made.iter().filter_map(|edges| edges.first()).map(|edge| edge.place).collect();
    places.sort_unstable();
    places.dedup();
    let told = made.iter().filter_map(|edges| {
        let line = line(edges, lineage, catalog, shown)?;
        let place = edges.first().filter(|_| places.len() > 1).map(|edge| format!(" ({})", lineage.places[edge.place]));
        Some(line + &place.unwrap_or_default())
    });
    told.take(COLUMNS).collect()
}

/// What a column is made from, unless it is another one under the same name.
fn line(
    edges: &[&ColumnEdge],
    lineage: &Lineage,
    catalog: &Catalog,
    shown: &dyn Fn(&TableId) -> String,
) -> Option<String> {
    let first = edges.first()?;
    // What has no name of its own is called by its text, which may hold a value.
    let written = |edge: &&ColumnEdge| {
        let is_name = edge.from.column.chars().all(|it| it.is_alphanumeric() || "_$*".contains(it));
        let table = shown(&edge.from.table);
        if is_name { format!("{table}.{}", edge.from.column) } else { table }
    };
    let sources = || listed(edges.iter().map(written).collect());
    let name = &first.to.column;
    if first.kind == EdgeKind::Copied {
        let is_renamed = edges.iter().any(|edge| !edge.from.column.eq_ignore_ascii_case(name));
        return (is_renamed && edges.iter().all(|edge| edge.from.column != ALL_COLUMNS))
            .then(|| format!("{name} is {}", sources()));
    }
    let is_told = |text: &&str| lineage.places[first.place].is_sure && tells_no_value(text, edges, catalog);
    match first.expression.as_deref().filter(is_told) {
        Some(expression) => {
            let mut tables: Vec<String> = edges.iter().map(|edge| shown(&edge.from.table)).collect();
            tables.dedup();
            Some(format!("{name} = {expression}, from {}", listed(tables)))
        }
        None => Some(format!("{name} is made from {}", sources())),
    }
}

fn of_column<'c>(catalog: &'c Catalog, column: &ColumnRef) -> Option<(&'c Entry, &'c Column)> {
    let entry = catalog.entry(&column.table)?;
    Some((entry, entry.table.column(&column.column)?))
}

fn is_shown(entry: &Entry, column: &Column) -> bool {
    entry.facts(column).masked.is_none()
}

fn tells_no_value(expression: &str, edges: &[&ColumnEdge], catalog: &Catalog) -> bool {
    // Of a column that isn't known, it isn't known either whether it would be masked; of rows there is nothing to mask.
    let is_open = |edge: &&ColumnEdge| {
        edge.from.column == ALL_COLUMNS
            || of_column(catalog, &edge.from).is_some_and(|(entry, column)| is_shown(entry, column))
    };
    let is_open_itself =
        edges.iter().all(|edge| of_column(catalog, &edge.to).is_none_or(|(entry, column)| is_shown(entry, column)));
    // What a query inside asks for isn't among what the value is made from.
    let has_query = expression.to_ascii_lowercase().contains("select");
    !has_query && expression.chars().count() <= EXPRESSION_CHARACTERS && is_open_itself && edges.iter().all(is_open)
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Dialect, Entry, TableId};

    use super::Origins;

    fn told(definition: &str) -> Vec<String> {
        let ddl = format!(
            "CREATE TABLE orders (id INTEGER, cents INTEGER, status TEXT, email TEXT); CREATE VIEW v AS {definition};
             CREATE VIEW w AS SELECT id FROM orders"
        );
        let catalog: Catalog = testkit::looked_at(&testkit::catalog_from_ddl(Dialect::Sqlite, "shop", &ddl));
        let lineage = crate::of_views(&catalog, "shop");
        let entry: &Entry = catalog.entry(&TableId::new("shop", "v")).unwrap();
        Origins::of(&lineage, &catalog, entry, &TableId::local).lines()
    }

    #[test]
    fn what_follows_from_names_isnt_told() {
        assert_eq!(told("SELECT id, cents FROM orders"), ["made from orders"]);
        assert_eq!(told("SELECT id AS number FROM orders"), ["made from orders", "number is orders.id"]);
    }

    #[test]
    fn an_expression_is_told_where_nothing_is_masked() {
        assert_eq!(
            told("SELECT sum(cents) / 100.0 AS amount FROM orders"),
            ["made from orders", "amount = sum(cents) / 100.0, from orders"]
        );
        assert_eq!(
            told("SELECT CASE WHEN status = 'paid' THEN cents END AS paid FROM orders"),
            ["made from orders", "paid = CASE WHEN status = 'paid' THEN cents END, from orders"]
        );
    }

    #[test]
    fn who_reads_it_is_told() {
        let ddl = "CREATE TABLE orders (id INTEGER); CREATE VIEW v AS SELECT id FROM orders; CREATE VIEW w AS SELECT id FROM orders";
        let catalog = testkit::catalog_from_ddl(Dialect::Sqlite, "shop", ddl);
        let lineage = crate::of_views(&catalog, "shop");
        let entry = catalog.entry(&TableId::new("shop", "orders")).unwrap();
        assert_eq!(Origins::of(&lineage, &catalog, entry, &TableId::local).lines(), ["read by v, w"]);
    }
}
