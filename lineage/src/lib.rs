//! *Where does it come from?* Tables and columns that are made from others: by the definitions of views, by scripts, by the
//! models of a dbt project.
//!
//! What a statement says is `sql`'s to read; here edges are put together over many texts, and followed.
//!
//! Invariant: no edge without the place that says it, and nothing is guessed: what a text leaves open is a [`Gap`].
//!
//! ```ignore
//! let mut lineage = lineage::of_views(&catalog, "shop");
//! lineage.extend(lineage::of_dbt(&DbtProject::read(folder)?, &catalog, "shop"));
//! for step in Graph::new(&lineage).columns(&revenue, Direction::Up, 10) {
//!     println!("{} ← {} ({})", step.edge.to, step.edge.from, lineage.places[step.edge.place]);
//! }
//! ```

mod dbt;
mod document;
mod edges;
mod error;
mod file;
mod graph;
mod held;
mod notes;
mod origins;
mod read;

pub use dbt::{
    DbtColumn, DbtComputed, DbtExposure, DbtKind, DbtMetric, DbtNode, DbtProject, DbtTest, DbtTestKind, Freshness,
    TestOutcome, TestStatus,
};
pub use document::{document, nodes_by_table};
pub use edges::{Choice, ColumnEdge, Condition, EdgeKind, Gap, Holder, Lineage, Place, TableEdge};
pub use error::LineageError;
pub use file::{is_there, load, remove_damaged, update};
pub use graph::{Direction, Graph, Step};
pub use held::HeldMask;
pub use notes::{TableNotes, Tested, Told};
pub use origins::Origins;
pub use read::{catalog_of_dbt, of_dbt, of_scripts, of_views};
pub use sql::{ALL_COLUMNS, ANY_TABLE};
