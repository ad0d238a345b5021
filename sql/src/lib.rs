//! *What does this statement say?* A statement's text against a schema: which tables, columns, functions and literals it
//! names, what it joins, where each output comes from, and everything it would do besides reading.
//!
//! Parsing is sqlparser's; resolving is ours: names are followed through aliases, common table expressions (recursive
//! ones too), subqueries, set operations and laterals, by the rules of the dialect. Whether something is *allowed* is not
//! decided here.
//!
//! Invariant: only this room sees a syntax tree, and [`read`] is total: any text in, a [`ResolvedStatement`] out, in
//! bounded time and stack. What can't be resolved is reported as a [`Problem`], not guessed.
//!
//! ```ignore
//! let schema = sql::CatalogSchema::new(&catalog, "shop");
//! let reading = sql::read("SELECT o.total FROM orders o WHERE o.status = 'paid'", &Dialect::Sqlite, &schema);
//! assert!(reading.problems.is_empty() && reading.effects.is_empty());
//! assert_eq!(reading.outputs[0].name.as_deref(), Some("total"));
//! assert_eq!(reading.literals[0].value.text, "paid");
//! ```

mod alike;
mod fragment;
mod growth;
mod lexical;
mod lineage;
mod mention;
mod normalised;
mod parser;
mod read;
mod reading;
mod resolve;
mod respelled;
mod row_choice;
mod schema;
mod script;
mod selection;
mod span;
mod statement;
mod sweep;
mod uniqueness;
mod view;

pub use alike::computed_alike;
pub use dialect::Clause;
pub use fragment::{FragmentFault, columns_of_fragments};
pub use growth::{LONG_NUMBER, is_modelled, keeps_values};
pub use lineage::{ANY_TABLE, MAXIMUM_SCRIPT_BYTES, Role, StatementLineage, UnsureColumn, script_lineage};
pub use mention::{Beside, Mention};
pub use normalised::{normalised, plain_expression, texts_in};
pub use read::{MAXIMUM_BYTES, read};
pub use reading::{
    AggregateUse, Argument, ColumnRef, ColumnUse, Compared, Comparison, ConditionUse, Division, Effect, EffectKind,
    Fallback, Folding, FunctionPlace, FunctionUse, Growth, GrowthKind, JoinUse, LiteralKind, LiteralUse, LiteralValue,
    Manner, Mingled, Multiplication, Operand, Origin, OutputColumn, Problem, ProblemKind, Recursion, RecursionBound,
    ResolvedStatement, Restriction, StatementKind, TableUse, TableUseKind, Test, Through, Ungrouped, Unjoined,
    ValueUse, Visible, WrappedUse,
};
pub use resolve::{ALL_COLUMNS, Made, MadeColumn, TableChange};
pub use row_choice::RowChoice;
pub use schema::{CatalogSchema, ColumnSize, Schema, TableLookup, UNMEASURED};
pub use script::next_statement;
pub use selection::{Selection, selections};
pub use span::Span;
pub use uniqueness::{Held, Uniqueness};
pub use view::{ResolvedExpression, ResolvedView, generated_from, read_view};
