//! What a view is made from, by reading its definition.

use catalog::{Catalog, Column, Table, TableId};

use crate::read::read;
use crate::reading::{ColumnRef, Fallback, Origin, OutputColumn, Problem, ProblemKind, StatementKind};
use crate::row_choice::RowChoice;
use crate::schema::CatalogSchema;

/// What the expression of a generated column says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedExpression {
    /// The columns that it is made from.
    pub columns: Vec<ColumnRef>,
    /// The functions that it calls, by their path in lower case.
    pub functions: Vec<Vec<String>>,
}

/// Reads the expression of a generated column of a table, or that of a default which names other columns, as MariaDB lets
/// it; `None` where it isn't one, or where it can't be read.
pub fn generated_from(table: &Table, column: &str, catalog: &Catalog) -> Option<ResolvedExpression> {
    let column = table.column(column)?;
    let expression = column.generated.as_deref().or(column.default.as_deref())?;
    let source = catalog.source(&table.id.source)?;
    let parts: Vec<String> =
        table.id.schema.iter().chain([&table.id.name]).map(|it| source.dialect.identifier(it)).collect();
    let text = format!("SELECT {expression} FROM {}", parts.join("."));
    let reading = read(&text, &source.dialect, &CatalogSchema::new(catalog, &source.name));
    let is_made = column.generated.is_some() || !reading.columns.is_empty();
    (is_made && reading.problems.is_empty()).then(|| ResolvedExpression {
        columns: reading.columns.into_iter().map(|used| used.column).collect(),
        functions: reading.functions.into_iter().map(|function| function.path).collect(),
    })
}

/// What the definition of a view says. Views behind it are named, not followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedView {
    /// The relations that it reads.
    pub tables: Vec<TableId>,
    /// The columns that it names anywhere.
    pub columns: Vec<ColumnRef>,
    /// For each column of the view, in its order, the columns that it is made from; `None` where the definition doesn't tell.
    pub origins: Vec<Option<Vec<ColumnRef>>>,
    /// For each column of the view, whether it is a column of a relation, unchanged.
    pub is_plain: Vec<bool>,
    /// What decides which rows it has.
    pub choice: RowChoice,
    /// The functions that it calls, by their path in lower case.
    pub functions: Vec<Vec<String>>,
    /// Whether nothing in it is unknown, but for what its functions do.
    pub is_followed: bool,
    /// Whether a text in it is written as a name, which is a column where the query around the view has one of that name.
    pub has_unsure_texts: bool,
}

/// Reads the definition of `view`; `None` for a table, and for a view whose definition isn't known.
pub fn read_view(view: &Table, catalog: &Catalog) -> Option<ResolvedView> {
    let (definition, source) = (view.definition.as_deref()?, catalog.source(&view.id.source)?);
    let reading = read(definition, &source.dialect, &CatalogSchema::of_view(catalog, &view.id));
    // Where the view stands in another query, that may have a column of such a name.
    let is_followed = reading.problems.is_empty()
        && !reading.has_hidden_names
        && reading.effects.is_empty()
        && reading.open_relations.is_empty()
        && reading.kind == StatementKind::Query;
    let is_text = |problem: &Problem| match &problem.kind {
        ProblemKind::UnknownColumn { fallback, .. } => *fallback != Fallback::None,
        _ => false,
    };
    let has_unsure_texts = reading.has_hidden_names || reading.problems.iter().any(is_text);
    let called = |output: &OutputColumn, name: &str| output.name.as_deref() == Some(name);
    // A `*` can have brought fewer columns than it seems: those that the view has then stand in the same order.
    let mut in_order = reading.outputs.iter();
    let by_place = reading.outputs.len() == view.columns.len() && !reading.unsure_order;
    let by_name =
        !reading.unsure_order || view.columns.iter().all(|column| in_order.any(|output| called(output, &column.name)));
    let output = |place: usize, name: &str| -> Option<&OutputColumn> {
        let named = || reading.outputs.iter().find(|output| by_name && called(output, name));
        if by_place { reading.outputs.get(place) } else { named() }
    };
    let choice = RowChoice::of(&reading);
    let made_from = |(place, column): (usize, &Column)| -> Option<Vec<ColumnRef>> {
        let mut sources = output(place, &column.name)?.sources.clone();
        // A column that equals another holds its values.
        let mut seen = 0;
        while let Some(source) = sources.get(seen).cloned() {
            seen += 1;
            let equal = choice.equated.iter().filter(|[one, _]| *one == source).map(|[_, other]| other.clone());
            let equal: Vec<ColumnRef> = equal.filter(|other| !sources.contains(other)).collect();
            sources.extend(equal);
        }
        Some(sources)
    };
    let origins = view.columns.iter().enumerate().map(made_from).collect();
    let plain = |(place, column): (usize, &Column)| {
        output(place, &column.name).is_some_and(|output| output.origin == Origin::Column)
    };
    let is_plain = view.columns.iter().enumerate().map(plain).collect();
    Some(ResolvedView {
        origins,
        is_plain,
        choice,
        tables: reading.tables.iter().filter_map(|used| used.table.clone()).filter(|table| *table != view.id).collect(),
        columns: reading.columns.iter().map(|used| used.column.clone()).collect(),
        functions: reading.functions.iter().map(|function| function.path.clone()).collect(),
        is_followed,
        has_unsure_texts,
    })
}
