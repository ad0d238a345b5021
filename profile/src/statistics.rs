//! The figures of one column, from the values of the rows that were looked at.
//!
//! Values are compared by their text form, as [`Value::as_text`] gives it. Invariant: the same values in the same order
//! give the same figures, and figures over all rows are exact.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use catalog::{ColumnProfile, Histogram, KnownValues, ValueFrequency};
use connect::{ColumnStatistics, Value};
use jiff::Span;
use jiff::civil::Date;

use crate::patterns::{self, Stored};

/// A longer value is cut, and a column that holds one doesn't claim to list all its values.
pub(crate) const VALUE_CHARS: usize = 200;
const MOST_COMMON: usize = 10;
/// Columns with fewer different values than this keep all of them.
const ALL_VALUES_BELOW: usize = 20;
const REPRESENTATIVE: usize = 5;
/// Values that are compared with the forms that values can have.
const FORM_VALUES: usize = 1000;

/// How the rows behind the values relate to the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coverage {
    /// They are the table.
    Whole,
    /// They are some of its rows; how many it has, where that is known.
    Part(Option<u64>),
    /// They are its first and last ones, or its first ones alone; how many it has, where that is known. Rows in between
    /// may hold other values.
    Ends(Option<u64>),
    /// They stand for its rows, as the engine has estimated it.
    Told {
        /// How many rows the table has.
        rows: u64,
        /// How many different values that are not NULL it has, where the engine has an estimate.
        distinct: Option<u64>,
    },
}

/// A column's different values, most frequent first.
#[derive(Debug)]
pub(crate) struct Tally {
    rows: usize,
    nulls: usize,
    /// Cells of which only the length is known.
    opaque: usize,
    characters: u64,
    /// Bytes of the longest value.
    longest: Option<u64>,
    counts: Vec<(String, u64)>,
    /// Of the values that are counted and never told: how often each occurs.
    withheld: Vec<u64>,
    /// Whether every value is a number or the text of one.
    numeric: bool,
    /// Whether every value is a number.
    stored: Stored,
}

impl Tally {
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut counts: HashMap<String, u64> = HashMap::new();
        let mut tally = Self {
            rows: 0,
            nulls: 0,
            opaque: 0,
            characters: 0,
            longest: None,
            counts: Vec::new(),
            withheld: Vec::new(),
            numeric: true,
            stored: Stored::Numbers,
        };
        for value in values {
            tally.rows += 1;
            match value {
                Value::Null => tally.nulls += 1,
                Value::Bytes(length) => {
                    tally.opaque += 1;
                    tally.characters += *length as u64;
                    tally.longest = tally.longest.max(Some(*length as u64));
                }
                other => {
                    if !matches!(other, Value::Integer(_) | Value::Real(_)) {
                        tally.stored = Stored::Texts;
                    }
                    let text = other.as_text().unwrap_or_default();
                    tally.characters += text.chars().count() as u64;
                    tally.longest = tally.longest.max(Some(text.len() as u64));
                    *counts.entry(text).or_default() += 1;
                }
            }
        }
        tally.counts = counts.into_iter().collect();
        tally.sort();
        tally
    }

    /// That its values are so long on average, where only their beginnings were seen.
    pub(crate) fn lengthen(&mut self, mean: f64) {
        let filled = self.rows.saturating_sub(self.nulls) as f64;
        self.characters = self.characters.max((mean * filled).round() as u64);
    }

    /// That one of its values has so many bytes.
    pub(crate) fn reaches(&mut self, longest: u64) {
        self.longest = self.longest.max(Some(longest));
    }

    /// The mean length of its values, in characters.
    pub(crate) fn mean_length(&self) -> f64 {
        self.characters as f64 / self.rows.saturating_sub(self.nulls).max(1) as f64
    }

    /// What an engine tells of a column, as if `rows` rows had been looked at; `seen` are values of some rows, which
    /// count for nothing but their being there.
    pub(crate) fn told<'a>(statistics: &'a ColumnStatistics, rows: u64, seen: impl Iterator<Item = &'a Value>) -> Self {
        let rows_told = rows.max(1) as f64;
        let common: f64 = statistics.most_common.iter().map(|(_, share)| share).sum();
        let rest = (1.0 - statistics.null_fraction - common).max(0.0) * rows_told;
        let listed = statistics.most_common.len() as u64;
        // What is not common is as frequent as all of it is on average.
        let others = statistics.distinct_count.map_or(0, |distinct| distinct.saturating_sub(listed)).max(1);
        let weight = ((rest / others as f64).round() as u64).max(1);
        let common = statistics.most_common.iter().map(|(value, share)| (value, (share * rows_told).round() as u64));
        let bounds = statistics.bounds.iter().chain(seen).map(|value| (value, weight));
        let mut tally = Self::of(std::iter::empty());
        let mut known = HashSet::new();
        let (mut characters, mut weights) = (0.0, 0.0);
        for (value, count) in common.chain(bounds) {
            let Some(text) = value.as_text().filter(|_| !matches!(value, Value::Null | Value::Bytes(_))) else {
                continue;
            };
            if !known.insert(text.clone()) {
                continue;
            }
            if !matches!(value, Value::Integer(_) | Value::Real(_)) {
                tally.stored = Stored::Texts;
            }
            characters += text.chars().count() as f64 * count as f64;
            tally.longest = tally.longest.max(Some(text.len() as u64));
            weights += count as f64;
            tally.counts.push((text, count.max(1)));
        }
        tally.rows = usize::try_from(rows.max(1)).unwrap_or(usize::MAX);
        tally.nulls = (statistics.null_fraction * rows_told).round() as usize;
        let filled = tally.rows.saturating_sub(tally.nulls) as f64;
        tally.characters = if weights > 0.0 { (characters / weights * filled).round() as u64 } else { 0 };
        tally.sort();
        tally
    }

    fn sort(&mut self) {
        self.counts.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        let is_number = |text: &str| number(text).is_some() || is_nan(text);
        self.numeric = self.counts.iter().all(|(text, _)| is_number(text));
    }

    /// The different values as texts, most frequent first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.counts.iter().map(|(text, _)| text.as_str())
    }

    /// At most [`FORM_VALUES`] of the different values, evenly spread over [`Tally::texts`]: enough to tell their form.
    pub(crate) fn some_texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.texts().step_by(self.counts.len().div_ceil(FORM_VALUES).max(1))
    }

    /// From now on these values are counted and not told.
    pub(crate) fn withhold(&mut self, values: &HashSet<String>) {
        let (withheld, told) =
            std::mem::take(&mut self.counts).into_iter().partition(|(text, _)| values.contains(text));
        self.counts = told;
        let withheld: Vec<(String, u64)> = withheld;
        self.withheld.extend(withheld.into_iter().map(|(_, count)| count));
    }

    /// What is known of the column. A value is listed only if all of it is known.
    pub(crate) fn profile(&self, column: &str, coverage: Coverage) -> ColumnProfile {
        let mut profile = self.profile_without_values(column, coverage);
        profile.most_common = self.most_common();
        let ends = self.ends();
        profile.min = ends.map(|(first, _)| cut(first));
        profile.max = ends.map(|(_, last)| cut(last));
        let unlisted = match coverage {
            Coverage::Told { distinct, .. } => distinct.is_none_or(|distinct| distinct > self.counts.len() as u64),
            Coverage::Ends(_) => true,
            Coverage::Whole | Coverage::Part(_) => false,
        };
        profile.values = self.known_values(unlisted);
        profile.histogram = self.histogram(coverage);
        profile
    }

    /// How its numbers or days are distributed.
    fn histogram(&self, coverage: Coverage) -> Option<Histogram> {
        /// Parts, and different values that there must be.
        const PARTS: usize = 16;
        const LEAST: usize = 24;
        /// The share of the values on each side that are taken for far from the others.
        const FAR: f64 = 0.01;
        // The first and the last rows say nothing of those between, and an engine tells of few values.
        if !matches!(coverage, Coverage::Whole | Coverage::Part(_)) || self.counts.len() < LEAST {
            return None;
        }
        let are_days = !self.numeric;
        let place = |text: &str| if are_days { day_number(text) } else { number(text).filter(|it| it.is_finite()) };
        let mut placed: Vec<(f64, u64)> =
            self.counts.iter().filter_map(|(text, count)| Some((place(text)?, *count))).collect();
        if placed.len() * 20 < self.counts.len() * 19 {
            return None;
        }
        placed.sort_by(|one, other| one.0.total_cmp(&other.0));
        let all: u64 = placed.iter().map(|(_, count)| count).sum();
        let at = |share: f64| {
            let mut below = 0;
            let found = placed.iter().find(|(_, count)| {
                below += count;
                below as f64 >= share * all as f64
            });
            found.map(|(place, _)| *place)
        };
        let (from, until) = (at(FAR)?, at(1.0 - FAR)?);
        let width = (until - from) / PARTS as f64;
        if width <= 0.0 {
            return None;
        }
        let mut counts = [0_u64; PARTS];
        for (place, count) in &placed {
            let part = ((place - from) / width).floor().clamp(0.0, PARTS as f64 - 1.0);
            counts[part as usize] += count;
        }
        let written = |place: f64| if are_days { day_of(place) } else { Some(place.to_string()) };
        let shares = counts.iter().map(|count| (*count as f64 / self.rows as f64 * 1e4).round() / 1e4).collect();
        Some(Histogram { from: written(from)?, until: written(until)?, shares })
    }

    /// The figures that don't tell a value.
    pub(crate) fn profile_without_values(&self, column: &str, coverage: Coverage) -> ColumnProfile {
        let mut profile = ColumnProfile::empty(column);
        if self.rows == 0 {
            if coverage == Coverage::Whole {
                profile.distinct_count = Some(0);
            }
            return profile;
        }
        let filled = self.rows - self.nulls;
        profile.null_fraction = Some(self.nulls as f64 / self.rows as f64);
        let measured = filled > 0 && (self.opaque > 0 || !self.counts.is_empty() || !self.withheld.is_empty());
        profile.average_length = measured.then(|| self.mean_length());
        profile.longest = self.longest.filter(|_| measured);
        profile.pattern = patterns::detect(column, self.stored, self.some_texts());
        profile.distinct_count = self.distinct_count(coverage);
        profile.distinct_ratio = profile.distinct_count.filter(|_| filled > 0).map(|distinct| {
            let filled = match coverage {
                Coverage::Part(Some(rows)) | Coverage::Ends(Some(rows)) | Coverage::Told { rows, .. } => {
                    rows as f64 * filled as f64 / self.rows as f64
                }
                Coverage::Whole | Coverage::Part(None) | Coverage::Ends(None) => filled as f64,
            };
            (distinct as f64 / filled).min(1.0)
        });
        profile
    }

    fn distinct_count(&self, coverage: Coverage) -> Option<u64> {
        if self.opaque > 0 {
            return None;
        }
        let counts = || self.counts.iter().map(|(_, count)| count).chain(&self.withheld);
        let seen = counts().count() as u64;
        let once = counts().filter(|count| **count == 1).count() as u64;
        let filled = (self.rows - self.nulls) as u64;
        match coverage {
            Coverage::Whole => Some(seen),
            Coverage::Told { distinct, .. } => distinct.map(|distinct| distinct.max(seen)),
            Coverage::Part(_) | Coverage::Ends(_) if filled == 0 => None,
            Coverage::Part(Some(rows)) | Coverage::Ends(Some(rows)) => {
                let all_filled = rows as f64 * filled as f64 / self.rows as f64;
                Some(estimated_distinct(seen, once, filled, all_filled))
            }
            // Nothing to extrapolate to: only what repeats can be counted.
            Coverage::Part(None) | Coverage::Ends(None) => (once * 10 < filled).then_some(seen),
        }
    }

    fn most_common(&self) -> Vec<ValueFrequency> {
        let few = self.counts.len() < ALL_VALUES_BELOW;
        self.counts
            .iter()
            .take(MOST_COMMON)
            // A value seen once among many others is not common.
            .filter(|(_, count)| few || *count > 1)
            .map(|(text, count)| ValueFrequency { value: cut(text), fraction: *count as f64 / self.rows as f64 })
            .collect()
    }

    /// The values; `unlisted` says that there are others.
    fn known_values(&self, unlisted: bool) -> KnownValues {
        if self.counts.is_empty() {
            return KnownValues::Unknown;
        }
        let complete = !unlisted
            && self.opaque == 0
            && self.withheld.is_empty()
            && self.texts().all(|text| text.chars().nth(VALUE_CHARS).is_none());
        if self.counts.len() < ALL_VALUES_BELOW && complete {
            return KnownValues::All(self.texts().map(str::to_owned).collect());
        }
        KnownValues::Some(self.representative())
    }

    /// The two most frequent values, and others spread evenly over the order of the values.
    fn representative(&self) -> Vec<String> {
        let mut chosen: Vec<&str> = Vec::with_capacity(REPRESENTATIVE);
        let frequent = self.counts.iter().take(2).filter(|(_, count)| *count > 1);
        chosen.extend(frequent.map(|(text, _)| text.as_str()));
        let mut sorted: Vec<&str> = self.texts().collect();
        sorted.sort_by(|left, right| self.compare(left, right));
        let wanted = REPRESENTATIVE - chosen.len();
        for step in 0..wanted {
            // The middles of as many equal parts as there are places left.
            let position = (2 * step + 1) * sorted.len() / (2 * wanted);
            let after = sorted[position.min(sorted.len() - 1)..].iter().copied();
            chosen.extend(after.chain(sorted.iter().copied()).find(|text| !chosen.contains(text)));
        }
        let mut cut_values: Vec<String> = chosen.into_iter().map(cut).collect();
        cut_values.dedup();
        cut_values
    }

    fn ends(&self) -> Option<(&str, &str)> {
        // Where there are numbers, one that is none is no end of them.
        let texts = || self.texts().filter(|text| !(self.numeric && is_nan(text)));
        let smallest = texts().min_by(|left, right| self.compare(left, right))?;
        let largest = texts().max_by(|left, right| self.compare(left, right))?;
        Some((smallest, largest))
    }

    /// By number where all values are numbers, else by text.
    fn compare(&self, left: &str, right: &str) -> Ordering {
        let by_text = left.cmp(right);
        match (number(left), number(right)) {
            (Some(left), Some(right)) if self.numeric => left.total_cmp(&right).then(by_text),
            _ => by_text,
        }
    }
}

/// Whether an engine's statistics say of a column that it has few values, and don't name all of them: what occurs once is
/// not among PostgreSQL's common ones.
pub(crate) fn leaves_open(statistics: &ColumnStatistics) -> bool {
    let values = statistics.most_common.iter().map(|(value, _)| value).chain(&statistics.bounds);
    let named = values.filter_map(Value::as_text).collect::<HashSet<_>>().len() as u64;
    statistics.distinct_count.is_some_and(|distinct| distinct < ALL_VALUES_BELOW as u64 && named < distinct)
}

/// How many different values all `all_filled` rows have, when `filled` of them showed `seen` values, `once` of which
/// occurred once: the estimator Duj1 of Haas and Stokes (Estimating the number of classes in a finite population, JASA
/// 93, 1998), `n·d / (n − f1 + f1·n/N)`, which PostgreSQL's ANALYZE uses as well.
fn estimated_distinct(seen: u64, once: u64, filled: u64, all_filled: f64) -> u64 {
    let (seen, once, filled) = (seen as f64, once as f64, filled as f64);
    let all_filled = all_filled.max(filled);
    let estimate = filled * seen / (filled - once + once * filled / all_filled);
    estimate.clamp(seen, all_filled).round() as u64
}

/// The days from the first of 1970 to an ISO date, whatever time follows.
fn day_number(text: &str) -> Option<f64> {
    let date: Date = text.get(..10)?.parse().ok()?;
    Some(f64::from(date.since(UNIX_EPOCH).ok()?.get_days()))
}

/// The ISO date that lies so many days behind the first of 1970.
fn day_of(number: f64) -> Option<String> {
    UNIX_EPOCH.checked_add(Span::new().try_days(number as i64).ok()?).ok().map(|date| date.to_string())
}

const UNIX_EPOCH: Date = Date::constant(1970, 1, 1);

fn is_nan(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("nan")
}

/// The finite number that a text is, infinities included; texts such as `nan` are none.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let first = text.bytes().find(|byte| !matches!(byte, b'-' | b'+'))?;
    if !first.is_ascii_digit() && first != b'.' {
        return match text {
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        };
    }
    text.parse().ok()
}

/// The first [`VALUE_CHARS`] characters.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARS) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use catalog::KnownValues;
    use connect::{ColumnStatistics, Value};
    use proptest::prelude::*;

    use super::{Coverage, Tally, estimated_distinct, leaves_open};

    #[test]
    fn a_short_list_is_open_unless_common_values_and_bounds_name_all_of_it() {
        let column = |distinct_count| ColumnStatistics {
            column: "c".to_owned(),
            null_fraction: 0.0,
            distinct_count,
            most_common: vec![(text("a"), 0.5), (text("b"), 0.3)],
            bounds: vec![text("c"), text("d"), text("d"), text("e")],
        };
        for (distinct, expected) in
            [(None, false), (Some(5), false), (Some(6), true), (Some(19), true), (Some(20), false)]
        {
            assert_eq!(leaves_open(&column(distinct)), expected, "{distinct:?}");
        }
    }

    fn text(value: &str) -> Value {
        Value::Text(value.to_owned())
    }

    #[test]
    fn numbers_and_days_are_told_by_how_they_are_distributed() {
        let of = |values: Vec<Value>, coverage| Tally::of(values.iter()).profile("c", coverage).histogram;
        // Two of three are small, one is a placeholder, far from all others.
        let numbers = || (0..900).map(|i| Value::Integer(if i % 3 == 0 { 500 + i } else { i % 100 }));
        let with_far = numbers().chain([Value::Integer(999_999_999)]).collect();
        let found = of(with_far, Coverage::Part(Some(5_000))).unwrap();
        assert_eq!((found.from.as_str(), found.shares.len()), ("1", 16));
        assert!(found.until.parse::<f64>().unwrap() < 1_500.0 && found.shares[0] > 0.5, "{found:?}");
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 0.01);
        let day = |i: i64| text(&format!("{:04}-{:02}-15 08:00", 2020 + i / 12 % 4, 1 + i % 12));
        let found = of((0..480).map(day).collect(), Coverage::Whole).unwrap();
        assert_eq!((found.from.as_str(), found.until.as_str()), ("2020-01-15", "2023-12-15"));
        // The ends of a table, few values and texts tell nothing.
        assert_eq!(of(numbers().collect(), Coverage::Ends(Some(5_000))), None);
        assert_eq!(of((0..900).map(|i| Value::Integer(i % 9)).collect(), Coverage::Whole), None);
        assert_eq!(of((0..900).map(|i| text(&format!("v{i}"))).collect(), Coverage::Whole), None);
    }

    #[test]
    fn keeps_all_values_when_there_are_few_and_some_when_there_are_many() {
        let few: Vec<Value> = (0..19).map(Value::Integer).collect();
        let many: Vec<Value> = (0..20).map(Value::Integer).collect();
        assert_eq!(Tally::of(few.iter()).profile("c", Coverage::Whole).values.as_slice().len(), 19);
        let KnownValues::Some(values) = Tally::of(many.iter()).profile("c", Coverage::Whole).values else { panic!() };
        assert_eq!(values, ["2", "6", "10", "14", "18"]);
    }

    #[test]
    fn orders_numbers_as_numbers_also_when_they_are_texts() {
        let check = |values: &[Value], expected: (&str, &str)| {
            let profile = Tally::of(values.iter()).profile("c", Coverage::Whole);
            assert_eq!((profile.min.as_deref(), profile.max.as_deref()), (Some(expected.0), Some(expected.1)));
        };
        check(&[text("100.0"), text("NaN"), text("60")], ("60", "100.0"));
        check(&[text("9"), text("10"), text("-1.5")], ("-1.5", "10"));
        check(&[Value::Integer(9), Value::Real(f64::INFINITY), Value::Integer(10)], ("9", "Infinity"));
        check(&[text("9"), text("10"), text("x")], ("10", "x"));
        check(&[text("nan"), text("10")], ("10", "10"));
        check(&[text("nan"), text("x")], ("nan", "x"));
    }

    #[test]
    fn long_values_are_cut_and_then_not_called_complete() {
        let values = [text(&"ä".repeat(300)), text("b")];
        let profile = Tally::of(values.iter()).profile("c", Coverage::Whole);
        let KnownValues::Some(listed) = &profile.values else { panic!("{:?}", profile.values) };
        assert!(listed.iter().all(|value| value.chars().count() <= 200));
        assert_eq!(profile.max, Some("ä".repeat(200)));
        assert_eq!(profile.average_length, Some(150.5));
    }

    #[test]
    fn withheld_values_are_counted_and_not_told() {
        let values: Vec<Value> = ["a", "a", "secret", "b"].into_iter().map(text).collect();
        let mut tally = Tally::of(values.iter());
        tally.withhold(&HashSet::from(["secret".to_owned()]));
        let profile = tally.profile("c", Coverage::Whole);
        assert_eq!((profile.distinct_count, profile.max.as_deref()), (Some(3), Some("b")));
        let KnownValues::Some(told) = &profile.values else { panic!("the list is not whole: {:?}", profile.values) };
        assert_eq!(told.iter().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(["a", "b"]));
        assert!(!format!("{profile:?}").contains("secret"));
    }

    #[test]
    fn bytes_are_measured_and_nothing_else() {
        let values = [Value::Bytes(10), Value::Bytes(20), Value::Null];
        let profile = Tally::of(values.iter()).profile("c", Coverage::Whole);
        assert_eq!((profile.distinct_count, profile.average_length), (None, Some(15.0)));
        assert_eq!((profile.values, profile.min), (KnownValues::Unknown, None));
    }

    #[test]
    fn the_distinct_estimate_is_near_the_truth_on_known_distributions() {
        for (all, different) in [(1_000_000_u64, 100_u64), (1_000_000, 5_000), (1_000_000, 1_000_000)] {
            let mut random = crate::random::Random::named("distinct");
            let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
            for _ in 0..10_000 {
                let value = random.between(1, i64::try_from(different).unwrap());
                *counts.entry(value).or_default() += 1;
            }
            // Drawn without replacement, a column of unique values shows none twice.
            let unique = different == all;
            let seen = if unique { 10_000 } else { counts.len() as u64 };
            let once = if unique { 10_000 } else { counts.values().filter(|count| **count == 1).count() as u64 };
            let estimate = estimated_distinct(seen, once, 10_000, all as f64);
            let error = estimate.abs_diff(different) as f64 / different as f64;
            assert!(error < 0.15, "{different}: {estimate}");
        }
    }

    fn values() -> impl Strategy<Value = Vec<Value>> {
        let value = prop_oneof![
            Just(Value::Null),
            (-5_i64..30).prop_map(Value::Integer),
            any::<i64>().prop_map(Value::Integer),
            any::<f64>().prop_filter("SQLite has no NaN", |value| !value.is_nan()).prop_map(Value::Real),
            "[a-c]{0,2}|\\PC{0,8}|[0-9]{1,3}".prop_map(Value::Text),
            any::<bool>().prop_map(Value::Boolean),
        ];
        prop::collection::vec(value, 0..80)
    }

    proptest! {
        /// Against definitions written out the slow way.
        #[test]
        fn figures_over_all_rows_are_exact(values in values()) {
            let profile = Tally::of(values.iter()).profile("c", Coverage::Whole);
            let texts: Vec<String> = values.iter().filter_map(Value::as_text).collect();
            let different: BTreeSet<&String> = texts.iter().collect();
            let rows = values.len() as f64;
            prop_assert_eq!(profile.distinct_count, Some(different.len() as u64));
            if values.is_empty() {
                prop_assert_eq!(profile.null_fraction, None);
                return Ok(());
            }
            prop_assert_eq!(profile.null_fraction, Some((values.len() - texts.len()) as f64 / rows));
            if !texts.is_empty() {
                let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
                prop_assert_eq!(profile.average_length, Some(characters as f64 / texts.len() as f64));
                prop_assert_eq!(profile.distinct_ratio, Some(different.len() as f64 / texts.len() as f64));
            }
            let count = |wanted: &str| texts.iter().filter(|text| *text == wanted).count();
            let least_listed = profile.most_common.last().map_or(0, |last| count(&last.value));
            for common in &profile.most_common {
                prop_assert_eq!(common.fraction, count(&common.value) as f64 / rows);
            }
            prop_assert!(profile.most_common.len() <= 10);
            if profile.most_common.len() == 10 {
                let more_common = different.iter().filter(|text| count(text) > least_listed).count();
                prop_assert!(more_common < 10);
            }
            match &profile.values {
                KnownValues::All(all) => {
                    prop_assert!(different.len() < 20);
                    prop_assert_eq!(all.iter().collect::<BTreeSet<_>>(), different.clone());
                }
                KnownValues::Some(some) => {
                    prop_assert!(different.len() >= 20 && (3..=5).contains(&some.len()));
                    prop_assert!(some.iter().all(|value| different.contains(value)));
                    prop_assert_eq!(some.iter().collect::<BTreeSet<_>>().len(), some.len());
                }
                KnownValues::Unknown => prop_assert!(different.is_empty()),
            }
        }

        #[test]
        fn the_smallest_and_largest_number_are_found(numbers in prop::collection::vec(any::<i32>(), 1..50)) {
            let values: Vec<Value> = numbers.iter().map(|number| text(&number.to_string())).collect();
            let profile = Tally::of(values.iter()).profile("c", Coverage::Whole);
            prop_assert_eq!(profile.min, numbers.iter().min().map(ToString::to_string));
            prop_assert_eq!(profile.max, numbers.iter().max().map(ToString::to_string));
        }

        #[test]
        fn an_estimate_lies_between_what_was_seen_and_what_there_is(
            filled in 1_u64..10_000, seen_share in 0.0_f64..1.0, once_share in 0.0_f64..1.0, more in 0_u64..1_000_000,
        ) {
            let seen = ((filled as f64 * seen_share) as u64).max(1);
            let once = (seen as f64 * once_share) as u64;
            let all = filled + more;
            let estimate = estimated_distinct(seen, once, filled, all as f64);
            prop_assert!((seen..=all).contains(&estimate));
        }
    }
}
