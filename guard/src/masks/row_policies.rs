//! What the policies of row security say, as far as they can be followed.

use catalog::{PolicyFunction, RowPolicy, Table, TableId};
use sql::ResolvedView;

use super::{Masks, are_pure};

impl<'c> Masks<'c> {
    /// The policy of a relation that nobody can follow, so that it may choose rows by anything.
    pub(crate) fn policy_not_followed(&self, id: &TableId) -> Option<&'c RowPolicy> {
        let catalog = self.catalog;
        let policies = &catalog.entry(id)?.table.row_policies;
        policies.iter().find(|policy| self.followed(&policy.query, &policy.functions, id).is_none())
    }

    /// What a query of a policy says, where it and the functions that it calls can be followed.
    pub(super) fn followed(&self, query: &str, made: &[PolicyFunction], id: &TableId) -> Option<ResolvedView> {
        // A view of its own, so that the table is one that it reads.
        let text = TableId { name: String::new(), ..id.clone() };
        // Of several statements the last one counts, and the first one is read.
        if query.trim_end().trim_end_matches(';').contains(';') {
            return None;
        }
        let text = Table { definition: Some(query.to_owned()), ..Table::new(text) };
        let reading = sql::read_view(&text, self.catalog).filter(|reading| reading.is_followed)?;
        let is_called = |path: &Vec<String>, function: &PolicyFunction| {
            let name = function.name.to_lowercase();
            name == path.join(".") || path.len() == 1 && name.rsplit('.').next() == path.first().map(String::as_str)
        };
        let added = self.catalog.source(&id.source).map(|source| &source.functions);
        let is_namesake = |path: &[String]| {
            let made = added.map(|added| added.unsure.as_slice()).unwrap_or_default();
            path.len() == 1 && made.iter().any(|name| name.rsplit('.').next() == Some(path[0].as_str()))
        };
        let (by_people, own): (Vec<_>, Vec<_>) =
            reading.functions.iter().cloned().partition(|path| made.iter().any(|function| is_called(path, function)));
        let own: Vec<_> = own.into_iter().filter(|path| is_namesake(path) || !tells_who_asks(path)).collect();
        // One that reads tables reads them as somebody else, and by names that are looked up elsewhere.
        let asks_only = |function: &PolicyFunction| {
            let reading = function.query.as_deref().and_then(|query| self.followed(query, &[], id));
            reading.is_some_and(|reading| reading.tables.is_empty() && reading.columns.is_empty())
        };
        let are_known =
            by_people.iter().all(|path| made.iter().filter(|function| is_called(path, function)).all(asks_only));
        (are_known && are_pure(&own, query, id, self.catalog)).then_some(reading)
    }
}

/// Functions that tell of the connection, and of no row: its settings, and whose privileges it has.
fn tells_who_asks(path: &[String]) -> bool {
    let name = match path {
        [name] => name,
        [schema, name] if schema == "pg_catalog" => name,
        _ => return false,
    };
    matches!(
        name.as_str(),
        "current_setting"
            | "has_column_privilege"
            | "has_schema_privilege"
            | "has_table_privilege"
            | "pg_has_role"
            | "row_security_active"
    )
}
