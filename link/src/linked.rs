//! What linking answers: every table of the scope ranked, with the evidence for it.
//!
//! Unlikely and irrelevant tables stay in the list, marked as such: they are the directives, and an agent that reads an
//! irrelevant one all the same can be told why it was thought so.

use std::sync::Arc;

use catalog::{Dialect, KeyOrigin, TableId};
use serde::Serialize;

use crate::fit::Fit;
use crate::glossary::NamedTerm;

/// The tables, columns, values and joins that a question needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linked {
    /// How the context is chosen.
    pub strategy: Strategy,
    /// All tables of the scope, best first.
    pub tables: Vec<RankedTable>,
    /// Values that the question names, in the spelling they are stored in, strongest first.
    pub values: Vec<ValueHit>,
    /// How the most relevant tables are joined.
    pub joins: Vec<JoinPath>,
    /// Business terms that the question names, in its order.
    pub terms: Vec<NamedTerm>,
    /// Approved queries for similar questions, most similar first.
    pub examples: Vec<Example>,
    /// The chunks that the ranking rests on, best first.
    pub chunks: Vec<ChunkUse>,
    /// Estimated tokens of the context that [`crate::context`] makes for the relevant tables.
    pub tokens: usize,
    /// Words of the question that no name, description or value explains.
    pub unmatched_terms: Vec<String>,
    /// Whether it is a question for this catalog at all.
    pub fit: Fit,
    /// The language of the question, by its English name; `None` for English, and where nothing tells.
    pub language: Option<&'static str>,
}

impl Linked {
    /// The relevant tables, best first.
    pub fn relevant(&self) -> impl Iterator<Item = &RankedTable> {
        self.of_standing(Standing::Relevant)
    }

    /// The unlikely tables, best first.
    pub fn unlikely(&self) -> impl Iterator<Item = &RankedTable> {
        self.of_standing(Standing::Unlikely)
    }

    /// The irrelevant tables, best first.
    pub fn irrelevant(&self) -> impl Iterator<Item = &RankedTable> {
        self.of_standing(Standing::Irrelevant)
    }

    fn of_standing(&self, standing: Standing) -> impl Iterator<Item = &RankedTable> {
        self.tables.iter().filter(move |table| table.standing == standing)
    }

    /// The rank of that table or of its family, counted from 0.
    pub fn rank(&self, id: &TableId) -> Option<usize> {
        self.tables.iter().position(|table| table.members.contains(id))
    }
}

/// How the context is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "strategy", rename_all = "snake_case")]
pub enum Strategy {
    /// The whole schema.
    Full {
        /// Why: few tables, fits the budget, or nothing matched.
        reason: String,
    },
    /// The best tables only.
    Focused {
        /// How many tables of how many are relevant.
        reason: String,
    },
}

impl Strategy {
    /// `full` or `focused`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Full { .. } => "full",
            Self::Focused { .. } => "focused",
        }
    }

    /// Why it was chosen.
    pub fn reason(&self) -> &str {
        match self {
            Self::Full { reason } | Self::Focused { reason } => reason,
        }
    }
}

/// What a table is to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is likely needed, and shown.
    Relevant,
    /// It may be needed: it is listed by name, and whoever knows better may look at it.
    Unlikely,
    /// It isn't needed: it is to be left alone.
    Irrelevant,
}

/// A table with its place in the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedTable {
    /// The table; of a family the member whose number the question names, or else the newest.
    pub id: TableId,
    /// The estimated probability that the question needs it, 0 to 1.
    pub score: f32,
    /// What it is to the question.
    pub standing: Standing,
    /// Why it ranks where it does, strongest reason first.
    pub reasons: Vec<Evidence>,
    /// Its columns, best first; only for relevant tables and a few more.
    pub columns: Vec<RankedColumn>,
    /// All tables that it stands for, itself among them: more than one where they are a family of the same shape.
    pub members: Arc<[TableId]>,
}

impl RankedTable {
    /// Whether the question likely needs it.
    pub fn is_relevant(&self) -> bool {
        self.standing == Standing::Relevant
    }

    /// The other members of its family.
    pub fn others(&self) -> impl Iterator<Item = &TableId> {
        self.members.iter().filter(|member| **member != self.id)
    }

    /// The reasons that speak for it, strongest first.
    pub fn for_it(&self) -> impl Iterator<Item = &Evidence> {
        // What speaks against it and changes nothing, as it is last anyway, weighs -0.
        self.reasons.iter().filter(|reason| reason.weight.is_sign_positive())
    }

    /// The reasons that speak against it, strongest first; that its words or neighbours say less than others' isn't one.
    pub fn against(&self) -> impl Iterator<Item = &Evidence> {
        let kinds = [EvidenceKind::LookAlike, EvidenceKind::Empty, EvidenceKind::Period, EvidenceKind::Unreadable];
        let speaks_against = move |reason: &&Evidence| reason.weight.is_sign_negative() && kinds.contains(&reason.kind);
        self.reasons.iter().filter(speaks_against)
    }
}

/// A column with its score inside its table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedColumn {
    /// As the database has it.
    pub name: String,
    /// How well it fits, 0 to 1.
    pub score: f32,
    /// Words of the question that it answers to.
    pub matched: Vec<String>,
}

/// One reason for a rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// What the reason rests on.
    pub kind: EvidenceKind,
    /// In plain words: "its name matches `orders`".
    pub text: String,
    /// What it adds to the score before it becomes a probability; negative where it speaks against the table.
    pub weight: f32,
}

/// What a reason rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Words in the table's name.
    Name,
    /// Words in column names.
    Column,
    /// Words in comments and descriptions.
    Description,
    /// A value that the question names.
    Value,
    /// Similar in meaning.
    Meaning,
    /// Its source or connected tables explain much of the question.
    Coherence,
    /// Joined to tables that matter.
    Join,
    /// It lies on the path between two tables that matter.
    Bridge,
    /// A business term that the question names is about it.
    Glossary,
    /// An approved query for a similar question uses it.
    Memory,
    /// Query logs tell how much it is read, and what is computed from it.
    Usage,
    /// It looks stale, or like a copy of another table.
    LookAlike,
    /// It has no rows, where others have.
    Empty,
    /// It has nothing of the time that the question names.
    Period,
    /// The database didn't let us read it.
    Unreadable,
    /// Not in the index yet.
    NotIndexed,
}

/// A value of the question found in the data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueHit {
    /// The table that holds it.
    pub table: TableId,
    /// The column of that table.
    pub column: String,
    /// As it is stored: `US`.
    pub stored: String,
    /// As it was asked for: `United States`.
    pub asked: String,
    /// How sure it is that the question means this value, 0 to 1.
    pub strength: f32,
}

/// A chain of joins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JoinPath {
    /// In an order in which each step joins one more table.
    pub steps: Vec<JoinStep>,
}

impl JoinPath {
    /// Every table on it, in order of first mention.
    pub fn tables(&self) -> Vec<&TableId> {
        let mut tables = Vec::new();
        for step in &self.steps {
            for table in [&step.left, &step.right] {
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
        }
        tables
    }
}

/// One join.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JoinStep {
    /// The table that has been joined already.
    pub left: TableId,
    /// The columns of the left table.
    pub left_columns: Vec<String>,
    /// The table that is added.
    pub right: TableId,
    /// The columns of the right table, in the same order.
    pub right_columns: Vec<String>,
    /// Whether the key is declared, or inferred and with what confidence.
    pub origin: KeyOrigin,
    /// How many rows meet.
    pub cardinality: Cardinality,
}

impl JoinStep {
    /// Whether the schema declares the key.
    pub fn is_declared(&self) -> bool {
        self.origin == KeyOrigin::Declared
    }

    /// `orders.customer_id = customers.id`, joined by AND where the key has several columns, as it stands in a statement.
    pub fn condition(&self, dialect: &Dialect) -> String {
        let column =
            |table: &TableId, column: &String| format!("{}.{}", table.written(dialect), dialect.identifier(column));
        let pairs = self.left_columns.iter().zip(&self.right_columns);
        let equal = pairs.map(|(left, right)| format!("{} = {}", column(&self.left, left), column(&self.right, right)));
        equal.collect::<Vec<_>>().join(" AND ")
    }
}

/// How many rows of the right side meet one of the left side, and the other way around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// Many rows of the left side meet one of the right side: nothing is counted twice.
    ManyToOne,
    /// One row of the left side meets many of the right side: sums over the left side multiply.
    OneToMany,
    /// The columns that refer are a key themselves.
    OneToOne,
}

/// An approved query that was asked in similar words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// What it is remembered as.
    pub memory: catalog::MemoryId,
    /// The source that the statement is for.
    pub source: String,
    /// The question that it was approved for.
    pub question: String,
    /// The approved statement.
    pub sql: String,
    /// How similar the two questions are, 0 to 1.
    pub similarity: f32,
}

/// A chunk that was used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChunkUse {
    /// The chunk's name, `shop.orders#table`; stable while the catalog is.
    pub chunk: String,
    /// The table that it is about.
    pub table: TableId,
    /// The column that it is about, if it is about one.
    pub column: Option<String>,
    /// Its fused score; only the order of scores means something.
    pub score: f32,
}
