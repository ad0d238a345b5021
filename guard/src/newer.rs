//! Names that the catalog doesn't know and the database does: they have come after the last `periplus index`.
//!
//! What is asked are the names alone, by the questions that introspection asks. The statement itself is not shown to the
//! engine: nothing but its names has been judged, and some engines compute parts of a statement to compile it.

use catalog::{Catalog, Source, TableId};
use connect::{Limits, LiveRelation, OpenStatement, ReadRelation};
use sql::{Fallback, Problem, ProblemKind, ResolvedStatement, Span, Visible};

use crate::finding::{Finding, Verdict};

/// The verdict, with another reason for each name that the database knows. What can't be asked is left as it is.
#[expect(clippy::disallowed_methods, reason = "the statement is ours, and reads nothing")]
pub(crate) async fn with_newer_names(
    verdict: Verdict,
    catalog: &Catalog,
    connector: &dyn OpenStatement,
    limits: &Limits,
) -> Verdict {
    // Whether the database knows a table tells of those that aren't there for who asks.
    if !verdict.errors().all(is_unknown_name) || catalog.hides_tables() {
        return verdict;
    }
    let Some(source) = catalog.source(&connector.source().name) else { return verdict };
    let reading = &verdict.reading;
    let asked: Vec<NewName<'_>> =
        reading.problems.iter().filter_map(|problem| NewName::of(problem, reading, source)).collect();
    let mut reads: Vec<ReadRelation> = Vec::new();
    for id in asked.iter().flat_map(|asked| &asked.relations) {
        if reads.iter().all(|read| read.id != *id) {
            reads.push(ReadRelation { id: id.clone(), named: false, bare: false });
        }
    }
    if reads.is_empty() {
        return verdict;
    }
    let Ok(session) = connector.open_statement("SELECT 1", &reads, limits).await else { return verdict };
    let is_known = |asked: &&NewName<'_>| asked.is_known(session.live()) && !asked.is_spelt_otherwise(catalog);
    let known: Vec<(Option<Span>, Option<String>)> =
        asked.iter().filter(is_known).map(|asked| (asked.span, asked.part_of(session.live()))).collect();
    session.end().await;
    let mut findings = verdict.findings;
    for finding in findings.iter_mut().filter(|finding| is_unknown_name(finding)) {
        let Some((_, part_of)) = known.iter().find(|(span, _)| *span == finding.span) else { continue };
        (finding.why, finding.help) = match part_of {
            Some(whole) => (
                format!("It is a part of `{whole}`, and parts aren't in the catalog."),
                format!("Read `{whole}` with a condition on what it is parted by: the database reads the part alone."),
            ),
            None => (
                "The database knows it, but it has come after the last `periplus index`.".to_owned(),
                "Have `periplus index` run, then ask again.".to_owned(),
            ),
        };
        finding.suggestions = part_of.iter().cloned().collect();
        finding.rewrite = None;
    }
    Verdict::of(findings, verdict.reading)
}

fn is_unknown_name(finding: &Finding) -> bool {
    ["unknown_table", "unknown_column"].contains(&finding.code)
}

/// A name, and the relations of which one has it, or is it.
struct NewName<'r> {
    span: Option<Span>,
    relations: Vec<TableId>,
    column: Option<&'r str>,
}

impl<'r> NewName<'r> {
    fn of(problem: &'r Problem, reading: &ResolvedStatement, source: &Source) -> Option<Self> {
        let (relations, column) = match &problem.kind {
            ProblemKind::UnknownTable { parts } => (named_so(parts, source), None),
            // What SQLite would take for a string, it takes for one whatever its tables hold.
            ProblemKind::UnknownColumn { name, visible, fallback: Fallback::None, .. } => {
                (searched(visible, reading), Some(name.as_str()))
            }
            _ => return None,
        };
        Some(Self { span: problem.span, relations, column })
    }

    /// Whether the catalog has the column in another case, so that the name stands for it and isn't new.
    fn is_spelt_otherwise(&self, catalog: &Catalog) -> bool {
        let Some(name) = self.column else { return false };
        let tables = self.relations.iter().filter_map(|id| catalog.entry(id)).map(|entry| &entry.table);
        tables.flat_map(|table| &table.columns).any(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The table that it is a part of, where it is a relation that is one.
    fn part_of(&self, live: &[LiveRelation]) -> Option<String> {
        let mut relations = live.iter().filter(|relation| self.relations.contains(&relation.id));
        relations.find_map(|relation| relation.part_of.clone()).filter(|_| self.column.is_none())
    }

    fn is_known(&self, live: &[LiveRelation]) -> bool {
        let mut relations = live.iter().filter(|relation| self.relations.contains(&relation.id));
        match self.column {
            None => relations.next().is_some(),
            Some(column) => {
                relations.any(|relation| relation.columns.iter().any(|(name, _)| name.eq_ignore_ascii_case(column)))
            }
        }
    }
}

/// The relations that a name can mean, in the spelling that it is written in and in the one that engines fold it to.
fn named_so(parts: &[String], source: &Source) -> Vec<TableId> {
    let path = &source.search_path;
    let names = source.dialect.names();
    let is_home = |schema: &String| {
        names.default_schemas.iter().any(|home| home.eq_ignore_ascii_case(schema)) || path.contains(schema)
    };
    let (schemas, name): (Vec<Option<String>>, &String) = match parts {
        [name] => (path.iter().cloned().map(Some).chain([None]).collect(), name),
        [schema, name] if names.has_schemas => (vec![Some(schema.clone()), Some(schema.to_lowercase())], name),
        [schema, name] if is_home(schema) => (vec![None], name),
        _ => return Vec::new(),
    };
    let ids = schemas.iter().flat_map(|schema| {
        let id = |name: String| TableId { schema: schema.clone(), ..TableId::new(&source.name, name) };
        [id(name.clone()), id(name.to_lowercase())]
    });
    ids.collect()
}

/// The tables that a column was looked for in; of what is made of tables, all that the statement reads.
fn searched(visible: &[Visible], reading: &ResolvedStatement) -> Vec<TableId> {
    let tables: Vec<TableId> = visible.iter().filter_map(|relation| relation.table.clone()).collect();
    if tables.is_empty() { reading.table_ids().into_iter().cloned().collect() } else { tables }
}
