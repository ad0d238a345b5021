//! Recursions: what their columns can be after the last round, from the first ones.

use catalog::TypeClass;
use sqlparser::ast::{
    BinaryOperator, Cte as CteNode, Expr, SetExpr, SetQuantifier, TableFactor, TableWithJoins, Value,
};

use super::bound::{Bound, product};
use super::joined::equalities;
use super::query::Yield;
use super::{ASSUMED_DEPTH, ASSUMED_ROUNDS, COPIES, Cte, Measure, Rows};
use crate::parser::Idents as _;
use crate::reading::{GrowthKind, RecursionBound};
use crate::schema::TableLookup;
use crate::span::Span;

/// Rounds that are tried before the rest is reckoned from them.
const TRIED_ROUNDS: usize = 24;

impl<'q> Measure<'_, 'q> {
    /// A common table expression, to be seen by what comes after it.
    pub(super) fn common_table(&mut self, cte: &'q CteNode) {
        let name = self.syntax.fold(&cte.alias.name);
        let renamed: Vec<String> = cte.alias.columns.iter().map(|column| self.syntax.fold(&column.name)).collect();
        let recursion = self.recursions.iter().filter(|it| it.name == name).map(|it| rounds(&it.bound));
        let yielded = match (recursion.reduce(f64::max), cte.query.body.as_ref()) {
            (Some(rounds), SetExpr::SetOperation { left, right, set_quantifier, .. }) => {
                let mut first = self.inner(left);
                rename(&mut first, &renamed);
                if self.reads_one_row(left) {
                    first.rows = Some(first.rows().at_most(1.0));
                }
                let bound = self.recursions.iter().find(|it| it.name == name).map(|it| &it.bound);
                let limited = matches!(bound, Some(RecursionBound::Limit(_))).then_some(rounds);
                let span = self.lines.span(cte.alias.name.span);
                let begun = first.rows().stored;
                // A walk over stored rows comes to each of them once, as in a hierarchy.
                let is_walk = matches!(bound, Some(RecursionBound::Walk));
                let yielded = self.recursion(&name, first, right, rounds, limited, span);
                if self.dialect.work().recursions_remember && !matches!(set_quantifier, SetQuantifier::All) {
                    let rows = if is_walk { begun } else { begun * yielded.rows().made };
                    let row: f64 = yielded.columns.iter().map(|(_, column)| column.typical).sum();
                    self.say(&name, GrowthKind::OverAllRows, COPIES * product(rows, row), 0.0, span);
                }
                yielded
            }
            _ => {
                let mut yielded = self.query(&cte.query);
                rename(&mut yielded, &renamed);
                yielded
            }
        };
        let rows = yielded.rows();
        self.ctes.push(Cte { name: name.clone(), relation: yielded.relation(name), rows });
    }

    /// Whether a query reads one table and holds its key to a constant of the key's own kind: a number that a text is compared
    /// with equals many of them.
    fn reads_one_row(&self, query: &SetExpr) -> bool {
        let SetExpr::Select(select) = query else { return false };
        let ([TableWithJoins { relation, joins }], Some(condition)) = (select.from.as_slice(), &select.selection)
        else {
            return false;
        };
        let TableFactor::Table { name, args: None, .. } = relation else { return false };
        let parts: Vec<String> =
            name.0.iter().filter_map(|part| part.as_ident()).map(|ident| self.syntax.fold(ident)).collect();
        let is_of_cte = |cte: &Cte| matches!(parts.as_slice(), [name] if self.syntax.same(&cte.name, name));
        if !joins.is_empty() || self.ctes.iter().any(is_of_cte) {
            return false;
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let TableLookup::Found(table) = self.schema.resolve_table(&parts) else { return false };
        let [key] = table.primary_key.as_slice() else { return false };
        let Some(key) = table.column(key) else { return false };
        let is_key = |side: &Expr| match side {
            Expr::Identifier(name) => self.syntax.same(&self.syntax.fold(name), &key.name),
            Expr::CompoundIdentifier(parts) => {
                parts.last().is_some_and(|name| self.syntax.same(&self.syntax.fold(name), &key.name))
            }
            _ => false,
        };
        let is_constant = |side: &Expr| match side {
            Expr::Value(value) => match &value.value {
                Value::Number(..) => key.type_class == TypeClass::Integer,
                Value::SingleQuotedString(_) => [TypeClass::Text, TypeClass::Uuid].contains(&key.type_class),
                _ => false,
            },
            _ => false,
        };
        let holds = |one: &Expr, other: &Expr| is_key(one) && is_constant(other);
        conjuncts(condition).into_iter().any(|part| match part {
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => holds(left, right) || holds(right, left),
            _ => false,
        })
    }

    /// A recursion: its columns after the last round, from the rounds that are tried.
    fn recursion(
        &mut self,
        name: &str,
        first: Yield,
        right: &'q SetExpr,
        rounds: f64,
        limited: Option<f64>,
        span: Option<Span>,
    ) -> Yield {
        let mut tried: Vec<Yield> = vec![first];
        let mut fan = 1.0;
        let quiet = std::mem::replace(&mut self.quiet, true);
        while tried.len() <= TRIED_ROUNDS && (tried.len() as f64) <= rounds + 1.0 && self.budget > 0 {
            let Some(last) = tried.last().cloned() else { break };
            let next = self.round(name, &last, right, Rows::ONE);
            // Stored rows that nothing holds to those of the round before are as many again in each.
            let rows = next.rows();
            let is_held = !matches!(right, SetExpr::Select(select) if equalities(select).is_empty());
            fan = rows.made * if is_held { 1.0 } else { rows.stored };
            let mut columns = last.columns.clone();
            for ((_, column), (_, made)) in columns.iter_mut().zip(&next.columns) {
                *column = column.or(made);
            }
            let settled =
                tried.len() > 1 && columns.iter().zip(&last.columns).all(|((_, new), (_, old))| same(new, old));
            tried.push(Yield { columns, rows: last.rows, open: last.open, is_correlated: false });
            if settled {
                break;
            }
        }
        self.quiet = quiet;
        let base = tried[0].rows();
        let made = if fan > 1.0 { fan.powf(rounds) } else { rounds + 1.0 };
        let made = limited.map_or(made, |most| made.min(most)) * base.made;
        let rows = Rows { made, ..base };
        let mut last = reckoned(&tried, rounds);
        last.rows = Some(rows);
        // Once more, aloud, with what a row can be in the last round.
        self.say(name, GrowthKind::Rows, made, 0.0, span);
        let largest = last.columns.iter().map(|(_, bound)| bound.clone()).max_by(|a, b| a.bytes.total_cmp(&b.bytes));
        if let Some(largest) = largest {
            self.made(name, &largest, span);
        }
        self.round(name, &last, right, Rows::ONE);
        last
    }

    /// One round: the recursive part, seeing what came before.
    fn round(&mut self, name: &str, before: &Yield, right: &'q SetExpr, rows: Rows) -> Yield {
        let relation = before.clone().relation(name.to_owned());
        self.ctes.push(Cte { name: name.to_owned(), relation, rows });
        let yielded = self.inner(right);
        self.ctes.pop();
        yielded
    }
}

/// The conditions of which all must hold.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match condition {
        Expr::Nested(inner) => conjuncts(inner),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            let mut all = conjuncts(left);
            all.extend(conjuncts(right));
            all
        }
        other => vec![other],
    }
}

fn rename(yielded: &mut Yield, names: &[String]) {
    for ((name, _), new) in yielded.columns.iter_mut().zip(names) {
        *name = Some(new.clone());
    }
}

fn rounds(bound: &RecursionBound) -> f64 {
    match bound {
        RecursionBound::Condition(Some(most)) | RecursionBound::Limit(Some(most)) => *most as f64,
        RecursionBound::Condition(None) | RecursionBound::Limit(None) | RecursionBound::None => ASSUMED_ROUNDS,
        RecursionBound::Walk => ASSUMED_DEPTH,
    }
}

fn same(new: &Bound, old: &Bound) -> bool {
    new.bytes <= old.bytes && new.items <= old.items && new.low >= old.low && new.high <= old.high
}

/// The columns after all rounds, from the first ones: what grows by as much or less each time is added up, what grows
/// faster is multiplied.
fn reckoned(tried: &[Yield], rounds: f64) -> Yield {
    let Some(last) = tried.last() else { return Yield::default() };
    let mut end = last.clone();
    let left = rounds - (tried.len() as f64 - 1.0);
    if left <= 0.0 || tried.len() < 3 {
        return end;
    }
    for (position, (_, column)) in end.columns.iter_mut().enumerate() {
        let [before, middle, now] = [3, 2, 1].map(|back| &tried[tried.len() - back].columns[position].1);
        let further = |size: fn(&Bound) -> f64| {
            let (before, middle, now) = (size(before), size(middle), size(now));
            let (earlier, later) = (middle - before, now - middle);
            match later <= 0.0 {
                true => now,
                false if later <= earlier * 1.001 + 1.0 => now + later * left,
                false => now * (now / middle.max(1.0)).max(1.0).powf(left),
            }
        };
        let (bytes, items, high) = (further(|it| it.bytes), further(|it| it.items), further(|it| it.high.max(0.0)));
        let low = -further(|it| (-it.low).max(0.0));
        let grown = column.resized(bytes.max(column.bytes));
        *column = Bound { items, each: bytes, low: low.min(column.low), high: high.max(column.high), ..grown };
    }
    end
}
