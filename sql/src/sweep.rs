//! A second walk over the tree, by sqlparser's own visitor, that looks for nodes the resolver did not come to.
//!
//! The resolver walks by hand, since names need scopes; a clause that it forgot would be a hole in the guard. So it notes
//! the address of every query, table factor and expression it has read, and here whatever isn't noted is reported.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Statement, TableFactor, Visit, Visitor};

/// The addresses of nodes that were read.
pub(crate) type Visited = HashSet<usize>;

/// The address of a node, as a number that is only ever compared.
pub(crate) fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}

/// Descriptions of nodes below `query` that were not read.
pub(crate) fn missed(query: &Query, visited: &Visited) -> Vec<String> {
    let mut sweep = Sweep { visited, missed: Vec::new() };
    let _: ControlFlow<()> = query.visit(&mut sweep);
    sweep.missed
}

struct Sweep<'a> {
    visited: &'a Visited,
    missed: Vec<String>,
}

impl Sweep<'_> {
    fn note(&mut self, address: usize, what: impl FnOnce() -> String) -> ControlFlow<()> {
        if !self.visited.contains(&address) {
            self.missed.push(what());
        }
        // One is enough to refuse; a few help to see why.
        if self.missed.len() > 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Visitor for Sweep<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.note(address(query), || "a subquery".to_owned())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        self.note(address(factor), || "a relation in FROM".to_owned())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        self.note(address(expression), || "an expression".to_owned())
    }

    fn pre_visit_statement(&mut self, _: &Statement) -> ControlFlow<()> {
        self.missed.push("a statement inside the query".to_owned());
        ControlFlow::Break(())
    }
}
