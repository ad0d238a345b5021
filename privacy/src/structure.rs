//! What the structure of a table gives away: names, types, comments, neighbours.
//!
//! A name is searched for phrases that mean something personal, the longest first; the words around a phrase then say
//! whether it still means that. `email` is one, `email_template_id` is a key, `is_email_verified` a flag. Some phrases
//! are personal only where a person is meant: the `name` of a patient, not that of a product. So every column is looked at
//! by itself first, and those that were left once more with what the others said of the table.
//!
//! Invariant: no regular expression and no value; what is said of a table depends on nothing but the table.

use catalog::{Column, ForeignKey, Table, TypeClass};

use crate::context::{self, About};
use crate::declared;
use crate::finding::{Finding, PersonalKind};
use crate::folding::{folded_words, key};
use crate::listed;
use crate::meant::{fits, holds, person_is_meant};
use crate::nested;
use crate::phrases::phrases;
use crate::shortened;
use crate::surroundings::{Kinds, Surroundings, billed_and_booked, is_called_a_key, is_reference};
use crate::vocabulary::{Meaning, Strength, class, classes, is_said_of, meaning, meaning_beside};

pub(crate) const BY_NAME: &str = "name matches";
pub(crate) const BY_COMMENT: &str = "comment speaks of";
pub(crate) const BY_NEIGHBOURS: &str = "stands beside";

/// How sure a name is that means something personal nearly everywhere.
const SURE: f64 = 0.9;

/// A comment's first clause is read as far as this; longer ones explain something else besides.
const LONGEST_CLAUSE: usize = 12;

/// By what companies, schools and hospitals call their people.
const NUMBERS_OF_PEOPLE: &[&str] = &[
    "pernr",
    "emplid",
    "empno",
    "empid",
    "empl",
    "matricule",
    "matricola",
    "legajo",
    "mrn",
    "patid",
    "personalnr",
    "ipp",
    "expediente",
    "prontuario",
    "rut",
    "sicil",
    "torzsszam",
    "kdnr",
    "userid",
    "uid",
    "persnr",
    "tabnomer",
];

/// What a name ends in whose values nobody is to read.
const ENCRYPTED: &[&str] = &[
    "enc",
    "encr",
    "encrypted",
    "crypt",
    "crypted",
    "cipher",
    "ciphertext",
    "verschlusselt",
    "aes",
    "kms",
    "tok",
    "tokenized",
    "pseudo",
    "pseudonym",
];

/// What is found of each column, in the table's order.
pub(crate) fn findings(table: &Table) -> Vec<Option<Finding>> {
    judged(table).0
}

/// What is known of the table besides.
pub(crate) fn surroundings(table: &Table) -> Surroundings {
    judged(table).1
}

/// Whether a column has room for the letters that somebody signs with, and no more.
fn is_for_initials(column: &Column) -> bool {
    const LONGEST: usize = 5;
    let length =
        column.data_type.split_once('(').and_then(|(_, rest)| rest.split(')').next()?.trim().parse::<usize>().ok());
    column.type_class == TypeClass::Text && length.is_some_and(|length| length <= LONGEST)
}

fn judged(table: &Table) -> (Vec<Option<Finding>>, Surroundings) {
    let prefix = table.column_prefix();
    let words: Vec<Vec<String>> = table.columns.iter().map(|column| folded_words(&column.name)).collect();
    let (is_of_bills, is_of_books) = billed_and_booked(&folded_words(&table.id.name), &words);
    let mut around = Surroundings {
        is_of_bills,
        is_of_books,
        about: context::of_table(table),
        has_people: false,
        refers_to_people: words.iter().any(|words| refers_to_a_person(words)),
        has_street: false,
        has_password: false,
        is_of_one_person: false,
        is_lookup: false,
        words: folded_words(&table.id.name).iter().fold(0, |all, word| all | classes(word)),
        kinds: Kinds::default(),
    };
    let is_about = |key: &ForeignKey| {
        let tells_who_did_it = |column: &String| tells_who_did_it(&folded_words(column));
        let is_of_initials = |name: &String| table.column(name).is_some_and(is_for_initials);
        context::is_of_people(&key.ref_table.name)
            && !key.columns.iter().any(|column| tells_who_did_it(column) || is_of_initials(column))
    };
    around.refers_to_people |= table.foreign_keys.iter().any(is_about);
    around.is_lookup = is_lookup(table, &around);
    let judge = |column: &Column, words: &[String], around: &Surroundings| {
        let found = by_name(column, words, around)
            .or_else(|| {
                let rest = column.name.strip_prefix(prefix?)?;
                by_name(column, &folded_words(rest), around)
            })
            .or_else(|| by_table(table, column, words))
            .or_else(|| by_comment(column, around))
            .or_else(|| nested::by_type(table, column))
            .or_else(|| encrypted(column, words, around));
        as_a_reference(found, table, column, words, around).or_else(|| declared::by_comment(column))
    };
    let mut found: Vec<Option<Finding>> =
        table.columns.iter().zip(&words).map(|(column, words)| judge(column, words, &around)).collect();
    let unread = around;
    around = unread.knowing(Kinds::of(found.iter().flatten()));
    if around.has_people || around.has_street || around.has_password || around.is_personal() {
        for ((column, words), found) in table.columns.iter().zip(&words).zip(&mut found) {
            if found.is_none() {
                let again = judge(column, words, &around).or_else(|| beside_a_password(column, words, &around));
                *found = again.or_else(|| shortened(table, column, words, &around));
            }
        }
    }
    let around = unread.knowing(Kinds::of(found.iter().flatten()));
    (found, around)
}

/// What a column's name says once more, where its neighbours' values have told more of the table.
pub(crate) fn again(table: &Table, column: &Column, words: &[String], around: &Surroundings) -> Option<Finding> {
    let by_words = by_name(column, words, around).or_else(|| beside_a_password(column, words, around));
    let found = by_words.or_else(|| shortened(table, column, words, around));
    as_a_reference(found, table, column, words, around)
}

/// What was found of a column, as far as it holds of a reference, if it is one. Whatever its name and type, which row of a list
/// of diagnoses it refers to is the diagnosis. Of the others that are numbers, one that isn't called a key holds what its name
/// says, since the key that it refers to is the same number; what has rows of its own, an address or a name, is just a
/// reference.
fn as_a_reference(
    found: Option<Finding>,
    table: &Table,
    column: &Column,
    words: &[String],
    around: &Surroundings,
) -> Option<Finding> {
    use PersonalKind::{
        BankAccount, Belief, BirthDate, Card, Credential, Device, Email, Health, Location, NationalId, Pay, Phone,
    };
    let referred = table.foreign_keys.iter().find(|key| key.columns.contains(&column.name));
    let of_one = referred.filter(|key| key.columns.len() == 1).map(|key| key.ref_table.name.as_str());
    let listed = of_one.and_then(|table| listed_nature(table).or_else(|| listed_pay(table)));
    let by_what_is_referred_to = listed.filter(|meaning| person_is_meant(meaning, around)).map(|meaning| Finding {
        reason: format!("refers to a list of {}", meaning.kind.in_words()),
        confidence: 0.7,
        kind: meaning.kind,
    });
    if !is_reference(table, column) {
        return found.or(by_what_is_referred_to);
    }
    let is_key = is_called_a_key(words);
    let stem = words.split_last().map(|(_, stem)| stem.join("")).unwrap_or_default();
    let is_of_the_table = || referred.is_some_and(|key| is_named_after(&key.ref_table.name, &stem));
    let refers_to_a_key = || {
        let columns = referred.map(|key| key.ref_columns.as_slice()).unwrap_or_default();
        columns.iter().all(|column| is_called_a_key(&folded_words(column)))
    };
    let holds = |found: &Finding| match found.kind {
        Health | Belief => true,
        // Numbers of documents are often called ids.
        NationalId => !is_key || !is_of_the_table(),
        BankAccount | BirthDate | Card | Credential | Device | Email | Location | Pay | Phone => {
            !is_key || !is_of_the_table() && !refers_to_a_key()
        }
        _ => false,
    };
    found.filter(holds).or(by_what_is_referred_to).or_else(|| {
        let text = Column { type_class: TypeClass::Text, ..column.clone() };
        let named = if is_key { &words[..words.len() - 1] } else { words };
        by_name(&text, named, around).filter(|found| matches!(found.kind, Health | Belief) && found.confidence >= SURE)
    })
}

/// What a table lists, if that is something of people's nature: `diagnoses`, `religions`.
fn listed_nature(table: &str) -> Option<Meaning> {
    let mut joined = String::new();
    key(&folded_words(table), &mut joined);
    let singular = |end: &str, with: &str| joined.strip_suffix(end).map(|stem| format!("{stem}{with}"));
    let names = [Some(joined.clone()), singular("s", ""), singular("es", ""), singular("ies", "y")];
    names
        .into_iter()
        .flatten()
        .filter_map(|name| meaning(&name))
        .find(|meaning| matches!(meaning.kind, PersonalKind::Health | PersonalKind::Belief))
}

/// What a table lists, if that is steps of pay: `salary_bands`.
fn listed_pay(table: &str) -> Option<Meaning> {
    const STEPS: [&str; 16] = [
        "band", "bands", "bracket", "brackets", "grade", "grades", "group", "groups", "level", "levels", "range",
        "ranges", "scale", "scales", "step", "steps",
    ];
    let words = folded_words(table);
    let is_of_steps = words.last().is_some_and(|last| STEPS.contains(&last.as_str()));
    let mut found = phrases(&words).into_iter().map(|phrase| phrase.meaning);
    found.find(|meaning| meaning.kind == PersonalKind::Pay).filter(|_| is_of_steps)
}

/// Whether a table is called by that word, in the singular or the plural, as `taxes` is by `tax`.
fn is_named_after(table: &str, word: &str) -> bool {
    let mut joined = String::new();
    key(&folded_words(table), &mut joined);
    !word.is_empty()
        && (joined.ends_with(word) || ["s", "es"].iter().any(|end| joined.ends_with(&format!("{word}{end}"))))
}

/// What a name is short for in a table of people.
fn shortened(table: &Table, column: &Column, words: &[String], around: &Surroundings) -> Option<Finding> {
    if !around.is_personal() || is_reference(table, column) || table.primary_key.contains(&column.name) {
        return None;
    }
    let is_other = words.iter().any(|word| classes(word) & (class::ASPECT | class::THINGS | class::MACHINES) != 0);
    if let Some((word, kind)) = listed::word_of_nature(words).filter(|_| !is_other && !column.type_class.is_temporal())
    {
        return Some(Finding { reason: format!("{BY_NAME} `{word}`"), confidence: 0.6, kind });
    }
    let (word, meaning) = shortened::meaning(words)?;
    let believed = shortened::is_believed(meaning.kind) && fits(&meaning, column);
    let works = meaning.kind != PersonalKind::Pay || !around.is_lookup;
    (believed && works).then(|| Finding {
        reason: format!("name may be short for {}: `{word}`", meaning.kind.in_words()),
        confidence: 0.6,
        kind: meaning.kind,
    })
}

/// Whether it is a list of diagnoses, religions or grades, as such: nothing in it says whose.
fn is_lookup(table: &Table, around: &Surroundings) -> bool {
    if around.refers_to_people || around.about == About::People {
        return false;
    }
    let words = folded_words(&table.id.name);
    if words.iter().any(|word| classes(word) & class::PERSONS != 0) {
        return around.words & class::LOOKUPS != 0;
    }
    around.words & class::LOOKUPS != 0 || listed_nature(&table.id.name).is_some()
}

/// What has been encrypted where people are meant was worth it.
fn encrypted(column: &Column, words: &[String], around: &Surroundings) -> Option<Finding> {
    let [before @ .., last] = words else { return None };
    let is_hidden = ENCRYPTED.contains(&last.as_str());
    let is_other = before.iter().any(|word| classes(word) & (class::ASPECT | class::BEFORE | class::THINGS) != 0);
    let can_be = matches!(column.type_class, TypeClass::Text | TypeClass::Binary | TypeClass::Other);
    let meant = is_hidden && can_be && !is_other && !before.is_empty();
    let in_people = around.about == About::People || around.is_of_one_person || around.has_people;
    (meant && in_people).then(|| Finding {
        reason: format!("{BY_NAME} `{last}`"),
        confidence: 0.6,
        kind: PersonalKind::Credential,
    })
}

/// Whether a column says who at work did something: the row isn't about them.
fn tells_who_did_it(words: &[String]) -> bool {
    const AT_WORK: [&str; 24] = [
        "agent",
        "approver",
        "assignee",
        "auctioneer",
        "author",
        "bearbeiter",
        "cashier",
        "clerk",
        "creator",
        "dispatcher",
        "editor",
        "ersteller",
        "handler",
        "inspector",
        "operator",
        "planner",
        "pruefer",
        "reviewer",
        "sachbearbeiter",
        "salesperson",
        "seller",
        "supervisor",
        "technician",
        "verkaufer",
    ];
    words.last().is_some_and(|last| matches!(last.as_str(), "by" | "von" | "par" | "por"))
        || words.iter().any(|word| AT_WORK.contains(&word.as_str()))
}

fn refers_to_a_person(words: &[String]) -> bool {
    if words.iter().any(|word| NUMBERS_OF_PEOPLE.contains(&word.as_str())) {
        return true;
    }
    let [before @ .., last] = words else { return false };
    if before.is_empty() {
        let stem = ["id", "nr", "no", "num"].iter().find_map(|end| last.strip_suffix(end));
        return stem.is_some_and(|stem| stem.len() >= 3 && classes(stem) & class::PERSONS != 0);
    }
    let is_key = matches!(last.as_str(), "id" | "nr" | "no" | "key" | "fk" | "number" | "num" | "uuid");
    is_key && before.last().is_some_and(|word| classes(word) & class::PERSONS != 0)
}

fn by_name(column: &Column, words: &[String], around: &Surroundings) -> Option<Finding> {
    let (phrase, meaning) = phrases(words).into_iter().find_map(|phrase| {
        let fits = fits(&phrase.meaning, column);
        (fits && holds(&phrase, words, around)).then_some((phrase.text(words), phrase.meaning))
    })?;
    let confidence = if meaning.strength == Strength::Sure { SURE } else { 0.7 };
    Some(Finding { reason: format!("{BY_NAME} `{phrase}`"), confidence, kind: meaning.kind })
}

/// What a table is a list of stands in the column that has no name of its own: `api_keys.key`, `bank_cards.number`.
fn by_table(table: &Table, column: &Column, words: &[String]) -> Option<Finding> {
    use PersonalKind::{BankAccount, Card, Credential, Email, NationalId, Phone};
    let [word] = words else { return None };
    let is_bare =
        matches!(word.as_str(), "number" | "no" | "nr" | "num" | "value" | "key" | "code" | "hash" | "digits");
    if !is_bare || table.primary_key.contains(&column.name) && column.type_class.is_numeric() {
        return None;
    }
    let of_table = folded_words(&table.id.name);
    let mut joined = String::new();
    (0..of_table.len()).find_map(|start| {
        key(&of_table[start..], &mut joined);
        let singular = joined.strip_suffix('s').unwrap_or(&joined);
        let meaning =
            meaning(&joined).or_else(|| meaning(singular)).filter(|found| found.strength == Strength::Sure)?;
        let is_listed = matches!(meaning.kind, Email | Phone | NationalId | Credential | BankAccount | Card);
        (is_listed && fits(&meaning, column)).then(|| Finding {
            reason: format!("{BY_NAME} `{word}` in a table of {}", meaning.kind.in_words()),
            confidence: 0.7,
            kind: meaning.kind,
        })
    })
}

/// A column of secrets that have harmless names elsewhere: `salt`, `ha1`.
fn beside_a_password(column: &Column, words: &[String], around: &Surroundings) -> Option<Finding> {
    if !around.has_password || column.type_class.is_temporal() {
        return None;
    }
    let mut joined = String::new();
    let mut ends = words.iter().enumerate().rev();
    let meaning = ends.find_map(|(end, _)| {
        let rest = &words[end + 1..];
        let only_numbers = rest.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        key(&words[..=end], &mut joined);
        meaning_beside(&joined).filter(|_| only_numbers)
    })?;
    let fits = !(column.type_class.is_numeric() && words.len() > 1);
    let reason = format!("{BY_NEIGHBOURS} a password");
    fits.then_some(Finding { reason, confidence: 0.7, kind: meaning.kind })
}

fn by_comment(column: &Column, around: &Surroundings) -> Option<Finding> {
    let comment = column.comment.as_deref()?;
    let clause = comment.split(['.', ';', '(', ':', '\n']).next().unwrap_or_default();
    let words = folded_words(clause);
    if words.is_empty() || words.len() > LONGEST_CLAUSE {
        return None;
    }
    let speaks_of_people = words.iter().any(|word| classes(word) & class::PERSONS != 0);
    phrases(&words).into_iter().find_map(|phrase| {
        let around_it = || words[..phrase.start].iter().chain(&words[phrase.end..]);
        let other = class::THINGS | class::PLACES | class::ORGANISATIONS | class::MACHINES | class::BEFORE;
        let is_other = around_it().any(|word| {
            let found = classes(word);
            found & (class::ASPECT | other) != 0
                && found & (class::NEUTRAL | class::PERSONS) == 0
                && !is_said_of(phrase.meaning.kind, word)
        });
        let is_meant = match phrase.meaning.strength {
            Strength::Sure => phrase.glued_from.is_none() || phrase.end - phrase.start == words.len(),
            _ if speaks_of_people => true,
            // `Gross amount` of an order is nobody's pay.
            Strength::Work => words.len() <= 3 && around.words & class::WORK != 0 && around.of_people(),
            Strength::Vehicle => words.len() <= 3 && around.words & class::VEHICLES != 0,
            Strength::Beside => false,
            Strength::Person => words.len() <= 3 && person_is_meant(&phrase.meaning, around),
        };
        let counts = words.len() > 1 || phrase.meaning.strength == Strength::Sure;
        (counts && is_meant && !is_other && fits(&phrase.meaning, column)).then(|| Finding {
            reason: format!("{BY_COMMENT} `{}`", phrase.text(&words)),
            confidence: 0.7,
            kind: phrase.meaning.kind,
        })
    })
}
