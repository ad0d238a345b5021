//! Which values are whole numbers, and where one of them is divided by another.
//!
//! Some engines cut off what is behind the point when a whole number is divided by a whole number. Whether a value is
//! whole hangs on the columns it is made from, and their types are for the rules to know: here it is told which ones
//! have to be whole for the value to be.

use std::collections::HashSet;
use std::ops::ControlFlow;

use dialect::Clause;
use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Select,
    Spanned, UnaryOperator, Value, Visit, Visitor,
};

use super::Resolver;
use super::compare::bare;
use super::scope::Flow;
use crate::reading::{Division, LiteralKind};
use crate::span::Span;
use crate::sweep::address;

/// Columns that a value may be made from and still be followed.
const MOST_COLUMNS: usize = 8;
/// Divisions that are noted: more of the same help nobody.
const MOST_DIVISIONS: usize = 100;

/// What a value must be made from to be a whole number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Whole {
    /// The columns that have to be whole, by number, sorted.
    needs: Vec<u32>,
    /// A count or a sum is in it, so that it is wider than its columns are.
    wide: bool,
    /// A sum is in it.
    sums: bool,
    /// A sum of something wide is in it.
    sums_wide: bool,
}

impl Whole {
    /// The value of a column.
    pub(super) fn column(number: u32) -> Self {
        Self { needs: vec![number], ..Self::default() }
    }

    fn and(mut self, other: &Self) -> Option<Self> {
        self.needs.extend_from_slice(&other.needs);
        self.needs.sort_unstable();
        self.needs.dedup();
        self.wide |= other.wide;
        self.sums |= other.sums;
        self.sums_wide |= other.sums_wide;
        (self.needs.len() <= MOST_COLUMNS).then_some(self)
    }

    fn counted(mut self) -> Self {
        self.wide = true;
        self
    }

    fn summed(mut self) -> Self {
        self.sums_wide |= self.wide;
        self.sums = true;
        self.counted()
    }
}

/// A division that has been met, and where it stands in the tree.
#[derive(Debug)]
pub(super) struct MetDivision {
    address: usize,
    text: String,
    division: Division,
}

impl Resolver<'_> {
    /// What an expression that has just been read must be made from to be a whole number; divisions are noted.
    pub(super) fn whole(&mut self, expression: &Expr, flow: &Flow) -> Option<Whole> {
        let whole = match expression {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Subquery(_) => flow.whole.clone(),
            Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inner } => {
                self.whole_of(inner)
            }
            Expr::Value(value) => match &value.value {
                Value::Number(text, _) => text.bytes().all(|byte| byte.is_ascii_digit()).then(Whole::default),
                Value::Null => Some(Whole::default()),
                _ => None,
            },
            Expr::BinaryOp { left, op, right } => self.whole_operation(expression, left, op, right),
            Expr::Case { conditions, else_result, .. } => {
                self.whole_of_all(conditions.iter().map(|when| &when.result).chain(else_result.as_deref()))
            }
            Expr::Floor { expr: inner, .. } => {
                self.means_to_cut(inner);
                None
            }
            Expr::Cast { expr: inner, data_type, .. } => {
                if is_whole_type(data_type) {
                    self.means_to_cut(inner);
                }
                None
            }
            Expr::Function(function) => self.whole_call(function),
            _ => None,
        };
        if let Some(whole) = &whole {
            self.wholes.insert(address(expression), whole.clone());
        }
        whole
    }

    fn whole_of(&self, expression: &Expr) -> Option<Whole> {
        self.wholes.get(&address(expression)).cloned()
    }

    fn whole_of_all<'e>(&self, expressions: impl Iterator<Item = &'e Expr>) -> Option<Whole> {
        let mut together = Whole::default();
        for expression in expressions {
            together = together.and(self.wholes.get(&address(expression))?)?;
        }
        Some(together)
    }

    fn whole_operation(
        &mut self,
        expression: &Expr,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> Option<Whole> {
        match operator {
            BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
            | BinaryOperator::And
            | BinaryOperator::Or => return Some(Whole::default()),
            BinaryOperator::Plus | BinaryOperator::Minus => {}
            BinaryOperator::Multiply => {
                // `x / 10 * 10` rounds down to tens.
                for (product, factor) in [(left, right), (right, left)] {
                    if let Expr::BinaryOp { op: BinaryOperator::Divide, right: divisor, .. } = bare(product)
                        && self.number_written(factor).is_some()
                        && self.number_written(factor) == self.number_written(divisor)
                    {
                        self.means_to_cut(product);
                    }
                }
            }
            BinaryOperator::Modulo => {
                // `x / 60` beside `x % 60` takes apart.
                self.moduli.insert(bare(right).to_string());
            }
            BinaryOperator::Divide => self.note_division(expression, left, right),
            _ => return None,
        }
        self.whole_of(left)?.and(&self.whole_of(right)?)
    }

    fn whole_call(&mut self, function: &Function) -> Option<Whole> {
        let name = self.parts(&function.name).pop()?.to_lowercase();
        let FunctionArguments::List(list) = &function.args else { return None };
        let mut arguments = Vec::with_capacity(list.args.len());
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => arguments.push(argument),
                FunctionArg::Unnamed(_) if name == "count" => {}
                _ => return None,
            }
        }
        match (name.as_str(), arguments.as_slice()) {
            ("count", _) => Some(Whole::default().counted()),
            ("sum", [only]) => self.whole_of(only).map(Whole::summed),
            ("length" | "char_length" | "octet_length" | "instr" | "strpos", _) => Some(Whole::default()),
            ("abs" | "coalesce" | "greatest" | "ifnull" | "least" | "max" | "min", [_, ..]) => {
                self.whole_of_all(arguments.iter().copied())
            }
            ("nullif", [first, _]) => self.whole_of(first),
            ("if" | "iif", [_, first, second]) => self.whole_of_all([*first, *second].into_iter()),
            ("floor" | "trunc" | "truncate", [first, ..]) => {
                self.means_to_cut(first);
                None
            }
            ("mod", [_, divisor]) => {
                self.moduli.insert(bare(divisor).to_string());
                None
            }
            _ => None,
        }
    }

    /// The digits of a number that is written out.
    fn number_written(&self, expression: &Expr) -> Option<String> {
        self.literal(expression).filter(|literal| literal.kind == LiteralKind::Number).map(|literal| literal.text)
    }

    fn note_division(&mut self, expression: &Expr, dividend: &Expr, divisor: &Expr) {
        let (Some(left), Some(right)) = (self.whole_of(dividend), self.whole_of(divisor)) else { return };
        let is_chain = matches!(bare(dividend), Expr::BinaryOp { op: BinaryOperator::Divide, .. });
        let written = self.number_written(divisor);
        // `(month - 1) / 3` and `(count(*) + 1) / 2` are steps and middles.
        let is_step = written.is_some()
            && matches!(bare(dividend), Expr::BinaryOp { left, op: BinaryOperator::Plus | BinaryOperator::Minus, right }
                if self.number_written(left).is_some() || self.number_written(right).is_some());
        let Some(both) = left.clone().and(&right) else { return };
        // The middle row, found by a subquery.
        let in_limit = self.frames.iter().any(|frame| frame.clause == Clause::Limit);
        if is_chain || is_step || in_limit || self.divisions.len() >= MOST_DIVISIONS {
            return;
        }
        let number = factor_written(dividend).and_then(|factor| self.lines.span(factor.span()));
        let division = Division {
            columns: both.needs.iter().map(|&number| self.columns[number as usize].clone()).collect(),
            aggregates: left.wide || right.wide,
            sums: both.sums,
            sums_wide: both.sums_wide,
            dividend: self.number_written(dividend),
            divisor: written,
            factor: number,
            clause: self.clause(),
            text: shortened(&expression.to_string()),
            start: self.start_of(dividend),
            divisor_span: self.lines.span(bare(divisor).span()),
        };
        self.divisions.push(MetDivision { address: address(expression), text: expression.to_string(), division });
    }

    /// Where an expression begins, its brackets included; `None` where something is put in front of it in vain.
    fn start_of(&self, expression: &Expr) -> Option<usize> {
        let before = |start: usize| {
            let text = self.sql.get(..start)?.trim_end();
            text.ends_with('(').then(|| text.len() - 1)
        };
        match expression {
            Expr::Nested(inner) => self.start_of(inner).and_then(before),
            Expr::Subquery(query) => self.lines.span(query.span()).and_then(|span| before(span.start)),
            // `1.0 * a % b` is another number.
            Expr::BinaryOp { op: BinaryOperator::Modulo, .. } => None,
            Expr::BinaryOp { left, .. } => self.start_of(left),
            Expr::UnaryOp { expr, .. } => self.start_of(expr),
            other => self.lines.span(other.span()).map(|Span { start, .. }| start),
        }
    }

    /// Forgets a division that is meant to cut.
    fn means_to_cut(&mut self, expression: &Expr) {
        let meant = address(bare(expression));
        self.divisions.retain(|met| met.address != meant);
    }

    /// Forgets divisions that the select groups by: they make steps.
    pub(super) fn forget_steps(&mut self, select: &Select) {
        let GroupByExpr::Expressions(expressions, _) = &select.group_by else { return };
        if self.divisions.is_empty() || expressions.is_empty() {
            return;
        }
        let mut steps = Steps(HashSet::new());
        for expression in expressions {
            let _: ControlFlow<()> = self.group_expression(select, expression).visit(&mut steps);
        }
        self.divisions.retain(|met| !steps.0.contains(&met.text));
    }

    /// Puts the divisions whose results are used as values into the reading.
    pub(super) fn finish_divisions(&mut self) {
        let moduli = std::mem::take(&mut self.moduli);
        let met = std::mem::take(&mut self.divisions).into_iter().map(|met| met.division);
        let is_value = |division: &Division| match division.clause {
            Clause::Select | Clause::OrderBy => true,
            Clause::Having | Clause::Qualify => division.aggregates,
            _ => false,
        };
        let takes_apart = |division: &Division| division.divisor.as_ref().is_some_and(|it| moduli.contains(it));
        self.reading.divisions = met.filter(|it| is_value(it) && !takes_apart(it)).collect();
    }
}

/// The texts of divisions.
struct Steps(HashSet<String>);

impl Visitor for Steps {
    type Break = ();

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if matches!(expression, Expr::BinaryOp { op: BinaryOperator::Divide, .. }) {
            self.0.insert(expression.to_string());
        }
        ControlFlow::Continue(())
    }
}

/// A number that is a factor of a product: `100` in `count(x) * 100`.
fn factor_written(expression: &Expr) -> Option<&Expr> {
    match bare(expression) {
        Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => {
            [right.as_ref(), left.as_ref()].into_iter().find_map(factor_written)
        }
        number @ Expr::Value(value) if matches!(value.value, Value::Number(..)) => Some(number),
        _ => None,
    }
}

fn is_whole_type(data_type: &DataType) -> bool {
    data_type.to_string().to_lowercase().contains("int")
}

/// An expression's text in a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
