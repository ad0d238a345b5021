//! Calls of functions: what is called, over which columns, and what that says of rows and values.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause, FunctionArguments,
    Ident, ListAggOnOverflow, ObjectNamePart, Spanned, WindowFrameBound, WindowSpec, WindowType,
};

use super::Resolver;
use super::functions::{counts, counts_different, is_aggregate, plainly_counted, sorts, unfolds};
use super::lookup::Position;
use super::scope::{Flow, Output};
use crate::parser::Idents as _;
use crate::reading::{Argument, EffectKind, FunctionPlace, FunctionUse, Manner};
use crate::span::Span;

impl Resolver<'_> {
    pub(super) fn function(&mut self, function: &Function) -> Flow {
        let span = self.name_span(&function.name);
        for part in &function.name.0 {
            if let ObjectNamePart::Function(inner) = part {
                self.arguments(&inner.args);
                self.effect(EffectKind::NotUnderstood, "a function is named by a function".to_owned(), span);
            }
        }
        let path: Vec<String> = self.parts(&function.name).iter().map(|part| part.to_lowercase()).collect();
        let windowed = function.over.is_some();
        let place = if windowed { FunctionPlace::Window } else { FunctionPlace::Expression };
        let name = path.last().cloned().unwrap_or_default();
        if name == "match" {
            self.note_match();
        }
        if let Some(looked_up) = self.looked_up(&name, &function.args) {
            return looked_up;
        }
        let (mark, since) = (self.touched.len(), self.uses_so_far());
        let (mut flow, arguments) = self.function_arguments(&name, &function.args);
        if unfolds(function) {
            self.note_sizes(&self.with_what_decides(since, &flow));
        }
        if sorts(function) {
            self.uses_order(since);
        }
        // How many different values some rows have tells which of them share one. An aggregate over a column of a query
        // further out belongs to that one.
        let depth = self.frames.len().saturating_sub(1);
        let of_some = counts_different(function)
            && (self.frames.last().is_some_and(|frame| frame.picks)
                || self.touched[mark..].iter().any(|(frame, _)| *frame != depth));
        if let Some(counted) = plainly_counted(function).filter(|_| !of_some) {
            self.column_uses_are(since, counted, &Manner::Counted);
        }
        let of_columns = arguments.iter().all(|argument| *argument != Argument::Expression);
        let touched = mark..self.touched.len();
        self.called_by_text(&name, &arguments, span);
        self.reading.functions.push(FunctionUse { path, place, arguments, span });
        let (parameters, _) = self.function_arguments(&name, &function.parameters);
        flow = flow.join(&parameters);
        for order in &function.within_group {
            let ordered = self.expression(&order.expr);
            flow = flow.join(&ordered);
        }
        if let Some(filter) = &function.filter {
            let filtered = self.expression(filter);
            flow = if self.is_strict() { flow } else { flow.join(&filtered) };
        }
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            self.window(window);
            flow = self.with_window(flow, window);
        }
        if let Some(WindowType::NamedWindow(name)) = &function.over {
            let name = self.syntax.fold(name);
            let named = self.named_windows.iter().rev().find(|(other, _)| self.syntax.same(other, &name));
            if let Some((_, window)) = named.filter(|_| !self.is_strict()).cloned() {
                flow = flow.join(&window);
            }
        }
        let many_arguments = matches!(&function.args, FunctionArguments::List(list) if list.args.len() > 1);
        let scalar_min_max = many_arguments && matches!(name.as_str(), "min" | "max");
        let adds_up = matches!(name.as_str(), "sum" | "avg" | "count" | "total");
        if windowed && adds_up {
            self.note_aggregate(function, &name, touched.clone(), span);
        }
        if !windowed && !scalar_min_max && (is_aggregate(&name) || !function.within_group.is_empty()) {
            self.note_aggregate(function, &name, touched.clone(), span);
            if let Some(frame) = self.frames.last_mut() {
                frame.aggregates = true;
            }
            // A count is made from rows, not from values; but of what is computed it tells whether there was a value.
            let tells_nothing = flow.sources.is_empty() || of_columns && function.filter.is_none();
            return match (counts(&name), self.is_strict()) {
                (true, true) => Flow::default().aggregated(),
                (true, false) if tells_nothing => flow.counted(),
                _ => flow.aggregated(),
            };
        }
        flow.computed()
    }

    /// A function that calls another one, whose name it is given as a text.
    fn called_by_text(&mut self, name: &str, arguments: &[Argument], span: Option<Span>) {
        let place = match name {
            "list_aggregate" | "list_aggr" | "array_aggregate" | "array_aggr" | "aggregate" => 1,
            "arrayreduce" | "arrayreduceinranges" | "initializeaggregation" => 0,
            _ => return,
        };
        match arguments.get(place) {
            Some(Argument::Literal(literal)) => {
                // It can have parameters of its own: `quantiles(0.5)`.
                let called = literal.text.split('(').next().unwrap_or_default().trim().to_lowercase();
                let (path, place) = (vec![called], FunctionPlace::Expression);
                let arguments = vec![Argument::Expression];
                self.reading.functions.push(FunctionUse { path, place, arguments, span });
            }
            _ => self.effect(EffectKind::NotUnderstood, format!("`{name}` calls a function that isn't named"), span),
        }
    }

    fn function_arguments(&mut self, name: &str, arguments: &FunctionArguments) -> (Flow, Vec<Argument>) {
        match arguments {
            FunctionArguments::None => (Flow::default(), Vec::new()),
            FunctionArguments::Subquery(query) => (self.subquery(query), vec![Argument::Expression]),
            FunctionArguments::List(list) => {
                let arguments = self.without_words(name, &list.args);
                let (mut flow, literals) = self.arguments(arguments);
                // Counting rows is of no column.
                let is_star = |it: &FunctionArg| matches!(it, FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
                if !counts(name) && arguments.iter().any(is_star) {
                    let rows = self.whole_rows();
                    flow = flow.join(&rows);
                }
                for clause in &list.clauses {
                    self.argument_clause(clause);
                    // In which order values are put together tells of what orders them.
                    if let FunctionArgumentClause::OrderBy(orders) = clause
                        && !self.is_strict()
                    {
                        for order in orders {
                            let ordered = self.expression(&order.expr);
                            flow = flow.join(&ordered);
                        }
                    }
                }
                (flow, literals)
            }
        }
    }

    /// The arguments without words that are no names: the unit of MySQL's `TIMESTAMPDIFF(DAY, a, b)`, the form of PostgreSQL's
    /// `normalize(a, NFC)`.
    fn without_words<'f>(&mut self, name: &str, arguments: &'f [FunctionArg]) -> &'f [FunctionArg] {
        const UNITS: [&str; 9] = ["microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"];
        const FORMS: [&str; 4] = ["nfc", "nfd", "nfkc", "nfkd"];
        let word = |argument: &'f FunctionArg, words: &[&str]| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(word @ Expr::Identifier(ident))) => {
                let is_word = ident.quote_style.is_none() && words.contains(&ident.value.to_ascii_lowercase().as_str());
                is_word.then_some(word)
            }
            _ => None,
        };
        let (word, others) = match (name, arguments) {
            ("timestampdiff" | "timestampadd", [unit, others @ ..]) if self.syntax.unit_arguments => {
                (word(unit, &UNITS), others)
            }
            ("normalize", [others @ .., form]) if !others.is_empty() => (word(form, &FORMS), others),
            _ => (None, arguments),
        };
        let Some(word) = word else { return arguments };
        self.note(word);
        others
    }

    fn argument_clause(&mut self, clause: &FunctionArgumentClause) {
        match clause {
            FunctionArgumentClause::Where(expression) | FunctionArgumentClause::Limit(expression) => {
                self.expressions([expression]);
            }
            FunctionArgumentClause::OrderBy(orders) => {
                for order in orders {
                    self.order_by_expression(order);
                }
            }
            FunctionArgumentClause::OnOverflow(ListAggOnOverflow::Truncate { filler: Some(filler), .. }) => {
                self.expressions([filler.as_ref()]);
            }
            FunctionArgumentClause::Having(bound) => self.expressions([&bound.1]),
            FunctionArgumentClause::OnOverflow(_)
            | FunctionArgumentClause::IgnoreOrRespectNulls(_)
            | FunctionArgumentClause::Separator(_)
            | FunctionArgumentClause::JsonNullClause(_)
            | FunctionArgumentClause::JsonReturningClause(_) => {}
        }
    }

    /// Arguments of a function: their flow together, and those that are literals.
    pub(super) fn arguments(&mut self, arguments: &[FunctionArg]) -> (Flow, Vec<Argument>) {
        let mut together = Flow::default();
        let mut literals = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = match argument {
                // In DuckDB `f(column = value)` compares.
                FunctionArg::Named { name, arg, operator: FunctionArgOperator::Equals } => {
                    if self.is_visible(name) {
                        let flow = self.identifier(name, Position::Any);
                        together = together.join(&flow);
                    }
                    arg
                }
                FunctionArg::Named { arg, .. } | FunctionArg::Unnamed(arg) => arg,
                FunctionArg::ExprNamed {
                    name: name @ Expr::Identifier(_),
                    arg,
                    operator: FunctionArgOperator::RightArrow,
                } => {
                    self.note(name);
                    arg
                }
                FunctionArg::ExprNamed { name, arg, .. } => {
                    self.expression(name);
                    arg
                }
            };
            match value {
                FunctionArgExpr::Expr(expression) => {
                    let literal = self.argument_literal(expression);
                    let flow = self.expression(expression);
                    literals.push(match (literal, self.direct(&flow)) {
                        (Some(literal), _) => Argument::Literal(literal),
                        (None, Some(column)) => Argument::Column(column.clone()),
                        (None, None) => Argument::Expression,
                    });
                    self.afford(flow.sources.len());
                    together = together.join(&flow);
                }
                FunctionArgExpr::QualifiedWildcard(name) => {
                    literals.push(Argument::Expression);
                    let flow = self.qualified_wildcard(name);
                    together = together.join(&flow);
                }
                FunctionArgExpr::Wildcard => literals.push(Argument::Expression),
                FunctionArgExpr::WildcardWithOptions(_) => {
                    self.effect(EffectKind::NotUnderstood, "`*` with options in a function".to_owned(), None);
                }
            }
        }
        (together, literals)
    }

    pub(super) fn window(&mut self, window: &WindowSpec) {
        let since = self.uses_so_far();
        self.expressions(&window.partition_by);
        for order in &window.order_by {
            self.order_by_expression(order);
        }
        if let Some(frame) = &window.window_frame {
            for bound in std::iter::once(&frame.start_bound).chain(&frame.end_bound) {
                match bound {
                    WindowFrameBound::CurrentRow => {}
                    WindowFrameBound::Preceding(distance) | WindowFrameBound::Following(distance) => {
                        self.expressions(distance.as_deref());
                    }
                }
            }
        }
        self.uses_order(since);
    }

    /// What ClickHouse's functions bring that look a key up in a dictionary, `dictGet('countries', 'name', id)`, where it is
    /// asked what a value comes from.
    pub(super) fn looked_up(&mut self, name: &str, arguments: &FunctionArguments) -> Option<Flow> {
        if self.is_strict() || !(name.starts_with("dictget") || name == "dicthas") {
            return None;
        }
        let FunctionArguments::List(list) = arguments else { return None };
        let values = list.args.iter().filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
            _ => None,
        });
        let values: Vec<&Expr> = values.collect();
        let (dictionary, others) = values.split_first()?;
        let parts: Vec<String> = match dictionary {
            Expr::Identifier(ident) => vec![self.syntax.fold(ident)],
            Expr::CompoundIdentifier(parts) => parts.iter().map(|part| self.syntax.fold(part)).collect(),
            other => self.literal(other)?.text.split('.').map(str::to_owned).collect(),
        };
        let relation = self.base_table(&parts, None, self.lines.span(dictionary.span()));
        let attribute =
            others.first().and_then(|attribute| self.literal(attribute)).map(|literal| Ident::new(literal.text));
        let known = attribute.as_ref().and_then(|attribute| {
            let is_it =
                |column: &&Output| column.name.as_deref().is_some_and(|name| self.syntax.same(name, &attribute.value));
            relation.columns.iter().find(is_it).map(|column| column.flow.clone())
        });
        let mut flow = match (known, attribute) {
            (Some(known), _) => known,
            (None, Some(attribute)) if relation.open => self.named_in(&relation.unknown, &attribute),
            _ => Flow::default(),
        };
        for value in others.iter().skip(1) {
            let value = self.expression(value);
            flow = flow.join(&value);
        }
        Some(flow.computed())
    }
}
