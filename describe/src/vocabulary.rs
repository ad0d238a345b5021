//! Words for identifiers: abbreviations spelt out, run-together names taken apart, singular and plural.
//!
//! Database names are written for brevity (`t_cst_mst`, `orderdate`, `amt1`); people and retrieval need the words.
//! Only abbreviations that have one usual meaning in databases are spelt out: a wrong word does more harm than a short
//! one.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The words of an identifier as a person would say them: `cust_addr` → `customer address`, `orderdate` →
/// `order date`, `t_cst_mst` → `customer master`. Never empty unless the identifier has no letter or digit.
pub fn spoken(identifier: &str) -> String {
    let mut words = Vec::new();
    let parts = words::in_identifier(identifier);
    let count = parts.len();
    for (position, part) in parts.iter().enumerate() {
        if position == 0 && count > 1 && TABLE_PREFIXES.contains(&part.as_str()) {
            continue;
        }
        let before = position.checked_sub(1).map_or("", |before| parts[before].as_str());
        match unit(part, before).or_else(|| expansion(part)) {
            Some(full) => words.extend(full.split(' ').map(str::to_owned)),
            None => words.extend(segmented(part)),
        }
    }
    words.join(" ").split(" v ").enumerate().fold(String::new(), |joined, (position, part)| {
        let is_version = part.starts_with(|first: char| first.is_ascii_digit());
        match (position, is_version) {
            (0, _) => part.to_owned(),
            (_, true) => format!("{joined} v{part}"),
            (_, false) => format!("{joined} v {part}"),
        }
    })
}

/// The words of an identifier for a sentence: like [`spoken`], but what isn't known to be English stands as it is in
/// the database, in backquotes, since English endings don't fit it: `rit_stop` → `` `rit` stop``, `wrkst_auftr` →
/// `` `wrkst_auftr` ``.
pub(crate) fn said(identifier: &str) -> String {
    let words = spoken(identifier);
    let foreign = |word: &str| !is_number(word) && !is_version(word) && !is_known_word(word);
    if !words.split(' ').any(foreign) || identifier.contains('`') || identifier.chars().any(char::is_control) {
        return words;
    }
    if words.split(' ').all(|word| foreign(word) || is_number(word)) {
        return format!("`{identifier}`");
    }
    let quoted = |word: &str| {
        // The words are in lower case; the name itself may not be.
        let start = identifier.to_ascii_lowercase().find(word);
        let original = start.and_then(|start| identifier.get(start..start + word.len())).unwrap_or(word);
        format!("`{original}`")
    };
    words
        .split(' ')
        .map(|word| if foreign(word) { quoted(word) } else { word.to_owned() })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a word is known to be English, as it stands or in another form: a plural, `-ed`, `-ing`.
pub(crate) fn is_known_word(word: &str) -> bool {
    let listed = |word: &str| KNOWN.contains(word) || ENGLISH.contains(word) || EXPANDED.contains(word);
    let from = |ending: &str, instead: &str| {
        word.strip_suffix(ending).is_some_and(|stem| stem.len() > 2 && listed(&format!("{stem}{instead}")))
    };
    listed(word)
        || listed(&singular_word(word))
        || [
            ("ed", ""),
            ("ed", "e"),
            ("d", ""),
            ("ied", "y"),
            ("ing", ""),
            ("ing", "e"),
            ("ly", ""),
            ("er", "e"),
            ("er", ""),
        ]
        .iter()
        .any(|(ending, instead)| from(ending, instead))
}

fn is_number(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_digit())
}

/// `v2`.
fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|number| !number.is_empty() && is_number(number))
}

/// The text with a capital first letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// One of them: `order items` → `order item`, `orders archive` → `order (archive)`. Only the noun changes.
pub(crate) fn singular(phrase: &str) -> String {
    in_noun(phrase, |noun| {
        let (head, last) = noun.rsplit_once(' ').map_or(("", noun), |(head, last)| (head, last));
        let changed = singular_word(last);
        if head.is_empty() { changed } else { format!("{head} {changed}") }
    })
}

/// Many of them: `order item` → `order items`, `order (archive)` → `orders (archive)`. A plural stays; a name in
/// backquotes has no plural: `` `shp` `` → `` `shp` rows``.
pub(crate) fn plural(phrase: &str) -> String {
    in_noun(&singular(phrase), plural_noun)
}

fn plural_noun(noun: &str) -> String {
    match noun {
        _ if noun.ends_with('`') => format!("{noun} rows"),
        _ if INVARIABLE.contains(&noun.rsplit(' ').next().unwrap_or_default()) => noun.to_owned(),
        _ if noun.ends_with("person") => format!("{}people", noun.strip_suffix("person").unwrap_or_default()),
        _ if noun.ends_with("child") => format!("{noun}ren"),
        _ if noun.ends_with('y') && !ends_with_vowel(noun, 1) => {
            format!("{}ies", noun.strip_suffix('y').unwrap_or_default())
        }
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|ending| noun.ends_with(ending)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Changes the noun of a phrase and puts what only tells it from its like (`archive`, `v2`) in brackets behind it.
fn in_noun(phrase: &str, change: impl Fn(&str) -> String) -> String {
    if let Some((noun, qualifiers)) = phrase.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")) {
        return format!("{} ({qualifiers})", change(noun));
    }
    let words: Vec<&str> = phrase.split(' ').collect();
    let qualifying = words.iter().rev().take_while(|word| is_qualifier(word)).count();
    match words.split_at(words.len() - qualifying) {
        ([], _) | (_, []) => change(phrase),
        (noun, qualifiers) => format!("{} ({})", change(&noun.join(" ")), qualifiers.join(" ")),
    }
}

/// Words at the end of a table's name that say which of several like tables it is.
fn is_qualifier(word: &str) -> bool {
    const WORDS: [&str; 18] = [
        "archive",
        "archived",
        "backup",
        "copy",
        "current",
        "deprecated",
        "hist",
        "history",
        "legacy",
        "master",
        "new",
        "old",
        "original",
        "raw",
        "staging",
        "stage",
        "temporary",
        "test",
    ];
    let bare = word.strip_prefix('v').unwrap_or(word);
    WORDS.contains(&word) || (!bare.is_empty() && bare.chars().all(|character| character.is_ascii_digit()))
}

/// `a` or `an`, with the phrase.
pub(crate) fn with_article(phrase: &str) -> String {
    let sounds_like_consonant = ["one", "uni", "use", "eu"].iter().any(|start| phrase.starts_with(start));
    match phrase.trim_start_matches('`').chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u') if !sounds_like_consonant => format!("an {phrase}"),
        _ => format!("a {phrase}"),
    }
}

fn singular_word(word: &str) -> String {
    if INVARIABLE.contains(&word) || word.ends_with('`') {
        return word.to_owned();
    }
    match word.strip_suffix("children") {
        Some(front) => format!("{front}child"),
        None => words::singular(word),
    }
}

fn ends_with_vowel(word: &str, before_last: usize) -> bool {
    word.chars().rev().nth(before_last).is_some_and(|character| "aeiou".contains(character))
}

/// What a letter stands for behind a number, `12m`, or behind what it is the unit of, `weight_g`.
fn unit(letter: &str, before: &str) -> Option<&'static str> {
    const SPANS: [(&str, &str); 5] = [("h", "hours"), ("d", "days"), ("w", "weeks"), ("m", "months"), ("y", "years")];
    const MASSES: [&str; 5] = ["gross", "mass", "net", "weight", "wt"];
    match letter {
        "g" if MASSES.contains(&before) => Some("in grams"),
        _ if before.is_empty() || !is_number(before) => None,
        _ => SPANS.iter().find(|(short, _)| *short == letter).map(|(_, long)| *long),
    }
}

fn expansion(word: &str) -> Option<&'static str> {
    words::abbreviation(word)?.spoken
}

/// A run-together word in its parts, where all of it is made of known words: `orderdate` → `order`, `date`. The split
/// with the fewest parts wins, and of those the one with the longest first part.
fn segmented(word: &str) -> Vec<String> {
    const LONGEST: usize = 40;
    if !word.is_ascii() || word.len() < 5 || word.len() > LONGEST || is_known(word) {
        return vec![word.to_owned()];
    }
    // best[end] is the start of the last part of the best split of the first `end` letters, with its number of parts.
    let mut best: Vec<Option<(usize, usize)>> = vec![None; word.len() + 1];
    best[0] = Some((0, 0));
    for end in 1..=word.len() {
        for start in 0..end {
            let Some((_, parts)) = best[start] else { continue };
            if is_known(&word[start..end]) && best[end].is_none_or(|(_, fewest)| parts + 1 < fewest) {
                best[end] = Some((start, parts + 1));
            }
        }
    }
    let mut pieces = Vec::new();
    let mut end = word.len();
    while let Some((start, parts)) = best[end].filter(|_| end > 0) {
        pieces.push(word[start..end].to_owned());
        end = start;
        if parts == 1 {
            break;
        }
    }
    pieces.reverse();
    if pieces.is_empty() { vec![word.to_owned()] } else { pieces }
}

fn is_known(word: &str) -> bool {
    KNOWN.contains(word) || KNOWN.contains(words::singular(word).as_str())
}

/// Words that say "this is a table" and nothing about it.
const TABLE_PREFIXES: [&str; 8] = ["dim", "fact", "fct", "stg", "t", "tb", "tbl", "vw"];

const INVARIABLE: [&str; 10] =
    ["analysis", "analytics", "basis", "data", "information", "metadata", "news", "sales", "series", "species"];

/// Words that run-together names are made of.
static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("vocabulary/words.txt").split_whitespace().collect());

/// English words beside [`KNOWN`], too short or too like parts of others to take names apart with.
static ENGLISH: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("vocabulary/english.txt").split_whitespace().collect());

/// The words that abbreviations stand for.
static EXPANDED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let spoken = words::abbreviations().iter().filter_map(|known| known.spoken);
    spoken.flat_map(|words| words.split(' ')).collect()
});

#[cfg(test)]
mod tests {
    use super::{plural, said, singular, spoken, with_article};

    #[test]
    fn words_that_are_not_known_to_be_english_stay_as_they_are() {
        for (identifier, one, many) in [
            ("shp", "`shp`", "`shp` rows"),
            ("Kunden", "`Kunden`", "`Kunden` rows"),
            ("fx", "`fx`", "`fx` rows"),
            ("co2_emis", "`co2_emis`", "`co2_emis` rows"),
            ("rit_stop", "`rit` stop", "`rit` stops"),
            ("Kunden_Msg", "`Kunden` message", "`Kunden` messages"),
            ("shp_v2", "`shp` (v2)", "`shp` rows (v2)"),
            ("orders", "order", "orders"),
            ("updated_invoices", "updated invoice", "updated invoices"),
            ("plaats", "`plaats`", "`plaats` rows"),
            ("a`b", "a b", "a bs"),
        ] {
            assert_eq!((singular(&said(identifier)), plural(&said(identifier))), (one.into(), many.into()));
        }
    }

    #[test]
    fn names_are_spoken() {
        for (identifier, expected) in [
            ("t_cst_mst", "customer master"),
            ("orders_v2", "orders v2"),
            ("v_sales", "v sales"),
            ("cust_addr", "customer address"),
            ("amt1", "amount 1"),
            ("orderdate", "order date"),
            ("AirportName", "airport name"),
            ("customerid", "customer id"),
            ("t", "t"),
            ("dim_date", "date"),
            ("xyzzyplugh", "xyzzyplugh"),
            ("updated_at", "updated at"),
            ("orders_12m", "orders 12 months"),
            ("weight_g", "weight in grams"),
            ("plan_m", "plan m"),
            ("Größe", "größe"),
            ("", ""),
        ] {
            assert_eq!(spoken(identifier), expected, "{identifier}");
        }
    }

    #[test]
    fn nouns_are_counted() {
        for (one, many) in [
            ("order", "orders"),
            ("order item", "order items"),
            ("category", "categories"),
            ("address", "addresses"),
            ("box", "boxes"),
            ("person", "people"),
            ("movie", "movies"),
            ("status", "statuses"),
            ("class", "classes"),
            ("house", "houses"),
            ("day", "days"),
            ("order (archive)", "orders (archive)"),
        ] {
            assert_eq!(plural(one), many, "{one}");
            assert_eq!(singular(many), one, "{many}");
        }
    }

    #[test]
    fn what_tells_like_tables_apart_stands_behind_the_noun() {
        for (phrase, one, many) in [
            ("orders archive", "order (archive)", "orders (archive)"),
            ("orders v2", "order (v2)", "orders (v2)"),
            ("history", "history", "histories"),
            ("customer 360", "customer (360)", "customers (360)"),
        ] {
            assert_eq!((singular(phrase).as_str(), plural(phrase).as_str()), (one, many));
        }
    }

    #[test]
    fn articles_follow_the_sound() {
        for (phrase, expected) in [("order", "an order"), ("user", "a user"), ("customer", "a customer"), ("", "a ")] {
            assert_eq!(with_article(phrase), expected);
        }
    }
}
