//! Unit vectors in one byte a dimension.
//!
//! A quarter of the memory of floats at a loss in cosine below 0.01, and the products run in integers. Equal texts share
//! a row: the columns of a warehouse repeat the same names thousands of times.

use std::collections::HashMap;

use llm::Embedder;

use crate::error::IndexError;

/// Texts sent to the embedder at a time.
const BATCH: usize = 256;

/// A matrix of unit vectors, quantized.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) dimensions: usize,
    pub(crate) cells: Vec<i8>,
    pub(crate) scales: Vec<f32>,
    /// A hash of the text of each row, so that a later build can take rows over.
    pub(crate) texts: Vec<u64>,
}

/// A vector to compare with, quantized like the rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryVector {
    cells: Vec<i8>,
    scale: f32,
}

impl QueryVector {
    pub(crate) fn new(vector: &[f32]) -> Self {
        let mut cells = Vec::with_capacity(vector.len());
        let scale = quantize(vector, &mut cells);
        Self { cells, scale }
    }
}

impl Vectors {
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Cosine of the row with the query; 0 where the dimensions differ.
    pub(crate) fn cosine(&self, row: u32, query: &QueryVector) -> f32 {
        let row = row as usize;
        if query.cells.len() != self.dimensions || row >= self.len() {
            return 0.0;
        }
        let cells = &self.cells[row * self.dimensions..(row + 1) * self.dimensions];
        let product: i32 =
            cells.iter().zip(&query.cells).map(|(&left, &right)| i32::from(left) * i32::from(right)).sum();
        product as f32 * self.scales[row] * query.scale
    }

    /// Little-endian: all scales, all text hashes, all cells.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.cells.len() + self.len() * 12);
        self.scales.iter().for_each(|scale| bytes.extend(scale.to_le_bytes()));
        self.texts.iter().for_each(|text| bytes.extend(text.to_le_bytes()));
        bytes.extend(self.cells.iter().map(|&cell| cell.cast_unsigned()));
        bytes
    }

    /// The reverse; `None` where the length doesn't fit.
    pub(crate) fn from_bytes(bytes: &[u8], rows: usize, dimensions: usize) -> Option<Self> {
        let expected = rows.checked_mul(dimensions.checked_add(12)?)?;
        if bytes.len() != expected {
            return None;
        }
        let (scales, rest) = bytes.split_at(rows * 4);
        let (texts, cells) = rest.split_at(rows * 8);
        Some(Self {
            dimensions,
            cells: cells.iter().map(|byte| byte.cast_signed()).collect(),
            scales: scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            texts: texts.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect(),
        })
    }

    fn push(&mut self, vector: &[f32], text: u64) {
        let scale = quantize(vector, &mut self.cells);
        self.scales.push(scale);
        self.texts.push(text);
    }
}

/// Appends the vector in steps of its largest entry over 127; answers the step.
fn quantize(vector: &[f32], cells: &mut Vec<i8>) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        cells.extend(std::iter::repeat_n(0, vector.len()));
        return 0.0;
    }
    let scale = largest / 127.0;
    cells.extend(vector.iter().map(|value| (value / scale).round() as i8));
    scale
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
        let mut vectors = Vectors { dimensions, ..Vectors::default() };
        let known = self.previous.filter(|(previous, _)| previous.dimensions == dimensions);
        for batch in self.texts.chunks(BATCH) {
            let is_known = |hash: &u64| known.as_ref().and_then(|(_, rows)| rows.get(hash)).copied();
            let missing: Vec<&str> =
                batch.iter().filter(|(hash, _)| is_known(hash).is_none()).map(|(_, text)| text.as_str()).collect();
            let mut embedded = embed(embedder, &missing)?.into_iter();
            for (hash, _) in batch {
                match (is_known(hash), &known) {
                    (Some(row), Some((previous, _))) => {
                        let start = row as usize * dimensions;
                        vectors.cells.extend_from_slice(&previous.cells[start..start + dimensions]);
                        vectors.scales.push(previous.scales[row as usize]);
                        vectors.texts.push(*hash);
                    }
                    _ => vectors.push(&embedded.next().unwrap_or_else(|| vec![0.0; dimensions]), *hash),
                }
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
    use super::{QueryVector, Vectors, text_hash};

    #[test]
    fn cosines_survive_quantization() {
        let vector: Vec<f32> = (0..64).map(|step| ((step * 37 % 19) as f32 - 9.0) / 40.0).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let unit: Vec<f32> = vector.iter().map(|value| value / length).collect();
        let opposite: Vec<f32> = unit.iter().map(|value| -value).collect();
        let mut vectors = Vectors { dimensions: 64, ..Vectors::default() };
        vectors.push(&unit, text_hash("one"));
        vectors.push(&opposite, text_hash("two"));
        vectors.push(&[0.0; 64], text_hash("nothing"));
        let query = QueryVector::new(&unit);
        assert!((vectors.cosine(0, &query) - 1.0).abs() < 0.01);
        assert!((vectors.cosine(1, &query) + 1.0).abs() < 0.01);
        assert_eq!(vectors.cosine(2, &query), 0.0);
        assert_eq!(vectors.cosine(3, &query), 0.0, "a row that isn't there");
        assert_eq!(vectors.cosine(0, &QueryVector::new(&[1.0])), 0.0, "other dimensions");
    }
}
