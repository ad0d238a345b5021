//! *What do we know?* The one model of a database in the whole workspace, and the file it is kept in.
//!
//! Every room speaks of tables, columns, keys, profiles and descriptions in the types of [`model`]; nobody defines
//! a second `Table`. The [`Store`] keeps them in one SQLite file per project, table by table, so that an
//! interrupted run loses at most the table in hand. [`Catalog`] is the read side: the state of one moment with look-ups,
//! made once and shared; what is large in it is read when it is looked at.
//!
//! Invariant: the model does no I/O, and only [`Store`] knows SQLite.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use catalog::{Catalog, NoMaskRules, Store};
//!
//! let store = Store::open(".periplus/catalog.db".as_ref(), Arc::new(NoMaskRules))?;
//! let catalog: Catalog = store.catalog()?;
//! for entry in catalog.entries() {
//!     println!("{} has {} columns", entry.table.id, entry.table.columns.len());
//! }
//! # Ok::<(), catalog::CatalogError>(())
//! ```

mod by_name;
mod deferred;
mod entry;
mod error;
mod facts;
mod inheritance;
mod look_alike;
pub mod model;
mod names;
pub mod nearest;
mod store;
mod view;

pub use dialect::Dialect;

pub use by_name::NotATable;
pub use deferred::Damage;
pub use entry::Entry;
pub use error::CatalogError;
pub use facts::{ColumnFacts, UNEXAMINED};
pub use look_alike::LookAlike;
pub use model::description::{
    Author, ColumnDescription, Encoding, Granularity, Overrides, QueryPattern, TableDescription,
};
pub use model::fact::{DocumentPath, Fact, FactJudgement, FactKind, FormBy, TimeUnit};
pub use model::glossary::{Term, TermFault, TermOrigin, TermState};
pub use model::identity::Identity;
pub use model::last_update::{LastUpdate, NewestValue, UpdateEvidence};
pub use model::masks::{
    DECIDED, Decision, Examination, Exposure, FoundMask, HELD, Lineage, MadeColumn, MadeRows, Mask, MaskRules,
    MaskedBy, NOT_FOLLOWED, NoMaskRules, RowsBy, Ruling, Rulings, StructureVerdict,
};
pub use model::memory::{Memory, MemoryId, MemoryKind, MemoryState, MemoryUse, NewMemory, Reach};
pub use model::profile::{
    ColumnProfile, Histogram, KnownValues, Pattern, SampleMethod, TableProfile, ValueFrequency, WriteMark,
};
pub use model::structure::{
    AddedFunctions, COMPUTED, CONTENTLESS, Column, Composite, Exactness, ForeignKey, Index, KeyEvidence, KeyOrigin,
    PolicyFunction, RowCount, RowPolicy, Source, Table, TableId, TableKind, TypeClass,
};
pub use model::usage::{Keeps, Share, TableUsage, Traffic, Usage, UsedColumn, UsualFilter, UsualJoin, UsualMeasure};
pub use model::value_form::ValueForm;
pub use store::{FORMAT_VERSION, Lacking, Store, StructureChange, Testimony, WitnessNote};
pub use view::Catalog;
