//! Expressions: every variant by name, so that a new one in sqlparser doesn't compile until it has been thought about.

use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, CastFormat, DataType, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgOperator, FunctionArgumentClause, FunctionArguments, Ident, JsonPath, JsonPathElem, LambdaFunction,
    ListAggOnOverflow, ObjectName, ObjectNamePart, OneOrManyWithParens, Query, Spanned, Subscript, Value,
    WindowFrameBound, WindowSpec, WindowType,
};

use super::Resolver;
use super::lookup::Position;
use super::scope::{Flow, Frame, Output, Relation};
use crate::reading::{Argument, Clause, ConditionUse, EffectKind, FunctionPlace, FunctionUse, Manner};
use crate::span::Span;

/// Functions that make one value of many rows, in any of the dialects.
const AGGREGATES: [&str; 62] = [
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
];

/// Those of them that tell how many, and nothing of what.
const COUNTS: [&str; 6] = ["approx_count_distinct", "approx_distinct", "count", "countif", "uniq", "uniqexact"];

/// The one of these whose argument says which rows count.
const COUNT_OF_A_CONDITION: &str = "countif";

impl Resolver<'_> {
    /// Reads expressions for their names alone.
    pub(super) fn expressions<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    /// Reads a condition, part by part, and connects the relations that each part mentions.
    pub(super) fn condition(&mut self, condition: &Expr) {
        let mut parts = Vec::new();
        let mut open = vec![condition];
        while let Some(part) = open.pop() {
            match part {
                Expr::BinaryOp { left, op: sqlparser::ast::BinaryOperator::And, right } => {
                    self.note(part);
                    open.extend([right.as_ref(), left.as_ref()]);
                }
                Expr::Nested(inner) => {
                    self.note(part);
                    open.push(inner);
                }
                other => parts.push(other),
            }
        }
        for part in parts {
            let mark = self.touched.len();
            if matches!(self.clause(), Clause::Where | Clause::On) {
                self.note_predicates(part);
            }
            let flow = self.expression(part);
            if let Some(column) = self.direct(&flow).cloned() {
                let span = self.lines.span(part.span());
                self.reading.conditions.push(ConditionUse { column, span });
            }
            let depth = self.frames.len().saturating_sub(1);
            let mut here: Vec<usize> =
                self.touched[mark..].iter().filter(|(frame, _)| *frame == depth).map(|(_, it)| *it).collect();
            here.sort_unstable();
            here.dedup();
            if let (Some(frame), Some((&first, others))) = (self.frames.last_mut(), here.split_first()) {
                frame.links.extend(others.iter().map(|&other| (first, other)));
            }
            self.note_equalities(part);
        }
    }

    /// Reads an expression; the base columns its value is made from.
    pub(super) fn expression(&mut self, expression: &Expr) -> Flow {
        self.expression_at(expression, Position::Any)
    }

    pub(super) fn expression_at(&mut self, expression: &Expr, position: Position) -> Flow {
        let mut flow = self.flow_of(expression, position);
        flow.whole = self.whole(expression, &flow);
        flow
    }

    fn flow_of(&mut self, expression: &Expr, position: Position) -> Flow {
        self.note(expression);
        match expression {
            Expr::Identifier(ident) => self.identifier(ident, position),
            Expr::CompoundIdentifier(parts) => self.compound(parts),
            Expr::Nested(inner) => self.expression_at(inner, position),
            Expr::Collate { expr, .. } => self.expression_at(expr, position),
            Expr::CompoundFieldAccess { root, access_chain } => self.field_access(root, access_chain),
            Expr::JsonAccess { value, path } => {
                let flow = self.expression(value);
                self.json_path(path);
                if !self.traits.colon_paths {
                    let what = "`:` between two names is not known".to_owned();
                    self.effect(EffectKind::NotUnderstood, what, self.lines.span(value.span()));
                }
                flow.computed()
            }
            Expr::IsFalse(inner)
            | Expr::IsNotFalse(inner)
            | Expr::IsTrue(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsUnknown(inner)
            | Expr::IsNotUnknown(inner)
            | Expr::IsJson { expr: inner, .. }
            | Expr::IsNormalized { expr: inner, .. }
            | Expr::UnaryOp { expr: inner, .. }
            | Expr::OuterJoin(inner)
            | Expr::Prior(inner)
            | Expr::Named { expr: inner, .. }
            | Expr::Prefixed { value: inner, .. } => self.all([inner.as_ref()]),
            Expr::Ceil { expr: inner, .. } => self.special_form("ceil", [inner.as_ref()]),
            Expr::Floor { expr: inner, .. } => self.special_form("floor", [inner.as_ref()]),
            Expr::IsNull(inner) | Expr::IsNotNull(inner) => {
                let since = self.uses_so_far();
                let flow = self.all([inner.as_ref()]);
                self.uses_are(since, inner, &Manner::NullTested);
                flow
            }
            Expr::Extract { expr: inner, .. } => self.extract(inner),
            Expr::Cast { expr, format, data_type, .. } => {
                self.name_of_an_object(data_type);
                if let Some(CastFormat::Value(_) | CastFormat::ValueAtTimeZone(..)) = format {
                    self.effect(EffectKind::NotUnderstood, "`CAST … FORMAT` is not known".to_owned(), None);
                }
                self.all([expr.as_ref()])
            }
            Expr::Convert { expr, styles, .. } => self.all(std::iter::once(expr.as_ref()).chain(styles)),
            Expr::BinaryOp { .. }
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. } => self.comparison(expression),
            Expr::InSubquery { expr, subquery, .. } => self.in_subquery(expr, subquery),
            Expr::InUnnest { expr, array_expr, .. } => self.all([expr.as_ref(), array_expr]),
            Expr::SimilarTo { expr, pattern, escape_char, .. } => {
                self.all([expr.as_ref(), pattern].into_iter().chain(escape_char.as_deref()))
            }
            Expr::RLike { expr, pattern, .. } => self.all([expr.as_ref(), pattern]),
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => self.all([left.as_ref(), right]),
            Expr::AtTimeZone { timestamp, time_zone } => self.all([timestamp.as_ref(), time_zone]),
            Expr::Position { expr, r#in } => self.special_form("position", [expr.as_ref(), r#in]),
            Expr::Substring { expr, substring_from, substring_for, shorthand, .. } => {
                let parts =
                    std::iter::once(expr.as_ref()).chain(substring_from.as_deref()).chain(substring_for.as_deref());
                self.special_form(if *shorthand { "substr" } else { "substring" }, parts)
            }
            Expr::Trim { trim_what, expr, trim_characters, .. } => {
                let characters = trim_characters.iter().flatten();
                let parts = std::iter::once(expr.as_ref()).chain(trim_what.as_deref()).chain(characters);
                self.special_form("trim", parts)
            }
            Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let parts = [expr.as_ref(), overlay_what, overlay_from].into_iter().chain(overlay_for.as_deref());
                self.special_form("overlay", parts)
            }
            Expr::Value(value) => {
                if let Value::Placeholder(name) = &value.value {
                    let what = format!("`{name}` is a parameter, and nothing fills it in");
                    self.effect(EffectKind::Parameter, what, self.lines.span(value.span));
                }
                if let (Value::Boolean(truth), true) = (&value.value, self.traits.truth_may_be_a_column) {
                    return self.bare_word(&Ident::with_span(value.span, truth.to_string())).unwrap_or_default();
                }
                Flow::default()
            }
            Expr::TypedString(typed) => {
                // `tuple(f(x)).1` looks to the parser like a type and a literal of it.
                let is_string = typed.value.value.clone().into_string().is_some();
                let holds_more = match &typed.data_type {
                    DataType::Custom(_, modifiers) => !modifiers.is_empty(),
                    DataType::Tuple(_)
                    | DataType::Array(_)
                    | DataType::Nested(_)
                    | DataType::Map(..)
                    | DataType::Struct(..)
                    | DataType::Union(_)
                    | DataType::Nullable(_)
                    | DataType::LowCardinality(_) => true,
                    _ => false,
                };
                if !is_string || holds_more {
                    let what = "a type in front of a literal is not known".to_owned();
                    self.effect(EffectKind::NotUnderstood, what, self.lines.span(typed.value.span));
                }
                Flow::default()
            }
            Expr::Wildcard(_) => self.whole_rows(),
            Expr::QualifiedWildcard(name, _) => self.qualified_wildcard(name),
            Expr::Function(function) => {
                if let Some(flow) = word_alone(function).and_then(|word| self.bare_word(word)) {
                    return flow;
                }
                self.function(function)
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())
            }
            Expr::Exists { subquery, .. } => {
                self.query(subquery);
                Flow::default()
            }
            Expr::Subquery(subquery) => self.subquery(subquery).computed(),
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => self.all(sets.iter().flatten()),
            Expr::Tuple(items) => self.all(items),
            Expr::Struct { values, .. } => self.all(values),
            Expr::Dictionary(fields) => self.all(fields.iter().map(|field| field.value.as_ref())),
            Expr::Map(map) => self.all(map.entries.iter().flat_map(|it| [it.key.as_ref(), it.value.as_ref()])),
            Expr::Array(array) => self.all(&array.elem),
            Expr::Interval(interval) => self.all([interval.value.as_ref()]),
            Expr::MatchAgainst { columns, .. } => self.match_against(columns),
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::MemberOf(member) => self.all([member.value.as_ref(), &member.array]),
        }
    }

    /// A query whose result is a value.
    pub(super) fn subquery(&mut self, query: &Query) -> Flow {
        let shape = self.query(query);
        let mut flow = shape.outputs.iter().fold(Flow::default(), |flow, output| flow.join(&output.flow));
        if let [only] = shape.outputs.as_slice() {
            flow.whole = only.flow.whole.clone();
        }
        self.note_use(&flow, None);
        flow
    }

    fn extract(&mut self, of: &Expr) -> Flow {
        let flow = self.expression(of);
        let argument = self.direct(&flow).cloned().map_or(Argument::Expression, Argument::Column);
        self.reading.functions.push(FunctionUse {
            path: vec!["extract".to_owned()],
            place: FunctionPlace::Expression,
            arguments: vec![argument],
            span: self.lines.span(of.span()),
        });
        flow.computed()
    }

    /// A function with a syntax of its own, such as `EXTRACT(YEAR FROM day)`: not every dialect has it.
    fn special_form<'e>(&mut self, name: &str, parts: impl IntoIterator<Item = &'e Expr>) -> Flow {
        let parts: Vec<&Expr> = parts.into_iter().collect();
        self.reading.functions.push(FunctionUse {
            path: vec![name.to_owned()],
            place: FunctionPlace::Expression,
            arguments: vec![Argument::Expression; parts.len()],
            span: None,
        });
        self.all(parts)
    }

    /// The flows of several expressions as one computed value.
    pub(super) fn all<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) -> Flow {
        let mut together = Flow::default();
        for expression in expressions {
            let flow = self.expression(expression);
            self.afford(flow.sources.len() + together.sources.len());
            together = together.join(&flow);
        }
        together.computed()
    }

    /// PostgreSQL's types for the numbers of tables, roles and the like: a cast from one to a text is a look into its
    /// catalogs, and is held against the list of functions.
    fn name_of_an_object(&mut self, data_type: &DataType) {
        let name = data_type.to_string().to_lowercase();
        if name.starts_with("reg") || name.starts_with("pg_catalog.reg") {
            self.reading.functions.push(FunctionUse {
                path: vec![name],
                place: FunctionPlace::Expression,
                arguments: vec![Argument::Expression],
                span: None,
            });
        }
    }

    fn field_access(&mut self, root: &Expr, chain: &[AccessExpr]) -> Flow {
        let mut flow = self.expression(root);
        // SQLite takes a text in quotes for the name of a table here, as other engines take a text in double quotes.
        let has_fields = self.traits.nested_fields || self.traits.calls_by_dot;
        let is_text = matches!(root, Expr::Value(_));
        let names_a_field = |access: &AccessExpr| match access {
            AccessExpr::Dot(Expr::Identifier(_)) => is_text || !has_fields,
            AccessExpr::Dot(_) => !has_fields,
            AccessExpr::Subscript(_) => false,
        };
        if chain.iter().any(names_a_field) {
            let what = "a field of a value is not known".to_owned();
            self.effect(EffectKind::NotUnderstood, what, self.lines.span(root.span()));
        }
        for access in chain {
            match access {
                // A field of a nested value: a name in a namespace we don't know. It is noted, not resolved.
                AccessExpr::Dot(field @ Expr::Identifier(name)) => {
                    self.note(field);
                    if self.traits.calls_by_dot {
                        self.called_by_dot(name);
                    }
                }
                AccessExpr::Dot(other) => {
                    let before = self.reading.functions.len();
                    self.expression(other);
                    // `name.lower()`: what stands before the dot is an argument.
                    if let Some(function) = self.reading.functions.get_mut(before) {
                        function.arguments.insert(0, Argument::Expression);
                    }
                }
                // The place that is asked for can be read off what is found there.
                AccessExpr::Subscript(subscript) => flow = flow.join(&self.subscript(subscript)),
            }
        }
        flow.computed()
    }

    /// `(value).name`, which PostgreSQL reads as `name(value)` where the value has no such field.
    pub(super) fn called_by_dot(&mut self, name: &Ident) {
        // Columns of the functions that unfold documents, which no function is called by.
        if ["key", "value", "ordinality"].contains(&name.value.as_str()) {
            return;
        }
        self.reading.functions.push(FunctionUse {
            path: vec![self.traits.fold(name).to_lowercase()],
            place: FunctionPlace::Expression,
            arguments: vec![Argument::Expression],
            span: self.ident_span(name),
        });
    }

    fn subscript(&mut self, subscript: &Subscript) -> Flow {
        match subscript {
            Subscript::Index { index } => self.all([index]),
            Subscript::Slice { lower_bound, upper_bound, stride } => {
                self.all(lower_bound.iter().chain(upper_bound).chain(stride))
            }
        }
    }

    fn json_path(&mut self, path: &JsonPath) {
        for element in &path.path {
            match element {
                JsonPathElem::Dot { .. } => {}
                JsonPathElem::Bracket { key } | JsonPathElem::ColonBracket { key } => self.expressions([key]),
            }
        }
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        conditions: &[sqlparser::ast::CaseWhen],
        otherwise: Option<&Expr>,
    ) -> Flow {
        let operand_flow = operand.map(|operand| (operand, self.expression(operand)));
        let mut flow = Flow::default();
        for when in conditions {
            match &operand_flow {
                Some((operand, operand_flow)) => self.equated(operand, operand_flow.clone(), &when.condition),
                None => self.expressions([&when.condition]),
            }
            let result = self.expression(&when.result);
            flow = flow.join(&result);
        }
        if let Some(otherwise) = otherwise {
            let result = self.expression(otherwise);
            flow = flow.join(&result);
        }
        flow.computed()
    }

    /// `*` as a value: the columns of all relations in sight, as the body of a function of one argument doesn't hide
    /// those of the FROM around it.
    fn whole_rows(&mut self) -> Flow {
        let mut all = Flow::default();
        for frame in 0..self.frames.len() {
            for relation in 0..self.frames[frame].relations.len() {
                let row = self.whole_row(frame, relation);
                all = all.join(&row);
            }
        }
        all.computed()
    }

    fn qualified_wildcard(&mut self, name: &ObjectName) -> Flow {
        let idents: Vec<Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).cloned().collect();
        let parts = self.parts(name);
        for frame in (0..self.frames.len()).rev() {
            let found = super::lookup::relations_called(self.traits, &self.frames[frame], &parts);
            if let Some(&relation) = found.first() {
                self.touched.push((frame, relation));
                return self.whole_row(frame, relation);
            }
        }
        if let Some(first) = idents.first() {
            let kind = crate::reading::ProblemKind::UnknownAlias {
                qualifier: parts.join("."),
                column: None,
                visible: self.visible(),
            };
            self.problem(kind, self.ident_span(first));
        }
        Flow::default()
    }

    fn match_against(&mut self, columns: &[ObjectName]) -> Flow {
        let mut flow = Flow::default();
        for column in columns {
            let idents: Vec<Ident> = column.0.iter().filter_map(ObjectNamePart::as_ident).cloned().collect();
            let part = match idents.as_slice() {
                [] => continue,
                [single] => self.identifier(single, Position::Any),
                several => self.compound(several),
            };
            flow = flow.join(&part);
        }
        flow.computed()
    }

    fn lambda(&mut self, lambda: &LambdaFunction) -> Flow {
        let parameters = match &lambda.params {
            OneOrManyWithParens::One(parameter) => std::slice::from_ref(parameter),
            OneOrManyWithParens::Many(parameters) => parameters.as_slice(),
        };
        let columns: Vec<Output> = parameters
            .iter()
            .map(|parameter| Output { name: Some(self.traits.fold(&parameter.name)), named: true, ..Output::default() })
            .collect();
        let mut frame = Frame::new(self.clause());
        frame.relations.push(Relation { columns: columns.into(), single_row: true, ..Relation::default() });
        // In DuckDB `column -> '$.field'` is written like a function of one argument.
        let mut argument = Flow::default();
        if let OneOrManyWithParens::One(parameter) = &lambda.params
            && self.is_visible(&parameter.name)
        {
            argument = self.identifier(&parameter.name, Position::Any);
        }
        self.frames.push(frame);
        let flow = self.expression(&lambda.body);
        self.frames.pop();
        flow.join(&argument).computed()
    }

    fn function(&mut self, function: &Function) -> Flow {
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
        if UNFOLDING.contains(&name.as_str()) {
            self.note_sizes(&flow);
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
        if !windowed && !scalar_min_max && (AGGREGATES.contains(&name.as_str()) || !function.within_group.is_empty()) {
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
                if self.traits.executable_comments
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
    }

    /// Notes an expression and all in it as seen, without looking names up: for targets that are refused anyway.
    pub(super) fn note_deeply(&mut self, expression: &Expr) {
        let _ = sqlparser::ast::visit_expressions(expression, |inner: &Expr| {
            self.note(inner);
            ControlFlow::<()>::Continue(())
        });
    }

    /// Whether WHERE, ON and the like are being read, where a comparison restricts rows.
    pub(super) fn restricts(&self) -> bool {
        matches!(self.clause(), Clause::On | Clause::Where | Clause::Having | Clause::Qualify)
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

/// The name of a function that is written without brackets, such as `current_date`.
fn word_alone(function: &Function) -> Option<&Ident> {
    match (&function.args, &function.parameters, function.name.0.as_slice()) {
        (FunctionArguments::None, FunctionArguments::None, [ObjectNamePart::Identifier(name)]) => Some(name),
        _ => None,
    }
}
