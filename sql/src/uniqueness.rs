//! How many rows of a table can have the same values in some of its columns: one, or several.
//!
//! Declared keys answer for certain. Where none does, the profile may: a column whose values were all different, or one
//! that is far from it.

use catalog::{Entry, SampleMethod};

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// At most one row.
    One,
    /// Several rows, by the keys or by the data.
    Many,
    /// Nothing tells.
    Unknown,
}

/// From this ratio of different values on, a column that was only sampled is taken for a key.
const NEARLY_A_KEY: f64 = 0.999;
/// Below this ratio it repeats values, though perhaps few: orders that were paid in two parts.
const REPEATS: f64 = 0.995;
/// So much more than one row for each value is still one, where all rows were read and where a sample was: the number of
/// different values is estimated from it, mostly too low.
const TOLERANCE: [f64; 2] = [1.02, 1.3];

/// What is known of the rows that are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held<'h> {
    /// Columns in which they have the same values.
    pub columns: &'h [&'h str],
    /// Columns that a condition holds at one value: its text, where it is a literal.
    pub fixed: &'h [(&'h str, Option<&'h str>)],
    /// Columns that the result is grouped by.
    pub grouped: &'h [&'h str],
}

/// How many rows of a table there can be with what is held.
pub(crate) fn uniqueness(entry: &Entry, held_columns: Held<'_>) -> Uniqueness {
    let Held { columns, fixed, grouped } = held_columns;
    let held = |name: &str| {
        let named = columns.iter().chain(fixed.iter().map(|(column, _)| column)).chain(grouped);
        named.into_iter().any(|held| held.eq_ignore_ascii_case(name))
    };
    let covers = |key: &[String]| !key.is_empty() && key.iter().all(|column| held(column));
    let table = &entry.table;
    let mut declared = std::iter::once(&table.primary_key)
        .chain(table.indexes.iter().filter(|index| index.unique).map(|index| &index.columns));
    if declared.any(|key| covers(key)) {
        return Uniqueness::One;
    }
    let profile = entry.profile().filter(|profile| profile.skipped.is_none());
    let whole = profile.is_some_and(|profile| profile.method == SampleMethod::AllRows);
    let ratio = |name: &str| {
        let least = if whole { 1.0 } else { NEARLY_A_KEY };
        let ratio = profile.and_then(|profile| profile.column(name))?.distinct_ratio?;
        Some((ratio, ratio >= least))
    };
    let mut every =
        columns.iter().copied().chain(fixed.iter().map(|(column, _)| *column)).chain(grouped.iter().copied());
    if every.any(|column| ratio(column).is_some_and(|(_, is_key)| is_key)) {
        return Uniqueness::One;
    }
    let [column] = columns else { return Uniqueness::Unknown };
    let repeats = match ratio(column) {
        Some((ratio, _)) => ratio < REPEATS,
        None => !table.primary_key.is_empty(),
    };
    // An order has one line for each product, mostly; but several lines of one colour.
    let refers = |column: &&&str| {
        table.foreign_keys.iter().any(|key| key.columns.iter().any(|own| own.eq_ignore_ascii_case(column)))
    };
    if !repeats || grouped.iter().any(|column| refers(&column)) {
        return Uniqueness::Unknown;
    }
    match fixed {
        [] => Uniqueness::Many,
        // A flag such as `is_default` may leave one row for each value: it does if there are no more such rows.
        _ => match rows_for_each_value(entry, column, fixed) {
            Some(rows) if rows > TOLERANCE[usize::from(!whole)] => Uniqueness::Many,
            None if fixed.iter().any(|(_, value)| value.is_some()) => Uniqueness::Many,
            _ => Uniqueness::Unknown,
        },
    }
}

/// The mean number of rows with the fixed values for each value of the column, as far as the profile tells.
fn rows_for_each_value(entry: &Entry, column: &str, fixed: &[(&str, Option<&str>)]) -> Option<f64> {
    let profile = entry.profile()?;
    let rows = profile.row_count.or(entry.table.row_count)?.value as f64;
    let values = profile.column(column)?.distinct_count? as f64;
    let mut share = 1.0;
    for (column, value) in fixed {
        let held = profile.column(column)?;
        let of_value = value.and_then(|value| held.most_common.iter().find(|common| same_value(&common.value, value)));
        share *= match of_value {
            Some(common) => common.fraction,
            None => 1.0 / held.distinct_count?.max(1) as f64,
        };
    }
    Some(rows * share / values.max(1.0))
}

/// `1`, `true` and `TRUE` are one value to most engines.
fn same_value(stored: &str, written: &str) -> bool {
    let plain = |text: &str| match text.to_ascii_lowercase().as_str() {
        "true" | "t" => "1".to_owned(),
        "false" | "f" => "0".to_owned(),
        other => other.to_owned(),
    };
    plain(stored) == plain(written)
}
