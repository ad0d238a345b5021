//! `periplus lineage`: what a table or a column is made from, and what is made from it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use catalog::nearest::nearest_names;
use catalog::{Catalog, TableId};
use lineage::{ALL_COLUMNS, ColumnEdge, Direction, EdgeKind, Graph, Lineage, Step, TableEdge};
use serde_json::{Value, json};
use sql::{ColumnRef, Role};

use crate::args::LineageArguments;
use crate::output::{Output, counted};
use crate::project::{Project, ProjectError};

/// Lines of each direction; the rest is counted.
const LINES_SHOWN: usize = 200;
/// Characters of an expression.
const EXPRESSION_CHARACTERS: usize = 100;

/// Names that are suggested in place of one that isn't known.
const SUGGESTED: usize = 3;

/// What somebody asks about.
enum Subject {
    Table(TableId),
    Column(ColumnRef),
}

pub(super) fn run(arguments: &LineageArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let (catalog, lineage) = (project.catalog()?, project.lineage()?);
    let source = arguments.source.as_deref().map(|name| project.source(Some(name))).transpose()?;
    let source = source.map(|source| source.id.as_str());
    let graph = Graph::new(&lineage);
    let Some(name) = &arguments.name else {
        overview(&catalog, &lineage, source, output);
        return Ok(ExitCode::SUCCESS);
    };
    let subject = subject(name, source, &catalog, &lineage)?;
    let directions = [(Direction::Up, !arguments.down), (Direction::Down, !arguments.up)];
    let mut document = json!({ "name": name, "depth": arguments.depth });
    let mut lines = Vec::new();
    for (direction, _) in directions.into_iter().filter(|(_, wanted)| *wanted) {
        let told = match &subject {
            Subject::Table(table) => of_table(table, direction, arguments.depth, &graph, &lineage),
            Subject::Column(column) => of_column(column, direction, arguments.depth, &graph, &lineage),
        };
        document[if direction == Direction::Up { "made_from" } else { "makes" }] = told.document;
        lines.push(told.heading);
        let more = told.lines.len().saturating_sub(LINES_SHOWN);
        lines.extend(told.lines.into_iter().take(LINES_SHOWN));
        if more > 0 {
            lines.push(format!("  … and {more} more; `--depth` shows less, `--json` all"));
        }
    }
    let open = gaps(Some(&subject), &lineage);
    document["open"] = json!(open);
    lines.extend(open.iter().map(|gap| format!("open: {gap}")));
    output.either(&document, lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// The table or column that somebody means: of the catalog, or one that only texts name.
fn subject(name: &str, source: Option<&str>, catalog: &Catalog, lineage: &Lineage) -> anyhow::Result<Subject> {
    if let Ok(entry) = catalog.table_named(name, source) {
        return Ok(Subject::Table(entry.table.id.clone()));
    }
    let known = tables(lineage, source);
    let called = |name: &str| {
        let name = name.to_lowercase();
        let ends = |table: &&TableId| {
            let local = table.local().to_lowercase();
            local == name || local.ends_with(&format!(".{name}")) || table.to_string().to_lowercase() == name
        };
        known.iter().copied().find(ends).cloned()
    };
    if let Some(table) = called(name) {
        return Ok(Subject::Table(table));
    }
    if let Some((table, column)) = name.rsplit_once('.') {
        let found = catalog.table_named(table, source).ok();
        let id = found.map(|entry| entry.table.id.clone()).or_else(|| called(table));
        if let Some(table) = id {
            let own =
                found.and_then(|entry| entry.table.columns.iter().find(|it| it.name.eq_ignore_ascii_case(column)));
            let named = |end: &ColumnRef| end.table == table && end.column.eq_ignore_ascii_case(column);
            let is_named = || lineage.columns.iter().any(|edge| named(&edge.from) || named(&edge.to));
            if own.is_some() || found.is_none() || is_named() {
                let column = own.map_or_else(|| column.to_owned(), |own| own.name.clone());
                return Ok(Subject::Column(ColumnRef { table, column }));
            }
            let columns = found.iter().flat_map(|entry| &entry.table.columns).map(|it| it.name.as_str());
            let near = nearest_names(column, columns, SUGGESTED).join(", ");
            return Err(ProjectError::UnknownOrigin { name: name.to_owned(), near }.into());
        }
    }
    let near = nearest_names(name, known.iter().map(|table| table.name.as_str()), SUGGESTED).join(", ");
    Err(ProjectError::UnknownOrigin { name: name.to_owned(), near }.into())
}

/// The tables that something is known of, in the order of their names.
fn tables<'l>(lineage: &'l Lineage, source: Option<&str>) -> BTreeSet<&'l TableId> {
    let ends = lineage.tables.iter().flat_map(|edge| [&edge.from, &edge.to]);
    ends.filter(|table| source.is_none_or(|source| table.source == source)).collect()
}

/// What is known, by what is made.
fn overview(catalog: &Catalog, lineage: &Lineage, source: Option<&str>, output: &Output) {
    let several = catalog.sources().len() > 1;
    let shown = |table: &TableId| if several { table.to_string() } else { table.local() };
    let mut made: BTreeMap<&TableId, BTreeSet<String>> = BTreeMap::new();
    for edge in lineage.tables.iter().filter(|edge| source.is_none_or(|source| edge.to.source == source)) {
        made.entry(&edge.to).or_default().insert(shown(&edge.from));
    }
    let documents: Vec<Value> =
        made.iter().map(|(table, from)| json!({ "table": table.to_string(), "made_from": from })).collect();
    let open = gaps(None, lineage);
    output.json(&json!({ "tables": documents, "open": open }));
    for (table, from) in &made {
        output.line(format!("{} ← {}", shown(table), from.iter().cloned().collect::<Vec<_>>().join(", ")));
    }
    output.line(match made.is_empty() {
        true => {
            "nothing is known to be made from anything; `dbt` and `scripts` of a source in periplus.toml say where SQL \
                 is that fills it, and `periplus index` reads it"
                .to_owned()
        }
        false => format!("{} made from others", counted(made.len(), "table")),
    });
    for gap in open {
        output.line(format!("open: {gap}"));
    }
}

/// One direction.
struct Told {
    heading: String,
    lines: Vec<String>,
    document: Value,
}

fn of_column(column: &ColumnRef, direction: Direction, depth: usize, graph: &Graph<'_>, lineage: &Lineage) -> Told {
    let steps = graph.columns(column, direction, depth);
    let written = |column: &ColumnRef| format!("{}.{}", column.table.local(), column.column);
    let end = |step: &Step<ColumnEdge>| match direction {
        Direction::Up => (step.edge.from.clone(), step.edge.to.clone()),
        Direction::Down => (step.edge.to.clone(), step.edge.from.clone()),
    };
    let line = |step: &Step<ColumnEdge>| {
        let edge = &step.edge;
        format!("{}{} ({})", written(&end(step).0), how(edge), lineage.places[edge.place])
    };
    let ends: Vec<(ColumnRef, ColumnRef)> = steps.iter().map(end).collect();
    let lines = tree(column, &ends, &steps.iter().map(line).collect::<Vec<_>>());
    let reached: BTreeSet<String> =
        ends.iter().map(|(far, _)| written(far)).filter(|far| *far != written(column)).collect();
    let uses = if direction == Direction::Down { uses(column, &ends, lineage) } else { Vec::new() };
    let documents: Vec<Value> = steps
        .iter()
        .map(|step| {
            json!({
                "from": written(&step.edge.from), "to": written(&step.edge.to), "kind": step.edge.kind,
                "expression": step.edge.expression, "depth": step.depth, "where": lineage.places[step.edge.place].to_string(),
            })
        })
        .collect();
    let mut lines = lines;
    let mut heading = heading(&written(column), direction, reached.len(), "column");
    let document = match direction {
        Direction::Up => json!({ "columns": documents, "total": reached.len() }),
        Direction::Down => json!({ "columns": documents, "total": reached.len(), "decides": uses }),
    };
    if !uses.is_empty() {
        if reached.is_empty() {
            heading = format!("no column is made from {}, but it decides which rows there are:", written(column));
        } else {
            lines.push("and these decide which rows there are:".to_owned());
        }
        lines.extend(uses.iter().map(|line| format!("  {line}")));
    }
    Told { heading, lines, document }
}

/// Where rows are joined, left out or grouped by a column, or by one that is made from it.
fn uses(column: &ColumnRef, ends: &[(ColumnRef, ColumnRef)], lineage: &Lineage) -> Vec<String> {
    let mut columns: Vec<&ColumnRef> = vec![column];
    columns.extend(ends.iter().map(|(far, _)| far));
    let mut found: Vec<String> = Vec::new();
    for column in columns {
        for edge in lineage.tables.iter().filter(|edge| edge.from == column.table) {
            for (name, role) in edge.deciding.iter().filter(|(name, _)| name.eq_ignore_ascii_case(&column.column)) {
                let how = match role {
                    Role::Join => "joined",
                    Role::Filter => "filtered",
                    Role::Group => "grouped",
                };
                let (of, to) = (column.table.local(), edge.to.local());
                let line = format!("{of}.{name}: rows of {to} are {how} by it ({})", lineage.places[edge.place]);
                if !found.contains(&line) {
                    found.push(line);
                }
            }
        }
    }
    found
}

fn of_table(table: &TableId, direction: Direction, depth: usize, graph: &Graph<'_>, lineage: &Lineage) -> Told {
    let steps = graph.tables(table, direction, depth);
    let end = |step: &Step<&TableEdge>| match direction {
        Direction::Up => (step.edge.from.clone(), step.edge.to.clone()),
        Direction::Down => (step.edge.to.clone(), step.edge.from.clone()),
    };
    let line = |step: &Step<&TableEdge>| {
        format!("{}{} ({})", end(step).0.local(), deciding(step.edge), lineage.places[step.edge.place])
    };
    let ends: Vec<(TableId, TableId)> = steps.iter().map(end).collect();
    let mut lines = tree(table, &ends, &steps.iter().map(line).collect::<Vec<_>>());
    let reached: BTreeSet<&TableId> = ends.iter().map(|(far, _)| far).filter(|far| *far != table).collect();
    let documents: Vec<Value> = steps
        .iter()
        .map(|step| {
            json!({
                "from": step.edge.from.local(), "to": step.edge.to.local(), "deciding": step.edge.deciding,
                "depth": step.depth, "where": lineage.places[step.edge.place].to_string(),
            })
        })
        .collect();
    let own: Vec<&ColumnEdge> = match direction {
        Direction::Up => lineage.columns.iter().filter(|edge| edge.to.table == *table).collect(),
        Direction::Down => Vec::new(),
    };
    for condition in lineage.conditions.iter().filter(|it| direction == Direction::Up && it.table == *table) {
        lines.push(format!("only rows where {} ({})", condition.text, lineage.places[condition.place]));
    }
    if !own.is_empty() {
        lines.push("its columns:".to_owned());
        lines.extend(columns_of(&own, lineage));
    }
    let columns: Vec<Value> = own
        .iter()
        .map(|edge| {
            json!({
                "column": edge.to.column, "from": format!("{}.{}", edge.from.table.local(), edge.from.column),
                "kind": edge.kind, "expression": edge.expression, "where": lineage.places[edge.place].to_string(),
            })
        })
        .collect();
    let heading = heading(&table.local(), direction, reached.len(), "table");
    Told { heading, lines, document: json!({ "tables": documents, "total": reached.len(), "columns": columns }) }
}

/// A line for each column, with all that it is made from.
fn columns_of(own: &[&ColumnEdge], lineage: &Lineage) -> Vec<String> {
    let several = own.iter().map(|edge| edge.place).collect::<BTreeSet<usize>>().len() > 1;
    let mut lines = Vec::new();
    let mut done: BTreeSet<(&str, usize)> = BTreeSet::new();
    for edge in own.iter().filter(|edge| done.insert((&edge.to.column, edge.place))) {
        let from = own.iter().filter(|other| other.to == edge.to && other.place == edge.place);
        let from: Vec<String> = from.map(|it| format!("{}.{}", it.from.table.local(), it.from.column)).collect();
        let to = if edge.to.column == ALL_COLUMNS { "all columns" } else { &edge.to.column };
        let place = if several { format!(" ({})", lineage.places[edge.place]) } else { String::new() };
        lines.push(format!("  {to} ← {}{}{place}", from.join(", "), how(edge)));
    }
    lines
}

fn heading(name: &str, direction: Direction, reached: usize, noun: &str) -> String {
    match (direction, reached) {
        (Direction::Up, 0) => format!("nothing says what {name} is made from"),
        (Direction::Down, 0) => format!("nothing is known to be made from {name}"),
        (Direction::Up, _) => format!("{name} is made from {}:", counted(reached, noun)),
        (Direction::Down, 1) => format!("1 {noun} is made from {name}:"),
        (Direction::Down, _) => format!("{} are made from {name}:", counted(reached, noun)),
    }
}

/// Lines as a tree, each under what it leads to; what stands there already isn't gone into again.
fn tree<N: PartialEq + Ord + Clone>(root: &N, ends: &[(N, N)], lines: &[String]) -> Vec<String> {
    let mut shown = Vec::new();
    let mut seen: BTreeSet<N> = BTreeSet::from([root.clone()]);
    let children = |node: &N| -> Vec<usize> {
        let mut children: Vec<usize> = (0..ends.len()).filter(|&place| ends[place].1 == *node).collect();
        children.reverse();
        children
    };
    let mut open: Vec<(usize, usize)> = children(root).into_iter().map(|place| (place, 1)).collect();
    while let Some((place, level)) = open.pop() {
        let far = &ends[place].0;
        let is_new = seen.insert(far.clone());
        let further = if is_new { children(far) } else { Vec::new() };
        let again = if is_new || children(far).is_empty() { "" } else { " (see above)" };
        shown.push(format!("{}{}{again}", "  ".repeat(level), lines[place]));
        open.extend(further.into_iter().map(|place| (place, level + 1)));
    }
    shown
}

/// How a column comes from another one.
fn how(edge: &ColumnEdge) -> String {
    let perhaps = if edge.is_sure { "" } else { ", perhaps" };
    let Some(expression) = &edge.expression else { return perhaps.to_owned() };
    let short: String = expression.chars().take(EXPRESSION_CHARACTERS).collect();
    let cut = if short.len() < expression.len() { "…" } else { "" };
    match edge.kind {
        EdgeKind::Copied => perhaps.to_owned(),
        EdgeKind::Computed => format!("{perhaps}, as {short}{cut}"),
        EdgeKind::Aggregated => format!("{perhaps}, aggregated as {short}{cut}"),
    }
}

/// By which columns rows are picked.
fn deciding(edge: &TableEdge) -> String {
    let by = |role: Role, words: &str| {
        let columns = edge.deciding.iter().filter(|(_, it)| *it == role).map(|(column, _)| column.as_str());
        let columns: Vec<&str> = columns.collect();
        if columns.is_empty() { String::new() } else { format!(", {words} by {}", columns.join(", ")) }
    };
    [by(Role::Join, "joined"), by(Role::Filter, "filtered"), by(Role::Group, "grouped")].concat()
}

/// What texts leave open: those that make the subject, or all of them.
fn gaps(subject: Option<&Subject>, lineage: &Lineage) -> Vec<String> {
    let table = subject.map(|subject| match subject {
        Subject::Table(table) | Subject::Column(ColumnRef { table, .. }) => table,
    });
    let open = lineage.gaps.iter().filter(|gap| table.is_none() || gap.table.as_ref() == table);
    open.map(|gap| format!("{} ({})", gap.what, lineage.places[gap.place])).collect()
}
