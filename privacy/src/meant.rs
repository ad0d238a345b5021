//! Whether a phrase still means what it does among the words around it, and in this table.
//!
//! Invariant: a phrase is judged by words, types and what is known of the table, by nothing else.

use catalog::{Column, TypeClass};

use crate::context::About;
use crate::finding::PersonalKind;
use crate::phrases::Phrase;
use crate::surroundings::Surroundings;
use crate::vocabulary::{Classes, Meaning, Strength, class, classes, is_said_of};

/// Behind anything but pay, these make a sum of money of it.
const SUMS: [&str; 20] = [
    "amount", "amt", "betrag", "bruto", "brutto", "cents", "chf", "eur", "euro", "euros", "gbp", "importe", "importo",
    "kwota", "montant", "netto", "pln", "revenue", "umsatz", "usd",
];

/// Whether a column of that type can hold such a thing.
pub(crate) fn fits(meaning: &Meaning, column: &Column) -> bool {
    if !column.enum_values.is_empty()
        && !matches!(meaning.kind, PersonalKind::Belief | PersonalKind::Health | PersonalKind::Pay)
    {
        return false;
    }
    match column.type_class {
        TypeClass::Date | TypeClass::Timestamp if matches!(meaning.kind, PersonalKind::Health) => true,
        TypeClass::Boolean => matches!(meaning.kind, PersonalKind::Health | PersonalKind::Belief),
        TypeClass::Date | TypeClass::Time | TypeClass::Timestamp => meaning.date,
        TypeClass::Integer | TypeClass::Real => meaning.number,
        TypeClass::Uuid => meaning.kind == PersonalKind::Credential,
        TypeClass::Text | TypeClass::Binary | TypeClass::Json | TypeClass::Other => true,
    }
}

/// Whether the words around a phrase, and the table, leave it what it is.
pub(crate) fn holds(phrase: &Phrase, words: &[String], around: &Surroundings) -> bool {
    let (before, after) = (&words[..phrase.start], &words[phrase.end..]);
    let meaning = &phrase.meaning;
    let kind = meaning.kind;
    let of_nature = matches!(kind, PersonalKind::Health | PersonalKind::Belief);
    let has_own_words = of_nature || matches!(kind, PersonalKind::Image | PersonalKind::Online);
    let is_said = |word: &String| has_own_words && is_said_of(kind, word);
    if before.iter().any(|word| spoils_before(kind, word) && !is_said(word)) {
        return false;
    }
    // `num_emails` counts them.
    let last = &words[phrase.end - 1];
    let counted = before.iter().any(|word| matches!(word.as_str(), "num" | "number" | "no" | "nr" | "count" | "n"));
    if counted && last.ends_with('s') && last.len() > 4 && after.is_empty() {
        return false;
    }
    // The number of an address is a key; that of a street is a house's.
    let is_key = |word: &String| matches!(word.as_str(), "no" | "nr" | "num" | "number");
    if kind == PersonalKind::Address && last.starts_with("ad") && after.first().is_some_and(is_key) {
        return false;
    }
    // The key of a council tax is nobody's number.
    let whose = class::NEUTRAL | class::PERSONS | class::ORGANISATIONS;
    let is_of_nobody = |word: &String| word.len() > 1 && classes(word) & whose == 0;
    if kind == PersonalKind::NationalId && words[phrase.start] == "tax" && before.iter().any(is_of_nobody) {
        return false;
    }
    // What was paid with a card is no card.
    if kind != PersonalKind::Pay && after.iter().any(|word| SUMS.contains(&word.as_str())) {
        return false;
    }
    let mut person_follows = false;
    for word in after {
        let role = if word.bytes().all(|byte| byte.is_ascii_digit()) { class::NEUTRAL } else { classes(word) };
        let is_person = role & class::PERSONS != 0;
        person_follows |= is_person;
        // Numbers of documents are often called ids.
        let is_number = kind == PersonalKind::NationalId && word == "id"
            || kind == PersonalKind::BirthDate && matches!(word.as_str(), "dt" | "date" | "dat" | "datum" | "day");
        if is_number || role & class::NEUTRAL != 0 && role & class::ASPECT == 0 || is_person {
            continue;
        }
        if is_said_of(kind, word) {
            continue;
        }
        let may_follow = meaning.first || around.is_of_one_person && meaning.strength == Strength::Sure;
        if role & (class::ASPECT | class::THINGS) != 0 || !may_follow {
            return false;
        }
        if kind == PersonalKind::Address && role & (class::PLACES | class::ORGANISATIONS | class::MACHINES) != 0 {
            return false;
        }
    }
    match meaning.strength {
        Strength::Sure => sure_here(phrase, around),
        Strength::Person => {
            let nearest = before.last().map_or(0, |word| classes(word));
            if nearest & class::PERSONS != 0 && nearest & class::THINGS == 0 || person_follows {
                return around.about != About::Machines;
            }
            let harmless = class::NEUTRAL | class::PERSONS | class::ABOUT;
            let unknown = |found: Classes| around.is_of_one_person && found == 0;
            let stays = before.iter().all(|word| {
                let found = classes(word);
                let is_any = kind == PersonalKind::FreeText && found == 0;
                word.len() == 1 || found & harmless != 0 || unknown(found) || is_any || is_said(word)
            });
            let is_bare = before.is_empty() || kind != PersonalKind::Name;
            stays && is_bare && !is_of_business(kind, around) && person_is_meant(meaning, around)
        }
        Strength::Vehicle => around.words & class::VEHICLES != 0 && around.about != About::Machines,
        Strength::Work => {
            let is_work = around.words & class::WORK != 0 && around.of_people() && !around.is_lookup;
            is_work && !is_of_business(kind, around)
        }
        Strength::Beside => false,
    }
}

/// Whether amounts are those of a bill, and accounts those of bookkeeping.
fn is_of_business(kind: PersonalKind, around: &Surroundings) -> bool {
    match kind {
        PersonalKind::Pay => around.is_of_bills,
        PersonalKind::BankAccount => around.is_of_books,
        _ => false,
    }
}

fn spoils_before(kind: PersonalKind, word: &str) -> bool {
    let role: Classes = classes(word);
    if role & class::BEFORE != 0 && !(kind == PersonalKind::Pay && role & class::OVER_MANY == 0) {
        return role & class::PERSONS == 0;
    }
    match kind {
        PersonalKind::Address => {
            role & (class::MACHINES | class::PLACES | class::ORGANISATIONS | class::GLUED_ELSEWHERE) != 0
                && role & class::PERSONS == 0
                || matches!(word, "email" | "mail")
        }
        PersonalKind::Pay => role & class::OVER_MANY != 0,
        PersonalKind::BankAccount => matches!(word, "gl" | "ledger" | "sach" | "cost" | "general"),
        PersonalKind::Device => {
            role & (class::MACHINES | class::THINGS) != 0
                && !matches!(
                    word,
                    "ip" | "remote" | "peer" | "device" | "mac" | "host" | "web" | "app" | "vehicle" | "car"
                )
        }
        _ => false,
    }
}

/// Whether something that is personal nearly everywhere is so in this table.
fn sure_here(phrase: &Phrase, around: &Surroundings) -> bool {
    match phrase.meaning.kind {
        PersonalKind::Address => !matches!(around.about, About::Places | About::Organisations | About::Machines),
        PersonalKind::Device => around.about != About::Machines,
        PersonalKind::Health | PersonalKind::Belief => {
            !around.is_lookup && !matches!(around.about, About::Things | About::Places)
                || around.refers_to_people
                || around.has_people
        }
        PersonalKind::Pay => !around.is_lookup || around.has_people,
        PersonalKind::Image | PersonalKind::Online => {
            !matches!(around.about, About::Organisations | About::Machines) || around.has_people
        }
        _ => true,
    }
}

/// Whether what needs a person has one in this table.
pub(crate) fn person_is_meant(meaning: &Meaning, around: &Surroundings) -> bool {
    let of_people = around.of_people();
    match meaning.kind {
        // A list of bookings has names of other things as well, and a supplier with a contact person has its own name.
        PersonalKind::Name => {
            let of_others = matches!(around.about, About::Things | About::Organisations | About::Places);
            around.about == About::People || around.has_people && !of_others
        }
        PersonalKind::Address => {
            let a_person = around.about == About::People || around.has_people || around.is_of_one_person;
            let elsewhere = matches!(around.about, About::Places | About::Organisations | About::Machines);
            a_person || around.has_street && !elsewhere
        }
        PersonalKind::Location => {
            let elsewhere = matches!(around.about, About::Places | About::Organisations | About::Machines);
            // Where somebody's post or picture was made, that person was.
            let of_things = around.about == About::Things && !around.refers_to_people;
            (of_people || around.refers_to_people) && !elsewhere && !of_things
        }
        PersonalKind::Image | PersonalKind::Online => {
            of_people && !matches!(around.about, About::Things | About::Places | About::Organisations)
        }
        PersonalKind::Device => of_people || around.refers_to_people,
        PersonalKind::Pay | PersonalKind::BankAccount | PersonalKind::Card | PersonalKind::NationalId => {
            of_people
                || around.refers_to_people
                || around.about == About::Organisations && meaning.kind != PersonalKind::Pay
        }
        PersonalKind::Health | PersonalKind::Belief => {
            (of_people || around.refers_to_people) && around.about != About::Things && !around.is_lookup
        }
        PersonalKind::BirthDate => of_people,
        _ => of_people || around.about == About::Public || around.refers_to_people,
    }
}
