//! Names that were cut short as nobody wrote down before: `gebdt`, `nr_medik`, `slry`.
//!
//! A short word is the beginning of a long one, or its consonants. What a list of abbreviations doesn't have is compared
//! with all words that mean something personal, and with those that say something harmless; it counts only where all that
//! it can be short for is of one kind, and none of it harmless. Invariant: asked only where people are meant.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::doubtful::harmless_words;
use crate::finding::PersonalKind;
use crate::vocabulary::{self, Meaning, Strength, class, classes, known_keys, known_words};

/// Words beside others that any kind of number or day has.
const WEAK: &[&str] = &[
    "nr", "no", "num", "nro", "nbr", "dt", "dat", "data", "date", "datum", "fec", "fecha", "cd", "cod", "code", "kod",
    "txt", "tx", "ds", "desc", "vl", "val", "flg", "fl", "nm", "st", "tp", "typ", "lib", "id", "cislo", "broj", "szam",
    "n", "d", "t", "c", "a", "tot", "qt", "priv", "mob",
];
/// What is glued behind a short word and says which one it is: `telefnr`, `telefpriv`.
const ENDS: &[&str] = &["nr", "no", "num", "nro", "txt", "priv", "cd", "cod", "mob"];
/// A beginning of so many letters is hardly that of another word.
const LONG: usize = 5;
const SHORTEST: usize = 3;
/// Longer ones weren't cut.
const LONGEST: usize = 8;

struct Lexicon {
    /// What means something personal, in the order of the alphabet.
    personal: Vec<(&'static str, Meaning)>,
    harmless: Vec<&'static str>,
    /// By their consonants; `None` where these are of several kinds, or harmless.
    skeletons: HashMap<String, Option<Meaning>>,
}

fn lexicon() -> &'static Lexicon {
    static WORDS: OnceLock<Lexicon> = OnceLock::new();
    WORDS.get_or_init(|| {
        let counts = |(key, meaning): &(&str, Meaning)| {
            let strength = matches!(meaning.strength, Strength::Sure | Strength::Person);
            strength && key.len() >= 5 && key.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let mut personal: Vec<(&str, Meaning)> = known_keys().filter(counts).collect();
        personal.sort_unstable_by_key(|(key, _)| *key);
        let others = class::ASPECT | class::PLACES | class::ORGANISATIONS | class::THINGS | class::PERSONS;
        let mut harmless = harmless_words();
        harmless.extend(known_words().filter(|(_, found)| found & others != 0).map(|(word, _)| word));
        harmless.sort_unstable();
        harmless.dedup();
        let mut skeletons: HashMap<String, Option<Meaning>> = HashMap::new();
        for (key, meaning) in personal.iter().filter(|(key, _)| key.len() <= 10) {
            let entry = skeletons.entry(skeleton(key)).or_insert(Some(*meaning));
            *entry = entry.filter(|known| known.kind == meaning.kind);
        }
        for word in &harmless {
            skeletons.insert(skeleton(word), None);
        }
        skeletons.retain(|skeleton, _| skeleton.len() >= SHORTEST);
        Lexicon { personal, harmless, skeletons }
    })
}

/// Its first letter and the consonants behind.
fn skeleton(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next();
    first.into_iter().chain(letters.filter(|letter| !matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u'))).collect()
}

/// What the words of a name are short for, with the word that says so.
pub(crate) fn meaning(words: &[String]) -> Option<(&str, Meaning)> {
    let telling = words.iter().filter(|word| {
        !WEAK.contains(&word.as_str()) && word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    let telling: Vec<&String> = telling.collect();
    let (first, rest) = telling.split_first()?;
    if telling.iter().any(|word| classes(word) & (class::ASPECT | class::BEFORE | class::THINGS) != 0) {
        return None;
    }
    let lexicon = lexicon();
    if !rest.is_empty() {
        return together(lexicon, &telling).map(|meaning| (first.as_str(), meaning));
    }
    let mut stems = ENDS.iter().filter_map(|end| first.strip_suffix(end)).filter(|stem| stem.len() >= LONG);
    let stem = || {
        stems.find_map(|stem| {
            let known = vocabulary::meaning(stem).or_else(|| vocabulary::meaning(vocabulary::written_out(stem)?));
            known.or_else(|| begun(lexicon, stem))
        })
    };
    let meaning = begun(lexicon, first).or_else(stem).or_else(|| {
        let is_skeleton = first.len() >= SHORTEST && skeleton(first) == ***first;
        lexicon.skeletons.get(first.as_str()).copied().flatten().filter(|_| is_skeleton)
    });
    meaning.map(|meaning| (first.as_str(), meaning))
}

/// What begins with a word, where all of it is of one kind. Words are cut behind a consonant; what ends in a vowel is one.
fn begun(lexicon: &Lexicon, word: &str) -> Option<Meaning> {
    if word.ends_with(['a', 'e', 'i', 'o', 'u', 'y'])
        || word.len() > LONGEST
        || classes(word) != 0
        || word.len() < SHORTEST
        || starting(&lexicon.harmless, |word| word, word).next().is_some() && word.len() < LONG
    {
        return None;
    }
    let mut found = starting(&lexicon.personal, |(key, _)| key, word).map(|(_, meaning)| *meaning);
    let first = found.next()?;
    let is_one = found.all(|meaning| meaning.kind == first.kind);
    let is_harmless = starting(&lexicon.harmless, |word| word, word).next().is_some();
    (is_one && !is_harmless).then_some(first)
}

/// What has all of the words in it, one behind the other: `geb`, `dat` are in `geburtsdatum`.
fn together(lexicon: &Lexicon, words: &[&String]) -> Option<Meaning> {
    let (first, rest) = words.split_first()?;
    let letters: usize = words.iter().map(|word| word.len()).sum();
    if letters < 6 || first.len() < 2 || rest.iter().any(|word| word.len() < SHORTEST) {
        return None;
    }
    let has_rest = |key: &str| {
        let mut from = first.len();
        rest.iter().all(|word| match key[from..].find(word.as_str()) {
            Some(at) => {
                from += at + word.len();
                true
            }
            None => false,
        })
    };
    let mut found = starting(&lexicon.personal, |(key, _)| key, first).filter(|(key, _)| has_rest(key));
    let meaning = found.next()?.1;
    let same = found.all(|(_, other)| other.kind == meaning.kind);
    same.then_some(meaning)
}

fn starting<'l, T>(
    sorted: &'l [T],
    key: impl Fn(&T) -> &str + Copy + 'l,
    start: &'l str,
) -> impl Iterator<Item = &'l T> + 'l {
    let from = sorted.partition_point(move |entry| key(entry) < start);
    sorted[from..].iter().take_while(move |entry| key(entry).starts_with(start))
}

/// The kinds that a shortened name is believed of: the others have short names of their own.
pub(crate) fn is_believed(kind: PersonalKind) -> bool {
    !matches!(kind, PersonalKind::Name | PersonalKind::Credential | PersonalKind::Configured)
}

#[cfg(test)]
mod tests {
    use super::meaning;
    use crate::finding::PersonalKind;
    use crate::folding::folded_words;

    #[test]
    fn short_words_stand_for_long_ones() {
        for (name, expected) in [
            ("medik", Some(PersonalKind::Health)),
            ("geburtsd", Some(PersonalKind::BirthDate)),
            ("slry", Some(PersonalKind::Pay)),
            ("telefnr", Some(PersonalKind::Phone)),
            ("relig", Some(PersonalKind::Belief)),
            ("geb_dtm", Some(PersonalKind::BirthDate)),
            ("abtlg", None),
            ("matricula", None),
            ("aufnahme", None),
            ("stat", None),
            ("kat", None),
            ("ort", None),
        ] {
            assert_eq!(meaning(&folded_words(name)).map(|(_, meaning)| meaning.kind), expected, "{name}");
        }
    }
}
