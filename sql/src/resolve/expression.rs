//! Expressions: every variant by name, so that a new one in sqlparser doesn't compile until it has been thought about.

use std::ops::ControlFlow;

use dialect::Clause;
use sqlparser::ast::{
    AccessExpr, CastFormat, DataType, Expr, Function, FunctionArguments, Ident, JsonPath, JsonPathElem, LambdaFunction,
    ObjectName, ObjectNamePart, OneOrManyWithParens, Query, Spanned, Subscript, Value,
};

use super::Resolver;
use super::compare::bare;
use super::lookup::Position;
use super::scope::{Flow, Frame, Output, Relation};
use crate::parser::Idents as _;
use crate::reading::{Argument, ConditionUse, EffectKind, FunctionPlace, FunctionUse, Manner, ProblemKind};

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
            self.note_restriction(part);
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
                if !self.syntax.colon_paths {
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
                let tested = self.all([inner.as_ref()]);
                let tests_fields = self.syntax.null_tests_look_into_rows
                    && self.columns_used(since).any(|column| self.holds_rows(column));
                if !tests_fields {
                    self.column_uses_are(since, inner, &Manner::NullTested);
                }
                // Whether there is a value is no part of it.
                if self.is_strict() { Flow::default() } else { tested }
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
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                if let Expr::Subquery(subquery) = bare(right) {
                    self.refuse_bare_subquery(subquery);
                }
                self.all([left.as_ref(), right])
            }
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
                if let Value::DoubleQuotedString(text) = &value.value {
                    let ident = Ident::with_span(value.span, text.as_str());
                    if self.is_visible(&ident) {
                        let kind = ProblemKind::QuotedLikeAColumn { name: self.syntax.fold(&ident) };
                        self.problem(kind, self.lines.span(value.span));
                    }
                }
                if let (Value::Boolean(truth), true) = (&value.value, self.syntax.truth_may_be_a_column) {
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
                let since = self.uses_so_far();
                self.query(subquery);
                // Whether there are such rows tells of what picks them.
                if self.is_strict() { Flow::default() } else { self.with_all_used(since) }
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
        let (mut flow, chain) = match self.leading_column(root, chain) {
            Some((flow, behind)) => (flow, &chain[behind..]),
            None => (self.expression(root), chain),
        };
        // SQLite takes a text in quotes for the name of a table here, as other engines take a text in double quotes.
        let has_fields = self.syntax.nested_fields || self.syntax.calls_by_dot;
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
                    if self.syntax.calls_by_dot {
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

    /// `relation.column[1]`: the column, and how many links of the chain name it.
    fn leading_column(&mut self, root: &Expr, chain: &[AccessExpr]) -> Option<(Flow, usize)> {
        let Expr::Identifier(first) = root else { return None };
        let named = chain.iter().map_while(|access| match access {
            AccessExpr::Dot(field @ Expr::Identifier(name)) => Some((field, name)),
            _ => None,
        });
        let (parts, names): (Vec<&Expr>, Vec<&Ident>) = std::iter::once((root, first)).chain(named).unzip();
        let folded: Vec<String> = names.iter().map(|name| self.syntax.fold(name)).collect();
        let since = self.uses_so_far();
        for length in (1..names.len()).rev() {
            if let Some(flow) = self.qualified(&folded[..length], names[length], &folded[length]) {
                parts[..=length].iter().for_each(|part| self.note(*part));
                self.note_name(&folded[length]);
                self.uses_are_of_parts(since);
                return Some((flow, length));
            }
        }
        None
    }

    /// `(value).name`, which PostgreSQL reads as `name(value)` where the value has no such field.
    pub(super) fn called_by_dot(&mut self, name: &Ident) {
        // Columns of the functions that unfold documents, which no function is called by.
        if ["key", "value", "ordinality"].contains(&name.value.as_str()) {
            return;
        }
        self.reading.functions.push(FunctionUse {
            path: vec![self.syntax.fold(name).to_lowercase()],
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
        if let Some((_, operand)) = operand_flow.as_ref().filter(|_| !self.is_strict()) {
            flow = flow.join(operand);
        }
        for when in conditions {
            match &operand_flow {
                Some((operand, operand_flow)) => self.equated(operand, operand_flow.clone(), &when.condition),
                // Who reads a statement of their own is told by its uses.
                None if !self.is_strict() => {
                    let condition = self.expression(&when.condition);
                    flow = flow.join(&condition);
                }
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
    pub(super) fn whole_rows(&mut self) -> Flow {
        let mut all = Flow::default();
        for frame in 0..self.frames.len() {
            for relation in 0..self.frames[frame].relations.len() {
                let row = self.whole_row(frame, relation);
                all = all.join(&row);
            }
        }
        all.computed()
    }

    pub(super) fn qualified_wildcard(&mut self, name: &ObjectName) -> Flow {
        let idents: Vec<Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).cloned().collect();
        let parts = self.parts(name);
        for frame in (0..self.frames.len()).rev() {
            let found = super::lookup::relations_called(self.syntax, &self.frames[frame], &parts);
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
            .map(|parameter| Output { name: Some(self.syntax.fold(&parameter.name)), named: true, ..Output::default() })
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

/// The name of a function that is written without brackets, such as `current_date`.
pub(super) fn word_alone(function: &Function) -> Option<&Ident> {
    match (&function.args, &function.parameters, function.name.0.as_slice()) {
        (FunctionArguments::None, FunctionArguments::None, [ObjectNamePart::Identifier(name)]) => Some(name),
        _ => None,
    }
}
