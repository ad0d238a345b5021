//! Numbers by which states know people, told by their form and their check digits.
//!
//! What a form says depends on how easily another number has it. A tax code of letters, a date and a check letter is that
//! and nothing else; nine digits of which the last fits pass by chance one time in eleven, and a register of companies may
//! use the same sum. So each form has the chance with which a number of its length passes, and forms that pass easily
//! count only where people are meant. Invariant: a form is a pure function of one value.

/// A form of a state's number.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// For a sentence: `values look like …`.
    pub(crate) name: &'static str,
    pub(crate) matches: fn(&Text) -> bool,
    /// How often a number or text of the same length passes by chance.
    pub(crate) chance: f64,
}

/// A value in the ways in which forms look at it.
pub(crate) struct Text {
    /// As it is, without blanks around it, in capitals.
    raw: String,
    /// Its letters and digits.
    compact: String,
    /// Its digits, where it has no letters.
    digits: Vec<u32>,
}

impl Text {
    /// `None` for what is too long or too short for any of them.
    pub(crate) fn of(value: &str) -> Option<Self> {
        let raw = value.trim().to_ascii_uppercase();
        let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'.' | b'/' | b'+');
        if !(7..=24).contains(&raw.len()) || !raw.bytes().all(known) || !raw.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let compact: String = raw.chars().filter(char::is_ascii_alphanumeric).collect();
        let has_letters = compact.bytes().any(|byte| byte.is_ascii_alphabetic());
        let digits =
            if has_letters { Vec::new() } else { compact.bytes().map(|byte| u32::from(byte - b'0')).collect() };
        Some(Self { raw, compact, digits })
    }

    /// Whether it is written with a `0` for each digit, `A` for each letter and everything else as it stands.
    fn is_written(&self, picture: &str) -> bool {
        written_as(&self.raw, picture)
    }

    fn has(&self, picture: &str) -> bool {
        written_as(&self.compact, picture)
    }

    fn number(&self, from: usize, to: usize) -> u32 {
        self.digits[from..to].iter().fold(0, |number, digit| number * 10 + digit)
    }

    fn all_the_same(&self) -> bool {
        self.digits.windows(2).all(|pair| pair[0] == pair[1])
    }
}

fn written_as(text: &str, picture: &str) -> bool {
    text.len() == picture.len()
        && text.bytes().zip(picture.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_uppercase(),
            other => byte == other,
        })
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
fn passes_mod_11_10(digits: &[u32]) -> bool {
    let Some((check, rest)) = digits.split_last() else { return false };
    let product = rest.iter().fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == *check
}

fn verhoeff(digits: &[u32]) -> bool {
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

/// The letters and dates alone say what these are.
pub(crate) const TELLING: &[Form] = &[
    Form { name: "US social security numbers", matches: social_security, chance: 0.001 },
    Form { name: "Italian tax codes", matches: codice_fiscale, chance: 0.0001 },
    Form { name: "Spanish identity numbers", matches: dni, chance: 0.043 },
    Form { name: "Finnish identity codes", matches: hetu, chance: 0.001 },
    Form { name: "Mexican population codes", matches: curp, chance: 0.0001 },
    Form { name: "Mexican tax codes", matches: rfc, chance: 0.01 },
    Form { name: "UK national insurance numbers", matches: nino, chance: 0.01 },
    Form { name: "German pension numbers", matches: pension, chance: 0.01 },
    Form { name: "Irish service numbers", matches: pps, chance: 0.043 },
    Form { name: "Indian tax numbers", matches: pan, chance: 0.01 },
    Form { name: "US Medicare numbers", matches: mbi, chance: 0.001 },
    Form { name: "Swiss insurance numbers", matches: ahv, chance: 0.0001 },
    Form { name: "Brazilian tax numbers", matches: cpf, chance: 0.01 },
    Form { name: "Swedish personal numbers", matches: personnummer, chance: 0.004 },
    Form {
        name: "Danish personal numbers",
        matches: |text| text.is_written("000000-0000") && is_cpr(text),
        chance: 0.03,
    },
    Form { name: "Norwegian birth numbers", matches: fodselsnummer, chance: 0.001 },
    Form { name: "Czech and Slovak birth numbers", matches: rodne_cislo, chance: 0.014 },
    Form { name: "Polish population numbers", matches: pesel, chance: 0.02 },
    Form { name: "Romanian personal codes", matches: cnp, chance: 0.003 },
    Form { name: "Bulgarian citizen numbers", matches: egn, chance: 0.012 },
    Form { name: "Baltic personal codes", matches: baltic, chance: 0.004 },
    Form { name: "unique citizen numbers", matches: jmbg, chance: 0.003 },
    Form { name: "Greek insurance numbers", matches: amka, chance: 0.004 },
    Form { name: "French insurance numbers", matches: nir, chance: 0.001 },
    Form { name: "Belgian register numbers", matches: rijksregister, chance: 0.001 },
    Form { name: "Chilean identity numbers", matches: rut, chance: 0.091 },
    Form { name: "Argentine tax numbers", matches: cuit, chance: 0.004 },
    Form { name: "Turkish identity numbers", matches: tckn, chance: 0.01 },
    Form { name: "Russian insurance numbers", matches: snils, chance: 0.01 },
    Form {
        name: "Dominican identity numbers",
        matches: |text| text.is_written("000-0000000-0") && passes_luhn(&text.digits),
        chance: 0.1,
    },
];

/// These pass by chance too often to count without people.
pub(crate) const OF_PEOPLE: &[Form] = &[
    Form { name: "German tax numbers", matches: steuer_id, chance: 0.02 },
    Form {
        name: "Croatian personal numbers",
        matches: |text| text.digits.len() == 11 && passes_mod_11_10(&text.digits),
        chance: 0.1,
    },
    Form { name: "Dutch service numbers", matches: bsn, chance: 0.091 },
    Form { name: "Portuguese tax numbers", matches: nif, chance: 0.091 },
    Form {
        name: "Canadian insurance numbers",
        matches: |text| text.digits.len() == 9 && !text.all_the_same() && passes_luhn(&text.digits),
        chance: 0.1,
    },
    Form { name: "NHS numbers", matches: nhs, chance: 0.091 },
    Form { name: "Danish personal numbers", matches: is_cpr, chance: 0.035 },
    Form { name: "Hungarian insurance numbers", matches: taj, chance: 0.1 },
    Form { name: "Russian tax numbers", matches: inn, chance: 0.01 },
    Form { name: "Ukrainian tax numbers", matches: rnokpp, chance: 0.1 },
    Form {
        name: "Indian identity numbers",
        matches: |text| text.digits.len() == 12 && text.digits[0] > 1 && verhoeff(&text.digits),
        chance: 0.1,
    },
    Form { name: "Ecuadorian identity numbers", matches: cedula, chance: 0.014 },
    Form { name: "Polish identity cards", matches: dowod, chance: 0.1 },
    Form { name: "German insured persons' numbers", matches: insured, chance: 0.1 },
    Form { name: "Greek tax numbers", matches: afm, chance: 0.1 },
];

fn social_security(text: &Text) -> bool {
    text.is_written("000-00-0000") && !matches!(text.number(0, 3), 0 | 666)
}

fn codice_fiscale(text: &Text) -> bool {
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

fn dni(text: &Text) -> bool {
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

fn hetu(text: &Text) -> bool {
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

fn curp(text: &Text) -> bool {
    let alike = text.has("AAAA000000AAAAAA00") || text.has("AAAA000000AAAAAAA0");
    alike && matches!(text.compact.as_bytes()[10], b'H' | b'M' | b'X') && day_at(&text.compact, 4)
}

/// Whether `yymmdd` stands there.
fn day_at(text: &str, from: usize) -> bool {
    let part = |from: usize| text.get(from..from + 2).and_then(|part| part.parse().ok()).unwrap_or(0);
    is_day(part(from + 2), part(from + 4))
}

fn rfc(text: &Text) -> bool {
    text.compact.len() == 13 && written_as(&text.compact[..10], "AAAA000000") && day_at(&text.compact, 4)
}

fn nino(text: &Text) -> bool {
    let bytes = text.compact.as_bytes();
    text.has("AA000000A")
        && matches!(bytes[8], b'A'..=b'D')
        && !bytes[..2].iter().any(|byte| matches!(byte, b'D' | b'F' | b'I' | b'Q' | b'U' | b'V'))
        && bytes[1] != b'O'
}

fn pension(text: &Text) -> bool {
    let part = |from: usize| text.compact[from..from + 2].parse().unwrap_or(0);
    text.has("00000000A000") && is_day(part(4), part(2))
}

fn pps(text: &Text) -> bool {
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

fn pan(text: &Text) -> bool {
    text.has("AAAAA0000A") && text.compact.as_bytes()[3] == b'P'
}

fn mbi(text: &Text) -> bool {
    let bytes = text.compact.as_bytes();
    let letter = |place: usize| bytes[place].is_ascii_uppercase();
    let digit = |place: usize| bytes[place].is_ascii_digit();
    bytes.len() == 11
        && matches!(bytes[0], b'1'..=b'9')
        && [1, 4, 7, 8].iter().all(|place| letter(*place))
        && [3, 6, 9, 10].iter().all(|place| digit(*place))
}

fn ahv(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 13
        && text.number(0, 3) == 756
        && weighted(digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

fn cpf(text: &Text) -> bool {
    let digits = &text.digits;
    let check = |length: u32| {
        let weights: Vec<u32> = (2..=length + 1).rev().collect();
        let rest = weighted(digits, &weights) * 10 % 11;
        (if rest == 10 { 0 } else { rest }) == digits[length as usize]
    };
    digits.len() == 11 && !text.all_the_same() && check(9) && check(10)
}

fn personnummer(text: &Text) -> bool {
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

fn is_cpr(text: &Text) -> bool {
    text.digits.len() == 10 && is_day(text.number(2, 4), text.number(0, 2))
}

fn fodselsnummer(text: &Text) -> bool {
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

fn rodne_cislo(text: &Text) -> bool {
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

fn pesel(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 11
        && is_day(text.number(2, 4) % 20, text.number(4, 6))
        && weighted(digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

fn cnp(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 13 || !is_day(text.number(3, 5), text.number(5, 7)) {
        return false;
    }
    let rest = weighted(digits, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    (if rest == 10 { 1 } else { rest }) == digits[12]
}

fn egn(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 10 {
        return false;
    }
    let month = text.number(2, 4);
    let month = [40, 20, 0].iter().find(|added| month > **added).map_or(0, |added| month - added);
    is_day(month, text.number(4, 6)) && weighted(digits, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10 == digits[9]
}

fn baltic(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 || !(1..=6).contains(&digits[0]) || !is_day(text.number(3, 5), text.number(5, 7)) {
        return false;
    }
    let first = weighted(digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = weighted(digits, &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 % 10;
    (if first == 10 { second } else { first }) == digits[10]
}

fn jmbg(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 13 || !is_day(text.number(2, 4), text.number(0, 2)) {
        return false;
    }
    let check = 11 - weighted(digits, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    (if check > 9 { 0 } else { check }) == digits[12]
}

fn amka(text: &Text) -> bool {
    text.digits.len() == 11 && is_day(text.number(2, 4), text.number(0, 2)) && passes_luhn(&text.digits)
}

fn nir(text: &Text) -> bool {
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

fn rijksregister(text: &Text) -> bool {
    if text.digits.len() != 11 || text.number(2, 4) > 12 || text.number(4, 6) > 31 {
        return false;
    }
    let number = u64::from(text.number(0, 9));
    let check = u64::from(text.number(9, 11));
    [number, number + 2_000_000_000].iter().any(|number| 97 - number % 97 == check)
}

fn rut(text: &Text) -> bool {
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

fn cuit(text: &Text) -> bool {
    if text.digits.len() != 11 || !matches!(text.number(0, 2), 20 | 23 | 24 | 27) {
        return false;
    }
    let check = 11 - weighted(&text.digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    (if check == 11 { 0 } else { check }) == text.digits[10]
}

fn tckn(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let every_second = |from: usize, to: usize| digits[from..to].iter().step_by(2).sum::<u32>();
    (every_second(0, 9) * 7 + 10 - every_second(1, 8) % 10) % 10 == digits[9]
        && digits[..10].iter().sum::<u32>() % 10 == digits[10]
}

fn snils(text: &Text) -> bool {
    if !text.is_written("000-000-000 00") {
        return false;
    }
    let sum = weighted(&text.digits, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101;
    sum % 100 == text.number(9, 11)
}

fn steuer_id(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let mut counts = [0; 10];
    digits[..10].iter().for_each(|digit| counts[*digit as usize] += 1);
    let repeated = counts.iter().filter(|count| **count > 1).count();
    repeated == 1 && counts.iter().all(|count| *count <= 3) && passes_mod_11_10(digits)
}

fn bsn(text: &Text) -> bool {
    let mut digits = text.digits.clone();
    if digits.len() == 8 {
        digits.insert(0, 0);
    }
    digits.len() == 9
        && !text.all_the_same()
        && (weighted(&digits, &[9, 8, 7, 6, 5, 4, 3, 2]) + 11 - digits[8]).is_multiple_of(11)
}

fn nif(text: &Text) -> bool {
    let digits = &text.digits;
    if digits.len() != 9 || !matches!(digits[0], 1 | 2 | 3 | 5 | 6 | 8 | 9) {
        return false;
    }
    let check = 11 - weighted(digits, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    (if check > 9 { 0 } else { check }) == digits[8]
}

fn nhs(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 10 && !text.all_the_same() && weighted(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

fn taj(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 9 && weighted(digits, &[3, 7, 3, 7, 3, 7, 3, 7]) % 10 == digits[8]
}

fn inn(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 12
        && weighted(digits, &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[10]
        && weighted(digits, &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[11]
}

fn rnokpp(text: &Text) -> bool {
    let digits: Vec<i64> = text.digits.iter().map(|digit| i64::from(*digit)).collect();
    let weights = [-1, 5, 7, 9, 4, 6, 10, 5, 7];
    digits.len() == 10
        && digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum::<i64>().rem_euclid(11) % 10
            == digits[9]
}

fn cedula(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 10 && (1..=24).contains(&text.number(0, 2)) && digits[2] < 6 && passes_luhn(digits)
}

fn dowod(text: &Text) -> bool {
    if !text.has("AAA000000") {
        return false;
    }
    let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' + 10 });
    let values: Vec<u32> = text.compact.bytes().map(value).collect();
    (weighted(&values, &[7, 3, 1, 0, 7, 3, 1, 7, 3])) % 10 == values[3]
}

fn insured(text: &Text) -> bool {
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

fn afm(text: &Text) -> bool {
    let digits = &text.digits;
    digits.len() == 9
        && weighted(digits, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10 == digits[8]
        && !text.all_the_same()
}

#[cfg(test)]
mod tests {
    use super::{OF_PEOPLE, TELLING, Text};

    #[test]
    fn numbers_are_told_by_their_check_digits() {
        // Published examples, none of which belongs to anybody.
        for (form, value) in [
            ("US social security numbers", "078-05-1120"),
            ("Italian tax codes", "RSSMRA85T10A562S"),
            ("Spanish identity numbers", "12345678Z"),
            ("Spanish identity numbers", "X1234567L"),
            ("Finnish identity codes", "131052-308T"),
            ("UK national insurance numbers", "AB 12 34 56 C"),
            ("Swiss insurance numbers", "756.9217.0769.85"),
            ("Brazilian tax numbers", "529.982.247-25"),
            ("Swedish personal numbers", "811218-9876"),
            ("Danish personal numbers", "070761-4285"),
            ("Polish population numbers", "44051401359"),
            ("Romanian personal codes", "1800101221144"),
            ("Bulgarian citizen numbers", "7523169263"),
            ("Baltic personal codes", "37605030299"),
            ("unique citizen numbers", "0101006500006"),
            ("French insurance numbers", "2 55 08 14 168 025 38"),
            ("Belgian register numbers", "85.07.30-033.28"),
            ("Chilean identity numbers", "12.345.678-5"),
            ("Turkish identity numbers", "10000000146"),
            ("Russian insurance numbers", "112-233-445 95"),
            ("German tax numbers", "86095742719"),
            ("Croatian personal numbers", "33392005961"),
            ("Dutch service numbers", "111222333"),
            ("Canadian insurance numbers", "046 454 286"),
            ("NHS numbers", "943 476 5919"),
            ("Indian identity numbers", "2341 2341 2346"),
            ("Polish identity cards", "ABA300000"),
            ("German insured persons' numbers", "A123456780"),
        ] {
            let text = Text::of(value).unwrap();
            let forms = TELLING.iter().chain(OF_PEOPLE).filter(|known| known.name == form);
            assert!(forms.into_iter().any(|known| (known.matches)(&text)), "{form} {value}");
        }
    }

    #[test]
    fn no_form_passes_much_more_often_by_chance_than_it_says() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for length in [9_u32, 10, 11, 12, 13, 15] {
            let numbers: Vec<Text> = (0..4000)
                .map(|_| Text::of(&format!("{:0>1$}", next() % 10_u64.pow(length), length as usize)).unwrap())
                .collect();
            for form in TELLING.iter().chain(OF_PEOPLE) {
                let passed = numbers.iter().filter(|number| (form.matches)(number)).count();
                assert!(passed as f64 <= 4000.0 * form.chance * 1.4 + 12.0, "{} {length}: {passed}", form.name);
            }
        }
    }
}
