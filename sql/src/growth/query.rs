//! Queries: what their rows and columns can be at most, through FROM, set operations and recursion.

use std::rc::Rc;

use dialect::Syntax;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, Fetch, FunctionArg, FunctionArgExpr, GroupByExpr, GroupByWithModifier, LimitClause,
    NamedWindowDefinition, NamedWindowExpr, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, Spanned, TableFactor, Value, WindowSpec,
};

use super::bound::Bound;
use super::functions::series;
use super::joined::equalities;
use super::{Frame, Measure, Relation, Rows, stored};
use crate::parser::Idents as _;
use crate::reading::GrowthKind;

/// Columns that are followed in one relation.
const MOST_COLUMNS: usize = 2_000;

/// What a query yields.
#[derive(Clone, Default)]
pub(super) struct Yield {
    pub(super) columns: Vec<(Option<String>, Bound)>,
    pub(super) rows: Option<Rows>,
    pub(super) open: bool,
    /// Whether a column of a query around it is held against one of its own.
    pub(super) is_correlated: bool,
}

impl Yield {
    pub(super) fn rows(&self) -> Rows {
        self.rows.unwrap_or(Rows::ONE)
    }

    /// All columns as one value.
    pub(super) fn any(&self) -> Bound {
        let mut columns = self.columns.iter().map(|(_, bound)| bound);
        let first = columns.next().cloned().unwrap_or_else(|| stored(super::ASSUMED_BYTES));
        columns.fold(first, |any, bound| any.or(bound))
    }

    pub(super) fn relation(self, name: String) -> Relation {
        let open = self.open.then(|| stored(super::ASSUMED_BYTES));
        Relation { name, columns: Rc::new(self.columns), open }
    }
}

impl<'q> Measure<'_, 'q> {
    pub(super) fn query(&mut self, query: &'q Query) -> Yield {
        let ctes = self.ctes.len();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.common_table(cte);
        }
        self.frames.push(Frame::default());
        let mut yielded = self.body(&query.body);
        self.tail(query, &mut yielded);
        self.frames.pop();
        self.ctes.truncate(ctes);
        yielded
    }

    fn body(&mut self, body: &'q SetExpr) -> Yield {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { op, left, right, set_quantifier } => {
                // All but `UNION ALL` keep the different rows of both sides.
                let compares = !matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
                let outer = self.compares_rows;
                self.compares_rows |= compares;
                let left = self.inner(left);
                let right = self.inner(right);
                self.compares_rows = outer;
                united(left, right, *op)
            }
            SetExpr::Values(values) => {
                let mut columns: Vec<(Option<String>, Bound)> = Vec::new();
                for row in &values.rows {
                    for (position, value) in row.content.iter().enumerate() {
                        let bound = self.value(value);
                        match columns.get_mut(position) {
                            Some((_, column)) => *column = column.or(&bound),
                            None => {
                                let name = self.syntax.values_columns;
                                let name = name.map(|(prefix, first)| format!("{prefix}{}", position + first));
                                columns.push((name, bound));
                            }
                        }
                    }
                }
                Yield { columns, rows: Some(Rows::made(values.rows.len() as f64)), ..Yield::default() }
            }
            SetExpr::Table(_) | SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Yield { open: true, ..Yield::default() }
            }
        }
    }

    /// One side of a set operation, in a frame of its own.
    pub(super) fn inner(&mut self, body: &'q SetExpr) -> Yield {
        self.frames.push(Frame::default());
        let yielded = self.body(body);
        self.frames.pop();
        yielded
    }

    fn tail(&mut self, query: &'q Query, yielded: &mut Yield) {
        if !matches!(query.body.as_ref(), SetExpr::Select(_))
            && let Some(frame) = self.frames.last_mut()
        {
            let relation = Relation { columns: Rc::new(yielded.columns.clone()), ..Relation::default() };
            *frame = Frame { relations: vec![relation], rows: yielded.rows, ..Frame::default() };
        }
        if let Some(OrderByKind::Expressions(orders)) = query.order_by.as_ref().map(|order_by| &order_by.kind) {
            for order in orders {
                let made = self.order(order);
                if let Some(column) = by_number(&order.expr, &yielded.columns) {
                    self.keeps(&column.clone(), self.lines.span(order.span()));
                }
                let rows = yielded.rows();
                yielded.rows = Some(Rows { made: rows.made * made, ..rows });
            }
        }
        let limit = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, .. }) => limit.as_ref(),
            Some(LimitClause::OffsetCommaLimit { limit, .. }) => Some(limit),
            None => None,
        };
        let limit = limit.or(match &query.fetch {
            // Those that are alike come all.
            Some(Fetch { quantity: Some(quantity), percent: false, with_ties: false }) => Some(quantity),
            _ => None,
        });
        if let Some(limit) = limit {
            let limit = self.value(limit);
            if limit.low >= 0.0 && limit.data == 0.0 {
                yielded.rows = Some(yielded.rows().at_most(limit.high));
            }
        }
    }

    /// An item of ORDER BY; how many rows `WITH FILL` makes of one.
    pub(super) fn order(&mut self, order: &'q OrderByExpr) -> f64 {
        let value = self.value(&order.expr);
        self.looks_at_gathered("ORDER BY", value.gathered, self.lines.span(order.span()));
        self.keeps(&value, self.lines.span(order.span()));
        let Some(fill) = &order.with_fill else { return 1.0 };
        let zero = || Bound::number(0.0, 0.0);
        let from = fill.from.as_ref().map_or_else(zero, |from| self.value(from));
        let to = fill.to.as_ref().map_or_else(super::measured, |to| self.value(to));
        let step = fill.step.as_ref().map(|step| self.value(step));
        let rows = series(&from, &to, step.as_ref());
        self.say("WITH FILL", GrowthKind::Rows, rows, 0.0, self.lines.span(order.span()));
        rows
    }

    fn select(&mut self, select: &'q Select) -> Yield {
        // What stands inside is compared for itself.
        let is_compared = std::mem::take(&mut self.compares_rows);
        let yielded = self.selected(select, is_compared || select.distinct.is_some());
        self.compares_rows = is_compared;
        yielded
    }

    fn selected(&mut self, select: &'q Select, is_compared: bool) -> Yield {
        if let Some(frame) = self.frames.last_mut() {
            frame.equalities = equalities(select);
            frame.windows = select.named_window.iter().filter_map(|named| window(named, self.syntax)).collect();
        }
        let mut rows = Rows::ONE;
        for from in &select.from {
            rows = self.table_with_joins(from, rows);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.rows = Some(rows);
            frame.sets = sets(&select.group_by);
        }
        let aliases = select.projection.iter().filter_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => Some((self.syntax.fold(alias), expr, None)),
            _ => None,
        });
        let aliases: Vec<(String, &'q Expr, Option<Bound>)> = aliases.collect();
        if let Some(frame) = self.frames.last_mut() {
            frame.aliases = aliases;
        }
        let mut yielded = Yield::default();
        for item in &select.projection {
            let before = yielded.columns.len();
            self.projected(item, &mut yielded);
            for (_, bound) in &yielded.columns[before..] {
                self.stored_again(bound, 1.0);
            }
        }
        if select.projection.is_empty() {
            self.star(None, &mut yielded);
        }
        for condition in [&select.prewhere, &select.selection].into_iter().flatten() {
            self.held_against(condition, None);
        }
        for condition in [&select.having, &select.qualify].into_iter().flatten() {
            self.value(condition);
        }
        let mut groups = self.frames.last().map_or(1.0, |frame| frame.sets.max(1.0));
        let grouped = match &select.group_by {
            GroupByExpr::All(_) => {
                groups = f64::INFINITY;
                true
            }
            GroupByExpr::Expressions(expressions, _) => {
                for expression in expressions {
                    let key = self.value(expression);
                    let key = by_number(expression, &yielded.columns).cloned().unwrap_or(key);
                    if self.dialect.work().groups_by_sorting {
                        self.keeps(&key, self.lines.span(expression.span()));
                    }
                    groups *= key.values;
                }
                !expressions.is_empty()
            }
        };
        let rows = self.frames.last().map_or(Rows::ONE, Frame::rows);
        self.most_combined = self.most_combined.max(rows.made * rows.pairs);
        let span = select.projection.first().and_then(|first| self.lines.span(first.span()));
        if is_compared {
            let gathered = yielded.columns.iter().map(|(_, bound)| bound.gathered).sum();
            self.looks_at_gathered("DISTINCT", gathered, span);
            for (_, bound) in &yielded.columns {
                self.keeps(bound, span);
            }
        }
        // What all groups collected together is no more than all rows: so much of it is each group's on average. The same
        // goes for what is collected for each row of a query around this one.
        yielded.is_correlated = is_correlated(select, self.syntax);
        let groups = if grouped { groups.min(rows.pairs) } else { f64::INFINITY };
        let sharing = if grouped || yielded.is_correlated { groups.min(rows.pairs) } else { 1.0 };
        let columns = std::mem::take(&mut yielded.columns);
        yielded.columns = columns.into_iter().map(|(name, bound)| (name, bound.given_out(sharing))).collect();
        let aggregated = !grouped && select.projection.iter().any(aggregates);
        let made: f64 = yielded.columns.iter().map(|(_, bound)| (bound.bytes - bound.data).max(0.0)).sum();
        self.say("the statement", GrowthKind::Together, rows.made * self.times, 0.0, span);
        if !aggregated && rows.made * self.times > 1.0 {
            self.say("the statement", GrowthKind::Together, rows.made * self.times * made, 0.0, span);
        }
        let combined = self.combined();
        let rows = Rows { likely: (combined / rows.made).max(1.0), ..rows };
        let different = match select.distinct {
            Some(Distinct::Distinct) if !yielded.open => {
                yielded.columns.iter().map(|(_, bound)| bound.values).product()
            }
            _ => f64::INFINITY,
        };
        yielded.rows = Some(if aggregated { Rows::ONE } else { rows.at_most(groups.min(different)) });
        if grouped && let Some(frame) = self.frames.last_mut() {
            frame.groups = Some(combined.min(groups));
        }
        yielded
    }

    fn projected(&mut self, item: &'q SelectItem, yielded: &mut Yield) {
        match item {
            SelectItem::UnnamedExpr(expression) => {
                let bound = self.value(expression);
                let name = match expression {
                    Expr::Identifier(ident) => Some(self.syntax.fold(ident)),
                    Expr::CompoundIdentifier(parts) => parts.last().map(|part| self.syntax.fold(part)),
                    Expr::Function(function) => function.name.0.last().map(|part| part.to_string().to_lowercase()),
                    _ => None,
                };
                yielded.columns.push((name, bound));
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let name = self.syntax.fold(alias);
                let bound = self.alias(&name).unwrap_or_else(|| self.value(expr));
                yielded.columns.push((Some(name), bound));
            }
            SelectItem::ExprWithAliases { expr, aliases } => {
                let bound = self.value(expr);
                yielded.columns.extend(aliases.iter().map(|alias| (Some(self.syntax.fold(alias)), bound.clone())));
            }
            SelectItem::Wildcard(options) => {
                self.star(None, yielded);
                for item in options.opt_replace.iter().flat_map(|replace| &replace.items) {
                    let bound = self.value(&item.expr);
                    yielded.columns.push((Some(self.syntax.fold(&item.column_name)), bound));
                }
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let last = name.0.last().and_then(|part| part.as_ident()).map(|ident| self.syntax.fold(ident));
                self.star(last.as_deref(), yielded);
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(expression), _) => {
                let bound = self.value(expression);
                yielded.columns.push((None, bound));
                yielded.open = true;
            }
        }
    }

    fn star(&mut self, qualifier: Option<&str>, yielded: &mut Yield) {
        let Some(frame) = self.frames.last() else { return };
        for relation in &frame.relations {
            if qualifier.is_some_and(|qualifier| !self.syntax.same(&relation.name, qualifier)) {
                continue;
            }
            let room = MOST_COLUMNS.saturating_sub(yielded.columns.len());
            yielded.columns.extend(relation.columns.iter().take(room).cloned());
            yielded.open |= relation.open.is_some() || relation.columns.len() > room;
        }
        self.budget = self.budget.saturating_sub(yielded.columns.len());
    }

    pub(super) fn argument(&mut self, argument: &'q FunctionArg) -> Bound {
        let (FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } | FunctionArg::Unnamed(arg)) =
            argument;
        match arg {
            FunctionArgExpr::Expr(expression) => self.value(expression),
            FunctionArgExpr::QualifiedWildcard(_)
            | FunctionArgExpr::Wildcard
            | FunctionArgExpr::WildcardWithOptions(_) => self.whole_rows(),
        }
    }
}

fn united(mut left: Yield, right: Yield, operator: SetOperator) -> Yield {
    for ((_, column), (_, other)) in left.columns.iter_mut().zip(&right.columns) {
        *column = column.or(other);
    }
    let extra = right.columns.len().saturating_sub(left.columns.len());
    let kept = right.columns.len() - extra;
    left.columns.extend(right.columns.iter().skip(kept).cloned());
    let (one, other) = (left.rows(), right.rows());
    let made = if operator == SetOperator::Union { one.made + other.made } else { one.made };
    let (stored, pairs) = (one.stored.max(other.stored), one.pairs.max(other.pairs));
    let (likely, parts) = (one.likely.max(other.likely), one.parts.max(other.parts));
    left.rows = Some(Rows { made, stored, pairs, likely, parts, apart: one.apart.max(other.apart) });
    left.open |= right.open;
    left
}

/// The column that `ORDER BY 1` and the like mean.
fn by_number<'y>(expression: &Expr, columns: &'y [(Option<String>, Bound)]) -> Option<&'y Bound> {
    let Expr::Value(value) = expression else { return None };
    let Value::Number(text, _) = &value.value else { return None };
    columns.get(text.parse::<usize>().ok()?.checked_sub(1)?).map(|(_, bound)| bound)
}

/// Whether a column is held against one that is named with a table that isn't in this query.
fn is_correlated(select: &Select, syntax: &Syntax) -> bool {
    let joins = select.from.iter().flat_map(|from| &from.joins);
    let factors = select.from.iter().map(|from| &from.relation).chain(joins.map(|join| &join.relation));
    let names: Vec<String> = factors
        .filter_map(|factor| match factor {
            TableFactor::Table { name, alias, .. } => Some(match alias {
                Some(alias) => syntax.fold(&alias.name),
                None => syntax.fold(name.0.last()?.as_ident()?),
            }),
            TableFactor::Derived { alias, .. } | TableFactor::NestedJoin { alias, .. } => {
                Some(syntax.fold(&alias.as_ref()?.name))
            }
            _ => None,
        })
        .collect();
    let is_outer = |side: &Expr| match side {
        Expr::CompoundIdentifier(parts) => {
            parts.iter().rev().nth(1).is_some_and(|of| !names.iter().any(|name| syntax.same(name, &syntax.fold(of))))
        }
        _ => false,
    };
    fn holds(condition: &Expr, is_outer: &dyn Fn(&Expr) -> bool) -> bool {
        match condition {
            Expr::Nested(inner) => holds(inner, is_outer),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => holds(left, is_outer) || holds(right, is_outer),
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                let is_column = |side: &Expr| matches!(side, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
                is_column(left) && is_column(right) && is_outer(left) != is_outer(right)
            }
            _ => false,
        }
    }
    select.selection.as_ref().is_some_and(|condition| holds(condition, &is_outer))
}

/// A window with its name.
fn window<'q>(named: &'q NamedWindowDefinition, syntax: &Syntax) -> Option<(String, &'q WindowSpec)> {
    match &named.1 {
        NamedWindowExpr::WindowSpec(window) => Some((syntax.fold(&named.0), window)),
        NamedWindowExpr::NamedWindow(_) => None,
    }
}

/// How many sets of groups a GROUP BY makes at once.
fn sets(group_by: &GroupByExpr) -> f64 {
    let (columns, modifiers) = match group_by {
        GroupByExpr::All(modifiers) => (&[][..], modifiers),
        GroupByExpr::Expressions(columns, modifiers) => (columns.as_slice(), modifiers),
    };
    let cube = |columns: usize| (columns as f64).exp2();
    let of_one = |column: &Expr| match column {
        Expr::Cube(columns) => cube(columns.len()),
        Expr::Rollup(columns) => columns.len() as f64 + 1.0,
        Expr::GroupingSets(sets) => sets.len() as f64,
        _ => 1.0,
    };
    let of_all = |modifier: &GroupByWithModifier| match modifier {
        GroupByWithModifier::Cube => cube(columns.len()),
        GroupByWithModifier::Rollup => columns.len() as f64 + 1.0,
        GroupByWithModifier::Totals => 2.0,
        GroupByWithModifier::GroupingSets(sets) => of_one(sets),
    };
    columns.iter().map(of_one).chain(modifiers.iter().map(of_all)).product()
}

/// Whether an item of a select list makes one row of all, as far as its outermost call tells.
pub(super) fn aggregates(item: &SelectItem) -> bool {
    let (SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. }) = item else {
        return false;
    };
    let (mut found, mut nested) = (false, false);
    let _ = sqlparser::ast::visit_expressions(expression, |inner: &Expr| {
        if let Expr::Function(function) = inner {
            let name = function.name.0.last().map(|part| part.to_string().to_lowercase()).unwrap_or_default();
            found |= function.over.is_none() && super::functions::is_aggregate(&name);
        }
        // What a subquery aggregates leaves the rows around it what they are.
        nested |= matches!(inner, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. });
        std::ops::ControlFlow::<()>::Continue(())
    });
    found && !nested
}
