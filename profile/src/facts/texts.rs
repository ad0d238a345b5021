//! How texts are made: codes that aren't like the others, several values in one, numbers and times that are written.

use std::collections::{HashMap, HashSet};

use catalog::{Fact, FactKind};

use super::columns::counts;
use super::sheet::{Sheet, SheetColumn};

/// Texts that show a form.
const LEAST: usize = 30;
/// What stands between several values of one text.
const SEPARATORS: [char; 5] = [';', '|', ',', '/', '+'];

pub(super) fn facts(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    if !column.is_text() || column.is_time() {
        return None;
    }
    past_midnight(sheet, column)
        .or_else(|| written_numbers(sheet, column))
        .or_else(|| list(sheet, column))
        .or_else(|| odd_form(sheet, column))
}

/// The form of a code: capitals, small letters and digits by a sign each, runs of digits by one where `runs`.
fn shape(text: &str, runs: bool) -> String {
    let mut shape = String::new();
    for sign in text.chars() {
        let kind = match sign {
            sign if sign.is_ascii_digit() => '0',
            sign if sign.is_uppercase() => 'A',
            sign if sign.is_lowercase() => 'a',
            sign => sign,
        };
        if !(runs && kind == '0' && shape.ends_with('0')) {
            shape.push(kind);
        }
    }
    shape
}

/// Few codes of another form than all others: tests, what somebody typed, another kind of thing.
fn odd_form(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// The share that must have the form, what the others may be, and examples of these.
    const USUAL: f64 = 0.9;
    const MOST_ODD: usize = 12;
    const SHOWN: usize = 3;
    let texts: Vec<&str> =
        column.texts.iter().flatten().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    if texts.len() < LEAST || column.different() < 20 || texts.iter().any(|text| text.len() > 40) {
        return None;
    }
    let (usual, odd) = [false, true].into_iter().find_map(|runs| {
        let mut shapes: HashMap<String, usize> = HashMap::new();
        texts.iter().for_each(|text| *shapes.entry(shape(text, runs)).or_default() += 1);
        let (usual, held) = shapes.iter().max_by(|one, two| one.1.cmp(two.1).then(two.0.cmp(one.0)))?;
        let is_code = usual.contains('0') && usual.chars().filter(|sign| sign.is_alphabetic()).count() <= 8;
        let others = shapes.len() - 1;
        (is_code && *held as f64 >= USUAL * texts.len() as f64 && (1..=MOST_ODD).contains(&others)).then(|| {
            let odd: Vec<&str> = texts.iter().copied().filter(|text| shape(text, runs) != *usual).collect();
            (usual.clone(), odd)
        })
    })?;
    // A code that is longer by a digit goes on where the others end.
    let letters = |text: &str| text.chars().filter(|sign| !sign.is_ascii_digit()).collect::<String>();
    let known: HashSet<String> = texts.iter().filter(|text| !odd.contains(text)).map(|text| letters(text)).collect();
    let odd: Vec<&str> = odd.into_iter().filter(|text| !known.contains(&letters(text))).collect();
    if odd.len() < 2 {
        return None;
    }
    if let Some(list) =
        few_lists(sheet, column, &odd, texts.len(), |part| shape(part, false) == usual || shape(part, true) == usual)
    {
        return Some(list);
    }
    let mut values: Vec<String> = odd.iter().map(|text| (*text).to_owned()).collect();
    values.sort();
    values.dedup();
    values.truncate(SHOWN);
    let (name, from) = (sheet.name(column), sheet.from());
    let listed: Vec<String> = values.iter().map(|value| sheet.dialect.literal(value)).collect();
    let proof = format!("SELECT {name}, count(*) FROM {from} WHERE {name} IN ({}) GROUP BY {name}", listed.join(", "));
    let kind = FactKind::OddForm { column: column.column.name.clone(), form: usual, values };
    Some(Fact::new(kind, odd.len() as u64, texts.len() as u64, proof))
}

/// Several codes in few of the texts, each of them like the others.
fn few_lists(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    odd: &[&str],
    texts: usize,
    is_usual: impl Fn(&str) -> bool,
) -> Option<Fact> {
    /// The share of what isn't like the others that must be made so.
    const SHARE: f64 = 0.8;
    let several = |separator: char| {
        let is_list =
            |text: &&&str| text.contains(separator) && text.split(separator).all(|part| is_usual(part.trim()));
        odd.iter().filter(is_list).count()
    };
    let (held, separator) = SEPARATORS.into_iter().map(|separator| (several(separator), separator)).max()?;
    (held as f64 >= SHARE * odd.len() as f64).then(|| listed(sheet, column, separator, held, texts))
}

fn listed(sheet: &Sheet<'_>, column: &SheetColumn<'_>, separator: char, several: usize, texts: usize) -> Fact {
    let (name, from) = (sheet.name(column), sheet.from());
    let pattern = sheet.dialect.literal(&format!("%{separator}%"));
    let proof = format!("SELECT {name}, count(*) FROM {from} WHERE {name} LIKE {pattern} GROUP BY {name}");
    let kind = FactKind::List { column: column.column.name.clone(), separator: separator.to_string() };
    Fact::new(kind, several as u64, texts as u64, proof)
}

/// Several values in one text, with a sign between them.
fn list(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    /// The share of texts that have several, characters of one value, and how often each occurs in the mean.
    const SEVERAL: f64 = 0.15;
    const LONGEST: usize = 24;
    const REPEATED: usize = 3;
    const MOSTLY: f64 = 0.9;
    let texts: Vec<&str> = column.texts.iter().flatten().map(String::as_str).collect();
    let are_dates = || super::dates::are_dates(texts.iter().copied());
    if texts.len() < LEAST || texts.iter().any(|text| text.starts_with(['{', '['])) || are_dates() {
        return None;
    }
    let separator = SEPARATORS.into_iter().find(|separator| {
        let parts: Vec<&str> = texts.iter().flat_map(|text| text.split(*separator)).map(str::trim).collect();
        // `A+` is one mark.
        let has_several = |text: &&&str| text.split(*separator).filter(|part| !part.trim().is_empty()).count() > 1;
        let several = texts.iter().filter(has_several).count();
        let different: HashSet<&str> = parts.iter().copied().collect();
        let mut wholes: Vec<&str> = texts.clone();
        wholes.sort_unstable();
        wholes.dedup();
        // What has always two numbers is one thing of two parts: a decimal, a time, a place on a line; `<0,5` as well.
        let is_number = |part: &&&str| {
            part.bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'<' | b'>' | b'=' | b' '))
        };
        let of_several: Vec<&str> = texts
            .iter()
            .filter(|text| text.contains(*separator))
            .flat_map(|text| text.split(*separator))
            .map(str::trim)
            .collect();
        let are_numbers = of_several.iter().filter(is_number).count() as f64 >= MOSTLY * of_several.len() as f64;
        let most = texts.iter().map(|text| text.split(*separator).count()).max().unwrap_or(0);
        // So is what always has a number behind one sign, whatever stands before it: `RG-2011/000003`.
        let is_numbered = most == 2
            && several == texts.len()
            && texts.iter().all(|text| text.rsplit(*separator).next().is_some_and(|last| is_number(&&last)));
        let is_one = is_numbered || are_numbers && (most <= 2 || several == texts.len());
        !is_one
            && several as f64 >= SEVERAL * texts.len() as f64
            && parts.iter().all(|part| part.len() <= LONGEST && part.split(' ').count() <= 2)
            && different.len() * REPEATED <= parts.len()
            && different.len() <= wholes.len()
    })?;
    let several = texts.iter().filter(|text| text.contains(separator)).count();
    Some(listed(sheet, column, separator, several, texts.len()))
}

/// Numbers as people write them: with a comma, groups of thousands, a currency behind.
fn written_numbers(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let all = counts(column);
    let rows: u64 = all.iter().map(|(_, count)| count).sum();
    let is_number = |text: &str| is_written_number(text).is_some();
    let held: u64 = all.iter().filter(|(text, _)| is_number(text)).map(|(_, count)| count).sum();
    let formatted: Vec<&str> =
        all.iter().filter(|(text, _)| is_written_number(text) == Some(true)).map(|(text, _)| *text).collect();
    // Behind some numbers alone a letter is part of a code: `11`, `11A`, `11B`.
    let stem = |text: &str| text.trim_end_matches(char::is_alphabetic).trim_end().to_owned();
    let lettered: HashSet<String> =
        formatted.iter().filter(|text| text.ends_with(char::is_alphabetic)).map(|text| stem(text)).collect();
    let both = all.iter().filter(|(text, _)| lettered.contains(*text)).count();
    // So are several letters behind the same number: `12a`, `12b`.
    let ends: HashSet<(String, String)> = formatted
        .iter()
        .filter(|text| text.ends_with(char::is_alphabetic))
        .map(|text| (stem(text), text.trim_start_matches(|sign: char| !sign.is_alphabetic()).to_owned()))
        .collect();
    if both * 2 > lettered.len() || ends.len() > lettered.len() + lettered.len() / 4 {
        return None;
    }
    if (rows as usize) < LEAST
        || (held as f64) < 0.9 * rows as f64
        || formatted.len() * 5 < all.len()
        || formatted.len() < 3
    {
        return None;
    }
    // The longest one shows most of the form.
    let example = formatted.iter().max_by(|one, two| one.len().cmp(&two.len()).then(two.cmp(one)))?;
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT {name} FROM {from} LIMIT 20");
    let kind = FactKind::WrittenNumbers { column: column.column.name.clone(), example: (*example).to_owned() };
    Some(Fact::new(kind, held, rows, proof))
}

/// Whether a text is a number, and then whether it takes more than a cast to read it.
fn is_written_number(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.parse::<f64>().is_ok() {
        return Some(false);
    }
    // A currency may stand in front, and in letters behind, as units do.
    let is_sign = |sign: char| matches!(sign, '€' | '$' | '£' | '¥' | '%' | ' ' | '\u{a0}');
    let bare = text.trim_start_matches(is_sign).trim_end_matches(|sign: char| sign.is_alphabetic() || is_sign(sign));
    let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    let groups: Vec<&str> = bare.trim_start_matches(['-', '+']).split(['.', ',', '\'', ' ', '\u{a0}']).collect();
    let (last, others) = groups.split_last()?;
    let are_digits = groups.iter().all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    let are_thousands = others.iter().skip(1).all(|group| group.len() == 3);
    let is_one = are_digits && are_thousands && letters <= 4 && digits > 0 && last.len() <= 6 && groups.len() <= 5;
    // A date or a version has other groups than a number.
    let is_number = is_one && others.first().is_none_or(|first| others.len() == 1 || first.len() <= 3);
    is_number.then_some(true).filter(|_| groups.len() > 1 || letters > 0 || bare.len() < text.len())
}

/// Clock times that go on past midnight: 25:10.
fn past_midnight(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> Option<Fact> {
    let hours = |text: &str| {
        let mut parts = text.trim().split(':');
        let hours: u32 = parts.next().filter(|part| (1..=2).contains(&part.len()))?.parse().ok()?;
        let rest: Vec<&str> = parts.collect();
        let is_clock = matches!(rest.len(), 1 | 2)
            && rest.iter().all(|part| part.len() == 2 && part.parse::<u32>().is_ok_and(|it| it < 60));
        is_clock.then_some(hours)
    };
    let all = counts(column);
    let rows: u64 = all.iter().map(|(_, count)| count).sum();
    let clocks: u64 = all.iter().filter(|(text, _)| hours(text).is_some()).map(|(_, count)| count).sum();
    let late: u64 = all
        .iter()
        .filter(|(text, _)| hours(text).is_some_and(|it| (24..48).contains(&it)))
        .map(|(_, count)| count)
        .sum();
    let last = all.iter().filter_map(|(text, _)| Some((hours(text)?, *text))).max()?;
    if (rows as usize) < LEAST || (clocks as f64) < 0.95 * rows as f64 || late == 0 || last.0 >= 48 || late * 2 > rows {
        return None;
    }
    let (name, from) = (sheet.name(column), sheet.from());
    let proof = format!("SELECT {name}, count(*) FROM {from} WHERE {name} >= '24:00' GROUP BY {name}");
    let kind = FactKind::PastMidnight { column: column.column.name.clone(), until: last.1.to_owned() };
    Some(Fact::new(kind, late, rows, proof))
}

#[cfg(test)]
mod tests {
    use super::is_written_number;

    #[test]
    fn numbers_are_told_from_dates_and_codes() {
        for (text, expected) in [
            ("1.234,56", Some(true)),
            ("1 234,56 EUR", Some(true)),
            ("12,5 %", Some(true)),
            ("$1,200", Some(true)),
            ("1234.5", Some(false)),
            ("-7", Some(false)),
            ("04.03.2019", None),
            ("10.0.0.1", None),
            ("A-17", None),
            ("", None),
        ] {
            assert_eq!(is_written_number(text), expected, "{text}");
        }
    }
}
