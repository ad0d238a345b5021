//! The pieces of documentation that retrieval finds.
//!
//! A chunk is a text with the facts needed to judge it: which table, which column, what it is about, how many tokens
//! it takes. The text is what an agent gets to read, so it is complete by itself.

use catalog::TableId;
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Lists, Texts};
use crate::file::stored;
use crate::pieces::{Pair, Piece};

/// A piece of documentation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// The table it is about; of a family, the member that stands for all.
    pub table: TableId,
    /// What it says of the table.
    pub kind: ChunkKind,
    /// The column that it is about, if it is about one.
    pub column: Option<String>,
    /// Tables that it mentions.
    pub related: Vec<TableId>,
    /// Words worth searching for, in lower case, most telling first, with blanks between them: a list of its own for each
    /// of a hundred thousand chunks would be the largest part of an index.
    pub keywords: Box<str>,
    /// What an agent gets to read.
    pub text: String,
    /// [`llm::estimate_tokens`] of the text.
    pub tokens: usize,
}

impl Chunk {
    /// A name that is unique in an index: `shop.orders#table`, `shop.orders#column:status`.
    pub fn name(&self) -> String {
        let mut name = format!("{}#{}", self.table, self.kind.name());
        match (&self.kind, &self.column) {
            (ChunkKind::Column, Some(column)) => {
                name.push(':');
                name.push_str(column);
            }
            (ChunkKind::TablePart { number, .. } | ChunkKind::Query { number } | ChunkKind::Example { number }, _) => {
                name.push_str(&format!(":{number}"));
            }
            _ => {}
        }
        name
    }
}

/// Kinds of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// A whole table.
    Table,
    /// One group of columns of a wide table, with the header and the keys repeated.
    TablePart {
        /// From 1.
        number: u32,
        /// How many parts the table has.
        of: u32,
    },
    /// Several tables that are coupled by many joins.
    Union,
    /// One column.
    Column,
    /// A query that people run on the table.
    Query {
        /// From 1, within the table.
        number: u32,
    },
    /// How the table joins with others.
    Relationship,
    /// An approved question with its SQL.
    Example {
        /// The memory's number.
        number: u32,
    },
}

impl ChunkKind {
    /// The word for output: `table`, `column` …
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::TablePart { .. } => "part",
            Self::Union => "union",
            Self::Column => "column",
            Self::Query { .. } => "query",
            Self::Relationship => "relationship",
            Self::Example { .. } => "example",
        }
    }
}

/// A chunk that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What was found.
    pub chunk: Chunk,
    /// The fused score; only its order means something.
    pub score: f32,
    /// Place in the lexical ranking, from 1; `None` where no word matched.
    pub lexical_rank: Option<usize>,
    /// Place in the ranking by similarity, from 1; `None` where it wasn't among the candidates.
    pub dense_rank: Option<usize>,
}

/// All chunks. They are the bulk of an index and few of them are ever read, so each is kept as text and made when it is asked
/// for.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    /// As JSON.
    bodies: Texts,
    /// Numbers of the chunks of each unit.
    of_unit: Lists<u32>,
    /// Where unions begin, and behind them examples: two numbers.
    parts: Array<u32>,
}

stored!(Chunks { bodies, of_unit, parts });

impl Chunks {
    /// `bodies` come from [`Chunks::body`]; unions stand behind all others but examples, and begin at `unions`.
    pub(crate) fn new(bodies: Texts, of_unit: &[Vec<u32>], unions: u32, examples: u32) -> Self {
        Self { bodies, of_unit: of_unit.iter().collect(), parts: vec![unions, examples].into() }
    }

    /// The chunks of both indexes that the pieces name; `of_unit` are the new numbers of each unit's chunks.
    pub(crate) fn merged(
        sides: Pair<&Self>,
        pieces: &[Piece],
        of_unit: &[Vec<u32>],
        unions: u32,
        examples: u32,
    ) -> Self {
        let bodies = Texts::picked(sides.map(|chunks| &chunks.bodies), pieces);
        Self::new(bodies, of_unit, unions, examples)
    }

    /// A chunk as it is stored.
    pub(crate) fn body(chunk: &Chunk) -> String {
        serde_json::to_string(chunk).expect("a chunk holds texts and numbers only")
    }

    pub(crate) fn len(&self) -> usize {
        self.bodies.len()
    }

    /// That chunk; `None` for one that isn't there or that a damaged file holds no chunk of.
    pub(crate) fn get(&self, number: u32) -> Option<Chunk> {
        serde_json::from_str(self.bodies.get(number as usize)).ok()
    }

    pub(crate) fn of(&self, unit: usize) -> &[u32] {
        self.of_unit.get(unit)
    }

    pub(crate) fn is_union(&self, number: u32) -> bool {
        self.parts.first().is_some_and(|&first| number >= first) && !self.is_example(number)
    }

    pub(crate) fn is_example(&self, number: u32) -> bool {
        self.parts.get(1).is_some_and(|&first| number >= first)
    }

    /// Numbers of the examples.
    pub(crate) fn examples(&self) -> std::ops::Range<u32> {
        let end = self.len() as u32;
        self.parts.get(1).map_or(end, |&first| first.min(end))..end
    }

    /// Whether every number is that of a chunk.
    pub(crate) fn is_sound(&self, units: usize) -> bool {
        let is_chunk = |number: &u32| (*number as usize) < self.len();
        self.of_unit.len() == units && self.of_unit.values().iter().all(is_chunk)
    }
}
