//! Calls: the functions whose results depend on more than the sum of what they are given.

use catalog::Dialect;
use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    LambdaFunction, WindowFrame, WindowFrameBound, WindowType,
};

use super::bound::{Bound, LARGEST_NUMBER_BYTES, LETTER, Search, product};
use super::expression::{ITEM_OVERHEAD, called, divided, has_many_digits, listed, powered, raised, truth};
use super::functions::{Class, class, is_modelled, takes_apart};
use super::matching::{letters_of_part, letters_taken, most_places, steps_over, tries};
use super::text::{fields, widest};
use super::{
    ASSUMED_NUMBER, COPIES, DOCUMENT_WEIGHT, Frame, LETTERS_WEIGHT, Measure, Rows, found, measured, search, times,
};
use crate::parser::Idents as _;
use crate::reading::GrowthKind;
use crate::span::Span;

/// Escaping writes one byte as up to so many, and ordinary text, as what is stored is taken to be, as so many.
const ESCAPED: f64 = 6.0;
const ESCAPED_STORED: f64 = 1.5;
/// What a pattern of a date or a number becomes at most, for each of its letters.
const PATTERN: f64 = 16.0;
/// Bytes of a moment or a number.
const MOMENT: f64 = 64.0;
/// What indentation makes of a stored document, and how deep engines let made ones be nested.
const INDENTED_STORED: f64 = 4.0;
const MADE_DEPTH: f64 = 4_000.0;
/// The width in a format that nobody knows before it runs.
const UNKNOWN: f64 = f64::INFINITY;

/// Functions of a unit and two moments.
const DIFFERENCES: [&str; 3] = ["timestampdiff", "datediff", "date_diff"];

/// Bytes of a point.
const POINT: f64 = 16.0;

impl<'q> Measure<'_, 'q> {
    pub(super) fn function(&mut self, function: &'q Function) -> Bound {
        self.called_with(None, function)
    }

    /// `value.function()`.
    pub(super) fn chained(&mut self, first: Bound, function: &'q Function) -> Bound {
        self.called_with(Some(first), function)
    }

    fn called_with(&mut self, first: Option<Bound>, function: &'q Function) -> Bound {
        let name = called(&function.name);
        let mut arguments: Vec<Bound> = first.into_iter().collect();
        let mut lambda: Option<&'q LambdaFunction> = None;
        let mut rows = self.frames.last().map_or(Rows::ONE, Frame::rows);
        for arguments_of in [&function.args, &function.parameters] {
            match arguments_of {
                FunctionArguments::None => {}
                // `ARRAY(SELECT …)`.
                FunctionArguments::Subquery(query) => {
                    let yielded = self.subquery(query);
                    rows = yielded.rows();
                    let groups = if yielded.is_correlated { rows.pairs } else { 1.0 };
                    self.keeps_beside_parts(&[yielded.any()], rows);
                    let list = self.collected(&[yielded.any()], rows).given_out(groups);
                    self.made(&name, &list, None);
                    arguments.push(list);
                }
                FunctionArguments::List(list) => {
                    for argument in &list.args {
                        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Lambda(it))) = argument {
                            lambda = Some(it);
                            continue;
                        }
                        let bound = match argument {
                            // The unit is a word of the language.
                            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(unit)))
                                if arguments.is_empty()
                                    && list.args.len() == 3
                                    && DIFFERENCES.contains(&name.as_str()) =>
                            {
                                Bound::text(&unit.value)
                            }
                            _ => self.argument(argument),
                        };
                        arguments.push(bound);
                    }
                    for clause in &list.clauses {
                        if let Some(separator) = self.clause(clause) {
                            arguments.push(separator);
                        }
                    }
                }
            }
        }
        for order in &function.within_group {
            self.order(order);
            arguments.push(self.value(&order.expr));
        }
        if let Some(filter) = &function.filter {
            self.value(filter);
        }
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            for order in &window.order_by {
                self.order(order);
            }
        }
        let over = match &function.over {
            Some(WindowType::WindowSpec(window)) => Some(window),
            Some(WindowType::NamedWindow(name)) => {
                let (name, frame) = (self.syntax.fold(name), self.frames.last());
                frame
                    .and_then(|frame| frame.windows.iter().find(|(known, _)| *known == name).map(|(_, window)| *window))
            }
            None => None,
        };
        if let Some(frame) = over.and_then(|window| window.window_frame.as_ref()) {
            self.moves(&name, &arguments, frame);
        }
        let span =
            function.name.0.last().and_then(|part| part.as_ident()).and_then(|ident| self.lines.span(ident.span));
        let is_distinct = is_distinct(&function.args);
        if is_distinct {
            rows = rows.at_most(arguments.first().map_or(f64::INFINITY, |first| first.values));
        }
        match lambda {
            Some(lambda) => self.with_lambda(&name, lambda, &arguments, span),
            None if matches!(function.args, FunctionArguments::Subquery(_)) && name == "array" => {
                arguments.pop().unwrap_or_else(truth)
            }
            None if name == "make_interval" => interval_of(&function.args, &arguments),
            None => {
                self.searched(&name, &function.args, &arguments, span);
                // Counting doesn't look at what it counts.
                if name == "count" && !is_distinct {
                    arguments.iter_mut().for_each(|argument| argument.gathered = 0.0);
                }
                if is_distinct {
                    let kept = arguments.iter().map(|argument| argument.gathered).sum::<f64>();
                    self.looks_at_gathered(&name, COPIES * kept, span);
                }
                let bound = self.call(&name, &arguments, rows, span);
                let Some(over) = over else {
                    return if function.over.is_some() { bound.given_out(1.0) } else { bound };
                };
                // What is collected beside a row is kept beside it, whatever is sorted or joined behind.
                let parts: f64 = over.partition_by.iter().map(|part| self.value(part).values).product();
                let bound = Bound { values: f64::INFINITY, ..bound }.given_out(parts.min(rows.stored));
                let kept = COPIES * bound.gathered * self.combined() * self.times;
                self.say(&name, GrowthKind::OverAllRows, kept, 0.0, span);
                bound
            }
        }
    }

    /// A window that moves with the row: MariaDB and MySQL work it out anew for each, and don't look whether they should stop.
    fn moves(&mut self, name: &str, arguments: &[Bound], frame: &'q WindowFrame) {
        /// Rows of a window that take as long as one step of a comparison, where each has a number.
        const ROWS_A_STEP: f64 = 100.0;
        /// Characters that take as long as a number: with eight, texts of 1,800 took two and a half times as long as reckoned.
        const CHARACTERS: f64 = 3.0;
        /// Characters from which on an argument isn't a number, and steps that a row with such takes.
        const TEXT: f64 = 40.0;
        const STEPS_OF_TEXT: f64 = 40_000.0;
        let ends = [Some(&frame.start_bound), frame.end_bound.as_ref()];
        // From the row on to the end: one row less for each, and some aggregates can't take one away.
        let takes_away = ["avg", "bit_and", "bit_or", "bit_xor", "count", "std", "stddev", "sum"].contains(&name);
        let goes_on = !matches!(frame.start_bound, WindowFrameBound::Preceding(None))
            && matches!(frame.end_bound, Some(WindowFrameBound::Following(None)));
        let reached = ends.into_iter().flatten().filter_map(|end| match end {
            WindowFrameBound::Preceding(Some(rows)) | WindowFrameBound::Following(Some(rows)) => {
                Some(self.value(rows).high.max(0.0))
            }
            _ => None,
        });
        let reached: f64 = if goes_on && !takes_away { f64::INFINITY } else { reached.sum() };
        let rows = self.frames.last().map_or(Rows::ONE, Frame::rows);
        if !self.dialect.work().windows_run_on || reached == 0.0 {
            return;
        }
        let longer = arguments.iter().map(|argument| argument.typical / CHARACTERS).fold(1.0, f64::max);
        let all_rows = rows.all() * self.times;
        let steps = reached.min(rows.all()) * all_rows * longer / ROWS_A_STEP;
        // However few rows of texts it reaches back: 500,000 of 90 characters took fourteen seconds after they were to stop.
        let is_of_texts = ["max", "min"].contains(&name) && arguments.iter().any(|it| it.typical > TEXT);
        let steps = if is_of_texts { steps.max(all_rows * STEPS_OF_TEXT) } else { steps };
        let all = self.frames.last_mut().map_or(steps, |frame| {
            frame.in_windows += steps;
            frame.in_windows
        });
        self.say(name, GrowthKind::WorkAtOnce, all, 0.0, None);
    }

    /// A clause among the arguments; the separator, where it is one.
    fn clause(&mut self, clause: &'q FunctionArgumentClause) -> Option<Bound> {
        match clause {
            FunctionArgumentClause::Separator(separator) => {
                Some(Bound::text(&separator.value.clone().into_string().unwrap_or_default()))
            }
            FunctionArgumentClause::Where(expression) | FunctionArgumentClause::Limit(expression) => {
                self.value(expression);
                None
            }
            FunctionArgumentClause::OrderBy(orders) => {
                for order in orders {
                    self.order(order);
                }
                None
            }
            _ => None,
        }
    }

    /// What a call makes of its arguments.
    pub(super) fn call(&mut self, name: &str, arguments: &[Bound], rows: Rows, span: Option<Span>) -> Bound {
        const BY_DIGITS: [&str; 14] = [
            "cbrt",
            "div",
            "exp",
            "factorial",
            "gcd",
            "lcm",
            "ln",
            "log",
            "log10",
            "mod",
            "pow",
            "power",
            "scale",
            "sqrt",
        ];
        if name.contains("json") {
            arguments.iter().for_each(|argument| self.nests(name, argument, span));
        }
        if BY_DIGITS.contains(&name)
            && let Some(number) = arguments.first()
        {
            if self.has_endless_digits(&[number]) {
                self.works(name, f64::INFINITY, span);
            } else if *self.dialect == Dialect::Postgres && has_many_digits(number) {
                self.works(name, product(number.bytes, number.bytes), span);
            }
        }
        if name != "count" {
            self.goes_over(arguments, 1.0);
        }
        let class = class(name);
        let bound = match class {
            Some(class) => self.of_class(class, name, arguments, rows, span),
            None => self.by_itself(name, arguments, span),
        };
        // DuckDB finds something for each path of a list.
        let bound = match arguments {
            [_, paths] if name.starts_with("json_") && paths.text.is_none() && self.dialect.work().lists_of_paths => {
                bound.repeated(paths.items.max(1.0))
            }
            _ => bound,
        };
        const KEEPS_DIGITS: [&str; 12] =
            ["abs", "avg", "ceil", "ceiling", "div", "floor", "mod", "multiply", "round", "sum", "trunc", "trim_scale"];
        let bound = match KEEPS_DIGITS.contains(&name) {
            true => self.with_digits_of(&arguments.iter().collect::<Vec<_>>(), bound),
            false => bound,
        };
        let bound = Bound { exponent: writes_exponent(name, arguments).unwrap_or(bound.exponent), ..bound };
        // Two queries one behind the other.
        let bound = if name == "tsquery_phrase" { Bound { search: Some(Search::Any), ..bound } } else { bound };
        let gathered: f64 = arguments.iter().map(|argument| argument.gathered).sum();
        match class {
            Some(Class::Collected) => {
                self.made(name, &bound, span);
                self.looks_at_gathered(name, COPIES * gathered, span);
            }
            _ => {
                self.looks_at_gathered(name, gathered, span);
                let made_of = arguments.iter().map(|argument| argument.bytes).sum();
                self.made_for_each_row(name, &bound, made_of, span);
            }
        }
        bound
    }

    fn of_class(&mut self, class: Class, name: &str, arguments: &[Bound], rows: Rows, span: Option<Span>) -> Bound {
        let data = arguments.iter().map(|argument| argument.data).fold(0.0, f64::max);
        let longest = arguments.iter().map(|argument| argument.bytes).fold(0.0, f64::max);
        let most = arguments.iter().map(|argument| argument.low.abs().max(argument.high.abs())).fold(0.0, f64::max);
        // Each letter of one is looked for in the other, and no engine can be stopped meanwhile.
        const SEARCHES: [&str; 24] = [
            "array_has_all",
            "array_has_any",
            "btrim",
            "hasall",
            "hasany",
            "instr",
            "json_contains",
            "json_overlaps",
            "list_has_all",
            "list_has_any",
            "locate",
            "ltrim",
            "rtrim",
            "split_part",
            "splitpart",
            // So is each line of one shape in those of the other.
            "st_contains",
            "st_distance",
            "st_intersects",
            "st_within",
            "substring_index",
            "trim",
            "trimboth",
            "trimleft",
            "trimright",
        ];
        if let [one, other, ..] = arguments
            && SEARCHES.contains(&name)
        {
            // Each letter that is cut off is looked for among the others; what is looked for elsewhere fits at few places.
            let (shorter, longer) = if one.bytes < other.bytes { (one, other) } else { (other, one) };
            let steps = match name.contains("trim") {
                true => product(one.bytes, other.bytes),
                false => steps_over(longer, shorter),
            };
            self.works(name, steps, span);
        }
        if let [one, other, ..] = arguments
            && self.dialect.work().like_tries_places
            && name.contains("like")
        {
            self.works(name, tries(one.bytes, most_places(other)), span);
        }
        match class {
            Class::Counted => {
                let most = (rows.made * rows.likely.max(rows.stored)).max(ASSUMED_NUMBER);
                Bound { data: 32.0, ..Bound::number(-most, most) }
            }
            Class::Measured if arguments.is_empty() => measured(),
            // A mean of numbers has their digits and more.
            Class::Measured
                if name.starts_with("avg") && self.has_endless_digits(&arguments.iter().collect::<Vec<_>>()) =>
            {
                Bound { data, ..Bound::number(f64::NEG_INFINITY, f64::INFINITY) }
            }
            // A sum of what lies there is taken for a number of the data; one of what a statement makes of it isn't.
            Class::Measured if name.contains("sum") || name.contains("product") => {
                let is_stored = arguments.first().is_some_and(|first| first.values.is_finite());
                let all = product(most, rows.made * rows.likely.max(rows.stored));
                if is_stored || (data > 0.0 && most <= ASSUMED_NUMBER) {
                    measured()
                } else {
                    Bound { data, ..Bound::number(-all, all) }
                }
            }
            Class::Measured => found(data),
            Class::Moment => {
                let (low, high) = near(arguments);
                Bound { data, ..Bound::made(64.0) }.between(low, high)
            }
            // The number of a letter.
            Class::Length if ["ascii", "ord", "unicode"].contains(&name) => {
                let most = if name == "ord" { 4.3e9 } else { 1_114_111.0 };
                Bound { data, ..Bound::number(-most, most) }
            }
            // An array can begin at any number that it says.
            Class::Length if name.starts_with("array_") => {
                let most = longest.max(arguments.first().map_or(0.0, |first| first.high)).max(255.0);
                Bound { data, ..Bound::number(-most, most) }
            }
            Class::Length => Bound { data, ..Bound::number(-longest, longest.max(255.0)) },
            Class::Number => {
                let most = match name {
                    // Near some numbers these go beyond every bound.
                    "cot" | "cotd" | "tan" | "tand" | "sinh" | "cosh" | "atanh" | "log" | "bitnot"
                        if arguments.len() > 1 || name != "log" =>
                    {
                        found(data).high.max(most)
                    }
                    "divide" | "fdiv" | "intdiv" | "intdivorzero" => match arguments {
                        [one, other] => {
                            let (low, high) = divided(one, other);
                            high.max(-low)
                        }
                        _ => most,
                    },
                    // What is below nothing becomes the largest.
                    _ if name.starts_with("touint")
                        && data == 0.0
                        && arguments.iter().any(|argument| argument.low < 0.0) =>
                    {
                        1.9e19
                    }
                    "degrees" => most * 58.0,
                    "add" | "plus" | "minus" | "subtract" => most * 2.0,
                    _ => most.max(4.0),
                };
                Bound { data, ..Bound::number(-most, most) }
            }
            Class::Wild if *self.dialect == Dialect::Duckdb && unit_of(name).is_some() && arguments.len() == 1 => {
                let unit = unit_of(name).unwrap_or_default();
                Bound { data, ..Bound::made(64.0) }.between(arguments[0].low * unit, arguments[0].high * unit)
            }
            // A letter for each.
            Class::Wild if name == "char" => Bound { data, ..Bound::made(128.0 + 4.0 * arguments.len() as f64) }
                .between(f64::NEG_INFINITY, f64::INFINITY),
            // A digit for each bit, or a bit for each digit.
            Class::Wild if ["bin", "to_bin", "unbin", "hex", "unhex", "oct", "conv"].contains(&name) => {
                Bound { data, ..Bound::made(128.0 + longest * 8.0) }.between(f64::NEG_INFINITY, f64::INFINITY)
            }
            // All digits of a number.
            Class::Wild if ["lcm", "pg_size_pretty"].contains(&name) => {
                Bound { data, ..Bound::made(128.0 + arguments.iter().map(|argument| argument.bytes).sum::<f64>()) }
                    .between(f64::NEG_INFINITY, f64::INFINITY)
            }
            Class::Wild => Bound { data, ..Bound::made(128.0) }.between(f64::NEG_INFINITY, f64::INFINITY),
            Class::Part if takes_apart(name) => {
                let parts: Vec<Bound> = arguments.iter().map(Bound::apart).collect();
                any_of(&parts)
            }
            Class::Part => any_of(arguments),
            Class::Joined => {
                let joined = arguments.iter().cloned().reduce(|left, right| left.then(&right)).unwrap_or_else(truth);
                match name {
                    "concat" | "concatassumeinjective" | "overlay" | "insert" | "make_set" => joined,
                    _ => listed_or(joined, arguments),
                }
            }
            Class::Escaped => {
                let search = search::query_of(name, arguments);
                let joined = listed(arguments);
                let times = match name {
                    "url_encode" | "hex" | "encode" | "to_base64" | "base64" | "base64encode" => 3.0,
                    _ => escaped(&joined),
                };
                // A document can be a list of as many as it has letters.
                let bytes = joined.bytes * times;
                let weight = if name.contains("jsonb") { DOCUMENT_WEIGHT } else { 1.0 };
                let items = joined.items.max(data).max(bytes);
                Bound { data: joined.data, items, search, weight, ..Bound::made(bytes) }
            }
            Class::Collected => self.collects(name, arguments, rows),
            Class::Compares => {
                let work =
                    arguments.first().zip(arguments.get(1)).map_or(0.0, |(one, other)| product(one.bytes, other.bytes));
                let ranking = if name.starts_with("ts_rank") { search::ranking(arguments) } else { None };
                self.works(name, ranking.unwrap_or(work), span);
                Bound { data, ..Bound::number(-1.0, longest.max(1.0)) }
            }
        }
    }

    #[allow(clippy::too_many_lines, reason = "a table: one arm for each way to grow")]
    fn by_itself(&mut self, name: &str, arguments: &[Bound], span: Option<Span>) -> Bound {
        let nothing = Bound::text("");
        let first = arguments.first().unwrap_or(&nothing);
        let second = arguments.get(1).unwrap_or(&nothing);
        let third = arguments.get(2).unwrap_or(&nothing);
        let data = arguments.iter().map(|argument| argument.data).fold(0.0, f64::max);
        match name {
            "replace" | "replaceall" => {
                self.works(name, steps_over(first, second), span);
                self.copies_for_each_match(name, first, span);
                first.replaced(second, third)
            }
            "replaceone" => first.then(third),
            "array_replace" => {
                let items = first.bytes / LETTER + 1.0;
                first.resized(first.bytes + product(items, third.bytes)).or(third)
            }
            "regexp_replace" | "replaceregexpall" | "replaceregexpone" => {
                self.works(name, steps_over(first, second), span);
                self.copies_for_each_match(name, first, span);
                substituted(first, second, third)
            }
            "translate" => {
                self.works(name, product(first.bytes, second.bytes), span);
                first.resized(first.bytes * LETTER)
            }
            "repeat" => {
                if first.bytes > 0.0 {
                    self.say(name, GrowthKind::Size, second.high, 0.0, span);
                }
                first.repeated(second.high)
            }
            "lpad" | "rpad" | "leftpad" | "rightpad" => {
                self.say(name, GrowthKind::Size, second.high, 0.0, span);
                let ascii = arguments.len() < 3 || third.text.as_deref().is_some_and(str::is_ascii);
                let letter = if ascii { 1.0 } else { LETTER };
                let kept = first.bytes.min(second.high.max(0.0) * LETTER);
                let bound = first.resized(kept + second.high.max(0.0) * letter);
                // How long it becomes is what it is told; of what is stored, half of the most.
                let told = if second.data > 0.0 { second.high / 2.0 } else { second.high };
                Bound { typical: told.max(0.0).min(bound.bytes), spread: 1.0, ..bound }
            }
            "space" | "zeroblob" | "randomblob" => Bound { data, ..Bound::made(first.high.max(0.0)) },
            "tofixedstring" => first.resized(first.bytes.max(second.high)),
            // So many points on a circle.
            "polygon" if arguments.len() == 2 => Bound { data, ..Bound::made(POINT * first.high.max(0.0)) },
            "polygon" => any_of(arguments).or(&Bound::made(12.0 * POINT)),
            "array_fill" => first.list(second.high.max(0.0)),
            "list_resize" => {
                self.say(name, GrowthKind::Size, second.high, 0.0, span);
                first.or(&Bound::made(ITEM_OVERHEAD).or(third).list(second.high.max(0.0)))
            }
            "make_date" | "make_timestamp" | "make_timestamptz" | "makedate" => {
                let ((low, _), (_, high)) = (times::of_year(first.low, 0.0), times::of_year(first.high, 366.0));
                Bound { data, ..Bound::made(64.0) }.between(low, high)
            }
            "to_timestamp" | "from_unixtime" | "fromunixtimestamp" => {
                let is_text = first.text.as_deref().is_some_and(|text| text.trim().parse::<f64>().is_err());
                let (low, high) =
                    if is_text { times::moment(first) } else { times::of_seconds((first.low, first.high)) };
                // A stored number of seconds is one of these decades.
                let (low, high) = if data > 0.0 {
                    (low.max(-ASSUMED_NUMBER), high.clamp(0.0, ASSUMED_NUMBER).max(ASSUMED_NUMBER))
                } else {
                    (low, high)
                };
                Bound { data, ..Bound::made(64.0) }.between(low, high)
            }
            "date_part" | "datepart" => {
                let (low, high) = times::field(first.text.as_deref().unwrap_or_default(), times::moment(second));
                Bound { data, ..Bound::number(low, high) }
            }
            "datediff" | "date_diff" | "timestampdiff" => {
                let (unit, one, other) = match arguments {
                    [one, other] => ("day", one, other),
                    _ => (first.text.as_deref().unwrap_or("microsecond"), second, third),
                };
                let (low, high) = times::between(unit, times::moment(one), times::moment(other));
                Bound { data, ..Bound::number(low, high) }
            }
            "concat_ws" => {
                let rest = arguments.iter().skip(1).cloned().reduce(|left, right| left.then(&right));
                rest.map_or_else(truth, |rest| rest.then(&first.repeated(arguments.len() as f64)))
            }
            "array_to_string" | "arraystringconcat" | "list_aggregate" => {
                let between = arguments.iter().skip(1).fold(0.0, |sum, it| sum + it.bytes);
                first.resized(first.bytes + product(first.items, between))
            }
            "split"
            | "splitbychar"
            | "splitbyregexp"
            | "splitbystring"
            | "str_split"
            | "str_split_regex"
            | "string_split"
            | "string_split_regex"
            | "string_to_array"
            | "regexp_split_to_array"
            | "regexp_extract_all"
            | "extractall"
            | "extractgroups"
            | "alphatokens"
            | "regexp_match"
            | "jsonextractarrayraw"
            | "jsonextractkeysandvalues"
            | "timeslots" => {
                let text = any_of(arguments);
                self.works(name, steps_over(first, second), span);
                let letters = letters_of_part(name, arguments);
                let weight = LETTERS_WEIGHT / letters;
                // A letter can be an item, with quotes and a comma.
                let list = text.resized(text.bytes * 6.0 + ITEM_OVERHEAD);
                let typical = text.typical.min(list.bytes);
                let list = Bound { items: text.bytes + 1.0, each: text.bytes, typical, weight, ..list };
                list.in_parts_of(letters)
            }
            "jsonb_path_match" | "jsonb_path_exists" | "jsonb_path_query_array" | "jsonb_path_query_first" => {
                self.follows_path(name, first, second, span);
                any_of(arguments)
            }
            "jsonb_path_query" => {
                self.follows_path(name, first, second, span);
                self.unfolding(name, arguments, span)
            }
            "printf" | "format" if self.dialect.work().format_fills_in => {
                self.formatted(name, first, &arguments[1.min(arguments.len())..], span)
            }
            "format" => Bound { data, ..Bound::made(512.0) },
            "strftime" | "date_format" | "time_format" | "formatdatetime" | "to_char" => {
                any_of(arguments).resized(arguments.iter().map(written_by).sum::<f64>().max(MOMENT))
            }
            "lower" | "upper" | "lcase" | "ucase" | "lowerutf8" | "upperutf8" | "initcap" | "casefold" => {
                first.resized(first.bytes * 1.5)
            }
            "normalize" | "nfc_normalize" => {
                self.sorts_marks(name, first, span);
                first.resized(first.bytes * 18.0)
            }
            "json_pretty" | "jsonb_pretty" => {
                let times = if first.is_mostly_stored() { INDENTED_STORED } else { 2.0 + first.bytes.min(MADE_DEPTH) };
                let indent = if arguments.len() > 1 { second.bytes.max(1.0) } else { 1.0 };
                Bound { weight: 1.0, ..first.resized(first.bytes * times * indent) }
            }
            // The path to each, with all names in it.
            "json_search" => first.resized(product(first.bytes, first.bytes / ITEM_OVERHEAD + 1.0)),
            // One part for each path.
            "json_extract" => {
                let parts: Vec<Bound> = arguments.iter().map(Bound::apart).collect();
                let part = any_of(&parts);
                if arguments.len() > 2 { part.repeated(arguments.len() as f64 - 1.0) } else { part }
            }
            "list_select" => first.element().or(first).list(second.items),
            "percentile_disc" | "percentile_cont" => {
                let all = any_of(arguments);
                if first.items > 1.0 { all.list(first.items.min(first.bytes)) } else { all }
            }
            "ts_headline" => {
                if !self.quiet {
                    self.kept += search::held(arguments) * self.times;
                }
                search::headline(arguments)
            }
            "round" | "trunc" => {
                let most = first.low.abs().max(first.high.abs()).max(4.0);
                let number = Bound { data, ..Bound::number(-most, most) };
                let is_said = arguments.len() > 1 && second.data == 0.0;
                let digits = if is_said { second.high.clamp(0.0, LARGEST_NUMBER_BYTES) } else { 0.0 };
                let bytes = number.bytes + digits;
                Bound { bytes, typical: bytes, ..number }
            }
            "least" => least(arguments),
            "multiply" => {
                let most = [first.low, first.high].map(f64::abs).into_iter().fold(0.0, f64::max);
                let other = [second.low, second.high].map(f64::abs).into_iter().fold(0.0, f64::max);
                Bound { data, ..Bound::number(-product(most, other), product(most, other)) }
            }
            "pow" | "power" => {
                let (low, high) = powered(first, second);
                raised(first, second, Bound { data, ..Bound::number(low, high) })
            }
            "exp" | "exp2" | "exp10" => Bound { data, ..Bound::number(0.0, 10_f64.powf(first.high.clamp(0.0, 400.0))) },
            "bitshiftleft" => {
                Bound { data, ..Bound::number(0.0, first.high.max(1.0) * second.high.clamp(0.0, 64.0).exp2()) }
            }
            "factorial" => {
                self.say(name, GrowthKind::Size, first.high, 0.0, span);
                Bound::number(0.0, f64::INFINITY)
            }
            "bar" => {
                let width = arguments.get(3).map_or(80.0, |width| width.high);
                self.say(name, GrowthKind::Size, width, 0.0, span);
                Bound { data, ..Bound::made(width.max(1.0) * LETTER) }
            }
            "export_set" => {
                let separator = arguments.get(3).map_or(1.0, |it| it.bytes);
                Bound { data, ..Bound::made(64.0 * (second.bytes.max(third.bytes) + separator)) }
            }
            "transform" => any_of(arguments),
            "generate_series"
            | "range"
            | "generate_subscripts"
            | "unnest"
            | "arrayjoin"
            | "regexp_split_to_table"
            | "regexp_matches"
            | "string_to_table"
            | "json_array_elements"
            | "jsonb_array_elements"
            | "json_array_elements_text"
            | "jsonb_array_elements_text"
            | "json_each"
            | "jsonb_each"
            | "json_each_text"
            | "jsonb_each_text"
            | "json_object_keys"
            | "jsonb_object_keys" => self.unfolding(name, arguments, span),
            _ => {
                if !is_modelled(name) {
                    self.say(name, GrowthKind::Unknown, 0.0, data, span);
                }
                listed_or(
                    arguments.iter().cloned().reduce(|left, right| left.then(&right)).unwrap_or_else(truth),
                    arguments,
                )
                .between(f64::NEG_INFINITY, f64::INFINITY)
            }
        }
    }

    /// What a format makes of values: its own text, the widths in it, and a value for each of its fields.
    fn formatted(&mut self, name: &str, format: &Bound, values: &[Bound], span: Option<Span>) -> Bound {
        let longest = values.iter().map(|value| value.bytes).fold(0.0, f64::max);
        let data = values.iter().map(|value| value.data).fold(format.data, f64::max);
        let (width, count) = match &format.text {
            Some(text) => (widest(text), fields(text)),
            None => (UNKNOWN, format.bytes),
        };
        self.say(name, GrowthKind::Size, width, 0.0, span);
        let bytes = format.bytes + product(count, width + 2.0 * longest + 64.0);
        Bound { data, ..Bound::made(bytes) }
    }
}

/// An interval that is put together: `make_interval(hours => 6)`.
fn interval_of(called_with: &FunctionArguments, arguments: &[Bound]) -> Bound {
    const PLACES: [&str; 7] = ["years", "months", "weeks", "days", "hours", "mins", "secs"];
    let written = match called_with {
        FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    let units = written.iter().zip(PLACES).map(|(argument, place)| {
        let name = match argument {
            FunctionArg::Named { name, .. } => name.value.clone(),
            FunctionArg::ExprNamed { name, .. } => name.to_string(),
            _ => place.to_owned(),
        };
        times::days_of_unit(&name).unwrap_or_default()
    });
    let data = arguments.iter().map(|argument| argument.data).fold(0.0, f64::max);
    let parts = units.zip(arguments).map(|(unit, argument)| (argument.low * unit, argument.high * unit));
    let (low, high) = parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    Bound { data, ..Bound::made(64.0) }.between(low, high)
}

/// Whether an `e` that the statement writes may be in what a function makes; `None` where that is as for its parts.
fn writes_exponent(name: &str, arguments: &[Bound]) -> Option<bool> {
    const MAKES_ANY: [&str; 10] =
        ["char", "chr", "convert_from", "decode", "encode", "from_base64", "hex", "md5", "to_hex", "unhex"];
    let has = |place: usize| arguments.get(place).is_some_and(|argument| argument.exponent);
    match name {
        _ if MAKES_ANY.contains(&name) => Some(true),
        // The others say where it is taken apart, or what is none.
        "nullif" | "split_part" | "btrim" | "ltrim" | "rtrim" | "trim" | "regexp_substr" | "string_to_array" => {
            Some(has(0))
        }
        "regexp_replace" | "translate" | "lpad" | "rpad" => Some(has(0) || has(2)),
        "format" => Some((0..arguments.len()).any(has)),
        _ => None,
    }
}

/// How many times as large a value is where it is written with escapes.
pub(super) fn escaped(value: &Bound) -> f64 {
    if value.is_mostly_stored() { ESCAPED_STORED } else { ESCAPED }
}

/// Whether each value counts once.
/// Bytes that a part of a call adds that writes a time or a number by a pattern. What is written, a moment or a number that is
/// stored, makes it no longer.
fn written_by(argument: &Bound) -> f64 {
    if argument.data > 0.0 && argument.bytes <= MOMENT { 0.0 } else { argument.bytes * PATTERN }
}

fn is_distinct(arguments: &FunctionArguments) -> bool {
    matches!(arguments, FunctionArguments::List(list) if list.duplicate_treatment == Some(DuplicateTreatment::Distinct))
}

/// A moment near those that it is made from, which stand beside units and lengths; else the present.
fn near(arguments: &[Bound]) -> (f64, f64) {
    const YEAR: f64 = 366.0;
    let given =
        |argument: &&Bound| argument.text.as_deref().is_none_or(|text| text.contains(|it: char| it.is_ascii_digit()));
    let moments = arguments.iter().filter(given).map(times::moment);
    let all = moments.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    all.map_or_else(times::now, |(low, high)| (low - YEAR, high + YEAR))
}

/// The days of one of what a function makes an interval of, such as `to_hours`.
fn unit_of(function: &str) -> Option<f64> {
    times::days_of_unit(function.strip_prefix("to_")?)
}

/// Any of the arguments, or a part of one.
pub(super) fn any_of(arguments: &[Bound]) -> Bound {
    arguments.iter().cloned().reduce(|left, right| left.or(&right)).unwrap_or_else(truth)
}

/// A list or document of all arguments that may itself be made of lists.
fn listed_or(joined: Bound, arguments: &[Bound]) -> Bound {
    let bytes = joined.bytes + ITEM_OVERHEAD * arguments.len() as f64;
    Bound { items: joined.items.max(arguments.len() as f64), each: joined.each, ..joined.resized(bytes) }
}

/// The smallest of several values: no larger than any of them.
fn least(arguments: &[Bound]) -> Bound {
    let high = arguments.iter().map(|argument| argument.high).fold(f64::INFINITY, f64::min);
    let any = any_of(arguments);
    let low = any.low.min(high);
    any.between(low, high)
}

/// What a regular expression's matches are replaced by can name parts of the match, and a match can be empty.
fn substituted(text: &Bound, pattern: &Bound, to: &Bound) -> Bound {
    let letters = pattern.text.as_deref().map_or(1.0, letters_taken);
    let places = text.bytes / letters + 1.0;
    let named = to.text.as_deref().map_or(to.bytes / 2.0, |to| to.matches(['\\', '$']).count() as f64);
    // A group inside a look-ahead reaches behind the match.
    let reaches = pattern.text.as_deref().is_none_or(|pattern| pattern.contains("(?"));
    let parts = if reaches { product(named, text.bytes * places) } else { product(named, text.bytes) };
    // A pattern that can't be empty matches no more often than the text has letters of it.
    let bytes = text.bytes + product(places, to.bytes) + parts;
    Bound { data: text.data.max(to.data), ..text.resized(bytes) }
}
