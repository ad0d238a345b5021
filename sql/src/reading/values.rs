//! Literals, and what is compared, computed and asked of values.

use dialect::Clause;

use super::names::ColumnRef;
use crate::span::Span;

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralValue {
    /// Its text, unquoted and unescaped: `O'Brien`, `-5`.
    pub text: String,
    /// What it is.
    pub kind: LiteralKind,
}

/// Kinds of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// `'text'`, and `DATE '2024-01-01'`.
    Text,
    /// `"text"` that SQLite takes for a string because no column has that name.
    DoubleQuoted,
    /// `12`, `-1.5`.
    Number,
    /// `TRUE`, `FALSE`.
    Boolean,
    /// `X'00'`.
    Bytes,
    /// `NULL`.
    Null,
}

/// A literal that is compared with a base column, directly or through a derived table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralUse {
    /// The column.
    pub column: ColumnRef,
    /// How they are compared, with the column on the left: `5 < x` is [`Comparison::Greater`].
    pub operator: Comparison,
    /// What is done to the column before: `lower(country)`.
    pub folding: Folding,
    /// The literal.
    pub value: LiteralValue,
    /// In which clause.
    pub clause: Clause,
    /// How many values it is one of: more than one in an IN list.
    pub among: usize,
    /// Where the literal stands, quotes included.
    pub span: Option<Span>,
    /// Where the column stands.
    pub column_span: Option<Span>,
}

/// Comparison of a column with a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`, `IS`, and each element of IN.
    Equal,
    /// `<>`, `IS NOT`, and each element of NOT IN.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`, and the upper end of BETWEEN.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`, and the lower end of BETWEEN.
    GreaterOrEqual,
    /// `LIKE`.
    Like,
    /// `NOT LIKE`.
    NotLike,
    /// `ILIKE`.
    ILike,
    /// `GLOB`.
    Glob,
}

/// What is done to a column before it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Nothing.
    None,
    /// `lower(column)`.
    Lower,
    /// `upper(column)`.
    Upper,
    /// `column COLLATE NOCASE` or the literal with it.
    IgnoresCase,
    /// `date(column)`: the day of a time.
    Date,
}

/// Two values that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// On the left of the operator.
    pub left: Operand,
    /// How they are compared.
    pub operator: Comparison,
    /// On its right.
    pub right: Operand,
    /// Where the left one stands.
    pub span: Option<Span>,
}

/// Two base columns that are added up, subtracted from each other or put one below the other (`UNION`), each as it is, or an
/// aggregate of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mingled {
    /// One.
    pub left: ColumnRef,
    /// The other.
    pub right: ColumnRef,
    /// Where the first one stands.
    pub span: Option<Span>,
}

/// A value of whose type something is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A base column, unchanged.
    Column(ColumnRef),
    /// A literal without a type in front of it.
    Literal(LiteralValue),
    /// A value of a type that is written out, as it is written: `x::date`, `DATE '2024-01-01'`.
    Typed(String),
}

/// A base column that a condition compares with a literal after something was made of it: `date(ordered_at) = …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedUse {
    /// The column.
    pub column: ColumnRef,
    /// The function, in lower case; `cast`; or `an expression`.
    pub by: String,
    /// The literal.
    pub value: LiteralValue,
    /// Where what is compared stands.
    pub span: Option<Span>,
}

/// A base column that is itself a condition: `WHERE is_active`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionUse {
    /// The column.
    pub column: ColumnRef,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A division of which both sides are whole numbers, if all its columns are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The columns that have to be whole.
    pub columns: Vec<ColumnRef>,
    /// Whether a count or a sum is in it.
    pub aggregates: bool,
    /// Whether a sum is in it.
    pub sums: bool,
    /// Whether a sum of a count or of a sum is in it.
    pub sums_wide: bool,
    /// What is divided, where that is a number that is written out.
    pub dividend: Option<String>,
    /// What it is divided by, where that is a number that is written out.
    pub divisor: Option<String>,
    /// Where a number stands that what is divided is multiplied by: `100` in `count(x) * 100 / count(*)`.
    pub factor: Option<Span>,
    /// In which clause.
    pub clause: Clause,
    /// As it is read.
    pub text: String,
    /// Where it begins, where something may be put in front of it.
    pub start: Option<usize>,
    /// Where what it is divided by stands.
    pub divisor_span: Option<Span>,
}
