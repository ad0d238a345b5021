//! Where table names lead: the one question the resolver asks about a database.

use catalog::{Catalog, Table, TableId};

use crate::uniqueness::{self, Held, Uniqueness};

/// A set of tables that names can be looked up in.
pub trait Schema: Sync {
    /// The table that these parts of a name mean, outermost first, without quotes and otherwise as written:
    /// `["orders"]`, `["sales", "orders"]`.
    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_>;

    /// How many rows of a table there can be with what is held.
    fn uniqueness(&self, table: &TableId, held: Held<'_>) -> Uniqueness;

    /// The columns of a table's primary key, if it has one.
    fn primary_key(&self, table: &TableId) -> Option<&[String]>;

    /// All that is known of a table's structure.
    fn table(&self, table: &TableId) -> Option<&Table>;

    /// How large the values of a column are, as far as anybody has looked.
    fn column_size(&self, table: &TableId, column: &str) -> ColumnSize;
}

/// How long, in bytes, values are taken to be that were masked when their table was looked at.
pub const UNMEASURED: f64 = 1e7;

/// How large the values of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColumnSize {
    /// The mean length of the text form, in characters.
    pub average_length: Option<f64>,
    /// The length of the longest that was seen, in bytes.
    pub longest: Option<f64>,
    /// The largest number in it, its sign left out.
    pub largest: Option<f64>,
    /// How many different values it has.
    pub distinct: Option<f64>,
    /// The first and the last day in it, counted from the first of 2000.
    pub days: Option<(f64, f64)>,
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
    home: Option<&'a str>,
    /// What the source calls itself as a database, where names may say that.
    database: Option<&'a str>,
}

impl<'a> CatalogSchema<'a> {
    /// The tables of that source, as a statement names them.
    pub fn new(catalog: &'a Catalog, source: &'a str) -> Self {
        Self { catalog, source, home: None, database: None }
    }

    /// The same, as the query of this view names them: some engines look into the view's own schema first.
    pub(crate) fn of_view(catalog: &'a Catalog, view: &'a TableId) -> Self {
        let names = catalog.dialect(&view.source).names();
        let own = catalog.source(&view.source).and_then(catalog::Source::database);
        Self {
            home: view.schema.as_deref().filter(|_| names.views_look_at_home),
            database: own.filter(|_| names.views_name_their_database),
            ..Self::new(catalog, &view.source)
        }
    }

    /// Schemas that may be left out of a name, and may be written where the catalog stores none.
    fn default_schemas(&self) -> Vec<&str> {
        self.home.into_iter().chain(self.schemas_of_the_source()).collect()
    }

    fn schemas_of_the_source(&self) -> Vec<&str> {
        match self.search_path() {
            [] => self.catalog.dialect(self.source).names().default_schemas.to_vec(),
            path => path.iter().map(String::as_str).collect(),
        }
    }

    /// Where the engine looks for a table that is named without a schema; empty where that isn't known.
    fn search_path(&self) -> &[String] {
        self.catalog.source(self.source).map_or(&[], |source| &source.search_path)
    }
}

impl Schema for CatalogSchema<'_> {
    fn column_size(&self, table: &TableId, column: &str) -> ColumnSize {
        let Some(entry) = self.catalog.entry(table) else { return ColumnSize::default() };
        if entry.is_unmeasured(column) {
            return ColumnSize { longest: Some(UNMEASURED), ..ColumnSize::default() };
        }
        let profile = entry.profile();
        let Some(column) = profile.and_then(|profile| profile.column(column)) else { return ColumnSize::default() };
        let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok()).map(f64::abs);
        let largest = number(&column.min).zip(number(&column.max)).map(|(min, max)| min.max(max));
        let distinct = column.distinct_count.map(|count| count as f64);
        let day = |text: &Option<String>| text.as_deref().and_then(crate::growth::day_of);
        let days = day(&column.min).zip(day(&column.max));
        let longest = column.longest.map(|bytes| bytes as f64);
        ColumnSize { average_length: column.average_length, longest, largest, distinct, days }
    }

    fn primary_key(&self, table: &TableId) -> Option<&[String]> {
        self.table(table).map(|table| table.primary_key.as_slice()).filter(|key| !key.is_empty())
    }

    fn table(&self, table: &TableId) -> Option<&Table> {
        self.catalog.entry(table).map(|entry| &*entry.table)
    }

    fn uniqueness(&self, table: &TableId, held: Held<'_>) -> Uniqueness {
        self.catalog.entry(table).map_or(Uniqueness::Unknown, |entry| uniqueness::uniqueness(entry, held))
    }

    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_> {
        if let ([database, _, _], Some(own)) = (parts, self.database)
            && database.eq_ignore_ascii_case(own)
        {
            return self.resolve_table(&parts[1..]);
        }
        let Some((name, qualifiers)) = parts.split_last() else { return TableLookup::Unknown };
        let defaults = self.default_schemas();
        let mut found: Vec<&Table> = self
            .catalog
            .find(&parts.join("."), Some(self.source))
            .into_iter()
            .map(|entry| &*entry.table)
            .filter(|table| matches_parts(&table.id, name, qualifiers))
            // Where the engine's own name for the whole is known, ours is none to it.
            .filter(|table| table.id.schema.is_some() || qualifiers.is_empty() || self.search_path().is_empty())
            .collect();
        if found.is_empty() && qualifiers.len() == 1 && defaults.iter().any(|it| it.eq_ignore_ascii_case(qualifiers[0]))
        {
            found = self
                .catalog
                .find(name, Some(self.source))
                .into_iter()
                .map(|entry| &*entry.table)
                .filter(|table| table.id.schema.is_none() && table.id.name.eq_ignore_ascii_case(name))
                .collect();
        }
        // The same name in another case is another table only where both exist.
        if found.len() > 1 && found.iter().any(|table| table.id.name == *name) {
            found.retain(|table| table.id.name == *name);
        }
        if qualifiers.is_empty() {
            let place = |table: &Table| match table.id.schema.as_deref() {
                Some(schema) => defaults.iter().position(|it| it.eq_ignore_ascii_case(schema)),
                None => Some(0),
            };
            let first = found.iter().filter_map(|table| Some((place(table)?, *table))).min_by_key(|(place, _)| *place);
            match first {
                Some((_, table)) => return TableLookup::Found(table),
                // The engine doesn't look anywhere else.
                None if !self.search_path().is_empty() => return TableLookup::Unknown,
                None => {}
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
