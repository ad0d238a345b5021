//! What parts of a query that write rows give back: what stands behind RETURNING.

use dialect::Clause;
use sqlparser::ast::{FromTable, ObjectName, Statement, TableFactor, TableObject, TableWithJoins};

use super::Resolver;
use super::scope::{Frame, ResultShape};
use crate::reading::{TableUse, TableUseKind};

impl Resolver<'_> {
    /// What a part of a query that writes rows gives back: what stands behind RETURNING.
    pub(super) fn returned(&mut self, statement: &Statement) -> ResultShape {
        let made = self.made(statement);
        self.made_inside.extend(made);
        let (name, returning) = match statement {
            Statement::Insert(insert) => match &insert.table {
                TableObject::TableName(name) => (Some(name), &insert.returning),
                _ => (None, &insert.returning),
            },
            Statement::Update(update) => (table_of(&update.table), &update.returning),
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
                (from.first().and_then(table_of), &delete.returning)
            }
            _ => (None, &None),
        };
        let (Some(name), Some(returning)) = (name, returning) else {
            return ResultShape { open: true, ..ResultShape::default() };
        };
        self.frames.push(Frame::new(Clause::Select));
        self.own_relation(name);
        let mut open = false;
        for item in returning {
            open |= self.projected(item);
        }
        let outputs = self.frames.pop().map(|frame| frame.results).unwrap_or_default();
        // Rows are read to be given back, whatever else is done to them.
        let (parts, table) = (self.parts(name), self.table_named(name));
        self.reading.tables.push(TableUse { parts, kind: TableUseKind::Base, table, alias: None, span: None });
        ResultShape { outputs, open, ..ResultShape::default() }
    }
}

/// The name of the table that a FROM begins with.
fn table_of(from: &TableWithJoins) -> Option<&ObjectName> {
    match &from.relation {
        TableFactor::Table { name, .. } => Some(name),
        _ => None,
    }
}
