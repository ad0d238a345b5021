//! Parts of statements that people write down by themselves: how something is computed, and which rows count.

use catalog::TableId;
use dialect::Dialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use crate::parser::parser_of;
use crate::read::{PARSER_RECURSION, read};
use crate::reading::{ColumnRef, ProblemKind, Through};
use crate::schema::Schema;

/// Why a part of a statement can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FragmentFault {
    /// It isn't one expression.
    NotAnExpression {
        /// In the parser's words.
        reason: String,
    },
    /// A table in it isn't there.
    UnknownTable {
        /// As written.
        name: String,
    },
    /// A column in it isn't there, or may be one of several.
    UnknownColumn {
        /// As written.
        name: String,
    },
    /// It would do more than read, or can't be followed.
    NotUnderstood,
}

impl FragmentFault {
    /// In a few words, for whoever wrote it: `there is no column total`.
    pub fn in_words(&self) -> String {
        match self {
            Self::NotAnExpression { reason } => format!("it isn't an expression of SQL: {reason}"),
            Self::UnknownTable { name } => format!("there is no table {name}"),
            Self::UnknownColumn { name } => format!("there is no column {name}, or there are several"),
            Self::NotUnderstood => "it can't be followed".to_owned(),
        }
    }
}

/// The columns of tables that an expression and a condition over the rows of a table name, each once. Either may name other
/// tables in queries of its own.
///
/// # Errors
/// Where one of them isn't an expression, or names what isn't there.
pub fn columns_of_fragments(
    expression: Option<&str>,
    condition: Option<&str>,
    table: &TableId,
    dialect: &Dialect,
    schema: &dyn Schema,
) -> Result<Vec<ColumnRef>, FragmentFault> {
    expression.into_iter().chain(condition).try_for_each(|part| is_expression(part, dialect))?;
    // A line each, so that a comment at the end of one takes nothing with it.
    let mut statement = format!("SELECT {}\nFROM {}", expression.unwrap_or("1"), table.written(dialect));
    condition.into_iter().for_each(|condition| statement.push_str(&format!("\nWHERE {condition}")));
    let reading = read(&statement, dialect, schema);
    if let Some(problem) = reading.problems.first() {
        return Err(match &problem.kind {
            ProblemKind::UnknownTable { parts } | ProblemKind::AmbiguousTable { parts, .. } => {
                FragmentFault::UnknownTable { name: parts.join(".") }
            }
            ProblemKind::UnknownAlias { qualifier, .. } => FragmentFault::UnknownTable { name: qualifier.clone() },
            ProblemKind::UnknownColumn { name, .. }
            | ProblemKind::AmbiguousColumn { name, .. }
            | ProblemKind::BareWord { name }
            | ProblemKind::QuotedLikeAColumn { name } => FragmentFault::UnknownColumn { name: name.clone() },
            ProblemKind::ParseError { message } => FragmentFault::NotAnExpression { reason: message.clone() },
            _ => FragmentFault::NotUnderstood,
        });
    }
    if reading.statements != 1 || !reading.effects.is_empty() || !reading.open_relations.is_empty() {
        return Err(FragmentFault::NotUnderstood);
    }
    let mut columns: Vec<ColumnRef> = Vec::new();
    for used in reading.columns.into_iter().filter(|used| used.through == Through::Name) {
        if !columns.contains(&used.column) {
            columns.push(used.column);
        }
    }
    Ok(columns)
}

fn is_expression(text: &str, dialect: &Dialect) -> Result<(), FragmentFault> {
    let wrong = |reason: String| FragmentFault::NotAnExpression { reason };
    let parser = parser_of(dialect);
    let mut parser = Parser::new(parser.as_ref())
        .with_recursion_limit(PARSER_RECURSION)
        .try_with_sql(text)
        .map_err(|error| wrong(error.to_string()))?;
    parser.parse_expr().map_err(|error| wrong(error.to_string()))?;
    match parser.peek_token().token {
        Token::EOF => Ok(()),
        other => Err(wrong(format!("nothing is expected at {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Column, Dialect, Entry, Source, Table, TableId};

    use super::columns_of_fragments;
    use crate::schema::CatalogSchema;

    #[test]
    fn parts_of_statements_are_read_against_their_table() {
        let table = |name: &str, columns: &[&str]| {
            let columns = columns.iter().map(|name| Column::new(*name, "INTEGER"));
            Entry::bare(Table { columns: columns.collect(), ..Table::new(TableId::new("s", name)) })
        };
        let entries = vec![table("orders", &["id", "total_cents", "status"]), table("lines", &["order_id", "gift"])];
        let source = Source::new("s", Dialect::Sqlite, "sqlite:s.db");
        let catalog = Catalog::new(vec![source], entries, Vec::new(), 1);
        let schema = CatalogSchema::new(&catalog, "s");
        let read = |expression: Option<&str>, condition: Option<&str>| {
            let table = TableId::new("s", "orders");
            columns_of_fragments(expression, condition, &table, &Dialect::Sqlite, &schema)
                .map(|columns| {
                    let names = columns.iter().map(|column| format!("{}.{}", column.table.name, column.column));
                    names.collect::<Vec<_>>().join(" ")
                })
                .unwrap_or_else(|fault| fault.in_words())
        };
        for (expression, condition, expected) in [
            (
                Some("sum(total_cents) / 100.0 -- dollars"),
                Some("orders.status <> 'cancelled'"),
                "orders.total_cents orders.status",
            ),
            (None, Some("id IN (SELECT order_id FROM lines WHERE gift)"), "orders.id lines.order_id lines.gift"),
            (Some("sum(totl)"), None, "there is no column totl, or there are several"),
            (Some("count(*)"), Some("customers.id = 3"), "there is no table customers"),
            (
                Some("id FROM orders; DROP TABLE orders"),
                None,
                "it isn't an expression of SQL: nothing is expected at FROM",
            ),
            (Some("id, status"), None, "it isn't an expression of SQL: nothing is expected at ,"),
        ] {
            assert_eq!(read(expression, condition), expected, "{expression:?} {condition:?}");
        }
    }
}
