//! Tables, columns, keys and indexes.

use std::collections::BTreeSet;

use catalog::{Column, Exactness, ForeignKey, KeyOrigin, Table, TableKind};

use super::{Check, World};

const SECTION: &str = "Structure";
/// How far an engine's own estimate of a row count may be from the rows.
const ESTIMATE: f64 = 1.2;

pub(super) fn checks(reference: &World, found: &World) -> Vec<Check> {
    let mut tables = Check::of(SECTION, "tables and views");
    tables.compare("names", names(reference), names(found));
    let pairs: Vec<(&Table, &Table)> =
        reference.tables().filter_map(|(name, entry)| Some((&*entry.table, &*found.table(name)?.table))).collect();
    let declares_keys = pairs.iter().any(|(_, table)| table.foreign_keys.iter().any(is_declared));
    let each = |name: &str, compare: &dyn Fn(&mut Check, &Table, &Table)| {
        let mut check = Check::of(SECTION, name);
        pairs.iter().for_each(|(one, other)| compare(&mut check, one, other));
        check
    };
    vec![
        tables,
        each("columns and their order", &|check, one, other| {
            check.compare(&one.id.name, column_names(one), column_names(other));
        }),
        each("type classes", &type_classes),
        each("nullable columns", &nullable),
        each("defaults", &defaults),
        each("primary keys", &|check, one, other| {
            check.compare(&one.id.name, one.primary_key.join(", "), other.primary_key.join(", "));
        }),
        each("declared foreign keys", &|check, one, other| {
            check.compare(&one.id.name, declared_keys(one), declared_keys(other));
        }),
        each("inferred foreign keys", &|check, one, other| inferred_keys(check, one, other, !declares_keys)),
        each("indexes", &indexes),
        each("row counts", &row_counts),
        each("times of the last change", &|check, one, other| {
            let at = |table: &Table| match &table.last_update {
                None => "none".to_owned(),
                Some(update) if update.is_of_engine() => "told by the engine".to_owned(),
                // Dates that were ahead for the shop: which of them lie behind today depends on the day and the sample.
                Some(update) if update.at.to_string() > shop::TODAY.to_string() => {
                    "later than the shop's own day".to_owned()
                }
                Some(update) => update.at.to_string(),
            };
            check.compare(&one.id.name, at(one), at(other));
        }),
    ]
}

fn names(world: &World) -> String {
    let names: Vec<String> =
        world.tables().map(|(name, entry)| format!("{name} ({})", entry.table.kind.name())).collect();
    names.join(", ")
}

fn column_names(table: &Table) -> String {
    table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The columns of both, by name.
fn columns<'a>(one: &'a Table, other: &'a Table) -> impl Iterator<Item = (String, &'a Column, &'a Column)> {
    one.columns
        .iter()
        .filter_map(|column| Some((format!("{}.{}", one.id.name, column.name), column, other.column(&column.name)?)))
}

fn type_classes(check: &mut Check, one: &Table, other: &Table) {
    for (subject, column, counterpart) in columns(one, other) {
        let class = |column: &Column| serde_json::to_value(column.type_class).unwrap().as_str().unwrap().to_owned();
        let (mut reference, found) = (class(column), class(counterpart));
        if reference != found && one.kind == TableKind::View {
            reference.push_str(", in a view");
        }
        check.compare(&subject, reference, found);
    }
}

fn nullable(check: &mut Check, one: &Table, other: &Table) {
    if one.kind == TableKind::View {
        return;
    }
    for (subject, column, counterpart) in columns(one, other) {
        let word = |column: &Column| if column.nullable { "nullable" } else { "not nullable" };
        let mut reference = word(column).to_owned();
        if column.nullable != counterpart.nullable && one.primary_key.contains(&column.name) {
            reference.push_str(", in the primary key");
        }
        check.compare(&subject, reference, word(counterpart));
    }
}

fn defaults(check: &mut Check, one: &Table, other: &Table) {
    if one.kind == TableKind::View {
        return;
    }
    for (subject, column, counterpart) in columns(one, other) {
        let value = |column: &Column| match column.default.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None => "none".to_owned(),
            Some("false") => "0".to_owned(),
            Some("true") => "1".to_owned(),
            Some(other) => other.to_owned(),
        };
        check.compare(&subject, value(column), value(counterpart));
    }
}

fn text(key: &ForeignKey) -> String {
    format!("({}) to {} ({})", key.columns.join(", "), key.ref_table.name, key.ref_columns.join(", "))
}

fn is_declared(key: &ForeignKey) -> bool {
    key.origin == KeyOrigin::Declared
}

fn declared_keys(table: &Table) -> String {
    let declared = table.foreign_keys.iter().filter(|key| is_declared(key));
    declared.map(text).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// Compares key by key; `all` where those that SQLite declares have to be inferred as well.
fn inferred_keys(check: &mut Check, one: &Table, other: &Table, all: bool) {
    let keys = |table: &Table, all: bool| -> BTreeSet<String> {
        table.foreign_keys.iter().filter(|key| all || !is_declared(key)).map(text).collect()
    };
    let (reference, found) = (keys(one, all), keys(other, false));
    for (key, reference, found) in reference
        .difference(&found)
        .map(|key| (key, "there", "not inferred"))
        .chain(found.difference(&reference).map(|key| (key, "none", "inferred")))
    {
        check.compare(&format!("{} {key}", one.id.name), reference, found);
    }
}

fn indexes(check: &mut Check, one: &Table, other: &Table) {
    let all = |table: &Table| -> BTreeSet<(Vec<String>, bool)> {
        table.indexes.iter().map(|index| (index.columns.clone(), index.unique)).collect()
    };
    let (reference, found) = (all(one), all(other));
    let subject = |columns: &[String]| format!("{} ({})", one.id.name, columns.join(", "));
    for (columns, _) in reference.difference(&found) {
        check.compare(&subject(columns), "there", "none, or another kind");
    }
    for (columns, unique) in found.difference(&reference) {
        let what = match () {
            () if *unique => "there",
            () if one.primary_key == *columns => "index of the primary key",
            () if one.foreign_keys.iter().any(|key| key.columns == *columns) => "index of a foreign key",
            () => "there",
        };
        check.compare(&subject(columns), "none", what);
    }
}

fn row_counts(check: &mut Check, one: &Table, other: &Table) {
    let value = |table: &Table| table.row_count.map(|count| count.value);
    let (reference, found) = (value(one), value(other));
    if let (Some(rows), Some(estimate), Some(Exactness::Estimate)) =
        (reference, found, other.row_count.map(|count| count.exactness))
    {
        let (rows, estimate) = (rows as f64, estimate as f64);
        if rows != estimate && rows.max(estimate) <= ESTIMATE * rows.min(estimate) {
            check.tolerance = Some("the engine estimates tables of more than 10,000 rows, at most a fifth off");
            return;
        }
    }
    let text = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
    check.compare(&one.id.name, text(reference), text(found));
}
