//! What the values of a column give away, where its name didn't.
//!
//! The forms that nothing else has come first (e-mail, IBAN, keys), then numbers with check digits, telephone numbers,
//! then what needs to know whether people are meant: days of birth, names, streets, places. Last comes free text of which a
//! share of the rows holds something. Invariant: a column is judged by shares of its different values, never by one.

use catalog::{Column, Table, TypeClass};

use crate::birth_dates;
use crate::context::About;
use crate::finding::{Finding, PersonalKind};
use crate::forms::Form;
use crate::national::{self, Text};
use crate::people::{self, Names};
use crate::phones::{self, Written};
use crate::revealing::Revealed;
use crate::structure::{Surroundings, surroundings};
use crate::tokens;
use crate::vocabulary::{class, classes};
use crate::words::folded_words;

/// Forms that nothing else has, with how many values must have one before it is believed.
const FORMS: [(Form, PersonalKind, usize); 4] = [
    (Form::Email, PersonalKind::Email, 1),
    (Form::Iban, PersonalKind::BankAccount, 1),
    (Form::CardNumber, PersonalKind::Card, 3),
    (Form::PasswordHash, PersonalKind::Credential, 1),
];
/// Share of the different values that must have such a form.
const SHARE: f64 = 0.2;
/// Share of long numbers that must pass for cards: of others a tenth does.
const SHARE_OF_BARE_CARDS: f64 = 0.7;
/// Share of values of which each holds something personal among other words, in few values and in many.
const SHARE_OF_FEW_TEXTS: f64 = 0.5;
const SHARE_OF_TEXTS: f64 = 0.1;
const MANY_TEXTS: usize = 20;
/// How improbable it must be that as many pass by chance.
const IMPROBABLE: f64 = 1e-6;

/// A column with what is known around it.
struct Judged<'c, 'v> {
    column: &'c Column,
    words: Vec<String>,
    around: Surroundings,
    /// Different, without blanks around them, none empty.
    values: Vec<&'v str>,
}

/// Why the values must not be kept; `None` where nothing was found.
pub(crate) fn finding<'v>(table: &Table, column: &Column, values: impl Iterator<Item = &'v str>) -> Option<Finding> {
    let values: Vec<&str> = values.map(str::trim).filter(|value| !value.is_empty()).collect();
    if values.is_empty() || column.type_class == TypeClass::Boolean {
        return None;
    }
    let judged = Judged { column, words: folded_words(&column.name), around: surroundings(table), values };
    if column.type_class.is_temporal() {
        return judged.birth_dates();
    }
    judged
        .forms()
        .or_else(|| judged.secrets())
        .or_else(|| judged.national_numbers())
        .or_else(|| judged.phones())
        .or_else(|| judged.birth_dates())
        .or_else(|| judged.networks_and_places())
        .or_else(|| judged.names())
        .or_else(|| judged.streets())
        .or_else(|| judged.texts())
}

fn found(reason: String, confidence: f64, kind: PersonalKind) -> Option<Finding> {
    Some(Finding { reason, confidence, kind })
}

fn looks_like(kind: PersonalKind, confidence: f64) -> Option<Finding> {
    found(format!("values look like {}", kind.in_words()), confidence, kind)
}

impl Judged<'_, '_> {
    fn share_of(&self, matches: impl Fn(&str) -> bool) -> f64 {
        let count = self.values.iter().filter(|value| matches(value)).count();
        count as f64 / self.values.len() as f64
    }

    /// Whether the column's own name says that something else is meant.
    fn is_named_otherwise(&self, other: u16) -> bool {
        let roles = self.words.iter().map(|word| classes(word));
        let roles = roles.fold(0, |all, role| all | role);
        roles & other != 0 && roles & class::PERSONS == 0
    }

    fn forms(&self) -> Option<Finding> {
        FORMS.iter().find_map(|(form, kind, least)| {
            let count = self.values.iter().filter(|value| form.matches(value)).count();
            let bare = self.values.iter().filter(|value| is_whole_number(value)).count();
            let are_bare = *form == Form::CardNumber && bare * 2 > self.values.len();
            let share = if are_bare { SHARE_OF_BARE_CARDS } else { SHARE };
            let enough = count >= *least && count as f64 >= share * self.values.len() as f64;
            if enough { looks_like(*kind, 0.9) } else { None }
        })
    }

    fn secrets(&self) -> Option<Finding> {
        let near_people = self.around.of_people() || self.around.has_password;
        let kind = tokens::kind(&self.words, &self.values, near_people)?;
        let confidence = if kind == tokens::Kind::Digest { 0.6 } else { 0.7 };
        looks_like(PersonalKind::Credential, confidence)
    }

    fn national_numbers(&self) -> Option<Finding> {
        let texts: Vec<Text> = self.values.iter().filter_map(|value| Text::of(value)).collect();
        if texts.len() < 3 || texts.len() * 2 < self.values.len() {
            return None;
        }
        let mut forms = national::TELLING.to_vec();
        let are_people = self.around.of_people() || self.around.refers_to_people;
        if are_people && !matches!(self.around.about, About::Organisations) {
            forms.extend_from_slice(national::OF_PEOPLE);
        }
        let all = self.values.len() as f64;
        let form = forms.iter().find(|form| {
            let passed = texts.iter().filter(|text| (form.matches)(text)).count();
            let by_chance = form.chance.powi(passed as i32);
            passed as f64 >= 0.8 * all && passed >= 3 && by_chance < IMPROBABLE
        })?;
        found(format!("values look like {}", form.name), 0.85, PersonalKind::NationalId)
    }

    fn phones(&self) -> Option<Finding> {
        let is_other = class::MACHINES | class::PLACES | class::THINGS;
        let written = phones::written(self.values.iter().copied())?;
        let believed = match written {
            Written::Abroad => true,
            Written::AtHome => !self.column.type_class.is_numeric(),
            // Keys and amounts fit plans as well.
            Written::AsIfAtHome | Written::Bare => {
                self.around.of_people()
                    && !self.is_named_otherwise(is_other)
                    && !self.words.iter().any(|word| is_of_keys(word) || classes(word) & class::ASPECT != 0)
            }
        };
        if believed { looks_like(PersonalKind::Phone, if written == Written::Bare { 0.6 } else { 0.85 }) } else { None }
    }

    fn birth_dates(&self) -> Option<Finding> {
        let people = self.around.about == About::People || self.around.has_people;
        let refers = self.around.about == About::OfPeople || self.around.refers_to_people;
        if !(people || refers) || self.words.iter().any(|word| birth_dates::is_of_another_day(word)) {
            return None;
        }
        if birth_dates::are_likely(&self.values, people) { looks_like(PersonalKind::BirthDate, 0.6) } else { None }
    }

    fn networks_and_places(&self) -> Option<Finding> {
        let machines = matches!(self.around.about, About::Machines | About::Places);
        if !machines && self.share_of(tokens::is_address_of_network) >= 0.8 {
            let named_so = self.words.iter().any(|word| word == "version" || word == "release");
            return if named_so { None } else { looks_like(PersonalKind::Device, 0.7) };
        }
        let of_people = self.around.of_people() || self.around.refers_to_people;
        if of_people && !machines && self.share_of(tokens::is_pair_of_coordinates) >= 0.8 {
            return looks_like(PersonalKind::Location, 0.7);
        }
        let medical = self.around.of_people() && self.values.len() >= 4 && self.share_of(tokens::is_diagnosis) >= 0.9;
        if medical { looks_like(PersonalKind::Health, 0.6) } else { None }
    }

    fn names(&self) -> Option<Finding> {
        let is_other = class::PLACES | class::ORGANISATIONS | class::PUBLIC | class::THINGS | class::MACHINES;
        if self.column.type_class.is_numeric() || self.is_named_otherwise(is_other) {
            return None;
        }
        let names = Names::of(self.values.iter().copied());
        let (people, about) = (self.around.of_people() || self.around.refers_to_people, self.around.about);
        let elsewhere = matches!(about, About::Places | About::Public | About::Organisations);
        let bare = matches!(self.words.last().map(String::as_str), Some("name" | "title" | "label"));
        let believed = match (people, elsewhere && bare) {
            (_, true) => false,
            (true, _) => names.are_full() || names.are_likely(),
            (false, _) => names.are_full() || about == About::Unknown && names.are_single(),
        };
        if believed { looks_like(PersonalKind::Name, 0.7) } else { None }
    }

    fn streets(&self) -> Option<Finding> {
        let elsewhere = matches!(self.around.about, About::Places | About::Organisations);
        if elsewhere || self.column.type_class.is_numeric() || self.values.len() < 3 {
            return None;
        }
        if self.share_of(people::is_street) >= 0.5 { looks_like(PersonalKind::Address, 0.75) } else { None }
    }

    fn texts(&self) -> Option<Finding> {
        if self.column.type_class.is_numeric() {
            return None;
        }
        let revealed = |value: &str| {
            // A bare number is a card only among others of the kind, which the forms are counted for.
            if is_whole_number(value) {
                return None;
            }
            Revealed::in_text(value).map(Revealed::in_words).or_else(|| {
                let is_text = value.len() >= 15 && value.contains(' ');
                match () {
                    () if is_text && phones::in_text(value) => Some("phone numbers"),
                    () if is_text && value.len() >= 30 && people::named_in_text(value) => Some("names of people"),
                    () => None,
                }
            })
        };
        let held: Vec<&str> = self.values.iter().filter_map(|value| revealed(value)).collect();
        let many = self.values.len() >= MANY_TEXTS;
        let share = if many { SHARE_OF_TEXTS } else { SHARE_OF_FEW_TEXTS };
        let enough = !held.is_empty() && held.len() as f64 >= share * self.values.len() as f64;
        let what = held.last().filter(|_| enough)?;
        // Names alone are in every text about books and films.
        let only_names = held.iter().all(|what| *what == "names of people");
        if only_names && !(self.around.of_people() || self.around.refers_to_people) {
            return None;
        }
        found(format!("values hold {what}"), 0.7, PersonalKind::FreeText)
    }
}

fn is_of_keys(word: &str) -> bool {
    matches!(word, "id" | "key" | "fk" | "code" | "amount" | "total" | "price" | "balance" | "qty" | "seq")
}

pub(crate) fn is_whole_number(value: &str) -> bool {
    !value.is_empty() && value.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit())
}
