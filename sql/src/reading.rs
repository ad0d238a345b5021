//! What a statement says, in terms of the catalog: the result of [`crate::read`].
//!
//! The reading is flat lists, not a tree: rules ask "which columns", "which literals", "which joins", and must not have
//! to know where in a syntax tree those can hide.
//!
//! Invariant: whatever the statement does besides reading is in [`ResolvedStatement::effects`], and whatever was not
//! understood is in [`ResolvedStatement::problems`]; an empty pair means that every node of the tree was visited and
//! resolved.

mod names;
mod restrictions;
mod rows;
mod statement;
mod values;

use catalog::TableId;

use crate::mention::Mention;
use crate::span::Span;

pub use names::{
    Argument, ColumnRef, ColumnUse, FunctionPlace, FunctionUse, Manner, Origin, OutputColumn, TableUse, TableUseKind,
    Through, ValueUse,
};
pub use restrictions::{Restriction, Test};
pub use rows::{
    AggregateUse, Growth, GrowthKind, JoinUse, Multiplication, Recursion, RecursionBound, Ungrouped, Unjoined,
};
pub use statement::{Effect, EffectKind, Fallback, Problem, ProblemKind, StatementKind, Visible};
pub use values::{
    Compared, Comparison, ConditionUse, Division, Folding, LiteralKind, LiteralUse, LiteralValue, Mingled, Operand,
    WrappedUse,
};

/// Everything that is known about a statement's text.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedStatement {
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
    /// Columns whose values come together in one.
    pub mingled: Vec<Mingled>,
    /// Base columns that stand alone as a condition.
    pub conditions: Vec<ConditionUse>,
    /// What conditions say of single columns.
    pub restrictions: Vec<Restriction>,
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
    /// The most rows that one of its queries combines, if no key joined them; endless where a table's rows aren't known.
    pub most_combined: f64,
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
    /// The largest number that a LIMIT or FETCH anywhere in it says; any number where one isn't written out, or lets rows through
    /// that are as good as the last (`WITH TIES`).
    pub largest_limit: f64,
    /// Whether the outermost query has an ORDER BY.
    pub has_order_by: bool,
    /// Whether the outermost select aggregates, with or without GROUP BY.
    pub is_aggregate: bool,
    /// Relations whose columns can't be known (table functions): names may have been taken to be theirs.
    pub open_relations: Vec<String>,
    /// What could not be parsed or resolved, in the order of the text.
    pub problems: Vec<Problem>,
}

impl ResolvedStatement {
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
            mingled: Vec::new(),
            conditions: Vec::new(),
            restrictions: Vec::new(),
            ungrouped: Vec::new(),
            sizes: Vec::new(),
            joins: Vec::new(),
            aggregates: Vec::new(),
            divisions: Vec::new(),
            unjoined: Vec::new(),
            recursions: Vec::new(),
            growth: Vec::new(),
            most_combined: f64::INFINITY,
            outputs: Vec::new(),
            unsure_names: Vec::new(),
            has_hidden_names: false,
            unsure_order: false,
            limit: None,
            has_limit: false,
            largest_limit: 0.0,
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
