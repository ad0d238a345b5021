//! Quantities whose unit, currency, period or scale another column of the row says.

use catalog::{Fact, FactKind, KnownValues, ValueForm};

use super::kinds::{between_groups, by_value};
use super::sheet::{Sheet, SheetColumn};
use super::words_of;

/// Quantities whose unit, currency or period another column says.
pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Amounts of one currency that are told.
    const MOST: usize = 3;
    /// How much larger quantities are in one unit than in another.
    const FAR: f64 = 8.0;
    let mut facts = by_name(sheet);
    let is_told = |facts: &[Fact], unit: &SheetColumn<'_>| {
        facts.iter().any(|fact| matches!(&fact.kind, FactKind::MeaningBy { by, .. } if *by == unit.column.name))
    };
    for (place, unit) in sheet.columns.iter().enumerate().filter(|(_, column)| column.is_text()) {
        let values = match &unit.figures.values {
            KnownValues::All(values) if values.len() > 1 => values,
            _ => continue,
        };
        let has_form = unit.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CurrencyCode);
        let is_currency = has_form || values.iter().all(|value| words_of::CURRENCIES.contains(&value.as_str()));
        let is_unit = unit.has_word(&words_of::UNIT_NAMES) && values.iter().all(|value| words_of::is_unit(value));
        let is_period = unit.has_word(&words_of::PERIOD_NAMES) && values.iter().all(|value| words_of::is_period(value));
        let measured: &[&str] = if is_unit && !is_currency { &words_of::QUANTITIES } else { &words_of::MONEY };
        if !is_currency && !is_unit && !is_period || is_told(&facts, unit) {
            continue;
        }
        let is_of_it = |column: &&SheetColumn<'_>| {
            // What says its currency itself is in no other: `amount_eur`.
            let says_it = |word: &String| values.iter().any(|value| value.eq_ignore_ascii_case(word));
            let has_its_own = is_currency && column.words.iter().any(says_it);
            let is_moment = column.words.last().is_some_and(|last| words_of::MOMENTS.contains(&last.as_str()));
            let is_free = !column.is_key && !is_moment && !column.has_word(&words_of::WITHOUT_UNIT);
            column.is_numeric() && is_free && !has_its_own && column.has_word(measured) && column.different() >= 4
        };
        // It is of what it shares a word with, of what differs by it, of what it stands behind; where two of these say so of one
        // column and not of another, of that one. A currency counts for all.
        let score = |at: usize, column: &SheetColumn<'_>| {
            let shares = |word: &String| unit.words.contains(word) && !words_of::UNIT_NAMES.contains(&word.as_str());
            let by_word = u32::from(column.words.iter().any(shares)) * 2;
            let by_values = u32::from(between_groups(&by_value(unit, column)) >= FAR) * 2;
            by_word + by_values + u32::from(at + 1 == place)
        };
        let scored = sheet.columns.iter().enumerate().filter(|(_, column)| is_of_it(column));
        let scored = scored.map(|(at, column)| (score(at, column), column)).filter(|(score, _)| *score > 0);
        let columns: Vec<&SheetColumn<'_>> = match is_currency {
            true => sheet.columns.iter().filter(is_of_it).take(MOST).collect(),
            false => scored.max_by_key(|(score, _)| *score).map(|(_, column)| column).into_iter().collect(),
        };
        for column in columns {
            facts.push(measured_in(sheet, column, unit, values));
        }
    }
    facts
}

/// Units that are called by what they are the unit of (`hours`, `hours_unit`), pieces that a price is for, and powers of ten.
fn by_name(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Different units, and letters of one.
    const UNITS: std::ops::RangeInclusive<usize> = 2..=8;
    const LONGEST: usize = 5;
    let is_measure = |column: &SheetColumn<'_>| {
        column.is_numeric() && !column.is_key && !column.has_word(&words_of::WITHOUT_UNIT) && column.different() >= 4
    };
    let mut facts = Vec::new();
    for (place, unit) in sheet.columns.iter().enumerate() {
        let KnownValues::All(values) = &unit.figures.values else { continue };
        if !UNITS.contains(&values.len()) {
            continue;
        }
        let Some((last, first)) = unit.words.split_last() else { continue };
        let measures =
            || sheet.columns.iter().filter(|column| column.column.name != unit.column.name && is_measure(column));
        let before = || sheet.columns[..place].iter().rev().find(|column| is_measure(column));
        let is_power =
            |value: &String| [1.0, 10.0, 100.0, 1000.0].map(|power| value.parse() == Ok(power)).contains(&true);
        let is_exponent =
            |value: &String| value.parse::<f64>().is_ok_and(|it| it.fract() == 0.0 && (-12.0..=12.0).contains(&it));
        let of = if unit.is_numeric() && unit.has_word(&words_of::LOTS) && values.iter().all(is_power) {
            before()
        } else if unit.is_numeric() && unit.has_word(&words_of::EXPONENTS) && values.iter().all(is_exponent) {
            measures().find(|column| column.words.first() == unit.words.first())
        } else if unit.is_text()
            && words_of::UNIT_NAMES.contains(&last.as_str())
            && values.iter().all(|value| value.chars().count() <= LONGEST)
        {
            measures().find(|column| column.words == first)
        } else {
            None
        };
        let Some(column) = of else { continue };
        facts.push(measured_in(sheet, column, unit, values));
    }
    facts
}

/// Hours with minutes behind the point, as people at work write them down.
pub(super) fn hours_minutes(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// Numbers with minutes, different minutes, and the share that is past half: what isn't minutes goes up to 99.
    const LEAST: usize = 100;
    const DIFFERENT: usize = 10;
    const LATE: f64 = 0.1;
    /// Hours of one row: months have more than that.
    const LONGEST: f64 = 1_000.0;
    if column.is_key || !column.is_numeric() || column.is_time() {
        return None;
    }
    let mut minutes: Vec<u32> = Vec::new();
    for number in column.numbers.iter().flatten() {
        let hundredths = (number.abs() * 100.0).round();
        if (number.abs() * 100.0 - hundredths).abs() > 1e-6 || number.abs() >= LONGEST {
            return None;
        }
        minutes.push((hundredths % 100.0) as u32);
    }
    minutes.retain(|minute| *minute != 0);
    let all = minutes.len();
    let late = minutes.iter().filter(|minute| **minute > 30).count();
    minutes.sort_unstable();
    minutes.dedup();
    if all < LEAST
        || minutes.last().is_none_or(|last| *last > 59)
        || minutes.len() < DIFFERENT
        || (late as f64) < LATE * all as f64
    {
        return None;
    }
    let has_minutes = |text: &&String| text.parse::<f64>().is_ok_and(|number| number > 1.0 && number.fract() > 0.04);
    let example = column.texts.iter().flatten().find(has_minutes)?.clone();
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT {name}, count(*) FROM {from} GROUP BY {name} ORDER BY 2 DESC LIMIT 50");
    let kind = FactKind::HoursMinutes { column: column.column.name.clone(), example };
    Some(Fact::new(kind, all as u64, all as u64, proof))
}

/// That one column says what the values of another one are measured in, by one of `values`.
fn measured_in(sheet: &Sheet<'_>, column: &SheetColumn<'_>, unit: &SheetColumn<'_>, values: &[String]) -> Fact {
    let (name, from) = (sheet.name(unit), sheet.from());
    let proof = format!("SELECT {name}, count(*), avg({}) FROM {from} GROUP BY {name}", sheet.name(column));
    let kind = FactKind::MeaningBy {
        column: column.column.name.clone(),
        by: unit.column.name.clone(),
        values: values.iter().take(4).cloned().collect(),
        units: true,
    };
    Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof)
}
