//! A value as the forms of numbers look at it.

/// A value in the ways in which forms look at it.
pub(crate) struct Text {
    /// As it is, without blanks around it, in capitals.
    pub(super) raw: String,
    /// Its letters and digits.
    pub(super) compact: String,
    /// Its digits, where it has no letters.
    pub(super) digits: Vec<u32>,
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
    pub(super) fn is_written(&self, picture: &str) -> bool {
        written_as(&self.raw, picture)
    }

    pub(super) fn has(&self, picture: &str) -> bool {
        written_as(&self.compact, picture)
    }

    pub(super) fn number(&self, from: usize, to: usize) -> u32 {
        self.digits[from..to].iter().fold(0, |number, digit| number * 10 + digit)
    }

    pub(super) fn all_the_same(&self) -> bool {
        self.digits.windows(2).all(|pair| pair[0] == pair[1])
    }
}

pub(super) fn written_as(text: &str, picture: &str) -> bool {
    text.len() == picture.len()
        && text.bytes().zip(picture.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_uppercase(),
            other => byte == other,
        })
}
