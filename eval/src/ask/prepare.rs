//! A pack's database made ready for questions, by the same road as a user's: profiled, described by rules, indexed.

use std::path::Path;

use anyhow::Context as _;
use catalog::Catalog;
use connect::Connector;
use index::Index;

use crate::pack::{PackDatabase, catalog_of};

/// Everything the agent needs of a database.
pub(super) struct Prepared {
    pub(super) connector: Box<dyn Connector>,
    pub(super) catalog: Catalog,
    pub(super) index: Index,
}

/// Reads one database of a pack.
pub(super) async fn prepare(pack: &Path, name: &str) -> anyhow::Result<Prepared> {
    let path = pack.join("databases").join(format!("{name}.sqlite"));
    let database =
        PackDatabase { name: name.to_owned(), dsn: format!("sqlite:{}", path.display()), descriptions: None };
    let connector = connect::connect(&database.name, &database.dsn)
        .with_context(|| format!("the database `{name}` of `{}`", pack.display()))?;
    let catalog = catalog_of(std::slice::from_ref(&database)).await?;
    let index = Index::build(&catalog, llm::static_embedder())?;
    Ok(Prepared { connector, catalog, index })
}
