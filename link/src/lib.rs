//! *Which tables matter?* A question becomes ranked tables, columns, values and joins, each with its evidence.
//!
//! No language model is called: words, vectors, values and keys are measured by `index`, and trees that were trained
//! on questions with known tables (`models/linking`) say how likely each table is needed. Ranking has three steps, each of
//! which costs more for a table than the one before and sees fewer tables: a weighted sum chooses candidates, the first
//! stage ranks them one by one, and reranking also looks at how they stand to one another, because the tables of a question
//! belong together. Irrelevant tables stay in the answer as directives, so that an agent doesn't explore them.
//!
//! Invariant: the same catalog, index and question always give the same answer, and every table of the scope is in it.
//!
//! ```ignore
//! let linker = Linker::new(&catalog, &index, &embedder);
//! let linked = linker.link("How many orders came from Germany last month?", &LinkOptions::default());
//! let context = link::context(&catalog, &linked, 1_200);
//! println!("{}", context.text);
//! ```

mod areas;
mod candidate_score;
mod columns;
mod context;
mod directives;
mod error;
mod evidence;
mod features;
mod first_stage;
mod fit;
mod forest;
mod glossary;
mod graph;
mod linked;
mod linker;
mod mentions;
mod numbering;
mod numbers;
mod options;
mod overview;
mod people;
mod prepared;
mod question_scores;
mod ranker;
mod relations;
mod reranking;
mod surroundings;
#[cfg(test)]
mod testing;

pub use areas::{Area, map_line};
pub use context::{Context, context, shown_columns, whole_table};
pub use error::RankerError;
pub use features::{FEATURES, Feature, FeatureGroup, FirstStageFeatures, RerankingFeatures};
pub use fit::Fit;
pub use glossary::NamedTerm;
pub use graph::join_paths;
pub use linked::{
    Cardinality, ChunkUse, Evidence, EvidenceKind, Example, JoinPath, JoinStep, Linked, RankedColumn, RankedTable,
    Standing, Strategy, ValueHit,
};
pub use linker::{Linker, RankerInput, Remembered};
pub use numbering::{CandidatePosition, ListBy, Position, ScopePosition};
pub use options::{LinkOptions, Signal, Signals};
pub use prepared::PreparedCatalog;
pub use ranker::Ranker;
pub use relations::shared_keys;
