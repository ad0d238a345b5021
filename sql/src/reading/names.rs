//! Names and what they stand for: tables, columns and how their values are used, functions, results.

use catalog::TableId;
use dialect::Clause;
use serde::{Deserialize, Serialize};

use super::values::LiteralValue;
use crate::span::Span;

/// A relation named in FROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableUse {
    /// The parts of its name, without quotes.
    pub parts: Vec<String>,
    /// What it is.
    pub kind: TableUseKind,
    /// The catalog's table, where it is one.
    pub table: Option<TableId>,
    /// Its alias.
    pub alias: Option<String>,
    /// Where the name stands.
    pub span: Option<Span>,
}

/// What a name in FROM stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableUseKind {
    /// A table or view of the catalog.
    Base,
    /// A common table expression of the statement.
    Cte,
    /// Nothing that is known.
    Unknown,
}

/// A base column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnRef {
    /// Its table.
    pub table: TableId,
    /// Its name, as the engine spells it.
    pub column: String,
}

/// A base column that is named somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnUse {
    /// Which one.
    pub column: ColumnRef,
    /// In which clause.
    pub clause: Clause,
    /// Whether it stands there by name, or `*` brought it in.
    pub through: Through,
    /// Where, if that is known.
    pub span: Option<Span>,
}

/// How a column came to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// Its name was written.
    Name,
    /// `*` or `t.*`.
    Star,
    /// The whole row was used as a value, or NATURAL JOIN compared it.
    Implied,
    /// Its name was written to leave it out of a `*`: nothing reads it there.
    LeftOut,
}

/// The use of a base column's value at some place, also under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueUse {
    /// Which column.
    pub column: ColumnRef,
    /// How.
    pub manner: Manner,
    /// Whether it goes into a result that is made from it, and decides nothing besides.
    pub is_carried: bool,
    /// Where, if that is known.
    pub span: Option<Span>,
}

/// What can be read off a value by how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manner {
    /// It is handed on unchanged, as a column of a result.
    Passed,
    /// It is counted: how many values, or how many different ones, of nothing but the column.
    Counted,
    /// It is tested for NULL.
    NullTested,
    /// Rows are restricted to those in which it equals, or doesn't equal, one of so many constants of the statement.
    Constants(usize),
    /// Rows are restricted to those in which it equals another base column.
    Equated(ColumnRef),
    /// Anything else.
    Other,
}

/// A function call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionUse {
    /// The parts of its name in lower case, without quotes: `["pg_catalog", "lower"]`.
    pub path: Vec<String>,
    /// Where it stands.
    pub place: FunctionPlace,
    /// Its positional arguments, as far as they are literals.
    pub arguments: Vec<Argument>,
    /// Where the name stands.
    pub span: Option<Span>,
}

impl FunctionUse {
    /// The last part of the name.
    pub fn name(&self) -> &str {
        self.path.last().map(String::as_str).unwrap_or_default()
    }
}

/// Where a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionPlace {
    /// In an expression.
    Expression,
    /// In an expression, with an OVER clause.
    Window,
    /// In FROM, as a table.
    Table,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A literal, signs included.
    Literal(LiteralValue),
    /// A base column, unchanged.
    Column(ColumnRef),
    /// Anything else.
    Expression,
}

/// A column of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    /// Its name, where one is certain.
    pub name: Option<String>,
    /// The base columns it is made from.
    pub sources: Vec<ColumnRef>,
    /// How.
    pub origin: Origin,
}

/// How an output column comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is a base column, unchanged.
    Column,
    /// It is computed.
    Computed,
    /// It is aggregated.
    Aggregated,
}
