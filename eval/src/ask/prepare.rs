//! A pack's database made ready for questions, by the same road as a user's: profiled, described by rules, indexed.
//!
//! Columns are not masked here: packs are public data, and their gold statements return names and addresses.

use std::path::Path;

use anyhow::Context as _;
use catalog::{Catalog, Store};
use connect::Connector;
use index::Index;
use jiff::Timestamp;
use profile::{Options, Sensitivity};

/// Everything the agent needs of a database.
pub(super) struct Prepared {
    pub(super) connector: Box<dyn Connector>,
    pub(super) catalog: Catalog,
    pub(super) index: Index,
}

/// Reads one database of a pack.
pub(super) async fn prepare(pack: &Path, database: &str) -> anyhow::Result<Prepared> {
    let path = pack.join("databases").join(format!("{database}.sqlite"));
    let connector = connect::connect(database, &format!("sqlite:{}", path.display()))
        .with_context(|| format!("the database `{database}` of `{}`", pack.display()))?;
    let store = Store::in_memory()?;
    let options = Options { sensitive: Sensitivity::off(), ..Options::new(Timestamp::now()) };
    profile::profile_source(connector.as_ref(), &store, &options, &mut |_| {}).await?;
    describe::describe_source(&store, database, None, &mut |_| {}).await?;
    let catalog = store.catalog()?;
    let index = Index::build(&catalog, llm::static_embedder())?;
    Ok(Prepared { connector, catalog, index })
}
