//! Is lineage right? On cases that say for a text which tables it reads and writes and which columns come from which.

mod dbt;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use catalog::{Catalog, Column, Dialect, Entry, Source, Table, TableId};
use lineage::{ALL_COLUMNS, Holder, Lineage, Place};
use serde::{Deserialize, Serialize};
use sql::{CatalogSchema, StatementLineage, script_lineage};

pub use dbt::{DbtReport, run_dbt};

/// The source that the tables of a case are in.
const SOURCE: &str = "case";

/// A text, and what is right.
#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    dialect: String,
    sql: String,
    /// Tables that are known, with their columns.
    #[serde(default)]
    schema: BTreeMap<String, Vec<String>>,
    /// Queries that names in the text stand for.
    #[serde(default)]
    sources: BTreeMap<String, String>,
    default_schema: Option<String>,
    /// Whether tables count as written that are only altered, emptied or taken away.
    #[serde(default)]
    changes_are_writes: bool,
    /// Tables that are read and aren't made in the text.
    reads: Option<Vec<String>>,
    /// Tables that are made and aren't read in the text.
    writes: Option<Vec<String>>,
    /// Column that comes from column, both as `table.column`; of a query, the target is the result's name alone.
    columns: Option<Vec<[String; 2]>>,
    /// The only target that is told of.
    column: Option<String>,
    /// The columns of tables that are used anywhere, as `table.column`.
    used: Option<Vec<String>>,
}

impl Case {
    /// A name in lower case and without quotes, and without the schema, or the database around it, that may be left out.
    fn without_home(&self, name: &str) -> String {
        let (name, home) = (bare(name), self.default_schema.as_deref().map(bare).unwrap_or_default());
        let parts: Vec<&str> = home.split('.').filter(|part| !part.is_empty()).collect();
        let prefixes = (0..parts.len()).map(|start| parts[start..].join("."));
        let shorter = prefixes.chain(parts.first().map(|part| (*part).to_owned()));
        let mut shorter = shorter.filter_map(|prefix| name.strip_prefix(&format!("{prefix}.")).map(str::to_owned));
        shorter.next().unwrap_or(name)
    }
}

/// How many cases are right.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SuiteReport {
    /// Cases.
    pub cases: usize,
    /// All that the case tells of is right.
    pub right: usize,
    /// Cases that tell of tables, and those of them that are right.
    pub tables: (usize, usize),
    /// Cases that tell of columns, and those of them that are right.
    pub columns: (usize, usize),
    /// Cases that tell which columns are used, and those of them that are right.
    pub used: (usize, usize),
    /// Used columns: those that are told, those that were found, those that are both.
    pub used_columns: (usize, usize, usize),
    /// By dialect: cases, right ones.
    pub dialects: BTreeMap<String, (usize, usize)>,
}

/// What came of cases, by file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LineageReport {
    /// By the file's name.
    pub suites: BTreeMap<String, SuiteReport>,
}

/// One line of the file that [`run_lineage`] writes.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    dialect: &'a str,
    right: bool,
    sql: &'a str,
    missing: BTreeSet<String>,
    extra: BTreeSet<String>,
    problems: Vec<String>,
}

/// Judges every case of these files (JSON lines, see `docs/reference/evaluation.md`); one line of JSON for each goes to `out`.
///
/// # Errors
/// Where a file can't be read or written, or a line is no case.
pub fn run_lineage(cases: &[impl AsRef<Path>], out: &Path) -> Result<LineageReport> {
    let mut report = LineageReport::default();
    let mut lines = String::new();
    for file in cases.iter().map(AsRef::as_ref) {
        let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let suite = report.suites.entry(name).or_default();
        for (number, line) in text.lines().enumerate() {
            let case: Case = serde_json::from_str(line)
                .with_context(|| format!("{}, line {}, is no case", file.display(), number + 1))?;
            let judged = judge(&case);
            suite.count(&case, &judged);
            lines.push_str(&serde_json::to_string(&Line {
                id: &case.id,
                dialect: &case.dialect,
                right: judged.is_right(),
                sql: &case.sql,
                missing: judged.missing().cloned().collect(),
                extra: judged.extra().cloned().collect(),
                problems: judged.problems.clone(),
            })?);
            lines.push('\n');
        }
    }
    fs::write(out, lines).with_context(|| format!("writing {}", out.display()))?;
    Ok(report)
}

impl SuiteReport {
    fn count(&mut self, case: &Case, judged: &Judged) {
        self.cases += 1;
        self.right += usize::from(judged.is_right());
        let by_dialect = self.dialects.entry(case.dialect.clone()).or_default();
        *by_dialect = (by_dialect.0 + 1, by_dialect.1 + usize::from(judged.is_right()));
        let told =
            [(&judged.tables, &mut self.tables), (&judged.columns, &mut self.columns), (&judged.used, &mut self.used)];
        for (told, count) in told {
            if let Some(difference) = told {
                *count = (count.0 + 1, count.1 + usize::from(difference.is_none()));
            }
        }
        if let Some(used) = &judged.used {
            let both = case.used.as_ref().map_or(0, Vec::len) - used.missing.len();
            let (told, found, right) = self.used_columns;
            self.used_columns = (told + both + used.missing.len(), found + both + used.extra.len(), right + both);
        }
    }
}

/// What a case tells of, and how the answer differs.
#[derive(Debug, Default)]
struct Judged {
    tables: Option<Difference>,
    columns: Option<Difference>,
    used: Option<Difference>,
    problems: Vec<String>,
}

#[derive(Debug, Default)]
struct Difference {
    missing: BTreeSet<String>,
    extra: BTreeSet<String>,
}

impl Difference {
    fn between(expected: BTreeSet<String>, found: BTreeSet<String>) -> Self {
        let missing = expected.difference(&found).cloned().collect();
        Self { missing, extra: found.difference(&expected).cloned().collect() }
    }

    fn is_none(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }
}

impl Judged {
    fn differences(&self) -> impl Iterator<Item = &Difference> {
        self.tables.iter().chain(&self.columns).chain(&self.used)
    }

    fn is_right(&self) -> bool {
        self.differences().all(Difference::is_none)
    }

    fn missing(&self) -> impl Iterator<Item = &String> {
        self.differences().flat_map(|difference| &difference.missing)
    }

    fn extra(&self) -> impl Iterator<Item = &String> {
        self.differences().flat_map(|difference| &difference.extra)
    }
}

fn judge(case: &Case) -> Judged {
    let dialect = Dialect::from_name(match case.dialect.as_str() {
        "tsql" | "sqlserver" => "mssql",
        "sparksql" | "spark" => "databricks",
        "ansi" => "generic",
        other => other,
    });
    let catalog = catalog_of_case(case, &dialect);
    let schema = CatalogSchema::new(&catalog, SOURCE);
    let mut text = String::new();
    for (name, query) in &case.sources {
        text.push_str(&format!("CREATE VIEW {name} AS {query};\n"));
    }
    text.push_str(&case.sql);
    let statements = script_lineage(&text, &dialect, &schema, SOURCE);
    let problems = statements.iter().filter_map(|statement| statement.problem.clone()).collect();
    let tables = (case.reads.is_some() || case.writes.is_some()).then(|| table_difference(case, &statements));
    let columns = case.columns.as_ref().map(|expected| column_difference(case, expected, &statements));
    let used = case.used.as_ref().map(|expected| {
        let columns = statements.iter().flat_map(|statement| &statement.columns);
        let found = columns.map(|column| case.without_home(&format!("{}.{}", column.table.local(), column.column)));
        Difference::between(expected.iter().map(|name| case.without_home(name)).collect(), found.collect())
    });
    Judged { tables, columns, used, problems }
}

fn catalog_of_case(case: &Case, dialect: &Dialect) -> Catalog {
    let entries = case.schema.iter().map(|(name, columns)| {
        let (schema, name) = match name.rsplit_once('.') {
            Some((schema, name)) => (Some(schema.to_owned()), name.to_owned()),
            None => (None, name.clone()),
        };
        let mut table = Table::new(TableId { source: SOURCE.to_owned(), schema, name });
        table.columns = columns.iter().map(|column| Column::new(column, "")).collect();
        Entry::bare(table)
    });
    let mut source = Source::new(SOURCE, dialect.clone(), "");
    source.search_path = case.default_schema.iter().cloned().collect();
    Catalog::new(vec![source], entries.collect(), Vec::new(), 0)
}

/// Names as cases write them, without quotes and in lower case.
fn bare(name: &str) -> String {
    name.to_lowercase().replace(['"', '`', '[', ']'], "")
}

fn table_difference(case: &Case, statements: &[StatementLineage]) -> Difference {
    let local = |table: &TableId| case.without_home(&table.local());
    let mut read: BTreeSet<String> = BTreeSet::new();
    let mut written: BTreeSet<String> = BTreeSet::new();
    for statement in statements {
        read.extend(statement.reads.iter().map(local));
        written.extend(statement.made.iter().filter_map(|made| made.table.as_ref()).map(local));
        if case.changes_are_writes {
            written.extend(statement.changed.iter().map(local));
        }
    }
    let sided = |names: &Option<Vec<String>>, side: &str, found: BTreeSet<String>| match names {
        Some(names) => {
            let expected = names.iter().map(|name| format!("{side} {}", case.without_home(name))).collect();
            Difference::between(expected, found.iter().map(|name| format!("{side} {name}")).collect())
        }
        None => Difference::default(),
    };
    // What a text makes and reads again comes from nowhere else, and goes nowhere else, in suites that follow edges.
    let through: BTreeSet<String> = read.intersection(&written).cloned().collect();
    let exactly = [sided(&case.reads, "reads", read.clone()), sided(&case.writes, "writes", written.clone())];
    let followed = [
        sided(&case.reads, "reads", read.difference(&through).cloned().collect()),
        sided(&case.writes, "writes", written.difference(&through).cloned().collect()),
    ];
    let differences = if exactly.iter().all(Difference::is_none) { exactly } else { followed };
    let mut all = Difference::default();
    for difference in differences {
        all.missing.extend(difference.missing);
        all.extra.extend(difference.extra);
    }
    all
}

/// What results may be called that have no name of their own, beside what we call them: by their text, or by their place.
fn other_names(statements: &[StatementLineage]) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for made in statements.iter().flat_map(|statement| &statement.made) {
        let mut unnamed = 0;
        for column in &made.columns {
            let Some(expression) = &column.expression else { continue };
            let ours = bare(column.name.as_ref().unwrap_or(expression));
            names.push((ours.clone(), bare(expression)));
            if column.name.is_none() {
                names.push((ours, format!("_{unnamed}")));
                unnamed += 1;
            }
        }
    }
    names
}

fn column_difference(case: &Case, expected: &[[String; 2]], statements: &[StatementLineage]) -> Difference {
    let result = TableId::new(SOURCE, "");
    let mut lineage = Lineage::default();
    for statement in statements {
        lineage.add(statement, Place::new(Holder::Script, &case.id, &case.sql), Some((&result, &[])));
    }
    lineage.columns.retain(|edge| edge.is_sure);
    let name = |column: &sql::ColumnRef| match column.table.name.is_empty() {
        true => bare(&column.column),
        false => case.without_home(&format!("{}.{}", column.table.local(), column.column)),
    };
    let pair = |from: &str, to: &str| format!("{from} -> {to}");
    let graph = lineage::Graph::new(&lineage);
    // What a column is made from itself leads nowhere.
    let others = || lineage.columns.iter().filter(|edge| edge.from != edge.to);
    let made: BTreeSet<String> = others().map(|edge| name(&edge.to)).collect();
    let used: BTreeSet<String> = others().map(|edge| name(&edge.from)).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for target in lineage.columns.iter().map(|edge| &edge.to) {
        if used.contains(&name(target)) && !target.table.name.is_empty() {
            continue;
        }
        for step in graph.columns(target, lineage::Direction::Up, usize::MAX) {
            let from = &step.edge.from;
            let of_all = sql::ColumnRef { column: ALL_COLUMNS.to_owned(), ..from.clone() };
            if !made.contains(&name(from)) && !made.contains(&name(&of_all)) || name(from) == name(target) {
                found.insert(pair(&name(from), &name(target)));
            }
        }
    }
    // Columns that may be of one of several tables.
    for made in statements.iter().flat_map(|statement| &statement.made) {
        for column in &made.columns {
            for source in column.sources.iter().filter(|source| source.table.name.is_empty()) {
                let table = made.table.as_ref().map(|table| format!("{}.", table.local())).unwrap_or_default();
                let to = format!("{table}{}", column.name.as_deref().unwrap_or(ALL_COLUMNS));
                found.insert(pair(&format!("?.{}", bare(&source.column)), &bare(&to)));
            }
        }
    }
    let is_told = |pair: &String| match &case.column {
        Some(column) => pair.ends_with(&format!("-> {}", bare(column))),
        None => true,
    };
    let mut expected: BTreeSet<String> =
        expected.iter().map(|[from, to]| pair(&case.without_home(from), &case.without_home(to))).collect();
    let unnamed = other_names(statements);
    found = found
        .into_iter()
        .map(|pair| match pair.split_once(" -> ") {
            Some((from, to)) if !expected.contains(&pair) => {
                let mut others = unnamed.iter().filter_map(|(name, other)| {
                    let table = to.strip_suffix(name.as_str())?;
                    Some(format!("{from} -> {table}{other}"))
                });
                others.find(|other| expected.contains(other)).unwrap_or(pair)
            }
            _ => pair,
        })
        .collect();
    // All of a table, where more is known.
    expected = expected
        .into_iter()
        .map(|pair| match pair.split_once(".* -> ") {
            Some((table, to)) if to != ALL_COLUMNS && !found.contains(&pair) => {
                format!("{table}.{} -> {to}", to.rsplit('.').next().unwrap_or_default())
            }
            _ => pair,
        })
        .collect();
    found = found.into_iter().filter(is_told).collect();
    // Some cases name the target without its table.
    if !expected.is_empty() && expected.iter().all(|pair| !pair.rsplit("-> ").next().unwrap_or_default().contains('.'))
    {
        let without = |pair: &String| {
            let (from, to) = pair.split_once(" -> ").unwrap_or((pair, ""));
            format!("{from} -> {}", to.rsplit('.').next().unwrap_or_default())
        };
        expected = expected.iter().map(without).collect();
        found = found.iter().map(without).collect();
    }
    Difference::between(expected, found)
}

#[cfg(test)]
mod tests {
    use super::{Case, judge};

    fn case(text: &str) -> Case {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_case_is_right_only_where_all_that_it_tells_is_found_and_nothing_else() {
        let of = |reads: &str, columns: &str| {
            format!(
                r#"{{"id": "a", "dialect": "postgres", "sql": "INSERT INTO s.t SELECT x AS y FROM a JOIN b ON a.id = b.id",
                    "schema": {{"a": ["id", "x"], "b": ["id"]}}, "reads": {reads}, "writes": ["s.t"], "columns": {columns}}}"#
            )
        };
        assert!(judge(&case(&of(r#"["a", "b"]"#, r#"[["a.x", "s.t.y"]]"#))).is_right());
        assert!(judge(&case(&of("null", "null"))).is_right());
        for (reads, columns) in [
            (r#"["a"]"#, "null"),
            (r#"["a", "b", "c"]"#, "null"),
            ("null", r#"[["b.x", "s.t.y"]]"#),
            ("null", "[]"),
            ("null", r#"[["a.x", "s.t.y"], ["a.id", "s.t.y"]]"#),
        ] {
            assert!(!judge(&case(&of(reads, columns))).is_right(), "{reads} {columns}");
        }
    }

    #[test]
    fn what_is_made_on_the_way_is_followed() {
        let case = case(
            r#"{"id": "a", "dialect": "generic", "sql": "CREATE TABLE m AS SELECT x FROM s; INSERT INTO t SELECT x FROM m",
                "reads": ["s"], "writes": ["t"], "columns": [["s.x", "t.x"]]}"#,
        );
        assert!(judge(&case).is_right());
    }
}
