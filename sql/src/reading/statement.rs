//! What kind of statement it is, what it does besides reading, and what was not understood of it.

use catalog::TableId;

use crate::span::Span;

/// What kind of statement it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `SELECT`, `VALUES`, `TABLE`, `WITH … SELECT`.
    Query,
    /// `EXPLAIN` of a query that is read like the query.
    Explain,
    /// `DESCRIBE table`.
    Describe,
    /// `SHOW` of something; the text after the word, in lower case: `tables`, `server_version`.
    Show(String),
    /// SQLite's and DuckDB's `PRAGMA`.
    Pragma {
        /// Its name, in lower case.
        name: String,
        /// What is assigned or given in parentheses.
        argument: Option<String>,
        /// Whether it was written with `=`.
        assigned: bool,
    },
    /// `INSERT`, `REPLACE`.
    Insert,
    /// `UPDATE`.
    Update,
    /// `DELETE`.
    Delete,
    /// `MERGE`.
    Merge,
    /// `CREATE`, `ALTER`, `DROP`, `TRUNCATE` …
    Definition,
    /// `BEGIN`, `COMMIT`, `ROLLBACK`, `SAVEPOINT` …
    Transaction,
    /// `SET`, `RESET`, `USE`.
    Setting,
    /// Anything else that parses, by its first word in capitals: `ATTACH`, `COPY`, `CALL`.
    Other(String),
    /// Nothing could be parsed, or there is nothing.
    Unparsed,
}

/// Something that is not plain reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What sort of thing.
    pub kind: EffectKind,
    /// In words, for a message: "`FOR UPDATE` locks rows".
    pub what: String,
    /// Where, if that is known.
    pub span: Option<Span>,
}

/// Sorts of effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EffectKind {
    /// Rows are added, changed or removed, at any depth.
    Write,
    /// Tables, views, users … are made, changed or dropped.
    Definition,
    /// The result goes into a table, a variable or a file.
    Into,
    /// Rows or tables are locked.
    Lock,
    /// A transaction is begun or ended.
    Transaction,
    /// A setting of the session, the statement or the server is changed.
    Setting,
    /// `PRAGMA`.
    Pragma,
    /// Another database is attached or detached, an extension is loaded.
    Attach,
    /// A file or a network address is named where a table should be.
    ExternalData,
    /// The statement that is explained would be run.
    ExplainAnalyze,
    /// A comment that some server executes: `/*! … */`.
    ExecutableComment,
    /// A piece of text that this engine and our parser would not read alike.
    ForeignSyntax,
    /// A character that can't be seen, or that turns the text around.
    InvisibleCharacter,
    /// A form of which the engine's own process ends, and everybody's session with it.
    EndsTheEngine,
    /// A parameter that nobody fills in.
    Parameter,
    /// Procedures, maintenance, server control and the like.
    Administration,
    /// Syntax that this reader doesn't know.
    NotUnderstood,
}

/// Something that could not be parsed or resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What.
    pub kind: ProblemKind,
    /// Where, if that is known.
    pub span: Option<Span>,
}

/// What can be wrong with a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemKind {
    /// There is no statement.
    Empty,
    /// The text is longer than we read.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
        /// What we read.
        limit: usize,
    },
    /// It is nested, or chained, more deeply than we follow.
    TooDeep,
    /// Expanding its stars and lineage takes more than we spend.
    TooComplex,
    /// It doesn't parse.
    ParseError {
        /// In the parser's words, without the place.
        message: String,
    },
    /// No table has that name.
    UnknownTable {
        /// The parts as written.
        parts: Vec<String>,
    },
    /// Several schemas have a table of that name.
    AmbiguousTable {
        /// The parts as written.
        parts: Vec<String>,
        /// The tables.
        candidates: Vec<TableId>,
    },
    /// `x` of `x.column` is no relation that can be seen there.
    UnknownAlias {
        /// As written.
        qualifier: String,
        /// The column after it, unless it is `*`.
        column: Option<String>,
        /// What can be seen.
        visible: Vec<Visible>,
    },
    /// No relation that can be seen there has that column.
    UnknownColumn {
        /// The alias or table before it.
        qualifier: Option<String>,
        /// As written.
        name: String,
        /// What was searched.
        visible: Vec<Visible>,
        /// What SQLite would do with it.
        fallback: Fallback,
    },
    /// A word without quotes is a value of the engine's own, though a column that can be seen there has that name.
    BareWord {
        /// The name, as the engine compares it.
        name: String,
    },
    /// MySQL: a text, since it is in double quotes, though a column that can be seen there has that name.
    QuotedLikeAColumn {
        /// The name, as the engine compares it.
        name: String,
    },
    /// Several relations have that column.
    AmbiguousColumn {
        /// As written.
        name: String,
        /// The relations that have it.
        candidates: Vec<Visible>,
    },
}

/// What an engine makes of an identifier that names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// An error.
    None,
    /// SQLite: a string, since it is in double quotes; and it stands where a value is expected, compared with a column.
    StringValue,
    /// SQLite: a string, since it is in double quotes; but it stands where a column is expected.
    String,
}

/// A relation that can be seen at some place of the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// Its alias or name.
    pub name: String,
    /// The base table, where it is one.
    pub table: Option<TableId>,
    /// Its columns.
    pub columns: Vec<String>,
}
