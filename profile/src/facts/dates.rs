//! In which form dates and times are kept that aren't dates and times to the engine, and which years aren't the calendar's.

use std::collections::HashSet;

use catalog::{Fact, FactKind, FormBy, TimeUnit, ValueForm};
use jiff::civil::Date;

use super::columns::counts;
use super::sheet::{LARGEST_SECOND, SHEET_DAYS_TO_1970, Sheet, SheetColumn, day};
use super::words_of;

/// Values looked at for a form.
const MOST_VALUES: usize = 500;
/// Different values that show a form.
const LEAST_VALUES: usize = 5;
/// Share of the values that must have it.
const SHARE: f64 = 0.9;

/// Dates as text in an order that isn't that of time, or not as ISO 8601 writes them.
pub(super) fn text_dates(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let name = column.column.name.clone();
    if column.figures.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CompactDate) {
        let held = column.texts.iter().flatten().count() as u64;
        let proof = format!("SELECT min({0}), max({0}) FROM {1}", sheet.name(column), sheet.from());
        let kind = FactKind::TextDates { column: name, form: "YYYYMMDD".to_owned(), by: None };
        return Some(Fact::new(kind, held, held, proof));
    }
    if let Some(fact) = short_dates(sheet, column) {
        return Some(fact);
    }
    if !column.is_text() || column.is_time() {
        return None;
    }
    let values: Vec<&str> =
        counts(column).into_iter().map(|(value, _)| value.trim()).filter(|value| !value.is_empty()).collect();
    // From everywhere: of equally frequent ones those of one form come first.
    let step = values.len().div_ceil(MOST_VALUES).max(1);
    let values: Vec<&str> = values.into_iter().step_by(step).collect();
    let values = values.as_slice();
    if values.len() < LEAST_VALUES {
        return None;
    }
    let dates: Vec<TextDate<'_>> = values.iter().filter_map(|value| TextDate::of(value)).collect();
    if (dates.len() as f64) < SHARE * values.len() as f64 {
        return None;
    }
    let held = dates.len();
    let (form, by) = match forms_of(dates) {
        Some(form) => (form, None),
        None => {
            let by = forms_by(sheet, column)?;
            let mut forms: Vec<&str> = by.forms.iter().map(|(_, form)| form.as_str()).collect();
            forms.sort_unstable();
            forms.dedup();
            (forms.join(" or "), Some(by))
        }
    };
    let (name, from) = (sheet.name(column), sheet.from());
    let grouped = by.as_ref().map(|by| sheet.dialect.identifier(&by.column));
    let proof = match &grouped {
        Some(by) => format!("SELECT {by}, min({name}), max({name}) FROM {from} GROUP BY {by}"),
        None => format!("SELECT {name}, count(*) FROM {from} GROUP BY {name} ORDER BY 2 DESC LIMIT 20"),
    };
    let kind = FactKind::TextDates { column: column.column.name.clone(), form, by };
    Some(Fact::new(kind, held as u64, values.len() as u64, proof))
}

/// Whether these texts are dates, in whatever form.
pub(super) fn are_dates<'v>(texts: impl Iterator<Item = &'v str> + Clone) -> bool {
    let dates = texts.clone().filter(|text| TextDate::of(text.trim()).is_some()).count();
    dates as f64 >= SHARE * texts.count() as f64
}

/// Dates of six digits, of which the first two are the year, in this century without its zero: 100331, 50331.
fn short_dates(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// Different ones, in different months: of other numbers one in thirty is a date, by chance, and numbers that follow each
    /// other aren't in several months.
    const LEAST: usize = 12;
    const MONTHS: usize = 3;
    if column.is_key || !column.figures.average_length.is_some_and(|length| (5.0..=6.0).contains(&length)) {
        return None;
    }
    let values: Vec<&str> = counts(column).into_iter().map(|(value, _)| value).take(MOST_VALUES).collect();
    let month = |value: &str| {
        let number: u32 = value.parse().ok().filter(|_| value.bytes().all(|byte| byte.is_ascii_digit()))?;
        let (month, day) = (number / 100 % 100, number % 100);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(month)
    };
    let dates: Vec<u32> = values.iter().filter_map(|value| month(value)).collect();
    let months = dates.iter().collect::<HashSet<&u32>>().len();
    let are_all = dates.len() == values.len() && values.iter().all(|value| value.len() <= 6);
    if !are_all || dates.len() < LEAST || months < MONTHS {
        return None;
    }
    let proof = format!("SELECT min({0}), max({0}) FROM {1}", sheet.name(column), sheet.from());
    let kind = FactKind::TextDates { column: column.column.name.clone(), form: "YYMMDD".to_owned(), by: None };
    Some(Fact::new(kind, dates.len() as u64, values.len() as u64, proof))
}

/// In which form dates are by another column, where each of its values has one.
fn forms_by(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<FormBy> {
    /// Values of the other column, and dates of each.
    const VALUES: std::ops::RangeInclusive<u64> = 2..=12;
    const LEAST: usize = 20;
    let others = sheet.columns.iter().filter(|other| other.column.name != column.column.name);
    let mut kinds = others.filter(|other| VALUES.contains(&other.different()) && !other.is_time());
    kinds.find_map(|by| {
        let mut forms = Vec::new();
        for rows in sheet.groups(&[by]) {
            let value = by.texts[*rows.first()?].clone()?;
            let texts = rows.iter().filter_map(|row| column.texts[*row].as_deref()).map(str::trim);
            let dates: Vec<TextDate<'_>> = texts.filter_map(TextDate::of).collect();
            if dates.len() < LEAST {
                return None;
            }
            forms.push((value, forms_of(dates)?));
        }
        forms.sort();
        let differ = forms.windows(2).any(|two| two[0].1 != two[1].1);
        differ.then(|| FormBy { column: by.column.name.clone(), forms })
    })
}

/// The form of the dates, or their forms with ` or ` between, the most frequent first.
fn forms_of(dates: Vec<TextDate<'_>>) -> Option<String> {
    /// The share of the dates in each of several forms.
    const LEAST: f64 = 0.03;
    let all = dates.len();
    // By what stands between, and where the long number of the year is.
    type Shape = (char, Option<usize>);
    let mut by_shape: Vec<(Shape, Vec<TextDate<'_>>)> = Vec::new();
    for date in dates {
        let shape = (
            date.separator,
            date.parts.iter().position(|part| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit())),
        );
        match by_shape.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, others)) => others.push(date),
            None => by_shape.push((shape, vec![date])),
        }
    }
    if let [((separator, _), dates)] = by_shape.as_slice() {
        return form_of(dates, *separator);
    }
    by_shape.sort_by_key(|(_, dates)| std::cmp::Reverse(dates.len()));
    let is_enough = |dates: &[TextDate<'_>]| dates.len() >= LEAST_VALUES && dates.len() as f64 >= LEAST * all as f64;
    let forms = by_shape.iter().map(|((separator, year), dates)| {
        let form = match (separator, year) {
            ('-', Some(0)) => Some("YYYY-MM-DD".to_owned()),
            _ => form_of(dates, *separator),
        };
        form.filter(|_| is_enough(dates))
    });
    Some(forms.collect::<Option<Vec<String>>>()?.join(" or "))
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
    let different = |place: usize| dates.iter().filter_map(|date| date.number(place)).collect::<HashSet<u32>>().len();
    let year = (0..3).find(|place| digits(*place) == (4, 4)).or_else(|| {
        // Two digits are a year where they are no day: not in that range, or few beside a part that is every day of a month.
        let has_all_days = |place: usize| largest(place) == Some(31) && different(place) >= 28;
        let is_year = |place: &usize| {
            let others = || (0..3).filter(|other| other != place);
            let are_few = || largest(*place) > Some(12) && different(*place) <= 20 && others().any(has_all_days);
            digits(*place) == (2, 2) && (largest(*place).is_some_and(|largest| largest > 31) || are_few())
        };
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
pub(super) fn counted_time(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
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
    let (long, short): (Vec<f64>, Vec<f64>) = numbers.iter().partition(|number| **number > LARGEST_SECOND);
    let within = |part: &[f64], scale: f64| part.iter().all(|number| SECONDS.contains(&(number / scale)));
    let are_both = [&long, &short].iter().all(|part| part.len() >= LEAST_VALUES && part.len() * 100 >= numbers.len());
    let unit = if are_both && !column.is_key && within(&long, 1000.0) && within(&short, 1.0) {
        TimeUnit::SecondsOrMilliseconds
    } else if all(&SECONDS, 1000.0) {
        TimeUnit::Milliseconds
    } else if (is_named && all(&SECONDS, 1.0)) || is_epoch {
        TimeUnit::Seconds
    } else if !column.is_key && all(&DAYS, 1.0) && (is_day_named || goes_with_a_time(sheet, column)) {
        TimeUnit::SheetDays
    } else {
        return None;
    };
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT min({name}), max({name}) FROM {from}");
    let kind = FactKind::CountedTime { column: column.column.name.clone(), unit };
    Some(Fact::new(kind, numbers.len() as u64, numbers.len() as u64, proof))
}

/// Whether a number, as days from the beginning of 1900 on, is near a time of the same row, as the day on which something is
/// delivered is near that on which it was ordered.
fn goes_with_a_time(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> bool {
    /// Days between both, rows that tell, different days, and the share that must agree.
    const NEAR: f64 = 400.0;
    const LEAST: usize = 30;
    const AGREE: f64 = 0.97;
    /// The days must spread over more than what is near.
    const SPREAD: f64 = 1_000.0;
    let is_whole = column.numbers.iter().flatten().all(|number| number.fract() == 0.0);
    let (least, most) = column
        .numbers
        .iter()
        .flatten()
        .filter(|number| **number > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), number| (least.min(*number), most.max(*number)));
    if !is_whole || most - least < SPREAD || column.different() < LEAST as u64 {
        return false;
    }
    sheet.columns.iter().filter(|time| time.is_time()).any(|time| {
        let pairs = (0..sheet.rows).filter_map(|row| {
            let day = time.times[row]? as f64 / 86_400.0 + SHEET_DAYS_TO_1970;
            Some(column.numbers[row].filter(|number| *number > 0.0)? - day)
        });
        let apart: Vec<f64> = pairs.collect();
        let near = apart.iter().filter(|days| days.abs() <= NEAR).count();
        apart.len() >= LEAST && near as f64 >= AGREE * apart.len() as f64
    })
}

/// Years that begin in another month than January.
pub(super) fn other_years(sheet: &Sheet<'_>) -> Vec<Fact> {
    const NAMES: [&str; 10] =
        ["year", "jahr", "fy", "gj", "exercice", "annee", "ejercicio", "anno", "fiscal", "season"];
    const LEAST: usize = 30;
    const AGREE: f64 = 0.98;
    let calendar = |second: i64| -> Option<(f64, i8)> {
        let date: Date = day(second).parse().ok()?;
        Some((f64::from(date.year()), date.month()))
    };
    let mut facts = Vec::new();
    let is_year = |column: &&SheetColumn<'_>| column.is_numeric() && column.has_word(&NAMES);
    for column in sheet.columns.iter().filter(is_year) {
        let of_time = sheet.columns.iter().filter(|time| time.is_time()).find_map(|time| {
            let pairs = (0..sheet.rows).filter_map(|row| {
                let (year, month) = calendar(time.times[row]?)?;
                Some((column.numbers[row]? - year, month))
            });
            let pairs: Vec<(f64, i8)> = pairs.collect();
            if pairs.len() < LEAST {
                return None;
            }
            let fits =
                |expected: &dyn Fn(i8) -> f64| pairs.iter().filter(|(off, month)| *off == expected(*month)).count();
            let enough = |held: usize| held as f64 >= AGREE * pairs.len() as f64;
            // The year itself, or always the one before: of a report, of a harvest.
            if [0.0, -1.0, 1.0].iter().any(|always| enough(fits(&|_| *always))) {
                return None;
            }
            let found =
                (2..=12_i8).flat_map(|begins| [(begins, true), (begins, false)]).find_map(|(begins, by_end)| {
                    let held = fits(&|month| match by_end {
                        true => f64::from(u8::from(month >= begins)),
                        false => -f64::from(u8::from(month < begins)),
                    });
                    enough(held).then_some((begins, by_end, held))
                });
            found.map(|found| (time, found, pairs.len()))
        });
        let Some((time, (month, by_end, held), looked_at)) = of_time else { continue };
        let (name, at) = (sheet.name(column), sheet.name(time));
        let proof =
            format!("SELECT {name}, min({at}), max({at}) FROM {} GROUP BY {name} ORDER BY {name}", sheet.from());
        let kind =
            FactKind::OtherYear { column: column.column.name.clone(), time: time.column.name.clone(), month, by_end };
        facts.push(Fact::new(kind, held as u64, looked_at as u64, proof));
    }
    facts
}
