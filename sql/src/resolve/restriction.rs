//! What conditions say of single columns: one condition is written in many ways.

use sqlparser::ast::{
    BinaryOperator, CastKind, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};

use super::Resolver;
use super::compare::bare;
use crate::reading::{ColumnRef, Comparison, LiteralKind, LiteralValue, Restriction, Test};

/// A column in a condition.
struct Subject {
    column: ColumnRef,
    ignores_case: bool,
}

impl Resolver<'_> {
    /// Notes what a part of a condition says of one column, if it says nothing else.
    pub(super) fn note_restriction(&mut self, part: &Expr) {
        if let Some((Subject { column, ignores_case }, test)) = self.tested(part) {
            self.reading.restrictions.push(Restriction { column, test, ignores_case });
        }
    }

    fn tested(&self, part: &Expr) -> Option<(Subject, Test)> {
        use BinaryOperator::{
            Eq, Gt, GtEq, Lt, LtEq, NotEq, Or, PGRegexIMatch, PGRegexMatch, PGRegexNotIMatch, PGRegexNotMatch,
            Spaceship,
        };
        match part {
            Expr::Nested(inner) => self.tested(inner),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => {
                self.tested(expr).map(|(subject, test)| (subject, test.negated()))
            }
            Expr::BinaryOp { left, op: Or, right } => {
                let ((one, test), (other, or)) = (self.tested(left)?, self.tested(right)?);
                let ignores_case = one.ignores_case || other.ignores_case;
                let is_same = one.column == other.column;
                is_same.then(|| test.or(or)).flatten().map(|test| (Subject { ignores_case, ..one }, test))
            }
            Expr::BinaryOp { left, op: Eq | Spaceship, right } | Expr::IsNotDistinctFrom(left, right) => {
                self.equal(left, right)
            }
            Expr::BinaryOp { left, op: NotEq, right } | Expr::IsDistinctFrom(left, right) => {
                self.equal(left, right).map(|(subject, test)| (subject, test.negated()))
            }
            Expr::BinaryOp { left, op: Lt, right } => self.ordered(left, Comparison::Less, right),
            Expr::BinaryOp { left, op: LtEq, right } => self.ordered(left, Comparison::LessOrEqual, right),
            Expr::BinaryOp { left, op: Gt, right } => self.ordered(left, Comparison::Greater, right),
            Expr::BinaryOp { left, op: GtEq, right } => self.ordered(left, Comparison::GreaterOrEqual, right),
            Expr::BinaryOp { left, op: PGRegexMatch, right } => self.matching(left, right, false, true),
            Expr::BinaryOp { left, op: PGRegexIMatch, right } => ignoring_case(self.matching(left, right, false, true)),
            Expr::BinaryOp { left, op: PGRegexNotMatch, right } => self.matching(left, right, true, true),
            Expr::BinaryOp { left, op: PGRegexNotIMatch, right } => {
                ignoring_case(self.matching(left, right, true, true))
            }
            Expr::RLike { negated, expr, pattern, .. } => ignoring_case(self.matching(expr, pattern, *negated, true)),
            Expr::Like { negated, expr, pattern, any: false, escape_char: None } => {
                self.matching(expr, pattern, *negated, false)
            }
            Expr::ILike { negated, expr, pattern, any: false, escape_char: None } => {
                ignoring_case(self.matching(expr, pattern, *negated, false))
            }
            Expr::InList { expr, list, negated } => {
                let test = self.among(list)?;
                Some((self.subject(expr)?, if *negated { test.negated() } else { test }))
            }
            Expr::AnyOp { left, compare_op: Eq, right, .. } => Some((self.subject(left)?, self.among_those_of(right)?)),
            Expr::AllOp { left, compare_op: NotEq, right } => {
                Some((self.subject(left)?, self.among_those_of(right)?.negated()))
            }
            Expr::IsNull(inner) => Some((self.subject(inner)?, Test::Null)),
            Expr::IsNotNull(inner) => Some((self.subject(inner)?, Test::NotNull)),
            Expr::IsTrue(inner) => self.is(inner, "true"),
            Expr::IsFalse(inner) => self.is(inner, "false"),
            Expr::IsNotTrue(inner) => self.is(inner, "true").map(|(subject, test)| (subject, test.negated())),
            Expr::IsNotFalse(inner) => self.is(inner, "false").map(|(subject, test)| (subject, test.negated())),
            _ => self.is(part, "true"),
        }
    }

    fn is(&self, expression: &Expr, boolean: &str) -> Option<(Subject, Test)> {
        let value = LiteralValue { text: boolean.to_owned(), kind: LiteralKind::Boolean };
        Some((self.subject(expression)?, Test::OneOf(vec![value])))
    }

    fn equal(&self, left: &Expr, right: &Expr) -> Option<(Subject, Test)> {
        let (subject, value) = match self.constant(right) {
            Some(value) => (self.subject(left)?, value),
            None => (self.subject(right)?, self.constant(left)?),
        };
        match value {
            // `x <=> NULL`, and SQLite's `x IS NULL` written otherwise.
            Some(value) if value.kind == LiteralKind::Null => Some((subject, Test::Null)),
            value => Some((subject, Test::OneOf(value.into_iter().collect()))),
        }
    }

    fn matching(&self, subject: &Expr, pattern: &Expr, negated: bool, is_regular: bool) -> Option<(Subject, Test)> {
        let pattern = self.constant(pattern)??.text;
        Some((self.subject(subject)?, Test::Matches { pattern, is_regular, negated }))
    }

    fn ordered(&self, left: &Expr, operator: Comparison, right: &Expr) -> Option<(Subject, Test)> {
        let value = |side: &Expr| match is_a_moment(side) {
            true => Some(None),
            false => self.constant(side),
        };
        match (value(left), value(right)) {
            (None, Some(value)) => Some((self.subject(left)?, Test::Ordered(operator, value))),
            (Some(value), None) => {
                Some((self.subject(right)?, Test::Ordered(super::compare::mirrored(operator), value)))
            }
            _ => None,
        }
    }

    fn among(&self, list: &[Expr]) -> Option<Test> {
        let values: Vec<Option<LiteralValue>> = list.iter().map(|item| self.constant(item)).collect::<Option<_>>()?;
        Some(Test::OneOf(values.into_iter().flatten().collect()))
    }

    /// The elements of an array behind ANY or ALL.
    fn among_those_of(&self, array: &Expr) -> Option<Test> {
        match bare(array) {
            Expr::Array(array) => self.among(&array.elem),
            Expr::Cast { expr, .. } => self.among_those_of(expr),
            Expr::Value(value) => match &value.value {
                Value::Placeholder(_) => Some(Test::OneOf(Vec::new())),
                // PostgreSQL's `'{paid,sent}'`, whose quotes and escapes aren't read.
                other => {
                    let text = other.clone().into_string()?;
                    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
                    let is_plain = !inner.contains(['"', '\\', '{']);
                    let texts = inner.split(',').map(|text| text.trim().to_owned());
                    let values = texts.map(|text| LiteralValue { text, kind: LiteralKind::Text });
                    is_plain.then(|| Test::OneOf(values.collect()))
                }
            },
            _ => None,
        }
    }

    /// A value that is the same for every row of the innermost query: the literal, if it is one.
    fn constant(&self, expression: &Expr) -> Option<Option<LiteralValue>> {
        match bare(expression) {
            Expr::Cast { expr, kind: CastKind::Cast | CastKind::DoubleColon, .. } => self.constant(expr),
            Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => Some(None),
            Expr::Subquery(_) => Some(None),
            other => self.literal(other).map(Some),
        }
    }

    /// The column that is tested, through what leaves its value what it is to who tests it.
    fn subject(&self, expression: &Expr) -> Option<Subject> {
        match bare(expression) {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let column = self.base_column(self.place(expression)?)?;
                Some(Subject { column, ignores_case: false })
            }
            Expr::Cast { expr, .. } | Expr::Trim { expr, .. } => self.subject(expr),
            Expr::Collate { expr, collation } => {
                let subject = self.subject(expr)?;
                let ignores_case = collation.to_string().eq_ignore_ascii_case("nocase");
                Some(Subject { ignores_case: subject.ignores_case || ignores_case, ..subject })
            }
            Expr::Function(function) => {
                let (name, first) = (function.name.to_string().to_lowercase(), first_argument(function)?);
                let subject = self.subject(first)?;
                match name.as_str() {
                    "lower" | "upper" | "lcase" | "ucase" => Some(Subject { ignores_case: true, ..subject }),
                    "coalesce" | "ifnull" | "nvl" | "trim" | "btrim" => Some(subject),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn ignoring_case(tested: Option<(Subject, Test)>) -> Option<(Subject, Test)> {
    tested.map(|(subject, test)| (Subject { ignores_case: true, ..subject }, test))
}

/// Whether an expression is a moment that the clock tells: `now()`, `CURRENT_DATE`, `date('now')`.
fn is_a_moment(expression: &Expr) -> bool {
    const CLOCKS: [&str; 10] = [
        "now",
        "current_date",
        "current_timestamp",
        "localtimestamp",
        "curdate",
        "today",
        "getdate",
        "sysdate",
        "clock_timestamp",
        "transaction_timestamp",
    ];
    match bare(expression) {
        Expr::Cast { expr, .. } => is_a_moment(expr),
        Expr::Function(function) => {
            let name = function.name.to_string().to_lowercase();
            let of_now =
                || matches!(first_argument(function), Some(Expr::Value(value)) if value.to_string() == "'now'");
            CLOCKS.contains(&name.as_str()) || ["date", "datetime"].contains(&name.as_str()) && of_now()
        }
        _ => false,
    }
}

pub(crate) fn first_argument(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.first()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
        _ => None,
    }
}
