//! The forms of single values that are personal wherever they stand: e-mail, phone, IBAN, card, password hash.

use std::sync::LazyLock;

use regex::Regex;

use crate::national::passes_luhn;

/// A form that a single value may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `ann@example.com`.
    Email,
    /// A social security number of the United States with its hyphens.
    SocialSecurity,
    /// An international bank account number with a valid check.
    Iban,
    /// A payment card's number with a valid check digit.
    CardNumber,
    /// What crypt functions write: `$2b$12$…`.
    PasswordHash,
    /// A telephone number that is written as one.
    Phone,
}

impl Form {
    /// All of them.
    const ALL: [Self; 6] =
        [Self::Email, Self::SocialSecurity, Self::Iban, Self::CardNumber, Self::PasswordHash, Self::Phone];

    /// The first form that the value has.
    pub fn of(value: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.matches(value))
    }

    /// Whether the value has the form.
    pub fn matches(self, value: &str) -> bool {
        let digits = || value.bytes().filter(u8::is_ascii_digit).count();
        match self {
            Self::Email => EMAIL.is_match(value),
            Self::SocialSecurity => SOCIAL_SECURITY.is_match(value),
            Self::Iban => is_iban(value),
            Self::CardNumber => is_card_number(value),
            Self::PasswordHash => PASSWORD_HASH.is_match(value),
            Self::Phone => {
                let forms = [&PHONE_ABROAD, &PHONE_AMERICAN, &PHONE_TRUNK];
                (7..=21).contains(&digits()) && forms.iter().any(|form| form.is_match(value))
            }
        }
    }
}

/// ISO 13616: two letters, two check digits, up to 30 more characters; the number they make is 1 modulo 97.
fn is_iban(value: &str) -> bool {
    let compact: String = value.chars().filter(|character| *character != ' ').collect();
    if !(15..=34).contains(&compact.len()) || !IBAN.is_match(&compact) {
        return false;
    }
    let moved = compact[4..].chars().chain(compact[..4].chars());
    let remainder = moved.fold(0_u32, |remainder, character| {
        let digit = character.to_digit(36).unwrap_or(0);
        (remainder * if digit > 9 { 100 } else { 10 } + digit) % 97
    });
    remainder == 1
}

/// Whether a value is written like an IBAN of its country, whatever its check digits say: made up for tests, or misread.
pub(crate) fn is_written_like_iban(value: &str) -> bool {
    /// Characters by country, by the registry of ISO 13616.
    const LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 \
                           ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 \
                           KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 \
                           PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20";
    let compact: String = value.chars().filter(|character| *character != ' ').collect();
    let of_country = |entry: &&str| {
        let (country, length) = entry.split_at(2);
        compact.starts_with(country) && length.parse() == Ok(compact.len())
    };
    IBAN.is_match(&compact) && LENGTHS.split_whitespace().any(|entry| of_country(&entry))
}

/// 13 to 19 digits of a card network's range with a valid Luhn check digit (ISO/IEC 7812-1).
fn is_card_number(value: &str) -> bool {
    if !CARD.is_match(value) {
        return false;
    }
    let digits: Vec<u32> = value.chars().filter_map(|character| character.to_digit(10)).collect();
    if !(13..=19).contains(&digits.len()) {
        return false;
    }
    // Of fifteen digits are only those of one network; others of that length are phones.
    (digits.len() != 15 || matches!(digits[..2], [3, 4 | 7])) && passes_luhn(&digits)
}

pub(crate) fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns of this room are constant and tested")
}

static EMAIL: LazyLock<Regex> = LazyLock::new(|| compiled(r"^[^@\s<>:/]{1,64}@[^@\s.<>:/]+(\.[^@\s.<>:/]+)+$"));
static SOCIAL_SECURITY: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)^\d{3}-\d{2}-\d{4}$"));
static IBAN: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)^[A-Z]{2}\d{2}[A-Z0-9]+$"));
static CARD: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)^[3-6]\d{3}([ -]?\d{2,6}){2,4}$"));
static PASSWORD_HASH: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"^\$(2[abxy]?|5|6|y|argon2(id|i|d)|scrypt|pbkdf2[a-z0-9-]*)\$\S{8,}$"));
static PHONE_ABROAD: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)^(\+|00)[1-9]\d{0,2}[\d ().-]{5,18}$"));
static PHONE_AMERICAN: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?-u)^(1[ .-])?(\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}( ?x ?\d{1,6})?$"));
static PHONE_TRUNK: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?-u)^\(?0\d{2,4}(\) ?|[ /-]+)\d{2,8}([ -]\d{2,6}){0,3}$"));
