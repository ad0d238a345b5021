//! What is known of a catalog's tables before anything is asked: how they are joined, what surrounds them.

use catalog::{Catalog, Entry, TableId};
use index::{Index, UnitNumber};

use crate::graph::JoinGraph;
use crate::numbering::ListBy;
use crate::relations::Relations;
use crate::surroundings::{Surroundings, surroundings_of};

/// What linking derives from a catalog and its index, once for all questions.
#[derive(Debug)]
pub struct Groundwork {
    pub(crate) graph: JoinGraph,
    pub(crate) relations: Relations,
    pub(crate) surroundings: Surroundings,
    /// Position in the catalog of each unit's table; `None` where the catalog no longer has it.
    pub(crate) tables: ListBy<UnitNumber, Option<usize>>,
    /// Tables that came after the index was built.
    pub(crate) unindexed: Vec<TableId>,
    /// Tables that have no profile yet: profiling was interrupted.
    pub(crate) unprofiled: usize,
}

impl Groundwork {
    /// For this catalog and this index of it.
    pub fn new(catalog: &Catalog, index: &Index) -> Self {
        let graph = JoinGraph::new(catalog);
        let tables: ListBy<UnitNumber, Option<usize>> =
            index.units().iter().map(|unit| catalog.position(&unit.table)).collect();
        let late = catalog.entries().iter().filter(|entry| index.unit_of(&entry.table.id).is_none());
        let unindexed = late.map(|entry| entry.table.id.clone()).collect();
        let relations = Relations::new(catalog, index, &graph, &tables);
        let surroundings = surroundings_of(catalog, index, &graph, &relations, &tables);
        let unprofiled = unprofiled(catalog);
        Self { graph, relations, surroundings, tables, unindexed, unprofiled }
    }
}

/// Tables whose turn to be profiled hasn't come, of sources whose indexing isn't finished; profiles of others aren't read.
fn unprofiled(catalog: &Catalog) -> usize {
    let is_open = |id: &TableId| catalog.source(&id.source).is_some_and(|source| source.indexed_at.is_none());
    let is_pending = |entry: &&Entry| entry.profile().is_none();
    catalog.entries().iter().filter(|entry| is_open(&entry.table.id)).filter(is_pending).count()
}
