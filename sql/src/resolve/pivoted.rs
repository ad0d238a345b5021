//! PIVOT and UNPIVOT: columns made of values, and values of columns. Followed where it is asked what has been made; in a
//! statement that somebody wants to run they aren't known.

use std::rc::Rc;

use sqlparser::ast::{Expr, ExprWithAlias, Ident, PivotValueSource, TableAlias, TableFactor};

use super::Resolver;
use super::scope::{Flow, Output, Relation};
use super::table_function::named;
use crate::parser::Idents as _;

impl Resolver<'_> {
    /// The relation of a table factor, taken out of the innermost frame again.
    fn taken(&mut self, factor: &TableFactor) -> Relation {
        let first = self.relation_count();
        let later = self.factor(factor);
        self.conditions(&later);
        let frame = self.frames.last_mut();
        frame.and_then(|frame| frame.relations.drain(first..).next()).unwrap_or_default()
    }

    /// A value of each of these expressions over one relation, and the names of columns that stand in them.
    fn over(&mut self, relation: &Relation, expressions: &[&Expr]) -> Vec<Flow> {
        let mark = self.touched.len();
        self.add(relation.clone(), None, mark);
        let flows = expressions.iter().map(|expression| self.expression(expression)).collect();
        if let Some(frame) = self.frames.last_mut() {
            frame.relations.pop();
        }
        flows
    }

    /// What is left of a relation without the columns that those values are made from.
    fn without(relation: &Relation, used: &[Flow]) -> Vec<Output> {
        let is_used =
            |output: &&Output| used.iter().any(|flow| output.flow.sources.iter().all(|it| flow.sources.contains(it)));
        relation.columns.iter().filter(|output| !is_used(output)).cloned().collect()
    }

    /// `FROM t PIVOT (sum(amount) FOR month IN ('jan', 'feb'))`.
    pub(super) fn pivoted(
        &mut self,
        table: &TableFactor,
        aggregates: &[ExprWithAlias],
        value_column: &[Expr],
        values: &PivotValueSource,
        alias: Option<&TableAlias>,
    ) {
        let relation = self.taken(table);
        let aggregated: Vec<&Expr> = aggregates.iter().map(|aggregate| &aggregate.expr).collect();
        let flows = self.over(&relation, &aggregated);
        let by: Vec<Flow> = self.over(&relation, &value_column.iter().collect::<Vec<_>>());
        let used: Vec<Flow> = flows.iter().chain(&by).cloned().collect();
        let mut columns = Self::without(&relation, &used);
        let values: Vec<String> = match values {
            PivotValueSource::List(values) => values.iter().map(|value| self.value_name(value)).collect(),
            PivotValueSource::Any(_) | PivotValueSource::Subquery(_) => Vec::new(),
        };
        let is_any = values.is_empty();
        for value in &values {
            for (aggregate, flow) in aggregates.iter().zip(&flows) {
                let name = match &aggregate.alias {
                    Some(alias) => format!("{value}_{}", self.syntax.fold(alias)),
                    None => value.clone(),
                };
                columns.push(named(name, &flow.clone().aggregated()));
            }
        }
        let unknown = match is_any {
            true => flows.iter().fold(relation.unknown.clone(), |all, flow| all.join(flow)),
            false => relation.unknown.clone(),
        };
        let open = relation.open || is_any;
        let pivoted = Relation { name: relation.name, columns: Rc::new(columns), open, unknown, ..Relation::default() };
        self.add(pivoted, alias, self.touched.len());
    }

    /// What the column of a value is called.
    fn value_name(&self, value: &ExprWithAlias) -> String {
        match (&value.alias, &value.expr) {
            (Some(alias), _) => self.syntax.fold(alias),
            (None, Expr::Identifier(ident)) => self.syntax.fold(ident),
            (None, expression) => {
                self.literal(expression).map_or_else(|| expression.to_string(), |literal| literal.text)
            }
        }
    }

    /// `FROM t UNPIVOT (amount FOR month IN (jan, feb))`.
    pub(super) fn unpivoted(
        &mut self,
        table: &TableFactor,
        value: &Expr,
        name: &Ident,
        columns: &[ExprWithAlias],
        alias: Option<&TableAlias>,
    ) {
        let relation = self.taken(table);
        let parts = |expression: &Expr| -> Vec<Expr> {
            match expression {
                Expr::Tuple(parts) => parts.clone(),
                Expr::Nested(inner) => vec![inner.as_ref().clone()],
                other => vec![other.clone()],
            }
        };
        let sets: Vec<Vec<Expr>> = columns.iter().map(|column| parts(&column.expr)).collect();
        let all: Vec<&Expr> = sets.iter().flatten().collect();
        let flows = self.over(&relation, &all);
        let mut kept = Self::without(&relation, &flows);
        let of_all = flows.iter().fold(Flow::default(), |all, flow| all.join(flow));
        kept.push(named(self.syntax.fold(name), &of_all));
        let widths: Vec<usize> = sets.iter().map(Vec::len).collect();
        let mut values: Vec<Output> = Vec::new();
        for (place, value) in parts(value).iter().enumerate() {
            let Expr::Identifier(ident) = value else { continue };
            let mut start = 0;
            let mut flow: Option<Flow> = None;
            for width in &widths {
                let one = (place < *width).then(|| flows.get(start + place)).flatten();
                flow = match (flow, one) {
                    (Some(flow), Some(one)) => Some(flow.united(one)),
                    (flow, one) => flow.or_else(|| one.cloned()),
                };
                start += width;
            }
            values.push(named(self.syntax.fold(ident), &flow.unwrap_or_default()));
        }
        kept.extend(values);
        let unknown = relation.unknown.clone();
        let unpivoted = Relation {
            name: relation.name,
            columns: Rc::new(kept),
            open: relation.open,
            unknown,
            ..Relation::default()
        };
        self.add(unpivoted, alias, self.touched.len());
    }
}
