//! Aggregates that keep every value that they are given.

use super::bound::{Bound, product};
use super::call::escaped;
use super::expression::listed;
use super::{Measure, ORDINARY_BYTES, Rows};

/// So many times the rows of the largest table are rows that no key joins.
const UNJOINED: f64 = 10.0;
/// Bytes that PostgreSQL keeps of each value in a document until it is whole.
const JSON_NODE: f64 = 256.0;

impl Measure<'_, '_> {
    /// What such an aggregate makes of all rows.
    pub(super) fn collects(&mut self, name: &str, arguments: &[Bound], rows: Rows) -> Bound {
        let sets = self.frames.last().map_or(1.0, |frame| frame.sets.max(1.0));
        // Where no key joins them, stored rows are as many as made ones.
        let held = self.held_together().min(rows.likely);
        let combined = if held > UNJOINED * rows.stored { held } else { 1.0 };
        let kept = rows.made * combined * self.times * sets;
        if !self.quiet && kept > 1.0 {
            let nodes = if name.starts_with("jsonb") { JSON_NODE } else { 0.0 };
            let items: f64 = arguments.iter().map(|argument| argument.items.max(1.0)).sum();
            self.kept += product(listed(arguments).bytes + nodes * items, kept);
        }
        if kept <= 1.0 {
            self.keeps_what_is_made(arguments, rows, held);
        }
        if !self.quiet && name == "json_objectagg" && self.dialect.work().objects_without_limit {
            let each: f64 = arguments.iter().map(|argument| argument.typical).sum();
            self.kept += product(each, held.max(rows.stored)) * self.times;
        }
        self.keeps_beside_parts(arguments, rows);
        if !name.contains("json") {
            return self.collected(arguments, rows);
        }
        let written: Vec<Bound> =
            arguments.iter().map(|argument| argument.resized(argument.bytes * escaped(argument))).collect();
        self.collected(&written, rows)
    }

    /// Counts what an aggregate keeps of values that are longer than any that is stored: `status::char(9000)`.
    fn keeps_what_is_made(&mut self, arguments: &[Bound], rows: Rows, held: f64) {
        /// What is put together of a few columns is no longer, nor so many times as long as the longest of them.
        const ORDINARY: f64 = 500.0;
        const TIMES: f64 = 2.0;
        let made = arguments.iter().filter(|argument| argument.typical > ORDINARY.max(TIMES * argument.data));
        let made: f64 = made.map(|argument| argument.typical).sum();
        if !self.quiet && made > 0.0 {
            self.kept += made * rows.made * rows.stored.max(held) * self.times;
        }
    }

    /// Counts what an aggregate keeps of values that stand beside each part of a stored text or list: a text of 100 kB that is
    /// split into its words is 20,000 times as much beside these.
    pub(super) fn keeps_beside_parts(&mut self, arguments: &[Bound], rows: Rows) {
        /// So many times the text itself is what words with their keys beside them come to.
        const ORDINARY: f64 = 32.0;
        /// Bytes that each value takes besides.
        const OVERHEAD: f64 = 24.0;
        let each = arguments.iter().map(|argument| argument.typical + OVERHEAD).sum();
        let of_row = product(each, rows.parts);
        if !self.quiet && rows.apart > 0.0 && of_row > ORDINARY * rows.apart {
            self.kept += of_row * rows.stored * self.times;
        }
    }

    /// The values of all rows in one.
    pub(super) fn collected(&mut self, arguments: &[Bound], rows: Rows) -> Bound {
        let one = listed(arguments);
        let data = arguments.iter().map(|argument| argument.data).fold(0.0, f64::max);
        // What is put beside stored values is made for each row that there is when they are joined.
        let is_made = arguments.iter().any(|argument| !argument.is_mostly_stored() && argument.bytes > ORDINARY_BYTES);
        let all = if is_made { rows.made * rows.likely.max(rows.stored) } else { rows.all() };
        let each = arguments.first().map_or(one.bytes, |first| first.bytes);
        let collecting = product(arguments.iter().map(|argument| argument.typical).sum(), all);
        Bound { data: product(data, rows.stored), collecting, items: all, each, ..Bound::made(product(one.bytes, all)) }
    }
}
