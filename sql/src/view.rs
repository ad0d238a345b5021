//! What a view is made from, by reading its definition.

use catalog::{Catalog, Column, Table, TableId};

use crate::read::read;
use crate::reading::{ColumnRef, Manner, OutputColumn, ValueUse};
use crate::schema::CatalogSchema;

/// The columns that a generated column of a table is made from; `None` where it isn't one, or where its expression can't
/// be read.
pub fn generated_from(table: &Table, column: &str, catalog: &Catalog) -> Option<Vec<ColumnRef>> {
    let expression = table.column(column)?.generated.as_deref()?;
    let source = catalog.source(&table.id.source)?;
    let parts: Vec<String> =
        table.id.schema.iter().chain([&table.id.name]).map(|it| source.dialect.identifier(it)).collect();
    let text = format!("SELECT {expression} FROM {}", parts.join("."));
    let reading = read(&text, &source.dialect, &CatalogSchema { catalog, source: &source.name });
    reading.problems.is_empty().then(|| reading.columns.into_iter().map(|used| used.column).collect())
}

/// What the definition of a view says. Views behind it are named, not followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewReading {
    /// The relations that it reads.
    pub tables: Vec<TableId>,
    /// The columns that it names anywhere.
    pub columns: Vec<ColumnRef>,
    /// For each column of the view, in its order, the columns that it is made from; `None` where the definition doesn't
    /// tell.
    pub origins: Vec<Option<Vec<ColumnRef>>>,
}

/// Reads the definition of `view`; `None` for a table, and for a view whose definition isn't known.
pub fn read_view(view: &Table, catalog: &Catalog) -> Option<ViewReading> {
    let (definition, source) = (view.definition.as_deref()?, catalog.source(&view.id.source)?);
    let reading = read(definition, &source.dialect, &CatalogSchema { catalog, source: &source.name });
    let by_place = reading.outputs.len() == view.columns.len();
    let output = |place: usize, name: &str| -> Option<&OutputColumn> {
        let named = || reading.outputs.iter().find(|output| output.name.as_deref() == Some(name));
        if by_place { reading.outputs.get(place) } else { named() }
    };
    // What decides over rows, or over which value stands in a column, can be read off every column.
    let tells_nothing = |used: &ValueUse| {
        matches!(used.manner, Manner::Passed | Manner::Counted | Manner::NullTested | Manner::Equated(_))
    };
    let deciding: Vec<ColumnRef> =
        reading.uses.iter().filter(|used| !tells_nothing(used)).map(|used| used.column.clone()).collect();
    let columns = view.columns.iter().enumerate();
    let made_from = |(place, column): (usize, &Column)| -> Option<Vec<ColumnRef>> {
        let mut sources = output(place, &column.name)?.sources.clone();
        sources.extend(
            deciding.iter().filter(|it| !reading.outputs.iter().any(|output| output.sources.contains(it))).cloned(),
        );
        Some(sources)
    };
    let origins = columns.map(made_from).collect();
    Some(ViewReading {
        tables: reading.tables.into_iter().filter_map(|used| used.table).filter(|table| *table != view.id).collect(),
        columns: reading.columns.into_iter().map(|used| used.column).collect(),
        origins,
    })
}
