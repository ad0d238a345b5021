//! What a server's connector learnt of its tables beyond what the catalog's model holds, kept from one introspection to
//! the next: which columns an index leads to, how a type is read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use catalog::{Table, TableId};

use crate::error::ConnectError;

/// The facts of every table, by its id.
#[derive(Debug)]
pub(crate) struct KnownFacts<F>(Mutex<HashMap<TableId, Arc<F>>>);

impl<F> Default for KnownFacts<F> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<F> KnownFacts<F> {
    /// Keeps the facts of an introspection in the place of the last one's, and gives its tables on.
    pub(crate) fn replace(&self, found: Vec<(Table, F)>) -> Vec<Table> {
        let mut known = HashMap::with_capacity(found.len());
        let mut tables = Vec::with_capacity(found.len());
        for (table, facts) in found {
            known.insert(table.id.clone(), Arc::new(facts));
            tables.push(table);
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = known;
        tables
    }

    /// What is known of a table; `None` before the first introspection, and for a table that it didn't find.
    pub(crate) fn get(&self, table: &Table) -> Option<Arc<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&table.id).cloned()
    }

    /// The same right after an introspection, when a table that isn't known isn't there.
    pub(crate) fn expect(&self, table: &Table) -> Result<Arc<F>, ConnectError> {
        self.get(table)
            .ok_or_else(|| ConnectError::Statement { reason: format!("there is no table `{}`", table.id.local()) })
    }
}
