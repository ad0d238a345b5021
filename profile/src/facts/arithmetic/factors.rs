//! Columns that are another one, or two multiplied, times a number for each kind of row: prices by grade, hours by what an hour is
//! charged as, quantities times rates where some are minutes.

use std::collections::HashMap;

use catalog::{Fact, FactKind};

use super::super::sheet::{Sheet, SheetColumn};
use super::{LEAST_ROWS, is_result};

/// Kinds of rows, the rows of one, and the share of all rows that the kinds with so many have.
const KINDS: std::ops::RangeInclusive<u64> = 2..=12;
const LEAST_OF_KIND: usize = 8;
const COVERED: f64 = 0.95;
/// The share of the rows that agree, and the different results of them.
const HOLDS: f64 = 0.97;
const LEAST_RESULTS: usize = 12;
/// How near a row has to be to what its kind's number makes of it, beside the last digit that was rounded; and how far two numbers
/// lie apart that aren't the same.
const NEAR: f64 = 0.001;
const LAST_DIGIT: f64 = 0.0051;
const APART: f64 = 0.01;

pub(super) fn facts(sheet: &Sheet<'_>, measures: &[&SheetColumn<'_>]) -> Vec<Fact> {
    let is_kind =
        |column: &&SheetColumn<'_>| KINDS.contains(&column.different()) && !column.is_time() && column.empty() < 0.02;
    let mut kinds: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_kind).collect();
    kinds.sort_by_key(|kind| kind.different());
    let mut facts = Vec::new();
    for (place, one) in measures.iter().enumerate() {
        for other in &measures[place + 1..] {
            let is_other =
                |kind: &&&SheetColumn<'_>| ![*one, *other].iter().any(|it| it.column.name == kind.column.name);
            let both = kinds.iter().filter(is_other).find_map(|by| {
                let (there, back) = (Factors::of(other, &one.numbers, by)?, Factors::of(one, &other.numbers, by)?);
                // What is meant to be the result, or what has numbers that somebody would choose.
                let is_there =
                    is_result(other) && !is_result(one) || there.digits() <= back.digits() && !is_result(one);
                Some((*by, if is_there { (*other, *one, there) } else { (*one, *other, back) }))
            });
            facts.extend(both.map(|(by, (target, source, factors))| factors.fact(sheet, target, [source, by], None)));
        }
    }
    let is_told =
        |facts: &[Fact], column: &SheetColumn<'_>| facts.iter().any(|fact| fact.column() == Some(&column.column.name));
    for target in measures.iter().filter(|column| is_result(column)) {
        if is_told(&facts, target) {
            continue;
        }
        let of_product = products(target, measures).find_map(|(one, other, numbers)| {
            let is_other =
                |kind: &&&SheetColumn<'_>| ![*target, one, other].iter().any(|it| it.column.name == kind.column.name);
            let mut by = kinds.iter().filter(is_other);
            by.find_map(|by| Some((one, other, *by, Factors::of(target, &numbers, by)?)))
        });
        facts.extend(of_product.map(|(one, other, by, factors)| factors.fact(sheet, target, [one, by], Some(other))));
    }
    facts
}

/// Two measures with the products of their numbers, where the first rows leave few ratios of the target to these.
fn products<'c, 's>(
    target: &'c SheetColumn<'s>,
    measures: &'c [&'c SheetColumn<'s>],
) -> impl Iterator<Item = (&'c SheetColumn<'s>, &'c SheetColumn<'s>, Vec<Option<f64>>)> {
    /// Rows looked at first, and ratios among them.
    const FIRST: usize = 200;
    const MOST_RATIOS: usize = 20;
    let others = move || measures.iter().copied().filter(|column| column.column.name != target.column.name);
    let pairs =
        others().enumerate().flat_map(move |(place, one)| others().skip(place + 1).map(move |other| (one, other)));
    pairs.filter_map(move |(one, other)| {
        let product = |row: usize| Some(one.numbers[row]? * other.numbers[row]?);
        let mut ratios: Vec<i64> = (0..target.numbers.len())
            .filter_map(|row| Some((product(row)?, target.numbers[row]?)))
            .filter(|(product, target)| *product != 0.0 && target.abs() > 1.0)
            .take(FIRST)
            .map(|(product, target)| ((target / product).abs().ln() * 100.0).round() as i64)
            .collect();
        let looked_at = ratios.len();
        ratios.sort_unstable();
        ratios.dedup();
        let may_be = looked_at >= LEAST_ROWS && ratios.len() <= MOST_RATIOS && ratios.len() * 4 <= looked_at;
        may_be.then(|| (one, other, (0..target.numbers.len()).map(product).collect()))
    })
}

/// The number for each kind, with its rows, the most frequent first.
struct Factors {
    each: Vec<(String, f64, usize)>,
    held: usize,
    looked_at: usize,
}

impl Factors {
    fn of(target: &SheetColumn<'_>, source: &[Option<f64>], by: &SheetColumn<'_>) -> Option<Self> {
        let mut groups: HashMap<&str, Vec<(f64, f64)>> = HashMap::new();
        let mut looked_at = 0;
        for (kind, (source, target)) in by.texts.iter().zip(source.iter().zip(&target.numbers)) {
            let (Some(kind), Some(source), Some(target)) = (kind.as_deref(), source, target) else { continue };
            if *source != 0.0 && *target != 0.0 {
                groups.entry(kind).or_default().push((*source, *target));
                looked_at += 1;
            }
        }
        groups.retain(|_, rows| rows.len() >= LEAST_OF_KIND);
        let (mut held, mut results, mut each) = (0, Vec::new(), Vec::new());
        for (kind, rows) in &groups {
            // Of the largest ones what was rounded is the least part.
            let mut largest = rows.clone();
            largest.sort_by(|one, two| two.0.abs().total_cmp(&one.0.abs()));
            largest.truncate(rows.len().div_ceil(3));
            let mut ratios: Vec<f64> = largest.iter().map(|(source, target)| target / source).collect();
            ratios.sort_by(f64::total_cmp);
            let factor = rounded(ratios[ratios.len() / 2]);
            let holds = |(source, target): &&(f64, f64)| {
                let last_digit = if target.fract() == 0.0 { 0.51 } else { LAST_DIGIT };
                let differs = (source * factor - target).abs();
                differs <= last_digit + NEAR * target.abs() && differs <= 0.02 * target.abs()
            };
            let own: Vec<&(f64, f64)> = rows.iter().filter(holds).collect();
            held += own.len();
            results.extend(own.iter().map(|(source, _)| source.to_bits()));
            each.push(((*kind).to_owned(), factor, rows.len()));
        }
        results.sort_unstable();
        results.dedup();
        each.sort_by(|one, two| two.2.cmp(&one.2).then(one.0.cmp(&two.0)));
        let covered: usize = each.iter().map(|(.., rows)| rows).sum();
        let (least, most) = each.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (_, factor, _)| {
            (least.min(*factor), most.max(*factor))
        });
        let is_told = looked_at >= LEAST_ROWS
            && results.len() >= LEAST_RESULTS
            && covered as f64 >= COVERED * looked_at as f64
            && held as f64 >= HOLDS * looked_at as f64
            && most - least > APART * most.abs();
        is_told.then_some(Self { each, held, looked_at })
    }

    /// Digits that it takes to write them.
    fn digits(&self) -> usize {
        self.each.iter().map(|(_, factor, _)| factor.to_string().len()).sum()
    }

    fn fact(
        self,
        sheet: &Sheet<'_>,
        target: &SheetColumn<'_>,
        [source, by]: [&SheetColumn<'_>; 2],
        times: Option<&SheetColumn<'_>>,
    ) -> Fact {
        let (name, source_name, kind) = (sheet.name(target), sheet.name(source), sheet.name(by));
        let of = match times {
            Some(times) => format!("({source_name} * {})", sheet.name(times)),
            None => source_name,
        };
        let proof = format!(
            "SELECT {kind}, count(*), min({name} * 1.0 / {of}), max({name} * 1.0 / {of}) FROM {} WHERE {of} <> 0 GROUP BY {kind}",
            sheet.from()
        );
        let told = FactKind::ComputedBy {
            column: target.column.name.clone(),
            of: source.column.name.clone(),
            times: times.map(|times| times.column.name.clone()),
            by: by.column.name.clone(),
            factors: self.each.into_iter().map(|(kind, factor, _)| (kind, factor)).collect(),
        };
        Fact::new(told, self.held as u64, self.looked_at as u64, proof)
    }
}

/// A number in four digits.
fn rounded(factor: f64) -> f64 {
    let scale = 10f64.powf(3.0 - factor.abs().log10().floor());
    (factor * scale).round() / scale
}
