//! *Which tables matter?* A question becomes ranked tables, columns, values and joins, each with its evidence.
//!
//! No language model is called: words, vectors, values and keys are measured by `index`, and trees that were learnt from
//! questions with known tables (`models/linking`) say how likely each table is needed, first by itself and then beside the
//! others, because the tables of a question hang together. Tables that don't matter stay in the answer as directives, so
//! that an agent doesn't explore them.
//!
//! Invariant: the same catalog, index and question always give the same answer, and every table of the scope is in it.
//!
//! ```ignore
//! let linker = Linker::new(&catalog, &index, &embedder);
//! let linked = linker.link("How many orders came from Germany last month?", &LinkOptions::default());
//! let context = link::context(&catalog, &linked, 1_200);
//! println!("{}", context.text);
//! ```

mod asked;
mod candidate_score;
mod columns;
mod context;
mod directives;
mod error;
mod evidence;
mod features;
mod first_stage;
mod forest;
mod graph;
mod groundwork;
mod linked;
mod linker;
mod numbering;
mod numbers;
mod options;
mod overview;
mod ranker;
mod relations;
mod reranking;
#[cfg(test)]
mod shelf;
mod surroundings;

pub use context::{Context, context, shown_columns, whole_table};
pub use error::RankerError;
pub use features::{FEATURES, Feature, FeatureGroup, FirstStageFeatures, RerankingFeatures};
pub use graph::join_paths;
pub use groundwork::Groundwork;
pub use linked::{
    Cardinality, ChunkUse, Evidence, EvidenceKind, Example, JoinPath, JoinStep, Linked, RankedColumn, RankedTable,
    Strategy, ValueHit,
};
pub use linker::{Linker, Measurement};
pub use numbering::{CandidatePosition, ListBy, Position, ScopePosition};
pub use options::{LinkOptions, Signal, Signals};
pub use ranker::Ranker;
pub use relations::shared_keys;
