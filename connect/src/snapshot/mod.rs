//! Snapshots: a schema exported to a JSON file, for when no connection is allowed.
//!
//! The whole file is read once, when it is opened. Invariant: nothing is ever run; whoever tries gets
//! [`ConnectError::NothingToRun`].

mod format;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use async_trait::async_trait;
use catalog::{Dialect, RowCount, Source, Table, TableId};

use crate::connector::{
    Capabilities, Connector, Engine, Introspect, LookupColumn, OpenStatement, ReadRows, SampleRequest, Work,
};
use crate::dsn;
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet};
use crate::statement::{ReadRelation, StatementSession};
use crate::value::Value;
pub use format::{SnapshotValues, snapshot};

/// Columns with their sample values.
type Samples = Vec<(String, Vec<String>)>;

/// A schema without its database.
#[derive(Debug)]
struct SnapshotConnector {
    source: Source,
    tables: Vec<Table>,
    samples: HashMap<TableId, Samples>,
}

/// Reads the file that `rest` of `dsn` names.
pub(crate) fn open(name: &str, dsn: &str, rest: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let path = dsn::file_path(dsn, rest)?;
    let content = match std::fs::read(&path) {
        Ok(content) => content,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(ConnectError::MissingFile { path, nearby: Vec::new() });
        }
        Err(_) if path.is_dir() => return Err(ConnectError::NotAFile { path }),
        Err(error) => return Err(ConnectError::Snapshot { path, reason: error.to_string() }),
    };
    let snapshot =
        format::read(&content, name).map_err(|reason| ConnectError::Snapshot { path: path.clone(), reason })?;
    let source = Source::new(name, Dialect::from_name(&snapshot.dialect), format!("snapshot:{}", path.display()));
    Ok(Box::new(SnapshotConnector { source, tables: snapshot.tables, samples: snapshot.samples }))
}

impl SnapshotConnector {
    fn nothing_to_run<T>(&self) -> Result<T, ConnectError> {
        Err(ConnectError::NothingToRun { source_name: self.source.name.clone() })
    }
}

impl Engine for SnapshotConnector {
    fn source(&self) -> &Source {
        &self.source
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            engine_statistics: false,
            keeps_long_values_apart: false,
            engine_sample: false,
            parallel_tables: 1,
            executes: false,
        }
    }

    fn work(&self) -> Work {
        Work::default()
    }
}

#[async_trait]
impl Introspect for SnapshotConnector {
    async fn introspect(&self) -> Result<Vec<Table>, ConnectError> {
        Ok(self.tables.clone())
    }
}

#[async_trait]
impl ReadRows for SnapshotConnector {
    async fn row_count(&self, _table: &Table) -> Result<Option<RowCount>, ConnectError> {
        Ok(None)
    }

    async fn lookup_columns(&self, _table: &Table) -> Result<Vec<LookupColumn>, ConnectError> {
        Ok(Vec::new())
    }

    async fn key_range(&self, _table: &Table, _column: &str) -> Result<Option<(Value, Value)>, ConnectError> {
        Ok(None)
    }

    async fn sample(
        &self,
        _table: &Table,
        _columns: &[String],
        _request: &SampleRequest,
    ) -> Result<ResultSet, ConnectError> {
        self.nothing_to_run()
    }

    async fn provided_samples(&self, table: &Table) -> Result<Option<Samples>, ConnectError> {
        Ok(Some(self.samples.get(&table.id).cloned().unwrap_or_default()))
    }

    async fn contains(&self, _table: &Table, _column: &str, _values: &[Value]) -> Result<u64, ConnectError> {
        self.nothing_to_run()
    }
}

#[async_trait]
impl OpenStatement for SnapshotConnector {
    async fn open_statement(
        &self,
        _sql: &str,
        _reads: &[ReadRelation],
        _limits: &Limits,
    ) -> Result<Box<dyn StatementSession>, ConnectError> {
        self.nothing_to_run()
    }
}
