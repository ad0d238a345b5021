//! Unit vectors in one byte a dimension.
//!
//! A quarter of the memory of floats at a loss in cosine below 0.01, and the products run in integers. Equal texts share
//! a row: the columns of a warehouse repeat the same names thousands of times.

use std::collections::HashMap;
use std::io::Write;

use llm::{Embedder, QuantizedQuery, QuantizedVectors};

use crate::error::IndexError;

/// Texts sent to the embedder at a time.
const BATCH: usize = 256;

/// A matrix of unit vectors, quantized, and the text that each row stands for.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Vectors {
    matrix: QuantizedVectors,
    /// A hash of the text of each row, so that a later build can take rows over.
    texts: Vec<u64>,
}

impl Vectors {
    fn new(dimensions: usize) -> Self {
        Self { matrix: QuantizedVectors::new(dimensions), texts: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.matrix.len()
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.matrix.dimensions()
    }

    /// Cosine of the row with the query; 0 for a row that isn't there.
    pub(crate) fn cosine(&self, row: u32, query: &QuantizedQuery) -> f32 {
        self.matrix.dot(row as usize, query)
    }

    /// Writes them as bytes, little-endian: all scales, all text hashes, all cells. Piece by piece, because they are the
    /// largest part of an index.
    pub(crate) fn write_to(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (cells, scales) = self.matrix.parts();
        scales.iter().try_for_each(|scale| out.write_all(&scale.to_le_bytes()))?;
        self.texts.iter().try_for_each(|text| out.write_all(&text.to_le_bytes()))?;
        out.write_all(cells)
    }

    /// The reverse; `None` where the length doesn't fit.
    pub(crate) fn from_bytes(bytes: &[u8], rows: usize, dimensions: usize) -> Option<Self> {
        let expected = rows.checked_mul(dimensions.checked_add(12)?)?;
        if bytes.len() != expected {
            return None;
        }
        let (scales, rest) = bytes.split_at(rows * 4);
        let (texts, cells) = rest.split_at(rows * 8);
        let scales = scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Some(Self {
            matrix: QuantizedVectors::from_parts(dimensions, cells.to_vec(), scales)?,
            texts: texts.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect(),
        })
    }
}

/// Collects texts, embeds each different one once, and takes over what an earlier build had.
pub(crate) struct VectorBuilder<'a> {
    rows: HashMap<u64, u32>,
    texts: Vec<(u64, String)>,
    previous: Option<(&'a Vectors, HashMap<u64, u32>)>,
}

impl<'a> VectorBuilder<'a> {
    /// `previous` must come from the same embedder.
    pub(crate) fn new(previous: Option<&'a Vectors>) -> Self {
        let previous = previous.map(|vectors| {
            let rows = vectors.texts.iter().zip(0..).map(|(&text, row)| (text, row)).collect();
            (vectors, rows)
        });
        Self { rows: HashMap::new(), texts: Vec::new(), previous }
    }

    /// The row that the text will have.
    pub(crate) fn add(&mut self, text: String) -> u32 {
        let hash = text_hash(&text);
        *self.rows.entry(hash).or_insert_with(|| {
            self.texts.push((hash, text));
            self.texts.len() as u32 - 1
        })
    }

    pub(crate) fn finish(self, embedder: &dyn Embedder) -> Result<Vectors, IndexError> {
        let dimensions = embedder.dimensions();
        let mut vectors = Vectors::new(dimensions);
        vectors.matrix.reserve(self.texts.len());
        vectors.texts.reserve_exact(self.texts.len());
        let known = self.previous.filter(|(previous, _)| previous.dimensions() == dimensions);
        for batch in self.texts.chunks(BATCH) {
            let is_known = |hash: &u64| known.as_ref().and_then(|(_, rows)| rows.get(hash)).copied();
            let missing: Vec<&str> =
                batch.iter().filter(|(hash, _)| is_known(hash).is_none()).map(|(_, text)| text.as_str()).collect();
            let mut embedded = embed(embedder, &missing)?.into_iter();
            for (hash, _) in batch {
                match (is_known(hash), &known) {
                    (Some(row), Some((previous, _))) => vectors.matrix.push_from(&previous.matrix, row as usize),
                    _ => vectors.matrix.push(&embedded.next().unwrap_or_else(|| vec![0.0; dimensions])),
                }
                vectors.texts.push(*hash);
            }
        }
        Ok(vectors)
    }
}

fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let name = || embedder.name().to_owned();
    let vectors = embedder.embed(texts).map_err(|source| IndexError::Embed { embedder: name(), source })?;
    let dimensions = embedder.dimensions();
    if vectors.len() != texts.len() || vectors.iter().any(|vector| vector.len() != dimensions) {
        return Err(IndexError::Vectors { embedder: name(), asked: texts.len(), found: vectors.len(), dimensions });
    }
    Ok(vectors)
}

/// FNV-1a: short, and the same on every machine and in every release, which the standard hasher doesn't promise.
pub(crate) fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::Vectors;
    use llm::QuantizedQuery;

    #[test]
    fn vectors_come_back_from_their_bytes() {
        let mut vectors = Vectors::new(3);
        for (text, vector) in [(1, [0.6, 0.8, 0.0]), (2, [0.0, -1.0, 0.0])] {
            vectors.matrix.push(&vector);
            vectors.texts.push(text);
        }
        let mut bytes = Vec::new();
        vectors.write_to(&mut bytes).unwrap();
        assert_eq!(Vectors::from_bytes(&bytes, 2, 3).as_ref(), Some(&vectors));
        assert_eq!(Vectors::from_bytes(&bytes, 3, 3), None);
        assert_eq!(Vectors::from_bytes(&bytes[1..], 2, 3), None);
        let query = QuantizedQuery::new(&[0.6, 0.8, 0.0]);
        assert!((vectors.cosine(0, &query) - 1.0).abs() < 0.01 && (vectors.cosine(1, &query) + 0.8).abs() < 0.01);
        assert_eq!(vectors.cosine(7, &query), 0.0, "a row that isn't there");
    }
}
