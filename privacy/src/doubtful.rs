//! Columns of people that neither name nor values explain: what is left when everything harmless is known.
//!
//! In a list of people most columns are theirs. What is no key, state, count, place or job by its name, and is different
//! from row to row, is more often something of one person than not, so it is masked as likely, and a person can release
//! it. Invariant: nothing is doubtful in a table that isn't about people, nor where the name says what harmless thing it is.

use std::sync::OnceLock;

use crate::amounts;
use crate::folding::{fold, key_of};
use crate::listed;
use crate::vocabulary::{ShortMap, class, classes};

const HARMLESS: &str = include_str!("../vocabulary/harmless.txt");
const FURTHER: &str = include_str!("../vocabulary/further_harmless.txt");

/// Words that only say that it is a column.
const OF_COLUMNS: &[&str] = &[
    "field",
    "fld",
    "col",
    "column",
    "attr",
    "attribute",
    "attribut",
    "atributo",
    "val",
    "value",
    "wert",
    "valor",
    "valeur",
    "valore",
    "data",
    "dat",
    "dato",
    "datum1",
    "info",
    "item",
    "var",
    "variable",
    "custom",
    "cf",
    "udf",
    "extra",
    "misc",
    "other",
    "ext",
    "txt",
    "text",
    "str",
    "string",
    "num",
    "nr",
    "no",
    "param",
    "prop",
    "property",
    "slot",
    "feld",
    "spalte",
    "champ",
    "colonne",
    "zone",
    "campo",
    "coluna",
    "colonna",
    "columna",
    "veld",
    "kolom",
    "felt",
    "kolonne",
    "falt",
    "kolumn",
    "kentta",
    "sarake",
    "pole",
    "kolumna",
    "sloupec",
    "stlpec",
    "udaj",
    "mezo",
    "oszlop",
    "camp",
    "coloana",
    "polje",
    "stupac",
    "kolona",
    "stolpec",
    "stolbets",
    "znachenie",
    "stilh",
    "pedio",
    "alan",
    "sutun",
    "deger",
    "zusatz",
    "frei",
    "libre",
    "libero",
    "livre",
    "dodatkowe",
    "user",
    "usr",
    "zz",
    "x",
    "attrib",
    "feature",
    "unknown",
    "unbekannt",
    "tmp",
    "input",
    "string",
    "char",
    "varchar",
    "int",
    "dec",
];

/// What a name says of a column that nothing personal was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// A key, a state, a place, a job: nothing of one person.
    Harmless,
    /// Something, in words that no list has.
    Unknown,
    /// Nothing: `c7`, `field_3`.
    Nothing,
}

pub(crate) fn said(words: &[String]) -> Said {
    let telling = words.iter().filter(|word| {
        let is_numbered = word.bytes().all(|byte| byte.is_ascii_digit());
        !is_numbered && word.chars().count() > 1 && !OF_COLUMNS.contains(&word.as_str())
    });
    let telling: Vec<&String> = telling.collect();
    if telling.is_empty() {
        return Said::Nothing;
    }
    let joined = telling.iter().map(|word| word.as_str()).collect::<String>();
    if telling.iter().any(|word| is_harmless(word)) || is_harmless(&joined) {
        return Said::Harmless;
    }
    // `zq7` and `pf_3` are as good as numbers.
    let is_code = |word: &&String| word.len() <= 3 && !word.contains(['a', 'e', 'i', 'o', 'u']);
    if telling.iter().all(|word| is_code(word) || word.len() <= 2) { Said::Nothing } else { Said::Unknown }
}

/// Whether a word is one of what says little of one person.
pub(crate) fn is_harmless(word: &str) -> bool {
    const OTHERS: u16 = class::ASPECT | class::PLACES | class::ORGANISATIONS | class::THINGS | class::LOOKUPS;
    if classes(word) & OTHERS != 0 || is_listed(word) {
        return true;
    }
    if !word.is_ascii() || word.len() < 7 {
        return false;
    }
    // `abteilungsname`, `jobtitle`, `mitarbeiterstatus`.
    (4..=word.len() - 2).any(|end| is_listed(&word[..end]) && word.len() - end >= 2)
        || (2..=word.len() - 4).any(|start| is_listed(&word[start..]))
}

fn is_listed(word: &str) -> bool {
    static WORDS: OnceLock<ShortMap<()>> = OnceLock::new();
    let key = key_of(word);
    harmless().contains_key(key.as_str()) || WORDS.get_or_init(|| words_of(FURTHER)).contains_key(key.as_str())
}

fn harmless() -> &'static ShortMap<()> {
    static WORDS: OnceLock<ShortMap<()>> = OnceLock::new();
    WORDS.get_or_init(|| words_of(HARMLESS))
}

fn words_of(list: &str) -> ShortMap<()> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(|word| (key_of(&fold(word)).into(), ())).collect()
}

/// The words that say little of one person and that names can be short for, in the order of the alphabet.
pub(crate) fn harmless_words() -> Vec<&'static str> {
    let mut words: Vec<&str> = harmless().keys().map(|word| &**word).collect();
    words.sort_unstable();
    words
}

/// Whether texts are of the kind that each person has another of; `different` is how many of the rows have one of their own.
pub(crate) fn are_of_one_person(said: Said, values: &[&str], different: f64, is_numeric: bool) -> bool {
    const FEWEST: usize = 5;
    let least = match said {
        Said::Harmless => return false,
        Said::Unknown => 0.8,
        Said::Nothing => 0.7,
    };
    if values.len() < FEWEST || different < least || amounts::are_consecutive(values) {
        return false;
    }
    let share = |matches: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| matches(value)).count() as f64 / values.len() as f64
    };
    let digits = |value: &str| value.bytes().filter(u8::is_ascii_digit).count();
    let is_number = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit() || b" -./+".contains(&byte));
    if is_numeric || share(&is_number) >= 0.8 {
        // Keys and counts are short, amounts have points, and moments are close to each other.
        return share(&|value| digits(value) >= 7 && !value.contains('.') && !is_moment(value) && !is_day(value))
            >= 0.8;
    }
    let is_of_programs = |value: &str| {
        value.starts_with(['{', '[', '<'])
            || value.contains("://")
            || value.len() == 36 && value.matches('-').count() == 4
    };
    let is_short = |value: &str| value.chars().count() <= 3;
    if share(&is_of_programs) > 0.5 || share(&is_short) > 0.5 || share(&is_time) > 0.5 {
        return false;
    }
    // What is all of one length and short was given out by somebody: countries, currencies, categories.
    let lengths = || values.iter().map(|value| value.chars().count());
    let is_fixed = lengths().min() == lengths().max() && share(&|value| value.contains(' ')) == 0.0;
    if is_fixed && lengths().max().is_some_and(|length| length <= 8) {
        return false;
    }
    if are_codes(values) {
        // Numbers of documents are long and have no common beginning.
        return share(&|value| value.chars().count() >= 8) >= 0.8 && common_letters(values) < 0.5;
    }
    listed::share_of_common(values) < 0.25 && share(&is_company) < 0.2
}

/// A day as ISO 8601 writes it: births are told by how they lie.
fn is_day(value: &str) -> bool {
    value.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

/// Seconds and milliseconds of our days, and days written as numbers.
pub(crate) fn is_moment(value: &str) -> bool {
    let Ok(number) = value.parse::<u64>() else { return false };
    // From 2000 to 2030: telephone numbers begin with a nought or with more.
    let of_our_days = 946_000_000..1_900_000_000;
    match value.len() {
        8 => (1900..2100).contains(&(number / 10_000)) && (1..=12).contains(&(number / 100 % 100)),
        14 => (1900..2100).contains(&(number / 10_000_000_000)),
        13 => of_our_days.contains(&(number / 1000)),
        _ => !value.starts_with('0') && of_our_days.contains(&number),
    }
}

/// By how it is owned.
pub(crate) fn is_company(value: &str) -> bool {
    const FORMS: &[&str] = &[
        "gmbh", "ag", "kg", "ohg", "gbr", "ug", "ltd", "limited", "llc", "inc", "corp", "plc", "llp", "co", "sarl",
        "sas", "sasu", "sa", "sl", "slu", "sc", "cv", "ltda", "lda", "eireli", "me", "spa", "srl", "snc", "bv", "nv",
        "vof", "ab", "as", "asa", "aps", "oy", "oyj", "sp", "zoo", "sro", "spol", "kft", "zrt", "bt", "doo", "dd",
        "eood", "ood", "ad", "ooo", "zao", "oao", "ae", "epe", "sti", "group", "holding",
    ];
    let folded = fold(value);
    let words: Vec<String> =
        folded.split(' ').map(|word| word.chars().filter(|character| character.is_alphanumeric()).collect()).collect();
    words.len() >= 2 && words.iter().skip(1).any(|word| FORMS.contains(&word.as_str()))
}

fn is_time(value: &str) -> bool {
    let has = |character: char| value.contains(character);
    value.starts_with(|first: char| first.is_ascii_digit())
        && (has(':') || value.matches(['-', '/', '.']).count() == 2)
        && value.bytes().filter(u8::is_ascii_digit).count() >= 4
        && value.len() <= 35
}

/// Whether most values have digits and no words in small letters.
fn are_codes(values: &[&str]) -> bool {
    let is_code = |value: &&&str| {
        value.bytes().any(|byte| byte.is_ascii_digit())
            && !value.contains(' ')
            && !value.chars().any(char::is_lowercase)
    };
    values.iter().filter(is_code).count() * 2 > values.len()
}

/// How large a share of the values begins with the same letters.
fn common_letters(values: &[&str]) -> f64 {
    let start = |value: &str| value.chars().take_while(|character| !character.is_ascii_digit()).collect::<String>();
    let mut counts: ShortMap<usize> = ShortMap::default();
    for value in values {
        *counts.entry(start(value).into()).or_default() += 1;
    }
    let most = counts.iter().filter(|(start, _)| !start.is_empty()).map(|(_, count)| *count).max();
    most.unwrap_or(0) as f64 / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::{Said, are_of_one_person, said};
    use crate::folding::folded_words;

    #[test]
    fn names_say_something_harmless_or_nothing() {
        for (name, expected) in [
            ("c7", Said::Nothing),
            ("field_12", Said::Nothing),
            ("pole5", Said::Nothing),
            ("zz_x1", Said::Nothing),
            ("abteilung", Said::Harmless),
            ("jobTitle", Said::Harmless),
            ("mitarbeiterstatus", Said::Harmless),
            ("woonplaats", Said::Harmless),
            ("shirt_size", Said::Harmless),
            ("przezwisko", Said::Unknown),
            ("kallenavn", Said::Unknown),
        ] {
            assert_eq!(said(&folded_words(name)), expected, "{name}");
        }
    }

    #[test]
    fn what_each_person_has_another_of_is_doubtful() {
        let nicknames = ["sunny", "der Rabe", "mimi", "Bolle", "xx_king", "Lotte"];
        assert!(are_of_one_person(Said::Nothing, &nicknames, 1.0, false));
        assert!(!are_of_one_person(Said::Harmless, &nicknames, 1.0, false));
        assert!(!are_of_one_person(Said::Nothing, &nicknames, 0.2, false));
        let documents = ["C01X00T47", "L5K98RF2Q", "X77P12ZZ4", "9TRW33K0P", "F2JJ81M0X"];
        assert!(are_of_one_person(Said::Nothing, &documents, 1.0, false));
        let codes = ["EMP-71023", "EMP-09012", "EMP-88123", "EMP-10023", "EMP-55555"];
        assert!(!are_of_one_person(Said::Nothing, &codes, 1.0, false));
        let cities = ["Wien", "Graz", "Linz", "Salzburg", "Innsbruck", "Dornbirn"];
        assert!(!are_of_one_person(Said::Nothing, &cities, 1.0, false));
    }
}
