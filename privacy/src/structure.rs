//! What the structure of a table gives away: names, types, comments, neighbours.
//!
//! A name is searched for phrases that mean something personal, the longest first; the words around a phrase then say
//! whether it still means that. `email` is one, `email_template_id` is a key, `is_email_verified` a flag. Some phrases
//! are personal only where a person is meant: the `name` of a patient, not that of a product. So every column is looked at
//! by itself first, and those that were left once more with what the others said of the table.
//!
//! Invariant: no regular expression and no value; what is said of a table depends on nothing but the table.

use catalog::{Column, Table, TypeClass};

use crate::context::{self, About};
use crate::finding::{Finding, PersonalKind};
use crate::vocabulary::{Classes, Meaning, Strength, class, classes, meaning, meaning_beside, written_out};
use crate::words::{folded_words, key, key_of};

pub(crate) const BY_NAME: &str = "name matches";
pub(crate) const BY_COMMENT: &str = "comment speaks of";
pub(crate) const BY_NEIGHBOURS: &str = "stands beside";

/// Words of the longest phrase: `fecha de nacimiento del` is three and one to spare.
const LONGEST_PHRASE: usize = 5;
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

/// What is known of a table while its columns are judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    pub(crate) about: About,
    /// Columns that only people have stand in it.
    pub(crate) has_people: bool,
    /// It refers to people by a key.
    pub(crate) refers_to_people: bool,
    /// A street stands in it.
    has_street: bool,
    /// A password stands in it.
    pub(crate) has_password: bool,
    /// Several columns are about one person.
    is_of_one_person: bool,
    /// It lists what others refer to, and says nothing of anybody.
    is_lookup: bool,
    /// What the words of its name and its columns do, cars and work among them.
    words: Classes,
}

impl Surroundings {
    /// Whether people are meant in it.
    pub(crate) fn of_people(&self) -> bool {
        self.about.concerns_people() || self.has_people
    }
}

/// What is found of each column, in the table's order.
pub(crate) fn findings(table: &Table) -> Vec<Option<Finding>> {
    judged(table).0
}

/// What is known of the table besides.
pub(crate) fn surroundings(table: &Table) -> Surroundings {
    judged(table).1
}

fn judged(table: &Table) -> (Vec<Option<Finding>>, Surroundings) {
    let prefix = table.column_prefix();
    let words: Vec<Vec<String>> = table.columns.iter().map(|column| folded_words(&column.name)).collect();
    let mut around = Surroundings {
        about: context::of_table(table),
        has_people: false,
        refers_to_people: words.iter().any(|words| refers_to_a_person(words)),
        has_street: false,
        has_password: false,
        is_of_one_person: false,
        is_lookup: false,
        words: of_words(table, &words),
    };
    around.refers_to_people |= table.foreign_keys.iter().any(|key| context::is_of_people(&key.ref_table.name));
    around.is_lookup = is_lookup(table, &around);
    let judge = |column: &Column, words: &[String], around: &Surroundings| {
        if is_reference(table, column) {
            return None;
        }
        by_name(column, words, around)
            .or_else(|| {
                let rest = column.name.strip_prefix(prefix?)?;
                by_name(column, &folded_words(rest), around)
            })
            .or_else(|| by_comment(column, around))
    };
    let mut found: Vec<Option<Finding>> =
        table.columns.iter().zip(&words).map(|(column, words)| judge(column, words, &around)).collect();
    let has = |kinds: &[PersonalKind]| found.iter().flatten().any(|found| kinds.contains(&found.kind));
    around.has_people = around.about != About::Public
        && has(&[PersonalKind::BirthDate, PersonalKind::NationalId, PersonalKind::Name, PersonalKind::Credential]);
    let kinds = [PersonalKind::Name, PersonalKind::BirthDate, PersonalKind::NationalId, PersonalKind::Email];
    let more = [PersonalKind::Phone, PersonalKind::Address, PersonalKind::Credential];
    let different = kinds.iter().chain(&more).filter(|kind| has(&[**kind])).count();
    let others = matches!(around.about, About::Organisations | About::Places | About::Things | About::Public);
    around.is_of_one_person = different >= 2 && !others;
    around.has_street = has(&[PersonalKind::Address]);
    around.has_password = has(&[PersonalKind::Credential]);
    if around.has_people || around.has_street || around.has_password || around.of_people() {
        for ((column, words), found) in table.columns.iter().zip(&words).zip(&mut found) {
            if found.is_none() {
                *found = judge(column, words, &around)
                    .or_else(|| beside_a_password(column, words, &around))
                    .or_else(|| encrypted(column, words, &around));
            }
        }
    }
    (found, around)
}

/// Whether a column is a key that refers to a row elsewhere. One that is a text may still be an e-mail address.
fn is_reference(table: &Table, column: &Column) -> bool {
    let by_number = column.type_class.is_numeric() || column.type_class == TypeClass::Uuid;
    by_number && table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
}

/// What the words of a table and of its columns do.
fn of_words(table: &Table, columns: &[Vec<String>]) -> Classes {
    let of_table = folded_words(&table.id.name);
    let meant = of_table.iter().chain(columns.iter().flatten()).fold(0, |all, word| all | classes(word));
    let of_table = of_table.iter().fold(0, |all, word| all | classes(word));
    meant & (class::VEHICLES | class::WORK) | of_table & class::LOOKUPS
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
    let mut joined = String::new();
    key(&words, &mut joined);
    let singular = joined.strip_suffix('s').unwrap_or(&joined);
    let names_it = [joined.as_str(), singular].into_iter().filter_map(meaning);
    around.words & class::LOOKUPS != 0
        || names_it.into_iter().any(|meaning| matches!(meaning.kind, PersonalKind::Health | PersonalKind::Belief))
}

/// What has been encrypted where people are meant was worth it.
fn encrypted(column: &Column, words: &[String], around: &Surroundings) -> Option<Finding> {
    let [before @ .., last] = words else { return None };
    let is_hidden = matches!(
        last.as_str(),
        "enc" | "encr" | "encrypted" | "crypt" | "crypted" | "cipher" | "ciphertext" | "verschlusselt" | "aes" | "kms"
    ) || matches!(last.as_str(), "tok" | "tokenized" | "pseudo" | "pseudonym");
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
    let confidence = if meaning.strength == Strength::Sure { 0.9 } else { 0.7 };
    Some(Finding { reason: format!("{BY_NAME} `{phrase}`"), confidence, kind: meaning.kind })
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
            _ => speaks_of_people || (words.len() <= 3 && person_is_meant(&phrase.meaning, around)),
        };
        let counts = words.len() > 1 || phrase.meaning.strength == Strength::Sure;
        (counts && is_meant && !is_other && fits(&phrase.meaning, column)).then(|| Finding {
            reason: format!("{BY_COMMENT} `{}`", phrase.text(&words)),
            confidence: 0.7,
            kind: phrase.meaning.kind,
        })
    })
}

/// Words of a name that mean something together.
#[derive(Debug)]
struct Phrase {
    start: usize,
    end: usize,
    /// Where in its only word it begins, for the end of a longer word.
    glued_from: Option<usize>,
    meaning: Meaning,
}

impl Phrase {
    fn text(&self, words: &[String]) -> String {
        match self.glued_from {
            Some(from) => words[self.start][from..].to_owned(),
            None => words[self.start..self.end].join("_"),
        }
    }
}

/// The phrases of a name, the longest first and the last first among these.
fn phrases(words: &[String]) -> Vec<Phrase> {
    let mut found = Vec::new();
    let mut joined = String::new();
    let most = words.len().min(LONGEST_PHRASE);
    for length in (1..=most).rev() {
        for start in (0..=words.len() - length).rev() {
            let end = start + length;
            if words[end - 1].bytes().all(|byte| byte.is_ascii_digit()) && length == 1 {
                continue;
            }
            key(&words[start..end], &mut joined);
            if let Some(meaning) = meaning(&joined) {
                found.push(Phrase { start, end, glued_from: None, meaning });
            }
        }
    }
    // A short word that is written out needs another beside it: `str` alone is a text, `sec` a second.
    if found.is_empty() && words.iter().any(|word| written_out(word).is_some()) {
        let long: Vec<String> =
            words.iter().map(|word| written_out(word).map_or_else(|| word.clone(), str::to_owned)).collect();
        for length in (1..=most).rev() {
            for start in (0..=words.len() - length).rev() {
                let end = start + length;
                if length == 1 && words[start].len() < 4 {
                    continue;
                }
                key(&long[start..end], &mut joined);
                if let Some(meaning) = meaning(&joined) {
                    found.push(Phrase { start, end, glued_from: None, meaning });
                }
            }
        }
    }
    if found.is_empty() {
        found.extend(words.iter().enumerate().rev().filter_map(|(place, word)| glued(place, word)));
    }
    found
}

/// What a long word ends with, as `Kundentelefonnummer` and `custphone` do.
fn glued(place: usize, word: &str) -> Option<Phrase> {
    /// An end of so many letters says enough, whatever stands before.
    const TELLING: usize = 8;
    if word.len() < 7 || !word.is_ascii() {
        return None;
    }
    (2..word.len() - 3).find_map(|from| {
        let meaning = meaning(&key_of(&word[from..]))?;
        let before = &word[..from];
        let stem = before.strip_suffix('s').filter(|stem| stem.len() >= 3).unwrap_or(before);
        let role = classes(before) | classes(stem);
        let elsewhere = class::GLUED_ELSEWHERE | class::MACHINES | class::THINGS | class::ORGANISATIONS | class::PLACES;
        let is_elsewhere = match meaning.kind {
            PersonalKind::Pay => role & class::OVER_MANY != 0,
            _ => role & elsewhere != 0 && role & class::PERSONS == 0,
        };
        let known = role & (class::NEUTRAL | class::PERSONS | class::ABOUT) != 0;
        let long = word.len() - from >= TELLING;
        let sure = meaning.strength == Strength::Sure && (known || long);
        // `Kundenfoto` says whose it is.
        let of_person = meaning.strength == Strength::Person && role & class::PERSONS != 0 && word.len() - from >= 3;
        let says_enough = meaning.compound && !is_elsewhere && (sure || of_person);
        let meaning = Meaning { strength: Strength::Sure, ..meaning };
        says_enough.then_some(Phrase { start: place, end: place + 1, glued_from: Some(from), meaning })
    })
}

/// Whether a column of that type can hold such a thing.
fn fits(meaning: &Meaning, column: &Column) -> bool {
    if !column.enum_values.is_empty() && !matches!(meaning.kind, PersonalKind::Belief | PersonalKind::Health) {
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
fn holds(phrase: &Phrase, words: &[String], around: &Surroundings) -> bool {
    let (before, after) = (&words[..phrase.start], &words[phrase.end..]);
    let meaning = &phrase.meaning;
    let kind = meaning.kind;
    let of_nature = matches!(kind, PersonalKind::Health | PersonalKind::Belief);
    let is_said = |word: &String| of_nature && is_said_of(kind, word);
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
                word.len() == 1 || found & harmless != 0 || unknown(found) || is_said(word)
            });
            let is_bare = before.is_empty() || kind != PersonalKind::Name;
            stays && is_bare && person_is_meant(meaning, around)
        }
        Strength::Vehicle => around.words & class::VEHICLES != 0 && around.about != About::Machines,
        Strength::Work => around.words & class::WORK != 0 && around.of_people() && !around.is_lookup,
        Strength::Beside => false,
    }
}

/// What is said of a thing without making another of it: the path of a portrait, the code of a diagnosis.
fn is_said_of(kind: PersonalKind, word: &str) -> bool {
    match kind {
        PersonalKind::Image => matches!(
            word,
            "path"
                | "url"
                | "uri"
                | "file"
                | "filename"
                | "datei"
                | "pfad"
                | "image"
                | "img"
                | "photo"
                | "page"
                | "link"
                | "blob"
                | "scan"
                | "png"
                | "jpg"
                | "jpeg"
                | "svg"
                | "thumb"
                | "thumbnail"
                | "src"
                | "bin"
                | "bytes"
                | "name"
                | "ruta"
                | "chemin"
                | "fichier"
                | "caminho"
                | "arquivo"
                | "percorso"
                | "sciezka"
                | "plik"
                | "cesta"
                | "soubor"
                | "yol"
                | "yolu"
                | "dosya"
                | "sokvag"
                | "sti"
                | "pad"
                | "bestand"
                | "archivo"
                | "bild"
                | "foto"
                | "tif"
                | "tiff"
                | "key"
                | "object"
                | "obj"
                | "storage"
                | "s3"
                | "polku"
                | "url1"
        ),
        PersonalKind::Online => matches!(
            word,
            "url"
                | "uri"
                | "link"
                | "page"
                | "id"
                | "name"
                | "profile"
                | "profil"
                | "handle"
                | "nick"
                | "tag"
                | "perfil"
                | "profilo"
                | "user"
                | "username"
                | "chat"
                | "path"
        ),
        PersonalKind::Health | PersonalKind::Belief => matches!(
            word,
            "code"
                | "cd"
                | "kod"
                | "kode"
                | "codigo"
                | "codice"
                | "desc"
                | "description"
                | "type"
                | "typ"
                | "tipo"
                | "level"
                | "group"
                | "grp"
                | "class"
                | "grade"
                | "grad"
                | "category"
                | "kategorie"
                | "status"
                | "date"
                | "datum"
                | "days"
                | "tage"
                | "percent"
                | "percentage"
                | "pct"
                | "degree"
                | "reason"
                | "grund"
                | "motivo"
                | "motif"
                | "list"
                | "liste"
                | "history"
                | "score"
                | "months"
                | "month"
                | "count"
                | "has"
                | "is"
                | "had"
                | "was"
                | "flag"
                | "ind"
                | "indicator"
                | "since"
                | "result"
                | "results"
                | "notes"
                | "note"
                | "start"
                | "end"
                | "number"
                | "name"
                | "detail"
                | "details"
                | "info"
                | "remarks"
                | "bemerkung"
                | "stopien"
                | "rate"
                | "weeks"
                | "year"
                | "test"
                | "field"
                | "drug"
                | "known"
                | "active"
                | "total"
                | "num"
                | "declared"
                | "self"
                | "affiliation"
                | "membership"
                | "member"
                | "dues"
                | "date_from"
        ),
        PersonalKind::Pay => {
            matches!(word, "grade" | "level" | "step" | "stufe" | "gruppe" | "group" | "scale" | "class")
        }
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
                && role & (class::PERSONS | class::NEUTRAL) == 0
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
fn person_is_meant(meaning: &Meaning, around: &Surroundings) -> bool {
    let of_people = around.of_people();
    match meaning.kind {
        // A list of bookings has names of other things as well.
        PersonalKind::Name => around.about == About::People || around.has_people && around.about != About::Things,
        PersonalKind::Address => {
            let a_person = around.about == About::People || around.has_people || around.is_of_one_person;
            a_person || around.has_street && of_people
        }
        PersonalKind::Location => {
            (of_people || around.refers_to_people)
                && !matches!(around.about, About::Places | About::Organisations | About::Things | About::Machines)
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
            (of_people || around.refers_to_people && around.about != About::Things) && !around.is_lookup
        }
        PersonalKind::BirthDate => of_people,
        _ => of_people || around.about == About::Public || around.refers_to_people,
    }
}
