//! What the values of one column say: what stands for none, what marks rows that don't count, what is spelt in several ways, in
//! which unit quantities are.

use std::collections::HashMap;

use catalog::{Fact, FactKind, KnownValues, TableKind};

use super::sheet::{Sheet, SheetColumn};
use super::{dates, documents, texts, units, words_of};

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    for column in &sheet.columns {
        let dated = dates::text_dates(sheet, column);
        let is_dated = dated.is_some();
        facts.extend(dated);
        facts.extend(dates::counted_time(sheet, column));
        facts.extend(placeholder(sheet, column).or_else(|| peak(sheet, column)));
        facts.extend(marked_deleted(sheet, column, is_dated));
        facts.extend(set_aside(sheet, column));
        facts.extend(test_rows(sheet, column));
        facts.extend(spellings(sheet, column));
        facts.extend(units::hours_minutes(sheet, column));
        facts.extend(documents::paths(sheet, column));
        facts.extend(texts::facts(sheet, column).filter(|_| !is_dated));
    }
    facts.extend(units::facts(sheet));
    facts
}

/// How often each value occurs, most frequent first.
pub(super) fn counts<'c>(column: &'c SheetColumn<'_>) -> Vec<(&'c str, u64)> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for text in column.texts.iter().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
    counts
}

/// A value that stands for "none": far from all others, and one of those that people take for it.
fn placeholder(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let (value, held, others) = if column.is_time() {
        alone(placeholder_time(column)?)
    } else if column.is_numeric() {
        alone(placeholder_number(sheet, column)?)
    } else if column.is_text() {
        placeholders_in_texts(column)?
    } else {
        return None;
    };
    let (name, from) = (sheet.name(column), sheet.from());
    let literal = |value: &String| match column.is_numeric() {
        true => value.clone(),
        false => sheet.dialect.literal(value),
    };
    let listed: Vec<String> = std::iter::once(&value).chain(&others).map(literal).collect();
    let is_one = match listed.as_slice() {
        [only] => format!("= {only}"),
        several => format!("IN ({})", several.join(", ")),
    };
    let proof = format!("SELECT count(*) FROM {from} WHERE {name} {is_one}");
    let kind = FactKind::Placeholder { column: column.column.name.clone(), value, others };
    Some(Fact::new(kind, held, sheet.rows as u64, proof))
}

fn alone((value, held): (String, u64)) -> (String, u64, Vec<String>) {
    (value, held, Vec::new())
}

/// Rows that must have it.
const LEAST_PLACEHOLDERS: u64 = 3;

fn placeholder_time(column: &SheetColumn<'_>) -> Option<(String, u64)> {
    const YEARS: [&str; 14] = [
        "0001-",
        "1000-",
        "1582-",
        "1753-",
        "1800-01-01",
        "1899-12-3",
        "1900-01-0",
        "1901-01-01",
        "1970-01-01",
        "2099-12-31",
        "2100-",
        "2199-",
        "2999-",
        "9999-",
    ];
    const TEN_YEARS: i64 = 10 * 365 * 86_400;
    let all = counts(column);
    let is_candidate = |text: &str| YEARS.iter().any(|year| text.starts_with(year));
    // A clock that has lost the time goes on from there.
    let on_the_first = |text: &str| text.starts_with("1970-01-01");
    let lost = all.iter().filter(|(text, _)| on_the_first(text));
    let (lost, held_by_lost) = lost.fold((0, 0), |(texts, rows), (_, count)| (texts + 1, rows + count));
    let (value, held) = match all.iter().find(|(text, count)| *count >= LEAST_PLACEHOLDERS && is_candidate(text)) {
        Some(found) => found,
        None if lost > 1 && held_by_lost >= LEAST_PLACEHOLDERS => &("1970-01-01", held_by_lost),
        None => return None,
    };
    let at = super::sheet::seconds(value)?;
    let others =
        || all.iter().filter(|(text, _)| !is_candidate(text)).filter_map(|(text, _)| super::sheet::seconds(text));
    let far = others().all(|other| (other - at).abs() > TEN_YEARS);
    (far && others().count() >= 2).then(|| ((*value).to_owned(), *held))
}

fn placeholder_number(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<(String, u64)> {
    const CANDIDATES: [f64; 23] = [
        -1.0,
        -9.0,
        -99.0,
        -99.9,
        -999.0,
        -999.9,
        -9999.0,
        0.0,
        9.0,
        99.0,
        99.9,
        999.0,
        999.9,
        9999.0,
        9999.99,
        99_999.0,
        999_999.0,
        9_999_999.0,
        // What fits two bytes, as sensors give it when they measure nothing.
        32_767.0,
        65_535.0,
        6_553.5,
        655.35,
        -32_768.0,
    ];
    // What a view computes may be anything; of what it passes on its tables tell.
    if sheet.table.primary_key.contains(&column.column.name) || sheet.table.kind != TableKind::Table {
        return None;
    }
    if let Some(found) = placeholder_year(column) {
        return Some(found);
    }
    let filled = column.numbers.iter().flatten().count() as f64;
    let is_scale = column.has_word(&words_of::SCALES);
    for candidate in CANDIDATES {
        let held = column.numbers.iter().flatten().filter(|number| **number == candidate).count() as u64;
        let share = held as f64 / filled.max(1.0);
        if held < LEAST_PLACEHOLDERS || share < 0.002 {
            continue;
        }
        let mut others: Vec<f64> =
            column.numbers.iter().flatten().copied().filter(|number| *number != candidate).collect();
        others.sort_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (others.first(), others.last()) else { continue };
        let mut different = others;
        different.dedup();
        let range = most - least;
        let is_far = if is_scale && (3..=10).contains(&different.len()) {
            // Outside of the points that can be given.
            let is_rare = share < if candidate == 0.0 { 0.6 } else { 0.2 };
            least >= 1.0 && most <= 10.0 && is_rare && !(1.0..=most).contains(&candidate)
        } else if different.len() < 8 {
            false
        } else {
            match candidate {
                // Of references a nought is none of them.
                0.0 if column.is_key => {
                    least >= 1.0 && held as f64 * different.len() as f64 > 3.0 * (filled - held as f64)
                }
                // Nothing is where the equator meets the meridian of Greenwich.
                0.0 if column.has_word(&words_of::PLACES) => least > 1.0 || most < -1.0,
                // Where all others are of one size, and none is small.
                0.0 if different.len() >= 20 && !column.has_word(&words_of::MONEY) => {
                    share < 0.15 && least >= 0.5 * different[different.len() / 2]
                }
                // Of a measure nought is as good a value as any.
                0.0 => false,
                below if below < 0.0 => least >= 0.0 || least - below > 1.5 * range,
                above => above > most && above - most > 1.5 * range,
            }
        };
        if is_far {
            let text = column.texts.iter().zip(&column.numbers).find(|(_, number)| **number == Some(candidate));
            return Some((text?.0.clone()?, held));
        }
    }
    None
}

/// A year with which a list of years begins, or which ends it, long before or after all others.
fn placeholder_year(column: &SheetColumn<'_>) -> Option<(String, u64)> {
    const YEARS: std::ops::RangeInclusive<f64> = 1850.0..=2100.0;
    const CANDIDATES: [f64; 5] = [1900.0, 1901.0, 1970.0, 2099.0, 2100.0];
    /// Years between it and the next, other years, and how many times as many rows as one of these it has.
    const APART: f64 = 12.0;
    const OTHERS: usize = 8;
    const TIMES: f64 = 3.0;
    let years = || column.numbers.iter().flatten();
    if !years().all(|year| year.fract() == 0.0 && YEARS.contains(year)) {
        return None;
    }
    CANDIDATES.into_iter().find_map(|candidate| {
        let mut others: Vec<f64> = years().copied().filter(|year| *year != candidate).collect();
        let held = years().count() - others.len();
        others.sort_by(f64::total_cmp);
        let rows = others.len();
        others.dedup();
        let is_far = others.iter().all(|year| (year - candidate).abs() >= APART);
        let is_frequent = held as f64 * others.len() as f64 >= TIMES * rows as f64;
        let is_one = is_far && is_frequent && others.len() >= OTHERS && held as u64 >= LEAST_PLACEHOLDERS;
        is_one.then(|| (candidate.to_string(), held as u64))
    })
}

/// The one that most rows have, the rows that have any, and the others.
fn placeholders_in_texts(column: &SheetColumn<'_>) -> Option<(String, u64, Vec<String>)> {
    let all = counts(column);
    let rows: u64 = all.iter().map(|(_, count)| count).sum();
    let stands_for_none = |value: &str| words_of::NONE.contains(&value.trim().to_lowercase().as_str());
    // In a short list of states `unknown` is one of them.
    let is_told = |value: &str| {
        let is_word = value.trim().chars().filter(|sign| sign.is_alphabetic()).count() > 3;
        all.len() >= if is_word { 12 } else { 3 }
    };
    // Among codes of two capital letters `NA` is one: sodium, Namibia.
    let is_like = |one: &str, other: &str| {
        one.len() == other.len() && other.bytes().all(|byte| byte.is_ascii_uppercase()) && !stands_for_none(other)
    };
    let is_code = |value: &str| {
        value.len() <= 3
            && value.bytes().all(|byte| byte.is_ascii_uppercase())
            && all.iter().filter(|(other, _)| is_like(value, other)).count() >= 2
    };
    let found: Vec<&(&str, u64)> = all
        .iter()
        .filter(|(value, count)| *count >= LEAST_PLACEHOLDERS && stands_for_none(value) && is_told(value))
        .filter(|(value, _)| value.is_empty() || !is_code(value))
        .collect();
    let held: u64 = found.iter().map(|(_, count)| count).sum();
    let (first, others) = found.split_first()?;
    let others = others.iter().map(|(value, _)| (*value).to_owned()).collect();
    (held as f64 >= 0.003 * rows as f64).then(|| (first.0.to_owned(), held, others))
}

/// A day or a number that many rows have, where hardly two others are the same.
fn peak(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// Different values, the share of the rows that have this one, and how many times as many as have the next.
    const DIFFERENT: u64 = 50;
    const SHARE: f64 = 0.04;
    const TIMES: u64 = 20;
    let is_measured = column.is_numeric() && !column.is_key || column.is_time();
    if !is_measured || column.different() < DIFFERENT || sheet.table.kind != TableKind::Table {
        return None;
    }
    let all = counts(column);
    let ((value, held), (_, next)) = (all.first()?, all.get(1)?);
    let rows: u64 = all.iter().map(|(_, count)| count).sum();
    // Of a quantity there may be none, or one.
    let is_ordinary = column.is_numeric() && value.parse::<f64>().is_ok_and(|number| number == 0.0 || number == 1.0);
    if is_ordinary || (*held as f64) < SHARE * rows as f64 || *held < TIMES * next {
        return None;
    }
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT {name}, count(*) FROM {from} GROUP BY {name} ORDER BY 2 DESC LIMIT 5");
    let kind = FactKind::Peak { column: column.column.name.clone(), value: (*value).to_owned() };
    Some(Fact::new(kind, *held, rows, proof))
}

/// Rows that are marked as deleted and stay.
fn marked_deleted(sheet: &Sheet<'_>, column: &SheetColumn<'_>, is_dated: bool) -> Option<Fact> {
    if !column.has_word(&words_of::GONE) {
        return None;
    }
    let (name, from) = (sheet.name(column), sheet.from());
    let (value, share) = match column.is_time() || is_dated {
        true => (None, 1.0 - column.empty()),
        false => yes(column).map(|(value, share)| (Some(value), share))?,
    };
    let held = (share * sheet.rows as f64).round() as u64;
    if held == 0 || share > 0.6 {
        return None;
    }
    let condition = match &value {
        Some(value) if column.is_numeric() => format!("{name} = {value}"),
        Some(value) => format!("{name} = {}", sheet.dialect.literal(value)),
        None => format!("{name} IS NOT NULL"),
    };
    let proof = format!("SELECT count(*) FROM {from} WHERE {condition}");
    let kind = FactKind::MarkedDeleted { column: column.column.name.clone(), value };
    Some(Fact::new(kind, held, sheet.rows as u64, proof))
}

/// Rows that are marked as cancelled, or as no more than a draft.
fn set_aside(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// More than that are what the table is about.
    const MOST: f64 = 0.4;
    let is_named = column.has_word(&words_of::SET_ASIDE) && column.words.len() <= 3;
    let (value, share) = yes(column).filter(|(_, share)| is_named && *share > 0.0 && *share < MOST)?;
    let literal = if column.is_numeric() { value.clone() } else { sheet.dialect.literal(&value) };
    let proof = format!("SELECT count(*) FROM {} WHERE {} = {literal}", sheet.from(), sheet.name(column));
    let held = (share * sheet.rows as f64).round() as u64;
    let kind = FactKind::SetAside { column: column.column.name.clone(), value };
    Some(Fact::new(kind, held.max(1), sheet.rows as u64, proof))
}

/// How a column that says yes or no writes yes, with its share of the rows.
pub(super) fn yes(column: &SheetColumn<'_>) -> Option<(String, f64)> {
    const SET: [&str; 11] = ["1", "true", "t", "y", "yes", "j", "ja", "x", "s", "si", "oui"];
    const UNSET: [&str; 8] = ["0", "false", "f", "n", "no", "nein", "non", ""];
    let all = counts(column);
    let is = |list: &[&str], value: &str| list.contains(&value.trim().to_lowercase().as_str());
    if all.is_empty() || all.len() > 3 || !all.iter().all(|(value, _)| is(&SET, value) || is(&UNSET, value)) {
        return None;
    }
    let (value, count) = all.iter().find(|(value, _)| is(&SET, value))?;
    Some(((*value).to_owned(), *count as f64 / column.texts.len().max(1) as f64))
}

/// Rows that somebody made to try something.
fn test_rows(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// More than that are what the table is about.
    const MOST: f64 = 0.1;
    let (name, from) = (sheet.name(column), sheet.from());
    if column.has_word(&words_of::TESTS) && column.words.len() <= 3 {
        let (value, share) = yes(column).filter(|(_, share)| *share > 0.0 && *share < 0.3)?;
        let literal = if column.is_numeric() { value.clone() } else { sheet.dialect.literal(&value) };
        let proof = format!("SELECT count(*) FROM {from} WHERE {name} = {literal}");
        let kind = FactKind::TestRows { column: column.column.name.clone(), value, within: false };
        let held = (share * sheet.rows as f64).round() as u64;
        return Some(Fact::new(kind, held, sheet.rows as u64, proof));
    }
    let is_label =
        column.is_text() && !column.is_time() && column.figures.average_length.is_none_or(|length| length < 60.0);
    if !is_label || column.different() < 20 {
        return None;
    }
    // Among names in capitals those of a word say nothing.
    let capitals = column.texts.iter().flatten().filter(|text| text.to_uppercase() == **text).count();
    let are_capitals = capitals * 5 > column.texts.iter().flatten().count();
    let mut found: HashMap<String, u64> = HashMap::new();
    for text in column.texts.iter().flatten() {
        if let Some(word) = words_of::test_word(text, are_capitals) {
            *found.entry(word).or_default() += 1;
        }
    }
    let (word, held) = found.into_iter().max_by(|left, right| left.1.cmp(&right.1).then(right.0.cmp(&left.0)))?;
    if held < 2 || held as f64 > MOST * sheet.rows as f64 {
        return None;
    }
    let proof = format!(
        "SELECT {name}, count(*) FROM {from} WHERE {name} LIKE {} GROUP BY {name}",
        sheet.dialect.literal(&format!("{word}%"))
    );
    let kind = FactKind::TestRows { column: column.column.name.clone(), value: word, within: true };
    Some(Fact::new(kind, held, sheet.rows as u64, proof))
}

/// States that are spelt in several ways; where only the case differs, whoever tells the values says so.
fn spellings(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let KnownValues::All(values) = &column.figures.values else { return None };
    if column.is_numeric() || values.len() < 2 {
        return None;
    }
    let groups: Vec<Vec<String>> =
        words_of::alike(values).into_iter().filter(|group| differ_beyond_case(group)).collect();
    if groups.is_empty() {
        return None;
    }
    let held: usize = groups.iter().map(Vec::len).sum();
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT {name}, count(*) FROM {from} GROUP BY {name}");
    let kind = FactKind::Spellings { column: column.column.name.clone(), groups };
    Some(Fact::new(kind, held as u64, values.len() as u64, proof))
}

fn differ_beyond_case(group: &[String]) -> bool {
    group.iter().any(|value| value.to_lowercase() != group[0].to_lowercase())
}
