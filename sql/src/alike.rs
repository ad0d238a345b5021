//! What an expression computes, as far as people mean the same by it: `SUM(a / 100.0)`, `sum(a)::numeric / 100` and
//! `0.01 * sum(a)` are one.
//!
//! A product is taken apart into a number, what it is multiplied by and what it is divided by; a number comes out of a sum or a mean
//! that is over it. What only changes a type, rounds, or puts something in the place of NULL or zero says nothing.

use catalog::Dialect;
use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};
use sqlparser::parser::Parser;

use crate::parser::parser_of;
use crate::read::PARSER_RECURSION;

/// Functions that leave a value what it is to people, with their first argument.
const WRAPPERS: [&str; 8] = ["coalesce", "ifnull", "nvl", "nullif", "round", "tofloat64", "trunc", "todecimal64"];
/// Aggregates of which a number that multiplies what they are over may come out.
const LINEAR: [&str; 4] = ["avg", "max", "min", "sum"];

/// A text that expressions have in common which compute the same; `None` where it isn't an expression.
pub fn computed_alike(expression: &str, dialect: &Dialect) -> Option<String> {
    let parser = parser_of(dialect);
    let mut parser =
        Parser::new(parser.as_ref()).with_recursion_limit(PARSER_RECURSION).try_with_sql(expression).ok()?;
    parser.parse_expr().ok().map(|expression| text(&expression))
}

/// A number, times and over other things.
struct Product {
    number: f64,
    times: Vec<String>,
    over: Vec<String>,
}

impl Product {
    fn of(expression: &Expr) -> Self {
        match expression {
            Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => Self::of(inner),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
                let inner = Self::of(expr);
                Self { number: -inner.number, ..inner }
            }
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => match digits.parse::<f64>() {
                    Ok(number) if number != 0.0 => Self { number, times: Vec::new(), over: Vec::new() },
                    _ => Self::one(digits.clone()),
                },
                other => Self::one(other.to_string()),
            },
            Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => Self::of(left).times(Self::of(right)),
            Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
                let right = Self::of(right);
                Self::of(left).times(Self { number: 1.0 / right.number, times: right.over, over: right.times })
            }
            Expr::Function(function) => Self::of_function(function),
            other => Self::one(other_text(other)),
        }
    }

    fn of_function(function: &Function) -> Self {
        let name = name_of(function);
        match arguments(function).as_slice() {
            [first, ..] if WRAPPERS.contains(&name.as_str()) => Self::of(first),
            [only] if LINEAR.contains(&name.as_str()) && is_plain(function) => {
                let inner = Self::of(only);
                if inner.number > 0.0 {
                    let over = Self { number: 1.0, ..inner };
                    return Self {
                        number: inner.number,
                        times: vec![format!("{name}({})", over.text())],
                        over: Vec::new(),
                    };
                }
                Self::one(format!("{name}({})", inner.text()))
            }
            _ => Self::one(call_text(function)),
        }
    }

    fn one(text: String) -> Self {
        Self { number: 1.0, times: vec![text], over: Vec::new() }
    }

    fn times(mut self, other: Self) -> Self {
        self.number *= other.number;
        self.times.extend(other.times);
        self.over.extend(other.over);
        self
    }

    /// What is summed up and divided by how many there are is its mean.
    fn with_means(mut self) -> Self {
        let summed = self.times.iter().position(|text| text.starts_with("sum("));
        let counted = self.over.iter().position(|text| text == "count(*)");
        if let (Some(summed), Some(counted)) = (summed, counted) {
            self.times[summed].replace_range(.."sum".len(), "avg");
            self.over.remove(counted);
        }
        self
    }

    fn text(self) -> String {
        let Self { number, mut times, mut over } = self.with_means();
        times.sort_unstable();
        over.sort_unstable();
        let mut text = if number == 1.0 { String::new() } else { format!("{number:.6e} * ") };
        text.push_str(&if times.is_empty() { "1".to_owned() } else { times.join(" * ") });
        for divisor in over {
            text.push_str(" / ");
            text.push_str(&divisor);
        }
        text
    }
}

fn text(expression: &Expr) -> String {
    Product::of(expression).text()
}

/// Of what is no product.
fn other_text(expression: &Expr) -> String {
    match expression {
        Expr::BinaryOp { left, op: BinaryOperator::Plus, right } => {
            let mut sides = [text(left), text(right)];
            sides.sort_unstable();
            format!("({})", sides.join(" + "))
        }
        Expr::BinaryOp { left, op, right } => format!("({} {op} {})", text(left), text(right)),
        Expr::Extract { field, expr, .. } => part_of_time(&field.to_string(), expr),
        other => other.to_string().to_lowercase(),
    }
}

fn part_of_time(field: &str, of: &Expr) -> String {
    format!("extract({} from {})", field.trim_matches('\'').to_lowercase(), text(of))
}

fn call_text(function: &Function) -> String {
    let name = name_of(function);
    match (name.as_str(), arguments(function).as_slice()) {
        ("date_part", [field, of]) => part_of_time(&field.to_string(), of),
        ("concat", [first, others @ ..]) => {
            others.iter().fold(text(first), |joined, other| format!("({joined} || {})", text(other)))
        }
        (_, []) => function.to_string().to_lowercase(),
        (_, arguments) if is_without_more(function) => {
            let distinct = if is_plain(function) { "" } else { "distinct " };
            format!("{name}({distinct}{})", arguments.iter().map(|it| text(it)).collect::<Vec<_>>().join(", "))
        }
        _ => function.to_string().to_lowercase(),
    }
}

fn name_of(function: &Function) -> String {
    function.name.to_string().to_lowercase()
}

/// The arguments that are expressions; none where there are others.
fn arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return Vec::new() };
    let expression = |argument| match argument {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expression)) => Some(expression),
        _ => None,
    };
    list.args.iter().map(expression).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Whether it has nothing but arguments, which may have to be different ones.
fn is_without_more(function: &Function) -> bool {
    let has_clauses = matches!(&function.args, FunctionArguments::List(list) if !list.clauses.is_empty());
    function.over.is_none() && function.filter.is_none() && function.within_group.is_empty() && !has_clauses
}

fn is_plain(function: &Function) -> bool {
    let is_of_all = matches!(&function.args, FunctionArguments::List(list) if list.duplicate_treatment.is_none());
    is_without_more(function) && is_of_all
}

#[cfg(test)]
mod tests {
    use catalog::Dialect;

    use super::computed_alike;

    fn check(one: &str, others: &[&str], different: &[&str]) {
        let key = |text: &str| computed_alike(text, &Dialect::Postgres).unwrap();
        for other in others {
            assert_eq!(key(one), key(other), "{one}, {other}");
        }
        for other in different {
            assert_ne!(key(one), key(other), "{one}, {other}");
        }
    }

    #[test]
    fn what_computes_the_same_is_one() {
        check(
            "sum(cents) / 100.0",
            &["sum(cents)::numeric / 100", "0.01 * sum(cents)", "SUM(cents / 100.0)", "round(sum(cents) / 100.0, 2)"],
            &[
                "sum(cents)",
                "sum(cents) / 1000",
                "avg(cents) / 100.0",
                "sum(DISTINCT cents) / 100.0",
                "sum(other) / 100",
            ],
        );
        check(
            "1.0 * sum(back) / nullif(sum(sold), 0)",
            &["sum(back)::float / sum(sold)", "coalesce(sum(back), 0) / sum(sold)"],
            &["100.0 * sum(back) / sum(sold)", "sum(sold) / sum(back)", "sum(back / sold)"],
        );
        check(
            "avg(cents) / 100",
            &["sum(cents) / 100.0 / count(*)", "avg(cents / 100.0)"],
            &["sum(cents) / count(id)"],
        );
        check("sum(a * b)", &["sum(b * a)"], &["sum(a) * sum(b)", "sum(a + b)"]);
        check("price - cost", &["(price - cost)"], &["cost - price", "price + cost"]);
        check("count(DISTINCT buyer)", &["count(distinct(buyer))"], &["count(buyer)", "count(*)"]);
        check(
            "extract(epoch FROM till - since) / 3600",
            &["EXTRACT(EPOCH FROM (till - since)) / 3600.0", "date_part('epoch', till - since) / 3600"],
            &["extract(epoch FROM till - since) / 60", "extract(day FROM till - since) / 3600"],
        );
        check(
            "first || ' ' || last",
            &["concat(first, ' ', last)", "(first || ' ' || last)"],
            &["last || ' ' || first"],
        );
        check("max(a) FILTER (WHERE b)", &[], &["max(a)", "max(a) FILTER (WHERE c)"]);
        assert_eq!(computed_alike("sum(", &Dialect::Postgres), None);
    }
}
