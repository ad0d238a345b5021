//! Names of people and the places where they live, told by lists of names and by form.
//!
//! The lists hold common given and family names of Europe and the Americas; a column of people has some of them, however
//! rare the others are. A street is told by its number and the word for a street, before or behind its name.
//! Invariant: single values are never judged, but columns.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::folding::fold;

const GIVEN: &str = include_str!("../vocabulary/given.txt");
const FAMILY: &str = include_str!("../vocabulary/family.txt");

fn listed(list: &'static str) -> HashSet<String> {
    list.split_whitespace().map(fold).collect()
}

fn is_given(word: &str) -> bool {
    static NAMES: OnceLock<HashSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| listed(GIVEN)).contains(word)
}

fn is_family(word: &str) -> bool {
    static NAMES: OnceLock<HashSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| listed(FAMILY)).contains(word)
}

/// What people are called by in front of their names: `Dr. Moser` is one of them.
const TITLES: [&str; 30] = [
    "dna",
    "dhr",
    "dipl",
    "don",
    "dona",
    "dott",
    "dr",
    "dra",
    "frau",
    "fru",
    "herr",
    "hr",
    "ing",
    "mag",
    "mevr",
    "miss",
    "mlle",
    "mme",
    "mr",
    "mrs",
    "ms",
    "pan",
    "pani",
    "prof",
    "profesor",
    "professor",
    "sig",
    "sr",
    "sra",
    "srta",
];

/// What a column's values have in common with names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names {
    seen: usize,
    /// Of the form of a name: a few words with a capital each, no digits.
    formed: usize,
    /// With two words or more.
    full: usize,
    /// Full, and with a known given name where one stands.
    full_and_given: usize,
    /// One word, and a known given name.
    given: usize,
    /// One word, and a known family name.
    family: usize,
}

impl Names {
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut names = Self::default();
        for value in values.filter(|value| !value.trim().is_empty()).take(400) {
            names.add(value);
        }
        names
    }

    fn add(&mut self, value: &str) {
        self.seen += 1;
        let words: Vec<&str> = value.split([' ', ',', '\u{a0}']).filter(|word| !word.is_empty()).collect();
        if !(1..=5).contains(&words.len()) || value.len() > 60 || !words.iter().all(|word| is_word_of_a_name(word)) {
            return;
        }
        self.formed += 1;
        let folded: Vec<String> = words.iter().map(|word| fold(word.trim_matches(['.', '-', '\'']))).collect();
        let given = |word: &String| is_given(word) || word.split('-').next().is_some_and(is_given);
        if folded.len() == 1 {
            self.given += usize::from(given(&folded[0]));
            self.family += usize::from(is_family(&folded[0]));
            return;
        }
        self.full += 1;
        let is_called = TITLES.contains(&folded[0].as_str()) && folded[1..].iter().any(|word| word.len() > 1);
        let is_given = folded.iter().any(given) && folded.iter().any(|word| word.len() > 1);
        self.full_and_given += usize::from(is_given || is_called);
    }

    /// Whether nearly all are first and last names together.
    pub(crate) fn are_full(&self) -> bool {
        self.share(self.full) >= 0.6 && self.share(self.full_and_given) >= 0.45 && self.full >= 4
    }

    /// The same where people are meant anyway, so that fewer have to be known.
    pub(crate) fn are_likely(&self) -> bool {
        let full = self.share(self.full) >= 0.5 && self.share(self.full_and_given) >= 0.25 && self.full >= 3;
        let single = self.share(self.given) >= 0.4 || self.share(self.family) >= 0.3;
        full || (single && self.share(self.formed) >= 0.8 && self.seen >= 5)
    }

    /// Whether nearly all are given names, or family names, one each.
    pub(crate) fn are_single(&self) -> bool {
        self.seen >= 8
            && self.share(self.formed) >= 0.9
            && (self.share(self.given) >= 0.75 || self.share(self.family) >= 0.7)
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.seen.max(1) as f64
    }
}

/// Whether a text holds a given name with a family name behind it.
pub(crate) fn named_in_text(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let capital = pair.iter().all(|word| word.chars().next().is_some_and(char::is_uppercase));
        // Two sentences meet where a point stands.
        capital && !pair[0].ends_with(['.', '!', '?', ',', ':']) && {
            let name = |word: &str| fold(word.trim_matches(|character: char| !character.is_alphanumeric()));
            is_given(&name(pair[0])) && is_family(name(pair[1]).trim_end_matches("'s"))
        }
    })
}

fn is_word_of_a_name(word: &str) -> bool {
    const PARTICLES: &[&str] = &[
        "de", "da", "do", "dos", "das", "del", "della", "di", "van", "von", "der", "den", "la", "le", "el", "y", "e",
        "i", "af", "av", "zu", "ter", "ten", "bin", "al", "d", "du", "des", "los",
    ];
    let mut characters = word.chars();
    let known = |character: char| character.is_alphabetic() || matches!(character, '.' | '-' | '\'' | '’');
    word.chars().all(known) && (characters.next().is_some_and(char::is_uppercase) || PARTICLES.contains(&word))
}

/// Whether it is the line of an address on which the street stands.
pub(crate) fn is_street(value: &str) -> bool {
    let value = value.trim();
    if !(5..=100).contains(&value.len()) || !value.bytes().any(|byte| byte.is_ascii_digit()) {
        return is_box(value);
    }
    let folded = fold(value);
    let words: Vec<&str> =
        folded.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // `C-100` is a number of something, `C/ Alcalá 100` has a name.
    let has_name = words.iter().skip(1).any(|word| word.len() >= 3 && word.chars().all(char::is_alphabetic))
        || words[0].len() >= 4 && words[0].chars().all(char::is_alphabetic);
    if words.len() < 2 || words.len() > 14 || !has_name {
        return false;
    }
    let first = words[0];
    let starts_with_number = first.starts_with(|first: char| first.is_ascii_digit());
    let has_number = words[1..].iter().any(|word| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        (1..=5).contains(&digits) && word.len() - digits <= 2
    });
    let before = LEADING.contains(&first)
        || starts_with_number && words.iter().skip(1).take(2).any(|word| LEADING.contains(word));
    let behind = words.iter().skip(1).any(|word| TRAILING.contains(word));
    let ends_in = words
        .iter()
        .any(|word| ENDINGS.iter().any(|end| word == end || word.len() > end.len() + 2 && word.ends_with(end)));
    (before && (has_number || starts_with_number))
        || (behind && starts_with_number)
        || (ends_in && has_number)
        || is_box(value)
}

fn is_box(value: &str) -> bool {
    let folded = fold(value);
    ["po box ", "p.o. box ", "postfach ", "apartado ", "caixa postal ", "postboks ", "boite postale ", "skr. poczt"]
        .iter()
        .any(|start| folded.replace("p.o.", "po").starts_with(start))
}

/// Words for a street that stand before its name.
const LEADING: &[&str] = &[
    "rue",
    "avenue",
    "av",
    "avda",
    "avenida",
    "boulevard",
    "bd",
    "blvd",
    "chemin",
    "impasse",
    "allee",
    "place",
    "quai",
    "route",
    "cours",
    "calle",
    "c",
    "carrer",
    "paseo",
    "plaza",
    "camino",
    "carretera",
    "ronda",
    "travesia",
    "calz",
    "calzada",
    "privada",
    "carrera",
    "cra",
    "cl",
    "pasaje",
    "rua",
    "r",
    "travessa",
    "praca",
    "alameda",
    "estrada",
    "rodovia",
    "largo",
    "via",
    "viale",
    "piazza",
    "corso",
    "largo",
    "vicolo",
    "strada",
    "piazzale",
    "ul",
    "ulica",
    "ulice",
    "al",
    "aleja",
    "os",
    "osiedle",
    "pl",
    "plac",
    "str",
    "bd",
    "bulevardul",
    "calea",
    "aleea",
    "ulitsa",
    "prospekt",
    "pr",
    "prospect",
    "bul",
    "bulevard",
    "vul",
    "vulytsya",
    "odos",
    "leof",
    "namesti",
    "nam",
    "trg",
    "cesta",
];
/// Words for a street that stand behind its name, where the number stands before it.
const TRAILING: &[&str] = &[
    "street",
    "st",
    "avenue",
    "ave",
    "road",
    "rd",
    "drive",
    "dr",
    "lane",
    "ln",
    "boulevard",
    "blvd",
    "court",
    "ct",
    "place",
    "pl",
    "way",
    "terrace",
    "ter",
    "circle",
    "cir",
    "parkway",
    "pkwy",
    "highway",
    "hwy",
    "square",
    "sq",
    "trail",
    "trl",
    "close",
    "crescent",
    "gardens",
    "grove",
    "hill",
    "mews",
    "row",
    "walk",
    "loop",
    "plaza",
    "alley",
    "park",
    "point",
    "crossing",
    "parade",
];
/// What names of streets end in, with the number behind.
const ENDINGS: &[&str] = &[
    "strasse", "str", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer", "chaussee", "steig", "straat", "laan",
    "plein", "gracht", "kade", "singel", "dijk", "gatan", "vagen", "grand", "plan", "gade", "vej", "alle", "gata",
    "gaten", "veien", "vegen", "veg", "vei", "katu", "tie", "kuja", "polku", "utca", "krt", "tere", "sokak", "caddesi",
    "sokagi", "stien", "straede", "markt", "hof", "berg", "pad",
];

#[cfg(test)]
mod tests {
    use super::{Names, is_street, named_in_text};

    #[test]
    fn a_title_says_that_a_name_follows() {
        assert!(
            Names::of(["Dr. Moser", "Dr. Hofer", "Mag. Leitner", "Frau Egger", "Prof. Bauer"].into_iter()).are_full()
        );
        assert!(!Names::of(["Dry Sand", "Misty Lake", "Sir Ups", "Donut Box", "Pan Flute"].into_iter()).are_full());
    }

    #[test]
    fn streets_are_told_in_many_languages() {
        for value in [
            "Hauptstraße 12",
            "Am Alten Weg 3a",
            "12 rue de la Paix",
            "Calle Mayor 5, 2º B",
            "Rua Augusta, 1500",
            "Via Roma 10",
            "221B Baker Street",
            "1600 Pennsylvania Ave NW",
            "Kerkstraat 45",
            "Storgatan 7",
            "Vestergade 22",
            "Mannerheimintie 5",
            "ul. Długa 14/3",
            "Kossuth utca 8",
            "Av. Paulista 900",
            "Str. Victoriei 3",
            "PO Box 991",
        ] {
            assert!(is_street(value), "{value}");
        }
        for value in [
            "Version 12",
            "2024-01-31",
            "Blue Shirt 42",
            "Street lights",
            "Windows 10",
            "Room 5",
            "A-113",
            "C-1007",
            "Paris",
        ] {
            assert!(!is_street(value), "{value}");
        }
    }

    #[test]
    fn columns_of_names_are_told_from_others() {
        let full = ["Anna Schmidt", "Jean-Pierre Dupont", "María García López", "Smith, John", "Xyz Unbekannt"];
        assert!(Names::of(full.into_iter()).are_full());
        let products = ["Blue Shirt", "Red Shoes", "Green Hat", "Deluxe Mug", "Garden Chair"];
        assert!(!Names::of(products.into_iter()).are_full() && !Names::of(products.into_iter()).are_likely());
        let cities = ["Paris", "Berlin", "Florence", "London", "Madrid", "Victoria", "Austin", "Oslo", "Wien"];
        assert!(!Names::of(cities.into_iter()).are_single());
        assert!(named_in_text("spoke to Anna Schmidt about it"));
        assert!(!named_in_text("The new Model of Tomorrow"));
    }
}
