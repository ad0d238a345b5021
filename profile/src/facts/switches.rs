//! What changes on a day and stays so: codes that give way to others, quantities in another unit, columns that are no longer
//! or not yet kept up.

use std::collections::HashMap;

use catalog::{Fact, FactKind};

use super::kinds::{distance, in_one_digit};
use super::sheet::{EVENTS, Sheet, SheetColumn};
use super::words_of;

/// Rows on each side of the day, and the share of all that they must be.
const LEAST_ROWS: usize = 20;
const LEAST_SHARE: f64 = 0.05;
/// Different codes of which a column may be made.
const MOST_CODES: usize = 16;

/// Words of a column that counts how often a thing has changed.
pub(super) const VERSIONS: [&str; 5] = ["version", "ver", "rev", "revision", "generation"];

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let Some(time) = sheet.time().filter(|_| sheet.is_even()) else { return Vec::new() };
    let rows = in_order(sheet, time);
    if rows.len() < 3 * LEAST_ROWS {
        return Vec::new();
    }
    let others = sheet.columns.iter().filter(|column| column.column.name != time.column.name && !column.is_time());
    others
        .filter_map(|column| {
            codes_changed(sheet, column, time, &rows)
                .or_else(|| scale_changed(sheet, column, time, &rows))
                .or_else(|| scale_changed_for_one(sheet, column, time, &rows))
                .or_else(|| constant_while(sheet, column, time, &rows))
                .or_else(|| codes_while(sheet, column, time, &rows))
        })
        .collect()
}

/// The rows in the order of their time, without those that lie far from all others.
pub(super) fn in_order(sheet: &Sheet<'_>, time: &SheetColumn<'_>) -> Vec<(i64, usize)> {
    /// Ten years.
    const FAR: i64 = 10 * 366 * 86_400;
    let mut rows: Vec<(i64, usize)> = (0..sheet.rows).filter_map(|row| Some((time.times[row]?, row))).collect();
    rows.retain(|(at, _)| EVENTS.contains(at));
    rows.sort_unstable();
    // A clock that has lost the time begins at 1970.
    let begin = rows.windows(2).position(|pair| pair[1].0 - pair[0].0 > FAR).filter(|place| place * 10 < rows.len());
    rows.split_off(begin.map_or(0, |place| place + 1))
}

fn is_enough(part: usize, all: usize) -> bool {
    part >= LEAST_ROWS && part as f64 >= LEAST_SHARE * all as f64
}

/// Codes of which none is on both sides of a day, several on each side at the same time.
fn codes_changed(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
) -> Option<Fact> {
    let is_code = column.is_text() || column.is_numeric() && !column.is_key;
    let filled: Vec<(i64, &str)> =
        rows.iter().filter_map(|(at, row)| Some((*at, column.texts[*row].as_deref()?))).collect();
    let mut spans: HashMap<&str, (i64, i64)> = HashMap::new();
    for (at, text) in &filled {
        let span = spans.entry(text).or_insert((*at, *at));
        span.1 = *at;
    }
    if !is_code || !(spans.len() == 2 || (4..=MOST_CODES).contains(&spans.len())) {
        return None;
    }
    // Of two alone one that counts on is a period.
    if spans.len() == 2 && spans.keys().any(|code| code.chars().any(|sign| sign.is_ascii_digit())) {
        return None;
    }
    let mut codes: Vec<(&str, (i64, i64))> = spans.into_iter().collect();
    codes.sort_by_key(|(code, (first, _))| (*first, *code));
    let least = codes.len().min(4) / 2;
    let place = (least..=codes.len() - least).find(|place| {
        let ends = codes[..*place].iter().map(|(_, (_, last))| *last).max();
        ends < Some(codes[*place].1.0)
    })?;
    let (before, after) = codes.split_at(place);
    // Names of periods follow each other as well, each alone.
    let are_together = |codes: &[(&str, (i64, i64))]| codes.windows(2).all(|pair| pair[1].1.0 < pair[0].1.1);
    let since = after.first()?.1.0;
    let old = filled.iter().filter(|(at, _)| *at < since).count();
    if !are_together(before)
        || !are_together(after)
        || !is_enough(old, filled.len())
        || !is_enough(filled.len() - old, filled.len())
    {
        return None;
    }
    let listed = |codes: &[(&str, (i64, i64))]| {
        let mut codes: Vec<String> = codes.iter().map(|(code, _)| (*code).to_owned()).collect();
        codes.sort();
        codes
    };
    let (name, at, from) = (sheet.name(column), sheet.name(time), sheet.from());
    let proof = format!("SELECT {name}, count(*), min({at}), max({at}) FROM {from} GROUP BY {name} ORDER BY 3");
    let kind = FactKind::CodesChanged {
        column: column.column.name.clone(),
        time: time.column.name.clone(),
        since: time.written(since),
        before: listed(before),
        after: listed(after),
    };
    Some(Fact::new(kind, filled.len() as u64, filled.len() as u64, proof))
}

/// One value at the end of the table's time, or at its beginning, where there are others at all other times.
fn constant_while(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
) -> Option<Fact> {
    let filled: Vec<(i64, &str)> =
        rows.iter().filter_map(|(at, row)| Some((*at, column.texts[*row].as_deref()?))).collect();
    if column.is_key || filled.len() < 3 * LEAST_ROWS || filled.len() * 10 < 9 * rows.len() {
        return None;
    }
    let values = || filled.iter().map(|(_, value)| *value);
    let (since, until) = (run_of_one(values().rev().collect()), run_of_one(values().collect()));
    let (run, value, since, until) = match (since, until) {
        (Some(run), _) => (run, filled.last()?.1, Some(sheet.about(time, filled[filled.len() - run].0)), None),
        (_, Some(run)) => (run, filled.first()?.1, None, Some(sheet.about(time, filled[run - 1].0))),
        (None, None) => return None,
    };
    let (name, at, from) = (sheet.name(column), sheet.name(time), sheet.from());
    let proof = format!("SELECT {name}, count(*), min({at}), max({at}) FROM {from} GROUP BY {name} ORDER BY 2 DESC");
    let kind = FactKind::ConstantWhile {
        column: column.column.name.clone(),
        time: time.column.name.clone(),
        value: value.to_owned(),
        since,
        until,
    };
    Some(Fact::new(kind, run as u64, filled.len() as u64, proof))
}

/// How many values at the beginning are one and the same, where that can't be chance, and where it isn't how each row comes to its
/// end: what is new is open, and what is old is closed.
fn run_of_one(values: Vec<&str>) -> Option<usize> {
    /// The logarithm of the chance of so long a run, at most.
    const CHANCE: f64 = -20.7;
    /// The share of the value among the others.
    const SHARE: std::ops::Range<f64> = 0.2..0.95;
    /// How much rarer other values may be in one half of the rest than in the other.
    const STEADY: f64 = 2.0;
    /// How often values change from row to row, beside how often they would in any order.
    const MIXED: f64 = 0.5;
    let first = *values.first()?;
    let run = values.iter().take_while(|value| **value == first).count();
    let rest = &values[run..];
    if !is_enough(run, values.len()) || !is_enough(rest.len(), values.len()) {
        return None;
    }
    let others = |part: &[&str]| part.iter().filter(|value| **value != first).count() as f64 / part.len() as f64;
    let share = 1.0 - others(rest);
    let (near, far) = rest.split_at(rest.len() / 2);
    let changes = rest.windows(2).filter(|pair| (pair[0] == first) != (pair[1] == first)).count() as f64;
    let expected = 2.0 * share * (1.0 - share) * (rest.len() - 1) as f64;
    let is_steady = others(near) <= STEADY * others(far) && others(far) <= STEADY * others(near);
    let is_told =
        SHARE.contains(&share) && run as f64 * share.ln() < CHANCE && changes >= MIXED * expected && is_steady;
    is_told.then_some(run)
}

/// Quantities that are many times larger, or smaller, from a day on, and else distributed alike.
fn scale_changed(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
) -> Option<Fact> {
    let (since, factor) = jump(column, rows)?;
    Some(of_scale(sheet, column, time, (since, factor), None, rows.len()))
}

/// The same of the rows of one meter, shop or partner, where those of the others go on as they were.
fn scale_changed_for_one(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
) -> Option<Fact> {
    const GROUPS: std::ops::RangeInclusive<u64> = 3..=200;
    /// The share of the groups of which it may be so.
    const FEW: usize = 5;
    if !column.is_numeric() || column.is_key || column.different() < 12 {
        return None;
    }
    let is_grouping =
        |by: &&SheetColumn<'_>| by.column.name != column.column.name && (by.is_key || by.is_text()) && !by.is_time();
    let groupings = sheet.columns.iter().filter(is_grouping).filter(|by| GROUPS.contains(&by.different()));
    groupings.into_iter().find_map(|by| {
        let mut groups: HashMap<&str, Vec<(i64, usize)>> = HashMap::new();
        for (at, row) in rows {
            if let Some(value) = by.texts[*row].as_deref() {
                groups.entry(value).or_default().push((*at, *row));
            }
        }
        groups.retain(|_, rows| rows.len() >= 3 * LEAST_ROWS);
        let mut found: Vec<(&str, (i64, f64))> =
            groups.iter().filter_map(|(value, rows)| Some((*value, jump(column, rows)?))).collect();
        found.sort_by(|one, other| one.0.cmp(other.0));
        let &[(value, change)] = found.as_slice() else { return None };
        let only = Some((by.column.name.clone(), value.to_owned()));
        (groups.len() >= FEW).then(|| of_scale(sheet, column, time, change, only, groups[value].len()))
    })
}

fn of_scale(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    (since, factor): (i64, f64),
    only: Option<(String, String)>,
    rows: usize,
) -> Fact {
    let (name, at, from) = (sheet.name(column), sheet.name(time), sheet.from());
    let since = time.written(since);
    let since_literal = sheet.dialect.literal(&since);
    let of = only
        .as_ref()
        .map(|(by, value)| format!(" WHERE {} = {}", sheet.dialect.identifier(by), sheet.dialect.literal(value)));
    let proof = format!(
        "SELECT CASE WHEN {at} < {since_literal} THEN 'before' ELSE 'since' END AS part, count(*), min({name}), avg({name}), max({name}) FROM {from}{} GROUP BY 1",
        of.unwrap_or_default()
    );
    let kind = FactKind::ScaleChanged {
        column: column.column.name.clone(),
        time: time.column.name.clone(),
        since,
        factor,
        only,
    };
    Fact::new(kind, rows as u64, rows as u64, proof)
}

/// The time from which on the quantities of some rows, in the order of their time, are so many times as large.
fn jump(column: &SheetColumn<'_>, rows: &[(i64, usize)]) -> Option<(i64, f64)> {
    /// How much larger, at least, where the factor isn't one between units.
    const LARGER: f64 = 20.0;
    /// The share of the change that is seen in the rows next to the day: what grows over the years does so slowly.
    const AT_ONCE: f64 = 0.7;
    /// The largest difference between the shares below any value, of what was before, brought to the new unit, and after.
    const DISTANCE: f64 = 0.2;
    if !column.is_numeric() || column.is_key || column.different() < 12 {
        return None;
    }
    let filled: Vec<(i64, f64)> = rows
        .iter()
        .filter_map(|(at, row)| Some((*at, column.numbers[*row].filter(|number| *number > 0.0)?.ln())))
        .collect();
    if filled.len() < 3 * LEAST_ROWS {
        return None;
    }
    // The day on which the sum of what was before lies farthest from its share of the whole: the estimate of a change point by
    // cumulative sums (E. S. Page, Biometrika 41, 1954).
    let mean = filled.iter().map(|(_, value)| value).sum::<f64>() / filled.len() as f64;
    let mut sum = 0.0;
    let sums: Vec<f64> = filled
        .iter()
        .map(|(_, value)| {
            sum += value - mean;
            f64::abs(sum)
        })
        .collect();
    let place = (1..filled.len()).max_by(|one, two| sums[*one - 1].total_cmp(&sums[*two - 1]))?;
    let sorted = |part: &[(i64, f64)]| {
        let mut values: Vec<f64> = part.iter().map(|(_, value)| *value).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let middle = |part: &[(i64, f64)]| {
        let values = sorted(part);
        values[values.len() / 2]
    };
    let (before, after) = filled.split_at(place);
    if !is_enough(before.len(), filled.len()) || !is_enough(after.len(), filled.len()) {
        return None;
    }
    let change = middle(after) - middle(before);
    let near = LEAST_ROWS.max(filled.len() / 20);
    let next_to_it = middle(&after[..near.min(after.len())]) - middle(&before[before.len() - near.min(before.len())..]);
    let factor = nearest_factor(change.abs().exp());
    if change.abs() < LARGER.ln()
        || next_to_it / change < AT_ONCE
        || distance(&sorted(before), &sorted(after), change) > DISTANCE
    {
        return None;
    }
    Some((filled[place].0, if change > 0.0 { factor } else { 1.0 / factor }))
}

/// Codes that are there from a day on alone, or up to one, while others are there all the time.
fn codes_while(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
) -> Option<Fact> {
    /// Rows of the codes that there would have been on the other side.
    const EXPECTED: f64 = 25.0;
    /// The share of the rows over which codes with the same beginning begin.
    const TOGETHER: f64 = 0.02;
    const LONGEST: usize = 4;
    /// Parts of its time in all of which but one a code must be.
    const PARTS: usize = 8;
    let filled: Vec<(i64, &str)> =
        rows.iter().filter_map(|(at, row)| Some((*at, column.texts[*row].as_deref()?))).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, (_, text)) in filled.iter().enumerate() {
        places.entry(text).or_default().push(place);
    }
    // Words come and go with what they name; of codes somebody has decided.
    // People come and go as well.
    let is_person = column.has_word(&words_of::PEOPLE_AT_WORK);
    let is_code = !column.is_key
        && !is_person
        && !column.has_word(&VERSIONS)
        && places.keys().all(|code| code.chars().count() <= LONGEST);
    if !is_code || !(2..=MOST_CODES).contains(&places.len()) || !is_enough(filled.len(), rows.len()) {
        return None;
    }
    let all = filled.len() as f64;
    let of_part = |places: &[usize], is_since: bool| {
        // What has the same time as the first or the last is there as long.
        let first = filled.partition_point(|(at, _)| *at < filled[places[0]].0);
        let last = filled.partition_point(|(at, _)| *at <= filled[places[places.len() - 1]].0).checked_sub(1)?;
        let (span, empty) = match is_since {
            true => (filled.len() - first, first),
            false => (last + 1, filled.len() - 1 - last),
        };
        let rate = places.len() as f64 / span as f64;
        // As many in one half of its time as in the other: what is new is open, and what is old is closed.
        let begin = if is_since { first } else { 0 };
        let half = begin + span / 2;
        let early = places.iter().filter(|place| **place < half).count();
        let is_steady = early * 3 >= places.len() && early * 3 <= places.len() * 2;
        // What comes again each year, a month or the summer's time, has gaps.
        let mut parts: Vec<usize> = places.iter().map(|place| (place - begin) * PARTS / span).collect();
        parts.dedup();
        let is_steady = is_steady && parts.len() + 1 >= PARTS;
        let is_told = rate * empty as f64 >= EXPECTED
            && empty as f64 >= LEAST_SHARE * all
            && span as f64 >= 2.0 * LEAST_SHARE * all;
        (is_told && is_steady).then_some(if is_since { first } else { last })
    };
    let found = |is_since: bool| {
        let mut codes: Vec<(usize, &str)> =
            places.iter().filter_map(|(code, places)| Some((of_part(places, is_since)?, *code))).collect();
        codes.sort_unstable();
        let (at, _) = *if is_since { codes.first()? } else { codes.last()? };
        codes.retain(|(place, _)| place.abs_diff(at) as f64 <= TOGETHER * all);
        // Years follow each other; here others are there before and after.
        let is_on_both_sides = |places: &Vec<usize>| {
            let before = places.iter().filter(|place| **place < at).count();
            before >= LEAST_ROWS && places.len() - before >= LEAST_ROWS
        };
        if !places.values().any(is_on_both_sides) {
            return None;
        }
        let mut codes: Vec<String> = codes.into_iter().map(|(_, code)| code.to_owned()).collect();
        codes.sort();
        (codes.len() < places.len()).then(|| (codes, sheet.about(time, filled[at].0)))
    };
    let (codes, since, until) = match found(true) {
        Some((codes, day)) => (codes, Some(day), None),
        None => found(false).map(|(codes, day)| (codes, None, Some(day)))?,
    };
    let (name, at, from) = (sheet.name(column), sheet.name(time), sheet.from());
    let proof = format!("SELECT {name}, count(*), min({at}), max({at}) FROM {from} GROUP BY {name} ORDER BY 3");
    let held = codes.iter().filter_map(|code| places.get(code.as_str())).map(Vec::len).sum::<usize>();
    let kind = FactKind::CodesWhile {
        column: column.column.name.clone(),
        time: time.column.name.clone(),
        values: codes,
        since,
        until,
    };
    Some(Fact::new(kind, held as u64, filled.len() as u64, proof))
}

/// The factor between units that a rough one stands for, or itself in one digit.
fn nearest_factor(rough: f64) -> f64 {
    const FACTORS: [f64; 6] = [24.0, 60.0, 100.0, 1000.0, 3600.0, 1.0e6];
    let near = FACTORS.into_iter().find(|factor| (rough / factor).ln().abs() < 0.35);
    near.unwrap_or_else(|| in_one_digit(rough))
}

#[cfg(test)]
mod tests {
    use super::nearest_factor;

    #[test]
    fn rough_factors_are_told_as_units_have_them() {
        for (rough, factor) in [(58.0, 60.0), (1180.0, 1000.0), (95.0, 100.0), (243.0, 200.0), (31.0, 24.0)] {
            assert!((nearest_factor(rough) / factor - 1.0).abs() < 1e-9, "{rough}: {}", nearest_factor(rough));
        }
    }
}
