//! One select: its clauses in the order in which names become visible, its stars, and whether its relations are joined.

use std::ops::ControlFlow;

use dialect::Clause;
use sqlparser::ast::{
    ConnectByKind, Distinct, ExcludeSelectItem, Expr, GroupByExpr, GroupByWithModifier, Ident, NamedWindowExpr,
    ObjectNamePart, RenameSelectItem, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, Spanned,
    TopQuantity, WildcardAdditionalOptions,
};

use super::expression::word_alone;
use super::functions::{may_tell_an_order, sorts, unfolds};
use super::lookup::{Position, relations_called};
use super::query::{has_group_by, mingle};
use super::scope::{Flow, Frame, Output, ResultShape};
use super::{MAXIMUM_COLUMNS, Resolver};
use crate::parser::Idents as _;
use crate::reading::{ColumnUse, EffectKind, Fallback, Manner, ProblemKind, Through, Unjoined};
use crate::span::Span;

impl Resolver<'_> {
    /// Reads a select and leaves its frame open, for ORDER BY.
    pub(super) fn select(&mut self, select: &Select) -> ResultShape {
        self.frames.push(Frame::new(Clause::From));
        let later: Vec<&Expr> = select.from.iter().flat_map(|from| self.table_with_joins(from)).collect();
        self.conditions(&later);
        let joins = !matches!(select.from.as_slice(), [only] if only.joins.is_empty());
        let picks = joins || select.selection.is_some() || select.prewhere.is_some() || is_grouped(select);
        // PostgreSQL from version 16 on and SQLite sort rows for a DISTINCT, and every aggregate beside it gets them so.
        let picks = picks || tells_an_order(select);
        self.frames.last_mut().into_iter().for_each(|frame| frame.picks = picks);
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
            if select.flavor == SelectFlavor::Standard {
                self.not_understood(vec!["`SELECT` of nothing".to_owned()]);
            }
            open |= self.star(None, None);
        }
        for (clause, condition) in
            [(Clause::Where, &select.prewhere), (Clause::Where, &select.selection), (Clause::Having, &select.having)]
        {
            self.enter(clause);
            if let Some(condition) = condition {
                self.condition(condition);
                self.note_condition(condition);
            }
        }
        self.enter(Clause::GroupBy);
        self.group_by(select);
        match &select.distinct {
            Some(Distinct::Distinct) => self.note_distinct(),
            Some(Distinct::On(expressions)) => expressions.iter().for_each(|it| self.note_ordinal(it)),
            Some(Distinct::All) | None => {}
        }
        self.enter(Clause::Qualify);
        if let Some(condition) = &select.qualify {
            self.condition(condition);
        }
        self.rare_clauses(select);
        self.unjoined();
        self.finish_aggregates(select);
        self.forget_steps(select);
        self.ungrouped(select);
        self.hidden_columns();
        // Nobody joins the outermost result.
        let inner = self.queries > 1;
        let keys = if inner { self.keys_of(select) } else { Vec::new() };
        let repeating = if inner { self.repeating(select) } else { Vec::new() };
        let repeated = if inner { self.repeated(select) } else { Vec::new() };
        let frame = self.frames.last();
        let outputs = frame.map(|frame| frame.results.clone()).unwrap_or_default();
        let aggregates = frame.is_some_and(|frame| frame.aggregates);
        let no_rows_from = frame.is_none_or(|frame| frame.relations.iter().all(|relation| relation.single_row));
        let unsure_order = self.is_strict() && frame.is_some_and(|frame| frame.unsure_order);
        let single_row = (aggregates && !has_group_by(select)) || no_rows_from;
        ResultShape { outputs, open, single_row, keys, repeating, repeated, unsure_order }
    }

    /// Where a name in the select list hides a column and is made from something else, any other result may mean it.
    fn hidden_columns(&mut self) {
        let syntax = self.syntax;
        let looks = syntax.aliases_hide_columns && self.is_strict();
        let Some(frame) = self.frames.last_mut().filter(|_| looks) else { return };
        let columns = || frame.relations.iter().flat_map(|relation| relation.columns.iter());
        let hides = |result: &Output| {
            let name = result.name.as_deref().filter(|_| result.named);
            let hidden = name.and_then(|name| {
                columns().find(|column| column.name.as_deref().is_some_and(|it| syntax.same(it, name)))
            });
            hidden.is_some_and(|hidden| result.flow.sources.iter().any(|it| !hidden.flow.sources.contains(it)))
        };
        let hiding: Vec<Flow> = frame.results.iter().filter(|it| hides(it)).map(|it| it.flow.clone()).collect();
        if hiding.is_empty() {
            return;
        }
        mingle(&mut frame.results);
        // It was meant, too, where the name was read before the select list was: in ON and in windows.
        hiding.iter().for_each(|flow| self.note_use(flow, None));
    }

    /// Closes the frame that [`Self::select`] left open.
    pub(super) fn leave_select(&mut self) {
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
                let flow = self.with_window(Flow::default(), specification);
                let name = self.syntax.fold(&window.0);
                self.named_windows.push((name, flow));
            }
        }
    }

    fn group_by(&mut self, select: &Select) {
        let modifiers = match &select.group_by {
            GroupByExpr::All(modifiers) => {
                self.note_all_results();
                modifiers
            }
            GroupByExpr::Expressions(_, modifiers) => {
                self.grouped_by(select);
                modifiers
            }
        };
        for modifier in modifiers {
            if let GroupByWithModifier::GroupingSets(expression) = modifier {
                self.expression(expression);
            }
        }
    }

    /// One item of the select list; true if it may bring columns that can't be known.
    pub(super) fn projected(&mut self, item: &SelectItem) -> bool {
        match item {
            SelectItem::UnnamedExpr(expression) => {
                let flow = self.passed(expression);
                let flow = self.with_text(flow, expression);
                let name = self.unnamed(expression);
                self.result(Output { name, named: false, flow, place: self.place(expression) });
                false
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let flow = self.passed(expr);
                let flow = self.with_text(flow, expr);
                let name = Some(self.syntax.fold(alias));
                self.result(Output { name, named: true, flow, place: self.place(expr) });
                false
            }
            SelectItem::ExprWithAliases { expr, aliases } => {
                let flow = self.expression(expr).computed();
                for alias in aliases {
                    let name = Some(self.syntax.fold(alias));
                    self.result(Output { name, named: true, flow: flow.clone(), place: None });
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
                self.result(Output { name: None, named: false, flow, place: None });
                self.wildcard_options(options);
                true
            }
        }
    }

    /// An item of the select list: a name hands a value on.
    pub(super) fn passed(&mut self, expression: &Expr) -> Flow {
        let since = self.uses_so_far();
        let flow = self.expression(expression);
        self.uses_are(since, expression, &Manner::Passed);
        // A condition inside a value can be read off that value alone, where engines go through the rows as they lie.
        let flow = match self.is_strict() && leaves_rows_alone(expression) {
            true => self.with_what_decides(since, &flow),
            false => flow,
        };
        self.uses_are_carried(since, &flow);
        flow
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
        let since = self.uses_so_far();
        let open = match qualifier {
            Some((qualifier, span)) => self.star(Some(&qualifier), span),
            None => self.star(None, self.lines.span(options.wildcard_token.0.span)),
        };
        let (removed, added) = self.wildcard_options(options);
        let changed = options.opt_exclude.is_some() || !removed.is_empty() || !added.is_empty();
        if let Some(frame) = self.frames.last_mut() {
            frame.unsure_order |= changed || !frame.merged.is_empty();
        }
        if !removed.is_empty() {
            let syntax = self.syntax;
            let is_removed = |output: &Output| {
                let name = output.name.as_deref().unwrap_or_default();
                removed.iter().any(|it| syntax.same(it, name))
            };
            if let Some(frame) = self.frames.last_mut() {
                let (left_out, kept): (Vec<Output>, Vec<Output>) = frame.results.drain(before..).partition(is_removed);
                let left_out = left_out.into_iter().map(|output| output.flow.sources);
                let left_out = left_out.filter(|sources| kept.iter().all(|output| output.flow.sources != *sources));
                let left_out: Vec<Vec<u32>> = left_out.collect();
                frame.results.extend(kept);
                // What was only in `*` isn't read at all.
                if options.opt_replace.is_none() && options.opt_rename.is_none() {
                    self.forget_uses(since, &left_out);
                }
            }
        }
        for output in added {
            self.result(output);
        }
        open
    }

    /// `EXCLUDE`, `EXCEPT`, `REPLACE`, `RENAME`: the columns that are left out; new ones are added.
    fn wildcard_options(&mut self, options: &WildcardAdditionalOptions) -> (Vec<String>, Vec<Output>) {
        let mut removed: Vec<String> = Vec::new();
        let mut added: Vec<Output> = Vec::new();
        match &options.opt_exclude {
            Some(ExcludeSelectItem::Single(name)) => removed.extend(self.left_out(name)),
            Some(ExcludeSelectItem::Multiple(names)) => {
                for name in names {
                    removed.extend(self.left_out(name));
                }
            }
            None => {}
        }
        if let Some(except) = &options.opt_except {
            for name in std::iter::once(&except.first_element).chain(&except.additional_elements) {
                self.note_left_out(name);
                removed.push(self.syntax.fold(name));
            }
        }
        self.must_exist(&removed);
        for item in options.opt_replace.iter().flat_map(|replace| &replace.items) {
            let flow = self.expression(&item.expr);
            let name = self.syntax.fold(&item.column_name);
            removed.push(name.clone());
            added.push(Output { name: Some(name), named: true, flow, place: None });
        }
        let renames = match &options.opt_rename {
            Some(RenameSelectItem::Single(rename)) => std::slice::from_ref(rename),
            Some(RenameSelectItem::Multiple(renames)) => renames.as_slice(),
            None => &[],
        };
        for rename in renames {
            let flow = self.identifier(&rename.ident, Position::Any);
            removed.push(self.syntax.fold(&rename.ident));
            added.push(Output { name: Some(self.syntax.fold(&rename.alias)), named: true, flow, place: None });
        }
        (removed, added)
    }

    /// The column that EXCLUDE leaves out. One with a qualifier is left out of one relation only, which is not followed:
    /// it stays in the outputs, so that lineage never says too little.
    fn left_out(&mut self, name: &sqlparser::ast::ObjectName) -> Option<String> {
        match (self.parts(name).as_slice(), name.0.as_slice()) {
            ([single], [ObjectNamePart::Identifier(ident)]) => {
                self.note_left_out(ident);
                Some(single.clone())
            }
            _ => None,
        }
    }

    /// Notes which columns a name stands for that is left out of a `*`.
    fn note_left_out(&mut self, ident: &Ident) {
        let (name, span, clause) = (self.syntax.fold(ident), self.ident_span(ident), self.clause());
        let relations = self.frames.last().map(|frame| frame.relations.as_slice()).unwrap_or_default();
        let of_name = |column: &&Output| column.name.as_deref().is_some_and(|it| self.syntax.same(it, &name));
        let columns = relations.iter().flat_map(|relation| relation.columns.iter()).filter(of_name);
        let numbers: Vec<u32> = columns.flat_map(|column| column.flow.sources.iter().copied()).collect();
        for number in numbers {
            let column = self.columns[number as usize].clone();
            self.reading.columns.push(ColumnUse { column, clause, through: Through::LeftOut, span });
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
                        .any(|column| column.name.as_deref().is_some_and(|column| self.syntax.same(column, name)))
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
                    let found = relations_called(self.syntax, &self.frames[frame], qualifier);
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
        for (frame, position) in places {
            let relation = &self.frames[frame].relations[position];
            open |= relation.open;
            let (columns, unsure_order) = (relation.columns.clone(), relation.unsure_order);
            self.frames[depth].unsure_order |= unsure_order;
            for (number, column) in columns.iter().enumerate() {
                if !self.afford(column.flow.sources.len()) {
                    return open;
                }
                if let Some(name) = column.name.as_deref().filter(|_| qualifier.is_none()) {
                    let merged = self.frames[frame].merged.iter().any(|it| self.syntax.same(it, name));
                    if merged && merged_seen.iter().any(|it| self.syntax.same(it, name)) {
                        continue;
                    }
                    if merged {
                        merged_seen.push(name.to_owned());
                    }
                }
                let of_both = column.name.as_deref().filter(|name| {
                    qualifier.is_none() && self.frames[frame].merged_of_both.iter().any(|it| self.syntax.same(it, name))
                });
                let flow = match of_both {
                    Some(name) => self.frames[frame].flow_of_both(self.syntax, name),
                    None => column.flow.clone(),
                };
                let since = self.uses_so_far();
                self.use_columns(&flow, Through::Star, Clause::Select, span);
                self.all_uses_are(since, &Manner::Passed);
                let place = (frame == depth).then_some((position, number));
                self.result(Output { named: false, place, flow, ..column.clone() });
            }
            let unknown = self.frames[frame].relations[position].unknown.clone();
            if !unknown.sources.is_empty() && self.frames[frame].relations[position].open {
                let flow = if self.is_strict() { unknown.computed() } else { unknown };
                self.result(Output { name: None, named: false, flow, place: None });
            }
        }
        open
    }

    /// What an expression without `AS` is called.
    fn unnamed(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Identifier(ident) => Some(self.syntax.fold(ident)),
            Expr::CompoundIdentifier(parts) => parts.last().map(|part| self.syntax.fold(part)),
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.unnamed(inner),
            // Of other forms the parser doesn't tell where they end, and engines write some of them anew.
            _ if self.syntax.expressions_named_by_text => {
                let span = self.lines.span(expression.span()).filter(|_| is_made_of_names(expression))?;
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

/// Whether an expression is made of names, literals and words by operators between two of them.
fn is_made_of_names(expression: &Expr) -> bool {
    match expression {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => true,
        Expr::Function(function) => word_alone(function).is_some(),
        Expr::BinaryOp { left, right, .. } => is_made_of_names(left) && is_made_of_names(right),
        _ => false,
    }
}

fn is_grouped(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(expressions, modifiers) => !expressions.is_empty() || !modifiers.is_empty(),
    }
}

/// Whether nothing in an expression makes rows, or lets the engine bring them into an order: no subquery, which may become a
/// join, no window, no function that makes rows of a value, no aggregate that sorts.
fn leaves_rows_alone(expression: &Expr) -> bool {
    let found = sqlparser::ast::visit_expressions(expression, |inner: &Expr| match inner {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } | Expr::AnyOp { .. } | Expr::AllOp { .. } => {
            ControlFlow::Break(())
        }
        Expr::Function(function) if function.over.is_some() || unfolds(function) || sorts(function) => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found.is_continue()
}

/// Whether what may tell in which order rows came stands in the select list or behind it.
fn tells_an_order(select: &Select) -> bool {
    let found = sqlparser::ast::visit_expressions(select, |inner: &Expr| match inner {
        Expr::Function(function) if may_tell_an_order(function) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
