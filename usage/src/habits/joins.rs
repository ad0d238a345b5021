//! What tables are joined with.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalog::{TableId, UsedColumn, UsualJoin};

use super::{MOST_OF_A_KIND, count};
use crate::journal::Statement;

/// Statements that join tables, for that to be usual, and users that do, where logs tell them.
const LEAST_JOINS: (u32, usize) = (3, 2);

/// By table, what it is joined with.
pub(super) fn joins(statements: &[&Statement]) -> HashMap<TableId, Vec<UsualJoin>> {
    let mut counted: BTreeMap<(&UsedColumn, &UsedColumn), (u32, BTreeSet<&String>)> = BTreeMap::new();
    for statement in statements {
        let pairs: BTreeSet<(&UsedColumn, &UsedColumn)> =
            statement.record.joins.iter().flat_map(|(one, other)| [(one, other), (other, one)]).collect();
        for pair in pairs {
            let (statements, users) = counted.entry(pair).or_default();
            *statements += statement.voices();
            users.extend(&statement.users);
        }
    }
    let tells_users = statements.iter().any(|statement| !statement.users.is_empty());
    let mut joins: HashMap<TableId, Vec<UsualJoin>> = HashMap::new();
    for ((own, other), (statements, users)) in counted {
        let (least, least_users) = LEAST_JOINS;
        if statements < least || tells_users && users.len() < least_users {
            continue;
        }
        joins.entry(own.table.clone()).or_default().push(UsualJoin {
            column: own.column.clone(),
            with: other.table.clone(),
            with_column: other.column.clone(),
            statements,
            users: count(users.len()),
        });
    }
    for joins in joins.values_mut() {
        joins.sort_by_key(|join| std::cmp::Reverse((join.users, join.statements)));
        joins.truncate(MOST_OF_A_KIND);
    }
    joins
}
