//! A table of token vectors, and texts as weighted means over it.
//!
//! The table stays where it is (in the binary's read-only pages) as int8 rows with a scale each, and is widened while
//! it is summed: copying it out as f32 would cost 61 MB and a start-up for nothing.
//!
//! Invariant: [`StaticEmbedder::from_bytes`] has checked every length, so that no later look-up can be out of bounds.

use super::Embedder;
use super::wordpiece::WordPiece;
use crate::error::LlmError;

const MAGIC: &[u8; 8] = b"PERIEMB\0";
const FORMAT_VERSION: u32 = 1;
/// Magic, then five numbers: version, dimensions, tokens, bytes of the name, bytes of the vocabulary.
const HEADER_BYTES: usize = 8 + 5 * 4;
/// No table of ours is wider; a larger number is a damaged header.
const MOST_DIMENSIONS: usize = 4096;

/// Why bytes are no embedding table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingTableError {
    /// They begin otherwise.
    #[error("not an embedding table: it doesn't begin with `PERIEMB`")]
    Magic,
    /// Another version of the format.
    #[error("the embedding table has format {found}; this version reads format {supported}")]
    Version {
        /// The table's.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// Cut off, or with something behind its end.
    #[error("the embedding table has {found} bytes where its header promises {expected}")]
    Length {
        /// By the header.
        expected: usize,
        /// In fact.
        found: usize,
    },
    /// Something in it can't be.
    #[error("the embedding table is damaged: {0}")]
    Damaged(&'static str),
}

impl EmbeddingTableError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        "embedding_table"
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        vec!["make the file again with the recipe in `models/embedding`".into()]
    }
}

/// Embeds texts by a table of token vectors.
///
/// A text is the sum of its tokens' vectors, made a unit vector. The length of a token's vector is its weight in the
/// sum: frequent words have short ones.
pub struct StaticEmbedder {
    name: String,
    dimensions: usize,
    wordpiece: WordPiece,
    scales: Vec<f32>,
    rows: &'static [u8],
}

/// Lines of BERT's vocabulary that hold signs, letters and the most frequent four thousand words or so.
const COMMON_RANKS: usize = 6_000;

impl StaticEmbedder {
    /// Reads a table; `models/embedding/artifact.py` documents its layout.
    ///
    /// # Errors
    /// When the bytes are not such a table, or not a whole one.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, EmbeddingTableError> {
        if !bytes.starts_with(MAGIC) {
            return Err(EmbeddingTableError::Magic);
        }
        let too_short = EmbeddingTableError::Length { expected: HEADER_BYTES, found: bytes.len() };
        let (header, body) = bytes.split_at_checked(HEADER_BYTES).ok_or(too_short)?;
        let (numbers, _) = header[MAGIC.len()..].as_chunks::<4>();
        let number = |position: usize| u32::from_le_bytes(numbers[position]);
        if number(0) != FORMAT_VERSION {
            return Err(EmbeddingTableError::Version { found: number(0), supported: FORMAT_VERSION });
        }
        let [dimensions, tokens, name_bytes, vocabulary_bytes] = [1, 2, 3, 4].map(|position| number(position) as usize);
        if dimensions == 0 || dimensions > MOST_DIMENSIONS || tokens == 0 {
            return Err(EmbeddingTableError::Damaged("its size is impossible"));
        }
        // In u128 so that no damaged header can overflow it.
        let expected = [name_bytes, vocabulary_bytes, 4 * tokens].iter().map(|&part| part as u128).sum::<u128>()
            + tokens as u128 * dimensions as u128;
        if body.len() as u128 != expected {
            let expected = usize::try_from(expected).unwrap_or(usize::MAX).saturating_add(HEADER_BYTES);
            return Err(EmbeddingTableError::Length { expected, found: bytes.len() });
        }
        let (name, rest) = body.split_at(name_bytes);
        let (vocabulary, rest) = rest.split_at(vocabulary_bytes);
        let (scales, rows) = rest.split_at(4 * tokens);
        let name = str::from_utf8(name).map_err(|_| EmbeddingTableError::Damaged("its name is not UTF-8"))?;
        let vocabulary =
            str::from_utf8(vocabulary).map_err(|_| EmbeddingTableError::Damaged("its vocabulary is not UTF-8"))?;
        let wordpiece = WordPiece::new(vocabulary);
        if vocabulary.split('\n').count() != tokens {
            return Err(EmbeddingTableError::Damaged("its vocabulary and its rows differ in number"));
        }
        if wordpiece.tokens() != tokens {
            return Err(EmbeddingTableError::Damaged("a token is in its vocabulary twice"));
        }
        let scales: Vec<f32> = scales.as_chunks::<4>().0.iter().map(|&scale| f32::from_le_bytes(scale)).collect();
        if scales.iter().any(|scale| !scale.is_finite() || *scale < 0.0) {
            return Err(EmbeddingTableError::Damaged("a scale is no number"));
        }
        Ok(Self { name: name.to_owned(), dimensions, wordpiece, scales, rows })
    }

    /// The unit vector of one text; zero if nothing in it is known.
    pub fn embed_one(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.dimensions];
        self.wordpiece.for_each_token(text, |token| {
            let scale = self.scales[token];
            let row = &self.rows[token * self.dimensions..][..self.dimensions];
            for (total, &value) in sum.iter_mut().zip(row) {
                *total += f32::from(value.cast_signed()) * scale;
            }
        });
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            for value in &mut sum {
                *value /= length;
            }
        }
        sum
    }

    /// The weight of a text's tokens together: how much it says, by the table. Zero when nothing in it is known.
    pub fn weight(&self, text: &str) -> f32 {
        let mut total = 0.0;
        self.wordpiece.for_each_token(text, |token| {
            let row = &self.rows[token * self.dimensions..][..self.dimensions];
            let squares: i32 = row.iter().map(|value| i32::from(value.cast_signed()).pow(2)).sum();
            total += (squares as f32).sqrt() * self.scales[token];
        });
        total
    }

    /// Whether a word, in small letters, is one of the few thousand that English texts are mostly made of. The vocabulary is
    /// BERT's, which stands in the order of how often its words occur.
    pub fn is_common(&self, word: &str) -> bool {
        self.wordpiece.rank(word).is_some_and(|rank| rank < COMMON_RANKS)
    }

    /// The ids of a text's tokens.
    #[cfg(test)]
    pub(super) fn token_ids(&self, text: &str) -> Vec<usize> {
        let mut ids = Vec::new();
        self.wordpiece.for_each_token(text, |token| ids.push(token));
        ids
    }
}

impl std::fmt::Debug for StaticEmbedder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("StaticEmbedder")
            .field("name", &self.name)
            .field("dimensions", &self.dimensions)
            .field("tokens", &self.scales.len())
            .finish_non_exhaustive()
    }
}

impl Embedder for StaticEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        Ok(texts.iter().map(|text| self.embed_one(text)).collect())
    }
}
