//! Parts of addresses that are only that where somebody lives: postal codes and the numbers of houses.
//!
//! Invariant: forms alone; whether somebody lives there is decided by whoever asks.

use std::sync::LazyLock;

use regex::RegexSet;

use crate::forms::compiled;

/// Postal codes that hardly anything else is written like.
const TELLING: &[&str] = &[
    // The Netherlands, the United Kingdom, Canada, Ireland.
    r"^[1-9]\d{3} ?[A-Z]{2}$",
    r"^(?:GIR ?0AA|[A-PR-UWYZ][A-HK-Y]?\d[0-9A-Z]? ?\d[ABD-HJLNP-UW-Z]{2})$",
    r"^[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d$",
    r"^[A-Z]\d[0-9W] ?[0-9A-Z]{4}$",
    // Poland, Portugal, Brazil, Czechia and Slovakia and Sweden and Greece, the United States.
    r"^\d{2}-\d{3}$",
    r"^\d{4}-\d{3}$",
    r"^\d{5}-\d{3}$",
    r"^\d{3} \d{2}$",
    r"^\d{5}-\d{4}$",
    // With the country before it; Argentina.
    r"^(?:A|B|CH|D|DK|F|FI|H|I|L|LT|LV|MD|NL|N|P|PL|RO|S|SE|SI|SK|AD|HR|BY|AZ|FIN)[- ]\d{4,6}$",
    r"^[A-HJ-NP-Z]\d{4}[A-Z]{3}$",
];
/// Postal codes as numbers, which many other things are.
const PLAIN: &[&str] = &[r"^\d{5}$"];

const SHARE: f64 = 0.9;
const FEWEST: usize = 4;

/// How postal codes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PostalCodes {
    /// As nothing else is.
    Telling,
    /// As numbers of five digits.
    Plain,
}

/// How the values are postal codes of one country, if they are.
pub(crate) fn postal_codes(values: &[&str]) -> Option<PostalCodes> {
    let most = |forms: &RegexSet, count: usize| {
        let mut counts = vec![0_usize; count];
        for value in values {
            forms.matches(&value.to_uppercase()).into_iter().for_each(|form| counts[form] += 1);
        }
        counts.iter().any(|count| *count as f64 >= SHARE * values.len() as f64)
    };
    if values.len() < FEWEST {
        return None;
    }
    if most(&TELLING_FORMS, TELLING.len()) {
        return Some(PostalCodes::Telling);
    }
    let numbers: Vec<u64> = values.iter().filter_map(|value| value.parse().ok()).collect();
    let (first, last) = (numbers.iter().min()?, numbers.iter().max()?);
    // Keys are given out one after the other.
    let are_spread = last - first > 10 * numbers.len() as u64;
    (are_spread && most(&PLAIN_FORMS, PLAIN.len())).then_some(PostalCodes::Plain)
}

/// Whether the values are numbers of houses: small, some with a letter or another number behind.
pub(crate) fn are_house_numbers(values: &[&str]) -> bool {
    let formed = values.iter().filter(|value| HOUSE.is_match(value)).count();
    let numbers = values.iter().filter_map(|value| {
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    let (small, large) = numbers.fold((0, 0), |(small, large), number| match number {
        1..=299 => (small + 1, large),
        _ => (small, large + 1),
    });
    let with_more = values.iter().any(|value| value.bytes().any(|byte| !byte.is_ascii_digit()));
    // Ages and counts are small as well, and have nothing behind.
    values.len() >= FEWEST && formed as f64 >= SHARE * values.len() as f64 && small > 4 * large && with_more
}

static TELLING_FORMS: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(TELLING).expect("the patterns of this room are constant and tested"));
static PLAIN_FORMS: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(PLAIN).expect("the patterns of this room are constant and tested"));
static HOUSE: LazyLock<regex::Regex> =
    LazyLock::new(|| compiled(r"(?i)^\d{1,4} ?(?:[a-z]|bis|ter)?(?: ?[-/+] ?\d{1,4} ?[a-z]?){0,2}$"));

#[cfg(test)]
mod tests {
    use super::{PostalCodes, are_house_numbers, postal_codes};

    #[test]
    fn postal_codes_are_told_by_their_country() {
        for (values, expected) in [
            (&["1012 AB", "3511LX", "9711 GH", "5038 CB"][..], Some(PostalCodes::Telling)),
            (&["SW1A 1AA", "M1 1AE", "EC1A 1BB", "CR2 6XH"], Some(PostalCodes::Telling)),
            (&["00-950", "31-042", "80-838", "50-101"], Some(PostalCodes::Telling)),
            (&["10115", "80331", "20095", "50667"], Some(PostalCodes::Plain)),
            (&["10001", "10002", "10003", "10004"], None),
            (&["A-1", "B-2", "C-3", "D-4"], None),
        ] {
            assert_eq!(postal_codes(values), expected, "{values:?}");
        }
    }

    #[test]
    fn house_numbers_are_small() {
        assert!(are_house_numbers(&["12", "4a", "7", "33 B", "110"]));
        assert!(are_house_numbers(&["14/3", "7", "22 m", "9-11"]));
        assert!(!are_house_numbers(&["1200", "4000", "7000", "3300a"]));
        assert!(!are_house_numbers(&["12", "4", "7"]));
    }
}
