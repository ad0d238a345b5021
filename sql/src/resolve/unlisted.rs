//! Names against a schema that isn't all there is: a script names tables that are made elsewhere, or gone. Such a table is
//! taken to be there, and to have the columns that are named of it.
//!
//! Reading a statement that somebody wants to run does nothing of this: there a name that isn't known is a problem, and
//! what may be meant in several ways counts as all of them.

use std::rc::Rc;

use catalog::TableId;
use sqlparser::ast::{Expr, Ident, WindowSpec};

use super::Resolver;
use super::scope::{Flow, Relation};
use crate::parser::Idents as _;
use crate::reading::{ColumnRef, Origin, ProblemKind, TableUse, TableUseKind, Through, Visible};
use crate::span::Span;

/// The column that stands for all of a table's, whose names aren't known.
pub const ALL_COLUMNS: &str = "*";
/// Conditions of one statement that are kept.
const MAXIMUM_CONDITIONS: usize = 8;
/// Longer expressions, in bytes, are cut.
const MAXIMUM_EXPRESSION: usize = 400;

/// What tables are taken to be that the schema doesn't list.
#[derive(Clone, Copy)]
pub(super) struct Unlisted<'a> {
    /// The source that they are in.
    source: &'a str,
    /// The schema, and what it is in, of those named without one.
    home: &'a [String],
}

impl<'a> Resolver<'a> {
    /// The same walk, over a schema that doesn't list all tables of a source.
    pub(crate) fn with_unlisted_in(self, source: &'a str, home: &'a [String]) -> Self {
        Self { unlisted_in: Some(Unlisted { source, home }), ..self }
    }

    /// Whether what may be meant in several ways counts as all of them.
    pub(super) fn is_strict(&self) -> bool {
        self.unlisted_in.is_none()
    }

    /// The table that a name stands for which the schema doesn't list.
    pub(super) fn unlisted(&self, parts: &[String]) -> Option<TableId> {
        let Unlisted { source, home } = self.unlisted_in?;
        let (name, qualifiers) = parts.split_last()?;
        let qualifiers = match qualifiers {
            // What lasts as long as the session is found by its bare name.
            [only] if self.syntax.left_out_schemas.contains(&only.to_lowercase().as_str()) => &[],
            [] => home,
            qualifiers => qualifiers,
        };
        let schema = (!qualifiers.is_empty()).then(|| qualifiers.join("."));
        Some(TableId { source: source.to_owned(), schema, name: name.clone() })
    }

    /// What the columns of such a table are made from.
    pub(super) fn all_of_unlisted(&mut self, parts: &[String]) -> Flow {
        match self.unlisted(parts) {
            Some(table) => Flow::column(self.number(ColumnRef { table, column: ALL_COLUMNS.to_owned() })),
            None => Flow::default(),
        }
    }

    /// A table that may be one of several: whatever is made from it may be from each.
    pub(super) fn one_of_tables(
        &mut self,
        parts: &[String],
        candidates: &[TableId],
        alias: Option<&str>,
        span: Option<Span>,
    ) -> Relation {
        let mut unknown: Option<Flow> = None;
        for table in candidates {
            self.reading.tables.push(TableUse {
                parts: parts.to_vec(),
                kind: TableUseKind::Base,
                table: Some(table.clone()),
                alias: alias.map(str::to_owned),
                span,
            });
            let all = Flow::column(self.number(ColumnRef { table: table.clone(), column: ALL_COLUMNS.to_owned() }));
            unknown = Some(match unknown {
                Some(others) => others.united(&all),
                None => all,
            });
        }
        let name = parts.last().cloned().unwrap_or_default();
        let unknown = unknown.unwrap_or_default();
        Relation { name, path: parts.to_vec(), open: true, unknown, span, ..Relation::default() }
    }

    /// A column without a qualifier that no relation in sight is known to have, where that frame is the innermost that has
    /// relations of which not all columns are known.
    pub(super) fn column_of_unlisted(&mut self, frame: usize, ident: &Ident) -> Flow {
        let open = |relation: &&Relation| relation.open;
        let mut candidates = self.frames[frame].relations.iter().filter(open).peekable();
        let first = candidates.next().map(|relation| relation.unknown.clone()).unwrap_or_default();
        if candidates.peek().is_none() {
            return self.named_in(&first, ident);
        }
        let sources = self.frames[frame].relations.iter().filter(open).flat_map(|it| it.unknown.sources.clone());
        let sources: Vec<u32> = sources.collect();
        self.in_one_of(&sources, ident)
    }

    /// The column of that name in a relation, whose unknown columns are made from those.
    pub(super) fn named_in(&mut self, unknown: &Flow, ident: &Ident) -> Flow {
        let is_all = |number: &u32| self.columns[*number as usize].column == ALL_COLUMNS;
        let (all, known): (Vec<u32>, Vec<u32>) = unknown.sources.iter().copied().partition(is_all);
        let flow = match all.as_slice() {
            [] => unknown.clone().computed(),
            &[only] => {
                let table = self.columns[only as usize].table.clone();
                let named = Flow::column(self.number(ColumnRef { table, column: self.syntax.fold(ident) }));
                let is_united = unknown.origin() == Origin::Column;
                if known.is_empty() || is_united { named } else { named.with(known.into_iter()) }
            }
            // Both sides of a set operation have it.
            several if unknown.origin() == Origin::Column => several.iter().fold(Flow::default(), |flow, &number| {
                let table = self.columns[number as usize].table.clone();
                let named = Flow::column(self.number(ColumnRef { table, column: self.syntax.fold(ident) }));
                if flow.sources.is_empty() { named } else { flow.united(&named) }
            }),
            several => return self.in_one_of(several, ident),
        };
        self.use_columns(&flow, Through::Name, self.clause(), self.ident_span(ident));
        flow
    }

    /// A column of one of several tables, and nobody can say of which: that it has a source is all that is known.
    fn in_one_of(&mut self, tables: &[u32], ident: &Ident) -> Flow {
        let name = self.syntax.fold(ident);
        let of_table = |&number: &u32| {
            let table = &self.columns[number as usize].table;
            Visible { name: table.local(), table: Some(table.clone()), columns: Vec::new() }
        };
        let kind =
            ProblemKind::AmbiguousColumn { name: name.clone(), candidates: tables.iter().map(of_table).collect() };
        self.problem(kind, self.ident_span(ident));
        let table = TableId::new(self.unlisted_in.map_or("", |it| it.source), String::new());
        Flow::column(self.number(ColumnRef { table, column: name }))
    }

    /// The column that a qualified name stands for whose table is known and isn't known to have it: what is known may be old.
    pub(super) fn column_lately_made(&mut self, place: Option<(usize, usize)>, ident: &Ident) -> Option<Flow> {
        let (frame, relation) = place.filter(|_| !self.is_strict())?;
        let table = self.frames[frame].relations[relation].table.clone()?;
        let flow = Flow::column(self.number(ColumnRef { table, column: self.syntax.fold(ident) }));
        self.use_columns(&flow, Through::Name, self.clause(), self.ident_span(ident));
        Some(flow)
    }

    /// A value over a window with what makes the window, where it is asked what a value comes from.
    pub(super) fn with_window(&mut self, flow: Flow, window: &WindowSpec) -> Flow {
        if self.is_strict() {
            return flow;
        }
        let parts = window.partition_by.iter().chain(window.order_by.iter().map(|order| &order.expr));
        parts.fold(flow, |flow, part| {
            let part = self.expression(part);
            flow.join(&part)
        })
    }

    /// Notes a condition that rows have to meet.
    pub(super) fn note_condition(&mut self, condition: &Expr) {
        if !self.is_strict() && self.conditions.len() < MAXIMUM_CONDITIONS {
            let text = shortened(condition.to_string());
            if !self.conditions.contains(&text) {
                self.conditions.push(text);
            }
        }
    }

    /// The conditions that were met.
    pub(crate) fn conditions_met(&self) -> Vec<String> {
        self.conditions.clone()
    }

    /// A computed value with the expression that it is, and with the aggregate further in, where it only hands that on.
    pub(super) fn with_text(&self, mut flow: Flow, expression: &Expr) -> Flow {
        if self.is_strict() || flow.origin() == Origin::Column || flow.text.is_some() {
            return flow;
        }
        let mut text = expression.to_string();
        match &flow.aggregate {
            Some(aggregate) => text = format!("{text}, over {aggregate}"),
            None if flow.origin() == Origin::Aggregated => flow.aggregate = Some(Rc::from(shortened(text.clone()))),
            None => {}
        }
        flow.text = Some(Rc::from(shortened(text)));
        flow
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > MAXIMUM_EXPRESSION {
        let end = (0..=MAXIMUM_EXPRESSION).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text
}
