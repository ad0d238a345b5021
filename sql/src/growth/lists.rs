//! Functions that make rows or lists, and those that call another one for each element.

use sqlparser::ast::{LambdaFunction, OneOrManyWithParens};

use super::bound::{Bound, product};
use super::call::any_of;
use super::expression::{ITEM_OVERHEAD, truth};
use super::functions::series;
use super::matching::{groups, letters_of_part, steps_over};
use super::{ASSUMED_NUMBER, Frame, Measure, Relation, Rows, measured, search};
use crate::parser::Idents as _;
use crate::reading::GrowthKind;
use crate::span::Span;

/// Bytes that PostgreSQL keeps for each letter of a text of which a pattern's matches are told, and as many for each group.
const PLACE: f64 = 8.0;

impl<'q> Measure<'_, 'q> {
    /// A function that calls another one for each element of its lists.
    pub(super) fn with_lambda(
        &mut self,
        name: &str,
        lambda: &'q LambdaFunction,
        lists: &[Bound],
        span: Option<Span>,
    ) -> Bound {
        let parameters = match &lambda.params {
            OneOrManyWithParens::One(parameter) => std::slice::from_ref(parameter),
            OneOrManyWithParens::Many(parameters) => parameters.as_slice(),
        };
        let names: Vec<String> = parameters.iter().map(|parameter| self.syntax.fold(&parameter.name)).collect();
        let any = lists.iter().cloned().reduce(|left, right| left.or(&right)).unwrap_or_else(truth);
        let items = lists.iter().map(|list| list.items).fold(0.0, f64::max);
        let element = any.element();
        let folds = name.contains("reduce") || name.contains("fold");
        let mut carried = element.clone();
        let rounds = if folds { items.min(12.0) as usize } else { 1 };
        let mut sizes = vec![carried.bytes];
        for _ in 0..rounds.max(1) {
            self.frames.push(of_elements(&names, &carried.or(&element), items));
            let made = self.value(&lambda.body);
            self.frames.pop();
            carried = if folds { carried.or(&made) } else { made };
            sizes.push(carried.bytes);
        }
        let bound = match name {
            _ if folds => {
                let (before, now) = (sizes[sizes.len() - 2].max(1.0), sizes[sizes.len() - 1]);
                let left = (items - rounds as f64).max(0.0);
                let grows_evenly = now - before <= sizes[1] - sizes[0] + 1.0;
                let end = if grows_evenly { now + (now - before) * left } else { now * (now / before).powf(left) };
                carried.resized(end.max(now))
            }
            "arraymap" | "list_transform" | "list_apply" | "apply" | "array_transform" if any.parts().is_some() => {
                // Elements are together as long as the list: what the body makes of nothing comes for each, what it adds to a
                // text's length for all of them.
                self.frames.push(of_elements(&names, &Bound { data: element.data, ..Bound::made(0.0) }, items));
                let of_nothing = self.value(&lambda.body).bytes;
                self.frames.pop();
                let grown = (carried.bytes - of_nothing).max(0.0) / element.bytes.max(1.0);
                let bytes = product(items, of_nothing + ITEM_OVERHEAD) + product(any.bytes, grown);
                Bound { items, each: carried.bytes, data: any.data.max(carried.data), ..any.resized(bytes) }
            }
            "arraymap" | "list_transform" | "list_apply" | "apply" | "array_transform" => Bound {
                data: any.data.max(carried.data),
                ..carried.or(&truth()).list(items).then(&Bound::made(ITEM_OVERHEAD * items))
            },
            "arrayfill" => any.element().list(items),
            _ => any,
        };
        self.made(name, &bound, span);
        bound
    }

    /// A function that makes rows or a list where it is called.
    pub(super) fn unfolding(&mut self, name: &str, arguments: &[Bound], span: Option<Span>) -> Bound {
        let (rows, value) = self.rows_of(name, arguments, span);
        let is_list = matches!(name, "generate_series" | "range" | "regexp_matches");
        if is_list && !self.dialect.work().functions_make_rows {
            return Bound { items: rows.made, ..value.list(rows.made) };
        }
        // It multiplies the rows of the select around it.
        if let Some(frame) = self.frames.last_mut() {
            frame.rows = Some(frame.rows().joined(rows));
        }
        value
    }

    /// The rows that a function makes, and what a value in them can be.
    pub(super) fn rows_of(&mut self, name: &str, arguments: &[Bound], span: Option<Span>) -> (Rows, Bound) {
        let zero = Bound::number(0.0, 0.0);
        let (rows, value) = match (name, arguments) {
            ("generate_subscripts", [array, ..]) => (Rows::of_list(array), Bound::number(0.0, array.items)),
            ("generate_series" | "range", [from, to, rest @ ..]) => {
                let rows = series(from, to, rest.first());
                (Rows::made(rows), Bound::number(from.low.min(to.low), to.high.max(from.high)))
            }
            ("range", [to]) => (Rows::made(series(&zero, to, None)), Bound::number(0.0, to.high)),
            ("generate_series" | "range" | "numbers" | "zeros" | "numbers_mt" | "zeros_mt", [])
            | ("generate_series", [_]) => (Rows::made(f64::INFINITY), measured()),
            ("numbers" | "zeros" | "numbers_mt" | "zeros_mt", [most]) => {
                (Rows::made(most.high), Bound::number(0.0, most.high))
            }
            ("numbers" | "zeros" | "numbers_mt" | "zeros_mt", [from, most, ..]) => {
                (Rows::made(most.high), Bound::number(0.0, from.high + most.high))
            }
            _ if search::query_of(name, arguments).is_some() => {
                (Rows::ONE, self.call(name, arguments, Rows::ONE, span))
            }
            (_, [list, ..]) => {
                if let (true, Some(path)) = (name.starts_with("jsonb_path_"), arguments.get(1)) {
                    self.follows_path(name, list, path, span);
                }
                let list = match name.contains("split") || ["regexp_matches", "string_to_table"].contains(&name) {
                    true => &list.clone().in_parts_of(letters_of_part(name, arguments)),
                    false => list,
                };
                if name.starts_with("regexp_") {
                    // The places of all matches are found before the first is given.
                    let groups = arguments.get(1).map_or(0.0, groups);
                    self.stored_again(list, PLACE * (groups + 1.0));
                }
                let part = list.element();
                let value = Bound { typical: part.typical, ..any_of(arguments).or(&part) };
                let looked_for = arguments.get(1);
                self.works(name, looked_for.map_or(list.bytes, |it| steps_over(list, it)), span);
                (Rows::of_list(list), value)
            }
            (_, []) => (Rows::ONE, measured()),
        };
        if matches!(name, "generate_series" | "range") || rows.made > ASSUMED_NUMBER {
            self.say(name, GrowthKind::Rows, rows.made, 0.0, span);
        }
        (rows, value)
    }
}

/// What a function reads that is called for each of so many elements.
fn of_elements<'q>(names: &[String], element: &Bound, items: f64) -> Frame<'q> {
    let columns = names.iter().map(|name| (Some(name.clone()), element.clone())).collect();
    let relation = Relation { columns: std::rc::Rc::new(columns), ..Relation::default() };
    Frame { relations: vec![relation], rows: Some(Rows::made(items.max(1.0))), ..Frame::default() }
}
