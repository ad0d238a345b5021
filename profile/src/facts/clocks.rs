//! What the times of a row say of each other: one moment on two clocks, days that don't begin at midnight, clocks of other places.

use std::collections::BTreeMap;

use catalog::{Fact, FactKind, KnownValues};

use super::sheet::{EVENTS, Sheet, SheetColumn};
use super::words_of;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const A_DAY: i64 = 24 * HOUR;
/// Rows that have both times, and the share of them that must agree.
const LEAST_ROWS: usize = 40;
const SHARE: f64 = 0.97;

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let times: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(|column| column.is_time()).collect();
    let (days, moments): (Vec<&SheetColumn<'_>>, Vec<&SheetColumn<'_>>) =
        times.iter().copied().partition(|column| is_days(column));
    let mut facts = Vec::new();
    for (place, one) in moments.iter().enumerate() {
        facts.extend(moments[place + 1..].iter().filter_map(|two| other_clock(sheet, one, two)));
    }
    // Of several moments the one whose day it is.
    for day in days {
        let of_moments = moments.iter().filter_map(|moment| other_day(sheet, day, moment));
        facts.extend(of_moments.max_by(|one, two| one.share().total_cmp(&two.share())));
    }
    facts.extend(clock_by(sheet, &times));
    facts.extend(ends_next_day(sheet));
    facts
}

/// Whether it holds days, and no times of the day.
fn is_days(column: &SheetColumn<'_>) -> bool {
    column.times.iter().flatten().all(|second| second % A_DAY == 0)
}

/// Both times of the rows that have them.
fn both(one: &SheetColumn<'_>, two: &SheetColumn<'_>) -> Vec<(i64, i64)> {
    let pairs = one.times.iter().zip(&two.times).filter_map(|(one, two)| Some(((*one)?, (*two)?)));
    pairs.filter(|(one, two)| EVENTS.contains(one) && EVENTS.contains(two)).collect()
}

/// A time that is ahead of another one by an hour more in summer, or, where the names speak of clocks, by always the same.
fn other_clock(sheet: &Sheet<'_>, one: &SheetColumn<'_>, two: &SheetColumn<'_>) -> Option<Fact> {
    const CLOCKS: [&str; 8] = ["utc", "gmt", "local", "lokal", "zulu", "zone", "tz", "ortszeit"];
    const FARTHEST: i64 = 14 * HOUR;
    let pairs = both(one, two);
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    pairs.iter().for_each(|(one, two)| *counts.entry(one - two).or_default() += 1);
    let mut frequent: Vec<(i64, usize)> = counts.into_iter().collect();
    frequent.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    frequent.truncate(2);
    let rare = frequent.last().is_some_and(|(_, count)| count * 20 < pairs.len());
    if rare {
        frequent.truncate(1);
    }
    let held: usize = frequent.iter().map(|(_, count)| count).sum();
    let is_offset = |(apart, _): &(i64, usize)| apart % (15 * MINUTE) == 0 && apart.abs() <= FARTHEST;
    if pairs.len() < LEAST_ROWS
        || (held as f64) < SHARE * pairs.len() as f64
        || !frequent.iter().all(is_offset)
        || frequent.iter().all(|(apart, _)| *apart == 0)
    {
        return None;
    }
    let mut ahead: Vec<i64> = frequent.iter().map(|(apart, _)| *apart).collect();
    ahead.sort_unstable();
    let is_told = match ahead.as_slice() {
        [_] => one.has_word(&CLOCKS) || two.has_word(&CLOCKS),
        [winter, summer] => summer - winter == HOUR && goes_with_the_season(&pairs, [*winter, *summer]),
        _ => false,
    };
    if !is_told {
        return None;
    }
    // Told beside the one that isn't in universal time, which is the one that changes its hour; or beside the later one.
    let universal = ["utc", "gmt", "zulu"];
    let is_first = !one.has_word(&universal) && (two.has_word(&universal) || ahead.iter().all(|apart| *apart >= 0));
    let (column, of) = if is_first { (one, two) } else { (two, one) };
    let minutes = |apart: &i64| i32::try_from(apart / MINUTE * if is_first { 1 } else { -1 }).ok();
    let mut ahead: Vec<i32> = ahead.iter().filter_map(minutes).collect();
    ahead.sort_unstable();
    let (name, other) = (sheet.name(column), sheet.name(of));
    let proof = format!("SELECT {name}, {other} FROM {} ORDER BY {other} LIMIT 20", sheet.from());
    let kind = FactKind::OtherClock { column: column.column.name.clone(), of: of.column.name.clone(), ahead };
    Some(Fact::new(kind, held as u64, pairs.len() as u64, proof))
}

/// Whether one distance is that of the summer: from May to September it is always the same, from December to February the other.
fn goes_with_the_season(pairs: &[(i64, i64)], apart: [i64; 2]) -> bool {
    let (mut right, mut wrong) = ([0, 0], [0, 0]);
    for (one, two) in pairs {
        let days = super::sheet::day(*one);
        let month: u32 = days.get(5..7).and_then(|month| month.parse().ok()).unwrap_or(0);
        let season = match month {
            5..=9 => 1,
            12 | 1 | 2 => 0,
            _ => continue,
        };
        match one - two == apart[season] {
            true => right[season] += 1,
            false => wrong[season] += 1,
        }
    }
    let agree = |right: [usize; 2], wrong: [usize; 2]| {
        let all: usize = right.iter().chain(&wrong).sum();
        all >= LEAST_ROWS / 2 && wrong.iter().sum::<usize>() * 20 <= all && right.iter().all(|count| *count > 0)
    };
    // In the south, or where it is taken from the other side, the longer distance is that of the winter.
    agree(right, wrong) || agree(wrong, right)
}

/// A day that isn't that of the moment beside it before some hour, or from one on.
fn other_day(sheet: &Sheet<'_>, column: &SheetColumn<'_>, time: &SheetColumn<'_>) -> Option<Fact> {
    /// Rows of another day that there must be.
    const LEAST_OTHERS: usize = 5;
    let pairs = both(column, time);
    if pairs.len() < LEAST_ROWS {
        return None;
    }
    // By how many days the day is off, and the time of the day.
    let moved: Vec<(i64, i64)> =
        pairs.iter().map(|(day, at)| (day.div_euclid(A_DAY) - at.div_euclid(A_DAY), at.rem_euclid(A_DAY))).collect();
    [-1, 1].into_iter().find_map(|off| {
        let others: Vec<i64> = moved.iter().filter(|(by, _)| *by == off).map(|(_, at)| *at).collect();
        if others.len() < LEAST_OTHERS {
            return None;
        }
        // The hour from which on, or before which, it is off.
        let hour = match off {
            -1 => others.iter().max()?.div_euclid(HOUR) + 1,
            _ => others.iter().min()?.div_euclid(HOUR),
        };
        let is_right = |(by, at): &&(i64, i64)| {
            let is_off = if off < 0 { *at < hour * HOUR } else { *at >= hour * HOUR };
            *by == if is_off { off } else { 0 }
        };
        let held = moved.iter().filter(is_right).count();
        let begins = i8::try_from(hour).ok().filter(|hour| (1..=23).contains(hour))?;
        // Days that end long before a moment, or begin long after, aren't its day.
        let is_told = held as f64 >= SHARE * moved.len() as f64 && (if off < 0 { begins <= 12 } else { begins >= 12 });
        let (name, at) = (sheet.name(column), sheet.name(time));
        let proof = format!("SELECT {name}, {at} FROM {} ORDER BY {at} LIMIT 50", sheet.from());
        let kind = FactKind::OtherDay {
            column: column.column.name.clone(),
            time: time.column.name.clone(),
            begins,
            is_ahead: off > 0,
        };
        is_told.then(|| Fact::new(kind, held as u64, moved.len() as u64, proof))
    })
}

/// Times of the day on the clocks of several places, which another column names.
fn clock_by(sheet: &Sheet<'_>, times: &[&SheetColumn<'_>]) -> Option<Fact> {
    // A time with a zone is one moment everywhere.
    let is_zoned = |column: &SheetColumn<'_>| {
        let kind = column.column.data_type.to_lowercase();
        kind.contains("timestamptz") || kind.ends_with("zone") && kind.split(' ').any(|word| word == "with")
    };
    let time = times.iter().find(|column| !is_days(column) && !is_zoned(column))?;
    let zones = sheet.columns.iter().find_map(|column| match &column.figures.values {
        KnownValues::All(values)
            if values.len() > 1
                && (values.iter().all(|value| is_zone(value))
                    || column.has_word(&words_of::OFFSETS) && values.iter().all(|value| is_offset(value))) =>
        {
            Some((column, values))
        }
        _ => None,
    });
    let (by, values) = zones?;
    let (name, at) = (sheet.name(by), sheet.name(time));
    let proof = format!("SELECT {name}, count(*), min({at}), max({at}) FROM {} GROUP BY {name}", sheet.from());
    let kind = FactKind::ClockBy {
        column: time.column.name.clone(),
        by: by.column.name.clone(),
        values: values.iter().take(4).cloned().collect(),
    };
    Some(Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof))
}

/// Whether that is a number of minutes by which a clock can be ahead.
fn is_offset(value: &str) -> bool {
    value.parse::<i64>().is_ok_and(|minutes| minutes % 15 == 0 && minutes.abs() <= 14 * 60)
}

/// Times of the day of which the later one is often the earlier: it is on the next day.
fn ends_next_day(sheet: &Sheet<'_>) -> Option<Fact> {
    const OFTEN: std::ops::RangeInclusive<f64> = 0.003..=0.5;
    let of_day = |text: &str| {
        let (hours, rest) = text.split_once(':')?;
        let minutes = rest.get(..2)?;
        let is_short = text.len() <= 8;
        Some(hours.parse::<u32>().ok().filter(|hours| is_short && *hours < 24)? * 60 + minutes.parse::<u32>().ok()?)
    };
    let is_time_of_day = |column: &&SheetColumn<'_>| {
        let texts = || column.texts.iter().flatten();
        texts().next().is_some_and(|text| of_day(text).is_some()) && texts().all(|text| of_day(text).is_some())
    };
    let columns: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_time_of_day).collect();
    let from = columns.iter().find(|column| column.has_word(&words_of::BEGINS))?;
    let until =
        columns.iter().find(|column| column.has_word(&words_of::ENDS) && !column.has_word(&words_of::BEGINS))?;
    let pairs = from.texts.iter().zip(&until.texts);
    let pairs: Vec<(u32, u32)> =
        pairs.filter_map(|(from, until)| Some((of_day(from.as_deref()?)?, of_day(until.as_deref()?)?))).collect();
    let held = pairs.iter().filter(|(from, until)| until < from).count();
    let is_told = pairs.len() >= LEAST_ROWS && OFTEN.contains(&(held as f64 / pairs.len() as f64));
    let (name, begin) = (sheet.name(until), sheet.name(from));
    let proof = format!("SELECT {begin}, {name} FROM {} WHERE {name} < {begin} LIMIT 20", sheet.from());
    let kind = FactKind::EndsNextDay { column: until.column.name.clone(), from: from.column.name.clone() };
    is_told.then(|| Fact::new(kind, held as u64, pairs.len() as u64, proof))
}

/// Whether that names a time zone: `Europe/Berlin`, `+02:00`, `CET`.
fn is_zone(value: &str) -> bool {
    const AREAS: [&str; 11] = [
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
        "Etc",
    ];
    const SHORT: [&str; 22] = [
        "UTC", "GMT", "CET", "CEST", "MEZ", "MESZ", "EET", "EEST", "WET", "WEST", "BST", "MSK", "EST", "EDT", "CST",
        "CDT", "MST", "MDT", "PST", "PDT", "JST", "IST",
    ];
    let value = value.trim();
    let is_written_offset = || {
        let digits = value.trim_start_matches(['U', 'T', 'C', 'G', 'M']).strip_prefix(['+', '-']);
        digits.is_some_and(|digits| {
            (1..=5).contains(&digits.len())
                && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
                && (digits.len() > 3 || value.starts_with(['U', 'G']))
        })
    };
    value.split_once('/').is_some_and(|(area, _)| AREAS.contains(&area))
        || SHORT.contains(&value)
        || is_written_offset()
}

#[cfg(test)]
mod tests {
    use super::is_zone;

    #[test]
    fn zones_are_told_from_other_words() {
        for zone in ["Europe/Berlin", "America/Argentina/Salta", "+02:00", "-0330", "UTC+1", "CET", "UTC"] {
            assert!(is_zone(zone), "{zone}");
        }
        for other in ["", "N/A", "Berlin", "+", "+1", "-12", "cet", "A/B", "2024-01-01"] {
            assert!(!is_zone(other), "{other}");
        }
    }
}
