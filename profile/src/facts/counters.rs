//! Counts that go on: meters, odometers, totals so far.

use std::collections::HashMap;

use catalog::{Fact, FactKind};

use super::sheet::{Sheet, SheetColumn};
use super::switches::in_order;

/// Rows of a thing, in the mean, and pairs of neighbouring rows in all.
const LEAST_ROWS: f64 = 7.0;
const LEAST_PAIRS: usize = 60;
/// The share of them in which the count is not less than before, or begins anew; in which it is more; and the share of all rows in
/// their order in time that may say so as well: what grows with time whatever it is of is a number of the row.
const HOLDS: f64 = 0.97;
const GROWS: f64 = 0.5;
const OF_ALL: f64 = 0.75;
/// The share of the rows that may be of the same thing and time as another one: readings that were corrected.
const AT_ONCE: f64 = 0.1;
/// Columns, and pairs of columns, that are tried as what is counted.
const MOST_KEYS: usize = 16;
/// Different values of a column that tells things apart, where its name doesn't say that it does.
const MOST_THINGS: u64 = 60;
/// What begins anew falls below this share of what it was.
const ANEW: f64 = 0.2;
/// Words of quantities that grow over the years without being counts.
const GROWING: [&str; 14] = [
    "price", "cost", "salary", "wage", "fee", "rate", "year", "version", "revision", "rev", "position", "pos", "age",
    "index",
];

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let Some(time) = sheet.time() else { return Vec::new() };
    let is_thing = |column: &&SheetColumn<'_>| {
        // What has a decimal point is measured.
        let is_whole = || column.texts.iter().flatten().all(|text| !text.contains('.'));
        let is_thing = column.is_key || column.different() <= MOST_THINGS && is_whole();
        is_thing && !column.is_time() && column.empty() < 0.02
    };
    let is_count = |column: &&SheetColumn<'_>| {
        column.is_numeric() && !column.is_key && column.different() >= 20 && !column.has_word(&GROWING)
    };
    let things: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_thing).collect();
    let rows: Vec<usize> = in_order(sheet, time).into_iter().map(|(_, row)| row).collect();
    let mut counts: Vec<&SheetColumn<'_>> =
        sheet.columns.iter().filter(is_count).filter(|count| !grows_with_time(count, &rows)).collect();
    let alone = things.iter().map(|thing| vec![*thing]);
    let pairs = (things.iter().enumerate())
        .flat_map(|(place, one)| things[place + 1..].iter().map(move |two| vec![*one, *two]));
    let mut facts = Vec::new();
    for key in alone.chain(pairs).take(MOST_KEYS) {
        if counts.is_empty() {
            break;
        }
        let Some(histories) = histories(&key, time, &rows) else { continue };
        counts.retain(|count| {
            let found = running_total(sheet, count, &key, time, &histories);
            facts.extend(found.clone());
            found.is_none()
        });
    }
    facts
}

/// The rows of each thing in the order of their time, with it; `None` where they are few, or several at a time, whose order is
/// anybody's.
fn histories(key: &[&SheetColumn<'_>], time: &SheetColumn<'_>, rows: &[usize]) -> Option<Vec<Vec<(i64, usize)>>> {
    let mut by_thing: HashMap<u64, Vec<(i64, usize)>> = HashMap::new();
    for row in rows {
        if let (Some(first), Some(at)) = (key.first(), time.times[*row]) {
            by_thing.entry(first.group_of(*row, key.get(1).copied())).or_default().push((at, *row));
        }
    }
    let all: usize = by_thing.values().map(Vec::len).sum();
    let at_once = by_thing.values().flat_map(|rows| rows.windows(2)).filter(|pair| pair[0].0 == pair[1].0).count();
    let is_told = by_thing.len() > 1
        && all as f64 >= LEAST_ROWS * by_thing.len() as f64
        && at_once as f64 <= AT_ONCE * all as f64;
    is_told.then(|| by_thing.into_values().collect())
}

fn grows_with_time(count: &SheetColumn<'_>, rows: &[usize]) -> bool {
    let values: Vec<f64> = rows.iter().filter_map(|row| count.numbers[*row]).collect();
    let pairs = values.windows(2).filter(|pair| pair[1] >= pair[0]).count();
    pairs as f64 >= OF_ALL * values.len().saturating_sub(1) as f64
}

fn running_total(
    sheet: &Sheet<'_>,
    count: &SheetColumn<'_>,
    key: &[&SheetColumn<'_>],
    time: &SheetColumn<'_>,
    histories: &[Vec<(i64, usize)>],
) -> Option<Fact> {
    let (mut pairs, mut held, mut more) = (0, 0, 0);
    for history in histories {
        let told = history.iter().filter_map(|(at, row)| Some((*at, count.numbers[*row]?)));
        let told: Vec<(i64, f64)> = told.collect();
        for (earlier, later) in told.windows(2).map(|pair| (pair[0], pair[1])).filter(|(one, two)| one.0 != two.0) {
            pairs += 1;
            held += usize::from(later.1 >= earlier.1 || later.1.abs() < ANEW * earlier.1);
            more += usize::from(later.1 > earlier.1);
        }
    }
    if pairs < LEAST_PAIRS || (held as f64) < HOLDS * pairs as f64 || (more as f64) < GROWS * pairs as f64 {
        return None;
    }
    let list = key.iter().map(|column| sheet.name(column)).collect::<Vec<_>>().join(", ");
    let (at, name) = (sheet.name(time), sheet.name(count));
    let proof = format!("SELECT {list}, {at}, {name} FROM {} ORDER BY {list}, {at} LIMIT 50", sheet.from());
    let kind = FactKind::RunningTotal {
        column: count.column.name.clone(),
        key: key.iter().map(|column| column.column.name.clone()).collect(),
        time: time.column.name.clone(),
    };
    Some(Fact::new(kind, held as u64, pairs as u64, proof))
}
