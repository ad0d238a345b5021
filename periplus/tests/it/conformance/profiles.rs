//! What the columns hold.
//!
//! Where both engines have read a whole table, figures have to be equal. Where one rests on a sample or on statistics,
//! figures have to be near each other, and values true: the shop itself is asked.

use std::collections::BTreeSet;

use catalog::{ColumnProfile, KnownValues, SampleMethod, TableProfile, TypeClass, ValueFrequency};

use super::truth::{Truth, canonical};
use super::{Check, World};

const SECTION: &str = "Profiles";
/// How far two shares of rows may be apart where one is from a sample.
const SHARE: f64 = 0.02;
/// By which factor two estimates of distinct values may differ, and by how many where there are few.
const DISTINCT_FACTOR: f64 = 1.5;
const DISTINCT_FEW: u64 = 3;
/// The share of rows that may lie beyond the smallest and the largest value of a sample.
const BEYOND: f64 = 0.01;
/// A value with this share of the rows is found by every sample.
const COMMON: f64 = 0.03;
/// A value that a sample misses has no more than this share.
const RARE: f64 = 0.002;
/// At most so many most common values are kept.
const MOST_COMMON: usize = 10;
/// Columns with fewer values than this have all of them listed.
const ALL_VALUES_BELOW: u64 = 20;

/// A column of both engines.
struct Pair<'a> {
    table: &'a str,
    subject: String,
    class: TypeClass,
    /// Whether both have read all rows.
    whole: bool,
    /// Whether the figures of the engine that is compared are its own statistics, of a table too large to be read whole.
    told: bool,
    one: &'a ColumnProfile,
    other: &'a ColumnProfile,
}

pub(super) fn checks(reference: &World, found: &World, truth: &Truth) -> Vec<Check> {
    let tables: Vec<(&str, &TableProfile, &TableProfile)> = reference
        .tables()
        .filter_map(|(name, entry)| Some((name, entry.profile()?, found.table(name)?.profile()?)))
        .collect();
    let mut profiled = Check::of(SECTION, "profiled tables");
    let count = |world: &World| world.tables().filter(|(_, entry)| entry.profile().is_some()).count();
    profiled.compare("tables", count(reference), count(found));
    let mut stale = Check::of(SECTION, "tables marked as stale");
    for (name, one, other) in &tables {
        stale.compare(name, one.stale, other.stale);
        profiled.compare(name, one.skipped.is_some(), other.skipped.is_some());
    }
    let pairs: Vec<Pair<'_>> = tables
        .iter()
        .flat_map(|&(name, one, other)| one.columns.iter().map(move |column| (name, one, other, column)))
        .filter_map(|(name, one, other, column)| {
            let class = |world: &World| Some(world.table(name)?.table.column(&column.column)?.type_class);
            let class = class(reference).filter(|class| *class != TypeClass::Other).or_else(|| class(found))?;
            let read_whole = |profile: &TableProfile| profile.method == SampleMethod::AllRows;
            let whole = read_whole(one) && read_whole(other);
            let told = other.method == SampleMethod::EngineStatistics && !read_whole(one);
            let subject = format!("{name}.{}", column.column);
            Some(Pair { table: name, subject, class, whole, told, one: column, other: other.column(&column.column)? })
        })
        .collect();
    let each = |name: &str, tolerance: Option<&'static str>, compare: &dyn Fn(&mut Check, &Pair<'_>)| {
        let mut check = Check::of(SECTION, name);
        pairs.iter().for_each(|pair| compare(&mut check, pair));
        check.tolerance = tolerance.filter(|_| pairs.iter().any(|pair| !pair.whole));
        check
    };
    vec![
        profiled,
        stale,
        each("masked columns", None, &masked),
        each("forms of values", None, &|check, pair| {
            let form =
                |column: &ColumnProfile| column.pattern.as_ref().map_or("none".to_owned(), |it| it.form.to_string());
            check.compare(&pair.subject, form(pair.one), form(pair.other));
        }),
        each("shares of NULL", Some("at most .02 apart in samples"), &null_fractions),
        each(
            "distinct values",
            Some("where they are estimated, at most a factor of 1.5 from SQLite's figure or from the truth"),
            &|check, pair| distinct_counts(check, pair, truth),
        ),
        each(
            "smallest and largest values",
            Some("in samples, at most 1 % of the rows lie beyond them"),
            &|check, pair| ends(check, pair, truth),
        ),
        each(
            "most common values",
            Some("in samples, those of at least 3 % of the rows are the same, their shares at most .02 apart"),
            &most_common,
        ),
        each(
            "lists of all values",
            Some(
                "a sample may lack values that less than .2 % of the rows have, and an engine's statistics may leave open \
                 whether there are others",
            ),
            &|check, pair| all_values(check, pair, truth),
        ),
    ]
}

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or("none".to_owned(), |value| value.to_string())
}

fn masked(check: &mut Check, pair: &Pair<'_>) {
    let word = |column: &ColumnProfile| column.masked_because().unwrap_or("not masked").to_owned();
    check.compare(&pair.subject, word(pair.one), word(pair.other));
    for column in [pair.one, pair.other] {
        let tells = column.min.is_some() || column.max.is_some() || !column.most_common.is_empty();
        let tells = tells || column.values != KnownValues::Unknown;
        check.compare(&pair.subject, false, column.masked.is_some() && tells);
    }
}

fn null_fractions(check: &mut Check, pair: &Pair<'_>) {
    let near = match (pair.one.null_fraction, pair.other.null_fraction) {
        (Some(one), Some(other)) => (one - other).abs() <= if pair.whole { 1e-9 } else { SHARE },
        (one, other) => one == other,
    };
    if !near {
        check.compare(&pair.subject, shown(pair.one.null_fraction), shown(pair.other.null_fraction));
    }
}

fn distinct_counts(check: &mut Check, pair: &Pair<'_>, truth: &Truth) {
    let is_near = |one: u64, other: u64| {
        let (less, more) = (one.min(other), one.max(other));
        more - less <= DISTINCT_FEW || more as f64 <= DISTINCT_FACTOR * less as f64
    };
    let near = match (pair.one.distinct_count, pair.other.distinct_count) {
        (Some(one), Some(other)) if !pair.whole => {
            is_near(one, other) || is_near(truth.distinct(pair.table, &pair.one.column), other)
        }
        (one, other) => one == other,
    };
    if !near {
        check.compare(&pair.subject, shown(pair.one.distinct_count), shown(pair.other.distinct_count));
    }
}

fn ends(check: &mut Check, pair: &Pair<'_>, truth: &Truth) {
    for (comparison, one, other) in [("<", &pair.one.min, &pair.other.min), (">", &pair.one.max, &pair.other.max)] {
        let text = |end: &Option<String>| end.as_ref().map(|end| canonical(end, pair.class));
        let (one, other) = (text(one), text(other));
        let near = match (&one, &other) {
            (Some(_), Some(other)) if !pair.whole => {
                let beyond = truth.share(pair.table, &pair.one.column, pair.class, comparison, other);
                let there = truth.share(pair.table, &pair.one.column, pair.class, "=", other);
                beyond <= BEYOND && there > 0.0
            }
            (one, other) => one == other,
        };
        if !near {
            check.compare(&format!("{} ({comparison})", pair.subject), shown(one), shown(other));
        }
    }
}

fn most_common(check: &mut Check, pair: &Pair<'_>) {
    let lists = [(&pair.one.most_common, &pair.other.most_common), (&pair.other.most_common, &pair.one.most_common)];
    let text = |list: &[ValueFrequency]| {
        let values: Vec<String> =
            list.iter().map(|common| format!("{} {:.4}", common.value, common.fraction)).collect();
        values.join(", ")
    };
    let holds = |list: &[ValueFrequency], other: &[ValueFrequency]| {
        list.iter().all(|common| {
            let value = canonical(&common.value, pair.class);
            let counterpart = other.iter().find(|other| canonical(&other.value, pair.class) == value);
            let tolerance = if pair.whole { 1e-9 } else { SHARE };
            match counterpart {
                Some(counterpart) => (counterpart.fraction - common.fraction).abs() <= tolerance,
                // Values as frequent as the last of a full list may be others.
                None => {
                    let cut = other.len() == MOST_COMMON
                        && other.last().is_some_and(|last| common.fraction <= last.fraction + tolerance);
                    cut || (!pair.whole && common.fraction < COMMON)
                }
            }
        })
    };
    if !lists.iter().all(|(list, other)| holds(list, other)) {
        check.compare(&pair.subject, text(&pair.one.most_common), text(&pair.other.most_common));
    }
}

fn all_values(check: &mut Check, pair: &Pair<'_>, truth: &Truth) {
    let all = |column: &ColumnProfile| match &column.values {
        KnownValues::All(values) => {
            Some(values.iter().map(|value| canonical(value, pair.class)).collect::<BTreeSet<String>>())
        }
        _ => None,
    };
    let near = match (all(pair.one), all(pair.other)) {
        (Some(one), Some(other)) if !pair.whole => one.symmetric_difference(&other).all(|value| {
            let share = truth.share(pair.table, &pair.one.column, pair.class, "=", value);
            share > 0.0 && share < RARE
        }),
        (Some(one), Some(other)) => one == other,
        (Some(_), None) if pair.told => matches!(pair.other.values, KnownValues::Some(_)),
        // One value more, and they are too many for a list.
        (Some(listed), None) | (None, Some(listed)) => {
            !pair.whole && listed.len() as u64 + DISTINCT_FEW >= ALL_VALUES_BELOW
        }
        (None, None) => true,
    };
    if !near {
        let text = |column: &ColumnProfile| format!("{:?}", column.values);
        check.compare(&pair.subject, text(pair.one), text(pair.other));
    }
}
