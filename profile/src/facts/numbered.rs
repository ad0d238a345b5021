//! References by texts that are a number with something in front of it.

use catalog::ColumnProfile;

/// Texts that are a prefix and a number.
pub(super) struct Numbered {
    pub(super) prefix: String,
    /// To so many digits it is filled up with zeros; 0 where it isn't.
    pub(super) digits: u32,
}

impl Numbered {
    pub(super) fn of(known: &ColumnProfile) -> Option<Self> {
        let values = known.values.as_slice();
        let first = values.first()?;
        let prefix = first.trim_end_matches(|sign: char| sign.is_ascii_digit());
        if prefix.len() > 12 || prefix.contains(|sign: char| sign.is_ascii_digit()) {
            return None;
        }
        let digits: Vec<&str> = values.iter().filter_map(|value| value.strip_prefix(prefix)).collect();
        let are_numbers = digits.len() == values.len()
            && digits.iter().all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let length = digits.first()?.len();
        let is_filled = length > 1
            && digits.iter().all(|digits| digits.len() == length)
            && digits.iter().any(|digits| digits.starts_with('0'));
        let is_another_form = !prefix.is_empty() || is_filled;
        (are_numbers && is_another_form)
            .then(|| Self { prefix: prefix.to_owned(), digits: if is_filled { length as u32 } else { 0 } })
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.prefix == other.prefix && self.digits == other.digits
    }

    /// A number as these texts have it.
    pub(super) fn written(&self, number: i64) -> String {
        format!("{}{number:0width$}", self.prefix, width = self.digits as usize)
    }

    pub(super) fn number(&self, value: &str) -> Option<i64> {
        value.strip_prefix(&self.prefix)?.parse().ok()
    }
}
