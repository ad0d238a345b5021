//! By what cars and devices of people are known: plates, and the addresses and numbers that are built into them.
//!
//! Invariant: a column is judged by shares of its different values, never by one.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::forms::compiled;
use crate::national::passes_luhn;

/// How plates are written, a line for each way; what several states share stands once.
const PLATES: &[&str] = &[
    // Germany, Austria, Switzerland.
    r"^[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?\d{1,4}[EH]?$",
    r"^[A-Z]{1,2}[- ]\d{1,5} ?[A-Z]{1,3}$",
    r"^(?:AG|AI|AR|BE|BL|BS|FR|GE|GL|GR|JU|LU|NE|NW|OW|SG|SH|SO|SZ|TG|TI|UR|VD|VS|ZG|ZH)[ -]?\d{3,6}$",
    // France, Italy, Serbia, Slovakia.
    r"^[A-Z]{2}[- ]?\d{3}[- ]?[A-Z]{2}$",
    // Spain.
    r"^\d{4}[- ]?[B-DF-HJ-NP-TV-Z]{3}$",
    // The Netherlands, Portugal.
    r"^(?:[A-Z]{2}|\d{2})-(?:[A-Z]{2,3}|\d{2,3})-(?:[A-Z]{1,2}|\d{1,2})$",
    r"^[A-Z]{1,2}-\d{3}-[A-Z]{1,2}$|^\d-[A-Z]{3}-\d{2,3}$",
    // The United Kingdom, Ireland.
    r"^[A-Z]{2}\d{2} ?[A-Z]{3}$",
    r"^\d{2,3}-[A-Z]{1,2}-\d{1,6}$",
    // Poland, Czechia.
    r"^[A-Z]{2,3} (?:\d{5}|\d{4}[A-Z]|\d{3}[A-Z]{2}|\d[A-Z]\d{3}|\d{2}[A-Z]{2}\d?|[A-Z]\d{3,4}|\d{2}[A-Z]\d{2}|\d[A-Z]{2}\d{2}|[A-Z]{2}\d{3}|[A-Z]\d{2}[A-Z]{1,2})$",
    r"^\d[A-Z]\d ?\d{4}$",
    // Hungary, Sweden, Finland, Lithuania, Argentina, Colombia, older American ones.
    r"^[A-Z]{3}[- ]?\d{2}[0-9A-Z]$",
    r"^[A-Z]{2}[- ]?[A-Z]{2}[- ]?\d{2,3}$",
    r"^[A-Z]{3}[- ]?\d{4}$",
    // Romania, Bulgaria, Croatia, Slovenia, Ukraine.
    r"^[A-Z]{1,2}[- ]\d{2,3}[- ][A-Z]{3}$",
    r"^[A-ZА-Я]{1,2} ?\d{4} ?[A-ZА-Я]{2}$",
    r"^[A-ZČŠŽĐ]{2}[- ]\d{3,4}[- ][A-Z]{1,2}$",
    r"^[A-Z]{2} [A-Z0-9]{2}-\d{3}$",
    // Norway, Denmark, Latvia, Estonia.
    r"^[A-Z]{2} ?\d{2} ?\d{3}$|^[A-Z]{2}-\d{2,4}$|^\d{3} ?[A-Z]{3}$",
    // Turkey, Russia.
    r"^\d{2} ?[A-Z]{1,3} ?\d{2,4}$",
    r"^[A-ZА-Я] ?\d{3} ?[A-ZА-Я]{2} ?\d{2,3}$",
    // Brazil, Mexico, Chile, the United States, Canada.
    r"^[A-Z]{3}-?\d[A-Z]\d{2}$",
    r"^[A-Z]{3}-\d{2}-\d{2}$|^[A-Z]{3}-\d{3}-[A-Z]$",
    r"^[B-DF-HJ-NP-TV-Z]{4}[- ]?\d{2}$|^[B-DF-HJ-NP-TV-Z]{2}-[B-DF-HJ-NP-TV-Z]{2}-\d{2}$",
    r"^\d[A-Z]{3}\d{3}$|^[A-Z]{4} ?\d{3}$",
];
/// Fewest plates that are believed.
const FEWEST: usize = 4;

/// Whether nearly all values are plates of one state, with letters that differ: those of article numbers don't.
pub(crate) fn are_plates(values: &[&str]) -> bool {
    if values.len() < FEWEST {
        return false;
    }
    let mut counts = [0_usize; PLATES.len()];
    let mut letters: HashSet<String> = HashSet::new();
    for value in values {
        let value = value.to_uppercase();
        let is_mixed = value.chars().any(char::is_alphabetic) && value.bytes().any(|byte| byte.is_ascii_digit());
        if !is_mixed || !(4..=12).contains(&value.len()) {
            continue;
        }
        FORMS.matches(&value).into_iter().for_each(|form| counts[form] += 1);
        letters.insert(value.chars().filter(|character| character.is_alphabetic()).collect());
    }
    let enough = counts.iter().any(|count| *count as f64 >= 0.8 * values.len() as f64);
    enough && letters.len() * 2 >= values.len()
}

/// Whether nearly all values are hardware addresses, or numbers of phones and SIM cards with their check digits.
pub(crate) fn are_devices(values: &[&str]) -> bool {
    let share = |matches: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| matches(value)).count() as f64 / values.len().max(1) as f64
    };
    share(&|value| HARDWARE.is_match(value)) >= 0.8
        || values.len() >= FEWEST && (share(&is_imei) >= 0.8 || share(&is_sim) >= 0.8)
}

/// Whether nearly all values are vehicle identification numbers.
pub(crate) fn are_vehicles(values: &[&str]) -> bool {
    let are = values.iter().filter(|value| is_vehicle(value)).count();
    values.len() >= FEWEST && are as f64 >= 0.8 * values.len() as f64
}

/// Whether most values are pictures in text, or the files of pictures of somebody.
pub(crate) fn are_pictures(values: &[&str]) -> bool {
    let is_picture = |value: &&&str| {
        let starts = ["data:image/", "iVBORw0KGgo", "/9j/"];
        PICTURE.is_match(value) || starts.iter().any(|start| value.starts_with(start))
    };
    values.iter().filter(is_picture).count() * 2 > values.len()
}

/// Whether nearly all are degrees on the globe, as exact as a house.
pub(crate) fn are_degrees(values: &[&str]) -> bool {
    let is_degree = |value: &&&str| {
        let decimals = value.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        decimals >= 4 && value.parse::<f64>().is_ok_and(|number| number.abs() <= 180.0)
    };
    let large = values.iter().filter(|value| value.parse::<f64>().is_ok_and(|number| number.abs() >= 1.5)).count();
    values.len() >= FEWEST
        && values.iter().filter(is_degree).count() as f64 >= 0.9 * values.len() as f64
        && large as f64 >= 0.9 * values.len() as f64
}

/// Whether nearly all are UUIDs, as advertising identifiers are.
pub(crate) fn are_uuids(values: &[&str]) -> bool {
    let are = values.iter().filter(|value| UUID.is_match(value)).count();
    !values.is_empty() && are as f64 >= 0.8 * values.len() as f64
}

fn digits(value: &str) -> Option<Vec<u32>> {
    let plain = value.chars().filter(|character| !matches!(character, ' ' | '-' | '/'));
    plain.map(|character| character.to_digit(10)).collect()
}

/// Fifteen digits with a check digit, the first of a body that gives them out.
fn is_imei(value: &str) -> bool {
    let Some(digits) = digits(value) else { return false };
    digits.len() == 15
        && matches!((digits[0], digits[1]), (0, 1) | (3, 5) | (8, 6) | (9, 8 | 9))
        && passes_luhn(&digits)
}

fn is_sim(value: &str) -> bool {
    digits(value).is_some_and(|digits| matches!(digits.len(), 19 | 20) && digits.starts_with(&[8, 9]))
}

fn is_vehicle(value: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'O' | b'Q');
    value.len() == 17
        && value.bytes().all(known)
        && value.bytes().filter(u8::is_ascii_digit).count() >= 4
        && value.bytes().filter(u8::is_ascii_uppercase).count() >= 3
}

static FORMS: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(PLATES).expect("the patterns of this room are constant and tested"));
static HARDWARE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i-u)^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})$",
    )
});
static PICTURE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)(?:photo|foto|portrait|avatar|face|selfie|headshot|sign|unterschr|firma|assin|podpis|pass|ausweis|idcard|bild|pic|img|people|users?|staff|patient|person).*\.(?:jpe?g|png|gif|webp|bmp|tiff?|svg|heic)$",
    )
});
static UUID: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?i-u)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"));

#[cfg(test)]
mod tests {
    use super::{are_degrees, are_devices, are_pictures, are_plates, are_vehicles};

    #[test]
    fn plates_are_told_from_codes() {
        for plates in [
            &["B-MW 1234", "M-XY 77", "HH AB 123", "KA-PP 5"][..],
            &["AB-123-CD", "EF-456-GH", "JK-789-LM", "ZZ-001-AA"],
            &["1234 BCD", "5678 FGH", "9012 JKL", "3456 MNP"],
            &["AB12 CDE", "XY63 ZZZ", "LM19 OPQ", "FG70 HJK"],
            &["WA 12345", "KR 5A123", "GD 77812", "PO 4412A"],
            &["34 ABC 123", "06 ZK 4455", "35 TR 118", "01 PP 9090"],
            &["ABC1D23", "XYZ4E56", "QWE7R89", "RTY2U31"],
            &["А123ВС77", "М456ОР199", "Х789ТУ50", "К001МН161"],
        ] {
            assert!(are_plates(plates), "{plates:?}");
        }
        for codes in [
            &["EMP-001", "EMP-002", "EMP-003", "EMP-004"][..],
            &["ORD-1234-567", "ORD-2234-567", "ORD-3234-567", "ORD-3234-568"],
            &["A-113", "A-114", "B-115", "B-116"],
            &["Room 1", "Room 2", "Room 3", "Room 4"],
        ] {
            assert!(!are_plates(codes), "{codes:?}");
        }
    }

    #[test]
    fn devices_and_cars_are_told_by_what_is_built_into_them() {
        assert!(are_devices(&["00:1B:44:11:3A:B7", "a4-5e-60-c2-11-0f"]));
        assert!(are_devices(&["353918050000005", "356938035643809", "352099001761481", "868686868686863"]));
        assert!(!are_devices(&["100000000000001", "100000000000002", "100000000000003", "100000000000004"]));
        assert!(are_pictures(&["uploads/photos/17.jpg", "uploads/photos/99.PNG"]));
        assert!(!are_pictures(&["products/red_mug.jpg", "products/blue_mug.png"]));
        assert!(are_degrees(&["48.13743", "47.15012", "16.37211", "-3.70379"]));
        assert!(!are_degrees(&["0.13743", "0.15012", "0.37211", "0.70379"]));
        assert!(are_vehicles(&["1HGCM82633A004352", "WVWZZZ1JZXW000001", "JH4KA8260MC000000", "WDB9066351S123456"]));
        assert!(!are_vehicles(&["ABCDEFGHJKLMNPRST", "12345678901234567", "a", "b"]));
    }
}
