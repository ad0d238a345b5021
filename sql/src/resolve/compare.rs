//! Comparisons: columns with literals, columns with columns.

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query,
    SelectItem, SetExpr, Spanned, TableFactor, UnaryOperator, Value,
};

use catalog::TypeClass;

use super::Resolver;
use super::lookup::Position;
use super::scope::Flow;
use super::uses::is_name;
use crate::reading::{
    ColumnRef, Compared, Comparison, EffectKind, Folding, JoinUse, LiteralKind, LiteralUse, LiteralValue, Manner,
    Mingled, Operand, Origin, WrappedUse,
};
use crate::span::Span;

/// Signs of a number that is looked up, at most: those of the least and greatest whole numbers of 64 bits.
const LONGEST_NUMBER: usize = 20;

impl Resolver<'_> {
    /// An expression that compares; other operators are read for their operands.
    pub(super) fn comparison(&mut self, expression: &Expr) -> Flow {
        match expression {
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right, self.is_predicate(expression)),
            // NULL has its place here.
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right)
                if [left, right].iter().any(|it| self.literal(it).is_some_and(|it| it.kind == LiteralKind::Null)) =>
            {
                self.all([left.as_ref(), right])
            }
            Expr::IsDistinctFrom(left, right) => {
                self.compared(left, Comparison::NotEqual, right, self.is_predicate(expression))
            }
            Expr::IsNotDistinctFrom(left, right) => {
                self.compared(left, Comparison::Equal, right, self.is_predicate(expression))
            }
            Expr::InList { expr, list, negated } => {
                if let [Expr::Subquery(subquery)] = list.as_slice() {
                    self.refuse_bare_subquery(subquery);
                }
                if let [only] = list.as_slice()
                    && self.syntax.tables_behind_in
                    && matches!(bare(only), Expr::Identifier(_) | Expr::CompoundIdentifier(_))
                {
                    let what = "a name behind `IN` can be a table's: write `IN (SELECT …)`".to_owned();
                    self.effect(EffectKind::NotUnderstood, what, self.lines.span(only.span()));
                }
                let operator = if *negated { Comparison::NotEqual } else { Comparison::Equal };
                let since = self.uses_so_far();
                let flow = self.compared_with_each(expr, list.iter().map(|item| (operator, item)), list.len());
                if self.is_predicate(expression) && list.iter().all(|item| self.looks_up(since, item)) {
                    self.column_uses_are(since, expr, &Manner::Constants(list.len()));
                }
                flow
            }
            Expr::Between { expr, low, high, negated } => {
                let ends = if *negated {
                    [(Comparison::Less, low.as_ref()), (Comparison::Greater, high.as_ref())]
                } else {
                    [(Comparison::GreaterOrEqual, low.as_ref()), (Comparison::LessOrEqual, high.as_ref())]
                };
                self.compared_with_each(expr, ends, 1)
            }
            // With an escape character of its own a pattern isn't read here.
            Expr::Like { expr, pattern, escape_char: Some(escape), .. }
            | Expr::ILike { expr, pattern, escape_char: Some(escape), .. } => {
                self.all([expr.as_ref(), pattern, escape])
            }
            Expr::ILike { expr, pattern, negated: true, .. } => self.all([expr.as_ref(), pattern]),
            Expr::Like { negated, expr, pattern, .. } => {
                let operator = if *negated { Comparison::NotLike } else { Comparison::Like };
                self.compared(expr, operator, pattern, false)
            }
            Expr::ILike { expr, pattern, .. } => self.compared(expr, Comparison::ILike, pattern, false),
            other => self.all([other]),
        }
    }

    /// `restricts`: the comparison does nothing but restrict rows.
    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr, restricts: bool) -> Flow {
        if *op == BinaryOperator::Match {
            self.note_match();
        }
        let operator = match op {
            BinaryOperator::Eq | BinaryOperator::Spaceship => Comparison::Equal,
            BinaryOperator::NotEq => Comparison::NotEqual,
            BinaryOperator::Lt => Comparison::Less,
            BinaryOperator::LtEq => Comparison::LessOrEqual,
            BinaryOperator::Gt => Comparison::Greater,
            BinaryOperator::GtEq => Comparison::GreaterOrEqual,
            BinaryOperator::Glob => Comparison::Glob,
            BinaryOperator::Plus | BinaryOperator::Minus => return self.summed(left, right),
            _ => return self.all([left, right]),
        };
        self.compared(left, operator, right, restricts)
    }

    /// `a + b`, `sum(a) - sum(b)`.
    fn summed(&mut self, left: &Expr, right: &Expr) -> Flow {
        let flows = [left, right].map(|side| self.expression(side));
        let [one, other] = &flows;
        if let ([one], [other]) = (one.sources.as_slice(), other.sources.as_slice())
            && is_name(measured(left))
            && is_name(measured(right))
        {
            self.note_mingled(*one, *other, self.lines.span(left.span()));
        }
        let together: usize = flows.iter().map(|flow| flow.sources.len()).sum();
        self.afford(together);
        let [one, other] = flows;
        one.join(&other).computed()
    }

    /// Notes that values of two base columns come together in one.
    pub(super) fn note_mingled(&mut self, one: u32, other: u32, span: Option<Span>) {
        if one != other {
            let [left, right] = [one, other].map(|number| self.columns[number as usize].clone());
            self.reading.mingled.push(Mingled { left, right, span });
        }
    }

    /// Whether an expression is a literal whatever names there are: what is in double quotes may be a name after all.
    fn is_constant(&self, expression: &Expr) -> bool {
        self.literal(expression).is_some_and(|literal| literal.kind != LiteralKind::DoubleQuoted)
    }

    /// Whether an expression is a constant of the kind that the columns hold which were used since then.
    fn looks_up(&self, since: usize, constant: &Expr) -> bool {
        let constant = match bare(constant) {
            // What is converted to the column's own type is what the column would have made of it.
            Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr, data_type, format: None }
                if matches!(expr.as_ref(), Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)))
                    && self.columns_used(since).all(|column| self.is_of(column, data_type)) =>
            {
                expr
            }
            _ => constant,
        };
        self.is_constant(constant) && self.columns_used(since).all(|column| self.is_like(column, constant))
    }

    /// Whether a constant is of the kind that a column holds, so that engines compare the whole value and don't make
    /// something else of it first: to MySQL the text `49 30 1234` equals the number 49, and DuckDB says which value it
    /// couldn't convert.
    fn is_like(&self, column: &ColumnRef, constant: &Expr) -> bool {
        use LiteralKind::{Boolean, Bytes, DoubleQuoted, Null, Number, Text};
        let Some(literal) = self.literal(constant) else { return false };
        let is_typed = matches!(without_sign_or_collation(constant), Expr::TypedString(_));
        let text = literal.kind == Text && !is_typed;
        let is_plain = keeps_letters(constant);
        literal.kind == Null
            || is_plain
                && match self.class(column) {
                    // Of more digits than a column takes, DuckDB says by an error how many a value has.
                    TypeClass::Integer | TypeClass::Real => {
                        (literal.kind == Number || text) && literal.text.len() <= LONGEST_NUMBER
                    }
                    TypeClass::Boolean => matches!(literal.kind, Boolean | Number) || text,
                    TypeClass::Date | TypeClass::Time | TypeClass::Timestamp => literal.kind == Text,
                    TypeClass::Binary => literal.kind == Bytes || text,
                    TypeClass::Text | TypeClass::Json | TypeClass::Uuid => text,
                    // A column of no type, in SQLite, holds what was put into it, and nothing is converted.
                    TypeClass::Other => text || literal.kind == Number && self.is_untyped(column),
                }
                && literal.kind != DoubleQuoted
    }

    /// Whether a column is declared to be of this type, or both are texts of any length.
    fn is_of(&self, column: &ColumnRef, data_type: &DataType) -> bool {
        const TEXTS: [&str; 3] = ["text", "varchar", "character varying"];
        let table = self.schema.table(&column.table);
        let Some(declared) = table.and_then(|table| table.column(&column.column)) else { return false };
        let (declared, cast) = (declared.data_type.to_lowercase(), data_type.to_string().to_lowercase());
        let cast = match cast.as_str() {
            "timestamp" => "timestamp without time zone",
            "timestamptz" => "timestamp with time zone",
            other => other,
        };
        let is_text = TEXTS.contains(&declared.split('(').next().unwrap_or_default()) && TEXTS.contains(&cast);
        declared == cast || is_text
    }

    fn class(&self, column: &ColumnRef) -> TypeClass {
        let table = self.schema.table(&column.table);
        table.and_then(|table| table.column(&column.column)).map_or(TypeClass::Other, |column| column.type_class)
    }

    fn is_untyped(&self, column: &ColumnRef) -> bool {
        let table = self.schema.table(&column.table);
        table.and_then(|table| table.column(&column.column)).is_some_and(|column| column.data_type.is_empty())
    }

    /// Whether values of two columns are compared as they are.
    pub(super) fn are_alike(&self, one: &ColumnRef, other: &ColumnRef) -> bool {
        let family = |column| match self.class(column) {
            TypeClass::Real => TypeClass::Integer,
            TypeClass::Date => TypeClass::Timestamp,
            class => class,
        };
        family(one) == family(other)
    }

    /// Reads `left operator right` and notes what is compared; `restricts`, as of [`Self::binary`].
    fn compared(&mut self, left: &Expr, operator: Comparison, right: &Expr, restricts: bool) -> Flow {
        let first = self.uses_so_far();
        let left_flow = self.expression_at(left, self.position_beside(right));
        let second = self.uses_so_far();
        let right_flow = self.expression_at(right, self.position_beside(left));
        if restricts && matches!(operator, Comparison::Equal | Comparison::NotEqual) {
            if self.looks_up(first, right) {
                self.column_uses_are(first, left, &Manner::Constants(1));
            } else if self.looks_up(second, left) {
                self.column_uses_are(second, right, &Manner::Constants(1));
            } else if operator == Comparison::Equal && is_name(left) && is_name(right) {
                self.equated_uses((&left_flow, first), (&right_flow, second));
            }
        }
        self.note_literal((left, &left_flow), operator, right, 1);
        self.note_literal((right, &right_flow), mirrored(operator), left, 1);
        self.note_types((left, &left_flow), operator, (right, &right_flow));
        if operator == Comparison::Equal {
            self.note_join(left, &left_flow, &right_flow);
        }
        left_flow.join(&right_flow).computed()
    }

    fn compared_with_each<'e>(
        &mut self,
        subject: &Expr,
        others: impl IntoIterator<Item = (Comparison, &'e Expr)>,
        among: usize,
    ) -> Flow {
        let subject_flow = self.expression(subject);
        let mut together = subject_flow.clone();
        for (operator, other) in others {
            let flow = self.expression_at(other, self.position_beside(subject));
            self.note_literal((subject, &subject_flow), operator, other, among);
            self.note_types((subject, &subject_flow), operator, (other, &flow));
            together = together.join(&flow);
        }
        together.computed()
    }

    /// `CASE subject WHEN other`.
    pub(super) fn equated(&mut self, subject: &Expr, subject_flow: Flow, other: &Expr) {
        self.expression_at(other, self.position_beside(subject));
        self.note_literal((subject, &subject_flow), Comparison::Equal, other, 1);
    }

    pub(super) fn in_subquery(&mut self, subject: &Expr, subquery: &Query) -> Flow {
        self.refuse_bare_subquery(subquery);
        let flow = self.expression(subject);
        let shape = self.query(subquery);
        shape.outputs.iter().for_each(|output| self.note_use(&output.flow, None));
        if let Some(output) = shape.outputs.first() {
            self.note_join(subject, &flow, &output.flow);
        }
        if !self.is_strict() {
            return shape.outputs.iter().fold(flow, |flow, output| flow.join(&output.flow)).computed();
        }
        flow.computed()
    }

    /// Notes a subquery behind IN, ANY or ALL that reads no table, where the engine can end of it.
    pub(super) fn refuse_bare_subquery(&mut self, subquery: &Query) {
        if self.syntax.dies_of_bare_subqueries && reads_no_table(&subquery.body) {
            let what = "a subquery behind IN, ANY or ALL reads no table".to_owned();
            self.effect(EffectKind::EndsTheEngine, what, self.lines.span(subquery.span()));
        }
    }

    /// Notes what is compared, where the types of both sides can be told from it and a column is one of them.
    fn note_types(&mut self, left: (&Expr, &Flow), operator: Comparison, right: (&Expr, &Flow)) {
        let span = self.lines.span(left.0.span());
        let (Some(left), Some(right)) = (self.operand(left.0, left.1), self.operand(right.0, right.1)) else { return };
        if [&left, &right].iter().any(|operand| matches!(operand, Operand::Column(_))) {
            self.reading.compared.push(Compared { left, operator, right, span });
        }
    }

    fn operand(&self, expression: &Expr, flow: &Flow) -> Option<Operand> {
        if let Some(column) = self.direct(flow) {
            return Some(Operand::Column(column.clone()));
        }
        match bare(expression) {
            Expr::Cast { data_type, .. } => Some(Operand::Typed(data_type.to_string())),
            Expr::TypedString(typed) => Some(Operand::Typed(typed.data_type.to_string())),
            other => self.literal(other).map(Operand::Literal),
        }
    }

    /// Beside something that is no literal, a name in double quotes may be meant as a value.
    fn position_beside(&self, other: &Expr) -> Position {
        let names = matches!(
            bare(other),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Function(_) | Expr::Cast { .. }
        );
        if names { Position::Value } else { Position::Any }
    }

    fn note_join(&mut self, left: &Expr, left_flow: &Flow, right_flow: &Flow) {
        let (Some(one), Some(other)) = (self.direct(left_flow).cloned(), self.direct(right_flow).cloned()) else {
            return;
        };
        if self.restricts() {
            let span = self.lines.span(left.span());
            self.reading.joins.push(JoinUse { left: one, right: other, span });
        }
    }

    /// Notes `function(column) operator literal`, if that is what the two are.
    fn note_wrapped(&mut self, subject: &Expr, flow: &Flow, other: &Expr) {
        let [number] = flow.sources.as_slice() else { return };
        let made = flow.origin() == Origin::Computed && self.restricts();
        let Some(value) = self.literal(other).filter(|_| made) else { return };
        let by = match bare(subject) {
            Expr::Function(function) => function.name.to_string().to_lowercase(),
            Expr::Extract { .. } => "extract".to_owned(),
            Expr::Cast { .. } => "cast".to_owned(),
            _ => "an expression".to_owned(),
        };
        let span = self.lines.span(subject.span());
        let column = self.columns[*number as usize].clone();
        self.reading.wrapped.push(WrappedUse { column, by, value, span });
    }

    /// Notes `column operator literal`, if that is what the two are.
    fn note_literal(
        &mut self,
        (subject, subject_flow): (&Expr, &Flow),
        operator: Comparison,
        other: &Expr,
        among: usize,
    ) {
        self.note_wrapped(subject, subject_flow, other);
        let folding = folding(subject, other);
        let flow_is_column = self.direct(subject_flow).is_some();
        let column = if flow_is_column {
            self.direct(subject_flow).cloned()
        } else if matches!(folding, Folding::Lower | Folding::Upper | Folding::Date) {
            match subject_flow.sources.as_slice() {
                &[number] => self.columns.get(number as usize).cloned(),
                _ => None,
            }
        } else {
            None
        };
        let Some(column) = column else { return };
        let Some(value) = self.literal(other) else { return };
        let place = literal_node(other);
        self.reading.literals.push(LiteralUse {
            column,
            operator,
            folding,
            value,
            clause: self.clause(),
            among,
            span: self.lines.span(place.span()),
            column_span: self.lines.span(subject.span()),
        });
    }

    /// The literal that an argument is, through casts and arithmetic as well.
    pub(super) fn argument_literal(&self, expression: &Expr) -> Option<LiteralValue> {
        match expression {
            Expr::Cast { expr, .. } | Expr::Nested(expr) | Expr::Convert { expr, .. } => self.argument_literal(expr),
            Expr::BinaryOp { left, op, right } => {
                let number = |it: &Expr| self.argument_literal(it)?.text.parse::<f64>().ok();
                let (left, right) = (number(left)?, number(right)?);
                let value = match op {
                    BinaryOperator::Plus => left + right,
                    BinaryOperator::Minus => left - right,
                    BinaryOperator::Multiply => left * right,
                    BinaryOperator::Divide => left / right,
                    BinaryOperator::PGExp | BinaryOperator::BitwiseXor => left.powf(right),
                    BinaryOperator::PGBitwiseShiftLeft => left * right.exp2(),
                    _ => return None,
                };
                Some(LiteralValue { text: value.to_string(), kind: LiteralKind::Number })
            }
            Expr::Function(function) => self.converted_literal(function),
            Expr::Subquery(query) => match query.body.as_ref() {
                SetExpr::Select(select) if select.from.is_empty() => match select.projection.as_slice() {
                    [SelectItem::UnnamedExpr(only) | SelectItem::ExprWithAlias { expr: only, .. }] => {
                        self.argument_literal(only)
                    }
                    _ => None,
                },
                _ => None,
            },
            other => self.literal(other),
        }
    }

    /// The literal in a call that keeps a number what it is, such as `toUInt64(12)`, and the power of two literals.
    fn converted_literal(&self, function: &Function) -> Option<LiteralValue> {
        const CONVERSIONS: [&str; 7] = ["int", "bigint", "abs", "floor", "ceil", "round", "materialize"];
        let name = function.name.to_string().to_lowercase();
        let converts = ["toint", "touint", "tofloat"].iter().any(|beginning| name.starts_with(beginning));
        let is_power = matches!(name.as_str(), "pow" | "power");
        let FunctionArguments::List(list) = &function.args else { return None };
        if !(converts || is_power || CONVERSIONS.contains(&name.as_str())) || list.args.len() > 2 {
            return None;
        }
        let literals = list.args.iter().map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => self.argument_literal(expression),
            _ => None,
        });
        let literals: Vec<LiteralValue> = literals.collect::<Option<_>>()?;
        match literals.as_slice() {
            [only] if !is_power => Some(only.clone()),
            [base, exponent] if is_power => {
                let value = base.text.parse::<f64>().ok()?.powf(exponent.text.parse().ok()?);
                Some(LiteralValue { text: value.to_string(), kind: LiteralKind::Number })
            }
            _ => None,
        }
    }

    /// The literal that an expression is, through brackets, signs, casts of a string to a date, and SQLite's fallback.
    pub(super) fn literal(&self, expression: &Expr) -> Option<LiteralValue> {
        match expression {
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.literal(inner),
            Expr::Value(value) => of_value(&value.value),
            Expr::TypedString(typed) => of_value(&typed.value.value),
            Expr::UnaryOp { op, expr } => {
                let inner = self.literal(expr).filter(|inner| inner.kind == LiteralKind::Number)?;
                match op {
                    UnaryOperator::Minus => {
                        let text =
                            inner.text.strip_prefix('-').map_or_else(|| format!("-{}", inner.text), str::to_owned);
                        Some(LiteralValue { text, ..inner })
                    }
                    UnaryOperator::Plus => Some(inner),
                    _ => None,
                }
            }
            Expr::Identifier(ident) => self.string_by_fallback(ident),
            _ => None,
        }
    }
}

fn of_value(value: &Value) -> Option<LiteralValue> {
    let (text, kind) = match value {
        Value::Number(text, _) => (text.clone(), LiteralKind::Number),
        Value::Boolean(boolean) => (boolean.to_string(), LiteralKind::Boolean),
        Value::Null => (String::new(), LiteralKind::Null),
        Value::HexStringLiteral(text) => (text.clone(), LiteralKind::Bytes),
        Value::Placeholder(_) => return None,
        other => (other.clone().into_string()?, LiteralKind::Text),
    };
    Some(LiteralValue { text, kind })
}

/// The same comparison seen from the other side.
pub(super) fn mirrored(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        other => other,
    }
}

fn without_sign_or_collation(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } | Expr::UnaryOp { expr: inner, .. } => {
            without_sign_or_collation(inner)
        }
        other => other,
    }
}

/// Whether no collation stands with a literal, or one that at most leaves case and spaces at the end aside: to others,
/// letters by which texts differ are nothing.
fn keeps_letters(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner) => keeps_letters(inner),
        Expr::Collate { expr, collation } => {
            let name = collation.to_string();
            ["binary", "nocase", "rtrim"].iter().any(|it| name.eq_ignore_ascii_case(it)) && keeps_letters(expr)
        }
        _ => true,
    }
}

/// Whether a SELECT in the body has no FROM, or only `dual` in it.
fn reads_no_table(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => select.from.iter().all(|from| {
            let name = match &from.relation {
                TableFactor::Table { name, .. } => name.to_string(),
                _ => return false,
            };
            from.joins.is_empty() && name.trim_matches('`').eq_ignore_ascii_case("dual")
        }),
        SetExpr::Query(query) => reads_no_table(&query.body),
        SetExpr::SetOperation { left, right, .. } => reads_no_table(left) || reads_no_table(right),
        _ => false,
    }
}

/// An expression without brackets around it.
pub(super) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) => bare(inner),
        other => other,
    }
}

/// What an aggregate, or a function that changes no unit, is of.
fn measured(expression: &Expr) -> &Expr {
    const KEEPING: [&str; 9] = ["abs", "avg", "coalesce", "ifnull", "max", "min", "round", "sum", "total"];
    let Expr::Function(function) = bare(expression) else { return bare(expression) };
    let FunctionArguments::List(list) = &function.args else { return expression };
    match list.args.first() {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)))
            if KEEPING.contains(&function.name.to_string().to_lowercase().as_str()) =>
        {
            measured(inner)
        }
        _ => expression,
    }
}

/// The node that holds a literal's text: without brackets and collation, with the sign.
fn literal_node(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => literal_node(inner),
        other => other,
    }
}

fn folding(subject: &Expr, other: &Expr) -> Folding {
    let ignores_case = |expression: &Expr| {
        matches!(bare(expression), Expr::Collate { collation, .. }
            if collation.0.last().is_some_and(|part| part.to_string().eq_ignore_ascii_case("nocase")))
    };
    if ignores_case(subject) || ignores_case(other) {
        return Folding::IgnoresCase;
    }
    let Expr::Function(function) = bare(subject) else { return Folding::None };
    match function.name.to_string().to_ascii_lowercase().as_str() {
        "lower" | "lcase" => Folding::Lower,
        "upper" | "ucase" => Folding::Upper,
        "date" => Folding::Date,
        _ => Folding::None,
    }
}
