//! Words as the lexical index sees them: identifiers taken apart, endings removed, abbreviations known.
//!
//! Two forms of a word are kept. The *term* is its singular and is what is indexed; the *root* has
//! derivational endings removed too (`enrolled`, `enrolment` → `enrol`) and only widens a search, at a discount.
//! Matching on roots alone would make `customer` and `custom` the same word.

use words::{StopWords, singular};

use crate::vocabulary::{ASSOCIATIONS, GLUED_ENDINGS};

/// Letters a word keeps at least when an ending is removed.
const SHORTEST_ROOT: usize = 4;

/// Last words of a column's name that make it a key.
const KEY_WORDS: [&str; 16] = [
    "barcode", "cd", "code", "guid", "id", "ident", "key", "nbr", "no", "nr", "num", "number", "oid", "pk", "sk",
    "uuid",
];

/// The root of a term: without derivational endings, as long as enough of it remains.
pub(crate) fn root(term: &str) -> String {
    // `registered` → `register` → `regist`: twice, so that both meet.
    strip_ending(&strip_ending(term))
}

fn strip_ending(term: &str) -> String {
    const ENDINGS: [&str; 19] = [
        "isation", "ization", "ement", "ment", "ation", "ition", "ings", "ing", "ance", "ence", "able", "ible", "ness",
        "ers", "ors", "ion", "er", "or", "ed",
    ];
    for ending in ENDINGS {
        if let Some(stem) = term.strip_suffix(ending)
            && stem.is_ascii()
            && stem.len() >= SHORTEST_ROOT
        {
            return without_doubling(stem);
        }
    }
    match term.strip_suffix('e').or_else(|| term.strip_suffix('y')) {
        Some(stem) if stem.len() >= SHORTEST_ROOT => without_doubling(stem),
        _ => term.to_owned(),
    }
}

/// `enroll` → `enrol`, `shipp` → `ship`, so that both spellings meet; the last letter may also be a silent `e`.
fn without_doubling(stem: &str) -> String {
    let stem = stem.strip_suffix('e').filter(|short| short.len() >= SHORTEST_ROOT).unwrap_or(stem);
    let bytes = stem.as_bytes();
    match bytes {
        [.., before, last] if before == last && !b"aeiou".contains(last) && stem.len() > SHORTEST_ROOT => {
            stem[..stem.len() - 1].to_owned()
        }
        _ => stem.to_owned(),
    }
}

/// The terms of an identifier: see [`name_terms`].
pub(crate) fn identifier_terms(identifier: &str) -> Vec<String> {
    name_terms(&words::in_identifier(identifier))
}

/// The terms of a name in words: the words, the parts of words that were written together (`airportname`), neighbours
/// written as one (`zip_code` → `zipcode`, `so2`, `5yr`), and the long forms of common abbreviations.
pub(crate) fn name_terms(words: &[String]) -> Vec<String> {
    let mut terms = Vec::with_capacity(words.len() * 2);
    for word in words {
        if word.chars().all(char::is_numeric) && words.len() > 1 {
            continue;
        }
        push(&mut terms, singular(word));
        if let Some((front, back)) = unglue(word) {
            push(&mut terms, singular(front));
            push(&mut terms, back.to_owned());
            long_forms(front).for_each(|long| push(&mut terms, long.to_owned()));
        }
        long_forms(word).for_each(|long| push(&mut terms, long.to_owned()));
    }
    for pair in words.windows(2) {
        let [front, back] = pair else { continue };
        let is_formula =
            (2..=4).contains(&front.len()) && back.len() <= 3 && back.bytes().all(|byte| byte.is_ascii_digit());
        let is_span = front.len() <= 2
            && front.bytes().all(|byte| byte.is_ascii_digit())
            && (2..=4).contains(&back.len())
            && back.chars().all(char::is_alphabetic);
        let are_words = pair.iter().all(|word| word.len() > 1 && word.chars().all(char::is_alphabetic));
        if are_words || is_span || is_formula && front.chars().all(char::is_alphabetic) {
            push(&mut terms, singular(&pair.concat()));
        }
    }
    terms
}

/// The terms of a column's name in words, and how many of them say what it identifies if it is named like a key: of `spec_cd`
/// those of `spec`. For another name it is the number of all terms.
pub(crate) fn key_terms(words: &[String]) -> (Vec<String>, u32) {
    let mut terms = name_terms(words);
    let Some((last, stem)) = words.split_last().filter(|(last, stem)| is_key_word(last) && !stem.is_empty()) else {
        let count = terms.len() as u32;
        return (terms, count);
    };
    let of_key: Vec<String> = name_terms(std::slice::from_ref(last));
    let joined = singular(&format!("{}{last}", stem[stem.len() - 1]));
    terms.sort_by_key(|term| of_key.contains(term) || *term == joined);
    let of_stem = terms.iter().filter(|term| !of_key.contains(term) && **term != joined).count() as u32;
    (terms, of_stem)
}

/// Whether that word at the end of a column's name marks it as a key.
pub fn is_key_word(word: &str) -> bool {
    KEY_WORDS.contains(&word)
}

/// The terms of a sentence, stop words left out, in order, repetitions kept.
pub(crate) fn text_terms(text: &str) -> Vec<String> {
    words::in_text(text).iter().filter(|word| !is_stop_word(word)).map(|word| singular(word)).collect()
}

/// Whether a word says nothing about which table is meant: a stop word of ranking, or a single letter.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.len() < 2 && !word.chars().all(char::is_numeric) || StopWords::Ranking.contains(word)
}

/// What an abbreviation stands for: `dept` → `department`.
pub(crate) fn long_forms(word: &str) -> impl Iterator<Item = &'static str> {
    words::abbreviation(word).into_iter().flat_map(|known| &known.terms).copied()
}

/// How a word is commonly abbreviated: `department` → `dept`, `dep`.
pub(crate) fn short_forms(term: &str) -> impl Iterator<Item = &'static str> {
    words::short_forms(term).iter().copied()
}

/// What databases call that word or phrase, surest first.
pub(crate) fn associated(asked: &str) -> &'static [&'static str] {
    ASSOCIATIONS.get(asked).map_or(&[], Vec::as_slice)
}

/// Whether a name's word may be a short form of that word: its first letter and consonants of it in their order, `cvg` for
/// `coverage`, and enough of them that few other words are meant. Words cut off at their end are not looked for here.
pub(crate) fn is_skeleton(short: &str, word: &str) -> bool {
    let is_vowel = |letter: u8| b"aeiou".contains(&letter);
    let (short, word) = (short.as_bytes(), word.as_bytes());
    if short.len() < 2 || short.len() + 2 > word.len() || short[0] != word[0] {
        return false;
    }
    if !short.iter().chain(word).all(u8::is_ascii_lowercase) || short[1..].iter().copied().any(is_vowel) {
        return false;
    }
    let mut rest = word[1..].iter();
    let consonants = word[1..].iter().filter(|&&letter| !is_vowel(letter)).count();
    short[1..].iter().all(|letter| rest.any(|other| other == letter)) && (short.len() - 1) * 5 >= consonants * 2
}

/// Splits a word that ends in a common column word: `airportname` → `airport`, `name`.
fn unglue(word: &str) -> Option<(&str, &'static str)> {
    GLUED_ENDINGS.iter().find_map(|ending| {
        word.strip_suffix(ending).filter(|front| front.chars().count() >= 3).map(|front| (front, *ending))
    })
}

fn push(terms: &mut Vec<String>, term: String) {
    if !terms.contains(&term) {
        terms.push(term);
    }
}

#[cfg(test)]
mod tests {
    use words::singular;

    use super::{identifier_terms, is_stop_word, key_terms, root, text_terms};

    #[test]
    fn roots_bring_derived_words_together() {
        for (left, right) in [
            ("enrolled", "enrolment"),
            ("shipped", "shipping"),
            ("player", "played"),
            ("registered", "register"),
            ("agreement", "agree"),
            ("employees", "employees"),
        ] {
            assert_eq!(root(left), root(right), "{left} {right}");
        }
        assert_eq!(root("order"), "order");
        assert_eq!(root("paid"), "paid");
        assert_eq!(singular("diagnoses"), singular("diagnosis"));
        assert_eq!((singular("purposes"), singular("doses")), ("purpose".to_owned(), "dose".to_owned()));
    }

    #[test]
    fn identifiers_give_words_parts_pairs_and_long_forms() {
        assert_eq!(identifier_terms("zip_code").join(" "), "zip postal code zipcode");
        assert_eq!(identifier_terms("airportname").join(" "), "airportname airport name");
        assert_eq!(identifier_terms("StuID").join(" "), "stu student id stuid");
        assert!(identifier_terms("cust_amt").contains(&"customer".to_owned()));
        assert_eq!(identifier_terms("events_20240101").join(" "), "event");
        assert!(identifier_terms("so2_daily").contains(&"so2".to_owned()));
    }

    #[test]
    fn keys_are_told_from_what_they_identify() {
        for (column, terms, of_stem) in [("dept_cd", "dept department", 2), ("name", "name", 1), ("id", "id", 1)] {
            let (found, count) = key_terms(&words::in_identifier(column));
            assert!(found.join(" ").starts_with(terms), "{column}: {found:?}");
            assert_eq!(count, of_stem, "{column}: {found:?}");
        }
    }

    #[test]
    fn sentences_lose_stop_words() {
        assert_eq!(text_terms("How many of the orders are open?").join(" "), "order open");
        assert!(is_stop_word("the") && is_stop_word("s") && !is_stop_word("order") && !is_stop_word("7"));
    }
}
