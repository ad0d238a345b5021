//! What the values of a column give away, where its name didn't.
//!
//! The forms that nothing else has come first (e-mail, IBAN, keys), then numbers with check digits, telephone numbers,
//! then what needs to know whether people are meant: days of birth, names, streets, places. Last comes free text of which a
//! share of the rows holds something. Invariant: a column is judged by shares of its different values, never by one.

use std::collections::BTreeSet;

use catalog::{Column, Table, TypeClass};

use crate::amounts;
use crate::birth_dates;
use crate::context::About;
use crate::doubtful::{self, Said};
use crate::finding::{Finding, PersonalKind};
use crate::folding::folded_words;
use crate::forms::{Form, is_written_like_iban};
use crate::homes::{self, PostalCodes};
use crate::likeness::{self, ColumnMeasures};
use crate::listed;
use crate::marks;
use crate::national::{self, Text};
use crate::nested;
use crate::people::{self, Names};
use crate::phones::{self, Written};
use crate::revealing::Revealed;
use crate::seen::Seen;
use crate::structure::{self, surroundings};
use crate::surroundings::{Kinds, Surroundings, is_own_number, is_reference};
use crate::tokens;
use crate::vocabulary::{Classes, class, classes};

/// Forms that nothing else has, with how many values must have one before it is believed.
const FORMS: [(Form, PersonalKind, usize); 4] = [
    (Form::Email, PersonalKind::Email, 1),
    (Form::Iban, PersonalKind::BankAccount, 1),
    (Form::CardNumber, PersonalKind::Card, 3),
    (Form::PasswordHash, PersonalKind::Credential, 1),
];
/// Share of the different values that must have such a form.
const SHARE: f64 = 0.2;
/// Share of values that must be written like accounts where their check digits are wrong.
const SHARE_OF_WRITTEN: f64 = 0.9;
/// Share of long numbers that must pass for cards: of others a tenth does.
const SHARE_OF_BARE_CARDS: f64 = 0.7;
/// Share of values of which each holds something personal among other words, in few values and in many.
const SHARE_OF_FEW_TEXTS: f64 = 0.5;
const SHARE_OF_TEXTS: f64 = 0.1;
const MANY_TEXTS: usize = 20;
/// The same where two or more speak of what somebody is ill with.
const SHARE_OF_NATURE: f64 = 0.15;
/// Words for what is known by an identifier of its own.
const OF_DEVICES: &[&str] = &[
    "device",
    "idfa",
    "gaid",
    "aaid",
    "idfv",
    "adid",
    "ad",
    "ads",
    "adv",
    "advertising",
    "install",
    "installation",
    "handset",
    "phone",
    "mobile",
    "visitor",
    "cookie",
    "tracker",
    "tracking",
    "geraet",
    "gerat",
    "handy",
    "dispositivo",
    "appareil",
    "toestel",
    "urzadzenie",
    "enhet",
    "laite",
    "cihaz",
    "zarizeni",
    "anonymous",
    "browser",
    "fingerprint",
    "push",
];
/// How improbable it must be that as many pass by chance.
const IMPROBABLE: f64 = 1e-6;

/// A column with what is known around it.
struct JudgedColumn<'c, 'v> {
    table: &'c Table,
    column: &'c Column,
    words: Vec<String>,
    said: Said,
    around: Surroundings,
    /// Different, without blanks around them, none empty.
    values: Vec<&'v str>,
    different: f64,
}

/// Why the values must not be kept, one for each of `seen`; `None` where nothing was found.
///
/// Each is looked at by itself first. What that says of the table then counts for those that were left, whose names may
/// mean more among people than they did before.
pub(crate) fn findings(table: &Table, seen: &[Seen<'_>]) -> Vec<Option<Finding>> {
    let mut found = by_rules(table, seen);
    let around = surroundings(table).knowing(Kinds::of(found.iter().flatten()));
    for (seen, found) in seen.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        *found = JudgedColumn::of(table, seen, around).and_then(|judged| judged.by_likeness(seen));
    }
    found
}

/// The same without the trained model.
fn by_rules(table: &Table, seen: &[Seen<'_>]) -> Vec<Option<Finding>> {
    let before = surroundings(table);
    let judge = |seen: &Seen<'_>, around: Surroundings| JudgedColumn::of(table, seen, around)?.by_itself();
    let mut found: Vec<Option<Finding>> = seen.iter().map(|seen| judge(seen, before)).collect();
    let around = before.knowing(Kinds::of(found.iter().flatten()));
    if around != before {
        for (seen, found) in seen.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = judge(seen, around)
                .or_else(|| structure::again(table, seen.column, &folded_words(&seen.column.name), &around));
        }
    }
    let around = before.knowing(Kinds::of(found.iter().flatten()));
    for (seen, found) in seen.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        *found = JudgedColumn::of(table, seen, around).and_then(|judged| judged.among_people());
    }
    found
}

/// What `models/personal` learns from: for each column that was read, what is measured of it, and whether it is found without
/// the trained model.
pub fn measured(table: &Table, seen: &[Seen<'_>]) -> Vec<(ColumnMeasures, bool)> {
    let by_structure = structure::findings(table);
    let by_values = by_rules(table, seen);
    let around = surroundings(table).knowing(Kinds::of(by_values.iter().flatten()));
    let of_structure = |seen: &Seen<'_>| {
        let place = table.columns.iter().position(|column| column.name == seen.column.name);
        place.and_then(|place| by_structure.get(place)?.clone())
    };
    let all: Vec<Option<Finding>> =
        seen.iter().zip(by_values).map(|(seen, by_value)| of_structure(seen).or(by_value)).collect();
    let of = |(place, seen): (usize, &Seen<'_>)| {
        let others = all.iter().enumerate().filter(|(other, _)| *other != place);
        let others = Kinds::of(others.filter_map(|(_, found)| found.as_ref()));
        (likeness::measured(table, seen, &around, others), all.get(place).is_some_and(Option::is_some))
    };
    seen.iter().enumerate().map(of).collect()
}

fn found(reason: String, confidence: f64, kind: PersonalKind) -> Option<Finding> {
    Some(Finding { reason, confidence, kind })
}

fn looks_like(kind: PersonalKind, confidence: f64) -> Option<Finding> {
    found(format!("values look like {}", kind.in_words()), confidence, kind)
}

impl<'c, 'v> JudgedColumn<'c, 'v> {
    fn of(table: &'c Table, seen: &Seen<'v>, around: Surroundings) -> Option<Self>
    where
        'v: 'c,
    {
        let values = seen.values.iter().map(|value| value.trim()).filter(|value| !value.is_empty());
        let values: Vec<&str> = values.collect();
        if values.is_empty() || seen.column.type_class == TypeClass::Boolean {
            return None;
        }
        let words = folded_words(&seen.column.name);
        let said = match table.column_prefix().and_then(|prefix| seen.column.name.strip_prefix(prefix)) {
            Some(rest) => doubtful::said(&folded_words(rest)),
            None => doubtful::said(&words),
        };
        Some(Self { table, column: seen.column, said, words, around, values, different: seen.different })
    }

    fn by_itself(&self) -> Option<Finding> {
        if self.column.type_class.is_temporal() {
            return self.birth_dates();
        }
        self.forms()
            .or_else(|| self.secrets())
            .or_else(|| self.national_numbers())
            .or_else(|| self.phones())
            .or_else(|| self.birth_dates())
            .or_else(|| self.networks_and_places())
            .or_else(|| self.marks())
            .or_else(|| self.of_nature())
            .or_else(|| self.names())
            .or_else(|| self.streets())
            .or_else(|| self.nested())
            .or_else(|| self.texts())
    }

    /// Whether rows are told apart by it, here or elsewhere.
    fn is_key(&self) -> bool {
        self.table.primary_key.contains(&self.column.name) || is_reference(self.table, self.column)
    }

    /// What needs to know how personal the table is.
    fn among_people(&self) -> Option<Finding> {
        if self.column.type_class.is_temporal() || self.column.type_class == TypeClass::Uuid || self.is_key() {
            return None;
        }
        let others = matches!(self.around.about, About::Places | About::Organisations | About::Public);
        if self.around.has_street && !others && self.said != Said::Harmless {
            let found = self.part_of_an_address();
            if found.is_some() {
                return found;
            }
        }
        if !self.around.is_personal() || self.said == Said::Harmless {
            return None;
        }
        if marks::are_pictures(&self.values) {
            return looks_like(PersonalKind::Image, 0.6);
        }
        let is_numeric = self.column.type_class.is_numeric();
        if self.different >= 0.5 && marks::are_degrees(&self.values) {
            return looks_like(PersonalKind::Location, 0.6);
        }
        let bare = self.values.iter().filter(|value| value.bytes().any(|byte| byte.is_ascii_alphabetic())).count() == 0;
        // Prices, rents and fees of people lie like that as well.
        let is_of_work = self.around.words & class::WORK != 0;
        let may_be_pay = (is_numeric || bare) && (is_of_work || self.said == Said::Nothing);
        if may_be_pay && amounts::are_like_pay(&self.values, self.different) {
            return found("values lie as pay does, in a table of people".to_owned(), 0.6, PersonalKind::Pay);
        }
        if self.different >= 0.3 && self.share_of(is_told_in_words) >= 0.5 {
            return found("free text in a table of people".to_owned(), 0.6, PersonalKind::FreeText);
        }
        // What is told in words beside a diagnosis, and isn't known to be harmless, is mostly more of the same.
        let is_told = self.values.len() >= 4 && self.share_of(is_word) >= 0.8;
        if self.around.kinds.has(PersonalKind::Health) && self.said == Said::Unknown && is_told {
            return found("unexplained words beside health data".to_owned(), 0.6, PersonalKind::Doubtful);
        }
        // A column of a fixed length was made for codes.
        let declared = self.column.data_type.to_ascii_lowercase();
        let is_for_codes =
            declared.starts_with("char(") || declared.starts_with("nchar(") || declared.starts_with("bpchar(");
        if !is_for_codes && doubtful::are_of_one_person(self.said, &self.values, self.different, is_numeric) {
            let reason = "a table of people, and neither name nor values say that it is something else".to_owned();
            return found(reason, 0.6, PersonalKind::Doubtful);
        }
        None
    }

    /// What all of it together says.
    fn by_likeness(&self, seen: &Seen<'_>) -> Option<Finding> {
        let measured = likeness::measured(self.table, seen, &self.around, self.around.kinds);
        // The model was trained on tables of some rows.
        const FEWEST_ROWS: f64 = 10.0;
        let rows = self.values.len() as f64 / self.different.max(f64::EPSILON);
        let is_own_number = is_own_number(self.table, self.column) && self.different >= 0.9;
        // A sole trader is called by a person's name, but where many are companies, so are the others.
        const COMPANIES: f64 = 0.3;
        let is_told_otherwise = self.share_of(doubtful::is_company) >= COMPANIES
            || self.is_key()
            || is_own_number
            || self.around.is_lookup
            || nested::are_documents(&self.values);
        if is_told_otherwise || rows < FEWEST_ROWS || !likeness::is_likely(&measured) {
            return None;
        }
        found("its name and values are like those of personal columns".to_owned(), 0.6, PersonalKind::Doubtful)
    }

    fn part_of_an_address(&self) -> Option<Finding> {
        let believed = match homes::postal_codes(&self.values) {
            // Customers and rooms are numbered like that as well.
            Some(PostalCodes::Telling) => !self.words.iter().any(|word| is_of_numbers(word)),
            Some(PostalCodes::Plain) => self.said == Said::Nothing,
            None => false,
        };
        if believed {
            return found("values look like postal codes, beside an address".to_owned(), 0.6, PersonalKind::Address);
        }
        let is_house = homes::are_house_numbers(&self.values) && self.said == Said::Nothing;
        let reason = || "values look like numbers of houses, beside an address".to_owned();
        if is_house { found(reason(), 0.6, PersonalKind::Address) } else { None }
    }

    /// Plates of cars, and what is built into phones.
    fn marks(&self) -> Option<Finding> {
        let of_people = self.around.of_people() || self.around.refers_to_people;
        let has_cars = self.around.words & class::VEHICLES != 0
            || self.words.iter().any(|word| classes(word) & class::VEHICLES != 0);
        let is_somebodys = of_people && !matches!(self.around.about, About::Machines | About::Things | About::Places);
        if is_somebodys && marks::are_devices(&self.values) {
            return looks_like(PersonalKind::Device, 0.7);
        }
        let is_told = |word: &String| OF_DEVICES.contains(&word.as_str());
        if is_somebodys && self.words.iter().any(is_told) && marks::are_uuids(&self.values) {
            return looks_like(PersonalKind::Device, 0.6);
        }
        if of_people && (has_cars || self.said != Said::Harmless) && marks::are_vehicles(&self.values) {
            return looks_like(PersonalKind::Device, 0.7);
        }
        let personal = of_people && self.said != Said::Harmless && !matches!(self.around.about, About::Organisations);
        if (has_cars || personal) && self.different >= 0.5 && marks::are_plates(&self.values) {
            let of_cars = has_cars && self.said != Said::Harmless || personal;
            return if of_cars {
                found("values look like plates of cars".to_owned(), 0.7, PersonalKind::NationalId)
            } else {
                None
            };
        }
        None
    }

    /// Blood groups, illnesses, religions and what else the law protects.
    fn of_nature(&self) -> Option<Finding> {
        let of_people = self.around.of_people() || self.around.refers_to_people || self.around.is_personal();
        if !of_people || self.around.is_lookup || self.column.type_class.is_numeric() {
            return None;
        }
        if listed::are_blood_groups(&self.values) {
            return found("values look like blood groups".to_owned(), 0.8, PersonalKind::Health);
        }
        let is_other = class::ORGANISATIONS | class::PLACES;
        let is_public = matches!(self.around.about, About::Public | About::Organisations | About::Places);
        if is_public || self.is_named_otherwise(is_other) {
            return None;
        }
        let (kind, what) = listed::topic(&self.values)?;
        found(format!("values look like {what}"), 0.7, kind)
    }

    fn nested(&self) -> Option<Finding> {
        nested::finding(self.table, self.column, &self.values)
    }

    fn share_of(&self, matches: impl Fn(&str) -> bool) -> f64 {
        let count = self.values.iter().filter(|value| matches(value)).count();
        count as f64 / self.values.len() as f64
    }

    /// Whether the column's own name says that something else is meant.
    fn is_named_otherwise(&self, other: Classes) -> bool {
        let roles = self.words.iter().map(|word| classes(word));
        let roles = roles.fold(0, |all, role| all | role);
        roles & other != 0 && roles & class::PERSONS == 0
    }

    fn forms(&self) -> Option<Finding> {
        FORMS
            .iter()
            .find_map(|(form, kind, least)| {
                let count = self.values.iter().filter(|value| form.matches(value)).count();
                let bare = self.values.iter().filter(|value| is_whole_number(value)).count();
                let are_bare = *form == Form::CardNumber && bare * 2 > self.values.len();
                let share = if are_bare { SHARE_OF_BARE_CARDS } else { SHARE };
                let roles = || self.values.iter().filter(|value| is_of_a_role(value)).count();
                let are_of_nobody = *form == Form::Email && roles() as f64 >= 0.8 * self.values.len() as f64;
                let enough = count >= *least && count as f64 >= share * self.values.len() as f64 && !are_of_nobody;
                if enough { looks_like(*kind, 0.9) } else { None }
            })
            .or_else(|| {
                let are_accounts = self.values.len() >= 3 && self.share_of(is_written_like_iban) >= SHARE_OF_WRITTEN;
                if are_accounts { looks_like(PersonalKind::BankAccount, 0.8) } else { None }
            })
    }

    fn secrets(&self) -> Option<Finding> {
        let near_people = self.around.of_people() || self.around.has_password;
        let kind = tokens::kind(&self.words, &self.values, near_people)?;
        let confidence = if kind == tokens::SecretKind::Digest { 0.6 } else { 0.7 };
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
            // Orders are numbered by year like that, `19-000123`.
            Written::AtHome => {
                let numbers_things =
                    self.is_named_otherwise(class::THINGS) && self.words.iter().any(|word| is_of_numbers(word));
                !self.column.type_class.is_numeric() && !numbers_things
            }
            // Keys and amounts fit plans as well.
            Written::AsIfAtHome | Written::Bare => {
                self.around.of_people()
                    && !self.is_key()
                    && (written != Written::Bare || self.said != Said::Harmless)
                    && !amounts::are_consecutive(&self.values)
                    && self.share_of(doubtful::is_moment) < 0.8
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
        // Shelves and rooms are numbered like that as well, but from few letters, and without points.
        let points = self.share_of(|value| value.contains('.'));
        let letters: BTreeSet<Option<u8>> = self.values.iter().map(|value| value.bytes().next()).collect();
        let is_of_diseases = points >= 0.25 || letters.len() >= 4 && points > 0.0;
        let medical = (of_people || self.around.is_personal()) && self.said != Said::Harmless && !self.around.is_lookup;
        let believed =
            medical && is_of_diseases && self.values.len() >= 3 && self.share_of(tokens::is_diagnosis) >= 0.8;
        if believed { looks_like(PersonalKind::Health, 0.6) } else { None }
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
        let is_of_people = self.around.is_personal() || self.around.refers_to_people;
        let revealed = |value: &str| {
            // A bare number is a card only among others of the kind, which the forms are counted for.
            if is_whole_number(value) || is_of_a_role(value) {
                return None;
            }
            Revealed::in_text(value).or_else(|| {
                let is_text = value.len() >= 15 && value.contains(' ');
                match () {
                    () if is_text && phones::in_text(value) => Some(Revealed::Phone),
                    () if is_text && is_of_people && listed::speaks_of_nature(value) => Some(Revealed::Nature),
                    () if is_text && value.len() >= 30 && people::named_in_text(value) => Some(Revealed::Name),
                    () => None,
                }
            })
        };
        let held: Vec<Revealed> = self.values.iter().filter_map(|value| revealed(value)).collect();
        let many = self.values.len() >= MANY_TEXTS;
        let share = if many { SHARE_OF_TEXTS } else { SHARE_OF_FEW_TEXTS };
        let natures = held.iter().filter(|what| **what == Revealed::Nature).count();
        // Nobody writes of other people's illnesses by chance.
        let speak_of_nature = natures >= 2 && natures as f64 >= SHARE_OF_NATURE * self.values.len() as f64;
        let enough = !held.is_empty() && held.len() as f64 >= share * self.values.len() as f64 || speak_of_nature;
        let what = held.last().filter(|_| enough)?;
        // Names alone are in every text about books and films.
        let only_names = held.iter().all(|what| *what == Revealed::Name);
        if only_names && !(self.around.of_people() || self.around.refers_to_people) {
            return None;
        }
        found(format!("values hold {}", what.in_words()), 0.7, PersonalKind::FreeText)
    }
}

/// Whether nobody in particular answers under that address: `info@`, `support@`.
fn is_of_a_role(address: &str) -> bool {
    const ROLES: &[&str] = &[
        "info",
        "support",
        "sales",
        "office",
        "contact",
        "kontakt",
        "contacto",
        "contato",
        "contatto",
        "hello",
        "admin",
        "noreply",
        "no-reply",
        "donotreply",
        "service",
        "help",
        "helpdesk",
        "billing",
        "accounts",
        "orders",
        "marketing",
        "hr",
        "jobs",
        "press",
        "mail",
        "post",
        "postmaster",
        "webmaster",
        "team",
        "zentrale",
        "verwaltung",
        "buchhaltung",
        "vertrieb",
        "einkauf",
        "ventas",
        "vendas",
        "vendite",
        "accueil",
        "biuro",
        "recepcja",
        "reception",
        "empfang",
        "secretariat",
        "sekretariat",
        "it",
        "newsletter",
        "shop",
        "privacy",
        "legal",
        "security",
    ];
    let Some((local, _)) = address.split_once('@') else { return false };
    let local = local.to_ascii_lowercase();
    ROLES.contains(&local.split(['+', '.']).next().unwrap_or_default())
}

/// Whether somebody has written a few words, rather than chosen one.
fn is_told_in_words(value: &str) -> bool {
    value.len() >= 15 && value.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count() >= 3
}

/// Whether it is no code: longer, and mostly letters.
fn is_word(value: &str) -> bool {
    let (letters, all) = (value.chars().filter(|character| character.is_alphabetic()).count(), value.chars().count());
    all >= 5 && letters * 2 > all && value.chars().any(char::is_lowercase)
}

/// Whether a word says that something is numbered.
fn is_of_numbers(word: &str) -> bool {
    matches!(word, "no" | "nr" | "num" | "number" | "ref" | "reference" | "id" | "code" | "numero" | "nummer")
}

fn is_of_keys(word: &str) -> bool {
    matches!(
        word,
        "id" | "key" | "fk" | "code" | "cd" | "cod" | "kod" | "amount" | "total" | "price" | "balance" | "qty" | "seq"
    )
}

pub(crate) fn is_whole_number(value: &str) -> bool {
    !value.is_empty() && value.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit())
}
