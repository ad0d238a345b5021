//! The engine's own tables, where definitions, users, settings and secrets are.
//!
//! What the schema is, the catalog says, with what is sensitive left out; the engine's tables also tell what was left
//! out: other people's views, password hashes, statistics with values in them. A view of people's own over them tells the
//! same, so definitions are read, through views of views.

use std::collections::HashSet;

use catalog::{Dialect, Table, TableId};
use sql::{CatalogSchema, FunctionPlace, ProblemKind, TableUseKind};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::SystemCatalog, severity: Severities::always(Severity::Error), fixed: true, run };

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for table in &context.reading.tables {
        if table.kind != TableUseKind::Unknown || !is_system(context.dialect, &table.parts) {
            continue;
        }
        let name = table.parts.join(".");
        findings.add("system_catalog", table.span, |finding| {
            finding.message = format!("`{name}` belongs to the engine");
            finding.why = "The engine's own tables hold more than the schema: users, settings, secrets.".to_owned();
            finding.help = "Ask for the list of tables, and for the description of a table.".to_owned();
        });
    }
    for used in &context.reading.tables {
        let Some((view, name)) = used.table.as_ref().and_then(|id| system_behind(context, id)) else { continue };
        findings.add("system_catalog", used.span, |finding| {
            finding.message = format!("the view `{}` reads `{name}`, which belongs to the engine", view.local());
            finding.why =
                "The engine's own tables hold more than the schema: users, settings, secrets, values.".to_owned();
            finding.help = "Answer without it.".to_owned();
        });
    }
}

/// The first view behind a relation, itself included, that reads one of the engine's tables, and which.
fn system_behind(context: &RuleContext<'_>, id: &TableId) -> Option<(TableId, String)> {
    let mut seen: HashSet<TableId> = HashSet::from([id.clone()]);
    let mut next = vec![id.clone()];
    while let Some(id) = next.pop() {
        let Some(entry) = context.catalog.entry(&id) else { continue };
        let (behind, system) = read_by(context, &entry.table);
        if let Some(name) = system {
            return Some((id, name));
        }
        next.extend(behind.into_iter().filter(|table| seen.insert(table.clone())));
    }
    None
}

/// What a relation gives rows of: tables of the catalog, and the first of the engine's.
fn read_by(context: &RuleContext<'_>, table: &Table) -> (Vec<TableId>, Option<String>) {
    let mut behind = table.reads_from.clone();
    let Some(definition) = table.definition.as_deref() else { return (behind, None) };
    let schema = CatalogSchema::new(context.catalog, context.source);
    let reading = sql::read(definition, context.dialect, &schema);
    behind.extend(reading.tables.iter().filter_map(|used| used.table.clone()));
    if reading.problems.iter().any(|problem| matches!(problem.kind, ProblemKind::ParseError { .. })) {
        return (behind, named_in(definition));
    }
    let tables = reading.tables.iter().filter(|used| used.kind == TableUseKind::Unknown).map(|used| &used.parts);
    let functions = reading.functions.iter().filter(|used| used.place == FunctionPlace::Table).map(|used| &used.path);
    let system = tables.chain(functions).find(|parts| is_system(context.dialect, parts)).map(|parts| parts.join("."));
    (behind, system)
}

/// What a definition that can't be read names of the engine's tables with values in them.
fn named_in(definition: &str) -> Option<String> {
    let words = definition.split(|character: char| !character.is_alphanumeric() && character != '_');
    let is_system = |word: &&str| {
        let word = word.to_ascii_lowercase();
        ["pg_stat", "sqlite_stat", "information_schema", "pg_catalog", "column_stats", "performance_schema"]
            .iter()
            .any(|name| word.starts_with(name))
    };
    words.into_iter().find(is_system).map(str::to_owned)
}

/// Whether a name is one of the engine's.
pub(super) fn is_system(dialect: &Dialect, parts: &[String]) -> bool {
    let parts: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
    let Some((name, qualifiers)) = parts.split_last() else { return false };
    let qualifier = |names: &[&str]| qualifiers.iter().any(|it| names.contains(&it.as_str()));
    if qualifier(&["information_schema"]) {
        return true;
    }
    let system = &dialect.names().system;
    system.prefixes.iter().any(|prefix| name.starts_with(prefix))
        || system.names.contains(&name.as_str())
        || qualifier(system.schemas)
}
