//! Which rows of each table a statement is about, and by what it chooses them.

use catalog::TableId;

use crate::reading::{ColumnRef, ResolvedStatement, Restriction, Test, Through};
use crate::schema::Schema;
use crate::uniqueness::{Held, Uniqueness};

/// A table of a statement, with what the statement asks of its rows. Where the table is named several times, all of it
/// together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The table.
    pub table: TableId,
    /// Whether rows of other tables are completed by it, one row of it for each: nothing is said about its own rows.
    pub completes: bool,
    /// Whether its rows are those of one thing: a key of it, or a reference to one of many things, is held at a value.
    pub of_one: bool,
    /// What its columns have to be.
    pub restrictions: Vec<Restriction>,
    /// The columns of it that are named anywhere, each once.
    pub named: Vec<String>,
}

/// From so many different values on a reference leads to one of many things; to fewer, it is a kind of thing.
const MANY_THINGS: f64 = 100.0;

/// The tables of a statement that has been read against this schema, each once.
pub fn selections(reading: &ResolvedStatement, schema: &dyn Schema) -> Vec<Selection> {
    reading
        .table_ids()
        .into_iter()
        .filter(|table| !table.name.is_empty())
        .map(|it| selection(it, reading, schema))
        .collect()
}

fn selection(table: &TableId, reading: &ResolvedStatement, schema: &dyn Schema) -> Selection {
    let restrictions: Vec<Restriction> =
        reading.restrictions.iter().filter(|it| it.column.table == *table).cloned().collect();
    let mut named: Vec<String> = Vec::new();
    for used in reading.columns.iter().filter(|used| used.column.table == *table && used.through == Through::Name) {
        if !named.contains(&used.column.column) {
            named.push(used.column.column.clone());
        }
    }
    let held: Vec<&str> =
        restrictions.iter().filter(|it| holds(&it.test)).map(|it| it.column.column.as_str()).collect();
    let is_one = |columns: &[&str]| {
        // By a single column, else what a profile says of any of them would count.
        !columns.is_empty()
            && (columns.iter().any(|column| {
                schema.uniqueness(table, Held { columns: &[column], ..Held::default() }) == Uniqueness::One
            }) || schema.uniqueness(table, Held { columns, ..Held::default() }) == Uniqueness::One)
    };
    let leads_to_one = |column: &&str| {
        let refers = schema
            .table(table)
            .is_some_and(|table| table.foreign_keys.iter().any(|key| key.columns.iter().any(|own| own == *column)));
        refers && schema.column_size(table, column).distinct.is_some_and(|distinct| distinct >= MANY_THINGS)
    };
    let of_one = is_one(&held) || held.iter().any(leads_to_one);
    let joined = joined_by(table, reading);
    Selection { table: table.clone(), completes: is_one(&joined), of_one, restrictions, named }
}

/// Whether a column is held at one value.
fn holds(test: &Test) -> bool {
    matches!(test, Test::OneOf(values) if values.len() <= 1)
}

/// The columns by which a table is joined with others.
fn joined_by<'r>(table: &TableId, reading: &'r ResolvedStatement) -> Vec<&'r str> {
    let of = |one: &'r ColumnRef, other: &ColumnRef| {
        (one.table == *table && other.table != *table).then_some(one.column.as_str())
    };
    let sides = reading.joins.iter().flat_map(|join| [of(&join.left, &join.right), of(&join.right, &join.left)]);
    sides.flatten().collect()
}

impl Selection {
    /// Whether a column is named, in conditions or elsewhere.
    pub fn names(&self, column: &str) -> bool {
        self.named.iter().any(|named| named == column)
    }
}
