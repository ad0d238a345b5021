//! What a planner has to weigh: how many orders there are to join relations in, and how many relations a statement reads once
//! each common table expression stands wherever it is read: where one reads another
//! twice, and that one the next, they double each time, and some engines plan all of it before they look whether they should
//! stop.

use std::collections::HashMap;
use std::ops::ControlFlow;

use dialect::Inlines;
use sqlparser::ast::{
    Cte, CteAsMaterialized, ObjectName, ObjectNamePart, Query, SetExpr, Visit, Visitor, visit_relations,
};

/// The relations that are read; 0 where no common table expression is read in place.
pub(super) fn relations(query: &Query, inlines: Inlines) -> f64 {
    let mut found = Expressions { inlines, read_by: HashMap::new() };
    let _ = query.visit(&mut found);
    if found.read_by.is_empty() {
        return 0.0;
    }
    let mut known = HashMap::new();
    names_in(query).iter().map(|name| found.read(name, &mut known)).sum()
}

/// Sets of relations that a planner weighs, which of each FROM with eight and more are all there are.
pub(super) fn orders(query: &Query) -> f64 {
    /// Of more relations than that it doesn't look at all.
    const MOST: usize = 12;
    const LEAST: usize = 8;
    struct Orders(f64);
    impl Visitor for Orders {
        type Break = ();

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
            let mut bodies = vec![query.body.as_ref()];
            while let Some(body) = bodies.pop() {
                match body {
                    SetExpr::Select(select) => {
                        let relations: usize = select.from.iter().map(|one| 1 + one.joins.len()).sum();
                        let weighed = relations.min(MOST);
                        self.0 += if relations >= LEAST { (weighed as f64).exp2() } else { 0.0 };
                    }
                    SetExpr::SetOperation { left, right, .. } => bodies.extend([left.as_ref(), right]),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        }
    }
    let mut orders = Orders(0.0);
    let _ = query.visit(&mut orders);
    orders.0
}

/// What the common table expressions of a statement read, wherever they stand, by their names. Of several of one name, all.
struct Expressions {
    inlines: Inlines,
    read_by: HashMap<String, Vec<String>>,
}

impl Visitor for Expressions {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables).filter(|cte| is_inlined(cte, self.inlines)) {
            let read = self.read_by.entry(cte.alias.name.value.to_lowercase()).or_default();
            read.extend(names_in(&cte.query));
        }
        ControlFlow::Continue(())
    }
}

impl Expressions {
    /// The relations that reading that one comes to.
    fn read(&self, name: &str, known: &mut HashMap<String, f64>) -> f64 {
        let Some(read) = self.read_by.get(name) else { return 1.0 };
        if let Some(known) = known.get(name) {
            return *known;
        }
        // One that reads itself is a recursion, which is a loop.
        known.insert(name.to_owned(), 1.0);
        let all = 1.0 + read.iter().map(|name| self.read(name, known)).sum::<f64>();
        known.insert(name.to_owned(), all);
        all
    }
}

fn is_inlined(cte: &Cte, inlines: Inlines) -> bool {
    match inlines {
        Inlines::Never => false,
        Inlines::WhereTold => cte.materialized == Some(CteAsMaterialized::NotMaterialized),
        Inlines::Always => true,
    }
}

/// The last parts of the names of all relations in a query, in lower case.
fn names_in(query: &Query) -> Vec<String> {
    let mut names = Vec::new();
    let _ = visit_relations(query, |relation: &ObjectName| {
        if let Some(ObjectNamePart::Identifier(name)) = relation.0.last() {
            names.push(name.value.to_lowercase());
        }
        ControlFlow::<()>::Continue(())
    });
    names
}
