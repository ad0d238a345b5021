//! Queries: WITH and recursion, set operations, VALUES, and what comes after them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use dialect::Clause;
use sqlparser::ast::{
    Cte as CteNode, Expr, Fetch, FormatClause, GroupByExpr, LimitClause, LockType, ObjectName, ObjectNamePart, OrderBy,
    OrderByExpr, OrderByKind, OrderBySort, Query, Select, SetExpr, SetOperator, SetQuantifier, Value, With,
};

use super::scope::{Cte, CteState, Flow, Frame, Output, Relation, ResultShape};
use super::written::CteMentions;
use super::{MAXIMUM_CTES, Resolver};
use crate::parser::Idents as _;
use crate::reading::{
    Argument, EffectKind, FunctionPlace, FunctionUse, LiteralKind, LiteralValue, Origin, ProblemKind, Recursion,
    RecursionBound, TableUse, TableUseKind,
};

/// What a set operation or a select leaves for ORDER BY and LIMIT.
enum Body {
    /// A select whose frame is still open.
    Open(ResultShape),
    /// Anything else: only result names can be seen.
    Closed(ResultShape),
}

impl Resolver<'_> {
    /// The outermost query, whose LIMIT and aggregation the reading tells.
    pub(super) fn outermost(&mut self, query: &Query) -> ResultShape {
        self.reading.has_order_by = query.order_by.is_some();
        let top = query.body.as_select().and_then(|select| select.top.as_ref());
        self.reading.has_limit =
            query.limit_clause.as_ref().is_some_and(limits) || query.fetch.is_some() || top.is_some();
        self.reading.limit = outer_limit(query);
        let shape = self.query(query);
        let grouped = query.body.as_select().is_some_and(has_group_by);
        self.reading.is_aggregate =
            grouped || shape.outputs.iter().any(|output| output.flow.origin() == Origin::Aggregated);
        shape
    }

    /// Reads a query and says what it yields.
    pub(super) fn query(&mut self, query: &Query) -> ResultShape {
        self.note(query);
        self.queries += 1;
        let outer_ctes = self.ctes.len();
        if let Some(with) = &query.with {
            self.with(with);
        }
        let body = self.body(&query.body, None);
        let mut shape = match body {
            Body::Open(shape) => {
                self.tail(query);
                self.leave_select();
                shape
            }
            Body::Closed(shape) => {
                let outputs = Relation { unknown: shape.unknown(), ..shape.relation(shape.outputs.clone()) };
                self.tail_over(outputs, query);
                shape
            }
        };
        self.clauses_that_act(query);
        if outer_limit(query).is_some_and(|limit| limit <= 1) {
            shape.single_row = true;
        }
        self.ctes.truncate(outer_ctes);
        self.queries -= 1;
        shape
    }

    /// The same where names are columns of the result.
    fn tail_over(&mut self, result: Relation, query: &Query) {
        let mut frame = Frame::new(Clause::OrderBy);
        frame.relations.push(result);
        self.frames.push(frame);
        self.tail(query);
        self.frames.pop();
    }

    /// ORDER BY, LIMIT, FETCH.
    fn tail(&mut self, query: &Query) {
        if let Some(order_by) = &query.order_by {
            self.enter(Clause::OrderBy);
            self.order_by(order_by);
        }
        self.enter(Clause::Limit);
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                let flow = self.all(limit.iter().chain(offset.as_ref().map(|offset| &offset.value)));
                self.note_sizes(&flow);
                self.enter(Clause::OrderBy);
                self.expressions(limit_by);
                limit_by.iter().for_each(|expression| self.note_ordinal(expression));
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                let flow = self.all([offset, limit]);
                self.note_sizes(&flow);
            }
            None => {}
        }
        let has_ties = matches!(&query.fetch, Some(Fetch { with_ties: true, .. }));
        if query.limit_clause.is_some() || query.fetch.is_some() {
            let limit = outer_limit(query).filter(|_| !has_ties).map_or(f64::INFINITY, |limit| limit as f64);
            self.reading.largest_limit = self.reading.largest_limit.max(limit);
        }
        if let Some(Fetch { quantity: Some(quantity), .. }) = &query.fetch {
            let flow = self.expression(quantity);
            self.note_sizes(&flow);
        }
    }

    /// Clauses of a query that do something besides reading.
    fn clauses_that_act(&mut self, query: &Query) {
        for lock in &query.locks {
            let word = match lock.lock_type {
                LockType::Share => "SHARE",
                LockType::Update => "UPDATE",
            };
            self.effect(EffectKind::Lock, format!("`FOR {word}` locks the rows it reads"), None);
        }
        for setting in query.settings.iter().flatten() {
            self.effect(
                EffectKind::Setting,
                format!("`SETTINGS {}` changes a setting for the statement", setting.key.value),
                self.ident_span(&setting.key),
            );
            self.expression(&setting.value);
        }
        if query.for_clause.is_some() {
            self.effect(EffectKind::NotUnderstood, "`FOR XML`, `FOR JSON` and `FOR BROWSE` are not known".into(), None);
        }
        if let Some(FormatClause::Identifier(format)) = &query.format_clause {
            let what = format!("`FORMAT {}` changes how the result is written", format.value);
            self.effect(EffectKind::NotUnderstood, what, self.ident_span(format));
        } else if query.format_clause.is_some() {
            self.effect(EffectKind::NotUnderstood, "`FORMAT NULL` drops the result".into(), None);
        }
        if !query.pipe_operators.is_empty() {
            self.effect(EffectKind::NotUnderstood, "the pipe syntax `|>` is not known".into(), None);
        }
    }

    pub(super) fn with(&mut self, with: &With) {
        let names: Vec<String> = with.cte_tables.iter().map(|cte| self.syntax.fold(&cte.alias.name)).collect();
        if self.ctes.len() + names.len() > MAXIMUM_CTES {
            return self.problem(ProblemKind::TooComplex, None);
        }
        self.named_before(with);
        let recursive = with.recursive || self.syntax.recursion_without_keyword;
        for (cte, name) in with.cte_tables.iter().zip(names) {
            self.common_table(cte, name, recursive);
        }
    }

    /// Refuses common table expressions that are named before they are defined: engines differ in what that means, and in
    /// how they compare such names.
    fn named_before(&mut self, with: &With) {
        let mut later: Vec<String> = with.cte_tables.iter().map(|cte| cte.alias.name.value.to_lowercase()).collect();
        later.reverse();
        for cte in &with.cte_tables {
            later.pop();
            if later.is_empty() || !self.afford(later.len()) {
                return;
            }
            let mut found: Vec<ObjectName> = Vec::new();
            let _ = sqlparser::ast::visit_relations(&cte.query, |name: &ObjectName| {
                if let [ObjectNamePart::Identifier(ident)] = name.0.as_slice()
                    && later.contains(&ident.value.to_lowercase())
                {
                    found.push(name.clone());
                }
                ControlFlow::<()>::Continue(())
            });
            for name in found {
                let (what, span) = (format!("`{name}` is named before it is defined"), self.name_span(&name));
                self.effect(EffectKind::NotUnderstood, what, span);
            }
        }
    }

    fn common_table(&mut self, cte: &CteNode, name: String, recursive: bool) {
        if cte.from.is_some() {
            self.effect(EffectKind::NotUnderstood, "`FROM` after a common table expression is not known".into(), None);
        }
        if cte.alias.columns.iter().any(|column| column.data_type.is_some()) {
            self.not_understood(vec![format!("the type of a column of `{name}`")]);
        }
        let (position, number) = (self.ctes.len(), self.cte_mentions.len());
        self.cte_mentions.push(CteMentions::default());
        if recursive {
            self.ctes.push(Cte { name: name.clone(), number, state: CteState::Forming(None), self_references: 0 });
        }
        let renamed: Vec<String> = cte.alias.columns.iter().map(|column| self.syntax.fold(&column.name)).collect();
        let (since, tables) = (self.uses_so_far(), self.reading.tables.len());
        let mut shape = self.cte_body(&cte.query, position, &renamed, recursive);
        let names_itself = |used: &TableUse| {
            used.kind != TableUseKind::Cte && matches!(used.parts.as_slice(), [only] if self.syntax.same(only, &name))
        };
        if recursive && self.reading.tables[tables..].iter().any(names_itself) {
            let what = format!("`{name}` refers to itself in a form that is not known");
            self.effect(EffectKind::NotUnderstood, what, self.ident_span(&cte.alias.name));
        }
        if shape.unsure_order && !renamed.is_empty() {
            mingle(&mut shape.outputs);
        }
        rename(&mut shape.outputs, &renamed);
        let self_references = if recursive { self.ctes[position].self_references } else { 0 };
        if self_references > 0 {
            self.uses_are_of_rounds(since);
            let bound = self.recursion_bound(&cte.query, &name);
            let span = self.ident_span(&cte.alias.name);
            let is_all =
                |body: &SetExpr| matches!(body, SetExpr::SetOperation { set_quantifier: SetQuantifier::All, .. });
            let remembers = !is_all(&cte.query.body);
            self.reading.recursions.push(Recursion { name: name.clone(), bound, remembers, span });
            shape.single_row = false;
            shape.keys.clear();
            shape.repeating.clear();
            shape.repeated.clear();
        }
        self.cte_mentions[number].tables = tables..self.reading.tables.len();
        self.ctes.truncate(position);
        self.ctes.push(Cte { name, number, state: CteState::Ready(Box::new(Relation::of(shape))), self_references });
    }

    /// A body that may refer to itself: its first part gives the columns that the others see.
    fn cte_body(&mut self, query: &Query, position: usize, renamed: &[String], recursive: bool) -> ResultShape {
        let is_union = matches!(query.body.as_ref(), SetExpr::SetOperation { .. });
        if !recursive || !is_union || query.with.is_some() {
            return self.query(query);
        }
        self.note(query);
        let body = self.body(&query.body, Some((position, renamed)));
        let Body::Closed(shape) = body else { return ResultShape::default() };
        let mut seen = shape.outputs.clone();
        rename(&mut seen, renamed);
        seen.extend(shape.outputs.iter().cloned());
        self.tail_over(shape.relation(seen), query);
        self.clauses_that_act(query);
        shape
    }

    /// What keeps a recursion from going on for ever, as far as the text shows it.
    fn recursion_bound(&self, query: &Query, name: &str) -> RecursionBound {
        if query.limit_clause.as_ref().is_some_and(limits) {
            return RecursionBound::Limit(outer_limit(query));
        }
        let SetExpr::SetOperation { right, .. } = query.body.as_ref() else { return RecursionBound::None };
        let mut bound = RecursionBound::None;
        for select in selects(right) {
            let factors = select
                .from
                .iter()
                .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
            let mut joins_other = false;
            for factor in factors {
                if let sqlparser::ast::TableFactor::Table { name: table, .. } = factor {
                    let last = table.0.last().and_then(|part| part.as_ident()).map(|ident| self.syntax.fold(ident));
                    joins_other |= last.is_some_and(|last| !self.syntax.same(&last, name));
                }
            }
            // A walk ends with the rows that are there, whatever else is asked of them.
            if joins_other {
                bound = RecursionBound::Walk;
            } else if let Some(condition) = select.selection.as_ref().filter(|condition| mentions_a_name(condition)) {
                bound = RecursionBound::Condition(largest_number(condition));
            }
        }
        bound
    }

    fn body(&mut self, body: &SetExpr, forming: Option<(usize, &[String])>) -> Body {
        match body {
            SetExpr::Select(select) => {
                let shape = self.select(select);
                if forming.is_some() {
                    self.leave_select();
                    return Body::Closed(shape);
                }
                Body::Open(shape)
            }
            SetExpr::Query(query) => Body::Closed(self.query(query)),
            SetExpr::SetOperation { op, left, right, set_quantifier } => {
                let left_shape = self.closed_body(left, forming);
                let by_name = matches!(
                    set_quantifier,
                    SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName
                );
                let before: Vec<Vec<u32>> = left_shape.outputs.iter().map(|it| it.flow.sources.clone()).collect();
                if let Some((position, renamed)) = forming
                    && let Some(cte) = self.ctes.get_mut(position)
                    && matches!(cte.state, CteState::Forming(None))
                {
                    let mut columns = left_shape.outputs.clone();
                    if left_shape.unsure_order && !renamed.is_empty() {
                        mingle(&mut columns);
                    }
                    rename(&mut columns, renamed);
                    cte.state = CteState::Forming(Some(Rc::new(columns)));
                }
                let right_shape = self.closed_body(right, None);
                let shifts = forming.is_some() && shifts_columns(&left_shape, &right_shape);
                // Whether a row of one side is among those of the other tells whether values are equal.
                let hands_on = *op == SetOperator::Union
                    && matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
                if !hands_on {
                    let outputs = left_shape.outputs.iter().chain(&right_shape.outputs);
                    outputs.for_each(|output| self.note_use(&output.flow, None));
                }
                let mut shape = self.united(left_shape, right_shape, by_name);
                // A recursion can carry a value from column to column, further with each round.
                let changed = shape.outputs.iter().zip(&before).any(|(output, before)| output.flow.sources != *before);
                if forming.is_some() && changed && (self.is_strict() || shifts) {
                    mingle(&mut shape.outputs);
                }
                Body::Closed(shape)
            }
            SetExpr::Values(values) => Body::Closed(self.values(values)),
            SetExpr::Insert(written)
            | SetExpr::Update(written)
            | SetExpr::Delete(written)
            | SetExpr::Merge(written)
                if !self.is_strict() =>
            {
                Body::Closed(self.returned(written))
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                self.effect(EffectKind::Write, "a part of the query writes rows".to_owned(), None);
                Body::Closed(ResultShape { open: true, ..ResultShape::default() })
            }
            SetExpr::Table(table) => {
                // The parser passes over what comes behind the name: `(TABLE orders FOR UPDATE)`.
                let what = "`TABLE name` is not known; write `SELECT * FROM name`".to_owned();
                self.effect(EffectKind::NotUnderstood, what, None);
                let parts: Vec<String> =
                    [&table.schema_name, &table.table_name].into_iter().flatten().cloned().collect();
                let relation = self.base_table(&parts, None, None);
                let outputs = relation.columns.as_ref().clone();
                Body::Closed(ResultShape { outputs, open: relation.open, ..ResultShape::default() })
            }
        }
    }

    fn closed_body(&mut self, body: &SetExpr, forming: Option<(usize, &[String])>) -> ResultShape {
        match self.body(body, forming) {
            Body::Open(shape) => {
                self.leave_select();
                shape
            }
            Body::Closed(shape) => shape,
        }
    }

    /// Columns of a set operation: the names of the first part, the sources of both.
    fn united(&mut self, left: ResultShape, right: ResultShape, by_name: bool) -> ResultShape {
        if !by_name {
            let pairs: Vec<(u32, u32)> = left
                .outputs
                .iter()
                .zip(&right.outputs)
                .filter_map(|(one, other)| {
                    let are_columns = [one, other].iter().all(|output| output.flow.origin() == Origin::Column);
                    match (one.flow.sources.as_slice(), other.flow.sources.as_slice()) {
                        ([one], [other]) if are_columns => Some((*one, *other)),
                        _ => None,
                    }
                })
                .collect();
            pairs.into_iter().for_each(|(one, other)| self.note_mingled(one, other, None));
        }
        let mut outputs = left.outputs;
        // Where not all columns are known, nobody can say which of the two sides belong together.
        let (open, unsure_order) = (left.open || right.open, left.unsure_order || right.unsure_order);
        if !self.is_strict() {
            return ResultShape {
                outputs: united_by_place(outputs, right.outputs, by_name),
                open,
                ..ResultShape::default()
            };
        }
        if open && outputs.len() != right.outputs.len() || by_name || unsure_order {
            let all = outputs.iter().chain(&right.outputs).fold(Flow::default(), |flow, it| flow.join(&it.flow));
            if by_name || outputs.len() != right.outputs.len() {
                let names: Vec<Option<String>> = outputs.iter().map(|output| output.name.clone()).collect();
                outputs.extend(right.outputs.into_iter().filter(|output| !names.contains(&output.name)));
            }
            outputs.iter_mut().for_each(|output| output.flow = all.clone());
            return ResultShape { outputs, open, unsure_order, ..ResultShape::default() };
        }
        for (output, other) in outputs.iter_mut().zip(&right.outputs) {
            self.afford(output.flow.sources.len() + other.flow.sources.len());
            let both_columns = output.flow.origin() == Origin::Column && other.flow.origin() == Origin::Column;
            if both_columns && output.flow.sources == other.flow.sources {
                continue;
            }
            output.flow = std::mem::take(&mut output.flow).join(&other.flow);
        }
        ResultShape { outputs, open, ..ResultShape::default() }
    }

    fn values(&mut self, values: &sqlparser::ast::Values) -> ResultShape {
        self.frames.push(Frame::new(Clause::Select));
        let mut outputs: Vec<Output> = Vec::new();
        for row in &values.rows {
            for (position, value) in row.content.iter().enumerate() {
                let flow = self.expression(value).computed();
                match outputs.get_mut(position) {
                    Some(output) => output.flow = std::mem::take(&mut output.flow).join(&flow),
                    None => {
                        let name =
                            self.syntax.values_columns.map(|(prefix, first)| format!("{prefix}{}", position + first));
                        outputs.push(Output { name, named: true, flow, place: None });
                    }
                }
            }
        }
        self.frames.pop();
        let (open, single_row) = (self.syntax.values_columns.is_none(), values.rows.len() <= 1);
        ResultShape { outputs, open, single_row, ..ResultShape::default() }
    }

    fn order_by(&mut self, order_by: &OrderBy) {
        match &order_by.kind {
            OrderByKind::Expressions(expressions) => {
                for order in expressions {
                    self.order_by_expression(order);
                    self.note_order(order);
                }
            }
            OrderByKind::All(_) => self.note_all_results(),
        }
        for interpolated in order_by.interpolate.iter().flat_map(|interpolate| interpolate.exprs.iter().flatten()) {
            self.expressions(&interpolated.expr);
        }
    }

    pub(super) fn order_by_expression(&mut self, order: &OrderByExpr) {
        self.expression(&order.expr);
        if let Some(OrderBySort::Using(_)) = &order.options.sort {
            self.effect(EffectKind::NotUnderstood, "`ORDER BY … USING` names an operator".to_owned(), None);
        }
        if let Some(fill) = &order.with_fill {
            // Rows are made up to fill the gaps: as many as of a series.
            let flow = self.all(fill.from.iter().chain(&fill.to).chain(&fill.step));
            self.note_sizes(&flow);
            let zero = LiteralValue { text: "0".to_owned(), kind: LiteralKind::Number };
            let bound = |bound: Option<&Expr>| match bound {
                Some(bound) => self.argument_literal(bound).map_or(Argument::Expression, Argument::Literal),
                None => Argument::Literal(zero.clone()),
            };
            let mut arguments = vec![bound(fill.from.as_ref()), bound(fill.to.as_ref())];
            arguments.extend(fill.step.as_ref().map(|step| bound(Some(step))));
            let (path, place) = (vec!["range".to_owned()], FunctionPlace::Table);
            self.reading.functions.push(FunctionUse { path, place, arguments, span: None });
        }
    }
}

/// Whether the second part of a recursion hands a column on in the place of another one.
fn shifts_columns(first: &ResultShape, second: &ResultShape) -> bool {
    second.outputs.iter().enumerate().any(|(place, output)| {
        let own = first.outputs.get(place).map(|own| own.flow.sources.as_slice()).unwrap_or_default();
        let of_others = |source: &u32| {
            let mut others = first.outputs.iter().enumerate().filter(|(other, _)| *other != place);
            others.any(|(_, other)| other.flow.sources.contains(source))
        };
        output.flow.sources.iter().any(|source| !own.contains(source) && of_others(source))
    })
}

/// Columns of a set operation, each with what stands in its place, or has its name, on the other side.
fn united_by_place(mut outputs: Vec<Output>, others: Vec<Output>, by_name: bool) -> Vec<Output> {
    let before = outputs.len();
    for (place, other) in others.into_iter().enumerate() {
        let same = match by_name {
            true => outputs[..before].iter().position(|output| output.name == other.name),
            false => Some(place).filter(|place| *place < before),
        };
        match same {
            Some(same) => outputs[same].flow = std::mem::take(&mut outputs[same].flow).united(&other.flow),
            None => outputs.push(other),
        }
    }
    outputs
}

/// Says of each column that it is made from what all of them are made from.
pub(super) fn mingle(outputs: &mut [Output]) {
    let all = outputs.iter().fold(Flow::default(), |flow, output| flow.join(&output.flow));
    outputs.iter_mut().for_each(|output| output.flow = all.clone());
}

/// Says of columns that may be mistaken for each other that each is made from what all of them are. Where a name stands
/// twice, engines give columns names of their own, `x:1` or `x_1`, which may be names of other columns again.
pub(super) fn mingle_namesakes(columns: &mut Rc<Vec<Output>>) {
    let mut by_stem: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for (position, column) in columns.iter().enumerate() {
        if let Some(name) = &column.name {
            let name = name.trim().to_lowercase();
            let stem = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == ':' || it == '_').to_owned();
            by_stem.entry(stem).or_default().push((name, position));
        }
    }
    for alike in by_stem.values_mut() {
        alike.sort_unstable();
        if alike.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            continue;
        }
        let sources = |of: &(String, usize)| &columns[of.1].flow.sources;
        if alike.windows(2).all(|pair| sources(&pair[0]) == sources(&pair[1])) {
            continue;
        }
        let all = alike.iter().fold(Flow::default(), |flow, (_, it)| flow.join(&columns[*it].flow));
        let columns = Rc::make_mut(columns);
        alike.iter().for_each(|(_, it)| columns[*it].flow = all.clone());
    }
}

/// Gives columns the names of an alias's column list.
pub(super) fn rename(outputs: &mut [Output], names: &[String]) {
    for (output, name) in outputs.iter_mut().zip(names) {
        output.name = Some(name.clone());
        output.named = true;
    }
}

pub(super) fn has_group_by(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(expressions, _) => !expressions.is_empty(),
    }
}

/// What rows are grouped by, as it is written.
pub(super) fn group_expressions(select: &Select) -> Vec<&Expr> {
    match &select.group_by {
        GroupByExpr::All(_) => Vec::new(),
        GroupByExpr::Expressions(expressions, _) => expressions.iter().collect(),
    }
}

/// Whether the clause limits, and doesn't only skip.
fn limits(clause: &LimitClause) -> bool {
    match clause {
        // -1 is no limit to SQLite.
        LimitClause::LimitOffset { limit, .. } => {
            limit.as_ref().is_some_and(|limit| !matches!(limit, Expr::UnaryOp { .. }))
        }
        LimitClause::OffsetCommaLimit { .. } => true,
    }
}

/// The number in a query's LIMIT, FETCH or TOP.
fn outer_limit(query: &Query) -> Option<u64> {
    let number = |expression: &Expr| match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => text.parse().ok(),
            _ => None,
        },
        _ => None,
    };
    let from_clause = match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit, .. }) => limit.as_ref().and_then(number),
        Some(LimitClause::OffsetCommaLimit { limit, .. }) => number(limit),
        None => None,
    };
    let from_fetch = || match &query.fetch {
        Some(Fetch { quantity: Some(quantity), percent: false, .. }) => number(quantity),
        Some(Fetch { quantity: None, .. }) => Some(1),
        _ => None,
    };
    from_clause.or_else(from_fetch)
}

/// The selects of a set operation.
fn selects(body: &SetExpr) -> Vec<&Select> {
    let mut open = vec![body];
    let mut found = Vec::new();
    while let Some(body) = open.pop() {
        match body {
            SetExpr::Select(select) => found.push(select.as_ref()),
            SetExpr::Query(query) => open.push(&query.body),
            SetExpr::SetOperation { left, right, .. } => open.extend([left.as_ref(), right.as_ref()]),
            _ => {}
        }
    }
    found
}

/// The largest number written anywhere in an expression.
fn largest_number(expression: &Expr) -> Option<u64> {
    let mut largest: Option<u64> = None;
    let _ = sqlparser::ast::visit_expressions(expression, |inner: &Expr| {
        if let Expr::Value(value) = inner
            && let Value::Number(text, _) = &value.value
            && let Ok(number) = text.parse::<f64>()
        {
            largest = largest.max(Some(number as u64));
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    largest
}

fn mentions_a_name(expression: &Expr) -> bool {
    let mut mentions = false;
    let _ = sqlparser::ast::visit_expressions(expression, |inner: &Expr| {
        mentions |= matches!(inner, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        std::ops::ControlFlow::<()>::Continue(())
    });
    mentions
}
