//! Which rows there are: joins, aggregates and what multiplies them, recursions, and how large all of it can become.

use super::names::ColumnRef;
use crate::span::Span;

/// Two base columns that are equated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinUse {
    /// One.
    pub left: ColumnRef,
    /// The other.
    pub right: ColumnRef,
    /// Where, if that is known.
    pub span: Option<Span>,
}

/// Relations of one FROM that no condition connects with the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjoined {
    /// The aliases or names of the first relation and those connected with it.
    pub connected: Vec<String>,
    /// Those that nothing connects with them.
    pub loose: Vec<String>,
    /// Where the first loose one is named.
    pub span: Option<Span>,
}

/// An aggregate of a select.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateUse {
    /// The function, in lower case.
    pub function: String,
    /// Whether it is over different values only.
    pub distinct: bool,
    /// The base column that it is over, where it is over one unchanged.
    pub column: Option<ColumnRef>,
    /// The relations it takes values from, by what they are called; none where rows are counted.
    pub over: Vec<String>,
    /// The joins that repeat the rows it is over.
    pub multiplied_by: Vec<Multiplication>,
    /// The grouping leaves one row of the relation it is over in each group.
    pub one_per_group: bool,
    /// Where it is over one base table: the columns of it that conditions or the grouping hold at one value.
    pub held: Option<Vec<String>>,
    /// Where the function's name stands.
    pub span: Option<Span>,
}

/// A relation that has several rows for one of those it is joined to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiplication {
    /// What it is called.
    pub relation: String,
    /// Its columns that it is joined by; none where it is made from a value of the other: `unnest`.
    pub by: Vec<String>,
    /// Where it is named.
    pub span: Option<Span>,
}

/// A column of a select list beside aggregates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ungrouped {
    /// As it is written.
    pub name: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A common table expression that refers to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// Its name.
    pub name: String,
    /// What makes it end.
    pub bound: RecursionBound,
    /// Whether it looks at each row whether it has had it: UNION without ALL.
    pub remembers: bool,
    /// Where it is defined.
    pub span: Option<Span>,
}

/// What makes a recursion end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecursionBound {
    /// Nothing that can be seen.
    None,
    /// A condition in the recursive part that compares one of its own columns; with the largest number compared.
    Condition(Option<u64>),
    /// A LIMIT, where it is a number.
    Limit(Option<u64>),
    /// The recursive part joins a table: it walks the rows that are there.
    Walk,
}

/// Something that a statement makes larger than what is stored, by an upper bound that is computed before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// The function, operator or common table expression that makes it.
    pub what: String,
    /// What is counted.
    pub kind: GrowthKind,
    /// How much there can be; infinite where nothing bounds it.
    pub amount: f64,
    /// The bytes of stored data in it, each value taken once: what is as large as the data is not made up.
    pub of_data: f64,
    /// Where the name stands.
    pub span: Option<Span>,
}

/// What a [`Growth`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrowthKind {
    /// Bytes of one value.
    Value,
    /// Bytes of a text that an error would quote.
    Quoted,
    /// A number that says how often or how wide: the second argument of `repeat`, a width in a format.
    Size,
    /// Steps of one call, times the rows that are made up.
    Work,
    /// Steps of one call, times the rows that the engine works on before it looks whether it was told to stop.
    WorkAtOnce,
    /// Bytes of values that are far more than the data in them, times all rows, each with each where there are several
    /// tables.
    OverAllRows,
    /// Rows that are made up.
    Rows,
    /// Rows that are made up, times the bytes that are made for each.
    Together,
    /// Bytes of large stored values that are made and given for one row.
    Row,
    /// Relations that are read, once each common table expression stands wherever it is read.
    Inlined,
    /// Orders in which the relations of a FROM can be joined, by sets of them, of all queries together.
    Orders,
    /// Parts of all expressions, once those behind the names in them are written out.
    Substituted,
    /// A function of which nobody knows how its result grows.
    Unknown,
}
