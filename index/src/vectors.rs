//! Unit vectors in one byte a dimension.
//!
//! A quarter of the memory of floats at a loss in cosine below 0.01, and the products run in integers. Equal texts share
//! a row: the columns of a warehouse repeat the same names thousands of times.

use std::collections::HashMap;

use llm::{Embedder, QuantizedQuery, QuantizedVectors, WideRow};

use crate::arrays::Array;
use crate::error::IndexError;
use crate::file::{Reader, Sections, Stored};
use crate::pieces::{Pair, Piece};

/// Texts sent to the embedder at a time.
const BATCH: usize = 256;

/// A matrix of unit vectors, quantized, and the text that each row stands for.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    dimensions: usize,
    /// A hash of the text of each row, so that a later build can take rows over.
    texts: Array<u64>,
    scales: Array<f32>,
    /// Row after row.
    cells: Array<u8>,
}

impl Stored for Vectors {
    fn put<'s>(&'s self, sections: &mut Sections<'s>) {
        self.texts.put(sections);
        self.scales.put(sections);
        self.cells.put(sections);
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        let (texts, scales, cells) = (Array::take(sections)?, Array::take(sections)?, Array::take(sections)?);
        Some(Self::new(texts, scales, cells))
    }
}

impl Vectors {
    fn new(texts: Array<u64>, scales: Array<f32>, cells: Array<u8>) -> Self {
        Self { dimensions: cells.len() / scales.len().max(1), texts, scales, cells }
    }

    /// The rows of both that the pieces name, in their order.
    pub(crate) fn merged(sides: Pair<&Self>, rows: &[Piece]) -> Self {
        let dimensions = sides[0].dimensions;
        let mut cells = Vec::with_capacity(rows.len() * dimensions);
        for &Piece { side, number } in rows {
            cells.extend_from_slice(&sides[side].cells[number * dimensions..][..dimensions]);
        }
        let texts: Vec<u64> = rows.iter().map(|row| sides[row.side].texts[row.number]).collect();
        let scales: Vec<f32> = rows.iter().map(|row| sides[row.side].scales[row.number]).collect();
        Self { dimensions, texts: texts.into(), scales: scales.into(), cells: cells.into() }
    }

    /// For each row the one of `other` that stands for the same text, if there is one.
    pub(crate) fn twins(&self, other: &Self) -> Vec<Option<u32>> {
        let own: HashMap<u64, usize> = self.texts.iter().zip(0..).map(|(&text, row)| (text, row)).collect();
        let mut twins = vec![None; self.len()];
        for (text, row) in other.texts.iter().zip(0..) {
            if let Some(&twin) = own.get(text) {
                twins[twin] = Some(row);
            }
        }
        twins
    }

    /// How many vectors there are.
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// The length of each vector; 0 where there are none.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.texts.len() == self.len() && self.cells.len() == self.len() * self.dimensions()
    }

    fn row(&self, row: u32) -> Option<(&[u8], f32)> {
        let dimensions = self.dimensions;
        let start = (row as usize).saturating_mul(dimensions);
        Some((self.cells.get(start..start.saturating_add(dimensions))?, *self.scales.get(row as usize)?))
    }

    /// Makes `wide` that row, to compare it with many queries; says whether there is such a row.
    pub(crate) fn widen(&self, row: u32, wide: &mut WideRow) -> bool {
        self.row(row).map(|(cells, scale)| wide.set(cells, scale)).is_some()
    }

    /// Cosine of the row with the query; 0 for a row that isn't there.
    pub(crate) fn cosine(&self, row: u32, query: &QuantizedQuery) -> f32 {
        self.row(row).map_or(0.0, |(cells, scale)| query.dot(cells, scale))
    }
}

/// What a vector is made of.
pub(crate) enum EmbeddedText {
    One(String),
    /// Each gives half of the vector, however many words the other has: the sum of their unit vectors, as a unit vector.
    Halves(String, String),
}

impl EmbeddedText {
    fn parts(&self) -> impl Iterator<Item = &str> {
        let (one, other) = match self {
            Self::One(text) => (text, None),
            Self::Halves(one, other) => (one, Some(other)),
        };
        std::iter::once(one).chain(other).map(String::as_str)
    }

    fn hash(&self) -> u64 {
        match self {
            Self::One(text) => text_hash(text),
            Self::Halves(one, other) => text_hash(&format!("{one}\u{1f}{other}")),
        }
    }

    /// Its vector, from the next of those that were made of the parts of many.
    fn vector(&self, embedded: &mut impl Iterator<Item = Vec<f32>>) -> Option<Vec<f32>> {
        match self {
            Self::One(_) => embedded.next(),
            Self::Halves(..) => {
                let (one, other) = (unit(embedded.next()?), unit(embedded.next()?));
                Some(unit(one.iter().zip(other).map(|(one, other)| one + other).collect()))
            }
        }
    }
}

impl From<String> for EmbeddedText {
    fn from(text: String) -> Self {
        Self::One(text)
    }
}

/// The vector at length one, or as it is where it has none: that of a text in which nothing is known.
fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 { vector.into_iter().map(|number| number / length).collect() } else { vector }
}

/// Collects texts and embeds each different one once.
#[derive(Default)]
pub(crate) struct VectorBuilder {
    rows: HashMap<u64, u32>,
    texts: Vec<(u64, EmbeddedText)>,
}

impl VectorBuilder {
    /// The row that the text will have.
    pub(crate) fn add(&mut self, text: impl Into<EmbeddedText>) -> u32 {
        let text = text.into();
        let hash = text.hash();
        *self.rows.entry(hash).or_insert_with(|| {
            self.texts.push((hash, text));
            self.texts.len() as u32 - 1
        })
    }

    /// Embeds what `known`, which comes from the same embedder, doesn't have.
    pub(crate) fn finish(self, embedder: &dyn Embedder, known: Option<&Vectors>) -> Result<Vectors, IndexError> {
        let dimensions = embedder.dimensions();
        let mut matrix = QuantizedVectors::new(dimensions);
        matrix.reserve(self.texts.len());
        let known = known.filter(|vectors| vectors.dimensions() == dimensions);
        let mut known_rows = vec![None; self.texts.len()];
        if let Some(known) = known {
            for (text, number) in known.texts.iter().zip(0..) {
                if let Some(&row) = self.rows.get(text) {
                    known_rows[row as usize] = known.row(number);
                }
            }
        }
        for (batch, known) in self.texts.chunks(BATCH).zip(known_rows.chunks(BATCH)) {
            let missing = batch.iter().zip(known).filter(|(_, known)| known.is_none());
            let missing: Vec<&str> = missing.flat_map(|((_, text), _)| text.parts()).collect();
            let mut embedded = embed(embedder, &missing)?.into_iter();
            for ((_, text), known) in batch.iter().zip(known) {
                match known {
                    Some((cells, scale)) => matrix.push_quantized(cells, *scale),
                    None => matrix.push(&text.vector(&mut embedded).unwrap_or_else(|| vec![0.0; dimensions])),
                }
            }
        }
        let (cells, scales) = matrix.into_parts();
        let texts: Vec<u64> = self.texts.into_iter().map(|(hash, _)| hash).collect();
        Ok(Vectors::new(texts.into(), scales.into(), cells.into()))
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
