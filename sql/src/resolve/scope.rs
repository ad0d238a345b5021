//! What can be seen where: flows, relations, frames, common table expressions.

use std::rc::Rc;

use catalog::TableId;
use dialect::{Clause, Syntax};

use super::whole::Whole;
use crate::reading::{ColumnRef, Multiplication, Origin, Visible};
use crate::span::Span;

/// The base columns that a value is made from, by number, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub(super) sources: Vec<u32>,
    origin: Option<Origin>,
    /// What it must be made from to be a whole number, if it can be one.
    pub(super) whole: Option<Whole>,
    /// The expression that it is, where somebody asks for that.
    pub(super) text: Option<Rc<str>>,
    /// Whether it is a count and nothing besides.
    pub(super) is_count: bool,
    /// The innermost aggregate that it is made with, likewise.
    pub(super) aggregate: Option<Rc<str>>,
}

impl Flow {
    /// The value of a base column.
    pub(super) fn column(number: u32) -> Self {
        Self {
            sources: vec![number],
            origin: Some(Origin::Column),
            whole: Some(Whole::column(number)),
            text: None,
            is_count: false,
            aggregate: None,
        }
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin.unwrap_or(Origin::Computed)
    }

    /// The same sources in a computed value.
    pub(super) fn computed(mut self) -> Self {
        if self.origin != Some(Origin::Aggregated) {
            self.origin = Some(Origin::Computed);
        }
        (self.text, self.is_count) = (None, false);
        self
    }

    pub(super) fn aggregated(mut self) -> Self {
        self.origin = Some(Origin::Aggregated);
        (self.text, self.is_count) = (None, false);
        self
    }

    /// A count of it, and nothing besides.
    pub(super) fn counted(self) -> Self {
        Self { is_count: true, ..self.aggregated() }
    }

    /// The value with further sources.
    pub(super) fn with(&self, sources: impl Iterator<Item = u32>) -> Self {
        let further: Vec<u32> = sources.filter(|source| self.sources.binary_search(source).is_err()).collect();
        if further.is_empty() {
            return self.clone();
        }
        let mut all = self.clone().computed();
        all.sources.extend(further);
        all.sources.sort_unstable();
        all.sources.dedup();
        all
    }

    /// Both flows together.
    pub(super) fn join(mut self, other: &Self) -> Self {
        let aggregated = [self.origin, other.origin].contains(&Some(Origin::Aggregated));
        if !other.sources.is_empty() {
            self.sources.extend_from_slice(&other.sources);
            self.sources.sort_unstable();
            self.sources.dedup();
        }
        self.origin = Some(if aggregated { Origin::Aggregated } else { Origin::Computed });
        self.whole = None;
        (self.text, self.is_count) = (None, false);
        if self.aggregate.is_none() {
            self.aggregate.clone_from(&other.aggregate);
        }
        self
    }

    /// The value of either, as a set operation has it: still a column's own, where both are columns'.
    pub(super) fn united(self, other: &Self) -> Self {
        let both_columns = [self.origin, other.origin].iter().all(|it| *it == Some(Origin::Column));
        let mut united = self.join(other);
        if both_columns {
            united.origin = Some(Origin::Column);
        }
        united
    }
}

/// What those of the columns are made from, together, that have a name.
pub(super) fn flow_of_all<'o>(columns: impl Iterator<Item = &'o Output>, syntax: &Syntax, name: &str) -> Flow {
    let called = columns.filter(|it| it.name.as_deref().is_some_and(|it| syntax.same(it, name)));
    called.fold(Flow::default(), |flow, column| flow.join(&column.flow))
}

/// A column of a query's result, or of a relation.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    pub(super) name: Option<String>,
    /// Whether `AS` gave the name.
    pub(super) named: bool,
    pub(super) flow: Flow,
    /// The column of its own FROM that a result is, unchanged.
    pub(super) place: Option<Place>,
}

/// A column of a relation, both by position.
pub(super) type Place = (usize, usize);

/// What a query yields.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultShape {
    pub(super) outputs: Vec<Output>,
    /// There may be columns that can't be known.
    pub(super) open: bool,
    /// There is at most one row.
    pub(super) single_row: bool,
    /// Sets of columns, by position, that no two rows share.
    pub(super) keys: Vec<Vec<usize>>,
    /// Columns, by position, that hold a value in several rows.
    pub(super) repeating: Vec<usize>,
    /// Columns, by position, whose rows a join inside has repeated.
    pub(super) repeated: Vec<(usize, Multiplication)>,
    /// Which column stands where is not known.
    pub(super) unsure_order: bool,
}

/// Something that columns can be taken from.
#[derive(Clone, Debug, Default)]
pub(super) struct Relation {
    /// What it is called here, folded; empty where it has no name.
    pub(super) name: String,
    /// The parts of its own name, where it has no alias: for `schema.table.column`.
    pub(super) path: Vec<String>,
    pub(super) table: Option<TableId>,
    pub(super) columns: Rc<Vec<Output>>,
    /// Any name may be a column of it.
    pub(super) open: bool,
    /// What such a column is made from.
    pub(super) unknown: Flow,
    /// Its columns are known, but not the order in which the engine has them, nor whether it has all of them where they
    /// came by a `*`.
    pub(super) unsure_order: bool,
    /// Has the columns every table has.
    pub(super) has_implicit: bool,
    /// It may have columns that introspection doesn't tell, made from any of the others: a full-text index has one of its own
    /// name.
    pub(super) has_hidden: bool,
    /// Any qualifier means it: the result of a set operation, in ORDER BY.
    pub(super) any_qualifier: bool,
    pub(super) single_row: bool,
    /// Sets of columns that no two rows share, where the relation is a query; a table's are the schema's to tell.
    pub(super) keys: Rc<Vec<Vec<usize>>>,
    /// Columns that are known to hold a value in several rows, where the relation is a query.
    pub(super) repeating: Rc<Vec<usize>>,
    /// Columns whose rows a join inside it has repeated.
    pub(super) repeated: Rc<Vec<(usize, Multiplication)>>,
    /// It is made from a value of another relation, and may have many rows for one of that: `unnest(orders.items)`.
    pub(super) unfolds: bool,
    /// It only filters: SEMI and ANTI JOIN.
    pub(super) filters: bool,
    pub(super) span: Option<Span>,
}

impl ResultShape {
    /// Its rows as something that ORDER BY can name, with these columns.
    pub(super) fn relation(&self, columns: Vec<Output>) -> Relation {
        let (open, unsure_order) = (self.open, self.unsure_order);
        Relation { columns: Rc::new(columns), open, unsure_order, any_qualifier: true, ..Relation::default() }
    }

    /// What its columns are made from of which nothing is known.
    pub(super) fn unknown(&self) -> Flow {
        let mut unnamed = self.outputs.iter().filter(|output| self.open && output.name.is_none());
        let first = unnamed.next().map(|output| output.flow.clone()).unwrap_or_default();
        unnamed.fold(first, |flow, output| flow.join(&output.flow))
    }
}

impl Relation {
    /// A query's result as a relation without a name.
    pub(super) fn of(shape: ResultShape) -> Self {
        Self {
            unknown: shape.unknown(),
            unsure_order: shape.unsure_order,
            columns: Rc::new(shape.outputs),
            open: shape.open,
            single_row: shape.single_row,
            keys: Rc::new(shape.keys),
            repeating: Rc::new(shape.repeating),
            repeated: Rc::new(shape.repeated),
            ..Self::default()
        }
    }

    pub(super) fn visible(&self) -> Visible {
        Visible {
            name: self.name.clone(),
            table: self.table.clone(),
            columns: self.columns.iter().filter_map(|column| column.name.clone()).collect(),
        }
    }
}

/// One level of a query.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) relations: Vec<Relation>,
    /// Names given in the select list.
    pub(super) results: Vec<Output>,
    /// Columns that USING or NATURAL made one.
    pub(super) merged: Vec<String>,
    /// `*` has brought columns in an order that isn't known: engines put merged columns first, leave replaced ones where
    /// they were, and leave hidden ones out.
    pub(super) unsure_order: bool,
    /// Those of the merged ones that can take their value from either side: of RIGHT and FULL JOIN.
    pub(super) merged_of_both: Vec<String>,
    pub(super) clause: Clause,
    /// Pairs of relations that a condition connects.
    pub(super) links: Vec<(usize, usize)>,
    /// Columns that a condition makes equal.
    pub(super) equalities: Vec<[Place; 2]>,
    /// Columns that a condition holds at one value: its text, where it is a literal.
    pub(super) fixed: Vec<(Place, Option<String>)>,
    /// Columns that the rows are grouped by.
    pub(super) grouped: Vec<Place>,
    /// Whether it picks, joins or parts the rows of a table, so that a count says something of some of them.
    pub(super) picks: bool,
    /// Whether the select makes one row of many: it calls an aggregate itself.
    pub(super) aggregates: bool,
    /// Aggregates that were met so far.
    pub(super) met: Vec<MetAggregate>,
}

/// An aggregate, before it is known what joins do to it.
#[derive(Debug)]
pub(super) struct MetAggregate {
    pub(super) name: String,
    pub(super) distinct: bool,
    /// The relations that its argument takes values from.
    pub(super) relations: Vec<usize>,
    /// The base column that its argument is, unchanged.
    pub(super) column: Option<ColumnRef>,
    /// The columns that stand in its argument.
    pub(super) places: Vec<Place>,
    pub(super) span: Option<Span>,
}

impl Frame {
    /// What a column is made from that USING or NATURAL has made of those of both sides.
    pub(super) fn flow_of_both(&self, syntax: &Syntax, name: &str) -> Flow {
        flow_of_all(self.relations.iter().flat_map(|relation| relation.columns.iter()), syntax, name)
    }

    /// How many names a look-up compares at most.
    pub(super) fn names(&self) -> usize {
        self.results.len() + self.relations.iter().map(|relation| relation.columns.len()).sum::<usize>()
    }

    pub(super) fn new(clause: Clause) -> Self {
        Self {
            relations: Vec::new(),
            results: Vec::new(),
            merged: Vec::new(),
            unsure_order: false,
            merged_of_both: Vec::new(),
            clause,
            links: Vec::new(),
            equalities: Vec::new(),
            fixed: Vec::new(),
            grouped: Vec::new(),
            picks: false,
            aggregates: false,
            met: Vec::new(),
        }
    }
}

/// A common table expression.
#[derive(Clone, Debug)]
pub(super) struct Cte {
    pub(super) name: String,
    /// Its place among all of the statement's.
    pub(super) number: usize,
    pub(super) state: CteState,
    /// How often its own body has named it.
    pub(super) self_references: usize,
}

/// How far a common table expression has been read.
#[derive(Clone, Debug)]
pub(super) enum CteState {
    /// Its body is being read; the columns are known once its first part has been.
    Forming(Option<Rc<Vec<Output>>>),
    /// Read: what it is as a relation, but for its name.
    Ready(Box<Relation>),
}
