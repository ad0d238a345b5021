//! The file format of a snapshot.
//!
//! `{"name", "dialect", "tables": [{"schema"?, "name", "kind"?, "comment"?, "rows"?, "columns": [{"name", "type", "not_null"?,
//! "comment"?, "samples"?, "complete"?}], "primary_key"?, "foreign_keys"?: [{"columns", "ref_table", "ref_columns"}]}]}`.
//! Unknown fields are skipped; `kind`, `rows`, `not_null`, and `complete`, which says that the samples are all values there are,
//! are for who compares two snapshots. Exports made with Python hold a bare `NaN` where a value is missing, which JSON doesn't know; it is
//! read as null.

use std::collections::HashMap;

use catalog::{Catalog, Column, Entry, KeyOrigin, Table, TableId, TypeClass};
use serde::{Deserialize, Serialize};

use super::Samples;
use crate::declared_keys::{self, DeclaredKey};

/// What the file says, in the catalog's terms.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) dialect: String,
    pub(super) tables: Vec<Table>,
    pub(super) samples: HashMap<TableId, Samples>,
}

#[derive(Deserialize, Serialize)]
struct FileForm {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(default)]
    dialect: String,
    tables: Vec<TableForm>,
}

#[derive(Deserialize, Serialize)]
struct TableForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    columns: Vec<ColumnForm>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    primary_key: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    foreign_keys: Vec<KeyForm>,
}

#[derive(Deserialize, Serialize)]
struct ColumnForm {
    name: String,
    #[serde(rename = "type", default)]
    data_type: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    not_null: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    samples: Vec<serde_json::Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    complete: bool,
}

#[derive(Deserialize, Serialize)]
struct KeyForm {
    columns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_schema: Option<String>,
    ref_table: String,
    #[serde(default)]
    ref_columns: Vec<String>,
}

/// Whether values of the data are part of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotValues {
    /// Only what the tables are.
    Omit,
    /// Also what is known of the values of columns that aren't masked.
    Include,
}

/// One source of a catalog as the document that [`crate::connect`] reads under `snapshot:FILE`: tables, columns, comments and
/// declared keys.
pub fn snapshot(catalog: &Catalog, source: &str, values: SnapshotValues) -> serde_json::Value {
    let file = FileForm {
        name: source.to_owned(),
        dialect: catalog.dialect(source).to_string(),
        tables: catalog.tables_of(source).map(|entry| table_form(entry, values)).collect(),
    };
    serde_json::to_value(file).expect("its maps have string keys")
}

fn table_form(entry: &Entry, values: SnapshotValues) -> TableForm {
    let table = &entry.table;
    let samples = |column: &Column| {
        let facts = entry.facts(column);
        let known = facts.values.into_iter().chain(facts.examples);
        known.filter(|_| values == SnapshotValues::Include).map(serde_json::Value::from).collect()
    };
    let columns = table.columns.iter().map(|column| ColumnForm {
        name: column.name.clone(),
        data_type: entry.shown_type(column).into_owned(),
        not_null: !column.nullable,
        comment: column.comment.clone(),
        samples: samples(column),
        complete: values == SnapshotValues::Include && !entry.facts(column).values.is_empty(),
    });
    let declared = table.foreign_keys.iter().filter(|key| key.origin == KeyOrigin::Declared);
    let keys = declared.map(|key| KeyForm {
        columns: key.columns.clone(),
        ref_schema: key.ref_table.schema.clone(),
        ref_table: key.ref_table.name.clone(),
        ref_columns: key.ref_columns.clone(),
    });
    TableForm {
        schema: table.id.schema.clone(),
        name: table.id.name.clone(),
        kind: Some(table.kind.name().to_owned()),
        comment: table.comment.clone(),
        rows: table.row_count.map(|count| count.value).filter(|_| values == SnapshotValues::Include),
        columns: columns.collect(),
        primary_key: table.primary_key.clone(),
        foreign_keys: keys.collect(),
    }
}

/// Reads a snapshot as the source called `source`. The error says what is wrong with the file.
pub(super) fn read(content: &[u8], source: &str) -> Result<Snapshot, String> {
    let file: FileForm = serde_json::from_slice(&without_bare_words(content)).map_err(|error| error.to_string())?;
    let mut tables = Vec::with_capacity(file.tables.len());
    let mut keys = Vec::with_capacity(file.tables.len());
    let mut samples = HashMap::with_capacity(file.tables.len());
    for form in file.tables {
        let id =
            TableId { source: source.to_owned(), schema: form.schema.filter(|name| !name.is_empty()), name: form.name };
        if samples.contains_key(&id) {
            return Err(format!("the table `{}` is there twice", id.local()));
        }
        let (columns, values): (Vec<Column>, Samples) = form.columns.into_iter().map(column).unzip();
        samples.insert(id.clone(), values);
        keys.push(form.foreign_keys.into_iter().map(declared_key).collect());
        tables.push(table(id, form.comment, columns, form.primary_key));
    }
    declared_keys::resolve(&mut tables, keys);
    tables.sort_by(|left, right| left.id.cmp(&right.id));
    Ok(Snapshot { dialect: file.dialect, tables, samples })
}

fn table(id: TableId, comment: Option<String>, columns: Vec<Column>, primary_key: Vec<String>) -> Table {
    let spelt =
        |name: String| columns.iter().find(|column| column.name.eq_ignore_ascii_case(&name)).map(|c| c.name.clone());
    let key: Option<Vec<String>> = primary_key.into_iter().map(spelt).collect();
    Table {
        comment: comment.filter(|comment| !comment.is_empty()),
        primary_key: key.unwrap_or_default(),
        columns,
        ..Table::new(id)
    }
}

fn column(form: ColumnForm) -> (Column, (String, Vec<String>)) {
    let type_class = TypeClass::of(&form.data_type);
    let values = form.samples.iter().filter_map(|value| sample_text(value, type_class)).collect();
    let column = Column {
        type_class,
        comment: form.comment.filter(|comment| !comment.is_empty()),
        ..Column::new(form.name.clone(), form.data_type)
    };
    (column, (form.name, values))
}

fn declared_key(form: KeyForm) -> DeclaredKey {
    DeclaredKey {
        columns: form.columns,
        ref_schema: form.ref_schema,
        ref_table: form.ref_table,
        ref_columns: form.ref_columns,
    }
}

/// A sample as text. Exports turn whole numbers of a column with gaps into `7.0`; the column's type says better.
fn sample_text(value: &serde_json::Value, type_class: TypeClass) -> Option<String> {
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0").filter(|_| type_class == TypeClass::Integer);
            Some(whole.map_or_else(|| text.clone(), str::to_owned))
        }
        other => Some(other.to_string()),
    }
}

/// The content with `NaN`, `Infinity` and `-Infinity` outside of strings replaced by `null`.
fn without_bare_words(content: &[u8]) -> Vec<u8> {
    const WORDS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];
    let mut written = Vec::with_capacity(content.len() + 64);
    let mut in_string = false;
    let mut rest = content;
    while let Some(&first) = rest.first() {
        let word = if in_string { None } else { WORDS.iter().find(|word| rest.starts_with(word)) };
        let length = match word {
            Some(word) => {
                written.extend_from_slice(b"null");
                word.len()
            }
            None => {
                in_string ^= first == b'"';
                let length = if in_string && first == b'\\' { 2.min(rest.len()) } else { 1 };
                written.extend_from_slice(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    written
}
