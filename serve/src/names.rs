//! Tables by the names that agents write, and the names that we write back.

use catalog::{Catalog, Entry, NotATable, TableId};

use crate::error::ToolError;

/// The name of a table in replies: with its source only where there are several.
pub(crate) fn shown(catalog: &Catalog, id: &TableId) -> String {
    if catalog.sources().len() > 1 { id.to_string() } else { id.local() }
}

/// How a statement writes the table, where that isn't the name in replies.
pub(crate) fn in_sql(catalog: &Catalog, id: &TableId) -> Option<String> {
    Some(id.written(catalog.dialect(&id.source))).filter(|written| *written != shown(catalog, id))
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
    let suggested = |ids: &[TableId]| ids.iter().map(|id| shown(catalog, id)).collect();
    match catalog.table_named(name, scope.as_deref()) {
        Ok(entry) => Ok(entry),
        Err(NotATable::Unknown(near)) => shown_so(catalog, name, scope.as_deref()).ok_or_else(|| {
            let hint = match near.is_empty() {
                true => "call list_tables with your question",
                false => "use a name from `suggestions`, or call list_tables with your question",
            };
            ToolError::new("unknown_table", format!("there is no table `{name}`"))
                .hint(hint)
                .suggestions(suggested(&near))
        }),
        Err(NotATable::OneOf(several)) => {
            Err(ToolError::new("ambiguous_table", format!("`{name}` can be {} tables", several.len()))
                .hint("use one of the full names in `suggestions`")
                .suggestions(several.iter().map(TableId::to_string).collect()))
        }
    }
}

/// The one table whose name has hidden characters and is written as replies show it.
fn shown_so<'a>(catalog: &'a Catalog, name: &str, scope: Option<&str>) -> Option<&'a Entry> {
    let is_shown_so =
        |id: &TableId| [&id.name, &id.local(), &id.to_string()].iter().any(|own| shown::visible(own) == name);
    let in_scope = |id: &TableId| scope.is_none_or(|source| id.source == source);
    let of_catalog = catalog.entries().iter().filter(|entry| name.contains('\\') && in_scope(&entry.table.id));
    let mut found = of_catalog.filter(|entry| is_shown_so(&entry.table.id));
    found.next().filter(|_| found.next().is_none())
}

fn not_indexed() -> ToolError {
    ToolError::new("not_indexed", "the catalog is empty").hint("ask the user to run `periplus index`")
}
