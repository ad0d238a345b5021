//! Tables, columns, keys and indexes of a DuckDB file, in four statements however many tables there are.
//!
//! What is learnt about types beyond the words of a [`Table`] is kept as [`Facts`], for the statements that read rows.

use std::collections::HashMap;

use catalog::{Column, Exactness, Index, RowCount, Table, TableId, TableKind, TypeClass};

use super::engine::Cell;
use super::session::Session;
use super::{checks, ddl, decode};
use crate::declared_keys::{self, DeclaredKey};
use crate::error::ConnectError;
use crate::value::Value;

const TABLES: &str = include_str!("introspection/tables.sql");
const COLUMNS: &str = include_str!("introspection/columns.sql");
const CONSTRAINTS: &str = include_str!("introspection/constraints.sql");
const INDEXES: &str = include_str!("introspection/indexes.sql");

/// What reading a table's rows rests on.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The engine's name for the file, which a schema may share.
    pub(super) database: String,
    /// The engine's words for the type of each column, by name.
    pub(super) types: HashMap<String, String>,
}

/// Everything there is, by name, with the facts that go with it.
pub(super) fn tables(session: &Session<'_>, source: &str) -> Result<Vec<(Table, Facts)>, ConnectError> {
    let mut reader = Reader::of_tables(session, source)?;
    reader.columns()?;
    let keys = reader.constraints()?;
    reader.indexes()?;
    // Resolving needs all tables side by side.
    declared_keys::resolve(&mut reader.tables, keys);
    let types =
        |table: &Table| table.columns.iter().map(|column| (column.name.clone(), column.data_type.clone())).collect();
    let with_facts = |(table, database)| {
        let facts = Facts { database, types: types(&table) };
        (table, facts)
    };
    Ok(reader.tables.into_iter().zip(reader.databases).map(with_facts).collect())
}

/// Fills in what the statements say about the tables they name.
struct Reader<'a> {
    session: &'a Session<'a>,
    tables: Vec<Table>,
    /// The engine's name for the file of each.
    databases: Vec<String>,
    /// Columns whose values are computed.
    generated: Vec<Vec<String>>,
    /// Places in `tables`, by schema and name.
    positions: HashMap<(String, String), usize>,
}

impl<'a> Reader<'a> {
    fn of_tables(session: &'a Session<'a>, source: &str) -> Result<Self, ConnectError> {
        let listed = session.all_rows(TABLES, &[], |cells| {
            let mut row = Row::of(cells);
            let (schema, name, is_view) = (row.text(), row.text(), row.flag());
            let (comment, sql, rows, database) = (row.optional(), row.text(), row.number(), row.text());
            let generated = if is_view { Vec::new() } else { ddl::generated_columns(&sql) };
            let table = Table {
                kind: if is_view { TableKind::View } else { TableKind::Table },
                comment,
                definition: is_view.then(|| ddl::view_query(&sql).unwrap_or(&sql).to_owned()),
                row_count: rows.map(|value| RowCount { value, exactness: Exactness::Estimate }),
                ..Table::new(TableId { source: source.to_owned(), schema: Some(schema), name })
            };
            (table, (database, generated))
        })?;
        let (tables, others): (Vec<Table>, Vec<(String, Vec<String>)>) = listed.into_iter().unzip();
        let (databases, generated) = others.into_iter().unzip();
        let key = |table: &Table| (table.id.schema.clone().unwrap_or_default(), table.id.name.clone());
        let positions = tables.iter().map(key).zip(0..).collect();
        Ok(Self { session, tables, databases, generated, positions })
    }

    /// The place of the table that a row begins with.
    fn position(&self, row: &mut Row<'_>) -> Option<usize> {
        self.positions.get(&(row.text(), row.text())).copied()
    }

    fn columns(&mut self) -> Result<(), ConnectError> {
        let columns = self.session.all_rows(COLUMNS, &[], |cells| {
            let mut row = Row::of(cells);
            let position = self.position(&mut row)?;
            let (name, data_type, nullable) = (row.text(), row.text(), row.flag());
            let (default, comment) = (row.optional(), row.optional());
            let is_generated = self.generated[position].contains(&name);
            let column = Column {
                type_class: type_class(&data_type),
                enum_values: checks::enum_labels(&data_type),
                generated: default.clone().filter(|_| is_generated),
                default: default.map(|text| if is_generated { format!("GENERATED ALWAYS AS ({text})") } else { text }),
                name,
                data_type,
                nullable,
                comment,
            };
            Some((position, column))
        })?;
        for (position, column) in columns.into_iter().flatten() {
            self.tables[position].columns.push(column);
        }
        Ok(())
    }

    /// The foreign keys of each table, as declared; other keys and lists of values go to their tables.
    fn constraints(&mut self) -> Result<Vec<Vec<DeclaredKey>>, ConnectError> {
        let listed = self.session.all_rows(CONSTRAINTS, &[], |cells| {
            let mut row = Row::of(cells);
            let position = self.position(&mut row)?;
            let (kind, name, columns) = (row.text(), row.text(), row.texts());
            Some((position, kind, name, columns, row.optional(), row.texts(), row.text()))
        })?;
        let mut keys: Vec<Vec<DeclaredKey>> = vec![Vec::new(); self.tables.len()];
        for (position, kind, name, columns, ref_table, ref_columns, condition) in listed.into_iter().flatten() {
            let table = &mut self.tables[position];
            match (kind.as_str(), ref_table) {
                ("PRIMARY KEY", _) => table.primary_key = columns,
                ("UNIQUE", _) => table.indexes.push(Index { name, columns, unique: true }),
                ("FOREIGN KEY", Some(ref_table)) => {
                    let ref_schema = table.id.schema.clone();
                    keys[position].push(DeclaredKey { columns, ref_schema, ref_table, ref_columns });
                }
                ("CHECK", _) => {
                    let Some((column, values)) = checks::listed_values(&condition) else { continue };
                    if let Some(column) = table.columns.iter_mut().find(|known| known.name == column) {
                        column.enum_values = values;
                    }
                }
                _ => {}
            }
        }
        Ok(keys)
    }

    fn indexes(&mut self) -> Result<(), ConnectError> {
        let indexes = self.session.all_rows(INDEXES, &[], |cells| {
            let mut row = Row::of(cells);
            let position = self.position(&mut row)?;
            let (name, unique, terms) = (row.text(), row.flag(), row.texts());
            let columns = terms.into_iter().map(|term| ddl::plain_name(&term).unwrap_or(term)).collect();
            Some((position, Index { name, columns, unique }))
        })?;
        for (position, index) in indexes.into_iter().flatten() {
            self.tables[position].indexes.push(index);
        }
        for table in &mut self.tables {
            table.indexes.sort_by(|one, other| one.name.cmp(&other.name));
        }
        Ok(())
    }
}

/// The cells of a row of our own statements, from left to right.
struct Row<'c>(std::vec::IntoIter<Cell<'c>>);

impl<'c> Row<'c> {
    fn of(cells: Vec<Cell<'c>>) -> Self {
        Self(cells.into_iter())
    }

    fn optional(&mut self) -> Option<String> {
        self.0.next().and_then(|cell| decode::value(cell, usize::MAX).as_text())
    }

    fn text(&mut self) -> String {
        self.optional().unwrap_or_default()
    }

    fn flag(&mut self) -> bool {
        matches!(self.0.next(), Some(Cell::Boolean(true)))
    }

    fn number(&mut self) -> Option<u64> {
        match decode::value(self.0.next()?, usize::MAX) {
            Value::Integer(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    fn texts(&mut self) -> Vec<String> {
        match self.0.next() {
            Some(Cell::List(items)) => items.filter_map(|item| decode::value(item, usize::MAX).as_text()).collect(),
            _ => Vec::new(),
        }
    }
}

/// The class of a type by the engine's words for it.
fn type_class(data_type: &str) -> TypeClass {
    // What stands inside a nested type says nothing about its values.
    if data_type.ends_with(']') || ["STRUCT(", "MAP(", "UNION("].iter().any(|nested| data_type.starts_with(nested)) {
        return TypeClass::Other;
    }
    match data_type {
        _ if data_type.starts_with("ENUM(") => TypeClass::Text,
        // Strings of bits; and whole numbers of any length.
        "BIT" => TypeClass::Other,
        "BIGNUM" | "VARINT" => TypeClass::Integer,
        _ => TypeClass::of(data_type),
    }
}

#[cfg(test)]
mod tests {
    use catalog::TypeClass;

    use super::type_class;

    #[test]
    fn tells_what_a_type_is() {
        for (data_type, expected) in [
            ("HUGEINT", TypeClass::Integer),
            ("UTINYINT", TypeClass::Integer),
            ("BIGNUM", TypeClass::Integer),
            ("DECIMAL(10,2)", TypeClass::Real),
            ("DECIMAL(10,2)[]", TypeClass::Other),
            ("INTEGER[3]", TypeClass::Other),
            ("ENUM('date', 'a[]')", TypeClass::Text),
            ("STRUCT(d DATE)", TypeClass::Other),
            ("UNION(n INTEGER)", TypeClass::Other),
            ("MAP(VARCHAR, JSON)", TypeClass::Other),
            ("BIT", TypeClass::Other),
            ("BLOB", TypeClass::Binary),
            ("INTERVAL", TypeClass::Other),
            ("TIME WITH TIME ZONE", TypeClass::Time),
            ("TIMESTAMP_NS", TypeClass::Timestamp),
            ("TIMESTAMP WITH TIME ZONE", TypeClass::Timestamp),
            ("BOOLEAN", TypeClass::Boolean),
            ("UUID", TypeClass::Uuid),
            ("JSON", TypeClass::Json),
        ] {
            assert_eq!(type_class(data_type), expected, "{data_type}");
        }
    }
}
