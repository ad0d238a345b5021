//! Calls of functions: what is called, over which columns, and what that says of rows and values.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArguments, ListAggOnOverflow, ObjectNamePart, WindowFrameBound, WindowSpec, WindowType,
};

use super::Resolver;
use super::lookup::Position;
use super::scope::Flow;
use crate::reading::{Argument, EffectKind, FunctionPlace, FunctionUse, Manner};
use crate::span::Span;

/// Functions that make one value of many rows, in any of the dialects.
const AGGREGATES: [&str; 63] = [
    "any_value",
    "approx_count_distinct",
    "approx_distinct",
    "approx_quantile",
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "array_agg",
    "avg",
    "avgif",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "countif",
    "covar_pop",
    "covar_samp",
    "every",
    "first",
    "group_concat",
    "grouparray",
    "groupuniqarray",
    "histogram",
    "json_agg",
    "json_arrayagg",
    "json_group_array",
    "json_group_object",
    "json_object_agg",
    "json_objectagg",
    "jsonb_agg",
    "jsonb_group_array",
    "jsonb_group_object",
    "jsonb_object_agg",
    "last",
    "list",
    "listagg",
    "max",
    "max_by",
    "median",
    "min",
    "min_by",
    "mode",
    "percentile_cont",
    "percentile_disc",
    "quantile",
    "quantile_cont",
    "quantile_disc",
    "regr_slope",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "sumif",
    "total",
    "uniq",
    "uniqexact",
    "var_pop",
    "xmlagg",
];

/// Those of them that tell how many, and nothing of what.
const COUNTS: [&str; 6] = ["approx_count_distinct", "approx_distinct", "count", "countif", "uniq", "uniqexact"];

/// The one of these whose argument says which rows count.
const COUNT_OF_A_CONDITION: &str = "countif";

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
            self.expression(filter);
        }
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            self.window(window);
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
            // A count is made from rows, not from values.
            let counts = COUNTS.contains(&name.as_str());
            return if counts { Flow::default().aggregated() } else { flow.aggregated() };
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
                let arguments = self.without_unit(name, &list.args);
                let (mut flow, literals) = self.arguments(arguments);
                // Counting rows is of no column.
                let is_star = |it: &FunctionArg| matches!(it, FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
                if !COUNTS.contains(&name) && arguments.iter().any(is_star) {
                    let rows = self.whole_rows();
                    flow = flow.join(&rows);
                }
                for clause in &list.clauses {
                    self.argument_clause(clause);
                }
                (flow, literals)
            }
        }
    }

    /// The arguments behind the unit of MySQL's `TIMESTAMPDIFF(DAY, a, b)`, which is a word and no name.
    fn without_unit<'f>(&mut self, name: &str, arguments: &'f [FunctionArg]) -> &'f [FunctionArg] {
        const UNITS: [&str; 9] = ["microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"];
        match arguments {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(unit @ Expr::Identifier(ident))), rest @ ..]
                if self.syntax.unit_arguments
                    && ["timestampdiff", "timestampadd"].contains(&name)
                    && UNITS.contains(&ident.value.to_ascii_lowercase().as_str()) =>
            {
                self.note(unit);
                rest
            }
            all => all,
        }
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
}

/// What a call counts, where it counts nothing but how many values there are of it: no condition decides over them.
pub(super) fn plainly_counted(function: &Function) -> Option<&Expr> {
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
    let name = name.value.to_lowercase();
    let counts = COUNTS.contains(&name.as_str()) && name != COUNT_OF_A_CONDITION;
    let is_plain = function.filter.is_none()
        && function.over.is_none()
        && function.within_group.is_empty()
        && matches!(function.parameters, FunctionArguments::None);
    only_argument(&function.args).filter(|_| counts && is_plain)
}

/// Functions that make rows of a value where they stand in the select list.
const UNFOLDING: [&str; 26] = [
    "arrayjoin",
    "generate_series",
    "generate_subscripts",
    "json_array_elements",
    "json_array_elements_text",
    "json_each",
    "json_each_text",
    "json_object_keys",
    "json_populate_recordset",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_each",
    "jsonb_each_text",
    "jsonb_object_keys",
    "jsonb_path_query",
    "jsonb_path_query_tz",
    "jsonb_populate_recordset",
    "regexp_extract_all",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "ts_debug",
    "ts_parse",
    "ts_token_type",
    "unnest",
    "unpivot_list",
];

/// Whether a count is of different values.
fn counts_different(function: &Function) -> bool {
    let is_distinct = match &function.args {
        FunctionArguments::List(list) => list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
        _ => false,
    };
    is_distinct || !function.name.to_string().eq_ignore_ascii_case("count")
}

fn is_aggregate(name: &str) -> bool {
    AGGREGATES.contains(&name)
}

fn is_one_of(function: &Function, names: &[&str]) -> bool {
    let name = function.name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.to_lowercase());
    name.is_some_and(|name| names.contains(&name.as_str()))
}

/// Whether a function makes rows of a value.
pub(super) fn unfolds(function: &Function) -> bool {
    is_one_of(function, &UNFOLDING)
}

/// Whether an aggregate has its rows sorted: other ones of the same query get them in that order, too.
pub(super) fn sorts(function: &Function) -> bool {
    let clauses = match &function.args {
        FunctionArguments::List(list) => {
            list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
                || list.clauses.iter().any(|clause| matches!(clause, FunctionArgumentClause::OrderBy(_)))
        }
        _ => false,
    };
    clauses || !function.within_group.is_empty()
}

/// Functions that say nothing of the order in which rows came, whatever they are of: counts, and what is reckoned with them. Of equal
/// values the greatest is one of them, `1.0` or `1.00`, a sum of floating point numbers has the order in its last digits, and a clock
/// goes on from row to row.
const WITHOUT_ORDER: [&str; 11] =
    ["abs", "ceil", "coalesce", "count", "countif", "floor", "ifnull", "nullif", "round", "uniq", "uniqexact"];

/// Whether a function may tell in which order rows came.
pub(super) fn may_tell_an_order(function: &Function) -> bool {
    !is_one_of(function, &WITHOUT_ORDER)
}

/// The argument of a function that has one, without further clauses.
fn only_argument(arguments: &FunctionArguments) -> Option<&Expr> {
    match arguments {
        FunctionArguments::List(list) if list.clauses.is_empty() => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(only))] => Some(only),
            _ => None,
        },
        _ => None,
    }
}
