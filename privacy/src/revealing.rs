//! Values that must not be kept wherever they stand: in remarks, in settings, between others that are harmless.
//!
//! Only what nothing else looks like counts, because one value is enough: an e-mail address, a payment card's number
//! with its check digit, a secret in the form of those who issue it. Invariant: what is found here is in no profile.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::forms::{Form, compiled};
use crate::national::passes_luhn;

/// What a value gives away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revealed {
    Email,
    CardNumber,
    Iban,
    Secret,
    /// Only looked for in longer texts, like what follows.
    Phone,
    /// An illness or an offence.
    Nature,
    Name,
}

impl Revealed {
    /// For a sentence: `values hold …`.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Email => "e-mail addresses",
            Self::CardNumber => "card numbers",
            Self::Iban => "IBANs",
            Self::Secret => "passwords or keys",
            Self::Phone => "phone numbers",
            Self::Nature => "illnesses or offences",
            Self::Name => "names of people",
        }
    }

    /// What `text` holds, alone or among other words.
    pub(crate) fn in_text(text: &str) -> Option<Self> {
        // A password in an address stands before an `@` as well, so secrets come first.
        if Form::PasswordHash.matches(text) || SECRET.is_match(text) || short_key(text) {
            return Some(Self::Secret);
        }
        if text.contains('@') && EMAIL.find_iter(text).any(|found| !is_of_a_place(text, found.range())) {
            return Some(Self::Email);
        }
        if Form::Iban.matches(text) {
            return Some(Self::Iban);
        }
        CARD.captures_iter(text).any(|found| is_card(&found[1])).then_some(Self::CardNumber)
    }
}

/// Whether what stands around an address, of which `found` begins with the last letter of its first part, says that it is
/// that of a repository or a page: `git@host:name`. A person's in the path of a page is one.
fn is_of_a_place(text: &str, found: Range<usize>) -> bool {
    let mut behind = text[found.end..].chars();
    let leads_on = matches!(behind.next(), Some(':' | '/')) && behind.next().is_some_and(char::is_alphanumeric);
    let is_of_name =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '%' | '+' | '-');
    let before = text[..found.start].trim_end_matches(is_of_name);
    let is_of_somebody = text[before.len()..found.start].contains('.');
    let in_a_path = before.ends_with('/') && !before.ends_with("//");
    leads_on && !is_of_somebody && !in_a_path
}

/// `sk-…` begins keys, and names such as `sk-bratislava-old-town` as well: only keys have many digits.
fn short_key(text: &str) -> bool {
    SHORT_KEY.find_iter(text).any(|found| found.as_str().bytes().filter(u8::is_ascii_digit).count() >= 3)
}

/// A number in the range and of the length of a card network, with a valid check digit.
fn is_card(found: &str) -> bool {
    let digits: String = found.chars().filter(char::is_ascii_digit).collect();
    let prefix = |length: usize| digits.get(..length).and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(0);
    let of_a_network = match digits.len() {
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            matches!(prefix(1), 4) || matches!(prefix(2), 35 | 51..=55 | 65) || matches!(prefix(4), 2221..=2720 | 6011)
        }
        _ => false,
    };
    let digits: Vec<u32> = digits.bytes().map(|digit| u32::from(digit - b'0')).collect();
    of_a_network && passes_luhn(&digits)
}

static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?-u)[A-Za-z0-9._%+-]@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"));
static SHORT_KEY: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?-u)\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}"));
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x-u)\b(?:gh[pousr]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{16,} | (?:AKIA|ASIA)[0-9A-Z]{16}
        | xox[a-z]-[A-Za-z0-9-]{10,} | AIza[\w-]{35} | npm_[A-Za-z0-9]{30,} | hf_[A-Za-z0-9]{30,}
        | eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)
        | -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY----- | [a-z]://[!-.0-9;-?A-~]+:[!-.0-?A-~]+@",
    )
});
// Not behind a point: the fraction of a number isn't a card.
static CARD: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?x)(?:^|[\s:="'(,;])
        (\d{4}[\ -]\d{4}[\ -]\d{4}[\ -]\d{4} | \d{4}[\ -]\d{6}[\ -]\d{5} | \d{15,16})
        (?:$|[\s,;.)"'])"#,
    )
});

#[cfg(test)]
mod tests {
    use super::Revealed;

    #[test]
    fn finds_what_stands_between_other_words() {
        for (text, expected) in [
            ("Call me: jan.bakker@example.nl", Some(Revealed::Email)),
            ("sk-live-5d1c0a99f7b24e6d8a", Some(Revealed::Secret)),
            ("key=AKIAIOSFODNN7EXAMPLE;", Some(Revealed::Secret)),
            ("xoxb-123456789012-abcdef", Some(Revealed::Secret)),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", Some(Revealed::Secret)),
            ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", Some(Revealed::Secret)),
            ("postgres://app:hunter2@db.example/x", Some(Revealed::Secret)),
            ("paid with 4111 1111 1111 1111, thanks", Some(Revealed::CardNumber)),
            ("5500000000000004", Some(Revealed::CardNumber)),
            ("4111111111111112", None),
            ("0.4111111111111111", None),
            ("sk-bratislava-old-town-square", None),
            ("task-20240131-1234567890", None),
            ("git@example.com:shop/web.git", None),
            ("ssh://git@example.com/shop/web.git", None),
            ("https://x.example/u/anna.schmidt@acme.example/0", Some(Revealed::Email)),
            ("https://x.example/u/anna@acme.example/0", Some(Revealed::Email)),
            ("@home", None),
            ("https://example.com/a:b", None),
            ("12:30 at gate 4", None),
        ] {
            assert_eq!(Revealed::in_text(text), expected, "{text}");
        }
    }
}
