//! The specs' tables, from the lines of `specs/schema.txt`.
//!
//! `table name`, or `view name AS query`, then a line for each column: its name, its type and what else is known of it:
//! `key`, `unique`, `sorted`, `not null`, `-> table.column`, `generated expression`, which comes last.

use catalog::{Catalog, Column, Dialect, Entry, ForeignKey, Index, KeyOrigin, Source, Table, TableId, TableKind};

/// The source's name.
pub(crate) const SOURCE: &str = "spec";

/// The catalog, as if the source spoke `dialect` and looked for bare names along `search_path`.
pub(crate) fn catalog(dialect: &Dialect, search_path: &[String]) -> Catalog {
    let source = Source { search_path: search_path.to_vec(), ..Source::new(SOURCE, dialect.clone(), "") };
    Catalog::new(vec![source], tables(include_str!("../specs/schema.txt")), Vec::new(), 1)
}

/// A table of the specs' source without columns.
pub(crate) fn empty_table(name: &str, kind: TableKind) -> Table {
    let mut id = TableId::new(SOURCE, name);
    if let Some((schema, name)) = name.split_once('.') {
        (id.schema, id.name) = (Some(schema.to_owned()), name.to_owned());
    }
    Table { kind, ..Table::new(id) }
}

fn tables(text: &str) -> Vec<Entry> {
    let mut tables: Vec<Table> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(column) = line.strip_prefix("  ") {
            add_column(tables.last_mut().unwrap(), column);
        } else if let Some((name, definition)) = line.strip_prefix("view ").and_then(|it| it.split_once(" AS ")) {
            let definition = Some(definition.to_owned());
            tables.push(Table { definition, ..empty_table(name, TableKind::View) });
        } else if let Some(name) = line.strip_prefix("searched table ") {
            tables.push(empty_table(name, TableKind::Other("virtual table".to_owned())));
        } else {
            let name = line.strip_prefix("table ").unwrap_or_else(|| panic!("schema.txt: `{line}`"));
            tables.push(empty_table(name, TableKind::Table));
        }
    }
    tables.into_iter().map(Entry::bare).collect()
}

fn add_column(table: &mut Table, line: &str) {
    let (name, rest) = line.split_once(' ').unwrap_or_else(|| panic!("schema.txt: `{line}` has no type"));
    let (data_type, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut column = Column::new(name, data_type);
    while !rest.is_empty() {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after;
        match word {
            "key" => table.primary_key.push(name.to_owned()),
            "unique" => table.indexes.push(index("unique", name, true)),
            "sorted" => table.indexes.push(index(Index::SORTING_KEY, name, false)),
            "not" => {
                rest = rest.strip_prefix("null").unwrap().trim_start();
                column.nullable = false;
            }
            "->" => {
                let (target, after) = rest.split_once(' ').unwrap_or((rest, ""));
                let (ref_table, ref_column) = target.rsplit_once('.').unwrap();
                table.foreign_keys.push(ForeignKey {
                    columns: vec![name.to_owned()],
                    ref_table: empty_table(ref_table, TableKind::Table).id,
                    ref_columns: vec![ref_column.to_owned()],
                    origin: KeyOrigin::Declared,
                });
                rest = after;
            }
            "generated" => {
                column.generated = Some(std::mem::take(&mut rest).to_owned());
            }
            other => panic!("schema.txt: `{other}` of `{line}` is not known"),
        }
    }
    table.columns.push(column);
}

fn index(name: &str, column: &str, unique: bool) -> Index {
    Index { name: name.to_owned(), columns: vec![column.to_owned()], unique }
}
