//! Quantities of a group of rows: one that stands on each of them, and parts that make up a whole.

use std::collections::HashSet;

use catalog::{Fact, FactKind, TableKind};

use super::sheet::{Sheet, SheetColumn};
use super::words_of;

/// Columns by which rows are grouped.
const MOST_GROUPINGS: usize = 8;

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    if sheet.table.kind != TableKind::Table {
        return Vec::new();
    }
    let measures = || sheet.columns.iter().filter(|column| column.is_numeric() && !column.is_key);
    let mut facts: Vec<Fact> = measures().filter_map(|measure| repeated_amount(sheet, measure)).collect();
    facts.extend(measures().filter_map(|measure| shares_of(sheet, measure)));
    facts
}

/// What rows may have in common: what they are about, not when they were made.
fn groupings<'s, 'a>(sheet: &'s Sheet<'a>, measure: &SheetColumn<'_>) -> Vec<&'s SheetColumn<'a>> {
    let is_grouping = |column: &&SheetColumn<'_>| {
        column.column.name != measure.column.name
            && (column.is_key || column.is_text())
            && !column.is_time()
            && column.empty() < 0.02
    };
    sheet.columns.iter().filter(is_grouping).take(MOST_GROUPINGS).collect()
}

/// An amount of a thing that stands on each of its rows: the cost of a trip beside every leg of it.
fn repeated_amount(sheet: &Sheet<'_>, measure: &SheetColumn<'_>) -> Option<Fact> {
    /// Things of several rows, the share of them with one amount, and of those amounts that differ from others.
    const THINGS: usize = 30;
    const SAME: f64 = 0.98;
    const DIFFERENT: f64 = 0.5;
    /// The share of the things whose rows say different things.
    const OTHERWISE: f64 = 0.5;
    /// Words of what is the same for many things by its nature: a price of one piece, a limit.
    const OF_EACH: [&str; 14] = [
        "price", "preis", "precio", "prix", "prezzo", "unit", "each", "limit", "budget", "list", "discount", "balance",
        "salary", "tariff",
    ];
    let is_amount =
        measure.has_word(&words_of::MONEY) && !measure.has_word(&words_of::WITHOUT_UNIT) && !measure.has_word(&OF_EACH);
    if !is_amount || measure.different() < THINGS as u64 {
        return None;
    }
    let rows = sheet.row_count()?;
    let is_thing = |column: &&SheetColumn<'_>| {
        let different = column.different();
        different >= THINGS as u64 && different as f64 <= 0.8 * rows
    };
    let others: Vec<&SheetColumn<'_>> = sheet
        .columns
        .iter()
        .filter(|column| sheet.table.primary_key != [column.column.name.as_str()])
        .filter(|column| column.column.name != measure.column.name)
        .collect();
    let (thing, held, all) = groupings(sheet, measure)
        .into_iter()
        .filter(is_thing)
        .filter_map(|thing| {
            let groups = sheet.groups(&[thing]);
            let several: Vec<&Vec<usize>> = groups.iter().filter(|rows| rows.len() > 1).collect();
            let amount = |row: usize| measure.texts[row].as_deref();
            let is_same = |rows: &&&Vec<usize>| rows.iter().all(|row| amount(*row) == amount(rows[0]));
            let same: Vec<&&Vec<usize>> = several.iter().filter(is_same).collect();
            let amounts: HashSet<&str> = same.iter().filter_map(|rows| amount(rows[0])).collect();
            // What is the same in all but its number is the row itself once more.
            let differs = |rows: &&&&Vec<usize>| {
                let is_other =
                    |column: &&&SheetColumn<'_>| column.group_of(rows[0], None) != column.group_of(rows[1], None);
                others.iter().any(|column| is_other(&column))
            };
            let otherwise = same.iter().filter(differs).count();
            let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
            let is_repeated = several.len() >= THINGS
                && share(same.len(), several.len()) >= SAME
                && share(amounts.len(), same.len()) >= DIFFERENT
                && share(otherwise, same.len()) >= OTHERWISE;
            is_repeated.then_some((thing, same.len(), several.len()))
        })
        // Where an order's rows have one amount, so have a line's: it is the order's.
        .min_by_key(|(thing, ..)| thing.different())?;
    let (key, name) = (sheet.name(thing), sheet.name(measure));
    let proof = format!(
        "SELECT {key}, count(*), min({name}), max({name}) FROM {} GROUP BY {key} HAVING count(*) > 1 LIMIT 20",
        sheet.from()
    );
    let kind = FactKind::RepeatedAmount { column: measure.column.name.clone(), key: thing.column.name.clone() };
    Some(Fact::new(kind, held as u64, all as u64, proof))
}

/// Parts that add up to 1, to 100 or to 1000 for each thing: shares of it.
fn shares_of(sheet: &Sheet<'_>, measure: &SheetColumn<'_>) -> Option<Fact> {
    const WHOLES: [f64; 3] = [1.0, 100.0, 1000.0];
    /// Things of several parts, and the share of all things whose parts make up the whole.
    const THINGS: usize = 20;
    const WHOLE: f64 = 0.97;
    /// How far the rounding of each part may take their sum from the whole, and that of all of them.
    const ROUNDED: f64 = 0.003;
    const MOST_ROUNDED: f64 = 0.03;
    let numbers = || measure.numbers.iter().flatten();
    if !sheet.is_whole() || measure.different() < 4 || numbers().any(|number| *number < 0.0) {
        return None;
    }
    let most = numbers().copied().fold(0.0, f64::max);
    let things = groupings(sheet, measure);
    let pairs =
        things.iter().enumerate().flat_map(|(place, one)| things[place + 1..].iter().map(move |two| vec![*one, *two]));
    let keys = things.iter().map(|thing| vec![*thing]).chain(pairs);
    for key in keys.collect::<Vec<_>>() {
        let groups = sheet.groups(&key);
        let several = groups.iter().filter(|rows| rows.len() > 1).count();
        if several < THINGS || several * 2 < groups.len() {
            continue;
        }
        let sum = |rows: &Vec<usize>| rows.iter().filter_map(|row| measure.numbers[*row]).sum::<f64>();
        let makes = |whole: f64| {
            groups
                .iter()
                .filter(|rows| (sum(rows) - whole).abs() <= whole * (ROUNDED * rows.len() as f64).min(MOST_ROUNDED))
                .count()
        };
        let found = WHOLES
            .into_iter()
            .filter(|whole| most <= whole * (1.0 + ROUNDED))
            .map(|whole| (whole, makes(whole)))
            .find(|(_, held)| *held as f64 >= WHOLE * groups.len() as f64);
        let Some((whole, held)) = found else { continue };
        let list = key.iter().map(|column| sheet.name(column)).collect::<Vec<_>>().join(", ");
        let proof = format!(
            "SELECT {list}, count(*), sum({}) FROM {} GROUP BY {list} LIMIT 20",
            sheet.name(measure),
            sheet.from()
        );
        let kind = FactKind::SharesOf {
            column: measure.column.name.clone(),
            key: key.iter().map(|column| column.column.name.clone()).collect(),
            whole: whole as u32,
        };
        return Some(Fact::new(kind, held as u64, groups.len() as u64, proof));
    }
    None
}
