//! What changes on a day and stays so: codes that give way to others, quantities in another unit.

use std::collections::HashMap;

use catalog::{Fact, FactKind};

use super::sheet::{EVENTS, Sheet, SheetColumn, day};

/// Rows on each side of the day, and the share of all that they must be.
const LEAST_ROWS: usize = 20;
const LEAST_SHARE: f64 = 0.05;
/// Different codes of which a column may be made.
const MOST_CODES: usize = 16;

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let Some(time) = sheet.time().filter(|_| sheet.is_even()) else { return Vec::new() };
    let mut rows: Vec<(i64, usize)> = (0..sheet.rows).filter_map(|row| Some((time.times[row]?, row))).collect();
    rows.retain(|(at, _)| EVENTS.contains(at));
    rows.sort_unstable();
    if rows.len() < 3 * LEAST_ROWS {
        return Vec::new();
    }
    let others = sheet.columns.iter().filter(|column| column.column.name != time.column.name && !column.is_time());
    others
        .filter_map(|column| {
            codes_changed(sheet, column, time, &rows).or_else(|| scale_changed(sheet, column, time, &rows))
        })
        .collect()
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
    if !is_code || !(4..=MOST_CODES).contains(&spans.len()) {
        return None;
    }
    let mut codes: Vec<(&str, (i64, i64))> = spans.into_iter().collect();
    codes.sort_by_key(|(code, (first, _))| (*first, *code));
    let place = (2..=codes.len() - 2).find(|place| {
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
        since: day(since),
        before: listed(before),
        after: listed(after),
    };
    Some(Fact::new(kind, filled.len() as u64, filled.len() as u64, proof))
}

/// Quantities that are many times larger, or smaller, from a day on, with next to none in between.
fn scale_changed(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
) -> Option<Fact> {
    /// How much larger, at least, and the share of the rows that lie on the right side of the line between them.
    const LARGER: f64 = 20.0;
    const APART: f64 = 0.97;
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
    // The line between them lies in the middle of the widest gap between neighbouring values.
    let mut values: Vec<f64> = filled.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    let middle = |part: &[f64]| part[part.len() / 2];
    let inner = values.len() / 20..values.len() - values.len() / 20;
    let split =
        inner.max_by(|one, two| (values[*one + 1] - values[*one]).total_cmp(&(values[*two + 1] - values[*two])))?;
    let (small, large) = values.split_at(split + 1);
    let line = (values[split] + values[split + 1]) / 2.0;
    if !is_enough(small.len(), values.len())
        || !is_enough(large.len(), values.len())
        || middle(large) - middle(small) < LARGER.ln()
    {
        return None;
    }
    let begins_small = filled[..LEAST_ROWS].iter().filter(|(_, value)| *value < line).count() * 2 > LEAST_ROWS;
    let is_old = |value: f64| (value < line) == begins_small;
    // The day on which most rows are on their side.
    let all_old = filled.iter().filter(|(_, value)| is_old(*value)).count();
    let mut right = filled.len() - all_old;
    let mut best = (right, 0);
    for (place, (_, value)) in filled.iter().enumerate() {
        right = if is_old(*value) { right + 1 } else { right - 1 };
        if right > best.0 {
            best = (right, place + 1);
        }
    }
    let (right, place) = best;
    if !is_enough(place, filled.len())
        || !is_enough(filled.len() - place, filled.len())
        || (right as f64) < APART * filled.len() as f64
    {
        return None;
    }
    let factor = nearest_factor((middle(large) - middle(small)).exp());
    let (name, at, from) = (sheet.name(column), sheet.name(time), sheet.from());
    let since = day(filled[place].0);
    let since_literal = sheet.dialect.literal(&since);
    let proof = format!(
        "SELECT CASE WHEN {at} < {since_literal} THEN 'before' ELSE 'since' END AS part, count(*), min({name}), avg({name}), max({name}) FROM {from} GROUP BY 1"
    );
    let kind = FactKind::ScaleChanged {
        column: column.column.name.clone(),
        time: time.column.name.clone(),
        since,
        factor: if begins_small { factor } else { 1.0 / factor },
    };
    Some(Fact::new(kind, right as u64, filled.len() as u64, proof))
}

/// The factor between units that a rough one stands for, or itself in one digit.
fn nearest_factor(rough: f64) -> f64 {
    const FACTORS: [f64; 6] = [24.0, 60.0, 100.0, 1000.0, 3600.0, 1.0e6];
    let near = FACTORS.into_iter().find(|factor| (rough / factor).ln().abs() < 0.35);
    near.unwrap_or_else(|| {
        let scale = 10f64.powf(rough.log10().floor());
        (rough / scale).round() * scale
    })
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
