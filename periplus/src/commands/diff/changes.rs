//! Two snapshots beside each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// Values that are named of those that came or went.
const VALUES: usize = 8;

/// A snapshot, as far as it is compared. What an older one doesn't tell isn't compared.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Document {
    tables: Vec<Table>,
}

#[derive(Debug, Deserialize)]
struct Table {
    schema: Option<String>,
    name: String,
    kind: Option<String>,
    comment: Option<String>,
    rows: Option<u64>,
    columns: Vec<Column>,
    #[serde(default)]
    primary_key: Vec<String>,
    #[serde(default)]
    foreign_keys: Vec<Key>,
}

#[derive(Debug, Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type", default)]
    data_type: String,
    #[serde(default)]
    not_null: bool,
    comment: Option<String>,
    #[serde(default)]
    samples: Vec<Value>,
    #[serde(default)]
    complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Key {
    columns: Vec<String>,
    ref_schema: Option<String>,
    ref_table: String,
    #[serde(default)]
    ref_columns: Vec<String>,
}

impl Table {
    fn local(&self) -> String {
        match self.schema.as_deref().filter(|schema| !schema.is_empty()) {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.ref_schema.iter().map(|schema| format!("{schema}.")).collect::<String>();
        let (own, other) = (self.columns.join(", "), self.ref_columns.join(", "));
        write!(formatter, "{own} → {schema}{} ({other})", self.ref_table)
    }
}

/// Something that is other than it was.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    pub(super) table: String,
    pub(super) column: Option<String>,
    pub(super) kind: ChangeKind,
}

/// What has changed.
#[derive(Debug, PartialEq)]
pub(super) enum ChangeKind {
    TableAdded,
    TableGone,
    /// A table became a view, or the other way round.
    Kind {
        from: String,
        to: String,
    },
    ColumnAdded(String),
    ColumnGone,
    Type {
        from: String,
        to: String,
    },
    /// It may be NULL now.
    MayBeNull,
    /// It may not be NULL any more.
    NotNull,
    PrimaryKey {
        from: Vec<String>,
        to: Vec<String>,
    },
    KeyAdded(String),
    KeyGone(String),
    ValuesAdded(Vec<String>),
    ValuesGone(Vec<String>),
    Rows {
        from: u64,
        to: u64,
    },
    Comment,
}

impl ChangeKind {
    /// A stable name for programs.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::TableAdded => "table_added",
            Self::TableGone => "table_gone",
            Self::Kind { .. } => "kind",
            Self::ColumnAdded(_) => "column_added",
            Self::ColumnGone => "column_gone",
            Self::Type { .. } => "type",
            Self::MayBeNull => "may_be_null",
            Self::NotNull => "not_null",
            Self::PrimaryKey { .. } => "primary_key",
            Self::KeyAdded(_) => "key_added",
            Self::KeyGone(_) => "key_gone",
            Self::ValuesAdded(_) => "values_added",
            Self::ValuesGone(_) => "values_gone",
            Self::Rows { .. } => "rows",
            Self::Comment => "comment",
        }
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |values: &[String]| {
            let more = values.len().saturating_sub(VALUES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", values[..values.len().min(VALUES)].join(", "))
        };
        let or_none = |columns: &[String]| if columns.is_empty() { "none".to_owned() } else { columns.join(", ") };
        match self {
            Self::TableAdded => formatter.write_str("new"),
            Self::TableGone | Self::ColumnGone => formatter.write_str("gone"),
            Self::Kind { from, to } => write!(formatter, "a {to} now, was a {from}"),
            Self::ColumnAdded(data_type) => write!(formatter, "new, {data_type}"),
            Self::Type { from, to } => write!(formatter, "{to} now, was {from}"),
            Self::MayBeNull => formatter.write_str("may be NULL now"),
            Self::NotNull => formatter.write_str("may not be NULL any more"),
            Self::PrimaryKey { from, to } => {
                write!(formatter, "primary key {} now, was {}", or_none(to), or_none(from))
            }
            Self::KeyAdded(key) => write!(formatter, "new key {key}"),
            Self::KeyGone(key) => write!(formatter, "key gone: {key}"),
            Self::ValuesAdded(values) => write!(formatter, "new values {}", named(values)),
            Self::ValuesGone(values) => write!(formatter, "values gone: {}", named(values)),
            Self::Rows { from, to } => {
                let percent = (*to as f64 - *from as f64) / (*from).max(1) as f64 * 100.0;
                write!(formatter, "{to} rows, were {from} ({percent:+.0} %)")
            }
            Self::Comment => formatter.write_str("another comment"),
        }
    }
}

impl Change {
    /// Whether a statement that was right may not be any more.
    pub(super) fn breaks(&self) -> bool {
        use ChangeKind::{ColumnGone, MayBeNull, PrimaryKey, TableGone, Type, ValuesGone};
        match &self.kind {
            TableGone | ColumnGone | Type { .. } | MayBeNull | ValuesGone(_) => true,
            PrimaryKey { from, .. } => !from.is_empty(),
            _ => false,
        }
    }

    pub(super) fn place(&self) -> String {
        match &self.column {
            Some(column) => format!("{}.{column}", self.table),
            None => self.table.clone(),
        }
    }
}

/// What has changed, table by table in the order of their names. Numbers of rows count from a change of `volume` percent on.
pub(super) fn differences(earlier: &Document, later: &Document, volume: u32) -> Vec<Change> {
    let by_name = |document: &'_ Document| -> BTreeMap<String, usize> {
        document.tables.iter().enumerate().map(|(place, table)| (table.local(), place)).collect()
    };
    let (before, after) = (by_name(earlier), by_name(later));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let whole = |kind: ChangeKind| Change { table: name.clone(), column: None, kind };
        match (before.get(name), after.get(name)) {
            (Some(&was), Some(&is)) => {
                of_table(&earlier.tables[was], &later.tables[is], name, volume, &mut changes);
            }
            (Some(_), None) => changes.push(whole(ChangeKind::TableGone)),
            _ => changes.push(whole(ChangeKind::TableAdded)),
        }
    }
    changes
}

fn of_table(was: &Table, is: &Table, name: &str, volume: u32, changes: &mut Vec<Change>) {
    let mut note = |column: Option<&str>, kind: ChangeKind| {
        changes.push(Change { table: name.to_owned(), column: column.map(str::to_owned), kind });
    };
    if let (Some(from), Some(to)) = (&was.kind, &is.kind)
        && from != to
    {
        note(None, ChangeKind::Kind { from: from.clone(), to: to.clone() });
    }
    // A snapshot that doesn't tell what may be NULL tells it of no column.
    let tells = |table: &Table| table.kind.is_some();
    for column in &was.columns {
        let Some(now) = is.columns.iter().find(|other| other.name == column.name) else {
            note(Some(&column.name), ChangeKind::ColumnGone);
            continue;
        };
        if !column.data_type.eq_ignore_ascii_case(&now.data_type) {
            let (from, to) = (column.data_type.clone(), now.data_type.clone());
            note(Some(&column.name), ChangeKind::Type { from, to });
        }
        if tells(was) && tells(is) && column.not_null != now.not_null {
            note(Some(&column.name), if now.not_null { ChangeKind::NotNull } else { ChangeKind::MayBeNull });
        }
        if column.complete && now.complete {
            let (gone, added) = (missing(&column.samples, &now.samples), missing(&now.samples, &column.samples));
            if !gone.is_empty() {
                note(Some(&column.name), ChangeKind::ValuesGone(gone));
            }
            if !added.is_empty() {
                note(Some(&column.name), ChangeKind::ValuesAdded(added));
            }
        }
        if column.comment != now.comment {
            note(Some(&column.name), ChangeKind::Comment);
        }
    }
    for column in is.columns.iter().filter(|column| !was.columns.iter().any(|other| other.name == column.name)) {
        note(Some(&column.name), ChangeKind::ColumnAdded(column.data_type.clone()));
    }
    if was.primary_key != is.primary_key {
        note(None, ChangeKind::PrimaryKey { from: was.primary_key.clone(), to: is.primary_key.clone() });
    }
    for key in was.foreign_keys.iter().filter(|key| !is.foreign_keys.contains(key)) {
        note(None, ChangeKind::KeyGone(key.to_string()));
    }
    for key in is.foreign_keys.iter().filter(|key| !was.foreign_keys.contains(key)) {
        note(None, ChangeKind::KeyAdded(key.to_string()));
    }
    if let (Some(from), Some(to)) = (was.rows, is.rows)
        && from.abs_diff(to) as f64 * 100.0 > f64::from(volume) * from as f64
    {
        note(None, ChangeKind::Rows { from, to });
    }
    if was.comment != is.comment {
        note(None, ChangeKind::Comment);
    }
}

/// The values of the one list that aren't in the other, as texts.
fn missing(of: &[Value], from: &[Value]) -> Vec<String> {
    let missing = of.iter().filter(|value| !from.contains(value));
    missing.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Document, differences};

    fn told(earlier: &str, later: &str) -> Vec<String> {
        let document = |text: &str| -> Document { serde_json::from_str(&format!("{{\"tables\": [{text}]}}")).unwrap() };
        let changes = differences(&document(earlier), &document(later), 20);
        changes.iter().map(|it| format!("{}{}: {}", if it.breaks() { "!" } else { "" }, it.place(), it.kind)).collect()
    }

    #[test]
    fn what_is_other_is_told_and_nothing_else() {
        let table = r#"{"name": "t", "kind": "table", "rows": 100, "columns": [{"name": "a", "type": "INT", "not_null": true},
            {"name": "b", "type": "text", "samples": ["x", "y"], "complete": true}], "primary_key": ["a"]}"#;
        assert!(told(table, table).is_empty());
        let other = r#"{"name": "t", "kind": "table", "rows": 130, "columns": [{"name": "a", "type": "bigint"},
            {"name": "b", "type": "TEXT", "samples": ["x", "z"], "complete": true}, {"name": "c", "type": "DATE"}],
            "foreign_keys": [{"columns": ["c"], "ref_table": "days", "ref_columns": ["day"]}]}"#;
        assert_eq!(
            told(table, other),
            [
                "!t.a: bigint now, was INT",
                "!t.a: may be NULL now",
                "!t.b: values gone: y",
                "t.b: new values z",
                "t.c: new, DATE",
                "!t: primary key none now, was a",
                "t: new key c → days (day)",
                "t: 130 rows, were 100 (+30 %)",
            ]
        );
        assert_eq!(told(table, ""), ["!t: gone"]);
        assert_eq!(told("", table), ["t: new"]);
    }

    #[test]
    fn what_a_snapshot_doesnt_tell_isnt_compared() {
        let table = r#"{"name": "t", "kind": "table", "rows": 100, "columns": [{"name": "a", "type": "INT", "not_null": true,
            "samples": ["1", "2"], "complete": true}]}"#;
        let bare = r#"{"schema": "", "name": "t", "columns": [{"name": "a", "type": "int", "samples": ["1"]}]}"#;
        assert!(told(bare, table).is_empty() && told(table, bare).is_empty());
    }
}
