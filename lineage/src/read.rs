//! Reading lineage from what holds it: views of the database, folders of scripts, dbt projects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Column, Entry, Source, Table, TableId};
use dialect::Dialect;
use sql::{CatalogSchema, Schema, TableChange, TableLookup, script_lineage};

use crate::dbt::{DbtKind, DbtNode, DbtProject};
use crate::edges::{Gap, Holder, Lineage, Place, TableEdge, unread};
use crate::error::LineageError;

/// Deeper folders are not gone into.
const MAXIMUM_DEPTH: usize = 16;

/// What the definitions of a source's views say.
pub fn of_views(catalog: &Catalog, source: &str) -> Lineage {
    let schema = AtHome { database: own_database(catalog, source), schema: CatalogSchema::new(catalog, source) };
    let dialect = catalog.dialect(source);
    let mut lineage = Lineage::default();
    for entry in catalog.entries().iter().filter(|entry| entry.table.id.source == source) {
        let Some(definition) = &entry.table.definition else { continue };
        let columns: Vec<String> = entry.table.columns.iter().map(|column| column.name.clone()).collect();
        let place = Place::new(Holder::View, entry.table.id.local(), definition);
        for statement in script_lineage(definition, dialect, &schema, source) {
            lineage.add(&statement, place.clone(), Some((&entry.table.id, &columns)));
        }
    }
    lineage
}

/// What the statements in a folder's `.sql` files say, or in a single file, in the order of their names.
///
/// # Errors
/// Where the folder or a file can't be read. A statement that can't be is a gap.
pub fn of_scripts(folder: &Path, catalog: &Catalog, source: &str) -> Result<Lineage, LineageError> {
    let mut files = Vec::new();
    match folder.is_file() {
        true => files.push(folder.to_owned()),
        false => sql_files(folder, 0, &mut files)?,
    }
    files.sort();
    let schema = AtHome { database: own_database(catalog, source), schema: CatalogSchema::new(catalog, source) };
    let dialect = catalog.dialect(source);
    let mut lineage = Lineage::default();
    for path in files {
        let bytes = fs::read(&path).map_err(|source| LineageError::File { path: path.clone(), source })?;
        let text = text_of(&bytes);
        let within = folder.parent().and_then(|above| path.strip_prefix(above).ok()).unwrap_or(&path);
        let name = within.display().to_string();
        let (mut line, mut counted) = (1, 0);
        let (mut of_file, mut staged) = (Lineage::default(), Vec::new());
        for statement in script_lineage(&text, dialect, &schema, source) {
            // Statements of a routine's body stand where the routine does.
            if let Some(before) = text.get(counted..statement.span.start) {
                (line, counted) = (line + before.matches('\n').count(), statement.span.start);
            }
            let place = Place::new(Holder::Script, name.clone(), statement.span.text(&text));
            of_file.add(&statement, Place { line: Some(line), ..place }, None);
            let made = statement.made.into_iter().filter(|made| made.change == TableChange::Staged);
            staged.extend(made.filter_map(|made| made.table).filter(|table| catalog.entry(table).is_none()));
        }
        of_file.keep_apart(&staged, &name);
        lineage.extend(of_file);
    }
    Ok(lineage)
}

/// A file's text: UTF-8, or UTF-16 where its first bytes say so.
fn text_of(bytes: &[u8]) -> String {
    let units = |of: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect()
    };
    match bytes {
        [0xFF, 0xFE, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        [0xFE, 0xFF, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn sql_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), LineageError> {
    let unreadable = |source| LineageError::File { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        // A link could lead in a circle, or anywhere.
        if kind.is_dir() && depth < MAXIMUM_DEPTH {
            sql_files(&path, depth + 1, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sql")) {
            files.push(path);
        }
    }
    Ok(())
}

/// What the models of a dbt project say, over a source of the catalog.
pub fn of_dbt(project: &DbtProject, catalog: &Catalog, source: &str) -> Lineage {
    let known = CatalogSchema::new(catalog, source);
    let database = home_of(project, &known).or_else(|| own_database(catalog, source));
    let known = AtHome { database, schema: known };
    // What the database doesn't have yet, the project may know the columns of.
    let added = catalog_of_dbt(project, source, |node| table_named(&known, &node.relation).is_none());
    let both = Both { first: &known, second: CatalogSchema::new(&added, source) };
    let mut lineage = Lineage::default();
    for node in project.nodes.values() {
        if node.relation.is_empty() {
            continue;
        }
        let Some(compiled) = &node.compiled else {
            if node.kind == DbtKind::Model {
                let place = lineage.note_place(Place::new(Holder::DbtModel, node.id.clone(), ""));
                let what = "the manifest has no compiled SQL of it; `dbt compile` writes that".to_owned();
                let parents = parents_of(node, project).into_iter();
                let parents: Vec<TableId> = parents.map(|parent| id_of(parent, &both, source)).collect();
                let id = id_of(node, &both, source);
                lineage.choices.push(unread(&parents, &[], &id, place));
                lineage.gaps.push(Gap { what, table: Some(id), place });
            }
            continue;
        };
        let (id, columns) = match table_named(&both, &node.relation) {
            Some(table) => (table.id.clone(), table.columns.iter().map(|column| column.name.clone()).collect()),
            None => (table_of(node, source).id, Vec::new()),
        };
        let place = Place::new(Holder::DbtModel, node.id.clone(), compiled);
        let statements = script_lineage(compiled, dialect_of(project, catalog, source), &both, source);
        for statement in &statements {
            lineage.add(statement, place.clone(), Some((&id, &columns)));
        }
        if statements.is_empty() {
            let (what, place) = ("there is no statement in it".to_owned(), lineage.note_place(place));
            lineage.gaps.push(Gap { what, table: Some(id.clone()), place });
        }
    }
    for node in project.nodes.values().filter(|node| !node.relation.is_empty()) {
        let Some(table) = table_named(&known, &node.relation) else { continue };
        lineage.note(project, node, &table.id);
        let lacking = node.described.iter().map(|column| &column.name);
        let lacking: Vec<&str> = lacking.filter(|name| !has(table, name)).map(String::as_str).collect();
        if !lacking.is_empty() {
            let place = lineage.note_place(Place::new(Holder::DbtModel, node.id.clone(), &lacking.join("\n")));
            let what = format!("{} is described, and {} doesn't have it", lacking.join(", "), table.id.local());
            lineage.gaps.push(Gap { what, table: Some(table.id.clone()), place });
        }
    }
    for seed in project.nodes.values().filter(|node| node.kind == DbtKind::Seed && !node.path.is_empty()) {
        let place = lineage.note_place(Place::new(Holder::DbtModel, seed.id.clone(), &seed.path));
        let (from, to) = (TableId::new(source, seed.path.clone()), id_of(seed, &both, source));
        lineage.tables.push(TableEdge { from, to, deciding: Vec::new(), place });
    }
    for exposure in &project.exposures {
        let read = exposure.depends_on.iter().filter_map(|id| project.nodes.get(id));
        let to =
            TableId { source: source.to_owned(), schema: Some(exposure.kind.clone()), name: exposure.name.clone() };
        let text = exposure.depends_on.join(" ");
        let place = lineage.note_place(Place::new(Holder::DbtExposure, exposure.name.clone(), &text));
        for node in read.filter(|node| !node.relation.is_empty()) {
            let from = id_of(node, &both, source);
            lineage.tables.push(TableEdge { from, to: to.clone(), deciding: Vec::new(), place });
        }
    }
    lineage
}

/// The table that a node makes: the one of that name, or the one that the project says it will be.
fn id_of(node: &DbtNode, known: &dyn Schema, source: &str) -> TableId {
    table_named(known, &node.relation).map_or_else(|| table_of(node, source).id, |table| table.id.clone())
}

fn has(table: &Table, column: &str) -> bool {
    table.columns.iter().any(|own| own.name.eq_ignore_ascii_case(column))
}

/// What a node is made from: what has a relation, also over models that are part of others.
fn parents_of<'p>(node: &'p DbtNode, project: &'p DbtProject) -> Vec<&'p DbtNode> {
    let (mut parents, mut seen, mut next) = (Vec::new(), BTreeSet::new(), vec![node]);
    while let Some(node) = next.pop() {
        for parent in node.depends_on.iter().filter_map(|id| project.nodes.get(id)) {
            match parent.relation.is_empty() {
                _ if !seen.insert(&parent.id) => {}
                true => next.push(parent),
                false => parents.push(parent),
            }
        }
    }
    parents
}

/// The relations of a project, those that are wanted, with the columns that its own catalog has of them.
pub fn catalog_of_dbt(project: &DbtProject, source: &str, is_wanted: impl Fn(&DbtNode) -> bool) -> Catalog {
    let nodes = project.nodes.values().filter(|node| !node.relation.is_empty() && !node.columns.is_empty());
    let entries = nodes.filter(|node| is_wanted(node)).map(|node| Entry::bare(table_of(node, source))).collect();
    Catalog::new(vec![Source::new(source, project.dialect.clone(), "")], entries, Vec::new(), 0)
}

/// The project's own, unless the source is of an engine that is known better.
fn dialect_of<'d>(project: &'d DbtProject, catalog: &'d Catalog, source: &str) -> &'d Dialect {
    catalog.source(source).map_or(&project.dialect, |source| &source.dialect)
}

fn own_database(catalog: &Catalog, source: &str) -> Option<String> {
    catalog.source(source)?.database().map(str::to_owned)
}

/// The database that a project means by the source: the one that most of its relations are in which the source has, since
/// only the project's names say in which database a table is.
fn home_of(project: &DbtProject, known: &CatalogSchema<'_>) -> Option<String> {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for node in project.nodes.values() {
        if let [database, rest @ ..] = node.relation.as_slice()
            && rest.len() == 2
            && table_named(known, rest).is_some()
        {
            *found.entry(database).or_default() += 1;
        }
    }
    found.into_iter().max_by_key(|(_, count)| *count).map(|(database, _)| database.to_owned())
}

fn table_named<'s>(schema: &'s dyn Schema, parts: &[String]) -> Option<&'s Table> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match schema.resolve_table(&parts) {
        TableLookup::Found(table) => Some(table),
        _ => None,
    }
}

/// A source's tables, also under names with its database.
struct AtHome<'a> {
    database: Option<String>,
    schema: CatalogSchema<'a>,
}

impl Schema for AtHome<'_> {
    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_> {
        match (parts, &self.database) {
            ([database, rest @ ..], Some(home)) if rest.len() == 2 && database.eq_ignore_ascii_case(home) => {
                self.schema.resolve_table(rest)
            }
            // That of another database is none of these.
            ([_, _, _], _) => TableLookup::Unknown,
            _ => self.schema.resolve_table(parts),
        }
    }

    fn uniqueness(&self, table: &TableId, held: sql::Held<'_>) -> sql::Uniqueness {
        self.schema.uniqueness(table, held)
    }

    fn primary_key(&self, table: &TableId) -> Option<&[String]> {
        self.schema.primary_key(table)
    }

    fn table(&self, table: &TableId) -> Option<&Table> {
        self.schema.table(table)
    }

    fn column_size(&self, table: &TableId, column: &str) -> sql::ColumnSize {
        self.schema.column_size(table, column)
    }
}

fn table_of(node: &DbtNode, source: &str) -> Table {
    let (name, schema) = match node.relation.split_last() {
        Some((name, schema)) => (name.clone(), schema.join(".")),
        None => (String::new(), String::new()),
    };
    let schema = Some(schema).filter(|schema| !schema.is_empty());
    let mut table = Table::new(TableId { source: source.to_owned(), schema, name });
    table.columns = node.columns.iter().map(|column| Column::new(column, "")).collect();
    table
}

/// Two schemas, the first of which says more of what both have.
struct Both<'a> {
    first: &'a AtHome<'a>,
    second: CatalogSchema<'a>,
}

impl Schema for Both<'_> {
    fn resolve_table(&self, parts: &[&str]) -> TableLookup<'_> {
        match self.first.resolve_table(parts) {
            TableLookup::Unknown => self.second.resolve_table(parts),
            found => found,
        }
    }

    fn uniqueness(&self, table: &TableId, held: sql::Held<'_>) -> sql::Uniqueness {
        self.first.uniqueness(table, held)
    }

    fn primary_key(&self, table: &TableId) -> Option<&[String]> {
        self.first.primary_key(table)
    }

    fn table(&self, table: &TableId) -> Option<&Table> {
        self.first.table(table).or_else(|| self.second.table(table))
    }

    fn column_size(&self, table: &TableId, column: &str) -> sql::ColumnSize {
        self.first.column_size(table, column)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use catalog::{Catalog, Column, Entry, Source, Table, TableId, TableKind};
    use dialect::Dialect;

    use super::{of_dbt, of_scripts, of_views};
    use crate::dbt::DbtProject;
    use crate::edges::Lineage;
    use crate::error::LineageError;

    fn table(schema: Option<&str>, name: &str, columns: &[&str]) -> Table {
        let id = TableId { source: "wh".to_owned(), schema: schema.map(str::to_owned), name: name.to_owned() };
        Table { columns: columns.iter().map(|name| Column::new(*name, "TEXT")).collect(), ..Table::new(id) }
    }

    fn catalog(dialect: Dialect, tables: Vec<Table>) -> Catalog {
        let entries = tables.into_iter().map(Entry::bare).collect();
        Catalog::new(vec![Source::new("wh", dialect, "")], entries, Vec::new(), 0)
    }

    fn edges(lineage: &Lineage) -> Vec<String> {
        let end = |end: &sql::ColumnRef| format!("{}.{}", end.table.local(), end.column);
        let edges = lineage.columns.iter();
        edges.map(|edge| format!("{} > {} ({})", end(&edge.from), end(&edge.to), lineage.places[edge.place])).collect()
    }

    #[test]
    fn a_view_has_the_columns_that_it_is_given() {
        let definition = Some("SELECT id, upper(name) FROM people WHERE gone IS NULL".to_owned());
        let view = Table { definition, kind: TableKind::View, ..table(None, "staff", &["number", "called"]) };
        let catalog = catalog(Dialect::Sqlite, vec![table(None, "people", &["id", "name", "gone"]), view]);
        let lineage = of_views(&catalog, "wh");
        assert_eq!(
            edges(&lineage),
            ["people.id > staff.number (view staff)", "people.name > staff.called (view staff)"]
        );
        assert_eq!(lineage.tables[0].deciding, [("gone".to_owned(), sql::Role::Filter)]);
        assert!(of_views(&catalog, "elsewhere").tables.is_empty());
    }

    #[test]
    fn a_view_may_name_its_own_database() {
        let definition =
            Some("SELECT id FROM shop.main.people UNION ALL SELECT id FROM elsewhere.main.people".to_owned());
        let view = Table { definition, kind: TableKind::View, ..table(Some("main"), "staff", &["id"]) };
        let tables = vec![table(Some("main"), "people", &["id"]), view];
        let entries = tables.into_iter().map(Entry::bare).collect();
        let source = Source::new("wh", Dialect::Duckdb, "duckdb:data/shop.duckdb");
        let lineage = of_views(&Catalog::new(vec![source], entries, Vec::new(), 0), "wh");
        let read: Vec<String> = lineage.tables.iter().map(|edge| edge.from.local()).collect();
        assert_eq!(read, ["main.people", "elsewhere.main.people"]);
    }

    #[test]
    fn scripts_are_read_file_by_file_and_what_cant_be_read_is_a_gap() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("jobs/nightly")).unwrap();
        std::fs::write(
            folder.path().join("jobs/nightly/load.sql"),
            "-- first\n\nINSERT INTO t (a) SELECT b FROM s;\nSELEC 1;",
        )
        .unwrap();
        std::fs::write(folder.path().join("jobs/README.md"), "INSERT INTO t SELECT * FROM readme").unwrap();
        let catalog = catalog(Dialect::Postgres, Vec::new());
        let lineage = of_scripts(&folder.path().join("jobs"), &catalog, "wh").unwrap();
        assert_eq!(edges(&lineage), ["s.b > t.a (jobs/nightly/load.sql:3)"]);
        let [gap] = lineage.gaps.as_slice() else { panic!("{:?}", lineage.gaps) };
        assert!(gap.what.starts_with("not read: ") && lineage.places[gap.place].line == Some(4), "{gap:?}");
        let missing = of_scripts(&folder.path().join("gone"), &catalog, "wh");
        assert!(matches!(missing, Err(LineageError::File { .. })));
    }

    #[test]
    fn a_model_fills_the_table_that_the_database_has() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = r#"{"metadata": {"adapter_type": "postgres"}, "nodes": {
            "model.a.daily": {"resource_type": "model", "relation_name": "\"prod\".\"mart\".\"daily\"",
                "columns": {"amount": {}, "Cents": {"name": "Cents"}},
                "compiled_code": "select ordered_on, sum(cents) / 100 as amount from \"prod\".\"raw\".\"orders\" group by 1"},
            "model.a.later": {"resource_type": "model", "relation_name": "\"prod\".\"mart\".\"later\"",
                "compiled_code": "select * from \"prod\".\"mart\".\"daily\""}},
            "exposures": {"exposure.a.board": {"name": "board", "type": "dashboard", "depends_on": {"nodes": ["model.a.daily"]}}}}"#;
        std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        let tables = vec![
            table(Some("mart"), "daily", &["ordered_on", "amount"]),
            table(Some("raw"), "orders", &["ordered_on", "cents"]),
        ];
        let catalog = catalog(Dialect::Postgres, tables);
        let lineage = of_dbt(&DbtProject::read(folder.path()).unwrap(), &catalog, "wh");
        let expected = [
            "raw.orders.ordered_on > mart.daily.ordered_on (dbt model.a.daily)",
            "raw.orders.cents > mart.daily.amount (dbt model.a.daily)",
            "mart.daily.ordered_on > prod.mart.later.ordered_on (dbt model.a.later)",
            "mart.daily.amount > prod.mart.later.amount (dbt model.a.later)",
        ];
        assert_eq!(edges(&lineage), expected);
        assert_eq!(lineage.columns[1].expression.as_deref(), Some("sum(cents) / 100"));
        let [gap] = lineage.gaps.as_slice() else { panic!("{:?}", lineage.gaps) };
        assert_eq!(gap.what, "Cents is described, and mart.daily doesn't have it");
        let board = lineage.tables.last().unwrap();
        assert_eq!((board.from.local(), board.to.local()), ("mart.daily".to_owned(), "dashboard.board".to_owned()));
        assert!(matches!(DbtProject::read(Path::new("nowhere")), Err(LineageError::NoManifest { .. })));
    }

    #[test]
    fn a_model_without_sql_may_be_made_from_all_that_it_depends_on_and_failures_are_kept_rows() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = r#"{"metadata": {"adapter_type": "postgres"}, "nodes": {
            "model.a.people": {"resource_type": "model", "relation_name": "\"mart\".\"people\"", "compiled_code": "select 1 as id"},
            "model.a.part": {"resource_type": "model", "name": "part", "config": {"materialized": "ephemeral"},
                "depends_on": {"nodes": ["model.a.people"]}},
            "model.a.bare": {"resource_type": "model", "relation_name": "\"mart\".\"bare\"", "depends_on": {"nodes": ["model.a.part"]}},
            "test.a.kept": {"resource_type": "test", "relation_name": "\"audit\".\"kept\"",
                "compiled_code": "select email as unique_field from mart.people group by 1"},
            "test.a.asked": {"resource_type": "test", "compiled_code": "select 1"}}}"#;
        std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        let tables = vec![table(Some("mart"), "people", &["id", "email"]), table(Some("mart"), "bare", &["id"])];
        let project = DbtProject::read(folder.path()).unwrap();
        let lineage = of_dbt(&project, &catalog(Dialect::Postgres, tables), "wh");
        let bare = lineage.choices.iter().find(|choice| choice.table.name == "bare").unwrap();
        assert_eq!(bare.reads.iter().map(TableId::local).collect::<Vec<_>>(), ["mart.people"]);
        assert_eq!((bare.columns.as_slice(), bare.is_whole), (["*".to_owned()].as_slice(), true));
        assert_eq!(edges(&lineage), ["mart.people.email > audit.kept.unique_field (dbt test.a.kept)"]);
        assert!(!project.nodes.contains_key("test.a.asked"));
    }
}
