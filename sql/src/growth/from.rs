//! FROM: what its relations hold, and how many rows of them there can be.

use std::rc::Rc;

use sqlparser::ast::{
    FunctionArg, Join, JoinConstraint, JoinOperator, JsonTableColumn, Spanned, TableAlias, TableFactor, TableWithJoins,
};

use super::bound::Bound;
use super::{ASSUMED_BYTES, ASSUMED_ROWS, Measure, Relation, Rows, stored};
use crate::parser::Idents as _;
use crate::schema::TableLookup;
use crate::span::Span;

impl<'q> Measure<'_, 'q> {
    /// A relation and what is joined to it, each row with those before.
    pub(super) fn table_with_joins(&mut self, from: &'q TableWithJoins, before: Rows) -> Rows {
        let mut rows = self.factor(&from.relation, before);
        for join in &from.joins {
            rows = self.join(join, rows);
        }
        rows
    }

    fn join(&mut self, join: &'q Join, before: Rows) -> Rows {
        if let JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin | JoinOperator::InnerArrayJoin = join.join_operator
        {
            return self.array_join(&join.relation, before);
        }
        let rows = self.factor(&join.relation, before);
        if let JoinConstraint::On(condition) = constraint(&join.join_operator) {
            self.note_rows(rows);
            self.held_against(condition, Some(&join.join_operator));
        }
        rows
    }

    /// `ARRAY JOIN range(n) AS i`: a row for each element.
    fn array_join(&mut self, factor: &'q TableFactor, before: Rows) -> Rows {
        let TableFactor::Table { name, alias, args, .. } = factor else { return before };
        let list = match args {
            Some(call) => {
                let arguments: Vec<Bound> = call.args.iter().map(|argument| self.argument(argument)).collect();
                let called = name.0.last().map(|part| part.to_string().to_lowercase()).unwrap_or_default();
                self.call(&called, &arguments, Rows::ONE, None)
            }
            None => {
                let idents: Vec<_> = name.0.iter().filter_map(|part| part.as_ident()).collect();
                self.named(&idents)
            }
        };
        let called = alias.as_ref().map(|alias| self.syntax.fold(&alias.name));
        self.add(Relation { columns: Rc::new(vec![(called, list.element())]), ..Relation::default() }, None);
        before.joined(Rows::of_list(&list))
    }

    fn factor(&mut self, factor: &'q TableFactor, before: Rows) -> Rows {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let parts: Vec<String> =
                    name.0.iter().filter_map(|part| part.as_ident()).map(|ident| self.syntax.fold(ident)).collect();
                let (relation, rows) = self.table(&parts);
                self.add(relation, alias.as_ref());
                before.joined(rows)
            }
            TableFactor::Table { name, alias, args: Some(args), with_ordinality: _, .. } => {
                let called = name.0.last().map(|part| part.to_string()).unwrap_or_default();
                before.joined(self.table_function(&called, &args.args, alias.as_ref(), self.lines.span(name.span())))
            }
            TableFactor::Function { name, args, alias, .. } => {
                let called = name.0.last().map(|part| part.to_string()).unwrap_or_default();
                before.joined(self.table_function(&called, args, alias.as_ref(), self.lines.span(name.span())))
            }
            TableFactor::Derived { subquery, alias, lateral, .. } => {
                let times = self.times;
                if *lateral {
                    self.times *= before.made;
                    self.note_rows(before);
                }
                let yielded = self.query(subquery);
                self.times = times;
                let rows = yielded.rows();
                self.add(yielded.relation(String::new()), alias.as_ref());
                before.joined(rows)
            }
            TableFactor::TableFunction { expr, alias } => {
                let value = self.value(expr);
                self.add(Relation { open: Some(value.clone()), ..Relation::default() }, alias.as_ref());
                before.joined(Rows::of_list(&value))
            }
            TableFactor::UNNEST { array_exprs, alias, .. } => {
                let lists: Vec<Bound> = array_exprs.iter().map(|array| self.value(array)).collect();
                // Lists come apart beside each other.
                let rows = lists.iter().map(Rows::of_list).fold(Rows::ONE, |one, other| Rows {
                    made: one.made.max(other.made),
                    parts: one.parts.max(other.parts),
                    apart: one.apart + other.apart,
                    ..Rows::ONE
                });
                let any = lists.iter().map(Bound::element).reduce(|left, right| left.or(&right));
                self.add(Relation { open: any, ..Relation::default() }, alias.as_ref());
                before.joined(rows)
            }
            TableFactor::JsonTable { json_expr, columns, alias, .. } => {
                let value = self.value(json_expr);
                self.add(Relation { open: Some(value.element()), ..Relation::default() }, alias.as_ref());
                let rows = Rows::of_list(&value);
                // Paths beside each other have rows each.
                before.joined(Rows { parts: rows.parts * (1.0 + nested(columns)), ..rows })
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let first = self.frames.last().map_or(0, |frame| frame.relations.len());
                let rows = self.table_with_joins(table_with_joins, before);
                if let (Some(alias), Some(frame)) = (alias, self.frames.last_mut()) {
                    let inside: Vec<Relation> = frame.relations.drain(first..).collect();
                    let columns = inside.iter().flat_map(|relation| relation.columns.iter().cloned()).collect();
                    let open = inside.into_iter().find_map(|relation| relation.open);
                    self.add(Relation { name: String::new(), columns: Rc::new(columns), open }, Some(alias));
                }
                rows
            }
            // Refused for what they are.
            _ => before,
        }
    }

    /// Makes what is known of the rows so far known to what is read beside them.
    fn note_rows(&mut self, rows: Rows) {
        if let Some(frame) = self.frames.last_mut() {
            frame.rows = Some(rows);
        }
    }

    fn add(&mut self, mut relation: Relation, alias: Option<&TableAlias>) {
        if let Some(alias) = alias {
            relation.name = self.syntax.fold(&alias.name);
            let names = alias.columns.iter().map(|column| self.syntax.fold(&column.name));
            let columns = Rc::make_mut(&mut relation.columns);
            for (position, name) in names.enumerate() {
                match (columns.get_mut(position), &relation.open) {
                    (Some(column), _) => column.0 = Some(name),
                    (None, Some(open)) => columns.push((Some(name), open.clone())),
                    (None, None) => {}
                }
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.relations.push(relation);
        }
    }

    /// A common table expression or a stored table.
    fn table(&mut self, parts: &[String]) -> (Relation, Rows) {
        if let [single] = parts
            && let Some(cte) = self.ctes.iter().rev().find(|cte| self.syntax.same(&cte.name, single))
        {
            let (mut relation, rows) = (cte.relation.clone(), cte.rows);
            relation.name.clone_from(single);
            self.budget = self.budget.saturating_sub(relation.columns.len() / 16);
            return (relation, rows);
        }
        let name = parts.last().cloned().unwrap_or_default();
        let written: Vec<&str> = parts.iter().map(String::as_str).collect();
        let TableLookup::Found(table) = self.schema.resolve_table(&written) else {
            let open = Some(stored(ASSUMED_BYTES));
            self.most_combined = f64::INFINITY;
            return (Relation { name, open, ..Relation::default() }, Rows::stored(ASSUMED_ROWS));
        };
        let columns = table.columns.iter().map(|column| (Some(column.name.clone()), self.column(table, column)));
        let columns = Rc::new(columns.collect());
        let counted = table.row_count.as_ref().map(|rows| rows.value as f64);
        if counted.is_none() {
            self.most_combined = f64::INFINITY;
        }
        let rows = counted.unwrap_or(ASSUMED_ROWS).max(1.0);
        // Columns that every table has and none lists.
        let open = Some(stored(64.0));
        (Relation { name, columns, open }, Rows::stored(rows))
    }

    fn table_function(
        &mut self,
        name: &str,
        args: &'q [FunctionArg],
        alias: Option<&TableAlias>,
        span: Option<Span>,
    ) -> Rows {
        let name = name.to_lowercase();
        let arguments: Vec<Bound> = args.iter().map(|argument| self.argument(argument)).collect();
        let (rows, value) = self.rows_of(&name, &arguments, span);
        let mut columns = vec![(Some(name.clone()), value.clone())];
        if self.syntax.function_alias_is_column
            && let Some(alias) = alias.filter(|alias| alias.columns.is_empty())
        {
            columns.insert(0, (Some(self.syntax.fold(&alias.name)), value.clone()));
        }
        self.add(Relation { name, columns: Rc::new(columns), open: Some(value) }, alias);
        rows
    }
}

/// Paths inside the rows of a document.
fn nested(columns: &[JsonTableColumn]) -> f64 {
    let paths = columns.iter().map(|column| match column {
        JsonTableColumn::Nested(inside) => 1.0 + nested(&inside.columns),
        _ => 0.0,
    });
    paths.sum()
}

/// What a join holds its sides together by.
pub(super) fn constraint(join: &JoinOperator) -> &JoinConstraint {
    match join {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::Semi(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::Anti(constraint)
        | JoinOperator::LeftAnti(constraint)
        | JoinOperator::AsOf { constraint, .. }
        | JoinOperator::StraightJoin(constraint) => constraint,
        _ => &JoinConstraint::None,
    }
}
