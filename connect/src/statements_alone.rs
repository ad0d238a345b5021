//! Statements without anybody who judges them, for tests of what the engines themselves do about them.

#![expect(clippy::disallowed_methods, reason = "the room that implements sessions tests them")]

use crate::connector::Connector;
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet};

/// Whole sessions in one call.
pub(crate) trait StatementsAlone: Connector {
    /// Opens a session, runs its statement and ends it.
    fn run_query(&self, sql: &str, limits: &Limits) -> impl Future<Output = Result<ResultSet, ConnectError>> + Send {
        async move {
            let mut session = self.open_statement(sql, &[], limits).await?;
            let ran = session.run().await;
            session.end().await;
            ran
        }
    }

    /// Opens a session and ends it.
    fn prepare_query(&self, sql: &str) -> impl Future<Output = Result<(), ConnectError>> + Send {
        async move {
            self.open_statement(sql, &[], &Limits::default()).await?.end().await;
            Ok(())
        }
    }
}

impl<C: Connector + ?Sized> StatementsAlone for C {}
