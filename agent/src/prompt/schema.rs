//! Tables as a model reads them: `CREATE TABLE` statements in the source's dialect.
//!
//! Not the text that `link` renders for people and for large models: a small model has seen millions of plain
//! `CREATE TABLE` statements in its training and few of anything else, and every token is paid for.

use catalog::{Catalog, Dialect, Entry, ForeignKey, KeyOrigin, Table, TableId};

/// A wide table shows at most this many columns: keys, the ones the question points at, then the first ones.
const MOST_COLUMNS: usize = 40;
/// An inferred key is shown as a foreign key from this confidence on.
const KEY_CONFIDENCE: f64 = 0.6;
/// Values of a column are shown when there are at most this many, each at most this long.
const MOST_VALUES: usize = 6;
const LONGEST_VALUE: usize = 24;

/// How much is said beside names, types and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Nothing.
    Plain,
    /// The values of columns that hold few, as comments.
    Values,
}

/// The tables as `CREATE TABLE` statements, in the order given. `wanted` lists columns that the question points at,
/// which a cut must keep.
pub(crate) fn create_tables(
    catalog: &Catalog,
    tables: &[TableId],
    wanted: &[(TableId, String)],
    dialect: &Dialect,
    detail: Detail,
) -> String {
    let mut text = String::new();
    for entry in tables.iter().filter_map(|id| catalog.entry(id)) {
        let kept: Vec<&str> =
            wanted.iter().filter(|(id, _)| *id == entry.table.id).map(|(_, column)| column.as_str()).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&create_table(entry, tables, &kept, dialect, detail));
    }
    text
}

fn create_table(entry: &Entry, shown: &[TableId], wanted: &[&str], dialect: &Dialect, detail: Detail) -> String {
    let table = &entry.table;
    let columns = columns_shown(table, wanted);
    let mut lines: Vec<(String, Option<String>)> = Vec::new();
    for column in table.columns.iter().filter(|column| columns.contains(&column.name.as_str())) {
        let mut line = dialect.identifier(&column.name);
        if !column.data_type.is_empty() {
            line.push(' ');
            line.push_str(&entry.shown_type(column));
        }
        if table.primary_key.len() == 1 && table.primary_key[0].eq_ignore_ascii_case(&column.name) {
            line.push_str(" PRIMARY KEY");
        }
        let comment = (detail == Detail::Values).then(|| values_comment(entry, &column.name, dialect)).flatten();
        lines.push((line, comment));
    }
    if table.primary_key.len() > 1 {
        lines.push((format!("PRIMARY KEY ({})", identifiers(&table.primary_key, dialect)), None));
    }
    for key in table.foreign_keys.iter().filter(|key| is_shown(key, shown)) {
        let line = format!(
            "FOREIGN KEY ({}) REFERENCES {} ({})",
            identifiers(&key.columns, dialect),
            key.ref_table.written(dialect),
            identifiers(&key.ref_columns, dialect)
        );
        lines.push((line, None));
    }
    let last = lines.len().saturating_sub(1);
    let mut text = format!("CREATE TABLE {} (\n", table.id.written(dialect));
    for (position, (line, comment)) in lines.iter().enumerate() {
        text.push_str("  ");
        text.push_str(line);
        if position != last {
            text.push(',');
        }
        if let Some(comment) = comment {
            text.push_str(" -- ");
            text.push_str(comment);
        }
        text.push('\n');
    }
    text.push_str(");\n");
    text
}

fn is_shown(key: &ForeignKey, shown: &[TableId]) -> bool {
    let believed = match &key.origin {
        KeyOrigin::Declared => true,
        KeyOrigin::Inferred(evidence) => evidence.confidence >= KEY_CONFIDENCE,
    };
    believed && shown.contains(&key.ref_table)
}

fn columns_shown<'t>(table: &'t Table, wanted: &[&str]) -> Vec<&'t str> {
    let all = || table.columns.iter().map(|column| column.name.as_str());
    if table.columns.len() <= MOST_COLUMNS {
        return all().collect();
    }
    let is_key = |name: &str| {
        table.primary_key.iter().any(|key| key.eq_ignore_ascii_case(name))
            || table.foreign_keys.iter().any(|key| key.columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
    };
    let mut shown: Vec<&str> = all().filter(|name| is_key(name)).collect();
    let pointed_at = all().filter(|name| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name)));
    for name in pointed_at.chain(all()) {
        if shown.len() >= MOST_COLUMNS {
            break;
        }
        if !shown.contains(&name) {
            shown.push(name);
        }
    }
    shown
}

fn values_comment(entry: &Entry, column: &str, dialect: &Dialect) -> Option<String> {
    let declared = entry.table.column(column)?;
    // Numbers are listed where they are labels.
    let are_labels = !declared.type_class.is_numeric() || !declared.enum_values.is_empty();
    let values = entry.all_values(column).filter(|values| are_labels && values.len() <= MOST_VALUES)?;
    if values.iter().any(|value| value.chars().count() > LONGEST_VALUE || value.contains('\n')) {
        return None;
    }
    Some(values.iter().map(|value| dialect.literal(value)).collect::<Vec<_>>().join(", "))
}

fn identifiers(names: &[String], dialect: &Dialect) -> String {
    names.iter().map(|name| dialect.identifier(name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use catalog::{
        Column, ColumnProfile, Dialect, Entry, Exactness, KnownValues, RowCount, SampleMethod, TableProfile,
    };

    use super::*;

    fn column(name: &str, data_type: &str) -> Column {
        Column::new(name, data_type)
    }

    fn table(name: &str, columns: Vec<Column>) -> Table {
        Table {
            columns,
            primary_key: vec!["id".into()],
            row_count: Some(RowCount { value: 3, exactness: Exactness::Exact }),
            ..Table::new(TableId::new("s", name))
        }
    }

    #[test]
    fn writes_statements_with_keys_among_the_shown_tables_and_few_values() {
        let people =
            table("people", vec![column("id", "INTEGER"), column("full name", "TEXT"), column("kind", "TEXT")]);
        let mut orders = table("order", vec![column("id", "INTEGER"), column("person", "INTEGER")]);
        for other in ["people", "elsewhere"] {
            orders.foreign_keys.push(ForeignKey {
                columns: vec!["person".into()],
                ref_table: TableId::new("s", other),
                ref_columns: vec!["id".into()],
                origin: KeyOrigin::Declared,
            });
        }
        let mut kind = ColumnProfile::empty("kind");
        kind.values = KnownValues::All(vec!["it's".into(), "b".into()]);
        let profile = TableProfile {
            rows_seen: 3,
            columns: vec![kind],
            ..TableProfile::new(&people, SampleMethod::AllRows, jiff::Timestamp::UNIX_EPOCH)
        };
        let entry = Entry::bare(people).with_profile(profile);
        let catalog = Catalog::new(Vec::new(), vec![entry, Entry::bare(orders)], Vec::new(), 1);
        let shown = [TableId::new("s", "people"), TableId::new("s", "order")];
        let text = create_tables(&catalog, &shown, &[], &Dialect::Sqlite, Detail::Values);
        let expected = "CREATE TABLE people (\n  id INTEGER PRIMARY KEY,\n  \"full name\" TEXT,\n  kind TEXT -- 'it''s', 'b'\n);\n\n\
             CREATE TABLE \"order\" (\n  id INTEGER PRIMARY KEY,\n  person INTEGER,\n  FOREIGN KEY (person) REFERENCES people (id)\n);\n";
        assert_eq!(text, expected);
        assert!(!create_tables(&catalog, &shown, &[], &Dialect::Sqlite, Detail::Plain).contains("--"));
    }

    #[test]
    fn a_wide_table_keeps_its_keys_and_what_the_question_points_at() {
        let mut columns: Vec<Column> = (0..90).map(|number| column(&format!("c{number}"), "TEXT")).collect();
        columns.push(column("id", "INTEGER"));
        let wide = table("wide", columns);
        let shown = columns_shown(&wide, &["c77"]);
        assert_eq!(shown.len(), MOST_COLUMNS);
        assert!(shown.contains(&"id") && shown.contains(&"c77") && shown.contains(&"c0"));
    }
}
