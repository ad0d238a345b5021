//! What a statement says, in terms of the catalog: the result of [`crate::read`].
//!
//! The reading is flat lists, not a tree: rules ask "which columns", "which literals", "which joins", and must not have
//! to know where in a syntax tree those can hide.
//!
//! Invariant: whatever the statement does besides reading is in [`Reading::effects`], and whatever was not understood
//! is in [`Reading::problems`]; an empty pair means that every node of the tree was visited and resolved.

use catalog::TableId;
use dialect::Clause;

use crate::mention::Mention;
use crate::span::Span;

/// Everything that is known about a statement's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// How many statements the text holds, empty ones between semicolons not counted.
    pub statements: usize,
    /// What the first statement is.
    pub kind: StatementKind,
    /// Everything in the text that is not plain reading.
    pub effects: Vec<Effect>,
    /// Relations named in FROM, at any depth.
    pub tables: Vec<TableUse>,
    /// Base columns named, at any depth; `*` is expanded.
    pub columns: Vec<ColumnUse>,
    /// Every word that can be a name, whatever it was taken for.
    pub mentions: Vec<Mention>,
    /// How values of base columns are used, once for each place and column.
    pub uses: Vec<ValueUse>,
    /// Functions called, at any depth.
    pub functions: Vec<FunctionUse>,
    /// Literals that are compared with a base column.
    pub literals: Vec<LiteralUse>,
    /// Columns of which something is made before it is compared with a literal.
    pub wrapped: Vec<WrappedUse>,
    /// What is compared with what, where something is known of the types of both sides.
    pub compared: Vec<Compared>,
    /// Base columns that stand alone as a condition.
    pub conditions: Vec<ConditionUse>,
    /// Columns of a select that aggregates, which are neither aggregated nor grouped by, and of which a group can hold
    /// several values.
    pub ungrouped: Vec<Ungrouped>,
    /// Base columns whose values decide how many rows there are: in LIMIT, as arguments of functions that make rows, and what
    /// is made different.
    pub sizes: Vec<ColumnRef>,
    /// Pairs of base columns that are equated.
    pub joins: Vec<JoinUse>,
    /// Aggregates, with the joins that multiply what they are over.
    pub aggregates: Vec<AggregateUse>,
    /// Divisions of what may be a whole number by another one, whose result is used as a value.
    pub divisions: Vec<Division>,
    /// Groups of relations of one FROM that nothing connects.
    pub unjoined: Vec<Unjoined>,
    /// Recursive common table expressions.
    pub recursions: Vec<Recursion>,
    /// How large what the statement makes can become.
    pub growth: Vec<Growth>,
    /// The columns of the result, with lineage.
    pub outputs: Vec<OutputColumn>,
    /// Where names are given that engines differ in: lists of columns behind tables, and names of joins in brackets.
    pub unsure_names: Vec<Span>,
    /// Whether a name was found nowhere, where a relation may have columns that only the engine knows.
    pub has_hidden_names: bool,
    /// Whether the engine's result may have them in another order, or fewer of them: a `*` brought them.
    pub unsure_order: bool,
    /// The outermost LIMIT, where it is a number.
    pub limit: Option<u64>,
    /// Whether the outermost query has any LIMIT, FETCH or TOP.
    pub has_limit: bool,
    /// Whether the outermost query has an ORDER BY.
    pub has_order_by: bool,
    /// Whether the outermost select aggregates, with or without GROUP BY.
    pub is_aggregate: bool,
    /// Relations whose columns can't be known (table functions): names may have been taken to be theirs.
    pub open_relations: Vec<String>,
    /// What could not be parsed or resolved, in the order of the text.
    pub problems: Vec<Problem>,
}

impl Reading {
    /// A reading of nothing, to be filled in.
    pub(crate) fn empty() -> Self {
        Self {
            statements: 0,
            kind: StatementKind::Unparsed,
            effects: Vec::new(),
            tables: Vec::new(),
            columns: Vec::new(),
            mentions: Vec::new(),
            uses: Vec::new(),
            functions: Vec::new(),
            literals: Vec::new(),
            wrapped: Vec::new(),
            compared: Vec::new(),
            conditions: Vec::new(),
            ungrouped: Vec::new(),
            sizes: Vec::new(),
            joins: Vec::new(),
            aggregates: Vec::new(),
            divisions: Vec::new(),
            unjoined: Vec::new(),
            recursions: Vec::new(),
            growth: Vec::new(),
            outputs: Vec::new(),
            unsure_names: Vec::new(),
            has_hidden_names: false,
            unsure_order: false,
            limit: None,
            has_limit: false,
            has_order_by: false,
            is_aggregate: false,
            open_relations: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The base tables that are read, each once, in order of appearance.
    pub fn table_ids(&self) -> Vec<&TableId> {
        let mut ids: Vec<&TableId> = Vec::new();
        for id in self.tables.iter().filter_map(|table| table.table.as_ref()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }
}

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

/// A base column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnRef {
    /// Its table.
    pub table: TableId,
    /// Its name, as the engine spells it.
    pub column: String,
}

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

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralValue {
    /// Its text, unquoted and unescaped: `O'Brien`, `-5`.
    pub text: String,
    /// What it is.
    pub kind: LiteralKind,
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
    /// A number that says how often or how wide: the second argument of `repeat`, a width in a format.
    Size,
    /// Steps of one call, times the rows that are made up.
    Work,
    /// Rows that are made up.
    Rows,
    /// Rows that are made up, times the bytes that are made for each.
    Together,
    /// A function of which nobody knows how its result grows.
    Unknown,
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

/// A base column that is itself a condition: `WHERE is_active`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionUse {
    /// The column.
    pub column: ColumnRef,
    /// Where it stands.
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

/// A base column that a condition compares with a literal after something was made of it: `date(ordered_at) = …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedUse {
    /// The column.
    pub column: ColumnRef,
    /// The function, in lower case; `cast`; or `an expression`.
    pub by: String,
    /// Where what is compared stands.
    pub span: Option<Span>,
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

/// A common table expression that refers to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// Its name.
    pub name: String,
    /// What makes it end.
    pub bound: RecursionBound,
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
