//! Queries: what their rows and columns can be at most, through FROM, set operations and recursion.

use std::rc::Rc;

use sqlparser::ast::{
    Cte as CteNode, Expr, Fetch, FunctionArg, FunctionArgExpr, GroupByExpr, Join, JoinConstraint, JoinOperator,
    LimitClause, OrderByExpr, OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    SetOperator, Spanned, TableAlias, TableFactor, TableWithJoins,
};

use super::bound::Bound;
use super::functions::series;
use super::{ASSUMED_DEPTH, ASSUMED_ROUNDS, ASSUMED_ROWS, Cte, Frame, Measure, Relation, Rows, stored};
use crate::reading::{GrowthKind, RecursionBound};
use crate::schema::TableLookup;
use crate::span::Span;

/// Columns that are followed in one relation.
const MOST_COLUMNS: usize = 2_000;
/// Rounds of a recursion that are tried before the rest is reckoned from them.
const TRIED_ROUNDS: usize = 24;

/// What a query yields.
#[derive(Clone, Default)]
pub(super) struct Yield {
    pub(super) columns: Vec<(Option<String>, Bound)>,
    pub(super) rows: Option<Rows>,
    open: bool,
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

    fn relation(self, name: String) -> Relation {
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
            SetExpr::SetOperation { op, left, right, .. } => {
                let left = self.inner(left);
                let right = self.inner(right);
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
                                let name = self.traits.values_columns;
                                let name = name.map(|(prefix, first)| format!("{prefix}{}", position + first));
                                columns.push((name, bound));
                            }
                        }
                    }
                }
                Yield { columns, rows: Some(Rows::made(values.rows.len() as f64)), open: false }
            }
            SetExpr::Table(_) | SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Yield { open: true, ..Yield::default() }
            }
        }
    }

    /// One side of a set operation, in a frame of its own.
    fn inner(&mut self, body: &'q SetExpr) -> Yield {
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
            Some(Fetch { quantity: Some(quantity), percent: false, .. }) => Some(quantity),
            _ => None,
        });
        if let Some(limit) = limit {
            let limit = self.value(limit);
            if limit.low >= 0.0 && limit.data == 0.0 {
                let rows = yielded.rows();
                let (made, stored) = (rows.made.min(limit.high).max(1.0), rows.stored.min(limit.high).max(1.0));
                yielded.rows = Some(Rows { made, stored });
            }
        }
    }

    /// An item of ORDER BY; how many rows `WITH FILL` makes of one.
    pub(super) fn order(&mut self, order: &'q OrderByExpr) -> f64 {
        self.value(&order.expr);
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
        let mut rows = Rows::ONE;
        for from in &select.from {
            rows = self.table_with_joins(from, rows);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.rows = Some(rows);
        }
        let aliases = select.projection.iter().filter_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => Some((self.traits.fold(alias), expr, None)),
            _ => None,
        });
        let aliases: Vec<(String, &'q Expr, Option<Bound>)> = aliases.collect();
        if let Some(frame) = self.frames.last_mut() {
            frame.aliases = aliases;
        }
        let mut yielded = Yield::default();
        for item in &select.projection {
            self.projected(item, &mut yielded);
        }
        if select.projection.is_empty() {
            self.star(None, &mut yielded);
        }
        let conditions = [&select.prewhere, &select.selection, &select.having, &select.qualify];
        for condition in conditions.into_iter().flatten() {
            self.value(condition);
        }
        let grouped = match &select.group_by {
            GroupByExpr::All(_) => true,
            GroupByExpr::Expressions(expressions, _) => {
                for expression in expressions {
                    self.value(expression);
                }
                !expressions.is_empty()
            }
        };
        let rows = self.frames.last().map_or(Rows::ONE, Frame::rows);
        let span = select.projection.first().and_then(|first| self.lines.span(first.span()));
        let aggregated = !grouped && select.projection.iter().any(aggregates);
        let made: f64 = yielded.columns.iter().map(|(_, bound)| (bound.bytes - bound.data).max(0.0)).sum();
        self.say("the statement", GrowthKind::Together, rows.made * self.times, 0.0, span);
        if !aggregated && rows.made * self.times > 1.0 {
            self.say("the statement", GrowthKind::Together, rows.made * self.times * made, 0.0, span);
        }
        yielded.rows = Some(if aggregated { Rows::ONE } else { rows });
        yielded
    }

    fn projected(&mut self, item: &'q SelectItem, yielded: &mut Yield) {
        match item {
            SelectItem::UnnamedExpr(expression) => {
                let bound = self.value(expression);
                let name = match expression {
                    Expr::Identifier(ident) => Some(self.traits.fold(ident)),
                    Expr::CompoundIdentifier(parts) => parts.last().map(|part| self.traits.fold(part)),
                    Expr::Function(function) => function.name.0.last().map(|part| part.to_string().to_lowercase()),
                    _ => None,
                };
                yielded.columns.push((name, bound));
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let name = self.traits.fold(alias);
                let bound = self.alias(&name).unwrap_or_else(|| self.value(expr));
                yielded.columns.push((Some(name), bound));
            }
            SelectItem::ExprWithAliases { expr, aliases } => {
                let bound = self.value(expr);
                yielded.columns.extend(aliases.iter().map(|alias| (Some(self.traits.fold(alias)), bound.clone())));
            }
            SelectItem::Wildcard(options) => {
                self.star(None, yielded);
                for item in options.opt_replace.iter().flat_map(|replace| &replace.items) {
                    let bound = self.value(&item.expr);
                    yielded.columns.push((Some(self.traits.fold(&item.column_name)), bound));
                }
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let last = name.0.last().and_then(|part| part.as_ident()).map(|ident| self.traits.fold(ident));
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
            if qualifier.is_some_and(|qualifier| !self.traits.same(&relation.name, qualifier)) {
                continue;
            }
            let room = MOST_COLUMNS.saturating_sub(yielded.columns.len());
            yielded.columns.extend(relation.columns.iter().take(room).cloned());
            yielded.open |= relation.open.is_some() || relation.columns.len() > room;
        }
        self.budget = self.budget.saturating_sub(yielded.columns.len());
    }

    fn table_with_joins(&mut self, from: &'q TableWithJoins, before: Rows) -> Rows {
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
        let constraint = match &join.join_operator {
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
        };
        if let JoinConstraint::On(condition) = constraint {
            self.value(condition);
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
        let called = alias.as_ref().map(|alias| self.traits.fold(&alias.name));
        self.add(Relation { columns: Rc::new(vec![(called, list.element())]), ..Relation::default() }, None);
        Rows { made: before.made * unfolded(&list), ..before }
    }

    fn factor(&mut self, factor: &'q TableFactor, before: Rows) -> Rows {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let parts: Vec<String> =
                    name.0.iter().filter_map(|part| part.as_ident()).map(|ident| self.traits.fold(ident)).collect();
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
                before.joined(Rows::made(unfolded(&value)))
            }
            TableFactor::UNNEST { array_exprs, alias, .. } => {
                let lists: Vec<Bound> = array_exprs.iter().map(|array| self.value(array)).collect();
                let items = lists.iter().map(unfolded).fold(1.0, f64::max);
                let any = lists.iter().map(Bound::element).reduce(|left, right| left.or(&right));
                self.add(Relation { open: any, ..Relation::default() }, alias.as_ref());
                before.joined(Rows::made(items))
            }
            TableFactor::JsonTable { json_expr, alias, .. } => {
                let value = self.value(json_expr);
                let rows = Rows::made(unfolded(&value));
                self.add(Relation { open: Some(value), ..Relation::default() }, alias.as_ref());
                before.joined(rows)
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
            relation.name = self.traits.fold(&alias.name);
            let names = alias.columns.iter().map(|column| self.traits.fold(&column.name));
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
            && let Some(cte) = self.ctes.iter().rev().find(|cte| self.traits.same(&cte.name, single))
        {
            let (mut relation, rows) = (cte.relation.clone(), cte.rows);
            relation.name.clone_from(single);
            self.budget = self.budget.saturating_sub(relation.columns.len() / 16);
            return (relation, rows);
        }
        let name = parts.last().cloned().unwrap_or_default();
        let written: Vec<&str> = parts.iter().map(String::as_str).collect();
        let TableLookup::Found(table) = self.schema.resolve_table(&written) else {
            let open = Some(stored(super::ASSUMED_BYTES));
            return (Relation { name, open, ..Relation::default() }, Rows { made: 1.0, stored: ASSUMED_ROWS });
        };
        let columns = table.columns.iter().map(|column| (Some(column.name.clone()), self.column(table, column)));
        let columns = Rc::new(columns.collect());
        let rows = table.row_count.as_ref().map_or(ASSUMED_ROWS, |rows| rows.value as f64).max(1.0);
        // Columns that every table has and none lists.
        let open = Some(stored(64.0));
        (Relation { name, columns, open }, Rows { made: 1.0, stored: rows })
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
        if self.traits.function_alias_is_column
            && let Some(alias) = alias.filter(|alias| alias.columns.is_empty())
        {
            columns.insert(0, (Some(self.traits.fold(&alias.name)), value.clone()));
        }
        self.add(Relation { name, columns: Rc::new(columns), open: Some(value) }, alias);
        Rows::made(rows)
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

    fn common_table(&mut self, cte: &'q CteNode) {
        let name = self.traits.fold(&cte.alias.name);
        let renamed: Vec<String> = cte.alias.columns.iter().map(|column| self.traits.fold(&column.name)).collect();
        let recursion = self.recursions.iter().filter(|it| it.name == name).map(|it| rounds(&it.bound));
        let yielded = match (recursion.reduce(f64::max), cte.query.body.as_ref()) {
            (Some(rounds), SetExpr::SetOperation { left, right, .. }) => {
                let mut first = self.inner(left);
                rename(&mut first, &renamed);
                let bound = self.recursions.iter().find(|it| it.name == name).map(|it| &it.bound);
                let limited = matches!(bound, Some(RecursionBound::Limit(_))).then_some(rounds);
                self.recursion(&name, first, right, rounds, limited, self.lines.span(cte.alias.name.span))
            }
            _ => {
                let mut yielded = self.query(&cte.query);
                rename(&mut yielded, &renamed);
                yielded
            }
        };
        let rows = yielded.rows();
        self.ctes.push(Cte { name: name.clone(), relation: yielded.relation(name), rows });
    }

    /// A recursion: its columns after the last round, from the rounds that are tried.
    fn recursion(
        &mut self,
        name: &str,
        first: Yield,
        right: &'q SetExpr,
        rounds: f64,
        limited: Option<f64>,
        span: Option<Span>,
    ) -> Yield {
        let mut tried: Vec<Yield> = vec![first];
        let mut fan = 1.0;
        let quiet = std::mem::replace(&mut self.quiet, true);
        while tried.len() <= TRIED_ROUNDS && (tried.len() as f64) <= rounds + 1.0 && self.budget > 0 {
            let Some(last) = tried.last().cloned() else { break };
            let next = self.round(name, &last, right, Rows::ONE);
            fan = next.rows().made;
            let mut columns = last.columns.clone();
            for ((_, column), (_, made)) in columns.iter_mut().zip(&next.columns) {
                *column = column.or(made);
            }
            let settled =
                tried.len() > 1 && columns.iter().zip(&last.columns).all(|((_, new), (_, old))| same(new, old));
            tried.push(Yield { columns, rows: last.rows, open: last.open });
            if settled {
                break;
            }
        }
        self.quiet = quiet;
        let base = tried[0].rows();
        let made = if fan > 1.0 { fan.powf(rounds) } else { rounds + 1.0 };
        let made = limited.map_or(made, |most| made.min(most)) * base.made;
        let rows = Rows { made, stored: base.stored };
        let mut last = reckoned(&tried, rounds);
        last.rows = Some(rows);
        // Once more, aloud, with what a row can be in the last round.
        self.say(name, GrowthKind::Rows, made, 0.0, span);
        let largest = last.columns.iter().map(|(_, bound)| bound.clone()).max_by(|a, b| a.bytes.total_cmp(&b.bytes));
        if let Some(largest) = largest {
            self.made(name, &largest, span);
        }
        self.round(name, &last, right, Rows::ONE);
        last
    }

    /// One round: the recursive part, seeing what came before.
    fn round(&mut self, name: &str, before: &Yield, right: &'q SetExpr, rows: Rows) -> Yield {
        let relation = before.clone().relation(name.to_owned());
        self.ctes.push(Cte { name: name.to_owned(), relation, rows });
        let yielded = self.inner(right);
        self.ctes.pop();
        yielded
    }
}

fn rename(yielded: &mut Yield, names: &[String]) {
    for ((name, _), new) in yielded.columns.iter_mut().zip(names) {
        *name = Some(new.clone());
    }
}

fn rounds(bound: &RecursionBound) -> f64 {
    match bound {
        RecursionBound::Condition(Some(most)) | RecursionBound::Limit(Some(most)) => *most as f64,
        RecursionBound::Condition(None) | RecursionBound::Limit(None) | RecursionBound::None => ASSUMED_ROUNDS,
        RecursionBound::Walk => ASSUMED_DEPTH,
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
    left.rows = Some(Rows { made, stored: one.stored.max(other.stored) });
    left.open |= right.open;
    left
}

fn same(new: &Bound, old: &Bound) -> bool {
    new.bytes <= old.bytes && new.items <= old.items && new.low >= old.low && new.high <= old.high
}

/// The columns after all rounds, from the first ones: what grows by as much or less each time is added up, what grows
/// faster is multiplied.
fn reckoned(tried: &[Yield], rounds: f64) -> Yield {
    let Some(last) = tried.last() else { return Yield::default() };
    let mut end = last.clone();
    let left = rounds - (tried.len() as f64 - 1.0);
    if left <= 0.0 || tried.len() < 3 {
        return end;
    }
    for (position, (_, column)) in end.columns.iter_mut().enumerate() {
        let [before, middle, now] = [3, 2, 1].map(|back| &tried[tried.len() - back].columns[position].1);
        let further = |size: fn(&Bound) -> f64| {
            let (before, middle, now) = (size(before), size(middle), size(now));
            let (earlier, later) = (middle - before, now - middle);
            match later <= 0.0 {
                true => now,
                false if later <= earlier * 1.001 + 1.0 => now + later * left,
                false => now * (now / middle.max(1.0)).max(1.0).powf(left),
            }
        };
        let (bytes, items, high) = (further(|it| it.bytes), further(|it| it.items), further(|it| it.high.max(0.0)));
        let low = -further(|it| (-it.low).max(0.0));
        let grown = column.resized(bytes.max(column.bytes));
        *column = Bound { items, each: bytes, low: low.min(column.low), high: high.max(column.high), ..grown };
    }
    end
}

/// Rows that a list becomes; those of stored lists are stored.
pub(super) fn unfolded(list: &Bound) -> f64 {
    if list.data > 0.0 && list.bytes <= list.data * 8.0 { 1.0 } else { list.items.max(1.0) }
}

/// Whether an item of a select list makes one row of all, as far as its outermost call tells.
fn aggregates(item: &SelectItem) -> bool {
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
