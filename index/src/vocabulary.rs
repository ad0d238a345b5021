//! General knowledge about words: which ones carry no meaning, which abbreviations databases use.
//!
//! Only what holds in any company belongs here. Names of one database never do.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of questions that don't point to a table. Sorted.
pub(crate) const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "above",
    "according",
    "across",
    "after",
    "against",
    "all",
    "along",
    "also",
    "always",
    "am",
    "among",
    "an",
    "and",
    "any",
    "are",
    "as",
    "ascending",
    "at",
    "be",
    "been",
    "before",
    "being",
    "below",
    "besides",
    "between",
    "both",
    "but",
    "by",
    "calculate",
    "can",
    "compute",
    "contain",
    "contains",
    "corresponding",
    "could",
    "define",
    "descending",
    "determine",
    "did",
    "different",
    "display",
    "distinct",
    "do",
    "does",
    "doesn",
    "don",
    "done",
    "during",
    "each",
    "either",
    "else",
    "equal",
    "ever",
    "every",
    "exactly",
    "except",
    "excluding",
    "fewer",
    "fewest",
    "find",
    "first",
    "following",
    "for",
    "from",
    "get",
    "give",
    "given",
    "greater",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "him",
    "his",
    "how",
    "identify",
    "if",
    "in",
    "include",
    "including",
    "indicate",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "just",
    "larger",
    "least",
    "less",
    "let",
    "like",
    "list",
    "lower",
    "many",
    "may",
    "me",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "neither",
    "no",
    "nor",
    "not",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "per",
    "please",
    "provide",
    "refer",
    "refers",
    "respectively",
    "same",
    "say",
    "select",
    "she",
    "should",
    "show",
    "since",
    "so",
    "some",
    "sort",
    "sorted",
    "such",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "together",
    "too",
    "under",
    "until",
    "up",
    "us",
    "use",
    "used",
    "using",
    "versus",
    "very",
    "via",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "you",
    "your",
];

/// `short form<TAB>long forms`, one abbreviation a line.
const ABBREVIATION_LIST: &str = include_str!("vocabulary/abbreviations.tsv");

/// Abbreviations common in identifiers, both ways, with their long forms as terms.
pub(crate) struct Abbreviations {
    pub(crate) long: HashMap<&'static str, Vec<&'static str>>,
    pub(crate) short: HashMap<&'static str, Vec<&'static str>>,
}

pub(crate) static ABBREVIATIONS: LazyLock<Abbreviations> = LazyLock::new(|| {
    let mut known = Abbreviations { long: HashMap::new(), short: HashMap::new() };
    let lines = ABBREVIATION_LIST.lines().filter(|line| !line.starts_with('#'));
    for (short, long) in lines.filter_map(|line| line.split_once('\t')) {
        for long in long.split(' ') {
            known.long.entry(short).or_default().push(long);
            known.short.entry(long).or_default().push(short);
        }
    }
    known
});

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
    use super::{ABBREVIATIONS, ASSOCIATIONS, GLUED_ENDINGS, STOP_WORDS};

    #[test]
    fn lists_are_in_the_order_that_look_ups_need() {
        assert!(STOP_WORDS.is_sorted(), "{:?}", STOP_WORDS.windows(2).find(|pair| pair[0] > pair[1]));
        assert!(GLUED_ENDINGS.is_sorted_by(|left, right| left.len() >= right.len()));
    }

    #[test]
    fn abbreviations_stand_for_terms_and_associations_for_other_words() {
        for (short, long) in &ABBREVIATIONS.long {
            assert!(long.iter().all(|word| words::singular(word) == *word && word != short), "{short}: {long:?}");
        }
        for (asked, words) in ASSOCIATIONS.iter() {
            assert!(!words.is_empty() && !words.contains(asked) && asked.split(' ').count() <= 2, "{asked}: {words:?}");
        }
    }
}
