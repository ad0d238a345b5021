//! Tables, columns, keys and indexes of one database, in five statements however many tables there are, and one for
//! each that merges others.
//!
//! What is learnt about types and engines beyond the words of a [`Table`] is kept as [`Facts`], for the statements that
//! read rows. ClickHouse has no foreign keys and no unique ones; `CHECK` is only in a table's text and isn't read, since
//! lists of values are what its enum types are for.

use std::collections::HashMap;

use catalog::{
    Column, Dialect, Exactness, Identity, Index, LastUpdate, RowCount, Table, TableId, TableKind, WriteMark,
};
use jiff::Timestamp;

use super::decode::{ColumnType, quoted_text, split_top_level};
use super::session::Session;
use super::settings::Purpose;
use crate::error::ConnectError;

const TABLES: &str = include_str!("introspection/tables.sql");
const COLUMNS: &str = include_str!("introspection/columns.sql");
const INDEXES: &str = include_str!("introspection/indexes.sql");
const READS: &str = include_str!("introspection/reads.sql");
const WRITES: &str = include_str!("introspection/writes.sql");

/// What reading a table's rows rests on.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// By name.
    pub(super) types: HashMap<String, ColumnType>,
    /// Whether rows lie in sorted parts, of which any range can be read alone.
    pub(super) has_parts: bool,
    /// Whether reading a row takes it away.
    pub(super) is_stream: bool,
    /// Columns that get another value when a row's time is over, with what makes it.
    assigned: Vec<(String, String)>,
    pub(super) write_mark: Option<WriteMark>,
}

/// One row of a statement.
type Row = Vec<Option<String>>;

/// Everything there is, by name, with the facts that go with it.
pub(super) async fn tables(session: &Session, source: &str) -> Result<Vec<(Table, Facts)>, ConnectError> {
    let database = session.database();
    let rows = async |sql| session.texts(sql, Purpose::OWN, &[("database", database)]).await;
    let mut found = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for row in rows(TABLES).await? {
        let Some((name, uuid, table)) = listed_table(source, row) else { continue };
        // The rows of a materialized view lie in a table of its own, by one of two names.
        if table.0.kind == TableKind::MaterializedView {
            positions.insert(format!(".inner.{name}"), found.len());
            positions.insert(format!(".inner_id.{uuid}"), found.len());
        }
        positions.insert(name, found.len());
        found.push(table);
    }
    let mut each = |rows: Vec<Row>, take: fn(&mut (Table, Facts), &mut dyn Iterator<Item = Option<String>>)| {
        for row in rows {
            let mut cells = row.into_iter();
            if let Some(&position) = cells.next().flatten().and_then(|name| positions.get(&name)) {
                take(&mut found[position], &mut cells);
            }
        }
    };
    each(rows(COLUMNS).await?, add_column);
    each(rows(INDEXES).await?, add_index);
    each(rows(WRITES).await?, add_writes);
    for (table, facts) in &mut found {
        add_assigned(table, &facts.assigned);
    }
    for given in given(session).await? {
        let Some(&position) = positions.get(&given.name) else { continue };
        match given.from {
            // Its rows lie in a table that anybody may have made, and that may be filled from elsewhere as well.
            Giver::Statement(statement) => {
                let target = target_of(&statement).filter(|(of, _)| of.as_deref().is_none_or(|of| of == database));
                if let Some(&target) = target.and_then(|(_, name)| positions.get(&name)) {
                    let view = found[position].0.id.clone();
                    add_reads(&mut found[target].0, vec![view]);
                }
            }
            Giver::Tables(read) => {
                let read = read.iter().filter_map(|name| positions.get(name)).filter(|read| **read != position);
                let read: Vec<usize> = read.copied().collect();
                let ids = read.iter().map(|&read| found[read].0.id.clone()).collect();
                add_reads(&mut found[position].0, ids);
                if given.hands_on {
                    let id = found[position].0.id.clone();
                    read.into_iter().for_each(|read| add_reads(&mut found[read].0, vec![id.clone()]));
                }
            }
        }
    }
    Ok(found)
}

/// A relation whose rows come from others.
pub(super) struct Given {
    pub(super) name: String,
    pub(super) from: Giver,
    /// Whether what is written to it comes to the tables that it reads.
    pub(super) hands_on: bool,
}

/// What they come from.
pub(super) enum Giver {
    /// A materialized view, by the statement that made it.
    Statement(String),
    /// These tables of the database.
    Tables(Vec<String>),
}

/// What there is at this moment whose rows come from others; some more than once.
pub(super) async fn given(session: &Session) -> Result<Vec<Given>, ConnectError> {
    let database = session.database();
    let mut found = Vec::new();
    for row in session.texts(READS, Purpose::OWN, &[("database", database)]).await? {
        let [Some(name), Some(engine), Some(words), Some(statement), loaded_from, loaded] = row.as_slice() else {
            continue;
        };
        let from = if engine == "MaterializedView" || engine == "WindowView" {
            Giver::Statement(statement.clone())
        } else {
            let mut read = tables_of_engine(session, engine, words).await?;
            read.extend(loaded.clone().filter(|_| loaded_from.as_deref() == Some(database)));
            Giver::Tables(read)
        };
        let hands_on = matches!(engine.as_str(), "Alias" | "Buffer" | "Distributed");
        found.push(Given { name: name.clone(), from, hands_on });
    }
    Ok(found)
}

fn add_reads(table: &mut Table, ids: Vec<TableId>) {
    table.reads_from.extend(ids);
    table.reads_from.sort();
    table.reads_from.dedup();
}

/// The table that a materialized view writes to, and the database before it: what stands behind TO, which comes before the
/// columns. Statements are listed as the server writes them, names in backticks where they have to be.
fn target_of(statement: &str) -> Option<(Option<String>, String)> {
    let head = split_unquoted(statement, "(")[0];
    let name = split_unquoted(head, " \n").into_iter().skip_while(|word| *word != "TO").nth(1)?;
    let part = |part: &str| quoted_text(part).unwrap_or_else(|| part.to_owned());
    match split_unquoted(name, ".").as_slice() {
        [name] => Some((None, part(name))),
        [database, name] => Some((Some(part(database)), part(name))),
        _ => None,
    }
}

/// The parts between any of these characters, where they don't stand in backticks.
fn split_unquoted<'t>(text: &'t str, between: &str) -> Vec<&'t str> {
    let (mut quoted, mut escaped) = (false, false);
    let is_between = |character: char| {
        let is_plain = !std::mem::take(&mut escaped);
        escaped = is_plain && quoted && character == '\\';
        quoted ^= is_plain && character == '`';
        !quoted && between.contains(character)
    };
    text.split(is_between).collect()
}

/// The tables that one stands in front of, by the words its engine was made with: `Buffer('database', 'table', …)`,
/// `Alias('database', 'table')`, `Distributed('cluster', 'database', 'table', …)`, `Merge('database', 'expression')`.
async fn tables_of_engine(session: &Session, engine: &str, words: &str) -> Result<Vec<String>, ConnectError> {
    let arguments = words.strip_prefix(engine).and_then(|rest| rest.strip_prefix('('));
    let arguments: Vec<&str> = arguments.map(split_top_level).unwrap_or_default();
    let text = |place: usize| quoted_text(arguments.get(place)?.trim_end().trim_end_matches(')'));
    let database_at = usize::from(engine == "Distributed");
    let (of_database, table) = match arguments.len() {
        1 if engine == "Alias" => (None, text(0)),
        _ => (text(database_at), text(database_at + 1)),
    };
    // What isn't a plain name may well be this database.
    let Some(table) = table.filter(|_| of_database.is_none_or(|name| name == session.database())) else {
        return Ok(Vec::new());
    };
    if engine != "Merge" {
        return Ok(vec![table]);
    }
    let sql = format!(
        "SELECT name FROM system.tables WHERE database = {{database:String}} AND match(name, {}) ORDER BY name",
        Dialect::Clickhouse.literal(&table)
    );
    let names = session.texts(&sql, Purpose::OWN, &[("database", session.database())]).await?;
    Ok(names.into_iter().flatten().flatten().collect())
}

/// Name, UUID, and the table without its columns.
fn listed_table(source: &str, row: Row) -> Option<(String, String, (Table, Facts))> {
    let [name, engine, comment, query, sorting, primary, partition, rows, uuid, ttl] = <[_; 10]>::try_from(row).ok()?;
    let (name, engine) = (name?, engine?);
    let kind = kind_of(&engine);
    let has_parts = engine.ends_with("MergeTree");
    let mut indexes = Vec::new();
    let mut key = |label: &str, expressions: Option<String>| {
        let columns: Vec<String> = expressions.iter().flat_map(|list| split_top_level(list)).map(term).collect();
        let repeats = indexes.iter().any(|known: &Index| known.columns == columns);
        if !columns.is_empty() && !repeats {
            indexes.push(Index { name: label.to_owned(), columns, unique: false });
        }
    };
    key(Index::SORTING_KEY, sorting);
    key("primary key", primary);
    key("partition key", partition);
    let rows = rows.and_then(|rows| rows.parse().ok());
    let table = Table {
        id: TableId::new(source, name.clone()),
        comment: comment.filter(|comment| !comment.is_empty()),
        definition: query.filter(|query| !query.is_empty()),
        columns: Vec::new(),
        primary_key: Vec::new(),
        foreign_keys: Vec::new(),
        indexes,
        // Parts hold rows that were deleted and are not yet merged away.
        row_count: rows.map(|value| RowCount { value, exactness: Exactness::Estimate }),
        last_update: None,
        reads_from: Vec::new(),
        partitions: Vec::new(),
        row_policies: Vec::new(),
        identity: identity(&kind, uuid.as_deref().unwrap_or_default()),
        kind,
    };
    // A table whose parts are all gone has written none since.
    let write_mark = has_parts.then(|| WriteMark { rows_written: None, epoch: "empty".to_owned() });
    let is_stream = table.kind == TableKind::Other("stream".to_owned());
    let assigned = assignments(&ttl.unwrap_or_default());
    let facts = Facts { has_parts, is_stream, write_mark, assigned, ..Facts::default() };
    Some((name, uuid.unwrap_or_default(), (table, facts)))
}

/// What tells it from other tables, whatever it is called. A view is what its query says, and databases of the old kind give
/// no numbers.
pub(super) fn identity(kind: &TableKind, uuid: &str) -> Identity {
    let is_one = *kind != TableKind::View && uuid.chars().any(|digit| digit.is_ascii_hexdigit() && digit != '0');
    Identity::of(is_one.then(|| uuid.to_owned()))
}

/// What kind of table an engine makes.
pub(super) fn kind_of(engine: &str) -> TableKind {
    match engine {
        // A union of tables has no rows of its own either.
        "View" | "LiveView" | "WindowView" | "Merge" => TableKind::View,
        "MaterializedView" => TableKind::MaterializedView,
        "Dictionary" => TableKind::Other("dictionary".to_owned()),
        "ComputedDictionary" => TableKind::Other(catalog::COMPUTED.to_owned()),
        "Kafka" | "RabbitMQ" | "NATS" | "FileLog" | "S3Queue" | "AzureQueue" => TableKind::Other("stream".to_owned()),
        "Memory" | "Log" | "TinyLog" | "StripeLog" | "Set" | "Join" | "Null" | "Buffer" | "EmbeddedRocksDB"
        | "KeeperMap" | "GenerateRandom" | "TimeSeries" => TableKind::Table,
        _ if engine.ends_with("MergeTree") => TableKind::Table,
        // Distributed, URL, S3, other databases' tables: rows are somewhere else, and can be anything to fetch.
        _ => TableKind::ForeignTable,
    }
}

/// A column of a key as the catalog spells it; an expression as its text. Of one column alone some versions keep the
/// brackets: `ORDER BY (id)` is told as `(id)`.
fn term(words: &str) -> String {
    let bare = words.strip_prefix('(').and_then(|words| words.strip_suffix(')'));
    let is_name = |words: &&str| {
        let plain = words.chars().all(|character| character.is_alphanumeric() || character == '_');
        plain || quoted_text(words).is_some_and(|name| words.len() == name.len() + 2)
    };
    let words = bare.filter(is_name).unwrap_or(words);
    match quoted_text(words) {
        Some(name) if words.starts_with('`') && words.ends_with('`') => name,
        _ => words.to_owned(),
    }
}

fn add_column((table, facts): &mut (Table, Facts), cells: &mut dyn Iterator<Item = Option<String>>) {
    let mut next = || cells.next().flatten().filter(|text| !text.is_empty());
    let (Some(name), Some(data_type)) = (next(), next()) else { return };
    let (kind, expression, comment) = (next(), next(), next());
    let column_type = ColumnType::of(&data_type);
    table.columns.push(Column {
        name: name.clone(),
        type_class: column_type.class(),
        nullable: column_type.nullable,
        // Of a default too: whoever writes leaves it out, and the value is what the expression makes of other columns.
        generated: expression.clone(),
        default: expression.map(|expression| match kind.as_deref() {
            // Worked out when a row is written, or when it is read; `SELECT *` leaves both out.
            Some(kind @ ("MATERIALIZED" | "ALIAS")) => format!("{kind} {expression}"),
            _ => expression,
        }),
        comment,
        enum_values: column_type.enum_values(),
        data_type,
    });
    facts.types.insert(name, column_type);
}

/// Of `TTL … GROUP BY … SET column = expression, …`, what is set. Statements are listed as the server writes them.
pub(super) fn assignments(ttl: &str) -> Vec<(String, String)> {
    let clauses = ttl.split(" SET ").skip(1).flat_map(|clause| {
        let clause = clause.split(" SETTINGS ").next().unwrap_or(clause);
        split_top_level(clause)
    });
    let assignment = |words: &str| {
        let (name, expression) = words.split_once(" = ")?;
        Some((quoted_text(name).unwrap_or_else(|| name.trim().to_owned()), expression.trim().to_owned()))
    };
    clauses.filter_map(assignment).collect()
}

/// A column that is set from others holds what they held; one that is set from itself alone is what it was.
fn add_assigned(table: &mut Table, assigned: &[(String, String)]) {
    let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    for (name, expression) in assigned {
        let made = is_made_from_others(name, expression, &names);
        if let Some(column) = table.columns.iter_mut().find(|column| column.name == *name && made) {
            column.generated = Some(made_by(column.generated.as_deref(), expression));
        }
    }
}

/// What makes a column that is set by an expression and may have another of its own, in one.
pub(super) fn made_by(own: Option<&str>, set: &str) -> String {
    own.map_or_else(|| set.to_owned(), |own| format!("tuple({own}, {set})"))
}

/// Whether an expression names another column than the one it is for.
pub(super) fn is_made_from_others(name: &str, expression: &str, columns: &[String]) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let stands_alone = |(at, found): (usize, &str)| {
        !expression[..at].ends_with(is_part) && !expression[at + found.len()..].starts_with(is_part)
    };
    let is_named = |column: &String| expression.match_indices(column.as_str()).any(stands_alone);
    columns.iter().any(|column| column != name && is_named(column))
}

fn add_index((table, _): &mut (Table, Facts), cells: &mut dyn Iterator<Item = Option<String>>) {
    let mut next = || cells.next().flatten();
    let (Some(name), Some(kind), Some(expression)) = (next(), next(), next()) else { return };
    // Not the bare column, to which such an index doesn't lead.
    table.indexes.push(Index { name, columns: vec![format!("{expression} TYPE {kind}")], unique: false });
}

fn add_writes((table, facts): &mut (Table, Facts), cells: &mut dyn Iterator<Item = Option<String>>) {
    let newest = cells.next().flatten().and_then(|seconds| seconds.parse().ok());
    // A merge makes a new part of old rows, so this may be too late, and never too early.
    table.last_update = newest.and_then(|seconds| Timestamp::from_second(seconds).ok()).map(LastUpdate::of_engine);
    facts.write_mark = cells.next().flatten().map(|epoch| WriteMark { rows_written: None, epoch });
}

#[cfg(test)]
mod tests {
    use catalog::TableKind;

    use super::{kind_of, target_of, term};

    #[test]
    fn a_column_in_brackets_is_a_column() {
        for (words, expected) in
            [("(id)", "id"), ("(`my id`)", "my id"), ("`my id`", "my id"), ("(a + 1)", "(a + 1)"), ("f(a)", "f(a)")]
        {
            assert_eq!(term(words), expected, "{words}");
        }
    }

    #[test]
    fn a_materialized_view_says_where_its_rows_go() {
        for (statement, expected) in [
            ("CREATE MATERIALIZED VIEW d.mv TO d.tgt (`id` Int64) AS SELECT 1 AS id", Some((Some("d"), "tgt"))),
            (
                "CREATE MATERIALIZED VIEW d.mv TO `d.e`.`a TO \\` b` (`id` Int64) AS SELECT",
                Some((Some("d.e"), "a TO ` b")),
            ),
            ("CREATE MATERIALIZED VIEW d.` TO x` (`id` Int64) ENGINE = Memory AS SELECT 1 TO y", None),
            ("CREATE MATERIALIZED VIEW d.mv REFRESH EVERY 1 HOUR APPEND TO tgt (`id` Int64)", Some((None, "tgt"))),
        ] {
            let expected = expected.map(|(of, name)| (of.map(str::to_owned), name.to_owned()));
            assert_eq!(target_of(statement), expected, "{statement}");
        }
    }

    #[test]
    fn tells_what_an_engine_makes() {
        for (engine, expected) in [
            ("ReplicatedReplacingMergeTree", "table"),
            ("SharedMergeTree", "table"),
            ("Memory", "table"),
            ("View", "view"),
            ("MaterializedView", "materialized view"),
            ("Dictionary", "dictionary"),
            ("ComputedDictionary", "computed dictionary"),
            ("Kafka", "stream"),
            ("Distributed", "foreign table"),
            ("PostgreSQL", "foreign table"),
            ("SomethingNew", "foreign table"),
        ] {
            assert_eq!(kind_of(engine).name(), expected, "{engine}");
            assert_eq!(kind_of(engine) == TableKind::Table, expected == "table");
        }
    }
}
