//! How many rows a join gives, by the columns that it holds against each other: as many as there are pairs, divided by the
//! number of values on the side that has more of them (Selinger et al., Access Path Selection, 1979).

use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, JoinConstraint, ObjectName, Select,
};

use super::bound::Bound;
use super::expression::called;
use super::from::constraint;
use super::{Equality, Frame, Measure, Rows};
use crate::parser::Idents as _;

/// Conditions that are looked at for each relation that is joined: keys of several columns.
const FOR_EACH_JOIN: usize = 2;
/// Days, and longer spans, that moments are taken to lie in.
const DAYS: f64 = 500.0;
const SPANS: f64 = 50.0;
/// Functions that keep apart what is different, mostly.
const KEEPING: [&str; 20] = [
    "cast",
    "coalesce",
    "hex",
    "ifnull",
    "lcase",
    "lower",
    "lowerutf8",
    "ltrim",
    "md5",
    "rtrim",
    "toint32",
    "toint64",
    "tostring",
    "touint32",
    "touint64",
    "trim",
    "try_cast",
    "ucase",
    "upper",
    "upperutf8",
];

impl<'q> Measure<'_, 'q> {
    /// The rows that the query in sight combines, those that it makes up among them, as far as its joins tell; of groups, these.
    pub(super) fn combined(&self) -> f64 {
        let Some(frame) = self.frames.last() else { return 1.0 };
        frame.groups.unwrap_or_else(|| self.held_together())
    }

    /// The same before they are grouped.
    pub(super) fn held_together(&self) -> f64 {
        let Some(frame) = self.frames.last() else { return 1.0 };
        let rows = frame.rows();
        let most = frame.relations.len().saturating_sub(1) * FOR_EACH_JOIN;
        let kept = frame.equalities.iter().filter_map(|equality| self.values_held(equality, frame, rows)).take(most);
        (rows.made * rows.likely / kept.product::<f64>()).max(rows.made).max(rows.stored)
    }

    /// How many different values are held against each other; `None` where that tells nothing.
    fn values_held(&self, equality: &Equality<'q>, frame: &Frame<'q>, rows: Rows) -> Option<f64> {
        let known = match equality {
            Equality::Of(one, other) => {
                // What many values become is held together by the other side's column, where it isn't made of that itself.
                let known = match (self.values_of(one, frame), self.values_of(other, frame)) {
                    (Some(one), Some(other)) => [one, other],
                    (Some(known), None) if is_about_others(other, one) => [known, known],
                    (None, Some(known)) if is_about_others(one, other) => [known, known],
                    _ => return None,
                };
                known.into_iter().filter(|values| values.is_finite()).fold(0.0, f64::max)
            }
            Equality::Named(name) => {
                let name = self.syntax.fold(name.0.last()?.as_ident()?);
                self.values_in(frame, None, &name).filter(|values| values.is_finite()).unwrap_or(0.0)
            }
            Equality::Natural => self.values_shared(frame),
        };
        // Of which nothing is known is taken for a key.
        Some(if known > 0.0 { known } else { rows.stored.max(1.0) })
    }

    /// The combinations of values that columns can have whose name is in several relations; nothing where that isn't known.
    fn values_shared(&self, frame: &Frame<'q>) -> f64 {
        let mut shared: HashMap<&str, (usize, f64)> = HashMap::new();
        for relation in &frame.relations {
            for (name, bound) in relation.columns.iter().filter_map(|(name, bound)| Some((name.as_deref()?, bound))) {
                let (times, values) = shared.entry(name).or_insert((0, 1.0));
                *times += 1;
                *values = values.max(bound.values);
            }
        }
        let combinations: f64 =
            shared.into_values().filter(|(times, _)| *times > 1).map(|(_, values)| values).product();
        if combinations.is_finite() { combinations } else { 0.0 }
    }

    /// How many different values one side of a condition has: endless where nobody knows, `None` where many become one.
    fn values_of(&self, side: &Expr, frame: &Frame<'q>) -> Option<f64> {
        match side {
            Expr::Identifier(ident) => {
                Some(self.values_in(frame, None, &self.syntax.fold(ident)).unwrap_or(f64::INFINITY))
            }
            Expr::CompoundIdentifier(parts) => {
                let [.., table, column] = parts.as_slice() else { return None };
                let (table, column) = (self.syntax.fold(table), self.syntax.fold(column));
                Some(self.values_in(frame, Some(&table), &column).unwrap_or(f64::INFINITY))
            }
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.values_of(inner, frame),
            Expr::Trim { expr, .. } => self.values_of(expr, frame),
            Expr::Cast { expr, data_type, .. } => {
                let values = self.values_of(expr, frame)?;
                let to = data_type.to_string().to_lowercase();
                let is_text = ["char", "text", "string"].iter().any(|word| to.contains(word)) && !to.contains('(');
                match to.as_str() {
                    "date" => Some(values.min(DAYS)),
                    // Texts that are no numbers all become nothing.
                    _ => (is_text || self.is_number(expr, frame)).then_some(values),
                }
            }
            Expr::Function(function) => {
                let name = called(&function.name);
                let values = arguments(&function.args).find_map(|argument| self.values_of(argument, frame));
                match name.as_str() {
                    "date" | "todate" => Some(values?.min(DAYS)),
                    "date_trunc" | "datetrunc" | "date_format" | "strftime" | "to_char" => Some(values?.min(SPANS)),
                    name if name.starts_with("tostartof") => Some(values?.min(SPANS)),
                    name if KEEPING.contains(&name) => {
                        let mut others = arguments(&function.args);
                        let first = others.next()?;
                        let alone = others.all(|other| columns(other).is_some_and(|columns| columns.is_empty()));
                        if alone { self.values_of(first, frame) } else { None }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether it is a column of numbers.
    fn is_number(&self, side: &Expr, frame: &Frame<'q>) -> bool {
        let (table, column) = match side {
            Expr::Nested(inner) => return self.is_number(inner, frame),
            Expr::Identifier(ident) => (None, self.syntax.fold(ident)),
            Expr::CompoundIdentifier(parts) => {
                let [.., table, column] = parts.as_slice() else { return false };
                (Some(self.syntax.fold(table)), self.syntax.fold(column))
            }
            _ => return false,
        };
        let mut named = self.named_in(frame, table.as_deref(), &column).peekable();
        named.peek().is_some() && named.all(|bound| bound.items <= 1.0)
    }

    /// The most different values of the columns of that name.
    fn values_in(&self, frame: &Frame<'q>, table: Option<&str>, column: &str) -> Option<f64> {
        self.named_in(frame, table, column).map(|bound| bound.values).reduce(f64::max)
    }

    fn named_in<'f>(
        &'f self,
        frame: &'f Frame<'q>,
        table: Option<&'f str>,
        column: &'f str,
    ) -> impl Iterator<Item = &'f Bound> {
        let relations = (frame.relations.iter())
            .filter(move |relation| table.is_none_or(|table| self.syntax.same(&relation.name, table)));
        let columns = relations.flat_map(|relation| relation.columns.iter());
        columns
            .filter(move |(name, _)| name.as_deref().is_some_and(|name| self.syntax.same(name, column)))
            .map(|(_, bound)| bound)
    }
}

/// The conditions of a query's joins, all of which must hold, in which something equals something of another relation.
pub(super) fn equalities(select: &Select) -> Vec<Equality<'_>> {
    let mut found = Vec::new();
    for join in select.from.iter().flat_map(|from| &from.joins) {
        match constraint(&join.join_operator) {
            JoinConstraint::On(condition) => equated(condition, &mut found),
            JoinConstraint::Using(names) => found.extend(names.iter().map(|name: &ObjectName| Equality::Named(name))),
            JoinConstraint::Natural => found.push(Equality::Natural),
            JoinConstraint::None => {}
        }
    }
    for condition in select.selection.iter().chain(&select.prewhere) {
        equated(condition, &mut found);
    }
    found
}

fn equated<'q>(condition: &'q Expr, found: &mut Vec<Equality<'q>>) {
    match condition {
        Expr::Nested(inner) => equated(inner, found),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            equated(left, found);
            equated(right, found);
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            let is_again = |other: &Equality<'_>| matches!(other, Equality::Of(one, other) if (*one == &**left && *other == &**right) || (*one == &**right && *other == &**left));
            let qualifiers = (qualifier(left), qualifier(right));
            let is_of_one = qualifiers.0.is_some() && qualifiers.0 == qualifiers.1;
            if !is_of_one && !found.iter().any(is_again) {
                found.push(Equality::Of(left, right));
            }
        }
        _ => {}
    }
}

/// The table that a side is about, where it says so.
fn qualifier(side: &Expr) -> Option<String> {
    match side {
        Expr::CompoundIdentifier(parts) => Some(parts.first()?.value.to_lowercase()),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::Collate { expr: inner, .. } => qualifier(inner),
        Expr::Function(function) => arguments(&function.args).find_map(qualifier),
        _ => None,
    }
}

/// The expressions that a function is called with.
pub(super) fn arguments(called_with: &FunctionArguments) -> impl Iterator<Item = &Expr> {
    let arguments = match called_with {
        FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    arguments.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
        _ => None,
    })
}

/// Whether nothing of the table that a column names stands in an expression, as far as that can be told.
fn is_about_others(expression: &Expr, column: &Expr) -> bool {
    let Some(table) = qualifier(column) else { return false };
    columns(expression).is_some_and(|columns| columns.iter().all(|of| of.as_deref().is_some_and(|of| of != table)))
}

/// The tables that the columns in an expression name, `None` among them for those that name none; nothing where a query stands
/// in it.
fn columns(expression: &Expr) -> Option<Vec<Option<String>>> {
    let mut found = Vec::new();
    let walked = sqlparser::ast::visit_expressions(expression, |inner: &Expr| {
        match inner {
            Expr::Identifier(_) => found.push(None),
            Expr::CompoundIdentifier(_) => found.push(qualifier(inner)),
            Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    walked.is_continue().then_some(found)
}
