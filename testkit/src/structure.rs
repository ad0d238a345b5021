//! Catalogs of bare structure, written as `CREATE TABLE` statements or as short lists.
//!
//! The statements are run in an empty SQLite in memory, whatever the dialect the catalog is then labelled with:
//! SQLite takes any type name, which is all that tests of name resolution and policy need. Statements with a schema
//! (`sales.orders`) get an attached database.
//!
//! Invariant: tables hold structure alone; profiles and descriptions are there only where a test adds them.

use catalog::{
    Catalog, Column, ColumnProfile, Dialect, Entry, ForeignKey, Index, KeyOrigin, KnownValues, Mask, SampleMethod,
    Source, Table, TableId, TableKind, TableProfile,
};
use jiff::Timestamp;
use rusqlite::{Connection, Row};

/// A catalog with one source and the tables and views that these statements make.
///
/// # Panics
/// When SQLite doesn't take the statements.
pub fn catalog_from_ddl(dialect: Dialect, source: &str, ddl: &str) -> Catalog {
    let connection = run_with_schemas(ddl);
    let mut tables = Vec::new();
    let listing = "SELECT name FROM pragma_database_list WHERE name <> 'temp'";
    let schemas: Vec<String> = rows(&connection, listing, &[], |row| row.get(0));
    for schema in schemas {
        tables.extend(tables_of_schema(&connection, source, &schema));
    }
    catalog_from_tables(dialect, source, tables)
}

/// A catalog with one source and these tables, without profiles.
pub fn catalog_from_tables(dialect: Dialect, source: &str, tables: Vec<Table>) -> Catalog {
    let location = format!("{dialect}:{source}");
    let source = Source::new(source, dialect, location);
    Catalog::new(vec![source], tables.into_iter().map(Entry::bare).collect(), Vec::new(), 1)
}

/// A table from its local name (`orders` or `sales.orders`) and its columns (`id INTEGER`, `tags TEXT[]`), for what
/// SQLite's grammar doesn't take. Columns are nullable; there are no keys.
///
/// # Panics
/// When a column has no type.
pub fn table(source: &str, name: &str, columns: &[&str]) -> Table {
    let id = match name.rsplit_once('.') {
        Some((schema, name)) => {
            TableId { source: source.to_owned(), schema: Some(schema.to_owned()), name: name.to_owned() }
        }
        None => TableId::new(source, name),
    };
    let columns = columns.iter().map(|column| match column.split_once(' ') {
        Some((name, data_type)) => Column::new(name, data_type.trim()),
        None => panic!("the test's column `{column}` has no type"),
    });
    Table { columns: columns.collect(), ..Table::new(id) }
}

/// The catalog with a profile that says these are all the values of a column.
///
/// # Panics
/// When there is no such table or column, or several tables of the name.
pub fn with_known_values(catalog: Catalog, table: &str, column: &str, values: &[&str]) -> Catalog {
    with_profiled(catalog, table, column, |profiled| {
        profiled.distinct_count = Some(values.len() as u64);
        profiled.null_fraction = Some(0.0);
        profiled.values = KnownValues::All(values.iter().map(|&value| value.to_owned()).collect());
    })
}

/// The same for the share of rows in which a column is NULL.
pub fn with_null_fraction(catalog: Catalog, table: &str, column: &str, share: f64) -> Catalog {
    with_profiled(catalog, table, column, |profiled| profiled.null_fraction = Some(share))
}

/// The same for the share of its values that are different.
pub fn with_distinct_ratio(catalog: Catalog, table: &str, column: &str, share: f64) -> Catalog {
    with_profiled(catalog, table, column, |profiled| profiled.distinct_ratio = Some(share))
}

/// The catalog with a column that may not be shown, by what its values are.
///
/// # Panics
/// As [`with_known_values`].
pub fn with_masked(catalog: Catalog, table: &str, column: &str) -> Catalog {
    with_profiled(catalog, table, column, |profiled| profiled.masked = Some(Mask::by_values("the test says so")))
}

/// The catalog with something else in what is known of a column.
fn with_profiled(catalog: Catalog, table: &str, column: &str, change: impl Fn(&mut ColumnProfile)) -> Catalog {
    let found = catalog.find(table, None);
    let [entry] = found.as_slice() else {
        panic!("the test's table `{table}` names {} tables", found.len());
    };
    let id = entry.table.id.clone();
    let mut entries = catalog.entries().to_vec();
    let entry = entries.iter_mut().find(|entry| entry.table.id == id).expect("it was found above");
    let structure = &entry.table;
    let mut profile = entry.profile().cloned().unwrap_or_else(|| empty_profile(structure));
    let Some(profiled) = profile.columns.iter_mut().find(|profiled| profiled.column.eq_ignore_ascii_case(column))
    else {
        panic!("the test's table `{table}` has no column `{column}`");
    };
    change(profiled);
    *entry = entry.clone().with_profile(profile);
    Catalog::new(catalog.sources().to_vec(), entries, catalog.memories().to_vec(), catalog.revision())
}

/// The catalog as if somebody had looked at every value, and found nothing to tell.
pub fn looked_at(catalog: &Catalog) -> Catalog {
    let profiled = |entry: &Entry| match entry.profile() {
        Some(_) => entry.clone(),
        None => entry.clone().with_profile(empty_profile(&entry.table)),
    };
    let entries = catalog.entries().iter().map(profiled).collect();
    Catalog::new(catalog.sources().to_vec(), entries, catalog.memories().to_vec(), catalog.revision())
}

fn empty_profile(table: &Table) -> TableProfile {
    TableProfile::new(table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH)
}

/// Runs the statements; where they name a schema that isn't there, attaches it and starts over.
fn run_with_schemas(ddl: &str) -> Connection {
    let mut schemas: Vec<String> = Vec::new();
    loop {
        let connection = Connection::open_in_memory().expect("SQLite needs nothing for a database in memory");
        for schema in &schemas {
            let attach = format!("ATTACH ':memory:' AS {}", quoted(schema));
            connection.execute_batch(&attach).expect("a database in memory can be attached");
        }
        let Err(error) = connection.execute_batch(ddl) else {
            return connection;
        };
        let message = error.to_string();
        let missing = message.split_once("unknown database ").map(|(_, rest)| rest.split(' ').next().unwrap_or(rest));
        match missing {
            Some(schema) if !schemas.iter().any(|known| known == schema) => schemas.push(schema.to_owned()),
            _ => panic!("SQLite doesn't take the test's statements: {error}\n{ddl}"),
        }
    }
}

/// The tables and views of one attached database, by name.
pub(crate) fn tables_of_schema(connection: &Connection, source: &str, schema: &str) -> Vec<Table> {
    let listing = format!(
        "SELECT name, type, sql FROM {}.sqlite_schema
         WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        quoted(schema)
    );
    let relations: Vec<(String, String, Option<String>)> =
        rows(connection, &listing, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let schema_name = (schema != "main").then(|| schema.to_owned());
    relations
        .into_iter()
        .map(|(name, kind, sql)| {
            let is_view = kind == "view";
            let id = TableId { source: source.to_owned(), schema: schema_name.clone(), name };
            Table {
                columns: columns(connection, schema, &id.name),
                primary_key: primary_key(connection, schema, &id.name),
                foreign_keys: foreign_keys(connection, schema, &id),
                indexes: indexes(connection, schema, &id.name),
                kind: if is_view { TableKind::View } else { TableKind::Table },
                definition: sql.filter(|_| is_view),
                ..Table::new(id)
            }
        })
        .collect()
}

fn columns(connection: &Connection, schema: &str, table: &str) -> Vec<Column> {
    let sql = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?1, ?2) ORDER BY cid";
    rows(connection, sql, &[table, schema], |row| {
        let required: bool = row.get(2)?;
        let key_position: i64 = row.get(4)?;
        let mut column = Column::new(row.get::<_, String>(0)?, row.get::<_, String>(1)?);
        column.nullable = !required && key_position == 0;
        column.default = row.get(3)?;
        Ok(column)
    })
}

fn primary_key(connection: &Connection, schema: &str, table: &str) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_info(?1, ?2) WHERE pk > 0 ORDER BY pk";
    rows(connection, sql, &[table, schema], |row| row.get(0))
}

fn foreign_keys(connection: &Connection, schema: &str, table: &TableId) -> Vec<ForeignKey> {
    let sql = "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1, ?2) ORDER BY id DESC, seq";
    let parts: Vec<(i64, String, String, Option<String>)> =
        rows(connection, sql, &[&table.name, schema], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
    for (number, ref_table, column, ref_column) in parts {
        if keys.last().is_none_or(|(last, _)| *last != number) {
            let ref_table = TableId { name: ref_table, ..table.clone() };
            let origin = KeyOrigin::Declared;
            keys.push((number, ForeignKey { columns: Vec::new(), ref_table, ref_columns: Vec::new(), origin }));
        }
        if let Some((_, key)) = keys.last_mut() {
            key.columns.push(column);
            key.ref_columns.extend(ref_column);
        }
    }
    for (_, key) in &mut keys {
        // `REFERENCES t` without columns means its primary key.
        if key.ref_columns.is_empty() {
            key.ref_columns = primary_key(connection, schema, &key.ref_table.name);
        }
    }
    keys.into_iter().map(|(_, key)| key).collect()
}

fn indexes(connection: &Connection, schema: &str, table: &str) -> Vec<Index> {
    let sql = "SELECT name, \"unique\" FROM pragma_index_list(?1, ?2) WHERE origin <> 'pk' ORDER BY name";
    let found: Vec<(String, bool)> = rows(connection, sql, &[table, schema], |row| Ok((row.get(0)?, row.get(1)?)));
    found
        .into_iter()
        .map(|(name, unique)| {
            let sql = "SELECT coalesce(name, '<expression>') FROM pragma_index_info(?1, ?2) ORDER BY seqno";
            let columns = rows(connection, sql, &[&name, schema], |row| row.get(0));
            Index { name, columns, unique }
        })
        .collect()
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[&str],
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Vec<T> {
    let result = connection.prepare(sql).and_then(|mut statement| {
        statement.query_map(rusqlite::params_from_iter(parameters), read)?.collect::<rusqlite::Result<Vec<T>>>()
    });
    result.unwrap_or_else(|error| panic!("SQLite doesn't answer `{sql}`: {error}"))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use catalog::{Dialect, KeyOrigin, TableKind, TypeClass};

    use super::{catalog_from_ddl, catalog_from_tables, table, with_known_values};

    const DDL: &str = r#"
        CREATE TABLE people (id BIGINT PRIMARY KEY, name VARCHAR(40) NOT NULL DEFAULT 'nobody', born DATE);
        CREATE TABLE sales.orders (
            id BIGINT, line INTEGER, buyer BIGINT REFERENCES people, data JSONB, "group" TEXT, PRIMARY KEY (line, id)
        );
        CREATE UNIQUE INDEX sales.by_buyer ON orders (buyer, lower("group"));
        CREATE VIEW adults AS SELECT id, name FROM people WHERE born < '2008-01-01';
    "#;

    #[test]
    fn statements_become_tables_with_keys_indexes_and_views() {
        let catalog = catalog_from_ddl(Dialect::Postgres, "crm", DDL);
        let names: Vec<String> = catalog.entries().iter().map(|entry| entry.table.id.to_string()).collect();
        assert_eq!(names, ["crm.adults", "crm.people", "crm.sales.orders"]);
        assert_eq!(catalog.sources()[0].dialect, Dialect::Postgres);

        let people = &catalog.find("people", None)[0].table;
        assert_eq!(people.primary_key, ["id"]);
        let name = people.column("NAME").expect("it was declared");
        assert_eq!((name.nullable, name.default.as_deref()), (false, Some("'nobody'")));
        assert_eq!(people.column("born").map(|column| column.type_class), Some(TypeClass::Date));

        let orders = &catalog.find("sales.orders", Some("crm"))[0].table;
        assert_eq!(orders.primary_key, ["line", "id"]);
        assert_eq!(orders.indexes[0].columns, ["buyer", "<expression>"]);
        assert!(orders.indexes[0].unique);
        assert_eq!(orders.column("group").map(|column| column.data_type.as_str()), Some("TEXT"));

        let adults = &catalog.find("adults", None)[0].table;
        assert_eq!(adults.kind, TableKind::View);
        assert!(adults.definition.as_deref().is_some_and(|text| text.contains("born <")));
    }

    #[test]
    fn a_reference_without_columns_means_the_primary_key() {
        let ddl = "CREATE TABLE a (x TEXT, y TEXT, PRIMARY KEY (y, x));
                   CREATE TABLE b (p TEXT, q TEXT, FOREIGN KEY (p, q) REFERENCES a)";
        let catalog = catalog_from_ddl(Dialect::Sqlite, "s", ddl);
        let key = &catalog.find("b", None)[0].table.foreign_keys[0];
        assert_eq!(key.columns, ["p", "q"]);
        assert_eq!(key.ref_columns, ["y", "x"]);
        assert_eq!(key.ref_table.to_string(), "s.a");
        assert_eq!(key.origin, KeyOrigin::Declared);
    }

    #[test]
    fn known_values_are_added_column_by_column() {
        let tables = vec![table("s", "lake.events", &["kind TEXT", "tags TEXT[]"])];
        let catalog = catalog_from_tables(Dialect::Duckdb, "s", tables);
        let catalog = with_known_values(catalog, "events", "kind", &["view", "buy"]);
        let catalog = with_known_values(catalog, "lake.events", "TAGS", &["[]"]);
        let profile = catalog.entries()[0].profile().expect("it was added");
        assert_eq!(profile.columns[0].values.as_slice(), ["view", "buy"]);
        assert_eq!(profile.columns[1].distinct_count, Some(1));
    }

    #[test]
    #[should_panic(expected = "has no column `nope`")]
    fn an_unknown_column_is_said_at_once() {
        let catalog = catalog_from_ddl(Dialect::Sqlite, "s", "CREATE TABLE t (a INTEGER)");
        with_known_values(catalog, "t", "nope", &[]);
    }
}
