//! General knowledge about words that only a search needs: what databases call what people say, and what names end in.
//!
//! Only what holds in any company belongs here. Names of one database never do.

use std::collections::HashMap;
use std::sync::LazyLock;

/// `what is asked<TAB>what names say`, one word or phrase a line.
const ASSOCIATION_LIST: &str = include_str!("vocabulary/associations.tsv");

/// What people say and what databases call it: `doctor` and `provider`. By the word or the two words that are asked.
pub(crate) static ASSOCIATIONS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = ASSOCIATION_LIST.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(asked, words)| (asked, words.split(' ').collect())).collect()
});

/// Words that are often written without a separator at the end of a column's name, longest first.
pub(crate) const GLUED_ENDINGS: &[&str] = &[
    "description",
    "category",
    "quantity",
    "address",
    "country",
    "number",
    "status",
    "amount",
    "price",
    "title",
    "count",
    "group",
    "level",
    "total",
    "value",
    "score",
    "state",
    "name",
    "code",
    "date",
    "type",
    "time",
    "year",
    "rate",
    "city",
    "size",
    "key",
    "num",
    "id",
    "no",
];

#[cfg(test)]
mod tests {
    use super::{ASSOCIATIONS, GLUED_ENDINGS};

    #[test]
    fn endings_are_in_the_order_that_look_ups_need() {
        assert!(GLUED_ENDINGS.is_sorted_by(|left, right| left.len() >= right.len()));
    }

    #[test]
    fn associations_are_other_words() {
        for (asked, words) in ASSOCIATIONS.iter() {
            assert!(!words.is_empty() && !words.contains(asked) && asked.split(' ').count() <= 2, "{asked}: {words:?}");
        }
    }
}
