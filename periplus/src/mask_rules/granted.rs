//! What databases let a role read: callers who take it are told of nothing else.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Mask, MaskedBy, RowPolicy, StructureVerdict, Table, TableId};
use connect::{ConnectError, Introspect, ReadableTable};

/// What databases let a role read.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    role: String,
    /// The sources that were asked; of others it is nobody's to say.
    sources: BTreeSet<String>,
    tables: BTreeMap<TableId, GrantedTable>,
}

#[derive(Debug, Default)]
struct GrantedTable {
    columns: BTreeSet<String>,
    row_policies: Vec<RowPolicy>,
}

/// What a role may read, and what tells of changed structures and policies.
pub(crate) type GrantMark = (Option<Vec<ReadableTable>>, Option<String>);

impl Granted {
    pub(crate) fn to(role: &str) -> Self {
        Self { role: role.to_owned(), ..Self::default() }
    }

    /// Asks a database for it, over a connection that has taken the role.
    ///
    /// # Errors
    /// Where the database doesn't answer, or doesn't let the role be taken.
    pub(crate) async fn ask(&mut self, source: &str, connector: &dyn Introspect) -> Result<(), ConnectError> {
        let Some(readable) = connector.readable().await? else { return Ok(()) };
        self.sources.insert(source.to_owned());
        for table in readable {
            let columns = table.columns.into_iter().collect();
            self.tables.insert(table.table, GrantedTable { columns, ..GrantedTable::default() });
        }
        for table in connector.introspect().await? {
            if let Some(granted) = self.tables.get_mut(&table.id) {
                granted.row_policies = table.row_policies;
            }
        }
        Ok(())
    }

    /// What tells that a database lets a role read something else than before, for less than asking for it.
    ///
    /// # Errors
    /// Where the database doesn't answer, or doesn't let the role be taken.
    pub(crate) async fn mark(connector: &dyn Introspect) -> Result<GrantMark, ConnectError> {
        Ok((connector.readable().await?, connector.structure_mark().await?))
    }

    fn was_asked(&self, table: &TableId) -> bool {
        self.sources.contains(&table.source)
    }

    pub(super) fn may_read(&self, table: &TableId, column: &str) -> bool {
        !self.was_asked(table) || self.tables.get(table).is_some_and(|granted| granted.columns.contains(column))
    }

    /// Whether the role may read nothing of a table.
    pub(super) fn hides(&self, table: &TableId) -> bool {
        self.was_asked(table) && !self.tables.contains_key(table)
    }

    pub(super) fn row_policies(&self, table: &TableId) -> Option<&[RowPolicy]> {
        self.tables.get(table).map(|granted| granted.row_policies.as_slice())
    }

    /// The verdicts on a table's columns, where those that the role may not read are denied.
    pub(super) fn limit(&self, table: &Table, verdicts: Vec<StructureVerdict>) -> Vec<StructureVerdict> {
        let denied = || {
            let reason = format!("the database doesn't let the role `{}` read it", self.role);
            StructureVerdict::Masked(Mask { by: MaskedBy::Denied, reason, confidence: 1.0, hides_names: false })
        };
        let limited = table
            .columns
            .iter()
            .zip(verdicts)
            .map(|(column, verdict)| if self.may_read(&table.id, &column.name) { verdict } else { denied() });
        limited.collect()
    }
}
