//! Stop words: what a question says that doesn't say what it is about.
//!
//! Which words those are depends on what they are left out of, so there are two lists, which share what they have in common.

use std::collections::HashSet;
use std::sync::LazyLock;

const COMMON: &str = include_str!("stop_words/common.txt");
const RANKING: &str = include_str!("stop_words/ranking.txt");
const CONTENT: &str = include_str!("stop_words/content.txt");

/// A list of stop words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopWords {
    /// Words that don't point to a table: left out where tables are ranked. What may name one, such as `report`, isn't here.
    Ranking,
    /// Words without which a question has the same content: left out where questions are compared, and where it is seen
    /// whether one says anything. What makes a difference to the answer, such as `not`, isn't here.
    Content,
}

impl StopWords {
    /// Whether that word, in lower case, is on the list.
    pub fn contains(self, word: &str) -> bool {
        static LISTS: LazyLock<[HashSet<&str>; 2]> =
            LazyLock::new(|| [RANKING, CONTENT].map(|own| listed(COMMON).chain(listed(own)).collect()));
        let [ranking, content] = &*LISTS;
        match self {
            Self::Ranking => ranking,
            Self::Content => content,
        }
        .contains(word)
    }
}

fn listed(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use super::{COMMON, CONTENT, RANKING, StopWords, listed};

    #[test]
    fn each_list_has_the_common_words_and_its_own() {
        for (word, of_ranking, of_content) in
            [("the", true, true), ("not", true, false), ("records", false, true), ("order", false, false)]
        {
            assert_eq!(StopWords::Ranking.contains(word), of_ranking, "{word}");
            assert_eq!(StopWords::Content.contains(word), of_content, "{word}");
        }
    }

    #[test]
    fn lists_are_sorted_and_no_word_is_on_two() {
        let mut all: Vec<&str> = Vec::new();
        for list in [COMMON, RANKING, CONTENT] {
            let words: Vec<&str> = listed(list).collect();
            assert!(words.is_sorted(), "{words:?}");
            all.extend(words);
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
