//! Months without a row between months with many: of the whole table, or of one of its sites, shops, meters.

use std::collections::BTreeMap;

use catalog::{Fact, FactKind, TableKind};
use jiff::civil::Date;

use super::sheet::{EVENTS, Sheet, SheetColumn, day};

/// Rows a month around it, so that none isn't chance: where all rows are seen, and where some are.
const EXPECTED: f64 = 12.0;
const EXPECTED_OF_SOME: f64 = 24.0;
/// Months that there must be where some rows are seen: what goes by seasons would show in them.
const LEAST_MONTHS: i64 = 25;
/// Different values of what tells groups apart, and how many of them have rows in a month in which one has none.
const GROUPS: std::ops::RangeInclusive<u64> = 3..=60;
const MOST_WITHOUT: usize = 2;

pub(super) fn fact(sheet: &Sheet<'_>) -> Option<Fact> {
    // Of validity, of plans and of births there may be none in a month.
    let is_event = |time: &&SheetColumn<'_>| !crate::staleness::is_of_its_own(&time.words);
    let is_stored = sheet.table.kind == TableKind::Table;
    let time = sheet.time().filter(|_| (sheet.is_whole() || sheet.is_row_by_row()) && is_stored).filter(is_event)?;
    let all: Vec<usize> = (0..sheet.rows).collect();
    if let Some((from, until)) = gap(sheet, time, &all) {
        return Some(told(sheet, time, from, until, None));
    }
    let is_group =
        |column: &&SheetColumn<'_>| GROUPS.contains(&column.different()) && !column.is_time() && column.empty() == 0.0;
    sheet.columns.iter().filter(is_group).find_map(|column| {
        let groups = sheet.groups(&[column]);
        let gaps: Vec<(&Vec<usize>, (i64, i64))> =
            groups.iter().filter_map(|rows| Some((rows, gap(sheet, time, rows)?))).collect();
        let (rows, (from, until)) = *gaps.first().filter(|_| gaps.len() <= MOST_WITHOUT)?;
        // The others must have been there all the time.
        let is_full = |rows: &&Vec<usize>| {
            let months = months(time, rows);
            (from..=until).all(|month| months.get(&month).is_some_and(|count| *count as f64 >= EXPECTED / 2.0))
        };
        let others = groups.iter().filter(is_full).count();
        let value = column.texts[*rows.first()?].clone()?;
        (others > gaps.len()).then(|| told(sheet, time, from, until, Some((column, value))))
    })
}

/// Rows by the months in which they are, counted from the year 0.
pub(super) fn months(time: &SheetColumn<'_>, rows: &[usize]) -> BTreeMap<i64, usize> {
    let mut months = BTreeMap::new();
    for at in rows.iter().filter_map(|row| time.times[*row]).filter(|at| EVENTS.contains(at)) {
        if let Ok(date) = day(at).parse::<Date>() {
            *months.entry(i64::from(date.year()) * 12 + i64::from(date.month()) - 1).or_default() += 1;
        }
    }
    months
}

/// The first and the last of the months without a row.
fn gap(sheet: &Sheet<'_>, time: &SheetColumn<'_>, rows: &[usize]) -> Option<(i64, i64)> {
    let seen: Vec<(i64, usize)> = months(time, rows).into_iter().collect();
    let span = seen.last()?.0 - seen.first()?.0 + 1;
    let expected = if sheet.is_whole() { EXPECTED } else { EXPECTED_OF_SOME };
    if !sheet.is_whole() && span < LEAST_MONTHS {
        return None;
    }
    let around =
        |part: &[(i64, usize)]| part.iter().map(|(_, count)| *count as f64).sum::<f64>() / part.len().max(1) as f64;
    let ends_gap = |place: &usize| seen[*place].0 - seen[place - 1].0 > 1;
    let place = (1..seen.len()).filter(ends_gap).find(|place| {
        around(&seen[place.saturating_sub(3)..*place]) >= expected
            && around(&seen[*place..(place + 3).min(seen.len())]) >= expected
    })?;
    // What pauses each year in the same month goes by seasons.
    let begins = |place: usize| seen[place - 1].0.rem_euclid(12);
    if (1..seen.len()).filter(ends_gap).any(|other| other != place && begins(other) == begins(place)) {
        return None;
    }
    Some((seen[place - 1].0 + 1, seen[place].0 - 1))
}

fn told(
    sheet: &Sheet<'_>,
    time: &SheetColumn<'_>,
    from: i64,
    until: i64,
    of: Option<(&SheetColumn<'_>, String)>,
) -> Fact {
    let month = |number: i64| format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1);
    let name = sheet.name(time);
    let literal = |month: &str| sheet.dialect.literal(&format!("{month}-01"));
    let group = of.as_ref().map(|(column, value)| {
        let value = if column.is_numeric() { value.clone() } else { sheet.dialect.literal(value) };
        format!(" AND {} = {value}", sheet.name(column))
    });
    let proof = format!(
        "SELECT count(*) FROM {} WHERE {name} >= {} AND {name} < {}{}",
        sheet.from(),
        literal(&month(from)),
        literal(&month(until + 1)),
        group.unwrap_or_default()
    );
    let kind = FactKind::Gap {
        column: time.column.name.clone(),
        from: month(from),
        until: month(until),
        of: of.map(|(column, value)| (column.column.name.clone(), value)),
        sampled: !sheet.is_whole(),
    };
    Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof)
}
