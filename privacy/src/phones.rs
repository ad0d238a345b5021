//! Telephone numbers, told by libphonenumber's plans of numbers.
//!
//! A number with a country code that its plan allows is one wherever it stands. Numbers as they are dialled at home are
//! believed where all of a column fit the plan of one country, and are written like telephone numbers, or stand in a
//! table of people: plans are wide, and ten digits are many things. Invariant: few values decide, so that long columns
//! cost no more than short ones.

use std::sync::LazyLock;

use phonenumber::country::{self, Id};
use regex::Regex;

use crate::forms::compiled;

/// Values that the plans are asked about.
const TRIED: usize = 40;
/// Share of them that must fit one country's plan.
const SHARE: f64 = 0.8;

/// Countries whose numbers are looked for without a country code.
const COUNTRIES: &[Id] = &[
    country::US,
    country::DE,
    country::FR,
    country::GB,
    country::ES,
    country::IT,
    country::NL,
    country::BR,
    country::MX,
    country::PT,
    country::BE,
    country::AT,
    country::CH,
    country::PL,
    country::CZ,
    country::SK,
    country::HU,
    country::RO,
    country::BG,
    country::HR,
    country::RS,
    country::SI,
    country::DK,
    country::SE,
    country::NO,
    country::FI,
    country::GR,
    country::TR,
    country::RU,
    country::UA,
    country::IE,
    country::AR,
    country::CL,
    country::CO,
    country::PE,
];

/// How telephone numbers are written in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// With a country code, or as nothing else is written.
    Abroad,
    /// As at home, with a bracket or blanks where telephone numbers have them.
    AtHome,
    /// The same, but no country's plan has all of them.
    AsIfAtHome,
    /// As digits and nothing else.
    Bare,
}

/// Whether a text is a date: three numbers of which two can be a day and a month and the last, or the first, is a year.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['.', '/', '-']).collect();
    let numbers: Vec<u32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    let (&[one, two, three], [first, _, last]) = (numbers.as_slice(), parts.as_slice()) else { return false };
    let (year, rest) = match (first.len(), last.len()) {
        (1..=2, 4) => (three, [one, two]),
        (4, 1..=2) => (one, [two, three]),
        _ => return false,
    };
    let can_be = |day: u32, month: u32| (1..=31).contains(&day) && (1..=12).contains(&month);
    (1800..=2200).contains(&year) && (can_be(rest[0], rest[1]) || can_be(rest[1], rest[0]))
}

/// How the telephone numbers among `values` are written, where a column is one of telephone numbers.
pub(crate) fn written<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<Written> {
    let count = values.clone().count();
    let step = count.div_ceil(TRIED).max(1);
    let tried: Vec<&str> = values.step_by(step).map(str::trim).collect();
    let all = tried.len() as f64;
    // Eight digits and two dots are a day before they are a number.
    if tried.iter().filter(|value| is_day(value)).count() as f64 >= SHARE * all {
        return None;
    }
    let with_code = tried.iter().filter(|value| ABROAD.is_match(value) || is_with_code(value)).count();
    if with_code >= 2 && with_code as f64 >= 0.3 * all {
        return Some(Written::Abroad);
    }
    let american = tried.iter().filter(|value| AMERICAN.is_match(value)).count();
    if american + with_code >= 3 && (american + with_code) as f64 >= 0.5 * all {
        return Some(Written::Abroad);
    }
    let at_home: Vec<&str> =
        tried.iter().copied().filter(|value| AT_HOME.is_match(value) && digits(value) >= 7).collect();
    if at_home.len() + with_code >= 3 && (at_home.len() + with_code) as f64 >= 0.5 * all {
        return Some(if fits_one_country(&at_home) { Written::AtHome } else { Written::AsIfAtHome });
    }
    let bare = tried.iter().filter(|value| BARE.is_match(value)).count();
    (bare as f64 >= SHARE * all && bare >= 5 && fits_one_country(&tried)).then_some(Written::Bare)
}

/// Whether a text between other words holds a number with a country code, or one in the form of its country.
pub(crate) fn in_text(text: &str) -> bool {
    IN_TEXT.find_iter(text).any(|found| is_with_code(found.as_str().trim()))
}

fn is_with_code(value: &str) -> bool {
    let plain = match value.strip_prefix("00") {
        Some(rest) => format!("+{rest}"),
        None if value.starts_with('+') => value.replace("(0)", ""),
        None => return false,
    };
    (8..=17).contains(&digits(&plain)) && phonenumber::parse(None, &plain).is_ok_and(|number| number.is_valid())
}

fn fits_one_country(values: &[&str]) -> bool {
    let enough = (SHARE * values.len() as f64).ceil() as usize;
    let most_wrong = values.len() - enough.min(values.len());
    COUNTRIES.iter().any(|country| {
        let mut wrong = 0;
        values.iter().all(|value| {
            let fits = phonenumber::parse(Some(*country), value).is_ok_and(|number| number.is_valid());
            wrong += usize::from(!fits);
            wrong <= most_wrong
        })
    })
}

fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

static AT_HOME: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x-u)^(?: \(0?\d{2,5}\)[\ -]?\d[\d\ -]{4,10} | 0\d{1,4}[\ /.-]\d[\d\ .-]{4,12} | (?:1[\ .-])?\d{3}[\ .-]\d{3}[\ .-]\d{4}
        | \d{3}[\ ]\d{2,3}[\ ]\d{2,3}(?:[\ ]\d{2,3})? | \d{2}(?:[\ .]\d{2}){3,4} | \d{2,5}-\d{6,8} | \d{2}[\ ]\d{4,5}[\ -]\d{4} | \d{3}[\ -]\d{7} )
        (?:\ ?(?:x|ext\.?)\ ?\d{1,6})?$",
    )
});
// Brackets or hyphens in these places are American numbers, also those that are never given out.
static AMERICAN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?x-u)^(?:1[\ .-])?(?:\(\d{3}\)\ ?|\d{3}[.-])\d{3}[\ .-]\d{4}(?:\ ?(?:x|ext\.?)\ ?\d{1,6})?$")
});
static ABROAD: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)^\+[1-9]\d{0,2}[ (.-]*\d[\d ().-]{5,16}\d$"));
static BARE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)^\d{8,12}$"));
static IN_TEXT: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)(?:\+|\b00)[1-9][\d ()./-]{7,20}\d"));

#[cfg(test)]
mod tests {
    use super::{Written, in_text, written};

    #[test]
    fn numbers_are_told_from_other_numbers() {
        for (values, expected) in [
            (&["+49 30 901820", "+44 20 7946 0958", "n/a"][..], Some(Written::Abroad)),
            (&["(212) 555-0134", "(415) 555-0199", "(312) 555-0142"], Some(Written::Abroad)),
            (&["06 12 34 56 78", "07 98 76 54 32", "06 55 44 33 22"], Some(Written::AtHome)),
            (&["612345678", "698765432", "655443322", "611222333", "677889900"], Some(Written::Bare)),
            (&["2024-01-31", "2024-02-01", "2024-03-15"], None),
            (&["1001", "1002", "1003"], None),
            (&["12345-6789", "90210-1234", "10001-0001"], None),
        ] {
            assert_eq!(written(values.iter().copied()), expected, "{values:?}");
        }
        assert!(in_text("call me at +49 170 1234567, please"));
        assert!(!in_text("from 00:00 to +12 degrees"));
    }
}
