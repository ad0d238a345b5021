//! How large the values of a statement can become, and how much work they ask for: computed on the tree, before anything
//! runs.
//!
//! A walk of its own over the query, which gives each expression a [`Bound`]: literals have their length, stored columns
//! their declared one or what is assumed here, functions make bounds of bounds ([`functions`]), and derived tables, common
//! table expressions and recursions carry them with their columns. What it finds is a flat list; which size is too large
//! is the guard's to say.
//!
//! Invariants: total and in bounded time, by a budget of expressions; what the budget doesn't reach counts as endless.

mod bound;
mod call;
mod collected;
mod expression;
mod from;
mod functions;
mod inlined;
mod joined;
mod lists;
mod matching;
mod names;
mod query;
mod recursion;
mod search;
mod substituted;
mod text;
mod times;

use std::rc::Rc;

use catalog::{Dialect, Table, TypeClass};
use dialect::Syntax;
use sqlparser::ast::{Expr, ObjectName, Query, WindowSpec};

use crate::reading::{Growth, GrowthKind, Recursion};
use crate::schema::Schema;
use crate::span::{Lines, Span};
use bound::Bound;

/// Whether it is known how the result of a function grows with its arguments: its name is in lower case.
pub fn is_modelled(name: &str) -> bool {
    functions::is_modelled(name)
}

/// Whether an aggregate keeps every value that it is given: its name is in lower case.
pub fn keeps_values(name: &str) -> bool {
    functions::keeps_values(name)
}

/// The day of an ISO date, counted from the first of 2000.
pub(crate) fn day_of(text: &str) -> Option<f64> {
    let (low, high) = times::iso_day(text)?;
    Some((low + high) / 2.0)
}

/// Bytes that a stored value is taken to have where neither its type nor its profile tells.
const ASSUMED_BYTES: f64 = 1_000.0;
/// Times its mean length that the longest stored text is taken to have.
const ASSUMED_SPREAD: f64 = 8.0;
/// What a stored number is taken to be at most, where neither its type nor its profile tells.
const ASSUMED_NUMBER: f64 = 10_000.0;
/// A value up to this is ordinary, whatever it is made of, and so is one up to the other that isn't many times as large as
/// what it is made of: many stored values in one text or document.
const ORDINARY_BYTES: f64 = 2_000.0;
const ORDINARY_TOGETHER: f64 = 1_000_000.0;
const MANY_TIMES: f64 = 16.0;
/// A collected value above this takes an engine noticeable time by itself.
const LARGE_GATHERED: f64 = 100_000.0;
/// What is collected is kept in memory: it counts so many times what is only looked at.
const COPIES: f64 = 10.0;
/// Times its text that PostgreSQL holds of a document that it makes, of a list, and of a list of letters.
const DOCUMENT_WEIGHT: f64 = 18.0;
const LIST_WEIGHT: f64 = 16.0;
const LETTERS_WEIGHT: f64 = 64.0;
/// Days by which the dates of a column may have gone on since it was looked at.
const YEAR: f64 = 366.0;
/// Rows that a table is taken to have where nobody has counted.
const ASSUMED_ROWS: f64 = 10_000.0;
/// Rounds that a recursion is taken to go where the text doesn't tell.
const ASSUMED_ROUNDS: f64 = 1_000.0;
/// Rounds of a walk over stored rows: the depth of a hierarchy.
const ASSUMED_DEPTH: f64 = 100.0;
/// Expressions that are looked at, recursions several times.
const BUDGET: usize = 300_000;
/// Findings that are kept: more of the same helps nobody.
const MOST_FOUND: usize = 500;
/// What a number of a thousand digits and more is called in [`crate::Growth::what`]: sums have as many.
pub const LONG_NUMBER: &str = "the digits of a number";
/// What is smaller than this is not worth a word.
const WORTH_SAYING: f64 = 1_000.0;

/// How many rows: those that a statement makes up, for each of those that are stored.
#[derive(Clone, Copy, Debug)]
struct Rows {
    made: f64,
    stored: f64,
    /// Stored ones if no key joined them: each row of one table with each of another.
    pairs: f64,
    /// Stored ones as far as the columns tell that hold them together.
    likely: f64,
    /// Parts that the stored lists and texts of one row come apart into, on average: a row for each.
    parts: f64,
    /// The bytes of these lists and texts, of all parts together.
    apart: f64,
}

impl Rows {
    const ONE: Self = Self { made: 1.0, stored: 1.0, pairs: 1.0, likely: 1.0, parts: 1.0, apart: 0.0 };

    fn made(made: f64) -> Self {
        Self { made: made.max(1.0), ..Self::ONE }
    }

    fn stored(stored: f64) -> Self {
        Self { stored, pairs: stored, likely: stored, ..Self::ONE }
    }

    /// Those that a list becomes.
    fn of_list(list: &Bound) -> Self {
        match list.parts() {
            Some(parts) => Self { parts, apart: list.typical, ..Self::ONE },
            None => Self::made(list.items),
        }
    }

    /// These, and no more than so many of them.
    fn at_most(self, most: f64) -> Self {
        let least = |rows: f64| rows.min(most).max(1.0);
        Self {
            made: least(self.made),
            stored: least(self.stored),
            pairs: least(self.pairs),
            likely: least(self.likely),
            parts: least(self.parts),
            apart: self.apart,
        }
    }

    fn all(self) -> f64 {
        self.made * self.stored
    }

    /// Each row of one with each of the other; stored ones are taken to be joined by keys.
    fn joined(self, other: Self) -> Self {
        let (made, stored) = (self.made * other.made, self.stored.max(other.stored));
        let (parts, apart) = (self.parts * other.parts, self.apart + other.apart);
        Self { made, stored, pairs: self.pairs * other.pairs, likely: self.likely * other.likely, parts, apart }
    }
}

/// Something in FROM.
#[derive(Clone, Debug, Default)]
struct Relation {
    name: String,
    columns: Rc<Vec<(Option<String>, Bound)>>,
    /// What a column is that isn't known by name.
    open: Option<Bound>,
}

/// A select that is being read.
#[derive(Default)]
struct Frame<'q> {
    relations: Vec<Relation>,
    /// Names of the select list, read when they are asked for: some engines see them everywhere.
    aliases: Vec<(String, &'q Expr, Option<Bound>)>,
    rows: Option<Rows>,
    /// Sets of groups that are made at once of the rows, as CUBE does.
    sets: f64,
    /// What is held against each other in the conditions of its joins.
    equalities: Vec<Equality<'q>>,
    /// How many groups its rows become, where they are grouped: as many are sorted.
    groups: Option<f64>,
    /// The windows that have a name.
    windows: Vec<(String, &'q WindowSpec)>,
    /// Rows that moving windows are worked out over so far, each again for each row.
    in_windows: f64,
    /// Bytes of texts that are gone over so far for each combination of its rows.
    in_joins: f64,
    /// Whether what is being read is tried for each combination of rows.
    tries_pairs: bool,
}

impl Frame<'_> {
    fn rows(&self) -> Rows {
        self.rows.unwrap_or(Rows::ONE)
    }
}

/// Two sides of a condition of a join that equal each other.
#[derive(Clone, Copy)]
enum Equality<'q> {
    Of(&'q Expr, &'q Expr),
    /// Columns that have one name on both sides.
    Named(&'q ObjectName),
    /// Any that have.
    Natural,
}

/// A common table expression.
#[derive(Clone)]
struct Cte {
    name: String,
    relation: Relation,
    rows: Rows,
}

/// The walk.
pub(crate) struct Measure<'a, 'q> {
    dialect: &'a Dialect,
    syntax: &'a Syntax,
    lines: &'a Lines<'a>,
    schema: &'a dyn Schema,
    recursions: &'a [Recursion],
    frames: Vec<Frame<'q>>,
    ctes: Vec<Cte>,
    /// How often what is being read is done for each row of the queries around it.
    times: f64,
    /// Bytes that aggregates keep of rows that are made up.
    kept: f64,
    /// The most rows that one of its queries combines, if no key joined them; endless where a table's rows aren't known.
    most_combined: f64,
    /// Bytes of large values that are made or read, of all expressions so far.
    made: f64,
    /// The same of large stored values: engines keep what they make for one row until it is done.
    made_of_stored: f64,
    /// Steps of all calls so far that no engine can be stopped in.
    worked: f64,
    budget: usize,
    /// Rounds of a recursion are tried without a word.
    quiet: bool,
    /// Whether the rows of the query that is looked at are compared as a whole, in a set operation.
    compares_rows: bool,
    found: Vec<Growth>,
    /// The largest of each kind among those for which there was no room.
    largest: Vec<Growth>,
}

impl<'a, 'q> Measure<'a, 'q> {
    pub(crate) fn new(
        dialect: &'a Dialect,
        syntax: &'a Syntax,
        lines: &'a Lines<'a>,
        schema: &'a dyn Schema,
        recursions: &'a [Recursion],
    ) -> Self {
        let (frames, ctes, found) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            dialect,
            syntax,
            lines,
            schema,
            recursions,
            frames,
            ctes,
            times: 1.0,
            kept: 0.0,
            made: 0.0,
            made_of_stored: 0.0,
            most_combined: 0.0,
            worked: 0.0,
            budget: BUDGET,
            quiet: false,
            compares_rows: false,
            found,
            largest: Vec::new(),
        }
    }

    /// Everything in the query that is larger than what is stored, and the most rows that it can combine in one step.
    pub(crate) fn statement(mut self, query: &'q Query) -> (Vec<Growth>, f64) {
        self.query(query);
        self.say("WITH", GrowthKind::Inlined, inlined::relations(query, self.dialect.work().inlines), 0.0, None);
        self.say("the statement", GrowthKind::Substituted, substituted::parts(query), 0.0, None);
        if *self.dialect == Dialect::Postgres {
            self.say("FROM", GrowthKind::Orders, inlined::orders(query), 0.0, None);
        }
        // Where one value is most of it, that has been said.
        let values = self.found.iter().filter(|it| it.kind == GrowthKind::Value).map(|it| it.amount);
        let several = if self.made > 2.0 * values.fold(0.0, f64::max) { self.made } else { 0.0 };
        self.say("the statement", GrowthKind::Row, self.made_of_stored, 0.0, None);
        self.say("the statement", GrowthKind::Together, self.kept.max(several), 0.0, None);
        if self.budget == 0 {
            self.quiet = false;
            self.say("the statement", GrowthKind::Value, f64::INFINITY, 0.0, None);
            self.most_combined = f64::INFINITY;
        }
        self.found.append(&mut self.largest);
        (self.found, self.most_combined)
    }

    fn afford(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    fn say(&mut self, what: &str, kind: GrowthKind, amount: f64, of_data: f64, span: Option<Span>) {
        if self.quiet || (amount < WORTH_SAYING && kind != GrowthKind::Unknown) {
            return;
        }
        let growth = Growth { what: what.to_owned(), kind, amount, of_data, span };
        if self.found.len() < MOST_FOUND {
            self.found.push(growth);
            return;
        }
        // Of what there is no room for, the largest of each kind is kept: who fills the room hides nothing behind it.
        let excess = |growth: &Growth| growth.amount - MANY_TIMES * growth.of_data;
        match self.largest.iter_mut().find(|known| known.kind == kind) {
            Some(known) if excess(known) >= excess(&growth) => {}
            Some(known) => *known = growth,
            None => self.largest.push(growth),
        }
    }

    /// Says how large a value is that something makes.
    fn made(&mut self, what: &str, bound: &Bound, span: Option<Span>) {
        self.say(what, GrowthKind::Value, bound.bytes, bound.data, span);
    }

    /// Counts what a large value that the statement makes up takes whenever something reads it or makes another one of it:
    /// engines keep copies, and look for nobody's will between the calls of one row.
    fn reads(&mut self, bound: &Bound) {
        if self.quiet {
            return;
        }
        if bound.is_mostly_stored() {
            self.stored_again(bound, bound.weight);
        } else if bound.bytes > LARGE_GATHERED {
            self.made += bound.bytes;
        }
    }

    /// Counts a stored value so many times more for the row that it is part of. What was collected of many is reckoned by itself.
    fn stored_again(&mut self, bound: &Bound, times: f64) {
        /// Of smaller ones a statement doesn't hold enough calls.
        const SMALL: f64 = 4_000.0;
        let is_collected = bound.gathered > 0.0 || bound.collecting > 0.0;
        if !self.quiet && !is_collected && bound.is_mostly_stored() && bound.longest() * times > SMALL {
            self.made_of_stored += bound.longest() * times;
        }
    }

    /// The same of a value for each row, made of so many bytes, and what these come to where they are far more than the data
    /// in them.
    fn made_for_each_row(&mut self, what: &str, bound: &Bound, made_of: f64, span: Option<Span>) {
        self.made(what, bound, span);
        self.reads(bound);
        let is_multiplied = bound.bytes > ORDINARY_BYTES && bound.bytes > MANY_TIMES * made_of;
        if (is_multiplied || bound.bytes > ORDINARY_TOGETHER) && !bound.is_mostly_stored() {
            let rows = self.frames.last().map_or(Rows::ONE, Frame::rows);
            self.say(what, GrowthKind::OverAllRows, bound.bytes * rows.made * rows.pairs * self.times, 0.0, span);
        }
    }

    /// Says what it comes to over all rows where something looks at a value that was collected from many: the same bytes again
    /// for each row that stands beside it.
    fn looks_at_gathered(&mut self, what: &str, gathered: f64, span: Option<Span>) {
        if gathered == 0.0 {
            return;
        }
        // Between the rows of small ones engines look whether they were told to stop.
        let kind = if gathered > LARGE_GATHERED { GrowthKind::WorkAtOnce } else { GrowthKind::OverAllRows };
        self.say(what, kind, gathered * self.combined() * self.times, 0.0, span);
    }

    /// Says what sorting keeps, on the disk at least, where rows of some tables are combined with many of others.
    fn keeps(&mut self, value: &Bound, span: Option<Span>) {
        let Some(frame) = self.frames.last() else { return };
        let (rows, combined) = (frame.rows(), self.combined());
        if combined > MANY_TIMES * rows.all() {
            self.say("the order", GrowthKind::OverAllRows, value.typical * combined * self.times, 0.0, span);
        }
    }

    /// Says how much work something and everything before it is, for all made-up rows together.
    fn works(&mut self, what: &str, work: f64, span: Option<Span>) {
        let rows = self.frames.last().map_or(Rows::ONE, Frame::rows);
        if !self.quiet {
            self.worked += work * rows.made * self.times;
        }
        self.say(what, GrowthKind::Work, self.worked, 0.0, span);
        let at_once = rows.pairs.min(self.dialect.work().rows_at_once);
        self.say(what, GrowthKind::WorkAtOnce, work * at_once, 0.0, span);
    }

    /// A stored column, by its type and by what is known of its values.
    fn column(&self, table: &Table, column: &catalog::Column) -> Bound {
        let known = self.schema.column_size(&table.id, &column.name);
        let lower = column.data_type.to_ascii_lowercase();
        let bound = match column.type_class {
            TypeClass::Integer | TypeClass::Real => {
                let most = match known.largest {
                    Some(largest) => largest,
                    None if lower.contains("tinyint") || lower == "int8" || lower == "uint8" => 255.0,
                    None => ASSUMED_NUMBER,
                };
                Bound { data: 32.0, ..Bound::number(-most, most) }
            }
            TypeClass::Boolean | TypeClass::Date | TypeClass::Time | TypeClass::Timestamp | TypeClass::Uuid => {
                // Some come after the last look.
                let (low, high) =
                    known.days.map_or((-ASSUMED_NUMBER, ASSUMED_NUMBER), |(first, last)| (first, last + YEAR));
                Bound::stored(64.0).between(low, high)
            }
            TypeClass::Text | TypeClass::Binary | TypeClass::Json | TypeClass::Other => {
                let average = known.average_length.unwrap_or(0.0);
                let longest = known.longest.filter(|_| self.dialect.work().one_row_matters).unwrap_or(0.0);
                let assumed = || ASSUMED_BYTES.max(ASSUMED_SPREAD * average).max(longest);
                let bytes = declared_length(&lower).unwrap_or_else(assumed);
                let typical = known.average_length.unwrap_or(bytes).min(bytes);
                let spread = (longest / typical.max(1.0)).max(1.0);
                let weight = if lower == "jsonb" { DOCUMENT_WEIGHT } else { 1.0 };
                Bound { typical, spread, weight, ..stored(bytes) }
            }
        };
        // NULL is one more.
        Bound { values: known.distinct.map_or(f64::INFINITY, |distinct| distinct + 1.0), ..bound }
    }
}

/// A stored value of so many bytes, of whose numbers nothing is known.
fn stored(bytes: f64) -> Bound {
    Bound::stored(bytes).between(-ASSUMED_NUMBER, ASSUMED_NUMBER)
}

/// A number that is found in values: one of the data where some of it is stored, else any.
fn found(data: f64) -> Bound {
    // As text it is no longer than others.
    const ANY: f64 = 1e18;
    if data > 0.0 { measured() } else { Bound::number(-ANY, ANY) }
}

/// A number that comes from the data: a count, a sum, a difference of days.
fn measured() -> Bound {
    Bound { data: 32.0, ..Bound::number(-ASSUMED_NUMBER, ASSUMED_NUMBER) }
}

/// The number in brackets of `varchar(120)`.
fn declared_length(data_type: &str) -> Option<f64> {
    let (_, rest) = data_type.split_once('(')?;
    let length: f64 = rest.split([')', ',']).next()?.trim().parse().ok()?;
    (length > 0.0 && length <= 100_000.0).then_some(length)
}

#[cfg(test)]
mod tests;
