//! What one row of a select stands for, and which joins multiply the rows that an aggregate is over.
//!
//! A join is followed outwards from the relations that an aggregate takes its values from. Where the columns that a
//! relation is joined by can belong to several of its rows, each row before is there several times behind the join, and
//! sums, averages and counts over it come out too large.

use std::ops::Range;

use dialect::Clause;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, Function, GroupByExpr, Select, SelectItem, UnaryOperator, Value, Visit,
};

use super::Resolver;
use super::lookup::relations_called;
use super::query::has_group_by;
use super::scope::{Frame, MetAggregate, Output, Place};
use crate::parser::Idents as _;
use crate::reading::{AggregateUse, Multiplication};
use crate::span::Span;
use crate::uniqueness::{Held, Uniqueness};

impl Resolver<'_> {
    /// Where an expression that is nothing but a name leads in the innermost frame.
    pub(super) fn place(&self, expression: &Expr) -> Option<Place> {
        let frame = self.frames.last()?;
        let column_of = |relation: usize, name: &str| {
            let called = |column: &Output| column.name.as_deref().is_some_and(|it| self.syntax.same(it, name));
            Some((relation, frame.relations[relation].columns.iter().position(called)?))
        };
        match super::compare::bare(expression) {
            Expr::Identifier(ident) => {
                let name = self.syntax.fold(ident);
                (0..frame.relations.len()).find_map(|relation| column_of(relation, &name))
            }
            Expr::CompoundIdentifier(parts) => {
                let (last, qualifier) = parts.split_last()?;
                let qualifier: Vec<String> = qualifier.iter().map(|part| self.syntax.fold(part)).collect();
                let name = self.syntax.fold(last);
                relations_called(self.syntax, frame, &qualifier)
                    .into_iter()
                    .find_map(|relation| column_of(relation, &name))
            }
            _ => None,
        }
    }

    /// Notes what a part of a condition says about the joining of relations: columns that are equal, columns that have
    /// one value.
    pub(super) fn note_equalities(&mut self, part: &Expr) {
        match part {
            Expr::Nested(inner) => self.note_equalities(inner),
            Expr::BinaryOp { left, op: BinaryOperator::Eq | BinaryOperator::Spaceship, right }
            | Expr::IsNotDistinctFrom(left, right) => match (left.as_ref(), right.as_ref()) {
                (Expr::Tuple(left), Expr::Tuple(right)) => {
                    for (left, right) in left.iter().zip(right) {
                        self.note_equality(left, right);
                    }
                }
                (left, right) => self.note_equality(left, right),
            },
            Expr::InList { expr, list, negated: false } if list.len() == 1 => self.note_equality(expr, &list[0]),
            Expr::IsNull(inner) => self.note_anti_join(inner),
            Expr::IsTrue(inner) => self.note_fixed(inner, Some("1")),
            Expr::IsFalse(inner) => self.note_fixed(inner, Some("0")),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => self.note_fixed(expr, Some("0")),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.note_fixed(part, Some("1")),
            _ => {}
        }
    }

    /// `LEFT JOIN b … WHERE b.id IS NULL` leaves the rows that have none: `b` repeats nothing.
    fn note_anti_join(&mut self, expression: &Expr) {
        let place = self.place(expression);
        let (Some(place), Some(frame)) = (place, self.frames.last_mut()) else { return };
        let is_key = frame.equalities.iter().flatten().any(|joined| *joined == place);
        let name = frame.relations[place.0].columns[place.1].name.clone();
        let table = frame.relations[place.0].table.clone();
        let of_primary_key = table.zip(name).is_some_and(|(table, name)| {
            self.schema
                .primary_key(&table)
                .is_some_and(|key| key.iter().any(|column| column.eq_ignore_ascii_case(&name)))
        });
        if frame.clause == Clause::Where && (is_key || of_primary_key) {
            frame.relations[place.0].filters = true;
        }
    }

    fn note_equality(&mut self, left: &Expr, right: &Expr) {
        match (self.place(left), self.place(right)) {
            (Some(one), Some(other)) if one.0 != other.0 => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.equalities.push([one, other]);
                }
            }
            (Some(_), None) if self.is_one_value(right) => self.note_fixed_at(left, right),
            (None, Some(_)) if self.is_one_value(left) => self.note_fixed_at(right, left),
            _ => {}
        }
    }

    fn note_fixed_at(&mut self, column: &Expr, value: &Expr) {
        let literal = self.literal(value).map(|literal| literal.text);
        self.note_fixed(column, literal.as_deref());
    }

    fn note_fixed(&mut self, column: &Expr, value: Option<&str>) {
        let place = self.place(column);
        if let (Some(place), Some(frame)) = (place, self.frames.last_mut()) {
            frame.fixed.push((place, value.map(str::to_owned)));
        }
    }

    /// Whether an expression has the same value for every row of the innermost frame: literals, subqueries that are one
    /// value, names of queries around it.
    fn is_one_value(&self, expression: &Expr) -> bool {
        match super::compare::bare(expression) {
            Expr::Value(value) => !matches!(value.value, Value::Placeholder(_)),
            Expr::TypedString(_) | Expr::Subquery(_) => true,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.place(expression).is_none(),
            Expr::UnaryOp { expr, .. } | Expr::Cast { expr, .. } => self.is_one_value(expr),
            _ => false,
        }
    }

    /// Notes an aggregate; `touched`: what reading its arguments has touched.
    pub(super) fn note_aggregate(
        &mut self,
        function: &Function,
        name: &str,
        touched: Range<usize>,
        span: Option<Span>,
    ) {
        let depth = self.frames.len().saturating_sub(1);
        let touched = &self.touched[touched];
        let mut relations: Vec<usize> =
            touched.iter().filter(|(frame, _)| *frame == depth).map(|(_, relation)| *relation).collect();
        if relations.is_empty() && !touched.is_empty() {
            return;
        }
        relations.sort_unstable();
        relations.dedup();
        let argument = sole_argument(function);
        let place = argument.and_then(|argument| self.place(argument));
        // A column that USING made one belongs to every side of it.
        if let (Some(Expr::Identifier(ident)), Some(frame)) = (argument, self.frames.last())
            && frame.merged.iter().any(|merged| self.syntax.same(merged, &self.syntax.fold(ident)))
        {
            relations.clear();
        }
        let column = place.and_then(|place| self.base_column(place));
        let places = self.places_in(&function.args);
        let distinct = is_distinct(function);
        if let Some(frame) = self.frames.last_mut() {
            frame.met.push(MetAggregate { name: name.to_owned(), distinct, relations, column, places, span });
        }
    }

    pub(super) fn base_column(&self, (relation, column): Place) -> Option<crate::reading::ColumnRef> {
        let output = self.frames.last()?.relations.get(relation)?.columns.get(column)?;
        self.direct(&output.flow).cloned()
    }

    /// Puts the aggregates of the select that has just been read into the reading, with the joins that multiply them.
    pub(super) fn finish_aggregates(&mut self, select: &Select) {
        let Some(frame) = self.frames.last_mut() else { return };
        let met = std::mem::take(&mut frame.met);
        if met.is_empty() {
            return;
        }
        let grouped = self.grouped(select);
        if let Some(frame) = self.frames.last_mut() {
            frame.grouped = grouped;
        }
        let Some(frame) = self.frames.last() else { return };
        let uses: Vec<AggregateUse> = met
            .into_iter()
            .map(|aggregate| {
                let mut multiplied_by = match aggregate.relations.as_slice() {
                    [] => self.crossed_branches(frame),
                    relations => self.multipliers(frame, relations),
                };
                multiplied_by.extend(repeated_before(frame, &aggregate.places));
                let one_per_group = match aggregate.relations.as_slice() {
                    &[relation] => self.is_unique(frame, relation, &[]) == Uniqueness::One,
                    _ => false,
                };
                AggregateUse {
                    function: aggregate.name,
                    distinct: aggregate.distinct,
                    column: aggregate.column,
                    over: aggregate.relations.iter().map(|&it| frame.relations[it].name.clone()).collect(),
                    multiplied_by,
                    one_per_group,
                    held: held(frame, &aggregate.relations),
                    span: aggregate.span,
                }
            })
            .collect();
        self.reading.aggregates.extend(uses);
    }

    /// How many rows of a relation there can be with the values that `by` (columns of it), the conditions and the
    /// grouping hold.
    pub(super) fn is_unique(&self, frame: &Frame, relation: usize, by: &[usize]) -> Uniqueness {
        let of = |place: &Place| (place.0 == relation).then_some(place.1);
        let it = &frame.relations[relation];
        if it.single_row || it.filters {
            return Uniqueness::One;
        }
        let grouped: Vec<usize> = frame.grouped.iter().filter_map(of).collect();
        let fixed: Vec<(usize, Option<&str>)> =
            frame.fixed.iter().filter_map(|(place, value)| Some((of(place)?, value.as_deref()))).collect();
        let Some(table) = &it.table else {
            let held = |column: &usize| {
                by.contains(column) || grouped.contains(column) || fixed.iter().any(|(fixed, _)| fixed == column)
            };
            return match it.keys.iter().any(|key| key.iter().all(held)) {
                true => Uniqueness::One,
                false if !it.keys.is_empty() => Uniqueness::Many,
                false if by.len() == 1 && fixed.is_empty() && it.repeating.contains(&by[0]) => Uniqueness::Many,
                false => Uniqueness::Unknown,
            };
        };
        let name = |column: &usize| it.columns.get(*column).and_then(|column| column.name.as_deref());
        let columns: Vec<&str> = by.iter().filter_map(name).collect();
        let grouped: Vec<&str> = grouped.iter().filter_map(name).collect();
        let fixed: Vec<(&str, Option<&str>)> =
            fixed.iter().filter_map(|(column, value)| Some((name(column)?, *value))).collect();
        self.schema.uniqueness(table, Held { columns: &columns, fixed: &fixed, grouped: &grouped })
    }

    /// The relations that multiply the rows of `over`.
    fn multipliers(&self, frame: &Frame, over: &[usize]) -> Vec<Multiplication> {
        let mut reached: Vec<usize> = over.to_vec();
        let mut found = Vec::new();
        loop {
            let edges: Vec<(usize, Vec<usize>, Uniqueness)> = (0..frame.relations.len())
                .filter(|relation| !reached.contains(relation))
                .filter_map(|relation| {
                    let by = joined_by(frame, relation, &reached);
                    if !by.is_empty() {
                        let uniqueness = self.is_unique(frame, relation, &by);
                        return Some((relation, by, uniqueness));
                    }
                    let unfolds = frame.relations[relation].unfolds;
                    (unfolds && links(frame, relation, &reached)).then_some((relation, by, Uniqueness::Many))
                })
                .collect();
            // What doesn't multiply comes first: it may hold columns that make another relation unique.
            let Some((relation, by, uniqueness)) =
                edges.into_iter().min_by_key(|(_, _, uniqueness)| *uniqueness == Uniqueness::Many)
            else {
                return found;
            };
            reached.push(relation);
            if uniqueness == Uniqueness::Many {
                let it = &frame.relations[relation];
                let column = |column: &usize| it.columns.get(*column).and_then(|column| column.name.clone());
                found.push(Multiplication {
                    relation: it.name.clone(),
                    by: by.iter().filter_map(column).collect(),
                    span: it.span,
                });
            }
        }
    }

    /// Two relations that each have many rows for one of a third, and nothing to do with each other: every row of one
    /// is combined with every row of the other, so that not even counting rows means anything.
    fn crossed_branches(&self, frame: &Frame) -> Vec<Multiplication> {
        let count = frame.relations.len();
        if count < 3 || (0..count).any(|root| self.multipliers(frame, &[root]).is_empty()) {
            return Vec::new();
        }
        let crossed = |root: usize| {
            let direct: Vec<usize> = (0..count)
                .filter(|&relation| relation != root)
                .filter(|&relation| {
                    let by = joined_by(frame, relation, &[root]);
                    !by.is_empty() && self.is_unique(frame, relation, &by) == Uniqueness::Many
                })
                .collect();
            let connected = |one: usize, other: usize| {
                frame.links.iter().any(|&(left, right)| (left, right) == (one, other) || (right, left) == (one, other))
            };
            let apart = direct
                .iter()
                .enumerate()
                .any(|(position, &one)| direct[position + 1..].iter().any(|&other| !connected(one, other)));
            apart.then(|| self.multipliers(frame, &[root]))
        };
        (0..count).find_map(crossed).unwrap_or_default()
    }

    /// Sets of a select's result columns, by position, that no two of its rows share.
    pub(super) fn keys_of(&self, select: &Select) -> Vec<Vec<usize>> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        let outputs = &frame.results;
        let at = |place: Place| outputs.iter().position(|output| output.place == Some(place));
        let mut keys = Vec::new();
        if let GroupByExpr::Expressions(expressions, _) = &select.group_by
            && !expressions.is_empty()
        {
            keys.extend(self.all_projected(select, expressions));
            return keys;
        }
        match &select.distinct {
            Some(Distinct::Distinct) => keys.push((0..outputs.len()).collect()),
            Some(Distinct::On(expressions)) => keys.extend(self.all_projected(select, expressions)),
            _ => {}
        }
        keys.extend(self.numbered(select));
        for relation in 0..frame.relations.len() {
            if !self.multipliers(frame, &[relation]).is_empty() || !reaches_all(frame, relation) {
                continue;
            }
            keys.extend(self.keys_of_relation(frame, relation).into_iter().filter_map(|key| {
                key.into_iter().map(|column| at((relation, column))).collect::<Option<Vec<usize>>>()
            }));
        }
        keys
    }

    /// Result columns, by position, whose rows the joins of the select repeat, with the join.
    pub(super) fn repeated(&self, select: &Select) -> Vec<(usize, Multiplication)> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        if has_group_by(select) || select.distinct.is_some() || select.qualify.is_some() {
            return Vec::new();
        }
        // A number of the row may be what a query around this one picks rows by.
        let numbers_rows = select.projection.iter().filter_map(expression_of).any(is_windowed);
        if numbers_rows {
            return Vec::new();
        }
        let plain = frame.results.len() == select.projection.len();
        let mut found = Vec::new();
        for (at, output) in frame.results.iter().enumerate() {
            let places = match (output.place, select.projection.get(at).filter(|_| plain).and_then(expression_of)) {
                (Some(place), _) => vec![place],
                (None, Some(expression)) => self.places_in(expression),
                (None, None) => continue,
            };
            let mut relations: Vec<usize> = places.iter().map(|place| place.0).collect();
            relations.sort_unstable();
            relations.dedup();
            if relations.is_empty() {
                continue;
            }
            let here = self.multipliers(frame, &relations).into_iter().next();
            found.extend(here.or_else(|| repeated_before(frame, &places)).map(|multiplied| (at, multiplied)));
        }
        found
    }

    /// The columns of the innermost frame that stand anywhere in something.
    fn places_in(&self, node: &impl Visit) -> Vec<Place> {
        let mut places = Vec::new();
        let _ = sqlparser::ast::visit_expressions(node, |inner: &Expr| {
            if matches!(inner, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                places.extend(self.place(inner));
            }
            std::ops::ControlFlow::<()>::Continue(())
        });
        places
    }

    /// Result columns, by position, that hold a value in several rows: those of a select that takes rows of one table as
    /// they are.
    pub(super) fn repeating(&self, select: &Select) -> Vec<usize> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        let [relation] = frame.relations.as_slice() else { return Vec::new() };
        if relation.table.is_none() || has_group_by(select) || select.distinct.is_some() || select.qualify.is_some() {
            return Vec::new();
        }
        let repeats = |place: &Place| self.is_unique(frame, 0, &[place.1]) == Uniqueness::Many;
        let places = frame.results.iter().enumerate().filter_map(|(at, output)| Some((at, output.place?)));
        places.filter(|(_, place)| repeats(place)).map(|(at, _)| at).collect()
    }

    /// The keys of a relation, by position: of a table its primary key, and those that one column of the result makes.
    fn keys_of_relation(&self, frame: &Frame, position: usize) -> Vec<Vec<usize>> {
        let (relation, results) = (&frame.relations[position], &frame.results);
        let Some(table) = &relation.table else { return relation.keys.as_ref().clone() };
        let names: Vec<&str> = relation.columns.iter().filter_map(|column| column.name.as_deref()).collect();
        let shown = |column: usize| results.iter().any(|output| output.place == Some((position, column)));
        let single = names.iter().enumerate().filter(|(column, name)| {
            shown(*column)
                && self.schema.uniqueness(table, Held { columns: &[name], ..Held::default() }) == Uniqueness::One
        });
        let mut keys: Vec<Vec<usize>> = single.map(|(column, _)| vec![column]).collect();
        keys.extend(self.schema.primary_key(table).map(|key| {
            key.iter().filter_map(|column| names.iter().position(|name| name.eq_ignore_ascii_case(column))).collect()
        }));
        keys
    }

    /// Positions in the select list at which all these expressions stand.
    fn all_projected(&self, select: &Select, expressions: &[Expr]) -> Option<Vec<usize>> {
        let outputs = &self.frames.last()?.results;
        let plain = outputs.len() == select.projection.len();
        expressions
            .iter()
            .map(|expression| {
                let meant = self.group_expression(select, expression);
                let by_place =
                    self.place(meant).and_then(|place| outputs.iter().position(|output| output.place == Some(place)));
                by_place.or_else(|| {
                    select.projection.iter().position(|item| expression_of(item) == Some(meant)).filter(|_| plain)
                })
            })
            .collect()
    }

    /// `row_number() OVER (PARTITION BY …)` makes a key together with what it partitions by.
    fn numbered(&self, select: &Select) -> Vec<Vec<usize>> {
        let outputs = self.frames.last().map_or(&[][..], |frame| &frame.results);
        let behind = outputs.len().saturating_sub(select.projection.len());
        let mut keys = Vec::new();
        for (position, item) in select.projection.iter().enumerate() {
            let Some(Expr::Function(function)) = expression_of(item) else { continue };
            let Some(sqlparser::ast::WindowType::WindowSpec(window)) = &function.over else { continue };
            let name = function.name.to_string();
            // Stars before it move it: they are counted as long as they stand first.
            let stars_first = select.projection[..position].iter().all(|item| expression_of(item).is_none());
            let place = if stars_first { position + behind } else { position };
            let moved = behind > 0 && !stars_first;
            if name.eq_ignore_ascii_case("row_number") && !moved {
                keys.extend(self.all_projected(select, &window.partition_by).map(|mut key| {
                    key.push(place);
                    key
                }));
            }
        }
        keys
    }
}

/// The columns of `relation` that are equal to columns of those reached.
fn joined_by(frame: &Frame, relation: usize, reached: &[usize]) -> Vec<usize> {
    let mut by: Vec<usize> = frame
        .equalities
        .iter()
        .flat_map(|&[one, other]| [(one, other), (other, one)])
        .filter(|(own, other)| own.0 == relation && reached.contains(&other.0))
        .map(|(own, _)| own.1)
        .collect();
    by.sort_unstable();
    by.dedup();
    by
}

/// The join, inside the subqueries that these columns come from, that has repeated all of them already.
fn repeated_before(frame: &Frame, places: &[Place]) -> Option<Multiplication> {
    let of = |place: &Place| {
        let repeated = frame.relations.get(place.0)?.repeated.iter().find(|(column, _)| *column == place.1)?;
        Some(repeated.1.clone())
    };
    let all: Vec<Multiplication> = places.iter().map(of).collect::<Option<_>>()?;
    all.into_iter().next()
}

fn is_windowed(expression: &Expr) -> bool {
    matches!(expression, Expr::Function(function) if function.over.is_some())
}

fn links(frame: &Frame, relation: usize, reached: &[usize]) -> bool {
    frame.links.iter().any(|&(left, right)| {
        (left == relation && reached.contains(&right)) || (right == relation && reached.contains(&left))
    })
}

/// Whether equalities lead from one relation to all others that have several rows.
fn reaches_all(frame: &Frame, from: usize) -> bool {
    let mut reached = vec![from];
    loop {
        let next = (0..frame.relations.len())
            .find(|relation| !reached.contains(relation) && !joined_by(frame, *relation, &reached).is_empty());
        match next {
            Some(relation) => reached.push(relation),
            None => break,
        }
    }
    (0..frame.relations.len()).all(|relation| {
        let it = &frame.relations[relation];
        reached.contains(&relation) || it.single_row || it.filters
    })
}

pub(super) fn expression_of(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => Some(expression),
        _ => None,
    }
}

/// The columns of a base table that conditions or the grouping hold at one value, if an aggregate is over nothing else.
fn held(frame: &Frame, relations: &[usize]) -> Option<Vec<String>> {
    let &[relation] = relations else { return None };
    let of = &frame.relations[relation];
    of.table.as_ref()?;
    let places = frame.grouped.iter().chain(frame.fixed.iter().map(|(place, _)| place));
    let places = places.chain(frame.equalities.iter().flatten()).filter(|place| place.0 == relation);
    Some(places.filter_map(|place| of.columns.get(place.1)?.name.clone()).collect())
}

fn is_distinct(function: &Function) -> bool {
    use sqlparser::ast::{DuplicateTreatment, FunctionArguments};
    match &function.args {
        FunctionArguments::List(list) => list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
        _ => false,
    }
}

fn sole_argument(function: &Function) -> Option<&Expr> {
    use sqlparser::ast::{FunctionArg, FunctionArgExpr, FunctionArguments};
    match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(expression))] => Some(expression),
            _ => None,
        },
        _ => None,
    }
}
