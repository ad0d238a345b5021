//! The form of values: what `2024-01-31`, `user_1042` and `ann@example.com` have in common with their neighbours.
//!
//! First the forms with a name, the narrowest before the wider; then the shape that is left when each run of digits
//! becomes `{int}`. Invariant: a pattern is only claimed for a column where nearly all values have it.

use std::sync::LazyLock;

use catalog::{Pattern, ValueForm};
use regex::Regex;

use crate::codes;

/// Share of the different values that must have a form.
const SHARE: f64 = 0.9;
/// A shape of two values is a coincidence.
const LEAST_FOR_SHAPE: usize = 3;
const LONGEST_SHAPE: usize = 40;

/// The forms that are looked for, the narrowest first: what two forms match is called by the first of them.
const NAMED: [ValueForm; 19] = [
    ValueForm::Uuid,
    ValueForm::Email,
    ValueForm::Url,
    ValueForm::Json,
    ValueForm::IsoDatetime,
    ValueForm::IsoDate,
    ValueForm::IsoTime,
    ValueForm::CompactDate,
    ValueForm::Ipv4,
    ValueForm::SocialSecurity,
    ValueForm::Iban,
    ValueForm::CardNumber,
    ValueForm::PasswordHash,
    ValueForm::Phone,
    ValueForm::CurrencyCode,
    ValueForm::CountryCode,
    ValueForm::Integer,
    ValueForm::Decimal,
    ValueForm::Hex,
];

/// How many different values must have the form before it is believed. One is enough for what nothing else looks
/// like; codes, dates and numbers of certain lengths can be a coincidence.
fn least_values(form: &ValueForm) -> usize {
    match form {
        // More than a third of all pairs of letters are countries.
        ValueForm::CountryCode => 5,
        ValueForm::CompactDate
        | ValueForm::CurrencyCode
        | ValueForm::Hex
        | ValueForm::Phone
        | ValueForm::CardNumber
        | ValueForm::SocialSecurity => 3,
        _ => 1,
    }
}

/// Whether a column's name speaks of the form, so that fewer values are enough.
fn is_named_by(form: &ValueForm, column: &str) -> bool {
    let words: &[&str] = match form {
        ValueForm::CountryCode => &["country", "nation", "nationality", "iso"],
        ValueForm::CurrencyCode => &["currency", "ccy"],
        ValueForm::CompactDate => &["date", "day", "dt", "yyyymmdd"],
        _ => &[],
    };
    !words.is_empty() && words::in_identifier(column).iter().any(|word| words.contains(&word.as_str()))
}

fn matches(form: &ValueForm, value: &str) -> bool {
    let digits = || value.bytes().filter(u8::is_ascii_digit).count();
    match form {
        ValueForm::Uuid => UUID.is_match(value),
        ValueForm::Email => privacy::Form::Email.matches(value),
        ValueForm::Url => URL.is_match(value),
        ValueForm::Json => looks_like_json(value),
        ValueForm::IsoDatetime => DATETIME.is_match(value) && is_date(value),
        ValueForm::IsoDate => value.len() == 10 && is_date(value),
        ValueForm::IsoTime => TIME.is_match(value),
        ValueForm::CompactDate => {
            value.len() == 8 && digits() == 8 && is_date(&format!("{}-{}-{}", &value[..4], &value[4..6], &value[6..]))
        }
        ValueForm::Ipv4 => value.parse::<std::net::Ipv4Addr>().is_ok(),
        ValueForm::SocialSecurity => privacy::Form::SocialSecurity.matches(value),
        ValueForm::Iban => privacy::Form::Iban.matches(value),
        ValueForm::CardNumber => privacy::Form::CardNumber.matches(value),
        ValueForm::PasswordHash => privacy::Form::PasswordHash.matches(value),
        ValueForm::Phone => privacy::Form::Phone.matches(value),
        ValueForm::CurrencyCode => codes::is_currency(value),
        ValueForm::CountryCode => codes::is_country(value),
        ValueForm::Hex => HEX.is_match(value) && value.len().is_multiple_of(2),
        ValueForm::Integer => INTEGER.is_match(value),
        ValueForm::Decimal => DECIMAL.is_match(value),
        ValueForm::Shape(wanted) => shape(value).is_some_and(|found| found == *wanted),
    }
}

/// Whether values were numbers in the database, or texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    Numbers,
    Texts,
}

/// The form that nearly all of a column's `values` have. `values` are different texts; blank ones don't count.
pub(crate) fn detect<'a>(
    column: &str,
    stored: Stored,
    values: impl Iterator<Item = &'a str> + Clone,
) -> Option<Pattern> {
    let seen = values.clone().filter(|value| !value.trim().is_empty());
    let total = seen.clone().count();
    if total == 0 {
        return None;
    }
    let pattern = |form: ValueForm, count: usize| {
        let share = count as f64 / total as f64;
        (share >= SHARE).then_some(Pattern { form, share })
    };
    // That a number looks like a number goes without saying.
    let possible = |form: &ValueForm| stored == Stored::Texts || *form == ValueForm::CompactDate;
    let enough = |form: &ValueForm| total >= least_values(form) || is_named_by(form, column);
    // A form that the first few hundred values don't have isn't looked for in the rest.
    for form in NAMED.into_iter().filter(|form| possible(form) && enough(form)) {
        let few = total.min(200);
        let early = seen.clone().take(few).filter(|value| matches(&form, value)).count();
        if (early as f64) < SHARE * 0.9 * few as f64 {
            continue;
        }
        let count = seen.clone().filter(|value| matches(&form, value)).count();
        if let Some(found) = pattern(form, count) {
            return Some(found);
        }
    }
    if total < LEAST_FOR_SHAPE || stored == Stored::Numbers {
        return None;
    }
    let form = ValueForm::Shape(shape(seen.clone().nth(total / 2)?)?);
    let count = seen.filter(|value| matches(&form, value)).count();
    pattern(form, count)
}

/// The value with each run of digits turned into `{int}`; `None` without digits, without anything else, or too long.
fn shape(value: &str) -> Option<String> {
    let mut shape = String::new();
    let mut in_digits = false;
    let mut has_other = false;
    for character in value.chars() {
        match character.is_ascii_digit() {
            true if !in_digits => shape.push_str("{int}"),
            true => {}
            false => {
                has_other = true;
                shape.push(character);
            }
        }
        in_digits = character.is_ascii_digit();
        if shape.len() > LONGEST_SHAPE {
            return None;
        }
    }
    (has_other && shape.contains("{int}")).then_some(shape)
}

/// Whether it starts with a calendar date, `yyyy-mm-dd`.
fn is_date(value: &str) -> bool {
    value.get(..10).is_some_and(|date| DATE.is_match(date) && date.parse::<jiff::civil::Date>().is_ok())
}

/// Objects and arrays. A text cut off by the sampler can't be parsed to its end, so the ends decide.
fn looks_like_json(value: &str) -> bool {
    let value = value.trim();
    let object = value.starts_with('{') && (value[1..].trim_start().starts_with('"') || value[1..].trim() == "}");
    let array = value.starts_with('[') && !value.starts_with("[object");
    let closed = value.ends_with(if object { '}' } else { ']' });
    let array_content = || {
        let inside = value[1..].trim_start();
        inside.starts_with(['"', '{', '[', ']', '-']) || inside.starts_with(|first: char| first.is_ascii_digit())
    };
    (object || (array && array_content())) && (closed || value.chars().count() >= connect::SAMPLE_CELL_CHARS)
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns of this module are constant and tested")
}

macro_rules! patterns {
    ($($name:ident = $pattern:literal;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| compiled($pattern));)*
    };
}

patterns! {
    UUID = r"(?-u)^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";
    URL = r"^(https?|ftp|s3|gs)://\S+$";
    DATE = r"(?-u)^\d{4}-\d{2}-\d{2}$";
    DATETIME = r"(?-u)^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?$";
    TIME = r"(?-u)^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?$";
    HEX = r"(?-u)^(0x)?([0-9a-f]{8,}|[0-9A-F]{8,})$";
    INTEGER = r"(?-u)^[+-]?\d{1,18}$";
    DECIMAL = r"(?-u)^[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?$";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use catalog::ValueForm;

    use super::{Stored, detect, matches};

    fn check(values: &[&str], expected: Option<&str>) {
        let found = detect("c", Stored::Texts, values.iter().copied());
        assert_eq!(found.map(|pattern| pattern.form.to_string()).as_deref(), expected, "{values:?}");
    }

    #[test]
    fn names_the_common_forms() {
        check(&["7f1b2c3d-0000-4000-8000-1234567890ab"], Some("uuid"));
        check(&["ann@example.com", "b.c+d@mail.example.org"], Some("email"));
        check(&["https://example.com/a?b=c"], Some("url"));
        check(&["{\"a\": 1}", "{}", "[1, 2]"], Some("json"));
        check(&["2024-01-31", "1999-12-01"], Some("iso_date"));
        check(&["2024-01-31 10:00:00", "2024-01-31T10:00:00.5Z", "2024-01-31 10:00"], Some("iso_datetime"));
        check(&["10:00", "23:59:59"], Some("iso_time"));
        check(&["20240131", "19991201", "20000229"], Some("yyyymmdd"));
        check(&["10.0.0.1", "192.168.1.255"], Some("ipv4"));
        check(&["EUR", "USD", "GBP"], Some("currency_code"));
        check(&["DE", "US", "GB", "AT", "CH"], Some("country_code"));
        check(&["USA", "DEU", "FRA", "AUT", "CHE"], Some("country_code"));
        check(&["deadbeef", "00ff00ff", "12ab34cd"], Some("hex"));
        check(&["+1 555 010 9999", "+44 20 7946 0958", "+49 30 901820"], Some("phone"));
        check(&["1", "22", "-3"], Some("integer"));
        check(&["1.5", "22", "-3e7"], Some("decimal"));
    }

    #[test]
    fn finds_the_shape_of_numbered_values() {
        check(&["user_1", "user_22", "user_1042"], Some("user_{int}"));
        check(&["1/2/2024", "11/12/2023", "3/30/1999"], Some("{int}/{int}/{int}"));
        check(&["Q1-2024", "Q2-2024", "Q3-2024"], Some("Q{int}-{int}"));
        check(&["user_1", "user_22"], None);
    }

    #[test]
    fn claims_nothing_for_what_only_some_values_have() {
        check(&["2024-01-31", "yesterday", "2024-02-01"], None);
        check(&["red", "green", "blue"], None);
        check(&["DE", "US", "XX"], None);
        check(&["2024-13-31", "2024-02-30"], None);
        check(&["AL", "NL", "ML"], None);
        check(&["[object Object]"], None);
        check(&["", "  "], None);
        check(&[], None);
    }

    #[test]
    fn the_name_of_a_column_makes_up_for_few_values() {
        let found = |column: &str| {
            detect(column, Stored::Texts, ["DE", "US"].into_iter()).map(|pattern| pattern.form.to_string())
        };
        assert_eq!(found("shipCountry").as_deref(), Some("country_code"));
        assert_eq!(found("grade"), None);
    }

    #[test]
    fn numbers_have_no_form_but_that_of_a_date() {
        let found = |values: &[&str]| {
            detect("c", Stored::Numbers, values.iter().copied()).map(|pattern| pattern.form.to_string())
        };
        assert_eq!(found(&["20240131", "20240201", "20231224"]).as_deref(), Some("yyyymmdd"));
        assert_eq!(found(&["1", "2", "3", "4.5"]), None);
    }

    #[test]
    fn tells_phone_numbers_from_other_numbers() {
        for (value, expected) in [
            ("+49 30 901820", true),
            ("(555) 010-9999", true),
            ("555-010-1234 x12", true),
            ("1-555-010-1234", true),
            ("030/901820", true),
            ("0044 20 7946 0958", true),
            ("37.331415", false),
            ("-121.893", false),
            ("1234567", false),
            ("444-464 (20)", false),
            ("2024-01-31", false),
            ("12345-6789", false),
            ("1500 - 2000", false),
        ] {
            assert_eq!(matches(&ValueForm::Phone, value), expected, "{value}");
        }
    }

    #[test]
    fn tells_cards_and_ibans_by_their_check_digits() {
        for (form, value, expected) in [
            (ValueForm::CardNumber, "4111111111111111", true),
            (ValueForm::CardNumber, "4111111111111112", false),
            (ValueForm::Iban, "DE89370400440532013000", true),
            (ValueForm::Iban, "DE88370400440532013000", false),
        ] {
            assert_eq!(matches(&form, value), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn survives_any_values(values in prop::collection::vec("\\PC{0,30}|[0-9a-zA-Z@.:/ {}\"-]{0,30}", 0..20)) {
            if let Some(pattern) = detect("c", Stored::Texts, values.iter().map(String::as_str)) {
                prop_assert!((super::SHARE..=1.0).contains(&pattern.share));
            }
        }
    }
}
