//! What has been run over a source: its logs and its engine's own statistics, read into what is usual.

use catalog::{Catalog, Store};
use connect::Connector;
use serde::Serialize;
use usage::{Journal, Logged, Reader, UsageError};

use crate::config::SourceConfig;
use crate::progress::Reporter;
use crate::project::Project;

/// What was read of what has been run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct UsageRead {
    /// Statements that were read this time, each run counted.
    pub(crate) statements: u64,
    /// Query logs that were found where the configuration says they are.
    pub(crate) logs: usize,
    /// Tables that some statement reads or writes, by all that was ever read.
    pub(crate) tables: usize,
    /// What is usual with them.
    pub(crate) habits: usize,
    /// Joins that were taken for keys, which no name tells.
    pub(crate) keys: usize,
    /// Statements that couldn't be understood, by all that was ever read.
    pub(crate) not_understood: u64,
    /// Whether more is left than is read at a time.
    pub(crate) is_more: bool,
    /// Why the engine's own statistics weren't read, where they were to be.
    pub(crate) without_statistics: Option<String>,
}

/// Sees that the logs are there which the configuration names.
pub(crate) fn find_logs(source: &SourceConfig) -> Result<(), UsageError> {
    source.logs.iter().try_for_each(|path| match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(source) => Err(UsageError::File { path: path.clone(), source }),
    })
}

/// Reads what has been run since, and keeps what is usual now. `None` where nothing is configured; what was known then goes.
pub(crate) async fn read(
    project: &Project,
    source: &SourceConfig,
    store: &Store,
    full: bool,
    reporter: &mut Reporter,
) -> anyhow::Result<Option<UsageRead>> {
    let path = project.journal_path(&source.id);
    if source.logs.is_empty() && !source.statement_statistics {
        if path.exists() {
            std::fs::remove_file(&path).map_err(|source| UsageError::Write { path, source })?;
        }
        store.put_usage(&source.id, None)?;
        return Ok(None);
    }
    // Whoever has everything made anew wants rid of what was read by mistake, too.
    let known = if full { None } else { Journal::load(&path)? };
    let mut journal = match known {
        Some(journal) => journal,
        None => Journal::new(salt()?),
    };
    let catalog = store.catalog()?;
    journal.forget_masked(&catalog);
    let connector = project.connector(source)?;
    let mut read = UsageRead::default();
    read_logs(&mut journal, source, &catalog, connector.as_ref(), &mut read, reporter).await?;
    if source.statement_statistics {
        read_statistics(&mut journal, &source.id, &catalog, connector.as_ref(), &mut read).await;
    }
    journal.save(&path)?;
    let usage = journal.usage(&catalog, &source.id);
    read.tables = usage.tables.len();
    read.habits = usage.tables.iter().map(|it| it.filters.len() + it.measures.len()).sum();
    read.not_understood = usage.not_understood;
    store.put_usage(&source.id, Some(&usage))?;
    Ok(Some(read))
}

async fn read_logs(
    journal: &mut Journal,
    source: &SourceConfig,
    catalog: &Catalog,
    connector: &dyn Connector,
    read: &mut UsageRead,
    reporter: &mut Reporter,
) -> anyhow::Result<()> {
    if source.logs.is_empty() {
        return Ok(());
    }
    let database = connector.source().database().map(str::to_owned);
    let role = connector.role().await?;
    let reader = Reader::new(catalog, &source.id);
    let (database, role) = (database.as_deref(), role.as_deref());
    let progress =
        journal.read_files(&source.logs, &reader, database, role, &mut |progress| reporter.reads_logs(progress))?;
    reporter.finish();
    read.statements += progress.statements;
    read.logs = progress.logs;
    read.is_more = progress.is_more;
    Ok(())
}

/// What can't be had of them is said, and no reason to fail: everything else is there.
async fn read_statistics(
    journal: &mut Journal,
    source: &str,
    catalog: &Catalog,
    connector: &dyn Connector,
    read: &mut UsageRead,
) {
    let counted = match connector.statements_run().await {
        Ok(Some(counted)) => counted,
        Ok(None) => {
            read.without_statistics = Some("the engine counts no statements".to_owned());
            return;
        }
        Err(error) => {
            read.without_statistics = Some(error.to_string());
            return;
        }
    };
    let logged = counted.into_iter().map(|it| Logged { sql: it.sql, user: it.role, at: it.last, runs: it.runs });
    read.statements += journal.read_statistics(&logged.collect::<Vec<_>>(), &Reader::new(catalog, source));
}

/// What users are hashed with.
fn salt() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random number can be had: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
