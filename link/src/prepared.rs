//! A catalog prepared for linking: how its tables are joined and what surrounds them, worked out before anything is asked.

use catalog::{Catalog, Entry, TableId};
use index::{Index, UnitNumber};

use crate::areas::{Area, areas_of};
use crate::graph::JoinGraph;
use crate::numbering::ListBy;
use crate::relations::Relations;
use crate::surroundings::{Surroundings, surroundings_of};

/// What linking works out from a catalog and its index once, for all questions.
#[derive(Debug)]
pub struct PreparedCatalog {
    pub(crate) graph: JoinGraph,
    pub(crate) relations: Relations,
    pub(crate) surroundings: Surroundings,
    /// The areas of each source, the largest first.
    pub(crate) areas: Vec<Area>,
    /// Position in the catalog of each unit's table; `None` where the catalog no longer has it.
    pub(crate) tables: ListBy<UnitNumber, Option<usize>>,
    /// Tables that came after the index was built.
    pub(crate) unindexed: Vec<TableId>,
    /// Tables that have no profile yet: profiling was interrupted.
    pub(crate) unprofiled: usize,
}

impl PreparedCatalog {
    /// Prepares this catalog, of which that is the index.
    pub fn new(catalog: &Catalog, index: &Index) -> Self {
        let graph = JoinGraph::new(catalog);
        let tables: ListBy<UnitNumber, Option<usize>> =
            index.units().iter().map(|unit| catalog.position(&unit.table)).collect();
        let late = catalog.entries().iter().filter(|entry| index.unit_of(&entry.table.id).is_none());
        let unindexed = late.map(|entry| entry.table.id.clone()).collect();
        let relations = Relations::new(catalog, index, &graph, &tables);
        let surroundings = surroundings_of(catalog, index, &graph, &relations, &tables);
        let areas = areas_of(index, &relations, &surroundings);
        let unprofiled = unprofiled(catalog);
        Self { graph, relations, surroundings, areas, tables, unindexed, unprofiled }
    }
}

/// How many tables of sources whose indexing isn't finished have no profile yet; profiles of other sources aren't read.
fn unprofiled(catalog: &Catalog) -> usize {
    let is_open = |id: &TableId| catalog.source(&id.source).is_some_and(|source| source.indexed_at.is_none());
    let is_pending = |entry: &&Entry| entry.profile().is_none();
    catalog.entries().iter().filter(|entry| is_open(&entry.table.id)).filter(is_pending).count()
}
