//! Forms of values, as profiling names them: whether a text has one, and a text brought into it.
//!
//! A form is a name (`iso_date`, `yyyymmdd`) or a shape in which `{int}` stands for digits: `INV-{int}`.

use catalog::ValueForm;
use jiff::civil::Date;

use crate::values::iso_dates;

/// What stands for a run of digits in a shape.
const DIGITS: &str = "{int}";
/// Seconds since 1970 that lie between 1990 and 2100: what a column of whole numbers must hold to be taken for a time.
const SECONDS: std::ops::Range<i64> = 631_152_000..4_102_444_800;

/// Whether a text is one of a form with something behind it: `INV-42 (2)`, which nobody writes by mistake.
pub(crate) fn has_more(form: &ValueForm, text: &str) -> bool {
    let ends = text.char_indices().filter(|(end, sign)| *end > 0 && !sign.is_alphanumeric()).map(|(end, _)| end);
    let has_it = |end: usize| has_form(form, &text[..end]) == Some(true);
    matches!(form, ValueForm::Shape(_)) && ends.into_iter().any(has_it)
}

/// Whether `text` has the form; `None` for forms that nothing is known about here.
pub(crate) fn has_form(form: &ValueForm, text: &str) -> Option<bool> {
    match form {
        ValueForm::Shape(form) => Some(shape(text) == *form),
        ValueForm::CompactDate => Some(text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())),
        ValueForm::Integer => Some(text.trim().parse::<i64>().is_ok()),
        ValueForm::Decimal => Some(text.trim().parse::<f64>().is_ok()),
        _ => None,
    }
}

/// `text` in the form, where one can be made of it: its digits in the shape's places, a date in the shape's order.
/// `examples` are values of the column, which tell whether the day or the month comes first.
pub(crate) fn in_form(form: &ValueForm, text: &str, dates: &[String], examples: &[String]) -> Vec<String> {
    if *form == ValueForm::CompactDate {
        return dates.iter().map(|date| date.replace('-', "")).collect();
    }
    let ValueForm::Shape(form) = form else { return Vec::new() };
    let runs: Vec<&str> =
        text.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    if let Some(order) = date_order(form, examples) {
        let separator = form.trim_start_matches(DIGITS).chars().next().unwrap_or('-');
        return dates.iter().filter_map(|date| order.write(date, separator)).collect();
    }
    let places = form.matches(DIGITS).count();
    let is_month = |example: &String| example.len() == 7 && example.as_bytes()[4] == b'-';
    if form == "{int}-{int}" && examples.iter().any(is_month) {
        return iso_month(text).into_iter().collect();
    }
    // Where it isn't known which part of a date is the day, its digits in the shape's places would be another one.
    let is_of_dates = places == 3 && !dates.is_empty();
    if places == 0 || places != runs.len() || is_of_dates {
        return Vec::new();
    }
    vec![filled(form, &runs, examples)]
}

/// The shape with digits in its places, padded with zeros where every example has so many.
fn filled(form: &str, runs: &[&str], examples: &[String]) -> String {
    let width = |place: usize| {
        let mut widths = examples.iter().filter(|example| shape(example) == form).map(|example| {
            let mut runs = example.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty());
            runs.nth(place).map_or(0, str::len)
        });
        let first = widths.next().unwrap_or(0);
        if widths.all(|width| width == first) { first } else { 0 }
    };
    let mut made = String::new();
    for (place, part) in form.split(DIGITS).enumerate() {
        made.push_str(part);
        if let Some(run) = runs.get(place) {
            made.push_str(&format!("{run:0>width$}", width = width(place)));
        }
    }
    made
}

/// Whether values of a shape can begin with what a LIKE pattern begins with; `None` where that begins with a wildcard, or
/// nothing is known of the form.
pub(crate) fn can_begin(form: &ValueForm, pattern: &str) -> Option<bool> {
    let ValueForm::Shape(form) = form else { return None };
    let start = pattern.split(['%', '_']).next().filter(|start| !start.is_empty())?;
    let wanted = shape(&start.to_lowercase());
    Some(form.to_lowercase().starts_with(&wanted))
}

/// The pattern with its beginning brought into the shape: `RO-2021-%` for `SO-2021-%`.
pub(crate) fn pattern_in_form(form: &ValueForm, pattern: &str, examples: &[String]) -> Option<String> {
    let ValueForm::Shape(form) = form else { return None };
    let start = pattern.split(['%', '_']).next()?;
    if let Some(order) = date_order(form, examples) {
        let separator = form.trim_start_matches(DIGITS).chars().next()?;
        let (year, month) = start.trim_end_matches('-').split_once('-').filter(|(year, _)| year.len() == 4)?;
        return Some(match order {
            First::Day => format!("%{separator}{month}{separator}{year}"),
            First::Month => format!("{month}{separator}%{separator}{year}"),
            First::Year => format!("{year}{separator}{month}{separator}%"),
        });
    }
    let runs: Vec<&str> =
        start.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    let places = form.matches(DIGITS).count();
    if runs.len() > places {
        return None;
    }
    // The shape up to the last place that digits are given for, and what separates it from the next.
    let mut end = 0;
    for _ in 0..=runs.len() {
        end += match form[end..].find(DIGITS) {
            Some(found) => found + DIGITS.len(),
            None => form.len() - end,
        };
    }
    let head = form[..end].trim_end_matches(DIGITS);
    Some(format!("{}%", filled(head, &runs, examples)))
}

/// A month named with its year, as `YYYY-MM`: `June 2025`, `06/2025`.
fn iso_month(text: &str) -> Option<String> {
    let parts: Vec<&str> =
        text.split(|character: char| !character.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let [month, year] = parts.as_slice() else { return None };
    let first_day = match month.parse::<u8>() {
        Ok(_) => format!("{year}-{month}-1"),
        Err(_) => format!("1 {month} {year}"),
    };
    iso_dates(&first_day).first().map(|date| date[..7].to_owned())
}

/// The time that a date begins at (UTC), as seconds, milliseconds or microseconds since 1970, whichever the column holds by
/// its smallest and largest value.
pub(crate) fn in_epoch(dates: &[String], min: &str, max: &str) -> Vec<String> {
    let (Ok(min), Ok(max)) = (min.parse::<i64>(), max.parse::<i64>()) else { return Vec::new() };
    let unit = [1, 1_000, 1_000_000]
        .into_iter()
        .find(|unit| SECONDS.contains(&(min / unit)) && SECONDS.contains(&(max / unit)));
    let Some(unit) = unit else { return Vec::new() };
    let seconds = |date: &String| {
        let date: Date = date.parse().ok()?;
        Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second() * unit)
    };
    dates.iter().filter_map(seconds).map(|time| time.to_string()).collect()
}

/// The text with each run of digits turned into `{int}`.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut in_digits = false;
    for character in text.chars() {
        match (character.is_ascii_digit(), in_digits) {
            (true, true) => {}
            (true, false) => shape.push_str(DIGITS),
            (false, _) => shape.push(character),
        }
        in_digits = character.is_ascii_digit();
    }
    shape
}

/// Which part of a written date comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Day,
    Month,
    Year,
}

impl First {
    fn write(self, iso: &str, separator: char) -> Option<String> {
        let mut parts = iso.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let parts = match self {
            Self::Day => [day, month, year],
            Self::Month => [month, day, year],
            Self::Year => [year, month, day],
        };
        Some(parts.join(&separator.to_string()))
    }
}

/// The order in which a shape such as `{int}.{int}.{int}` writes dates, as far as the examples tell.
fn date_order(form: &str, examples: &[String]) -> Option<First> {
    if ![".", "/"].iter().any(|separator| form == [DIGITS; 3].join(separator)) {
        return None;
    }
    let mut order = None;
    for example in examples {
        let parts: Vec<u32> = example.split(['.', '/']).map(str::parse).collect::<Result<_, _>>().unwrap_or_default();
        let found = match parts.as_slice() {
            [year, ..] if *year > 31 => First::Year,
            [first, second, _] if *first > 12 && *second <= 12 => First::Day,
            [first, second, _] if *first <= 12 && *second > 12 => First::Month,
            [_, _, _] => continue,
            _ => return None,
        };
        if order.is_some_and(|order| order != found) {
            return None;
        }
        order = Some(found);
    }
    order
}

#[cfg(test)]
mod tests {
    use catalog::ValueForm;

    use super::{can_begin, has_form, has_more, in_epoch, in_form, pattern_in_form};

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn texts_have_the_form_of_their_neighbours_or_not() {
        for (form, text, expected) in [
            ("INV-{int}", "INV-00042", Some(true)),
            ("INV-{int}", "42", Some(false)),
            ("{int}.{int}.{int}", "2024-03-05", Some(false)),
            ("yyyymmdd", "20240305", Some(true)),
            ("yyyymmdd", "2024-03-05", Some(false)),
            ("integer", "12", Some(true)),
            ("integer", "twelve", Some(false)),
            ("uuid", "x", None),
        ] {
            assert_eq!(has_form(&ValueForm::from(form), text), expected, "{form} {text}");
        }
    }

    #[test]
    fn texts_are_brought_into_the_form() {
        let date = texts(&["2024-03-05"]);
        assert_eq!(in_form(&ValueForm::from("INV-{int}"), "#42", &[], &[]), ["INV-42"]);
        assert!(has_more(&ValueForm::from("INV-{int}"), "INV-42 (2)"));
        assert!(
            !has_more(&ValueForm::from("INV-{int}"), "42 (2)") && !has_more(&ValueForm::from("INV-{int}"), "INV-42")
        );
        assert!(in_form(&ValueForm::from("INV-{int}-{int}"), "#42", &[], &[]).is_empty());
        assert_eq!(in_form(&ValueForm::from("yyyymmdd"), "5 March 2024", &date, &[]), ["20240305"]);
        let german = texts(&["04.03.2021", "24.12.2020"]);
        assert_eq!(in_form(&ValueForm::from("{int}.{int}.{int}"), "2024-03-05", &date, &german), ["05.03.2024"]);
        let american = texts(&["12/24/2020"]);
        assert_eq!(in_form(&ValueForm::from("{int}/{int}/{int}"), "2024-03-05", &date, &american), ["03/05/2024"]);
        let both = texts(&["9/25/2021", "23/09/2023"]);
        assert!(in_form(&ValueForm::from("{int}/{int}/{int}"), "2024-03-05", &date, &both).is_empty());
    }

    #[test]
    fn beginnings_of_patterns_are_held_against_the_form() {
        for (pattern, expected) in [
            ("RO-2021-%", Some(true)),
            ("ro-2%", Some(true)),
            ("SO-2021-%", Some(false)),
            ("2021%", Some(false)),
            ("%2021%", None),
        ] {
            assert_eq!(can_begin(&ValueForm::from("RO-{int}-{int}"), pattern), expected, "{pattern}");
        }
        let made = |pattern: &str| pattern_in_form(&ValueForm::from("RO-{int}-{int}"), pattern, &[]);
        assert_eq!(made("SO-2021-%").as_deref(), Some("RO-2021-%"));
        assert_eq!(made("ORDER%").as_deref(), Some("RO-%"));
        let american = texts(&["12/24/2020"]);
        let december = pattern_in_form(&ValueForm::from("{int}/{int}/{int}"), "2020-12-%", &american);
        assert_eq!(december.as_deref(), Some("12/%/2020"));
    }

    #[test]
    fn digits_are_padded_as_those_of_the_neighbours_and_months_are_understood() {
        assert_eq!(
            in_form(&ValueForm::from("T-{int}"), "TICKET-42", &[], &texts(&["T-000001", "T-000777"])),
            ["T-000042"]
        );
        assert_eq!(in_form(&ValueForm::from("T-{int}"), "TICKET-42", &[], &texts(&["T-1", "T-777"])), ["T-42"]);
        assert_eq!(in_form(&ValueForm::from("{int}-{int}"), "June 2025", &[], &texts(&["2024-02"])), ["2025-06"]);
        assert_eq!(in_form(&ValueForm::from("{int}-{int}"), "06/2025", &[], &texts(&["2024-02"])), ["2025-06"]);
    }

    #[test]
    fn dates_become_times_in_the_unit_of_the_column() {
        let date = texts(&["2024-03-05"]);
        assert_eq!(in_epoch(&date, "1600000000", "1700000000"), ["1709596800"]);
        assert_eq!(in_epoch(&date, "1600000000000", "1700000000000"), ["1709596800000"]);
        assert!(in_epoch(&date, "1", "900").is_empty());
    }
}
