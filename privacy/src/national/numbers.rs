//! How each state's number is made: its letters, its date and its check digits.
//!
//! Invariant: a number is judged by itself, and by nothing that was issued.

use super::text::{Text, written_as};

pub(super) fn social_security(text: &Text) -> bool {
    text.is_written("000-00-0000") && !matches!(text.number(0, 3), 0 | 666)
}

pub(super) fn codice_fiscale(text: &Text) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    if !text.has("AAAAAA00A00A000A") {
        return false;
    }
    let bytes = text.compact.as_bytes();
    let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
    let sum: u32 = bytes[..15]
        .iter()
        .enumerate()
        .map(|(place, byte)| if place % 2 == 0 { ODD[value(*byte) as usize] } else { value(*byte) })
        .sum();
    sum % 26 == value(bytes[15])
}

pub(super) fn dni(text: &Text) -> bool {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let compact = &text.compact;
    let number = match compact.as_bytes().first() {
        Some(b'X') => format!("0{}", &compact[1..]),
        Some(b'Y') => format!("1{}", &compact[1..]),
        Some(b'Z') => format!("2{}", &compact[1..]),
        _ => compact.clone(),
    };
    let checked = |number: &str| {
        let value: usize = number[..8].parse().unwrap_or(0);
        number.as_bytes()[8] == LETTERS[value % 23]
    };
    written_as(&number, "00000000A") && checked(&number)
}

pub(super) fn hetu(text: &Text) -> bool {
    const CHECK: &[u8] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let bytes = text.raw.as_bytes();
    if bytes.len() != 11 || !matches!(bytes[6], b'-' | b'+' | b'A'..=b'F' | b'U'..=b'Y') {
        return false;
    }
    let (Some(day), Some(rest)) = (text.raw.get(..6), text.raw.get(7..10)) else { return false };
    let Ok(number) = format!("{day}{rest}").parse::<usize>() else { return false };
    let part = |from: usize| day[from..from + 2].parse().unwrap_or(0);
    is_day(part(2), part(0)) && bytes[10] == CHECK[number % 31]
}

pub(super) fn curp(text: &Text) -> bool {
    let alike = text.has("AAAA000000AAAAAA00") || text.has("AAAA000000AAAAAAA0");
    alike && matches!(text.compact.as_bytes()[10], b'H' | b'M' | b'X') && day_at(&text.compact, 4)
}

/// Whether `yymmdd` stands there.
fn day_at(text: &str, from: usize) -> bool {
    let part = |from: usize| text.get(from..from + 2).and_then(|part| part.parse().ok()).unwrap_or(0);
    is_day(part(from + 2), part(from + 4))
}

pub(super) fn rfc(text: &Text) -> bool {
    text.compact.len() == 13 && written_as(&text.compact[..10], "AAAA000000") && day_at(&text.compact, 4)
}

pub(super) fn nino(text: &Text) -> bool {
    let bytes = text.compact.as_bytes();
    text.has("AA000000A")
        && matches!(bytes[8], b'A'..=b'D')
        && !bytes[..2].iter().any(|byte| matches!(byte, b'D' | b'F' | b'I' | b'Q' | b'U' | b'V'))
        && bytes[1] != b'O'
}

pub(super) fn pension(text: &Text) -> bool {
    let part = |from: usize| text.compact[from..from + 2].parse().unwrap_or(0);
    text.has("00000000A000") && is_day(part(4), part(2))
}

pub(super) fn pps(text: &Text) -> bool {
    let compact = &text.compact;
    if !(text.has("0000000A") || text.has("0000000AA")) {
        return false;
    }
    let digits: Vec<u32> = compact.bytes().take(7).map(|byte| u32::from(byte - b'0')).collect();
    let second = compact.as_bytes().get(8).map_or(0, |byte| if *byte == b'W' { 0 } else { u32::from(byte - b'A') + 1 });
    let check = (weighted(&digits, &[8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23;
    let letter = if check == 0 { b'W' } else { b'A' + check as u8 - 1 };
    compact.as_bytes()[7] == letter
}

pub(super) fn pan(text: &Text) -> bool {
    text.has("AAAAA0000A") && text.compact.as_bytes()[3] == b'P'
}

pub(super) fn mbi(text: &Text) -> bool {
    let bytes = text.compact.as_bytes();
    let letter = |place: usize| bytes[place].is_ascii_uppercase();
    let digit = |place: usize| bytes[place].is_ascii_digit();
    bytes.len() == 11
        && matches!(bytes[0], b'1'..=b'9')
        && [1, 4, 7, 8].iter().all(|place| letter(*place))
        && [3, 6, 9, 10].iter().all(|place| digit(*place))
}

pub(super) fn ahv(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 13
        && text.number(0, 3) == 756
        && weighted(digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

pub(super) fn cpf(text: &Text) -> bool {
    let digits = &text.digits;
    let check = |length: u32| {
        let weights: Vec<u32> = (2..=length + 1).rev().collect();
        let rest = weighted(digits, &weights) * 10 % 11;
        (if rest == 10 { 0 } else { rest }) == digits[length as usize]
    };
    digits.len() == 11 && !text.all_the_same() && check(9) && check(10)
}

pub(super) fn personnummer(text: &Text) -> bool {
    let length = text.digits.len();
    let start = match length {
        10 => 0,
        12 if matches!(text.number(0, 2), 18..=20) => 2,
        _ => return false,
    };
    let day = text.number(start + 4, start + 6);
    let day = if day > 60 { day - 60 } else { day };
    is_day(text.number(start + 2, start + 4), day) && passes_luhn(&text.digits[start..])
}

pub(super) fn is_cpr(text: &Text) -> bool {
    text.digits.len() == 10 && is_day(text.number(2, 4), text.number(0, 2))
}

pub(super) fn fodselsnummer(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 {
        return false;
    }
    let day = text.number(0, 2);
    let day = if day > 40 { day - 40 } else { day };
    is_day(text.number(2, 4), day)
        && weighted(digits, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weighted(digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

pub(super) fn rodne_cislo(text: &Text) -> bool {
    let length = text.digits.len();
    if length != 10 && !text.is_written("000000/000") {
        return false;
    }
    let month = text.number(2, 4);
    let month = [70, 50, 20, 0].iter().find(|added| month > **added).map_or(0, |added| month - added);
    let passes = || {
        let number = text.digits.iter().fold(0_u64, |number, digit| number * 10 + u64::from(*digit));
        number.is_multiple_of(11)
    };
    is_day(month, text.number(4, 6)) && (length == 9 || passes())
}

pub(super) fn pesel(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 11
        && is_day(text.number(2, 4) % 20, text.number(4, 6))
        && weighted(digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

pub(super) fn cnp(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 13 || !is_day(text.number(3, 5), text.number(5, 7)) {
        return false;
    }
    let rest = weighted(digits, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    (if rest == 10 { 1 } else { rest }) == digits[12]
}

pub(super) fn egn(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 10 {
        return false;
    }
    let month = text.number(2, 4);
    let month = [40, 20, 0].iter().find(|added| month > **added).map_or(0, |added| month - added);
    is_day(month, text.number(4, 6)) && weighted(digits, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10 == digits[9]
}

pub(super) fn baltic(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 || !(1..=6).contains(&digits[0]) || !is_day(text.number(3, 5), text.number(5, 7)) {
        return false;
    }
    let first = weighted(digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = weighted(digits, &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 % 10;
    (if first == 10 { second } else { first }) == digits[10]
}

pub(super) fn jmbg(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 13 || !is_day(text.number(2, 4), text.number(0, 2)) {
        return false;
    }
    let check = 11 - weighted(digits, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    (if check > 9 { 0 } else { check }) == digits[12]
}

pub(super) fn amka(text: &Text) -> bool {
    text.digits.len() == 11 && is_day(text.number(2, 4), text.number(0, 2)) && passes_luhn(&text.digits)
}

pub(super) fn nir(text: &Text) -> bool {
    let compact = &text.compact;
    let corsican = compact.len() == 15 && matches!(&compact[5..7], "2A" | "2B");
    let plain = if corsican { compact.replacen("2A", "19", 1).replacen("2B", "18", 1) } else { compact.clone() };
    if !written_as(&plain, "000000000000000") || !matches!(plain.as_bytes()[0], b'1' | b'2' | b'3' | b'4' | b'7' | b'8')
    {
        return false;
    }
    let number: u64 = plain[..13].parse().unwrap_or(0);
    let key: u64 = plain[13..].parse().unwrap_or(0);
    97 - number % 97 == key
}

pub(super) fn rijksregister(text: &Text) -> bool {
    if text.digits.len() != 11 || text.number(2, 4) > 12 || text.number(4, 6) > 31 {
        return false;
    }
    let number = u64::from(text.number(0, 9));
    let check = u64::from(text.number(9, 11));
    [number, number + 2_000_000_000].iter().any(|number| 97 - number % 97 == check)
}

pub(super) fn rut(text: &Text) -> bool {
    let Some((number, check)) = text.raw.split_once('-') else { return false };
    let digits: Vec<u32> = number.chars().filter_map(|character| character.to_digit(10)).collect();
    if !(7..=8).contains(&digits.len()) || check.len() != 1 {
        return false;
    }
    let sum: u32 =
        digits.iter().rev().zip([2, 3, 4, 5, 6, 7].iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    let wanted = match 11 - sum % 11 {
        11 => "0".to_owned(),
        10 => "K".to_owned(),
        other => other.to_string(),
    };
    check == wanted
}

pub(super) fn cuit(text: &Text) -> bool {
    if text.digits.len() != 11 || !matches!(text.number(0, 2), 20 | 23 | 24 | 27) {
        return false;
    }
    let check = 11 - weighted(&text.digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    (if check == 11 { 0 } else { check }) == text.digits[10]
}

pub(super) fn tckn(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let every_second = |from: usize, to: usize| digits[from..to].iter().step_by(2).sum::<u32>();
    (every_second(0, 9) * 7 + 10 - every_second(1, 8) % 10) % 10 == digits[9]
        && digits[..10].iter().sum::<u32>() % 10 == digits[10]
}

pub(super) fn snils(text: &Text) -> bool {
    if !text.is_written("000-000-000 00") {
        return false;
    }
    let sum = weighted(&text.digits, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101;
    sum % 100 == text.number(9, 11)
}

pub(super) fn steuer_id(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let mut counts = [0; 10];
    digits[..10].iter().for_each(|digit| counts[*digit as usize] += 1);
    let repeated = counts.iter().filter(|count| **count > 1).count();
    repeated == 1 && counts.iter().all(|count| *count <= 3) && passes_mod_11_10(digits)
}

pub(super) fn bsn(text: &Text) -> bool {
    let mut digits = text.digits.clone();
    if digits.len() == 8 {
        digits.insert(0, 0);
    }
    digits.len() == 9
        && !text.all_the_same()
        && (weighted(&digits, &[9, 8, 7, 6, 5, 4, 3, 2]) + 11 - digits[8]).is_multiple_of(11)
}

pub(super) fn nif(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 9 || !matches!(digits[0], 1 | 2 | 3 | 5 | 6 | 8 | 9) {
        return false;
    }
    let check = 11 - weighted(digits, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    (if check > 9 { 0 } else { check }) == digits[8]
}

pub(super) fn nhs(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 10 && !text.all_the_same() && weighted(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

pub(super) fn taj(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 9 && weighted(digits, &[3, 7, 3, 7, 3, 7, 3, 7]) % 10 == digits[8]
}

pub(super) fn inn(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 12
        && weighted(digits, &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[10]
        && weighted(digits, &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[11]
}

pub(super) fn rnokpp(text: &Text) -> bool {
    let digits: Vec<i64> = text.digits.iter().map(|digit| i64::from(*digit)).collect();
    let weights = [-1, 5, 7, 9, 4, 6, 10, 5, 7];
    digits.len() == 10
        && digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum::<i64>().rem_euclid(11) % 10
            == digits[9]
}

pub(super) fn cedula(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 10 && (1..=24).contains(&text.number(0, 2)) && digits[2] < 6 && passes_luhn(digits)
}

pub(super) fn dowod(text: &Text) -> bool {
    if !text.has("AAA000000") {
        return false;
    }
    let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' + 10 });
    let values: Vec<u32> = text.compact.bytes().map(value).collect();
    (weighted(&values, &[7, 3, 1, 0, 7, 3, 1, 7, 3])) % 10 == values[3]
}

pub(super) fn insured(text: &Text) -> bool {
    if !text.has("A000000000") {
        return false;
    }
    let letter = u32::from(text.compact.as_bytes()[0] - b'A') + 1;
    let digits =
        [letter / 10, letter % 10].into_iter().chain(text.compact.bytes().skip(1).map(|byte| u32::from(byte - b'0')));
    let digits: Vec<u32> = digits.collect();
    let sum: u32 = digits[..10]
        .iter()
        .zip([1, 2].iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    sum % 10 == digits[10]
}

pub(super) fn afm(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 9
        && weighted(digits, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10 == digits[8]
        && !text.all_the_same()
}

fn is_day(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day) && !(month == 2 && day > 29)
}

fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// The check digit of ISO/IEC 7812-1.
pub(crate) fn passes_luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| if place % 2 == 0 { *digit } else { doubled(*digit) })
        .sum();
    sum.is_multiple_of(10)
}

/// ISO 7064, MOD 11,10.
pub(super) fn passes_mod_11_10(digits: &[u32]) -> bool {
    let Some((check, rest)) = digits.split_last() else { return false };
    let product = rest.iter().fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == *check
}

pub(super) fn verhoeff(digits: &[u32]) -> bool {
    const PERMUTED: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let multiply = |left: u32, right: u32| match (left < 5, right < 5) {
        (true, true) => (left + right) % 5,
        (true, false) => (left + right - 5) % 5 + 5,
        (false, true) => (left - 5 + 5 - right) % 5 + 5,
        (false, false) => (left + 5 - right) % 5,
    };
    let check = digits.iter().rev().enumerate().fold(0, |check, (place, digit)| {
        let permuted = (0..place % 8).fold(*digit, |digit, _| PERMUTED[digit as usize]);
        multiply(check, permuted)
    });
    check == 0
}
