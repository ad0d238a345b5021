//! Names, followed to what they stand for.
//!
//! One walk over a query with a stack of frames: a frame holds the relations and result names that can be seen at some
//! level; common table expressions have a stack of their own. Every expression yields its *flow*: the base columns its
//! value is made from. Lineage, literals and joins all come out of flows.
//!
//! Invariant: every node that is read is noted for [`crate::sweep`], and work is bounded by a budget that flows draw on.

mod call;
mod compare;
mod expression;
mod from;
mod functions;
mod grain;
mod grouping;
mod join;
mod lookup;
mod pivoted;
mod query;
mod restriction;
mod returning;
mod scope;
mod select;
mod table_function;
mod unlisted;
mod uses;
mod whole;
mod written;

use std::collections::{HashMap, HashSet};

use dialect::{Clause, Syntax};
use sqlparser::ast::{Ident, ObjectName, ObjectNamePart, Query};

use crate::parser::Idents as _;
use crate::reading::{
    ColumnRef, ColumnUse, Effect, EffectKind, Origin, OutputColumn, Problem, ProblemKind, ResolvedStatement, Through,
};
use crate::schema::Schema;
use crate::span::{Lines, Span};
use crate::sweep::{Visited, address};
pub(crate) use restriction::first_argument;
use scope::{Cte, Flow, Frame};
pub use unlisted::ALL_COLUMNS;
pub use written::{Made, MadeColumn, TableChange};

/// Columns a relation may have: more than any engine's limit for a table, and a stop for doubling stars.
const MAXIMUM_COLUMNS: usize = 20_000;
/// Relations that one FROM may join: several times what SQLite (64) and MySQL (61) join.
const MAXIMUM_RELATIONS: usize = 300;
/// Common table expressions that may be seen at a time.
const MAXIMUM_CTES: usize = 500;
/// Names that are compared for one unit of the budget.
const NAMES_A_UNIT: usize = 64;
/// Elements of flows that may be made: what bounds time and memory on hostile texts.
const BUDGET: usize = 500_000;

/// The walk.
pub(crate) struct Resolver<'a> {
    sql: &'a str,
    syntax: &'a Syntax,
    lines: &'a Lines<'a>,
    schema: &'a dyn Schema,
    /// What tables are taken to be that the schema doesn't list, where they are taken to be there at all.
    unlisted_in: Option<unlisted::Unlisted<'a>>,
    reading: ResolvedStatement,
    /// Base columns by number: flows hold numbers.
    columns: Vec<ColumnRef>,
    numbers: HashMap<ColumnRef, u32>,
    frames: Vec<Frame>,
    ctes: Vec<Cte>,
    /// Of each common table expression so far, where it is named.
    cte_mentions: Vec<written::CteMentions>,
    /// What parts of a query that write rows make.
    made_inside: Vec<Made>,
    /// What named windows are made from.
    named_windows: Vec<(String, Flow)>,
    /// Conditions that rows have to meet, as they are written, where somebody asks for them.
    conditions: Vec<String>,
    /// Tables that are named only to be changed, by their places among all that are named.
    not_read: Vec<usize>,
    /// Relations that were used, as (frame, relation), newest last: who reads a condition looks at the tail.
    touched: Vec<(usize, usize)>,
    visited: Visited,
    /// How values are used.
    uses: Vec<uses::Use>,
    /// What may name the hidden column by which a full-text index is searched, in lower case: all names, where the engine has
    /// such indexes.
    named: HashSet<String>,
    /// Whether anything is matched.
    matches: bool,
    /// The addresses of comparisons that restrict rows and nothing else.
    predicates: HashSet<usize>,
    budget: usize,
    /// Queries that are being read, one inside the other.
    queries: usize,
    /// What expressions must be made from to be whole numbers, by their addresses.
    wholes: HashMap<usize, whole::Whole>,
    /// Divisions of whole numbers.
    divisions: Vec<whole::MetDivision>,
    /// What remainders are taken of division by.
    moduli: HashSet<String>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        sql: &'a str,
        syntax: &'a Syntax,
        lines: &'a Lines<'a>,
        schema: &'a dyn Schema,
        reading: ResolvedStatement,
    ) -> Self {
        Self {
            sql,
            syntax,
            lines,
            schema,
            unlisted_in: None,
            reading,
            columns: Vec::new(),
            numbers: HashMap::new(),
            frames: Vec::new(),
            ctes: Vec::new(),
            cte_mentions: Vec::new(),
            made_inside: Vec::new(),
            named_windows: Vec::new(),
            conditions: Vec::new(),
            not_read: Vec::new(),
            touched: Vec::new(),
            visited: Visited::new(),
            uses: Vec::new(),
            named: HashSet::new(),
            matches: false,
            predicates: HashSet::new(),
            budget: BUDGET,
            queries: 0,
            wholes: HashMap::new(),
            divisions: Vec::new(),
            moduli: HashSet::new(),
        }
    }

    /// Reads the outermost query.
    pub(crate) fn statement(&mut self, query: &Query) {
        let shape = self.outermost(query);
        self.reading.unsure_order = shape.unsure_order;
        self.reading.outputs = shape
            .outputs
            .into_iter()
            .map(|output| OutputColumn {
                name: output.name,
                origin: output.flow.origin(),
                sources: output.flow.sources.iter().map(|&number| self.columns[number as usize].clone()).collect(),
            })
            .collect();
    }

    /// Notes the table of a `DESCRIBE`.
    pub(crate) fn described(&mut self, name: &ObjectName) {
        let parts = self.parts(name);
        let span = self.name_span(name);
        self.base_table(&parts, None, span);
    }

    pub(crate) fn visited(&self) -> &Visited {
        &self.visited
    }

    pub(crate) fn not_understood(&mut self, missed: Vec<String>) {
        // Writing parts are left alone on purpose, and refused for what they are.
        let writes = self.reading.effects.iter().any(|effect| effect.kind == EffectKind::Write);
        for what in missed.into_iter().filter(|_| !writes) {
            self.effect(EffectKind::NotUnderstood, format!("{what} was not understood"), None);
        }
    }

    pub(crate) fn effect(&mut self, kind: EffectKind, what: String, span: Option<Span>) {
        self.reading.effects.push(Effect { kind, what, span });
    }

    /// The finished reading, with problems in the order of the text.
    pub(crate) fn finish(mut self) -> ResolvedStatement {
        self.note_searches();
        self.reading.uses = self.value_uses();
        self.finish_divisions();
        self.reading.problems.sort_by_key(|problem| problem.span.map_or(usize::MAX, |span| span.start));
        let mut unique: Vec<Problem> = Vec::with_capacity(self.reading.problems.len());
        for problem in self.reading.problems {
            if unique.last() != Some(&problem) {
                unique.push(problem);
            }
        }
        self.reading.problems = unique;
        self.reading
    }

    fn problem(&mut self, kind: ProblemKind, span: Option<Span>) {
        if !self.has_enough_problems() {
            self.reading.problems.push(Problem { kind, span });
        }
    }

    /// More problems than there are help nobody.
    fn has_enough_problems(&self) -> bool {
        self.reading.problems.len() >= 200
    }

    /// Draws on the budget; false once it is used up.
    fn afford(&mut self, work: usize) -> bool {
        let had = self.budget > 0;
        self.budget = self.budget.saturating_sub(work.max(1));
        if had && self.budget == 0 {
            self.problem(ProblemKind::TooComplex, None);
        }
        self.budget > 0
    }

    fn note<T>(&mut self, node: &T) {
        self.visited.insert(address(node));
    }

    fn number(&mut self, column: ColumnRef) -> u32 {
        if let Some(&number) = self.numbers.get(&column) {
            return number;
        }
        let number = u32::try_from(self.columns.len()).unwrap_or(u32::MAX);
        self.columns.push(column.clone());
        self.numbers.insert(column, number);
        number
    }

    /// The base column that a flow is, if it is one unchanged.
    fn direct(&self, flow: &Flow) -> Option<&ColumnRef> {
        match (flow.origin(), flow.sources.as_slice()) {
            (Origin::Column, &[number]) => self.columns.get(number as usize),
            _ => None,
        }
    }

    /// Notes the use of every base column in a flow.
    fn use_columns(&mut self, flow: &Flow, through: Through, clause: Clause, span: Option<Span>) {
        for &number in &flow.sources {
            let column = self.columns[number as usize].clone();
            self.reading.columns.push(ColumnUse { column, clause, through, span });
        }
        self.note_use(flow, span);
    }

    fn clause(&self) -> Clause {
        self.frames.last().map_or(Clause::Limit, |frame| frame.clause)
    }

    fn enter(&mut self, clause: Clause) {
        if let Some(frame) = self.frames.last_mut() {
            frame.clause = clause;
        }
    }

    fn ident_span(&self, ident: &Ident) -> Option<Span> {
        self.lines.span(ident.span)
    }

    fn name_span(&self, name: &ObjectName) -> Option<Span> {
        let mut spans = name.0.iter().filter_map(|part| match part {
            ObjectNamePart::Identifier(ident) => self.ident_span(ident),
            ObjectNamePart::Function(function) => self.ident_span(&function.name),
        });
        let first = spans.next()?;
        let end = spans.next_back().map_or(first.end, |last| last.end);
        Some(Span { start: first.start, end: end.max(first.end) })
    }

    /// The folded parts of a name.
    fn parts(&self, name: &ObjectName) -> Vec<String> {
        name.0
            .iter()
            .map(|part| match part {
                ObjectNamePart::Identifier(ident) => self.syntax.fold(ident),
                ObjectNamePart::Function(function) => self.syntax.fold(&function.name),
            })
            .collect()
    }
}
