//! What engines say of statements that touch what may not be shown.
//!
//! An engine says what it was that it couldn't turn into a number, and some compute parts of a statement to compile it.
//! So nothing of its words is handed on where a value could be in them: of the columns that the statement names, and of
//! those that the views name that it reads.

use catalog::{Catalog, TableKind};
use connect::ConnectError;
use sql::{ColumnRef, ResolvedStatement};

use crate::live;
use crate::masks::Masks;
use crate::policy::{Policy, SensitiveColumns};

/// An error without the engine's words, where they can hold a value that may not be shown.
pub(crate) fn without_values(
    error: ConnectError,
    reading: &ResolvedStatement,
    catalog: &Catalog,
    source: &str,
    policy: &Policy,
) -> ConnectError {
    let (ConnectError::Statement { .. } | ConnectError::Denied { .. } | ConnectError::PermissionDenied { .. }) = error
    else {
        return error;
    };
    let Some(touched) = not_shown(reading, catalog, source, policy) else { return error };
    let reason = format!(
        "the statement can't be compiled, or not be run to its end; what the database says of it is withheld, as it can \
         hold a value of {touched}, which may not be shown. Of a statement without that it is told"
    );
    match error {
        ConnectError::PermissionDenied { .. } => ConnectError::PermissionDenied { reason },
        ConnectError::Denied { .. } => ConnectError::Denied { reason },
        _ => ConnectError::Statement { reason },
    }
}

/// Something that the statement touches and that may not be shown.
fn not_shown(reading: &ResolvedStatement, catalog: &Catalog, source: &str, policy: &Policy) -> Option<String> {
    let config = policy.config_of(source);
    if config.sensitive_columns == SensitiveColumns::Allow {
        return None;
    }
    let mut masks = Masks::of(catalog);
    let mut is_closed = |column: &ColumnRef| masks.are_closed(column, config);
    let named = |column: &ColumnRef| format!("`{}.{}`", column.table.local(), column.column);
    if let Some(used) = reading.columns.iter().find(|used| is_closed(&used.column)) {
        return Some(named(&used.column));
    }
    let computes = catalog.source(source).is_some_and(|source| source.dialect.account().computes_to_compile);
    for read in live::relations_of(reading, catalog) {
        let Some(table) = catalog.entry(&read.id).map(|entry| &entry.table) else { continue };
        let of = |name: &String| ColumnRef { table: table.id.clone(), column: name.clone() };
        let mut columns = table.columns.iter().map(|column| of(&column.name));
        if let Some(column) = columns.find(|column| computes && is_closed(column)) {
            return Some(named(&column));
        }
        match sql::read_view(table, catalog) {
            Some(view) => {
                if let Some(column) = view.columns.iter().find(|column| is_closed(column)) {
                    return Some(named(column));
                }
            }
            // Nobody knows what it reads.
            None if matches!(table.kind, TableKind::View | TableKind::MaterializedView)
                && table.reads_from.is_empty() =>
            {
                return Some(format!("what is behind `{}`", table.id.local()));
            }
            None => {}
        }
    }
    None
}
