//! What a select is grouped by, and columns that stand beside its aggregates without being grouped by.

use sqlparser::ast::{Expr, GroupByExpr, Select, SelectItem, Spanned, Value};

use super::Resolver;
use super::compare::bare;
use super::grain::expression_of;
use super::scope::Place;
use crate::reading::Ungrouped;
use crate::uniqueness::Uniqueness;

impl Resolver<'_> {
    /// Notes columns that stand in the select list beside aggregates, although a group can hold several values of them.
    pub(super) fn ungrouped(&mut self, select: &Select) {
        let Some(frame) = self.frames.last() else { return };
        let grouped = match &select.group_by {
            GroupByExpr::Expressions(expressions, modifiers) => {
                let has_sets =
                    |it: &Expr| matches!(it, Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) | Expr::Tuple(_));
                if expressions.is_empty() && !frame.aggregates
                    || !modifiers.is_empty()
                    || expressions.iter().any(has_sets)
                {
                    return;
                }
                self.grouped(select)
            }
            GroupByExpr::All(_) => return,
        };
        let mut found = Vec::new();
        for expression in select.projection.iter().filter_map(expression_of) {
            let is_name = matches!(bare(expression), Expr::Identifier(_) | Expr::CompoundIdentifier(_));
            let Some((relation, column)) = self.place(expression).filter(|place| is_name && !grouped.contains(place))
            else {
                continue;
            };
            let by: Vec<usize> = grouped.iter().filter(|place| place.0 == relation).map(|place| place.1).collect();
            let name = frame.relations[relation].columns.get(column).and_then(|column| column.name.as_deref());
            let is_merged = name.is_some_and(|name| frame.merged.iter().any(|merged| self.syntax.same(merged, name)));
            // One row of the relation for each group has one value.
            if is_merged || self.is_unique(frame, relation, &by) == Uniqueness::One {
                continue;
            }
            found.push(Ungrouped { name: expression.to_string(), span: self.lines.span(expression.span()) });
        }
        self.reading.ungrouped.extend(found);
    }

    /// The columns that the select is grouped by, where they are nothing but columns.
    pub(super) fn grouped(&self, select: &Select) -> Vec<Place> {
        let GroupByExpr::Expressions(expressions, _) = &select.group_by else { return Vec::new() };
        expressions.iter().filter_map(|expression| self.place(self.group_expression(select, expression))).collect()
    }

    /// What a position or an alias in GROUP BY stands for.
    pub(super) fn group_expression<'e>(&self, select: &'e Select, expression: &'e Expr) -> &'e Expr {
        match bare(expression) {
            Expr::Value(value) => match &value.value {
                Value::Number(text, _) => text
                    .parse::<usize>()
                    .ok()
                    .and_then(|number| select.projection.get(number.checked_sub(1)?))
                    .and_then(expression_of)
                    .unwrap_or(expression),
                _ => expression,
            },
            Expr::Identifier(ident) if self.place(expression).is_none() => select
                .projection
                .iter()
                .find_map(|item| match item {
                    SelectItem::ExprWithAlias { expr, alias } if self.syntax.same(&alias.value, &ident.value) => {
                        Some(expr)
                    }
                    _ => None,
                })
                .unwrap_or(expression),
            _ => expression,
        }
    }
}
