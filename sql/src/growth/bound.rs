//! What is known of a value's size without running anything: bytes, elements, and where it is a number, between what.
//!
//! Bounds are upper bounds under the assumptions that [`super`] states; every operation on them gives one again. How
//! often a letter can occur is kept for the letters of the statement's own literals, because chains of `replace` would
//! otherwise be multiplied where they only add up: `replace(replace(x, '&', '&amp;'), '<', '&lt;')`.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Up to so many times as large as the data in it, a value is taken for ordinary text.
const MOSTLY_STORED: f64 = 16.0;
/// The same of a list, as a list of what is stored.
const STORED_LIST: f64 = 8.0;
/// Bytes of one letter in UTF-8.
pub(super) const LETTER: f64 = 4.0;
/// Letters of a word with what separates it from others.
pub(super) const LETTERS_OF_PART: f64 = 4.0;
/// Letters that are counted for one value; others share one bound.
const MOST_LETTERS: usize = 64;
/// A number as text, in the widest form that isn't PostgreSQL's `numeric`.
const NUMBER_BYTES: f64 = 32.0;
/// A `numeric` of PostgreSQL as text, at its largest.
pub(super) const LARGEST_NUMBER_BYTES: f64 = 150_000.0;

/// How often each letter can occur in a value.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    known: Rc<BTreeMap<char, f64>>,
    /// Any letter that isn't known.
    others: f64,
}

impl Letters {
    /// Any letter, so often.
    pub(super) fn any(times: f64) -> Self {
        Self { known: Rc::default(), others: times }
    }

    fn of(text: &str) -> Self {
        let mut known: BTreeMap<char, f64> = BTreeMap::new();
        for letter in text.chars() {
            *known.entry(letter).or_default() += 1.0;
        }
        if known.len() > MOST_LETTERS {
            return Self::any(known.values().copied().fold(0.0, f64::max));
        }
        Self { known: Rc::new(known), others: 0.0 }
    }

    /// How often this letter can occur.
    pub(super) fn count(&self, letter: char) -> f64 {
        self.known.get(&letter).copied().unwrap_or(self.others)
    }

    /// The letters of both, the bounds of each made one.
    fn with(&self, other: &Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        let others = combine(self.others, other.others);
        let known: BTreeMap<char, f64> = (self.known.keys().chain(other.known.keys()))
            .map(|&letter| (letter, combine(self.count(letter), other.count(letter))))
            .collect();
        if known.len() > MOST_LETTERS {
            return Self::any(known.values().copied().fold(others, f64::max));
        }
        Self { known: Rc::new(known), others }
    }

    fn times(&self, times: f64) -> Self {
        let known = self.known.iter().map(|(&letter, &count)| (letter, count * times)).collect();
        Self { known: Rc::new(known), others: product(self.others, times) }
    }

    fn without(mut self, letter: char) -> Self {
        Rc::make_mut(&mut self.known).insert(letter, 0.0);
        self
    }
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// Its size as text, in bytes.
    pub(super) bytes: f64,
    /// How many bytes of stored data it holds, each taken once: what is as large as the data is nobody's bomb.
    pub(super) data: f64,
    /// Its size on average, where the statement says nothing else: of a stored column the mean length.
    pub(super) typical: f64,
    /// How many times that the longest is of those that were seen.
    pub(super) spread: f64,
    /// Bytes in it that an aggregate of a query inside collected from many rows, on average: they stand beside each row of
    /// this one.
    pub(super) gathered: f64,
    /// The same of an aggregate of this query, which makes one of each group.
    pub(super) collecting: f64,
    /// How many different values it can be over all rows, where that is known: of a stored column and parts of it.
    pub(super) values: f64,
    /// How many elements it has, as a list or a document.
    pub(super) items: f64,
    /// The size of its largest element.
    pub(super) each: f64,
    /// The smallest number it can be.
    pub(super) low: f64,
    /// The largest.
    pub(super) high: f64,
    pub(super) letters: Letters,
    /// Whether an `e` that the statement writes may stand in it, before digits that make a number of 130,000 digits of few.
    pub(super) exponent: bool,
    /// The text itself, where it is written out.
    pub(super) text: Option<Rc<str>>,
    /// What it looks for, where it is a query of a text search.
    pub(super) search: Option<Search>,
    /// How many times its size as text an engine holds of it once it is made: of documents and lists that are taken apart.
    pub(super) weight: f64,
}

/// What a query of PostgreSQL's text search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Words, wherever they stand.
    Words,
    /// Words behind each other.
    Phrase,
    /// Any of several, or beginnings of words, behind each other.
    Any,
}

/// How many times what is typical the longest is.
fn longer(longest: f64, typical: f64) -> f64 {
    if typical > 0.0 && longest.is_finite() { (longest / typical).max(1.0) } else { 1.0 }
}

/// A product in which nothing times anything is nothing.
pub(super) fn product(left: f64, right: f64) -> f64 {
    if left == 0.0 || right == 0.0 { 0.0 } else { left * right }
}

impl Bound {
    /// The size of the longest that was seen.
    pub(super) fn longest(&self) -> f64 {
        product(self.typical, self.spread)
    }

    /// Whether it is ordinary text, as what is stored is taken to be.
    pub(super) fn is_mostly_stored(&self) -> bool {
        self.data > 0.0 && self.bytes <= self.data * MOSTLY_STORED
    }

    /// What it is once the query is over that collected it, for one of so many groups.
    pub(super) fn given_out(mut self, groups: f64) -> Self {
        self.gathered += self.collecting / groups.max(1.0);
        self.collecting = 0.0;
        self
    }

    /// A text that is written out.
    pub(super) fn text(text: &str) -> Self {
        let number = text.trim().parse::<f64>().ok().filter(|number| !number.is_nan());
        let mut bound = Self::made(text.len() as f64);
        (bound.low, bound.high) = number.map_or_else(|| numbers_in(text), |number| (number, number));
        bound.letters = Letters::of(text);
        bound.exponent = text.contains(['e', 'E']);
        bound.text = Some(text.into());
        bound.values = 1.0;
        bound
    }

    /// A value that no stored data goes into, of at most so many bytes.
    pub(super) fn made(bytes: f64) -> Self {
        // A text that is made can be read as a number of as many digits.
        let high = 10_f64.powf(bytes.min(400.0));
        Self {
            bytes,
            data: 0.0,
            typical: bytes,
            spread: 1.0,
            gathered: 0.0,
            collecting: 0.0,
            values: f64::INFINITY,
            items: bytes,
            each: bytes,
            low: -high,
            high,
            letters: Letters::any(bytes),
            exponent: false,
            text: None,
            search: None,
            weight: 1.0,
        }
    }

    /// A stored value of so many bytes.
    pub(super) fn stored(bytes: f64) -> Self {
        Self { data: bytes, ..Self::made(bytes) }
    }

    /// A number between two others.
    pub(super) fn number(low: f64, high: f64) -> Self {
        let (low, high) =
            (if low.is_nan() { f64::NEG_INFINITY } else { low }, if high.is_nan() { f64::INFINITY } else { high });
        let most = low.abs().max(high.abs());
        // A digit for each power of ten.
        let bytes = if most < 1e300 { NUMBER_BYTES.max(most.log10() + 2.0) } else { LARGEST_NUMBER_BYTES };
        Self { low, high, items: 1.0, ..Self::made(bytes) }
    }

    /// The same with at least so many digits.
    pub(super) fn of_digits(self, digits: f64) -> Self {
        let bytes = self.bytes.max(digits);
        Self { bytes, typical: self.typical.max(digits), ..self }
    }

    /// The same, as a number that is between these.
    pub(super) fn between(self, low: f64, high: f64) -> Self {
        Self { low, high, ..self }
    }

    /// Either of two values.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            data: self.data.max(other.data),
            typical: self.typical.max(other.typical),
            spread: longer(self.longest().max(other.longest()), self.typical.max(other.typical)),
            gathered: self.gathered.max(other.gathered),
            collecting: self.collecting.max(other.collecting),
            // Which part of one is taken can depend on the other.
            values: (self.values + 1.0) * (other.values + 1.0),
            items: self.items.max(other.items),
            each: self.each.max(other.each),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            letters: self.letters.with(&other.letters, f64::max),
            exponent: self.exponent || other.exponent,
            text: None,
            search: self.search.filter(|_| self.search == other.search),
            weight: self.weight.max(other.weight),
        }
    }

    /// One after the other.
    pub(super) fn then(&self, other: &Self) -> Self {
        let bytes = self.bytes + other.bytes;
        let text = match (&self.text, &other.text) {
            (Some(left), Some(right)) if bytes <= 4_096.0 => Some(format!("{left}{right}")),
            _ => None,
        };
        if let Some(text) = text {
            return Self::text(&text);
        }
        let made = Self::made(bytes);
        Self {
            data: self.data.max(other.data),
            typical: self.typical + other.typical,
            spread: longer(self.longest() + other.longest(), self.typical + other.typical),
            gathered: self.gathered + other.gathered,
            collecting: self.collecting + other.collecting,
            items: self.items + other.items,
            each: self.each.max(other.each),
            // Digits before or after a number make another one.
            low: if self.data + other.data > 0.0 { digits(self, other, -1.0) } else { made.low },
            high: if self.data + other.data > 0.0 { digits(self, other, 1.0) } else { made.high },
            letters: self.letters.with(&other.letters, |left, right| left + right),
            exponent: self.exponent || other.exponent,
            weight: self.weight.max(other.weight),
            ..made
        }
    }

    /// So many of it in a row.
    pub(super) fn repeated(&self, times: f64) -> Self {
        let times = times.max(0.0);
        Self {
            data: self.data,
            typical: product(self.typical, times),
            spread: self.spread,
            gathered: product(self.gathered, times),
            collecting: product(self.collecting, times),
            items: product(self.items, times),
            each: self.each,
            letters: self.letters.times(times),
            exponent: self.exponent,
            weight: self.weight,
            ..Self::made(product(self.bytes, times))
        }
    }

    /// A value of another size, made from this one; its letters can be any.
    pub(super) fn resized(&self, bytes: f64) -> Self {
        let made = Self::made(bytes);
        let grown = if self.bytes > 0.0 { bytes / self.bytes } else { 1.0 };
        let typical = if grown.is_finite() { product(self.typical, grown) } else { bytes };
        let items = self.items.max(bytes.min(1e300));
        let (data, gathered, collecting, weight) = (self.data, self.gathered, self.collecting, self.weight);
        let (spread, exponent) = (self.spread, self.exponent);
        Self { data, typical, spread, gathered, collecting, items, exponent, weight, ..made }
    }

    /// A list of `items`, each of which is such a value.
    pub(super) fn list(&self, items: f64) -> Self {
        Self { items, each: self.bytes, ..self.repeated(items) }
    }

    /// What a part of it can be as a number, or all of it in another order.
    pub(super) fn apart(&self) -> Self {
        if self.data > 0.0 {
            return self.clone();
        }
        let (low, high) = match self.text.as_deref() {
            Some(text) => numbers_in(text),
            // A number that is written says which part.
            None if self.values == 1.0 => (self.low, self.high),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Self { low: low.min(self.low), high: high.max(self.high), text: None, ..self.clone() }
    }

    /// How many parts a stored list or text comes apart into, on average; `None` where it is made up.
    pub(super) fn parts(&self) -> Option<f64> {
        let part = (self.each / LETTER).clamp(1.0, LETTERS_OF_PART);
        (self.data > 0.0 && self.bytes <= self.data * STORED_LIST).then(|| (self.typical / part).max(1.0))
    }

    /// The same as the list of its parts, of so many letters each; where these are words, any may be longer.
    pub(super) fn in_parts_of(self, letters: f64) -> Self {
        if letters >= LETTERS_OF_PART { self } else { Self { each: (LETTER * letters).min(self.bytes), ..self } }
    }

    /// At most so many letters of it.
    pub(super) fn cut(self, letters: f64) -> Self {
        let most = letters.max(0.0) * LETTER;
        let bytes = self.bytes.min(most);
        let (data, typical) = (self.data.min(bytes), self.typical.min(bytes));
        let spread = longer(self.longest().min(most), typical);
        Self { bytes, data, typical, spread, items: self.items.min(bytes), each: self.each.min(bytes), ..self }
    }

    /// One element of it.
    pub(super) fn element(&self) -> Self {
        let bytes = self.each.min(self.bytes);
        let typical = self.typical / self.parts().unwrap_or(1.0);
        let (typical, gathered) = (typical.min(bytes), self.gathered.min(bytes));
        let (collecting, data) = (self.collecting.min(bytes), self.data.min(bytes));
        let values = f64::INFINITY;
        Self {
            bytes,
            items: bytes,
            each: bytes,
            data,
            typical,
            gathered,
            collecting,
            values,
            text: None,
            ..self.clone()
        }
    }

    /// The same value, with each `from` in it replaced by `to`.
    pub(super) fn replaced(&self, from: &Self, to: &Self) -> Self {
        let exponent = self.exponent || to.exponent;
        let Some(found) = from.text.as_deref().filter(|text| !text.is_empty()) else {
            let bytes = self.bytes.max(product(self.bytes, to.bytes));
            return Self { data: self.data.max(to.data), exponent, ..self.resized(bytes) };
        };
        let length = found.len() as f64;
        let letters = Letters::of(found);
        let most = found.chars().map(|letter| self.letters.count(letter) / letters.count(letter));
        let times = most.fold(self.bytes / length, f64::min);
        let added = product(times, (to.bytes - length).max(0.0));
        let mut single = found.chars();
        let rest = match (single.next(), single.next()) {
            (Some(only), None) => self.letters.clone().without(only),
            _ => self.letters.clone(),
        };
        let letters = rest.with(&to.letters.times(times), |left, right| left + right);
        let resized = self.resized(self.bytes + added);
        Self { data: self.data.max(to.data), letters, exponent, ..resized }
    }
}

/// What a text can be as a number that isn't one as a whole: engines read the digits that it begins with, and documents and lists
/// hold any that stand in it.
fn numbers_in(text: &str) -> (f64, f64) {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let lower = text.to_ascii_lowercase();
    let follows_digit = |sign: char| {
        lower.split(sign).rev().skip(1).any(|before| before.ends_with(|it: char| it.is_ascii_digit() || it == '.'))
    };
    // `1e9`, `0xff`.
    let high = if digits == 0 {
        0.0
    } else if follows_digit('e') || follows_digit('x') {
        f64::INFINITY
    } else {
        10_f64.powf((digits as f64).min(400.0))
    };
    (-high, high)
}

/// The largest number that the digits of two values can make, one after the other.
fn digits(left: &Bound, right: &Bound, sign: f64) -> f64 {
    let one = |bound: &Bound| match bound.data > 0.0 {
        true => bound.low.abs().max(bound.high.abs()).max(1.0),
        false => 10_f64.powf(bound.bytes.min(400.0)),
    };
    sign * one(left) * one(right)
}
