//! How large expressions become once those behind the names that they use are written out in them.
//!
//! Engines put a query in FROM, or one behind WITH, into the one that reads it, and its expressions wherever that one names them:
//! where each of a chain names the one before twice, they double each time, before the engine looks whether it should stop.
//! PostgreSQL 15 took 5.2 GB for two million parts, MariaDB 11 ran on for minutes.

use std::ops::ControlFlow;

use sqlparser::ast::{
    CteAsMaterialized, Distinct, Expr, GroupByExpr, Ident, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TableAlias, TableFactor, Visit, Visitor,
};

use super::from::constraint;
use super::query::aggregates;

/// Columns that a query is followed with: more than any engine's limit, and a stop for doubling stars.
const MOST_COLUMNS: usize = 4_096;

/// The parts of all expressions of a statement, once each name of another one stands for that.
pub(super) fn parts(query: &Query) -> f64 {
    let mut sizes = Sizes::default();
    sizes.query(query);
    sizes.all
}

/// What columns of a relation stand for: how many parts, by their names in lower case.
type Columns = Vec<(String, f64)>;

#[derive(Default)]
struct Sizes {
    ctes: Vec<(String, Columns)>,
    /// The relations in sight, those of the queries around among them, the nearest last.
    relations: Vec<(String, Columns)>,
    all: f64,
}

impl Sizes {
    fn query(&mut self, query: &Query) -> Columns {
        let (ctes, relations) = (self.ctes.len(), self.relations.len());
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let mut columns = self.query(&cte.query);
            if cte.materialized == Some(CteAsMaterialized::Materialized) {
                columns.iter_mut().for_each(|(_, size)| *size = 1.0);
            }
            self.ctes.push((cte.alias.name.value.to_lowercase(), renamed(columns, &cte.alias)));
        }
        let mut columns = self.body(&query.body);
        if let Some(OrderByKind::Expressions(orders)) = query.order_by.as_ref().map(|order_by| &order_by.kind) {
            orders.iter().for_each(|order| self.count(&order.expr));
        }
        if query.limit_clause.is_some() || query.fetch.is_some() {
            columns.iter_mut().for_each(|(_, size)| *size = 1.0);
        }
        self.ctes.truncate(ctes);
        self.relations.truncate(relations);
        columns
    }

    fn body(&mut self, body: &SetExpr) -> Columns {
        match body {
            SetExpr::Select(select) => {
                let relations = self.relations.len();
                let columns = self.select(select);
                self.relations.truncate(relations);
                columns
            }
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { left, right, op, set_quantifier } => {
                let (mut columns, right) = (self.body(left), self.body(right));
                let is_union = *op == SetOperator::Union && *set_quantifier == SetQuantifier::All;
                for ((_, size), (_, other)) in columns.iter_mut().zip(right) {
                    *size = if is_union { size.max(other) } else { 1.0 };
                }
                columns
            }
            SetExpr::Values(values) => {
                let mut columns: Columns = Vec::new();
                for row in &values.rows {
                    for (place, value) in row.content.iter().enumerate() {
                        let size = self.size(value);
                        match columns.get_mut(place) {
                            Some((_, known)) => *known = known.max(size),
                            None => columns.push((format!("column{}", place + 1), size)),
                        }
                    }
                }
                columns
            }
            _ => Vec::new(),
        }
    }

    fn select(&mut self, select: &Select) -> Columns {
        let own = self.relations.len();
        for from in &select.from {
            self.factor(&from.relation);
            for join in &from.joins {
                self.factor(&join.relation);
                if let sqlparser::ast::JoinConstraint::On(condition) = constraint(&join.join_operator) {
                    self.count(condition);
                }
            }
        }
        let conditions = [&select.prewhere, &select.selection, &select.having, &select.qualify];
        conditions.into_iter().flatten().for_each(|condition| self.count(condition));
        let is_grouped = match &select.group_by {
            GroupByExpr::All(_) => true,
            GroupByExpr::Expressions(keys, _) => {
                keys.iter().for_each(|key| self.count(key));
                !keys.is_empty()
            }
        };
        let mut columns: Columns = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expression) => {
                    columns.push((last_name(expression).unwrap_or_default(), self.counted(expression)));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    columns.push((alias.value.to_lowercase(), self.counted(expr)));
                }
                SelectItem::ExprWithAliases { expr, aliases } => {
                    let size = self.counted(expr);
                    columns.extend(aliases.iter().map(|alias| (alias.value.to_lowercase(), size)));
                }
                SelectItem::Wildcard(_) => {
                    columns.extend(self.relations[own..].iter().flat_map(|(_, columns)| columns.iter().cloned()));
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let named = name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.to_lowercase());
                    let of = self.relations[own..].iter().filter(|(relation, _)| Some(relation) == named.as_ref());
                    columns.extend(of.flat_map(|(_, columns)| columns.iter().cloned()));
                }
                SelectItem::QualifiedWildcard(..) => {}
            }
            columns.truncate(MOST_COLUMNS);
        }
        // What such a query gives is worked out before another one sees it.
        let is_apart = is_grouped
            || select.having.is_some()
            || matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_)))
            || select.projection.iter().any(aggregates);
        if is_apart {
            columns.iter_mut().for_each(|(_, size)| *size = 1.0);
        }
        columns
    }

    fn factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let Some(name) = name.0.last().and_then(|part| part.as_ident()) else { return };
                let name = name.value.to_lowercase();
                let columns = self.ctes.iter().rev().find(|(cte, _)| *cte == name).map(|(_, columns)| columns.clone());
                self.read(name, columns.unwrap_or_default(), alias.as_ref());
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let columns = self.query(subquery);
                self.read(String::new(), columns, alias.as_ref());
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.factor(&table_with_joins.relation);
                for join in &table_with_joins.joins {
                    self.factor(&join.relation);
                    if let sqlparser::ast::JoinConstraint::On(condition) = constraint(&join.join_operator) {
                        self.count(condition);
                    }
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, name: String, columns: Columns, alias: Option<&TableAlias>) {
        let read = match alias {
            Some(alias) => (alias.name.value.to_lowercase(), renamed(columns, alias)),
            None => (name, columns),
        };
        self.relations.push(read);
    }

    fn count(&mut self, expression: &Expr) {
        self.all += self.size(expression);
    }

    fn counted(&mut self, expression: &Expr) -> f64 {
        let size = self.size(expression);
        self.all += size;
        size
    }

    /// The parts of an expression, and of the queries in it.
    fn size(&mut self, expression: &Expr) -> f64 {
        struct Parts<'s>(&'s mut Sizes, f64, usize);
        impl Visitor for Parts<'_> {
            type Break = ();

            fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
                if self.2 == 0 {
                    let before = self.0.all;
                    self.0.query(query);
                    self.1 += self.0.all - before;
                }
                self.2 += 1;
                ControlFlow::Continue(())
            }

            fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
                self.2 -= 1;
                ControlFlow::Continue(())
            }

            fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
                // Those of a query have been counted with it.
                if self.2 == 0 {
                    self.1 += match expression {
                        Expr::Identifier(name) => self.0.named(None, name),
                        Expr::CompoundIdentifier(names) => match names.as_slice() {
                            [.., table, name] => self.0.named(Some(table), name),
                            _ => 1.0,
                        },
                        _ => 1.0,
                    };
                }
                ControlFlow::Continue(())
            }
        }
        let mut parts = Parts(self, 0.0, 0);
        let _ = expression.visit(&mut parts);
        parts.1
    }

    /// What a name stands for.
    fn named(&self, table: Option<&Ident>, name: &Ident) -> f64 {
        let (table, name) = (table.map(|table| table.value.to_lowercase()), name.value.to_lowercase());
        let of = self.relations.iter().rev().filter(|(relation, _)| table.as_ref().is_none_or(|it| it == relation));
        let found = of.flat_map(|(_, columns)| columns).find(|(column, _)| *column == name);
        found.map_or(1.0, |(_, size)| size.max(1.0))
    }
}

/// Columns by the names that an alias gives them.
fn renamed(mut columns: Columns, alias: &TableAlias) -> Columns {
    for ((name, _), new) in columns.iter_mut().zip(&alias.columns) {
        *name = new.name.value.to_lowercase();
    }
    columns
}

fn last_name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(name) => Some(name.value.to_lowercase()),
        Expr::CompoundIdentifier(names) => Some(names.last()?.value.to_lowercase()),
        Expr::Nested(inner) => last_name(inner),
        _ => None,
    }
}
