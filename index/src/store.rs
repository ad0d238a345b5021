//! The index on disk: a folder with `index.json` and `vectors.bin`.
//!
//! The folder can be deleted at any time. Both files are written beside their place and moved there, and the vectors'
//! checksum stands in the other file, so that a half-written index is recognised and not used.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::chunk::Chunk;
use crate::error::IndexError;
use crate::family::Unit;
use crate::index::{Index, IndexedColumn, look_ups};
use crate::lexical::{Lexicon, Postings};
use crate::scores::Field;
use crate::values::ValueIndex;
use crate::vectors::Vectors;

/// The version of the files' layout and of the rules that terms are made by; another one means: build again.
pub const FORMAT_VERSION: u32 = 4;

const BODY: &str = "index.json";
const VECTORS: &str = "vectors.bin";

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
}

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    format: u32,
    revision: u64,
    embedder: std::borrow::Cow<'a, str>,
    dimensions: usize,
    rows: usize,
    vectors_checksum: u64,
    units: std::borrow::Cow<'a, [Unit]>,
    chunks: std::borrow::Cow<'a, [Chunk]>,
    lexicon: std::borrow::Cow<'a, Lexicon>,
    fields: std::borrow::Cow<'a, [Postings]>,
    chunk_postings: std::borrow::Cow<'a, Postings>,
    columns: std::borrow::Cow<'a, [Vec<IndexedColumn>]>,
    names: std::borrow::Cow<'a, [Vec<u32>]>,
    values: std::borrow::Cow<'a, ValueIndex>,
    table_rows: std::borrow::Cow<'a, [Vec<u32>]>,
    term_rows: std::borrow::Cow<'a, [u32]>,
    chunk_rows: std::borrow::Cow<'a, [u32]>,
}

impl Index {
    /// Writes the index to that folder, which is made where it doesn't exist.
    pub fn save(&self, folder: &Path) -> Result<(), IndexError> {
        use std::borrow::Cow::Borrowed;
        fs::create_dir_all(folder).map_err(|source| IndexError::File { path: folder.to_owned(), source })?;
        let mut vectors_checksum = CHECKSUM_START;
        write(folder, VECTORS, |file| {
            let mut summed = Summed { file, sum: CHECKSUM_START };
            self.vectors.write_to(&mut summed)?;
            vectors_checksum = summed.sum;
            Ok(())
        })?;
        let body = Body {
            format: FORMAT_VERSION,
            revision: self.revision,
            embedder: Borrowed(&self.embedder),
            dimensions: self.vectors.dimensions(),
            rows: self.vectors.len(),
            vectors_checksum,
            units: Borrowed(&self.units),
            chunks: Borrowed(&self.chunks),
            lexicon: Borrowed(&self.lexicon),
            fields: Borrowed(&self.fields),
            chunk_postings: Borrowed(&self.chunk_postings),
            columns: Borrowed(&self.columns),
            names: Borrowed(&self.names),
            values: Borrowed(&self.values),
            table_rows: Borrowed(&self.table_rows),
            term_rows: Borrowed(&self.term_rows),
            chunk_rows: Borrowed(&self.chunk_rows),
        };
        // Straight into the file: as one text it would be as large again as the index.
        write(folder, BODY, |file| Ok(serde_json::to_writer(file, &body)?))
    }

    /// Reads the index from that folder.
    pub fn load(folder: &Path) -> Result<Self, IndexError> {
        let unusable = |reason: String| IndexError::Unusable { folder: folder.to_owned(), reason };
        let bytes = read(folder, BODY)?;
        let header: Header = serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        if header.format != FORMAT_VERSION {
            return Err(unusable(format!("it has format {}, and this version reads {FORMAT_VERSION}", header.format)));
        }
        let body: Body<'static> = serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        let bytes = read(folder, VECTORS)?;
        if checksum(CHECKSUM_START, &bytes) != body.vectors_checksum {
            return Err(unusable(format!("`{VECTORS}` doesn't belong to `{BODY}`")));
        }
        let vectors = Vectors::from_bytes(&bytes, body.rows, body.dimensions)
            .ok_or_else(|| unusable(format!("`{VECTORS}` has another length than `{BODY}` says")))?;
        let units = body.units.into_owned();
        let chunks = body.chunks.into_owned();
        let (positions, unit_chunks) = look_ups(&units, &chunks);
        let index = Self {
            revision: body.revision,
            embedder: body.embedder.into_owned(),
            units,
            chunks,
            lexicon: body.lexicon.into_owned(),
            fields: body.fields.into_owned(),
            chunk_postings: body.chunk_postings.into_owned(),
            columns: body.columns.into_owned(),
            names: body.names.into_owned(),
            values: body.values.into_owned(),
            vectors,
            table_rows: body.table_rows.into_owned(),
            term_rows: body.term_rows.into_owned(),
            chunk_rows: body.chunk_rows.into_owned(),
            positions,
            unit_chunks,
        };
        if index.is_sound() { Ok(index) } else { Err(unusable("its parts don't fit together".to_owned())) }
    }

    /// Whether every number in it points somewhere, so that a damaged file can't make a later look-up fail.
    fn is_sound(&self) -> bool {
        let units = self.units.len();
        let counts: Vec<usize> = self.columns.iter().map(Vec::len).collect();
        let of_columns = self.columns.iter().flatten().flat_map(|column| &column.terms);
        let mut name_terms = self.names.iter().flatten().chain(of_columns);
        self.fields.len() == Field::ALL.len()
            && self.fields.iter().all(|field| field.is_sound(units))
            && self.chunk_postings.is_sound(self.chunks.len())
            && [self.columns.len(), self.names.len(), self.table_rows.len()].iter().all(|&length| length == units)
            && self.chunk_rows.len() == self.chunks.len()
            && self.term_rows.len() == self.lexicon.len()
            && name_terms.all(|&term| (term as usize) < self.lexicon.len())
            && self.values.is_sound(&counts)
    }
}

fn write(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut BufWriter<fs::File>) -> std::io::Result<()>,
) -> Result<(), IndexError> {
    let path = folder.join(name);
    let draft = folder.join(format!("{name}.new"));
    let write_draft = || {
        let mut file = BufWriter::new(fs::File::create(&draft)?);
        fill(&mut file)?;
        file.flush()
    };
    write_draft().map_err(|source| IndexError::File { path: draft.clone(), source })?;
    fs::rename(&draft, &path).map_err(|source| IndexError::File { path, source })
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, IndexError> {
    let path = folder.join(name);
    fs::read(&path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => IndexError::Missing { folder: folder.to_owned() },
        _ => IndexError::File { path, source },
    })
}

/// FNV-1a's.
const CHECKSUM_START: u64 = 0xcbf2_9ce4_8422_2325;

/// The checksum of what `sum` is the checksum of, and `bytes` behind it.
fn checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A file with the checksum of what was written to it.
struct Summed<'f, W> {
    file: &'f mut W,
    sum: u64,
}

impl<W: Write> Write for Summed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum = checksum(self.sum, &bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests;
