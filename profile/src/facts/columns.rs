//! What the values of one column say: in which form dates are written, what stands for none, what marks rows that don't count.

use std::collections::HashMap;

use catalog::{DocumentPath, Fact, FactKind, KnownValues, TimeUnit, TypeClass, ValueForm};

use super::sheet::{Sheet, SheetColumn};
use super::words_of;

/// Values looked at for a form.
const MOST_VALUES: usize = 500;
/// Different values that show a form.
const LEAST_VALUES: usize = 5;
/// Share of the values that must have it.
const SHARE: f64 = 0.9;

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    for column in &sheet.columns {
        facts.extend(text_dates(sheet, column));
        facts.extend(counted_time(sheet, column));
        facts.extend(placeholder(sheet, column));
        facts.extend(marked_deleted(sheet, column));
        facts.extend(test_rows(sheet, column));
        facts.extend(spellings(sheet, column));
        facts.extend(paths(sheet, column));
    }
    facts.extend(units(sheet));
    facts
}

/// How often each value occurs, most frequent first.
fn counts<'c>(column: &'c SheetColumn<'_>) -> Vec<(&'c str, u64)> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for text in column.texts.iter().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
    counts
}

/// Dates as text in an order that isn't that of time, or not as ISO 8601 writes them.
fn text_dates(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let name = column.column.name.clone();
    if column.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CompactDate) {
        let held = column.texts.iter().flatten().count() as u64;
        let proof = format!("SELECT min({0}), max({0}) FROM {1}", sheet.name(column), sheet.from());
        let kind = FactKind::TextDates { column: name, form: "YYYYMMDD".to_owned() };
        return Some(Fact { kind, held, looked_at: held, proof });
    }
    if !column.is_text() || column.is_time() {
        return None;
    }
    let values: Vec<&str> =
        counts(column).into_iter().map(|(value, _)| value.trim()).filter(|value| !value.is_empty()).collect();
    let values = &values[..values.len().min(MOST_VALUES)];
    if values.len() < LEAST_VALUES {
        return None;
    }
    let dates: Vec<TextDate<'_>> = values.iter().filter_map(|value| TextDate::of(value)).collect();
    let separator = dates.first()?.separator;
    if (dates.len() as f64) < SHARE * values.len() as f64 || dates.iter().any(|date| date.separator != separator) {
        return None;
    }
    let form = form_of(&dates, separator)?;
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT {name}, count(*) FROM {from} GROUP BY {name} ORDER BY 2 DESC LIMIT 20");
    let kind = FactKind::TextDates { column: column.column.name.clone(), form };
    Some(Fact { kind, held: dates.len() as u64, looked_at: values.len() as u64, proof })
}

/// A date in three parts.
struct TextDate<'v> {
    parts: [&'v str; 3],
    separator: char,
}

impl<'v> TextDate<'v> {
    fn of(value: &'v str) -> Option<Self> {
        // What follows may be a time.
        let date = match value.split_once([' ', 'T']) {
            Some((date, rest)) if rest.contains(':') => date,
            _ => value,
        };
        let separator = date.chars().find(|sign| matches!(sign, '.' | '/' | '-' | ' '))?;
        let mut parts = date.trim_end_matches('.').split(separator);
        let parts = [parts.next()?, parts.next()?, parts.next()?];
        let is_number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let numbers = parts.iter().filter(|part| is_number(part)).count();
        let months = parts.iter().filter(|part| is_month(part)).count();
        let is_date = numbers >= 2 && numbers + months == 3 && date.matches(separator).count() <= 3;
        is_date.then_some(Self { parts, separator })
    }

    fn number(&self, place: usize) -> Option<u32> {
        self.parts[place].parse().ok()
    }
}

fn is_month(part: &str) -> bool {
    const MONTHS: [&str; 32] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mär", "mrz",
        "mai", "okt", "dez", "fév", "avr", "juin", "juil", "aoû", "déc", "ene", "abr", "ago", "dic", "gen", "mag",
        "giu", "lug",
    ];
    const LONG: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "januar",
    ];
    let part = part.trim_end_matches('.').to_lowercase();
    MONTHS.contains(&part.as_str()) || LONG.contains(&part.as_str())
}

/// `DD.MM.YYYY`, from what the numbers allow; `None` where they aren't dates, or are as ISO 8601 has them.
fn form_of(dates: &[TextDate<'_>], separator: char) -> Option<String> {
    let largest = |place: usize| dates.iter().filter_map(|date| date.number(place)).max();
    let digits = |place: usize| {
        let lengths = dates.iter().map(|date| date.parts[place].len());
        (lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0))
    };
    let month_word = (0..3).find(|place| dates.iter().any(|date| date.number(*place).is_none()));
    let year = (0..3).find(|place| digits(*place) == (4, 4)).or_else(|| {
        // Two digits are a year where they are no day.
        let is_year = |place: &usize| digits(*place) == (2, 2) && largest(*place).is_some_and(|largest| largest > 31);
        [2, 0].into_iter().find(is_year)
    })?;
    let written = |letter: &str, place: usize| match digits(place) {
        (2, 2) => letter.repeat(2),
        (4, 4) => letter.repeat(4),
        _ => letter.to_owned(),
    };
    let rest: Vec<usize> = (0..3).filter(|place| *place != year).collect();
    let &[first, second] = rest.as_slice() else { return None };
    let mut names = [String::new(), String::new(), String::new()];
    names[year] = written("Y", year);
    if let Some(month) = month_word {
        let day = if month == first { second } else { first };
        if month == year || largest(day)? > 31 {
            return None;
        }
        names[month] = "Mon".to_owned();
        names[day] = written("D", day);
    } else {
        let (one, two) = (largest(first)?, largest(second)?);
        if one > 31 || two > 31 || one == 0 || two == 0 || (one > 12 && two > 12) {
            return None;
        }
        let (day, month) = match (one > 12, two > 12) {
            (true, _) => ("D", "M"),
            (_, true) => ("M", "D"),
            _ if year == 0 => ("M", "D"),
            _ => ("?", "?"),
        };
        (names[first], names[second]) = (written(day, first), written(month, second));
        if year == 0 && separator == '-' && digits(first) == (2, 2) && digits(second) == (2, 2) {
            return None;
        }
    }
    Some(names.join(&separator.to_string()))
}

/// Times kept as numbers.
fn counted_time(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// The years 1990 to 2096.
    const SECONDS: std::ops::RangeInclusive<f64> = 631_152_000.0..=4.0e9;
    /// The years 1954 to 2064.
    const DAYS: std::ops::RangeInclusive<f64> = 20_000.0..=60_000.0;
    if !column.is_numeric() || sheet.table.primary_key.contains(&column.column.name) {
        return None;
    }
    // What stands for none isn't a time.
    let numbers: Vec<f64> = column.numbers.iter().flatten().copied().filter(|number| *number > 0.0).collect();
    let all = |range: &std::ops::RangeInclusive<f64>, scale: f64| {
        let within = numbers.iter().filter(|number| range.contains(&(*number / scale))).count();
        within as f64 >= 0.98 * numbers.len() as f64
    };
    if numbers.len() < LEAST_VALUES || column.different() < LEAST_VALUES as u64 {
        return None;
    }
    let is_named = words_of::speaks_of_time(&column.words);
    // Few other numbers all lie between 2001 and 2033.
    let is_epoch = !column.is_key
        && !column.has_word(&words_of::COUNTS)
        && column.different() >= 50
        && numbers.iter().all(|number| (1.0e9..2.0e9).contains(number) && number.fract() == 0.0);
    let is_day_named = column.has_word(&words_of::DAYS) && !column.has_word(&words_of::COUNTS);
    let unit = if all(&SECONDS, 1000.0) {
        TimeUnit::Milliseconds
    } else if (is_named && all(&SECONDS, 1.0)) || is_epoch {
        TimeUnit::Seconds
    } else if is_day_named && !column.is_key && all(&DAYS, 1.0) {
        TimeUnit::SheetDays
    } else {
        return None;
    };
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT min({name}), max({name}) FROM {from}");
    let kind = FactKind::CountedTime { column: column.column.name.clone(), unit };
    Some(Fact { kind, held: numbers.len() as u64, looked_at: numbers.len() as u64, proof })
}

/// A value that stands for "none": far from all others, and one of those that people take for it.
fn placeholder(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let (value, held) = if column.is_time() {
        placeholder_time(column)?
    } else if column.is_numeric() {
        placeholder_number(sheet, column)?
    } else if column.is_text() {
        placeholder_text(column)?
    } else {
        return None;
    };
    let (name, from) = (sheet.name(column), sheet.from());
    let literal = match column.is_numeric() {
        true => value.clone(),
        false => sheet.dialect.literal(&value),
    };
    let proof = format!("SELECT count(*) FROM {from} WHERE {name} = {literal}");
    let kind = FactKind::Placeholder { column: column.column.name.clone(), value };
    Some(Fact { kind, held, looked_at: sheet.rows as u64, proof })
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
    let (value, held) = all.iter().find(|(text, count)| *count >= LEAST_PLACEHOLDERS && is_candidate(text))?;
    let at = super::sheet::seconds(value)?;
    let others =
        || all.iter().filter(|(text, _)| !is_candidate(text)).filter_map(|(text, _)| super::sheet::seconds(text));
    let far = others().all(|other| (other - at).abs() > TEN_YEARS);
    (far && others().count() >= 2).then(|| ((*value).to_owned(), *held))
}

fn placeholder_number(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<(String, u64)> {
    const CANDIDATES: [f64; 18] = [
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
    ];
    if sheet.table.primary_key.contains(&column.column.name) {
        return None;
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
            least >= 1.0 && most <= 10.0 && share < 0.2 && !(1.0..=most).contains(&candidate)
        } else if different.len() < 8 {
            false
        } else {
            match candidate {
                // Of references a nought is none of them; of measures it is far from the others where these are large and alike.
                0.0 if column.is_key => {
                    least >= 1.0 && held as f64 * different.len() as f64 > 3.0 * (filled - held as f64)
                }
                0.0 => least >= 5.0 && most <= 20.0 * least && share < 0.1,
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

fn placeholder_text(column: &SheetColumn<'_>) -> Option<(String, u64)> {
    let all = counts(column);
    let rows: u64 = all.iter().map(|(_, count)| count).sum();
    let stands_for_none = |value: &str| words_of::NONE.contains(&value.trim().to_lowercase().as_str());
    let (value, held) = all.iter().find(|(value, count)| *count >= LEAST_PLACEHOLDERS && stands_for_none(value))?;
    // In a short list of states `unknown` is one of them.
    let is_word = value.trim().chars().filter(|sign| sign.is_alphabetic()).count() > 3;
    let has_others = all.len() >= if is_word { 12 } else { 3 };
    (has_others && *held as f64 >= 0.003 * rows as f64).then(|| ((*value).to_owned(), *held))
}

/// Rows that are marked as deleted and stay.
fn marked_deleted(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    if !column.has_word(&words_of::GONE) {
        return None;
    }
    let (name, from) = (sheet.name(column), sheet.from());
    let (value, share) = match column.is_time() {
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
    Some(Fact { kind, held, looked_at: sheet.rows as u64, proof })
}

/// How a column that says yes or no writes yes, with its share of the rows.
fn yes(column: &SheetColumn<'_>) -> Option<(String, f64)> {
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
        return Some(Fact { kind, held, looked_at: sheet.rows as u64, proof });
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
    Some(Fact { kind, held, looked_at: sheet.rows as u64, proof })
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
    Some(Fact { kind, held: held as u64, looked_at: values.len() as u64, proof })
}

fn differ_beyond_case(group: &[String]) -> bool {
    group.iter().any(|value| value.to_lowercase() != group[0].to_lowercase())
}

/// What is in documents.
fn paths(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// Paths that are told.
    const MOST: usize = 8;
    let is_json = column.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::Json);
    if !is_json && column.column.type_class != TypeClass::Json {
        return None;
    }
    let mut seen: Vec<(String, &'static str, u64)> = Vec::new();
    let mut documents = 0;
    for text in column.texts.iter().flatten().take(MOST_VALUES) {
        let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        documents += 1;
        let mut here: Vec<(String, &'static str)> = Vec::new();
        walk("$", &document, 0, &mut here);
        for (path, kind) in here {
            match seen.iter_mut().find(|(known, ..)| *known == path) {
                Some((_, known, count)) => {
                    *known = if *known == kind || kind == "null" {
                        known
                    } else if *known == "null" {
                        kind
                    } else {
                        "mixed"
                    };
                    *count += 1;
                }
                None => seen.push((path, kind, 1)),
            }
        }
    }
    if documents < 3 || seen.is_empty() {
        return None;
    }
    // The frequent ones, in the order in which documents have them.
    let mut counts: Vec<u64> = seen.iter().map(|(.., count)| *count).collect();
    counts.sort_unstable_by(|left, right| right.cmp(left));
    let least = counts.get(MOST - 1).copied().unwrap_or(1);
    let kept = seen.into_iter().filter(|(.., count)| *count >= least).take(MOST);
    let paths = kept.map(|(path, holds, count)| DocumentPath {
        path,
        holds: holds.to_owned(),
        share: super::rounded(count as f64 / documents as f64),
    });
    let kind = FactKind::Paths { column: column.column.name.clone(), paths: paths.collect() };
    let proof = format!("SELECT {} FROM {} LIMIT 20", sheet.name(column), sheet.from());
    Some(Fact { kind, held: documents, looked_at: documents, proof })
}

/// The paths to what isn't an object, two objects deep, each once.
fn walk(path: &str, value: &serde_json::Value, depth: usize, found: &mut Vec<(String, &'static str)>) {
    /// Longer names are values that somebody uses as names.
    const LONGEST: usize = 40;
    let kind = match value {
        serde_json::Value::Object(members) if depth < 2 => {
            for (name, member) in members.iter().take(40).filter(|(name, _)| name.len() <= LONGEST) {
                walk(&format!("{path}.{name}"), member, depth + 1, found);
            }
            return;
        }
        serde_json::Value::Array(items) if depth < 2 && items.first().is_some_and(serde_json::Value::is_object) => {
            walk(&format!("{path}[*]"), &items[0], depth + 1, found);
            return;
        }
        serde_json::Value::Object(_) => "object",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::String(_) => "text",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Null => "null",
    };
    found.push((path.to_owned(), kind));
}

/// Quantities whose unit, currency or period another column says.
fn units(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Amounts of one currency that are told.
    const MOST: usize = 3;
    let mut facts = Vec::new();
    for (place, unit) in sheet.columns.iter().enumerate().filter(|(_, column)| column.is_text()) {
        let values = match &unit.figures.values {
            KnownValues::All(values) if values.len() > 1 => values,
            _ => continue,
        };
        let is_currency = unit.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CurrencyCode);
        let is_unit = unit.has_word(&words_of::UNIT_NAMES) && values.iter().all(|value| words_of::is_unit(value));
        let is_period = unit.has_word(&words_of::PERIOD_NAMES) && values.iter().all(|value| words_of::is_period(value));
        let measured: &[&str] = if is_unit && !is_currency { &words_of::QUANTITIES } else { &words_of::MONEY };
        if !is_currency && !is_unit && !is_period {
            continue;
        }
        let is_of_it = |column: &&SheetColumn<'_>| {
            let is_free = !column.is_key && !column.has_word(&words_of::WITHOUT_UNIT);
            column.is_numeric() && is_free && column.has_word(measured) && column.different() >= 4
        };
        // It stands beside what it is the unit of, and a currency counts for all.
        let nearest = sheet.columns[..place].iter().rev().chain(&sheet.columns[place + 1..]).find(is_of_it);
        let columns: Vec<&SheetColumn<'_>> = match is_currency {
            true => sheet.columns.iter().filter(is_of_it).take(MOST).collect(),
            false => nearest.into_iter().collect(),
        };
        for column in columns {
            let (name, from) = (sheet.name(unit), sheet.from());
            let proof = format!("SELECT {name}, count(*), avg({}) FROM {from} GROUP BY {name}", sheet.name(column));
            let kind = FactKind::MeaningBy {
                column: column.column.name.clone(),
                by: unit.column.name.clone(),
                values: values.iter().take(4).cloned().collect(),
                units: true,
            };
            facts.push(Fact { kind, held: sheet.rows as u64, looked_at: sheet.rows as u64, proof });
        }
    }
    facts
}
