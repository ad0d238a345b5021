//! Where table names lead: the one question the resolver asks about a database.

use catalog::{Catalog, Dialect, Table, TableId};

/// A set of tables that names can be looked up in.
pub trait Schema: Sync {
    /// The table that these parts of a name mean, outermost first, without quotes and otherwise as written:
    /// `["orders"]`, `["sales", "orders"]`.
    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_>;
}

/// The answer to a look-up.
#[derive(Clone, Debug, PartialEq)]
pub enum TableLookup<'a> {
    /// This one.
    Found(&'a Table),
    /// None has that name.
    Unknown,
    /// Several do, in different schemas.
    Ambiguous(Vec<TableId>),
}

/// The tables of one source of a catalog.
#[derive(Clone, Copy, Debug)]
pub struct CatalogSchema<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// The source's name.
    pub source: &'a str,
}

impl CatalogSchema<'_> {
    /// Schemas that may be left out of a name, and may be written where the catalog stores none.
    fn default_schemas(&self) -> &'static [&'static str] {
        match self.catalog.source(self.source).map(|source| &source.dialect) {
            Some(Dialect::Sqlite | Dialect::Duckdb) => &["main"],
            Some(Dialect::Postgres) => &["public"],
            // A source is the database of its address, and a name in front of a table can be that of another one.
            Some(Dialect::Mysql | Dialect::Clickhouse) => &[],
            Some(Dialect::Other(_)) | None => &["main", "public", "dbo", "default"],
        }
    }
}

impl Schema for CatalogSchema<'_> {
    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_> {
        let Some((name, qualifiers)) = parts.split_last() else { return TableLookup::Unknown };
        let defaults = self.default_schemas();
        let mut found: Vec<&Table> = self
            .catalog
            .find(&parts.join("."), Some(self.source))
            .into_iter()
            .map(|entry| &entry.table)
            .filter(|table| matches_parts(&table.id, name, qualifiers))
            .collect();
        if found.is_empty() && qualifiers.len() == 1 && defaults.iter().any(|it| it.eq_ignore_ascii_case(qualifiers[0]))
        {
            found = self
                .catalog
                .find(name, Some(self.source))
                .into_iter()
                .map(|entry| &entry.table)
                .filter(|table| table.id.schema.is_none() && table.id.name.eq_ignore_ascii_case(name))
                .collect();
        }
        // The same name in another case is another table only where both exist.
        if found.len() > 1 && found.iter().any(|table| table.id.name == *name) {
            found.retain(|table| table.id.name == *name);
        }
        if found.len() > 1 && qualifiers.is_empty() {
            let in_default = |table: &&&Table| {
                table
                    .id
                    .schema
                    .as_deref()
                    .is_none_or(|schema| defaults.iter().any(|it| it.eq_ignore_ascii_case(schema)))
            };
            if let Some(table) = found.iter().find(in_default) {
                return TableLookup::Found(table);
            }
        }
        match found.as_slice() {
            [] => TableLookup::Unknown,
            [table] => TableLookup::Found(table),
            several => TableLookup::Ambiguous(several.iter().map(|table| table.id.clone()).collect()),
        }
    }
}

/// Whether the written parts name that table. The catalog's own look-up joins parts with dots, and a name may hold dots.
fn matches_parts(id: &TableId, name: &str, qualifiers: &[&str]) -> bool {
    if !id.name.to_lowercase().eq(&name.to_lowercase()) {
        return false;
    }
    let schema = id.schema.as_deref().unwrap_or_default();
    match qualifiers {
        [] => true,
        [.., schema_written] if id.schema.is_some() && !schema.contains('.') => {
            schema_written.eq_ignore_ascii_case(schema)
        }
        several => several.join(".").eq_ignore_ascii_case(schema) || several.join(".").eq_ignore_ascii_case(&id.source),
    }
}
