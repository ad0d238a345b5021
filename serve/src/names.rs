//! Tables by the names that agents write, and the names that we write back.

use catalog::{Catalog, Entry, TableId};

use crate::error::ToolError;

/// Suggestions in an error.
const SUGGESTIONS: usize = 5;
/// Names that are less alike than this are no suggestions, 0 to 1.
const ALIKE: f64 = 0.7;

/// The name of a table in replies: with its source only where there are several.
pub(crate) fn shown(catalog: &Catalog, id: &TableId) -> String {
    if catalog.sources().len() > 1 { id.to_string() } else { id.local() }
}

/// The source that is meant: the one given, else the only one.
pub(crate) fn source<'a>(catalog: &'a Catalog, given: Option<&str>) -> Result<&'a str, ToolError> {
    let names = || catalog.sources().iter().map(|source| source.name.clone()).collect();
    match (given, catalog.sources()) {
        (_, []) => Err(not_indexed()),
        (Some(given), sources) => match sources.iter().find(|source| source.name.eq_ignore_ascii_case(given)) {
            Some(source) => Ok(&source.name),
            None => Err(ToolError::new("unknown_source", format!("there is no source `{given}`"))
                .hint("use one of the sources in `suggestions`")
                .suggestions(names())),
        },
        (None, [only]) => Ok(&only.name),
        (None, _) => Err(ToolError::new("source_required", "there are several sources, and none was named")
            .hint("pass `source`")
            .suggestions(names())),
    }
}

/// The scope of a question: the source given, checked, or all of them.
pub(crate) fn scope(catalog: &Catalog, given: Option<&str>) -> Result<Option<String>, ToolError> {
    if catalog.entries().is_empty() {
        return Err(not_indexed());
    }
    given.map(|given| source(catalog, Some(given)).map(str::to_owned)).transpose()
}

/// The table that is meant.
pub(crate) fn table<'a>(catalog: &'a Catalog, name: &str, given: Option<&str>) -> Result<&'a Entry, ToolError> {
    let scope = scope(catalog, given)?;
    let plain: String = name.trim().chars().filter(|character| !['"', '`', '[', ']'].contains(character)).collect();
    let mut found = catalog.find(name, scope.as_deref());
    if found.is_empty() {
        found = catalog.find(&plain, scope.as_deref());
    }
    if found.is_empty() {
        // A name with hidden characters is written as replies show it.
        let is_shown_so =
            |id: &TableId| [&id.name, &id.local(), &id.to_string()].iter().any(|own| shown::visible(own) == name);
        let in_scope = |id: &TableId| scope.as_ref().is_none_or(|source| id.source == *source);
        let of_catalog = catalog.entries().iter().filter(|entry| name.contains('\\') && in_scope(&entry.table.id));
        found = of_catalog.filter(|entry| is_shown_so(&entry.table.id)).collect();
    }
    // The same name in several schemas: the spelling decides, if it does.
    let exact: Vec<&Entry> = found.iter().copied().filter(|entry| entry.table.id.local() == plain).collect();
    let in_path = first_in_search_path(catalog, &found);
    match (found.as_slice(), exact.as_slice(), in_path) {
        ([only], _, _) | (_, [only], _) => Ok(only),
        (_, _, Some(first)) => Ok(first),
        ([], _, _) => Err(unknown(catalog, &plain, scope.as_deref())),
        (several, _, _) => Err(ToolError::new("ambiguous_table", format!("`{name}` can be {} tables", several.len()))
            .hint("use one of the full names in `suggestions`")
            .suggestions(several.iter().take(SUGGESTIONS).map(|entry| entry.table.id.to_string()).collect())),
    }
}

/// The table that the engine would take, where they are of one source.
fn first_in_search_path<'a>(catalog: &Catalog, found: &[&'a Entry]) -> Option<&'a Entry> {
    let source = &found.first()?.table.id.source;
    if found.iter().any(|entry| entry.table.id.source != *source) {
        return None;
    }
    let path = &catalog.source(source)?.search_path;
    let place = |entry: &Entry| path.iter().position(|schema| entry.table.id.schema.as_ref() == Some(schema));
    let first = found.iter().filter_map(|entry| Some((place(entry)?, *entry))).min_by_key(|(place, _)| *place);
    first.map(|(_, entry)| entry)
}

fn unknown(catalog: &Catalog, name: &str, scope: Option<&str>) -> ToolError {
    let wanted = name.to_lowercase();
    let mut alike: Vec<(f64, &TableId)> = catalog
        .entries()
        .iter()
        .map(|entry| &entry.table.id)
        .filter(|id| scope.is_none_or(|source| id.source == source))
        .map(|id| {
            let near = |name: &str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
            (near(&id.name).max(near(&id.local())), id)
        })
        .filter(|(alike, _)| *alike >= ALIKE)
        .collect();
    alike.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(right.1)));
    let suggestions = alike.into_iter().take(SUGGESTIONS).map(|(_, id)| shown(catalog, id)).collect();
    ToolError::new("unknown_table", format!("there is no table `{name}`"))
        .hint("use a name from `suggestions`, or call list_tables with your question")
        .suggestions(suggestions)
}

fn not_indexed() -> ToolError {
    ToolError::new("not_indexed", "the catalog is empty").hint("ask the user to run `periplus index`")
}
