//! Tables, columns, keys and indexes of a PostgreSQL database, in seven statements however many tables there are.
//!
//! They run in one transaction and see one state of the catalog. What is learnt about types and indexes beyond the
//! words of a [`Table`] is kept as [`Facts`], for the statements that read rows.

use std::collections::HashMap;
use std::sync::LazyLock;

use catalog::{
    AddedFunctions, Column, Exactness, Identity, Index, LastUpdate, RowCount, RowPolicy, Table, TableId, TableKind,
    TypeClass, WriteMark,
};
use jiff::Timestamp;
use tokio_postgres::types::Type;

use super::checks;
use super::decode::{Kind, Lossy};
use super::session::Session;
use crate::connector::{LookupColumn, StatementRun};
use crate::declared_keys::{self, DeclaredKey};
use crate::error::ConnectError;
use crate::result_set::Next;

static TABLES: LazyLock<String> = LazyLock::new(|| completed(include_str!("introspection/tables.sql")));
const ENUM_LABELS: &str = include_str!("introspection/enum_labels.sql");
const KEYS: &str = include_str!("introspection/keys.sql");
const CHECKS: &str = include_str!("introspection/checks.sql");
const FUNCTIONS: &str = include_str!("introspection/functions.sql");
const UNSURE: &str = include_str!("introspection/unsure.sql");
const READS: &str = include_str!("introspection/reads.sql");
const STATEMENTS_RUN: &str = include_str!("introspection/statements_run.sql");
const INDEXES: &str = include_str!("introspection/indexes.sql");

static COLUMNS: LazyLock<String> = LazyLock::new(|| completed(include_str!("introspection/columns.sql")));

/// The statement with what says the fields of the types of a column `held`, what a relation `listed` is told by, and by which
/// policies its rows are chosen.
pub(super) fn completed(sql: &str) -> String {
    let fields = include_str!("introspection/fields.sql");
    sql.replace(":fields", fields)
        .replace(":identity", include_str!("introspection/identity.sql"))
        .replace(":policies", include_str!("introspection/policies.sql"))
}

/// What reading a table's rows rests on.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The engine's number for the table.
    pub(super) oid: u32,
    /// By name.
    pub(super) types: HashMap<String, BaseType>,
    /// What the server's counters said when the structure was read.
    pub(super) write_mark: Option<WriteMark>,
    /// Unique ones first, the primary key before others.
    pub(super) lookup_columns: Vec<LookupColumn>,
}

/// The type of a column, without its domains.
#[derive(Clone, Debug)]
pub(super) struct BaseType {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Everything there is, by name, with the facts that go with it.
pub(super) async fn tables(session: &Session, source: &str) -> Result<Vec<(Table, Facts)>, ConnectError> {
    let mut found = listed_tables(session, source).await?;
    let oids: Vec<u32> = found.iter().map(|(_, facts)| facts.oid).collect();
    let positions: HashMap<u32, usize> = oids.iter().copied().zip(0..).collect();
    let mut reader = Reader { session, oids, positions, found: &mut found };
    reader.columns().await?;
    reader.checks().await?;
    let keys = reader.keys().await?;
    reader.indexes().await?;
    reader.reads().await?;
    // Resolving needs all tables side by side.
    let (mut tables, facts): (Vec<Table>, Vec<Facts>) = found.into_iter().unzip();
    declared_keys::resolve(&mut tables, keys);
    Ok(tables.into_iter().zip(facts).collect())
}

/// What extensions and users have added to the engine's functions.
pub(super) async fn added_functions(session: &Session) -> Result<AddedFunctions, ConnectError> {
    let mut added = AddedFunctions::default();
    let take = |row: &tokio_postgres::Row| {
        let Lossy(name) = row.try_get(0)?;
        let schemas: Vec<Lossy> = row.try_get(1)?;
        let (not_volatile, is_unsure, is_elsewhere): (bool, bool, bool) =
            (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        let named = || schemas.iter().map(|Lossy(schema)| format!("{}.{name}", schema.to_lowercase()));
        if not_volatile {
            added.not_volatile.extend(named());
        }
        if is_unsure {
            added.unsure.extend(named());
        } else if is_elsewhere {
            added.elsewhere.extend(named());
        }
        Ok(Next::Continue)
    };
    session.each_row(FUNCTIONS, &[], take).await?;
    let take = |row: &tokio_postgres::Row| {
        let (kind, Lossy(name)): (String, Lossy) = (row.try_get(0)?, row.try_get(1)?);
        let list = match kind.as_str() {
            "operator" => &mut added.operators,
            "row" => &mut added.row_types,
            "shadowed" => &mut added.shadowed,
            _ => &mut added.types,
        };
        list.push(name);
        Ok(Next::Continue)
    };
    session.each_row(UNSURE, &[], take).await?;
    Ok(added)
}

/// What pg_stat_statements has counted, where it is there.
pub(super) async fn statements_run(session: &Session) -> Result<Option<Vec<StatementRun>>, ConnectError> {
    const WHERE: &str = "SELECT pg_catalog.quote_ident(home.nspname) FROM pg_catalog.pg_extension AS added \
                         JOIN pg_catalog.pg_namespace AS home ON home.oid = added.extnamespace \
                         WHERE added.extname = 'pg_stat_statements'";
    let read = |row: &tokio_postgres::Row| row.try_get::<_, String>(0);
    let Some(schema) = session.first_row(WHERE, &[], read).await? else { return Ok(None) };
    let mut found = Vec::new();
    let take = |row: &tokio_postgres::Row| {
        let (Lossy(sql), runs): (Lossy, i64) = (row.try_get(0)?, row.try_get(1)?);
        let role = row.try_get::<_, Option<Lossy>>(2)?.map(|Lossy(role)| role);
        found.push(StatementRun { sql, runs: u64::try_from(runs).unwrap_or_default(), role, last: None });
        Ok(Next::Continue)
    };
    session.each_row(&STATEMENTS_RUN.replace(":schema", &schema), &[], take).await?;
    Ok(Some(found))
}

async fn listed_tables(session: &Session, source: &str) -> Result<Vec<(Table, Facts)>, ConnectError> {
    let mut found = Vec::new();
    let take = |row: &tokio_postgres::Row| {
        let (Lossy(schema), Lossy(name), Lossy(kind)) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        let kind = kind_of(&kind);
        let words: Option<Lossy> = row.try_get(5)?;
        let rows: Option<i64> = row.try_get(6)?;
        let analyzed: Option<i64> = row.try_get(7)?;
        let table = Table {
            identity: Identity {
                own: row.try_get::<_, Option<Lossy>>(10)?.map(|Lossy(own)| own),
                columns: Vec::new(),
                parts: row.try_get(11)?,
            },
            id: TableId { source: source.to_owned(), schema: Some(schema), name },
            kind,
            comment: row.try_get::<_, Option<Lossy>>(4)?.map(|Lossy(comment)| comment),
            definition: words.map(|Lossy(text)| definition(&text)),
            columns: Vec::new(),
            primary_key: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            row_count: rows
                .and_then(|rows| u64::try_from(rows).ok())
                .map(|value| RowCount { value, exactness: Exactness::Estimate }),
            last_update: analyzed.and_then(|seconds| Timestamp::from_second(seconds).ok()).map(LastUpdate::of_engine),
            reads_from: Vec::new(),
            partitions: named(source, row.try_get(13)?, row.try_get(14)?),
            row_policies: row_policies(row.try_get(12)?),
        };
        let written: Option<i64> = row.try_get(8)?;
        let epoch: Option<Lossy> = row.try_get(9)?;
        let write_mark = epoch
            .map(|Lossy(epoch)| WriteMark { rows_written: written.and_then(|rows| u64::try_from(rows).ok()), epoch });
        found.push((table, Facts { oid: row.try_get(0)?, write_mark, ..Facts::default() }));
        Ok(Next::Continue)
    };
    session.each_row(&TABLES, &[], take).await?;
    Ok(found)
}

/// The kind of a relation by `pg_class.relkind`.
pub(super) fn kind_of(letter: &str) -> TableKind {
    match letter {
        "v" => TableKind::View,
        "m" => TableKind::MaterializedView,
        "f" => TableKind::ForeignTable,
        _ => TableKind::Table,
    }
}

/// What policies.sql says. What can't be read is a policy that nobody can follow.
pub(super) fn row_policies(told: Option<Lossy>) -> Vec<RowPolicy> {
    let Some(Lossy(text)) = told else { return Vec::new() };
    serde_json::from_str(&text)
        .unwrap_or_else(|_| vec![RowPolicy { name: String::new(), query: text, functions: Vec::new() }])
}

/// A view's query as `pg_get_viewdef` words it, without what frames it.
pub(super) fn definition(words: &str) -> String {
    words.trim().trim_end_matches(';').to_owned()
}

/// Fills in what the statements say about the tables they name by number.
struct Reader<'a> {
    session: &'a Session,
    oids: Vec<u32>,
    positions: HashMap<u32, usize>,
    found: &'a mut Vec<(Table, Facts)>,
}

impl Reader<'_> {
    async fn columns(&mut self) -> Result<(), ConnectError> {
        let labels = enum_labels(self.session).await?;
        let (positions, found) = (&self.positions, &mut *self.found);
        let take = |row: &tokio_postgres::Row| {
            let Some((table, facts)) = positions.get(&row.try_get(0)?).map(|&position| &mut found[position]) else {
                return Ok(Next::Continue);
            };
            let (Lossy(name), Lossy(data_type)) = (row.try_get(1)?, row.try_get(2)?);
            let base_oid: u32 = row.try_get(3)?;
            let (Lossy(schema), Lossy(base), Lossy(family)) = (row.try_get(4)?, row.try_get(5)?, row.try_get(6)?);
            let Lossy(base_words) = row.try_get(7)?;
            let text = |place| row.try_get::<_, Option<Lossy>>(place).map(|text| text.map(|Lossy(text)| text));
            table.columns.push(Column {
                name: name.clone(),
                data_type,
                type_class: type_class(&schema, &family, &base_words),
                nullable: row.try_get(8)?,
                default: text(9)?,
                comment: text(10)?,
                enum_values: labels.get(&base_oid).cloned().unwrap_or_default(),
                generated: text(11)?,
            });
            table.identity.columns.push(row.try_get(12)?);
            let kind = Kind::of(&schema, &base);
            facts.types.insert(name, BaseType { schema, name: base, kind });
            Ok(Next::Continue)
        };
        self.session.each_row(&COLUMNS, &[(&self.oids, Type::OID_ARRAY)], take).await
    }

    async fn checks(&mut self) -> Result<(), ConnectError> {
        let (positions, found) = (&self.positions, &mut *self.found);
        let take = |row: &tokio_postgres::Row| {
            let Some((table, _)) = positions.get(&row.try_get(0)?).map(|&position| &mut found[position]) else {
                return Ok(Next::Continue);
            };
            let (Lossy(column), Lossy(condition)) = (row.try_get(1)?, row.try_get(2)?);
            let column = table.columns.iter_mut().find(|known| known.name == column);
            if let (Some(column), Some(values)) = (column, checks::listed_values(&condition))
                && column.enum_values.is_empty()
            {
                column.enum_values = values;
            }
            Ok(Next::Continue)
        };
        self.session.each_row(CHECKS, &[(&self.oids, Type::OID_ARRAY)], take).await
    }

    /// The foreign keys of each table, as declared; primary keys go to their tables.
    async fn keys(&mut self) -> Result<Vec<Vec<DeclaredKey>>, ConnectError> {
        let mut keys: Vec<Vec<DeclaredKey>> = vec![Vec::new(); self.found.len()];
        let (positions, found) = (&self.positions, &mut *self.found);
        let take = |row: &tokio_postgres::Row| {
            let Some(&position) = positions.get(&row.try_get(0)?) else { return Ok(Next::Continue) };
            let names = |place| {
                row.try_get::<_, Vec<Lossy>>(place)
                    .map(|names| names.into_iter().map(|Lossy(name)| name).collect::<Vec<String>>())
            };
            let Lossy(kind) = row.try_get(1)?;
            if kind == "p" {
                found[position].0.primary_key = names(2)?;
            } else if let Some(Lossy(ref_table)) = row.try_get(4)? {
                keys[position].push(DeclaredKey {
                    columns: names(2)?,
                    ref_schema: row.try_get::<_, Option<Lossy>>(3)?.map(|Lossy(schema)| schema),
                    ref_table,
                    ref_columns: names(5)?,
                });
            }
            Ok(Next::Continue)
        };
        self.session.each_row(KEYS, &[(&self.oids, Type::OID_ARRAY)], take).await?;
        Ok(keys)
    }

    async fn reads(&mut self) -> Result<(), ConnectError> {
        let (positions, found) = (&self.positions, &mut *self.found);
        let take = |row: &tokio_postgres::Row| {
            let place = |column| row.try_get(column).map(|oid: u32| positions.get(&oid).copied());
            if let (Some(reader), Some(read)) = (place(0)?, place(1)?) {
                let id = found[read].0.id.clone();
                found[reader].0.reads_from.push(id);
            }
            Ok(Next::Continue)
        };
        self.session.each_row(READS, &[(&self.oids, Type::OID_ARRAY)], take).await?;
        self.found.iter_mut().for_each(|(table, _)| table.reads_from.sort());
        Ok(())
    }

    async fn indexes(&mut self) -> Result<(), ConnectError> {
        let mut parts: Vec<IndexPart> = Vec::new();
        let take = |row: &tokio_postgres::Row| {
            let term: Option<Lossy> = row.try_get(7)?;
            let column: Option<Lossy> = row.try_get(6)?;
            parts.push(IndexPart {
                table: row.try_get(0)?,
                index: row.try_get::<_, Lossy>(1)?.0,
                primary: row.try_get(2)?,
                unique: row.try_get(3)?,
                ordered: row.try_get(4)?,
                term: column.or(term).map(|Lossy(term)| term).unwrap_or_else(|| "expression".to_owned()),
            });
            Ok(Next::Continue)
        };
        self.session.each_row(INDEXES, &[(&self.oids, Type::OID_ARRAY)], take).await?;
        for parts in parts.chunk_by(|one, next| one.table == next.table) {
            if let Some((table, facts)) = self.positions.get(&parts[0].table).map(|&at| &mut self.found[at]) {
                add_indexes(table, facts, parts);
            }
        }
        Ok(())
    }
}

/// The tables of these names in these schemas.
fn named(source: &str, schemas: Vec<Lossy>, names: Vec<Lossy>) -> Vec<TableId> {
    let pairs = schemas.into_iter().zip(names);
    pairs
        .map(|(Lossy(schema), Lossy(name))| TableId { source: source.to_owned(), schema: Some(schema), name })
        .collect()
}

/// One key column of an index.
struct IndexPart {
    table: u32,
    index: String,
    primary: bool,
    unique: bool,
    /// Whether it leads to values of a column, and to their order.
    ordered: bool,
    term: String,
}

fn add_indexes(table: &mut Table, facts: &mut Facts, parts: &[IndexPart]) {
    // Unique ones first, then the primary key, then by name of the index.
    let mut lookups: Vec<(bool, bool, &str)> = Vec::new();
    for index in parts.chunk_by(|one, next| one.index == next.index) {
        let first = &index[0];
        if first.ordered {
            lookups.push((!(first.unique && index.len() == 1), !first.primary, &first.term));
        }
        if !first.primary {
            let columns = index.iter().map(|part| part.term.clone()).collect();
            table.indexes.push(Index { name: first.index.clone(), columns, unique: first.unique });
        }
    }
    lookups.sort_by_key(|&(shared, secondary, _)| (shared, secondary));
    for (shared, _, name) in lookups {
        if facts.lookup_columns.iter().all(|known| known.name != name) {
            facts.lookup_columns.push(LookupColumn { name: name.to_owned(), unique: !shared });
        }
    }
}

async fn enum_labels(session: &Session) -> Result<HashMap<u32, Vec<String>>, ConnectError> {
    let mut labels: HashMap<u32, Vec<String>> = HashMap::new();
    let take = |row: &tokio_postgres::Row| {
        let Lossy(label) = row.try_get(1)?;
        labels.entry(row.try_get(0)?).or_default().push(label);
        Ok(Next::Continue)
    };
    session.each_row(ENUM_LABELS, &[], take).await?;
    Ok(labels)
}

/// The class of a type without its domains; `family` is `pg_type.typtype`.
fn type_class(schema: &str, family: &str, words: &str) -> TypeClass {
    match (family, words) {
        ("e", _) => TypeClass::Text,
        // Names that people gave to composites and ranges say nothing about values.
        ("c" | "r" | "m" | "p", _) => TypeClass::Other,
        ("b", "oid") if schema == "pg_catalog" => TypeClass::Integer,
        // Strings of bits; and amounts that are written with their currency.
        ("b", "bit" | "bit varying" | "money" | "jsonpath") if schema == "pg_catalog" => TypeClass::Other,
        _ => TypeClass::of(words),
    }
}

#[cfg(test)]
mod tests {
    use catalog::TypeClass;

    use super::type_class;

    #[test]
    fn tells_what_a_type_is_from_more_than_its_name() {
        for (schema, family, words, expected) in [
            ("public", "e", "date_kind", TypeClass::Text),
            ("public", "c", "integer_pair", TypeClass::Other),
            ("pg_catalog", "r", "int4range", TypeClass::Other),
            ("pg_catalog", "b", "bit", TypeClass::Other),
            ("pg_catalog", "b", "bigint", TypeClass::Integer),
            ("pg_catalog", "b", "timestamp with time zone", TypeClass::Timestamp),
            ("pg_catalog", "b", "interval", TypeClass::Other),
            ("pg_catalog", "b", "text[]", TypeClass::Other),
            ("public", "b", "citext", TypeClass::Text),
        ] {
            assert_eq!(type_class(schema, family, words), expected, "{words}");
        }
    }
}
