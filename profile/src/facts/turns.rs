//! What changes on a day and stays so: how many rows there are, whether amounts are negative.

use catalog::{Fact, FactKind, TableKind};

use super::gaps::months;
use super::sheet::{EVENTS, Sheet, SheetColumn, day};

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let mut facts: Vec<Fact> = rows_changed(sheet).into_iter().collect();
    facts.extend(negative_while(sheet));
    facts
}

/// Several times as many rows a month from one month on as before, or as few: rows were kept in part, or come from more places.
fn rows_changed(sheet: &Sheet<'_>) -> Option<Fact> {
    /// Months on each side, rows of a month on the fuller side, times as many that there must be, and how far months may be from
    /// the middle of their side.
    const MONTHS: usize = 6;
    const ROWS: usize = 12;
    const TIMES: f64 = 4.0;
    const SPREAD: f64 = 2.5;
    /// Months right beside the first one, and times as many that there must be in them.
    const QUARTER: usize = 3;
    const AT_ONCE: f64 = 3.0;
    /// The share of the months that must be so.
    const STEADY: f64 = 0.85;
    let is_even = sheet.is_whole() || sheet.is_even();
    let is_event = |time: &&SheetColumn<'_>| !crate::staleness::is_of_its_own(&time.words);
    let time = sheet.time().filter(|_| is_even && sheet.table.kind == TableKind::Table).filter(is_event)?;
    let all: Vec<usize> = (0..sheet.rows).collect();
    let counted = months(time, &all);
    let (first, last) = (*counted.keys().next()?, *counted.keys().next_back()?);
    // The first and the last may have begun and ended within.
    let counts: Vec<(i64, f64)> =
        (first + 1..last).map(|month| (month, counted.get(&month).copied().unwrap_or_default() as f64)).collect();
    let middle = |part: &[(i64, f64)]| {
        let mut sorted: Vec<f64> = part.iter().map(|(_, count)| *count).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let is_steady = |part: &[(i64, f64)], middle: f64| {
        let near = part.iter().filter(|(_, count)| *count <= SPREAD * middle && *count >= middle / SPREAD).count();
        near as f64 >= STEADY * part.len() as f64
    };
    let found = (MONTHS..counts.len().saturating_sub(MONTHS - 1)).filter_map(|place| {
        let (before, after) = counts.split_at(place);
        let (one, two) = (middle(before), middle(after));
        let times = (two / one).max(one / two);
        let is_clear = one > 0.0 && two > 0.0 && times >= TIMES && one.max(two) >= ROWS as f64;
        // What grows by and by has no such month: the quarters beside it differ as the whole sides do.
        let jumps = || {
            let times = |last: f64, next: f64| (next.max(1.0) / last.max(1.0)).max(last.max(1.0) / next.max(1.0));
            times(before[place - 1].1, after[0].1) >= TIMES / 1.6
                && times(middle(&before[place - QUARTER..]), middle(&after[..QUARTER])) >= AT_ONCE
        };
        (is_clear && jumps() && is_steady(before, one) && is_steady(after, two)).then_some((
            after[0].0,
            two / one,
            times,
        ))
    });
    let (month, factor, _) = found.max_by(|one, other| one.2.total_cmp(&other.2))?;
    let since = format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
    let (name, from) = (sheet.name(time), sheet.from());
    let literal = sheet.dialect.literal(&format!("{since}-01"));
    let proof = format!("SELECT {name} >= {literal}, min({name}), max({name}), count(*) FROM {from} GROUP BY 1");
    let kind = FactKind::RowsChanged { column: time.column.name.clone(), since, factor };
    Some(Fact::new(kind, counts.len() as u64, counts.len() as u64, proof))
}

/// Amounts that are negative up to a day or from one on, and never on the other side: in rows of one kind, or in all.
fn negative_while(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Negative ones that there must be, as many as there would have been on the other side, and kinds of rows.
    const LEAST: usize = 12;
    const EXPECTED: f64 = 20.0;
    const KINDS: std::ops::RangeInclusive<u64> = 2..=12;
    /// The share of one kind's rows that are negative where they are.
    const MOSTLY: f64 = 0.95;
    let Some(time) = sheet.time().filter(|_| sheet.is_whole() || sheet.is_even()) else { return Vec::new() };
    let mut rows: Vec<(i64, usize)> = (0..sheet.rows).filter_map(|row| Some((time.times[row]?, row))).collect();
    rows.retain(|(at, _)| EVENTS.contains(at));
    rows.sort_unstable();
    // From when or until when they are negative, among those of some rows.
    let turn = |column: &SheetColumn<'_>, wanted: &dyn Fn(usize) -> bool, least: f64| {
        let signs: Vec<(i64, bool)> = rows
            .iter()
            .filter(|(_, row)| wanted(*row))
            .filter_map(|(at, row)| Some((*at, column.numbers[*row].filter(|number| *number != 0.0)? < 0.0)))
            .collect();
        let first = signs.iter().position(|(_, negative)| *negative)?;
        let last = signs.iter().rposition(|(_, negative)| *negative)?;
        let negative = signs.iter().filter(|(_, negative)| *negative).count();
        let rate = negative as f64 / (last + 1 - first) as f64;
        let (before, after) = (first as f64, (signs.len() - 1 - last) as f64);
        let is_told = negative >= LEAST && rate >= least;
        let begins = is_told && rate * before >= EXPECTED && before * 10.0 >= signs.len() as f64;
        let ends = is_told && rate * after >= EXPECTED && after * 10.0 >= signs.len() as f64;
        // At most at one end is it a change of how they are kept.
        (begins != ends).then(|| (begins.then(|| day(signs[first].0)), ends.then(|| day(signs[last].0)), signs.len()))
    };
    let is_measure = |column: &&SheetColumn<'_>| column.is_numeric() && !column.is_key && column.different() >= 8;
    let is_kind = |column: &&SheetColumn<'_>| {
        KINDS.contains(&column.different()) && !column.is_time() && !column.is_numeric() && column.empty() < 0.02
    };
    let found =
        sheet.columns.iter().filter(is_measure).filter(|column| column.numbers.iter().flatten().any(|it| *it < 0.0));
    let told = found.filter_map(|column| {
        let of_kind = sheet.columns.iter().filter(is_kind).find_map(|by| {
            sheet.groups(&[by]).into_iter().find_map(|rows| {
                let value = by.texts[*rows.first()?].clone()?;
                let turned = turn(column, &|row| by.texts[row].as_deref() == Some(value.as_str()), MOSTLY)?;
                Some((Some((by.column.name.clone(), value)), turned))
            })
        });
        let (only, (since, until, looked_at)) = of_kind.or_else(|| Some((None, turn(column, &|_| true, 0.05)?)))?;
        let (name, at) = (sheet.name(column), sheet.name(time));
        let proof = format!("SELECT min({at}), max({at}), count(*) FROM {} WHERE {name} < 0", sheet.from());
        let kind = FactKind::NegativeWhile {
            column: column.column.name.clone(),
            time: time.column.name.clone(),
            since,
            until,
            only,
        };
        Some(Fact::new(kind, looked_at as u64, looked_at as u64, proof))
    });
    told.take(2).collect()
}
