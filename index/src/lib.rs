//! *How is it found?* Chunks, a lexical index, vectors and a value index over a catalog, and their fusion.
//!
//! Everything here is derived: an index can be deleted at any time and built again from the catalog, and
//! [`Index::is_current`] says when it has to be. Date-sharded families (`events_20240101`, `events_20240102` …) are one
//! [`Unit`], so the index grows with the number of different tables, not with their number.
//!
//! Invariant: nothing here decides which tables matter. It measures; `link` judges.
//!
//! ```ignore
//! let index = Index::build(&catalog, &embedder)?;
//! for hit in index.search("monthly revenue by country", 5, &embedder) {
//!     println!("{:.3} {}", hit.score, hit.chunk.name());
//! }
//! ```

mod arrays;
mod build;
mod chunk;
mod chunking;
mod columns;
mod compounds;
mod error;
mod family;
mod file;
mod foreign;
mod index;
mod lexical;
mod merge;
mod naming;
mod pieces;
mod question;
mod rebuild;
mod scores;
mod store;
mod synonyms;
mod terms;
#[cfg(test)]
mod testing;
mod values;
mod vectors;
mod vocabulary;

pub use chunk::{Chunk, ChunkKind, Hit};
pub use error::IndexError;
pub use family::{Unit, UnitNumber, common_start, fold_name};
pub use index::Index;
pub use llm::{Embedder, estimate_tokens};
pub use question::{QueryTerm, Question};
pub use scores::{ColumnScore, Field, TableScore, TableScores};
pub use store::FORMAT_VERSION;
pub use terms::is_key_word;
pub use values::{MatchKind, ValueMatch};
