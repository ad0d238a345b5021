//! The words that names are made of, read once from the lists in `vocabulary/`.
//!
//! The lists are texts and not code, because they are knowledge and grow by themselves: one word each, under headings
//! that say what follows from it. Invariant: after the first use nothing is parsed, and a look-up is one hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use crate::finding::PersonalKind;
use crate::folding::{fold, has_umlaut_pair, key_of};

/// How much a name says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Enough in any table.
    Sure,
    /// Something only where a person is meant.
    Person,
    /// Something only where a car is meant.
    Vehicle,
    /// Something only where people work.
    Work,
    /// Something only beside a password.
    Beside,
}

/// What a name, or the part of one, stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    pub(crate) kind: PersonalKind,
    pub(crate) strength: Strength,
    /// A number can be one.
    pub(crate) number: bool,
    /// A date can be one.
    pub(crate) date: bool,
    /// Any words may follow.
    pub(crate) first: bool,
    /// It may end a longer word.
    pub(crate) compound: bool,
}

/// A set of [`word classes`](class).
pub(crate) type Classes = u16;

/// What single words do in names of tables and beside others in names of columns.
pub(crate) mod class {
    pub(crate) const PERSONS: u16 = 1;
    pub(crate) const ABOUT: u16 = 1 << 1;
    pub(crate) const PUBLIC: u16 = 1 << 2;
    pub(crate) const PLACES: u16 = 1 << 3;
    pub(crate) const ORGANISATIONS: u16 = 1 << 4;
    pub(crate) const MACHINES: u16 = 1 << 5;
    pub(crate) const THINGS: u16 = 1 << 6;
    pub(crate) const NEUTRAL: u16 = 1 << 7;
    pub(crate) const ASPECT: u16 = 1 << 8;
    pub(crate) const BEFORE: u16 = 1 << 9;
    pub(crate) const OVER_MANY: u16 = 1 << 10;
    pub(crate) const GLUED_ELSEWHERE: u16 = 1 << 11;
    pub(crate) const VEHICLES: u16 = 1 << 12;
    pub(crate) const WORK: u16 = 1 << 13;
    pub(crate) const LOOKUPS: u16 = 1 << 14;
}

/// FNV-1a: short keys, thousands of look-ups for each table, and nobody from outside fills these maps.
#[derive(Clone, Debug)]
pub(crate) struct ShortHasher(u64);

impl Default for ShortHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for ShortHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

pub(crate) type ShortMap<V> = HashMap<Box<str>, V, BuildHasherDefault<ShortHasher>>;

/// Short names that mean one thing in any table; other short ones are too many things.
const SHORT_AND_SURE: &[&str] = &[
    "ssn", "dob", "pwd", "mdp", "cvv", "cvc", "tel", "tlf", "bsn", "dni", "nif", "nie", "cpf", "jwt", "otp", "ddn",
    "cnp", "ip", "fax", "ahv", "cpr", "amka", "nss", "pw", "cvv2", "ha1", "gsm", "nin", "nir", "rue",
];

const NAMES: &str = include_str!("../vocabulary/names.txt");
const FURTHER_NAMES: &str = include_str!("../vocabulary/further_names.txt");
const CONTEXTS: &str = include_str!("../vocabulary/contexts.txt");
const FURTHER_CONTEXTS: &str = include_str!("../vocabulary/further_contexts.txt");
const SAID: &str = include_str!("../vocabulary/said.txt");
const BESIDE: &str = include_str!("../vocabulary/beside.txt");

/// Whether a word behind a phrase of that kind leaves it what it is: the path of a portrait, the code of a diagnosis.
pub(crate) fn is_said_of(kind: PersonalKind, word: &str) -> bool {
    static KINDS: OnceLock<ShortMap<u8>> = OnceLock::new();
    let of_kind = match kind {
        PersonalKind::Image => 1,
        PersonalKind::Online => 1 << 1,
        PersonalKind::Health | PersonalKind::Belief => 1 << 2,
        PersonalKind::Pay => 1 << 3,
        _ => return false,
    };
    KINDS.get_or_init(words_said).get(word).is_some_and(|kinds| kinds & of_kind != 0)
}

fn words_said() -> ShortMap<u8> {
    let mut found: ShortMap<u8> = ShortMap::default();
    let mut kind = 0;
    for line in SAID.lines().filter(|line| !line.starts_with('#')) {
        kind = match line {
            "[image]" => 1,
            "[online]" => 1 << 1,
            "[health and belief]" => 1 << 2,
            "[pay]" => 1 << 3,
            words => {
                words.split_whitespace().for_each(|word| *found.entry(word.into()).or_default() |= kind);
                kind
            }
        };
    }
    found
}

/// What that key stands for.
pub(crate) fn meaning(key: &str) -> Option<Meaning> {
    static FURTHER: OnceLock<ShortMap<Meaning>> = OnceLock::new();
    let further = || FURTHER.get_or_init(|| meanings(FURTHER_NAMES, |_| true)).get(key);
    all_meanings().get(key).or_else(further).copied()
}

fn all_meanings() -> &'static ShortMap<Meaning> {
    static MEANINGS: OnceLock<ShortMap<Meaning>> = OnceLock::new();
    MEANINGS.get_or_init(|| meanings(NAMES, |strength| strength != Strength::Beside))
}

/// What names can be short for.
pub(crate) fn known_keys() -> impl Iterator<Item = (&'static str, Meaning)> {
    all_meanings().iter().map(|(key, meaning)| (&**key, *meaning))
}

/// What that key stands for beside a password.
pub(crate) fn meaning_beside(key: &str) -> Option<Meaning> {
    static MEANINGS: OnceLock<ShortMap<Meaning>> = OnceLock::new();
    MEANINGS.get_or_init(|| meanings(NAMES, |strength| strength == Strength::Beside)).get(key).copied()
}

/// What a word is short for.
pub(crate) fn written_out(word: &str) -> Option<&'static str> {
    static LONG: OnceLock<ShortMap<&'static str>> = OnceLock::new();
    let pairs = || words::abbreviations().iter().filter_map(|known| Some((known.short.into(), known.personal?)));
    LONG.get_or_init(|| pairs().collect()).get(word).copied()
}

/// What that word does beside others; a plural does what its singular does.
pub(crate) fn classes(word: &str) -> Classes {
    static FURTHER: OnceLock<ShortMap<Classes>> = OnceLock::new();
    let further = FURTHER.get_or_init(|| word_classes(&[FURTHER_CONTEXTS]));
    let collapsed = has_umlaut_pair(word).then(|| key_of(word));
    let word = collapsed.as_deref().unwrap_or(word);
    let shared = class::NEUTRAL | class::BEFORE | class::GLUED_ELSEWHERE;
    let endings = ["s", "en", "n", "es", "e"];
    let singular = endings.iter().filter_map(|ending| word.strip_suffix(ending)).filter(|stem| stem.len() >= 3);
    let known = |word: &str| all_classes().get(word).or_else(|| further.get(word)).copied();
    let of_singular = singular.filter_map(known).next().map_or(0, |classes| classes & !shared);
    known(word).unwrap_or_default() | of_singular
}

/// Whether a word in lower case names people or organisations by what they do: `customer`, `Lieferant`, `author`.
pub fn names_somebody(word: &str) -> bool {
    classes(&fold(word)) & (class::PERSONS | class::PUBLIC | class::ORGANISATIONS) != 0
}

/// The words that do something beside others and that names can be short for, with what they do.
pub(crate) fn known_words() -> impl Iterator<Item = (&'static str, Classes)> {
    all_classes().iter().map(|(word, classes)| (&**word, *classes))
}

fn all_classes() -> &'static ShortMap<Classes> {
    static CLASSES: OnceLock<ShortMap<Classes>> = OnceLock::new();
    CLASSES.get_or_init(|| word_classes(&[CONTEXTS, BESIDE]))
}

fn meanings(list: &str, wanted: fn(Strength) -> bool) -> ShortMap<Meaning> {
    let mut found = ShortMap::default();
    let mut heading = None;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        if let Some(words) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            heading = read_heading(words);
            continue;
        }
        let Some(meaning) = heading.filter(|meaning: &Meaning| wanted(meaning.strength)) else { continue };
        for word in line.split_whitespace() {
            let short = word.len() <= 3 && !SHORT_AND_SURE.contains(&word);
            let strength =
                if short && meaning.strength == Strength::Sure { Strength::Person } else { meaning.strength };
            let key = key_of(&fold(word));
            // The last list that has it decides, but for those that say the least.
            let is_known = matches!(strength, Strength::Vehicle | Strength::Work) && found.contains_key(key.as_str());
            if !is_known {
                found.insert(key.into(), Meaning { strength, ..meaning });
            }
        }
    }
    found
}

fn read_heading(words: &str) -> Option<Meaning> {
    let mut words = words.split(' ');
    let kind = match words.next()? {
        "email" => PersonalKind::Email,
        "phone" => PersonalKind::Phone,
        "name" => PersonalKind::Name,
        "birth" => PersonalKind::BirthDate,
        "address" => PersonalKind::Address,
        "id" => PersonalKind::NationalId,
        "secret" => PersonalKind::Credential,
        "bank" => PersonalKind::BankAccount,
        "card" => PersonalKind::Card,
        "pay" => PersonalKind::Pay,
        "health" => PersonalKind::Health,
        "belief" => PersonalKind::Belief,
        "device" => PersonalKind::Device,
        "location" => PersonalKind::Location,
        "image" => PersonalKind::Image,
        "online" => PersonalKind::Online,
        "text" => PersonalKind::FreeText,
        _ => return None,
    };
    let strength = match words.next()? {
        "sure" => Strength::Sure,
        "person" => Strength::Person,
        "vehicle" => Strength::Vehicle,
        "work" => Strength::Work,
        _ => Strength::Beside,
    };
    let options: Vec<&str> = words.collect();
    let has = |option: &str| options.contains(&option);
    Some(Meaning {
        kind,
        strength,
        number: has("number"),
        date: has("date"),
        first: has("first"),
        compound: has("compound"),
    })
}

fn word_classes(lists: &[&str]) -> ShortMap<Classes> {
    let mut found: ShortMap<Classes> = ShortMap::default();
    let mut class = 0;
    for line in lists.iter().flat_map(|list| list.lines()).filter(|line| !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            class = match heading {
                "persons" => class::PERSONS,
                "about" => class::ABOUT,
                "public" => class::PUBLIC,
                "places" => class::PLACES,
                "organisations" => class::ORGANISATIONS,
                "machines" => class::MACHINES,
                "things" => class::THINGS,
                "neutral" => class::NEUTRAL,
                "aspect" => class::ASPECT,
                "before" => class::BEFORE,
                "over many" => class::OVER_MANY,
                "vehicles" => class::VEHICLES,
                "work" => class::WORK,
                "lookups" => class::LOOKUPS,
                _ => class::GLUED_ELSEWHERE,
            };
            continue;
        }
        for word in line.split_whitespace() {
            *found.entry(key_of(&fold(word)).into()).or_default() |= class;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{BESIDE, CONTEXTS, FURTHER_NAMES, NAMES, class, classes, meaning, read_heading};

    #[test]
    fn every_heading_of_the_lists_is_understood() {
        let headings = |list: &'static str| {
            list.lines().filter_map(|line| line.strip_prefix('[').and_then(|line| line.strip_suffix(']')))
        };
        for heading in headings(NAMES).chain(headings(FURTHER_NAMES)) {
            assert!(read_heading(heading).is_some(), "{heading}");
            let known = |word: &str| matches!(word, "number" | "date" | "first" | "compound");
            assert!(heading.split(' ').skip(2).all(known), "{heading}");
        }
        let known = [
            "persons",
            "about",
            "public",
            "places",
            "organisations",
            "machines",
            "things",
            "neutral",
            "aspect",
            "before",
            "over many",
            "vehicles",
            "work",
            "lookups",
            "glued elsewhere",
        ];
        for heading in headings(CONTEXTS).chain(headings(BESIDE)) {
            assert!(known.contains(&heading), "{heading}");
        }
    }

    #[test]
    fn words_are_found_in_the_plural_too() {
        assert!(classes("patients") & class::PERSONS != 0);
        assert!(classes("servers") & class::MACHINES != 0);
        assert_eq!(classes("zzz"), 0);
        assert!(meaning("dateofbirth").is_some());
    }
}
