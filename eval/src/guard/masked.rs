//! What masks cost honest statements: a pack's gold statements where columns are masked as `periplus index` masks them.

use std::sync::Arc;

use anyhow::{Context, Result};
use catalog::{Catalog, Exposure, Store};
use connect::Connector;
use guard::{Policy, PolicyConfig, RuleName, Verdict};
use privacy::Sensitivity;
use serde::Serialize;

/// What came of gold statements beside masks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Masked {
    /// Statements.
    pub statements: usize,
    /// Those accepted, by the rules and by the engine's account of what it reads.
    pub accepted: usize,
    /// Those refused since they show or use a masked column.
    pub use_masked: Vec<String>,
    /// Those refused for a name that might stand for a masked column, and doesn't.
    pub by_names: Vec<String>,
    /// Those that the rules accept, and the engine's account doesn't.
    pub by_account: Vec<String>,
    /// Those refused for another reason.
    pub otherwise: Vec<String>,
}

/// The catalog of a database, its columns masked by all rules that are built in.
pub(super) async fn catalog_of(connector: &dyn Connector) -> Result<Catalog> {
    let store = Store::in_memory_with(Arc::new(Sensitivity::standard()))?;
    let mut options = profile::Options::new(jiff::Timestamp::now());
    options.sensitive = Sensitivity::standard();
    let about = || format!("the database `{}`", connector.source().name);
    profile::profile_source(connector, &store, &options, &mut |_| {}).await.with_context(about)?;
    let catalog = store.catalog()?;
    let lineage = guard::lineage(&catalog);
    Ok(catalog.with_lineage(&lineage))
}

impl Masked {
    pub(super) async fn judge(
        &mut self,
        id: &str,
        gold: &str,
        catalog: &Catalog,
        connector: &dyn Connector,
    ) -> Result<()> {
        let config = PolicyConfig { max_look_ups: usize::MAX, ..PolicyConfig::default() };
        let policy = Policy::new(config)?;
        let told = |verdict: &Verdict| {
            let why: Vec<&str> = verdict.errors().map(|finding| finding.message.as_str()).collect();
            format!("{id} {gold} [{}]", why.join("; "))
        };
        self.statements += 1;
        let by_rules = guard::check(gold, catalog, &connector.source().name, &policy, None);
        if !by_rules.is_accepted() {
            let is_closed = |used: &sql::ColumnUse| {
                let entry = catalog.entry(&used.column.table);
                entry.is_none_or(|entry| *entry.exposure(&used.column.column) != Exposure::Open)
            };
            let uses_masked = by_rules.reading.columns.iter().any(is_closed);
            match () {
                () if by_rules.errors().any(|finding| finding.rule != RuleName::MaskedColumn) => {
                    self.otherwise.push(told(&by_rules));
                }
                () if !uses_masked => self.by_names.push(told(&by_rules)),
                () => self.use_masked.push(told(&by_rules)),
            }
            return Ok(());
        }
        let verdict = guard::verify(gold, catalog, connector, &policy).await?;
        match verdict.is_accepted() {
            true => self.accepted += 1,
            false => self.by_account.push(told(&verdict)),
        }
        Ok(())
    }
}
