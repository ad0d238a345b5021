//! Expressions: what a value can be at most. Variants are named one by one, so that a new one in sqlparser doesn't compile
//! until it has been thought about.

use catalog::Dialect;
use sqlparser::ast::{
    AccessExpr, BinaryOperator, DataType, Expr, Ident, JsonPathElem, ObjectNamePart, Spanned, Subscript, UnaryOperator,
    Value,
};

use super::LONG_NUMBER;
use super::bound::{Bound, LARGEST_NUMBER_BYTES, product};
use super::matching::steps_over;
use super::{
    ASSUMED_BYTES, ASSUMED_NUMBER, ASSUMED_SPREAD, DOCUMENT_WEIGHT, LIST_WEIGHT, Measure, ORDINARY_BYTES, search,
    stored, times,
};
use crate::parser::Idents as _;
use crate::reading::GrowthKind;
use crate::span::Span;

/// Levels of a document that DuckDB reads for sure; it dies of 3,000.
const DEEPEST_DOCUMENT: f64 = 2_000.0;
/// Bytes that a list or a document takes for each element besides the element.
pub(super) const ITEM_OVERHEAD: f64 = 16.0;
/// Bytes of an item of a stored list with what separates it from others, and what PostgreSQL holds of one that a path takes.
const BYTES_OF_ITEM: f64 = 4.0;
const ITEM_OF_PATH: f64 = 80.0;
/// The same of a field of an object that `.keyvalue()` takes apart, of many with different names.
const BYTES_OF_FIELD: f64 = 10.0;
const FIELD_OF_PATH: f64 = 2_400.0;
/// Times its size that a text takes where it is compared in the order of a language.
const COLLATED: f64 = 8.0;

impl<'q> Measure<'_, 'q> {
    /// What an expression can be at most.
    pub(super) fn value(&mut self, expression: &'q Expr) -> Bound {
        if !self.afford() {
            return Bound::made(1.0);
        }
        match expression {
            Expr::Identifier(ident) => self.named_and_read(&[ident]),
            Expr::CompoundIdentifier(parts) => self.named_and_read(&parts.iter().collect::<Vec<_>>()),
            Expr::Nested(inner)
            | Expr::Collate { expr: inner, .. }
            | Expr::OuterJoin(inner)
            | Expr::Prior(inner)
            | Expr::Prefixed { value: inner, .. } => self.value(inner),
            Expr::Named { expr, name } => {
                let bound = self.value(expr);
                if let Some(frame) = self.frames.last_mut() {
                    frame.aliases.push((self.syntax.fold(name), expr, Some(bound.clone())));
                }
                bound
            }
            Expr::Value(value) => {
                let bound = literal(&value.value);
                // A text that has an exponent may become a number somewhere.
                let bytes = match &value.value {
                    Value::Number(..) => bound.bytes,
                    Value::SingleQuotedString(text) if has_exponent(text) => LARGEST_NUMBER_BYTES,
                    _ => 0.0,
                };
                self.say(LONG_NUMBER, GrowthKind::Value, bytes, 0.0, self.lines.span(expression.span()));
                bound
            }
            Expr::TypedString(typed) => {
                let span = self.lines.span(expression.span());
                self.as_type(&literal(&typed.value.value), false, &typed.data_type, span)
            }
            Expr::Interval(interval) => {
                let value = self.value(&interval.value);
                let unit = interval.leading_field.as_ref().map(ToString::to_string);
                let (low, high) = times::days_in(value.text.as_deref(), (value.low, value.high), unit.as_deref());
                Bound::number(low, high)
            }
            Expr::CompoundFieldAccess { root, access_chain } => self.accessed(root, access_chain),
            Expr::JsonAccess { value, path } => {
                for element in &path.path {
                    if let JsonPathElem::Bracket { key } | JsonPathElem::ColonBracket { key } = element {
                        self.value(key);
                    }
                }
                self.value(value)
            }
            Expr::IsFalse(inner)
            | Expr::IsNotFalse(inner)
            | Expr::IsTrue(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::IsUnknown(inner)
            | Expr::IsNotUnknown(inner)
            | Expr::IsJson { expr: inner, .. } => self.condition([inner.as_ref()]),
            Expr::IsNormalized { expr: inner, .. } => {
                let value = self.value(inner);
                self.sorts_marks("normalized", &value, None);
                truth()
            }
            Expr::Ceil { expr, .. } | Expr::Floor { expr, .. } => {
                let value = self.value(expr);
                self.with_digits_of(
                    &[&value],
                    Bound { data: value.data, ..Bound::number(value.low.floor(), value.high.ceil()) },
                )
            }
            Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.condition([left.as_ref(), right])
            }
            Expr::InList { expr, list, .. } => {
                let any = self.part(std::iter::once(expr.as_ref()).chain(list));
                self.looks_at_gathered("the comparison", any.gathered, None);
                self.goes_over([&any], list.len() as f64);
                truth()
            }
            Expr::InSubquery { expr, subquery, .. } => {
                let gathered = self.value(expr).gathered;
                self.looks_at_gathered("the comparison", gathered, None);
                self.subquery(subquery);
                truth()
            }
            Expr::InUnnest { expr, array_expr, .. } => self.condition([expr.as_ref(), array_expr]),
            Expr::Between { expr, low, high, .. } => self.condition([expr.as_ref(), low, high]),
            Expr::AnyOp { left, compare_op, right, .. } | Expr::AllOp { left, compare_op, right } => {
                let (value, list) = (self.value(left), self.value(right));
                if !is_order(compare_op) {
                    self.works("the comparison", product(value.bytes, list.bytes), None);
                }
                truth()
            }
            Expr::Like { expr, pattern: right, .. } | Expr::ILike { expr, pattern: right, .. } => {
                let (value, pattern) = (self.value(expr), self.value(right));
                self.matched(&value, &pattern, right, matches!(expression, Expr::Like { .. }))
            }
            Expr::SimilarTo { expr, pattern, .. } => self.compared("like", expr, pattern),
            Expr::RLike { expr, pattern, .. } => self.compared("regexp", expr, pattern),
            Expr::Position { expr, r#in } => self.compared("position", expr, r#in),
            Expr::Cast { expr, data_type, .. } => self.cast(expr, data_type),
            Expr::Convert { expr, data_type, styles, .. } => {
                for style in styles {
                    self.value(style);
                }
                match data_type {
                    Some(data_type) => self.cast(expr, data_type),
                    // From one character set to another.
                    None => {
                        let bound = self.value(expr).repeated(3.0);
                        self.reads(&bound);
                        bound
                    }
                }
            }
            Expr::AtTimeZone { timestamp, time_zone } => {
                self.value(time_zone);
                let value = self.value(timestamp);
                let (low, high) = times::moment(&value);
                Bound { data: value.data.min(64.0), ..Bound::made(64.0) }.between(low - 1.0, high + 1.0)
            }
            Expr::Extract { field, expr, .. } => {
                let value = self.value(expr);
                let (low, high) = times::field(&field.to_string(), times::moment(&value));
                Bound { data: value.data, ..Bound::number(low, high) }
            }
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let value = self.value(expr);
                let places = substring_from.as_deref().into_iter().chain(substring_for.as_deref());
                let values = places.map(|place| self.value(place).values).fold(value.values, product);
                let part = Bound { values, ..value.apart() };
                // Behind FOR can stand the sign before those of a pattern, too.
                match substring_for.as_deref().and_then(number_of) {
                    Some(letters) => part.cut(letters.abs()),
                    None => part,
                }
            }
            Expr::Trim { expr, trim_what, trim_characters, .. } => {
                let characters = trim_characters.iter().flatten();
                self.trimmed(std::iter::once(expr.as_ref()).chain(trim_what.as_deref()).chain(characters))
            }
            Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                self.condition(std::iter::once(overlay_from.as_ref()).chain(overlay_for.as_deref()));
                let (value, what) = (self.value(expr), self.value(overlay_what));
                let bound = value.then(&what);
                self.made_for_each_row("overlay", &bound, bound.bytes, self.lines.span(expr.span()));
                bound
            }
            Expr::Function(function) => self.function(function),
            Expr::Case { operand, conditions, else_result, .. } => {
                self.condition(operand.as_deref());
                self.condition(conditions.iter().map(|when| &when.condition));
                self.part(conditions.iter().map(|when| &when.result).chain(else_result.as_deref()))
            }
            Expr::Exists { subquery, .. } => {
                self.subquery(subquery);
                truth()
            }
            Expr::Subquery(subquery) => self.subquery(subquery).any(),
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => self.part(sets.iter().flatten()),
            Expr::Tuple(items) => self.list(items),
            Expr::Struct { values, .. } => self.list(values),
            Expr::Dictionary(fields) => self.list(fields.iter().map(|field| field.value.as_ref())),
            Expr::Map(map) => self.list(map.entries.iter().flat_map(|it| [it.key.as_ref(), it.value.as_ref()])),
            Expr::Array(array) => {
                let list = self.list(&array.elem);
                self.reads(&list);
                // As the dimensions of an array: all of them together.
                let size = array.elem.iter().map(|item| self.value(item).high.max(1.0)).product();
                list.between(0.0, size)
            }
            Expr::MatchAgainst { .. } | Expr::MemberOf(_) => truth(),
            Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => self.whole_rows(),
            // Read where its list is known.
            Expr::Lambda(lambda) => self.value(&lambda.body),
        }
    }

    /// DuckDB reads documents inside each other with its stack, and the process dies of a text that opens enough of them. What
    /// is stored is the database's owner's.
    pub(super) fn nests(&mut self, what: &str, text: &Bound, span: Option<Span>) {
        if self.dialect.work().documents_take_stack && text.bytes > DEEPEST_DOCUMENT && !text.is_mostly_stored() {
            self.works(what, f64::INFINITY, span);
        }
    }

    /// PostgreSQL puts marks on a letter into their order by changing neighbours, all of a text in the worst case, and doesn't look
    /// whether it should stop.
    pub(super) fn sorts_marks(&mut self, what: &str, text: &Bound, span: Option<Span>) {
        if !text.is_mostly_stored() {
            self.works(what, product(text.bytes, text.bytes), span);
        }
    }

    /// PostgreSQL compares two sequences of a JSON path item by item, in one go; a path that isn't written down may hold any.
    pub(super) fn follows_path(&mut self, what: &str, document: &Bound, path: &Bound, span: Option<Span>) {
        // What is written with escapes or remarks reads as something else.
        let written = path.text.as_deref().filter(|path| !path.contains('\\') && !path.contains("/*")).map(plain_path);
        // A list is taken apart wherever a path leads to it; what is compared with another path is each with each.
        let compares = |path: &str| {
            let is_sign = |end: char| matches!(end, '=' | '<' | '>' | '!');
            let is_path = |side: &&str| side.contains(['$', '@']);
            path.split(['&', '|']).any(|part| {
                let sides: Vec<&str> = part.split(is_sign).filter(|side| !side.is_empty()).collect();
                sides.windows(2).any(|pair| pair.iter().all(is_path))
            })
        };
        // Each `[*]` behind another goes over other items, but for what begins at the whole document again, and for all that is
        // in each item that is in another one.
        let begins_again = |path: &str| path.matches('$').count() > 1 && path.contains('*');
        let is_of_pairs = |path: &str| compares(path) || begins_again(path) || path.matches("**").count() > 1;
        if written.as_deref().is_none_or(is_of_pairs) {
            self.works(what, product(document.bytes, document.bytes), span);
        }
        // An object of three fields is made of each field, and of each of these again.
        let taken_apart = written.as_deref().map_or(0, |path| path.to_lowercase().matches("keyvalue").count());
        if taken_apart > 0 {
            let fields = document.longest() / BYTES_OF_FIELD;
            if !self.quiet {
                self.made_of_stored += product(fields * FIELD_OF_PATH, 3_f64.powi(taken_apart.min(99) as i32 - 1));
            }
        }
        // Each list of subscripts takes as many items of each that the one before took: what it names, and all that its ranges hold.
        let lists = written.as_deref().unwrap_or_default().split('[').skip(1);
        let items = document.bytes / BYTES_OF_ITEM;
        let of_range = |item: &str| {
            let (from, to) = item.split_once(" to ")?;
            let known = from.trim().parse::<f64>().ok().zip(to.trim().parse::<f64>().ok());
            Some(known.map_or(items, |(from, to)| (to - from + 1.0).clamp(1.0, items.max(1.0))))
        };
        let taken = lists.filter_map(|rest| rest.split(']').next()).map(|list| {
            let of_one = list.split(',').map(|item| of_range(item).unwrap_or(1.0));
            of_one.sum::<f64>()
        });
        // What isn't a list is one of one item.
        let before = if written.as_deref().is_some_and(|path| path.contains('*')) { items.max(1.0) } else { 1.0 };
        let named: f64 = taken.product();
        let taken = if named > 1.0 { product(named, before) } else { named };
        if taken > ORDINARY_BYTES {
            self.works(what, product(taken, ITEM_OF_PATH), span);
            if !self.quiet {
                self.made_of_stored += product(taken, ITEM_OF_PATH);
            }
        }
    }

    /// Reads expressions of which only the truth counts.
    fn condition<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Bound
    where
        'e: 'q,
    {
        for part in parts {
            let value = self.value(part);
            self.goes_over([&value], 1.0);
        }
        truth()
    }

    /// A text without the letters at its ends that are among others, each of which is looked for there.
    fn trimmed<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Bound
    where
        'e: 'q,
    {
        let bounds: Vec<Bound> = parts.into_iter().map(|part| self.value(part)).collect();
        if let [text, letters, ..] = bounds.as_slice() {
            self.works("trim", product(text.bytes, letters.bytes), None);
        }
        self.goes_over(&bounds, 1.0);
        let values = bounds.iter().map(|bound| bound.values).fold(1.0, product);
        bounds.first().map_or_else(truth, |text| Bound { values, ..text.apart() })
    }

    /// Any of several values.
    fn part<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Bound
    where
        'e: 'q,
    {
        let bounds: Vec<Bound> = parts.into_iter().map(|part| self.value(part)).collect();
        bounds.iter().skip(1).fold(bounds.first().cloned().unwrap_or_else(truth), |any, bound| any.or(bound))
    }

    /// A list or a row of values.
    fn list<'e>(&mut self, items: impl IntoIterator<Item = &'e Expr>) -> Bound
    where
        'e: 'q,
    {
        let bounds: Vec<Bound> = items.into_iter().map(|item| self.value(item)).collect();
        listed(&bounds)
    }

    pub(super) fn subquery(&mut self, query: &'q sqlparser::ast::Query) -> super::query::Yield {
        let times = self.times;
        self.times *= self.frames.last().map_or(1.0, |frame| frame.rows().made);
        let yielded = self.query(query);
        self.times = times;
        yielded
    }

    /// Whether all of these are numbers that the statement makes up, of more digits than a machine's number has: PostgreSQL
    /// reckons with all of them, a product in time that grows with the square, and can't be stopped in it.
    pub(super) fn has_endless_digits(&self, numbers: &[&Bound]) -> bool {
        let is_endless = |number: &&Bound| number.data == 0.0 && !(number.low.is_finite() && number.high.is_finite());
        *self.dialect == Dialect::Postgres && numbers.iter().all(is_endless)
    }

    /// A number that is made of others: PostgreSQL keeps all their digits, however small it is.
    pub(super) fn with_digits_of(&self, parts: &[&Bound], number: Bound) -> Bound {
        if *self.dialect == Dialect::Postgres { number.of_digits(most_digits(parts)) } else { number }
    }

    fn unary(&mut self, op: UnaryOperator, expr: &'q Expr) -> Bound {
        let value = self.value(expr);
        let most = value.low.abs().max(value.high.abs());
        match op {
            UnaryOperator::Plus => value,
            UnaryOperator::Minus => {
                self.with_digits_of(&[&value], Bound { data: value.data, ..Bound::number(-value.high, -value.low) })
            }
            UnaryOperator::Not | UnaryOperator::BangNot => truth(),
            UnaryOperator::PGPrefixFactorial | UnaryOperator::PGPostfixFactorial => {
                self.say("factorial", GrowthKind::Size, most, 0.0, None);
                Bound::number(0.0, f64::INFINITY)
            }
            // MariaDB and MySQL turn the bits of a number without a sign.
            _ if *self.dialect == Dialect::Mysql => Bound { data: value.data, ..Bound::number(0.0, 1.9e19) },
            _ => Bound { data: value.data, ..Bound::number(-most - 1.0, most + 1.0) },
        }
    }

    fn binary(&mut self, left: &'q Expr, op: &BinaryOperator, right: &'q Expr) -> Bound {
        let span = || self.lines.span(left.span());
        let span = if matches!(op, BinaryOperator::StringConcat) { span() } else { None };
        let (one, other) = (self.value(left), self.value(right));
        if !matches!(op, BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor | BinaryOperator::StringConcat)
        {
            self.looks_at_gathered("the comparison", one.gathered + other.gathered, None);
            self.goes_over([&one, &other], 1.0);
            // In the order of a language they are turned into another form first.
            let is_collated = |side: &Expr| matches!(without_parentheses(side), Expr::Collate { .. });
            if is_collated(left) || is_collated(right) {
                [&one, &other].into_iter().for_each(|side| self.stored_again(side, COLLATED));
            }
        }
        let data = one.data.max(other.data);
        let is_postgres = *self.dialect == Dialect::Postgres;
        let digits = if is_postgres { most_digits(&[&one, &other]) } else { 0.0 };
        let number = |(low, high): (f64, f64)| Bound { data, ..Bound::number(low, high).of_digits(digits) };
        let magnitude = |bound: &Bound| bound.low.abs().max(bound.high.abs());
        match op {
            BinaryOperator::Plus => number((one.low + other.low, one.high + other.high)),
            // A document without some of its keys is made anew.
            BinaryOperator::Minus | BinaryOperator::HashMinus if one.weight > 1.0 => {
                let is_list = is_long(&one) && is_long(&other);
                if self.dialect.work().minus_takes_keys && is_list {
                    self.works("the comparison", product(one.bytes, other.bytes), None);
                }
                self.reads(&one);
                one
            }
            // PostgreSQL takes keys out of a document with a minus, each of them looked for in all of it.
            BinaryOperator::Minus if self.dialect.work().minus_takes_keys && is_long(&one) && is_long(&other) => {
                self.works("the comparison", product(one.bytes, other.bytes), None);
                one
            }
            BinaryOperator::Minus => {
                let (low, high) = (one.low - other.high, one.high - other.low);
                // A date beside a number is the number 20260131 to MariaDB and MySQL, not a day that is counted.
                let either = *self.dialect == Dialect::Mysql && low < -ASSUMED_NUMBER;
                one.or(&number(if either { (low, high.max(-low)) } else { (low, high) }))
            }
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo | BinaryOperator::PGExp
                if self.has_endless_digits(&[&one, &other]) =>
            {
                self.works("the arithmetic", f64::INFINITY, span);
                number((f64::NEG_INFINITY, f64::INFINITY))
            }
            // Each digit with each of the other's, which PostgreSQL can't be stopped in.
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo
                if is_postgres && has_many_digits(&one) && has_many_digits(&other) =>
            {
                self.works("the arithmetic", product(one.bytes, other.bytes), span);
                let all = number(corners(&one, &other, product));
                Bound { bytes: all.bytes.max(one.bytes + other.bytes), ..all }
            }
            BinaryOperator::Multiply => number(corners(&one, &other, product)),
            BinaryOperator::Divide | BinaryOperator::DuckIntegerDivide | BinaryOperator::MyIntegerDivide => {
                number(divided(&one, &other))
            }
            BinaryOperator::Modulo => {
                let most = magnitude(&other).min(magnitude(&one));
                number((-most, most))
            }
            BinaryOperator::PGExp => raised(&one, &other, number(powered(&one, &other))),
            BinaryOperator::PGBitwiseShiftLeft => {
                let most = magnitude(&one) * other.high.clamp(0.0, 64.0).exp2();
                number((-most, most))
            }
            BinaryOperator::BitwiseAnd
            | BinaryOperator::BitwiseOr
            | BinaryOperator::BitwiseXor
            | BinaryOperator::PGBitwiseXor
            | BinaryOperator::PGBitwiseShiftRight => {
                let most = 2.0 * magnitude(&one).max(magnitude(&other)) + 1.0;
                number((-most, most))
            }
            BinaryOperator::StringConcat => {
                let bound = one.then(&other);
                self.looks_at_gathered("||", bound.gathered, span);
                self.made_for_each_row("||", &bound, bound.bytes, span);
                bound
            }
            BinaryOperator::PGLikeMatch | BinaryOperator::PGNotLikeMatch => self.matched(&one, &other, right, true),
            BinaryOperator::PGILikeMatch | BinaryOperator::PGNotILikeMatch => self.matched(&one, &other, right, false),
            BinaryOperator::Regexp
            | BinaryOperator::Match
            | BinaryOperator::Glob
            | BinaryOperator::PGRegexMatch
            | BinaryOperator::PGRegexIMatch
            | BinaryOperator::PGRegexNotMatch
            | BinaryOperator::PGRegexNotIMatch => {
                self.looked_for("the comparison", &one, &other, right, span);
                truth()
            }
            BinaryOperator::Arrow
            | BinaryOperator::LongArrow
            | BinaryOperator::HashArrow
            | BinaryOperator::HashLongArrow
            | BinaryOperator::HashMinus => one.or(&one.element()),
            BinaryOperator::Gt
            | BinaryOperator::Lt
            | BinaryOperator::GtEq
            | BinaryOperator::LtEq
            | BinaryOperator::Spaceship
            | BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::And
            | BinaryOperator::Or
            | BinaryOperator::Xor => truth(),
            // `@@` looks for words as well; a path that isn't written out has to be cast.
            BinaryOperator::AtQuestion | BinaryOperator::AtAt => {
                let work = match [&one, &other].into_iter().find(|side| side.search.is_some()) {
                    Some(query) => search::look_up(query),
                    None => steps_over(&one, &other),
                };
                self.works("the comparison", work, None);
                let written = other.text.as_deref().is_some_and(|path| path.contains('$'));
                let is_cast = other.text.is_none() && matches!(right, Expr::Cast { .. });
                if *op == BinaryOperator::AtQuestion || written || is_cast {
                    self.follows_path("the comparison", &one, &other, None);
                }
                truth()
            }
            // Operators of other types: lists, documents, geometry, ranges, full-text search. Some compare each part of one
            // with each of the other, and PostgreSQL doesn't look whether it should stop.
            _ => {
                let (shorter, longer) = if one.bytes < other.bytes { (&one, &other) } else { (&other, &one) };
                self.works("the comparison", steps_over(longer, shorter), None);
                one.then(&other)
            }
        }
    }

    fn accessed(&mut self, root: &'q Expr, chain: &'q [AccessExpr]) -> Bound {
        let mut bound = self.value(root);
        for access in chain {
            match access {
                // `name.lower()`: what stands before the dot is the first argument.
                AccessExpr::Dot(Expr::Function(function)) => bound = self.chained(bound, function),
                AccessExpr::Dot(_) => bound = bound.or(&bound.element()),
                AccessExpr::Subscript(Subscript::Index { index }) => {
                    self.value(index);
                    bound = bound.or(&bound.element());
                }
                AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride }) => {
                    self.condition(lower_bound.iter().chain(upper_bound).chain(stride));
                    bound = bound.apart();
                }
            }
        }
        bound
    }

    fn named_and_read(&mut self, parts: &[&Ident]) -> Bound {
        let bound = self.named(parts);
        // As it is stored.
        self.reads(&Bound { weight: 1.0, ..bound.clone() });
        bound
    }

    fn cast(&mut self, expr: &'q Expr, data_type: &'q DataType) -> Bound {
        let bound = self.converted(expr, data_type);
        self.made("the conversion", &bound, self.lines.span(expr.span()));
        self.reads(&bound);
        self.goes_over([&bound], 1.0);
        bound
    }

    fn converted(&mut self, expr: &'q Expr, data_type: &'q DataType) -> Bound {
        let value = self.value(expr);
        let span = self.lines.span(expr.span());
        self.looks_at_gathered("the conversion", value.gathered, span);
        let is_element = matches!(
            without_parentheses(expr),
            Expr::CompoundFieldAccess { .. }
                | Expr::BinaryOp { op: BinaryOperator::Arrow | BinaryOperator::LongArrow, .. }
        );
        self.as_type(&value, is_element, data_type, span)
    }
}

impl Measure<'_, '_> {
    /// A value as one of another type: `is_element` where it is taken out of a list or a document.
    fn as_type(&mut self, value: &Bound, is_element: bool, data_type: &DataType, span: Option<Span>) -> Bound {
        let name = data_type.to_string().to_lowercase();
        let is_list = name.trim_end().ends_with(']');
        let weight = match name.as_str() {
            "jsonb" => DOCUMENT_WEIGHT,
            _ if is_list => LIST_WEIGHT,
            _ => 1.0,
        };
        let value = &Bound { weight, ..value.clone() };
        let base =
            format!("{}{}", name.split(['(', '[']).next().unwrap_or_default().trim(), if is_list { "[]" } else { "" });
        let is = |words: &[&str]| words.iter().any(|word| base.contains(word));
        // Each digit is multiplied with all before it, and DuckDB doesn't look whether it should stop.
        if ["bignum", "varint"].iter().any(|word| name.contains(word)) {
            self.works("the conversion", product(value.bytes, value.bytes), span);
        }
        // Its reader compares each attribute of an element with the others.
        if base == "xml" {
            self.works("the conversion", product(value.bytes, value.bytes), span);
        }
        if base == "json" || base == "variant" {
            self.nests("the conversion", value, span);
        }
        if !is(&["json", "xml", "char", "text", "string", "clob", "bytea", "blob", "binary", "variant"]) {
            let quoted = if is_element { value.each.min(value.bytes) } else { value.bytes };
            let quoted = if value.is_mostly_stored() { quoted.min(value.typical * ASSUMED_SPREAD) } else { quoted };
            self.say("the conversion", GrowthKind::Quoted, quoted, value.data, span);
        }
        if base.ends_with("[]") || is(&["array", "list", "map", "json", "tuple", "struct"]) {
            // Each element of a list can be filled up, or written out as its type is.
            let filled = self.filled(&value.element(), data_type, span);
            let digits = if is(&["numeric", "decimal"]) { precision(&name) } else { 0.0 };
            let written = if is(&["date", "time", "interval"]) { 64.0 } else { digits };
            let each = filled.map_or(0.0, |filled| filled.bytes).max(written);
            let items = value.items.min(value.bytes + 1.0);
            let bytes = (value.bytes * 2.0).max(product(items, each + ITEM_OVERHEAD));
            return Bound { items, ..value.resized(if each > 0.0 { bytes } else { value.bytes * 2.0 }) }
                .between(value.low, value.high);
        }
        if is(&["interval"]) {
            let (low, high) = match value.text.as_deref() {
                Some(text) => times::days_in(Some(text), (0.0, 0.0), None),
                None => (value.low, value.high),
            };
            return Bound { data: value.data.min(64.0), ..Bound::made(64.0) }.between(low, high);
        }
        if is(&["numeric", "decimal", "float", "double", "real", "number"]) {
            let number = Bound { data: value.data, ..Bound::number(value.low, value.high) };
            // As many digits behind the point as the type or the text says.
            let is_ordinary = value.data > 0.0 && value.longest() <= ASSUMED_BYTES;
            let longest = value.bytes.max(value.longest()).min(LARGEST_NUMBER_BYTES);
            let digits = precision(&name).max(if is_ordinary { 0.0 } else { longest });
            let digits =
                if value.text.as_deref().is_some_and(is_of_many_digits) { LARGEST_NUMBER_BYTES } else { digits };
            let bytes = number.bytes.max(if is(&["numeric", "decimal"]) { digits } else { 0.0 });
            // Of what is put together nobody knows whether it is `1e90000`.
            let is_open =
                if value.exponent { value.text.is_none() } else { value.data > 0.0 && !value.is_mostly_stored() };
            let is_put_together = is_open && is(&["numeric", "decimal"]);
            let bytes = if is_put_together { bytes.max(LARGEST_NUMBER_BYTES) } else { bytes };
            self.say(LONG_NUMBER, GrowthKind::Value, bytes, value.data, span);
            return Bound { bytes, typical: bytes, ..number };
        }
        // What is below nothing becomes the largest number without a sign.
        if is(&["unsigned", "uint"]) && value.low < 0.0 && value.data == 0.0 {
            return Bound::number(0.0, 1.9e19);
        }
        if is(&["int", "serial", "signed"]) {
            return Bound { data: value.data, ..Bound::number(value.low.floor(), value.high.ceil()) };
        }
        if is(&["date", "time", "uuid", "bool", "year"]) {
            let (low, high) = match value.text.as_deref().filter(|_| is(&["date", "time"])) {
                Some(text) => times::days_of(Some(text)),
                None => (value.low.min(0.0), value.high.max(1.0)),
            };
            return Bound { data: value.data.min(64.0), ..Bound::made(64.0) }.between(low, high);
        }
        let text = Bound { items: value.bytes, each: value.bytes, ..value.clone() };
        match self.filled(value, data_type, span) {
            Some(filled) => filled,
            // Bytes are written as two digits each.
            None if is(&["bytea", "blob", "varbinary"]) => text.resized(value.bytes * 2.0 + 2.0),
            None => text,
        }
    }

    /// A value of a type that fills up to its length: `char(n)` of PostgreSQL, `binary(n)` of MySQL.
    pub(super) fn filled(&mut self, value: &Bound, data_type: &DataType, span: Option<Span>) -> Option<Bound> {
        const FILLS: [&str; 7] = ["char", "character", "bpchar", "binary", "fixedstring", "bit", "nchar"];
        let name = data_type.to_string().to_lowercase();
        let base = name.split(['(', '[']).next().unwrap_or_default().trim();
        let length = length_in(&name).filter(|length| FILLS.contains(&base) && *length > value.typical)?;
        self.say("the cast", GrowthKind::Size, length, 0.0, span);
        Some(Bound { data: value.data, typical: length, ..value.resized(length.max(value.bytes)) })
    }
}

/// The first number in brackets behind the name of a type.
fn length_in(data_type: &str) -> Option<f64> {
    data_type.split_once('(').and_then(|(_, rest)| rest.split([')', ',']).next()?.trim().parse().ok())
}

/// How many digits a number of that type is written with: `numeric(1000, 999)`.
fn precision(data_type: &str) -> f64 {
    length_in(data_type).map_or(0.0, |digits| digits + 3.0)
}

/// Whether a number is written with an exponent that stands for hundreds of digits: `1e-16000`.
fn is_of_many_digits(text: &str) -> bool {
    const DIGITS: f64 = 300.0;
    let exponent = text.rsplit_once(['e', 'E']).and_then(|(_, exponent)| exponent.trim().parse::<f64>().ok());
    exponent.is_some_and(|exponent| exponent.abs() > DIGITS)
}

/// Whether a text has a digit with an `e` behind it.
fn has_exponent(text: &str) -> bool {
    text.as_bytes().windows(2).any(|two| two[0].is_ascii_digit() && two[1].eq_ignore_ascii_case(&b'e'))
}

/// A list of these values, or a row of them.
pub(super) fn listed(bounds: &[Bound]) -> Bound {
    let any = bounds.iter().skip(1).fold(bounds.first().cloned().unwrap_or_else(truth), |any, bound| any.or(bound));
    let bytes = bounds.iter().map(|bound| bound.bytes + ITEM_OVERHEAD).sum();
    Bound { items: bounds.len() as f64, each: any.bytes, ..any.resized(bytes) }
}

pub(super) fn truth() -> Bound {
    Bound::number(0.0, 1.0)
}

fn corners(one: &Bound, other: &Bound, operation: fn(f64, f64) -> f64) -> (f64, f64) {
    let values = [(one.low, other.low), (one.low, other.high), (one.high, other.low), (one.high, other.high)];
    let values = values.map(|(left, right)| operation(left, right));
    (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

pub(super) fn divided(one: &Bound, other: &Bound) -> (f64, f64) {
    if other.low > 0.0 || other.high < 0.0 {
        return corners(one, other, |left, right| left / right);
    }
    // A share of the data is a number like others of it.
    let most = if one.data > 0.0 && other.data > 0.0 { ASSUMED_NUMBER } else { one.low.abs().max(one.high.abs()) };
    (-most, most)
}

pub(super) fn powered(base: &Bound, exponent: &Bound) -> (f64, f64) {
    let base = base.low.abs().max(base.high.abs()).max(1.0);
    let most = base.powf(exponent.low.abs().max(exponent.high.abs()));
    (-most, most)
}

/// A power as a number of the statement's own where its exponent is: that of any base has many digits.
pub(super) fn raised(base: &Bound, exponent: &Bound, power: Bound) -> Bound {
    /// Growth by a few per cent over as many years is nobody's bomb.
    const LARGE: f64 = 300.0;
    let is_large = exponent.data == 0.0 && exponent.low.abs().max(exponent.high.abs()) > LARGE && base.data > 0.0;
    if is_large { Bound { data: 0.0, ..power } } else { power }
}

/// Whether a number is longer than any that somebody keeps as one: made by the statement, or of a long text's digits.
pub(super) fn has_many_digits(number: &Bound) -> bool {
    const MANY: f64 = 1_000.0;
    number.bytes >= MANY
}

/// Those of the longest of some numbers, where one has many.
fn most_digits(numbers: &[&Bound]) -> f64 {
    numbers.iter().filter(|number| has_many_digits(number)).map(|number| number.bytes).fold(0.0, f64::max)
}

fn literal(value: &Value) -> Bound {
    match value {
        Value::Number(text, _) => {
            let number: f64 = text.replace('_', "").parse().unwrap_or(f64::INFINITY);
            let bound = Bound { letters: Bound::text(text).letters, values: 1.0, ..Bound::number(number, number) };
            let bytes = if is_of_many_digits(text) { LARGEST_NUMBER_BYTES } else { bound.bytes.max(text.len() as f64) };
            Bound { bytes, typical: bytes, ..bound }
        }
        Value::Boolean(_) | Value::Null => truth(),
        // `0x3fffffff`, as the parser reads it.
        Value::HexStringLiteral(text) => {
            let high = u64::from_str_radix(&text.replace('_', ""), 16).map_or(f64::INFINITY, |number| number as f64);
            Bound::made(text.len() as f64).between(0.0, high)
        }
        Value::Placeholder(_) => stored(ASSUMED_BYTES),
        other => match other.clone().into_string() {
            Some(text) => Bound::text(&text),
            None => Bound::made(other.to_string().len() as f64),
        },
    }
}

/// The last part of a function's name, in lower case.
pub(super) fn called(name: &sqlparser::ast::ObjectName) -> String {
    match name.0.last() {
        Some(ObjectNamePart::Identifier(ident)) => ident.value.to_lowercase(),
        Some(ObjectNamePart::Function(function)) => function.name.value.to_lowercase(),
        None => String::new(),
    }
}

/// The number that is written out.
fn number_of(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok(),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => number_of(expr).map(|number| -number),
        _ => None,
    }
}

/// More than a number or a date takes.
fn is_long(bound: &Bound) -> bool {
    const LONG: f64 = 1_000.0;
    bound.bytes > LONG
}

/// Whether an operator only compares by order or equality.
fn is_order(operator: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(operator, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn without_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => without_parentheses(inner),
        _ => expr,
    }
}

/// A JSON path without what stands in its texts, with one blank for all that separates.
fn plain_path(path: &str) -> String {
    let parts = path.split('"').enumerate();
    let outside = parts.map(|(place, part)| if place % 2 == 0 { part } else { "" });
    outside.collect::<Vec<&str>>().join("\"").split_whitespace().collect::<Vec<&str>>().join(" ")
}
