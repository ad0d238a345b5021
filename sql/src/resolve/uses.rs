//! How values of base columns are used, so that somebody can say whether anything about them can be read off.
//!
//! Whatever names a column is a use of its value, and every use is [`Manner::Other`] until the place where it stands is
//! known for one that tells nothing more than its own kind does. A form that isn't known here is thereby the worst.
//!
//! Invariant: a flow is consumed nowhere without a use that is noted.

use std::ops::ControlFlow;

use catalog::{TableId, TableKind};
use dialect::Clause;
use sqlparser::ast::{BinaryOperator, Expr, OrderByExpr, Select, UnaryOperator, Value};

use super::Resolver;
use super::compare::bare;
use super::query::group_expressions;
use super::scope::Flow;
use crate::reading::{ColumnRef, Manner, Origin, TableUse, TableUseKind, Through, ValueUse};
use crate::span::Span;
use crate::sweep::address;

/// A use, before base columns have their names again.
#[derive(Clone, Debug)]
pub(super) struct Use {
    sources: Vec<u32>,
    /// The value is the column itself.
    is_column: bool,
    /// A part of it is taken out, which no place where it stands makes harmless.
    is_part: bool,
    /// See [`ValueUse::is_carried`].
    is_carried: bool,
    /// Rows are brought into an order by it, in which they may come out.
    orders: bool,
    manner: Manner,
    span: Option<Span>,
}

impl Resolver<'_> {
    /// Notes that a value made from these columns is used, for all that is known in any way.
    pub(super) fn note_use(&mut self, flow: &Flow, span: Option<Span>) {
        if !flow.sources.is_empty() && self.afford(flow.sources.len()) {
            let is_column = flow.origin() == Origin::Column;
            let (sources, manner) = (flow.sources.clone(), Manner::Other);
            self.uses.push(Use { sources, is_column, is_part: false, is_carried: false, orders: false, manner, span });
        }
    }

    /// Takes back the uses, noted since then, of values that nothing takes after all.
    pub(super) fn forget_uses(&mut self, since: usize, values: &[Vec<u32>]) {
        let mut place = 0;
        self.uses.retain(|used| {
            place += 1;
            place <= since || !values.contains(&used.sources)
        });
    }

    /// The number of uses so far: what comes after it belongs to what is read next.
    pub(super) fn uses_so_far(&self) -> usize {
        self.uses.len()
    }

    /// The base columns of the uses since then.
    pub(super) fn columns_used(&self, since: usize) -> impl Iterator<Item = &ColumnRef> {
        let numbers = self.uses[since..].iter().flat_map(|it| &it.sources);
        numbers.filter_map(|number| self.columns.get(*number as usize))
    }

    /// Whether the values of a column have fields: behind a composite type stand those, in brackets.
    pub(super) fn holds_rows(&self, column: &ColumnRef) -> bool {
        let table = self.schema.table(&column.table);
        table.and_then(|table| table.column(&column.column)).is_some_and(|it| it.data_type.contains(" ("))
    }

    /// Says of the uses since then that they are of this manner, if the expression that they belong to is a name.
    pub(super) fn uses_are(&mut self, since: usize, expression: &Expr, manner: &Manner) {
        if is_name(expression) {
            self.all_uses_are(since, manner);
        }
    }

    /// The same, if each of them is of a column itself besides: what is made of several columns, one behind the other,
    /// tells more than one does.
    pub(super) fn column_uses_are(&mut self, since: usize, expression: &Expr, manner: &Manner) {
        if self.uses[since..].iter().all(|it| it.is_column) {
            self.uses_are(since, expression, manner);
        }
    }

    pub(super) fn all_uses_are(&mut self, since: usize, manner: &Manner) {
        self.uses[since..].iter_mut().filter(|it| !it.is_part).for_each(|it| it.manner = manner.clone());
    }

    /// Says of the uses since then that what they are made from is in this flow, of a result, as far as that is so.
    pub(super) fn uses_are_carried(&mut self, since: usize, flow: &Flow) {
        let is_in = |number: &u32| flow.sources.binary_search(number).is_ok();
        self.uses[since..].iter_mut().for_each(|it| it.is_carried = !it.orders && it.sources.iter().all(is_in));
    }

    /// The flow of a value with all that decides over it, as the conditions of CASE do.
    pub(super) fn with_what_decides(&self, since: usize, flow: &Flow) -> Flow {
        let decides = |it: &&Use| it.manner == Manner::Other;
        let sources = self.uses[since..].iter().filter(decides).flat_map(|it| it.sources.iter().copied());
        flow.with(sources)
    }

    /// A value made from all that was used since then.
    pub(super) fn with_all_used(&self, since: usize) -> Flow {
        Flow::default().with(self.uses[since..].iter().flat_map(|it| it.sources.iter().copied()))
    }

    /// Says of the uses since then that rows are brought into an order by them.
    pub(super) fn uses_order(&mut self, since: usize) {
        self.uses[since..].iter_mut().for_each(|it| it.orders = true);
    }

    /// Says of the uses since then that they stand in a recursion: each round may make something else of what the round
    /// before it has handed on.
    pub(super) fn uses_are_of_rounds(&mut self, since: usize) {
        self.uses[since..].iter_mut().for_each(|it| (it.manner, it.is_carried) = (Manner::Other, false));
    }

    /// Says of the uses since then that a part of the value is taken out of it: a field, its length.
    pub(super) fn uses_are_of_parts(&mut self, since: usize) {
        self.uses[since..].iter_mut().for_each(|it| (it.is_part, it.is_column) = (true, false));
    }

    /// What is equated with what, both being base columns.
    pub(super) fn equated_uses(&mut self, (left, first): (&Flow, usize), (right, second): (&Flow, usize)) {
        let (Some(left), Some(right)) = (self.direct(left).cloned(), self.direct(right).cloned()) else { return };
        if !self.are_alike(&left, &right) {
            return;
        }
        let third = self.uses.len();
        self.uses[first..second].iter_mut().for_each(|it| it.manner = Manner::Equated(right.clone()));
        self.uses[second..third].iter_mut().for_each(|it| it.manner = Manner::Equated(left.clone()));
    }

    /// Notes the comparisons that restrict rows and nothing else: what a condition is made of by AND, OR and NOT.
    pub(super) fn note_predicates(&mut self, condition: &Expr) {
        let mut open = vec![condition];
        while let Some(part) = open.pop() {
            match part {
                Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => open.push(inner),
                Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, right } => {
                    open.extend([left.as_ref(), right.as_ref()]);
                }
                other => {
                    self.predicates.insert(address(other));
                }
            }
        }
    }

    pub(super) fn is_predicate(&self, expression: &Expr) -> bool {
        self.predicates.contains(&address(expression))
    }

    /// Rows that are alike are made one: a value made of several columns tells by that whether they are equal, and how many
    /// rows are left, who shares a value.
    pub(super) fn note_distinct(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let keyed = self.keyed(frame.results.iter().map(|result| &result.flow));
        let others = frame.results.iter().filter(|result| !self.is_of_one(&result.flow, &keyed));
        let all = others.fold(Flow::default(), |all, it| all.join(&it.flow));
        if frame.results.len() > 1 {
            self.note_sizes(&all);
        }
        let Some(frame) = self.frames.last() else { return };
        let mixed = frame.results.iter().map(|it| it.flow.clone()).filter(|flow| flow.origin() != Origin::Column);
        let mixed: Vec<Flow> = mixed.filter(|flow| !self.is_of_one(flow, &keyed)).collect();
        mixed.iter().for_each(|flow| self.note_use(flow, None));
    }

    /// A result that is meant by its number. What names nothing may be a number in a form that only the engine reads as one:
    /// then any result is meant.
    pub(super) fn note_ordinal(&mut self, expression: &Expr) {
        if let Some(flow) = self.result_at(expression) {
            self.note_use(&flow, None);
        } else if !names_something(expression) {
            self.note_all_results();
        }
    }

    /// Where both a column and a result have a name, engines differ in which is meant, by clause and by what stands around
    /// it: either may be.
    pub(super) fn note_namesakes(&mut self, frame: usize, name: &str, span: Option<Span>) {
        let Some(level) = self.frames.get(frame) else { return };
        let called = |it: &&super::scope::Output| it.name.as_deref().is_some_and(|it| self.syntax.same(it, name));
        let results = level.results.iter().filter(|it| it.named).filter(called);
        let columns = level.relations.iter().flat_map(|relation| relation.columns.iter()).filter(called);
        let results: Vec<Flow> = results.map(|it| it.flow.clone()).collect();
        let columns: Vec<Flow> = columns.map(|it| it.flow.clone()).collect();
        let is_another = |result: &Flow, column: &Flow| {
            column.sources != result.sources || column.origin() == Origin::Column && result.origin() != Origin::Column
        };
        let differ = results.iter().any(|result| columns.iter().any(|column| is_another(result, column)));
        if differ {
            results.iter().chain(&columns).for_each(|flow| self.note_use(flow, span));
        }
    }

    pub(super) fn note_order(&mut self, order: &OrderByExpr) {
        self.note_ordinal(&order.expr);
    }

    /// Notes that any column of the relation that came last decides over its rows: by the part of the table in which a row
    /// lies, by the order of an index, by a sample that is drawn by values.
    pub(super) fn note_last_relation(&mut self) {
        let last = self.frames.last().and_then(|frame| frame.relations.last());
        let flow = last.map(|relation| relation.columns.iter().fold(Flow::default(), |all, it| all.join(&it.flow)));
        self.note_use(&flow.unwrap_or_default(), None);
    }

    /// Notes a use of all columns in this FROM that have a name.
    pub(super) fn note_columns_called(&mut self, name: &str, span: Option<Span>) {
        let Some(frame) = self.frames.last() else { return };
        let flow = frame.flow_of_both(self.syntax, name);
        self.use_columns(&flow, Through::Implied, Clause::On, span);
    }

    /// All results of the select, or of what stands in its place.
    pub(super) fn note_all_results(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let columns = frame.relations.iter().filter(|it| it.any_qualifier).flat_map(|it| it.columns.iter());
        let flows: Vec<Flow> = frame.results.iter().chain(columns).map(|it| it.flow.clone()).collect();
        flows.iter().for_each(|flow| self.note_use(flow, None));
    }

    fn result_at(&self, expression: &Expr) -> Option<Flow> {
        let Expr::Value(value) = bare(expression) else { return None };
        let Value::Number(text, _) = &value.value else { return None };
        let position = text.parse::<usize>().ok()?.checked_sub(1)?;
        let frame = self.frames.last().filter(|frame| !frame.unsure_order)?;
        let closed = || {
            let result = frame.relations.iter().find(|it| it.any_qualifier && !it.unsure_order)?;
            result.columns.get(position)
        };
        frame.results.get(position).or_else(closed).map(|it| it.flow.clone())
    }

    /// Reads what rows are grouped by. Groups come out in the order of their values, so that even counts alone tell it.
    pub(super) fn grouped_by(&mut self, select: &Select) {
        let mut grouped: Vec<(Flow, usize, usize)> = Vec::new();
        for expression in group_expressions(select) {
            let since = self.uses_so_far();
            let flow = self.expression(expression);
            self.note_ordinal(expression);
            let ordinal = self.result_at(expression);
            grouped.push((ordinal.unwrap_or(flow), since, self.uses_so_far()));
        }
        let keyed = self.keyed(grouped.iter().map(|(flow, ..)| flow));
        grouped.retain(|(flow, ..)| self.is_of_one(flow, &keyed));
        for (_, since, end) in grouped {
            self.uses[since..end].iter_mut().for_each(|it| it.manner = Manner::Passed);
        }
    }

    /// The tables of which these values, alone, hold a whole key: rows that agree in that are one row, and agree in all else. Only
    /// where what was run is read; of what is to run, the order in which groups come tells as well.
    fn keyed<'f>(&self, values: impl Iterator<Item = &'f Flow> + Clone) -> Vec<TableId> {
        let names_twice =
            |is_it: &dyn Fn(&TableUse) -> bool| self.reading.tables.iter().filter(|it| is_it(it)).count() > 1;
        let ctes = self.reading.tables.iter().filter(|used| used.kind == TableUseKind::Cte);
        let is_read_twice = ctes.clone().any(|cte| names_twice(&|other| other.parts == cte.parts));
        if self.is_strict() || is_read_twice {
            return Vec::new();
        }
        let mut keyed: Vec<TableId> = Vec::new();
        for column in values.clone().filter_map(|flow| self.direct(flow)) {
            let table = &column.table;
            let has = |part: &String| {
                let mut held = values.clone().filter_map(|flow| self.direct(flow));
                held.any(|held| held.table == *table && held.column == *part)
            };
            let is_whole = self.schema.primary_key(table).is_some_and(|key| key.iter().all(has));
            if is_whole && !keyed.contains(table) && !names_twice(&|used| used.table.as_ref() == Some(table)) {
                keyed.push(table.clone());
            }
        }
        keyed
    }

    /// Whether a value is made of columns of one of these tables, and of nothing else.
    fn is_of_one(&self, flow: &Flow, tables: &[TableId]) -> bool {
        let mut columns = flow.sources.iter().filter_map(|number| self.columns.get(*number as usize));
        !tables.is_empty() && columns.all(|column| tables.contains(&column.table))
    }

    /// Notes that something has that name.
    pub(super) fn note_name(&mut self, name: &str) {
        if self.syntax.double_quoted_fallback {
            self.named.insert(name.to_lowercase());
        }
    }

    pub(super) fn note_match(&mut self) {
        self.matches = true;
    }

    /// A full-text index that is searched tells of all its columns. Whichever relation the engine takes its name for, it may
    /// be the index.
    pub(super) fn note_searches(&mut self) {
        if !self.syntax.double_quoted_fallback {
            return;
        }
        let since = self.uses_so_far();
        let tables: Vec<TableId> = self.reading.tables.iter().filter_map(|used| used.table.clone()).collect();
        for id in tables {
            if !self.matches && !self.named.contains(&id.name.to_lowercase()) {
                continue;
            }
            let Some(table) = self.schema.table(&id).filter(|it| matches!(it.kind, TableKind::Other(_))) else {
                continue;
            };
            for column in &table.columns {
                let number = self.number(ColumnRef { table: id.clone(), column: column.name.clone() });
                self.note_use(&Flow::column(number), None);
            }
        }
        self.uses_are_of_parts(since);
    }

    /// The uses, by base column.
    pub(super) fn value_uses(&self) -> Vec<ValueUse> {
        let column = |number: &u32| -> Option<ColumnRef> { self.columns.get(*number as usize).cloned() };
        let of = |it: &Use| {
            let manner = it.manner.clone();
            let (is_carried, span) = (it.is_carried, it.span);
            it.sources
                .iter()
                .filter_map(column)
                .map(|column| ValueUse { column, manner: manner.clone(), is_carried, span })
                .collect::<Vec<_>>()
        };
        self.uses.iter().flat_map(of).collect()
    }
}

/// Whether an expression is nothing but a name.
pub(super) fn is_name(expression: &Expr) -> bool {
    matches!(bare(expression), Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

/// Whether anything in an expression is a name, a call or a query.
fn names_something(expression: &Expr) -> bool {
    let found = sqlparser::ast::visit_expressions(expression, |inner: &Expr| match inner {
        Expr::Value(_) | Expr::Nested(_) | Expr::UnaryOp { .. } | Expr::Collate { .. } => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    found.is_break()
}
