//! Queries: WITH, set operations, selects, and what comes after them.

use std::rc::Rc;

use sqlparser::ast::{
    ConnectByKind, Cte as CteNode, Distinct, Expr, Fetch, FormatClause, GroupByExpr, GroupByWithModifier, LimitClause,
    LockType, NamedWindowExpr, OrderBy, OrderByExpr, OrderByKind, OrderBySort, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, TopQuantity, Value, WildcardAdditionalOptions, With,
};

use super::lookup::relations_called;
use super::scope::{Cte, CteState, Frame, Output, Relation, Shape};
use super::{MAXIMUM_COLUMNS, Resolver};
use crate::reading::{Clause, EffectKind, Fallback, Origin, ProblemKind, Recursion, RecursionBound, Through, Unjoined};
use crate::span::Span;

/// What a set operation or a select leaves for ORDER BY and LIMIT.
enum Body {
    /// A select whose frame is still open.
    Open(Shape),
    /// Anything else: only result names can be seen.
    Closed(Shape),
}

impl Resolver<'_> {
    /// The outermost query, whose LIMIT and aggregation the reading tells.
    pub(super) fn outermost(&mut self, query: &Query) -> Shape {
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
    pub(super) fn query(&mut self, query: &Query) -> Shape {
        self.note(query);
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
                let mut frame = Frame::new(Clause::OrderBy);
                frame.relations.push(Relation {
                    columns: Rc::new(shape.outputs.clone()),
                    open: shape.open,
                    any_qualifier: true,
                    ..Relation::default()
                });
                self.frames.push(frame);
                self.tail(query);
                self.frames.pop();
                shape
            }
        };
        self.clauses_that_act(query);
        if outer_limit(query).is_some_and(|limit| limit <= 1) {
            shape.single_row = true;
        }
        self.ctes.truncate(outer_ctes);
        shape
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
                self.expressions(limit.iter().chain(offset.as_ref().map(|offset| &offset.value)));
                self.enter(Clause::OrderBy);
                self.expressions(limit_by);
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => self.expressions([offset, limit]),
            None => {}
        }
        if let Some(Fetch { quantity: Some(quantity), .. }) = &query.fetch {
            self.expression(quantity);
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

    fn with(&mut self, with: &With) {
        let names: Vec<String> = with.cte_tables.iter().map(|cte| self.traits.fold(&cte.alias.name)).collect();
        if self.traits.forward_references {
            // Placeholders: what has been read is pushed after them and hides them.
            for name in names.iter().skip(1).rev() {
                self.ctes.push(Cte { name: name.clone(), state: CteState::Later, self_references: 0 });
            }
        }
        let recursive = with.recursive || self.traits.recursion_without_keyword;
        for (cte, name) in with.cte_tables.iter().zip(names) {
            self.common_table(cte, name, recursive);
        }
    }

    fn common_table(&mut self, cte: &CteNode, name: String, recursive: bool) {
        if cte.from.is_some() {
            self.effect(EffectKind::NotUnderstood, "`FROM` after a common table expression is not known".into(), None);
        }
        let position = self.ctes.len();
        if recursive {
            self.ctes.push(Cte { name: name.clone(), state: CteState::Forming(None), self_references: 0 });
        }
        let renamed: Vec<String> = cte.alias.columns.iter().map(|column| self.traits.fold(&column.name)).collect();
        let mut shape = self.cte_body(&cte.query, position, &renamed, recursive);
        rename(&mut shape.outputs, &renamed);
        let self_references = if recursive { self.ctes[position].self_references } else { 0 };
        if self_references > 0 {
            let bound = self.recursion_bound(&cte.query, &name);
            let span = self.ident_span(&cte.alias.name);
            self.reading.recursions.push(Recursion { name: name.clone(), bound, span });
            shape.single_row = false;
        }
        self.ctes.truncate(position);
        self.ctes.push(Cte {
            name,
            state: CteState::Ready { columns: Rc::new(shape.outputs), open: shape.open, single_row: shape.single_row },
            self_references,
        });
    }

    /// A body that may refer to itself: its first part gives the columns that the others see.
    fn cte_body(&mut self, query: &Query, position: usize, renamed: &[String], recursive: bool) -> Shape {
        let is_union = matches!(query.body.as_ref(), SetExpr::SetOperation { .. });
        if !recursive || !is_union || query.with.is_some() {
            return self.query(query);
        }
        self.note(query);
        let body = self.body(&query.body, Some((position, renamed)));
        let Body::Closed(shape) = body else { return Shape::default() };
        let mut frame = Frame::new(Clause::OrderBy);
        let mut seen = shape.outputs.clone();
        rename(&mut seen, renamed);
        seen.extend(shape.outputs.iter().cloned());
        frame.relations.push(Relation {
            columns: Rc::new(seen),
            open: shape.open,
            any_qualifier: true,
            ..Relation::default()
        });
        self.frames.push(frame);
        self.tail(query);
        self.frames.pop();
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
                    let last = table.0.last().and_then(|part| part.as_ident()).map(|ident| self.traits.fold(ident));
                    joins_other |= last.is_some_and(|last| !self.traits.same(&last, name));
                }
            }
            if let Some(condition) = &select.selection {
                bound = RecursionBound::Condition(largest_number(condition));
                if !mentions_a_name(condition) {
                    bound = RecursionBound::None;
                }
            } else if joins_other {
                bound = RecursionBound::Walk;
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
            SetExpr::SetOperation { left, right, .. } => {
                let left_shape = self.closed_body(left, forming);
                if let Some((position, renamed)) = forming
                    && let Some(cte) = self.ctes.get_mut(position)
                    && matches!(cte.state, CteState::Forming(None))
                {
                    let mut columns = left_shape.outputs.clone();
                    rename(&mut columns, renamed);
                    cte.state = CteState::Forming(Some(Rc::new(columns)));
                }
                let right_shape = self.closed_body(right, None);
                Body::Closed(self.united(left_shape, right_shape))
            }
            SetExpr::Values(values) => Body::Closed(self.values(values)),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                self.effect(EffectKind::Write, "a part of the query writes rows".to_owned(), None);
                Body::Closed(Shape { open: true, ..Shape::default() })
            }
            SetExpr::Table(table) => {
                let parts: Vec<String> =
                    [&table.schema_name, &table.table_name].into_iter().flatten().cloned().collect();
                let relation = self.base_table(&parts, None, None);
                let outputs = relation.columns.as_ref().clone();
                Body::Closed(Shape { outputs, open: relation.open, single_row: false })
            }
        }
    }

    fn closed_body(&mut self, body: &SetExpr, forming: Option<(usize, &[String])>) -> Shape {
        match self.body(body, forming) {
            Body::Open(shape) => {
                self.leave_select();
                shape
            }
            Body::Closed(shape) => shape,
        }
    }

    /// Columns of a set operation: the names of the first part, the sources of both.
    fn united(&mut self, left: Shape, right: Shape) -> Shape {
        let mut outputs = left.outputs;
        for (output, other) in outputs.iter_mut().zip(&right.outputs) {
            self.afford(output.flow.sources.len() + other.flow.sources.len());
            let both_columns = output.flow.origin() == Origin::Column && other.flow.origin() == Origin::Column;
            if both_columns && output.flow.sources == other.flow.sources {
                continue;
            }
            output.flow = std::mem::take(&mut output.flow).join(&other.flow);
        }
        Shape { outputs, open: left.open || right.open, single_row: false }
    }

    fn values(&mut self, values: &sqlparser::ast::Values) -> Shape {
        self.frames.push(Frame::new(Clause::Select));
        let mut outputs: Vec<Output> = Vec::new();
        for row in &values.rows {
            for (position, value) in row.content.iter().enumerate() {
                let flow = self.expression(value).computed();
                match outputs.get_mut(position) {
                    Some(output) => output.flow = std::mem::take(&mut output.flow).join(&flow),
                    None => {
                        let name =
                            self.traits.values_columns.map(|(prefix, first)| format!("{prefix}{}", position + first));
                        outputs.push(Output { name, named: true, flow });
                    }
                }
            }
        }
        self.frames.pop();
        Shape { outputs, open: self.traits.values_columns.is_none(), single_row: values.rows.len() <= 1 }
    }

    /// Reads a select and leaves its frame open, for ORDER BY.
    fn select(&mut self, select: &Select) -> Shape {
        self.frames.push(Frame::new(Clause::From));
        for from in &select.from {
            self.table_with_joins(from);
        }
        self.things_that_act(select);
        self.windows(select);
        self.enter(Clause::Select);
        if let Some(Distinct::On(expressions)) = &select.distinct {
            self.expressions(expressions);
        }
        if let Some(sqlparser::ast::Top { quantity: Some(TopQuantity::Expr(quantity)), .. }) = &select.top {
            self.expression(quantity);
        }
        let mut open = false;
        for item in &select.projection {
            open |= self.projected(item);
        }
        if select.projection.is_empty() {
            open |= self.star(None, None);
        }
        for (clause, condition) in
            [(Clause::Where, &select.prewhere), (Clause::Where, &select.selection), (Clause::Having, &select.having)]
        {
            self.enter(clause);
            if let Some(condition) = condition {
                self.condition(condition);
            }
        }
        self.enter(Clause::GroupBy);
        self.group_by(&select.group_by);
        self.enter(Clause::Qualify);
        if let Some(condition) = &select.qualify {
            self.condition(condition);
        }
        self.rare_clauses(select);
        self.unjoined();
        let frame = self.frames.last();
        let outputs = frame.map(|frame| frame.results.clone()).unwrap_or_default();
        let aggregates = outputs.iter().any(|output| output.flow.origin() == Origin::Aggregated);
        let no_rows_from = frame.is_none_or(|frame| frame.relations.iter().all(|relation| relation.single_row));
        Shape { outputs, open, single_row: (aggregates && !has_group_by(select)) || no_rows_from }
    }

    fn leave_select(&mut self) {
        self.frames.pop();
    }

    fn things_that_act(&mut self, select: &Select) {
        if let Some(into) = &select.into {
            self.effect(EffectKind::Into, "`INTO` makes a table or sets a variable".to_owned(), None);
            for target in &into.targets {
                self.note_deeply(target);
            }
        }
        if select.select_modifiers.as_ref().is_some_and(|modifiers| modifiers.sql_calc_found_rows) {
            self.effect(EffectKind::Setting, "`SQL_CALC_FOUND_ROWS` keeps state in the session".to_owned(), None);
        }
        if select.value_table_mode.is_some() {
            self.effect(EffectKind::NotUnderstood, "`SELECT AS STRUCT` and `AS VALUE` are not known".into(), None);
        }
    }

    /// Clauses of dialects that are read for their names but have no place of their own in a reading.
    fn rare_clauses(&mut self, select: &Select) {
        self.enter(Clause::OrderBy);
        self.expressions(select.cluster_by.iter().chain(&select.distribute_by));
        for order in &select.sort_by {
            self.order_by_expression(order);
        }
        for connect in &select.connect_by {
            self.enter(Clause::Where);
            match connect {
                ConnectByKind::ConnectBy { relationships, .. } => self.expressions(relationships),
                ConnectByKind::StartWith { condition, .. } => self.expressions([condition.as_ref()]),
            }
            self.effect(EffectKind::NotUnderstood, "`CONNECT BY` is not known".to_owned(), None);
        }
        for view in &select.lateral_views {
            self.expression(&view.lateral_view);
            self.effect(EffectKind::NotUnderstood, "`LATERAL VIEW` is not known".to_owned(), None);
        }
    }

    fn windows(&mut self, select: &Select) {
        self.enter(Clause::Window);
        for window in &select.named_window {
            if let NamedWindowExpr::WindowSpec(specification) = &window.1 {
                self.window(specification);
            }
        }
    }

    fn group_by(&mut self, group_by: &GroupByExpr) {
        let modifiers = match group_by {
            GroupByExpr::All(modifiers) => modifiers,
            GroupByExpr::Expressions(expressions, modifiers) => {
                self.expressions(expressions);
                modifiers
            }
        };
        for modifier in modifiers {
            if let GroupByWithModifier::GroupingSets(expression) = modifier {
                self.expression(expression);
            }
        }
    }

    fn order_by(&mut self, order_by: &OrderBy) {
        if let OrderByKind::Expressions(expressions) = &order_by.kind {
            for order in expressions {
                self.order_by_expression(order);
            }
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
            self.expressions(fill.from.iter().chain(&fill.to).chain(&fill.step));
        }
    }

    /// One item of the select list; true if it may bring columns that can't be known.
    fn projected(&mut self, item: &SelectItem) -> bool {
        match item {
            SelectItem::UnnamedExpr(expression) => {
                let flow = self.expression(expression);
                let name = self.unnamed(expression);
                self.result(Output { name, named: false, flow });
                false
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let flow = self.expression(expr);
                let name = Some(self.traits.fold(alias));
                self.result(Output { name, named: true, flow });
                false
            }
            SelectItem::ExprWithAliases { expr, aliases } => {
                let flow = self.expression(expr).computed();
                for alias in aliases {
                    let name = Some(self.traits.fold(alias));
                    self.result(Output { name, named: true, flow: flow.clone() });
                }
                false
            }
            SelectItem::Wildcard(options) => self.star_with(None, options),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                let qualifier = self.parts(name);
                let span = self.name_span(name);
                self.star_with(Some((qualifier, span)), options)
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(expression), options) => {
                let flow = self.expression(expression).computed();
                self.result(Output { name: None, named: false, flow });
                self.wildcard_options(options);
                true
            }
        }
    }

    fn result(&mut self, output: Output) {
        self.afford(output.flow.sources.len());
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.results.len() < MAXIMUM_COLUMNS {
            frame.results.push(output);
        } else {
            self.problem(ProblemKind::TooComplex, None);
        }
    }

    fn star_with(
        &mut self,
        qualifier: Option<(Vec<String>, Option<Span>)>,
        options: &WildcardAdditionalOptions,
    ) -> bool {
        let before = self.frames.last().map_or(0, |frame| frame.results.len());
        let open = match qualifier {
            Some((qualifier, span)) => self.star(Some(&qualifier), span),
            None => self.star(None, self.lines.span(options.wildcard_token.0.span)),
        };
        let removed = self.wildcard_options(options);
        if !removed.is_empty() {
            let traits = self.traits;
            if let Some(frame) = self.frames.last_mut() {
                let mut position = 0;
                frame.results.retain(|output| {
                    position += 1;
                    let name = output.name.as_deref().unwrap_or_default();
                    position <= before || !removed.iter().any(|it| traits.same(it, name))
                });
            }
        }
        open
    }

    /// `EXCLUDE`, `EXCEPT`, `REPLACE`, `RENAME`: the columns that are left out; new ones are added.
    fn wildcard_options(&mut self, options: &WildcardAdditionalOptions) -> Vec<String> {
        use sqlparser::ast::{ExcludeSelectItem, RenameSelectItem};
        let mut removed: Vec<String> = Vec::new();
        match &options.opt_exclude {
            Some(ExcludeSelectItem::Single(name)) => removed.extend(self.parts(name).pop()),
            Some(ExcludeSelectItem::Multiple(names)) => {
                removed.extend(names.iter().filter_map(|name| self.parts(name).pop()));
            }
            None => {}
        }
        if let Some(except) = &options.opt_except {
            let names = std::iter::once(&except.first_element).chain(&except.additional_elements);
            removed.extend(names.map(|name| self.traits.fold(name)));
        }
        self.must_exist(&removed);
        for item in options.opt_replace.iter().flat_map(|replace| &replace.items) {
            let flow = self.expression(&item.expr);
            let name = self.traits.fold(&item.column_name);
            removed.push(name.clone());
            self.result_after(Output { name: Some(name), named: true, flow });
        }
        let renames = match &options.opt_rename {
            Some(RenameSelectItem::Single(rename)) => std::slice::from_ref(rename),
            Some(RenameSelectItem::Multiple(renames)) => renames.as_slice(),
            None => &[],
        };
        for rename in renames {
            let flow = self.identifier(&rename.ident, super::lookup::Position::Any);
            removed.push(self.traits.fold(&rename.ident));
            self.result_after(Output { name: Some(self.traits.fold(&rename.alias)), named: true, flow });
        }
        removed
    }

    /// Adds a result that replaces one of a star. It is put before the star's columns, where it is not taken away.
    fn result_after(&mut self, output: Output) {
        if let Some(frame) = self.frames.last_mut() {
            frame.results.insert(0, output);
        }
    }

    /// Names after EXCLUDE have to be columns.
    fn must_exist(&mut self, names: &[String]) {
        let Some(frame) = self.frames.last() else { return };
        let known = |name: &String| {
            frame.relations.iter().any(|relation| {
                relation.open
                    || relation
                        .columns
                        .iter()
                        .any(|column| column.name.as_deref().is_some_and(|column| self.traits.same(column, name)))
            })
        };
        let unknown: Vec<String> = names.iter().filter(|name| !known(name)).cloned().collect();
        let visible = self.visible();
        for name in unknown {
            let kind = ProblemKind::UnknownColumn {
                qualifier: None,
                name,
                visible: visible.clone(),
                fallback: Fallback::None,
            };
            self.problem(kind, None);
        }
    }

    /// `*` or `t.*`.
    fn star(&mut self, qualifier: Option<&[String]>, span: Option<Span>) -> bool {
        let Some(depth) = self.frames.len().checked_sub(1) else { return false };
        let places: Vec<(usize, usize)> = match qualifier {
            None => (0..self.frames[depth].relations.len()).map(|relation| (depth, relation)).collect(),
            Some(qualifier) => (0..=depth)
                .rev()
                .find_map(|frame| {
                    let found = relations_called(self.traits, &self.frames[frame], qualifier);
                    (!found.is_empty()).then(|| found.into_iter().map(|relation| (frame, relation)).collect())
                })
                .unwrap_or_default(),
        };
        if let Some(qualifier) = qualifier.filter(|_| places.is_empty()) {
            let kind =
                ProblemKind::UnknownAlias { qualifier: qualifier.join("."), column: None, visible: self.visible() };
            self.problem(kind, span);
            return true;
        }
        let mut open = false;
        let mut merged_seen: Vec<String> = Vec::new();
        for (frame, relation) in places {
            let relation = &self.frames[frame].relations[relation];
            open |= relation.open;
            let columns = relation.columns.clone();
            for column in columns.iter() {
                if !self.afford(column.flow.sources.len()) {
                    return open;
                }
                if let Some(name) = column.name.as_deref().filter(|_| qualifier.is_none()) {
                    let merged = self.frames[frame].merged.iter().any(|it| self.traits.same(it, name));
                    if merged && merged_seen.iter().any(|it| self.traits.same(it, name)) {
                        continue;
                    }
                    if merged {
                        merged_seen.push(name.to_owned());
                    }
                }
                self.use_columns(&column.flow, Through::Star, Clause::Select, span);
                self.result(Output { named: false, ..column.clone() });
            }
        }
        open
    }

    /// What an expression without `AS` is called.
    fn unnamed(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Identifier(ident) => Some(self.traits.fold(ident)),
            Expr::CompoundIdentifier(parts) => parts.last().map(|part| self.traits.fold(part)),
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.unnamed(inner),
            _ if self.traits.expressions_named_by_text => {
                let span = self.lines.span(sqlparser::ast::Spanned::span(expression))?;
                Some(span.text(self.sql).to_owned())
            }
            Expr::Function(function) => self.parts(&function.name).pop(),
            Expr::Cast { expr, .. } => self.unnamed(expr),
            _ => None,
        }
    }

    /// Reports the relations of this FROM that no condition connects.
    fn unjoined(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let many: Vec<usize> =
            (0..frame.relations.len()).filter(|&position| !frame.relations[position].single_row).collect();
        let Some(&first) = many.first() else { return };
        let mut connected = vec![first];
        let mut next = 0;
        while let Some(&here) = connected.get(next) {
            for &(left, right) in &frame.links {
                let other = if left == here {
                    right
                } else if right == here {
                    left
                } else {
                    continue;
                };
                if !connected.contains(&other) {
                    connected.push(other);
                }
            }
            next += 1;
        }
        let loose: Vec<usize> = many.into_iter().filter(|position| !connected.contains(position)).collect();
        let Some(&first_loose) = loose.first() else { return };
        let name = |position: &usize| frame.relations[*position].name.clone();
        let unjoined = Unjoined {
            connected: connected.iter().map(name).collect(),
            loose: loose.iter().map(name).collect(),
            span: frame.relations[first_loose].span,
        };
        self.reading.unjoined.push(unjoined);
    }
}

/// Gives columns the names of an alias's column list.
pub(super) fn rename(outputs: &mut [Output], names: &[String]) {
    for (output, name) in outputs.iter_mut().zip(names) {
        output.name = Some(name.clone());
        output.named = true;
    }
}

fn has_group_by(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(expressions, _) => !expressions.is_empty(),
    }
}

/// Whether the clause limits, and doesn't only skip.
fn limits(clause: &LimitClause) -> bool {
    match clause {
        LimitClause::LimitOffset { limit, .. } => limit.is_some(),
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
