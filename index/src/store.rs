//! The index on disk: one file in a folder, which is mapped and not parsed.
//!
//! The folder can be deleted at any time. The file is written beside its place and moved there, so that a half-written
//! index is never seen, and so that a file that somebody has mapped is left as it is.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::OnceLock;

use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Lists};
use crate::chunk::Chunks;
use crate::columns::Columns;
use crate::error::IndexError;
use crate::family::Unit;
use crate::file::{Reader, Sections, Stored};
use crate::index::{Index, NO_ROW, positions_of};
use crate::lexical::{Lexicon, Postings};
use crate::scores::Field;
use crate::values::ValueIndex;
use crate::vectors::Vectors;

/// The version of the file's layout and of the rules that terms are made by; another one means: build again.
pub const FORMAT_VERSION: u32 = 10;

const FILE: &str = "index.bin";

/// What is small enough to be parsed.
#[derive(Serialize, Deserialize)]
struct IndexHead {
    revision: u64,
    origin: String,
    rules: String,
    embedder: String,
    units: Vec<Unit>,
}

impl Index {
    /// Writes the index to that folder, which is made where it doesn't exist.
    pub fn save(&self, folder: &Path) -> Result<(), IndexError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| IndexError::File { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let (path, draft) = (folder.join(FILE), folder.join(format!("{FILE}.new")));
        self.write(&draft).map_err(failed(&draft))?;
        fs::rename(&draft, &path).map_err(failed(&path))
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let head = IndexHead {
            revision: self.revision,
            origin: self.origin.clone(),
            rules: self.rules.clone(),
            embedder: self.embedder.clone(),
            units: self.units.clone(),
        };
        let mut sections = Sections::default();
        sections.push(serde_json::to_vec(&head)?);
        self.chunks.put(&mut sections);
        self.lexicon.put(&mut sections);
        self.fields.put(&mut sections);
        self.chunk_postings.put(&mut sections);
        self.columns.put(&mut sections);
        self.names.put(&mut sections);
        self.values.put(&mut sections);
        self.vectors.put(&mut sections);
        self.table_rows.put(&mut sections);
        self.term_rows.put(&mut sections);
        self.chunk_rows.put(&mut sections);
        let mut file = BufWriter::new(fs::File::create(path)?);
        sections.write(FORMAT_VERSION, &mut file)?;
        file.flush()
    }

    /// Opens the index in that folder.
    pub fn load(folder: &Path) -> Result<Self, IndexError> {
        let unusable = |reason: String| IndexError::Unusable { folder: folder.to_owned(), reason };
        let path = folder.join(FILE);
        let file = fs::File::open(&path).and_then(|file| map(&file)).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => IndexError::Missing { folder: folder.to_owned() },
            _ => IndexError::File { path, source },
        })?;
        let mut sections = Reader::new(file, FORMAT_VERSION).map_err(unusable)?;
        let index = Self::take(&mut sections).filter(Self::is_sound);
        index.ok_or_else(|| unusable("its parts don't fit together".to_owned()))
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        let head: IndexHead = serde_json::from_slice(sections.bytes()?).ok()?;
        Some(Self {
            revision: head.revision,
            origin: head.origin,
            rules: head.rules,
            embedder: head.embedder,
            positions: positions_of(&head.units),
            foreign: OnceLock::new(),
            units: head.units,
            chunks: Chunks::take(sections)?,
            lexicon: Lexicon::take(sections)?,
            fields: Vec::<Postings>::take(sections)?,
            chunk_postings: Postings::take(sections)?,
            columns: Columns::take(sections)?,
            names: Lists::take(sections)?,
            values: ValueIndex::take(sections)?,
            vectors: Vectors::take(sections)?,
            table_rows: Lists::take(sections)?,
            term_rows: Array::take(sections)?,
            chunk_rows: Array::take(sections)?,
        })
    }

    /// Whether every number in it points somewhere, so that a damaged file can't make a later look-up fail.
    fn is_sound(&self) -> bool {
        let units = self.units.len();
        let counts: Vec<usize> = (0..units).map(|unit| self.columns.count(unit)).collect();
        let term_rows = self.term_rows.iter().filter(|row| **row != NO_ROW);
        let table_rows = self.table_rows.values().iter().chain(self.columns.all_rows());
        let mut rows = table_rows.chain(&*self.chunk_rows).chain(term_rows);
        let mut terms = self.names.values().iter().chain(self.columns.terms()).chain(self.columns.text());
        self.fields.len() == Field::ALL.len()
            && self.fields.iter().all(|field| field.is_sound(units))
            && self.chunks.is_sound(units)
            && self.chunk_postings.is_sound(self.chunks.len())
            && [self.columns.units(), self.names.len(), self.table_rows.len()].iter().all(|&length| length == units)
            && self.columns.is_sound()
            && self.chunk_rows.len() == self.chunks.len()
            && self.term_rows.len() == self.lexicon.len()
            && self.lexicon.is_sound()
            && terms.all(|&term| (term as usize) < self.lexicon.len())
            && self.vectors.is_sound()
            && rows.all(|&row| (row as usize) < self.vectors.len())
            && self.values.is_sound(&counts)
    }
}

#[allow(unsafe_code, reason = "a file can only be mapped so")]
fn map(file: &fs::File) -> std::io::Result<Mmap> {
    // SAFETY: what is mapped must not change or be cut while it is in use. We never write to a saved index: a new one is
    // written beside it and takes its name, and this one's bytes live on until the last map of it is gone.
    unsafe { Mmap::map(file) }
}

#[cfg(test)]
mod tests;
