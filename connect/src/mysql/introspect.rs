//! Tables, columns, keys and indexes of one database, in six statements however many tables there are, and one for each
//! that is put together from others.
//!
//! What is learnt about types and indexes beyond the words of a [`Table`] is kept as [`Facts`], for the statements that
//! read rows. Names are as the server lists them, which with `lower_case_table_names` may not be how they were written.

use std::collections::HashMap;

use catalog::{
    Column, Dialect, Exactness, Identity, Index, LastUpdate, RowCount, Table, TableId, TableKind, TypeClass, WriteMark,
};
use jiff::Timestamp;
use mysql_async::Row;

use super::checks::{self, Said};
use super::decode::{Kind, number, text};
use super::facts::{BaseType, Facts};
use super::session::{Flavour, Session};
use crate::connector::{LookupColumn, StatementRun};
use crate::declared_keys::{self, DeclaredKey};
use crate::error::ConnectError;
use crate::result_set::Next;

const TABLES: &str = include_str!("introspection/tables.sql");
const VIEWS: &str = include_str!("introspection/views.sql");
const COLUMNS: &str = include_str!("introspection/columns.sql");
const KEYS: &str = include_str!("introspection/keys.sql");
const STATEMENTS_RUN: &str = include_str!("introspection/statements_run.sql");
const INDEXES: &str = include_str!("introspection/indexes.sql");
const CHECKS_MARIADB: &str = include_str!("introspection/checks_mariadb.sql");
const CHECKS_MYSQL: &str = include_str!("introspection/checks_mysql.sql");

/// Everything there is, by name, with the facts that go with it.
pub(super) async fn tables(session: &mut Session, source: &str) -> Result<Vec<(Table, Facts)>, ConnectError> {
    let (found, merging) = listed_tables(session, source).await?;
    let positions = found.iter().zip(0..).map(|((table, _), position)| (table.id.name.clone(), position)).collect();
    let mut reader = Reader { session, positions, found, merging };
    reader.views().await?;
    reader.merged().await?;
    reader.columns().await?;
    let keys = reader.keys().await?;
    reader.indexes().await?;
    reader.checks().await?;
    // Resolving needs all tables side by side.
    let (mut tables, facts): (Vec<Table>, Vec<Facts>) = reader.found.into_iter().unzip();
    declared_keys::resolve(&mut tables, keys);
    Ok(tables.into_iter().zip(facts).collect())
}

/// The kind of a table by the server's words for its type and its engine.
pub(super) fn kind_of(table_type: Option<&str>, engine: Option<&str>) -> TableKind {
    match (table_type, engine.unwrap_or_default().to_ascii_uppercase().as_str()) {
        (Some("VIEW"), _) => TableKind::View,
        // Their rows are somewhere else, and can be anything to fetch.
        (_, "FEDERATED" | "CONNECT" | "SPIDER" | "S3") => TableKind::ForeignTable,
        _ => TableKind::Table,
    }
}

/// What the server's performance schema has counted, where it is on. It doesn't tell by whom.
pub(super) async fn statements_run(session: &mut Session) -> Result<Option<Vec<StatementRun>>, ConnectError> {
    let is_on = session.texts("SELECT @@performance_schema", 0).await?;
    if is_on.first().is_none_or(|is_on| is_on == "0") {
        return Ok(None);
    }
    let mut found = Vec::new();
    let take = |row: Row| {
        if let (Some(sql), Some(runs)) = (text(&row, 0), number(&row, 1)) {
            let last = number(&row, 2).and_then(|seconds| Timestamp::from_second(seconds).ok());
            // Where it has left out a list of constants, or the rest of one, it writes dots.
            let sql = sql.replace("(...)", "(?)").replace(", ...", "");
            found.push(StatementRun { sql, runs: u64::try_from(runs).unwrap_or_default(), role: None, last });
        }
        Next::Continue
    };
    session.each_row(STATEMENTS_RUN, Vec::new(), take).await?;
    Ok(Some(found))
}

async fn listed_tables(
    session: &mut Session,
    source: &str,
) -> Result<(Vec<(Table, Facts)>, Vec<String>), ConnectError> {
    let (mut found, mut merging) = (Vec::new(), Vec::new());
    let take = |row: Row| {
        let Some(name) = text(&row, 0) else { return Next::Continue };
        let kind = kind_of(text(&row, 1).as_deref(), text(&row, 2).as_deref());
        let is_view = kind == TableKind::View;
        let rows = number(&row, 4).filter(|_| kind == TableKind::Table).and_then(|rows| u64::try_from(rows).ok());
        let table = Table {
            id: TableId::new(source, name),
            kind,
            // In place of a view's comment there is the word VIEW, or what is wrong with it.
            comment: text(&row, 3).filter(|comment| !comment.is_empty() && !is_view),
            definition: None,
            columns: Vec::new(),
            primary_key: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            row_count: rows.map(|value| RowCount { value, exactness: Exactness::Estimate }),
            last_update: number(&row, 5)
                .and_then(|seconds| Timestamp::from_second(seconds).ok())
                .map(LastUpdate::of_engine),
            reads_from: Vec::new(),
            partitions: Vec::new(),
            row_policies: Vec::new(),
            identity: Identity::of(text(&row, 7).filter(|_| !is_view)),
        };
        if text(&row, 2).is_some_and(|engine| engine.eq_ignore_ascii_case("MRG_MyISAM")) {
            merging.push(table.id.name.clone());
        }
        let write_mark = text(&row, 6).map(|epoch| WriteMark { rows_written: None, epoch });
        found.push((table, Facts { write_mark, ..Facts::default() }));
        Next::Continue
    };
    let database = vec![session.database().into()];
    session.each_row(TABLES, database, take).await?;
    Ok((found, merging))
}

/// Fills in what the statements say about the tables they name.
struct Reader<'a> {
    session: &'a mut Session,
    positions: HashMap<String, usize>,
    found: Vec<(Table, Facts)>,
    /// Tables that are put together from others.
    merging: Vec<String>,
}

impl Reader<'_> {
    /// Hands each row to `take` together with the table that its first column names.
    async fn each(
        &mut self,
        sql: &str,
        mut take: impl FnMut(&mut (Table, Facts), &Row) + Send,
    ) -> Result<(), ConnectError> {
        let (positions, found) = (&self.positions, &mut self.found);
        let take = |row: Row| {
            if let Some(&position) = text(&row, 0).and_then(|name| positions.get(&name)) {
                take(&mut found[position], &row);
            }
            Next::Continue
        };
        let database = vec![self.session.database().into()];
        self.session.each_row(sql, database, take).await
    }

    async fn views(&mut self) -> Result<(), ConnectError> {
        // Whoever may not see the text is shown an empty one.
        self.each(VIEWS, |(table, _), row| table.definition = text(row, 1).filter(|words| !words.is_empty())).await
    }

    /// What tables of the MERGE engine are put together from, which only the statement that makes them says.
    async fn merged(&mut self) -> Result<(), ConnectError> {
        for name in std::mem::take(&mut self.merging) {
            let statement =
                self.session.texts(&format!("SHOW CREATE TABLE {}", Dialect::Mysql.quoted(&name)), 1).await?;
            let union = statement.first().and_then(|sql| sql.rsplit_once(" UNION=(")).map(|(_, rest)| names_in(rest));
            let Some(&position) = self.positions.get(&name) else { continue };
            let others = union.unwrap_or_default().into_iter();
            let others = others.filter_map(|other| Some(self.found[*self.positions.get(&other)?].0.id.clone()));
            self.found[position].0.reads_from = others.collect();
        }
        Ok(())
    }

    async fn columns(&mut self) -> Result<(), ConnectError> {
        let flavour = self.session.flavour();
        self.each(COLUMNS, |(table, facts), row| {
            let (Some(name), Some(base), Some(data_type)) = (text(row, 1), text(row, 2), text(row, 3)) else { return };
            let class = type_class(&base, &data_type);
            table.columns.push(Column {
                name: name.clone(),
                type_class: class,
                nullable: text(row, 4).as_deref() == Some("YES"),
                default: default(row, flavour, class),
                comment: text(row, 8).filter(|comment| !comment.is_empty()),
                // A value of a SET is any choice of its members, so these are not its values.
                enum_values: checks::enum_labels(&data_type),
                generated: text(row, 7).filter(|expression| !expression.is_empty()),
                data_type,
            });
            let base = BaseType { kind: Kind::of(&base), name: base, characters: text(row, 9).zip(text(row, 10)) };
            facts.types.insert(name, base);
        })
        .await
    }

    /// The foreign keys of each table, as declared; primary keys go to their tables.
    async fn keys(&mut self) -> Result<Vec<Vec<DeclaredKey>>, ConnectError> {
        let database = self.session.database().to_owned();
        let mut parts: HashMap<String, Vec<(String, DeclaredKey)>> = HashMap::new();
        self.each(KEYS, |(table, _), row| {
            let (Some(key), Some(column)) = (text(row, 1), text(row, 2)) else { return };
            let Some(ref_table) = text(row, 4) else {
                table.primary_key.push(column);
                return;
            };
            let keys = parts.entry(table.id.name.clone()).or_default();
            if keys.last().is_none_or(|(last, _)| *last != key) {
                // Tables here have no schema; a key into another database points at none of them.
                let ref_schema = text(row, 3).filter(|schema| !schema.eq_ignore_ascii_case(&database));
                let (columns, ref_columns) = (Vec::new(), Vec::new());
                keys.push((key, DeclaredKey { columns, ref_schema, ref_table, ref_columns }));
            }
            if let Some((_, key)) = keys.last_mut() {
                key.columns.push(column);
                key.ref_columns.extend(text(row, 5));
            }
        })
        .await?;
        let of_table = |(table, _): &(Table, Facts)| parts.remove(&table.id.name).unwrap_or_default();
        let keys = self.found.iter().map(of_table);
        Ok(keys.map(|keys| keys.into_iter().map(|(_, key)| key).collect()).collect())
    }

    async fn indexes(&mut self) -> Result<(), ConnectError> {
        let sql = match self.session.flavour() {
            Flavour::MariaDb => INDEXES.replace("{expression}", "NULL").replace("{usable}", "part.IGNORED = 'NO'"),
            Flavour::MySql => {
                INDEXES.replace("{expression}", "part.EXPRESSION").replace("{usable}", "part.IS_VISIBLE = 'YES'")
            }
        };
        let mut parts: HashMap<String, Vec<IndexPart>> = HashMap::new();
        self.each(&sql, |(table, _), row| {
            let Some(index) = text(row, 1) else { return };
            let column = text(row, 3);
            parts.entry(table.id.name.clone()).or_default().push(IndexPart {
                index,
                unique: number(row, 2) == Some(0),
                ordered: column.is_some() && number(row, 5) == Some(1),
                term: column.or_else(|| text(row, 4)).unwrap_or_else(|| "expression".to_owned()),
            });
        })
        .await?;
        for (table, facts) in &mut self.found {
            add_indexes(table, facts, &parts.remove(&table.id.name).unwrap_or_default());
        }
        Ok(())
    }

    async fn checks(&mut self) -> Result<(), ConnectError> {
        let (sql, escaped) = match self.session.flavour() {
            Flavour::MariaDb => (CHECKS_MARIADB, false),
            Flavour::MySql => (CHECKS_MYSQL, true),
        };
        self.each(sql, |(table, _), row| {
            let said = text(row, 1).and_then(|condition| checks::read(&condition, escaped));
            let Some((name, said)) = said else { return };
            let Some(column) = table.columns.iter_mut().find(|column| column.name == name) else { return };
            match said {
                Said::Json => column.type_class = TypeClass::Json,
                Said::Values(values) if column.enum_values.is_empty() => column.enum_values = values,
                Said::Values(_) => {}
            }
        })
        .await
    }
}

/// Names in backticks, up to the bracket that closes their list. The names of other databases' tables come behind theirs.
fn names_in(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut characters = list.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ')' => break,
            '`' => {
                let mut name = String::new();
                while let Some(inner) = characters.next() {
                    if inner == '`' && characters.next_if_eq(&'`').is_none() {
                        break;
                    }
                    name.push(inner);
                }
                names.push(name);
            }
            _ => {}
        }
    }
    names
}

/// One column of an index.
struct IndexPart {
    index: String,
    unique: bool,
    /// Whether it leads to whole values of a column, and to their order.
    ordered: bool,
    term: String,
}

fn add_indexes(table: &mut Table, facts: &mut Facts, parts: &[IndexPart]) {
    // Unique ones first, then the primary key, then by name of the index.
    let mut lookups: Vec<(bool, bool, &IndexPart)> = Vec::new();
    for index in parts.chunk_by(|one, next| one.index == next.index) {
        let first = &index[0];
        let primary = first.index == "PRIMARY";
        if first.ordered {
            lookups.push((!(first.unique && index.len() == 1), !primary, first));
        }
        if !primary {
            let columns = index.iter().map(|part| part.term.clone()).collect();
            table.indexes.push(Index { name: first.index.clone(), columns, unique: first.unique });
        }
    }
    lookups.sort_by_key(|&(shared, secondary, _)| (shared, secondary));
    for (shared, _, part) in lookups {
        if facts.lookup_columns.iter().all(|known| known.name != part.term) {
            facts.lookup_columns.push(LookupColumn { name: part.term.clone(), unique: !shared });
            facts.lookup_indexes.insert(part.term.clone(), part.index.clone());
        }
    }
}

/// What a column holds where nothing is given, in the words of a declaration.
fn default(row: &Row, flavour: Flavour, class: TypeClass) -> Option<String> {
    let extra = text(row, 6).unwrap_or_default();
    let lower = extra.to_ascii_lowercase();
    if let Some(expression) = text(row, 7).filter(|expression| !expression.is_empty()) {
        let stored = if lower.contains("stored") { " STORED" } else { "" };
        return Some(format!("GENERATED ALWAYS AS ({expression}){stored}"));
    }
    if lower.contains("auto_increment") {
        return Some("AUTO_INCREMENT".to_owned());
    }
    let written = text(row, 5)?;
    match flavour {
        Flavour::MariaDb => Some(written).filter(|default| default != "NULL"),
        // MySQL lists a text without its quotes, and marks what is an expression.
        Flavour::MySql if lower.contains("default_generated") || class.is_numeric() => Some(written),
        Flavour::MySql => Some(format!("'{}'", written.replace('\'', "''"))),
    }
}

/// The class of a type; `base` is its bare name.
fn type_class(base: &str, data_type: &str) -> TypeClass {
    match base.to_ascii_lowercase().as_str() {
        "bit" if data_type != "bit(1)" => TypeClass::Integer,
        "enum" | "set" | "inet4" | "inet6" => TypeClass::Text,
        "vector" | "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geomcollection" | "geometrycollection" => TypeClass::Other,
        _ => TypeClass::of(base),
    }
}

#[cfg(test)]
mod tests {
    use catalog::TypeClass;

    use super::type_class;

    #[test]
    fn tells_what_a_type_is_from_its_bare_name() {
        for (base, data_type, expected) in [
            ("int", "int(10) unsigned zerofill", TypeClass::Integer),
            ("tinyint", "tinyint(1)", TypeClass::Integer),
            ("bit", "bit(1)", TypeClass::Boolean),
            ("bit", "bit(9)", TypeClass::Integer),
            ("year", "year(4)", TypeClass::Integer),
            ("enum", "enum('date','int')", TypeClass::Text),
            ("linestring", "linestring", TypeClass::Other),
            ("datetime", "datetime(6)", TypeClass::Timestamp),
            ("decimal", "decimal(10,2) unsigned", TypeClass::Real),
            ("longblob", "longblob", TypeClass::Binary),
            ("tinytext", "tinytext", TypeClass::Text),
            ("json", "json", TypeClass::Json),
            ("uuid", "uuid", TypeClass::Uuid),
            ("inet6", "inet6", TypeClass::Text),
        ] {
            assert_eq!(type_class(base, data_type), expected, "{data_type}");
        }
    }
}
