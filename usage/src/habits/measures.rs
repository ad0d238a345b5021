//! What people compute under a name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalog::{Catalog, Dialect, Share, TableId, UsedColumn, UsualMeasure};

use super::{LEAST_SHARE, MOST_OF_A_KIND, count};
use crate::journal::Statement;

/// Statements that compute something under a name, for that to be what it usually means, and users, where logs tell them.
const LEAST_MEASURES: (u32, u32) = (3, 3);

/// What computes the same under one name.
struct Computed<'s> {
    columns: &'s [UsedColumn],
    statements: u32,
    users: BTreeSet<&'s String>,
    /// How often it is written in each way.
    written: BTreeMap<&'s str, u32>,
}

impl<'s> Computed<'s> {
    fn of(columns: &'s [UsedColumn]) -> Self {
        Self { columns, statements: 0, users: BTreeSet::new(), written: BTreeMap::new() }
    }
}

/// By the first of the tables that it is made from, what people compute under a name.
pub(super) fn measures(
    statements: &[&Statement],
    catalog: &Catalog,
    dialect: &Dialect,
) -> HashMap<TableId, Vec<UsualMeasure>> {
    let mut by_name: BTreeMap<(&TableId, &str), BTreeMap<&str, Computed<'_>>> = BTreeMap::new();
    let mut alike: HashMap<&str, String> = HashMap::new();
    for measure in statements.iter().flat_map(|statement| &statement.record.measures) {
        alike.entry(&measure.expression).or_insert_with(|| {
            sql::computed_alike(&measure.expression, dialect).unwrap_or_else(|| measure.expression.clone())
        });
    }
    for statement in statements {
        for measure in &statement.record.measures {
            let (Some(first), Some(alike)) = (measure.columns.first(), alike.get(measure.expression.as_str())) else {
                continue;
            };
            let expressions = by_name.entry((&first.table, &measure.name)).or_default();
            let computed = expressions.entry(alike).or_insert_with(|| Computed::of(&measure.columns));
            computed.statements += statement.voices();
            computed.users.extend(&statement.users);
            *computed.written.entry(&measure.expression).or_default() += statement.voices();
        }
    }
    let mut measures: HashMap<TableId, Vec<UsualMeasure>> = HashMap::new();
    for ((table, name), expressions) in by_name {
        let of_statements = expressions.values().map(|computed| computed.statements).sum();
        let of_users: BTreeSet<&String> =
            expressions.values().flat_map(|computed| computed.users.iter().copied()).collect();
        let most = expressions.into_values().max_by_key(|computed| (computed.users.len(), computed.statements));
        let Some(Computed { columns, statements, users, written }) = most else { continue };
        // As most write it.
        let Some((expression, _)) = written.into_iter().max_by_key(|(_, count)| *count) else { continue };
        let share = Share { statements, of_statements, users: count(users.len()), of_users: count(of_users.len()) };
        let (least, least_users) = LEAST_MEASURES;
        let by_several = of_users.is_empty() || share.users >= least_users;
        let is_usual = statements >= least
            && f64::from(statements) >= LEAST_SHARE * f64::from(of_statements)
            && f64::from(share.users) >= LEAST_SHARE * f64::from(share.of_users);
        // A column of that name says it already.
        let is_a_column = catalog.entry(table).is_some_and(|entry| entry.table.column(name).is_some());
        if by_several && is_usual && !is_a_column {
            measures.entry(table.clone()).or_default().push(UsualMeasure {
                name: name.to_owned(),
                expression: expression.to_owned(),
                columns: columns.to_vec(),
                share,
            });
        }
    }
    for measures in measures.values_mut() {
        measures.sort_by_key(|measure| std::cmp::Reverse((measure.share.users, measure.share.statements)));
        measures.truncate(MOST_OF_A_KIND);
    }
    measures
}
