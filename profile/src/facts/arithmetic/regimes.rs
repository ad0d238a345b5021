//! Columns that are computed in one way up to a day, and in another one, or not at all, from then on.

use catalog::{Fact, FactKind};

use super::super::sheet::{Sheet, SheetColumn};
use super::super::switches::in_order;
use super::{Found, best_of, holds, is_result, without};

/// Rows of each side.
const LEAST_ROWS: usize = 40;
/// The share of the rows of one side that agree, and of the other one.
const HOLDS: f64 = 0.97;
const ELSEWHERE: f64 = 0.4;
/// At each end of the table's time, the share of the rows that a formula is looked for in.
const END: usize = 4;

pub(super) fn facts(sheet: &Sheet<'_>, measures: &[&SheetColumn<'_>], unexplained: &[&SheetColumn<'_>]) -> Vec<Fact> {
    let Some(time) = sheet.time().filter(|_| sheet.is_even()) else { return Vec::new() };
    let rows = in_order(sheet, time);
    if rows.len() < 2 * LEAST_ROWS {
        return Vec::new();
    }
    let places: Vec<usize> = rows.iter().map(|(_, row)| *row).collect();
    let (early, late) = (&places[..places.len() / END], &places[places.len() - places.len() / END..]);
    let mut facts: Vec<Fact> = Vec::new();
    for target in unexplained {
        let others = without(measures, target);
        let ends = [best_of(late, target, &others), best_of(early, target, &others)];
        for (place, is_late) in [true, false].into_iter().enumerate() {
            let Some(found) = &ends[place] else { continue };
            let other = ends[1 - place].as_ref().filter(|other| other.expression(sheet) != found.expression(sheet));
            let Some(fact) = of_a_time(sheet, found, other, time, &rows, is_late) else { continue };
            // `total = net + tax` and `tax = total - net` say one thing.
            let says_the_same = |known: &Fact| {
                let mut both = [known.columns(), fact.columns()];
                both.iter_mut().for_each(|columns| columns.sort_unstable());
                both[0] == both[1] && known.column() != fact.column()
            };
            match facts.iter_mut().find(|known| says_the_same(known)) {
                Some(known) if is_result(target) => *known = fact,
                Some(_) => {}
                None => facts.push(fact),
            }
        }
    }
    facts
}

/// The formula with the day from which, or up to which, it holds. Rows of which that of the other end holds as well, as what is
/// taken off is nought, tell nothing.
fn of_a_time(
    sheet: &Sheet<'_>,
    found: &Found<'_, '_>,
    other: Option<&Found<'_, '_>>,
    time: &SheetColumn<'_>,
    rows: &[(i64, usize)],
    is_late: bool,
) -> Option<Fact> {
    let is_nought = |row: usize| found.target.numbers[row] == Some(0.0);
    let of_both = |row: usize| {
        let holds = |found: &Found<'_, '_>| holds(found.target, found.form, &found.parts, row) == Some(true);
        other.is_some_and(|other| holds(other) && holds(found))
    };
    let told = rows.iter().filter(|(_, row)| !is_nought(*row) && !of_both(*row));
    let mut told: Vec<(i64, bool)> =
        told.filter_map(|(at, row)| Some((*at, holds(found.target, found.form, &found.parts, *row)?))).collect();
    if !is_late {
        told.reverse();
    }
    // Where most rows before don't agree and most rows after do.
    let mut score = 0_i64;
    let mut best = (0, 0_i64);
    for (place, (at, holds)) in told.iter().enumerate() {
        score += if *holds { -1 } else { 1 };
        // All rows of one time are on one side.
        let is_end = told.get(place + 1).is_none_or(|(next, _)| next != at);
        if score > best.1 && is_end {
            best = (place + 1, score);
        }
    }
    let (others, own) = told.split_at(best.0);
    let share = |part: &[(i64, bool)]| part.iter().filter(|(_, holds)| *holds).count() as f64 / part.len() as f64;
    if others.len() < LEAST_ROWS || own.len() < LEAST_ROWS || share(own) < HOLDS || share(others) > ELSEWHERE {
        return None;
    }
    let day = sheet.about(time, own.first()?.0);
    let (since, until) = if is_late { (Some(day), None) } else { (None, Some(day)) };
    let expression = found.expression(sheet);
    let (target, at) = (sheet.name(found.target), sheet.name(time));
    let proof = format!(
        "SELECT abs({target} - ({expression})) < 0.02 AS holds, count(*), min({at}), max({at}) FROM {} GROUP BY 1",
        sheet.from()
    );
    let kind = FactKind::ComputedWhile {
        column: found.target.column.name.clone(),
        expression,
        from: found.parts.iter().map(|part| part.column.name.clone()).collect(),
        time: time.column.name.clone(),
        since,
        until,
    };
    Some(Fact::new(kind, own.len() as u64, told.len() as u64, proof))
}
