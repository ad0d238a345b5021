//! How a text becomes a vector: the trait that every embedder answers to, and the embedder in the binary.
//!
//! The default one is a table of token vectors ([`StaticEmbedder`]): a text is the sum of its tokens' vectors, made a
//! unit vector. That knows no word order, but it needs no server, no key and no start-up, and takes microseconds, so
//! that every column of a large warehouse can have a vector of its own. `models/embedding/README.md` tells how the
//! table was made and how well it finds tables.

mod quantized;
mod static_table;
mod wordpiece;

use std::sync::OnceLock;

pub use quantized::{QuantizedQuery, QuantizedVectors, WideRow};
pub use static_table::{EmbeddingTableError, StaticEmbedder};

use crate::error::LlmError;

/// Turns texts into unit vectors, whose dot product is their likeness.
pub trait Embedder: Send + Sync {
    /// The name that an index remembers: vectors of two names can't be compared.
    fn name(&self) -> &str;

    /// The length of every vector.
    fn dimensions(&self) -> usize;

    /// One unit vector a text, in their order. A text in which nothing is known (an empty one) has the zero vector,
    /// which is like no other.
    ///
    /// # Errors
    /// Those of the provider, where there is one.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError>;
}

/// The table in the binary.
static TABLE: &[u8] = include_bytes!("../../models/embedding/periplus-embed.bin");

/// The embedder in the binary. The first call prepares its vocabulary (a few milliseconds), the others are free.
///
/// Identifiers are to be taken apart first (`words::in_identifier`): `t_cst_mst` and `customerID` are no words.
pub fn static_embedder() -> &'static StaticEmbedder {
    static EMBEDDER: OnceLock<StaticEmbedder> = OnceLock::new();
    EMBEDDER.get_or_init(|| {
        StaticEmbedder::from_bytes(TABLE).expect("the table in the binary is read by a test, so it is well-formed")
    })
}

#[cfg(test)]
mod tests;
