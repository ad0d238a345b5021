//! What is known of a table while its columns are judged: whom it is about, and what was found in it so far.

use catalog::{Column, Table, TypeClass};

use crate::context::About;
use crate::finding::{Finding, PersonalKind};
use crate::folding::folded_words;
use crate::vocabulary::{Classes, class};

/// What is known of a table while its columns are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    pub(crate) about: About,
    /// Columns that only people have stand in it.
    pub(crate) has_people: bool,
    /// It refers to people by a key.
    pub(crate) refers_to_people: bool,
    /// A street stands in it.
    pub(crate) has_street: bool,
    /// A password stands in it.
    pub(crate) has_password: bool,
    /// Several columns are about one person.
    pub(crate) is_of_one_person: bool,
    /// It lists what others refer to, and says nothing of anybody.
    pub(crate) is_lookup: bool,
    /// Its amounts are those of bills: a tax on what is sold, a discount, a due date stand beside them.
    pub(crate) is_of_bills: bool,
    /// Its accounts are those of bookkeeping.
    pub(crate) is_of_books: bool,
    /// What the words of its name do, cars and work among them.
    pub(crate) words: Classes,
    /// The kinds of what was found in it.
    pub(crate) kinds: Kinds,
}

/// What kinds of things were found, and in how many columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    set: u32,
    columns: usize,
}

impl Kinds {
    pub(crate) fn of<'f>(found: impl Iterator<Item = &'f Finding>) -> Self {
        found.fold(Self::default(), |kinds, found| Self {
            set: kinds.set | 1 << found.kind as u32,
            columns: kinds.columns + 1,
        })
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Self { set: self.set | other.set, columns: self.columns + other.columns }
    }

    /// How many columns there are.
    pub(crate) fn columns(self) -> usize {
        self.columns
    }

    /// The numbers of the kinds.
    pub(crate) fn each(self) -> impl Iterator<Item = u32> {
        (0..u32::BITS).filter(move |kind| self.set & 1 << kind != 0)
    }

    pub(crate) fn has(self, kind: PersonalKind) -> bool {
        self.set & 1 << kind as u32 != 0
    }

    fn among(self, kinds: &[PersonalKind]) -> usize {
        kinds.iter().filter(|kind| self.has(**kind)).count()
    }
}

impl Surroundings {
    /// Whether people are meant in it.
    pub(crate) fn of_people(&self) -> bool {
        self.about.concerns_people() || self.has_people
    }

    /// Whether its rows are people, or so much stands in it about one that most of the rest is about them as well.
    pub(crate) fn is_personal(&self) -> bool {
        match self.about {
            About::People => !self.is_lookup,
            About::OfPeople => self.is_of_one_person || self.has_people || self.tells_of_nature(),
            About::Unknown => {
                self.is_of_one_person || self.has_people && self.kinds.columns >= 2 || self.tells_of_nature()
            }
            // `voter_file` and `unit_members` end in what they aren't about.
            About::Public | About::Places | About::Organisations | About::Machines | About::Things => {
                self.is_described()
            }
        }
    }

    /// Whether somebody's health or belief stands in it.
    fn tells_of_nature(&self) -> bool {
        use PersonalKind::{Belief, Health};
        !self.is_lookup && self.kinds.among(&[Health, Belief]) > 0
    }

    /// Whether somebody is named in it, and so exactly that it must be about them, whatever it is called.
    fn is_described(&self) -> bool {
        use PersonalKind::{Address, BirthDate, Health, Name, NationalId};
        let exactly = self.kinds.among(&[BirthDate, NationalId]) > 0;
        self.kinds.has(Name) && exactly && self.kinds.among(&[Name, BirthDate, NationalId, Address, Health]) >= 2
    }

    /// The same with more known of what stands in it.
    pub(crate) fn knowing(mut self, more: Kinds) -> Self {
        use PersonalKind::{Address, BirthDate, Credential, Email, Name, NationalId, Phone};
        self.kinds = self.kinds.with(more);
        let kinds = self.kinds;
        // Machines and programs have passwords, too.
        let somebodys_password = kinds.has(Credential) && self.words & class::PERSONS != 0;
        self.has_people =
            self.about != About::Public && (kinds.among(&[BirthDate, NationalId, Name]) > 0 || somebodys_password);
        let different = kinds.among(&[Name, BirthDate, NationalId, Email, Phone, Address, Credential]);
        let others = matches!(self.about, About::Organisations | About::Places | About::Things | About::Public);
        self.is_of_one_person = different >= 2 && !others || self.is_described();
        self.has_street = kinds.has(Address);
        self.has_password = kinds.has(Credential);
        self
    }
}

/// Words of what is sold and billed, which no payslip has.
const BILLS: [&str; 34] = [
    "mwst",
    "ust",
    "mehrwertsteuer",
    "umsatzsteuer",
    "vat",
    "iva",
    "tva",
    "moms",
    "btw",
    "gst",
    "rabatt",
    "rabat",
    "discount",
    "descuento",
    "remise",
    "sconto",
    "korting",
    "skonto",
    "rebate",
    "fallig",
    "faellig",
    "falligkeit",
    "faelligkeit",
    "due",
    "invoice",
    "rechnung",
    "renr",
    "rechnr",
    "factura",
    "facture",
    "fattura",
    "faktura",
    "shipping",
    "freight",
];
/// Words of bookkeeping.
const BOOKS: [&str; 27] = [
    "beleg",
    "belegnr",
    "belegdat",
    "belegdatum",
    "buchung",
    "buchungen",
    "buchungstext",
    "gegenkonto",
    "sollkonto",
    "habenkonto",
    "soll",
    "haben",
    "sh",
    "kostenstelle",
    "kst",
    "debit",
    "credit",
    "journal",
    "voucher",
    "ledger",
    "posting",
    "postings",
    "budget",
    "fibu",
    "gl",
    "kontenplan",
    "asiento",
];
/// Words of what says of an account no more than what it is called.
const LABELS: [&str; 17] = [
    "bez",
    "bezeichnung",
    "label",
    "text",
    "description",
    "descr",
    "desc",
    "typ",
    "type",
    "art",
    "kind",
    "gruppe",
    "group",
    "klasse",
    "class",
    "category",
    "kategorie",
];

/// Whether a table's amounts are those of bills, and whether its accounts are those of bookkeeping, by the words of its name and
/// of its columns.
pub(crate) fn billed_and_booked(table: &[String], columns: &[Vec<String>]) -> (bool, bool) {
    let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let is_billed = columns.iter().any(|words| has(words, &BILLS));
    let is_label = |words: &&Vec<String>| words.iter().all(|word| LABELS.contains(&word.as_str()));
    let others = columns.iter().filter(|words| !is_label(words)).count();
    let is_plan_of_accounts = columns.len() > 1 && others <= 1;
    let is_booked = has(table, &BOOKS) || columns.iter().any(|words| has(words, &BOOKS)) || is_plan_of_accounts;
    (is_billed, is_booked)
}

/// Whether a column is a key that refers to a row elsewhere. One that is a text may still be an e-mail address, if it isn't
/// called a key.
pub(crate) fn is_reference(table: &Table, column: &Column) -> bool {
    let by_number = column.type_class.is_numeric() || column.type_class == TypeClass::Uuid;
    (by_number || is_called_a_key(&folded_words(&column.name)))
        && table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
}

/// Whether a number is called by its own table, as its key is: `pers_no` of `person`, `cust_nr` of `customers`.
pub(crate) fn is_own_number(table: &Table, column: &Column) -> bool {
    /// Shorter beginnings of a name say nothing.
    const LEAST: usize = 3;
    let words = folded_words(&column.name);
    let Some((last, stem)) = words.split_last() else { return false };
    let is_number = matches!(last.as_str(), "no" | "nr" | "num" | "number" | "nummer" | "id");
    let (stem, table) = (stem.concat(), folded_words(&table.id.name));
    let is_own = stem.len() >= LEAST && table.iter().any(|word| word.starts_with(&stem));
    column.type_class.is_numeric() && is_number && is_own
}

/// Whether a name says that it is one of a row.
pub(crate) fn is_called_a_key(words: &[String]) -> bool {
    words.last().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "guid" | "fk"))
}

#[cfg(test)]
mod tests {
    use catalog::{Column, Table, TableId};

    use super::is_own_number;

    #[test]
    fn a_number_that_is_called_by_its_table_is_its_key() {
        for (table, column, data_type, is_own) in [
            ("person", "pers_no", "INTEGER", true),
            ("customers", "CustNr", "INTEGER", true),
            ("employees", "employee_number", "INTEGER", true),
            ("person", "passport_no", "INTEGER", false),
            ("person", "pers_no", "TEXT", false),
            ("person", "p_no", "INTEGER", false),
            ("person", "pers_pin", "INTEGER", false),
        ] {
            let (table, column) = (Table::new(TableId::new("s", table)), Column::new(column, data_type));
            assert_eq!(is_own_number(&table, &column), is_own, "{table:?} {column:?}");
        }
    }
}
